// SPDX-License-Identifier: MIT
// In which order a thief visits the Ps (row 12): from a random start with a
// random stride that is coprime with their number, so that each comes once and
// thieves do not run after one another. The table changes with procs only.
#include "internal.h"

static uint32_t gcd(uint32_t a, uint32_t b) {
  while (b != 0) {
    uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

void order_reset(StealOrder *order, uint32_t count) {
  RT_CHECK(count >= 1 && count <= PROCS_MAX, "steal order: of %u", count);
  order->count = count;
  order->coprime_count = 0;
  for (uint32_t i = 1; i <= count; i++) {
    if (gcd(i, count) == 1) {
      order->coprimes[order->coprime_count++] = (uint16_t)i;
    }
  }
}

OrderWalk order_start(const StealOrder *order, uint64_t random) {
  uint32_t low = (uint32_t)random, high = (uint32_t)(random >> 32);
  return (OrderWalk){
      .left = order->count,
      .count = order->count,
      .at = low % order->count,
      .stride = order->coprimes[high % order->coprime_count],
  };
}
