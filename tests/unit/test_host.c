// SPDX-License-Identifier: MIT
// A host that steps its runtime: calls into the language and back, their ends,
// steps, time limits, the descriptor, and what the collector must not take.
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "embed_fixture.h"

// --- Natives ----------------------------------------------------------------
static CspStatus add_one(CspCall *call) {
  int64_t n;
  if (!csp_need_int(call, 0, &n)) return CSP_PANIC;
  return csp_ok_int(call, n + 1);
}

// call_back(f, x): f(x), or an error with f's panic.
static CspStatus call_back(CspCall *call) {
  CspValue x = csp_arg(call, 1);
  CspResult result;
  if (csp_call(call, csp_arg(call, 0), 1, &x, &result) == CSP_DONE)
    return csp_ok_value(call, result.values[0]);
  if (result.end == CSP_ENDED) return CSP_PANIC;
  CspStatus status =
      csp_ok_error(call, "%s", result.message != NULL ? result.message : "");
  csp_result_free(&result);
  return status;
}

// The arguments are still there after a call in which all was collected.
static CspStatus sum_after(CspCall *call) {
  CspResult result;
  csp_call(call, csp_arg(call, 0), 0, NULL, &result);
  csp_result_free(&result);
  size_t len;
  const char *text = csp_to_string(csp_arg(call, 1), &len);
  return csp_ok_string(call, text, len);
}

static CspStatus loads(CspCall *call) {
  CspResult result;
  csp_load(call, "x.csp", "1", 1, &result);
  bool refused = result.end == CSP_THREW;
  csp_result_free(&result);
  return csp_ok_bool(call, refused);
}

static const CspFunction natives[] = {{"add_one", "n", add_one},
                                      {"call_back", "f, x", call_back},
                                      {"sum_after", "f, text", sum_after},
                                      {"loads", "", loads},
                                      {NULL, NULL, NULL}};

static void open_stepped(Host *host) {
  open_host(host, STEPPED);
  assert_true(csp_register_builtins(host->csp, natives));
}

// --- Calls ------------------------------------------------------------------
static void calls_give_results(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle m = load(&host,
                     "func next(n) => add_one(n)\n"
                     "func nothing() { }\n"
                     "func many() { return 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }\n"
                     "var later\n"
                     "func get(n) => later\n"
                     "later = 7\n");
  assert_int_equal(call_int(&host, m, "next", 41), 42);
  assert_int_equal(call_int(&host, m, "get", 0), 7);
  CspCall *call = csp_host(host.csp);
  CspResult result;
  assert_int_equal(
      csp_call(call, member(&host, m, "nothing"), 0, NULL, &result), CSP_DONE);
  assert_int_equal(result.count, 0);
  assert_int_equal(csp_call(call, member(&host, m, "many"), 0, NULL, &result),
                   CSP_DONE);
  assert_int_equal(result.count, 10);
  assert_int_equal(csp_to_int(result.values[7]), 8);
  CspValue v;
  assert_false(csp_member(call, csp_held(call, m), "nope", &v));
  assert_false(csp_member(call, csp_int(call, 1), "nope", &v));
  close_host(&host);
}

static void calls_fail_with_a_message(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle m =
      load(&host,
           "func index() { return [1][3] }\n"
           "func raise() { panic(error(\"mine\", error(\"deep\"))) }\n"
           "func text() { panic(\"plain\") }\n"
           "func wait() { <-chan() }\n"
           "func takes(a, b) { }\n");
  call_fails(&host, m, "index", CSP_THREW, "index at host.csp:1:");
  call_fails(&host, m, "raise", CSP_THREW, "caused by: deep");
  call_fails(&host, m, "text", CSP_THREW, "panic: plain");
  call_fails(&host, m, "wait", CSP_STUCK, "wait at host.csp:4");
  call_fails(&host, m, "takes", CSP_THREW, "takes");
  CspCall *call = csp_host(host.csp);
  CspResult result;
  assert_int_equal(csp_call(call, csp_int(call, 3), 0, NULL, &result),
                   CSP_THREW);
  assert_non_null(strstr(result.message, "int"));
  csp_result_free(&result);
  assert_int_equal(csp_load(call, "bad.csp", "x := (\n", 7, &result),
                   CSP_BAD_SCRIPT);
  assert_non_null(strstr(result.message, "bad.csp:1"));
  csp_result_free(&result);
  assert_int_equal(csp_load(call, "top.csp", "panic(\"top\")", 12, &result),
                   CSP_THREW);
  assert_non_null(strstr(result.message, "main at top.csp:1"));
  csp_result_free(&result);
  assert_string_equal(host.err, "");
  close_host(&host);
}

