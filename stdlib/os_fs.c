// SPDX-License-Identifier: MIT
// Names and folders: what is there, making, renaming, removing. Every function
// copies its arguments into a job and does its work without a P. The functions
// of csp.h resolve paths (CspConfig.root). An operation that follows links
// opens the path. An operation on the name itself acts on that name in its
// folder (job_act).
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stdlib/os_file.h"

// --- Names ------------------------------------------------------------------
static int rename_act(Job *job, const CspPlace *from) {
  CspPlace to;
  if (csp_find_path(job->csp, job->other, &to) != 0) return -1;
  int result = renameat(from->folder, from->name, to.folder, to.name);
  csp_place_end(&to);
  return result;
}

static void rename_work(void *data) {
  Job *job = data;
  job_act(job, job->path, rename_act);
}

CspStatus os_rename(CspCall *call) {
  return job_run_two(call, "rename", rename_work, NULL);
}

static int symlink_act(Job *job, const CspPlace *at) {
  return symlinkat(job->path, at->folder, at->name);
}

static void symlink_work(void *data) {
  Job *job = data;
  job_act(job, job->other, symlink_act);
}

CspStatus os_symlink(CspCall *call) {
  return job_run_two(call, "link", symlink_work, NULL);
}

// --- What is there ----------------------------------------------------------
// Describes what the path leads to. -1: errno says why not.
static int stat_path(Csp *csp, const char *path, struct stat *info) {
  if (!csp_has_root(csp)) return stat(path, info);
  int fd = csp_open_path(csp, path, O_PATH, 0);
  if (fd < 0) return -1;
  int result = fstat(fd, info), error = errno;
  close(fd);
  errno = error;
  return result;
}

static int lstat_act(Job *job, const CspPlace *at) {
  return fstatat(at->folder, at->name, job->extra, AT_SYMLINK_NOFOLLOW);
}

static void stat_work(void *data) {
  Job *job = data;
  if (job->flag) {
    job_act(job, job->path, lstat_act);
  } else if (stat_path(job->csp, job->path, job->extra) != 0) {
    job->error = errno;
  }
}

