// SPDX-License-Identifier: MIT
// Goroutines, channels, select and tasks, between the opcodes and sched/.
//
// Before an operation that may park, the goroutine is complete: pc and base
// are saved and on_resume says what to finish; once the scheduler has answered
// CHAN_PARKED this M touches it no more. A task is a result and a channel that
// is closed when it is there, so waiting for it is a receive.
#include <stdlib.h>

#include "vm/code/operands.h"
#include "vm/heap/local.h"
#include "vm/interp/call.h"
#include "vm/interp/group.h"
#include "vm/interp/interp.h"
#include "vm/interp/limits.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/interp/stack.h"
#include "vm/interp/task.h"
#include "vm/object/channel_memory.h"
#include "vm/object/format.h"
#include "vm/object/list.h"

// --- Goroutines -------------------------------------------------------------
enum { FREE_MAX = 1024, FREE_STACK_MAX = 128 };

static Goroutine *take_free(Local *local) {
  Goroutine *g = local->free;
  if (g == NULL) return NULL;
  RT_ASSERT(local->free_count > 0 && g->obj.type == OBJ_GOROUTINE);
  RT_ASSERT(g->g.status == G_DEAD && g->g.group == NULL);
  RT_ASSERT(g->panic == NULL && g->pending == NULL && g->defers == VALUE_NIL);
  local->free = g->g.link ? goroutine_of(g->g.link) : NULL;
  local->free_count--;
  g->g.link = NULL;
  return g;
}

static Goroutine *make(Local *local) {
  Goroutine *g =
      (Goroutine *)heap_alloc(&local->heap, sizeof *g, OBJ_GOROUTINE);
  if (g == NULL) return NULL;
  memset((char *)g + sizeof(Obj), 0, sizeof *g - sizeof(Obj));
  g->g.resume = interp_resume;
  g->defers = VALUE_NIL;
  if (!stack_init(local, g, STACK_INITIAL)) return NULL;
  g->all_next = local->all;
  local->all = g;
  return g;
}

// The bottom frame runs goexit's code: [CALLV 0 all][GOEXIT], with the function
// and its arguments as if the call was about to happen; or, where the call
// cannot fail, as if it just had.
static void enter_at_once(Goroutine *g, const VmCode *code,
                          const Proto *proto) {
  Value *callee = g->base + FRAME_WORDS;
  callee[-3] = (Value)(uintptr_t)(code->goexit->code + 1);
  callee[-2] = (Value)(FRAME_WORDS << 8 | WANT_ALL) << 2;
  g->base = callee;
  g->pc = proto->code;
  g->multi = 0;
}

// The function's proto, if a call with so many arguments needs nothing else.
static const Proto *plain_function(Value function, int argc) {
  if (!value_is_type(function, OBJ_CLOSURE)) return NULL;
  const Proto *proto = ((ObjClosure *)value_obj(function))->proto;
  bool plain = proto->nparams == argc &&
               (proto->flags & (PROTO_REST | PROTO_DEFAULTS)) == 0;
  return plain ? proto : NULL;
}

Goroutine *goroutine_new(Local *local, Value function, const Value *args,
                         int argc) {
  VmCode *code = vm_code(local->vm);
  const Proto *plain = plain_function(function, argc);
  Goroutine *g = take_free(local);
  if (g == NULL) g = make(local);
  if (g == NULL) return NULL;
  size_t need = 2 * FRAME_WORDS + (plain ? plain->nregs : (size_t)argc);
  if (need > (size_t)(g->limit - g->stack) &&
      !stack_init(local, g, need + STACK_INITIAL))
    return NULL;
  g->stack[0] = g->stack[1] = value_from_small(0);
  g->stack[2] = value_from_obj(code->goexit_closure);
  g->base = g->stack + FRAME_WORDS;
  g->pc = code->goexit->code;
  g->base[0] = g->base[1] = value_from_small(0);
  g->base[2] = function;
  // Most have one or none: a loop would be unrolled.
  Value *parameters = g->base + FRAME_WORDS;
  if (argc > 0) parameters[0] = args[0];
  if (argc > 1)
    memcpy(parameters + 1, args + 1, (size_t)(argc - 1) * sizeof *args);
  g->multi = (uint32_t)argc;
  g->on_resume = RESUME_NOTHING;
  g->shield_at = 0;
  g->gave_up = false;
  g->retried = 0;
  if (plain != NULL) enter_at_once(g, code, plain);
  RT_ASSERT(goroutine_is_valid(g));
  rt_store_relaxed(&local->balance, local->balance + 1);  // relaxed: a counter
  goroutine_count(local, 1);
  return g;
}

