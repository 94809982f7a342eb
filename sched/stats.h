// SPDX-License-Identifier: MIT
// The lines of statistics that the monitor prints (CSPDEBUG=schedtrace).
#ifndef CSP_SCHED_STATS_H
#define CSP_SCHED_STATS_H

#include "sched/internal.h"

// sysmon: prints a trace line when one is due. When the next one is, or
// RT_FOREVER.
int64_t stats_lines(Sched *sched, int64_t now);

#endif
