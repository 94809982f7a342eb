// SPDX-License-Identifier: MIT
// The REPL's loop: reading, evaluating, showing (repl.h).
//
// An evaluation is a goroutine with a task, so that its panic ends it alone,
// with its trace. If it runs, Ctrl-C makes it panic at its next safepoint. If
// it waits, or would never panic, the loop stops waiting for it. The loop does
// so, too, when nothing can run any more: the runtime then posts that, where it
// would otherwise report a deadlock and end.
//
// A signal that ends the REPL cancels the evaluation, as main of a script. The
// loop waits for it then, and begins no other. Such a signal, and the reader's
// thread, both change Repl.phase by one RMW. So either the signal finds that an
// input is read, and ends that, or the reader finds the signal, and the input
// is dropped.
#include "cli/repl.h"

#include "cli/read_source.h"
#include "cli/repl_internal.h"
#include "lang/compile/session.h"
#include "vm/runtime/output.h"
#include "vm/runtime/report.h"
#include "vm/runtime/vm.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "vm/heap/local.h"
#include "vm/interp/group_block.h"
#include "vm/interp/lock_wait.h"
#include "vm/interp/method_tables.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/interp/stack_trace.h"
#include "vm/interp/task.h"
#include "vm/object/error.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/object/value_text.h"

enum { EVENT_INTERRUPT = 1, EVENT_STUCK = 2, EVENT_END = 3 };

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
    "  for task != nil {\n"
    "    run(task)\n"
    "    task = _repl_show(task)\n"
    "  }\n"
    "}\n";

static const CspClass repl_class = {"repl", NULL, sizeof(Repl *), NULL};

static Repl *repl_of(CspCall *call) {
  return *(Repl **)csp_state(csp_of(call), &repl_class);
}

void repl_say(Repl *repl, const char *format, ...) {
  va_list args;
  char *text = NULL;
  va_start(args, format);
  int len = vasprintf(&text, format, args);
  va_end(args);
  if (len < 0) return;
  vm_out_settle(repl->vm);
  output_error(repl->csp, text, (size_t)len);
  free(text);
}

// --- Events -----------------------------------------------------------------
static void send_event(P *p, Repl *repl, int event) {
  chan_try_send(p, &repl->events->chan, value_from_small(event));
}

static void when_stuck(P *p, SchedPost *post) {
  Repl *repl = (Repl *)(void *)((char *)post - offsetof(Repl, stuck));
  send_event(p, repl, EVENT_STUCK);
}

static void when_interrupted(P *p, SchedPost *post) {
  Repl *repl = (Repl *)(void *)((char *)post - offsetof(Repl, interrupt));
  // acquire: the count of an interrupt that found the post under way. release:
  // the post is used up. Pairs with the exchange in repl_interrupt
  rt_exchange(&repl->posted, 0u);
  send_event(p, repl, EVENT_INTERRUPT);
}

void repl_interrupt(Repl *repl) {
  // acquire: what is counted below came after `seen` was taken. Pairs with the
  // RMW at the end of read_work
  if (rt_load_acquire(&repl->phase) & PHASE_READS) {
    editor_poke(repl->editor, POKE_DROP);
    return;
  }
  // RMW: a count for is_interrupted. The exchange below publishes it
  rt_add(&repl->interrupts, (uint64_t)1);
  // release: the count. Pairs with the exchange in when_interrupted
  if (rt_exchange(&repl->posted, 1u) == 0)
    sched_post(repl->vm->sched, &repl->interrupt);
}

static void when_ending(P *p, SchedPost *post) {
  Repl *repl = (Repl *)(void *)((char *)post - offsetof(Repl, ending));
  send_event(p, repl, EVENT_END);
}

