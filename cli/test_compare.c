// SPDX-License-Identifier: MIT
// Whether a run of a whole file did what its directives expect, and how it
// differed: as lines for the report, indented by four blanks.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/test.h"
#include "vm/value/utf8.h"

enum { CONTEXT_LINES = 2, DIFFERENT_LINES = 6 };
// Of each end of a long output.
enum { SHOWN_LINES = 50, SHOWN_BYTES = 8 * 1024 };

// --- Showing bytes ----------------------------------------------------------
// A line; what would not be seen, or would move the cursor, as in source.
static void show_line(FILE *out, Slice line) {
  size_t end = line.len;
  while (end > 0 && line.text[end - 1] == ' ') end--;
  for (size_t n = 0; n < line.len; n++) {
    unsigned char c = (unsigned char)line.text[n];
    if (c == '\r') {
      fputs("\\r", out);
    } else if ((utf8_is_control((char)c) && c != '\t') || n >= end) {
      fprintf(out, "\\x%02x", c);
    } else {
      putc(c, out);
    }
  }
  putc('\n', out);
}

static void show_lines(FILE *out, const char *text, size_t len) {
  for (const char *end = text + len; text < end;) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    if (stop == NULL) stop = end;
    fputs(stop > text ? "    | " : "    |", out);
    show_line(out, (Slice){text, (size_t)(stop - text)});
    text = stop + 1;
  }
}

// Where its first lines end.
static size_t head_of(const char *text, size_t len) {
  size_t at = 0, most = len < SHOWN_BYTES ? len : SHOWN_BYTES;
  for (int lines = 0; at < most && lines < SHOWN_LINES; at++)
    lines += text[at] == '\n';
  return at;
}

// Where its last lines begin.
static size_t tail_of(const char *text, size_t len) {
  size_t at = len, least = len < SHOWN_BYTES ? 0 : len - SHOWN_BYTES;
  for (int lines = 0; at > least; at--) {
    lines += text[at - 1] == '\n';
    if (lines > SHOWN_LINES) break;
  }
  return at;
}

void show_capture(FILE *out, const Capture *capture) {
  size_t len = capture->len;
  size_t head = head_of(capture->data, len), tail = tail_of(capture->data, len);
  if (head >= tail && capture->dropped == 0) {
    show_lines(out, capture->data, len);
    return;
  }
  show_lines(out, capture->data, head);
  fprintf(out, "    ... %llu more bytes ...\n",
          (unsigned long long)(tail - head + capture->dropped));
  show_lines(out, capture->data + tail, len - tail);
}

void show_status(FILE *out, int status) {
  if (WIFSIGNALED(status)) {
    int number = WTERMSIG(status);
    fprintf(out, "ended by signal %d (%s)", number, strsignal(number));
  } else {
    fprintf(out, "exit status %d", WEXITSTATUS(status));
  }
}

// --- Standard output --------------------------------------------------------
static Slices split(const char *text, size_t len) {
  Slices lines = {0};
  size_t room = 0;
  for (const char *end = text + len;; text++) {
    const char *stop =
        text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
    if (lines.count == room) {
      room = room == 0 ? 64 : room * 2;
      lines.at = test_realloc(lines.at, room * sizeof(Slice));
    }
    size_t size = (size_t)((stop != NULL ? stop : end) - text);
    lines.at[lines.count++] = (Slice){text, size};
    if (stop == NULL) return lines;
    text = stop;
  }
}

static bool same(Slice a, Slice b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.text, b.text, a.len) == 0);
}

static bool take_line(Slices *lines, Slice wanted) {
  for (size_t n = 0; n < lines->count; n++) {
    if (!same(lines->at[n], wanted)) continue;
    lines->count--;
    memmove(&lines->at[n], &lines->at[n + 1],
            (lines->count - n) * sizeof(Slice));
    return true;
  }
  return false;
}

