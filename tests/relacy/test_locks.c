// SPDX-License-Identifier: MIT
// The locks and the note of rt.h and rt.c: mutual exclusion, what was written
// before an unlock or a set is seen after the next lock or wait, nobody sleeps
// for ever. The futex is the engine's; it wakes for no reason now and then.
#include "relacy.h"
#include "sched/rt.h"

enum { LOCK_TURNS = 2, NOTE_SETS = 2 };

static uint32_t spin_word;
static RtLock lock;
static RtNote note;
static uint64_t total, others;  // plain: guarded by the lock at hand
static uint64_t message;        // plain: written before a set
static bool seen[RELACY_THREADS];

static void setup(void) {
  spin_word = 0;
  lock = (RtLock){0};
  note = (RtNote){0};
  total = others = message = 0;
  for (int i = 0; i < RELACY_THREADS; i++) seen[i] = false;
}

// --- Locks ------------------------------------------------------------------
static void count_spinning(void) {
  for (int i = 0; i < LOCK_TURNS; i++) {
    rt_spin_lock(&spin_word);
    total++;
    rt_spin_unlock(&spin_word);
  }
}

static void count_locked(void) {
  for (int i = 0; i < LOCK_TURNS; i++) {
    rt_lock(&lock);
    total++;
    rt_unlock(&lock);
  }
}

static void read_locked(void) {
  rt_lock(&lock);
  others = total;
  rt_unlock(&lock);
}

static void check_two(void) {
  RELACY_CHECK(total == (uint64_t)2 * LOCK_TURNS, "a turn is lost");
  RELACY_CHECK(spin_word == 0 && lock.word == 0, "the lock is not free");
}

static void check_three(void) {
  RELACY_CHECK(total == (uint64_t)3 * LOCK_TURNS, "a turn is lost");
  RELACY_CHECK(spin_word == 0 && lock.word == 0, "the lock is not free");
}

// --- Notes ------------------------------------------------------------------
static void set_once(void) {
  message = 1;
  rt_note_set(&note);
}

static void wait_once(void) {
  RELACY_CHECK(rt_note_wait(&note, RT_FOREVER), "a wait for ever timed out");
  RELACY_CHECK(message == 1, "woken before the set");
}

// What the other wrote before the answer is seen, too.
static RtNote answer;

static void setup_answer(void) {
  setup();
  answer = (RtNote){0};
}

static void ask(void) {
  for (int i = 1; i <= NOTE_SETS; i++) {
    message = (uint64_t)i;
    rt_note_set(&note);
    rt_note_wait(&answer, RT_FOREVER);
    RELACY_CHECK(total == (uint64_t)i, "the answer came too early");
  }
}

static void give_answer(void) {
  for (int i = 1; i <= NOTE_SETS; i++) {
    rt_note_wait(&note, RT_FOREVER);
    total = message;
    rt_note_set(&answer);
  }
}

// A set that comes at the deadline counts, now or at the next wait.
static void wait_with_deadline(void) {
  seen[0] = rt_note_wait(&note, 1);
  if (seen[0]) {
    RELACY_CHECK(message == 1, "woken before the set");
  } else {
    wait_once();
  }
}

static uint32_t ready;  // a condition, as those under which Ms wait

static void make_ready(void) {
  rt_lock(&lock);
  ready++;
  rt_unlock(&lock);
  rt_note_set(&note);
}

// As idle_wait: looks under the lock, and sleeps if it has to.
static void wait_until_ready(void) {
  for (;;) {
    rt_lock(&lock);
    bool done = ready == 2;
    rt_unlock(&lock);
    if (done) return;
    rt_note_wait(&note, RT_FOREVER);
  }
}

static void setup_ready(void) {
  setup();
  ready = 0;
}

static void check_nothing(void) {}

static const RelacyScenario all[] = {
    {"spin",
     setup,
     {count_spinning, count_spinning},
     check_two,
     20000,
     30000,
     3},
    {"spin_three",
     setup,
     {count_spinning, count_spinning, count_spinning},
     check_three,
     15000,
     0,
     0},
    {"lock", setup, {count_locked, count_locked}, check_two, 20000, 30000, 3},
    {"lock_three",
     setup,
     {count_locked, count_locked, count_locked},
     check_three,
     15000,
     0,
     0},
    {"lock_read",
     setup,
     {count_locked, count_locked, read_locked},
     check_two,
     15000,
     0,
     0},
    {"note", setup, {set_once, wait_once}, check_nothing, 20000, 30000, 3},
    {"note_answer",
     setup_answer,
     {ask, give_answer},
     check_nothing,
     20000,
     30000,
     2},
    {"note_deadline",
     setup,
     {set_once, wait_with_deadline},
     check_nothing,
     20000,
     30000,
     3},
    {"note_shared",
     setup_ready,
     {make_ready, make_ready, wait_until_ready},
     check_nothing,
     15000,
     0,
     0},
};

int main(int argc, char **argv) {
  return relacy_main(argc, argv, all, sizeof all / sizeof *all);
}
