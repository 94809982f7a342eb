// SPDX-License-Identifier: MIT
// The scheduler's public face: goroutines on Ms and Ps, channels, select,
// timers, stop-the-world. It knows nothing of values or bytecode.
//
// A G is memory of the layer above. Its `resume` runs on some M, with some P,
// and returns when the G has parked, yielded, ended, or handed its P to a
// system call. Each function says what may call it. "Owner P": the M that runs
// with that P now, inside a resume function (or a timer's fire function).
//
// Every function that takes `P *p, G *g` wants the G that runs on p. After a
// call that answers "parked" the G may already run on another M: touch
// neither it nor its frames, call sched_switch(p) or return from resume.
#ifndef CSP_SCHED_SCHED_H
#define CSP_SCHED_SCHED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sched/memory.h"
#include "sched/rt.h"

typedef struct Sched Sched;
typedef struct M M;
typedef struct P P;
typedef struct G G;
typedef struct Chan Chan;
typedef struct Waiter Waiter;
typedef struct Timer Timer;
typedef struct Group Group;

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
// Or'ed to a status: the next change, out of runnable or running, is one that
// is watched (trace.c). So those that are not cost nothing for it.
enum { G_MARK = 16 };

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
  X(IO, "IO wait")                            \
  X(CALLBACK, "callback")                     \
  X(GROUP, "group")                           \
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
  Chan *chan;           // atomic, with its lock; NULL while in no queue
  uint64_t elem;        // to send; or as received, valid when success
  int32_t index;        // of the case, -1 without a select
  bool success;         // false: woken because the channel was closed
};

struct G {
  G *link;          // run queue or free list; owned by the holder of the G
  uint32_t status;  // atomic, GState; read by g_state
  uint8_t reason;   // WaitReason while waiting
  bool preempted;   // left by preemption, not by its own wish
  bool has_slot;    // a place among the Ms in calls is kept for it (row 22)
  uint64_t id;      // from 1 (the main G), never used again; atomic
  void (*resume)(P *p, G *g);
  P *p;              // while running, else NULL
  int64_t since;     // rt_now() when it left its P (coarse, 0 if unknown), or
                     // was readied, if it is urgent or status is marked
  Waiter wait;       // its single channel operation
  Waiter *woken_by;  // what was fired; written by the waker before ready
  // Of a select, atomic. It is odd while the select waits. The thread that
  // makes it even wakes it. Each wait has a new number.
  uint32_t select_state;
  bool in_call_queue;  // guarded by sched.lock (row 22)
  // --- groups (row 28); NULL and 0 for a G in none ---
  uint8_t shielded;     // atomic, its own: deferred calls run (group.c)
  bool cancelled;       // woken by a cancellation; written by that
  bool is_aide;         // guarded by the lock of its first group
  uintptr_t parked_on;  // atomic: where a canceller finds it (cancel.c)
  Group *group;         // atomic, its own: the innermost
  G *member_next, *member_prev;  // guarded by the lock of its first group
};

static inline GState g_state(const G *g) {
  // relaxed: see g_change
  return (GState)(rt_load_relaxed(&g->status) & ~(uint32_t)G_MARK);
}

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
// What the layer above installs. Any may be NULL. Each comment says which
// thread calls it.
typedef struct SchedHooks {
  void *host;  // handed to every hook
  // P created / destroyed (world stopped, or before it starts). p_init
  // returns false when out of memory.
  bool (*p_init)(void *host, P *p);
  void (*p_free)(void *host, P *p);
  // Called by an M that found nothing to run and is about to sleep (to flush
  // output). The M holds no P. With may_block false it must not block, and
  // gives true if there is something that might. Then it is called again with
  // may_block, when another M watches timers and the network meanwhile. An M
  // that begins a slow blocking call while nobody else needs its P calls it,
  // too, without may_block.
  bool (*idle)(void *host, bool may_block);
  // Nothing can ever run again. World is quiet: no M runs a G. Called once;
  // afterwards sched_run returns SCHED_DEADLOCK.
  void (*deadlock)(void *host);
  // Forced collection wanted (nobody collected for two minutes). From sysmon;
  // must only set flags.
  void (*want_gc)(void *host);
  // A stored channel element, for a collector's write barrier, or the `self` of
  // a ChanBlock that is pointed to; called only while sched_set_barrier(true).
  // p may be NULL.
  void (*barrier)(void *host, P *p, uint64_t old_word, uint64_t new_word);
  // Watching. sysmon's thread gives print one or more lines of the trace.
  // Without print they go to standard error. each_g goes over all Gs that have
  // not ended, for details, while the world is stopped. g_label tells what g
  // runs, in a text that stays until the end of the runtime (owner P).
  void (*print)(void *host, const char *text, size_t len);
  void (*each_g)(void *host, void (*fn)(void *arg, G *g), void *arg);
  const char *(*g_label)(void *host, const G *g);
} SchedHooks;

