// SPDX-License-Identifier: MIT
// The module fmt: text by a format, and output to standard error.
//
// A format is data: it is read here, verb by verb, and never reaches the C
// library, which only sees constant formats of ours.
//
//   %[flags][width][.precision]verb    flags: - + # 0 and space
//   width and precision: a number, or * for an int argument
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/text_job.h"

enum { WIDTH_MAX = 1000000, PRECISION_MAX = 1000 };

typedef struct Spec {
  bool minus, plus, sharp, zero, space;
  int64_t width;      // 0: none
  int64_t precision;  // -1: none
  char verb;
} Spec;

typedef enum FormatEnd { END_TEXT, END_ERROR, END_OUT, END_ERR } FormatEnd;

// A format being worked through. What becomes long is made in pieces: then
// `out` is the TextJob's.
typedef struct FormatRun {
  CspCall *call;
  FormatEnd end;
  Buffer out;
  Str format;
  size_t at;
  int arg;     // the next argument; the format is 0
  bool shown;  // the prelude has made texts: the call's first argument
  bool failed;
  bool adding;    // a long text, the last argument, by `spec`
  bool measured;  // `missing` is known
  Spec spec;
  size_t seen;     // bytes of it that are done
  size_t missing;  // characters of its width
} FormatRun;

// A hidden function that gets texts and then what fmt.NAME gets.
static const char SHOWN[] = "_fmt_shown_";

static bool has_texts(const CspCall *call) {
  return strncmp(csp_name(call), SHOWN, strlen(SHOWN)) == 0;
}

// The function's name, without its module.
static const char *format_name(const CspCall *call) {
  const char *name = csp_name(call);
  if (has_texts(call)) return name + strlen(SHOWN);
  return name + strlen(*name == '_' ? "_fmt_" : "fmt.");
}

static void format_failed(FormatRun *run, const char *text) {
  if (!run->failed)
    csp_panic(run->call, "fmt.%s: %s", format_name(run->call), text);
  run->failed = true;
}

// --- Reading the format -----------------------------------------------------
static char peek(const FormatRun *run) {
  return run->at < run->format.len ? run->format.data[run->at] : '\0';
}

static int given_args(const FormatRun *run) {
  return csp_argc(run->call) - run->shown;
}

static bool next_arg(FormatRun *run, CspValue *out) {
  if (run->arg >= given_args(run)) {
    char text[64];
    snprintf(text, sizeof text, "there is no argument %d for it", run->arg);
    format_failed(run, text);
    return false;
  }
  *out = csp_arg(run->call, run->shown + run->arg++);
  return true;
}

// The text that the prelude has made of the last argument, or nil.
static CspValue shown_text(const FormatRun *run, bool quoted) {
  if (!run->shown) return csp_nil();
  size_t at = 2 * (size_t)(run->arg - 1) + quoted;
  return csp_list_get(csp_arg(run->call, 0), at);
}

// Digits, or * and an int argument; `none` when neither is there.
static int64_t read_count(FormatRun *run, int64_t none, int64_t most) {
  int64_t n = none;
  if (peek(run) == '*') {
    CspValue v;
    run->at++;
    if (!next_arg(run, &v)) return none;
    if (csp_type(v) != CSP_INT) {
      format_failed(run, "the argument for * must be an int");
      return none;
    }
    n = csp_to_int(v);
  } else {
    for (; peek(run) >= '0' && peek(run) <= '9'; run->at++) {
      n = (n == none ? 0 : n) * 10 + (peek(run) - '0');
      if (n > most) break;
    }
  }
  if (n > most || n < -most)
    format_failed(run, "a width or precision is too large");
  return n;
}

static void read_flags(FormatRun *run, Spec *spec) {
  for (;; run->at++) {
    switch (peek(run)) {
      case '-':
        spec->minus = true;
        break;
      case '+':
        spec->plus = true;
        break;
      case '#':
        spec->sharp = true;
        break;
      case '0':
        spec->zero = true;
        break;
      case ' ':
        spec->space = true;
        break;
      default:
        return;
    }
  }
}

