// SPDX-License-Identifier: MIT
// The module net in hosts: what they allow, roots, and runtimes that end while
// goroutines wait for the network.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "descriptors.h"
#include "root_fixture.h"

// --- What a host allows -----------------------------------------------------
static void net_is_allowed_alone(void **state) {
  (void)state;
  static const char *const calls[] = {"listen(\"127.0.0.1:0\")",
                                      "dial(\"127.0.0.1:1\")",
                                      "lookup(\"localhost\")"};
  for (int i = 0; i < 3; i++) {
    char text[128];
    snprintf(text, sizeof text, "import \"net\"\nprintln(net.%s)\n", calls[i]);
    CspConfig config = {.procs = 2, .allowed = CSP_ALL & ~CSP_NET};
    expect_end(config, text, 1, "CSP_NET");
  }
}

static void unix_sockets_are_files(void **state) {
  (void)state;
  expect_output((CspConfig){.procs = 2, .allowed = CSP_NET},
                "import \"net\"\n"
                "for f in [net.listen, net.dial] {\n"
                "  _, err := f(\"unix:/tmp/csp-never\")\n"
                "  println(err.code)\n}\n"
                "println(net.listen(\"127.0.0.1:0\")? != nil)\n",
                "permission\npermission\ntrue\n");
  assert_int_equal(access("/tmp/csp-never", F_OK), -1);
}

// --- Roots ------------------------------------------------------------------
static int listen_at(const char *folder, const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", folder, name);
  assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
  assert_int_equal(listen(fd, 10), 0);
  return fd;
}

// No path and no link leads to a socket outside.
static void root_holds_sockets(void **state) {
  (void)state;
  World world;
  world_open(&world);
  int outside = listen_at(world.outside, "socket");
  for (int i = 0; i < 4; i++) world_fingerprint(&world, i, world.before[i]);
  world_link(world.root, "../outside/socket", "link");
  char target[128];
  snprintf(target, sizeof target, "%s/socket", world.outside);
  world_link(world.root, target, "whole");
  CspConfig config = world_config(&world);
  config.allowed = CSP_FILES | CSP_NET;
  expect_output(
      config,
      "import \"net\"\n"
      "for path in [\"link\", \"whole\", \"/out/socket\", \"host/socket\",\n"
      "  \"../outside/socket\", \"/../outside/socket\"] {\n"
      "  c, err := net.dial(\"unix:${path}\")\n"
      "  if err == nil { println(\"dialled\", path) }\n"
      "  for at in [path, path + \"2\"] {\n"
      "    c, err = net.listen(\"unix:${at}\")\n"
      "    if err == nil && !at.contains(\"2\") { println(\"made\", at) }\n"
      "    if err == nil { c.close() }\n"
      "  }\n"
      "}\n"
      "l := net.listen(\"unix:/absolute/b/socket\")?\n"
      "c := net.dial(\"unix:a/b/socket\")?\n"
      "s := l.accept()?\n"
      "println(c.local(), c.remote(), s.local(), s.remote())\n"
      "l.close()\n"
      "_, err := net.dial(\"unix:a/b/socket\")\n"
      "println(err.code)\n",
      "unix: unix:a/b/socket unix:/absolute/b/socket unix:\nnot_found\n");
  struct pollfd ready = {.fd = outside, .events = POLLIN};
  assert_int_equal(poll(&ready, 1, 0), 0);
  close(outside);
  world_check(&world);
  world_close(&world);
}

// --- Proxies ----------------------------------------------------------------
// The address is of this machine, but none that proxies are never asked for.
static const char through_proxies[] =
    "import \"http\"\nimport \"net\"\n"
    "listener := net.listen(\"0.0.0.0:0\")?\n"
    "go http.serve(listener, func(r) => \"direct\")\n"
    "func show(url) {\n"
    "  reply, err := http.get(url)\n"
    "  println(if err == nil { reply.text()? } else { err.code })\n"
    "}\n"
    "show(\"http://${listener.address()}/\")\n"
    "show(\"https://${listener.address()}/\")\n";

static void proxies_are_of_the_environment(void **state) {
  (void)state;
  static const char *const names[] = {"http_proxy", "https_proxy"};
  for (int i = 0; i < 2; i++) setenv(names[i], "http://127.0.0.1:1", 1);
  setenv("no_proxy", "", 1);
  expect_output((CspConfig){.procs = 2, .allowed = CSP_NET}, through_proxies,
                "direct\nunsupported\n");
  setenv("https_proxy", "no proxy", 1);
  uint32_t both = CSP_NET | CSP_ENVIRONMENT;
  expect_output((CspConfig){.procs = 2, .allowed = both}, through_proxies,
                "refused\ninvalid\n");
  for (int i = 0; i < 2; i++) unsetenv(names[i]);
  unsetenv("no_proxy");
}

// --- The end ----------------------------------------------------------------
static const char waiting[] =
    "import \"net\"\n"
    "l := net.listen(\"127.0.0.1:0\")?\n"
    "full := net.dial(l.address())?\n"
    "taker := l.accept()?\n"
    "c := net.dial(l.address())?\n"
    "s := l.accept()?\n"
    "for i in 3 {\n"
    "  go { c.read()? }\n"
    "  go { s.incoming() }\n"
    "  go { l.accept()? }\n"
    "  go { l.serve(func(c) => nil)? }\n"
    "  go { _ = full.write(bytes(1 << 25)) }\n"  // close_write may be first
    "  go { net.lookup(\"localhost\")? }\n"
    "}\n"
    "group g {\n  go { sleep(1h) }\n  sleep(5ms)\n  g.cancel()\n}\n"
    "for i in 3 {\n  go { full.close_write()? }\n}\nsleep(1ms)\n"
    "println(\"waiting\", taker != nil)\n";

static void runtimes_end_while_all_wait(void **state) {
  (void)state;
  static const char *const ends[] = {"", "os.exit(0)\n",
                                     "panic(\"the end\")\n"};
  int before = open_descriptors();
  for (int procs = 1; procs <= 8; procs *= 2) {
    for (int i = 0; i < 3; i++) {
      char text[2048];
      bool exits = i == 1;
      snprintf(text, sizeof text, "%s%s%s", exits ? "import \"os\"\n" : "",
               waiting, ends[i]);
      CspConfig config = {.procs = procs, .allowed = CSP_ALL};
      expect_end(config, text, i == 2, i == 2 ? "the end" : "");
    }
  }
  assert_int_equal(open_descriptors(), before);
}

static void stepped_runtimes_wait(void **state) {
  (void)state;
  int before = open_descriptors();
  for (int steps = 0; steps < 200; steps += 7) {
    Host host;
    host_open(&host, (CspConfig){.stepped = true, .allowed = CSP_ALL});
    CspResult result;
    CspCall *call = csp_host(host.csp);
    csp_load(call, "host.csp", waiting, sizeof waiting - 1, &result);
    csp_result_free(&result);
    for (int i = 0; i < steps; i++) csp_step(host.csp, 100000);
    host_close(&host);
  }
  assert_int_equal(open_descriptors(), before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(net_is_allowed_alone),
      cmocka_unit_test(unix_sockets_are_files),
      cmocka_unit_test(root_holds_sockets),
      cmocka_unit_test(proxies_are_of_the_environment),
      cmocka_unit_test(runtimes_end_while_all_wait),
      cmocka_unit_test(stepped_runtimes_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
