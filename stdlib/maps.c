// SPDX-License-Identifier: MIT
// The module maps. (Maps have no methods: m.name is the key "name".) The
// functions that take functions are in maps.csp.
#include "stdlib/pieces_loop.h"

static bool need_map(CspCall *call, int i, CspValue *out) {
  return csp_need_type(call, i, CSP_MAP, out);
}

// A new container that was made, or a panic.
static bool made(CspCall *call, CspValue v) {
  if (csp_is_undef(v)) csp_panic_memory(call);
  return !csp_is_undef(v);
}

// --- Going through a map ----------------------------------------------------
// In pieces. A pair at a time goes into `out`, a list or map.
typedef struct MapsWalk MapsWalk;
struct MapsWalk {
  CspValue out, other;  // kept; `other` is the function's own
  CspIter iter;         // kept: its first word
  CspValue map;
  int arg, args;  // which argument the map is; the last one's number, or 0
  bool ended;     // the result is known
  bool (*turn)(CspCall *call, MapsWalk *walk, CspValue key, CspValue value);
  CspStatus (*done)(CspCall *call, MapsWalk *walk);
};
enum { WALK_KEPT = 3, TURN_UNITS = 24 };

static bool begin_arg(CspCall *call, MapsWalk *walk) {
  walk->iter = (CspIter){0};
  return need_map(call, walk->arg, &walk->map);
}

// A pair, or goes to the next argument. false: panicked.
static bool walk_turn(CspCall *call, MapsWalk *walk) {
  CspValue key, value;
  if (csp_map_next(call, walk->map, &walk->iter, &key, &value))
    return walk->turn(call, walk, key, value) || walk->ended;
  if (walk->arg < walk->args) {
    walk->arg++;
    return begin_arg(call, walk);
  }
  walk->ended = true;
  return true;
}

static CspStatus walk_on(CspCall *call, void *data, bool on) {
  MapsWalk *walk = data;
  if (!on) return CSP_PANIC;
  while (!walk->ended) {
    if (!walk_turn(call, walk)) return CSP_PANIC;
    if (!walk->ended && csp_spent(call, TURN_UNITS))
      return csp_again(call, walk_on, walk, sizeof *walk, WALK_KEPT);
  }
  return walk->done(call, walk);
}

static CspStatus walk_out(CspCall *call, MapsWalk *walk) {
  return csp_ok(call, walk->out);
}

// Of the map that is an argument.
static CspStatus walk_arg(CspCall *call, MapsWalk *walk) {
  if (!begin_arg(call, walk)) return CSP_PANIC;
  return walk_on(call, walk, true);
}

// --- Lists of what is in a map ----------------------------------------------
static bool push_key(CspCall *call, MapsWalk *walk, CspValue key,
                     CspValue value) {
  (void)value;
  return csp_list_push(call, walk->out, key);
}

static bool push_value(CspCall *call, MapsWalk *walk, CspValue key,
                       CspValue value) {
  (void)key;
  return csp_list_push(call, walk->out, value);
}

static bool push_item(CspCall *call, MapsWalk *walk, CspValue key,
                      CspValue value) {
  CspValue pair = csp_list(call, 2);
  return made(call, pair) && csp_list_push(call, pair, key) &&
         csp_list_push(call, pair, value) &&
         csp_list_push(call, walk->out, pair);
}

static CspStatus parts(CspCall *call,
                       bool (*turn)(CspCall *call, MapsWalk *walk, CspValue key,
                                    CspValue value),
                       CspStatus (*done)(CspCall *call, MapsWalk *walk)) {
  CspValue map;
  if (!need_map(call, 0, &map)) return CSP_PANIC;
  MapsWalk walk = {.out = csp_list(call, csp_map_len(map)),
                   .other = csp_nil(),
                   .turn = turn,
                   .done = done};
  if (!made(call, walk.out)) return CSP_PANIC;
  return walk_arg(call, &walk);
}

static CspStatus maps_keys(CspCall *call) {
  return parts(call, push_key, walk_out);
}

static CspStatus maps_values(CspCall *call) {
  return parts(call, push_value, walk_out);
}

// [[key, value], ...]
static CspStatus maps_items(CspCall *call) {
  return parts(call, push_item, walk_out);
}

static CspStatus sort_out(CspCall *call, MapsWalk *walk) {
  return sort_list(call, walk->out, csp_nil());
}

static CspStatus maps_sorted_keys(CspCall *call) {
  return parts(call, push_key, sort_out);
}

// --- Maps from maps ---------------------------------------------------------
static bool set_pair(CspCall *call, MapsWalk *walk, CspValue key,
                     CspValue value) {
  return csp_map_set(call, walk->out, key, value);
}

// The pairs of the arguments from `first` on.
static CspStatus set_other_args(CspCall *call, CspValue to, int first) {
  MapsWalk walk = {.out = to,
                   .other = csp_nil(),
                   .arg = first,
                   .args = csp_argc(call) - 1,
                   .turn = set_pair,
                   .done = walk_out};
  return first > walk.args ? walk_out(call, &walk) : walk_arg(call, &walk);
}

