// SPDX-License-Identifier: MIT
// Select against peers, against close, and against cancellation
// (sched/select.c, chan.c; row 28).
//
// Two unbuffered channels. G 0 selects between receiving from 0 and from 1,
// G 1 between sending to 0 and receiving from 1, G 2 sends to 0 alone. A closer
// tries to send to 1 and then closes it. A canceller cancels G 0, which selects
// once more after that, as a deferred function does: shielded, not to be
// cancelled. To be shown:
//   - a G is readied once for each time it parks
//   - it leaves no waiter behind, in whichever queue
//   - each value sent is received once
//   - no cancellation ends a wait that it is not for
//
// A queue gives its waiters in any order, which is more than FIFO. With the
// lock of a channel, dequeueing and claiming are one step: the CAS on
// select_state, for which those with other channels' locks race.
//
// The canceller sets its flag, reads the word at whatever time, and then whether
// the G is cancelled now; then it claims the word by its number, without a
// lock. What others find of it in the queues is dropped. That no cancellation
// is lost is cancel.pml's.
//
// check:
// bug: -DBUG_NO_CLAIM: a waker does not claim the select
// bug: -DBUG_CLAIM_STORE: it compares, then stores
// bug: -DBUG_NO_FINISH: a G that was woken stays in the other queue
// bug: -DBUG_WAITING_LATE: the G is WAITING after the unlock only
// bug: -DBUG_NO_RECHECK: it does not look whether it is cancelled now
// bug: -DBUG_NO_NUMBER: the word is 1 in each wait
// bug: -DBUG_CANCEL_UNCLAIMED: a process that cancels does not claim

#define GS   3
#define NONE 255
#define CANCELLED 254

// --- Channels ---------------------------------------------------------------
bool locked[2];
bool closed;           // channel 1
bool queued[2 * GS];   // a waiter for each G and channel
#define W(g, c)  (2 * (g) + c)
#define G_OF(w)  ((w) / 2)
#define SINGLE 2       // the G that does not select

// --- Gs ---------------------------------------------------------------------
mtype = { running, waiting, runnable };
mtype state[GS] = running;
byte select_state[GS]; // odd while it waits
#define WAITS(g) (select_state[g] % 2 == 1)
#ifdef BUG_NO_NUMBER
#define NEXT(word) (1 - word)
#else
#define NEXT(word) (word + 1)
#endif
byte woken_by[GS];     // a waiter, CANCELLED or NONE
bool success[GS];

// Of G 0.
bool flag;
bool shielded;
#define IS_CANCELLED (flag && !shielded)

// --- What only this model knows ---------------------------------------------
byte sent, received;

inline lock(c) { atomic { !locked[c] -> locked[c] = true } }
inline unlock(c) { locked[c] = false }

inline make_ready(g) {  // sched_ready
  d_step { assert(state[g] == waiting); state[g] = runnable }
}

// One of the waiters a and b that can be had, or NONE (dequeue, claim, fired).
inline dequeue(a, b, found, ok) {
  found = NONE;
  do
  :: atomic { queued[a] -> queued[a] = false; found = a }; claim(found, ok)
  :: atomic { queued[b] -> queued[b] = false; found = b }; claim(found, ok)
  :: !queued[a] && !queued[b] -> break
  od
}

inline claim(w, ok) {
  if
  :: atomic {
       (G_OF(w) == SINGLE || WAITS(G_OF(w))) ->
#ifdef BUG_CLAIM_STORE
     };
     atomic {
#endif
       if
       :: G_OF(w) != SINGLE ->
          select_state[G_OF(w)] = NEXT(select_state[G_OF(w)])
       :: else
       fi;
       woken_by[G_OF(w)] = w;
       success[G_OF(w)] = ok
     };
     break
#ifdef BUG_NO_CLAIM
  :: atomic { G_OF(w) != SINGLE && !WAITS(G_OF(w)) ->
       woken_by[G_OF(w)] = w; success[G_OF(w)] = ok };
     break
#else
  :: atomic { G_OF(w) != SINGLE && !WAITS(G_OF(w)) -> w = NONE }
#endif
  fi
}

