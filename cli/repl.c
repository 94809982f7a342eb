// SPDX-License-Identifier: MIT
// The REPL's loop: reading, evaluating, showing (repl.h).
//
// An evaluation is a goroutine with a task, so that its panic ends it alone,
// with its trace. If it runs, Ctrl-C makes it panic at its next safepoint. If
// it waits, or would never panic, the loop stops waiting for it. The loop does
// so, too, when nothing can run any more: the runtime then posts that, where it
// would otherwise report a deadlock and end.
#include "cli/repl.h"

#include "cli/repl_internal.h"
#include "lang/compile/session.h"
#include "vm/runtime/output.h"
#include "vm/runtime/report.h"
#include "vm/runtime/vm.h"

#include <stdlib.h>
#include <unistd.h>

#include "vm/heap/local.h"
#include "vm/interp/channels.h"
#include "vm/interp/group.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/interp/task.h"
#include "vm/object/format.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/string.h"

enum { EVENT_INTERRUPT = 1, EVENT_STUCK = 2 };

static const char loop[] =
    "events := _repl_events()\n"
    "func run(task) {\n"
    "  var patience\n"
    "  defer func() { recover() }()\n"  // the task's panic is shown below
    "  for {\n"
    "    select {\n"
    "    case <-task: return\n"
    "    case event := <-events:\n"
    "      if _repl_event(event) { patience = after(500ms) }\n"
    "    case <-patience:\n"
    "      if _repl_waits() { return }\n"
    "    }\n"
    "  }\n"
    "}\n"
    "for {\n"
    "  task := _repl_next()\n"
    "  if task == nil { break }\n"
    "  run(task)\n"
    "  _repl_show(task)\n"
    "}\n";

static const CspClass repl_class = {"repl", NULL, sizeof(Repl *), NULL};

static Repl *repl_of(CspCall *call) {
  return *(Repl **)csp_state(csp_of(call), &repl_class);
}

void repl_say(Repl *r, const char *format, ...) {
  va_list args;
  char *text = NULL;
  va_start(args, format);
  int len = vasprintf(&text, format, args);
  va_end(args);
  if (len < 0) return;
  vm_out_flush(r->vm);
  output_error(r->csp, text, (size_t)len);
  free(text);
}

// --- Events -----------------------------------------------------------------
static void send_event(P *p, Repl *r, int event) {
  chan_try_send(p, &r->events->chan, value_from_small(event));
}

static void when_stuck(P *p, SchedPost *post) {
  Repl *r = (Repl *)(void *)((char *)post - offsetof(Repl, stuck));
  send_event(p, r, EVENT_STUCK);
}

static void when_interrupted(P *p, SchedPost *post) {
  Repl *r = (Repl *)(void *)((char *)post - offsetof(Repl, interrupt));
  // acquire: the count of an interrupt that found the post under way. release:
  // the post is used up. Pairs with the exchange in repl_interrupt
  rt_exchange(&r->posted, 0u);
  send_event(p, r, EVENT_INTERRUPT);
}

void repl_interrupt(Repl *r) {
  // acquire: what is counted below came after `seen` was taken; pairs with the
  // release in read_work
  if (rt_load_acquire(&r->reading)) {
    editor_poke(r->editor, POKE_DROP);
    return;
  }
  // RMW: a count; the exchange below publishes it
  rt_add(&r->interrupts, (uint64_t)1);
  // release: the count; pairs with the exchange in when_interrupted
  if (rt_exchange(&r->posted, 1u) == 0) sched_post(r->vm->sched, &r->interrupt);
}

// Before anything can send one: Ctrl-C may come before the loop runs.
static bool make_events(Repl *r) {
  size_t size = offsetof(ObjChan, chan) + chan_size(1);
  ObjChan *c = (ObjChan *)heap_alloc(&r->vm->boot->heap, size, OBJ_CHAN);
  if (c == NULL) return false;
  c->timer = NULL;
  chan_init(&c->chan, 1);
  r->events = c;
  return heap_pin(r->vm->heap, value_from_obj(c)) != 0;
}

static CspStatus repl_events(CspCall *call) {
  return csp_ok(call, csp_wrap(value_from_obj(repl_of(call)->events)));
}

// No goroutine but this one can run: where the evaluation waits.
static void say_stuck(Repl *r) {
  Text text = {0};
  Trace *trace = trace_capture(r->vm->memory, r->running);
  text_addf(&text, "deadlock: all goroutines are asleep\n");
  if (trace != NULL) trace_print(&text, trace, channel_wait_name(r->running));
  trace_drop(trace);
  text_add(&text, "", 1);
  if (!text.failed) repl_say(r, "%s", text.data);
  text_free(&text);
}

