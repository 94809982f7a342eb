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
#include "lang/resolve/resolve_func.h"
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

int calls_window(const Compiler *compiler, int target) {
  int top = compiler->func->gen.top;
  return target == top - 1 ? target : top;
}

// --- Arguments --------------------------------------------------------------
static void positional_next(Compiler *compiler, Node *list) {
  for (Node *arg = list; arg != NULL; arg = arg->next) {
    if (arg->kind == NODE_SPREAD || arg->kind == NODE_NAMED) return;
    expr_next(compiler, arg);
  }
}

static void named_next(Compiler *compiler, Node *list) {
  for (Node *arg = list; arg != NULL; arg = arg->next) {
    if (arg->kind == NODE_NAMED) expr_next(compiler, arg->a);
  }
}

static int names_constant(Compiler *compiler, const Node *list, int count) {
  ObjList *names = list_new(compiler->local, (size_t)count);
  bool done = names != NULL;
  for (const Node *arg = list; arg != NULL && done; arg = arg->next) {
    if (arg->kind != NODE_NAMED) continue;
    Value name = value_from_obj(name_string(compiler, arg->name));
    done = list_push(compiler->local, names, name);
  }
  if (done) return emit_constant(compiler, value_from_obj(names));
  compiler->no_memory = true;
  return 0;
}

// Arguments whose number is known at run time only, into `multi`. `before`:
// values from window + 3 up that come before them (a method's receiver).
static void args_multi(Compiler *compiler, Node *call, const Args *args,
                       int window, int before) {
  if (args->multi != NULL) {
    calls_at(compiler, args->multi, window + 3 + before, WANT_ALL, CALL_PLAIN);
    return;
  }
  positional_next(compiler, call->b);
  if (args->spread != NULL) expr_next(compiler, args->spread->a);
  named_next(compiler, call->b);
  if (args->spread != NULL)
    emit_abc(compiler, args->spread->pos, OP_SPREAD, window,
             before + args->positional, args->named);
  if (args->named == 0) return;
  int names = names_constant(compiler, call->b, args->named);
  int positional = args->spread != NULL ? WANT_ALL : args->positional;
  emit_abc(compiler, call->pos, OP_NAMED, window, positional, 0);
  emit_word(compiler, (Instr)names);
}

// --- Plain calls, go, defer -------------------------------------------------
static void emit_fixed(Compiler *compiler, Pos pos, int window, int count,
                       int want, enum CallHow how) {
  switch (how) {
    case CALL_PLAIN:
      emit_abc(compiler, pos, OP_CALL, window, count, want);
      break;
    case CALL_GO:
    case CALL_GO_TASK:
      emit_abc(compiler, pos, OP_GO, window, count, how == CALL_GO_TASK);
      break;
    case CALL_DEFER:
      emit_abc(compiler, pos, OP_DEFER, window, count, 0);
      break;
    default:
      rt_throw("emit_fixed: a call of kind %d", (int)how);
  }
}

static void emit_multi(Compiler *compiler, Pos pos, int window, int want,
                       enum CallHow how) {
  bool task = how == CALL_GO_TASK;
  switch (how) {
    case CALL_PLAIN:
      emit_abc(compiler, pos, OP_CALLV, window, 0, want);
      break;
    case CALL_GO:
    case CALL_GO_TASK:
      emit_abc(compiler, pos, OP_GOV, window, 0, task);
      break;
    case CALL_DEFER:
      emit_abc(compiler, pos, OP_DEFERV, window, 0, 0);
      break;
    default:
      rt_throw("emit_multi: a call of kind %d", (int)how);
  }
}