// Where the CPUs lie (row 17). CPUs of one domain share their last-level
// cache; domains are numbered from 0, nodes as the system does.
typedef struct SchedTopology {
  uint32_t cpus;            // places are of CPUs 0..cpus-1
  uint32_t domains, nodes;  // domains < 2: thieves do not care
  const uint32_t *places;   // sched_place of each, or SCHED_NO_PLACE
  int (*here)(void);        // the caller's CPU; NULL asks the system. Any M
} SchedTopology;

enum { SCHED_DOMAIN_SHIFT = 16, SCHED_NODE_MASK = 0xFFFF };
#define SCHED_NO_PLACE UINT32_MAX  // not among the CPUs we may use
static inline uint32_t sched_place(uint32_t domain, uint32_t node) {
  return domain << SCHED_DOMAIN_SHIFT | node;
}

typedef struct SchedConfig {
  int procs;            // 0: sched_default_procs, and follows it
  int max_threads;      // 0: M_LIMIT_DEFAULT
  int max_syscalls;     // Ms in blocking calls; 0 means at most 512. (Quick
                        // ones that began before come on top, at most one for
                        // each P)
  uint64_t seed;        // of all random choices; 0 takes one from the system
  uint64_t empty_word;  // what a cleared channel slot holds (the VM: nil)
  bool child_first;     // sched_spawn_child is to be used (rows 32, 33)
  bool stepped;         // no threads, one P: see stepped_begin
  const SchedTopology *topology;  // stays the caller's; NULL is this machine's
  const Memory *memory;           // outlives it; NULL is libc's
  SchedHooks hooks;
  int64_t trace_line_ns;  // sched_trace_line that often; never if 0
  bool trace_details;     // ... with a line for each P, M and G
  uint32_t trace_events;  // kept for each P (sched_trace_write); none if 0
  // Not 0: work and span are measured (sched_work_span). In so many bytes after
  // each G are two words for it, zeroed once.
  size_t span_at;
} SchedConfig;

// CPUs this process may use, by the affinity mask and the tightest cgroup v1/v2
// quota of this group and all its ancestors, rounded up, in 1..PROCS_MAX.
int sched_default_procs(void);
// From an invented /proc and /sys below `root`, and a mask's count.
int sched_procs_from(const char *root, int affinity_count);
// The topology of an invented (or, with "", the real) /sys below `root`, for
// the CPUs whose bits are set in `allowed`; for mem_free. NULL: no memory.
SchedTopology *sched_topology_from(const Memory *memory, const char *root,
                                   const uint64_t *allowed, uint32_t cpus);

// NULL: no memory, no threads (errno says which). Any thread; does not block.
Sched *sched_new(const SchedConfig *config);
// Frees it. Only after sched_run has returned (or before it was called).
void sched_free(Sched *sched);

// The same when threads may still be in blocking calls (sched_run's stuck): how
// many there are. The last of them calls last(arg), which frees it. 0: there is
// none any more, and last is not called.
int sched_leave(Sched *sched, void (*last)(void *arg), void *arg);

typedef enum SchedEnd {
  SCHED_EXITED,     // sched_exit was called
  SCHED_DEADLOCK,   // the deadlock hook was called
  SCHED_NO_MEMORY,  // it did not begin
} SchedEnd;

// Runs `main_g` (idle, resume set) and everything it starts, on threads of its
// own; the calling thread waits. Once per runtime. Returns when a G called
// sched_exit or nothing can run. All other Ms have then stopped running Gs.
// Those in a blocking call are waited for up to `linger_ns`. *stuck (may be
// NULL) gets how many are still in the kernel. (sched_free then does nothing,
// as those threads still use it: sched_leave.)
SchedEnd sched_run(Sched *sched, G *main_g, int64_t linger_ns, int *stuck);

// --- Without threads (stepped.c) --------------------------------------------
// With SchedConfig.stepped, instead of sched_run: the calling thread is what
// runs Gs, inside stepped_run. It has the P in between, too. All of these but
// stepped_stop: one thread at a time. false: out of memory.
bool stepped_begin(Sched *sched);
void stepped_end(Sched *sched);  // then sched_free

