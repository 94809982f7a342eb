// SPDX-License-Identifier: MIT
// CspConfig.root: what scripts reach in it, and that they reach nothing else.
#include "root_fixture.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

// Paths that lead out where they are taken as the process's own.
#define HOSTILE                                                              \
  "paths := [\"../outside/secret\", \"/../outside/secret\", \"out/secret\"," \
  " \"a/last\", \"a/../../outside/secret\", \"out/folder\", \"out\","        \
  " \"out/\", \"up/etc/passwd\", \"up\", \"up/..\", \"..\", \"../..\","      \
  " \"host/secret\", \"host\", \"absolute/../../outside/secret\","           \
  " \"absolute/last\", \"a/b/../../../outside\", \"/proc/self/root\","       \
  " \"out/new\", \"../outside/new\", \"a/last/\", \"/\", \".\", \"\"]\n"

// Every function that takes a path. What they give is printed.
#define EVERYTHING                                                       \
  "func show(name, f) {\n"                                               \
  "  r, e := try(f)\n"                                                   \
  "  println(name, r, e)\n"                                              \
  "}\n"                                                                  \
  "for p in paths {\n"                                                   \
  "  show(\"exists ${p}\", func() => os.exists(p))\n"                    \
  "  show(\"is_file\", func() => os.is_file(p))\n"                       \
  "  show(\"is_dir\", func() => os.is_dir(p))\n"                         \
  "  show(\"read_file\", func() => os.read_file(p))\n"                   \
  "  show(\"read_bytes\", func() => os.read_bytes(p))\n"                 \
  "  show(\"lines\", func() { l, e := os.lines(p); return e ?? l() })\n" \
  "  show(\"stat\", func() => os.stat(p))\n"                             \
  "  show(\"lstat\", func() => os.stat(p, follow: false))\n"             \
  "  show(\"list_dir\", func() => os.list_dir(p))\n"                     \
  "  show(\"walk\", func() => os.walk(p))\n"                             \
  "  show(\"glob\", func() => os.glob(p + \"/*\"))\n"                    \
  "  show(\"glob\", func() => os.glob(p))\n"                             \
  "  show(\"read_link\", func() => os.read_link(p))\n"                   \
  "  show(\"real_path\", func() => os.real_path(p))\n"                   \
  "  show(\"chdir\", func() { e := os.chdir(p); w := os.getwd()?;"       \
  " a := os.abs_path(\"x\")?; l := os.list_dir()?; os.chdir(\"/\");"     \
  " return [e, w, a, l], nil })\n"                                       \
  "}\n"                                                                  \
  "for p in paths {\n"                                                   \
  "  show(\"open ${p}\", func() { f, e := os.open(p, \"r+\");"           \
  " if e != nil { return e }; return f.read_all() })\n"                  \
  "  show(\"create\", func() { f, e := os.open(p, \"x\");"               \
  " return e ?? f.close() })\n"                                          \
  "  show(\"write_file\", func() => os.write_file(p, \"new\"))\n"        \
  "  show(\"append_file\", func() => os.append_file(p, \"more\"))\n"     \
  "  show(\"copy from\", func() => os.copy_file(p, \"/copied\"))\n"      \
  "  show(\"copy to\", func() => os.copy_file(\"/marker\", p))\n"        \
  "  show(\"chmod\", func() => os.chmod(p, 0o700))\n"                    \
  "  show(\"set_times\", func() => os.set_times(p, 1))\n"                \
  "  show(\"symlink\", func() => os.symlink(\"/marker\", p))\n"          \
  "  show(\"mkdir\", func() => os.mkdir(p))\n"                           \
  "  show(\"mkdir_all\", func() => os.mkdir_all(p + \"/x/y\"))\n"        \
  "  show(\"rename to\", func() { os.write_file(\"/moved\", \"m\");"     \
  " return os.rename(\"/moved\", p) })\n"                                \
  "  show(\"rename from\", func() => os.rename(p, \"/moved\"))\n"        \
  "  show(\"remove\", func() => os.remove(p))\n"                         \
  "  show(\"remove_all\", func() {"                                      \
  " if p.trim(\"/.\") == \"\" || p.has_prefix(\"up\") { return nil }\n"  \
  " return os.remove_all(p) })\n"                                        \
  "  _, err := os.temp_file(\"../../../outside/x\", p)\n"                \
  "  if err == nil { os.temp_file(\"t\", p); os.temp_dir(\"t\", p) }\n"  \
  "}\n"

