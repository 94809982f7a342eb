// SPDX-License-Identifier: MIT
// What text*.csp needs of C: columns of terminals, runs of characters, and
// names in any value. The rest of the module is there.
#include "stdlib/text.h"

#include "stdlib/pieces_loop.h"
#include "vm/object/suggest.h"

enum { SPAN_SHORT = 1 << 8, SUGGEST_MOST = 1000, LOOKUP_UNITS = 40 };

// --- Columns of a terminal ---------------------------------------------------
static bool is_in_range(const TextRange *ranges, size_t count, uint32_t rune) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (rune > ranges[middle].high)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && rune >= ranges[low].low;
}

static int64_t rune_columns(uint32_t rune) {
  if (rune < 0x80) return rune >= ' ' && rune != 0x7f;
  if (is_in_range(text_narrow, text_narrow_count, rune)) return 0;
  return is_in_range(text_wide, text_wide_count, rune) ? 2 : 1;
}

static bool width_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call, (void)stop;
  Str piece = loop_piece(loop);
  for (size_t at = 0, width; at < piece.len; at += width)
    loop->n += rune_columns(utf8_at(piece.data, piece.len, at, &width));
  return true;
}

static CspStatus width_done(CspCall *call, Loop *loop) {
  return csp_ok_int(call, loop->n);
}

// width(s)
static CspStatus text_width(CspCall *call) {
  enum { COST = 8 };
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  return loop_bytes(call, &(Loop){.list = csp_arg(call, 0),
                                  .end = s.len,
                                  .turns = width_turns,
                                  .done = width_done,
                                  .units = 4 * COST});
}

static CspStatus place_done(CspCall *call, Loop *loop) {
  return csp_ok_int(call, (int64_t)loop->at);
}

// n: the columns that are left. `part` is where the text begins.
static bool fit_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  Str s = view_of(loop->list);
  for (size_t width; loop->at < stop; loop->at += width) {
    loop->n -= rune_columns(utf8_at(s.data, s.len, loop->at, &width));
    if (loop->n >= 0 || loop->at == loop->part) continue;
    loop->end = loop->at;
    return true;
  }
  return true;
}

// _fit(s, at, most): where what begins at `at` ends, so that it takes at most
// so many columns, but has one character at least and those that join it.
static CspStatus text_fit(CspCall *call) {
  enum { COST = 8 };
  Str s;
  int64_t from, most;
  if (!need_view(call, 0, &s) ||
      !need_int_in(call, 1, 0, (int64_t)s.len, &from) ||
      !csp_need_int(call, 2, &most))
    return CSP_PANIC;
  return loop_bytes(call, &(Loop){.list = csp_arg(call, 0),
                                  .at = (size_t)from,
                                  .part = (size_t)from,
                                  .end = s.len,
                                  .n = most,
                                  .turns = fit_turns,
                                  .done = place_done,
                                  .units = 4 * COST});
}

// --- Runs --------------------------------------------------------------------
// What a run consists of. text.parse.csp has the same numbers.
typedef enum TextSpan {
  TEXT_SPACE,   // blanks and ends of lines
  TEXT_BLANKS,  // of one line
  TEXT_NAME,
  TEXT_DIGITS,
  TEXT_ATTRIBUTE,  // of a name in a tag
  TEXT_CSS,        // of a value in a style sheet that can do no harm
  TEXT_PLAIN,      // of a string, up to a quote or a backslash
  TEXT_VISIBLE,    // no control characters
  TEXT_RUNS
} TextSpan;

static bool is_of_text_run(TextSpan run, unsigned char c) {
  bool is_blank = c == ' ' || c == '\t' || c == '\r';
  switch (run) {
    case TEXT_SPACE:
      return is_blank || c == '\n' || c == '\f';
    case TEXT_BLANKS:
      return is_blank;
    case TEXT_NAME:
      return is_text_alnum(c) || c == '_' || c >= 0x80;
    case TEXT_DIGITS:
      return c >= '0' && c <= '9';
    case TEXT_ATTRIBUTE:
      return c > ' ' && c != 0x7f && strchr("\"'<>/=`&{}", c) == NULL;
    case TEXT_VISIBLE:
      return c >= ' ' && c != 0x7f;
    case TEXT_PLAIN:
      return c != '"' && c != '\'' && c != '\\';
    case TEXT_CSS:
      return is_text_alnum(c) || (c != 0 && strchr(" ,.#%+-_", c) != NULL);
    case TEXT_RUNS:
      break;
  }
  return false;
}

