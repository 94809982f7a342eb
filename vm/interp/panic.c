// SPDX-License-Identifier: MIT
// Panics: raising, unwinding, deferred calls on the way, recover, try.
//
// A panic is a record on its goroutine's list, newest first. The list
// is longer than one while a deferred call, run because of a panic, panics
// itself. Unwinding goes frame by frame from g->base. Deferred calls run one at
// a time and return to the PANICGO instruction, which goes on. A frame of `try`
// ends it, and so does recover() in a deferred call. A panic that was overtaken
// by a newer one ends where the newer one ends, if its own frame is inside.
//
// While deferred calls run, a frame's own pc does not say where the frame was
// left. So each panic keeps that (`at`) for the frame whose deferred calls it
// runs (`frame`), and `outer` links to the panic that has left a frame further
// out. Traces read these (trace_capture). An error that a `?` has at the top
// level unwinds as a panic with `error_at`, which recover() does not see.
//
// A panic is possible without memory, too: then it takes the place of the
// goroutine's newest record, or one of the runtime's reserve.
#include "vm/interp/panic.h"

#include <stdlib.h>

#include "vm/code/proto.h"
#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/call.h"
#include "vm/interp/drop.h"
#include "vm/interp/give_up.h"
#include "vm/interp/group_block.h"
#include "vm/interp/interp.h"
#include "vm/interp/limits.h"
#include "vm/interp/method_tables.h"
#include "vm/interp/places.h"
#include "vm/interp/rows.h"
#include "vm/interp/stack.h"
#include "vm/interp/task.h"
#include "vm/object/error.h"
#include "vm/object/list.h"
#include "vm/object/string.h"
#include "vm/object/value_text.h"

// --- Raising ----------------------------------------------------------------
static uint64_t frame_count(const Goroutine *g) {
  uint64_t n = 0;
  for (const Value *base = g->base; base > g->stack + FRAME_WORDS;
       base -= base[-2] >> 10)
    n++;
  return n;
}

// So many frames out of `base`. *pc: where the frame there goes on.
static const Value *skip_frames(const Value *base, uint64_t count,
                                const Instr **pc) {
  for (; count > 0; count--) {
    *pc = (const Instr *)(uintptr_t)base[-3];
    base -= base[-2] >> 10;
  }
  return base;
}

// From `panic` on, the newest whose deferred call runs in the frame at offset
// `frame`, or further out; or NULL. Those further in are over, as a newer one
// overtook them.
static Panic *panic_at(Panic *panic, ptrdiff_t frame) {
  while (panic != NULL && (panic->frame < 0 || panic->frame > frame))
    panic = panic->frame < 0 ? panic->link : panic->outer;
  return panic;
}

static bool is_in_code(const Proto *proto, const Instr *pc) {
  return pc > proto->code && pc <= proto->code + proto->ncode;
}

// A frame that recover() ended returns by code that is not its own. Its last
// register then has where the frame was left, if the results leave that free.
static void keep_left_at(Value *base, uint32_t results, const Instr *at) {
  const Proto *proto = frame_closure(base)->proto;
  if (results < proto->nregs && is_in_code(proto, at))
    base[proto->nregs - 1] =
        (Value)(uintptr_t)at;  // (a small int, as base[-3])
}

static const Instr *kept_left_at(const Value *base, const Instr *pc) {
  const Proto *proto = frame_closure(base)->proto;
  if (is_in_code(proto, pc) || proto->nregs == 0) return pc;
  const Instr *at = (const Instr *)(uintptr_t)base[proto->nregs - 1];
  return is_in_code(proto, at) ? at : pc;
}

Trace *trace_capture(const Memory *memory, const Goroutine *g) {
  uint64_t all = frame_count(g);
  uint64_t keep = all < TRACE_MAX ? all : TRACE_MAX;
  Trace *trace = mem_alloc(memory, sizeof *trace + keep * sizeof(TraceFrame));
  if (trace == NULL) return NULL;
  *trace = (Trace){.goroutine = g->g.id,
                   .created_in = g->created_in,
                   .created_pc = g->created_pc,
                   .elided = all - keep};
  const Instr *pc = g->pc;
  RT_ASSERT(frame_is_valid(g, g->base));
  Panic *left = g->panic;
  const Value *base = g->base;
  while (trace->count < keep) {
    if (trace->count == keep / 2) base = skip_frames(base, all - keep, &pc);
    left = panic_at(left, base - g->stack);
    // (its callee returns to PANICGO)
    if (left != NULL && left->frame == base - g->stack) pc = left->at;
    pc = kept_left_at(base, pc);
    trace->frames[trace->count++] =
        (TraceFrame){frame_closure(base)->proto, pc - 1};
    base = skip_frames(base, 1, &pc);
  }
  RT_ASSERT(base <= g->stack + FRAME_WORDS);
  return trace;
}

