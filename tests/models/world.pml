// SPDX-License-Identifier: MIT
// Stopping the world, and the handshake with all Ps without a stop
// (sched/stop_world.c, with what it meets in syscall.c, find_work.c and
// idle.c).
//
// Ms run Gs, come to safepoints, make quick calls (that keep the P) and slow
// ones (that leave it), run out of work; a call of M 1 may never return. Some
// of them stop the world, or run a function for each P. To be shown:
//   - when the stopper goes on, no M does anything with a P, whether it was
//     running, idle, in a call, or came out of one
//   - the stopper does not wait for ever, not even for a thread in the kernel
//   - after the start all go on: at the end all Gs have ended or are in the
//     kernel, all Ps are idle
//   - a handshake's function has run once for each P when its caller goes on
//   - both do go on, however long the others go on with what they do (the
//     formula goes_on, with weak fairness)
//
// A section under sched.lock is one step, but where it sets flags that a
// process that enters a call looks at. Waking the Ms of the pool is park.pml's
// matter.
//
// check: -DSTOPS=2 -DHANDSHAKES=0
// check: -DSTOPS=1 -DHANDSHAKES=1
// bug: -DBUG_STATUS_FIRST: the stopper looks at the status, then sets the flag
// bug: -DBUG_NO_LOOK: a thread that enters a call does not look after its store
// bug: -DBUG_TAKES_STOPPED: a thread after a call takes its old P though it
//      is stopped
// bug: -DBUG_LEFT_IDLE: a P that is given back during the stop goes idle
// bug: -DBUG_WAIT_LATE: stop_wait is stored after the unlock
// bug: -DBUG_START_FORGETS: a P that has Gs, but no M, goes idle at the start
// check goes_on: -DSTOPS=1 -DHANDSHAKES=0
// check goes_on: -DSTOPS=0 -DHANDSHAKES=1
// bug goes_on: -DBUG_FIND_BLIND: an M without a G tries to give its P back, and
//      does not look why it may not
// bug: -DBUG_LEFT_NO_HANDSHAKE -DSTOPS=0 -DHANDSHAKES=1: a P that is given back
//      does not run the function

#ifndef STOPS
#define STOPS 1
#endif
#ifndef HANDSHAKES
#define HANDSHAKES 0
#endif
#define PS   2
#define MS   3
#define NONE 255
#define OTHER (1 - p)      // the other P

// --- What all see -----------------------------------------------------------
#define IDLE    0
#define RUNNING 1
#define STOPPED 2
#define SYSCALL 3          // and those above it: + the id of the M
byte status[PS];           // P.status
bool look_world[PS];       // LOOK_WORLD, LOOK_HANDSHAKE in P.look
bool look_hand[PS];
byte stop_wait;            // Ps still to come by
bool note[MS];

// Guarded by sched.lock.
bool locked;               // while a section takes several steps
byte m_of[PS];             // P.m
byte queue[PS];            // Gs of a P, beside the one that runs
byte global;
bool stopping;
bool world_busy;
byte stopper;
bool handshake[PS];        // P.handshake
bool stop_waiting[MS];     // M.stop_waiting
bool pooled[MS];
byte next_p[MS];           // M.next_p

// --- What only this model knows ---------------------------------------------
byte stops = STOPS, handshakes = HANDSHAKES;
bool stopped;              // the stopper has gone on
byte ran[PS];              // how often the function ran for a P

// m does something with p: then the world is not stopped.
#define RUNS(m, p) (!stopped && status[p] == RUNNING && m_of[p] == m)

ltl goes_on { [] (world_busy -> <> !world_busy) }

// --- Sections: lock held ----------------------------------------------------
inline one_is_through() {
  assert(stop_wait > 0);
  stop_wait--;
  if
  :: stop_wait == 0 -> note[stopper] = true
  :: else
  fi
}

inline clear_handshake(q) {
  handshake[q] = false;
  look_hand[q] = false
}

inline p_left(q) {  // stop_world_p_left
#ifndef BUG_LEFT_NO_HANDSHAKE
  if
  :: handshake[q] -> clear_handshake(q); ran[q]++; one_is_through()
  :: else
  fi;
#endif
  m_of[q] = NONE;
#ifndef BUG_LEFT_IDLE
  if
  :: stopping -> status[q] = STOPPED; one_is_through()
  :: else -> assert(queue[q] == 0); status[q] = IDLE
  fi
#else
  status[q] = IDLE
#endif
}

