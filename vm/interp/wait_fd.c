// SPDX-License-Identifier: MIT
// Waits of natives for descriptors, through netpoll (csp_block_fd). Each wait
// registers a copy of the descriptor of its own, so that several goroutines may
// wait for one, and so that the original may be closed, and its number used
// again, at any time.
//
// Vm.waits_lock guards CspWait.desc, which is set before the goroutine parks,
// and cleared when it runs again. csp_wait_end finds it there and lets its
// deadline pass. What the system cannot watch is waited for by a blocking call,
// but not in a stepped runtime: its host would wait, and nothing could end
// that. There the call is refused. No wait is long for what is no descriptor at
// all.
#include "vm/interp/wait_fd.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "vm/heap/local.h"
#include "vm/interp/native_call.h"

static struct pollfd poll_of(const FdWait *w) {
  return (struct pollfd){w->wait->fd, w->wait->write ? POLLOUT : POLLIN, 0};
}

static void show(Vm *vm, CspWait *wait, PollDesc *desc) {
  rt_lock(&vm->waits_lock);
  RT_ASSERT((wait->desc == NULL) != (desc == NULL));
  wait->desc = desc;
  rt_unlock(&vm->waits_lock);
}

bool fd_wait_begin(P *p, Goroutine *g, FdWait *w) {
  Vm *vm = local_of(p)->vm;
  struct pollfd now = poll_of(w);
  if (w->wait->fd < 0 || poll(&now, 1, 0) != 0) return false;
  w->copy = fcntl(w->wait->fd, F_DUPFD_CLOEXEC, 3);
  w->desc = w->copy < 0 ? NULL : poll_open(vm->sched, w->copy);
  if (w->desc == NULL) {
    fd_wait_drop(w);
    *(vm->stepped ? &w->refused : &w->blocks) = true;
    return false;
  }
  show(vm, w->wait, w->desc);
  PollMode mode = w->wait->write ? POLL_WRITE : POLL_READ;
  if (poll_wait(p, &g->g, w->desc, mode) == POLL_PARKED) return true;
  fd_wait_over(p, w);
  return false;
}

void fd_wait_over(P *p, FdWait *w) {
  RT_ASSERT(w->desc != NULL && w->copy >= 0);
  show(local_of(p)->vm, w->wait, NULL);
  poll_close(p, w->desc);
  poll_free(w->desc);
  w->desc = NULL;
  fd_wait_drop(w);
}

void fd_wait_block(const FdWait *w) {
  struct pollfd now = poll_of(w);
  poll(&now, 1, -1);
}

void fd_wait_drop(FdWait *w) {
  if (w->copy >= 0) close(w->copy);
  w->copy = -1;
}

// --- csp.h ------------------------------------------------------------------
void csp_wait_end(CspCall *call, CspWait *wait) {
  Vm *vm = call->vm;
  P *p = call->local->p;
  rt_lock(&vm->waits_lock);
  if (wait->desc != NULL) {
    // past already: a goroutine that waits, or is about to, stops
    poll_deadline(p, wait->desc, POLL_READ, 1);
    poll_deadline(p, wait->desc, POLL_WRITE, 1);
  }
  rt_unlock(&vm->waits_lock);
}
