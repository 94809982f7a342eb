// SPDX-License-Identifier: MIT
// The bit LOOK_LOCKED of a P. It is set while the M that holds the P runs a
// native's callback, so that the M comes back to the callback's G.
#ifndef CSP_SCHED_CALLBACK_H
#define CSP_SCHED_CALLBACK_H

#include "sched/internal.h"

// m loses or gets p: LOOK_LOCKED goes with an M that runs a callback.
static inline void callback_p_lost(const M *m, P *p) {
  // RMW: see P.look
  if (m->locked_g != NULL) rt_and(&p->look, ~(uint32_t)LOOK_LOCKED);
}
static inline void callback_p_got(const M *m, P *p) {
  // RMW: as in callback_p_lost
  if (m->locked_g != NULL) rt_or(&p->look, (uint32_t)LOOK_LOCKED);
}

#endif
