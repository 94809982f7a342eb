// SPDX-License-Identifier: MIT
// The function under construction: instructions, places, constants, jumps,
// registers. Limits are reported once per function; after that, or when memory
// runs out, code goes on being emitted, but nobody will run it.
#include "lang/gen/emit.h"

#include <stdlib.h>
#include <string.h>

#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/gen/balance.h"
#include "lang/resolve/scope.h"
#include "lang/table.h"

enum {
  JUMP_MAX = (1 << 23) - 16,  // words of a function: jumps have 24 bits
  CONSTANT_NAMES = 255,       // beyond it, constants have no short forms
};

void func_too_complex(Compiler *c, const char *why) {
  Func *f = c->func;
  if (f->gen.too_complex) return;
  f->gen.too_complex = true;
  Pos pos = f->node != NULL ? f->node->pos : (Pos){1, 1, 0};
  diag_error(c->diags, pos, 1, "%s is too complex: %s",
             f->node != NULL ? "this function" : "the file's top level", why);
  diag_hint(c->diags, "divide it into several functions");
}

// Makes room for one more element. false: out of memory.
static bool emit_reserve(Compiler *c, void **data, uint32_t count,
                         uint32_t *cap, size_t size) {
  RT_ASSERT(count <= *cap);
  if (count < *cap) return true;
  uint32_t bigger = *cap == 0 ? 16 : *cap * 2;
  bool may = allowance_take(&c->loader->allowance, (bigger - *cap) * size);
  void *moved = may ? mem_resize(c->vm->memory, *data, bigger * size) : NULL;
  if (moved == NULL) {
    c->no_memory = true;
    return false;
  }
  *data = moved;
  *cap = bigger;
  return true;
}

// --- Instructions -----------------------------------------------------------
static void push_place(Compiler *c, LineInfo place) {
  Func *f = c->func;
  void *lines = f->gen.lines;
  bool room = emit_reserve(c, &lines, f->gen.nlines, &f->gen.lines_cap,
                           sizeof *f->gen.lines);
  f->gen.lines = lines;
  if (room) f->gen.lines[f->gen.nlines++] = place;
}

static void add_place(Compiler *c, Pos pos) {
  const Func *f = c->func;
  if (f->gen.nlines > 0) {
    const LineInfo *before = &f->gen.lines[f->gen.nlines - 1];
    RT_ASSERT(before->at <= f->gen.ncode);
    if (before->line == pos.line && before->col == pos.col && !before->turned)
      return;
  }
  push_place(c, (LineInfo){.at = f->gen.ncode,
                           .line = pos.line,
                           .col = pos.col & 0x7fffffff});
}

void emit_turned(Compiler *c, uint32_t at) {
  const Func *f = c->func;
  if (code_is_lost(c)) return;
  RT_ASSERT(f->gen.nlines > 0 && at < f->gen.ncode);
  LineInfo *newest = &f->gen.lines[f->gen.nlines - 1];
  RT_ASSERT(newest->at <= at && !newest->turned);
  if (newest->at == at) {
    newest->turned = true;
    return;
  }
  LineInfo turned = *newest;
  turned.at = at;
  turned.turned = true;
  push_place(c, turned);
}

enum { LOOK_WORDS = 16 };  // between two questions whether to go on

int emit_word(Compiler *c, Instr word) {
  Func *f = c->func;
  if (f->gen.ncode % LOOK_WORDS == 0) compile_gives_up(c);
  void *code = f->gen.code;
  bool room = emit_reserve(c, &code, f->gen.ncode, &f->gen.code_cap,
                           sizeof *f->gen.code);
  f->gen.code = code;
  if (!room) return 0;
  if (f->gen.ncode >= JUMP_MAX) {
    func_too_complex(c, "it has more than 8 million instructions");
    return 0;
  }
  RT_ASSERT(f->gen.ncode < f->gen.code_cap);
  f->gen.code[f->gen.ncode] = word;
  return (int)f->gen.ncode++;
}

int emit(Compiler *c, Pos pos, Instr instr) {
  add_place(c, pos);
  c->func->gen.last = c->func->gen.ncode;
  return emit_word(c, instr);
}

void emit_extra(Compiler *c, Pos pos, Instr word) {
  add_place(c, pos);
  emit_word(c, word);
}

int emit_abc(Compiler *c, Pos pos, Op op, int a, int b, int d) {
  RT_ASSERT(op < OP_COUNT);
  RT_ASSERT(code_is_lost(c) || operands_fit(a, b, d));
  return emit(c, pos, instr_abc(op, a, b, d));
}

int emit_abx(Compiler *c, Pos pos, Op op, int a, int bx) {
  RT_ASSERT(op < OP_COUNT);
  RT_ASSERT(code_is_lost(c) || operands_fit(a, 0, 0));
  RT_ASSERT(bx >= INT16_MIN && bx <= UINT16_MAX);
  return emit(c, pos, instr_abx(op, a, bx));
}

// --- Constants --------------------------------------------------------------
static int new_constant(Compiler *c, Value v) {
  Func *f = c->func;
  if (f->gen.nconstants >= CONSTANTS_MAX) {
    func_too_complex(c, "it has more than 65535 constants");
    return 0;
  }
  void *constants = f->gen.constants;
  bool room = emit_reserve(c, &constants, f->gen.nconstants,
                           &f->gen.constants_cap, sizeof *f->gen.constants);
  f->gen.constants = constants;
  if (!room) return 0;
  RT_ASSERT(f->gen.nconstants < f->gen.constants_cap);
  f->gen.constants[f->gen.nconstants] = v;
  return (int)f->gen.nconstants++;
}

