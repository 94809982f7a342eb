// SPDX-License-Identifier: MIT
// A P that is in a quick blocking call, and the threads that take it
// (sched/syscall.c, sysmon.c, stop_world.c).
//
// The M that makes the call stores SYSCALL and its id into the status of its
// P, and keeps it; when it is back it puts RUNNING there by a CAS from that
// very word. The monitor and a thread that stops the world take the P by the
// opposite CAS, with sched.lock held. A call may never return. To be shown:
//   - what runs Gs on a P is the M that the P is recorded for (P.m), and no
//     other believes that it holds it
//   - no G is lost or in two places; each goes only from the state that is
//     expected (as g_change checks)
//   - sched->calls.count is exact: a deadlock is reported only when no G is
//     left, and at the end it counts the calls that have lost their P
//   - at the end all Gs have ended or are in the kernel, and no P is stopped
//   - while one call never ends, a G that is runnable runs in the end (the
//     formula runs, with weak fairness)
//
// Waking the Ms of the pool is park.pml's matter: here they see what there is
// for them. Running Ps that have to stop are world.pml's.
//
// check: -DMS=3 -DGS=2
// check: -DMS=2 -DGS=3
// check: -DMS=3 -DGS=3 -DNO_WORLD
// check runs: -DMS=3 -DGS=2 -DNO_WORLD
// bug runs: -DMS=3 -DGS=2 -DNO_WORLD -DBUG_TO_NOBODY: a P that was taken is
//      given to nobody
// bug: -DBUG_NO_ID: the status is SYSCALL alone: whose call it was is not told
// bug: -DBUG_RETURN_STORE: the M compares, then stores
// bug: -DBUG_RETAKE_STORE: the monitor compares, then stores
// bug: -DBUG_COUNT_LATE: the call is counted after its P was given on
// bug: -DBUG_FORGET_QUEUE: a P that was taken goes idle with its Gs

#ifndef MS
#define MS 3
#endif
#ifndef GS
#define GS 3
#endif
#define PS 2
#define NONE 255

// --- What all see -----------------------------------------------------------
#define IDLE    0
#define RUNNING 1
#define STOPPED 2
#define SYSCALL 3       // and those above it: SYSCALL + the id of an M
#ifdef BUG_NO_ID
#define WORD(m) SYSCALL
#else
#define WORD(m) (SYSCALL + m)
#endif

bool locked;            // sched.lock, while a section takes several steps
byte status[PS];        // P.status
byte m_of[PS];          // P.m; written under the lock
byte queue[PS];         // a P's Gs, one bit each; here only its M changes it
byte global;            // the global queue, the same; under the lock
byte idle_count;        // under the lock
byte syscalls;          // under the lock: Ms in calls that lost their P
bool stopping;          // under the lock
bool pooled[MS];        // in idle.ms; under the lock
byte next_p[MS];        // what it is woken with; under the lock
bool deadlock;          // was reported

mtype = { runnable, running, in_call, dead };
mtype state[GS] = runnable;

// --- What only this model knows ---------------------------------------------
byte lost;              // Ms in calls that lost their P
bool stuck;             // G 0 is in the kernel for ever
#define BIT(g) (1 << (g))

ltl runs { [] ((stuck && state[1] == runnable) -> <> (state[1] != runnable)) }

// Row 37: what must hold whenever m does something with p.
#define OWNS(m, p) (status[p] == RUNNING && m_of[p] == m)

inline change(g, from, to) {  // g_change
  assert(state[g] == from);
  state[g] = to
}

// --- Ps: lock held ----------------------------------------------------------
inline check_deadlock() {
  if
  :: idle_count == PS && global == 0 && syscalls == 0 ->
     deadlock = true;
     assert(state[0] == dead && state[1] == dead && state[GS - 1] == dead)
  :: else
  fi
}

inline p_left(p) {  // stop_world_p_left, idle_put_p, idle_check_deadlock
  m_of[p] = NONE;
  if
  :: stopping -> status[p] = STOPPED
  :: else ->
     assert(status[p] == RUNNING && queue[p] == 0);
     status[p] = IDLE;
     idle_count++;
     check_deadlock()
  fi
}

inline take_p(m, p) {  // idle_get_p, idle_take_p
  assert(status[p] == IDLE && m_of[p] == NONE);
  status[p] = RUNNING;
  idle_count--;
  m_of[p] = m
}

