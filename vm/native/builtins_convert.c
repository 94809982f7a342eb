// SPDX-License-Identifier: MIT
// The predeclared conversions: int, float, bool, bytes, list, map, copy. What
// makes no sense panics; nothing is guessed (no blanks, no other bases).
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "vm/interp/native_call.h"
#include "vm/native/builtins.h"
#include "vm/object/box.h"
#include "vm/object/bytes.h"
#include "vm/object/host_type.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/range.h"
#include "vm/object/string.h"
#include "vm/object/tuple.h"
#include "vm/value/utf8.h"

// --- Conversions to numbers -------------------------------------------------
static CspStatus bad_text(CspCall *call, CspValue v, const char *wanted) {
  enum { SHOWN = 100 };  // bytes of a string, of which fewer are shown
  const char *s;
  size_t len;
  if (csp_view(v, &s, &len) && len > SHOWN) v = csp_string(call, s, SHOWN);
  char *text = csp_is_undef(v) ? NULL : csp_alloc_format(call, v, true, &len);
  if (text == NULL) return csp_panic_memory(call);
  CspStatus status = csp_panic(call, "%s: %.60s%s is not %s", call->def->name,
                               text, len > 60 ? "..." : "", wanted);
  mem_free(text);
  return status;
}

// csp_type would settle a string: the next append to it would copy it. So the
// conversions to numbers do not ask it.
static bool is_bool(CspValue v) {
  return v.word == VALUE_TRUE || v.word == VALUE_FALSE;
}

// Decimal digits with an optional sign and nothing else. ECANCELED: given up.
static int parse_int(CspCall *call, const char *s, size_t len, int64_t *out) {
  enum { LOOK = 1 << 15 };
  size_t at = len > 0 && (s[0] == '-' || s[0] == '+');
  bool negative = at > 0 && s[0] == '-';
  if (at == len) return EINVAL;
  int64_t n = 0;
  for (; at < len; at++) {
    int digit = s[at] - '0';
    if (digit < 0 || digit > 9) return EINVAL;
    if (__builtin_mul_overflow(n, 10, &n)) return ERANGE;
    if (__builtin_sub_overflow(n, digit, &n)) return ERANGE;
    if (at % LOOK == LOOK - 1 && !csp_work(call, LOOK * 2)) return ECANCELED;
  }
  if (!negative && n == INT64_MIN) return ERANGE;
  *out = negative ? n : -n;
  return 0;
}

static CspStatus int_from_string(CspCall *call, CspValue v) {
  const ObjString *string = (ObjString *)value_obj(v.word);
  int64_t n = 0;
  int error = parse_int(call, string_data(string), string->len, &n);
  if (error == ECANCELED) return CSP_PANIC;
  return error ? bad_text(call, v, "an int") : csp_ok_int(call, n);
}

static CspStatus int_from_float(CspCall *call, double d) {
  if (!(d > -9223372036854777856.0 && d < 9223372036854775808.0)) {
    return bad_text(call, csp_arg(call, 0), "within the range of an int");
  }
  return csp_ok_int(call, (int64_t)d);
}

// int(x): a float loses its fraction, towards zero. Out of range and NaN panic.
// A string must be decimal digits with an optional sign, and nothing else. true
// is 1, false 0.
CspStatus builtin_int(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  if (value_is_int(v.word)) return csp_ok(call, v);
  if (value_is_number(v.word)) return int_from_float(call, csp_to_float(v));
  if (value_is_type(v.word, OBJ_STRING)) return int_from_string(call, v);
  if (is_bool(v)) return csp_ok_int(call, csp_to_bool(v));
  return csp_bad_arg(call, 0, "a number, a string or a bool");
}

static bool float_is(const char *s, size_t len, const char *text) {
  return len == strlen(text) && memcmp(s, text, len) == 0;
}

static bool float_word(const char *s, size_t len, double *out) {
  size_t sign = len > 0 && (*s == '-' || *s == '+');
  const char *word = s + sign;
  len -= sign;
  if (float_is(word, len, "inf") || float_is(word, len, "infinity")) {
    *out = *s == '-' ? -INFINITY : INFINITY;
    return true;
  }
  *out = NAN;
  return float_is(word, len, "nan");
}

