// SPDX-License-Identifier: MIT
// What the parts of lang/ show each other, and to cli/ and the VM's hook.
#ifndef CSP_LANG_LANG_H
#define CSP_LANG_LANG_H

#include <stdio.h>

#include "ast.h"
#include "vm/suggest.h"

// --- source.c: a text and its lines -----------------------------------------
typedef struct Source {
  const char *path;  // as messages show it
  const char *text;  // NUL-terminated, owned by the caller
  size_t len;
} Source;

// Length of the UTF-8 sequence at text; 0 if there is no valid one.
size_t source_utf8(const char *text, size_t len);
// The line of that place, without its end.
Str source_line(const Source *source, Pos pos);

// --- arena.c ----------------------------------------------------------------
// Memory has run out: what was allocated since is only good for getting out.
// Looked at after each token or statement; then the compilation ends with
// the error "out of memory". (arena_new gives NULL if it cannot begin.)
bool arena_failed(const Arena *arena);
// As arena_alloc, but NULL when memory has run out: for what may be large.
void *arena_try_alloc(Arena *arena, size_t size);

// --- diag.c: compile errors, collected, printed in order of place -----------
typedef struct Diags Diags;
Diags *diags_new(const Source *source);
void diags_free(Diags *diags);
// Adds an error (printf form). The same place is reported once. After 20
// errors the rest is counted only. `len` is how many bytes the caret spans.
void diag_error(Diags *diags, Pos pos, uint32_t len, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// A line under the error added last ("did you mean `x`?").
void diag_hint(Diags *diags, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Warnings (cspvm check): do not count as errors.
void diag_warn(Diags *diags, Pos pos, uint32_t len, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int diags_errors(const Diags *diags);
int diags_warnings(const Diags *diags);
// All of them sorted by place, as malloced text:
//   path:line:col: error: message
//       the source line
//       ^~~~
//       did you mean `x`?
char *diags_text(const Diags *diags);

// --- foreign.c --------------------------------------------------------------
// What a word of another language is here ("write `nil`"), or NULL.
const char *suggest_foreign(const char *word);

// --- parse.c (lexer.re, grammar.y): text to tree ----------------------------
// The file's statements as a chain (NULL with errors == 0 for an empty
// file). On errors the tree may be partial: look at diags_errors.
Node *lang_parse(const Source *source, Arena *arena, Diags *diags);

// --- ast_dump.c: the tree as S-expressions, for tests and debugging ---------
// One line per node of the chain: (kind name or literal children...).
void ast_dump(FILE *out, const Node *node);

// Nesting deeper than this is a clean error ("nested too deeply").
enum { LANG_MAX_NESTING = 200 };
// So is a tree deeper than this (chains of operators, calls or `else if`):
// who walks the tree may recurse.
enum { LANG_MAX_DEPTH = 1000 };

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

#endif
