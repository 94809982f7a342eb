// SPDX-License-Identifier: MIT
// What rt.h becomes under a schedule explorer (RT_EXPLORE): every atomic first
// hands control to it, and it decides which thread goes on. Relaxed and release
// stores it may also keep from the other threads for a while, as a processor's
// store buffer does. The explorer and its versions of rt.c's functions are in
// tests/explore/; rt.c is not linked. Included by rt.h only.
#ifndef CSP_SCHED_RT_EXPLORE_H
#define CSP_SCHED_RT_EXPLORE_H

#include <stddef.h>

// `address` is about to be accessed by the calling thread at file:line, in
// function `name`. Returns when it is that thread's turn.
void rt_explore_step(const volatile void *address, const char *place,
                     const char *name);
// The same; then all that the thread has stored is visible (read-modify-writes,
// sequentially consistent stores, system calls).
void rt_explore_step_full(const volatile void *address, const char *place,
                          const char *name);
// A step; then *value is about to be stored at `address`.
void rt_explore_step_store(volatile void *address, const void *value,
                           size_t size, const char *place, const char *name);

#define RT_STEP_TEXT(line) #line
#define RT_STEP_PLACE(file, line) file ":" RT_STEP_TEXT(line)
#define RT_STEP(address) \
  rt_explore_step((address), RT_STEP_PLACE(__FILE__, __LINE__), __func__)
#define RT_STEP_FULL(address) \
  rt_explore_step_full((address), RT_STEP_PLACE(__FILE__, __LINE__), __func__)
#define RT_STORE(p, v, order)                                                  \
  __extension__({                                                              \
    __auto_type rt_store_at = (p);                                             \
    __typeof__(*rt_store_at) rt_store_value = (v);                             \
    rt_explore_step_store(rt_store_at, &rt_store_value, sizeof rt_store_value, \
                          RT_STEP_PLACE(__FILE__, __LINE__), __func__);        \
    __atomic_store_n(rt_store_at, rt_store_value, (order));                    \
  })

// An object of the ordinary build linked into an explored program would go by
// without steps. It needs rt_throw, so it draws in rt.c, and the linker stops
// at what is then defined twice.
#define rt_throw rt_explore_throw

#endif