// false: it is not for the evaluation that runs now.
static CspStatus repl_event(CspCall *call) {
  Repl *r = repl_of(call);
  bool stuck = csp_to_int(csp_arg(call, 0)) == EVENT_STUCK;
  // relaxed: the event came after it was counted (when_interrupted)
  if (!stuck && rt_load_relaxed(&r->interrupts) == r->seen)
    return csp_ok_bool(call, false);  // it had just ended, or not begun
  if (stuck) {
    say_stuck(r);
  } else {
    repl_say(r, "\n");  // the terminal has shown ^C
  }
  r->told = stuck;
  // where it runs, and where it waits
  vm_interrupt(r->vm, r->running, r->task);
  group_cancel(call->local->p, &r->group->group, CANCEL_INTERRUPT);
  return csp_ok_bool(call, true);
}

// Some time after an interrupt: the evaluation is in a blocking call, or waits
// in a deferred function. It is left alone then.
static CspStatus repl_waits(CspCall *call) {
  Repl *r = repl_of(call);
  const G *g = &r->running->g;
  GState state = g_state(g);
  bool waits = state == G_WAITING || state == G_SYSCALL;
  // relaxed: a number to show
  if (waits)
    repl_say(r, "interrupted: goroutine %llu ends when its wait does\n",
             (unsigned long long)rt_load_relaxed(&g->id));
  return csp_ok_bool(call, waits);
}

// --- Evaluating -------------------------------------------------------------
static void drop_input(Repl *r) {
  session_input_free(&r->input);
  free(r->input_text);
  r->input_text = NULL;
}

static void begin_evaluation(Repl *r, P *p) {
  Heap *heap = r->vm->heap;
  r->task = r->running->task;
  r->running_pin = heap_pin(heap, value_from_obj(r->running));
  r->task_pin = heap_pin(heap, value_from_obj(r->task));
  r->group_pin = heap_pin(heap, value_from_obj(r->group));
  r->told = false;
  r->stuck.fn = when_stuck;
  sched_when_stuck(r->vm->sched, &r->stuck);
  r->began = rt_now();
  sched_spawn(p, &r->running->g);
}

static void end_evaluation(Repl *r) {
  sched_when_stuck(r->vm->sched, NULL);
  heap_unpin(r->vm->heap, r->running_pin);
  heap_unpin(r->vm->heap, r->task_pin);
  heap_unpin(r->vm->heap, r->group_pin);
  r->running = NULL;
}

bool repl_start(Repl *r, CspCall *call, char *text, const char *path,
                ShowMode mode) {
  if (text == NULL) return false;
  r->input_text = text;
  r->mode = mode;
  snprintf(r->name, sizeof r->name, "repl[%d]", ++r->number);
  r->input = (SessionInput){.path = path != NULL ? path : r->name,
                            .text = text,
                            .len = strlen(text),
                            .file = path != NULL};
  ObjClosure *main = session_compile(&r->session, call->local, &r->input);
  if (r->input.messages != NULL) repl_say(r, "%s", r->input.messages);
  r->running =
      main != NULL ? task_prepare(call->local, value_from_obj(main)) : NULL;
  r->group = NULL;
  if (r->running != NULL)
    r->group = group_solo(call->local, r->running, NULL, NULL);
  if (r->group != NULL) {
    begin_evaluation(r, call->local->p);
    return true;
  }
  if (main != NULL) repl_say(r, "out of memory\n");
  r->failed = true;
  drop_input(r);
  return false;
}

// --- Showing ----------------------------------------------------------------
static void set_last(Repl *r, CspCall *call, const Value *values, size_t n) {
  Value v = values[0], cell;
  ObjString *name = vm_intern(r->vm, "_", 1);
  if (n > 1) {
    ObjList *list = list_new(call->local, n);
    if (list == NULL || !list_append(call->local, list, values, n)) return;
    v = value_from_obj(list);
  }
  if (name != NULL &&
      map_get(r->vm, r->session.module->members, value_from_obj(name), &cell))
    heap_store(&call->local->heap, &((ObjCell *)value_obj(cell))->value, v);
}

static void show_time(Text *text, int64_t ns) {
  static const struct {
    double ns;
    const char *unit;
  } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  int unit = 0;
  while (unit < 3 && (double)ns < units[unit].ns) unit++;
  text_addf(text, "%.3g %s\n", (double)ns / units[unit].ns, units[unit].unit);
}

