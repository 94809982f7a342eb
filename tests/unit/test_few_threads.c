// SPDX-License-Identifier: MIT
// Few threads: as many as max_threads lets there be, or as the system gives. A
// native that waits for what it calls back keeps its thread, and one is always
// left for the others (sched/callback.c): callbacks up to that number are never
// refused, the next one is, and nothing freezes. Which waits for which is
// decided by channels, not by time.
#include "embed_fixture.h"
#include "failing.h"
#include "vm/interp/native_call.h"

// --- Natives ----------------------------------------------------------------
static CspStatus call_back(CspCall *call) {
  CspValue x = csp_arg(call, 1);
  CspResult result;
  if (csp_call(call, csp_arg(call, 0), 1, &x, &result) != CSP_DONE)
    return csp_rethrow(call, &result);
  return csp_ok(call, result.values[0]);
}

// The same after a slice and more of work: the goroutine is to look at once.
static CspStatus call_back_late(CspCall *call) {
  enum { LATE_UNITS = 1 << 30 };
  int64_t until = rt_now() + 50000000;
  while (rt_now() < until) continue;
  csp_charge(call, LATE_UNITS);
  return call_back(call);
}

static void yield_thread(void *data) {
  (void)data;
  sched_yield();
}

static CspStatus was_made(CspCall *call, void *data, bool made) {
  (void)data;
  if (!made) return csp_panic(call, "block: %s", csp_no_thread());
  return csp_ok_nothing(call);
}

static CspStatus block(CspCall *call) {
  return csp_block_slow(call, yield_thread, was_made, NULL);
}

static CspStatus block_quickly(CspCall *call) {
  return csp_block(call, yield_thread, was_made, NULL);
}

static const CspFunction natives[] = {
    {"call_back", "f, x", call_back},
    {"call_back_late", "f, x", call_back_late},
    {"block", "", block},
    {"block_quickly", "", block_quickly},
    {NULL, NULL, NULL}};

static void open_few(Host *host, int procs, int threads) {
  CspConfig config;
  test_config(&config);
  config.procs = procs;
  config.max_threads = threads;
  open_configured(host, &config);
  assert_true(csp_register_builtins(host->csp, natives));
}

static void expect_run(Host *host, const char *text, const char *out) {
  int status = run(host, text);
  if (status != 0 || strcmp(host->out, out) != 0)
    fail_msg("%s\nends with %d, prints\n%s%s", text, status, host->out,
             host->err);
}

// --- max_threads ------------------------------------------------------------
#define NO_THREAD                                                             \
  "no thread is left for other goroutines if one more native waits for what " \
  "it calls (max_threads, or the system's limit)"

// As many callbacks at once as `most`, and what comes when there is one more;
// then all that again.
#define AT_ONCE                                         \
  "func at_once(most) {\n"                              \
  "  begun := chan()\n  gate := chan()\n  done := []\n" \
  "  for i in most {\n"                                 \
  "    done.push(go call_back(func(x) {\n"              \
  "      begun <- x\n      <-gate\n      return x\n"    \
  "    }, i))\n"                                        \
  "    <-begun\n"                                       \
  "  }\n"                                               \
  "  _, err := try(call_back, func(x) => x, 0)\n"       \
  "  close(gate)\n  sum := 0\n"                         \
  "  for t in done { sum += <-t }\n"                    \
  "  println(sum, err)\n"                               \
  "}\n"

static void one_more_callback_is_refused(void **state) {
  (void)state;
  for (int threads = 2; threads <= 6; threads++) {
    for (int procs = 1; procs < threads; procs++) {
      Host host;
      char text[800], out[800];
      int n = threads - 1, sum = n * (n - 1) / 2;
      snprintf(text, sizeof text,
               AT_ONCE "for i in 2 { at_once(%d)\nat_once(%d) }\n", n - 1, n);
      snprintf(out, sizeof out, "%d nil\n%d %s\n%d nil\n%d %s\n", sum - (n - 1),
               sum, NO_THREAD, sum - (n - 1), sum, NO_THREAD);
      open_few(&host, procs, threads);
      expect_run(&host, text, out);
      close_host(&host);
    }
  }
}

// The goroutine of a callback that is refused gave its P away, if it had worked
// for a slice when its panic began. All threads were in callbacks then, and
// none took the P.
static void a_refused_callback_keeps_its_p(void **state) {
  (void)state;
  static const char text[] =
      "import \"sched\"\n"
      "begun := chan()\ngate := chan()\n"
      "func inner(x) { begun <- 1\n<-gate\nreturn x }\n"
      "t := go call_back(inner, 1)\n"
      "<-begun\n"
      "go { for i in 3 { sched.yield() } }\n"
      "_, err := <-go try(call_back_late, inner, 2)\n"
      "println(str(err).contains(\"no thread is left\"))\n"
      "close(gate)\n"
      "println(<-t)\n";
  Host host;
  open_few(&host, 1, 2);
  expect_run(&host, text, "true\n1\n");
  close_host(&host);
}

