// SPDX-License-Identifier: MIT
// The interpreter: every opcode's handler, once, in two dispatch forms.
//
// With CSP_DISPATCH_TAIL=1, each handler is a function that ends in a tail call
// to the next (musttail and preserve_none of clang 19). Then pc, base,
// constants, the goroutine, the P's data and the safepoint counter travel in
// registers. The table of handlers is in the P's data, so one load finds the
// next. Otherwise each is a label in one function, reached by computed goto
// (gcc). If the build does not say which, it depends on whether the compiler
// has musttail.
//
// pc points after the opcode's first word while a handler runs. A handler calls
// SAVE() before anything that may panic, park, collect or move the stack. A
// slow path answers with a Next (interp.h). Registers belong to the goroutine
// that runs. All other values may be changed by other goroutines at the same
// time, so they are loaded with heap_load and stored with heap_store.
//
// The safepoint counter is at least 1 whenever a handler begins. When it is
// counted down to 0, the handler goes to `look`, which sets it anew. Charged
// work lowers it to 1 at most.
//
// The interpreter never recurses on the C stack. A call of the language pushes
// a frame on the goroutine's own stack (goroutine.h).
#include "vm/interp/interp.h"
#include "vm/code/operands.h"
#include "vm/heap/collect.h"
#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/access.h"
#include "vm/interp/again.h"
#include "vm/interp/arith.h"
#include "vm/interp/call.h"
#include "vm/interp/call_native.h"
#include "vm/interp/channels.h"
#include "vm/interp/concat.h"
#include "vm/interp/give_up.h"
#include "vm/interp/group_block.h"
#include "vm/interp/iter.h"
#include "vm/interp/limits.h"
#include "vm/interp/lock_wait.h"
#include "vm/interp/panic.h"
#include "vm/interp/places.h"
#include "vm/interp/select_cases.h"
#include "vm/interp/stack.h"
#include "vm/interp/task.h"
#include "vm/interp/tuples.h"
#include "vm/object/box.h"
#include "vm/object/error.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/range.h"
#include "vm/object/value_text.h"

#ifndef CSP_DISPATCH_TAIL
#define CSP_DISPATCH_TAIL __has_attribute(musttail)
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define A INSTR_A(i)
#define B INSTR_B(i)
#define C INSTR_C(i)

// Where the element stands. NULL: x is no list, has no such one, or is a queue
// (value_ring.c). *next: the one after it, or NULL.
static inline __attribute__((always_inline)) Value *list_slot(
    Value x, Value at, const Value **next) {
  if (UNLIKELY(!value_is_type(x, OBJ_LIST) || !value_is_small(at))) return NULL;
  ObjValues *block = list_block((ObjList *)value_obj(x));
  size_t len = values_plain_len(block);
  size_t n = at >> 2;  // a negative one is a large one here
  if (UNLIKELY(n >= len)) return NULL;
  if (next != NULL) *next = n + 1 < len ? &block->slots[n + 1] : NULL;
  return &block->slots[n];
}

// --- Slow paths with a common shape -----------------------------------------
// The safepoint: looks at what the scheduler and the collector want.
static __attribute__((noinline)) Next safepoint(Local *local, Goroutine *g) {
  g->multi = 0;
  g->on_resume = RESUME_NOTHING;
  g->retried = 0;
  RT_ASSERT(local->p->current == &g->g && goroutine_is_valid(g));
  if (local->overdue) {
    sched_clock_soon(local->p);
    local->overdue = false;
  }
  work_looked();
  bool leaves = sched_look(local->p, &g->g);
  g->gave_up = false;  // a post's work was not this goroutine's
  if (leaves) {
    sched_preempt(local->p, &g->g);
    return LEFT;
  }
  if (UNLIKELY(sched_cpus_changed(local->vm->sched))) {
    P *p = sched_follow_cpus(local->p, &g->g);
    if (p == NULL) return RETURN;
    local = local_of(p);
  }
  if (UNLIKELY(heap_gc_wanted(local->vm->heap))) gc_collect(local->p, g);
  work_forget();
  g->pc++;  // a stop is told of at the instruction that would come next
  if (UNLIKELY(work_interrupted(local, g) || group_stops(local, g)))
    return THROW;
  g->pc--;
  return RELOAD;
}

