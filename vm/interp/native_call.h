// SPDX-License-Identifier: MIT
// One call of a native function, which csp.h calls CspCall.
#ifndef CSP_VM_INTERP_NATIVE_CALL_H
#define CSP_VM_INTERP_NATIVE_CALL_H

#include "vm/heap/local.h"
#include "vm/value/native_def.h"

enum { NATIVE_RESULTS_MAX = CSP_RESULTS_MAX };

// What rows without a function have said about those after them.
typedef struct NativeRules {
  uint32_t needs;
  bool repeatable;
  bool host;     // of NativeDef
  bool methods;  // each is one of a type
} NativeRules;

// A built-in module as registered; `made` on first use.
typedef struct NativeModule {
  const CspModule *def;
  ObjModule *made;
  bool host;  // of NativeDef
  struct NativeModule *next;
} NativeModule;

// What the interpreter does after a native said CSP_LATER.
typedef enum LaterKind {
  LATER_NONE,
  LATER_BLOCK,
  LATER_TAIL,
  LATER_SLEEP,
  LATER_YIELD,
  LATER_SELECT,  // cases in value (list of [chan] / [chan, v] lists)
  LATER_PROCS,   // sched.set_procs(number)
  LATER_GC,      // a collection, now
  LATER_ENTER,   // a lock that is not free, in value (lock_methods.c)
  LATER_EXIT,
  LATER_AGAIN,  // in pieces; `data` is the record (again.c)
  LATER_PARK,   // a waker was made: csp_park makes LATER_TAIL of it. Channel in
                // value, link in value2
} LaterKind;

// A wait for a descriptor before blocking work (block_fd.c).
typedef struct FdWait {
  CspWait *wait;   // NULL: none
  PollDesc *desc;  // while it is registered
  int copy;        // of wait->fd; -1 means none
  bool blocks;     // the system cannot watch it: the call waits
  bool refused;    // or, in a stepped runtime, is not made
} FdWait;

// When the next piece of a native begins (csp_again).
typedef enum PieceWhen {
  PIECE_SOON,
  PIECE_ENTERED,  // when the call has the turn of a side of a descriptor
  PIECE_READY,    // when that side may be ready
} PieceWhen;
typedef struct PieceWait {
  uint8_t when;    // PieceWhen
  uint8_t mode;    // PollMode
  uint8_t result;  // PollResult. POLL_PARKED: it waits, or is about to
  CspFd *fd;
  int64_t until;  // rt_now(); 0 means without end
} PieceWait;
// Or'ed to LaterKind: csp_when_entered or csp_when_ready has set `wait` for the
// csp_again that follows.
enum { LATER_WHEN = 64 };

// What a native has left to do, set before it says CSP_LATER.
typedef struct CallLater {
  bool quick;     // LATER_BLOCK: as csp_block, not csp_block_slow
  int64_t after;  // LATER_BLOCK: so many ns later, or at once (0)
  LaterKind kind;
  Value value, value2;
  int64_t number;
  void (*work)(void *data);
  CspStatus (*done)(CspCall *call, void *data, bool made);
  void *data;
  FdWait fd_wait;
  PieceWait wait;  // LATER_WHEN, or of the piece that runs
} CallLater;

// Whether a call that left something to do goes on. A call that is given up has
// panicked, too: so it takes no results, makes no panic, and works no more.
typedef enum CallFate {
  CALL_GOES_ON,
  CALL_GIVEN_UP,  // the native frees what it has, and its goroutine leaves
  CALL_OVER,      // likewise, in csp_free: no goroutine runs any more
} CallFate;

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
  bool hosts;  // csp_host: nothing of it panics, and all of it goes on
  bool panicked;
  bool repeated;  // after memory was out
  uint8_t fate;   // CallFate
  CallLater later;
};

static inline const char *native_name(const CspCall *call) {
  return call->def != NULL ? call->def->name : "native function";
}
// What the native still does for the call is to free.
static inline void native_give_up(CspCall *call, CallFate fate) {
  call->panicked = true;
  call->fate = (uint8_t)fate;
}
// Whether it may wait, and have the script called: it is not given up, nor has
// it been told to end.
static inline bool native_goes_on(const CspCall *call) {
  return call->local != NULL && call->fate == CALL_GOES_ON &&
         (call->g == NULL || !call->g->gave_up);
}
// Whether no goroutine can be readied: there is no runtime, or it ends.
static inline bool native_is_over(const CspCall *call) {
  return call->local == NULL || call->fate == CALL_OVER;
}
// Before a host's function goes on with a call: it has no looks, and others may
// not have to wait for its P (sched/alone.c). call_native does so where it
// begins. In csp_free nobody waits.
static inline void native_enter(const CspCall *call) {
  if (__builtin_expect(call->def->host, 0) && call->fate != CALL_OVER)
    sched_not_alone(call->local->p);
}
static inline CspValue csp_wrap(Value v) { return (CspValue){v}; }

// A Csp begins with its Vm (runtime.h).
static inline Vm *csp_vm(Csp *csp) { return (Vm *)(void *)csp; }
static inline Csp *vm_csp(Vm *vm) { return (Csp *)(void *)vm; }

#endif
