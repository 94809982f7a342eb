// SPDX-License-Identifier: MIT
// Hints for a token that does not fit: what was probably meant, in a line.
#include "lang/parse/hint.h"

#include <string.h>

#include "lang/parse/grammar.h"
#include "lang/parse/parse_internal.h"
#include "lang/parse/unexpected.h"

// --- where the token stands -------------------------------------------------
// The bracket that the token stands in. The token itself may be the one on top
// of the stack.
const Bracket *hint_bracket(const Parse *parse, const Token *token) {
  const Bracket *bracket = &parse->brackets[parse->depth];
  bool itself =
      parse->depth > 0 && bracket->open.pos.offset == token->pos.offset;
  return itself ? bracket - 1 : bracket;
}

// ... and the statement that it stands in.
const Bracket *hint_block(const Parse *parse, const Token *token) {
  const Bracket *bracket = hint_bracket(parse, token);
  while (bracket->kind != OPEN_BLOCK) bracket--;
  RT_ASSERT(bracket >= parse->brackets);  // the outermost is a block
  return bracket;
}

bool hint_begins_line(const Parse *parse) {
  return parse->last.kind == TOK_NEWLINE && parse->last.origin == FROM_NEWLINE;
}

static bool would_take(const Parse *parse, int kind) {
  return grammar_accepts(parse->parser, kind);
}

// --- what was meant ---------------------------------------------------------
#define NO_TYPES "variables, parameters and results have no types: leave it out"
#define FOR_CLAUSES "leave out the parentheses: `for i := 0; i < n; i++ { }`"

static bool is_go_type(const Token *token) {
  static const char *const TYPES[] = {
      "any",   "bool",    "byte",    "bytes", "chan",   "error",
      "float", "float32", "float64", "int",   "int32",  "int64",
      "list",  "map",     "rune",    "str",   "string", "uint64"};
  if (token->kind != TOK_NAME) return false;
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
    if (strcmp(TYPES[i], token->name->text) == 0) return true;
  }
  return false;
}

// An expression goes on with it, and never begins with it.
static bool is_binary_token(int kind) {
  switch (kind) {
#define X(name) case TOK_##name:
    AST_BINARY_ALWAYS(X)
#undef X
    case TOK_DOT:
    case TOK_IS:
    case TOK_QUESTION:
    case TOK_ARROW:
      return true;
    default:
      return false;
  }
}

static bool is_head_word(int kind) {
  return kind == TOK_IF || kind == TOK_FOR || kind == TOK_SWITCH;
}

// `=` where an expression goes on.
static const char *assign_hint(Parse *parse) {
  const Bracket *bracket = &parse->brackets[parse->depth];
  if (bracket->kind == OPEN_MAP) return "write `key: value`";
  if (bracket->kind != OPEN_PAREN) return NULL;
  if (bracket->before == TOK_FOR) return FOR_CLAUSES;
  if (is_head_word(bracket->before)) {
    return "leave out the parentheses; `==` compares";
  }
  return parse_ends_value(bracket->before)
             ? "named arguments are written `name: value`; `==` compares"
             : "did you mean `==`?";
}

static const char *newline_hint(Parse *parse) {
  const Bracket *bracket = &parse->brackets[parse->depth];
  if (bracket->kind == OPEN_BLOCK && bracket->first.kind == TOK_IMPORT)
    return "a module's name is a string: `import \"os\"`";
  if (would_take(parse, TOK_LBRACE) && !would_take(parse, TOK_INT)) {
    return "the `{` must stand on this line";
  }
  return NULL;
}

// What stands before the type of its elements: `[]`, `map[string]`, `chan`.
static bool of_container(const Token *token) {
  return token->kind == TOK_RBRACK ||
         (token->kind == TOK_NAME && strcmp(token->name->text, "chan") == 0);
}

static const char *type_hint(Parse *parse, const Token *token) {
  const Bracket *block = hint_block(parse, token);
  int first = block->first.kind;
  bool receiver = first == TOK_FUNC && block->second.kind == TOK_LPAREN;
  if (receiver && parse->last.kind == TOK_RPAREN) {
    return "a method names the type: `func (p Point) name()`";
  }
  bool declares = first == TOK_VAR || first == TOK_CONST || first == TOK_FUNC;
  bool after_name = parse->last.kind == TOK_NAME ||
                    parse->last.kind == TOK_RPAREN ||
                    parse->last.kind == TOK_RBRACK;
  if (!after_name || token->kind != TOK_NAME) return NULL;
  if (!declares && is_go_type(token) && of_container(&parse->last))
    return "what they hold has no type: write `[]`, `{}` or `chan(n)`";
  if (declares || is_go_type(token)) {
    return NO_TYPES;
  }
  return NULL;
}

