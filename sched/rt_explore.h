// SPDX-License-Identifier: MIT
// What rt.h becomes under a schedule explorer (RT_EXPLORE): every atomic first
// hands control to it, and it decides which thread goes on. The explorer and
// its versions of rt.c's functions are in tests/explore/; rt.c is not linked.
// Included by rt.h only.
#ifndef CSP_SCHED_RT_EXPLORE_H
#define CSP_SCHED_RT_EXPLORE_H

// `address` is about to be accessed by the calling thread at file:line, in
// function `name`. Returns when it is that thread's turn.
void rt_explore_step(const volatile void *address, const char *place,
                     const char *name);

#define RT_STEP_TEXT(line) #line
#define RT_STEP_PLACE(file, line) file ":" RT_STEP_TEXT(line)
#define RT_STEP(address) \
  rt_explore_step((address), RT_STEP_PLACE(__FILE__, __LINE__), __func__)

// An object of the ordinary build linked into an explored program would go by
// without steps. It needs rt_throw, so it draws in rt.c, and the linker stops
// at what is then defined twice.
#define rt_throw rt_explore_throw

#endif