QuitAnswer repl_ask_to_end(void *arg, int status) {
  Repl *repl = arg;
  // relaxed: the RMW below publishes it
  rt_store_relaxed(&repl->end_status, (uint32_t)status);
  // release: the status. Pairs with the acquire in repl_ends. RMW: see the head
  uint32_t before = rt_or(&repl->phase, PHASE_ENDS);
  if ((before & PHASE_READS) == 0) {
    sched_post(repl->vm->sched, &repl->ending);
    return QUIT_ENDS;
  }
  // Only an editor can leave the line that it reads.
  if (repl->editor == NULL) return QUIT_INTERRUPT;
  editor_poke(repl->editor, POKE_END);
  return QUIT_ENDS;
}

bool repl_ends(const Repl *repl) {
  // acquire: the status. Pairs with the RMW in repl_ask_to_end
  return (rt_load_acquire(&repl->phase) & PHASE_ENDS) != 0;
}

// Before anything can send one: Ctrl-C may come before the loop runs.
static bool make_events(Repl *repl) {
  size_t size = offsetof(ObjChan, chan) + chan_size(1);
  ObjChan *channel =
      (ObjChan *)heap_alloc(&repl->vm->boot->heap, size, OBJ_CHAN);
  if (channel == NULL) return false;
  channel->timer = NULL;
  chan_init(&channel->chan, 1);
  repl->events = channel;
  return heap_pin(repl->vm->heap, value_from_obj(channel)) != 0;
}

static CspStatus repl_events(CspCall *call) {
  return csp_ok(call, csp_wrap(value_from_obj(repl_of(call)->events)));
}

// No goroutine but this one can run: where the evaluation waits.
static void say_stuck(Repl *repl) {
  Text text = {0};
  Trace *trace = trace_capture(repl->vm->memory, repl->running);
  text_addf(&text, "deadlock: all goroutines are asleep\n");
  char room[LOCK_WAIT_TEXT];
  if (trace != NULL)
    trace_print(&text, repl->vm, trace, lock_wait_text(repl->running, room));
  trace_drop(trace);
  text_add(&text, "", 1);
  if (!text.failed) repl_say(repl, "%s", text.data);
  text_free(&text);
}

// false: it is not for the evaluation that runs now.
static CspStatus repl_event(CspCall *call) {
  Repl *repl = repl_of(call);
  bool stuck = csp_to_int(csp_arg(call, 0)) == EVENT_STUCK;
  // relaxed: the event came after it was counted (when_interrupted)
  if (!stuck && rt_load_relaxed(&repl->interrupts) == repl->seen) {
    // (An event of the end may have found no room. Then this is the other.)
    if (repl_ends(repl))
      group_cancel(call->local->p, &repl->group->group, CANCELLED);
    return csp_ok_bool(call, false);  // else it had just ended, or not begun
  }
  if (stuck) {
    say_stuck(repl);
  } else {
    repl_say(repl, "\n");  // the terminal has shown ^C
  }
  repl->told = stuck;
  // where it runs, and where it waits
  vm_interrupt(repl->vm, repl->running, repl->task);
  group_cancel(call->local->p, &repl->group->group, CANCEL_INTERRUPT);
  return csp_ok_bool(call, true);
}

// Some time after an interrupt: the evaluation is in a blocking call, or waits
// in a deferred function. It is left alone then.
static CspStatus repl_waits(CspCall *call) {
  Repl *repl = repl_of(call);
  const G *g = &repl->running->g;
  GState state = g_state(g);
  bool waits = state == G_WAITING || state == G_SYSCALL;
  // relaxed: a number to show, which proc_make_runnable has stored
  if (waits)
    repl_say(repl, "interrupted: goroutine %llu ends when its wait does\n",
             (unsigned long long)rt_load_relaxed(&g->id));
  return csp_ok_bool(call, waits);
}

// --- Evaluating -------------------------------------------------------------
static void drop_input(Repl *repl) {
  session_input_free(&repl->input);
  free(repl->input_text);
  free(repl->path);
  repl->input_text = repl->path = NULL;
}

static void begin_evaluation(Repl *repl, P *p) {
  Heap *heap = repl->vm->heap;
  repl->task = repl->running->task;
  repl->running_pin = heap_pin(heap, value_from_obj(repl->running));
  repl->task_pin = heap_pin(heap, value_from_obj(repl->task));
  repl->group_pin = heap_pin(heap, value_from_obj(repl->group));
  repl->told = false;
  repl->stuck.fn = when_stuck;
  sched_when_stuck(repl->vm->sched, &repl->stuck);
  repl->began = rt_now();
  sched_spawn(p, &repl->running->g);
}

