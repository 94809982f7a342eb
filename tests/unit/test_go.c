// SPDX-License-Identifier: MIT
// csp_go: goroutines that the host and natives start, and how they hear of
// their ends. And csp_task_done.
#include <stdatomic.h>

#include <unistd.h>

#include "embed_fixture.h"

enum { MANY = 300 };

static atomic_int told, ended, sum, started;
static char last_message[256];
static pthread_mutex_t message_lock = PTHREAD_MUTEX_INITIALIZER;

static void done(void *data, const CspResult *result) {
  atomic_fetch_add((atomic_int *)data, 1);
  if (result->end == CSP_ENDED) atomic_fetch_add(&ended, 1);
  if (result->end == CSP_DONE && csp_type(result->values[0]) == CSP_INT)
    atomic_fetch_add(&sum, (int)csp_to_int(result->values[0]));
  if (result->message == NULL) return;
  pthread_mutex_lock(&message_lock);
  snprintf(last_message, sizeof last_message, "%s", result->message);
  pthread_mutex_unlock(&message_lock);
}

static void reset(void) {
  atomic_store(&told, 0);
  atomic_store(&ended, 0);
  atomic_store(&sum, 0);
  atomic_store(&started, 0);
  last_message[0] = '\0';
}

// start(f, x): a task whose end is told.
static CspStatus start(CspCall *call) {
  CspValue x = csp_arg(call, 1);
  CspValue task = csp_go(call, csp_arg(call, 0), 1, &x, done, &told);
  atomic_fetch_add(&started, 1);
  return csp_is_undef(task) ? CSP_PANIC : csp_ok(call, task);
}

// outcome(task): nil, or what it returned or panicked with.
static CspStatus outcome(CspCall *call) {
  CspResult result;
  if (!csp_task_done(call, csp_arg(call, 0), &result))
    return csp_ok(call, csp_nil());
  csp_result_free(&result);
  return csp_ok(call, result.values[0]);
}

static const CspFunction natives[] = {
    {"start", "f, x", start}, {"outcome", "task", outcome}, {NULL, NULL, NULL}};

static void open_with(Host *host, int procs, uint64_t goroutines) {
  reset();
  open_limited(host, procs, 0, goroutines);
  assert_true(csp_register_builtins(host->csp, natives));
}

static const char script[] =
    "func twice(n) { sleep(10us); return n * 2 }\n"
    "func two() { return 1, 2 }\n"
    "func fails() { panic(\"no\") }\n"
    "func forever() { <-chan() }\n"
    "func wait(t) => <-t\n";

static CspValue go(Host *host, CspHandle m, const char *name, int argc, int n) {
  CspCall *call = csp_host(host->csp);
  CspValue arg = csp_int(call, n);
  return csp_go(call, member(host, m, name), argc, &arg, done, &told);
}

static void hosts_start_goroutines(void **state) {
  (void)state;
  Host host;
  open_with(&host, STEPPED, 0);
  CspHandle m = load(&host, script);
  CspCall *call = csp_host(host.csp);
  for (int n = 0; n < MANY; n++)
    assert_int_equal(csp_type(go(&host, m, "twice", 1, n)), CSP_TASK);
  assert_int_equal(atomic_load(&told), 0);
  assert_int_equal(csp_next(host.csp), 0);
  while (atomic_load(&told) < MANY) csp_step(host.csp, 1000000);
  assert_int_equal(atomic_load(&sum), MANY * (MANY - 1));
  CspHandle task = csp_hold(call, go(&host, m, "two", 0, 0));
  CspHandle panicked = csp_hold(call, go(&host, m, "fails", 0, 0));
  CspResult result;
  assert_false(csp_task_done(call, csp_held(call, task), &result));
  assert_null(result.message);
  csp_step(host.csp, -1);
  assert_true(csp_task_done(call, csp_held(call, task), &result));
  assert_int_equal(result.end, CSP_DONE);
  assert_int_equal(result.count, 2);
  assert_int_equal(csp_to_int(result.values[1]), 2);
  assert_true(csp_task_done(call, csp_held(call, panicked), &result));
  assert_int_equal(result.end, CSP_THREW);
  assert_non_null(strstr(result.message, "fails at host.csp:3"));
  assert_non_null(strstr(last_message, "panic: no"));
  csp_result_free(&result);
  assert_string_equal(host.err, "");  // it was told
  // a script can wait for it
  CspValue given = go(&host, m, "twice", 1, 4);
  csp_call(call, member(&host, m, "wait"), 1, &given, &result);
  assert_int_equal(csp_to_int(result.values[0]), 8);
  close_host(&host);
  assert_int_equal(atomic_load(&told), MANY + 3);
}

