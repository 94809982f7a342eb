// SPDX-License-Identifier: MIT
// Whole files and directories. Every function copies its arguments into a job
// and does its work without a P.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stdlib/os.h"

// --- Reading and writing ----------------------------------------------------
static bool grow(Job *job, size_t *cap) {
  size_t more = *cap < 4096 ? 4096 : *cap + *cap / 2;
  if (more > job->most) more = job->most;
  if (more <= *cap) return false;
  char *data = realloc(job->data, more + 1);
  if (!data) return false;
  job->data = data;
  *cap = more;
  return true;
}

void os_read_all(int fd, Job *job) {
  struct stat info;
  size_t cap = 0;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
    cap = (size_t)info.st_size;
    job->data = cap <= job->most ? malloc(cap + 1) : NULL;
    if (!job->data) cap = 0;
  }
  for (;;) {
    // At the end of a file of known size one more byte tells that it ended.
    if (job->len == cap && job->data) {
      char extra;
      ssize_t n = read(fd, &extra, 1);
      if (n == 0) return;
      if (n == 1) {
        if (!grow(job, &cap)) break;
        job->data[job->len++] = extra;
      } else if (errno != EINTR) {
        job->error = errno;
        return;
      }
      continue;
    }
    if (job->len == cap && !grow(job, &cap)) break;
    ssize_t n = read(fd, job->data + job->len, cap - job->len);
    if (n == 0) return;
    if (n > 0) {
      job->len += (size_t)n;
    } else if (errno != EINTR) {
      job->error = errno;
      return;
    }
  }
  job->error = ENOMEM;
}

int os_write_all(int fd, const char *data, size_t len) {
  while (len > 0) {
    ssize_t n = write(fd, data, len);
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) {
      data += n;
      len -= (size_t)n;
    }
  }
  return 0;
}

static void read_work(void *data) {
  Job *job = data;
  int fd = open(job->path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    job->error = errno;
    return;
  }
  os_read_all(fd, job);
  close(fd);
}

CspStatus os_read_file(CspCall *call) {
  Job *job = job_new(call, "read", 0);
  return job ? job_run(call, job, read_work, job_done_string) : CSP_PANIC;
}

CspStatus os_read_bytes(CspCall *call) {
  Job *job = job_new(call, "read", 0);
  return job ? job_run(call, job, read_work, job_done_bytes) : CSP_PANIC;
}

// flag: append. number: permissions of a new file.
static void write_work(void *data) {
  Job *job = data;
  int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (job->flag ? O_APPEND : O_TRUNC);
  int fd = open(job->path, flags, (mode_t)job->number);
  if (fd < 0) {
    job->error = errno;
    return;
  }
  job->error = os_write_all(fd, job->data, job->len);
  if (close(fd) != 0 && !job->error && errno != EINTR) job->error = errno;
}

static CspStatus write_whole(CspCall *call, bool append) {
  Job *job = job_new(call, "write", 0);
  if (!job) return CSP_PANIC;
  job->flag = append;
  if (!job_data(call, job, 1) || !opt_int(call, 2, 0666, &job->number)) {
    job_free(job);
    return CSP_PANIC;
  }
  return job_run(call, job, write_work, job_done_err);
}

CspStatus os_write_file(CspCall *call) { return write_whole(call, false); }

CspStatus os_append_file(CspCall *call) { return write_whole(call, true); }

static int copy_all(int from, int to) {
  char block[65536];
  for (;;) {
    ssize_t n = read(from, block, sizeof block);
    if (n == 0) return 0;
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) {
      int error = os_write_all(to, block, (size_t)n);
      if (error) return error;
    }
  }
}

