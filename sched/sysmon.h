// SPDX-License-Identifier: MIT
// The monitor. It is a thread without a P, for what no P sees in time, such as
// a slice that is over.
#ifndef CSP_SCHED_SYSMON_H
#define CSP_SCHED_SYSMON_H

#include "sched/internal.h"

void sysmon_main(void *sched);
void sysmon_wake(Sched *sched);  // any thread

#endif
