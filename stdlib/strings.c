// SPDX-License-Identifier: MIT
// The module strings and the methods of strings: searching, joining. One table
// serves both, as a method's receiver is the first parameter. strings_split.c
// takes apart, strings_trim.c trims, strings_text.c has characters and case,
// and strings_number.c numbers.
//
// Positions and lengths are bytes, as len and s[i] count them, unless a
// comment says characters (code points).
#include "stdlib/strings.h"

#include <stdlib.h>
#include <string.h>

#include "stdlib/list_methods.h"
#include "stdlib/pieces_find.h"
#include "stdlib/text_job.h"

// --- Searching --------------------------------------------------------------
// Where needle stands in s, from `from` on; or CSP_NOWHERE or CSP_GIVEN_UP.
static int64_t search_from(CspCall *call, Str s, Str needle, size_t from) {
  if (from > s.len) return CSP_NOWHERE;
  int64_t at =
      csp_find(call, s.data + from, s.len - from, needle.data, needle.len);
  return at < 0 ? at : at + (int64_t)from;
}

// The receiver and a second string.
static bool need_two(CspCall *call, Str *text, Str *other) {
  return need_view(call, 0, text) && need_view(call, 1, other);
}

static CspStatus text_find_done(CspCall *call, Loop *loop) {
  return csp_ok_int(call, loop->n);
}

static CspStatus text_contains_done(CspCall *call, Loop *loop) {
  return csp_ok_bool(call, loop->n >= 0);
}

static CspStatus strings_contains(CspCall *call) {
  Str s, sub;
  if (!need_two(call, &s, &sub)) return CSP_PANIC;
  if (s.len > FIND_AT_ONCE)
    return find_in_text_from(call, FIND_FIRST, 0, text_contains_done);
  int64_t at = search_from(call, s, sub, 0);
  return at == CSP_GIVEN_UP ? CSP_PANIC : csp_ok_bool(call, at >= 0);
}

static CspStatus strings_index(CspCall *call) {
  Str s, sub;
  int64_t from;
  if (!need_two(call, &s, &sub) || !opt_int(call, 2, 0, &from)) {
    return CSP_PANIC;
  }
  if (from < 0) from = 0;
  if (s.len > FIND_AT_ONCE && (uint64_t)from <= s.len)
    return find_in_text_from(call, FIND_FIRST, (size_t)from, text_find_done);
  int64_t at = search_from(call, s, sub, (size_t)from);
  return at == CSP_GIVEN_UP ? CSP_PANIC : csp_ok_int(call, at);
}

static CspStatus strings_last_index(CspCall *call) {
  Str s, sub;
  if (!need_two(call, &s, &sub)) return CSP_PANIC;
  if (s.len > FIND_AT_ONCE)
    return find_in_text_from(call, FIND_LAST, 0, text_find_done);
  int64_t at = csp_find_last(call, s.data, s.len, sub.data, sub.len);
  return at == CSP_GIVEN_UP ? CSP_PANIC : csp_ok_int(call, at);
}

static CspStatus count_done(CspCall *call, Loop *loop) {
  return csp_ok_int(call, loop->n + 1);
}

static CspStatus strings_count(CspCall *call) {
  Str s, sub;
  if (!need_two(call, &s, &sub)) return CSP_PANIC;
  if (sub.len == 0) return strings_count_gaps(call);
  return find_in_text_from(call, FIND_ALL, 0, count_done);
}

static CspStatus same_done(CspCall *call, Loop *loop) {
  return csp_ok_bool(call, loop->n > 0);
}

// Of the call's first two arguments.
static __attribute__((noinline)) CspStatus has_long(CspCall *call, size_t at) {
  return loop_same(call, &(Loop){.list = csp_arg(call, 0),
                                 .with = csp_arg(call, 1),
                                 .part = at,
                                 .done = same_done});
}

