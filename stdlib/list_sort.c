// SPDX-License-Identifier: MIT
// Sorting natively: stable merge sort over a copy of the values.
//
// Each value gets a 64-bit key that orders it among values of its kind: ints
// and floats whole, strings by the 7 bytes after what all of them begin with.
// Only where keys are equal and do not say everything are the values themselves
// compared. The beginning that all strings share is guessed from three of them.
// If a string begins otherwise, all keys are made again. A tuple gets the key
// of its first element, if all first elements are of one kind. Where these are
// ints, their key needs only the bits of their range. The other bits are the
// first ones of the second element's key.
//
// It is done in pieces (csp_again), in phases: the copy is filled, the keys are
// made, runs are sorted, then merged until there is one, which is stored.
//
// The copy and the room to merge into are two halves, each made of blocks. A
// block is made when it is first written to, and the blocks are freed in a
// phase of their own, piece by piece. To map or unmap all of them at once takes
// the system 10 ms for a million values. They are freed from the last to the
// first, so that the heap of C gives one block at a time back to the system. A
// half that is one block lies in the same memory as the table of blocks, after
// it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/stdlib.h"
#include "vm/native/order.h"

typedef struct Item {
  uint64_t key;
  CspValue by;     // what it is sorted by
  CspValue value;  // what is moved
} Item;

// Bytes of strings that are looked at for what they share.
enum { COMMON_MAX = 256 };

static size_t smaller_size(size_t a, size_t b) { return a < b ? a : b; }

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

// The first bytes, and how many there are, or 8 for more than 7.
static uint64_t string_key(Str s) {
  uint8_t bytes[8] = {0};
  memcpy(bytes, s.data, s.len < 7 ? s.len : 7);
  uint64_t key = 0;
  for (int i = 0; i < 7; i++) key = key << 8 | bytes[i];
  return key << 8 | (s.len < 8 ? s.len : 8);
}

// Of what follows the bytes that all of them begin with.
static uint64_t rest_key(Str s, size_t common) {
  return string_key((Str){s.data + common, s.len - common});
}

static size_t common_len(Str a, Str b, size_t most) {
  size_t len = 0;
  if (most > a.len) most = a.len;
  if (most > b.len) most = b.len;
  while (len < most && a.data[len] == b.data[len]) len++;
  return len;
}

// What all tuples have as their first and second elements.
typedef struct Columns {
  CspType types[2];     // CSP_NIL: not all the same, or of no key
  int64_t least, most;  // of the first, where they are ints
  size_t common[2];     // bytes that all begin with, where they are strings
} Columns;

static bool has_key(CspValue v) {
  CspType type = csp_type(v);
  return type == CSP_INT || type == CSP_STRING ||
         (type == CSP_FLOAT && !isnan(csp_to_float(v)));
}

// Of the first tuple all columns have the type.
static void begin_columns(Columns *columns, CspValue tuple) {
  for (int column = 0; column < 2; column++) {
    CspValue v = csp_list_get(tuple, (size_t)column);
    CspType type = has_key(v) ? csp_type(v) : CSP_NIL;
    columns->types[column] = type;
    columns->common[column] = type == CSP_STRING ? str_of(v).len : 0;
    if (column == 0 && type == CSP_INT)
      columns->least = columns->most = csp_to_int(v);
  }
}

static void see_column(Columns *columns, int column, CspValue v,
                       CspValue first) {
  CspType *type = &columns->types[column];
  if (*type != csp_type(v) || !has_key(v)) *type = CSP_NIL;
  if (*type == CSP_STRING) {
    size_t most = smaller_size(columns->common[column], COMMON_MAX);
    columns->common[column] = common_len(str_of(v), str_of(first), most);
  }
  if (*type != CSP_INT || column > 0) return;
  int64_t n = csp_to_int(v);
  if (n < columns->least) columns->least = n;
  if (n > columns->most) columns->most = n;
}

static uint64_t column_key(const Columns *columns, int column, CspValue tuple) {
  CspValue v = csp_list_get(tuple, (size_t)column);
  switch (columns->types[column]) {
    case CSP_INT:
      return int_key(v);
    case CSP_FLOAT:
      return float_key(v);
    case CSP_STRING:
      return rest_key(str_of(v), columns->common[column]);
    default:
      return 0;
  }
}