// Of a resumed goroutine. Goroutines that mostly wait may never count down, so
// a collection that is due begins at the next safepoint, and an interrupt comes
// there, too.
static int64_t first_count(const Vm *vm) {
  // relaxed: a hint, stored in vm_interrupt. work_interrupted decides
  bool soon = heap_gc_wanted(vm->heap) || rt_load_relaxed(&vm->interrupt) != 0;
  return UNLIKELY(soon) ? 1 : vm->safepoint_count;
}

// Work that natives and slow paths have charged counts for the next look, which
// comes at a safepoint.
enum { LASTING = 1 << 10 };  // units of an opcode that may be a safepoint
static inline int64_t charged(Local *local, int64_t count) {
  count -= 1 + (local->debt >> WORK_SHIFT);
  local->debt = 0;
  if (LIKELY(count > 0)) return count;
  local->overdue = true;
  return 1;
}

// After the running goroutine left: the next one to run in place on this P,
// ready to be reloaded, or NULL.
static Goroutine *switch_to_next(Local *local) {
  for (;;) {
    G *next = sched_switch(local->p);
    if (next == NULL) return NULL;
    if (UNLIKELY(next->resume != interp_resume)) {  // it stays on its thread
      next->resume(local->p, next);
      return NULL;
    }
    Goroutine *g = goroutine_of(next);
    RT_ASSERT(local->p->current == next && goroutine_is_valid(g));
    if (LIKELY(g->on_resume == RESUME_NOTHING)) return g;
    Next how = interp_wake(local, g);
    if (LIKELY(how == GO_ON || how == RELOAD)) return g;
    if (how == RETURN) return NULL;
  }
}

Next interp_throw(Local *local, Goroutine *g) {
  RT_ASSERT(g->gave_up || g->panic != NULL);
  Next how = THROW;
  while (how == THROW) {
    // or the arguments of a deferred call are, while the panic unwinds
    if (UNLIKELY(g->gave_up)) return work_leave(local, g);
    how = panic_unwind(local, g);
  }
  return how == GO_ON ? RELOAD : how;
}

// Whether the closure that CLOSURE makes takes that register.
static bool captures(const Goroutine *g, Instr i, Instr a) {
  const Value *constants = frame_closure(g->base)->proto->constants;
  const Proto *proto = (Proto *)(uintptr_t)operand_constant(
      g->base, constants, i, KIND('p'), INSTR_BX(i));
  for (int n = 0; n < proto->nupvalues; n++)
    if (proto->upvalues[n].local && proto->upvalues[n].index == a) return true;
  return false;
}

// Whether the instruction uses register a, as an operand that it reads or
// beside its operands.
static bool reads_register(const Goroutine *g, Instr i, Instr a) {
  uint32_t first, count = op_range(i, &first);
  if (a >= first && a < first + count) return true;
  uint32_t extra = 0;
  for (const char *kind = op_kinds(INSTR_OP(i)); *kind != '\0'; kind++) {
    if (op_kind_is_extra(*kind)) extra++;
    if (*kind == 'b' && a == INSTR_B(i)) return true;
    if (*kind == 'c' && a == INSTR_C(i)) return true;
    if (*kind == 'R' && a == g->pc[extra - 1]) return true;
    if (*kind == 'p' && captures(g, i, a)) return true;
  }
  return false;
}

// Where the result of the instruction will stand there may be what it gave when
// it last ran, in a loop: nobody reads that any more.
static void forget_last_result(const Goroutine *g, Instr i) {
  Instr a = INSTR_A(i);
  if ((op_traits(INSTR_OP(i)) & FRESH_RESULT) && !reads_register(g, i, a))
    *operand_a(g->base, i) = VALUE_NIL;
}

// Whether the instruction begins again, as memory may be had now.
static __attribute__((noinline)) bool begins_again(Local *local, Goroutine *g) {
  if (!memory_panicked(local, g)) return false;
  RT_ASSERT(op_traits(INSTR_OP(g->pc[-1])) & MAY_REPEAT);
  forget_last_result(g, g->pc[-1]);
  if (!memory_panic_again(local, g)) return false;
  g->pc--;
  return true;
}

