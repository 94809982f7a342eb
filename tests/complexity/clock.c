// SPDX-License-Identifier: MIT
// Runs a script with two more builtins, for tests/complexity/library:
// cpu_time() and count_instructions(on). The first gives the CPU time of its
// thread in ns. The second lets callgrind count from here on, or no longer
// (nothing without valgrind).
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <valgrind/callgrind.h>

#include "vm/csp.h"

static CspStatus cpu_time(CspCall *call) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return csp_ok_int(call, (int64_t)t.tv_sec * 1000000000 + t.tv_nsec);
}

static CspStatus count_instructions(CspCall *call) {
  CALLGRIND_TOGGLE_COLLECT;
  return csp_ok_nothing(call);
}

static const CspFunction builtins[] = {
    {"cpu_time", "", cpu_time},
    {"count_instructions", "on", count_instructions},
    {NULL, NULL, NULL}};

static char *read_all(const char *path, size_t *len) {
  FILE *file = fopen(path, "r");
  char *text = malloc(1 << 20);
  if (file == NULL || text == NULL) return NULL;
  *len = fread(text, 1, 1 << 20, file);
  fclose(file);
  return text;
}

// What is freed stays the process's: fresh pages take the system longer than
// most functions take to fill them, and only large blocks are fresh each time.
static void keep_memory(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
}

// Native modules are linked with it, as internals.a exports nothing.
const CspNative *csp_module_hash(void);
const CspNative *csp_module_zlib(void);
const CspNative *csp_module_sqlite(void);
const CspNative *csp_module_postgres(void);

int main(int argc, char **argv) {
  keep_memory();
  size_t len = 0;
  char *text = argc > 1 ? read_all(argv[1], &len) : NULL;
  if (text == NULL) return 2;
  CspConfig config;
  csp_config_init(&config);
  config.stepped = true;  // one thread
  config.allowed = CSP_FILES | CSP_ENVIRONMENT | CSP_NET;
  config.argc = argc - 2;
  config.argv = argv + 2;
  Csp *csp = csp_new(&config);
  if (csp == NULL) return 2;
  csp_install_language(csp);
  int status = 2;
  if (csp_install_library(csp) && csp_register_builtins(csp, builtins) &&
      csp_register(csp, csp_module_hash()->module) &&
      csp_register(csp, csp_module_zlib()->module) &&
      csp_register(csp, csp_module_sqlite()->module) &&
      csp_register(csp, csp_module_postgres()->module))
    csp_run(csp, argv[1], text, len, &status);
  csp_free(csp);
  free(text);
  return status;
}
