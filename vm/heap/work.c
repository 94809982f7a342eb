// SPDX-License-Identifier: MIT
// Long work in natives and slow paths, and how it is given up.
//
// The interpreter looks at its safepoints, which an operation does not reach
// before it is done. So operations count their work (work_on, csp_work), and
// look themselves. An operation is given up for one of these reasons:
//   the goroutine is cancelled, or interrupted      it panics with that
//   main is about to be cancelled                   likewise, then
//   the run ends                                    nobody sees what it does
//   the host's call is over (stepped)               it panics: interrupted
// Such an operation frees what it has and fails as if it had panicked, but no
// panic is made there (gave_up). Its goroutine leaves first, because only a
// runtime that goes on, and a host that says what is interrupted, decide what
// follows. A native that can be left in the middle does better (again.c).
#include "vm/heap/work.h"
#include "vm/heap/local.h"

#ifdef CSP_DEBUG
_Thread_local uint64_t work_steps, work_most;
_Thread_local void (*work_on_look)(void);

// Called by each basic block of code that is compiled for that, but its own.
#ifdef __clang__
#define NOT_COUNTED no_sanitize("coverage")
#else
#define NOT_COUNTED no_sanitize_coverage
#endif
__attribute__((visibility("hidden"), NOT_COUNTED)) void
__sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) { work_steps++; }

void work_looked(void) {
  if (work_steps > work_most) work_most = work_steps;
  if (work_on_look != NULL) work_on_look();
  work_steps = 0;
}

void work_forget(void) { work_steps = 0; }
#endif

// It cannot be cancelled before the world stops, for which it leaves (give_up.c
// lets it wait).
static bool is_to_leave(const Vm *vm, const Goroutine *g) {
  // relaxed, both: a hint, which vm_cancel_main gives. The flag is g's own
  return g == vm->main && rt_load_relaxed(&vm->main_leaves) &&
         !rt_load_relaxed(&g->g.shielded);
}

static bool is_vain(Local *local, const Goroutine *g) {
  return g_cancelled(&g->g) != NOT_CANCELLED || is_to_leave(local->vm, g) ||
         // relaxed: nothing but the id is handed over. vm_interrupt stores it
         rt_load_relaxed(&local->vm->interrupt) == g->g.id ||
         sched_work_is_vain(local->p);
}

// The debt that is left makes the next safepoint a look, where others run. If
// the work is given up, the next caller that asks is told so, too, because
// loops ask elsewhere than the comparisons in them.
bool work_look(Local *local) {
  local->debt = WORK_PIECE / 2;
  work_looked();
  // A host's own, or the compiler's, cannot be given up.
  if (local->p == NULL || local->p->current == NULL) return false;
  Goroutine *g = goroutine_of(local->p->current);
  sched_look_aside(local->p);
  group_look(local->p, &g->g);
  g->gave_up |= is_vain(local, g);
  if (g->gave_up) local->debt = WORK_PIECE;
  return g->gave_up;
}

// What is left uncharged where they differ is less than four times what was
// charged.
int work_compare_long(Local *local, const void *a, const void *b, size_t len) {
  enum { FIRST = 256, MOST = 1 << 16 };
  const char *x = a, *y = b;
  size_t piece = FIRST;
  for (size_t at = 0; at < len; at += piece) {
    if (at > 0 && piece < MOST) piece *= 4;
    size_t count = len - at < piece ? len - at : piece;
    int order = memcmp(x + at, y + at, count);
    if (order != 0) return order;
    if (!work_part(local, 4 + count / 8, at + piece < len)) return 0;
  }
  return 0;
}

bool work_copy_long(Local *local, void *to, const void *from, size_t len) {
  enum { PIECE = 1 << 16 };
  for (size_t at = 0; at < len; at += PIECE) {
    size_t count = len - at < PIECE ? len - at : PIECE;
    memcpy((char *)to + at, (const char *)from + at, count);
    if (!work_part(local, count / WORK_NEW_BYTES, at + PIECE < len))
      return false;
  }
  return true;
}
