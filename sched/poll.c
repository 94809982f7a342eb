// SPDX-License-Identifier: MIT
// Waiting for descriptors (row 24). A descriptor has a word for each side,
// reading and writing, with four states:
//
//   NONE      nothing known, nobody waits
//   READY     an event came; the next wait takes it and does not park
//   PARKING   a G is about to park
//   a G       it is parked
//
//   wait:    READY -> NONE, or NONE -> PARKING, looks at closed and expired
//            again, becomes waiting, PARKING -> G (fails: it does not park)
//   event:   any -> READY, and a G that is found there is readied
//   close, deadline: set their flag first, seq_cst, then PARKING or G -> NONE
//   cancel:  sets its flag first, seq_cst, then G -> NONE (cancel.c)
//
// Every change is a CAS or an exchange, so a G is taken by one of them. A wait
// stores PARKING first and then looks at the flags. A close or a deadline sets
// its flag first and then looks at the word. So one of the two sees the other.
//
// Where several Gs may want one side, they take turns (poll_turn.c).
//
// sched->netpoll.waiters counts parked Gs. It is raised before the CAS that
// shows the G, and lowered by the owner of a P that readies it. While it is
// above 0 there is no deadlock, and somebody polls. One idle M blocks in the
// system's poll (idle.c: sched->idle.poller with `polling`). Without such an M,
// Ps poll in find_work_next and, at most every 200 us, in their looks. When
// nobody has polled for 10 ms, sysmon does.
//
// Descriptors are freed to a list and used again, but their memory is never
// given back, because an event may come late. The tag of an event has the
// descriptor's generation, which is compared. An event that slips through is a
// wake-up for no reason, and callers try again.
#include "sched/poll.h"

#include <errno.h>

#include "sched/cancel.h"
#include "sched/inbox.h"
#include "sched/trace.h"
#include "sched/urgent.h"

enum { W_NONE, W_READY, W_PARKING };
enum { BLOCK_DESCS = 256, BLOCKS_MAX = 4096, EXPIRED = -1 };

struct Poller {
  RtPoll os;
  Sched *sched;
  RtLock lock;
  uint32_t made;  // descriptors
  PollDesc *free;
  PollDesc *blocks[BLOCKS_MAX];  // atomic: never taken out
};

// --- Descriptors ------------------------------------------------------------
static Poller *make_poller(Sched *sched) {
  Poller *poller = mem_zeroed(sched->memory, sizeof *poller);
  if (poller == NULL) {
    errno = ENOMEM;
    return NULL;
  }
  poller->sched = sched;
  poller->lock.rank = &rank_poll;
  int error = rt_poll_open(&poller->os);
  Poller *other = NULL;
  if (error != 0) {
    mem_free(poller);
    errno = error;
    return NULL;
  }
  // release: pairs with the acquire in poller_of
  if (rt_cas(&sched->netpoll.poller, &other, poller)) return poller;
  rt_poll_close(&poller->os);
  mem_free(poller);
  return other;
}

static Poller *poller_of(Sched *sched) {
  return rt_load_acquire(
      &sched->netpoll.poller);  // acquire: pairs with make_poller
}

void poll_free_all(Sched *sched) {
  Poller *poller = sched->netpoll.poller;
  if (poller == NULL) return;
  rt_poll_close(&poller->os);
  for (int i = 0; i < BLOCKS_MAX && poller->blocks[i] != NULL; i++)
    mem_free(poller->blocks[i]);
  mem_free(poller);
}

// The poller's lock held. NULL: no memory, or too many.
static PollDesc *make_block(Poller *poller) {
  RT_ASSERT(poller->free == NULL && poller->made % BLOCK_DESCS == 0);
  uint32_t block = poller->made / BLOCK_DESCS;
  if (block == BLOCKS_MAX) return NULL;
  PollDesc *descs =
      mem_zeroed(poller->sched->memory, BLOCK_DESCS * sizeof *descs);
  if (descs == NULL) return NULL;
  for (uint32_t i = 0; i < BLOCK_DESCS; i++) {
    descs[i].poller = poller;
    descs[i].index = poller->made + i;
    descs[i].closed = 1;
    descs[i].lock.rank = &rank_poll;
    for (int mode = 0; mode < 2; mode++) descs[i].turn[mode].desc = &descs[i];
    descs[i].next_free = i + 1 < BLOCK_DESCS ? &descs[i + 1] : NULL;
  }
  poller->made += BLOCK_DESCS;
  // release: pairs with the acquire in desc_of
  rt_store_release(&poller->blocks[block], descs);
  return descs;
}

