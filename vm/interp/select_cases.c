// SPDX-License-Identifier: MIT
// The statement select, whose cases stand in registers, and sched.select, whose
// cases are a list. A goroutine parks here as in channels.c.
#include "vm/interp/select_cases.h"

#include "vm/code/operands.h"
#include "vm/heap/span.h"
#include "vm/interp/call.h"
#include "vm/interp/channels.h"
#include "vm/interp/group_block.h"
#include "vm/interp/interp.h"
#include "vm/interp/limits.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/interp/stack.h"
#include "vm/interp/task.h"
#include "vm/object/channel_memory.h"
#include "vm/object/list.h"
#include "vm/object/value_text.h"

enum { CASES_MAX = INT16_MAX };  // of a select whose cases are made at run time

// obj.aux holds for how many cases there is room.
SelectBlock *select_block(Local *local, Goroutine *g, uint32_t count) {
  if (g->select == NULL || g->select->obj.aux < count) {
    uint32_t room = count < 4 ? 4 : count;
    SelectBlock *made = (SelectBlock *)heap_alloc(
        &local->heap, select_block_size(room), OBJ_RAW);
    if (made == NULL || room > UINT16_MAX) return NULL;
    made->obj.aux = (uint16_t)room;
    g->select = made;
  }
  RT_ASSERT(count <= g->select->obj.aux);
  RT_ASSERT(select_block_size(count) <= heap_size_of(g->select));
  g->select->count = 0;  // until all cases are filled in: the collector looks
  return g->select;
}

// The channel of a value that is no channel itself, such as a task. false:
// panicked.
static __attribute__((noinline)) bool select_other(Local *local, Goroutine *g,
                                                   SelCase *choice,
                                                   Value from) {
  bool fine = true;
  if (!choice->send && value_is_type(from, OBJ_TASK))
    choice->chan = &((ObjTask *)value_obj(from))->done;
  else
    choice->chan = choice->send ? channel_of(local, g, from, "send to", &fine)
                                : channel_from(local, g, from, &fine);
  return fine;
}

static bool select_case(Local *local, Goroutine *g, SelCase *choice, Value from,
                        bool send, Value word) {
  choice->send = send;
  choice->waiter = (Waiter){.elem = send ? word : VALUE_NIL};
  if (!value_is_type(from, OBJ_CHAN))
    return select_other(local, g, choice, from);
  choice->chan = &((ObjChan *)value_obj(from))->chan;
  return true;
}

// The SELECT before g->pc did nothing, because a channel had no room. It begins
// again when there is room.
static Next select_again(Local *local, Goroutine *g, bool room) {
  if (!room && !memory_again(local, g)) {
    vm_panic_memory(local, g);
    return THROW;
  }
  g->pc--;
  return RELOAD;
}

// A block for each channel to send to that wants one. false: no memory.
static bool select_grow(Local *local, const SelectBlock *block,
                        uint32_t count) {
  for (uint32_t n = 0; n < count; n++) {
    const SelCase *choice = &block->cases[n];
    if (choice->send && choice->chan != NULL &&
        !channel_grow(local, choice->chan))
      return false;
  }
  return true;
}

// The select did nothing, for that reason.
static Next select_failed(Local *local, Goroutine *g, int index) {
  if (index == SELECT_CANCELLED)
    group_raise(local, g);
  else if (index == SELECT_SEND_CLOSED)
    vm_panic(local, g, "send on closed channel");
  else
    vm_panic_memory(local, g);
  return THROW;
}

// The SELECT before g->pc did nothing.
static __attribute__((noinline)) Next select_refused(Local *local, Goroutine *g,
                                                     Instr i, int index) {
  if (index == SELECT_WANTS_ROOM)
    return select_again(local, g, select_grow(local, g->select, INSTR_B(i)));
  return select_failed(local, g, index);
}

