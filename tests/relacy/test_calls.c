// SPDX-License-Identifier: MIT
// A P that changes hands without sched.lock: the quick calls of syscall.c,
// against sysmon and a thread that stops the world. G 0 runs on P 0 with M 0
// (thread 0) and makes a call, and threads 1 and 2 take the P. The thread that
// has it uses all its plain fields as its own. So an order that is missing
// shows as a data race, and a P that nobody takes as a deadlock.
#include "sched/g.h"
#include "sched/idle.c"
#include "sched/sysmon.c"
#include "world.h"

static M dummies[WORLD_DUMMIES];
static uint32_t call_over;  // atomic, relaxed: the kernel orders nothing
static uint64_t handshakes[WORLD_PS];  // plain, as a P's data

// Thread `stopper` has its P; the others but P 0 are idle.
static void setup_with(int stopper) {
  world_setup();
  call_over = 0;
  memset(dummies, 0, sizeof dummies);
  memset(handshakes, 0, sizeof handshakes);
  for (int i = 0; i < WORLD_DUMMIES; i++) {
    dummies[i].sched = &sched;
    dummies[i].id = 10u + (uint32_t)i;
    push_m(&sched, &dummies[i]);
  }
  for (int i = 1; i < WORLD_PS; i++) {
    if (i == stopper) continue;
    ms[i].p = NULL;
    idle_put_p(&sched, &ps[i]);
  }
  sched.sysmon.started = true;
  sched.config.m_limit = 0;  // no more than the dummies
  sched.running = false;     // no deadlock is reported
  gs[0].status = G_RUNNING;
  gs[0].p = &ps[0];
  ps[0].current = &gs[0];
  runq_put(&ps[0], work_new(1));  // waits for P 0
  gs[1].status = G_RUNNABLE;
}

static void nobody_stops(void) { setup_with(0); }
static void thread_1_stops(void) { setup_with(1); }
static void thread_2_stops(void) { setup_with(2); }

// --- The M that has the P ---------------------------------------------------
// What only the owner may touch.
static void use(P *p) {
  p->clock++;
  p->looks++;
  p->next_picks++;
}

// As the loop of an M on its P: stops for others, runs what is there, and
// gives it back.
static void run_on(M *m) {
  if (m->spinning) idle_stop_spinning(m);
  use(m->p);
  uint32_t look = rt_load_acquire(&m->p->look);
  if (look & (LOOK_WORLD | LOOK_HANDSHAKE)) stop_world_attend(m);
  P *p = m->p;
  use(p);
  for (G *g; (g = runq_pop(p)) != NULL;) {
    proc_set_running(p, g);
    work_found(g);
    g_leave(p, g, G_DEAD, WAIT_NONE);
  }
  rt_lock(&sched.lock);
  m->p = NULL;
  stop_world_p_left(&sched, p);
  rt_unlock(&sched.lock);
}

// The Ms that Ps were given to, on a thread that may have given them.
static void run_dummies(void) {
  for (int i = 0; i < WORLD_DUMMIES; i++) {
    M *m = &dummies[i];
    rt_lock(&sched.lock);
    bool given = m->next_p != NULL;
    if (given) m->p = m->next_p;
    m->next_p = NULL;
    rt_unlock(&sched.lock);
    if (given) run_on(m);
  }
}

// --- The call ---------------------------------------------------------------
static M *enter(P *p) {
  M *m;
  use(p);
  uint64_t calls = p->calls;
  SchedCall entered = sched_syscall_enter(p, &gs[0], true, &m);
  RELACY_CHECK(entered == CALL_ENTERED, "a call is not let in");
  // it was not quick: the P may be a dummy's
  if (rt_load_relaxed(&p->calls) == calls) run_dummies();
  return m;
}

