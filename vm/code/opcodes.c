// SPDX-License-Identifier: MIT
// The table of opcodes as data: what opcodes.def says of each.
#include "vm/code/opcodes.h"

#include <string.h>

typedef struct OpInfo {
  const char *name;
  const char *kinds;
  int words;
  uint32_t traits;
} OpInfo;

static const OpInfo op_infos[OP_COUNT] = {
#define OP(name, words, kinds, first, count, traits, meaning) \
  [OP_##name] = {#name, kinds, words, traits},
#include "vm/code/opcodes.def"
#undef OP
};

static const OpInfo *op_info(Op op) {
  RT_ASSERT(op < OP_COUNT);
  return &op_infos[op];
}

const char *op_name(Op op) { return op_info(op)->name; }
int op_words(Op op) { return op_info(op)->words; }
const char *op_kinds(Op op) { return op_info(op)->kinds; }
uint32_t op_traits(Op op) { return op_info(op)->traits; }

// (The verifier asks for each operand of the prelude when a program starts.)
bool op_kind_is_extra(char kind) {
  static const bool extra[128] = {
      ['J'] = true, ['N'] = true, ['n'] = true, ['h'] = true, ['y'] = true,
      ['L'] = true, ['l'] = true, ['R'] = true, ['W'] = true, ['.'] = true};
  return extra[(unsigned char)kind & 127];
}

uint32_t op_range(Instr i, uint32_t *first) {
  uint32_t a = INSTR_A(i), b = INSTR_B(i), c = INSTR_C(i);
  (void)c;
  switch ((Op)INSTR_OP(i)) {
#define OP(name, words, kinds, from, count, traits, meaning) \
  case OP_##name:                                            \
    *first = (from);                                         \
    return (count);
#include "vm/code/opcodes.def"
#undef OP
    case OP_COUNT:
      break;
  }
  rt_throw("op_range: opcode %u", INSTR_OP(i));
}

Op op_backward(Op op) {
  static const uint8_t backward[OP_COUNT] = {
      [OP_LT] = OP_LTL,
      [OP_LE] = OP_LEL,
      [OP_LTI] = OP_LTIL,
      [OP_LEI] = OP_LEIL,
  };
  RT_ASSERT(op < OP_COUNT);
  if (backward[op] == 0) return OP_COUNT;
  Op form = (Op)backward[op];
  RT_ASSERT((op_traits(form) & JUMPS_BACK) != 0);
  RT_ASSERT(strcmp(op_kinds(form), op_kinds(op)) == 0);
  return form;
}

// --- Two operations in one --------------------------------------------------
static const FusedOps fused[OP_COUNT] = {
#define FUSED(name, first, second, turned, constant) \
  [OP_##name] = {OP_##first, OP_##second, turned, constant},
#include "vm/code/fused.def"
#undef FUSED
};

FusedOps op_fused(Op op) {
  RT_ASSERT(op < OP_COUNT);
  return fused[op];
}

Op op_fuse(Op first, Op second, bool turned, bool constant) {
  int op = 0;
  while (op < OP_COUNT &&
         (fused[op].first != first || fused[op].second != second ||
          fused[op].turned != turned || fused[op].constant != constant))
    op++;
  return (Op)op;
}