static void show_values(Repl *r, CspCall *call, const Value *values, size_t n) {
  Text text = {0};
  int64_t ns = rt_now() - r->began;
  for (size_t i = 0; i < n; i++) {
    if (i > 0) text_addf(&text, ", ");
    if (r->mode == SHOW_TYPES) {
      text_addf(&text, "%s", value_type_name(values[i]));
    } else {
      print_value(&text, call, values[i]);
    }
  }
  if (n > 0) text_addf(&text, "\n");
  if (r->mode == SHOW_TIME) show_time(&text, ns);
  if (!text.failed && text.len > 0) csp_write_out(call, text.data, text.len);
  text_free(&text);
  if (n > 0 && r->mode != SHOW_TYPES) set_last(r, call, values, n);
}

// `f()?` was the last statement, and this is what f() returned.
static bool is_error(Repl *r, const Value *values, size_t n) {
  if (!r->input.checked || n == 0 || values[n - 1] == VALUE_NIL) return false;
  Text text = {0};
  text_addf(&text, "error: ");
  report_message(&text, r->vm, values[n - 1]);
  text_addf(&text, "\n  at %s:%u:%u\n", r->input.path, r->input.line,
            r->input.col);
  text_add(&text, "", 1);
  if (!text.failed) repl_say(r, "%s", text.data);
  text_free(&text);
  return true;
}

static void show_panic(Repl *r, const ObjTask *task) {
  Text text = {0};
  report_outcome(&text, r->vm, task);
  text_add(&text, "", 1);
  if (!text.failed) repl_say(r, "%s", text.data);
  text_free(&text);
}

static bool show_returned(Repl *r, CspCall *call, const ObjTask *task,
                          uint32_t state) {
  const Value *values = &task->results;
  size_t n = 1;
  if (state == TASK_RETURNED) {
    const ObjValues *block = (ObjValues *)value_obj(task->results);
    values = block->slots;
    n = (size_t)block->len;
  }
  if (is_error(r, values, n)) return false;
  show_values(r, call, values, n - (r->input.checked && n > 0));
  return true;
}

static CspStatus repl_show(CspCall *call) {
  Repl *r = repl_of(call);
  ObjTask *task = (ObjTask *)value_obj(csp_arg(call, 0).word);
  // acquire: as in task_deliver
  uint32_t state = rt_load_acquire(&task->state);
  bool fine = false;
  // relaxed: as in task_deliver
  rt_store_relaxed(&task->awaited, 1u);
  if (state == TASK_PANICKED) {
    if (!r->told) show_panic(r, task);
  } else if (state != TASK_RUNNING) {
    fine = show_returned(r, call, task, state);
  }
  // What comes too late is for nobody.
  // relaxed: goroutines compare it with their id, and no id comes again
  if (state != TASK_RUNNING) rt_store_relaxed(&r->vm->interrupt, (uint64_t)0);
  if (fine && r->mode != SHOW_TYPES) entries_add(r);
  if (!fine) r->failed = true;
  end_evaluation(r);
  drop_input(r);
  return csp_ok_nothing(call);
}

// --- Reading ----------------------------------------------------------------
static CspStatus next_input(CspCall *call, Repl *r);

// A call that is dropped by csp_free is told of, too; r is gone then.
static bool is_over(CspCall *call) { return csp_of(call)->closing; }

static void read_work(void *data) {
  Repl *r = data;
  // release: as below, though nothing hangs on it: the editor was there before
  rt_store_release(&r->reading, 1u);
  r->text = read_input(r);
  // relaxed: what is counted after the store below is not in it
  r->seen = rt_load_relaxed(&r->interrupts);
  // release: keeps the load before it; pairs with the acquire in repl_interrupt
  rt_store_release(&r->reading, 0u);
}

static CspStatus end_of_input(CspCall *call, Repl *r) {
  bool failed = r->failed && r->editor == NULL;
  return failed ? csp_exit(call, CSP_FAILED) : csp_ok(call, csp_nil());
}

static void dump_work(void *data) {
  Repl *r = data;
  r->dump = csp_dump_goroutines(r->csp);
}

static CspStatus dump_done(CspCall *call, void *data, bool made) {
  if (is_over(call)) return CSP_OK;
  Repl *r = data;
  if (made && r->dump != NULL) {
    csp_write_out(call, r->dump, strlen(r->dump));
  } else {
    repl_say(r, ":goroutines: %s\n", made ? "out of memory" : csp_no_thread());
  }
  free(r->dump);
  r->dump = NULL;
  return next_input(call, r);
}