static CspStatus float_from_string(CspCall *call, CspValue v) {
  const ObjString *string = (ObjString *)value_obj(v.word);
  const char *s = string_data(string);
  double d;
  int error = csp_parse_float(call, s, string->len, &d);
  if (error == ECANCELED) return CSP_PANIC;
  bool ok = error == 0 || float_word(s, string->len, &d);
  return ok ? csp_ok_float(call, d) : bad_text(call, v, "a float");
}

// float(x): an int becomes the nearest float. A string must be a decimal number
// ("2", "2.5", "1e3", "inf", "-inf", "nan"). true is 1.0, false 0.0.
CspStatus builtin_float(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  if (value_is_int(v.word)) return csp_ok_float(call, csp_to_float(v));
  if (value_is_number(v.word)) return csp_ok(call, v);
  if (value_is_type(v.word, OBJ_STRING)) return float_from_string(call, v);
  if (is_bool(v)) return csp_ok_float(call, csp_to_bool(v) ? 1.0 : 0.0);
  return csp_bad_arg(call, 0, "a number, a string or a bool");
}

// bool(x): false for nil and false, else true.
CspStatus builtin_bool(CspCall *call) {
  return csp_ok_bool(call, csp_truthy(csp_arg(call, 0)));
}

// --- Conversions to lists and bytes -----------------------------------------
// In pieces: `turns` converts some. Others may change `from` meanwhile: what
// has gone is left out of a list.
typedef struct Convert Convert;
struct Convert {
  CspValue from, to;  // kept
  CspIter iter;       // its first word, too
  size_t at, end;
  // Moves `at` on, to `stop` as a rule. false: panicked.
  bool (*turns)(CspCall *call, Convert *convert, size_t stop);
  unsigned units, per;  // so many that many elements take
};
enum { CONVERT_KEPT = 3, CONVERT_TURNS = 256, CONVERT_BYTES = 1 << 14 };

static CspStatus convert_on(CspCall *call, void *data, bool on) {
  Convert *convert = data;
  if (!on) return CSP_PANIC;
  size_t most = convert->per > 1 ? CONVERT_BYTES : CONVERT_TURNS;
  while (convert->at < convert->end) {
    size_t from = convert->at, left = convert->end - from;
    if (!convert->turns(call, convert, from + (left < most ? left : most)))
      return CSP_PANIC;
    bool spent =
        csp_spent(call, (convert->at - from) * convert->units / convert->per);
    if (spent && convert->at < convert->end)
      return csp_again(call, convert_on, convert, sizeof *convert,
                       CONVERT_KEPT);
  }
  return csp_ok(call, convert->to);
}

static CspStatus convert(CspCall *call, Convert c) {
  if (csp_is_undef(c.to)) return csp_panic_memory(call);
  if (c.per == 0) c.per = 1;
  return convert_on(call, &c, true);
}

static bool ints_to_bytes(CspCall *call, Convert *convert, size_t stop) {
  for (; convert->at < stop; convert->at++) {
    CspValue v = csp_list_get(convert->from, convert->at);
    int64_t n = value_is_int(v.word) ? value_int(v.word) : -1;
    if (n < 0 || n > 255) {
      csp_panic(call, "bytes: element %zu must be an int from 0 to 255",
                convert->at);
      return false;
    }
    uint8_t byte = (uint8_t)n;
    csp_bytes_write(convert->to, convert->at, &byte, 1);
  }
  return true;
}

static CspStatus bytes_from_list(CspCall *call, CspValue list) {
  size_t count = csp_list_len(list);
  return convert(call, (Convert){.from = list,
                                 .to = csp_bytes(call, NULL, count),
                                 .end = count,
                                 .turns = ints_to_bytes,
                                 .units = 8});
}

static bool bytes_to_bytes(CspCall *call, Convert *convert, size_t stop) {
  (void)call;
  ObjRaw *block = bytes_block((ObjBytes *)value_obj(convert->to.word));
  csp_bytes_read(convert->from, convert->at, block->data + convert->at,
                 stop - convert->at);
  convert->at = stop;
  return true;
}

static bool text_to_bytes(CspCall *call, Convert *convert, size_t stop) {
  size_t len;
  const char *s = csp_to_string(convert->from, &len);
  (void)call;
  csp_bytes_write(convert->to, convert->at, s + convert->at,
                  stop - convert->at);
  convert->at = stop;
  return true;
}

// A byte of new memory takes more than one that is copied.
static CspStatus bytes_copy(CspCall *call, CspValue from, size_t len,
                            bool text) {
  return convert(call, (Convert){.from = from,
                                 .to = csp_bytes(call, NULL, len),
                                 .end = len,
                                 .turns = text ? text_to_bytes : bytes_to_bytes,
                                 .units = 1,
                                 .per = 4});
}

