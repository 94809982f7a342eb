// SPDX-License-Identifier: MIT
// What sched/group.c does: members that start others, the end, cancelling.
//
// G 0 begins group 0, starts G 1 in it, and ends it. G 1 starts G 2, in group 0
// or (INNER) in group 1, which it begins and ends, maybe as a deferred function
// does (SHIELDED). Each waits for what never comes, or not; G 2 once more in a
// deferred function, shielded. One cancels group 0, at any time, also after its
// end. Without INNER it may have a deadline, too, and one wakes the owner for
// no reason. To be shown:
//   - a cancelled group ends, whatever its members wait for: none is missed,
//     and those that are shielded are taken when the time of grace is over
//   - a group ends when it has no members, its owner being readied once for
//     each time it parks; nobody waits for a group without members
//   - nobody walks through a group that has ended, nor sets its timer
//   - the time of grace is not over when an old deadline's timer comes late
//   - with AIDE, where G 2 is one and nobody has to cancel: the group ends all
//     the same
//
// Parking, and taking a G that is parked, are one step each: cancel.pml is
// about those. Timers fire whenever they like, and in the end. A pass with a
// group's lock takes a step for each G, and one for each inner group.
//
// check:
// check: -DINNER
// check: -DINNER -DSHIELDED
// check: -DAIDE
// bug: -DBUG_WALK_FIRST: a canceller walks, then sets the flag
// bug: -DBUG_NO_OWNER: it leaves out the owner
// bug: -DBUG_ENDED: it does not look whether the group has ended
// bug: -DBUG_NO_GRACE: no time of grace begins
// bug: -DINNER -DBUG_NOT_INHERITED: a group that is begun does not look at the
//      flag of that around it
// bug: -DINNER -DBUG_INHERIT_FIRST: it looks before it is in the list
// bug: -DINNER -DBUG_NO_GRACE: an inherited one neither
// bug: -DINNER -DBUG_NO_WORK: inner groups are flagged, but not walked
// bug: -DINNER -DSHIELDED -DBUG_SHIELD: one that a deferred function began is
//      cancelled at once
// bug: -DINNER -DSHIELDED -DBUG_HARD_WALK: nor when the time of grace is over
// bug: -DBUG_NO_COMMIT: the owner looks for members before it parks only
// bug: -DAIDE -DBUG_NOT_DISMISSED: an owner waits for aides
// bug: -DAIDE -DBUG_AIDE_AWAITED: one that parks waits if there are aides
// bug: -DAIDE -DBUG_AIDE_LEFT: the last other member does not wake the owner
//      while there are aides
// bug: -DBUG_WAITING_KEPT: the process that readies it leaves `waiting` set
// bug: -DBUG_OLD_DEADLINE: any timer that fires after the cancellation ends the
//      time of grace
// bug: -DBUG_DEADLINE_BLIND: a deadline takes the timer of the time of grace

#define GS   3
#define NONE 255
#ifdef SHIELDED
#define IN_SHIELD true
#else
#define IN_SHIELD false
#endif

// --- Groups -----------------------------------------------------------------
bool locked[2];
bool cancelled[2];
bool grace_over[2];
bool ended[2];
bool waits[2];         // the owner, for its members
byte count[2];
byte aides[2];
bool dismissed[2];
#define AWAITED(x) (count[x] > (dismissed[x] -> 0 : aides[x]))  // has_awaited
#ifdef AIDE
#define IS_AIDE(g) (g == 2)
#else
#define IS_AIDE(g) false
#endif
byte member[GS] = NONE; // of which group, by its list
bool linked;           // group 1 is in group 0's list
mtype = { off, deadline, grace };
mtype timer[2] = off;
bool harden[2];        // it is set: the time of grace has begun
#define IS_OVER(kind) (kind == grace)  // now >= harden

// --- Gs ---------------------------------------------------------------------
mtype = { unborn, running, waiting, runnable, dead };
mtype state[GS] = unborn;
byte innermost[GS] = NONE;
bool shielded[GS];
bool parked[GS];       // waits for what can be cancelled
#define IS_CANCELLED(g)                                   \
  (innermost[g] != NONE &&                                \
   ((!shielded[g] && cancelled[innermost[g]]) ||          \
    (shielded[g] && grace_over[innermost[g]])))

inline lock(x) { atomic { !locked[x] -> locked[x] = true } }
inline unlock(x) { locked[x] = false }

inline make_ready(g) {  // sched_ready
  d_step { assert(state[g] == waiting); state[g] = runnable }
}

// It waits for what never comes, or is cancelled at once.
inline park(g) {
  d_step {
    if
    :: !IS_CANCELLED(g) -> state[g] = waiting; parked[g] = true
    :: else
    fi
  }
}

inline take_g(g) {  // cancel_take
  d_step {
    if
    :: parked[g] && IS_CANCELLED(g) -> parked[g] = false; state[g] = runnable
    :: else
    fi
  }
}

