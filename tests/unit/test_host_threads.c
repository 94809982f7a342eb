// SPDX-License-Identifier: MIT
// Hosts with several threads: functions that they have run in a runtime, which
// is stepped or runs in a thread of its own, natives that park until they are
// woken, and natives that call back while their goroutine changes Ps.
#include <poll.h>
#include <stdatomic.h>

#include "embed_fixture.h"

enum { THREADS = 4, JOBS = 200 };

// --- A runtime that runs in a thread of its own -----------------------------
typedef struct Running {
  Host host;
  pthread_t thread;
  const char *text;
  int status;
} Running;

static void *run_thread(void *arg) {
  Running *running = arg;
  running->status = run(&running->host, running->text);
  return NULL;
}

static void begin(Running *running, const char *text) {
  running->text = text;
  assert_int_equal(pthread_create(&running->thread, NULL, run_thread, running),
                   0);
}

static void end(Running *running, int status) {
  pthread_join(running->thread, NULL);
  if (running->status != status) print_error("%s", running->host.err);
  assert_int_equal(running->status, status);
  close_host(&running->host);
}

// Until csp_do says so, or the run is over; natives here count.
static atomic_int stops;
static CspStatus wait_for_stop(CspCall *call) {
  return csp_ok_bool(call, atomic_load(&stops) > 0);
}

static atomic_int woken;
static CspValue make_answer(CspCall *call, void *data) {
  (void)data;
  return csp_string(call, "answer", 6);
}

static void *wakes(void *arg) {
  csp_wake(arg, make_answer, NULL);
  atomic_fetch_add(&woken, 1);
  return NULL;
}

// Parks until a thread of the host's has an answer.
static CspStatus ask(CspCall *call) {
  CspWaker *waker = csp_waker(call);
  pthread_t thread;
  if (waker == NULL) return csp_panic_memory(call);
  if (pthread_create(&thread, NULL, wakes, waker) != 0) {
    wakes(waker);
  } else {
    pthread_detach(thread);
  }
  return csp_park(call);
}

static _Atomic(CspWaker *) sleeper;
static CspStatus sleep_for_ever(CspCall *call) {
  CspWaker *waker = csp_waker(call);
  if (waker == NULL) return csp_panic_memory(call);
  atomic_store(&sleeper, waker);
  return csp_park(call);
}

static CspStatus park_alone(CspCall *call) { return csp_park(call); }

// The channel of the waker might be collected during the call.
static CspStatus park_after_call(CspCall *call) {
  CspWaker *waker = csp_waker(call);
  if (waker == NULL) return csp_panic_memory(call);
  csp_wake(waker, make_answer, NULL);
  CspResult result;
  csp_call(call, csp_arg(call, 0), 0, NULL, &result);
  csp_result_free(&result);
  return csp_park(call);
}

static CspStatus call_back(CspCall *call) {
  CspValue x = csp_arg(call, 1);
  CspResult result;
  if (csp_call(call, csp_arg(call, 0), 1, &x, &result) != CSP_DONE)
    return csp_rethrow(call, &result);
  return csp_ok(call, result.values[0]);
}

static const CspFunction natives[] = {{"stopped", "", wait_for_stop},
                                      {"ask", "", ask},
                                      {"sleep_for_ever", "", sleep_for_ever},
                                      {"park_alone", "", park_alone},
                                      {"park_after_call", "f", park_after_call},
                                      {"call_back", "f, x", call_back},
                                      {NULL, NULL, NULL}};

static void open_with(Host *host, int procs) {
  open_host(host, procs);
  assert_true(csp_register_builtins(host->csp, natives));
  atomic_store(&stops, 0);
  atomic_store(&woken, 0);
}

// --- Functions from other threads -------------------------------------------
typedef struct Jobs {
  Host *host;
  CspHandle chan;
  atomic_int sum, accepted;
} Jobs;

static CspStatus send_one(CspCall *call, void *data) {
  const Jobs *jobs = data;
  return csp_send(call, csp_held(call, jobs->chan), csp_int(call, 1));
}

