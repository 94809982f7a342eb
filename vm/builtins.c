// SPDX-License-Identifier: MIT
// The predeclared functions that schedule nothing: output, sizes, conversions,
// errors, comparisons. (Channels, tasks, time and try: builtins_sched.c.)
//
// What needs a string() method of a struct, or a loop over a function or a
// channel, is left to the prelude (stdlib/prelude.csp) by a tail call. Names
// that begin with _ are seen by the library's own sources only.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "vm/native.h"

static bool is_obj(CspValue v, ObjType type) {
  return value_is_type(v.word, type);
}

static bool is_nil(CspValue v) { return v.word == VALUE_NIL; }

// --- Text -----------------------------------------------------------------------

// Whether an argument's text has to be made by the prelude.
static bool args_need_call(CspCall *call) {
  for (int i = 0; i < call->argc; i++) {
    if (value_needs_call(call->args[i])) return true;
  }
  return false;
}

// Calls `name` again with all arguments that need it turned into strings.
static CspStatus again_with_strings(CspCall *call, const char *name) {
  ObjList *args = list_new(call->local, (size_t)call->argc);
  if (!args || !list_append(call->local, args, call->args,
                            (size_t)call->argc)) {
    return csp_panic_memory(call);
  }
  CspValue argv[2] = {csp_builtin(call, name),
                      csp_wrap(value_from_obj(args))};
  return csp_tail_named(call, "_with_strings", 2, argv);
}

// One argument is written without a copy if it is a string.
static CspStatus write_args(CspCall *call, const char *end) {
  Text text = {0};
  for (int i = 0; i < call->argc; i++) {
    if (i > 0) text_add(&text, " ", 1);
    format_value(&text, call->vm, call->args[i], false);
  }
  text_add(&text, end, strlen(end));
  if (text.failed) {
    text_free(&text);
    return csp_panic_memory(call);
  }
  if (text.len > 0) csp_write_out(call, text.data, text.len);
  csp_charge(call, text.len / 64);
  text_free(&text);
  return csp_ok_nothing(call);
}

static CspStatus builtin_print(CspCall *call) {
  if (args_need_call(call)) return again_with_strings(call, "print");
  return write_args(call, "");
}

static CspStatus builtin_println(CspCall *call) {
  if (args_need_call(call)) return again_with_strings(call, "println");
  return write_args(call, "\n");
}

static CspStatus ok_format(CspCall *call, CspValue v, bool quoted) {
  size_t len;
  char *text = csp_format(call, v, quoted, &len);
  if (!text) return csp_panic_memory(call);
  csp_charge(call, len / 64);
  return csp_ok(call, csp_string_take(call, text, len));
}

static CspStatus str_of_bytes(CspCall *call, CspValue bytes) {
  size_t len = csp_bytes_len(bytes);
  ObjString *s = string_alloc(call->local, len);
  if (!s) return csp_panic_memory(call);
  size_t copied = csp_bytes_read(bytes, 0, s->data, len);
  memset(s->data + copied, 0, len - copied);  // somebody may have cut them
  csp_charge(call, len / 256);
  return csp_ok(call, csp_wrap(value_from_obj(s)));
}

// str(x): the text that println writes; bytes as they are, read as UTF-8.
static CspStatus builtin_str(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  if (is_obj(v, OBJ_STRING)) return csp_ok(call, v);
  if (is_obj(v, OBJ_BYTES)) return str_of_bytes(call, v);
  if (csp_needs_call(v)) return csp_tail_named(call, "_str", 1, &v);
  return ok_format(call, v, false);
}

static CspStatus builtin_type(CspCall *call) {
  const char *name = csp_type_name(csp_arg(call, 0));
  return csp_ok_string(call, name, strlen(name));
}

// --- Sizes -----------------------------------------------------------------------

