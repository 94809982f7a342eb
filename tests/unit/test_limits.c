// SPDX-License-Identifier: MIT
// What a host may limit: memory and goroutines. Hostile scripts end with an
// error, and the process stays small; those that let go of what they held go
// on.
#include <sys/resource.h>
#include <time.h>

#include "host_fixture.h"
#include "sanitized.h"
#include "short.h"

enum { MEMORY = 8 << 20, BESIDES_MB = 64 };

// With sanitizers, which make this slow, the most Ps have to do.
static const int procs[] = {8, 1, 2};
enum { PROCS = SANITIZED ? 1 : sizeof procs / sizeof *procs };

// The tests fill the memory over and over: a collection at every safepoint
// would never come to an end.
static CspConfig limited(int n) {
  return (CspConfig){
      .size = sizeof(CspConfig), .procs = procs[n], .max_memory = MEMORY};
}

static long megabytes_at_most(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss >> 10;
}

// --- Memory -----------------------------------------------------------------
static const char *const bombs[] = {
    // what grows
    "xs := []\nfor { xs.push(1) }",
    "xs := []\nfor { xs.push([1, 2, 3, 4]) }",
    "xs := [1]\nfor { xs = xs + xs }",
    "xs := [1]\nfor { xs.extend(xs) }",
    "s := \"x\"\nfor { s = s + s }",
    "s := \"x\"\nfor { s = \"${s}${s}\" }",
    "b := bytes()\nfor { b.push(\"some more text\") }",
    "m := {}\nfor i in 1000000000 { m[\"key ${i}\"] = i }",
    "cs := []\nfor { cs.push(chan(1000)) }",
    "c := chan(1 << 10, grow: 1 << 27)\nfor { c <- 1 }",
    "struct P { a = 0, b = 0 }\nps := []\nfor { ps.push(P(1, b: 2)) }",
    "fs := []\nfor i in 1000000000 { fs.push(func() => i) }",
    "xs := []\nfor i in 1000000000 { xs.push(4611686018427387904 + i) }",
    "e := error(\"a\")\nfor { e = error(\"b\", cause: e) }",
    // what is large at once
    "\"x\".repeat(1000000000)",
    "\"x\".pad_left(1000000000)",
    "[1].repeat(1000000000)",
    "list(0..1000000000)",
    "bytes(2000000000)",
    "chan(100000000)",
    "bytes(3000000).hex()",
    "s := \"x\".repeat(100000)\ns.replace(\"x\", s)",
    "import \"fmt\"\nfmt.sprintf(\"%9999d\".repeat(2000), [1].repeat(2000)...)",
    "s := \"x\".repeat(100000)\nxs := []\nfor i in 1000 { xs.push(s) }\n"
    "xs.join(\",\")",
    "xs := []\nfor i in 400000 { xs.push(-i) }\nxs.sort()",
    // what only looks small: 2^60 times one element
    "xs := [1]\nfor i in 60 { xs = [xs, xs] }\nprintln(xs)",
    "xs := [1]\nfor i in 60 { xs = [xs, xs] }\ns := \"${xs} ${xs}\"",
    "xs := [1]\nfor i in 60 { xs = [xs, xs] }\nstr(xs)",
    "xs := [1]\nfor i in 60 { xs = [xs, xs] }\nxs.flatten(100)",
    // calls
    "func f(n) { return 1 + f(n + 1) }\nf(0)",
    "func f(n, rest...) { return f(n + 1, rest...) + 1 }\nf(0, 1, 2, 3)",
    "func g() {}\nfunc f() { for { defer g() } }\nf()",
    "func g() { panic(\"again\") }\n"
    "func f() { for i in 1000000 { defer g() } }\nf()",
    "func f(n) { defer func() { f(n + 1) }()\npanic(\"n${n}\") }\nf(0)",
    "func f(n) { group g { f(n + 1) } }\nf(0)",
    // goroutines and timers
    "for { go func() { sleep(1h) }() }",
    "func f() { go f()\ngo f() }\nf()\nsleep(1h)",
    "ts := []\nfor { ts.push(go func() { return 1 }()) }",
    "xs := []\nfor { xs.push(after(1h)) }",
    "xs := []\nfor { xs.push(tick(1h)) }",
    "for { go func() { group g { go func() { sleep(1h) }() } }() }",
    "import \"sched\"\nfor { sched.background(func() { sleep(1h) }) }",
};

