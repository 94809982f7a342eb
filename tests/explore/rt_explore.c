// SPDX-License-Identifier: MIT
// The functions that sched/rt.c has out of line, on the explorer's threads and
// virtual time. Notes and locks have the protocols of rt.c; what spins there
// sleeps here until it can go on.
#include "sched/rt.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "explore.h"
#include "rt_explore_knobs.h"

enum { NOW_NS = 700, LEAP_ONE_IN = 24, RANKS_HELD = 16 };

// For the run; reset by its body.
static bool (*may_start)(void (*run)(void *arg));
static bool time_leaps = true;

void rt_explore_may_start(bool (*allow)(void (*run)(void *arg))) {
  may_start = allow;
}

void rt_explore_leaps(bool leaps) { time_leaps = leaps; }

_Noreturn void rt_throw(const char *format, ...) {
  char message[512];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  explore_fail("%s", message);
}

// --- Futexes and notes ------------------------------------------------------
void rt_yield_cpu(void) { explore_yield(); }

bool rt_futex_wait(uint32_t *word, uint32_t expected, int64_t deadline) {
  RT_STEP_FULL(word);
  return explore_futex_wait(word, expected, deadline);
}

void rt_futex_wake(uint32_t *word, int count) {
  RT_STEP_FULL(word);
  explore_futex_wake(word, count);
}

enum { NOTE_CLEAR, NOTE_SET, NOTE_SLEEPS };

void rt_note_set(RtNote *note) {
  if (rt_exchange(&note->word, NOTE_SET) == NOTE_SLEEPS) {
    rt_futex_wake(&note->word, 1);
  }
}

bool rt_note_try(RtNote *note) {
  uint32_t seen = NOTE_SET;
  return rt_cas(&note->word, &seen, NOTE_CLEAR);
}

bool rt_note_wait(RtNote *note, int64_t deadline) {
  for (;;) {
    uint32_t seen = NOTE_CLEAR;
    rt_cas(&note->word, &seen, NOTE_SLEEPS);
    if (seen == NOTE_SET) {
      rt_exchange(&note->word, NOTE_CLEAR);
      return true;
    }
    if (!rt_futex_wait(&note->word, NOTE_SLEEPS, deadline)) {
      return rt_exchange(&note->word, NOTE_CLEAR) == NOTE_SET;
    }
  }
}

// --- Locks ------------------------------------------------------------------
void rt_lock_slow(RtLock *lock) {
  // as in rt.c, which spins more often
  uint32_t word = rt_load_relaxed(&lock->word);
  if (word == 0 && rt_cas(&lock->word, &word, 1u)) return;
  while (rt_exchange(&lock->word, 2u) != 0) {
    rt_futex_wait(&lock->word, 2, RT_FOREVER);
  }
}

// It tells of the pauses of three looks (4, 8, and 16).
uint32_t rt_spin_while(const uint32_t *word, uint32_t bits, uint32_t waited) {
  enum { PAUSES = 28 };
  explore_until_clear(word, bits);
  return waited + PAUSES;
}

void rt_spin_lock_slow(uint32_t *word) {
  do {
    rt_spin_while(word, 1u, 0);
  } while (rt_exchange(word, 1u) != 0);
}

#ifdef CSP_DEBUG
typedef struct RankHeld {
  const RtRank *rank;
  const void *lock;
} RankHeld;

typedef struct RanksHeld {
  uint32_t count;
  RankHeld held[RANKS_HELD];
} RanksHeld;

void rt_rank_push(const RtRank *rank, const void *lock) {
  if (!explore_running()) return;
  RanksHeld *all = explore_local(sizeof *all);
  RT_CHECK(all->count < RANKS_HELD, "lock order: too many locks held");
  for (uint32_t i = 0; i < all->count; i++) {
    const RankHeld *held = &all->held[i];
    bool above = rank->order > held->rank->order ||
                 (rank == &rank_chan && rank == held->rank &&
                  (uintptr_t)lock > (uintptr_t)held->lock);
    RT_CHECK(above, "lock order: \"%s\" taken while \"%s\" is held", rank->name,
             held->rank->name);
  }
  all->held[all->count++] = (RankHeld){rank, lock};
}

void rt_rank_pop(const RtRank *rank, const void *lock) {
  if (!explore_running()) return;
  RanksHeld *all = explore_local(sizeof *all);
  for (uint32_t i = 0; i < all->count; i++) {
    if (all->held[i].rank != rank || all->held[i].lock != lock) continue;
    all->held[i] = all->held[--all->count];
    return;
  }
  rt_throw("lock order: \"%s\" released but not held", rank->name);
}
#endif

// --- Readiness of descriptors -----------------------------------------------
// Invented ones: a descriptor is a small number, and has what a scenario says
// (rt_explore_event). All of the program's runtimes share them.
enum { FDS = 8, READABLE = 1, WRITABLE = 2 };
static struct {
  uint64_t tag[FDS];
  uint8_t open[FDS], pending[FDS];
  uint32_t changes;  // a futex
  bool breaks;
  int64_t alarm;
} fds;

