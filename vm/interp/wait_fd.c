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

static struct pollfd poll_of(const FdWait *wait) {
  return (struct pollfd){wait->wait->fd, wait->wait->write ? POLLOUT : POLLIN,
                         0};
}

static void show(Vm *vm, CspWait *wait, PollDesc *desc) {
  rt_lock(&vm->waits_lock);
  RT_ASSERT((wait->desc == NULL) != (desc == NULL));
  wait->desc = desc;
  rt_unlock(&vm->waits_lock);
}

bool fd_wait_begin(P *p, Goroutine *g, FdWait *wait) {
  Vm *vm = local_of(p)->vm;
  struct pollfd now = poll_of(wait);
  if (wait->wait->fd < 0 || poll(&now, 1, 0) != 0) return false;
  wait->copy = fcntl(wait->wait->fd, F_DUPFD_CLOEXEC, 3);
  wait->desc = wait->copy < 0 ? NULL : poll_open(vm->sched, wait->copy);
  if (wait->desc == NULL) {
    fd_wait_drop(wait);
    *(vm->stepped ? &wait->refused : &wait->blocks) = true;
    return false;
  }
  show(vm, wait->wait, wait->desc);
  PollMode mode = wait->wait->write ? POLL_WRITE : POLL_READ;
  if (poll_wait(p, &g->g, wait->desc, mode) == POLL_PARKED) return true;
  fd_wait_over(p, wait);
  return false;
}

void fd_wait_over(P *p, FdWait *wait) {
  RT_ASSERT(wait->desc != NULL && wait->copy >= 0);
  show(local_of(p)->vm, wait->wait, NULL);
  poll_close(p, wait->desc);
  poll_free(wait->desc);
  wait->desc = NULL;
  fd_wait_drop(wait);
}

void fd_wait_block(const FdWait *wait) {
  struct pollfd now = poll_of(wait);
  poll(&now, 1, -1);
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
  if (wait->desc != NULL) {
    // past already: a goroutine that waits, or is about to, stops
    poll_deadline(p, wait->desc, POLL_READ, 1);
    poll_deadline(p, wait->desc, POLL_WRITE, 1);
  }
  rt_unlock(&vm->waits_lock);
}