typedef struct SteppedRun {
  const uint32_t *done;  // atomic: the run ends when it is not 0. Or NULL
  int64_t until;         // rt_now() time; RT_FOREVER
  bool waits;            // when no G can run
  int64_t now;           // what rt_now() has just said, or 0: it is not known
} SteppedRun;

typedef enum HostWay { HOST_RESTS, HOST_WORKS, HOST_STOPPED } HostWay;

typedef enum SteppedEnd {
  STEPPED_DONE,   // *done
  STEPPED_OVER,   // it is `until`, or stepped_stop was called
  STEPPED_IDLE,   // no G can run now (waits is false)
  STEPPED_STUCK,  // no G can ever run again (waits is true)
  STEPPED_ENDED,  // sched_exit was called: nothing will run
} SteppedEnd;

// Runs first (IDLE or DEAD, with resume set, or NULL for none), then all
// others. From outside, or by a G's native when the state of that G is saved.
// The G waits meanwhile, and the run is no longer than the run around it.
SteppedEnd stepped_run(Sched *sched, G *first, const SteppedRun *run);
// The host begins something that stepped_stop may end, of one stepped_run or
// more, and ends it.
void stepped_work(Sched *sched);
void stepped_rest(Sched *sched);
// What the host works on is over. Its stepped_run ends with STEPPED_OVER, and
// so does each further one, until stepped_clear_stop or stepped_rest. If the
// host works on nothing, stepped_stop gives false, and nothing is stopped, now
// or later. Any thread, signal handlers.
bool stepped_stop(Sched *sched);
bool stepped_clear_stop(Sched *sched);        // true: it was stopped
bool stepped_is_stopped(const Sched *sched);  // by the host's thread
// Readable, for poll and its like, when stepped_run would find something to do.
// The runtime's own: not to be read or closed. -1: errno tells.
int stepped_fd(Sched *sched);
// When that will be, as rt_now() tells it. 0: now. RT_FOREVER: not by itself.
int64_t stepped_next(Sched *sched);
// The host itself has readied Gs, outside stepped_run: stepped_fd is to tell.
void stepped_touched(Sched *sched);

// --- lifecycle.c ------------------------------------------------------------
// Asks the runtime to end: Gs stop at their next safepoint. Any thread.
void sched_exit(Sched *sched);
// The same, from signal handlers, too: takes no lock. (The thread in sched_run
// does it; where that is the only thread there is, at the next safepoint.)
void sched_exit_soon(Sched *sched);
// Whether the end has begun. Any thread.
bool sched_is_over(const Sched *sched);
int sched_procs(const Sched *sched);

// --- resize.c ---------------------------------------------------------------
// Changes the number of Ps by stopping the world. Owner P, from a safepoint
// (the G's state saved). On return the caller may hold another P, the result.
// NULL: its P was taken away, and the G queued. Without memory nothing changes.
P *sched_set_procs(P *p, G *g, int procs);
// Whether the CPUs that this process may use have changed, so that somebody is
// to call sched_follow_cpus. Never after sched_set_procs, nor where the config
// has said how many Ps there are. Any thread.
bool sched_cpus_changed(const Sched *sched);
// As many Ps as that, as sched_set_procs does it.
P *sched_follow_cpus(P *p, G *g);

// --- Running ----------------------------------------------------------------
// Starts g (IDLE or DEAD, with resume set): gives it an id, puts it into
// runnext, wakes an idle P if none spins. Owner P.
void sched_spawn(P *p, G *g);
// The same child first: g, which runs, goes to the tail of p's ring, where it
// can be stolen, and the child is what sched_switch gives next. For runtimes
// with SchedConfig.child_first; g's state is saved, as for a park. Owner P.
void sched_spawn_child(P *p, G *g, G *child);
// Makes g, which must be WAITING, RUNNABLE and p's runnext. The G that was
// there goes to the ring's tail. Wakes no P (row 5). Owner P.
void sched_ready(P *p, G *g);
// Like sched_ready for a list (linked by link) made ready by timers or the
// network: wakes idle Ps for it (row 9).
void sched_ready_list(P *p, G *first, int count);
// How many Gs chan_close and group_cancel have gone through on this P since it
// was asked last. The layer above charges that. Owner P.
uint64_t sched_take_woken(P *p);
// The running G parks: WAITING. The caller has saved everything, and has
// arranged (or commit arranges) that somebody readies it. commit (or NULL) is
// called after the state changed. It may decline by returning false: then the G
// is RUNNING again, and that is returned.
bool sched_park(P *p, G *g, WaitReason reason, bool (*commit)(G *g, void *arg),
                void *arg);
