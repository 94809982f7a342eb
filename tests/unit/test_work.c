// SPDX-License-Identifier: MIT
// Long natives: those that are done in pieces (csp_again) let others run
// between them, and both they and those that only charge (csp_work) end where a
// limit, an interrupt, a deadline or the end of the runtime says so.
// small: CSPDEBUG=gcstress=499
#include <stdatomic.h>
#include <unistd.h>

#include "embed_fixture.h"
#include "vm/interp/limits.h"
#include "vm/interp/native_call.h"
#include "vm/runtime/runtime.h"

// A call of spin has begun.
static atomic_bool spins;

// Calls of count; those of its step that say that it does not go on. Where the
// end comes early nothing may have begun.
static atomic_int begun, dropped;

// --- Natives ----------------------------------------------------------------
typedef struct Count {
  CspValue list;  // 0, 1, 2, ...: one for each piece
  int64_t at, end;
  char *memory;
} Count;

static CspStatus count_on(CspCall *call, void *data, bool on) {
  Count *count = data;
  if (!on) {
    free(count->memory);
    dropped++;
    return CSP_PANIC;
  }
  for (; count->end < 0 || count->at < count->end; count->at++) {
    if (!csp_spent(call, 1)) continue;
    int64_t pieces = (int64_t)csp_list_len(count->list);
    if (pieces < 1000) csp_list_push(call, count->list, csp_int(call, pieces));
    return csp_again(call, count_on, count, sizeof *count, 1);
  }
  free(count->memory);
  csp_return(call, count->list);
  return csp_ok_int(call, count->at);
}

// count(n): a list that grows by one for each piece of n units, and n. Without
// end if n < 0.
static CspStatus count(CspCall *call) {
  Count c = {.list = csp_list(call, 0), .memory = malloc(1)};
  if (!csp_need_int(call, 0, &c.end)) return CSP_PANIC;
  begun++;
  return count_on(call, &c, true);
}

// Without end, and not to be left.
static CspStatus spin(CspCall *call) {
  spins = true;
  while (csp_work(call, 1)) continue;
  csp_panic(call, "this panic is not seen");
  return CSP_PANIC;
}

// Until a goroutine has called seen().
static atomic_bool was_seen;

static CspStatus spin_until_seen(CspCall *call) {
  while (!was_seen)
    if (!csp_work(call, 1)) return CSP_PANIC;
  return csp_ok_nothing(call);
}

static CspStatus seen(CspCall *call) {
  was_seen = true;
  return csp_ok_nothing(call);
}

// Calls f for ever.
static CspStatus repeat(CspCall *call) {
  CspResult result;
  for (;;)
    if (csp_call(call, csp_arg(call, 0), 0, NULL, &result) != CSP_DONE)
      return csp_rethrow(call, &result);
}

// Goroutines that were given up in a comparison, and of them those whose native
// was not told so when it asked.
static atomic_int given_up, untold;

// compare_for_ever(a, b): and asks after each time. Ends when it is given up.
static CspStatus compare_for_ever(CspCall *call) {
  for (bool on = true, over = false; on && !over;) {
    csp_compare_on(call, csp_arg(call, 0), csp_arg(call, 1));
    over = call->g->gave_up;
    on = csp_work(call, 1);
    given_up += over;
    untold += over && on;
  }
  return CSP_PANIC;
}

// compare_spent(a, b): the same in pieces.
static CspStatus compare_spent_on(CspCall *call, void *data, bool on) {
  while (on) {
    csp_equal_on(call, csp_arg(call, 0), csp_arg(call, 1));
    bool over = call->g->gave_up, spent = csp_spent(call, 1);
    given_up += over;
    untold += over && !spent;
    if (over) break;
    if (spent) return csp_again(call, compare_spent_on, data, 1, 0);
  }
  return CSP_PANIC;
}

static CspStatus compare_spent(CspCall *call) {
  char nothing = 0;
  return compare_spent_on(call, &nothing, true);
}

// due(): whether what was done since it was called last is so much that the
// next safepoint is a look, or was one.
static CspStatus due(CspCall *call) {
  static uint32_t looks;  // that were made
  bool is = call->local->overdue || call->local->p->looks != looks;
  looks = call->local->p->looks;
  call->local->overdue = false;
  call->local->debt = 0;
  return csp_ok_int(call, is);
}

