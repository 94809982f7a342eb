// SPDX-License-Identifier: MIT
// What natives of fuzz_api.c do with values and texts, besides what the
// library's own do.
#ifndef CSP_FUZZ_API_TEXTS_H
#define CSP_FUZZ_API_TEXTS_H

#include "tests/fuzz/api_class.h"
#include "tests/fuzz/api_files.h"
#include "tests/fuzz/api_rooms.h"

// A copy in memory of the runtime's, or libc's, or written in place.
static CspValue text_again(CspCall *call, const char *data, size_t len) {
  char *room;
  CspValue v;
  switch (len % 3) {
    case 0:
      v = csp_string_room(call, len, &room);
      if (!csp_is_undef(v)) memcpy(room, data, len);
      return v;
    case 1:
      room = malloc(len + 1);
      if (room == NULL) abort();
      memcpy(room, data, len);
      return csp_string_take(call, room, len);
    default:
      room = csp_alloc(csp_of(call), NULL, 1);
      char *more = csp_alloc(csp_of(call), room, len + 1);
      if (more == NULL) {
        csp_alloc_free(room);
        return csp_nil();
      }
      memcpy(more, data, len);
      return csp_alloc_take(call, more, len);
  }
}

// text(s): s again.
static CspStatus native_text(CspCall *call) {
  const char *data;
  size_t len;
  if (!csp_need_string(call, 0, &data, &len)) return CSP_PANIC;
  return csp_ok(call, text_again(call, data, len));
}

// find(s, part): its first and its last place, and s as a float.
static CspStatus native_find(CspCall *call) {
  const char *data, *part;
  size_t len, part_len;
  double d = 0;
  if (!csp_need_string(call, 0, &data, &len) ||
      !csp_need_string(call, 1, &part, &part_len))
    return CSP_PANIC;
  int64_t first = csp_find(call, data, len, part, part_len);
  int64_t last = csp_find_last(call, data, len, part, part_len);
  if (first == CSP_GIVEN_UP || last == CSP_GIVEN_UP) return CSP_PANIC;
  if (last < first) abort();
  if (first >= 0 && memcmp(data + last, part, part_len) != 0) abort();
  int error = csp_parse_float(call, data, len, &d);
  if (error == ECANCELED) return CSP_PANIC;
  char digits[32];
  if (error == 0 && csp_format_float(d, digits) != (int)strlen(digits)) abort();
  if (csp_format_seconds(first, digits) != (int)strlen(digits)) abort();
  csp_return(call, csp_int(call, first));
  return csp_ok_float(call, d);
}

// format(v): as its text, in the four ways.
static CspStatus native_format(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  size_t len;
  bool cut = true, calls = csp_needs_call_on(call, v);
  if (!csp_work(call, 1)) return CSP_PANIC;
  if (current->stepped && !calls && csp_needs_call(v)) abort();
  csp_alloc_free(csp_alloc_format_most(call, v, true, 200, &len, &cut));
  if (cut || csp_room(call) < 100000) return csp_tail_named(call, "str", 1, &v);
  free(csp_format(call, v, false, &len));
  csp_alloc_free(csp_alloc_format(call, v, true, &len));
  return csp_ok_bool(call, calls);
}

// order(a, b): the same for loops, which agree, unless they are given up.
static CspStatus native_order(CspCall *call) {
  CspValue a = csp_arg(call, 0), b = csp_arg(call, 1);
  bool equal = csp_equal_on(call, a, b);
  int order = csp_compare_on(call, a, b);
  if (!csp_work(call, 1)) return CSP_PANIC;
  if (current->stepped &&  // else others may change them meanwhile
      (equal != csp_equal(a, b) || order != csp_compare(a, b)))
    abort();
  return csp_ok_int(call, order);
}

