// SPDX-License-Identifier: MIT
// The protocol of idle.c under weak memory: threads that submit work against
// threads that cease to look for it. At the end, if there is work in a queue
// and an idle P, somebody must be on the way: an M that spins, or one that was
// woken. An M that is woken is a dummy from the pool: it keeps what it was
// given.
//
// Thread i runs with P i, if that is not idle. The same protocol is searched in
// tests/unit/test_explore_idle.c, there with sequentially consistent memory.
#include "sched/find_work.c"
#include "sched/idle.c"
#include "sched/proc.c"
#include "world.h"

typedef enum State { IDLE, BUSY, SPINS, CALLS } State;

static M dummies[WORLD_DUMMIES];
// The M of that P goes on looking: at once, or after its second look.
static bool looks_again[WORLD_PS];

static void setup_world(State p0, State p1, State p2) {
  const State states[WORLD_PS] = {p0, p1, p2};
  world_setup();
  memset(dummies, 0, sizeof dummies);
  memset(looks_again, 0, sizeof looks_again);
  for (int i = 0; i < WORLD_PS; i++) {
    if (states[i] == IDLE) {
      ms[i].p = NULL;
      idle_put_p(&sched, &ps[i]);
    } else if (states[i] == SPINS) {
      ms[i].spinning = true;
      sched.spinning++;
    } else if (states[i] == CALLS) {
      ps[i].status = P_SYSCALL | ms[i].id << P_STATUS_BITS;
      ms[i].p = NULL;
    }
  }
  for (int i = 0; i < WORLD_DUMMIES; i++) {
    dummies[i].sched = &sched;
    push_m(&sched, &dummies[i]);
  }
}

static void one_spins(void) { setup_world(BUSY, SPINS, BUSY); }
static void one_spins_one_idle(void) { setup_world(BUSY, SPINS, IDLE); }
static void two_spin(void) { setup_world(BUSY, SPINS, SPINS); }
static void none_spins(void) { setup_world(BUSY, BUSY, BUSY); }
static void all_but_one_idle(void) {
  setup_world(IDLE, SPINS, IDLE);
  sched.pins = 1;  // a thread that may still post keeps a pin
}
static void two_call(void) {
  setup_world(CALLS, BUSY, CALLS);
  sched.pins = 1;
}
static void own_is_idle(void) { setup_world(IDLE, SPINS, BUSY); }

// --- The threads that submit ------------------------------------------------
static void spawn(void) { sched_spawn(&ps[0], work_new(0)); }

static void spawn_two(void) {
  sched_spawn(&ps[0], work_new(0));
  sched_spawn(&ps[0], work_new(1));
}

static void yield_g(void) {
  G *g = work_new(0);
  rt_store_relaxed(&g->status, (uint32_t)G_RUNNING);
  g->p = &ps[0];
  ps[0].current = g;
  sched_yield_g(&ps[0], g);
}

static G *waiting(int at) {
  G *g = work_new(at);
  rt_store_relaxed(&g->status, (uint32_t)G_WAITING);
  return g;
}

static void ready_two(void) {
  sched_ready(&ps[0], waiting(0));
  sched_ready(&ps[0], waiting(1));
}

static void ready_list(void) {
  G *first = waiting(0);
  first->link = waiting(1);
  first->link->link = NULL;
  sched_ready_list(&ps[0], first, 2);
}

// By a timer, while another G runs.
static void ready_urgent(void) {
  P *p = &ps[0];
  p->current = &gs[WORLD_GS - 1];
  urgent_begin(p, 1);
  sched_ready(p, waiting(0));
  urgent_end(p);
}

// As after a blocking call: takes P 0, idle until then, and spawns there.
static void take_and_spawn(void) {
  rt_lock(&sched.lock);
  P *p = idle_get_p(&sched, &ps[0]);
  rt_unlock(&sched.lock);
  if (p != NULL) sched_spawn(p, work_new(0));
}