static inline CspStatus has_there(CspCall *call, Str s, size_t at, Str other) {
  if (other.len > LOOP_AT_ONCE) return has_long(call, at);
  return csp_ok_bool(call, has_at(call, s, at, other));
}

static CspStatus strings_has_prefix(CspCall *call) {
  Str s, prefix;
  int64_t at;
  if (!need_two(call, &s, &prefix) || !opt_int(call, 2, 0, &at))
    return CSP_PANIC;
  if (at < 0 || (uint64_t)at > s.len)
    return csp_panic(call,
                     "%s: index %lld out of range of a string of length %zu",
                     csp_name(call), (long long)at, s.len);
  if (prefix.len > s.len - (size_t)at) return csp_ok_bool(call, false);
  return has_there(call, s, (size_t)at, prefix);
}

static CspStatus strings_has_suffix(CspCall *call) {
  Str s, suffix;
  if (!need_two(call, &s, &suffix)) return CSP_PANIC;
  if (suffix.len > s.len) return csp_ok_bool(call, false);
  return has_there(call, s, s.len - suffix.len, suffix);
}

static CspStatus strings_compare(CspCall *call) {
  Str a, b;
  if (!need_two(call, &a, &b)) return CSP_PANIC;
  return csp_ok_int(call,
                    csp_compare_on(call, csp_arg(call, 0), csp_arg(call, 1)));
}

static CspStatus after_cut(CspCall *call, Loop *loop) {
  csp_return(call, loop->out);
  return csp_ok_bool(call, true);
}

static CspStatus before_cut(CspCall *call, Loop *loop) {
  size_t after = (size_t)loop->n + view_of(loop->with).len;
  csp_return(call, loop->out);
  return loop_copy(call, &(Loop){.list = loop->list,
                                 .part = after,
                                 .end = view_of(loop->list).len - after,
                                 .done = after_cut});
}

static CspStatus not_cut(CspCall *call, CspValue text) {
  csp_return(call, text);
  csp_return(call, csp_string(call, "", 0));
  return csp_ok_bool(call, false);
}

// n: where sep is.
static CspStatus cut_done(CspCall *call, Loop *loop) {
  if (loop->n < 0) return not_cut(call, loop->list);
  return loop_copy(call, &(Loop){.list = loop->list,
                                 .with = loop->with,
                                 .n = loop->n,
                                 .end = (size_t)loop->n,
                                 .done = before_cut});
}

// (before, after, found), and (s, "", false) without sep in s.
static CspStatus strings_cut(CspCall *call) {
  Str s, sep;
  if (!need_two(call, &s, &sep)) return CSP_PANIC;
  if (s.len > FIND_AT_ONCE)
    return find_in_text_from(call, FIND_FIRST, 0, cut_done);
  int64_t at = search_from(call, s, sep, 0);
  if (at == CSP_GIVEN_UP) return CSP_PANIC;
  if (at < 0) return not_cut(call, csp_arg(call, 0));
  size_t after = (size_t)at + sep.len;
  csp_return(call, csp_string(call, s.data, (size_t)at));
  csp_return(call, csp_string(call, s.data + after, s.len - after));
  return csp_ok_bool(call, true);
}

// --- Joining ----------------------------------------------------------------
// Anything, as str() would give it. false: that takes a call (string()).
static bool add_shown(TextJob *job, CspValue v) {
  if (csp_type(v) == CSP_STRING) {
    job->item = v;
    text_job_add(job, str_of(v));
    return true;
  }
  job->flag = csp_needs_call_on(job->call, v);
  if (job->flag) return false;
  size_t len;
  char *text = csp_alloc_format(job->call, v, false, &len);
  if (text == NULL) job->text.failed = true;
  if (text != NULL) buffer_add(&job->text, text, len);
  csp_alloc_free(text);
  job->took += 64 + len / 8;
  return text != NULL;
}

