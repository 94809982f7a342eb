// SPDX-License-Identifier: MIT
// Exhausted memory: each scenario runs once for every n, with its n-th
// allocation failing, and once more with all from the n-th on failing. An
// allocation is what failing.h says: memory, an object, a descriptor, a
// thread. However it ends, it must end by itself, as one of these:
//  - as without failures: what failed could be done without, or was tried
//    again;
//  - with a failure that names memory, descriptors or threads; what it had
//    printed before is a part of the right output.
// And nothing is left afterwards.
//
// With NTH_STEP=8, as `make test` sets it, it is every eighth n, from another
// one on in each scenario. By itself, and where .ci/run proves all, it is each
// n; a build with sanitizers, which is slow, takes fewer of them. With two Ps
// or none, which allocate the same but for threads, the step is four times as
// long.
#ifndef CSP_TESTS_UNIT_NTH_FIXTURE_H
#define CSP_TESTS_UNIT_NTH_FIXTURE_H

#include <setjmp.h>

#include "failing.h"
#include "vm/interp/native_call.h"

#include <cmocka.h>

#include "nth_scenarios.h"
#include "vm/csp.h"
#include "vm/runtime/runtime.h"

enum { TEXT_MAX = 1 << 16 };

// Each n is for ordinary builds. AddressSanitizer sees what the code does after
// a failure, which is the same for most n; ThreadSanitizer is after other
// things.
#if defined(__has_feature)
#define HAS(feature) __has_feature(feature)
#else
#define HAS(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || HAS(thread_sanitizer)
enum { LEAST_STEP = 5 };
#elif defined(__SANITIZE_ADDRESS__) || HAS(address_sanitizer)
enum { LEAST_STEP = 4 };
#else
enum { LEAST_STEP = 1 };
#endif

static long step_of_n(void) {
  const char *wanted = getenv("NTH_STEP");
  long step = wanted != NULL ? atol(wanted) : LEAST_STEP;
  return step > LEAST_STEP ? step : LEAST_STEP;
}

// --- What a runtime prints --------------------------------------------------
typedef struct Printed {
  char text[TEXT_MAX];
  size_t len;
} Printed;

static Printed out, err;
static char right[TEXT_MAX];  // the output without failures
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

static void add(Printed *to, const char *data, size_t len) {
  pthread_mutex_lock(&printing);
  if (len > TEXT_MAX - 1 - to->len) len = TEXT_MAX - 1 - to->len;
  memcpy(to->text + to->len, data, len);
  to->len += len;
  to->text[to->len] = '\0';
  pthread_mutex_unlock(&printing);
}

static void take_out(void *arg, const char *data, size_t len) {
  (void)arg;
  add(&out, data, len);
}

static void take_err(void *arg, const char *data, size_t len) {
  (void)arg;
  add(&err, data, len);
}

// --- A host's module --------------------------------------------------------
static const CspClass counter_class = {"counter", NULL, sizeof(int64_t), NULL};
static const CspClass total_class = {"total", NULL, sizeof(int64_t), NULL};

static CspStatus counter_new(CspCall *call) {
  return csp_ok(call, csp_host_new(call, &counter_class, NULL));
}

static CspStatus counter_add(CspCall *call) {
  int64_t *count = csp_host_data(csp_arg(call, 0), &counter_class), more;
  if (count == NULL || !csp_need_int(call, 1, &more)) return CSP_PANIC;
  return csp_ok_int(call, *count += more);
}

static CspStatus total(CspCall *call) {
  int64_t *sum = csp_state(csp_of(call), &total_class), more;
  if (sum == NULL) return csp_panic_memory(call);
  if (!csp_need_int(call, 0, &more)) return CSP_PANIC;
  return csp_ok_int(call, *sum += more + 1);
}

static void double_it(void *data) { *(int64_t *)data *= 2; }

static CspStatus doubled(CspCall *call, void *data, bool made) {
  int64_t n = *(int64_t *)data;
  free(data);
  if (!made) return csp_panic(call, "block: %s", csp_no_thread());
  return csp_ok_int(call, n);
}

static CspStatus block(CspCall *call) {
  int64_t *number = malloc(sizeof *number);
  if (number == NULL) return csp_panic_memory(call);
  if (!csp_need_int(call, 0, number)) {
    free(number);
    return CSP_PANIC;
  }
  return csp_block_slow(call, double_it, doubled, number);
}

