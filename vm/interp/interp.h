// SPDX-License-Identifier: MIT
// What the interpreter's loop has to do with other files: the answers of its
// slow paths, what a goroutine that was parked does first, and the hooks by
// which it reaches the runtime above.
//
// Before a slow path is called, the goroutine's pc (after the opcode's first
// word) and base are saved. The slow path answers how to go on.
#ifndef CSP_VM_INTERP_H
#define CSP_VM_INTERP_H

#include "vm/code/opcodes.h"
#include "vm/heap/local.h"

typedef enum Next {
  GO_ON,   // pc and base are as they were
  RELOAD,  // take pc, base and the P from the goroutine
  THROW,   // a panic was raised: unwind
  LEFT,    // the goroutine has left this P: switch to another
  RETURN,  // ... and this M has another P, or none: leave the interpreter
} Next;

// What to do first when a parked goroutine runs again (Goroutine.on_resume).
// The instruction that parked is found through the saved pc.
enum {
  RESUME_NOTHING,
  RESUME_RECV,     // pc[-1] is RECV
  RESUME_SEND,     // pc[-1] is SEND
  RESUME_SELECT,   // pc[-1] is SELECT
  RESUME_NEXT,     // pc[-1] is NEXT1 or NEXT2
  RESUME_CALL,     // a native's blocking work: g->pending
  RESUME_NATIVE,   // _sched_select is over: g->pending
  RESUME_ENTER,    // waits for a lock: g->select
  RESUME_SLEEP,    // a sleep, which may be cancelled
  RESUME_GROUP,    // pc[-1] is GROUPEND or GROUPRET
  RESUME_UNWIND,   // a panic goes on
  RESUME_AGAIN,    // the next piece of a native: g->pending
  RESUME_GAVE_UP,  // a panic: it is interrupted or cancelled
};

// Safepoints between two looks (row 18 of docs/scheduler-rules.md).
enum { SAFEPOINT_COUNT = 1024 };

void interp_init(Local *local);  // before anything runs with it
void interp_resume(P *p, G *g);  // a Goroutine's G.resume
// Runs what a goroutine must do first; not THROW.
Next interp_wake(Local *local, Goroutine *g);
// Unwinds until a frame goes on (RELOAD), or the goroutine is gone.
Next interp_throw(Local *local, Goroutine *g);

// --- The interpreter's own code ---------------------------------------------
// The code of frames that no script has written, and the errors that the
// interpreter panics with. boot.c makes them.
typedef struct VmCode {
  Proto *goexit;  // [CALLV 0 all][GOEXIT]
  Proto *try_;    // [TRYCALL][TRYRET]
  ObjClosure *goexit_closure, *try_closure;
  Instr panic_go[1];
  Instr return_nils[256];  // RETD 0 n
  Value concat;            // the prelude's _concat, or nil
  Value memory_error;      // what is panicked with when memory is out
  Value cancel_errors[CANCEL_REASONS];  // by CancelReason; [0] is nil
  PanicReserve reserve;
} VmCode;
static inline VmCode *vm_code(const Vm *vm) { return vm->code; }

// --- Hooks ------------------------------------------------------------------
// The interpreter knows neither how programs end nor where output goes. The
// runtime tells it by these hooks (Vm.hooks, set before anything runs). The
// owner of a P calls them.
typedef struct VmHooks {
  // The run ends with this status. The goroutine is parked for ever.
  Next (*exit)(Local *local, Goroutine *g, int status);
  // Reports an uncaught panic, once, and ends the run with status 1.
  Next (*report_panic)(Local *local, Goroutine *g, const Panic *panic);
  // The same, with what the other goroutines do. If another stop of the world
  // is under way, g unwinds again later instead.
  Next (*report_panic_waiting)(Local *local, Goroutine *g, const Panic *panic);
  // Likewise reports an error that `?` passed on and that nothing took.
  Next (*report_error)(Local *local, Goroutine *g, Value error);
  // Whether the program goes on when this goroutine ends with a panic or an
  // error. If so, the second one reports that.
  bool (*goes_on)(const Vm *vm, const Goroutine *g);
  void (*report_and_go_on)(Local *local, const Panic *panic);
  // The newest panic came while others were under way. Its text becomes the
  // text of all of them.
  void (*join_panics)(Local *local, Panic *newest);
  void (*task_failed)(Vm *vm, ObjTask *task);  // nobody has awaited it yet
  // A task that is told (TASK_IS_TOLD) has its outcome.
  void (*task_ended)(Local *local, ObjTask *task);
  // Standard output. The first adds to what is to be written. The second writes
  // it, and may block.
  void (*write)(Vm *vm, P *p, const char *data, size_t len);  // p: or NULL
  void (*flush)(Vm *vm);
} VmHooks;

#endif
