// SPDX-License-Identifier: MIT
// Predeclared functions that give something to wait for: after and tick a
// channel, timer a value that can be stopped and reset.
//
// A channel holds one value. The channel of timer(d) gets one, the tick, when d
// has passed. A receive from the timer receives from its channel. The timer's
// lock is held where it starts, stops and fires. So the timer is pending, or
// its tick is in the channel, or a receiver has the tick. stop and reset take
// the tick back from the channel. A timer may be on its way to value_fire, out
// of the P's heap, when it is stopped or reset. Then it is not pending, or not
// due, when it gets the lock.
#include "vm/heap/local.h"
#include "vm/interp/native_call.h"
#include "vm/native/builtins.h"
#include "vm/object/channel_memory.h"
#include "vm/value/ranks.h"

// --- All --------------------------------------------------------------------
// On the M that runs the P's timers. A reader that is late misses ticks.
static ChanResult send_tick(P *p, const ObjTimer *t, int64_t now) {
  RT_ASSERT(t->obj.type == OBJ_TIMER && t->chan->timer == t);
  int64_t wall = rt_wall_now() + (now - rt_now());
  return chan_try_send(p, &t->chan->chan, value_from_small(wall));
}

// Of `size` bytes, with its channel. NULL: no memory.
static ObjTimer *timer_new(Local *local, size_t size,
                           void (*fire)(P *p, Timer *timer, int64_t now)) {
  ObjChan *c = channel_new(local, 1);
  ObjTimer *t = (ObjTimer *)heap_alloc(&local->heap, size, OBJ_TIMER);
  if (c == NULL || t == NULL) return NULL;
  t->timer = (Timer){.fire = fire, .arg = t};
  t->chan = c;
  c->timer = t;
  return t;
}

static int64_t when_after(int64_t ns) {
  int64_t when;
  bool never = __builtin_add_overflow(rt_now(), ns < 0 ? 0 : ns, &when);
  return never ? INT64_MAX : when;
}

// --- after, tick ------------------------------------------------------------
static void channel_fire(P *p, Timer *timer, int64_t now) {
  send_tick(p, timer->arg, now);
}

static CspStatus timer_channel(CspCall *call, bool repeat) {
  int64_t ns;
  if (!csp_need_int(call, 0, &ns)) return CSP_PANIC;
  if (repeat && ns <= 0)
    return csp_panic(call, "tick: the interval must be above 0, not %lld",
                     (long long)ns);
  ObjTimer *t = timer_new(call->local, offsetof(ObjTimer, lock), channel_fire);
  if (t == NULL) return csp_panic_memory(call);
  timer_start(call->local->p, &t->timer, when_after(ns), repeat ? ns : 0);
  return csp_ok(call, csp_wrap(value_from_obj(t->chan)));
}

CspStatus builtin_after(CspCall *call) { return timer_channel(call, false); }

CspStatus builtin_tick(CspCall *call) { return timer_channel(call, true); }

// --- timer ------------------------------------------------------------------
static void value_fire(P *p, Timer *timer, int64_t now) {
  ObjTimer *t = timer->arg;
  rt_lock(&t->lock);
  if (t->pending && timer->when <= now) {
    t->pending = false;
    ChanResult sent = send_tick(p, t, now);
    RT_CHECK(sent == CHAN_DONE, "a timer's channel had no room");
  }
  rt_unlock(&t->lock);
}

// Lock held.
static void value_start(P *p, ObjTimer *t, int64_t ns) {
  RT_ASSERT(!t->pending && chan_count(&t->chan->chan) == 0);
  t->pending = true;
  timer_start(p, &t->timer, when_after(ns), 0);
}

// Lock held. true: nobody has received its tick, and nobody will.
static bool value_stop(P *p, ObjTimer *t) {
  uint64_t tick;
  bool pending = t->pending;
  t->pending = false;
  timer_stop(p, &t->timer);
  bool fired = chan_try_recv(p, &t->chan->chan, &tick) == CHAN_DONE;
  RT_ASSERT(!(pending && fired));
  return pending || fired;
}

CspStatus builtin_timer(CspCall *call) {
  int64_t ns;
  if (!csp_need_int(call, 0, &ns)) return CSP_PANIC;
  ObjTimer *t = timer_new(call->local, sizeof *t, value_fire);
  if (t == NULL) return csp_panic_memory(call);
  t->obj.flags = TIMER_IS_VALUE;
  t->lock = (RtLock){.rank = &rank_value_timer};
  t->pending = false;
  rt_lock(&t->lock);
  value_start(call->local->p, t, ns);
  rt_unlock(&t->lock);
  return csp_ok(call, csp_wrap(value_from_obj(t)));
}

static CspStatus timer_again(CspCall *call, bool start, int64_t ns) {
  CspValue v;
  if (!csp_need_type(call, 0, CSP_TIMER, &v)) return CSP_PANIC;
  ObjTimer *t = (ObjTimer *)value_obj(v.word);
  rt_lock(&t->lock);
  bool pending = value_stop(call->local->p, t);
  if (start) value_start(call->local->p, t, ns);
  rt_unlock(&t->lock);
  return csp_ok_bool(call, pending);
}

static CspStatus timer_stop_(CspCall *call) {
  return timer_again(call, false, 0);
}

static CspStatus timer_reset_(CspCall *call) {
  int64_t ns;
  if (!csp_need_int(call, 1, &ns)) return CSP_PANIC;
  return timer_again(call, true, ns);
}

const CspFunction timer_methods[] = {{"stop", "t", timer_stop_},
                                     {"reset", "t, ns", timer_reset_},
                                     {NULL, NULL, NULL}};
