// SPDX-License-Identifier: MIT
// Cancellation under weak memory (cancel.c): G 0, a member of `group`, waits on
// P 0, and the group is cancelled. The thread that readies G 0 runs it. It goes
// on once for each wait, and no cancellation is lost.
//
// In `..._again` the group is cancelled already, and thread 1 ends the wait as
// usual. Then G 0 waits once more, shielded. The M of thread 0, which parked
// it, saw the flag and acts on what it knows of the first wait. It must not
// cancel the second. In `..._inner` it begins a group of its own for it, as a
// deferred function may, which thread 2 cancels: the M must not get in its way.
#include "sched/poll.c"
#include "sched/proc.h"
#include "sched/runq.h"
#include "sched/timer.h"
#include "world.h"

enum { CHANS = 2, OWNER = 5, ROOM = 16 };

typedef enum Then { ENDS, AGAIN, INNER } Then;
typedef void Wait(P *p);

static Chan chans[CHANS];
static SelCase cases[CHANS];
static uint16_t order[2 * CHANS];
static Timer sleep;
static TimerEntry entries[WORLD_PS][ROOM];
static Poller poller;
static PollDesc desc;

static Group group, inner;
static Wait *wait_for_it;
static Then then;
static uint32_t begun;  // atomic: inner
static int waits;       // plain, as all of G 0: how many it has begun
static int over;        // and how many are over

static void setup_world(Wait *wait, Then what) {
  world_setup();
  memset(&sleep, 0, sizeof sleep);
  memset(&desc, 0, sizeof desc);
  memset(&inner, 0, sizeof inner);
  for (int i = 0; i < CHANS; i++) {
    chan_init(&chans[i], 0);
    cases[i] = (SelCase){.chan = &chans[i]};
  }
  for (int i = 0; i < WORLD_PS; i++)
    ps[i].timers = (TimerHeap){.entries = entries[i], .room = ROOM};
  poller.sched = &sched;
  poller.os = (RtPoll){.fd = -1, .break_fd = RELACY_EVENT_FD};
  sched.netpoll.poller = &poller;
  desc.poller = &poller;
  desc.fd = -1;
  wait_for_it = wait;
  then = what;
  begun = 0;
  waits = over = 0;
  group_begin(&ps[0], work_new(OWNER), &group);
  group_join(&ps[0], &group, work_new(0));
  if (then != ENDS) group.cancelled = CANCELLED;
  gs[0].status = G_RUNNING;
  gs[0].p = &ps[0];
  ps[0].current = &gs[0];
}

// --- G 0 --------------------------------------------------------------------
static void goes_on(P *p, bool cancelled) {
  G *g = &gs[0];
  RELACY_CHECK(!cancelled || g_cancelled(g),
               "a wait was cancelled that must not be");
  over++;
  if (over == 2 || then == ENDS) return;
  rt_store_relaxed(&g->shielded, (uint8_t)1);
  if (then == INNER) {
    group_begin(p, g, &inner);
    rt_store_release(&begun, 1u);
  }
  wait_for_it(p);
}

static bool take_cancelled(void) {
  bool cancelled = gs[0].cancelled;
  gs[0].cancelled = false;
  return cancelled;
}

static void recv_0(P *p) {
  uint64_t word;
  waits++;
  if (chan_recv(p, &gs[0], &chans[0], &word, WAIT_CHAN_RECV) != CHAN_PARKED)
    goes_on(p, false);
}

// The second time on the other channel.
static void recv_both(P *p) {
  uint64_t word;
  Chan *chan = &chans[waits++];
  if (chan_recv(p, &gs[0], chan, &word, WAIT_CHAN_RECV) != CHAN_PARKED)
    goes_on(p, false);
}

static void select_both(P *p) {
  waits++;
  if (select_go(p, &gs[0], cases, order, CHANS, SELECT_BLOCK) != SELECT_PARKED)
    goes_on(p, false);
}

static void sleep_long(P *p) {
  waits++;
  sched_sleep(p, &gs[0], &sleep, 1000000000);
}

static void wait_for_desc(P *p) {
  waits++;
  for (;;) {
    PollResult result = poll_wait(p, &gs[0], &desc, POLL_READ);
    if (result == POLL_PARKED) return;
    if (result == POLL_READY) break;
  }
  goes_on(p, false);
}

