// SPDX-License-Identifier: MIT
// Runs the atomics of sched/ on relacy. The sources are compiled as they are,
// with -fsanitize=thread, and linked with this file in place of the sanitizer's
// library: the compiler makes of each atomic a call that has the memory order
// as it is written (__tsan_atomic32_load, ...), and of each plain access a call
// before it (__tsan_read4, ...).
//
//   atomics        go to an rl::atomic that stands for the word at that
//                  address; relacy chooses what a load sees and what runs on
//   plain memory   holds the newest value of every word, too, so that plain
//                  reads of it by its owner are right; all plain accesses but
//                  those to the stack go to the race detector (shadow.hpp)
//   futex, eventfd, clock, sched_yield, rt_throw   are replaced at link time
//                  (--wrap)
//
// Which words are atomic is found out: an atomic on an unknown address enters
// it and begins the search anew.
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

// not relacy.hpp, which redefines malloc, errno, FUTEX_WAKE and others
#include <relacy/base.hpp>

#include <relacy/context.hpp>
#include <relacy/context_base_impl.hpp>

#include <relacy/atomic.hpp>
#include <relacy/dyn_thread.hpp>
#include <relacy/test_suite.hpp>
#include <relacy/thread_local.hpp>
#include <relacy/var.hpp>

#include <relacy/stdlib/condition_variable.hpp>
#include <relacy/stdlib/event.hpp>
#include <relacy/stdlib/mutex.hpp>
#include <relacy/stdlib/semaphore.hpp>

#include "relacy.h"
#include "shadow.hpp"

static const RelacyScenario *scenario;
static bool running;   // between setup and check
static bool history;   // the run is being told
static bool restart;   // a word was found to be atomic
static uint32_t runs;  // of this search
static uint32_t runs_max;
static char failure[512];
static int64_t now_ns;
static Shadow shadow;

enum {
  WORDS_MAX = 512,
  SLEEPERS_MAX = RELACY_THREADS,
  RINGS_MAX = 3,
  RING_MAX = 16,
  CONSTANTS_MAX = 8,
  CLOCK_STEP_NS = 4000,
  DEPTH_MAX = 6000,  // steps of a run; more are a livelock
  STACK_SIZE = 64 * 1024,
};

static rl::thread_info_base *self() { return rl::ctx().threadx_; }

extern "C" void relacy_fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(failure, sizeof failure, format, args);
  va_end(args);
  rl::ctx().fail_test(failure, rl::test_result_user_assert_failed, $);
  abort();  // it does not return
}

extern "C" int relacy_thread(void) { return self()->index_; }

// --- Places in the source ---------------------------------------------------
struct Place {
  uintptr_t pc;
  char function[64], file[64];
  unsigned line;
};

static bool look_up(Place *place) {
  char program[256], command[400], text[128];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length < 0) return false;
  program[length] = 0;
  snprintf(command, sizeof command, "addr2line -s -f -e %s %#lx", program,
           (unsigned long)place->pc - 1);
  FILE *out = popen(command, "r");
  if (out == NULL) return false;
  bool told = fscanf(out, "%63s %127s", place->function, text) == 2;
  pclose(out);
  char *colon = told ? strchr(text, ':') : NULL;
  if (colon == NULL) return false;
  *colon = 0;
  place->line = (unsigned)atoi(colon + 1);
  snprintf(place->file, sizeof place->file, "%.63s", text);
  return true;
}

// What is at that return address.
static const Place &place_of(uintptr_t pc) {
  static Place places[1024];
  static unsigned count;
  for (unsigned i = 0; i < count; i++) {
    if (places[i].pc == pc) return places[i];
  }
  Place &place = places[count < 1023 ? count++ : 1023];
  place.pc = pc;
  if (!look_up(&place)) {
    snprintf(place.function, sizeof place.function, "?");
    snprintf(place.file, sizeof place.file, "%#lx", (unsigned long)pc);
  }
  return place;
}

// For relacy's history; looked up only where that is wanted.
static rl::debug_info info_of(uintptr_t pc) {
  if (!history) return rl::debug_info("", "", 0);
  const Place &place = place_of(pc);
  return rl::debug_info(place.function, place.file, place.line);
}

