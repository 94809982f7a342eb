// SPDX-License-Identifier: MIT
// Second pass, what must hold: asserted by the other files in debug builds.
// Pure functions.
//
// A function that nobody will run (code_is_lost) keeps its registers and exits
// balanced, but not its operands, constants and jumps.
#include "lang/gen/balance.h"

#include <string.h>

#include "lang/gen/emit.h"
#include "vm/code/proto.h"

bool code_is_lost(const Compiler *c) {
  return c->no_memory || c->func->gen.too_complex;
}

bool symbol_may_be_used(const Compiler *c, const Symbol *symbol) {
  if (symbol->kind != SYM_UNKNOWN) return true;
  return c->loader->errors || c->loader->no_memory;
}

bool registers_are_balanced(const Func *f) {
  bool in_order = f->gen.active >= 0 && f->gen.top == f->gen.active &&
                  f->gen.top <= f->gen.max;
  return in_order && (f->gen.too_complex || f->gen.max <= REGISTERS_MAX);
}

bool jumps_are_waiting(const Func *f, int list) {
  int above = (int)f->gen.ncode;
  for (int at = list; at != NO_JUMP; at = INSTR_SJ(f->gen.code[above])) {
    if (at < 0 || at >= above) return false;
    Op op = (Op)INSTR_OP(f->gen.code[at]);
    if (op != 0 && op != OP_JMP) return false;  // (0: a word of its own)
    above = at;
  }
  return true;
}

bool lines_are_sorted(const Func *f) {
  for (uint32_t i = 1; i < f->gen.nlines; i++) {
    if (f->gen.lines[i].at <= f->gen.lines[i - 1].at) return false;
  }
  return f->gen.nlines == 0 ||
         f->gen.lines[f->gen.nlines - 1].at < f->gen.ncode;
}

static bool fits_byte(int value) {
  return value >= INT8_MIN && value <= UINT8_MAX;
}

bool operands_fit(int a, int b, int d) {
  return a >= 0 && a <= UINT8_MAX && fits_byte(b) && fits_byte(d);
}

bool constant_is_there(const Compiler *c, int index, Value v) {
  const Func *f = c->func;
  if (code_is_lost(c)) return true;
  return index >= 0 && (uint32_t)index < f->gen.nconstants &&
         f->gen.constants[index] == v;
}

bool func_is_complete(const Compiler *c, const Func *f) {
  uint32_t at;
  if (f->gen.exit != NULL) return false;
  if (c->no_memory || f->gen.too_complex) return true;
  const char *wrong = proto_verify(&mem_libc, f->proto, &at);
  bool fine = wrong == NULL || strcmp(wrong, "out of memory") == 0;
  return fine && lines_are_sorted(f);
}
