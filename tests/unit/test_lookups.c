// SPDX-License-Identifier: MIT
// Lookups of names by getaddrinfo (stdlib/net.lookup.csp), which is one of ours
// here: each call blocks until the script lets its name go.
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host_fixture.h"

// --- getaddrinfo ------------------------------------------------------------
enum { NAMES_MOST = 256, NAME_ROOM = 32 };

// The lock guards all of it.
static struct Calls {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  char made[NAMES_MOST][NAME_ROOM];  // names, in the order of the calls
  bool gone[NAMES_MOST];             // of made: may return
  int count, running, most;
  bool open;  // all may return
} calls = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .changed = PTHREAD_COND_INITIALIZER};

typedef struct Answer {
  struct addrinfo info;
  struct sockaddr_storage address;
} Answer;

static Answer *add_answer(int family, struct addrinfo *next) {
  Answer *answer = calloc(1, sizeof *answer);
  if (answer == NULL) abort();
  struct sockaddr_in v4 = {.sin_family = AF_INET,
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
                            .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  bool is_v6 = family == AF_INET6;
  if (is_v6) memcpy(&answer->address, &v6, sizeof v6);
  if (!is_v6) memcpy(&answer->address, &v4, sizeof v4);
  answer->info =
      (struct addrinfo){.ai_family = family,
                        .ai_addr = (struct sockaddr *)&answer->address,
                        .ai_addrlen = is_v6 ? sizeof v6 : sizeof v4,
                        .ai_next = next};
  return answer;
}

// What the system tells without asking anybody: numbers, and without a name the
// machine itself. It is not counted.
static int answer_at_once(const char *name, struct addrinfo **out) {
  struct in6_addr bytes;
  bool is_v6 = name == NULL || inet_pton(AF_INET6, name, &bytes) == 1;
  bool is_v4 = name == NULL || inet_pton(AF_INET, name, &bytes) == 1;
  if (is_v4) *out = &add_answer(AF_INET, NULL)->info;
  if (is_v6) *out = &add_answer(AF_INET6, is_v4 ? *out : NULL)->info;
  return is_v4 || is_v6 ? 0 : EAI_NONAME;
}

// "fail" and what begins so is no name, "empty" has no address, and "broken"
// fails in a way that has no words of ours. "both" has ::1 and 127.0.0.1, and
// all others have 127.0.0.1.
int getaddrinfo(const char *name, const char *service,
                const struct addrinfo *hints, struct addrinfo **out) {
  (void)service;
  if ((hints->ai_flags & AI_NUMERICHOST) != 0) return answer_at_once(name, out);
  pthread_mutex_lock(&calls.lock);
  int me = calls.count++;
  if (me >= NAMES_MOST) abort();
  snprintf(calls.made[me], NAME_ROOM, "%s", name);
  if (++calls.running > calls.most) calls.most = calls.running;
  while (!calls.gone[me] && !calls.open)
    pthread_cond_wait(&calls.changed, &calls.lock);
  calls.running--;
  pthread_mutex_unlock(&calls.lock);
  if (strncmp(name, "fail", 4) == 0) return EAI_NONAME;
  if (strcmp(name, "empty") == 0) return EAI_NODATA;
  if (strcmp(name, "broken") == 0) return EAI_BADFLAGS;
  *out = &add_answer(AF_INET, NULL)->info;
  if (strcmp(name, "both") == 0) *out = &add_answer(AF_INET6, *out)->info;
  return 0;
}

void freeaddrinfo(struct addrinfo *info) {
  for (struct addrinfo *next; info != NULL; info = next) {
    next = info->ai_next;
    free(info);
  }
}

static void calls_reset(void) {
  pthread_mutex_lock(&calls.lock);
  assert_int_equal(calls.running, 0);
  calls.count = calls.most = 0;
  calls.open = false;
  memset(calls.gone, 0, sizeof calls.gone);
  pthread_mutex_unlock(&calls.lock);
}

static void calls_open(void) {
  pthread_mutex_lock(&calls.lock);
  calls.open = true;
  pthread_cond_broadcast(&calls.changed);
  pthread_mutex_unlock(&calls.lock);
}

// --- The module calls -------------------------------------------------------
static int read_count(const int *count) {
  pthread_mutex_lock(&calls.lock);
  int n = *count;
  pthread_mutex_unlock(&calls.lock);
  return n;
}

static CspStatus calls_running(CspCall *call) {
  return csp_ok_int(call, read_count(&calls.running));
}

static CspStatus calls_most(CspCall *call) {
  return csp_ok_int(call, read_count(&calls.most));
}

static CspStatus calls_count(CspCall *call) {
  return csp_ok_int(call, read_count(&calls.count));
}

static CspStatus calls_made(CspCall *call) {
  char text[NAMES_MOST * (NAME_ROOM + 1)] = "";
  size_t len = 0;
  pthread_mutex_lock(&calls.lock);
  for (int i = 0; i < calls.count; i++)
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%s",
                            i == 0 ? "" : " ", calls.made[i]);
  pthread_mutex_unlock(&calls.lock);
  return csp_ok_string(call, text, len);
}

