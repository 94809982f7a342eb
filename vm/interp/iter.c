// SPDX-License-Identifier: MIT
// For loops over anything: a list, map, string, bytes, range, int or channel, a
// function called until it gives nil, or what a native finds one by one.
//
// The state is six registers: [0] what is walked, [1] the place in it, [2] the
// kind, [3] a running index (ranges, channels, natives), [4] the step of a
// range (ITER_STEP). A function is called in a window at [3], and returns to
// the same NEXT instruction with the kind ITER_FUNC_RESULT. Ints, lists and
// small ranges in NEXT1 are done in handlers.h. Where a native's element is not
// whole yet, [4] is what there is of it.
#include "vm/interp/iter.h"
#include "vm/code/operands.h"
#include "vm/heap/local.h"
#include "vm/interp/access.h"
#include "vm/interp/call.h"
#include "vm/interp/explain.h"
#include "vm/interp/group_block.h"
#include "vm/interp/interp.h"
#include "vm/interp/limits.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/interp/stack.h"
#include "vm/object/box.h"
#include "vm/object/bytes.h"
#include "vm/object/host_type.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/range.h"
#include "vm/object/string.h"
#include "vm/object/value_text.h"
#include "vm/value/utf8.h"

static void set(Value *state, Value walked, int64_t at, int kind) {
  state[0] = walked;
  state[1] = value_from_small(at);
  state[2] = value_from_small(kind);
  state[3] = value_from_small(0);
}

static bool is_small(int64_t n) {
  return n > INT_SMALL_MIN && n < INT_SMALL_MAX;
}

// What is walked is the next int, and its place is how many are left. Where
// bounds or step are no small ints, [1] counts what has been given.
static void start_range(Value *state, const ObjRange *range) {
  uint64_t last;
  if (!range_last(range, &last)) {
    set(state, value_from_small(0), 0, ITER_INT);
  } else if (!is_small(range->from) || !is_small(range->to) ||
             !is_small(range->step) || last >= INT_SMALL_MAX) {
    set(state, value_from_obj(range), 0, ITER_RANGE);
  } else if (range->step == 1) {
    set(state, value_from_small(range->from),
        range->to + range_is_inclusive(range), ITER_INT);
  } else {
    set(state, value_from_small(range->from), (int64_t)last + 1, ITER_STEP);
    state[4] = value_from_small(range->step);
  }
}

static bool start_map(Local *local, Goroutine *g, Value *state, Value x) {
  ObjIter *iter = (ObjIter *)heap_alloc(&local->heap, sizeof *iter, OBJ_ITER);
  if (iter == NULL) return vm_panic_memory(local, g);
  iter->source = x;
  iter->table = heap_load(&((ObjMap *)value_obj(x))->table);
  iter->at = 0;
  set(state, value_from_obj(iter), 0, ITER_MAP);
  return true;
}

static void note_lines(void *has, const char *name) {
  if (strcmp(name, "lines") == 0) *(bool *)has = true;
}

static bool no_loop(Local *local, Goroutine *g, Value x) {
  bool lines = false;
  if (x != VALUE_NIL) access_each_name(local->vm, x, note_lines, &lines);
  return explain_panic(local, g, "cannot iterate over %s%s", value_type_name(x),
                       lines ? ": write `for line in x.lines()`" : "");
}

// state: what csp_ok_each gives is walked so, too.
static bool start_host(Local *local, Goroutine *g, Value *state, Value x) {
  CspEach iterate = host_iterate(x);
  if (iterate == NULL) return no_loop(local, g, x);
  ObjEach *each = (ObjEach *)heap_alloc(&local->heap, sizeof *each, OBJ_EACH);
  if (each == NULL) return vm_panic_memory(local, g);
  each->obj.flags = EACH_HOST;
  each->next = iterate;
  each->of = x;
  each->with = VALUE_NIL;
  set(state, value_from_obj(each), 0, ITER_EACH);
  return true;
}

