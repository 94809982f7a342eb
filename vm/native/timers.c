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
static ChanResult send_tick(P *p, const ObjTimer *timer, int64_t now) {
  RT_ASSERT(timer->obj.type == OBJ_TIMER && timer->chan->timer == timer);
  int64_t wall = rt_wall_now() + (now - rt_now());
  return chan_try_send(p, &timer->chan->chan, value_from_small(wall));
}

// Of `size` bytes, with its channel. NULL: no memory.
static ObjTimer *timer_new(Local *local, size_t size,
                           void (*fire)(P *p, Timer *timer, int64_t now)) {
  ObjChan *channel = channel_new(local, 1);
  ObjTimer *made = (ObjTimer *)heap_alloc(&local->heap, size, OBJ_TIMER);
  if (channel == NULL || made == NULL) return NULL;
  made->timer = (Timer){.fire = fire, .arg = made};
  made->chan = channel;
  channel->timer = made;
  return made;
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
  ObjTimer *timer =
      timer_new(call->local, offsetof(ObjTimer, lock), channel_fire);
  if (timer == NULL) return csp_panic_memory(call);
  timer_start(call->local->p, &timer->timer, when_after(ns), repeat ? ns : 0);
  return csp_ok(call, csp_wrap(value_from_obj(timer->chan)));
}

CspStatus builtin_after(CspCall *call) { return timer_channel(call, false); }

CspStatus builtin_tick(CspCall *call) { return timer_channel(call, true); }

// --- timer ------------------------------------------------------------------
static void value_fire(P *p, Timer *timer, int64_t now) {
  ObjTimer *owner = timer->arg;
  rt_lock(&owner->lock);
  if (owner->pending && timer->when <= now) {
    owner->pending = false;
    ChanResult sent = send_tick(p, owner, now);
    RT_CHECK(sent == CHAN_DONE, "a timer's channel had no room");
  }
  rt_unlock(&owner->lock);
}

// Lock held.
static void value_start(P *p, ObjTimer *timer, int64_t ns) {
  RT_ASSERT(!timer->pending && chan_count(&timer->chan->chan) == 0);
  timer->pending = true;
  timer_start(p, &timer->timer, when_after(ns), 0);
}

// Lock held. true: nobody has received its tick, and nobody will.
static bool value_stop(P *p, ObjTimer *timer) {
  uint64_t tick;
  bool pending = timer->pending;
  timer->pending = false;
  timer_stop(p, &timer->timer);
  bool fired = chan_try_recv(p, &timer->chan->chan, &tick) == CHAN_DONE;
  RT_ASSERT(!(pending && fired));
  return pending || fired;
}

CspStatus builtin_timer(CspCall *call) {
  int64_t ns;
  if (!csp_need_int(call, 0, &ns)) return CSP_PANIC;
  ObjTimer *timer = timer_new(call->local, sizeof *timer, value_fire);
  if (timer == NULL) return csp_panic_memory(call);
  timer->obj.flags = TIMER_IS_VALUE;
  timer->lock = (RtLock){.rank = &rank_value_timer};
  timer->pending = false;
  rt_lock(&timer->lock);
  value_start(call->local->p, timer, ns);
  rt_unlock(&timer->lock);
  return csp_ok(call, csp_wrap(value_from_obj(timer)));
}

static CspStatus timer_again(CspCall *call, bool start, int64_t ns) {
  CspValue v;
  if (!csp_need_type(call, 0, CSP_TIMER, &v)) return CSP_PANIC;
  ObjTimer *timer = (ObjTimer *)value_obj(v.word);
  rt_lock(&timer->lock);
  bool pending = value_stop(call->local->p, timer);
  if (start) value_start(call->local->p, timer, ns);
  rt_unlock(&timer->lock);
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
