// SPDX-License-Identifier: MIT
// What is nil, in the words of the source: told from the code before the
// instruction that panics.
//
// Nothing is kept for this but the names of variables. A register holds a
// variable, or what the last instruction before has left there. Then that
// instruction tells: a field of another register, an element, the result of a
// call. Where jumps meet between the two it could be another one, and nothing
// is said. Owner P of the goroutine only.
#include "vm/interp/explain.h"

#include <stdarg.h>
#include <string.h>

#include "vm/code/opcodes.h"
#include "vm/code/operands.h"
#include "vm/code/variables.h"
#include "vm/heap/work.h"
#include "vm/interp/interp.h"
#include "vm/interp/iter.h"
#include "vm/interp/panic.h"
#include "vm/object/map.h"
#include "vm/object/value_text.h"

enum {
  CODE_MOST = 1 << 13,  // words of a function that are looked through
  PARTS_MOST = 8,       // of an expression
  TEXT_MOST = 100,
  NO_INSTR = -1,
};

typedef struct Explain {
  Local *local;
  const Proto *proto;
  Text text;
  int parts;
} Explain;

static Instr code_at(const Proto *proto, uint32_t at) {
  // relaxed: another P may specialise the opcode meanwhile (as in NEXT of
  // interp.c). Its operands stay
  return rt_load_relaxed(&proto->code[at]);
}

// --- What wrote a register --------------------------------------------------
// Where the instruction at `at` may jump to, or -1.
static int64_t jump_target(const Proto *proto, uint32_t at) {
  Instr i = code_at(proto, at);
  uint32_t word = at;
  for (const char *kind = op_kinds((Op)INSTR_OP(i)); *kind; kind++) {
    if (*kind == 'j') return (int64_t)at + 1 + INSTR_SJ(i);
    word += op_kind_is_extra(*kind);
    if (*kind == 'J') return (int64_t)word + 1 + INSTR_J(code_at(proto, word));
  }
  return -1;
}

static bool touches(Instr i, uint32_t reg) {
  uint32_t first, count = op_range(i, &first);
  const char *kinds = op_kinds((Op)INSTR_OP(i));
  if (*kinds == 'a' && INSTR_A(i) == reg) return true;
  return reg >= first && reg < first + count;
}

// The last instruction before `at` that touches the register, if none jumps
// past it.
static int64_t find_writer(const Explain *explain, uint32_t reg, uint32_t at) {
  const Proto *proto = explain->proto;
  int64_t writer = NO_INSTR, met = 0;
  for (uint32_t n = 0; n < at;
       n += (uint32_t)op_words((Op)INSTR_OP(code_at(proto, n)))) {
    int64_t target = jump_target(proto, n);
    if (target > met && target <= at) met = target;
    if (touches(code_at(proto, n), reg)) writer = n;
  }
  charge_steps(explain->local, at);
  return met > writer ? NO_INSTR : writer;
}

static bool is_element(Instr i) {
  Op op = (Op)INSTR_OP(i);
  return op == OP_GETIDX || op == OP_GETIDXN || op == OP_GETIDXO;
}

// --- Words ------------------------------------------------------------------
static bool say_string(Explain *explain, Value name, const char *before) {
  if (!value_is_type(name, OBJ_STRING)) return false;
  text_addf(&explain->text, "%s%.*s", before, TEXT_MOST,
            ((ObjString *)value_obj(name))->own);
  return true;
}

// The variable that the place holds at that instruction.
static bool say_variable(Explain *explain, uint32_t place, uint32_t at) {
  const Proto *proto = explain->proto;
  Variable variable;
  uint32_t next = 0;
  while (variable_next(proto, &next, &variable)) {
    if (variable.place != place || variable.at > at || variable.end <= at)
      continue;
    text_add(&explain->text, variable.name, variable.len);
    return true;
  }
  if (place >= proto->nparams) return false;
  return say_string(explain, value_from_obj(proto->param_names[place]), "");
}

static bool say_register(Explain *explain, uint32_t reg, uint32_t at);

static bool say_key(Explain *explain, uint32_t reg, uint32_t at) {
  int64_t writer = find_writer(explain, reg, at);
  Instr i = writer >= 0 ? code_at(explain->proto, (uint32_t)writer) : 0;
  text_addf(&explain->text, "[");
  if (writer >= 0 && INSTR_OP(i) == OP_LOADK) {
    format_value(&explain->text, explain->local->vm,
                 explain->proto->constants[INSTR_BX(i)], true);
  } else if (writer >= 0 && INSTR_OP(i) == OP_LOADI) {
    text_addf(&explain->text, "%d", INSTR_SBX(i));
  } else if (!say_register(explain, reg, at)) {
    text_addf(&explain->text, "...");
  }
  text_addf(&explain->text, "]");
  return true;
}