// `var xs []int`, `func f(xs []int)`: the type of a list begins so.
static const char *list_type_hint(const Parse *parse, const Token *token) {
  int first = hint_block(parse, token)->first.kind;
  int last = parse->last.kind;
  if (last == TOK_VAR || last == TOK_CONST)
    return "a list or tuple is taken apart by `[a, b] := x`";
  bool declares = first == TOK_FUNC || would_take(parse, TOK_ASSIGN);
  return declares && (last == TOK_NAME || last == TOK_RPAREN) ? NO_TYPES : NULL;
}

// `sleep 5s`
static const char *call_hint(const Parse *parse, const Token *token) {
  const Bracket *block = hint_block(parse, token);
  bool called = parse->last.kind == TOK_NAME && would_take(parse, TOK_LPAREN);
  return called && hint_bracket(parse, token) == block &&
                 block->first.kind != TOK_CASE
             ? "a call has parentheses: `f(x)`"
             : NULL;
}

// `{at: a} := m`, `var {at} = m`
static bool takes_map_apart(const Parse *parse, const Token *token) {
  int last = parse->last.kind;
  if (token->kind == TOK_LBRACE || token->kind == TOK_MAP_BEGIN)
    return last == TOK_VAR || last == TOK_CONST;
  return token->kind == TOK_DEFINE && last == TOK_RBRACE &&
         hint_block(parse, token)->first.kind == TOK_LBRACE;
}

// `{"a": 1}`, where a brace opens a block: the key begins its statement.
static bool is_key_in_block(const Parse *parse) {
  const Bracket *bracket = &parse->brackets[parse->depth];
  if (bracket->kind != OPEN_BLOCK || bracket->seen < 2 ||
      bracket->second.kind != TOK_COLON)
    return false;
  switch (bracket->first.kind) {
    case TOK_INT:
    case TOK_FLOAT:
    case TOK_STR:
    case TOK_STR_HEAD:  // what stands in brackets is none of the block's tokens
    case TOK_LBRACK:
      return true;
    default:
      return false;
  }
}

static const char *colon_hint(Parse *parse) {
  const Bracket *bracket = &parse->brackets[parse->depth];
  if (is_key_in_block(parse)) return "a map stands in parentheses: `({a: 1})`";
  if (bracket->kind == OPEN_PAREN && would_take(parse, TOK_ASSIGN) &&
      parse->last.kind == TOK_NAME)
    return "parameters have no types: leave it out";
  if (parse->last.kind == TOK_NAME && would_take(parse, TOK_ASSIGN) &&
      !would_take(parse, TOK_DEFINE))
    return "names have no types, and a value or default follows `=`";
  if (parse->last.kind == TOK_FUNC && bracket->first.kind == TOK_CASE)
    return "for the type write `case is func`";
  if (bracket->kind == OPEN_MAP) {
    return "keys are names, literals, or expressions in brackets: `[k]: v`";
  }
  return would_take(parse, TOK_LBRACE) ? "blocks stand in braces" : NULL;
}

// `f"x"`: a letter directly before a string.
static const char *string_hint(const Parse *parse, const Token *token) {
  const Token *last = &parse->last;
  if (last->kind != TOK_NAME || last->name->len != 1 ||
      last->pos.offset + 1 != token->pos.offset)
    return NULL;
  switch (last->name->text[0]) {
    case 'f':
      return "leave the letter out: `\"text ${expression}\"`";
    case 'r':
      return "a raw string stands between backquotes";
    case 'b':
      return "bytes are made by `bytes(\"text\")`";
    default:
      return NULL;
  }
}

// `func f(*args)`, `f(*xs)`
static const char *star_hint(const Parse *parse) {
  return parse->last.kind == TOK_LPAREN || parse->last.kind == TOK_COMMA
             ? "a parameter for all that is left is `rest...`, a list is "
               "spread by `f(xs...)`"
             : NULL;
}

static bool in_struct(const Parse *parse) {
  const Bracket *bracket = &parse->brackets[parse->depth];
  return parse->depth > 0 && bracket->kind == OPEN_BLOCK &&
         bracket[-1].first.kind == TOK_STRUCT;
}

// `[x for x in xs]`
static const char *comprehension_hint(const Parse *parse) {
  const Bracket *bracket = &parse->brackets[parse->depth];
  if (bracket->kind == OPEN_BLOCK ||
      (!parse_ends_value(parse->last.kind) && parse->last.kind != TOK_LBRACK))
    return NULL;
  return "write `xs.map(func(x) => ...)` or `xs.filter(func(x) => ...)`, "
         "or a loop";
}

