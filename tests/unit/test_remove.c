// SPDX-License-Identifier: MIT
// os.remove_all: links that take the place of folders meanwhile, limits.
#include "descriptors.h"
#include "root_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// --- Links in the place of folders ------------------------------------------
// What is done before a folder of that name is opened, once.
static void (*before_sub)(const World *world);
static const World *world_of_sub;

// Instead of the C library's.
int openat(int folder, const char *name, int flags, ...) {
  va_list args;
  va_start(args, flags);
  mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
  va_end(args);
  void (*before)(const World *) = before_sub;
  if (before != NULL && strcmp(name, "sub") == 0) {
    before_sub = NULL;
    before(world_of_sub);
  }
  return (int)syscall(SYS_openat, folder, name, flags, mode);
}

static void put_link(const World *world) {
  char sub[160], aside[160];
  snprintf(sub, sizeof sub, "%s/tree/sub", world->root);
  snprintf(aside, sizeof aside, "%s/aside", world->root);
  assert_int_equal(rename(sub, aside), 0);
  assert_int_equal(symlink(world->outside, sub), 0);
}

static void a_link_that_comes_just_then_is_removed(void **state) {
  (void)state;
  World w;
  world_open(&w);
  world_folder(w.root, "tree");
  world_folder(w.root, "tree/sub");
  world_of_sub = &w;
  before_sub = put_link;
  CspConfig config = world_config(&w);
  config.procs = 1;
  expect_output(config,
                "import \"os\"\n"
                "println(os.remove_all(\"tree\"), os.exists(\"tree\"))\n"
                "println(os.is_dir(\"aside\"))\n",
                "nil false\ntrue\n");
  assert_null(before_sub);
  world_check(&w);
  world_close(&w);
}

// Puts a link to the outside in the place of a folder, and takes it away, as
// long as there is one.
typedef struct Swapper {
  char folder[128], aside[128], outside[128];
  atomic_bool stop;
  atomic_int swaps;
} Swapper;

static void *swap(void *arg) {
  Swapper *swapper = arg;
  while (!swapper->stop) {
    if (rename(swapper->folder, swapper->aside) != 0) {
      usleep(20);  // there is none now
      continue;
    }
    if (symlink(swapper->outside, swapper->folder) == 0) swapper->swaps++;
    unlink(swapper->folder);
    rename(swapper->aside, swapper->folder);
  }
  return NULL;
}

static void make_tree(const World *world) {
  char made[160], tree[160];
  world_folder(world->root, "new");
  world_folder(world->root, "new/sub");
  for (int i = 0; i < 20; i++) {
    char name[32];
    snprintf(name, sizeof name, "new/sub/%d", i);
    world_write(world->root, name, "");
  }
  snprintf(made, sizeof made, "%s/new", world->root);
  snprintf(tree, sizeof tree, "%s/tree", world->root);
  assert_int_equal(rename(made, tree), 0);
}

// remove_all beside the swapper, until it was swapped often enough.
static void links_are_not_followed(bool rooted) {
  World w;
  world_open(&w);
  Swapper s = {.stop = false};
  snprintf(s.folder, sizeof s.folder, "%s/tree/sub", w.root);
  snprintf(s.aside, sizeof s.aside, "%s/aside", w.root);
  snprintf(s.outside, sizeof s.outside, "%s", w.outside);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, swap, &s), 0);
  CspConfig config = world_config(&w);
  char script[512];
  snprintf(script, sizeof script,
           "import \"os\"\nos.remove_all(\"%s/tree\")\n"
           "os.remove_all(\"%s/aside\")\nos.remove_all(\"%s/tree\")\n",
           rooted ? "" : w.root, rooted ? "" : w.root, rooted ? "" : w.root);
  if (!rooted) config.root = NULL;
  char path[160];
  snprintf(path, sizeof path, "%s/tree", w.root);
  for (int i = 0; i < 100; i++) {
    if (access(path, F_OK) != 0) make_tree(&w);
    Host host;
    host_open(&host, config);
    host_run(&host, script);
    host_close(&host);
  }
  s.stop = true;
  pthread_join(thread, NULL);
  assert_true(s.swaps > 0);
  world_check(&w);
  world_close(&w);
}

static void a_link_in_the_place_of_a_folder_is_not_followed(void **state) {
  (void)state;
  links_are_not_followed(false);
}

static void nor_is_it_in_a_root(void **state) {
  (void)state;
  links_are_not_followed(true);
}

static void a_link_itself_is_removed(void **state) {
  (void)state;
  World w;
  world_open(&w);
  char script[512];
  snprintf(script, sizeof script,
           "import \"os\"\nprintln(os.remove_all(\"%s/out\"))\n"
           "println(os.exists(\"%s/out\"), os.remove_all(\"%s/a/last\"))\n",
           w.root, w.root, w.root);
  expect_output((CspConfig){.procs = 1, .allowed = CSP_FILES}, script,
                "nil\nfalse nil\n");
  world_check(&w);
  world_close(&w);
}

// --- Depth ------------------------------------------------------------------
enum { DEEP = 1000, FEW_FDS = 48 };

// Its path is far longer than the system takes.
static void make_deep(const World *world) {
  int at = open(world->root, O_PATH | O_DIRECTORY);
  for (int i = 0; i < DEEP; i++) {
    assert_int_equal(mkdirat(at, "folder", 0755), 0);
    if (i % 100 == 0) {
      int fd = openat(at, "file", O_CREAT | O_WRONLY, 0644);
      assert_true(fd >= 0);
      close(fd);
      assert_int_equal(mkdirat(at, "other", 0755), 0);
    }
    int next = openat(at, "folder", O_PATH | O_DIRECTORY);
    close(at);
    at = next;
  }
  close(at);
}

