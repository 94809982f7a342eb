// SPDX-License-Identifier: MIT
// Makes the files and folders that an archive holds, below one folder. tar.csp
// and zip.csp read the archives and use this.
//
// An archive may be anybody's, and so may what is in the folder. Nothing here
// leads out of it:
//   - A name is found without following a link (below_find), and its folders
//     are made if they are missing.
//   - What has the name already is removed first, and a file is made anew. So
//     no other name of an old file gets its contents.
//   - A symbolic link leads to a place inside. ".." stands only at the front of
//     its target, no more often than the link is deep. After another part it
//     could lead on from wherever that part leads.
//   - A hard link is to a regular file. One to a symbolic link would have its
//     target in another folder.
//
// The lock is held during a piece of work, so two goroutines take turns.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "stdlib/os.h"

enum { NS = 1000000000 };

typedef struct Unpack {
  pthread_mutex_t lock;  // guards the rest; zeroed it is ready for use
  int folder;            // 0: closed
} Unpack;

typedef struct UnpackJob {
  Job job;  // its path is the name, `other` what it leads to
  Unpack *unpack;
} UnpackJob;

static void unpack_finalize(void *data) {
  const Unpack *unpack = data;
  if (unpack->folder > 0) close(unpack->folder);
}

static const CspClass unpack_class = {"unpack", unpack_finalize, sizeof(Unpack),
                                      NULL};

// --- Names: lock held -------------------------------------------------------
static int remove_old(const BelowPlace *place) {
  return unlinkat(place->folder, place->name, 0) == 0 || errno == ENOENT
             ? 0
             : errno;
}

// How deep in the folder a name is: its parts but the last one.
static size_t unpack_depth(const char *path) {
  size_t depth = 0;
  while (*path != '\0') {
    size_t len = strcspn(path, "/");
    if (len > 0 && !(len == 1 && *path == '.')) depth++;
    path += len;
    path += strspn(path, "/");
  }
  return depth == 0 ? 0 : depth - 1;
}

static const char *wrong_target(const char *name, const char *target) {
  size_t up = 0, depth = unpack_depth(name);
  bool down = false;
  if (*target == '\0') return "it leads nowhere";
  if (*target == '/') return "it leads out of the folder, to an absolute path";
  while (*target != '\0') {
    size_t len = strcspn(target, "/");
    bool above = len == 2 && memcmp(target, "..", 2) == 0;
    if (above && down) return "it leads to a place with `..` in the middle";
    if (above && ++up > depth) return "it leads out of the folder";
    down |= !above && len > 0 && !(len == 1 && *target == '.');
    target += len;
    target += strspn(target, "/");
  }
  return NULL;
}

// --- Work: lock held --------------------------------------------------------
typedef int (*UnpackAct)(UnpackJob *work, const BelowPlace *place);

// The file stays open, as job->fd.
static int file_act(UnpackJob *work, const BelowPlace *place) {
  Job *job = &work->job;
  int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int error = remove_old(place);
  if (error) return error;
  job->fd = csp_above_streams(
      openat(place->folder, place->name, flags, (mode_t)job->number));
  return job->fd < 0 ? errno : 0;
}

static int folder_act(UnpackJob *work, const BelowPlace *place) {
  (void)work;
  int fd = below_enter(place->folder, place->name, true);
  if (fd < 0) return errno;
  close(fd);
  return 0;
}

static int unpack_symlink_act(UnpackJob *work, const BelowPlace *place) {
  int error = remove_old(place);
  if (error) return error;
  return symlinkat(work->job.other, place->folder, place->name) == 0 ? 0
                                                                     : errno;
}

