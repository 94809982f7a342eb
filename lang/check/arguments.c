// SPDX-License-Identifier: MIT
// Calls of functions that are known: too many arguments, too few, names that
// no parameter has, and those that are given by their place, too. Functions are
// those of the file, of modules and the predeclared ones, natives among them,
// constructors, methods of structs of the file, and what a variable gets that
// is set once, also by another name.
#include "lang/check/arguments.h"

#include "lang/check/fields.h"
#include "lang/check/kinds.h"
#include "lang/resolve/scope.h"
#include "vm/object/suggest.h"
#include "vm/value/native_def.h"

enum { PARAMETERS_MAX = 256 };

// What a function takes, without the rest parameter.
typedef struct Signature {
  const char *names[PARAMETERS_MAX];
  bool required[PARAMETERS_MAX];
  int count;
  bool rest;
} Signature;

// --- Parameters -------------------------------------------------------------
static bool add_parameter(Signature *signature, const char *name,
                          bool required) {
  if (signature->count == PARAMETERS_MAX) return false;
  signature->names[signature->count] = name;
  signature->required[signature->count++] = required;
  return true;
}

static bool of_tree(Signature *signature, const Node *params) {
  for (const Node *param = params; param != NULL; param = param->next) {
    RT_ASSERT(param->kind == NODE_PARAM);
    if (param->flags & FLAG_REST) {
      signature->rest = true;
    } else if (!add_parameter(signature, param->name->text, param->a == NULL)) {
      return false;
    }
  }
  return true;
}

static bool of_proto(Signature *signature, const Proto *proto) {
  signature->rest = (proto->flags & PROTO_REST) != 0;
  RT_ASSERT(proto->nrequired + signature->rest <= proto->nparams);
  for (int i = 0; i < proto->nparams - signature->rest; i++)
    if (!add_parameter(signature, proto->param_names[i]->own,
                       i < proto->nrequired))
      return false;
  return true;
}

static bool of_native(Signature *signature, const NativeDef *def) {
  signature->rest = def->rest;
  for (int i = 0; i < def->nparams; i++)
    if (!add_parameter(signature, def->param_names[i]->own, i < def->nrequired))
      return false;
  return true;
}

static bool of_value(Signature *signature, Value v) {
  if (value_is_type(v, OBJ_CLOSURE))
    return of_proto(signature, ((ObjClosure *)value_obj(v))->proto);
  if (value_is_type(v, OBJ_NATIVE))
    return of_native(signature, ((ObjNative *)value_obj(v))->def);
  if (value_is_type(v, OBJ_STRUCT))
    return of_proto(signature, ((ObjStruct *)value_obj(v))->constructor);
  return false;
}

static bool of_symbol(Signature *signature, const Symbol *symbol) {
  const Node *value = scope_only_value(symbol);
  switch (symbol->kind) {
    case SYM_FUNC:
    case SYM_STRUCT:
      if (symbol->decl != NULL && symbol->decl->kind == NODE_FUNCDECL)
        return of_tree(signature, symbol->decl->a->a);
      if (symbol->node != NULL && symbol->node->kind == NODE_STRUCT)
        return of_tree(signature, symbol->node->a);
      return of_value(signature, symbol->value);
    case SYM_VALUE:
      return of_value(signature, symbol->value);
    case SYM_LOCAL:
    case SYM_LITERAL:
    case SYM_GLOBAL:
    case SYM_MODULE:
    case SYM_UNKNOWN:
      return value != NULL && value->kind == NODE_FUNC &&
             of_tree(signature, value->a);
  }
  rt_throw("of_symbol: symbol of kind %d", (int)symbol->kind);
}

// false: it is not known.
static bool of_callee(Compiler *compiler, Signature *signature,
                      const Node *callee) {
  callee = kinds_origin(callee);
  if (callee->kind != NODE_NAME && callee->kind != NODE_FIELD) return false;
  if (callee->note != NULL) return of_symbol(signature, callee->note);
  if (callee->kind != NODE_FIELD) return false;
  const Node *method = fields_method(compiler, callee);
  return method != NULL && of_tree(signature, method->a->a);
}