static size_t frames_size(const Trace *trace) {
  return sizeof *trace + trace->count * sizeof(TraceFrame);
}

// With a limit on memory, what panics keep counts. NULL, and freed: too much.
static Trace *trace_limited(Trace *trace, Heap *heap) {
  if (trace == NULL || !heap_limited(heap)) return trace;
  if (!heap_take_other(heap, frames_size(trace))) {
    mem_free(trace);
    return NULL;
  }
  trace->heap = heap;
  return trace;
}

static void drop_one_trace(Trace *trace) {
  if (trace->heap != NULL) {
    size_t size = frames_size(trace) + trace->text_size;
    heap_give_other(trace->heap, size);
  }
  mem_free(trace);
}

void trace_forget_raised(Trace *trace) {
  if (trace == NULL || trace->raised == NULL) return;
  drop_one_trace(trace->raised);
  trace->raised = NULL;
}

void trace_drop(Trace *trace) {
  if (trace == NULL) return;
  trace_forget_raised(trace);
  drop_one_trace(trace);
}

void trace_set_raised(const Vm *vm, Trace *trace, const Trace *task) {
  enum { RAISED_MOST = 32 };  // frames, the innermost
  if (trace == NULL || task == NULL || trace->raised != NULL) return;
  if (task->raised != NULL) task = task->raised;
  uint32_t inner = task->elided > 0 ? task->count / 2 : task->count;
  uint32_t count = inner < RAISED_MOST ? inner : RAISED_MOST;
  size_t size = count * sizeof(TraceFrame);
  Trace *raised = mem_alloc(vm->memory, sizeof *raised + size);
  if (raised == NULL) return;
  *raised = (Trace){.goroutine = task->goroutine, .count = count};
  // A native that the task was made of has no frame.
  if (count == 0) {
    raised->created_in = task->created_in;
    raised->created_pc = task->created_pc;
  }
  memcpy(raised->frames, task->frames, size);
  trace->raised = trace_limited(raised, vm->heap);
}

void trace_set_text(Trace **trace, const char *text, size_t len) {
  if (*trace == NULL) return;
  if (len > MESSAGE_MAX) len = MESSAGE_MAX;
  Heap *heap = (*trace)->heap;
  if (heap != NULL && (*trace)->text_size > 0)
    heap_give_other(heap, (*trace)->text_size);
  (*trace)->text_size = 0;
  if (heap != NULL && !heap_take_other(heap, len + 1)) return;
  Trace *grown = mem_resize(NULL, *trace, frames_size(*trace) + len + 1);
  if (grown == NULL && heap != NULL) heap_give_other(heap, len + 1);
  if (grown == NULL) return;
  memcpy((char *)grown + frames_size(grown), text, len);
  ((char *)grown)[frames_size(grown) + len] = '\0';
  grown->text_size = (uint32_t)len + 1;
  *trace = grown;
}

const char *trace_text(const Trace *trace) {
  if (trace == NULL || trace->text_size == 0) return NULL;
  return (const char *)trace + frames_size(trace);
}

// Of an error whose place there was no memory for.
static const char no_place[] = "";

static void free_parts(Panic *panic) {
  trace_drop(panic->trace);
  if (panic->error_at != no_place) mem_free(panic->error_at);
}

// A record that has g->panic as its link. Without memory it is one of the
// reserve. Where those are used up, too, it takes the place of g->panic.
static Panic *new_record(Vm *vm, Goroutine *g) {
  PanicReserve *reserve = &vm_code(vm)->reserve;
  Panic *panic = mem_alloc(vm->memory, sizeof *panic);
  Panic *link = g->panic;
  PanicReserve *of = NULL;
  // relaxed: a hint. The CAS below decides
  uint64_t used = rt_load_relaxed(&reserve->used);
  while (panic == NULL && used != UINT64_MAX) {
    int n = __builtin_ctzll(~used);
    of = reserve;
    // acquire: its last user is done with it. Pairs with the RMW in free_one
    if (rt_cas(&reserve->used, &used, used | (uint64_t)1 << n))
      panic = &reserve->records[n];
  }
  if (panic == NULL && link != NULL && link != &reserve->last) {
    panic = link;
    link = panic->link;
    of = panic->reserve;
    if (panic->described == DESCRIBE_NOW) g->describing = false;
    free_parts(panic);
  }
  if (panic != NULL)
    *panic = (Panic){
        .link = link, .reserve = of, .value = VALUE_NIL, .also = VALUE_NIL};
  return panic;
}

