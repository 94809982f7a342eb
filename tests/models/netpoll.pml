// SPDX-License-Identifier: MIT
// Waiting for one side of a descriptor, with its four states (sched/poll.c).
//
// A G reads ITEMS items. Where there is none it waits for the descriptor; the
// network, a deadline, a close and somebody who moves the deadline away race
// with that, each if it likes. One M blocks in the system's poll, a P that runs
// polls now and then without blocking. To be shown:
//   - the G is readied once for each time it parks, by one that took it
//   - no wake-up is lost: at the end it is parked only if there is nothing to
//     read, and the descriptor is open and its deadline not over
//   - while it is parked poll_waiters says so (the deadlock check reads that)
//   - a deadline that was moved away does not come true afterwards
//   - a parked G goes on when there is something to read, or the descriptor is
//     closed (the formula wakes, with weak fairness)
//
// The loop of CASes in take_waiter is one step: that of the CAS that succeeds.
//
// check: -DITEMS=2
// check wakes: -DITEMS=1
// bug wakes: -DITEMS=1 -DBUG_EVENT_DROPPED: an event is forgotten where no G is
//      parked
// bug: -DBUG_NO_SECOND_LOOK: the flags are not looked at again after PARKING
// bug: -DBUG_FLAG_LATE: close looks for a waiter, then sets its flag
// bug: -DBUG_NOT_BY_CAS: the event loads the word, then stores READY
// bug: -DBUG_EVENT_DROPPED: an event is forgotten where no G is parked
// bug: -DBUG_STORE_G: the G is stored over what came since PARKING
// bug: -DBUG_COUNT_LATE: poll_waiters is raised when the G can be seen already
// bug: -DBUG_TWO_WORDS: that it is over is a word beside the deadline

#ifndef ITEMS
#define ITEMS 2
#endif

// --- The kernel -------------------------------------------------------------
byte data;             // items to be read
bool edge;             // a change that epoll has not told yet
bool open = true;      // the descriptor is in the epoll set

// --- PollDesc ---------------------------------------------------------------
mtype = { none, ready, parking, the_g };
mtype waiter = none;
bool closed;

mtype = { far, soon, over };
mtype deadline = soon;  // over: by a CAS from the time that its timer was for
#ifdef BUG_TWO_WORDS
bool expired;
#define IS_OVER expired
#else
#define IS_OVER (deadline == over)
#endif

byte poll_waiters;     // Sched

mtype = { running, waiting, runnable };
mtype g_state = running;
bool moved;            // the deadline was moved away, and that is done

ltl wakes { [] ((g_state == waiting && (data > 0 || closed)) ->
                <> (g_state != waiting)) }

// --- The ends of a wait -----------------------------------------------------
inline take_for_event(found) {  // take_waiter, ready
  d_step {
    found = (waiter == the_g);
    assert(!found || poll_waiters != 0);
#ifdef BUG_NOT_BY_CAS
  };
  d_step {
#endif
#ifdef BUG_EVENT_DROPPED
    if
    :: found -> waiter = ready
    :: else
    fi
#else
    waiter = ready
#endif
  }
}

inline take_for_flag(found) {  // take_waiter, not ready
  d_step {
    found = (waiter == the_g);
    assert(!found || poll_waiters != 0);
    if
    :: waiter != ready -> waiter = none
    :: else
    fi
  }
}

inline ready_it(found) {  // poll_ready, or inbox_put_gs and that later
  if
  :: found ->
     d_step { assert(g_state == waiting); g_state = runnable; found = false };
     poll_waiters--
  :: !found
  fi
}

proctype Network() {
  byte i;
  for (i : 1 .. ITEMS) {
    if
    :: d_step { data++; edge = open }
    :: break
    fi
  }
}

proctype Poller() {  // poll_block
  bool found;
end_blocks:
  do
  :: d_step { edge -> edge = false };
     take_for_event(found);
     ready_it(found)
  od
}

proctype Looks() {  // poll_now
  bool found;
  if
  :: d_step { edge -> edge = false };
     take_for_event(found);
     ready_it(found)
  :: skip
  fi
}

proctype Closer() {  // poll_close
  bool found;
  if
  :: true ->
#ifdef BUG_FLAG_LATE
     take_for_flag(found);
     closed = true;
#else
     closed = true;
#endif
     d_step { open = false; edge = false };  // EPOLL_CTL_DEL
#ifndef BUG_FLAG_LATE
     take_for_flag(found);
#endif
     ready_it(found)
  :: skip
  fi
}

proctype Deadline() {  // deadline_fire
  bool found;
  if
#ifdef BUG_TWO_WORDS
  :: deadline == soon -> expired = true;
#else
  :: d_step { deadline == soon -> deadline = over };
#endif
     take_for_flag(found);
     ready_it(found)
  :: skip
  fi
}

proctype Mover() {  // poll_deadline, to a time that does not come
  if
  :: deadline = far;
#ifdef BUG_TWO_WORDS
     expired = false;
#endif
     moved = true
  :: skip
  fi
}

// --- The G ------------------------------------------------------------------
inline flags() {  // state_of
  end = closed;
  end = end || IS_OVER
}

inline poll_result() {
  d_step { seen = waiter; waiter = none };
  if
  :: seen == ready -> skip
  :: seen != ready -> flags()
  fi;
  seen = 0
}

inline park() {  // sched_park, show_g
  g_state = waiting;
#ifndef BUG_COUNT_LATE
  poll_waiters++;
#endif
  if
#ifdef BUG_STORE_G
  :: waiter = the_g;
#else
  :: d_step { waiter == parking -> waiter = the_g };
#endif
#ifdef BUG_COUNT_LATE
     poll_waiters++;
#endif
end_parked:
     d_step { g_state == runnable -> g_state = running }
#ifndef BUG_STORE_G
  :: waiter != parking ->
     poll_waiters--;
     g_state = running
#endif
  fi
}

inline poll_wait() {
  flags();
  if
  :: end
  :: !end ->
     if
     :: d_step { waiter == ready -> waiter = none }
     :: d_step { waiter == none -> waiter = parking };
#ifndef BUG_NO_SECOND_LOOK
        flags();
#endif
        if
        :: d_step { end && waiter == parking -> waiter = none }
        :: !end || waiter != parking -> park(); poll_result()
        fi
     fi
  fi
}

proctype G() {
  byte got;
  mtype seen;
  bool end;
  do
  :: end || got == ITEMS -> break
  :: !end && got != ITEMS ->
     if
     :: d_step { data != 0 -> data--; got++ }
     :: data == 0 -> poll_wait()
     fi
  od
}

init {
  atomic {
    run G();
    run Network();
    run Poller();
    run Looks();
    run Closer();
    run Deadline();
    run Mover()
  };
  atomic {
    timeout;  // nothing moves any more
    assert(poll_waiters == (g_state == waiting));
    assert(g_state == running || (data == 0 && !closed && !IS_OVER));
    assert(!moved || !IS_OVER)
  }
}
