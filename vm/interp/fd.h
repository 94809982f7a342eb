// SPDX-License-Identifier: MIT
// Descriptors that the runtime watches as long as they are open (CspFd), and
// the waits of natives in pieces for them. See fd.c.
#ifndef CSP_VM_INTERP_FD_H
#define CSP_VM_INTERP_FD_H

#include "vm/heap/local.h"
#include "vm/interp/native_call.h"

struct CspFd {
  Vm *vm;
  PollDesc *desc;
  int fd;
  uint32_t ended;   // atomic: csp_fd_close was called
  uint32_t closed;  // atomic: fd is the system's again
  uint32_t resets;  // atomic: see csp_fd_reset
};

// g waits for what its next piece is to wait for. true: it has parked, and
// piece_wait_over follows when it runs again.
bool piece_wait_begin(P *p, Goroutine *g, PieceWait *wait);
void piece_wait_over(P *p, Goroutine *g, PieceWait *wait);
// The piece will not run. What it would have got is given back. p: as for
// poll_turn_leave.
void piece_wait_drop(P *p, PieceWait *wait);
// The turn's end. p: as for poll_turn_leave.
void fd_leave(P *p, CspFd *fd, PollMode mode);

#endif