static void copy_work(void *data) {
  Job *job = data;
  struct stat info, target;
  int from = open(job->path, O_RDONLY | O_CLOEXEC);
  if (from < 0 || fstat(from, &info) != 0) {
    job->error = errno;
  } else if (S_ISDIR(info.st_mode)) {
    job->error = EISDIR;
  } else if (stat(job->other, &target) == 0 && target.st_ino == info.st_ino &&
             target.st_dev == info.st_dev) {
    job->error = EEXIST;  // the same file: it would be emptied
  } else {
    int to = open(job->other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                  info.st_mode & 0777);
    job->error = to < 0 ? errno : copy_all(from, to);
    if (to >= 0 && close(to) != 0 && !job->error) job->error = errno;
  }
  if (from >= 0) close(from);
}

// A job with a second path, arguments 0 and 1.
static CspStatus run_two(CspCall *call, const char *verb,
                         void (*work)(void *data)) {
  Job *job = job_new(call, verb, 0);
  if (!job) return CSP_PANIC;
  if (!job_other(call, job, 1)) {
    job_free(job);
    return CSP_PANIC;
  }
  return job_run(call, job, work, job_done_err);
}

CspStatus os_copy_file(CspCall *call) {
  return run_two(call, "copy", copy_work);
}

static void rename_work(void *data) {
  Job *job = data;
  if (rename(job->path, job->other) != 0) job->error = errno;
}

CspStatus os_rename(CspCall *call) {
  return run_two(call, "rename", rename_work);
}

static void symlink_work(void *data) {
  Job *job = data;
  if (symlink(job->path, job->other) != 0) job->error = errno;
}

CspStatus os_symlink(CspCall *call) {
  return run_two(call, "link", symlink_work);
}

// --- What is there ----------------------------------------------------------
static void stat_work(void *data) {
  Job *job = data;
  struct stat *info = job->extra;
  int result = job->flag ? lstat(job->path, info) : stat(job->path, info);
  if (result != 0) job->error = errno;
}

