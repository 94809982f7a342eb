// SPDX-License-Identifier: MIT
// Work and span of a program (docs/work-and-span.md): the work is the time that
// all Gs ran, the span that of the longest chain of steps of which each had to
// wait for the one before.
//
// Each G has a span clock, which is the length of the longest chain that leads
// to where it is. It goes on while the G runs. A new G has the clock of its
// maker. A G that waited takes over a later clock of what it waited for:
//   - of the G that readied it. Where both meet (an unbuffered channel) each
//     takes over the later clock of both
//   - of the G that sent the word that it takes out of a buffer: each word has
//     the clock of its sender beside it, in a block of twice the size
//   - of the Gs that ended before its group did (Group.span), of the one that
//     closed the channel or ended the task (Chan.closed_span)
//   - of the G that left the place of a gate that it enters. Those clocks are a
//     ring after the gate's state, and the n-th G that enters a gate of k
//     places follows the (n-k)-th that left it
// What no G readied was outside: a timer, the network, a blocking call, a
// thread of the host. Its clock goes on for as long as it was away.
//
// Run time is the CPU time of the thread, so what else the machine does is not
// counted. To read that takes a system call. So a stretch of less than SHORT_NS
// is timed by rt_now, because a thread that loses its CPU mostly loses it for
// longer. A longer one is what the CPU clock has gone on since it was read
// last, at most SHORT_NS before the stretch. What rt_now itself takes is taken
// away, and the time in the functions here is in no stretch.
//
// While this is off it costs nothing on the paths of sched/trace.c: MARK_SPAN
// makes them go the long way as MARK_TRACE does. Where there was no branch,
// what programs do takes another way (vm/): chan(n) makes a channel that grows,
// and locks have no quick forms.
//
// Each clock is written by the thread that holds the G. It goes from one to the
// next with the G, by the queue or lock that hands the G over, and so do the
// clocks beside words, under the lock of the channel. WorkClock is its P's. No
// word here is atomic.
#include "sched/workspan.h"

#include "sched/cancel.h"
#include "sched/chan.h"

enum {
  SHORT_NS = 20 * NS_PER_US,
  READ_TRIES = 3,
  READ_FAST_NS = 5 * NS_PER_US,
  PRICE_READS = 200,
};

bool sched_spans(const Sched *sched) { return sched->watch.span_at != 0; }

static WorkSpan *work_span_of(const Sched *sched, const G *g) {
  RT_ASSERT(sched->watch.span_at != 0);
  return (WorkSpan *)(uintptr_t)((const char *)g + sched->watch.span_at);
}

void workspan_init(Sched *sched, size_t span_at) {
  sched->watch.span_at = span_at;
  if (span_at == 0) return;
  int64_t least = SHORT_NS, before = rt_now();
  for (int i = 0; i < PRICE_READS; i++) {
    int64_t now = rt_now();
    if (now - before < least) least = now - before;
    before = now;
  }
  sched->watch.clock_ns = least;
}

// --- The time that a G runs -------------------------------------------------
// Both clocks at one moment: again, where something came in between.
static void read_both(WorkClock *clock, const M *m) {
  for (int i = 0; i < READ_TRIES; i++) {
    int64_t before = rt_now();
    clock->cpu_seen = rt_cpu_time();
    clock->seen = rt_now();
    if (clock->seen - before < READ_FAST_NS) break;
  }
  clock->m = m;
}

// How long the thread has run since clock->from. A CPU clock that is read late
// may count too much, so it only makes the time less.
static int64_t stretch(P *p, int64_t now) {
  WorkClock *clock = &p->work;
  int64_t ran = now - clock->from - p->sched->watch.clock_ns;
  if (ran >= SHORT_NS) {
    WorkClock before = *clock;
    read_both(clock, p->m);
    int64_t on =
        clock->cpu_seen - before.cpu_seen - (before.from - before.seen);
    if (before.m == p->m && on < ran) ran = on;
  }
  return ran > 0 ? ran : 0;
}

static void make_longest(P *p, int64_t span) {
  if (span > p->work.longest) p->work.longest = span;
}

// g runs on p: what it ran since the last time is added. clock_goes_on follows.
static WorkSpan *count_up(P *p, const G *g) {
  WorkSpan *own = work_span_of(p->sched, g);
  // It may have come to this P by a change of their number.
  if (p->work.g == g) {
    int64_t ran = stretch(p, rt_now());
    p->work.time += ran;
    own->span += ran;
    make_longest(p, own->span);
  }
  return own;
}

static void clock_goes_on(P *p, const G *g) {
  WorkClock *clock = &p->work;
  if (clock->m != p->m || rt_now() - clock->seen > SHORT_NS)
    read_both(clock, p->m);
  clock->g = g;
  clock->from = rt_now();
  // It lost its CPU just now.
  for (int i = 0; i < READ_TRIES && clock->from - clock->seen > SHORT_NS; i++) {
    read_both(clock, p->m);
    clock->from = rt_now();
  }
}

void workspan_runs(P *p, G *g) {
  make_longest(p, work_span_of(p->sched, g)->span);
  clock_goes_on(p, g);
}

void workspan_left(P *p, G *g) {
  WorkSpan *own = count_up(p, g);
  p->work.g = NULL;
  if (g->reason == WAIT_CALLBACK) p->work.outer = g;
  if (g == p->work.inner) p->work.inner_span = own->span;
  own->left = rt_now();
}

// --- Who follows whom -------------------------------------------------------
// The G that does what p does now. NULL: it is a timer, the network, a thread
// of the host, or the search for work.
static G *doer(const P *p) {
  return p->firing != 0 || (p->marks & MARK_POSTS) ? NULL : p->current;
}