static CspStatus block_after(CspCall *call) {
  int64_t *number = malloc(sizeof *number);
  if (number == NULL) return csp_panic_memory(call);
  *number = 4;
  return csp_block_after(call, 1000, double_it, doubled, number);
}

// Waits for a pipe that its own end makes ready.
typedef struct Ready {
  CspWait wait;
  int fds[2];
  int64_t count;
} Ready;

static void read_pipe(void *data) {
  Ready *ready = data;
  char byte;
  if (ready->count < 5) {  // woken for the first time: something was there
    ready->count += read(ready->fds[0], &byte, 1) == 1 ? 5 : 0;
  }
}

static CspStatus has_read(CspCall *call, void *data, bool made) {
  Ready *ready = data;
  int64_t count = ready->count;
  close(ready->fds[0]);
  close(ready->fds[1]);
  free(ready);
  if (!made) return csp_panic(call, "ready: %s", csp_no_thread());
  return csp_ok_int(call, count + 1);
}

static CspStatus ready(CspCall *call) {
  Ready *ready = calloc(1, sizeof *ready);
  if (ready == NULL) return csp_panic_memory(call);
  if (pipe2(ready->fds, O_CLOEXEC) != 0) {
    free(ready);
    return csp_panic(call, "ready: %s", strerror(errno));
  }
  assert_int_equal(write(ready->fds[1], "x", 1), 1);
  ready->wait.fd = ready->fds[0];
  return csp_block_fd(call, &ready->wait, read_pipe, has_read, ready);
}

static CspStatus clear(CspCall *call) {
  return csp_map_clear(call, csp_arg(call, 0)) ? csp_ok_nothing(call)
                                               : CSP_PANIC;
}

static CspStatus removes(CspCall *call) {
  int64_t at, count;
  if (!csp_need_int(call, 1, &at) || !csp_need_int(call, 2, &count))
    return CSP_PANIC;
  size_t len = csp_list_len(csp_arg(call, 0));
  csp_list_remove(call, csp_arg(call, 0), (size_t)at, (size_t)count);
  assert_int_equal(csp_list_len(csp_arg(call, 0)), len - (size_t)count);
  return csp_ok_nothing(call);
}

static CspStatus text_of(CspCall *call) {
  size_t len;
  char *text = csp_alloc_format(call, csp_arg(call, 0), true, &len);
  if (text == NULL) return csp_panic_memory(call);
  assert_int_equal(strlen(text), len);
  return csp_ok(call, csp_alloc_take(call, text, len));
}

// What a script does between these two must not panic.
static int begun, ended;

static CspStatus begins(CspCall *call) {
  begun++;
  return csp_ok_nothing(call);
}

static CspStatus ends(CspCall *call) {
  ended++;
  return csp_ok_nothing(call);
}

static const CspFunction functions[] = {
    {"counter", "", counter_new}, {"total", "n", total},
    {"block", "n", block},        {"block_after", "", block_after},
    {"ready", "", ready},         {"begins", "", begins},
    {"ends", "", ends},           CSP_REPEATABLE,
    {"clear", "map", clear},      {"remove", "list, at, count", removes},
    {"text", "value", text_of},   {NULL, NULL, NULL}};
static const CspFunction counter_methods[] = {
    {"add", "counter, n", counter_add}, {NULL, NULL, NULL}};
static const CspModule host = {"host", functions, NULL, NULL, 0};

// --- One attempt ------------------------------------------------------------
// procs 0: stepped, without threads.
static Csp *open_runtime(int procs) {
  CspConfig config = {.size = sizeof config,
                      // What is not initialised shows when it is freed.
                      .debug = procs == 0 ? "poison=1" : NULL,
                      .procs = procs,
                      .stepped = procs == 0,
                      .allowed = CSP_ALL,
                      .seed = 1,
                      .write_out = take_out,
                      .write_err = take_err};
  Csp *csp = csp_new(&config);
  if (csp == NULL) return NULL;
  csp_install_language(csp);
  if (csp_install_library(csp) && csp_register(csp, &host) &&
      csp_register_class(csp, &counter_class, counter_methods) &&
      csp_register_class(csp, &total_class, NULL))
    return csp;
  csp_free(csp);
  return NULL;
}