ObjTask *conc_task_of(Local *local, size_t size) {
  ObjTask *t = (ObjTask *)heap_alloc(&local->heap, size, OBJ_TASK);
  if (t == NULL) return NULL;
  t->state = TASK_RUNNING;
  t->awaited = 0;
  t->results = VALUE_NIL;
  t->trace = NULL;
  chan_init(&t->done, 0);
  return t;
}

Goroutine *conc_prepare(Local *local, Value function) {
  ObjTask *task = conc_task(local);
  Goroutine *made = task ? goroutine_new(local, function, NULL, 0) : NULL;
  if (made == NULL) return NULL;
  made->task = task;
  made->created_in = NULL;
  return made;
}

// A goroutine for the call in the window. NULL: no memory.
static Goroutine *go_new(Local *local, const Value *window, int argc,
                         bool task) {
  ObjTask *t = task ? conc_task(local) : NULL;
  if (task && t == NULL) return NULL;
  Goroutine *made = goroutine_new(local, window[2], window + FRAME_WORDS, argc);
  if (made != NULL) made->task = t;
  return made;
}

// The same, with the limits. NULL: panicked.
static Goroutine *go_limited(Local *local, Goroutine *g, const Value *window,
                             int argc, bool task) {
  // What lies above the frame's registers is alive, should there be a
  // collection.
  const Value *top = g->base + frame_closure(g->base)->proto->nregs;
  ptrdiff_t above = window + FRAME_WORDS + argc - top;
  g->multi = above > 0 ? (uint32_t)above : 0;
  Goroutine *made = NULL;
  if (goroutine_allowed(local, g)) {
    made = go_new(local, window, argc, task);
    if (made == NULL && memory_again(local, g))
      made = go_new(local, window, argc, task);
    if (made == NULL) vm_panic_memory(local, g);
  }
  g->multi = 0;
  return made;
}

Next conc_go(Local *local, Goroutine *g, int a, int argc, bool task) {
  Value *window = g->base + a;
  bool free = local->vm->goroutine_limit == 0;
  Goroutine *made = free ? go_new(local, window, argc, task) : NULL;
  if (__builtin_expect(made == NULL, 0))
    made = go_limited(local, g, window, argc, task);
  if (made == NULL) return THROW;
  RT_ASSERT(made->panic == NULL && made->g.group == NULL);
  made->created_in = frame_closure(g->base)->proto;
  made->created_pc = g->pc - 1;
  if (task) window[0] = value_from_obj(made->task);
  if (g->g.group != NULL) group_join(local->p, g->g.group, &made->g);
  if (!local->vm->child_first) {
    sched_spawn(local->p, &made->g);
    return GO_ON;
  }
  g->on_resume = RESUME_NOTHING;
  RT_ASSERT(goroutine_is_valid(g));
  sched_spawn_child(local->p, &g->g, &made->g);
  return LEFT;
}

