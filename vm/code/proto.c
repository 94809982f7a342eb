// SPDX-License-Identifier: MIT
// Compiled functions: making and freeing them, and checking their code.
//
// Only the compiler makes protos, one thread at a time; they live as long as
// their Vm, or their unit (unit.c). The verifier is the compiler's test, and
// the guard of whatever else produces code: what it lets pass cannot make the
// interpreter read or write outside its frame, constants, upvalues or code, and
// has a safepoint in each loop. It does not follow values. That a register
// holds what an instruction takes it for (a cell, the state of a loop, the
// outcome of a select) is up to the compiler, and so are the arguments of the
// library's own natives (`_name`).
#include "vm/value/proto.h"

#include <stdlib.h>

#include "vm/code/operands.h"
#include "vm/value/goroutine.h"

// --- The table of opcodes ---------------------------------------------------
typedef struct OpInfo {
  const char *name;
  int words;
  const char *format;
} OpInfo;

static const OpInfo op_infos[OP_COUNT] = {
#define OP(name, words, format, meaning) [OP_##name] = {#name, words, format},
#include "vm/code/opcodes.def"
#undef OP
};

const char *op_name(Op op) { return op_infos[op].name; }
int op_words(Op op) { return op_infos[op].words; }
const char *op_format(Op op) { return op_infos[op].format; }

// --- Making and freeing -----------------------------------------------------
Proto *proto_new(Vm *vm) {
  Proto *proto = mem_zeroed(vm->memory, sizeof *proto);
  if (proto == NULL) return NULL;
  proto->nresults = 255;
  proto->unit = vm->unit;
  Proto **list = vm->unit != NULL ? &vm->unit->protos : &vm->protos;
  proto->next = *list;
  *list = proto;
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
  units_free_all(vm);
  protos_free(vm->protos);
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

// --- Operands in debug builds -----------------------------------------------
#ifdef CSP_DEBUG
void operand_check(const Value *base, Instr i, char kind, uint32_t n) {
  const Proto *proto = frame_closure(base)->proto;
  RT_CHECK(strchr(op_format(INSTR_OP(i)), kind) != NULL,
           "%s has no operand of kind %c", op_name(INSTR_OP(i)), kind);
  bool is_constant = strchr("KkxN", kind) != NULL;
  RT_CHECK(n < (is_constant ? proto->nconstants : proto->nregs),
           "%s: %s %u is beyond the frame of %s", op_name(INSTR_OP(i)),
           is_constant ? "constant" : "register", n, proto->name->data);
}
#endif

// --- The verifier -----------------------------------------------------------
enum { FEW_WORDS = 1024 };  // that functions mostly have at most

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

// Direction: what counts a safepoint jumps backward, all else forward.
static const char *check_direction(Op op, int32_t offset) {
  switch (op) {
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

// Whether what ends in word `word` with offset `offset` jumps to code.
static const char *check_jump(const Verify *v, Op op, uint32_t word,
                              int32_t offset) {
  int64_t to = (int64_t)word + 1 + offset;
  bool lands = to >= 0 && to < v->proto->ncode && v->starts[to];
  return lands ? check_direction(op, offset) : "jump to nowhere";
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
      return check_jump(v, INSTR_OP(i), v->at, INSTR_SJ(i));
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
      if (*f == 'J')
        wrong = check_jump(v, INSTR_OP(i), v->at + extra, INSTR_J(word[extra]));
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

// CLOSURE: what the new closure captures is there.
static const char *check_captures(const Verify *v, Value constant) {
  if (!value_is_small(constant)) return "CLOSURE needs a proto";
  const Proto *made = (const Proto *)(uintptr_t)constant;
  for (int n = 0; n < made->nupvalues; n++) {
    UpvalueFrom from = made->upvalues[n];
    if (from.index >= (from.local ? v->proto->nregs : v->proto->nupvalues))
      return "a closure captures what is not there";
  }
  return NULL;
}

// CALLK: the callee's frame is entered without a look at the arguments.
static const char *check_fits(Value closure, uint32_t argc) {
  const Proto *callee = ((ObjClosure *)value_obj(closure))->proto;
  bool open = (callee->flags & PROTO_REST) != 0;
  return callee->nparams == argc && !open ? NULL
                                          : "CALLK's arguments do not fit";
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
      return check_captures(v, v->proto->constants[INSTR_BX(i)]);
    case OP_NEW:
      return constant_is(v, INSTR_BX(i), OBJ_STRUCT) ? NULL
                                                     : "NEW needs a struct";
    case OP_CALLK:
      return constant_is(v, extra, OBJ_CLOSURE)
                 ? check_fits(v->proto->constants[extra], INSTR_B(i))
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

// Instructions that only some functions have.
static const char *check_place(const Verify *v) {
  bool defers = (v->proto->flags & PROTO_DEFER) != 0;
  switch (INSTR_OP(v->proto->code[v->at])) {
    case OP_TRYCALL:
    case OP_TRYRET:
    case OP_PANICGO:
    case OP_GOEXIT:
      return "only the interpreter's own code has that";
    case OP_DEFER:
    case OP_DEFERV:
      return defers ? NULL : "it defers calls, but does not say so";
    case OP_RET0:
    case OP_RET1:
    case OP_RET:
    case OP_RETV:
      return defers ? "deferred calls are left behind" : NULL;
    default:
      return NULL;
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
    if (wrong == NULL) wrong = check_place(v);
    if (wrong == NULL) wrong = check_types(v);
    if (wrong == NULL && multi != takes_multi(i))
      wrong = multi ? "nobody takes the values" : "there are no values to take";
    if (wrong != NULL) return wrong;
    multi = gives_multi(i);
    ended = ends_flow(i);
    v->at += (uint32_t)op_words(INSTR_OP(i));
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
