// SPDX-License-Identifier: MIT
// A host program's view: vm/csp.h from outside, several runtimes in a process.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "stdlib/stdlib.h"
#include "vm/csp.h"

typedef struct Host {
  Csp *csp;
  pthread_mutex_t lock;
  char out[8192], err[8192];
} Host;

static void append(char *to, const char *data, size_t len) {
  size_t have = strlen(to);
  if (have + len >= 8192) len = 8191 - have;
  memcpy(to + have, data, len);
  to[have + len] = '\0';
}

static void take_out(void *arg, const char *data, size_t len) {
  Host *host = arg;
  pthread_mutex_lock(&host->lock);
  append(host->out, data, len);
  pthread_mutex_unlock(&host->lock);
}

static void take_err(void *arg, const char *data, size_t len) {
  Host *host = arg;
  pthread_mutex_lock(&host->lock);
  append(host->err, data, len);
  pthread_mutex_unlock(&host->lock);
}

static void open_host(Host *host, int procs) {
  memset(host, 0, sizeof *host);
  pthread_mutex_init(&host->lock, NULL);
  CspConfig config;
  csp_config_init(&config);
  config.procs = procs;
  config.write_out = take_out;
  config.write_err = take_err;
  config.write_arg = host;
  host->csp = csp_new(&config);
  assert_non_null(host->csp);
  csp_install_language(host->csp);
  assert_true(stdlib_install(host->csp));
}

static int run(Host *host, const char *text) {
  int status = -1;
  csp_run(host->csp, "host.csp", text, strlen(text), &status);
  return status;
}

static void close_host(Host *host) {
  csp_free(host->csp);
  pthread_mutex_destroy(&host->lock);
}

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

// A bug once: the lexer read the byte behind it.
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

static void a_runtime_that_never_ran_can_be_closed(void **state) {
  (void)state;
  Host host;
  open_host(&host, 3);
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(output_goes_to_the_host),
      cmocka_unit_test(failures_are_reported_and_leave_the_host_running),
      cmocka_unit_test(a_text_needs_no_zero_byte_at_its_end),
      cmocka_unit_test(natives_can_be_called),
      cmocka_unit_test(runtimes_are_independent),
      cmocka_unit_test(a_running_script_can_be_interrupted),
      cmocka_unit_test(a_runtime_that_never_ran_can_be_closed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
