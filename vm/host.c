// SPDX-License-Identifier: MIT
// Calls into the language: from a host that steps its runtime, and from natives
// (csp_call, csp_load, csp_step).
//
// A call is a goroutine with a task, and lasts until the task has its outcome.
// The task belongs to the call alone, so it is used again for a later one: some
// are kept, pinned (csp->tasks, guarded by host_lock). One whose goroutine is
// given up is unpinned: the goroutine holds it.
//
// Stepped, the caller's thread runs the goroutine and all others (host_run),
// nested in itself when a native calls. In a runtime with threads the native's
// thread runs that goroutine alone (sched_run_locked), and may have another P
// afterwards: call->local tells, NULL if the runtime has ended.
#include <errno.h>
#include <stdlib.h>

#include "vm/dump.h"
#include "vm/runtime.h"

// Natives may call while the C stack has grown by less, all in all: the
// runtime's own threads have RT_THREAD_STACK.
enum { CALLS_STACK = RT_THREAD_STACK * 3 / 4, DUMP_SHOWN = 20 };
static const int64_t GIVE_UP_NS = 10 * 1000 * 1000;

_Static_assert(sizeof(CspValue) == sizeof(Value), "arguments are passed on");

// --- Results ----------------------------------------------------------------
void csp_result_free(CspResult *result) {
  free(result->message);
  result->message = NULL;
}

static char *text_take(Text *text) {
  text_add(text, "", 1);
  if (!text->failed) return text->data;
  text_free(text);
  return NULL;
}

// What failed without a panic of its own, or could not begin.
static CspEnd failed(CspCall *call, CspResult *result, CspEnd end,
                     const char *what) {
  const char *panic = end == CSP_THREW ? "panic: " : "";
  if (asprintf(&result->message, "%s%s\n", panic, what) < 0)
    result->message = NULL;
  const VmCode *code = vm_code(call->vm);
  CspValue error = csp_string(call, what, strlen(what));
  if (!csp_is_undef(error)) error = csp_error(call, error, csp_nil());
  if (csp_is_undef(error)) error = csp_wrap(code->memory_error);
  // So that a native that passes it on ends likewise.
  if (end == CSP_INTERRUPTED)
    error = csp_wrap(code->cancel_errors[CANCEL_INTERRUPT]);
  result->values[0] = error;
  return result->end = end;
}

static CspEnd give_values(CspResult *result, const ObjTask *task,
                          uint32_t state) {
  const Value *from = &task->results;
  uint64_t count = 1;
  if (state == TASK_RETURNED) {
    const ObjValues *block = (ObjValues *)value_obj(task->results);
    from = block->slots;
    count = block->len;
  }
  result->count = (int)count;
  if (count > CSP_RESULTS_MAX) count = CSP_RESULTS_MAX;
  for (uint64_t n = 0; n < count; n++) result->values[n] = csp_wrap(from[n]);
  return result->end = CSP_DONE;
}

static CspEnd give_failure(Vm *vm, CspResult *result, const ObjTask *task) {
  Text text = {0};
  report_outcome(&text, vm, task);
  result->message = text_take(&text);
  result->values[0] = csp_wrap(task->results);
  bool interrupted =
      task->results == vm_code(vm)->cancel_errors[CANCEL_INTERRUPT];
  return result->end = interrupted ? CSP_INTERRUPTED : CSP_THREW;
}

static CspEnd give_outcome(Vm *vm, CspResult *result, const ObjTask *task) {
  // acquire: pairs with release in finish_task
  uint32_t state = rt_load_acquire(&task->state);
  return state == TASK_PANICKED ? give_failure(vm, result, task)
                                : give_values(result, task, state);
}

static CspEnd give_deadlock(CspCall *call, CspResult *result) {
  failed(call, result, CSP_STUCK, "deadlock: all goroutines are asleep");
  Dump *dump = result->message != NULL ? dump_take(call->vm) : NULL;
  if (dump == NULL) return CSP_STUCK;
  Text text = {0};
  text_addf(&text, "%s", result->message);
  dump_print(&text, dump, DUMP_SHOWN);
  dump_free(dump);
  free(result->message);
  result->message = text_take(&text);
  return CSP_STUCK;
}