// A callback inside a callback waits on the same thread.
static void nested_callbacks_need_no_more_threads(void **state) {
  (void)state;
  static const char text[] =
      "begun := chan()\ngate := chan()\n"
      "func nest(n) {\n"
      "  if n > 0 { return call_back(nest, n - 1) + 1 }\n"
      "  begun <- 1\n  <-gate\n  return 0\n"
      "}\n"
      "ts := []\n"
      "for i in 2 { ts.push(go call_back(nest, 10))\n<-begun }\n"
      "close(gate)\n"
      "println(<-ts[0], <-ts[1])\n";
  Host host;
  open_few(&host, 2, 3);
  expect_run(&host, text, "10 10\n");
  close_host(&host);
}

// It used to freeze. Some are refused; all end, and then one more works.
#define CROWD                                                        \
  "import \"sched\"\n"                                               \
  "func inner(x) {\n  sleep(1us)\n  block()\n  return x + 1\n}\n"    \
  "func outer(x) {\n"                                                \
  "  sleep(10us)\n  block_quickly()\n  sched.yield()\n"              \
  "  return call_back(inner, x)\n"                                   \
  "}\n"                                                              \
  "func crowd(n) {\n"                                                \
  "  ts := []\n"                                                     \
  "  for i in n { ts.push(go try(call_back, outer, i)) }\n"          \
  "  good := 0\n"                                                    \
  "  for i, t in ts {\n"                                             \
  "    v, err := <-t\n"                                              \
  "    if err == nil {\n      good++\n      assert(v == i + 1)\n"    \
  "    } else if !str(err).contains(\"no thread\") { panic(err) }\n" \
  "  }\n"                                                            \
  "  return good\n"                                                  \
  "}\n"

static void a_crowd_of_callbacks_ends(void **state) {
  (void)state;
  static const char text[] =
      CROWD "println(crowd(40) > 0)\nprintln(call_back(outer, 1))\n";
  for (int threads = 2; threads <= 4; threads++) {
    Host host;
    open_few(&host, 2, threads);
    expect_run(&host, text, "true\n2\n");
    close_host(&host);
  }
}

// --- What the system gives --------------------------------------------------
static const char everything[] = CROWD
    "func ends(name, f) {\n"
    "  _, err := try(f)\n"
    "  if err != nil && !str(err).contains(\"no thread\") {\n"
    "    panic(\"${name}: ${err}\")\n"
    "  }\n"
    "}\n"
    "ends(\"goroutines\", func() {\n"
    "  c := chan()\n"
    "  for i in 20 { go { for j in 20 { c <- j\nsched.yield() } } }\n"
    "  sum := 0\n  for i in 400 { sum += <-c }\n"
    "  assert(sum == 3800)\n"
    "})\n"
    "ends(\"calls\", func() {\n"
    "  ts := []\n"
    "  for i in 20 {\n"
    "    ts.push(go try(block))\n    ts.push(go try(block_quickly))\n"
    "  }\n"
    "  for t in ts { <-t }\n"
    "  block()\n"
    "})\n"
    "ends(\"callbacks\", func() { crowd(20) })\n"
    "ends(\"timers\", func() {\n"
    "  for i in 20 { go { sleep(i * 10us) } }\n"
    "  <-after(100us)\n"
    "  group g { for i in 5 { go { sleep(i * 1us) } } }\n"
    "})\n"
    "ends(\"collections\", func() { for i in 3 { sched.gc() } })\n"
    "println(\"end\")\n";

static void what_the_system_refuses_freezes_nothing(void **state) {
  (void)state;
  static const int procs[] = {1, 2, 4};
  for (int n = 1; n <= 6; n++) {
    for (size_t i = 0; i < sizeof procs / sizeof *procs; i++) {
      Host host;
      open_few(&host, procs[i], 0);
      fail_threads_from(n);
      int status = run(&host, everything);
      fail_threads_from(0);
      if (status != 0 || strcmp(host.out, "end\n") != 0)
        fail_msg("without thread %d, %d Ps: %d\n%s%s", n, procs[i], status,
                 host.out, host.err);
      close_host(&host);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_more_callback_is_refused),
      cmocka_unit_test(a_refused_callback_keeps_its_p),
      cmocka_unit_test(nested_callbacks_need_no_more_threads),
      cmocka_unit_test(a_crowd_of_callbacks_ends),
      cmocka_unit_test(what_the_system_refuses_freezes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
