// SPDX-License-Identifier: MIT
// How programs end badly: uncaught panics and errors, deadlocks, tasks whose
// panic nobody saw. The first report decides the exit status; others that come
// while the runtime ends are not printed.
//
// Limits are not checked while a report is made. Its parts are bounded, so that
// it takes some milliseconds at most. The clock is read after it.
#include "vm/runtime/report.h"

#include <stdlib.h>
#include <string.h>

#include "vm/code/proto.h"
#include "vm/heap/collect.h"
#include "vm/heap/local.h"
#include "vm/heap/mark.h"
#include "vm/heap/work.h"
#include "vm/interp/interp.h"
#include "vm/interp/panic.h"
#include "vm/interp/places.h"
#include "vm/interp/rows.h"
#include "vm/interp/stack_trace.h"
#include "vm/object/error.h"
#include "vm/object/list.h"
#include "vm/object/value_text.h"
#include "vm/runtime/cancel_main.h"
#include "vm/runtime/dump.h"
#include "vm/runtime/output.h"
#include "vm/runtime/runtime.h"

bool report_claim(Csp *csp, int status) {
  uint32_t none = 0;
  // RMW: the first one in report_claim wins. The status is read when all
  // threads are joined
  if (!rt_cas(&csp->ending, &none, 1u)) return false;
  csp->status = status;
  return true;
}

static void send_report(Csp *csp, Text *text) {
  static const char cut[] = "... (out of memory for the rest of this report)\n";
  vm_out_flush(&csp->vm);
  if (text->len > 0) output_error(csp, text->data, text->len);
  if (text->failed) output_error(csp, cut, sizeof cut - 1);
  text_free(text);
}

// What stands first in a report is shown longest.
static void add_reported(Text *text, Vm *vm, Value v) {
  enum { BRIEF = 256 };
  size_t most = text->len < MESSAGE_MAX ? MESSAGE_MAX : BRIEF;
  Text part = {.memory = vm->memory, .most = most, .nest = NEST_SHOWN};
  const ObjString *string =
      value_is_type(v, OBJ_STRING) ? (ObjString *)value_obj(v) : NULL;
  bool cut = string != NULL && string->len >= most;
  if (cut) {
    text_add(text, string_data(string), most);
  } else {
    format_value(&part, vm, v, false);
    if (part.data != NULL) text_add(text, part.data, part.len);
    cut = part.full;
    if (part.failed && !part.full) text->failed = true;
  }
  if (cut) text_addf(text, "... (and more)");
  text_free(&part);
}

// One that another carries, with its code and its causes, further in.
static void add_carried(Text *text, Vm *vm, Value v) {
  text_addf(text, "\n  also: ");
  for (int depth = 1; value_is_type(v, OBJ_ERROR); depth++) {
    const ObjError *error = (ObjError *)value_obj(v);
    add_reported(text, vm, error->message);
    error_print_code(text, vm, error, "    ");
    v = error->cause;
    if (v == VALUE_NIL || depth == CAUSES_SHOWN) return;
    text_addf(text, "\n    caused by: ");
  }
  add_reported(text, vm, v);
}

// The errors of deferred calls that another error or panic carries.
static void add_also(Text *text, Vm *vm, Value also) {
  if (also == VALUE_NIL) return;
  const ObjValues *errors = list_block((ObjList *)value_obj(also));
  for (size_t n = 0; n < values_len(errors); n++)
    add_carried(text, vm, heap_load(&errors->slots[n]));
}

// Where a task raised the panic, if its value does not tell.
static void add_raised(Text *text, const Vm *vm, const Trace *trace) {
  if (trace == NULL || trace->raised == NULL) return;
  text_addf(text, "\n");
  trace_print_frames(text, vm, trace->raised);
  if (!text->failed && text->len > 0) text->len--;  // its last newline
}

// A panic's or error's value in one line, with its causes. trace: may hold
// what string() methods gave. shown: is it printed below?
static void add_message(Text *text, Vm *vm, Value v, const Trace *trace,
                        bool shown) {
  if (trace_text(trace) != NULL) {
    text_add(text, trace_text(trace), trace->text_size - 1);
    add_raised(text, vm, trace);
    return;
  }
  for (int depth = 0; depth < CAUSES_SHOWN; depth++) {
    const Trace *own = depth == 0 ? trace : NULL;
    if (!value_is_type(v, OBJ_ERROR)) {
      add_reported(text, vm, v);
      add_raised(text, vm, own);
      return;
    }
    const ObjError *error = (ObjError *)value_obj(v);
    add_reported(text, vm, error->message);
    error_print_code(text, vm, error, "  ");
    places_print(text, error, shown ? own : NULL);
    add_raised(text, vm, own);
    add_also(text, vm, heap_load(&error->also));
    if (error->cause == VALUE_NIL || depth + 1 == CAUSES_SHOWN) return;
    text_addf(text, "\n  caused by: ");
    v = error->cause;
  }
}