static Spec read_spec(FormatRun *run) {
  Spec spec = {.precision = -1};
  read_flags(run, &spec);
  spec.width = read_count(run, 0, WIDTH_MAX);
  if (!run->failed && spec.width < 0) {  // (at least -WIDTH_MAX)
    spec.minus = true;
    spec.width = -spec.width;
  }
  if (peek(run) == '.') {
    run->at++;
    spec.precision = read_count(run, -1, PRECISION_MAX);
    if (spec.precision < 0) spec.precision = 0;
  }
  spec.verb = peek(run);
  if (run->at == run->format.len) {
    format_failed(run,
                  "the format ends inside a verb; write %% for a percent sign");
  }
  run->at++;
  return spec;
}

// --- Writing ----------------------------------------------------------------
// How many characters prefix and body lack. (None has more than 4 bytes.)
static size_t missing_width(const Spec *spec, size_t prefix, Str body) {
  size_t width = (size_t)spec->width;
  if (width <= prefix || width - prefix <= body.len / 4) return 0;
  size_t used = prefix + utf8_count(body.data, body.len);
  return width > used ? width - used : 0;
}

// prefix (sign, 0x) and body in the width; zeros go between the two.
static void add_padded(FormatRun *run, const Spec *spec, const char *prefix,
                       Str body, bool zeros) {
  size_t missing = missing_width(spec, strlen(prefix), body);
  zeros = zeros && spec->zero && !spec->minus;
  if (!spec->minus && !zeros) buffer_fill(&run->out, ' ', missing);
  buffer_add(&run->out, prefix, strlen(prefix));
  if (zeros) buffer_fill(&run->out, '0', missing);
  buffer_add(&run->out, body.data, body.len);
  if (spec->minus) buffer_fill(&run->out, ' ', missing);
}

// The function of "${x:8.2f}", which has a format of one verb.
static const char INTERPOLATED[] = "interpolated";

static void wrong_type(FormatRun *run, const Spec *spec, const char *wanted,
                       CspValue v) {
  size_t len = 0;
  bool cut = false;
  char *text = csp_alloc_format_most(run->call, v, true, 60, &len, &cut);
  const char *shown = text != NULL ? text : "?", *end = cut ? "..." : "";
  bool interpolated = strcmp(format_name(run->call), INTERPOLATED) == 0;
  if (!run->failed && interpolated) {
    csp_panic(run->call, "${:%c} wants %s, but it is %.60s%s (%s)", spec->verb,
              wanted, shown, end, csp_type_name(v));
  } else if (!run->failed) {
    csp_panic(run->call,
              "fmt.%s: %%%c wants %s, but argument %d is %.60s%s (%s)",
              format_name(run->call), spec->verb, wanted, run->arg - 1, shown,
              end, csp_type_name(v));
  }
  run->failed = true;
  csp_alloc_free(text);
}

static void spec_int(FormatRun *run, const Spec *spec, CspValue v,
                     unsigned base) {
  char digits[64], prefix[4] = "";
  if (csp_type(v) != CSP_INT) {
    wrong_type(run, spec, "an int", v);
    return;
  }
  int64_t n = csp_to_int(v);
  uint64_t size = n < 0 ? -(uint64_t)n : (uint64_t)n;
  Buffer body = buffer_of(run->call);
  size_t len = number_digits(size, base, spec->verb == 'X', digits);
  if (spec->precision > (int64_t)len) {
    buffer_fill(&body, '0', (size_t)spec->precision - len);
  }
  buffer_add(&body, digits, len);
  size_t at = 0;
  if (n < 0 || spec->plus || spec->space) {
    prefix[at++] = n < 0 ? '-' : spec->plus ? '+' : ' ';
  }
  if (spec->sharp && base != 10) {
    prefix[at++] = '0';
    prefix[at++] = spec->verb;
  }
  prefix[at] = '\0';
  if (body.failed) {
    run->out.failed = true;
  } else {
    add_padded(run, spec, prefix, (Str){body.data, body.len},
               spec->precision < 0);
  }
  buffer_free(&body);
}

