// SPDX-License-Identifier: MIT
// What a server and a client wait for when nothing else is said, in a time that
// the scripts make themselves. All of the runtime asks rt_now, which stands
// still here until a script calls `pass`. So seconds and hours take no time,
// and a slow machine changes nothing.
//
// A script reads what it waits for. A limit that is too short shows as another
// answer, and one that is too long as a test that hangs.
#include "host_fixture.h"

#include <sys/socket.h>
#include <unistd.h>

// --- The clock --------------------------------------------------------------
int64_t __real_rt_now(void);
int64_t __wrap_rt_now(void);

// Each look takes 20 ns, so that a loop which waits for the time comes to its
// end.
enum { LOOK_NS = 20 };
static int64_t now;

int64_t __wrap_rt_now(void) {
  return __atomic_add_fetch(&now, LOOK_NS, __ATOMIC_RELAXED);
}

static CspStatus pass(CspCall *call) {
  int64_t ns;
  if (!csp_need_int(call, 0, &ns)) return CSP_PANIC;
  __atomic_add_fetch(&now, ns, __ATOMIC_RELAXED);
  return csp_ok_nothing(call);
}

// narrow(connection): it receives 64 KB ahead. The system widens this of a
// reader that is fast in the system's time, as all are here. Then it takes tens
// of megabytes, and says nothing of what is read until that is megabytes.
static CspStatus narrow(CspCall *call) {
  int number = csp_fd_number(csp_connection_fd(csp_arg(call, 0)));
  int bytes = 1 << 16;
  assert_int_equal(
      setsockopt(number, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes), 0);
  return csp_ok_nothing(call);
}

static const CspFunction clock_functions[] = {
    {"pass", "ns", pass}, {"narrow", "connection", narrow}, {NULL, NULL, NULL}};

// --- Scripts ----------------------------------------------------------------
// settle: while this goroutine sleeps, the runtime looks at all descriptors,
// and others run. let: time passes, before and after which that is so.
static const char beginning[] =
    "import \"http\"\n"
    "import \"net\"\n"
    "import \"time\"\n"
    "func settle() {\n"
    "  for _ in 20 { sleep(40ns) }\n"
    "}\n"
    "func let(ns) {\n"
    "  settle()\n"
    "  pass(ns)\n"
    "  settle()\n"
    "}\n"
    "begun, go_on := chan(10), chan()\n"
    "listener := net.listen(\"127.0.0.1:0\")?\n"
    "app := http.routes({\n"
    "  \"/\": func(r) => \"text\",\n"
    "  \"POST /\": func(r) {\n"
    "    begun <- true\n"
    "    return len(r.text()?), nil\n"
    "  },\n"
    "  \"/waits\": func(r) {\n"
    "    begun <- true\n"
    "    <-go_on\n"
    "    return len(r.text()?), nil\n"
    "  },\n"
    "  \"/between\": func(r) {\n"
    "    n := len(r.read()?)\n"
    "    begun <- true\n"
    "    <-go_on\n"
    "    return n + len(r.text()?), nil\n"
    "  },\n"
    "  \"/given-up\": func(r) {\n"
    "    n := len(r.read()?)\n"
    "    begun <- true\n"
    "    _, late := time.limit(10s, r.read)\n"
    "    begun <- late.code\n"
    "    <-go_on\n"
    "    return n + len(r.text()?), nil\n"
    "  },\n"
    "  \"/long\": func(r) {\n"
    "    begun <- true\n"
    "    return \"x\".repeat(30 << 20)\n"
    "  },\n"
    "})\n"
    "serving := go http.serve(listener, app)\n"
    "func connect(text) {\n"
    "  c := net.dial(listener.address())?\n"
    "  narrow(c)\n"
    "  c.write(text)?\n"
    "  return c, nil\n"
    "}\n"
    // The status and the body of an answer, or how the connection has ended.
    "func answer(c) {\n"
    "  head, err := c.read_until(\"\\r\\n\\r\\n\")\n"
    "  if err != nil { return err.code }\n"
    "  if head == nil { return \"closed\" }\n"
    "  length := 0\n"
    "  for line in head.split(\"\\r\\n\") {\n"
    "    if line.has_prefix(\"Content-Length: \") { length = int(line[16:]) }\n"
    "  }\n"
    "  text, failed := c.read_exact(length)\n"
    "  if failed != nil { return failed.code }\n"
    "  return \"${head.split(\" \")[1]} ${text.trim().part(0, 30)}\"\n"
    "}\n"
    "const GET = \"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n\"\n"
    "func post(path, n) =>\n"
    "  \"POST ${path} HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: "
    "${n}\\r\\n\\r\\n\"\n";

