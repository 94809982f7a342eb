// SPDX-License-Identifier: MIT
// Calls into the language: from a host that steps its runtime, and from natives
// (csp_call, csp_load, csp_step).
//
// A call is a goroutine with a task, and lasts until the task has its outcome.
// The task belongs to the call alone, so it is used again for a later one: some
// are kept by the P, pinned (Local.tasks). One whose goroutine is
// given up is unpinned: the goroutine holds it. Until then the call has
// pointers to the goroutine, so the collector keeps that (TASK_HAS_CALLER).
//
// Stepped, the caller's thread runs the goroutine and all others (stepped_run),
// nested in itself when a native calls. In a runtime with threads the native's
// thread runs that goroutine alone (sched_run_locked), and may have another P
// afterwards: call->local tells, NULL if the runtime has ended.
#include "vm/runtime/api_call.h"

#include <errno.h>
#include <stdlib.h>

#include "vm/heap/collect.h"
#include "vm/heap/local.h"
#include "vm/heap/unit.h"
#include "vm/heap/work.h"
#include "vm/interp/call_native.h"
#include "vm/interp/group_block.h"
#include "vm/interp/interp.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/interp/task.h"
#include "vm/native/builtin_modules.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/object/value_text.h"
#include "vm/runtime/dump.h"
#include "vm/runtime/output.h"
#include "vm/runtime/report.h"
#include "vm/runtime/runtime.h"
#include "vm/runtime/vm.h"

enum {
  HOST_DUMP_SHOWN = 20,
  LOOK_NOW = 1 << 20,  // units of work that lead to the next safepoint
};
static const int64_t GIVE_UP_NS = 10 * 1000 * 1000;

_Static_assert(sizeof(CspValue) == sizeof(Value), "arguments are passed on");

// --- Results ----------------------------------------------------------------
void csp_result_free(CspResult *result) {
  libc_free(result->message);
  result->message = NULL;
}

// For the host, which frees it.
static char *text_take(Text *text) {
  text_add(text, "", 1);
  if (!text->failed) return text->data;
  text_free(text);
  return NULL;
}

void host_no_result(CspResult *result, CspEnd end) {
  *result = (CspResult){.end = end};
  for (int n = 0; n < CSP_RESULTS_MAX; n++) result->values[n] = csp_nil();
}

CspEnd host_failed(CspCall *call, CspResult *result, CspEnd end,
                   const char *what) {
  host_no_result(result, end);
  const char *panic = end == CSP_THREW ? "panic: " : "";
  Text message = {0};
  text_addf(&message, "%s%s\n", panic, what);
  result->message = text_take(&message);
  const VmCode *code = vm_code(call->vm);
  CspValue error = csp_string(call, what, strlen(what));
  if (!csp_is_undef(error)) error = csp_error(call, error, csp_nil());
  if (csp_is_undef(error)) error = csp_wrap(code->memory_error);
  // So that a native that passes it on ends likewise.
  if (end == CSP_INTERRUPTED)
    error = csp_wrap(code->cancel_errors[CANCEL_INTERRUPT]);
  result->values[0] = error;
  return end;
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
  result->message = NULL;
  for (uint64_t n = 0; n < CSP_RESULTS_MAX; n++)
    result->values[n] = csp_wrap(n < count ? from[n] : VALUE_NIL);
  return result->end = CSP_DONE;
}

static CspEnd give_failure(Vm *vm, CspResult *result, const ObjTask *task) {
  Text text = {0};
  report_outcome(&text, vm, task);
  if (text.failed) {  // showing values takes the runtime's memory
    text_free(&text);
    text_addf(&text, "panic: out of memory\n");
  }
  host_no_result(result, CSP_THREW);
  result->message = text_take(&text);
  result->values[0] = csp_wrap(task->results);
  bool interrupted =
      task->results == vm_code(vm)->cancel_errors[CANCEL_INTERRUPT];
  return result->end = interrupted ? CSP_INTERRUPTED : CSP_THREW;
}

