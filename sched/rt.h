// SPDX-License-Identifier: MIT
// The only door to atomics, locks, futexes, threads, clock and randomness.
//
// All of sched/ and vm/ goes through these names, so that a test build can
// let a schedule explorer do them (RT_EXPLORE) and count locked instructions.
// Objects are plain integers and pointers. Every access that two threads may
// make at once uses one of these.
#ifndef CSP_SCHED_RT_H
#define CSP_SCHED_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef RT_EXPLORE
#include "sched/rt_explore.h"
#else
#define RT_STEP(address) ((void)0)
// Before each operation that is a locked instruction (lock ..., xchg) on
// x86-64: counted where a test wants that (tests/unit/test_sched_locked.c).
#ifdef RT_COUNT_LOCKED
extern _Thread_local uint64_t rt_locked;
#define RT_STEP_FULL(address) ((void)rt_locked++)
#else
#define RT_STEP_FULL(address) ((void)0)
#endif
#define RT_STORE(p, v, order) __atomic_store_n((p), (v), (order))
#endif

#define rt_load_relaxed(p) (RT_STEP(p), __atomic_load_n((p), __ATOMIC_RELAXED))
#define rt_load_acquire(p) (RT_STEP(p), __atomic_load_n((p), __ATOMIC_ACQUIRE))
#define rt_load_seq(p) (RT_STEP(p), __atomic_load_n((p), __ATOMIC_SEQ_CST))
#define rt_store_relaxed(p, v) RT_STORE(p, v, __ATOMIC_RELAXED)
#define rt_store_release(p, v) RT_STORE(p, v, __ATOMIC_RELEASE)
#define rt_store_seq(p, v) \
  (RT_STEP_FULL(p), __atomic_store_n((p), (v), __ATOMIC_SEQ_CST))
// Read-modify-writes are sequentially consistent: on x86-64 that costs
// nothing over the weaker forms.
#define rt_exchange(p, v) \
  (RT_STEP_FULL(p), __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST))
#define rt_add(p, v) \
  (RT_STEP_FULL(p), __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST))
#define rt_sub(p, v) \
  (RT_STEP_FULL(p), __atomic_fetch_sub((p), (v), __ATOMIC_SEQ_CST))
#define rt_or(p, v) \
  (RT_STEP_FULL(p), __atomic_fetch_or((p), (v), __ATOMIC_SEQ_CST))
#define rt_and(p, v) \
  (RT_STEP_FULL(p), __atomic_fetch_and((p), (v), __ATOMIC_SEQ_CST))
// *expected is updated on failure, as in C11.
#define rt_cas(p, expected, v)                                                \
  (RT_STEP_FULL(p),                                                           \
   __atomic_compare_exchange_n((p), (expected), (v), false, __ATOMIC_SEQ_CST, \
                               __ATOMIC_SEQ_CST))

