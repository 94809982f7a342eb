// SPDX-License-Identifier: MIT
// The checks of an instruction's operands. Only a debug build has them.
#include "vm/code/operands.h"

#include "vm/heap/local.h"

#ifdef CSP_DEBUG
static void check_frame_has(const Proto *proto, Instr i, bool constant,
                            uint32_t n) {
  RT_CHECK(n < (constant ? proto->nconstants : proto->nregs),
           "%s: %s %u is beyond the frame of %s", op_name(INSTR_OP(i)),
           constant ? "constant" : "register", n, proto->name->own);
}

static uint64_t kinds_of(Op op) {
  static uint64_t sets[OP_COUNT];  // 0: nobody has asked
  // relaxed: all store the same. Pairs with the store in kinds_of
  uint64_t set = rt_load_relaxed(&sets[op]);
  if (set != 0) return set;
  for (const char *kind = op_kinds(op); *kind != '\0'; kind++)
    if (*kind != '.') set |= KIND(*kind);
  rt_store_relaxed(&sets[op], set);  // relaxed: pairs with the load above
  return set;
}

void operand_check(const Value *base, Instr i, uint64_t kinds, uint32_t n) {
  Op op = INSTR_OP(i);
  uint64_t found = kinds_of(op) & kinds;
  RT_CHECK(found != 0, "%s (%s) has no operand of the kind that is asked for",
           op_name(op), op_kinds(op));
  if (found == KIND('w')) return;  // no register
  check_frame_has(frame_closure(base)->proto, i,
                  (found & ~(uint64_t)KINDS_REGISTER) != 0, n);
}

void operand_check_range(const Value *base, Instr i, uint32_t n) {
  uint32_t first, count = op_range(i, &first);
  RT_CHECK(n >= first && n < first + count, "%s does not use register %u",
           op_name(INSTR_OP(i)), n);
  check_frame_has(frame_closure(base)->proto, i, false, n);
}
#endif
