// SPDX-License-Identifier: MIT
// The scheduler's public face: goroutines on Ms and Ps, channels, select,
// timers, stop-the-world. It knows nothing of values or bytecode.
//
// A G is memory of the layer above with a `resume` function that runs on some
// M, holding some P, until the G has parked, yielded, ended, or handed its P
// to a system call; then resume returns. What a function below may be called
// by stands at each: "owner P" means the M that runs with that P right now,
// from inside a resume function (or a timer's fire function).
//
// Every function that takes `P *p, G *g` wants the G that runs on p. After a
// call that answers "parked" the G may already run on another M: touch
// neither it nor its frames, call sched_switch(p) or return from resume.
#ifndef CSP_SCHED_SCHED_H
#define CSP_SCHED_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sched/rt.h"

typedef struct Sched Sched;
typedef struct M M;
typedef struct P P;
typedef struct G G;
typedef struct Chan Chan;
typedef struct Waiter Waiter;
typedef struct Timer Timer;

// --- G: a goroutine ---------------------------------------------------------
// X(name, text in dumps)
#define G_STATES(X)                                                        \
  X(IDLE, "idle")         /* memory, not yet started or free for reuse */  \
  X(RUNNABLE, "runnable") /* in exactly one run queue */                   \
  X(RUNNING, "running")   /* owned by one M with a P */                    \
  X(SYSCALL, "syscall")   /* its M is in a blocking call, without the P */ \
  X(WAITING, "waiting")   /* parked; whoever readies it owns the change */ \
  X(DEAD, "dead")         /* ended */

typedef enum GState {
#define X(name, text) G_##name,
  G_STATES(X)
#undef X
} GState;

// X(name, text in dumps: "goroutine 7 [chan receive, 3 s]")
#define WAIT_REASONS(X)                       \
  X(NONE, "")                                 \
  X(CHAN_SEND, "chan send")                   \
  X(CHAN_RECV, "chan receive")                \
  X(CHAN_SEND_NIL, "chan send (nil chan)")    \
  X(CHAN_RECV_NIL, "chan receive (nil chan)") \
  X(SELECT, "select")                         \
  X(SELECT_NONE, "select (no cases)")         \
  X(SLEEP, "sleep")                           \
  X(TASK, "task")                             \
  X(SYSCALL_SLOT, "waiting for a thread")     \
  X(OTHER, "waiting")

typedef enum WaitReason {
#define X(name, text) WAIT_##name,
  WAIT_REASONS(X)
#undef X
} WaitReason;

const char *g_state_name(GState state);
const char *g_wait_name(WaitReason reason);

// One entry in a channel's wait queue (Go's sudog). For a single operation
// it is G.wait; a select has one in each SelCase.
struct Waiter {
  G *g;
  Waiter *next, *prev;  // guarded by the channel's lock
  Chan *chan;           // NULL while in no queue
  uint64_t elem;        // to send; or as received, valid when success
  int32_t index;        // of the case; -1: not a select
  bool success;         // false: woken because the channel was closed
};

struct G {
  G *link;          // run queue or free list; owner: who holds the G
  uint32_t status;  // atomic, GState
  uint8_t reason;   // WaitReason while waiting
  bool preempted;   // left by preemption, not by its own wish
  bool urgent;      // readied by a timer, has not run since (row 19)
  bool has_slot;    // a place among the Ms in calls is kept for it (row 22)
  uint64_t id;      // from 1 (the main G), never used again
  void (*resume)(P *p, G *g);
  P *p;              // while running, else NULL
  int64_t since;     // rt_now() at which it was readied by a timer or parked
                     // (coarse; 0: unknown)
  Waiter wait;       // its single channel operation
  Waiter *woken_by;  // who was fired; written by the waker before ready
  uint32_t select_state;  // atomic: 0 open, 1 taken by a waker
};

// --- P: what a G needs to run -----------------------------------------------
enum {
  RUNQ_SIZE_DEFAULT = 256,
  PROCS_MAX = 1024,
  M_LIMIT_DEFAULT = 10000,
};

// P itself is in sched/p.h: its head is for the layer above (sched, id, look,
// local, spawns), all else belongs to this folder.

#include "sched/p.h"

