// SPDX-License-Identifier: MIT
// Natives that are done in pieces (csp_again): between two of them other
// goroutines run if they are to, memory is collected if it is due, and the
// native is given up if its goroutine is interrupted or cancelled.
// A piece may also wait for a descriptor first (fd.c).
//
// A piece is some 50 us long (csp_spent). After each the goroutine looks, as
// at a safepoint (sched_look_now). If no other goroutine is due, the next piece
// runs at once, on the same P. The first piece makes the record of the call
// when it ends. The goroutine owns it (g->pending) until the last piece has
// ended. It holds what the native keeps, and the collector marks the values in
// it (again_mark).
#include "vm/interp/again.h"

#include <stdlib.h>

#include "vm/heap/collect.h"
#include "vm/heap/local.h"
#include "vm/heap/mark.h"
#include "vm/heap/work.h"
#include "vm/interp/call_native.h"
#include "vm/interp/fd.h"
#include "vm/interp/give_up.h"
#include "vm/interp/interp.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/interp/stack.h"

typedef CspStatus (*AgainStep)(CspCall *call, void *data, bool on);

typedef struct Again {
  CspCall call;
  ptrdiff_t window;  // from base
  int want;
  AgainStep step;
  PieceWait wait;  // before the next piece
  int values;      // so many at the beginning of data
  size_t size;
  _Alignas(16) char data[];
} Again;

// --- For natives ------------------------------------------------------------
// The record with room for that, of this call or new. NULL: no memory.
static Again *record_for(CspCall *call, size_t size) {
  Again *old = call->later.kind == LATER_AGAIN ? call->later.data : NULL;
  if (old != NULL && old->size >= size) return old;
  Again *again = mem_alloc(call->vm->memory, sizeof *again + size);
  if (again != NULL) again->size = size;
  return again;
}

CspStatus csp_again(CspCall *call, AgainStep step, void *data, size_t size,
                    int values) {
  RT_ASSERT(values >= 0 && (size_t)values * sizeof(Value) <= size);
  bool waits = (call->later.kind & LATER_WHEN) != 0;
  call->later.kind &= ~(unsigned)LATER_WHEN;
  bool goes_on = call->local != NULL && call->g != NULL && !call->panicked &&
                 !call->g->gave_up;
  Again *again = goes_on ? record_for(call, size) : NULL;
  if (again == NULL) {
    step(call, data, false);
    return goes_on ? call_out_of_memory(call) : CSP_PANIC;
  }
  memmove(again->data, data, size);
  if (call->later.kind == LATER_AGAIN && call->later.data != again)
    mem_free(call->later.data);
  again->step = step;
  again->values = values;
  again->wait = waits ? call->later.wait : (PieceWait){.when = PIECE_SOON};
  call->later.kind = LATER_AGAIN;
  call->later.data = again;
  return CSP_LATER;
}

// --- Pieces -----------------------------------------------------------------
// The next piece has something to wait for, or its wait was cancelled and its
// goroutine is not (any more).
static bool piece_waits(const Again *again) {
  return again->wait.when != PIECE_SOON && again->wait.result == POLL_PARKED;
}

// true: g has left.
static bool wait_between(Local *local, Goroutine *g, Again *again) {
  return piece_waits(again) && piece_wait_begin(local->p, g, &again->wait);
}

// Between two pieces. true: g has left.
static bool look_between(Local *local, Goroutine *g, Again *again) {
  RT_ASSERT(again->call.g == g && g->pending == NULL);
  g->pending = again;
  g->on_resume = RESUME_AGAIN;
  g->retried = 0;
  native_cover_arguments(&again->call);
  RT_ASSERT(goroutine_is_valid(g));
  local->debt = 0;
  work_looked();
  if (wait_between(local, g, again)) return true;
  // First, because a native may have asked for it (csp_collect).
  if (heap_gc_wanted(local->vm->heap)) gc_collect(local->p, g);
  if (sched_look_now(local->p, &g->g)) {
    sched_preempt(local->p, &g->g);
    return true;
  }
  work_forget();
  g->on_resume = RESUME_NOTHING;
  g->pending = NULL;
  g->multi = 0;
  return false;
}

// There are no more pieces: what the native says to that is nobody's.
static void drop_pieces(Local *local, Goroutine *g, Again *again,
                        CallFate fate) {
  const Panic *before = g->panic;
  CspCall call = again->call;
  call.local = local;
  call.later.kind = LATER_NONE;
  native_give_up(&call, fate);
  piece_wait_drop(fate == CALL_OVER ? NULL : local->p, &again->wait);
  native_enter(&call);
  again->step(&call, again->data, false);
  while (g->panic != before) panic_drop(g);
}

