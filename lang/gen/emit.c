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
#include "lang/gen/naming.h"
#include "lang/resolve/scope.h"
#include "lang/table.h"

enum {
  JUMP_MAX = (1 << 23) - 16,  // words of a function: jumps have 24 bits
  CONSTANT_NAMES = 255,       // beyond it, constants have no short forms
};

void func_too_complex(Compiler *compiler, const char *why) {
  Func *func = compiler->func;
  if (func->gen.too_complex) return;
  func->gen.too_complex = true;
  Pos pos = func->node != NULL ? func->node->pos : (Pos){1, 1, 0};
  diag_error(compiler->diags, pos, 1, "%s is too complex: %s",
             func->node != NULL ? "this function" : "the file's top level",
             why);
  diag_hint(compiler->diags, "divide it into several functions");
}

// Makes room for one more element. false: out of memory.
static bool emit_reserve(Compiler *compiler, void **data, uint32_t count,
                         uint32_t *cap, size_t size) {
  RT_ASSERT(count <= *cap);
  if (count < *cap) return true;
  uint32_t bigger = *cap == 0 ? 16 : *cap * 2;
  bool may =
      allowance_take(&compiler->loader->allowance, (bigger - *cap) * size);
  void *moved =
      may ? mem_resize(compiler->vm->memory, *data, bigger * size) : NULL;
  if (moved == NULL) {
    compiler->no_memory = true;
    return false;
  }
  *data = moved;
  *cap = bigger;
  return true;
}

// --- Instructions -----------------------------------------------------------
static void push_place(Compiler *compiler, LineInfo place) {
  Func *func = compiler->func;
  void *lines = func->gen.lines;
  bool room = emit_reserve(compiler, &lines, func->gen.nlines,
                           &func->gen.lines_cap, sizeof *func->gen.lines);
  func->gen.lines = lines;
  if (room) func->gen.lines[func->gen.nlines++] = place;
}

static void add_place(Compiler *compiler, Pos pos) {
  const Func *func = compiler->func;
  if (func->gen.nlines > 0) {
    const LineInfo *before = &func->gen.lines[func->gen.nlines - 1];
    RT_ASSERT(before->at <= func->gen.ncode);
    if (before->line == pos.line && before->col == pos.col && !before->turned)
      return;
  }
  push_place(compiler, (LineInfo){.at = func->gen.ncode,
                                  .line = pos.line,
                                  .col = pos.col & 0x7fffffff});
}

void emit_turned(Compiler *compiler, uint32_t at) {
  const Func *func = compiler->func;
  if (code_is_lost(compiler)) return;
  RT_ASSERT(func->gen.nlines > 0 && at < func->gen.ncode);
  LineInfo *newest = &func->gen.lines[func->gen.nlines - 1];
  RT_ASSERT(newest->at <= at && !newest->turned);
  if (newest->at == at) {
    newest->turned = true;
    return;
  }
  LineInfo turned = *newest;
  turned.at = at;
  turned.turned = true;
  push_place(compiler, turned);
}

enum { LOOK_WORDS = 16 };  // between two questions whether to go on

int emit_word(Compiler *compiler, Instr word) {
  Func *func = compiler->func;
  if (func->gen.ncode % LOOK_WORDS == 0) compile_gives_up(compiler);
  void *code = func->gen.code;
  bool room = emit_reserve(compiler, &code, func->gen.ncode,
                           &func->gen.code_cap, sizeof *func->gen.code);
  func->gen.code = code;
  if (!room) return 0;
  if (func->gen.ncode >= JUMP_MAX) {
    func_too_complex(compiler, "it has more than 8 million instructions");
    return 0;
  }
  RT_ASSERT(func->gen.ncode < func->gen.code_cap);
  func->gen.code[func->gen.ncode] = word;
  return (int)func->gen.ncode++;
}

int emit(Compiler *compiler, Pos pos, Instr instr) {
  add_place(compiler, pos);
  compiler->func->gen.last = compiler->func->gen.ncode;
  return emit_word(compiler, instr);
}

