// SPDX-License-Identifier: MIT
// Standard output and standard error.
#ifndef CSP_VM_RUNTIME_OUTPUT_H
#define CSP_VM_RUNTIME_OUTPUT_H

#include "sched/rt.h"
#include "vm/csp.h"
#include "vm/heap/local.h"

// Buffered standard output.
typedef struct Output {
  RtLock lock;
  char *data;  // guarded by lock
  size_t len;  // atomic; written under lock
  size_t cap;
  bool terminal;   // immutable
  bool closed[3];  // immutable: the standard streams that were, in csp_new
  int error;       // atomic; the errno of a write that failed, or 0
  RtLock writing;  // held while bytes go out, so that they stay in order
} Output;

// What csp_at_end was given.
typedef struct AtEnd {
  void (*end)(Csp *csp);
  struct AtEnd *next;
} AtEnd;

bool output_init(Csp *csp);
void output_free(Csp *csp);
// An M that goes idle calls this. It writes what is in the buffer, unless
// another M does so. true: it did nothing, as it might block and may_block is
// false.
bool output_flush_idle(Csp *csp, bool may_block);
void output_error(Csp *csp, const char *data, size_t len);
void output_no_memory(Csp *csp);  // says so on standard error
void at_end_run(Csp *csp);        // calls them all
// VmHooks.write
void output_write(Vm *vm, P *p, const char *data, size_t len);
void vm_out_flush(Vm *vm);  // VmHooks.flush: blocks
// The same, and what another thread is writing is written, too. Not for what
// CspConfig.write_out calls.
void vm_out_settle(Vm *vm);

#endif
