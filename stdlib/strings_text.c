// SPDX-License-Identifier: MIT
// Strings as characters: case, classes, padding, and going to and from code
// points.
//
// ASCII is done here; other code points ask the C library with a C.UTF-8
// locale object of the runtime's own, made when first needed (never the
// process's locale, which is global).
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <wctype.h>

#include "stdlib/pieces_loop.h"
#include "stdlib/strings.h"
#include "stdlib/text_job.h"

// --- Case -------------------------------------------------------------------
typedef struct CaseState {
  pthread_mutex_t lock;  // zeroed: ready for use
  locale_t locale;       // guarded by lock until made; 0 means not yet
  bool tried;            // guarded by lock
} CaseState;

static void case_finalize(void *data) {
  CaseState *state = data;
  if (state->locale != NULL) freelocale(state->locale);
}

const CspClass strings_case_class = {"strings.case", case_finalize,
                                     sizeof(CaseState), NULL};

// The locale, or 0 if the system has none (then only ASCII has case), or after
// a panic: out of memory.
static locale_t case_locale(CspCall *call) {
  CaseState *state = csp_state(csp_of(call), &strings_case_class);
  if (state == NULL) {
    csp_panic_memory(call);
    return (locale_t)0;
  }
  pthread_mutex_lock(&state->lock);
  if (!state->tried) {
    state->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    state->tried = state->locale != NULL || errno != ENOMEM;
  }
  locale_t locale = state->locale;
  bool tried = state->tried;
  pthread_mutex_unlock(&state->lock);
  if (!tried) csp_panic_memory(call);
  return locale;
}

// A pass over a string: asks for the locale at the first letter that needs it.
typedef struct Folder {
  CspCall *call;
  locale_t locale;
  bool asked;
} Folder;

static locale_t folder_locale(Folder *folder) {
  if (!folder->asked) folder->locale = case_locale(folder->call);
  folder->asked = true;
  return folder->locale;
}

static uint32_t rune_upper(Folder *folder, uint32_t rune) {
  if (rune < 0x80) return rune >= 'a' && rune <= 'z' ? rune - 32 : rune;
  locale_t locale = folder_locale(folder);
  return locale != NULL ? (uint32_t)towupper_l((wint_t)rune, locale) : rune;
}

static uint32_t rune_lower(Folder *folder, uint32_t rune) {
  if (rune < 0x80) return rune >= 'A' && rune <= 'Z' ? rune + 32 : rune;
  locale_t locale = folder_locale(folder);
  return locale != NULL ? (uint32_t)towlower_l((wint_t)rune, locale) : rune;
}

static bool rune_alpha(Folder *folder, uint32_t rune) {
  if (rune < 0x80) return (rune | 32) >= 'a' && (rune | 32) <= 'z';
  locale_t locale = folder_locale(folder);
  return locale != NULL && iswalpha_l((wint_t)rune, locale);
}

// Adds ASCII with the case of the 26 letters from `first` on changed.
static void map_ascii(char *to, const char *data, size_t len, char first) {
  for (size_t i = 0; i < len; i++) {
    bool letter = (uint8_t)(data[i] - first) < 26;
    to[i] = (char)(data[i] ^ letter << 5);
  }
}

static void add_ascii(Buffer *out, const char *data, size_t len, char first) {
  if (!buffer_reserve(out, len)) return;
  map_ascii(out->data + out->len, data, len, first);
  out->len += len;
  out->data[out->len] = '\0';
}

// Adds s with each code point mapped; invalid bytes stay.
static void add_mapped(Buffer *out, Str s, Folder *folder,
                       uint32_t (*map)(Folder *, uint32_t)) {
  for (size_t at = 0, width; at < s.len; at += width) {
    width = utf8_ascii(s.data, s.len, at);
    if (width > 0) {
      add_ascii(out, s.data + at, width, map == rune_upper ? 'a' : 'A');
      continue;
    }
    uint32_t rune = utf8_at(s.data, s.len, at, &width);
    uint32_t mapped = rune == RUNE_BAD ? rune : map(folder, rune);
    if (mapped == rune) {
      buffer_add(out, s.data + at, width);
    } else {
      buffer_add_rune(out, mapped);
    }
  }
}

