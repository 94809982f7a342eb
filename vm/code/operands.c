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

// Each operand of each instruction that runs comes here, and what is read never
// changes. With AddressSanitizer's checks these loops took 39 % of a script's
// time, and strpbrk and strchr, which it checks as well, took a third.
#define UNCHECKED __attribute__((no_sanitize("address", "undefined")))

static UNCHECKED bool is_among(char kind, const char *kinds) {
  while (*kinds != '\0' && *kinds != kind) kinds++;
  return *kinds != '\0';
}

static UNCHECKED const char *find_kind(const char *have, const char *kinds) {
  while (*have != '\0' && !is_among(*have, kinds)) have++;
  return have;
}

void operand_check(const Value *base, Instr i, const char *kinds, uint32_t n) {
  const char *kind = find_kind(op_kinds(INSTR_OP(i)), kinds);
  RT_CHECK(*kind != '\0', "%s has no operand of kind %s", op_name(INSTR_OP(i)),
           kinds);
  if (*kind == 'w') return;  // no register
  check_frame_has(frame_closure(base)->proto, i,
                  is_among(*kind, "xkKgpdmNnhyLl"), n);
}

void operand_check_range(const Value *base, Instr i, uint32_t n) {
  uint32_t first, count = op_range(i, &first);
  RT_CHECK(n >= first && n < first + count, "%s does not use register %u",
           op_name(INSTR_OP(i)), n);
  check_frame_has(frame_closure(base)->proto, i, false, n);
}
#endif