CspEnd host_give_outcome(Vm *vm, CspResult *result, const ObjTask *task) {
  // acquire: pairs with release in finish_task
  uint32_t state = rt_load_acquire(&task->state);
  return state == TASK_PANICKED ? give_failure(vm, result, task)
                                : give_values(result, task, state);
}

static CspEnd give_deadlock(CspCall *call, CspResult *result) {
  host_failed(call, result, CSP_STUCK, "deadlock: all goroutines are asleep");
  Dump *dump = result->message != NULL ? dump_take(call->vm) : NULL;
  if (dump == NULL) return CSP_STUCK;
  Text text = {0};
  text_addf(&text, "%s", result->message);
  dump_print(&text, dump, HOST_DUMP_SHOWN);
  dump_free(dump);
  libc_free(result->message);
  result->message = text_take(&text);
  return CSP_STUCK;
}

CspStatus csp_rethrow(CspCall *call, CspResult *result) {
  csp_result_free(result);
  if (result->end == CSP_ENDED) return CSP_PANIC;  // which nobody sees
  // At once: the host's call is interrupted at the next safepoint, and that
  // must not come in the deferred functions (is_interrupted).
  if (result->end == CSP_INTERRUPTED && call->g != NULL && !call->panicked) {
    call->panicked = true;
    vm_panic_value(call->local, call->g, result->values[0].word);
    return CSP_PANIC;
  }
  return csp_tail_named(call, "panic", 1, &result->values[0]);
}

// --- Tasks ------------------------------------------------------------------
static bool take_task(Local *local, HostTask *out) {
  if (local->task_count > 0) {
    *out = local->tasks[--local->task_count];
    return true;
  }
  *out = (HostTask){0};
  out->task = task_new(local);
  if (out->task == NULL) return false;
  out->task->obj.flags = TASK_OF_HOST;
  // relaxed: its panic is told here. Nobody else has the task yet
  rt_store_relaxed(&out->task->awaited, 1u);
  out->pin = heap_pin(local->vm->heap, value_from_obj(out->task));
  return out->pin != 0;
}

static void drop_task(Heap *heap, const HostTask *task) {
  if (task->task != NULL) task->task->obj.flags &= (uint8_t)~TASK_HAS_CALLER;
  if (task->pin != 0) heap_unpin(heap, task->pin);
  if (task->group_pin != 0) heap_unpin(heap, task->group_pin);
}

// Its goroutine has ended. (With a trace it is left to the collector.)
static void give_back(Local *local, HostTask done) {
  if (done.task->trace != NULL || local->task_count == HOST_TASKS) {
    drop_task(local->vm->heap, &done);
    return;
  }
  done.task->obj.flags = TASK_OF_HOST;
  done.task->results = done.task->also = VALUE_NIL;
  // relaxed: nobody else has it
  rt_store_relaxed(&done.task->state, (uint32_t)TASK_RUNNING);
  local->tasks[local->task_count++] = done;
}

// --- Calls ------------------------------------------------------------------
// Has a native passed on that its own call was interrupted? Then the deferred
// functions run already.
static bool is_interrupted(Vm *vm, const Goroutine *g) {
  return g->panic != NULL &&
         g->panic->value == vm_code(vm)->cancel_errors[CANCEL_INTERRUPT];
}

