// SPDX-License-Identifier: MIT
// The out-of-line part of rt.h: futexes, slow paths of the locks, threads,
// clocks. Any thread may call everything here. Nothing here knows the
// scheduler. Linux only: futex(2), prctl(2), getrandom(2).
#include "rt.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef RT_LOCK_SPINS  // tests make it 1: then locks do sleep
#define RT_LOCK_SPINS 60
#endif

enum {
  NOTE_CLEAR = 0,
  NOTE_SET = 1,
  NOTE_SLEEPS = 2,
  LOCK_SPINS = RT_LOCK_SPINS,
  SPIN_FIRST = 4,  // pauses before a second look
  SPIN_MOST = 128,
  SPIN_YIELDS = 20 * SPIN_MOST,
};

// --- Failure ----------------------------------------------------------------
_Noreturn void rt_throw(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("fatal error: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  abort();
}

// --- Futexes and notes ------------------------------------------------------
void rt_yield_cpu(void) {
  RT_STEP(NULL);
  sched_yield();
}

bool rt_futex_wait(uint32_t *word, uint32_t expected, int64_t deadline) {
  struct timespec until, *timeout = NULL;
  if (deadline != RT_FOREVER) {
    if (deadline < 0) deadline = 0;
    until.tv_sec = deadline / 1000000000;
    until.tv_nsec = deadline % 1000000000;
    timeout = &until;
  }
  // BITSET: the timeout is absolute, on the monotonic clock
  long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG,
                        expected, timeout, NULL, FUTEX_BITSET_MATCH_ANY);
  if (result >= 0) return true;
  // Whoever waits looks again: refused, it would spin for ever.
  RT_CHECK(errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT,
           "futex: error %d", errno);
  return errno != ETIMEDOUT;
}

void rt_futex_wake(uint32_t *word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, NULL, NULL,
          0);
}

void rt_note_set(RtNote *note) {
  // release: what was written before. Pairs with rt_note_wait
  if (rt_exchange(&note->word, NOTE_SET) == NOTE_SLEEPS) {
    rt_futex_wake(&note->word, 1);
  }
}

bool rt_note_try(RtNote *note) {
  uint32_t seen = NOTE_SET;
  // acquire: what was written before the set. Pairs with rt_note_set
  return rt_cas(&note->word, &seen, NOTE_CLEAR);
}

bool rt_note_wait(RtNote *note, int64_t deadline) {
  for (;;) {
    uint32_t seen = NOTE_CLEAR;
    // RMW: fails when set already, or after a wake-up for no reason
    rt_cas(&note->word, &seen, NOTE_SLEEPS);
    if (seen == NOTE_SET) {
      rt_exchange(&note->word, NOTE_CLEAR);  // acquire: pairs with rt_note_set
      return true;
    }
    if (!rt_futex_wait(&note->word, NOTE_SLEEPS, deadline)) {
      // acquire: as above. A set may have come just now, and then it counts
      return rt_exchange(&note->word, NOTE_CLEAR) == NOTE_SET;
    }
  }
}

// --- Locks ------------------------------------------------------------------
void rt_lock_slow(RtLock *lock) {
  for (int i = 0; i < LOCK_SPINS; i++) {
    rt_pause();
    // relaxed: the CAS below decides
    uint32_t word = rt_load_relaxed(&lock->word);
    // acquire: pairs with rt_unlock
    if (word == 0 && rt_cas(&lock->word, &word, 1u)) return;
  }
  // acquire: pairs with rt_unlock. From here on it is taken as 2: there may be
  // other sleepers.
  while (rt_exchange(&lock->word, 2u) != 0) {
    rt_futex_wait(&lock->word, 2, RT_FOREVER);
  }
}

uint32_t rt_spin_while(const uint32_t *word, uint32_t bits, uint32_t waited) {
  do {
    uint32_t pauses = waited + SPIN_FIRST;
    if (pauses > SPIN_MOST) pauses = SPIN_MOST;
    for (uint32_t i = 0; i < pauses; i++) rt_pause();
    waited += pauses;
    if (waited > SPIN_YIELDS) rt_yield_cpu();  // its owner may have no CPU
    // relaxed: it waits on a shared line. The exchange of rt_spin_lock_slow or
    // chan_lock_slow (chan.c) decides
  } while (rt_load_relaxed(word) & bits);
  return waited;
}

void rt_spin_lock_slow(uint32_t *word) {
  uint32_t waited = 0;
  do {
    waited = rt_spin_while(word, 1u, waited);
  } while (rt_exchange(word, 1u) != 0);  // acquire: pairs with rt_spin_unlock
}

#ifdef CSP_DEBUG
// Locks that this thread holds, in the order they were taken. A select may
// hold many channels: only the newest is kept for them, with their count.
enum { RANKS_HELD_MAX = 8 };
typedef struct Held {
  const RtRank *rank;
  const void *lock;
  int count;
} Held;
static _Thread_local Held held[RANKS_HELD_MAX];
static _Thread_local int held_count;

void rt_rank_push(const RtRank *rank, const void *lock) {
  static const RtRank none = {0, "none"};
  if (rank == NULL) rank = &none;
  if (held_count > 0) {
    Held *top = &held[held_count - 1];
    if (rank == &rank_chan && top->rank == &rank_chan) {
      RT_CHECK((uintptr_t)lock > (uintptr_t)top->lock,
               "lock order: two channel locks not by rising address");
      top->lock = lock;
      top->count++;
      return;
    }
    RT_CHECK(rank->order > top->rank->order,
             "lock order: \"%s\" taken while \"%s\" is held", rank->name,
             top->rank->name);
  }
  RT_CHECK(held_count < RANKS_HELD_MAX, "lock order: too many locks held");
  held[held_count++] = (Held){.rank = rank, .lock = lock, .count = 1};
}

