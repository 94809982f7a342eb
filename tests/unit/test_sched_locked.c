// SPDX-License-Identifier: MIT
// How many locked instructions the scheduler's paths take: none with one P, at
// most 2 for an operation with several, and for each path exactly what the
// table below says, so that none creeps back unseen.
//
// All of sched/ is compiled into this program, and rt.h counts (rt_locked) in
// front of each operation that is a locked instruction on x86-64. Goroutines
// then send, select, sleep and so on; functions in between (counted_*) tell
// from the queues which path a call will take, and keep the difference. Where
// the processor can be stepped the same is done once more by counting what it
// really executes (locked_steps.h), and both must agree at each call.
//
// With several Ps the others are held by goroutines that sleep in the kernel
// without giving their P back, and there is no monitor: nobody steals, spins
// or asks for attention, so each call has one possible count. A thread counts
// only for itself.
//
#define RT_COUNT_LOCKED 1
#define rt_throw rt_counted_throw

#include <errno.h>
#include <pthread.h>
#include <sched.h>
// libc's sched_yield and ours: the headers above come first

#include "sched/internal.h"

_Thread_local uint64_t rt_locked;

#include "locked_steps.h"
#include "sched_sources.h"

// --- The table --------------------------------------------------------------
// X(name, text, with one P, with several, operations it consists of)
// 0 operations: not bound to 2, as it takes sched.lock, or is one in 16.
#define PATHS(X)                                                            \
  X(SPAWN, "spawn", 0, 1, 1)                                                \
  X(SPAWN_FULL, "spawn, another one is in runnext", 0, 2, 1)                \
  X(SPAWN_ID, "the same, the first of a block of 16 ids", 0, 3, 0)          \
  X(SPAWN_QUIET, "spawn while searches find nothing", 0, 0, 1)              \
  X(READY, "ready into an empty runnext", 0, 0, 1)                          \
  X(READY_FULL, "ready, another one is in runnext", 0, 2, 1)                \
  X(PARK, "park", 0, 0, 1)                                                  \
  X(END, "end", 0, 0, 1)                                                    \
  X(SWITCH_NEXT, "switch to runnext", 0, 1, 1)                              \
  X(SWITCH_RING, "switch to the ring's first", 0, 1, 1)                     \
  X(FIND_NEXT, "runnext, by way of find_work_next", 0, 1, 1)                \
  X(FIND_RING, "the ring's first, by way of find_work_next", 0, 1, 1)       \
  X(FIND_URGENT, "an urgent one, by way of find_work_next", 0, 1, 0)        \
  X(FIND_GLOBAL, "one from the global queue", 3, 3, 0)                      \
  X(YIELD, "yield: to the global queue", 3, 3, 0)                           \
  X(SPAWN_WAKE, "spawn that wakes a thread", 0, 9, 0)                       \
  X(SEND_BUFFER, "send into the buffer", 0, 1, 1)                           \
  X(SEND_PARK, "send that parks", 0, 1, 1)                                  \
  X(SEND_HAND, "send to a receiver that waits, and ready it", 0, 1, 2)      \
  X(SEND_HAND_FULL, "the same, another one is in runnext", 0, 3, 2)         \
  X(SEND_SELECT, "send to a select that waits, and ready it", 0, 2, 2)      \
  X(SEND_SELECT_FULL, "the same, another one is in runnext", 0, 4, 2)       \
  X(RECV_BUFFER, "receive from the buffer", 0, 1, 1)                        \
  X(RECV_PARK, "receive that parks", 0, 1, 1)                               \
  X(RECV_HAND, "receive from a sender that waits, and ready it", 0, 1, 2)   \
  X(RECV_HAND_FULL, "the same, another one is in runnext", 0, 3, 2)         \
  X(RECV_SELECT, "receive from a select that waits, and ready it", 0, 2, 2) \
  X(RECV_CLOSED, "receive from a closed, empty channel", 0, 0, 1)           \
  X(QUICK, "send and receive in the handlers", 0, 2, 2)                     \
  X(TRY_DONE, "try to send or receive, with success", 0, 1, 1)              \
  X(TRY_HOPELESS, "try, without", 0, 0, 1)                                  \
  X(CLOSE, "close, nobody waits", 0, 1, 1)                                  \
  X(SELECT1_DONE, "select of 1, ready", 0, 1, 1)                            \
  X(SELECT1_PARK, "select of 1 that parks", 0, 1, 1)                        \
  X(SELECT1_FINISH, "... and runs again", 0, 0, 1)                          \
  X(SELECT4_DONE, "select of 4, one is ready", 0, 4, 4)                     \
  X(SELECT4_PARK, "select of 4 that parks", 0, 4, 4)                        \
  X(SELECT4_FINISH, "... and runs again", 0, 4, 4)                          \
  X(SELECT4_DEFAULT, "select of 4 and default, none ready", 0, 0, 4)        \
  X(SLEEP, "sleep or start a timer", 0, 1, 1)                               \
  X(SLEEP_FIRST, "the same, no timer was there", 0, 2, 1)                   \
  X(STOP, "stop a timer", 0, 1, 1)                                          \
  X(STOP_LAST, "stop the last timer", 0, 2, 1)                              \
  X(FIRE, "fire a timer, and ready a goroutine", 0, 3, 2)                   \
  X(FIRE_LAST, "the same, it was the last timer", 0, 4, 2)

