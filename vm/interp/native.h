// SPDX-License-Identifier: MIT
// What stands behind CspCall: the interpreter's side of native functions.
#ifndef CSP_VM_NATIVE_H
#define CSP_VM_NATIVE_H

#include "vm/csp.h"
#include "vm/vm.h"

enum { NATIVE_RESULTS_MAX = CSP_RESULTS_MAX };

// native_quick.c; owner P
typedef bool (*QuickFn)(Local *l, const NativeDef *def, const Value *args,
                        int argc, Value *out);
void quick_choose(NativeDef *def);  // sets quick, quick_results

// A native function as registered, with its parameters taken apart once.
struct NativeDef {
  const char *name;  // "strings.split", for messages; after param_names
  CspFn fn;
  double (*real)(double);  // CSP_REAL; or NULL
  QuickFn quick;           // the usual case of it, or NULL
  uint8_t nparams;         // rest excluded
  uint8_t nrequired;
  bool rest;
  bool repeatable;           // CSP_REPEATABLE
  uint8_t missing;           // the capability that is not given, or 0
  uint8_t quick_results;     // that quick gives: no call may want more
  ObjString *param_names[];  // nparams, interned
};

// What rows without a function have said about those after them.
typedef struct NativeRules {
  uint32_t needs;
  bool repeatable;
} NativeRules;

// A built-in module as registered; `made` on first use.
typedef struct NativeModule {
  const CspModule *def;
  ObjModule *made;
  struct NativeModule *next;
} NativeModule;

// What the interpreter does after a native said CSP_LATER.
typedef enum LaterKind {
  LATER_NONE,
  LATER_BLOCK,
  LATER_TAIL,
  LATER_SLEEP,
  LATER_YIELD,
  LATER_SELECT,  // cases in later_value (list of [chan] / [chan, v] lists)
  LATER_PROCS,   // sched.set_procs(later_int)
  LATER_GC,      // a collection, now
  LATER_EXIT,
  LATER_AGAIN,  // in pieces; work_data: the record (again.c)
  LATER_PARK,   // for csp_park: a waker was made; channel in later_value, link
                // in later_value2
} LaterKind;

// A wait for a descriptor before blocking work (wait_fd.c).
typedef struct FdWait {
  CspWait *wait;   // NULL: none
  PollDesc *desc;  // while it is registered
  int fd, copy;
  bool write;
  bool blocks;   // the system cannot watch it: the call waits
  bool refused;  // or, in a stepped runtime, is not made
} FdWait;

// One native call. Lives on the C stack of the interpreter, but for blocking
// ones (copied into their syscall's record).
struct CspCall {
  Local *local;
  Vm *vm;
  Goroutine *g;  // NULL while booting
  const NativeDef *def;
  void *data;   // ObjNative.data
  Value *args;  // into the goroutine's stack
  int argc;
  int nresults;
  Value results[NATIVE_RESULTS_MAX];
  bool panicked;
  bool repeated;  // after memory was out
  bool quick;     // LATER_BLOCK: as csp_block, not csp_block_slow
  LaterKind later;
  Value later_value, later_value2;
  int64_t later_int;
  void (*work)(void *data);
  CspStatus (*done)(CspCall *call, void *data, bool made);
  void *work_data;
  FdWait fd_wait;
};

static inline const char *native_name(const CspCall *call) {
  return call->def != NULL ? call->def->name : "native function";
}
static inline CspValue csp_wrap(Value v) { return (CspValue){v}; }

// methods.c: the place of a field; -1: there is none.
int struct_field(const ObjStruct *type, const char *name);

// call_native.c: csp_panic_memory.
CspStatus call_out_of_memory(CspCall *call);

// --- panic.c: raising -------------------------------------------------------
// Sets the goroutine's pending panic to an error with that message. The frames
// are unwound by the interpreter. Always returns false.
bool vm_panic(Local *local, Goroutine *g, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool vm_panic_value(Local *local, Goroutine *g, Value value);
bool vm_panic_memory(Local *local, Goroutine *g);
ObjError *error_new(Local *local, Value message, Value cause);

// --- wait_fd.c: owner P -----------------------------------------------------
// true: g has parked until the descriptor may be ready; then fd_wait_over.
bool fd_wait_begin(P *p, Goroutine *g, FdWait *w);
void fd_wait_over(P *p, FdWait *w);
void fd_wait_block(const FdWait *w);  // in a blocking call
void fd_wait_drop(FdWait *w);         // of a goroutine that never runs again

// --- native.c ---------------------------------------------------------------
// An ObjNative for this function (module may be NULL). Boot time.
Value native_new(Vm *vm, const char *module, const CspFunction *row,
                 const NativeRules *rules);
// The first function of a table from `at` on, or NULL at its end; rules begin
// zeroed.
const CspFunction *native_row(const CspFunction *at, NativeRules *rules);

// --- call_native.c ----------------------------------------------------------
// Before the call's goroutine waits: the collector sees its arguments.
void native_cover_arguments(const CspCall *call);

// --- methods.c: methods of host classes -------------------------------------
// One registered class. The functions are pinned in the heap.
typedef struct HostMethods {
  struct HostMethods *next;
  const HostClass *klass;
  void *state;  // atomic; csp_state
  uint32_t count;
  Method methods[];
} HostMethods;

HostMethods *host_methods_of(const Vm *vm, const void *klass);  // or NULL
// The method of a host class, or VALUE_UNDEF. Any thread with a P.
Value host_method(Vm *vm, const HostClass *klass, const ObjString *name);
// Feeds the names of its methods (for "did you mean").
void host_each_method(Vm *vm, const HostClass *klass,
                      void (*fn)(void *arg, const char *name), void *arg);

// --- api_host.c -------------------------------------------------------------
// api_host.c: frees the tables, and the classes' state. After the heap.
void host_methods_free(Vm *vm);

// --- api_call.c -------------------------------------------------------------
// Whether csp_call can be called with it; clears *result. false: *result tells.
bool host_may_call(CspCall *call, CspResult *result);
// Fills in the result of what failed without a panic of its own, or could not
// begin.
CspEnd host_failed(CspCall *call, CspResult *result, CspEnd end,
                   const char *what);

// --- methods.c: predeclared functions ---------------------------------------
// A predeclared (or prelude) name's value, or VALUE_UNDEF.
Value vm_builtin(Local *local, const char *name);

// --- A Csp begins with its Vm (runtime.h) -----------------------------------
static inline Vm *csp_vm(Csp *csp) { return (Vm *)(void *)csp; }
static inline Csp *vm_csp(Vm *vm) { return (Csp *)(void *)vm; }

// --- builtins.c and builtins_sched.c: predeclared names ---------------------
extern const CspFunction builtin_functions[];
extern const CspFunction builtin_sched_functions[];
extern const CspFunction builtin_runtime_functions[];
extern const CspFunction post_functions[];   // api_threads.c
extern const CspFunction waker_functions[];  // waker.c

#endif
