// SPDX-License-Identifier: MIT
// See new_runtime.h.
#include "cli/new_runtime.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATUS_WRONG_USAGE = 2 };

// --- Native modules ---------------------------------------------------------
static bool is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

// The folder beside the program's own file. NULL: there is none. It is in
// `room`.
static const char *modules_beside(char *room, size_t size) {
  char program[PATH_MAX];
  ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
  if (len <= 0) return NULL;
  program[len] = '\0';
  char *slash = strrchr(program, '/');
  if (slash == NULL) return NULL;
  *slash = '\0';
  int written = snprintf(room, size, "%s/modules", program);
  if (written < (int)size && is_folder(room)) return room;
  written = snprintf(room, size, "%s/../lib/cspvm/%d", program, CSP_API);
  return written < (int)size && is_folder(room) ? room : NULL;
}

// --- A runtime --------------------------------------------------------------

long config_number(const char *name, const char *text, long least, long most) {
  char *end = NULL;
  errno = 0;
  long n = text != NULL ? strtol(text, &end, 10) : 0;
  if (text != NULL && *text != '\0' && *end == '\0' && errno == 0 &&
      n >= least && n <= most)
    return n;
  fprintf(stderr, "cspvm: %s needs a number from %ld to %ld, not `%s`\n", name,
          least, most, text != NULL ? text : "");
  exit(STATUS_WRONG_USAGE);
}

void runtime_config(CspConfig *config) {
  csp_config_init(config);
  const char *procs = getenv("CSPPROCS");
  if (procs != NULL && *procs != '\0')
    config->procs = (int)config_number("CSPPROCS", procs, 1, PROCS_MOST);
  config->path = getenv("CSPPATH");
  config->debug = getenv("CSPDEBUG");
}

Csp *runtime_new(const CspConfig *config) {
  CspConfig all = *config;
  char room[PATH_MAX];
  all.allowed = CSP_ALL;
  all.modules = modules_beside(room, sizeof room);
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
