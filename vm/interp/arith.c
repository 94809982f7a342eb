// SPDX-License-Identifier: MIT
// Arithmetic and comparison of any two values: what the handlers' fast paths
// leave over (boxed numbers, mixed kinds, strings, lists, wrong types).
//
// Ints are exact or panic. An int with a float gives a float. + joins strings
// and lists. +% -% *% wrap around. Shifts drop bits as in Go.
#include "vm/interp/arith.h"

#include <math.h>
#include <stdio.h>

#include "vm/code/operands.h"
#include "vm/code/proto.h"
#include "vm/heap/local.h"
#include "vm/interp/explain.h"
#include "vm/interp/host_call.h"
#include "vm/interp/panic.h"
#include "vm/interp/tuples.h"
#include "vm/object/box.h"
#include "vm/object/compare.h"
#include "vm/object/list.h"
#include "vm/object/string.h"
#include "vm/object/value_text.h"

static const char *op_text(Op op) {
  switch (op) {
    case OP_ADD:
      return "+";
    case OP_SUB:
      return "-";
    case OP_MUL:
      return "*";
    case OP_DIV:
      return "/";
    case OP_MOD:
      return "%";
    case OP_ADDW:
      return "+%";
    case OP_SUBW:
      return "-%";
    case OP_MULW:
      return "*%";
    case OP_BAND:
      return "&";
    case OP_BOR:
      return "|";
    case OP_BXOR:
      return "^";
    case OP_SHL:
      return "<<";
    case OP_SHR:
      return ">>";
    case OP_LT:
      return "<";
    case OP_LE:
      return "<=";
    default:
      rt_throw("op_text: opcode %d", (int)op);
  }
}

// Whether the source has the operands the other way round.
static bool is_turned(const Goroutine *g) {
  return proto_line(frame_closure(g->base)->proto, g->pc - 1).turned;
}

// What does here what the operator does elsewhere, or "".
static const char *other_way(Op op, Value b, Value c) {
  bool string = value_is_type(b, OBJ_STRING);
  if (op == OP_MUL && value_is_int(c) && (string || value_is_type(b, OBJ_LIST)))
    return ": write `x.repeat(n)`";
  if (op == OP_ADD && string && c != VALUE_NIL) return ": write `s + str(x)`";
  if (op == OP_ADD && b != VALUE_NIL && value_is_type(c, OBJ_STRING))
    return ": write `str(x) + s`";
  if (op == OP_MOD && string && c != VALUE_NIL)
    return ": write `\"${x}\"`, or `fmt.sprintf(s, x)`";
  bool orders = op == OP_LT || op == OP_LE;
  if (orders && (b == VALUE_TRUE || b == VALUE_FALSE) && value_is_int(c))
    return ": write `a < b && b < c`";
  return "";
}

static __attribute__((noinline)) bool wrong_types(Local *local, Goroutine *g,
                                                  Op op, Value b, Value c) {
  const char *text = op_text(op);
  if (is_turned(g)) {
    Value swap = b;
    b = c;
    c = swap;
    if (op == OP_LT) text = ">";
    if (op == OP_LE) text = ">=";
  }
  char difference[DIFFERENCE_SIZE];
  value_say_difference(b, c, difference);
  return explain_panic(local, g, "cannot apply `%s` to %s and %s%s%s", text,
                       value_type_name(b), value_type_name(c),
                       other_way(op, b, c), difference);
}

static bool int_overflow(Local *local, Goroutine *g, Op op, int64_t b,
                         int64_t c) {
  if (is_turned(g)) {
    int64_t swap = b;
    b = c;
    c = swap;
  }
  return vm_panic(local, g, "integer overflow: %lld %s %lld", (long long)b,
                  op_text(op), (long long)c);
}

// *out may be an operand's place: without memory it stays as it is, for the
// next attempt.
static bool give_value(Local *local, Goroutine *g, Value v, Value *out) {
  if (v == VALUE_UNDEF) return vm_panic_memory(local, g);
  *out = v;
  return true;
}

