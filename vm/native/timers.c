// SPDX-License-Identifier: MIT
// Predeclared functions that give something to wait for: after, tick.
#include "vm/heap/local.h"
#include "vm/interp/native_call.h"
#include "vm/native/builtins.h"
#include "vm/object/channel_memory.h"

// On the M that runs the P's timers. The channel holds one value; a reader
// that is late misses ticks.
static void timer_fire(P *p, Timer *timer, int64_t now) {
  ObjTimer *t = timer->arg;
  RT_ASSERT(t->obj.type == OBJ_TIMER && t->chan->timer == t);
  int64_t wall = rt_wall_now() + (now - rt_now());
  Value v = value_from_small(wall);
  chan_try_send(p, &t->chan->chan, v);
}

static CspStatus timer_channel(CspCall *call, bool repeat) {
  int64_t ns;
  if (!csp_need_int(call, 0, &ns)) return CSP_PANIC;
  if (repeat && ns <= 0)
    return csp_panic(call, "tick: the interval must be above 0, not %lld",
                     (long long)ns);
  ObjChan *c = channel_new(call->local, 1);
  ObjTimer *t =
      (ObjTimer *)heap_alloc(&call->local->heap, sizeof *t, OBJ_TIMER);
  if (c == NULL || t == NULL) return csp_panic_memory(call);
  t->timer = (Timer){.fire = timer_fire, .arg = t};
  t->chan = c;
  c->timer = t;
  int64_t when;
  if (__builtin_add_overflow(rt_now(), ns < 0 ? 0 : ns, &when))
    when = INT64_MAX;
  timer_start(call->local->p, &t->timer, when, repeat ? ns : 0);
  return csp_ok(call, csp_wrap(value_from_obj(c)));
}

CspStatus builtin_after(CspCall *call) { return timer_channel(call, false); }

CspStatus builtin_tick(CspCall *call) { return timer_channel(call, true); }