// Lets all calls for the name go that have begun.
static CspStatus calls_go(CspCall *call) {
  const char *name;
  size_t len;
  if (!csp_need_string(call, 0, &name, &len)) return CSP_PANIC;
  pthread_mutex_lock(&calls.lock);
  for (int i = 0; i < calls.count; i++)
    if (strcmp(calls.made[i], name) == 0) calls.gone[i] = true;
  pthread_cond_broadcast(&calls.changed);
  pthread_mutex_unlock(&calls.lock);
  return csp_ok_nothing(call);
}

static CspStatus calls_all_go(CspCall *call) {
  calls_open();
  return csp_ok_nothing(call);
}

// Whether a connection to ::1 at that port gets no answer, as far as can be
// seen.
static bool is_silent(uint16_t port) {
  struct sockaddr_in6 at = {.sin6_family = AF_INET6,
                            .sin6_addr = IN6ADDR_LOOPBACK_INIT,
                            .sin6_port = htons(port)};
  int fd = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  bool waits = connect(fd, (struct sockaddr *)&at, sizeof at) != 0 &&
               errno == EINPROGRESS;
  struct pollfd wait = {.fd = fd, .events = POLLOUT};
  bool silent = waits && poll(&wait, 1, 50) == 0;
  close(fd);
  return silent;
}

static CspStatus calls_silent(CspCall *call) {
  int64_t port;
  if (!csp_need_int(call, 0, &port)) return CSP_PANIC;
  return csp_ok_bool(call, is_silent((uint16_t)port));
}

static const CspFunction calls_functions[] = {
    {"running", "", calls_running},   {"most", "", calls_most},
    {"count", "", calls_count},       {"made", "", calls_made},
    {"go_on", "name", calls_go},      {"all_go_on", "", calls_all_go},
    {"silent", "port", calls_silent}, {NULL, NULL, NULL},
};

static const CspModule calls_module = {"calls", calls_functions, NULL, NULL, 0};

// --- Scripts ----------------------------------------------------------------
// ask begins a lookup, and returns when that waits for its end.
static const char script_head[] =
    "import \"calls\"\nimport \"net\"\nimport \"os\"\nimport \"sched\"\n"
    "import \"time\"\n"
    "func until(f) { for !f() { sleep(1ms) } }\n"
    // goroutines whose stacks are equal stand in one line of a dump
    "func waiting() {\n"
    "  n := 0\n"
    "  for line in sched.dump().lines() {\n"
    "    if !line.contains(\"[select\") { continue }\n"
    "    word := line.trim(\" \").split(\" \")[0]\n"
    "    n += (if word == \"goroutine\" { 1 } else { int(word) })\n"
    "  }\n"
    "  return n\n}\n"
    "struct Asked { answer, stop }\n"
    "func ask(name, timeout = nil) {\n"
    "  before, asked := waiting(), Asked(chan(1), chan(2))\n"
    "  go {\n"
    "    group g {\n"
    "      go {\n"
    "        ips, err := net.lookup(name, timeout)\n"
    "        asked.answer <- (ips, err)\n"
    "        asked.stop <- true\n"
    "      }\n"
    "      <-asked.stop\n"
    "      g.cancel()\n"
    "    }\n"
    "  }\n"
    "  until(func() => waiting() == before + 1 || len(asked.answer) == 1)\n"
    "  return asked\n}\n"
    "func leave(asked) {\n"
    "  before := waiting()\n"
    "  asked.stop <- true\n"
    "  until(func() => waiting() == before - 1)\n}\n"
    "func get(asked) => <-asked.answer\n"
    "func calling(n) { until(func() => calls.count() == n) }\n"
    "func fill() => list(0..32).map(func(i) => ask(\"n${i}\"))\n";

static void expect_script(CspConfig config, const char *text, const char *out) {
  char whole[4096];
  calls_reset();
  snprintf(whole, sizeof whole, "%s%s", script_head, text);
  Host host;
  host_open(&host, config);
  assert_true(csp_register(host.csp, &calls_module));
  int status = host_run(&host, whole);
  calls_open();
  if (status != 0 || strcmp(host.out, out) != 0)
    fail_msg("%s\nends with %d, prints\n%s%s", text, status, host.out,
             host.err);
  host_close(&host);
  // Those that were not waited for leave soon.
  while (read_count(&calls.running) != 0) usleep(1000);
}