CspStatus csp_rethrow(CspCall *call, CspResult *result) {
  csp_result_free(result);
  if (result->end == CSP_ENDED) return CSP_PANIC;  // which nobody sees
  return csp_tail_named(call, "panic", 1, &result->values[0]);
}

// --- Tasks ------------------------------------------------------------------
static bool take_task(Csp *csp, Local *l, HostTask *out) {
  *out = (HostTask){NULL, 0};
  rt_lock(&csp->host_lock);
  if (csp->task_count > 0) *out = csp->tasks[--csp->task_count];
  rt_unlock(&csp->host_lock);
  if (out->task != NULL) return true;
  out->task = conc_task(l);
  if (out->task == NULL) return false;
  out->task->obj.flags = TASK_OF_HOST;
  rt_store_relaxed(&out->task->awaited, 1u);  // relaxed: its panic is told here
  out->pin = heap_pin(csp->vm.heap, value_from_obj(out->task));
  return out->pin != 0;
}

// Its goroutine has ended. (With a trace it is left to the collector.)
static void give_back(Csp *csp, HostTask done) {
  bool kept = false;
  if (done.task->trace == NULL) {
    conc_task_again(csp->vm.sched, done.task);
    rt_lock(&csp->host_lock);
    kept = csp->task_count < HOST_TASKS;
    if (kept) csp->tasks[csp->task_count++] = done;
    rt_unlock(&csp->host_lock);
  }
  if (!kept) heap_unpin(csp->vm.heap, done.pin);
}

// --- Calls ------------------------------------------------------------------
// The goroutine's time is over: it is interrupted, and has some time more for
// that. false: it goes on, and is nobody's.
static bool interrupt(CspCall *call, const Goroutine *g, ObjTask *task) {
  Vm *vm = call->vm;
  host_clear_stop(vm->sched);
  vm_interrupt(vm, g, task);  // where it runs; and where it waits:
  Group *group = g->g.group;
  while (group != NULL && group->owner == &g->g && !group->solo)
    group = group->parent;
  if (group != NULL && group->owner == &g->g)
    group_cancel(call->local->p, group, CANCEL_INTERRUPT);
  bool done = false;
  // Twice: of the first half the thread itself may have had nothing.
  for (int half = 0; half < 2 && !done; half++) {
    HostRun more = {&task->state, rt_now() + GIVE_UP_NS / 2, true};
    done = host_run(vm->sched, NULL, &more) == HOST_DONE;
  }
  // What comes too late is for nobody.
  rt_store_relaxed(&vm->interrupt, (uint64_t)0);
  return done;
}

static CspEnd run_stepped(CspCall *call, Goroutine *g, HostTask *task,
                          CspResult *result) {
  Vm *vm = call->vm;
  Csp *csp = runtime_of(vm);
  int64_t limit = csp->time_limit;
  HostRun run = {&task->task->state, limit > 0 ? rt_now() + limit : RT_FOREVER,
                 true};
  HostEnd end = host_run(vm->sched, &g->g, &run);
  if (end == HOST_DONE) {
    give_outcome(vm, result, task->task);
    give_back(csp, *task);
    return result->end;
  }
  if (end == HOST_OVER && interrupt(call, g, task->task)) {
    give_outcome(vm, result, task->task);
  } else if (end == HOST_OVER) {
    failed(call, result, CSP_INTERRUPTED,
           "interrupted: it does not end, and is left to itself");
  } else if (end == HOST_STUCK) {
    give_deadlock(call, result);
  } else {
    result->end = CSP_ENDED;
  }
  heap_unpin(vm->heap, task->pin);
  return result->end;
}

static CspEnd run_beside(CspCall *call, Goroutine *g, HostTask *task,
                         CspResult *result) {
  Vm *vm = call->vm;
  P *p = sched_run_locked(call->local->p, &call->g->g, &g->g);
  call->local = p == NULL ? NULL : local_of(p);
  if (p == NULL) return result->end = CSP_ENDED;  // the heap is not ours now
  give_outcome(vm, result, task->task);
  give_back(runtime_of(vm), *task);
  return result->end;
}