static CspStatus range_len(CspCall *call, const ObjRange *range) {
  if (range->from > range->to) return csp_ok_int(call, 0);
  uint64_t count = (uint64_t)range->to - (uint64_t)range->from;
  if (range->inclusive) count++;
  if (count > INT64_MAX || (range->inclusive && count == 0)) {
    return csp_panic(call, "len: the range has more elements than an int");
  }
  return csp_ok_int(call, (int64_t)count);
}

// len(x): a string's or bytes' bytes, a list's elements, a map's keys, a
// range's numbers, and how many values wait in a channel's buffer.
static CspStatus builtin_len(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  switch (csp_type(v)) {
    case CSP_STRING:
      return csp_ok_int(call, (int64_t)((ObjString *)value_obj(v.word))->len);
    case CSP_BYTES:
      return csp_ok_int(call, (int64_t)csp_bytes_len(v));
    case CSP_LIST:
      return csp_ok_int(call, (int64_t)csp_list_len(v));
    case CSP_MAP:
      return csp_ok_int(call, (int64_t)csp_map_len(v));
    case CSP_RANGE:
      return range_len(call, (ObjRange *)value_obj(v.word));
    case CSP_CHAN:
      return csp_ok_int(call,
                        chan_count(&((ObjChan *)value_obj(v.word))->chan));
    default:
      return csp_bad_arg(call, 0,
                         "a string, bytes, list, map, range or channel");
  }
}

static CspStatus builtin_cap(CspCall *call) {
  CspValue v;
  if (!csp_need_type(call, 0, CSP_CHAN, &v)) return CSP_PANIC;
  return csp_ok_int(call, ((ObjChan *)value_obj(v.word))->chan.cap);
}

static CspStatus builtin_delete(CspCall *call) {
  CspValue map;
  if (!csp_need_type(call, 0, CSP_MAP, &map)) return CSP_PANIC;
  if (!csp_map_delete(call, map, csp_arg(call, 1), NULL)) return CSP_PANIC;
  return csp_ok_nothing(call);
}

// --- Conversions to numbers ---------------------------------------------------------

static CspStatus bad_text(CspCall *call, CspValue v, const char *wanted) {
  size_t len;
  char *text = csp_format(call, v, true, &len);
  if (!text) return csp_panic_memory(call);
  CspStatus status =
      csp_panic(call, "%s: %.60s%s is not %s", call->def->name, text,
                len > 60 ? "..." : "", wanted);
  free(text);
  return status;
}

// Decimal digits with an optional sign and nothing else.
static bool parse_int(const char *s, size_t len, int64_t *out) {
  size_t at = len > 0 && (s[0] == '-' || s[0] == '+');
  bool negative = at > 0 && s[0] == '-';
  if (at == len) return false;
  int64_t n = 0;
  for (; at < len; at++) {
    int digit = s[at] - '0';
    if (digit < 0 || digit > 9) return false;
    if (__builtin_mul_overflow(n, 10, &n)) return false;
    if (__builtin_sub_overflow(n, digit, &n)) return false;
  }
  if (!negative && n == INT64_MIN) return false;
  *out = negative ? n : -n;
  return true;
}

static CspStatus int_from_float(CspCall *call, double d) {
  if (!(d > -9223372036854777856.0 && d < 9223372036854775808.0)) {
    return bad_text(call, csp_arg(call, 0), "within the range of an int");
  }
  return csp_ok_int(call, (int64_t)d);
}

// int(x): a float loses its fraction (towards zero; out of range and NaN
// panic); a string must be decimal digits with an optional sign, nothing
// else; true is 1, false 0.
static CspStatus builtin_int(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  int64_t n;
  switch (csp_type(v)) {
    case CSP_INT:
      return csp_ok(call, v);
    case CSP_FLOAT:
      return int_from_float(call, csp_to_float(v));
    case CSP_BOOL:
      return csp_ok_int(call, csp_to_bool(v));
    case CSP_STRING: {
      size_t len;
      const char *s = csp_to_string(v, &len);
      if (!parse_int(s, len, &n)) return bad_text(call, v, "an int");
      return csp_ok_int(call, n);
    }
    default:
      return csp_bad_arg(call, 0, "a number, a string or a bool");
  }
}