typedef enum Path {
#define X(name, text, one, several, operations) name,
  PATHS(X)
#undef X
      PATH_COUNT,
} Path;

static const struct {
  const char *text;
  uint64_t one, several;
  int operations;
} paths[] = {
#define X(name, text, one, several, operations) \
  {text, one, several, operations},
    PATHS(X)
#undef X
};

// What the calls took; by the only thread that counts, read after the end.
typedef struct Meter {
  uint64_t calls, least, most;
  uint64_t stepped, disagree;  // of them the processor says something else
} Meter;

enum { STEPPED_MAX = 8 };
static Meter meters[PATH_COUNT + 1];
static bool steps;  // count what the processor executes, too
static _Thread_local bool counting, window_steps;
static _Thread_local uint64_t window_begin;

static void meters_reset(bool with_steps) {
  memset(meters, 0, sizeof meters);
  steps = with_steps;
  for (int i = 0; i < PATH_COUNT; i++) meters[i].least = UINT64_MAX;
}

// path: as it is most likely to be. A step takes microseconds: of each path
// some calls are stepped through.
#define WINDOW_OPEN(path)                                                     \
  do {                                                                        \
    window_steps = counting && steps && meters[(path)].stepped < STEPPED_MAX; \
    window_begin = rt_locked;                                                 \
    if (window_steps) steps_begin();                                          \
  } while (0)

#define WINDOW_CLOSE(path)                                               \
  do {                                                                   \
    StepCount window = {0, 0};                                           \
    if (window_steps) window = steps_end();                              \
    if (counting) keep((path), rt_locked - window_begin, window.locked); \
  } while (0)

// path PATH_COUNT: not a call of one path alone.
static void keep(Path path, uint64_t hooked, uint64_t executed) {
  if (path == PATH_COUNT) return;
  Meter *meter = &meters[path];
  meter->calls++;
  if (hooked < meter->least) meter->least = hooked;
  if (hooked > meter->most) meter->most = hooked;
  if (!window_steps) return;
  meter->stepped++;
  if (hooked != executed) meter->disagree++;
}

// --- Calls that are counted -------------------------------------------------
// relaxed: thieves may empty it, until they all hold their Ps (begin).
static bool has_next(P *p) { return rt_load_relaxed(&p->runnext) != NULL; }