// Register R[a] = index, R[a+1], R[a+2] = the outcome.
static inline __attribute__((always_inline)) Next select_done(Local *local,
                                                              Goroutine *g,
                                                              Instr i,
                                                              int index) {
  Value *to = operand_a(g->base, i);
  g->select->count = 0;  // the block is kept, what it held is not
  if (index == SELECT_DEFAULT) {
    to[0] = value_from_small(-1);
    return GO_ON;
  }
  if (index < 0) return select_refused(local, g, i, index);
  RT_ASSERT(index < (int)INSTR_B(i));
  const SelCase *choice = &g->select->cases[index];
  Value from = to[2 * index];
  bool task = !choice->send && value_is_type(from, OBJ_TASK);
  bool ok = choice->waiter.success;
  to[0] = value_from_small(index);
  to[1] = task ? from : ok ? choice->waiter.elem : VALUE_NIL;
  to[2] = task ? VALUE_UNDEF : value_from_bool(ok);
  return GO_ON;
}

Next select_run(Local *local, Goroutine *g, Instr i) {
  uint32_t count = INSTR_B(i);
  SelectBlock *block = select_block(local, g, count);
  if (block == NULL) return select_again(local, g, false);
  const Value *from = operand_a(g->base, i);
  for (uint32_t n = 0; n < count; n++) {
    bool send = from[2 * n + 1] != VALUE_UNDEF;
    if (!select_case(local, g, &block->cases[n], from[2 * n], send,
                     from[2 * n + 1]))
      return THROW;
  }
  block->count = count;
  g->on_resume = RESUME_SELECT;
  RT_ASSERT(goroutine_is_valid(g));
  int how = (INSTR_C(i) & 1 ? SELECT_TRY : SELECT_BLOCK) |
            (INSTR_C(i) & 2 ? SELECT_PRIO : 0);
  int index = select_go(local->p, &g->g, block->cases, select_order(block),
                        (int)count, how);
  if (index == SELECT_PARKED) return LEFT;
  return select_done(local, g, i, index);
}

Next select_resume(Local *local, Goroutine *g, Instr i) {
  SelectBlock *block = g->select;
  RT_ASSERT(block != NULL && block->count == INSTR_B(i));
  int index = select_finish(local->p, &g->g, block->cases, select_order(block),
                            (int)block->count);
  return select_done(local, g, i, index);
}

bool select_outcome(Local *local, Goroutine *g, Value *to, const Value *outcome,
                    int want) {
  Value v = outcome[0], ok = outcome[1];
  if (ok == VALUE_UNDEF)
    return task_deliver(local, g, (ObjTask *)value_obj(v), to, want);
  return channel_received(local, g, to, v, ok == VALUE_TRUE, want) == GO_ON;
}

// --- sched.select(cases): made at run time ----------------------------------
typedef struct SelectCall {
  Value cases;
  ptrdiff_t window;
  int want;
} SelectCall;

static Next native_outcome(Local *local, Goroutine *g, SelectCall *call,
                           int index) {
  SelectCall c = *call;
  RT_ASSERT(g->pending == call && g->select != NULL);
  RT_ASSERT(index <
            (int)values_len(list_block((ObjList *)value_obj(call->cases))));
  mem_free(call);
  g->pending = NULL;
  g->multi = 0;
  g->select->count = 0;
  if (index < 0) return select_failed(local, g, index);
  const SelCase *chosen = &g->select->cases[index];
  Value from = list_block((ObjList *)value_obj(c.cases))->slots[index];
  Value results[3] = {value_from_small(index), VALUE_NIL, VALUE_TRUE};
  if (!chosen->send && value_is_type(from, OBJ_TASK)) {
    if (!task_deliver(local, g, (ObjTask *)value_obj(from), &results[1], 1))
      return THROW;
  } else if (!chosen->send) {
    results[2] = value_from_bool(chosen->waiter.success);
    if (chosen->waiter.success) results[1] = chosen->waiter.elem;
  }
  bool fine = call_deliver(local, g, g->base + c.window, (Results){results, 3},
                           c.want, "sched.select");
  return fine ? RELOAD : THROW;
}