// What is thrown, and what it carries, which a text in the trace has.
static void add_thrown(Text *text, Vm *vm, Value v, const Trace *trace,
                       Value also, bool shown) {
  add_message(text, vm, v, trace, shown);
  if (trace_text(trace) == NULL) add_also(text, vm, also);
}

void report_message(Text *text, Vm *vm, Value v) {
  add_message(text, vm, v, NULL, false);
}

// The goroutine stays where it is; nobody will ready it.
static Next stop_here(Local *local, Goroutine *g) {
  RT_ASSERT(local->p->current == &g->g);
  g->on_resume = RESUME_NOTHING;
  sched_exit(local->vm->sched);
  sched_park(local->p, &g->g, WAIT_OTHER, NULL, NULL);
  return LEFT;
}

Next vm_exit(Local *local, Goroutine *g, int status) {
  report_claim(runtime_of(local->vm), status);
  return stop_here(local, g);
}

enum { DUMP_SHOWN = 100 };  // goroutines, or such as are alike

// The panic whose text begins there was recovered. Its first line says so. (The
// text of a task that was awaited may begin with older panics.)
static void mark_recovered(Text *text, size_t from) {
  static const char mark[] = " [recovered]", older[] = "\npanic: ";
  enum { MARK = sizeof mark - 1 };
  size_t old = text->len;
  text_add(text, mark, MARK + 1);
  if (text->failed) return;
  char *at = text->data + from, *next;  // (the mark's zero byte ends the text)
  while ((next = strstr(at, older)) != NULL) at = next + 1;
  text->len--;
  char *end = memchr(at, '\n', (size_t)(text->data + old - at));
  if (end == NULL) return;
  memmove(end + MARK, end, (size_t)(text->data + old - end));
  memcpy(end, mark, MARK);
}

// A chain of panics, the oldest first. The trace of the newest follows.
static void add_panics(Text *text, Vm *vm, const Panic *newest) {
  size_t count = panic_count(newest);
  const Panic **all = mem_alloc(vm->memory, count * sizeof(Panic *));
  if (all == NULL) text->failed = true;
  if (all == NULL) return;
  size_t at = count;
  for (const Panic *panic = newest; panic != NULL; panic = panic->link)
    all[--at] = panic;
  RT_ASSERT(at == 0);
  for (size_t n = 0; n < count; n++) {
    if (n == PANICS_SHOWN && count > 2 * PANICS_SHOWN) {
      text_addf(text, "... %zu more panics ...\n", count - 2 * PANICS_SHOWN);
      n = count - PANICS_SHOWN;
    }
    size_t from = text->len;
    text_addf(text, "panic: ");
    add_thrown(text, vm, all[n]->value, all[n]->trace, all[n]->also,
               n + 1 == count);
    if (all[n]->recovered) mark_recovered(text, from);
    text_addf(text, "\n");
  }
  mem_free(all);
}

// A panic, or an error that nobody took: panic_end_with.
static void send_panic(Vm *vm, const Panic *panic, Dump *dump) {
  Text text = {.memory = vm->memory};
  if (panic->error_at != NULL) {
    text_addf(&text, "error: ");
    add_thrown(&text, vm, panic->value, panic->trace, panic->also, true);
    text_addf(&text, "\n%s", panic->error_at);
    rows_print(&text, vm);
  } else {
    add_panics(&text, vm, panic);
    rows_print(&text, vm);
    text_addf(&text, "\n");
    if (panic->trace != NULL) trace_print(&text, vm, panic->trace, "running");
    if (dump != NULL) dump_print(&text, dump, DUMP_SHOWN);
  }
  send_report(runtime_of(vm), &text);
}

Next report_panic(Local *local, Goroutine *g, const Panic *panic) {
  Csp *csp = runtime_of(local->vm);
  bool ends = cancel_main_ends(local, g);
  bool first = report_claim(csp, ends ? cancel_main_status(csp) : 1);
  // What deferred calls gave is no less an error because a signal came first.
  if (first && (!ends || panic->also != VALUE_NIL))
    send_panic(local->vm, panic, NULL);
  return stop_here(local, g);
}

Next report_panic_waiting(Local *local, Goroutine *g, const Panic *panic) {
  if (!sched_stop_world(local->p, &g->g)) {  // another stops it: after that one
    g->on_resume = RESUME_UNWIND;
    sched_yield_g(local->p, &g->g);
    return LEFT;
  }
  Dump *dump = dump_take(local->vm);
  sched_start_world(local->p);
  if (report_claim(runtime_of(local->vm), 1))
    send_panic(local->vm, panic, dump);
  if (dump != NULL) dump_free(dump);
  return stop_here(local, g);
}