// Digits with at most one point (a digit somewhere) and an exponent, or inf,
// infinity, nan; a sign. strtod alone would take hexadecimal and blanks.
static bool float_syntax(const char *s, size_t len) {
  for (size_t i = 0; i < len; i++) {
    bool known = (s[i] >= '0' && s[i] <= '9') || s[i] == '.' || s[i] == '-' ||
                 s[i] == '+' || s[i] == 'e' || s[i] == 'E';
    if (!known) return false;
  }
  return len > 0;
}

static bool float_word(const char *s, double *out) {
  const char *word = s + (*s == '-' || *s == '+');
  if (strcmp(word, "inf") == 0 || strcmp(word, "infinity") == 0) {
    *out = *s == '-' ? -INFINITY : INFINITY;
  } else if (strcmp(word, "nan") == 0) {
    *out = NAN;
  } else {
    return false;
  }
  return true;
}

static bool parse_float(const char *s, size_t len, double *out) {
  if (strlen(s) != len) return false;
  if (float_word(s, out)) return true;
  if (!float_syntax(s, len)) return false;
  char *end;
  *out = strtod(s, &end);
  return end == s + len;
}

// float(x): an int becomes the nearest float; a string must be a decimal
// number ("2", "2.5", "1e3", "inf", "-inf", "nan"); true is 1.0, false 0.0.
static CspStatus builtin_float(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  switch (csp_type(v)) {
    case CSP_FLOAT:
      return csp_ok(call, v);
    case CSP_INT:
      return csp_ok_float(call, csp_to_float(v));
    case CSP_BOOL:
      return csp_ok_float(call, csp_to_bool(v) ? 1.0 : 0.0);
    case CSP_STRING: {
      size_t len;
      double d;
      const char *s = csp_to_string(v, &len);
      if (!parse_float(s, len, &d)) return bad_text(call, v, "a float");
      return csp_ok_float(call, d);
    }
    default:
      return csp_bad_arg(call, 0, "a number, a string or a bool");
  }
}

// bool(x): false for nil and false, else true.
static CspStatus builtin_bool(CspCall *call) {
  return csp_ok_bool(call, csp_truthy(csp_arg(call, 0)));
}

// --- Conversions to containers --------------------------------------------------------

static CspStatus bytes_from_list(CspCall *call, CspValue list) {
  size_t count = csp_list_len(list);
  CspValue bytes = csp_bytes(call, NULL, count);
  if (csp_is_undef(bytes)) return csp_panic_memory(call);
  for (size_t i = 0; i < count; i++) {
    CspValue v = csp_list_get(list, i);
    int64_t n = value_is_int(v.word) ? value_int(v.word) : -1;
    if (n < 0 || n > 255) {
      return csp_panic(call, "bytes: element %zu must be an int from 0 to 255",
                       i);
    }
    uint8_t byte = (uint8_t)n;
    csp_bytes_write(bytes, i, &byte, 1);
  }
  csp_charge(call, count / 4);
  return csp_ok(call, bytes);
}

static CspStatus bytes_copy(CspCall *call, CspValue from) {
  size_t len = csp_bytes_len(from);
  CspValue to = csp_bytes(call, NULL, len);
  if (csp_is_undef(to)) return csp_panic_memory(call);
  ObjRaw *block = bytes_block((ObjBytes *)value_obj(to.word));
  csp_bytes_read(from, 0, block->data, len);
  csp_charge(call, len / 256);
  return csp_ok(call, to);
}