// Goes to the global queue's tail (row 10). (libc has a sched_yield.)
void sched_yield_g(P *p, G *g);
// The running G ended: DEAD. Its memory is the caller's again at once.
void sched_end(P *p, G *g);
// After the running G left in one of the ways above. Gives the next G, already
// RUNNING on p, to be run in place. NULL: return from resume, as there is none
// or something else is due (a look, 1 in 61, urgent Gs, the end of runnext's
// picks).
G *sched_switch(P *p);

// The safepoint look (rows 5, 18, 19): due timers of this P, preemption,
// stop-the-world, exit. Called with the G's state saved (frames complete: a
// collector may scan them during the call). Blocks while the world is stopped.
// true: the G must leave. The caller calls sched_preempt(p, g), then
// sched_switch or returns from resume. Owner P. Reads the clock on every 4th
// call only (stepped: on each).
bool sched_look(P *p, G *g);
// The same with the clock read in any case: after a piece of long work.
bool sched_look_now(P *p, G *g);
// In the middle of what cannot be left: due timers fire, netpoll is asked, idle
// Ps are woken for what waits here. p does not become alone in it (alone.c).
// Owner P, no lock held. Does not block.
void sched_look_aside(P *p);
// Before what may take long without a look: no other P waits for this one then
// (alone.c). Owner P, no lock held. Does not block.
void sched_not_alone(P *p);
void sched_enter_host(
    P *p);  // the same, and counts a call of a host's function
void sched_never_alone(P *p);  // the same, and holds for all Ps from now on
// Will what the running G does be for nobody? The runtime ends, or the host's
// call is over, or stepped_stop was called. For what cannot be left unfinished
// in any other way than to be given up. Reads the clock. Owner P.
bool sched_work_is_vain(P *p);
// The same of what a G does in a blocking call. By the thread that is in it.
bool sched_call_is_vain(const Sched *sched);
// The next look reads the clock, as more was done before it. Owner P.
void sched_clock_soon(P *p);
void sched_preempt(P *p, G *g);
// Makes every P's next safepoint call look soon (host interrupt). Any thread.
void sched_interrupt(Sched *sched);

// A blocking system call (rows 2, 22). A quick one keeps p, which others may
// take from it when it lasts; a slow one hands it over at once to another M.
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
SchedCall sched_syscall_enter(P *p, G *g, bool quick, M **m);
// The M is back. Gives a P for g to go on with (RUNNING). NULL: g is in the
// inbox, and the caller returns from resume.
P *sched_syscall_exit(M *m, G *g);

// A callback (row 23): outer, which runs on *p, waits while inner (IDLE or
// DEAD, with resume set) runs, all of it on this thread, under the caller's C
// frames. When inner waits the thread does, and the P goes on with others. *p
// is then what outer goes on with, RUNNING. NULL: the runtime ends, and the
// caller touches neither P nor heap. false: nothing was done, as no thread
// would be left for others if inner waits (`waits`). Owner P; blocks.
bool sched_run_locked(P **p, G *outer, G *inner, bool waits);
// Is the thread's C stack too deep for natives to make more calls? Owner P.
bool sched_stack_is_used(const P *p);

// --- Channels (row 26) ------------------------------------------------------
// Chan.flags. A send to a full channel waits, unless that channel
enum {
  CHAN_IS_CLOSED = 1,
  CHAN_DROPS = 2,  // drops the oldest element for the new one; immutable
  CHAN_GROWS = 4,  // gets more room, up to a limit (chan_grow.c); immutable
};

struct Chan {
  uint32_t lock;          // see chan_quick.h; not taken by a P that is alone
  uint32_t flags;         // atomic; written under lock
  uint32_t cap;           // immutable, 0 with CHAN_GROWS
  uint32_t count;         // atomic, written under lock; 0 with CHAN_GROWS
  uint32_t sendx, recvx;  // CHAN_GROWS: see chan_grow.c
  Waiter *recv_first;
  union {
    Waiter *recv_last;
    int64_t closed_span;  // closed, with SchedConfig.span_at: of its closer
  };
  Waiter *send_first, *send_last;
  uint64_t buf[];  // cap words, with CHAN_GROWS a ChanGrowth (see chan.c)
};
// Guarded by the channel's lock, but for what is immutable. See chan_grow.c.
typedef struct ChanBlock ChanBlock;
struct ChanBlock {
  ChanBlock *next;  // the one that is read after it, or NULL
  uint64_t self;    // immutable: what the write barrier takes it for
  uint32_t room;    // immutable
  uint32_t end;     // words [0, end) are set: words, or empty
  uint64_t words[];
};
typedef struct ChanGrowth {
  ChanBlock *first, *last;  // NULL: there are no blocks
  ChanBlock *spare;         // or NULL
  uint32_t count;           // atomic; written under lock
  uint32_t limit;           // immutable
  uint32_t room;            // of all blocks of the chain
  uint32_t wants;           // atomic flag; written under lock
} ChanGrowth;