void rt_rank_pop(const RtRank *rank, const void *lock) {
  for (int i = held_count - 1; i >= 0; i--) {
    bool is_it = rank != NULL ? held[i].rank == rank : held[i].lock == lock;
    if (!is_it) continue;
    if (--held[i].count > 0) return;
    for (held_count--; i < held_count; i++) held[i] = held[i + 1];
    return;
  }
  rt_throw("lock order: \"%s\" released but not held",
           rank != NULL ? rank->name : "none");
}
#endif

// --- Threads ----------------------------------------------------------------
static void *thread_main(void *arg) {
  const RtThread *thread = arg;
  rt_timer_slack(1);
  prctl(PR_SET_NAME, "csp thread");  // in ps, gdb, /proc
  thread->run(thread->arg);
  return NULL;
}

int rt_thread_start(RtThread *thread, void (*run)(void *arg), void *arg) {
  pthread_attr_t attr;
  int error = pthread_attr_init(&attr);
  if (error != 0) return error;
  thread->run = run;
  thread->arg = arg;
  sigset_t all, before;
  sigfillset(&all);
  pthread_t handle;
  error = pthread_attr_setstacksize(&attr, RT_THREAD_STACK);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the child inherits it
  if (error == 0) error = pthread_create(&handle, &attr, thread_main, thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
  if (error != 0) return error;
  thread->handle = (unsigned long)handle;
  return 0;
}

void rt_thread_join(RtThread *thread) {
  pthread_join((pthread_t)thread->handle, NULL);
}

void rt_thread_detach(RtThread *thread) {
  pthread_detach((pthread_t)thread->handle);
}

// The thread's own stack, once it was asked for. (Kept by the thread: another
// one may get its memory, with a smaller stack there.)
static _Thread_local uintptr_t stack_low, stack_high;

// The main thread's, without the library's help, which reads /proc/self/maps
// for it: the kernel puts the program's name at its upper end, and lets it grow
// down to the limit (and by no more than MAIN_MOST here, as the limit may have
// been raised since). false: `here` is not in it. Nothing else lies so near to
// it.
static bool find_main_stack(uintptr_t here) {
  enum { MAIN_MOST = 8 << 20, ABOVE = 16 << 10 };  // the name has a page or two
  struct rlimit limit;
  uintptr_t name = getauxval(AT_EXECFN);
  if (name < MAIN_MOST || getrlimit(RLIMIT_STACK, &limit) != 0) return false;
  size_t size = limit.rlim_cur < MAIN_MOST ? limit.rlim_cur : MAIN_MOST;
  if (size <= ABOVE || here >= name || here < name - size + ABOVE) return false;
  stack_low = name - size + ABOVE;
  stack_high = name;
  return true;
}

static void find_stack(void) {
  pthread_attr_t attr;
  void *low = NULL;
  size_t size = 0, guard = 0;
  if (pthread_getattr_np(pthread_self(), &attr) != 0) return;
  pthread_attr_getstack(&attr, &low, &size);
  pthread_attr_getguardsize(&attr, &guard);
  pthread_attr_destroy(&attr);
  // (Some C libraries count the guard in.)
  stack_low = (uintptr_t)low + guard;
  stack_high = (uintptr_t)low + size;
}

size_t rt_stack_left(void) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (stack_high == 0 && !find_main_stack(here)) find_stack();
  return here >= stack_low && here < stack_high ? here - stack_low : SIZE_MAX;
}

int64_t rt_timer_slack(int64_t ns) {
  int before = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  if (ns >= 0) prctl(PR_SET_TIMERSLACK, (unsigned long)ns, 0, 0, 0);
  return before;
}

// --- Descriptors ------------------------------------------------------------
int rt_fd_above_streams(int fd) {
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  int error = errno;
  close(fd);
  errno = error;
  return moved;
}

// A pipe or terminal whose O_NONBLOCK another process has set. false: errno.
static bool wait_to_write(int fd) {
  struct pollfd ready = {fd, POLLOUT, 0};
  return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

int rt_write_all(int fd, const char *data, size_t len) {
  while (len > 0) {
    ssize_t n = write(fd, data, len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN && wait_to_write(fd)) continue;
    if (n < 0) return errno;
    data += n;
    len -= (size_t)n;
  }
  return 0;
}

// --- Clocks and randomness --------------------------------------------------
static int64_t clock_ns(clockid_t clock) {
  struct timespec t = {0};  // where the system refuses it
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t rt_now(void) { return clock_ns(CLOCK_MONOTONIC); }

int64_t rt_cpu_time(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

bool rt_ticks_steady(void) {
#if defined(__x86_64__)
  enum { LEAF_POWER = 0x80000007, INVARIANT_TSC = 1 << 8 };
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(LEAF_POWER, &eax, &ebx, &ecx, &edx) != 0 &&
         (edx & INVARIANT_TSC) != 0;
#else
  return true;  // they are rt_now
#endif
}
int rt_cpu(void) { return sched_getcpu(); }

int64_t rt_wall_now(void) { return clock_ns(CLOCK_REALTIME); }

uint64_t rt_entropy(void) {
  uint64_t word;
  if (getrandom(&word, sizeof word, 0) == (ssize_t)sizeof word) return word;
  return (uint64_t)rt_now() * 0x9E3779B97F4A7C15u;  // no such call: the clock
}
