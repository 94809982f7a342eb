// SPDX-License-Identifier: MIT
// Which CPUs share a cache or a memory node, as sysfs tells it. Any thread may
// call these. They read files, so nothing that happens often calls them.
#ifndef CSP_SCHED_TOPOLOGY_H
#define CSP_SCHED_TOPOLOGY_H

#include "sched/sched.h"

// NULL: no memory.
SchedTopology *topology_of_system(const Memory *memory);
// "0-3,8-11": those below `cpus`. false: garbage.
bool topology_parse_list(const char *text, uint64_t *set, uint32_t cpus);

#endif