static void end_evaluation(Repl *repl) {
  sched_when_stuck(repl->vm->sched, NULL);
  heap_unpin(repl->vm->heap, repl->running_pin);
  heap_unpin(repl->vm->heap, repl->task_pin);
  heap_unpin(repl->vm->heap, repl->group_pin);
  repl->running = NULL;
}

static CspStatus running(CspCall *call, Repl *repl) {
  return csp_ok(call, csp_wrap(value_from_obj(repl->task)));
}

bool repl_start(Repl *repl, CspCall *call, char *text, size_t len,
                const char *path, ShowMode mode) {
  if (text == NULL) return false;
  repl->input_text = text;
  repl->mode = mode;
  snprintf(repl->name, sizeof repl->name, "repl[%d]", ++repl->number);
  repl->input = (SessionInput){.path = path != NULL ? path : repl->name,
                               .text = text,
                               .len = len,
                               .file = path != NULL};
  ObjClosure *main = session_compile(&repl->session, call->local, &repl->input);
  if (repl->input.messages != NULL) repl_say(repl, "%s", repl->input.messages);
  repl->running =
      main != NULL ? task_prepare(call->local, value_from_obj(main)) : NULL;
  repl->group = NULL;
  if (repl->running != NULL)
    repl->group = group_solo(call->local, repl->running, NULL, NULL);
  if (repl->group != NULL) {
    begin_evaluation(repl, call->local->p);
    return true;
  }
  if (main != NULL) repl_say(repl, "out of memory\n");
  repl->failed = true;
  drop_input(repl);
  return false;
}