static void a_script_that_takes_all_memory_panics(void **state) {
  (void)state;
  long before = megabytes_at_most();
  for (size_t n = 0; n < sizeof bombs / sizeof *bombs; n++) {
    CspConfig config = limited((int)n % PROCS);
    if (SANITIZED) config.max_memory = MEMORY / 4;  // they are slow
    expect_end(config, bombs[n], 1, "out of memory: the limit is ");
  }
  long grown = megabytes_at_most() - before;
  if (!SANITIZED && grown > (MEMORY >> 20) + BESIDES_MB)
    fail_msg("the process has grown by %ld MB", grown);
}

static void a_huge_panic_is_shown_in_part(void **state) {
  (void)state;
  static const char *const values[] = {"\"x\".repeat(1000000)",
                                       "list(0..100000)",
                                       "error(\"x\".repeat(1000000))"};
  for (size_t n = 0; n < sizeof values / sizeof *values; n++) {
    char text[128];
    snprintf(text, sizeof text, "panic(%s)", values[n]);
    expect_end(limited(0), text, 1, "panic: ");
  }
  expect_end(limited(0), "xs := [1]\nfor i in 60 { xs = [xs, xs] }\npanic(xs)",
             1, "panic: [[[");
}

static void what_was_let_go_can_be_used_again(void **state) {
  (void)state;
  static const char text[] =
      "for round in 4 {\n"
      "  xs := []\n"
      "  _, err := try(func() { for { xs.push(\"text ${len(xs)}\") } })\n"
      "  if err == nil || !str(err).contains(\"8 MB\") { panic(err) }\n"
      "}\n"
      "println(\"alive\", len(list(0..200000)))\n";
  for (int n = 0; n < PROCS; n++)
    expect_output(limited(n), text, "alive 200000\n");
}

// Each holds little at a time: it is collected before memory is short.
static void garbage_does_not_count(void **state) {
  (void)state;
  static const char *const scripts[] = {
      "for i in 200000 { x := [i, [i], {a: i}] }",
      "for i in 60 { xs := list(0..200000) }",
      "for i in 20 { s := \"x\".repeat(3000000) }",
      "x := nil\nfor i in 50 { x = nil\nx = list(0..600000) }",
      "x := nil\nfor i in 20 { x = nil\nx = \"${\"x\".repeat(2500000)}.\" }",
      "s := \"x\".repeat(1000000)\nfor i in 50 { t := s + s }",
      "for i in 40 { b := bytes()\nb.push(\"x\".repeat(1000000)) }",
      "s := \"x\".repeat(900000) + \" \"\nfor i in 20 { s.repeat(3).fields() }",
      "for i in 50000 { <-(go func() { return [i] }()) }",
      "for i in 100000 { after(1ms) }",
      "for i in 300 { m := {}\nfor k in 1000 { m[k] = [k] } }",
      "for i in 20000 { _ = try(func() { panic(\"a\") }) }",
      "func f(n) { if n > 0 { f(n - 1) } }\nfor i in 30 { <-(go f(20000)) }",
  };
  for (size_t n = 0; n < sizeof scripts / sizeof *scripts; n++) {
    char text[256];
    snprintf(text, sizeof text, "%s\nprintln(\"fine\")", scripts[n]);
    expect_output(limited((int)n % PROCS), text, "fine\n");
  }
}

// Of what was asked for, most can be had: strings of 64 KB, up to the limit.
static void the_limit_is_near_what_can_be_used(void **state) {
  (void)state;
  static const char text[] =
      "xs := []\n"
      "_ = try(func() { for { xs.push(\"x\".repeat(65000)) } })\n"
      "used := len(xs) * 65000\n"
      "println(used > 7000000 && used <= 8388608)\n";
  for (int n = 0; n < PROCS; n++) expect_output(limited(n), text, "true\n");
}

