// SPDX-License-Identifier: MIT
// Counters, and what watches a runtime.
#ifndef CSP_VM_RUNTIME_COUNTERS_H
#define CSP_VM_RUNTIME_COUNTERS_H

#include "vm/csp.h"
#include "vm/heap/local.h"

// A number that programs and hosts can ask for by name.
typedef struct Counter {
  const char *name;
  uint64_t value;
} Counter;
enum { COUNTERS_MAX = 64 };

void counters_open(Csp *csp);   // the file of events; sets csp->trace_out
void counters_close(Csp *csp);  // at the end of a run: what was asked for
size_t counters_read(Vm *vm, Counter *out);  // how many: <= COUNTERS_MAX
// SchedHooks: print, each_g, label.
void counters_print(void *host, const char *text, size_t len);
void counters_each_g(void *host, void (*fn)(void *arg, G *g), void *arg);
const char *counters_label(void *host, const G *g);

#endif