static uint64_t tag_of(const PollDesc *desc) {
  // relaxed: the opener alone has it, by the lock that poll_free held
  uint64_t generation = rt_load_relaxed(&desc->generation);
  return generation << 32 | desc->index;
}

// NULL: an event of a descriptor that was closed since.
static PollDesc *desc_of(Poller *poller, uint64_t tag) {
  uint32_t index = (uint32_t)tag;
  // acquire: pairs with the release in make_block
  PollDesc *block = rt_load_acquire(&poller->blocks[index / BLOCK_DESCS]);
  RT_ASSERT(block != NULL);
  PollDesc *desc = &block[index % BLOCK_DESCS];
  // relaxed: what slips through is no harm (see the head)
  return rt_load_relaxed(&desc->generation) == tag >> 32 ? desc : NULL;
}

static Poller *need_poller(Sched *sched) {
  Poller *poller = poller_of(sched);
  return poller != NULL ? poller : make_poller(sched);
}

PollDesc *poll_open(Sched *sched, int fd) {
  Poller *poller = need_poller(sched);
  if (poller == NULL) return NULL;
  rt_lock(&poller->lock);
  if (poller->free == NULL) poller->free = make_block(poller);
  PollDesc *desc = poller->free;
  if (desc != NULL) poller->free = desc->next_free;
  rt_unlock(&poller->lock);
  if (desc == NULL) {
    errno = ENOMEM;
    return NULL;
  }
  desc->fd = fd;
  for (int i = 0; i < 2; i++) {
    // relaxed, both: the store of closed below shows them to poll_wait
    rt_store_relaxed(&desc->waiter[i], (uintptr_t)W_NONE);
    rt_store_relaxed(&desc->deadline[i], (int64_t)0);
  }
  rt_store_relaxed(&desc->turns, 0u);  // relaxed: as above
  // seq: as in poll_close. Nobody else has desc yet
  rt_store_seq(&desc->closed, 0u);
  int error = rt_poll_add(&poller->os, fd, tag_of(desc));
  if (error == 0) return desc;
  // seq: as in poll_close
  rt_store_seq(&desc->closed, 1u);
  poll_free(desc);
  errno = error;
  return NULL;
}

void poll_free(PollDesc *desc) {
  Poller *poller = desc->poller;
  // seq: as in poll_close. Its closer is done
  RT_CHECK(rt_load_seq(&desc->closed),
           "a descriptor is freed while it is open");
  // relaxed: see desc_of
  rt_store_relaxed(&desc->generation, desc->generation + 1);
  rt_lock(&poller->lock);
  desc->next_free = poller->free;
  poller->free = desc;
  rt_unlock(&poller->lock);
}

// --- Waking -----------------------------------------------------------------
// The G that waits, which is the caller's now, or NULL.
static G *take_waiter(PollDesc *desc, PollMode mode, bool ready) {
  uintptr_t *word = &desc->waiter[mode];
  // seq: after the flags of those that close and time out (see the head)
  uintptr_t seen = rt_load_seq(word);
  for (;;) {
    if (seen == W_READY || (seen == W_NONE && !ready)) return NULL;
    uintptr_t next = ready ? W_READY : W_NONE;
    // seq: as above. It acquires the G that show_g has put there
    if (!rt_cas(word, &seen, next)) continue;
    return seen > W_PARKING ? (G *)seen : NULL;
  }
}

static void lower_waiters(Sched *sched, uint32_t count) {
  // RMW: a count, which poll_wanted reads
  uint32_t before = rt_sub(&sched->netpoll.waiters, count);
  RT_CHECK(before >= count, "more goroutines come from netpoll than waited");
}

