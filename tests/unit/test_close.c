// SPDX-License-Identifier: MIT
// Runtimes that are closed in every state: what goroutines wait for, or do,
// times how the run ends. Nothing is left: no thread, no descriptor, no memory
// (failing.h counts it). A thread that is in a blocking call which does not end
// is the one exception: csp_free says so, and the thread frees the rest when it
// comes back.
#include <setjmp.h>

#include "failing.h"
#include "vm/interp/native_call.h"

#include <cmocka.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>

#include "config_fixture.h"
#include "short.h"
#include "vm/csp.h"

// --- What a process has -----------------------------------------------------
static int count_descriptors(void) {
  DIR *dir = __real_opendir("/proc/self/fd");
  int count = 0;
  while (readdir(dir) != NULL) count++;
  closedir(dir);
  return count;
}

// As the kernel counts them: its list of /proc/self/task ends early where a
// thread exits while it is read.
static int count_threads(void) {
  char text[4096];
  int fd = __real_open("/proc/self/status", O_RDONLY);
  ssize_t len = read(fd, text, sizeof text - 1);
  close(fd);
  assert_true(len > 0);
  text[len] = '\0';
  const char *line = strstr(text, "\nThreads:");
  assert_non_null(line);
  return atoi(line + strlen("\nThreads:"));
}

typedef struct Usage {
  int threads, descriptors;
} Usage;

static Usage usage_now(void) {
  return (Usage){count_threads(), count_descriptors()};
}

// A joined thread may be in /proc a moment longer.
static void check_nothing_left(const char *what, const char *how,
                               Usage before) {
  while (count_threads() > before.threads) sched_yield();
  assert_int_equal(usage_now().threads, before.threads);
  if (usage_now().descriptors != before.descriptors)
    fail_msg("%s, %s: %d descriptors left", what, how,
             usage_now().descriptors - before.descriptors);
  if (fail_leaks() != 0) fail_msg("%s, %s: memory left", what, how);
}

// --- A host -----------------------------------------------------------------
// The calls of `stuck` and `ready` wait for this pipe.
static int pipe_ends[2];
static _Atomic int in_calls, calls_done, finalized;

static void open_pipe(void) { assert_int_equal(__real_pipe2(pipe_ends, 0), 0); }