bool iter_start(Local *local, Goroutine *g, Value *state, Value x) {
  if (value_is_int(x)) {
    int64_t n = value_int(x);
    set(state, value_from_small(0), n < INT_SMALL_MAX ? n : INT_SMALL_MAX,
        ITER_INT);
    if (n < 0) state[1] = value_from_small(0);
    return true;
  }
  ObjType type = value_is_obj(x) ? (ObjType)value_obj(x)->type : OBJ_FLOAT;
  switch (type) {
    case OBJ_LIST:
      set(state, x, 0, ITER_LIST);
      return true;
    case OBJ_TUPLE:
      set(state, x, 0, ITER_TUPLE);
      return true;
    case OBJ_STRING:
      set(state, x, 0, ITER_STRING);
      return true;
    case OBJ_BYTES:
      set(state, x, 0, ITER_BYTES);
      return true;
    case OBJ_CHAN:
      set(state, x, 0, ITER_CHAN);
      return true;
    case OBJ_MAP:
      return start_map(local, g, state, x);
    case OBJ_RANGE:
      start_range(state, (ObjRange *)value_obj(x));
      return true;
    case OBJ_EACH:
      set(state, x, 0, ITER_EACH);
      return true;
    case OBJ_HOST:
      return start_host(local, g, state, x);
    case OBJ_CLOSURE:
    case OBJ_NATIVE:
    case OBJ_BOUND:
      set(state, x, 0, ITER_FUNC);
      return true;
    default:
      return no_loop(local, g, x);
  }
}

// --- Steps: each gives a key and a value, or says that it is over -----------
// STEP_AGAIN: not yet, the same step goes on after others have run.
// STEP_FAILED: no memory. STEP_PANICKED: g has a panic.
typedef enum Step {
  STEP_VALUE,
  STEP_END,
  STEP_AGAIN,
  STEP_FAILED,
  STEP_PANICKED
} Step;

static Step next_range(Local *local, Value *state, Value *key, Value *value) {
  RT_ASSERT(value_is_type(state[0], OBJ_RANGE));
  const ObjRange *range = (ObjRange *)value_obj(state[0]);
  int64_t done = value_small(state[1]);
  uint64_t last;
  if (!range_last(range, &last) || (uint64_t)done > last) return STEP_END;
  *key = state[1];
  *value = value_from_int(local, range_at(range, (uint64_t)done));
  if (*value == VALUE_UNDEF) return STEP_FAILED;
  state[1] = value_from_small(done + 1);
  return STEP_VALUE;
}

static Step next_string(Local *local, Value *state, Value *key, Value *value) {
  RT_ASSERT(value_is_type(state[0], OBJ_STRING));
  const ObjString *string = (ObjString *)value_obj(state[0]);
  size_t at = (size_t)value_small(state[1]);
  if (at >= string->len) return STEP_END;
  uint32_t rune;
  const char *data = string_data(string);
  int len = utf8_decode(data, string->len, at, &rune);
  ObjString *piece = string_new(local, data + at, (size_t)len);
  if (piece == NULL) return STEP_FAILED;
  *key = state[1];
  *value = value_from_obj(piece);
  state[1] = value_from_small((int64_t)at + len);
  return STEP_VALUE;
}

static Step next_indexed(Local *local, Value *state, Value *key, Value *value) {
  size_t at = (size_t)value_small(state[1]);
  if (value_is_type(state[0], OBJ_LIST)) {
    ObjList *list = (ObjList *)value_obj(state[0]);
    list_settle(local, list);
    const Value *slot = values_at(list_block(list), at);
    if (slot == NULL) return STEP_END;
    *value = heap_load(slot);
  } else if (value_is_type(state[0], OBJ_TUPLE)) {
    const ObjValues *values = &((ObjTuple *)value_obj(state[0]))->values;
    if (at >= values->len) return STEP_END;
    *value = values->slots[at];
  } else {
    RT_ASSERT(bytes_is_valid((ObjBytes *)value_obj(state[0])));
    ObjRaw *block = bytes_block((ObjBytes *)value_obj(state[0]));
    if (at >= raw_len(block)) return STEP_END;
    // relaxed: a byte is whole, whichever of those that were stored
    // (copy_piece, access.c)
    *value = value_from_small(rt_load_relaxed(&block->data[at]));
  }
  *key = state[1];
  state[1] = value_from_small((int64_t)at + 1);
  return STEP_VALUE;
}

