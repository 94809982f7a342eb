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
#include "vm/object/value_text.h"

static const char prompt[] = "csp> ", prompt_more[] = " ... ";

static bool is_too_long(const Text *text) {
  return text->len > (size_t)INPUT_MAX_MB << 20;
}

// With its newline, if it has one; *text grows. false: the end. It stops where
// the input is too long.
static bool read_line(Text *text) {
  size_t before = text->len;
  char byte = '\0';
  while (byte != '\n' && !is_too_long(text)) {
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

static void drop(Repl *repl, Text *text) {
  repl_say(repl,
           "an input of more than %d MB is not read: write it to a file, and "
           "run that\n",
           INPUT_MAX_MB);
  text_free(text);
  *text = (Text){0};
}

static char *read_plain(Repl *repl) {
  Text text = {0};
  while (read_line(&text) && !is_too_long(&text)) {
    if (is_whole(&text)) break;
  }
  if (is_too_long(&text)) {
    repl->too_long = true;
    drop(repl, &text);
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
      if (is_too_long(&text)) {
        drop(repl, &text);
        continue;
      }
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
  if (repl->editor == NULL) return read_plain(repl);
  vm_out_flush(repl->vm);
  return read_edited(repl);
}