static void close_end(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static void wait_for_end(void *data) {
  in_calls++;
  char byte;
  while (read(pipe_ends[0], &byte, 1) < 0 && errno == EINTR) continue;
  *(int *)data = 1;
}

static CspStatus call_done(CspCall *call, void *data, bool made) {
  free(data);
  calls_done++;
  if (!made) return csp_panic(call, "stuck: %s", csp_no_thread());
  return csp_ok(call, csp_string(call, "back", 4));
}

static CspStatus stuck(CspCall *call) {
  int *data = calloc(1, sizeof *data);
  return csp_block(call, wait_for_end, call_done, data);
}

static CspStatus stuck_slow(CspCall *call) {
  int *data = calloc(1, sizeof *data);
  return csp_block_slow(call, wait_for_end, call_done, data);
}

static void short_nap(void *data) {
  struct timespec nap = {0, 1000000};
  nanosleep(&nap, NULL);
  *(int *)data = 1;
}

static CspStatus nap(CspCall *call) {
  return csp_block_slow(call, short_nap, call_done, calloc(1, sizeof(int)));
}

typedef struct Ready {
  CspWait wait;
} Ready;

static void touch(void *data) { ((Ready *)data)->wait.desc = NULL; }

// Each time a little later.
static CspStatus not_yet(CspCall *call, void *data, bool made) {
  if (made) return csp_block_after(call, 50000, short_nap, not_yet, data);
  return call_done(call, data, false);
}

static CspStatus later(CspCall *call) {
  int *data = calloc(1, sizeof *data);
  return csp_block_after(call, 1000, short_nap, not_yet, data);
}

static CspStatus ready(CspCall *call) {
  Ready *data = calloc(1, sizeof *data);
  data->wait.fd = pipe_ends[0];
  return csp_block_fd(call, &data->wait, touch, call_done, data);
}

static void count_finalized(void *data) {
  (void)data;
  finalized++;
}

static const CspClass thing_class = {"thing", count_finalized, 16, NULL};

static CspStatus calls(CspCall *call) { return csp_ok_int(call, in_calls); }

static CspStatus thing(CspCall *call) {
  return csp_ok(call, csp_host_new(call, &thing_class, NULL));
}

static const CspFunction functions[] = {
    {"stuck", "", stuck}, {"stuck_slow", "", stuck_slow},
    {"nap", "", nap},     {"later", "", later},
    {"ready", "", ready}, {"thing", "", thing},
    {"calls", "", calls}, {NULL, NULL, NULL}};
static const CspModule host = {"host", functions, NULL, NULL, 0};

static char said[4096];  // the first that came on standard error

static void ignore(void *arg, const char *data, size_t len) {
  (void)arg, (void)data, (void)len;
}

static void keep(void *arg, const char *data, size_t len) {
  (void)arg;
  if (said[0] == '\0') snprintf(said, sizeof said, "%.*s", (int)len, data);
}

static Csp *open_runtime(int procs, int max_threads) {
  CspConfig config;
  test_config(&config);
  config.allowed = CSP_ALL;
  config.procs = procs;
  config.max_threads = max_threads;
  config.write_out = ignore;
  config.write_err = keep;
  said[0] = '\0';
  Csp *csp = csp_new(&config);
  assert_non_null(csp);
  csp_install_language(csp);
  assert_true(csp_install_library(csp));
  assert_true(csp_register(csp, &host));
  assert_true(csp_register_class(csp, &thing_class, NULL));
  return csp;
}

static int run(Csp *csp, const char *text) {
  int status = -1;
  csp_run(csp, "close.csp", text, strlen(text), &status);
  return status;
}

// --- Every wait, every end --------------------------------------------------
typedef struct Wait {
  const char *name;
  const char *text;  // starts goroutines that wait
  int max_threads;
} Wait;

static const Wait waits[] = {
    {"nothing", "", 0},
    {"send", "for i in 3 { go { chan() <- i } }", 0},
    {"receive", "c := chan()\nfor i in 3 { go { <-c } }", 0},
    {"full channel", "c := chan(2)\ngo { for i in 9 { c <- \"x\" + str(i) } }",
     0},
    {"select",
     "c := chan()\nfor i in 3 { go { select {\ncase <-c:\ncase c <- i + 9:\n"
     "case <-after(100s):\n} } }\ngo { select { } }",
     0},
    {"select of a list",
     "c := chan()\ngo sched.select([[c], [c, 1], [after(100s)]])", 0},
    {"sleep", "for i in 3 { go sleep(100s) }", 0},
    {"after and tick",
     "a := after(100s)\nt := tick(1us)\ngo { <-a }\ngo { for x in t { } }", 0},
    {"task", "t := go sleep(100s)\nfor i in 3 { go { <-t } }", 0},
    {"failed task", "t := go func() { panic([1, {a: \"b\"}]) }()", 0},
    {"end of a group",
     "go func() { group g { go sleep(100s)\ngroup h { go sleep(100s) } } }()",
     0},
    {"cancelled group",
     "go func() { group g { g.grace(100s)\ngo { defer sleep(50s)\n"
     "sleep(100s) }\nsched.yield()\ng.cancel() } }()",
     0},
    {"group that fails",
     "go func() { group g { go { defer sleep(50s)\nsleep(100s) }\n"
     "sleep(1us)\npanic(error(\"x\", cause: error(\"y\"))) } }()",
     0},
    {"deferred call",
     "c := chan()\ngo { defer func() { <-c }()\ndefer sleep(1us) }"
     "\ngo { defer func() { recover()\n<-c }()\npanic(\"x\") }",
     0},
    {"pending panics",
     "c := chan()\nt := go func() { defer func() { <-c }()\n"
     "defer func() { panic(\"y\") }()\npanic(\"x\") }()",
     0},
    {"call that comes back", "for i in 4 { go host.nap() }", 0},
    {"call without a thread", "for i in 4 { t := go host.nap() }", 2},
    {"descriptor", "for i in 4 { go host.ready() }", 0},
    {"calls that come later", "for i in 4 { go host.later() }", 0},
    {"standard input", "t := go os.stdin.read_line()", 0},
    {"program", "t := go os.run(\"sleep\", [\"100\"])", 0},
    {"reading of a file",
     "f := os.temp_file()?\nw := os.open(f, \"w\")?\nw.truncate(1000000000)\n"
     "w.close()\ngo os.read_file(f)\ngo os.open(f)?.read(500000000)",
     0},
    {"copying", "go os.copy_file(\"/dev/zero\", \"/dev/null\")", 0},
    {"writing",
     "s := \"x\".repeat(8000000)\ngo os.write_file(\"/dev/null\", s)\n"
     "go os.open(\"/dev/null\", \"w\")?.write(s, bytes(s))",
     0},
    {"file",
     "f := os.open(\"/dev/null\", \"r+\")?\nf.write(\"x\")\nc := chan()\n"
     "go { f.write(\"y\")\n<-c }",
     0},
    {"host's values", "xs := []\nfor i in 9 { xs.push(host.thing()) }", 0},
    {"endless loops", "for i in 5 { go { for { } } }", 0},
    {"endless starts", "func f() { go f() }\ngo f()", 0},
    {"deep stacks",
     "func f(n) { if n == 0 { sleep(100s) }\nf(n - 1)\nreturn 1 }\ngo f(500)",
     0},
    {"background", "sched.background(func() { sleep(100s) })", 0},
    {"much output", "go { for { println(\"some output\") } }", 0},
    {"collections", "go { for { sched.gc() } }", 0},
};
enum { WAITS = sizeof waits / sizeof waits[0] };

typedef struct End {
  const char *name;
  const char *text;
  int status;
} End;

static const End ends[] = {
    {"main returns", "", 0},
    {"exit", "os.exit(7)", 7},
    {"panic", "panic(\"over\")", 1},
    {"error", "error(\"over\")?", 1},
    {"panic elsewhere", "go { panic(\"over\") }\nsleep(100s)", 1},
    {"exit elsewhere", "go { os.exit(7) }\nfor { }", 7},
    {"panic in a group", "group { go { panic(\"over\") }\nsleep(100s) }", 1},
};
enum { ENDS = sizeof ends / sizeof ends[0] };

static void run_and_close(const Wait *wait, const End *end, int procs) {
  char text[1024];
  snprintf(text, sizeof text,
           "import \"os\"\nimport \"sched\"\nimport \"host\"\n%s\n"
           "sched.yield()\nsleep(100us)\n%s\n",
           wait->text, end->text);
  Usage before = usage_now();
  open_pipe();
  Csp *csp = open_runtime(procs, wait->max_threads);
  int status = run(csp, text);
  if (status != end->status)
    fail_msg("%s, %s: status %d\n%s", wait->name, end->name, status, said);
  fail_free_all(csp);
  close_end(&pipe_ends[0]);
  close_end(&pipe_ends[1]);
  check_nothing_left(wait->name, end->name, before);
}

static void every_wait_and_every_end(void **state) {
  (void)state;
  for (int w = 0; w < WAITS; w++)
    for (int e = 0; e < ENDS; e++)
      run_and_close(&waits[w], &ends[e], 1 + (w + e) % 4);
}

// --- Ends from outside, and none --------------------------------------------
static void *interrupt(void *csp) {
  struct timespec soon = {0, 2000000};
  nanosleep(&soon, NULL);
  csp_interrupt(csp);
  return NULL;
}

static void an_interrupt_ends_it(void **state) {
  (void)state;
  for (int w = 0; w < WAITS; w++) {
    char text[1024];
    snprintf(text, sizeof text,
             "import \"os\"\nimport \"sched\"\nimport \"host\"\n%s\n"
             "for { }\n",
             waits[w].text);
    Usage before = usage_now();
    open_pipe();
    Csp *csp = open_runtime(1 + w % 4, waits[w].max_threads);
    pthread_t thread;
    pthread_create(&thread, NULL, interrupt, csp);
    assert_int_equal(run(csp, text), 130);
    pthread_join(thread, NULL);
    fail_free_all(csp);
    close_end(&pipe_ends[0]);
    close_end(&pipe_ends[1]);
    check_nothing_left(waits[w].name, "interrupt", before);
  }
}

static void a_deadlock_ends_it(void **state) {
  (void)state;
  static const char *const texts[] = {
      "c := chan()\nfor i in 3 { go { defer func() { <-c }() } }\n<-c",
      "t := go func() { select { } }()\ngroup { go { <-t } }",
      "group { go { defer func() { <-chan() }()\npanic(\"x\") }\n<-chan() }"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    Usage before = usage_now();
    Csp *csp = open_runtime(2, 0);
    assert_int_equal(run(csp, texts[i]), 1);
    assert_int_equal(csp_free(csp), 0);
    check_nothing_left(texts[i], "deadlock", before);
  }
}

static void what_never_ran_is_closed(void **state) {
  (void)state;
  char *messages;
  Usage before = usage_now();
  assert_int_equal(csp_free(NULL), 0);
  csp_free(open_runtime(4, 0));
  check_nothing_left("no script", "at once", before);
  Csp *csp = open_runtime(2, 0);
  assert_int_equal(run(csp, "import \"os\"\nfunc f( { }\nx := nope"), 2);
  csp_free(csp);
  check_nothing_left("errors", "not compiled", before);
  csp = open_runtime(2, 0);
  static const char good[] = "import \"maps\"\nprintln(maps.keys({a: 1}))";
  assert_true(csp_check(csp, "a.csp", good, sizeof good - 1, &messages));
  assert_false(csp_check(csp, "b.csp", "x := (", 6, &messages));
  free(messages);
  csp_interrupt(csp);
  csp_free(csp);
  check_nothing_left("checked", "interrupted", before);
  csp = open_runtime(2, 0);
  csp_interrupt(csp);
  assert_int_equal(run(csp, "sleep(100s)"), 130);
  csp_free(csp);
  check_nothing_left("interrupted", "before it ran", before);
}

// --- Threads that do not come back ------------------------------------------
static void close_with_stuck_calls(const char *call, int count, int threads,
                                   const char *end) {
  char text[512];
  snprintf(text, sizeof text,
           "import \"host\"\nimport \"os\"\nxs := [host.thing()]\n"
           "for i in %d { go { x := host.thing()\n%s\nxs.push(x) } }\n"
           "for host.calls() < %d { sleep(100us) }\n%s\n",
           count, call, threads, end);
  Usage before = usage_now();
  open_pipe();
  in_calls = calls_done = finalized = 0;
  Csp *csp = open_runtime(2, 0);
  run(csp, text);
  int left = csp_free(csp);
  assert_int_equal(left, threads);
  assert_true(failing.live > 0);
  assert_int_equal(finalized, 0);
  close_end(&pipe_ends[1]);
  while (count_threads() > before.threads) sched_yield();
  assert_int_equal(fail_leaks(), 0);
  close_end(&pipe_ends[0]);
  check_nothing_left(call, end, before);
  assert_in_range(calls_done, left, count);  // the others had not begun
  assert_in_range(finalized, left + 1, count + 1);
}

static void the_last_stuck_thread_frees_the_rest(void **state) {
  (void)state;
  close_with_stuck_calls("host.stuck()", 1, 1, "");
  close_with_stuck_calls("host.stuck()", 3, 3, "os.exit(1)");
  close_with_stuck_calls("host.stuck_slow()", 3, 3, "panic(1)");
}

// It waits in a thread, as no descriptor is left to watch with. Nothing ends
// that wait but the end of the run.
static void a_wait_without_a_descriptor_ends(void **state) {
  (void)state;
  static const char text[] =
      "import \"host\"\nimport \"os\"\nimport \"sched\"\nfiles := []\n"
      "for {\n  file, err := os.open(\"/dev/null\")\n"
      "  if err != nil { break }\n  files.push(file)\n}\n"
      "go host.ready()\n"
      "for !sched.dump().contains(\"ready]\") { sleep(1ms) }\n";
  struct rlimit most, few;
  open_pipe();
  Usage before = usage_now();
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &most), 0);
  few = (struct rlimit){64, most.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
  Csp *csp = open_runtime(2, 0);
  assert_int_equal(run(csp, text), 0);
  csp_free(csp);
  check_nothing_left("wait without a descriptor", "at the end", before);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &most), 0);
  close_end(&pipe_ends[0]);
  close_end(&pipe_ends[1]);
}