// More than host_fixture.h keeps.
typedef struct Said {
  char *text;
  size_t len;
} Said;

static void say(void *arg, const char *data, size_t len) {
  Said *said = arg;
  said->text = realloc(said->text, said->len + len + 1);
  assert_non_null(said->text);
  memcpy(said->text + said->len, data, len);
  said->len += len;
  said->text[said->len] = '\0';
}

static int run_said(CspConfig config, const char *text, Said *said) {
  CspConfig defaults;
  test_config(&defaults);
  config.size = defaults.size;
  config.debug = defaults.debug;
  config.write_out = config.write_err = say;
  config.write_arg = said;
  Csp *csp = csp_new(&config);
  assert_non_null(csp);
  csp_install_language(csp);
  assert_true(csp_install_library(csp));
  int status;
  csp_run(csp, "main.csp", text, strlen(text), &status);
  csp_free(csp);
  return status;
}

static void no_function_reaches_the_outside(void **state) {
  (void)state;
  World w;
  world_open(&w);
  CspConfig config = world_config(&w);
  config.procs = 1;
  Said said = {0};
  int status = run_said(config, "import \"os\"\n" HOSTILE EVERYTHING, &said);
  if (status != 0) fail_msg("ends with %d: %s", status, said.text);
  if (strstr(said.text, "SECRET") != NULL) fail_msg("%s", said.text);
  world_check(&w);
  free(said.text);
  world_close(&w);
}

// What waits for a FIFO does not leave the root, either: neither when it is
// opened, nor when that is tried again.
static void fifos_are_opened_in_the_root(void **state) {
  (void)state;
  World w;
  char path[96];
  world_open(&w);
  snprintf(path, sizeof path, "%s/fifo", w.root);
  assert_int_equal(mkfifo(path, 0600), 0);
  snprintf(path, sizeof path, "%s/fifo", w.outside);
  assert_int_equal(mkfifo(path, 0600), 0);
  for (int i = 0; i < 4; i++) world_fingerprint(&w, i, w.before[i]);
  Said said = {0};
  int status = run_said(
      world_config(&w),
      "import \"os\"\nimport \"sched\"\n"
      "func waits(path) {\n"
      "  t := go os.write_file(path, \"through\")\n"
      "  for !sched.dump().contains(\"sleep os.write_file\") { sleep(1ms) }\n"
      "  println(os.read_file(path)?, <-t)\n}\n"
      "waits(\"/fifo\")\nos.chdir(\"/a\")?\nwaits(\"../../fifo\")\n"
      "for path in [\"/out/fifo\", \"/host/fifo\", \"../outside/fifo\"] {\n"
      "  _, err := os.open(path)\n"
      "  println(err != nil, os.write_file(path, \"x\") != nil)\n}",
      &said);
  assert_string_equal(said.text,
                      "through nil\nthrough nil\n"
                      "true true\ntrue true\ntrue true\n");
  assert_int_equal(status, 0);
  world_check(&w);
  free(said.text);
  world_close(&w);
}

// What is removed after a failure is the root's file, also where a name of the
// same path is outside.
static void half_files_are_removed_in_the_root(void **state) {
  (void)state;
  World w;
  world_open(&w);
  struct rlimit before, small = {.rlim_cur = 8192};
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small.rlim_max = before.rlim_max;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  Said said = {0};
  int status = run_said(
      world_config(&w),
      "import \"os\"\n"
      "big := \"x\".repeat(20000)\n"
      "for path in [\"/half\", \"a/half\", \"../../secret\", \"/out/half\"] {\n"
      "  println(os.write_file(path, big) != nil, os.exists(path))\n}\n"
      "println(os.write_file(\"/marker\", big) != nil, os.exists(\"/marker\"))",
      &said);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  assert_string_equal(said.text,
                      "true false\ntrue false\ntrue false\ntrue false\n"
                      "true true\n");
  assert_int_equal(status, 0);
  world_check(&w);
  free(said.text);
  world_close(&w);
}