// --- Failure ----------------------------------------------------------------
// A broken invariant of ours: prints "fatal error: ..." and aborts.
_Noreturn void rt_throw(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

// CHECK is always on (state would corrupt); ASSERT only in debug builds.
#define RT_CHECK(condition, ...) ((condition) ? (void)0 : rt_throw(__VA_ARGS__))
#ifdef CSP_DEBUG
#define RT_ASSERT(condition)                                                 \
  ((condition) ? (void)0                                                     \
               : rt_throw("%s:%d: assertion failed: %s", __FILE__, __LINE__, \
                          #condition))
#else
#define RT_ASSERT(condition) ((void)0)
#endif

#define RT_LINE 64  // bytes of a cache line: what two threads write is apart
#define RT_ALIGNED __attribute__((aligned(RT_LINE)))

// --- Waiting ----------------------------------------------------------------
static inline void rt_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Gives the CPU to another thread (sched_yield).
void rt_yield_cpu(void);

#define RT_FOREVER INT64_MAX

// Sleeps while *word == expected, until rt_now() >= deadline. May return
// early for no reason. false: the deadline has passed.
bool rt_futex_wait(uint32_t *word, uint32_t expected, int64_t deadline);
// Wakes up to `count` sleepers: one system call.
void rt_futex_wake(uint32_t *word, int count);

// A binary event for one sleeper: a set before the wait is not lost, several
// sets count as one. Set by any thread.
typedef struct RtNote {
  uint32_t word;  // atomic: 0 clear, 1 set, 2 somebody sleeps
} RtNote;

void rt_note_set(RtNote *note);
// Set already? Then it is cleared. By its sleeper.
bool rt_note_try(RtNote *note);
// Waits for a set and clears it. false: the deadline passed first.
bool rt_note_wait(RtNote *note, int64_t deadline);

// --- Locks ------------------------------------------------------------------
// With a lock held, a thread takes only locks of a higher rank. Locks of equal
// rank are taken only for channels, by rising address. Otherwise debug builds
// die with both names. Other layers have ranks of their own, between these or
// above them.
//   GROUP -> CHAN, TIMERS, SCHED, URGENT   cancelling takes goroutines out of
//                      queues; those that were taken in vain go on
//   CHAN -> SCHED      none today; channel sections call nothing
//   TIMERS -> SCHED    none today; a timer fires without the lock
//   POLL -> any        none today; only a list of descriptors is changed
//   SCHED -> URGENT    the Gs of a P that goes away are queued elsewhere
typedef struct RtRank {
  uint32_t order;
  const char *name;
} RtRank;

extern const RtRank rank_group, rank_chan, rank_timers, rank_poll, rank_sched,
    rank_urgent;

#ifdef CSP_DEBUG
void rt_rank_push(const RtRank *rank, const void *lock);
void rt_rank_pop(const RtRank *rank, const void *lock);
#else
static inline void rt_rank_push(const RtRank *rank, const void *lock) {
  (void)rank, (void)lock;
}
static inline void rt_rank_pop(const RtRank *rank, const void *lock) {
  (void)rank, (void)lock;
}
#endif

// A lock that sleeps. 0 free, 1 held, 2 held and somebody may sleep.
typedef struct RtLock {
  uint32_t word;       // atomic
  const RtRank *rank;  // immutable; NULL is below all others
} RtLock;

void rt_lock_slow(RtLock *lock);

static inline void rt_lock(RtLock *lock) {
  rt_rank_push(lock->rank, lock);
  uint32_t free_word = 0;
  // acquire: pairs with the exchange in rt_unlock
  if (!rt_cas(&lock->word, &free_word, 1u)) rt_lock_slow(lock);
}

// false: another holds it.
static inline bool rt_try_lock(RtLock *lock) {
  uint32_t unlocked = 0;
  // acquire: pairs with the exchange in rt_unlock
  if (!rt_cas(&lock->word, &unlocked, 1u)) return false;
  rt_rank_push(lock->rank, lock);
  return true;
}

static inline void rt_unlock(RtLock *lock) {
  rt_rank_pop(lock->rank, lock);
  // release: pairs with the CAS in rt_lock. A mere store could overwrite the 2
  // of a new sleeper
  if (rt_exchange(&lock->word, 0u) == 2) rt_futex_wake(&lock->word, 1);
}

// A lock that never sleeps in the kernel, for sections of a few dozen
// instructions: taken by one exchange, released by a store.
void rt_spin_lock_slow(uint32_t *word);
// Pauses, each time for longer, until *word has none of these bits at a look.
// `waited`: pauses so far, 0 at first. Gives those, and the new ones.
uint32_t rt_spin_while(const uint32_t *word, uint32_t bits, uint32_t waited);

// false: another holds it.
static inline bool rt_spin_try(uint32_t *word) {
  return rt_exchange(word, 1u) == 0;  // acquire: pairs with rt_spin_unlock
}

static inline void rt_spin_lock(uint32_t *word) {
  if (!rt_spin_try(word)) rt_spin_lock_slow(word);
}

static inline void rt_spin_unlock(uint32_t *word) {
  rt_store_release(word, 0u);  // release: pairs with rt_spin_try
}

// --- Descriptors ------------------------------------------------------------
// A descriptor that was just opened, as one above 2 (close-on-exec): a host may
// have closed its standard streams, and what is printed to them later must not
// reach this one. Closes fd where it gives another. -1: errno tells, which is
// the one of the open if fd is negative.
int rt_fd_above_streams(int fd);
// Writes all of it, and waits until the descriptor takes it, even if that never
// waits (O_NONBLOCK). 0, or the errno that lost the rest. Any thread. For the
// standard streams and small files. What scripts write waits in the poller
// instead, so that its thread is free (os_write_some).
int rt_write_all(int fd, const char *data, size_t len);

// --- Readiness of descriptors (rt_poll.c) -----------------------------------
enum { RT_POLL_EVENTS = 64 };

typedef struct RtPoll {
  int fd, break_fd;
  int alarm_fd;     // -1: none yet
  uint32_t broken;  // atomic: a break is on its way
} RtPoll;

typedef struct RtPollEvent {
  uint64_t tag;
  bool readable, writable;  // or failed, or ended: the next call tells
} RtPollEvent;

int rt_poll_open(RtPoll *poll);  // 0 or an errno
void rt_poll_close(RtPoll *poll);
// Reports changes of fd, whichever way, from now on (and its state once). Gives
// 0 or an errno, which is EPERM for what is always ready (a regular file).
int rt_poll_add(RtPoll *poll, int fd, uint64_t tag);
void rt_poll_remove(RtPoll *poll, int fd);
// Waits for events until rt_now() >= deadline, or not at all if that is 0.
// Gives how many there are. May return early for no reason. Several threads may
// wait, each event goes to one of them.
int rt_poll_wait(RtPoll *poll, RtPollEvent *events, int room, int64_t deadline);
// A wait that blocks, or the next one, returns. Any thread.
void rt_poll_break(RtPoll *poll);
// A descriptor for a thread that waits by other means. It is readable when
// events have come, after a break, or after an alarm. -1: errno tells. One
// thread, as the rest.
int rt_poll_descriptor(RtPoll *poll);
// The alarm is at that rt_now() time, or off with RT_FOREVER.
void rt_poll_alarm(RtPoll *poll, int64_t when);
void rt_poll_end_break(RtPoll *poll);  // it is not readable for breaks any more

// --- Threads, clocks, randomness --------------------------------------------
// Sanitizers make frames ten times as large, so builds for them set more.
#ifndef RT_THREAD_STACK_KB
#define RT_THREAD_STACK_KB 512
#endif
enum { RT_THREAD_STACK = RT_THREAD_STACK_KB * 1024 };

typedef struct RtThread {
  unsigned long handle;
  void (*run)(void *arg);  // read by the thread when it begins
  void *arg;
} RtThread;

// A thread with all signals blocked and a timer slack of 1 ns. 0 or an errno.
// *thread stays until it is joined, or run has begun.
int rt_thread_start(RtThread *thread, void (*run)(void *arg), void *arg);
void rt_thread_join(RtThread *thread);
void rt_thread_detach(RtThread *thread);
// Bytes of the calling thread's C stack that are below the caller. SIZE_MAX:
// unknown, because it runs on a stack that is not the thread's own.
size_t rt_stack_left(void);
// Timer slack of the calling thread, in ns; returns what it was before. -1: the
// system does not tell. That given, nothing is changed.
int64_t rt_timer_slack(int64_t ns);

int64_t rt_now(void);       // monotonic ns
int64_t rt_cpu_time(void);  // ns that this thread ran; a system call
// The CPU's counter, for moments that are compared with each other: a third of
// rt_now's price. Its unit is found by reading both twice.
static inline uint64_t rt_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return (uint64_t)rt_now();
#endif
}
// Whether all CPUs count rt_ticks alike, at one speed.
bool rt_ticks_steady(void);
int64_t rt_wall_now(void);  // ns since 1970
uint64_t rt_entropy(void);  // from the system
int rt_cpu(void);           // that the caller runs on now, < 0 if unknown

#endif
