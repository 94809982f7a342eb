// SPDX-License-Identifier: MIT
// Runnext, apart from the ring (sched/runq.c, safepoint.c, idle.c): a G that
// was readied into an empty runnext wakes nobody (row 5), and a native may run
// for ever after that.
//
// The owner of P 0 readies Gs, takes them, and at any moment begins a native
// that only looks. P 1 is idle, or has an M that looks for work. To be shown,
// with weak fairness:
//   - what lies in runnext or in the ring when the native runs leaves it (the
//     formulas next_leaves and ring_leaves)
//   - runnext is taken once
//
// Time: a thief waits for 3 us before it takes the runnext of a running P. That
// is a step of its own here, and what the owner does in between it may do, or
// not. That 50 us have passed is seen by any look.
//
// check next_leaves:
// check ring_leaves:
// check:
// bug next_leaves: -DBUG_NO_LOOK: the native does not look
// bug next_leaves: -DBUG_LOOK_WAKES_NOT: a look clears next_fill, and wakes
//      nobody
// bug next_leaves: -DBUG_RECHECK_RING: the second look is at the ring alone
// bug ring_leaves: -DBUG_NO_WAKE: what is displaced wakes nobody
// bug: -DBUG_STORE: a thief takes runnext by a store

#define RING 2

bool runnext;     // P.runnext is not empty
byte ring;
bool filled;      // P.next_fill: a look is to wake an M
bit begun;        // stats.schedules, which a thief compares
byte spinning = 0;
bool idle = true; // P 1; idle_count
bool woken;       // M 1 has a P, and spins
bool native;
byte taken;       // Gs that were in runnext: readied, less those taken

ltl next_leaves { [] ((native && runnext) -> <> !runnext) }
ltl ring_leaves { [] ((native && ring > 0) -> <> (ring == 0)) }

inline wakep() {  // S2, claim_p
  if
  :: spinning > 0
  :: else ->
     if
     :: !idle
     :: else ->
        atomic {  // the CAS from 0, then sched.lock
          if
          :: spinning == 0 && idle -> spinning = 1; idle = false; woken = true
          :: else
          fi
        }
     fi
  fi
}

inline take_next() {  // a CAS
  atomic {
    if
    :: runnext -> runnext = false; assert(taken == 1); taken--; got = true
    :: else -> got = false
    fi
  }
}

active proctype Owner() {
  bool got;

  do
  :: !runnext -> atomic { filled = true; taken++; runnext = true }  // runq_fill_next
  :: runnext && ring < RING ->  // runq_put_next: an exchange, then the ring
     atomic {
       filled = true;
       if
       :: runnext -> got = true
       :: else -> taken++; runnext = true; got = false  // a thief was faster
       fi
     };
     if
     :: got ->
        ring++;
#ifndef BUG_NO_WAKE
        wakep()
#endif
     :: else
     fi
  :: runnext ->
     take_next();
     if
     :: got -> atomic { filled = false; begun = 1 - begun }
     :: else
     fi
  :: ring > 0 ->
     atomic {
       if
       :: ring > 0 -> ring--; begun = 1 - begun
       :: else
       fi
     }
  :: native = true -> break
  od;
  // sched_look_aside, in a native without an end
#ifndef BUG_NO_LOOK
end:
  do
  :: filled ->
     filled = false;
#ifndef BUG_LOOK_WAKES_NOT
     if
     :: runnext -> wakep()
     :: else
     fi
#endif
  od
#endif
}

active proctype Thief() {
  bool got;
  bit seen;

end:
  woken;
  woken = false;
search:
  atomic {  // grab
    if
    :: ring > 0 -> ring--; goto found
    :: else
    fi
  }
  if
  :: runnext ->
     seen = begun;
     // 3 us
     if
     :: runnext && ring == 0 && begun == seen ->
#ifdef BUG_STORE
        runnext = false;
        assert(taken == 1);
        taken--;
        goto found
#else
        take_next();
        if
        :: got -> goto found
        :: else
        fi
#endif
     :: else
     fi
  :: else
  fi;
  // give_up: T1, T2, T3
  idle = true;
  spinning--;
  if
  :: ring > 0 -> goto again
  :: else
  fi;
#ifndef BUG_RECHECK_RING
  if
  :: runnext ->
     seen = begun;
     if
     :: (runnext && begun == seen) || ring > 0 -> goto again
     :: else
     fi
  :: else
  fi;
  // what was displaced meanwhile
  if
  :: ring > 0 -> goto again
  :: else
  fi;
#endif
  goto end;

again:
  atomic {
    if
    :: spinning == 0 && idle -> spinning = 1; idle = false; goto search
    :: else -> goto end
    fi
  }

found:
  spinning--;
  // it runs, and ends: the M looks for work again
  spinning++;
  goto search
}
