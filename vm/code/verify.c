// SPDX-License-Identifier: MIT
// The verifier of compiled functions.
//
// It is the compiler's test, and the guard of whatever else produces code. What
// it lets pass cannot make the interpreter read or write outside its frame,
// constants, upvalues or code, and has a safepoint in each loop. It does not
// follow values. That a register holds what an instruction takes it for (a
// cell, the state of a loop, the outcome of a select) is up to the compiler,
// and so are the arguments of the library's own natives (`_name`).
#include "vm/code/verify.h"

#include <string.h>

#include "vm/code/opcodes.h"

enum { FEW_WORDS = 1024 };  // that functions mostly have at most

typedef struct Verify {
  const Proto *proto;
  uint8_t *starts;  // per word: an instruction begins here
  uint32_t at;
} Verify;

static bool is_register(const Verify *verify, uint32_t r) {
  return r < verify->proto->nregs;
}
static bool are_registers(const Verify *verify, uint32_t from, uint32_t count) {
  // (`from` may lie below 0, as that of GROUP without room for its value)
  return (uint64_t)from + count <= verify->proto->nregs;
}

// Direction: what counts a safepoint jumps backward, all else forward.
static const char *check_direction(Op op, int32_t offset) {
  if (op_traits(op) & JUMPS_BACK)
    return offset < 0 ? NULL : "a loop's jump goes forward";
  return offset >= 0 ? NULL : "a jump backward counts no safepoint";
}

// Whether what ends in word `word` with offset `offset` jumps to code.
static const char *check_jump(const Verify *verify, Op op, uint32_t word,
                              int32_t offset) {
  int64_t to = (int64_t)word + 1 + offset;
  bool lands = to >= 0 && to < verify->proto->ncode && verify->starts[to];
  return lands ? check_direction(op, offset) : "jump to nowhere";
}

static const char *check_register(const Verify *verify, uint32_t r) {
  return is_register(verify, r) ? NULL : "no such register";
}

static bool is_wanted(const Verify *verify, Instr i) {
  return INSTR_C(i) == WANT_ALL || INSTR_C(i) == WANT_DROP ||
         are_registers(verify, INSTR_A(i), INSTR_C(i));
}

// CLOSURE: what the new closure captures is there.
static const char *check_captures(const Verify *verify, Value constant) {
  if (!value_is_small(constant)) return "CLOSURE needs a proto";
  const Proto *made = (const Proto *)(uintptr_t)constant;
  for (int n = 0; n < made->nupvalues; n++) {
    UpvalueFrom from = made->upvalues[n];
    if (from.index >=
        (from.local ? verify->proto->nregs : verify->proto->nupvalues))
      return "a closure captures what is not there";
  }
  return NULL;
}

// NEW: the fields come from the first registers.
static const char *check_struct(const Verify *verify, Value constant) {
  if (!value_is_type(constant, OBJ_STRUCT)) return "a struct is needed";
  return are_registers(verify, 0, value_obj(constant)->aux)
             ? NULL
             : "more fields than registers";
}

// CALLK: the callee's frame is entered without a look at the arguments.
static const char *check_fits(Value closure, uint32_t argc) {
  if (!value_is_type(closure, OBJ_CLOSURE)) return "CALLK needs a closure";
  const Proto *callee = ((ObjClosure *)value_obj(closure))->proto;
  bool open = (callee->flags & PROTO_REST) != 0;
  return callee->nparams == argc && !open ? NULL
                                          : "CALLK's arguments do not fit";
}