static inline size_t chan_size(uint32_t cap) {
  return sizeof(Chan) + (size_t)cap * sizeof(uint64_t);
}
static inline size_t chan_size_grows(void) {
  return sizeof(Chan) + sizeof(ChanGrowth);
}
static inline ChanGrowth *chan_growth(const Chan *chan) {
  return (ChanGrowth *)(uintptr_t)chan->buf;
}

#include "sched/chan_quick.h"
#include "sched/gate.h"

// Plain, drops (cap >= 1), grows up to limit (1 to INT32_MAX, no room so far).
void chan_init(Chan *chan, uint32_t cap);
void chan_init_drops(Chan *chan, uint32_t cap);
void chan_init_grows(Chan *chan, uint32_t limit);

typedef enum ChanResult {
  CHAN_DONE,
  CHAN_PARKED,      // wait for resume; then G.wait.success and .elem tell
  CHAN_CLOSED,      // recv: closed and empty. send: the channel is closed
  CHAN_BLOCKED,     // try forms only
  CHAN_WANTS_ROOM,  // send: nothing was done. Call chan_grow, and send again
} ChanResult;

// The G's state must be saved as for a park before the call. chan may be NULL
// (a nil channel: parks for ever). On resume after CHAN_PARKED success is true
// if it was sent, or received into wait.elem, and false if closed.
ChanResult chan_send(P *p, G *g, Chan *chan, uint64_t word);
ChanResult chan_recv(P *p, G *g, Chan *chan, uint64_t *word, WaitReason reason);
// Never park; no lock when they cannot succeed.
ChanResult chan_try_send(P *p, Chan *chan, uint64_t word);
ChanResult chan_try_recv(P *p, Chan *chan, uint64_t *word);
// false: was closed already. Readies all waiters, in one piece
// (sched_take_woken).
bool chan_close(P *p, Chan *chan);
static inline bool chan_is_closed(const Chan *chan) {
  // acquire: pairs with release in chan_close
  return (rt_load_acquire(&chan->flags) & CHAN_IS_CLOSED) != 0;
}
static inline bool chan_grows(const Chan *chan) {
  // relaxed: this bit never changes after chan_init_grows
  return (rt_load_relaxed(&chan->flags) & CHAN_GROWS) != 0;
}
static inline uint32_t chan_count(const Chan *chan) {
  // relaxed, both: a hint, which is exact under the lock
  uint32_t count = rt_load_relaxed(&chan->count);
  if (count > 0 || !chan_grows(chan)) return count;
  return rt_load_relaxed(&chan_growth(chan)->count);
}
// How many it may hold.
static inline uint32_t chan_cap(const Chan *chan) {
  return chan->cap == 0 && chan_grows(chan) ? chan_growth(chan)->limit
                                            : chan->cap;
}
// Blocks of channels that grow. A size is in bytes, a power of two, for a block
// with all that the layer above has around it. The least has room for 4 words
// here. The most is what an allocator of small objects still gives, in less
// than 1 us; its head costs 0.1 %.
enum {
  CHAN_BLOCK_LEAST = 64,
  CHAN_BLOCK_MOST = 32 << 10,
  CHAN_BLOCK_HEAD = 32,  // at least; the rest is words
};
_Static_assert(sizeof(ChanBlock) <= CHAN_BLOCK_HEAD, "a block's head");
// Of the next one of a channel that holds so many words.
size_t chan_block_size(uint32_t count);
// room: of block->words, from 1 on. self: see SchedHooks.barrier.
void chan_block_init(ChanBlock *block, uint32_t room, uint64_t self);
// After CHAN_WANTS_ROOM: the size of the next block. 0: none is wanted any
// more. Owner P, as is chan_grow. Then the block is the channel's. false: it
// was not wanted any more, and is the caller's.
size_t chan_next_size(const Chan *chan);
bool chan_grow(P *p, Chan *chan, ChanBlock *block);
// Calls these (world stopped, by a collector) for each word of a ring, or the
// first block, whose `next` leads to the others; and for each waiter. A spare
// block is forgotten.
typedef struct ChanScan {
  void (*word)(void *arg, uint64_t *slot);
  void (*block)(void *arg, ChanBlock *block);
  void (*waiter)(void *arg, Waiter *waiter);
} ChanScan;
void chan_scan(Chan *chan, const ChanScan *scan, void *arg);

