// SPDX-License-Identifier: MIT
// A runtime as a whole: what csp.h calls Csp.
#ifndef CSP_VM_RUNTIME_H
#define CSP_VM_RUNTIME_H

#include <pthread.h>
#include <stdio.h>

#include "vm/heap/local.h"
#include "vm/interp/interp.h"
#include "vm/interp/native_call.h"
#include "vm/object/value_text.h"
#include "vm/runtime/options.h"
#include "vm/runtime/output.h"
#include "vm/runtime/paths.h"

typedef struct HostPost HostPost;  // api_threads.c

// Csp.interrupted: what came first, csp_interrupt or the end of csp_run.
#define INTERRUPTED 1u
#define RUN_IS_OVER 2u

struct Csp {
  Vm vm;
  VmCode code;
  CspConfig config;
  char *path;     // config.path, our own; or NULL
  char *modules;  // config.modules likewise, as an absolute path
  Paths paths;
  AtEnd *at_end;      // in the order they were given
  uint32_t reported;  // atomic: csp_report was called, or a report was lost
  const char *test;   // csp_run_test's function, or NULL
  Output out;
  uint32_t ending;       // atomic: a report was printed or exit chosen. The
                         // first one decides the status
  int status;            // written by the thread that set `ending`
  uint32_t interrupted;  // atomic: 0, INTERRUPTED or RUN_IS_OVER
  // --- cancel_main.c ---
  uint32_t cancel_status;  // atomic: what main is cancelled with, or 0
  SchedPost cancel_post;   // fn is immutable; NULL means main is not cancelled
  ObjGroup *main_group;    // immutable in the run; pinned. NULL: likewise
  bool goes_on;            // only what happens to main ends the run badly
  int64_t balance;         // of Ps that are gone; changed while the world stops
  int stuck;      // threads still in a blocking call when the run ended
  bool closing;   // csp_free goes on: natives can make no calls
  uint32_t left;  // atomic: csp_free has returned, and the host gets no output
  DebugOptions debug;
  FILE *trace_out;  // of the setting trace, or NULL
  RtLock failed_lock;
  // Failed tasks that nobody has awaited. Weak: see failed_tasks_lost.
  ObjTask **failed;                 // guarded by failed_lock
  size_t failed_count, failed_cap;  // guarded by failed_lock
  // --- api_call.c, api_threads.c ---
  CspCall host;        // the host's own, when it steps the runtime
  int64_t time_limit;  // of its calls, in ns; 0 means none
  int64_t until;       // when the compilation under way is to end, and the call
                       // of csp_load that follows it; 0 means none, or no limit
  bool gave_up;        // the last compilation did, for one of these
  bool asks_host;      // CspConfig.load is called: nothing compiles or runs
  RtLock host_lock;    // guards what follows
  Door *door;          // immutable: through which other threads come
  HostPost *posts;     // whose goroutine has not ended
  HostPost *posts_held,
      *posts_held_last;  // those that are to begin (api_threads.c)
  uint32_t posts_ahead;
  CspWaker *wakers;
  struct GoNote *goes;  // whose goroutine has not ended
  bool run_over;        // posts come too late
};

_Static_assert(offsetof(Csp, vm) == 0, "csp_vm and vm_csp");
static inline Csp *runtime_of(const Vm *vm) { return (Csp *)(uintptr_t)vm; }

#endif