static const char calls_back[] =
    "import \"sched\"\n"
    "func twice(n) { v, err := call_back(func(x) { sched.yield(); return 2 *"
    " x }, n); return v }\n"
    "func waits(n) {\n"
    "  ch := chan()\n"
    "  go { sleep(1ms); ch <- n }\n"
    "  v, err := call_back(func(x) => <-ch, nil)\n"
    "  return v\n"
    "}\n"
    "func fails(n) {\n"
    "  v, err := call_back(func(x) { panic(\"inner\") }, nil)\n"
    "  if str(err).contains(\"inner\") { return 1 }\n"
    "  return 0\n"
    "}\n"
    "func deep(n) {\n"
    "  v, err := call_back(deep, n + 1)\n"
    "  return v ?? n\n"
    "}\n"
    "func collects(n) {\n"
    "  s := sum_after(func() { sched.gc(); sched.yield() }, \"a\" + "
    "str(n))\n"
    "  if s == \"a\" + str(n) { return 1 }\n"
    "  return 0\n"
    "}\n"
    "func refused(n) => int(loads())\n";

static void natives_call_back(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle m = load(&host, calls_back);
  assert_int_equal(call_int(&host, m, "twice", 21), 42);
  assert_int_equal(call_int(&host, m, "waits", 9), 9);
  assert_int_equal(call_int(&host, m, "fails", 0), 1);
  // sanitizers' frames are large
  assert_in_range(call_int(&host, m, "deep", 0), 20, 1000000);
  for (int n = 0; n < 100; n++)
    assert_int_equal(call_int(&host, m, "collects", n), 1);
  assert_int_equal(call_int(&host, m, "refused", 0), 1);
  close_host(&host);
}

static CspStatus calls_as_host(CspCall *call) {
  CspResult result;
  csp_call(csp_host(csp_of(call)), csp_arg(call, 0), 0, NULL, &result);
  bool refused = result.end == CSP_THREW;
  csp_result_free(&result);
  return csp_ok_bool(call, refused);
}

static const CspFunction more_natives[] = {
    {"calls_as_host", "f", calls_as_host}, {NULL, NULL, NULL}};

static void natives_are_not_the_host(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  assert_true(csp_register_builtins(host.csp, more_natives));
  CspHandle m = load(&host, "func f(n) => int(calls_as_host(func() { }))\n");
  assert_int_equal(call_int(&host, m, "f", 0), 1);
  close_host(&host);
}

// A callback's goroutines see those that wait in natives below them.
static void callbacks_of_several_goroutines(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle m = load(&host,
                     "func all(n) {\n"
                     "  done := chan(n)\n"
                     "  for i in n {\n"
                     "    go {\n"
                     "      v, err := call_back(func(x) { sleep(x * 1us); "
                     "return x }, i)\n"
                     "      done <- v\n"
                     "    }\n"
                     "  }\n"
                     "  sum := 0\n"
                     "  for _ in n { sum += <-done }\n"
                     "  return sum\n"
                     "}\n");
  assert_int_equal(call_int(&host, m, "all", 50), 1225);
  close_host(&host);
}