// Taking it has walked through all frames.
static void charge_trace(Local *local, const Trace *trace) {
  if (trace != NULL) charge_steps(local, trace->count + trace->elided);
}

static Panic *push_panic(Local *local, Goroutine *g, Value value) {
  PanicReserve *reserve = &vm_code(local->vm)->reserve;
  if (g->gave_up) return g->panic;
  Panic *panic = new_record(local->vm, g);
  g->multi = 0;
  if (panic == NULL) return g->panic = &reserve->last;
  panic->value = value;
  panic->frame = -1;
  drop_take_apart(local, panic);
  panic->trace =
      trace_limited(trace_capture(local->vm->memory, g), local->vm->heap);
  charge_trace(local, panic->trace);
  return g->panic = panic;
}

static bool is_last(const Local *local, const Goroutine *g) {
  return g->panic == &vm_code(local->vm)->reserve.last;
}

bool vm_panic_value(Local *local, Goroutine *g, Value value) {
  if (value == VALUE_NIL) {
    ObjString *string = string_format(local, "panic called with nil");
    ObjError *error = string != NULL ? error_new(local, value_from_obj(string),
                                                 VALUE_NIL, VALUE_NIL)
                                     : NULL;
    if (error != NULL) value = value_from_obj(error);
  }
  push_panic(local, g, value);
  if (local->vm->rows != NULL) rows_note(local, g, true);
  return false;
}

static bool panic_args(Local *local, Goroutine *g, Value cause,
                       const char *format, va_list args) {
  size_t len = 0;
  char *text = mem_format_args(local->vm->memory, &len, format, args);
  ObjString *string = text == NULL ? NULL : string_new(local, text, len);
  mem_free(text);
  ObjError *error = string != NULL ? error_new(local, value_from_obj(string),
                                               cause, VALUE_NIL)
                                   : NULL;
  if (error == NULL) return vm_panic_memory(local, g);
  return vm_panic_value(local, g, value_from_obj(error));
}

bool vm_panic(Local *local, Goroutine *g, const char *format, ...) {
  va_list args;
  va_start(args, format);
  panic_args(local, g, VALUE_NIL, format, args);
  va_end(args);
  return false;
}

bool vm_panic_because(Local *local, Goroutine *g, Value last,
                      const char *format, ...) {
  va_list args;
  va_start(args, format);
  panic_args(local, g, value_is_error(last) ? last : VALUE_NIL, format, args);
  va_end(args);
  return false;
}

void panic_no_error_text(Text *out, Vm *vm, Value v, bool returned) {
  enum { SHOWN = 60 };
  Text text = {.memory = vm->memory, .most = SHOWN, .cuts = true, .nest = 2};
  format_value(&text, vm, v, true);
  text_addf(out,
            returned ? "a function with `?` returns nil or an error last, not "
                       "the %s "
                     : "`?` takes nil or an error as the last value, not the "
                       "%s ",
            value_type_name(v));
  if (text.data != NULL) text_add(out, text.data, text.len);
  if (text.full) text_addf(out, "...");
  if (returned) text_addf(out, " (write `return x, nil`)");
  text_free(&text);
}

bool panic_no_error(Local *local, Goroutine *g, Value v, bool returned) {
  Text text = {.memory = local->vm->memory};
  const Proto *proto = frame_closure(g->base)->proto;
  const char *name = proto->name->own;
  if (!returned && (proto->flags & PROTO_LIBRARY) && name[0] != '_')
    text_addf(&text, "%s: ", name);  // that the program called
  panic_no_error_text(&text, local->vm, v, returned);
  if (text.failed)
    vm_panic_memory(local, g);
  else
    vm_panic(local, g, "%.*s", (int)text.len, text.data);
  text_free(&text);
  return false;
}

bool vm_panic_memory(Local *local, Goroutine *g) {
  return vm_panic_value(local, g, vm_code(local->vm)->memory_error);
}

