// SPDX-License-Identifier: MIT
// The explorer itself: it finds the classic errors, each in the way it is for,
// and passes the corrected code. Stores are delayed as on x86-64, no more.
#include "tests/explore/sched_explore.h"

typedef struct Counter {
  uint32_t value, lock, other;
  uint32_t flag_a, flag_b, word;
} Counter;

static Counter counter;
static const char *found_text;

static void two_threads(void (*run)(void *arg)) {
  counter = (Counter){0};
  explore_go(run, NULL);
  explore_go(run, NULL);
  explore_join_all();
}

// --- A lost update ----------------------------------------------------------
static void add_wrongly(void *arg) {
  (void)arg;
  uint32_t seen = rt_load_seq(&counter.value);
  rt_store_seq(&counter.value, seen + 1);
}

static void add_rightly(void *arg) {
  (void)arg;
  rt_add(&counter.value, 1u);
}

static void lost_update(void *wrong) {
  two_threads(wrong != NULL ? add_wrongly : add_rightly);
  EXPLORE_CHECK(counter.value == 2, "the count is %u", counter.value);
}

static void finds_a_lost_update(void **state) {
  (void)state;
  Scenario wrong = {.name = "lost_update",
                    .body = lost_update,
                    .arg = &counter,
                    .preemptions = 1};
  assert_true(explore_finds(&wrong, &found_text));
  assert_string_equal(found_text, "the count is 1");
  wrong.preemptions = -1;  // by the other strategies too
  assert_true(explore_finds(&wrong, &found_text));
  Scenario right = {
      .name = "no_lost_update", .body = lost_update, .preemptions = 2};
  assert_true(explore(&right));
}

// --- Two locks in two orders ------------------------------------------------
static void take_both(uint32_t *first, uint32_t *second) {
  rt_spin_lock(first);
  rt_spin_lock(second);
  rt_spin_unlock(second);
  rt_spin_unlock(first);
}

static void forwards(void *arg) {
  (void)arg;
  take_both(&counter.lock, &counter.other);
}

static void backwards(void *arg) {
  (void)arg;
  take_both(&counter.other, &counter.lock);
}

static void two_locks(void *arg) {
  counter = (Counter){0};
  explore_go(forwards, NULL);
  explore_go(arg != NULL ? backwards : forwards, NULL);
  explore_join_all();
}

static void finds_a_deadlock(void **state) {
  (void)state;
  Scenario wrong = {.name = "two_locks",
                    .body = two_locks,
                    .arg = &counter,
                    .preemptions = 1};
  assert_true(explore_finds(&wrong, &found_text));
  assert_string_equal(found_text, "deadlock: all threads sleep");
  Scenario right = {
      .name = "two_locks_ordered", .body = two_locks, .preemptions = 2};
  assert_true(explore(&right));
}

// --- A lost wake-up ---------------------------------------------------------
static void sleeper(void *arg) {
  (void)arg;
  while (rt_load_seq(&counter.flag_a) == 0) {
    rt_store_seq(&counter.word, 1u);
    // wrong: the flag may have been set just before the store
    rt_futex_wait(&counter.word, 1, RT_FOREVER);
  }
}

static void waker(void *arg) {
  (void)arg;
  rt_store_seq(&counter.flag_a, 1u);
  if (rt_exchange(&counter.word, 0u) != 0) rt_futex_wake(&counter.word, 1);
}

static void lost_wake(void *arg) {
  (void)arg;
  counter = (Counter){0};
  explore_go(sleeper, NULL);
  explore_go(waker, NULL);
  explore_join_all();
}

static void finds_a_lost_wake_up(void **state) {
  (void)state;
  Scenario wrong = {.name = "lost_wake", .body = lost_wake, .preemptions = 2};
  assert_true(explore_finds(&wrong, &found_text));
  assert_string_equal(found_text, "deadlock: all threads sleep");
}

// --- Neither goes on --------------------------------------------------------
static void polite(uint32_t *mine, uint32_t *theirs) {
  for (;;) {
    rt_store_seq(mine, 1u);
    if (rt_load_seq(theirs) == 0) return;
    rt_store_seq(mine, 0u);
    rt_yield_cpu();
  }
}

static void polite_a(void *arg) {
  (void)arg;
  polite(&counter.flag_a, &counter.flag_b);
}

static void polite_b(void *arg) {
  (void)arg;
  polite(&counter.flag_b, &counter.flag_a);  // nobody ever takes it back
}