static void counted_spawn(P *p, G *g) {
  Sched *sched = p->sched;
  bool full = has_next(p);
  Path path = full ? SPAWN_FULL : SPAWN;
  if (p->id_next == p->id_end && !p->single)
    path = full ? SPAWN_ID : PATH_COUNT;
  if (!p->single && crowd_is_quiet(sched)) {
    path = PATH_COUNT;
  } else if (!p->single && rt_load_relaxed(&sched->idle_count) != 0) {
    path = rt_load_relaxed(&sched->spinning) == 0 && path == SPAWN ? SPAWN_WAKE
                                                                   : PATH_COUNT;
  } else if (sched->config.futile_max == 0) {
    path = !has_next(p) && path == SPAWN ? SPAWN_QUIET : PATH_COUNT;
  }
  WINDOW_OPEN(path);
  sched_spawn(p, g);
  WINDOW_CLOSE(path);
}

static void counted_ready(P *p, G *g) {
  Path path = has_next(p) ? READY_FULL : READY;
  WINDOW_OPEN(path);
  sched_ready(p, g);
  WINDOW_CLOSE(path);
}

static void counted_park(P *p, G *g) {
  WINDOW_OPEN(PARK);
  sched_park(p, g, WAIT_OTHER, NULL, NULL);
  WINDOW_CLOSE(PARK);
}

static void counted_end(P *p, G *g) {
  WINDOW_OPEN(END);
  sched_end(p, g);
  WINDOW_CLOSE(END);
}

static void counted_yield(P *p, G *g) {
  WINDOW_OPEN(YIELD);
  sched_yield_g(p, g);
  WINDOW_CLOSE(YIELD);
}

static G *counted_switch(P *p) {
  Path path = has_next(p) ? SWITCH_NEXT : SWITCH_RING;
  WINDOW_OPEN(path);
  G *g = sched_switch(p);
  WINDOW_CLOSE(g == NULL ? PATH_COUNT : path);
  return g;
}

// Only where m has a P with work and no timers.
static G *counted_find(M *m, bool *inherit) {
  P *p = m->p;
  bool plain = counting && p != NULL && p->look == 0 && p->timers.first == 0 &&
               !m->spinning && runq_length(p) + p->sched->global.count > 0;
  if (!plain) return find_work_next(m, inherit);
  uint32_t tail = p->tail;
  uint64_t gets = p->stats.global_gets;
  Path path = urgent_waits(p)      ? FIND_URGENT
              : has_next(p)        ? FIND_NEXT
              : runq_length(p) > 0 ? FIND_RING
                                   : FIND_GLOBAL;
  WINDOW_OPEN(path);
  G *g = find_work_next(m, inherit);
  if (p->stats.global_gets != gets) path = FIND_GLOBAL;
  if (path == FIND_URGENT && p->next_limit != 0) path = PATH_COUNT;  // a rest
  WINDOW_CLOSE(g == NULL || p->tail != tail ? PATH_COUNT : path);
  return g;
}

// Of a call that finds `waiter` waiting. A select that has been woken and did
// not run yet is no peer: such calls are not counted.
static Path peer_path(P *p, const Waiter *waiter, Path plain, Path full,
                      Path select, Path select_full) {
  if (waiter->index < 0) return has_next(p) ? full : plain;
  if ((waiter->g->select_state & 1) == 0) return PATH_COUNT;
  return has_next(p) ? select_full : select;
}

static Path send_path(P *p, const Chan *chan) {
  if (chan->recv_first != NULL) {
    return peer_path(p, chan->recv_first, SEND_HAND, SEND_HAND_FULL,
                     SEND_SELECT, SEND_SELECT_FULL);
  }
  return chan->count < chan->cap ? SEND_BUFFER : SEND_PARK;
}

static Path recv_path(P *p, const Chan *chan) {
  if (chan->send_first != NULL) {
    return peer_path(p, chan->send_first, RECV_HAND, RECV_HAND_FULL,
                     RECV_SELECT, PATH_COUNT);
  }
  if (chan->count > 0) return RECV_BUFFER;
  return chan_is_closed(chan) ? RECV_CLOSED : RECV_PARK;
}