// bytes(x): a string's bytes, n zero bytes, a list of ints from 0 to 255, or a
// copy of bytes; without x no bytes.
static CspStatus builtin_bytes(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  switch (csp_type(v)) {
    case CSP_NIL:
      return csp_ok(call, csp_bytes(call, NULL, 0));
    case CSP_STRING: {
      size_t len;
      const char *s = csp_to_string(v, &len);
      csp_charge(call, len / 256);
      return csp_ok(call, csp_bytes(call, s, len));
    }
    case CSP_INT: {
      int64_t n = csp_to_int(v);
      if (n < 0 || n > (int64_t)STRING_LEN_MAX) {
        return csp_panic(call, "bytes: %lld is no possible length",
                         (long long)n);
      }
      return csp_ok(call, csp_bytes(call, NULL, (size_t)n));
    }
    case CSP_LIST:
      return bytes_from_list(call, v);
    case CSP_BYTES:
      return bytes_copy(call, v);
    default:
      return csp_bad_arg(call, 0, "a string, an int, a list or bytes");
  }
}

static CspStatus list_from_list(CspCall *call, CspValue from) {
  ObjValues *block = list_block((ObjList *)value_obj(from.word));
  size_t count = values_len(block);
  ObjList *list = list_new(call->local, count);
  if (!list || !list_append(call->local, list, block->slots, count)) {
    return csp_panic_memory(call);
  }
  csp_charge(call, count / 16);
  return csp_ok(call, csp_wrap(value_from_obj(list)));
}

static CspStatus list_from_map(CspCall *call, CspValue map) {
  CspValue list = csp_list(call, csp_map_len(map)), key, value;
  if (csp_is_undef(list)) return csp_panic_memory(call);
  CspIter iter = {0};
  while (csp_map_next(call, map, &iter, &key, &value)) {
    if (!csp_list_push(call, list, key)) return CSP_PANIC;
  }
  csp_charge(call, csp_list_len(list) / 4);
  return csp_ok(call, list);
}

static CspStatus list_from_string(CspCall *call, CspValue v) {
  size_t len, at = 0;
  const char *s = csp_to_string(v, &len);
  CspValue list = csp_list(call, len);
  if (csp_is_undef(list)) return csp_panic_memory(call);
  while (at < len) {
    uint32_t rune;
    size_t width = (size_t)utf8_decode(s, len, at, &rune);
    if (!csp_list_push(call, list, csp_string(call, s + at, width))) {
      return CSP_PANIC;
    }
    at += width;
  }
  csp_charge(call, len);
  return csp_ok(call, list);
}

static CspStatus list_from_bytes(CspCall *call, CspValue bytes) {
  size_t len = csp_bytes_len(bytes);
  CspValue list = csp_list(call, len);
  if (csp_is_undef(list)) return csp_panic_memory(call);
  for (size_t i = 0; i < len; i++) {
    uint8_t byte = 0;
    csp_bytes_read(bytes, i, &byte, 1);
    if (!csp_list_push(call, list, csp_int(call, byte))) return CSP_PANIC;
  }
  csp_charge(call, len / 4);
  return csp_ok(call, list);
}

// Counts up from `from`; an int n stands for 0..n.
static CspStatus list_from_ints(CspCall *call, int64_t from, int64_t to,
                                bool inclusive) {
  if (!inclusive && to == INT64_MIN) return csp_ok(call, csp_list(call, 0));
  int64_t last = inclusive ? to : to - 1;
  if (from > last) return csp_ok(call, csp_list(call, 0));
  uint64_t count = (uint64_t)last - (uint64_t)from + 1;
  if (count == 0 || count > STRING_LEN_MAX) {
    return csp_panic(call, "list: the range is too long for a list");
  }
  CspValue list = csp_list(call, (size_t)count);
  if (csp_is_undef(list)) return csp_panic_memory(call);
  for (uint64_t i = 0; i < count; i++) {
    if (!csp_list_push(call, list, csp_int(call, from + (int64_t)i))) {
      return CSP_PANIC;
    }
  }
  csp_charge(call, count / 4);
  return csp_ok(call, list);
}

