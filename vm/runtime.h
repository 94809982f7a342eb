// SPDX-License-Identifier: MIT
// A runtime as a whole: what csp.h calls Csp.
#ifndef CSP_VM_RUNTIME_H
#define CSP_VM_RUNTIME_H

#include "vm/interp.h"

// A built-in module as registered; `made` on first use.
typedef struct NativeModule {
  const CspModule *def;
  ObjModule *made;
  struct NativeModule *next;
} NativeModule;

// Buffered standard output (output.c).
typedef struct Output {
  RtLock lock;
  char *data;  // guarded by lock
  size_t len;  // atomic; written under lock
  size_t cap;
  bool terminal;   // immutable
  uint32_t line;   // atomic: on a terminal, a newline waits in the buffer
  int error;       // atomic: the errno of a write that failed; 0
  RtLock writing;  // held while bytes go out, so that they stay in order
} Output;

struct Csp {
  Vm vm;
  VmCode code;
  CspConfig config;
  Output out;
  uint32_t ending;       // atomic: a report was printed or exit chosen; the
                         // first one decides the status
  int status;            // written by who set `ending`
  uint32_t interrupted;  // atomic: csp_interrupt was called
  int64_t balance;       // of Ps that are gone; changed while the world stops
  int stuck;             // threads still in a blocking call when the run ended
  bool leaks;            // CSPDEBUG=leaks=1
  bool stats;            // CSPDEBUG=schedstats=1
  RtLock failed_lock;
  ObjTask **failed;  // panicked tasks that nobody has awaited (weak);
  size_t failed_count, failed_cap;  // guarded by failed_lock
  NativeDef **natives;
  size_t native_count, native_cap;
};

static inline Csp *runtime_of(const Vm *vm) { return (Csp *)vm->state; }

// output.c
bool output_init(Csp *csp);
void output_free(Csp *csp);
void output_add(Csp *csp, const char *data, size_t len);
void output_error(Csp *csp, const char *data, size_t len);

// boot.c: what a Vm has before any script. false: out of memory.
bool boot_vm(Csp *csp);
void boot_free(Csp *csp);

// report.c
void report_failed_tasks(Csp *csp);
bool report_claim(Csp *csp, int status);  // true: the first to end the run

#endif
