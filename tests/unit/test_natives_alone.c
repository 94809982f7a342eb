// SPDX-License-Identifier: MIT
// A P that runs alone makes others wait (sched/alone.c). So a host's own
// function never runs on one: it has no looks, and may wait for what runs on
// another P. Here each waits for a function that another thread has posted,
// after something by which its P could have become alone.
#include <stdatomic.h>
#include <sys/socket.h>
#include <time.h>

#include "embed_fixture.h"

#define LIMIT ((uint64_t)1 << 30)
enum { TIMES = 4, WAIT_MS = 10000, WORK = 2 * 1000 * 1000 };

#define BUSY "func busy() { n := 0; for i in 100000 { n += i }; return n }\n"

static Host host;
static atomic_int told;

static CspStatus tell(CspCall *call, void *data) {
  (void)data;
  atomic_store(&told, 1);
  return csp_ok_nothing(call);
}

static void *post_tell(void *arg) {
  csp_post(arg, tell, NULL, NULL);
  return NULL;
}

static bool wait_for_other_p(void) {
  pthread_t thread;
  const struct timespec pause = {0, 1000 * 1000};
  atomic_store(&told, 0);
  if (pthread_create(&thread, NULL, post_tell, host.csp) != 0) return false;
  for (int ms = 0; ms < WAIT_MS && !atomic_load(&told); ms++)
    nanosleep(&pause, NULL);
  pthread_join(thread, NULL);
  return atomic_load(&told);
}

static CspStatus waits(CspCall *call) {
  return csp_ok_bool(call, wait_for_other_p());
}

static CspStatus works(CspCall *call) {
  if (!csp_work(call, WORK)) return CSP_PANIC;
  return waits(call);
}

static CspStatus calls_back(CspCall *call) {
  CspResult result;
  if (csp_call(call, csp_arg(call, 0), 0, NULL, &result) != CSP_DONE)
    return csp_rethrow(call, &result);
  return waits(call);
}

static bool next_element(CspCall *call, CspValue of, CspValue with, int64_t *at,
                         CspValue *element) {
  (void)call, (void)of, (void)with;
  if (++*at > 3) return false;
  *element = csp_bool(wait_for_other_p());
  return true;
}

static CspStatus each(CspCall *call) {
  return csp_ok_each(call, next_element, csp_nil(), csp_nil(), NULL);
}

static CspStatus next_piece(CspCall *call, void *data, bool on) {
  (void)data;
  return on ? waits(call) : CSP_PANIC;
}

static CspStatus in_pieces(CspCall *call) {
  char none = 0;
  return csp_again(call, next_piece, &none, 1, 0);
}

static void nothing(void *data) { (void)data; }

static CspStatus blocked(CspCall *call, void *data, bool made) {
  (void)data;
  return made ? waits(call) : CSP_PANIC;
}

static CspStatus blocks(CspCall *call) {
  return csp_block(call, nothing, blocked, NULL);
}

static CspStatus blocks_after(CspCall *call) {
  return csp_block_after(call, 100 * 1000, nothing, blocked, NULL);
}

// For functions that are posted.
static _Atomic CspHandle kept;
static CspStatus keep(CspCall *call) {
  kept = csp_hold(call, csp_arg(call, 0));
  return csp_ok_nothing(call);
}

static CspStatus is_kept(CspCall *call, void *data) {
  (void)data;
  return kept != 0 ? csp_ok_nothing(call) : csp_panic(call, "not yet");
}

static CspStatus posted(CspCall *call, void *data) {
  CspResult result;
  if (csp_call(call, csp_held(call, kept), 0, NULL, &result) != CSP_DONE)
    return csp_rethrow(call, &result);
  atomic_fetch_add((atomic_int *)data, wait_for_other_p());
  return csp_ok_nothing(call);
}

// --- What is no native ------------------------------------------------------
// A layer of connections, such as TLS, all of whose functions wait.
static atomic_int layer_waits;

static void wait_in_layer(void) {
  atomic_fetch_add(&layer_waits, wait_for_other_p());
}

static int64_t layer_read(void *state, int number, void *to, size_t room) {
  (void)state;
  ssize_t n = recv(number, to, room, 0);
  if (n > 0) wait_in_layer();
  return n;
}

static int64_t layer_write(void *state, int number, const void *from,
                           size_t len) {
  (void)state;
  if (len == 0) return 0;
  wait_in_layer();
  return send(number, from, len, MSG_NOSIGNAL);
}

static int layer_end(void *state, int number) {
  (void)state;
  wait_in_layer();
  return shutdown(number, SHUT_WR);
}

static void layer_wrong(void *state, char *to, size_t room) {
  (void)state;
  snprintf(to, room, "wrong");
}

static void layer_close(void *state) {
  (void)state;
  wait_in_layer();
}

static void layer_finalize(void *state) { (void)state; }

static const CspLayer waiting_layer = {"waits",       layer_read,  layer_write,
                                       layer_end,     layer_wrong, layer_close,
                                       layer_finalize};

