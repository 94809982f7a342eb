// SPDX-License-Identifier: MIT
// Which row of its table a test was at, when it failed: the variables of the
// loops around the place, in the test's own function.
//
// Only csp_run_test wants that (Vm.rows). Then each panic, and each error that
// is made or passed on in the test's function or what that calls, writes the
// row, or that there is none. The newest one is what the report shows. A panic
// of a goroutine that is not in the function has none. Goroutines on several Ps
// write it, so there is a lock.
//
// A loop over something ends with NEXT1 or NEXT2, which jumps back to its first
// instruction, and whose registers have the turn's values. In a loop that takes
// the values apart (for (a, b) in) that first instruction is an APART, which
// leaves the elements in the registers that begin with NEXT1's. So the loops
// around an instruction are found in the code alone.
#include "vm/interp/rows.h"

#include <string.h>

#include "vm/code/opcodes.h"
#include "vm/code/variables.h"

enum {
  ROW_MOST = 300,  // bytes
  ROW_NEST = 8,    // containers shown in one another
};

typedef struct Row {
  const char *function;  // immutable
  RtLock lock;
  size_t len;           // guarded by lock; 0 means none
  char text[ROW_MOST];  // guarded by lock
} Row;

void rows_of(Vm *vm, const char *function) {
  RT_ASSERT(vm->rows == NULL);
  vm->rows = mem_zeroed(vm->memory, sizeof *vm->rows);
  if (vm->rows != NULL) vm->rows->function = function;
}

void rows_free(Vm *vm) {
  mem_free(vm->rows);
  vm->rows = NULL;
}

// --- Loops ------------------------------------------------------------------
static Instr row_code(const Proto *proto, uint32_t at) {
  // relaxed: as in NEXT. An opcode may specialise itself meanwhile, but its
  // operands stay
  return rt_load_relaxed(&proto->code[at]);
}

// Where the loop that ends at `end` jumps back to.
static uint32_t loop_start(const Proto *proto, uint32_t end) {
  return (uint32_t)((int64_t)end + 2 + INSTR_J(row_code(proto, end + 1)));
}

// How many variables the loop that ends at `end` has, from its register B on.
static uint32_t loop_variables(const Proto *proto, uint32_t end) {
  Instr next = row_code(proto, end);
  Instr first = row_code(proto, loop_start(proto, end));
  if (INSTR_OP(next) == OP_NEXT2) return 2;
  bool apart = INSTR_OP(first) == OP_APART && INSTR_A(first) == INSTR_B(next) &&
               INSTR_B(first) == INSTR_B(next);
  return apart ? INSTR_C(first) : 1;
}

static void add_variable(Text *text, Vm *vm, const Proto *proto,
                         const Value *base, uint32_t reg, uint32_t at) {
  Variable variable;
  uint32_t next = 0;
  while (variable_next(proto, &next, &variable)) {
    if (variable.place != reg || variable.at > at || variable.end <= at)
      continue;
    Value v = base[reg];
    if (value_is_type(v, OBJ_CELL))
      v = heap_load(&((ObjCell *)value_obj(v))->value);
    text_addf(text, "%s%.*s = ", text->len > 0 ? ", " : "", variable.len,
              variable.name);
    format_value(text, vm, v, true);
    return;
  }
}

// Inner loops end first.
static void add_loops(Text *text, Vm *vm, const Proto *proto, const Value *base,
                      uint32_t at) {
  for (uint32_t n = 0; n < proto->ncode;
       n += (uint32_t)op_words((Op)INSTR_OP(row_code(proto, n)))) {
    Op op = (Op)INSTR_OP(row_code(proto, n));
    if (op != OP_NEXT1 && op != OP_NEXT2) continue;
    if (at >= n || loop_start(proto, n) > at) continue;
    uint32_t first = INSTR_B(row_code(proto, n));
    for (uint32_t k = 0; k < loop_variables(proto, n); k++)
      add_variable(text, vm, proto, base, first + k, at);
  }
}

// The frame of the test's function, and what it runs. NULL: g is not in it.
static const Value *test_frame(const Row *row, const Goroutine *g,
                               uint32_t *at) {
  const Instr *pc = g->pc;
  for (const Value *base = g->base; base > g->stack + FRAME_WORDS;
       base -= base[-2] >> 10) {
    const Proto *proto = frame_closure(base)->proto;
    if (proto->name != NULL && strcmp(proto->name->own, row->function) == 0 &&
        pc > proto->code) {
      *at = (uint32_t)(pc - 1 - proto->code);
      return base;
    }
    pc = (const Instr *)(uintptr_t)base[-3];
  }
  return NULL;
}

void rows_note(Local *local, const Goroutine *g, bool panics) {
  Vm *vm = local->vm;
  Row *row = vm->rows;
  uint32_t at;
  Text text = {
      .memory = vm->memory, .most = ROW_MOST, .cuts = true, .nest = ROW_NEST};
  const Value *base = test_frame(row, g, &at);
  if (base == NULL && !panics) return;
  if (base != NULL) add_loops(&text, vm, frame_closure(base)->proto, base, at);
  rt_lock(&row->lock);
  row->len = text.len < ROW_MOST ? text.len : ROW_MOST;
  if (row->len > 0) memcpy(row->text, text.data, row->len);
  rt_unlock(&row->lock);
  text_free(&text);
}

void rows_print(Text *out, Vm *vm) {
  Row *row = vm->rows;
  if (row == NULL) return;
  rt_lock(&row->lock);
  if (row->len > 0) text_addf(out, "  with %.*s\n", (int)row->len, row->text);
  rt_unlock(&row->lock);
}