static int is_regular(const BelowPlace *place, struct stat *info) {
  if (fstatat(place->folder, place->name, info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno;
  return S_ISREG(info->st_mode) ? 0 : EPERM;
}

// The target is looked at after the link was made, too: somebody may have put
// another thing in its place.
static int link_to(const BelowPlace *from, const BelowPlace *place) {
  struct stat old, there;
  int error = is_regular(from, &old);
  if (error) return error;
  if (is_regular(place, &there) == 0 && there.st_ino == old.st_ino &&
      there.st_dev == old.st_dev)
    return 0;
  error = remove_old(place);
  if (error) return error;
  if (linkat(from->folder, from->name, place->folder, place->name, 0) != 0)
    return errno;
  error = is_regular(place, &there);
  if (error) unlinkat(place->folder, place->name, 0);
  return error;
}

static int link_act(UnpackJob *work, const BelowPlace *place) {
  BelowPlace from;
  char *target = alloc_text(work->job.csp, work->job.other);
  if (target == NULL) return ENOMEM;
  int error = below_find(work->unpack->folder, target, false, &from);
  if (!error) {
    error = link_to(&from, place);
    close(from.folder);
  }
  csp_alloc_free(target);
  return error;
}

// `number` is the time, in ns.
static int times_act(UnpackJob *work, const BelowPlace *place) {
  int64_t ns = work->job.number, part = ns % NS;
  if (part < 0) part += NS;
  struct timespec when = {(time_t)((ns - part) / NS), (long)part};
  const struct timespec times[2] = {when, when};
  return utimensat(place->folder, place->name, times, AT_SYMLINK_NOFOLLOW) == 0
             ? 0
             : errno;
}

static void act_on(UnpackJob *work, UnpackAct act) {
  Job *job = &work->job;
  BelowPlace place;
  char *path = alloc_text(job->csp, job->path);
  pthread_mutex_lock(&work->unpack->lock);
  int folder = work->unpack->folder;
  job->error = path == NULL ? ENOMEM : folder == 0 ? EBADF : 0;
  if (!job->error) job->error = below_find(folder, path, true, &place);
  if (!job->error) {
    job->error = act(work, &place);
    close(place.folder);
  }
  pthread_mutex_unlock(&work->unpack->lock);
  csp_alloc_free(path);
}

static void file_work(void *data) { act_on(data, file_act); }
static void folder_work(void *data) { act_on(data, folder_act); }
static void unpack_symlink_work(void *data) {
  act_on(data, unpack_symlink_act);
}
static void link_work(void *data) { act_on(data, link_act); }
static void times_work(void *data) { act_on(data, times_act); }

// --- The folder -------------------------------------------------------------
static void open_folder_work(void *data) {
  Job *job = data;
  job->fd = csp_open_path(job->csp, job->path, O_PATH | O_DIRECTORY, 0);
  if (job->fd < 0) job->error = errno;
}

static CspStatus open_folder_done(CspCall *call, void *data) {
  Job *job = data;
  void *made = NULL;
  if (job->error) return job_fail(call, job);
  CspValue v = csp_host_new(call, &unpack_class, &made);
  if (csp_is_undef(v))
    close(job->fd);
  else
    ((Unpack *)made)->folder = job->fd;
  job_free(job);
  return csp_ok_value(call, v);
}

static CspStatus unpack_folder(CspCall *call) {
  Job *job = job_new(call, "unpack to", 0);
  if (job == NULL) return CSP_PANIC;
  return job_run(call, job, open_folder_work, open_folder_done);
}

// --- Methods ----------------------------------------------------------------
// NULL: the call has panicked.
static UnpackJob *unpack_job(CspCall *call) {
  Unpack *unpack = csp_host_data(csp_arg(call, 0), &unpack_class);
  Str name;
  if (unpack == NULL) csp_bad_arg(call, 0, "what _unpack_folder gives");
  if (unpack == NULL || !need_str(call, 1, &name)) return NULL;
  UnpackJob *work = job_new_sized(call, sizeof *work, "unpack", name);
  if (work != NULL) work->unpack = unpack;
  return work;
}

// _file(name, mode): (file to write, nil) or (nil, error).
static CspStatus unpack_file(CspCall *call) {
  int64_t mode;
  if (!need_int_in(call, 2, 0, 0777, &mode)) return CSP_PANIC;
  UnpackJob *work = unpack_job(call);
  if (work == NULL) return CSP_PANIC;
  work->job.number = mode;
  return job_run(call, &work->job, file_work, os_open_done);
}

// _folder(name): nil or an error.
static CspStatus unpack_make_folder(CspCall *call) {
  UnpackJob *work = unpack_job(call);
  if (work == NULL) return CSP_PANIC;
  return job_run(call, &work->job, folder_work, job_done_err);
}

static CspStatus refuse_link(CspCall *call, UnpackJob *work, const char *why) {
  char *text = alloc_format(csp_of(call), "it is a link to %s: %s",
                            work->job.other, why);
  job_free(&work->job);
  if (text == NULL) return csp_panic_memory(call);
  CspValue message = csp_alloc_take(call, text, strlen(text));
  return csp_ok(call, csp_error_coded(call, message, csp_nil(),
                                      csp_string(call, "invalid", 7)));
}

// _symlink(name, target): nil or an error.
static CspStatus unpack_symlink(CspCall *call) {
  UnpackJob *work = unpack_job(call);
  if (work == NULL) return CSP_PANIC;
  if (!job_other(call, &work->job, 2)) {
    job_free(&work->job);
    return CSP_PANIC;
  }
  const char *why = wrong_target(work->job.path, work->job.other);
  if (why != NULL && !work->job.error) return refuse_link(call, work, why);
  return job_run(call, &work->job, unpack_symlink_work, job_done_err);
}

// _link(name, existing): nil or an error.
static CspStatus unpack_link(CspCall *call) {
  UnpackJob *work = unpack_job(call);
  if (work == NULL) return CSP_PANIC;
  if (!job_other(call, &work->job, 2)) {
    job_free(&work->job);
    return CSP_PANIC;
  }
  return job_run(call, &work->job, link_work, job_done_err);
}

// _times(name, modified): nil or an error.
static CspStatus unpack_times(CspCall *call) {
  int64_t modified;
  if (!csp_need_int(call, 2, &modified)) return CSP_PANIC;
  UnpackJob *work = unpack_job(call);
  if (work == NULL) return CSP_PANIC;
  work->job.number = modified;
  return job_run(call, &work->job, times_work, job_done_err);
}

static CspStatus unpack_close(CspCall *call) {
  Unpack *unpack = csp_host_data(csp_arg(call, 0), &unpack_class);
  if (unpack == NULL) return csp_bad_arg(call, 0, "what _unpack_folder gives");
  pthread_mutex_lock(&unpack->lock);
  if (unpack->folder > 0) close(unpack->folder);
  unpack->folder = 0;
  pthread_mutex_unlock(&unpack->lock);
  return csp_ok_nothing(call);
}

static const CspFunction unpack_methods[] = {
    CSP_NEEDS(CSP_FILES),
    {"_file", "unpack, name, mode", unpack_file},
    {"_folder", "unpack, name", unpack_make_folder},
    {"_symlink", "unpack, name, target", unpack_symlink},
    {"_link", "unpack, name, existing", unpack_link},
    {"_times", "unpack, name, modified", unpack_times},
    {"_close", "unpack", unpack_close},
    {NULL, NULL, NULL}};

static const CspFunction unpack_functions[] = {
    CSP_NEEDS(CSP_FILES),
    {"_unpack_folder", "path", unpack_folder},
    {NULL, NULL, NULL}};

bool os_unpack_install(Csp *csp) {
  return csp_register_class(csp, &unpack_class, unpack_methods) &&
         csp_register_builtins(csp, unpack_functions);
}
