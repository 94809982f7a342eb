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

static void release_one(Host *host, Csp *csp, int at) {
  pthread_mutex_lock(&host->lock);
  CspHandle handle = host->slots[at];
  host->slots[at] = 0;
  if (handle) csp_release(csp, handle);
  pthread_mutex_unlock(&host->lock);
}

static void keep_while(Csp *csp) {
  csp_keep(csp);
  sched_yield();
  csp_release_keep(csp);
}

// A goroutine that nobody waits for, started by another thread.
static CspStatus posted_go(CspCall *call, void *data) {
  Host *host = data;
  pthread_mutex_lock(&host->lock);
  CspValue f = host->slots[0] ? csp_held(call, host->slots[0]) : csp_nil();
  pthread_mutex_unlock(&host->lock);
  CspValue task = csp_go(call, f, 0, NULL, NULL, NULL);
  if (csp_is_undef(task)) return CSP_PANIC;
  keep_at(host, call, task, 1);
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

static void deed(Host *host, Csp *csp, uint8_t what) {
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
      wake(host, what / 11 % WAKERS);
      break;
    case 5:
      release_one(host, csp, what / 11 % SLOTS);
      break;
    case 6:
      look_one(csp);
      break;
    case 7:
      csp_post(csp, posted_go, host, NULL);
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
  Host *host = arg;
  Helper *helper = &host->helper;
  for (int n = 0; n < helper->count; n++) {
    Csp *csp = csp_enter(helper->door);
    if (csp == NULL) break;
    deed(host, csp, helper->deeds[n]);
    csp_leave(helper->door);
  }
  atomic_store(&helper->over, true);
  return NULL;
}

static void helper_begin(Host *host) {
  if (host->has_helper) return;
  Helper *helper = &host->helper;
  helper->door = csp_door(host->csp);
  atomic_init(&helper->over, false);
  helper->count = byte(host) % DEEDS;
  for (int n = 0; n < helper->count; n++) helper->deeds[n] = byte(host);
  if (pthread_create(&helper->thread, NULL, helper_main, host) != 0) abort();
  host->has_helper = true;
}

// Goes on with the runtime until the helper has done all.
static void helper_join(Host *host) {
  if (!host->has_helper || !host->stepped) return;
  while (!atomic_load(&host->helper.over)) {
    csp_step(host->csp, TURN_NS);
    sched_yield();
  }
  pthread_join(host->helper.thread, NULL);
  csp_door_free(host->helper.door);
  host->has_helper = false;
}

// After csp_free.
static void helper_end(Host *host) {
  if (!host->has_helper) return;
  pthread_join(host->helper.thread, NULL);
  csp_door_free(host->helper.door);
}
#endif