// n: the run.
static bool span_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  const char *data = view_of(loop->list).data;
  TextSpan run = (TextSpan)loop->n;
  size_t at = loop->at;
  while (at < stop && is_of_text_run(run, (unsigned char)data[at])) at++;
  if (at < stop) loop->end = at;
  loop->at = at;
  return true;
}

// _span(s, at, run): where the run ends that begins at `at`. Most are short.
static CspStatus text_span(CspCall *call) {
  enum { COST = 2 };
  Str s;
  int64_t from, run;
  if (!need_view(call, 0, &s) ||
      !need_int_in(call, 1, 0, (int64_t)s.len, &from) ||
      !need_int_in(call, 2, 0, TEXT_RUNS - 1, &run))
    return CSP_PANIC;
  size_t at = (size_t)from, left = s.len - at;
  size_t stop = at + (left < SPAN_SHORT ? left : SPAN_SHORT);
  while (at < stop && is_of_text_run((TextSpan)run, (unsigned char)s.data[at]))
    at++;
  if (!csp_work(call, (at - (size_t)from) * COST)) return CSP_PANIC;
  if (at < stop || at == s.len) return csp_ok_int(call, (int64_t)at);
  return loop_bytes(call, &(Loop){.list = csp_arg(call, 0),
                                  .at = at,
                                  .end = s.len,
                                  .n = run,
                                  .turns = span_turns,
                                  .done = place_done,
                                  .units = 4 * COST});
}

// --- Names -------------------------------------------------------------------
// A key of a map, a field or a method. undef: memory is out.
static bool find_name(CspCall *call, CspValue of, const char *name,
                      CspValue *value) {
  switch (csp_type(of)) {
    case CSP_MAP:
      return csp_map_get(call, of, csp_arg(call, 1), value);
    case CSP_MODULE:
      return csp_member(call, of, name, value);
    default:
      return csp_field(of, name, value) || csp_method(call, of, name, value);
  }
}

// _lookup(of, name): (value, true), or (nil, false) where `of` has no such
// name.
static CspStatus text_lookup(CspCall *call) {
  Str name;
  if (!need_str(call, 1, &name)) return CSP_PANIC;
  if (!csp_work(call, LOOKUP_UNITS)) return CSP_PANIC;
  CspValue value = csp_nil();
  bool found = find_name(call, csp_arg(call, 0), name.data, &value);
  if (csp_is_undef(value)) return csp_panic_memory(call);
  csp_return(call, found ? value : csp_nil());
  return csp_ok_bool(call, found);
}

// _is_struct(x): whether it is an instance of a struct.
static CspStatus text_is_struct(CspCall *call) {
  return csp_ok_bool(call, csp_type(csp_arg(call, 0)) == CSP_INSTANCE);
}

static void suggest_value(Suggest *suggest, CspValue v) {
  size_t len;
  if (csp_type(v) == CSP_STRING) suggest_try(suggest, csp_to_string(v, &len));
}

// _suggest(of, name): the most similar key or field, or nil. Of a long map the
// first ones are looked at.
static CspStatus text_suggest(CspCall *call) {
  Str name;
  if (!need_str(call, 1, &name)) return CSP_PANIC;
  Suggest suggest = {name.data, NULL, 0};
  CspValue of = csp_arg(call, 0), key, value;
  const char *field;
  int tried = 0;
  if (csp_type(of) == CSP_MAP) {
    CspIter iter = {0};
    while (tried++ < SUGGEST_MOST &&
           csp_map_next(call, of, &iter, &key, &value)) {
      suggest_value(&suggest, key);
      if (!csp_work(call, name.len * 4)) return CSP_PANIC;
    }
  } else {
    while ((field = csp_field_at(of, tried++, &value)) != NULL)
      suggest_try(&suggest, field);
  }
  if (suggest.best == NULL) return csp_ok(call, csp_nil());
  return csp_ok_string(call, suggest.best, strlen(suggest.best));
}

// --- The module --------------------------------------------------------------
static const CspFunction text_functions[] = {
    CSP_REPEATABLE,
    {"width", "s", text_width},
    {"_fit", "s, at, most", text_fit},
    {"_span", "s, at, run", text_span},
    {"_is_struct", "x", text_is_struct},
    {"_lookup", "of, name", text_lookup},
    {"_suggest", "of, name", text_suggest},
    {"_escape", "s, kind", text_escape},
    {NULL, NULL, NULL},
};

const CspModule text_module = {"text", text_functions, NULL, NULL, 0};
