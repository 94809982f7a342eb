// SPDX-License-Identifier: MIT
// What the instrumented files call: the compiler's __tsan_ functions, one for
// each kind and size of access, and what libc.h puts in libc's place. Called
// on the current virtual thread; each may switch to another one before the
// access is made.
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "sched/proc.h"
#include "sim.h"

// --- Functions and plain accesses -------------------------------------------
// NOLINTBEGIN: names and types are the compiler's
#define HOOK __attribute__((visibility("default")))

HOOK void __tsan_init(void);
HOOK void __tsan_init(void) {}

HOOK void __tsan_func_entry(void *caller);
HOOK void __tsan_func_entry(void *caller) {
  (void)caller;
  if (sim.current != NULL) sim_pass(sim.costs.call);
}

HOOK void __tsan_func_exit(void);
HOOK void __tsan_func_exit(void) {}

#define PLAIN(name, access)          \
  HOOK void __tsan_##name(void *at); \
  HOOK void __tsan_##name(void *at) { sim_access(at, access, sim.costs.plain); }
#define PLAIN_SIZES(prefix)           \
  PLAIN(prefix##read1, ACCESS_READ)   \
  PLAIN(prefix##read2, ACCESS_READ)   \
  PLAIN(prefix##read4, ACCESS_READ)   \
  PLAIN(prefix##read8, ACCESS_READ)   \
  PLAIN(prefix##read16, ACCESS_READ)  \
  PLAIN(prefix##write1, ACCESS_WRITE) \
  PLAIN(prefix##write2, ACCESS_WRITE) \
  PLAIN(prefix##write4, ACCESS_WRITE) \
  PLAIN(prefix##write8, ACCESS_WRITE) \
  PLAIN(prefix##write16, ACCESS_WRITE)
PLAIN_SIZES()
PLAIN_SIZES(unaligned_)

static void access_range(void *at, size_t size, SimAccess access) {
  size_t lines = ((uintptr_t)at % RT_LINE + size + RT_LINE - 1) / RT_LINE;
  for (size_t i = 0; i < lines; i++) {
    char *part =
        (char *)at + (i == 0 ? 0 : i * RT_LINE - (uintptr_t)at % RT_LINE);
    sim_access(part, access, sim.costs.plain);
  }
}

HOOK void __tsan_read_range(void *at, size_t size);
HOOK void __tsan_read_range(void *at, size_t size) {
  access_range(at, size, ACCESS_READ);
}

HOOK void __tsan_write_range(void *at, size_t size);
HOOK void __tsan_write_range(void *at, size_t size) {
  access_range(at, size, ACCESS_WRITE);
}

HOOK void *__tsan_memset(void *at, int byte, size_t size);
HOOK void *__tsan_memset(void *at, int byte, size_t size) {
  access_range(at, size, ACCESS_WRITE);
  return memset(at, byte, size);
}

HOOK void *__tsan_memcpy(void *to, void *from, size_t size);
HOOK void *__tsan_memcpy(void *to, void *from, size_t size) {
  access_range(from, size, ACCESS_READ);
  access_range(to, size, ACCESS_WRITE);
  return memcpy(to, from, size);
}

// --- Atomics ----------------------------------------------------------------
enum { ORDER_SEQ_CST = 5 };

#define STEP_LOCKED(at) \
  sim_access((at), ACCESS_LOCKED, sim.costs.atomic + sim.costs.locked)

// A sequentially consistent store is a locked instruction (xchg).
static void step_store(const volatile void *at, int order) {
  if (order == ORDER_SEQ_CST) {
    STEP_LOCKED(at);
  } else {
    sim_access(at, ACCESS_WRITE, sim.costs.atomic);
  }
}

#define FETCH(bits, type, name, op)                                           \
  HOOK type __tsan_atomic##bits##_fetch_##name(type *at, type v, int order);  \
  HOOK type __tsan_atomic##bits##_fetch_##name(type *at, type v, int order) { \
    (void)order;                                                              \
    STEP_LOCKED(at);                                                          \
    type old = *at;                                                           \
    *at = (type)(old op v);                                                   \
    return old;                                                               \
  }

#define ATOMICS(bits, type)                                                   \
  HOOK type __tsan_atomic##bits##_load(const type *at, int order);            \
  HOOK type __tsan_atomic##bits##_load(const type *at, int order) {           \
    (void)order;                                                              \
    sim_access(at, ACCESS_READ, sim.costs.atomic);                            \
    return *at;                                                               \
  }                                                                           \
  HOOK void __tsan_atomic##bits##_store(type *at, type v, int order);         \
  HOOK void __tsan_atomic##bits##_store(type *at, type v, int order) {        \
    step_store(at, order);                                                    \
    *at = v;                                                                  \
    if (bits == 32)                                                           \
      sim_status_changed((const uint32_t *)(void *)at, (uint32_t)v);          \
  }                                                                           \
  HOOK type __tsan_atomic##bits##_exchange(type *at, type v, int order);      \
  HOOK type __tsan_atomic##bits##_exchange(type *at, type v, int order) {     \
    (void)order;                                                              \
    STEP_LOCKED(at);                                                          \
    type old = *at;                                                           \
    *at = v;                                                                  \
    return old;                                                               \
  }                                                                           \
  HOOK type __tsan_atomic##bits##_compare_exchange_val(                       \
      type *at, type old, type v, int good, int bad);                         \
  HOOK type __tsan_atomic##bits##_compare_exchange_val(                       \
      type *at, type old, type v, int good, int bad) {                        \
    (void)good, (void)bad;                                                    \
    STEP_LOCKED(at);                                                          \
    type seen = *at;                                                          \
    if (seen == old) *at = v;                                                 \
    return seen;                                                              \
  }                                                                           \
  HOOK int __tsan_atomic##bits##_compare_exchange_strong(                     \
      type *at, type *old, type v, int good, int bad);                        \
  HOOK int __tsan_atomic##bits##_compare_exchange_strong(                     \
      type *at, type *old, type v, int good, int bad) {                       \
    type wanted = *old;                                                       \
    *old =                                                                    \
        __tsan_atomic##bits##_compare_exchange_val(at, wanted, v, good, bad); \
    return *old == wanted;                                                    \
  }                                                                           \
  FETCH(bits, type, add, +)                                                   \
  FETCH(bits, type, sub, -)                                                   \
  FETCH(bits, type, and, &)                                                   \
  FETCH(bits, type, or, |)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
// NOLINTEND

// --- libc: memory -----------------------------------------------------------
void *sim_aligned_alloc(size_t align, size_t size);
void *sim_realloc(void *at, size_t size);
void sim_free(void *at);

// The size is kept in front, for sim_realloc.
void *sim_aligned_alloc(size_t align, size_t size) {
  if (align < 16) align = 16;
  char *block = sim_alloc(align, align + size);
  memcpy(block + align - sizeof size, &size, sizeof size);
  return block + align;
}

void *sim_realloc(void *at, size_t size) {
  void *more = sim_aligned_alloc(RT_LINE, size);
  if (at == NULL) return more;
  size_t before;
  memcpy(&before, (char *)at - sizeof before, sizeof before);
  access_range(at, before, ACCESS_READ);
  access_range(more, before, ACCESS_WRITE);
  memcpy(more, at, before < size ? before : size);
  return more;
}

void sim_free(void *at) { (void)at; }

// --- libc: threads, clocks --------------------------------------------------
long sim_syscall(long number, ...);
int sim_getcpu(void);
int sim_clock_gettime(struct timespec *to);
int sim_pthread_create(pthread_t *thread, void *(*run)(void *arg), void *arg);
int sim_pthread_join(pthread_t thread);
uint64_t sim_getrandom(void);
void sim_yield_cpu(void);
void sim_pause(void);
int sim_prctl(int option, ...);

static long poll_call(va_list args) {
  (void)va_arg(args, int);  // the one epoll
  struct epoll_event *events = va_arg(args, struct epoll_event *);
  int room = va_arg(args, int);
  const struct timespec *wait = va_arg(args, const struct timespec *);
  int64_t ns = wait == NULL ? -1 : wait->tv_sec * 1000000000 + wait->tv_nsec;
  return sim_epoll_wait(events, room, ns);
}

// futex and epoll_pwait2: sched/ needs no other.
long sim_syscall(long number, ...) {
  va_list args;
  if (number == SYS_epoll_pwait2) {
    va_start(args, number);
    long count = poll_call(args);
    va_end(args);
    return count;
  }
  if (number != SYS_futex) sim_fail("system call %ld", number);
  va_start(args, number);
  uint32_t *word = va_arg(args, uint32_t *);
  int op = va_arg(args, int) & ~FUTEX_PRIVATE_FLAG;
  uint32_t value = va_arg(args, uint32_t);
  const struct timespec *until = va_arg(args, const struct timespec *);
  va_end(args);
  if (op == FUTEX_WAKE) return sim_futex_wake(word, (int)value);
  if (op != FUTEX_WAIT_BITSET) sim_fail("futex operation %d", op);
  int64_t deadline = INT64_MAX;
  if (until != NULL && until->tv_sec < 1000000) {
    deadline = (until->tv_sec * 1000000000 + until->tv_nsec) * 1000;
  }
  bool timed_out;
  sim_futex_wait(word, value, deadline, &timed_out);
  if (timed_out) errno = ETIMEDOUT;
  return timed_out ? -1 : 0;
}

int sim_clock_gettime(struct timespec *to) {
  if (sim.current != NULL) sim_pass(sim.costs.clock);
  int64_t now = sim.current == NULL ? 0 : sim_now_ns();
  *to = (struct timespec){now / 1000000000, now % 1000000000};
  return 0;
}

// rt.c's thread_main gets the RtThread. An M's function is proc_m_thread.
int sim_pthread_create(pthread_t *thread, void *(*run)(void *arg), void *arg) {
  SimThread *made = sim_thread_start(run, arg);
  const RtThread *start = arg;
  if (start->run == proc_m_thread) made->m = start->arg;
  *thread = (pthread_t)made;
  return 0;
}

int sim_pthread_join(pthread_t thread) {
  sim_thread_join((SimThread *)thread);
  return 0;
}

uint64_t sim_getrandom(void) { return ++sim.entropy * 0x9E3779B97F4A7C15u; }

int sim_getcpu(void) {
  sim_doing();  // it follows the P
  return (int)sim.current->cpu;
}

void sim_yield_cpu(void) {
  sim_charge(sim.costs.yield, TIME_SYSTEM);
  sim_catch_up();
}

void sim_pause(void) { sim_pass(sim.costs.pause); }

void sim_work(int64_t ns) {
  sim_charge(ns * 1000, TIME_WORK);
  sim_catch_up();
}

void sim_in_kernel(int64_t ns) {
  sim_charge(ns * 1000, TIME_CALLS);
  sim_catch_up();
}

// The name of a thread and its timer slack: the simulation has neither.
int sim_prctl(int option, ...) {
  if (option != PR_SET_NAME && option != PR_SET_TIMERSLACK &&
      option != PR_GET_TIMERSLACK)
    sim_fail("prctl %d", option);
  return 0;
}