static ChanResult counted_send(P *p, G *g, Chan *chan, uint64_t word) {
  Path path = send_path(p, chan);
  WINDOW_OPEN(path);
  ChanResult result = chan_send(p, g, chan, word);
  WINDOW_CLOSE(path);
  return result;
}

static ChanResult counted_recv(P *p, G *g, Chan *chan, uint64_t *word,
                               WaitReason reason) {
  Path path = recv_path(p, chan);
  WINDOW_OPEN(path);
  ChanResult result = chan_recv(p, g, chan, word, reason);
  WINDOW_CLOSE(path);
  return result;
}

// As the handlers of the layer above.
static void counted_quick(P *p, Chan *chan) {
  uint64_t word;
  WINDOW_OPEN(QUICK);
  bool done = chan_put_quick(p, chan, 7) && chan_take_quick(p, chan, &word, 0);
  WINDOW_CLOSE(done ? QUICK : PATH_COUNT);
}

static ChanResult counted_try_send(P *p, Chan *chan, uint64_t word) {
  WINDOW_OPEN(TRY_DONE);
  ChanResult result = chan_try_send(p, chan, word);
  WINDOW_CLOSE(result == CHAN_DONE ? TRY_DONE : TRY_HOPELESS);
  return result;
}

static ChanResult counted_try_recv(P *p, Chan *chan, uint64_t *word) {
  WINDOW_OPEN(TRY_DONE);
  ChanResult result = chan_try_recv(p, chan, word);
  WINDOW_CLOSE(result == CHAN_DONE ? TRY_DONE : TRY_HOPELESS);
  return result;
}

static void counted_close(P *p, Chan *chan) {
  WINDOW_OPEN(CLOSE);
  chan_close(p, chan);
  WINDOW_CLOSE(CLOSE);
}

static bool select_is_ready(const SelCase *cases, int count) {
  for (int i = 0; i < count; i++) {
    const Chan *chan = cases[i].chan;
    if ((cases[i].send ? chan->recv_first : chan->send_first) != NULL)
      return true;
  }
  return false;
}

static int counted_select(P *p, G *g, SelCase *cases, uint16_t *order,
                          int count, int how) {
  bool alone = count == 1, full = has_next(p);
  Path done = alone ? SELECT1_DONE : SELECT4_DONE;
  Path parked = alone ? SELECT1_PARK : SELECT4_PARK;
  WINDOW_OPEN(select_is_ready(cases, count) ? done : parked);
  int chosen = select_go(p, g, cases, order, count, how);
  Path path = chosen == SELECT_PARKED ? parked : done;
  if (chosen == SELECT_DEFAULT) path = SELECT4_DEFAULT;
  if (chosen >= 0 && full) path = PATH_COUNT;  // its peer displaced another
  WINDOW_CLOSE(path);
  return chosen;
}

static int counted_finish(P *p, G *g, SelCase *cases, uint16_t *order,
                          int count) {
  WINDOW_OPEN(count == 1 ? SELECT1_FINISH : SELECT4_FINISH);
  int chosen = select_finish(p, g, cases, order, count);
  WINDOW_CLOSE(count == 1 ? SELECT1_FINISH : SELECT4_FINISH);
  return chosen;
}

// Not of one that makes room first.
static Path start_path(const P *p) {
  if (p->timers.count == p->timers.room) return PATH_COUNT;
  return p->timers.count == 0 ? SLEEP_FIRST : SLEEP;
}

static void counted_sleep(P *p, G *g, Timer *timer, int64_t ns) {
  Path path = start_path(p);
  WINDOW_OPEN(path);
  sched_sleep(p, g, timer, ns);
  WINDOW_CLOSE(path);
}

