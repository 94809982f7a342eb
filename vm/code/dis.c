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

typedef struct Dis {
  Text *out;
  Vm *vm;
  const Proto *proto;
  const Instr *at;  // the instruction's first word
} Dis;

enum { CONSTANT_TEXT_MAX = 60 };

static const char *string_text(const ObjString *s) {
  return s != NULL ? s->data : "?";
}

// --- Constants --------------------------------------------------------------
// A string, number, list of names: as source, cut when it is long.
static void add_source(Dis *d, Value v) {
  Text text = {.memory = d->vm->memory};
  format_value(&text, d->vm, v, true);
  if (text.len > CONSTANT_TEXT_MAX) {
    size_t cut = CONSTANT_TEXT_MAX;
    while (cut > 0 && (text.data[cut] & 0xc0) == 0x80) cut--;
    text_add(d->out, text.data, cut);
    text_add(d->out, "...", 3);
  } else if (text.data != NULL) {
    text_add(d->out, text.data, text.len);
  }
  text_free(&text);
}

static void add_constant(Dis *d, uint32_t index) {
  if (index >= d->proto->nconstants) {
    text_addf(d->out, "K%u?", index);
    return;
  }
  Value v = d->proto->constants[index];
  if (value_is_type(v, OBJ_CLOSURE)) {
    const ObjClosure *closure = (ObjClosure *)value_obj(v);
    text_addf(d->out, "func %s", string_text(closure->proto->name));
  } else if (value_is_type(v, OBJ_NATIVE)) {
    text_addf(d->out, "native %s", ((ObjNative *)value_obj(v))->def->name);
  } else if (value_is_type(v, OBJ_STRUCT)) {
    const ObjStruct *type = (ObjStruct *)value_obj(v);
    text_addf(d->out, "struct %s", string_text(type->name));
  } else if (value_is_type(v, OBJ_MODULE)) {
    const ObjModule *module = (ObjModule *)value_obj(v);
    text_addf(d->out, "module %s", string_text(module->name));
  } else {
    add_source(d, v);
  }
}

// The compiler puts a cell's name right after it among the constants.
static void add_cell_name(Dis *d, uint32_t index) {
  uint32_t name = index + 1;
  if (name < d->proto->nconstants &&
      value_is_type(d->proto->constants[name], OBJ_STRING)) {
    ObjString *s = (ObjString *)value_obj(d->proto->constants[name]);
    text_add(d->out, s->data, s->len);
  } else {
    text_addf(d->out, "cell K%u", index);
  }
}

static void add_closure_name(Dis *d, uint32_t index) {
  const Proto *made = (const Proto *)(uintptr_t)d->proto->constants[index];
  text_addf(d->out, "func %s", string_text(made->name));
}

// --- Operands ---------------------------------------------------------------
static void add_jump(Dis *d, uint32_t word, int32_t offset) {
  uint32_t at = (uint32_t)(d->at - d->proto->code);
  int64_t to = (int64_t)at + word + 1 + offset;
  text_addf(d->out, "-> %lld", (long long)to);
}

static void add_wanted(Dis *d, uint32_t want) {
  if (want == WANT_ALL) {
    text_addf(d->out, "want all");
  } else {
    text_addf(d->out, "want %u", want);
  }
}

static void add_truth(Dis *d, Instr yes) {
  text_addf(d->out, yes ? "true" : "false");
}