// The format of C that has this verb's digits.
static const char *float_format(const Spec *spec) {
  bool sharp = spec->sharp;
  switch (spec->verb) {
    case 'e':
      return sharp ? "%#.*e" : "%.*e";
    case 'E':
      return sharp ? "%#.*E" : "%.*E";
    case 'g':
      return sharp ? "%#.*g" : "%.*g";
    case 'G':
      return sharp ? "%#.*G" : "%.*G";
    default:
      return sharp ? "%#.*f" : "%.*f";
  }
}

// %g alone: the shortest form that reads back, without a final ".0".
static char *shortest_digits(FormatRun *run, const Spec *spec, double size) {
  size_t count;
  char *text =
      csp_alloc_format(run->call, csp_float(run->call, size), false, &count);
  if (text != NULL && count > 2 && strcmp(text + count - 2, ".0") == 0 &&
      !spec->sharp) {
    text[count - 2] = '\0';
  }
  return text;
}

// The digits of a finite number without its sign, for csp_alloc_free.
static char *float_digits(FormatRun *run, const Spec *spec, double size) {
  if (spec->verb == 'g' && spec->precision < 0) {
    return shortest_digits(run, spec, size);
  }
  int precision = spec->precision < 0 ? 6 : (int)spec->precision;
  return number_print(csp_of(run->call), float_format(spec), precision, size);
}

static void spec_float(FormatRun *run, const Spec *spec, CspValue v) {
  if (csp_type(v) != CSP_INT && csp_type(v) != CSP_FLOAT) {
    wrong_type(run, spec, "a number", v);
    return;
  }
  double d = csp_to_float(v);
  const char *sign = signbit(d) && !isnan(d) ? "-"
                     : spec->plus            ? "+"
                     : spec->space           ? " "
                                             : "";
  if (!isfinite(d)) {
    add_padded(run, spec, sign, (Str){isnan(d) ? "nan" : "inf", 3}, false);
    return;
  }
  char *text = float_digits(run, spec, fabs(d));
  if (text != NULL)
    add_padded(run, spec, sign, (Str){text, strlen(text)}, true);
  if (text == NULL) run->out.failed = true;
  csp_alloc_free(text);
}

static void add_cut(FormatRun *run, const Spec *spec, Str s) {
  if (spec->precision >= 0) {
    s.len = utf8_prefix(s.data, s.len, (size_t)spec->precision);
  }
  add_padded(run, spec, "", s, false);
}

// %s and %v as println, %q as in source.
static void spec_text(FormatRun *run, const Spec *spec, CspValue v) {
  Str s;
  if (spec->verb != 'q' && csp_type(v) == CSP_STRING) {
    add_cut(run, spec, str_of(v));
    return;
  }
  if (spec->verb == 'v' && csp_type(v) == CSP_INT && spec->precision < 0) {
    spec_int(run, spec, v, 10);
    return;
  }
  CspValue made = shown_text(run, spec->verb == 'q');
  if (csp_type(made) == CSP_STRING) {
    add_cut(run, spec, str_of(made));
    return;
  }
  char *text = csp_alloc_format(run->call, v, spec->verb == 'q', &s.len);
  s.data = text;
  if (text != NULL) add_cut(run, spec, s);
  if (text == NULL) run->out.failed = true;
  csp_alloc_free(text);
}

// The next bytes of a string or of bytes, at most so many.
static size_t some_bytes(CspValue v, size_t at, uint8_t *to, size_t most) {
  if (csp_type(v) == CSP_BYTES) return csp_bytes_read(v, at, to, most);
  Str s = str_of(v);
  size_t count = s.len - at < most ? s.len - at : most;
  memcpy(to, s.data + at, count);
  return count;
}

// Two digits for each of the next bytes, at most HEX_PIECE. How many there are.
enum { HEX_PIECE = 1024 };
static size_t add_hex_digits(Buffer *hex, const Spec *spec, CspValue v,
                             size_t at) {
  static const char small[] = "0123456789abcdef", large[] = "0123456789ABCDEF";
  const char *digits = spec->verb == 'X' ? large : small;
  uint8_t block[HEX_PIECE];
  char text[2 * sizeof block];
  size_t count = some_bytes(v, at, block, sizeof block);
  for (size_t i = 0; i < count; i++) {
    text[2 * i] = digits[block[i] >> 4];
    text[2 * i + 1] = digits[block[i] & 15];
  }
  buffer_add(hex, text, 2 * count);
  return count;
}

