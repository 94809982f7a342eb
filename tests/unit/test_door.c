// SPDX-License-Identifier: MIT
// Threads of the host's against csp_free: what ends the run may be a call that
// is still on its way out of the runtime. Wakers outlive the runtime. The host
// is told of waits that are cancelled. Threads that cannot know whether there
// is a runtime have a door.
#include <poll.h>
#include <stdatomic.h>
#include <time.h>

#include "embed_fixture.h"

enum { ROUNDS = 150, OPS = 64 };

static void open_with(Host *host, int procs, const CspFunction *functions) {
  open_host(host, procs);
  assert_true(csp_register_builtins(host->csp, functions));
}

// Runs it, or loads it into a stepped runtime, and frees that at once.
static void run_and_free(Host *host, int procs, const char *text) {
  if (procs != STEPPED) {
    run(host, text);
  } else {
    CspResult result;
    csp_load(csp_host(host->csp), "door.csp", text, strlen(text), &result);
    csp_result_free(&result);
  }
  close_host(host);
}

static const int kinds[] = {STEPPED, 1, 2};
enum { KINDS = sizeof kinds / sizeof *kinds };

// --- The call that ends the run ---------------------------------------------
static atomic_int threads_out;
static void wait_for_threads(int count) {
  while (atomic_load(&threads_out) < count) sched_yield();
}

static bool in_a_thread(void *(*body)(void *arg), void *arg) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, arg) != 0) return false;
  pthread_detach(thread);
  return true;
}

static void *wakes(void *waker) {
  csp_wake(waker, NULL, NULL);
  atomic_fetch_add(&threads_out, 1);
  return NULL;
}

static CspStatus fetch(CspCall *call) {
  CspWaker *waker = csp_waker(call);
  if (waker == NULL) return csp_panic_memory(call);
  if (!in_a_thread(wakes, waker)) wakes(waker);
  return csp_park(call);
}
static const CspFunction fetches[] = {{"fetch", "", fetch}, {NULL, NULL, NULL}};

// The last csp_wake lets the script end, and the host frees the runtime.
static void a_wake_may_be_on_its_way_out(void **state) {
  (void)state;
  atomic_store(&threads_out, 0);
  for (int n = 0; n < ROUNDS * KINDS; n++) {
    Host host;
    open_with(&host, kinds[n % KINDS], fetches);
    run_and_free(&host, kinds[n % KINDS], "fetch()");
  }
  wait_for_threads(ROUNDS * KINDS);
}

typedef enum Ender { BY_POST, BY_DO, BY_INTERRUPT, BY_RELEASE, ENDERS } Ender;
static Ender ender;  // of the round: a thread that is out asks no more

static CspStatus quit(CspCall *call, void *data) {
  (void)data;
  return csp_exit(call, 0);
}

static void *ends_it(void *csp) {
  switch (ender) {
    case BY_POST:
      csp_post(csp, quit, NULL, NULL);
      break;
    case BY_DO:
      csp_do(csp, quit, NULL, NULL);
      break;
    case BY_INTERRUPT:
      csp_interrupt(csp);
      break;
    default:
      csp_release_keep(csp);
  }
  atomic_fetch_add(&threads_out, 1);
  return NULL;
}

static CspStatus begin_end(CspCall *call) {
  Csp *csp = csp_of(call);
  if (ender == BY_RELEASE) csp_keep(csp);
  if (!in_a_thread(ends_it, csp)) return csp_panic(call, "no thread");
  return csp_ok_nothing(call);
}
static const CspFunction enders[] = {{"begin_end", "", begin_end},
                                     {NULL, NULL, NULL}};

static void the_call_that_ends_the_run_gets_out(void **state) {
  (void)state;
  atomic_store(&threads_out, 0);
  int count = 0;
  for (ender = 0; ender < ENDERS; ender++) {
    for (int n = 0; n < ROUNDS; n++, count++) {
      Host host;
      open_with(&host, kinds[n % KINDS], enders);
      // (what is kept is no deadlock, until it is released)
      run_and_free(&host, kinds[n % KINDS],
                   ender == BY_RELEASE ? "begin_end()\n<-chan()"
                                       : "begin_end()\nsleep(1h)");
    }
  }
  wait_for_threads(count);
}

