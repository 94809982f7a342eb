// SPDX-License-Identifier: MIT
// Which CPUs this process may use, and how many. Any thread may call these.
#ifndef CSP_SCHED_CPU_COUNT_H
#define CSP_SCHED_CPU_COUNT_H

#include "sched/sched.h"

// The affinity mask, of *cpus bits (mem_free it). NULL if it cannot be had.
uint64_t *cpu_count_affinity(const Memory *memory, uint32_t *cpus);
int cpu_count_in_affinity(void);  // CPUs in the caller's, at least 1

#endif