static void take_over(WorkSpan *own, int64_t span) {
  if (own->span < span) own->span = span;
}

int64_t workspan_now(P *p) {
  G *g = doer(p);
  if (g == NULL) return 0;
  int64_t span = count_up(p, g)->span;
  clock_goes_on(p, g);
  return span;
}

void workspan_join(P *p, int64_t span) {
  G *g = doer(p);
  if (g == NULL) return;
  take_over(count_up(p, g), span);
  clock_goes_on(p, g);
}

void workspan_made(P *p, G *g) {
  WorkSpan *own = work_span_of(p->sched, g);
  bool called_back = p->current == NULL && p->work.outer != NULL;
  own->span = called_back ? work_span_of(p->sched, p->work.outer)->span
                          : workspan_now(p);
  p->work.outer = NULL;
  own->left = rt_now();
}

void workspan_follows(P *p, const G *inner) {
  workspan_join(p, work_span_of(p->sched, inner)->span);
}

// What g, which was dequeued, has waited for. NULL: no channel or gate.
static const Chan *waited_for(const G *g) {
  const Waiter *waiter = g->woken_by;
  bool waits = g->reason == WAIT_CHAN_SEND || g->reason == WAIT_CHAN_RECV ||
               g->reason == WAIT_SELECT;
  if (!waits || waiter == NULL) return NULL;
  if (waiter->index >= 0) return ((const SelCase *)(const void *)waiter)->chan;
  // relaxed: g's own, and it waits
  uintptr_t on = rt_load_relaxed(&g->parked_on);
  return (const Chan *)(on & ~(uintptr_t)ON_MASK);
}

// How long g was away. A sleep ends when it is due, however late that is seen.
static int64_t was_away(const WorkSpan *own, const G *g) {
  int64_t until = rt_now();
  if (g->reason == WAIT_SLEEP) {
    // relaxed: g's own, and it waits
    uintptr_t on = rt_load_relaxed(&g->parked_on) & ~(uintptr_t)ON_MASK;
    const Timer *timer = (const Timer *)on;
    if (timer->when < until) until = timer->when;
  }
  return until > own->left ? until - own->left : 0;
}

void workspan_readied(P *p, G *g) {
  WorkSpan *own = work_span_of(p->sched, g);
  G *by = doer(p);
  if (by == NULL) {
    own->span += was_away(own, g);
    return;
  }
  const Chan *chan = waited_for(g);
  // relaxed: these bits never change after chan_init_grows and gate_init
  uint32_t flags = chan == NULL ? 0 : rt_load_relaxed(&chan->flags);
  if (flags & CHAN_GATE) return;  // see workspan_enters_gate
  bool meets = chan != NULL && g->woken_by->success && chan->cap == 0 &&
               !(flags & CHAN_GROWS);
  WorkSpan *other = count_up(p, by);
  if (meets) take_over(other, own->span);
  take_over(own, other->span);
  clock_goes_on(p, by);
}

// --- Buffers and gates ------------------------------------------------------
void workspan_put(P *p, uint64_t *slot, uint32_t room, const G *sender) {
  int64_t span = workspan_now(p);
  int64_t waits = sender == NULL ? 0 : work_span_of(p->sched, sender)->span;
  slot[room] = (uint64_t)(span > waits ? span : waits);
}

void workspan_take(P *p, const uint64_t *slot, uint32_t room) {
  workspan_join(p, (int64_t)slot[room]);
}

// Beside the state, which is the first word. sendx and recvx count those that
// entered and left.
static uint64_t *gate_ring(Chan *gate, uint32_t *count) {
  uint32_t places = gate->cap < GATE_SPANS_MOST ? gate->cap : GATE_SPANS_MOST;
  uint64_t *slot = &gate->buf[1 + *count];
  if (++*count == places) *count = 0;
  return slot;
}

void workspan_leaves_gate(P *p, Chan *gate) {
  int64_t span = workspan_now(p);
  *gate_ring(gate, &gate->recvx) = (uint64_t)span;
}

void workspan_enters_gate(P *p, Chan *gate, G *g) {
  int64_t span = (int64_t)*gate_ring(gate, &gate->sendx);
  if (g == p->current)
    workspan_join(p, span);
  else
    take_over(work_span_of(p->sched, g), span);
}

void sched_span_entered(P *p, G *g, Chan *gate) {
  chan_lock(p, gate);
  workspan_enters_gate(p, gate, g);
  chan_unlock(p, gate);
}

// --- Blocking calls ---------------------------------------------------------
void workspan_call_begins(M *m) { m->call_cpu = rt_cpu_time(); }

// What the call did is its thread's CPU time, and how long g was in it counts
// for the chain.
static int64_t end_call(const M *m, G *g) {
  WorkSpan *own = work_span_of(m->sched, g);
  int64_t away = rt_now() - own->left, cpu = rt_cpu_time() - m->call_cpu;
  own->span += away;
  return cpu < away ? cpu : away;
}

void workspan_call_ended(M *m, P *p, G *g) { p->work.time += end_call(m, g); }

void workspan_call_ended_alone(M *m, G *g) {
  m->sched->calls.time += end_call(m, g);
}

// --- The result -------------------------------------------------------------
void sched_work_span(Sched *sched, int64_t *work, int64_t *span) {
  rt_lock(&sched->lock);  // stuck Ms may come back
  *work = sched->calls.time;
  *span = 0;
  for (int i = 0; i < sched->ps.made; i++) {
    const WorkClock *clock = &p_at(sched, i)->work;
    *work += clock->time;
    if (clock->longest > *span) *span = clock->longest;
  }
  rt_unlock(&sched->lock);
}