// --- Wakers that outlive it -------------------------------------------------
typedef struct Op {
  CspWaker *waker;
  atomic_int told, made;
  atomic_bool telling;
  bool wakes_itself;  // in cancelled
  bool undef;
} Op;

static Op ops[OPS];
static atomic_int op_count;

static void reset_ops(void) {
  memset(ops, 0, sizeof ops);
  atomic_store(&op_count, 0);
}

static CspValue make_op(CspCall *call, void *data) {
  Op *op = data;
  assert_false(atomic_load(&op->telling));
  CspValue v = csp_string(call, "made", 4);
  op->undef = csp_is_undef(v);
  if (op->undef) {
    assert_true(csp_is_undef(csp_int(call, INT64_MAX)));
    assert_true(csp_is_undef(csp_float(call, 1e300)));
    assert_true(csp_is_undef(csp_list(call, 1)));
    assert_true(csp_is_undef(csp_map(call, 1)));
    assert_true(csp_is_undef(csp_bytes(call, "x", 1)));
    assert_true(csp_is_undef(csp_range(call, 1, 2)));
    assert_true(csp_is_undef(csp_chan(call, 1)));
    assert_true(csp_is_undef(csp_error(call, csp_nil(), csp_nil())));
  }
  atomic_fetch_add(&op->made, 1);
  return v;
}

static void wake_op(Op *op) { csp_wake(op->waker, make_op, op); }

static void op_cancelled(void *data) {
  Op *op = data;
  // (csp_wake may come, and return, between the decision to tell and here.)
  assert_int_equal(atomic_load(&op->made), 0);
  atomic_store(&op->telling, true);
  if (op->wakes_itself) {
    wake_op(op);
    assert_int_equal(atomic_load(&op->made), 0);  // it has the last word
  }
  sched_yield();
  atomic_store(&op->telling, false);
  atomic_fetch_add(&op->told, 1);
}

// wait(self) gives self. It wakes itself when it is cancelled.
static CspStatus wait_op(CspCall *call) {
  Op *op = &ops[atomic_load(&op_count)];
  op->wakes_itself = csp_truthy(csp_arg(call, 0));
  op->waker = csp_waker_told(call, op_cancelled, op);
  if (op->waker == NULL) return csp_panic_memory(call);
  atomic_fetch_add(&op_count, 1);  // (one after the other)
  return csp_park(call);
}

// Makes a waker, but does not wait for it.
static CspStatus waste_op(CspCall *call) {
  return wait_op(call) == CSP_PANIC ? CSP_PANIC : csp_panic(call, "wasted");
}

static CspStatus wake_first(CspCall *call) {
  wake_op(&ops[0]);
  return csp_ok_nothing(call);
}

static const CspFunction waits[] = {{"wait", "self = nil", wait_op},
                                    {"waste", "", waste_op},
                                    {"wake", "", wake_first},
                                    {NULL, NULL, NULL}};

static void expect_op(int n, int told, int made, bool undef) {
  assert_int_equal(atomic_load(&ops[n].told), told);
  assert_int_equal(atomic_load(&ops[n].made), made);
  assert_int_equal(ops[n].undef, undef);
}

// Nobody knows that the runtime is gone: it is told, and make is called.
static void wakers_outlive_the_runtime(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    Host host;
    reset_ops();
    open_with(&host, kinds[k], waits);
    run_and_free(&host, kinds[k],
                 "import \"os\"\ngo wait()\nsleep(1ms)\nos.exit(0)");
    assert_int_equal(atomic_load(&op_count), 1);
    expect_op(0, 1, 0, false);
    wake_op(&ops[0]);
    expect_op(0, 1, 1, true);
  }
}

