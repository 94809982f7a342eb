// SPDX-License-Identifier: MIT
// Taking a parked G away from what it waits for (sched/cancel.c, and the
// functions of each object: chan_cancel, timer_cancel, poll_cancel).
//
// A G waits three times: as a member of group 0; then shielded, not to be
// cancelled; then in group 1, which it began while it was shielded. Each group
// may be cancelled, at any time and by another; each canceller, and the M that
// sees the flag when it parks the G, may be so slow that the G is in a later
// wait. What the G waits for may come, or not. To be shown:
//   - it is readied once for each time it parks
//   - no cancellation is lost: at the end it is not parked in a wait that is
//     cancelled, nor where nobody would find it
//   - none ends a wait that it is not for
// The object is one of CHAN: a queue with a lock; WORD: that of a select, or of
// a G that waits for nothing; TIMER; DESC: a descriptor, which may be closed.
//
// parked_on is never cleared. The first two waits are for the same. What
// g_cancelled reads of the G (group and shield: `wait` tells both) and the flag
// are two steps.
//
// check: -DCHAN
// check: -DWORD
// check: -DTIMER
// check: -DDESC
// bug: -DCHAN -DBUG_FLAG_FIRST: the parker reads its flag, then stores parked_on
// bug: -DWORD -DBUG_READ_FIRST: the canceller reads parked_on, then sets the flag
// bug: -DTIMER -DBUG_NO_SELF: a parker that sees its flag leaves it at that
// bug: -DCHAN -DBUG_NO_RECHECK: what is found is not asked whether it is
//      cancelled now
// bug: -DTIMER -DBUG_NO_RECHECK
// bug: -DDESC -DBUG_NO_RECHECK
// bug: -DCHAN -DBUG_OLD_QUEUE: it is taken out of the queue that it was in
// bug: -DWORD -DBUG_NO_NUMBER: the word is 1 in each wait
// bug: -DTIMER -DBUG_NOT_PUT_BACK: a later sleep loses its timer
// bug: -DTIMER -DBUG_PUT_BACK_BLIND: it gets it back, and nobody looks whether
//      it was cancelled meanwhile
// bug: -DDESC -DBUG_NOT_PUT_BACK: a later wait is not in the word any more
// bug: -DDESC -DBUG_PUT_BACK_BLIND: the same as for a timer
// bug: -DDESC -DBUG_PUT_BACK_CLOSED: nobody looks whether it was closed

#define WAITS 3
#if defined(DESC) || defined(WORD)
#define WAKES 1
#else
#define WAKES 2
#endif
#define SELF  2  // the process that parked the G cancels it

// --- The G ------------------------------------------------------------------
mtype = { running, waiting, runnable };
mtype state = running;
byte wait = 1;         // which; tells its group and its shield
bool cancelled;        // G.cancelled
bool flag[2];          // Group.cancelled of the two
#define IS_CANCELLED(w) ((w == 1 && flag[0]) || (w == 3 && flag[1]))

mtype = { nowhere, to_recv, to_send, there };
mtype parked_on = nowhere;

inline make_ready() {  // sched_ready
  d_step { assert(state == waiting); state = runnable }
}

inline g_cancelled(result) {
  seen = wait;
  d_step { result = IS_CANCELLED(seen); seen = 0 }
}

// With the lock, if there is one.
inline cancel_show(on) {
#ifdef BUG_FLAG_FIRST
  now = IS_CANCELLED(wait);
  parked_on = on
#else
  parked_on = on;
  now = IS_CANCELLED(wait)
#endif
}

inline cancel_self() {
#ifndef BUG_NO_SELF
  if
  :: now -> run Cancel(SELF)  // the M goes on by itself
  :: !now
  fi;
#endif
  now = false
}

// --- A channel --------------------------------------------------------------
#ifdef CHAN
bool locked;           // the channel's, or the heap's
bool recv_queue, send_queue;
#define IS_FOUND (recv_queue || send_queue)

inline park() {  // park_on
  atomic { !locked -> locked = true };
  if
  :: wait != 3 ->
     d_step { recv_queue = true; state = waiting };
     cancel_show(to_recv)
  :: wait == 3 ->
     d_step { send_queue = true; state = waiting };
     cancel_show(to_send)
  fi;
  locked = false
}

inline take_from() {  // chan_cancel
  atomic { !locked -> locked = true };
#ifdef BUG_OLD_QUEUE
  ours = IS_FOUND;
#else
  ours = (IS_FOUND && parked_on == on);
#endif
#ifndef BUG_NO_RECHECK
  if
  :: ours -> g_cancelled(ours)
  :: !ours
  fi;
#endif
  d_step {
    if
    :: ours && on == to_recv -> assert(recv_queue); recv_queue = false
    :: ours && on == to_send -> assert(send_queue); send_queue = false
    :: !ours
    fi;
    locked = false
  }
}

inline wake() {  // a peer
  d_step {
    !locked && IS_FOUND -> recv_queue = false; send_queue = false
  };
  make_ready()
}
#endif

// --- The word of a select ---------------------------------------------------
#ifdef WORD
byte select_state;     // odd while it waits
#define IS_FOUND (select_state % 2 == 1)
#ifdef BUG_NO_NUMBER
#define NEXT(word) (1 - word)
#else
#define NEXT(word) (word + 1)
#endif

inline park() {  // select_go; peers' locks are select.pml's
  state = waiting;
  select_state = NEXT(select_state);
  cancel_show(there)
}

