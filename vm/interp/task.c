// SPDX-License-Identifier: MIT
// Goroutines and tasks: how they begin and end. A task is a result and a
// channel that is closed when it is there, so waiting for it is a receive.
#include "vm/interp/task.h"

#include "vm/heap/work.h"
#include "vm/interp/call.h"
#include "vm/interp/drop.h"
#include "vm/interp/group_block.h"
#include "vm/interp/interp.h"
#include "vm/interp/limits.h"
#include "vm/interp/panic.h"
#include "vm/interp/places.h"
#include "vm/interp/stack.h"
#include "vm/object/error.h"
#include "vm/object/list.h"

// --- Goroutines -------------------------------------------------------------
enum {
  FREE_MAX = 1024,
  FREE_STACK_MAX = 128,
  FREE_STACK_LEAST = STACK_INITIAL + STACK_MARGIN
};

static Goroutine *take_free(Local *local) {
  Goroutine *g = local->free;
  if (g == NULL) return NULL;
  RT_ASSERT(local->free_count > 0 && g->obj.type == OBJ_GOROUTINE);
  RT_ASSERT(g->g.status == G_DEAD && g->g.group == NULL);
  RT_ASSERT(g->panic == NULL && g->pending == NULL && g->defers == VALUE_NIL);
  local->free = g->g.link != NULL ? goroutine_of(g->g.link) : NULL;
  local->free_count--;
  g->g.link = NULL;
  RT_ASSERT(g->block->cap >= FREE_STACK_LEAST);
  // Its next goroutine may wait for long, and would hold what this one had.
  // Most stacks have the first length, and for that no loop is left.
  for (size_t i = 0; i < FREE_STACK_LEAST; i++) g->stack[i] = VALUE_NIL;
  for (size_t i = FREE_STACK_LEAST; i < g->block->cap; i++)
    g->stack[i] = VALUE_NIL;
  return g;
}

static Goroutine *make(Local *local) {
  size_t size = sizeof(Goroutine) + (local->vm->spans ? GOROUTINE_SPAN : 0);
  Goroutine *g = (Goroutine *)heap_alloc(&local->heap, size, OBJ_GOROUTINE);
  if (g == NULL) return NULL;
  memset((char *)g + sizeof(Obj), 0, size - sizeof(Obj));
  g->g.resume = interp_resume;
  g->defers = VALUE_NIL;
  if (!stack_init(local, g, STACK_INITIAL)) return NULL;
  g->all_next = local->all;
  local->all = g;
  return g;
}

// The bottom frame runs goexit's code: [CALLV 0 all][GOEXIT]. It has the
// function and its arguments as if the call was about to happen, or as if it
// just had where it cannot fail.
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
  size_t need = 2 * FRAME_WORDS + (plain != NULL ? plain->nregs : (size_t)argc);
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
  g->shield_at = g->returns_at = 0;
  g->gave_up = g->describing = g->fills = false;
  g->retried = 0;
  if (plain != NULL) enter_at_once(g, code, plain);
  RT_ASSERT(goroutine_is_valid(g));
  // relaxed: this P's own counter. vm_goroutine_count reads it
  rt_store_relaxed(&local->balance, local->balance + 1);
  goroutine_count(local, 1);
  return g;
}

ObjTask *task_of(Local *local, size_t size) {
  ObjTask *task = (ObjTask *)heap_alloc(&local->heap, size, OBJ_TASK);
  if (task == NULL) return NULL;
  task->state = TASK_RUNNING;
  task->awaited = 0;
  task->results = VALUE_NIL;
  task->also = VALUE_NIL;
  task->trace = NULL;
  chan_init(&task->done, 0);
  return task;
}

Goroutine *task_prepare(Local *local, Value function) {
  ObjTask *task = task_new(local);
  Goroutine *made =
      task != NULL ? goroutine_new(local, function, NULL, 0) : NULL;
  if (made == NULL) return NULL;
  made->task = task;
  made->created_in = NULL;
  return made;
}

// A goroutine for the call in the window. In line where most come from. NULL:
// no memory.
static inline __attribute__((always_inline)) Goroutine *go_new(
    Local *local, const Value *window, int argc, bool is_task) {
  ObjTask *task = is_task ? task_new(local) : NULL;
  if (is_task && task == NULL) return NULL;
  Goroutine *made = goroutine_new(local, window[2], window + FRAME_WORDS, argc);
  if (made != NULL) made->task = task;
  return made;
}