static void expect_on_all(const char *text, const char *out) {
  for (int procs = 1; procs <= 8; procs *= 8)
    expect_script((CspConfig){.procs = procs, .allowed = CSP_ALL}, text, out);
}

// --- The limit --------------------------------------------------------------
static void at_most_32_call_at_once_in_order(void **state) {
  (void)state;
  expect_on_all(
      "tasks := fill()\n"
      "for i in 8 { tasks.push(ask(\"w${i}\")) }\n"
      "sleep(5ms)\n"
      "println(calls.count(), calls.most())\n"
      // nobody else is held up
      "l := net.listen(\"127.0.0.1:0\")?\nc := net.dial(l.address())?\n"
      "l.accept()?.write(\"hello\")?\nprintln(c.read()?)\n"
      "println(len(os.read_file(\"/proc/self/stat\")?) > 0)\n"
      "for i in 8 {\n"
      "  calls.go_on(\"n${i}\")\n"
      "  calling(33 + i)\n"
      "  println(calls.made().split(\" \").pop())\n"
      "}\n"
      "calls.all_go_on()\n"
      "for t in tasks { if get(t)[0][0] != \"127.0.0.1\" { println(\"?\") } }\n"
      "println(calls.count(), calls.most(), calls.running())\n",
      "32 32\nhello\ntrue\nw0\nw1\nw2\nw3\nw4\nw5\nw6\nw7\n40 32 0\n");
}

static void waits_at_the_limit_are_cancelled(void **state) {
  (void)state;
  expect_on_all(
      "tasks := fill()\n"
      "first, late := ask(\"first\"), ask(\"late\", 1ms)\n"
      "println(get(late)[1].code)\n"
      "third := ask(\"third\")\n"
      "leave(first)\n"
      "calls.go_on(\"n7\")\n"
      "calling(33)\n"
      // they were never called
      "println(calls.made().split(\" \").pop())\n"
      "calls.all_go_on()\nprintln(get(third)[0])\n"
      "for t in tasks { get(t) }\nprintln(calls.count())\n",
      "timeout\nthird\n[\"127.0.0.1\"]\n33\n");
}

// A program that begins and cancels forever keeps nothing of it.
static void many_that_are_cancelled_at_the_limit(void **state) {
  (void)state;
  expect_on_all(
      "tasks := fill()\n"
      "for i in 200 {\n"
      "  _, err := net.lookup(\"x${i}\", timeout: 1us)\n"
      "  if err.code != \"timeout\" { println(\"?\", err) }\n"
      "}\n"
      "last := ask(\"last\")\n"
      "calls.go_on(\"n31\")\ncalling(33)\ncalls.all_go_on()\n"
      "println(get(last)[0], calls.made().has_suffix(\"n31 last\"))\n",
      "[\"127.0.0.1\"] true\n");
}

// --- Equal names ------------------------------------------------------------
static void equal_names_share_a_call(void **state) {
  (void)state;
  expect_on_all(
      "tasks := list(0..5).map(func(i) => ask(\"same\"))\n"
      "calling(1)\nsleep(2ms)\n"
      "calls.go_on(\"same\")\n"
      "lists := tasks.map(func(t) => get(t)[0])\n"
      // each has a list of its own
      "lists[0].push(\"mine\")\n"
      "println(lists[0], lists[4], calls.count())\n",
      "[\"127.0.0.1\", \"mine\"] [\"127.0.0.1\"] 1\n");
}

static void the_first_is_cancelled_and_the_others_get_it(void **state) {
  (void)state;
  expect_on_all(
      "first, second := ask(\"same\"), ask(\"same\")\n"
      "late := ask(\"same\", 1ms)\n"
      "println(get(late)[1].code)\n"
      "calling(1)\nleave(first)\n"
      "third := ask(\"same\")\n"
      "calls.go_on(\"same\")\n"
      "println(get(second)[0], get(third)[0], calls.count())\n",
      "timeout\n[\"127.0.0.1\"] [\"127.0.0.1\"] 1\n");
}

static void a_call_that_all_have_left_is_joined(void **state) {
  (void)state;
  expect_on_all(
      "first, second := ask(\"same\"), ask(\"same\")\n"
      "calling(1)\nleave(first)\nleave(second)\n"
      "third := ask(\"same\")\n"
      "calls.go_on(\"same\")\n"
      "println(get(third)[0], calls.count())\n",
      "[\"127.0.0.1\"] 1\n");
}