void emit_extra(Compiler *compiler, Pos pos, Instr word) {
  add_place(compiler, pos);
  emit_word(compiler, word);
}

int emit_abc(Compiler *compiler, Pos pos, Op op, int a, int b, int d) {
  RT_ASSERT(op < OP_COUNT);
  RT_ASSERT(code_is_lost(compiler) || operands_fit(a, b, d));
  return emit(compiler, pos, instr_abc(op, a, b, d));
}

int emit_abx(Compiler *compiler, Pos pos, Op op, int a, int bx) {
  RT_ASSERT(op < OP_COUNT);
  RT_ASSERT(code_is_lost(compiler) || operands_fit(a, 0, 0));
  RT_ASSERT(bx >= INT16_MIN && bx <= UINT16_MAX);
  return emit(compiler, pos, instr_abx(op, a, bx));
}

// --- Constants --------------------------------------------------------------
static int new_constant(Compiler *compiler, Value v) {
  Func *func = compiler->func;
  if (func->gen.nconstants >= CONSTANTS_MAX) {
    func_too_complex(compiler, "it has more than 65535 constants");
    return 0;
  }
  void *constants = func->gen.constants;
  bool room =
      emit_reserve(compiler, &constants, func->gen.nconstants,
                   &func->gen.constants_cap, sizeof *func->gen.constants);
  func->gen.constants = constants;
  if (!room) return 0;
  RT_ASSERT(func->gen.nconstants < func->gen.constants_cap);
  func->gen.constants[func->gen.nconstants] = v;
  return (int)func->gen.nconstants++;
}

// One to one (the end of MurmurHash3), and not to be foreseen: a script chooses
// its constants, but cannot make many that meet in the table.
static uint64_t constant_key(const Compiler *compiler, Value v) {
  uint64_t key = v ^ compiler->vm->hash_seed;
  key = (key ^ key >> 33) * 0xff51afd7ed558ccdu;
  key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53u;
  return key ^ key >> 33;
}

int emit_constant(Compiler *compiler, Value v) {
  Func *func = compiler->func;
  uint64_t found, key = constant_key(compiler, v);
  if (v == VALUE_UNDEF) compiler->no_memory = true;
  if (table_get(&func->gen.constant_index, key, &found)) {
    RT_ASSERT(constant_is_there(compiler, (int)found, v));
    return (int)found;
  }
  int index = new_constant(compiler, v);
  RT_ASSERT(constant_is_there(compiler, index, v));
  if (!table_set(compiler->vm->memory, &func->gen.constant_index, key,
                 (uint64_t)index))
    compiler->no_memory = true;
  return index;
}

int emit_name(Compiler *compiler, const AstStr *name) {
  return emit_constant(compiler, value_from_obj(name_string(compiler, name)));
}

int emit_cell(Compiler *compiler, const Symbol *symbol) {
  Func *func = compiler->func;
  Value cell = value_from_obj(symbol->cell);
  uint64_t found;
  if (table_get(&func->gen.cell_index, cell, &found)) {
    RT_ASSERT(constant_is_there(compiler, (int)found, cell));
    return (int)found;
  }
  int index = new_constant(compiler, cell);
  RT_ASSERT(constant_is_there(compiler, index, cell));
  new_constant(compiler, value_from_obj(name_string(compiler, symbol->name)));
  if (!table_set(compiler->vm->memory, &func->gen.cell_index, cell,
                 (uint64_t)index))
    compiler->no_memory = true;
  return index;
}

void emit_load(Compiler *compiler, Pos pos, int target, Value v) {
  if (v == VALUE_NIL) {
    emit_abc(compiler, pos, OP_LOADNIL, target, 0, 0);
  } else if (v == VALUE_TRUE) {
    emit_abc(compiler, pos, OP_LOADTRUE, target, 0, 0);
  } else if (v == VALUE_FALSE) {
    emit_abc(compiler, pos, OP_LOADFALSE, target, 0, 0);
  } else if (value_is_small(v) && value_small(v) >= INT16_MIN &&
             value_small(v) <= INT16_MAX) {
    emit_abx(compiler, pos, OP_LOADI, target, (int)value_small(v));
  } else {
    emit_abx(compiler, pos, OP_LOADK, target, emit_constant(compiler, v));
  }
}