static bool woken_by_cancel(Local *local, Goroutine *g) {
  if (!g->g.cancelled) return false;
  group_raise(local, g);
  return true;
}

Next interp_wake(Local *local, Goroutine *g) {
  RT_ASSERT(goroutine_is_valid(g));
  int why = g->on_resume;
  g->on_resume = RESUME_NOTHING;
  Next how = GO_ON;
  switch (why) {
    case RESUME_RECV:
      if (UNLIKELY(!g->g.wait.success) && woken_by_cancel(local, g)) {
        how = THROW;
      } else {
        how = channel_recv_resume(local, g, g->pc[-1]);
      }
      break;
    case RESUME_SEND:
      if (LIKELY(g->g.wait.success)) break;
      if (!woken_by_cancel(local, g))
        vm_panic(local, g, "send on closed channel");
      how = THROW;
      break;
    case RESUME_SELECT:
      how = select_resume(local, g, g->pc[-1]);
      break;
    case RESUME_NEXT:
      if (UNLIKELY(!g->g.wait.success) && woken_by_cancel(local, g)) {
        how = THROW;
      } else {
        iter_resume(local, g);
      }
      break;
    case RESUME_ENTER:
      how = lock_resume(local, g);
      break;
    case RESUME_SLEEP:
      if (woken_by_cancel(local, g)) how = THROW;
      break;
    case RESUME_CALL:
      how = call_native_done(local, g);
      break;
    case RESUME_NATIVE:
      how = select_native_resume(local, g);
      break;
    case RESUME_GROUP:
      how = group_close(local, g);
      break;
    case RESUME_AGAIN:
      how = again_resume(local, g);
      break;
    case RESUME_GAVE_UP:
      how = work_resume(local, g);
      break;
    case RESUME_UNWIND:
      how = THROW;
      break;
    case RESUME_NOTHING:
      break;
    default:
      rt_throw("a goroutine is resumed to do the unknown %d", why);
  }
  return how == THROW ? interp_throw(local, g) : how;
}

// clang-format off
// --- Dispatch ---------------------------------------------------------------
#if CSP_DISPATCH_TAIL

#define PARAMS                                                       \
  const Instr *pc, Value *base, Value *constants, Goroutine *g,      \
      Local *local, int64_t count, Instr i
#define ARGS pc, base, constants, g, local, count, i
#if __has_attribute(preserve_none)
#define HANDLER_CC __attribute__((preserve_none))
#else
#define HANDLER_CC
#endif
#define TAIL __attribute__((musttail)) return

typedef HANDLER_CC void (*Handler)(PARAMS);

#define HANDLER(op) static HANDLER_CC void do_##op(PARAMS)
#define DISPATCH() TAIL((Handler)local->handlers[INSTR_OP(i)])(ARGS)
#define JUMP_TO(name) TAIL name(ARGS)
#define SHARED(name) static HANDLER_CC void name(PARAMS)
#define SHARED_BELOW(name) SHARED(name);
#define INTERP_RETURN() return

#else

#define HANDLER(op) do_##op:
#define DISPATCH() goto *labels[INSTR_OP(i)]
#define JUMP_TO(name) goto name
#define SHARED(name) name:
#define SHARED_BELOW(name)
#define INTERP_RETURN() return

#endif

// relaxed: a word that a handler specialises (SPECIALISE) is one of two that do
// the same
#define NEXT()                  \
  do {                          \
    i = rt_load_relaxed(pc);    \
    pc++;                       \
    DISPATCH();                 \
  } while (0)
// Counts a safepoint, and goes on. The count is never below 1, so this is one
// machine instruction and a jump. The load goes first: what it finds is waited
// for, the count is not.
// relaxed: as in NEXT
#define SAFEPOINT_NEXT()        \
  do {                          \
    i = rt_load_relaxed(pc);    \
    if (UNLIKELY(--count == 0)) \
      JUMP_TO(look);            \
    pc++;                       \
    DISPATCH();                 \
  } while (0)