static CspStatus counts(CspCall *call, void *data) {
  Jobs *jobs = data;
  atomic_fetch_add(&jobs->sum, 1);
  return csp_ok_nothing(call);
}

static atomic_int drops;
static void dropped(void *data) {
  (void)data;
  atomic_fetch_add(&drops, 1);
}

static CspStatus panics(CspCall *call, void *data) {
  (void)data;
  return csp_panic(call, "not today");
}

static void *sends(void *arg) {
  Jobs *jobs = arg;
  for (int n = 0; n < JOBS; n++)
    assert_true(csp_do(jobs->host->csp, send_one, jobs, NULL));
  return NULL;
}

// What a channel gets from threads is all there, on a stepped runtime.
static void threads_send_to_channels(void **state) {
  (void)state;
  Host host;
  open_with(&host, STEPPED);
  CspHandle m = load(&host,
                     "sum := 0\n"
                     "func listen(ch) { go { for v in ch { sum += v } } }\n"
                     "func total(n) => sum\n");
  CspCall *call = csp_host(host.csp);
  CspValue chan = csp_chan(call, 0);
  Jobs jobs = {.host = &host, .chan = csp_hold(call, chan)};
  CspResult result;
  assert_int_equal(
      csp_call(call, member(&host, m, "listen"), 1, &chan, &result), CSP_DONE);
  pthread_t threads[THREADS];
  for (int n = 0; n < THREADS; n++)
    assert_int_equal(pthread_create(&threads[n], NULL, sends, &jobs), 0);
  struct pollfd fd = {csp_fd(host.csp), POLLIN, 0};
  while (call_int(&host, m, "total", 0) < THREADS * JOBS) {
    poll(&fd, 1, -1);
    csp_step(host.csp, -1);
  }
  for (int n = 0; n < THREADS; n++) pthread_join(threads[n], NULL);
  csp_step(host.csp, -1);
  assert_int_equal(poll(&fd, 1, 0), 0);
  close_host(&host);
}

static void *counts_some(void *arg) {
  Jobs *jobs = arg;
  char *message;
  for (int n = 0; n < JOBS; n++) {
    assert_true(csp_do(jobs->host->csp, counts, jobs, NULL));
    assert_true(csp_post(jobs->host->csp, counts, jobs, NULL));
  }
  assert_false(csp_do(jobs->host->csp, panics, NULL, &message));
  assert_non_null(message);
  assert_string_equal(message, "not today");
  free(message);
  return NULL;
}

static void threads_have_functions_run(void **state) {
  (void)state;
  static const int procs[] = {1, 2, 8};
  for (size_t i = 0; i < sizeof procs / sizeof *procs; i++) {
    Running r;
    open_with(&r.host, procs[i]);
    Jobs jobs = {.host = &r.host};
    pthread_t threads[THREADS];
    for (int n = 0; n < THREADS; n++)  // some come before the run
      assert_int_equal(pthread_create(&threads[n], NULL, counts_some, &jobs),
                       0);
    begin(&r, "for !stopped() { sleep(100us) }");
    for (int n = 0; n < THREADS; n++) pthread_join(threads[n], NULL);
    while (atomic_load(&jobs.sum) < 2 * THREADS * JOBS) sched_yield();
    atomic_store(&stops, 1);
    end(&r, 0);
  }
}

// Nothing else runs, and it is no deadlock while it is kept.
static void kept_runtimes_wait(void **state) {
  (void)state;
  Running r;
  open_with(&r.host, 2);
  csp_keep(r.host.csp);
  begin(&r, "<-chan()");
  Jobs jobs = {.host = &r.host};
  assert_true(csp_do(r.host.csp, counts, &jobs, NULL));
  assert_int_equal(atomic_load(&jobs.sum), 1);
  csp_release_keep(r.host.csp);
  end(&r, 1);
  assert_non_null(strstr(r.host.err, "deadlock"));
}

static CspStatus waits(CspCall *call, void *data) {
  (void)data;
  return csp_recv(call, csp_chan(call, 0));
}

