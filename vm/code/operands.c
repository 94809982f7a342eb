// SPDX-License-Identifier: MIT
// The checks of an instruction's operands. Only a debug build has them.
#include "vm/code/operands.h"

#include "vm/heap/local.h"

#ifdef CSP_DEBUG
static void check_frame_has(const Proto *proto, Instr i, bool is_constant,
                            uint32_t n) {
  RT_CHECK(n < (is_constant ? proto->nconstants : proto->nregs),
           "%s: %s %u is beyond the frame of %s", op_name(INSTR_OP(i)),
           is_constant ? "constant" : "register", n, proto->name->own);
}

void operand_check(const Value *base, Instr i, const char *kinds, uint32_t n) {
  const char *kind = strpbrk(op_kinds(INSTR_OP(i)), kinds);
  RT_CHECK(kind != NULL, "%s has no operand of kind %s", op_name(INSTR_OP(i)),
           kinds);
  if (*kind == 'w') return;  // no register
  check_frame_has(frame_closure(base)->proto, i,
                  strchr("xkKgpdmNnhyLl", *kind) != NULL, n);
}

void operand_check_range(const Value *base, Instr i, uint32_t n) {
  uint32_t first, count = op_range(i, &first);
  RT_CHECK(n >= first && n < first + count, "%s does not use register %u",
           op_name(INSTR_OP(i)), n);
  check_frame_has(frame_closure(base)->proto, i, false, n);
}
#endif
