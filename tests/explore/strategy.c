// SPDX-License-Identifier: MIT
// The strategies. A run is determined by its seed (random, PCT) or by its list
// of decisions (exhaustive), and by nothing else.
#include "strategy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INERTIA_MAX = 6, DELAYS_ONE_IN = 3 };

static const uint32_t STRATEGY_FRESH = 1u << 20;  // priority of a new thread

uint64_t strategy_random(Strategy *strategy) {
  // splitmix64
  uint64_t x = (strategy->random += 0x9E3779B97F4A7C15u);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

static uint32_t strategy_below(Strategy *strategy, uint32_t limit) {
  return (uint32_t)(strategy_random(strategy) % limit);
}

void strategy_begin(Strategy *strategy) {
  strategy->random = strategy->seed;
  strategy->decisions = 0;
  strategy->preemptions = 0;
  strategy->lowest = 0;
  strategy->inertia = strategy_below(strategy, INERTIA_MAX);
  strategy->depth = strategy_below(strategy, PCT_DEPTH_MAX);
  bool random = strategy->kind != STRATEGY_EXHAUSTIVE;
  strategy->after = random && strategy_below(strategy, 2) != 0;
  if (random) strategy->delays = strategy_below(strategy, DELAYS_ONE_IN) == 0;
  uint32_t length = strategy->length < 1 ? 1 : strategy->length;
  for (uint32_t i = 0; i < strategy->depth; i++) {
    strategy->change[i] = strategy_below(strategy, length);
  }
  if (strategy->kind == STRATEGY_EXHAUSTIVE) strategy->trail_count = 0;
}

// --- Exhaustive -------------------------------------------------------------
static uint32_t strategy_decide(Strategy *strategy, uint32_t count,
                                bool costs) {
  uint32_t at = strategy->trail_count++;
  if (at == strategy->trail_room) {
    strategy->trail_room = at < 64 ? 64 : 2 * at;
    size_t size = strategy->trail_room * sizeof *strategy->trail;
    strategy->trail = realloc(strategy->trail, size);
    if (strategy->trail == NULL) abort();
  }
  Decision *decision = &strategy->trail[at];
  uint32_t taken = at < strategy->fixed ? decision->taken : 0;
  if (taken >= count) taken = 0;  // only with decisions of another program
  *decision = (Decision){taken, count, strategy->preemptions, costs};
  if (costs && taken != 0) strategy->preemptions++;
  return taken;
}

bool strategy_next(Strategy *strategy) {
  for (uint32_t i = strategy->trail_count; i > 0; i--) {
    Decision *decision = &strategy->trail[i - 1];
    if (decision->taken + 1 >= decision->count) continue;
    uint32_t cost = decision->preemptions + (decision->costs ? 1u : 0u);
    if (cost > strategy->bound) continue;
    decision->taken++;
    strategy->fixed = i;
    return true;
  }
  return false;
}

// --- Decisions --------------------------------------------------------------
static int pct_pick(Strategy *strategy, const int *picks, int count,
                    Turn turn) {
  bool changes = turn == TURN_GOES_ON;
  for (uint32_t i = 0; i < strategy->depth && changes; i++) {
    if (strategy->change[i] != strategy->decisions) continue;
    strategy->priority[picks[0]] = i + 1;
  }
  int best = picks[0];
  for (int i = 1; i < count; i++) {
    if (strategy->priority[picks[i]] > strategy->priority[best]) {
      best = picks[i];
    }
  }
  return best;
}

bool strategy_stays(Strategy *strategy) {
  if (strategy->kind != STRATEGY_RANDOM) return false;
  uint64_t random = strategy_random(strategy) >> (64 - INERTIA_MAX);
  return (random & ((1u << strategy->inertia) - 1)) != 0;
}

int strategy_pick(Strategy *strategy, const int *picks, int count, Turn turn) {
  strategy->decisions++;
  switch (strategy->kind) {
    case STRATEGY_PCT:
      return pct_pick(strategy, picks, count, turn);
    case STRATEGY_EXHAUSTIVE:
      return picks[strategy_decide(strategy, (uint32_t)count,
                                   turn != TURN_IS_OVER)];
    case STRATEGY_RANDOM:
      break;
  }
  return picks[strategy_below(strategy, (uint32_t)count)];
}

void strategy_new_thread(Strategy *strategy, int thread) {
  for (int pick = thread; pick < STRATEGY_PICKS; pick += STRATEGY_THREADS) {
    strategy->priority[pick] =
        STRATEGY_FRESH + strategy_below(strategy, STRATEGY_FRESH);
  }
}

void strategy_demote(Strategy *strategy, int thread) {
  strategy->priority[thread] = --strategy->lowest;
}

uint32_t strategy_choose(Strategy *strategy, uint32_t count) {
  if (strategy->kind == STRATEGY_EXHAUSTIVE) {
    return strategy_decide(strategy, count, false);
  }
  return strategy_below(strategy, count);
}

uint32_t strategy_rarely(Strategy *strategy, uint32_t one_in, uint32_t count) {
  if (strategy->kind == STRATEGY_EXHAUSTIVE) return 0;
  if (strategy_below(strategy, one_in) != 0) return 0;
  return strategy_below(strategy, count);
}

// --- The run as text --------------------------------------------------------
static void print_decisions(const Strategy *strategy, char *text, size_t room) {
  uint32_t count = strategy->trail_count;
  while (count > 0 && strategy->trail[count - 1].taken == 0) count--;
  size_t used = (size_t)snprintf(text, room, strategy->delays ? "t:" : "d:");
  for (uint32_t i = 0, end; i < count && used < room; i = end) {
    uint32_t taken = strategy->trail[i].taken;
    for (end = i; end < count && strategy->trail[end].taken == taken;) end++;
    used += (size_t)snprintf(text + used, room - used, "%s%ux%u",
                             i == 0 ? "" : ",", end - i, taken);
  }
}

void strategy_print(const Strategy *strategy, char *text, size_t room) {
  unsigned long long seed = strategy->seed;
  switch (strategy->kind) {
    case STRATEGY_RANDOM:
      snprintf(text, room, "r:%llu", seed);
      break;
    case STRATEGY_PCT:
      snprintf(text, room, "p:%llu:%u", seed, strategy->length);
      break;
    case STRATEGY_EXHAUSTIVE:
      print_decisions(strategy, text, room);
      break;
  }
}

static bool parse_decisions(Strategy *strategy, const char *text) {
  strategy->kind = STRATEGY_EXHAUSTIVE;
  while (*text != '\0') {
    unsigned repeat, taken;
    int length;
    if (sscanf(text, "%ux%u%n", &repeat, &taken, &length) != 2) return false;
    for (unsigned i = 0; i < repeat; i++) {
      uint32_t at = strategy->trail_count;
      strategy_decide(strategy, taken + 1, false);
      strategy->trail[at].taken = taken;
    }
    text += length;
    if (*text == ',') text++;
  }
  strategy->fixed = strategy->trail_count;
  return true;
}

bool strategy_parse(Strategy *strategy, const char *text) {
  unsigned long long seed = 0;
  unsigned length = 0;
  strategy->delays = strncmp(text, "t:", 2) == 0;
  if (strategy->delays || strncmp(text, "d:", 2) == 0) {
    return parse_decisions(strategy, text + 2);
  }
  if (sscanf(text, "p:%llu:%u", &seed, &length) == 2) {
    strategy->kind = STRATEGY_PCT;
  } else if (sscanf(text, "r:%llu", &seed) == 1) {
    strategy->kind = STRATEGY_RANDOM;
  } else {
    return false;
  }
  strategy->seed = seed;
  strategy->length = length;
  return true;
}
