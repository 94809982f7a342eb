// SPDX-License-Identifier: MIT
// The functions of mask.c that other files call.
#ifndef CSP_SCHED_MASK_H
#define CSP_SCHED_MASK_H

#include "sched/internal.h"

void mask_set(PMask *mask, int32_t id);    // any thread
void mask_clear(PMask *mask, int32_t id);  // any thread
bool mask_read(const PMask *mask, int32_t id);
bool mask_empty(const PMask *mask);

#endif