// --- Time -------------------------------------------------------------------
static void time_limits_end_calls(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle m =
      load(&host,
           "func loop() { for { } }\n"
           "func tries() { for { _ = try(func() { for { } }) } }\n"
           "func waits() { <-chan() }\n"
           "func defers() { defer func() { for { } }(); for { } }\n"
           "deferred := 0\n"
           "func sleeps() { defer func() { deferred = 1 }(); sleep(1h) }\n"
           "func did(n) => deferred\n"
           "func nested() { for { _ = call_back(func(x) { for { } }, 0) } }\n"
           "func fine(n) => n\n");
  // long enough for what ends by itself, however much else runs
  static const int64_t long_ns = 60 * INT64_C(1000000000);
  csp_limit_time(host.csp, long_ns);
  call_fails(&host, m, "waits", CSP_STUCK, "deadlock");
  csp_limit_time(host.csp, 2000000);
  call_fails(&host, m, "loop", CSP_INTERRUPTED, "loop at host.csp:1");
  call_fails(&host, m, "tries", CSP_INTERRUPTED, "interrupted");
  call_fails(&host, m, "sleeps", CSP_INTERRUPTED, "sleeps at host.csp");
  csp_limit_time(host.csp, long_ns);
  assert_int_equal(call_int(&host, m, "did", 0), 1);
  csp_limit_time(host.csp, 2000000);
  call_fails(&host, m, "defers", CSP_INTERRUPTED, "left to itself");
  call_fails(&host, m, "nested", CSP_INTERRUPTED, "interrupted");
  csp_limit_time(host.csp, long_ns);
  assert_int_equal(call_int(&host, m, "fine", 3), 3);
  csp_limit_time(host.csp, 0);
  assert_int_equal(call_int(&host, m, "fine", 4), 4);
  // what was left to itself still runs
  assert_int_equal(csp_step(host.csp, 1000000), CSP_MORE);
  close_host(&host);
}

static void *interrupts(void *arg) {
  Host *host = arg;
  struct timespec ms = {0, 1000000};
  do {
    nanosleep(&ms, NULL);
  } while (!csp_interrupt(host->csp));
  return NULL;
}

static void other_threads_interrupt(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle m = load(&host,
                     "func loop() { for { } }\n"
                     "func sleeps() { sleep(1h) }\n"
                     "func fine(n) => n\n");
  static const char *const names[] = {"loop", "sleeps"};
  for (int n = 0; n < 2; n++) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, interrupts, &host), 0);
    call_fails(&host, m, names[n], CSP_INTERRUPTED, "interrupted");
    pthread_join(thread, NULL);
    assert_int_equal(call_int(&host, m, "fine", n), n);
  }
  close_host(&host);
}

// --- Steps ------------------------------------------------------------------
static const char counts[] =
    "count := 0\n"
    "func begin(n) {\n"
    "  for _ in n { go { count = count + 1 } }\n"
    "  return 0\n"
    "}\n"
    "func forever(n) { go { for { count = count + 1 } }; "
    "return 0 }\n"
    "func later(ms) { go { sleep(ms * 1ms); count = 1000 }; "
    "return 0 }\n"
    "func listen(ch) { go { count = <-ch } }\n"
    "func counted(n) => count\n";

// What the host itself readies is told through the descriptor, too.
static void readied_by_the_host(Host *host, CspHandle m) {
  struct pollfd fd = {csp_fd(host->csp), POLLIN, 0};
  CspCall *call = csp_host(host->csp);
  CspValue chan = csp_chan(call, 1);
  CspHandle held = csp_hold(call, chan);
  CspResult result;
  csp_call(call, member(host, m, "listen"), 1, &chan, &result);
  csp_step(host->csp, -1);
  assert_int_equal(poll(&fd, 1, 0), 0);
  csp_try_send(call, csp_held(call, held), csp_int(call, 7));
  assert_int_equal(poll(&fd, 1, 0), 1);
  csp_step(host->csp, -1);
  assert_int_equal(call_int(host, m, "counted", 0), 7);
}

static void steps_run_what_there_is(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle m = load(&host, counts);
  assert_int_equal(csp_next(host.csp), -1);
  call_int(&host, m, "begin", 10);
  assert_int_equal(csp_next(host.csp), 0);
  assert_int_equal(csp_step(host.csp, -1), CSP_IDLE);
  assert_int_equal(call_int(&host, m, "counted", 0), 10);
  call_int(&host, m, "later", 3);
  csp_step(host.csp, -1);
  int64_t next = csp_next(host.csp);
  assert_true(next <= 3000000);
  // (On a busy machine it may have run in that step.)
  if (next < 0) assert_int_equal(call_int(&host, m, "counted", 0), 1000);
  struct pollfd fd = {csp_fd(host.csp), POLLIN, 0};
  assert_true(fd.fd >= 0);
  while (call_int(&host, m, "counted", 0) != 1000) {
    assert_true(poll(&fd, 1, -1) >= 0);
    csp_step(host.csp, -1);
  }
  assert_int_equal(csp_step(host.csp, -1), CSP_IDLE);
  assert_int_equal(poll(&fd, 1, 0), 0);
  call_int(&host, m, "begin", 1);
  assert_int_equal(poll(&fd, 1, -1), 1);  // the call has left a goroutine
  csp_step(host.csp, -1);
  assert_int_equal(poll(&fd, 1, 0), 0);
  readied_by_the_host(&host, m);
  call_int(&host, m, "forever", 0);
  for (int n = 0; n < 3; n++) {
    assert_int_equal(csp_step(host.csp, 100000), CSP_MORE);
    assert_int_equal(poll(&fd, 1, 0), 1);
  }
  close_host(&host);
}

