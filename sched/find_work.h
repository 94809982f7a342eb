// SPDX-License-Identifier: MIT
// The search for what an M runs next. Only the M itself calls it, while it
// holds a P. The M may sleep in it, and come back with another P.
#ifndef CSP_SCHED_FIND_WORK_H
#define CSP_SCHED_FIND_WORK_H

#include "sched/internal.h"

// The next G for m, which has a P on return. NULL: the runtime ends, or it is
// stepped and there is none.
G *find_work_next(M *m, bool *inherit);

#endif