// units(a, b): what it takes to compare them, twice.
static CspStatus units(CspCall *call) {
  call->local->debt = 0;
  csp_compare_on(call, csp_arg(call, 0), csp_arg(call, 1));
  csp_equal_on(call, csp_arg(call, 0), csp_arg(call, 1));
  return csp_ok_int(call, call->local->debt);
}

static const CspFunction natives[] = {
    {"count", "n", count},
    {"spin", "", spin},
    {"spin_until_seen", "", spin_until_seen},
    {"seen", "", seen},
    {"compare_for_ever", "a, b", compare_for_ever},
    {"compare_spent", "a, b", compare_spent},
    {"due", "", due},
    {"units", "a, b", units},
    {"repeat", "f", repeat},
    {NULL, NULL, NULL}};

static void open_with_natives(Host *host, int procs) {
  begun = dropped = given_up = untold = 0;
  spins = was_seen = false;
  open_host(host, procs);
  assert_true(csp_register_builtins(host->csp, natives));
}

// --- Pieces -----------------------------------------------------------------
static void what_it_keeps_stays(void **state) {
  (void)state;
  Host host;
  open_with_natives(&host, 2);
  assert_int_equal(run(&host,
                       "go { for { x := list(0..1000) } }\n"
                       "pieces, n := count(20_000_000)\n"
                       "println(n, len(pieces) > 100)\n"
                       "for i, v in pieces { assert(i == v) }"),
                   0);
  assert_string_equal(host.out, "20000000 true\n");
  close_host(&host);
  assert_int_equal(dropped, 0);
}

static void others_run_between_pieces(void **state) {
  (void)state;
  Host host;
  open_with_natives(&host, STEPPED);
  CspHandle module = load(&host,
                          "turns := 0\n"
                          "go { count(-1) }\n"
                          "go { for { turns++\n sleep(0) } }\n"
                          "func so_far(n) => turns\n");
  int64_t before = 0;
  for (int n = 0; n < 5; n++) {
    while (call_int(&host, module, "so_far", 0) == before)
      assert_int_equal(csp_step(host.csp, 1000000), CSP_MORE);
    before = call_int(&host, module, "so_far", 0);
  }
  close_host(&host);
  assert_int_equal(dropped, 1);
}

// The native cannot be left: what it has readied, and whose timers come due,
// run on the P that is idle, or it would spin for ever.
static void what_waits_behind_a_native_runs_elsewhere(void **state) {
  (void)state;
  static const char *const scripts[] = {
      "c := chan()\ngo { <-c; seen() }\nsleep(2ms); c <- 1\nspin_until_seen()",
      "c := chan()\ngo { c <- 1; spin_until_seen() }\n<-c\nseen()",
      "go { spin_until_seen() }\nsleep(5ms)\nseen()",
      "go { sleep(2ms); seen() }\nspin_until_seen()",
  };
  for (int round = 0; round < 20; round++) {
    for (size_t n = 0; n < sizeof scripts / sizeof *scripts; n++) {
      Host host;
      open_with_natives(&host, 2);
      assert_int_equal(run(&host, scripts[n]), 0);
      close_host(&host);
    }
  }
}

// --- Ends -------------------------------------------------------------------
static void a_limit_ends_them(void **state) {
  (void)state;
  Host host;
  open_with_natives(&host, STEPPED);
  CspHandle module = load(&host,
                          "ended := 0\n"
                          "func pieces() { defer { ended++ }\n"
                          "  _, err := try(count, -1)\n  ended = 100 }\n"
                          "func whole() { defer { ended++ }\n"
                          "  _, err := try(spin)\n  ended = 100 }\n"
                          "func calls() { defer { ended++ }\n"
                          "  _, err := try(repeat, func() => 1)\n"
                          "  ended = 100 }\n"
                          "func twice(n) => 2 * n + ended\n");
  csp_limit_time(host.csp, 20 * 1000000);
  call_fails(&host, module, "pieces", CSP_INTERRUPTED, "interrupted");
  assert_int_equal(dropped, begun);
  assert_int_equal(call_int(&host, module, "twice", 10), 21);
  call_fails(&host, module, "whole", CSP_INTERRUPTED, "interrupted");
  assert_int_equal(call_int(&host, module, "twice", 10), 22);
  call_fails(&host, module, "calls", CSP_INTERRUPTED, "interrupted");
  assert_int_equal(call_int(&host, module, "twice", 10), 23);
  close_host(&host);
}

