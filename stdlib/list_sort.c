// SPDX-License-Identifier: MIT
// Sorting natively: stable merge sort over a copy of the values.
//
// Each value gets a 64-bit key that orders it among values of its kind: ints
// and floats whole, strings by their first 8 bytes. Only where keys are equal
// and do not say everything are the values themselves compared.
//
// It is done in pieces (csp_again), in phases: the copy is filled, the keys are
// made, runs are sorted, then merged until there is one, which is stored.
//
// The copy and the room to merge into are two halves of blocks. A block is made
// when it is first written to, and the blocks are freed in a phase of their
// own: to map or unmap all of it at once takes the system 10 ms for a million
// values. They are freed from the last to the first, so that what a heap gives
// back at its end is a block each time. A half of one block lies after the
// table.
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
typedef enum Phase { FILL, KEYS, RUNS, MERGE, STORE, FREE } Phase;

typedef struct Sort {
  CspValue list, keys, held, out;  // kept; keys: nil: the values themselves
  CspCall *call;                   // of this piece
  Phase phase;
  Item **blocks;         // malloced: those of both halves, as they were made
  Item **items, **room;  // the halves
  size_t made;           // so many blocks
  size_t count, at;
  CspType type;                            // of all keys
  bool mixed;                              // they are not, or have no key
  bool exact;                              // equal keys mean equal values
  bool failed;                             // found two values without an order
  bool spent;                              // a piece, by comparing values
  CspValue a, b;                           // those two
  size_t width, left, middle, right, end;  // of the merge; at: where it writes
  bool ordered;                            // what is merged is in order
} Sort;
enum {
  SORT_KEPT = 4,
  RUN = 12,
  BLOCK = RUN * 512,  // items; a run lies in one block
  SHORT_LIST = 4096,
  SORT_TURNS = 512,
  MISS_UNITS = 64  // to read a value, which lies anywhere
};

static size_t smaller_size(size_t a, size_t b) { return a < b ? a : b; }

// --- Blocks -----------------------------------------------------------------
static size_t half_blocks(const Sort *s) {
  return (s->count + BLOCK - 1) / BLOCK;
}

static Item *item_at(Item **half, size_t at) {
  return &half[at / BLOCK][at % BLOCK];
}

static size_t block_end(size_t at) { return (at / BLOCK + 1) * BLOCK; }

// What the system does for the pages is work, too.
static uint64_t block_units(void) { return BLOCK * sizeof(Item) / 4; }

// false: no memory.
static bool make_blocks(Sort *s) {
  size_t blocks = half_blocks(s), count = s->count;
  if (2 * count * sizeof(Item) > csp_room(s->call)) return false;
  bool few = blocks == 1;
  s->blocks = csp_alloc(
      csp_of(s->call), NULL,
      2 * blocks * sizeof(Item *) + (few ? 2 * count * sizeof(Item) : 0));
  if (s->blocks == NULL) return false;
  s->items = s->blocks;
  s->room = s->blocks + blocks;
  if (!few) return true;
  s->items[0] = (Item *)(void *)(s->blocks + 2);
  s->room[0] = s->items[0] + count;
  s->made = 2;
  return true;
}

// The block that is written to next. The halves are filled one after the other.
static bool have_block(Sort *s, Item **half) {
  size_t index = s->at / BLOCK, all = (size_t)(half - s->blocks) + index;
  if (all < s->made) return true;
  size_t count = smaller_size(s->count - index * BLOCK, BLOCK);
  half[index] = csp_alloc(csp_of(s->call), NULL, count * sizeof(Item));
  if (half[index] == NULL) csp_panic_memory(s->call);
  if (half[index] == NULL) return false;
  s->made++;
  csp_spent(s->call, block_units());
  return true;
}

static void free_last(Sort *s) {
  s->made--;
  csp_alloc_free(s->blocks[s->made]);
}

static void free_blocks(Sort *s) {
  if (half_blocks(s) > 1)
    while (s->made > 0) free_last(s);
  csp_alloc_free(s->blocks);
  s->blocks = NULL;
}

