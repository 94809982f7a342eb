// SPDX-License-Identifier: MIT
// The REPL's line editor. Knows nothing of the runtime.
#ifndef CSP_CLI_REPL_EDIT_H
#define CSP_CLI_REPL_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Editor Editor;

typedef struct Names {  // malloced; sorted, none twice
  char **all;
  size_t count;
} Names;
void names_free(Names *names);

// NULL: standard input or output is no terminal. complete: what the word that
// ends at the end of the line may be. *from: where it begins. (A terminal on
// which nothing can be edited, TERM=dumb, has neither that nor a history.)
Editor *editor_new(Names (*complete)(void *arg, const char *line, size_t len,
                                     size_t *from));
void editor_set_argument(Editor *ed, void *arg);  // of complete
void editor_free(Editor *ed);
void editor_restore_terminal(Editor *ed);  // as it was; any thread

// --- By one thread at a time ------------------------------------------------
typedef enum EditEnd { EDIT_LINE, EDIT_END, EDIT_DROPPED } EditEnd;
// One line, malloced, without its newline (but a recalled input has several).
EditEnd editor_read(Editor *ed, const char *prompt, char **line);
void editor_remember(Editor *ed, const char *input);  // in the history

// --- By any thread ----------------------------------------------------------
// Output: on lines of its own while a line is edited. For CspConfig.
void editor_write_out(void *ed, const char *data, size_t len);
void editor_write_err(void *ed, const char *data, size_t len);
enum { POKE_DROP = 1, POKE_RESIZE = 2, POKE_REDRAW = 4 };
void editor_poke(Editor *ed, uint32_t what);

#endif
