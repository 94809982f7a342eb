// SPDX-License-Identifier: MIT
// The schedule explorer: runs a scenario again and again, one of its threads at
// a time, and decides at each atomic which one goes on. README.md tells how to
// use it and how to replay a failure.
//
// A scenario's body is thread 0 of each run; it starts others (explore_go, or
// the code under test through rt_thread_start), and all must have ended when it
// returns. Everything here but explore, explore_finds and explore_program is
// called from inside a run. Runs must be deterministic but for the explorer's
// choices: no real clock, no dependence on addresses.
#ifndef CSP_TESTS_EXPLORE_H
#define CSP_TESTS_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Scenario {
  const char *name;
  void (*body)(void *arg);
  void *arg;
  uint32_t step_limit;   // more steps are a livelock, 0: EXPLORE_STEPS
  int preemptions;       // exhaustive search up to so many, < 0: none
  bool in_order;         // stores are never delayed
  uint32_t fair;         // not 0: a thread that can run makes a step in so many
  bool (*enough)(void);  // not NULL: it is searched on until this is true
} Scenario;

enum { EXPLORE_STEPS = 50000 };

// --- From the test program --------------------------------------------------
// Before the first scenario: how many share the program's time.
void explore_program(int scenarios);
// false: EXPLORE_ONLY or EXPLORE_REPLAY leaves out scenarios, or runs of them.
bool explore_is_whole(void);
// true: no failure was found. Otherwise it has been printed.
bool explore(const Scenario *scenario);
// true: a failure was found, as it must be (of the explorer's own tests). *text
// gets its message.
bool explore_finds(const Scenario *scenario, const char **text);

// --- From inside a run ------------------------------------------------------
// Starts a thread; its number, > 0.
int explore_go(void (*run)(void *arg), void *arg);
void explore_join(int thread);  // waits until that thread has ended
void explore_join_all(void);    // all threads but the calling one
void explore_yield(void);       // lets others go on first
// Sleeps until *word is not 0 / has none of these bits. No step of its own:
// nobody can be late.
void explore_until_set(const uint32_t *word);
void explore_until_clear(const uint32_t *word, uint32_t bits);
// Any of 0..count-1; an exhaustive search tries all.
uint32_t explore_choose(uint32_t count);
// The same, but an exhaustive search takes 0 only, and others mostly do.
uint32_t explore_rarely(uint32_t one_in, uint32_t count);
// Steps on these bytes are no choice (counters, words that never change).
void explore_quiet(const volatile void *at, size_t size);
// Something was just published: others may act on it before the caller's next
// plain access. A step in half of the random runs.
void explore_published(const char *place, const char *name);
// All that the calling thread has stored is visible to others from here on.
void explore_flush(void);
// Called at each step until the run ends, on the thread whose step it is. It
// reads plain memory, and may fail the run.
void explore_watch(void (*look)(void));
bool explore_running(void);        // false: not inside a run
int explore_thread(void);          // number of the calling thread
void *explore_local(size_t size);  // zeroed memory of the calling thread

// Virtual time. It goes on a little with each step, and to the earliest
// deadline when all threads sleep.
int64_t explore_now(void);
void explore_pass_time(int64_t ns);
// As a futex: sleeps while *word == expected. false: the deadline passed.
bool explore_futex_wait(const uint32_t *word, uint32_t expected,
                        int64_t deadline);
void explore_futex_wake(const uint32_t *word, int count);

// Ends the run as failed; does not come back.
_Noreturn void explore_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
#define EXPLORE_CHECK(condition, ...) \
  ((condition) ? (void)0 : explore_fail(__VA_ARGS__))

#endif