// The constant of an operand of that kind, which may have to be of one type.
static const char *check_constant(const Verify *verify, char kind,
                                  uint32_t index) {
  if (index >= verify->proto->nconstants) return "no such constant";
  Value constant = verify->proto->constants[index];
  switch (kind) {
    case 'g':
      return value_is_type(constant, OBJ_CELL) ? NULL : "a cell is needed";
    case 'p':
      return check_captures(verify, constant);
    case 'd':
      return check_struct(verify, constant);
    case 'm':
      return value_is_type(constant, OBJ_MODULE) ? NULL : "a module is needed";
    case 'n':
    case 'h':
      return value_is_type(constant, OBJ_STRING) ? NULL : "a name is no string";
    case 'y':
      return value_is_type(constant, OBJ_STRUCT) ||
                     value_is_type(constant, OBJ_STRING)
                 ? NULL
                 : "a type is needed";
    case 'L':
      return check_fits(constant, INSTR_B(verify->proto->code[verify->at]));
    case 'l':
      return value_is_type(constant, OBJ_LIST) ? NULL : "a list is needed";
    case 'k':
    case 'x':
    case 'K':
    case 'N':
      return NULL;
    default:
      rt_throw("a constant of kind %c", kind);
  }
}

// One operand of the instruction's first word, or NULL if it is fine.
static const char *check_operand(const Verify *verify, char kind, Instr i) {
  switch (kind) {
    case 'a':
      return check_register(verify, INSTR_A(i));
    case 'b':
      return check_register(verify, INSTR_B(i));
    case 'c':
      return check_register(verify, INSTR_C(i));
    case 'v':
      return INSTR_B(i) >= INSTR_A(i) + ITER_STATE
                 ? check_register(verify, INSTR_B(i))
                 : "a loop's variable lies in its state";
    case 'k':
      return check_constant(verify, kind, INSTR_C(i));
    case 'x':
      return check_constant(verify, kind, INSTR_B(i));
    case 'K':
    case 'g':
    case 'p':
    case 'd':
    case 'm':
      return check_constant(verify, kind, INSTR_BX(i));
    case 'u':
      return INSTR_B(i) < verify->proto->nupvalues ? NULL : "no such upvalue";
    case 'w':
      return is_wanted(verify, i) ? NULL : "more results than registers";
    case 'j':
      return check_jump(verify, INSTR_OP(i), verify->at, INSTR_SJ(i));
    case 'D':
      return INSTR_SC(i) > 0 ? NULL : "a divisor that is not positive";
    case 'H':
      return INSTR_C(i) <= 63 ? NULL : "a shift by more than 63";
    case 'f':  // op_range has it
    case 'B':  // any number does
    case 'C':
    case 'P':
    case 'i':
    case 's':
    case 'S':
    case 't':
    case 'T':
      return NULL;
    default:
      rt_throw("an operand of kind %c", kind);
  }
}

// One in the extra word at `at`.
static const char *check_extra(const Verify *verify, char kind, uint32_t at) {
  Instr word = verify->proto->code[at];
  switch (kind) {
    case 'J':
      return check_jump(verify, INSTR_OP(verify->proto->code[verify->at]), at,
                        INSTR_J(word));
    case 'R':
      return check_register(verify, word);
    case 'W':
      return word <= 63 ? NULL : "a shift by more than 63";
    case '.':
      return NULL;
    default:
      return check_constant(verify, kind, word);
  }
}

static const char *check_operands(const Verify *verify) {
  Instr i = verify->proto->code[verify->at];
  uint32_t extra = verify->at;
  const char *wrong = NULL;
  for (const char *kind = op_kinds(INSTR_OP(i)); *kind != '\0' && wrong == NULL;
       kind++)
    wrong = op_kind_is_extra(*kind) ? check_extra(verify, *kind, ++extra)
                                    : check_operand(verify, *kind, i);
  return wrong;
}

// Registers that an instruction uses beside its operands.
static const char *check_range(const Verify *verify) {
  uint32_t first, count = op_range(verify->proto->code[verify->at], &first);
  return count == 0 || are_registers(verify, first, count)
             ? NULL
             : "not that many registers";
}

// Whether the instruction leaves a varying count of values in `multi`.
static bool gives_multi(Instr i) {
  if (!(op_traits(INSTR_OP(i)) & GIVES_MULTI)) return false;
  bool has_want = strchr(op_kinds(INSTR_OP(i)), 'w') != NULL;
  return !has_want || INSTR_C(i) == WANT_ALL;
}

