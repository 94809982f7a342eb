// SPDX-License-Identifier: MIT
// Descriptors of a host's natives (CspFd): turns, waits, deadlines, the end, in
// runtimes with threads and in stepped ones, and what csp_free finds waiting.
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "descriptors.h"
#include "embed_fixture.h"

// --- Natives ----------------------------------------------------------------
// One end of a pair of sockets.
typedef struct End {
  CspFd *fd;
  int inside;  // calls that have the turn to read
} End;

static void end_finalize(void *data) { csp_fd_free(((End *)data)->fd); }
static const CspClass end_class = {"end", end_finalize, sizeof(End), NULL};

static End *end_of(CspCall *call) {
  return csp_host_data(csp_arg(call, 0), &end_class);
}

typedef struct Take {
  bool has_turn;
  int64_t until;
} Take;

static void take_begins(CspCall *call, Take *take) {
  take->has_turn = true;
  assert_int_equal(
      __atomic_fetch_add(&end_of(call)->inside, 1, __ATOMIC_SEQ_CST), 0);
}

static CspStatus take_ends(CspCall *call, Take *take, const char *how) {
  End *end = end_of(call);
  if (take->has_turn) {
    __atomic_fetch_sub(&end->inside, 1, __ATOMIC_SEQ_CST);
    csp_fd_leave(call, end->fd, CSP_READS);
  }
  return csp_ok_string(call, how, strlen(how));
}

static CspStatus take_step(CspCall *call, void *data, bool on);

static CspStatus take_try(CspCall *call, Take *take) {
  char byte;
  int number = csp_fd_number(end_of(call)->fd);
  if (number < 0) return take_ends(call, take, "closed");
  ssize_t n = recv(number, &byte, 1, 0);
  if (n == 1) return take_ends(call, take, (char[]){byte, '\0'});
  if (n == 0) return take_ends(call, take, "end");
  assert_int_equal(errno, EAGAIN);
  csp_when_ready(call, end_of(call)->fd, CSP_READS, take->until);
  return csp_again(call, take_step, take, sizeof *take, 0);
}

static CspStatus take_step(CspCall *call, void *data, bool on) {
  Take *take = data;
  if (!on) {
    take_ends(call, take, "given up");
    return CSP_PANIC;
  }
  CspReady ready = csp_ready(call);
  if (ready == CSP_FD_CLOSED) return take_ends(call, take, "closed");
  if (ready == CSP_FD_LATE) return take_ends(call, take, "late");
  if (!take->has_turn) take_begins(call, take);
  return take_try(call, take);
}

// take(end, ns) gives the next byte, "end", "late" or "closed".
static CspStatus take(CspCall *call) {
  int64_t ns = 0;
  bool limited = csp_type(csp_arg(call, 1)) != CSP_NIL;
  if (limited && !csp_need_int(call, 1, &ns)) return CSP_PANIC;
  Take one = {.until = ns == 0 ? 0 : csp_monotonic(call) + ns};
  if (csp_fd_enter(end_of(call)->fd, CSP_READS) >= 0) {
    take_begins(call, &one);
    return take_try(call, &one);
  }
  csp_when_entered(call, end_of(call)->fd, CSP_READS);
  return csp_again(call, take_step, &one, sizeof one, 0);
}

static CspStatus give(CspCall *call) {
  const char *text;
  size_t len;
  if (!csp_need_string(call, 1, &text, &len)) return CSP_PANIC;
  int number = csp_fd_enter(end_of(call)->fd, CSP_WRITES);
  if (number < 0) return csp_ok_string(call, "closed", 6);
  bool sent = send(number, text, len, MSG_NOSIGNAL) == (ssize_t)len;
  csp_fd_leave(call, end_of(call)->fd, CSP_WRITES);
  return csp_ok_string(call, sent ? "sent" : "lost", 4);
}

static CspStatus shut(CspCall *call) {
  return csp_ok_bool(call, csp_fd_close(call, end_of(call)->fd));
}

static CspValue end_new(CspCall *call, int number) {
  End *end;
  CspValue v = csp_host_new(call, &end_class, (void **)&end);
  assert_false(csp_is_undef(v));
  end->fd = csp_fd_open(call, number);
  assert_non_null(end->fd);
  return v;
}

static CspStatus ends(CspCall *call) {
  int pair[2], type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  assert_int_equal(socketpair(AF_UNIX, type, 0, pair), 0);
  csp_return(call, end_new(call, pair[0]));
  return csp_ok(call, end_new(call, pair[1]));
}