// %x of a string or bytes.
static void add_hex(FormatRun *run, const Spec *spec, CspValue v) {
  Buffer hex = buffer_of(run->call);
  size_t at = 0, count;
  while (!hex.failed && (count = add_hex_digits(&hex, spec, v, at)) > 0) {
    at += count;
    hex.failed |= !csp_work(run->call, count);
  }
  if (hex.failed) run->out.failed = true;
  add_padded(run, spec, "", (Str){hex.data != NULL ? hex.data : "", hex.len},
             false);
  buffer_free(&hex);
}

// --- Long texts -------------------------------------------------------------
// %x of a long string or long bytes, and %q, %s and %v of a long string are
// added in pieces.
static bool is_hex(const Spec *spec) {
  return spec->verb == 'x' || spec->verb == 'X';
}

static bool is_long(const Spec *spec, CspValue v) {
  enum { LONG_TEXT = 1 << 14 };
  bool text = spec->verb == 'q' || spec->verb == 's' || spec->verb == 'v';
  if (csp_type(v) == CSP_BYTES)
    return is_hex(spec) && csp_bytes_len(v) > LONG_TEXT;
  return csp_type(v) == CSP_STRING && str_of(v).len > LONG_TEXT &&
         (is_hex(spec) || (text && spec->precision < 0));
}

// What it lacks of its width. That of %q is the width until it is measured,
// which is only needed where a character of 4 bytes could make a difference.
static void begin_long(FormatRun *run, const Spec *spec, CspValue v) {
  Str s = csp_type(v) == CSP_STRING ? str_of(v) : (Str){0};
  size_t digits = csp_type(v) == CSP_STRING ? s.len : csp_bytes_len(v);
  size_t width = (size_t)spec->width;
  run->adding = true;
  run->spec = *spec;
  run->seen = 0;
  run->measured = spec->verb != 'q' || width <= s.len / 4;
  run->missing = missing_width(spec, 0, s);
  if (is_hex(spec)) run->missing = width > 2 * digits ? width - 2 * digits : 0;
  if (!run->measured) run->missing = width;
  if (run->measured && !spec->minus) buffer_fill(&run->out, ' ', run->missing);
}

static void quote_some(Buffer *out, Str s, size_t from, size_t len) {
  if (from == 0) buffer_add_char(out, '"');
  quote_piece(out, s, from, from + len);
  if (from + len == s.len) buffer_add_char(out, '"');
}

static void measure_some(FormatRun *run, Str s, size_t len) {
  Buffer quoted = buffer_of(run->call);
  quote_some(&quoted, s, run->seen, len);
  size_t count = quoted.failed ? 0 : utf8_count(quoted.data, quoted.len);
  run->missing = run->missing > count ? run->missing - count : 0;
  run->out.failed |= quoted.failed;
  buffer_free(&quoted);
  run->measured = run->missing == 0 || run->seen + len == s.len;
  run->seen = run->measured ? 0 : run->seen + len;
  if (run->measured && !run->spec.minus)
    buffer_fill(&run->out, ' ', run->missing);
}

static void end_long(FormatRun *run) {
  if (run->spec.minus) buffer_fill(&run->out, ' ', run->missing);
  run->adding = false;
}

// The next piece. Gives what it takes, in units.
static uint64_t add_long_piece(FormatRun *run) {
  CspValue v = csp_arg(run->call, run->shown + run->arg - 1);
  if (is_hex(&run->spec)) {
    size_t count = add_hex_digits(&run->out, &run->spec, v, run->seen);
    run->seen += count;
    if (count == 0) end_long(run);
    return count * 2;
  }
  Str s = str_of(v);
  size_t len = pieces_front((Str){s.data + run->seen, s.len - run->seen}).len;
  if (!run->measured) {
    measure_some(run, s, len);
    return len * 8;
  }
  if (run->spec.verb == 'q') {
    quote_some(&run->out, s, run->seen, len);
  } else {
    buffer_add(&run->out, s.data + run->seen, len);
  }
  run->seen += len;
  if (run->seen == s.len) end_long(run);
  return run->spec.verb == 'q' ? len * 8 : len / 4;
}