// Woken, but not delivered when it was freed: the runtime makes the value.
static void what_was_woken_is_made_by_csp_free(void **state) {
  (void)state;
  Host host;
  reset_ops();
  open_with(&host, STEPPED, waits);
  load(&host, "go wait()");
  csp_step(host.csp, -1);
  wake_op(&ops[0]);
  expect_op(0, 0, 0, false);
  close_host(&host);
  expect_op(0, 0, 1, false);
}

// --- Notices ----------------------------------------------------------------
static void what_is_woken_is_not_told(void **state) {
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    Host host;
    reset_ops();
    open_with(&host, kinds[k], waits);
    assert_int_equal(
        run(&host, "t := go wait()\nsleep(1ms)\nwake()\nprintln(<-t)"), 0);
    assert_string_equal(host.out, "made\n");
    close_host(&host);
    expect_op(0, 0, 1, false);
  }
}

static void cancelled_waits_are_told(void **state) {
  (void)state;
  static const char text[] =
      "func f(self) {\n"
      "  group g {\n"
      "    g.timeout(1ms)\n"
      "    go wait(self)\n"
      "  }\n"
      "}\n"
      "_, err := try(f, false)\n"
      "println(err)\n"
      "_, err = try(f, true)\n"
      "_ = try(waste)\n"
      "sleep(1ms)\n";
  for (int k = 0; k < KINDS; k++) {
    Host host;
    reset_ops();
    open_with(&host, kinds[k], waits);
    assert_int_equal(run(&host, text), 0);
    assert_string_equal(host.out, "deadline exceeded\n");
    assert_int_equal(atomic_load(&op_count), 3);
    expect_op(0, 1, 0, false);
    expect_op(1, 1, 1, false);
    if (kinds[k] != STEPPED) expect_op(2, 1, 0, false);  // at the run's end
    wake_op(&ops[0]);
    close_host(&host);
    expect_op(0, 1, 1, false);
    expect_op(2, 1, 0, false);
    wake_op(&ops[2]);
    expect_op(2, 1, 1, true);
  }
}

// An interrupted call of the host's is a cancelled wait, too.
static void interrupted_waits_are_told(void **state) {
  (void)state;
  Host host;
  reset_ops();
  open_with(&host, STEPPED, waits);
  CspHandle m = load(&host, "func f() { wait(true) }");
  csp_limit_time(host.csp, 1000000);
  call_fails(&host, m, "f", CSP_INTERRUPTED, "interrupted");
  expect_op(0, 1, 0, false);
  csp_step(host.csp, -1);
  expect_op(0, 1, 1, false);
  close_host(&host);
}

// Threads wake while goroutines are cancelled, and while the run ends.
static void *wakes_soon(void *arg) {
  Op *op = arg;
  for (int n = (int)(op - ops) % 7; n > 0; n--) sched_yield();
  if (!op->wakes_itself) wake_op(op);
  atomic_fetch_add(&threads_out, 1);
  return NULL;
}

static CspStatus wait_for_thread(CspCall *call) {
  Op *op = &ops[atomic_fetch_add(&op_count, 1)];
  op->waker = csp_waker_told(call, op_cancelled, op);
  if (op->waker == NULL) return csp_panic_memory(call);
  if (!in_a_thread(wakes_soon, op)) wakes_soon(op);
  return csp_park(call);
}
static const CspFunction races[] = {{"wait", "", wait_for_thread},
                                    {NULL, NULL, NULL}};

