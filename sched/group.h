// SPDX-License-Identifier: MIT
// The functions of group.c that other files call.
#ifndef CSP_SCHED_GROUP_H
#define CSP_SCHED_GROUP_H

#include "sched/internal.h"

// Lock held: the first few members are linked both ways.
bool group_is_valid(const Group *group);

#endif
