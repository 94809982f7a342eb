// SPDX-License-Identifier: MIT
// In which order a thief visits the Ps (rows 12, 17).
//
// With one domain of CPUs (topology.c) a thief begins at a random P and goes on
// with a random stride. The stride is coprime with the number of Ps, so that
// each P comes once and thieves do not run after one another. The table changes
// with procs only.
//
// With several domains a round begins with the Ps of the thief's own domain,
// whose queues and goroutines are in the cache that both share. Then come those
// of its node, then the rest. Each of these rings is visited in such a random
// order. The rounds stay as they are, so work that is far waits for one look at
// the near Ps.
//
// A P is not a CPU, because an M runs wherever the kernel puts it. So a P's
// place is where its M was seen last. The M notes it whenever it looks for a G,
// which is before each search and at least once a slice. (sched_getcpu takes 3
// ns, as it reads a word that the kernel keeps for the thread.) The kernel
// leaves threads where they were, or puts them near the thread that woke them.
// So notes seldom change, and they follow it through hotplug, quotas and
// changed masks. A CPU that was not in the mask at the start is nowhere. Ps
// that are nowhere count as one domain, so that at worst the order is the plain
// one, which is Go's and Tokio's.
//
// Rejected: to give each P a domain and bind the M that takes it.
// sched_setaffinity takes 1.3 us, and 29 us with a migration. Ms would wait for
// a CPU of their domain while others are free, whenever there are more Ps than
// CPUs, a quota, or other programs. (So Erlang binds only when asked to.) Child
// processes inherit the mask, and it overrides one that is changed from
// outside.
//
// The second M reads the files once, as it starts (60 us here). The first does
// not wait for it, and with one P nobody reads them.
//
// A note is a hint. Wrong ones cost time only, because all Ps are in some ring.
// A P's rings belong to its owner, which makes them anew when version says that
// a P has moved. A P that moves meanwhile is still in exactly one of them.
//
// Waking has no such order, because an idle P holds no work, and the CPU is
// that of the M. A search of the pool for an M that was near would read a cold
// line for each, under sched.lock.
#include "sched/steal_order.h"

#include <string.h>

#include "sched/topology.h"

