// SPDX-License-Identifier: MIT
// The handlers of arithmetic, between interp.c's macros like handlers.h, before
// which they stand. Small ints and unboxed floats are done here, and wide ints,
// too, where operations wrap. All else goes to arith.c.
// clang-format off

// --- Arithmetic -------------------------------------------------------------
#define ARITH_SLOW() JUMP_TO(arith_general)
// From then on the place tries floats first; others still find their way.
// relaxed: one word. Both forms do the same, so it does not matter when NEXT sees
// it
#define SPECIALISE(to) \
  rt_store_relaxed((Instr *)(uintptr_t)(pc - 1), (i & ~(Instr)0xff) | OP_##to)
#define FLOATING(op, special)                                     \
  if (value_both_small_float(x, y)) {                             \
    Value f;                                                      \
    if (LIKELY(value_try_from_small_float(                        \
            value_small_float(x) op value_small_float(y), &f))) { \
      REG_A = f;                                                  \
      SPECIALISE(special);                                        \
      NEXT();                                                     \
    }                                                             \
  }
// A float and a small int.
#define MIXED(op)                                                   \
  if (value_mixed_small(x, y)) {                                    \
    Value f;                                                        \
    if (LIKELY(value_try_from_small_float(                          \
            value_small_number(x) op value_small_number(y), &f))) { \
      REG_A = f;                                                    \
      NEXT();                                                       \
    }                                                               \
  }
// Zero is a box: it has a way of its own, so that the common one is short.
// Small ints go along, where one of the two is a float.
#define AS_FLOATS(x, y, u, v)                                           \
  ((value_is_float(x) || value_is_float(y)) && value_try_number(x, u) && \
   value_try_number(y, v))
#define FLOATS_FIRST(name, op, yv, general)                              \
  SHARED(name##_boxed) {                                                 \
    Value x = REG_B, y = (yv), f;                                        \
    double u, v;                                                         \
    if (LIKELY(AS_FLOATS(x, y, &u, &v) &&                                \
               value_try_from_float(local->vm, u op v, &f))) {           \
      REG_A = f;                                                         \
      NEXT();                                                            \
    }                                                                    \
    i = (i & ~(Instr)0xff) | OP_##general;                               \
    JUMP_TO(do_##general);                                               \
  }                                                                      \
  HANDLER(name) {                                                        \
    Value x = REG_B, y = (yv), f;                                        \
    if (LIKELY(value_both_small_float(x, y) &&                           \
               value_try_from_small_float(                               \
                   value_small_float(x) op value_small_float(y), &f))) { \
      REG_A = f;                                                         \
      NEXT();                                                            \
    }                                                                    \
    JUMP_TO(name##_boxed);                                               \
  }
#define IMMEDIATE value_from_small(INSTR_SC(i))
// Of words of small ints. true: it overflows. A product takes one factor
// unshifted, so that it keeps just one shift.
#define ADD_INTS(a, b, r) __builtin_add_overflow((int64_t)(a), (int64_t)(b), r)
#define SUB_INTS(a, b, r) __builtin_sub_overflow((int64_t)(a), (int64_t)(b), r)
#define MUL_INTS(a, b, r) \
  __builtin_mul_overflow((int64_t)(a), value_small(b), r)
// Small ints, unless that overflows; else what `floats` does of x and y.
#define EXACT_LIKE(ints, yv, floats)           \
  {                                            \
    Value x = REG_B, y = (yv);                 \
    if (LIKELY(value_both_small(x, y))) {      \
      int64_t r;                               \
      if (LIKELY(!ints(x, y, &r))) {           \
        REG_A = (Value)r;                      \
        NEXT();                                \
      }                                        \
    } else {                                   \
      floats                                   \
    }                                          \
    ARITH_SLOW();                              \
  }
#define FLOATS(op, special) FLOATING(op, special) MIXED(op)
HANDLER(ADD) EXACT_LIKE(ADD_INTS, REG_C, FLOATS(+, ADDF))
HANDLER(SUB) EXACT_LIKE(SUB_INTS, REG_C, FLOATS(-, SUBF))
HANDLER(MUL) EXACT_LIKE(MUL_INTS, REG_C, FLOATS(*, MULF))
HANDLER(ADDK) EXACT_LIKE(ADD_INTS, CONST_C, FLOATS(+, ADDKF))
HANDLER(SUBK) EXACT_LIKE(SUB_INTS, CONST_C, FLOATS(-, SUBKF))
HANDLER(MULK) EXACT_LIKE(MUL_INTS, CONST_C, FLOATS(*, MULKF))
HANDLER(ADDI) EXACT_LIKE(ADD_INTS, IMMEDIATE, MIXED(+))
HANDLER(SUBI) EXACT_LIKE(SUB_INTS, IMMEDIATE, MIXED(-))
HANDLER(MULI) EXACT_LIKE(MUL_INTS, IMMEDIATE, MIXED(*))

// y is not 0; the smallest small int over -1 leaves the small range.
#define DIV_LIKE(yv, floats)                               \
  {                                                        \
    Value x = REG_B, y = (yv);                             \
    if (LIKELY(value_both_small(x, y))) {                  \
      if (LIKELY((int64_t)y > 0)) {                        \
        REG_A = value_from_small((int64_t)x / (int64_t)y); \
        NEXT();                                            \
      }                                                    \
    } else {                                               \
      floats                                               \
    }                                                      \
    ARITH_SLOW();                                          \
  }
HANDLER(DIV) DIV_LIKE(REG_C, FLOATS(/, DIVF))
HANDLER(DIVK) DIV_LIKE(CONST_C, FLOATS(/, DIVKF))
HANDLER(DIVI) DIV_LIKE(IMMEDIATE, MIXED(/))

// The constant on the left tells which way to try first.
#define CONSTANT_LIKE(op, both_small)                                       \
  {                                                                         \
    Value x = CONST_B, y = REG_C;                                           \
    if (value_is_small_float(x)) {                                          \
      Value f;                                                              \
      if (LIKELY((value_is_small_float(y) || value_is_small(y)) &&          \
                 value_try_from_small_float(                                \
                     value_small_float(x) op value_small_number(y), &f))) { \
        REG_A = f;                                                          \
        NEXT();                                                             \
      }                                                                     \
    } else if (value_both_small(x, y)) {                                    \
      both_small                                                            \
    } else {                                                                \
      MIXED(op)                                                             \
    }                                                                       \
    ARITH_SLOW();                                                           \
  }
HANDLER(KSUB)
CONSTANT_LIKE(-, {
  int64_t r;
  if (LIKELY(!__builtin_sub_overflow((int64_t)x, (int64_t)y, &r))) {
    REG_A = (Value)r;
    NEXT();
  }
})
HANDLER(KDIV)
CONSTANT_LIKE(/, {
  if (LIKELY((int64_t)y > 0)) {
    REG_A = value_from_small((int64_t)x / (int64_t)y);
    NEXT();
  }
})

FLOATS_FIRST(ADDF, +, REG_C, ADD)
FLOATS_FIRST(SUBF, -, REG_C, SUB)
FLOATS_FIRST(MULF, *, REG_C, MUL)
FLOATS_FIRST(DIVF, /, REG_C, DIV)
FLOATS_FIRST(ADDKF, +, CONST_C, ADDK)
FLOATS_FIRST(SUBKF, -, CONST_C, SUBK)
FLOATS_FIRST(MULKF, *, CONST_C, MULK)
FLOATS_FIRST(DIVKF, /, CONST_C, DIVK)

// Two operations in one: of floats u, v and w, or of the words x, y and z of
// small ints, with part between them.
#define PAIR_LIKE(name, third, floats, first_overflows, second_overflows)  \
  SHARED(name##_boxed) {                                                   \
    Value x = REG_B, y = REG_C, f;                                         \
    double u, v, w;                                                        \
    if (LIKELY(AS_FLOATS(x, y, &u, &v) && value_try_number(third, &w) &&   \
               value_try_from_float(local->vm, floats, &f))) {             \
      REG_A = f;                                                           \
      pc++;                                                                \
      NEXT();                                                              \
    }                                                                      \
    JUMP_TO(pair_general);                                                 \
  }                                                                        \
  HANDLER(name) {                                                          \
    Value x = REG_B, y = REG_C, z = (third), f;                            \
    if (LIKELY(value_both_small_float(x, y) && value_is_small_float(z))) { \
      double u = value_small_float(x), v = value_small_float(y);           \
      double w = value_small_float(z);                                     \
      if (LIKELY(value_try_from_small_float(floats, &f))) {                \
        REG_A = f;                                                         \
        pc++;                                                              \
        NEXT();                                                            \
      }                                                                    \
    } else if (LIKELY(value_both_small(x, y) && value_is_small(z))) {      \
      int64_t part, r;                                                     \
      if (LIKELY(!first_overflows && !second_overflows)) {                 \
        REG_A = (Value)r;                                                  \
        pc++;                                                              \
        NEXT();                                                            \
      }                                                                    \
    }                                                                      \
    JUMP_TO(name##_boxed);                                                 \
  }
#define PAIRS(name, ...)                      \
  PAIR_LIKE(name, REG_WORD(*pc), __VA_ARGS__) \
  PAIR_LIKE(name##K, CONST_WORD(*pc), __VA_ARGS__)
PAIRS(MULADD, u * v + w, MUL_INTS(x, y, &part), ADD_INTS(part, z, &r))
PAIRS(MULSUB, u * v - w, MUL_INTS(x, y, &part), SUB_INTS(part, z, &r))
PAIRS(ADDADD, u + v + w, ADD_INTS(x, y, &part), ADD_INTS(part, z, &r))
PAIRS(ADDSUB, u + v - w, ADD_INTS(x, y, &part), SUB_INTS(part, z, &r))
PAIRS(SUBADD, u - v + w, SUB_INTS(x, y, &part), ADD_INTS(part, z, &r))
PAIRS(SUBSUB, u - v - w, SUB_INTS(x, y, &part), SUB_INTS(part, z, &r))
PAIR_LIKE(SUBMUL, REG_WORD(*pc), w - u * v, MUL_INTS(x, y, &part),
          SUB_INTS(z, part, &r))

#define MOD_LIKE(yv)                                        \
  {                                                         \
    Value x = REG_B, y = (yv);                              \
    if (LIKELY(value_both_small(x, y) && (int64_t)y > 0)) { \
      REG_A = (Value)((int64_t)x % (int64_t)y);             \
      NEXT();                                               \
    }                                                       \
    ARITH_SLOW();                                           \
  }
HANDLER(MOD) MOD_LIKE(REG_C)
HANDLER(MODI) MOD_LIKE(IMMEDIATE)

// Ints of all 64 bits: expr of n and m is the result, boxed if need be.
#define WIDE(yv, expr)                                            \
  {                                                               \
    Value x = REG_B, y = (yv), v;                                 \
    int64_t n, m;                                                 \
    if (LIKELY(value_to_int(x, &n) && value_to_int(y, &m) &&      \
               value_try_from_int(local, (int64_t)(expr), &v))) { \
      REG_A = v;                                                  \
      NEXT();                                                     \
    }                                                             \
    ARITH_SLOW();                                                 \
  }
HANDLER(ADDW) WIDE(REG_C, (uint64_t)n + (uint64_t)m)
HANDLER(SUBW) WIDE(REG_C, (uint64_t)n - (uint64_t)m)
HANDLER(MULW) WIDE(REG_C, (uint64_t)n * (uint64_t)m)
HANDLER(MULWK) WIDE(CONST_C, (uint64_t)n * (uint64_t)m)

// Two of them in one; the second word is, or has, the third operand.
#define WIDE_PAIR(yv, expr)                                       \
  {                                                               \
    Value x = REG_B, y = (yv), v;                                 \
    int64_t n, m;                                                 \
    if (LIKELY(value_to_int(x, &n) && value_to_int(y, &m) &&      \
               value_try_from_int(local, (int64_t)(expr), &v))) { \
      REG_A = v;                                                  \
      pc++;                                                       \
      NEXT();                                                     \
    }                                                             \
    JUMP_TO(pair_general);                                        \
  }
HANDLER(XORSHL) WIDE_PAIR(REG_C, (uint64_t)n ^ (uint64_t)m << *pc)
HANDLER(XORSHR) WIDE_PAIR(REG_C, n ^ m >> *pc)
HANDLER(XORSHRL) WIDE_PAIR(REG_C, (uint64_t)n ^ (uint64_t)m >> *pc)
#define MULADDW_LIKE(yv)                                                       \
  {                                                                            \
    int64_t third;                                                             \
    if (UNLIKELY(!value_to_int(REG_WORD(*pc), &third))) JUMP_TO(pair_general); \
    WIDE_PAIR(yv, (uint64_t)n * (uint64_t)m + (uint64_t)third)                 \
  }
HANDLER(MULADDW) MULADDW_LIKE(REG_C)
HANDLER(MULKADDW) MULADDW_LIKE(CONST_C)

#define BIT_LIKE(op, yv)                         \
  {                                              \
    Value left = REG_B, right = (yv);            \
    if (LIKELY(value_both_small(left, right))) { \
      REG_A = left op right;                     \
      NEXT();                                    \
    }                                            \
    WIDE(right, n op m)                          \
  }
HANDLER(BAND) BIT_LIKE(&, REG_C)
HANDLER(BANDK) BIT_LIKE(&, CONST_C)
HANDLER(BOR) BIT_LIKE(|, REG_C)
HANDLER(BXOR) BIT_LIKE(^, REG_C)

// More than 63 is for the slow path, negative counts, too.
HANDLER(SHL) {
  Value by = REG_C;
  if (UNLIKELY(by > value_from_small(63))) ARITH_SLOW();
  WIDE(by, (uint64_t)n << m)
}
HANDLER(SHR) {
  Value by = REG_C;
  if (UNLIKELY(by > value_from_small(63))) ARITH_SLOW();
  WIDE(by, n >> m)
}
HANDLER(SHLI) {
  WIDE(IMMEDIATE, (uint64_t)n << m)
}
HANDLER(SHRI) {
  WIDE(IMMEDIATE, n >> m)
}
HANDLER(NEG) {
  Value x = REG_B;
  int64_t r;
  if (LIKELY(value_is_small(x) &&
             !__builtin_sub_overflow((int64_t)0, (int64_t)x, &r))) {
    REG_A = (Value)r;
    NEXT();
  }
  ARITH_SLOW();
}
HANDLER(NOT) {
  REG_A = value_from_bool(!value_truthy(REG_B));
  NEXT();
}
HANDLER(BNOT) {
  Value x = REG_B;
  if (LIKELY(value_is_small(x))) {
    REG_A = ~x & ~(Value)TAG_MASK;
    NEXT();
  }
  ARITH_SLOW();
}