// The goroutine's time is over: it is interrupted, and has some time more for
// that. false: it goes on, and is nobody's.
static bool interrupt_call(CspCall *call, Goroutine *g, ObjTask *task) {
  Vm *vm = call->vm;
  bool stopped = stepped_clear_stop(vm->sched);
  // Of the goroutine whose native has called, if its time is over, too.
  // relaxed: stepped, so this thread alone runs all
  uint64_t callers = rt_load_relaxed(&vm->interrupt);
  // Where it runs, and where it waits.
  if (!is_interrupted(vm, g)) {
    vm_interrupt(vm, g, task);
    // That is its next step: it could call again before the next safepoint.
    if (g_state(&g->g) == G_RUNNABLE && g->on_resume == RESUME_NOTHING)
      g->on_resume = RESUME_GAVE_UP;
  }
  Group *group = g->g.group;
  while (group != NULL && group->owner == &g->g && !group->solo)
    group = group->parent;
  if (group != NULL && group->owner == &g->g)
    group_cancel(call->local->p, group, CANCEL_INTERRUPT);
  bool done = false;
  // Twice: of the first half the thread itself may have had nothing.
  for (int half = 0; half < 2 && !done; half++) {
    int64_t now = rt_now();
    SteppedRun more = {&task->state, now + GIVE_UP_NS / 2, true, now};
    done = stepped_run(vm->sched, NULL, &more) == STEPPED_DONE;
  }
  // What comes too late is for nobody.
  // relaxed: as above
  rt_store_relaxed(&vm->interrupt, callers);
  if (call->g == NULL) return done;
  // The host's call, or its step, is what is to end, and it looks at once.
  if (stopped) stepped_stop(vm->sched);
  csp_charge(call, LOOK_NOW);
  return done;
}

static CspEnd call_stepped(CspCall *call, Goroutine *g, HostTask *task,
                           CspResult *result) {
  Vm *vm = call->vm;
  Csp *csp = runtime_of(vm);
  int64_t limit = csp->time_limit;
  int64_t now = limit > 0 ? rt_now() : 0;
  int64_t until = limit > 0 ? now + limit : RT_FOREVER;
  if (csp->until != 0) until = csp->until;  // it was compiled in that time, too
  csp->until = 0;
  SteppedRun run = {&task->task->state, until, true, now};
  SteppedEnd end = stepped_run(vm->sched, &g->g, &run);
  if (end == STEPPED_DONE) {
    host_give_outcome(vm, result, task->task);
    give_back(call->local, *task);
    return result->end;
  }
  if (end == STEPPED_OVER && interrupt_call(call, g, task->task)) {
    host_give_outcome(vm, result, task->task);
  } else if (end == STEPPED_OVER) {
    host_failed(call, result, CSP_INTERRUPTED,
                "interrupted: it does not end, and is left to itself");
  } else if (end == STEPPED_STUCK) {
    give_deadlock(call, result);
  } else {
    host_no_result(result, CSP_ENDED);
  }
  drop_task(vm->heap, task);
  return result->end;
}

#define NO_THREAD                                                             \
  "no thread is left for other goroutines if one more native waits for what " \
  "it calls (max_threads, or the system's limit)"

// Where it cannot wait the function panics before it begins. The panic ends in
// one piece, without a look. If g left its P here, all threads might be in
// callbacks, and none would take the P.
static void panic_beside(P *p, G *outer, Goroutine *g) {
  Local *local = local_of(p);
  vm_panic(local, g, NO_THREAD);
  g->on_resume = RESUME_UNWIND;  // it has no deferred functions
  local->debt = 0;
  local->overdue = false;
  sched_run_locked(&p, outer, &g->g, false);
  local->overdue = true;  // the caller looks
}

static CspEnd run_beside(CspCall *call, Goroutine *g, HostTask *task,
                         CspResult *result) {
  Vm *vm = call->vm;
  P *p = call->local->p;
  if (!sched_run_locked(&p, &call->g->g, &g->g, true))
    panic_beside(p, &call->g->g, g);
  call->local = p == NULL ? NULL : local_of(p);
  if (p == NULL) {  // the heap is not ours now
    host_no_result(result, CSP_ENDED);
    return CSP_ENDED;
  }
  native_enter(call);  // the function has looks, by which p may be alone
  host_give_outcome(vm, result, task->task);
  give_back(call->local, *task);
  return result->end;
}

// NULL: out of memory. The task may be there, for the next try.
static Goroutine *host_goroutine(Local *local, HostTask *task, Value function,
                                 int argc, const Value *argv) {
  if (task->task == NULL && !take_task(local, task)) {
    task->task = NULL;
    return NULL;
  }
  Goroutine *g = goroutine_new(local, function, argv, argc);
  if (g == NULL) return NULL;
  g->task = task->task;
  g->task->obj.flags |= TASK_HAS_CALLER;
  g->created_in = NULL;
  return g;
}