// --- Order ------------------------------------------------------------------
// Slow half of before(): the keys are equal. NaN stands before numbers.
static bool before_value(Sort *s, const Item *a, const Item *b) {
  s->spent |= csp_spent(s->call, MISS_UNITS);
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

static inline bool before_if(Sort *s, const Item *a, const Item *b,
                             bool exact) {
  if (a->key != b->key) return a->key < b->key;
  return !exact && before_value(s, a, b);
}
static bool before(Sort *s, const Item *a, const Item *b) {
  return before_if(s, a, b, s->exact);
}

// --- Phases: each does some turns from `at` on, within a block --------------
static bool fill(Sort *s, size_t stop) {
  bool keyed = csp_type(s->keys) == CSP_LIST;
  CspValue values[SORT_TURNS];
  size_t count = stop - s->at;
  if (!have_block(s, s->items)) return false;
  Item *to = item_at(s->items, s->at);
  for (size_t i = 0; i < count; i++) {
    CspValue v = values[i] = csp_list_get(s->list, s->at + i);
    CspValue by = keyed ? csp_list_get(s->keys, s->at + i) : v;
    to[i] = (Item){0, by, v};
    s->mixed |= csp_type(by) != s->type;
  }
  s->at = stop;
  return csp_type(s->held) != CSP_LIST ||
         csp_list_append(s->call, s->held, values, count);
}

static void set_keys(Sort *s, size_t stop) {
  for (Item *item = item_at(s->items, s->at); s->at < stop; s->at++, item++) {
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

// The neighbours [at, middle) and [middle, end) are next.
static void begin_merge(Sort *s) {
  s->left = s->at;
  s->middle = s->right = smaller_size(s->at + s->width, s->count);
  s->end = smaller_size(s->at + s->width * 2, s->count);
  s->ordered = s->middle == s->end || !before(s, item_at(s->items, s->middle),
                                              item_at(s->items, s->middle - 1));
}

// From `*from` on, which is before `end`, as far as a block and `count` go.
static size_t copy_items(Sort *s, Item *to, size_t *from, size_t end,
                         size_t count) {
  count = smaller_size(count, smaller_size(end, block_end(*from)) - *from);
  memcpy(to, item_at(s->items, *from), count * sizeof *to);
  *from += count;
  return count;
}

// Until `count` are written, or one side is at the end of its block, or side,
// or a piece is spent.
static inline size_t merge_items(Sort *s, Item *to, size_t count, bool exact) {
  const Item *left = item_at(s->items, s->left), *l = left;
  const Item *right = item_at(s->items, s->right), *r = right;
  const Item *left_end =
      l + (smaller_size(s->middle, block_end(s->left)) - s->left);
  const Item *right_end =
      r + (smaller_size(s->end, block_end(s->right)) - s->right);
  Item *at = to, *stop = to + count;
  while (at < stop && l < left_end && r < right_end && (exact || !s->spent)) {
    bool take_right = before_if(s, r, l, exact);
    *at++ = *(take_right ? r : l);
    r += take_right;
    l += !take_right;
  }
  s->left += (size_t)(l - left);
  s->right += (size_t)(r - right);
  return (size_t)(at - to);
}

static bool merge(Sort *s, size_t stop) {
  if (!have_block(s, s->room)) return false;
  Item *to = item_at(s->room, s->at);
  while (s->at < stop && !s->spent) {
    size_t count = stop - s->at;
    if (s->left == s->middle)
      count = copy_items(s, to, &s->right, s->end, count);
    else if (s->ordered || s->right == s->end)
      count = copy_items(s, to, &s->left, s->middle, count);
    else if (s->exact)
      count = merge_items(s, to, count, true);
    else
      count = merge_items(s, to, count, false);
    to += count;
    s->at += count;
  }
  return true;
}

static bool store_sorted(Sort *s, size_t stop) {
  CspValue values[SORT_TURNS];
  size_t count = stop - s->at;
  const Item *from = item_at(s->items, s->at);
  for (size_t i = 0; i < count; i++) values[i] = from[i].value;
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
  Item **swap = s->items;
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
  s->spent = false;
  size_t most = smaller_size(s->count, block_end(s->at));
  size_t stop = smaller_size(s->at + SORT_TURNS, most);
  switch (s->phase) {
    case FILL:
      return fill(s, stop);
    case KEYS:
      set_keys(s, stop);
      return true;
    case RUNS:
      stop = smaller_size(s->at + RUN, most);
      sort_short(s, item_at(s->items, s->at), stop - s->at);
      s->at = stop;
      return !s->failed;
    case MERGE:
      if (!merge(s, smaller_size(stop, s->end))) return false;
      if (s->at == s->end && s->at < s->count) begin_merge(s);
      return !s->failed;
    case STORE:
    default:
      return store_sorted(s, stop);
  }
}

static uint64_t units_of(const Sort *s, size_t turns) {
  if (s->phase == KEYS && s->type == CSP_STRING) return turns * MISS_UNITS;
  return turns * (s->phase == RUNS ? 16 : 4);
}

// --- The native -------------------------------------------------------------
static CspStatus sort_fail(Sort *s) {
  free_blocks(s);
  if (s->failed)
    csp_panic(s->call, "%s: cannot order %s and %s", csp_name(s->call),
              csp_type_name(s->a), csp_type_name(s->b));
  return CSP_PANIC;
}

// The elements of the list are replaced by those in order; where the list has
// another length by now only as many as were sorted.
static void set_sorted(Sort *s) {
  if (s->count > SHORT_LIST && csp_list_len(s->list) == s->count) {
    csp_list_swap(s->call, s->list, s->out);
  } else {
    for (size_t i = 0; i < s->count; i++)
      csp_list_set(s->call, s->list, i, item_at(s->items, i)->value);
  }
  s->phase = FREE;
}

// Before a piece ends.
static bool hold(Sort *s) {
  if (csp_type(s->held) == CSP_LIST) return true;
  s->held = csp_list(s->call, s->count);
  size_t count = s->phase == FILL ? s->at : s->count;
  for (size_t i = 0; i < count && !csp_is_undef(s->held); i++) {
    if (!csp_list_push(s->call, s->held, item_at(s->items, i)->value))
      return false;
  }
  if (csp_is_undef(s->held)) csp_panic_memory(s->call);
  return !csp_is_undef(s->held);
}

// true: there are none left.
static bool free_some(Sort *s) {
  if (half_blocks(s) > 1) {
    while (s->made > 0) {
      free_last(s);
      if (csp_spent(s->call, block_units())) return false;
    }
  }
  free_blocks(s);
  return true;
}

static CspStatus sort_on(CspCall *call, void *data, bool on) {
  Sort *s = data;
  s->call = call;
  if (!on) {
    free_blocks(s);
    return CSP_PANIC;
  }
  while (s->phase != FREE) {
    size_t before_turns = s->at;
    if (!some_turns(s)) return sort_fail(s);
    bool spent = csp_spent(call, units_of(s, s->at - before_turns)) || s->spent;
    if (s->at == s->count) next_phase(s);
    if (s->phase == STORE && (s->at == s->count || s->count <= SHORT_LIST))
      set_sorted(s);
    if (!spent) continue;
    if (s->phase != FREE && !hold(s)) return sort_fail(s);
    return csp_again(call, sort_on, s, sizeof *s, SORT_KEPT);
  }
  return free_some(s) ? csp_ok(call, s->list)
                      : csp_again(call, sort_on, s, sizeof *s, SORT_KEPT);
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
            .call = call,
            .count = count,
            .type = csp_type(csp_list_get(keyed ? keys : list, 0))};
  bool made = make_blocks(&s);
  if (!made || csp_is_undef(s.held) || csp_is_undef(s.out)) {
    free_blocks(&s);
    return csp_panic_memory(call);
  }
  return sort_on(call, &s, true);
}