// Looking takes a descriptor, too.
static void without_descriptors_nothing_is_said_of_files(void **state) {
  (void)state;
  World w;
  world_open(&w);
  struct rlimit before, few = {.rlim_cur = 64};
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  few.rlim_max = before.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
  Said said = {0};
  int status = run_said(world_config(&w),
                        "import \"os\"\n"
                        "func take_all() {\n"
                        "  files := []\n"
                        "  for {\n"
                        "    file, err := os.open(\"marker\")\n"
                        "    if err != nil { return files }\n"
                        "    files.push(file)\n  }\n}\n"
                        "func leave_all() {\n  n := len(take_all())\n}\n"
                        "leave_all()\n"
                        "println(os.exists(\"marker\"))\n"
                        "files := take_all()\n"
                        "println(try(func() => os.exists(\"marker\")))\n"
                        "println(try(func() => os.is_dir(\"a\")))\n"
                        "println(len(files) > 20)\n",
                        &said);
  setrlimit(RLIMIT_NOFILE, &before);
  assert_string_equal(said.text,
                      "true\n"
                      "nil cannot stat marker: Too many open files\n"
                      "nil cannot stat a: Too many open files\n"
                      "true\n");
  assert_int_equal(status, 0);
  free(said.text);
  world_close(&w);
}

// --- Compared with chroot ---------------------------------------------------
static const char looks[] =
    "import \"os\"\n"
    "os.chdir(\"/\")\n" HOSTILE
    "paths.extend([\"absolute\", \"absolute/file\", \"/absolute/b/..\","
    " \"a//b/./..//file\", \"no/such\", \"marker/x\", \"marker/..\","
    " \"/././a/../marker\", \"loop\", \"loop/x\", \"x\".repeat(300)])\n"
    "os.symlink(\"loop\", \"loop\")\n"
    "for p in paths {\n"
    "  println(p, os.exists(p), os.is_dir(p), os.is_file(p))\n"
    "  println(os.read_file(p))\n"
    "  println(os.list_dir(p))\n"
    "  println(os.real_path(p))\n"
    "  if !p.has_suffix(\"/\") && p != \"host\" { println(os.read_link(p)) }\n"
    "  if p != \"\" { println(os.glob(p + \"/*\")) }\n"
    "  println(os.chdir(p), os.getwd()?, os.abs_path(\"..\")?,"
    " os.list_dir(\"..\")?)\n"
    "  os.chdir(\"/\")\n"
    "  err := os.mkdir_all(p + \"/new/below\")\n"
    "  println(err, os.remove_all(p + \"/new\"))\n"
    "}\n";

static void run_in_chroot(const World *world, int out) {
  if (chroot(world->root) != 0 || chdir("/") != 0) _exit(77);
  Said said = {0};
  run_said((CspConfig){.procs = 1, .allowed = CSP_FILES}, looks, &said);
  size_t done = 0;
  while (done < said.len) {
    ssize_t n = write(out, said.text + done, said.len - done);
    if (n <= 0) _exit(1);
    done += (size_t)n;
  }
  _exit(0);
}

static void expect_same_lines(const char *a, const char *b) {
  while (*a != '\0' || *b != '\0') {
    int a_len = (int)strcspn(a, "\n"), b_len = (int)strcspn(b, "\n");
    if (a_len != b_len || memcmp(a, b, (size_t)a_len) != 0)
      fail_msg("%.*s\nin a chroot: %.*s", a_len, a, b_len, b);
    a += a_len + (a[a_len] != '\0');
    b += b_len + (b[b_len] != '\0');
  }
}