// The status; what it said is in out and err.
static int act(Csp *csp, const Scenario *scenario) {
  int status = -1;
  char *messages = NULL, *code = NULL;
  size_t len = strlen(scenario->text);
  switch (scenario->action) {
    case RUN:
    case RUN_BLOCKING:
      csp_run(csp, "nth.csp", scenario->text, len, &status);
      break;
    case CHECK:
      status = csp_check(csp, "nth.csp", scenario->text, len, &messages);
      break;
    case DISASSEMBLE:
      code = csp_disassemble(csp, "nth.csp", scenario->text, len, &messages);
      status = code != NULL;
      break;
  }
  if (messages != NULL) add(&err, messages, strlen(messages));
  free(code);
  if (scenario->action > RUN_BLOCKING && status == 0 && messages == NULL)
    add(&err, "out of memory", 13);  // as csp.h says
  free(messages);
  return status;
}

static bool says_what_is_out(const char *text) {
  static const char *const words[] = {"out of memory", "Cannot allocate",
                                      "Too many open files", "no thread"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strstr(text, words[i]) != NULL) return true;
  return false;
}

static bool as_without_failures(const Scenario *scenario, int status) {
  return status == scenario->status && strcmp(out.text, right) == 0 &&
         strstr(err.text, scenario->err) != NULL;
}

// An object that fails once comes after a collection, and nobody sees it; but
// the second half of a native that has blocked is not done again.
static bool must_be_right(const Scenario *scenario) {
  return failing.objects && !failing.twice && scenario->action != RUN_BLOCKING;
}

static void judge(const Scenario *scenario, int status, long n) {
  if (begun != ended)
    fail_msg(
        "%s, allocation %ld%s, of the code at %p: begun %d times, ended "
        "%d times\n--- err:\n%s---",
        scenario->name, n, failing.always ? " and all others" : "",
        failing.caller, begun, ended, err.text);
  if (as_without_failures(scenario, status)) return;
  // Scripts may catch the panic and print it.
  bool good = strncmp(right, out.text, out.len) == 0;
  if (failing.failed > 0 && says_what_is_out(good ? err.text : out.text) &&
      !must_be_right(scenario))
    return;
  fail_msg(
      "%s, allocation %ld%s, of the code at %p: status %d\n--- out:\n%s"
      "--- err:\n%s---",
      scenario->name, n, failing.always ? " and all others" : "",
      failing.caller, status, out.text, err.text);
}

// TWO_OBJECTS: also the one with which the operation begins again. It panics,
// and what comes then has memory.
typedef enum Which { ONE, ONE_OBJECT, TWO_OBJECTS, ALL_FROM } Which;

// Are there further ones to fail?
static bool attempt(const Scenario *scenario, int procs, long n, Which which) {
  out.len = err.len = 0;
  out.text[0] = err.text[0] = '\0';
  char *unused;
  Csp *csp = open_runtime(procs);
  assert_non_null(csp);
  if (scenario->uses != NULL) {
    assert_true(csp_check(csp, "uses.csp", scenario->uses,
                          strlen(scenario->uses), &unused));
    free(unused);
  }
  fail_empty_caches(&csp->vm.boot->heap);
  fail_begin(n, which == ALL_FROM);
  failing.objects = which == ONE_OBJECT || which == TWO_OBJECTS;
  failing.twice = which == TWO_OBJECTS;
  begun = ended = 0;
  int status = act(csp, scenario);
  fail_free_all(csp);
  fail_end();
  if (n == 0 && scenario->out == NULL) strcpy(right, out.text);
  judge(scenario, status, n);
  if (fail_leaks() > 0)
    fail_msg("%s: allocation %ld%s, of the code at %p, failed: a leak",
             scenario->name, n, failing.always ? " and all others" : "",
             failing.caller);
  return failing.failed > 0;
}

static void try_all(int procs, Which which) {
  const char *only = getenv("NTH_SCENARIO");  // by hand
  const char *from = getenv("NTH_FROM");
  long step = step_of_n() * (procs == 1 ? 1 : 4);
  for (int i = 0; i < SCENARIOS; i++) {
    const Scenario *scenario = &scenarios[i];
    if (only != NULL && strcmp(only, scenario->name) != 0) continue;
    if (scenario->out != NULL) strcpy(right, scenario->out);
    attempt(scenario, procs, 0, which);
    long n = from != NULL ? atol(from) : 1 + (i + procs + which) % step;
    while (attempt(scenario, procs, n, which)) n += step;
    if (getenv("NTH_VERBOSE") != NULL)
      printf("%s: up to %ld allocations\n", scenario->name, n - 1);
  }
}

#endif
