// SPDX-License-Identifier: MIT
// What a host that steps its runtime is promised about time: whatever takes
// long between two looks is charged, so that the step or call ends after it,
// and nothing waits for what may never come. Work is counted, not timed: of
// what lasts longer than the step, one step does very little.
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "embed_fixture.h"
#include "vm/heap/work.h"

// --- Natives ----------------------------------------------------------------
static int ticks;

static CspStatus tick(CspCall *call) {
  ticks++;
  return csp_ok_nothing(call);
}

static void take_time(void *data) {
  (void)data;
  usleep(50);
}

// Does much, says so, and fails.
static CspStatus toils(CspCall *call) {
  take_time(NULL);
  csp_charge(call, 1 << 20);
  return csp_panic(call, "in vain");
}

static void no_work(void *data) { (void)data; }
static CspStatus no_more(CspCall *call, void *data, bool made) {
  (void)data;
  return csp_ok_bool(call, made);
}
static CspStatus blocks(CspCall *call) {
  return csp_block(call, take_time, no_more, NULL);
}

// waits(fd): whether the work could be done.
static CspWait wait_of_fd;
static CspStatus waits(CspCall *call) {
  int64_t fd;
  if (!csp_need_int(call, 0, &fd)) return CSP_PANIC;
  wait_of_fd.fd = (int)fd;
  return csp_block_fd(call, &wait_of_fd, no_work, no_more, NULL);
}

static const CspFunction natives[] = {{"tick", "", tick},
                                      {"toils", "", toils},
                                      {"blocks", "", blocks},
                                      {"waits", "fd", waits},
                                      {NULL, NULL, NULL}};

// Without the settings of CSPDEBUG: more collections would be counted.
static void open_stepped(Host *host, uint64_t memory, uint64_t goroutines) {
  char *debug = getenv("CSPDEBUG");
  if (debug != NULL) unsetenv("CSPDEBUG");
  open_limited(host, STEPPED, memory, goroutines);
  assert_true(csp_register_builtins(host->csp, natives));
}

// --- Work between two looks -------------------------------------------------
// Each round takes longer than the step, and ticks.
typedef struct Toil {
  const char *text;
  uint64_t memory, goroutines;
} Toil;

static const Toil toil[] = {
    {"import \"sched\"\ngo { for { sched.gc()\ntick() } }", 0, 0},
    {"import \"sched\"\ngo { for { sched.dump()\ntick() } }", 0, 0},
    {"go { for { blocks()\ntick() } }", 0, 0},
    {"go { for { _ = try(toils)\ntick() } }", 0, 0},
    // collections at the limits, each of which makes room
    {"import \"sched\"\nc := chan()\nfor i in 47 { go { <-c } }\n"
     "go { for {\n  go { <-chan() }\n  sched.yield()\n  tick()\n} }",
     0, 50},
    {"xs := [1].repeat(350000)\nx := nil\n"
     "go { for {\n  x = nil\n  x = \"x\".repeat(3000000)\n  tick()\n} }",
     8 << 20, 0},
    // traces of deep stacks
    {"func deep(n, f) {\n  if n == 0 { f() }\n  return deep(n - 1, f) + 1\n}\n"
     "func fails() { panic(\"deep\") }\n"
     "go deep(100000, func() { for { _ = try(fails)\ntick() } })",
     0, 0},
};

static void what_takes_long_ends_the_step(void **state) {
  (void)state;
  enum { STEPS = 50, MOST = 3 };
  for (size_t n = 0; n < sizeof toil / sizeof *toil; n++) {
    Host host;
    open_stepped(&host, toil[n].memory, toil[n].goroutines);
    load(&host, toil[n].text);
    for (ticks = 0; ticks == 0;)
      assert_int_equal(csp_step(host.csp, 1000), CSP_MORE);
    for (int step = 0; step < STEPS; step++) {
      ticks = 0;
      assert_int_equal(csp_step(host.csp, 1000), CSP_MORE);
      if (ticks > MOST)
        fail_msg("%s\ndoes %d rounds in one step", toil[n].text, ticks);
    }
    close_host(&host);
  }
}

// The same where no native is called, which would charge what came before it.
static const char *const operators[] = {"x := \"${s}${s}\"",
                                        "x := \"${s}${nil}\"",
                                        "x := s + s",
                                        "x := s[1:]",
                                        "x := raw[1:]",
                                        "x := xs[1:]",
                                        "x := s == t",
                                        "x := s < t",
                                        "x := raw == more",
                                        "x := rest(xs...)",
                                        "go rest(xs...)",
                                        "x := m[u]",
                                        "x := u in m",
                                        "m[u] = 1",
                                        "x := [s + \"d\"]",
                                        "y, z := s + t, 1",
                                        "switch s { case t: n = 0 }"};

