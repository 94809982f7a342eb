// SPDX-License-Identifier: MIT
// What the interpreter's loop and its slow paths show each other.
//
// A slow path is called with the goroutine's pc and base saved (pc after the
// opcode's first word) and answers how to go on.
#ifndef CSP_VM_INTERP_H
#define CSP_VM_INTERP_H

#include "vm/code/code.h"
#include "vm/interp/native.h"
#include "vm/object/suggest.h"

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
  RESUME_SLEEP,    // a sleep that could be cancelled
  RESUME_GROUP,    // pc[-1] is GROUPEND
  RESUME_UNWIND,   // a panic goes on
  RESUME_AGAIN,    // the next piece of a native: g->pending
  RESUME_GAVE_UP,  // a panic: it is interrupted or cancelled
};

// Safepoints between two looks (SCHEDULER row 18).
enum { SAFEPOINT_COUNT = 1024 };

// --- interp.c ---------------------------------------------------------------
void interp_init(Local *l);      // before anything runs with it
void interp_resume(P *p, G *g);  // a Goroutine's G.resume
// Runs what a goroutine must do first; not THROW.
Next interp_wake(Local *l, Goroutine *g);
// Unwinds until a frame goes on (RELOAD), or the goroutine is gone.
Next interp_throw(Local *l, Goroutine *g);

// --- stack.c ----------------------------------------------------------------
// Room for registers up to `top` (a pointer into g's stack). Moves the stack:
// g->base is updated, other pointers are not. false: panicked with stack
// overflow.
bool stack_reserve(Local *l, Goroutine *g, const Value *top);
bool stack_init(Local *l, Goroutine *g, size_t words);
// Whether the frame at base is as a call pushes it: inside the stack with all
// its registers, a closure, and a caller below, to whose code it returns; or
// the bottom one. Owner P, or the world is stopped.
bool frame_is_valid(const Goroutine *g, const Value *base);
// The same of a goroutine that is complete (pc and base are saved): its stack,
// top frame, deferred calls, panics, and what it is to do when it is resumed.
bool goroutine_is_valid(const Goroutine *g);

// --- arith.c ----------------------------------------------------------------
// b op c for any values and arithmetic opcode (immediate and constant forms
// are mapped to the plain ones). false: panicked.
bool arith_op(Local *l, Goroutine *g, Op op, Value b, Value c, Value *out);
bool arith_slow(Local *l, Goroutine *g, Value *base, const Value *k, Instr i);
// An instruction of two operations (MULADD, ADDADD, XORSHL, MULADDW and their
// like); word: its second one.
bool arith_pair(Local *l, Goroutine *g, Value *base, const Value *k, Instr i,
                Instr word);
// op EQ, LT or LE: 0, 1, or -1 (panicked).
int compare_slow(Local *l, Goroutine *g, const Value *base, const Value *k,
                 Instr i);  // of a comparison instruction, EQ forms included
int compare_op(Local *l, Goroutine *g, Op op, Value a, Value b);

// --- access.c: indexing, fields, slices, in, is, containers -----------------
bool access_get(Local *l, Goroutine *g, Value x, Value index, Value *out,
                bool *found);
bool access_set(Local *l, Goroutine *g, Value x, Value index, Value v);
bool access_slice(Local *l, Goroutine *g, Value x, Value from, Value to,
                  Value *out);
bool access_in(Local *l, Goroutine *g, Value a, Value x, bool *out);
bool access_is(Vm *vm, Value v, Value type);
// Cache words: 24 bits name a struct type, or a built-in one by this; 8 bits
// are the place of the field or method.
#define BUILTIN_ID(type) (0xffffffu - (uint32_t)(type))
// x.name as a value. `word` is the cache word, may be rewritten.
bool access_field(Local *l, Goroutine *g, Value x, ObjString *name,
                  uint32_t *word, Value *out);
bool access_set_field(Local *l, Goroutine *g, Value x, ObjString *name,
                      uint32_t *word, Value v);
// What x.name(...) calls. *method: x goes along as the first argument.
bool access_method(Local *l, Goroutine *g, Value x, ObjString *name,
                   uint32_t *word, Value *function, bool *method);

// The method of x, or of struct type x, with that name, which need not be
// interned; or VALUE_UNDEF.
Value access_find_method(Vm *vm, Value x, const ObjString *name);
// Calls fn with the names of x's fields and methods.
void access_each_name(Vm *vm, Value x, void (*fn)(void *arg, const char *name),
                      void *arg);
