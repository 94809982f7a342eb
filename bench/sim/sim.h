// SPDX-License-Identifier: MIT
// The scaling simulation: sched/ on up to 1024 virtual CPUs, one system
// thread, virtual time. docs/scaling.md says what it is for and what it found.
//
//   engine.c     virtual threads, time, futexes; which thread is next
//   net.c        descriptors and epoll
//   cache.c      cache lines: what an access costs
//   hooks.c      the compiler's calls at each access, and libc's replacements
//   libc.h       put in front of the files of sched/ by the compiler (-include)
//   workload*.c  the programs that are run; task.h is what they are made of
//   sim.c        the command, self-checks, results
//   run          builds, runs all sizes and variants, writes docs/scaling.*
//
// The files of sched/ and workload.c are compiled as they are, but with
// -fsanitize=thread: the compiler then calls __tsan_read8(address) and so on
// at each access to memory, and these functions are hooks.c instead of the
// sanitizer's. So plain accesses count as well as atomic ones.
//
// Times are picoseconds, unless a name ends in _ns.
#ifndef CSP_BENCH_SIM_H
#define CSP_BENCH_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/internal.h"
#include "tests/explore/fiber.h"

enum {
  SIM_CPUS = PROCS_MAX + 2,     // one per P, sysmon's, and the main thread's
  SIM_THREADS = 2 * PROCS_MAX,  // more than there are ever
  SIM_LLC = 8,                  // CPUs that share a last-level cache
  SIM_SOCKET = 64,              // CPUs of a socket
  SIM_NEAR = 6,                 // sharers of a line that are kept in it
};
#define SIM_ARENA ((size_t)512 << 20)

// X(name, ns, what it is the cost of)
#define SIM_COSTS(X)                                                      \
  X(plain, 0.1, "a plain access to a line in this CPU's cache")           \
  X(call, 0.25, "entering a function: the code between the accesses")     \
  X(atomic, 0.3, "an atomic load or store of a line in this CPU's cache") \
  X(locked, 3.5, "a locked instruction, beside its access")               \
  X(llc, 60, "a line of a CPU with the same last-level cache")            \
  X(socket, 110, "a line of another CPU of the socket")                   \
  X(remote, 200, "a line of another socket")                              \
  X(memory, 90, "a line that nobody has touched")                         \
  X(answer, 10, "how long a line is busy with a read by another CPU")     \
  X(pause, 15, "the pause instruction")                                   \
  X(clock, 20, "reading the clock")                                       \
  X(yield, 500, "giving up the CPU, with nobody waiting for it")          \
  X(futex_none, 300, "a futex call that wakes nobody, or need not sleep") \
  X(futex_sleep, 700, "going to sleep on a futex")                        \
  X(futex_wake, 1500, "a futex call that wakes a thread: for the caller") \
  X(futex_run, 5000, "... from its beginning until the sleeper runs")     \
  X(thread, 15000, "starting a thread: for the caller, and until it runs")

typedef struct SimCosts {
#define X(name, ns, text) int64_t name;
  SIM_COSTS(X)
#undef X
} SimCosts;

// What a thread's time went to.
#define SIM_TIMES(X)                                           \
  X(WORK, work)     /* sim_work */                             \
  X(SEARCH, search) /* its M spins, or is awake without a P */ \
  X(SYSTEM, system) /* futexes, starting threads */            \
  X(CALLS, calls)   /* blocking calls: sim_in_kernel */        \
  X(OTHER, other)   /* all else */

typedef enum SimTime {
#define X(name, text) TIME_##name,
  SIM_TIMES(X)
#undef X
      TIME_COUNT,
} SimTime;

typedef struct SimThread SimThread;
struct SimThread {
  int64_t clock;  // its own time; in the heap, when it goes on
  uint32_t id;
  uint32_t cpu;  // of the P that its M holds, or held last
  int heap_at;   // -1: not in the heap
  bool done, timed_out;
  M *m;                   // NULL: not an M
  P *seen;                // m->p when `cpu` was set
  const uint32_t *futex;  // sleeps on it; NULL means does not sleep
  SimThread *futex_next;
  SimThread *joiner;
  bool woken, ran;  // its M was woken, and has run a G since
  int64_t times[TIME_COUNT];
  Fiber *fiber;
  void *(*run)(void *arg);
  void *arg;
};