// list(x): what `for v in x` would visit, as a list; without x an empty one.
static CspStatus builtin_list(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  switch (csp_type(v)) {
    case CSP_NIL:
      return csp_ok(call, csp_list(call, 0));
    case CSP_LIST:
      return list_from_list(call, v);
    case CSP_MAP:
      return list_from_map(call, v);
    case CSP_STRING:
      return list_from_string(call, v);
    case CSP_BYTES:
      return list_from_bytes(call, v);
    case CSP_INT:
      return list_from_ints(call, 0, csp_to_int(v), false);
    case CSP_RANGE: {
      ObjRange *range = (ObjRange *)value_obj(v.word);
      return list_from_ints(call, range->from, range->to, range->inclusive);
    }
    case CSP_FUNC:
    case CSP_CHAN:
      return csp_tail_named(call, "_list_from", 1, &v);
    default:
      return csp_bad_arg(call, 0, "something that for can go through");
  }
}

static CspStatus map_copy(CspCall *call, CspValue from) {
  CspValue to = csp_map(call, csp_map_len(from)), key, value;
  if (csp_is_undef(to)) return csp_panic_memory(call);
  CspIter iter = {0};
  while (csp_map_next(call, from, &iter, &key, &value)) {
    if (!csp_map_set(call, to, key, value)) return CSP_PANIC;
  }
  csp_charge(call, csp_map_len(to));
  return csp_ok(call, to);
}

static CspStatus map_from_pairs(CspCall *call, CspValue pairs) {
  size_t count = csp_list_len(pairs);
  CspValue map = csp_map(call, count);
  if (csp_is_undef(map)) return csp_panic_memory(call);
  for (size_t i = 0; i < count; i++) {
    CspValue pair = csp_list_get(pairs, i);
    if (csp_type(pair) != CSP_LIST || csp_list_len(pair) != 2) {
      return csp_panic(call, "map: element %zu must be a list [key, value]", i);
    }
    if (!csp_map_set(call, map, csp_list_get(pair, 0),
                     csp_list_get(pair, 1))) {
      return CSP_PANIC;
    }
  }
  csp_charge(call, count);
  return csp_ok(call, map);
}

// map(x): a copy of a map, or the map of a list of [key, value] lists; without
// x an empty one.
static CspStatus builtin_map(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  if (is_nil(v)) return csp_ok(call, csp_map(call, 0));
  if (is_obj(v, OBJ_MAP)) return map_copy(call, v);
  if (is_obj(v, OBJ_LIST)) return map_from_pairs(call, v);
  return csp_bad_arg(call, 0, "a map or a list of [key, value] lists");
}

static CspStatus instance_copy(CspCall *call, ObjInstance *from) {
  size_t count = from->obj.aux;
  size_t size = sizeof(ObjInstance) + count * sizeof(Value);
  ObjInstance *to =
      (ObjInstance *)heap_alloc(&call->local->heap, size, OBJ_INSTANCE);
  if (!to) return csp_panic_memory(call);
  to->obj.aux = from->obj.aux;
  to->type = from->type;
  for (size_t i = 0; i < count; i++) {
    to->fields[i] = heap_load(&from->fields[i]);
  }
  return csp_ok(call, csp_wrap(value_from_obj(to)));
}

// copy(x): a new list, map, bytes or struct with the same elements; values
// that cannot change give themselves.
static CspStatus builtin_copy(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  switch (csp_type(v)) {
    case CSP_LIST:
      return list_from_list(call, v);
    case CSP_MAP:
      return map_copy(call, v);
    case CSP_BYTES:
      return bytes_copy(call, v);
    case CSP_INSTANCE:
      return instance_copy(call, (ObjInstance *)value_obj(v.word));
    case CSP_CHAN:
    case CSP_TASK:
    case CSP_HOST:
      return csp_panic(call, "copy: a %s cannot be copied", csp_type_name(v));
    default:
      return csp_ok(call, v);
  }
}

