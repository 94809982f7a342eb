// SPDX-License-Identifier: MIT
// Hosts that have closed their standard streams: no descriptor of a runtime
// becomes 0, 1 or 2, so that nothing printed gets into a file or an eventfd.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "embed_fixture.h"

static const char script[] =
    "import \"net\"\n"
    "import \"os\"\n"
    "folder := os.temp_dir(\"streams\")?\n"
    "file := os.open(folder + \"/file\", \"w+\")?\n"
    "file.write(\"data\")\n"
    "file.flush()\n"
    "other := os.open(folder + \"/file\")?\n"
    "look()\n"
    "sleep(1ms)\n"
    "os.write_file(folder + \"/other\", \"data\")?\n"
    "os.copy_file(folder + \"/other\", folder + \"/third\")?\n"
    "look()\n"
    // both ends of a connection, a listener, a socket of UDP
    "listener := net.listen(\"127.0.0.1:0\")?\n"
    "client := net.dial(listener.address())?\n"
    "server := listener.accept()?\n"
    "udp := net.udp(\"127.0.0.1:0\")?\n"
    "look()\n"
    // a program that runs until the script says so
    "t := go os.run(\"sh\", [\"-c\", \": > begun; while [ ! -e go ]; do \" +\n"
    "  \"sleep 0.01; done\"], dir: folder)\n"
    "for !os.exists(folder + \"/begun\") { sleep(1ms) }\n"
    "look()\n"
    "os.write_file(folder + \"/go\", \"\")?\n"
    "_, failed := <-t\n"
    "assert(failed == nil)\n"
    "os.remove_all(folder)\n";
enum { LOOKS = 4 };

// Whether it is open, and stays so for a second. A thread of the runtime may
// have it for the moment until it is moved or closed: sched/cpu_count.c reads
// the quota of the cgroup again while a runtime runs.
static bool stays_open(int fd) {
  for (int ms = 0; ms < 1000; ms++) {
    if (fcntl(fd, F_GETFD) < 0) return false;
    usleep(1000);
  }
  return true;
}

// Bits of the standard streams that stay open.
static int streams_open(void) {
  int open = 0;
  for (int fd = 0; fd <= 2; fd++)
    if (stays_open(fd)) open |= 1 << fd;
  return open;
}

static int seen, looks;

static CspStatus look(CspCall *call) {
  seen |= streams_open();
  looks++;
  return csp_ok_nothing(call);
}

static const CspFunction natives[] = {{"look", "", look}, {NULL, NULL, NULL}};

static void swallow(void *arg, const char *data, size_t len) {
  (void)arg, (void)data, (void)len;
}

// The child's status: 0, or which of the streams came to be open.
static int open_after(int procs, const char *debug) {
  CspConfig config;
  csp_config_init(&config);
  config.procs = procs == STEPPED ? 0 : procs;
  config.stepped = procs == STEPPED;
  config.debug = debug;
  config.allowed = CSP_ALL;
  config.write_out = config.write_err = swallow;
  Csp *csp = csp_new(&config);
  if (csp == NULL) return 8;
  seen = streams_open();
  csp_install_language(csp);
  bool fine = csp_install_library(csp) && csp_register_builtins(csp, natives);
  if (fine && config.stepped) {
    CspResult result;
    csp_fd(csp);
    csp_load(csp_host(csp), "s.csp", script, strlen(script), &result);
    fine = result.end == CSP_DONE;
    csp_result_free(&result);
  } else if (fine) {
    int status;
    fine = csp_run(csp, "s.csp", script, strlen(script), &status) == CSP_RAN;
  }
  seen |= streams_open();
  csp_free(csp);
  return fine && looks == LOOKS ? seen : 16;
}

static void none_is_taken(int procs, const char *debug) {
  pid_t child = fork();
  if (child == 0) {
    for (int fd = 0; fd <= 2; fd++) close(fd);
    _exit(open_after(procs, debug));
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void with_threads(void **state) {
  (void)state;
  none_is_taken(2, NULL);
}

static void stepped(void **state) {
  (void)state;
  none_is_taken(STEPPED, NULL);
}

static void while_events_are_written(void **state) {
  (void)state;
  char path[] = "/tmp/streams-XXXXXX", debug[64];
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  snprintf(debug, sizeof debug, "trace=%s", path);
  none_is_taken(1, debug);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(with_threads),
      cmocka_unit_test(stepped),
      cmocka_unit_test(while_events_are_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