// --- Plain memory -----------------------------------------------------------
static void touch(uintptr_t address, unsigned size, Access access,
                  uintptr_t pc) {
  Race race;
  rl::thread_info_base *thread = self();
  if (!shadow.touch(address, size, access, thread->index_,
                    thread->acq_rel_order_, pc, &race)) {
    return;
  }
  Place here = place_of(pc), there = place_of(race.pc);
  snprintf(failure, sizeof failure,
           "data race: %s in %s, %s:%u, and %s of thread %d in %s, %s:%u",
           access_names[access], here.function, here.file, here.line,
           access_names[race.access], race.thread, there.function, there.file,
           there.line);
  rl::ctx().fail_test(failure, rl::test_result_data_race, info_of(pc));
}

// --- Constant words ---------------------------------------------------------
struct Range {
  uintptr_t first, size;
};

static Range constants[CONSTANTS_MAX];
static unsigned constant_count;

extern "C" void relacy_constant(const void *first, uint64_t size) {
  if (constant_count == CONSTANTS_MAX) abort();
  constants[constant_count++] = {(uintptr_t)first, size};
}

static bool is_constant(const volatile void *p) {
  for (unsigned i = 0; i < constant_count; i++) {
    if ((uintptr_t)p - constants[i].first < constants[i].size) return true;
  }
  return false;
}

// --- Atomic words -----------------------------------------------------------
struct Word {
  uintptr_t address;
  unsigned size;  // 1, 4 or 8
  union {
    alignas(16) char room8[sizeof(rl::atomic<uint8_t>)];
    alignas(16) char room32[sizeof(rl::atomic<uint32_t>)];
    alignas(16) char room64[sizeof(rl::atomic<uint64_t>)];
  };
};

static Word words[WORDS_MAX];
static unsigned word_count;
static uint16_t word_index[4 * WORDS_MAX];  // + 1, 0: free
static Word *stored_plainly[RELACY_THREADS];

template <class T>
static rl::atomic<T> &atomic_of(Word &word) {
  return *reinterpret_cast<rl::atomic<T> *>(word.room64);
}

static void word_clear_all() {
  word_count = 0;
  memset(word_index, 0, sizeof word_index);
}

// NULL: that word is not atomic, as far as is known.
static Word *word_find(uintptr_t address, uint16_t **slot) {
  size_t room = sizeof word_index / sizeof *word_index;
  size_t i = ((address >> 2) * 0x9E3779B97F4A7C15u >> 40) % room;
  while (word_index[i] != 0) {
    Word &word = words[word_index[i] - 1];
    if (word.address == address) return &word;
    i = (i + 1) % room;
  }
  *slot = &word_index[i];
  return NULL;
}

static Word &word_at(const volatile void *pointer, unsigned size) {
  uint16_t *slot;
  Word *word = word_find((uintptr_t)pointer, &slot);
  if (word == NULL) {
    if (is_constant(pointer)) relacy_fail("a constant word is written");
    if (word_count == WORDS_MAX) relacy_fail("too many atomic words");
    words[word_count].address = (uintptr_t)pointer;
    words[word_count].size = size;
    *slot = (uint16_t)++word_count;
    restart = true;
    rl::ctx().rl_until("an unknown word", $);
  }
  if (word->size != size) relacy_fail("an atomic word of two sizes");
  return *word;
}

// Calls f with an argument of the word's type, and the word.
template <class F>
static void of_its_size(Word &word, F f) {
  if (word.size == 1) f(uint8_t(), word);
  if (word.size == 4) f(uint32_t(), word);
  if (word.size == 8) f(uint64_t(), word);
}

static void words_begin() {
  for (unsigned i = 0; i < word_count; i++) {
    of_its_size(words[i], [](auto type, Word &word) {
      using T = decltype(type);
      new (word.room64) rl::atomic<T>(*(const T *)word.address);
    });
  }
}