static void a_text_too_large_to_compile_is_refused(void **state) {
  (void)state;
  enum { FUNCTIONS = 100000, LINE = 40 };
  char *text = malloc((size_t)FUNCTIONS * LINE);
  char *at = text;
  for (int n = 0; n < FUNCTIONS; n++)
    at += sprintf(at, "func name%d() { return %d }\n", n, n);
  expect_end(limited(0), text, 2, "out of memory");
  expect_end((CspConfig){.procs = 1}, text, 0, "");
  free(text);
}

static void what_is_read_is_limited(void **state) {
  (void)state;
  static const char *const reads[] = {"os.read_file(\"/dev/zero\")",
                                      "os.read_bytes(\"/dev/zero\")",
                                      "os.open(\"/dev/zero\")?.read_all()",
                                      "os.open(\"/dev/zero\")?.read(100000000)",
                                      "os.run(\"cat\", [\"/dev/zero\"])"};
  long before = megabytes_at_most();
  for (size_t n = 0; n < sizeof reads / sizeof *reads; n++) {
    char text[256];
    snprintf(text, sizeof text,
             "import \"os\"\n_, err := try(func() => %s)\n"
             "println(err)",
             reads[n]);
    CspConfig config = limited((int)n % PROCS);
    config.allowed = CSP_FILES | CSP_PROCESSES;
    expect_output(config, text, "out of memory: the limit is 8 MB\n");
  }
  long grown = megabytes_at_most() - before;
  if (!SANITIZED && grown > (MEMORY >> 20) + BESIDES_MB)
    fail_msg("the process has grown by %ld MB", grown);
}

// --- Each limit -------------------------------------------------------------
// From the least with which a runtime starts, by as much as the heap takes at
// once: a script ends, or is out of memory. What fits before the memory is full
// fits after it; with several Ps perhaps not at once, as each keeps some, and
// collections in vain are not made all the time.
static const char saturates[] =
    "import \"sched\"\n"
    "struct P { name = \"\", next = nil }\n"
    "func build(n) {\n"
    "  xs := []\n  m := {}\n  s := \"\"\n  p := nil\n  c := chan(4)\n"
    "  for i in n {\n"
    "    xs.push([i, \"text ${i}\"])\n    m[\"key ${i}\"] = i * 1.5\n"
    "    s += \"piece \"\n    p = P(\"p${i}\", p)\n"
    "  }\n"
    "  group g {\n"
    "    go {\n      for i in n { c <- [i] }\n      close(c)\n    }\n"
    "    go {\n      for v in c { xs.push(v) }\n    }\n"
    "  }\n"
    "  ts := []\n"
    "  for i in n / 10 {\n"
    "    ts.push(go func() {\n      sched.yield()\n      return i\n    }())\n"
    "  }\n"
    "  for t in ts { xs.push(<-t) }\n"
    "  return len(xs) + len(m) + len(s)\n"
    "}\n"
    "func fits() { return <-(go build(10)) }\n"
    "func tries() {\n"
    "  n := 0\n"
    "  for {\n"
    "    v, err := try(fits)\n    if err == nil { return n }\n    n++\n"
    "  }\n"
    "}\n"
    "func fill() {\n"
    "  xs := []\n  for { xs.push(\"text ${len(xs)}\".repeat(3)) }\n"
    "}\n"
    "func fill_tasks() {\n"
    "  c := chan()\n  defer close(c)\n  for { go { <-c } }\n"
    "}\n"
    "for n in [100, 1000] { _ = try(build, n) }\n"
    "again := 0\nif roomy { again = tries() }\n"
    "for f in [fill, fill_tasks] {\n"
    "  _, err := try(f)\n"
    "  for sched.goroutines() > 1 { sched.yield() }\n"
    "  if !str(err).contains(\"out of memory\") { panic(err) }\n"
    "  if roomy { again += tries() }\n"
    "}\n"
    "println(again)\n";

