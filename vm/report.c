// SPDX-License-Identifier: MIT
// How programs end badly: uncaught panics and errors, deadlocks, tasks whose
// panic nobody saw. The first report decides the exit status; others that come
// while the runtime ends are not printed.
#include <stdlib.h>

#include "vm/runtime.h"

bool report_claim(Csp *csp, int status) {
  uint32_t none = 0;
  if (!rt_cas(&csp->ending, &none, 1u)) return false;
  csp->status = status;
  return true;
}

static void send_report(Csp *csp, Text *text) {
  vm_out_flush(&csp->vm);
  if (!text->failed) output_error(csp, text->data, text->len);
  text_free(text);
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
      format_value(text, vm, v, false);
      return;
    }
    const ObjError *e = (ObjError *)value_obj(v);
    format_value(text, vm, e->message, false);
    if (e->cause == VALUE_NIL) return;
    text_addf(text, "\n  caused by: ");
    v = e->cause;
  }
}

// The goroutine stays where it is; nobody will ready it.
static Next stop_here(Local *l, Goroutine *g) {
  g->on_resume = RESUME_NOTHING;
  sched_exit(l->vm->sched);
  sched_park(l->p, &g->g, WAIT_OTHER, NULL, NULL);
  return LEFT;
}

Next vm_exit(Local *l, Goroutine *g, int status) {
  report_claim(runtime_of(l->vm), status);
  return stop_here(l, g);
}

// An error that nobody took: panic_end_with.
static Next end_with_error(Local *l, Goroutine *g, const Panic *panic) {
  Csp *csp = runtime_of(l->vm);
  if (report_claim(csp, 1)) {
    Text text = {0};
    text_addf(&text, "error: ");
    add_message(&text, l->vm, panic->value, panic->trace);
    text_addf(&text, "\n%s", panic->error_at);
    send_report(csp, &text);
  }
  return stop_here(l, g);
}

enum { PANICS_SHOWN = 10 };  // of the newest, and of the oldest

// A chain of panics, the oldest first.
static void add_panics(Text *text, Vm *vm, const Panic *newest) {
  size_t count = 0;
  for (const Panic *p = newest; p != NULL; p = p->link) count++;
  const Panic **all = malloc(count * sizeof(Panic *));
  if (all == NULL) return;
  size_t at = count;
  for (const Panic *p = newest; p != NULL; p = p->link) all[--at] = p;
  for (size_t n = 0; n < count; n++) {
    if (n == PANICS_SHOWN && count > 2 * PANICS_SHOWN) {
      text_addf(text, "... %zu more panics ...\n", count - 2 * PANICS_SHOWN);
      n = count - PANICS_SHOWN;
    }
    text_addf(text, "panic: ");
    add_message(text, vm, all[n]->value, all[n]->trace);
    text_addf(text, all[n]->recovered ? " [recovered]\n" : "\n");
  }
  free(all);
}

Next report_panic(Local *l, Goroutine *g, const Panic *panic) {
  Csp *csp = runtime_of(l->vm);
  if (panic->error_at != NULL) return end_with_error(l, g, panic);
  if (report_claim(csp, 1)) {
    Text text = {0};
    add_panics(&text, l->vm, panic);
    text_addf(&text, "\n");
    if (panic->trace != NULL) trace_print(&text, panic->trace, "running");
    send_report(csp, &text);
  }
  return stop_here(l, g);
}

Next report_error(Local *l, Goroutine *g, Value error) {
  Text text = {0};
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
  return panic_end_with(l, g, error, text.data ? text.data : strdup(""));
}

// --- Deadlock ---------------------------------------------------------------
typedef struct Dump {
  Text text;
  Vm *vm;
  uint32_t printed, more;
} Dump;

enum { DUMP_MAX = 100 };

static void dump_goroutine(Dump *dump, Goroutine *g) {
  if (dump->printed == DUMP_MAX) {
    dump->more++;
    return;
  }
  dump->printed++;
  Trace *trace = trace_capture(g);
  if (trace == NULL) return;
  char state[96];
  int64_t since = g->g.since ? (rt_now() - g->g.since) / 1000000000 : 0;
  if (since > 0)
    snprintf(state, sizeof state, "%s, %lld s",
             g_wait_name((WaitReason)g->g.reason), (long long)since);
  else
    snprintf(state, sizeof state, "%s", g_wait_name((WaitReason)g->g.reason));
  text_addf(&dump->text, "\n");
  trace_print(&dump->text, trace, state);
  free(trace);
}

static void dump_other(void *arg, Goroutine *g) {
  Dump *dump = arg;
  if (g != dump->vm->main) dump_goroutine(dump, g);
}

void report_deadlock(Vm *vm) {
  Csp *csp = runtime_of(vm);
  if (!report_claim(csp, 1)) return;
  Dump dump = {.vm = vm};
  text_addf(&dump.text, "deadlock: all goroutines are asleep\n");
  dump_goroutine(&dump, vm->main);
  vm_each_goroutine(vm, dump_other, &dump);
  if (dump.more > 0)
    text_addf(&dump.text, "\n... and %u more goroutines\n", dump.more);
  send_report(csp, &dump.text);
}

// --- Tasks that panicked ----------------------------------------------------
// Until somebody awaits it, or the program ends. Also drops those that have
// been awaited since.
void vm_task_failed(Vm *vm, ObjTask *task) {
  Csp *csp = runtime_of(vm);
  rt_lock(&csp->failed_lock);
  size_t kept = 0;
  for (size_t n = 0; n < csp->failed_count; n++)
    if (!rt_load_relaxed(&csp->failed[n]->awaited))
      csp->failed[kept++] = csp->failed[n];
  csp->failed_count = kept;
  if (kept == csp->failed_cap) {
    size_t cap = kept ? kept * 2 : 8;
    ObjTask **more = realloc(csp->failed, cap * sizeof(ObjTask *));
    if (more != NULL) {
      csp->failed = more;
      csp->failed_cap = cap;
    }
  }
  if (kept < csp->failed_cap) csp->failed[csp->failed_count++] = task;
  rt_unlock(&csp->failed_lock);
}

static void report_task(Csp *csp, const ObjTask *task) {
  Text text = {0};
  text_addf(&text, "panic in a task that nobody awaited: ");
  add_message(&text, &csp->vm, task->results, task->trace);
  text_addf(&text, "\n\n");
  if (task->trace != NULL) trace_print(&text, task->trace, "ended");
  send_report(csp, &text);
}

void report_failed_tasks(Csp *csp) {
  for (size_t n = 0; n < csp->failed_count; n++)
    if (!rt_load_relaxed(&csp->failed[n]->awaited))
      report_task(csp, csp->failed[n]);
  csp->failed_count = 0;
}