static void livelock(void *arg) {
  (void)arg;
  counter = (Counter){0};
  explore_go(polite_a, NULL);
  explore_go(polite_b, NULL);
  explore_join_all();
}

static void finds_a_livelock(void **state) {
  (void)state;
  Scenario wrong = {.name = "livelock",
                    .body = livelock,
                    .step_limit = 1000,
                    .preemptions = 0};
  assert_true(explore_finds(&wrong, &found_text));
  assert_string_equal(found_text, "livelock: not over after 1000 steps");
}

// --- A thread that holds a lock most of the time starves nobody --------------
// One goes round and holds the lock in most of its steps, until the other one
// has had it. Where a turn has as many steps as a thread may make
// alone, it would give way at the same place each time: with the lock held.
static RtLock its_lock;
static bool other_had_it;

static void holds_it(void *arg) {
  const int *steps = arg;
  for (bool over = false; !over;) {
    rt_lock(&its_lock);
    over = other_had_it;
    for (int i = 0; i < *steps; i++) RT_STEP(&counter.value);
    rt_unlock(&its_lock);
    for (int i = 0; i < 60; i++) RT_STEP(&counter.value);
  }
}

static void wants_it(void *arg) {
  (void)arg;
  rt_lock(&its_lock);
  other_had_it = true;
  rt_unlock(&its_lock);
}

static void starve(void *arg) {
  its_lock = (RtLock){0};
  other_had_it = false;
  explore_go(holds_it, arg);
  explore_go(wants_it, NULL);
  explore_join_all();
}

static void a_lock_starves_nobody(void **state) {
  (void)state;
  for (int steps = 330; steps <= 430; steps += 5) {
    Scenario scenario = {
        .name = "lock_held", .body = starve, .arg = &steps, .preemptions = 0};
    assert_true(explore(&scenario));
  }
}

// --- A fair run leaves no thread behind -------------------------------------
enum { FAIR_THREADS = 3, FAIR_STEPS = 60, FAIR_WITHIN = 12 };
static uint32_t all_steps, longest_gap;

static void count_steps(void) { all_steps++; }

// It can run all the time.
static void step_on(void *arg) {
  (void)arg;
  uint32_t last = all_steps;
  for (int i = 0; i < FAIR_STEPS; i++) {
    RT_STEP(&counter.value);
    uint32_t gap = all_steps - last;
    if (gap > longest_gap) longest_gap = gap;
    last = all_steps;
  }
}

static void three_step_on(void *arg) {
  (void)arg;
  all_steps = longest_gap = 0;
  explore_watch(count_steps);
  for (int i = 0; i < FAIR_THREADS; i++) explore_go(step_on, NULL);
  explore_join_all();
  // two may be late at once
  EXPLORE_CHECK(longest_gap <= FAIR_WITHIN + FAIR_THREADS,
                "a thread waited for %u steps of others", longest_gap);
}

static void fair_runs_are_fair(void **state) {
  (void)state;
  Scenario fair = {.name = "fair",
                   .body = three_step_on,
                   .preemptions = 1,
                   .fair = FAIR_WITHIN};
  assert_true(explore(&fair));
  Scenario unfair = fair;
  unfair.fair = 0;
  assert_true(explore_finds(&unfair, &found_text));
}

// --- An exhaustive search sees every schedule -------------------------------
static uint32_t seen_orders;

static void two_steps(void *arg) {
  uint32_t digit = *(uint32_t *)arg;
  for (int i = 0; i < 2; i++) {
    RT_STEP(&counter.value);
    counter.value = counter.value * 2 + digit;
  }
}

static void all_orders(void *arg) {
  (void)arg;
  static uint32_t zero = 0, one = 1;
  counter = (Counter){0};
  explore_go(two_steps, &zero);
  explore_go(two_steps, &one);
  explore_join_all();
  seen_orders |= 1u << counter.value;
}

static void sees_every_order(void **state) {
  (void)state;
  Scenario scenario = {
      .name = "all_orders", .body = all_orders, .preemptions = 4};
  assert_true(explore(&scenario));
  // 4 over 2: 0011 0101 0110 1001 1010 1100
  uint32_t all = 1u << 3 | 1u << 5 | 1u << 6 | 1u << 9 | 1u << 10 | 1u << 12;
  if (explore_is_whole()) assert_int_equal(seen_orders, all);
}

// --- The bare locks and notes that all else uses ----------------------------
static RtLock plain_lock;
static RtNote plain_note;