// --- Cancelling -------------------------------------------------------------
inline set_flag(flag, mine) {
  d_step { mine = !flag; flag = true }
}

// Lock of x held. work: group 1 is to be walked through, too.
inline take_all(x, hard, work, mine) {
  assert(!ended[x]);
  if
  :: member[1] == x -> take_g(1)
  :: member[1] != x
  fi;
  if
  :: member[2] == x -> take_g(2)
  :: member[2] != x
  fi;
#ifndef BUG_NO_OWNER
  take_g(x);  // group x is that of G x
#endif
#ifdef INNER
  if
  :: x == 0 && linked &&
#ifdef BUG_SHIELD
     !hard ->
#else
     hard == IN_SHIELD ->
#endif
     set_flag(cancelled[1], mine);
#ifndef BUG_NO_WORK
     work = mine
#endif
  :: else
  fi
#endif
}

inline start_grace(x) {
#ifdef BUG_NO_GRACE
  skip
#else
  d_step { assert(!ended[x]); harden[x] = true; timer[x] = grace }
#endif
}

inline walk(x, work, mine) {  // finish
  lock(x);
  if
#ifdef BUG_ENDED
  :: true ->
#else
  :: !ended[x] ->
#endif
     take_all(x, false, work, mine);
     start_grace(x)
#ifndef BUG_ENDED
  :: ended[x]
#endif
  fi;
  unlock(x)
}

inline group_cancel(x, work, mine) {
#ifdef BUG_WALK_FIRST
  mine = !cancelled[x];
  if
  :: mine -> walk(x, work, mine); cancelled[x] = true
#else
  set_flag(cancelled[x], mine);
  if
  :: mine ->
     walk(x, work, mine)
#endif
  :: !mine
  fi
}

inline harden_it(x, work, mine) {
  set_flag(grace_over[x], mine);
  if
  :: mine ->
     lock(x);
     if
#ifndef BUG_HARD_WALK
     :: !ended[x] -> take_all(x, true, work, mine)
     :: ended[x]
#else
     :: true
#endif
     fi;
     unlock(x)
  :: !mine
  fi
}

proctype Cancel() {
  bool work, mine;
#ifdef AIDE
  if
  :: group_cancel(0, work, mine)
  :: skip
  fi;
#else
  group_cancel(0, work, mine);
#endif
  if
  :: work -> walk(1, work, mine)
  :: !work
  fi
}

// The timer of group x: time passes.
proctype Fires(byte x) {
  mtype kind;
  bool work, mine, over;
end_none:
  do
  :: d_step { timer[x] != off -> kind = timer[x]; timer[x] = off };
     lock(x);  // group_fire
#ifdef BUG_OLD_DEADLINE
     over = harden[x];
#else
     over = (harden[x] && IS_OVER(kind));
#endif
     mine = ended[x];
     unlock(x);
     if
     :: mine
     :: !mine && over ->
        assert(kind == grace);
        harden_it(x, work, mine)
     :: !mine && !over ->
        group_cancel(x, work, mine)
     fi;
     if
     :: work -> work = false; walk(1, work, mine)
     :: !work
     fi;
     d_step { mine = false; over = false; kind = off }
  od
}

// --- Joining, leaving, the end ----------------------------------------------
inline group_join(x, g) {
  innermost[g] = x;
  lock(x);
  assert(!ended[x]);
  d_step {
    member[g] = x;
    count[x]++;
    aides[x] = aides[x] + (IS_AIDE(g) -> 1 : 0)
  };
  unlock(x)
}

inline group_leave(x, g, ready) {
  lock(x);
  d_step {
    assert(!ended[x]);
    member[g] = NONE;
    count[x]--;
    aides[x] = aides[x] - (IS_AIDE(g) -> 1 : 0);
#ifdef BUG_AIDE_LEFT
    ready = (count[x] == 0 && waits[x]);
#else
    ready = (!AWAITED(x) && waits[x]);
#endif
#ifndef BUG_WAITING_KEPT
    if
    :: ready -> waits[x] = false
    :: else
    fi
#endif
  };
  unlock(x);
  innermost[g] = NONE;
  if
  :: ready -> make_ready(x)
  :: !ready
  fi
}

// Whether there are members. Cancels those that are left if all are aides.
inline dismiss_aides(x, some, work, mine) {
#ifdef AIDE
  lock(x);
  d_step {
    some = (count[x] != 0);
    mine = (some && !AWAITED(x));
    dismissed[x] = (dismissed[x] || mine)
  };
  unlock(x);
#ifndef BUG_NOT_DISMISSED
  if
  :: mine -> group_cancel(x, work, mine)
  :: !mine
  fi
#endif
#else
  some = (count[x] != 0)  // with the lock
#endif
}

