// SPDX-License-Identifier: MIT
// A descriptor is registered with epoll once, for as long as it is open: what
// is exchanged by a connection makes no more calls of epoll_ctl. Those of this
// program are counted (--wrap=epoll_ctl).
#include <sys/epoll.h>
#include <sys/socket.h>

#include "embed_fixture.h"

typedef struct Calls {
  int adds, others;  // atomic
} Calls;

static Calls connections, rest;  // of TCP, at both ends; all else

int __wrap_epoll_ctl(int poll, int what, int fd, struct epoll_event *event);
int __real_epoll_ctl(int poll, int what, int fd, struct epoll_event *event);

static int option_of(int fd, int option) {
  int value = -1;
  socklen_t len = sizeof value;
  return getsockopt(fd, SOL_SOCKET, option, &value, &len) == 0 ? value : -1;
}

static bool is_connection(int fd) {
  return option_of(fd, SO_DOMAIN) == AF_INET &&
         option_of(fd, SO_ACCEPTCONN) == 0;
}

// A connection's end is a call, too (EPOLL_CTL_DEL), and no business of this.
int __wrap_epoll_ctl(int poll, int what, int fd, struct epoll_event *event) {
  Calls *calls = is_connection(fd) ? &connections : &rest;
  if (what != EPOLL_CTL_DEL)
    __atomic_fetch_add(what == EPOLL_CTL_ADD ? &calls->adds : &calls->others, 1,
                       __ATOMIC_SEQ_CST);
  return __real_epoll_ctl(poll, what, fd, event);
}

// Each message is waited for, as its sender waits for the answer.
static const char exchange[] =
    "import \"net\"\n"
    "l := net.listen(\"127.0.0.1:0\")?\n"
    "count := 0\n"
    "group {\n"
    "  go {\n"
    "    s := l.accept()?\n"
    "    s.stall(20s)\n"
    "    for line := s.read_line()?; line != nil; {\n"
    "      s.write(line, \"\\n\")?\n"
    "      line = s.read_line()?\n"
    "    }\n"
    "    s.close()\n"
    "  }\n"
    "  c := net.dial(l.address())?\n"
    "  for i in 1_000 {\n"
    "    c.write(\"${i}\\n\")?\n"
    "    if c.read_line()? == str(i) { count++ }\n"
    "  }\n"
    "  c.close()\n"
    "}\n"
    "println(count)\n";

static void connections_are_registered_once(void **state) {
  (void)state;
  static const int procs[] = {STEPPED, 1, 4};
  for (int i = 0; i < 3; i++) {
    Host host;
    connections = rest = (Calls){0, 0};
    open_host(&host, procs[i]);
    assert_int_equal(run(&host, exchange), 0);
    assert_string_equal(host.out, "1000\n");
    close_host(&host);
    // One for each end, and the listener with what the runtime itself has.
    assert_int_equal(connections.adds, 2);
    assert_int_equal(connections.others, 0);
    assert_in_range(rest.adds, 2, 4);
    assert_int_equal(rest.others, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(connections_are_registered_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
