// SPDX-License-Identifier: MIT
// G: names of its states and of what it waits for, and the end of the program
// when a state is not what it must be. The states' diagram is in README.md.
#include "sched/g.h"

static const char *const state_names[] = {
#define X(name, text) text,
    G_STATES(X)
#undef X
};

static const char *const wait_names[] = {
#define X(name, text) text,
    WAIT_REASONS(X)
#undef X
};

const char *g_state_name(GState state) {
  size_t count = sizeof state_names / sizeof state_names[0];
  return (size_t)state < count ? state_names[state] : "bad state";
}

const char *g_wait_name(WaitReason reason) {
  size_t count = sizeof wait_names / sizeof wait_names[0];
  return (size_t)reason < count ? wait_names[reason] : "waiting";
}

_Noreturn void g_bad_state(const G *g, GState from, GState to) {
  rt_throw(
      "goroutine %llu: state is \"%s\", but to become \"%s\" it must be "
      "\"%s\"",
      (unsigned long long)g->id, g_state_name(g_state(g)), g_state_name(to),
      g_state_name(from));
}
