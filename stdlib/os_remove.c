// SPDX-License-Identifier: MIT
// Removing a folder with everything in it: os.remove_all, a loop in os.csp over
// the pieces of work that are here, so that a cancelled goroutine, a limit and
// a stepped host's budget hold between them.
//
// Nothing goes by paths: each folder is opened in the one above it, without
// following links, and names are removed in the folder that was opened. So
// no process that puts links in the place of folders meanwhile leads us out.
//
// A Removal's levels are the folders from the first one down to where it is.
// Only the last OPEN_MOST of them are open, however deep it goes: those above
// are opened again by "..", which must be the same folder as before.
//
// The lock is held during a piece of work: two goroutines take turns.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stdlib/os.h"

enum { OPEN_MOST = 8, REMOVE_PIECE = 64, REMOVE_NS = 4000 };

typedef struct FolderLevel {
  char *name;  // in the level above
  DIR *dir;    // NULL: closed
  dev_t dev;
  ino_t ino;
  bool changed;  // something was removed since it was read from its beginning
} FolderLevel;

typedef struct Removal {
  pthread_mutex_t lock;  // zeroed: ready for use
  Csp *csp;
  int above;   // the folder of the first level; 0: none
  char *path;  // of the first level
  FolderLevel *levels;
  size_t depth, room;
} Removal;

// --- Levels: lock held ------------------------------------------------------
static void pop_level(Removal *r) {
  FolderLevel *level = &r->levels[--r->depth];
  if (level->dir) closedir(level->dir);
  csp_alloc_free(level->name);
}

static void removal_clear(Removal *r) {
  while (r->depth > 0) pop_level(r);
  if (r->above > 0) close(r->above);
  csp_alloc_free(r->levels);
  csp_alloc_free(r->path);
  r->above = 0;
  r->levels = NULL;
  r->path = NULL;
  r->room = 0;
}

static void removal_finalize(void *data) { removal_clear(data); }

const CspClass os_removal_class = {"removal", removal_finalize, sizeof(Removal),
                                   NULL};

static int folder_of(const Removal *r, size_t depth) {
  return depth == 0 ? r->above : dirfd(r->levels[depth - 1].dir);
}

