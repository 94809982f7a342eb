// SPDX-License-Identifier: MIT
// What says whether a goroutine and its frames are valid, and the assertions
// that ask it.
#include "tests/unit/vm_fixture.h"
#include "vm/code/operands.h"
#include "vm/heap/local.h"
#include "vm/interp/call.h"
#include "vm/interp/group_block.h"
#include "vm/interp/interp.h"
#include "vm/interp/stack.h"
#include "vm/object/list.h"
#include "vm/object/string.h"

#include "tests/unit/broken_fixture.h"

enum { CODE = 4, REGISTERS = 5, CALLEE_AT = 4 };

// A goroutine of two frames that run the same function.
typedef struct Running {
  Fixture *fixture;
  Goroutine *g;
  Proto proto;
  Instr code[CODE];
} Running;

static void begin(Running *running) {
  *running = (Running){.fixture = fixture_new(1)};
  Local *local = running->fixture->locals;
  running->proto =
      (Proto){.code = running->code, .ncode = CODE, .nregs = REGISTERS};
  running->proto.name = string_new(local, "f", 1);
  ObjClosure *closure =
      (ObjClosure *)heap_alloc(&local->heap, sizeof *closure, OBJ_CLOSURE);
  closure->proto = &running->proto;
  running->g =
      (Goroutine *)heap_alloc(&local->heap, sizeof *running->g, OBJ_GOROUTINE);
  memset((char *)running->g + sizeof(Obj), 0, sizeof *running->g - sizeof(Obj));
  Goroutine *g = running->g;
  assert_true(stack_init(local, g, STACK_INITIAL));
  g->defers = VALUE_NIL;
  g->pc = running->code + 1;
  g->base = g->stack + FRAME_WORDS;
  g->base[-1] = value_from_obj(closure);
  g->base += CALLEE_AT;
  g->base[-3] = (Value)(uintptr_t)(running->code + 2);
  g->base[-2] = (Value)(CALLEE_AT << 8 | 1) << 2;
  g->base[-1] = value_from_obj(closure);
}

static void end(Running *running) { fixture_free(running->fixture); }

// --- Frames -----------------------------------------------------------------
static bool top_valid(const void *of) {
  const Goroutine *g = of;
  return frame_is_valid(g, g->base);
}

static void return_from(void *arg) {
  Running *running = arg;
  Value result = VALUE_NIL;
  call_return(running->fixture->locals, running->g, &result, 1);
}

static void reserve(void *arg) {
  Running *running = arg;
  running->fixture->vm.stack_limit_bytes = 1 << 20;
  running->fixture->vm.frame_limit = 1000;
  stack_reserve(running->fixture->locals, running->g, running->g->limit + 10);
}

static void frames(void **state) {
  (void)state;
  Running r;
  begin(&r);
  Goroutine *g = r.g;
  Subject returns = {top_valid, g, return_from, &r};
  Subject grows = {top_valid, g, reserve, &r};
  Value *base = g->base;
  BREAK(&returns, base[-1], VALUE_NIL);
  BREAK(&grows, base[-1], value_from_obj(r.proto.name));
  BREAK(&returns, base[-2], 0);                       // onto itself
  BREAK(&grows, base[-2], (Value)(2 << 8) << 2);      // inside of its header
  BREAK(&returns, base[-2], (Value)(100 << 8) << 2);  // below the stack
  BREAK(&returns, base[-2], VALUE_NIL);
  BREAK(&grows, base[-3], VALUE_NIL);
  BREAK(&returns, base[-3], (uintptr_t)(r.code + CODE + 1));
  BREAK(&grows, base[-3], (uintptr_t)(r.code - 1));
  BREAK(&returns, g->base, g->stack);
  BREAK(&returns, g->base, g->limit + 1);
  BREAK(&grows, r.proto.nregs, REGISTERS_MAX + 1);
  BREAK(&returns, g->limit, g->base + 1 - STACK_MARGIN);
  BREAK(&returns, g->stack[FRAME_WORDS - 1], VALUE_TRUE);  // the caller's
  end(&r);
}

static void frames_stay_valid(void **state) {
  (void)state;
  Running r;
  begin(&r);
  const Value *before = r.g->stack;
  r.g->base[0] = value_from_small(7);
  reserve(&r);
  assert_ptr_not_equal(r.g->stack, before);
  assert_true(goroutine_is_valid(r.g));
  assert_int_equal(r.g->base[0], value_from_small(7));
  return_from(&r);
  assert_true(goroutine_is_valid(r.g));
  assert_ptr_equal(r.g->base, r.g->stack + FRAME_WORDS);
  end(&r);
}

// --- Goroutines -------------------------------------------------------------
static bool goroutine_valid(const void *goroutine) {
  return goroutine_is_valid(goroutine);
}

static void cancel(void *arg) {
  Running *running = arg;
  group_raise(running->fixture->locals, running->g);
}

static void wake_up(void *arg) {
  Running *running = arg;
  interp_wake(running->fixture->locals, running->g);
}