static void counted_start(P *p, Timer *timer, int64_t when) {
  Path path = start_path(p);
  WINDOW_OPEN(path);
  timer_start(p, timer, when, 0);
  WINDOW_CLOSE(path);
}

static void counted_stop(P *p, Timer *timer) {
  Path path = p->timers.count == 1 ? STOP_LAST : STOP;
  WINDOW_OPEN(path);
  timer_stop(p, timer);
  WINDOW_CLOSE(path);
}

// One timer is due, and runnext is empty.
static void counted_fire(P *p, int64_t now) {
  Path path = p->timers.count == 1 ? FIRE_LAST : FIRE;
  if (has_next(p)) path = PATH_COUNT;
  WINDOW_OPEN(path);
  timers_run(p, p, now);
  WINDOW_CLOSE(path);
}

static void fire_ready(P *p, Timer *timer, int64_t now) {
  (void)now;
  sched_ready(p, timer->arg);
}

// From here on the scheduler's loop and the goroutines below use those.
static int start_thread(RtThread *thread, void (*run)(void *arg), void *arg) {
  if (run == sysmon_main) return EAGAIN;
  return rt_thread_start(thread, run, arg);
}

#define rt_thread_start start_thread
#define find_work_next counted_find
#include "sched/lifecycle.c"
#include "sched/proc.c"
#define sched_spawn counted_spawn
#define sched_ready counted_ready
#define sched_end counted_end
#define sched_yield_g counted_yield
#define sched_switch counted_switch
#define chan_send counted_send
#define chan_recv counted_recv
#define chan_try_send counted_try_send
#define chan_try_recv counted_try_recv
#define chan_close counted_close
#define select_go counted_select
#define select_finish counted_finish
#define sched_sleep counted_sleep
#include "sched_fixture.h"

// --- Goroutines -------------------------------------------------------------
enum { ROUNDS = 40, PEERS = 3, MANY = 40, TASKS = 64, WAKES = 20 };
static const int64_t FAR = 3600 * (int64_t)1000000000;

// Keeps its P, and sleeps, until the flag is set.
static void hold_body(P *p, Task *task) {
  Shared *shared = task->shared;
  rt_add(&shared->counts[0], (uint64_t)1);
  while (rt_load_acquire(&shared->flag) == 0) {
    rt_futex_wait(&shared->flag, 0, RT_FOREVER);
  }
  task_end(p, task);
}

static void end_body(P *p, Task *task) { task_end(p, task); }

static void send_once_body(P *p, Task *task) {
  CO_BEGIN;
  CO_SEND(task->chan, 7);
  CO_END;
}

static void send_body(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < ROUNDS; task->i++) CO_SEND(task->chan, 7);
  CO_END;
}

static void recv_body(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < ROUNDS; task->i++) CO_RECV(task->chan);
  CO_END;
}

static void pong_body(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < ROUNDS; task->i++) {
    CO_SEND(task->chan, 1);
    CO_RECV(task->other);
  }
  CO_END;
}

static void park_body(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < ROUNDS; task->i++)
    CO_LEAVE(counted_park(p, &task->g));
  CO_END;
}

static void sleep_body(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 3; task->i++) CO_SLEEP(1);
  CO_END;
}

// task->n cases, of the channels from 4 on.
static void set_cases(Task *task, bool send) {
  memset(task->cases, 0, sizeof task->cases);
  for (int i = 0; i < 4; i++) {
    task->cases[i].chan = task->shared->chans[4 + i];
    task->cases[i].send = send;
  }
}

static void select_recv_body(P *p, Task *task) {
  CO_BEGIN;
  set_cases(task, false);
  for (task->i = 0; task->i < ROUNDS; task->i++)
    CO_SELECT((int)task->n, SELECT_BLOCK);
  CO_END;
}

static void select_send_body(P *p, Task *task) {
  CO_BEGIN;
  set_cases(task, true);
  for (task->i = 0; task->i < ROUNDS; task->i++)
    CO_SELECT((int)task->n, SELECT_BLOCK);
  CO_END;
}