static bool shown_turns(TextJob *job) {
  while (!text_job_full(job)) {
    if (job->at >= (size_t)job->n) return false;
    if (job->at > 0 && !job->apart) text_job_add(job, job->s);
    job->apart = job->adding[0].len > 0;
    if (job->apart) break;  // a long separator goes first
    if (!add_shown(job, csp_list_get(job->list, job->at++))) return false;
  }
  return true;
}

static CspStatus shown_done(CspCall *call, TextJob *job, CspValue text) {
  if (!job->flag) return csp_ok(call, text);
  CspValue argv[2] = {job->list, csp_string(call, job->s.data, job->s.len)};
  return csp_tail_named(call, "_join", 2, argv);
}

static CspStatus join_shown(CspCall *call, CspValue list, Str sep) {
  TextJob job = text_job_of(call, shown_turns);
  job.list = list;
  job.s = sep;
  job.n = (int64_t)csp_list_len(list);
  job.done = shown_done;
  return text_job_run(&job);
}

// Strings alone go straight into the result, by two loops. `with` is the
// separator. The first loop adds up the lengths: n.
static bool length_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  for (; loop->at < stop; loop->at++) {
    CspValue v = csp_list_get(loop->list, loop->at);
    if (csp_type(v) != CSP_STRING) {
      loop->n = -1;
      loop->end = loop->at;
      break;
    }
    loop->n += (int64_t)str_of(v).len;
  }
  return true;
}

// What is not there yet of the two. false: the piece is spent.
static bool copy_long(CspCall *call, Loop *loop, Str gap, Str s) {
  enum { COPIED = 1 << 15 };
  while (loop->part < gap.len + s.len) {
    bool in_gap = loop->part < gap.len;
    size_t at = in_gap ? loop->part : loop->part - gap.len;
    Str from = in_gap ? gap : s;
    size_t left = from.len - at, count = left < COPIED ? left : COPIED;
    memcpy(loop->to, from.data + at, count);
    loop->to += count;
    loop->part += count;
    if (csp_spent(call, count / 4) && loop->part < gap.len + s.len)
      return false;
  }
  loop->part = 0;
  return true;
}

// The second copies them. n: how much room is left. `more` is the element that
// is copied. An element may be another than before, or longer: n is -1.
static bool join_turns(CspCall *call, Loop *loop, size_t stop) {
  enum { SHORT = 256 };
  for (Str sep = str_of(loop->with); loop->at < stop; loop->at++) {
    if (loop->part == 0) loop->more = csp_list_get(loop->list, loop->at);
    bool is_string = csp_type(loop->more) == CSP_STRING;
    Str s = is_string ? str_of(loop->more) : (Str){0};
    Str gap = loop->at > 0 ? sep : (Str){0};
    if (!is_string || gap.len + s.len > (size_t)loop->n) {
      loop->n = -1;
      loop->end = loop->at;
      break;
    }
    if (gap.len + s.len > SHORT) {
      if (!copy_long(call, loop, gap, s)) break;
    } else {
      if (gap.len > 0) memcpy(loop->to, gap.data, gap.len);
      memcpy(loop->to + gap.len, s.data, s.len);
      loop->to += gap.len + s.len;
    }
    loop->n -= (int64_t)(gap.len + s.len);
  }
  return true;
}

static CspStatus copy_done(CspCall *call, Loop *loop) {
  if (loop->n == 0) return csp_ok(call, loop->out);
  return join_shown(call, loop->list, str_of(loop->with));
}

static CspStatus length_done(CspCall *call, Loop *loop) {
  if (loop->n < 0) return join_shown(call, loop->list, str_of(loop->with));
  size_t gaps = loop->end > 0 ? loop->end - 1 : 0;
  size_t len = (size_t)loop->n + gaps * str_of(loop->with).len;
  loop->out = csp_string_room(call, len, &loop->to);
  loop->n = (int64_t)len;
  loop->at = 0;
  loop->turns = join_turns;
  loop->done = copy_done;
  loop->units = 24;
  return loop_make(call, loop);
}

