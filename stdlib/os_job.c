// SPDX-License-Identifier: MIT
// Jobs are how the functions of os run what may block (csp_block) and tell how
// it went.
//
// Opening a FIFO must not make the thread wait until another process opens the
// other end. So it is opened with O_NONBLOCK. Where nobody reads it yet the
// goroutine sleeps and tries again. One that nobody writes yet is open at once,
// and keeps the flag. Its first read waits in netpoll, as reading at once would
// find its end. A FIFO and a terminal that are written keep the flag, too, as
// nobody may read the one, and Ctrl-S may stop the other. What is opened has
// flags of its own, so other programs at the terminal do not see it. All else
// loses the flag.
//
// Work that found no descriptor left is done once more after a collection. So a
// work function that fails with EMFILE leaves nothing that its next beginning
// would not take.
#include "stdlib/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void job_free(Job *job) {
  csp_alloc_free(job->path);
  csp_alloc_free(job->other);
  csp_alloc_free(job->data);
  csp_alloc_free(job->extra);
  room_free(job->csp, &job->room);
  room_free(job->csp, &job->feed.room);
  csp_alloc_free(job);
}

// Copies a path, which must have no zero byte. The system refuses a path that
// is too long. Its beginning is enough for the message.
static char *copy_path(Job *job, Str s) {
  if (s.len >= PATH_MAX) {
    job->error = ENAMETOOLONG;
    s.len = PATH_MAX;
  } else if (memchr(s.data, '\0', s.len) != NULL) {
    job->error = EINVAL;
  }
  return alloc_str(job->csp, s);
}

void *job_new_sized(CspCall *call, size_t size, const char *verb, Str path) {
  Job *job = alloc_zeroed(csp_of(call), size);
  if (job != NULL) job->csp = csp_of(call);
  if (job != NULL) job->path = copy_path(job, path);
  if (job == NULL || job->path == NULL) {
    csp_alloc_free(job);
    csp_panic_memory(call);
    return NULL;
  }
  job->verb = verb;
  job->most = csp_room(call);
  return job;
}

Job *job_new_for(CspCall *call, const char *verb, Str path) {
  return job_new_sized(call, sizeof(Job), verb, path);
}

Job *job_new(CspCall *call, const char *verb, int i) {
  Str path;
  return need_str(call, i, &path) ? job_new_for(call, verb, path) : NULL;
}

bool job_other(CspCall *call, Job *job, int i) {
  Str other;
  if (!need_str(call, i, &other)) return false;
  job->other = copy_path(job, other);
  if (job->other == NULL) csp_panic_memory(call);
  return job->other != NULL;
}

bool job_mode(CspCall *call, int i, int64_t otherwise, int64_t *mode) {
  *mode = otherwise;
  // A file's owner is the host's user. So a script with a root must make none
  // that runs as its owner.
  int64_t most = csp_has_root(csp_of(call)) ? 0777 : 07777;
  return is_nil(call, i) || need_int_in(call, i, 0, most, mode);
}

// --- Work -------------------------------------------------------------------
static bool job_is(const Job *job, const char *path, mode_t kind) {
  struct stat info;
  int fd = csp_open_path(job->csp, path, O_PATH, 0);
  if (fd < 0) return false;
  bool is = fstat(fd, &info) == 0 && (info.st_mode & S_IFMT) == kind;
  close(fd);
  return is;
}

static bool job_is_fifo(const Job *job, const char *path) {
  return job_is(job, path, S_IFIFO);
}

