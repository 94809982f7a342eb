// SPDX-License-Identifier: MIT
// The ranks' numbers. Those of sched/ are in sched/rank.c.
#include "vm/value/ranks.h"

const RtRank rank_value_timer = {15, "a script's timer"};
const RtRank rank_waits = {30, "waits of natives"};
const RtRank rank_heap = {70, "heap"};  // with no other of vm/ held
const RtRank rank_host = {80, "calls of the host"};
const RtRank rank_tasks = {90, "failed tasks"};
const RtRank rank_writing = {100, "output on its way"};
const RtRank rank_output = {110, "output buffer"};