static void end_goroutine(Local *local, Goroutine *g) {
  RT_ASSERT(g != local->vm->main && g->pending == NULL && g->panic == NULL);
  RT_ASSERT(g->defers == VALUE_NIL);
  g->task = NULL;
  g->select = NULL;
  rt_store_relaxed(&local->balance, local->balance - 1);  // relaxed: a counter
  goroutine_count(local, -1);
  if (g->g.group != NULL) group_leave(local->p, &g->g);
  sched_end(local->p, &g->g);
  if (local->free_count >= FREE_MAX || g->block->cap > FREE_STACK_MAX) return;
  g->g.link = local->free ? &local->free->g : NULL;
  local->free = g;
  local->free_count++;
}

// The task has its outcome: whoever waits for it goes on. If that is a native
// or the host, on this thread, the interpreter returns to it.
static Next finish_task(Local *local, ObjTask *task, int state, Value results) {
  RT_ASSERT(task->state == TASK_RUNNING && state > TASK_RUNNING);
  RT_ASSERT(state != TASK_RETURNED || value_is_type(results, OBJ_VALUES));
  heap_store(&local->heap, &task->results, results);
  // release: the results are there; pairs with acquire in task_deliver
  rt_store_release(&task->state, (uint32_t)state);
  if (task->obj.flags & TASK_OF_HOST) return RETURN;  // no script has it
  chan_close(local->p, &task->done);
  if (task->obj.flags & TASK_IS_TOLD) local->vm->hooks->task_ended(local, task);
  return LEFT;
}

Next conc_goexit(Local *local, Goroutine *g) {
  uint32_t n = g->multi;
  g->multi = 0;
  const Value *results = g->base;
  Next how = LEFT;
  if (g == local->vm->main) return local->vm->hooks->exit(local, g, 0);
  if (g->task != NULL && n == 1) {
    how = finish_task(local, g->task, TASK_RETURNED_ONE, results[0]);
  } else if (g->task != NULL) {
    ObjValues *block = values_new(local, n);
    if (block == NULL) {
      vm_panic_memory(local, g);
      return THROW;
    }
    memcpy(block->slots, results, n * sizeof(Value));
    block->len = n;
    how = finish_task(local, g->task, TASK_RETURNED, value_from_obj(block));
  } else if (n > 0 && value_is_type(results[n - 1], OBJ_ERROR) &&
             !group_failed_with(local, g, results[n - 1])) {
    return local->vm->hooks->report_error(local, g, results[n - 1]);
  }
  end_goroutine(local, g);
  return how;
}

// A panic nobody stopped: the end of the task and of the group, or of the
// program.
Next conc_panicked(Local *local, Goroutine *g) {
  RT_ASSERT(g->panic != NULL && g->base == g->stack + FRAME_WORDS);
  ObjTask *task = g->task;
  Next next;
  bool told = g->panic->error_at == NULL && group_failed(local, g);
  // (What a group knows is described when it is reported, if it is not caught.)
  if (!told && panic_describe(local, g, &next)) return next;
  Panic *panic = g->panic;
  bool goes_on = local->vm->hooks->goes_on(local->vm, g);
  if (panic->error_at != NULL && !goes_on)
    return local->vm->hooks->report_panic(local, g, panic);
  if (task == NULL && !told) {
    if (!goes_on) return local->vm->hooks->report_panic(local, g, panic);
    local->vm->hooks->report_and_go_on(local->vm, panic);
  }
  if (task != NULL && told) {
    // relaxed: whether it is reported; looked at when the list is full, and at
    // the end
    rt_store_relaxed(&task->awaited, 1);
  } else if (task != NULL) {
    if (panic->error_at != NULL && panic->trace != NULL)
      panic->trace->error = true;
    task->trace = panic->trace;
    heap_finalizable(&task->obj);  // its trace is malloced
    panic->trace = NULL;
    local->vm->hooks->task_failed(local->vm, task);
  }
  Next how = LEFT;
  if (task != NULL) how = finish_task(local, task, TASK_PANICKED, panic->value);
  panic_free_all(g);
  end_goroutine(local, g);
  return how;
}

