// SPDX-License-Identifier: MIT
// Group blocks, between the opcodes and sched/group.c: their ends, failures,
// and the panics by which goroutines learn that they are cancelled.
//
// A group is open from GROUP to GROUPEND or GROUPRET, which the compiler puts
// on every way out of the block, or until a panic unwinds its frame. It ends
// when all its members have. Then the block
//   goes on with a panic   of the first that failed, or `deadline exceeded`
//   goes on after its end if g.cancel() ended it
//   as if it had not been  otherwise
// unless what lies around it is cancelled, too. In that case it goes on with
// that.
//
// Where its value is wanted, an error that a member returned, and the deadline,
// are no panic but that value. A panic stays one: it takes the place of an
// error that came before. So it does on the ways that leave the block by
// `return`, `?`, `break` and `continue`, as nobody would see a value there.
//
// A cancellation is a panic that `try` lets pass (Panic.cancels), raised where
// the goroutine blocks, or would. Deferred calls run shielded. shield_at is the
// offset of the outermost of them since the innermost group began, or 0 if
// there is none.
#include "vm/interp/group_block.h"

#include <stdlib.h>

#include "vm/code/operands.h"
#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/drop.h"
#include "vm/interp/interp.h"
#include "vm/interp/limits.h"
#include "vm/interp/panic.h"
#include "vm/interp/stack.h"
#include "vm/object/compare.h"
#include "vm/object/error.h"

static ObjGroup *open_group(const Goroutine *g) {
  Group *group = g->g.group;
  return group == NULL ? NULL : obj_group(group);
}

// The group that the top frame of g has opened last. NULL: none.
static ObjGroup *group_of_frame(const Goroutine *g) {
  ObjGroup *group = open_group(g);
  if (group == NULL || group->group.owner != &g->g) return NULL;
  return group->frame == g->base - g->stack ? group : NULL;
}

// --- Shields ----------------------------------------------------------------
void group_shield(Goroutine *g, ptrdiff_t window) {
  if (g->shield_at != 0) return;
  RT_ASSERT(window > 0 && !g->g.shielded);
  g->shield_at = (uint32_t)window;
  rt_store_relaxed(&g->g.shielded, (uint8_t)1);  // relaxed: g's own
}

void group_unshield(Goroutine *g) {
  if (g->shield_at == 0 || g->base - g->stack >= (ptrdiff_t)g->shield_at)
    return;
  g->shield_at = 0;
  rt_store_relaxed(&g->g.shielded, (uint8_t)0);  // relaxed: g's own
}

// --- Cancellation -----------------------------------------------------------
// g, which a group belongs to or which belongs to it, learns that the group is
// cancelled. What is around that learns it when the group ends (closed).
static void mark_told(const Goroutine *g) {
  Group *group = g->g.group;
  // relaxed: whoever looks takes the lock after a member has left with it
  if (group != NULL && !group->solo)
    rt_store_relaxed(&obj_group(group)->told, (uint8_t)1);
}

void group_raise(Local *local, Goroutine *g) {
  uint64_t id = g->g.id;
  // RMW: an interrupt for another goroutine, by vm_interrupt, stays.
  rt_cas(&local->vm->interrupt, &id, (uint64_t)0);  // that is done with this
  g->g.cancelled = g->gave_up = false;
  g->on_resume = RESUME_NOTHING;
  RT_ASSERT(goroutine_is_valid(g));
  mark_told(g);
  vm_panic_value(local, g,
                 vm_code(local->vm)->cancel_errors[g_cancelled(&g->g)]);
  g->panic->cancels = true;
  g->panic->told_at = rt_now();
}

bool group_cancels_member(Local *local, Goroutine *g) {
  if (g_cancelled(&g->g) == NOT_CANCELLED) return false;
  group_raise(local, g);
  return true;
}

bool group_stops_member(Local *local, Goroutine *g) {
  const Panic *panic = g->panic;
  int64_t told = panic != NULL && panic->cancels ? panic->told_at : 0;
  if (!group_is_late(&g->g, told)) return false;
  group_raise(local, g);
  return true;
}

// An error that only says that its goroutine was cancelled.
static bool is_cancellation(const VmCode *code, Value error) {
  for (int depth = 0; depth < CAUSES_SHOWN; depth++) {
    if (!value_is_error(error)) return false;
    for (int n = CANCELLED; n < CANCEL_REASONS; n++)
      if (value_equal(error, code->cancel_errors[n])) return true;
    error = error_cause(error);
  }
  return false;
}