// number(x): as C has it.
static CspStatus native_number(CspCall *call) {
  double d;
  if (csp_type(csp_arg(call, 0)) == CSP_BOOL)
    return csp_ok_bool(call, !csp_to_bool(csp_arg(call, 0)));
  if (!csp_need_number(call, 0, &d)) return CSP_PANIC;
  return csp_ok_float(call, d + csp_to_float(csp_arg(call, 0)));
}

// lists(a, b): append b to a, exchange them, look for a's last in b.
static CspStatus native_lists(CspCall *call) {
  CspValue a, b, both[2];
  size_t at = 0;
  if (!csp_need_type(call, 0, CSP_LIST, &a) ||
      !csp_need_type(call, 1, CSP_LIST, &b))
    return CSP_PANIC;
  both[0] = both[1] = csp_list_get(b, 0);
  if (csp_list_len(a) < 1000 && !csp_list_append(call, a, both, 2))
    return CSP_PANIC;
  csp_list_swap(call, a, b);
  size_t end = csp_list_len(a);
  bool found = csp_list_find(call, a, csp_list_get(b, 1), &at, end);
  if (at > end || (found && at == end)) abort();
  return csp_ok_int(call, (int64_t)at);
}

// clear(m): and what its size was.
static CspStatus native_clear(CspCall *call) {
  CspValue m;
  if (!csp_need_type(call, 0, CSP_MAP, &m)) return CSP_PANIC;
  size_t len = csp_map_len(m);
  if (!csp_map_clear(call, m)) return CSP_PANIC;
  return csp_ok_int(call, (int64_t)len);
}

// state(): how often it was called in this runtime, about.
static CspStatus native_state(CspCall *call) {
  Vec *vec = csp_state(csp_of(call), &vec_class);
  if (vec == NULL) return csp_panic_memory(call);
  return csp_ok_int(call, __atomic_fetch_add(&vec->n, 1, __ATOMIC_RELAXED));
}

// load(): what only the host may do, a native may not.
static CspStatus native_load(CspCall *call) {
  CspResult result;
  csp_load(call, "again.csp", "1", 1, &result);
  if (result.end == CSP_ENDED) return CSP_PANIC;
  if (result.end == CSP_DONE) abort();
  return csp_rethrow(call, &result);
}

// The method s.middle() of strings.
static CspStatus native_middle(CspCall *call) {
  size_t len;
  const char *data;
  if (!csp_view(csp_arg(call, 0), &data, &len)) abort();
  return csp_ok_string(call, data + len / 3, len / 3);
}

static CspStatus native_began(CspCall *call) { return csp_ok_nothing(call); }

// message(e): an error's.
static CspStatus native_message(CspCall *call) {
  CspValue error;
  if (!csp_need_type(call, 0, CSP_ERROR, &error)) return CSP_PANIC;
  return csp_ok(call, csp_error_message(error));
}

static void values_init(CspCall *call, CspValue module) {
  csp_module_set(call, module, "size", csp_int(call, INT64_MAX));
  csp_module_set(call, module, "of", csp_list(call, 3));
}

static const CspFunction texts[] = {
    {"_text", "s", native_text},
    {"_find", "s, part", native_find},
    {"_format", "v", native_format},
    {"_order", "a, b", native_order},
    {"_number", "x", native_number},
    {"_lists", "a, b", native_lists},
    {"_clear", "m", native_clear},
    {"_state", "", native_state},
    {"_load", "", native_load},
    {"_message", "e", native_message},
    {"_paths", "n", native_paths},
    {"_write", "s", native_write},
    {"_exit", "", native_exit},
    {"_args", "", native_args},
    {"_room", "len, left", native_room},
    {"_room_later", "len, left", native_room_later},
    {"_test_began", "", native_began},
    {"_test_ended", "v...", native_began},
    {NULL, NULL, NULL}};
enum { TEXTS = sizeof texts / sizeof *texts - 1 };
static const CspFunction string_methods[] = {{"middle", "s", native_middle},
                                             {NULL, NULL, NULL}};

#endif
