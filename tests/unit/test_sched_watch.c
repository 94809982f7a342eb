// SPDX-License-Identifier: MIT
// Watching: the histogram of lateness, the rings of events and their file, the
// trace line and its details, and a world stopped by a thread without a P.
#include <pthread.h>

#include "sched_fixture.h"
// the fixture first: cmocka wants its headers before
#include "sched/internal.h"

// --- Lateness ---------------------------------------------------------------
enum { LATE_NS = 3000000, LATE_BUCKET = 21 };  // 2^21 ns = 2.1 ms

static void late_receiver(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[0]);
  CO_END;
}

// Readies another and keeps the only P.
static void late_sender(P *p, Task *task) {
  CO_BEGIN;
  task_go(p, &task->shared->tasks[1]);
  CO_YIELD;
  p->marks = task->shared->flag ? MARK_SAMPLE : 0;
  CO_SEND(task->shared->chans[0], 1);
  spin_ns(LATE_NS);
  CO_END;
}

static uint64_t run_late(bool sampled, SchedStats *stats) {
  Shared shared;
  shared_init(&shared, 1, 2);
  shared_chan(&shared, 0, 0);
  shared.flag = sampled;
  shared.tasks[1].body = late_receiver;
  assert_int_equal(shared_run(&shared, late_sender), SCHED_EXITED);
  sched_stats(shared.sched, stats);
  uint64_t all = 0;
  for (int i = 0; i < LATE_BUCKETS; i++) all += stats->late[i];
  shared_free(&shared);
  return all;
}

static void lateness_is_what_passed(void **state) {
  (void)state;
  SchedStats stats;
  assert_int_equal(run_late(true, &stats), 1);
  for (int i = 0; i < LATE_BUCKET; i++) assert_int_equal(stats.late[i], 0);
}

static void only_samples_are_timed(void **state) {
  (void)state;
  SchedStats stats;
  assert_int_equal(run_late(false, &stats), 0);
}

static void pinger(P *p, Task *task) {
  CO_BEGIN;
  if (task->id == 0) task_go(p, &task->shared->tasks[1]);
  for (task->i = 0; task->i < 20000; task->i++) {
    if (task->id == 0) CO_SEND(task->shared->chans[0], 1);
    CO_RECV(task->shared->chans[task->id == 0 ? 1 : 0]);
    if (task->id == 1) CO_SEND(task->shared->chans[1], 1);
  }
  CO_END;
}

// In all but a few of the searches for work nothing is timed.
static void samples_come_by_themselves(void **state) {
  (void)state;
  Shared shared;
  SchedStats stats;
  shared_init(&shared, 1, 2);
  shared_chan(&shared, 0, 0);
  shared_chan(&shared, 1, 0);
  shared.tasks[1].body = pinger;
  shared_run(&shared, pinger);
  sched_stats(shared.sched, &stats);
  uint64_t all = 0;
  for (int i = 0; i < LATE_BUCKETS; i++) all += stats.late[i];
  assert_in_range(all, 1, stats.schedules / CLOCK_SEARCHES);
  shared_free(&shared);
}

// --- Events -----------------------------------------------------------------
static void shared_init_watched(Shared *shared, int procs, int tasks,
                                SchedConfig config) {
  shared_init(shared, procs, tasks);
  sched_free(shared->sched);
  config.procs = procs;
  config.seed = 42;
  config.empty_word = 0xE;
  shared->sched = sched_new(&config);
  assert_non_null(shared->sched);
}

static char *written(Sched *sched) {
  char *text = NULL;
  size_t len;
  FILE *out = open_memstream(&text, &len);
  assert_non_null(out);
  sched_trace_write(sched, out);
  fclose(out);
  return text;
}

static size_t occurrences(const char *text, const char *what) {
  size_t count = 0;
  for (; (text = strstr(text, what)) != NULL; text += strlen(what)) count++;
  return count;
}

static void event_child(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[0]);
  CO_QUICK_CALL((void)0);
  CO_CALL((void)0);
  CO_END;
}

static void event_main(P *p, Task *task) {
  CO_BEGIN;
  task->shared->tasks[1].body = event_child;
  task->shared->tasks[1].g.resume = task_resume_once;
  task_go(p, &task->shared->tasks[1]);
  CO_YIELD;
  CO_SEND(task->shared->chans[0], 1);
  CO_SLEEP(1000);
  rt_or(&p->look, (uint32_t)LOOK_PREEMPT);
  CO_LOOK;
  if (sched_stop_world(p, &task->g)) sched_start_world(p);
  CO_END;
}

static const char *label(void *host, const G *g) {
  assert_null(host);
  return ((const Task *)(const void *)g)->id == 0 ? "the \"main\" one"
                                                  : "child";
}

