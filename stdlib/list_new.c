// SPDX-License-Identifier: MIT
// Methods of lists that make new lists: unique, flatten, zip, enumerate, chunk.
// All are done in pieces (pieces_loop.h).
#include "stdlib/list_methods.h"
#include "vm/native/order.h"

// --- unique -----------------------------------------------------------------
// What can be a key of a map stands in the map `with`. NaN, and a tuple with
// it, is like nothing. What else is no key stands in lists. `more` has these by
// a rough key, which is the same for those that are equal.
typedef enum Known { IS_NEW, IS_KNOWN, IS_ASKED_LATER, IS_PANIC } Known;

static CspValue rough_part(CspCall *call, CspValue v) {
  if (order_is_key(v)) return v;
  return csp_type(v) == CSP_BYTES ? bytes_to_text(call, v) : csp_nil();
}

// Of a tuple the first elements, as far as they tell anything.
static CspValue rough_key(CspCall *call, CspValue v) {
  enum { TOLD = 8 };
  CspValue parts[TOLD];
  if (csp_type(v) != CSP_TUPLE) return rough_part(call, v);
  size_t count = csp_list_len(v) < TOLD ? csp_list_len(v) : TOLD;
  for (size_t i = 0; i < count; i++) {
    parts[i] = rough_part(call, csp_list_get(v, i));
    if (csp_is_undef(parts[i])) return parts[i];
  }
  return csp_tuple(call, parts, count);
}

// v is no key. loop->part: how far the list of those like it is looked through.
static Known look_roughly(CspCall *call, Loop *loop, CspValue v) {
  if (csp_type(loop->more) != CSP_MAP) loop->more = csp_map(call, 0);
  CspValue rough = rough_key(call, v), like;
  if (csp_is_undef(rough) || csp_is_undef(loop->more)) {
    csp_panic_memory(call);
    return IS_PANIC;
  }
  if (!csp_map_get(call, loop->more, rough, &like)) {
    like = csp_list(call, 1);
    if (!csp_map_set(call, loop->more, rough, like)) return IS_PANIC;
  }
  size_t end = csp_list_len(like), at = loop->part;
  if (csp_list_find(call, like, v, &at, end)) at = SIZE_MAX;
  loop->part = at < end ? at : 0;
  if (at < end) return IS_ASKED_LATER;
  if (at == SIZE_MAX) return IS_KNOWN;
  return csp_list_push(call, like, v) ? IS_NEW : IS_PANIC;
}

static Known look_known(CspCall *call, Loop *loop, CspValue v) {
  CspValue found;
  if (!csp_equal(v, v)) return IS_NEW;
  if (!order_is_key(v)) return look_roughly(call, loop, v);
  if (csp_map_get(call, loop->with, v, &found)) return IS_KNOWN;
  return csp_map_set(call, loop->with, v, csp_bool(true)) ? IS_NEW : IS_PANIC;
}

static bool unique_turns(CspCall *call, Loop *loop, size_t stop) {
  for (; loop->at < stop && !csp_spent(call, 32); loop->at++) {
    CspValue v = csp_list_get(loop->list, loop->at);
    Known known = look_known(call, loop, v);
    if (known == IS_ASKED_LATER) return true;
    if (known == IS_PANIC) return false;
    if (known == IS_NEW && !csp_list_push(call, loop->out, v)) return false;
  }
  return true;
}

// The first of each group of equal elements, in a new list.
CspStatus list_unique(CspCall *call) {
  CspValue list;
  if (!need_list(call, 0, &list)) return CSP_PANIC;
  Loop loop = {.list = list,
               .with = csp_map(call, 8),
               .out = csp_list(call, 8),
               .end = csp_list_len(list),
               .turns = unique_turns,
               .done = loop_out};
  if (csp_is_undef(loop.with)) return csp_panic_memory(call);
  return loop_make(call, &loop);
}

// --- flatten ----------------------------------------------------------------
// Lists among the elements are replaced by their elements; `depth` levels. A
// list in a list, and so on: `path` holds where each goes on, outermost first.
typedef struct Flatten {
  CspValue out, list, path;  // path: lists and positions in turn
  size_t at;                 // in list
  int64_t depth;             // levels to go below list
} Flatten;
enum { FLATTEN_KEPT = 3 };

static bool flatten_enter(CspCall *call, Flatten *state, CspValue list) {
  if (!csp_list_push(call, state->path, state->list) ||
      !csp_list_push(call, state->path, csp_int(call, (int64_t)state->at)))
    return false;
  state->list = list;
  state->at = 0;
  state->depth--;
  return true;
}

// false: it was the outermost.
static bool flatten_leave(CspCall *call, Flatten *state) {
  size_t len = csp_list_len(state->path);
  if (len == 0) return false;
  state->list = csp_list_get(state->path, len - 2);
  state->at = (size_t)csp_to_int(csp_list_get(state->path, len - 1));
  state->depth++;
  csp_list_remove(call, state->path, len - 2, 2);
  return true;
}

