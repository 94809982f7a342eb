// SPDX-License-Identifier: MIT
// The functions of sysmon.c that other files call.
#ifndef CSP_SCHED_SYSMON_H
#define CSP_SCHED_SYSMON_H

#include "sched/internal.h"

void sysmon_main(void *sched);
void sysmon_wake(Sched *sched);  // any thread

#endif
