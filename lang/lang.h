// SPDX-License-Identifier: MIT
// What the parts of lang/ show each other, and to cli/ and the VM's hook.
#ifndef CSP_LANG_LANG_H
#define CSP_LANG_LANG_H

#include <stdio.h>

#include "lang/ast.h"
#include "vm/object/suggest.h"
#include "vm/value/utf8.h"

// --- source.c: a text and its lines -----------------------------------------
typedef struct Source {
  const char *path;  // as messages show it
  const char *text;  // NUL-terminated, owned by the caller
  size_t len;
} Source;

// The line of that place, without its end.
AstStr source_line(const Source *source, Pos pos);

// --- arena.c ----------------------------------------------------------------
// Memory has run out, or the time: what was allocated since is only good for
// getting out. Looked at after each token or statement; then the compilation
// ends with the error "out of memory", unless its Allowance says that it is
// over. (arena_new gives NULL if it cannot begin.)
bool arena_failed(Arena *arena);
// As arena_alloc, but NULL when memory has run out: for what may be large.
void *arena_try_alloc(Arena *arena, size_t size);
// The chunk that is being filled and the table of names are within bounds.
bool arena_is_valid(const Arena *arena);

// --- diag.c: compile errors, collected, printed in order of place -----------
typedef struct Diags Diags;
Diags *diags_new(const Memory *memory, const Source *source);
void diags_free(Diags *diags);
// Adds an error (printf form). The same place is reported once. After 20
// errors the rest is counted only. `len` is how many bytes the caret spans.
// false: it is not printed, so no hint is worth being looked for.
bool diag_error(Diags *diags, Pos pos, uint32_t len, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// A line under the error added last ("did you mean `x`?").
void diag_hint(Diags *diags, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Warnings (cspvm check): do not count as errors.
void diag_warn(Diags *diags, Pos pos, uint32_t len, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int diags_errors(const Diags *diags);
int diags_warnings(const Diags *diags);
// As many are kept as there is room for, and no more than were counted.
bool diags_are_valid(const Diags *diags);
// All of them sorted by place, as malloced text:
//   path:line:col: error: message
//       the source line
//       ^~~~
//       did you mean `x`?
char *diags_text(const Diags *diags);

// --- foreign.c --------------------------------------------------------------
// What a word of another language is here ("write `nil`"), or NULL.
const char *suggest_foreign(const char *word);

// --- outline.c --------------------------------------------------------------
// A function declared at the top level: its name, the name's place, whether it
// takes parameters.
typedef void LangFunctionFn(void *arg, const AstStr *name, Pos pos, bool takes);
// All of them in order; methods are none. false: the text has syntax errors
// (then there were no calls), or no memory.
bool lang_functions(const Source *source, LangFunctionFn *each, void *arg);

// --- parse.c (lexer.re, grammar.y): text to tree ----------------------------
// The file's statements as a chain (NULL with errors == 0 for an empty
// file). On errors the tree may be partial: look at diags_errors.
Node *lang_parse(const Source *source, Arena *arena, Diags *diags);

// Whether the text has no error but that it ends too early: an open bracket,
// comment or raw string, an operator without its right side. No runtime is
// needed: any thread.
bool lang_is_incomplete(const char *text, size_t len);

// --- shape.c: what must hold of a tree --------------------------------------
// Whether a node's children are of the kinds that NODE_KINDS says; its own
// children alone. For trees without syntax errors.
bool node_is_valid(const Node *node);

// --- unexpected.c -----------------------------------------------------------
const char *lang_keyword(int i);  // from 0; NULL past the end

// --- ast_dump.c: the tree as S-expressions, for tests and debugging ---------
// One line per node of the chain: (kind name or literal children...).
void ast_dump(FILE *out, const Node *node);

// --- formatter.c (see format.h) ---------------------------------------------
// The text in the one style (docs/formatting.md), malloced, with a NUL after
// it. NULL: *message (malloced; NULL if there is no memory for it) has the
// syntax errors, or says that the formatter failed.
char *lang_format(const Source *source, size_t *len, char **message);

// Nesting deeper than this is a clean error ("nested too deeply").
enum { LANG_MAX_NESTING = 200 };
// So is a tree deeper than this (chains of operators, calls or `else if`), or
// than lang_max_depth where the thread's stack is small: what walks the tree
// may recurse.
enum { LANG_MAX_DEPTH = 1000 };
// So is a text for which the parser's stack gets higher: what a level of a tree
// that is allowed takes, generously. (A row of prefix operators becomes a tree
// at its end.)
enum { LANG_MAX_HEIGHT = 16 * LANG_MAX_DEPTH };
// Names that the parser compares with each other: of parameters, fields,
// arguments. More of them are an error anyway, or are compared later.
enum { LANG_MAX_COMPARED = 255 };

// --- depth.c ----------------------------------------------------------------
// How deep a tree may be that the calling thread walks, from here on: at most
// LANG_MAX_DEPTH; less where less than some 400 KB of its C stack are left.
uint32_t lang_max_depth(void);
// Whether enough of the stack is left for a file that this one imports.
bool lang_may_import(void);

// --- compile.c (see compiler.h): text to bytecode ---------------------------
struct Vm;
struct CompileInput;
struct ObjClosure;
// The hook behind vm->compile: compiles a text and all that it imports. The
// closure of its top level; NULL: errors. *errors: messages (warnings, too,
// when they are asked for) as malloced text, or NULL. One thread at a time.
struct ObjClosure *lang_compile(struct Vm *vm, const struct CompileInput *input,
                                char **errors);
// Installs it.
void lang_install(struct Vm *vm);

// --- session.c: inputs that see the names of those before -------------------
struct Local;
typedef struct Session {
  struct Vm *vm;
  struct ObjModule *module;  // its members are their top-level names; pinned
} Session;

typedef struct SessionInput {
  const char *path;  // as messages show it; imports are relative to it
  const char *text;  // NUL-terminated
  size_t len;
  bool file;  // a file's text: has no value
  bool dry;   // nothing that it declares is kept
  // What comes out:
  bool bare;     // no script could hold it: for its value, or for `_`
  bool checked;  // the value's last one is an error to look at, from a `?`
  uint32_t line, col;  // ... that stands there
  char *messages;      // errors; or NULL
  char *names;         // what it declares, a space after each
} SessionInput;

// The module, with `_`: the value before. false: out of memory.
bool session_begin(Session *session, struct Vm *vm);
// The input as a function; it returns the input's values. NULL: errors. By
// natives, with their P's local; one at a time.
struct ObjClosure *session_compile(Session *session, struct Local *local,
                                   SessionInput *input);
void session_input_free(SessionInput *input);

#endif
