// SPDX-License-Identifier: MIT
// The quota of the cgroup is read again while a runtime runs, and the number of
// Ps follows it (row 3). The process sees an invented cgroup, and four CPUs, by
// what the linker puts in front of the system (quota.opt).
#include <sched.h>

#include "embed_fixture.h"
// the fixture first: cmocka wants its headers before
#include "tree_fixture.h"

enum { CPUS = 4 };

// Where the path leads, which is made in `full` if it is invented.
static const char *invented(const char *path, char *full, size_t size) {
  if (strncmp(path, "/proc/self/", 11) != 0 &&
      strncmp(path, "/sys/fs/cgroup", 14) != 0)
    return path;
  snprintf(full, size, "%s%s", root, path);
  return full;
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode) {
  char full[512];
  return __real_fopen(invented(path, full, sizeof full), mode);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode) {
  char full[512];
  return __real_open(invented(path, full, sizeof full), flags, mode);
}

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
  (void)pid;
  memset(set, 0, size);
  for (int cpu = 0; cpu < CPUS; cpu++) CPU_SET_S((size_t)cpu, size, set);
  return 0;
}

// A file is changed as a whole: whoever reads it meanwhile finds one or the
// other text.
static void set_quota(const char *text) {
  char from[128], to[128];
  put("sys/fs/cgroup/new", text);
  snprintf(from, sizeof from, "%s/sys/fs/cgroup/new", root);
  snprintf(to, sizeof to, "%s/sys/fs/cgroup/cpu.max", root);
  assert_int_equal(rename(from, to), 0);
}

static CspStatus quota(CspCall *call) {
  size_t len;
  const char *text = csp_to_string(csp_arg(call, 0), &len);
  if (text == NULL) return csp_bad_arg(call, 0, "a string");
  char copy[64];
  snprintf(copy, sizeof copy, "%.*s", (int)len, text);
  set_quota(copy);
  return csp_ok_nothing(call);
}

static const CspFunction natives[] = {{"quota", "text", quota},
                                      {NULL, NULL, NULL}};

// Goroutines that compute, as only they need Ps. It is waited for, however long
// that takes.
#define FOLLOWS                    \
  "import \"sched\"\n"             \
  "over := chan()\n"               \
  "func computes() {\n"            \
  "  for {\n"                      \
  "    select {\n"                 \
  "    case <-over: return\n"      \
  "    default:\n"                 \
  "    }\n"                        \
  "  }\n"                          \
  "}\n"                            \
  "for i in 2 { go computes() }\n" \
  "func follows(text, n) {\n"      \
  "  quota(text)\n"                \
  "  for sched.procs() != n { }\n" \
  "  println(n)\n"                 \
  "}\n"

static void the_number_of_ps_follows(void **state) {
  (void)state;
  static const char text[] = FOLLOWS
      "println(sched.procs())\n"
      "follows(\"250000 100000\", 3)\n"
      "follows(\"50000 100000\", 1)\n"
      "follows(\"max 100000\", 4)\n"
      "close(over)\n";
  Host host;
  CspConfig config;
  test_config(&config);
  config.debug = NULL;
  config.procs = 0;
  put("proc/self/cgroup", "0::/\n");
  set_quota("200000 100000\n");
  open_configured(&host, &config);
  assert_true(csp_register_builtins(host.csp, natives));
  int status = run(&host, text);
  if (status != 0) print_error("%s", host.err);
  assert_int_equal(status, 0);
  assert_string_equal(host.out, "2\n3\n1\n4\n");
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_number_of_ps_follows, make_root,
                                      drop_root),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