// The order of keys is the order of tuples, as far as they tell it.
static uint64_t tuple_key(const Columns *columns, CspValue tuple) {
  if (columns->types[0] != CSP_INT) return column_key(columns, 0, tuple);
  uint64_t least = (uint64_t)columns->least;
  uint64_t range = (uint64_t)columns->most - least;
  uint64_t first = (uint64_t)csp_to_int(csp_list_get(tuple, 0)) - least;
  uint64_t second = column_key(columns, 1, tuple);
  if (range == 0) return second;
  int bits = 64 - __builtin_clzll(range);
  return bits == 64 ? first : first << (64 - bits) | second >> bits;
}

// --- The state --------------------------------------------------------------
// In the order of its phases. Between two pieces the values are only in C
// memory, so a list holds them (held), which a short sort need not have: it is
// made when its first piece ends. What is sorted is set at once, in one step,
// so that a goroutine that sees the list, and an interrupt, find all of them.
typedef enum Phase { FILL, KEYS, RUNS, MERGE, STORE, FREE } Phase;

typedef struct Sort {
  CspValue list, keys, held,
      out;        // kept; without keys the values themselves are sorted
  CspCall *call;  // of this piece
  Phase phase;
  Item **blocks;         // those of both halves, as they were made
  Item **items, **room;  // the halves
  size_t made;           // so many blocks
  size_t count, at;
  CspType type;                            // of all keys
  bool mixed;                              // they are not, or have no key
  bool exact;                              // equal keys mean equal values
  Columns columns;                         // of tuples
  size_t common;                           // bytes that all strings begin with
  int guesses;                             // of it, so far
  bool failed;                             // found two values without an order
  bool spent;                              // a piece, by comparing values
  CspValue a, b;                           // those two
  size_t width, left, middle, right, end;  // of the merge, which writes at `at`
  bool ordered;                            // what is merged is in order
} Sort;
enum {
  SORT_KEPT = 4,
  RUN = 12,
  BLOCK = RUN * 512,  // items; a run lies in one block
  SHORT_LIST = 4096,
  SORT_TURNS = 512,
  GUESSES = 3,
  MISS_UNITS = 64  // to read a value, which lies anywhere
};

// --- Blocks -----------------------------------------------------------------
static size_t half_blocks(const Sort *sort) {
  return (sort->count + BLOCK - 1) / BLOCK;
}

static Item *item_at(Item **half, size_t at) {
  return &half[at / BLOCK][at % BLOCK];
}

static size_t block_end(size_t at) { return (at / BLOCK + 1) * BLOCK; }

// What the system does for the pages is work, too.
static uint64_t block_units(void) { return BLOCK * sizeof(Item) / 4; }

// false: no memory.
static bool make_blocks(Sort *sort) {
  size_t blocks = half_blocks(sort), count = sort->count;
  if (2 * count * sizeof(Item) > csp_room(sort->call)) return false;
  bool few = blocks == 1;
  sort->blocks = csp_alloc(
      csp_of(sort->call), NULL,
      2 * blocks * sizeof(Item *) + (few ? 2 * count * sizeof(Item) : 0));
  if (sort->blocks == NULL) return false;
  sort->items = sort->blocks;
  sort->room = sort->blocks + blocks;
  if (!few) return true;
  sort->items[0] = (Item *)(void *)(sort->blocks + 2);
  sort->room[0] = sort->items[0] + count;
  sort->made = 2;
  return true;
}

// The block that is written to next. The halves are filled one after the other.
static bool have_block(Sort *sort, Item **half) {
  size_t index = sort->at / BLOCK, all = (size_t)(half - sort->blocks) + index;
  if (all < sort->made) return true;
  size_t count = smaller_size(sort->count - index * BLOCK, BLOCK);
  half[index] = csp_alloc(csp_of(sort->call), NULL, count * sizeof(Item));
  if (half[index] == NULL) csp_panic_memory(sort->call);
  if (half[index] == NULL) return false;
  sort->made++;
  csp_spent(sort->call, block_units());
  return true;
}

static void free_last(Sort *sort) {
  sort->made--;
  csp_alloc_free(sort->blocks[sort->made]);
}