// Natives of the library that have no end, or none that anybody sees.
static void a_limit_ends_the_library(void **state) {
  (void)state;
  static const char *const calls[] = {
      "str(shared)",         "print(shared)",
      "\"${shared}\"",       "shared.flatten(1000)",
      "list(2_000_000_000)", "bytes(near).index(bytes(far))",
      "texts.count(far)",    "texts.index(far)",
      "min(texts)",          "texts.sort()",
      "far in texts"};
  for (size_t n = 0; n < sizeof calls / sizeof *calls; n++) {
    char script[800];
    snprintf(script, sizeof script,
             "shared := [1]\nfor i in 60 { shared = [shared, shared] }\n"
             "near := \"ab\".repeat(500000)\nfar := near + \"c\"\n"
             "texts := [near + \"d\", near + \"e\"].repeat(100000)\n"
             "func run() { for { x := [%s]\n assert(x != nil)\n } }\nfunc "
             "one(n) => n + len(shared)\n",
             calls[n]);
    Host host;
    open_host(&host, STEPPED);
    CspHandle module = load(&host, script);
    csp_limit_time(host.csp, 20 * 1000000);
    call_fails(&host, module, "run", CSP_INTERRUPTED, "interrupted");
    assert_int_equal(call_int(&host, module, "one", 1), 3);
    close_host(&host);
  }
}