// NULL: it does not start.
static Csp *start_limited(Host *host, int n, uint64_t memory) {
  CspConfig config = limited(n);
  memset(host, 0, sizeof *host);
  pthread_mutex_init(&host->lock, NULL);
  config.max_memory = memory;
  config.write_out = host_out;
  config.write_err = host_err;
  config.write_arg = host;
  Csp *csp = csp_new(&config);
  if (csp == NULL) return NULL;
  csp_install_language(csp);
  if (csp_install_library(csp)) return csp;
  csp_free(csp);
  return NULL;
}

static void saturate(Host *host, int n, bool roomy) {
  char text[sizeof saturates + 32];
  snprintf(text, sizeof text, "const roomy = %s\n%s", roomy ? "true" : "false",
           saturates);
  int status = host_run(host, text);
  bool exact = roomy && procs[n] == 1;
  bool good = status == 0 || strstr(host->err, "out of memory") != NULL;
  if (exact) good = status == 0 && strcmp(host->out, "0\n") == 0;
  if (!good) fail_msg("%d\n%s%s", status, host->out, host->err);
}

static void every_limit_of_memory_ends(void **state) {
  (void)state;
  enum { ROOMY = 2 << 20, MORE = 4 << 20 };
  uint64_t step = (SANITIZED || is_short() ? 256 : 64) << 10, least = 0;
  for (uint64_t m = step; least == 0 || m <= least + MORE; m += step) {
    for (int n = 0; n < PROCS; n++) {
      Host host;
      host.csp = start_limited(&host, n, m);
      if (host.csp == NULL) continue;
      if (least == 0) least = m;
      saturate(&host, n, m >= least + ROOMY);
      host_close(&host);
    }
  }
}

// --- A native's own view ----------------------------------------------------
static CspStatus room(CspCall *call) {
  return csp_ok_int(call,
                    csp_room(call) > INT64_MAX ? -1 : (int64_t)csp_room(call));
}

// Counts its calls in its argument, then wants too much.
static CspStatus counts(CspCall *call) {
  CspValue list = csp_arg(call, 0);
  csp_list_set(call, list, 0,
               csp_int(call, csp_to_int(csp_list_get(list, 0)) + 1));
  char *data;
  return csp_ok(call, csp_string_room(call, 1 << 30, &data));
}

// 1.7 MB, where the limit is 8. Nothing holds it.
static CspValue make(CspCall *call) {
  char *data;
  CspValue v = csp_bytes_room(call, 27 << 16, &data);
  if (csp_is_undef(v) && csp_make_room(call))
    v = csp_bytes_room(call, 27 << 16, &data);
  return v;
}

// How often there was memory. The argument stays.
static CspStatus rooms(CspCall *call) {
  int64_t got = 0;
  for (int n = 0; n < 30; n++) got += !csp_is_undef(make(call));
  assert_int_equal(csp_list_len(csp_arg(call, 0)), 3);
  return csp_ok_int(call, got);
}

// What is held fills the memory, so one collection is in vain, and no more are
// made.
static CspStatus full_rooms(CspCall *call) {
  CspHandle held[4];
  for (int n = 0; n < 4; n++) held[n] = csp_hold(call, make(call));
  bool refused = csp_is_undef(make(call)) && !csp_make_room(call);
  for (int n = 0; n < 4; n++) csp_release(csp_of(call), held[n]);
  return csp_ok_bool(call, refused);
}

static const CspFunction functions[] = {{"room", "", room},
                                        {"rooms", "list", rooms},
                                        {"full_rooms", "", full_rooms},
                                        {"once", "counter", counts},
                                        CSP_REPEATABLE,
                                        {"twice", "counter", counts},
                                        {NULL, NULL, NULL}};
static const CspModule module = {.path = "own", .functions = functions};