// --- The runtime ------------------------------------------------------------
// What the layer above installs; any may be NULL. Each comment says who
// calls it.
typedef struct SchedHooks {
  void *host;  // handed to every hook
  // P created / destroyed (world stopped, or before it starts). p_init
  // returns false when out of memory.
  bool (*p_init)(void *host, P *p);
  void (*p_free)(void *host, P *p);
  // An M found nothing to run and is about to sleep; it holds no P. May
  // block for a short while (flushing output).
  void (*idle)(void *host);
  // Nothing can ever run again. World is quiet: no M runs a G. Called once;
  // afterwards sched_run returns SCHED_DEADLOCK.
  void (*deadlock)(void *host);
  // Forced collection wanted (nobody collected for two minutes). From sysmon;
  // must only set flags.
  void (*want_gc)(void *host);
  // A stored channel element, for a collector's write barrier; called only
  // while sched_set_barrier(true). p may be NULL.
  void (*barrier)(void *host, P *p, uint64_t old_word, uint64_t new_word);
} SchedHooks;

typedef struct SchedConfig {
  int procs;            // 0: sched_default_procs()
  int max_threads;      // 0: M_LIMIT_DEFAULT
  int max_syscalls;     // Ms in blocking calls at once; 0: 512
  uint64_t seed;        // of all random choices; 0: from the system
  uint64_t empty_word;  // what a cleared channel slot holds (the VM: nil)
  SchedHooks hooks;
} SchedConfig;

// CPUs this process may use: affinity mask and tightest cgroup v1/v2 quota
// among this group and all its ancestors, rounded up; within 1..PROCS_MAX.
int sched_default_procs(void);
// The same from an invented /proc and /sys below `root` and a given mask
// count (for tests). cgroup_file: text of /proc/self/cgroup's replacement.
int sched_procs_from(const char *root, int affinity_count);

// A runtime; NULL when out of memory or threads (errno says which). Any
// thread; does not block.
Sched *sched_new(const SchedConfig *config);
// Frees it. Only after sched_run has returned (or before it was called).
void sched_free(Sched *s);

typedef enum SchedEnd {
  SCHED_EXITED,    // sched_exit was called
  SCHED_DEADLOCK,  // the deadlock hook was called
} SchedEnd;

// Runs `main_g` (idle, resume set) and everything it starts, on threads of its
// own; the calling thread waits. Once per runtime. Returns when a G called
// sched_exit or nothing can run; all other Ms have then stopped running Gs;
// those in a blocking call are waited for up to `linger_ns`; *stuck (may be
// NULL) gets how many are still in the kernel (the runtime's memory is then
// leaked on purpose when freed, as those threads still use it).
SchedEnd sched_run(Sched *s, G *main_g, int64_t linger_ns, int *stuck);

// Asks the runtime to end: Gs stop at their next safepoint. Any thread.
void sched_exit(Sched *s);

int sched_procs(const Sched *s);
// Changes the number of Ps by stopping the world. Owner P, from a safepoint
// (the G's state saved). On return the caller may hold another P: the result;
// or NULL: its P was taken away and the G queued, return from resume. Out of
// memory leaves the number as it was.
P *sched_set_procs(P *p, G *g, int procs);

// --- Running ----------------------------------------------------------------
// Starts g (IDLE or DEAD, with resume set): gives it an id, puts it into
// runnext, wakes an idle P if none spins. Owner P.
void sched_spawn(P *p, G *g);
// g must be WAITING: RUNNABLE and into p's runnext; the G displaced from
// there goes to the ring's tail. Wakes no P (row 5). Owner P.
void sched_ready(P *p, G *g);
// Like sched_ready for a list (linked by link) made ready by timers or the
// network: wakes idle Ps for it (row 9).
void sched_ready_list(P *p, G *first, int count);
// The running G parks: WAITING. The caller has saved everything, and has
// arranged (or commit arranges) that somebody readies it. If commit is not
// NULL it is called after the state changed and may return false to decline:
// then the G is RUNNING again and false is returned.
bool sched_park(P *p, G *g, WaitReason reason, bool (*commit)(G *g, void *arg),
                void *arg);
// Goes to the global queue's tail (row 10).
// (libc has a function sched_yield: the symbol must be another one.)
void sched_yield_g(P *p, G *g);
// The running G ended: DEAD. Its memory is the caller's again at once.
void sched_end(P *p, G *g);
// After the running G left in one of the ways above: the next G to run in
// place, already RUNNING on p, without the long way (runnext or the ring,
// when nothing else asks for attention: look, 1 in 61, a due timer, the slice
// of an inherited tick). NULL: return from resume.
G *sched_switch(P *p);

// The safepoint look (rows 5, 18, 19): due timers of this P, preemption,
// stop-the-world, exit. Called with the G's state saved (frames complete: a
// collector may scan them during the call). Blocks while the world is
// stopped. true: the G must leave: the caller calls sched_preempt(p, g) and
// then sched_switch / returns from resume. Owner P. Cheap when there is
// nothing to do: reads the clock on every 4th call only.
bool sched_look(P *p, G *g);
void sched_preempt(P *p, G *g);
// Makes every P's next safepoint call look soon (host interrupt). Any thread.
void sched_interrupt(Sched *s);

