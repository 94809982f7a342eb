// SPDX-License-Identifier: MIT
// Steps after what publishes. rt.h has one before each atomic; what a thread
// does with plain memory after a store is then glued to that store, and a
// parker that still looks at what it has given away would go by unseen. From
// here on a store, a read-modify-write and an unlock also call
// explore_published. After rt.h, before the sources of sched/.
#ifndef CSP_TESTS_PUBLISHED_H
#define CSP_TESTS_PUBLISHED_H

#include "explore.h"
#include "sched/rt.h"

#define PUBLISHED() \
  explore_published(RT_STEP_PLACE(__FILE__, __LINE__), __func__)
#define PUBLISHED_VALUE(value)             \
  __extension__({                          \
    __auto_type published_value = (value); \
    PUBLISHED();                           \
    published_value;                       \
  })

#define published_store_seq(p, v) \
  (RT_STEP_FULL(p), __atomic_store_n((p), (v), __ATOMIC_SEQ_CST), PUBLISHED())
#define published_cas(p, expected, v)                                \
  PUBLISHED_VALUE((RT_STEP_FULL(p), __atomic_compare_exchange_n(     \
                                        (p), (expected), (v), false, \
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)))

#undef rt_store_release
#define rt_store_release(p, v) (RT_STORE(p, v, __ATOMIC_RELEASE), PUBLISHED())
#undef rt_store_seq
#define rt_store_seq(p, v) published_store_seq(p, v)
#undef rt_exchange
#define rt_exchange(p, v) \
  PUBLISHED_VALUE(        \
      (RT_STEP_FULL(p), __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)))
#undef rt_add
#define rt_add(p, v) \
  PUBLISHED_VALUE(   \
      (RT_STEP_FULL(p), __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST)))
#undef rt_sub
#define rt_sub(p, v) \
  PUBLISHED_VALUE(   \
      (RT_STEP_FULL(p), __atomic_fetch_sub((p), (v), __ATOMIC_SEQ_CST)))
#undef rt_cas
#define rt_cas(p, expected, v) published_cas(p, expected, v)

// Functions of rt.h, which were read with the plain forms.
#define rt_unlock(lock) (rt_unlock(lock), PUBLISHED())
#define rt_spin_unlock(word) (rt_spin_unlock(word), PUBLISHED())

#endif
