// SPDX-License-Identifier: MIT
// The methods of lists that take no function. Methods that take one (map,
// filter, each, ...) are in prelude.csp, as no native here calls back into the
// language. sort and count are here, and call the prelude when they are given a
// function. A method that goes through all elements does so in pieces
// (pieces_loop.h). list_new.c has some of these.
//
// Other goroutines may change a list meanwhile. Then an element that has gone
// reads as nil, and nothing is written outside the list.
#include "stdlib/list_methods.h"
#include "stdlib/strings.h"
#include "vm/native/order.h"

// An index argument into a list of that length (`end`: its end, too).
static bool need_index(CspCall *call, int i, size_t len, bool end,
                       size_t *out) {
  int64_t at;
  if (!csp_need_int(call, i, &at)) return false;
  if (at < 0 || (uint64_t)at >= len + (end ? 1 : 0)) {
    csp_panic(call, "%s: index %lld out of range of a list of length %zu",
              csp_name(call), (long long)at, len);
    return false;
  }
  *out = (size_t)at;
  return true;
}

// --- Adding and taking ------------------------------------------------------
static CspStatus list_pop(CspCall *call) {
  CspValue list;
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  size_t len = csp_list_len(list);
  if (len == 0) return csp_panic(call, "pop: the list is empty");
  CspValue last = csp_list_get(list, len - 1);
  csp_list_remove(call, list, len - 1, 1);
  return csp_ok(call, last);
}

static CspStatus list_insert_value(CspCall *call) {
  CspValue list;
  size_t at;
  if (!need_list(call, 0, &list) ||
      !need_index(call, 1, csp_list_len(list), true, &at)) {
    return CSP_PANIC;
  }
  if (!csp_list_insert(call, list, at, csp_arg(call, 2))) return CSP_PANIC;
  return csp_ok(call, list);
}

// The element at i, taken out.
static CspStatus list_remove_at(CspCall *call) {
  CspValue list;
  size_t at;
  if (!need_list(call, 0, &list) ||
      !need_index(call, 1, csp_list_len(list), false, &at)) {
    return CSP_PANIC;
  }
  CspValue v = csp_list_get(list, at);
  csp_list_remove(call, list, at, 1);
  return csp_ok(call, v);
}

static CspStatus list_clear(CspCall *call) {
  CspValue list;
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  csp_list_remove(call, list, 0, csp_list_len(list));
  return csp_ok(call, list);
}

// Appends all elements of another list (which may be the same). Memory was out:
// what was added is taken off again, so that it can be repeated.
static bool extend_turns(CspCall *call, Loop *loop, size_t stop) {
  for (; loop->at < stop; loop->at++) {
    if (csp_list_push(call, loop->out, csp_list_get(loop->list, loop->at)))
      continue;
    size_t len = csp_list_len(loop->out), added = loop->at;
    if (added <= len) csp_list_remove(call, loop->out, len - added, added);
    return false;
  }
  return true;
}

static CspStatus list_extend(CspCall *call) {
  CspValue list, more;
  if (!need_list(call, 0, &list) || !need_items(call, 1, &more)) {
    return CSP_PANIC;
  }
  return loop_change(call, &(Loop){.list = more,
                                   .out = list,
                                   .end = csp_list_len(more),
                                   .turns = extend_turns,
                                   .done = loop_out,
                                   .units = 4});
}

static bool repeat_turns(CspCall *call, Loop *loop, size_t stop) {
  size_t count = (size_t)loop->n;
  for (; loop->at < stop; loop->at++) {
    if (!csp_list_push(call, loop->out,
                       csp_list_get(loop->list, loop->at % count)))
      return false;
  }
  return true;
}

// A new list: the elements n times over.
static CspStatus list_repeat(CspCall *call) {
  CspValue list;
  int64_t n;
  size_t total;
  if (!need_list(call, 0, &list) || !csp_need_int(call, 1, &n)) {
    return CSP_PANIC;
  }
  size_t count = csp_list_len(list);
  if (n < 0) return csp_bad_arg(call, 1, "0 or more");
  if (__builtin_mul_overflow(count, (size_t)n, &total) || total > STRING_MAX) {
    return csp_panic(call, "repeat: the list would be too long");
  }
  return loop_make(call, &(Loop){.list = list,
                                 .out = csp_list(call, total),
                                 .end = total,
                                 .n = (int64_t)count,
                                 .turns = repeat_turns,
                                 .done = loop_out,
                                 .units = 8});
}

static CspStatus list_swap(CspCall *call) {
  CspValue list;
  size_t i, j;
  if (!need_list(call, 0, &list) ||
      !need_index(call, 1, csp_list_len(list), false, &i) ||
      !need_index(call, 2, csp_list_len(list), false, &j)) {
    return CSP_PANIC;
  }
  CspValue v = csp_list_get(list, i);
  csp_list_set(call, list, i, csp_list_get(list, j));
  csp_list_set(call, list, j, v);
  return csp_ok(call, list);
}

