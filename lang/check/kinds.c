// SPDX-License-Identifier: MIT
// The types of expressions, where they are certain: of literals, of variables
// that are set once, of predeclared functions and a few methods.
#include "lang/check/kinds.h"

#include "lang/resolve/scope.h"
#include "vm/interp/method_tables.h"

enum {
  DEPTH_MOST = 20,   // of expressions and variables that are looked into
  ALIASES_MOST = 20  // variables that are looked through
};

static Kind kind_within(const Node *node, int depth);

const char *kinds_name(Kind kind) {
  static const char *const NAMES[] = {
      "an unknown value", "nil",       "a bool",  "an int", "a float",
      "a string",         "bytes",     "a list",  "a map",  "a range",
      "a function",       "a channel", "a tuple", "a task", "a group"};
  RT_ASSERT((size_t)kind < sizeof NAMES / sizeof *NAMES);
  return NAMES[kind];
}

// --- Variables --------------------------------------------------------------
// Of `for a in x`, `for a, b in x`: the characters of a string are strings.
static Kind kind_of_loop(const Symbol *symbol, int depth) {
  const Node *loop = symbol->decl;
  RT_ASSERT(loop->kind == NODE_FORIN);
  if (loop->flags & FLAG_APART) return KIND_UNKNOWN;
  bool two = loop->a->next != NULL;
  bool key = two && loop->a->note == symbol;
  switch (kind_within(loop->b, depth)) {
    case KIND_STRING:
      return key ? KIND_INT : KIND_STRING;
    case KIND_INT:
    case KIND_RANGE:
    case KIND_BYTES:
      return KIND_INT;
    case KIND_LIST:
      return key ? KIND_INT : KIND_UNKNOWN;
    default:
      return KIND_UNKNOWN;
  }
}

static Kind kind_of_name(const Symbol *symbol, int depth) {
  if (symbol == NULL) return KIND_UNKNOWN;
  if (symbol->kind == SYM_FUNC) return KIND_FUNC;
  if (symbol->kind == SYM_VALUE && value_is_type(symbol->value, OBJ_NATIVE))
    return KIND_FUNC;
  if (symbol->kind == SYM_LOCAL && !symbol->assigned && symbol->decl != NULL &&
      symbol->decl->kind == NODE_FORIN)
    return kind_of_loop(symbol, depth);
  if (symbol->kind == SYM_LOCAL && symbol->decl != NULL &&
      symbol->decl->kind == NODE_GROUP)
    return KIND_GROUP;
  const Node *value = scope_only_value(symbol);
  return value != NULL ? kind_within(value, depth) : KIND_UNKNOWN;
}

// --- Calls ------------------------------------------------------------------
typedef struct Given {
  const char *name;
  Kind kind;
} Given;

static Kind kind_given(const Given *all, size_t count, const AstStr *name) {
  for (size_t i = 0; i < count; i++)
    if (name_is(name, all[i].name)) return all[i].kind;
  return KIND_UNKNOWN;
}

static Kind kind_of_predeclared(const AstStr *name) {
  static const Given ALL[] = {
      {"len", KIND_INT},     {"cap", KIND_INT},   {"str", KIND_STRING},
      {"type", KIND_STRING}, {"int", KIND_INT},   {"float", KIND_FLOAT},
      {"bool", KIND_BOOL},   {"list", KIND_LIST}, {"map", KIND_MAP},
      {"bytes", KIND_BYTES}, {"chan", KIND_CHAN}, {"equal", KIND_BOOL},
      {"tuple", KIND_TUPLE}};
  return kind_given(ALL, sizeof ALL / sizeof *ALL, name);
}

static Kind kind_of_method(Kind of, const AstStr *name) {
  static const Given OF_STRING[] = {
      {"to_upper", KIND_STRING}, {"to_lower", KIND_STRING},
      {"trim", KIND_STRING},     {"replace", KIND_STRING},
      {"repeat", KIND_STRING},   {"index", KIND_INT},
      {"count", KIND_INT},       {"rune_count", KIND_INT},
      {"contains", KIND_BOOL},   {"has_prefix", KIND_BOOL},
      {"has_suffix", KIND_BOOL}, {"bytes", KIND_BYTES},
      {"part", KIND_STRING}};
  static const Given OF_LIST[] = {{"join", KIND_STRING},   {"index", KIND_INT},
                                  {"contains", KIND_BOOL}, {"push", KIND_LIST},
                                  {"part", KIND_LIST},     {"sort", KIND_LIST}};
  if (of == KIND_STRING)
    return kind_given(OF_STRING, sizeof OF_STRING / sizeof *OF_STRING, name);
  if (of == KIND_LIST)
    return kind_given(OF_LIST, sizeof OF_LIST / sizeof *OF_LIST, name);
  return KIND_UNKNOWN;
}

static Kind kind_of_call(const Node *node, int depth) {
  const Node *callee = node->a;
  const Symbol *symbol = callee->note;
  if (callee->kind == NODE_NAME)
    return symbol != NULL && symbol->predeclared
               ? kind_of_predeclared(callee->name)
               : KIND_UNKNOWN;
  if (callee->kind != NODE_FIELD || symbol != NULL) return KIND_UNKNOWN;
  return kind_of_method(kind_within(callee->a, depth), callee->name);
}

