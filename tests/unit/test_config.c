// SPDX-License-Identifier: MIT
// CspConfig between hosts and libraries of different versions, and a setting of
// its debug. The library reads none of this from the environment.
#include "host_fixture.h"
#include "vm/runtime/runtime.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

static void ignore(void *arg, const char *data, size_t len) {
  (void)arg;
  (void)data;
  (void)len;
}

static void close_runtime(Csp *csp) {
  assert_non_null(csp);
  assert_int_equal(csp_free(csp), 0);
}

static void expect_refused(const CspConfig *config, int error) {
  errno = 0;
  assert_null(csp_new(config));
  assert_int_equal(errno, error);
}

// --- Versions ---------------------------------------------------------------
static void the_library_tells_its_version(void **state) {
  (void)state;
  assert_string_equal(csp_version(), CSP_VERSION);
}

static void init_fills_in_what_the_host_knows(void **state) {
  (void)state;
  struct {
    CspConfig config;
    char after[16];
  } of_host;
  memset(&of_host, 0x55, sizeof of_host);
  csp_config_init(&of_host.config);
  assert_int_equal(of_host.config.size, sizeof(CspConfig));
  assert_int_equal(of_host.config.procs, 0);
  assert_null(of_host.config.write_out);
  for (size_t n = 0; n < sizeof of_host.after; n++)
    assert_int_equal(of_host.after[n], 0x55);
}

// It was compiled when the struct ended after write_arg: what follows in its
// memory is something else.
static void an_older_host_is_understood(void **state) {
  (void)state;
  size_t size = offsetof(CspConfig, write_arg) + sizeof(void *);
  char *memory = malloc(size);  // for the address sanitizer
  assert_non_null(memory);
  CspConfig *config = (CspConfig *)(void *)memory;
  csp_config_init_sized(config, size);
  config->procs = 1;
  config->write_out = config->write_err = ignore;
  close_runtime(csp_new(config));
  free(memory);
}

// A host of a later version: the struct has fields that this one does not.
typedef struct LaterConfig {
  CspConfig config;
  void *more;
  int last;
} LaterConfig;

static void a_newer_host_is_understood(void **state) {
  (void)state;
  LaterConfig later;
  memset(&later, 0x55, sizeof later);
  csp_config_init_sized(&later.config, sizeof later);
  assert_null(later.more);
  assert_int_equal(later.last, 0);
  later.config.procs = 1;
  close_runtime(csp_new(&later.config));
}

static void what_a_newer_host_wants_in_vain_is_refused(void **state) {
  (void)state;
  LaterConfig later;
  csp_config_init_sized(&later.config, sizeof later);
  later.last = 1;
  expect_refused(&later.config, E2BIG);
  later.last = 0;
  later.more = &later;
  expect_refused(&later.config, E2BIG);
}

static void a_config_without_a_size_is_refused(void **state) {
  (void)state;
  CspConfig config = {.procs = 1};
  expect_refused(&config, EINVAL);
  csp_config_init_sized(&config, sizeof config);
  config.size = offsetof(CspConfig, write_arg);
  expect_refused(&config, EINVAL);
}

// --- The search path --------------------------------------------------------
// A folder with a module `own`; *file its path.
static void make_module(char *folder, char *file, size_t size) {
  assert_non_null(mkdtemp(folder));
  snprintf(file, size, "%s/own.csp", folder);
  FILE *text = fopen(file, "w");
  assert_non_null(text);
  fputs("func f() => 1\n", text);
  fclose(text);
}

static void modules_are_found_along_the_path(void **state) {
  (void)state;
  char folder[] = "/tmp/csp-path-XXXXXX", file[64], path[128];
  make_module(folder, file, sizeof file);
  snprintf(path, sizeof path, "/nowhere::%s/", folder);
  Host host;
  host_open(&host, (CspConfig){.procs = 1, .allowed = CSP_FILES, .path = path});
  memset(path, 'x', sizeof path - 1);  // it was copied
  assert_int_equal(host_run(&host, "import \"own\"\nprintln(own.f())"), 0);
  assert_string_equal(host.out, "1\n");
  host_close(&host);
  unlink(file);
  rmdir(folder);
}

// --- The environment --------------------------------------------------------
// How many Ps a runtime has by default.
static int default_procs(void) {
  Host host;
  host_open(&host, (CspConfig){.procs = 0});
  static const char script[] = "import \"sched\"\nprintln(sched.procs())";
  assert_int_equal(host_run(&host, script), 0);
  int procs = atoi(host.out);
  host_close(&host);
  return procs;
}