// Runs G 0, if it is in a queue of p.
static void run(P *p) {
  G *g;
  while ((g = urgent_take(p)) != NULL || (g = runq_take_next(p)) != NULL ||
         (g = runq_pop(p)) != NULL) {
    RELACY_CHECK(g == &gs[0], "that is not G 0");
    p->current = NULL;
    proc_set_running(p, g);
    if (wait_for_it == select_both) select_finish(p, g, cases, order, CHANS);
    bool cancelled = take_cancelled();
    if (wait_for_it == wait_for_desc && !cancelled &&
        poll_result(&desc, POLL_READ) != POLL_READY)
      cancelled = g_cancelled(g) != NOT_CANCELLED;
    goes_on(p, cancelled);
  }
}

// --- Threads ----------------------------------------------------------------
static void parks(void) {
  wait_for_it(my_p());
  run(my_p());
}

static void cancels(void) {
  group_cancel(my_p(), &group, CANCELLED);
  run(my_p());
}

static void cancels_inner(void) {
  if (!rt_load_acquire(&begun)) return;
  group_cancel(my_p(), &inner, CANCELLED);
  run(my_p());
}

static void sends(void) {
  if (chan_try_send(my_p(), &chans[0], 7) == CHAN_DONE) run(my_p());
}

static void fires(void) {
  timers_run(my_p(), &ps[0], INT64_MAX);
  run(my_p());
}

static void event(void) {
  ready_one(my_p(), take_waiter(&desc, POLL_READ, true));
  run(my_p());
}

static void check(void) {
  int expect = then == ENDS || !inner.cancelled ? 1 : 2;
  RELACY_CHECK(over >= expect, "wait %d is cancelled and goes on for ever",
               over + 1);
  if (over < waits) {
    RELACY_CHECK(gs[0].status == G_WAITING, "G 0 is not where it waits");
    RELACY_CHECK(!gs[0].cancelled, "cancelled, but not woken");
  }
}

// The group's time of grace is over, while G 0 waits in a deferred function.
static void hardens(void) {
  group.timer.fire(my_p(), &group.timer, INT64_MAX);
  run(my_p());
}

// The deadline's timer, due, is taken out of its heap while another cancels and
// makes it the timer of the time of grace.
static void deadline_fires(void) { timers_run(my_p(), &ps[0], 1); }

static void check_grace(void) {
  RELACY_CHECK(group.cancelled && !group.grace_over,
               "it is over, or not begun");
  RELACY_CHECK(group.timer.owner != NULL && group.timer.when == group.harden,
               "nothing will end the time of grace");
}

// --- All --------------------------------------------------------------------
static void deadline(void) {
  setup_world(recv_0, ENDS);
  group_deadline(&ps[0], &group, 1);
}
static void recv_ends(void) { setup_world(recv_0, ENDS); }
static void recv_hard(void) {
  recv_ends();
  gs[0].shielded = 1;
  group.cancelled = CANCELLED;
  group.harden = 1;
}
static void recv_again(void) { setup_world(recv_0, AGAIN); }
static void recv_other(void) { setup_world(recv_both, AGAIN); }
static void recv_inner(void) { setup_world(recv_both, INNER); }
static void select_ends(void) { setup_world(select_both, ENDS); }
static void select_again(void) { setup_world(select_both, AGAIN); }
static void select_inner(void) { setup_world(select_both, INNER); }
static void sleep_ends(void) { setup_world(sleep_long, ENDS); }
static void sleep_again(void) { setup_world(sleep_long, AGAIN); }
static void sleep_inner(void) { setup_world(sleep_long, INNER); }
static void poll_ends(void) { setup_world(wait_for_desc, ENDS); }
static void poll_again(void) { setup_world(wait_for_desc, AGAIN); }
static void poll_inner(void) { setup_world(wait_for_desc, INNER); }

#define ENDS_BY(setup, other) \
  { #setup, setup, {parks, other }, check, 1000, 5000, 2 }
#define INNER_BY(setup, other) \
  { #setup, setup, {parks, other, cancels_inner }, check, 1000, 5000, 1 }

int main(int argc, char **argv) {
  const RelacyScenario all[] = {
      ENDS_BY(recv_ends, cancels),
      ENDS_BY(recv_hard, hardens),
      ENDS_BY(select_ends, cancels),
      ENDS_BY(sleep_ends, cancels),
      ENDS_BY(poll_ends, cancels),
      ENDS_BY(recv_again, sends),
      ENDS_BY(recv_other, sends),
      ENDS_BY(select_again, sends),
      ENDS_BY(sleep_again, fires),
      ENDS_BY(poll_again, event),
      INNER_BY(recv_inner, sends),
      INNER_BY(select_inner, sends),
      INNER_BY(sleep_inner, fires),
      INNER_BY(poll_inner, event),
      {"deadline",
       deadline,
       {deadline_fires, cancels},
       check_grace,
       1000,
       5000,
       2},
  };
  return relacy_main(argc, argv, all, sizeof all / sizeof *all);
}