static bool takes_multi(Instr i) {
  if (!(op_traits(INSTR_OP(i)) & TAKES_MULTI)) return false;
  bool may = strchr(op_kinds(INSTR_OP(i)), 'P') != NULL;
  return !may || INSTR_B(i) == WANT_ALL;
}

// Instructions that only some functions have.
static const char *check_place(const Verify *verify) {
  bool defers = (verify->proto->flags & PROTO_DEFER) != 0;
  uint32_t traits = op_traits(INSTR_OP(verify->proto->code[verify->at]));
  if (traits & OWN_CODE) return "only the interpreter's own code has that";
  if ((traits & NEEDS_DEFER) && !defers)
    return "it defers calls, but does not say so";
  if ((traits & SKIPS_DEFERS) && defers)
    return "deferred calls are left behind";
  return NULL;
}

// Marks where instructions begin.
static const char *find_starts(Verify *verify) {
  const Proto *proto = verify->proto;
  for (verify->at = 0; verify->at < proto->ncode;) {
    uint32_t op = INSTR_OP(proto->code[verify->at]);
    if (op >= OP_COUNT) return "no such opcode";
    if (verify->at + (uint32_t)op_words((Op)op) > proto->ncode)
      return "the instruction is cut off";
    verify->starts[verify->at] = 1;
    verify->at += (uint32_t)op_words((Op)op);
  }
  return NULL;
}

static const char *check_all(Verify *verify) {
  const Proto *proto = verify->proto;
  bool multi = false, ended = false;
  for (verify->at = 0; verify->at < proto->ncode;) {
    Instr i = proto->code[verify->at];
    const char *wrong = check_operands(verify);
    if (wrong == NULL) wrong = check_range(verify);
    if (wrong == NULL) wrong = check_place(verify);
    if (wrong == NULL && multi != takes_multi(i))
      wrong = multi ? "nobody takes the values" : "there are no values to take";
    if (wrong != NULL) return wrong;
    multi = gives_multi(i);
    ended = (op_traits(INSTR_OP(i)) & ENDS_FLOW) != 0;
    verify->at += (uint32_t)op_words(INSTR_OP(i));
  }
  return ended ? NULL : "the code has no end";
}

// What is wrong with the function's numbers.
static const char *check_head(const Proto *proto) {
  bool rest = (proto->flags & PROTO_REST) != 0;
  if (proto->ncode == 0) return "there is no code";
  if (proto->nregs > REGISTERS_MAX) return "too many registers";
  if (proto->nparams > proto->nregs) return "more parameters than registers";
  if (proto->nrequired + rest > proto->nparams)
    return "more parameters are needed than there are";
  if ((proto->flags & PROTO_METHOD) != 0 && proto->nrequired == 0)
    return "a method has a receiver";
  return NULL;
}

// Closures among the constants are made without upvalues.
static const char *check_constants(const Proto *proto) {
  for (uint32_t n = 0; n < proto->nconstants; n++) {
    Value v = proto->constants[n];
    if (!value_is_type(v, OBJ_CLOSURE)) continue;
    const ObjClosure *closure = (ObjClosure *)value_obj(v);
    if (closure->obj.aux < closure->proto->nupvalues)
      return "a constant captures what is not there";
  }
  return NULL;
}

const char *proto_verify(const Memory *memory, const Proto *proto,
                         uint32_t *at) {
  *at = 0;
  const char *odd = check_head(proto);
  if (odd == NULL) odd = check_constants(proto);
  if (odd != NULL) return odd;
  uint8_t few[FEW_WORDS];
  bool is_short = proto->ncode <= FEW_WORDS;
  Verify v = {.proto = proto,
              .starts = is_short ? few : mem_alloc(memory, proto->ncode)};
  if (v.starts == NULL) return "out of memory";
  memset(v.starts, 0, proto->ncode);
  const char *wrong = find_starts(&v);
  if (wrong == NULL) wrong = check_all(&v);
  *at = v.at;
  if (!is_short) mem_free(v.starts);
  return wrong;
}
