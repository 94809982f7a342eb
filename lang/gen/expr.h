// SPDX-License-Identifier: MIT
// Second pass, expressions.
#ifndef CSP_LANG_GEN_EXPR_H
#define CSP_LANG_GEN_EXPR_H

#include "lang/compiler.h"

// The value into a register: a variable's, top, or top - 1. top stays.
void expr_to(Compiler *compiler, Node *node, int target);
// The value in some register: its variable's own, or top, which is taken.
int expr_any(Compiler *compiler, Node *node);
int expr_next(Compiler *compiler, Node *node);  // into top, which is taken
void expr_discard(Compiler *compiler, Node *node);
// `count` values into registers from top, which are taken.
int expr_many(Compiler *compiler, Node *node, int count);
// The symbol of a NAME, or of a FIELD of a module. NULL: the node is neither.
Symbol *expr_symbol(const Node *node);
// The register of a variable that lives in one, or -1.
int expr_register(const Compiler *compiler, const Node *node);
// The same, but -1, too, where a value among the operands that come after it
// may assign the variable (an `if`, a `switch`, a `group`).
int expr_steady(const Compiler *compiler, const Node *node);
bool expr_constant(Compiler *compiler, const Node *node, Value *v);
void expr_read(Compiler *compiler, Pos pos, Symbol *symbol, int target);
void expr_store(Compiler *compiler, Pos pos, Symbol *symbol, int from);
// R[target] = R[left] op right.
// The opcode of a binary operator that has one, with its operands in registers.
Op expr_op(AstOp op);
void expr_arith(Compiler *compiler, Pos pos, AstOp op, int target, int left,
                Node *right);
// Whether `right` is a literal that the instruction's last byte holds.
bool expr_fits_small(AstOp op, const Node *right);
// A number among the first 256 constants, or -1.
int expr_number(Compiler *compiler, const Node *right);

#endif