static void words_end() {
  for (unsigned i = 0; i < word_count; i++) {
    of_its_size(words[i], [](auto type, Word &word) {
      atomic_of<decltype(type)>(word).~atomic();
    });
  }
}

static void store_again(Word &word) {
  rl::preemption_disabler alone(rl::ctx());
  of_its_size(word, [](auto type, Word &word) {
    using T = decltype(type);
    atomic_of<T>(word).store(*(const T *)word.address, rl::mo_relaxed, $);
  });
}

// A plain store to a word that is atomic elsewhere. The compiler calls before
// it is done, so it is repeated on the rl::atomic at the thread's next call.
static void settle_store() {
  Word *&word = stored_plainly[self()->index_];
  if (word == NULL) return;
  Word &done = *word;
  word = NULL;
  store_again(done);
}

static void plain(const void *pointer, unsigned size, Access access,
                  uintptr_t pc) {
  if (!running) return;
  uintptr_t address = (uintptr_t)pointer, frame = (uintptr_t)&address;
  if (address - frame < STACK_SIZE) return;  // its own stack
  settle_store();
  rl::thread_info_base *thread = self();
  thread->own_acq_rel_order_++;
  touch(address, size, access, pc);
  uint16_t *slot;
  if (access != PLAIN_STORE) return;
  stored_plainly[thread->index_] = word_find(address, &slot);
}

// --- Rings ------------------------------------------------------------------
struct Ring {
  uintptr_t head, first;
  uint32_t size;
  rl::timestamp_t read[RING_MAX][RELACY_THREADS];
  rl::timestamp_t claimed[RING_MAX][RELACY_THREADS];
};

static Ring rings[RINGS_MAX];
static unsigned ring_count;

extern "C" void relacy_ring(const uint32_t *head, void *ring, uint32_t size) {
  if (ring_count == RINGS_MAX || size > RING_MAX) abort();
  Ring &made = rings[ring_count++];
  made = Ring();
  made.head = (uintptr_t)head;
  made.first = (uintptr_t)ring;
  made.size = size;
}

// The slot at that address, or NULL.
static Ring *ring_slot(uintptr_t address, uint32_t *slot) {
  for (unsigned i = 0; i < ring_count; i++) {
    uintptr_t at = (address - rings[i].first) / sizeof(void *);
    if (address < rings[i].first || at >= rings[i].size) continue;
    *slot = (uint32_t)at;
    return &rings[i];
  }
  return NULL;
}

static void ring_loaded(uintptr_t address) {
  uint32_t slot;
  Ring *ring = ring_slot(address, &slot);
  if (ring == NULL) return;
  ring->read[slot][self()->index_] = self()->own_acq_rel_order_;
}

static void ring_stored(uintptr_t address) {
  uint32_t slot;
  Ring *ring = ring_slot(address, &slot);
  if (ring == NULL) return;
  for (int i = 0; i < rl::ctx().get_thread_count(); i++) {
    if (self()->acq_rel_order_[i] >= ring->claimed[slot][i]) continue;
    relacy_fail(
        "a slot of the ring is stored to, but nothing orders that "
        "after the read of thread %d, which claimed it",
        i);
  }
}

static void ring_claimed(uintptr_t head, uint32_t from, uint32_t to) {
  for (unsigned i = 0; i < ring_count; i++) {
    Ring &ring = rings[i];
    if (ring.head != head) continue;
    int thread = self()->index_;
    for (; from != to; from++) {
      uint32_t slot = from % ring.size;
      ring.claimed[slot][thread] = ring.read[slot][thread];
    }
  }
}

// --- What atomics become ----------------------------------------------------
#define PC ((uintptr_t)__builtin_return_address(0))

static rl::memory_order order_of(int order) { return (rl::memory_order)order; }

template <class T>
static T load(const volatile T *p, int order, uintptr_t pc) {
  if (!running || is_constant(p)) return *p;
  settle_store();
  T value =
      atomic_of<T>(word_at(p, sizeof(T))).load(order_of(order), info_of(pc));
  touch((uintptr_t)p, sizeof(T), ATOMIC_LOAD, pc);
  ring_loaded((uintptr_t)p);
  return value;
}