static void add_char(FormatRun *run, const Spec *spec, CspValue v) {
  char bytes[4];
  int64_t rune = csp_type(v) == CSP_INT ? csp_to_int(v) : -1;
  size_t len = rune >= 0 && rune <= 0x10ffff
                   ? (size_t)utf8_encode((uint32_t)rune, bytes)
                   : 0;
  if (len == 0) {
    wrong_type(run, spec, "a code point", v);
    return;
  }
  add_padded(run, spec, "", (Str){bytes, len}, false);
}

static void add_bool(FormatRun *run, const Spec *spec, CspValue v) {
  if (csp_type(v) != CSP_BOOL) {
    wrong_type(run, spec, "a bool", v);
    return;
  }
  bool yes = csp_to_bool(v);
  add_padded(run, spec, "", (Str){yes ? "true" : "false", yes ? 4 : 5}, false);
}

// The whole character is shown, and an escape for what would upset a terminal.
static void unknown_verb(FormatRun *run) {
  const char *verb = run->format.data + run->at - 1;
  size_t left = run->format.len - run->at, len = 1;
  while (len < 4 && len <= left && utf8_continues(verb[len])) len++;
  char shown[UTF8_SHOWN(4)], text[80];
  utf8_show(verb, len, 4, shown);
  snprintf(text, sizeof text,
           "unknown verb %%%s; there are d i s v q x X o b c f F e E g G t %%",
           shown);
  format_failed(run, text);
}

static void spec_value(FormatRun *run, const Spec *spec, CspValue v) {
  switch (spec->verb) {
    case 'd':
    case 'i':
      spec_int(run, spec, v, 10);
      return;
    case 'o':
      spec_int(run, spec, v, 8);
      return;
    case 'b':
      spec_int(run, spec, v, 2);
      return;
    case 'x':
    case 'X':
      if (csp_type(v) == CSP_STRING || csp_type(v) == CSP_BYTES) {
        add_hex(run, spec, v);
      } else {
        spec_int(run, spec, v, 16);
      }
      return;
    case 's':
    case 'v':
    case 'q':
      spec_text(run, spec, v);
      return;
    case 'c':
      add_char(run, spec, v);
      return;
    case 't':
      add_bool(run, spec, v);
      return;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      spec_float(run, spec, v);
      return;
    default:
      unknown_verb(run);
  }
}

static void add_verb(FormatRun *run) {
  Spec spec = read_spec(run);
  CspValue v;
  if (run->failed) return;
  if (spec.verb == '%') {
    buffer_add_char(&run->out, '%');
  } else if (!spec.verb || strchr("diobxXsvqctfFeEgG", spec.verb) == NULL) {
    unknown_verb(run);
  } else if (next_arg(run, &v)) {
    if (is_long(&spec, v)) {
      begin_long(run, &spec, v);
    } else {
      spec_value(run, &spec, v);
    }
  }
}

// What stands before the next verb, and that; or a part of it, when it is long.
static void add_next(FormatRun *run) {
  enum { LOOK = 1 << 16 };
  const char *from = run->format.data + run->at;
  size_t left = run->format.len - run->at, most = left < LOOK ? left : LOOK;
  const char *percent = memchr(from, '%', most);
  size_t plain = percent != NULL ? (size_t)(percent - from) : most;
  buffer_add(&run->out, from, plain);
  run->at += plain + (percent != NULL);
  if (percent != NULL) add_verb(run);
}

// Adds the next of it. Gives what that takes. There is no more when
// format_over.
static uint64_t format_step(FormatRun *run) {
  if (run->adding) return 32 + add_long_piece(run);
  size_t before = run->out.len;
  add_next(run);
  return 32 + (run->out.len - before) / 4;
}

static bool format_over(FormatRun *run) {
  if (run->failed || run->out.failed) return true;
  if (run->adding || run->at < run->format.len) return false;
  int given = given_args(run);
  if (run->arg < given) {
    csp_panic(run->call, "fmt.%s: %d arguments, but the format uses only %d",
              format_name(run->call), given - 1, run->arg - 1);
    run->failed = true;
  }
  return true;
}