// The places for calls are taken: the others wait for one.
static void calls_that_wait_for_a_place(void **state) {
  (void)state;
  close_with_stuck_calls("host.stuck_slow()", 530, 512, "");
}

// --- Many -------------------------------------------------------------------
static void a_thousand_in_a_row(void **state) {
  (void)state;
  Usage before = usage_now();
  for (int i = 0; i < rounds(250, 1000); i++) {
    Csp *csp = open_runtime(1 + i % 3, 0);
    assert_int_equal(run(csp,
                         "c := chan()\nfor i in 5 { go { c <- [i] } }\n"
                         "for i in 5 { <-c }\ngo sleep(100s)"),
                     0);
    assert_int_equal(csp_free(csp), 0);
    check_nothing_left("one of 1000", "main returns", before);
  }
}

typedef struct One {
  pthread_t thread;
  Csp *csp;
  int number, status;
  char out[64];
} One;

static void take(void *arg, const char *data, size_t len) {
  One *one = arg;
  size_t have = strlen(one->out);
  if (len >= sizeof one->out - have) len = sizeof one->out - have - 1;
  memcpy(one->out + have, data, len);
  one->out[have + len] = '\0';
}

static void open_one(One *one, int number) {
  CspConfig config;
  test_config(&config);
  config.allowed = CSP_ALL;
  config.procs = 1 + number % 3;
  config.write_out = config.write_err = take;
  config.write_arg = one;
  *one = (One){.number = number, .csp = csp_new(&config)};
  assert_non_null(one->csp);
  csp_install_language(one->csp);
  assert_true(csp_install_library(one->csp));
}