template <class T>
static void store(volatile T *p, T value, int order, uintptr_t pc) {
  if (!running) {
    *p = value;
    return;
  }
  settle_store();
  atomic_of<T>(word_at(p, sizeof(T)))
      .store(value, order_of(order), info_of(pc));
  *p = value;
  touch((uintptr_t)p, sizeof(T), ATOMIC_STORE, pc);
  ring_stored((uintptr_t)p);
}

template <rl::rmw_type_e type, class T>
static T update(volatile T *p, T value, int order, uintptr_t pc) {
  rl::rmw_type_t<type> what;
  if (!running) {
    T old = *p;
    *p = rl::perform_rmw(what, old, value);
    return old;
  }
  settle_store();
  T old = atomic_of<T>(word_at(p, sizeof(T)))
              .rmw(what, value, order_of(order), info_of(pc));
  *p = rl::perform_rmw(what, old, value);
  touch((uintptr_t)p, sizeof(T), ATOMIC_STORE, pc);
  return old;
}

template <class T>
static bool compare_exchange(volatile T *p, T *expected, T value, int order,
                             int order_failed, uintptr_t pc) {
  if (!running) {
    T old = *p;
    bool same = old == *expected;
    *(same ? (volatile T *)p : expected) = same ? value : old;
    return same;
  }
  settle_store();
  T before = *expected;
  rl::debug_info info = info_of(pc);
  bool done = atomic_of<T>(word_at(p, sizeof(T)))
                  .compare_exchange_strong(*expected, value, order_of(order),
                                           info, order_of(order_failed), info);
  if (done) *p = value;
  touch((uintptr_t)p, sizeof(T), done ? ATOMIC_STORE : ATOMIC_LOAD, pc);
  if (done) ring_claimed((uintptr_t)p, (uint32_t)before, (uint32_t)value);
  return done;
}

extern "C" {
#define ATOMICS(bits, T)                                                     \
  T __tsan_atomic##bits##_load(const volatile T *p, int order) {             \
    return load<T>(p, order, PC);                                            \
  }                                                                          \
  void __tsan_atomic##bits##_store(volatile T *p, T value, int order) {      \
    store<T>(p, value, order, PC);                                           \
  }                                                                          \
  T __tsan_atomic##bits##_exchange(volatile T *p, T value, int order) {      \
    return update<rl::rmw_type_swap, T>(p, value, order, PC);                \
  }                                                                          \
  T __tsan_atomic##bits##_fetch_add(volatile T *p, T value, int order) {     \
    return update<rl::rmw_type_add, T>(p, value, order, PC);                 \
  }                                                                          \
  T __tsan_atomic##bits##_fetch_sub(volatile T *p, T value, int order) {     \
    return update<rl::rmw_type_sub, T>(p, value, order, PC);                 \
  }                                                                          \
  T __tsan_atomic##bits##_fetch_or(volatile T *p, T value, int order) {      \
    return update<rl::rmw_type_or, T>(p, value, order, PC);                  \
  }                                                                          \
  T __tsan_atomic##bits##_fetch_and(volatile T *p, T value, int order) {     \
    return update<rl::rmw_type_and, T>(p, value, order, PC);                 \
  }                                                                          \
  int __tsan_atomic##bits##_compare_exchange_strong(                         \
      volatile T *p, T *expected, T value, int order, int order_failed) {    \
    return compare_exchange<T>(p, expected, value, order, order_failed, PC); \
  }
ATOMICS(8, uint8_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

// --- What plain accesses become ---------------------------------------------
#define PLAIN(size)                                                   \
  void __tsan_read##size(void *p) { plain(p, size, PLAIN_LOAD, PC); } \
  void __tsan_write##size(void *p) { plain(p, size, PLAIN_STORE, PC); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *p, unsigned long size) {
  plain(p, (unsigned)size, PLAIN_LOAD, PC);
}
void __tsan_write_range(void *p, unsigned long size) {
  plain(p, (unsigned)size, PLAIN_STORE, PC);
}

void __tsan_init(void) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit(void) {}
}  // extern "C"