// A pipe's reader, by the loop of the host.
static void the_descriptor_tells_of_descriptors(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  char text[512];
  snprintf(text, sizeof text,
           "import \"os\"\n"
           "lines := 0\n"
           "go {\n"
           "  file := os.open(\"/proc/self/fd/%d\")?\n"
           "  for line in file.lines() { lines = lines + 1 }\n"
           "}\n"
           "func counted(n) => lines\n",
           ends[0]);
  CspHandle m = load(&host, text);
  struct pollfd fd = {csp_fd(host.csp), POLLIN, 0};
  csp_step(host.csp, -1);
  for (int n = 1; n <= 3; n++) {
    assert_int_equal(write(ends[1], "line\n", 5), 5);
    while (call_int(&host, m, "counted", 0) < n) {
      poll(&fd, 1, -1);
      csp_step(host.csp, -1);
    }
  }
  close(ends[1]);
  close_host(&host);
  close(ends[0]);
}

// --- The end ----------------------------------------------------------------
static void scripts_end_the_runtime(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle m =
      load(&host,
           "import \"os\"\n"
           "func leave() { os.exit(3) }\n"
           "func by_goroutine() { go { os.exit(3) }; sleep(1h) }\n"
           "func nested() { call_back(func(x) { os.exit(3) }, 0) }\n");
  CspValue f = member(&host, m, "nested");
  CspResult result;
  assert_int_equal(csp_call(csp_host(host.csp), f, 0, NULL, &result),
                   CSP_ENDED);
  csp_result_free(&result);
  assert_null(csp_host(host.csp));
  int exit_status;
  assert_true(csp_ended(host.csp, &exit_status));
  assert_int_equal(exit_status, 3);
  assert_int_equal(csp_step(host.csp, -1), CSP_CLOSED);
  assert_int_equal(csp_next(host.csp), -1);
  close_host(&host);
}

static void a_goroutines_panic_ends_only_itself(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle m = load(&host,
                     "func bad(n) { go { panic(\"alone\") }; return n }\n"
                     "func fine(n) => n\n");
  call_int(&host, m, "bad", 0);
  assert_int_equal(csp_step(host.csp, -1), CSP_IDLE);
  assert_non_null(strstr(host.err, "panic: alone"));
  assert_int_equal(call_int(&host, m, "fine", 5), 5);
  close_host(&host);
}

// csp_run, too, works without a thread.
static void whole_scripts_run(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int status;
    const char *out, *err;
  } cases[] = {
      {"t := go func() { sleep(1ms); return 5 }()\nprintln(<-t)", 0, "5\n", ""},
      {"<-chan()", 1, "", "deadlock"},
      {"go { panic(\"x\") }\nsleep(1h)", 1, "", "panic: x"},
      {"import \"os\"\nos.exit(4)", 4, "", ""},
      {"import \"sched\"\nsched.set_procs(8)\nprintln(sched.procs())", 0, "1\n",
       ""},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    Host host;
    open_stepped(&host);
    assert_int_equal(run(&host, cases[n].text), cases[n].status);
    assert_string_equal(host.out, cases[n].out);
    assert_non_null(strstr(host.err, cases[n].err));
    close_host(&host);
  }
  Host host;
  open_stepped(&host);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, interrupts, &host), 0);
  assert_int_equal(run(&host, "for { }"), 130);
  pthread_join(thread, NULL);
  close_host(&host);
}

