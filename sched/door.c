// SPDX-License-Identifier: MIT
// The door of a runtime. Threads that are not the runtime's come in by it, so
// that nobody frees the runtime while they are inside. Such a thread may itself
// end the run. The host may then free the runtime while the thread is still on
// its way out of sched_post or sched_unpin.
//
// A door is memory of its own, which lives as long as anybody keeps it. The
// runtime keeps it until it is freed, others as long as they may come. `state`
// is the number of threads inside, and DOOR_CLOSED.
//
//   in:     e1 state += 1 by CAS, unless DOOR_CLOSED    e2 uses the runtime
//           e3 state -= 1                                e4 wakes, if the last
//   closes: c1 state |= DOOR_CLOSED   c2 waits for DOOR_CLOSED alone
//           c3 frees the runtime
//
// All changes of `state` are read-modify-writes of one word. So either e1 comes
// before c1, and c2 waits for its e3, or e1 comes after c1 and fails. c2's
// acquire load pairs with the e3 it sees, and with those before it (one release
// sequence), so all that was done inside has happened before c3. A wake-up is
// not lost, because the futex compares the word, and each e3 changes it. The e3
// that makes it DOOR_CLOSED alone sees that it is the last. After e3 the thread
// touches nothing. e4 only hands the kernel an address, and the memory there
// may be gone.
//
// Coming in and going out take no lock, so signal handlers may. One that runs
// on the thread that waits in c2 finds the door closed.
#include "sched/internal.h"

#define DOOR_CLOSED ((uint32_t)1 << 31)

Door *door_new(const Memory *memory, void *host) {
  Door *door = mem_zeroed(memory, sizeof *door);
  if (door == NULL) return NULL;
  door->memory = *memory;
  mem_adopt(door, &door->memory);
  door->host = host;
  door->keepers = 1;
  return door;
}

// RMW: a count, as in door_drop. The thread that calls it keeps the door
// already
void door_keep(Door *door) { rt_add(&door->keepers, 1u); }

void door_drop(Door *door) {
  // release: what this thread did. acquire: what the others did. Pairs with
  // itself
  if (rt_sub(&door->keepers, 1u) == 1) mem_free(door);
}

bool door_enter(Door *door) {
  // relaxed: the CAS below decides
  uint32_t seen = rt_load_relaxed(&door->state);
  do {
    if (seen & DOOR_CLOSED) return false;
    // RMW: e1, before or after c1 (see the head)
  } while (!rt_cas(&door->state, &seen, seen + 1));
  return true;
}

void door_leave(Door *door) {
  uint32_t *state = &door->state;
  // release: e3. Pairs with door_close (c2). Then the door may be gone
  uint32_t before = rt_sub(state, 1u);
  if (before == DOOR_CLOSED + 1) rt_futex_wake(state, 1);  // e4
}

void door_close(Door *door) {
  // RMW: c1, before or after each e1
  uint32_t inside = rt_or(&door->state, DOOR_CLOSED) | DOOR_CLOSED;  // c1
  while (inside != DOOR_CLOSED) {
    rt_futex_wait(&door->state, inside, RT_FOREVER);  // c2
    // acquire: c2. Pairs with door_leave (e3), of all that were inside
    inside = rt_load_acquire(&door->state);
  }
}