void rt_explore_event(int fd, bool readable, bool writable) {
  RT_STEP_FULL(&fds);
  if (!fds.open[fd]) return;
  fds.pending[fd] |= (readable ? READABLE : 0) | (writable ? WRITABLE : 0);
  fds.changes++;
  explore_futex_wake(&fds.changes, 1);
}

int rt_poll_open(RtPoll *poll) {
  memset(&fds, 0, sizeof fds);
  fds.alarm = RT_FOREVER;
  *poll = (RtPoll){0};
  return 0;
}

void rt_poll_close(RtPoll *poll) { (void)poll; }

int rt_poll_add(RtPoll *poll, int fd, uint64_t tag) {
  RT_STEP_FULL(&fds);
  (void)poll;
  if (fd < 0 || fd >= FDS) return EPERM;
  fds.tag[fd] = tag;
  fds.open[fd] = 1;
  fds.pending[fd] = 0;
  return 0;
}

void rt_poll_remove(RtPoll *poll, int fd) {
  RT_STEP_FULL(&fds);
  (void)poll;
  fds.open[fd] = fds.pending[fd] = 0;
}

bool rt_explore_watched(int fd) { return fds.open[fd] != 0; }

void rt_poll_break(RtPoll *poll) {
  if (rt_exchange(&poll->broken, 1u) != 0) return;
  RT_STEP_FULL(&fds);
  fds.breaks = true;
  fds.changes++;
  explore_futex_wake(&fds.changes, INT32_MAX);
}

// The thread that watches the descriptor calls rt_explore_watch.
int rt_poll_descriptor(RtPoll *poll) {
  (void)poll;
  return FDS;
}

void rt_poll_alarm(RtPoll *poll, int64_t when) {
  (void)poll;
  RT_STEP_FULL(&fds);
  fds.alarm = when;
}

void rt_poll_end_break(RtPoll *poll) {
  RT_STEP_FULL(&fds);
  fds.breaks = false;
  rt_store_seq(&poll->broken, 0u);
}

void rt_explore_watch(void) {
  for (;;) {
    int64_t now = rt_now();
    RT_STEP_FULL(&fds);  // from here to the futex no other thread runs
    bool pending = fds.breaks || now >= fds.alarm;
    for (int i = 0; i < FDS; i++) pending |= fds.pending[i] != 0;
    if (pending || !explore_futex_wait(&fds.changes, fds.changes, fds.alarm))
      return;
  }
}

int rt_poll_wait(RtPoll *poll, RtPollEvent *events, int room,
                 int64_t deadline) {
  int count = 0;
  bool broken = false;
  for (;;) {
    RT_STEP_FULL(&fds);
    for (int i = 0; i < FDS && count < room; i++) {
      if (!fds.pending[i]) continue;
      events[count++] =
          (RtPollEvent){fds.tag[i], (fds.pending[i] & READABLE) != 0,
                        (fds.pending[i] & WRITABLE) != 0};
      fds.pending[i] = 0;
    }
    if (deadline != 0 && fds.breaks) {
      fds.breaks = false;
      broken = true;
    }
    if (count > 0 || broken || deadline == 0) break;
    if (!explore_futex_wait(&fds.changes, fds.changes, deadline)) break;
  }
  if (broken) rt_store_seq(&poll->broken, 0u);
  return count;
}

// --- Threads, clocks, randomness --------------------------------------------
int rt_thread_start(RtThread *thread, void (*run)(void *arg), void *arg) {
  if (may_start != NULL && !may_start(run)) return EAGAIN;
  thread->handle = (unsigned long)explore_go(run, arg);
  return 0;
}

void rt_thread_join(RtThread *thread) { explore_join((int)thread->handle); }

void rt_thread_detach(RtThread *thread) { (void)thread; }

int64_t rt_timer_slack(int64_t ns) {
  (void)ns;
  return 1;
}

int64_t rt_now(void) {
  // A little each time; sometimes past the limits that the scheduler keeps.
  static const int64_t leaps[] = {0, 4000, 60000, 1100000, 11000000};
  if (!explore_running()) return explore_now();
  RT_STEP(NULL);
  int64_t leap = time_leaps ? leaps[explore_rarely(LEAP_ONE_IN, 5)] : 0;
  explore_pass_time(NOW_NS + leap);
  return explore_now();
}

int64_t rt_wall_now(void) { return rt_now(); }

int64_t rt_cpu_time(void) { return rt_now(); }

bool rt_ticks_steady(void) { return false; }  // they are not virtual
// The order of thieves is then the plain one, on any machine.
int rt_cpu(void) { return -1; }
// The machine's topology is read from files that are there.
int rt_fd_above_streams(int fd) { return fd; }
// Its threads' stacks are the explorer's own; nothing nests deep there.
size_t rt_stack_left(void) { return SIZE_MAX; }

uint64_t rt_entropy(void) {
  return explore_rarely(1, UINT32_MAX) + (uint64_t)1;
}