static CspStatus running(CspCall *call, Repl *r) {
  return csp_ok(call, csp_wrap(value_from_obj(r->task)));
}

static CspStatus do_command(CspCall *call, Repl *r) {
  CommandEnd end = command_run(r, call, r->text);
  free(r->text);
  r->text = NULL;
  switch (end) {
    case COMMAND_RUNS:
      return running(call, r);
    case COMMAND_DUMPS:
      return csp_block(call, dump_work, dump_done, r);
    case COMMAND_QUITS:
      return end_of_input(call, r);
    default:
      return next_input(call, r);
  }
}

static CspStatus read_done(CspCall *call, void *data, bool made) {
  if (is_over(call)) return CSP_OK;
  Repl *r = data;
  if (!made) return csp_panic(call, "cannot read: %s", csp_no_thread());
  if (r->text == NULL) return end_of_input(call, r);
  if (command_is(r->text)) return do_command(call, r);
  char *text = r->text;
  r->text = NULL;
  if (text[strspn(text, " \t\r\n")] == '\0') {
    free(text);
    return next_input(call, r);
  }
  if (repl_start(r, call, text, NULL, SHOW_VALUES)) return running(call, r);
  return next_input(call, r);
}

static CspStatus next_input(CspCall *call, Repl *r) {
  return csp_block_slow(call, read_work, read_done, r);
}

// The task of the next evaluation. nil: the end.
static CspStatus repl_next(CspCall *call) {
  Repl *r = repl_of(call);
  char *text = r->file_text;
  r->file_text = NULL;
  if (text != NULL && repl_start(r, call, text, r->file, SHOW_VALUES))
    return running(call, r);
  return next_input(call, r);
}

// --- The run ----------------------------------------------------------------
static const CspFunction natives[] = {
    {"_repl_events", "", repl_events},    {"_repl_next", "", repl_next},
    {"_repl_event", "event", repl_event}, {"_repl_waits", "", repl_waits},
    {"_repl_show", "task", repl_show},    {NULL, NULL, NULL}};

static ObjClosure *prepare(Repl *r) {
  Repl **state;
  if (!csp_register_class(r->csp, &repl_class, NULL)) return NULL;
  if ((state = csp_state(r->csp, &repl_class)) == NULL) return NULL;
  *state = r;
  if (!make_events(r)) return NULL;
  if (!csp_register_builtins(r->csp, natives)) return NULL;
  if (!session_begin(&r->session, r->vm)) return NULL;
  CompileInput input = {.path = "(repl)",
                        .text = loop,
                        .len = sizeof loop - 1,
                        .privileged = true};
  char *messages = NULL;
  ObjClosure *main = r->vm->compile(r->vm, &input, &messages);
  mem_free(messages);
  return main;
}

Editor *repl_prepare(CspConfig *config) {
  signals_block();  // (readline blocks them for a moment, too)
  Editor *editor = editor_new(complete_word);
  if (editor == NULL) {
    signals_unblock();
    return NULL;
  }
  config->write_out = editor_write_out;
  config->write_err = editor_write_err;
  config->write_arg = editor;
  return editor;
}

static const char greeting[] =
    "cspvm " CSP_VERSION ": :help tells what it can do, Ctrl-D ends it\n";

static void run(Repl *r, ObjClosure *main, int *status) {
  SignalWatch signals;
  if (r->editor != NULL) {
    editor_set_argument(r->editor, r);
    editor_write_out(r->editor, greeting, sizeof greeting - 1);
    signals_begin(&signals, r);
  }
  vm_run(r->csp, main, status);
  if (r->editor != NULL) signals_end(&signals);
}

int repl_run(Csp *csp, Editor *editor, const char *file, const char *text,
             size_t len) {
  int status = CSP_FAILED;
  Repl *r = calloc(1, sizeof *r);
  if (r == NULL) return status;
  *r = (Repl){.csp = csp, .vm = csp_vm(csp), .editor = editor, .file = file};
  if (file != NULL) r->file_text = strndup(text, len);
  csp->goes_on = true;
  csp->out.terminal = isatty(STDOUT_FILENO) != 0;
  r->interrupt.fn = when_interrupted;
  ObjClosure *main = prepare(r);
  if (main != NULL) {
    run(r, main, &status);
  } else {
    fprintf(stderr, "cspvm: out of memory\n");
  }
  if (csp->stuck > 0) {  // a thread reads, and may look at r
    if (editor != NULL) editor_restore_terminal(editor);
    return status;
  }
  entries_free(r);
  drop_input(r);
  free(r->file_text);
  free(r->text);
  free(r);
  editor_free(editor);
  return status;
}