static CspStatus flatten(CspCall *call, void *data, bool on) {
  Flatten *state = data;
  if (!on) return CSP_PANIC;
  do {
    while (state->at < csp_list_len(state->list)) {
      if (csp_spent(call, 8))
        return csp_again(call, flatten, state, sizeof *state, FLATTEN_KEPT);
      CspValue v = csp_list_get(state->list, state->at++);
      bool inner = state->depth > 0 && csp_type(v) == CSP_LIST;
      if (!(inner ? flatten_enter(call, state, v)
                  : csp_list_push(call, state->out, v))) {
        return CSP_PANIC;
      }
    }
  } while (flatten_leave(call, state));
  return csp_ok(call, state->out);
}

CspStatus list_flatten(CspCall *call) {
  CspValue list;
  int64_t depth;
  if (!need_list(call, 0, &list) || !opt_int(call, 1, 1, &depth)) {
    return CSP_PANIC;
  }
  if (depth < 0 || depth > 1000) {
    return csp_bad_arg(call, 1, "from 0 to 1000");
  }
  Flatten f = {csp_list(call, csp_list_len(list)), list, csp_list(call, 0), 0,
               depth};
  if (csp_is_undef(f.out) || csp_is_undef(f.path))
    return csp_panic_memory(call);
  return flatten(call, &f, true);
}

// --- Pairs and pieces -------------------------------------------------------
static bool push_pair(CspCall *call, CspValue out, CspValue a, CspValue b) {
  CspValue pair = csp_list(call, 2);
  if (csp_is_undef(pair)) {
    csp_panic_memory(call);
    return false;
  }
  return csp_list_push(call, pair, a) && csp_list_push(call, pair, b) &&
         csp_list_push(call, out, pair);
}

static bool zip_turns(CspCall *call, Loop *loop, size_t stop) {
  for (; loop->at < stop; loop->at++) {
    if (!push_pair(call, loop->out, csp_list_get(loop->list, loop->at),
                   csp_list_get(loop->with, loop->at)))
      return false;
  }
  return true;
}

// [[a0, b0], [a1, b1], ...], as long as the shorter.
CspStatus list_zip(CspCall *call) {
  CspValue list, other;
  if (!need_list(call, 0, &list) || !need_list(call, 1, &other)) {
    return CSP_PANIC;
  }
  size_t count = csp_list_len(list);
  if (csp_list_len(other) < count) count = csp_list_len(other);
  return loop_make(call, &(Loop){.list = list,
                                 .with = other,
                                 .out = csp_list(call, count),
                                 .end = count,
                                 .turns = zip_turns,
                                 .done = loop_out,
                                 .units = 48});
}

// n: the number of the first.
static bool enumerate_turns(CspCall *call, Loop *loop, size_t stop) {
  for (; loop->at < stop; loop->at++) {
    int64_t n = (int64_t)((uint64_t)loop->n + loop->at);
    if (!push_pair(call, loop->out, csp_int(call, n),
                   csp_list_get(loop->list, loop->at)))
      return false;
  }
  return true;
}

// [[0, a], [1, b], ...]
CspStatus list_enumerate(CspCall *call) {
  CspValue list;
  int64_t start;
  if (!need_list(call, 0, &list) || !opt_int(call, 1, 0, &start)) {
    return CSP_PANIC;
  }
  size_t count = csp_list_len(list);
  return loop_make(call, &(Loop){.list = list,
                                 .out = csp_list(call, count),
                                 .end = count,
                                 .n = start,
                                 .turns = enumerate_turns,
                                 .done = loop_out,
                                 .units = 48});
}

// with: the newest piece. n: how long they are.
static bool chunk_turns(CspCall *call, Loop *loop, size_t stop) {
  for (; loop->at < stop; loop->at++) {
    if (loop->at % (uint64_t)loop->n == 0) {
      loop->with = csp_list(call, 4);
      if (!csp_list_push(call, loop->out, loop->with)) return false;
    }
    if (!csp_list_push(call, loop->with, csp_list_get(loop->list, loop->at)))
      return false;
  }
  return true;
}

// Lists of n elements each; the last has what is left.
CspStatus list_chunk(CspCall *call) {
  CspValue list;
  int64_t n;
  if (!need_list(call, 0, &list) || !csp_need_int(call, 1, &n)) {
    return CSP_PANIC;
  }
  if (n < 1) return csp_bad_arg(call, 1, "1 or more");
  return loop_make(call, &(Loop){.list = list,
                                 .with = csp_nil(),
                                 .out = csp_list(call, 4),
                                 .end = csp_list_len(list),
                                 .n = n,
                                 .turns = chunk_turns,
                                 .done = loop_out,
                                 .units = 24});
}
