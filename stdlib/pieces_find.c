// SPDX-License-Identifier: MIT
// Searches of long texts and bytes, in pieces. See pieces_find.h.
#include "stdlib/pieces_find.h"

// --- Short needles ----------------------------------------------------------
// `with` is what is looked for, n the answer. The end is one after the text's:
// an empty needle is there, too.
enum { WINDOW_BYTES = 1 << 14 };

// How much of `left` bytes is looked at: most of it is text, not needle.
static size_t window_of(size_t left, Str needle) {
  size_t most = WINDOW_BYTES + needle.len * 16;
  return left < most ? left : most;
}

// The search has charged what it did, and may have looked; the piece ends here.
static void end_window(CspCall *call, Loop *loop, size_t len) {
  enum { WINDOWS = 1 << 17, WHOLE_PIECE = 1 << 16 };
  loop->part += len;
  if (loop->part < WINDOWS) return;
  loop->part = 0;
  csp_spent(call, WHOLE_PIECE);
}

// Moves on to the next place in a window. false: it is given up.
static bool find_next(CspCall *call, Loop *loop, bool *found) {
  Str s = view_of(loop->list), needle = view_of(loop->with);
  size_t left = s.len - loop->at, len = window_of(left, needle);
  int64_t at = csp_find(call, s.data + loop->at, len, needle.data, needle.len);
  *found = at >= 0;
  if (at >= 0) {
    loop->at += (size_t)at;
  } else if (len == left) {
    loop->at = loop->end;
  } else {
    loop->at += len - needle.len + 1;
    end_window(call, loop, len);
  }
  return at != CSP_GIVEN_UP;
}

static bool text_find_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)stop;
  bool found;
  if (!find_next(call, loop, &found)) return false;
  if (found) loop->n = (int64_t)loop->at;
  if (found) loop->at = loop->end;
  return true;
}

static bool text_count_turns(CspCall *call, Loop *loop, size_t stop) {
  size_t len = view_of(loop->with).len, from = loop->at;
  bool found = true;
  while (found && loop->at < stop) {
    if (!find_next(call, loop, &found)) return false;
    if (found) loop->at += len;
    loop->n += found;
  }
  if (found) end_window(call, loop, loop->at - from);
  return true;
}

// `at` counts from the end.
static bool text_find_last_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)stop;
  Str s = view_of(loop->list), needle = view_of(loop->with);
  size_t left = s.len - loop->at, len = window_of(left, needle);
  int64_t at =
      csp_find_last(call, s.data + (left - len), len, needle.data, needle.len);
  if (at >= 0) loop->n = (int64_t)(left - len) + at;
  if (at >= 0 || len == left) {
    loop->at = loop->end;
  } else {
    loop->at += len - needle.len + 1;
    end_window(call, loop, len);
  }
  return at != CSP_GIVEN_UP;
}

// --- Long needles -----------------------------------------------------------
// The bytes of a text may move between two pieces (view_of), so the search is
// told where they are. The text that is searched is `list` from `at` on, or
// what is in `out`, a window of bytes.
typedef struct Find {
  Loop loop;
  FindKind kind;
  int64_t most;  // n when it is to end
  bool begun;
  bool last;         // the part was the last one
  bool copying;      // a part that is long, into loop.more
  size_t have, len;  // of the window: bytes that are there, and that may be
  SearchRun search;
} Find;

static bool piece_goes_on(void *call, size_t units) {
  return !csp_spent(call, units);
}

// On with the search in s, or its beginning. false: the piece is spent.
static bool find_on(CspCall *call, Find *find, Str s, int64_t *at) {
  Str needle = view_of(find->loop.with);
  if (find->begun)
    search_move(&find->search, s.data, needle.data);
  else
    search_begin(&find->search, (SearchText){s.data, s.len},
                 (SearchText){needle.data, needle.len},
                 find->kind == FIND_LAST);
  *at = search_on(&find->search, (SearchWork){piece_goes_on, call});
  find->begun = *at == SEARCH_GIVEN_UP;
  if (find->begun) return false;
  csp_spent(call, SEARCH_PIECE - find->search.left);
  return true;
}