static bool say_arguments(Explain *explain, bool any) {
  text_addf(&explain->text, any ? "(...)" : "()");
  return true;
}

static bool say_call(Explain *explain, Instr i, uint32_t at) {
  const Value *constants = explain->proto->constants;
  Value constant = VALUE_NIL;
  switch (INSTR_OP(i)) {
    case OP_CALL:
      return say_register(explain, INSTR_A(i) + 2, at) &&
             say_arguments(explain, INSTR_B(i) > 0);
    case OP_CALLK:
      constant = constants[code_at(explain->proto, at + 1)];
      constant =
          value_from_obj(((ObjClosure *)value_obj(constant))->proto->name);
      return say_string(explain, constant, "") &&
             say_arguments(explain, INSTR_B(i) > 0);
    case OP_INVOKE:
      constant = constants[code_at(explain->proto, at + 1)];
      return say_register(explain, INSTR_A(i) + 3, at) &&
             say_string(explain, constant, ".") &&
             say_arguments(explain, INSTR_B(i) > 0);
    default:
      rt_throw("say_call: opcode %u", INSTR_OP(i));
  }
}

// What the instruction leaves in R[A].
static bool say_result(Explain *explain, Instr i, uint32_t at) {
  const Proto *proto = explain->proto;
  switch (INSTR_OP(i)) {
    case OP_MOVE:
    case OP_GETCELL:
      return say_register(explain, INSTR_B(i), at);
    case OP_GETG:
      return say_string(explain, proto->constants[code_at(proto, at + 1)], "");
    case OP_GETUP:
    case OP_GETUPV:
      return say_variable(explain, VARIABLE_UPVALUE + INSTR_B(i), at);
    case OP_GETF:
      return say_register(explain, INSTR_B(i), at) &&
             say_string(explain, proto->constants[code_at(proto, at + 1)], ".");
    case OP_GETIDXI:
      if (!say_register(explain, INSTR_B(i), at)) return false;
      text_addf(&explain->text, "[%u]", INSTR_C(i));
      return true;
    case OP_GETIDX:
    case OP_GETIDXN:
    case OP_GETIDXO:
      return say_register(explain, INSTR_B(i), at) &&
             say_key(explain, INSTR_C(i), at);
    case OP_CALL:
    case OP_CALLK:
    case OP_INVOKE:
      return say_call(explain, i, at);
    case OP_RECV:
      text_addf(&explain->text, "<-");
      return say_register(explain, INSTR_B(i), at);
    default:
      return false;
  }
}

// What the register holds before the instruction at `at`.
static bool say_register(Explain *explain, uint32_t reg, uint32_t at) {
  if (say_variable(explain, reg, at)) return true;
  if (++explain->parts > PARTS_MOST) return false;
  int64_t writer = find_writer(explain, reg, at);
  if (writer < 0) return false;
  Instr i = code_at(explain->proto, (uint32_t)writer);
  return INSTR_A(i) == reg && say_result(explain, i, (uint32_t)writer);
}

// --- The operand ------------------------------------------------------------
// A register with nil that the instruction takes as an operand, or -1.
static int nil_operand(const Value *base, Instr i) {
  const struct {
    uint32_t trait, reg;
  } operands[] = {{NO_NIL_A, INSTR_A(i)},
                  {NO_NIL_B, INSTR_B(i)},
                  {NO_NIL_C, INSTR_C(i)},
                  {NO_NIL_CALLEE, INSTR_A(i) + 2},
                  {NO_NIL_RECEIVER, INSTR_A(i) + 3}};
  uint32_t traits = op_traits((Op)INSTR_OP(i));
  for (size_t n = 0; n < sizeof operands / sizeof *operands; n++) {
    if (!(traits & operands[n].trait)) continue;
    RT_ASSERT(operands[n].reg < frame_closure(base)->proto->nregs);
    if (base[operands[n].reg] == VALUE_NIL) return (int)operands[n].reg;
  }
  return -1;
}

// --- place op= value --------------------------------------------------------
static const char *first_value(const Value *base, Instr i) {
  Value other = VALUE_NIL;
  const char *kinds = op_kinds((Op)INSTR_OP(i));
  if (strchr(kinds, 'c') != NULL)
    other = *operand_register(base, i, KIND('c'), INSTR_C(i));
  if (value_is_type(other, OBJ_STRING)) return "\"\"";
  if (value_is_type(other, OBJ_LIST)) return "[]";
  if (value_is_type(other, OBJ_TUPLE)) return "()";
  return "0";
}