static void a_native_that_goes_on_has_room_made(void **state) {
  (void)state;
  Host host;
  host_open(&host, limited(0));
  assert_true(csp_register(host.csp, &module));
  assert_int_equal(host_run(&host,
                            "import \"own\"\n"
                            "println(own.rooms([1, 2, 3]), own.full_rooms(),\n"
                            "        own.rooms([1, 2, 3]))\n"),
                   0);
  assert_string_equal(host.out, "30 true 30\n");
  host_close(&host);
}

static void natives_are_called_again_only_if_they_say_so(void **state) {
  (void)state;
  Host host;
  host_open(&host, limited(0));
  assert_true(csp_register(host.csp, &module));
  assert_int_equal(host_run(&host,
                            "import \"own\"\n"
                            "for f in [own.once, own.twice] {\n"
                            "  n := [0]\n"
                            "  _, err := try(f, n)\n"
                            "  println(n[0], err)\n"
                            "}\n"
                            "room := own.room()\n"
                            "println(room > 1000000, room <= 8388608)\n"
                            "xs := []\n"
                            "_ = try(func() { for { xs.push(1) } })\n"
                            "println(own.room() >= 65536)\n"),
                   0);
  assert_string_equal(host.out,
                      "1 out of memory: the limit is 8 MB\n"
                      "2 out of memory: the limit is 8 MB\n"
                      "true true\ntrue\n");
  host_close(&host);
  host_open(&host, (CspConfig){.procs = 1});
  assert_true(csp_register(host.csp, &module));
  assert_int_equal(host_run(&host, "import \"own\"\nprintln(own.room())"), 0);
  assert_string_equal(host.out, "-1\n");
  host_close(&host);
}

// --- Output -----------------------------------------------------------------
typedef struct Flood {
  pthread_mutex_t lock;
  Csp *csp;
  uint64_t bytes;
} Flood;

// Takes its time; interrupts the script when it has seen enough.
static void swallow(void *arg, const char *data, size_t len) {
  (void)data;
  Flood *flood = arg;
  struct timespec nap = {0, 1000000};
  nanosleep(&nap, NULL);
  pthread_mutex_lock(&flood->lock);
  flood->bytes += len;
  if (flood->bytes > 20000000) csp_interrupt(flood->csp);
  pthread_mutex_unlock(&flood->lock);
}

static void output_that_nobody_takes_does_not_pile_up(void **state) {
  (void)state;
  static const char text[] =
      "s := \"x\".repeat(100000)\n"
      "for i in 1000 { go func() { for { println(s) } }() }\nsleep(1h)";
  // They outlive the test. A thread that is in swallow may be stuck there for
  // longer than csp_free waits.
  static Flood floods[PROCS];
  long before = megabytes_at_most();
  for (int n = 0; n < PROCS; n++) {
    Flood *flood = &floods[n];
    pthread_mutex_init(&flood->lock, NULL);
    CspConfig config = limited(n);
    config.write_out = config.write_err = swallow;
    config.write_arg = flood;
    flood->csp = csp_new(&config);
    csp_install_language(flood->csp);
    assert_true(csp_install_library(flood->csp));
    int status;
    csp_run(flood->csp, "host.csp", text, sizeof text - 1, &status);
    assert_int_equal(status, 130);
    csp_free(flood->csp);
  }
  long grown = megabytes_at_most() - before;
  if (!SANITIZED && grown > (MEMORY >> 20) + BESIDES_MB)
    fail_msg("the process has grown by %ld MB", grown);
}

// --- Stacks -----------------------------------------------------------------
// How deep f gets with so much; what comes then. And again: nothing is lost.
static int depth_within(uint64_t bytes) {
  static const char text[] =
      "func f(n) {\n  if n == 0 { return 0 }\n  return f(n - 1) + 1\n}\n"
      "func deepest() {\n"
      "  for n := 100; ; n++ {\n"
      "    _, err := try(f, n)\n    if err != nil { return n - 1, err }\n"
      "  }\n"
      "}\n"
      "for round in 2 {\n  n, err := deepest()\n  println(n, err)\n}\n";
  Host host;
  char expected[256];
  host_open(&host, (CspConfig){.procs = 1, .max_stack = bytes});
  int status = host_run(&host, text), depth = atoi(host.out);
  snprintf(expected, sizeof expected,
           "%d stack overflow: the stack's limit is reached\n"
           "%d stack overflow: the stack's limit is reached\n",
           depth, depth);
  if (status != 0 || strcmp(host.out, expected) != 0)
    fail_msg("%d bytes: %d\n%s%s", (int)bytes, status, host.out, host.err);
  host_close(&host);
  return depth;
}