// Without a function that is told it is a goroutine like any other.
static void nobody_need_be_told(void **state) {
  (void)state;
  Host host;
  open_with(&host, STEPPED, 0);
  CspHandle m = load(&host, script);
  CspCall *call = csp_host(host.csp);
  CspHandle task = csp_hold(
      call, csp_go(call, member(&host, m, "two"), 0, NULL, NULL, NULL));
  csp_step(host.csp, -1);
  CspResult result;
  assert_true(csp_task_done(call, csp_held(call, task), &result));
  assert_int_equal(result.count, 2);
  close_host(&host);
}

enum { SLEEPERS = 10 };

static void *interrupt_soon(void *csp) {
  while (atomic_load(&started) < SLEEPERS) usleep(1000);
  while (!csp_interrupt(csp)) usleep(1000);
  return NULL;
}

// A stepped run that was interrupted is over: no goroutine of it goes on.
static void an_interrupted_run_is_told_once(void **state) {
  (void)state;
  Host host;
  pthread_t thread;
  open_with(&host, STEPPED, 0);
  pthread_create(&thread, NULL, interrupt_soon, host.csp);
  assert_int_equal(
      run(&host,
          "for i in 10 { start(func(n) { sleep(1ms * n) }, i * 20) }\n"
          "for { }\n"),
      130);
  pthread_join(thread, NULL);
  assert_int_equal(atomic_load(&told), SLEEPERS);
  usleep(20000);
  assert_int_equal(csp_step(host.csp, -1), CSP_CLOSED);
  assert_null(csp_host(host.csp));
  close_host(&host);
  assert_int_equal(atomic_load(&told), 10);
}

static void the_end_is_told_once(void **state) {
  (void)state;
  static const int procs[] = {STEPPED, 1, 2, 8};
  for (size_t k = 0; k < sizeof procs / sizeof *procs; k++) {
    Host host;
    open_with(&host, procs[k], 0);
    assert_int_equal(run(&host,
                         "import \"os\"\n"
                         "c := chan()\n"
                         "for i in 100 {\n"
                         "  start(func(n) { sleep(n * 5us) }, i)\n"
                         "  start(func(n) { <-c }, i)\n"
                         "}\n"
                         "sleep(200us)\n"
                         "os.exit(0)\n"),
                     0);
    assert_int_equal(atomic_load(&told), 200);
    assert_in_range(atomic_load(&ended), 100, 200);
    close_host(&host);
    assert_int_equal(atomic_load(&told), 200);
  }
  Host host;
  open_with(&host, STEPPED, 0);
  CspHandle m = load(&host, script);
  go(&host, m, "forever", 0, 0);
  csp_step(host.csp, -1);
  assert_int_equal(atomic_load(&told), 0);
  close_host(&host);
  assert_int_equal(atomic_load(&ended), 1);
}

static void natives_start_goroutines(void **state) {
  (void)state;
  static const char text[] =
      "tasks := []\n"
      "for i in 200 { tasks.push(start(func(n) => n + 1, i)) }\n"
      "sum := 0\n"
      "for t in tasks { sum += <-t }\n"
      "println(sum, outcome(tasks[7]))\n"
      "c := chan()\n"
      "println(outcome(start(func(n) => <-c, 0)))\n"
      "_, err := try(func() { group { start(func(n) { panic(\"in\") }, 0) } "
      "})\n"
      "println(err)\n"
      "start(func(n) { panic(\"out\") }, 0)\n"
      "t := start(5, 0)\n"
      "_, err = try(func() => <-t)\n"
      "println(err)\n";
  static const int procs[] = {STEPPED, 1, 2, 8};
  for (size_t k = 0; k < sizeof procs / sizeof *procs; k++) {
    Host host;
    open_with(&host, procs[k], 0);
    assert_int_equal(run(&host, text), 0);
    assert_string_equal(host.out, "20100 8\nnil\nin\ncannot call int\n");
    close_host(&host);
    assert_int_equal(atomic_load(&told), 204);
  }
}

static void limits_hold(void **state) {
  (void)state;
  Host host;
  open_with(&host, STEPPED, 10);
  CspHandle m = load(&host, script);
  int made = 0;
  while (made < 100 && !csp_is_undef(go(&host, m, "forever", 0, 0))) made++;
  assert_in_range(made, 8, 10);
  close_host(&host);
  assert_int_equal(atomic_load(&told), made);
  open_with(&host, 2, 10);
  assert_int_equal(
      run(&host, "c := chan()\nfor i in 20 { start(func(n) => <-c, i) }"), 1);
  assert_non_null(strstr(host.err, "too many goroutines: the limit is 10"));
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hosts_start_goroutines),
      cmocka_unit_test(nobody_need_be_told),
      cmocka_unit_test(an_interrupted_run_is_told_once),
      cmocka_unit_test(the_end_is_told_once),
      cmocka_unit_test(natives_start_goroutines),
      cmocka_unit_test(limits_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
