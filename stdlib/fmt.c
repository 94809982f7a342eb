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

#include "stdlib/stdlib.h"

enum { WIDTH_MAX = 1000000, PRECISION_MAX = 1000 };

typedef struct Spec {
  bool minus, plus, sharp, zero, space;
  int64_t width;      // 0: none
  int64_t precision;  // -1: none
  char verb;
} Spec;

// A format being worked through.
typedef struct FormatRun {
  CspCall *call;
  Buffer out;
  Str format;
  size_t at;
  int arg;  // the next argument
  bool failed;
} FormatRun;

// The function's name, without its module: _fmt_printf is fmt.printf after the
// string() methods of its arguments.
static const char *format_name(const CspCall *call) {
  const char *name = csp_name(call);
  return name + strlen(*name == '_' ? "_fmt_" : "fmt.");
}

static void format_failed(FormatRun *p, const char *text) {
  if (!p->failed) csp_panic(p->call, "fmt.%s: %s", format_name(p->call), text);
  p->failed = true;
}

// --- Reading the format -----------------------------------------------------
static char peek(const FormatRun *p) {
  return p->at < p->format.len ? p->format.data[p->at] : '\0';
}

static bool next_arg(FormatRun *p, CspValue *out) {
  if (p->arg >= csp_argc(p->call)) {
    char text[64];
    snprintf(text, sizeof text, "there is no argument %d for it", p->arg);
    format_failed(p, text);
    return false;
  }
  *out = csp_arg(p->call, p->arg++);
  return true;
}

// Digits, or * and an int argument; `none` when neither is there.
static int64_t read_count(FormatRun *p, int64_t none, int64_t most) {
  int64_t n = none;
  if (peek(p) == '*') {
    CspValue v;
    p->at++;
    if (!next_arg(p, &v)) return none;
    if (csp_type(v) != CSP_INT) {
      format_failed(p, "the argument for * must be an int");
      return none;
    }
    n = csp_to_int(v);
  } else {
    for (; peek(p) >= '0' && peek(p) <= '9'; p->at++) {
      n = (n == none ? 0 : n) * 10 + (peek(p) - '0');
      if (n > most) break;
    }
  }
  if (n > most || n < -most)
    format_failed(p, "a width or precision is too large");
  return n;
}