inline take_p(m, q) {  // idle_get_p, idle_take_p
  assert(m_of[q] == NONE);
  status[q] = RUNNING;
  m_of[q] = m
}

// The load and the CAS are two steps: the M may come back between them.
inline retake(q) {  // syscall_retake
  word = status[q];
  if
  :: word < SYSCALL
  :: word >= SYSCALL ->
     if
     :: atomic { status[q] == word -> status[q] = RUNNING; taken = true;
                 m_of[q] = NONE }
     :: status[q] != word
     fi
  fi;
  word = 0
}

// p has Gs, and no M (stop_world_give_m).
inline give_m(q) {
  if
  :: pooled[0] -> pooled[0] = false; next_p[0] = q; m_of[q] = 0
  :: pooled[1] -> pooled[1] = false; next_p[1] = q; m_of[q] = 1
  :: pooled[2] -> pooled[2] = false; next_p[2] = q; m_of[q] = 2
  :: else -> global = global + queue[q]; queue[q] = 0; p_left(q)
  fi
}

// --- The Ps' side -----------------------------------------------------------
inline attend() {  // stop_world_attend
  if
  :: atomic { !locked && handshake[p] -> clear_handshake(p) };
     ran[p]++;
     atomic { !locked -> one_is_through() }
  :: atomic { !locked && !handshake[p] }
  fi;
  do  // wait_stopped
  :: atomic { !locked && !stopping } -> break
  :: atomic {
       !locked && stopping ->
       status[p] = STOPPED;
       stop_waiting[m] = true;
       one_is_through()
     };
     do
     :: stop_waiting[m] -> d_step { note[m] -> note[m] = false }
     :: !stop_waiting[m] -> break
     od
  od
}

// --- The stopper's side -----------------------------------------------------
inline ask(q) {
#ifdef BUG_STATUS_FIRST
  retake(q);
  look_world[q] = true;
#else
  look_world[q] = true;
  retake(q);
#endif
  if
  :: taken -> taken = false; status[q] = STOPPED
  :: else -> running++
  fi
}

inline wait_for_all() {
  do
  :: stop_wait == 0 -> break
  :: stop_wait != 0 -> d_step { note[m] -> note[m] = false }
  od
}

inline stop_world() {  // stop_world_begin, with the lock
  d_step {
    world_busy = true;
    stopper = m;
    stopping = true;
    status[p] = STOPPED;
    if
    :: status[OTHER] == IDLE -> status[OTHER] = STOPPED  // idle_stop_all
    :: else
    fi
  };
  if
  :: status[OTHER] == STOPPED
  :: else -> ask(OTHER)
  fi;
#ifdef BUG_WAIT_LATE
  locked = false;
  stop_wait = running;
  running = 0;
#else
  atomic { stop_wait = running; running = 0; locked = false };
#endif
  wait_for_all()
}

inline restart() {  // stop_world_end, restart_p
  atomic {
    !locked;
    stopping = false;
    world_busy = false;
    look_world[0] = false;
    look_world[1] = false;
    status[p] = RUNNING;
    if
    :: status[OTHER] == STOPPED && m_of[OTHER] != NONE ->
       status[OTHER] = RUNNING;
       stop_waiting[m_of[OTHER]] = false;
       note[m_of[OTHER]] = true
    :: status[OTHER] == STOPPED && m_of[OTHER] == NONE ->
       status[OTHER] = RUNNING;
#ifdef BUG_START_FORGETS
       p_left(OTHER)
#else
       if
       :: queue[OTHER] != 0 -> give_m(OTHER)
       :: else -> p_left(OTHER)
       fi
#endif
    :: else
    fi
  }
}

inline for_other_p(q) {  // sched_for_each_p, with the lock
  if
  :: status[q] == IDLE -> ran[q]++
  :: status[q] != IDLE ->
     handshake[q] = true;
     look_hand[q] = true;
     retake(q);
     if
     :: taken ->
        taken = false;
        atomic {
          clear_handshake(q);
          ran[q]++;
          if  // syscall_settle
          :: queue[q] != 0 -> give_m(q)
          :: else -> p_left(q)
          fi
        }
     :: else -> running = 1
     fi
  fi
}