static void show_from(FILE *out, char mark, const Slices *lines, size_t from) {
  size_t to = from + DIFFERENT_LINES;
  if (to > lines->count) to = lines->count;
  for (size_t n = from; n < to; n++) {
    fprintf(out, "    %c ", mark);
    show_line(out, lines->at[n]);
  }
  if (from == lines->count) fprintf(out, "    %c (the end)\n", mark);
  if (to < lines->count)
    fprintf(out, "    %c (%zu more)\n", mark, lines->count - to);
}

static void compare_lines(FILE *out, const Slices *wanted, const Slices *got) {
  size_t at = 0;
  while (at < wanted->count && at < got->count &&
         same(wanted->at[at], got->at[at]))
    at++;
  if (at == wanted->count && at == got->count) return;
  fprintf(out, "    standard output differs in line %zu (- expected, + got):\n",
          at + 1);
  for (size_t n = at > CONTEXT_LINES ? at - CONTEXT_LINES : 0; n < at; n++) {
    fputs("      ", out);
    show_line(out, wanted->at[n]);
  }
  show_from(out, '-', wanted, at);
  show_from(out, '+', got, at);
}

static void compare_output(FILE *out, const Expect *expect,
                           const Capture *output) {
  if (output->dropped > 0) {
    fprintf(out, "    standard output has more than %d MB\n",
            2 * CAPTURE_KEEP >> 20);
    return;
  }
  Slices got = split(output->data, output->len);
  if (expect->whole != NULL) {
    Slices wanted = split(expect->whole, expect->whole_len);
    compare_lines(out, &wanted, &got);
    free(wanted.at);
  } else {
    if (got.at[got.count - 1].len == 0) got.count--;  // the last line's end
    for (size_t n = 0; n < expect->unordered.count; n++) {
      if (take_line(&got, expect->unordered.at[n])) continue;
      fputs("    standard output has no line: ", out);
      show_line(out, expect->unordered.at[n]);
    }
    compare_lines(out, &expect->lines, &got);
  }
  free(got.at);
}

// --- Standard error ---------------------------------------------------------
static bool holds(Slice line, const char *text, size_t len) {
  return memmem(line.text, line.len, text, len) != NULL;
}

// Does a line hold the text, and the number of the line if one is given?
static bool has_error(const Slices *lines, const ExpectedError *error) {
  char place[32];
  int len = snprintf(place, sizeof place, ":%ld:", error->line);
  for (size_t n = 0; n < lines->count; n++) {
    Slice line = lines->at[n];
    if (holds(line, error->text.text, error->text.len) &&
        (error->line == 0 || holds(line, place, (size_t)len)))
      return true;
  }
  return false;
}

static void compare_errors(FILE *out, const Expect *expect,
                           const Capture *errors) {
  if (expect->errors_out.count + expect->error_count == 0) {
    if (errors->len > 0)
      fprintf(out, "    nothing was expected on standard error\n");
    return;
  }
  const char *at = errors->data, *end = at + errors->len;
  for (size_t n = 0; n < expect->errors_out.count; n++) {
    Slice text = expect->errors_out.at[n];
    const char *found = memmem(at, (size_t)(end - at), text.text, text.len);
    if (found != NULL) {
      at = found + text.len;
    } else {
      fputs("    standard error lacks (or has in another order): ", out);
      show_line(out, text);
    }
  }
  Slices lines = split(errors->data, errors->len);
  for (size_t n = 0; n < expect->error_count; n++) {
    const ExpectedError *error = &expect->errors[n];
    if (has_error(&lines, error)) continue;
    fputs("    no compile error", out);
    if (error->line != 0) fprintf(out, " in line %ld", error->line);
    fputs(": ", out);
    show_line(out, error->text);
  }
  free(lines.at);
}

void compare_run(FILE *out, const Expect *expect, int status,
                 const Capture *output, const Capture *errors) {
  if (!WIFEXITED(status) || WEXITSTATUS(status) != expect->status) {
    fputs("    ", out);
    show_status(out, status);
    fprintf(out, ", %d expected\n", expect->status);
  }
  compare_output(out, expect, output);
  compare_errors(out, expect, errors);
  if (ftell(out) > 0 && errors->len > 0) {
    fprintf(out, "    standard error:\n");
    show_capture(out, errors);
  }
}