static void *waits_for_nothing(void *arg) {
  Running *running = arg;
  assert_false(csp_do(running->host.csp, waits, NULL, NULL));
  atomic_fetch_add(&woken, 1);
  return NULL;
}

// A thread that waits when the run ends is told so.
static void ends_are_told(void **state) {
  (void)state;
  Running r;
  open_with(&r.host, 2);
  begin(&r, "for !stopped() { sleep(100us) }");
  pthread_t thread;
  Jobs jobs = {.host = &r.host};
  assert_true(csp_do(r.host.csp, counts, &jobs, NULL));
  assert_int_equal(pthread_create(&thread, NULL, waits_for_nothing, &r), 0);
  atomic_store(&stops, 1);
  pthread_join(thread, NULL);
  assert_int_equal(atomic_load(&woken), 1);
  pthread_join(r.thread, NULL);
  assert_false(csp_do(r.host.csp, counts, &jobs, NULL));
  assert_false(csp_post(r.host.csp, counts, &jobs, dropped));
  assert_int_equal(r.status, 0);
  close_host(&r.host);
}

// Each post that was accepted is called or dropped, whenever the run ends.
static void *posts_many(void *arg) {
  Jobs *jobs = arg;
  for (int n = 0; n < 100 * JOBS; n++) {
    if (!csp_post(jobs->host->csp, counts, jobs, dropped)) break;
    atomic_fetch_add(&jobs->accepted, 1);
  }
  return NULL;
}

static void posts_are_called_or_dropped(void **state) {
  (void)state;
  for (int procs = 1; procs <= 4; procs++) {
    Running r;
    open_with(&r.host, procs);
    Jobs jobs = {.host = &r.host};
    atomic_store(&drops, 0);
    pthread_t threads[THREADS];
    for (int n = 0; n < THREADS; n++) {
      assert_int_equal(pthread_create(&threads[n], NULL, posts_many, &jobs), 0);
    }
    begin(&r, "sleep(2ms)");
    for (int n = 0; n < THREADS; n++) pthread_join(threads[n], NULL);
    end(&r, 0);
    assert_int_equal(atomic_load(&jobs.sum) + atomic_load(&drops),
                     atomic_load(&jobs.accepted));
  }
}

// Without a run, too.
static void posts_to_nobody_are_dropped(void **state) {
  (void)state;
  for (int n = 0; n < 2; n++) {
    Host host;
    open_host(&host, n == 0 ? STEPPED : 2);
    Jobs jobs = {.host = &host};
    atomic_store(&drops, 0);
    assert_true(csp_post(host.csp, counts, &jobs, dropped));
    assert_true(csp_post(host.csp, counts, &jobs, NULL));
    close_host(&host);
    assert_int_equal(atomic_load(&jobs.sum), 0);
    assert_int_equal(atomic_load(&drops), 1);
  }
}

// Whoever posts more than can be done does not keep the script waiting: one
// yield of it takes a bounded number of them.
static void posts_do_not_starve_the_script(void **state) {
  (void)state;
  enum { FLOOD = 10000 };
  Host host;
  open_with(&host, STEPPED);
  CspHandle m =
      load(&host,
           "import \"sched\"\n"
           "func turns(n) { for _ in n { sched.yield() }; return n }");
  Jobs jobs = {.host = &host};
  for (int n = 0; n < FLOOD; n++)
    assert_true(csp_post(host.csp, counts, &jobs, NULL));
  assert_int_equal(call_int(&host, m, "turns", 1), 1);
  assert_in_range(atomic_load(&jobs.sum), 1, FLOOD / 10);
  while (csp_step(host.csp, -1) == CSP_MORE) continue;
  assert_int_equal(atomic_load(&jobs.sum), FLOOD);
  close_host(&host);
}

static CspStatus waits_for_the_last(CspCall *call, void *data) {
  Jobs *jobs = data;
  atomic_fetch_add(&jobs->sum, 1);
  return csp_recv(call, csp_held(call, jobs->chan));
}

static CspStatus opens_the_way(CspCall *call, void *data) {
  Jobs *jobs = data;
  if (csp_close(call, csp_held(call, jobs->chan)))
    atomic_store(&jobs->accepted, 1);
  return csp_ok_nothing(call);
}