// Owner P. Gs of take_waiter; the network's are urgent (row 19).
void poll_ready(P *p, GList *list) {
  uint32_t count = list->count;
  if (count == 0) return;
  int64_t firing = p->firing;
  if (firing == 0) urgent_begin(p, p->clock = rt_now());
  lower_waiters(p->sched, count);
  sched_ready_list(p, list->first, (int)count);
  if (firing == 0) urgent_end(p);
}

static void ready_one(P *p, G *g) {
  GList list = {0};
  if (g == NULL) return;
  glist_push(&list, g);
  poll_ready(p, &list);
}

// Any M, or sysmon. Takes the Gs whose events came. Waits until the deadline,
// or not at all if that is 0.
static void collect(Sched *sched, int64_t deadline, GList *list) {
  RtPollEvent events[RT_POLL_EVENTS];
  Poller *poller = poller_of(sched);
  int n = rt_poll_wait(&poller->os, events, RT_POLL_EVENTS, deadline);
  for (int i = 0; i < n; i++) {
    PollDesc *desc = desc_of(poller, events[i].tag);
    if (desc == NULL) continue;
    G *reader = events[i].readable ? take_waiter(desc, POLL_READ, true) : NULL;
    G *writer = events[i].writable ? take_waiter(desc, POLL_WRITE, true) : NULL;
    if (reader != NULL) glist_push(list, reader);
    if (writer != NULL) glist_push(list, writer);
  }
  // relaxed: a time for poll_is_due, any recent value
  rt_store_relaxed(&sched->netpoll.polled_at, rt_now());
}

bool poll_wanted(Sched *sched) {
  // seq: the deadlock check and idle.c read it after the waiter's P went idle
  return rt_load_seq(&sched->netpoll.waiters) != 0;
}

void poll_now(P *p) {
  GList list = {0};
  collect(p->sched, 0, &list);
  if (list.count == 0) return;
  P_COUNT(p, polls, 1);
  TRACE(p, POLL, 0, list.count);
  poll_ready(p, &list);
}

void poll_block(Sched *sched, int64_t deadline, bool tell) {
  GList list = {0};
  collect(sched, deadline, &list);
  inbox_put_gs(sched, &list, tell);
}

void poll_break(Sched *sched) { rt_poll_break(&poller_of(sched)->os); }

int poll_host_fd(Sched *sched) {
  Poller *poller = need_poller(sched);
  return poller == NULL ? -1 : rt_poll_descriptor(&poller->os);
}

void poll_alarm(Sched *sched, int64_t when) {
  rt_poll_alarm(&poller_of(sched)->os, when);
}

void poll_end_break(Sched *sched) { rt_poll_end_break(&poller_of(sched)->os); }

// --- Waiting ----------------------------------------------------------------
static PollResult state_of(PollDesc *desc, PollMode mode) {
  // seq, both: see the head
  if (rt_load_seq(&desc->closed)) return POLL_CLOSED;
  return rt_load_seq(&desc->deadline[mode]) == EXPIRED ? POLL_DEADLINE
                                                       : POLL_READY;
}

typedef struct Parking {
  PollDesc *desc;
  PollMode mode;
} Parking;

static bool show_g(G *g, void *arg) {
  const Parking *parking = arg;
  PollDesc *desc = parking->desc;
  Sched *sched = desc->poller->sched;
  uintptr_t seen = W_PARKING;
  // seq: g is counted before the CAS that shows it. Pairs with poll_wanted
  rt_add(&sched->netpoll.waiters, 1u);
  // seq: before the CAS that shows g. poll_wait reads the flag after it
  rt_store_seq(
      &g->parked_on,
      (uintptr_t)desc | (parking->mode == POLL_READ ? ON_READ : ON_WRITE));
  // release: g is whole. Pairs with the CAS in take_waiter
  if (rt_cas(&desc->waiter[parking->mode], &seen, (uintptr_t)g)) return true;
  lower_waiters(sched, 1);
  return false;
}

