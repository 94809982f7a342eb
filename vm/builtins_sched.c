// SPDX-License-Identifier: MIT
// Predeclared functions that concern goroutines and channels: chan, close,
// after, tick, sleep, recover; and the hidden ones behind the module sched.
#include "vm/interp.h"

// --- Channels and time ------------------------------------------------------
static ObjChan *chan_new(CspCall *call, uint32_t cap) {
  size_t size = offsetof(ObjChan, chan) + chan_size(cap);
  ObjChan *c = (ObjChan *)heap_alloc(&call->local->heap, size, OBJ_CHAN);
  if (c == NULL) return NULL;
  c->timer = NULL;
  chan_init(call->vm->sched, &c->chan, cap);
  return c;
}

// chan(n = 0): a channel that holds n values.
static CspStatus builtin_chan(CspCall *call) {
  int64_t cap = 0;
  if (csp_argc(call) > 0 && csp_arg(call, 0).word != VALUE_NIL &&
      !csp_need_int(call, 0, &cap))
    return CSP_PANIC;
  if (cap < 0 || cap > (int64_t)1 << 27)
    return csp_panic(call, "chan: the capacity must be from 0 to %d, not %lld",
                     1 << 27, (long long)cap);
  ObjChan *c = chan_new(call, (uint32_t)cap);
  if (c == NULL) return csp_panic_memory(call);
  return csp_ok(call, csp_wrap(value_from_obj(c)));
}

static CspStatus builtin_close(CspCall *call) {
  Value v = csp_arg(call, 0).word;
  if (v == VALUE_NIL) return csp_panic(call, "close of nil channel");
  if (!value_is_type(v, OBJ_CHAN)) return csp_bad_arg(call, 0, "a channel");
  if (!chan_close(call->local->p, &((ObjChan *)value_obj(v))->chan))
    return csp_panic(call, "close of closed channel");
  return csp_ok_nothing(call);
}

// On the M that runs the P's timers. The channel holds one value; a reader
// that is late misses ticks.
static void timer_fire(P *p, Timer *timer, int64_t now) {
  ObjTimer *t = timer->arg;
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
  ObjChan *c = chan_new(call, 1);
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

static CspStatus builtin_after(CspCall *call) {
  return timer_channel(call, false);
}
static CspStatus builtin_tick(CspCall *call) {
  return timer_channel(call, true);
}

static CspStatus builtin_sleep(CspCall *call) {
  int64_t ns;
  if (!csp_need_int(call, 0, &ns)) return CSP_PANIC;
  return csp_sleep(call, ns);
}

static CspStatus builtin_recover(CspCall *call) {
  return csp_ok(call, csp_wrap(panic_recover(call->local, call->g)));
}

// --- Behind the module sched ------------------------------------------------
static CspStatus sched_procs_(CspCall *call) {
  return csp_ok_int(call, sched_procs(call->vm->sched));
}

static CspStatus sched_set_procs_(CspCall *call) {
  int64_t n;
  if (!csp_need_int(call, 0, &n)) return CSP_PANIC;
  if (n < 1 || n > PROCS_MAX)
    return csp_panic(call, "sched.set_procs: n must be from 1 to %d, not %lld",
                     PROCS_MAX, (long long)n);
  call->later = LATER_PROCS;
  call->later_int = n;
  return CSP_LATER;
}

static CspStatus sched_goroutines_(CspCall *call) {
  return csp_ok_int(call, vm_goroutine_count(call->vm));
}

static CspStatus sched_gc_(CspCall *call) {
  call->later = LATER_GC;
  return CSP_LATER;
}

static CspStatus sched_stats_(CspCall *call) {
  SchedStats stats;
  HeapStats heap;
  sched_stats(call->vm->sched, &stats);
  heap_stats(call->vm->heap, &heap);
  CspValue map = csp_map(call, 32);
  if (csp_is_undef(map)) return csp_panic_memory(call);
  bool fine = true;
#define PUT(name, value) \
  fine = fine &&         \
         csp_map_set_name(call, map, name, csp_int(call, (int64_t)(value)))
#define X(field, text) PUT(#field, stats.field);
  SCHED_STATS(X)
#undef X
  PUT("procs", stats.procs);
  PUT("idle_procs", stats.idle_procs);
  PUT("threads", stats.threads);
  PUT("idle_threads", stats.idle_threads);
  PUT("runqueue", stats.runqueue);
  PUT("heap_live", heap.live);
  PUT("heap_allocated", heap.total_allocated);
  PUT("heap_mapped", heap.mapped);
  PUT("collections", heap.collections);
  PUT("pause_ns_last", heap.pause_ns_last);
  PUT("pause_ns_max", heap.pause_ns_max);
  PUT("goroutines_collected", heap.goroutines_collected);
#undef PUT
  return fine ? csp_ok(call, map) : CSP_PANIC;
}

// _sched_select(cases, prio): index, value, ok.
static CspStatus sched_select_(CspCall *call) {
  CspValue cases = csp_arg(call, 0);
  if (csp_type(cases) != CSP_LIST)
    return csp_panic(call, "sched.select: cases must be a list, not %s",
                     csp_type_name(cases));
  call->later = LATER_SELECT;
  call->later_value = cases.word;
  call->later_int = csp_truthy(csp_arg(call, 1));
  return CSP_LATER;
}

const CspFunction builtin_sched_functions[] = {
    {"chan", "n = 0", builtin_chan},
    {"close", "c", builtin_close},
    {"after", "ns", builtin_after},
    {"tick", "ns", builtin_tick},
    {"sleep", "ns", builtin_sleep},
    {"recover", "", builtin_recover},
    {"_sched_procs", "", sched_procs_},
    {"_sched_set_procs", "n", sched_set_procs_},
    {"_sched_goroutines", "", sched_goroutines_},
    {"_sched_gc", "", sched_gc_},
    {"_sched_stats", "", sched_stats_},
    {"_sched_select", "cases, prio = false", sched_select_},
    {NULL, NULL, NULL}};
