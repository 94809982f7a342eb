// SPDX-License-Identifier: MIT
// Second pass, conditions.
#ifndef CSP_LANG_GEN_CONDITION_H
#define CSP_LANG_GEN_CONDITION_H

#include "lang/compiler.h"

// How two values are ordered: AST_LT, AST_LE, AST_GT or AST_GE.
typedef struct Order {
  Op op;               // with both in registers
  bool turned;         // its operands stand the other way round
  Op small, constant;  // with such a number on the right
  AstOp mirrored;      // the same with the operands exchanged
} Order;
const Order *condition_order(AstOp op);
// Jumps (forward, through the list) if the truth of node is `sense`.
void condition_jump(Compiler *compiler, Node *node, bool sense, int *list);
// The same backward.
void condition_back(Compiler *compiler, Node *node, bool sense, uint32_t to);
// Jumps if R[subject] == node is `sense`.
void condition_equal(Compiler *compiler, Pos pos, int subject, Node *node,
                     bool sense, int *list);
// The bool that a comparison, or && and || of them, gives.
void condition_value(Compiler *compiler, Node *node, int target);
bool condition_is(const Node *node);         // gives a bool by jumps
bool condition_is_simple(const Node *node);  // may be generated twice

#endif
