// SPDX-License-Identifier: MIT
// A host program's view: vm/csp.h from outside, several runtimes in a process.
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "embed_fixture.h"

static void output_goes_to_the_host(void **state) {
  (void)state;
  Host host;
  open_host(&host, 2);
  assert_int_equal(run(&host, "println(\"hello\", 1 + 2)"), 0);
  assert_string_equal(host.out, "hello 3\n");
  assert_string_equal(host.err, "");
  close_host(&host);
}

static void failures_are_reported_and_leave_the_host_running(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int status;
    const char *err;
  } cases[] = {
      {"panic(\"boom\")", 1, "panic: boom"},
      {"x := [1][5]", 1, "out of range"},
      {"println(nope)", 2, "nope"},
      {"<-chan()", 1, "deadlock"},
      {"import \"os\"\nos.exit(7)", 7, ""},
      {"go func() { panic(\"inner\") }()\nsleep(10s)", 1, "panic: inner"},
  };
  for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
    Host host;
    open_host(&host, 2);
    assert_int_equal(run(&host, cases[n].text), cases[n].status);
    if (strstr(host.err, cases[n].err) == NULL)
      fail_msg("case %zu: no \"%s\" in \"%s\"", n, cases[n].err, host.err);
    close_host(&host);
  }
}

// Standard streams that are closed when the runtime is made. A file that has
// such a number for a moment, before it is moved, got what was printed then.
static int child_without_streams(const char *victim) {
  close(STDOUT_FILENO);
  close(STDERR_FILENO);
  CspConfig config;
  test_config(&config);
  config.procs = 2;
  Csp *csp = csp_new(&config);
  if (csp == NULL) return 1;
  csp_install_language(csp);
  if (!csp_install_library(csp)) return 2;
  int fd = open(victim, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd != STDOUT_FILENO || dup(fd) != STDERR_FILENO) return 3;
  static const char script[] =
      "import \"fmt\"\n"
      "fmt.eprintln(\"a line\")\nprintln(\"another\")\npanic(\"boom\")\n";
  int status;
  csp_run(csp, "a.csp", script, sizeof script - 1, &status);
  csp_free(csp);
  struct stat info;
  return fstat(fd, &info) == 0 && info.st_size == 0 ? 0 : 4;
}

static void no_file_becomes_a_closed_stream(void **state) {
  (void)state;
  char victim[] = "/tmp/csp-victim-XXXXXX";
  int fd = mkstemp(victim);
  assert_true(fd >= 0);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) _exit(child_without_streams(victim));
  int how = 0;
  assert_int_equal(waitpid(pid, &how, 0), pid);
  close(fd);
  unlink(victim);
  assert_int_equal(how, 0);
}

// A bug once: the lexer read the byte after it.
static void a_text_needs_no_zero_byte_at_its_end(void **state) {
  (void)state;
  static const char script[] = "println(1)";
  Host host;
  open_host(&host, 1);
  size_t len = sizeof script - 1;
  char *text = malloc(len);
  memcpy(text, script, len);
  int status = -1;
  csp_run(host.csp, "host.csp", text, len, &status);
  free(text);
  assert_int_equal(status, 0);
  assert_string_equal(host.out, "1\n");
  close_host(&host);
}

// A bug once: a stepped runtime ran nothing and gave 0, and one with threads
// ended the host.
static void a_second_run_is_refused(void **state) {
  (void)state;
  const int procs[] = {STEPPED, 1, 2};
  for (size_t n = 0; n < sizeof procs / sizeof *procs; n++) {
    Host host;
    open_host(&host, procs[n]);
    assert_int_equal(run(&host, "println(1)"), 0);
    assert_int_equal(run(&host, "println(2)"), 2);
    assert_string_equal(host.out, "1\n");
    assert_non_null(strstr(host.err, "csp_run: this runtime has run a script"));
    close_host(&host);
  }
}

// --- Natives ----------------------------------------------------------------
static CspStatus host_add(CspCall *call) {
  int64_t a, b;
  if (!csp_need_int(call, 0, &a) || !csp_need_int(call, 1, &b))
    return CSP_PANIC;
  return csp_ok_int(call, a + b);
}