// What interrupts or cancels the caller does so with the call. Stepped, the
// group is used again: no other thread can be about to cancel it.
static bool can_be_cancelled(const CspCall *call, Goroutine *g,
                             HostTask *task) {
  const Csp *csp = runtime_of(call->vm);
  bool wanted =
      call->g == NULL ? csp->time_limit > 0 : call->g->g.group != NULL;
  if (!wanted) return true;
  ObjGroup *group = group_solo(call->local, g, call->g, task->group);
  if (csp->config.stepped && group != NULL && task->group == NULL) {
    task->group_pin = heap_pin(call->vm->heap, value_from_obj(group));
    if (task->group_pin != 0) task->group = group;
  }
  return group != NULL;
}

static void host_collect(CspCall *call) {
  Heap *heap = call->vm->heap;
  if (call->g != NULL) call->g->on_resume = RESUME_NOTHING;
  heap_want_gc(heap);
  gc_collect(call->local->p, call->g);
}

// What the call is made with is only in C variables.
static bool collect_for(CspCall *call, Value function, int argc,
                        const Value *argv) {
  Heap *heap = call->vm->heap;
  uint32_t *pins =
      mem_alloc(call->vm->memory, ((size_t)argc + 1) * sizeof *pins);
  if (pins == NULL) return false;
  bool all = true;
  for (int n = 0; n <= argc; n++) {
    pins[n] = heap_pin(heap, n < argc ? argv[n] : function);
    all &= pins[n] != 0;
  }
  if (all) host_collect(call);
  for (int n = 0; n <= argc; n++)
    if (pins[n] != 0) heap_unpin(heap, pins[n]);
  mem_free(pins);
  return all;
}

void csp_collect(CspCall *call) {
  if (call->local == NULL) return;
  if (call->g != NULL) {
    heap_want_gc(call->vm->heap);
    return;
  }
  if (!runtime_of(call->vm)->asks_host) host_collect(call);
}

// A native may call short functions for ever, each on a goroutine that ends
// before it looks: so the native does. false: its own goroutine is to stop.
static bool caller_goes_on(CspCall *call) {
  enum { CALLS_TO_LOOK = 256 };
  Local *local = call->local;
  if (++local->calls % CALLS_TO_LOOK != 0 || !work_look(local)) return true;
  call->panicked = true;
  return false;
}

static CspEnd call_function(CspCall *call, Value function, int argc,
                            const Value *argv, CspResult *result) {
  Csp *csp = runtime_of(call->vm);
  Local *local = call->local;
  HostTask task = {0};
  if (call->g != NULL && !caller_goes_on(call))
    return host_failed(call, result, CSP_INTERRUPTED, "interrupted");
  if (call->g != NULL) native_cover_arguments(call);
  // Memory was out, perhaps: then this call shall have what that has left.
  if (call->g == NULL && heap_gc_wanted(csp->vm.heap))
    collect_for(call, function, argc, argv);
  Goroutine *g = host_goroutine(local, &task, function, argc, argv);
  if (g == NULL && collect_for(call, function, argc, argv))
    g = host_goroutine(local, &task, function, argc, argv);
  if (g != NULL && !can_be_cancelled(call, g, &task)) g = NULL;
  if (g == NULL) {
    drop_task(csp->vm.heap, &task);
    if (call->g != NULL) call->g->multi = 0;
    return host_failed(call, result, CSP_THREW, "out of memory");
  }
  CspEnd end = csp->config.stepped ? call_stepped(call, g, &task, result)
                                   : run_beside(call, g, &task, result);
  if (call->g == NULL) {
    // The panic stops here (memory_settle), and the host may make values next.
    if (end == CSP_THREW && heap_gc_wanted(csp->vm.heap))
      collect_for(call, result->values[0].word, 0, NULL);
    return end;
  }
  if (end == CSP_ENDED) {
    call->local = NULL;  // whatever the native returns is for nobody
  } else {
    call->g->multi = 0;
  }
  return end;
}

