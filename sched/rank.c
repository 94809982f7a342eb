// SPDX-License-Identifier: MIT
// The ranks of the scheduler's locks (rt.h has the order's reasons).
#include "sched/rt.h"

const RtRank rank_group = {10, "group"};
const RtRank rank_chan = {20, "channel"};
const RtRank rank_timers = {40, "timers of one P"};
const RtRank rank_poll = {50, "descriptors"};
const RtRank rank_sched = {60, "sched.lock"};
const RtRank rank_urgent = {70, "urgent goroutines of one P"};
