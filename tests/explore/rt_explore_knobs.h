// SPDX-License-Identifier: MIT
// What a scenario may set of the explorer's version of rt.c.
#ifndef CSP_TESTS_RT_EXPLORE_KNOBS_H
#define CSP_TESTS_RT_EXPLORE_KNOBS_H

#include <stdbool.h>

// rt_thread_start asks `allow` and fails (EAGAIN) when it says no. NULL: always
// allowed. Stays until changed.
void rt_explore_may_start(bool (*allow)(void (*run)(void *arg)));

// Whether rt_now leaps now and then. It does, unless a scenario has a bound in
// time.
void rt_explore_leaps(bool leaps);

// Something happens to an invented descriptor, 0..7.
void rt_explore_event(int fd, bool readable, bool writable);
bool rt_explore_watched(int fd);  // it was added, and not removed since
// Blocks as poll(2) of rt_poll_descriptor's would.
void rt_explore_watch(void);

#endif