// A blocking system call: hands p over at once to another M (rows 2, 22).
typedef enum SchedCall {
  // Until sched_syscall_exit the caller touches neither heap nor P.
  CALL_ENTERED,
  // max_syscalls Ms are in calls: g is parked until one of them is back, and
  // then enters again. The caller goes on as after sched_park.
  CALL_QUEUED,
  // Others need the P, and there is no M for it: past max_threads, or the
  // system refuses a thread. Nothing was changed; the call must not be made
  // (it would stop the others), its goroutine gets an error.
  CALL_REFUSED,
} SchedCall;

// Owner P, with g running; *m is for sched_syscall_exit.
SchedCall sched_syscall_enter(P *p, G *g, M **m);
// Back: a P for g to go on with (RUNNING), or NULL: g is in the global queue,
// return from resume.
P *sched_syscall_exit(M *m, G *g);

// --- Channels (row 26) ------------------------------------------------------
struct Chan {
  uint32_t lock;    // spin lock, see chan.c; plain while there is one P
  uint32_t closed;  // atomic; written under lock
  uint32_t cap;     // immutable
  uint32_t count;   // atomic; written under lock
  uint32_t sendx, recvx;
  Waiter *recv_first, *recv_last;
  Waiter *send_first, *send_last;
  uint64_t buf[];  // cap words
};

static inline size_t chan_size(uint32_t cap) {
  return sizeof(Chan) + (size_t)cap * sizeof(uint64_t);
}

// The commonest cases without a call and without a lock: one P, nobody waits,
// and there is room, or an element. false: nothing was done. Owner P; without
// the write barrier, so not while it is on.
static inline __attribute__((always_inline)) bool chan_put_quick(
    P *p, Chan *c, uint64_t word) {
  if (!p->single || c->recv_first != NULL || c->count >= c->cap || c->closed)
    return false;
  c->buf[c->sendx] = word;
  if (++c->sendx == c->cap) c->sendx = 0;
  rt_store_relaxed(&c->count, c->count + 1);  // relaxed: one P
  return true;
}
static inline __attribute__((always_inline)) bool chan_take_quick(
    P *p, Chan *c, uint64_t *word, uint64_t empty) {
  if (!p->single || c->count == 0 || c->send_first != NULL) return false;
  *word = c->buf[c->recvx];
  c->buf[c->recvx] = empty;
  if (++c->recvx == c->cap) c->recvx = 0;
  rt_store_relaxed(&c->count, c->count - 1);  // relaxed: one P
  return true;
}
void chan_init(Sched *s, Chan *c, uint32_t cap);

typedef enum ChanResult {
  CHAN_DONE,
  CHAN_PARKED,   // wait for resume; then G.wait.success and .elem tell
  CHAN_CLOSED,   // recv: closed and empty. send: the channel is closed
  CHAN_BLOCKED,  // try forms only
} ChanResult;

// The G's state must be saved as for a park before the call. c may be NULL
// (a nil channel: parks for ever). On resume after CHAN_PARKED: success true
// means sent (or received: the word is in wait.elem); false means closed.
ChanResult chan_send(P *p, G *g, Chan *c, uint64_t word);
ChanResult chan_recv(P *p, G *g, Chan *c, uint64_t *word, WaitReason reason);
// Never park; no lock when they cannot succeed.
ChanResult chan_try_send(P *p, Chan *c, uint64_t word);
ChanResult chan_try_recv(P *p, Chan *c, uint64_t *word);
// false: was closed already. Readies all waiters.
bool chan_close(P *p, Chan *c);
static inline bool chan_is_closed(const Chan *c) {
  return rt_load_acquire(&c->closed) != 0;  // pairs with release in chan_close
}
static inline uint32_t chan_count(const Chan *c) {
  return rt_load_relaxed(&c->count);  // a hint; exact under the lock only
}
// Calls fn for every buffered word and every waiter (world stopped).
void chan_scan(Chan *c, void (*word)(void *arg, uint64_t *slot),
               void (*waiter)(void *arg, Waiter *w), void *arg);

// --- Select (row 27) --------------------------------------------------------
typedef struct SelCase {
  Waiter waiter;  // waiter.elem: the word to send; then the word received
  Chan *chan;     // NULL: never ready
  bool send;
} SelCase;

enum { SELECT_PARKED = -1, SELECT_DEFAULT = -2, SELECT_SEND_CLOSED = -3 };

