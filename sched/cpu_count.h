// SPDX-License-Identifier: MIT
// The functions of cpu_count.c that other files call.
#ifndef CSP_SCHED_CPU_COUNT_H
#define CSP_SCHED_CPU_COUNT_H

#include "sched/sched.h"

// The affinity mask, of *cpus bits (mem_free it). NULL if it cannot be had.
uint64_t *cpu_count_affinity(const Memory *memory, uint32_t *cpus);
int cpu_count_in_affinity(void);  // CPUs in the caller's, at least 1

#endif