bool vm_goes_on(const Vm *vm, const Goroutine *g) {
  return runtime_of(vm)->goes_on && g != vm->main;
}

void report_and_go_on(Local *local, const Panic *panic) {
  send_panic(local->vm, panic, NULL);
  charge_look(local);
}

void join_panics(Local *local, Panic *newest) {
  enum { FIRST = sizeof "panic: " - 1, LAST = sizeof "\n" - 1 };
  Text text = {.memory = local->vm->memory};
  add_panics(&text, local->vm, newest);
  if (!text.failed) {
    trace_set_text(&newest->trace, text.data + FIRST, text.len - FIRST - LAST);
    if (trace_text(newest->trace) != NULL)
      trace_forget_raised(newest->trace);  // the text has it
  }
  text_free(&text);
  charge_look(local);
}

bool report_is_cancelled(Vm *vm, const ObjTask *task) {
  RT_ASSERT(rt_load_relaxed(&task->state) == TASK_PANICKED);
  return task->results == vm_code(vm)->cancel_errors[CANCELLED] &&
         heap_load(&task->also) == VALUE_NIL;
}

void report_outcome(Text *text, Vm *vm, const ObjTask *task) {
  RT_ASSERT(rt_load_relaxed(&task->state) == TASK_PANICKED);
  const Trace *trace = task->trace;
  // An interruption has no such word, unless it follows a panic (join_panics).
  bool interrupted =
      task->results == vm_code(vm)->cancel_errors[CANCEL_INTERRUPT];
  if (!interrupted || trace_text(trace) != NULL)
    text_addf(text, trace != NULL && trace->error ? "error: " : "panic: ");
  add_thrown(text, vm, task->results, trace, heap_load(&task->also), true);
  text_addf(text, "\n");
  if (trace != NULL) trace_print_frames(text, vm, trace);
}

Next report_error(Local *local, Goroutine *g, Value error) {
  Text text = {.memory = local->vm->memory};
  const Proto *proto = frame_closure(g->base)->proto;
  if (proto->path != NULL && proto->nlines > 0) {
    LineInfo at = proto_line(proto, g->pc - 1);
    text_addf(&text, "  at %s:%u:%u\n", proto->path->own, at.line, at.col);
  } else if (g->created_in != NULL) {
    LineInfo at = proto_line(g->created_in, g->created_pc);
    text_addf(&text, "  in goroutine %llu created at %s:%u:%u\n",
              (unsigned long long)g->g.id, g->created_in->path->own, at.line,
              at.col);
  }
  return panic_end_with(local, g, error, text.data);
}

// --- Deadlock ---------------------------------------------------------------

void report_deadlock(Vm *vm) {
  Csp *csp = runtime_of(vm);
  if (!report_claim(csp, 1)) return;
  Text text = {.memory = vm->memory};
  text_addf(&text, "deadlock: all goroutines are asleep\n");
  Dump *dump = dump_take(vm);
  if (dump != NULL) {
    dump_print(&text, dump, DUMP_SHOWN);
    dump_free(dump);
  } else {
    text.failed = true;
  }
  send_report(csp, &text);
}

// --- Tasks that failed ------------------------------------------------------
static Value last_result(const ObjTask *task) {
  if (!value_is_type(task->results, OBJ_VALUES)) return task->results;
  const ObjValues *all = (ObjValues *)value_obj(task->results);
  return all->slots[all->len - 1];
}

static void add_task(Text *text, Vm *vm, const ObjTask *task) {
  if (task->obj.flags & TASK_HAS_ERROR) {
    text_addf(text, "error in a task that nobody awaited: ");
    add_message(text, vm, last_result(task), NULL, false);
    text_addf(text, "\n");
    return;
  }
  text_addf(text, "panic in a task that nobody awaited: ");
  add_thrown(text, vm, task->results, task->trace, heap_load(&task->also),
             true);
  text_addf(text, "\n\n");
  if (task->trace != NULL) trace_print(text, vm, task->trace, "ended");
}

static void report_task(Csp *csp, const ObjTask *task) {
  Text text = {.memory = csp->vm.memory};
  add_task(&text, &csp->vm, task);
  send_report(csp, &text);
}