// Strings join as they are, anything else as str() would give it. Where another
// goroutine changes the list meanwhile, the parts are those of the list as it
// was and as it is, in any mixture.
CspStatus strings_join(CspCall *call) {
  CspValue list, sep = csp_arg(call, 1);
  Str text;
  if (!need_items(call, 0, &list) || !opt_str(call, 1, "", &text))
    return CSP_PANIC;
  if (csp_type(sep) != CSP_STRING) sep = csp_string(call, "", 0);
  return loop_run(call, &(Loop){.list = list,
                                .with = sep,
                                .end = csp_list_len(list),
                                .turns = length_turns,
                                .done = length_done,
                                .units = 4});
}

// --- Replacing --------------------------------------------------------------
// With an empty old, before each character and at the end.
static bool between_turns(TextJob *job) {
  Str s = job->s;
  for (size_t width; job->n != 0; job->n--, job->at += width) {
    if (text_job_full(job)) return true;
    text_job_add(job, job->new);
    if (job->at == s.len) return false;
    utf8_at(s.data, s.len, job->at, &width);
    text_job_add(job, (Str){s.data + job->at, width});
  }
  if (text_job_full(job)) return true;
  text_job_add(job, (Str){s.data + job->at, s.len - job->at});
  return false;
}

static bool replace_turns(TextJob *job) {
  Str s = job->s;
  while (job->n != 0) {
    bool more;
    if (text_job_full(job)) return true;
    int64_t next = text_job_find(job, &more);
    if (more) continue;
    job->n = next < 0 ? 0 : job->n - 1;
    if (next < 0) break;
    text_job_add(job, (Str){s.data + job->at, (size_t)next - job->at});
    text_job_add(job, job->new);
    job->at = job->seen = (size_t)next + job->old.len;
  }
  if (text_job_full(job)) return true;
  if (job->at > 0) text_job_add(job, (Str){s.data + job->at, s.len - job->at});
  return false;
}

static CspStatus replace_done(CspCall *call, TextJob *job, CspValue text) {
  return csp_ok(call, job->at > 0 ? text : csp_arg(call, 0));
}

static CspStatus replace_none(CspCall *call) {
  Str s, old, new;
  if (!need_two(call, &s, &old) || !need_view(call, 2, &new)) return CSP_PANIC;
  return csp_ok(call, csp_arg(call, 0));
}

// The first n (nil or negative: all).
static CspStatus strings_replace(CspCall *call) {
  Str s, old, new;
  int64_t n;
  if (!opt_int(call, 3, -1, &n)) return CSP_PANIC;
  if (n == 0) return replace_none(call);
  if (!need_str(call, 0, &s) || !need_str(call, 1, &old) ||
      !need_str(call, 2, &new)) {
    return CSP_PANIC;
  }
  TextJob job = text_job_of(call, old.len > 0 ? replace_turns : between_turns);
  job.s = s;
  job.old = old;
  job.new = new;
  job.n = n < 0 ? -1 : n;  // which counts down
  job.done = old.len > 0 ? replace_done : NULL;
  return text_job_run(&job);
}

// --- Repeating --------------------------------------------------------------
// Once from the string, then from what is there.
static bool text_repeat_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  Str s = view_of(loop->list);
  while (loop->at < stop) {
    size_t at = loop->at, past = at % s.len, left = stop - at;
    size_t have = at < s.len ? s.len - at : at - past;
    size_t count = have < left ? have : left;
    memcpy(loop->to + at, (at < s.len ? s.data : loop->to) + past, count);
    loop->at += count;
  }
  return true;
}

