// SPDX-License-Identifier: MIT
// The module html: text as a part of a page, and back.
//
// unescape replaces references such as &amp; as browsers do in a text, and as
// Python's html.unescape does (HTML 13.2.5.72 to 80). A number may have any
// number of digits, so it is read in pieces, too. Between two pieces the
// TextJob has
//
//   flag   a number is being read, whose "&#" or "&#x" lies before `at`
//   apart  it is a hexadecimal one
//   n      its value, HTML_BEYOND if there is no such code point
#include "stdlib/html.h"

#include "stdlib/text.h"
#include "stdlib/text_job.h"

// --- escape -----------------------------------------------------------------
// What stands for the character in a page; or none.
static Str reference_of(char c) {
  switch (c) {
    case '&':
      return (Str){"&amp;", 5};
    case '<':
      return (Str){"&lt;", 4};
    case '>':
      return (Str){"&gt;", 4};
    case '"':
      return (Str){"&quot;", 6};
    case '\'':
      return (Str){"&#39;", 5};
    default:
      return (Str){NULL, 0};
  }
}

static bool html_turns(TextJob *job) {
  while (job->at < job->s.len && !text_job_full(job)) {
    size_t from = job->at, most = from + TEXT_JOB_SHORT;
    if (most > job->s.len) most = job->s.len;
    Str reference = {NULL, 0};
    while (job->at < most &&
           (reference = reference_of(job->s.data[job->at])).len == 0)
      job->at++;
    text_job_add(job, (Str){job->s.data + from, job->at - from});
    job->took += job->at - from;
    if (job->at == most) continue;
    text_job_add(job, reference);
    job->at++;
  }
  return job->at < job->s.len;
}

// escape(s)
static CspStatus html_escape(CspCall *call) {
  TextJob job = text_job_of(call, html_turns);
  if (!need_str(call, 0, &job.s)) return CSP_PANIC;
  return text_job_run(&job);
}

// --- unescape ---------------------------------------------------------------
enum {
  HTML_BEYOND = 0x110000,
  HTML_NAME = 32,  // bytes of the longest name, and its semicolon
  HTML_SHORT = 6   // of the longest one that needs no semicolon
};

// What the numbers 0x80 to 0x9f stand for: windows-1252, which pages mean.
static const uint16_t html_windows[32] = {
    0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,   0x017d, 0x8f,
    0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};

// Whether a page cannot have the character, so that its number is nothing.
static bool is_no_character(uint32_t c) {
  return (c < 0x20 && c != 0 && c != '\t' && c != '\n' && c != '\f' &&
          c != '\r') ||
         c == 0x7f || (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe;
}

// Adds what the number stands for.
static void html_add_number(TextJob *job, uint32_t c) {
  char out[4];
  if (c >= 0x80 && c <= 0x9f) c = html_windows[c - 0x80];
  if (c == 0 || (c >= 0xd800 && c <= 0xdfff) || c >= HTML_BEYOND) c = 0xfffd;
  if (!is_no_character(c))
    text_job_add(job, (Str){out, (size_t)utf8_encode(c, out)});
}

// Reads on in a number. It may end with a semicolon.
static void html_read_number(TextJob *job) {
  size_t from = job->at, most = from + TEXT_JOB_SHORT;
  int base = job->apart ? 16 : 10;
  int digit = -1;
  if (most > job->s.len) most = job->s.len;
  for (; job->at < most; job->at++) {
    digit = hex_digit(job->s.data[job->at]);
    if (digit < 0 || digit >= base) break;
    job->n = job->n * base + digit;
    if (job->n > HTML_BEYOND) job->n = HTML_BEYOND;
  }
  job->took += job->at - from;
  if (job->at == most && most < job->s.len) return;
  job->flag = false;
  html_add_number(job, (uint32_t)job->n);
  if (job->at < job->s.len && job->s.data[job->at] == ';') job->at++;
}

// How the name compares with the one that begins at `other`. *after: where that
// is as long as this one.
static int html_compare(Str name, const char *other, const char **after) {
  for (size_t n = 0; n < name.len; n++)
    if (name.data[n] != other[n])
      return (unsigned char)name.data[n] < (unsigned char)other[n] ? -1 : 1;
  *after = other + name.len;
  return is_text_alnum((unsigned char)**after) ? -1 : 0;
}

// Where the name stands among those between two blanks: what follows it there,
// or NULL.
static const char *html_find(Str name, const char *low, const char *high) {
  while (low < high) {
    const char *middle = low + (high - low) / 2, *after = NULL;
    while (*middle != ' ') middle--;
    int order = html_compare(name, middle + 1, &after);
    if (order == 0) return after;
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
      while (*low != ' ') low++;
    }
  }
  return NULL;
}

