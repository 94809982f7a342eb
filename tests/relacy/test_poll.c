// SPDX-License-Identifier: MIT
// The words of poll.c under weak memory. G 0 (thread 0, P 0) waits for a
// descriptor while an event comes, its deadline passes, or it is closed. It
// runs on exactly once, sees what the one that ended its wait has written
// before, and is told of a close and a deadline. Also the one M that blocks in
// the system's poll, against the thread that wakes it (idle_wake_m and
// rt_poll.c).
#include "sched/idle.c"
#include "sched/poll.c"
#include "world.h"

static Poller poller;
static PollDesc desc;
static uint64_t reasons[POLL_BUSY + 1];  // plain: by result, written before

static void setup(void) {
  world_setup();
  poller.sched = &sched;
  poller.os = (RtPoll){.fd = -1, .break_fd = RELACY_EVENT_FD};
  sched.netpoll.poller = &poller;
  memset(&desc, 0, sizeof desc);
  desc.poller = &poller;
  desc.fd = -1;
  memset(reasons, 0, sizeof reasons);
  G *g = work_new(0);
  g->status = G_RUNNING;
  g->p = &ps[0];
  ps[0].current = g;
}

// --- The G that waits -------------------------------------------------------
static void told(PollResult result) {
  RELACY_CHECK(result != POLL_PARKED && result != POLL_BUSY, "result %d",
               (int)result);
  if (result != POLL_READY) {
    RELACY_CHECK(reasons[result] == 1, "told of the end without its reason");
  }
}

// The G that was readied runs on, wherever that is.
static void resume(P *p) {
  G *g = urgent_take(p);
  if (g == NULL) g = runq_take_next(p);
  if (g == NULL) g = runq_pop(p);
  if (g == NULL) return;
  p->current = NULL;
  proc_set_running(p, g);
  work_found(g);
  told(poll_result(&desc, POLL_READ));
}

static void wait_for_it(void) {
  PollResult result = poll_wait(my_p(), &gs[0], &desc, POLL_READ);
  if (result == POLL_PARKED) return;
  work_found(&gs[0]);
  told(result);
}

// Tries again when woken for an event, as callers do: a close must end it.
static void wait_twice(void) {
  for (int i = 0; i < 2; i++) {
    PollResult result = poll_wait(my_p(), &gs[0], &desc, POLL_READ);
    if (result == POLL_PARKED) return;
    told(result);
    if (result != POLL_READY) break;
  }
  work_found(&gs[0]);
}

// --- The threads that end the wait ------------------------------------------
static void event(void) {
  ready_one(my_p(), take_waiter(&desc, POLL_READ, true));
  resume(my_p());
}

static void close_it(void) {
  reasons[POLL_CLOSED] = 1;
  poll_close(my_p(), &desc);
  resume(my_p());
}

static void deadline(void) {
  reasons[POLL_DEADLINE] = 1;
  poll_deadline(my_p(), &desc, POLL_READ, 1);
  resume(my_p());
}

static void check(void) {
  RELACY_CHECK(works[0].output == 1, "the goroutine waits for ever");
  RELACY_CHECK(sched.netpoll.waiters == 0,
               "%u goroutines are counted as waiting", sched.netpoll.waiters);
}

// --- The M that blocks in the poll ------------------------------------------
static M sleeper;

static void setup_sleeper(void) {
  setup();
  memset(&sleeper, 0, sizeof sleeper);
  sleeper.sched = &sched;
  sched.config.m_limit = 0;   // no other M
  sched.netpoll.waiters = 1;  // so it polls
  ms[2].p = NULL;
  ps[2].m = NULL;  // taken, for the thread that is woken
}

static void sleep_in_pool(void) {
  RELACY_CHECK(idle_wait(&sleeper), "woken for the end");
  RELACY_CHECK(sleeper.p == &ps[2] && ps[2].m == &sleeper,
               "woken without the P");
}

static void wake_with_p(void) {
  while (!idle_start_m(&sched, &ps[2], false)) rt_yield_cpu();
}

// As the thread that stops the world does: look around.
static void wake_only(void) { idle_wake_m(&sleeper); }

static void check_nothing(void) {}

int main(int argc, char **argv) {
  const RelacyScenario all[] = {
      {"event", setup, {wait_for_it, event}, check, 20000, 25000, 3},
      {"close", setup, {wait_for_it, close_it}, check, 20000, 25000, 3},
      {"deadline", setup, {wait_for_it, deadline}, check, 20000, 25000, 3},
      {"event_close",
       setup,
       {wait_twice, event, close_it},
       check,
       20000,
       30000,
       2},
      {"deadline_close",
       setup,
       {wait_for_it, deadline, close_it},
       check,
       20000,
       30000,
       2},
      {"wake",
       setup_sleeper,
       {sleep_in_pool, wake_with_p},
       check_nothing,
       20000,
       30000,
       2},
      {"wake_twice",
       setup_sleeper,
       {sleep_in_pool, wake_with_p, wake_only},
       check_nothing,
       20000,
       30000,
       2},
  };
  return relacy_main(argc, argv, all, sizeof all / sizeof *all);
}