static bool give_int(Local *local, Goroutine *g, int64_t i, Value *out) {
  return give_value(local, g, value_from_int(local, i), out);
}

static bool give_float(Local *local, Goroutine *g, double d, Value *out) {
  return give_value(local, g, value_from_float(local, d), out);
}

// --- Ints -------------------------------------------------------------------
static bool int_divide(Local *local, Goroutine *g, Op op, int64_t b, int64_t c,
                       Value *out) {
  if (c == 0) return vm_panic(local, g, "division by zero");
  if (c == -1) {
    if (op == OP_MOD) return give_int(local, g, 0, out);
    if (b == INT64_MIN) return int_overflow(local, g, op, b, c);
    return give_int(local, g, -b, out);
  }
  return give_int(local, g, op == OP_DIV ? b / c : b % c, out);
}

static bool int_shift(Local *local, Goroutine *g, Op op, int64_t b, int64_t c,
                      Value *out) {
  if (c < 0)
    return vm_panic(local, g, "negative shift count %lld", (long long)c);
  int64_t r;
  if (op == OP_SHL)
    r = c > 63 ? 0 : (int64_t)((uint64_t)b << c);
  else
    r = b >> (c > 63 ? 63 : c);
  return give_int(local, g, r, out);
}

static bool int_op(Local *local, Goroutine *g, Op op, int64_t b, int64_t c,
                   Value *out) {
  int64_t r = 0;
  bool overflow = false;
  uint64_t ub = (uint64_t)b, uc = (uint64_t)c;
  switch (op) {
    case OP_ADD:
      overflow = __builtin_add_overflow(b, c, &r);
      break;
    case OP_SUB:
      overflow = __builtin_sub_overflow(b, c, &r);
      break;
    case OP_MUL:
      overflow = __builtin_mul_overflow(b, c, &r);
      break;
    case OP_DIV:
    case OP_MOD:
      return int_divide(local, g, op, b, c, out);
    case OP_ADDW:
      r = (int64_t)(ub + uc);
      break;
    case OP_SUBW:
      r = (int64_t)(ub - uc);
      break;
    case OP_MULW:
      r = (int64_t)(ub * uc);
      break;
    case OP_BAND:
      r = b & c;
      break;
    case OP_BOR:
      r = b | c;
      break;
    case OP_BXOR:
      r = b ^ c;
      break;
    case OP_SHL:
    case OP_SHR:
      return int_shift(local, g, op, b, c, out);
    default:
      rt_throw("int_op: opcode %d", (int)op);
  }
  if (overflow) return int_overflow(local, g, op, b, c);
  return give_int(local, g, r, out);
}

// --- Floats, strings, lists -------------------------------------------------
static double to_double(Value v) {
  return value_is_int(v) ? (double)value_int(v) : value_float(v);
}

static bool float_op(Local *local, Goroutine *g, Op op, Value b, Value c,
                     Value *out) {
  double x = to_double(b), y = to_double(c);
  switch (op) {
    case OP_ADD:
      return give_float(local, g, x + y, out);
    case OP_SUB:
      return give_float(local, g, x - y, out);
    case OP_MUL:
      return give_float(local, g, x * y, out);
    case OP_DIV:
      return give_float(local, g, x / y, out);
    case OP_MOD:
      return give_float(local, g, fmod(x, y), out);
    default:
      return wrong_types(local, g, op, b, c);
  }
}