static int open_folder_at(int above, const char *name) {
  return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool has_room(Removal *r) {
  if (r->depth < r->room) return true;
  size_t room = r->room ? r->room * 2 : 16;
  FolderLevel *more = csp_alloc(r->csp, r->levels, room * sizeof *more);
  if (!more) return false;
  r->levels = more;
  r->room = room;
  return true;
}

// Goes down into a folder. 0, or an errno.
static int push_level(Removal *r, const char *name) {
  int fd = open_folder_at(folder_of(r, r->depth), name);
  struct stat info;
  if (fd < 0) return errno;
  int error = fstat(fd, &info) != 0 ? errno : 0;
  char *copy = alloc_text(r->csp, name);
  if (!error && (!copy || !has_room(r))) error = ENOMEM;
  DIR *dir = error ? NULL : fdopendir(fd);
  if (!error && !dir) error = errno;
  if (error) {
    close(fd);
    csp_alloc_free(copy);
    return error;
  }
  r->levels[r->depth++] =
      (FolderLevel){copy, dir, info.st_dev, info.st_ino, false};
  if (r->depth > OPEN_MOST) {
    FolderLevel *old = &r->levels[r->depth - OPEN_MOST - 1];
    if (old->dir) closedir(old->dir);
    old->dir = NULL;
  }
  return 0;
}

// Opens the level above the last one again. ESTALE: that has been moved.
static int reopen(Removal *r) {
  FolderLevel *level = &r->levels[r->depth - 2];
  if (level->dir) return 0;
  int fd = open_folder_at(folder_of(r, r->depth), "..");
  struct stat info;
  if (fd < 0) return errno;
  int error = fstat(fd, &info) != 0 ? errno : 0;
  if (!error && (info.st_dev != level->dev || info.st_ino != level->ino))
    error = ESTALE;
  if (!error) level->dir = fdopendir(fd);
  if (!error && !level->dir) error = errno;
  if (error) close(fd);
  return error;
}

// --- Work -------------------------------------------------------------------
// Removes a name of the last level, or goes down into it.
static int remove_name(Removal *r, const char *name, bool is_folder) {
  int folder = folder_of(r, r->depth), error = 0;
  if (!is_folder) {
    if (unlinkat(folder, name, 0) == 0 || errno == ENOENT) return 0;
    error = errno;
    if (error != EISDIR && error != EPERM) return error;
  }
  int down = push_level(r, name);
  if (down == 0 || down == ENOENT) return 0;
  if (down != ENOTDIR && down != ELOOP) return down;
  // What was a folder is none any more, or never was one.
  if (error == EPERM) return error;
  return unlinkat(folder, name, 0) == 0 || errno == ENOENT ? 0 : errno;
}

// The last level is empty: removes it, and goes up.
static int leave_level(Removal *r) {
  FolderLevel *level = &r->levels[r->depth - 1];
  int error = r->depth > 1 ? reopen(r) : 0;
  if (error) return error;
  if (unlinkat(folder_of(r, r->depth - 1), level->name, AT_REMOVEDIR) != 0 &&
      errno != ENOENT) {
    error = errno;
    if ((error != ENOTEMPTY && error != EEXIST) || !level->changed)
      return error;
    level->changed = false;  // some systems skip names when others go
    rewinddir(level->dir);
    return 0;
  }
  pop_level(r);
  if (r->depth > 0) r->levels[r->depth - 1].changed = true;
  return 0;
}

static int remove_next(Removal *r) {
  FolderLevel *level = &r->levels[r->depth - 1];
  errno = 0;
  const struct dirent *entry = readdir(level->dir);
  if (!entry) return errno != 0 ? errno : leave_level(r);
  const char *name = entry->d_name;
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return 0;
  size_t depth = r->depth;
  int error = remove_name(r, name, entry->d_type == DT_DIR);
  if (!error && r->depth == depth) level->changed = true;
  return error;
}

// The path of the last level, for messages. NULL: no memory.
static char *path_of(const Removal *r) {
  Buffer path = {.csp = r->csp};
  buffer_add(&path, r->path, strlen(r->path));
  for (size_t i = 1; i < r->depth; i++) {
    buffer_add_char(&path, '/');
    buffer_add(&path, r->levels[i].name, strlen(r->levels[i].name));
  }
  if (!path.failed) return path.data;
  buffer_free(&path);
  return NULL;
}

typedef struct RemoveJob {
  Job job;  // path: what messages name; flag: there is more; number: of steps
  Removal *removal;
} RemoveJob;

static void some_work(void *data) {
  RemoveJob *work = data;
  Removal *r = work->removal;
  pthread_mutex_lock(&r->lock);
  while (work->job.number < REMOVE_PIECE && r->depth > 0 && !work->job.error) {
    work->job.error = remove_next(r);
    work->job.number++;
  }
  char *path = work->job.error ? path_of(r) : NULL;
  if (path) {
    csp_alloc_free(work->job.path);
    work->job.path = path;
  }
  work->job.flag = r->depth > 0 && !work->job.error;
  pthread_mutex_unlock(&r->lock);
}

// --- The beginning ----------------------------------------------------------
// Splits the path into folder and name, without slashes at its end. NULL: it
// ends with no name.
static char *split(char *path, const char **folder, bool *slash) {
  size_t len = strlen(path), given = len;
  while (len > 0 && path[len - 1] == '/') path[--len] = '\0';
  *slash = len < given;
  char *last = strrchr(path, '/');
  char *name = last ? last + 1 : path;
  *folder = !last ? "." : last == path ? "/" : path;
  if (*name == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
    return NULL;
  if (last) *last = '\0';
  return name;
}

// 0, or an errno; r has a level if there is more to do.
static int removal_begin(Job *job, Removal *r, char *path) {
  const char *folder;
  bool slash;
  struct stat info;
  char *name = split(path, &folder, &slash);
  if (!name) return EINVAL;
  r->above = csp_open_path(job->csp, folder, O_PATH | O_DIRECTORY, 0);
  if (r->above < 0) return errno;
  if (fstatat(r->above, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  if (slash && !S_ISDIR(info.st_mode)) return ENOTDIR;
  return remove_name(r, name, S_ISDIR(info.st_mode));
}

static void begin_work(void *data) {
  RemoveJob *work = data;
  Job *job = &work->job;
  char *path = alloc_text(job->csp, job->path);
  work->removal->path = alloc_text(job->csp, job->path);
  if (!path || !work->removal->path) {
    job->error = ENOMEM;
  } else if (*path != '\0') {
    job->error = removal_begin(job, work->removal, path);
  }
  if (job->error == ENOENT) job->error = 0;  // nothing is there
  csp_alloc_free(path);
}

static CspStatus begin_done(CspCall *call, void *data) {
  RemoveJob *work = data;
  Removal *made = work->removal, *kept;
  if (work->job.error || made->depth == 0) {
    removal_clear(made);
    csp_alloc_free(made);
    if (work->job.error) return job_fail(call, &work->job);
    job_free(&work->job);
    return csp_ok_value(call, csp_nil());
  }
  job_free(&work->job);
  CspValue v = csp_host_new(call, &os_removal_class, (void **)&kept);
  if (csp_is_undef(v)) {
    removal_clear(made);
  } else {
    *kept = *made;
  }
  csp_alloc_free(made);
  return csp_ok_value(call, v);
}

// --- Natives ----------------------------------------------------------------
static RemoveJob *remove_job(CspCall *call, Str path) {
  return job_new_sized(call, sizeof(RemoveJob), "remove", path);
}

// (what _remove_some takes, nil), (nil, nil): it is done, or (nil, error).
CspStatus os_remove_all(CspCall *call) {
  Str path;
  if (!need_str(call, 0, &path)) return CSP_PANIC;
  RemoveJob *work = remove_job(call, path);
  if (!work) return CSP_PANIC;
  work->removal = alloc_zeroed(csp_of(call), sizeof *work->removal);
  if (!work->removal) {
    job_free(&work->job);
    return csp_panic_memory(call);
  }
  work->removal->csp = csp_of(call);
  return job_run(call, &work->job, begin_work, begin_done);
}

static Removal *need_removal(CspCall *call) {
  Removal *r = csp_host_data(csp_arg(call, 0), &os_removal_class);
  if (!r) csp_bad_arg(call, 0, "what _remove_all gives");
  return r;
}

static CspStatus some_done(CspCall *call, void *data) {
  RemoveJob *work = data;
  if (!csp_work(call, (uint64_t)work->job.number * REMOVE_NS)) {
    job_free(&work->job);
    return CSP_PANIC;
  }
  csp_return(call, csp_bool(work->job.flag));
  return job_done_err(call, &work->job);
}

// (whether there is more, nil) or (false, error): removes some of it.
CspStatus os_remove_some(CspCall *call) {
  Removal *r = need_removal(call);
  RemoveJob *work = r ? remove_job(call, (Str){"", 0}) : NULL;
  if (!work) return CSP_PANIC;
  work->removal = r;
  return job_block(call, some_work, some_done, &work->job);
}

// Closes what is open. Goroutines that are in a piece of work come first.
CspStatus os_remove_end(CspCall *call) {
  Removal *r = need_removal(call);
  if (!r) return CSP_PANIC;
  pthread_mutex_lock(&r->lock);
  removal_clear(r);
  pthread_mutex_unlock(&r->lock);
  return csp_ok_nothing(call);
}
