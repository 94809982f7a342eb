// SPDX-License-Identifier: MIT
// The directives of a test file: comments, on lines of their own or after
// code, that say what it needs and what it must do. docs/testing.md lists them.
//
// A directive is `//`, blanks, one of the names below, a colon, and a text that
// goes to the end of the line; a blank after the colon does not count.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/read_source.h"
#include "cli/test.h"
#include "sched/rt.h"

typedef enum Directive {
  EXPECT_ERROR_LINE,
  EXPECT_ERROR,
  EXPECT_RUNTIME_ERROR,
  EXPECT_STDERR,
  EXPECT_EXIT,
  EXPECT_UNORDERED,
  EXPECT,
  ARGS,
  STDIN,
  ENV,
  PROCS,
  REPEAT,
  TIMEOUT,
  SMALL,
  SKIP,
} Directive;

// One that begins like another comes before it.
static const char *const names[] = {
    [EXPECT_ERROR_LINE] = "expect error line ",
    [EXPECT_ERROR] = "expect error",
    [EXPECT_RUNTIME_ERROR] = "expect runtime error",
    [EXPECT_STDERR] = "expect stderr",
    [EXPECT_EXIT] = "expect exit",
    [EXPECT_UNORDERED] = "expect unordered",
    [EXPECT] = "expect",
    [ARGS] = "args",
    [STDIN] = "stdin",
    [ENV] = "env",
    [PROCS] = "procs",
    [REPEAT] = "repeat",
    [TIMEOUT] = "timeout",
    [SMALL] = "small",
    [SKIP] = "skip"};

// One found in a line.
typedef struct Found {
  Directive directive;
  long number;  // of EXPECT_ERROR_LINE
  Slice text;
} Found;

static void add_slice(Slices *list, Slice slice) {
  list->at = test_realloc(list->at, (list->count + 1) * sizeof(Slice));
  list->at[list->count++] = slice;
}

// --- Finding them -----------------------------------------------------------
static bool match_name(const char *at, const char *end, size_t n,
                       Found *found) {
  size_t len = strlen(names[n]);
  if ((size_t)(end - at) <= len || memcmp(at, names[n], len) != 0) return false;
  at += len;
  found->directive = (Directive)n;
  found->number = 0;
  if (found->directive == EXPECT_ERROR_LINE) {
    const char *digits = at;
    for (; at < end && isdigit((unsigned char)*at); at++) {
      if (found->number < 1000000000)
        found->number = found->number * 10 + (*at - '0');
    }
    if (at == digits) return false;
  }
  if (at == end || *at != ':') return false;
  at++;
  if (at < end && *at == ' ') at++;
  found->text = (Slice){at, (size_t)(end - at)};
  return true;
}

static bool find_in_line(const char *line, const char *end, Found *found) {
  for (const char *at = line; at < end; at++) {
    const char *word = at;
    if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
      word += 2;
    } else if (at == line && *at == '#') {
      word += 1;
    } else {
      continue;
    }
    while (word < end && isspace((unsigned char)*word)) word++;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
      if (match_name(word, end, n, found)) return true;
    }
  }
  return false;
}

// --- What they say ----------------------------------------------------------
// A number that is the whole text, or begins it and ends at `stop`.
static bool parse_long(Slice text, char stop, long least, long most,
                       long *number, size_t *used) {
  char digits[24];
  size_t len = 0;
  while (len < text.len && text.text[len] != stop) len++;
  if (len == 0 || len >= sizeof digits) return false;
  memcpy(digits, text.text, len);
  digits[len] = '\0';
  char *end;
  errno = 0;
  *number = strtol(digits, &end, 10);
  *used = len;
  while (isspace((unsigned char)*end)) end++;
  return *end == '\0' && errno == 0 && *number >= least && *number <= most;
}

static bool read_number(Slice text, long least, long most, long *number) {
  size_t used;
  return parse_long(text, '\n', least, most, number, &used);
}

static bool read_seconds(Slice text, int64_t *ns) {
  char digits[32];
  if (text.len == 0 || text.len >= sizeof digits) return false;
  memcpy(digits, text.text, text.len);
  digits[text.len] = '\0';
  char *end;
  double seconds = strtod(digits, &end);
  while (isspace((unsigned char)*end)) end++;
  if (*end != '\0' || !(seconds > 0) || seconds > 1e6) return false;
  *ns = (int64_t)(seconds * 1e9);
  return true;
}

static bool read_procs(Expect *expect, Slice text) {
  expect->procs_count = 0;
  for (;;) {
    long n;
    size_t used;
    if (expect->procs_count == PROCS_RUNS ||
        !parse_long(text, ',', 1, 1024, &n, &used))
      return false;
    expect->procs[expect->procs_count++] = (int)n;
    if (used == text.len) return true;
    text = (Slice){text.text + used + 1, text.len - used - 1};
  }
}