static bool is_ascii(Str s) { return utf8_ascii(s.data, s.len, 0) == s.len; }

static bool mapped_turns(TextJob *job) {
  Folder folder = {.call = job->call};
  Str piece;
  if (!text_job_take(job, &piece)) return false;
  add_mapped(&job->text, piece, &folder, job->flag ? rune_upper : rune_lower);
  job->took += piece.len * 2;
  return true;
}

// Loops. n: whether to upper case. At first `part` is whether there is more
// than ASCII.
static bool ascii_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call, (void)stop;
  if (is_ascii(loop_piece(loop))) return true;
  loop->part = 1;
  loop->end = loop->at;
  return true;
}

static bool case_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  map_ascii(loop->to + loop->at, view_of(loop->list).data + loop->at,
            stop - loop->at, loop->n ? 'a' : 'A');
  loop->at = stop;
  return true;
}

static CspStatus ascii_done(CspCall *call, Loop *loop) {
  if (loop->part == 0) {
    loop->at = 0;
    loop->turns = case_turns;
    loop->done = loop_out;
    loop->units = 2;
    return loop_text(call, loop, loop->end);
  }
  TextJob job = text_job_of(call, mapped_turns);
  job.s = str_of(loop->list);
  job.flag = loop->n;
  return text_job_run(&job);
}

static CspStatus map_short(CspCall *call, Str s, char first) {
  char *to;
  CspValue v = csp_string_room(call, s.len, &to);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  map_ascii(to, s.data, s.len, first);
  csp_spent(call, s.len);
  return csp_ok(call, v);
}

static CspStatus map_case(CspCall *call, bool upper) {
  enum { SHORT = 1 << 12 };
  Str s;
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  if (s.len <= SHORT && is_ascii(s))
    return map_short(call, s, upper ? 'a' : 'A');
  return loop_bytes(call, &(Loop){.list = csp_arg(call, 0),
                                  .end = s.len,
                                  .n = upper,
                                  .turns = ascii_turns,
                                  .done = ascii_done,
                                  .units = 1});
}

CspStatus strings_to_upper(CspCall *call) { return map_case(call, true); }

CspStatus strings_to_lower(CspCall *call) { return map_case(call, false); }

static bool add_title(Buffer *out, Str s, Folder *folder, bool first) {
  for (size_t at = 0, width; at < s.len; at += width) {
    uint32_t rune = utf8_at(s.data, s.len, at, &width);
    Str one = {s.data + at, width};
    if (first) {
      add_mapped(out, one, folder, rune_upper);
    } else {
      buffer_add(out, one.data, width);
    }
    first = utf8_is_space(rune);
  }
  return first;
}

static bool title_turns(TextJob *job) {
  Folder folder = {.call = job->call};
  Str piece;
  if (!text_job_take(job, &piece)) return false;
  job->flag = add_title(&job->text, piece, &folder, job->flag);
  job->took += piece.len * 6;
  return true;
}

// The first letter of each word in upper case, the rest as it is.
CspStatus strings_title(CspCall *call) {
  TextJob job = text_job_of(call, title_turns);
  if (!need_str(call, 0, &job.s)) return CSP_PANIC;
  job.flag = true;
  return text_job_run(&job);
}

// --- Looking at all characters ----------------------------------------------
// n: the answer.
static CspStatus bool_done(CspCall *call, Loop *loop) {
  return csp_ok_bool(call, loop->n > 0);
}

static CspStatus int_done(CspCall *call, Loop *loop) {
  return csp_ok_int(call, loop->n);
}

static bool answer_no(Loop *loop) {
  loop->n = 0;
  loop->end = loop->at;
  return true;
}

