// SPDX-License-Identifier: MIT
// The smallest host: runs the script that its argument names, with one P. What
// bench/amalgamation measures.
#include <csp.h>
#include <stdio.h>

int main(int argc, char **argv) {
  static char text[1 << 20];
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) return 2;
  size_t len = fread(text, 1, sizeof text, file);
  fclose(file);
  CspConfig config;
  csp_config_init(&config);
  config.procs = 1;
  config.seed = 1;
  Csp *csp = csp_new(&config);
  if (csp == NULL) return 1;
  int status = 1;
  csp_install_language(csp);
  if (csp_install_library(csp)) csp_run(csp, argv[1], text, len, &status);
  csp_free(csp);
  return status;
}
