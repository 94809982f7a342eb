// SPDX-License-Identifier: MIT
// Waits of natives for descriptors, through netpoll (csp_block_fd). Each wait
// makes a copy of the descriptor and registers that. So several goroutines may
// wait for one descriptor, and the original may be closed, and its number used
// again, at any time.
//
// Vm.waits_lock guards CspWait.desc and CspWait.ended. No end is missed:
//  - The goroutine (1) copies the descriptor, (2) registers the copy, (3) shows
//    it in desc, and (4) parks. When it runs again it clears desc.
//  - csp_wait_end lets the deadline of desc pass. Where desc is NULL it sets
//    `ended`, which (1) or (3), whichever is next, takes back: that wait is
//    over before it has parked.
// A thread calls csp_wait_end before it closes the descriptor. Then it knows
// that nobody copies the descriptor's number any more. If no wait is there to
// end, the next one ends at once. Its native then works too early, which may
// happen after any wait.
//
// There are descriptors that the system cannot watch. Then a blocking call
// waits (fd_wait_block). It looks now and then whether the wait has been ended,
// its goroutine is cancelled, or the run ends. In the last two cases the
// goroutine leaves with the work undone, and finds out why when it runs again
// (run_blocking). In a stepped runtime such a call would block the host, so it
// is refused. A wait for a number that is no descriptor is over at once.
#include "vm/interp/block_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/native_call.h"

static struct pollfd poll_of(const FdWait *wait) {
  return (struct pollfd){wait->wait->fd, wait->wait->write ? POLLOUT : POLLIN,
                         0};
}

// Whether the descriptor is ready, or there is no such descriptor.
static bool is_ready(const FdWait *wait) {
  struct pollfd now = poll_of(wait);
  int ready;
  do {
    ready = poll(&now, 1, 0);
  } while (ready < 0 && errno == EINTR);
  return ready != 0;
}

// waits_lock is held. Whether csp_wait_end has been called meanwhile.
static bool take_end(CspWait *wait) {
  bool ended = wait->ended;
  wait->ended = false;
  return ended;
}

// The result is false when the wait has been ended.
static bool copy_fd(Vm *vm, FdWait *wait) {
  rt_lock(&vm->waits_lock);
  bool ended = take_end(wait->wait);
  if (!ended) wait->copy = fcntl(wait->wait->fd, F_DUPFD_CLOEXEC, 3);
  rt_unlock(&vm->waits_lock);
  return !ended;
}

// Likewise.
static bool show(Vm *vm, CspWait *wait, PollDesc *desc) {
  rt_lock(&vm->waits_lock);
  RT_ASSERT(wait->desc == NULL);
  bool ended = take_end(wait);
  wait->desc = desc;
  rt_unlock(&vm->waits_lock);
  return !ended;
}

static void hide(Vm *vm, CspWait *wait) {
  rt_lock(&vm->waits_lock);
  RT_ASSERT(wait->desc != NULL);
  wait->desc = NULL;
  rt_unlock(&vm->waits_lock);
}

bool fd_wait_begin(P *p, Goroutine *g, FdWait *wait) {
  Vm *vm = local_of(p)->vm;
  wait->blocks = false;  // an earlier one may have
  if (wait->wait->fd < 0 || is_ready(wait)) return false;
  if (!copy_fd(vm, wait)) return false;
  wait->desc = wait->copy < 0 ? NULL : poll_open(vm->sched, wait->copy);
  if (wait->desc == NULL) {
    fd_wait_drop(wait);
    *(vm->stepped ? &wait->refused : &wait->blocks) = true;
    return false;
  }
  rt_add(&vm->poll_records, 1u);  // RMW: as in csp_fd_open
  bool goes_on = show(vm, wait->wait, wait->desc);
  PollMode mode = wait->wait->write ? POLL_WRITE : POLL_READ;
  if (goes_on && poll_wait(p, &g->g, wait->desc, mode) == POLL_PARKED)
    return true;
  fd_wait_over(p, wait);
  return false;
}

void fd_wait_over(P *p, FdWait *wait) {
  RT_ASSERT(wait->desc != NULL && wait->copy >= 0);
  hide(local_of(p)->vm, wait->wait);
  poll_close(p, wait->desc);
  poll_free(wait->desc);
  rt_sub(&local_of(p)->vm->poll_records, 1u);  // RMW: as in csp_fd_open
  wait->desc = NULL;
  fd_wait_drop(wait);
}

static bool is_ended(Vm *vm, CspWait *wait) {
  rt_lock(&vm->waits_lock);
  bool ended = take_end(wait);
  rt_unlock(&vm->waits_lock);
  return ended;
}

// g is in the call of this thread, so its group stays.
static bool wait_is_vain(const Vm *vm, const Goroutine *g) {
  return g_cancelled(&g->g) != NOT_CANCELLED || sched_is_over(vm->sched);
}

bool fd_wait_block(Vm *vm, const Goroutine *g, const FdWait *wait) {
  enum { LOOK = 20 };  // ms
  while (!is_ended(vm, wait->wait)) {
    struct pollfd now = poll_of(wait);
    int ready = poll(&now, 1, LOOK);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
    if (wait_is_vain(vm, g)) return false;
  }
  return true;
}

void fd_wait_drop(FdWait *wait) {
  if (wait->copy >= 0) close(wait->copy);
  wait->copy = -1;
}

// --- csp.h ------------------------------------------------------------------
void csp_wait_end(CspCall *call, CspWait *wait) {
  if (native_is_over(call)) return;  // nobody goes on
  Vm *vm = call->vm;
  P *p = call->local->p;
  rt_lock(&vm->waits_lock);
  if (wait->desc == NULL) {
    wait->ended = true;
  } else {
    // past already: a goroutine that waits, or is about to, stops
    poll_deadline(p, wait->desc, POLL_READ, 1);
    poll_deadline(p, wait->desc, POLL_WRITE, 1);
  }
  rt_unlock(&vm->waits_lock);
}

CspWatch csp_watch(const CspCall *call) {
  return (CspWatch){call->vm, native_is_over(call) ? NULL : call->g};
}

// Its goroutine is in the call of this thread.
bool csp_in_vain(const CspWatch *watch) {
  const Goroutine *g = watch->goroutine;
  const Vm *vm = watch->runtime;
  work_looked();
  if (g == NULL) return true;
  bool shielded = rt_load_relaxed(&g->g.shielded);  // relaxed: g's own
  return wait_is_vain(vm, g) ||
         // relaxed, both: hints, as in work.c
         rt_load_relaxed(&vm->interrupt) == g->g.id ||
         (g == vm->main && !shielded && rt_load_relaxed(&vm->main_leaves)) ||
         (!shielded && group_deadline_over(&g->g)) ||
         sched_call_is_vain(vm->sched);
}