static void *run_one(void *arg) {
  One *one = arg;
  char text[256];
  snprintf(text, sizeof text,
           "c := chan()\nfor i in 20 { go { c <- i * %d } }\nsum := 0\n"
           "for i in 20 { sum += <-c }\nprintln(sum)",
           one->number);
  one->status = run(one->csp, text);
  return NULL;
}

static void sixteen_at_once(void **state) {
  (void)state;
  enum { COUNT = 16 };
  static One all[COUNT];
  Usage before = usage_now();
  for (int i = 0; i < COUNT; i++) open_one(&all[i], i);
  for (int i = 0; i < COUNT; i++)
    pthread_create(&all[i].thread, NULL, run_one, &all[i]);
  for (int i = 0; i < COUNT; i++) {
    char wanted[32];
    pthread_join(all[i].thread, NULL);
    snprintf(wanted, sizeof wanted, "%d\n", 190 * i);
    assert_int_equal(all[i].status, 0);
    assert_string_equal(all[i].out, wanted);
    assert_int_equal(csp_free(all[i].csp), 0);
  }
  check_nothing_left("16", "at once", before);
}

// A native function that opens, runs and closes another runtime.
static CspStatus inner(CspCall *call) {
  One one;
  open_one(&one, 3);
  run_one(&one);
  csp_free(one.csp);
  return csp_ok_string(call, one.out, strlen(one.out));
}