// However many wait for it, a later one begins.
static void posts_may_wait_for_later_ones(void **state) {
  (void)state;
  enum { WAITING = 1000 };
  Host host;
  open_with(&host, STEPPED);
  CspCall *call = csp_host(host.csp);
  Jobs jobs = {.host = &host, .chan = csp_hold(call, csp_chan(call, 0))};
  for (int n = 0; n < WAITING; n++)
    assert_true(csp_post(host.csp, waits_for_the_last, &jobs, NULL));
  assert_true(csp_post(host.csp, opens_the_way, &jobs, NULL));
  while (csp_step(host.csp, -1) == CSP_MORE) continue;
  assert_int_equal(atomic_load(&jobs.sum), WAITING);
  assert_int_equal(atomic_load(&jobs.accepted), 1);
  close_host(&host);
}

// --- Natives that park ------------------------------------------------------
static void natives_park(void **state) {
  (void)state;
  static const char text[] =
      "tasks := []\n"
      "for _ in 50 { tasks.push(go ask()) }\n"
      "for t in tasks { if <-t != \"answer\" { panic(\"wrong\") } }\n"
      "println(\"fine\")\n";
  static const int procs[] = {STEPPED, 1, 2, 8};
  for (size_t i = 0; i < sizeof procs / sizeof *procs; i++) {
    Host host;
    open_with(&host, procs[i]);
    assert_int_equal(run(&host, text), 0);
    assert_string_equal(host.out, "fine\n");
    while (atomic_load(&woken) < 50) sched_yield();
    close_host(&host);
  }
}

// The wait is cancelled; the wake-up comes later, for nobody.
static void parked_natives_are_cancelled(void **state) {
  (void)state;
  static const char text[] =
      "_, err := try(func() {\n"
      "  group g {\n"
      "    g.timeout(1ms)\n"
      "    go { sleep_for_ever() }\n"
      "  }\n"
      "})\n"
      "println(err)\n";
  Host host;
  open_with(&host, 2);
  assert_int_equal(run(&host, text), 0);
  assert_non_null(strstr(host.out, "deadline exceeded"));
  csp_wake(atomic_load(&sleeper), make_answer, NULL);
  close_host(&host);
  open_with(&host, 1);  // and after the runtime
  assert_int_equal(run(&host, text), 0);
  close_host(&host);
  csp_wake(atomic_load(&sleeper), make_answer, NULL);
}

// It used to wait for whatever lay on the C stack.
static void csp_park_without_a_waker_panics(void **state) {
  (void)state;
  static const char text[] =
      "for f in [park_alone, func() => park_after_call(func() => 1)] {\n"
      "  _, err := try(f)\n"
      "  println(err)\n"
      "}\n";
  static const char error[] =
      "csp_park without a waker: csp_waker makes one, and no csp_call may come "
      "between the two\n";
  char expected[400];
  snprintf(expected, sizeof expected, "park_alone: %spark_after_call: %s",
           error, error);
  static const int procs[] = {STEPPED, 2};
  for (size_t i = 0; i < sizeof procs / sizeof *procs; i++) {
    Host host;
    open_with(&host, procs[i]);
    assert_int_equal(run(&host, text), 0);
    assert_string_equal(host.out, expected);
    close_host(&host);
  }
}

// --- Callbacks --------------------------------------------------------------
// Stepped, and with so many Ps.
static void prints_everywhere(const char *text, const char *out) {
  static const int procs[] = {STEPPED, 1, 2, 8};
  for (size_t i = 0; i < sizeof procs / sizeof *procs; i++) {
    Host host;
    open_with(&host, procs[i]);
    int status = run(&host, text);
    if (status != 0) print_error("%s", host.err);
    assert_int_equal(status, 0);
    assert_string_equal(host.out, out);
    close_host(&host);
  }
}

