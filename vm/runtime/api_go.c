// SPDX-License-Identifier: MIT
// Goroutines that hosts and natives start (csp_go), and how tasks ended
// (csp_task_done).
//
// A goroutine of csp_go has a task like any other. If its end is to be told the
// task is a larger object (TASK_IS_TOLD), which names a GoNote: that
// is of Vm.memory, and in csp->goes (guarded by host_lock) until it is told.
// The M that ends the goroutine takes it out; what is left when the run has
// ended is told then, by the only thread there is. So each is told once.
#include "vm/runtime/api_go.h"

#include <stdlib.h>

#include "vm/heap/local.h"
#include "vm/heap/span.h"
#include "vm/interp/limits.h"
#include "vm/interp/native_call.h"
#include "vm/interp/task.h"
#include "vm/runtime/api_call.h"
#include "vm/runtime/runtime.h"

typedef struct GoNote {
  void (*done)(void *data, const CspResult *result);
  void *data;
  struct GoNote *next, *prev;  // guarded by host_lock
} GoNote;

enum { TASK_TOLD_SIZE = sizeof(ObjTask) + sizeof(GoNote *) };

// The channel of a task has no elements: there is room after it.
static GoNote **note_of(ObjTask *task) { return (GoNote **)(void *)(task + 1); }

// --- The list: host_lock is held --------------------------------------------
static void link_note(Csp *csp, GoNote *note) {
  note->next = csp->goes;
  if (note->next != NULL) note->next->prev = note;
  csp->goes = note;
}

static void unlink_note(Csp *csp, const GoNote *note) {
  RT_ASSERT((note->prev != NULL ? note->prev->next : csp->goes) == note);
  RT_ASSERT(note->next == NULL || note->next->prev == note);
  *(note->prev != NULL ? &note->prev->next : &csp->goes) = note->next;
  if (note->next != NULL) note->next->prev = note->prev;
}

// --- The end ----------------------------------------------------------------
static void tell_end(GoNote *note, CspResult *result) {
  note->done(note->data, result);
  csp_result_free(result);
  mem_free(note);
}

void go_ended(Local *local, ObjTask *task) {
  Csp *csp = runtime_of(local->vm);
  RT_ASSERT(task->obj.flags & TASK_IS_TOLD);
  RT_ASSERT(heap_size_of(task) >= TASK_TOLD_SIZE);
  RT_ASSERT(rt_load_relaxed(&task->state) != TASK_RUNNING);
  GoNote *note = *note_of(task);
  rt_lock(&csp->host_lock);
  unlink_note(csp, note);
  rt_unlock(&csp->host_lock);
  CspResult result;
  host_no_result(&result, CSP_DONE);
  host_give_outcome(local->vm, &result, task);
  tell_end(note, &result);
}

void goes_end(Csp *csp) {
  for (GoNote *note; (note = csp->goes) != NULL;) {
    unlink_note(csp, note);
    CspResult result;
    host_no_result(&result, CSP_ENDED);
    tell_end(note, &result);
  }
}

// --- The beginning ----------------------------------------------------------
// By a native, or by the host between its calls.
static bool may_go(const CspCall *call) {
  if (native_is_over(call)) return false;
  const Csp *csp = runtime_of(call->vm);
  if (csp->closing) return false;
  return call->g != NULL ||
         (call == &csp->host && call->local->p->current == NULL);
}

static ObjTask *task_for(Local *local, GoNote *note) {
  if (note == NULL) return task_of(local, sizeof(ObjTask));
  ObjTask *task = task_of(local, TASK_TOLD_SIZE);
  if (task == NULL) return NULL;
  task->obj.flags = TASK_IS_TOLD;
  // relaxed: its panic is told. Nobody else has the task yet
  rt_store_relaxed(&task->awaited, 1u);
  *note_of(task) = note;
  return task;
}

static Goroutine *task_goroutine(Local *local, Value function, int argc,
                                 const Value *argv, GoNote *note) {
  ObjTask *task = task_for(local, note);
  Goroutine *g =
      task != NULL ? goroutine_new(local, function, argv, argc) : NULL;
  if (g == NULL) return NULL;
  g->task = task;
  g->created_in = NULL;
  return g;
}

static CspValue begin_task(CspCall *call, Goroutine *g, GoNote *note) {
  Csp *csp = runtime_of(call->vm);
  Local *local = call->local;
  RT_ASSERT(g->task != NULL && (note == NULL || *note_of(g->task) == note));
  CspValue task = csp_wrap(value_from_obj(g->task));
  if (note != NULL) {
    rt_lock(&csp->host_lock);
    link_note(csp, note);
    rt_unlock(&csp->host_lock);
  }
  if (call->g != NULL && call->g->g.group != NULL)
    group_join(local->p, call->g->g.group, &g->g);
  sched_spawn(local->p, &g->g);
  if (call->g == NULL) stepped_touched(call->vm->sched);
  return task;
}

CspValue csp_go(CspCall *call, CspValue function, int argc,
                const CspValue *argv,
                void (*done)(void *data, const CspResult *result), void *data) {
  if (!may_go(call)) return csp_wrap(VALUE_UNDEF);
  if (!goroutine_room(call->vm)) {
    csp_panic(call, "csp_go: too many goroutines: the limit is %llu",
              (unsigned long long)call->vm->goroutine_limit);
    return csp_wrap(VALUE_UNDEF);
  }
  GoNote *note =
      done != NULL ? mem_zeroed(call->vm->memory, sizeof *note) : NULL;
  if (note != NULL) *note = (GoNote){.done = done, .data = data};
  Goroutine *g = NULL;
  if (done == NULL || note != NULL)
    g = task_goroutine(call->local, function.word, argc,
                       (const Value *)(const void *)argv, note);
  if (g != NULL) return begin_task(call, g, note);
  mem_free(note);
  csp_panic_memory(call);
  return csp_wrap(VALUE_UNDEF);
}

bool csp_task_done(CspCall *call, CspValue task, CspResult *result) {
  RT_ASSERT(value_is_type(task.word, OBJ_TASK));
  ObjTask *object = (ObjTask *)value_obj(task.word);
  host_no_result(result, CSP_DONE);
  // acquire: pairs with release in finish_task
  if (rt_load_acquire(&object->state) == TASK_RUNNING) return false;
  // relaxed: its panic is told here. drop_awaited reads it, and early enough
  rt_store_relaxed(&object->awaited, 1u);
  host_give_outcome(call->vm, result, object);
  return true;
}
