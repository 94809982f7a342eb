// SPDX-License-Identifier: MIT
// Bytecode as text, for `cspvm dis` and for tests.
//
//   func fib(n)  examples/fib.csp:3  4 registers, 1 constant
//      0     3:18  LTI      r0 2 false -> 3
//
// There is one line per instruction: index, place, name, operands. rN is a
// register. Constants are written as in source. Jumps name the instruction they
// go to.
#include "vm/code/dis.h"

#include <stdlib.h>

#include "vm/code/opcodes.h"
#include "vm/code/proto.h"
#include "vm/value/native_def.h"
#include "vm/value/utf8.h"

typedef struct Dis {
  Text *out;
  Vm *vm;
  const Proto *proto;
  const Instr *at;  // the instruction's first word
} Dis;

enum { CONSTANT_TEXT_MAX = 60 };

static const char *string_text(const ObjString *string) {
  return string != NULL ? string->own : "?";
}

// --- Constants --------------------------------------------------------------
// A string, number, list of names: as source, cut when it is long.
static void add_source(Dis *dis, Value v) {
  Text text = {.memory = dis->vm->memory};
  format_value(&text, dis->vm, v, true);
  if (text.len > CONSTANT_TEXT_MAX) {
    size_t cut = CONSTANT_TEXT_MAX;
    while (cut > 0 && utf8_continues(text.data[cut])) cut--;
    text_add(dis->out, text.data, cut);
    text_add(dis->out, "...", 3);
  } else if (text.data != NULL) {
    text_add(dis->out, text.data, text.len);
  }
  text_free(&text);
}

static void add_constant(Dis *dis, uint32_t index) {
  if (index >= dis->proto->nconstants) {
    text_addf(dis->out, "K%u?", index);
    return;
  }
  Value v = dis->proto->constants[index];
  if (value_is_type(v, OBJ_CLOSURE)) {
    const ObjClosure *closure = (ObjClosure *)value_obj(v);
    text_addf(dis->out, "func %s", string_text(closure->proto->name));
  } else if (value_is_type(v, OBJ_NATIVE)) {
    text_addf(dis->out, "native %s", ((ObjNative *)value_obj(v))->def->name);
  } else if (value_is_type(v, OBJ_STRUCT)) {
    const ObjStruct *type = (ObjStruct *)value_obj(v);
    text_addf(dis->out, "struct %s", string_text(type->name));
  } else if (value_is_type(v, OBJ_MODULE)) {
    const ObjModule *module = (ObjModule *)value_obj(v);
    text_addf(dis->out, "module %s", string_text(module->name));
  } else {
    add_source(dis, v);
  }
}

// The compiler puts a cell's name right after it among the constants.
static void add_cell_name(Dis *dis, uint32_t index) {
  uint32_t name = index + 1;
  if (name < dis->proto->nconstants &&
      value_is_type(dis->proto->constants[name], OBJ_STRING)) {
    ObjString *string = (ObjString *)value_obj(dis->proto->constants[name]);
    text_add(dis->out, string_data(string), string->len);
  } else {
    text_addf(dis->out, "cell K%u", index);
  }
}

static void add_closure_name(Dis *dis, uint32_t index) {
  const Proto *made = (const Proto *)(uintptr_t)dis->proto->constants[index];
  text_addf(dis->out, "func %s", string_text(made->name));
}

// --- Operands ---------------------------------------------------------------
static void add_jump(Dis *dis, uint32_t word, int32_t offset) {
  uint32_t at = (uint32_t)(dis->at - dis->proto->code);
  int64_t to = (int64_t)at + word + 1 + offset;
  text_addf(dis->out, "-> %lld", (long long)to);
}

static void add_wanted(Dis *dis, uint32_t want) {
  if (want == WANT_ALL) {
    text_addf(dis->out, "want all");
  } else if (want == WANT_DROP) {
    text_addf(dis->out, "drop");
  } else {
    text_addf(dis->out, "want %u", want);
  }
}

static void add_truth(Dis *dis, Instr yes) {
  text_addf(dis->out, yes ? "true" : "false");
}

// The operand in the instruction's first word.
static void add_operand(Dis *dis, char kind) {
  Instr i = *dis->at;
  switch (kind) {
    case 'a':
      text_addf(dis->out, "r%u", INSTR_A(i));
      break;
    case 'b':
    case 'v':
    case 'f':
      text_addf(dis->out, "r%u", INSTR_B(i));
      break;
    case 'c':
      text_addf(dis->out, "r%u", INSTR_C(i));
      break;
    case 'B':
    case 'P':
      text_addf(dis->out, "%u", INSTR_B(i));
      break;
    case 'C':
      text_addf(dis->out, "%u", INSTR_C(i));
      break;
    case 'i':
      text_addf(dis->out, "%d", INSTR_SB(i));
      break;
    case 's':
    case 'D':
    case 'H':
      text_addf(dis->out, "%d", INSTR_SC(i));
      break;
    case 'S':
      text_addf(dis->out, "%d", INSTR_SBX(i));
      break;
    case 't':
      add_truth(dis, INSTR_B(i));
      break;
    case 'T':
      add_truth(dis, INSTR_C(i));
      break;
    case 'g':
      add_cell_name(dis, INSTR_BX(i));
      break;
    case 'p':
      add_closure_name(dis, INSTR_BX(i));
      break;
    case 'K':
    case 'd':
    case 'm':
      add_constant(dis, INSTR_BX(i));
      break;
    case 'k':
      add_constant(dis, INSTR_C(i));
      break;
    case 'x':
      add_constant(dis, INSTR_B(i));
      break;
    case 'u':
      text_addf(dis->out, "up%u", INSTR_B(i));
      break;
    case 'w':
      add_wanted(dis, INSTR_C(i));
      break;
    case 'j':
      add_jump(dis, 0, INSTR_SJ(i));
      break;
    default:
      rt_throw("an operand of kind %c", kind);
  }
}