// --- Failing ----------------------------------------------------------------
// `failure` is the group's value, if that is wanted.
static bool fails_with_value(const ObjGroup *group) {
  return group->valued && group->returned;
}

// What deferred calls gave goes along when the group panics (move_also) or
// gives an error. also: a list, or nil.
static void keep_also(Local *local, ObjGroup *group, Value also) {
  while (also != VALUE_NIL) {
    rt_lock(&group->group.lock);
    Value others = heap_load(&group->also);
    bool alone = others == VALUE_NIL;
    heap_store(&local->heap, &group->also, alone ? also : VALUE_NIL);
    rt_unlock(&group->group.lock);
    if (alone) return;
    also = drop_join(local, others, also);
  }
}

// A failure that is not the group's goes along with the group's panic.
static void keep_lost(Local *local, ObjGroup *group, Value lost) {
  bool tells = lost != VALUE_NIL && !is_cancellation(vm_code(local->vm), lost);
  if (tells) keep_also(local, group, drop_list(local, lost));
  keep_also(local, group, error_also(lost));
}

// The first failure is kept, but for a value. Of another what it carries is,
// and itself where the group panics.
// trace: is the group's, or freed. true: this one is kept.
static bool fail_group(Local *local, ObjGroup *group, Value value, Trace *trace,
                       bool returned) {
  Trace *other = trace;
  rt_lock(&group->group.lock);
  bool first = !group->failed || (fails_with_value(group) && !returned);
  Value lost = !first ? value : group->failed ? group->failure : VALUE_NIL;
  // (An error that several members give has it already.)
  if (lost == (first ? value : group->failure)) lost = VALUE_NIL;
  bool panics = !group->valued || !(first ? returned : group->returned);
  if (first) {
    if (!group->failed) heap_finalizable(&group->obj);
    group->failed = true;
    group->returned = returned;
    heap_store(&local->heap, &group->failure, value);
    other = group->trace;
    group->trace = trace;
  }
  rt_unlock(&group->group.lock);
  trace_drop(other);
  if (panics)
    keep_lost(local, group, lost);
  else
    keep_also(local, group, error_also(lost));
  group_cancel(local->p, &group->group, CANCELLED);
  charge_woken(local);
  // It is to be reported, whatever the others do: see group_close.
  Goroutine *main = local->vm->main;
  if (first && main != NULL && group->group.owner == &main->g)
    group_wake_owner(local->p, &group->group);
  return first;
}

// With a panic: whoever waits for the members need not.
static bool group_has_failed(ObjGroup *group) {
  rt_lock(&group->group.lock);
  bool failed = group->failed && !fails_with_value(group);
  rt_unlock(&group->group.lock);
  return failed;
}

// Does the panic only say that g is cancelled? So does the same error raised
// again by a deferred call, and that of a task that g waited for.
static bool only_cancels(const Local *local, const Goroutine *g,
                         const Panic *panic) {
  return panic->cancels || (g_cancelled(&g->g) &&
                            is_cancellation(vm_code(local->vm), panic->value));
}

// With which panic do the frames of g from offset `frame` on fail? NULL: they
// are only cancelled. A deferred call that is cancelled, when the time of grace
// is over, leaves the panic by which it runs.
static Panic *failed_with(const Local *local, const Goroutine *g,
                          ptrdiff_t frame) {
  Panic *panic = g->panic;
  RT_ASSERT(panic != NULL);
  while (panic->recovered || only_cancels(local, g, panic)) {
    panic = panic->link;
    if (panic == NULL || panic->frame < frame) return NULL;
  }
  return panic;
}

bool group_only_cancelled(const Local *local, const Goroutine *g) {
  return failed_with(local, g, 0) == NULL;
}

static Trace *take_trace(Panic *panic) {
  Trace *trace = panic->trace;
  panic->trace = NULL;
  return trace;
}