// --- An M -------------------------------------------------------------------
proctype M(byte m; byte p) {
  byte word, running;
  bool taken;
  if
  :: p == NONE -> goto pool
  :: else -> goto runs
  fi;

find:
#ifndef BUG_FIND_BLIND
  if  // find_work_next
  :: look_world[p] || look_hand[p] -> attend(); goto find
  :: else
  fi;
#endif
  if
  :: atomic { queue[p] != 0 -> assert(RUNS(m, p)); queue[p]-- }; goto runs
  :: queue[p] == 0
  fi;
  if
  :: atomic { !locked && global != 0 -> assert(RUNS(m, p)); global-- };
     goto runs
  :: atomic {  // release_p
       !locked && global == 0;
       if
       :: look_world[p] || look_hand[p] -> goto find
       :: else
       fi;
       p_left(p);
       p = NONE;
       pooled[m] = true
     };
     goto pool
  fi;

runs:
  assert(RUNS(m, p));
  if
  :: goto find  // its G ends or parks
  :: look_world[p] || look_hand[p] -> attend(); goto runs  // sched_look
  :: atomic {  // sched_stop_world; where it may not, it comes to its look
       stops != 0 && !locked && !world_busy -> locked = true; stops--
     };
     stop_world();
     atomic {
       stopped = true;
       assert(status[0] == STOPPED && status[1] == STOPPED)
     };
     stopped = false;
     restart();
     goto runs
  :: atomic {  // sched_for_each_p; before its turn it comes to its looks
       handshakes != 0 && !locked && !world_busy -> locked = true; handshakes--;
       world_busy = true;
       stopper = m
     };
     for_other_p(OTHER);
     atomic { stop_wait = running; running = 0; locked = false };
     ran[p]++;
     wait_for_all();
     atomic {
       !locked;
       assert(ran[0] == 1 && ran[1] == 1);
       ran[0] = 0;
       ran[1] = 0;
       world_busy = false
     };
     goto runs
  :: status[p] = SYSCALL + m  // a quick call: enter_quick
  :: goto slow
  fi;
#ifndef BUG_NO_LOOK
  if
  :: look_world[p] || look_hand[p] ->
     if  // as if nothing had been done: a slow call
     :: atomic { status[p] == SYSCALL + m -> status[p] = RUNNING };
        goto slow
     :: status[p] != SYSCALL + m
     fi
  :: else
  fi;
#endif
  if  // in the kernel
  :: skip
  :: m == 1 ->
end_kernel:
     false  // for ever
  fi;
  if  // come_back
  :: atomic { status[p] == SYSCALL + m -> status[p] = RUNNING };
     goto runs
  :: status[p] != SYSCALL + m -> goto back
  fi;

slow:  // enter_slow
  atomic {
    !locked;
    assert(RUNS(m, p));
    if
    :: queue[p] != 0 && !stopping -> give_m(p)
    :: else -> p_left(p)
    fi
  };
  if  // in the kernel
  :: skip
  :: m == 1 ->
end_kernel_slow:
     false  // for ever
  fi;

back:  // sched_syscall_exit: the old P, or another, or none
  atomic {
    !locked;
    if
#ifdef BUG_TAKES_STOPPED
    :: m_of[p] == NONE -> take_p(m, p)
#else
    :: status[p] == IDLE -> take_p(m, p)
#endif
    :: status[p] != IDLE && status[OTHER] == IDLE -> p = OTHER; take_p(m, p)
    :: status[p] != IDLE && status[OTHER] != IDLE -> p = NONE
    fi;
    if
    :: p != NONE -> goto runs
    :: else -> global++; pooled[m] = true
    fi
  };

pool:  // idle_wait
end_pool:
  atomic {
    !locked && (next_p[m] != NONE ||
                (global != 0 && (status[0] == IDLE || status[1] == IDLE))) ->
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

init {
  byte i;
  atomic {
    for (i : 0 .. MS - 1) { next_p[i] = NONE }
    status[0] = RUNNING;
    status[1] = RUNNING;
    m_of[0] = 0;
    m_of[1] = 1;
    queue[1] = 1;
    pooled[2] = true;
    run M(0, 0);
    run M(1, 1);
    run M(2, NONE);
    i = 0
  };
  atomic {
    timeout;  // nothing moves any more
    assert(status[0] == IDLE && status[1] == IDLE || status[1] >= SYSCALL ||
           status[0] >= SYSCALL);
    assert(!locked && !world_busy && stop_wait == 0);
    assert(global == 0 && (queue[0] == 0 || status[0] >= SYSCALL) &&
           (queue[1] == 0 || status[1] >= SYSCALL))
  }
}