// --- Jumps ------------------------------------------------------------------
// A word that waits for its target holds above its low byte the word before it
// in the list. The low byte is the jump's opcode; zero, which is no jump's, in
// a word of its own.

static void add_to_list(Compiler *compiler, int word, int *list) {
  if (compiler->no_memory || compiler->func->gen.too_complex) return;
  Instr *waiting = &compiler->func->gen.code[word];
  RT_ASSERT(*list < word);
  *waiting = instr_j((Op)INSTR_OP(*waiting), *list);
  *list = word;
}

void emit_jump(Compiler *compiler, Pos pos, int *list) {
  add_to_list(compiler, emit(compiler, pos, instr_j(OP_JMP, 0)), list);
}

void emit_branch(Compiler *compiler, Pos pos, Instr instr, int *list) {
  emit(compiler, pos, instr);
  add_to_list(compiler, emit_word(compiler, 0), list);
}

uint32_t emit_here(Compiler *compiler) {
  compiler->func->gen.last_target = compiler->func->gen.ncode;
  return compiler->func->gen.ncode;
}

void emit_patch(Compiler *compiler, int list) {
  Func *func = compiler->func;
  if (list == NO_JUMP || compiler->no_memory || func->gen.too_complex) return;
  RT_ASSERT(jumps_are_waiting(func, list));
  int here = (int)emit_here(compiler);
  while (list != NO_JUMP) {
    Instr *waiting = &func->gen.code[list];
    Op op = (Op)INSTR_OP(*waiting);
    int32_t offset = here - (list + 1);
    list = INSTR_SJ(*waiting);
    *waiting = op == 0 ? (Instr)offset : instr_j(op, offset);
  }
}

static int32_t offset_back(const Compiler *compiler, uint32_t to) {
  RT_ASSERT(to <= compiler->func->gen.ncode);
  return (int32_t)to - ((int32_t)compiler->func->gen.ncode + 1);
}

void emit_loop(Compiler *compiler, Pos pos, uint32_t to) {
  emit(compiler, pos, instr_j(OP_LOOP, offset_back(compiler, to)));
}

void emit_branch_back(Compiler *compiler, Pos pos, Instr instr, uint32_t to) {
  emit(compiler, pos, instr);
  emit_word(compiler, (Instr)offset_back(compiler, to));
}

bool emit_reachable(const Compiler *compiler) {
  const Func *func = compiler->func;
  // What is lost may have any word in the last instruction's place.
  if (code_is_lost(compiler) || func->gen.last >= func->gen.ncode ||
      func->gen.last_target == func->gen.ncode)
    return true;
  Op last = (Op)INSTR_OP(func->gen.code[func->gen.last]);
  return (op_traits(last) & ENDS_FLOW) == 0;
}

// --- Registers --------------------------------------------------------------
void reg_need(Compiler *compiler, int count) {
  Func *func = compiler->func;
  if (count > REGISTERS_MAX)
    func_too_complex(compiler,
                     "it needs more than 250 variables and temporaries");
  if (count > func->gen.max) func->gen.max = count;
}

int reg_take(Compiler *compiler, int count) {
  Func *func = compiler->func;
  int first = func->gen.top;
  RT_ASSERT(count >= 0);
  func->gen.top += count;
  reg_need(compiler, func->gen.top);
  return first;
}

void reg_set(Compiler *compiler, int top) {
  RT_ASSERT(top >= 0);
  compiler->func->gen.top = top;
  reg_need(compiler, top);
}

void reg_leave(Compiler *compiler, int top, int active) {
  reg_set(compiler, top);
  compiler->func->gen.active = active;
  naming_end(compiler->func, active);
}
