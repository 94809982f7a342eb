// A host of native modules: modules_of_hosts.sh builds it, and the module
// `counted`, whose constructor counts how often it was loaded.
#include <csp.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Runs a script, with its output on standard output.
static int run(const CspConfig *wanted, const CspModule *registered,
               const char *script) {
  CspConfig config = *wanted;
  if (config.procs == 0) config.procs = 2;
  Csp *csp = csp_new(&config);
  if (csp == NULL) {
    printf("no runtime: %s\n", strerror(errno));
    return -1;
  }
  csp_install_language(csp);
  int status = 1;
  if (csp_install_library(csp) &&
      (registered == NULL || csp_register(csp, registered)))
    csp_run(csp, "main.csp", script, strlen(script), &status);
  csp_free(csp);
  return status;
}

static void err_to_out(void *arg, const char *data, size_t len) {
  (void)arg;
  fflush(stdout);
  if (write(1, data, len) < 0) abort();
}

static void out(void *arg, const char *data, size_t len) {
  err_to_out(arg, data, len);
}

static CspConfig config_of(const char *modules) {
  CspConfig config;
  csp_config_init(&config);
  config.allowed = CSP_ALL;
  config.modules = modules;
  config.write_out = out;
  config.write_err = err_to_out;
  return config;
}

// --- Where it is found ------------------------------------------------------
static const char use[] = "import \"counted\"\nprintln(counted.name())\n";

static CspStatus own_name(CspCall *call) {
  return csp_ok_string(call, "registered", 10);
}
static const CspFunction own_functions[] = {{"name", "", own_name},
                                            {NULL, NULL, NULL}};
static const CspModule own = {"counted", own_functions, NULL, NULL, 0};

static bool load(void *arg, CspLoad *load) {
  (void)arg;
  if (strcmp(load->path, "counted") != 0) return false;
  load->text = strdup("func name() => \"given by load\"\n");
  load->len = load->text != NULL ? strlen(load->text) : 0;
  return load->text != NULL;
}

static void show_order(const char *folder) {
  CspConfig config = config_of(NULL);
  puts("--- no folder");
  run(&config, NULL, use);
  puts("--- a folder that is missing");
  config.modules = "/nowhere/modules";
  run(&config, NULL, use);
  puts("--- not allowed");
  config = config_of(folder);
  config.allowed = CSP_ALL & ~CSP_NATIVE;
  run(&config, NULL, use);
  puts("--- not allowed, and not there");
  run(&config, NULL, "import \"absent\"");
  config.allowed = CSP_NATIVE;
  puts("--- allowed");
  run(&config, NULL, use);
  puts("--- registered");
  run(&config, &own, use);
  puts("--- with load");
  config.load = load;
  run(&config, NULL, use);
}

// A relative folder means what it means when the runtime is made.
static void show_relative(const char *folder) {
  char place[4096];
  if (getcwd(place, sizeof place) == NULL || chdir(folder) != 0) abort();
  CspConfig config = config_of(".");
  Csp *csp = csp_new(&config);
  if (csp == NULL || chdir("/") != 0) abort();
  csp_install_language(csp);
  int status = 1;
  puts("--- relative");
  if (csp_install_library(csp))
    csp_run(csp, "main.csp", use, strlen(use), &status);
  csp_free(csp);
  if (chdir(place) != 0) abort();
}

// A stepped runtime with a root: the folder is the process's.
static void show_root(const char *folder) {
  CspConfig config = config_of(folder);
  CspResult result;
  config.allowed = CSP_FILES | CSP_NATIVE;
  config.root = "/proc";
  config.stepped = true;
  Csp *csp = csp_new(&config);
  if (csp == NULL) abort();
  csp_install_language(csp);
  puts("--- with a root, twice");
  if (!csp_install_library(csp)) abort();
  for (int n = 0; n < 2; n++) {
    csp_load(csp_host(csp), "main.csp", use, strlen(use), &result);
    if (result.message != NULL) fputs(result.message, stdout);
    csp_result_free(&result);
    csp_collect(csp_host(csp));
  }
  csp_free(csp);
}

// --- Runtimes side by side ---------------------------------------------------
enum { THREADS = 4, ROUNDS = 10 };

static const char many[] =
    "import \"counted\"\n"
    "tasks := []\n"
    "for i in 100 { tasks.push(go counted.loads()) }\n"
    "for t in tasks { assert(<-t == 1) }\n"
    "for i in 10 { assert(counted.runtime() == i + 1) }\n"
    "assert(counted.Counter(5).value() == 5)\n";

static void *run_many(void *folder) {
  CspConfig config = config_of(folder);
  long failed = 0;
  config.procs = 8;
  for (int round = 0; round < ROUNDS; round++)
    failed += run(&config, NULL, many) != 0;
  return (void *)failed;
}

static void show_threads(char *folder) {
  pthread_t threads[THREADS];
  long failed = 0;
  for (int n = 0; n < THREADS; n++)
    if (pthread_create(&threads[n], NULL, run_many, folder) != 0) abort();
  for (int n = 0; n < THREADS; n++) {
    void *result;
    pthread_join(threads[n], &result);
    failed += (long)result;
  }
  printf("--- %d runtimes, %ld failed\n", THREADS * ROUNDS, failed);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  setvbuf(stdout, NULL, _IONBF, 0);
  show_threads(argv[1]);  // which are the first to load it
  show_order(argv[1]);
  show_relative(argv[1]);
  show_root(argv[1]);
  return 0;
}
