// SPDX-License-Identifier: MIT
// A runtime as a whole: what csp.h calls Csp.
#ifndef CSP_VM_RUNTIME_H
#define CSP_VM_RUNTIME_H

#include <stdio.h>

#include "vm/interp.h"
#include "vm/native.h"

// A built-in module as registered; `made` on first use.
typedef struct NativeModule {
  const CspModule *def;
  ObjModule *made;
  struct NativeModule *next;
} NativeModule;

// The settings of CSPDEBUG (options.c). X(name, field, least, most)
#define DEBUG_NUMBERS(X)                     \
  X("gcstress", gcstress, 0, 1000000000)     \
  X("leaks", leaks, 0, 1)                    \
  X("poison", poison, 0, 1)                  \
  X("patience", patience, 1, 1000000)        \
  X("schedstats", schedstats, 0, 1)          \
  X("schedtrace", schedtrace, 0, 1000000000) \
  X("scheddetail", scheddetail, 0, 1)        \
  X("traceevents", traceevents, 1, 1 << 24)

enum { TRACE_EVENTS_DEFAULT = 1 << 16, PATIENCE_DEFAULT = 5000 };

typedef struct DebugOptions {
#define X(name, field, least, most) long field;
  DEBUG_NUMBERS(X)
#undef X
  char *trace;  // malloced; the file for events, or NULL
} DebugOptions;

// A number that programs and hosts can ask for by name (watch.c).
typedef struct Counter {
  const char *name;
  uint64_t value;
} Counter;
enum { COUNTERS_MAX = 64 };

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

// Of csp_call: host.c.
enum { HOST_TASKS = 16 };
typedef struct HostTask {
  ObjTask *task;
  uint32_t pin;
} HostTask;

typedef struct HostPost HostPost;  // post.c

struct Csp {
  Vm vm;
  VmCode code;
  CspConfig config;
  const char *test;  // csp_run_test's function, or NULL
  Output out;
  uint32_t ending;       // atomic: a report was printed or exit chosen; the
                         // first one decides the status
  int status;            // written by who set `ending`
  uint32_t interrupted;  // atomic: csp_interrupt was called
  bool goes_on;          // only what happens to main ends the run badly
  int64_t balance;       // of Ps that are gone; changed while the world stops
  int stuck;             // threads still in a blocking call when the run ended
  bool closing;          // csp_free goes on: natives can make no calls
  uint32_t left;  // atomic: csp_free has returned; the host gets no output
  DebugOptions debug;
  FILE *trace_out;    // of the setting trace, or NULL
  RtLock waits_lock;  // guards all CspWait.desc
  RtLock failed_lock;
  ObjTask **failed;  // panicked tasks that nobody has awaited (weak);
  size_t failed_count, failed_cap;  // guarded by failed_lock
  // --- host.c, post.c ---
  CspCall host;        // the host's own, when it steps the runtime
  int64_t time_limit;  // of its calls, in ns; 0: none
  RtLock host_lock;    // guards what follows
  HostTask tasks[HOST_TASKS];
  int task_count;
  HostPost *posts;  // whose goroutine has not ended
  CspWaker *wakers;
  bool run_over;  // posts come too late
  NativeDef **natives;
  size_t native_count, native_cap;
};

static inline Csp *runtime_of(const Vm *vm) { return (Csp *)vm->state; }

// output.c
bool output_init(Csp *csp);
void output_free(Csp *csp);
void output_add(Csp *csp, const char *data, size_t len);
// By an M that goes idle: writes what is there, unless another does. true:
// that might block, and may_block is false: nothing was done.
bool output_flush_idle(Csp *csp, bool may_block);
void output_error(Csp *csp, const char *data, size_t len);
void output_no_memory(Csp *csp);  // says so on standard error

// boot.c: what a Vm has before any script. false: out of memory.
bool boot_vm(Csp *csp);
void boot_free(Csp *csp);

// options.c
void options_read(Csp *csp, const char *text);  // may be NULL
void options_free(Csp *csp);

// watch.c
void watch_open(Csp *csp);   // the file of events; sets csp->trace_out
void watch_close(Csp *csp);  // at the end of a run: what was asked for
void watch_print(void *host, const char *text, size_t len);
void watch_each_g(void *host, void (*fn)(void *arg, G *g), void *arg);
const char *watch_label(void *host, const G *g);
size_t watch_counters(Vm *vm, Counter *out);  // how many: <= COUNTERS_MAX

// host.c: after everything else is made. false: out of memory.
bool host_open(Csp *csp);
// post.c. Nothing will run any more: who waits is told. And: frees the rest.
void posts_end(Csp *csp);
void posts_free(Csp *csp);

// A script, with that module's members as its top-level names (NULL: a module
// of its own). NULL: *messages tells.
struct ObjClosure *vm_compile(Vm *vm, const char *path, const char *text,
                              size_t len, ObjModule *module, char **messages);
// Runs the function as the main goroutine; as csp_run.
CspOutcome vm_run(Csp *csp, struct ObjClosure *script, int *status);
// Has the goroutine, which runs this task, panic with `interrupted` at its next
// safepoint; `try` does not stop that. One at a time: a later call takes an
// earlier one's place. While it waits, or is in a blocking call, nothing comes.
// Owner P.
void vm_interrupt(Vm *vm, const Goroutine *g, const ObjTask *task);

// report.c
// How a task's panic ended it, as text in some lines.
void report_outcome(Text *text, Vm *vm, const ObjTask *task);
// An error's or panic's value in one line, with its causes.
void report_message(Text *text, Vm *vm, Value v);
void report_failed_tasks(Csp *csp);
bool report_claim(Csp *csp, int status);  // true: the first to end the run

#endif