static CspStatus stat_done(CspCall *call, void *data) {
  Job *job = data;
  if (job->error) return job_fail(call, job);
  struct stat *info = job->extra;
  CspValue map = csp_map(call, 8);
  bool ok = !csp_is_undef(map);
  int64_t modified =
      (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec;
  const char *slash = strrchr(job->path, '/');
  const char *name = slash ? slash + 1 : job->path;
  ok = ok && csp_map_set_name(call, map, "name",
                              csp_string(call, name, strlen(name)));
  ok = ok && csp_map_set_name(call, map, "size", csp_int(call, info->st_size));
  ok = ok && csp_map_set_name(call, map, "mode",
                              csp_int(call, info->st_mode & 07777));
  ok = ok && csp_map_set_name(call, map, "modified", csp_int(call, modified));
  ok = ok &&
       csp_map_set_name(call, map, "is_file", csp_bool(S_ISREG(info->st_mode)));
  ok = ok &&
       csp_map_set_name(call, map, "is_dir", csp_bool(S_ISDIR(info->st_mode)));
  ok = ok &&
       csp_map_set_name(call, map, "is_link", csp_bool(S_ISLNK(info->st_mode)));
  job_free(job);
  return ok ? csp_ok_value(call, map) : csp_panic_memory(call);
}

// follow (true): what a symbolic link leads to, else the link itself.
CspStatus os_stat(CspCall *call) {
  Job *job = job_new(call, "stat", 0);
  if (!job) return CSP_PANIC;
  job->flag = !is_nil(call, 1) && !csp_truthy(csp_arg(call, 1));
  job->extra = calloc(1, sizeof(struct stat));
  if (!job->extra) {
    job_free(job);
    return csp_panic_memory(call);
  }
  return job_run(call, job, stat_work, stat_done);
}

// number: the type wanted, 0 for any.
static void test_work(void *data) {
  Job *job = data;
  struct stat info;
  job->flag = stat(job->path, &info) == 0 &&
              (job->number == 0 || (info.st_mode & S_IFMT) == job->number);
}

static CspStatus test_path(CspCall *call, int64_t type) {
  Job *job = job_new(call, "stat", 0);
  if (!job) return CSP_PANIC;
  job->number = type;
  return job_run(call, job, test_work, job_done_flag);
}

CspStatus os_exists(CspCall *call) { return test_path(call, 0); }

CspStatus os_is_dir(CspCall *call) { return test_path(call, S_IFDIR); }

CspStatus os_is_file(CspCall *call) { return test_path(call, S_IFREG); }

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// Packs the names as job_done_list wants them, and frees them.
static void pack_names(Job *job, char **names, size_t count) {
  Buffer out = {0};
  if (count > 0) qsort(names, count, sizeof *names, compare_names);
  for (size_t i = 0; i < count; i++) {
    buffer_add(&out, names[i], strlen(names[i]) + 1);
    free(names[i]);
  }
  free(names);
  job->data = out.data;
  job->len = out.len;
  if (out.failed) job->error = ENOMEM;
}

// Appends a copy of the name; false: out of memory.
static bool add_name(char ***names, size_t *count, const char *name) {
  if ((*count & (*count - 1)) == 0) {
    size_t cap = *count ? *count * 2 : 1;
    char **more = realloc(*names, cap * sizeof *more);
    if (!more) return false;
    *names = more;
  }
  char *copy = strdup(name);
  if (copy) (*names)[(*count)++] = copy;
  return copy != NULL;
}

static void list_work(void *data) {
  Job *job = data;
  DIR *dir = opendir(job->path);
  if (!dir) {
    job->error = errno;
    return;
  }
  char **names = NULL;
  size_t count = 0;
  for (;;) {
    errno = 0;
    struct dirent *entry = readdir(dir);
    if (!entry) {
      job->error = errno;
      break;
    }
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    if (!add_name(&names, &count, name)) {
      job->error = ENOMEM;
      break;
    }
  }
  closedir(dir);
  int error = job->error;
  if (names) pack_names(job, names, count);
  if (error) job->error = error;
}

// The names in a directory, sorted, without . and ..
CspStatus os_list_dir(CspCall *call) {
  Job *job = job_new(call, "list", 0);
  return job ? job_run(call, job, list_work, job_done_list) : CSP_PANIC;
}

static void glob_work(void *data) {
  Job *job = data;
  glob_t found = {0};
  int result = glob(job->path, 0, NULL, &found);
  if (result == GLOB_NOMATCH) return;
  if (result != 0) {
    job->error = result == GLOB_NOSPACE ? ENOMEM : EIO;
    globfree(&found);
    return;
  }
  Buffer out = {0};
  for (size_t i = 0; i < found.gl_pathc; i++) {
    buffer_add(&out, found.gl_pathv[i], strlen(found.gl_pathv[i]) + 1);
  }
  globfree(&found);
  job->data = out.data;
  job->len = out.len;
  if (out.failed) job->error = ENOMEM;
}

CspStatus os_glob(CspCall *call) {
  Job *job = job_new(call, "match", 0);
  return job ? job_run(call, job, glob_work, job_done_list) : CSP_PANIC;
}

static void read_link_work(void *data) {
  Job *job = data;
  job->data = malloc(4097);
  ssize_t n = job->data ? readlink(job->path, job->data, 4096) : -1;
  if (n < 0) {
    job->error = job->data ? errno : ENOMEM;
  } else {
    job->len = (size_t)n;
  }
}

CspStatus os_read_link(CspCall *call) {
  Job *job = job_new(call, "read link", 0);
  return job ? job_run(call, job, read_link_work, job_done_string) : CSP_PANIC;
}

static void real_path_work(void *data) {
  Job *job = data;
  job->data = realpath(job->path, NULL);
  if (!job->data) job->error = errno;
  if (job->data) job->len = strlen(job->data);
}

CspStatus os_real_path(CspCall *call) {
  Job *job = job_new(call, "resolve", 0);
  return job ? job_run(call, job, real_path_work, job_done_string) : CSP_PANIC;
}

// --- Making and removing ----------------------------------------------------
static void mkdir_work(void *data) {
  Job *job = data;
  if (mkdir(job->path, (mode_t)job->number) != 0) job->error = errno;
}

// Its parents, too; a directory that is there already is no error.
static void mkdir_all_work(void *data) {
  Job *job = data;
  struct stat info;
  for (char *at = job->path + 1; job->path[0] && *at; at++) {
    if (*at != '/') continue;
    *at = '\0';
    if (mkdir(job->path, (mode_t)job->number) != 0 && errno != EEXIST) {
      job->error = errno;
    }
    *at = '/';
    if (job->error) return;
  }
  if (mkdir(job->path, (mode_t)job->number) == 0) return;
  job->error = errno;
  if (job->error == EEXIST && stat(job->path, &info) == 0) {
    job->error = S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
  }
}

// A job with permissions as argument 1.
static CspStatus run_mode(CspCall *call, const char *verb, int64_t otherwise,
                          void (*work)(void *data)) {
  Job *job = job_new(call, verb, 0);
  if (!job) return CSP_PANIC;
  if (!opt_int(call, 1, otherwise, &job->number)) {
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

static void chmod_work(void *data) {
  Job *job = data;
  if (chmod(job->path, (mode_t)job->number) != 0) job->error = errno;
}

CspStatus os_chmod(CspCall *call) {
  return run_mode(call, "change mode of", 0644, chmod_work);
}

static void remove_work(void *data) {
  Job *job = data;
  if (remove(job->path) != 0) job->error = errno;
}

CspStatus os_remove(CspCall *call) {
  Job *job = job_new(call, "remove", 0);
  return job ? job_run(call, job, remove_work, job_done_err) : CSP_PANIC;
}

static int remove_visit(const char *path, const struct stat *info, int type,
                        struct FTW *ftw) {
  (void)info, (void)type, (void)ftw;
  return remove(path) != 0 ? errno : 0;
}

static void remove_all_work(void *data) {
  Job *job = data;
  int result = nftw(job->path, remove_visit, 16, FTW_DEPTH | FTW_PHYS);
  if (result > 0) job->error = result;
  if (result < 0 && errno != ENOENT) job->error = errno;
}

// With everything inside; a path that is not there is no error.
CspStatus os_remove_all(CspCall *call) {
  Job *job = job_new(call, "remove", 0);
  return job ? job_run(call, job, remove_all_work, job_done_err) : CSP_PANIC;
}

static void chdir_work(void *data) {
  Job *job = data;
  if (chdir(job->path) != 0) job->error = errno;
}

CspStatus os_chdir(CspCall *call) {
  Job *job = job_new(call, "change to", 0);
  return job ? job_run(call, job, chdir_work, job_done_err) : CSP_PANIC;
}

// flag: a directory. path is the beginning of the name; the result in data.
static void temp_work(void *data) {
  Job *job = data;
  if (asprintf(&job->data, "%s/%sXXXXXX", job->other, job->path) < 0) {
    job->data = NULL;
    job->error = ENOMEM;
    return;
  }
  int fd = -1;
  bool made = job->flag ? mkdtemp(job->data) != NULL
                        : (fd = mkostemp(job->data, O_CLOEXEC)) >= 0;
  if (!made) job->error = errno;
  if (fd >= 0) close(fd);
  job->len = strlen(job->data);
}

static CspStatus make_temp(CspCall *call, bool folder) {
  Str prefix;
  if (!opt_str(call, 0, "csp-", &prefix)) return CSP_PANIC;
  Job *job = job_new_for(call, "make temporary", prefix);
  if (!job) return CSP_PANIC;
  job->flag = folder;
  bool own = is_nil(call, 1);
  if (own) job->other = os_env_temp(call);
  if (own ? !job->other : !job_other(call, job, 1)) {
    job_free(job);
    return CSP_PANIC;
  }
  return job_run(call, job, temp_work, job_done_string);
}

// A new, empty file: (path, nil) or (nil, error).
CspStatus os_temp_file(CspCall *call) { return make_temp(call, false); }

// A new, empty directory: (path, nil) or (nil, error).
CspStatus os_temp_dir(CspCall *call) { return make_temp(call, true); }