// --- Select (row 27) --------------------------------------------------------
typedef struct SelCase {
  Waiter waiter;  // waiter.elem is the word to send, then the one received
  Chan *chan;     // NULL: never ready
  bool send;
} SelCase;

enum {
  SELECT_PARKED = -1,
  SELECT_DEFAULT = -2,
  SELECT_SEND_CLOSED = -3,
  SELECT_CANCELLED = -4,   // of select_finish
  SELECT_WANTS_ROOM = -5,  // nothing was done: a send case's channel is to grow
};

// What a select does, ored. If nothing is ready: SELECT_DEFAULT, or it parks.
// Of several that are ready it takes a random one, or the first.
enum { SELECT_TRY = 0, SELECT_BLOCK = 1, SELECT_PRIO = 2 };
// The memory of cases stays put until the select is over. `order` has room for
// 2 * count words. count may be 0. The result is the chosen index, or one of
// the above. What was received is in cases[i].waiter.elem and .success. After
// SELECT_PARKED and resume call select_finish. After SELECT_WANTS_ROOM grow
// those whose chan_next_size is not 0, and call it again. SELECT_SEND_CLOSED
// says that such a case was chosen.
int select_go(P *p, G *g, SelCase *cases, uint16_t *order, int count, int how);
// After the wake-up. Takes the G out of all other queues, and gives the index,
// SELECT_SEND_CLOSED, or SELECT_CANCELLED (and the caller clears G.cancelled).
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
  P *owner;     // atomic; NULL in no heap
  int32_t at;   // index in the owner's heap, or -2: spilled
  Timer *next;  // of those spilled
};

// Stops it first, if it is pending. Owner P; no two Ps at once for one timer.
void timer_start(P *p, Timer *timer, int64_t when, int64_t period);
// true: it was pending and will not fire (one with a period may be firing at
// this moment, for the last time). Any P.
bool timer_stop(P *p, Timer *timer);
// Parks g for ns (<= 0: yields). The timer is g's own, zeroed memory that
// stays put until g runs again.
void sched_sleep(P *p, G *g, Timer *timer, int64_t ns);
// World stopped. Removes the pending timers for which keep is false.
void timers_filter(Sched *sched, bool (*keep)(void *arg, Timer *timer),
                   void *arg);

// --- Groups and cancellation (row 28) ---------------------------------------
// A group belongs to the G that began it, its owner, and ends when all its
// members have ended: the Gs that were started while it was the innermost group
// of their starters. A group that is begun while another is the innermost
// lies in that one, and is cancelled with it.
//
// A cancelled G is woken if it is parked, with G.cancelled set, which it
// clears; before each operation that may block it asks g_cancelled. While
// deferred functions run it is shielded: it is cancelled only when the group's
// time of grace, after the cancellation, is over.
typedef enum CancelReason {
  NOT_CANCELLED,
  CANCELLED,        // by group_cancel
  CANCEL_DEADLINE,  // by its deadline
  CANCEL_INTERRUPT,
  CANCEL_REASONS,
} CancelReason;

// In memory of the layer above. All fields are this folder's.
struct Group {
  RtLock lock;
  uint32_t cancelled;   // atomic: CancelReason
  uint32_t grace_over;  // atomic: the same, when the time of grace is over
  int64_t deadline;     // atomic: the timer's, for group_look, or 0
  G *owner;             // immutable
  Group *parent;        // NULL if outermost; changed by group_begin_outer alone
  bool in_shield;       // immutable: begun by a deferred function
  bool solo;            // immutable: of one G, whose children do not join
  // --- guarded by lock ---
  bool ended, waiting;  // the owner waits for its members
  uint32_t count;       // of members
  uint32_t aides;       // of those: members that nobody waits for
  bool dismissed;       // the owner has cancelled what was left, its aides
  G *members;
  Group *inner;             // groups in it
  int64_t grace, patience;  // ns
  int64_t since;   // when it was cancelled, or its time of grace was over; or 0
  int64_t span;    // workspan.c: the longest of members that have left
  int64_t harden;  // when the time of grace is over, 0 before it begins
  Timer timer;     // the deadline's, then the grace's
  // --- guarded by the parent's lock ---
  Group *inner_next, *inner_prev;
  Group *work;  // of the one canceller that set a flag of it
};
#define GROUP_GRACE_NS ((int64_t)5000000000)
#define GROUP_PATIENCE_NS ((int64_t)100000000)

