// SPDX-License-Identifier: MIT
// The end of a server of HTTP while there is no memory: connections that are
// idle are ended when there is some, and the answer that was under way is not
// cut off.
#include "host_fixture.h"

#include "failing.h"

// lack(n): the n-th allocation from now on fails, and all after it. 0: none.
static CspStatus lack(CspCall *call) {
  int64_t n;
  if (!csp_need_int(call, 0, &n)) return CSP_PANIC;
  failing.always = n != 0;
  failing.at = n == 0 ? 0 : failing.count + (long)n;
  return csp_ok_nothing(call);
}

// How many have failed.
static CspStatus lacked(CspCall *call) {
  return csp_ok_int(call, failing.failed);
}

static const CspFunction functions[] = {
    {"lack", "n", lack}, {"lacked", "", lacked}, {NULL, NULL, NULL}};

static const char script[] =
    "import \"http\"\n"
    "import \"net\"\n"
    "listener := net.listen(\"127.0.0.1:0\")?\n"
    "begun, go_on := chan(1), chan(1)\n"
    "serving := go http.serve(listener, func(r) {\n"
    "  if r.path == \"/idle\" { return \"text\" }\n"
    "  begun <- true\n"
    "  <-go_on\n"
    "  return \"text\"\n"
    "})\n"
    "func ask(path) {\n"
    "  c := net.dial(listener.address())?\n"
    "  c.write(\"GET ${path} HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n\")?\n"
    "  return c, nil\n"
    "}\n"
    "idle, busy := ask(\"/idle\")?, ask(\"/busy\")?\n"
    "idle.read_until(\"\\r\\n\\r\\ntext\")?\n"
    "<-begun\n"
    "end := listener.close\n"
    "lack(FAILS)\n"
    "end()\n"
    "for i := 0; i < 1_000_000 && lacked() < 9; i++ { }\n"
    "lack(0)\n"
    "println(idle.read()?)\n"
    "go_on <- true\n"
    "println(busy.read_line()? ?? \"cut off\")\n"
    "busy.close()\n"
    "println(<-serving)\n";

static void the_end_waits_for_memory(void **state) {
  (void)state;
  enum { MOST = 20 };
  for (int n = 1; n <= MOST; n++) {
    Host host;
    char text[sizeof script + 64];
    snprintf(text, sizeof text, "const FAILS = %d\n%s", n, script);
    // From the beginning, so that no cache of the heap fills.
    failing.on = true;
    failing.failed = 0;
    host_open(&host, (CspConfig){.procs = 2, .allowed = CSP_NET});
    assert_true(csp_register_builtins(host.csp, functions));
    int status = host_run(&host, text);
    failing.on = false;
    if (status != 0 || strcmp(host.out, "nil\nHTTP/1.1 200 OK\nnil\n") != 0)
      fail_msg("%d ends with %d, prints\n%s%s", n, status, host.out, host.err);
    host_close(&host);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_end_waits_for_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