// What a script finds is what a process finds that was put there by chroot.
static void the_root_is_what_chroot_makes_of_it(void **state) {
  (void)state;
  World w;
  world_open(&w);
  int ends[2], status;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) run_in_chroot(&w, ends[1]);
  close(ends[1]);
  Said there = {0}, here = {0};
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    say(&there, buffer, (size_t)n);
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 77) {
    world_close(&w);
    skip();  // only root may chroot
  }
  world_close(&w);
  world_open(&w);
  CspConfig config = world_config(&w);
  config.procs = 1;
  int ended = run_said(config, looks, &here);
  if (ended != 0) fail_msg("%s", here.text);
  expect_same_lines(here.text, there.text);
  free(here.text);
  free(there.text);
  world_close(&w);
}

// --- In the root ------------------------------------------------------------
static void expect_in_root(const World *world, const char *text,
                           const char *out) {
  char script[4096];
  snprintf(script, sizeof script, "import \"os\"\n%s", text);
  expect_output(world_config(world), script, out);
}

static void paths_begin_at_the_root(void **state) {
  (void)state;
  World w;
  world_open(&w);
  expect_in_root(&w,
                 "println(os.getwd()?, os.list_dir()?, os.list_dir(\"/\")?)\n"
                 "println(os.read_file(\"/absolute/file\")?)\n"
                 "println(os.read_file(\"absolute/../../../marker\")?)\n"
                 "println(os.chdir(\"absolute/b\"), os.getwd()?)\n"
                 "println(os.read_file(\"../file\")?, os.abs_path(\"..\")?)\n"
                 "println(os.real_path(\"../../absolute/b/..\")?)\n"
                 "println(os.chdir(\"../../..\"), os.getwd()?)\n"
                 "println(os.chdir(\"marker\"), os.getwd()?)\n",
                 "/ [\"a\", \"absolute\", \"host\", \"marker\", \"out\", "
                 "\"tmp\", \"up\"] [\"a\", \"absolute\", \"host\", "
                 "\"marker\", \"out\", \"tmp\", \"up\"]\n"
                 "a file\ninside\nnil /a/b\na file /a\n/a\nnil /\n"
                 "cannot change to marker: Not a directory /\n");
  world_close(&w);
}

// Fault that it guards against: scripts made files that run as the host's user.
static void files_do_not_run_as_their_owner(void **state) {
  (void)state;
  World w;
  world_open(&w);
  expect_in_root(&w,
                 "os.write_file(\"f\", \"x\")\n"
                 "for make in [func() => os.chmod(\"f\", 0o4755),\n"
                 "    func() => os.write_file(\"s\", \"\", 0o2755),\n"
                 "    func() => os.append_file(\"s\", \"\", 0o4777),\n"
                 "    func() => os.open(\"s\", \"w\", 0o4777),\n"
                 "    func() => os.mkdir(\"s\", 0o1777),\n"
                 "    func() => os.mkdir_all(\"s\", 0o2777)] {\n"
                 "  _, err := try(make)\n"
                 "  println(str(err).contains(\"an int from 0 to 511\"))\n"
                 "}\n"
                 "println(os.exists(\"s\"), os.stat(\"f\")?.mode < 0o1000)\n",
                 "true\ntrue\ntrue\ntrue\ntrue\ntrue\nfalse true\n");
  world_close(&w);
}

