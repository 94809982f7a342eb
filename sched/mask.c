// SPDX-License-Identifier: MIT
// A bit per P (row 14), so that a scan skips in O(1). The idle mask is written
// under sched.lock, the timer mask under the lock of that P's timers; both
// are read by anybody.
#include "sched/mask.h"

static uint64_t bit(int32_t id) {
  RT_ASSERT(id >= 0 && id < PROCS_MAX);
  return (uint64_t)1 << (id & 63);
}

// seq: S1, or T1, of the idle protocol (idle.c)
void mask_set(PMask *mask, int32_t id) {
  rt_or(&mask->words[id >> 6], bit(id));
}

// seq: as in mask_set
void mask_clear(PMask *mask, int32_t id) {
  rt_and(&mask->words[id >> 6], ~bit(id));
}

bool mask_read(const PMask *mask, int32_t id) {
  // seq: the idle protocol reads it after dropping `spinning` (idle.c)
  return (rt_load_seq(&mask->words[id >> 6]) & bit(id)) != 0;
}

bool mask_empty(const PMask *mask) {
  for (int i = 0; i < MASK_WORDS; i++) {
    if (rt_load_seq(&mask->words[i]) != 0) return false;  // seq: as above
  }
  return true;
}