// NULL: out of memory; the task may be there, for the next try.
static Goroutine *goroutine_for(Local *l, HostTask *task, Value function,
                                int argc, const Value *argv) {
  Csp *csp = runtime_of(l->vm);
  if (task->task == NULL && !take_task(csp, l, task)) {
    task->task = NULL;
    return NULL;
  }
  Goroutine *g = goroutine_new(l, function, argv, argc);
  if (g == NULL) return NULL;
  g->task = task->task;
  g->created_in = NULL;
  return g;
}

// What interrupts or cancels the caller does so with the call.
static bool can_be_cancelled(const CspCall *call, Goroutine *g) {
  bool wanted = call->g == NULL ? runtime_of(call->vm)->time_limit > 0
                                : call->g->g.group != NULL;
  return !wanted || group_solo(call->local, g, call->g) != NULL;
}

static void collect(CspCall *call) {
  Heap *heap = call->vm->heap;
  if (call->g != NULL) call->g->on_resume = RESUME_NOTHING;
  heap_want_gc(heap);
  gc_collect(call->local->p, call->g);
}

// What the call is made with is only in C variables.
static bool collect_for(CspCall *call, Value function, int argc,
                        const Value *argv) {
  Heap *heap = call->vm->heap;
  uint32_t *pins = malloc(((size_t)argc + 1) * sizeof *pins);
  if (pins == NULL) return false;
  bool all = true;
  for (int n = 0; n <= argc; n++) {
    pins[n] = heap_pin(heap, n < argc ? argv[n] : function);
    all &= pins[n] != 0;
  }
  if (all) collect(call);
  for (int n = 0; n <= argc; n++)
    if (pins[n] != 0) heap_unpin(heap, pins[n]);
  free(pins);
  return all;
}

void csp_collect(CspCall *call) {
  if (call->local != NULL && call->g == NULL) collect(call);
}

static CspEnd call_function(CspCall *call, Value function, int argc,
                            const Value *argv, CspResult *result) {
  Csp *csp = runtime_of(call->vm);
  Local *l = call->local;
  HostTask task = {NULL, 0};
  if (call->g != NULL) native_cover_arguments(call);
  Goroutine *g = goroutine_for(l, &task, function, argc, argv);
  if (g == NULL && collect_for(call, function, argc, argv))
    g = goroutine_for(l, &task, function, argc, argv);
  if (g != NULL && !can_be_cancelled(call, g)) g = NULL;
  if (g == NULL) {
    if (task.pin != 0) heap_unpin(csp->vm.heap, task.pin);
    if (call->g != NULL) call->g->multi = 0;
    return failed(call, result, CSP_THREW, "out of memory");
  }
  CspEnd end = csp->config.stepped ? run_stepped(call, g, &task, result)
                                   : run_beside(call, g, &task, result);
  if (call->g == NULL) return end;
  if (end == CSP_ENDED) {
    call->local = NULL;  // whatever the native returns is for nobody
  } else {
    call->g->multi = 0;
  }
  return end;
}

// May csp_call be called with it?
static bool may_call(CspCall *call, CspResult *result) {
  *result = (CspResult){.end = CSP_DONE};
  for (int n = 0; n < CSP_RESULTS_MAX; n++) result->values[n] = csp_nil();
  if (call->local == NULL || runtime_of(call->vm)->closing) {
    result->end = CSP_ENDED;
  } else if (call->g == NULL && call != &runtime_of(call->vm)->host) {
    failed(call, result, CSP_THREW,
           "csp_call: this CspCall can only make values");
  } else if (call->g == NULL && call->local->p->current != NULL) {
    failed(call, result, CSP_THREW,
           "csp_call: by something that a goroutine has called, with the "
           "host's CspCall");
  } else if (call->g != NULL &&
             sched_stack_used(call->local->p) > CALLS_STACK) {
    failed(call, result, CSP_THREW, "calls by natives are nested too deep");
  } else {
    return true;
  }
  return false;
}

// The host sees what scripts have printed before.
static void flush_for_host(const CspCall *call) {
  if (call->g == NULL) vm_out_flush(call->vm);
}

CspEnd csp_call(CspCall *call, CspValue function, int argc,
                const CspValue *argv, CspResult *result) {
  if (!may_call(call, result)) return result->end;
  call_function(call, function.word, argc, (const Value *)(const void *)argv,
                result);
  flush_for_host(call);
  return result->end;
}