static CspStatus host_two(CspCall *call) {
  csp_return(call, csp_int(call, 1));
  return csp_ok(call, csp_string(call, "two", 3));
}

static void slow_work(void *data) {
  struct timespec nap = {0, 2000000};
  nanosleep(&nap, NULL);
  *(int *)data += 1;
}

static CspStatus slow_done(CspCall *call, void *data, bool made) {
  int value = *(int *)data;
  free(data);
  assert_true(made);
  int64_t argument;
  if (!csp_need_int(call, 0, &argument)) return CSP_PANIC;
  return csp_ok_int(call, value + argument);
}

static CspStatus host_slow(CspCall *call) {
  int *data = malloc(sizeof *data);
  *data = 41;
  return csp_block(call, slow_work, slow_done, data);
}

static const CspFunction host_functions[] = {
    {"add", "a, b", host_add},
    {"two", "", host_two},
    {"slow", "n", host_slow},
    {NULL, NULL, NULL},
};

static void host_init(CspCall *call, CspValue module) {
  csp_module_set(call, module, "answer", csp_int(call, 42));
}

// Its part in the language bears the name of the script, which is no cycle.
static const char host_source[] = "func twice(x) => add(x, x)\n";
static const CspModule host_module = {"host", host_functions, host_init,
                                      host_source, sizeof host_source - 1};

static void natives_can_be_called(void **state) {
  (void)state;
  Host host;
  open_host(&host, 2);
  assert_true(csp_register(host.csp, &host_module));
  assert_int_equal(run(&host,
                       "import \"host\"\n"
                       "println(host.add(1, b: 2), host.answer)\n"
                       "println(host.twice(4))\n"
                       "a, b := host.two()\n"
                       "println(a, b)\n"
                       "ts := []\n"
                       "for i in 20 { ts.push(go host.slow(i)) }\n"
                       "sum := 0\n"
                       "for t in ts { sum += <-t }\n"
                       "println(sum)\n"
                       "_, err := try(host.add, 1, \"x\")\n"
                       "println(err)\n"),
                   0);
  assert_string_equal(host.out,
                      "3 42\n8\n1 two\n1030\n"
                      "host.add: b must be an int, not string\n");
  close_host(&host);
}

// --- With threads or without ------------------------------------------------
static CspStatus is_stepped(CspCall *call) {
  return csp_ok_bool(call, csp_is_stepped(csp_of(call)));
}

typedef struct Asking {
  const Csp *csp;
  bool stepped;
} Asking;

static void ask(void *data) {
  Asking *asking = data;
  asking->stepped = csp_is_stepped(asking->csp);
}

static CspStatus asked(CspCall *call, void *data, bool made) {
  bool stepped = ((Asking *)data)->stepped;
  csp_alloc_free(data);
  return made ? csp_ok_bool(call, stepped) : csp_panic_memory(call);
}

// The same of work that another thread may do.
static CspStatus is_stepped_in_work(CspCall *call) {
  Asking *asking = csp_alloc(csp_of(call), NULL, sizeof *asking);
  if (asking == NULL) return csp_panic_memory(call);
  *asking = (Asking){.csp = csp_of(call)};
  return csp_block(call, ask, asked, asking);
}

static const CspFunction stepped_functions[] = {
    {"is", "", is_stepped},
    {"in_work", "", is_stepped_in_work},
    {NULL, NULL, NULL}};
static const CspModule stepped_module = {"stepped", stepped_functions, NULL,
                                         NULL, 0};
static const char stepped_script[] =
    "import \"stepped\"\n"
    "go { println(stepped.is(), stepped.in_work()) }\n";

static void natives_know_who_runs_them(void **state) {
  (void)state;
  Host host;
  open_host(&host, STEPPED);
  assert_true(csp_register(host.csp, &stepped_module));
  load(&host, stepped_script);
  while (csp_step(host.csp, -1) == CSP_MORE) continue;
  assert_string_equal(host.out, "true true\n");
  assert_true(csp_is_stepped(host.csp));
  close_host(&host);
  open_host(&host, 2);
  assert_true(csp_register(host.csp, &stepped_module));
  assert_int_equal(run(&host,
                       "import \"stepped\"\n"
                       "println(stepped.is(), stepped.in_work())\n"),
                   0);
  assert_string_equal(host.out, "false false\n");
  assert_false(csp_is_stepped(host.csp));
  close_host(&host);
}