// --- Looking ----------------------------------------------------------------
static CspStatus end_element(CspCall *call, bool last) {
  CspValue list;
  if (!need_items(call, 0, &list)) return CSP_PANIC;
  size_t len = csp_list_len(list);
  return csp_ok(call, csp_list_get(list, last && len > 0 ? len - 1 : 0));
}

// nil when the list is empty.
static CspStatus list_first(CspCall *call) { return end_element(call, false); }

static CspStatus list_last(CspCall *call) { return end_element(call, true); }

// --- Looking for a value ----------------------------------------------------
// Moves on to where `with` is (by ==).
static bool find_turns(CspCall *call, Loop *loop, size_t stop) {
  if (csp_list_find(call, loop->list, loop->with, &loop->at, stop)) {
    loop->n = (int64_t)loop->at;
    loop->at = loop->end;
  }
  return true;
}

static CspStatus find_done(CspCall *call, Loop *loop) {
  return csp_ok_int(call, loop->n);
}

static CspStatus contains_done(CspCall *call, Loop *loop) {
  return csp_ok_bool(call, loop->n >= 0);
}

static CspStatus find_value(CspCall *call, size_t from,
                            CspStatus (*done)(CspCall *call, Loop *loop)) {
  CspValue list;
  if (!need_items(call, 0, &list)) return CSP_PANIC;
  return loop_run(call, &(Loop){.list = list,
                                .with = csp_arg(call, 1),
                                .at = from,
                                .end = csp_list_len(list),
                                .n = -1,
                                .turns = find_turns,
                                .done = done});
}

static CspStatus list_index(CspCall *call) {
  CspValue list;
  int64_t from;
  if (!need_items(call, 0, &list) || !opt_int(call, 2, 0, &from)) {
    return CSP_PANIC;
  }
  return find_value(call, from > 0 ? (size_t)from : 0, find_done);
}

static CspStatus list_contains(CspCall *call) {
  return find_value(call, 0, contains_done);
}

// `at` counts from the end.
static bool find_last_turns(CspCall *call, Loop *loop, size_t stop) {
  for (; loop->at < stop && !csp_spent(call, 4); loop->at++) {
    size_t i = loop->end - 1 - loop->at;
    if (!csp_equal_on(call, csp_list_get(loop->list, i), loop->with)) continue;
    loop->n = (int64_t)i;
    loop->at = loop->end;
    break;
  }
  return true;
}

static CspStatus list_last_index(CspCall *call) {
  CspValue list;
  if (!need_items(call, 0, &list)) return CSP_PANIC;
  return loop_run(call, &(Loop){.list = list,
                                .with = csp_arg(call, 1),
                                .end = csp_list_len(list),
                                .n = -1,
                                .turns = find_last_turns,
                                .done = find_done});
}

static bool count_turns(CspCall *call, Loop *loop, size_t stop) {
  while (csp_list_find(call, loop->list, loop->with, &loop->at, stop)) {
    loop->n++;
    loop->at++;
  }
  return true;
}

// How many elements equal v; of a function, how many it is true for.
static CspStatus list_count(CspCall *call) {
  CspValue list, v = csp_arg(call, 1);
  if (!need_items(call, 0, &list)) return CSP_PANIC;
  if (csp_type(v) == CSP_FUNC) {
    CspValue argv[2] = {list, v};
    return csp_tail_named(call, "_count_if", 2, argv);
  }
  return loop_run(call, &(Loop){.list = list,
                                .with = v,
                                .end = csp_list_len(list),
                                .turns = count_turns,
                                .done = find_done,
                                .units = 8});
}

// In a sorted list: (the first index whose element is not less, found).
static CspStatus list_binary_search(CspCall *call) {
  CspValue list, v = csp_arg(call, 1);
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  size_t low = 0, high = csp_list_len(list);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = order_of(call, csp_list_get(list, middle), v, -1);
    if (order == 3) return order_refuse(call, csp_list_get(list, middle), v);
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  csp_return(call, csp_int(call, (int64_t)low));
  return csp_ok_bool(call, low < csp_list_len(list) &&
                               csp_equal_on(call, csp_list_get(list, low), v));
}

static CspStatus extreme_element(CspCall *call, int sign) {
  CspValue list;
  if (!need_items(call, 0, &list)) return CSP_PANIC;
  return csp_tail_named(call, sign < 0 ? "min" : "max", 1, &list);
}

static CspStatus list_min(CspCall *call) { return extreme_element(call, -1); }

static CspStatus list_max(CspCall *call) { return extreme_element(call, 1); }

static bool no_number(CspCall *call, const Loop *loop, CspValue v) {
  csp_panic(call, "sum: element %zu is no number, but %s", loop->at,
            csp_type_name(v));
  return false;
}

static bool sum_floats(CspCall *call, Loop *loop, size_t stop) {
  for (; loop->at < stop; loop->at++) {
    CspValue v = csp_list_get(loop->list, loop->at);
    if (csp_type(v) != CSP_INT && csp_type(v) != CSP_FLOAT)
      return no_number(call, loop, v);
    loop->x += csp_to_float(v);
  }
  return true;
}

static CspStatus sum_floats_done(CspCall *call, Loop *loop) {
  return csp_ok_float(call, loop->x);
}