// Whether the result goes where the nil at `from` came from: the key of a map
// that is missing there.
static bool updates_missing(const Explain *explain, const Value *base,
                            uint32_t at, uint32_t from) {
  const Proto *proto = explain->proto;
  Instr i = code_at(proto, at), source = code_at(proto, from);
  uint32_t after = at + (uint32_t)op_words((Op)INSTR_OP(i));
  Instr store = after < proto->ncode ? code_at(proto, after) : i;
  bool field = INSTR_OP(store) == OP_SETF && INSTR_OP(source) == OP_GETF &&
               INSTR_B(store) == INSTR_A(i) &&
               code_at(proto, after + 1) == code_at(proto, from + 1);
  bool element = INSTR_OP(store) == OP_SETIDX && is_element(source) &&
                 INSTR_C(store) == INSTR_A(i) &&
                 INSTR_B(store) == INSTR_C(source);
  if (!(field || element) || INSTR_A(store) != INSTR_B(source)) return false;
  Value map = *operand_a(base, store), found;
  if (!value_is_type(map, OBJ_MAP)) return false;
  Value key = field
                  ? proto->constants[code_at(proto, from + 1)]
                  : *operand_register(base, source, KIND('c'), INSTR_C(source));
  return !map_get(explain->local->vm, (ObjMap *)value_obj(map), key, &found);
}

// --- All of it --------------------------------------------------------------
static bool is_start(const Proto *proto, uint32_t at) {
  uint32_t n = 0;
  while (n < at) n += (uint32_t)op_words((Op)INSTR_OP(code_at(proto, n)));
  return n == at;
}

static const char *loop_of(Value iterated) {
  if (iterated == value_from_small(ITER_MAP))
    return ": write `for k, v in m` for the keys and values of a map";
  bool indexed = iterated == value_from_small(ITER_LIST) ||
                 iterated == value_from_small(ITER_TUPLE) ||
                 iterated == value_from_small(ITER_STRING);
  return indexed ? ": write `for i, v in xs` for the indexes and elements" : "";
}

const char *explain_loop_apart(Local *local, const Goroutine *g) {
  const Proto *proto = frame_closure(g->base)->proto;
  int64_t at = g->pc - 1 - proto->code;
  if (at < 0 || at >= proto->ncode || proto->ncode > CODE_MOST) return "";
  charge_steps(local, proto->ncode);
  for (uint32_t n = 0; n < proto->ncode;
       n += (uint32_t)op_words((Op)INSTR_OP(code_at(proto, n)))) {
    Instr i = code_at(proto, n);
    // The loop's step goes back to where its element is taken apart, in place.
    if (INSTR_OP(i) == OP_NEXT1 && jump_target(proto, n) == at &&
        INSTR_B(i) == INSTR_A(code_at(proto, (uint32_t)at)))
      return loop_of(operand_a(g->base, i)[2]);
  }
  return "";
}

static void say_note(Explain *explain, const Goroutine *g, Text *message) {
  const Proto *proto = explain->proto;
  uint32_t at = (uint32_t)(g->pc - 1 - proto->code);
  if (at >= proto->ncode || proto->ncode > CODE_MOST || !is_start(proto, at))
    return;
  Instr i = code_at(proto, at);
  int reg = nil_operand(g->base, i);
  if (reg < 0 || !say_register(explain, (uint32_t)reg, at)) return;
  if (explain->text.failed || explain->text.len > TEXT_MOST) return;
  int64_t from = find_writer(explain, (uint32_t)reg, at);
  text_add(&explain->text, "", 1);
  if (explain->text.failed) return;
  const char *text = explain->text.data;
  if (from >= 0 && updates_missing(explain, g->base, at, (uint32_t)from))
    text_addf(message,
              ": `%s` is missing in the map, write `%s ?\?= %s` before", text,
              text, first_value(g->base, i));
  else
    text_addf(message, ": `%s` is nil", text);
}

bool explain_panic(Local *local, Goroutine *g, const char *format, ...) {
  const Memory *memory = local->vm->memory;
  Explain explain = {.local = local,
                     .proto = frame_closure(g->base)->proto,
                     .text = {.memory = memory}};
  Text message = {.memory = memory};
  va_list args;
  va_start(args, format);
  char *text = mem_format_args(memory, NULL, format, args);
  va_end(args);
  if (text != NULL) text_addf(&message, "%s", text);
  mem_free(text);
  say_note(&explain, g, &message);
  text_add(&message, "", 1);
  if (text == NULL || message.failed)
    vm_panic_memory(local, g);
  else
    vm_panic(local, g, "%s", message.data);
  text_free(&explain.text);
  text_free(&message);
  return false;
}