ObjError *error_new(Local *local, Value message, Value cause, Value code) {
  ObjError *error =
      (ObjError *)heap_alloc(&local->heap, sizeof *error, OBJ_ERROR);
  if (error == NULL) return NULL;
  error->message = message;
  error->cause = cause;
  error->code = code;
  error->also = VALUE_NIL;
  error->places = NULL;
  return error;
}

Value error_with(Local *local, Value error, Value also) {
  if (!value_is_type(error, OBJ_ERROR)) return error;
  ObjError *of = (ObjError *)value_obj(error);
  if (!error_is_shared(of)) return error;
  ObjError *copy = error_new(local, of->message, of->cause, of->code);
  if (copy == NULL) return VALUE_UNDEF;
  copy->obj.flags = of->obj.flags | ERROR_COPY;
  copy->origin = of;
  copy->also = also;
  return value_from_obj(copy);
}

// VALUE_UNDEF: no memory.
static Value panic_as_error(Local *local, Value value, Value also) {
  if (value_is_error(value))
    return also != VALUE_NIL ? error_with(local, value, also) : value;
  ObjError *error = error_new(local, value, VALUE_NIL, VALUE_NIL);
  if (error != NULL) error->also = also;
  return error != NULL ? value_from_obj(error) : VALUE_UNDEF;
}

// --- Ending panics ----------------------------------------------------------
static void free_one(Panic *panic) {
  PanicReserve *reserve = panic->reserve;
  if (reserve != NULL && panic == &reserve->last) return;
  free_parts(panic);
  if (reserve == NULL) {
    mem_free(panic);
    return;
  }
  RT_ASSERT(panic >= reserve->records && panic < reserve->records + 64);
  // RMW, release: the next user sees that the record is free, and all that was
  // written. Pairs with the CAS in new_record
  rt_and(&reserve->used, ~((uint64_t)1 << (panic - reserve->records)));
}

// The newest panic ended in the frame at offset `frame`: it goes, and those
// that were under way inside that frame.
static void end_panics(Goroutine *g, ptrdiff_t frame) {
  RT_ASSERT(g->panic != NULL && frame >= FRAME_WORDS);
  Panic *newest = g->panic;
  g->panic = newest->link;
  free_one(newest);
  while (g->panic != NULL && g->panic->frame >= frame) {
    Panic *old = g->panic;
    g->panic = old->link;
    free_one(old);
  }
}

void panic_end(Goroutine *g) { end_panics(g, g->base - g->stack); }

void panic_drop(Goroutine *g) {
  RT_ASSERT(g->panic != NULL);
  Panic *newest = g->panic;
  g->panic = newest->link;
  free_one(newest);
}

void panic_forget(Goroutine *g, Panic *old) {
  Panic *newer = g->panic;
  RT_ASSERT(old != newer && old->described != DESCRIBE_NOW);
  for (Panic *panic = newer; panic != old; panic = panic->link) {
    if (panic->outer == old) panic->outer = old->outer;
    newer = panic;
  }
  newer->link = old->link;
  free_one(old);
}

void panic_free_all(Goroutine *g) {
  while (g->panic != NULL) {
    Panic *old = g->panic;
    g->panic = old->link;
    free_one(old);
  }
}

// --- Values' text -----------------------------------------------------------
static Panic *described_now(const Goroutine *g) {
  Panic *panic = g->panic;
  while (panic != NULL && panic->described != DESCRIBE_NOW) panic = panic->link;
  return panic;
}

// When a string() method of a panic's value panics, too, that one is dropped,
// and the value is shown without. Those that were there before stay.
static void drop_failed_text(Goroutine *g) {
  Panic *failed = described_now(g);
  if (failed == NULL) return;
  failed->described = DESCRIBE_DONE;
  g->describing = false;
  size_t newer = 0;
  for (const Panic *p = g->panic; p != failed; p = p->link) newer++;
  for (; newer > failed->newer; newer--) panic_drop(g);
}

// most: parts of the value and its causes that are looked at.
static bool needs_description(Vm *vm, const Panic *panic, size_t most) {
  if (panic->described != DESCRIBE_NOT_YET) return false;
  if (trace_text(panic->trace) != NULL) return false;  // a task's, awaited
  Value v = panic->value;
  // (Without memory it could not be known, nor described, again and again.)
  if (v == vm_code(vm)->memory_error) return false;
  if (panic->also != VALUE_NIL) return true;
  for (int depth = 0; depth < CAUSES_SHOWN; depth++) {
    if (value_has_text_method_early(vm->memory, v, NEST_SHOWN, &most))
      return true;
    if (!value_is_error(v)) return false;
    if (error_also(v) != VALUE_NIL) return true;
    v = error_cause(v);
  }
  return false;
}