// Exactly, until the first float.
static bool sum_ints(CspCall *call, Loop *loop, size_t stop) {
  int64_t sum = loop->n;
  for (; loop->at < stop; loop->at++) {
    CspValue v = csp_list_get(loop->list, loop->at);
    if (csp_type(v) != CSP_INT) {
      loop->x = (double)sum;
      loop->turns = sum_floats;
      loop->done = sum_floats_done;
      return sum_floats(call, loop, stop);
    }
    if (__builtin_add_overflow(sum, csp_to_int(v), &sum)) {
      csp_panic(call, "sum: integer overflow");
      return false;
    }
  }
  loop->n = sum;
  return true;
}

// 0 for an empty list.
static CspStatus list_sum(CspCall *call) {
  CspValue list;
  if (!need_items(call, 0, &list)) return CSP_PANIC;
  return loop_run(call, &(Loop){.list = list,
                                .end = csp_list_len(list),
                                .turns = sum_ints,
                                .done = find_done,
                                .units = 4});
}

// --- Order ------------------------------------------------------------------
// In place, stably; with a function by the prelude.
static CspStatus list_sort(CspCall *call) {
  CspValue list, less;
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  if (!is_nil(call, 1)) {
    if (!csp_need_type(call, 1, CSP_FUNC, &less)) return CSP_PANIC;
    CspValue argv[2] = {list, less};
    return csp_tail_named(call, "_sort", 2, argv);
  }
  return sort_list(call, list, csp_nil());
}

// _sort_by(list, keys): list in the order of its elements' keys. The other
// names are for panics.
static CspStatus sort_keys(CspCall *call) {
  return sort_list(call, csp_arg(call, 0), csp_arg(call, 1));
}

static bool reverse_turns(CspCall *call, Loop *loop, size_t stop) {
  for (; loop->at < stop; loop->at++) {
    size_t other = (size_t)loop->n - 1 - loop->at;
    CspValue v = csp_list_get(loop->list, loop->at);
    csp_list_set(call, loop->list, loop->at, csp_list_get(loop->list, other));
    csp_list_set(call, loop->list, other, v);
  }
  return true;
}

static CspStatus list_reverse(CspCall *call) {
  CspValue list;
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  size_t len = csp_list_len(list);
  return loop_change(call, &(Loop){.list = list,
                                   .end = len / 2,
                                   .n = (int64_t)len,
                                   .turns = reverse_turns,
                                   .done = loop_list,
                                   .units = 8});
}

// --- Tables -----------------------------------------------------------------
static const CspFunction list_methods[] = {
    CSP_REPEATABLE,
    CSP_STORED("pop", "list", list_pop),
    {"insert", "list, at, value", list_insert_value},
    CSP_STORED("remove", "list, at", list_remove_at),
    {"clear", "list", list_clear},
    {"extend", "list, other", list_extend},
    {"repeat", "list, n", list_repeat},
    {"swap", "list, i, j", list_swap},
    CSP_STORED("first", "list", list_first),
    CSP_STORED("last", "list", list_last),
    {"index", "list, value, from = 0", list_index},
    {"last_index", "list, value", list_last_index},
    {"contains", "list, value", list_contains},
    {"count", "list, value", list_count},
    {"binary_search", "list, value", list_binary_search},
    {"min", "list", list_min},
    {"max", "list", list_max},
    {"sum", "list", list_sum},
    {"sort", "list, less = nil", list_sort},
    {"reverse", "list", list_reverse},
    {"join", "list, sep = \"\"", strings_join},
    {"unique", "list", list_unique},
    {"flatten", "list, depth = 1", list_flatten},
    {"zip", "list, other", list_zip},
    {"enumerate", "list, start = 0", list_enumerate},
    {"chunk", "list, n", list_chunk},
    {"part", "list, from, to = nil", part_of_list},
    {NULL, NULL, NULL},
};

static const CspFunction tuple_methods[] = {
    CSP_REPEATABLE,
    CSP_STORED("first", "tuple", list_first),
    CSP_STORED("last", "tuple", list_last),
    {"index", "tuple, value, from = 0", list_index},
    {"last_index", "tuple, value", list_last_index},
    {"contains", "tuple, value", list_contains},
    {"count", "tuple, value", list_count},
    {"min", "tuple", list_min},
    {"max", "tuple", list_max},
    {"sum", "tuple", list_sum},
    {"join", "tuple, sep = \"\"", strings_join},
    {"part", "tuple, from, to = nil", part_of_tuple},
    {NULL, NULL, NULL},
};

static const CspFunction list_hidden[] = {
    CSP_REPEATABLE,
    {"_sort_by", "list, keys", sort_keys},
    {"_min_by", "list, keys", sort_keys},
    {"_max_by", "list, keys", sort_keys},
    {NULL, NULL, NULL},
};

bool list_install(Csp *csp) {
  return csp_register_methods(csp, CSP_LIST, list_methods) &&
         csp_register_methods(csp, CSP_TUPLE, tuple_methods) &&
         csp_register_builtins(csp, list_hidden);
}
