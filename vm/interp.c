// SPDX-License-Identifier: MIT
// The interpreter: every opcode's handler, once, in two dispatch forms.
//
// CSP_DISPATCH_TAIL=1: each handler is a function that ends in a tail call to
// the next (musttail, preserve_none: clang 19); pc, base, constants, the
// goroutine, the P's data and the safepoint counter travel in registers.
// Otherwise each is a label in one function, reached by computed goto (gcc).
//
// pc points behind the opcode's first word while a handler runs. Whatever may
// panic, park, collect or move the stack is preceded by SAVE(); slow paths
// answer with a Next (interp.h). Values of other goroutines' objects are
// loaded with heap_load and stored with heap_store; registers are our own.
//
// Never recurses: calls push frames on the goroutine's own stack (goroutine.h).
#include "vm/interp.h"

#ifndef CSP_DISPATCH_TAIL
#define CSP_DISPATCH_TAIL 0
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define A INSTR_A(i)
#define B INSTR_B(i)
#define C INSTR_C(i)

// --- Slow paths with a common shape -----------------------------------------
// The safepoint: looks at what the scheduler and the collector want.
static __attribute__((noinline)) Next safepoint(Local *l, Goroutine *g) {
  g->multi = 0;
  g->on_resume = RESUME_NOTHING;
  if (sched_look(l->p, &g->g)) {
    sched_preempt(l->p, &g->g);
    return LEFT;
  }
  if (UNLIKELY(heap_gc_wanted(l->vm->heap))) gc_collect(l->p, g);
  return RELOAD;
}

// Of a resumed goroutine. Goroutines that mostly wait may never count down, so
// a collection that is due begins at the next safepoint.
static int64_t first_count(const Vm *vm) {
  return UNLIKELY(heap_gc_wanted(vm->heap)) ? 1 : vm->safepoint_count;
}

// After the running goroutine left: the next one to run in place on this P,
// ready to be reloaded, or NULL.
static Goroutine *switch_to_next(Local *l) {
  for (;;) {
    G *next = sched_switch(l->p);
    if (next == NULL) return NULL;
    Goroutine *g = goroutine_of(next);
    if (LIKELY(g->on_resume == RESUME_NOTHING)) return g;
    Next how = interp_wake(l, g);
    if (LIKELY(how == GO_ON || how == RELOAD)) return g;
    if (how == RETURN) return NULL;
  }
}

Next interp_throw(Local *l, Goroutine *g) {
  Next how = THROW;
  while (how == THROW) how = panic_unwind(l, g);
  return how == GO_ON ? RELOAD : how;
}

Next interp_wake(Local *l, Goroutine *g) {
  int why = g->on_resume;
  g->on_resume = RESUME_NOTHING;
  Next how = GO_ON;
  switch (why) {
    case RESUME_RECV:
      how = conc_recv_resume(l, g, g->pc[-1]);
      break;
    case RESUME_SEND:
      if (g->g.wait.success) break;
      vm_panic(l, g, "send on closed channel");
      how = THROW;
      break;
    case RESUME_SELECT:
      how = conc_select_resume(l, g, g->pc[-1]);
      break;
    case RESUME_NEXT:
      iter_resume(l, g);
      break;
    case RESUME_CALL:
      how = call_native_done(l, g);
      break;
    case RESUME_NATIVE:
      how = conc_select_native_resume(l, g);
      break;
    default:
      break;
  }
  return how == THROW ? interp_throw(l, g) : how;
}

// clang-format off
// --- Dispatch ---------------------------------------------------------------
#if CSP_DISPATCH_TAIL

#define PARAMS                                                           \
  const Instr *pc, Value *base, Value *k, Goroutine *g, Local *l,        \
      int64_t count, Instr i
#define ARGS pc, base, k, g, l, count, i
#if __has_attribute(preserve_none)
#define HANDLER_CC __attribute__((preserve_none))
#else
#define HANDLER_CC
#endif
#define TAIL __attribute__((musttail)) return

typedef HANDLER_CC void (*Handler)(PARAMS);
static const Handler handlers[OP_COUNT];

#define HANDLER(op) static HANDLER_CC void do_##op(PARAMS)
#define NEXT()                         \
  do {                                 \
    i = rt_load_relaxed(pc);           \
    pc++;                              \
    TAIL handlers[INSTR_OP(i)](ARGS);  \
  } while (0)
#define JUMP_TO(name) TAIL name(ARGS)
#define SHARED(name) static HANDLER_CC void name(PARAMS)
#define INTERP_RETURN() return

#else

