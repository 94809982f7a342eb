// SPDX-License-Identifier: MIT
// How programs end badly: uncaught panics and errors, deadlocks, tasks whose
// panic nobody saw. The first report decides the exit status; others that come
// while the runtime ends are not printed.
#include <stdlib.h>

#include "vm/heap/local.h"
#include "vm/interp/interp.h"
#include "vm/interp/panic.h"
#include "vm/object/format.h"
#include "vm/runtime/dump.h"
#include "vm/runtime/runtime.h"

bool report_claim(Csp *csp, int status) {
  uint32_t none = 0;
  // RMW: the first one wins; the status is read when all threads are joined
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

static void add_reported(Text *text, Vm *vm, Value v) {
  Text part = {.memory = vm->memory, .most = MESSAGE_MAX};
  const ObjString *s =
      value_is_type(v, OBJ_STRING) ? (ObjString *)value_obj(v) : NULL;
  bool cut = s != NULL && s->len >= MESSAGE_MAX;
  if (cut) {
    text_add(text, s->data, MESSAGE_MAX);
  } else {
    format_value(&part, vm, v, false);
    if (part.data != NULL) text_add(text, part.data, part.len);
    cut = part.full;
    if (part.failed && !part.full) text->failed = true;
  }
  if (cut) text_addf(text, "... (and more)");
  text_free(&part);
}

// A panic's or error's value in one line, with its causes. trace: may hold
// what string() methods gave.
static void add_message(Text *text, Vm *vm, Value v, const Trace *trace) {
  if (trace_text(trace) != NULL) {
    text_add(text, trace_text(trace), trace->text_size - 1);
    return;
  }
  for (int depth = 0; depth < CAUSES_SHOWN; depth++) {
    if (!value_is_type(v, OBJ_ERROR)) {
      add_reported(text, vm, v);
      return;
    }
    const ObjError *e = (ObjError *)value_obj(v);
    add_reported(text, vm, e->message);
    if (e->cause == VALUE_NIL) return;
    text_addf(text, "\n  caused by: ");
    v = e->cause;
  }
}

void report_message(Text *text, Vm *vm, Value v) {
  add_message(text, vm, v, NULL);
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

enum { DUMP_SHOWN = 100 };   // goroutines, or such as are alike
enum { PANICS_SHOWN = 10 };  // of the newest, and of the oldest

// A chain of panics, the oldest first.
static void add_panics(Text *text, Vm *vm, const Panic *newest) {
  size_t count = 0;
  for (const Panic *p = newest; p != NULL; p = p->link) count++;
  const Panic **all = mem_alloc(vm->memory, count * sizeof(Panic *));
  if (all == NULL) text->failed = true;
  if (all == NULL) return;
  size_t at = count;
  for (const Panic *p = newest; p != NULL; p = p->link) all[--at] = p;
  RT_ASSERT(at == 0);
  for (size_t n = 0; n < count; n++) {
    if (n == PANICS_SHOWN && count > 2 * PANICS_SHOWN) {
      text_addf(text, "... %zu more panics ...\n", count - 2 * PANICS_SHOWN);
      n = count - PANICS_SHOWN;
    }
    text_addf(text, "panic: ");
    add_message(text, vm, all[n]->value, all[n]->trace);
    text_addf(text, all[n]->recovered ? " [recovered]\n" : "\n");
  }
  mem_free(all);
}

// A panic, or an error that nobody took: panic_end_with.
static void send_panic(Vm *vm, const Panic *panic, Dump *dump) {
  Text text = {.memory = vm->memory};
  if (panic->error_at != NULL) {
    text_addf(&text, "error: ");
    add_message(&text, vm, panic->value, panic->trace);
    text_addf(&text, "\n%s", panic->error_at);
  } else {
    add_panics(&text, vm, panic);
    text_addf(&text, "\n");
    if (panic->trace != NULL) trace_print(&text, panic->trace, "running");
    if (dump != NULL) dump_print(&text, dump, DUMP_SHOWN);
  }
  send_report(runtime_of(vm), &text);
}

Next report_panic(Local *local, Goroutine *g, const Panic *panic) {
  if (report_claim(runtime_of(local->vm), 1))
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

void report_and_go_on(Vm *vm, const Panic *panic) {
  send_panic(vm, panic, NULL);
}

void report_outcome(Text *text, Vm *vm, const ObjTask *task) {
  RT_ASSERT(rt_load_relaxed(&task->state) == TASK_PANICKED);
  const Trace *trace = task->trace;
  bool interrupted =
      task->results == vm_code(vm)->cancel_errors[CANCEL_INTERRUPT];
  if (!interrupted)
    text_addf(text, trace != NULL && trace->error ? "error: " : "panic: ");
  add_message(text, vm, task->results, trace);
  text_addf(text, "\n");
  if (trace != NULL) trace_print_frames(text, trace);
}

Next report_error(Local *local, Goroutine *g, Value error) {
  Text text = {.memory = local->vm->memory};
  const Proto *proto = frame_closure(g->base)->proto;
  if (proto->path != NULL && proto->nlines > 0) {
    LineInfo at = proto_line(proto, g->pc - 1);
    text_addf(&text, "  at %s:%u:%u\n", proto->path->data, at.line, at.col);
  } else if (g->created_in != NULL) {
    LineInfo at = proto_line(g->created_in, g->created_pc);
    text_addf(&text, "  in goroutine %llu created at %s:%u:%u\n",
              (unsigned long long)g->g.id, g->created_in->path->data, at.line,
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

// --- Tasks that panicked ----------------------------------------------------
static void report_task(Csp *csp, const ObjTask *task) {
  Text text = {.memory = csp->vm.memory};
  text_addf(&text, "panic in a task that nobody awaited: ");
  add_message(&text, &csp->vm, task->results, task->trace);
  text_addf(&text, "\n\n");
  if (task->trace != NULL) trace_print(&text, task->trace, "ended");
  send_report(csp, &text);
}

// Until somebody awaits it, or the program ends; without memory to note it, at
// once. Also drops those that have been awaited since.
void vm_task_failed(Vm *vm, ObjTask *task) {
  Csp *csp = runtime_of(vm);
  rt_lock(&csp->failed_lock);
  RT_ASSERT(task->state == TASK_RUNNING &&
            csp->failed_count <= csp->failed_cap);
  size_t kept = 0;
  for (size_t n = 0; n < csp->failed_count; n++)
    // relaxed: seen later is early enough
    if (!rt_load_relaxed(&csp->failed[n]->awaited))
      csp->failed[kept++] = csp->failed[n];
  csp->failed_count = kept;
  if (kept == csp->failed_cap) {
    size_t cap = kept ? kept * 2 : 8;
    ObjTask **more =
        mem_resize(csp->vm.memory, csp->failed, cap * sizeof(ObjTask *));
    if (more != NULL) {
      csp->failed = more;
      csp->failed_cap = cap;
    }
  }
  bool noted = kept < csp->failed_cap;
  if (noted) csp->failed[csp->failed_count++] = task;
  rt_unlock(&csp->failed_lock);
  if (!noted) report_task(csp, task);
}

void report_failed_tasks(Csp *csp) {
  for (size_t n = 0; n < csp->failed_count; n++)
    // relaxed: the run is over, its threads are joined
    if (!rt_load_relaxed(&csp->failed[n]->awaited))
      report_task(csp, csp->failed[n]);
  csp->failed_count = 0;
}