// --- The system -------------------------------------------------------------
struct Sleeper {
  uint32_t *word;
  rl::thread_id_t thread;
};

static Sleeper sleepers[SLEEPERS_MAX];
static unsigned sleeper_count;

static void sleeper_remove(unsigned at) {
  for (sleeper_count--; at < sleeper_count; at++)
    sleepers[at] = sleepers[at + 1];
}

// The kernel's: looking at the word and going to sleep is one step, and the
// value is the newest. A wake-up orders nothing: only the word's own atomics
// do.
static long futex_wait(uint32_t *word, uint32_t expected, bool timed) {
  rl::context &c = rl::ctx();
  c.sched();
  if (*word != expected) {
    errno = EAGAIN;
    return -1;
  }
  rl::thread_id_t thread = self()->index_;
  sleepers[sleeper_count++] = {word, thread};
  bool for_no_reason = c.rand(4, rl::sched_type_user) == 0;
  rl::unpark_reason why = c.park_current_thread(timed, for_no_reason, false, $);
  for (unsigned i = 0; i < sleeper_count; i++) {
    if (sleepers[i].thread == thread) sleeper_remove(i);
  }
  if (why != rl::unpark_reason_timeout) return 0;
  errno = ETIMEDOUT;
  return -1;
}

static long futex_wake(const uint32_t *word, uint32_t count) {
  rl::context &c = rl::ctx();
  c.sched();
  long woken = 0;
  for (unsigned i = 0; i < sleeper_count && woken < (long)count;) {
    rl::thread_id_t thread = sleepers[i].thread;
    if (sleepers[i].word != word) {
      i++;
      continue;
    }
    sleeper_remove(i);
    c.unpark_thread(thread, false, $);
    woken++;
  }
  return woken;
}

// The eventfd that a poll waits for.
static uint32_t event_count;

static int event_wait(struct epoll_event *events) {
  rl::ctx().sched();
  while (event_count == 0) futex_wait(&event_count, 0, false);
  events[0].events = EPOLLIN;
  events[0].data.u64 = UINT64_MAX;
  return 1;
}

extern "C" {
ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size) {
  if (fd != RELACY_EVENT_FD) return __real_read(fd, to, size);
  settle_store();
  rl::ctx().sched();
  event_count = 0;
  return sizeof(uint64_t);
}

ssize_t __real_write(int fd, const void *from, size_t size);
ssize_t __wrap_write(int fd, const void *from, size_t size) {
  if (fd != RELACY_EVENT_FD) return __real_write(fd, from, size);
  settle_store();
  rl::ctx().sched();
  event_count++;
  futex_wake(&event_count, 1);
  return sizeof(uint64_t);
}

long __wrap_syscall(long number, ...) {
  va_list args;
  va_start(args, number);
  if (number == SYS_epoll_pwait2) {
    settle_store();
    (void)va_arg(args, int);
    struct epoll_event *events = va_arg(args, struct epoll_event *);
    va_end(args);
    return event_wait(events);
  }
  uint32_t *word = va_arg(args, uint32_t *);
  int operation = va_arg(args, int) & ~FUTEX_PRIVATE_FLAG;
  uint32_t value = va_arg(args, uint32_t);
  bool timed = va_arg(args, void *) != NULL;
  va_end(args);
  if (number != SYS_futex) relacy_fail("system call %ld", number);
  if (!running) return 0;
  settle_store();
  if (operation == FUTEX_WAKE) return futex_wake(word, value);
  if (operation == FUTEX_WAIT_BITSET) return futex_wait(word, value, timed);
  relacy_fail("futex operation %d", operation);
}

int __wrap_sched_yield(void) {
  if (!running) return 0;
  settle_store();
  rl::ctx().yield(1, $);
  return 0;
}

// Each look at the clock takes a while: longer than a short wait.
int __wrap_clock_gettime(clockid_t, struct timespec *t) {
  now_ns += CLOCK_STEP_NS;
  t->tv_sec = now_ns / 1000000000;
  t->tv_nsec = now_ns % 1000000000;
  return 0;
}

