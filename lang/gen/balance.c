// SPDX-License-Identifier: MIT
// Second pass, what must hold: asserted by the other files in debug builds.
// Pure functions.
//
// A function that nobody will run (code_is_lost) keeps its registers and exits
// balanced, but not its operands, constants and jumps.
#include "lang/gen/balance.h"

#include <string.h>

#include "lang/gen/emit.h"
#include "vm/code/verify.h"

bool code_is_lost(const Compiler *compiler) {
  return compiler->no_memory || compiler->func->gen.too_complex;
}

bool symbol_may_be_used(const Compiler *compiler, const Symbol *symbol) {
  if (symbol->kind != SYM_UNKNOWN) return true;
  return compiler->loader->errors || compiler->loader->no_memory;
}

bool registers_are_balanced(const Func *func) {
  bool in_order = func->gen.active >= 0 && func->gen.top == func->gen.active &&
                  func->gen.top <= func->gen.max;
  return in_order && (func->gen.too_complex || func->gen.max <= REGISTERS_MAX);
}

bool jumps_are_waiting(const Func *func, int list) {
  int above = (int)func->gen.ncode;
  for (int at = list; at != NO_JUMP; at = INSTR_SJ(func->gen.code[above])) {
    if (at < 0 || at >= above) return false;
    Op op = (Op)INSTR_OP(func->gen.code[at]);
    if (op != 0 && op != OP_JMP) return false;  // (0: a word of its own)
    above = at;
  }
  return true;
}

bool lines_are_sorted(const Proto *proto) {
  uint32_t last = proto->nlines - 1;
  for (uint32_t i = 1; i < proto->nlines; i++) {
    if (proto->lines[i].at <= proto->lines[i - 1].at) return false;
  }
  return proto->nlines == 0 || proto->lines[last].at < proto->ncode;
}

static bool fits_byte(int value) {
  return value >= INT8_MIN && value <= UINT8_MAX;
}

bool operands_fit(int a, int b, int d) {
  return a >= 0 && a <= UINT8_MAX && fits_byte(b) && fits_byte(d);
}

bool constant_is_there(const Compiler *compiler, int index, Value v) {
  const Func *func = compiler->func;
  if (code_is_lost(compiler)) return true;
  return index >= 0 && (uint32_t)index < func->gen.nconstants &&
         func->gen.constants[index] == v;
}

bool func_is_complete(const Compiler *compiler, const Func *func) {
  uint32_t at;
  if (func->gen.exit != NULL) return false;
  if (compiler->no_memory || func->gen.too_complex) return true;
  const char *wrong = proto_verify(&mem_libc, func->proto, &at);
  bool fine = wrong == NULL || strcmp(wrong, "out of memory") == 0;
  return fine && lines_are_sorted(func->proto);
}
