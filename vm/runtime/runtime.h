// SPDX-License-Identifier: MIT
// A runtime as a whole: what csp.h calls Csp.
#ifndef CSP_VM_RUNTIME_H
#define CSP_VM_RUNTIME_H

#include <pthread.h>
#include <stdio.h>

#include "vm/heap/local.h"
#include "vm/interp/interp.h"
#include "vm/interp/native_call.h"
#include "vm/object/format.h"

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
  char *trace;  // the file for events, or NULL
} DebugOptions;

// A number that programs and hosts can ask for by name (counters.c).
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
  int error;       // atomic: the errno of a write that failed; 0
  RtLock writing;  // held while bytes go out, so that they stay in order
} Output;

typedef struct HostPost HostPost;  // api_threads.c

// What csp_at_end was given (output.c).
typedef struct AtEnd {
  void (*end)(Csp *csp);
  struct AtEnd *next;
} AtEnd;

// Where the paths of scripts begin (paths.c).
typedef struct Paths {
  int root;  // O_PATH, of CspConfig.root; -1: none. Immutable
  pthread_mutex_t lock;
  char *folder;  // guarded by lock: the working folder in the root
} Paths;

struct Csp {
  Vm vm;
  VmCode code;
  CspConfig config;
  char *path;  // config.path, our own; or NULL
  Paths paths;
  AtEnd *at_end;      // in the order they were given
  uint32_t reported;  // atomic: csp_report was called
  const char *test;   // csp_run_test's function, or NULL
  Output out;
  uint32_t ending;       // atomic: a report was printed or exit chosen; the
                         // first one decides the status
  int status;            // written by the thread that set `ending`
  uint32_t interrupted;  // atomic: 0, INTERRUPTED, RUN_IS_OVER (vm.c)
  bool goes_on;          // only what happens to main ends the run badly
  int64_t balance;       // of Ps that are gone; changed while the world stops
  int stuck;             // threads still in a blocking call when the run ended
  bool closing;          // csp_free goes on: natives can make no calls
  uint32_t left;  // atomic: csp_free has returned; the host gets no output
  DebugOptions debug;
  FILE *trace_out;  // of the setting trace, or NULL
  RtLock failed_lock;
  // Panicked tasks that nobody has awaited. Weak: see failed_tasks_lost.
  ObjTask **failed;                 // guarded by failed_lock
  size_t failed_count, failed_cap;  // guarded by failed_lock
  // --- api_call.c, api_threads.c ---
  CspCall host;        // the host's own, when it steps the runtime
  int64_t time_limit;  // of its calls, in ns; 0: none
  int64_t until;       // when the compilation under way is to end, and the call
                       // of csp_load that follows it; 0: none, or no limit
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
  bool run_over;        // posts come too late; atomic, written under host_lock
};

_Static_assert(offsetof(Csp, vm) == 0, "csp_vm and vm_csp");
static inline Csp *runtime_of(const Vm *vm) { return (Csp *)(uintptr_t)vm; }

// --- output.c ----------------------------------------------------------------
bool output_init(Csp *csp);
void output_free(Csp *csp);
void output_add(Csp *csp, const char *data, size_t len);
// By an M that goes idle: writes what is there, unless another does. true:
// that might block, and may_block is false: nothing was done.
bool output_flush_idle(Csp *csp, bool may_block);
void output_error(Csp *csp, const char *data, size_t len);
void output_no_memory(Csp *csp);  // says so on standard error
void at_end_run(Csp *csp);        // calls them all
void output_write(Vm *vm, const char *data, size_t len);  // VmHooks.write
void vm_out_flush(Vm *vm);  // VmHooks.flush: blocks

// --- boot.c ------------------------------------------------------------------
// What a Vm has before any script. false: out of memory.
bool boot_vm(Csp *csp);
void boot_free(Csp *csp);

// --- config.c ----------------------------------------------------------------
// What the host wants (NULL: the defaults) as this library knows it. false:
// errno tells.
bool config_take(CspConfig *own, const CspConfig *wanted);
// Copies what csp->config refers to. false: out of memory.
bool config_own(Csp *csp);

// --- paths.c -----------------------------------------------------------------
// false: there is no such root, or no openat2; errno tells.
bool paths_open(Csp *csp);
void paths_free(Csp *csp);

// --- options.c ---------------------------------------------------------------
void options_read(Csp *csp, const char *text);  // may be NULL
void options_free(Csp *csp);

// --- counters.c --------------------------------------------------------------
void counters_open(Csp *csp);   // the file of events; sets csp->trace_out
void counters_close(Csp *csp);  // at the end of a run: what was asked for
size_t counters_read(Vm *vm, Counter *out);  // how many: <= COUNTERS_MAX
// SchedHooks: print, each_g, label.
void counters_print(void *host, const char *text, size_t len);
void counters_each_g(void *host, void (*fn)(void *arg, G *g), void *arg);
const char *counters_label(void *host, const G *g);

// --- api_call.c --------------------------------------------------------------
// After everything else is made. false: out of memory.
bool host_open(Csp *csp);
// No values, and no message.
void host_no_result(CspResult *result, CspEnd end);
// The outcome of a task that has ended.
CspEnd host_give_outcome(Vm *vm, CspResult *result, const ObjTask *task);

// --- api_threads.c -----------------------------------------------------------
// Nothing will run any more: each thread that waits is told.
void posts_end(Csp *csp);

// --- api_go.c ----------------------------------------------------------------
void goes_end(Csp *csp);                     // as posts_end
void go_ended(Local *local, ObjTask *task);  // VmHooks.task_ended

// --- park.c ------------------------------------------------------------------
// As posts_end; and, when the door is closed: calls what is left.
void wakers_end(Csp *csp);
void wakers_free(Csp *csp);

// --- vm.c --------------------------------------------------------------------
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
int64_t vm_goroutine_count(Vm *vm);  // about

// --- report.c ----------------------------------------------------------------
// The ways to end of VmHooks (interp.h).
Next report_panic(Local *local, Goroutine *g, const Panic *panic);
Next report_panic_waiting(Local *local, Goroutine *g, const Panic *panic);
Next report_error(Local *local, Goroutine *g, Value error);
Next vm_exit(Local *local, Goroutine *g, int status);
bool vm_goes_on(const Vm *vm, const Goroutine *g);
void report_and_go_on(Local *local, const Panic *panic);
void join_panics(Local *local, Panic *newest);
void vm_task_failed(Vm *vm, ObjTask *task);

void report_deadlock(Vm *vm);
// How a task's panic ended it, as text in some lines.
void report_outcome(Text *text, Vm *vm, const ObjTask *task);
// An error's or panic's value in one line, with its causes.
void report_message(Text *text, Vm *vm, Value v);
// HeapHooks.mark_lost: keeps the tasks whose panics are to be reported, as
// nobody can ask for them any more; HeapHooks.collected: reports them.
bool failed_tasks_lost(void *arg, GcMarker *m);
void report_lost_tasks(void *arg);
// When all has ended: tasks that nobody awaited, and panics whose string()
// methods have not ended. true: there was one that ends a program.
bool report_left(Csp *csp);
bool report_claim(Csp *csp, int status);  // true: the first to end the run

// --- Tables of natives -------------------------------------------------------
extern const CspFunction builtin_runtime_functions[];  // builtins_runtime.c
extern const CspFunction post_functions[];             // api_threads.c
extern const CspFunction waker_functions[];            // park.c

#endif
