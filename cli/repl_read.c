// SPDX-License-Identifier: MIT
// Reading an input: line by line until the grammar has all that it waits for.
//
// Without an editor standard input is read byte by byte, so that what a script
// reads from there begins after the input that runs it.
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/repl_internal.h"
#include "lang/parse/parse.h"
#include "vm/object/format.h"

static const char prompt[] = "csp> ", prompt_more[] = " ... ";

// With its newline, if it has one; *text grows. false: the end.
static bool read_line(Text *text) {
  size_t before = text->len;
  char byte = '\0';
  while (byte != '\n') {
    ssize_t n = read(STDIN_FILENO, &byte, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text_add(text, &byte, 1);
  }
  return text->len > before;
}

static bool is_whole(Text *text) {
  text_add(text, "", 1);
  text->len--;
  return text->failed || command_is(text->data) ||
         !lang_is_incomplete(text->data, text->len);
}

static char *read_plain(void) {
  Text text = {0};
  while (read_line(&text)) {
    if (is_whole(&text)) break;
  }
  return text.len > 0 ? text.data : NULL;
}

// A dropped line drops those before it.
static char *read_edited(Repl *repl) {
  Text text = {0};
  for (;;) {
    char *line = NULL;
    EditEnd end =
        editor_read(repl->editor, text.len == 0 ? prompt : prompt_more, &line);
    if (end == EDIT_END && text.len == 0) return NULL;
    if (end == EDIT_LINE) {
      text_add(&text, line, strlen(line));
      free(line);
      if (is_whole(&text)) break;
      text_add(&text, "\n", 1);
    } else {
      text_free(&text);
      text = (Text){0};
    }
  }
  editor_remember(repl->editor, text.data);
  return text.data;
}

char *read_input(Repl *repl) {
  if (repl->editor == NULL) return read_plain();
  vm_out_flush(repl->vm);
  return read_edited(repl);
}