// One to one (the end of MurmurHash3), and not to be foreseen: a script chooses
// its constants, but cannot make many that meet in the table.
static uint64_t constant_key(const Compiler *c, Value v) {
  uint64_t key = v ^ c->vm->hash_seed;
  key = (key ^ key >> 33) * 0xff51afd7ed558ccdu;
  key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53u;
  return key ^ key >> 33;
}

int emit_constant(Compiler *c, Value v) {
  Func *f = c->func;
  uint64_t found, key = constant_key(c, v);
  if (v == VALUE_UNDEF) c->no_memory = true;
  if (table_get(&f->gen.constant_index, key, &found)) {
    RT_ASSERT(constant_is_there(c, (int)found, v));
    return (int)found;
  }
  int index = new_constant(c, v);
  RT_ASSERT(constant_is_there(c, index, v));
  if (!table_set(c->vm->memory, &f->gen.constant_index, key, (uint64_t)index))
    c->no_memory = true;
  return index;
}

int emit_name(Compiler *c, const AstStr *name) {
  return emit_constant(c, value_from_obj(name_string(c, name)));
}

int emit_cell(Compiler *c, const Symbol *symbol) {
  Func *f = c->func;
  Value cell = value_from_obj(symbol->cell);
  uint64_t found;
  if (table_get(&f->gen.cell_index, cell, &found)) {
    RT_ASSERT(constant_is_there(c, (int)found, cell));
    return (int)found;
  }
  int index = new_constant(c, cell);
  RT_ASSERT(constant_is_there(c, index, cell));
  new_constant(c, value_from_obj(name_string(c, symbol->name)));
  if (!table_set(c->vm->memory, &f->gen.cell_index, cell, (uint64_t)index))
    c->no_memory = true;
  return index;
}

void emit_load(Compiler *c, Pos pos, int target, Value v) {
  if (v == VALUE_NIL) {
    emit_abc(c, pos, OP_LOADNIL, target, 0, 0);
  } else if (v == VALUE_TRUE) {
    emit_abc(c, pos, OP_LOADTRUE, target, 0, 0);
  } else if (v == VALUE_FALSE) {
    emit_abc(c, pos, OP_LOADFALSE, target, 0, 0);
  } else if (value_is_small(v) && value_small(v) >= INT16_MIN &&
             value_small(v) <= INT16_MAX) {
    emit_abx(c, pos, OP_LOADI, target, (int)value_small(v));
  } else {
    emit_abx(c, pos, OP_LOADK, target, emit_constant(c, v));
  }
}

// --- Jumps ------------------------------------------------------------------
// A word that waits for its target holds above its low byte the word before it
// in the list. The low byte is the jump's opcode; zero, which is no jump's, in
// a word of its own.

static void add_to_list(Compiler *c, int word, int *list) {
  if (c->no_memory || c->func->gen.too_complex) return;
  Instr *waiting = &c->func->gen.code[word];
  RT_ASSERT(*list < word);
  *waiting = instr_j((Op)INSTR_OP(*waiting), *list);
  *list = word;
}

void emit_jump(Compiler *c, Pos pos, int *list) {
  add_to_list(c, emit(c, pos, instr_j(OP_JMP, 0)), list);
}

void emit_branch(Compiler *c, Pos pos, Instr instr, int *list) {
  emit(c, pos, instr);
  add_to_list(c, emit_word(c, 0), list);
}

uint32_t emit_here(Compiler *c) {
  c->func->gen.last_target = c->func->gen.ncode;
  return c->func->gen.ncode;
}

void emit_patch(Compiler *c, int list) {
  Func *f = c->func;
  if (list == NO_JUMP || c->no_memory || f->gen.too_complex) return;
  RT_ASSERT(jumps_are_waiting(f, list));
  int here = (int)emit_here(c);
  while (list != NO_JUMP) {
    Instr *waiting = &f->gen.code[list];
    Op op = (Op)INSTR_OP(*waiting);
    int32_t offset = here - (list + 1);
    list = INSTR_SJ(*waiting);
    *waiting = op == 0 ? (Instr)offset : instr_j(op, offset);
  }
}

static int32_t offset_back(const Compiler *c, uint32_t to) {
  RT_ASSERT(to <= c->func->gen.ncode);
  return (int32_t)to - ((int32_t)c->func->gen.ncode + 1);
}

void emit_loop(Compiler *c, Pos pos, uint32_t to) {
  emit(c, pos, instr_j(OP_LOOP, offset_back(c, to)));
}

void emit_branch_back(Compiler *c, Pos pos, Instr instr, uint32_t to) {
  emit(c, pos, instr);
  emit_word(c, (Instr)offset_back(c, to));
}

bool emit_reachable(const Compiler *c) {
  const Func *f = c->func;
  // (last >= ncode: memory is out, or it is too complex)
  if (f->gen.last >= f->gen.ncode || f->gen.last_target == f->gen.ncode)
    return true;
  switch (INSTR_OP(f->gen.code[f->gen.last])) {
    case OP_RET0:
    case OP_RET1:
    case OP_RET:
    case OP_RETV:
    case OP_RETD:
    case OP_RETDL:
    case OP_JMP:
    case OP_LOOP:
      return false;
    default:
      return true;
  }
}

// --- Registers --------------------------------------------------------------
void reg_need(Compiler *c, int count) {
  Func *f = c->func;
  if (count > REGISTERS_MAX)
    func_too_complex(c, "it needs more than 250 variables and temporaries");
  if (count > f->gen.max) f->gen.max = count;
}

int reg_take(Compiler *c, int count) {
  Func *f = c->func;
  int first = f->gen.top;
  RT_ASSERT(count >= 0);
  f->gen.top += count;
  reg_need(c, f->gen.top);
  return first;
}

void reg_set(Compiler *c, int top) {
  RT_ASSERT(top >= 0);
  c->func->gen.top = top;
  reg_need(c, top);
}