static void all_events_are_written(void **state) {
  (void)state;
  static const char *const texts[] = {
      "\"name\":\"create\"",    "\"name\":\"ready\"",
      "\"name\":\"timers\"",    "\"name\":\"the \\\"main\\\" one\"",
      "\"name\":\"child\"",     "\"name\":\"stop the world\"",
      "\"name\":\"stopped\"",   "\"left\":\"chan receive\"",
      "\"left\":\"sleep\"",     "\"left\":\"yielded\"",
      "\"left\":\"preempted\"", "\"left\":\"blocking call\"",
      "\"left\":\"ended\"",     "\"events_lost\":\"0\""};
  Shared shared;
  shared_init_watched(
      &shared, 1, 2,
      (SchedConfig){.trace_events = 1000, .hooks = {.g_label = label}});
  assert_int_equal(shared.sched->watch.events, 1024);
  shared_chan(&shared, 0, 0);
  shared_run(&shared, event_main);
  char *text = written(shared.sched);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (strstr(text, texts[i]) == NULL) fail_msg("no %s in %s", texts[i], text);
  }
  assert_int_equal(occurrences(text, "\"ph\":\"B\""),
                   occurrences(text, "\"ph\":\"E\""));
  assert_int_equal(occurrences(text, "\"name\":\"call\""), 2);
  assert_int_equal(occurrences(text, "\"name\":\"create\""), 2);
  free(text);
  shared_free(&shared);
}

static void yields(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 100; task->i++) CO_YIELD;
  CO_END;
}

// create, and 101 times run and leave: 203 events in 16 places.
static void a_full_ring_keeps_the_last(void **state) {
  (void)state;
  Shared shared;
  shared_init_watched(&shared, 1, 1, (SchedConfig){.trace_events = 16});
  shared_run(&shared, yields);
  assert_int_equal(shared.sched->ps.all[0]->trace.count, 203);
  char *text = written(shared.sched);
  assert_non_null(strstr(text, "\"events_lost\":\"187\""));
  assert_int_equal(occurrences(text, "\"ph\":\"B\""), 8);
  assert_int_equal(occurrences(text, "\"ph\":\"E\""), 8);
  assert_int_equal(occurrences(text, "\"name\":\"create\""), 0);
  assert_int_equal(occurrences(text, "\"left\":\"ended\""), 1);
  free(text);
  shared_free(&shared);
}

// A ring of one place begins with a leave, whose begin is lost.
static void an_end_without_begin_is_left_out(void **state) {
  (void)state;
  Shared shared;
  shared_init_watched(&shared, 1, 1, (SchedConfig){.trace_events = 1});
  shared_run(&shared, yields);
  char *text = written(shared.sched);
  assert_int_equal(occurrences(text, "\"ph\":\"B\""), 0);
  assert_int_equal(occurrences(text, "\"ph\":\"E\""), 0);
  free(text);
  shared_free(&shared);
}

static void without_rings_nothing_is_written(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 2, 1);
  shared_run(&shared, yields);
  char *text = written(shared.sched);
  assert_string_equal(text, "");
  free(text);
  shared_free(&shared);
}

// --- Stopped by a thread without a P ----------------------------------------
enum { WATCHED = 8, WATCH_STOPS = 50 };

typedef struct Outside {
  Shared *shared;
  pthread_t thread;
  int stops;
  char *text;
} Outside;

// counts[0] is plain in effect: nobody else may touch it while it is stopped.
static void look_inside(void *arg) {
  Outside *outside = arg;
  uint64_t before = rt_load_relaxed(&outside->shared->counts[0]);
  spin_ns(20000);
  assert_int_equal(before, rt_load_relaxed(&outside->shared->counts[0]));
  for (int i = 0; i < outside->shared->task_count; i++) {
    const Task *task = &outside->shared->tasks[i];
    assert_true(task->a == task->b);  // never between the two
  }
  outside->stops++;
}

static void *stop_often(void *arg) {
  Outside *outside = arg;
  while (outside->stops < WATCH_STOPS) {
    if (!sched_while_stopped(outside->shared->sched, RT_FOREVER, look_inside,
                             outside))
      rt_yield_cpu();
  }
  rt_store_seq(&outside->shared->flag, 1u);
  return NULL;
}

static void watched(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&task->shared->flag) == 0) {
    task->a++;
    rt_add(&task->shared->counts[0], (uint64_t)1);
    task->b++;
    if (task->id % 4 == 1) CO_YIELD;
    if (task->id % 4 == 2) CO_SLEEP(20000);
    if (task->id % 4 == 3) CO_CALL(rt_yield_cpu());
    CO_LOOK;
  }
  CO_END;
}

static void watched_main(P *p, Task *task) {
  for (int i = 1; i < WATCHED; i++) {
    task->shared->tasks[i].body = watched;
    task->shared->tasks[i].g.resume = task_resume_once;
    task_go(p, &task->shared->tasks[i]);
  }
  task->body = watched;
  watched(p, task);
}