// Those that wait for a place share one, too.
static void equal_names_at_the_limit(void **state) {
  (void)state;
  expect_on_all(
      "tasks := fill()\n"
      "first, other, second := ask(\"same\"), ask(\"other\"), ask(\"same\")\n"
      "leave(first)\n"
      // forgotten, and begun anew at the end
      "gone := ask(\"gone\")\nlast := ask(\"last\")\nleave(gone)\n"
      "gone = ask(\"gone\")\n"
      "for i in 4 { calls.go_on(\"n${i}\"); calling(33 + i) }\n"
      "println(calls.made().split(\" \")[32:])\n"
      "calls.all_go_on()\n"
      "for t in [other, second, last, gone] { get(t) }\n"
      "println(calls.count())\n",
      "[\"same\", \"other\", \"last\", \"gone\"]\n36\n");
}

static void errors_go_to_all_and_nothing_is_kept(void **state) {
  (void)state;
  expect_on_all(
      "tasks := list(0..3).map(func(i) => ask(\"fail.example\"))\n"
      "calling(1)\ncalls.go_on(\"fail.example\")\n"
      "for t in tasks { err := get(t)[1]; println(err.code, err) }\n"
      "again := ask(\"fail.example\")\n"
      "calling(2)\ncalls.all_go_on()\n"
      "failed := get(again)[1]\n"
      "_, err := net.lookup(\"fail.example\")\n"
      "println(failed.code, err.code, calls.count())\n",
      "not_found cannot look up \"fail.example\": there is no such name\n"
      "not_found cannot look up \"fail.example\": there is no such name\n"
      "not_found cannot look up \"fail.example\": there is no such name\n"
      "not_found not_found 3\n");
}

// libc's words for them would be in the language of the host's locale.
static void words_of_errors_are_ours(void **state) {
  (void)state;
  expect_on_all(
      "calls.all_go_on()\n"
      "for name in [\"empty\", \"broken\"] {\n"
      "  _, err := net.lookup(name)\n"
      "  println(err.code, err)\n"
      "}\n",
      "not_found cannot look up \"empty\": the name has no address\n"
      "other cannot look up \"broken\": the system's resolver fails\n");
}

// --- Groups, limits, the end ------------------------------------------------
static void groups_leave_lookups(void **state) {
  (void)state;
  expect_on_all(
      "group g {\n"
      "  for i in 40 { go { net.lookup(\"n${i}\", timeout: nil) } }\n"
      "  until(func() => calls.count() == 32)\n"
      "  g.cancel()\n}\n"
      "_, err := time.limit(2ms, func() => net.lookup(\"n3\", nil))\n"
      "println(err.code)\n"
      "calls.all_go_on()\n"
      "println(net.lookup(\"n39\")?)\n",
      "timeout\n[\"127.0.0.1\"]\n");
}

static void runs_end_while_calls_block(void **state) {
  (void)state;
  expect_on_all(
      "tasks := fill()\nask(\"more\")\nask(\"n0\")\nprintln(\"ends\")\n",
      "ends\n");
}

// --- Stepped ----------------------------------------------------------------
// Its host waits for no name: nobody is asked. What needs no asking works.
static void a_stepped_host_waits_for_no_name(void **state) {
  (void)state;
  expect_script(
      (CspConfig){.stepped = true, .allowed = CSP_ALL},
      "calls.all_go_on()\n"
      "for name in [\"127.0.0.1\", \"::1\", \"LocalHost\"] {\n"
      "  println(net.lookup(name)?)\n"
      "}\n"
      "l := net.listen(\"127.0.0.1:0\")?\n"
      "_, port, _ := net.split(l.address())\n"
      "c := net.dial(\"localhost:${port}\")?\n"
      "println(c.remote() == l.address())\n"
      "_, err := net.lookup(\"some.example\")\n"
      "println(err.code, err)\n"
      "_, again := net.dial(\"some.example:80\")\n"
      "println(again.code, again.message == err.message)\n"
      "println(calls.count())\n",
      "[\"127.0.0.1\"]\n[\"::1\"]\n[\"::1\", \"127.0.0.1\"]\n"
      "true\n"
      "unsupported cannot look up \"some.example\": a stepped runtime "
      "does not wait for the system's resolver: import \"dns\", which "
      "looks up names without waiting, or give an IP address\n"
      "unsupported true\n0\n");
}

