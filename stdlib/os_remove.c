// SPDX-License-Identifier: MIT
// Removes a folder with everything in it, for os.remove_all. That is a loop in
// os.csp, and here are its pieces of work. Between them a goroutine can be
// cancelled, and limits and a stepped host's budget hold.
//
// No path is used twice. Each folder is opened in the one above it, without
// following links, and names are removed in the folder that was opened. Another
// process may put links in the place of folders meanwhile. They do not lead us
// out.
//
// A Removal's levels are the folders from the first one down to where it is.
// Only the last OPEN_MOST of them are open, however deep it goes. Those above
// are opened again by "..", which must be the same folder as before.
//
// The lock is held during a piece of work, so two goroutines take turns.
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
  int above;   // the folder of the first level; 0 means none
  char *path;  // of the first level
  FolderLevel *levels;
  size_t depth, room;
} Removal;

// --- Levels: lock held ------------------------------------------------------
static void pop_level(Removal *removal) {
  FolderLevel *level = &removal->levels[--removal->depth];
  if (level->dir != NULL) closedir(level->dir);
  csp_alloc_free(level->name);
}

static void removal_clear(Removal *removal) {
  while (removal->depth > 0) pop_level(removal);
  if (removal->above > 0) close(removal->above);
  csp_alloc_free(removal->levels);
  csp_alloc_free(removal->path);
  removal->above = 0;
  removal->levels = NULL;
  removal->path = NULL;
  removal->room = 0;
}

static void removal_finalize(void *data) { removal_clear(data); }

const CspClass os_removal_class = {"removal", removal_finalize, sizeof(Removal),
                                   NULL};

static int folder_of(const Removal *removal, size_t depth) {
  return depth == 0 ? removal->above : dirfd(removal->levels[depth - 1].dir);
}

static int open_folder_at(int above, const char *name) {
  int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  return csp_above_streams(openat(above, name, flags));
}

static bool has_room(Removal *removal) {
  if (removal->depth < removal->room) return true;
  size_t room = removal->room ? removal->room * 2 : 16;
  FolderLevel *more =
      csp_alloc(removal->csp, removal->levels, room * sizeof *more);
  if (more == NULL) return false;
  removal->levels = more;
  removal->room = room;
  return true;
}

// Goes down into a folder. Returns 0, or an errno.
static int push_level(Removal *removal, const char *name) {
  int fd = open_folder_at(folder_of(removal, removal->depth), name);
  struct stat info;
  if (fd < 0) return errno;
  int error = fstat(fd, &info) != 0 ? errno : 0;
  char *copy = alloc_text(removal->csp, name);
  if (!error && (copy == NULL || !has_room(removal))) error = ENOMEM;
  DIR *dir = error ? NULL : fdopendir(fd);
  if (!error && dir == NULL) error = errno;
  if (error) {
    close(fd);
    csp_alloc_free(copy);
    return error;
  }
  removal->levels[removal->depth++] =
      (FolderLevel){copy, dir, info.st_dev, info.st_ino, false};
  if (removal->depth > OPEN_MOST) {
    FolderLevel *old = &removal->levels[removal->depth - OPEN_MOST - 1];
    if (old->dir != NULL) closedir(old->dir);
    old->dir = NULL;
  }
  return 0;
}

// Opens the level above the last one again. The result is ESTALE when somebody
// has moved it.
static int reopen(Removal *removal) {
  FolderLevel *level = &removal->levels[removal->depth - 2];
  if (level->dir != NULL) return 0;
  int fd = open_folder_at(folder_of(removal, removal->depth), "..");
  struct stat info;
  if (fd < 0) return errno;
  int error = fstat(fd, &info) != 0 ? errno : 0;
  if (!error && (info.st_dev != level->dev || info.st_ino != level->ino))
    error = ESTALE;
  if (!error) level->dir = fdopendir(fd);
  if (!error && level->dir == NULL) error = errno;
  if (error) close(fd);
  return error;
}

// --- Work -------------------------------------------------------------------
// Removes a name of the last level, or goes down into it.
static int remove_name(Removal *removal, const char *name, bool is_folder) {
  int folder = folder_of(removal, removal->depth), error = 0;
  if (!is_folder) {
    if (unlinkat(folder, name, 0) == 0 || errno == ENOENT) return 0;
    error = errno;
    if (error != EISDIR && error != EPERM) return error;
  }
  int down = push_level(removal, name);
  if (down == 0 || down == ENOENT) return 0;
  if (down != ENOTDIR && down != ELOOP) return down;
  // The name is no folder any more, or never was one.
  if (error == EPERM) return error;
  return unlinkat(folder, name, 0) == 0 || errno == ENOENT ? 0 : errno;
}

// Removes the last level, which is empty, and goes up.
static int leave_level(Removal *removal) {
  FolderLevel *level = &removal->levels[removal->depth - 1];
  int error = removal->depth > 1 ? reopen(removal) : 0;
  if (error) return error;
  if (unlinkat(folder_of(removal, removal->depth - 1), level->name,
               AT_REMOVEDIR) != 0 &&
      errno != ENOENT) {
    error = errno;
    if ((error != ENOTEMPTY && error != EEXIST) || !level->changed)
      return error;
    level->changed = false;  // some systems skip names when others go
    rewinddir(level->dir);
    return 0;
  }
  pop_level(removal);
  if (removal->depth > 0) removal->levels[removal->depth - 1].changed = true;
  return 0;
}

static int remove_next(Removal *removal) {
  FolderLevel *level = &removal->levels[removal->depth - 1];
  errno = 0;
  const struct dirent *entry = readdir(level->dir);
  if (entry == NULL) return errno != 0 ? errno : leave_level(removal);
  const char *name = entry->d_name;
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return 0;
  size_t depth = removal->depth;
  int error = remove_name(removal, name, entry->d_type == DT_DIR);
  if (error == EMFILE || error == ENFILE)
    rewinddir(level->dir);  // job_collects
  if (!error && removal->depth == depth) level->changed = true;
  return error;
}