static CspStatus format_end(CspCall *call, FormatEnd end, CspValue text) {
  if (csp_is_undef(text)) return csp_panic_memory(call);
  if (end == END_TEXT) return csp_ok(call, text);
  if (end == END_ERROR) return csp_ok(call, csp_error(call, text, csp_nil()));
  if (end == END_ERR) return stderr_write(call, text);
  csp_write_out(call, str_of(text).data, str_of(text).len);
  return csp_ok_nothing(call);
}

static bool format_turns(TextJob *job) {
  FormatRun *run = job->own;
  run->call = job->call;
  run->out = job->text;
  job->took += format_step(run);
  bool over = format_over(run);
  job->text = run->out;
  job->text.failed |= run->failed;
  return !over;
}

static CspStatus long_done(CspCall *call, TextJob *job, CspValue text) {
  return format_end(call, (FormatEnd)job->n, text);
}

static CspStatus format_long(FormatRun *run) {
  TextJob job = text_job_of(run->call, format_turns);
  FormatRun *own = csp_alloc(csp_of(run->call), NULL, sizeof *own);
  if (own == NULL) {
    buffer_free(&run->out);
    return csp_panic_memory(run->call);
  }
  *own = *run;
  job.own = own;
  job.text = run->out;
  job.n = run->end;
  job.done = long_done;
  return text_job_run(&job);
}

static CspStatus format_short(FormatRun *run) {
  if (run->end == END_TEXT) return buffer_ok(run->call, &run->out);
  if (run->end != END_OUT)
    return format_end(run->call, run->end, buffer_string(run->call, &run->out));
  if (run->out.len > 0) csp_write_out(run->call, run->out.data, run->out.len);
  buffer_free(&run->out);
  return csp_ok_nothing(run->call);
}

static CspStatus run_format(CspCall *call, FormatEnd end) {
  FormatRun run = {.call = call,
                   .end = end,
                   .out = buffer_of(call),
                   .arg = 1,
                   .shown = has_texts(call)};
  if (!need_str(call, run.shown, &run.format)) return CSP_PANIC;
  while (!format_over(&run)) {
    if (run.adding || run.out.len >= TEXT_JOB_PART) return format_long(&run);
    run.out.failed |= !csp_work(call, format_step(&run));
  }
  if (!run.failed && !run.out.failed) return format_short(&run);
  if (!run.failed) csp_panic_memory(call);
  buffer_free(&run.out);
  return CSP_PANIC;
}

// --- Functions --------------------------------------------------------------
// Whether texts must be made by functions of the language first. A format that
// is no string is left to the native, which panics in its own name.
static bool needs_texts(CspCall *call) {
  return !has_texts(call) && csp_type(csp_arg(call, 0)) == CSP_STRING &&
         args_need_call(call);
}

static CspStatus fmt_sprintf(CspCall *call) {
  if (needs_texts(call))
    return again_with(call, "_with_texts", "_fmt_shown_sprintf");
  return run_format(call, END_TEXT);
}

static CspStatus fmt_interpolated(CspCall *call) {
  if (needs_texts(call))
    return again_with(call, "_with_texts", "_fmt_shown_interpolated");
  return run_format(call, END_TEXT);
}

static CspStatus fmt_errorf(CspCall *call) {
  if (needs_texts(call))
    return again_with(call, "_with_texts", "_fmt_shown_errorf");
  return run_format(call, END_ERROR);
}

static CspStatus fmt_printf(CspCall *call) {
  if (needs_texts(call))
    return again_with(call, "_with_texts", "_fmt_shown_printf");
  return run_format(call, END_OUT);
}

static CspStatus fmt_eprintf(CspCall *call) {
  if (needs_texts(call))
    return again_with(call, "_with_texts", "_fmt_shown_eprintf");
  return run_format(call, END_ERR);
}

