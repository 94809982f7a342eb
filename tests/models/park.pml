// SPDX-License-Identifier: MIT
// Submitting work against ceasing to look for it (sched/idle.c, find_work.c).
//
// Ms run Gs on Ps; a G starts others, ends, or computes for ever. A thread
// without a P pushes a G into the inbox. An M that has nothing to do
// looks everywhere, gives its P back, and sleeps on its note. At the end, when
// nothing moves any more:
//   - no G is queued while a P is idle, even if all other Ms compute for ever
//     (where the system refused a thread: not while all Ms sleep)
//   - the inbox is empty, nobody is counted as spinning
//   - all Ps are idle exactly if a deadlock was reported; and it is reported
//     only when no G is left anywhere
// S1, S2 of a process that submits and T1, T2, T3 of one that gives up are the
// steps in the head comment of idle.c.
//
// A section under sched.lock is one step, or one for each word that it changes
// and that others read without the lock.
//
// check: -DPS=2 -DMS=3 -DGS=3
// check: -DPS=2 -DMS=3 -DGS=2 -DOVERFLOW
// check: -DPS=2 -DMS=3 -DGS=3 -DOVERFLOW -DFOREVER
// check: -DPS=3 -DMS=4 -DGS=3 -DFOREVER
// check: -DPS=2 -DMS=2 -DGS=2 -DHOST
// check: -DPS=2 -DMS=2 -DGS=3 -DHOST -DFOREVER
// bug: -DBUG_NO_RECHECK: a searcher sleeps without T3
// bug: -DBUG_RECHECK_FIRST: T3 comes before T2
// bug: -DBUG_P_BACK_LATE: T1 comes after T3
// bug: -DBUG_LOAD_FIRST: S2 passes S1, as acquire and release would allow
// bug: -DBUG_LAST_SPINNER -DPS=3 -DFOREVER: the finder of work wakes no other
// bug: -DBUG_CLAIM_FORGETS: a claim without a P is dropped, without a look
// bug: -DBUG_NO_FLAG -DMS=2 -DHOST -DFOREVER: no P is asked to drain the inbox
// bug: -DBUG_NO_FLAG_LEFT -DMS=2 -DHOST -DFOREVER: a spinner that finds other
//      work, or no P, leaves the inbox to nobody

#ifndef PS
#define PS 2
#endif
#ifndef MS
#define MS (PS + 1)
#endif
#ifndef GS
#define GS 3
#endif
#define NONE 255
// FOREVER: the first G starts all others, and none ends. OVERFLOW: a start may
// find the ring full. HOST: a thread posts.
#ifdef FOREVER
#define STARTS(m) (m == 0)
#define ENDS false
#else
#define STARTS(m) true
#define ENDS true
#endif
#ifdef OVERFLOW
#define OVERFLOWS true
#else
#define OVERFLOWS false
#endif

// --- What all see -----------------------------------------------------------
bool locked;          // sched.lock, while a section takes several steps
byte queue[PS];       // a P's ring and runnext: how many Gs
byte global;          // the global queue; written under the lock
byte inbox;
bool is_idle[PS];     // the status of a P; written under the lock
byte idle_count;      // written under the lock
byte spinning;        // Ms that look for work
bool look[PS];        // LOOK_INBOX
byte pins;            // threads that may still post
bool note[MS];        // an M's note (note.pml has its inside)

// Guarded by the lock.
bool pooled[MS];      // in idle.ms
byte next_p[MS];      // what it is woken with
bool deadlock;        // was reported

// --- What only this model knows ---------------------------------------------
byte unborn = GS;     // Gs not yet started
byte alive;           // started, not ended
bool refused;         // an M was wanted, and there was none

// --- Idle Ps: the end of a section that has the lock ------------------------
// T1. The mask and the count change in one step: a process that reads them
// without the lock reads one after the other anyway.
inline put_p(p) {  // idle_put_p, idle_check_deadlock
  d_step {
    assert(!is_idle[p] && queue[p] == 0);
    is_idle[p] = true;
    idle_count++;
    p = NONE;
    locked = false;
    if
    :: idle_count == PS && global == 0 && pins == 0 && inbox == 0 ->
       assert(alive == 0);
       deadlock = true
    :: else
    fi
  }
}

inline take_p(p) {  // idle_get_p
  if
  :: is_idle[0] -> p = 0
  :: is_idle[1] -> p = 1
#if PS > 2
  :: is_idle[2] -> p = 2
#endif
  fi;
  is_idle[p] = false;
  idle_count--
}

// --- Asking a P to drain the inbox (inbox.c) --------------------------------
#ifdef HOST
inline flag_one(p) {
  if
  :: is_idle[p]
  :: !is_idle[p] -> look[p] = true
  fi
}

