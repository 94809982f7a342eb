// SPDX-License-Identifier: MIT
// The M that blocks in the system's poll, and the break that brings it out
// (sched/idle.c: idle_wait; rt_poll.c).
//
// Two Ms sleep when they have nothing to do: one of them in the poll while a G
// is parked on a descriptor, else on their notes. Others have work for them
// now and then; with it, one of them may compute for ever. A P that runs polls
// without blocking. To be shown:
//   - an M for which there is work comes out, wherever it sleeps
//   - while a G is parked, and an M sleeps, an M is in the poll: the event that
//     comes in the end is seen
//
// check: -DWAKES=3
// bug: -DBUG_CLEAR_FIRST: the break's flag is cleared before its eventfd
// bug: -DBUG_TRY_TAKES_BREAK: a poll that does not block takes the break
// bug: -DBUG_TWO_POLLERS: both Ms may block in the poll
// bug: -DBUG_NO_NOTE_LOOK: an M that says it polls does not look at its note
// bug: -DBUG_NO_SUCCESSOR: an M that leaves the poll for work sends no other

#ifndef WAKES
#define WAKES 3
#endif
#define NONE 255

bool edge;               // an event that epoll has not told yet
bool eventfd;            // readable: ends each poll until it is read
bool broken;             // RtPoll.broken: a break is on its way
byte poll_waiters;       // Gs parked on descriptors
byte poll_owner = NONE;  // under sched.lock: sections are one step here
bool polling[2];         // M.polling
bool note[2];            // M.note
bool has_work[2];        // M.next_p; under sched.lock
bool gone[2];            // the M computes for ever
bool seen;               // the event was seen

inline end_break() {
#ifdef BUG_CLEAR_FIRST
  broken = false;
  eventfd = false
#else
  eventfd = false;
  broken = false
#endif
}

proctype M(byte m) {  // idle_wait
  bool polled, wakes, event, breaks;
  do
  :: atomic {  // taken out of the pool
       has_work[m] ->
       has_work[m] = false;
       wakes = (polled && poll_owner == NONE && poll_waiters != 0);
       polled = false;
       if
       :: skip
       :: !gone[1 - m] -> gone[m] = true
       fi
     };
#ifndef BUG_NO_SUCCESSOR
     if
     :: wakes -> note[1 - m] = true; wakes = false  // by idle_wakep
     :: !wakes
     fi;
#endif
     if
     :: gone[m] -> break
     :: !gone[m]
     fi
  :: atomic {
       !has_work[m] ->
#ifdef BUG_TWO_POLLERS
       polled = (poll_waiters != 0);
#else
       polled = (poll_owner == NONE && poll_waiters != 0);
#endif
       if
       :: polled -> poll_owner = m
       :: !polled
       fi
     };
     if
     :: !polled ->
end_sleeps:
        d_step { note[m] -> note[m] = false }
     :: polled ->  // idle_sleep_in_netpoll
        polling[m] = true;
#ifndef BUG_NO_NOTE_LOOK
        if
        :: d_step { note[m] -> note[m] = false }; goto polled_once
        :: !note[m]
        fi;
#endif
end_polls:
        atomic {  // poll_block, rt_poll_wait
          edge || eventfd ->
          event = edge;
          edge = false;
          breaks = eventfd
        };
        if
        :: breaks -> breaks = false; end_break()
        :: !breaks
        fi;
        if
        :: event -> d_step { event = false; seen = true; poll_waiters-- }
        :: !event
        fi;
polled_once:
        polling[m] = false;
        poll_owner = NONE
     fi
  od
}

// Work for an M that is in the pool: idle_start_m, idle_wake_m.
proctype Waker() {
  byte m, i;
  for (i : 1 .. WAKES) {
    if
    :: atomic { !has_work[0] && !gone[0] -> m = 0; has_work[0] = true }
    :: atomic { !has_work[1] && !gone[1] -> m = 1; has_work[1] = true }
    fi;
    note[m] = true;
    if
    :: polling[m] ->
       if  // rt_poll_break
       :: d_step { !broken -> broken = true }; eventfd = true
       :: broken
       fi
    :: !polling[m]
    fi
  }
}

// A G parks, and later something comes for it. The M that ran it has nothing
// else to do: it is one of those that come to idle_wait.
proctype G() {
  poll_waiters++;
  d_step { note[0] = true; note[1] = true };
  edge = true
}

proctype Looks() {  // poll_now
  bool event;
  atomic {
    event = edge;
    edge = false;
#ifdef BUG_TRY_TAKES_BREAK
    if
    :: eventfd -> eventfd = false; broken = false
    :: else
    fi
#endif
  };
  if
  :: event -> d_step { seen = true; poll_waiters-- }
  :: !event
  fi
}

init {
  atomic {
    run M(0);
    run M(1);
    run Waker();
    run G();
    run Looks()
  };
  atomic {
    timeout;  // nothing moves any more
    assert(!has_work[0] && !has_work[1]);
    assert(seen && poll_waiters == 0)
  }
}
