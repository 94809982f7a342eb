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
typedef struct Printer {
  CspCall *call;
  Buffer out;
  Str format;
  size_t at;
  int arg;  // the next argument
  bool failed;
} Printer;

static void fail(Printer *p, const char *text) {
  if (!p->failed) csp_panic(p->call, "format: %s", text);
  p->failed = true;
}

// --- Reading the format -----------------------------------------------------
static char peek(const Printer *p) {
  return p->at < p->format.len ? p->format.data[p->at] : '\0';
}

static bool next_arg(Printer *p, CspValue *out) {
  if (p->arg >= csp_argc(p->call)) {
    char text[64];
    snprintf(text, sizeof text, "there is no argument %d for it", p->arg);
    fail(p, text);
    return false;
  }
  *out = csp_arg(p->call, p->arg++);
  return true;
}

// Digits, or * and an int argument; `none` when neither is there.
static int64_t read_number(Printer *p, int64_t none, int64_t most) {
  int64_t n = none;
  if (peek(p) == '*') {
    CspValue v;
    p->at++;
    if (!next_arg(p, &v)) return none;
    if (csp_type(v) != CSP_INT) {
      fail(p, "the argument for * must be an int");
      return none;
    }
    n = csp_to_int(v);
  } else {
    for (; peek(p) >= '0' && peek(p) <= '9'; p->at++) {
      n = (n == none ? 0 : n) * 10 + (peek(p) - '0');
      if (n > most) break;
    }
  }
  if (n > most || n < -most) fail(p, "a width or precision is too large");
  return n;
}