// A P that runs is to drain it. Where both are about to go idle, their Ms look
// into the inbox before they sleep.
inline flag_inbox() {
  flag_one(0);
  if
  :: is_idle[0] -> flag_one(1)
  :: !is_idle[0]
  fi
}

#ifndef BUG_NO_FLAG_LEFT
// A spinner that found something else, or no P: others have relied on it.
inline flag_for_others() {
  if
  :: inbox != 0 && idle_count == 0 -> flag_inbox()
  :: else
  fi
}
#endif
#endif
#if !defined(HOST) || defined(BUG_NO_FLAG_LEFT)
#define flag_for_others()
#endif

// --- Waking -----------------------------------------------------------------
// Ps that are idle in the mask, of which one load tells, are not looked at.
#if PS > 2
#define READ_MASK()                                                     \
  d_step { skips[0] = is_idle[0]; skips[1] = is_idle[1]; skips[2] = is_idle[2] }
#define FORGET_MASK() skips[0] = false; skips[1] = false; skips[2] = false
#else
#define READ_MASK()   d_step { skips[0] = is_idle[0]; skips[1] = is_idle[1] }
#define FORGET_MASK() skips[0] = false; skips[1] = false
#endif

// T3: found becomes true if there is something to do.
inline work_anywhere(found) {
  found = (global != 0 || inbox != 0);
  READ_MASK();
  found = (found || (!skips[0] && queue[0] != 0));
#if PS > 2
  found = (found || (!skips[1] && queue[1] != 0));
#endif
  d_step {
    found = (found || (!skips[PS - 1] && queue[PS - 1] != 0));
    FORGET_MASK()
  }
}

// p becomes an idle P, and we are the one that spins; or p stays NONE.
inline claim_p(p, found) {
  do
  :: spinning != 0 -> break
  :: atomic { spinning == 0 -> spinning = 1 };
     if
     :: atomic { !locked && idle_count != 0 -> take_p(p) };
        break
     :: atomic { !locked && idle_count == 0 };
        spinning--
     fi;
#ifdef BUG_CLAIM_FORGETS
     break;
#endif
     if
     :: idle_count == 0 -> flag_for_others(); break
     :: else
     fi;
     work_anywhere(found);
     if
     :: found -> found = false
     :: else -> break
     fi
  od
}

// An M of the pool gets p, and spins.
inline start_m(p, who) {  // idle_start_m, as idle_wakep calls it
  atomic {
    !locked;
    who = 0;
    do
    :: who < MS && !pooled[who] -> who++
    :: else -> break
    od;
    if
    :: who < MS -> pooled[who] = false; next_p[who] = p; p = NONE
    :: else
    fi
  };
  if
  :: who < MS -> note[who] = true
  :: else ->  // the system gives no more threads
     d_step { refused = true; spinning-- };
     atomic { !locked -> locked = true };
     put_p(p)  // idle_give_back
  fi;
  who = 0
}

inline wakep(woken, found, who) {  // idle_wakep; S2 is how it begins
  if
  :: spinning != 0
  :: spinning == 0 ->
     if
     :: idle_count == 0
     :: else ->
        claim_p(woken, found);
        if
        :: woken != NONE -> start_m(woken, who)
        :: else
        fi
     fi
  fi
}

// S1 is the statement; then the submitter looks whether to wake somebody.
#ifdef BUG_LOAD_FIRST
#define SUBMIT(statement)                          \
  found = (spinning == 0);                         \
  found = (found && idle_count != 0);              \
  statement;                                       \
  if                                               \
  :: found -> found = false; wakep(woken, found, who) \
  :: else                                          \
  fi
#else
#define SUBMIT(statement) statement; wakep(woken, found, who)
#endif

// --- The inbox (inbox.c) ----------------------------------------------------
#ifdef HOST
inline drain_inbox(p) {
  look[p] = false;
  if
  :: inbox == 0
  :: atomic { inbox != 0 -> inbox-- };
     SUBMIT(queue[p]++)
  fi
}
#else
#define drain_inbox(p)
#endif

// Half of the victim's queue, rounded up; one of them is run.
#define STEAL(victim)                                                    \
  atomic {                                                               \
    victim != p && queue[victim] != 0 ->                                 \
    queue[p] = queue[p] + (queue[victim] - queue[victim] / 2) - 1;       \
    queue[victim] = queue[victim] / 2                                    \
  };                                                                     \
  goto got

