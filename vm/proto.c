// SPDX-License-Identifier: MIT
// Compiled functions: making and freeing them, and checking their code.
//
// Only the compiler makes protos, one thread at a time; they live as long as
// their Vm. The verifier is the compiler's test, and the guard of whatever
// else produces code: what it lets pass cannot make the interpreter read or
// write outside its frame, constants, upvalues or code.
#include "vm/proto.h"

#include <stdlib.h>

#include "vm/code.h"

// --- The table of opcodes ---------------------------------------------------
typedef struct OpInfo {
  const char *name;
  int words;
  const char *format;
} OpInfo;

static const OpInfo op_infos[OP_COUNT] = {
#define OP(name, words, format, meaning) [OP_##name] = {#name, words, format},
#include "vm/opcodes.def"
#undef OP
};

const char *op_name(Op op) { return op_infos[op].name; }
int op_words(Op op) { return op_infos[op].words; }
const char *op_format(Op op) { return op_infos[op].format; }

// --- Making and freeing -----------------------------------------------------
Proto *proto_new(Vm *vm) {
  Proto *proto = calloc(1, sizeof *proto);
  if (proto == NULL) return NULL;
  proto->nresults = 255;
  proto->next = vm->protos;
  vm->protos = proto;
  return proto;
}

ObjClosure *proto_self(Vm *vm, Proto *proto) {
  if (proto->self != NULL) return proto->self;
  ObjClosure *closure = (ObjClosure *)heap_alloc(
      &vm->boot->heap, sizeof(ObjClosure), OBJ_CLOSURE);
  if (closure == NULL) return NULL;
  closure->proto = proto;
  proto->self = closure;
  return closure;
}

void proto_free_all(Vm *vm) {
  Proto *next;
  for (Proto *proto = vm->protos; proto != NULL; proto = next) {
    next = proto->next;
    free(proto->code);
    free(proto->constants);
    free(proto->lines);
    free(proto->upvalues);
    free(proto->param_names);
    free(proto);
  }
  vm->protos = NULL;
}