// One word less than a call needs, just enough, one more: each further call
// fits with as many words as the one before it.
static void stacks_end_at_their_limit(void **state) {
  (void)state;
  enum { BYTES = 16 << 10, WORD = 8, CALLS = 3 };
  int words[CALLS + 1] = {0}, deepest = depth_within(BYTES), call = -1;
  for (uint64_t bytes = BYTES + WORD; call < CALLS; bytes += WORD) {
    int depth = depth_within(bytes);
    assert_in_range(depth, deepest, deepest + 1);
    if (depth > deepest) call++;
    if (call >= 0 && call < CALLS) words[call]++;
    deepest = depth;
  }
  assert_in_range(words[0], 3, 32);
  assert_int_equal(words[1], words[0]);
  assert_int_equal(words[2], words[0]);
}

// --- Goroutines -------------------------------------------------------------
static CspConfig goroutines(int n, uint64_t most) {
  return (CspConfig){.procs = procs[n], .max_goroutines = most};
}

static void too_many_goroutines_panic(void **state) {
  (void)state;
  static const char *const scripts[] = {
      "for { go func() { sleep(1h) }() }",
      "func f() { go f()\ngo f() }\nf()\nsleep(1h)",
      "ts := []\nfor { ts.push(go func() { sleep(1h) }()) }",
      "func f(args...) { sleep(1h) }\nfor { go f([1, 2]...) }",
      "cs := []\nfor { c := chan()\ncs.push(c)\ngo func() { <-c }() }",
      "for { go func() { group g { go func() { sleep(1h) }() } }() }",
      "import \"sched\"\nfor { sched.background(func() { sleep(1h) }) }",
  };
  for (size_t n = 0; n < sizeof scripts / sizeof *scripts; n++)
    for (int p = 0; p < PROCS; p++)
      expect_end(goroutines(p, 100), scripts[n], 1,
                 "too many goroutines: the limit is 100\n");
}

// The main one is one of them. What ended, and what can never run again, makes
// room.
static void goroutines_are_counted(void **state) {
  (void)state;
  static const char text[] =
      "stop := chan()\n"
      "func bomb() {\n"
      "  n := 0\n"
      "  _, err := try(func() { for { go func() { <-stop }()\nn++ } })\n"
      "  println(n, err)\n"
      "}\n"
      "bomb()\n"
      "close(stop)\n"
      "import \"sched\"\n"
      "for sched.goroutines() > 1 { sched.yield() }\n"
      "for i in 2000 { <-(go func() { return i }()) }\n"
      "for i in 2000 { go func() { <-chan() }()\nsched.yield() }\n"
      "println(\"alive\")\n";
  for (int n = 0; n < PROCS; n++)
    expect_output(goroutines(n, 50), text,
                  "49 too many goroutines: the limit is 50\nalive\n");
}

static void several_ps_count_together(void **state) {
  (void)state;
  static const char text[] =
      "done := chan(8)\nstop := chan()\nstarted := chan(100000)\n"
      "begin := chan()\n"
      "for i in 8 { go func() {\n"
      "  <-begin\n  _ = try(func() { for { go func() { started <- 1\n<-stop "
      "}() } "
      "})\n"
      "  done <- 1\n"
      "}() }\n"
      "close(begin)\n"
      "for i in 8 { <-done }\n"
      "import \"sched\"\n"
      "n := sched.goroutines()\n"
      "println(n <= 1000 + 7, n > 900)\n";
  for (int n = 0; n < PROCS; n++)
    expect_output(goroutines(n, 1000), text, "true true\n");
}

