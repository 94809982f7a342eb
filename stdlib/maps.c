// SPDX-License-Identifier: MIT
// The module maps. (Maps have no methods: m.name is the key "name".) The
// functions that take functions are in maps.csp.
#include <stdlib.h>

#include "stdlib/stdlib.h"

static bool need_map(CspCall *call, int i, CspValue *out) {
  return csp_need_type(call, i, CSP_MAP, out);
}

// A new container that was made, or a panic.
static bool made(CspCall *call, CspValue v) {
  if (csp_is_undef(v)) csp_panic_memory(call);
  return !csp_is_undef(v);
}

typedef enum Part { KEYS, VALUES, ITEMS } Part;

static bool push_part(CspCall *call, CspValue out, Part part, CspValue key,
                      CspValue value) {
  if (part != ITEMS) {
    return csp_list_push(call, out, part == KEYS ? key : value);
  }
  CspValue pair = csp_list(call, 2);
  return made(call, pair) && csp_list_push(call, pair, key) &&
         csp_list_push(call, pair, value) && csp_list_push(call, out, pair);
}

static CspStatus parts(CspCall *call, Part part) {
  CspValue map, key, value;
  if (!need_map(call, 0, &map)) return CSP_PANIC;
  CspValue out = csp_list(call, csp_map_len(map));
  if (!made(call, out)) return CSP_PANIC;
  CspIter iter = {0};
  while (csp_map_next(call, map, &iter, &key, &value)) {
    if (!push_part(call, out, part, key, value)) return CSP_PANIC;
  }
  csp_charge(call, csp_list_len(out) / 2);
  return csp_ok(call, out);
}

static CspStatus maps_keys(CspCall *call) { return parts(call, KEYS); }

static CspStatus maps_values(CspCall *call) { return parts(call, VALUES); }

// [[key, value], ...]
static CspStatus maps_items(CspCall *call) { return parts(call, ITEMS); }

static CspStatus maps_sorted_keys(CspCall *call) {
  CspValue map, key, value;
  if (!need_map(call, 0, &map)) return CSP_PANIC;
  size_t cap = csp_map_len(map), count = 0;
  CspValue *keys = room_alloc(call, cap + 1, sizeof *keys);
  CspValue out = csp_list(call, cap);
  if (!keys || csp_is_undef(out)) {
    free(keys);
    return csp_panic_memory(call);
  }
  CspIter iter = {0};
  while (count < cap && csp_map_next(call, map, &iter, &key, &value)) {
    keys[count++] = key;
  }
  bool ok = sort_values(call, keys, NULL, count);
  for (size_t i = 0; i < count && ok; i++) {
    ok = csp_list_push(call, out, keys[i]);
  }
  free(keys);
  return ok ? csp_ok(call, out) : CSP_PANIC;
}

// Sets all of from's pairs in to.
static bool add_all(CspCall *call, CspValue to, CspValue from) {
  CspValue key, value;
  CspIter iter = {0};
  csp_charge(call, csp_map_len(from));
  while (csp_map_next(call, from, &iter, &key, &value)) {
    if (!csp_map_set(call, to, key, value)) return false;
  }
  return true;
}

// The pairs of the argument maps from the i-th on go into `to`.
static bool add_args(CspCall *call, CspValue to, int i) {
  for (; i < csp_argc(call); i++) {
    CspValue from;
    if (!need_map(call, i, &from) || !add_all(call, to, from)) return false;
  }
  return true;
}

// A new map with the pairs of all; later ones win.
static CspStatus maps_merge(CspCall *call) {
  CspValue out = csp_map(call, 8);
  if (!made(call, out) || !add_args(call, out, 0)) return CSP_PANIC;
  return csp_ok(call, out);
}

// The same into the first map, which is given back.
static CspStatus maps_update(CspCall *call) {
  CspValue map;
  if (!need_map(call, 0, &map) || !add_args(call, map, 1)) return CSP_PANIC;
  return csp_ok(call, map);
}

static CspStatus maps_copy(CspCall *call) {
  CspValue map;
  if (!need_map(call, 0, &map)) return CSP_PANIC;
  CspValue out = csp_map(call, csp_map_len(map));
  if (!made(call, out) || !add_all(call, out, map)) return CSP_PANIC;
  return csp_ok(call, out);
}

static CspStatus maps_clear(CspCall *call) {
  CspValue map, key, value;
  if (!need_map(call, 0, &map)) return CSP_PANIC;
  csp_charge(call, csp_map_len(map));
  CspIter iter = {0};
  while (csp_map_next(call, map, &iter, &key, &value)) {
    if (!csp_map_delete(call, map, key, NULL)) return CSP_PANIC;
  }
  return csp_ok(call, map);
}