#define SAVE() (g->pc = pc, g->base = base)
#define RELOAD_FRAME()                              \
  (pc = g->pc, base = g->base, local = local_of(g->g.p), \
   constants = frame_closure(base)->proto->constants)
// Goes on as a slow path said.
#define FOLLOW(expr)                              \
  do {                                            \
    Next follow = (expr);                         \
    if (LIKELY(follow == GO_ON)) NEXT();          \
    if (LIKELY(follow == RELOAD)) {               \
      RELOAD_FRAME();                             \
      NEXT();                                     \
    }                                             \
    if (follow == LEFT) {                         \
      RT_ASSERT(op_traits(INSTR_OP(i)) & MAY_PARK); \
      JUMP_TO(switch_away);                       \
    }                                             \
    if (follow == THROW) JUMP_TO(throw_panic);    \
    INTERP_RETURN();                              \
  } while (0)
// After RELOAD_FRAME. A function that was entered begins with a safepoint.
#define GO_ON_IN_FRAME()                                          \
  do {                                                            \
    if (pc == frame_closure(base)->proto->code) SAFEPOINT_NEXT(); \
    NEXT();                                                       \
  } while (0)
// The same as FOLLOW for what may enter a function.
#define FOLLOW_CALL(expr)         \
  do {                            \
    Next entered = (expr);        \
    if (LIKELY(entered == RELOAD)) { \
      RELOAD_FRAME();             \
      GO_ON_IN_FRAME();           \
    }                             \
    FOLLOW(entered);              \
  } while (0)
// These call a slow path that either works or panics. TRY is for one that has
// changed nothing where it finds no memory, and is called again after a
// collection. One that has done a part of its work (Local.part_done) is called
// again after a look.
#define TRY(expr)                                  \
  do {                                             \
    SAVE();                                        \
    if (UNLIKELY(!(expr))) JUMP_TO(throw_or_again); \
  } while (0)
#define TRY_ONCE(expr)                             \
  do {                                             \
    SAVE();                                        \
    if (UNLIKELY(!(expr))) JUMP_TO(throw_panic);   \
  } while (0)

#if CSP_DISPATCH_TAIL

#include "vm/interp/handlers_slow.h"
#include "vm/interp/handlers_arith.h"
#include "vm/interp/handlers.h"

void interp_init(Local *local) {
#define OP(name, ...) local->handlers[OP_##name] = (void (*)(void))do_##name;
#include "vm/code/opcodes.def"
#undef OP
}

void interp_resume(P *p, G *sg) {
  Local *local = local_of(p);
  Goroutine *g = goroutine_of(sg);
  work_looked();  // at the latest after 61 turns in place: sched_switch
  if (g->on_resume != RESUME_NOTHING) {
    Next how = interp_wake(local, g);
    if (how == RETURN) return;
    if (how == LEFT) {
      g = switch_to_next(local);
      if (g == NULL) return;
    }
  }
  const Instr *pc;
  Value *base, *constants;
  RELOAD_FRAME();
  int64_t count = first_count(local->vm);
  // relaxed: as in NEXT
  Instr i = rt_load_relaxed(pc);
  pc++;
  ((Handler)local->handlers[INSTR_OP(i)])(ARGS);
}

#else

#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpedantic"
#endif

// The labels are known to one function.
void interp_init(Local *local) { (void)local; }

void interp_resume(P *p, G *sg) {
  static const void *const labels[OP_COUNT] = {
#define OP(name, ...) [OP_##name] = &&do_##name,
#include "vm/code/opcodes.def"
#undef OP
  };
  Local *local = local_of(p);
  Goroutine *g = goroutine_of(sg);
  work_looked();  // at the latest after 61 turns in place: sched_switch
  const Instr *pc;
  Value *base, *constants;
  int64_t count = first_count(local->vm);
  Instr i = 0;
  if (g->on_resume != RESUME_NOTHING) {
    Next how = interp_wake(local, g);
    if (how == RETURN) return;
    if (how == LEFT) goto switch_away;
  }
  RELOAD_FRAME();
  NEXT();

#include "vm/interp/handlers_slow.h"
#include "vm/interp/handlers_arith.h"
#include "vm/interp/handlers.h"
}

#endif