// --- Comparing ---------------------------------------------------------------------

static CspStatus builtin_equal(CspCall *call) {
  uint64_t work = 0;
  bool too_deep = false;
  bool same = value_deep_equal(call->vm, csp_arg(call, 0).word,
                               csp_arg(call, 1).word, &work, &too_deep);
  csp_charge(call, work);
  if (too_deep) {
    return csp_panic(call, "equal: nested more than 10,000 values deep");
  }
  return csp_ok_bool(call, same);
}

// The i-th of the compared values: arguments, or the elements of the only
// argument, a list.
static CspValue extreme_value(CspCall *call, bool of_list, size_t i) {
  return of_list ? csp_list_get(csp_arg(call, 0), i) : csp_arg(call, (int)i);
}

// sign -1: the least, 1: the greatest; the first of equal ones. NaN wins.
static CspStatus extreme(CspCall *call, int sign) {
  bool of_list = call->argc == 1 && is_obj(csp_arg(call, 0), OBJ_LIST);
  size_t count =
      of_list ? csp_list_len(csp_arg(call, 0)) : (size_t)call->argc;
  if (count == 0) {
    return csp_panic(call, "%s: %s", call->def->name,
                     of_list ? "the list is empty" : "nothing to compare");
  }
  CspValue best = extreme_value(call, of_list, 0);
  if (csp_compare(best, best) == 3) {
    return csp_panic(call, "%s: values of type %s have no order", call->def->name,
                     csp_type_name(best));
  }
  for (size_t i = 1; i < count; i++) {
    CspValue v = extreme_value(call, of_list, i);
    int order = csp_compare(v, best);
    if (order == 3) {
      return csp_panic(call, "%s: cannot order %s and %s",
                       call->def->name, csp_type_name(best), csp_type_name(v));
    }
    bool nan = order == 2 && csp_compare(v, v) == 2;
    if (order == sign || nan) best = v;
  }
  csp_charge(call, count / 4);
  return csp_ok(call, best);
}

static CspStatus builtin_min(CspCall *call) { return extreme(call, -1); }

static CspStatus builtin_max(CspCall *call) { return extreme(call, 1); }

static CspStatus builtin_abs(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  if (value_is_int(v.word)) {
    int64_t n = value_int(v.word);
    if (n == INT64_MIN) return csp_panic(call, "abs: integer overflow");
    return n < 0 ? csp_ok_int(call, -n) : csp_ok(call, v);
  }
  double d;
  if (!csp_need_number(call, 0, &d)) return CSP_PANIC;
  return csp_ok_float(call, fabs(d));
}

// --- Errors ------------------------------------------------------------------------

static CspStatus builtin_error(CspCall *call) {
  return csp_ok(call, csp_error(call, csp_arg(call, 0), csp_arg(call, 1)));
}

static CspStatus builtin_panic(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  if (is_nil(v)) return csp_panic(call, "panic called with nil");
  vm_panic_value(call->local, call->g, v.word);
  call->panicked = true;
  return CSP_PANIC;
}

// assert(condition, message): panics when the condition is nil or false.
static CspStatus builtin_assert(CspCall *call) {
  if (csp_truthy(csp_arg(call, 0))) return csp_ok_nothing(call);
  CspValue message = csp_arg(call, 1);
  if (is_nil(message)) return csp_panic(call, "assertion failed");
  if (is_obj(message, OBJ_ERROR)) {
    vm_panic_value(call->local, call->g, message.word);
    call->panicked = true;
    return CSP_PANIC;
  }
  char *text = csp_format(call, message, false, NULL);
  if (!text) return csp_panic_memory(call);
  csp_panic(call, "assertion failed: %s", text);
  free(text);
  return CSP_PANIC;
}

// --- For the prelude ------------------------------------------------------------------

