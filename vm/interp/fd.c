// SPDX-License-Identifier: MIT
// Descriptors of natives (csp.h, CspFd): registered with netpoll once, for as
// long as they are open.
//
// A native has the turn of a side while it uses the descriptor's number
// (sched/poll_turn.c), so nobody closes the number meanwhile: csp_fd_close ends
// the turns, and the number is closed by whoever leaves last. That is the
// closer, where nobody has a turn.
//
// A wait belongs to the record of a native in pieces (again.c), and so to its
// goroutine:
//
//   when     result   the goroutine
//   SOON     any      does not wait
//   ENTERED  PARKED   is about to ask for the turn, or in the queue
//   ENTERED  READY    has the turn, and the piece has not run
//   READY    PARKED   is about to wait, or waits. It has the turn
//   both     others   knows how the wait ended, and the piece has not run
//
// A deadline is the wait's own. Its timer is started before the wait and
// stopped after it, by the goroutine that has the turn. So a descriptor that
// nobody waits for has no timer, and can be freed by a thread without a P.
#include "vm/interp/fd.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

// --- Waits ------------------------------------------------------------------
static void set_until(P *p, const PieceWait *wait, int64_t until) {
  if (wait->until != 0)
    poll_deadline(p, wait->fd->desc, (PollMode)wait->mode, until);
}

bool piece_wait_begin(P *p, Goroutine *g, PieceWait *wait) {
  RT_ASSERT(wait->when != PIECE_SOON && wait->result == POLL_PARKED);
  PollDesc *desc = wait->fd->desc;
  PollMode mode = (PollMode)wait->mode;
  PollResult result;
  if (wait->when == PIECE_ENTERED) {
    result = poll_turn(p, &g->g, desc, mode);
  } else {
    set_until(p, wait, wait->until);
    result = poll_wait(p, &g->g, desc, mode);
  }
  // g may be anywhere by now, and the wait be another one's
  if (result == POLL_PARKED) return true;
  RT_CHECK(result != POLL_BUSY, "a native waits without the turn");
  if (wait->when == PIECE_READY) set_until(p, wait, 0);
  wait->result = (uint8_t)result;
  return false;
}

// A cancelled wait stays as it is (POLL_PARKED): it has neither turn nor
// result.
void piece_wait_over(P *p, Goroutine *g, PieceWait *wait) {
  if (wait->when == PIECE_SOON || wait->result != POLL_PARKED) return;
  bool cancelled = g->g.cancelled;
  g->g.cancelled = false;
  if (wait->when == PIECE_ENTERED) {
    if (!cancelled) wait->result = (uint8_t)poll_turn_result(&g->g);
    return;
  }
  // first, because the deadline that has passed is what it tells
  PollResult result = poll_result(wait->fd->desc, (PollMode)wait->mode);
  set_until(p, wait, 0);
  if (!cancelled) wait->result = (uint8_t)result;
}

void piece_wait_drop(P *p, PieceWait *wait) {
  bool has_turn = wait->when == PIECE_ENTERED && wait->result == POLL_READY;
  wait->when = PIECE_SOON;
  if (has_turn) fd_leave(p, wait->fd, (PollMode)wait->mode);
}

// --- The number -------------------------------------------------------------
// What is no connection of TCP does not mind.
static void reset_number(int number) {
  struct linger now = {.l_onoff = 1, .l_linger = 0};
  setsockopt(number, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

// Once: poll_turn_leave and poll_turn_end tell one thread.
static void close_number(CspFd *fd) {
  // relaxed: read by csp_fd_free alone, after all that use it
  rt_store_relaxed(&fd->closed, 1u);
  // relaxed: csp_fd_reset has set it before the turns ended, and the last of
  // them is over
  if (rt_load_relaxed(&fd->resets)) reset_number(fd->fd);
  close(fd->fd);
}

void fd_leave(P *p, CspFd *fd, PollMode mode) {
  if (poll_turn_leave(p, fd->desc, mode)) close_number(fd);
}

// --- csp.h ------------------------------------------------------------------
// NULL: the run is over, and nobody is readied.
static P *p_of(const CspCall *call) {
  return native_is_over(call) ? NULL : call->local->p;
}

int csp_above_streams(int number) { return rt_fd_above_streams(number); }

CspFd *csp_fd_open(CspCall *call, int number) {
  Vm *vm = call->vm;
  CspFd *fd = mem_zeroed(vm->memory, sizeof *fd);
  if (fd == NULL) {
    errno = ENOMEM;
    return NULL;
  }
  *fd = (CspFd){.vm = vm, .desc = poll_open(vm->sched, number), .fd = number};
  if (fd->desc != NULL) {
    // RMW: a sum that any thread adds to, for counters_read. It orders nothing
    rt_add(&vm->poll_records, 1u);
    return fd;
  }
  int error = errno;
  mem_free(fd);
  errno = error;
  return NULL;
}

bool csp_fd_close(CspCall *call, CspFd *fd) {
  // RMW: one of those in csp_fd_close ends it
  if (rt_exchange(&fd->ended, 1u) != 0) return false;
  if (poll_turn_end(p_of(call), fd->desc)) close_number(fd);
  return true;
}

bool csp_fd_reset(CspCall *call, CspFd *fd) {
  rt_store_relaxed(&fd->resets, 1u);  // relaxed: see close_number
  return csp_fd_close(call, fd);
}

void csp_fd_free(CspFd *fd) {
  if (fd == NULL) return;
  // relaxed, all: nobody else has it
  bool lives = fd->vm->sched != NULL;  // else its descriptors are gone
  if (lives && !rt_load_relaxed(&fd->ended)) poll_turn_end(NULL, fd->desc);
  if (!rt_load_relaxed(&fd->closed)) close(fd->fd);
  if (lives) {
    poll_free(fd->desc);
    rt_sub(&fd->vm->poll_records, 1u);  // RMW: as in csp_fd_open
  }
  mem_free(fd);
}

int csp_fd_enter(CspFd *fd, CspSide side) {
  return poll_turn_try(fd->desc, (PollMode)side) ? fd->fd : -1;
}

int csp_fd_number(const CspFd *fd) {
  // seq: a guess, as recent as can be. Pairs with csp_fd_close
  return rt_load_seq(&fd->ended) ? -1 : fd->fd;
}

void csp_fd_leave(CspCall *call, CspFd *fd, CspSide side) {
  fd_leave(p_of(call), fd, (PollMode)side);
}

static void set_wait(CspCall *call, CspFd *fd, PieceWhen when, CspSide side,
                     int64_t until) {
  call->later.kind |= LATER_WHEN;
  call->later.wait = (PieceWait){.when = (uint8_t)when,
                                 .mode = (uint8_t)side,
                                 .result = POLL_PARKED,
                                 .fd = fd,
                                 .until = until};
}

void csp_when_entered(CspCall *call, CspFd *fd, CspSide side) {
  set_wait(call, fd, PIECE_ENTERED, side, 0);
}

void csp_when_ready(CspCall *call, CspFd *fd, CspSide side, int64_t until) {
  set_wait(call, fd, PIECE_READY, side, until);
}

CspReady csp_ready(const CspCall *call) {
  switch (call->later.wait.result) {
    case POLL_READY:
      return CSP_FD_READY;
    case POLL_DEADLINE:
      return CSP_FD_LATE;
    case POLL_CLOSED:
      return CSP_FD_CLOSED;
    case POLL_PARKED:
    case POLL_BUSY:
      break;
  }
  rt_throw("csp_ready: a wait has ended with %d", (int)call->later.wait.result);
}