// What a name stands for, without a semicolon unless it ends with one. None: it
// is no name.
static Str html_value_of(Str name) {
  bool ended = name.len > 0 && name.data[name.len - 1] == ';';
  if (ended) name.len--;
  if (name.len == 0 || name.data[0] < 'A') return (Str){NULL, 0};
  bool small = name.data[0] >= 'a';
  const char *names = html_names[name.data[0] - (small ? 'a' - 26 : 'A')];
  const char *after = html_find(name, names, names + strlen(names) - 1);
  if (after == NULL || (*after == HTML_NEEDS_END && !ended))
    return (Str){NULL, 0};
  after++;
  return (Str){after, (size_t)(strchr(after, ' ') - after)};
}

// The reference by name that follows "&", which lies before `at`. Without a
// semicolon it is the longest name that needs none.
static bool html_read_name(TextJob *job) {
  Str left = {job->s.data + job->at, job->s.len - job->at};
  size_t len = 0;
  while (len < left.len && len < HTML_NAME &&
         is_text_alnum((unsigned char)left.data[len]))
    len++;
  job->took += 64;
  bool ended = len < left.len && left.data[len] == ';';
  size_t shorter = len < HTML_SHORT ? len : HTML_SHORT;
  Str value = ended ? html_value_of((Str){left.data, ++len}) : (Str){NULL, 0};
  while (value.len == 0 && shorter >= 2) {
    len = shorter--;
    value = html_value_of((Str){left.data, len});
  }
  if (value.len == 0) return false;
  text_job_add(job, value);
  job->at += len;
  return true;
}

// `at` is a "&". What is no reference stays as it is.
static void html_read_reference(TextJob *job) {
  const char *s = job->s.data + job->at, *end = job->s.data + job->s.len;
  job->at++;
  if (end - s >= 3 && s[1] == '#') {
    job->apart = (s[2] | 0x20) == 'x';
    const char *first = s + (job->apart ? 3 : 2);
    int digit = first < end ? hex_digit(*first) : -1;
    job->flag = digit >= 0 && (job->apart || digit < 10);
    if (job->flag) job->at = (size_t)(first - job->s.data);
    job->n = 0;
  }
  if (!job->flag && !html_read_name(job)) text_job_add(job, (Str){"&", 1});
}

static bool html_unescape_turns(TextJob *job) {
  while (job->at < job->s.len && !text_job_full(job)) {
    size_t from = job->at, most = job->s.len - from;
    if (most > TEXT_JOB_SHORT) most = TEXT_JOB_SHORT;
    if (job->flag) {
      html_read_number(job);
    } else if (job->s.data[from] == '&') {
      html_read_reference(job);
    } else {
      const char *next = memchr(job->s.data + from, '&', most);
      if (next != NULL) most = (size_t)(next - job->s.data) - from;
      text_job_add(job, (Str){job->s.data + from, most});
      job->at += most;
    }
  }
  return job->at < job->s.len;
}

// unescape(s)
static CspStatus html_unescape(CspCall *call) {
  TextJob job = text_job_of(call, html_unescape_turns);
  if (!need_str(call, 0, &job.s)) return CSP_PANIC;
  return text_job_run(&job);
}

static const CspFunction html_functions[] = {
    CSP_REPEATABLE,
    {"escape", "s", html_escape},
    {"unescape", "s", html_unescape},
    {NULL, NULL, NULL},
};

const CspModule html_module = {"html", html_functions, NULL, NULL, 0};
