// SPDX-License-Identifier: MIT
// Second pass, calls: windows and arguments, methods, go and defer, `?`, and
// returning.
//
// A window at register w: w..w+2 become the callee's frame header (the
// function's value goes into w+2), arguments lie from w+3, results arrive at
// w. Everything from w up is free.
#include "lang/gen/calls.h"
#include "lang/gen/branch.h"
#include "lang/gen/emit.h"
#include "lang/gen/expr.h"
#include "lang/gen/func.h"
#include "lang/resolve/scope.h"
#include "vm/object/list.h"

typedef struct Args {
  int positional;
  Node *spread;  // or NULL
  int named;
  Node *multi;  // g() in f(g()), else NULL
} Args;

static Args look_at(Node *list) {
  Args args = {0};
  for (Node *arg = list; arg != NULL; arg = arg->next) {
    if (arg->kind == NODE_SPREAD) {
      args.spread = arg;
    } else if (arg->kind == NODE_NAMED) {
      args.named++;
    } else {
      args.positional++;
    }
  }
  if (list != NULL && list->next == NULL && list->kind == NODE_CALL)
    args.multi = list;
  return args;
}

static bool is_fixed(const Args *args) {
  return args->multi == NULL && args->spread == NULL && args->named == 0;
}

int calls_window(const Compiler *c, int target) {
  int top = c->func->gen.top;
  return target == top - 1 ? target : top;
}

// --- Arguments --------------------------------------------------------------
static void positional_next(Compiler *c, Node *list) {
  for (Node *arg = list; arg != NULL; arg = arg->next) {
    if (arg->kind == NODE_SPREAD || arg->kind == NODE_NAMED) return;
    expr_next(c, arg);
  }
}

static void named_next(Compiler *c, Node *list) {
  for (Node *arg = list; arg != NULL; arg = arg->next) {
    if (arg->kind == NODE_NAMED) expr_next(c, arg->a);
  }
}

static int names_constant(Compiler *c, const Node *list, int count) {
  ObjList *names = list_new(c->local, (size_t)count);
  bool done = names != NULL;
  for (const Node *arg = list; arg != NULL && done; arg = arg->next) {
    if (arg->kind != NODE_NAMED) continue;
    Value name = value_from_obj(name_string(c, arg->name));
    done = list_push(c->local, names, name);
  }
  if (done) return emit_constant(c, value_from_obj(names));
  c->no_memory = true;
  return 0;
}

// Arguments whose number is known at run time only, into `multi`. `before`:
// values from window + 3 up that come before them (a method's receiver).
static void args_multi(Compiler *c, Node *call, const Args *args, int window,
                       int before) {
  if (args->multi != NULL) {
    calls_at(c, args->multi, window + 3 + before, WANT_ALL, CALL_PLAIN);
    return;
  }
  positional_next(c, call->b);
  if (args->spread != NULL) expr_next(c, args->spread->a);
  named_next(c, call->b);
  if (args->spread != NULL)
    emit_abc(c, args->spread->pos, OP_SPREAD, window, before + args->positional,
             args->named);
  if (args->named == 0) return;
  int names = names_constant(c, call->b, args->named);
  int positional = args->spread != NULL ? WANT_ALL : args->positional;
  emit_abc(c, call->pos, OP_NAMED, window, positional, 0);
  emit_word(c, (Instr)names);
}

// --- Plain calls, go, defer -------------------------------------------------
static void emit_fixed(Compiler *c, Pos pos, int window, int count, int want,
                       enum CallHow how) {
  switch (how) {
    case CALL_PLAIN:
      emit_abc(c, pos, OP_CALL, window, count, want);
      break;
    case CALL_GO:
    case CALL_GO_TASK:
      emit_abc(c, pos, OP_GO, window, count, how == CALL_GO_TASK);
      break;
    case CALL_DEFER:
      emit_abc(c, pos, OP_DEFER, window, count, 0);
      break;
  }
}

static void emit_multi(Compiler *c, Pos pos, int window, int want,
                       enum CallHow how) {
  bool task = how == CALL_GO_TASK;
  switch (how) {
    case CALL_PLAIN:
      emit_abc(c, pos, OP_CALLV, window, 0, want);
      break;
    case CALL_GO:
    case CALL_GO_TASK:
      emit_abc(c, pos, OP_GOV, window, 0, task);
      break;
    case CALL_DEFER:
      emit_abc(c, pos, OP_DEFERV, window, 0, 0);
      break;
  }
}

static void emit_value_call(Compiler *c, Node *call, const Args *args,
                            int window, int want, enum CallHow how) {
  reg_set(c, window + 2);
  expr_to(c, call->a, window + 2);
  reg_set(c, window + 3);
  if (is_fixed(args)) {
    positional_next(c, call->b);
    RT_ASSERT(c->func->gen.top == window + 3 + args->positional);
    emit_fixed(c, call->pos, window, args->positional, want, how);
  } else {
    args_multi(c, call, args, window, 0);
    emit_multi(c, call->pos, window, want, how);
  }
}

// --- Known functions, methods -----------------------------------------------
// The closure that the call always calls with just these arguments, or nil.
static Value known_closure(const Node *call, const Args *args) {
  const Symbol *symbol = expr_symbol(call->a);
  if (symbol == NULL || !is_fixed(args)) return VALUE_NIL;
  if (symbol->kind != SYM_FUNC && symbol->kind != SYM_STRUCT) return VALUE_NIL;
  const Proto *proto = func_proto(symbol);
  if (proto == NULL || proto->nparams != args->positional ||
      (proto->flags & PROTO_REST))
    return VALUE_NIL;
  return value_from_obj(proto->self);
}