// What a comparison was told the loop around it is told, too.
static void loops_hear_that_a_comparison_gave_up(void **state) {
  (void)state;
  Host host;
  open_with_natives(&host, STEPPED);
  CspHandle module = load(&host,
                          "a := \"ab\".repeat(5_000_000)\n"
                          "b := \"ab\".repeat(4_999_999) + \"ab\"\n"
                          "x := bytes(a)\ny := bytes(b)\n"
                          "func texts() { compare_for_ever(a, b) }\n"
                          "func raw() { compare_for_ever(x, y) }\n"
                          "func pieces() { compare_spent(a, b) }\n");
  csp_limit_time(host.csp, 20 * 1000000);
  static const char *const names[] = {"texts", "raw", "pieces"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    call_fails(&host, module, names[n], CSP_INTERRUPTED, "interrupted");
  assert_true(given_up > 0);
  assert_int_equal(untold, 0);
  close_host(&host);
}

// Each takes less than a look is apart, so that none looks itself: the next
// safepoint does, however few calls there were.
static void what_is_compared_is_charged(void **state) {
  (void)state;
  static const char *const calls[] = {
      "a.has_prefix(b)",      "a.has_suffix(b)",
      "a.compare(b)",         "a.trim_prefix(b)",
      "a.trim_suffix(b)",     "max(a, b)",
      "min([a, b])",          "math.max(a, b)",
      "[a, b].max()",         "[a, b].sort()",
      "[a].binary_search(b)", "[a].count(b)",
      "[a].index(b)",         "[a].last_index(b)",
      "[a].contains(b)",      "equal([a], [b])",
      "maps.equal(m, n)",     "one := a == b",
      "one := a < b",         "x.has_prefix(y)",
      "x.has_suffix(y)",      "max(x, y)",
      "equal([x], [y])",      "[x].index(y)",
      "[x].binary_search(y)", "one := keys[b]",
      "one := b in keys",     "maps.get(keys, b)",
      "one := a == a"};
  int last = (int)(sizeof calls / sizeof *calls) - 1;  // it is not compared
  Host host;
  open_with_natives(&host, STEPPED);
  for (int n = 0; n <= last; n++) {
    char script[600];
    snprintf(script, sizeof script,
             "import \"maps\"\nimport \"math\"\n"
             "a := \"ab\".repeat(200_000)\n"
             "b := \"ab\".repeat(199_999) + \"ab\"\n"
             "x := bytes(a)\ny := bytes(b)\nm := {k: a}\nn := {k: b}\n"
             "keys := {[a]: 1}\nnothing := b in keys\n"
             "func charged(unused) {\n  due()\n  %s\n"
             "  return due()\n}\n",
             calls[n]);
    CspHandle module = load(&host, script);
    // where each safepoint is a look, so is that of the last one
    if (n == last && getenv("CSPDEBUG") != NULL) break;
    if (call_int(&host, module, "charged", 0) != (n < last))
      fail_msg("%s: charged %d", calls[n], n == last);
  }
  close_host(&host);
}

// Nobody may see a channel that is closed for some, so they are all woken in
// one piece. The next safepoint looks.
static void who_is_woken_is_charged(void **state) {
  (void)state;
  static const char *const calls[] = {"close(c)", "closes()", "g.cancel()",
                                      "g.timeout(0)", NULL};
  Host host;
  open_with_natives(&host, STEPPED);
  for (size_t n = 0; calls[n] != NULL; n++) {
    char script[600];
    snprintf(script, sizeof script,
             "c := chan()\nclosed := close\nfunc closes() => closed(c)\n"
             "func charged(unused) {\n  found := 0\n  _ = try(func() {\n"
             "    group g {\n      for i in 5000 { go { <-c } }\n"
             "      sleep(1ms)\n      due()\n      %s\n"
             "      found = due()\n      g.cancel()\n    }\n  })\n"
             "  return found\n}\n",
             calls[n]);
    CspHandle module = load(&host, script);
    if (call_int(&host, module, "charged", 0) != 1)
      fail_msg("%s is not charged", calls[n]);
  }
  close_host(&host);
}

static void what_is_the_same_is_not_compared(void **state) {
  (void)state;
  Host host;
  open_with_natives(&host, STEPPED);
  CspHandle module = load(&host,
                          "a := \"ab\".repeat(100_000)\n"
                          "b := \"ab\".repeat(99_999) + \"ab\"\n"
                          "x := bytes(a)\ny := bytes(b)\n"
                          "func same(n) => units(a, a) + units(x, x)\n"
                          "func texts(n) => units(a, b)\n"
                          "func raw(n) => units(x, y)\n");
  assert_int_equal(call_int(&host, module, "same", 0), 0);
  assert_true(call_int(&host, module, "texts", 0) >= 2 * 200000 / 8);
  assert_true(call_int(&host, module, "raw", 0) >= 2 * 200000 / 8);
  close_host(&host);
}

// Each is too short to look; together they fill the memory, which takes longer.
static void a_limit_ends_many_short_copies(void **state) {
  (void)state;
  Host host;
  open_limited(&host, STEPPED, (uint64_t)1 << 30, 0);
  CspHandle module = load(&host,
                          "piece := \"x\".repeat(200000)\n"
                          "text := \"y\".repeat(100000)\n"
                          "func between() => text.replace(\"\", piece)\n"
                          "func each() => text.replace(\"y\", piece)\n");
  csp_limit_time(host.csp, 5 * 1000000);
  call_fails(&host, module, "between", CSP_INTERRUPTED, "interrupted");
  call_fails(&host, module, "each", CSP_INTERRUPTED, "interrupted");
  close_host(&host);
}

static void *interrupt_soon(void *csp) {
  usleep(20000);
  csp_interrupt(csp);
  return NULL;
}

static void expect_interrupted(int procs, const char *script) {
  Host host;
  pthread_t thread;
  open_with_natives(&host, procs);
  pthread_create(&thread, NULL, interrupt_soon, host.csp);
  assert_int_equal(run(&host, script), 130);
  pthread_join(thread, NULL);
  assert_string_equal(host.err, "");
  close_host(&host);
}

static void an_interrupt_ends_the_run(void **state) {
  (void)state;
  expect_interrupted(1, "count(-1)");
  assert_int_equal(dropped, begun);
  expect_interrupted(2, "go { spin() }\ncount(-1)");
  assert_int_equal(dropped, begun);
  expect_interrupted(2, "spin()");
  expect_interrupted(1, "repeat(func() => 1)");
  expect_interrupted(2, "repeat(func() => 1)");
  expect_interrupted(1, "l := []\nfor i in 60 { l = [l, l] }\nl.flatten(1000)");
}

// An interrupt between two calls of a stepped host ends nothing, so this one
// comes when spin has begun: then a step is under way until it comes.
static void *interrupt_spin(void *csp) {
  while (!spins) usleep(100);
  return csp_interrupt(csp) ? csp : NULL;
}

static void an_interrupt_ends_a_step(void **state) {
  (void)state;
  Host host;
  pthread_t thread;
  open_with_natives(&host, STEPPED);
  CspHandle module =
      load(&host,
           "seen := 0\ngo { _, err := try(spin)\n seen = -1000 }\n"
           "go { for { seen += 1\n sleep(0) } }\nfunc so_far(n) => seen\n");
  pthread_create(&thread, NULL, interrupt_spin, host.csp);
  while (call_int(&host, module, "so_far", 0) < 3) csp_step(host.csp, 1000000);
  void *in_time;
  pthread_join(thread, &in_time);
  assert_non_null(in_time);
  assert_non_null(strstr(host.err, "interrupted"));
  close_host(&host);
}

static void a_deadline_cancels_them(void **state) {
  (void)state;
  Host host;
  open_with_natives(&host, 2);
  const char *script =
      "ended := chan(3)\n"  // they may end at the same time
      "_, err := try(func() {\n"
      "  group g {\n"
      "    g.timeout(100ms)\n"
      "    for f in [spin, func() { count(-1) }, func() {\n"
      "      l := []\n"
      "      l.push(l, l)\n"
      "      l.flatten(1000)\n"
      "    }] {\n"
      "      go {\n        defer { ended <- 1 }\n        _ = try(f)\n"
      "        println(\"not here\")\n      }\n"
      "    }\n"
      "  }\n"
      "})\n"
      "println(err, len(ended))\n";
  assert_int_equal(run(&host, script), 0);
  assert_string_equal(host.out, "deadline exceeded 3\n");
  assert_int_equal(dropped, begun);
  close_host(&host);
}

// A collection waits for the native, and the deadline's timer for the
// collection.
static void a_deadline_comes_while_the_world_is_to_stop(void **state) {
  (void)state;
  Host host;
  open_with_natives(&host, 2);
  const char *script =
      "import \"sched\"\n"
      "_, err := try(func() {\n"
      "  group g {\n"
      "    g.timeout(20ms)\n"
      "    go spin()\n"
      "    go { for { sched.gc(); sleep(0) } }\n"
      "  }\n"
      "})\n"
      "println(err)\n";
  assert_int_equal(run(&host, script), 0);
  assert_string_equal(host.out, "deadline exceeded\n");
  close_host(&host);
}

static void the_end_drops_what_is_left(void **state) {
  (void)state;
  Host host;
  open_with_natives(&host, 2);
  assert_int_equal(
      run(&host, "go { count(-1) }\ngo { count(-1) }\nsleep(20ms)"), 0);
  close_host(&host);
  assert_true(begun > 0);
  assert_int_equal(dropped, begun);
}

// --- Retries ----------------------------------------------------------------
// As if there had been no memory for it; and no safepoint near.
static CspStatus again(CspCall *call) {
  bool collected = memory_again(call->local, call->g);
  call->local->debt = 0;
  call->local->overdue = false;
  return csp_ok_bool(call, collected);
}

static const CspFunction retries[] = {{"again", "", again}, {NULL, NULL, NULL}};

// At one place each collects once, though nothing was allocated since another
// one did.
static void each_goroutine_collects_for_itself(void **state) {
  (void)state;
  Host host;
  open_limited(&host, STEPPED, 8 << 20, 0);
  assert_true(csp_register_builtins(host.csp, retries));
  assert_int_equal(run(&host,
                       "func try_it() => again()\n"
                       "for i in 3 { println(<-(go try_it())) }\n"
                       "for i in 2 { println(again()) }\n"),
                   0);
  assert_string_equal(host.out, "true\ntrue\ntrue\ntrue\nfalse\n");
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_it_keeps_stays),
      cmocka_unit_test(others_run_between_pieces),
      cmocka_unit_test(what_waits_behind_a_native_runs_elsewhere),
      cmocka_unit_test(a_limit_ends_them),
      cmocka_unit_test(a_limit_ends_the_library),
      cmocka_unit_test(loops_hear_that_a_comparison_gave_up),
      cmocka_unit_test(what_is_compared_is_charged),
      cmocka_unit_test(what_is_the_same_is_not_compared),
      cmocka_unit_test(who_is_woken_is_charged),
      cmocka_unit_test(a_limit_ends_many_short_copies),
      cmocka_unit_test(each_goroutine_collects_for_itself),
      cmocka_unit_test(an_interrupt_ends_the_run),
      cmocka_unit_test(an_interrupt_ends_a_step),
      cmocka_unit_test(a_deadline_cancels_them),
      cmocka_unit_test(a_deadline_comes_while_the_world_is_to_stop),
      cmocka_unit_test(the_end_drops_what_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