// What is garbage is no reason to refuse a call; what is held is.
static void limits_leave_the_host_running(void **state) {
  (void)state;
  Host host;
  open_limited(&host, STEPPED, 4 << 20, 100);
  assert_true(csp_register_builtins(host.csp, natives));
  CspHandle m = load(&host,
                     "kept := []\n"
                     "func fill() {\n"
                     "  var xs = []\n"
                     "  for { xs.push([1, 2, 3]) }\n"
                     "}\n"
                     "func keep() { for { kept.push([1, 2, 3]) } }\n"
                     "func drop() { kept = [] }\n"
                     "func bomb() { for { go { <-chan() } } }\n"
                     "func fine(text) => text + \"!\"\n");
  for (int n = 0; n < 20; n++) {
    call_fails(&host, m, n % 2 ? "fill" : "keep", CSP_THREW, "out of memory");
    CspResult result;
    CspCall *call = csp_host(host.csp);
    assert_int_equal(csp_call(call, member(&host, m, "drop"), 0, NULL, &result),
                     CSP_DONE);
    csp_collect(call);
    CspValue text = csp_string(call, "fine", 4);
    assert_false(csp_is_undef(text));
    assert_int_equal(
        csp_call(call, member(&host, m, "fine"), 1, &text, &result), CSP_DONE);
    assert_string_equal(csp_to_string(result.values[0], NULL), "fine!");
  }
  call_fails(&host, m, "bomb", CSP_THREW, "too many goroutines");
  close_host(&host);
}

// However often memory was out: what fits is done, and the host finds the
// members without collecting itself.
static void what_fits_is_done_after_any_number_of_refusals(void **state) {
  (void)state;
  enum { LIMIT = 4 << 20, MOST = 50 };
  Host host;
  open_limited(&host, STEPPED, LIMIT, 0);
  CspHandle m = load(&host,
                     "kept := nil\n"
                     "func far_too_much() => \"x\".repeat(1000000000)\n"
                     "func fill() {\n"
                     "  xs := []\n"
                     "  for { xs.push(\"text ${len(xs)}\") }\n"
                     "}\n"
                     "func deep() => 1 + deep()\n"
                     "func keep() {\n"
                     "  kept = \"x\".repeat(2000000)\n"
                     "  kept += \"x\".repeat(2000000)\n"
                     "}\n"
                     "func small(n) {\n"
                     "  kept = nil\n"
                     "  return len([n, \"a${n}\"])\n"
                     "}\n"
                     "func large(n) => len(\"x\".repeat(1000000 + n))\n");
  static const char *const refused[] = {"far_too_much", "fill", "deep", "keep"};
  for (int n = 1; n <= MOST; n++) {
    for (int i = 0; i < n; i++)
      call_fails(&host, m, refused[n % 4], CSP_THREW, "");
    assert_int_equal(call_int(&host, m, "small", n), 2);
    assert_int_equal(call_int(&host, m, "large", n), 1000000 + n);
  }
  close_host(&host);
}

// Held values stay; others go, and what is closed early leaves nothing.
static void handles_keep_values(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle m = load(&host,
                     "import \"sched\"\n"
                     "func collect(n) { sched.gc(); return n }\n");
  CspHandle held[100];
  for (int n = 0; n < 100; n++) {
    CspCall *call = csp_host(host.csp);
    char text[32];
    int len = snprintf(text, sizeof text, "value %d", n);
    held[n] = csp_hold(call, csp_string(call, text, (size_t)len));
    assert_int_not_equal(held[n], 0);
    call_int(&host, m, "collect", n);
  }
  for (int n = 0; n < 100; n++) {
    char text[32];
    snprintf(text, sizeof text, "value %d", n);
    CspValue v = csp_held(csp_host(host.csp), held[n]);
    assert_string_equal(csp_to_string(v, NULL), text);
    csp_release(host.csp, held[n]);
  }
  csp_release(host.csp, 0);
  close_host(&host);
  open_stepped(&host);  // never used
  close_host(&host);
}

static void many_at_once(void **state) {
  (void)state;
  Host hosts[16];
  CspHandle modules[16];
  for (int n = 0; n < 16; n++) {
    open_stepped(&hosts[n]);
    modules[n] = load(&hosts[n],
                      "sum := 0\n"
                      "func add(n) { sum = sum + n; return sum }\n");
  }
  for (int round = 0; round < 10; round++)
    for (int n = 0; n < 16; n++)
      assert_int_equal(call_int(&hosts[n], modules[n], "add", n),
                       n * (round + 1));
  for (int n = 0; n < 16; n++) close_host(&hosts[n]);
}

// --- Memory -----------------------------------------------------------------
typedef struct Pool {
  int blocks, most, refuse_from;
  bool crooked;  // gives blocks that are of no use
  size_t bytes;
} Pool;