static void names_are_made_and_removed_in_the_root(void **state) {
  (void)state;
  World w;
  world_open(&w);
  expect_in_root(
      &w,
      "println(os.mkdir_all(\"/x/y/z\"), os.mkdir(\"/x/w/\"))\n"
      "println(os.write_file(\"x/f\", \"text\"), os.copy_file(\"x/f\", "
      "\"x/g\"))\n"
      "println(os.rename(\"x/g\", \"/x/y/g\"), os.chmod(\"x/y/g\", 0o640))\n"
      "println(os.stat(\"x/y/g\")?.mode == 0o640)\n"
      "println(os.symlink(\"/x/f\", \"x/link\"), os.read_link(\"x/link\")?)\n"
      "println(os.read_file(\"x/link\")?, os.chmod(\"x/link\", 0o600))\n"
      "println(os.stat(\"x/f\")?.mode == 0o600)\n"
      "println(os.stat(\"x/link\", follow: false)?.is_link)\n"
      "println(os.glob(\"x/*\")?, os.glob(\"/x/*/\")?)\n"
      "println(os.walk(\"x\")?)\n"
      "println(os.remove(\"x/link\"), os.remove(\"x/w\"), os.exists(\"x/f\"))\n"
      "println(os.remove_all(\"x\"), os.exists(\"x\"))\n"
      "println(os.dir(os.temp_file()?), os.dir(os.temp_dir(\"d\", \"a\")?))\n"
      "println(os.remove_all(\"/\"), os.remove_all(\"a/..\"))\n",
      "nil nil\nnil nil\nnil nil\ntrue\nnil /x/f\ntext nil\ntrue\ntrue\n"
      "[\"x/f\", \"x/link\", \"x/w\", \"x/y\"] [\"/x/w/\", \"/x/y/\"]\n"
      "[\"x\", \"x/f\", \"x/link\", \"x/w\", \"x/y\", \"x/y/g\", \"x/y/z\"]\n"
      "nil nil true\nnil false\n/tmp a\n"
      "cannot remove /: Invalid argument cannot remove a/..: Invalid "
      "argument\n");
  world_close(&w);
}

// A slash at the end would make the system follow the last name.
static void a_slash_at_the_end_follows_no_link(void **state) {
  (void)state;
  World w;
  world_open(&w);
  expect_in_root(&w,
                 "println(os.stat(\"out/\", follow: false))\n"
                 "println(os.remove(\"out/\"), os.remove_all(\"out/\"))\n"
                 "println(os.rename(\"out/\", \"x\"))\n"
                 "println(os.rename(\"a/\", \"b/\"), os.list_dir(\"b\")?)\n",
                 "nil cannot stat out/: Not a directory\n"
                 "cannot remove out/: Not a directory cannot remove out/: Not "
                 "a directory\n"
                 "cannot rename out/ to x: Not a directory\n"
                 "nil [\"b\", \"file\", \"last\"]\n");
  world_check(&w);
  world_close(&w);
}

// Magic links are no paths: where they lead is nobody's to decide.
static void magic_links_are_refused(void **state) {
  (void)state;
  static const char text[] =
      "import \"os\"\n"
      "for p in [\"self/root/etc/passwd\", \"self/cwd\", \"self/fd/0\","
      " \"/self/exe\", \"self/root\"] {\n"
      "  _, refused := os.open(p)\n"
      "  _, unreal := os.real_path(p)\n"
      "  println(str(refused).split(\": \")[1], os.exists(p),"
      " os.chdir(p) is error, unreal is error)\n"
      "}\n";
  const char *line = "Too many levels of symbolic links false true true\n";
  char expected[512] = "";
  for (int i = 0; i < 5; i++) strcat(expected, line);
  CspConfig proc = {.procs = 1, .allowed = CSP_FILES, .root = "/proc"};
  expect_output(proc, text, expected);
}

// --- Imports ----------------------------------------------------------------
static void imports_stay_in_the_root(void **state) {
  (void)state;
  World w;
  world_open(&w);
  world_write(w.root, "lib.csp",
              "import \"./a/inner\"\nconst word = inner.w\n");
  world_write(w.root, "a/inner.csp", "const w = \"inside\"\n");
  world_link(w.root, "/lib.csp", "a/again.csp");
  world_link(w.root, "../outside/module.csp", "stolen.csp");
  CspConfig config = world_config(&w);
  config.path = "/a:../outside";
  expect_output(config,
                "import \"./lib\"\n"
                "import \"again\"\nimport \"inner\"\n"
                "println(lib.word, again.word, inner.w)\n",
                "inside inside inside\n");
  static const char *const refused[] = {
      "import \"../outside/module\"", "import \"./stolen\"",
      "import \"./out/module\"", "import \"module\"",
      "import \"./host/module\""};
  for (int i = 0; i < 5; i++) expect_end(config, refused[i], 2, "cannot find");
  world_close(&w);
}

