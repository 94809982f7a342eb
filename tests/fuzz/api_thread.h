// SPDX-License-Identifier: MIT
// What another thread of a host does with a runtime meanwhile, through a door:
// deeds that the input gives. It goes on, and may, when the runtime is freed.
#ifndef CSP_FUZZ_API_THREAD_H
#define CSP_FUZZ_API_THREAD_H

#include <sched.h>
#include <time.h>

#include "tests/fuzz/api_host.h"

static CspStatus posted(CspCall *call, void *data) {
  CspValue v = csp_list(call, 3);
  free(data);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  keep_at(current, call, v, csp_random(call) % SLOTS);
  return csp_ok(call, v);
}

// What is done by csp_do leaves its data to the caller.
static CspStatus done_now(CspCall *call, void *data) {
  ++*(int *)data;
  return *(int *)data % 2 ? csp_yield(call) : csp_panic(call, "not twice");
}

static void post_one(Csp *csp) {
  void *data = malloc(1);
  if (!csp_post(csp, posted, data, free)) free(data);
}

static void do_one(Csp *csp) {
  int count = 0;
  char *message = NULL;
  csp_do(csp, done_now, &count, &message);
  free(message);
}

static void release_one(Host *h, Csp *csp, int at) {
  pthread_mutex_lock(&h->lock);
  CspHandle handle = h->slots[at];
  h->slots[at] = 0;
  if (handle) csp_release(csp, handle);
  pthread_mutex_unlock(&h->lock);
}

static void keep_while(Csp *csp) {
  csp_keep(csp);
  sched_yield();
  csp_release_keep(csp);
}

static void deed(Host *h, Csp *csp, uint8_t what) {
  uint64_t count;
  switch (what % 8) {
    case 0:
      post_one(csp);
      break;
    case 1:
      do_one(csp);
      break;
    case 2:
      csp_interrupt(csp);
      break;
    case 3:
      keep_while(csp);
      break;
    case 4:
      wake(h, what / 8 % WAKERS);
      break;
    case 5:
      release_one(h, csp, what / 8 % SLOTS);
      break;
    case 6:
      free(csp_dump_goroutines(csp));
      csp_counter(csp, "steals", &count);
      break;
    default:
      nanosleep(&(struct timespec){0, 1000 * (what / 8)}, NULL);
  }
}

static void *helper_main(void *arg) {
  Host *h = arg;
  Helper *helper = &h->helper;
  for (int n = 0; n < helper->count; n++) {
    Csp *csp = csp_enter(helper->door);
    if (csp == NULL) break;
    deed(h, csp, helper->deeds[n]);
    csp_leave(helper->door);
  }
  return NULL;
}

static void helper_begin(Host *h) {
  if (h->has_helper) return;
  Helper *helper = &h->helper;
  helper->door = csp_door(h->csp);
  helper->count = byte(h) % DEEDS;
  for (int n = 0; n < helper->count; n++) helper->deeds[n] = byte(h);
  if (pthread_create(&helper->thread, NULL, helper_main, h) != 0) abort();
  h->has_helper = true;
}

// After csp_free.
static void helper_end(Host *h) {
  if (!h->has_helper) return;
  pthread_join(h->helper.thread, NULL);
  csp_door_free(h->helper.door);
}
#endif