PollResult poll_wait(P *p, G *g, PollDesc *desc, PollMode mode) {
  PollResult result = state_of(desc, mode);
  if (result != POLL_READY) return result;
  uintptr_t *word = &desc->waiter[mode], seen = W_READY;
  // RMW: of the Gs in poll_wait one takes the event. It reads after that
  if (rt_cas(word, &seen, (uintptr_t)W_NONE)) return POLL_READY;
  // seq, all: PARKING, then the flags (see the head)
  while (seen != W_NONE || !rt_cas(word, &seen, (uintptr_t)W_PARKING)) {
    if (seen != W_READY) return POLL_BUSY;
    if (rt_cas(word, &seen, (uintptr_t)W_NONE)) return POLL_READY;
  }
  seen = W_PARKING;
  result = state_of(desc, mode);
  if (result != POLL_READY && rt_cas(word, &seen, (uintptr_t)W_NONE))
    return result;
  Parking parking = {desc, mode};
  if (!sched_park(p, g, WAIT_IO, show_g, &parking))
    return poll_result(desc, mode);
  // g may be anywhere by now
  if (g_cancelled(g)) cancel_self(p, g);
  return POLL_PARKED;
}

bool poll_cancel(P *p, G *g, PollDesc *desc, PollMode mode) {
  uintptr_t *word = &desc->waiter[mode], seen = (uintptr_t)g;
  // RMW: one of those that wake g takes it
  if (!rt_cas(word, &seen, (uintptr_t)W_NONE)) return false;
  if (g_cancelled(g)) {
    lower_waiters(p->sched, 1);
    return true;
  }
  // It waits again, and is not to be cancelled. An event, or a thread that
  // cancels this wait, may have come meanwhile and found nobody. Then it goes
  // on for no reason.
  seen = W_NONE;
  // seq, both: g is back, then the flags are read (see cancel.c)
  if (rt_cas(word, &seen, (uintptr_t)g)) {
    seen = (uintptr_t)g;
    bool stays = state_of(desc, mode) == POLL_READY && !g_cancelled(g);
    if (stays || !rt_cas(word, &seen, (uintptr_t)W_NONE)) return false;
  }
  ready_one(p, g);
  return false;
}

PollResult poll_result(PollDesc *desc, PollMode mode) {
  // RMW: takes what take_waiter has left
  uintptr_t seen = rt_exchange(&desc->waiter[mode], (uintptr_t)W_NONE);
  return seen == W_READY ? POLL_READY : state_of(desc, mode);
}

// --- Deadlines, closing: owner P --------------------------------------------
static void deadline_fire(P *p, Timer *timer, int64_t now) {
  PollDesc *desc = timer->arg;
  PollMode mode = timer == &desc->timers[POLL_READ] ? POLL_READ : POLL_WRITE;
  // One word for time and outcome: a deadline that is moved at this moment is
  // not ended by the old one's timer. seq, both: see the head.
  int64_t deadline = rt_load_seq(&desc->deadline[mode]);
  if (deadline <= 0 || deadline > now) return;
  if (!rt_cas(&desc->deadline[mode], &deadline, (int64_t)EXPIRED)) return;
  ready_one(p, take_waiter(desc, mode, false));
}

bool poll_is_deadline(const Timer *timer) {
  return timer->fire == deadline_fire;
}

void poll_deadline(P *p, PollDesc *desc, PollMode mode, int64_t when) {
  Timer *timer = &desc->timers[mode];
  timer_stop(p, timer);
  bool past = when != 0 && when <= rt_now();
  // seq: the flag, then the word (see the head)
  rt_store_seq(&desc->deadline[mode], past ? EXPIRED : when);
  if (past) {
    ready_one(p, take_waiter(desc, mode, false));
  } else if (when != 0) {
    timer->fire = deadline_fire;
    timer->arg = desc;
    timer_start(p, timer, when, 0);
  }
}

void poll_close(P *p, PollDesc *desc) {
  // seq: as below. Only its owner closes it
  RT_CHECK(!rt_load_seq(&desc->closed), "a descriptor is closed twice");
  // seq: the flag, then the word (see the head)
  rt_store_seq(&desc->closed, 1u);
  rt_poll_remove(&desc->poller->os, desc->fd);
  for (int mode = 0; mode < 2 && p != NULL; mode++) {
    // seq: as in poll_deadline
    rt_store_seq(&desc->deadline[mode], (int64_t)0);
    timer_stop(p, &desc->timers[mode]);
    ready_one(p, take_waiter(desc, (PollMode)mode, false));
  }
}
