// SPDX-License-Identifier: MIT
// Names below a folder, found without following a link. A name is taken apart,
// and each of its folders is opened in the one above it. So other processes may
// put links anywhere meanwhile, and the name still leads nowhere else. That
// holds on every kernel, and openat2 (RESOLVE_NO_SYMLINKS) would not make the
// missing folders. These functions are for jobs: they may block.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stdlib/os.h"

// The next part of a path, cut off. NULL: there is none.
static char *below_part(char **path) {
  char *part = *path;
  do {
    part += strspn(part, "/");
    *path = part + strcspn(part, "/");
    if (**path != '\0') *(*path)++ = '\0';
  } while (strcmp(part, ".") == 0 && (part = *path) != NULL);
  return *part != '\0' ? part : NULL;
}

int below_enter(int above, const char *name, bool makes) {
  int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int fd = csp_above_streams(openat(above, name, flags));
  if (fd >= 0 || errno != ENOENT || !makes) return fd;
  if (mkdirat(above, name, 0777) != 0 && errno != EEXIST) return -1;
  return csp_above_streams(openat(above, name, flags));
}

int below_find(int root, char *path, bool makes, BelowPlace *place) {
  char *rest = path, *part = *path == '/' ? NULL : below_part(&rest);
  int folder = fcntl(root, F_DUPFD_CLOEXEC, 3), error = folder < 0 ? errno : 0;
  if (part == NULL) error = EINVAL;
  place->name = part;
  while (!error && (part = below_part(&rest)) != NULL) {
    if (strcmp(place->name, "..") == 0) error = EINVAL;
    int below = error ? -1 : below_enter(folder, place->name, makes);
    if (below < 0 && !error) error = errno;
    close(folder);
    folder = below;
    place->name = part;
  }
  if (!error && strcmp(place->name, "..") == 0) error = EINVAL;
  if (error && folder >= 0) close(folder);
  place->folder = folder;
  return error;
}
