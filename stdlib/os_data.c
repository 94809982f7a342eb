// SPDX-License-Identifier: MIT
// Whole files: reading, writing, copying.
//
// A file that was not there before is removed again when it cannot be written
// to its end, or is given up: half a file looks like a whole one. Somebody may
// have put another file in its place. So the name is removed only while it
// stands for what the descriptor has open.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stdlib/os.h"

static int data_error(void) { return errno == EAGAIN ? JOB_WOULD_WAIT : errno; }

// What the room needs that is full: all of the file, if its size is known, and
// a byte to see its end. An int too large for a size is too large for memory.
static size_t data_size(int fd) {
  struct stat info;
  bool known = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  return known && info.st_size > 0 ? (size_t)info.st_size + 1 : 0;
}

// The result is false when there is no more, or when the job has failed.
static bool data_read_some(Job *job) {
  Room *room = &job->room;
  size_t left = room->cap - room->len;
  size_t want = left < JOB_PIECE ? left : JOB_PIECE;
  ssize_t n = read(job->fd, room->data + room->len, want);
  if (n < 0 && errno == EINTR) return true;
  if (n < 0) job->error = data_error();
  if (n > 0) room->len += (size_t)n;
  return n > 0;
}

int os_write_some(int fd, const char *data, size_t len, size_t *done) {
  *done = 0;
  while (*done < len) {
    ssize_t n = write(fd, data + *done, len - *done);
    if (n < 0 && errno == EAGAIN) return JOB_WOULD_WAIT;
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) *done += (size_t)n;
  }
  return 0;
}

// Whether the FIFO has nothing more for now. Another reader may have been
// faster. Then the job waits again.
static bool data_is_empty(Job *job) {
  if (!job->is_fifo || job->error != JOB_WOULD_WAIT) return false;
  job->error = 0;
  return job->waits = true;
}

// Reads a piece, or until more room is needed.
static void data_read_work(void *data) {
  Job *job = data;
  Room *room = &job->room;
  if (!job->more) {
    job->fd = job_open(job, job->path, O_RDONLY, 0);
    if (job->fd < 0) return;
  }
  job->more = true;
  if (job_waits(job)) return;
  size_t begun = room->len;
  do {
    job->more = data_read_some(job);
  } while (job->more && room->len < room->cap && room->len - begun < JOB_PIECE);
  if (job->more && room->len == room->cap) room_need(room, data_size(job->fd));
  if (data_is_empty(job)) job->more = true;
  if (!job->more) close(job->fd);
}

static CspStatus read_whole(CspCall *call, bool as_bytes) {
  enum { FIRST = 4096 - 64 };  // with its header a page
  Job *job = job_new(call, "read", 0);
  if (job == NULL) return CSP_PANIC;
  job->room.is_bytes = as_bytes;
  if (job->error || room_make(call, &job->room, FIRST, FIRST))
    return job_run(call, job, data_read_work, job_done_room);
  job_free(job);
  return CSP_PANIC;
}

CspStatus os_read_file(CspCall *call) { return read_whole(call, false); }

CspStatus os_read_bytes(CspCall *call) { return read_whole(call, true); }

// --- Targets ----------------------------------------------------------------
// Opens a file to write it. `made` tells whether it was not there. An open that
// must make it refuses a link that leads nowhere, which the last one follows.
static int target_open(Job *job, const char *path, int flags, int64_t mode) {
  int fd = job_open(job, path, flags, mode);
  if (fd >= 0 || job->error != ENOENT) return fd;
  job->error = 0;
  fd = job_open(job, path, flags | O_CREAT | O_EXCL, mode);
  job->made = fd >= 0;
  if (fd >= 0 || job->error != EEXIST) return fd;
  job->error = 0;
  return job_open(job, path, flags | O_CREAT, mode);
}