static void count_locked(void *arg) {
  (void)arg;
  for (int i = 0; i < 2; i++) {
    rt_lock(&plain_lock);
    uint32_t seen = rt_load_relaxed(&counter.value);
    rt_store_relaxed(&counter.value, seen + 1);
    rt_unlock(&plain_lock);
  }
}

static void lock_excludes(void *arg) {
  (void)arg;
  plain_lock = (RtLock){.rank = &rank_sched};
  two_threads(count_locked);
  EXPLORE_CHECK(counter.value == 4, "the count is %u", counter.value);
}

static void set_note(void *arg) {
  (void)arg;
  rt_store_relaxed(&counter.value, counter.value + 1);
  rt_note_set(&plain_note);
}

static void wait_note(void *arg) {
  (void)arg;
  uint32_t wanted = 2;
  while (rt_load_relaxed(&counter.value) < wanted) {
    rt_note_wait(&plain_note, RT_FOREVER);
  }
}

static void note_is_not_lost(void *arg) {
  (void)arg;
  counter = (Counter){0};
  plain_note = (RtNote){0};
  int waiter = explore_go(wait_note, NULL);
  explore_join(explore_go(set_note, NULL));
  explore_join(explore_go(set_note, NULL));
  explore_join(waiter);
}

static void locks_and_notes(void **state) {
  (void)state;
  Scenario lock = {.name = "lock", .body = lock_excludes, .preemptions = 3};
  Scenario note = {.name = "note", .body = note_is_not_lost, .preemptions = 3};
  assert_true(explore(&lock));
  assert_true(explore(&note));
}

// --- Delayed stores ---------------------------------------------------------
// Each stores its own word and loads the other's.
typedef enum StoreKind {
  STORE_RELAXED,
  STORE_RELEASE,
  STORE_SEQ,
  STORE_THEN_RMW,  // released; then a read-modify-write of a third word
} StoreKind;

static StoreKind store_kind;
static uint32_t saw[2], seen_outcomes;

static void store_and_load(int me, uint32_t *mine, uint32_t *theirs) {
  if (store_kind == STORE_RELAXED) {
    rt_store_relaxed(mine, 1u);
  } else if (store_kind == STORE_SEQ) {
    rt_store_seq(mine, 1u);
  } else {
    rt_store_release(mine, 1u);
  }
  if (store_kind == STORE_THEN_RMW) rt_add(&counter.value, 1u);
  saw[me] = rt_load_seq(theirs);
}

static void store_a_load_b(void *arg) {
  (void)arg;
  store_and_load(0, &counter.flag_a, &counter.flag_b);
}

static void store_b_load_a(void *arg) {
  (void)arg;
  store_and_load(1, &counter.flag_b, &counter.flag_a);
}

static void two_stores(void) {
  counter = (Counter){0};
  explore_go(store_a_load_b, NULL);
  explore_go(store_b_load_a, NULL);
  explore_join_all();
  seen_outcomes |= 1u << (saw[0] * 2 + saw[1]);
}

static void store_buffering(void *arg) {
  store_kind = *(const StoreKind *)arg;
  two_stores();
  EXPLORE_CHECK(saw[0] != 0 || saw[1] != 0, "neither sees the other");
}

static void any_outcome(void *arg) {
  store_kind = *(const StoreKind *)arg;
  two_stores();
}

static const StoreKind store_kinds[] = {STORE_RELAXED, STORE_RELEASE, STORE_SEQ,
                                        STORE_THEN_RMW};

static Scenario store_scenario(const char *name, StoreKind kind) {
  return (Scenario){.name = name,
                    .body = store_buffering,
                    .arg = (void *)(uintptr_t)&store_kinds[kind],
                    .preemptions = 3};
}

static void finds_a_late_store(void **state) {
  (void)state;
  Scenario relaxed = store_scenario("store_relaxed", STORE_RELAXED);
  assert_true(explore_finds(&relaxed, &found_text));
  assert_string_equal(found_text, "neither sees the other");
  Scenario release = store_scenario("store_release", STORE_RELEASE);
  assert_true(explore_finds(&release, &found_text));
  release.preemptions = -1;  // by the other strategies too
  assert_true(explore_finds(&release, &found_text));
}

static bool saw_all_outcomes(void) { return seen_outcomes == 0xF; }