// Those that `next` gives, in one report; it gives NULL after the last.
static void report_tasks(Csp *csp, ObjTask *(*next)(Csp *csp, size_t *at)) {
  enum { TASKS_SHOWN = 100 };
  Text text = {.memory = csp->vm.memory};
  const ObjTask *task;
  size_t count = 0;
  for (size_t at = 0; (task = next(csp, &at)) != NULL; count++)
    if (count < TASKS_SHOWN) add_task(&text, &csp->vm, task);
  if (count > TASKS_SHOWN)
    text_addf(&text, "... and in %zu more tasks that nobody awaited\n",
              count - TASKS_SHOWN);
  if (count > 0) send_report(csp, &text);
}

// Those that have been awaited since. failed_lock is held.
static void drop_awaited(Csp *csp) {
  size_t kept = 0;
  for (size_t n = 0; n < csp->failed_count; n++)
    // relaxed: task.c stores it. Seen later is early enough
    if (!rt_load_relaxed(&csp->failed[n]->awaited))
      csp->failed[kept++] = csp->failed[n];
  csp->failed_count = kept;
}

// Is there room for one more? failed_lock is held.
static bool failed_reserve(Csp *csp) {
  RT_ASSERT(csp->failed_count <= csp->failed_cap);
  if (csp->failed_count < csp->failed_cap) return true;
  drop_awaited(csp);
  // Half of it is free then, so that dropping is rare.
  if (csp->failed_count < csp->failed_cap / 2) return true;
  size_t cap = csp->failed_cap ? csp->failed_cap * 2 : 8;
  ObjTask **more =
      mem_resize(csp->vm.memory, csp->failed, cap * sizeof(ObjTask *));
  if (more != NULL) {
    csp->failed = more;
    csp->failed_cap = cap;
  }
  return csp->failed_count < csp->failed_cap;
}

// Noted until somebody awaits it, it is collected, or the program ends; without
// memory for that it is reported at once. Not if somebody has asked for it, as
// csp_call does, which changes its task's flags when it has the outcome.
void vm_task_failed(Vm *vm, ObjTask *task) {
  Csp *csp = runtime_of(vm);
  RT_ASSERT(task->state == TASK_RUNNING);
  // relaxed: api_call.c stores it before the goroutine is made, task.c at any
  // time, and then drop_awaited sees it
  if (rt_load_relaxed(&task->awaited)) return;
  rt_lock(&csp->failed_lock);
  bool noted = failed_reserve(csp);
  if (noted) csp->failed[csp->failed_count++] = task;
  rt_unlock(&csp->failed_lock);
  if (!noted) report_task(csp, task);
}

bool failed_tasks_lost(void *arg, GcMarker *marker) {
  Csp *csp = arg;
  bool any = false;
  rt_lock(&csp->failed_lock);
  drop_awaited(csp);
  for (size_t n = 0; n < csp->failed_count; n++) {
    ObjTask *task = csp->failed[n];
    if (gc_is_marked(task)) continue;
    task->obj.flags |= TASK_IS_LOST;
    gc_mark_obj(marker, task);
    any = true;
  }
  rt_unlock(&csp->failed_lock);
  return any;
}

// The first of those that are lost, which is noted no more; or NULL.
static ObjTask *take_lost(Csp *csp, size_t *from) {
  ObjTask *task = NULL;
  rt_lock(&csp->failed_lock);
  size_t n = *from < csp->failed_count ? *from : csp->failed_count;
  while (n < csp->failed_count && !(csp->failed[n]->obj.flags & TASK_IS_LOST))
    n++;
  *from = n;
  if (n < csp->failed_count) {
    task = csp->failed[n];
    csp->failed[n] = csp->failed[--csp->failed_count];
  }
  rt_unlock(&csp->failed_lock);
  return task;
}

void report_lost_tasks(void *arg) { report_tasks(arg, take_lost); }

// --- When all has ended ----------------------------------------------------
typedef struct Unfinished {
  Csp *csp;
  bool ends;  // one was no task
} Unfinished;

// A panic whose string() method has not ended: it is shown without.
static void report_unfinished(void *arg, Goroutine *g) {
  Unfinished *unfinished = arg;
  if (!g->describing) return;
  g->describing = false;
  // relaxed: all has ended
  if (g->task != NULL && rt_load_relaxed(&g->task->awaited)) return;
  send_panic(&unfinished->csp->vm, panic_in_description(g), NULL);
  unfinished->ends |= g->task == NULL;
}

static ObjTask *next_failed(Csp *csp, size_t *at) {
  return *at < csp->failed_count ? csp->failed[(*at)++] : NULL;
}

bool report_left(Csp *csp) {
  Unfinished u = {.csp = csp};
  drop_awaited(csp);
  report_tasks(csp, next_failed);
  csp->failed_count = 0;
  if (csp->vm.boot != NULL) vm_each_goroutine(&csp->vm, report_unfinished, &u);
  return u.ends;
}