static void read_flags(FormatRun *p, Spec *spec) {
  for (;; p->at++) {
    switch (peek(p)) {
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

static Spec read_spec(FormatRun *p) {
  Spec spec = {.precision = -1};
  read_flags(p, &spec);
  spec.width = read_count(p, 0, WIDTH_MAX);
  if (!p->failed && spec.width < 0) {  // (at least -WIDTH_MAX)
    spec.minus = true;
    spec.width = -spec.width;
  }
  if (peek(p) == '.') {
    p->at++;
    spec.precision = read_count(p, -1, PRECISION_MAX);
    if (spec.precision < 0) spec.precision = 0;
  }
  spec.verb = peek(p);
  if (p->at == p->format.len) {
    format_failed(p,
                  "the format ends inside a verb; write %% for a percent sign");
  }
  p->at++;
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
static void add_padded(FormatRun *p, const Spec *spec, const char *prefix,
                       Str body, bool zeros) {
  size_t missing = missing_width(spec, strlen(prefix), body);
  zeros = zeros && spec->zero && !spec->minus;
  if (!spec->minus && !zeros) buffer_fill(&p->out, ' ', missing);
  buffer_add(&p->out, prefix, strlen(prefix));
  if (zeros) buffer_fill(&p->out, '0', missing);
  buffer_add(&p->out, body.data, body.len);
  if (spec->minus) buffer_fill(&p->out, ' ', missing);
}

static void wrong_type(FormatRun *p, const Spec *spec, const char *wanted,
                       CspValue v) {
  size_t len = 0;
  bool cut = false;
  char *text = csp_alloc_format_most(p->call, v, true, 60, &len, &cut);
  if (!p->failed) {
    csp_panic(p->call, "fmt.%s: %%%c wants %s, but argument %d is %.60s%s (%s)",
              format_name(p->call), spec->verb, wanted, p->arg - 1,
              text != NULL ? text : "?", cut ? "..." : "", csp_type_name(v));
  }
  p->failed = true;
  csp_alloc_free(text);
}

static void spec_int(FormatRun *p, const Spec *spec, CspValue v,
                     unsigned base) {
  char digits[64], prefix[4] = "";
  if (csp_type(v) != CSP_INT) {
    wrong_type(p, spec, "an int", v);
    return;
  }
  int64_t n = csp_to_int(v);
  uint64_t size = n < 0 ? -(uint64_t)n : (uint64_t)n;
  Buffer body = buffer_of(p->call);
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
    p->out.failed = true;
  } else {
    add_padded(p, spec, prefix, (Str){body.data, body.len},
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
static char *shortest_digits(FormatRun *p, const Spec *spec, double size) {
  size_t count;
  char *text =
      csp_alloc_format(p->call, csp_float(p->call, size), false, &count);
  if (text != NULL && count > 2 && strcmp(text + count - 2, ".0") == 0 &&
      !spec->sharp) {
    text[count - 2] = '\0';
  }
  return text;
}

// The digits of a finite number without its sign, for csp_alloc_free.
static char *float_digits(FormatRun *p, const Spec *spec, double size) {
  if (spec->verb == 'g' && spec->precision < 0) {
    return shortest_digits(p, spec, size);
  }
  int precision = spec->precision < 0 ? 6 : (int)spec->precision;
  return number_print(csp_of(p->call), float_format(spec), precision, size);
}

static void spec_float(FormatRun *p, const Spec *spec, CspValue v) {
  if (csp_type(v) != CSP_INT && csp_type(v) != CSP_FLOAT) {
    wrong_type(p, spec, "a number", v);
    return;
  }
  double d = csp_to_float(v);
  const char *sign = signbit(d) && !isnan(d) ? "-"
                     : spec->plus            ? "+"
                     : spec->space           ? " "
                                             : "";
  if (!isfinite(d)) {
    add_padded(p, spec, sign, (Str){isnan(d) ? "nan" : "inf", 3}, false);
    return;
  }
  char *text = float_digits(p, spec, fabs(d));
  if (text != NULL) add_padded(p, spec, sign, (Str){text, strlen(text)}, true);
  if (text == NULL) p->out.failed = true;
  csp_alloc_free(text);
}

static void add_cut(FormatRun *p, const Spec *spec, Str s) {
  if (spec->precision >= 0) {
    s.len = utf8_prefix(s.data, s.len, (size_t)spec->precision);
  }
  add_padded(p, spec, "", s, false);
}

// %s and %v as println, %q as in source.
static void spec_text(FormatRun *p, const Spec *spec, CspValue v) {
  Str s;
  if (spec->verb != 'q' && csp_type(v) == CSP_STRING) {
    add_cut(p, spec, str_of(v));
    return;
  }
  if (spec->verb == 'v' && csp_type(v) == CSP_INT && spec->precision < 0) {
    spec_int(p, spec, v, 10);
    return;
  }
  char *text = csp_alloc_format(p->call, v, spec->verb == 'q', &s.len);
  s.data = text;
  if (text != NULL) add_cut(p, spec, s);
  if (text == NULL) p->out.failed = true;
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

// %x of a string or bytes: two digits for each byte.
static void add_hex(FormatRun *p, const Spec *spec, CspValue v) {
  static const char small[] = "0123456789abcdef", large[] = "0123456789ABCDEF";
  const char *digits = spec->verb == 'X' ? large : small;
  Buffer hex = buffer_of(p->call);
  uint8_t block[1024];
  char text[2 * sizeof block];
  size_t at = 0, count;
  while (!hex.failed && (count = some_bytes(v, at, block, sizeof block)) > 0) {
    for (size_t i = 0; i < count; i++) {
      text[2 * i] = digits[block[i] >> 4];
      text[2 * i + 1] = digits[block[i] & 15];
    }
    buffer_add(&hex, text, 2 * count);
    at += count;
    hex.failed |= !csp_work(p->call, count);
  }
  if (hex.failed) p->out.failed = true;
  add_padded(p, spec, "", (Str){hex.data != NULL ? hex.data : "", hex.len},
             false);
  buffer_free(&hex);
}

static void add_char(FormatRun *p, const Spec *spec, CspValue v) {
  char bytes[4];
  int64_t rune = csp_type(v) == CSP_INT ? csp_to_int(v) : -1;
  size_t len =
      rune >= 0 && rune <= 0x10ffff ? utf8_put((uint32_t)rune, bytes) : 0;
  if (len == 0) {
    wrong_type(p, spec, "a code point", v);
    return;
  }
  add_padded(p, spec, "", (Str){bytes, len}, false);
}

static void add_bool(FormatRun *p, const Spec *spec, CspValue v) {
  if (csp_type(v) != CSP_BOOL) {
    wrong_type(p, spec, "a bool", v);
    return;
  }
  bool yes = csp_to_bool(v);
  add_padded(p, spec, "", (Str){yes ? "true" : "false", yes ? 4 : 5}, false);
}

static void unknown_verb(FormatRun *p, const Spec *spec) {
  char text[80];
  snprintf(text, sizeof text,
           "unknown verb %%%c; there are d i s v q x X o b c f e g t %%",
           spec->verb);
  format_failed(p, text);
}

static void spec_value(FormatRun *p, const Spec *spec, CspValue v) {
  switch (spec->verb) {
    case 'd':
    case 'i':
      spec_int(p, spec, v, 10);
      return;
    case 'o':
      spec_int(p, spec, v, 8);
      return;
    case 'b':
      spec_int(p, spec, v, 2);
      return;
    case 'x':
    case 'X':
      if (csp_type(v) == CSP_STRING || csp_type(v) == CSP_BYTES) {
        add_hex(p, spec, v);
      } else {
        spec_int(p, spec, v, 16);
      }
      return;
    case 's':
    case 'v':
    case 'q':
      spec_text(p, spec, v);
      return;
    case 'c':
      add_char(p, spec, v);
      return;
    case 't':
      add_bool(p, spec, v);
      return;
    default:
      spec_float(p, spec, v);
  }
}

static void add_verb(FormatRun *p) {
  Spec spec = read_spec(p);
  CspValue v;
  if (p->failed) return;
  if (spec.verb == '%') {
    buffer_add_char(&p->out, '%');
  } else if (!spec.verb || strchr("diobxXsvqctfFeEgG", spec.verb) == NULL) {
    unknown_verb(p, &spec);
  } else if (next_arg(p, &v)) {
    spec_value(p, &spec, v);
  }
}

// What stands before the next verb, and that; or a part of it, when it is long.
static void add_next(FormatRun *p) {
  enum { LOOK = 1 << 16 };
  const char *from = p->format.data + p->at;
  size_t left = p->format.len - p->at, most = left < LOOK ? left : LOOK;
  const char *percent = memchr(from, '%', most);
  size_t plain = percent != NULL ? (size_t)(percent - from) : most;
  buffer_add(&p->out, from, plain);
  p->at += plain + (percent != NULL);
  if (percent != NULL) add_verb(p);
}

// The first argument is the format. false: panicked.
static bool run_format(FormatRun *p) {
  if (!need_str(p->call, 0, &p->format)) return false;
  p->arg = 1;
  while (p->at < p->format.len && !p->failed && !p->out.failed) {
    size_t before = p->out.len;
    add_next(p);
    p->out.failed |= !csp_work(p->call, 32 + (p->out.len - before) / 4);
  }
  int given = csp_argc(p->call);
  if (!p->failed && !p->out.failed && p->arg < given) {
    csp_panic(p->call, "fmt.%s: %d arguments, but the format uses only %d",
              format_name(p->call), given - 1, p->arg - 1);
    p->failed = true;
  }
  if (!p->failed && p->out.failed) csp_panic_memory(p->call);
  p->failed = p->failed || p->out.failed;
  if (p->failed) buffer_free(&p->out);
  return !p->failed;
}

// --- Functions --------------------------------------------------------------
static CspStatus fmt_sprintf(CspCall *call) {
  if (args_need_call(call)) return again_with_strings(call, "_fmt_sprintf");
  FormatRun p = {.call = call, .out = buffer_of(call)};
  return run_format(&p) ? buffer_ok(call, &p.out) : CSP_PANIC;
}

static CspStatus fmt_errorf(CspCall *call) {
  if (args_need_call(call)) return again_with_strings(call, "_fmt_errorf");
  FormatRun p = {.call = call, .out = buffer_of(call)};
  if (!run_format(&p)) return CSP_PANIC;
  CspValue text = buffer_string(call, &p.out);
  if (csp_is_undef(text)) return csp_panic_memory(call);
  return csp_ok(call, csp_error(call, text, csp_nil()));
}

typedef void (*Write)(CspCall *call, const char *data, size_t len);

static CspStatus print_to(CspCall *call, Write write) {
  FormatRun p = {.call = call, .out = buffer_of(call)};
  if (!run_format(&p)) return CSP_PANIC;
  if (p.out.len > 0) write(call, p.out.data, p.out.len);
  buffer_free(&p.out);
  return csp_ok_nothing(call);
}

static CspStatus fmt_printf(CspCall *call) {
  if (args_need_call(call)) return again_with_strings(call, "_fmt_printf");
  return print_to(call, csp_write_out);
}

static CspStatus fmt_eprintf(CspCall *call) {
  if (args_need_call(call)) return again_with_strings(call, "_fmt_eprintf");
  return print_to(call, csp_write_err);
}

// All arguments with spaces between, then `end`.
static bool join_args(CspCall *call, Buffer *out, const char *end) {
  for (int i = 0; i < csp_argc(call) && !out->failed; i++) {
    size_t len;
    char *text = csp_alloc_format(call, csp_arg(call, i), false, &len);
    if (i > 0) buffer_add_char(out, ' ');
    if (text != NULL) buffer_add(out, text, len);
    out->failed |= text == NULL || !csp_work(call, 32);
    csp_alloc_free(text);
  }
  buffer_add(out, end, strlen(end));
  if (!out->failed) return true;
  buffer_free(out);
  csp_panic_memory(call);
  return false;
}

static CspStatus print_error(CspCall *call, const char *end) {
  Buffer out = buffer_of(call);
  if (!join_args(call, &out, end)) return CSP_PANIC;
  csp_write_err(call, out.data, out.len);
  buffer_free(&out);
  return csp_ok_nothing(call);
}

static CspStatus fmt_eprint(CspCall *call) {
  if (args_need_call(call)) return again_with_strings(call, "_fmt_eprint");
  return print_error(call, "");
}

static CspStatus fmt_eprintln(CspCall *call) {
  if (args_need_call(call)) return again_with_strings(call, "_fmt_eprintln");
  return print_error(call, "\n");
}

// sprint(values...): the text println would write, without the newline.
static CspStatus fmt_sprint(CspCall *call) {
  if (args_need_call(call)) return again_with_strings(call, "_fmt_sprint");
  Buffer out = buffer_of(call);
  return join_args(call, &out, "") ? buffer_ok(call, &out) : CSP_PANIC;
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

#define FUNCTIONS(prefix)                                 \
  {prefix "sprintf", "format, args...", fmt_sprintf},     \
      {prefix "printf", "format, args...", fmt_printf},   \
      {prefix "eprintf", "format, args...", fmt_eprintf}, \
      {prefix "errorf", "format, args...", fmt_errorf},   \
      {prefix "sprint", "values...", fmt_sprint},         \
      {prefix "eprint", "values...", fmt_eprint}, {       \
    prefix "eprintln", "values...", fmt_eprintln          \
  }

static const CspFunction fmt_functions[] = {
    CSP_REPEATABLE,
    FUNCTIONS(""),
    {"print", "values...", fmt_print},
    {"println", "values...", fmt_println},
    {NULL, NULL, NULL},
};

// The same where the prelude finds them, see again_with_strings.
static const CspFunction fmt_hidden[] = {
    CSP_REPEATABLE, FUNCTIONS("_fmt_"), {NULL, NULL, NULL}};

const CspModule fmt_module = {"fmt", fmt_functions, NULL, NULL, 0};

bool fmt_install(Csp *csp) { return csp_register_builtins(csp, fmt_hidden); }