static void expect(const char *script, const char *out) {
  Host host;
  host_open(&host, (CspConfig){.stepped = true, .allowed = CSP_NET});
  assert_true(csp_register_builtins(host.csp, clock_functions));
  char *text = NULL;
  assert_true(asprintf(&text, "%s%s", beginning, script) > 0);
  int status = host_run(&host, text);
  if (status != 0 || strcmp(host.out, out) != 0 || host.err[0] != '\0')
    fail_msg("%s\nends with %d, prints\n%s%s", script, status, host.out,
             host.err);
  free(text);
  host_close(&host);
}

// --- Servers ----------------------------------------------------------------
static void a_head_has_10_s(void **state) {
  (void)state;
  expect(
      // The first request shows that the server has got the rest, too.
      "a, b := connect(GET + \"GET / HT\")?, connect(GET + \"GET / HT\")?\n"
      "println(answer(a), answer(b))\n"
      "let(9900ms)\n"
      "a.write(\"TP/1.1\\r\\nHost: a\\r\\n\\r\\n\")?\n"
      "println(answer(a))\n"
      "let(200ms)\n"
      "println(answer(b))\n",
      "200 text 200 text\n200 text\n408 the request took too long\n");
}

static void a_head_that_drips_has_no_more(void **state) {
  (void)state;
  expect(
      "c := connect(GET + \"G\")?\n"
      "println(answer(c))\n"
      "for byte in \"ET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n\".split(\"\") {\n"
      "  let(1s)\n"
      "  if c.write(byte) != nil { break }\n"
      "}\n"
      "println(answer(c))\n",
      "200 text\n408 the request took too long\n");
}

static void a_connection_is_kept_60_s(void **state) {
  (void)state;
  expect(
      "a, b := connect(GET)?, connect(GET)?\n"
      "fresh := connect(\"\")?\n"
      "println(answer(a), answer(b))\n"
      "let(59900ms)\n"
      "a.write(GET)?\n"
      "println(answer(a))\n"
      "let(200ms)\n"
      "println(answer(b), answer(fresh))\n",
      "200 text 200 text\n200 text\nclosed closed\n");
}

static void a_body_may_stall_30_s(void **state) {
  (void)state;
  expect(
      "a, b := connect(post(\"/\", 4) + \"a\")?, connect(post(\"/\", 4) + "
      "\"a\")?\n"
      "for _ in 2 { <-begun }\n"
      "let(29900ms)\n"
      "a.write(\"bcd\")?\n"
      "println(answer(a))\n"
      "let(200ms)\n"
      "println(answer(b))\n",
      "200 4\n408 the body took too long\n");
}

// One byte does not begin the time anew.
static void a_body_has_1_kb_a_second(void **state) {
  (void)state;
  expect(
      // The bytes that come each second, until the server answers: whether that
      // took so many seconds, and the answer.
      "func drip(bytes, n, wanted) {\n"
      "  c := connect(post(\"/\", n))?\n"
      "  <-begun\n"
      "  got := chan(1)\n"
      "  go { got <- answer(c) }\n"
      "  sent, seconds := 0, 0\n"
      "  for {\n"
      "    let(1s)\n"
      "    seconds++\n"
      "    if len(got) > 0 || sent == n { break }\n"
      "    sent += bytes\n"
      "    if c.write(\"x\".repeat(bytes)) != nil { break }\n"
      "  }\n"
      "  return (seconds in wanted, <-got), nil\n"
      "}\n"
      "println(drip(1, 100, 31..33)?)\n"
      "println(drip(100, 10000, 34..36)?)\n"
      "println(drip(512, 51200, 59..62)?)\n"
      "println(drip(1030, 103000, 101..102)?)\n"
      "println(drip(5000, 500000, 101..102)?)\n",
      "(true, \"408 the body took too long\")\n"
      "(true, \"408 the body took too long\")\n"
      "(true, \"408 the body took too long\")\n"
      "(true, \"200 103000\")\n(true, \"200 500000\")\n");
}

