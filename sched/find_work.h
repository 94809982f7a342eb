// SPDX-License-Identifier: MIT
// The functions of find_work.c that other files call.
#ifndef CSP_SCHED_FIND_WORK_H
#define CSP_SCHED_FIND_WORK_H

#include "sched/internal.h"

// The next G for m, which has a P on return. NULL: the runtime ends, or it is
// stepped and there is none.
G *find_work_next(M *m, bool *inherit);

#endif
