// SPDX-License-Identifier: MIT
// The queue of one thread's delayed stores; delay.h tells what is where when.
#include "delay.h"

#include <string.h>

// Volatile: these are other objects' bytes, of whatever type.
static void delay_copy_out(unsigned char *to, const volatile void *from,
                           size_t size) {
  const volatile unsigned char *bytes = from;
  for (size_t i = 0; i < size; i++) to[i] = bytes[i];
}

static void delay_copy_in(volatile void *to, const unsigned char *from,
                          size_t size) {
  volatile unsigned char *bytes = to;
  for (size_t i = 0; i < size; i++) bytes[i] = from[i];
}

static void delay_drop(DelayQueue *queue, uint32_t count) {
  queue->count -= count;
  memmove(&queue->stores[0], &queue->stores[count],
          queue->count * sizeof queue->stores[0]);
}

void delay_add(DelayQueue *queue, DelayedStore store) {
  // Shown: it stays in memory, and what lies over it has its bytes as `under`.
  if (queue->count == DELAY_MAX) delay_drop(queue, 1);
  delay_copy_out(store.under, store.at, store.size);
  queue->stores[queue->count++] = store;
}

void delay_show(DelayQueue *queue) {
  for (uint32_t i = 0; i < queue->count; i++) {
    DelayedStore *store = &queue->stores[i];
    delay_copy_out(store->under, store->at, store->size);
    delay_copy_in(store->at, store->value, store->size);
  }
}

void delay_hide(DelayQueue *queue) {
  for (uint32_t i = queue->count; i > 0; i--) {
    DelayedStore *store = &queue->stores[i - 1];
    unsigned char now[DELAY_BYTES];
    delay_copy_out(now, store->at, store->size);
    if (memcmp(now, store->value, store->size) != 0) {
      // A plain store of the thread came over it. That one is in memory, so
      // this one and all before it have been visible too.
      delay_drop(queue, i);
      return;
    }
    delay_copy_in(store->at, store->under, store->size);
  }
}

DelayedStore delay_pass(DelayQueue *queue) {
  DelayedStore store = queue->stores[0];
  delay_copy_in(store.at, store.value, store.size);
  delay_drop(queue, 1);
  return store;
}
