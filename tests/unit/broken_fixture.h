// SPDX-License-Identifier: MIT
// Structures that are broken on purpose: what says whether one is valid must
// notice it in every build, and in debug builds an operation on it must end the
// process by an assertion. That happens in a child of its own.
#ifndef CSP_TESTS_UNIT_BROKEN_FIXTURE_H
#define CSP_TESTS_UNIT_BROKEN_FIXTURE_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/rt.h"

// A structure, and an operation that asserts that it is valid.
typedef struct Subject {
  bool (*is_valid)(const void *of);
  const void *of;
  void (*use)(void *arg);
  void *arg;
} Subject;

#ifdef CSP_DEBUG
static inline void die_in_child(const Subject *subject, int out) {
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(out, STDERR_FILENO);
  subject->use(subject->arg);
  _exit(0);
}

// It ends by SIGABRT, and its last words contain `words`.
static inline void assert_use_dies(const Subject *subject, const char *words) {
  int ends[2], status;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) die_in_child(subject, ends[1]);
  close(ends[1]);
  char text[512];
  size_t len = 0;
  for (ssize_t n; len < sizeof text - 1; len += (size_t)n) {
    n = read(ends[0], text + len, sizeof text - 1 - len);
    if (n <= 0) break;
  }
  text[len] = '\0';
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (strstr(text, words) == NULL) fail_msg("%s", text);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
#else
static inline void assert_use_dies(const Subject *subject, const char *words) {
  (void)subject, (void)words;
}
#endif

static inline void check_broken(const Subject *subject, void *field,
                                size_t size, uint64_t wrong) {
  uint64_t right = 0;
  assert_true(subject->is_valid(subject->of));
  memcpy(&right, field, size);
  memcpy(field, &wrong, size);
  assert_false(subject->is_valid(subject->of));
  assert_use_dies(subject, "assertion failed");
  memcpy(field, &right, size);
  assert_true(subject->is_valid(subject->of));
}

// With that in the field it is not valid, and its use ends the process.
#define BREAK(subject, field, wrong) \
  check_broken((subject), &(field), sizeof(field), (uint64_t)(wrong))

#endif