// cases: memory that stays put until the select is over; `order` room for
// 2 * count words. Ready cases are chosen uniformly (prio: the first).
// Result: the chosen index (received: cases[i].waiter.elem / .success),
// SELECT_DEFAULT (block false and nothing ready), SELECT_SEND_CLOSED (a send
// on a closed channel was chosen), or SELECT_PARKED: after resume call
// select_finish. count may be 0 (parks for ever when block).
int select_go(P *p, G *g, SelCase *cases, uint16_t *order, int count,
              bool block, bool prio);
// After the wake-up: takes the G out of all other queues; the index, or
// SELECT_SEND_CLOSED.
int select_finish(P *p, G *g, SelCase *cases, uint16_t *order, int count);

// --- Timers (row 25, what sleep, after and tick need) -----------------------
// In memory of the layer above; zeroed before first use. In at most one P's
// heap. fire runs on the M of the P that runs the timer, without any lock
// held; it may ready Gs, try to send, and start or stop timers.
struct Timer {
  int64_t when;    // rt_now() time; guarded by the owning P's timer lock
  int64_t period;  // > 0: rearms itself
  void (*fire)(P *p, Timer *timer, int64_t now);
  void *arg;
  P *owner;    // atomic; NULL: in no heap
  int32_t at;  // index in the owner's heap
};

// Stops it first, if it is pending. Owner P; no two Ps at once for one timer.
void timer_start(P *p, Timer *timer, int64_t when, int64_t period);
// true: it was pending and will not fire (one with a period may be firing at
// this moment, for the last time). Any P.
bool timer_stop(P *p, Timer *timer);
// Parks g for ns (<= 0: yields). The timer is g's own, zeroed memory that
// stays put until g runs again.
void sched_sleep(P *p, G *g, Timer *timer, int64_t ns);
// World stopped: for each pending timer; keep returning false removes it.
void timers_filter(Sched *s, bool (*keep)(void *arg, Timer *timer), void *arg);

// --- The world (row 29), for collectors -------------------------------------
// Stops all other Ps at their next safepoint, idle ones at once; Gs in system
// calls cannot come back. Owner P, the G's state saved (it counts as stopped).
// Only one at a time: false when another stop is under way or the runtime
// ends; the caller then goes through sched_look and may try again.
bool sched_stop_world(P *p, G *g);
void sched_start_world(P *p);
// While the world is stopped: runs fn(arg, worker) for worker 0..n-1 at once
// on the Ms of stopped Ps (the caller is worker 0), n <= procs chosen by
// workers available; returns when all have returned. fn is told n.
void sched_run_stopped(P *p, void (*fn)(void *arg, int worker, int workers),
                       void *arg);
// Nearly the same without a stop (row 29b): fn(arg, q) runs for each P q at
// its next safepoint, for idle ones and those in system calls at once by the
// caller; returns when all have run.
void sched_for_each_p(P *p, G *g, void (*fn)(void *arg, P *q), void *arg);
void sched_set_barrier(Sched *s, bool on);  // world stopped

// World stopped: what the scheduler holds. Runnable Gs in queues and runnext,
// the current Gs of all Ps, Gs in system calls.
void sched_each_root(Sched *s, void (*fn)(void *arg, G *g), void *arg);
// All Ps (world stopped, or for reading fields that say so).
P *sched_p(const Sched *s, int index);

// Host handles and foreign senders that could make something runnable: while
// the count is above 0 there is no deadlock. Any thread.
void sched_pin(Sched *s);
void sched_unpin(Sched *s);

// --- Choice and time (all through rt.h) -------------------------------------
uint64_t sched_random(P *p);  // per P, from the seed; not for secrets
uint64_t sched_seed(const Sched *s);

// --- Watching ---------------------------------------------------------------
// X(field, text)
#define SCHED_STATS(X)            \
  X(schedules, "schedules")       \
  X(spawns, "spawns")             \
  X(steal_tries, "steals tried")  \
  X(steals, "steals won")         \
  X(stolen, "goroutines stolen")  \
  X(runnext_hits, "runnext hits") \
  X(overflows, "queue overflows") \
  X(global_gets, "global gets")   \
  X(parks, "thread parks")        \
  X(wakes, "thread wakes")        \
  X(preemptions, "preemptions")   \
  X(timers_run, "timers run")     \
  X(syscalls, "blocking calls")

typedef struct SchedStats {
#define X(field, text) uint64_t field;
  SCHED_STATS(X)
#undef X
  int procs, idle_procs, threads, idle_threads, spinning, runqueue;
} SchedStats;
void sched_stats(Sched *s, SchedStats *out);  // any thread; approximate
// One line like Go's schedtrace ("SCHED 12ms: gomaxprocs=2 idleprocs=...").
void sched_trace_line(Sched *s, FILE *out);

#endif