static void free_blocks(Sort *sort) {
  if (half_blocks(sort) > 1)
    while (sort->made > 0) free_last(sort);
  csp_alloc_free(sort->blocks);
  sort->blocks = NULL;
}

// --- Order ------------------------------------------------------------------
// Slow half of before(): the keys are equal.
static bool before_value(Sort *sort, const Item *a, const Item *b) {
  sort->spent |= csp_spent(sort->call, MISS_UNITS);
  int order = order_of(sort->call, a->by, b->by, -1);
  if (order == 3 && !sort->failed) {
    sort->failed = true;
    sort->a = b->by;  // a came after it
    sort->b = a->by;
  }
  return order == -1;
}

static inline bool before_if(Sort *sort, const Item *a, const Item *b,
                             bool exact) {
  if (a->key != b->key) return a->key < b->key;
  return !exact && before_value(sort, a, b);
}
static bool before(Sort *sort, const Item *a, const Item *b) {
  return before_if(sort, a, b, sort->exact);
}

// --- Phases: each does some turns from `at` on, within a block --------------
static void see_tuple(Sort *sort, CspValue tuple, bool is_first) {
  CspValue first = item_at(sort->items, 0)->by;
  if (is_first) begin_columns(&sort->columns, tuple);
  for (int column = 0; column < 2; column++)
    see_column(&sort->columns, column, csp_list_get(tuple, (size_t)column),
               csp_list_get(first, (size_t)column));
}

static bool fill(Sort *sort, size_t stop) {
  bool keyed = csp_type(sort->keys) == CSP_LIST;
  CspValue values[SORT_TURNS];
  size_t count = stop - sort->at;
  if (!have_block(sort, sort->items)) return false;
  Item *to = item_at(sort->items, sort->at);
  for (size_t i = 0; i < count; i++) {
    CspValue v = values[i] = csp_list_get(sort->list, sort->at + i);
    CspValue by = keyed ? csp_list_get(sort->keys, sort->at + i) : v;
    to[i] = (Item){0, by, v};
    sort->mixed |= csp_type(by) != sort->type;
    if (sort->type != CSP_TUPLE || sort->mixed) continue;
    see_tuple(sort, by, sort->at + i == 0);
  }
  sort->at = stop;
  return csp_type(sort->held) != CSP_LIST ||
         csp_list_append(sort->call, sort->held, values, count);
}

static Str string_at(const Sort *sort, size_t at) {
  return str_of(item_at(sort->items, at)->by);
}

// What the first string, one in the middle and the last begin with.
static void guess_common(Sort *sort) {
  Str first = string_at(sort, 0);
  size_t common =
      common_len(first, string_at(sort, sort->count / 2), COMMON_MAX);
  sort->common = common_len(first, string_at(sort, sort->count - 1), common);
}

// One string begins with less: all keys are made again.
static void guess_again(Sort *sort, size_t common) {
  sort->common = ++sort->guesses < GUESSES ? common : 0;
  sort->exact = true;
  sort->at = 0;
}

static void set_string_keys(Sort *sort, size_t stop) {
  Str first = string_at(sort, 0);
  for (Item *item = item_at(sort->items, sort->at); sort->at < stop;
       sort->at++, item++) {
    Str s = str_of(item->by);
    size_t common = sort->common;
    if (s.len < common || memcmp(s.data, first.data, common) != 0) {
      guess_again(sort, common_len(first, s, common));
      return;
    }
    item->key = rest_key(s, common);
    sort->exact &= s.len - common < 8;
  }
}

static uint64_t key_of(const Sort *sort, CspValue v) {
  switch (sort->mixed ? CSP_NIL : sort->type) {
    case CSP_INT:
      return int_key(v);
    case CSP_FLOAT:
      return float_key(v);
    case CSP_TUPLE:
      return tuple_key(&sort->columns, v);
    default:
      return 0;
  }
}

static void set_keys(Sort *sort, size_t stop) {
  if (!sort->mixed && sort->type == CSP_STRING) {
    set_string_keys(sort, stop);
    return;
  }
  for (Item *item = item_at(sort->items, sort->at); sort->at < stop;
       sort->at++, item++)
    item->key = key_of(sort, item->by);
}