static uint32_t gcd(uint32_t a, uint32_t b) {
  while (b != 0) {
    uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// --- One domain -------------------------------------------------------------
void steal_order_reset(StealOrder *order, uint32_t count) {
  RT_CHECK(count >= 1 && count <= PROCS_MAX, "steal order: of %u", count);
  order->count = count;
  order->coprime_count = 0;
  for (uint32_t i = 1; i <= count; i++) {
    if (gcd(i, count) == 1) {
      order->coprimes[order->coprime_count++] = (uint16_t)i;
    }
  }
}

OrderWalk steal_order_start(const StealOrder *order, uint64_t random) {
  uint32_t low = (uint32_t)random, high = (uint32_t)(random >> 32);
  RT_ASSERT(order->count > 0 && order->coprime_count > 0);
  return (OrderWalk){
      .left = order->count,
      .count = order->count,
      .at = low % order->count,
      .stride = order->coprimes[high % order->coprime_count],
  };
}

// --- Several: places --------------------------------------------------------
void steal_order_note_place(P *p) {
  Locality *locality = p->sched->steal.locality;
  const SchedTopology *topology = locality->topology;
  int cpu = topology->here != NULL ? topology->here() : rt_cpu();
  bool known = cpu >= 0 && (uint32_t)cpu < topology->cpus;
  uint32_t place = known ? topology->places[cpu] : SCHED_NO_PLACE;
  // relaxed: only the owner writes it
  if (rt_load_relaxed(&locality->places[p->id]) == place) return;
  // relaxed: the rt_add below publishes it
  rt_store_relaxed(&locality->places[p->id], place);
  // release: pairs with acquire in steal_order_rings
  rt_add(&locality->version, 1u);
}

static int ring_of(uint32_t mine, uint32_t other) {
  if (other == mine) return RING_DOMAIN;
  return (other & SCHED_NODE_MASK) == (mine & SCHED_NODE_MASK) ? RING_NODE
                                                               : RING_REST;
}

int steal_order_ring_of(P *p, int other) {
  const Locality *locality = p->sched->steal.locality;
  // relaxed, both: our own, and a hint
  return ring_of(rt_load_relaxed(&locality->places[p->id]),
                 rt_load_relaxed(&locality->places[other]));
}

// --- Several: rings ---------------------------------------------------------
// Each place is read once, because otherwise a P that moves could come twice,
// or never.
static void make_rings(Rings *rings, P *p) {
  Locality *locality = p->sched->steal.locality;
  int procs = procs_now(p->sched);
  uint8_t ring[PROCS_MAX];
  uint32_t counts[RINGS] = {0}, next[RINGS] = {0};
  // relaxed: our own
  uint32_t mine = rt_load_relaxed(&locality->places[p->id]);
  for (int i = 0; i < procs; i++) {
    // relaxed: a hint, and after the acquire in steal_order_rings
    ring[i] = (uint8_t)ring_of(mine, rt_load_relaxed(&locality->places[i]));
    counts[ring[i]] += i != p->id;
  }
  uint32_t end = 0;
  for (int k = 0; k < RINGS; k++) {
    next[k] = end;
    rings->end[k] = (uint16_t)(end += counts[k]);
  }
  for (int i = 0; i < procs; i++) {
    if (i != p->id) rings->ids[next[ring[i]]++] = (uint16_t)i;
  }
  RT_ASSERT(end == (uint32_t)procs - 1);
}

const Rings *steal_order_rings(P *p) {
  Locality *locality = p->sched->steal.locality;
  Rings *rings = locality->rings[p->id];
  if (rings == NULL) {
    rings = locality->rings[p->id] =
        mem_zeroed(p->sched->memory, sizeof *rings);
    if (rings == NULL) return NULL;
  }
  // acquire: pairs with the rt_add in steal_order_note_place
  uint32_t version = rt_load_acquire(&locality->version);
  if (rings->version != version) {
    make_rings(rings, p);
    rings->version = version;
  }
  return rings;
}

// Primes above PROCS_MAX: coprime with the size of any ring, and so is what is
// left modulo that size.
static const uint16_t primes[] = {
    1103,  3109,  5107,  7109,  9127,  11117, 13121, 15121, 17137, 19139, 21139,
    23143, 25147, 27143, 29147, 31147, 33149, 35153, 37159, 39157, 41161, 43177,
    45179, 47189, 49177, 51193, 53189, 55201, 57191, 59197, 61211, 63197,
};

OrderWalk steal_order_start_ring(const Rings *rings, int ring,
                                 uint64_t random) {
  uint32_t first = ring == 0 ? 0 : rings->end[ring - 1];
  uint32_t count = rings->end[ring] - first;
  if (count == 0) return (OrderWalk){0};
  uint32_t low = (uint32_t)random, high = (uint32_t)(random >> 32);
  return (OrderWalk){
      .left = count,
      .count = count,
      .at = low % count,
      .stride = primes[high % (sizeof primes / sizeof primes[0])] % count,
      .ids = rings->ids + first,
  };
}

// --- On and off -------------------------------------------------------------
void steal_order_open(Sched *sched) {
  if (sched->steal.locality != NULL || procs_now(sched) == 1) return;
  if (sched->steal.topology == NULL)
    sched->steal.topology = sched->steal.own_topology =
        topology_of_system(sched->memory);
  // no memory for it: the plain order
  if (sched->steal.topology == NULL || sched->steal.topology->domains < 2)
    return;
  Locality *locality = mem_zeroed(sched->memory, sizeof *locality);
  if (locality == NULL) return;
  locality->topology = sched->steal.topology;
  // New rings are of version 0.
  locality->version = 1;
  memset(locality->places, 0xFF, sizeof locality->places);  // SCHED_NO_PLACE
  // release: pairs with steal_order_locality
  rt_store_release(&sched->steal.locality, locality);
}

void steal_order_of_procs(Sched *sched) {
  steal_order_reset(&sched->steal.order, (uint32_t)procs_now(sched));
  // RMW: a version. The world is stopped
  if (sched->steal.locality != NULL)
    rt_add(&sched->steal.locality->version, 1u);
}

void steal_order_free(Sched *sched) {
  Locality *locality = sched->steal.locality;
  for (int i = 0; locality != NULL && i < PROCS_MAX; i++)
    mem_free(locality->rings[i]);
  mem_free(locality);
  mem_free(sched->steal.own_topology);
}
