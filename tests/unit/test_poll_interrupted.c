// SPDX-License-Identifier: MIT
// A signal may interrupt poll, also one that does not wait. This says nothing
// of the descriptor.
#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "embed_fixture.h"

static _Thread_local unsigned calls;

// As the system's. But each first of two calls that do not wait is interrupted.
int poll(struct pollfd *fds, nfds_t count, int timeout) {
  if (timeout == 0 && calls++ % 2 == 0) {
    errno = EINTR;
    return -1;
  }
  struct timespec time = {timeout / 1000, timeout % 1000 * 1000000L};
  return ppoll(fds, count, timeout < 0 ? NULL : &time, NULL);
}

// `reads` is called without a writer, which comes when it waits.
static void read_with(const char *reads) {
  static const char source[] =
      "import \"os\"\n"
      "import \"sched\"\n"
      "path := \"%s\"\n"
      "f := os.open(path)?\n"
      "done := chan(1)\n"
      "go { done <- %s }\n"
      "func until_it_waits() {\n"
      "  for !sched.dump().contains(\"[IO wait\") {\n"
      "    select {\n"
      "    case text := <-done:\n"
      "      println(\"ended:\", text)\n"
      "      return false\n"
      "    case <-after(1ms):\n"
      "    }\n"
      "  }\n"
      "  return true\n"
      "}\n"
      "if until_it_waits() {\n"
      "  os.write_file(path, \"text\\n\")?\n"
      "  println(<-done)\n"
      "}\n"
      "f.close()\n";
  char folder[] = "/tmp/csp_poll_XXXXXX", path[64], text[2048];
  Host host;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/fifo", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  snprintf(text, sizeof text, source, path, reads);
  open_host(&host, 2);
  assert_int_equal(run(&host, text), 0);
  assert_string_equal(host.out, "text\n");
  close_host(&host);
  unlink(path);
  rmdir(folder);
}

static void an_open_fifo_has_not_ended(void **state) {
  (void)state;
  read_with("f.read_line()?");
}

static void a_fifo_read_as_a_whole_has_not_ended(void **state) {
  (void)state;
  read_with("os.read_file(path)?.trim()");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_open_fifo_has_not_ended),
      cmocka_unit_test(a_fifo_read_as_a_whole_has_not_ended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