// --- What the main goroutines have in common --------------------------------
static Task *start(P *p, Task *main_task, int id,
                   void (*body)(P *p, Task *task)) {
  Task *task = &main_task->shared->tasks[id];
  task->body = body;
  task->line = 0;
  task->chan = main_task->chan;
  task->other = main_task->other;
  task->n = main_task->n;
  task_go(p, task);
  return task;
}

static void start_peers(P *p, Task *task, void (*body)(P *p, Task *task)) {
  for (int i = 1; i <= PEERS; i++) start(p, task, i, body);
}

static bool peers_wait(Task *task) {
  for (int i = 1; i <= PEERS; i++) {
    if (g_state(&task->shared->tasks[i].g) != G_WAITING) return false;
  }
  return true;
}

// All but the main one and those that hold Ps.
static bool others_ended(Task *task) {
  Shared *shared = task->shared;
  return rt_load_acquire(&shared->running) == (uint32_t)shared->sched->ps.count;
}

// All Ps but p get a goroutine that holds them; then this thread counts.
static void begin(P *p, Task *task) {
  Shared *shared = task->shared;
  uint64_t others = (uint64_t)shared->sched->ps.count - 1;
  for (uint64_t i = 0; i < others; i++) {
    start(p, task, TASKS - 1 - (int)i, hold_body);
  }
  while (rt_load_acquire(&shared->counts[0]) < others) rt_yield_cpu();
  counting = true;
  if (steps) steps_thread();
}

static void main_end(P *p, Task *task) {
  counting = false;
  rt_store_release(&task->shared->flag, 1u);
  rt_futex_wake(&task->shared->flag, INT32_MAX);
  task_end(p, task);
}

#define MAIN_BEGIN \
  CO_BEGIN;        \
  begin(p, task)
#define MAIN_END \
  }              \
  main_end(p, task)

// --- Main goroutines --------------------------------------------------------
static void spawn_main(P *p, Task *task) {
  MAIN_BEGIN;
  task->chan = task->shared->chans[0];
  for (task->i = 0; task->i < ROUNDS; task->i++) {
    // the last but one is the ring's last: it runs after all others
    for (int id = 1; id <= MANY; id++) {
      start(p, task, id, id == MANY - 1 ? send_once_body : end_body);
    }
    CO_RECV(task->chan);
  }
  MAIN_END;
}

static void quiet_main(P *p, Task *task) {
  MAIN_BEGIN;
  task->shared->sched->config.futile_max = 0;
  for (task->i = 0; task->i < ROUNDS; task->i++) {
    start(p, task, 1, end_body);
    while (!others_ended(task)) CO_YIELD;
  }
  MAIN_END;
}

static void pingpong_main(P *p, Task *task) {
  MAIN_BEGIN;
  task->chan = task->shared->chans[0];
  task->other = task->shared->chans[1];
  start(p, task, 1, pong_body);
  for (task->i = 0; task->i < ROUNDS; task->i++) {
    CO_RECV(task->chan);
    CO_SEND(task->other, 1);
  }
  MAIN_END;
}

static void fan_out_main(P *p, Task *task) {
  MAIN_BEGIN;
  task->chan = task->shared->chans[0];
  start_peers(p, task, recv_body);
  for (task->i = 0; task->i < ROUNDS; task->i++) {
    CO_YIELD;
    for (task->a = 0; task->a < PEERS; task->a++) CO_SEND(task->chan, 5);
  }
  MAIN_END;
}

static void fan_in_main(P *p, Task *task) {
  MAIN_BEGIN;
  task->chan = task->shared->chans[0];
  start_peers(p, task, send_body);
  for (task->i = 0; task->i < ROUNDS; task->i++) {
    CO_YIELD;
    for (task->a = 0; task->a < PEERS; task->a++) CO_RECV(task->chan);
  }
  MAIN_END;
}