// The connection is new, and nobody else uses it.
static CspStatus lay(CspCall *call) {
  CspFd *fd = csp_connection_fd(csp_arg(call, 0));
  bool entered = fd != NULL && csp_fd_enter(fd, CSP_READS) >= 0 &&
                 csp_fd_enter(fd, CSP_WRITES) >= 0;
  if (!entered) return csp_bad_arg(call, 0, "a new connection");
  int error = csp_layer_on(csp_arg(call, 0), &waiting_layer, &layer_waits);
  csp_fd_leave(call, fd, CSP_READS);
  csp_fd_leave(call, fd, CSP_WRITES);
  return csp_ok_int(call, error);
}

static atomic_int finalized, finalizer_waits, finalized_seen;
// A second one, on another P meanwhile, does not wait: no P is left to serve
// it. (An allocation sweeps, too, so that a function that was posted may run
// one.)
static void waiting_finalize(void *data) {
  (void)data;
  static atomic_bool one_waits;
  bool second = atomic_exchange(&one_waits, true);
  atomic_fetch_add(&finalizer_waits, second || wait_for_other_p());
  if (!second) atomic_store(&one_waits, false);
  atomic_fetch_add(&finalized, 1);
}

static const CspClass waiting_class = {"waits", waiting_finalize, 8, NULL};

static CspStatus make_waiting(CspCall *call) {
  return csp_ok(call, csp_host_new(call, &waiting_class, NULL));
}

// All of its operations that get no call wait.
static bool waiting_equal(const void *a, const void *b) {
  return a != b && wait_for_other_p();
}
static uint64_t waiting_hash(const void *data) {
  return data != NULL && wait_for_other_p();
}
static int waiting_compare(const void *a, const void *b) {
  return waiting_equal(a, b) ? -1 : 1;
}
static int64_t waiting_len(const void *data) {
  return data != NULL && wait_for_other_p();
}
static char *waiting_string(const void *data, size_t *len) {
  *len = 1;
  return strdup(data != NULL && wait_for_other_p() ? "1" : "0");
}
static bool waiting_next(CspCall *call, CspValue of, CspValue with, int64_t *at,
                         CspValue *element) {
  (void)of, (void)with;
  if (*at > 0) return false;
  *at = 1;
  *element = csp_int(call, wait_for_other_p());
  return true;
}

static const CspOperations waiting_operations = {.equal = waiting_equal,
                                                 .hash = waiting_hash,
                                                 .compare = waiting_compare,
                                                 .len = waiting_len,
                                                 .string = waiting_string,
                                                 .iterate = waiting_next};
static const CspClass operated_class = {"operated", NULL, 8,
                                        &waiting_operations};

static CspStatus make_operated(CspCall *call) {
  return csp_ok(call, csp_host_new(call, &operated_class, NULL));
}

static CspStatus finalized_now(CspCall *call) {
  atomic_store(&finalized_seen, finalized);
  return csp_ok_int(call, finalized_seen);
}

static CspStatus collects(CspCall *call) {
  csp_collect(call);
  return csp_ok_nothing(call);
}

static const CspFunction natives[] = {{"waits", "", waits},
                                      {"works", "", works},
                                      {"calls_back", "f", calls_back},
                                      {"in_pieces", "", in_pieces},
                                      {"blocks", "", blocks},
                                      {"blocks_after", "", blocks_after},
                                      {"keep", "f", keep},
                                      {"lay", "connection", lay},
                                      {"make_waiting", "", make_waiting},
                                      {"make_operated", "", make_operated},
                                      {"finalized_now", "", finalized_now},
                                      {"collects", "", collects},
                                      {"each", "", each},
                                      {NULL, NULL, NULL}};

// --- Tests ------------------------------------------------------------------
static void expect_all(const char *what) {
  char text[1024];
  open_limited(&host, 2, LIMIT, 0);  // without stress: `busy` is long
  assert_true(csp_register_builtins(host.csp, natives));
  snprintf(text, sizeof text,
           "done := 0\n" BUSY
           "for i in %d {\n"
           "  busy()\n"
           "  if %s { done++ }\n"
           "}\n"
           "print(done)\n",
           TIMES, what);
  int status = run(&host, text);
  if (status != 0) print_error("%s", host.err);
  assert_int_equal(status, 0);
  assert_int_equal(atoi(host.out), TIMES);
  close_host(&host);
}

static void in_natives(void **state) {
  (void)state;
  expect_all("waits()");
}
static void after_work(void **state) {
  (void)state;
  expect_all("works()");
}
static void after_a_callback(void **state) {
  (void)state;
  expect_all("calls_back(busy)");
}
static void between_pieces(void **state) {
  (void)state;
  expect_all("in_pieces()");
}
static void after_a_blocking_call(void **state) {
  (void)state;
  expect_all("blocks()");
  expect_all("blocks_after()");
}

