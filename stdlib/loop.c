// SPDX-License-Identifier: MIT
// Loops of natives over lists, in pieces: loop.h.
#include "stdlib/loop.h"

enum { LOOP_TURNS = 256, KEPT = 4 };  // elements between two questions

static CspStatus loop_on(CspCall *call, void *data, bool on) {
  Loop *loop = data;
  if (!on) return CSP_PANIC;
  while (loop->at < loop->end) {
    size_t from = loop->at, left = loop->end - from;
    if (!loop->turns(call, loop,
                     from + (left < LOOP_TURNS ? left : LOOP_TURNS)))
      return CSP_PANIC;
    if (csp_spent(call, (loop->at - from) * loop->units))
      return csp_again(call, loop_on, loop, sizeof *loop, KEPT);
  }
  return loop->done(call, loop);
}

CspStatus loop_run(CspCall *call, Loop *loop) {
  return loop_on(call, loop, true);
}

CspStatus loop_make(CspCall *call, Loop *loop) {
  if (csp_is_undef(loop->out)) return csp_panic_memory(call);
  return loop_on(call, loop, true);
}

CspStatus loop_out(CspCall *call, Loop *loop) {
  return csp_ok(call, loop->out);
}

CspStatus loop_list(CspCall *call, Loop *loop) {
  return csp_ok(call, loop->list);
}