// _needs_call(v): whether its text needs a string() method's result.
static CspStatus builtin_needs_call(CspCall *call) {
  return csp_ok_bool(call, csp_needs_call(csp_arg(call, 0)));
}

// _show(v, quoted): its text, without calling string() methods.
static CspStatus builtin_show(CspCall *call) {
  return ok_format(call, csp_arg(call, 0), csp_truthy(csp_arg(call, 1)));
}

// _show_key(k): a map's key as in source, "name: " or "[k]: ".
static CspStatus builtin_show_key(CspCall *call) {
  CspValue map = csp_map(call, 1);
  if (csp_is_undef(map)) return csp_panic_memory(call);
  if (!csp_map_set(call, map, csp_arg(call, 0), csp_nil())) return CSP_PANIC;
  size_t len;
  char *text = csp_format(call, map, true, &len);  // {key: nil}
  if (!text) return csp_panic_memory(call);
  CspStatus status = csp_ok_string(call, text + 1, len - 5);
  free(text);
  return status;
}

// _parts(instance): its field names and values, one after the other; or nil
// when it has a string() method. _parts(error): [message].
static CspStatus builtin_parts(CspCall *call) {
  CspValue v = csp_arg(call, 0), list = csp_list(call, 8);
  if (csp_is_undef(list)) return csp_panic_memory(call);
  if (is_obj(v, OBJ_ERROR)) {
    csp_list_push(call, list, csp_error_message(v));
    return csp_ok(call, list);
  }
  if (!is_obj(v, OBJ_INSTANCE)) return csp_bad_arg(call, 0, "a struct");
  ObjInstance *instance = (ObjInstance *)value_obj(v.word);
  if (instance->type->string_method != VALUE_NIL) {
    return csp_ok(call, csp_nil());
  }
  for (size_t i = 0; i < instance->obj.aux; i++) {
    csp_list_push(call, list,
                  csp_wrap(value_from_obj(instance->type->fields[i])));
    csp_list_push(call, list, csp_wrap(heap_load(&instance->fields[i])));
  }
  return csp_ok(call, list);
}

// _kind(v): "list", "map", "struct", "error" or "other", whatever the struct
// is called.
static CspStatus builtin_kind(CspCall *call) {
  const char *kind;
  switch (csp_type(csp_arg(call, 0))) {
    case CSP_LIST:
      kind = "list";
      break;
    case CSP_MAP:
      kind = "map";
      break;
    case CSP_INSTANCE:
      kind = "struct";
      break;
    case CSP_ERROR:
      kind = "error";
      break;
    default:
      kind = "other";
  }
  return csp_ok_string(call, kind, strlen(kind));
}

const CspFunction builtin_functions[] = {
    {"print", "values...", builtin_print},
    {"println", "values...", builtin_println},
    {"str", "x", builtin_str},
    {"type", "x", builtin_type},
    {"len", "x", builtin_len},
    {"cap", "channel", builtin_cap},
    {"delete", "map, key", builtin_delete},
    {"int", "x", builtin_int},
    {"float", "x", builtin_float},
    {"bool", "x", builtin_bool},
    {"bytes", "x = nil", builtin_bytes},
    {"list", "x = nil", builtin_list},
    {"map", "x = nil", builtin_map},
    {"copy", "x", builtin_copy},
    {"equal", "a, b", builtin_equal},
    {"min", "values...", builtin_min},
    {"max", "values...", builtin_max},
    {"abs", "x", builtin_abs},
    {"error", "message, cause = nil", builtin_error},
    {"panic", "value", builtin_panic},
    {"assert", "condition, message = nil", builtin_assert},
    {"_needs_call", "v", builtin_needs_call},
    {"_show", "v, quoted", builtin_show},
    {"_show_key", "key", builtin_show_key},
    {"_parts", "v", builtin_parts},
    {"_kind", "v", builtin_kind},
    {NULL, NULL, NULL},
};