// A callback is cancelled with its caller, deferred functions run, and what it
// fails with fails nobody else.
static void callbacks_are_cancelled(void **state) {
  (void)state;
  static const char text[] =
      "_, err := try(func() {\n"
      "  group g {\n"
      "    g.timeout(5ms)\n"
      "    go {\n"
      "      call_back(func(x) {\n"
      "        defer println(\"deferred\")\n"
      "        group h { go { call_back(func(y) { sleep(1h) }, 0) } }\n"
      "      }, 0)\n"
      "    }\n"
      "  }\n"
      "})\n"
      "println(err)\n"
      "group g {\n"
      "  go {\n"
      "    _, e := try(func() { call_back(func(x) { panic(\"own\") }, 0) })\n"
      "    println(e)\n"
      "  }\n"
      "}\n"
      "println(\"end\")\n";
  prints_everywhere(text,
                    "deferred\ndeadline exceeded\n"
                    "own\nend\n");
}

// Stepped, all are on one stack: so there are few, as sanitizers' frames are
// large.
static void callbacks_change_ps(void **state) {
  (void)state;
  static const char text[] =
      "import \"sched\"\n"
      "func work(i) {\n"
      "  xs := [i, 0]\n"
      "  v := call_back(func(x) {\n"
      "    sleep(x % 7 * 10us)\n"
      "    sched.yield()\n"
      "    if x % 50 == 0 { sched.gc() }\n"
      "    return call_back(func(y) { sched.yield(); return y + 1 }, x)\n"
      "  }, i)\n"
      "  xs[1] = v\n"
      "  _, failed := try(func() { call_back(func(x) { sleep(1us); "
      "panic(\"x\") }, 0) })\n"
      "  return xs[1] - xs[0]\n"
      "}\n"
      "tasks := []\n"
      "for i in 10 { tasks.push(go work(i)) }\n"
      "sum := 0\n"
      "for t in tasks { sum += <-t }\n"
      "println(sum)\n";
  prints_everywhere(text, "10\n");
}

// The runtime ends while natives are in calls.
// The flags of a callback's task are its caller's. (ThreadSanitizer tells.)
static void collections_leave_failed_callbacks_alone(void **state) {
  (void)state;
  static const char text[] =
      "import \"sched\"\n"
      "group {\n"
      "  for i in 4 {\n"
      "    go {\n"
      "      for j in 100 {\n"
      "        _, _ = try(func() { call_back(func(x) { panic(\"x\") }, 0) })\n"
      "      }\n"
      "    }\n"
      "  }\n"
      "  go { for i in 50 { sched.gc() } }\n"
      "}\n"
      "println(\"end\")\n";
  prints_everywhere(text, "end\n");
}

static void ends_inside_callbacks(void **state) {
  (void)state;
  static const char text[] =
      "import \"os\"\n"
      "for i in 20 { go { call_back(func(x) { sleep(1h) }, i) } }\n"
      "go { call_back(func(x) { for { } }, 0) }\n"
      "sleep(1ms)\n"
      "call_back(func(x) { os.exit(5) }, 0)\n";
  static const int procs[] = {1, 2, 8};
  for (size_t i = 0; i < sizeof procs / sizeof *procs; i++) {
    Host host;
    open_with(&host, procs[i]);
    assert_int_equal(run(&host, text), 5);
    close_host(&host);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_send_to_channels),
      cmocka_unit_test(threads_have_functions_run),
      cmocka_unit_test(kept_runtimes_wait),
      cmocka_unit_test(ends_are_told),
      cmocka_unit_test(posts_are_called_or_dropped),
      cmocka_unit_test(posts_to_nobody_are_dropped),
      cmocka_unit_test(posts_do_not_starve_the_script),
      cmocka_unit_test(posts_may_wait_for_later_ones),
      cmocka_unit_test(natives_park),
      cmocka_unit_test(parked_natives_are_cancelled),
      cmocka_unit_test(csp_park_without_a_waker_panics),
      cmocka_unit_test(callbacks_are_cancelled),
      cmocka_unit_test(callbacks_change_ps),
      cmocka_unit_test(collections_leave_failed_callbacks_alone),
      cmocka_unit_test(ends_inside_callbacks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