// --- Showing ----------------------------------------------------------------
static void set_last(Repl *repl, CspCall *call, const Value *values, size_t n) {
  Value v = values[0], cell;
  ObjString *name = vm_intern(repl->vm, "_", 1);
  if (n > 1) {
    ObjList *list = list_new(call->local, n);
    if (list == NULL || !list_append(call->local, list, values, n)) return;
    v = value_from_obj(list);
  }
  if (name != NULL && map_get(repl->vm, repl->session.module->members,
                              value_from_obj(name), &cell))
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

static void show_values(Repl *repl, CspCall *call, const Value *values,
                        size_t n) {
  Text text = {0};
  int64_t ns = rt_now() - repl->began;
  for (size_t i = 0; i < n; i++) {
    if (i > 0) text_addf(&text, ", ");
    if (repl->mode == SHOW_TYPES) {
      text_addf(&text, "%s", value_type_name(values[i]));
    } else {
      print_value(&text, call, values[i]);
    }
  }
  if (n > 0) text_addf(&text, "\n");
  if (repl->mode == SHOW_TIME) show_time(&text, ns);
  if (!text.failed && text.len > 0) csp_write_out(call, text.data, text.len);
  text_free(&text);
  if (n > 0 && repl->mode != SHOW_TYPES) set_last(repl, call, values, n);
}

static void say_report(Repl *repl, Text *report) {
  Text text = {0};
  text_add(report, "", 1);
  if (!report->failed) print_report(&text, &repl->input, report->data);
  text_add(&text, "", 1);
  if (!report->failed && !text.failed) repl_say(repl, "%s", text.data);
  text_free(report);
  text_free(&text);
}

// The text is followed by the place of the input's `?`.
static void say_checked(Repl *repl, Text *text) {
  text_addf(text, "\n  at %s:%u:%u\n", repl->input.path, repl->input.line,
            repl->input.col);
  say_report(repl, text);
}

// --- Errors' texts ----------------------------------------------------------
// `f()?` was the last statement, and gave an error. Its text may need methods,
// which may panic or never end. So a second evaluation makes it. false: no
// memory.
static bool describe_begin(Repl *repl, CspCall *call, Value error) {
  Local *local = call->local;
  Value describe = vm_builtin(local, "_describe");
  ObjTask *task = describe != VALUE_UNDEF ? task_new(local) : NULL;
  Goroutine *g =
      task != NULL ? goroutine_new(local, describe, &error, 1) : NULL;
  if (g == NULL) return false;
  g->task = task;
  g->created_in = NULL;
  repl->group = group_solo(local, g, NULL, NULL);
  if (repl->group == NULL) return false;
  repl->described_pin = heap_pin(repl->vm->heap, error);
  if (repl->described_pin == 0) return false;
  repl->running = g;
  begin_evaluation(repl, local->p);
  return true;
}

// With the text that the task has made. NULL, or it has none: without methods.
static void say_error(Repl *repl, Value error, const ObjTask *task) {
  Text text = {0};
  text_addf(&text, "error: ");
  // acquire: as in task_deliver
  if (task != NULL && rt_load_acquire(&task->state) == TASK_RETURNED_ONE &&
      value_is_type(task->results, OBJ_STRING)) {
    const ObjString *made = (ObjString *)value_obj(task->results);
    text_add(&text, string_data(made),
             made->len < MESSAGE_MAX ? made->len : MESSAGE_MAX);
  } else {
    report_message(&text, repl->vm, error);
  }
  say_checked(repl, &text);
}

static void describe_end(Repl *repl, const ObjTask *task) {
  Heap *heap = repl->vm->heap;
  say_error(repl, heap_pinned(heap, repl->described_pin), task);
  heap_unpin(heap, repl->described_pin);
  repl->described_pin = 0;
}

// --- How an evaluation ended ------------------------------------------------
static void say_no_error(Repl *repl, Value v) {
  Text text = {0};
  text_addf(&text, "panic: ");
  panic_no_error_text(&text, repl->vm, v, false);
  say_checked(repl, &text);
}

static void show_panic(Repl *repl, const ObjTask *task) {
  if (repl_ends(repl) && report_is_cancelled(repl->vm, task)) return;
  Text text = {0};
  report_outcome(&text, repl->vm, task);
  say_report(repl, &text);
}

// What it returned. *error becomes an error that is to be described.
static bool show_returned(Repl *repl, CspCall *call, const ObjTask *task,
                          Value *error) {
  const Value *values = &task->results;
  size_t n = 1;
  if (task->state == TASK_RETURNED) {
    const ObjValues *block = (ObjValues *)value_obj(task->results);
    values = block->slots;
    n = (size_t)block->len;
  }
  Value last = n > 0 ? values[n - 1] : VALUE_NIL;
  bool checked = repl->input.checked;
  if (checked && value_is_error(last)) {
    *error = last;
    return false;
  }
  if (checked && last != VALUE_NIL) {
    say_no_error(repl, last);
    return false;
  }
  repl->drops = value_is_error(last);
  show_values(repl, call, values, n - (checked && n > 0));
  return true;
}

// An input's evaluation. Gives as show_returned.
static bool show_input(Repl *repl, CspCall *call, const ObjTask *task,
                       uint32_t state, Value *error) {
  if (state == TASK_PANICKED) {
    if (!repl->told) show_panic(repl, task);
    return false;
  }
  return state != TASK_RUNNING && show_returned(repl, call, task, error);
}

// The task that is to be run next for the same input, or nil.
static CspStatus repl_show(CspCall *call) {
  Repl *repl = repl_of(call);
  ObjTask *task = (ObjTask *)value_obj(csp_arg(call, 0).word);
  // acquire: as in task_deliver
  uint32_t state = rt_load_acquire(&task->state);
  bool fine = false;
  Value error = VALUE_NIL;
  // relaxed: as in task_deliver
  rt_store_relaxed(&task->awaited, 1u);
  if (repl->described_pin != 0)
    describe_end(repl, task);
  else
    fine = show_input(repl, call, task, state, &error);
  // What comes too late is for nobody.
  // relaxed: work_interrupted compares it with ids, and no id comes again
  if (state != TASK_RUNNING)
    rt_store_relaxed(&repl->vm->interrupt, (uint64_t)0);
  if (fine && repl->mode != SHOW_TYPES) entries_add(repl);
  if (!fine) repl->failed = true;
  end_evaluation(repl);
  if (error != VALUE_NIL && describe_begin(repl, call, error))
    return running(call, repl);
  if (error != VALUE_NIL) say_error(repl, error, NULL);
  drop_input(repl);
  return csp_ok(call, csp_nil());
}

// --- Reading ----------------------------------------------------------------
static CspStatus next_input(CspCall *call, Repl *repl);

// A call that is dropped by csp_free is told of, too; r is gone then.
static bool is_over(CspCall *call) { return csp_of(call)->closing; }

static void read_work(void *data) {
  Repl *repl = data;
  // RMW: see the head
  uint32_t before = rt_or(&repl->phase, PHASE_READS);
  repl->text = before & PHASE_ENDS ? NULL : read_input(repl, &repl->len);
  // relaxed: what is counted after the RMW below is not in it
  repl->seen = rt_load_relaxed(&repl->interrupts);
  // release: keeps the load before it. Pairs with the acquire in
  // repl_interrupt. RMW: see the head
  rt_and(&repl->phase, ~(uint32_t)PHASE_READS);
}

static CspStatus end_of_input(CspCall *call, Repl *repl) {
  if (repl_ends(repl))
    // relaxed: repl_ends has acquired it
    return csp_exit(call, (int)rt_load_relaxed(&repl->end_status));
  bool failed = (repl->failed || repl->too_long) && repl->editor == NULL;
  return failed ? csp_exit(call, CSP_FAILED) : csp_ok(call, csp_nil());
}

static void dump_work(void *data) {
  Repl *repl = data;
  repl->dump = csp_dump_goroutines(repl->csp);
}

static CspStatus dump_done(CspCall *call, void *data, bool made) {
  if (is_over(call)) return CSP_OK;
  Repl *repl = data;
  if (made && repl->dump != NULL) {
    csp_write_out(call, repl->dump, strlen(repl->dump));
  } else {
    repl_say(repl, ":goroutines: %s\n",
             made ? "out of memory" : csp_no_thread());
  }
  free(repl->dump);
  repl->dump = NULL;
  return next_input(call, repl);
}

// A load may wait for the writer of a FIFO, so it has no P, and Ctrl-C ends it.
static bool is_interrupted(void *arg) {
  Repl *repl = arg;
  // relaxed: nothing but the count of repl_interrupt is handed over
  return rt_load_relaxed(&repl->interrupts) != repl->seen || repl_ends(repl);
}

static void load_work(void *data) {
  Repl *repl = data;
  SourceStop stop = {is_interrupted, repl};
  repl->error = source_load(repl->path, &stop, &repl->text, &repl->len);
}

static CspStatus load_done(CspCall *call, void *data, bool made) {
  if (is_over(call)) return CSP_OK;
  Repl *repl = data;
  char *text = repl->text;
  repl->text = NULL;
  if (text != NULL &&
      repl_start(repl, call, text, repl->len, repl->path, SHOW_VALUES))
    return running(call, repl);
  if (text == NULL) {
    const char *why = !made                      ? csp_no_thread()
                      : repl->error == ECANCELED ? "interrupted"
                                                 : source_error(repl->error);
    repl_say(repl, "cspvm: cannot read %s: %s\n", repl->path, why);
    repl->failed = true;
    drop_input(repl);
  }
  return next_input(call, repl);
}

static CspStatus do_command(CspCall *call, Repl *repl) {
  CommandEnd end = command_run(repl, call, repl->text);
  free(repl->text);
  repl->text = NULL;
  switch (end) {
    case COMMAND_RUNS:
      return running(call, repl);
    case COMMAND_LOADS:
      return csp_block_slow(call, load_work, load_done, repl);
    case COMMAND_DUMPS:
      return csp_block(call, dump_work, dump_done, repl);
    case COMMAND_QUITS:
      return end_of_input(call, repl);
    case COMMAND_DONE:
      return next_input(call, repl);
  }
  rt_throw("a command of the REPL ended by %d", (int)end);
}

static CspStatus read_done(CspCall *call, void *data, bool made) {
  if (is_over(call)) return CSP_OK;
  Repl *repl = data;
  if (!made) return csp_panic(call, "cannot read: %s", csp_no_thread());
  if (repl->text == NULL || repl_ends(repl)) return end_of_input(call, repl);
  if (command_is(repl->text)) return do_command(call, repl);
  char *text = repl->text;
  repl->text = NULL;
  if (strspn(text, " \t\r\n") == repl->len) {
    free(text);
    return next_input(call, repl);
  }
  if (repl_start(repl, call, text, repl->len, NULL, SHOW_VALUES))
    return running(call, repl);
  return next_input(call, repl);
}

static CspStatus next_input(CspCall *call, Repl *repl) {
  return csp_block_slow(call, read_work, read_done, repl);
}

// The task of the next evaluation. nil: the end.
static CspStatus repl_next(CspCall *call) {
  Repl *repl = repl_of(call);
  char *text = repl->file_text;
  repl->file_text = NULL;
  if (text != NULL &&
      repl_start(repl, call, text, repl->file_len, repl->file, SHOW_VALUES))
    return running(call, repl);
  return next_input(call, repl);
}

// --- The run ----------------------------------------------------------------
static const CspFunction natives[] = {
    {"_repl_events", "", repl_events},    {"_repl_next", "", repl_next},
    {"_repl_event", "event", repl_event}, {"_repl_waits", "", repl_waits},
    {"_repl_show", "task", repl_show},    {NULL, NULL, NULL}};

static ObjClosure *prepare(Repl *repl) {
  Repl **state;
  if (!csp_register_class(repl->csp, &repl_class, NULL)) return NULL;
  if ((state = csp_state(repl->csp, &repl_class)) == NULL) return NULL;
  *state = repl;
  if (!make_events(repl)) return NULL;
  if (!csp_register_builtins(repl->csp, natives)) return NULL;
  if (!session_begin(&repl->session, repl->vm)) return NULL;
  CompileInput input = {.path = "(repl)",
                        .text = loop,
                        .len = sizeof loop - 1,
                        .privileged = true};
  char *messages = NULL;
  ObjClosure *main = repl->vm->compile(repl->vm, &input, &messages);
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

// The signal that has ended it, or 0.
static int run(Repl *repl, ObjClosure *main, int *status) {
  SignalWatch signals;
  if (repl->editor != NULL) {
    editor_set_argument(repl->editor, repl);
    editor_write_out(repl->editor, greeting, sizeof greeting - 1);
  }
  signals_begin(&signals, repl);
  vm_run(repl->csp, main, status);
  return signals_end(&signals, *status);
}

int repl_run(Csp *csp, Editor *editor, const char *file, const char *text,
             size_t len, int *signal) {
  int status = CSP_FAILED;
  Repl *repl = calloc(1, sizeof *repl);
  if (repl == NULL) return status;
  *repl = (Repl){.csp = csp, .vm = csp_vm(csp), .editor = editor, .file = file};
  if (file != NULL && (repl->file_text = malloc(len + 1)) != NULL) {
    memcpy(repl->file_text, text, len);
    repl->file_text[len] = '\0';
    repl->file_len = len;
  }
  csp->goes_on = true;
  csp->out.terminal = isatty(STDOUT_FILENO) != 0;
  repl->interrupt.fn = when_interrupted;
  repl->ending.fn = when_ending;
  ObjClosure *main = prepare(repl);
  if (main != NULL) {
    *signal = run(repl, main, &status);
  } else {
    fprintf(stderr, "cspvm: out of memory\n");
  }
  if (csp->stuck > 0) {  // a thread reads, and may look at repl
    if (editor != NULL) editor_restore_terminal(editor);
    return status;
  }
  entries_free(repl);
  drop_input(repl);
  free(repl->file_text);
  free(repl->text);
  free(repl);
  editor_free(editor);
  return status;
}
