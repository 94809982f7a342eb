// SPDX-License-Identifier: MIT
// Names below a folder, found without following a link. A name is taken apart,
// and each of its folders is opened in the one above it. So other processes may
// put links anywhere meanwhile, and the name still leads nowhere else. That
// holds on every kernel. (openat2 could refuse links, too, but not every kernel
// has it.) These functions are for jobs: they may block.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stdlib/os.h"

// --- Names ------------------------------------------------------------------
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

// --- Regular files ----------------------------------------------------------
// What is no regular file is not opened: that would begin something for some
// devices. What has come instead of one meanwhile is closed, and opening it
// waits for nothing. 0, or an errno: EISDIR means a folder, ENOENT all else.
static int open_regular(Job *job, const BelowPlace *place) {
  int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  struct stat info;
  if (fstatat(place->folder, place->name, &info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (!S_ISREG(info.st_mode)) return ENOENT;
  job->fd = csp_above_streams(openat(place->folder, place->name, flags));
  if (job->fd < 0) return errno;
  bool is = fstat(job->fd, &info) == 0 && S_ISREG(info.st_mode);
  if (is && (csp_is_stepped(job->csp) || fcntl(job->fd, F_SETFL, 0) == 0))
    return 0;
  close(job->fd);
  return ENOENT;
}

// Another process may have a lease on the file, until it gives that up.
static int leased(Job *job) {
  job->later = !csp_is_stepped(job->csp);
  return JOB_LEASED;
}

static void open_real_work(void *data) {
  Job *job = data;
  BelowPlace place;
  char *path = alloc_text(job->csp, job->path);
  int root = csp_open_path(job->csp, "/", O_PATH | O_DIRECTORY, 0);
  job->error = path == NULL ? ENOMEM : root < 0 ? errno : 0;
  char *names = path != NULL ? path + strspn(path, "/") : NULL;
  if (!job->error && names == path) job->error = EINVAL;
  if (!job->error && *names == '\0') job->error = EISDIR;
  if (!job->error) job->error = below_find(root, names, false, &place);
  if (!job->error) {
    job->error = open_regular(job, &place);
    close(place.folder);
  }
  if (job->error == EAGAIN) job->error = leased(job);
  if (root >= 0) close(root);
  csp_alloc_free(path);
}

// Opens the regular file of an absolute path to read it. No part of the path
// may be a link: what os.real_path gave stays what it was. (file, nil) or (nil,
// error). The code is "is_folder" for a folder, and "not_found", "not_folder"
// or "loop" where there is no such file.
CspStatus os_open_real(CspCall *call) {
  Job *job = job_new(call, "open", 0);
  return job != NULL ? job_run(call, job, open_real_work, os_open_done)
                     : CSP_PANIC;
}