static void one_inside_a_native_of_another(void **state) {
  (void)state;
  static const CspFunction only[] = {{"inner", "", inner}, {NULL, NULL, NULL}};
  static const CspModule module = {"other", only, NULL, NULL, 0};
  Usage before = usage_now();
  One outer;
  open_one(&outer, 1);
  assert_true(csp_register(outer.csp, &module));
  assert_int_equal(run(outer.csp,
                       "import \"other\"\nts := []\n"
                       "for i in 3 { ts.push(go other.inner()) }\n"
                       "for t in ts { print(<-t) }"),
                   0);
  assert_string_equal(outer.out, "570\n570\n570\n");
  assert_int_equal(csp_free(outer.csp), 0);
  check_nothing_left("one", "inside another", before);
}

static void *nothing(void *arg) { return arg; }

int main(void) {
  // Standard input that stays silent.
  int silent[2];
  if (__real_pipe2(silent, 0) != 0 || dup2(silent[0], STDIN_FILENO) < 0)
    return 1;
  // ThreadSanitizer's own thread comes with the first one.
  pthread_t thread;
  if (pthread_create(&thread, NULL, nothing, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_wait_and_every_end),
      cmocka_unit_test(an_interrupt_ends_it),
      cmocka_unit_test(a_deadlock_ends_it),
      cmocka_unit_test(what_never_ran_is_closed),
      cmocka_unit_test(the_last_stuck_thread_frees_the_rest),
      cmocka_unit_test(a_wait_without_a_descriptor_ends),
      cmocka_unit_test(calls_that_wait_for_a_place),
      cmocka_unit_test(a_thousand_in_a_row),
      cmocka_unit_test(sixteen_at_once),
      cmocka_unit_test(one_inside_a_native_of_another),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