// Without others. Channel 3 has room for 4.
static void alone_main(P *p, Task *task) {
  uint64_t word;
  MAIN_BEGIN;
  task->chan = task->shared->chans[3];
  for (task->i = 0; task->i < ROUNDS; task->i++) {
    for (task->a = 0; task->a < 4; task->a++) CO_SEND(task->chan, 5);
    counted_try_send(p, task->chan, 5);
    for (task->a = 0; task->a < 4; task->a++) CO_RECV(task->chan);
    counted_try_recv(p, task->chan, &word);
    counted_quick(p, task->chan);
    counted_try_send(p, task->chan, 6);
    counted_try_recv(p, task->chan, &word);
    set_cases(task, false);
    CO_SELECT(4, SELECT_TRY);
  }
  counted_close(p, task->chan);
  CO_RECV(task->chan);
  MAIN_END;
}

// Peers wait in selects of task->n, which the main goroutine serves.
static void serve_selects_main(P *p, Task *task) {
  MAIN_BEGIN;
  for (task->n = 1; task->n <= 4; task->n += 3) {
    start_peers(p, task, select_recv_body);
    for (task->i = 0; task->i < ROUNDS; task->i++) {
      CO_YIELD;
      task->chan = task->shared->chans[4 + task->i % task->n];
      for (task->a = 0; task->a < PEERS; task->a++) CO_SEND(task->chan, 5);
    }
    while (!others_ended(task)) CO_YIELD;
    start_peers(p, task, select_send_body);
    for (task->i = 0; task->i < ROUNDS; task->i++) {
      CO_YIELD;
      task->chan = task->shared->chans[4 + task->i % task->n];
      for (task->a = 0; task->a < PEERS; task->a++) CO_RECV(task->chan);
    }
    while (!others_ended(task)) CO_YIELD;
  }
  MAIN_END;
}

// The main goroutine selects among peers that send.
static void select_main(P *p, Task *task) {
  MAIN_BEGIN;
  for (task->n = 1; task->n <= 4; task->n += 3) {
    task->chan = task->shared->chans[4];
    start_peers(p, task, send_body);
    for (task->i = 0; task->i < ROUNDS; task->i++) {
      CO_YIELD;
      set_cases(task, false);
      for (task->a = 0; task->a < PEERS; task->a++)
        CO_SELECT((int)task->n, SELECT_BLOCK);
    }
    while (!others_ended(task)) CO_YIELD;
  }
  MAIN_END;
}

static void ready_main(P *p, Task *task) {
  MAIN_BEGIN;
  start_peers(p, task, park_body);
  for (task->i = 0; task->i < ROUNDS; task->i++) {
    while (!peers_wait(task)) CO_YIELD;
    for (int i = 1; i <= PEERS; i++) sched_ready(p, &task->shared->tasks[i].g);
  }
  MAIN_END;
}

// Timers far away, fired before their time. task->b: of the first.
static void start_timers(P *p, Task *task) {
  static Timer spare;  // stays put; fire is never called
  task->b = rt_now() + FAR;
  counted_start(p, &spare, task->b);
  counted_stop(p, &spare);
  for (int i = 1; i <= PEERS; i++) {
    Task *peer = &task->shared->tasks[i];
    peer->timer.fire = fire_ready;
    peer->timer.arg = &peer->g;
    counted_start(p, &peer->timer, task->b + i);
  }
  counted_start(p, &spare, task->b);
  counted_stop(p, &spare);
}

static void timer_main(P *p, Task *task) {
  MAIN_BEGIN;
  start_peers(p, task, park_body);
  for (task->i = 0; task->i < ROUNDS; task->i++) {
    while (!peers_wait(task)) CO_YIELD;
    start_timers(p, task);
    for (task->a = 1; task->a <= PEERS; task->a++) {
      counted_fire(p, task->b + task->a);
      CO_YIELD;
    }
  }
  while (!others_ended(task)) CO_YIELD;
  start_peers(p, task, sleep_body);
  while (!others_ended(task)) CO_YIELD;
  MAIN_END;
}