// g, which runs, begins a group. Owner P.
void group_begin(P *p, G *g, Group *group);
// The same for a G that is going to be started: it has no members, and ends
// with g. For cancelling g, and what it waits for in groups. Owner P.
void group_begin_solo(P *p, G *g, Group *group);
// World stopped: the same for a G that is no member, around its own groups.
void group_begin_outer(G *g, Group *group);
// Cancels those of g's groups whose deadline is over. Their timers may be on a
// P that waits for this one, which is in a native, to stop. Owner P, g runs.
void group_look(P *p, const G *g);
// A G that is going to be started becomes a member of the innermost group of
// its starter (or of none: NULL). Owner P.
void group_join(P *p, Group *group, G *g);
// The same for an aide. The group does not last because of it: it is cancelled
// once all others have ended. Owner P.
void group_join_aide(P *p, Group *group, G *g);
// World stopped: an aide that nothing can wake is going to be freed. Its group
// is not.
void group_lose_aide(G *g);
// Whether nothing but aides is left. Any thread.
bool group_is_done(Group *group);
// A member, or a solo group's owner, is done; sched_end follows. Owner P.
void group_leave(P *p, G *g);
// Ends g's innermost group. false: it has members, and g parks (its state is
// saved), not to be cancelled, and asks again when it runs. Owner P.
bool group_end(P *p, G *g);
// Cancels it and all in it, in one piece (sched_take_woken). false: it was
// cancelled before. Owner P.
bool group_cancel(P *p, Group *group, CancelReason reason);
// Cancels it at that time (rt_now()). Owner P; so is the next one.
void group_deadline(P *p, Group *group, int64_t when);
void group_set_grace(P *p, Group *group, int64_t ns);
void group_set_patience(Group *group, int64_t ns);
// Whether a deadline of g's groups is over, though nobody may have cancelled
// them yet. g runs, or is in a call of this thread.
bool group_deadline_over(const G *g);
// Whether g, which runs, is cancelled, and its innermost group's patience is
// over since then, and since `told`, when g was last told so (or 0).
bool group_is_late(const G *g, int64_t told);
// If the owner waits in group_end it runs again. Owner P.
void group_wake_owner(P *p, Group *group);
// World stopped, before memory of channels is given back: g forgets the one it
// waited for before.
void group_forget_chan(G *g);
// A group's timer, for timers_filter: its group, else NULL.
Group *group_of_timer(const Timer *timer);

// Why g is cancelled now. Any M; for others than g's own a guess.
static inline CancelReason g_cancelled(const G *g) {
  // acquire: pairs with group_begin. The group is g's own, or is checked again
  // when g is taken
  const Group *group = rt_load_acquire(&g->group);
  if (__builtin_expect(group == NULL, 1)) return NOT_CANCELLED;
  // seq: after g has shown where it parks (cancel.c)
  return (CancelReason)(rt_load_relaxed(&g->shielded)  // relaxed: as above
                            ? rt_load_seq(&group->grace_over)
                            : rt_load_seq(&group->cancelled));
}

#include "sched/descriptors.h"

// --- Threads without a P (row 23b) ------------------------------------------
// fn(p, post) will be called soon by an M with a P, between two Gs or in a
// look; it may ready Gs and start timers, not park. The post is the caller's
// memory again from then on. Any thread, also before sched_run; takes
// sched.lock at most, so not from a signal handler. A thread that may still
// post keeps a pin (sched_pin): else nobody waits.
typedef struct SchedPost SchedPost;
struct SchedPost {
  SchedPost *next;  // the inbox's
  void (*fn)(P *p, SchedPost *post);
};
void sched_post(Sched *sched, SchedPost *post);
// Its two halves, for a caller that puts the post under its own lock and tells
// without it. The post may run between them. The first takes no lock.
void sched_post_put(Sched *sched, SchedPost *post);
void sched_post_tell(Sched *sched);
// The door (door.c): through it threads that are not the runtime's come in, as
// to sched_post, where that may end the run. The thread that frees the runtime
// closes it first: it waits for those inside, and no other comes in.
typedef struct Door {
  uint32_t state;    // atomic: threads inside, and whether it is closed
  uint32_t keepers;  // atomic: the door is freed with the last of them
  void *host;        // immutable: whose door it is
  Memory memory;     // immutable: of the door, for all that keep it
} Door;
// Kept by the caller. NULL without memory.
Door *door_new(const Memory *memory, void *host);
void door_keep(Door *door);  // by one more; any thread that keeps it
void door_drop(Door *door);  // by one less; any thread
// false: it is closed. Any thread that keeps it or knows that the runtime is
// there; signal handlers.
bool door_enter(Door *door);
void door_leave(Door *door);  // the same
void door_close(Door *door);  // once; waits until nobody is inside

