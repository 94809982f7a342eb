// SPDX-License-Identifier: MIT
// A structure is broken on purpose: does the assertion about it fire?
#ifndef CSP_TESTS_UNIT_BREACH_FIXTURE_H
#define CSP_TESTS_UNIT_BREACH_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h wants those before it
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef CSP_DEBUG
static inline void run_breach(void (*breach)(void), int out) {
  signal(SIGABRT, SIG_DFL);  // cmocka has a handler
  dup2(out, STDERR_FILENO);
  breach();
  _exit(0);
}

// In a process of its own `breach` ends by an assertion that names `function`.
static inline void expect_breach(void (*breach)(void), const char *function) {
  int ends[2], status;
  char text[1024];
  size_t len = 0;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) run_breach(breach, ends[1]);
  close(ends[1]);
  for (ssize_t n = 1; n > 0 && len < sizeof text - 1; len += (size_t)n) {
    n = read(ends[0], text + len, sizeof text - 1 - len);
    assert_true(n >= 0);
  }
  text[len] = '\0';
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (strstr(text, "assertion failed") == NULL ||
      strstr(text, function) == NULL)
    fail_msg("no assertion with %s, but: %s", function, text);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
#else
// Only debug builds have assertions.
static inline void expect_breach(void (*breach)(void), const char *function) {
  (void)breach, (void)function;
}
#endif

#endif