// The next piece. true: another one follows, and *a is its record. false: *a is
// freed. Where there was no memory the native begins anew, once.
static bool piece(CspCall *call, Again **again, CspStatus *status) {
  call->later.kind = LATER_AGAIN;
  call->later.data = *again;
  call->later.wait = (*again)->wait;
  (*again)->wait.when = PIECE_SOON;
  native_enter(call);
  *status = (*again)->step(call, (*again)->data, true);
  if (call->later.kind == LATER_AGAIN) *again = call->later.data;
  if (*status == CSP_LATER && call->later.kind == LATER_AGAIN) return true;
  mem_free(*again);
  if (*status == CSP_PANIC && call->local != NULL && call->def->repeatable)
    *status = native_call_again(call);
  *again = call->later.data;
  return *status == CSP_LATER && call->later.kind == LATER_AGAIN;
}

// The interpreter is told of another P only by RELOAD and RETURN.
static Next tell_moved(Local *local, Goroutine *g, Next how, bool moved) {
  if (!moved || how == RETURN) return how;
  if (how == THROW) how = interp_throw(local, g);
  return how == LEFT ? RETURN : how;
}

// The first piece is due, or the next. For again_run; call is the record's.
static bool run_pieces(Again *again, CspCall *call, Value *window,
                       CspStatus *status, Next *how) {
  Goroutine *g = call->g;
  int want = again->want;
  for (;;) {
    if (work_stopped(call->local, g)) {
      drop_pieces(call->local, g, again, CALL_GIVEN_UP);
      mem_free(again);
      *how = THROW;
      return false;
    }
    if (piece_waits(again)) {
      *how = LEFT;
      if (look_between(call->local, call->g, again)) return false;
      continue;
    }
    bool more = piece(call, &again, status);
    *how = call->local == NULL ? RETURN : LEFT;
    if (call->local == NULL) return false;
    if (!more) return true;
    again->call = *call;
    again->window = window - g->base;
    again->want = want;
    if (look_between(call->local, g, again)) return false;
  }
}

bool again_run(CspCall *call, Value *window, int want, CspStatus *status,
               Next *how) {
  RT_ASSERT(call->later.kind == LATER_AGAIN);
  Again *again = call->later.data;
  again->call = *call;
  again->window = window - call->g->base;
  again->want = want;
  *how = LEFT;
  return !look_between(call->local, call->g, again) &&
         run_pieces(again, call, window, status, how);
}

Next again_begin(CspCall *call, Value *window, int want) {
  const Local *first = call->local;
  CspStatus status;
  Next how;
  bool ended = again_run(call, window, want, &status, &how);
  Local *local = call->local;
  if (ended) how = native_finish(call, status, window, want);
  return tell_moved(local, call->g, how, local != first);
}

Next again_resume(Local *local, Goroutine *g) {
  Again *again = g->pending;
  RT_ASSERT(again != NULL && again->call.g == g);
  g->pending = NULL;
  g->multi = 0;
  piece_wait_over(local->p, g, &again->wait);
  CspCall call = again->call;
  Value *window = g->base + again->window;
  int want = again->want;
  call.local = local;
  call.args = window + FRAME_WORDS;
  CspStatus status;
  Next how;
  bool ended = run_pieces(again, &call, window, &status, &how);
  Local *now = call.local;
  if (ended) how = native_finish(&call, status, window, want);
  return tell_moved(now, g, how, now != local);
}

// --- For others -------------------------------------------------------------
static Again *pending_piece(const Goroutine *g) {
  return g->on_resume == RESUME_AGAIN ? g->pending : NULL;
}

const char *again_waits_in(const Goroutine *g) {
  const Again *again = pending_piece(g);
  return again != NULL ? again->call.def->name : NULL;
}

void again_close(Local *local, Goroutine *g) {
  Again *again = pending_piece(g);
  if (again != NULL) drop_pieces(local, g, again, CALL_OVER);
}

void again_mark(void *arg, const Goroutine *g, GcMarker *marker) {
  (void)arg;
  const Again *again = pending_piece(g);
  if (again == NULL) return;
  for (int n = 0; n < again->call.nresults; n++)
    gc_mark(marker, again->call.results[n]);
  const Value *kept = (const Value *)(const void *)again->data;
  for (int n = 0; n < again->values; n++) gc_mark(marker, kept[n]);
}
