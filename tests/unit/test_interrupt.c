// SPDX-License-Identifier: MIT
// csp_interrupt ends the call, step or run under way when it comes, and says
// whether there was one; it ends nothing that begins later.
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "embed_fixture.h"

enum { ROUNDS = 200 };

static const char script[] =
    "func ok(n) => n\n"
    "func loop() { for { } }\n"
    "func long(n) { s := 0; for i in steps() { s += i }; return n }\n"
    "func waits(n) { sleep(3ms); return n }\n"
    "func swallows() { for { swallow(loop) } }\n"
    "deferred := 0\n"
    "func defers() {\n"
    "  defer func() { for i in 20000 { }; deferred += 1 }()\n"
    "  pass_on(loop)\n"
    "}\n"
    "func did(n) => deferred\n"
    "func leaves(n) { go { for { swallow(loop) } }; return n }\n";

// Goes on although what it has called was interrupted.
static CspStatus swallow(CspCall *call) {
  CspResult result;
  if (csp_call(call, csp_arg(call, 0), 0, NULL, &result) == CSP_ENDED)
    return CSP_PANIC;
  csp_result_free(&result);
  return csp_ok_nothing(call);
}

// So many that a look comes, which with a collection at each is soon.
static CspStatus steps(CspCall *call) {
  const char *debug = getenv("CSPDEBUG");
  bool stressed = debug != NULL && strstr(debug, "gcstress=1") != NULL;
  return csp_ok_int(call, stressed ? 2000 : 2000000);
}

static CspStatus pass_on(CspCall *call) {
  CspResult result;
  csp_call(call, csp_arg(call, 0), 0, NULL, &result);
  return csp_rethrow(call, &result);
}

static const CspFunction natives[] = {{"swallow", "f", swallow},
                                      {"pass_on", "f", pass_on},
                                      {"steps", "", steps},
                                      {NULL, NULL, NULL}};

static CspHandle open_script(Host *host) {
  open_host(host, STEPPED);
  assert_true(csp_register_builtins(host->csp, natives));
  return load(host, script);
}

static void nap(void) {
  struct timespec some = {0, 100000};
  nanosleep(&some, NULL);
}

// --- Nothing runs -----------------------------------------------------------
static void what_comes_between_calls_ends_nothing(void **state) {
  (void)state;
  Host host;
  CspHandle m = open_script(&host);
  static const char *const names[] = {"ok", "long", "waits"};
  for (int first = 0; first < 3; first++) {
    assert_false(csp_interrupt(host.csp));
    for (int n = first; n < 3; n++)
      assert_int_equal(call_int(&host, m, names[n], n), n);
  }
  assert_false(csp_interrupt(host.csp));
  assert_int_equal(csp_step(host.csp, 1000000), CSP_IDLE);
  assert_int_equal(call_int(&host, m, "long", 7), 7);
  assert_false(csp_interrupt(host.csp));
  csp_release(host.csp, load(&host, "for i in 100000 { }"));
  close_host(&host);
}

static void a_run_to_come_is_not_ended(void **state) {
  (void)state;
  Host host;
  open_host(&host, STEPPED);
  assert_false(csp_interrupt(host.csp));
  assert_int_equal(run(&host, "for i in 100000 { }\nprintln(1)"), 0);
  assert_string_equal(host.out, "1\n");
  assert_false(csp_interrupt(host.csp));
  close_host(&host);
}

// With threads a runtime has one run only: that is what is meant.
static void with_threads_it_ends_the_run_to_come(void **state) {
  (void)state;
  Host host;
  open_host(&host, 2);
  assert_true(csp_interrupt(host.csp));
  assert_int_equal(run(&host, "sleep(100s)"), 130);
  assert_false(csp_interrupt(host.csp));
  close_host(&host);
}

// --- Another thread ---------------------------------------------------------
typedef struct Watchdog {
  Csp *csp;
  pthread_t thread;
  atomic_int wanted, over;
  atomic_int in_time;
} Watchdog;