// --- Forced collections -----------------------------------------------------
// Marking much takes long, a refusal does not: were each one to collect, there
// would be 300 collections, and 600 for memory (once to try again, once when
// the panic has ended). Then what made no room is let go, and the next tries
// find it. (The starts are refused to a goroutine of their own: no register of
// the main one holds a channel of theirs.)
//
// Half of the time may be spent so. Where the machine gives the process little
// of it each collection seems cheap: one round of several has to have few.
#define REFUSED                                                   \
  "import \"sched\"\n"                                            \
  "many := []\nfor i in 100000 { many.push([i]) }\n"              \
  "func refused_with(f) {\n"                                      \
  "  before := sched.stats().collections\n"                       \
  "  n := 0\n"                                                    \
  "  for i in 300 {\n"                                            \
  "    _, err := try(f)\n    if err != nil { n++ }\n"             \
  "  }\n"                                                         \
  "  assert(n == 300)\n"                                          \
  "  return sched.stats().collections - before\n"                 \
  "}\n"                                                           \
  "func refused(f) {\n"                                           \
  "  few := false\n"                                              \
  "  for i in 8 { few = few || refused_with(f) < 150 }\n"         \
  "  println(300, few)\n"                                         \
  "}\n"                                                           \
  "func until_it_fits(f) {\n"                                     \
  "  for {\n    _, err := try(f)\n    if err == nil { return }\n" \
  "  }\n"                                                         \
  "}\n"

static void refusals_do_not_collect_all_the_time(void **state) {
  (void)state;
  static const char starts[] = REFUSED
      "stop := chan()\n"
      "func start() {\n  c := stop\n  go { <-c }\n}\n"
      "<-(go func() {\n"
      "  _ = try(func() { for { start() } })\n"
      "  refused(start)\n"
      "}())\n"
      "stop = chan()\n"
      "for i in 100 { until_it_fits(start)\nstop = chan() }\n"
      "println(\"alive\")\n";
  static const char memory[] = REFUSED
      "func bomb() { return \"x\".repeat(1000000000) }\n"
      "refused(bomb)\n"
      "kept := \"x\".repeat(20000000)\n"
      "for i in 10 {\n"
      "  refused(bomb)\n"
      "  kept = nil\n"
      "  until_it_fits(func() { kept = \"x\".repeat(20000000) })\n"
      "}\n"
      "println(\"alive\")\n";
  for (int n = 0; n < PROCS; n++) {
    expect_output(goroutines(n, 20), starts, "300 true\nalive\n");
    CspConfig config = limited(n);
    config.max_memory = 40 << 20;
    expect_output(config, memory,
                  "300 true\n300 true\n300 true\n300 true\n300 true\n"
                  "300 true\n300 true\n300 true\n300 true\n300 true\n"
                  "300 true\nalive\n");
  }
}

int main(void) {
  // Not CSPDEBUG's gcstress: see limited().
  unsetenv("CSPDEBUG");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_script_that_takes_all_memory_panics),
      cmocka_unit_test(a_huge_panic_is_shown_in_part),
      cmocka_unit_test(what_was_let_go_can_be_used_again),
      cmocka_unit_test(garbage_does_not_count),
      cmocka_unit_test(the_limit_is_near_what_can_be_used),
      cmocka_unit_test(every_limit_of_memory_ends),
      cmocka_unit_test(a_text_too_large_to_compile_is_refused),
      cmocka_unit_test(what_is_read_is_limited),
      cmocka_unit_test(natives_are_called_again_only_if_they_say_so),
      cmocka_unit_test(a_native_that_goes_on_has_room_made),
      cmocka_unit_test(output_that_nobody_takes_does_not_pile_up),
      cmocka_unit_test(stacks_end_at_their_limit),
      cmocka_unit_test(too_many_goroutines_panic),
      cmocka_unit_test(goroutines_are_counted),
      cmocka_unit_test(several_ps_count_together),
      cmocka_unit_test(refusals_do_not_collect_all_the_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