static void read_flags(Printer *p, Spec *spec) {
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

static Spec read_spec(Printer *p) {
  Spec spec = {.precision = -1};
  read_flags(p, &spec);
  spec.width = read_number(p, 0, WIDTH_MAX);
  if (spec.width < 0) {
    spec.minus = true;
    spec.width = -spec.width;
  }
  if (peek(p) == '.') {
    p->at++;
    spec.precision = read_number(p, -1, PRECISION_MAX);
    if (spec.precision < 0) spec.precision = 0;
  }
  spec.verb = peek(p);
  if (p->at == p->format.len) {
    fail(p, "the format ends inside a verb; write %% for a percent sign");
  }
  p->at++;
  return spec;
}

// --- Writing ----------------------------------------------------------------
// prefix (sign, 0x) and body in the width; zeros go between the two.
static void add_padded(Printer *p, const Spec *spec, const char *prefix,
                       Str body, bool zeros) {
  size_t used = strlen(prefix) + utf8_count(body.data, body.len);
  size_t missing = (size_t)spec->width > used ? (size_t)spec->width - used : 0;
  zeros = zeros && spec->zero && !spec->minus;
  if (!spec->minus && !zeros) buffer_fill(&p->out, ' ', missing);
  buffer_add(&p->out, prefix, strlen(prefix));
  if (zeros) buffer_fill(&p->out, '0', missing);
  buffer_add(&p->out, body.data, body.len);
  if (spec->minus) buffer_fill(&p->out, ' ', missing);
}

static void wrong_type(Printer *p, const Spec *spec, const char *wanted,
                       CspValue v) {
  size_t len = 0;
  char *text = csp_format(p->call, v, true, &len);
  if (!p->failed) {
    csp_panic(p->call, "format: %%%c wants %s, but argument %d is %.60s%s (%s)",
              spec->verb, wanted, p->arg - 1, text ? text : "?",
              len > 60 ? "..." : "", csp_type_name(v));
  }
  p->failed = true;
  free(text);
}

static void add_int(Printer *p, const Spec *spec, CspValue v, unsigned base) {
  char digits[64], prefix[4] = "";
  if (csp_type(v) != CSP_INT) {
    wrong_type(p, spec, "an int", v);
    return;
  }
  int64_t n = csp_to_int(v);
  uint64_t size = n < 0 ? -(uint64_t)n : (uint64_t)n;
  Buffer body = {.most = csp_room(p->call)};
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

// The digits of a finite number without its sign, malloced.
static char *float_digits(Printer *p, const Spec *spec, double size) {
  int precision = spec->precision < 0 ? 6 : (int)spec->precision;
  bool sharp = spec->sharp;
  char *text = NULL;
  int len = -1;
  switch (spec->verb) {
    case 'f':
    case 'F':
      len = asprintf(&text, sharp ? "%#.*f" : "%.*f", precision, size);
      break;
    case 'e':
      len = asprintf(&text, sharp ? "%#.*e" : "%.*e", precision, size);
      break;
    case 'E':
      len = asprintf(&text, sharp ? "%#.*E" : "%.*E", precision, size);
      break;
    case 'G':
      len = asprintf(&text, sharp ? "%#.*G" : "%.*G", precision, size);
      break;
    default:
      if (spec->precision >= 0) {
        len = asprintf(&text, sharp ? "%#.*g" : "%.*g", precision, size);
        break;
      }
      // %g alone: the shortest form that reads back, without a final ".0".
      size_t count;
      text = csp_format(p->call, csp_float(p->call, size), false, &count);
      if (text && count > 2 && strcmp(text + count - 2, ".0") == 0 && !sharp) {
        text[count - 2] = '\0';
      }
      return text;
  }
  return len < 0 ? NULL : text;
}

static void add_float(Printer *p, const Spec *spec, CspValue v) {
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
  if (text) add_padded(p, spec, sign, (Str){text, strlen(text)}, true);
  if (!text) p->out.failed = true;
  free(text);
}

static void add_cut(Printer *p, const Spec *spec, Str s) {
  if (spec->precision >= 0) {
    s.len = utf8_prefix(s.data, s.len, (size_t)spec->precision);
  }
  add_padded(p, spec, "", s, false);
}

// %s and %v: as println; %q: as in source.
static void add_text(Printer *p, const Spec *spec, CspValue v) {
  Str s;
  if (spec->verb != 'q' && csp_type(v) == CSP_STRING) {
    add_cut(p, spec, str_of(v));
    return;
  }
  if (spec->verb == 'v' && csp_type(v) == CSP_INT && spec->precision < 0) {
    add_int(p, spec, v, 10);
    return;
  }
  char *text = csp_format(p->call, v, spec->verb == 'q', &s.len);
  s.data = text;
  if (text) add_cut(p, spec, s);
  if (!text) p->out.failed = true;
  free(text);
}

// %x of a string or bytes: two digits for each byte.
static void add_hex(Printer *p, const Spec *spec, CspValue v) {
  Buffer hex = {.most = csp_room(p->call)};
  bool is_string = csp_type(v) == CSP_STRING;
  size_t len = is_string ? str_of(v).len : csp_bytes_len(v);
  for (size_t i = 0; i < len; i++) {
    uint8_t byte = 0;
    char digits[2];
    if (is_string) byte = (uint8_t)str_of(v).data[i];
    if (!is_string) csp_bytes_read(v, i, &byte, 1);
    number_digits(byte >> 4, 16, spec->verb == 'X', digits);
    number_digits(byte & 15, 16, spec->verb == 'X', digits + 1);
    buffer_add(&hex, digits, 2);
  }
  if (hex.failed) p->out.failed = true;
  add_padded(p, spec, "", (Str){hex.data ? hex.data : "", hex.len}, false);
  buffer_free(&hex);
}

static void add_char(Printer *p, const Spec *spec, CspValue v) {
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

static void add_bool(Printer *p, const Spec *spec, CspValue v) {
  if (csp_type(v) != CSP_BOOL) {
    wrong_type(p, spec, "a bool", v);
    return;
  }
  bool yes = csp_to_bool(v);
  add_padded(p, spec, "", (Str){yes ? "true" : "false", yes ? 4 : 5}, false);
}

static void unknown_verb(Printer *p, const Spec *spec) {
  char text[80];
  snprintf(text, sizeof text,
           "unknown verb %%%c; there are d i s v q x X o b c f e g t %%",
           spec->verb);
  fail(p, text);
}

static void add_value(Printer *p, const Spec *spec, CspValue v) {
  switch (spec->verb) {
    case 'd':
    case 'i':
      add_int(p, spec, v, 10);
      return;
    case 'o':
      add_int(p, spec, v, 8);
      return;
    case 'b':
      add_int(p, spec, v, 2);
      return;
    case 'x':
    case 'X':
      if (csp_type(v) == CSP_STRING || csp_type(v) == CSP_BYTES) {
        add_hex(p, spec, v);
      } else {
        add_int(p, spec, v, 16);
      }
      return;
    case 's':
    case 'v':
    case 'q':
      add_text(p, spec, v);
      return;
    case 'c':
      add_char(p, spec, v);
      return;
    case 't':
      add_bool(p, spec, v);
      return;
    default:
      add_float(p, spec, v);
  }
}

static void add_verb(Printer *p) {
  Spec spec = read_spec(p);
  CspValue v;
  if (p->failed) return;
  if (spec.verb == '%') {
    buffer_add_char(&p->out, '%');
  } else if (!spec.verb || !strchr("diobxXsvqctfFeEgG", spec.verb)) {
    unknown_verb(p, &spec);
  } else if (next_arg(p, &v)) {
    add_value(p, &spec, v);
  }
}

// The first argument is the format; false: panicked.
static bool print(Printer *p) {
  if (!need_str(p->call, 0, &p->format)) return false;
  p->arg = 1;
  while (p->at < p->format.len && !p->failed) {
    const char *from = p->format.data + p->at;
    const char *percent = memchr(from, '%', p->format.len - p->at);
    size_t plain = percent ? (size_t)(percent - from) : p->format.len - p->at;
    buffer_add(&p->out, from, plain);
    p->at += plain + 1;
    if (percent) add_verb(p);
  }
  int given = csp_argc(p->call);
  if (!p->failed && p->arg < given) {
    csp_panic(p->call, "format: %d arguments, but the format uses only %d",
              given - 1, p->arg - 1);
    p->failed = true;
  }
  if (!p->failed && p->out.failed) csp_panic_memory(p->call);
  p->failed = p->failed || p->out.failed;
  csp_charge(p->call, p->out.len / 16);
  if (p->failed) buffer_free(&p->out);
  return !p->failed;
}

// --- Functions --------------------------------------------------------------
static CspStatus fmt_sprintf(CspCall *call) {
  if (args_need_call(call)) return again_with_strings(call, "_fmt_sprintf");
  Printer p = {.call = call, .out = {.most = csp_room(call)}};
  return print(&p) ? buffer_ok(call, &p.out) : CSP_PANIC;
}

static CspStatus fmt_errorf(CspCall *call) {
  if (args_need_call(call)) return again_with_strings(call, "_fmt_errorf");
  Printer p = {.call = call, .out = {.most = csp_room(call)}};
  if (!print(&p)) return CSP_PANIC;
  CspValue text = buffer_string(call, &p.out);
  if (csp_is_undef(text)) return csp_panic_memory(call);
  return csp_ok(call, csp_error(call, text, csp_nil()));
}

typedef void (*Write)(CspCall *call, const char *data, size_t len);

static CspStatus print_to(CspCall *call, Write write) {
  Printer p = {.call = call, .out = {.most = csp_room(call)}};
  if (!print(&p)) return CSP_PANIC;
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
  for (int i = 0; i < csp_argc(call); i++) {
    size_t len;
    char *text = csp_format(call, csp_arg(call, i), false, &len);
    if (i > 0) buffer_add_char(out, ' ');
    if (text) buffer_add(out, text, len);
    if (!text) out->failed = true;
    free(text);
  }
  buffer_add(out, end, strlen(end));
  if (!out->failed) return true;
  buffer_free(out);
  csp_panic_memory(call);
  return false;
}

static CspStatus print_error(CspCall *call, const char *end) {
  Buffer out = {.most = csp_room(call)};
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
  Buffer out = {.most = csp_room(call)};
  return join_args(call, &out, "") ? buffer_ok(call, &out) : CSP_PANIC;
}

// The predeclared functions, with all arguments.
static CspStatus predeclared(CspCall *call, const char *name) {
  int count = csp_argc(call);
  CspValue *argv = room_alloc(call, (size_t)count + 1, sizeof *argv);
  if (!argv) return csp_panic_memory(call);
  for (int i = 0; i < count; i++) argv[i] = csp_arg(call, i);
  CspStatus status = csp_tail_named(call, name, count, argv);
  free(argv);
  return status;
}

static CspStatus fmt_print(CspCall *call) { return predeclared(call, "print"); }

static CspStatus fmt_println(CspCall *call) {
  return predeclared(call, "println");
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

static const CspFunction functions[] = {
    CSP_REPEATABLE,
    FUNCTIONS(""),
    {"print", "values...", fmt_print},
    {"println", "values...", fmt_println},
    {NULL, NULL, NULL},
};

// The same where the prelude finds them, see again_with_strings.
static const CspFunction hidden[] = {
    CSP_REPEATABLE, FUNCTIONS("_fmt_"), {NULL, NULL, NULL}};

const CspModule fmt_module = {"fmt", functions, NULL, NULL, 0};

bool fmt_install(Csp *csp) { return csp_register_builtins(csp, hidden); }