// Once for each round that is wanted, and until it was in time.
static void *ends_each(void *arg) {
  Watchdog *watchdog = arg;
  for (int done = 0; !atomic_load(&watchdog->over);) {
    if (atomic_load(&watchdog->wanted) <= done) continue;
    while (!csp_interrupt(watchdog->csp)) sched_yield();
    atomic_store(&watchdog->in_time, ++done);
  }
  return NULL;
}

// The host is told that its interrupt was in time: then it is not lost, though
// the call has just begun.
static void none_is_lost(void **state) {
  (void)state;
  Host host;
  CspHandle m = open_script(&host);
  Watchdog w = {.csp = host.csp};
  assert_int_equal(pthread_create(&w.thread, NULL, ends_each, &w), 0);
  for (int n = 1; n <= ROUNDS; n++) {
    atomic_store(&w.wanted, n);
    call_fails(&host, m, "loop", CSP_INTERRUPTED, "interrupted");
    while (atomic_load(&w.in_time) < n) sched_yield();
    assert_int_equal(call_int(&host, m, "ok", n), n);
  }
  atomic_store(&w.over, 1);
  pthread_join(w.thread, NULL);
  close_host(&host);
}

static void *ends_all(void *arg) {
  Watchdog *watchdog = arg;
  while (!atomic_load(&watchdog->over))
    atomic_fetch_add(&watchdog->in_time, csp_interrupt(watchdog->csp));
  return NULL;
}

// Each ends at most the call it came in.
static void none_ends_two(void **state) {
  (void)state;
  Host host;
  CspHandle m = open_script(&host);
  Watchdog w = {.csp = host.csp};
  assert_int_equal(pthread_create(&w.thread, NULL, ends_all, &w), 0);
  int ended = 0;
  for (int n = 0; n < ROUNDS; n++) {
    CspCall *call = csp_host(host.csp);
    CspValue arg = csp_int(call, n);
    CspResult result;
    csp_call(call, member(&host, m, n % 2 ? "waits" : "ok"), 1, &arg, &result);
    assert_true(result.end == CSP_DONE || result.end == CSP_INTERRUPTED);
    ended += result.end == CSP_INTERRUPTED;
    csp_result_free(&result);
    csp_step(host.csp, 0);
  }
  atomic_store(&w.over, 1);
  pthread_join(w.thread, NULL);
  assert_true(ended <= atomic_load(&w.in_time));
  assert_true(ended > 0);
  for (int n = 0; n < 4; n++)
    assert_int_equal(call_int(&host, m, n % 2 ? "long" : "waits", n), n);
  close_host(&host);
}

// --- Natives between --------------------------------------------------------
static void *ends_one(void *arg) {
  nap();
  while (!csp_interrupt(arg)) nap();
  return NULL;
}

static void native_calls_do_not_keep_it(void **state) {
  (void)state;
  Host host;
  CspHandle m = open_script(&host);
  static const char *const names[] = {"swallows", "defers"};
  for (int n = 0; n < 6; n++) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, ends_one, host.csp), 0);
    call_fails(&host, m, names[n % 2], CSP_INTERRUPTED, "interrupted");
    pthread_join(thread, NULL);
  }
  // (What was given up, as the thread had no time for it, goes on here.)
  while (call_int(&host, m, "did", 0) < 3) csp_step(host.csp, 1000000);
  assert_int_equal(call_int(&host, m, "did", 0), 3);
  call_int(&host, m, "leaves", 0);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, ends_one, host.csp), 0);
  assert_int_equal(csp_step(host.csp, -1), CSP_MORE);
  pthread_join(thread, NULL);
  close_host(&host);
}

// --- Signal handlers --------------------------------------------------------
static Csp *of_handler;
static volatile sig_atomic_t was_in_time;
static void handle(int signal) {
  (void)signal;
  was_in_time = csp_interrupt(of_handler);
}

static CspStatus raise_here(CspCall *call) {
  errno = EDOM;
  raise(SIGUSR1);
  assert_int_equal(errno, EDOM);
  return csp_ok_nothing(call);
}
static const CspFunction raisers[] = {{"raise_here", "", raise_here},
                                      {NULL, NULL, NULL}};

