// SPDX-License-Identifier: MIT
// What a weak memory scenario (test_*.c) and the engine (engine.cpp) say to
// each other. README.md tells how it works.
//
// A scenario is up to three threads on objects of static storage; the engine
// runs it many times, each time from `setup`. Within `threads` each atomic may
// let another thread go on, and may read what a relaxed or acquire load is
// allowed to read; each plain access is checked for data races. `setup` and
// `check` run alone, before and after; there all memory is plain.
#ifndef CSP_TESTS_RELACY_H
#define CSP_TESTS_RELACY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  RELACY_THREADS = 3,
  RELACY_EVENT_FD = 12345,  // an eventfd, and what epoll waits for
};

typedef struct RelacyScenario {
  const char *name;
  void (*setup)(void);
  void (*threads[RELACY_THREADS])(void);  // 2 or 3 of them
  void (*check)(void);
  uint32_t random;    // runs with random choices
  uint32_t bounded;   // at most so many of the systematic search, 0: none
  uint32_t switches;  // how often that takes a thread's turn away
} RelacyScenario;

// Runs those whose name holds an argument (or all); the exit status.
int relacy_main(int argc, char **argv, const RelacyScenario *scenarios,
                int count);

// Fails the run.
void relacy_fail(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));
#define RELACY_CHECK(condition, ...) \
  ((condition) ? (void)0 : relacy_fail(__VA_ARGS__))

// The index of the calling thread.
int relacy_thread(void);

// To be called in setup: these words are not written during the run. Reading
// them is no step of the search.
void relacy_constant(const void *words, uint64_t size);

// To be called in setup. `ring` is an array of `size` words that are read
// relaxed and claimed afterwards by a CAS on *head, from its old value to the
// new one. relacy never delays a load, so this is checked apart: a slot must
// not be stored to until the read by the thread that claimed it is known to be
// over.
void relacy_ring(const uint32_t *head, void *ring, uint32_t size);

#ifdef __cplusplus
}
#endif
#endif