size_t panic_count(const Panic *newest) {
  size_t count = 0;
  for (const Panic *panic = newest; panic != NULL; panic = panic->link) count++;
  return count;
}

// The newest of those that a report shows that needs a text, or NULL. Those
// that need none are not looked at again.
static Panic *next_described(Vm *vm, Goroutine *g) {
  size_t n = 0, count = panic_count(g->panic);
  size_t shown = count < 2 * PANICS_SHOWN ? count : 2 * PANICS_SHOWN;
  for (Panic *panic = g->panic; panic != NULL; panic = panic->link, n++) {
    if (n >= PANICS_SHOWN && n + PANICS_SHOWN < count) continue;
    if (needs_description(vm, panic, PARTS_SHOWN / shown)) return panic;
    panic->described = DESCRIBE_DONE;
  }
  return NULL;
}

bool panic_describe(Local *local, Goroutine *g, Next *next) {
  drop_failed_text(g);
  Panic *panic = next_described(local->vm, g);
  if (panic == NULL) return false;
  ObjValues *record = values_new(local, 5);
  Value describe = vm_builtin(local, "_describe");
  if (record == NULL || describe == VALUE_UNDEF) return false;
  record->slots[2] = describe;
  record->slots[3] = panic->value;
  record->slots[4] = panic->also;
  record->len = 5;
  panic->described = DESCRIBE_NOW;
  panic->newer = 0;
  for (const Panic *p = g->panic; p != panic; p = p->link) panic->newer++;
  g->describing = true;
  *next = call_deferred(local, g, record, vm_code(local->vm)->panic_go);
  return true;
}

const Panic *panic_in_description(const Goroutine *g) {
  return described_now(g);
}

// Called by _describe, for the panic that panic_describe chose.
void panic_set_text(Goroutine *g, const char *text, size_t len) {
  Panic *panic = described_now(g);
  if (panic == NULL) return;
  panic->described = DESCRIBE_DONE;
  g->describing = false;
  trace_set_text(&panic->trace, text, len);
}

Next panic_end_with(Local *local, Goroutine *g, Value error, char *at) {
  g->gave_up = false;
  Panic *panic = push_panic(local, g, error);
  if (is_last(local, g)) {
    mem_free(at);
    return local->vm->hooks->report_panic(local, g, panic);
  }
  panic->error_at = at != NULL ? at : (char *)(uintptr_t)no_place;
  return panic_unwind(local, g);
}

enum {
  UNWIND_PIECE = 4096,   // frames between two looks
  DEFERRED_UNITS = 128,  // of work, for a deferred call
};

// --- Unwinding --------------------------------------------------------------
// The frame of try ends the panic: (nil, error).
static Next caught(Local *local, Goroutine *g) {
  RT_ASSERT(frame_closure(g->base)->proto->flags & PROTO_TRY);
  Value value = g->panic->value, also = g->panic->also;
  Value error = panic_as_error(local, value, also);
  if (error == VALUE_UNDEF && memory_again(local, g))
    error = panic_as_error(local, value, also);
  if (error == VALUE_UNDEF) error = vm_code(local->vm)->memory_error;
  places_from_trace(local, g->panic->trace, error);
  end_panics(g, g->base - g->stack);
  g->base[2] = VALUE_NIL;
  g->base[3] = error;
  Next next = call_return(local, g, g->base + 2, 2);
  if (next == RELOAD) memory_settle(local, g, value);
  return next;
}

static bool is_interrupt(const Local *local, const Goroutine *g) {
  return g->panic->value == vm_code(local->vm)->cancel_errors[CANCEL_INTERRUPT];
}

// Many frames, or many deferred calls, take a while: others have their turn,
// and a step its end.
static bool leaves_meanwhile(Local *local, Goroutine *g) {
  work_looked();
  // before it leaves, so that it does a piece when it is back, however short
  // its slice
  local->debt = 0;
  local->overdue = false;
  g->multi = 0;
  g->on_resume = RESUME_UNWIND;
  if (sched_look_now(local->p, &g->g)) {
    sched_preempt(local->p, &g->g);
    return true;
  }
  g->on_resume = RESUME_NOTHING;
  work_interrupted(local, g);
  return false;
}