inline take_from() {  // take_word
  word = select_state;
  if
  :: word % 2 == 1 -> g_cancelled(ours)
  :: else
  fi;
  d_step {
    if
    :: ours && select_state == word -> select_state = NEXT(word)
    :: else -> ours = false
    fi;
    word = 0
  }
}

inline wake() {  // claim
  d_step { IS_FOUND -> select_state = NEXT(select_state) };
  make_ready()
}
#endif

// --- A timer ----------------------------------------------------------------
#ifdef TIMER
bool locked;
bool in_heap;
#define IS_FOUND in_heap

inline show_sleep() {
  atomic { !locked -> locked = true; in_heap = true };
  cancel_show(there);
  locked = false
}

inline park() {  // sched_sleep
  state = waiting;
  show_sleep()
}

inline take_from() {  // timer_cancel
  do
  :: atomic { !locked && in_heap -> in_heap = false; ours = true };
#ifndef BUG_NO_RECHECK
     g_cancelled(ours);
#endif
     if
     :: ours -> break
     :: !ours ->
#ifdef BUG_NOT_PUT_BACK
        break
#elif defined(BUG_PUT_BACK_BLIND)
        atomic { !locked -> in_heap = true };
        break
#else
        show_sleep();
        if
        :: now -> now = false
        :: !now -> break
        fi
#endif
     fi
  :: !in_heap -> break
  od
}

inline wake() {  // timers_run
  d_step { !locked && in_heap -> in_heap = false };
  make_ready()
}
#endif

// --- A descriptor -----------------------------------------------------------
#ifdef DESC
mtype = { none, ready, parking, the_g };
mtype d_word = none;
bool closed;           // or its deadline is over
#define IS_FOUND (d_word == the_g)

inline park() {  // poll_wait, show_g
  if
  :: closed -> wait = WAITS
  :: d_step { !closed && d_word == ready -> d_word = none }
  :: d_step { !closed && d_word == none -> d_word = parking };
     if
     :: d_step { closed && d_word == parking -> d_word = none };
        wait = WAITS
     :: !closed || d_word != parking ->
        state = waiting;
        parked_on = there;
        if
        :: d_step { d_word == parking -> d_word = the_g };
           now = IS_CANCELLED(wait)
        :: d_word != parking -> state = running; poll_result()
        fi
     fi
  fi
}

inline poll_result() {
  again = (d_word != ready && !closed);
  d_word = none
}

inline take_from() {  // poll_cancel
  d_step {
    if
    :: d_word == the_g -> d_word = none; ours = true
    :: else
    fi
  };
#ifndef BUG_NO_RECHECK
  if
  :: ours ->
     g_cancelled(ours);
     if
     :: ours
     :: !ours -> put_back()
     fi
  :: !ours
  fi
#endif
}

inline put_back() {
#ifdef BUG_NOT_PUT_BACK
  skip
#else
  if
  :: d_step { d_word == none -> d_word = the_g };
#ifndef BUG_PUT_BACK_CLOSED
     now = closed;
#endif
#ifndef BUG_PUT_BACK_BLIND
     if
     :: !now -> g_cancelled(now)
     :: now
     fi;
#endif
     d_step {
       if
       :: now && d_word == the_g -> d_word = none
       :: else -> now = false
       fi
     }
  :: d_word != none -> now = true
  fi;
  if
  :: now -> make_ready(); now = false  // for no reason
  :: !now
  fi
#endif
}

inline wake() {  // take_waiter, for an event
  if
  :: d_step { d_word == the_g -> d_word = ready };
     make_ready()
  :: d_step { d_word != the_g -> d_word = ready }
  fi
}

proctype Closer() {  // poll_close
  bool found;
  if
  :: closed = true;
     d_step {
       found = (d_word == the_g);
       if
       :: d_word != ready -> d_word = none
       :: else
       fi
     };
     if
     :: found -> make_ready()
     :: !found
     fi
  :: skip
  fi
}
#endif

// --- All --------------------------------------------------------------------
proctype G() {
  bool now, again;
  do
  :: wait <= WAITS ->
     park();
     cancel_self();
     if
     :: state != running ->
end_parked:
        d_step { state == runnable -> state = running };
        if
        :: cancelled -> assert(IS_CANCELLED(wait)); cancelled = false
        :: !cancelled ->
#ifdef DESC
           poll_result()
#endif
        fi
     :: else
     fi;
     if
     :: again -> again = false
     :: !again -> wait++
     fi
  :: wait > WAITS -> break
  od
}

proctype Cancel(byte group) {  // group_cancel, or cancel_self: cancel_take
  mtype on;
  byte seen, word;
  bool ours, now;
#ifdef BUG_READ_FIRST
  on = parked_on;
#endif
  if
  :: group != SELF -> flag[group] = true
  :: group == SELF
  :: group != SELF -> goto done  // it is not cancelled
  fi;
#ifndef BUG_READ_FIRST
  on = parked_on;
#endif
  g_cancelled(ours);
  if
  :: ours && on != nowhere ->
     ours = false;
     take_from();
     if
     :: ours -> cancelled = true; make_ready()
     :: !ours
     fi
  :: else
  fi;
done:
  on = nowhere
}

proctype Waker() {
  byte i;
  for (i : 1 .. WAKES) {
    if
    :: wake()
    :: break
    fi
  }
}

init {
  atomic {
    run G();
    run Waker();
    run Cancel(0);
    run Cancel(1);
#ifdef DESC
    run Closer();
#endif
  };
  atomic {
    timeout;  // nothing moves any more
    assert(state == running || (state == waiting && IS_FOUND));
    assert(state == running || !IS_CANCELLED(wait));
#ifdef DESC
    assert(state == running || !closed)
#endif
  }
}