// A cancellation that a newer panic has overtaken, in the frames of g from
// offset `frame` on, says nothing but what it carries: that goes along with
// `to`, another panic of g, and the record goes.
static void carry_of_older(Local *local, Goroutine *g, Panic *to,
                           ptrdiff_t frame) {
  Panic *newest = g->panic, *next;
  for (Panic *panic = newest; panic != NULL; panic = next) {
    next = panic->link;
    if (panic != newest && panic->frame >= 0 && panic->frame < frame) return;
    if (panic == to || !panic->cancels || panic->recovered) continue;
    Value also = panic->also;
    heap_store(&local->heap, &panic->also, VALUE_NIL);
    drop_carry_more(local, g, to, also);
    if (g->panic != newest) return;  // no memory
    if (panic != newest) panic_forget(g, panic);
  }
}

// A host's call that is interrupted. The host is told that, and of the panics
// before it (give_failure).
static bool is_interrupted_call(const Goroutine *g, const ObjGroup *group) {
  return group->group.solo && g_cancelled(&g->g) == CANCEL_INTERRUPT;
}

bool group_failed(Local *local, Goroutine *g) {
  ObjGroup *group = open_group(g);
  if (group == NULL || g->describing || is_interrupted_call(g, group))
    return false;
  Panic *failed = failed_with(local, g, 0);
  Panic *panic = failed != NULL ? failed : g->panic;
  carry_of_older(local, g, panic, 0);
  if (group->group.solo) {  // nobody else tells of it
    while (g->panic != panic) panic_drop(g);
    return false;
  }
  if (failed != NULL)
    fail_group(local, group, failed->value, take_trace(failed), false);
  keep_also(local, group, panic->also);
  return true;
}

bool group_failed_with(Local *local, Goroutine *g, Value error) {
  ObjGroup *group = open_group(g);
  if (group == NULL || group->group.solo) return false;
  bool late = g_cancelled(&g->g) && is_cancellation(vm_code(local->vm), error);
  if (late)
    keep_also(local, group, error_also(error));
  else
    fail_group(local, group, error, trace_capture(local->vm->memory, g), true);
  return true;
}

// --- Opcodes ----------------------------------------------------------------
static ObjGroup *group_new(Local *local) {
  ObjGroup *group =
      (ObjGroup *)heap_alloc(&local->heap, sizeof *group, OBJ_GROUP);
  if (group == NULL) return NULL;
  memset((char *)group + sizeof(Obj), 0, sizeof *group - sizeof(Obj));
  group->failure = group->also = VALUE_NIL;
  return group;
}

ObjGroup *group_reserve(Local *local) {
  ObjGroup *group = group_new(local);
  if (group == NULL) return NULL;
  group->frame = -1;  // of none
  group->group.ended = true;
  return group;
}

ObjGroup *group_solo(Local *local, Goroutine *g, const Goroutine *caller,
                     ObjGroup *again) {
  ObjGroup *group = again != NULL ? again : group_new(local);
  if (group == NULL) return NULL;
  if (caller != NULL && caller->g.group != NULL) {
    group_join(local->p, caller->g.group, &g->g);
    // relaxed, both: g has not started, and the caller waits. In g_cancelled
    // it is a guess to other threads
    rt_store_relaxed(&g->g.shielded, rt_load_relaxed(&caller->g.shielded));
  }
  group->frame = -1;  // of none
  group_begin_solo(local->p, &g->g, &group->group);
  return group;
}

Next group_open(Local *local, Goroutine *g, Instr i, const Instr *end) {
  ObjGroup *group = group_new(local);
  if (group == NULL && memory_again(local, g)) group = group_new(local);
  if (group == NULL) {
    vm_panic_memory(local, g);
    return THROW;
  }
  group->frame = g->base - g->stack;
  group->end = end;
  group->begun_in = frame_closure(g->base)->proto;
  group->begun_pc = g->pc - 1;
  group->shield_at = g->shield_at;
  group->valued = INSTR_B(i) != 0;
  if (group->valued) group->value = (uint8_t)(INSTR_A(i) - 1);
  group_begin(local->p, &g->g, &group->group);
  RT_ASSERT(group_of_frame(g) == group);
  g->shield_at = 0;
  *operand_a(g->base, i) = value_from_obj(group);
  return GO_ON;
}

// All members have ended: what is around the group is g's again.
static ObjGroup *closed(Goroutine *g, ObjGroup *group) {
  RT_ASSERT(group->group.ended && open_group(g) != group);
  g->shield_at = group->shield_at;
  const Group *around = g->g.group;
  // relaxed: all members, which store it in mark_told, have left
  bool told = rt_load_relaxed(&group->told) && around != NULL;
  // seq: as in g_cancelled
  if (told && rt_load_seq(&around->cancelled) != NOT_CANCELLED) mark_told(g);
  return group;
}