static CspStatus look_at_all(CspCall *call, Loop loop) {
  Str s;
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  loop.list = csp_arg(call, 0);
  loop.end = s.len;
  return loop_bytes(call, &loop);
}

// Of the character at `at`; bytes that begin none are told apart.
static uint32_t folded_at(Folder *folder, Str s, size_t at, size_t *width) {
  uint32_t rune = utf8_at(s.data, s.len, at, width);
  if (rune == RUNE_BAD && *width == 1) return 1u << 31 | (uint8_t)s.data[at];
  return rune_lower(folder, rune);
}

// part: how far it is in the other text.
static bool fold_turns(CspCall *call, Loop *loop, size_t stop) {
  Str a = view_of(loop->list), b = view_of(loop->with);
  Folder folder = {.call = call};
  for (size_t width; loop->at < stop; loop->at += width) {
    if (loop->part == b.len) return answer_no(loop);
    uint32_t x = folded_at(&folder, a, loop->at, &width);
    size_t other_width;
    uint32_t y = folded_at(&folder, b, loop->part, &other_width);
    if (x != y) return answer_no(loop);
    loop->part += other_width;
  }
  return true;
}

static CspStatus fold_done(CspCall *call, Loop *loop) {
  bool all = loop->part == view_of(loop->with).len;
  return csp_ok_bool(call, loop->n > 0 && all);
}

// Whether both are the same but for case.
CspStatus strings_equal_fold(CspCall *call) {
  Str a, b;
  if (!need_view(call, 0, &a) || !need_view(call, 1, &b)) return CSP_PANIC;
  return look_at_all(call, (Loop){.with = csp_arg(call, 1),
                                  .n = 1,
                                  .turns = fold_turns,
                                  .done = fold_done,
                                  .units = 24});
}

// --- Classes: all characters are of the class, and there is one -------------
static bool is_digit(Folder *folder, uint32_t rune) {
  (void)folder;
  return rune >= '0' && rune <= '9';
}

static bool is_alnum(Folder *folder, uint32_t rune) {
  return is_digit(folder, rune) || rune_alpha(folder, rune);
}

static bool is_space(Folder *folder, uint32_t rune) {
  (void)folder;
  return utf8_is_space(rune);
}

static bool all_turns(CspCall *call, Loop *loop, bool (*is)(Folder *, uint32_t),
                      size_t stop) {
  Folder folder = {.call = call};
  Str s = view_of(loop->list);
  loop->n = 1;
  for (size_t width; loop->at < stop; loop->at += width) {
    if (!is(&folder, utf8_at(s.data, s.len, loop->at, &width)))
      return answer_no(loop);
  }
  return true;
}

static bool digit_turns(CspCall *call, Loop *loop, size_t stop) {
  return all_turns(call, loop, is_digit, stop);
}

static bool alpha_turns(CspCall *call, Loop *loop, size_t stop) {
  return all_turns(call, loop, rune_alpha, stop);
}

static bool alnum_turns(CspCall *call, Loop *loop, size_t stop) {
  return all_turns(call, loop, is_alnum, stop);
}

static bool space_turns(CspCall *call, Loop *loop, size_t stop) {
  return all_turns(call, loop, is_space, stop);
}

static CspStatus all_are(CspCall *call,
                         bool (*turns)(CspCall *, Loop *, size_t)) {
  return look_at_all(call,
                     (Loop){.turns = turns, .done = bool_done, .units = 16});
}

CspStatus strings_is_digit(CspCall *call) { return all_are(call, digit_turns); }

CspStatus strings_is_alpha(CspCall *call) { return all_are(call, alpha_turns); }

CspStatus strings_is_alnum(CspCall *call) { return all_are(call, alnum_turns); }

CspStatus strings_is_space(CspCall *call) { return all_are(call, space_turns); }

