// SPDX-License-Identifier: MIT
// makecontext enters a stack for the first time; from then on _setjmp and
// _longjmp, which leave the signal mask alone, go to and fro.
#include "fiber.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#elif __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif

#ifdef FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

enum { FIBER_STACK = 256 * 1024 };

// The fiber that is entered, and the one that was left. Of one system thread:
// the explorer's.
static Fiber *fiber_entered, *fiber_left;

static void fiber_before(Fiber *from, Fiber *to) {
  fiber_entered = to;
  fiber_left = from;
#ifdef FIBER_ASAN
  const void *bottom = to->stack != NULL ? to->stack : to->stack_bottom;
  size_t size = to->stack != NULL ? FIBER_STACK : to->stack_size;
  __sanitizer_start_switch_fiber(&from->fake_stack, bottom, size);
#endif
#ifdef FIBER_TSAN
  __tsan_switch_to_fiber(to->tsan, 0);
#endif
}

static void fiber_after(void) {
#ifdef FIBER_ASAN
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(fiber_entered->fake_stack, &bottom, &size);
  if (fiber_left->stack == NULL) {
    fiber_left->stack_bottom = bottom;
    fiber_left->stack_size = size;
  }
#endif
}

static void fiber_main(void) {
  fiber_after();
  Fiber *fiber = fiber_entered;
  for (;;) fiber->run(fiber->arg);
}

static void fiber_prepare(Fiber *fiber) {
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack;
  fiber->context.uc_stack.ss_size = FIBER_STACK;
  fiber->context.uc_link = NULL;
  makecontext(&fiber->context, fiber_main, 0);
}

#ifdef FIBER_ASAN
// AddressSanitizer takes each _longjmp for one on the same stack.
void fiber_switch(Fiber *from, Fiber *to) {
  fiber_before(from, to);
  swapcontext(&from->context, &to->context);
  fiber_after();
}
#else
static void fiber_resume(Fiber *fiber) {
  if (fiber->begun) _longjmp(fiber->env, 1);
  fiber->begun = true;
  setcontext(&fiber->context);
}

__attribute__((noinline)) void fiber_switch(Fiber *from, Fiber *to) {
  if (_setjmp(from->env) == 0) {
    fiber_before(from, to);
    fiber_resume(to);
  }
  fiber_after();
}
#endif

void fiber_init_own(Fiber *fiber) {
  memset(fiber, 0, sizeof *fiber);
  fiber->begun = true;
#ifdef FIBER_TSAN
  fiber->tsan = __tsan_get_current_fiber();
#endif
}

Fiber *fiber_new(void (*run)(void *arg), void *arg) {
  Fiber *fiber = calloc(1, sizeof *fiber);
  if (fiber == NULL) return NULL;
  fiber->run = run;
  fiber->arg = arg;
  fiber->stack = mmap(NULL, FIBER_STACK, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fiber->stack == MAP_FAILED) {
    free(fiber);
    return NULL;
  }
  fiber_prepare(fiber);
#ifdef FIBER_TSAN
  fiber->tsan = __tsan_create_fiber(0);
#endif
  return fiber;
}

void fiber_free(Fiber *fiber) {
#ifdef FIBER_TSAN
  __tsan_destroy_fiber(fiber->tsan);
#endif
  munmap(fiber->stack, FIBER_STACK);
  free(fiber);
}