static void a_deep_tree_needs_few_descriptors(void **state) {
  (void)state;
  World w;
  Host host;
  world_open(&w);
  make_deep(&w);
  struct rlimit before, few = {FEW_FDS, FEW_FDS};
  getrlimit(RLIMIT_NOFILE, &before);
  few.rlim_max = before.rlim_max;
  setrlimit(RLIMIT_NOFILE, &few);
  CspConfig config = world_config(&w);
  config.procs = 1;
  host_open(&host, config);
  int descriptors = open_descriptors();
  int status = host_run(&host,
                        "import \"os\"\n"
                        "println(os.remove_all(\"/folder\"))\n"
                        "println(os.exists(\"/folder\"))\n");
  int after = open_descriptors();
  host_close(&host);
  setrlimit(RLIMIT_NOFILE, &before);
  if (status != 0) fail_msg("%s", host.err);
  assert_string_equal(host.out, "nil\nfalse\n");
  assert_true(after <= descriptors);
  world_close(&w);
}

// --- Limits -----------------------------------------------------------------
enum { MANY = 6000 };

static void make_many(const World *world) {
  world_folder(world->root, "many");
  for (int i = 0; i < MANY; i++) {
    char path[160];
    snprintf(path, sizeof path, "%s/many/%d", world->root, i);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    close(fd);
  }
}

static const char long_removal[] =
    "import \"os\"\n"
    "func clear() => os.remove_all(\"/many\")\n"
    "func left() => len(os.list_dir(\"/many\")?)\n";

static int64_t count_left(Csp *csp, CspHandle script) {
  CspResult result;
  CspValue left;
  CspCall *call = csp_host(csp);
  assert_true(csp_member(call, csp_held(call, script), "left", &left));
  assert_int_equal(csp_call(call, left, 0, NULL, &result), CSP_DONE);
  int64_t count = csp_to_int(result.values[0]);
  csp_result_free(&result);
  return count;
}

static void expect_left(Csp *csp, CspHandle script) {
  int64_t count = count_left(csp, script);
  assert_true(0 < count && count < MANY);
}

// What was begun goes on with what is left of it.
static void a_time_limit_stops_it_between_pieces(void **state) {
  (void)state;
  World w;
  Host host;
  world_open(&w);
  make_many(&w);
  CspConfig config = world_config(&w);
  config.stepped = true;
  host_open(&host, config);
  CspCall *call = csp_host(host.csp);
  CspResult result;
  CspValue clear;
  csp_load(call, "long.csp", long_removal, strlen(long_removal), &result);
  assert_int_equal(result.end, CSP_DONE);
  CspHandle script = csp_hold(call, result.values[0]);
  assert_true(csp_member(call, result.values[0], "clear", &clear));
  int descriptors = open_descriptors();
  // On a slow machine the first limits may pass before anything is removed.
  int64_t limit = 1000000;
  do {
    csp_limit_time(host.csp, limit);
    csp_call(call, clear, 0, NULL, &result);
    assert_int_equal(result.end, CSP_INTERRUPTED);
    csp_result_free(&result);
    csp_limit_time(host.csp, 0);
    limit *= 2;
  } while (count_left(host.csp, script) == MANY);
  assert_int_equal(open_descriptors(), descriptors);
  expect_left(host.csp, script);
  host_close(&host);
  world_close(&w);
}

static const char cancelled_removal[] =
    "import \"os\"\n"
    "import \"sched\"\n"
    "func left() => len(os.list_dir(\"/many\")?)\n"
    "func cancelled() {\n"
    "  group g {\n"
    "    go { os.remove_all(\"/many\") }\n"
    "    go {\n"
    "      for i in 3 { sched.yield() }\n"
    "      g.cancel()\n"
    "    }\n"
    "  }\n"
    "}\n";

// In a stepped host the two goroutines take turns on one thread, and a removal
// of 6,000 names takes more than three. So it has begun, and has not ended,
// when the other cancels it. (To list the folder takes several turns, too.)
static void a_cancelled_group_stops_it_between_pieces(void **state) {
  (void)state;
  World w;
  Host host;
  world_open(&w);
  make_many(&w);
  CspConfig config = world_config(&w);
  config.stepped = true;
  host_open(&host, config);
  CspCall *call = csp_host(host.csp);
  CspResult result;
  CspValue cancelled;
  csp_load(call, "cancel.csp", cancelled_removal, strlen(cancelled_removal),
           &result);
  assert_int_equal(result.end, CSP_DONE);
  CspHandle script = csp_hold(call, result.values[0]);
  assert_true(csp_member(call, result.values[0], "cancelled", &cancelled));
  int descriptors = open_descriptors();
  csp_call(call, cancelled, 0, NULL, &result);
  assert_int_equal(result.end, CSP_DONE);
  csp_result_free(&result);
  assert_int_equal(open_descriptors(), descriptors);
  expect_left(host.csp, script);
  host_close(&host);
  world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_link_that_comes_just_then_is_removed),
      cmocka_unit_test(a_link_in_the_place_of_a_folder_is_not_followed),
      cmocka_unit_test(nor_is_it_in_a_root),
      cmocka_unit_test(a_link_itself_is_removed),
      cmocka_unit_test(a_deep_tree_needs_few_descriptors),
      cmocka_unit_test(a_time_limit_stops_it_between_pieces),
      cmocka_unit_test(a_cancelled_group_stops_it_between_pieces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
