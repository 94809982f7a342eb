// SPDX-License-Identifier: MIT
// The methods of lists that take no function. Those that do (map, filter,
// each, ...) are in prelude.csp, as no native calls back into the language;
// sort and count hand over to it when they are given a function.
//
// Other goroutines may change a list meanwhile: an element that has gone reads
// as nil, and nothing is written outside the list.
#include <stdlib.h>
#include <string.h>

#include "stdlib/strings.h"

static bool need_list(CspCall *call, int i, CspValue *out) {
  return csp_need_type(call, i, CSP_LIST, out);
}

// An index argument into a list of that length (`end`: its end, too).
static bool need_index(CspCall *call, int i, size_t len, bool end,
                       size_t *out) {
  int64_t at;
  if (!csp_need_int(call, i, &at)) return false;
  if (at < 0 || (uint64_t)at >= len + (end ? 1 : 0)) {
    csp_panic(call, "index %lld out of range of a list of length %zu",
              (long long)at, len);
    return false;
  }
  *out = (size_t)at;
  return true;
}

// --- Adding and taking ------------------------------------------------------
// Memory was out: what was added to the list is taken off again.
static CspStatus take_back(CspCall *call, CspValue list, size_t len) {
  csp_list_remove(call, list, len, csp_list_len(list) - len);
  return CSP_PANIC;
}

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
  csp_charge(call, (csp_list_len(list) - at) / 16);
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
  csp_charge(call, (csp_list_len(list) - at) / 16);
  csp_list_remove(call, list, at, 1);
  return csp_ok(call, v);
}

static CspStatus list_clear(CspCall *call) {
  CspValue list;
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  csp_list_remove(call, list, 0, csp_list_len(list));
  return csp_ok(call, list);
}

// Appends all elements of another list (which may be the same).
static CspStatus list_extend(CspCall *call) {
  CspValue list, more;
  if (!need_list(call, 0, &list) || !need_list(call, 1, &more)) {
    return CSP_PANIC;
  }
  size_t len = csp_list_len(list), count = csp_list_len(more);
  for (size_t i = 0; i < count; i++) {
    if (!csp_list_push(call, list, csp_list_get(more, i)))
      return take_back(call, list, len);
  }
  csp_charge(call, count / 4);
  return csp_ok(call, list);
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
  CspValue out = csp_list(call, total);
  if (csp_is_undef(out)) return csp_panic_memory(call);
  for (size_t i = 0; i < total; i++) {
    if (!csp_list_push(call, out, csp_list_get(list, i % count))) {
      return CSP_PANIC;
    }
  }
  csp_charge(call, total / 4);
  return csp_ok(call, out);
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
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  size_t len = csp_list_len(list);
  return csp_ok(call, csp_list_get(list, last && len > 0 ? len - 1 : 0));
}

// nil when the list is empty.
static CspStatus list_first(CspCall *call) { return end_element(call, false); }

static CspStatus list_last(CspCall *call) { return end_element(call, true); }

// Where v stands (by ==) from `from` on, or -1.
static int64_t find_value(CspCall *call, CspValue list, CspValue v,
                          size_t from) {
  size_t len = csp_list_len(list);
  for (size_t i = from; i < len; i++) {
    if (!csp_equal(csp_list_get(list, i), v)) continue;
    csp_charge(call, i / 4);
    return (int64_t)i;
  }
  csp_charge(call, len / 4);
  return -1;
}

static CspStatus list_index(CspCall *call) {
  CspValue list;
  int64_t from;
  if (!need_list(call, 0, &list) || !opt_int(call, 2, 0, &from)) {
    return CSP_PANIC;
  }
  return csp_ok_int(call, find_value(call, list, csp_arg(call, 1),
                                     from > 0 ? (size_t)from : 0));
}

static CspStatus list_last_index(CspCall *call) {
  CspValue list;
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  size_t i = csp_list_len(list);
  while (i > 0 && !csp_equal(csp_list_get(list, i - 1), csp_arg(call, 1))) i--;
  csp_charge(call, csp_list_len(list) / 4);
  return csp_ok_int(call, (int64_t)i - 1);
}

static CspStatus list_contains(CspCall *call) {
  CspValue list;
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  return csp_ok_bool(call, find_value(call, list, csp_arg(call, 1), 0) >= 0);
}

// How many elements equal v; of a function, how many it is true for.
static CspStatus list_count(CspCall *call) {
  CspValue list, v = csp_arg(call, 1);
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  if (csp_type(v) == CSP_FUNC) {
    CspValue argv[2] = {list, v};
    return csp_tail_named(call, "_count_if", 2, argv);
  }
  size_t len = csp_list_len(list);
  int64_t count = 0;
  for (size_t i = 0; i < len; i++) count += csp_equal(csp_list_get(list, i), v);
  csp_charge(call, len / 4);
  return csp_ok_int(call, count);
}

