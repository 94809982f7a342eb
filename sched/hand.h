// SPDX-License-Identifier: MIT
// Handing on many Gs to idle Ps: see hand.c.
#ifndef CSP_SCHED_HAND_H
#define CSP_SCHED_HAND_H

#include "sched/internal.h"

#ifndef HAND_GROUP
#define HAND_GROUP 4  // as many Gs are worth a wake-up; tests make it 1
#endif
enum { HAND_FAN = 4 };  // Ps that one claim takes at most

// Owner P, without a lock. Gives of its ring or its urgent Gs to idle Ps, if
// there are many of both.
void hand_on(P *p);

#endif