// The same, with the limits. NULL: panicked.
static Goroutine *go_limited(Local *local, Goroutine *g, const Value *window,
                             int argc, bool task) {
  stack_cover(g, window + FRAME_WORDS + argc);
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

Next task_go(Local *local, Goroutine *g, int a, int argc, bool task) {
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
  // relaxed: this P's own counter. vm_goroutine_count reads it
  rt_store_relaxed(&local->balance, local->balance - 1);
  goroutine_count(local, -1);
  if (g->g.group != NULL) group_leave(local->p, &g->g);
  sched_end(local->p, &g->g);
  if (local->free_count >= FREE_MAX || g->block->cap > FREE_STACK_MAX) return;
  g->g.link = local->free != NULL ? &local->free->g : NULL;
  local->free = g;
  local->free_count++;
}

// The task has its outcome: all that wait for it go on. If that is a native
// or the host, on this thread, the interpreter returns to it.
static Next finish_task(Local *local, ObjTask *task, int state, Value results) {
  RT_ASSERT(task->state == TASK_RUNNING && state > TASK_RUNNING);
  RT_ASSERT(state != TASK_RETURNED || value_is_type(results, OBJ_VALUES));
  heap_store(&local->heap, &task->results, results);
  // release: the results are there. Pairs with acquire in task_deliver
  rt_store_release(&task->state, (uint32_t)state);
  if (task->obj.flags & TASK_OF_HOST) return RETURN;  // no script has it
  chan_close(local->p, &task->done);
  charge_woken(local);
  if (task->obj.flags & TASK_IS_TOLD) local->vm->hooks->task_ended(local, task);
  return LEFT;
}

// A task returned an error, and perhaps nobody asks for it.
static __attribute__((noinline)) void note_task_error(Local *local,
                                                      const Goroutine *g,
                                                      Value outcome) {
  heap_store(&local->heap, &g->task->results, outcome);
  g->task->obj.flags |= TASK_HAS_ERROR;
  local->vm->hooks->task_failed(local->vm, g->task);
}

// The n results of a task's function are its outcome.
static Next task_returned(Local *local, Goroutine *g, uint32_t n) {
  const Value *results = g->base;
  int state = n == 1 ? TASK_RETURNED_ONE : TASK_RETURNED;
  Value outcome = results[0];
  if (n != 1) {
    ObjValues *block = call_pack(local, g, results, n);
    if (block == NULL) return THROW;
    outcome = value_from_obj(block);
  }
  if (g->fills) g->task->obj.flags |= TASK_FILLS;
  if (n > 0 && value_is_error(results[n - 1]))
    note_task_error(local, g, outcome);
  return finish_task(local, g->task, state, outcome);
}

Next task_goexit(Local *local, Goroutine *g) {
  uint32_t n = g->multi;
  g->multi = 0;
  const Value *results = g->base;
  Next how = LEFT;
  if (g == local->vm->main) return local->vm->hooks->exit(local, g, 0);
  if (g->task != NULL) {
    how = task_returned(local, g, n);
    if (how == THROW) return how;
  } else if (n > 0 && value_is_error(results[n - 1]) &&
             !group_failed_with(local, g, results[n - 1])) {
    return local->vm->hooks->report_error(local, g, results[n - 1]);
  }
  end_goroutine(local, g);
  return how;
}

// A panic nobody stopped: the end of the task and of the group, or of the
// program.
Next task_panicked(Local *local, Goroutine *g) {
  RT_ASSERT(g->panic != NULL && g->base == g->stack + FRAME_WORDS);
  ObjTask *task = g->task;
  Next next;
  // What a group knows is described when it is reported, if it is not caught.
  bool told = g->panic->error_at == NULL && group_failed(local, g);
  if (!told && panic_describe(local, g, &next)) return next;
  Panic *panic = g->panic;
  bool goes_on = local->vm->hooks->goes_on(local->vm, g);
  if (panic->error_at != NULL && !goes_on)
    return local->vm->hooks->report_panic(local, g, panic);
  if (task == NULL && !told) {
    if (!goes_on) return local->vm->hooks->report_panic(local, g, panic);
    local->vm->hooks->report_and_go_on(local, panic);
  }
  if (task != NULL && told) {
    // relaxed: whether it is reported. drop_awaited looks when the list is
    // full, and at the end
    rt_store_relaxed(&task->awaited, 1);
  } else if (task != NULL) {
    if (panic->error_at != NULL && panic->trace != NULL)
      panic->trace->error = true;
    if (panic->link != NULL) local->vm->hooks->join_panics(local, panic);
    task->trace = panic->trace;
    heap_store(&local->heap, &task->also, panic->also);
    heap_finalizable(&task->obj);  // its trace is of Vm.memory
    panic->trace = NULL;
    heap_store(&local->heap, &task->results, panic->value);
    local->vm->hooks->task_failed(local->vm, task);
  }
  Next how = LEFT;
  if (task != NULL) how = finish_task(local, task, TASK_PANICKED, panic->value);
  panic_free_all(g);
  end_goroutine(local, g);
  return how;
}

// A wait for a task that panicked: its panic goes on in g. The trace is that of
// g then. The error itself tells where the task was. Another value cannot, nor
// an error without places: then the trace does.
static __attribute__((noinline)) bool panic_again(Local *local, Goroutine *g,
                                                  ObjTask *task) {
  // relaxed: whether it is reported. drop_awaited looks when the list is full,
  // and at the end
  rt_store_relaxed(&task->awaited, 1);
  Value value = heap_load(&task->results);
  places_from_trace(local, task->trace, value);
  vm_panic_value(local, g, value);
  if (!g->gave_up && !places_are_known(value))
    trace_set_raised(local->vm, g->panic->trace, task->trace);
  return drop_carry_all(local, g, heap_load(&task->also));
}

static bool deliver_last(Value *to, Results results, int want) {
  RT_ASSERT(results.count > 0);
  for (int n = 0; n < want - 1; n++) to[n] = VALUE_NIL;
  to[want - 1] = results.first[results.count - 1];
  return true;
}

bool task_deliver(Local *local, Goroutine *g, ObjTask *task, Value *to,
                  int want) {
  // acquire: pairs with release in finish_task
  uint32_t state = rt_load_acquire(&task->state);
  Value results = heap_load(&task->results);
  if (state == TASK_PANICKED) return panic_again(local, g, task);
  // relaxed: as in panic_again
  if (task->obj.flags & TASK_HAS_ERROR) rt_store_relaxed(&task->awaited, 1);
  Results all = {&results, 1};
  if (state != TASK_RETURNED_ONE) {
    RT_ASSERT(state == TASK_RETURNED && value_is_type(results, OBJ_VALUES));
    const ObjValues *block = (ObjValues *)value_obj(results);
    all = (Results){block->slots, (int)block->len};
  }
  bool fits = want == all.count || want == 0 || want > REGISTERS_MAX;
  if (!fits && (task->obj.flags & TASK_FILLS))
    return deliver_last(to, all, want);
  return call_deliver(local, g, to, all, want, "the task");
}
