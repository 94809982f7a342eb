// SPDX-License-Identifier: MIT
// Reading a script whole (source.h).
#include "cli/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/source.h"

// 0, or an errno. It stops after the piece that is over SOURCE_MAX.
static int read_all(FILE *in, char **text, size_t *len) {
  size_t cap = 0;
  *text = NULL;
  *len = 0;
  while (*len <= SOURCE_MAX) {
    if (cap - *len < 2) {
      cap = cap ? cap * 2 : 64 * 1024;
      char *more = realloc(*text, cap);
      if (more == NULL) return ENOMEM;
      *text = more;
    }
    errno = 0;
    size_t n = fread(*text + *len, 1, cap - *len - 1, in);
    *len += n;
    if (n == 0) break;
  }
  (*text)[*len] = '\0';
  if (*len > SOURCE_MAX) return EFBIG;
  return !ferror(in) ? 0 : errno != 0 ? errno : EIO;
}

int source_load(const char *path, char **text, size_t *len) {
  bool standard = strcmp(path, "-") == 0;
  *text = NULL;
  FILE *in = standard ? stdin : fopen(path, "rb");
  if (in == NULL) return errno;
  int error = read_all(in, text, len);
  if (!standard) fclose(in);
  if (error == 0) return 0;
  free(*text);
  *text = NULL;
  return error;
}

const char *source_error(int error) {
  return error == EFBIG ? source_too_long : strerror(error);
}

bool source_read(const char *path, char **text, size_t *len) {
  int error = source_load(path, text, len);
  if (error == 0) return true;
  fprintf(stderr, "cspvm: cannot read %s: %s\n", path, source_error(error));
  return false;
}