static bool pool_is_full(Task *task) {
  Sched *sched = task->shared->sched;
  rt_lock(&sched->lock);
  bool full = sched->ms.idle == (uint32_t)sched->ps.count - 1;
  rt_unlock(&sched->lock);
  return full && rt_load_acquire(&task->shared->running) == 1;
}

// Nobody holds the other P: each spawn wakes its thread, but the first, which
// makes it.
static void wake_main(P *p, Task *task) {
  if (steps) steps_thread();
  for (int i = 0; i < WAKES; i++) {
    counting = i > 0;
    start(p, task, 1, end_body);
    counting = false;
    while (!pool_is_full(task)) rt_yield_cpu();
  }
  task_end(p, task);
}

// --- Tests ------------------------------------------------------------------
static void run_main(int procs, void (*body)(P *p, Task *task)) {
  static const uint32_t caps[8] = {0, 0, 0, 4, 0, 0, 0, 0};
  Shared shared;
  shared_init(&shared, procs, TASKS);
  shared.sched->config.futile_max = UINT32_MAX;
  for (int i = 0; i < 8; i++) shared_chan(&shared, i, caps[i]);
  assert_int_equal(shared_run(&shared, body), SCHED_EXITED);
  shared_free(&shared);
}

static void check_path(Path path, bool single) {
  const Meter *meter = &meters[path];
  uint64_t wanted = single ? paths[path].one : paths[path].several;
  if (single && (path == SPAWN_WAKE || path == SPAWN_ID)) return;
  // Another thread may hold sched.lock at the moment: more only then.
  bool exact = paths[path].operations != 0;
  bool good = meter->calls > 0 && meter->least == wanted &&
              meter->disagree == 0 && (!steps || meter->stepped > 0) &&
              (!exact || meter->most == wanted);
  if (good) return;
  fail_msg(
      "%s, %s: %llu calls took %llu to %llu locked instructions, not "
      "%llu; of %llu the processor says something else",
      paths[path].text, single ? "one P" : "several Ps",
      (unsigned long long)meter->calls, (unsigned long long)meter->least,
      (unsigned long long)meter->most, (unsigned long long)wanted,
      (unsigned long long)meter->disagree);
}

static void count_all(int procs) {
  static void (*const bodies[])(P * p, Task * t) = {
      spawn_main, quiet_main,         pingpong_main, fan_out_main, fan_in_main,
      alone_main, serve_selects_main, select_main,   ready_main,   timer_main,
  };
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    run_main(procs, bodies[i]);
  }
  if (procs == 2) run_main(procs, wake_main);
  for (int i = 0; i < PATH_COUNT; i++) {
    if (procs > 2 && i == SPAWN_WAKE) continue;
    check_path((Path)i, procs == 1);
  }
}

static void by_the_hook(void **state) {
  (void)state;
  for (int procs = 1; procs <= 4; procs *= 2) {
    meters_reset(false);
    count_all(procs);
  }
}

static void by_the_processor(void **state) {
  (void)state;
  if (!steps_work()) skip();
  steps_install();
  for (int procs = 1; procs <= 2; procs *= 2) {
    meters_reset(true);
    count_all(procs);
  }
}

// The goal of all this: what the table allows.
static void the_table_keeps_the_bound(void **state) {
  (void)state;
  for (int i = 0; i < PATH_COUNT; i++) {
    if (paths[i].operations == 0) continue;
    assert_int_equal(paths[i].one, 0);
    assert_true(paths[i].several <= 2 * (uint64_t)paths[i].operations);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_keeps_the_bound),
      cmocka_unit_test(by_the_hook),
      cmocka_unit_test(by_the_processor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