// --- Words ------------------------------------------------------------------
// From `at` up to `end`: where the first letter or digit is, or what is
// neither. If there is none, `end` or some bytes after it.
static size_t find_alnum(Folder *folder, Str s, size_t at, size_t end,
                         bool wanted) {
  for (size_t width; at < end; at += width) {
    width = 1;
    uint8_t c = (uint8_t)s.data[at];
    bool is = (uint8_t)((c | 32) - 'a') < 26 || (uint8_t)(c - '0') < 10;
    if (c >= 0x80) is = is_alnum(folder, utf8_at(s.data, s.len, at, &width));
    if (is == wanted) break;
  }
  return at;
}

// Where the text is long from there on: as far_field of strings_split.c.
static __attribute__((noinline)) bool far_word(CspCall *call, Str s,
                                               int64_t *at, CspValue *word) {
  Folder folder = {.call = call};
  size_t from = (size_t)*at, looked = 0, end, skipped = 0;
  if (split_is_copying(*at, *word)) {
    if (split_copy(call, s, at, *word, &end)) *at = (int64_t)end;
    return true;
  }
  if (from > s.len && !split_goes_on(*at, &from, &looked)) return false;
  if (looked == 0) {
    end = from + split_span(s, from, 0, 0).len;
    size_t before = from;
    from = find_alnum(&folder, s, from, end, true);
    skipped = from - before;
    *at = split_later(from, 0);
    if (from >= end && end < s.len) return csp_work(call, SPLIT_SPAN * 4);
    if (from == s.len) return false;
  }
  Str span = split_span(s, from, looked, 0);
  size_t begin = (size_t)(span.data - s.data);
  end = begin + span.len;
  size_t to = find_alnum(&folder, s, begin, end, false);
  *at = split_later(from, looked + 1);
  if (to >= end && end < s.len) return csp_work(call, SPLIT_SPAN * 4);
  *at = (int64_t)to;
  return split_give(call, s, from, to - from, at, word) &&
         csp_work(call, (skipped + to - begin) * 2);
}

static bool next_word(CspCall *call, CspValue of, CspValue with, int64_t *at,
                      CspValue *word) {
  (void)with;
  Folder folder = {.call = call};
  Str s = view_of(of);
  size_t before = (size_t)*at;
  if (s.len - before > SPLIT_SPAN) return far_word(call, s, at, word);
  size_t from = find_alnum(&folder, s, before, s.len, true);
  if (from == s.len) return false;
  size_t to = find_alnum(&folder, s, from, s.len, false);
  *at = (int64_t)to;
  *word = csp_string(call, s.data + from, to - from);
  return csp_work(call, 32 + (to - before) * 2);
}

CspStatus strings_words(CspCall *call) {
  Str s;
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  return csp_ok_each(call, next_word, csp_arg(call, 0), csp_nil(), NULL);
}

// --- Case of a whole string -------------------------------------------------
// Some letter has a case (n), and none has the other.
typedef uint32_t (*Mapping)(Folder *, uint32_t);

static bool cased_turns(CspCall *call, Loop *loop, Mapping own, Mapping other,
                        size_t stop) {
  Folder folder = {.call = call};
  Str s = view_of(loop->list);
  for (size_t width; loop->at < stop; loop->at += width) {
    uint32_t rune = utf8_at(s.data, s.len, loop->at, &width);
    if (own(&folder, rune) != rune) return answer_no(loop);
    if (other(&folder, rune) != rune) loop->n = 1;
  }
  return true;
}

static bool upper_turns(CspCall *call, Loop *loop, size_t stop) {
  return cased_turns(call, loop, rune_upper, rune_lower, stop);
}

static bool lower_turns(CspCall *call, Loop *loop, size_t stop) {
  return cased_turns(call, loop, rune_lower, rune_upper, stop);
}

CspStatus strings_is_upper(CspCall *call) {
  return look_at_all(
      call, (Loop){.turns = upper_turns, .done = bool_done, .units = 32});
}

CspStatus strings_is_lower(CspCall *call) {
  return look_at_all(
      call, (Loop){.turns = lower_turns, .done = bool_done, .units = 32});
}