static bool join_values(Local *local, Goroutine *g, Value b, Value c,
                        Value *out) {
  if (value_is_type(b, OBJ_STRING) && value_is_type(c, OBJ_STRING)) {
    ObjString *string = string_concat(local, (ObjString *)value_obj(b),
                                      (ObjString *)value_obj(c));
    if (string == NULL) return vm_panic_memory(local, g);
    *out = value_from_obj(string);
    return true;
  }
  if (value_is_type(b, OBJ_LIST) && value_is_type(c, OBJ_LIST)) {
    ObjValues *x = list_block((ObjList *)value_obj(b));
    ObjValues *y = list_block((ObjList *)value_obj(c));
    size_t nx = values_len(x), ny = values_len(y);
    ObjList *list = list_new(local, nx + ny);
    if (list == NULL || !list_append_part(local, list, x, 0, nx) ||
        !list_append_part(local, list, y, 0, ny))
      return vm_panic_memory(local, g);
    *out = value_from_obj(list);
    return true;
  }
  if (value_is_type(b, OBJ_TUPLE) && value_is_type(c, OBJ_TUPLE))
    return tuples_join(local, g, b, c, out);
  bool turned = is_turned(g);
  HostDone done = host_add(local, g, turned ? c : b, turned ? b : c, out);
  return done == HOST_NO ? wrong_types(local, g, OP_ADD, b, c)
                         : done == HOST_DID;
}

bool arith_op(Local *local, Goroutine *g, Op op, Value b, Value c, Value *out) {
  if (value_is_int(b) && value_is_int(c))
    return int_op(local, g, op, value_int(b), value_int(c), out);
  if (value_is_number(b) && value_is_number(c))
    return float_op(local, g, op, b, c, out);
  if (op == OP_ADD) return join_values(local, g, b, c, out);
  return wrong_types(local, g, op, b, c);
}

static bool negate(Local *local, Goroutine *g, Value v, Value *out) {
  if (value_is_int(v)) {
    if (value_int(v) == INT64_MIN)
      return vm_panic(local, g, "integer overflow: -(%lld)",
                      (long long)INT64_MIN);
    return give_int(local, g, -value_int(v), out);
  }
  if (value_is_float(v)) return give_float(local, g, -value_float(v), out);
  return explain_panic(local, g, "cannot apply unary `-` to %s",
                       value_type_name(v));
}

static bool complement(Local *local, Goroutine *g, Value v, Value *out) {
  if (value_is_int(v)) return give_int(local, g, ~value_int(v), out);
  return explain_panic(local, g, "cannot apply unary `^` to %s",
                       value_type_name(v));
}

// Opcodes with a small number, or a constant, as the second operand; or as the
// first.
#define WITH_SMALL(X) \
  X(ADDI, ADD)        \
  X(SUBI, SUB) X(MULI, MUL) X(DIVI, DIV) X(MODI, MOD) X(SHLI, SHL) X(SHRI, SHR)
#define WITH_CONSTANT(X) \
  X(ADDK, ADD)           \
  X(SUBK, SUB) X(MULK, MUL) X(DIVK, DIV) X(BANDK, BAND) X(MULWK, MULW)
#define CONSTANT_FIRST(X) X(KSUB, SUB) X(KDIV, DIV)