// The path of the last level, for messages. NULL: there is no memory.
static char *path_of(const Removal *removal) {
  Buffer path = {.csp = removal->csp};
  buffer_add(&path, removal->path, strlen(removal->path));
  for (size_t i = 1; i < removal->depth; i++) {
    buffer_add_char(&path, '/');
    buffer_add(&path, removal->levels[i].name, strlen(removal->levels[i].name));
  }
  if (!path.failed) return path.data;
  buffer_free(&path);
  return NULL;
}

typedef struct RemoveJob {
  Job job;  // its path is what messages name, its number that of steps
  Removal *removal;
} RemoveJob;

static void some_work(void *data) {
  RemoveJob *work = data;
  Removal *removal = work->removal;
  pthread_mutex_lock(&removal->lock);
  while (work->job.number < REMOVE_PIECE && removal->depth > 0 &&
         !work->job.error) {
    work->job.error = remove_next(removal);
    work->job.number++;
  }
  char *path = work->job.error ? path_of(removal) : NULL;
  if (path != NULL) {
    csp_alloc_free(work->job.path);
    work->job.path = path;
  }
  work->job.flag = removal->depth > 0 && !work->job.error;
  pthread_mutex_unlock(&removal->lock);
}

// --- The beginning ----------------------------------------------------------
// Splits the path into folder and name, without slashes at its end. Returns
// NULL when the path ends with no name.
static char *split(char *path, const char **folder, bool *slash) {
  size_t len = strlen(path), given = len;
  while (len > 0 && path[len - 1] == '/') path[--len] = '\0';
  *slash = len < given;
  char *last = strrchr(path, '/');
  char *name = last != NULL ? last + 1 : path;
  *folder = last == NULL ? "." : last == path ? "/" : path;
  if (*name == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
    return NULL;
  if (last != NULL) *last = '\0';
  return name;
}

// Returns 0, or an errno. Afterwards removal has a level if there is more to
// do.
static int removal_begin(Job *job, Removal *removal, char *path) {
  const char *folder;
  bool slash;
  struct stat info;
  char *name = split(path, &folder, &slash);
  if (name == NULL) return EINVAL;
  removal->above = csp_open_path(job->csp, folder, O_PATH | O_DIRECTORY, 0);
  if (removal->above < 0) return errno;
  if (fstatat(removal->above, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno;
  if (slash && !S_ISDIR(info.st_mode)) return ENOTDIR;
  return remove_name(removal, name, S_ISDIR(info.st_mode));
}

static void begin_work(void *data) {
  RemoveJob *work = data;
  Job *job = &work->job;
  char *path = alloc_text(job->csp, job->path);
  work->removal->path = alloc_text(job->csp, job->path);
  if (path == NULL || work->removal->path == NULL) {
    job->error = ENOMEM;
  } else if (*path != '\0') {
    job->error = removal_begin(job, work->removal, path);
  }
  if (job->error == ENOENT) job->error = 0;  // nothing is there
  if (job->error) removal_clear(work->removal);
  csp_alloc_free(path);
}

static CspStatus begin_done(CspCall *call, void *data) {
  RemoveJob *work = data;
  Removal *made = work->removal, *kept;
  if (work->job.error) return job_fail(call, &work->job);
  if (made->depth == 0) {
    removal_clear(made);
    job_free(&work->job);
    return csp_ok_value(call, csp_nil());
  }
  CspValue v = csp_host_new(call, &os_removal_class, (void **)&kept);
  if (csp_is_undef(v)) {
    removal_clear(made);
  } else {
    *kept = *made;
  }
  job_free(&work->job);
  return csp_ok_value(call, v);
}

// --- Natives ----------------------------------------------------------------
static RemoveJob *remove_job(CspCall *call, Str path) {
  return job_new_sized(call, sizeof(RemoveJob), "remove", path);
}

// Gives (what _remove_some takes, nil), (nil, nil) when all is done, or (nil,
// error).
CspStatus os_remove_all(CspCall *call) {
  Str path;
  if (!need_str(call, 0, &path)) return CSP_PANIC;
  RemoveJob *work = remove_job(call, path);
  if (work == NULL) return CSP_PANIC;
  work->removal = work->job.extra =
      alloc_zeroed(csp_of(call), sizeof *work->removal);
  if (work->removal == NULL) {
    job_free(&work->job);
    return csp_panic_memory(call);
  }
  work->removal->csp = csp_of(call);
  return job_run(call, &work->job, begin_work, begin_done);
}

static Removal *need_removal(CspCall *call) {
  Removal *removal = csp_host_data(csp_arg(call, 0), &os_removal_class);
  if (removal == NULL) csp_bad_arg(call, 0, "what _remove_all gives");
  return removal;
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

// Removes some of it. Gives (whether there is more, nil) or (false, error).
CspStatus os_remove_some(CspCall *call) {
  Removal *removal = need_removal(call);
  RemoveJob *work = removal != NULL ? remove_job(call, (Str){"", 0}) : NULL;
  if (work == NULL) return CSP_PANIC;
  work->removal = removal;
  return job_block(call, some_work, some_done, &work->job);
}

// Closes what is open, after any piece of work that has begun.
CspStatus os_remove_end(CspCall *call) {
  Removal *removal = need_removal(call);
  if (removal == NULL) return CSP_PANIC;
  pthread_mutex_lock(&removal->lock);
  removal_clear(removal);
  pthread_mutex_unlock(&removal->lock);
  return csp_ok_nothing(call);
}
