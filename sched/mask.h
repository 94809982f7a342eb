// SPDX-License-Identifier: MIT
// A set of Ps, with one bit for each. Each change and each read is one atomic
// operation.
#ifndef CSP_SCHED_MASK_H
#define CSP_SCHED_MASK_H

#include "sched/internal.h"

void mask_set(PMask *mask, int32_t id);    // any thread
void mask_clear(PMask *mask, int32_t id);  // any thread
bool mask_read(const PMask *mask, int32_t id);
bool mask_empty(const PMask *mask);

#endif