typedef struct Sim {
  SimThread *current;
  int64_t limit;  // the least time of the others that can run
  int64_t slack;  // how far one may be ahead of it within its own cache
  char *arena;
  size_t used;  // of the arena
  SimCosts costs;
  uint64_t switches, accesses, misses;
  uint64_t futile_wakes;  // Ms woken that went to sleep without having run a G
  uint64_t entropy;
} Sim;

extern Sim sim;

_Noreturn void sim_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

// --- engine.c ---------------------------------------------------------------
// Runs body(arg) as thread 0, and all that it starts, to the end.
void sim_run(void *(*body)(void *arg), void *arg);
SimThread *sim_thread_start(void *(*run)(void *arg), void *arg);
void sim_thread_join(SimThread *thread);
// Others that are behind the current thread go on first.
void sim_catch_up(void);
void sim_futex_wait(const uint32_t *word, uint32_t expected, int64_t deadline,
                    bool *timed_out);
int sim_futex_wake(const uint32_t *word, int count);
void sim_each_thread(void (*fn)(void *arg, const SimThread *thread), void *arg);
void *sim_alloc(size_t align, size_t size);  // zeroed; lives until the end

static inline int64_t sim_now_ns(void) { return sim.current->clock / 1000; }

static inline void sim_charge(int64_t ps, SimTime time) {
  sim.current->clock += ps;
  sim.current->times[time] += ps;
}

// What the current thread does now; its CPU follows its P.
static inline SimTime sim_doing(void) {
  SimThread *thread = sim.current;
  if (thread->m == NULL) return TIME_OTHER;
  P *p = thread->m->p;
  if (p == NULL) return TIME_SEARCH;
  if (p != thread->seen) {
    thread->seen = p;
    thread->cpu = (uint32_t)p->id;
  }
  return thread->m->spinning ? TIME_SEARCH : TIME_OTHER;
}

static inline void sim_pass(int64_t ps) {
  sim_charge(ps, sim_doing());
  if (sim.current->clock > sim.limit + sim.slack) sim_catch_up();
}

// --- net.c ------------------------------------------------------------------
struct epoll_event;
void sim_net_reset(void);
int sim_fd_new(void);
int sim_epoll_create(void);
int sim_epoll_ctl(int op, int fd, const struct epoll_event *event);
int sim_epoll_wait(struct epoll_event *events, int room, int64_t ns);
void sim_fd_signal(int fd);    // from a virtual thread: it is readable
uint32_t sim_fd_take(int fd);  // what was signalled since

// --- cache.c ----------------------------------------------------------------
typedef enum SimAccess { ACCESS_READ, ACCESS_WRITE, ACCESS_LOCKED } SimAccess;

void cache_reset(void);
void cache_access(size_t line, SimAccess access, int64_t cost);

// Before an access. cost: of the instruction itself.
static inline void sim_access(const volatile void *at, SimAccess access,
                              int64_t cost) {
  if (sim.current == NULL) return;
  size_t offset = (size_t)((const volatile char *)at - sim.arena);
  if (offset >= sim.used) {  // a stack, or a constant
    sim_charge(cost, sim_doing());
    return;
  }
  cache_access(offset / RT_LINE, access, cost);
}

// --- What the workloads call; hooks.c, sim.c --------------------------------
void sim_work(int64_t ns);       // useful work
void sim_in_kernel(int64_t ns);  // the thread is in a call, without its P
// The tasks: the G in each is at its beginning. From its status the time from
// ready to running is seen.
void sim_watch(void *tasks, size_t size, uint32_t count);
void sim_status_changed(const uint32_t *status, uint32_t value);
void sim_measure(Sched *sched, bool begin);

// false: no such workload, or sched/ knows no rings. param 0: the workload's
// own.
bool workload_run(const char *name, int procs, uint64_t seed, double scale,
                  int64_t param, bool rings);
void workload_each(void (*fn)(const char *name));

#endif
