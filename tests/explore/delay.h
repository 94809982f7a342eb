// SPDX-License-Identifier: MIT
// A thread's delayed stores (total store order, as on x86-64): what it has
// stored, but others do not see yet. Used by explore.c only.
//
// While the thread runs, memory is as it sees it: its stores are in place, and
// the bytes that others see are kept here. Before anybody else looks they are
// hidden (delay_hide), and shown again when the thread goes on (delay_show). So
// its own plain loads see its own stores, whatever their size, and the code
// under test needs to know of nothing.
//
//   empty --delay_add--> shown <--delay_show/delay_hide--> hidden
//   shown: delay_add, delay_end; hidden: delay_pass
#ifndef CSP_TESTS_DELAY_H
#define CSP_TESTS_DELAY_H

#include <stddef.h>
#include <stdint.h>

enum { DELAY_MAX = 16, DELAY_BYTES = 8 };

typedef struct DelayedStore {
  volatile void *at;
  size_t size;
  unsigned char value[DELAY_BYTES];
  unsigned char under[DELAY_BYTES];  // what others see; valid while shown
  int64_t since;                     // virtual time
  const char *place, *name;
} DelayedStore;

typedef struct DelayQueue {  // oldest first
  uint32_t count;
  DelayedStore stores[DELAY_MAX];
} DelayQueue;

// store.value is about to be stored: others will see it later. If there are too
// many the oldest becomes visible.
void delay_add(DelayQueue *queue, DelayedStore store);
void delay_show(DelayQueue *queue);
void delay_hide(DelayQueue *queue);
// The oldest store becomes visible.
DelayedStore delay_pass(DelayQueue *queue);
// All become visible.
static inline void delay_end(DelayQueue *queue) { queue->count = 0; }

#endif
