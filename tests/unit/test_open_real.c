// SPDX-License-Identifier: MIT
// Opening a path in which nothing may be a link, as http.files does with what
// os.real_path gave (stdlib/os_below.c).
#include "root_fixture.h"

#include <signal.h>
#include <sys/resource.h>

// _open_real is hidden from scripts.
static CspStatus native_open_real(CspCall *call) {
  CspValue path = csp_arg(call, 0);
  return csp_tail_named(call, "_open_real", 1, &path);
}

static int lease = -1;

static CspStatus native_end_lease(CspCall *call) {
  return csp_ok_bool(call, fcntl(lease, F_SETLEASE, F_UNLCK) == 0);
}

static const CspFunction natives[] = {{"open_real", "path", native_open_real},
                                      {"end_lease", "", native_end_lease},
                                      {NULL, NULL, NULL}};

static void expect_opens(CspConfig config, const char *text, const char *out) {
  Host host;
  host_open(&host, config);
  assert_true(csp_register_builtins(host.csp, natives));
  int status = host_run(&host, text);
  if (status != 0 || strcmp(host.out, out) != 0)
    fail_msg("ends with %d, prints\n%s%s", status, host.out, host.err);
  host_close(&host);
}

// The script's `at` is the World's root, as the runtime sees it.
static void expect_in_all(const World *world, const char *text,
                          const char *out) {
  static const bool is_rooted[] = {true, false, false};
  static const bool is_stepped[] = {false, false, true};
  char script[2048];
  for (int n = 0; n < 3; n++) {
    CspConfig config = world_config(world);
    if (!is_rooted[n]) config.root = NULL;
    config.stepped = is_stepped[n];
    snprintf(script, sizeof script,
             "at := \"%s\"\n"
             "func say(name) {\n"
             "  file, err := open_real(at + name)\n"
             "  if err != nil { return err.code }\n"
             "  text, _ := file.read()\n"
             "  file.close()\n"
             "  return text\n"
             "}\n%s",
             is_rooted[n] ? "" : world->root, text);
    expect_opens(config, script, out);
  }
}

static void regular_files_are_opened(void **state) {
  (void)state;
  World w;
  world_open(&w);
  expect_in_all(&w,
                "println(say(\"/marker\"), say(\"/a/file\"))\n"
                "println(say(\"//a/./file\"))\n"
                "println(say(\"/none\"), say(\"/none/x\"))\n"
                "println(say(\"/marker/x\"), say(\"/a\"), say(\"/a/b/\"))\n",
                "inside a file\na file\nnot_found not_found\n"
                "not_folder is_folder is_folder\n");
  expect_opens(world_config(&w),
               "for path in [\"/\", \"//\", \"\", \"/x\\x00\"] { "
               "println(open_real(path)) }\n",
               "nil cannot open /: Is a directory\n"
               "nil cannot open //: Is a directory\n"
               "nil cannot open : Invalid argument\n"
               "nil cannot open /x: Invalid argument\n");
  world_close(&w);
}

// Fault that it guards against: http.files gave files outside of its folder,
// when a link came into a path that had been looked at.
static void no_part_may_be_a_link(void **state) {
  (void)state;
  World w;
  world_open(&w);
  world_link(w.root, "marker", "inner");
  world_link(w.root, "../marker", "a/above");
  expect_in_all(&w,
                "println(say(\"/inner\"), say(\"/a/above\"), say(\"/host\"))\n"
                "println(say(\"/out/secret\"), say(\"/absolute/file\"))\n"
                "println(say(\"/up/etc/passwd\"), say(\"/a/last\"))\n"
                "println(say(\"/a/../marker\"), say(\"/a/..\"))\n",
                "not_found not_found not_found\nnot_folder not_folder\n"
                "not_folder not_found\ninvalid invalid\n");
  world_check(&w);
  world_close(&w);
}

// (One that nobody writes would be empty at once, and one that somebody writes
// would wait.)
static void other_files_are_not_opened(void **state) {
  (void)state;
  World w;
  char path[96];
  world_open(&w);
  snprintf(path, sizeof path, "%s/fifo", w.root);
  assert_int_equal(mkfifo(path, 0600), 0);
  expect_in_all(&w, "println(say(\"/fifo\"))\n", "not_found\n");
  int end = open(path, O_RDWR);
  assert_true(end >= 0);
  expect_in_all(&w, "println(say(\"/fifo\"))\n", "not_found\n");
  close(end);
  CspConfig config = {.procs = 1, .allowed = CSP_FILES};
  expect_opens(config, "println(open_real(\"/dev/zero\"))\n",
               "nil cannot open /dev/zero: No such file or directory\n");
  world_close(&w);
}

// Nothing that was opened on the way stays open, whatever comes of it.
static void the_way_leaves_no_descriptor(void **state) {
  (void)state;
  World w;
  world_open(&w);
  struct rlimit before, few = {.rlim_cur = 64};
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  few.rlim_max = before.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
  expect_in_all(&w,
                "for i in 200 {\n"
                "  for name in [\"/a/file\", \"/a/none\", \"/a/b\","
                " \"/out/secret\", \"/a/..\", \"/a/last\"] { say(name) }\n"
                "}\n"
                "println(say(\"/a/file\"))\n",
                "a file\n");
  setrlimit(RLIMIT_NOFILE, &before);
  world_close(&w);
}

// With threads the goroutine sleeps until another process has given its lease
// up. A stepped runtime does not wait for that.
static void a_lease_is_waited_for(void **state) {
  (void)state;
  World w;
  char path[96];
  world_open(&w);
  snprintf(path, sizeof path, "%s/marker", w.root);
  lease = open(path, O_RDWR);
  assert_true(lease >= 0);
  fcntl(lease, F_SETSIG, SIGURG);  // which nobody handles
  bool leased = fcntl(lease, F_SETLEASE, F_WRLCK) == 0;
  if (leased) {
    CspConfig config = world_config(&w);
    config.stepped = true;
    expect_opens(config,
                 "_, err := open_real(\"/marker\")\n"
                 "println(err.code, str(err).contains(\"has a lease\"))\n",
                 "busy true\n");
    expect_opens(world_config(&w),
                 "import \"sched\"\n"
                 "t := go open_real(\"/marker\")\n"
                 "for !sched.dump().contains(\"[sleep]\") {"
                 " sleep(1ms) }\n"
                 "println(end_lease())\n"
                 "file, err := <-t\n"
                 "println(file.read()?, err)\n",
                 "true\ninside nil\n");
  }
  close(lease);
  world_close(&w);
  if (!leased) skip();  // this file system has no leases
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(regular_files_are_opened),
      cmocka_unit_test(no_part_may_be_a_link),
      cmocka_unit_test(other_files_are_not_opened),
      cmocka_unit_test(the_way_leaves_no_descriptor),
      cmocka_unit_test(a_lease_is_waited_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
