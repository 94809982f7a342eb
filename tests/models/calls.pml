// SPDX-License-Identifier: MIT
// Blocking calls that never end, and their cap (sched/syscall.c, sysmon.c).
//
// One G ticks: it sleeps, runs, sleeps again. The others call, for ever, in the
// quick way. To be shown, with weak fairness:
//   - the ticker runs again and again, whoever calls when (the formula ticks)
//   - no more calls than places + Ps - 1 have lost their P
//
// The clock is a process of its own, so a timer is due some time after it was
// started, and no bound says when. Ms of the pool see what there is for them:
// waking is park.pml's matter. Nobody takes a P because its call lasts a slice,
// which makes the claim stronger.
//
// check ticks:
// check ticks: -DPS=1
// check: -DGS=4
// bug ticks: -DBUG_CAP: past the cap no P is taken from a call, and the quick
//      way does not ask for a place
// bug ticks: -DPS=1 -DGS=2 -DBUG_TIMER_UNSEEN: the timer of a P that is in a call is no work
// bug: -DGS=4 -DBUG_NO_QUESTION: the quick way does not ask for a place

#ifndef PS
#define PS 2
#endif
#ifndef GS
#define GS 4
#endif
#define MS  4
#define CAP 1
#define NONE 255
#define TICKER 0

#define IDLE    0
#define RUNNING 1
#define SYSCALL 2

#if defined(BUG_CAP) || defined(BUG_NO_QUESTION)
#define ASKS false
#else
#define ASKS true
#endif
#ifdef BUG_CAP
#define MAY_TAKE (lost < CAP)
#else
#define MAY_TAKE true
#endif
#ifdef BUG_TIMER_UNSEEN
#define TIMER_IS_WORK false
#else
#define TIMER_IS_WORK true
#endif

mtype = { queued, runs, sleeps, calls, waits };
mtype state[GS] = queued;  // all on the first P
byte at[GS];               // the P of its queue, or of its timer
byte status[PS];           // P.status
bool given[PS];            // RUNNING, and on its way to an M
byte lost;                 // sched->calls.count
bool due;                  // the ticker's timer
bool ticked;

#define IS_QUEUED(p) ((state[0] == queued && at[0] == p) || \
                      (state[1] == queued && at[1] == p) || \
                      (GS > 2 && state[GS - 2] == queued && at[GS - 2] == p) || \
                      (GS > 3 && state[GS - 1] == queued && at[GS - 1] == p))
#define IS_DUE(p) (state[TICKER] == sleeps && due && at[TICKER] == p)
#define ANY_QUEUED (IS_QUEUED(0) || IS_QUEUED(PS - 1))

ltl ticks { [] <> ticked }

// The first G of p's queue, or of any if p is NONE.
inline pick(g, p) {
  g = 0;
  do
  :: g < GS && !(state[g] == queued && (p == NONE || at[g] == p)) -> g++
  :: else -> break
  od
}

inline run_ticker(p) {
  ticked = true;
  state[TICKER] = runs;
  // it starts its timer
  atomic { ticked = false; due = false; at[TICKER] = p; state[TICKER] = sleeps }
}

active [MS] proctype M() {
  byte p, g;

pool:
  atomic {
    if
    :: given[0] -> p = 0; given[0] = false
    :: given[PS - 1] -> p = PS - 1; given[PS - 1] = false
    // an idle P, for what is queued, or for a timer that nobody else fires
    :: status[0] == IDLE && (ANY_QUEUED || IS_DUE(0) || IS_DUE(PS - 1)) ->
       p = 0; status[0] = RUNNING
    :: status[PS - 1] == IDLE && (ANY_QUEUED || IS_DUE(0) || IS_DUE(PS - 1)) ->
       p = PS - 1; status[PS - 1] = RUNNING
    fi
  }

find:
  atomic {
    // its own timer, or another's, if that P is in a call (row 12, sysmon)
    if
    :: IS_DUE(p) || (state[TICKER] == sleeps && due &&
                     (status[at[TICKER]] != RUNNING || given[at[TICKER]])) ->
       state[TICKER] = queued; at[TICKER] = p
    :: else
    fi;
    pick(g, p);
    if
    :: g == GS -> pick(g, NONE)  // steals
    :: else
    fi;
    if
    :: g == GS -> status[p] = IDLE; goto pool
    :: else -> state[g] = runs
    fi
  }
  if
  :: g == TICKER -> run_ticker(p); goto find
  :: else
  fi;

  // sched_syscall_enter
  atomic {
    if
    :: ASKS && lost >= CAP -> state[g] = waits; goto find
    :: else -> state[g] = calls; status[p] = SYSCALL
    fi
  }
  // in the kernel, for ever
end:
  false
}

// work_waits, take_from_call, syscall_settle
active proctype Sysmon() {
  byte p;
end:
  do
  :: atomic {
       MAY_TAKE && status[0] == SYSCALL &&
       (ANY_QUEUED || (TIMER_IS_WORK && IS_DUE(0))) -> p = 0;
       lost++; status[p] = RUNNING; given[p] = true;
       assert(lost < CAP + PS)
     }
  :: atomic {
       PS > 1 && MAY_TAKE && status[PS - 1] == SYSCALL &&
       (ANY_QUEUED || (TIMER_IS_WORK && IS_DUE(PS - 1))) -> p = PS - 1;
       lost++; status[p] = RUNNING; given[p] = true;
       assert(lost < CAP + PS)
     }
  od
}

active proctype Clock() {
end:
  do
  :: state[TICKER] == sleeps && !due -> due = true
  od
}