// --- Races ------------------------------------------------------------------
typedef struct Mover {
  char here[128], there[128];
  atomic_bool stop;
} Mover;

static void *move(void *arg) {
  Mover *mover = arg;
  while (!mover->stop) {
    rename(mover->here, mover->there);
    rename(mover->there, mover->here);
  }
  return NULL;
}

static const char walks[] =
    "import \"os\"\n"
    "func look(path) {\n"
    "  text, err := os.read_file(path)\n"
    "  if err == nil { assert(text == \"inside\") }\n"
    "  _ = os.list_dir(path + \"/..\")\n"
    "  _ = os.real_path(path)\n"
    "}\n"
    "group g {\n"
    "  for n in 4 {\n"
    "    go {\n"
    "      for i in 500 {\n"
    "        look(\"a/b/c/d/../../../../../marker\")\n"
    "        look(\"a/b/c/d/../../../../../../marker\")\n"
    "        _ = os.write_file(\"a/b/c/d/../../../../../outside/secret\", "
    "\"x\")\n"
    "        _ = os.mkdir(\"a/b/c/../../../../outside/made\")\n"
    "        _ = os.remove(\"a/b/c/../../../../outside/secret\")\n"
    "      }\n"
    "    }\n"
    "  }\n"
    "}\n"
    "println(\"through\")\n";

static void renamed_folders_lead_nowhere_else(void **state) {
  (void)state;
  static const char *const targets[] = {"root/moved", "outside/folder/moved"};
  for (int i = 0; i < 2; i++) {
    World w;
    Mover mover = {.stop = false};
    pthread_t thread;
    world_open(&w);
    world_folder(w.root, "a/b/c");
    world_folder(w.root, "a/b/c/d");
    snprintf(mover.here, sizeof mover.here, "%s/a/b/c", w.root);
    snprintf(mover.there, sizeof mover.there, "%s/%s", w.top, targets[i]);
    assert_int_equal(pthread_create(&thread, NULL, move, &mover), 0);
    expect_output(world_config(&w), walks, "through\n");
    mover.stop = true;
    pthread_join(thread, NULL);
    char path[160];
    snprintf(path, sizeof path, "%s/made", w.outside);
    assert_int_not_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/secret", w.outside);
    assert_int_equal(access(path, F_OK), 0);
    world_close(&w);
  }
}

// --- csp_new ----------------------------------------------------------------
static void expect_refused(CspConfig config, int error) {
  CspConfig defaults;
  test_config(&defaults);
  config.size = defaults.size;
  errno = 0;
  assert_null(csp_new(&config));
  assert_int_equal(errno, error);
}

static void a_root_that_cannot_be_is_refused(void **state) {
  (void)state;
  expect_refused((CspConfig){.root = "/no/such/folder"}, ENOENT);
  expect_refused((CspConfig){.root = "/etc/passwd"}, ENOTDIR);
  expect_refused((CspConfig){.root = "/", .allowed = CSP_ALL}, EINVAL);
  expect_refused((CspConfig){.root = "/", .allowed = CSP_PROCESSES}, EINVAL);
}

// 0: csp_new has failed with that error where the kernel refuses openat2.
static int try_without_openat2(int error) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {4, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return 77;
  CspConfig config;
  csp_config_init(&config);
  Csp *csp = csp_new(&config);
  if (csp == NULL) return 2;
  csp_free(csp);
  config.root = "/";
  errno = 0;
  if (csp_new(&config) != NULL) return 3;
  return errno == error ? 0 : 4;
}

static void a_kernel_without_openat2_gives_no_root(void **state) {
  (void)state;
  static const int errors[] = {ENOSYS, EPERM};
  for (int i = 0; i < 2; i++) {
    int status;
    pid_t child = fork();
    if (child == 0) _exit(try_without_openat2(errors[i]));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) skip();  // no seccomp either
    assert_int_equal(WEXITSTATUS(status), 0);
  }
}