// Takes O_NONBLOCK off again, but for what keeps it, which leaves the other
// flags as they are. Returns fd, or -1 when that failed and fd was closed.
static int take_flag_off(Job *job, int fd, int flags) {
  struct stat info;
  if (fstat(fd, &info) == 0) {
    bool reads = (flags & O_ACCMODE) == O_RDONLY;
    bool is_fifo = S_ISFIFO(info.st_mode);
    bool keeps = is_fifo || (!reads && S_ISCHR(info.st_mode) && isatty(fd));
    job->is_fifo |= is_fifo && reads;
    if (keeps || fcntl(fd, F_SETFL, flags) == 0) return fd;
  }
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

// EAGAIN also means that another process has a lease on the file. Only an open
// that may block waits for its end.
static int open_threaded(Job *job, const char *path, int flags, unsigned mode) {
  int fd = csp_open_path(job->csp, path, flags | O_NONBLOCK, mode);
  if (fd >= 0) return take_flag_off(job, fd, flags);
  if (errno == EAGAIN && !job_is_fifo(job, path))
    return csp_open_path(job->csp, path, flags, mode);
  return fd;
}

int job_open(Job *job, const char *path, int flags, int64_t mode) {
  bool stepped = csp_is_stepped(job->csp);
  bool waits = !stepped && (flags & (O_PATH | O_DIRECTORY)) == 0;
  int fd = waits ? open_threaded(job, path, flags, (unsigned)mode)
                 : csp_open_path(job->csp, path, flags, (unsigned)mode);
  if (fd >= 0) return fd;
  job->error = errno;
  if (stepped && job->error == EAGAIN && job_is(job, path, S_IFREG))
    job->error = JOB_LEASED;
  if (job->error != ENXIO || !job_is_fifo(job, path)) return fd;
  job->error = JOB_WOULD_WAIT;
  job->later = waits;
  return fd;
}

static bool would_wait(int fd, short events) {
  struct pollfd now = {fd, events, 0};
  int ready;
  do {
    ready = poll(&now, 1, 0);
  } while (ready < 0 && errno == EINTR);
  return ready == 0;
}

bool job_is_empty(int fd) { return would_wait(fd, POLLIN); }

bool job_is_full(int fd) { return would_wait(fd, POLLOUT); }

bool job_waits(Job *job) {
  job->waits = job->is_fifo && job_is_empty(job->fd);
  return job->waits;
}

bool job_may_wait(const Job *job) {
  return job->begun || !csp_is_stepped(job->csp);
}

void job_wrote(Job *job, size_t count) {
  job->at += count;
  job->begun |= count > 0;
  job->more = job->at < job->feed.len || feed_more(&job->feed);
  job->waits = job->error == JOB_WOULD_WAIT && job_may_wait(job);
  if (job->waits) job->error = 0;
  if (job->error) job->more = false;
}

void job_act(Job *job, const char *path, JobAct act) {
  CspPlace at;
  if (csp_find_path(job->csp, path, &at) != 0) {
    job->error = errno;
    return;
  }
  if (act(job, &at) != 0) job->error = errno;
  csp_place_end(&at);
}

static void job_stop(Job *job) {
  if (!job->more) return;
  job->more = false;
  if (job->stop != NULL) {
    job->stop(job);
    return;
  }
  close(job->fd);
  if (job->to != 0) close(job->to);
}

static CspStatus job_end(CspCall *call, void *data, bool made);

// The next piece.
static CspStatus job_go_on(CspCall *call, void *data, bool on) {
  Job *job = data;
  bool ended = feed_more(&job->feed) && job->at == job->feed.len;
  if (on && ended) {
    feed_next(call, &job->feed);
    job->at = 0;
  }
  if (on) return csp_block(call, job->work, job_end, job);
  job_stop(job);
  job_free(job);
  return CSP_PANIC;
}

// The same after others have run.
static CspStatus job_again(CspCall *call, void *data, bool on) {
  return job_go_on(call, *(Job **)data, on);
}

static bool job_lacks(const Job *job) {
  return job->error == EMFILE || job->error == ENFILE;
}

// Files that nothing holds are closed when they are collected. Other threads
// may not have closed all of them after the first collection.
bool job_collects(CspCall *call, Job *job) {
  enum { COLLECTIONS = 2 };
  if (!job_lacks(job) || job->collected == COLLECTIONS) return false;
  job->collected++;
  job->error = 0;
  csp_collect(call);
  return true;
}

int64_t job_pause(Job *job) {
  enum { FIRST = 1000000, MOST = 50000000 };  // ns
  job->pause = job->pause == 0 ? FIRST : 2 * job->pause;
  if (job->pause > MOST) job->pause = MOST;
  return job->pause;
}

// Nobody reads the FIFO yet, or another job has the file.
static CspStatus job_try_later(CspCall *call, Job *job) {
  job->later = false;
  job->error = 0;
  return csp_block_after(call, job_pause(job), job->work, job_end, job);
}

static CspStatus job_end(CspCall *call, void *data, bool made) {
  Job *job = data;
  if (!made) {
    job->error = JOB_NO_THREAD;
    job_stop(job);
    return job->done(call, job);
  }
  if (job->later) return job_try_later(call, job);
  if (job->waits) {
    CspWait *wait = job->wait != NULL ? job->wait : &job->own_wait;
    wait->fd = wait->write && job->to != 0 ? job->to : job->fd;
    return csp_block_fd(call, wait, job->work, job_end, job);
  }
  if (job->room.most > 0) return room_grow(call, &job->room, job_go_on, job);
  if (job->more || job_collects(call, job))
    return csp_again(call, job_again, &job, sizeof job, 0);
  return job->done(call, job);
}

CspStatus job_block(CspCall *call, void (*work)(void *data),
                    CspStatus (*done)(CspCall *call, void *data), Job *job) {
  job->done = done;
  job->work = work;
  return csp_block(call, work, job_end, job);
}

CspStatus job_run(CspCall *call, Job *job, void (*work)(void *data),
                  CspStatus (*done)(CspCall *call, void *data)) {
  return job->error ? done(call, job) : job_block(call, work, done, job);
}

// The paths are arguments 0 and 1.
CspStatus job_run_two(CspCall *call, const char *verb, void (*work)(void *data),
                      void (*stop)(Job *job)) {
  Job *job = job_new(call, verb, 0);
  if (job == NULL) return CSP_PANIC;
  job->stop = stop;
  if (!job_other(call, job, 1)) {
    job_free(job);
    return CSP_PANIC;
  }
  return job_run(call, job, work, job_done_err);
}

// --- Results ----------------------------------------------------------------
const char os_no_proc[] =
    "with a root (CspConfig.root) this needs /proc, which is not mounted";

int os_by_proc(int error) {
  bool missing = error == ENOENT && access("/proc/self/fd", F_OK) != 0;
  return missing ? JOB_NO_PROC : error;
}

// The text of Job.error.
static const char *job_error_text(int error) {
  switch (error) {
    case EBADF:
      return "the file is closed, or not open for that";
    case JOB_NO_THREAD:
      return csp_no_thread();
    case JOB_WOULD_WAIT:
      return "nobody is at its other end, or too slow; a stepped runtime does "
             "not wait for that: try again later";
    case JOB_LEASED:
      return "another process has a lease on it; a stepped runtime does not "
             "wait for its end: try again later";
    case JOB_NO_PROC:
      return os_no_proc;
    default:
      return system_error(error);
  }
}

static const char *job_error_code(int error) {
  if (error == JOB_NO_THREAD) return "limit";
  if (error == JOB_NO_PROC) return "unsupported";
  bool busy = error == JOB_WOULD_WAIT || error == JOB_LEASED;
  return busy ? "busy" : csp_errno_code(error);
}

CspValue job_error(CspCall *call, const Job *job, int error) {
  Buffer text = {.csp = csp_of(call)};
  const char *pieces[] = {"cannot ",
                          job->verb,
                          " ",
                          job->path,
                          job->other != NULL ? " to " : "",
                          job->other != NULL ? job->other : "",
                          ": ",
                          job_error_text(error)};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    buffer_add(&text, pieces[i], strlen(pieces[i]));
  }
  CspValue message = buffer_string(call, &text);
  const char *code = job_error_code(error);
  return csp_error_coded(call, message, csp_nil(),
                         csp_string(call, code, strlen(code)));
}

