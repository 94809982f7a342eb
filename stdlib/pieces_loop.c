// SPDX-License-Identifier: MIT
// Loops of natives over lists, in pieces. See pieces_loop.h.
#include "stdlib/pieces_loop.h"

enum {
  LOOP_TURNS = 256,  // elements between two questions
  LOOP_SHORT = 4096  // elements that are one piece
};

static CspStatus loop_on(CspCall *call, void *data, bool on) {
  Loop *loop = data;
  if (!on) return CSP_PANIC;
  size_t most = loop->step > 0 ? loop->step : LOOP_TURNS;
  while (loop->at < loop->end) {
    size_t from = loop->at, left = loop->end - from;
    if (!loop->turns(call, loop, from + (left < most ? left : most)))
      return CSP_PANIC;
    uint64_t units = (loop->at - from) * loop->units;
    bool spent = csp_spent(call, loop->step > 0 ? units / 4 : units);
    if (spent && loop->at < loop->end)
      return csp_again(call, loop_on, loop, sizeof *loop, LOOP_KEPT);
  }
  return loop->done(call, loop);
}

CspStatus loop_run(CspCall *call, Loop *loop) {
  return loop_on(call, loop, true);
}

CspStatus loop_change(CspCall *call, Loop *loop) {
  size_t count = loop->end - loop->at;
  if (count > (loop->step > 0 ? LOOP_BYTES : LOOP_SHORT))
    return csp_again(call, loop_on, loop, sizeof *loop, LOOP_KEPT);
  while (loop->at < loop->end)
    if (!loop->turns(call, loop, loop->end)) return CSP_PANIC;
  csp_charge(call, count / 8);
  return loop->done(call, loop);
}

CspStatus loop_make(CspCall *call, Loop *loop) {
  if (csp_is_undef(loop->out)) return csp_panic_memory(call);
  return loop_on(call, loop, true);
}

CspStatus loop_bytes(CspCall *call, Loop *loop) {
  if (loop->step == 0) loop->step = LOOP_BYTES;
  return loop_on(call, loop, true);
}

CspStatus loop_text(CspCall *call, Loop *loop, size_t len) {
  loop->out = csp_string_room(call, len, &loop->to);
  if (csp_is_undef(loop->out)) return csp_panic_memory(call);
  return loop_bytes(call, loop);
}

static bool loop_copy_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  const char *from = view_of(loop->list).data + loop->part;
  memcpy(loop->to + loop->at, from + loop->at, stop - loop->at);
  loop->at = stop;
  return true;
}

CspStatus loop_copy(CspCall *call, Loop *loop) {
  if (loop->end > LOOP_AT_ONCE) {
    loop->turns = loop_copy_turns;
    loop->units = 1;
    return loop_text(call, loop, loop->end);
  }
  loop->out =
      csp_string(call, view_of(loop->list).data + loop->part, loop->end);
  return loop->done(call, loop);
}

static bool loop_same_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  const char *a = view_of(loop->list).data + loop->part;
  const char *b = view_of(loop->with).data;
  loop->n = a == b || memcmp(a + loop->at, b + loop->at, stop - loop->at) == 0;
  loop->at = stop;
  if (!loop->n) loop->end = stop;
  return true;
}

CspStatus loop_same(CspCall *call, Loop *loop) {
  loop->end = view_of(loop->with).len;
  loop->n = 1;
  loop->turns = loop_same_turns;
  loop->units = 1;
  return loop_bytes(call, loop);
}

Str loop_piece(Loop *loop) {
  Str s = view_of(loop->list);
  Str piece = pieces_front((Str){s.data + loop->at, s.len - loop->at});
  loop->at += piece.len;
  return piece;
}

CspStatus loop_out(CspCall *call, Loop *loop) {
  return csp_ok(call, loop->out);
}

CspStatus loop_list(CspCall *call, Loop *loop) {
  return csp_ok(call, loop->list);
}