bool task_deliver(Local *local, Goroutine *g, ObjTask *task, Value *to,
                  int want) {
  // acquire: pairs with release in finish_task
  uint32_t state = rt_load_acquire(&task->state);
  Value results = heap_load(&task->results);
  if (state == TASK_PANICKED) {
    // relaxed: whether it is reported; looked at when the list is full, and at
    // the end
    rt_store_relaxed(&task->awaited, 1);
    return vm_panic_value(local, g, results);
  }
  if (state == TASK_RETURNED_ONE)
    return call_deliver(local, g, to, &results, 1, want, "the task");
  RT_ASSERT(state == TASK_RETURNED && value_is_type(results, OBJ_VALUES));
  const ObjValues *block = (ObjValues *)value_obj(results);
  return call_deliver(local, g, to, block->slots, (int)block->len, want,
                      "the task");
}

// --- Send and receive -------------------------------------------------------
static Chan *chan_of(Local *local, Goroutine *g, Value v, const char *what,
                     bool *fine) {
  *fine = true;
  if (value_is_type(v, OBJ_CHAN)) return &((ObjChan *)value_obj(v))->chan;
  if (v != VALUE_NIL)
    *fine = vm_panic(local, g, "cannot %s %s", what, value_type_name(v));
  return NULL;
}

// The SEND before g->pc was refused: its channel wants more room, and then it
// begins again, or is closed.
static Next send_refused(Local *local, Goroutine *g, ChanResult r) {
  if (r != CHAN_WANTS_ROOM) {
    vm_panic(local, g, "send on closed channel");
    return THROW;
  }
  Value to = *operand_a(g->base, g->pc[-1]);
  Chan *c = &((ObjChan *)value_obj(to))->chan;
  if (!channel_grow(local, c) &&
      !(memory_again(local, g) && channel_grow(local, c))) {
    vm_panic_memory(local, g);
    return THROW;
  }
  g->pc--;
  return RELOAD;
}

Next conc_send(Local *local, Goroutine *g, Value to, Value v) {
  bool fine;
  Chan *c = chan_of(local, g, to, "send to", &fine);
  if (!fine) return THROW;
  g->on_resume = RESUME_SEND;
  RT_ASSERT(goroutine_is_valid(g));
  ChanResult r = chan_send(local->p, &g->g, c, v);
  if (r == CHAN_DONE) return GO_ON;
  if (r == CHAN_PARKED) return LEFT;
  return send_refused(local, g, r);
}

// What <-c gives: a value, and whether the channel was open.
static Next received(Local *local, Goroutine *g, Value *to, Value v, bool ok,
                     int want) {
  if (want == WANT_ALL) g->multi = (uint32_t)(want = 1);
  if (want > 2) {
    vm_panic(local, g, "<- of a channel gives 1 or 2 values, %d wanted", want);
    return THROW;
  }
  if (want > 0) to[0] = ok ? v : VALUE_NIL;
  if (want > 1) to[1] = value_from_bool(ok);
  return GO_ON;
}

static Next recv_task(Local *local, Goroutine *g, Instr i, ObjTask *task) {
  uint64_t word;
  g->on_resume = RESUME_RECV;
  RT_ASSERT(goroutine_is_valid(g));
  // acquire: pairs with release in finish_task
  if (rt_load_acquire(&task->state) == TASK_RUNNING &&
      chan_recv(local->p, &g->g, &task->done, &word, WAIT_TASK) == CHAN_PARKED)
    return LEFT;
  bool fine =
      task_deliver(local, g, task, operand_a(g->base, i), (int)INSTR_C(i));
  return fine ? GO_ON : THROW;
}