static void a_handlers_time_never_counts(void **state) {
  (void)state;
  expect(
      // Before it reads, and between two reads.
      "for path in [\"/waits\", \"/between\"] {\n"
      "  c := connect(post(path, 4) + \"a\")?\n"
      "  <-begun\n"
      "  let(1h)\n"
      "  go_on <- true\n"
      "  let(29s)\n"
      "  c.write(\"bcd\")?\n"
      "  println(path, answer(c))\n"
      "  let(59s)\n"
      "  c.write(GET)?\n"
      "  println(answer(c))\n"
      "}\n",
      "/waits 200 4\n200 text\n"
      "/between 200 4\n200 text\n");
}

// It counts until the handler gives it up.
static void a_read_that_was_given_up_does_not_count_on(void **state) {
  (void)state;
  expect(
      "a, b := connect(post(\"/given-up\", 4) + \"a\")?, "
      "connect(post(\"/given-up\", 4) + \"a\")?\n"
      "for _ in 2 { <-begun }\n"
      "let(10s)\n"
      "println(<-begun, <-begun)\n"
      "let(1h)\n"
      "for _ in 2 { go_on <- true }\n"
      "let(19s)\n"
      "a.write(\"bcd\")?\n"
      "println(answer(a))\n"
      "let(2s)\n"
      "println(answer(b))\n",
      "timeout timeout\n200 4\n408 the body took too long\n");
}

static void an_answer_may_stall_30_s(void **state) {
  (void)state;
  expect(
      "const LONG = GET.replace(\"/ \", \"/long \")\n"
      "a, b := connect(LONG)?, connect(LONG)?\n"
      "for c in [a, b] { println(c.read_line()?) }\n"
      // What it takes is looked at eight times in the 30 s.
      "let(4s)\n"
      "let(25900ms)\n"
      "n := 0\n"
      "for n < 30 << 20 { n += len(a.read_bytes()?) }\n"
      "println(n >= 30 << 20)\n"
      "let(5s)\n"
      "for {\n"
      "  piece, err := b.read_bytes()\n"
      "  if err != nil || piece == nil {\n"
      "    println(err.code)\n"
      "    break\n"
      "  }\n"
      "}\n",
      "HTTP/1.1 200 OK\nHTTP/1.1 200 OK\ntrue\nreset\n");
}

// The system's buffer has room for minutes of what this client reads, so a
// write waits long though the client reads all the while. 27 KB/s are enough.
static void an_answer_may_be_read_slowly(void **state) {
  (void)state;
  expect(
      "c := connect(GET.replace(\"/ \", \"/long \"))?\n"
      "n := 0\n"
      "for _ in 30 {\n"
      "  for k in 8 { n += len(c.read_exact(50_000)?) }\n"
      "  let(15s)\n"
      "}\n"
      "println(n)\n"
      "for n < 30 << 20 { n += len(c.read_bytes()?) }\n"
      "println(n >= 30 << 20)\n",
      "12000000\ntrue\n");
}

// --- Events -----------------------------------------------------------------
// They come once an hour for half a day, from a channel and from a function.
// The stream goes on for all of it, and so does its connection.
static void events_go_on_for_hours(void **state) {
  (void)state;
  expect(
      "events := chan()\n"
      "sources := [events, func() => <-events]\n"
      "news := net.listen(\"127.0.0.1:0\")?\n"
      "go http.serve(news, func(r) => if r.path == \"/\" {\n"
      "  \"text\"\n"
      "} else {\n"
      "  http.events(sources[int(r.path[1:])])\n"
      "})\n"
      "for i in 2 {\n"
      "  c := net.dial(news.address())?\n"
      "  c.write(GET.replace(\"/ \", \"/${i} \"))?\n"
      "  c.read_until(\"\\r\\n\\r\\n\")?\n"
      "  for n in 12 {\n"
      "    let(1h)\n"
      "    events <- \"event ${n}\"\n"
      "    c.read_until(\"data: event ${n}\\n\\n\\r\\n\")?\n"
      "  }\n"
      "  let(1h)\n"
      "  events <- nil\n"
      "  c.read_until(\"0\\r\\n\\r\\n\")?\n"
      "  c.write(GET)?\n"
      "  println(answer(c))\n"
      "}\n",
      "200 text\n200 text\n");
}