static Step next_map(Local *local, Value *state, Value *key, Value *value) {
  RT_ASSERT(value_is_type(state[0], OBJ_ITER));
  ObjIter *iter = (ObjIter *)value_obj(state[0]);
  const ObjMap *map = (ObjMap *)value_obj(iter->source);
  return map_next(local->vm, map, iter->table, &iter->at, key, value)
             ? STEP_VALUE
             : STEP_END;
}

static Step next_int(Value *state, Value *key, Value *value) {
  if ((int64_t)state[0] >= (int64_t)state[1]) return STEP_END;
  *value = state[0];
  *key = state[3];
  state[0] += value_from_small(1);
  state[3] += value_from_small(1);
  return STEP_VALUE;
}

static Step next_of_step(Value *state, Value *key, Value *value) {
  if (state[1] == value_from_small(0)) return STEP_END;
  *value = state[0];
  *key = state[3];
  state[0] += state[4];
  state[1] -= value_from_small(1);
  state[3] += value_from_small(1);
  return STEP_VALUE;
}

// Of a call that is no native's own: it has neither arguments nor results.
static void begin_step(CspCall *call, Local *local, Goroutine *g) {
  call->local = local;
  call->vm = local->vm;
  call->g = g;
  call->def = NULL;
  call->data = NULL;
  call->args = NULL;
  call->argc = 0;
  call->nresults = 0;
  call->panicked = false;
  call->repeated = false;
  call->hosts = false;
  call->fate = CALL_GOES_ON;
  call->later.kind = LATER_NONE;
}

static Step next_each(Local *local, Goroutine *g, Value *state, Value *key,
                      Value *value) {
  RT_ASSERT(value_is_type(state[0], OBJ_EACH));
  const ObjEach *each = (ObjEach *)value_obj(state[0]);
  CspCall call;
  CspValue element = {VALUE_UNDEF};
  int64_t at = value_small(state[1]);
  if (__builtin_expect(at < 0, 0)) {
    element.word = state[4] == VALUE_NIL ? VALUE_UNDEF : state[4];
    state[4] = VALUE_NIL;
  }
  begin_step(&call, local, g);
  if (each->obj.flags & EACH_HOST) sched_enter_host(local->p);
  bool more = each->next(&call, csp_wrap(each->of), csp_wrap(each->with), &at,
                         &element);
  if (call.panicked && !memory_panicked(local, g)) return STEP_PANICKED;
  if (call.panicked) panic_drop(g);
  if (call.panicked) return STEP_FAILED;
  if (!more) return STEP_END;
  if (__builtin_expect(at < 0, 0)) {
    state[1] = value_from_small(at);
    state[4] = element.word == VALUE_UNDEF ? VALUE_NIL : element.word;
    return STEP_AGAIN;
  }
  if (element.word == VALUE_UNDEF) return STEP_FAILED;
  *key = state[3];
  *value = element.word;
  state[1] = value_from_small(at);
  state[3] += value_from_small(1);
  return STEP_VALUE;
}

// Stores what a step gave, and jumps or goes on after the loop.
static void give_step(Goroutine *g, Instr i, Step step, Value key,
                      Value value) {
  bool two = INSTR_OP(i) == OP_NEXT2;
  Value *to = operand_b(g->base, i);
  const Instr *jump = g->pc;
  g->pc = jump + 1;
  if (step == STEP_END) return;
  to[two] = value;
  // over a map, one name takes the key
  if (two)
    to[0] = key;
  else if (operand_a(g->base, i)[2] == value_from_small(ITER_MAP))
    to[0] = key;
  g->pc += INSTR_J(*jump);
}