// The next argument, after a space.
static void add_printed(TextJob *job, CspValue v) {
  size_t len;
  if (job->at > 0) buffer_add_char(&job->text, ' ');
  if (csp_type(v) == CSP_STRING) {
    text_job_add(job, str_of(v));
    return;
  }
  char *text = csp_alloc_format(job->call, v, false, &len);
  if (text != NULL) buffer_add(&job->text, text, len);
  job->text.failed |= text == NULL;
  job->took += 32;
  csp_alloc_free(text);
}

// The flag says that a newline follows.
static bool printed_turns(TextJob *job) {
  size_t count = (size_t)csp_argc(job->call);
  for (; job->at < count && !text_job_full(job); job->at++)
    add_printed(job, csp_arg(job->call, (int)job->at));
  if (job->at < count) return true;
  if (job->flag) buffer_add_char(&job->text, '\n');
  return false;
}

// sprint(values...): the text println would write, without the newline.
static CspStatus fmt_sprint(CspCall *call) {
  if (args_need_call(call))
    return again_with(call, "_with_strings", "_fmt_sprint");
  TextJob job = text_job_of(call, printed_turns);
  return text_job_run(&job);
}

static CspStatus printed_error(CspCall *call, TextJob *job, CspValue text) {
  (void)job;
  return stderr_write(call, text);
}

static CspStatus print_error(CspCall *call, bool newline) {
  TextJob job = text_job_of(call, printed_turns);
  job.done = printed_error;
  job.flag = newline;
  return text_job_run(&job);
}

static CspStatus fmt_eprint(CspCall *call) {
  if (args_need_call(call))
    return again_with(call, "_with_strings", "_fmt_eprint");
  return print_error(call, false);
}

static CspStatus fmt_eprintln(CspCall *call) {
  if (args_need_call(call))
    return again_with(call, "_with_strings", "_fmt_eprintln");
  return print_error(call, true);
}

// The predeclared functions, with all arguments.
static CspStatus fmt_predeclared(CspCall *call, const char *name) {
  int count = csp_argc(call);
  CspValue *argv = room_alloc(call, (size_t)count + 1, sizeof *argv);
  if (argv == NULL) return csp_panic_memory(call);
  for (int i = 0; i < count; i++) argv[i] = csp_arg(call, i);
  csp_work(call, (uint64_t)count);
  CspStatus status = csp_tail_named(call, name, count, argv);
  csp_alloc_free(argv);
  return status;
}

static CspStatus fmt_print(CspCall *call) {
  return fmt_predeclared(call, "print");
}

static CspStatus fmt_println(CspCall *call) {
  return fmt_predeclared(call, "println");
}

static const CspFunction fmt_functions[] = {
    CSP_REPEATABLE,
    {"sprintf", "format, args...", fmt_sprintf},
    {"printf", "format, args...", fmt_printf},
    {"eprintf", "format, args...", fmt_eprintf},
    {"errorf", "format, args...", fmt_errorf},
    {"sprint", "values...", fmt_sprint},
    {"eprint", "values...", fmt_eprint},
    {"eprintln", "values...", fmt_eprintln},
    {"print", "values...", fmt_print},
    {"println", "values...", fmt_println},
    {NULL, NULL, NULL},
};

// The same where the prelude finds them, see again_with.
static const CspFunction fmt_hidden[] = {
    CSP_REPEATABLE,
    {"_fmt_interpolated", "format, value", fmt_interpolated},
    {"_fmt_shown_interpolated", "texts, format, value", fmt_interpolated},
    {"_fmt_shown_sprintf", "texts, format, args...", fmt_sprintf},
    {"_fmt_shown_printf", "texts, format, args...", fmt_printf},
    {"_fmt_shown_eprintf", "texts, format, args...", fmt_eprintf},
    {"_fmt_shown_errorf", "texts, format, args...", fmt_errorf},
    {"_fmt_sprint", "values...", fmt_sprint},
    {"_fmt_eprint", "values...", fmt_eprint},
    {"_fmt_eprintln", "values...", fmt_eprintln},
    {NULL, NULL, NULL},
};

const CspModule fmt_module = {"fmt", fmt_functions, NULL, NULL, 0};

bool fmt_install(Csp *csp) { return csp_register_builtins(csp, fmt_hidden); }