// The text of a part, or its room, which find->copying says. false: no memory.
static bool make_part(CspCall *call, Find *find, size_t len) {
  Loop *loop = &find->loop;
  const char *from = view_of(loop->list).data + loop->at;
  find->copying = len > LOOP_AT_ONCE;
  loop->part = 0;
  csp_spent(call, 32 + (find->copying ? 0 : len / 4));
  loop->more = find->copying ? csp_string_room(call, len, &loop->to)
                             : csp_string(call, from, len);
  return !csp_is_undef(loop->more) || (csp_panic_memory(call), false);
}

// On with the copy. false: the piece is spent.
static bool copy_part(CspCall *call, Find *find) {
  Loop *loop = &find->loop;
  const char *from = view_of(loop->list).data + loop->at;
  size_t len = str_of(loop->more).len;
  for (bool spent = false; find->copying;) {
    if (spent) return false;
    size_t left = len - loop->part;
    size_t count = left < LOOP_BYTES ? left : LOOP_BYTES;
    memcpy(loop->to + loop->part, from + loop->part, count);
    loop->part += count;
    find->copying = loop->part < len;
    spent = csp_spent(call, count / 4);
  }
  return true;
}

static CspStatus find_text_on(CspCall *call, void *data, bool on) {
  Find *find = data;
  Loop *loop = &find->loop;
  if (!on) return CSP_PANIC;
  Str s = view_of(loop->list), needle = view_of(loop->with);
  while (find->begun || needle.len <= s.len - loop->at) {
    int64_t at;
    Str rest = {s.data + loop->at, s.len - loop->at};
    if (!find_on(call, find, rest, &at))
      return csp_again(call, find_text_on, find, sizeof *find, LOOP_KEPT);
    if (at < 0) break;
    if (find->kind < FIND_ALL) loop->n = (int64_t)loop->at + at;
    if (find->kind < FIND_ALL) break;
    loop->at += (size_t)at + needle.len;
    loop->n++;
    if (loop->n == find->most) break;
  }
  return loop->done(call, loop);
}

CspStatus find_in_text_from(CspCall *call, FindKind kind, size_t at,
                            CspStatus (*done)(CspCall *, Loop *)) {
  static bool (*const turns[])(CspCall *, Loop *, size_t) = {
      text_find_turns, text_find_last_turns, text_count_turns};
  Loop loop = {.list = csp_arg(call, 0),
               .with = csp_arg(call, 1),
               .at = at,
               .end = view_of(csp_arg(call, 0)).len + 1,
               .n = -1,
               .turns = turns[kind],
               .done = done};
  if (view_of(loop.with).len <= LONG_NEEDLE) return loop_bytes(call, &loop);
  return find_text_on(
      call, &(Find){.loop = loop, .kind = kind, .most = INT64_MAX}, true);
}

// The part in `more` goes into the list, and the search goes on after it.
static bool push_part(CspCall *call, Find *find) {
  Loop *loop = &find->loop;
  loop->at += str_of(loop->more).len + view_of(loop->with).len;
  loop->n++;
  return csp_list_push(call, loop->out, loop->more);
}

// Where the next part ends, from `at` on: *len, and find->last where it is the
// last one. false: the piece is spent.
static bool find_part_end(CspCall *call, Find *find, size_t *len) {
  const Loop *loop = &find->loop;
  Str s = view_of(loop->list);
  Str rest = {s.data + loop->at, s.len - loop->at};
  int64_t at = CSP_NOWHERE;
  bool any = loop->n < find->most && view_of(loop->with).len <= rest.len;
  if (any && !find_on(call, find, rest, &at)) return false;
  find->last = at < 0;
  *len = find->last ? rest.len : (size_t)at;
  return true;
}

static CspStatus find_parts_on(CspCall *call, void *data, bool on) {
  Find *find = data;
  if (!on) return CSP_PANIC;
  for (size_t len; !find->last || find->copying;) {
    bool spent = !find->copying && !find_part_end(call, find, &len);
    if (!spent && !find->copying && !make_part(call, find, len))
      return CSP_PANIC;
    if (spent || !copy_part(call, find))
      return csp_again(call, find_parts_on, find, sizeof *find, LOOP_KEPT);
    if (!push_part(call, find)) return CSP_PANIC;
  }
  return csp_ok(call, find->loop.out);
}