static void an_outsider_stops_all(void **state) {
  (void)state;
  for (int n = 0; n < SOME_PROCS; n++) {
    Shared shared;
    shared_init(&shared, some_procs[n], WATCHED);
    shared.tasks[0].g.resume = task_resume_once;
    Outside o = {.shared = &shared};
    pthread_create(&o.thread, NULL, stop_often, &o);
    assert_int_equal(shared_run(&shared, watched_main), SCHED_EXITED);
    pthread_join(o.thread, NULL);
    assert_int_equal(o.stops, WATCH_STOPS);
    assert_false(
        sched_while_stopped(shared.sched, RT_FOREVER, look_inside, &o));
    shared_free(&shared);
  }
}

// --- The line and its details -----------------------------------------------
static void each_task(void *host, void (*fn)(void *arg, G *g), void *arg) {
  Shared *shared = host;
  for (int i = 0; i < shared->task_count; i++) fn(arg, &shared->tasks[i].g);
}

static void waits_for_end(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[0]);
  CO_END;
}

static void details_main(P *p, Task *task) {
  CO_BEGIN;
  task->shared->tasks[1].body = waits_for_end;
  task_go(p, &task->shared->tasks[1]);
  while (g_state(&task->shared->tasks[1].g) != G_WAITING) CO_YIELD;
  rt_store_seq(&task->shared->flag, 1u);
  while (rt_load_seq(&task->shared->flag) != 2) CO_LOOK;
  chan_close(p, task->shared->chans[0]);
  CO_END;
}

// Until the stop finds the main G running: on a loaded machine its slice may
// end with the same look, and it is runnable then.
static void *take_details(void *arg) {
  Outside *outside = arg;
  while (rt_load_seq(&outside->shared->flag) != 1) rt_yield_cpu();
  bool stopped = true;
  while (stopped &&
         (outside->text == NULL || strstr(outside->text, " curg=1 ") == NULL)) {
    free(outside->text);
    size_t len;
    FILE *out = open_memstream(&outside->text, &len);
    stopped = sched_trace_details(outside->shared->sched, out);
    fclose(out);
  }
  rt_store_seq(&outside->shared->flag, 2u);
  return stopped ? arg : NULL;
}

static void details_tell_of_all(void **state) {
  (void)state;
  Shared shared;
  shared_init_watched(
      &shared, 2, 2,
      (SchedConfig){.hooks = {.host = &shared, .each_g = each_task}});
  shared_chan(&shared, 0, 0);
  Outside o = {.shared = &shared};
  pthread_create(&o.thread, NULL, take_details, &o);
  shared_run(&shared, details_main);
  void *stopped;
  pthread_join(o.thread, &stopped);
  assert_non_null(stopped);
  static const char *const texts[] = {
      "SCHED ",          "gomaxprocs=2 ",
      "\n  P0: status=", "\n  P1: status=",
      "\n  M0: ",        "\n  G1: status=running m=",
      " curg=1 ",        ": status=waiting (chan receive) m=-"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (strstr(o.text, texts[i]) == NULL)
      fail_msg("no \"%s\" in:\n%s", texts[i], o.text);
  }
  free(o.text);
  shared_free(&shared);
}

static void count_lines(void *host, const char *text, size_t len) {
  Shared *shared = host;
  assert_memory_equal(text, "SCHED ", 6);
  assert_int_equal(text[len - 1], '\n');
  if (rt_add(&shared->counts[0], (uint64_t)1) == 4) sched_exit(shared->sched);
}

static void sleeps_long(P *p, Task *task) {
  CO_BEGIN;
  CO_SLEEP((int64_t)1000 * 1000000000);
  CO_END;
}

// Also while all Ps are idle, and sysmon sleeps but for that.
static void lines_come_regularly(void **state) {
  (void)state;
  for (int details = 0; details < 2; details++) {
    Shared shared;
    shared_init_watched(&shared, 2, 1,
                        (SchedConfig){.trace_line_ns = 2000000,
                                      .trace_details = details != 0,
                                      .hooks = {.host = &shared,
                                                .each_g = each_task,
                                                .print = count_lines}});
    shared_run(&shared, sleeps_long);
    assert_true(count_of(&shared, 0) >= 5);
    shared_free(&shared);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lateness_is_what_passed),
      cmocka_unit_test(only_samples_are_timed),
      cmocka_unit_test(samples_come_by_themselves),
      cmocka_unit_test(all_events_are_written),
      cmocka_unit_test(a_full_ring_keeps_the_last),
      cmocka_unit_test(an_end_without_begin_is_left_out),
      cmocka_unit_test(without_rings_nothing_is_written),
      cmocka_unit_test(an_outsider_stops_all),
      cmocka_unit_test(details_tell_of_all),
      cmocka_unit_test(lines_come_regularly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