static void operators_end_the_step(void **state) {
  (void)state;
  enum { STEPS = 30, MOST = 6 };  // a step, and the call that asks
  for (size_t n = 0; n < sizeof operators / sizeof *operators; n++) {
    Host host;
    char text[600];
    snprintf(text, sizeof text,
             "s := \"ab\".repeat(500000) + \"c\"\n"
             "t := \"ab\".repeat(500000) + \"d\"\n"
             "u := \"ab\".repeat(500000) + \"c\"\n"
             "raw := bytes(s)\nmore := bytes(t)\nxs := list(200000)\n"
             "m := {[s]: 1}\nn := 0\nfunc rest(xs...) => nil\n"
             "func so_far(unused) => n\n"
             "go { for {\n  %s\n  n++\n} }",
             operators[n]);
    open_stepped(&host, 0, 0);
    CspHandle module = load(&host, text);
    int64_t before = 0;
    for (int step = 0; step < STEPS; step++) {
      assert_int_equal(csp_step(host.csp, 1000), CSP_MORE);
      int64_t now = call_int(&host, module, "so_far", 0);
      if (step > 0 && now - before > MOST)
        fail_msg("%s\nis done %d times in one step", operators[n],
                 (int)(now - before));
      before = now;
    }
    assert_true(before > 0);
    close_host(&host);
  }
}

// Unwinding takes many steps: each of them does a piece.
static void a_deep_stack_is_unwound_in_pieces(void **state) {
  (void)state;
  enum { LEAST = 20 };
  Host host;
  open_stepped(&host, 0, 0);
  load(&host,
       "func deep(n) {\n"
       "  if n == 0 {\n    tick()\n    panic(\"deep\")\n  }\n"
       "  return deep(n - 1) + 1\n}\n"
       "go {\n  _ = try(deep, 200000)\n  tick()\n}\n");
  for (ticks = 0; ticks == 0;) csp_step(host.csp, 1000);
  int steps = 0;
  for (; ticks == 1; steps++) csp_step(host.csp, 1000);
  if (steps < LEAST) fail_msg("it was unwound in %d steps", steps);
  close_host(&host);
}

// Stacks that overflow again and again: growing them, the panic and its trace.
// In one step no look is far from the last (basic blocks, in debug builds).
#define MOST_STEPS 2500000u

static void stacks_overflow_in_pieces(void **state) {
  (void)state;
  static const char *const texts[] = {
      "func deep(n) => deep(n + 1) + 1\ngo { for { _ = try(deep, 0)\ntick() } "
      "}",
      "func deep(xs...) => deep(1, xs...)\n"
      "go { for { _ = try(deep)\ntick() } }",
      "struct S { n }\nfunc (s S) string() => \"${s}\"\n"
      "go { for { _ = try(func() => str(S(1)))\ntick() } }",
  };
  for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
    Host host;
    open_stepped(&host, 64 << 20, 0);
    load(&host, texts[n]);
#ifdef CSP_DEBUG
    work_steps = work_most = 0;
#endif
    ticks = 0;
    while (ticks < 3) csp_step(host.csp, 1000000);
#ifdef CSP_DEBUG
    if (work_most > MOST_STEPS)
      fail_msg("%s\n%llu between two looks", texts[n],
               (unsigned long long)work_most);
#endif
    close_host(&host);
  }
}

// --- Slices -----------------------------------------------------------------
// A slice is at most a 16th of the step (docs/embedding.md): so many as nearly
// that compute have their turns in one, though a step is much shorter than
// their usual slices together. Not in each: the machine may be busy.
enum { COMPUTING = 12 };
enum { TURN_UNITS = 1 << 13 };  // so that looks are near, however slow a build
static int turns[COMPUTING];

static CspStatus turn(CspCall *call) {
  int64_t who;
  if (!csp_need_int(call, 0, &who)) return CSP_PANIC;
  turns[who]++;
  csp_charge(call, TURN_UNITS);
  return csp_ok_nothing(call);
}

static const CspFunction turn_natives[] = {{"turn", "who", turn},
                                           {NULL, NULL, NULL}};

static bool all_had_turns(void) {
  for (int who = 0; who < COMPUTING; who++)
    if (turns[who] == 0) return false;
  return true;
}

