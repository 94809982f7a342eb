// SPDX-License-Identifier: MIT
// load LIBRARY: loads the library, runs a script with it and unloads it, often,
// and looks whether anything of it is left in the process.
#include <csp.h>
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 20, SETTLED = 3 };  // the C library's own caches are full then

static const char script[] =
    "import \"os\"\n"
    "import \"strings\"\n"
    "tasks := []\n"
    "for i in 10 { tasks.push(go func() {\n"
    "  sleep(1ms)\n"
    "  text, err := os.read_file(\"/proc/self/status\")\n"
    "  return len(strings.repeat(\"x\", i * 10000)) + len(text) * 0\n"
    "}()) }\n"
    "sum := 0\n"
    "for t in tasks { sum += <-t }\n"
    "result, err := os.run(\"echo\", [\"ran\"])\n"
    "println(sum, result.out)\n";

static void take(void *right, const char *data, size_t len) {
  static const char expected[] = "450000 ran\n\n";
  *(int *)right =
      len == sizeof expected - 1 && memcmp(data, expected, len) == 0;
}

// The functions of csp.h by the names they have there.
#define FUNCTIONS(X)       \
  X(csp_config_init_sized) \
  X(csp_new)               \
  X(csp_install_language) X(csp_install_library) X(csp_run) X(csp_free)
static struct {
#define X(name) __typeof__(name) *name;
  FUNCTIONS(X)
#undef X
} api;

static int load(void *library) {
#define X(name)                                \
  *(void **)&api.name = dlsym(library, #name); \
  if (!api.name) return printf("no %s\n", #name), 0;
  FUNCTIONS(X)
#undef X
  return 1;
}

static int run(void) {
  CspConfig config;
  api.csp_config_init_sized(&config, sizeof config);
  int right = 0;
  config.procs = 2;
  config.allowed = CSP_FILES | CSP_PROCESSES;
  config.write_out = take;
  config.write_arg = &right;
  Csp *csp = api.csp_new(&config);
  int status = 1;
  api.csp_install_language(csp);
  if (api.csp_install_library(csp))
    api.csp_run(csp, "load.csp", script, strlen(script), &status);
  api.csp_free(csp);
  return status == 0 && right;
}

typedef struct Left {
  long descriptors, threads, mappings, of_library, bytes;
} Left;

static long entries(const char *path) {
  long count = 0;
  DIR *folder = opendir(path);
  while (folder != NULL && readdir(folder) != NULL) count++;
  if (folder != NULL) closedir(folder);
  return count;
}

// A joined thread may be in /proc a moment longer; one that stays is waited for
// until the test's time is up.
static Left look(void) {
  while (entries("/proc/self/task") > 3) sched_yield();  // ".", "..", our own
  Left left = {.descriptors = entries("/proc/self/fd"),
               .threads = entries("/proc/self/task")};
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    left.mappings++;
    if (strstr(line, "libcspvm") != NULL) left.of_library++;
  }
  if (maps != NULL) fclose(maps);
  left.bytes = (long)mallinfo2().uordblks;
  return left;
}

int main(int argc, char **argv) {
  Left first = {0};
  for (int round = 1; round <= ROUNDS; round++) {
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL) return printf("cannot load: %s\n", dlerror()), 1;
    if (!load(library)) return 1;
    if (!run()) return printf("the script failed\n"), 1;
    dlclose(library);
    Left left = look();
    if (round == SETTLED) first = left;
    if (round > SETTLED && memcmp(&left, &first, sizeof left) == 0) continue;
    if (round > SETTLED || left.of_library != 0)
      printf(
          "round %d: descriptors %ld, threads %ld, mappings %ld, of the "
          "library %ld, malloced bytes %ld\n",
          round, left.descriptors, left.threads, left.mappings, left.of_library,
          left.bytes);
  }
  return 0;
}
