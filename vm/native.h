// SPDX-License-Identifier: MIT
// What stands behind CspCall: the interpreter's side of native functions.
#ifndef CSP_VM_NATIVE_H
#define CSP_VM_NATIVE_H

#include "vm/csp.h"
#include "vm/vm.h"

enum { NATIVE_RESULTS_MAX = 8 };

// A native function as registered, with its parameters taken apart once.
struct NativeDef {
  const char *name;  // "strings.split", for messages
  CspFn fn;
  uint8_t nparams;  // rest excluded
  uint8_t nrequired;
  bool rest;
  ObjString **param_names;  // interned
};

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
} LaterKind;

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
  uint64_t charged;
  bool panicked;
  LaterKind later;
  Value later_value, later_value2;
  int64_t later_int;
  void (*work)(void *data);
  CspStatus (*done)(CspCall *call, void *data, bool made);
  void *work_data;
};

static inline CspValue csp_wrap(Value v) { return (CspValue){v}; }

// --- panic.c: raising -------------------------------------------------------
// Sets the goroutine's pending panic to an error with that message. The frames
// are unwound by the interpreter. Always returns false.
bool vm_panic(Local *local, Goroutine *g, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool vm_panic_value(Local *local, Goroutine *g, Value value);
bool vm_panic_memory(Local *local, Goroutine *g);
ObjError *error_new(Local *local, Value message, Value cause);

// --- native.c ---------------------------------------------------------------
// An ObjNative for this function (module may be NULL). Boot time.
Value native_new(Vm *vm, const char *module, const CspFunction *function,
                 void *data);

// --- api_host.c: methods of host classes ------------------------------------
// The method of a host class, or VALUE_UNDEF. Any thread with a P.
Value host_method(Vm *vm, const HostClass *klass, const ObjString *name);
// Feeds the names of its methods (for "did you mean").
void host_each_method(Vm *vm, const HostClass *klass,
                      void (*fn)(void *arg, const char *name), void *arg);
// Frees the tables, and the classes' state. After the heap.
void host_methods_free(Vm *vm);

// --- module.c ---------------------------------------------------------------
// A predeclared (or prelude) name's value, or VALUE_UNDEF.
Value vm_builtin(Local *local, const char *name);

// --- vm.c -------------------------------------------------------------------
Vm *csp_vm(Csp *csp);  // the runtime's Vm
Csp *vm_csp(Vm *vm);   // and back

// --- builtins.c and builtins_sched.c: predeclared names ----------------------
extern const CspFunction builtin_functions[];
extern const CspFunction builtin_sched_functions[];

#endif