// false: *result says why. true: *result is as it was.
static bool may_call(CspCall *call, CspResult *result) {
  if (!native_goes_on(call) || runtime_of(call->vm)->closing) {
    host_no_result(result, CSP_ENDED);
  } else if (call->g == NULL && runtime_of(call->vm)->asks_host) {
    host_failed(call, result, CSP_THREW,
                "csp_call: by CspConfig.load, while a script is compiled");
  } else if (call->g == NULL && call != &runtime_of(call->vm)->host) {
    host_failed(call, result, CSP_THREW,
                "csp_call: this CspCall can only make values");
  } else if (call->g != NULL && call->args == NULL) {
    host_failed(call, result, CSP_THREW,
                "csp_call: by an operation of a host's type, or an element "
                "function, which cannot call the script");
  } else if (call->g == NULL && call->local->p->current != NULL) {
    host_failed(call, result, CSP_THREW,
                "csp_call: by something that a goroutine has called, with the "
                "host's CspCall");
  } else if (call->g != NULL && sched_stack_is_used(call->local->p)) {
    host_failed(call, result, CSP_THREW,
                "calls by natives are nested too deep");
  } else {
    return true;
  }
  return false;
}

bool host_may_call(CspCall *call, CspResult *result) {
  if (!may_call(call, result)) return false;
  host_no_result(result, CSP_DONE);
  return true;
}

// What the host calls is what csp_interrupt ends, until that has ended.
static void begin_host_call(CspCall *call) {
  call->later.kind = LATER_NONE;  // a collection may take what csp_park wants
  if (call->g == NULL) stepped_work(call->vm->sched);
}

// The host sees what scripts have printed before.
static void end(const CspCall *call) {
  if (call->g != NULL) return;
  stepped_rest(call->vm->sched);
  vm_out_flush(call->vm);
}

CspEnd csp_call(CspCall *call, CspValue function, int argc,
                const CspValue *argv, CspResult *result) {
  if (!may_call(call, result)) return result->end;
  const Value *args = (const Value *)(const void *)argv;
  begin_host_call(call);
  CspEnd how = call_function(call, function.word, argc, args, result);
  end(call);
  return how;
}

typedef struct HostLoad {
  const char *path, *text;
  size_t len;
  ObjModule *module;
  uint32_t pin;
  char *messages;
} HostLoad;

// The code is a unit of its own (unit.c). NULL, without messages: no memory.
static ObjClosure *load_once(CspCall *call, HostLoad *loading) {
  Vm *vm = call->vm;
  if (heap_gc_wanted(vm->heap)) host_collect(call);
  if (!unit_open(vm)) return NULL;
  ObjModule *module = module_new(vm, loading->path);
  if (module != NULL) loading->pin = heap_pin(vm->heap, value_from_obj(module));
  loading->module = module;
  ObjClosure *main = NULL;
  if (loading->pin != 0)
    main = vm_compile(vm, loading->path, loading->text, loading->len, module,
                      &loading->messages);
  if (unit_close(vm)) return main;
  heap_want_gc(vm->heap);
  return NULL;
}

// Where memory was short, once more after a collection.
static ObjClosure *load_code(CspCall *call, HostLoad *loading) {
  Heap *heap = call->vm->heap;
  ObjClosure *main = load_once(call, loading);
  bool again = main == NULL && !runtime_of(call->vm)->gave_up &&
               heap_limited(heap) && heap_gc_wanted(heap);
  if (!again) return main;
  if (loading->pin != 0) heap_unpin(heap, loading->pin);
  mem_free(loading->messages);
  loading->messages = NULL;
  loading->pin = 0;
  return load_once(call, loading);
}