// In a sorted list: (the first index whose element is not less, found).
static CspStatus list_binary_search(CspCall *call) {
  CspValue list, v = csp_arg(call, 1);
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  size_t low = 0, high = csp_list_len(list);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = csp_compare(csp_list_get(list, middle), v);
    if (order == 3) {
      return csp_panic(call, "binary_search: cannot order %s and %s",
                       csp_type_name(csp_list_get(list, middle)),
                       csp_type_name(v));
    }
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  csp_return(call, csp_int(call, (int64_t)low));
  return csp_ok_bool(
      call, low < csp_list_len(list) && csp_equal(csp_list_get(list, low), v));
}

static CspStatus extreme(CspCall *call, int sign) {
  CspValue list;
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  return csp_tail_named(call, sign < 0 ? "min" : "max", 1, &list);
}

static CspStatus list_min(CspCall *call) { return extreme(call, -1); }

static CspStatus list_max(CspCall *call) { return extreme(call, 1); }

// 0 for an empty list; ints exactly until the first float.
static CspStatus list_sum(CspCall *call) {
  CspValue list;
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  size_t len = csp_list_len(list), i = 0;
  int64_t whole = 0;
  for (; i < len && csp_type(csp_list_get(list, i)) == CSP_INT; i++) {
    if (__builtin_add_overflow(whole, csp_to_int(csp_list_get(list, i)),
                               &whole)) {
      return csp_panic(call, "sum: integer overflow");
    }
  }
  csp_charge(call, len / 4);
  if (i == len) return csp_ok_int(call, whole);
  double sum = (double)whole;
  for (; i < len; i++) {
    CspValue v = csp_list_get(list, i);
    if (csp_type(v) != CSP_INT && csp_type(v) != CSP_FLOAT) {
      return csp_panic(call, "sum: element %zu is no number, but a %s", i,
                       csp_type_name(v));
    }
    sum += csp_to_float(v);
  }
  return csp_ok_float(call, sum);
}

// --- Order ------------------------------------------------------------------
// The elements in C memory (at least one slot); NULL: panicked.
static CspValue *snapshot(CspCall *call, CspValue list, size_t *count) {
  *count = csp_list_len(list);
  CspValue *values = room_alloc(call, *count + 1, sizeof *values);
  if (!values) csp_panic_memory(call);
  for (size_t i = 0; values && i < *count; i++) {
    values[i] = csp_list_get(list, i);
  }
  return values;
}

static void store(CspCall *call, CspValue list, const CspValue *values,
                  size_t count) {
  for (size_t i = 0; i < count; i++) csp_list_set(call, list, i, values[i]);
}

// In place, stably; with a function by the prelude.
static CspStatus list_sort(CspCall *call) {
  CspValue list, less;
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  if (!is_nil(call, 1)) {
    if (!csp_need_type(call, 1, CSP_FUNC, &less)) return CSP_PANIC;
    CspValue argv[2] = {list, less};
    return csp_tail_named(call, "_sort", 2, argv);
  }
  size_t count;
  CspValue *values = snapshot(call, list, &count);
  if (!values) return CSP_PANIC;
  bool sorted = sort_values(call, values, NULL, count);
  if (sorted) store(call, list, values, count);
  free(values);
  return sorted ? csp_ok(call, list) : CSP_PANIC;
}

// _sort_keys(list, keys): list in the order of its elements' keys.
static CspStatus sort_keys(CspCall *call) {
  CspValue list = csp_arg(call, 0);
  size_t count, key_count;
  CspValue *values = snapshot(call, list, &count);
  if (!values) return CSP_PANIC;
  CspValue *keys = snapshot(call, csp_arg(call, 1), &key_count);
  bool sorted = keys && sort_values(call, values, keys,
                                    count < key_count ? count : key_count);
  if (sorted) store(call, list, values, count);
  free(values);
  free(keys);
  return sorted ? csp_ok(call, list) : CSP_PANIC;
}

static CspStatus list_reverse(CspCall *call) {
  CspValue list;
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  size_t len = csp_list_len(list);
  for (size_t i = 0; i < len / 2; i++) {
    CspValue v = csp_list_get(list, i);
    csp_list_set(call, list, i, csp_list_get(list, len - 1 - i));
    csp_list_set(call, list, len - 1 - i, v);
  }
  csp_charge(call, len / 4);
  return csp_ok(call, list);
}

// --- New lists from old -----------------------------------------------------
// NaN and bytes cannot be keys of a map: NaN is like nothing, bytes are
// looked for among the results.
static bool is_new(CspCall *call, CspValue seen, CspValue out, CspValue v) {
  CspValue found;
  if (csp_type(v) == CSP_BYTES) return find_value(call, out, v, 0) < 0;
  if (!csp_equal(v, v)) return true;
  if (csp_map_get(call, seen, v, &found)) return false;
  return csp_map_set(call, seen, v, csp_bool(true));
}

// The first of each group of equal elements, in a new list.
static CspStatus list_unique(CspCall *call) {
  CspValue list;
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  CspValue seen = csp_map(call, 8), out = csp_list(call, 8);
  if (csp_is_undef(seen) || csp_is_undef(out)) return csp_panic_memory(call);
  for (size_t i = 0; i < csp_list_len(list); i++) {
    CspValue v = csp_list_get(list, i);
    if (is_new(call, seen, out, v) && !csp_list_push(call, out, v)) break;
  }
  csp_charge(call, csp_list_len(list) * 2);
  return csp_ok(call, out);
}