// The operand in the instruction's first word.
static void add_operand(Dis *d, char kind) {
  Instr i = *d->at;
  switch (kind) {
    case 'a':
      text_addf(d->out, "r%u", INSTR_A(i));
      break;
    case 'b':
    case 'v':
    case 'f':
      text_addf(d->out, "r%u", INSTR_B(i));
      break;
    case 'c':
      text_addf(d->out, "r%u", INSTR_C(i));
      break;
    case 'B':
    case 'P':
      text_addf(d->out, "%u", INSTR_B(i));
      break;
    case 'C':
      text_addf(d->out, "%u", INSTR_C(i));
      break;
    case 'i':
      text_addf(d->out, "%d", INSTR_SB(i));
      break;
    case 's':
    case 'D':
    case 'H':
      text_addf(d->out, "%d", INSTR_SC(i));
      break;
    case 'S':
      text_addf(d->out, "%d", INSTR_SBX(i));
      break;
    case 't':
      add_truth(d, INSTR_B(i));
      break;
    case 'T':
      add_truth(d, INSTR_C(i));
      break;
    case 'g':
      add_cell_name(d, INSTR_BX(i));
      break;
    case 'p':
      add_closure_name(d, INSTR_BX(i));
      break;
    case 'K':
    case 'd':
    case 'm':
      add_constant(d, INSTR_BX(i));
      break;
    case 'k':
      add_constant(d, INSTR_C(i));
      break;
    case 'x':
      add_constant(d, INSTR_B(i));
      break;
    case 'u':
      text_addf(d->out, "up%u", INSTR_B(i));
      break;
    case 'w':
      add_wanted(d, INSTR_C(i));
      break;
    case 'j':
      add_jump(d, 0, INSTR_SJ(i));
      break;
    default:
      rt_throw("an operand of kind %c", kind);
  }
}

// The one in extra word `extra`.
static void add_extra(Dis *d, char kind, uint32_t extra) {
  Instr word = d->at[extra];
  if (kind == 'J') {
    add_jump(d, extra, INSTR_J(word));
  } else if (kind == 'W') {
    text_addf(d->out, "%u", word);
  } else if (kind == 'R') {
    text_addf(d->out, "r%u", word);
  } else {
    add_constant(d, word);
  }
}

static void add_instruction(Dis *d, const LineInfo *place) {
  uint32_t at = (uint32_t)(d->at - d->proto->code);
  char where[24];
  snprintf(where, sizeof where, "%u:%u", place->line, place->col);
  const char *kinds = op_kinds(INSTR_OP(*d->at));
  text_addf(d->out, "%6u %9s  %s%*s", at, where, op_name(INSTR_OP(*d->at)),
            *kinds == '\0' ? 0 : 10 - (int)strlen(op_name(INSTR_OP(*d->at))),
            "");
  uint32_t extra = 0;
  for (const char *k = kinds; *k != '\0'; k++) {
    bool is_extra = op_kind_is_extra(*k);
    if (is_extra) extra++;
    if (*k == '.' || *k == 'h') continue;  // caches are not for readers
    if (k != kinds) text_add(d->out, " ", 1);
    if (is_extra) {
      add_extra(d, *k, extra);
    } else {
      add_operand(d, *k);
    }
  }
  text_add(d->out, "\n", 1);
}

// --- Functions --------------------------------------------------------------
static void add_head(Dis *d) {
  const Proto *proto = d->proto;
  text_addf(d->out, "func %s(", string_text(proto->name));
  for (int i = 0; i < proto->nparams; i++) {
    if (i > 0) text_add(d->out, ", ", 2);
    text_addf(d->out, "%s", string_text(proto->param_names[i]));
    bool rest = (proto->flags & PROTO_REST) && i == proto->nparams - 1;
    if (rest) {
      text_add(d->out, "...", 3);
    } else if (i >= proto->nrequired) {
      text_add(d->out, " = ...", 6);
    }
  }
  text_addf(d->out, ")  %s", string_text(proto->path));
  if (proto->nlines > 0) text_addf(d->out, ":%u", proto->lines[0].line);
  text_addf(d->out, "  %u register%s, %u constant%s", proto->nregs,
            proto->nregs == 1 ? "" : "s", proto->nconstants,
            proto->nconstants == 1 ? "" : "s");
  if (proto->nupvalues > 0) {
    text_addf(d->out, ", %u upvalue%s", proto->nupvalues,
              proto->nupvalues == 1 ? "" : "s");
  }
  text_add(d->out, "\n", 1);
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