// --- Select -----------------------------------------------------------------
// Case 0 sends to channel 0 or receives from it; case 1 receives from 1.
proctype Select(byte g; byte rounds) {
  byte peer = NONE;
again:
  lock(0);  // lock_all
  lock(1);
  if  // try_cases, in either order
  :: true ->
     if
     :: g == 0 -> dequeue(W(1, 0), W(SINGLE, 0), peer, true)
     :: g != 0 -> dequeue(W(0, 0), W(0, 0), peer, true)
     fi
  :: closed -> goto got_closed
  fi;
  if
  :: peer != NONE ->
     if
     :: g == 0 -> received++
     :: g != 0 -> sent++
     fi;
     unlock(1);
     unlock(0);
     make_ready(G_OF(peer));
     peer = NONE;
     goto done
  :: peer == NONE && closed -> goto got_closed
  :: peer == NONE && !closed
  fi;

  d_step {  // wait_on_all
    woken_by[g] = NONE;
    success[g] = false;
    queued[W(g, 0)] = true;
    queued[W(g, 1)] = true
  };
#ifndef BUG_WAITING_LATE
  state[g] = waiting;  // g_leave
#endif
  select_state[g] = NEXT(select_state[g]);  // select_open
  unlock(1);
  unlock(0);
#ifdef BUG_WAITING_LATE
  state[g] = waiting;
#endif

end_parked:
  d_step { state[g] == runnable -> state[g] = running };
  lock(0);  // select_finish
#ifndef BUG_NO_FINISH
  queued[W(g, 0)] = false;
#endif
  unlock(0);
  lock(1);
#ifndef BUG_NO_FINISH
  queued[W(g, 1)] = false;
#endif
  unlock(1);
  assert(woken_by[g] != NONE && !queued[W(g, 0)] && !queued[W(g, 1)]);
  assert(woken_by[g] != CANCELLED || (g == 0 && IS_CANCELLED));
  if
  :: woken_by[g] == W(g, 0) && g == 0 -> received++
  :: woken_by[g] == W(g, 0) && g != 0 -> sent++
  :: woken_by[g] == W(g, 1) && success[g] -> received++
  :: else
  fi;
  goto done;

got_closed:
  unlock(1);
  unlock(0);

done:
  if
  :: rounds > 1 -> rounds--; shielded = true; goto again
  :: else
  fi
}

// --- A G that sends to channel 0 (chan_send) --------------------------------
proctype Send() {
  byte peer = NONE;
  lock(0);
  dequeue(W(0, 0), W(0, 0), peer, true);
  if
  :: peer != NONE ->
     sent++;
     unlock(0);
     make_ready(G_OF(peer));
     goto done
  :: peer == NONE
  fi;
  d_step {  // park_on
    woken_by[SINGLE] = NONE;
    queued[W(SINGLE, 0)] = true;
    state[SINGLE] = waiting
  };
  unlock(0);
end_parked:
  d_step { state[SINGLE] == runnable -> state[SINGLE] = running };
  assert(woken_by[SINGLE] == W(SINGLE, 0) && !queued[W(SINGLE, 0)]);
  sent++;
done:
  skip
}

// --- A G that tries to send to channel 1, then closes it --------------------
proctype Close() {
  byte peer, first = NONE;
  lock(1);
  dequeue(W(0, 1), W(1, 1), peer, true);
  unlock(1);
  if
  :: peer != NONE -> sent++; make_ready(G_OF(peer))
  :: peer == NONE
  fi;
  lock(1);  // chan_close
  closed = true;
  dequeue(W(0, 1), W(1, 1), first, false);
  if
  :: first != NONE -> dequeue(W(0, 1), W(1, 1), peer, false)
  :: first == NONE -> peer = NONE
  fi;
  unlock(1);
  if
  :: first != NONE -> make_ready(G_OF(first))
  :: first == NONE
  fi;
  if
  :: peer != NONE -> make_ready(G_OF(peer))
  :: peer == NONE
  fi
}

// --- The M that cancels -----------------------------------------------------
proctype Cancel() {  // group_cancel, cancel_take: take_word
  byte word;
  bool claimed;
  flag = true;
  word = select_state[0];
  if
#ifdef BUG_NO_RECHECK
  :: word % 2 == 1 ->
#else
  :: word % 2 == 1 && IS_CANCELLED ->
#endif
#ifdef BUG_CANCEL_UNCLAIMED
     claimed = true;
#endif
     d_step {
       if
       :: select_state[0] == word ->
          select_state[0] = NEXT(word);
          claimed = true
       :: else
       fi
     };
     if
     :: claimed -> woken_by[0] = CANCELLED; make_ready(0)
     :: !claimed
     fi
  :: else
  fi
}

init {
  atomic {
    run Select(0, 2);
    run Select(1, 1);
    run Send();
    run Close();
    run Cancel()
  };
  atomic {
    timeout;  // nothing moves any more; a sender may be left
    assert(!locked[0] && !locked[1] && sent == received);
    assert(state[0] == running && state[1] == running);
    assert(state[SINGLE] == running || queued[W(SINGLE, 0)]);
    assert(!queued[W(0, 0)] && !queued[W(0, 1)] && !queued[W(1, 0)] &&
           !queued[W(1, 1)])
  }
}
