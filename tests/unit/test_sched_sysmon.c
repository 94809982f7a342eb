// SPDX-License-Identifier: MIT
// The monitor (row 20). It asks for a collection when there was none for two
// minutes, once. It sleeps when nothing runs, until something does.
#include "sched/internal.h"
#include "sched_fixture.h"

static const int64_t MINUTES_2 = (int64_t)120 * 1000000000;
static uint32_t wanted;

static void want_gc(void *host) {
  (void)host;
  rt_add(&wanted, 1u);
}

static void waits_for_request(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&wanted) == 0) CO_LOOK;
  CO_SLEEP(30000000);  // some more rounds
  CO_END;
}

static Shared shared;

static void begin(void) {
  memset(&shared, 0, sizeof shared);
  SchedConfig config = {.procs = 2, .hooks.want_gc = want_gc};
  shared.sched = sched_new(&config);
  assert_non_null(shared.sched);
  shared.tasks = calloc(1, sizeof(Task));
  shared.tasks[0].shared = &shared;
  shared.tasks[0].g.resume = task_resume;
  wanted = 0;
}

static void a_collection_is_due_after_two_minutes(void **state) {
  (void)state;
  begin();
  shared.sched->sysmon.collected_at = rt_now() - MINUTES_2 - 1;
  assert_int_equal(shared_run(&shared, waits_for_request), SCHED_EXITED);
  assert_int_equal(wanted, 1);
  shared_free(&shared);
}

static void sleeps(P *p, Task *task) {
  CO_BEGIN;
  CO_SLEEP(50000000);
  task->n = rt_load_seq(&task->shared->sched->sysmon.asleep);
  spin_ns(20000000);
  task->a = rt_load_seq(&task->shared->sched->sysmon.asleep);
  CO_END;
}

static void it_sleeps_while_nothing_runs(void **state) {
  (void)state;
  begin();
  assert_int_equal(shared_run(&shared, sleeps), SCHED_EXITED);
  assert_int_equal(wanted, 0);
  assert_int_equal(shared.tasks[0].a, 0);  // woken by the goroutine's P
  shared_free(&shared);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_collection_is_due_after_two_minutes),
      cmocka_unit_test(it_sleeps_while_nothing_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