// --- Natives ----------------------------------------------------------------
typedef struct Reading {
  Csp *csp;
  char path[64], text[16];
} Reading;

static void read_work(void *data) {
  Reading *reading = data;
  int fd = csp_open_path(reading->csp, reading->path, O_RDONLY, 0);
  ssize_t n = fd < 0 ? -1 : read(fd, reading->text, sizeof reading->text - 1);
  if (n < 0) strcpy(reading->text, "none");
  if (fd >= 0) close(fd);
}

static CspStatus read_done(CspCall *call, void *data, bool made) {
  Reading *reading = data;
  CspStatus status =
      made ? csp_ok_string(call, reading->text, strlen(reading->text))
           : CSP_PANIC;
  free(reading);
  return status;
}

static CspStatus native_read(CspCall *call) {
  const char *path;
  size_t len;
  if (!csp_need_string(call, 0, &path, &len)) return CSP_PANIC;
  Reading *reading = calloc(1, sizeof *reading);
  reading->csp = csp_of(call);
  snprintf(reading->path, sizeof reading->path, "%s", path);
  return csp_block(call, read_work, read_done, reading);
}

// The next ones that openat2 fails with.
static int failures[4];
static atomic_int failing;  // how many of them are left

long __real_syscall(long number, long a, long b, long c, long d, long e,
                    long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e,
                    long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e,
                    long f) {
  if (number == SYS_openat2 && atomic_load(&failing) > 0) {
    errno = failures[atomic_fetch_sub(&failing, 1) - 1];
    return -1;
  }
  return __real_syscall(number, a, b, c, d, e, f);
}

static CspStatus native_fail(CspCall *call) {
  static const int kinds[] = {EAGAIN, EINTR, EAGAIN, EAGAIN};
  memcpy(failures, kinds, sizeof kinds);
  atomic_store(&failing, (int)(sizeof kinds / sizeof *kinds));
  return csp_ok_nothing(call);
}

static const CspFunction natives[] = {{"look", "path", native_read},
                                      {"fail", "", native_fail},
                                      {NULL, NULL, NULL}};

// The kernel says EAGAIN where a folder is renamed at the same time.
static void a_rename_at_the_same_time_fails_no_call(void **state) {
  (void)state;
  static const char *const calls[] = {
      "os.read_file(\"/a/../marker\")?", "os.stat(\"marker\")?.size",
      "os.real_path(\"/marker\")?",      "len(os.list_dir(\"/a/../a\")?)",
      "os.write_file(\"/new\", \"x\")",  "os.mkdir(\"/folder\")",
      "os.rename(\"/new\", \"/old\")",   "os.remove_all(\"/folder\")"};
  World w;
  world_open(&w);
  for (size_t n = 0; n < sizeof calls / sizeof *calls; n++) {
    char text[160];
    Host host;
    host_open(&host, world_config(&w));
    assert_true(csp_register_builtins(host.csp, natives));
    snprintf(text, sizeof text,
             "import \"os\"\nfail()\nr := %s\nassert(!(r is error), r)\n",
             calls[n]);
    if (host_run(&host, text) != 0)
      fail_msg("%s: %s%s", calls[n], host.out, host.err);
    assert_int_equal(atomic_load(&failing), 0);
    host_close(&host);
  }
  world_close(&w);
}

static void natives_open_in_the_root(void **state) {
  (void)state;
  World w;
  Host host;
  world_open(&w);
  host_open(&host, world_config(&w));
  assert_true(csp_register_builtins(host.csp, natives));
  assert_int_equal(host_run(&host,
                            "import \"os\"\n"
                            "println(look(\"marker\"), look(\"/../marker\"))\n"
                            "println(look(\"out/secret\"))\n"
                            "os.chdir(\"a\")\n"
                            "println(look(\"file\"), look(\"../marker\"))\n"),
                   0);
  assert_string_equal(host.out, "inside inside\nnone\na file inside\n");
  host_close(&host);
  world_close(&w);
}

