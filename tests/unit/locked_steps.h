// SPDX-License-Identifier: MIT
// Counts the locked instructions that a thread really executes: between
// steps_begin and steps_end the processor's trap flag is set, so that a
// SIGTRAP comes before each instruction, and its handler looks at the
// instruction's bytes. What the kernel does meanwhile is not counted.
//
// Counts are the calling thread's own. The thread unblocks SIGTRAP by
// steps_thread before; the process installs the handler by steps_install.
// steps_work tells, once, whether all that is possible here: it is not on
// other processors, under valgrind, or where a sanitizer adds code.
#ifndef CSP_TESTS_LOCKED_STEPS_H
#define CSP_TESTS_LOCKED_STEPS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

typedef struct StepCount {
  uint64_t all, locked;
} StepCount;

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
#ifdef __has_feature
#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)
#define STEPS_POSSIBLE 1
#endif
#else
#define STEPS_POSSIBLE 1
#endif
#endif

#ifdef STEPS_POSSIBLE
static _Thread_local volatile StepCount steps_count;

static inline bool steps_is_prefix(uint8_t byte) {
  return (byte & 0xE7) == 0x26 || (byte & 0xFC) == 0x64 || byte == 0xF2 ||
         byte == 0xF3;
}

// lock ..., xchg with memory, which locks without saying so, and mfence.
static inline bool steps_is_locked(const uint8_t *code) {
  while (steps_is_prefix(*code)) code++;
  if (*code == 0xF0) return true;
  if ((*code & 0xF0) == 0x40) code++;  // REX
  if (*code == 0x86 || *code == 0x87) return code[1] < 0xC0;
  return code[0] == 0x0F && code[1] == 0xAE && code[2] == 0xF0;
}

static void steps_trap(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  const ucontext_t *at = context;
  steps_count.all++;
  if (steps_is_locked((const uint8_t *)at->uc_mcontext.gregs[REG_RIP])) {
    steps_count.locked++;
  }
}

static inline void steps_install(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = steps_trap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, NULL);
}

static inline void steps_thread(void) {
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  pthread_sigmask(SIG_UNBLOCK, &trap, NULL);
}

// The 128 bytes below the stack pointer may be in use: the red zone.
static inline __attribute__((always_inline)) void steps_begin(void) {
  steps_count.all = steps_count.locked = 0;
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\t"
      "lea 128(%%rsp), %%rsp"
      :
      :
      : "cc", "memory");
}

static inline __attribute__((always_inline)) StepCount steps_end(void) {
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp\n\tpushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\t"
      "lea 128(%%rsp), %%rsp"
      :
      :
      : "cc", "memory");
  return (StepCount){steps_count.all, steps_count.locked};
}

// Of three locked instructions and one that looks like it; in a process of its
// own, as a SIGTRAP that nobody catches ends it.
static inline bool steps_work(void) {
  pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    uint64_t word = 0, other = 1;
    steps_install();
    steps_thread();
    steps_begin();
    __asm__ volatile("lock incq %0\n\txchgq %1, %0\n\tmfence\n\txchgq %1, %1"
                     : "+m"(word), "+r"(other));
    StepCount count = steps_end();
    _exit(count.locked == 3 && count.all >= 4 ? 0 : 1);
  }
  int status;
  if (waitpid(child, &status, 0) != child) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
#else
static inline bool steps_work(void) { return false; }
static inline void steps_install(void) {}
static inline void steps_thread(void) {}
static inline void steps_begin(void) {}
static inline StepCount steps_end(void) { return (StepCount){0, 0}; }
#endif

#endif