// The one in extra word `extra`.
static void add_extra(Dis *dis, char kind, uint32_t extra) {
  Instr word = dis->at[extra];
  if (kind == 'J') {
    add_jump(dis, extra, INSTR_J(word));
  } else if (kind == 'W') {
    text_addf(dis->out, "%u", word);
  } else if (kind == 'R') {
    text_addf(dis->out, "r%u", word);
  } else {
    add_constant(dis, word);
  }
}

static void add_instruction(Dis *dis, const LineInfo *place) {
  uint32_t at = (uint32_t)(dis->at - dis->proto->code);
  char where[24];
  snprintf(where, sizeof where, "%u:%u", place->line, place->col);
  const char *kinds = op_kinds(INSTR_OP(*dis->at));
  text_addf(dis->out, "%6u %9s  %s%*s", at, where, op_name(INSTR_OP(*dis->at)),
            *kinds == '\0' ? 0 : 10 - (int)strlen(op_name(INSTR_OP(*dis->at))),
            "");
  uint32_t extra = 0;
  for (const char *kind = kinds; *kind != '\0'; kind++) {
    bool is_extra = op_kind_is_extra(*kind);
    if (is_extra) extra++;
    // caches, and names that only messages need, are not for readers
    if (*kind == '.' || *kind == 'h') continue;
    if (kind != kinds) text_add(dis->out, " ", 1);
    if (is_extra) {
      add_extra(dis, *kind, extra);
    } else {
      add_operand(dis, *kind);
    }
  }
  text_add(dis->out, "\n", 1);
}

// --- Functions --------------------------------------------------------------
static void add_head(Dis *dis) {
  const Proto *proto = dis->proto;
  text_addf(dis->out, "func %s(", string_text(proto->name));
  for (int i = 0; i < proto->nparams; i++) {
    if (i > 0) text_add(dis->out, ", ", 2);
    text_addf(dis->out, "%s", string_text(proto->param_names[i]));
    bool rest = (proto->flags & PROTO_REST) && i == proto->nparams - 1;
    if (rest) {
      text_add(dis->out, "...", 3);
    } else if (i >= proto->nrequired) {
      text_add(dis->out, " = ...", 6);
    }
  }
  text_addf(dis->out, ")  %s", string_text(proto->path));
  if (proto->nlines > 0) text_addf(dis->out, ":%u", proto->lines[0].line);
  text_addf(dis->out, "  %u register%s, %u constant%s", proto->nregs,
            proto->nregs == 1 ? "" : "s", proto->nconstants,
            proto->nconstants == 1 ? "" : "s");
  if (proto->nupvalues > 0) {
    text_addf(dis->out, ", %u upvalue%s", proto->nupvalues,
              proto->nupvalues == 1 ? "" : "s");
  }
  text_add(dis->out, "\n", 1);
}

static void add_proto(Text *out, Vm *vm, const Proto *proto) {
  Dis d = {.out = out, .vm = vm, .proto = proto, .at = proto->code};
  add_head(&d);
  for (uint32_t at = 0; at < proto->ncode;) {
    d.at = proto->code + at;
    if (INSTR_OP(*d.at) >= OP_COUNT) {
      text_addf(out, "%6u  bad opcode %u\n", at, INSTR_OP(*d.at));
      break;
    }
    LineInfo place = proto_line(proto, d.at);
    add_instruction(&d, &place);
    at += (uint32_t)op_words(INSTR_OP(*d.at));
  }
}

// The functions that proto makes closures of, and theirs.
static void add_nested(Text *out, Vm *vm, const Proto *proto) {
  for (uint32_t at = 0; at < proto->ncode;) {
    Instr i = proto->code[at];
    if (INSTR_OP(i) == OP_CLOSURE) {
      const Proto *made =
          (const Proto *)(uintptr_t)proto->constants[INSTR_BX(i)];
      text_add(out, "\n", 1);
      add_proto(out, vm, made);
      add_nested(out, vm, made);
    }
    at += (uint32_t)op_words(INSTR_OP(i));
  }
}

// All other functions of the file: the compiler made them after its top
// level, and vm->protos has the newest first.
static void add_file(Text *out, Vm *vm, const Proto *top) {
  size_t count = 0, used = 0;
  for (const Proto *proto = vm->protos; proto != top && proto != NULL;
       proto = proto->next)
    count++;
  const Proto **found = mem_zeroed(vm->memory, (count + 1) * sizeof *found);
  if (found == NULL) {
    out->failed = true;
    return;
  }
  for (const Proto *proto = vm->protos; proto != top && proto != NULL;
       proto = proto->next) {
    if (proto->path == top->path && proto->ncode > 0) found[used++] = proto;
  }
  while (used > 0) {
    text_add(out, "\n", 1);
    add_proto(out, vm, found[--used]);
  }
  mem_free(found);
}

void dis_proto(Text *out, Vm *vm, const Proto *proto) {
  add_proto(out, vm, proto);
  if (proto->flags & PROTO_MAIN) {
    add_file(out, vm, proto);
  } else {
    add_nested(out, vm, proto);
  }
}