// bytes(x): a string's bytes, n zero bytes, a list of ints from 0 to 255, or a
// copy of bytes. Without x no bytes.
CspStatus builtin_bytes(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  switch (csp_type(v)) {
    case CSP_NIL:
      return csp_ok(call, csp_bytes(call, NULL, 0));
    case CSP_STRING: {
      size_t len;
      const char *s = csp_to_string(v, &len);
      if (len > CONVERT_BYTES) return bytes_copy(call, v, len, true);
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
      return bytes_copy(call, v, csp_bytes_len(v), false);
    default:
      return csp_bad_arg(call, 0, "a string, an int, a list or bytes");
  }
}

// What appends charges itself 1 for each.
static bool list_to_list(CspCall *call, Convert *convert, size_t stop) {
  const ObjValues *block = sequence_block(convert->from.word);
  size_t len = values_len(block), end = stop < len ? stop : len;
  size_t count = convert->at < end ? end - convert->at : 0;
  ObjList *list = (ObjList *)value_obj(convert->to.word);
  if (!list_append_part(call->local, list, block, convert->at, count)) {
    csp_panic_memory(call);
    return false;
  }
  convert->at += count;
  if (end < stop) convert->end = convert->at;
  return true;
}

static CspStatus list_from_list(CspCall *call, CspValue from) {
  size_t count = csp_list_len(from);
  return convert(call, (Convert){.from = from,
                                 .to = csp_list(call, count),
                                 .end = count,
                                 .turns = list_to_list,
                                 .units = 3});
}

static bool keys_to_list(CspCall *call, Convert *convert, size_t stop) {
  CspValue key, value;
  for (; convert->at < stop; convert->at++) {
    if (!csp_map_next(call, convert->from, &convert->iter, &key, &value)) {
      convert->end = convert->at;
      break;
    }
    if (!csp_list_push(call, convert->to, key)) return false;
  }
  return true;
}

static CspStatus list_from_map(CspCall *call, CspValue map) {
  return convert(call, (Convert){.from = map,
                                 .to = csp_list(call, csp_map_len(map)),
                                 .end = SIZE_MAX,
                                 .turns = keys_to_list,
                                 .units = 8});
}

static bool text_to_list(CspCall *call, Convert *convert, size_t stop) {
  size_t len;
  const char *s = csp_to_string(convert->from, &len);
  while (convert->at < stop) {
    uint32_t rune;
    size_t width = (size_t)utf8_decode(s, len, convert->at, &rune);
    if (!csp_list_push(call, convert->to,
                       csp_string(call, s + convert->at, width)))
      return false;
    convert->at += width;
  }
  return true;
}

static CspStatus list_from_string(CspCall *call, CspValue v) {
  size_t len;
  csp_to_string(v, &len);
  return convert(call, (Convert){.from = v,
                                 .to = csp_list(call, len),
                                 .end = len,
                                 .turns = text_to_list,
                                 .units = 24});
}

static bool bytes_to_list(CspCall *call, Convert *convert, size_t stop) {
  for (; convert->at < stop; convert->at++) {
    uint8_t byte;
    if (csp_bytes_read(convert->from, convert->at, &byte, 1) == 0) {
      convert->end = convert->at;
      break;
    }
    if (!csp_list_push(call, convert->to, csp_int(call, byte))) return false;
  }
  return true;
}

static CspStatus list_from_bytes(CspCall *call, CspValue bytes) {
  size_t len = csp_bytes_len(bytes);
  return convert(call, (Convert){.from = bytes,
                                 .to = csp_list(call, len),
                                 .end = len,
                                 .turns = bytes_to_list,
                                 .units = 8});
}

static bool ints_to_list(CspCall *call, Convert *convert, size_t stop) {
  const ObjRange *range = is_obj(convert->from, OBJ_RANGE)
                              ? (ObjRange *)value_obj(convert->from.word)
                              : NULL;
  for (; convert->at < stop; convert->at++) {
    int64_t n =
        range != NULL ? range_at(range, convert->at) : (int64_t)convert->at;
    if (!csp_list_push(call, convert->to, csp_int(call, n))) return false;
  }
  return true;
}

// How many ints an int or a range stands for; 0 for any other value.
static uint64_t ints_of(CspValue v) {
  uint64_t last;
  if (csp_type(v) == CSP_INT)
    return csp_to_int(v) > 0 ? (uint64_t)csp_to_int(v) : 0;
  if (csp_type(v) != CSP_RANGE ||
      !range_last((ObjRange *)value_obj(v.word), &last))
    return 0;
  return last == UINT64_MAX ? last : last + 1;
}

static CspStatus list_from_ints(CspCall *call, CspValue v) {
  size_t count = (size_t)ints_of(v);
  return convert(call, (Convert){.from = v,
                                 .to = csp_list(call, count),
                                 .end = count,
                                 .turns = ints_to_list,
                                 .units = 8});
}

// The argument is something that for goes through, and not too long.
static bool can_visit(CspCall *call, const char *made, CspStatus *failed) {
  CspValue v = csp_arg(call, 0);
  bool ok;
  switch (csp_type(v)) {
    case CSP_NIL:
    case CSP_LIST:
    case CSP_TUPLE:
    case CSP_MAP:
    case CSP_STRING:
    case CSP_BYTES:
    case CSP_FUNC:
    case CSP_CHAN:
      return true;
    case CSP_INT:
    case CSP_RANGE:
      if (ints_of(v) <= STRING_LEN_MAX) return true;
      *failed =
          csp_panic(call, "%s: the range is too long for a %s", made, made);
      return false;
    default:
      ok = csp_type(v) == CSP_HOST && host_iterate(v.word) != NULL;
      if (!ok)
        *failed = csp_bad_arg(call, 0, "something that for can go through");
      return ok;
  }
}

// list(x): what `for v in x` would visit, as a list. Without x an empty one.
CspStatus builtin_list(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  CspStatus failed;
  if (!can_visit(call, "list", &failed)) return failed;
  switch (csp_type(v)) {
    case CSP_NIL:
      return csp_ok(call, csp_list(call, 0));
    case CSP_LIST:
    case CSP_TUPLE:
      return list_from_list(call, v);
    case CSP_MAP:
      return list_from_map(call, v);
    case CSP_STRING:
      return list_from_string(call, v);
    case CSP_BYTES:
      return list_from_bytes(call, v);
    case CSP_INT:
    case CSP_RANGE:
      return list_from_ints(call, v);
    default:
      return csp_tail_named(call, "_list_from", 1, &v);
  }
}

// tuple(x): what `for v in x` would visit, as a tuple. Without x the empty one.
CspStatus builtin_tuple(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  CspStatus status;
  if (!can_visit(call, "tuple", &status)) return status;
  if (csp_type(v) == CSP_TUPLE) return csp_ok(call, v);
  if (csp_type(v) == CSP_NIL) return csp_ok(call, csp_tuple(call, NULL, 0));
  if (!is_obj(v, OBJ_LIST)) return csp_tail_named(call, "_tuple_from", 1, &v);
  const ObjValues *block = sequence_block(v.word);
  const char *failed;
  ObjTuple *made =
      tuple_part(call->local, block, 0, values_len(block), &failed);
  if (made != NULL) return csp_ok(call, csp_wrap(value_from_obj(made)));
  return failed != NULL ? csp_panic(call, "tuple: %s", failed)
                        : csp_panic_memory(call);
}

// An empty map, with room, and a value for missing keys, or nil for none.
static CspValue new_map(CspCall *call, size_t cap, Value missing) {
  if (missing == VALUE_NIL) return csp_map(call, cap);
  ObjMap *map = map_new_default(call->local, cap, missing);
  return csp_wrap(map != NULL ? value_from_obj(map) : VALUE_UNDEF);
}

static bool map_to_map(CspCall *call, Convert *convert, size_t stop) {
  RT_ASSERT(convert->at < stop);
  CspValue key, value;
  for (; convert->at < stop; convert->at++) {
    if (!csp_map_next(call, convert->from, &convert->iter, &key, &value)) {
      convert->end = convert->at;
      break;
    }
    if (!csp_map_set(call, convert->to, key, value)) return false;
  }
  return true;
}

static CspStatus map_copy(CspCall *call, CspValue from, Value missing) {
  return convert(call,
                 (Convert){.from = from,
                           .to = new_map(call, csp_map_len(from), missing),
                           .end = SIZE_MAX,
                           .turns = map_to_map,
                           .units = 32});
}

static bool pairs_to_map(CspCall *call, Convert *convert, size_t stop) {
  for (; convert->at < stop; convert->at++) {
    CspValue pair = csp_list_get(convert->from, convert->at);
    if (sequence_block(pair.word) == NULL || csp_list_len(pair) != 2) {
      csp_panic(call, "map: element %zu must be a list [key, value] or a tuple",
                convert->at);
      return false;
    }
    if (!csp_map_set(call, convert->to, csp_list_get(pair, 0),
                     csp_list_get(pair, 1)))
      return false;
  }
  return true;
}

static CspStatus map_from_pairs(CspCall *call, CspValue pairs, Value missing) {
  size_t count = csp_list_len(pairs);
  return convert(call, (Convert){.from = pairs,
                                 .to = new_map(call, count, missing),
                                 .end = count,
                                 .turns = pairs_to_map,
                                 .units = 32});
}

// A value that all missing keys would share, and that could be changed: v, or
// one in a tuple. VALUE_UNDEF: there is none among the next *left values.
static Value shared_default(Value v, int *left) {
  if (value_is_type(v, OBJ_LIST) || value_is_type(v, OBJ_MAP) ||
      value_is_type(v, OBJ_BYTES) || value_is_type(v, OBJ_INSTANCE))
    return v;
  if (!value_is_type(v, OBJ_TUPLE)) return VALUE_UNDEF;
  const ObjValues *values = &((ObjTuple *)value_obj(v))->values;
  Value shared = VALUE_UNDEF;
  for (size_t n = 0; n < values->len && shared == VALUE_UNDEF && --*left >= 0;
       n++)
    shared = shared_default(values->slots[n], left);
  return shared;
}

// map(x, default): a copy of a map, or the map of a list of [key, value] lists.
// Without x an empty one. Reading a missing key gives the default. A copy has
// that of the map, unless another is given.
CspStatus builtin_map(CspCall *call) {
  CspValue v = csp_arg(call, 0), missing = csp_arg(call, 1);
  int left = 1000;
  Value shared = shared_default(missing.word, &left);
  if (shared != VALUE_UNDEF)
    return csp_panic(call,
                     "map: all keys would share one %s as the default (write "
                     "`m[key] ?\?= ...` where a key is first used)",
                     csp_type_name(csp_wrap(shared)));
  if (csp_type(v) == CSP_NIL) {
    CspValue map = new_map(call, 0, missing.word);
    return csp_is_undef(map) ? csp_panic_memory(call) : csp_ok(call, map);
  }
  if (is_obj(v, OBJ_MAP)) {
    Value own = map_missing((ObjMap *)value_obj(v.word));
    return map_copy(call, v, missing.word != VALUE_NIL ? missing.word : own);
  }
  if (is_obj(v, OBJ_LIST)) return map_from_pairs(call, v, missing.word);
  return csp_bad_arg(call, 0, "a map or a list of [key, value] lists");
}

static CspStatus instance_copy(CspCall *call, ObjInstance *from) {
  size_t count = from->obj.aux;
  size_t size = sizeof(ObjInstance) + count * sizeof(Value);
  ObjInstance *to =
      (ObjInstance *)heap_alloc(&call->local->heap, size, OBJ_INSTANCE);
  if (to == NULL) return csp_panic_memory(call);
  to->obj.aux = from->obj.aux;
  to->type = from->type;
  for (size_t i = 0; i < count; i++) {
    to->fields[i] = heap_load(&from->fields[i]);
  }
  return csp_ok(call, csp_wrap(value_from_obj(to)));
}

// copy(x): a new list, map, bytes or struct with the same elements. Values that
// cannot change give themselves.
CspStatus builtin_copy(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  if (value_is_type(v.word, OBJ_STRING)) return csp_ok(call, v);
  switch (csp_type(v)) {
    case CSP_LIST:
      return list_from_list(call, v);
    case CSP_MAP:
      return map_copy(call, v, map_missing((ObjMap *)value_obj(v.word)));
    case CSP_BYTES:
      return bytes_copy(call, v, csp_bytes_len(v), false);
    case CSP_INSTANCE:
      return instance_copy(call, (ObjInstance *)value_obj(v.word));
    case CSP_CHAN:
    case CSP_TASK:
    case CSP_TIMER:
    case CSP_MUTEX:
    case CSP_SEMAPHORE:
    case CSP_HOST:
      return csp_panic(call, "copy: %s cannot be copied", csp_type_name(v));
    default:
      return csp_ok(call, v);
  }
}