static void sort_short(Sort *sort, Item *items, size_t count) {
  for (size_t i = 1; i < count; i++) {
    Item item = items[i];
    size_t at = i;
    for (; at > 0 && before(sort, &item, &items[at - 1]); at--) {
      items[at] = items[at - 1];
    }
    items[at] = item;
  }
}

// The neighbours [at, middle) and [middle, end) are next.
static void begin_merge(Sort *sort) {
  sort->left = sort->at;
  sort->middle = sort->right =
      smaller_size(sort->at + sort->width, sort->count);
  sort->end = smaller_size(sort->at + sort->width * 2, sort->count);
  sort->ordered = sort->middle == sort->end ||
                  !before(sort, item_at(sort->items, sort->middle),
                          item_at(sort->items, sort->middle - 1));
}

// From `*from` on, which is before `end`, as far as a block and `count` go.
static size_t copy_items(Sort *sort, Item *to, size_t *from, size_t end,
                         size_t count) {
  count = smaller_size(count, smaller_size(end, block_end(*from)) - *from);
  memcpy(to, item_at(sort->items, *from), count * sizeof *to);
  *from += count;
  return count;
}

// Until `count` are written, or one side is at the end of its block, or side,
// or a piece is spent.
static inline size_t merge_items(Sort *sort, Item *to, size_t count,
                                 bool exact) {
  const Item *left_begin = item_at(sort->items, sort->left), *left = left_begin;
  const Item *right_begin = item_at(sort->items, sort->right),
             *right = right_begin;
  const Item *left_end =
      left + (smaller_size(sort->middle, block_end(sort->left)) - sort->left);
  const Item *right_end =
      right + (smaller_size(sort->end, block_end(sort->right)) - sort->right);
  Item *at = to, *stop = to + count;
  while (at < stop && left < left_end && right < right_end &&
         (exact || !sort->spent)) {
    bool take_right = before_if(sort, right, left, exact);
    *at++ = *(take_right ? right : left);
    right += take_right;
    left += !take_right;
  }
  sort->left += (size_t)(left - left_begin);
  sort->right += (size_t)(right - right_begin);
  return (size_t)(at - to);
}

static bool merge(Sort *sort, size_t stop) {
  if (!have_block(sort, sort->room)) return false;
  Item *to = item_at(sort->room, sort->at);
  while (sort->at < stop && !sort->spent) {
    size_t count = stop - sort->at;
    if (sort->left == sort->middle)
      count = copy_items(sort, to, &sort->right, sort->end, count);
    else if (sort->ordered || sort->right == sort->end)
      count = copy_items(sort, to, &sort->left, sort->middle, count);
    else if (sort->exact)
      count = merge_items(sort, to, count, true);
    else
      count = merge_items(sort, to, count, false);
    to += count;
    sort->at += count;
  }
  return true;
}

static bool store_sorted(Sort *sort, size_t stop) {
  CspValue values[SORT_TURNS];
  size_t count = stop - sort->at;
  const Item *from = item_at(sort->items, sort->at);
  for (size_t i = 0; i < count; i++) values[i] = from[i].value;
  sort->at = stop;
  return csp_list_append(sort->call, sort->out, values, count);
}

// --- From phase to phase ----------------------------------------------------
static void sort_phase(Sort *sort, Phase phase) {
  sort->phase = phase;
  sort->at = 0;
}

// All are in `room`: the runs have twice the length.
static void end_width(Sort *sort) {
  Item **swap = sort->items;
  sort->items = sort->room;
  sort->room = swap;
  sort->width *= 2;
  sort_phase(sort, MERGE);
}

static void next_phase(Sort *sort) {
  if (sort->phase == FILL) {
    sort->mixed |= sort->type != CSP_INT && sort->type != CSP_FLOAT &&
                   sort->type != CSP_STRING && sort->type != CSP_TUPLE;
    sort->exact = !sort->mixed && sort->type != CSP_TUPLE;
    if (sort->exact && sort->type == CSP_STRING) guess_common(sort);
    sort_phase(sort, KEYS);
  } else if (sort->phase == KEYS) {
    sort_phase(sort, RUNS);
  } else if (sort->phase == RUNS) {
    sort->width = RUN;
    sort_phase(sort, MERGE);
  } else if (sort->phase == MERGE) {
    end_width(sort);
  }
  if (sort->phase == MERGE && sort->width < sort->count) begin_merge(sort);
  if (sort->phase == MERGE && sort->width >= sort->count)
    sort_phase(sort, STORE);
}