// --- Which address of a name ------------------------------------------------
// Listens at ::1, or at
// 127.0.0.1 at that port. -1: it cannot.
static int listen_at(int family, uint16_t *port, int backlog) {
  Answer *at = add_answer(family, NULL);
  struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&at->address;
  struct sockaddr_in *v4 = (struct sockaddr_in *)&at->address;
  in_port_t *field = family == AF_INET6 ? &v6->sin6_port : &v4->sin_port;
  *field = htons(*port);
  int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  socklen_t len = at->info.ai_addrlen;
  bool done = fd >= 0 && bind(fd, at->info.ai_addr, len) == 0 &&
              listen(fd, backlog) == 0 &&
              getsockname(fd, at->info.ai_addr, &len) == 0;
  *port = ntohs(*field);
  free(at);
  if (done || fd < 0) return done ? fd : -1;
  close(fd);
  return -1;
}

enum { FILLERS = 8 };

// Connects to ::1 until nobody answers there.
static bool fill_queue(uint16_t port, int fillers[FILLERS]) {
  struct sockaddr_in6 at = {.sin6_family = AF_INET6,
                            .sin6_addr = IN6ADDR_LOOPBACK_INIT,
                            .sin6_port = htons(port)};
  for (int i = 0; i < FILLERS; i++) {
    fillers[i] = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0);
    connect(fillers[i], (struct sockaddr *)&at, sizeof at);
  }
  return is_silent(port);
}

static const char dial_both[] =
    "calls.all_go_on()\n"
    "begun := time.monotonic()\n"
    "c := net.dial(\"both:%u\", timeout: nil)?\n"
    "took := time.monotonic() - begun\n"
    "println(c.remote() == \"%s:%u\", %s)\n";

// Nobody answers at ::1. After 250 ms 127.0.0.1 is tried, too. (Some systems
// answer later. Then the time says nothing.)
static void the_other_kind_is_tried_after_250_ms(void **state) {
  (void)state;
  int fillers[FILLERS];
  uint16_t port = 0;
  char text[512], late[64];
  int v6 = listen_at(AF_INET6, &port, 0);
  if (v6 < 0) skip();  // no IPv6 here
  int v4 = listen_at(AF_INET, &port, 10);
  bool ready = v4 >= 0 && fill_queue(port, fillers);
  if (!ready) skip();  // the port is another's, or this system drops nothing
  snprintf(late, sizeof late, "took >= 250ms || !calls.silent(%u)", port);
  snprintf(text, sizeof text, dial_both, port, "127.0.0.1", port, late);
  expect_script((CspConfig){.procs = 2, .allowed = CSP_ALL}, text,
                "true true\n");
  for (int i = 0; i < FILLERS; i++) close(fillers[i]);
  close(v4);
  close(v6);
}

// ::1 refuses at once, and then 127.0.0.1 is tried.
static void the_other_kind_is_tried_after_an_error(void **state) {
  (void)state;
  uint16_t port = 0;
  char text[512];
  int v4 = listen_at(AF_INET, &port, 10);
  assert_true(v4 >= 0);
  snprintf(text, sizeof text, dial_both, port, "127.0.0.1", port, "took > 0");
  expect_on_all(text, "true true\n");
  close(v4);
}

// ::1 is the first of the two, and answers.
static void the_first_that_connects_is_taken(void **state) {
  (void)state;
  uint16_t port = 0;
  char text[512];
  int v6 = listen_at(AF_INET6, &port, 10);
  if (v6 < 0) skip();  // no IPv6 here
  snprintf(text, sizeof text, dial_both, port, "[::1]", port, "took > 0");
  expect_on_all(text, "true true\n");
  close(v6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_most_32_call_at_once_in_order),
      cmocka_unit_test(waits_at_the_limit_are_cancelled),
      cmocka_unit_test(many_that_are_cancelled_at_the_limit),
      cmocka_unit_test(equal_names_share_a_call),
      cmocka_unit_test(the_first_is_cancelled_and_the_others_get_it),
      cmocka_unit_test(a_call_that_all_have_left_is_joined),
      cmocka_unit_test(equal_names_at_the_limit),
      cmocka_unit_test(errors_go_to_all_and_nothing_is_kept),
      cmocka_unit_test(words_of_errors_are_ours),
      cmocka_unit_test(groups_leave_lookups),
      cmocka_unit_test(runs_end_while_calls_block),
      cmocka_unit_test(a_stepped_host_waits_for_no_name),
      cmocka_unit_test(the_other_kind_is_tried_after_250_ms),
      cmocka_unit_test(the_other_kind_is_tried_after_an_error),
      cmocka_unit_test(the_first_that_connects_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