// A point in time in ns since 1970, as an int of the language.
static int64_t time_ns(struct timespec at) {
  return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

// The last name of a path.
static CspValue name_value(CspCall *call, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  return csp_string(call, name, strlen(name));
}

static CspStatus stat_done(CspCall *call, void *data) {
  Job *job = data;
  if (job->error) return job_fail(call, job);
  const struct stat *info = job->extra;
  const struct {
    const char *name;
    CspValue value;
  } members[] = {
      {"name", name_value(call, job->path)},
      {"size", csp_int(call, info->st_size)},
      {"mode", csp_int(call, info->st_mode & 07777)},
      {"modified", csp_int(call, time_ns(info->st_mtim))},
      {"is_file", csp_bool(S_ISREG(info->st_mode))},
      {"is_dir", csp_bool(S_ISDIR(info->st_mode))},
      {"is_link", csp_bool(S_ISLNK(info->st_mode))},
      {"inode", csp_int(call, (int64_t)info->st_ino)},
      {"device", csp_int(call, (int64_t)info->st_dev)},
      {"links", csp_int(call, (int64_t)info->st_nlink)},
  };
  enum { COUNT = sizeof members / sizeof *members };
  CspValue map = csp_map(call, COUNT);
  bool ok = !csp_is_undef(map);
  for (size_t i = 0; i < COUNT && ok; i++)
    ok = csp_map_set_name(call, map, members[i].name, members[i].value);
  job_free(job);
  return ok ? csp_ok_value(call, map) : csp_panic_memory(call);
}

// With follow (the default) a symbolic link stands for what it leads to.
CspStatus os_stat(CspCall *call) {
  Job *job = job_new(call, "stat", 0);
  if (job == NULL) return CSP_PANIC;
  job->flag = !is_nil(call, 1) && !csp_truthy(csp_arg(call, 1));
  job->extra = alloc_zeroed(job->csp, sizeof(struct stat));
  if (job->extra == NULL) {
    job_free(job);
    return csp_panic_memory(call);
  }
  return job_run(call, job, stat_work, stat_done);
}

// Of an open file: whether it is a regular one, its size, and when it was
// modified. That says what a reader will get, whatever becomes of its path. The
// kernel has all that since the file was opened, so no thread waits.
CspStatus os_file_state(CspCall *call) {
  File *file = csp_host_data(csp_arg(call, 0), &os_file_class);
  if (file == NULL) return csp_bad_arg(call, 0, "an open file");
  struct stat info;
  pthread_mutex_lock(&file->lock);
  bool known = file->open && fstat(file->fd, &info) == 0;
  pthread_mutex_unlock(&file->lock);
  bool is_file = known && S_ISREG(info.st_mode);
  csp_return(call, csp_bool(is_file));
  csp_return(call, csp_int(call, is_file ? info.st_size : 0));
  return csp_ok_int(call, is_file ? time_ns(info.st_mtim) : 0);
}

// `number` is the type that is asked for, or 0 for any.
static void test_work(void *data) {
  Job *job = data;
  struct stat info;
  bool there = stat_path(job->csp, job->path, &info) == 0;
  job->error = there ? 0 : errno;
  job->flag =
      there && (job->number == 0 || (info.st_mode & S_IFMT) == job->number);
}

static CspStatus test_path(CspCall *call, int64_t type) {
  Job *job = job_new(call, "stat", 0);
  if (job == NULL) return CSP_PANIC;
  job->number = type;
  return job_run(call, job, test_work, job_done_flag);
}

CspStatus os_exists(CspCall *call) { return test_path(call, 0); }

CspStatus os_is_dir(CspCall *call) { return test_path(call, S_IFDIR); }

CspStatus os_is_file(CspCall *call) { return test_path(call, S_IFREG); }

static int is_folder_act(Job *job, const CspPlace *at) {
  struct stat info;
  int result = fstatat(at->folder, at->name, &info, AT_SYMLINK_NOFOLLOW);
  job->flag = result == 0 && S_ISDIR(info.st_mode);
  return result;
}

static void is_folder_work(void *data) {
  Job *job = data;
  job_act(job, job->path, is_folder_act);
}

static CspStatus is_folder_done(CspCall *call, void *data) {
  Job *job = data;
  if (job->error && job->error != ENOENT) return job_fail(call, job);
  CspValue is = job->error ? csp_nil() : csp_bool(job->flag);
  job_free(job);
  return csp_ok_value(call, is);
}

// For os.walk. Gives (whether it is a folder itself, not a link to one, nil),
// (nil, nil) where nothing is any more, or (nil, error).
CspStatus os_is_folder(CspCall *call) {
  Job *job = job_new(call, "stat", 0);
  return job != NULL ? job_run(call, job, is_folder_work, is_folder_done)
                     : CSP_PANIC;
}

static DIR *open_folder(Job *job) {
  int fd = job_open(job, job->path, O_RDONLY | O_DIRECTORY, 0);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  if (fd >= 0 && dir == NULL) {
    job->error = errno;
    close(fd);
  }
  return dir;
}

// A job that lists a folder in pieces.
typedef struct Listing {
  Job job;
  DIR *dir;
  Buffer names;  // as job_done_list wants them
} Listing;

static void listing_stop(Job *job) {
  Listing *listing = (Listing *)(void *)job;
  closedir(listing->dir);
  buffer_free(&listing->names);
}

// The result is false when there are no more names, or the job has failed.
static bool list_next(Listing *listing) {
  errno = 0;
  const struct dirent *entry = readdir(listing->dir);
  if (entry == NULL) {
    listing->job.error = errno;
    return false;
  }
  const char *name = entry->d_name;
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return true;
  buffer_add(&listing->names, name, strlen(name) + 1);
  if (listing->names.failed) listing->job.error = ENOMEM;
  return !listing->names.failed;
}

static void list_work(void *data) {
  enum { NAMES_PIECE = 1024 };
  Listing *listing = data;
  Job *job = &listing->job;
  if (!job->more) listing->dir = open_folder(job);
  if (listing->dir == NULL) return;
  int n = 0;
  do {
    job->more = list_next(listing);
  } while (job->more && ++n < NAMES_PIECE);
  if (job->more) return;
  closedir(listing->dir);
  job->data = listing->names.data;
  job->len = listing->names.len;
}

// Gives the names in a directory, sorted, without . and ..
CspStatus os_list_dir(CspCall *call) {
  Str path;
  if (!need_str(call, 0, &path)) return CSP_PANIC;
  Listing *listing = job_new_sized(call, sizeof *listing, "list", path);
  if (listing == NULL) return CSP_PANIC;
  listing->names = (Buffer){.csp = listing->job.csp, .most = listing->job.most};
  listing->job.stop = listing_stop;
  return job_run(call, &listing->job, list_work, job_done_list);
}

// The system's links are no longer than a path.
enum { LINK_MOST = 65536 };

static int read_link_act(Job *job, const CspPlace *at) {
  job->data = csp_alloc(job->csp, NULL, LINK_MOST);
  ssize_t n = job->data != NULL
                  ? readlinkat(at->folder, at->name, job->data, LINK_MOST)
                  : -1;
  if (n < 0) return -1;
  job->len = (size_t)n;
  if (n < LINK_MOST) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

static void read_link_work(void *data) {
  Job *job = data;
  job_act(job, job->path, read_link_act);
}

CspStatus os_read_link(CspCall *call) {
  Job *job = job_new(call, "read link", 0);
  return job != NULL ? job_run(call, job, read_link_work, job_done_text)
                     : CSP_PANIC;
}

static void real_path_work(void *data) {
  Job *job = data;
  job->data = csp_alloc_real_path(job->csp, job->path);
  if (job->data == NULL) job->error = errno;
  if (job->data != NULL) job->len = strlen(job->data);
}

CspStatus os_real_path(CspCall *call) {
  Job *job = job_new(call, "resolve", 0);
  return job != NULL ? job_run(call, job, real_path_work, job_done_text)
                     : CSP_PANIC;
}

// --- Making and removing ----------------------------------------------------
static int mkdir_act(Job *job, const CspPlace *at) {
  return mkdirat(at->folder, at->name, (mode_t)job->number);
}

static void mkdir_work(void *data) {
  Job *job = data;
  job_act(job, job->path, mkdir_act);
}

// Makes the parents, too. A directory that is there already is no error.
static void mkdir_all_work(void *data) {
  Job *job = data;
  struct stat info;
  for (char *at = job->path + 1; job->path[0] && *at; at++) {
    if (*at != '/' || at[-1] == '/') continue;
    *at = '\0';
    mkdir_work(job);
    *at = '/';
    if (job->error == EEXIST) job->error = 0;
    if (job->error) return;
  }
  mkdir_work(job);
  if (job->error == EEXIST && stat_path(job->csp, job->path, &info) == 0) {
    job->error = S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
  }
}

// A job with permissions as argument 1.
static CspStatus run_mode(CspCall *call, const char *verb, int64_t otherwise,
                          void (*work)(void *data)) {
  Job *job = job_new(call, verb, 0);
  if (job == NULL) return CSP_PANIC;
  if (!job_mode(call, 1, otherwise, &job->number)) {
    job_free(job);
    return CSP_PANIC;
  }
  return job_run(call, job, work, job_done_err);
}

CspStatus os_mkdir(CspCall *call) {
  return run_mode(call, "make directory", 0777, mkdir_work);
}

CspStatus os_mkdir_all(CspCall *call) {
  return run_mode(call, "make directory", 0777, mkdir_all_work);
}

// Changes what the path leads to, which `change` does by a path: 0, or -1
// and errno. With a root that is the name in /proc of a descriptor, because
// calls that take a descriptor refuse an O_PATH one.
static void change_work(Job *job, int (*change)(Job *job, const char *path)) {
  char name[32];
  if (!csp_has_root(job->csp)) {
    if (change(job, job->path) != 0) job->error = errno;
    return;
  }
  int fd = job_open(job, job->path, O_PATH, 0);
  if (fd < 0) return;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  if (change(job, name) != 0) job->error = os_by_proc(errno);
  close(fd);
}

static int chmod_by_path(Job *job, const char *path) {
  return chmod(path, (mode_t)job->number);
}

static void chmod_work(void *data) { change_work(data, chmod_by_path); }

CspStatus os_chmod(CspCall *call) {
  return run_mode(call, "change mode of", 0644, chmod_work);
}

// `number` is the time. That of the last reading stays.
static int set_times_by_path(Job *job, const char *path) {
  enum { SECOND = 1000000000 };
  int64_t seconds = job->number / SECOND, part = job->number % SECOND;
  if (part < 0) {
    part += SECOND;
    seconds--;
  }
  struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {seconds, part}};
  return utimensat(AT_FDCWD, path, times, 0);
}

static void set_times_work(void *data) { change_work(data, set_times_by_path); }

CspStatus os_set_times(CspCall *call) {
  int64_t modified;
  if (!csp_need_int(call, 1, &modified)) return CSP_PANIC;
  Job *job = job_new(call, "set the times of", 0);
  if (job == NULL) return CSP_PANIC;
  job->number = modified;
  return job_run(call, job, set_times_work, job_done_err);
}

static int remove_act(Job *job, const CspPlace *at) {
  (void)job;
  if (unlinkat(at->folder, at->name, 0) == 0) return 0;
  if (errno != EISDIR && errno != EPERM) return -1;
  int error = errno;
  int result = unlinkat(at->folder, at->name, AT_REMOVEDIR);
  if (result != 0 && errno == ENOTDIR) errno = error;
  return result;
}

static void remove_work(void *data) {
  Job *job = data;
  job_act(job, job->path, remove_act);
}

CspStatus os_remove(CspCall *call) {
  Job *job = job_new(call, "remove", 0);
  return job != NULL ? job_run(call, job, remove_work, job_done_err)
                     : CSP_PANIC;
}

static void chdir_work(void *data) {
  Job *job = data;
  if (csp_change_folder(job->csp, job->path) != 0) job->error = errno;
}

CspStatus os_chdir(CspCall *call) {
  Job *job = job_new(call, "change to", 0);
  return job != NULL ? job_run(call, job, chdir_work, job_done_err) : CSP_PANIC;
}