static CspStatus strings_repeat(CspCall *call) {
  Str s;
  int64_t n;
  size_t total;
  if (!need_view(call, 0, &s) || !csp_need_int(call, 1, &n)) return CSP_PANIC;
  if (n < 0) return csp_bad_arg(call, 1, "0 or more");
  if (__builtin_mul_overflow(s.len, (size_t)n, &total) || total > STRING_MAX) {
    return csp_panic(call, "repeat: the result would have more than 2 GiB");
  }
  if (total == 0) return csp_ok_string(call, "", 0);
  return loop_text(call,
                   &(Loop){.list = csp_arg(call, 0),
                           .end = total,
                           .turns = text_repeat_turns,
                           .done = loop_out,
                           .units = 1},
                   total);
}

// --- Tables -----------------------------------------------------------------
#define STRING_METHODS                                                        \
  {"contains", "s, sub", strings_contains},                                   \
      {"index", "s, sub, from = 0", strings_index},                           \
      {"last_index", "s, sub", strings_last_index},                           \
      {"count", "s, sub", strings_count},                                     \
      {"has_prefix", "s, prefix, at = 0", strings_has_prefix},                \
      {"has_suffix", "s, suffix", strings_has_suffix},                        \
      {"part", "s, from, to = nil", part_of_string},                          \
      {"compare", "s, other", strings_compare},                               \
      {"split", "s, sep = nil", strings_split},                               \
      {"split_n", "s, sep, n", strings_split_n},                              \
      {"fields", "s", strings_fields}, {"lines", "s", strings_lines},         \
      {"words", "s", strings_words}, {"cut", "s, sep", strings_cut},          \
      {"replace", "s, old, new, n = nil", strings_replace},                   \
      {"repeat", "s, n", strings_repeat},                                     \
      {"trim", "s, chars = nil", strings_trim},                               \
      {"trim_left", "s, chars = nil", strings_trim_left},                     \
      {"trim_right", "s, chars = nil", strings_trim_right},                   \
      {"trim_prefix", "s, prefix", strings_trim_prefix},                      \
      {"trim_suffix", "s, suffix", strings_trim_suffix},                      \
      {"to_upper", "s", strings_to_upper},                                    \
      {"to_lower", "s", strings_to_lower}, {"title", "s", strings_title},     \
      {"pad_left", "s, width, fill = \" \"", strings_pad_left},               \
      {"pad_right", "s, width, fill = \" \"", strings_pad_right},             \
      {"reverse", "s", strings_reverse}, {"chars", "s", strings_chars},       \
      {"runes", "s", strings_runes}, {"rune_count", "s", strings_rune_count}, \
      {"bytes", "s", strings_bytes},                                          \
      {"equal_fold", "s, other", strings_equal_fold},                         \
      {"is_digit", "s", strings_is_digit},                                    \
      {"is_alpha", "s", strings_is_alpha},                                    \
      {"is_alnum", "s", strings_is_alnum},                                    \
      {"is_space", "s", strings_is_space},                                    \
      {"is_upper", "s", strings_is_upper},                                    \
      {"is_lower", "s", strings_is_lower},                                    \
      {"is_valid", "s", strings_is_valid},                                    \
      {"parse_int", "s, base = 10", strings_parse_int},                       \
      {"parse_float", "s", strings_parse_float},                              \
      {"parse_bool", "s", strings_parse_bool}, {"quote", "s", strings_quote}, \
  {                                                                           \
    "unquote", "s", strings_unquote                                           \
  }

static const CspFunction string_methods[] = {
    CSP_REPEATABLE, STRING_METHODS, {NULL, NULL, NULL}};
static const CspFunction strings_functions[] = {
    CSP_REPEATABLE,
    STRING_METHODS,
    {"join", "parts, sep = \"\"", strings_join},
    {"format_int", "n, base = 10", strings_format_int},
    {"from_runes", "runes", strings_from_runes},
    {NULL, NULL, NULL},
};

const CspModule strings_module = {"strings", strings_functions, NULL, NULL, 0};

bool strings_install(Csp *csp) {
  return csp_register_methods(csp, CSP_STRING, string_methods) &&
         csp_register_class(csp, &strings_case_class, NULL);
}