static void emit_value_call(Compiler *compiler, Node *call, const Args *args,
                            int window, int want, enum CallHow how) {
  reg_set(compiler, window + 2);
  expr_to(compiler, call->a, window + 2);
  reg_set(compiler, window + 3);
  if (is_fixed(args)) {
    positional_next(compiler, call->b);
    RT_ASSERT(compiler->func->gen.top == window + 3 + args->positional);
    emit_fixed(compiler, call->pos, window, args->positional, want, how);
  } else {
    args_multi(compiler, call, args, window, 0);
    emit_multi(compiler, call->pos, window, want, how);
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

static void call_known(Compiler *compiler, Node *call, const Args *args,
                       int window, int want, Value closure) {
  positional_next(compiler, call->b);
  RT_ASSERT(compiler->func->gen.top == window + 3 + args->positional);
  emit_abc(compiler, call->pos, OP_CALLK, window, args->positional, want);
  emit_word(compiler, (Instr)emit_constant(compiler, closure));
}

static bool is_method(const Node *callee) {
  return callee->kind == NODE_FIELD && callee->note == NULL;
}

static void emit_method_call(Compiler *compiler, Node *call, const Args *args,
                             int window, int want, enum CallHow how) {
  Node *callee = call->a;
  bool plain = how == CALL_PLAIN;
  expr_next(compiler, callee->a);
  if (args->spread != NULL) {
    args_multi(compiler, call, args, window, 1);
    emit_abc(compiler, call->pos, OP_INVOKEV, window, 0, want);
  } else {
    positional_next(compiler, call->b);
    RT_ASSERT(compiler->func->gen.top == window + 4 + args->positional);
    emit_abc(compiler, call->pos, plain ? OP_INVOKE : OP_METHOD, window,
             args->positional, plain ? want : 0);
  }
  emit_word(compiler, (Instr)emit_name(compiler, callee->name));
  emit_word(compiler, 0);
  if (!plain) emit_multi(compiler, call->pos, window, want, how);
}

// A bound method needs no value of its own: a deferred call that gives a lock
// back wants no memory for it.
static bool calls_method(const Node *call, const Args *args, enum CallHow how) {
  if (!is_method(call->a) || args->named != 0 || args->multi != NULL)
    return false;
  return how == CALL_PLAIN || args->spread == NULL;
}

void calls_at(Compiler *compiler, Node *call, int window, int want,
              enum CallHow how) {
  int save = compiler->func->gen.top;
  Args args = look_at(call->b);
  bool plain = how == CALL_PLAIN;
  RT_ASSERT(call->kind == NODE_CALL);
  RT_ASSERT(plain || want <= 1);
  Value known = plain ? known_closure(call, &args) : VALUE_NIL;
  reg_set(compiler, window + 3);
  if (want <= REGISTERS_MAX) reg_need(compiler, window + want);
  if (known != VALUE_NIL) {
    call_known(compiler, call, &args, window, want, known);
  } else if (calls_method(call, &args, how)) {
    emit_method_call(compiler, call, &args, window, want, how);
  } else {
    emit_value_call(compiler, call, &args, window, want, how);
  }
  reg_set(compiler, save);
}

// --- Returning --------------------------------------------------------------
void calls_return(Compiler *compiler, Pos pos, int from, int count) {
  RT_ASSERT(from >= 0 && from + count <= compiler->func->gen.max);
  if (count == 0)
    branch_leave_groups(compiler, pos, NULL);
  else
    branch_return(compiler, pos, from + count - 1, false);
  if (compiler->func->has_defer) {
    emit_abc(compiler, pos, OP_RETD, from, count, 0);
  } else if (count == 0) {
    emit_abc(compiler, pos, OP_RET0, 0, 0, 0);
  } else if (count == 1) {
    emit_abc(compiler, pos, OP_RET1, from, 0, 0);
  } else {
    emit_abc(compiler, pos, OP_RET, from, count, 0);
  }
}

void calls_return_multi(Compiler *compiler, Pos pos, int window) {
  if (compiler->func->has_defer || branch_in_group(compiler)) {
    emit_abc(compiler, pos, OP_PACK, window, 0, 0);
    branch_return(compiler, pos, window, true);
    emit_abc(compiler, pos, OP_RETDL, window, 0, 0);
  } else {
    emit_abc(compiler, pos, OP_RETV, window, 0, 0);
  }
}

// Whether the function has a `?`, so that it returns nil or an error last.
static bool propagates(const Compiler *compiler) {
  const Func *func = compiler->func;
  return func != compiler->main && func->resolve.propagate != NULL;
}

// What lies in `reg` (nil or an error) as the last of the function's results.
// From window up all is free.
static void return_last(Compiler *compiler, Pos pos, int window, int reg) {
  int count = compiler->func->results;
  if (count == 1) {
    calls_return(compiler, pos, reg, 1);
    return;
  }
  int first = count == RESULTS_PASSED ? window : reg - (count - 1);
  if (first < window) first = window;
  int last = count == RESULTS_PASSED ? first : first + count - 1;
  reg_need(compiler, last + 1);
  if (last != reg) emit_abc(compiler, pos, OP_MOVE, last, reg, 0);
  if (count == RESULTS_PASSED) {
    emit_abc(compiler, pos, OP_FILL, first, 0, 0);
    calls_return_multi(compiler, pos, first);
    return;
  }
  emit_abc(compiler, pos, OP_LOADNIL, first, count - 2, 0);
  calls_return(compiler, pos, first, count);
}

void calls_return_none(Compiler *compiler, Pos pos) {
  int top = compiler->func->gen.top;
  if (!propagates(compiler)) {
    calls_return(compiler, pos, 0, 0);
    return;
  }
  int count = compiler->func->results;
  if (count == RESULTS_PASSED) {
    reg_need(compiler, top + 1);
    emit_abc(compiler, pos, OP_LOADNIL, top, 0, 0);
    return_last(compiler, pos, top, top);
    return;
  }
  reg_need(compiler, top + count);
  emit_abc(compiler, pos, OP_LOADNIL, top, count - 1, 0);
  calls_return(compiler, pos, top, count);
}

// Panics unless R[reg], the value at `place`, is nil or an error.
static void check_is_error(Compiler *compiler, Pos pos, Pos place, int reg) {
  int fine = NO_JUMP;
  emit_branch(compiler, pos, instr_abc(OP_NILJ, reg, 1, 0), &fine);
  emit_abc(compiler, place, OP_NEEDERR, reg, 1, 0);
  emit_patch(compiler, fine);
}

void calls_return_one(Compiler *compiler, Pos pos, const Node *value, int reg) {
  if (!propagates(compiler)) {
    calls_return(compiler, pos, reg, 1);
    return;
  }
  if (value->kind != NODE_NIL) check_is_error(compiler, pos, value->pos, reg);
  return_last(compiler, pos, compiler->func->gen.top, reg);
}

// The predeclared `error(...)`, which is as good as a variable with an error.
static bool is_predeclared_error(const Node *call) {
  const Symbol *symbol = expr_symbol(call->a);
  return symbol != NULL && symbol->predeclared &&
         name_is(symbol->name, "error");
}

static void return_call(Compiler *compiler, Pos pos, Node *call, bool arrow) {
  int window = compiler->func->gen.top, count = compiler->func->results;
  bool error = is_predeclared_error(call);
  if (propagates(compiler) &&
      (count == 1 || (count == RESULTS_PASSED && error))) {
    calls_at(compiler, call, window, 1, CALL_PLAIN);
    if (!error) check_is_error(compiler, pos, call->pos, window);
    return_last(compiler, pos, window, window);
    return;
  }
  calls_at(compiler, call, window, WANT_ALL, CALL_PLAIN);
  if (propagates(compiler)) {
    int wanted = count == RESULTS_PASSED ? 0 : count;
    reg_need(compiler, window + (wanted > 0 ? wanted : 1));
    emit_abc(compiler, pos, OP_FIT, window, wanted, arrow);
  }
  calls_return_multi(compiler, pos, window);
}

void calls_return_all(Compiler *compiler, Pos pos, Node *call) {
  return_call(compiler, pos, call, false);
}

// `reg, reg+1 = reg, nil`, or `nil, reg` of an error.
static void error_goes_last(Compiler *compiler, const Node *value, int reg) {
  int fine = NO_JUMP, last = reg + 1;
  const AstStr *error = arena_intern(compiler->arena, "error", 5);
  emit_abc(compiler, value->pos, OP_IS, last, reg, 0);
  emit_word(compiler, (Instr)emit_name(compiler, error));
  emit_branch(compiler, value->pos, instr_abc(OP_TEST, last, 0, 0), &fine);
  emit_abc(compiler, value->pos, OP_MOVE, last, reg, 0);
  emit_abc(compiler, value->pos, OP_LOADNIL, reg, 0, 0);
  calls_return(compiler, value->pos, reg, 2);
  emit_patch(compiler, fine);
}

void calls_return_arrow(Compiler *compiler, Node *value) {
  if (value->kind == NODE_CALL) {
    return_call(compiler, value->pos, value, true);
    return;
  }
  if (!propagates(compiler)) {
    calls_return(compiler, value->pos, expr_any(compiler, value), 1);
    return;
  }
  int reg = expr_next(compiler, value), last = reg_take(compiler, 1);
  if (resolve_may_be_error(value)) error_goes_last(compiler, value, reg);
  emit_abc(compiler, value->pos, OP_LOADNIL, last, 0, 0);
  calls_return(compiler, value->pos, reg, 2);
}

// --- a? ---------------------------------------------------------------------
// Returns with the error that lies in register `error`; from window up all is
// free.
static void return_error(Compiler *compiler, Pos pos, int window, int error) {
  if (compiler->func == compiler->main) {
    branch_return(compiler, pos, error, false);
    emit_abc(compiler, pos, OP_FAIL, error, 0, 0);
    return;
  }
  return_last(compiler, pos, window, error);
}

void calls_results(Compiler *compiler, Node *node, int window, int want) {
  if (node->kind == NODE_CALL) {
    calls_at(compiler, node, window, want, CALL_PLAIN);
    return;
  }
  RT_ASSERT(node->kind == NODE_RECV);
  int save = compiler->func->gen.top;
  int from = expr_any(compiler, node->a);
  if (want <= REGISTERS_MAX) reg_need(compiler, window + want);
  emit_abc(compiler, node->pos, OP_RECV, window, from, want);
  reg_set(compiler, save);
}

void calls_propagate(Compiler *compiler, Node *node, int window, int want) {
  int ok = NO_JUMP, error = window + want;
  RT_ASSERT(node->kind == NODE_PROPAGATE && want >= 0);
  reg_need(compiler, error + 1);
  if (want == 0) {
    calls_results(compiler, node->a, window, WANT_ALL);
    emit_abc(compiler, node->pos, OP_PICK, window, 0, 0);
  } else {
    calls_results(compiler, node->a, window, want + 1);
  }
  emit_branch(compiler, node->pos, instr_abc(OP_NILJ, error, 1, 0), &ok);
  emit_abc(compiler, node->pos, OP_NEEDERR, error, 0, 0);
  return_error(compiler, node->pos, window, error);
  emit_patch(compiler, ok);
}