// --- Several, and stopping --------------------------------------------------
static void *run_one(void *arg) {
  Host *host = arg;
  run(host,
      "c := chan(4)\n"
      "for i in 50 { go { c <- i } }\n"
      "sum := 0\n"
      "for i in 50 { sum += <-c }\n"
      "println(sum)\n");
  return NULL;
}

static void runtimes_are_independent(void **state) {
  (void)state;
  enum { COUNT = 4 };
  Host hosts[COUNT];
  pthread_t threads[COUNT];
  for (int n = 0; n < COUNT; n++) open_host(&hosts[n], 1 + n % 3);
  for (int n = 0; n < COUNT; n++)
    pthread_create(&threads[n], NULL, run_one, &hosts[n]);
  for (int n = 0; n < COUNT; n++) {
    pthread_join(threads[n], NULL);
    assert_string_equal(hosts[n].out, "1225\n");
    close_host(&hosts[n]);
  }
}

static void *interrupt_soon(void *arg) {
  struct timespec nap = {0, 20000000};
  nanosleep(&nap, NULL);
  csp_interrupt(((Host *)arg)->csp);
  return NULL;
}

static void a_running_script_can_be_interrupted(void **state) {
  (void)state;
  static const char *const scripts[] = {
      "for { }", "x := 0\nfor { x = x +% 1 }", "sleep(1000s)",
      "func f() { f2() }\nfunc f2() { for i in 1000000000000 { } }\nf()"};
  for (size_t n = 0; n < sizeof scripts / sizeof scripts[0]; n++) {
    Host host;
    open_host(&host, 2);
    pthread_t thread;
    pthread_create(&thread, NULL, interrupt_soon, &host);
    assert_int_equal(run(&host, scripts[n]), 130);
    pthread_join(thread, NULL);
    close_host(&host);
  }
}

// --- Watching ---------------------------------------------------------------
typedef struct Watcher {
  Host *host;
  const char *wanted;
  pthread_t thread;
} Watcher;

// Dumps until what is wanted is among it, a few times, then ends the script.
static void *watch(void *arg) {
  Watcher *watcher = arg;
  Csp *csp = watcher->host->csp;
  for (int seen = 0; seen < 5;) {
    char *text = csp_dump_goroutines(csp);
    if (text == NULL) {
      sched_yield();  // not yet running
      continue;
    }
    if (strstr(text, watcher->wanted) != NULL) seen++;
    free(text);
    uint64_t spawns, late[64];
    assert_true(csp_counter(csp, "spawns", &spawns));
    assert_in_range(csp_lateness(csp, late, 64), 0, 40);
  }
  csp_interrupt(csp);
  return NULL;
}

static void any_thread_can_see_the_goroutines(void **state) {
  (void)state;
  static const struct {
    const char *text, *wanted;
  } cases[] = {
      {"for { }", "\ngoroutine 1 [runn"},
      {"c := chan()\nfor i in 4 { go { <-c } }\nsleep(1000s)",
       "\n4 goroutines [chan receive]: "},
      {"for { for i in 100 { go func() { sleep(1) }() }\nsleep(1ms) }",
       "created at host.csp:1:"},
      {"func f(n) { if n == 0 { sleep(1000s) }\nf(n - 1)\nreturn 1 }\nf(500)",
       "more frames ..."},
  };
  for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
    for (int procs = 1; procs <= 8; procs *= 4) {
      Host host;
      open_host(&host, procs);
      Watcher w = {.host = &host, .wanted = cases[n].wanted};
      pthread_create(&w.thread, NULL, watch, &w);
      assert_int_equal(run(&host, cases[n].text), 130);
      pthread_join(w.thread, NULL);
      assert_null(csp_dump_goroutines(host.csp));
      close_host(&host);
    }
  }
}

static void counters_have_names(void **state) {
  (void)state;
  Host host;
  open_host(&host, 2);
  assert_int_equal(run(&host, "for i in 20 { <-(go func() { }()) }"), 0);
  uint64_t value = 0;
  assert_true(csp_counter(host.csp, "spawns", &value));
  assert_int_equal(value, 21);
  assert_true(csp_counter(host.csp, "procs", &value));
  assert_int_equal(value, 2);
  assert_false(csp_counter(host.csp, "nonsense", &value));
  close_host(&host);
}