// *place, a pair, is replaced by its channel, task or timer: others may change
// the pair.
static bool native_case(Local *local, Goroutine *g, SelCase *choice,
                        Value *place) {
  Value pair = *place;
  if (!value_is_type(pair, OBJ_LIST))
    return vm_panic(local, g,
                    "sched.select: a case is a list [chan] or "
                    "[chan, value], not %s",
                    value_type_name(pair));
  ObjValues *block = list_block((ObjList *)value_obj(pair));
  size_t n = values_len(block);
  if (n < 1 || n > 2)
    return vm_panic(local, g,
                    "sched.select: a case is [chan] or [chan, value], "
                    "not a list of %zu",
                    n);
  const Value *first = values_at(block, 0), *last = values_at(block, n - 1);
  *place = first != NULL ? heap_load(first) : VALUE_NIL;
  bool waits = *place == VALUE_NIL || value_is_type(*place, OBJ_CHAN) ||
               (n == 1 && (value_is_type(*place, OBJ_TASK) ||
                           value_is_type(*place, OBJ_TIMER)));
  if (!waits)
    return vm_panic(local, g, "sched.select: cannot %s %s",
                    n == 2 ? "send to" : "receive from",
                    value_type_name(*place));
  return select_case(local, g, choice, *place, n == 2,
                     last != NULL ? heap_load(last) : VALUE_NIL);
}

// Replaces the list by a copy, as the caller's may change while this one waits,
// and has room for as many cases in g->select. false: panicked.
static bool copy_cases(Local *local, Goroutine *g, Value *list) {
  for (;;) {
    ObjValues *from = list_block((ObjList *)value_obj(*list));
    size_t count = values_len(from);
    if (count > CASES_MAX)
      return vm_panic(local, g, "sched.select takes at most %d cases, not %zu",
                      CASES_MAX, count);
    ObjList *copy = list_new(local, count);
    if (copy != NULL && select_block(local, g, (uint32_t)count) != NULL &&
        list_append_part(local, copy, from, 0, count)) {
      *list = value_from_obj(copy);
      return true;
    }
    vm_panic_memory(local, g);
    if (!memory_panic_again_here(local, g, list + 1)) return false;
  }
}

Next select_native(CspCall *call, Value *window, int want) {
  Local *local = call->local;
  Goroutine *g = call->g;
  if (group_cancels(local, g)) return THROW;
  window[3] = call->later.value;  // where the collector sees it
  if (!copy_cases(local, g, &window[3])) return THROW;
  SelectBlock *block = g->select;
  SelectCall *pending = mem_alloc(local->vm->memory, sizeof *pending);
  if (pending == NULL) return select_failed(local, g, SELECT_WANTS_ROOM);
  ObjValues *cases = list_block((ObjList *)value_obj(window[3]));
  size_t count = values_len(cases);
  for (size_t n = 0; n < count; n++) {
    if (!native_case(local, g, &block->cases[n], &cases->slots[n])) {
      mem_free(pending);
      return THROW;
    }
  }
  *pending = (SelectCall){window[3], window - g->base, want};
  stack_cover(g, window + 4);
  RT_ASSERT(g->pending == NULL);
  g->pending = pending;
  block->count = (uint32_t)count;
  g->on_resume = RESUME_NATIVE;
  RT_ASSERT(goroutine_is_valid(g));
  int index;
  int how = SELECT_BLOCK | (call->later.number != 0 ? SELECT_PRIO : 0);
  do {
    index = select_go(local->p, &g->g, block->cases, select_order(block),
                      (int)count, how);
  } while (index == SELECT_WANTS_ROOM &&
           select_grow(local, block, block->count));
  if (index == SELECT_PARKED) return LEFT;
  return native_outcome(local, g, pending, index);
}

Next select_native_resume(Local *local, Goroutine *g) {
  SelectBlock *block = g->select;
  RT_ASSERT(block != NULL && g->pending != NULL);
  int index = select_finish(local->p, &g->g, block->cases, select_order(block),
                            (int)block->count);
  return native_outcome(local, g, g->pending, index);
}