// --- Padding ----------------------------------------------------------------
// Adds `old` over and over until n characters are there. false: not yet.
static bool add_fill(TextJob *job) {
  Str fill = job->old;
  for (size_t width; job->n > 0;) {
    if (text_job_full(job)) return false;
    if (fill.len == 1) {
      size_t left = (size_t)job->n;
      size_t count = left < TEXT_JOB_SHORT ? left : TEXT_JOB_SHORT;
      buffer_fill(&job->text, *fill.data, count);
      job->n -= (int64_t)count;
      job->took += count / 4;
      continue;
    }
    utf8_at(fill.data, fill.len, job->at, &width);
    text_job_add(job, (Str){fill.data + job->at, width});
    job->at = job->at + width == fill.len ? 0 : job->at + width;
    job->n--;
  }
  return !text_job_full(job);
}

// `seen`: the string is there. flag: it comes last.
static bool pad_turns(TextJob *job) {
  if (!job->flag && job->seen == 0) {
    job->seen = 1;
    text_job_add(job, job->s);
  }
  if (!add_fill(job)) return true;
  if (job->flag) text_job_add(job, job->s);
  return false;
}

static bool rune_count_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call, (void)stop;
  Str piece = loop_piece(loop);
  loop->n += (int64_t)utf8_count(piece.data, piece.len);
  return true;
}

// n: how many characters the string has. part: whether to pad on the left.
static CspStatus pad_done(CspCall *call, Loop *loop) {
  int64_t width = csp_to_int(csp_arg(call, 1));
  if (width <= loop->n) return loop_list(call, loop);
  TextJob job = text_job_of(call, pad_turns);
  if (!opt_str(call, 2, " ", &job.old)) return CSP_PANIC;
  job.n = width - loop->n;
  job.s = str_of(loop->list);
  job.flag = loop->part > 0;
  return text_job_run(&job);
}

// Widths are characters.
static CspStatus pad(CspCall *call, bool left) {
  Str s, fill = {" ", 1};
  int64_t width;
  if (!need_view(call, 0, &s) || !csp_need_int(call, 1, &width) ||
      (!is_nil(call, 2) && !need_view(call, 2, &fill))) {
    return CSP_PANIC;
  }
  if (fill.len == 0) return csp_bad_arg(call, 2, "a string that is not empty");
  if (width > (int64_t)STRING_MAX) {
    return csp_bad_arg(call, 1, "at most 2 GiB");
  }
  // A character has at most 4 bytes, so nothing need be counted.
  if ((int64_t)s.len / 4 >= width) return csp_ok(call, csp_arg(call, 0));
  return look_at_all(call, (Loop){.part = left,
                                  .turns = rune_count_turns,
                                  .done = pad_done,
                                  .units = 4});
}

CspStatus strings_pad_left(CspCall *call) { return pad(call, true); }

CspStatus strings_pad_right(CspCall *call) { return pad(call, false); }

// --- Characters -------------------------------------------------------------
static void reverse_chars(char *to, Str s) {
  for (size_t at = s.len; at > 0;) {
    size_t start = utf8_before(s.data, at);
    memcpy(to, s.data + start, at - start);
    to += at - start;
    at = start;
  }
}

static bool text_reverse_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call, (void)stop;
  Str piece =
      pieces_back((Str){view_of(loop->list).data, loop->end - loop->at});
  reverse_chars(loop->to + loop->at, piece);
  loop->at += piece.len;
  return true;
}

CspStatus strings_reverse(CspCall *call) {
  Str s;
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  return loop_text(call,
                   &(Loop){.list = csp_arg(call, 0),
                           .end = s.len,
                           .turns = text_reverse_turns,
                           .done = loop_out,
                           .units = 16},
                   s.len);
}

static bool push_characters(CspCall *call, Loop *loop, size_t stop,
                            bool as_ints) {
  Str s = view_of(loop->list);
  for (size_t width; loop->at < stop; loop->at += width) {
    uint32_t rune = utf8_at(s.data, s.len, loop->at, &width);
    CspValue v = as_ints ? csp_int(call, rune)
                         : csp_string(call, s.data + loop->at, width);
    if (!csp_list_push(call, loop->out, v)) return false;
  }
  return true;
}