Next conc_recv(Local *local, Goroutine *g, Instr i) {
  Value from = *operand_b(g->base, i);
  if (value_is_type(from, OBJ_TASK))
    return recv_task(local, g, i, (ObjTask *)value_obj(from));
  bool fine;
  uint64_t word = VALUE_NIL;
  Chan *c = chan_of(local, g, from, "receive from", &fine);
  if (!fine) return THROW;
  g->on_resume = RESUME_RECV;
  RT_ASSERT(goroutine_is_valid(g));
  ChanResult r = chan_recv(local->p, &g->g, c, &word, WAIT_CHAN_RECV);
  if (r == CHAN_PARKED) return LEFT;
  return received(local, g, operand_a(g->base, i), word, r == CHAN_DONE,
                  (int)INSTR_C(i));
}

Next conc_recv_resume(Local *local, Goroutine *g, Instr i) {
  Value from = *operand_b(g->base, i);
  Value *to = operand_a(g->base, i);
  if (value_is_type(from, OBJ_TASK)) {
    ObjTask *task = (ObjTask *)value_obj(from);
    return task_deliver(local, g, task, to, (int)INSTR_C(i)) ? GO_ON : THROW;
  }
  return received(local, g, to, g->g.wait.elem, g->g.wait.success,
                  (int)INSTR_C(i));
}

