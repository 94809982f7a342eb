// SPDX-License-Identifier: MIT
// Which thread goes on: at random, by priorities (PCT), or exhaustively. Used
// by explore.c only.
#ifndef CSP_TESTS_STRATEGY_H
#define CSP_TESTS_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What can be picked: a thread, or, as STRATEGY_THREADS + thread, that its
// oldest delayed store becomes visible.
enum {
  STRATEGY_THREADS = 32,
  STRATEGY_PICKS = 2 * STRATEGY_THREADS,
  PCT_DEPTH_MAX = 5,
};

typedef enum StrategyKind {
  STRATEGY_RANDOM,      // each step anyone, with a random inertia per run
  STRATEGY_PCT,         // Burckhardt et al., ASPLOS 2010
  STRATEGY_EXHAUSTIVE,  // depth first, preemptions bounded
} StrategyKind;

// One decision of an exhaustive search: the alternative taken, of how many, and
// how many preemptions there were before it. `costs`: whether another
// alternative than 0 is one.
typedef struct Decision {
  uint32_t taken, count, preemptions;
  bool costs;
} Decision;

typedef struct Strategy {
  StrategyKind kind;
  uint64_t seed;    // of this run
  uint32_t length;  // decisions that a run is thought to have (PCT)
  // --- this run ---
  uint64_t random;
  uint32_t decisions;
  uint32_t inertia;
  bool after;   // steps also after what publishes (explore_published)
  bool delays;  // stores may be delayed. Given for an exhaustive search
  int64_t priority[STRATEGY_PICKS];
  int64_t lowest;
  uint32_t change[PCT_DEPTH_MAX];
  uint32_t depth;
  // --- exhaustive; from run to run ---
  Decision *trail;
  uint32_t trail_count, trail_room, fixed;  // the first `fixed` are given
  uint32_t preemptions, bound;
} Strategy;

void strategy_begin(Strategy *strategy);  // a run
uint64_t strategy_random(Strategy *strategy);
// true: the running thread goes on, whoever else could (random only, as it
// saves finding out).
bool strategy_stays(Strategy *strategy);
// Why another thread may go on.
typedef enum Turn {
  TURN_GOES_ON,  // the running thread could go on: any other is a preemption
  TURN_IS_OVER,  // it sleeps or gives way: no choice is a preemption
  TURN_TOO_LONG  // it has to give way: any but the next in turn is one, as
                 // otherwise one choice after the other could starve that
} Turn;
// What goes on, of picks[0..count), count > 1. The first is what goes on if
// nothing speaks against it.
int strategy_pick(Strategy *strategy, const int *picks, int count, Turn turn);
void strategy_new_thread(Strategy *strategy, int thread);
void strategy_demote(Strategy *strategy, int thread);  // it gives way
uint32_t strategy_choose(Strategy *strategy, uint32_t count);
uint32_t strategy_rarely(Strategy *strategy, uint32_t one_in, uint32_t count);
// The next run of an exhaustive search. false: that was all within the bound.
bool strategy_next(Strategy *strategy);

// How to have the same run again: "r:SEED", "p:SEED:LENGTH", "d:DECISIONS", or
// "t:DECISIONS" with delayed stores.
void strategy_print(const Strategy *strategy, char *text, size_t room);
bool strategy_parse(Strategy *strategy, const char *text);

#endif