// Which shows the server that the other side is gone.
static void a_comment_comes_after_15_s(void **state) {
  (void)state;
  expect(
      "events := chan()\n"
      "news := net.listen(\"127.0.0.1:0\")?\n"
      "go http.serve(news, func(r) => http.events(events))\n"
      "c := net.dial(news.address())?\n"
      "c.write(GET)?\n"
      "c.read_until(\"\\r\\n\\r\\n\")?\n"
      "let(14900ms)\n"
      "events <- \"a\"\n"
      "println(c.read_until(\"\\n\\n\")?.quote())\n"
      "let(15100ms)\n"
      "println(c.read_until(\"\\n\\n\")?.quote())\n",
      "\"9\\r\\ndata: a\"\n\"\\r\\n3\\r\\n:\"\n");
}

// --- Clients ----------------------------------------------------------------
static void a_client_keeps_connections_45_s(void **state) {
  (void)state;
  expect(
      "accepted, ended := 0, chan(10)\n"
      "const OK = \"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok\"\n"
      "server := net.listen(\"127.0.0.1:0\")?\n"
      "go server.serve(func(c) {\n"
      "  accepted++\n"
      "  for c.read_until(\"\\r\\n\\r\\n\")? != nil { c.write(OK)? }\n"
      "  ended <- true\n"
      "})\n"
      "url := \"http://${server.address()}/\"\n"
      "for _ in 3 {\n"
      "  print(http.get(url)?.text()?, accepted, len(ended), \"\")\n"
      "  let(44s)\n"
      "}\n"
      "println(len(ended))\n"
      // It looks after them every 5 s.
      "let(6s)\n"
      "println(<-ended, http.get(url)?.text()?, accepted)\n",
      "ok 1 0 ok 1 0 ok 1 0 0\ntrue ok 2\n");
}

static void a_client_waits_30_s_for_a_head(void **state) {
  (void)state;
  expect(
      "heads := chan(10)\n"
      "const OK = \"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok\"\n"
      "server := net.listen(\"127.0.0.1:0\")?\n"
      "go server.serve(func(c) {\n"
      "  c.read_until(\"\\r\\n\\r\\n\")?\n"
      "  heads <- c\n"
      "  _, _ = c.read()\n"
      "})\n"
      "url := \"http://${server.address()}/\"\n"
      "tasks := [go http.get(url), go http.get(url)]\n"
      "connections := [<-heads, <-heads]\n"
      "let(29900ms)\n"
      "connections[0].write(OK)?\n"
      "codes := []\n"
      "let(200ms)\n"
      "for t in tasks {\n"
      "  reply, err := <-t\n"
      "  codes.push(if err == nil { reply.text()? } else { err.code })\n"
      "}\n"
      "println(codes.sort())\n",
      "[\"ok\", \"timeout\"]\n");
}

int main(void) {
  alarm(300);
  now = __real_rt_now();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_head_has_10_s),
      cmocka_unit_test(a_head_that_drips_has_no_more),
      cmocka_unit_test(a_connection_is_kept_60_s),
      cmocka_unit_test(a_body_may_stall_30_s),
      cmocka_unit_test(a_body_has_1_kb_a_second),
      cmocka_unit_test(a_handlers_time_never_counts),
      cmocka_unit_test(a_read_that_was_given_up_does_not_count_on),
      cmocka_unit_test(an_answer_may_stall_30_s),
      cmocka_unit_test(an_answer_may_be_read_slowly),
      cmocka_unit_test(events_go_on_for_hours),
      cmocka_unit_test(a_comment_comes_after_15_s),
      cmocka_unit_test(a_client_keeps_connections_45_s),
      cmocka_unit_test(a_client_waits_30_s_for_a_head),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
