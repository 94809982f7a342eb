// SPDX-License-Identifier: MIT
// See runtime.h.
#include "cli/runtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCS_MOST = 1024 };  // as of --procs

void runtime_config(CspConfig *config) {
  csp_config_init(config);
  const char *procs = getenv("CSPPROCS");
  long n = procs != NULL ? strtol(procs, NULL, 10) : 0;
  if (n > 0 && n <= PROCS_MOST) config->procs = (int)n;
  config->path = getenv("CSPPATH");
  config->debug = getenv("CSPDEBUG");
}

Csp *runtime_new(const CspConfig *config) {
  CspConfig all = *config;
  all.allowed = CSP_ALL;
  Csp *csp = csp_new(&all);
  if (csp == NULL) {
    fprintf(stderr, "cspvm: cannot start: %s\n", strerror(errno));
    return NULL;
  }
  csp_install_language(csp);
  if (csp_install_library(csp)) return csp;
  fprintf(stderr, "cspvm: cannot load the standard library\n");
  csp_free(csp);
  return NULL;
}

int output_end(int status) {
  if ((fflush(stdout) == 0 && !ferror(stdout)) || status != 0) return status;
  fprintf(stderr, "cspvm: cannot write standard output: %s\n", strerror(errno));
  return 1;
}