CspEnd csp_load(CspCall *call, const char *path, const char *text, size_t len,
                CspResult *result) {
  if (!host_may_call(call, result)) return result->end;
  Vm *vm = call->vm;
  if (call->g != NULL)
    return host_failed(call, result, CSP_THREW, "csp_load: from the host only");
  HostLoad loading = {.path = path, .text = text, .len = len};
  begin_host_call(call);
  Csp *csp = runtime_of(vm);
  int64_t until = csp->time_limit > 0 ? rt_now() + csp->time_limit : 0;
  csp->gave_up = false;
  ObjClosure *main = load_code(call, &loading);
  csp->until = until;
  if (main == NULL && csp->gave_up) {
    mem_free(loading.messages);
    host_failed(call, result, CSP_INTERRUPTED,
                "interrupted: the script was being compiled");
  } else if (main == NULL && loading.messages == NULL) {
    host_failed(call, result, CSP_THREW, "out of memory");
  } else if (main == NULL) {
    result->message =
        libc_hand_over(loading.messages, strlen(loading.messages));
    result->end = CSP_BAD_SCRIPT;
  } else if (call_function(call, value_from_obj(main), 0, NULL, result) ==
             CSP_DONE) {
    result->count = 1;
    result->values[0] = csp_wrap(value_from_obj(loading.module));
  }
  csp->until = 0;
  if (loading.pin != 0) heap_unpin(vm->heap, loading.pin);
  end(call);
  return result->end;
}

bool csp_member(CspCall *call, CspValue module, const char *name,
                CspValue *value) {
  *value = csp_nil();
  if (!value_is_type(module.word, OBJ_MODULE)) return false;
  const ObjModule *object = (ObjModule *)value_obj(module.word);
  ObjString *key = string_new(call->local, name, strlen(name));
  Value cell;
  if (key == NULL) *value = csp_wrap(VALUE_UNDEF);
  if (key == NULL ||
      !map_get(call->vm, object->members, value_from_obj(key), &cell))
    return false;
  Value v = heap_load(&((ObjCell *)value_obj(cell))->value);
  if (v == VALUE_UNDEF) return false;
  *value = csp_wrap(v);
  return true;
}

// --- The host ---------------------------------------------------------------
bool host_open(Csp *csp) {
  csp->host_lock.rank = &rank_host;
  if (!csp->config.stepped) return true;
  if (!stepped_begin(csp->vm.sched)) return false;
  csp->host = (CspCall){.local = csp->vm.boot, .vm = &csp->vm, .hosts = true};
  return true;
}

static bool run_has_ended(const Csp *csp) {
  // relaxed: stepped, so this thread stored it, in report_claim. Else a hint
  return rt_load_relaxed(&csp->ending) != 0;
}

bool csp_ended(Csp *csp, int *status) {
  bool ended = run_has_ended(csp);
  if (ended) *status = csp->status;
  return ended;
}

CspCall *csp_host(Csp *csp) {
  if (!csp->config.stepped || run_has_ended(csp)) return NULL;
  csp->goes_on = true;
  csp->host.panicked = false;
  csp->host.nresults = 0;
  return &csp->host;
}

void csp_limit_time(Csp *csp, int64_t ns) { csp->time_limit = ns; }

CspStep csp_step(Csp *csp, int64_t ns) {
  if (csp_host(csp) == NULL) return CSP_CLOSED;
  if (csp->asks_host) return CSP_IDLE;
  Sched *sched = csp->vm.sched;
  int64_t now = ns < 0 ? 0 : rt_now();
  SteppedRun run = {NULL, ns < 0 ? RT_FOREVER : now + ns, false, now};
  stepped_work(sched);
  SteppedEnd end = stepped_run(sched, NULL, &run);
  stepped_rest(sched);
  vm_out_flush(&csp->vm);
  switch (end) {
    case STEPPED_IDLE:
      return CSP_IDLE;
    case STEPPED_OVER:
      return CSP_MORE;
    case STEPPED_ENDED:
      return CSP_CLOSED;
    case STEPPED_DONE:   // nothing is waited for
    case STEPPED_STUCK:  // likewise
      break;
  }
  rt_throw("csp_step: a step ended by %d", (int)end);
}

int csp_fd(Csp *csp) {
  if (csp->config.stepped) return stepped_fd(csp->vm.sched);
  errno = EINVAL;
  return -1;
}

int64_t csp_next(Csp *csp) {
  if (csp_host(csp) == NULL) return -1;
  int64_t when = stepped_next(csp->vm.sched);
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