// --- An M: proc_m_loop (proc.c), find_work_next (find_work.c) ---------------
proctype M(byte m; byte p) {
  byte who, woken = NONE;
  bool spins, found, skips[PS];
  if
  :: p == NONE -> goto wait
  :: else -> goto running
  fi;

find:
  drain_inbox(p);
  if  // its own queue, the global one, then stealing, if it may spin; what
      // others have can escape it: only T3 counts
  :: atomic { queue[p] != 0 -> queue[p]-- }; goto got
  :: atomic { queue[p] == 0 && global != 0 && !locked -> global-- }; goto got
  :: queue[p] == 0
  fi;
  if
  :: spins
  :: atomic {
       !spins && 2 * spinning < PS - idle_count -> spins = true; spinning++
     }
  :: !spins && 2 * spinning >= PS - idle_count -> goto give_up
  fi;
  if
  :: STEAL(0)
  :: STEAL(1)
#if PS > 2
  :: STEAL(2)
#endif
  :: skip
  fi;

give_up:
#ifdef BUG_P_BACK_LATE
  work_anywhere(found);
  if
  :: found -> found = false; goto find
  :: else
  fi;
#endif
  if  // release_p
  :: atomic { !locked && (global != 0 || inbox != 0 || look[p]) }; goto find
  :: atomic {
       !locked && global == 0 && inbox == 0 && !look[p] -> locked = true
     }
  fi;
  put_p(p);
#ifdef BUG_RECHECK_FIRST
  work_anywhere(found);
#endif
  if
  :: spins -> d_step { spins = false; spinning-- }  // T2
  :: else
  fi;
#if !defined(BUG_NO_RECHECK) && !defined(BUG_RECHECK_FIRST) && \
    !defined(BUG_P_BACK_LATE)
  work_anywhere(found);  // idle_look_again
#endif
  if
  :: found ->
     found = false;
     claim_p(p, found);
     if
     :: p != NONE -> spins = true; goto find
     :: else
     fi
  :: else
  fi;

wait:  // idle_wait
  atomic { !locked -> pooled[m] = true };
  do
  :: atomic {
       !locked && next_p[m] != NONE ->
       p = next_p[m];
       next_p[m] = NONE;
       spins = true
     };
     goto find
  :: atomic { !locked && next_p[m] == NONE && (global != 0 || inbox != 0) &&
              idle_count != 0 -> pooled[m] = false; take_p(p) };
     goto find
  :: atomic { !locked && next_p[m] == NONE && (global != 0 || inbox != 0) &&
              idle_count == 0 };
#ifdef HOST
     if
     :: inbox != 0 -> flag_inbox()
     :: else
     fi;
#endif
end_sleeps_too:
     atomic { note[m] -> note[m] = false }
  :: atomic { !locked && next_p[m] == NONE && global == 0 && inbox == 0 };
end_sleeps:
     atomic { note[m] -> note[m] = false }
  od;

got:
  if
  :: spins ->  // idle_stop_spinning
     d_step { spins = false; spinning-- };
#ifndef BUG_LAST_SPINNER
     wakep(woken, found, who);
     flag_for_others()
#endif
  :: else
  fi;

running:
  do
  :: d_step { STARTS(m) && unborn != 0 -> unborn--; alive++ };  // sched_spawn
     SUBMIT(queue[p]++)
  :: d_step { OVERFLOWS && unborn != 0 -> unborn--; alive++ };  // it is full
     SUBMIT(atomic { !locked -> global++ })
  :: ENDS -> alive--; goto find
  :: break
  od;

end_computes:  // for ever; but it comes to its looks
  look[p];
  drain_inbox(p);
  goto end_computes
}

// --- A thread without a P (inbox.c: sched_post) -----------------------------
#ifdef HOST
proctype Host() {
  byte who, woken = NONE;
  bool found, skips[PS];
  inbox++;  // S1
  if        // S2: ring
  :: spinning != 0
  :: spinning == 0 ->
     if
#ifdef BUG_NO_FLAG
     :: idle_count == 0
#else
     :: idle_count == 0 -> flag_inbox()
#endif
     :: else -> wakep(woken, found, who)
     fi
  fi;
  atomic { !locked -> locked = true };  // sched_unpin
  d_step {
    pins--;
    if
    :: idle_count == PS && global == 0 && inbox == 0 ->
       assert(alive == 0);
       deadlock = true
    :: else
    fi;
    locked = false
  }
}
#endif

init {
  byte i, work;
  atomic {
    for (i : 0 .. MS - 1) { next_p[i] = NONE }
    for (i : 1 .. PS - 1) { is_idle[i] = true }
    idle_count = PS - 1;
    unborn--;
    alive++;
#ifdef HOST
    pins++;
    unborn--;
    alive++;
    run Host();
#endif
    run M(0, 0);
    for (i : 1 .. MS - 1) { run M(i, NONE) }
    i = 0
  };
  atomic {
    timeout;  // nothing moves any more
    work = global + inbox;
    for (i : 0 .. PS - 1) { work = work + queue[i] }
    assert(!locked && spinning == 0 && (inbox == 0 || refused));
    assert(work == 0 || idle_count == 0 || (refused && idle_count < PS));
    assert((idle_count == PS) == deadlock)
  }
}
