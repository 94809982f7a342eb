// A host whose locale has another point and another upper case: what scripts
// read and write does not depend on it.
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <csp.h>

// argv: the script, the file for a trace, categories' locale
int main(int argc, char **argv) {
  if (argc < 4 || setlocale(LC_ALL, argv[3]) == NULL) {
    printf("there is no locale %s\n", argv[argc - 1]);
    return 1;
  }
  char number[16], debug[512], text[4096];
  snprintf(number, sizeof number, "%.1f", 1.5);
  printf("the host's point: %c\n", number[1]);
  FILE *file = fopen(argv[1], "r");
  size_t len = file != NULL ? fread(text, 1, sizeof text, file) : 0;
  if (file != NULL) fclose(file);
  fflush(stdout);
  CspConfig config;
  csp_config_init(&config);
  snprintf(debug, sizeof debug, "trace=%s,schedstats=1", argv[2]);
  config.debug = debug;
  config.max_memory = 3 << 19;
  config.allowed = CSP_FILES | CSP_NET;
  Csp *csp = csp_new(&config);
  int status = 1;
  if (csp == NULL) return 1;
  csp_install_language(csp);
  csp_install_library(csp);
  csp_run(csp, "locale.csp", text, len, &status);
  csp_free(csp);
  return status;
}
