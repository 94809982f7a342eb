// SPDX-License-Identifier: MIT
// Sorting natively: stable merge sort over a copy of the values.
//
// Each value gets a 64-bit key that orders it among values of its kind: ints
// and floats whole, strings by their first 8 bytes. Only where keys are equal
// and do not say everything are the values themselves compared.
//
// It is done in pieces (csp_again), in phases: the copy is filled, the keys are
// made, runs are sorted, then merged until there is one, which is stored.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/stdlib.h"

typedef struct Item {
  uint64_t key;
  CspValue by;     // what it is sorted by
  CspValue value;  // what is moved
} Item;

// --- Keys -------------------------------------------------------------------
static uint64_t int_key(CspValue v) {
  return (uint64_t)csp_to_int(v) ^ (uint64_t)1 << 63;
}

// NaN before everything; -0.0 as 0.0.
static uint64_t float_key(CspValue v) {
  double d = csp_to_float(v);
  if (isnan(d)) return 0;
  if (d == 0) d = 0;
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static uint64_t string_key(CspValue v) {
  Str s = str_of(v);
  uint8_t bytes[8] = {0};
  memcpy(bytes, s.data, s.len < 8 ? s.len : 8);
  uint64_t key = 0;
  for (int i = 0; i < 8; i++) key = key << 8 | bytes[i];
  return key;
}

// --- The state --------------------------------------------------------------
// In the order of its phases. Between two pieces the values are only in C
// memory, so a list holds them (held), which a short sort need not have: it is
// made when its first piece ends. What is sorted is set at once, in one step,
// so that a goroutine that sees the list, and an interrupt, find all of them.
typedef enum Phase { FILL, KEYS, RUNS, MERGE, STORE } Phase;

typedef struct Sort {
  CspValue list, keys, held, out;  // kept; keys: nil: the values themselves
  CspCall *call;                   // of this piece
  Phase phase;
  Item *items, *room;  // two halves of memory
  Item *memory;        // malloced
  size_t count, at;
  CspType type;                            // of all keys
  bool mixed;                              // they are not, or have no key
  bool exact;                              // equal keys mean equal values
  bool failed;                             // found two values without an order
  CspValue a, b;                           // those two
  size_t width, left, middle, right, end;  // of the merge; at: where it writes
  bool ordered;                            // what is merged is in order
} Sort;
enum {
  SORT_KEPT = 4,
  RUN = 12,
  SHORT_LIST = 4096,
  SORT_TURNS = 512,
  TEXT_TURNS = 16
};

// Slow half of before(): the keys are equal. NaN stands before numbers.
static bool before_value(Sort *s, const Item *a, const Item *b) {
  int order = csp_compare_on(s->call, a->by, b->by);
  if (order == 3 && !s->failed) {
    s->failed = true;
    s->a = b->by;  // a came after it
    s->b = a->by;
  }
  if (order == 2) {
    return csp_compare(a->by, a->by) == 2 && csp_compare(b->by, b->by) != 2;
  }
  return order == -1;
}

static inline bool before(Sort *s, const Item *a, const Item *b) {
  if (a->key != b->key) return a->key < b->key;
  return !s->exact && before_value(s, a, b);
}

// --- Phases: each does some turns from `at` on; units -----------------------
static bool fill(Sort *s, size_t stop) {
  bool keyed = csp_type(s->keys) == CSP_LIST;
  CspValue values[SORT_TURNS];
  size_t count = stop - s->at;
  for (size_t i = 0; i < count; i++) {
    CspValue v = values[i] = csp_list_get(s->list, s->at + i);
    CspValue by = keyed ? csp_list_get(s->keys, s->at + i) : v;
    s->items[s->at + i] = (Item){0, by, v};
    s->mixed |= csp_type(by) != s->type;
  }
  s->at = stop;
  return csp_type(s->held) != CSP_LIST ||
         csp_list_append(s->call, s->held, values, count);
}

static void set_keys(Sort *s, size_t stop) {
  for (; s->at < stop; s->at++) {
    Item *item = &s->items[s->at];
    item->key = s->mixed                ? 0
                : s->type == CSP_INT    ? int_key(item->by)
                : s->type == CSP_STRING ? string_key(item->by)
                                        : float_key(item->by);
  }
}

static void sort_short(Sort *s, Item *items, size_t count) {
  for (size_t i = 1; i < count; i++) {
    Item item = items[i];
    size_t at = i;
    for (; at > 0 && before(s, &item, &items[at - 1]); at--) {
      items[at] = items[at - 1];
    }
    items[at] = item;
  }
}

static size_t smaller_size(size_t a, size_t b) { return a < b ? a : b; }

// The neighbours [at, middle) and [middle, end) are next.
static void begin_merge(Sort *s) {
  s->left = s->at;
  s->middle = s->right = smaller_size(s->at + s->width, s->count);
  s->end = smaller_size(s->at + s->width * 2, s->count);
  s->ordered = s->middle == s->end ||
               !before(s, &s->items[s->middle], &s->items[s->middle - 1]);
}

static void merge(Sort *s, size_t stop) {
  const Item *from = s->items;
  Item *to = s->room;
  size_t left = s->left, right = s->right, middle = s->middle, end = s->end;
  if (s->ordered) {
    memcpy(to + s->at, from + s->at, (stop - s->at) * sizeof *to);
    s->at = stop;
    return;
  }
  for (size_t i = s->at; i < stop; i++) {
    bool take_right =
        left == middle || (right < end && before(s, &from[right], &from[left]));
    to[i] = from[take_right ? right++ : left++];
  }
  s->left = left;
  s->right = right;
  s->at = stop;
}

static bool store_sorted(Sort *s, size_t stop) {
  CspValue values[SORT_TURNS];
  size_t count = stop - s->at;
  for (size_t i = 0; i < count; i++) values[i] = s->items[s->at + i].value;
  s->at = stop;
  return csp_list_append(s->call, s->out, values, count);
}

// --- From phase to phase ----------------------------------------------------
static void sort_phase(Sort *s, Phase phase) {
  s->phase = phase;
  s->at = 0;
}

// All are in `room`: the runs have twice the length.
static void end_width(Sort *s) {
  Item *swap = s->items;
  s->items = s->room;
  s->room = swap;
  s->width *= 2;
  sort_phase(s, MERGE);
}

static void next_phase(Sort *s) {
  if (s->phase == FILL) {
    s->mixed |=
        s->type != CSP_INT && s->type != CSP_FLOAT && s->type != CSP_STRING;
    s->exact = !s->mixed && s->type != CSP_STRING;
    sort_phase(s, KEYS);
  } else if (s->phase == KEYS) {
    sort_phase(s, RUNS);
  } else if (s->phase == RUNS) {
    s->width = RUN;
    sort_phase(s, MERGE);
  } else if (s->phase == MERGE) {
    end_width(s);
  }
  if (s->phase == MERGE && s->width < s->count) begin_merge(s);
  if (s->phase == MERGE && s->width >= s->count) sort_phase(s, STORE);
}

// false: it panics.
static bool some_turns(Sort *s) {
  size_t turns = s->exact || s->phase == FILL ? SORT_TURNS : TEXT_TURNS;
  size_t stop = smaller_size(s->at + turns, s->count);
  switch (s->phase) {
    case FILL:
      return fill(s, stop);
    case KEYS:
      set_keys(s, stop);
      return true;
    case RUNS:
      stop = smaller_size(s->at + RUN, s->count);
      sort_short(s, s->items + s->at, stop - s->at);
      s->at = stop;
      return !s->failed;
    case MERGE:
      merge(s, smaller_size(stop, s->end));
      if (s->at == s->end && s->at < s->count) begin_merge(s);
      return !s->failed;
    case STORE:
    default:
      return store_sorted(s, stop);
  }
}

static uint64_t units_of(const Sort *s, size_t turns) {
  return turns * (s->phase == RUNS ? 16 : s->exact ? 4 : 16);
}

// --- The native -------------------------------------------------------------
static CspStatus sort_fail(Sort *s) {
  csp_alloc_free(s->memory);
  if (s->failed)
    csp_panic(s->call, "%s: cannot order %s and %s", csp_name(s->call),
              csp_type_name(s->a), csp_type_name(s->b));
  return CSP_PANIC;
}

// The elements of the list are replaced by those in order; where the list has
// another length by now only as many as were sorted.
static CspStatus sort_finish(Sort *s) {
  if (s->count > SHORT_LIST && csp_list_len(s->list) == s->count) {
    csp_list_swap(s->call, s->list, s->out);
  } else {
    for (size_t i = 0; i < s->count; i++)
      csp_list_set(s->call, s->list, i, s->items[i].value);
  }
  csp_alloc_free(s->memory);
  return csp_ok(s->call, s->list);
}

// Before a piece ends.
static bool hold(Sort *s) {
  if (csp_type(s->held) == CSP_LIST) return true;
  s->held = csp_list(s->call, s->count);
  size_t count = s->phase == FILL ? s->at : s->count;
  for (size_t i = 0; i < count && !csp_is_undef(s->held); i++) {
    if (!csp_list_push(s->call, s->held, s->items[i].value)) return false;
  }
  if (csp_is_undef(s->held)) csp_panic_memory(s->call);
  return !csp_is_undef(s->held);
}

static CspStatus sort_on(CspCall *call, void *data, bool on) {
  Sort *s = data;
  s->call = call;
  if (!on) {
    csp_alloc_free(s->memory);
    return CSP_PANIC;
  }
  for (;;) {
    size_t before_turns = s->at;
    if (!some_turns(s)) return sort_fail(s);
    bool spent = csp_spent(call, units_of(s, s->at - before_turns));
    if (s->at == s->count) next_phase(s);
    if (s->phase == STORE && (s->at == s->count || s->count <= SHORT_LIST))
      return sort_finish(s);
    if (!spent) continue;
    if (!hold(s)) return sort_fail(s);
    return csp_again(call, sort_on, s, sizeof *s, SORT_KEPT);
  }
}

CspStatus sort_list(CspCall *call, CspValue list, CspValue keys) {
  bool keyed = csp_type(keys) == CSP_LIST;
  size_t count = csp_list_len(list);
  if (keyed) count = smaller_size(count, csp_list_len(keys));
  if (count < 2) return csp_ok(call, list);
  bool is_long = count > SHORT_LIST;
  Sort s = {.list = list,
            .keys = keys,
            .held = is_long ? csp_list(call, count) : csp_nil(),
            .out = is_long ? csp_list(call, count) : csp_nil(),
            .memory = room_alloc(call, 2 * count, sizeof(Item)),
            .count = count,
            .type = csp_type(csp_list_get(keyed ? keys : list, 0))};
  s.items = s.memory;
  s.room = s.memory + count;
  if (s.memory == NULL || csp_is_undef(s.held) || csp_is_undef(s.out)) {
    csp_alloc_free(s.memory);
    return csp_panic_memory(call);
  }
  return sort_on(call, &s, true);
}