static void expect_script(const char *text, const char *out) {
  open_limited(&host, 2, LIMIT, 0);  // without stress: `busy` is long
  assert_true(csp_register_builtins(host.csp, natives));
  int status = run(&host, text);
  if (status != 0) print_error("%s", host.err);
  assert_int_equal(status, 0);
  assert_string_equal(host.out, out);
}

// Fault that it guards against: those without a call know no P, and ran on one
// that was alone. What was ready meanwhile waited for them, beside idle Ps.
static void in_operations(void **state) {
  (void)state;
  expect_script(BUSY
                "a := make_operated()\n"
                "b := make_operated()\n"
                "busy()\n"
                "print(a == b)\n"
                "busy()\n"
                "print(\"\", a < b)\n"
                "busy()\n"
                "print(\"\", len(a))\n"
                "busy()\n"
                "print(\"\", \"${a}\")\n"
                "for x in a { busy(); print(\"\", x) }\n"
                "busy()\n"
                "m := {[a]: 1}\n"
                "println(\"\", m[a])\n",
                "true true 1 1 1 1\n");
  close_host(&host);
}

static void in_elements(void **state) {
  (void)state;
  expect_script(BUSY "for waited in each() { busy(); print(waited, \"\") }\n",
                "true true true ");
  close_host(&host);
}

static atomic_int errors_done;
static void slow_err(void *arg, const char *data, size_t len) {
  (void)arg;
  if (len == 1 && *data == '!')
    atomic_fetch_add(&errors_done, wait_for_other_p());
}

static void in_errors(void **state) {
  (void)state;
  char text[512];
  CspConfig config;
  test_config(&config);
  config.procs = 2;
  config.debug = NULL;  // as in LIMIT
  config.write_err = slow_err;
  atomic_store(&errors_done, 0);
  memset(&host, 0, sizeof host);
  host.csp = csp_new(&config);
  assert_non_null(host.csp);
  csp_install_language(host.csp);
  assert_true(csp_install_library(host.csp));
  snprintf(text, sizeof text,
           "import \"fmt\"\n" BUSY
           "for i in %d { busy(); fmt.eprint(\"!\") }\n",
           TIMES);
  assert_int_equal(run(&host, text), 0);
  assert_int_equal(errors_done, TIMES);
  csp_free(host.csp);
}

static void *run_script(void *arg) {
  run(&host, arg);
  return NULL;
}

static void in_posts(void **state) {
  (void)state;
  static char script[] = BUSY "keep(busy)\n<-chan()\n";
  atomic_int done = 0;
  pthread_t thread;
  open_limited(&host, 2, LIMIT, 0);  // without stress: `busy` is long
  assert_true(csp_register_builtins(host.csp, natives));
  csp_keep(host.csp);
  assert_int_equal(pthread_create(&thread, NULL, run_script, script), 0);
  while (!csp_do(host.csp, is_kept, NULL, NULL)) continue;
  for (int n = 0; n < TIMES; n++)
    assert_true(csp_do(host.csp, posted, &done, NULL));
  csp_interrupt(host.csp);
  csp_release_keep(host.csp);
  pthread_join(thread, NULL);
  assert_int_equal(done, TIMES);
  close_host(&host);
}

// Each of its functions has been called on a P that was alone: those of a layer
// are called by natives of the library, which is no host.
static void in_layers(void **state) {
  (void)state;
  atomic_store(&layer_waits, 0);
  expect_script("import \"net\"\n" BUSY
                "listener := net.listen(\"127.0.0.1:0\")?\n"
                "client := net.dial(listener.address())?\n"
                "server := listener.accept()?\n"
                "lay(client)\n"
                "busy()\n"
                "client.write(\"x\")?\n"
                "println(server.read()?)\n"
                "server.write(\"y\")?\n"
                "busy()\n"
                "println(client.read()?)\n"
                "busy()\n"
                "client.close_write()?\n"
                "busy()\n"
                "client.close()\n",
                "x\ny\n");
  // a write, a read, the end of writing, that of closing, and a close
  assert_int_equal(layer_waits, 5);
  close_host(&host);
}

static void in_finalizers(void **state) {
  (void)state;
  atomic_store(&finalized, 0);
  atomic_store(&finalizer_waits, 0);
  expect_script(BUSY
                "func make() { make_waiting() }\n"
                "for i in 4 {\n"
                "  make()\n"
                "  busy()\n"
                "  collects()\n"
                "}\n"
                "for finalized_now() < 3 { collects(); busy() }\n"
                "println(\"done\")\n",
                "done\n");
  // (One may be left until the program ends. There is no other P then.)
  assert_true(finalizer_waits >= finalized_seen);
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_natives),
      cmocka_unit_test(after_work),
      cmocka_unit_test(after_a_callback),
      cmocka_unit_test(between_pieces),
      cmocka_unit_test(after_a_blocking_call),
      cmocka_unit_test(in_operations),
      cmocka_unit_test(in_elements),
      cmocka_unit_test(in_errors),
      cmocka_unit_test(in_posts),
      cmocka_unit_test(in_layers),
      cmocka_unit_test(in_finalizers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
