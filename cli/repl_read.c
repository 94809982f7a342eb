// SPDX-License-Identifier: MIT
// Reading an input: line by line until the grammar has all that it waits for.
//
// Without an editor standard input is read byte by byte, so that what a script
// reads from there begins after the input that runs it.
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/repl_internal.h"
#include "lang/parse/open_text.h"
#include "lang/parse/parse.h"
#include "vm/object/value_text.h"

static const char prompt[] = "csp> ", prompt_more[] = " ... ";

// An input as far as it was read.
typedef struct Input {
  Text text;
  OpenText open;
  size_t parsed;  // its length when the parser last had it
} Input;

// Up to here the parser looks at an input after each line.
enum { SHORT_INPUT = 4096 };

static bool is_too_long(const Text *text) {
  return text->len > (size_t)INPUT_MAX_MB << 20;
}

// Standard input may be one that never waits, as some parents make it.
static bool is_retried(void) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;
  struct pollfd now = {STDIN_FILENO, POLLIN, 0};
  poll(&now, 1, -1);
  return true;
}

// With its newline, if it has one; *text grows. false: the end. It stops where
// the input is too long.
static bool read_line(Text *text) {
  size_t before = text->len;
  char byte = '\0';
  while (byte != '\n' && !is_too_long(text)) {
    ssize_t n = read(STDIN_FILENO, &byte, 1);
    if (n < 0 && is_retried()) continue;
    if (n <= 0) break;
    text_add(text, &byte, 1);
  }
  return text->len > before;
}

// In a long input with something open the parser looks for errors only when it
// has twice the length: all looks together take time for that length.
static bool is_worth_parsing(Input *input) {
  const Text *text = &input->text;
  bool open = open_text_is(&input->open, text->data, text->len);
  return !open || text->len <= SHORT_INPUT || text->len >= 2 * input->parsed;
}

static bool is_whole(Input *input) {
  Text *text = &input->text;
  text_add(text, "", 1);
  text->len--;
  if (text->failed || command_is(text->data)) return true;
  if (!is_worth_parsing(input)) return false;
  input->parsed = text->len;
  return !lang_is_incomplete(text->data, text->len);
}

static void drop(Repl *repl, Input *input) {
  repl_say(repl,
           "an input of more than %d MB is not read: write it to a file, and "
           "run that\n",
           INPUT_MAX_MB);
  text_free(&input->text);
  *input = (Input){0};
}

static char *read_plain(Repl *repl, size_t *len) {
  Input input = {0};
  while (read_line(&input.text) && !is_too_long(&input.text)) {
    if (is_whole(&input)) break;
  }
  if (is_too_long(&input.text)) {
    repl->too_long = true;
    drop(repl, &input);
  }
  *len = input.text.len;
  return input.text.len > 0 ? input.text.data : NULL;
}

// A dropped line drops those before it.
static char *read_edited(Repl *repl, size_t *len) {
  Input input = {0};
  for (;;) {
    char *line = NULL;
    EditEnd end = editor_read(
        repl->editor, input.text.len == 0 ? prompt : prompt_more, &line);
    if (end == EDIT_END && input.text.len == 0) return NULL;
    if (end == EDIT_LINE) {
      text_add(&input.text, line, strlen(line));
      free(line);
      if (is_too_long(&input.text)) {
        drop(repl, &input);
        continue;
      }
      if (is_whole(&input)) break;
      text_add(&input.text, "\n", 1);
    } else {
      text_free(&input.text);
      input = (Input){0};
      if (repl_ends(repl)) return NULL;
    }
  }
  editor_remember(repl->editor, input.text.data);
  *len = input.text.len;
  return input.text.data;
}

char *read_input(Repl *repl, size_t *len) {
  if (repl->editor == NULL) return read_plain(repl, len);
  vm_out_settle(repl->vm);  // before the prompt
  return read_edited(repl, len);
}