// Once, instead of ending the run when nothing can ever run again, the post is
// made. NULL: no more. Owner P.
void sched_when_stuck(Sched *sched, SchedPost *post);

// --- The world (row 29), for collectors -------------------------------------
// Stops all other Ps at their next safepoint, idle ones at once; Gs in system
// calls cannot come back. Owner P, the G's state saved (it counts as stopped).
// Only one at a time. false: another stop is under way or the runtime ends, and
// the caller goes through sched_look before it tries again.
bool sched_stop_world(P *p, G *g);
// Waits while another thread stops the world. The state of the G is saved
// before. false: there was no wait, because nobody stops the world, or because
// the G has to leave for that stop (sched_look). Owner P.
bool sched_attend_stop(P *p);
void sched_start_world(P *p);
// While the world is stopped. Runs fn(arg, worker, n) for worker 0..n-1 at once
// on the Ms that wait (the caller is worker 0), with n <= procs, and as many as
// are there. Returns when all have returned.
void sched_run_stopped(P *p, void (*fn)(void *arg, int worker, int workers),
                       void *arg);
// A handshake without a stop (row 29b). fn(arg, each) runs for each P at its
// next safepoint, or on the caller where it is idle or in a call. Returns when
// all have run. It and the barrier are for a collector that marks while Gs run,
// and no layer above has one today.
void sched_for_each_p(P *p, G *g, void (*fn)(void *arg, P *each), void *arg);
void sched_set_barrier(Sched *sched, bool on);  // world stopped
// For threads that hold no P: sysmon's, a host's, one in a blocking call. Stops
// the world, once it is not stopped by others, calls fn, and starts it again.
// fn may read all that belongs to Gs. Those in calls that come back then wait
// in the inbox. false, without fn: nothing runs (yet), or `until` is over.
bool sched_while_stopped(Sched *sched, int64_t until, void (*fn)(void *arg),
                         void *arg);

// World stopped. Calls fn for Gs in queues and runnext, the current Gs of all
// Ps, and Gs in system calls, but for none in the inbox.
void sched_each_root(Sched *sched, void (*fn)(void *arg, G *g), void *arg);
// All Ps (world stopped, or for reading fields that say so).
P *sched_p(const Sched *sched, int index);

// Host handles and foreign senders that could make something runnable: while
// the count is above 0 there is no deadlock. Any thread.
void sched_pin(Sched *sched);
void sched_unpin(Sched *sched);

// --- Choice and time (all through rt.h) -------------------------------------
uint64_t sched_random(P *p);  // per P, from the seed; not for secrets

// --- Watching ---------------------------------------------------------------
typedef struct SchedStats {
#define X(field, text) uint64_t field;
  SCHED_STATS(X)
#undef X
  int procs, idle_procs, threads, idle_threads, spinning, runqueue;
  uint64_t late[LATE_BUCKETS];  // as PStats.late
} SchedStats;
void sched_stats(Sched *sched, SchedStats *out);  // any thread; approximate
// Are work and span measured (SchedConfig.span_at)? Any thread. Both in ns,
// when sched_run has returned.
bool sched_spans(const Sched *sched);
void sched_work_span(Sched *sched, int64_t *work, int64_t *span);
// With it, g has just entered by gate_try_enter. Owner P, g running.
void sched_span_entered(P *p, G *g, Chan *gate);
// One line like Go's schedtrace ("SCHED 12ms: gomaxprocs=2 idleprocs=...").
void sched_trace_line(Sched *sched, FILE *out);
// And a line for each P, M and G, those of one moment: stops the world. By
// threads that hold no P. false: as sched_while_stopped, and one line alone.
bool sched_trace_details(Sched *sched, FILE *out);
// The events that were kept, in Chrome's trace format. After sched_run.
void sched_trace_write(Sched *sched, FILE *out);

#endif