// What it was may have passed a try.
static void panic_no_more_cancels(Panic *panic) {
  panic->cancels = false;
  panic->report_at = 0;
}

// What the panic carries is lost.
static void panic_with_failure(Local *local, Panic *panic, ObjGroup *group) {
  RT_ASSERT(group->failed);
  trace_drop(panic->trace);
  panic->trace = group->trace;
  group->trace = NULL;
  panic->value = group->failure;
  heap_store(&local->heap, &panic->also, VALUE_NIL);
  drop_take_apart(local, panic);
  if (panic->cancels) panic_no_more_cancels(panic);
  panic->described = DESCRIBE_NOT_YET;
}

static void panic_with_deadline(Vm *vm, Panic *panic) {
  panic->value = vm_code(vm)->cancel_errors[CANCEL_DEADLINE];
  panic_no_more_cancels(panic);
}

// The newest panic, or its error, carries what is in the list *from, or nil.
static void move_also(Local *local, Goroutine *g, Value *from) {
  Value also = heap_load(from);
  heap_store(&local->heap, from, VALUE_NIL);
  drop_carry_more(local, g, g->panic, also);
}

// The block's panic takes the place of the error with which its body leaves the
// function. It carries that, if that tells more than that g is cancelled.
static void carry_returned(Local *local, Goroutine *g) {
  Value last = drop_returned(g);
  if (value_is_error(last) && !is_cancellation(vm_code(local->vm), last))
    drop_carry(local, g, last);
}

static CancelReason reason_of(ObjGroup *group) {
  // seq: pairs with the CAS in set_flag, as in cancel.c
  return (CancelReason)rt_load_seq(&group->group.cancelled);
}

// Whether the group that has ended gives a value, not a panic, where it can.
static bool has_group_value(const ObjGroup *group) {
  return group->valued && (!group->failed || group->returned);
}

// Its frame is g's top one. also: what its body's deferred calls gave, or nil.
// false: panicked.
static bool give_group_value(Local *local, Goroutine *g, ObjGroup *group,
                             Value also) {
  bool late = !group->failed && reason_of(group) == CANCEL_DEADLINE;
  Value *v = &g->base[group->value];
  *v = late ? vm_code(local->vm)->cancel_errors[CANCEL_DEADLINE]
            : group->failure;
  if (*v == VALUE_NIL) return true;  // g.cancel() drops what they gave
  Value all = drop_join(local, heap_load(&group->also), also);
  return drop_carry_in(local, g, v, all);
}

Next group_close(Local *local, Goroutine *g) {
  ObjGroup *group = open_group(g);
  RT_ASSERT(group != NULL && group_of_frame(g) == group);
  bool wanted = INSTR_OP(g->pc[-1]) == OP_GROUPEND && INSTR_B(g->pc[-1]) != 0;
  // The main goroutine waits for the others as one that panics (below), so that
  // it is reported when they do not end.
  bool at_once = g == local->vm->main && group_has_failed(group);
  g->gave_up = false;
  g->on_resume = RESUME_GROUP;
  RT_ASSERT(goroutine_is_valid(g));
  if (!at_once && !group_end(local->p, &g->g)) return LEFT;
  g->on_resume = RESUME_NOTHING;
  if (!at_once) closed(g, group);
  bool around = g_cancelled(&g->g) != NOT_CANCELLED;
  if (wanted && (group->failed || !around) && has_group_value(group))
    return give_group_value(local, g, group, VALUE_NIL) ? GO_ON : THROW;
  if (group->failed) {
    vm_panic_value(local, g, group->failure);
    panic_with_failure(local, g->panic, group);
    group->raised = true;
  } else if (around) {
    group_raise(local, g);
  } else if (reason_of(group) == CANCEL_DEADLINE) {
    vm_panic_value(local, g,
                   vm_code(local->vm)->cancel_errors[CANCEL_DEADLINE]);
  } else {
    return GO_ON;
  }
  carry_returned(local, g);
  move_also(local, g, &group->also);
  return THROW;
}

// --- Unwinding --------------------------------------------------------------
#define NEVER INT64_MAX

// Fires Vm.late.
static void group_late(P *p, Timer *timer, int64_t now) {
  (void)now;
  group_wake_owner(p, timer->arg);
}