// A thread without a P.
static SchedPost post;
static void post_done(P *p, SchedPost *done) { (void)p, (void)done; }
static void post_to_inbox(void) {
  post.fn = post_done;
  sched_post(&sched, &post);
}

// --- The Ms that cease to look ----------------------------------------------
static void stop_looking(void) {
  M *m = &ms[relacy_thread()];
  give_up(m);
  looks_again[relacy_thread()] = m->p != NULL;
}
static void find_work(void) { idle_stop_spinning(&ms[relacy_thread()]); }

// --- Afterwards -------------------------------------------------------------
static bool somebody_comes(void) {
  if (sched.spinning != 0) return true;
  for (int i = 0; i < WORLD_PS; i++) {
    if (looks_again[i]) return true;
  }
  for (int i = 0; i < WORLD_DUMMIES; i++) {
    if (dummies[i].next_p != NULL) return true;
  }
  return false;
}

// Or a P that runs was told of it.
static bool inbox_is_seen_to(void) {
  if (!inbox_pending(&sched) || somebody_comes()) return true;
  for (int i = 0; i < WORLD_PS; i++) {
    if (ps[i].status == P_RUNNING && (ps[i].look & LOOK_INBOX)) return true;
  }
  return false;
}

static void check(void) {
  bool work = sched.global.count != 0 || !inbox_is_seen_to();
  for (int i = 0; i < WORLD_PS; i++) {
    bool queued = runq_length(&ps[i]) > 0;
    RELACY_CHECK(!queued || ps[i].status != P_IDLE,
                 "P %d is idle with goroutines", i);
    work |= queued;
  }
  RELACY_CHECK(inbox_is_seen_to() || sched.idle_count != 0,
               "a post is left, and no P was told");
  RELACY_CHECK(!work || sched.idle_count == 0 || somebody_comes(),
               "a wake-up is lost: there is work and an idle P, but nobody "
               "is on the way");
}

static const RelacyScenario all[] = {
    {"spawn", one_spins, {spawn, stop_looking}, check, 20000, 25000, 2},
    {"spawn_two",
     one_spins_one_idle,
     {spawn_two, stop_looking},
     check,
     20000,
     25000,
     2},
    {"yield", one_spins, {yield_g, stop_looking}, check, 20000, 25000, 2},
    {"ready_two", one_spins, {ready_two, stop_looking}, check, 20000, 25000, 2},
    {"ready_urgent",
     one_spins,
     {ready_urgent, stop_looking},
     check,
     20000,
     25000,
     2},
    {"ready_list",
     one_spins,
     {ready_list, stop_looking},
     check,
     20000,
     25000,
     2},
    {"ready_list_shared",
     one_spins_one_idle,
     {ready_list, stop_looking},
     check,
     20000,
     25000,
     2},
    {"not_spinning", none_spins, {spawn, stop_looking}, check, 20000, 25000, 2},
    {"two_stop",
     two_spin,
     {spawn, stop_looking, stop_looking},
     check,
     20000,
     30000,
     2},
    {"found_meanwhile",
     one_spins,
     {spawn, find_work, stop_looking},
     check,
     20000,
     30000,
     2},
    {"woken_p",
     own_is_idle,
     {take_and_spawn, stop_looking},
     check,
     20000,
     25000,
     2},
    {"post",
     all_but_one_idle,
     {post_to_inbox, stop_looking},
     check,
     20000,
     25000,
     2},
    {"post_none_idle",
     one_spins,
     {post_to_inbox, stop_looking, stop_looking},
     check,
     20000,
     30000,
     2},
    {"post_not_spinning",
     two_call,
     {post_to_inbox, stop_looking},
     check,
     20000,
     25000,
     2},
    {"taken",
     own_is_idle,
     {take_and_spawn, find_work, stop_looking},
     check,
     20000,
     500000,
     2},
};

int main(int argc, char **argv) {
  return relacy_main(argc, argv, all, sizeof all / sizeof *all);
}