static CspStatus maps_get(CspCall *call) {
  CspValue map, value;
  if (!need_map(call, 0, &map)) return CSP_PANIC;
  if (csp_map_get(call, map, csp_arg(call, 1), &value)) {
    return csp_ok(call, value);
  }
  return csp_ok(call, csp_arg(call, 2));
}

static CspStatus maps_has(CspCall *call) {
  CspValue map, value;
  if (!need_map(call, 0, &map)) return CSP_PANIC;
  return csp_ok_bool(call, csp_map_get(call, map, csp_arg(call, 1), &value));
}

// The key's value, taken out of the map, or the default.
static CspStatus maps_pop(CspCall *call) {
  CspValue map, value, key = csp_arg(call, 1);
  if (!need_map(call, 0, &map)) return CSP_PANIC;
  if (!csp_map_get(call, map, key, &value)) {
    return csp_ok(call, csp_arg(call, 2));
  }
  if (!csp_map_delete(call, map, key, NULL)) return CSP_PANIC;
  return csp_ok(call, value);
}

// The key's value; a missing key is set to the default first.
static CspStatus maps_set_default(CspCall *call) {
  CspValue map, value, key = csp_arg(call, 1);
  if (!need_map(call, 0, &map)) return CSP_PANIC;
  if (csp_map_get(call, map, key, &value)) return csp_ok(call, value);
  value = csp_arg(call, 2);
  if (!csp_map_set(call, map, key, value)) return CSP_PANIC;
  return csp_ok(call, value);
}

// Values become keys; of equal values the last wins.
static CspStatus maps_invert(CspCall *call) {
  CspValue map, key, value;
  if (!need_map(call, 0, &map)) return CSP_PANIC;
  CspValue out = csp_map(call, csp_map_len(map));
  if (!made(call, out)) return CSP_PANIC;
  CspIter iter = {0};
  while (csp_map_next(call, map, &iter, &key, &value)) {
    if (!csp_map_set(call, out, value, key)) return CSP_PANIC;
  }
  csp_charge(call, csp_map_len(out));
  return csp_ok(call, out);
}

static CspStatus maps_from_items(CspCall *call) {
  CspValue items;
  if (!csp_need_type(call, 0, CSP_LIST, &items)) return CSP_PANIC;
  return csp_tail_named(call, "map", 1, &items);
}

// Keys, and the values that stand at the same places.
static CspStatus maps_from_lists(CspCall *call) {
  CspValue keys, values;
  if (!csp_need_type(call, 0, CSP_LIST, &keys) ||
      !csp_need_type(call, 1, CSP_LIST, &values)) {
    return CSP_PANIC;
  }
  size_t count = csp_list_len(keys);
  if (csp_list_len(values) != count) {
    return csp_panic(call, "from_lists: %zu keys, but %zu values", count,
                     csp_list_len(values));
  }
  CspValue out = csp_map(call, count);
  if (!made(call, out)) return CSP_PANIC;
  for (size_t i = 0; i < count; i++) {
    if (!csp_map_set(call, out, csp_list_get(keys, i),
                     csp_list_get(values, i))) {
      return CSP_PANIC;
    }
  }
  csp_charge(call, count);
  return csp_ok(call, out);
}

// The same keys with equal (==) values, in any order; equal() goes deeper.
static CspStatus maps_equal(CspCall *call) {
  CspValue a, b, key, value, other;
  if (!need_map(call, 0, &a) || !need_map(call, 1, &b)) return CSP_PANIC;
  bool same = csp_map_len(a) == csp_map_len(b);
  CspIter iter = {0};
  while (same && csp_map_next(call, a, &iter, &key, &value)) {
    same = csp_map_get(call, b, key, &other) && csp_equal(value, other);
  }
  csp_charge(call, csp_map_len(a));
  return csp_ok_bool(call, same);
}

static const CspFunction functions[] = {
    CSP_REPEATABLE,
    {"keys", "map", maps_keys},
    {"values", "map", maps_values},
    {"items", "map", maps_items},
    {"sorted_keys", "map", maps_sorted_keys},
    {"merge", "maps...", maps_merge},
    {"update", "map, others...", maps_update},
    {"copy", "map", maps_copy},
    {"clear", "map", maps_clear},
    {"get", "map, key, default = nil", maps_get},
    {"has", "map, key", maps_has},
    {"pop", "map, key, default = nil", maps_pop},
    {"set_default", "map, key, default", maps_set_default},
    {"invert", "map", maps_invert},
    {"from_items", "items", maps_from_items},
    {"from_lists", "keys, values", maps_from_lists},
    {"equal", "a, b", maps_equal},
    {NULL, NULL, NULL},
};

const CspModule maps_module = {"maps", functions, NULL, NULL, 0};
