// SPDX-License-Identifier: MIT
// All of sched/ as a part of the program that includes this, after its own
// version of rt.h and of rt_throw.
//
// A new file of sched/ must be added below (lint compares): one that is not
// comes from the library, without this program's rt_throw. A test that changes
// a source includes that itself.
#ifndef CSP_TESTS_SCHED_SOURCES_H
#define CSP_TESTS_SCHED_SOURCES_H

#include "sched/memory.c"

#include "sched/alone.c"
#include "sched/callback.c"
#include "sched/cancel.c"
#include "sched/chan.c"
#include "sched/chan_grow.c"
#include "sched/cpu_count.c"
#include "sched/crowd.c"
#include "sched/door.c"
#include "sched/find_work.c"
#include "sched/g.c"
#include "sched/gate.c"
#include "sched/global.c"
#include "sched/group.c"
#include "sched/idle.c"
#include "sched/inbox.c"
#include "sched/mask.c"
#include "sched/poll.c"
#include "sched/poll_turn.c"
#include "sched/rank.c"
#include "sched/resize.c"
#include "sched/rt.c"
#include "sched/rt_poll.c"
#include "sched/runq.c"
#include "sched/safepoint.c"
#include "sched/select.c"
#include "sched/stats.c"
#include "sched/steal_order.c"
#include "sched/stepped.c"
#include "sched/stop_world.c"
#include "sched/syscall.c"
#include "sched/sysmon.c"
#include "sched/timer.c"
#include "sched/topology.c"
#include "sched/trace.c"
#include "sched/urgent.c"
#include "sched/workspan.c"

#endif