// --- Arguments --------------------------------------------------------------
static int find_parameter(const Signature *signature, const AstStr *name) {
  for (int i = 0; i < signature->count; i++)
    if (name_is(name, signature->names[i])) return i;
  return -1;
}

static void unknown_argument(Compiler *compiler, const Signature *signature,
                             const Node *callee, const Node *arg) {
  Suggest suggest = {.wanted = arg->name->text};
  for (int i = 0; i < signature->count; i++)
    suggest_try(&suggest, signature->names[i]);
  diag_warn(compiler->diags, arg->pos, (uint32_t)arg->name->len,
            "`%s` has no parameter `%s`", callee->name->text, arg->name->text);
  if (suggest.best != NULL)
    diag_hint(compiler->diags, "did you mean `%s`?", suggest.best);
}

static void many_arguments(Compiler *compiler, const Signature *signature,
                           const Node *call, int given) {
  diag_warn(compiler->diags, call->pos, 1,
            "`%s` takes %d argument%s, and gets %d", call->a->name->text,
            signature->count, signature->count == 1 ? "" : "s", given);
}

// Whether the number of values is plain: no list is spread, and no call stands
// alone, which passes all of its values on.
static bool is_countable(const Node *args) {
  if (args == NULL) return true;
  if (args->next == NULL && args->kind != NODE_NAMED)
    return args->kind != NODE_SPREAD && args->kind != NODE_CALL &&
           args->kind != NODE_PROPAGATE && args->kind != NODE_RECV;
  for (const Node *arg = args; arg != NULL; arg = arg->next)
    if (arg->kind == NODE_SPREAD) return false;
  return true;
}

static void check_missing(Compiler *compiler, const Signature *signature,
                          const Node *call, const bool *given) {
  for (int i = 0; i < signature->count; i++) {
    if (given[i] || !signature->required[i]) continue;
    diag_warn(compiler->diags, call->pos, 1,
              "`%s` needs the argument `%s`, which is missing",
              call->a->name->text, signature->names[i]);
    return;
  }
}

// given: by the arguments before. false: the parameter is not known.
static bool take_named(Compiler *compiler, const Signature *signature,
                       const Node *call, const Node *arg, bool *given) {
  int at = find_parameter(signature, arg->name);
  if (at < 0) {
    unknown_argument(compiler, signature, call->a, arg);
    return false;
  }
  if (given[at]) {
    diag_warn(compiler->diags, arg->pos, (uint32_t)arg->name->len,
              "`%s` gets the argument `%s` twice", call->a->name->text,
              arg->name->text);
    diag_hint(compiler->diags, "it is the one at place %d already", at + 1);
  }
  given[at] = true;
  return true;
}

// (A frame of its own: the walk over the tree is recursive.)
__attribute__((noinline)) void arguments_check(Compiler *compiler,
                                               const Node *call) {
  RT_ASSERT(call->kind == NODE_CALL);
  Signature signature = {.count = 0};
  bool given[PARAMETERS_MAX] = {false};
  if (!of_callee(compiler, &signature, call->a)) return;
  bool countable = is_countable(call->b), known = true;
  int positional = 0;
  for (const Node *arg = call->b; arg != NULL; arg = arg->next) {
    if (arg->kind == NODE_NAMED) {
      known = take_named(compiler, &signature, call, arg, given) && known;
      continue;
    }
    // (A list that is spread may be empty.)
    if (positional < PARAMETERS_MAX && arg->kind != NODE_SPREAD)
      given[positional] = true;
    positional++;
  }
  if (!countable) return;
  if (positional > signature.count && !signature.rest)
    many_arguments(compiler, &signature, call, positional);
  else if (known)
    check_missing(compiler, &signature, call, given);
}