// Fault: CSPPATH, CSPPROCS and CSPDEBUG of a host's environment changed what
// its scripts could import, and how they ran.
static void no_search_path_from_the_environment(void **state) {
  (void)state;
  char folder[] = "/tmp/csp-path-XXXXXX", file[64];
  make_module(folder, file, sizeof file);
  setenv("CSPPATH", folder, 1);
  Host host;
  host_open(&host, (CspConfig){.stepped = true, .allowed = CSP_FILES});
  assert_int_equal(host_run(&host, "import \"own\""), 2);
  assert_non_null(strstr(host.err, "there is no search path"));
  host_close(&host);
  unsetenv("CSPPATH");
  unlink(file);
  rmdir(folder);
}

static void no_procs_from_the_environment(void **state) {
  (void)state;
  char more[16];
  int procs = default_procs();
  snprintf(more, sizeof more, "%d", procs + 1);
  setenv("CSPPROCS", more, 1);
  assert_int_equal(default_procs(), procs);
  unsetenv("CSPPROCS");
}

static void no_settings_from_the_environment(void **state) {
  (void)state;
  const char *set = getenv("CSPDEBUG");
  char *before = set != NULL ? strdup(set) : NULL;
  setenv("CSPDEBUG", "nonsense=1", 1);
  Host host = {.err = ""};
  pthread_mutex_init(&host.lock, NULL);
  CspConfig config;
  csp_config_init(&config);
  assert_null(config.debug);
  config.write_err = host_err;
  config.write_arg = &host;
  close_runtime(csp_new(&config));
  assert_string_equal(host.err, "");
  pthread_mutex_destroy(&host.lock);
  unsetenv("CSPDEBUG");
  if (before != NULL) setenv("CSPDEBUG", before, 1);
  free(before);
}

// How many collections a loop of 10,000 turns has.
static int64_t collections(const char *debug) {
  static const char script[] = "x := 0\nfor i in 10_000 { x += i }";
  int status = -1;
  CspConfig config;
  csp_config_init(&config);
  config.stepped = true;
  config.debug = debug;
  Csp *csp = csp_new(&config);
  csp_install_language(csp);
  uint64_t before = heap_collections(csp->vm.heap);
  csp_run(csp, "loop.csp", script, strlen(script), &status);
  assert_int_equal(status, 0);
  uint64_t after = heap_collections(csp->vm.heap);
  close_runtime(csp);
  return (int64_t)(after - before);
}

// Fault: after a collection the next safepoint was a look, and a look collects.
// So with any N it was as with 1.
static void gcstress_collects_at_every_nth_safepoint(void **state) {
  (void)state;
  assert_in_range(collections("gcstress=1"), 5000, 10100);
  assert_in_range(collections("gcstress=100"), 90, 200);
}

static void *map_nothing(void *arg, size_t bytes, size_t align) {
  (void)bytes, (void)align;
  return arg;  // NULL, or what lies at no multiple of align
}
static void unmap_nothing(void *arg, void *block, size_t bytes) {
  (void)arg, (void)block, (void)bytes;
}

// Faults that it guards against: errno was as before, as a host's map need not
// set it, and a heap at its limit did not. So csp_new seemed to have failed for
// another reason.
static void no_memory_for_values_is_told(void **state) {
  (void)state;
  char somewhere[32];
  CspConfig config;
  csp_config_init(&config);
  config.max_memory = 1;
  expect_refused(&config, ENOMEM);
  config.max_memory = 0;
  config.map = map_nothing;
  config.unmap = unmap_nothing;
  expect_refused(&config, ENOMEM);
  config.map_arg = somewhere + 1;
  expect_refused(&config, ENOMEM);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_library_tells_its_version),
      cmocka_unit_test(init_fills_in_what_the_host_knows),
      cmocka_unit_test(an_older_host_is_understood),
      cmocka_unit_test(a_newer_host_is_understood),
      cmocka_unit_test(what_a_newer_host_wants_in_vain_is_refused),
      cmocka_unit_test(a_config_without_a_size_is_refused),
      cmocka_unit_test(modules_are_found_along_the_path),
      cmocka_unit_test(no_search_path_from_the_environment),
      cmocka_unit_test(no_procs_from_the_environment),
      cmocka_unit_test(no_settings_from_the_environment),
      cmocka_unit_test(gcstress_collects_at_every_nth_safepoint),
      cmocka_unit_test(no_memory_for_values_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