static void stacks(void **state) {
  (void)state;
  Running r;
  begin(&r);
  Goroutine *g = r.g;
  Subject cancelled = {goroutine_valid, g, cancel, &r};
  Subject grows = {goroutine_valid, g, reserve, &r};
  BREAK(&cancelled, g->obj.type, OBJ_TASK);
  BREAK(&grows, g->stack, g->stack - 1);
  BREAK(&grows, g->limit, g->limit + 100);
  BREAK(&cancelled, g->limit, g->stack);
  BREAK(&grows, g->block->cap, STACK_INITIAL);
  BREAK(&cancelled, g->block->obj.type, OBJ_RAW);
  BREAK(&cancelled, g->base, g->base - 1);
  BREAK(&cancelled, g->pc, NULL);
  BREAK(&cancelled, g->pc, r.code + CODE + 1);
  BREAK(&cancelled, g->multi, 1000);
  end(&r);
}

static void what_it_waits_with(void **state) {
  (void)state;
  Running r;
  begin(&r);
  Goroutine *g = r.g;
  Subject woken = {goroutine_valid, g, wake_up, &r};
  BREAK(&woken, g->on_resume, RESUME_CALL);
  BREAK(&woken, g->on_resume, RESUME_NATIVE);
  BREAK(&woken, g->on_resume, RESUME_AGAIN);
  BREAK(&woken, g->on_resume, RESUME_SELECT);
  BREAK(&woken, g->on_resume, RESUME_GROUP);
  BREAK(&woken, g->on_resume, RESUME_UNWIND);
  BREAK(&woken, g->on_resume, RESUME_GAVE_UP + 1);
  SelectBlock block = {.obj = {.type = OBJ_RAW, .aux = 2}, .count = 2};
  g->select = &block;
  g->on_resume = RESUME_SELECT;
  BREAK(&woken, block.count, 3);
  end(&r);
}

static void pop_deferred(void *arg) {
  Running *running = arg;
  call_pop_deferred(running->fixture->locals, running->g);
}

static void deferred_calls_and_panics(void **state) {
  (void)state;
  Running r;
  begin(&r);
  Goroutine *g = r.g;
  ObjValues *record = values_new(r.fixture->locals, 3);
  record->slots[1] = value_from_small(g->base - g->stack);
  record->len = 3;
  g->defers = value_from_obj(record);
  Subject cancelled = {goroutine_valid, g, cancel, &r};
  Subject popped = {goroutine_valid, g, pop_deferred, &r};
  BREAK(&popped, g->defers, value_from_small(1));
  BREAK(&cancelled, g->defers, VALUE_TRUE);
  BREAK(&popped, record->len, 2);
  BREAK(&popped, record->len, record->cap + 1);
  BREAK(&popped, record->slots[1], value_from_small(g->base - g->stack + 1));
  BREAK(&cancelled, record->slots[1], VALUE_NIL);
  Panic panic = {.frame = -1};
  g->panic = &panic;
  BREAK(&cancelled, panic.frame, -2);
  BREAK(&cancelled, panic.frame, 1000);
  end(&r);
}

// --- Operands of instructions -----------------------------------------------
// An instruction's operand, as the interpreter's macros ask for it.
typedef struct Asked {
  Running *running;
  Instr i;
  uint64_t kinds;  // 0: a register beside the operands
  uint32_t n;
} Asked;

static void ask(void *arg) {
  const Asked *asked = arg;
  const Value *base = asked->running->g->base,
              *constants = asked->running->proto.constants;
  if (asked->kinds == 0)
    (void)operand_range(base, asked->i, asked->n);
  else if (asked->kinds == KIND('k'))
    (void)operand_constant(base, constants, asked->i, asked->kinds, asked->n);
  else
    (void)operand_register(base, asked->i, asked->kinds, asked->n);
}

static void expect_refused(Running *running, Instr i, uint64_t kinds,
                           uint32_t n, const char *words) {
  Asked a = {running, i, kinds, n};
  assert_use_dies(&(Subject){.use = ask, .arg = &a}, words);
}

static void operands(void **state) {
  (void)state;
  Running r;
  begin(&r);
  Value constants[] = {value_from_small(1), value_from_small(2)};
  r.proto.constants = constants;
  r.proto.nconstants = 2;
  Instr add = instr_abc(OP_ADD, 1, 2, 3), call = instr_abc(OP_CALL, 1, 0, 1);
  Asked fine[] = {{&r, add, KIND('c'), REGISTERS - 1},
                  {&r, instr_abc(OP_ADDK, 1, 2, 1), KIND('k'), 1},
                  {&r, call, 0, 3}};
  for (size_t n = 0; n < sizeof fine / sizeof *fine; n++) ask(&fine[n]);
  expect_refused(&r, instr_abc(OP_ADDK, 1, 2, 3), KIND('c'), 3,
                 "has no operand of the kind");
  expect_refused(&r, add, KIND('k'), 0, "has no operand of the kind");
  expect_refused(&r, add, KIND('c'), REGISTERS, "beyond the frame");
  expect_refused(&r, instr_abc(OP_ADDK, 1, 2, 2), KIND('k'), 2,
                 "beyond the frame");
  expect_refused(&r, call, 0, 0, "does not use register");
  expect_refused(&r, call, 0, 4, "does not use register");
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames),
      cmocka_unit_test(frames_stay_valid),
      cmocka_unit_test(stacks),
      cmocka_unit_test(what_it_waits_with),
      cmocka_unit_test(deferred_calls_and_panics),
      cmocka_unit_test(operands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