// --- Select -----------------------------------------------------------------
// obj.aux holds for how many cases there is room.
static SelectBlock *select_block(Local *local, Goroutine *g, uint32_t count) {
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

static bool select_case(Local *local, Goroutine *g, SelCase *c, Value from,
                        bool send, Value word) {
  c->send = send;
  c->waiter = (Waiter){.elem = send ? word : VALUE_NIL};
  if (!send && value_is_type(from, OBJ_TASK)) {
    c->chan = &((ObjTask *)value_obj(from))->done;
    return true;
  }
  bool fine;
  c->chan = chan_of(local, g, from, send ? "send to" : "receive from", &fine);
  return fine;
}

// It did nothing, for that reason.
static Next select_failed(Local *local, Goroutine *g, int index) {
  if (index == SELECT_CANCELLED)
    group_raise(local, g);
  else if (index == SELECT_SEND_CLOSED)
    vm_panic(local, g, "send on closed channel");
  else
    vm_panic_memory(local, g);
  return THROW;
}

// A ring for each channel to send to that wants one. false: no memory.
static bool select_grow(Local *local, const SelectBlock *block,
                        uint32_t count) {
  for (uint32_t n = 0; n < count; n++) {
    const SelCase *c = &block->cases[n];
    if (c->send && c->chan != NULL && !channel_grow(local, c->chan))
      return false;
  }
  return true;
}

// The SELECT before g->pc did nothing: if it is for want of room it begins
// again.
static __attribute__((noinline)) Next select_refused(Local *local, Goroutine *g,
                                                     Instr i, int index) {
  if (index != SELECT_WANTS_ROOM || !select_grow(local, g->select, INSTR_B(i)))
    return select_failed(local, g, index);
  g->pc--;
  return RELOAD;
}

// Register R[a] = index, R[a+1], R[a+2] = the outcome.
static inline __attribute__((always_inline)) Next select_outcome(Local *local,
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
  const SelCase *c = &g->select->cases[index];
  Value from = to[2 * index];
  bool task = !c->send && value_is_type(from, OBJ_TASK);
  bool ok = c->waiter.success;
  to[0] = value_from_small(index);
  to[1] = task ? from : ok ? c->waiter.elem : VALUE_NIL;
  to[2] = task ? VALUE_UNDEF : value_from_bool(ok);
  return GO_ON;
}

Next conc_select(Local *local, Goroutine *g, Instr i) {
  uint32_t count = INSTR_B(i);
  SelectBlock *block = select_block(local, g, count);
  if (block == NULL) return select_failed(local, g, SELECT_WANTS_ROOM);
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
  int index = select_go(local->p, &g->g, block->cases, select_order(block),
                        (int)count, !(INSTR_C(i) & 1), INSTR_C(i) & 2);
  if (index == SELECT_PARKED) return LEFT;
  return select_outcome(local, g, i, index);
}

Next conc_select_resume(Local *local, Goroutine *g, Instr i) {
  SelectBlock *block = g->select;
  RT_ASSERT(block != NULL && block->count == INSTR_B(i));
  int index = select_finish(local->p, &g->g, block->cases, select_order(block),
                            (int)block->count);
  return select_outcome(local, g, i, index);
}

bool conc_outcome(Local *local, Goroutine *g, Value *to, const Value *outcome,
                  int want) {
  Value v = outcome[0], ok = outcome[1];
  if (ok == VALUE_UNDEF)
    return task_deliver(local, g, (ObjTask *)value_obj(v), to, want);
  return received(local, g, to, v, ok == VALUE_TRUE, want) == GO_ON;
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
  bool fine = call_deliver(local, g, g->base + c.window, results, 3, c.want,
                           "sched.select");
  return fine ? RELOAD : THROW;
}

// *place, a pair, is replaced by its channel or task: others may change the
// pair.
static bool native_case(Local *local, Goroutine *g, SelCase *c, Value *place) {
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
  *place = heap_load(&block->slots[0]);
  bool waits = *place == VALUE_NIL || value_is_type(*place, OBJ_CHAN) ||
               (n == 1 && value_is_type(*place, OBJ_TASK));
  if (!waits)
    return vm_panic(local, g, "sched.select: cannot %s %s",
                    n == 2 ? "send to" : "receive from",
                    value_type_name(*place));
  return select_case(local, g, c, *place, n == 2,
                     heap_load(&block->slots[n - 1]));
}

Next conc_select_native(CspCall *call, Value *window, int want) {
  Local *local = call->local;
  Goroutine *g = call->g;
  if (group_cancels(local, g)) return THROW;
  // A copy: the caller's list may change while this one waits.
  ObjValues *from = list_block((ObjList *)value_obj(call->later_value));
  size_t count = values_len(from);
  ObjList *copy = list_new(local, count);
  SelectBlock *block =
      count <= INT16_MAX ? select_block(local, g, (uint32_t)count) : NULL;
  SelectCall *pending = mem_alloc(local->vm->memory, sizeof *pending);
  if (copy == NULL || block == NULL || pending == NULL ||
      !list_append(local, copy, from->slots, count)) {
    mem_free(pending);
    return select_failed(local, g, SELECT_WANTS_ROOM);
  }
  ObjValues *cases = list_block(copy);
  for (size_t n = 0; n < count; n++) {
    if (!native_case(local, g, &block->cases[n], &cases->slots[n])) {
      mem_free(pending);
      return THROW;
    }
  }
  *pending = (SelectCall){value_from_obj(copy), window - g->base, want};
  // The copy stays in the window, where the collector sees it.
  window[3] = pending->cases;
  ptrdiff_t above =
      window + 4 - (g->base + frame_closure(g->base)->proto->nregs);
  g->multi = above > 0 ? (uint32_t)above : 0;
  RT_ASSERT(g->pending == NULL);
  g->pending = pending;
  block->count = (uint32_t)count;
  g->on_resume = RESUME_NATIVE;
  RT_ASSERT(goroutine_is_valid(g));
  int index;
  do {
    index = select_go(local->p, &g->g, block->cases, select_order(block),
                      (int)count, true, call->later_int != 0);
  } while (index == SELECT_WANTS_ROOM &&
           select_grow(local, block, block->count));
  if (index == SELECT_PARKED) return LEFT;
  return native_outcome(local, g, pending, index);
}

Next conc_select_native_resume(Local *local, Goroutine *g) {
  SelectBlock *block = g->select;
  RT_ASSERT(block != NULL && g->pending != NULL);
  int index = select_finish(local->p, &g->g, block->cases, select_order(block),
                            (int)block->count);
  return native_outcome(local, g, g->pending, index);
}