static void notices_and_wakes_race(void **state) {
  (void)state;
  static const char text[] =
      "import \"os\"\n"
      "_ = try(func() {\n"
      "  group g {\n"
      "    g.timeout(%dus)\n"
      "    for _ in %d { go wait() }\n"
      "  }\n"
      "})\n"
      "for _ in %d { go wait() }\n"
      "sleep(%dus)\n"
      "os.exit(0)\n";
  for (int n = 0; n < ROUNDS; n++) {
    Host host;
    char script[512];
    reset_ops();
    atomic_store(&threads_out, 0);
    int kind = kinds[n % KINDS];
    open_with(&host, kind, races);
    snprintf(script, sizeof script, text, n % 5 * 40 + 1, OPS / 2, OPS / 2,
             n % 7 * 20);
    run_and_free(&host, kind, script);
    int began = atomic_load(&op_count);
    wait_for_threads(began);
    for (int i = 0; i < began; i++) {
      assert_int_equal(atomic_load(&ops[i].made), 1);
      assert_true(atomic_load(&ops[i].told) <= 1);
    }
  }
}

// --- Doors ------------------------------------------------------------------
typedef struct Visitor {
  CspDoor *door;
  pthread_t thread;
  int accepted;
} Visitor;

static atomic_int calls, drops;
static CspStatus counts(CspCall *call, void *data) {
  (void)data;
  atomic_fetch_add(&calls, 1);
  return csp_ok_nothing(call);
}
static CspStatus nothing(CspCall *call, void *data) {
  (void)data;
  return csp_ok_nothing(call);
}
static void dropped(void *data) {
  (void)data;
  atomic_fetch_add(&drops, 1);
}

// Until the runtime is gone, which nobody tells it.
static void *visits(void *arg) {
  Visitor *visitor = arg;
  for (int n = 0;; n++) {
    Csp *csp = csp_enter(visitor->door);
    if (csp == NULL) break;
    if (n % 3 == 0) {
      visitor->accepted += csp_post(csp, counts, NULL, dropped);
    } else if (n % 3 == 1) {
      csp_do(csp, nothing, NULL, NULL);
    } else {
      csp_keep(csp);
      csp_release_keep(csp);
    }
    csp_leave(visitor->door);
  }
  csp_door_free(visitor->door);
  return NULL;
}

static void visitors_leave_before_it_is_freed(void **state) {
  (void)state;
  enum { VISITORS = 4 };
  for (int n = 0; n < ROUNDS / 5; n++) {
    Host host;
    Visitor visitors[VISITORS] = {0};
    int accepted = 0;
    atomic_store(&calls, 0);
    atomic_store(&drops, 0);
    int kind = kinds[n % KINDS];
    open_host(&host, kind);
    for (int i = 0; i < VISITORS; i++) {
      visitors[i].door = csp_door(host.csp);
      assert_int_equal(
          pthread_create(&visitors[i].thread, NULL, visits, &visitors[i]), 0);
    }
    run_and_free(&host, kind, "sleep(2ms)");
    for (int i = 0; i < VISITORS; i++) {
      pthread_join(visitors[i].thread, NULL);
      accepted += visitors[i].accepted;
    }
    assert_int_equal(atomic_load(&calls) + atomic_load(&drops), accepted);
  }
}

static void a_door_is_good_for_ever(void **state) {
  (void)state;
  Host host;
  open_host(&host, STEPPED);
  CspDoor *door = csp_door(host.csp), *same = csp_door(host.csp);
  assert_ptr_equal(csp_enter(door), host.csp);
  assert_ptr_equal(csp_enter(same), host.csp);  // nested, and by two
  csp_leave(same);
  csp_leave(door);
  csp_door_free(same);
  close_host(&host);
  assert_null(csp_enter(door));
  assert_null(csp_enter(door));
  csp_door_free(door);
  csp_door_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wake_may_be_on_its_way_out),
      cmocka_unit_test(the_call_that_ends_the_run_gets_out),
      cmocka_unit_test(wakers_outlive_the_runtime),
      cmocka_unit_test(what_was_woken_is_made_by_csp_free),
      cmocka_unit_test(what_is_woken_is_not_told),
      cmocka_unit_test(cancelled_waits_are_told),
      cmocka_unit_test(interrupted_waits_are_told),
      cmocka_unit_test(notices_and_wakes_race),
      cmocka_unit_test(visitors_leave_before_it_is_freed),
      cmocka_unit_test(a_door_is_good_for_ever),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
