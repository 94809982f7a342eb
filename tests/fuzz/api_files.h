// SPDX-License-Identifier: MIT
// What natives of fuzz_api.c do with paths and output. With a root nothing that
// is opened may lie outside of it.
#ifndef CSP_FUZZ_API_FILES_H
#define CSP_FUZZ_API_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/api_host.h"

static char root_folder[PATH_MAX];
static const char *const paths[] = {
    "/",     "a",    "/d/../a", "up/up/etc/passwd", "out/x", "loop", "",
    "..",    "d/",   "d/b",     "/proc/self/fd/1",  "out",   ".",    "d/new",
    "up/./", "none", "a/b",     "//d//back/a"};
enum { PATHS = sizeof paths / sizeof *paths };
static const int ways[] = {O_RDONLY,         O_RDONLY | O_DIRECTORY,
                           O_PATH,           O_WRONLY,
                           O_RDWR | O_CREAT, O_RDONLY | O_NOFOLLOW};
enum { WAYS = sizeof ways / sizeof *ways };

static bool made(int status) { return status == 0 || errno == EEXIST; }

// Links lead out of it, round, and back.
static void root_make(void) {
  int fd;
  if (!made(mkdir("root", 0755)) || !made(mkdir("root/d", 0755)) ||
      !made(symlink("..", "root/up")) || !made(symlink("/etc", "root/out")) ||
      !made(symlink("loop", "root/loop")) ||
      !made(symlink("/d/..", "root/d/back")) ||
      (fd = open("root/a", O_RDWR | O_CREAT, 0644)) < 0 ||
      realpath("root", root_folder) == NULL)
    abort();
  close(fd);
}

static void must_be_inside(int fd) {
  char link[64], to[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t len = readlink(link, to, sizeof to - 1);
  size_t root = strlen(root_folder);
  if (len < 0) abort();
  to[len] = 0;
  if (strncmp(to, root_folder, root) != 0 || (to[root] && to[root] != '/'))
    abort();
}

static void open_one(Csp *csp, unsigned which) {
  int fd = csp_open_path(csp, paths[which % PATHS], ways[which / PATHS % WAYS],
                         0644);
  if (fd < 0) return;
  if (fd < 3) abort();
  if (csp_has_root(csp)) must_be_inside(fd);
  close(fd);
}

static void find_one(Csp *csp, unsigned which) {
  CspPlace place;
  struct stat about;
  if (csp_find_path(csp, paths[which % PATHS], &place) != 0) return;
  if (csp_has_root(csp)) {
    if (strchr(place.name, '/') != NULL) abort();
    must_be_inside(place.folder);
    fstatat(place.folder, place.name, &about, AT_SYMLINK_NOFOLLOW);
  }
  csp_place_end(&place);
}

static void name_one(Csp *csp, unsigned which) {
  const char *path = paths[which % PATHS];
  free(csp_real_path(csp, path));
  csp_alloc_free(csp_alloc_real_path(csp, path));
  free(csp_working_folder(csp));
  csp_alloc_free(csp_alloc_folder(csp));
  // Without a root it is the process's folder.
  if (csp_has_root(csp)) csp_change_folder(csp, path);
}

static void path_deed(Csp *csp, unsigned which) {
  switch (which % 3) {
    case 0:
      open_one(csp, which / 3);
      break;
    case 1:
      find_one(csp, which / 3);
      break;
    default:
      name_one(csp, which / 3);
  }
}

// paths(n): of the tables above.
static CspStatus native_paths(CspCall *call) {
  int64_t n;
  if (!csp_need_int(call, 0, &n)) return CSP_PANIC;
  path_deed(csp_of(call), (unsigned)n & 0xffff);
  csp_errno_code((int)(n >> 32));
  return csp_ok_errno(call, errno, csp_name(call));
}

// --- Output -----------------------------------------------------------------
static CspStatus native_write(CspCall *call) {
  const char *data;
  size_t len;
  if (!csp_need_string(call, 0, &data, &len)) return CSP_PANIC;
  csp_write_out(call, data, len);
  csp_write_err(call, data, len);
  csp_flush_err(csp_of(call), data, len);
  csp_flush_out(csp_of(call));
  csp_report(csp_of(call), data, len);
  return csp_ok_int(call, csp_wall_clock(call) / 2 + csp_monotonic(call) / 2);
}

static CspStatus native_exit(CspCall *call) { return csp_exit(call, 3); }

static CspStatus native_args(CspCall *call) {
  char **argv;
  int argc = csp_args(call, &argv);
  return argc > 0 ? csp_ok_string(call, argv[0], strlen(argv[0]))
                  : csp_ok_string(call, csp_version(), 3);
}

#endif