static Next next_func(Local *local, Goroutine *g, Instr i) {
  Value *state = operand_a(g->base, i);
  state[2] = value_from_small(ITER_FUNC_RESULT);
  state[5] = state[0];
  return call_value(local, g, state + 3, 0, WANT_ALL, g->pc - 1);
}

static Next func_result(Local *local, Goroutine *g, Instr i) {
  Value *state = operand_a(g->base, i);
  uint32_t n = g->multi;
  g->multi = 0;
  state[2] = value_from_small(ITER_FUNC);
  if (n > 1) {
    vm_panic_because(local, g, state[3 + n - 1],
                     "%s returned %u values, 1 wanted", function_name(state[0]),
                     n);
    return THROW;
  }
  Value value = n == 0 ? VALUE_NIL : state[3], key = state[1];
  state[1] += value_from_small(1);
  give_step(g, i, value == VALUE_NIL ? STEP_END : STEP_VALUE, key, value);
  return RELOAD;
}

static Next next_chan(Local *local, Goroutine *g, Instr i) {
  Value *state = operand_a(g->base, i);
  RT_ASSERT(value_is_type(state[0], OBJ_CHAN));
  ObjChan *channel = (ObjChan *)value_obj(state[0]);
  uint64_t word;
  if (group_cancels(local, g)) return THROW;
  g->on_resume = RESUME_NEXT;
  RT_ASSERT(goroutine_is_valid(g));
  ChanResult r =
      chan_recv(local->p, &g->g, &channel->chan, &word, WAIT_CHAN_RECV);
  if (r == CHAN_PARKED) return LEFT;
  Value key = state[3];
  if (r == CHAN_DONE) state[3] += value_from_small(1);
  give_step(g, i, r == CHAN_DONE ? STEP_VALUE : STEP_END, key, word);
  return RELOAD;
}

void iter_resume(Local *local, Goroutine *g) {
  (void)local;
  Instr i = g->pc[-1];
  Value *state = operand_a(g->base, i);
  Value key = state[3];
  state[3] += value_from_small(1);
  give_step(g, i, g->g.wait.success ? STEP_VALUE : STEP_END, key,
            g->g.wait.elem);
}

static Next no_step(Local *local, Goroutine *g, Step step) {
  if (step == STEP_PANICKED) return THROW;
  if (step == STEP_AGAIN) g->retried = 0;
  if (step == STEP_AGAIN || memory_again(local, g)) {
    g->pc--;
    return RELOAD;
  }
  vm_panic_memory(local, g);
  return THROW;
}

Next iter_next(Local *local, Goroutine *g, Instr i) {
  Value *state = operand_a(g->base, i);
  Value key = VALUE_NIL, value = VALUE_NIL;
  Step step;
  switch (value_small(state[2])) {
    case ITER_INT:
      step = next_int(state, &key, &value);
      break;
    case ITER_STEP:
      step = next_of_step(state, &key, &value);
      break;
    case ITER_RANGE:
      step = next_range(local, state, &key, &value);
      break;
    case ITER_MAP:
      step = next_map(local, state, &key, &value);
      break;
    case ITER_STRING:
      step = next_string(local, state, &key, &value);
      break;
    case ITER_EACH:
      step = next_each(local, g, state, &key, &value);
      break;
    case ITER_CHAN:
      return next_chan(local, g, i);
    case ITER_FUNC:
      return next_func(local, g, i);
    case ITER_FUNC_RESULT:
      return func_result(local, g, i);
    case ITER_LIST:
    case ITER_TUPLE:
    case ITER_BYTES:
      step = next_indexed(local, state, &key, &value);
      break;
    default:
      rt_throw("a loop of the unknown kind %lld",
               (long long)value_small(state[2]));
  }
  if (__builtin_expect(step > STEP_END, 0)) return no_step(local, g, step);
  give_step(g, i, step, key, value);
  return RELOAD;
}