// Panics with that message about suggest->wanted, and what was fed into it
// that comes near ("(did you mean `x`?)"). Returns false.
bool access_unknown(Local *l, Goroutine *g, const Suggest *suggest,
                    const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// --- host_call.c: operations of a host's types, with a call ------------------
// HOST_NO: it has none for such values; then nothing has happened.
typedef enum HostDone { HOST_DID, HOST_NO, HOST_PANICKED } HostDone;
HostDone host_add(Local *l, Goroutine *g, Value b, Value c, Value *out);
HostDone host_get(Local *l, Goroutine *g, Value v, Value index, Value *out);
HostDone host_set(Local *l, Goroutine *g, Value v, Value index, Value to);
// --- host_type.c: the others ------------------------------------------------
const CspOperations *host_operations(Value v);  // none: all NULL
bool host_has_elements(Value v);
bool host_takes_elements(Value v);
CspEach host_iterate(Value v);         // NULL: it cannot
bool host_len(Value v, int64_t *len);  // false: it has none

// --- call.c -----------------------------------------------------------------
// Calls the value in window[2] with argc arguments from window[3]; results to
// window[0]. The caller's frame is g->base, which returns to `ret`.
Next call_value(Local *l, Goroutine *g, Value *window, int argc, int want,
                const Instr *ret);
// Puts n results of the function of that name where the call wanted them.
// false: panicked.
bool call_deliver(Local *l, Goroutine *g, Value *to, const Value *results,
                  int n, int want, const char *name);
// A return that is not the common case: n values from `from`.
Next call_return(Local *l, Goroutine *g, const Value *from, int n);
Next call_return_deferred(Local *l, Goroutine *g, const Instr *self,
                          Value *from, int n);
bool call_spread(Local *l, Goroutine *g, int a, int b, int c);
ObjValues *call_pop_deferred(Local *l, Goroutine *g);
Next call_deferred(Local *l, Goroutine *g, const ObjValues *record,
                   const Instr *ret);
bool call_named(Local *l, Goroutine *g, int a, int positional, Value names);
bool call_defer(Local *l, Goroutine *g, int a, int argc);
Next call_try(Local *l, Goroutine *g);
Next call_try_return(Local *l, Goroutine *g);
// The method call at g->pc - 1 (INVOKE, INVOKEV): receiver at R[a+3], argc
// arguments with it.
Next call_method(Local *l, Goroutine *g, Instr a, int argc, int want);
Next call_concat(Local *l, Goroutine *g, Instr a, Instr count);
Next call_module(Local *l, Goroutine *g, int a, Value module);
// "f", "Point.len", "strings.split" for messages.
const char *function_name(Value f);

// --- call_native.c ----------------------------------------------------------
// The native in window[2]; g->pc is where to go on.
Next call_native(Local *l, Goroutine *g, Value *window, int argc, int want);
Next call_native_done(Local *l, Goroutine *g);  // RESUME_CALL
// What follows a native's return.
Next native_finish(CspCall *call, CspStatus status, Value *window, int want);
// A native has panicked: when memory was out it is called once more, after a
// collection. What it says then, or CSP_PANIC.
CspStatus native_call_again(CspCall *call);
// The native whose blocking call g is in; NULL: none, or not to be named.
const char *native_blocked_in(const Goroutine *g);
void native_drop(Goroutine *g);  // RESUME_CALL, but it never runs again
// The same at the runtime's end, when natives may be called: the native frees
// what the call was for. l: any.
void native_close(Local *l, Goroutine *g);

// --- again.c: natives in pieces ---------------------------------------------
// The first piece has returned csp_again.
Next again_begin(CspCall *call, Value *window, int want);
Next again_resume(Local *l, Goroutine *g);  // RESUME_AGAIN
// HeapHooks.mark_pending.
void again_mark(void *arg, const Goroutine *g, GcMarker *m);
// At the runtime's end, as native_close.
void again_close(Local *l, Goroutine *g);

// --- give_up.c --------------------------------------------------------------
// vm_interrupt asked for this goroutine, or it is cancelled: it panics, once.
bool work_interrupted(Local *l, Goroutine *g);
bool work_stopped(Local *l, Goroutine *g);
// g, which unwinds, has given up: it leaves, and panics when it runs again.
Next work_leave(Local *l, Goroutine *g);
void work_panic(Local *l, Goroutine *g);  // RESUME_GAVE_UP

// --- iter.c -----------------------------------------------------------------
bool iter_start(Local *l, Goroutine *g, Value *state, Value x);
// One step of the loop at g->pc - 1 (NEXT1, NEXT2) that is not over ints.
Next iter_next(Local *l, Goroutine *g, Instr i);
void iter_resume(Local *l, Goroutine *g);  // after a channel's receive
enum {
  ITER_INT = 1,
  ITER_LIST,
  ITER_MAP,
  ITER_STRING,
  ITER_CHAN,
  ITER_FUNC,
  ITER_FUNC_RESULT,
  ITER_BYTES,
  ITER_RANGE,
  ITER_EACH
};

// --- task.c: go, channels, select, tasks ------------------------------------
Goroutine *goroutine_new(Local *l, Value function, const Value *args, int argc);
// An object of so many bytes that begins with a task. NULL: out of memory
ObjTask *conc_task_of(Local *l, size_t size);
static inline ObjTask *conc_task(Local *l) {
  return conc_task_of(l, sizeof(ObjTask));
}
// A goroutine with a task, for sched_spawn. NULL: out of memory.
Goroutine *conc_prepare(Local *l, Value function);
Next conc_go(Local *l, Goroutine *g, int a, int argc, bool task);
Next conc_send(Local *l, Goroutine *g, Value to, Value v);
Next conc_recv(Local *l, Goroutine *g, Instr i);
Next conc_recv_resume(Local *l, Goroutine *g, Instr i);
Next conc_select(Local *l, Goroutine *g, Instr i);
Next conc_select_resume(Local *l, Goroutine *g, Instr i);
// _sched_select(cases): the list in call->later_value.
Next conc_select_native(CspCall *call, Value *window, int want);
Next conc_select_native_resume(Local *l, Goroutine *g);  // RESUME_NATIVE
bool conc_outcome(Local *l, Goroutine *g, Value *to, const Value *outcome,
                  int want);
// The first function returned `multi` values at R[0] (GOEXIT).
Next conc_goexit(Local *l, Goroutine *g);
bool task_deliver(Local *l, Goroutine *g, ObjTask *task, Value *to, int want);

// --- panic.c ----------------------------------------------------------------
enum { TRACE_MAX = 100, CAUSES_SHOWN = 20 };
enum { MESSAGE_MAX = 64 << 10 };  // bytes shown of a panic's value

// NULL: out of memory.
Trace *trace_capture(const Memory *memory, const Goroutine *g);
void trace_drop(Trace *trace);  // any thread
// The value's text is kept with its trace; without memory it is not.
void trace_set_text(Trace **trace, const char *text, size_t len);
const char *trace_text(const Trace *trace);  // or NULL
void trace_print(Text *out, const Trace *trace, const char *state);
void trace_print_frames(Text *out,
                        const Trace *trace);  // without the first line
Next panic_unwind(Local *l, Goroutine *g);
Next panic_go(Local *l, Goroutine *g);  // PANICGO
// Before panics are reported, or a task's panic is kept, their values'
// string() methods are called: true: that is *next, and conc_panicked is
// called again. The goroutine is unwound.
bool panic_describe(Local *l, Goroutine *g, Next *next);
void panic_set_text(Goroutine *g, const char *text, size_t len);
// The same for an error that ends the program, told of with `at` (malloced).
Next panic_end_with(Local *l, Goroutine *g, Value error, char *at);
Value panic_recover(Local *l, Goroutine *g);
void panic_end(Goroutine *g);   // the newest ends in the top frame
void panic_drop(Goroutine *g);  // the newest
void panic_free_all(Goroutine *g);

// --- task.c -----------------------------------------------------------------
// No deferred call or try stopped the panic: the task's or program's end.
Next conc_panicked(Local *l, Goroutine *g);  // task.c

// --- panic.c ----------------------------------------------------------------
Value panic_as_error(Local *l, Value value);

// --- group.c ----------------------------------------------------------------
Next group_open(Local *l, Goroutine *g, Instr a, const Instr *end);  // GROUP
Next group_close(Local *l, Goroutine *g);                            // GROUPEND
// g, that is going to be started, can be cancelled alone; and with caller,
// which waits for it, or NULL. NULL: no memory.
ObjGroup *group_solo(Local *l, Goroutine *g, const Goroutine *caller,
                     ObjGroup *again);
// The newest panic leaves the top frame: GO_ON: there is no group in it; THROW:
// that has ended, look again.
Next group_unwind(Local *l, Goroutine *g);
void group_late(P *p, Timer *timer, int64_t now);  // fires Vm.late
// g ends with its panic, or that error. true: its group knows.
bool group_failed(Local *l, Goroutine *g);
bool group_failed_with(Local *l, Goroutine *g, Value error);
// A deferred call begins, at that offset; one may have ended.
void group_shield(Goroutine *g, ptrdiff_t window);
void group_unshield(Goroutine *g);
// Panics because g is cancelled.
void group_raise(Local *l, Goroutine *g);
// Before what blocks, or would: true: g is cancelled, and panics.
bool group_cancels_member(Local *l, Goroutine *g);
static inline __attribute__((always_inline)) bool group_cancels(Local *l,
                                                                Goroutine *g) {
  return __builtin_expect(g->g.group != NULL, 0) && group_cancels_member(l, g);
}

// --- limits.c ---------------------------------------------------------------
// Memory was not to be had at g->pc: true: a collection was made, so try again;
// false: that has been done, cannot be, or was done in vain too often. g is
// complete. Owner P.
bool memory_again(Local *l, Goroutine *g);
// Whether g panics because memory was not to be had.
bool memory_panicked(Local *l, const Goroutine *g);
// memory_again, and if so that panic is taken back.
bool memory_panic_again(Local *l, Goroutine *g);
// A panic with that value has ended; g's frames are saved, and it goes on. When
// memory was out, what the panicked frames held is collected.
void memory_settle(Local *l, Goroutine *g, Value panicked);
// Whether another goroutine may start. false: panicked. They are exact but for
// those that several Ps start at the same moment.
bool goroutine_room(Vm *vm);  // without a collection
bool goroutine_allowed_limited(Local *l, Goroutine *g);
static inline bool goroutine_allowed(Local *l, Goroutine *g) {
  return __builtin_expect(l->vm->goroutine_limit == 0, 1) ||
         goroutine_allowed_limited(l, g);
}
static inline void goroutine_count(Local *l, int64_t more) {
  if (__builtin_expect(l->vm->goroutine_limit != 0, 0))
    // RMW: a count of all Ps, compared with the limit; orders nothing
    rt_add(&l->vm->goroutines, (uint64_t)more);
}

// --- frames' own code (vm.c) ------------------------------------------------
// Fixed code that the interpreter's own frames run; in every Vm.
typedef struct VmCode {
  Proto *goexit;  // [CALLV 0 all][GOEXIT]
  Proto *try_;    // [TRYCALL][TRYRET]
  ObjClosure *goexit_closure, *try_closure;
  Instr panic_go[1];
  Instr return_nils[256];  // RETD 0 n
  Value concat;            // the prelude's _concat, or nil
  Value memory_error;      // what is panicked with when memory is out
  Value cancel_errors[CANCEL_REASONS];  // by CancelReason; [0]: nil
  PanicReserve reserve;
} VmCode;
static inline VmCode *vm_code(const Vm *vm) { return vm->code; }

// --- Hooks: what a runtime does when goroutines end --------------------------
// The interpreter knows neither how programs end nor where output goes: the
// runtime says so (Vm.hooks, set before anything runs). Owner P.
typedef struct VmHooks {
  // The run ends with this status. The goroutine is parked for ever.
  Next (*exit)(Local *l, Goroutine *g, int status);
  // An uncaught panic: prints once, ends the run with status 1.
  Next (*report_panic)(Local *l, Goroutine *g, const Panic *panic);
  // The same with what the others do; or, while the world is stopped already,
  // g comes to unwind again.
  Next (*report_panic_waiting)(Local *l, Goroutine *g, const Panic *panic);
  Next (*report_error)(Local *l, Goroutine *g, Value error);  // uncaught, too
  // Whether the program goes on when this goroutine ends badly; and then.
  bool (*goes_on)(const Vm *vm, const Goroutine *g);
  void (*report_and_go_on)(Vm *vm, const Panic *panic);
  void (*task_failed)(Vm *vm, ObjTask *task);  // nobody has awaited it yet
  // A task that is told (TASK_IS_TOLD) has its outcome.
  void (*task_ended)(Local *l, ObjTask *task);
  // Standard output: adds to what is to be written; writes it, and may block.
  void (*write)(Vm *vm, const char *data, size_t len);
  void (*flush)(Vm *vm);
} VmHooks;

#endif
