// SPDX-License-Identifier: MIT
// What fuzz_api.c and its natives share: the input, read byte by byte, and the
// host, which keeps values in slots, as handles, and the wakers of natives that
// wait.
#ifndef CSP_FUZZ_API_HOST_H
#define CSP_FUZZ_API_HOST_H

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/api_memory.h"
#include "vm/csp.h"

enum { SLOTS = 16, WAKERS = 8, WAITS = 4, DEEDS = 24, TURN_NS = 1000000 };

// The input, read from the front; zeros when it is used up.
typedef struct Input {
  const uint8_t *at, *end;
} Input;

// A thread of the host's, which does deeds through a door (api_thread.h).
typedef struct Helper {
  pthread_t thread;
  CspDoor *door;
  uint8_t deeds[DEEDS];
  int count;
  atomic_bool over;  // it does nothing any more
} Helper;

typedef struct Host {
  Csp *csp;
  Memory memory;
  Input in;              // the host's thread only
  pthread_mutex_t lock;  // guards slots, wakers, waits_taken
  CspHandle slots[SLOTS];
  CspWaker *wakers[WAKERS];
  CspWait waits[WAITS];  // the runtime's
  bool waits_taken[WAITS];
  int stuck;    // threads that csp_free left
  int kept;     // csp_keep without csp_release_keep
  int pipe[2];  // natives wait for the first; or -1
  Helper helper;
  bool stepped, has_helper;
  bool ran;  // a call or a script, to its end
} Host;

static Host *current;  // natives have no other way to it

static uint8_t byte(Host *host) {
  return host->in.at < host->in.end ? *host->in.at++ : 0;
}

static int64_t number(Host *host) {
  static const int64_t edges[] = {0,         1,         -1,        2,
                                  255,       INT32_MAX, 1ll << 61, -(1ll << 61),
                                  INT64_MAX, INT64_MIN, 65536,     INT32_MIN};
  uint8_t kind = byte(host);
  if (kind < 12) return edges[kind];
  if (kind < 128) return kind;
  uint64_t n = 0;
  for (int i = 0; i < 8; i++) n = n << 8 | byte(host);
  return (int64_t)n;
}

static double real(Host *host) {
  static const double edges[] = {0.0,       -0.0,  1.5,    NAN,  INFINITY,
                                 -INFINITY, 1e308, 5e-324, -1e18};
  return edges[byte(host) % (sizeof edges / sizeof *edges)];
}

static const char *text(Host *host, size_t *len) {
  size_t left = (size_t)(host->in.end - host->in.at), n = byte(host);
  if (left) left--;
  *len = n < left ? n : left;
  const char *data = (const char *)host->in.at;
  host->in.at += *len;
  return data;
}

// --- Slots ------------------------------------------------------------------
static CspValue slot(Host *host, CspCall *call) {
  uint8_t at = byte(host) % SLOTS;
  pthread_mutex_lock(&host->lock);
  CspValue v = host->slots[at] ? csp_held(call, host->slots[at]) : csp_nil();
  pthread_mutex_unlock(&host->lock);
  return v;
}

static void keep_at(Host *host, CspCall *call, CspValue v, int at) {
  if (csp_is_undef(v)) return;
  pthread_mutex_lock(&host->lock);
  if (host->slots[at]) csp_release(host->csp, host->slots[at]);
  host->slots[at] = csp_hold(call, v);
  pthread_mutex_unlock(&host->lock);
}

static void keep(Host *host, CspCall *call, CspValue v) {
  keep_at(host, call, v, byte(host) % SLOTS);
}

// --- Wakers -----------------------------------------------------------------
// false: there is no room for another one.
static bool add_waker(Host *host, CspWaker *waker) {
  pthread_mutex_lock(&host->lock);
  int at = 0;
  while (at < WAKERS && host->wakers[at] != NULL) at++;
  if (at < WAKERS) host->wakers[at] = waker;
  pthread_mutex_unlock(&host->lock);
  return at < WAKERS;
}

static CspValue woken(CspCall *call, void *data) {
  return data != NULL ? csp_string(call, "woken", 5) : csp_int(call, 7);
}

static void wake(Host *host, int at) {
  static int some;
  pthread_mutex_lock(&host->lock);
  CspWaker *waker = host->wakers[at];
  host->wakers[at] = NULL;
  pthread_mutex_unlock(&host->lock);
  if (waker != NULL)
    csp_wake(waker, at % 3 ? woken : NULL, at % 2 ? &some : NULL);
}

// --- Waits for descriptors --------------------------------------------------
// Which one is taken, or -1 for all.
static int take_wait(Host *host) {
  pthread_mutex_lock(&host->lock);
  int at = 0;
  while (at < WAITS && host->waits_taken[at]) at++;
  if (at < WAITS) host->waits_taken[at] = true;
  pthread_mutex_unlock(&host->lock);
  return at < WAITS ? at : -1;
}

static void give_wait(Host *host, int at) {
  pthread_mutex_lock(&host->lock);
  if (at >= 0) host->waits_taken[at] = false;
  pthread_mutex_unlock(&host->lock);
}

#endif