static void *pool_map(void *arg, size_t bytes, size_t align) {
  Pool *pool = arg;
  if (pool->refuse_from > 0 && pool->blocks >= pool->refuse_from) return NULL;
  char *block = aligned_alloc(align, bytes + align);
  assert_non_null(block);
  memset(block, 0, bytes + align);
  if (++pool->blocks > pool->most) pool->most = pool->blocks;
  pool->bytes += bytes;
  return block + (pool->crooked ? 4096 : 0);
}

static void pool_unmap(void *arg, void *block, size_t bytes) {
  Pool *pool = arg;
  pool->blocks--;
  pool->bytes -= bytes;
  free((char *)block - (pool->crooked ? 4096 : 0));
}

static const char fills[] =
    "xs := []\n"
    "for i in 300_000 { xs.push([i]) }\n"
    "println(len(xs))\n";

static CspConfig pool_config(Pool *pool) {
  CspConfig config;
  test_config(&config);
  config.stepped = true;
  config.debug = NULL;  // as in open_limited
  config.map = pool_map;
  config.unmap = pool_unmap;
  config.map_arg = pool;
  return config;
}

static int run_in(Pool *pool, Host *host) {
  CspConfig config = pool_config(pool);
  open_configured(host, &config);
  int status = run(host, fills);
  close_host(host);
  return status;
}

static void hosts_give_the_memory(void **state) {
  (void)state;
  Pool plenty = {0}, little = {.refuse_from = 2}, crooked = {.crooked = true};
  Host host;
  assert_int_equal(run_in(&plenty, &host), 0);
  assert_string_equal(host.out, "300000\n");
  assert_true(plenty.most > 2);
  assert_int_equal(plenty.blocks, 0);
  assert_int_equal(plenty.bytes, 0);
  assert_int_equal(run_in(&little, &host), 1);
  assert_non_null(strstr(host.err, "out of memory"));
  assert_int_equal(little.blocks, 0);
  CspConfig config = pool_config(&crooked);
  assert_null(csp_new(&config));  // not even one
  assert_int_equal(crooked.blocks, 0);
}

static bool is_out;

static void *alloc_until_out(void *arg, void *block, size_t old_size,
                             size_t new_size) {
  (void)arg, (void)old_size;
  if (new_size > 0 && !is_out) return realloc(block, new_size);
  if (new_size == 0) free(block);
  return NULL;
}

static void *map_until_out(void *arg, size_t bytes, size_t align) {
  return is_out ? NULL : pool_map(arg, bytes, align);
}

static void failures_without_memory_have_a_message(void **state) {
  (void)state;
  Pool pool = {0};
  CspConfig config = pool_config(&pool);
  config.alloc = alloc_until_out;
  config.map = map_until_out;
  Host host;
  open_configured(&host, &config);
  CspHandle m = load(&host,
                     "func fill() { xs := []\n for { xs.push([xs]) } }\n"
                     "func fine(n) => n\n");
  is_out = true;
  call_fails(&host, m, "fill", CSP_THREW, "panic: out of memory\n");
  is_out = false;
  assert_int_equal(call_int(&host, m, "fine", 7), 7);
  close_host(&host);
  assert_int_equal(pool.blocks, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_give_results),
      cmocka_unit_test(calls_fail_with_a_message),
      cmocka_unit_test(natives_call_back),
      cmocka_unit_test(natives_are_not_the_host),
      cmocka_unit_test(callbacks_of_several_goroutines),
      cmocka_unit_test(time_limits_end_calls),
      cmocka_unit_test(other_threads_interrupt),
      cmocka_unit_test(steps_run_what_there_is),
      cmocka_unit_test(the_descriptor_tells_of_descriptors),
      cmocka_unit_test(scripts_end_the_runtime),
      cmocka_unit_test(a_goroutines_panic_ends_only_itself),
      cmocka_unit_test(whole_scripts_run),
      cmocka_unit_test(limits_leave_the_host_running),
      cmocka_unit_test(what_fits_is_done_after_any_number_of_refusals),
      cmocka_unit_test(handles_keep_values),
      cmocka_unit_test(many_at_once),
      cmocka_unit_test(hosts_give_the_memory),
      cmocka_unit_test(failures_without_memory_have_a_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