// A file is never watched.
static CspStatus open_file(CspCall *call) {
  int number = csp_open_path(csp_of(call), "/proc/self/exe", 0, 0);
  assert_true(number >= 0);
  assert_null(csp_fd_open(call, number));
  assert_int_equal(errno, EPERM);
  close(number);
  return csp_ok_nothing(call);
}

static const CspFunction natives[] = {
    {"ends", "", ends},           {"take", "end, ns = nil", take},
    {"give", "end, s", give},     {"shut", "end", shut},
    {"open_file", "", open_file}, {NULL, NULL, NULL}};

// --- Hosts ------------------------------------------------------------------
static void open_fds(Host *host, bool stepped, int procs) {
  CspConfig config;
  test_config(&config);
  config.stepped = stepped;
  config.procs = procs;
  open_configured(host, &config);
  assert_true(csp_allows(host->csp, CSP_NET | CSP_FILES));
  assert_false(csp_allows(host->csp, CSP_NET | (CSP_ALL + 1)));
  assert_true(csp_register_builtins(host->csp, natives));
  assert_true(csp_register_class(host->csp, &end_class, NULL));
}

// Stepped, and with 1 and 4 Ps.
static void run_everywhere(const char *text, const char *expected) {
  static const int procs[] = {0, 1, 4};
  int before = open_descriptors();
  for (int i = 0; i < 3; i++) {
    Host host;
    int status = -1;
    open_fds(&host, procs[i] == 0, procs[i] == 0 ? 1 : procs[i]);
    csp_run(host.csp, "fds.csp", text, strlen(text), &status);
    assert_string_equal(host.err, "");
    assert_int_equal(status, 0);
    assert_string_equal(host.out, expected);
    close_host(&host);
    assert_int_equal(open_descriptors(), before);
  }
}

static void first_come_first_served(void **state) {
  (void)state;
  run_everywhere(
      "a, b := ends()\n"
      "got := chan(9)\n"
      "group {\n"
      "  for i in 4 {\n"
      "    go { got <- \"${i}${take(a)}\" }\n"
      "    sleep(5ms)\n"
      "  }\n"
      "  give(b, \"wxyz\")\n"
      "}\n"
      "for i in 4 { print(<-got, \"\") }\n"
      "println()\n",
      "0w 1x 2y 3z \n");
}

static void waits_end(void **state) {
  (void)state;
  run_everywhere(
      "open_file()\n"
      "a, b := ends()\n"
      "println(take(a, 1ms), take(a, 1))\n"
      "t, u := go take(a), go take(a)\n"
      "sleep(2ms)\n"
      "println(shut(a), shut(a), <-t, <-u, take(a), take(b))\n",
      "late late\n"
      "true false closed closed closed end\n");
}

// Whoever is cancelled leaves the turn to the next.
static void cancelled_waits(void **state) {
  (void)state;
  run_everywhere(
      "import \"sched\"\n"
      "a, b := ends()\n"
      "got := chan(1)\n"
      "for i in 20 {\n"
      "  group g {\n"
      "    for j in 3 { go take(a) }\n"
      "    sleep(300us)\n"
      "    if i == 19 {\n"
      "      sched.background(func() { got <- take(a) })\n"
      "      sleep(300us)\n"
      "    }\n"
      "    g.cancel()\n"
      "  }\n"
      "}\n"
      "give(b, \"!?\")\n"
      "println(<-got, take(a))\n",
      "! ?\n");
}

static void storm(void **state) {
  (void)state;
  run_everywhere(
      "for i in 60 {\n"
      "  a, b := ends()\n"
      "  group g {\n"
      "    for j in 6 { go take(a, 200us) }\n"
      "    go { give(b, \"12\") }\n"
      "    go { shut([a, b][i % 2]) }\n"
      "    if i % 4 == 0 { go { sleep(50us); g.cancel() } }\n"
      "  }\n"
      "}\n",
      "");
}

// csp_free finds goroutines in a turn, in a queue, and a closed end.
static void freed_while_they_wait(void **state) {
  (void)state;
  int before = open_descriptors();
  static const char text[] =
      "a, b := ends()\n"
      "for i in 3 { go take(a) }\n"
      "for i in 3 { go take(b, 1h) }\n"
      "sleep(1ms)\n"
      "shut(a)\n";
  Host host;
  CspResult result;
  open_fds(&host, true, 1);
  assert_int_equal(
      csp_load(csp_host(host.csp), "fds.csp", text, strlen(text), &result),
      CSP_DONE);
  csp_result_free(&result);
  close_host(&host);
  assert_int_equal(open_descriptors(), before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_come_first_served), cmocka_unit_test(waits_end),
      cmocka_unit_test(cancelled_waits),         cmocka_unit_test(storm),
      cmocka_unit_test(freed_while_they_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