// Whether all had turns in some of the steps of that length.
static bool have_turns(Host *host, int64_t step_ns) {
  enum { STEPS = 100, ENOUGH = 5 };
  int all = 0;
  for (int step = 0; step < STEPS && all < ENOUGH; step++) {
    memset(turns, 0, sizeof turns);
    csp_step(host->csp, step_ns);
    all += all_had_turns();
  }
  return all == ENOUGH;
}

static void a_short_step_has_turns_for_many(void **state) {
  (void)state;
  enum { MS = 1000000, SHORTEST = 4, LONGEST = 64 };
  Host host;
  open_stepped(&host, 0, 0);
  assert_true(csp_register_builtins(host.csp, turn_natives));
  load(&host, "for who in 12 { go { for { turn(who) } } }");
  int64_t ms = SHORTEST;
  while (ms <= LONGEST && !have_turns(&host, ms * MS)) ms *= 2;
  if (ms > LONGEST) fail_msg("in no step all had turns");
  close_host(&host);
}

// --- Out of memory ----------------------------------------------------------
// The failed call's list is garbage then, but takes all the memory still.
static void after_out_of_memory_a_call_that_fits_succeeds(void **state) {
  (void)state;
  static const char text[] =
      "func fill(n) {\n  xs := []\n"
      "  for { xs.push(\"text ${len(xs)}\".repeat(n)) }\n}\n"
      "func rest(a...) { return len(a) }\n"
      "func fits(n) {\n"
      "  defer rest(1, 2)\n"
      "  t := go rest(1, 2, 3)\n"
      "  return rest(1, 2, 3) + len([n].repeat(10)) + <-t\n"
      "}\n"
      "func both(n) {\n"
      "  _ = try(fill, n)\n"
      "  return fits(n)\n"
      "}\n"
      "func recovers(n) {\n"
      "  func() {\n    defer func() { recover() }()\n    fill(n)\n  }()\n"
      "  return fits(n)\n"
      "}\n";
  Host host;
  open_stepped(&host, 8 << 20, 0);
  CspHandle m = load(&host, text);
  CspCall *call = csp_host(host.csp);
  for (int64_t n = 1; n < 300; n += n / 4 + 1) {
    CspResult result;
    CspValue arg = csp_int(call, n);
    csp_call(call, member(&host, m, "fill"), 1, &arg, &result);
    assert_int_equal(result.end, CSP_THREW);
    csp_result_free(&result);
    assert_int_equal(call_int(&host, m, "fits", n), 16);
    assert_int_equal(call_int(&host, m, "both", n), 16);
    assert_int_equal(call_int(&host, m, "recovers", n), 16);
    csp_call(call, member(&host, m, "fill"), 1, &arg, &result);
    csp_result_free(&result);
    load(&host, "ys := list(0..1000)\n");
  }
  close_host(&host);
}

// --- Descriptors ------------------------------------------------------------
static void expect_waits(Host *host, int fd, const char *out) {
  char text[128];
  snprintf(text, sizeof text, "println(waits(%d))", fd);
  host->out[0] = '\0';
  load(host, text);
  assert_string_equal(host->out, out);
}

// Not one, closed, a regular file, and, with no descriptor left for the copy, a
// pipe that nobody writes to: the last cannot be watched, and is refused.
static void a_descriptor_that_cannot_be_watched_does_not_hang(void **state) {
  (void)state;
  Host host;
  open_stepped(&host, 0, 0);
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), ends[2];
  assert_true(file >= 0 && pipe(ends) == 0);
  expect_waits(&host, -1, "true\n");
  expect_waits(&host, 1000000, "true\n");
  expect_waits(&host, file, "true\n");
  struct rlimit old, none;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
  none = old;
  none.rlim_cur = (rlim_t)ends[1] + 1;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  expect_waits(&host, ends[0], "false\n");
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
  assert_int_equal(write(ends[1], "x", 1), 1);
  expect_waits(&host, ends[0], "true\n");
  close(file);
  close(ends[0]);
  close(ends[1]);
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_takes_long_ends_the_step),
      cmocka_unit_test(operators_end_the_step),
      cmocka_unit_test(a_deep_stack_is_unwound_in_pieces),
      cmocka_unit_test(stacks_overflow_in_pieces),
      cmocka_unit_test(a_short_step_has_turns_for_many),
      cmocka_unit_test(after_out_of_memory_a_call_that_fits_succeeds),
      cmocka_unit_test(a_descriptor_that_cannot_be_watched_does_not_hang),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