static bool chars_turns(CspCall *call, Loop *loop, size_t stop) {
  return push_characters(call, loop, stop, false);
}

static bool runes_turns(CspCall *call, Loop *loop, size_t stop) {
  return push_characters(call, loop, stop, true);
}

// As strings (chars) or as ints (runes).
static CspStatus characters(CspCall *call,
                            bool (*turns)(CspCall *, Loop *, size_t)) {
  enum { STEP = 1 << 10 };
  Str s;
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  CspValue list = csp_list(call, s.len);
  if (csp_is_undef(list)) return csp_panic_memory(call);
  return look_at_all(call, (Loop){.out = list,
                                  .step = STEP,
                                  .turns = turns,
                                  .done = loop_out,
                                  .units = 64});
}

CspStatus strings_chars(CspCall *call) { return characters(call, chars_turns); }

CspStatus strings_runes(CspCall *call) { return characters(call, runes_turns); }

CspStatus strings_rune_count(CspCall *call) {
  return look_at_all(
      call, (Loop){.turns = rune_count_turns, .done = int_done, .units = 4});
}

CspStatus strings_count_gaps(CspCall *call) {
  return look_at_all(
      call,
      (Loop){.n = 1, .turns = rune_count_turns, .done = int_done, .units = 4});
}

static bool bytes_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  csp_bytes_write(loop->out, loop->at, view_of(loop->list).data + loop->at,
                  stop - loop->at);
  loop->at = stop;
  return true;
}

CspStatus strings_bytes(CspCall *call) {
  enum { SHORT = 1 << 14 };
  Str s;
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  if (s.len <= SHORT) return csp_ok(call, csp_bytes(call, s.data, s.len));
  CspValue bytes = csp_bytes(call, NULL, s.len);
  if (csp_is_undef(bytes)) return csp_panic_memory(call);
  return look_at_all(
      call,
      (Loop){.out = bytes, .turns = bytes_turns, .done = loop_out, .units = 1});
}

static bool valid_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  Str s = view_of(loop->list);
  for (size_t width; loop->at < stop; loop->at += width) {
    if (utf8_at(s.data, s.len, loop->at, &width) == RUNE_BAD && width != 3)
      return answer_no(loop);
  }
  return true;
}

// Whether all of it is UTF-8.
CspStatus strings_is_valid(CspCall *call) {
  return look_at_all(
      call,
      (Loop){.n = 1, .turns = valid_turns, .done = bool_done, .units = 8});
}

// n: how many there are, or are left of a list that becomes shorter.
static bool from_runes_turns(TextJob *job) {
  for (; job->at < (size_t)job->n && !text_job_full(job); job->at++) {
    bool of_list = csp_type(job->list) == CSP_LIST;
    CspValue v = of_list ? csp_list_get(job->list, job->at) : job->list;
    int64_t rune = csp_type(v) == CSP_INT ? csp_to_int(v) : -1;
    char bytes[4];
    size_t width = rune < 0 || rune > 0x10ffff
                       ? 0
                       : (size_t)utf8_encode((uint32_t)rune, bytes);
    if (width == 0) {
      csp_panic(job->call, "from_runes: element %zu is no code point", job->at);
      job->text.failed = true;
      return false;
    }
    text_job_add(job, (Str){bytes, width});
    job->took += 4;
  }
  return job->at < (size_t)job->n;
}

// A code point, or a list of them, as a string.
CspStatus strings_from_runes(CspCall *call) {
  TextJob job = text_job_of(call, from_runes_turns);
  job.list = csp_arg(call, 0);
  job.n = 1;
  if (csp_type(job.list) == CSP_LIST) {
    job.n = (int64_t)csp_list_len(job.list);
  } else if (csp_type(job.list) != CSP_INT) {
    return csp_bad_arg(call, 0, "a code point or a list of code points");
  }
  return text_job_run(&job);
}
