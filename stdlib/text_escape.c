// SPDX-License-Identifier: MIT
// The native _escape of the module text. It changes a text so that it may stand
// in a part of a page. text.html.csp decides which kinds of escapes a place
// needs.
//
// Each kind leaves nothing of a text that could end the part it stands in, or
// begin another one: WHATWG HTML 13.2.5 (tokens), 13.1.2.3 (attributes)
// and 4.12 (scripts), ECMA-262 12.9.4 (strings), RFC 3986 (URLs), CSS Syntax 3
// (strings).
#include "stdlib/text.h"

#include <stdio.h>

#include "stdlib/text_job.h"

// text.html.csp has the same numbers.
typedef enum EscapeKind {
  ESCAPE_HTML,      // text, and attributes in quotes
  ESCAPE_UNQUOTED,  // attributes without quotes
  ESCAPE_SCRIPT,    // strings of scripts and of JSON
  ESCAPE_JSON,      // all of a JSON text within a script
  ESCAPE_URL,       // what is a URL, or begins one
  ESCAPE_PART,      // within a query or a fragment
  ESCAPE_CSS,       // strings of style sheets
  ESCAPE_KINDS
} EscapeKind;

static bool is_char_of(unsigned char c, const char *chars) {
  return c != 0 && strchr(chars, c) != NULL;
}

// Whether a byte stands for itself. Of those from 0x80 on, U+2028 and U+2029
// end lines of scripts.
static bool stays_plain(EscapeKind kind, unsigned char c) {
  switch (kind) {
    case ESCAPE_HTML:
      return c != 0 && !is_char_of(c, "&<>\"'");
    case ESCAPE_UNQUOTED:
      return c < 0x80 && !(c >= '\t' && c <= '\r') &&
             !(c >= 0x1c && c <= ' ') && c != 0 && !is_char_of(c, "&<>\"'=`");
    case ESCAPE_SCRIPT:
      return c >= ' ' && c != 0x7f && c != 0xe2 &&
             !is_char_of(c, "\"'\\/`<>&=+-$");
    case ESCAPE_JSON:
      return c != 0xe2 && !is_char_of(c, "<>&");
    case ESCAPE_URL:
      return is_text_alnum(c) || is_char_of(c, "-._~:/?#[]@!$&*+,;=");
    case ESCAPE_PART:
      return is_text_alnum(c) || is_char_of(c, "-._~");
    case ESCAPE_CSS:
      return is_text_alnum(c) || c >= 0x80 || is_char_of(c, " -_.,:");
    case ESCAPE_KINDS:
      break;
  }
  return false;
}

// Of HTML. The character 0 may not stand in a page.
static int escape_html(unsigned char c, char out[16]) {
  switch (c) {
    case '&':
      return sprintf(out, "&amp;");
    case '<':
      return sprintf(out, "&lt;");
    case '>':
      return sprintf(out, "&gt;");
    case '"':
      return sprintf(out, "&quot;");
    case 0:
      return sprintf(out, "\xef\xbf\xbd");
    default:
      return sprintf(out, "&#%d;", c);
  }
}

// Without quotes, as some take any blank of Unicode for the end of a value.
static int escape_wide(Str s, char out[16], size_t *width) {
  uint32_t rune = utf8_at(s.data, s.len, 0, width);
  if (*width == 1) return sprintf(out, "\xef\xbf\xbd");
  return sprintf(out, "&#%u;", (unsigned)rune);
}

// The byte as it is, or the character U+2028 or U+2029. *width: its bytes.
static int escape_separator(Str s, char out[16], size_t *width) {
  if (s.len >= 3 && s.data[1] == '\x80' &&
      (s.data[2] == '\xa8' || s.data[2] == '\xa9')) {
    *width = 3;
    return sprintf(out, "\\u%04x", 0x2000 + ((unsigned char)s.data[2] & 0x3f));
  }
  return sprintf(out, "%c", s.data[0]);
}

static int escape_one(EscapeKind kind, Str s, char out[16], size_t *width) {
  unsigned char c = (unsigned char)s.data[0];
  *width = 1;
  switch (kind) {
    case ESCAPE_HTML:
    case ESCAPE_UNQUOTED:
      if (c >= 0x80) return escape_wide(s, out, width);
      return escape_html(c, out);
    case ESCAPE_SCRIPT:
    case ESCAPE_JSON:
      if (c == 0xe2) return escape_separator(s, out, width);
      return sprintf(out, "\\u%04x", c);
    case ESCAPE_URL:
      if (c == '%' && s.len >= 3 && hex_digit(s.data[1]) >= 0 &&
          hex_digit(s.data[2]) >= 0)
        return sprintf(out, "%%");
      return sprintf(out, "%%%02X", c);
    case ESCAPE_PART:
      return sprintf(out, "%%%02X", c);
    case ESCAPE_CSS:
      return c == 0 ? sprintf(out, "\xef\xbf\xbd") : sprintf(out, "\\%x ", c);
    case ESCAPE_KINDS:
      break;
  }
  return 0;
}

static bool text_escape_turns(TextJob *job) {
  EscapeKind kind = (EscapeKind)job->n;
  while (job->at < job->s.len && !text_job_full(job)) {
    size_t from = job->at, most = from + TEXT_JOB_SHORT;
    if (most > job->s.len) most = job->s.len;
    while (job->at < most &&
           stays_plain(kind, (unsigned char)job->s.data[job->at]))
      job->at++;
    text_job_add(job, (Str){job->s.data + from, job->at - from});
    job->took += job->at - from;
    if (job->at == most) continue;
    char out[16];
    size_t width;
    Str left = {job->s.data + job->at, job->s.len - job->at};
    int len = escape_one(kind, left, out, &width);
    text_job_add(job, (Str){out, (size_t)len});
    job->at += width;
  }
  return job->at < job->s.len;
}

CspStatus text_escape(CspCall *call) {
  TextJob job = text_job_of(call, text_escape_turns);
  if (!need_str(call, 0, &job.s) ||
      !need_int_in(call, 1, 0, ESCAPE_KINDS - 1, &job.n))
    return CSP_PANIC;
  return text_job_run(&job);
}