static void call_known(Compiler *c, Node *call, const Args *args, int window,
                       int want, Value closure) {
  positional_next(c, call->b);
  RT_ASSERT(c->func->gen.top == window + 3 + args->positional);
  emit_abc(c, call->pos, OP_CALLK, window, args->positional, want);
  emit_word(c, (Instr)emit_constant(c, closure));
}

static bool is_method(const Node *callee) {
  return callee->kind == NODE_FIELD && callee->note == NULL;
}

static void emit_method_call(Compiler *c, Node *call, const Args *args,
                             int window, int want) {
  Node *callee = call->a;
  expr_next(c, callee->a);
  if (args->spread != NULL) {
    args_multi(c, call, args, window, 1);
    emit_abc(c, call->pos, OP_INVOKEV, window, 0, want);
  } else {
    positional_next(c, call->b);
    RT_ASSERT(c->func->gen.top == window + 4 + args->positional);
    emit_abc(c, call->pos, OP_INVOKE, window, args->positional, want);
  }
  emit_word(c, (Instr)emit_name(c, callee->name));
  emit_word(c, 0);
}

void calls_at(Compiler *c, Node *call, int window, int want, enum CallHow how) {
  int save = c->func->gen.top;
  Args args = look_at(call->b);
  bool plain = how == CALL_PLAIN;
  RT_ASSERT(call->kind == NODE_CALL);
  RT_ASSERT(plain || want <= 1);
  Value known = plain ? known_closure(call, &args) : VALUE_NIL;
  reg_set(c, window + 3);
  if (want != WANT_ALL) reg_need(c, window + want);
  if (known != VALUE_NIL) {
    call_known(c, call, &args, window, want, known);
  } else if (plain && is_method(call->a) && args.named == 0 &&
             args.multi == NULL) {
    emit_method_call(c, call, &args, window, want);
  } else {
    emit_value_call(c, call, &args, window, want, how);
  }
  reg_set(c, save);
}

// --- Returning --------------------------------------------------------------
void calls_return(Compiler *c, Pos pos, int from, int count) {
  RT_ASSERT(from >= 0 && from + count <= c->func->gen.max);
  branch_leave_groups(c, pos, NULL);
  if (c->func->has_defer) {
    emit_abc(c, pos, OP_RETD, from, count, 0);
  } else if (count == 0) {
    emit_abc(c, pos, OP_RET0, 0, 0, 0);
  } else if (count == 1) {
    emit_abc(c, pos, OP_RET1, from, 0, 0);
  } else {
    emit_abc(c, pos, OP_RET, from, count, 0);
  }
}

void calls_return_multi(Compiler *c, Pos pos, int window) {
  if (c->func->has_defer || branch_in_group(c)) {
    emit_abc(c, pos, OP_PACK, window, 0, 0);
    branch_leave_groups(c, pos, NULL);
    emit_abc(c, pos, OP_RETDL, window, 0, 0);
  } else {
    emit_abc(c, pos, OP_RETV, window, 0, 0);
  }
}

void calls_return_all(Compiler *c, Pos pos, Node *call) {
  int window = c->func->gen.top;
  calls_at(c, call, window, WANT_ALL, CALL_PLAIN);
  calls_return_multi(c, pos, window);
}

// --- a? ---------------------------------------------------------------------
// Returns with the error that lies in register `error`; from window up all is
// free.
static void return_error(Compiler *c, Pos pos, int window, int error) {
  if (c->func == c->main) {
    branch_leave_groups(c, pos, NULL);
    emit_abc(c, pos, OP_FAIL, error, 0, 0);
    return;
  }
  int count = c->func->results;
  if (count <= 1) {
    calls_return(c, pos, error, 1);
    return;
  }
  int first = error - (count - 1);
  if (first < window) {
    first = window;
    reg_need(c, first + count);
    emit_abc(c, pos, OP_MOVE, first + count - 1, error, 0);
  }
  emit_abc(c, pos, OP_LOADNIL, first, count - 2, 0);
  calls_return(c, pos, first, count);
}

static void results_at(Compiler *c, Node *node, int window, int want) {
  if (node->kind == NODE_CALL) {
    calls_at(c, node, window, want, CALL_PLAIN);
    return;
  }
  RT_ASSERT(node->kind == NODE_RECV);
  int save = c->func->gen.top;
  int from = expr_any(c, node->a);
  if (want != WANT_ALL) reg_need(c, window + want);
  emit_abc(c, node->pos, OP_RECV, window, from, want);
  reg_set(c, save);
}

void calls_try(Compiler *c, Node *node, int window, int want) {
  int ok = NO_JUMP, error = window + want;
  RT_ASSERT(node->kind == NODE_TRY && want >= 0);
  reg_need(c, error + 1);
  if (want == 0) {
    results_at(c, node->a, window, WANT_ALL);
    emit_abc(c, node->pos, OP_PICK, window, 0, 0);
  } else {
    results_at(c, node->a, window, want + 1);
  }
  emit_branch(c, node->pos, instr_abc(OP_NILJ, error, 1, 0), &ok);
  return_error(c, node->pos, window, error);
  emit_patch(c, ok);
}