// --- Without /proc ----------------------------------------------------------
static const char by_proc[] =
    "import \"os\"\nimport \"net\"\n"
    "func say(err) {\n"
    "  if err == nil { return println(nil) }\n"
    "  println(err.code, str(err).contains(\"needs /proc\"))\n"
    "}\n"
    "say(os.chmod(\"/marker\", 0o600))\n"
    "say(os.set_times(\"/marker\", 1))\n"
    "say(os.chmod(\"/none\", 0o600))\n"
    "for call in [net.listen, net.dial] {\n"
    "  for path in [\"/marker\", \"/none/s\", \"/new\"] {\n"
    "    _, err := call(\"unix:\" + path)\n"
    "    say(err)\n"
    "  }\n"
    "}\n";

// In a child, whose namespace of mounts has a /proc without anything.
static int try_without_proc(const World *world) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return 77;
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", "/proc", "tmpfs", 0, NULL) != 0)
    return 77;
  CspConfig config = world_config(world);
  config.allowed |= CSP_NET;
  config.procs = 1;
  Said said = {0};
  if (run_said(config, by_proc, &said) != 0) print_error("%s", said.text);
  static const char expected[] =
      "unsupported true\nunsupported true\nnot_found false\n"
      "unsupported true\nnot_found false\nunsupported true\n"
      "unsupported true\nnot_found false\nnot_found false\n";
  if (strcmp(said.text, expected) == 0) return 0;
  print_error("%s", said.text);
  return 1;
}

// Fault: the error was that of a file that is not there.
static void errors_tell_that_there_is_no_proc(void **state) {
  (void)state;
  World w;
  int status;
  world_open(&w);
  pid_t child = fork();
  if (child == 0) _exit(try_without_proc(&w));
  assert_int_equal(waitpid(child, &status, 0), child);
  world_close(&w);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) skip();  // nobody may mount here
  assert_int_equal(WEXITSTATUS(status), 0);
}

// Fault: openat2 refused a mode where only a folder was to be opened.
static void a_folder_is_opened_whatever_the_mode_says(void **state) {
  (void)state;
  World w;
  Host host;
  world_open(&w);
  for (int rooted = 0; rooted < 2; rooted++) {
    CspConfig config = world_config(&w);
    if (!rooted) config.root = NULL;
    host_open(&host, config);
    int fd = csp_open_path(host.csp, "/", O_RDONLY | O_DIRECTORY, 0644);
    assert_true(fd >= 0);
    close(fd);
    host_close(&host);
  }
  host_open(&host, world_config(&w));
  int fd = csp_open_path(host.csp, "/a", O_RDWR | O_TMPFILE, 0600);
  struct stat info;
  if (fd >= 0) {  // (not every file system has that)
    assert_int_equal(fstat(fd, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    close(fd);
  }
  host_close(&host);
  world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_function_reaches_the_outside),
      cmocka_unit_test(fifos_are_opened_in_the_root),
      cmocka_unit_test(half_files_are_removed_in_the_root),
      cmocka_unit_test(without_descriptors_nothing_is_said_of_files),
      cmocka_unit_test(the_root_is_what_chroot_makes_of_it),
      cmocka_unit_test(paths_begin_at_the_root),
      cmocka_unit_test(names_are_made_and_removed_in_the_root),
      cmocka_unit_test(files_do_not_run_as_their_owner),
      cmocka_unit_test(a_slash_at_the_end_follows_no_link),
      cmocka_unit_test(magic_links_are_refused),
      cmocka_unit_test(imports_stay_in_the_root),
      cmocka_unit_test(renamed_folders_lead_nowhere_else),
      cmocka_unit_test(a_root_that_cannot_be_is_refused),
      cmocka_unit_test(a_kernel_without_openat2_gives_no_root),
      cmocka_unit_test(a_rename_at_the_same_time_fails_no_call),
      cmocka_unit_test(natives_open_in_the_root),
      cmocka_unit_test(errors_tell_that_there_is_no_proc),
      cmocka_unit_test(a_folder_is_opened_whatever_the_mode_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
