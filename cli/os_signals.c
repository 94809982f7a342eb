// SPDX-License-Identifier: MIT
// os.signals: which signals go to channels of the script, and how they get
// there. The library's os.signals calls the builtin `_signals`, which is here.
//
// Each call of os.signals makes a channel of ROOM names, which gets the signals
// of that call. One signal may go to several channels. The table `taken` has
// the channels, at most TAKEN_MOST, and keeps them from being collected. The
// script gives its signals back by closing the channel. Nobody tells this file
// of that, so it looks (drop_closed) before it counts on a channel: when a
// signal comes, when a place in the table is wanted, and when nothing else can
// run any more. A signal that no open channel wants is not taken over.
//
// The thread that reads signals must not wait for the script. It adds the
// signal to `pending` and posts, unless a post is under way. A thread with a P
// takes the post and sends the names, without waiting: a channel that is full
// drops the signal. Signals of one number that come before the post is taken
// are one, as they are in the kernel.
//
// A goroutine that waits for a signal is no deadlock. When nothing can run, the
// scheduler posts `stuck` once. If a channel is open then, the run is pinned
// until the next signal. Otherwise nothing is done, and the scheduler reports
// the deadlock the next time.
//
// The lock guards the table. Natives and the reader take it for some hundred
// loads, and nothing waits while it is held.
#include "cli/os_signals.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "vm/heap/local.h"
#include "vm/interp/native_call.h"
#include "vm/runtime/api_threads.h"

enum { TAKEN_MOST = 64, ROOM = 16 };

// What scripts may ask for. SIGQUIT stays cspvm's own, so that every program
// can be looked at and ended. Others end or stop the process, or tell of its
// own errors.
static const struct {
  const char *name;
  int number;
} names[] = {{"ALRM", SIGALRM}, {"CONT", SIGCONT},  {"HUP", SIGHUP},
             {"INT", SIGINT},   {"TERM", SIGTERM},  {"USR1", SIGUSR1},
             {"USR2", SIGUSR2}, {"WINCH", SIGWINCH}};
enum { NAMES = sizeof names / sizeof *names };

typedef struct Taken {
  Chan *chan;
  uint32_t pin;   // of the channel
  uint32_t want;  // bit n: names[n]
} Taken;

struct OsSignals {
  Csp *csp;
  bool refused;  // immutable in the run
  pthread_mutex_t lock;
  Taken taken[TAKEN_MOST];  // guarded by lock
  int count;                // guarded by lock
  Value texts[NAMES];       // guarded by lock; pinned. 0: not made yet
  bool pinned;              // guarded by lock: the run waits for a signal
  uint32_t pending;         // atomic: bit n says that names[n] has come
  uint32_t posted;          // atomic: `came` is under way
  SchedPost came, stuck;    // fn is immutable
};

static void end_signals(void *data) {
  OsSignals *signals = data;
  pthread_mutex_destroy(&signals->lock);
}

static const CspClass signals_class = {"signals", end_signals,
                                       sizeof(OsSignals), NULL};

static Vm *vm_of(const OsSignals *signals) { return csp_vm(signals->csp); }

// --- The table: lock held ---------------------------------------------------
static void drop_closed(OsSignals *signals) {
  int kept = 0;
  for (int n = 0; n < signals->count; n++) {
    Taken *taken = &signals->taken[n];
    if (chan_is_closed(taken->chan)) {
      heap_unpin(vm_of(signals)->heap, taken->pin);
    } else {
      signals->taken[kept++] = *taken;
    }
  }
  signals->count = kept;
}

static uint32_t all_wanted(const OsSignals *signals) {
  uint32_t want = 0;
  for (int n = 0; n < signals->count; n++) want |= signals->taken[n].want;
  return want;
}

static void send_names(P *p, OsSignals *signals, uint32_t which) {
  for (int n = 0; n < signals->count; n++) {
    const Taken *taken = &signals->taken[n];
    uint32_t want = taken->want & which;
    for (int i = 0; i < NAMES; i++)
      if (want & (1u << i)) chan_try_send(p, taken->chan, signals->texts[i]);
  }
}

// --- Posts ------------------------------------------------------------------
static void when_stuck(P *p, SchedPost *post) {
  OsSignals *signals =
      (OsSignals *)(void *)((char *)post - offsetof(OsSignals, stuck));
  pthread_mutex_lock(&signals->lock);
  drop_closed(signals);
  RT_ASSERT(!signals->pinned);
  signals->pinned = signals->count > 0;
  if (signals->pinned) sched_pin(p->sched);
  pthread_mutex_unlock(&signals->lock);
}

// The program goes on: it may be stuck again.
static void watch_again(Sched *sched, OsSignals *signals) {
  if (signals->pinned) sched_unpin(sched);
  signals->pinned = false;
  sched_when_stuck(sched, &signals->stuck);
}

static void when_came(P *p, SchedPost *post) {
  OsSignals *signals =
      (OsSignals *)(void *)((char *)post - offsetof(OsSignals, came));
  // acquire: the bits of a signal that found the post under way. release: the
  // post is used up. Pairs with the exchange in os_signals_give
  rt_exchange(&signals->posted, 0u);
  pthread_mutex_lock(&signals->lock);
  // RMW: each bit is taken once. With the lock, so that names keep their order
  uint32_t which = rt_exchange(&signals->pending, 0u);
  send_names(p, signals, which);
  watch_again(p->sched, signals);
  pthread_mutex_unlock(&signals->lock);
}