// To where it parks, or goes on without: `some` tells.
inline ask_for_members(x, some) {
  state[x] = waiting;
  lock(x);  // still_has_members
#ifdef BUG_AIDE_AWAITED
  some = (count[x] != 0);
#elif !defined(BUG_NO_COMMIT)
  some = AWAITED(x);
#endif
  d_step {
    waits[x] = some;
    if
    :: !some -> state[x] = running
    :: else
    fi
  };
  unlock(x)
}

inline finish_group(x) {
  lock(x);
  d_step { assert(count[x] == 0); ended[x] = true; timer[x] = off };
  unlock(x)
}

proctype WakesOwner() {  // group_wake_owner
  bool some;
  if
  :: lock(0);
     d_step { some = waits[0]; waits[0] = false };
     unlock(0);
     if
     :: some -> make_ready(0)
     :: !some
     fi
  :: skip
  fi
}

// --- Gs ---------------------------------------------------------------------
proctype Owner() {
  bool some, work, mine;
  d_step { state[0] = running; innermost[0] = 0 };
  group_join(0, 1);
  state[1] = runnable;
#ifndef INNER
  if
  :: lock(0);  // group_deadline
     if
#ifdef BUG_DEADLINE_BLIND
     :: timer[0] = deadline
#else
     :: d_step { !cancelled[0] -> timer[0] = deadline }
     :: cancelled[0]
#endif
     fi;
     unlock(0)
  :: skip
  fi;
#ifndef AIDE
  if
  :: park(0)
  :: skip
  fi;
end_waits:
  state[0] != waiting;
  state[0] = running;
#endif
#endif
ask:
  dismiss_aides(0, some, work, mine);
  if
  :: some ->
     ask_for_members(0, some);
     if
     :: some ->
end_parked:
        d_step { state[0] == runnable -> state[0] = running }
     :: !some
     fi;
     goto ask
  :: !some
  fi;
  finish_group(0);
  d_step { innermost[0] = NONE; state[0] = dead }
}

proctype Starter() {  // G 1
  bool some;
#ifdef INNER
  bool work, mine;
#endif
end_unborn:
  d_step { state[1] == runnable -> state[1] = running };
#ifdef INNER
  shielded[1] = IN_SHIELD;
#ifdef BUG_INHERIT_FIRST
  some = cancelled[0];
#endif
  lock(0);  // group_begin
  linked = true;
#ifndef BUG_INHERIT_FIRST
  some = ((!IN_SHIELD && cancelled[0]) || (IN_SHIELD && grace_over[0]));
#endif
#ifdef BUG_NOT_INHERITED
  some = false;
#endif
  if
  :: some -> set_flag(cancelled[1], some)
  :: !some
  fi;
  unlock(0);
  if
  :: some ->
     lock(1);
     start_grace(1);
     unlock(1)
  :: !some
  fi;
  d_step { innermost[1] = 1; shielded[1] = false };
  group_join(1, 2);
#else
  group_join(0, 2);
#endif
  state[2] = runnable;
#ifndef AIDE
  if
  :: park(1)
  :: skip
  fi;
end_waits:
  state[1] != waiting;
  state[1] = running;
#endif
#ifdef INNER
ask:
  dismiss_aides(1, some, work, mine);
  if
  :: some ->
     ask_for_members(1, some);
     if
     :: some ->
end_parked:
        d_step { state[1] == runnable -> state[1] = running }
     :: !some
     fi;
     goto ask
  :: !some
  fi;
  lock(0);
  linked = false;
  unlock(0);
  finish_group(1);
  d_step { innermost[1] = 0; shielded[1] = IN_SHIELD };
#endif
  group_leave(0, 1, some);
  state[1] = dead
}

proctype Child() {  // G 2
  bool ready;
  byte in;
end_unborn:
  d_step { state[2] == runnable -> state[2] = running; in = innermost[2] };
  do
  :: if
     :: park(2)
     :: skip
     fi;
end_waits:
     state[2] != waiting;
     state[2] = running;
     if
     :: shielded[2] -> break
     :: !shielded[2] -> shielded[2] = true
     fi
  od;
  group_leave(in, 2, ready);
  state[2] = dead
}

init {
  atomic {
    run Owner();
    run Starter();
    run Child();
    run Cancel();
#ifndef INNER
    run WakesOwner();
#endif
    run Fires(0);
#ifdef INNER
    run Fires(1);
#endif
  };
  atomic {
    timeout;  // nothing moves any more, and Cancel has been
    assert(!locked[0] && !locked[1]);
#ifndef AIDE
    assert(cancelled[0]);
#endif
    assert(ended[0] && timer[0] == off && count[0] == 0);
    assert(state[0] == dead && state[1] == dead && state[2] == dead);
#ifdef INNER
    assert(ended[1] && timer[1] == off && count[1] == 0)
#endif
  }
}