CspStatus find_parts(CspCall *call, int64_t most) {
  CspValue list = csp_list(call, 4);
  if (csp_is_undef(list)) return csp_panic_memory(call);
  if (most == 0) return csp_ok(call, list);
  Find find = {.kind = FIND_PARTS, .most = most < 0 ? INT64_MAX : most - 1};
  find.loop = (Loop){.list = csp_arg(call, 0),
                     .with = csp_arg(call, 1),
                     .out = list,
                     .more = csp_nil()};
  return find_parts_on(call, &find, true);
}

// --- Bytes ------------------------------------------------------------------
// Reads on into the window. false: the piece is spent. Where somebody has cut
// the bytes, there are no more.
static bool fill_bytes_window(CspCall *call, Find *find) {
  enum { READ = 1 << 16 };
  Loop *loop = &find->loop;
  while (find->have < find->len && loop->at + find->have < loop->end) {
    size_t at = loop->at + find->have, left = loop->end - at;
    size_t room = find->len - find->have, most = room < READ ? room : READ;
    size_t count = left < most ? left : most;
    size_t got =
        csp_bytes_read(loop->list, at, (uint8_t *)loop->to + find->have, count);
    find->have += got;
    if (got < count) loop->end = at + got;
    if (csp_spent(call, 8 + count / 8)) return false;
  }
  return true;
}

static CspStatus find_bytes_on(CspCall *call, void *data, bool on) {
  Find *find = data;
  Loop *loop = &find->loop;
  if (!on) return CSP_PANIC;
  size_t needle = view_of(loop->with).len;
  while (find->begun || needle <= loop->end - loop->at) {
    int64_t at = CSP_NOWHERE;
    bool spent = !find->begun && !fill_bytes_window(call, find);
    if (!spent && find->have < needle) break;
    if (spent || !find_on(call, find, (Str){loop->to, find->have}, &at))
      return csp_again(call, find_bytes_on, find, sizeof *find, LOOP_KEPT);
    if (at >= 0) loop->n = (int64_t)loop->at + at;
    if (at >= 0) break;
    loop->at += find->have - needle + 1;
    find->have = 0;
  }
  return loop->done(call, loop);
}

// Looks at one window of long bytes. `n` becomes the answer. `part` counts what
// csp_find has looked at, and charged, in this piece.
static bool window_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)stop;
  Str needle = view_of(loop->with);
  size_t left = loop->end - loop->at, len = window_of(left, needle), have;
  char *window = room_alloc(call, len, 1);
  if (window == NULL) {
    csp_panic_memory(call);
    return false;
  }
  have = csp_bytes_read(loop->list, loop->at, (uint8_t *)window, len);
  int64_t at = CSP_GIVEN_UP;
  if (csp_work(call, 8 + have / 8))
    at = csp_find(call, window, have, needle.data, needle.len);
  csp_alloc_free(window);
  if (at >= 0) loop->n = (int64_t)loop->at + at;
  if (at >= 0 || len == left || have < len) {
    loop->at = loop->end;
  } else {
    loop->at += len - needle.len + 1;
  }
  end_window(call, loop, len);
  return at != CSP_GIVEN_UP;
}

CspStatus find_in_bytes(CspCall *call, CspValue bytes, CspValue with, size_t at,
                        CspStatus (*done)(CspCall *, Loop *)) {
  Loop loop = {.list = bytes,
               .with = with,
               .at = at,
               .end = csp_bytes_len(bytes),
               .n = -1,
               .turns = window_turns,
               .done = done};
  if (view_of(with).len <= LONG_NEEDLE) return loop_bytes(call, &loop);
  Find find = {.loop = loop, .len = window_of(loop.end - at, view_of(with))};
  find.loop.out = csp_string_room(call, find.len, &find.loop.to);
  if (csp_is_undef(find.loop.out)) return csp_panic_memory(call);
  return find_bytes_on(call, &find, true);
}