// --- Operators --------------------------------------------------------------
static Kind kind_of_binary(const Node *node, int depth) {
  Kind a = kind_within(node->a, depth), b = kind_within(node->b, depth);
  if (ast_compares(node->op) || node->op == AST_IN) return KIND_BOOL;
  switch ((AstOp)node->op) {
    case AST_ADD:
    case AST_SUB:
    case AST_MUL:
    case AST_DIV:
    case AST_MOD:
      if (a == KIND_INT && b == KIND_INT) return KIND_INT;
      if (a == KIND_STRING && b == KIND_STRING) return KIND_STRING;
      if (node->op == AST_ADD && a == b && (a == KIND_LIST || a == KIND_TUPLE))
        return a;
      return KIND_UNKNOWN;
    default:
      return KIND_UNKNOWN;
  }
}

static Kind kind_of_index(const Node *node, int depth) {
  Kind whole = kind_within(node->a, depth);
  bool bytes = whole == KIND_STRING || whole == KIND_BYTES;
  if (node->kind == NODE_INDEX) return bytes ? KIND_INT : KIND_UNKNOWN;
  bool part = bytes || whole == KIND_LIST || whole == KIND_TUPLE;
  return part ? whole : KIND_UNKNOWN;
}

// --- All of them ------------------------------------------------------------
static Kind kind_within(const Node *node, int depth) {
  if (node == NULL || --depth < 0) return KIND_UNKNOWN;
  switch ((NodeKind)node->kind) {
    case NODE_NIL:
      return KIND_NIL;
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_IS:
      return KIND_BOOL;
    case NODE_INT:
      return KIND_INT;
    case NODE_FLOAT:
      return KIND_FLOAT;
    case NODE_STRING:
    case NODE_INTERP:
    case NODE_FORMAT:
      return KIND_STRING;
    case NODE_LIST:
      return KIND_LIST;
    case NODE_TUPLE:
      return KIND_TUPLE;
    case NODE_MAP:
      return KIND_MAP;
    case NODE_RANGE:
      return KIND_RANGE;
    case NODE_FUNC:
      return KIND_FUNC;
    case NODE_GO:
      return KIND_TASK;
    case NODE_NAME:
      return kind_of_name(node->note, depth);
    case NODE_CALL:
      return kind_of_call(node, depth);
    case NODE_BINARY:
      return kind_of_binary(node, depth);
    case NODE_INDEX:
    case NODE_SLICE:
      return kind_of_index(node, depth);
    default:
      return KIND_UNKNOWN;
  }
}

Kind kinds_of(const Node *node) { return kind_within(node, DEPTH_MOST); }

const Node *kinds_origin(const Node *node) {
  for (int steps = 0; steps < ALIASES_MOST; steps++) {
    bool named = node->kind == NODE_NAME || node->kind == NODE_FIELD;
    const Symbol *symbol = named ? node->note : NULL;
    const Node *value = symbol != NULL ? scope_only_value(symbol) : NULL;
    if (value == NULL ||
        (value->kind != NODE_NAME && value->kind != NODE_FIELD))
      break;
    node = value;
  }
  return node;
}

// --- Methods ----------------------------------------------------------------
ObjType kinds_type(Kind kind) {
  switch (kind) {
    case KIND_INT:
      return OBJ_INT;
    case KIND_FLOAT:
      return OBJ_FLOAT;
    case KIND_STRING:
      return OBJ_STRING;
    case KIND_BYTES:
      return OBJ_BYTES;
    case KIND_LIST:
      return OBJ_LIST;
    case KIND_TUPLE:
      return OBJ_TUPLE;
    case KIND_RANGE:
      return OBJ_RANGE;
    case KIND_CHAN:
      return OBJ_CHAN;
    case KIND_TASK:
      return OBJ_TASK;
    case KIND_GROUP:
      return OBJ_GROUP;
    default:
      return OBJ_TYPE_COUNT;
  }
}

bool kinds_has_method(Compiler *compiler, Kind kind, const AstStr *name) {
  ObjType type = kinds_type(kind);
  if (type == OBJ_TYPE_COUNT) return false;
  ObjString *word = name_string(compiler, name);
  return word != NULL && vm_method(compiler->vm, type, word) != VALUE_UNDEF;
}

// --- What is made anew ------------------------------------------------------
static const Symbol *callee_of(const Node *node) {
  bool named = node->kind == NODE_CALL &&
               (node->a->kind == NODE_NAME || node->a->kind == NODE_FIELD);
  return named ? node->a->note : NULL;
}

const char *kinds_made(const Node *node) {
  const Symbol *callee = callee_of(node);
  if (node->kind == NODE_LIST) return "list";
  if (node->kind == NODE_MAP) return "map";
  if (node->kind == NODE_SLICE || node->kind == NODE_BINARY)
    return kinds_of(node) == KIND_LIST ? "list" : NULL;
  if (callee == NULL) return NULL;
  if (callee->kind == SYM_STRUCT) return "struct";
  if (!callee->predeclared) return NULL;
  return name_is(callee->name, "list")  ? "list"
         : name_is(callee->name, "map") ? "map"
                                        : NULL;
}