static void handlers_interrupt(void **state) {
  (void)state;
  Host host;
  open_host(&host, STEPPED);
  assert_true(csp_register_builtins(host.csp, raisers));
  struct sigaction action = {.sa_handler = handle}, before;
  of_handler = host.csp;
  sigaction(SIGUSR1, &action, &before);
  CspHandle m = load(&host,
                     "func f() { raise_here(); for { } }\n"
                     "func ok(n) => n\n");
  raise(SIGUSR1);
  assert_false(was_in_time);
  assert_true(csp_fd(host.csp) >= 0);  // which a stop rings, too
  for (int n = 0; n < 1000; n++) {
    was_in_time = false;
    call_fails(&host, m, "f", CSP_INTERRUPTED, "interrupted");
    assert_true(was_in_time);
    assert_int_equal(call_int(&host, m, "ok", n), n);
  }
  sigaction(SIGUSR1, &before, NULL);
  close_host(&host);
}

// --- Panics after panics ----------------------------------------------------
// Each deferred call panics and walks through all frames: no safepoint comes.
// (Collections everywhere would walk through them, too.)
static void open_deep(Host *host, const CspFunction *functions) {
  CspConfig config;
  test_config(&config);
  config.stepped = true;
  config.debug = NULL;
  open_configured(host, &config);
  assert_true(csp_register_builtins(host->csp, functions));
}

static CspStatus stop(CspCall *call) {
  assert_true(csp_interrupt(csp_of(call)));
  return csp_ok_nothing(call);
}

static const CspFunction stop_natives[] = {{"stop", "", stop},
                                           {NULL, NULL, NULL}};

static void deferred_panics_are_interrupted(void **state) {
  (void)state;
  static const char text[] =
      "func f(n) {\n"
      "  if n == 0 { stop()\n for { } }\n"
      "  defer panic(n)\n"
      "  f(n - 1)\n"
      "}\n"
      "f(100000)\n";
  Host host;
  open_deep(&host, stop_natives);
  CspResult result;
  CspEnd how =
      csp_load(csp_host(host.csp), "panics.csp", text, strlen(text), &result);
  assert_int_equal(how, CSP_INTERRUPTED);
  csp_result_free(&result);
  close_host(&host);
}

static int ticks;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// 20 us of work that is not charged.
static CspStatus tick(CspCall *call) {
  ticks++;
  for (int64_t until = now_ns() + 20000; now_ns() < until;) continue;
  return csp_ok_nothing(call);
}

static const CspFunction tick_natives[] = {{"tick", "", tick},
                                           {NULL, NULL, NULL}};

// The deferred calls of an interrupted goroutine have 10 ms, and come to no
// safepoint if they are natives: they took 400 ms.
static void deferred_natives_have_their_time(void **state) {
  (void)state;
  static const char text[] =
      "func f(n) {\n"
      "  if n == 0 { for { } }\n"
      "  defer tick()\n"
      "  f(n - 1)\n"
      "}\n"
      "f(20000)\n";
  Host host;
  open_deep(&host, tick_natives);
  csp_limit_time(host.csp, 200 * (int64_t)1000000);
  CspResult result;
  ticks = 0;
  CspEnd how =
      csp_load(csp_host(host.csp), "ticks.csp", text, strlen(text), &result);
  assert_int_equal(how, CSP_INTERRUPTED);
  assert_in_range(ticks, 1, 10000);
  csp_result_free(&result);
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_comes_between_calls_ends_nothing),
      cmocka_unit_test(a_run_to_come_is_not_ended),
      cmocka_unit_test(with_threads_it_ends_the_run_to_come),
      cmocka_unit_test(none_is_lost),
      cmocka_unit_test(none_ends_two),
      cmocka_unit_test(native_calls_do_not_keep_it),
      cmocka_unit_test(handlers_interrupt),
      cmocka_unit_test(deferred_panics_are_interrupted),
      cmocka_unit_test(deferred_natives_have_their_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