static void late_stores_are_bounded(void **state) {
  (void)state;
  Scenario in_order = store_scenario("store_in_order", STORE_RELEASE);
  in_order.in_order = true;
  assert_true(explore(&in_order));
  Scenario seq = store_scenario("store_seq", STORE_SEQ);
  assert_true(explore(&seq));
  Scenario rmw = store_scenario("store_then_rmw", STORE_THEN_RMW);
  assert_true(explore(&rmw));
  Scenario any = store_scenario("store_outcomes", STORE_RELEASE);
  any.body = any_outcome;
  any.enough = saw_all_outcomes;
  seen_outcomes = 0;
  assert_true(explore(&any));
  if (explore_is_whole()) assert_int_equal(seen_outcomes, 0xF);
}

// Stores become visible in order, one by one, and after later loads.
static bool passed, seen_between;

static void send_message(void *arg) {
  (void)arg;
  rt_store_relaxed(&counter.value, 7u);
  rt_store_release(&counter.flag_a, 1u);
  rt_load_relaxed(&counter.word);
  passed = true;
  rt_load_relaxed(&counter.word);
}

static void receive_message(void *arg) {
  (void)arg;
  if (rt_load_acquire(&counter.flag_a) != 0) {
    uint32_t value = rt_load_relaxed(&counter.value);
    EXPLORE_CHECK(value == 7, "the flag came before the message");
  }
}

static void look_between(void *arg) {
  (void)arg;
  bool began_late = passed;
  uint32_t value = rt_load_relaxed(&counter.value);
  uint32_t flag = rt_load_relaxed(&counter.flag_a);
  seen_between |= began_late && value == 7 && flag == 0;
}

static void message(void *arg) {
  (void)arg;
  counter = (Counter){0};
  passed = false;
  explore_go(send_message, NULL);
  explore_go(receive_message, NULL);
  explore_go(look_between, NULL);
  explore_join_all();
}

static bool saw_between(void) { return seen_between; }

static void stores_stay_in_order(void **state) {
  (void)state;
  seen_between = false;
  Scenario scenario = {.name = "message",
                       .body = message,
                       .preemptions = 3,
                       .enough = saw_between};
  assert_true(explore(&scenario));
  if (explore_is_whole()) assert_true(seen_between);
}

// A thread sees its own stores at once, also by plain loads and in part; its
// own plain stores over them are not lost.
static union {
  uint64_t whole;
  uint32_t half[2];
} wide;

static void store_wide(void *arg) {
  (void)arg;
  rt_store_release(&wide.whole, UINT64_MAX);
  rt_store_release(&wide.half[0], 0u);
  EXPLORE_CHECK(wide.whole == 0xFFFFFFFF00000000u, "sees not what it stored");
  for (int i = 0; i < 3; i++) RT_STEP(&wide);
  EXPLORE_CHECK(rt_load_relaxed(&wide.half[1]) == UINT32_MAX, "nor in part");
  rt_store_release(&counter.value, 1u);
  counter.value = 2;
  for (int i = 0; i < 3; i++) RT_STEP(&counter);
  EXPLORE_CHECK(counter.value == 2, "a plain store is lost");
}

static void read_wide(void *arg) {
  (void)arg;
  for (int i = 0; i < 2; i++) {
    uint64_t seen = rt_load_relaxed(&wide.whole);
    EXPLORE_CHECK(seen == 0 || seen == UINT64_MAX || seen == UINT64_MAX << 32,
                  "half a store is visible");
  }
}

static void own_stores(void *arg) {
  (void)arg;
  counter = (Counter){0};
  wide.whole = 0;
  explore_go(store_wide, NULL);
  explore_go(read_wide, NULL);
  explore_join_all();
  EXPLORE_CHECK(counter.value == 2, "a plain store was lost");
  EXPLORE_CHECK(wide.whole == UINT64_MAX << 32, "a store was lost");
}

static void own_stores_are_seen(void **state) {
  (void)state;
  Scenario scenario = {.name = "own", .body = own_stores, .preemptions = 3};
  assert_true(explore(&scenario));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_a_lost_update),
      cmocka_unit_test(finds_a_deadlock),
      cmocka_unit_test(finds_a_lost_wake_up),
      cmocka_unit_test(finds_a_livelock),
      cmocka_unit_test(a_lock_starves_nobody),
      cmocka_unit_test(fair_runs_are_fair),
      cmocka_unit_test(sees_every_order),
      cmocka_unit_test(finds_a_late_store),
      cmocka_unit_test(late_stores_are_bounded),
      cmocka_unit_test(stores_stay_in_order),
      cmocka_unit_test(own_stores_are_seen),
      cmocka_unit_test(locks_and_notes),
  };
  explore_program(12);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