// The next word as a shell would cut it: quotes, backslashes. NULL: the end,
// or (*fine false) a quote that is not closed.
static char *next_word(const char **at, const char *end, bool *fine) {
  while (*at < end && isspace((unsigned char)**at)) ++*at;
  if (*at == end) return NULL;
  char *word = test_realloc(NULL, (size_t)(end - *at) + 1);
  size_t len = 0;
  char quote = '\0';
  for (; *at < end && (quote || !isspace((unsigned char)**at)); ++*at) {
    char c = **at, next = *at + 1 < end ? (*at)[1] : '\0';
    bool escaped = c == '\\' && next != '\0' && quote != '\'' &&
                   (quote == '\0' || next == '"' || next == '\\');
    if (escaped) {
      word[len++] = next;
      ++*at;
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else {
      word[len++] = c;
    }
  }
  word[len] = '\0';
  *fine = quote == '\0';
  if (*fine) return word;
  free(word);
  return NULL;
}

static void free_args(Expect *expect) {
  for (size_t n = 0; n < expect->arg_count; n++) free(expect->args[n]);
  free(expect->args);
  expect->args = NULL;
  expect->arg_count = 0;
}

static bool read_args(Expect *expect, Slice text) {
  const char *at = text.text, *end = text.text + text.len;
  bool fine = true;
  free_args(expect);
  for (char *word; (word = next_word(&at, end, &fine)) != NULL;) {
    expect->args =
        test_realloc(expect->args, (expect->arg_count + 1) * sizeof(char *));
    expect->args[expect->arg_count++] = word;
  }
  return fine;
}

static void add_error(Expect *expect, long line, Slice text) {
  expect->errors = test_realloc(
      expect->errors, (expect->error_count + 1) * sizeof *expect->errors);
  expect->errors[expect->error_count++] = (ExpectedError){line, text};
  if (!expect->status_given) expect->status = 2;
}

// What it needs; NULL, or what its text must be.
static const char *take_need(Expect *expect, const Found *found) {
  Slice text = found->text;
  switch (found->directive) {
    case ARGS:
      return read_args(expect, text) ? NULL : "words; a quote is not closed";
    case STDIN:
      add_slice(&expect->input, text);
      return NULL;
    case ENV:
      add_slice(&expect->env, text);
      return memchr(text.text, '=', text.len) != NULL ? NULL : "NAME=value";
    case PROCS:
      return read_procs(expect, text) ? NULL
                                      : "up to 16 numbers from 1 to 1024, with "
                                        "commas in between";
    case REPEAT:
      return read_number(text, 1, 1000000, &expect->repeat)
                 ? NULL
                 : "a number from 1 to 1000000";
    case TIMEOUT:
      return read_seconds(text, &expect->timeout) ? NULL
                                                  : "a number of seconds";
    case SKIP:
      expect->skip = text.len > 0 ? text : (Slice){"no reason given", 15};
      return NULL;
    case SMALL:  // each test is run as it is
      return NULL;
    default:
      rt_throw("take_need: directive %d", (int)found->directive);
  }
}

// What it must do.
static const char *take_expect(Expect *expect, const Found *found) {
  long status;
  expect->any = true;
  switch (found->directive) {
    case EXPECT:
      add_slice(&expect->lines, found->text);
      return NULL;
    case EXPECT_UNORDERED:
      add_slice(&expect->unordered, found->text);
      return NULL;
    case EXPECT_ERROR:
    case EXPECT_ERROR_LINE:
      add_error(expect, found->number, found->text);
      return NULL;
    case EXPECT_EXIT:
      if (!read_number(found->text, 0, 255, &status))
        return "a number from 0 to 255";
      expect->status = (int)status;
      expect->status_given = true;
      return NULL;
    case EXPECT_RUNTIME_ERROR:
      if (!expect->status_given) expect->status = 1;
      add_slice(&expect->errors_out, found->text);
      return NULL;
    case EXPECT_STDERR:
      add_slice(&expect->errors_out, found->text);
      return NULL;
    default:
      rt_throw("take_expect: directive %d", (int)found->directive);
  }
}

static void take(Expect *expect, const char *path, unsigned line,
                 const Found *found) {
  const char *wanted = found->directive <= EXPECT ? take_expect(expect, found)
                                                  : take_need(expect, found);
  if (wanted == NULL || expect->wrong != NULL) return;
  expect->wrong = test_format("%s:%u: `// %s:` needs %s, not `%.*s`\n", path,
                              line, names[found->directive], wanted,
                              (int)found->text.len, found->text.text);
}

// --- The file beside --------------------------------------------------------
static bool read_whole(Expect *expect, const char *path) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  size_t stem = dot != NULL && (slash == NULL || dot > slash)
                    ? (size_t)(dot - path)
                    : strlen(path);
  char *name = test_format("%.*s.expected", (int)stem, path);
  bool there = source_load(name, NULL, &expect->whole, &expect->whole_len) == 0;
  free(name);
  return there;
}

void expect_read(Expect *expect, const char *path, Slice text) {
  *expect = (Expect){.procs_count = 1, .repeat = 1};
  unsigned line = 1;
  for (const char *at = text.text, *end = at + text.len; at < end; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL) stop = end;
    Found found;
    if (find_in_line(at, stop, &found)) take(expect, path, line, &found);
    at = stop + 1;
  }
  if (read_whole(expect, path)) expect->any = true;
}

void expect_free(Expect *expect) {
  free(expect->lines.at);
  free(expect->unordered.at);
  free(expect->errors_out.at);
  free(expect->input.at);
  free(expect->env.at);
  free(expect->errors);
  free_args(expect);
  free(expect->whole);
  free(expect->wrong);
}
