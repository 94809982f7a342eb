// SPDX-License-Identifier: MIT
// The note that a thread sleeps on (sched/rt.c: rt_note_set, rt_note_wait): a
// futex word with three values.
//
// Setters post something, then set the note. The sleeper looks for posts, and
// where there is none waits for the note; a few of its waits may end by their
// deadline. It must come to see all posts: else it sleeps for ever in the
// kernel, an invalid end state.
//
// check: -DSETTERS=3 -DDEADLINES=2
// bug: -DBUG_NO_COMPARE: the kernel puts it to sleep whatever the word is
// bug: -DBUG_STORE: the setter loads and stores instead of an exchange
// bug: -DBUG_CLEAR_FIRST: the sleeper clears the note between look and wait

#ifndef SETTERS
#define SETTERS 2
#endif
#ifndef DEADLINES
#define DEADLINES 1
#endif

#define CLEAR  0
#define SET    1
#define SLEEPS 2

byte note = CLEAR;
bool in_futex;           // the sleeper is in the kernel
byte posts;              // what the note is about
byte deadlines = DEADLINES;

proctype Setter() {
  byte was;
  posts++;
#ifdef BUG_STORE
  was = note;
  note = SET;
#else
  atomic { was = note; note = SET };  // exchange
#endif
  if
  :: was == SLEEPS -> in_futex = false  // FUTEX_WAKE
  :: was != SLEEPS
  fi
}

inline note_wait() {
  do
  :: atomic { note == SET -> note = CLEAR };  // the CAS from CLEAR fails
     break
  :: atomic { note != SET -> note = SLEEPS };
     // FUTEX_WAIT_BITSET compares and goes to sleep in one step
#ifdef BUG_NO_COMPARE
     in_futex = true;
#else
     in_futex = (note == SLEEPS);
#endif
     if
     :: !in_futex
     :: atomic { in_futex && deadlines != 0 -> in_futex = false; deadlines-- };
        note = CLEAR;  // an exchange: what it was is the result
        break
     fi
  od
}

proctype Sleeper() {
  byte seen;
  do
  :: atomic { posts != seen -> seen = posts }
  :: posts == seen && seen == SETTERS -> break
  :: posts == seen && seen != SETTERS ->
#ifdef BUG_CLEAR_FIRST
     note = CLEAR;
#endif
     note_wait()
  od
}

init {
  byte i;
  atomic {
    run Sleeper();
    for (i : 1 .. SETTERS) { run Setter() }
  }
}