static int target_remove_act(Job *job, const CspPlace *at) {
  struct stat ours, there;
  int fd = job->to != 0 ? job->to : job->fd;
  bool same = fstat(fd, &ours) == 0 &&
              fstatat(at->folder, at->name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
              ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
  return same ? unlinkat(at->folder, at->name, 0) : 0;
}

// Closes what was written, which is `to` of a copy. It was not written to its
// end if the job has failed, or is given up.
static void target_close(Job *job, bool whole) {
  const char *path = job->to != 0 ? job->other : job->path;
  int error = job->error;
  if (job->made && (error || !whole)) job_act(job, path, target_remove_act);
  job->error = error;
  int fd = job->to != 0 ? job->to : job->fd;
  if (close(fd) != 0 && !error && errno != EINTR) job->error = errno;
}

// Writes a piece. `flag` says to append, and `number` is the permissions of a
// new file.
static void data_write_work(void *data) {
  Job *job = data;
  if (!job->more) {
    job->fd = job->flag ? job_open(job, job->path,
                                   O_WRONLY | O_CREAT | O_APPEND, job->number)
                        : target_open(job, job->path, O_WRONLY | O_TRUNC,
                                      job->number);
    if (job->fd < 0) return;
  }
  const Feed *feed = &job->feed;
  size_t left = feed->len - job->at;
  size_t len = left < JOB_PIECE ? left : JOB_PIECE;
  size_t done;
  job->error = os_write_some(job->fd, feed->data + job->at, len, &done);
  job_wrote(job, done);
  if (!job->more) target_close(job, true);
}

static void data_write_stop(Job *job) { target_close(job, false); }

static CspStatus write_whole(CspCall *call, bool append) {
  Job *job = job_new(call, "write", 0);
  if (job == NULL) return CSP_PANIC;
  job->flag = append;
  job->stop = data_write_stop;
  job->own_wait.write = true;
  if (!feed_open(call, &job->feed, 1, 2) ||
      !job_mode(call, 2, 0666, &job->number)) {
    job_free(job);
    return CSP_PANIC;
  }
  return job_run(call, job, data_write_work, job_done_err);
}

CspStatus os_write_file(CspCall *call) { return write_whole(call, false); }

CspStatus os_append_file(CspCall *call) { return write_whole(call, true); }

// --- Copies -----------------------------------------------------------------
// A copy goes by a block (job->data), of which `len` bytes were read and `at`
// of these were written. In a stepped runtime one that has not begun fails
// where it would have to wait. After that it waits, as nobody could tell how
// much was copied. What was read is then never lost but by an error, or a
// goroutine that is given up.
enum { COPY_BLOCK = 64 << 10 };

// The block is not on the stack, which may be a host's and small. The result is
// false at the end of the source, or when the job has failed.
static bool copy_read(Job *job) {
  if (job->data == NULL) job->data = csp_alloc(job->csp, NULL, COPY_BLOCK);
  if (job->data == NULL) job->error = ENOMEM;
  ssize_t n = 0;
  while (!job->error && (n = read(job->fd, job->data, COPY_BLOCK)) < 0)
    if (errno != EINTR) job->error = data_error();
  job->at = 0;
  job->len = n > 0 ? (size_t)n : 0;
  job->begun |= n > 0;
  return n > 0;
}

static void copy_write(Job *job) {
  size_t done;
  job->error =
      os_write_some(job->to, job->data + job->at, job->len - job->at, &done);
  job->at += done;
}

// Copies one piece. Another reader of a FIFO may have been faster. Then the job
// waits again.
static void copy_some(Job *job) {
  bool more = true;
  for (size_t copied = 0; more && copied < JOB_PIECE; copied += job->len) {
    more = job->at < job->len || copy_read(job);
    if (more) copy_write(job);
    if (job->error) more = false;
  }
  job->own_wait.write = job->at < job->len;
  job->waits =
      job->error == JOB_WOULD_WAIT && (job_may_wait(job) || job->is_fifo);
  if (job->waits) job->error = 0;
  job->more = more || job->waits;
}

static bool copy_open_from(Job *job) {
  job->fd = job_open(job, job->path, O_RDONLY, 0);
  job->more = job->fd >= 0;
  return job->more;
}

// The target may be the source under another name. It is emptied only when it
// is known to be another file.
static int copy_empty(int to, const struct stat *from) {
  struct stat target;
  if (fstat(to, &target) != 0) return errno;
  if (target.st_ino == from->st_ino && target.st_dev == from->st_dev)
    return EEXIST;
  return S_ISREG(target.st_mode) && ftruncate(to, 0) != 0 ? errno : 0;
}

static void copy_open_to(Job *job) {
  struct stat info;
  if (fstat(job->fd, &info) != 0) {
    job->error = errno;
    return;
  }
  if (S_ISDIR(info.st_mode)) {
    job->error = EISDIR;
    return;
  }
  int to = target_open(job, job->other, O_WRONLY, info.st_mode & 0777);
  if (to < 0) return;
  job->to = to;
  job->error = copy_empty(to, &info);
  bool stepped = csp_is_stepped(job->csp);
  if (!job->error && stepped && job_is_full(to)) job->error = JOB_WOULD_WAIT;
}

static void copy_close(Job *job, bool whole) {
  if (job->to != 0) target_close(job, whole);
  close(job->fd);
}

// Both files stay open between two pieces.
static void copy_work(void *data) {
  Job *job = data;
  if (!job->more && !copy_open_from(job)) return;
  bool left = job->at < job->len;
  job->waits = job->own_wait.write = false;
  if (!left && job_waits(job)) return;
  if (job->to == 0) copy_open_to(job);
  if (job->later) return;
  if (!job->error) copy_some(job);
  if (job->error) job->more = false;
  if (!job->more) copy_close(job, true);
}

static void copy_stop(Job *job) { copy_close(job, false); }

CspStatus os_copy_file(CspCall *call) {
  return job_run_two(call, "copy", copy_work, copy_stop);
}