// --- The reader -------------------------------------------------------------
static int index_of(int number) {
  for (int n = 0; n < NAMES; n++)
    if (names[n].number == number) return n;
  return -1;
}

bool os_signals_give(OsSignals *signals, int number) {
  int n = index_of(number);
  if (n < 0) return false;
  pthread_mutex_lock(&signals->lock);
  drop_closed(signals);
  bool wanted = (all_wanted(signals) & (1u << n)) != 0;
  pthread_mutex_unlock(&signals->lock);
  if (!wanted) return false;
  // RMW: when_came takes the bits. The exchange below publishes this one
  rt_or(&signals->pending, 1u << n);
  // release: the bit. Pairs with the exchange in when_came
  if (rt_exchange(&signals->posted, 1u) == 0)
    post_to_run(signals->csp, &signals->came);
  return true;
}

void os_signals_refuse(OsSignals *signals) { signals->refused = true; }

void os_signals_add(sigset_t *set) {
  for (int n = 0; n < NAMES; n++) sigaddset(set, names[n].number);
}

// --- _signals(list of names): (channel, nil), or (nil, error) ---------------
static CspStatus unknown(CspCall *call, CspValue name) {
  char all[128] = "";
  for (int n = 0; n < NAMES; n++) {
    size_t len = strlen(all);
    snprintf(all + len, sizeof all - len, "%s%s", n > 0 ? " " : "",
             names[n].name);
  }
  if (csp_type(name) != CSP_STRING)
    return csp_panic(call, "os.signals: a name must be a string, not %s",
                     csp_type_name(name));
  size_t len;
  const char *text = csp_to_string(name, &len);
  if (text == NULL) return csp_panic_memory(call);
  return csp_panic(call, "os.signals: no signal \"%.*s\" can be taken (of: %s)",
                   len < 32 ? (int)len : 32, text, all);
}

// 0: it is none of them.
static uint32_t wanted_bit(CspValue name) {
  size_t len;
  if (csp_type(name) != CSP_STRING) return 0;
  const char *text = csp_to_string(name, &len);
  for (int n = 0; n < NAMES && text != NULL; n++)
    if (strlen(names[n].name) == len && memcmp(text, names[n].name, len) == 0)
      return 1u << n;
  return 0;
}

// false: out of memory. Lock held.
static bool make_texts(CspCall *call, OsSignals *signals) {
  for (int n = 0; n < NAMES; n++) {
    if (signals->texts[n] != 0) continue;
    CspValue text = csp_string(call, names[n].name, strlen(names[n].name));
    if (csp_is_undef(text) || heap_pin(call->vm->heap, text.word) == 0)
      return false;
    signals->texts[n] = text.word;
  }
  return true;
}

// The table gets the channel. Lock held.
static CspStatus take(CspCall *call, OsSignals *signals, uint32_t want) {
  drop_closed(signals);
  if (signals->count == TAKEN_MOST)
    return csp_ok_coded(call, "limit", "os.signals: %d channels are open",
                        TAKEN_MOST);
  CspValue channel = csp_chan(call, ROOM);
  if (csp_is_undef(channel) || !make_texts(call, signals))
    return csp_panic_memory(call);
  uint32_t pin = heap_pin(call->vm->heap, channel.word);
  if (pin == 0) return csp_panic_memory(call);
  Chan *chan = &((ObjChan *)value_obj(channel.word))->chan;
  signals->taken[signals->count++] = (Taken){chan, pin, want};
  watch_again(call->vm->sched, signals);
  return csp_ok_value(call, channel);
}

static CspStatus take_signals(CspCall *call) {
  CspValue list = csp_arg(call, 0);
  uint32_t want = 0;
  for (size_t n = 0; n < csp_list_len(list); n++) {
    uint32_t bit = wanted_bit(csp_list_get(list, n));
    if (bit == 0) return unknown(call, csp_list_get(list, n));
    want |= bit;
  }
  if (want == 0) return csp_panic(call, "os.signals: no names are given");
  OsSignals *signals = csp_state(csp_of(call), &signals_class);
  if (signals->refused)
    return csp_ok_coded(call, "limit",
                        "os.signals: no thread is left to read signals");
  pthread_mutex_lock(&signals->lock);
  CspStatus status = take(call, signals, want);
  pthread_mutex_unlock(&signals->lock);
  return status;
}

static const CspFunction functions[] = {
    CSP_REPEATABLE, {"_signals", "names", take_signals}, {NULL, NULL, NULL}};

OsSignals *os_signals_open(Csp *csp) {
  if (!csp_register_class(csp, &signals_class, NULL) ||
      !csp_register_builtins(csp, functions))
    return NULL;
  OsSignals *signals = csp_state(csp, &signals_class);
  if (signals == NULL) return NULL;
  signals->csp = csp;
  pthread_mutex_init(&signals->lock, NULL);
  signals->came.fn = when_came;
  signals->stuck.fn = when_stuck;
  return signals;
}
