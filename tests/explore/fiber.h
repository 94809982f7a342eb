// SPDX-License-Identifier: MIT
// Stacks to switch between on one system thread: what the explorer's threads
// run on. No system call in a switch: about 20 ns. Known to AddressSanitizer
// and ThreadSanitizer.
#ifndef CSP_TESTS_FIBER_H
#define CSP_TESTS_FIBER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

typedef struct Fiber {
  jmp_buf env;
  ucontext_t context;
  char *stack;  // NULL: the system thread's own
  bool begun;
  void (*run)(void *arg);
  void *arg;
  void *fake_stack;          // AddressSanitizer's
  const void *stack_bottom;  // the system thread's own stack, once known
  size_t stack_size;
  void *tsan;  // ThreadSanitizer's
} Fiber;

// The running system thread as a fiber.
void fiber_init_own(Fiber *fiber);
// NULL: out of memory. Switching to it calls run(arg). When run returns the
// fiber calls fiber->run(fiber->arg) again, so that a finished one may be
// given new work: it switches away at the end of run.
Fiber *fiber_new(void (*run)(void *arg), void *arg);
void fiber_free(Fiber *fiber);  // not the running one
void fiber_switch(Fiber *from, Fiber *to);

#endif