CspEnd csp_load(CspCall *call, const char *path, const char *text, size_t len,
                CspResult *result) {
  if (!may_call(call, result)) return result->end;
  Vm *vm = call->vm;
  if (call->g != NULL)
    return failed(call, result, CSP_THREW, "csp_load: from the host only");
  ObjModule *module = module_new(vm, path);
  uint32_t pin = module ? heap_pin(vm->heap, value_from_obj(module)) : 0;
  if (pin == 0) return failed(call, result, CSP_THREW, "out of memory");
  ObjClosure *main = vm_compile(vm, path, text, len, module, &result->message);
  if (main == NULL) {
    result->end = CSP_BAD_SCRIPT;
  } else if (call_function(call, value_from_obj(main), 0, NULL, result) ==
             CSP_DONE) {
    result->count = 1;
    result->values[0] = csp_wrap(value_from_obj(module));
  }
  heap_unpin(vm->heap, pin);
  flush_for_host(call);
  return result->end;
}

bool csp_member(CspCall *call, CspValue module, const char *name,
                CspValue *value) {
  *value = csp_nil();
  if (!value_is_type(module.word, OBJ_MODULE)) return false;
  const ObjModule *m = (ObjModule *)value_obj(module.word);
  ObjString *key = string_new(call->local, name, strlen(name));
  Value cell;
  if (key == NULL) *value = csp_wrap(VALUE_UNDEF);
  if (key == NULL || !map_get(call->vm, m->members, value_from_obj(key), &cell))
    return false;
  Value v = heap_load(&((ObjCell *)value_obj(cell))->value);
  if (v == VALUE_UNDEF) return false;
  *value = csp_wrap(v);
  return true;
}

// --- The host ---------------------------------------------------------------
bool host_open(Csp *csp) {
  csp->host_lock.rank = RANK_HOST;
  if (!csp->config.stepped) return true;
  if (!host_begin(csp->vm.sched)) return false;
  csp->host = (CspCall){.local = csp->vm.boot, .vm = &csp->vm};
  return true;
}

static bool has_ended(const Csp *csp) {
  return rt_load_relaxed(&csp->ending) != 0;
}

bool csp_ended(Csp *csp, int *status) {
  bool ended = has_ended(csp);
  if (ended) *status = csp->status;
  return ended;
}

CspCall *csp_host(Csp *csp) {
  if (!csp->config.stepped || has_ended(csp)) return NULL;
  csp->goes_on = true;
  csp->host.panicked = false;
  csp->host.nresults = 0;
  return &csp->host;
}

void csp_limit_time(Csp *csp, int64_t ns) { csp->time_limit = ns; }

CspStep csp_step(Csp *csp, int64_t ns) {
  if (csp_host(csp) == NULL) return CSP_CLOSED;
  Sched *s = csp->vm.sched;
  HostRun run = {NULL, ns < 0 ? RT_FOREVER : rt_now() + ns, false};
  HostEnd end = host_run(s, NULL, &run);
  vm_out_flush(&csp->vm);
  if (end == HOST_OVER) host_clear_stop(s);
  return end == HOST_IDLE ? CSP_IDLE : end == HOST_OVER ? CSP_MORE : CSP_CLOSED;
}

int csp_fd(Csp *csp) {
  if (csp->config.stepped) return host_fd(csp->vm.sched);
  errno = EINVAL;
  return -1;
}

int64_t csp_next(Csp *csp) {
  if (csp_host(csp) == NULL) return -1;
  int64_t when = host_next(csp->vm.sched);
  if (when == 0 || when == RT_FOREVER) return when == 0 ? 0 : -1;
  int64_t now = rt_now();
  return when > now ? when - now : 0;
}

// --- Held values ------------------------------------------------------------
CspHandle csp_hold(CspCall *call, CspValue value) {
  return heap_pin(call->vm->heap, value.word);
}

CspValue csp_held(CspCall *call, CspHandle handle) {
  return csp_wrap(heap_pinned(call->vm->heap, handle));
}

void csp_release(Csp *csp, CspHandle handle) {
  if (handle != 0) heap_unpin(csp->vm.heap, handle);
}