#define HANDLER(op) do_##op:
#define NEXT()                     \
  do {                             \
    i = rt_load_relaxed(pc);       \
    pc++;                          \
    goto *labels[INSTR_OP(i)];     \
  } while (0)
#define JUMP_TO(name) goto name
#define SHARED(name) name:
#define INTERP_RETURN() return

#endif

#define SAVE() (g->pc = pc, g->base = base)
#define RELOAD_FRAME()                              \
  (pc = g->pc, base = g->base, l = local_of(g->g.p), \
   k = frame_closure(base)->proto->constants)
// Goes on as a slow path said.
#define FOLLOW(expr)                              \
  do {                                            \
    Next follow = (expr);                         \
    if (LIKELY(follow == GO_ON)) NEXT();          \
    if (LIKELY(follow == RELOAD)) {               \
      RELOAD_FRAME();                             \
      NEXT();                                     \
    }                                             \
    if (follow == LEFT) JUMP_TO(switch_away);     \
    if (follow == THROW) JUMP_TO(throw_panic);    \
    INTERP_RETURN();                              \
  } while (0)
// A slow path that either works or panics.
#define TRY(expr)                                  \
  do {                                             \
    SAVE();                                        \
    if (UNLIKELY(!(expr))) JUMP_TO(throw_panic);   \
  } while (0)
// Counts a safepoint; the state is complete at the next instruction.
#define SAFEPOINT()                              \
  do {                                           \
    if (UNLIKELY(--count <= 0)) JUMP_TO(look);   \
  } while (0)

#if CSP_DISPATCH_TAIL

SHARED(look) {
  (void)i;
  (void)k;
  SAVE();
  count = l->vm->safepoint_count;
  Next follow = safepoint(l, g);
  if (follow == LEFT) {
    g = switch_to_next(l);
    if (g == NULL) INTERP_RETURN();
  }
  RELOAD_FRAME();
  NEXT();
}
SHARED(switch_away) {
  (void)i, (void)k, (void)base, (void)pc;
  g = switch_to_next(l);
  if (g == NULL) INTERP_RETURN();
  RELOAD_FRAME();
  NEXT();
}
SHARED(throw_panic) {
  (void)i, (void)k, (void)base, (void)pc;
  Next follow = interp_throw(l, g);
  if (follow == LEFT) JUMP_TO(switch_away);
  if (follow == RETURN) INTERP_RETURN();
  RELOAD_FRAME();
  NEXT();
}

#include "vm/handlers_slow.h"
#include "vm/handlers_arith.h"
#include "vm/handlers.h"

static const Handler handlers[OP_COUNT] = {
#define OP(name, words, format, meaning) [OP_##name] = do_##name,
#include "vm/opcodes.def"
#undef OP
};

void interp_resume(P *p, G *sg) {
  Local *l = local_of(p);
  Goroutine *g = goroutine_of(sg);
  if (g->on_resume != RESUME_NOTHING) {
    Next how = interp_wake(l, g);
    if (how == RETURN) return;
    if (how == LEFT) {
      g = switch_to_next(l);
      if (g == NULL) return;
    }
  }
  const Instr *pc;
  Value *base, *k;
  RELOAD_FRAME();
  int64_t count = first_count(l->vm);
  Instr i = rt_load_relaxed(pc);
  pc++;
  handlers[INSTR_OP(i)](ARGS);
}

#else

#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpedantic"
#endif

void interp_resume(P *p, G *sg) {
  static const void *const labels[OP_COUNT] = {
#define OP(name, words, format, meaning) [OP_##name] = &&do_##name,
#include "vm/opcodes.def"
#undef OP
  };
  Local *l = local_of(p);
  Goroutine *g = goroutine_of(sg);
  const Instr *pc;
  Value *base, *k;
  int64_t count = first_count(l->vm);
  Instr i = 0;
  if (g->on_resume != RESUME_NOTHING) {
    Next how = interp_wake(l, g);
    if (how == RETURN) return;
    if (how == LEFT) goto switch_away;
  }
  RELOAD_FRAME();
  NEXT();

look : {
  SAVE();
  count = l->vm->safepoint_count;
  if (safepoint(l, g) == LEFT) goto switch_away;
  RELOAD_FRAME();
  NEXT();
}
switch_away : {
  g = switch_to_next(l);
  if (g == NULL) return;
  RELOAD_FRAME();
  NEXT();
}
throw_panic : {
  Next follow = interp_throw(l, g);
  if (follow == LEFT) goto switch_away;
  if (follow == RETURN) return;
  RELOAD_FRAME();
  NEXT();
}

#include "vm/handlers_slow.h"
#include "vm/handlers_arith.h"
#include "vm/handlers.h"
}

#endif