// --- Places -----------------------------------------------------------------
LineInfo proto_line(const Proto *proto, const Instr *pc) {
  uint32_t at = (uint32_t)(pc - proto->code);
  if (at >= proto->ncode) at = 0;  // the interpreter's own return places
  uint32_t low = 0, high = proto->nlines;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (proto->lines[middle].at <= at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return (LineInfo){.at = at};
  return proto->lines[low - 1];
}

// --- The verifier -----------------------------------------------------------
typedef struct Verify {
  const Proto *proto;
  uint8_t *starts;  // per word: an instruction begins here
  uint32_t at;
} Verify;

static bool is_register(const Verify *v, uint32_t r) {
  return r < v->proto->nregs;
}
static bool are_registers(const Verify *v, uint32_t from, uint32_t count) {
  return from + count <= v->proto->nregs;
}

// Whether what ends in word `word` with offset `offset` jumps to code.
static bool jump_lands(const Verify *v, uint32_t word, int32_t offset) {
  int64_t to = (int64_t)word + 1 + offset;
  return to >= 0 && to < v->proto->ncode && v->starts[to];
}

static const char *check_constant(const Verify *v, uint32_t index) {
  return index < v->proto->nconstants ? NULL : "no such constant";
}

static const char *check_register(const Verify *v, uint32_t r) {
  return is_register(v, r) ? NULL : "no such register";
}

// One operand of the instruction's first word, or NULL if it is fine.
static const char *check_operand(const Verify *v, char format, Instr i) {
  switch (format) {
    case 'a':
      return check_register(v, INSTR_A(i));
    case 'b':
      return check_register(v, INSTR_B(i));
    case 'c':
      return check_register(v, INSTR_C(i));
    case 'K':
      return check_constant(v, INSTR_BX(i));
    case 'k':
      return check_constant(v, INSTR_C(i));
    case 'x':
      return check_constant(v, INSTR_B(i));
    case 'u':
      return INSTR_B(i) < v->proto->nupvalues ? NULL : "no such upvalue";
    case 'w':
      return INSTR_C(i) == WANT_ALL || are_registers(v, INSTR_A(i), INSTR_C(i))
                 ? NULL
                 : "more results than registers";
    case 'j':
      return jump_lands(v, v->at, INSTR_SJ(i)) ? NULL : "jump to nowhere";
    default:
      return NULL;
  }
}

static const char *check_operands(const Verify *v) {
  const Instr *word = v->proto->code + v->at;
  Instr i = *word;
  uint32_t extra = 0;
  for (const char *f = op_format(INSTR_OP(i)); *f != '\0'; f++) {
    const char *wrong = NULL;
    if (*f == 'J' || *f == 'N' || *f == 'R' || *f == 'W' || *f == '.') {
      extra++;
      if (*f == 'J' && !jump_lands(v, v->at + extra, INSTR_J(word[extra])))
        wrong = "jump to nowhere";
      if (*f == 'N') wrong = check_constant(v, word[extra]);
      if (*f == 'W' && word[extra] > 63) wrong = "a shift by more than 63";
      if (*f == 'R') wrong = check_register(v, word[extra]);
    } else {
      wrong = check_operand(v, *f, i);
    }
    if (wrong != NULL) return wrong;
  }
  return NULL;
}

static bool constant_is(const Verify *v, uint32_t index, ObjType type) {
  return value_is_type(v->proto->constants[index], type);
}

// Constants that must be of one type.
static const char *check_types(const Verify *v) {
  Instr i = v->proto->code[v->at];
  uint32_t extra = v->proto->code[v->at + op_words(INSTR_OP(i)) - 1];
  switch (INSTR_OP(i)) {
    case OP_GETG:
      return constant_is(v, INSTR_BX(i), OBJ_CELL) &&
                     constant_is(v, extra, OBJ_STRING)
                 ? NULL
                 : "GETG needs a cell and a name";
    case OP_SETG:
      return constant_is(v, INSTR_BX(i), OBJ_CELL) ? NULL : "SETG needs a cell";
    case OP_CLOSURE:
      return value_is_small(v->proto->constants[INSTR_BX(i)])
                 ? NULL
                 : "CLOSURE needs a proto";
    case OP_NEW:
      return constant_is(v, INSTR_BX(i), OBJ_STRUCT) ? NULL
                                                     : "NEW needs a struct";
    case OP_CALLK:
      return constant_is(v, extra, OBJ_CLOSURE) ? NULL
                                                : "CALLK needs a closure";
    case OP_NAMED:
      return constant_is(v, extra, OBJ_LIST) ? NULL : "NAMED needs a list";
    case OP_RUNMOD:
      return constant_is(v, INSTR_BX(i), OBJ_MODULE) ? NULL
                                                     : "RUNMOD needs a module";
    case OP_GETF:
    case OP_SETF:
    case OP_INVOKE:
    case OP_INVOKEV: {
      uint32_t name = v->proto->code[v->at + 1];
      return constant_is(v, name, OBJ_STRING) ? NULL : "a name is no string";
    }
    default:
      return NULL;
  }
}

// Registers that an instruction uses beside its operands.
static const char *check_ranges(const Verify *v) {
  Instr i = v->proto->code[v->at];
  uint32_t a = INSTR_A(i), b = INSTR_B(i), c = INSTR_C(i), from = a, count = 0;
  switch (INSTR_OP(i)) {
    case OP_LOADNIL:
      count = b + 1;
      break;
    case OP_LIST:
    case OP_LISTADD:
      from = b, count = c;
      break;
    case OP_CONCAT:
    case OP_RET:
    case OP_RETD:
      count = b;
      break;
    case OP_CALL:
    case OP_CALLK:
    case OP_GO:
    case OP_DEFER:
      count = 3 + b;
      break;
    case OP_INVOKE:
      count = 4 + b;
      break;
    case OP_SPREAD:
      count = 4 + b + c;
      break;
    case OP_CALLV:
    case OP_GOV:
    case OP_DEFERV:
    case OP_NAMED:
    case OP_RUNMOD:
      count = 3;
      break;
    case OP_INVOKEV:
      count = 4;
      break;
    case OP_ITER:
      count = 7;
      break;
    case OP_NEXT1:
    case OP_NEXT2:
      if (b < a + 6) return "a loop's variable lies in its state";
      from = b, count = INSTR_OP(i) == OP_NEXT1 ? 1 : 2;
      break;
    case OP_GETIDX2:
      count = 2;
      break;
    case OP_SLICE:
      from = c, count = 2;
      break;
    case OP_SELECT:
      count = b > 1 ? 2 * b : 3;
      break;
    case OP_SELVAL:
      from = b, count = 3;
      break;
    default:
      break;
  }
  return count == 0 || are_registers(v, from, count)
             ? NULL
             : "not that many registers";
}

// Whether the instruction leaves a varying count of values in `multi`.
static bool gives_multi(Instr i) {
  switch (INSTR_OP(i)) {
    case OP_CALL:
    case OP_CALLK:
    case OP_CALLV:
    case OP_INVOKE:
    case OP_INVOKEV:
    case OP_RECV:
      return INSTR_C(i) == WANT_ALL;
    case OP_SPREAD:
    case OP_NAMED:
      return true;
    default:
      return false;
  }
}

static bool takes_multi(Instr i) {
  switch (INSTR_OP(i)) {
    case OP_CALLV:
    case OP_INVOKEV:
    case OP_RETV:
    case OP_PACK:
    case OP_PICK:
    case OP_GOV:
    case OP_DEFERV:
      return true;
    case OP_NAMED:
      return INSTR_B(i) == WANT_ALL;
    default:
      return false;
  }
}

// Direction: what counts a safepoint jumps backward, all else forward.
static const char *check_direction(const Verify *v) {
  Instr i = v->proto->code[v->at];
  int words = op_words(INSTR_OP(i));
  const char *format = op_format(INSTR_OP(i));
  if (format[0] == '\0') return NULL;
  char last = format[strlen(format) - 1];
  if (last != 'J' && last != 'j') return NULL;
  Instr word = v->proto->code[v->at + words - 1];
  int32_t offset = last == 'J' ? INSTR_J(word) : INSTR_SJ(word);
  switch (INSTR_OP(i)) {
    case OP_LTL:
    case OP_LEL:
    case OP_LTIL:
    case OP_LEIL:
    case OP_INCLT:
    case OP_NEXT1:
    case OP_NEXT2:
    case OP_LOOP:
      return offset < 0 ? NULL : "a loop's jump goes forward";
    default:
      return offset >= 0 ? NULL : "a jump backward counts no safepoint";
  }
}

static bool ends_flow(Instr i) {
  switch (INSTR_OP(i)) {
    case OP_RET0:
    case OP_RET1:
    case OP_RET:
    case OP_RETV:
    case OP_RETD:
    case OP_RETDL:
    case OP_JMP:
    case OP_LOOP:
    case OP_TRYRET:
    case OP_PANICGO:
    case OP_GOEXIT:
      return true;
    default:
      return false;
  }
}

// Marks where instructions begin.
static const char *find_starts(Verify *v) {
  const Proto *proto = v->proto;
  for (v->at = 0; v->at < proto->ncode;) {
    uint32_t op = INSTR_OP(proto->code[v->at]);
    if (op >= OP_COUNT) return "no such opcode";
    if (v->at + (uint32_t)op_words((Op)op) > proto->ncode)
      return "the instruction is cut off";
    v->starts[v->at] = 1;
    v->at += (uint32_t)op_words((Op)op);
  }
  return NULL;
}

static const char *check_all(Verify *v) {
  const Proto *proto = v->proto;
  bool multi = false, ended = false;
  for (v->at = 0; v->at < proto->ncode;) {
    Instr i = proto->code[v->at];
    const char *wrong = check_operands(v);
    if (wrong == NULL) wrong = check_ranges(v);
    if (wrong == NULL) wrong = check_types(v);
    if (wrong == NULL) wrong = check_direction(v);
    if (wrong == NULL && multi != takes_multi(i))
      wrong = multi ? "nobody takes the values" : "there are no values to take";
    if (wrong != NULL) return wrong;
    multi = gives_multi(i);
    ended = ends_flow(i);
    v->at += (uint32_t)op_words(INSTR_OP(i));
  }
  return ended ? NULL : "the code has no end";
}

const char *proto_verify(const Proto *proto, uint32_t *at) {
  *at = 0;
  if (proto->ncode == 0) return "there is no code";
  if (proto->nregs > REGISTERS_MAX) return "too many registers";
  if (proto->nparams > proto->nregs) return "more parameters than registers";
  Verify v = {.proto = proto, .starts = calloc(proto->ncode, 1)};
  if (v.starts == NULL) return "out of memory";
  const char *wrong = find_starts(&v);
  if (wrong == NULL) wrong = check_all(&v);
  *at = v.at;
  free(v.starts);
  return wrong;
}