// What a runtime of that seed says: a number of rand's, then bits for secrets.
static void seeded_lines(Host *host, CspConfig *config) {
  open_configured(host, config);
  const char *text =
      "import \"os\"\nimport \"rand\"\nimport \"uuid\"\n"
      "println(rand.int(1 << 60))\nprintln(uuid.v4())\n"
      "println(uuid.v7()[19:])\nprintln(os.random(16).hex())\n";
  assert_int_equal(run(host, text), 0);
  assert_string_equal(host->err, "");
}

static void a_seed_repeats_no_secrets(void **state) {
  (void)state;
  CspConfig config;
  test_config(&config);
  config.procs = 1;
  config.seed = 42;
  Host first, second;
  seeded_lines(&first, &config);
  seeded_lines(&second, &config);
  char *rest[2];
  char *a = strtok_r(first.out, "\n", &rest[0]);
  char *b = strtok_r(second.out, "\n", &rest[1]);
  assert_string_equal(a, b);
  for (int n = 0; n < 3; n++) {
    a = strtok_r(NULL, "\n", &rest[0]);
    b = strtok_r(NULL, "\n", &rest[1]);
    assert_non_null(a);
    assert_non_null(b);
    assert_string_not_equal(a, b);
  }
  close_host(&first);
  close_host(&second);
}

static void a_runtime_that_never_ran_can_be_closed(void **state) {
  (void)state;
  Host host;
  open_host(&host, 3);
  close_host(&host);
}

static CspStatus says_panic(CspCall *call) {
  (void)call;
  return CSP_PANIC;
}
static CspStatus says_panic_later(CspCall *call, void *data, bool made) {
  (void)data, (void)made;
  return says_panic(call);
}
static void work_nothing(void *data) { (void)data; }
static CspStatus blocks_and_says_panic(CspCall *call) {
  return csp_block(call, work_nothing, says_panic_later, NULL);
}

// Fault that it guards against: the interpreter looked for the panic.
static void a_panic_that_is_none_is_told(void **state) {
  (void)state;
  static const CspFunction functions[] = {{"bad", "", says_panic},
                                          {"worse", "", blocks_and_says_panic},
                                          {NULL, NULL, NULL}};
  Host host;
  open_host(&host, 2);
  assert_true(csp_register_builtins(host.csp, functions));
  assert_int_equal(run(&host,
                       "_, err := try(bad)\nprintln(err)\n"
                       "_, err = try(worse)\nprintln(err)\n"
                       // while another panic is under way
                       "func f(bad) {\n"
                       "  defer func() {\n"
                       "    _, e := try(bad)\n"
                       "    println(e)\n"
                       "  }()\n"
                       "  panic(\"first\")\n"
                       "}\n"
                       "_, err = try(f, bad)\nprintln(err)\n"
                       "_, err = try(f, worse)\nprintln(err)\n"),
                   0);
  assert_string_equal(host.out,
                      "bad: CSP_PANIC, but csp_panic was not called\n"
                      "worse: CSP_PANIC, but csp_panic was not called\n"
                      "bad: CSP_PANIC, but csp_panic was not called\n"
                      "first\n"
                      "worse: CSP_PANIC, but csp_panic was not called\n"
                      "first\n");
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(output_goes_to_the_host),
      cmocka_unit_test(failures_are_reported_and_leave_the_host_running),
      cmocka_unit_test(no_file_becomes_a_closed_stream),
      cmocka_unit_test(a_text_needs_no_zero_byte_at_its_end),
      cmocka_unit_test(a_second_run_is_refused),
      cmocka_unit_test(natives_can_be_called),
      cmocka_unit_test(natives_know_who_runs_them),
      cmocka_unit_test(runtimes_are_independent),
      cmocka_unit_test(a_running_script_can_be_interrupted),
      cmocka_unit_test(any_thread_can_see_the_goroutines),
      cmocka_unit_test(counters_have_names),
      cmocka_unit_test(a_seed_repeats_no_secrets),
      cmocka_unit_test(a_runtime_that_never_ran_can_be_closed),
      cmocka_unit_test(a_panic_that_is_none_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