// Will nothing catch the panic on its way out?
static bool is_uncaught(const Goroutine *g) {
  for (const Value *base = g->base; base > g->stack + FRAME_WORDS;
       base -= base[-2] >> 10) {
    if (frame_closure(base)->proto->flags & PROTO_TRY) return false;
  }
  return true;
}

// false: g waits. Or it is the main goroutine, and the time is over.
static bool end_unwinding(Local *local, Goroutine *g, ObjGroup *group,
                          bool *late) {
  Vm *vm = local->vm;
  Panic *panic = g->panic;
  *late = false;
  if (g != vm->main || panic->cancels) return group_end(local->p, &g->g);
  int64_t now = rt_now();
  if (panic->report_at == 0)
    panic->report_at = is_uncaught(g) ? now + local->vm->panic_wait_ns : NEVER;
  if (panic->report_at == NEVER) return group_end(local->p, &g->g);
  timer_stop(local->p, &vm->late);
  *late = now >= panic->report_at;
  if (*late) return false;
  vm->late.fire = group_late;
  vm->late.arg = &group->group;
  timer_start(local->p, &vm->late, panic->report_at, 0);
  if (!group_end(local->p, &g->g)) return false;
  timer_stop(local->p, &vm->late);
  return true;
}

static Next report_late(Local *local, Goroutine *g) {
  Next next;
  if (panic_describe(local, g, &next)) return next;
  return local->vm->hooks->report_panic_waiting(local, g, g->panic);
}

// The panic is over: g goes on after the block, or with another one.
static Next go_on_after(Local *local, Goroutine *g, ObjGroup *group,
                        bool with_value) {
  Value also = g->panic->also;
  panic_end(g);
  if (with_value && !give_group_value(local, g, group, also)) return GO_ON;
  g->pc = group->end;
  return RELOAD;
}

// The failure that the newest panic has taken over was an older one of g, in
// the frames from offset `frame` on: it is told once.
static void forget_failed(Goroutine *g, ptrdiff_t frame) {
  for (Panic *panic = g->panic->link;
       panic != NULL && (panic->frame < 0 || panic->frame >= frame);
       panic = panic->link)
    if (panic->value == g->panic->value && !panic->recovered) {
      panic_forget(g, panic);
      return;
    }
}

// What the panic is after the group that it leaves.
static Next left(Local *local, Goroutine *g, ObjGroup *group) {
  Panic *panic = g->panic;
  RT_ASSERT(panic != NULL && group->left);
  bool goes_on = panic->cancels && (group->failed || !g_cancelled(&g->g));
  carry_of_older(local, g, panic, group->frame);
  if (goes_on && has_group_value(group))
    return go_on_after(local, g, group, true);
  bool other = panic->cancels || group->failure != panic->value;
  if (group->failed && !group->raised && other) {
    Value also = panic->also;
    panic_with_failure(local, panic, group);
    forget_failed(g, group->frame);
    drop_carry_more(local, g, panic, also);
  } else if (panic->cancels && !g_cancelled(&g->g)) {
    if (reason_of(group) != CANCEL_DEADLINE)
      return go_on_after(local, g, group, false);
    panic_with_deadline(local->vm, panic);
  }
  move_also(local, g, &group->also);
  return GO_ON;
}

Next group_unwind(Local *local, Goroutine *g) {
  RT_ASSERT(g->panic != NULL && g->g.group != NULL);
  g->panic->cancels = only_cancels(local, g, g->panic);
  ObjGroup *group = group_of_frame(g);
  if (group == NULL) return GO_ON;
  bool late;
  Panic *failed = group->left ? NULL : failed_with(local, g, group->frame);
  // The newest one keeps its trace: it is only lost if another was first.
  if (failed != NULL)
    fail_group(local, group, failed->value,
               failed == g->panic ? NULL : take_trace(failed), false);
  if (failed != NULL && failed != g->panic) {
    keep_also(local, group, failed->also);
    heap_store(&local->heap, &failed->also, VALUE_NIL);
  }
  group->left = true;
  g->multi = 0;
  g->on_resume = RESUME_UNWIND;
  if (!end_unwinding(local, g, group, &late))
    return late ? report_late(local, g) : LEFT;
  g->on_resume = RESUME_NOTHING;
  Next next = left(local, g, closed(g, group));
  return next == GO_ON ? THROW : next;
}