// Lists among the elements are replaced by their elements; `depth` levels.
static bool flatten(CspCall *call, CspValue list, CspValue out, int64_t depth) {
  size_t len = csp_list_len(list);
  csp_charge(call, len / 4);
  for (size_t i = 0; i < len; i++) {
    CspValue v = csp_list_get(list, i);
    bool inner = depth > 0 && csp_type(v) == CSP_LIST;
    if (!(inner ? flatten(call, v, out, depth - 1)
                : csp_list_push(call, out, v))) {
      return false;
    }
  }
  return true;
}

static CspStatus list_flatten(CspCall *call) {
  CspValue list;
  int64_t depth;
  if (!need_list(call, 0, &list) || !opt_int(call, 1, 1, &depth)) {
    return CSP_PANIC;
  }
  if (depth < 0 || depth > 1000) {
    return csp_bad_arg(call, 1, "from 0 to 1000");
  }
  CspValue out = csp_list(call, csp_list_len(list));
  if (csp_is_undef(out)) return csp_panic_memory(call);
  return flatten(call, list, out, depth) ? csp_ok(call, out) : CSP_PANIC;
}

static bool push_pair(CspCall *call, CspValue out, CspValue a, CspValue b) {
  CspValue pair = csp_list(call, 2);
  if (csp_is_undef(pair)) {
    csp_panic_memory(call);
    return false;
  }
  return csp_list_push(call, pair, a) && csp_list_push(call, pair, b) &&
         csp_list_push(call, out, pair);
}

// [[a0, b0], [a1, b1], ...], as long as the shorter.
static CspStatus list_zip(CspCall *call) {
  CspValue list, other;
  if (!need_list(call, 0, &list) || !need_list(call, 1, &other)) {
    return CSP_PANIC;
  }
  size_t count = csp_list_len(list);
  if (csp_list_len(other) < count) count = csp_list_len(other);
  CspValue out = csp_list(call, count);
  if (csp_is_undef(out)) return csp_panic_memory(call);
  for (size_t i = 0; i < count; i++) {
    if (!push_pair(call, out, csp_list_get(list, i), csp_list_get(other, i))) {
      return CSP_PANIC;
    }
  }
  csp_charge(call, count * 2);
  return csp_ok(call, out);
}

// [[0, a], [1, b], ...]
static CspStatus list_enumerate(CspCall *call) {
  CspValue list;
  int64_t start;
  if (!need_list(call, 0, &list) || !opt_int(call, 1, 0, &start)) {
    return CSP_PANIC;
  }
  size_t count = csp_list_len(list);
  CspValue out = csp_list(call, count);
  if (csp_is_undef(out)) return csp_panic_memory(call);
  for (size_t i = 0; i < count; i++) {
    int64_t n = (int64_t)((uint64_t)start + i);
    if (!push_pair(call, out, csp_int(call, n), csp_list_get(list, i))) {
      return CSP_PANIC;
    }
  }
  csp_charge(call, count * 2);
  return csp_ok(call, out);
}

// Lists of n elements each; the last has what is left.
static CspStatus list_chunk(CspCall *call) {
  CspValue list, piece = csp_nil();
  int64_t n;
  if (!need_list(call, 0, &list) || !csp_need_int(call, 1, &n)) {
    return CSP_PANIC;
  }
  if (n < 1) return csp_bad_arg(call, 1, "1 or more");
  size_t count = csp_list_len(list);
  CspValue out = csp_list(call, 4);
  if (csp_is_undef(out)) return csp_panic_memory(call);
  for (size_t i = 0; i < count; i++) {
    if (i % (uint64_t)n == 0) {
      piece = csp_list(call, 4);
      if (!csp_list_push(call, out, piece)) return CSP_PANIC;
    }
    if (!csp_list_push(call, piece, csp_list_get(list, i))) return CSP_PANIC;
  }
  csp_charge(call, count / 2);
  return csp_ok(call, out);
}

// --- Tables -----------------------------------------------------------------
static const CspFunction list_methods[] = {
    CSP_REPEATABLE,
    {"pop", "list", list_pop},
    {"insert", "list, at, value", list_insert_value},
    {"remove", "list, at", list_remove_at},
    {"clear", "list", list_clear},
    {"extend", "list, other", list_extend},
    {"repeat", "list, n", list_repeat},
    {"swap", "list, i, j", list_swap},
    {"first", "list", list_first},
    {"last", "list", list_last},
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
    {NULL, NULL, NULL},
};

static const CspFunction hidden[] = {
    CSP_REPEATABLE,
    {"_sort_keys", "list, keys", sort_keys},
    {NULL, NULL, NULL},
};

bool list_install(Csp *csp) {
  return csp_register_methods(csp, CSP_LIST, list_methods) &&
         csp_register_builtins(csp, hidden);
}