static void call(bool until_over) {
  G *g = &gs[0];
  M *m = enter(&ps[0]);
  while (until_over && !rt_load_relaxed(&call_over)) rt_yield_cpu();
  P *p = sched_syscall_exit(m, g);
  if (p == NULL) return;
  RELACY_CHECK(p->current == g && p->m == m, "back with a foreign P");
  g_leave(p, g, G_DEAD, WAIT_NONE);
  run_on(m);
}

static void call_once(void) { call(false); }
// One that lasts until the others are through.
static void call_long(void) { call(true); }

// A second call of the same M, of which a late taker must not mistake the
// word for that of the first.
static void call_twice(void) {
  G *g = &gs[0];
  M *m;
  P *p = &ps[0];
  for (int i = 0; i < 2 && p != NULL; i++) {
    m = enter(p);
    p = sched_syscall_exit(m, g);
  }
  if (p == NULL) return;
  g_leave(p, g, G_DEAD, WAIT_NONE);
  run_on(m);
}

// --- The threads that take the P --------------------------------------------
static void retake(void) {
  take_from_call(&sched, &ps[0]);
  run_dummies();
}

static void look_at(void *arg, P *p) {
  (void)arg;
  use(p);
  handshakes[p->id]++;
}

static void stop_world(void) {
  P *p = my_p();
  RELACY_CHECK(stop_world_begin(p, false), "the world is not stopped");
  for (int i = 0; i < WORLD_PS; i++) look_at(NULL, &ps[i]);
  if (ps[0].current != NULL) ps[0].current->id++;
  stop_world_end(&sched);
  rt_store_relaxed(&call_over, 1u);
  run_dummies();
}

static void shake_hands(void) {
  sched_for_each_p(my_p(), NULL, look_at, NULL);
  for (int i = 0; i < WORLD_PS; i++) {
    RELACY_CHECK(handshakes[i] == 1, "P %d did not run the handshake", i);
  }
  rt_store_relaxed(&call_over, 1u);
  run_dummies();
}

// --- sysmon sleeps wholly while all Ps are idle -----------------------------
static void all_idle_setup(void) {
  setup_with(0);
  runq_pop(&ps[0]);
  ms[0].p = NULL;
  idle_put_p(&sched, &ps[0]);
}

static void take_idle_p(void) {
  rt_lock(&sched.lock);
  P *p = idle_get_p(&sched, NULL);
  rt_unlock(&sched.lock);
  RELACY_CHECK(p != NULL, "no P is idle");
}

static void sleep_while_idle(void) { sleep_wholly(&sched); }

static void check_nothing(void) {}

static void check(void) {
  RELACY_CHECK(sched.calls.count == 0, "%u calls are left", sched.calls.count);
  RELACY_CHECK(works[1].output == 1 || runq_length(&ps[0]) == 1,
               "the goroutine that waited is lost");
}

static const RelacyScenario all[] = {
    {"retake", nobody_stops, {call_once, retake}, check, 10000, 25000, 2},
    {"retake_twice",
     nobody_stops,
     {call_twice, retake, retake},
     check,
     120000,
     0,
     0},
    {"stop", thread_1_stops, {call_once, stop_world}, check, 10000, 25000, 2},
    {"stop_long", thread_1_stops, {call_long, stop_world}, check, 15000, 0, 0},
    {"stop_retake",
     thread_2_stops,
     {call_once, retake, stop_world},
     check,
     15000,
     0,
     0},
    {"handshake",
     thread_1_stops,
     {call_once, shake_hands},
     check,
     10000,
     25000,
     2},
    {"handshake_long",
     thread_1_stops,
     {call_long, shake_hands},
     check,
     15000,
     0,
     0},
    {"handshake_retake",
     thread_2_stops,
     {call_once, retake, shake_hands},
     check,
     15000,
     0,
     0},
    {"sysmon_sleeps",
     all_idle_setup,
     {take_idle_p, sleep_while_idle},
     check_nothing,
     10000,
     25000,
     3},
};

int main(int argc, char **argv) {
  return relacy_main(argc, argv, all, sizeof all / sizeof *all);
}