// `go func(x) => x`: whether the word stands before the parentheses that end
// before the token.
static bool follows_word(const Parse *parse, const Token *token,
                         const char *word) {
  const char *text = parse->source->text, *at = text + token->pos.offset;
  size_t len = strlen(word);
  int depth = 0;
  while (at > text) {
    at--;
    depth += (*at == ')') - (*at == '(');
    if (depth == 0 && *at == '(') break;
  }
  while (at > text && at[-1] == ' ') at--;
  if ((size_t)(at - text) < len || strncmp(at - len, word, len) != 0)
    return false;
  char before = (size_t)(at - text) > len ? at[-1 - (ptrdiff_t)len] : ' ';
  return strchr(" \t\n(,[:=", before) != NULL;
}

// `function(x) {`
static const char *function_hint(const Parse *parse, const Token *token) {
  bool body = token->kind == TOK_LBRACE && parse->last.kind == TOK_RPAREN;
  return body && (follows_word(parse, token, "function") ||
                  follows_word(parse, token, "fn") ||
                  follows_word(parse, token, "lambda"))
             ? "a function is `func(x) { ... }`"
             : NULL;
}

// `while (c) f()`
static const char *loop_hint(const Parse *parse, const Token *token) {
  const Bracket *block = hint_block(parse, token);
  bool head = parse->last.kind == TOK_RPAREN && block->seen == 2 &&
              block->first.kind == TOK_NAME && block->second.kind == TOK_LPAREN;
  return head && strcmp(block->first.name->text, "while") == 0
             ? "a loop with a condition is `for cond { }`"
             : NULL;
}

// `return if c { a } else { b }, nil`
static const char *several_hint(const Parse *parse) {
  const Bracket *block = &parse->brackets[parse->depth];
  if (block->kind == OPEN_MAP)
    return "a pair is `key: value`; a set is a map: `{[x]: true}`";
  int second = block->second.kind;
  bool value = block->kind == OPEN_BLOCK && block->seen == 2 &&
               parse->last.kind == TOK_RBRACE &&
               block->first.kind == TOK_RETURN;
  return value && (second == TOK_IF || second == TOK_SWITCH ||
                   second == TOK_GROUP)
             ? "beside other values it stands in parentheses: "
               "`return (if a { b } else { c }), nil`"
             : NULL;
}

// --- expressions of other languages -----------------------------------------
// `x => x`, `(x, y) => x`, `() => x`
static const char *arrow_hint(const Parse *parse, const Token *token) {
  if (token->kind != TOK_ARROW) return NULL;
  if (follows_word(parse, token, "func"))
    return "`go` calls a function: `go f(x)`, or `go { ... }`";
  return (parse->last.kind == TOK_NAME || parse->last.kind == TOK_RPAREN) &&
                 hint_block(parse, token)->first.kind != TOK_CASE
             ? "a short function is `func(x) => expression`"
             : NULL;
}

// `for (i := 0; ...`
static bool in_head_of_for(const Parse *parse, const Token *token) {
  const Bracket *bracket = hint_bracket(parse, token);
  return bracket->kind == OPEN_PAREN && bracket->before == TOK_FOR;
}

// Statements that other languages take for expressions.
static const char *statement_hint(const Parse *parse, const Token *token) {
  switch (token->kind) {
    case TOK_INC:
    case TOK_DEC:
      if (!parse_ends_value(parse->last.kind))
        return "write `x++` or `x--`, as a statement of its own";
      return "`x++` and `x--` are statements, and have no value";
    case TOK_ADD_SET:
    case TOK_SUB_SET:
    case TOK_MUL_SET:
    case TOK_DIV_SET:
    case TOK_COALESCE_SET:
    case TOK_DEFINE:
      if (in_head_of_for(parse, token)) return FOR_CLAUSES;
      return parse_ends_value(parse->last.kind)
                 ? "an assignment is a statement, and has no value"
                 : NULL;
    case TOK_IF:
    case TOK_SWITCH:
    case TOK_GROUP:
      if (would_take(parse, TOK_INT))
        return "inside an expression, put the statement into parentheses";
      return parse_ends_value(parse->last.kind) && token->kind == TOK_IF
                 ? "a choice is `if a { b } else { c }`"
                 : NULL;
    default:
      return NULL;
  }
}

static const char *habit_hint(const Parse *parse, const Token *token) {
  if (token->kind == TOK_FOR || token->kind == TOK_FORIN)
    return comprehension_hint(parse);
  const char *hint = arrow_hint(parse, token);
  if (hint == NULL) hint = statement_hint(parse, token);
  return hint != NULL ? hint : function_hint(parse, token);
}

// --- habits of Go -----------------------------------------------------------
// `Point{x: 1}`. (Names of structs begin with a capital, as a rule.)
static bool is_composite(const Parse *parse) {
  const Token *last = &parse->last;
  return last->kind == TOK_NAME && last->name->text[0] >= 'A' &&
         last->name->text[0] <= 'Z';
}