CspStatus job_fail(CspCall *call, Job *job) {
  CspValue error = job_error(call, job, job->error);
  job_free(job);
  csp_return(call, csp_nil());
  return csp_ok(call, error);
}

CspStatus job_done_err(CspCall *call, void *data) {
  Job *job = data;
  CspValue error = job->error ? job_error(call, job, job->error) : csp_nil();
  job_free(job);
  return csp_ok(call, error);
}

CspStatus job_done_text(CspCall *call, void *data) {
  Job *job = data;
  if (job->error) return job_fail(call, job);
  CspValue v = csp_string(call, job->data != NULL ? job->data : "", job->len);
  csp_charge(call, job->len / 256);
  job_free(job);
  return csp_ok_value(call, v);
}

static CspStatus job_give_room(CspCall *call, void *data, bool on) {
  Job *job = data;
  CspValue v = on ? room_value(call, &job->room) : csp_nil();
  job_free(job);
  return on ? csp_ok_value(call, v) : CSP_PANIC;
}

CspStatus job_done_room(CspCall *call, void *data) {
  Job *job = data;
  if (job->error) return job_fail(call, job);
  return room_fit(call, &job->room, job_give_room, job);
}

CspStatus job_done_flag(CspCall *call, void *data) {
  Job *job = data;
  bool flag = job->flag;
  bool known = job->error != JOB_NO_THREAD && !job_lacks(job);
  CspValue error = known ? csp_nil() : job_error(call, job, job->error);
  job_free(job);
  if (known) return csp_ok_bool(call, flag);
  return csp_is_undef(error) ? csp_panic_memory(call)
                             : csp_tail_named(call, "panic", 1, &error);
}

// Goes through the strings of job->data, in pieces. `at` is the next.
typedef struct Strings {
  CspValue values[2];  // the list, and nil or an error
  Job *job;
  size_t at;
} Strings;

static CspStatus strings_on(CspCall *call, void *data, bool on) {
  Strings *strings = data;
  Job *job = strings->job;
  bool ok = on;
  while (ok && strings->at < job->len) {
    const char *text = job->data + strings->at;
    size_t len = strlen(text);
    ok = csp_list_push(call, strings->values[0], csp_string(call, text, len));
    strings->at += len + 1;
    if (csp_spent(call, 64 + len / 4) && ok)
      return csp_again(call, strings_on, strings, sizeof *strings, 2);
  }
  job_free(job);
  return ok ? csp_tail_named(call, "_sorted", 2, strings->values) : CSP_PANIC;
}

CspStatus job_done_list(CspCall *call, void *data) {
  Job *job = data;
  if (job->error) return job_fail(call, job);
  CspValue error =
      job->partial ? job_error(call, job, job->partial) : csp_nil();
  Strings s = {{csp_list(call, 8), error}, job, 0};
  if (!csp_is_undef(s.values[0]) && !csp_is_undef(error))
    return strings_on(call, &s, true);
  job_free(job);
  return csp_panic_memory(call);
}