bool arith_slow(Local *local, Goroutine *g, Value *base, const Value *constants,
                Instr i) {
  Value *out = &REG_A, small = value_from_small(INSTR_SC(i));
  switch (INSTR_OP(i)) {
#define X(op, plain) \
  case OP_##op:      \
    return arith_op(local, g, OP_##plain, REG_B, small, out);
    WITH_SMALL(X)
#undef X
#define X(op, plain) \
  case OP_##op:      \
    return arith_op(local, g, OP_##plain, REG_B, CONST_C, out);
    WITH_CONSTANT(X)
#undef X
#define X(op, plain) \
  case OP_##op:      \
    return arith_op(local, g, OP_##plain, CONST_B, REG_C, out);
    CONSTANT_FIRST(X)
#undef X
    case OP_NEG:
      return negate(local, g, REG_B, out);
    case OP_BNOT:
      return complement(local, g, REG_B, out);
    default:
      return arith_op(local, g, (Op)INSTR_OP(i), REG_B, REG_C, out);
  }
}

// --- Two operations in one --------------------------------------------------
// The first is done at the opcode's place; the second word has the place of the
// second, for what goes wrong there. If that is memory, both are done again.
static bool second_op(Local *local, Goroutine *g, Op op, Value b, Value c,
                      Value *out) {
  g->pc++;
  bool done = arith_op(local, g, op, b, c, out);
  g->pc--;
  return done;
}

// y >> by with zeros from above, where y is an int; else as SHR.
static bool shift_zeros(Local *local, Goroutine *g, Value y, Value by,
                        Value *out) {
  if (!value_is_int(y)) return arith_op(local, g, OP_SHR, y, by, out);
  uint64_t bits = (uint64_t)value_int(y) >> value_small(by);
  return give_int(local, g, (int64_t)bits, out);
}

bool arith_pair(Local *local, Goroutine *g, Value *base, const Value *constants,
                Instr i, Instr word) {
  Op op = (Op)INSTR_OP(i);
  FusedOps pair = op_fused(op);
  Value *out = &REG_A, part = VALUE_NIL, b = REG_B, third;
  Value c = op == OP_MULKADDW ? CONST_C : REG_C;
  if (pair.second == OP_BXOR) {  // b ^ (c shifted by word)
    third = b;
    b = c;
    c = value_from_small(word);
  } else {
    third = pair.constant ? CONST_WORD(word) : REG_WORD(word);
  }
  bool done = op == OP_XORSHRL
                  ? shift_zeros(local, g, b, c, &part)
                  : arith_op(local, g, (Op)pair.first, b, c, &part);
  if (!done) return false;
  return pair.turned ? second_op(local, g, (Op)pair.second, third, part, out)
                     : second_op(local, g, (Op)pair.second, part, third, out);
}

// --- Comparisons ------------------------------------------------------------
__attribute__((noinline)) int compare_op(Local *local, Goroutine *g, Op op,
                                         Value a, Value b) {
  int order = value_compare_on(local, a, b);
  if (g->gave_up) return -1;
  if (order == 3) {
    wrong_types(local, g, op, a, b);
    return -1;
  }
  if (order == 2) return 0;
  return op == OP_LT ? order < 0 : order <= 0;
}

static int equal_op(Local *local, const Goroutine *g, Value a, Value b) {
  bool equal = value_equal_on(local, a, b);
  return g->gave_up ? -1 : equal;
}

int compare_slow(Local *local, Goroutine *g, const Value *base,
                 const Value *constants, Instr i) {
  Value a = REG_A;
  Value small = value_from_small(INSTR_SB(i));
  switch (INSTR_OP(i)) {
    case OP_EQ:
      return equal_op(local, g, a, REG_B);
    case OP_EQK:
      return equal_op(local, g, a, CONST_B);
    case OP_EQI:
      return value_equal(a, small);
    case OP_LT:
    case OP_LTL:
      return compare_op(local, g, OP_LT, a, REG_B);
    case OP_LE:
    case OP_LEL:
      return compare_op(local, g, OP_LE, a, REG_B);
    case OP_LTI:
    case OP_LTIL:
      return compare_op(local, g, OP_LT, a, small);
    case OP_LEI:
    case OP_LEIL:
      return compare_op(local, g, OP_LE, a, small);
    case OP_GTI:
      return compare_op(local, g, OP_LT, small, a);
    case OP_GEI:
      return compare_op(local, g, OP_LE, small, a);
    case OP_LTK:
      return compare_op(local, g, OP_LT, a, CONST_B);
    case OP_LEK:
      return compare_op(local, g, OP_LE, a, CONST_B);
    case OP_GTK:
      return compare_op(local, g, OP_LT, CONST_B, a);
    case OP_GEK:
      return compare_op(local, g, OP_LE, CONST_B, a);
    default:
      rt_throw("compare_slow: opcode %d", (int)INSTR_OP(i));
  }
}
