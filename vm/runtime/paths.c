// SPDX-License-Identifier: MIT
// What a script's path means. The one place that resolves such paths: natives
// and imports reach files only through the functions here.
//
// Without CspConfig.root a path means what it means to the process. With one,
// that folder is "/": Csp.paths.root is a descriptor of it, open as long as the
// runtime, and the kernel resolves every path below it (openat2,
// RESOLVE_IN_ROOT), so that neither "..", nor links, nor folders that are
// renamed meanwhile lead out. Magic links (/proc/self/fd/1) are refused. What
// acts on a name instead of a file (rename, unlink, mkdir) gets the parent's
// descriptor and the last name, which it must not follow.
//
// The working folder of a runtime with a root is Csp.paths.folder, a path in
// the root without links, "." or "..". It is text: when the folder is renamed,
// relative paths do not find it any more.
//
// Any thread may call what csp.h shows. The lock guards `folder` alone, and is
// never held during a system call.
#include "vm/runtime/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vm/heap/local.h"
#include "vm/runtime/runtime.h"

// The kernel answers EAGAIN where a folder was renamed, or something mounted,
// while it went through a "..".
enum { TRIES = 1000, LINKS_MAX = 40 };

// --- Opening ----------------------------------------------------------------
static int open_in(int root, const char *path, int flags, unsigned mode) {
  // (O_TMPFILE has the bit of O_DIRECTORY, too.)
  bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  struct open_how how = {
      .flags = (unsigned)(flags | O_CLOEXEC),
      .mode = creates ? mode & 07777 : 0,
      .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
  };
  for (int n = 1;; n++) {
    long fd = syscall(SYS_openat2, root, path, &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) return (int)fd;
    if (errno == EAGAIN && n >= TRIES) return -1;
    if (errno == EAGAIN) sched_yield();
  }
}

