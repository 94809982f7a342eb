// SPDX-License-Identifier: MIT
// The order in which thieves look at other Ps: see steal_order.c.
#ifndef CSP_SCHED_STEAL_ORDER_H
#define CSP_SCHED_STEAL_ORDER_H

#include "sched/internal.h"

typedef struct OrderWalk {
  uint32_t left, count, at, stride;
  const uint16_t *ids;  // of a ring; NULL for all Ps
} OrderWalk;

// Row 17, where there are several domains of CPUs; see steal_order.c.
enum { RING_DOMAIN, RING_NODE, RING_REST, RINGS };

typedef struct Rings {  // the other Ps as one P sees them; its owner's
  uint32_t version;     // of the places they were made from
  uint16_t end[RINGS];  // in ids
  uint16_t ids[PROCS_MAX];
} Rings;

struct Locality {
  const SchedTopology *topology;  // immutable
  uint32_t version;               // atomic: counts changes of what follows
  uint32_t places[PROCS_MAX];     // atomic: where a P was last, by its owner
  Rings *rings[PROCS_MAX];        // made and used by the owner of that P
};

// procs changed. Before start, or world stopped.
void steal_order_of_procs(Sched *sched);
// Reads the topology, unless that was done or there is one P. By the M that was
// started second, with its P, so that nobody stops the world meanwhile. Or by
// the M that has stopped it, or before start.
void steal_order_open(Sched *sched);
void steal_order_free(Sched *sched);
// Any thread. NULL: the plain order.
static inline Locality *steal_order_locality(const Sched *sched) {
  // acquire: pairs with steal_order_open
  return rt_load_acquire(&sched->steal.locality);
}
void steal_order_reset(StealOrder *order, uint32_t count);
OrderWalk steal_order_start(const StealOrder *order, uint64_t random);
static inline bool steal_order_next(OrderWalk *walk, uint32_t *position) {
  if (walk->left == 0) return false;
  walk->left--;
  *position = walk->ids == NULL ? walk->at : walk->ids[walk->at];
  walk->at += walk->stride;
  if (walk->at >= walk->count) walk->at -= walk->count;
  return true;
}
// Only with a locality. Owner P.
void steal_order_note_place(P *p);
int steal_order_ring_of(P *p, int other);  // of another P, as p sees it: RING_*
const Rings *steal_order_rings(P *p);  // NULL: no memory, then the plain order
OrderWalk steal_order_start_ring(const Rings *rings, int ring, uint64_t random);

#endif