// false: it panics.
static bool some_turns(Sort *sort) {
  sort->spent = false;
  size_t most = smaller_size(sort->count, block_end(sort->at));
  size_t stop = smaller_size(sort->at + SORT_TURNS, most);
  switch (sort->phase) {
    case FILL:
      return fill(sort, stop);
    case KEYS:
      set_keys(sort, stop);
      return true;
    case RUNS:
      stop = smaller_size(sort->at + RUN, most);
      sort_short(sort, item_at(sort->items, sort->at), stop - sort->at);
      sort->at = stop;
      return !sort->failed;
    case MERGE:
      if (!merge(sort, smaller_size(stop, sort->end))) return false;
      if (sort->at == sort->end && sort->at < sort->count) begin_merge(sort);
      return !sort->failed;
    case STORE:
    case FREE:
      break;
  }
  return store_sorted(sort, stop);
}

static uint64_t units_of(const Sort *sort, size_t turns) {
  bool reads = sort->type == CSP_STRING || sort->type == CSP_TUPLE;
  if (sort->phase == KEYS && reads) return turns * MISS_UNITS;
  if (sort->phase == FILL && sort->type == CSP_TUPLE) return turns * MISS_UNITS;
  return turns * (sort->phase == RUNS ? 16 : 4);
}

// --- The native -------------------------------------------------------------
static CspStatus sort_fail(Sort *sort) {
  free_blocks(sort);
  if (sort->failed) order_refuse(sort->call, sort->a, sort->b);
  return CSP_PANIC;
}

// The elements of the list are replaced by those in order; where the list has
// another length by now only as many as were sorted.
static void set_sorted(Sort *sort) {
  if (sort->count > SHORT_LIST && csp_list_len(sort->list) == sort->count) {
    csp_list_swap(sort->call, sort->list, sort->out);
  } else {
    for (size_t i = 0; i < sort->count; i++)
      csp_list_set(sort->call, sort->list, i, item_at(sort->items, i)->value);
  }
  sort->phase = FREE;
}

// Before a piece ends.
static bool hold(Sort *sort) {
  if (csp_type(sort->held) == CSP_LIST) return true;
  sort->held = csp_list(sort->call, sort->count);
  size_t count = sort->phase == FILL ? sort->at : sort->count;
  for (size_t i = 0; i < count && !csp_is_undef(sort->held); i++) {
    if (!csp_list_push(sort->call, sort->held, item_at(sort->items, i)->value))
      return false;
  }
  if (csp_is_undef(sort->held)) csp_panic_memory(sort->call);
  return !csp_is_undef(sort->held);
}

// true: there are none left.
static bool free_some(Sort *sort) {
  if (half_blocks(sort) > 1) {
    while (sort->made > 0) {
      free_last(sort);
      if (csp_spent(sort->call, block_units())) return false;
    }
  }
  free_blocks(sort);
  return true;
}

static CspStatus sort_on(CspCall *call, void *data, bool on) {
  Sort *sort = data;
  sort->call = call;
  if (!on) {
    free_blocks(sort);
    return CSP_PANIC;
  }
  while (sort->phase != FREE) {
    size_t before_turns = sort->at;
    if (!some_turns(sort)) return sort_fail(sort);
    size_t turns =
        sort->at >= before_turns ? sort->at - before_turns : SORT_TURNS;
    bool spent = csp_spent(call, units_of(sort, turns)) || sort->spent;
    if (sort->at == sort->count) next_phase(sort);
    if (sort->phase == STORE &&
        (sort->at == sort->count || sort->count <= SHORT_LIST))
      set_sorted(sort);
    if (!spent) continue;
    if (sort->phase != FREE && !hold(sort)) return sort_fail(sort);
    return csp_again(call, sort_on, sort, sizeof *sort, SORT_KEPT);
  }
  return free_some(sort)
             ? csp_ok(call, sort->list)
             : csp_again(call, sort_on, sort, sizeof *sort, SORT_KEPT);
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