// A new map with the pairs of all; later ones win.
static CspStatus maps_merge(CspCall *call) {
  CspValue out = csp_map(call, 8);
  return made(call, out) ? set_other_args(call, out, 0) : CSP_PANIC;
}

// The same into the first map, which is given back.
static CspStatus maps_update(CspCall *call) {
  CspValue map;
  return need_map(call, 0, &map) ? set_other_args(call, map, 1) : CSP_PANIC;
}

static CspStatus maps_copy(CspCall *call) {
  CspValue map;
  if (!need_map(call, 0, &map)) return CSP_PANIC;
  return csp_tail_named(call, "copy", 1, &map);
}

static CspStatus maps_clear(CspCall *call) {
  CspValue map;
  if (!need_map(call, 0, &map)) return CSP_PANIC;
  return csp_map_clear(call, map) ? csp_ok(call, map) : CSP_PANIC;
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

static bool set_inverted(CspCall *call, MapsWalk *walk, CspValue key,
                         CspValue value) {
  return csp_map_set(call, walk->out, value, key);
}

// Values become keys; of equal values the last wins.
static CspStatus maps_invert(CspCall *call) {
  CspValue map;
  if (!need_map(call, 0, &map)) return CSP_PANIC;
  MapsWalk walk = {.out = csp_map(call, csp_map_len(map)),
                   .other = csp_nil(),
                   .turn = set_inverted,
                   .done = walk_out};
  return made(call, walk.out) ? walk_arg(call, &walk) : CSP_PANIC;
}

static bool set_from_items(CspCall *call, Loop *loop, size_t stop) {
  for (; loop->at < stop; loop->at++) {
    CspValue item = csp_list_get(loop->list, loop->at);
    bool pair = csp_type(item) == CSP_LIST || csp_type(item) == CSP_TUPLE;
    if (!pair || csp_list_len(item) != 2) {
      csp_panic(call, "%s: element %zu must be a list [key, value] or a tuple",
                csp_name(call), loop->at);
      return false;
    }
    if (!csp_map_set(call, loop->out, csp_list_get(item, 0),
                     csp_list_get(item, 1)))
      return false;
  }
  return true;
}

static CspStatus maps_from_items(CspCall *call) {
  CspValue items;
  if (!csp_need_type(call, 0, CSP_LIST, &items)) return CSP_PANIC;
  size_t count = csp_list_len(items);
  Loop loop = {.list = items,
               .out = csp_map(call, count),
               .end = count,
               .turns = set_from_items,
               .done = loop_out,
               .units = TURN_UNITS};
  return loop_make(call, &loop);
}

static bool set_from_lists(CspCall *call, Loop *loop, size_t stop) {
  for (; loop->at < stop; loop->at++) {
    if (!csp_map_set(call, loop->out, csp_list_get(loop->list, loop->at),
                     csp_list_get(loop->with, loop->at)))
      return false;
  }
  return true;
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
  Loop loop = {.list = keys,
               .with = values,
               .out = csp_map(call, count),
               .end = count,
               .turns = set_from_lists,
               .done = loop_out,
               .units = TURN_UNITS};
  return loop_make(call, &loop);
}

// `out` is the other map. The first difference ends the walk.
static bool same_value(CspCall *call, MapsWalk *walk, CspValue key,
                       CspValue value) {
  CspValue other;
  if (csp_map_get(call, walk->out, key, &other) &&
      csp_equal_on(call, value, other))
    return true;
  walk->other = csp_bool(false);
  walk->ended = true;
  return false;
}

static CspStatus equal_done(CspCall *call, MapsWalk *walk) {
  return csp_ok(call, walk->other);
}

// The same keys with equal (==) values, in any order; equal() goes deeper.
static CspStatus maps_equal(CspCall *call) {
  CspValue a, b;
  if (!need_map(call, 0, &a) || !need_map(call, 1, &b)) return CSP_PANIC;
  if (csp_map_len(a) != csp_map_len(b)) return csp_ok_bool(call, false);
  MapsWalk walk = {.out = b,
                   .other = csp_bool(true),
                   .turn = same_value,
                   .done = equal_done};
  return walk_arg(call, &walk);
}

static const CspFunction maps_functions[] = {
    CSP_REPEATABLE,
    {"keys", "map", maps_keys},
    {"values", "map", maps_values},
    {"items", "map", maps_items},
    {"sorted_keys", "map", maps_sorted_keys},
    {"merge", "maps...", maps_merge},
    {"update", "map, others...", maps_update},
    {"copy", "map", maps_copy},
    {"clear", "map", maps_clear},
    CSP_STORED("get", "map, key, default = nil", maps_get),
    {"has", "map, key", maps_has},
    CSP_STORED("pop", "map, key, default = nil", maps_pop),
    CSP_STORED("set_default", "map, key, default", maps_set_default),
    {"invert", "map", maps_invert},
    {"from_items", "items", maps_from_items},
    {"from_lists", "keys, values", maps_from_lists},
    {"equal", "a, b", maps_equal},
    {NULL, NULL, NULL},
};

const CspModule maps_module = {"maps", maps_functions, NULL, NULL, 0};
