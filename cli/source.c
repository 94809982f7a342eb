// SPDX-License-Identifier: MIT
// Reading a script whole (source.h).
#include "cli/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_all(FILE *in, char **text, size_t *len) {
  size_t cap = 0;
  *text = NULL;
  *len = 0;
  for (;;) {
    if (cap - *len < 2) {
      cap = cap ? cap * 2 : 64 * 1024;
      char *more = realloc(*text, cap);
      if (more == NULL) return false;
      *text = more;
    }
    size_t n = fread(*text + *len, 1, cap - *len - 1, in);
    *len += n;
    if (n == 0) break;
  }
  (*text)[*len] = '\0';
  return !ferror(in);
}

int source_load(const char *path, char **text, size_t *len) {
  bool standard = strcmp(path, "-") == 0;
  *text = NULL;
  FILE *in = standard ? stdin : fopen(path, "rb");
  if (in == NULL) return errno;
  errno = 0;
  int error = read_all(in, text, len) ? 0 : errno != 0 ? errno : EIO;
  if (!standard) fclose(in);
  if (error == 0) return 0;
  free(*text);
  *text = NULL;
  return error;
}

bool source_read(const char *path, char **text, size_t *len) {
  int error = source_load(path, text, len);
  if (error == 0) return true;
  fprintf(stderr, "cspvm: cannot read %s: %s\n", path, strerror(error));
  return false;
}
