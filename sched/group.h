// SPDX-License-Identifier: MIT
// The check of a group's structure. sched.h declares what the layer above calls
// to begin, end and cancel groups.
#ifndef CSP_SCHED_GROUP_H
#define CSP_SCHED_GROUP_H

#include "sched/internal.h"

// Lock held: the first few members are linked both ways.
bool group_is_valid(const Group *group);

#endif