static int open_plain(const char *path, int flags, unsigned mode) {
  int fd;
  do {
    fd = open(path, flags | O_CLOEXEC, (mode_t)(mode & 07777));
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// path as one that begins with "/"; for mem_free. NULL: errno.
static char *absolute(Csp *csp, const char *path) {
  Paths *paths = &csp->paths;
  if (*path == '\0') {
    errno = ENOENT;
    return NULL;
  }
  pthread_mutex_lock(&paths->lock);
  const char *folder = *path == '/' ? "" : paths->folder;
  char *full = mem_format(csp->vm.memory, "%s/%s", folder, path);
  pthread_mutex_unlock(&paths->lock);
  return full;
}

int csp_open_path(Csp *csp, const char *path, int flags, unsigned mode) {
  Paths *paths = &csp->paths;
  // (With O_PATH nothing is opened, and the kernel wants no other flag.)
  if (csp->config.stepped && !(flags & O_PATH)) flags |= O_NONBLOCK;
  if (paths->root < 0)
    return rt_fd_above_streams(open_plain(path, flags, mode));
  char *full = absolute(csp, path);
  if (full == NULL) return -1;
  int fd = rt_fd_above_streams(open_in(paths->root, full, flags, mode));
  mem_free(full);
  return fd;
}

// --- Names in their folder --------------------------------------------------
static bool is_file_name(const char *name) {
  return *name != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

// A slash at the end asks for a folder. (*at functions would follow the name.)
static bool slash_fits(const CspPlace *place) {
  struct stat info;
  if (fstatat(place->folder, place->name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
      S_ISDIR(info.st_mode))
    return true;
  errno = ENOTDIR;
  return false;
}

// full is the place's own from here on.
static bool find_in(int root, char *full, CspPlace *place) {
  size_t len = strlen(full), given = len;
  while (len > 0 && full[len - 1] == '/') full[--len] = '\0';
  char *slash = strrchr(full, '/');
  place->own = full;
  place->name = slash != NULL ? slash + 1 : full;
  const char *parent = full;
  if (!is_file_name(place->name)) {
    parent = len > 0 ? full : "/";
    place->name = ".";
  } else {
    if (slash != NULL) *slash = '\0';
    if (*full == '\0') parent = "/";
  }
  place->folder =
      rt_fd_above_streams(open_in(root, parent, O_PATH | O_DIRECTORY, 0));
  if (place->folder < 0) return false;
  return len == given || slash_fits(place);
}

int csp_find_path(Csp *csp, const char *path, CspPlace *place) {
  *place = (CspPlace){.folder = AT_FDCWD, .name = path};
  if (csp->paths.root < 0) return 0;
  char *full = absolute(csp, path);
  if (full == NULL) return -1;
  if (find_in(csp->paths.root, full, place)) return 0;
  csp_place_end(place);
  return -1;
}

void csp_place_end(CspPlace *place) {
  int error = errno;
  if (place->folder >= 0) close(place->folder);
  mem_free(place->own);
  *place = (CspPlace){.folder = -1};
  errno = error;
}

// --- Paths without links ----------------------------------------------------
// A path on the way to one without links.
typedef struct PathWalk {
  int root;
  int links;            // that were followed
  char done[PATH_MAX];  // without links; "" is the root
  char rest[PATH_MAX];
} PathWalk;

static void drop_last(char *path) {
  char *slash = strrchr(path, '/');
  if (slash != NULL) *slash = '\0';
}

// Puts what a link leads to before the rest.
static int follow(PathWalk *walk, int fd) {
  char target[PATH_MAX];
  ssize_t len = readlinkat(fd, "", target, sizeof target);
  if (len < 0) return errno;
  if (++walk->links > LINKS_MAX) return ELOOP;
  size_t rest = strlen(walk->rest);
  if ((size_t)len + 1 + rest >= sizeof walk->rest) return ENAMETOOLONG;
  memmove(walk->rest + len + 1, walk->rest, rest + 1);
  memcpy(walk->rest, target, (size_t)len);
  walk->rest[len] = '/';
  drop_last(walk->done);
  if (target[0] == '/') walk->done[0] = '\0';
  RT_ASSERT(strlen(walk->rest) == (size_t)len + 1 + rest);
  return 0;
}

// Takes the next name, `len` bytes of the rest. 0, or an errno.
static int take_next(PathWalk *walk, size_t len) {
  size_t done = strlen(walk->done);
  if (done + 1 + len >= sizeof walk->done) return ENAMETOOLONG;
  walk->done[done] = '/';
  memcpy(walk->done + done + 1, walk->rest, len);
  walk->done[done + 1 + len] = '\0';
  memmove(walk->rest, walk->rest + len, strlen(walk->rest + len) + 1);
  RT_ASSERT(walk->done[0] == '/' && strlen(walk->done) == done + 1 + len);
  int fd = open_in(walk->root, walk->done, O_PATH | O_NOFOLLOW, 0);
  struct stat info;
  if (fd < 0) return errno;
  int error = fstat(fd, &info) != 0 ? errno : 0;
  if (error == 0 && S_ISLNK(info.st_mode)) error = follow(walk, fd);
  close(fd);
  return error;
}

static int walk_path(PathWalk *walk) {
  int error = 0;
  while (error == 0 && walk->rest[0] != '\0') {
    size_t len = strcspn(walk->rest, "/");
    bool up = len == 2 && memcmp(walk->rest, "..", 2) == 0;
    if (len > 0 && !up && !(len == 1 && walk->rest[0] == '.')) {
      error = take_next(walk, len);
      continue;
    }
    if (up) drop_last(walk->done);
    len += len == 0;
    memmove(walk->rest, walk->rest + len, strlen(walk->rest + len) + 1);
  }
  return error;
}

static int identify(int root, const char *path, struct stat *info) {
  int fd = open_in(root, path, O_PATH, 0);
  if (fd < 0) return errno;
  int error = fstat(fd, info) != 0 ? errno : 0;
  close(fd);
  return error;
}

// What the kernel finds and what the walk finds differ where something was
// renamed meanwhile.
static int resolve(PathWalk *walk, const char *full) {
  struct stat wanted, found;
  for (int n = 0; n < TRIES; n++) {
    int error = identify(walk->root, full, &wanted);
    if (error != 0) return error;
    if (strlen(full) >= sizeof walk->rest) return ENAMETOOLONG;
    strcpy(walk->rest, full);
    walk->done[0] = '\0';
    walk->links = 0;
    error = walk_path(walk);
    if (error == 0)
      error = identify(walk->root, walk->done[0] ? walk->done : "/", &found);
    if (error != 0 && error != ENOENT && error != ENOTDIR) return error;
    if (error == 0 && wanted.st_ino == found.st_ino &&
        wanted.st_dev == found.st_dev)
      return 0;
  }
  return EAGAIN;
}

static char *real_in(const Memory *memory, int root, const char *full) {
  PathWalk *walk = mem_alloc(memory, sizeof *walk);
  if (walk == NULL) return NULL;
  walk->root = root;
  int error = resolve(walk, full);
  char *path = NULL;
  if (error == 0)
    path = mem_copy_text(memory, walk->done[0] != '\0' ? walk->done : "/");
  if (error == 0 && path == NULL) error = ENOMEM;
  mem_free(walk);
  errno = error;
  return path;
}

// What libc has malloced, in our memory.
static char *path_from_libc(const Memory *memory, char *text) {
  char *copy = text != NULL ? mem_copy_text(memory, text) : NULL;
  libc_free(text);
  return copy;
}

char *csp_alloc_real_path(Csp *csp, const char *path) {
  const Memory *memory = csp->vm.memory;
  if (csp->paths.root < 0) return path_from_libc(memory, realpath(path, NULL));
  char *full = absolute(csp, path);
  char *found = full != NULL ? real_in(memory, csp->paths.root, full) : NULL;
  mem_free(full);
  return found;
}

char *csp_real_path(Csp *csp, const char *path) {
  if (csp->paths.root < 0) return realpath(path, NULL);
  char *found = csp_alloc_real_path(csp, path);
  return found != NULL ? libc_hand_over(found, strlen(found)) : NULL;
}

char *vm_real_path(Vm *vm, const char *path) {
  return csp_alloc_real_path(runtime_of(vm), path);
}

int vm_open_path(Vm *vm, const char *path, int flags) {
  return csp_open_path(runtime_of(vm), path, flags, 0);
}

// --- The working folder -----------------------------------------------------
char *csp_alloc_folder(Csp *csp) {
  Paths *paths = &csp->paths;
  const Memory *memory = csp->vm.memory;
  if (paths->root < 0) return path_from_libc(memory, getcwd(NULL, 0));
  pthread_mutex_lock(&paths->lock);
  const char *now = paths->folder[0] != '\0' ? paths->folder : "/";
  char *folder = mem_copy_text(memory, now);
  pthread_mutex_unlock(&paths->lock);
  return folder;
}

char *csp_working_folder(Csp *csp) {
  char *folder = csp_alloc_folder(csp);
  return folder != NULL ? libc_hand_over(folder, strlen(folder)) : NULL;
}

// Whether the path is a folder that may be searched; else errno.
static bool can_search(Csp *csp, const char *path) {
  char *inside = mem_format(csp->vm.memory, "%s/.", path);
  if (inside == NULL) return false;
  int fd = open_in(csp->paths.root, inside, O_PATH | O_DIRECTORY, 0);
  int error = errno;
  mem_free(inside);
  if (fd >= 0) close(fd);
  errno = error;
  return fd >= 0;
}

int csp_change_folder(Csp *csp, const char *path) {
  Paths *paths = &csp->paths;
  if (paths->root < 0) return chdir(path);
  char *folder = csp_alloc_real_path(csp, path);
  if (folder == NULL) return -1;
  if (!can_search(csp, folder)) {
    mem_free(folder);
    return -1;
  }
  if (folder[1] == '\0') folder[0] = '\0';
  pthread_mutex_lock(&paths->lock);
  char *before = paths->folder;
  paths->folder = folder;
  pthread_mutex_unlock(&paths->lock);
  mem_free(before);
  return 0;
}

bool csp_has_root(Csp *csp) { return csp->paths.root >= 0; }

// --- With the runtime -------------------------------------------------------
bool paths_open(Csp *csp) {
  Paths *paths = &csp->paths;
  const CspConfig *config = &csp->config;
  pthread_mutex_init(&paths->lock, NULL);
  if (config->root == NULL) return true;
  if ((config->allowed & CSP_PROCESSES) != 0) {
    errno = EINVAL;  // programs see all that the process sees
    return false;
  }
  paths->folder = mem_copy_text(csp->vm.memory, "");
  if (paths->folder == NULL) return false;
  int root = open_plain(config->root, O_PATH | O_DIRECTORY, 0);
  // Where the kernel refuses openat2 there is no root to be had.
  int probe = root < 0 ? -1 : open_in(root, "/", O_PATH | O_DIRECTORY, 0);
  paths->root = rt_fd_above_streams(root);
  if (probe < 0) return false;
  close(probe);
  return paths->root >= 0;
}

void paths_free(Csp *csp) {
  if (csp->paths.root >= 0) close(csp->paths.root);
  mem_free(csp->paths.folder);
  pthread_mutex_destroy(&csp->paths.lock);
}