// Takes p out of a call, if it is in one. The load and the CAS are two steps:
// its M may come back between them.
inline retake(p) {  // syscall_retake
  word = status[p];
  if
  :: word < SYSCALL
  :: word >= SYSCALL ->
     if
#ifdef BUG_RETAKE_STORE
     :: atomic { true ->
#else
     :: status[p] != word
     :: atomic { status[p] == word ->
#endif
          status[p] = RUNNING;
          taken = true;
#ifndef BUG_COUNT_LATE
          syscalls++;
#endif
          lost++;
          m_of[p] = NONE
        }
     fi
  fi;
  word = 0
}

// p has Gs, and no M. If there is none for it, others get the Gs.
inline give_m(p) {  // stop_world_give_m, idle_start_m
  atomic {
    !locked;
    if
    :: pooled[0] -> pooled[0] = false; next_p[0] = p; m_of[p] = 0
    :: pooled[1] -> pooled[1] = false; next_p[1] = p; m_of[p] = 1
    :: pooled[MS - 1] ->
       pooled[MS - 1] = false; next_p[MS - 1] = p; m_of[p] = MS - 1
    :: else ->
       global = global | queue[p];
       queue[p] = 0;
       p_left(p)
    fi
  }
}

// --- An M -------------------------------------------------------------------
inline take_g(from, g) {  // the lowest: Gs are alike
  g = 0;
  do
  :: (from & BIT(g)) == 0 -> g++
  :: else -> break
  od;
  from = from & ~BIT(g);
  change(g, runnable, running)
}

inline come_back(m, p) {  // a CAS from the own word
#ifdef BUG_RETURN_STORE
  taken = (status[p] == WORD(m));
  if
  :: taken -> status[p] = RUNNING
  :: !taken
  fi
#else
  if
  :: atomic { status[p] == WORD(m) -> status[p] = RUNNING; taken = true }
  :: status[p] != WORD(m)
  fi
#endif
}

proctype M(byte m; byte p) {
  byte g = NONE;
  bool taken;
  if
  :: p == NONE -> goto pool
  :: else
  fi;

find:
  atomic {  // its own queue
    assert(OWNS(m, p));
    if
    :: queue[p] != 0 -> take_g(queue[p], g); goto runs
    :: else
    fi
  };
  atomic {  // the global one; else the P goes back
    !locked;
    if
    :: global != 0 -> take_g(global, g); goto runs
    :: else -> p_left(p); p = NONE; pooled[m] = true; goto pool
    fi
  };

runs:
  if
  :: atomic { assert(OWNS(m, p)); change(g, running, dead); g = NONE };
     goto find
  :: atomic {  // a quick call: enter_quick
       assert(OWNS(m, p));
       change(g, running, in_call)
     };
     status[p] = WORD(m)
  fi;

  if  // in the kernel
  :: skip
  :: g == 0 ->
     stuck = true;
end_kernel:
     false  // for ever
  fi;

  come_back(m, p);
  if
  :: taken -> atomic {
       taken = false;
       assert(OWNS(m, p));
       change(g, in_call, running)
     };
     goto runs
  :: !taken
  fi;
  atomic {  // the P was taken: sched_syscall_exit
    !locked;
    assert(syscalls > 0);
    syscalls--;
    lost--;
    if
    :: status[p] == IDLE -> take_p(m, p)
    :: status[p] != IDLE && status[1 - p] == IDLE -> p = 1 - p; take_p(m, p)
    :: else -> p = NONE
    fi;
    if
    :: p != NONE -> change(g, in_call, running); goto runs
    :: else ->
       change(g, in_call, runnable);
       global = global | BIT(g);
       g = NONE;
       pooled[m] = true
    fi
  };

pool:  // idle_wait
end_pool:
  atomic {
    !locked && (next_p[m] != NONE || (global != 0 && idle_count != 0)) ->
    if
    :: next_p[m] != NONE -> p = next_p[m]; next_p[m] = NONE
    :: else ->
       pooled[m] = false;
       if
       :: status[0] == IDLE -> p = 0
       :: status[1] == IDLE -> p = 1
       fi;
       take_p(m, p)
    fi
  };
  goto find
}

// --- The monitor (sysmon.c: take_from_call) ---------------------------------
proctype Sysmon() {
  byte p, word;
  bool taken, work;
end_watch:
  do
  :: atomic {
       (status[0] >= SYSCALL || status[1] >= SYSCALL);
       if
       :: status[0] >= SYSCALL -> p = 0
       :: status[1] >= SYSCALL -> p = 1
       fi
     };
     atomic { !locked -> locked = true };
     retake(p);
     if
     :: taken -> atomic {  // syscall_settle
          taken = false;
#ifndef BUG_FORGET_QUEUE
          work = (!stopping && queue[p] != 0);
#endif
          if
          :: work
          :: else -> p_left(p)
          fi;
          locked = false
        };
#ifdef BUG_COUNT_LATE
        atomic { !locked -> syscalls++ };
#endif
        if
        :: work ->
           work = false;
#ifndef BUG_TO_NOBODY
           give_m(p)
#endif
        :: else
        fi
     :: else -> locked = false
     fi
  od
}

// --- The M that stops the world, as far as calls are concerned --------------
inline stop_one(p) {
  if
  :: atomic { status[p] == IDLE -> status[p] = STOPPED; idle_count-- }
  :: status[p] != IDLE ->
     retake(p);
     if
     :: taken -> taken = false; status[p] = STOPPED
     :: else  // it runs: world.pml
     fi
  fi
}

inline restart_one(p, work) {
  if
  :: status[p] == STOPPED ->
     status[p] = RUNNING;
     if
     :: queue[p] != 0 -> work = true
     :: else -> p_left(p)
     fi
  :: else
  fi
}

proctype World() {
  byte word;
  bool taken, work0, work1;
  atomic { !locked -> locked = true };  // stop_world_begin
  stopping = true;
  stop_one(0);
  stop_one(1);
  locked = false;
#ifdef BUG_COUNT_LATE
  syscalls = lost;
#endif
  atomic {  // stop_world_end
    !locked;
    stopping = false;
    restart_one(0, work0);
    restart_one(1, work1)
  };
  if
  :: work0 -> give_m(0)
  :: else
  fi;
  if
  :: work1 -> give_m(1)
  :: else
  fi
}

init {
  byte i;
  atomic {
    for (i : 0 .. MS - 1) { next_p[i] = NONE; pooled[i] = (i != 0) }
    status[0] = RUNNING;
    m_of[0] = 0;
    m_of[1] = NONE;
    idle_count = 1;
    queue[0] = BIT(GS) - 1;
    run M(0, 0);
    for (i : 1 .. MS - 1) { run M(i, NONE) }
    run Sysmon();
#ifndef NO_WORLD
    run World();
#endif
    i = 0
  };
  atomic {
    timeout;  // nothing moves any more
    assert(!locked && global == 0 && queue[0] == 0 && queue[1] == 0);
    for (i : 0 .. GS - 1) { assert(state[i] == dead || state[i] == in_call) }
    assert(idle_count == PS && syscalls == lost);
    assert(deadlock == (syscalls == 0))
  }
}
