// SPDX-License-Identifier: MIT
// What another thread of a host does with a runtime meanwhile, through a door:
// deeds that the input gives. It goes on, and may, when the runtime is freed.
#ifndef CSP_FUZZ_API_THREAD_H
#define CSP_FUZZ_API_THREAD_H

#include <sched.h>
#include <time.h>

#include "tests/fuzz/api_files.h"

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

// A goroutine that nobody waits for, started by another thread.
static CspStatus posted_go(CspCall *call, void *data) {
  Host *h = data;
  pthread_mutex_lock(&h->lock);
  CspValue f = h->slots[0] ? csp_held(call, h->slots[0]) : csp_nil();
  pthread_mutex_unlock(&h->lock);
  CspValue task = csp_go(call, f, 0, NULL, NULL, NULL);
  if (csp_is_undef(task)) return CSP_PANIC;
  keep_at(h, call, task, 1);
  return csp_ok_nothing(call);
}

// A door of the thread's own, within another one.
static void door_one(Csp *csp) {
  CspDoor *door = csp_door(csp);
  Csp *same = csp_enter(door);
  if (same != NULL) csp_leave(door);
  csp_door_free(door);
}

static void look_one(Csp *csp) {
  uint64_t counts[20], count;
  free(csp_dump_goroutines(csp));
  csp_counter(csp, "steals", &count);
  if (csp_lateness(csp, counts, 20) > 20) abort();
  csp_report(csp, "told", 4);
  csp_alloc_free(csp_alloc(csp, NULL, 1000));
}

static void deed(Host *h, Csp *csp, uint8_t what) {
  switch (what % 11) {
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
      wake(h, what / 11 % WAKERS);
      break;
    case 5:
      release_one(h, csp, what / 11 % SLOTS);
      break;
    case 6:
      look_one(csp);
      break;
    case 7:
      csp_post(csp, posted_go, h, NULL);
      break;
    case 8:
      door_one(csp);
      break;
    case 9:
      path_deed(csp, what * 7u);
      break;
    default:
      nanosleep(&(struct timespec){0, 1000 * (what / 11)}, NULL);
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
  atomic_store(&helper->over, true);
  return NULL;
}

static void helper_begin(Host *h) {
  if (h->has_helper) return;
  Helper *helper = &h->helper;
  helper->door = csp_door(h->csp);
  atomic_init(&helper->over, false);
  helper->count = byte(h) % DEEDS;
  for (int n = 0; n < helper->count; n++) helper->deeds[n] = byte(h);
  if (pthread_create(&helper->thread, NULL, helper_main, h) != 0) abort();
  h->has_helper = true;
}

// Goes on with the runtime until the helper has done all.
static void helper_join(Host *h) {
  if (!h->has_helper || !h->stepped) return;
  while (!atomic_load(&h->helper.over)) {
    csp_step(h->csp, TURN_NS);
    sched_yield();
  }
  pthread_join(h->helper.thread, NULL);
  csp_door_free(h->helper.door);
  h->has_helper = false;
}

// After csp_free.
static void helper_end(Host *h) {
  if (!h->has_helper) return;
  pthread_join(h->helper.thread, NULL);
  csp_door_free(h->helper.door);
}
#endif
