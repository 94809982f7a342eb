// SPDX-License-Identifier: MIT
// Sorting natively: stable merge sort over a copy of the values.
//
// Each value gets a 64-bit key that orders it among values of its kind: ints
// and floats whole, strings by their first 8 bytes. Only where keys are equal
// and do not say everything are the values themselves compared.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/stdlib.h"

typedef struct Item {
  uint64_t key;
  CspValue by;     // what it is sorted by
  CspValue value;  // what is moved
} Item;

typedef struct Sorter {
  bool exact;     // equal keys mean equal values
  bool failed;    // found two values without an order
  CspValue a, b;  // those two
  uint64_t work;
} Sorter;

enum { RUN = 12 };  // sorted by insertion

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

static void set_keys(Sorter *sorter, Item *items, size_t count) {
  CspType type = csp_type(items[0].by);
  bool mixed = type != CSP_INT && type != CSP_FLOAT && type != CSP_STRING;
  for (size_t i = 1; i < count && !mixed; i++) {
    mixed = csp_type(items[i].by) != type;
  }
  sorter->exact = !mixed && type != CSP_STRING;
  for (size_t i = 0; i < count; i++) {
    CspValue by = items[i].by;
    items[i].key = mixed                ? 0
                   : type == CSP_INT    ? int_key(by)
                   : type == CSP_STRING ? string_key(by)
                                        : float_key(by);
  }
}

// --- Merging ----------------------------------------------------------------
// Slow half of before(): the keys are equal. NaN stands before numbers.
static bool before_value(Sorter *sorter, const Item *a, const Item *b) {
  sorter->work += 2;
  int order = csp_compare(a->by, b->by);
  if (order == 3 && !sorter->failed) {
    sorter->failed = true;
    sorter->a = b->by;  // a stood behind it
    sorter->b = a->by;
  }
  if (order == 2) {
    return csp_compare(a->by, a->by) == 2 && csp_compare(b->by, b->by) != 2;
  }
  return order == -1;
}

static inline bool before(Sorter *sorter, const Item *a, const Item *b) {
  if (a->key != b->key) return a->key < b->key;
  return !sorter->exact && before_value(sorter, a, b);
}

static void insertion_sort(Sorter *sorter, Item *items, size_t count) {
  for (size_t i = 1; i < count; i++) {
    Item item = items[i];
    size_t at = i;
    for (; at > 0 && before(sorter, &item, &items[at - 1]); at--) {
      items[at] = items[at - 1];
    }
    items[at] = item;
  }
}

// Merges the neighbours [0, middle) and [middle, count) of from into to.
static void merge(Sorter *sorter, const Item *from, size_t middle, size_t count,
                  Item *to) {
  if (middle >= count || !before(sorter, &from[middle], &from[middle - 1])) {
    memcpy(to, from, count * sizeof *to);
    return;
  }
  size_t left = 0, right = middle;
  for (size_t i = 0; i < count; i++) {
    bool take_right =
        left == middle ||
        (right < count && before(sorter, &from[right], &from[left]));
    to[i] = from[take_right ? right++ : left++];
  }
}

// Sorts items, with `room` for as many; the result is in what it returns.
static Item *merge_sort(Sorter *sorter, Item *items, Item *room, size_t count) {
  for (size_t at = 0; at < count; at += RUN) {
    insertion_sort(sorter, items + at, count - at < RUN ? count - at : RUN);
  }
  for (size_t width = RUN; width < count && !sorter->failed; width *= 2) {
    for (size_t at = 0; at < count; at += width * 2) {
      size_t left = count - at;
      merge(sorter, items + at, left < width ? left : width,
            left < width * 2 ? left : width * 2, room + at);
    }
    Item *swap = items;
    items = room;
    room = swap;
    sorter->work += count / 4;
  }
  return items;
}

static void no_order(CspCall *call, const Sorter *sorter) {
  csp_panic(call, "sort: cannot order %s and %s", csp_type_name(sorter->a),
            csp_type_name(sorter->b));
}

bool sort_values(CspCall *call, CspValue *values, const CspValue *keys,
                 size_t count) {
  if (count < 2) return true;
  Item *items = room_alloc(call, 2 * count, sizeof *items);
  if (!items) {
    csp_panic_memory(call);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    items[i] = (Item){0, keys ? keys[i] : values[i], values[i]};
  }
  Sorter sorter = {.work = count};
  set_keys(&sorter, items, count);
  const Item *sorted = merge_sort(&sorter, items, items + count, count);
  for (size_t i = 0; i < count; i++) values[i] = sorted[i].value;
  free(items);
  csp_charge(call, sorter.work);
  if (sorter.failed) no_order(call, &sorter);
  return !sorter.failed;
}
