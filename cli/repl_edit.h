// SPDX-License-Identifier: MIT
// The line editor of the REPL. It reads lines from a terminal, and shows output
// that comes meanwhile. It knows nothing of the runtime.
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

// NULL: standard input or output is no terminal. `complete` gives the words
// that the last word of the line may become, and sets *from to where that word
// begins. (On a terminal that can edit nothing, TERM=dumb, there is neither
// completion nor history.)
Editor *editor_new(Names (*complete)(void *arg, const char *line, size_t len,
                                     size_t *from));
void editor_set_argument(Editor *ed, void *arg);  // of complete
void editor_free(Editor *ed);
void editor_restore_terminal(Editor *ed);  // as it was; any thread

// --- By one thread at a time ------------------------------------------------
typedef enum EditEnd { EDIT_LINE, EDIT_END, EDIT_DROPPED } EditEnd;
// Reads one line, malloced, without its newline. An input that was recalled
// from the history may have several lines.
EditEnd editor_read(Editor *ed, const char *prompt, char **line);
void editor_remember(Editor *ed, const char *input);  // in the history

// --- By any thread ----------------------------------------------------------
// The output functions for CspConfig. While a line is edited, the output stands
// on lines of its own.
void editor_write_out(void *ed, const char *data, size_t len);
void editor_write_err(void *ed, const char *data, size_t len);
// POKE_END drops the line, and those that are read later.
enum { POKE_DROP = 1, POKE_RESIZE = 2, POKE_REDRAW = 4, POKE_END = 8 };
void editor_poke(Editor *ed, uint32_t what);

#endif
