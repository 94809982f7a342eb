// SPDX-License-Identifier: MIT
// Predeclared functions that concern goroutines and channels (chan, close,
// sleep, recover), and the hidden ones that the module sched calls.
#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/limits.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/interp/stack.h"
#include "vm/interp/task.h"
#include "vm/native/builtins.h"
#include "vm/object/channel_memory.h"
#include "vm/object/value_text.h"

// --- Channels ---------------------------------------------------------------
enum { ARG_N, ARG_DROP, ARG_GROW };  // of chan
enum { WORD_SHOWN = 40 };

static bool given(CspCall *call, int i) {
  return csp_arg(call, i).word != VALUE_NIL;
}

static CspStatus chan_made(CspCall *call, ObjChan *channel) {
  if (channel == NULL) return csp_panic_memory(call);
  return csp_ok(call, csp_wrap(value_from_obj(channel)));
}

static CspStatus chan_that_drops(CspCall *call, int64_t n) {
  const char *word;
  size_t len;
  if (!csp_need_string(call, ARG_DROP, &word, &len)) return CSP_PANIC;
  if (len != 6 || memcmp(word, "oldest", 6) != 0)
    return csp_panic(call,
                     "chan: drop must be \"oldest\" (or nil), not \"%.*s\"",
                     (int)(len < WORD_SHOWN ? len : WORD_SHOWN), word);
  if (n == 0)
    return csp_panic(call,
                     "chan: one that drops the oldest must hold at least 1: "
                     "chan(1, drop: \"oldest\")");
  return chan_made(call, channel_new_drops(call->local, (uint32_t)n));
}

static CspStatus chan_that_grows(CspCall *call, int64_t n) {
  int64_t limit;
  if (!csp_need_int(call, ARG_GROW, &limit)) return CSP_PANIC;
  if (limit < 1 || limit > CHAN_MOST)
    return csp_panic(call, "chan: grow must be from 1 to %d, not %lld",
                     CHAN_MOST, (long long)limit);
  if (limit < n)
    return csp_panic(call,
                     "chan: grow, the most it may hold, is %lld: less than the "
                     "%lld it begins with",
                     (long long)limit, (long long)n);
  return chan_made(
      call, channel_new_grows(call->local, (uint32_t)n, (uint32_t)limit));
}

// chan(n = 0, drop = nil, grow = nil): a channel that holds n values, and drops
// the oldest or grows when it is full.
CspStatus builtin_chan(CspCall *call) {
  int64_t n = 0;
  if (given(call, ARG_N) && !csp_need_int(call, ARG_N, &n)) return CSP_PANIC;
  if (n < 0 || n > CHAN_MOST)
    return csp_panic(call, "chan: the capacity must be from 0 to %d, not %lld",
                     CHAN_MOST, (long long)n);
  if (given(call, ARG_DROP) && given(call, ARG_GROW))
    return csp_panic(call, "chan: give drop or grow, not both");
  if (given(call, ARG_DROP)) return chan_that_drops(call, n);
  if (given(call, ARG_GROW)) return chan_that_grows(call, n);
  return chan_made(call, channel_new_plain(call->local, (uint32_t)n));
}

CspStatus builtin_close(CspCall *call) {
  Value v = csp_arg(call, 0).word;
  if (v == VALUE_NIL) return csp_panic(call, "close of nil channel");
  if (!value_is_type(v, OBJ_CHAN)) return csp_bad_arg(call, 0, "a channel");
  if (!chan_close(call->local->p, &((ObjChan *)value_obj(v))->chan))
    return csp_panic(call, "close of closed channel");
  charge_woken(call->local);
  return csp_ok_nothing(call);
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
  call->later.kind = LATER_PROCS;
  call->later.number = n;
  return CSP_LATER;
}

static CspStatus sched_gc_(CspCall *call) {
  call->later.kind = LATER_GC;
  return CSP_LATER;
}

// Starts a goroutine, as if by the caller of the module's function.
static CspStatus start_goroutine(CspCall *call, Value f, bool is_aide) {
  Local *local = call->local;
  if (!goroutine_allowed(local, call->g)) return CSP_PANIC;
  Goroutine *made = goroutine_new(local, f, NULL, 0);
  if (made == NULL) return csp_panic_memory(call);
  const Value *base = call->g->base, *below = base - (base[-2] >> 10);
  RT_ASSERT(frame_is_valid(call->g, base) && frame_is_valid(call->g, below));
  made->created_in = frame_closure(below)->proto;
  made->created_pc = (const Instr *)(uintptr_t)base[-3] - 1;
  if (is_aide) group_join_aide(local->p, call->g->g.group, &made->g);
  sched_spawn(local->p, &made->g);
  return csp_ok_nothing(call);
}

// One that belongs to no group.
static CspStatus sched_background_(CspCall *call) {
  Value f = csp_arg(call, 0).word;
  if (csp_type(csp_wrap(f)) != CSP_FUNC)
    return csp_panic(call, "sched.background: f must be func, not %s",
                     value_type_name(f));
  return start_goroutine(call, f, false);
}

// One that ends with the innermost group around, which does not wait for it.
static CspStatus sched_aide_(CspCall *call) {
  Value f = csp_arg(call, 0).word;
  if (csp_type(csp_wrap(f)) != CSP_FUNC)
    return csp_panic(call, "_sched_aide: f must be func, not %s",
                     value_type_name(f));
  return start_goroutine(call, f, true);
}

// _sched_select(cases, prio): index, value, ok.
static CspStatus sched_select_(CspCall *call) {
  CspValue cases = csp_arg(call, 0);
  if (csp_type(cases) != CSP_LIST)
    return csp_panic(call, "sched.select: cases must be a list, not %s",
                     csp_type_name(cases));
  call->later.kind = LATER_SELECT;
  call->later.value = cases.word;
  call->later.number = csp_truthy(csp_arg(call, 1));
  return CSP_LATER;
}

const CspFunction builtin_sched_functions[] = {
    CSP_REPEATABLE,
    {"chan", "n = 0, drop = nil, grow = nil", builtin_chan},
    {"close", "c", builtin_close},
    {"after", "ns", builtin_after},
    {"tick", "ns", builtin_tick},
    {"timer", "ns", builtin_timer},
    {"sleep", "ns", builtin_sleep},
    CSP_STORED("recover", "", builtin_recover),
    {"_sched_procs", "", sched_procs_},
    {"_sched_gc", "", sched_gc_},
    {"_sched_background", "f", sched_background_},
    {"_sched_aide", "f", sched_aide_},
    {"_sched_select", "cases, prio = false", sched_select_},
    CSP_NEEDS(CSP_PROCS),
    {"_sched_set_procs", "n", sched_set_procs_},
    {NULL, NULL, NULL}};