// A broken invariant (RT_CHECK).
[[noreturn]] void __wrap_rt_throw(const char *format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (running) relacy_fail("fatal error: %s", text);
  fprintf(stderr, "%s: %s\n", scenario->name, text);
  abort();
}
}  // extern "C"

// --- A run ------------------------------------------------------------------
template <int THREADS>
struct Suite : rl::test_suite<Suite<THREADS>, THREADS> {
  void before() {
    if (runs++ == runs_max) rl::ctx().rl_until("enough runs", $);
    failure[0] = 0;
    now_ns = 0;
    event_count = 0;
    sleeper_count = ring_count = constant_count = 0;
    memset(stored_plainly, 0, sizeof stored_plainly);
    shadow.begin();
    scenario->setup();
    words_begin();
    running = true;
  }
  void thread(unsigned index) {
    scenario->threads[index]();
    settle_store();
  }
  void after() {
    running = false;
    words_end();
    scenario->check();
  }
};

// --- Searches ---------------------------------------------------------------
static std::ostream nowhere(NULL);

template <int THREADS, class Search>
static rl::test_result_e search(rl::scheduler_type_e type) {
  rl::test_params params;
  params.search_type = type;
  params.iteration_count = scenario->random;
  params.context_bound = scenario->switches;
  params.execution_depth_limit = DEPTH_MAX;
  params.output_stream = params.progress_stream = &nowhere;
  rl::ostringstream state;
  rl::test_result_e result;
  do {
    restart = false;
    running = false;
    runs = 0;
    result = rl::run_test<Suite<THREADS>, Search>(params, state, false);
  } while (restart);
  running = false;
  if (result == rl::test_result_success ||
      result == rl::test_result_until_condition_hit || !history) {
    return result;
  }
  params.initial_state = state.str();
  params.collect_history = true;
  params.output_stream = &std::cout;
  runs = 0;
  rl::run_test<Suite<THREADS>, Search>(params, state, true);
  running = false;
  return result;
}

template <int THREADS>
static rl::test_result_e search_random() {
  runs_max = UINT32_MAX;
  return search<THREADS, rl::random_scheduler<THREADS>>(rl::sched_random);
}

template <int THREADS>
static rl::test_result_e search_bounded() {
  runs_max = scenario->bounded;
  return search<THREADS, rl::context_bound_scheduler<THREADS>>(rl::sched_bound);
}

static void tell_failure(rl::test_result_e result) {
  printf("FAILED %s, run %u: ", scenario->name, runs);
  if (failure[0] != 0) {
    printf("%s\n", failure);
  } else {
    printf("%s\n", rl::test_result_str(result));
  }
}

static bool run_scenario() {
  bool three = scenario->threads[2] != NULL;
  word_clear_all();
  rl::test_result_e result = three ? search_random<3>() : search_random<2>();
  if (result != rl::test_result_success) {
    tell_failure(result);
    return false;
  }
  uint32_t random = runs;
  bool enough = false;
  if (scenario->bounded != 0) {
    result = three ? search_bounded<3>() : search_bounded<2>();
    enough = result == rl::test_result_until_condition_hit;
    if (result != rl::test_result_success && !enough) {
      tell_failure(result);
      return false;
    }
  }
  printf("ok %s: %u random runs", scenario->name, random);
  if (scenario->bounded != 0) {
    printf(", %u of %s with %u switches", enough ? runs - 1 : runs,
           enough ? "those" : "all", scenario->switches);
  }
  printf("\n");
  return true;
}

static bool is_wanted(int argc, char **argv, const char *name) {
  bool any = false;
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-') continue;
    any = true;
    if (strstr(name, argv[i]) != NULL) return true;
  }
  return !any;
}

int relacy_main(int argc, char **argv, const RelacyScenario *scenarios,
                int count) {
  int failed = 0;
  for (int i = 1; i < argc; i++) history |= strcmp(argv[i], "--history") == 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 0; i < count; i++) {
    scenario = &scenarios[i];
    if (!is_wanted(argc, argv, scenario->name)) continue;
    if (!run_scenario()) failed++;
  }
  return failed == 0 ? 0 : 1;
}