// `func (c *Counter)`, `func f(p *Point)`
static bool in_parameters(const Parse *parse, const Token *token) {
  return parse->last.kind == TOK_NAME &&
         hint_bracket(parse, token)->kind == OPEN_PAREN &&
         hint_block(parse, token)->first.kind == TOK_FUNC;
}

static const char *go_hint(const Parse *parse, const Token *token) {
  switch (token->kind) {
    case TOK_LBRACE:
      return is_composite(parse)
                 ? "an instance is made by a call: `Point(1, y: 2)`"
                 : NULL;
    case TOK_BAND:
      return "there are no pointers: instances, lists and maps are passed by "
             "reference";
    case TOK_MUL:
      return in_parameters(parse, token)
                 ? "there are no pointers: leave out the `*`"
                 : NULL;
    case TOK_LPAREN:
      if (parse->last.kind == TOK_IMPORT)
        return "each import has a line of its own: `import \"os\"`";
      return parse->last.kind == TOK_RPAREN && would_take(parse, TOK_ARROW)
                 ? "results have no types: leave them out"
                 : NULL;
    case TOK_DEFAULT:
      return parse->last.kind == TOK_CASE ? "write `default:`" : NULL;
    default:
      return NULL;
  }
}

// `if c f()`: the head of a statement whose body should begin here.
static const char *body_hint(const Parse *parse, const Token *token) {
  const Bracket *block = hint_block(parse, token);
  if (hint_bracket(parse, token) != block || !would_take(parse, TOK_LBRACE) ||
      token->kind == TOK_NEWLINE || token->kind == TOK_COLON)
    return NULL;
  if (parse->last.kind == TOK_ELSE) return "the body stands in braces: `{ }`";
  switch (block->seen > 0 ? block->first.kind : TOK_BEGIN) {
    case TOK_IF:
      return "the body stands in braces: `if condition { }`";
    case TOK_FOR:
      return "the body stands in braces: `for condition { }`";
    case TOK_FORIN:
      return "the body stands in braces: `for x in xs { }`";
    default:
      return NULL;
  }
}

static const char *token_hint(Parse *parse, const Token *token) {
  const char *hint;
  switch (token->kind) {
    case TOK_ASSIGN:
      return assign_hint(parse);
    case TOK_COLON:
      return colon_hint(parse);
    case TOK_ELLIPSIS:
      return "`...` follows a rest parameter or a spread list: `rest...`";
    case TOK_NAME:
      return type_hint(parse, token);
    case TOK_NEWLINE:
      return newline_hint(parse);
    case TOK_STR:
    case TOK_STR_HEAD:
      hint = string_hint(parse, token);
      return hint != NULL ? hint : call_hint(parse, token);
    case TOK_INT:
    case TOK_FLOAT:
      return call_hint(parse, token);
    case TOK_LBRACK:
      return list_type_hint(parse, token);
    case TOK_MUL:
      return star_hint(parse);
    case TOK_COMMA:
      return several_hint(parse);
    default:
      return NULL;
  }
}

const char *hint_find(Parse *parse, const Token *token) {
  const Bracket *bracket = &parse->brackets[parse->depth];
  if (hint_begins_line(parse) && is_binary_token(token->kind)) {
    return "a statement goes on if the line before ends with the operator";
  }
  if (bracket->kind == OPEN_MAP && bracket->before == TOK_ARROW) {
    return "after `=>` stands an expression; for a block leave out the `=>`";
  }
  bool power = token->kind == TOK_MUL || token->kind == TOK_MUL_SET;
  if (parse->last.kind == TOK_MUL && power) {
    return "a power is `math.ipow(a, b)`, or of floats `math.pow(a, b)`";
  }
  // (The parenthesis is a bracket of its own already.)
  if (token->kind == TOK_LPAREN && parse->depth > 0 &&
      bracket[-1].kind == OPEN_MAP && parse->last.kind != TOK_NAME) {
    return "a key that is an expression stands in brackets: `{[(a, b)]: c}`";
  }
  if (parse->last.kind == TOK_DOT && parse->before_last == TOK_INT) {
    return "a float has a digit on both sides of the point";
  }
  if (token->kind == TOK_FUNC && in_struct(parse)) {
    return "methods stand beside the struct: `func (p Point) name()`";
  }
  if (takes_map_apart(parse, token)) return HINT_MAP_APART;
  const char *hint = body_hint(parse, token);
  if (hint == NULL) hint = habit_hint(parse, token);
  if (hint == NULL) hint = loop_hint(parse, token);
  if (hint == NULL) hint = go_hint(parse, token);
  return hint != NULL ? hint : token_hint(parse, token);
}