// The newest panic leaves the top frame, whose deferred calls run.
static void calls_deferred(Goroutine *g) {
  Panic *panic = g->panic;
  ptrdiff_t frame = g->base - g->stack;
  if (panic->frame == frame) return;
  // or an older one has left it, which the newest one overtook
  Panic *left = panic_at(panic->link, frame);
  bool overtakes = left != NULL && left->frame == frame;
  panic->at = overtakes ? left->at : g->pc;
  panic->outer = overtakes ? left->outer : left;
  panic->frame = frame;
}

bool panic_calls(const Local *local, Goroutine *g) {
  if (g->gave_up || is_last(local, g)) return false;
  calls_deferred(g);
  return true;
}

// The panic goes on in the function that called.
static void leave_frame(Local *local, Goroutine *g) {
  const Value *base = g->base;
  g->pc = (const Instr *)(uintptr_t)base[-3];
  g->base -= base[-2] >> 10;
  if (g->base != g->stack + FRAME_WORDS)
    drop_threw(local, g, base - FRAME_WORDS);
}

Next panic_unwind(Local *local, Goroutine *g) {
  RT_ASSERT(g->panic != NULL && !g->gave_up);
  drop_raised(local, g);
  if (is_last(local, g))
    return local->vm->hooks->report_panic(local, g, g->panic);
  // Natives that are deferred come to no safepoint.
  bool due = local->overdue || local->debt >= WORK_PIECE;
  if (due && leaves_meanwhile(local, g)) return LEFT;
  for (uint32_t frames = 1;; frames++) {
    RT_ASSERT(frame_is_valid(g, g->base));
    if (frames % UNWIND_PIECE == 0) {
      charge_steps(local, UNWIND_PIECE);
      // an interrupted goroutine is waited for
      if (!is_interrupt(local, g) && leaves_meanwhile(local, g)) return LEFT;
    }
    group_unshield(g);
    Next next = g->g.group != NULL ? group_unwind(local, g) : GO_ON;
    if (next == THROW) continue;
    if (next != GO_ON) return next;
    if (g->base == g->stack + FRAME_WORDS) return task_panicked(local, g);
    const ObjValues *record = call_pop_deferred(local, g);
    if (record != NULL) {
      work_charge(local, DEFERRED_UNITS);
      calls_deferred(g);
      return call_deferred(local, g, record, vm_code(local->vm)->panic_go);
    }
    bool tries = frame_closure(g->base)->proto->flags & PROTO_TRY;
    if (tries && !g->panic->cancels && !is_interrupt(local, g))
      return caught(local, g);
    leave_frame(local, g);
  }
}

// A deferred call that ran because of the newest panic has returned to its
// frame. After recover() the frame returns: the rest of its deferred calls,
// then nil for each result.
Next panic_go(Local *local, Goroutine *g) {
  RT_ASSERT(g->panic != NULL && frame_is_valid(g, g->base));
  group_unshield(g);
  if (!g->panic->recovered) return panic_unwind(local, g);
  Value value = g->panic->value;
  const Instr *at = g->panic->at;
  end_panics(g, g->base - g->stack);
  const Proto *proto = frame_closure(g->base)->proto;
  uint32_t n = (uint32_t)call_wants_nils(g, proto->nresults);
  if (g->base + n > g->limit && !stack_reserve(local, g, g->base + n))
    return THROW;
  for (uint32_t r = 0; r < n; r++) g->base[r] = VALUE_NIL;
  keep_left_at(g->base, n, at);
  g->pc = &vm_code(local->vm)->return_nils[n];
  memory_settle(local, g, value);
  return RELOAD;
}

// recover() called by the function in the top frame: it counts when that is a
// deferred call that the newest panic runs. (An error that ends the program is
// no panic.)
Value panic_recover(Local *local, Goroutine *g) {
  RT_ASSERT(frame_is_valid(g, g->base));
  const Instr *ret = (const Instr *)(uintptr_t)g->base[-3];
  if (ret != vm_code(local->vm)->panic_go || g->panic == NULL) return VALUE_NIL;
  if (g->panic->recovered || g->panic->error_at != NULL) return VALUE_NIL;
  g->panic->recovered = true;
  places_from_trace(local, g->panic->trace, g->panic->value);
  Value value = g->panic->value, also = g->panic->also;
  Value own = also != VALUE_NIL ? error_with(local, value, also) : value;
  return own != VALUE_UNDEF ? own : value;  // it must stop the panic
}
