// SPDX-License-Identifier: MIT
// The function under construction: instructions, constants, registers.
#ifndef CSP_LANG_GEN_EMIT_H
#define CSP_LANG_GEN_EMIT_H

#include "lang/compiler.h"

enum { NO_JUMP = -1 };

int emit(Compiler *compiler, Pos pos, Instr instr);
int emit_abc(Compiler *compiler, Pos pos, Op op, int a, int b, int d);
int emit_abx(Compiler *compiler, Pos pos, Op op, int a, int bx);
// A further word, with a place of its own for what goes wrong there.
void emit_extra(Compiler *compiler, Pos pos, Instr word);
int emit_word(Compiler *compiler, Instr word);
// The operands of the operation in the word `at`, whose place is the newest,
// stand the other way round in the source.
void emit_turned(Compiler *compiler, uint32_t at);
// Index of a constant; 0 after an error.
int emit_constant(Compiler *compiler, Value v);
int emit_name(Compiler *compiler, const AstStr *name);
int emit_cell(Compiler *compiler, const Symbol *symbol);  // its name comes next
void emit_load(Compiler *compiler, Pos pos, int target, Value v);
// Jumps forward. A list is the newest jump's word, chained through offsets.
void emit_jump(Compiler *compiler, Pos pos, int *list);  // JMP
void emit_branch(Compiler *compiler, Pos pos, Instr instr,
                 int *list);                    // with a word
void emit_patch(Compiler *compiler, int list);  // all lead here
// Jumps backward to `to`.
void emit_loop(Compiler *compiler, Pos pos, uint32_t to);
void emit_branch_back(Compiler *compiler, Pos pos, Instr instr, uint32_t to);
uint32_t emit_here(Compiler *compiler);  // as the target of a jump backward
bool emit_reachable(const Compiler *compiler);  // can control come here?

// Registers.
int reg_take(Compiler *compiler, int count);  // the first of them
void reg_set(Compiler *compiler, int top);    // top, and counts what was needed
// The end of a block: what `top` and `active` were before it.
void reg_leave(Compiler *compiler, int top, int active);
void reg_need(Compiler *compiler, int count);  // that many from 0 are used
void func_too_complex(Compiler *compiler, const char *why);

#endif
