// SPDX-License-Identifier: MIT
// Open files: a host value with buffers of its own for both directions.
//
// Several goroutines may use one file, so each operation holds the file's lock.
// The native does at once what a buffer can serve. Everything else is a job
// without a P, and so is what finds the lock held by another. Unread input is
// given back (by seeking) before writing, and pending output is written before
// reading. What has no position (a pipe, a socket, a terminal) keeps its unread
// input, which has nothing to do with what is written.
//
// Much is read or written in pieces. Between two of them the job releases the
// lock, but keeps the file busy. The jobs of others try again later. So what
// the job reads or writes is not torn.
//
// Before a wait for a terminal, standard output is written: a user answers what
// can be seen.
//
// Where nothing is there to be read (a pipe, a terminal), the reader releases
// the lock and waits in netpoll, with what it has so far. It keeps the turn to
// read meanwhile, and further readers park until it has finished (os_turn.c).
// Closing the file ends its wait and theirs. The reader may be on its way to
// the wait, and has the descriptor's number. So where a reader has the turn,
// close() (1) marks the file as closed, under the lock, (2) ends the wait,
// begun or not, (3) closes the descriptor. From (1) on nobody begins to read.
// After (2) the reader does not look at the number any more (csp_wait_end), and
// finds the file closed. A file that only os.lines has is closed when such a
// wait is given up, as nobody else would close a FIFO soon.
//
// So a job is in one of these states. A reader's turn and its room, with what
// it has read so far, are its own from its first work on.
//
//   state     has beside that    goes on when
//   works     the lock           its thread leaves the work
//   between   `busy`             the next piece, or a larger room, is made
//   later                        it is time to look whether others are busy,
//                                or whether there is room
//   waits                        it can read, or write, or close() comes
//   queues    neither            its native is called again (os_turn.c)
//   read      all that it wants  the script has it
//
// A write that finds a FIFO full waits likewise. Until it is over it is the
// file's `writer`, and other writes come later. What only has to write the
// buffer (a flush, a close, a read) comes later, too. In a stepped runtime all
// of these fail, but for a write that has begun, as nobody could tell how much
// of it was written.
//
// Nothing ends a job that works. In every other state its goroutine may be
// cancelled, interrupted or out of memory, or the runtime may end. Then the
// room is given back to the file (os_input.c), and the turn ends: file_job_stop
// where there is `more`, read_give where it has read. If close() comes while a
// job is `between`, the file is closed later. If it comes when a job has
// `read`, the script still gets what was read.
//
// A write that ends early has written a beginning. `taken` tells how much, as a
// cancelled goroutine gets no result (file.written).
//
// What could not be written is lost. The file keeps the error (`failed`), and
// each later write, flush, sync and close gives it. Reading and seeking go on.
//
// A file that nobody has closed is written at the end of the run, or when it is
// collected. No goroutine can be told of an error then. So the error is
// reported, and the program's status is 1. For this a runtime has a list of all
// its open files (os_files.c).
#include "stdlib/os_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- The file itself: lock held ---------------------------------------------
// After an error data is lost. What would only have to wait is not.
static int file_note(File *file, int error) {
  if (error != JOB_WOULD_WAIT && file->failed == 0) file->failed = error;
  return error;
}

// Keeps what would have to wait.
int file_flush(File *file) {
  size_t len = file->out_len, done;
  if (len == 0) return 0;
  int error = os_write_some(file->fd, file->out, len, &done);
  file->out_len = error == JOB_WOULD_WAIT ? len - done : 0;
  if (done > 0) memmove(file->out, file->out + done, file->out_len);
  return file_note(file, error);
}

// Gives an earlier error, too.
static int file_flush_all(File *file) {
  int error = file_flush(file);
  return error ? error : file->failed;
}

// As lseek. The current position is that of what was read but not used, which
// stays when there is an error.
static off_t file_move(File *file, off_t offset, int whence) {
  off_t left = (off_t)input_left(&file->in);
  if (whence == SEEK_CUR && offset < INT64_MIN + left) {
    errno = EINVAL;
    return -1;
  }
  off_t at =
      lseek(file->fd, whence == SEEK_CUR ? offset - left : offset, whence);
  if (at >= 0) input_drop(&file->in);
  return at;
}

// Gives back what was read but not used, if there is a position.
static void file_unread(File *file) {
  if (input_left(&file->in) > 0) file_move(file, 0, SEEK_CUR);
}

// *done: how much was taken. What fits into the buffer is taken as a whole.
static int file_write(File *file, const char *data, size_t len, size_t *done) {
  *done = 0;
  if (file->failed) return file->failed;
  file_unread(file);
  if (file->out == NULL) file->out = csp_alloc(file->csp, NULL, FILE_BUFFER);
  if (file->out == NULL) return ENOMEM;
  if (file->out_len + len > FILE_BUFFER) {
    int error = file_flush(file);
    if (error) return error;
  }
  int error = 0;
  if (len > FILE_BUFFER) {
    error = file_note(file, os_write_some(file->fd, data, len, done));
  } else {
    if (len > 0) memcpy(file->out + file->out_len, data, len);
    file->out_len += len;
    *done = len;
  }
  file->taken += (int64_t)*done;
  return error;
}

// Without the lock: nobody uses the descriptor any more.
static int file_close_fd(File *file) {
  if (file->keep || close(file->fd) == 0 || errno == EINTR) return 0;
  return errno;
}

// All but the descriptor is closed. The file stays open when the result is
// JOB_WOULD_WAIT.
static int file_shut(File *file) {
  int error = file_flush_all(file);
  if (error == JOB_WOULD_WAIT) return error;
  file->open = false;
  os_turn_end(&file->turn, NULL);
  input_free(&file->in);
  csp_alloc_free(file->out);
  file->out = NULL;
  return error;
}

static int file_close(File *file) {
  if (!file->open) return EBADF;
  int error = file_shut(file);
  int closed = file->open ? 0 : file_close_fd(file);
  return error ? error : closed;
}

static File *file_of(FileLink *link) {
  return (File *)(void *)((char *)link - offsetof(File, link));
}

// As file_flush. With threads it waits.
static int file_flush_wholly(File *file) {
  int error = file_flush(file);
  while (error == JOB_WOULD_WAIT && !csp_is_stepped(file->csp)) {
    struct pollfd room = {file->fd, POLLOUT, 0};
    poll(&room, 1, -1);
    error = file_flush(file);
  }
  return error;
}

// At the end of a run. A thread that is still busy with the file writes it
// itself.
void os_file_last_flush(FileLink *link) {
  File *file = file_of(link);
  if (pthread_mutex_trylock(&file->lock) != 0) return;
  int error = file->open ? file_flush_wholly(file) : 0;
  file->out_len = 0;
  if (error) os_files_report(link->files, file->name, error);
  pthread_mutex_unlock(&file->lock);
}

// Must not wait, because this is the thread that collects.
static void file_finalize(void *data) {
  File *file = data;
  os_files_remove(&file->link);
  if (file->open && !file->keep && file->out_len > 0) {
    os_files_leave(file->link.files, file->fd, file->out, file->out_len,
                   file->name);
    input_free(&file->in);
    return;
  }
  file->failed = 0;  // the script has been told
  int error = file->open ? file_close(file) : 0;
  if (error) os_files_report(file->link.files, file->name, error);
  csp_alloc_free(file->name);
}

const CspClass os_file_class = {"file", file_finalize, sizeof(File), NULL};

// --- Jobs on a file ---------------------------------------------------------
// Argument 0 as a file. NULL: the call has panicked.
File *file_need(CspCall *call) {
  File *file = csp_host_data(csp_arg(call, 0), &os_file_class);
  if (file == NULL) csp_bad_arg(call, 0, "an open file");
  return file;
}

// Ends the job's turn. Lock held. What it has read, and nobody has got, is for
// the next reader.
void file_give_back(FileJob *work) {
  File *file = work->file;
  if (file->open && work->job.room.len > 0) {
    input_give_back(&file->in, &work->job.room);
    file_unread(file);
  }
  work->job.room.len = 0;
  os_turn_end(&file->turn, work);
}

static void file_job_stop(Job *job) {
  FileJob *work = (FileJob *)(void *)job;
  File *file = work->file;
  pthread_mutex_lock(&file->lock);
  if (file->busy == work) file->busy = NULL;
  if (file->writer == work) file->writer = NULL;
  file_give_back(work);
  if (file->ends && job->waits) file_close(file);
  pthread_mutex_unlock(&file->lock);
}

// The file's name is the job's path. NULL: the call has panicked.
FileJob *file_job(CspCall *call, File *file, const char *verb) {
  FileJob *work = alloc_zeroed(file->csp, sizeof *work);
  if (work != NULL) work->job.path = alloc_text(file->csp, file->name);
  if (work == NULL || work->job.path == NULL) {
    csp_alloc_free(work);
    csp_panic_memory(call);
    return NULL;
  }
  work->job.csp = file->csp;
  work->job.verb = verb;
  work->job.stop = file_job_stop;
  work->job.wait = &file->wait;
  work->file = file;
  return work;
}

// Takes the lock, whatever the result. It is false when the file is closed, or
// when another job is between two of its pieces.
bool file_enter(FileJob *work) {
  File *file = work->file;
  pthread_mutex_lock(&file->lock);
  if (!file->open) work->job.error = EBADF;
  work->job.later = file->open && file->busy != NULL && file->busy != work;
  return file->open && !work->job.later;
}

void file_leave(FileJob *work) {
  File *file = work->file;
  Job *job = &work->job;
  job->later |= job->error == JOB_WOULD_WAIT && job_may_wait(job);
  if (job->error && !job->later) job->more = false;
  if (file->busy == work) file->busy = NULL;
  if (job->more && !job->waits && !job->later) file->busy = work;
  pthread_mutex_unlock(&file->lock);
}

// --- Writing ----------------------------------------------------------------
// As file_enter, but the result is also false when another one writes.
static bool may_write(FileJob *work) {
  bool enters = file_enter(work);
  const FileJob *writer = work->file->writer;
  work->job.later |= enters && writer != NULL && writer != work;
  return enters && !work->job.later;
}

static void file_write_work(void *data) {
  FileJob *work = data;
  Job *job = &work->job;
  const Feed *feed = &job->feed;
  size_t left = feed->len - job->at;
  size_t len = left < FILE_PIECE ? left : FILE_PIECE;
  job->waits = false;
  if (may_write(work)) {
    size_t done;
    job->error = file_write(work->file, feed->data + job->at, len, &done);
    job_wrote(job, done);
    job->fd = work->file->fd;
    work->file->writer = job->more ? work : NULL;
  }
  file_leave(work);
}

// Writes what has only to be copied to the buffer. Otherwise false.
static bool quick_write(File *file, const char *data, size_t len) {
  if (pthread_mutex_trylock(&file->lock) != 0) return false;
  bool fits = file->open && file->busy == NULL && file->writer == NULL &&
              file->out != NULL && file->failed == 0 &&
              input_left(&file->in) == 0 && len <= FILE_BUFFER - file->out_len;
  size_t done;
  if (fits) file_write(file, data, len, &done);
  pthread_mutex_unlock(&file->lock);
  return fits;
}

// Gives nil or an error.
static CspStatus file_write_pieces(CspCall *call) {
  File *file = file_need(call);
  if (file == NULL) return CSP_PANIC;
  if (csp_argc(call) == 2 && csp_type(csp_arg(call, 1)) == CSP_STRING) {
    Str s = str_of(csp_arg(call, 1));
    csp_charge(call, s.len / 128);
    if (quick_write(file, s.data, s.len)) return csp_ok(call, csp_nil());
  }
  FileJob *work = file_job(call, file, "write");
  if (work == NULL) return CSP_PANIC;
  work->job.wait = &file->room;
  if (!feed_open(call, &work->job.feed, 1, csp_argc(call))) {
    job_free(&work->job);
    return CSP_PANIC;
  }
  return job_block(call, file_write_work, job_done_err, &work->job);
}

// --- Position, flushing, closing --------------------------------------------
static void seek_work(void *data) {
  FileJob *work = data;
  if (file_enter(work)) {
    work->job.error = file_flush(work->file);
    off_t at = file_move(work->file, work->want, work->whence);
    if (at < 0 && !work->job.error) work->job.error = errno;
    work->job.number = at;
  }
  file_leave(work);
}

static CspStatus seek_done(CspCall *call, void *data) {
  FileJob *work = data;
  if (work->job.error) return job_fail(call, &work->job);
  int64_t at = work->job.number;
  job_free(&work->job);
  return csp_ok_value(call, csp_int(call, at));
}

static bool str_is(Str s, const char *text) {
  return s.len == strlen(text) && memcmp(s.data, text, s.len) == 0;
}

// (position, nil) or (nil, error). from: "start", "current" or "end".
static CspStatus file_seek(CspCall *call) {
  static const char *const names[] = {"start", "current", "end"};
  static const int whences[] = {SEEK_SET, SEEK_CUR, SEEK_END};
  File *file = file_need(call);
  int64_t offset;
  Str from;
  if (file == NULL || !opt_int(call, 1, 0, &offset) ||
      !opt_str(call, 2, "start", &from)) {
    return CSP_PANIC;
  }
  for (int i = 0; i < 3; i++) {
    if (!str_is(from, names[i])) continue;
    FileJob *work = file_job(call, file, "seek in");
    if (work == NULL) return CSP_PANIC;
    work->want = offset;
    work->whence = whences[i];
    return job_block(call, seek_work, seek_done, &work->job);
  }
  return bad_string(call, "file.seek: from",
                    "\"start\", \"current\" or \"end\"", from);
}

static CspStatus file_tell(CspCall *call) {
  File *file = file_need(call);
  FileJob *work = file != NULL ? file_job(call, file, "seek in") : NULL;
  if (work == NULL) return CSP_PANIC;
  work->whence = SEEK_CUR;
  return job_block(call, seek_work, seek_done, &work->job);
}

// Of a file that is closed, or busy, too.
static void written_work(void *data) {
  FileJob *work = data;
  pthread_mutex_lock(&work->file->lock);
  work->job.number = work->file->taken;
  pthread_mutex_unlock(&work->file->lock);
}

static CspStatus file_written(CspCall *call) {
  File *file = file_need(call);
  FileJob *work = file != NULL ? file_job(call, file, "ask") : NULL;
  return work != NULL ? job_block(call, written_work, seek_done, &work->job)
                      : CSP_PANIC;
}

// `want` is 1 where the data must reach the disk, too.
static void file_flush_work(void *data) {
  FileJob *work = data;
  if (file_enter(work)) {
    work->job.error = file_flush_all(work->file);
    if (!work->job.error && work->want == 1 && fsync(work->file->fd) != 0) {
      work->job.error = errno;
    }
  }
  file_leave(work);
}

static void close_work(void *data) {
  FileJob *work = data;
  File *file = work->file;
  if (file_enter(work)) {
    bool used = os_turn_is_taken(&file->turn) || file->writer != NULL;
    work->job.error = used ? file_shut(file) : file_close(file);
    work->left_open = used && !file->open;
  }
  file_leave(work);
}

static void close_fd_work(void *data) {
  FileJob *work = data;
  int error = file_close_fd(work->file);
  if (!work->job.error) work->job.error = error;
}

static void truncate_work(void *data) {
  FileJob *work = data;
  File *file = work->file;
  if (file_enter(work)) {
    work->job.error = file_flush(file);
    file_unread(file);  // it may be cut off
    if (!work->job.error && ftruncate(file->fd, work->want) != 0) {
      work->job.error = errno;
    }
  }
  file_leave(work);
}

static CspStatus run_simple(CspCall *call, const char *verb, int64_t want,
                            void (*run)(void *data)) {
  File *file = file_need(call);
  FileJob *work = file != NULL ? file_job(call, file, verb) : NULL;
  if (work == NULL) return CSP_PANIC;
  work->want = want;
  return job_block(call, run, job_done_err, &work->job);
}

static CspStatus file_flush_now(CspCall *call) {
  return run_simple(call, "write", 0, file_flush_work);
}

static CspStatus file_sync(CspCall *call) {
  return run_simple(call, "write", 1, file_flush_work);
}

static CspStatus close_over(CspCall *call, void *data, bool made) {
  if (!made) close_fd_work(data);
  return job_done_err(call, data);
}

static CspStatus close_done(CspCall *call, void *data) {
  FileJob *work = data;
  if (!work->left_open) return job_done_err(call, data);
  csp_wait_end(call, &work->file->wait);
  csp_wait_end(call, &work->file->room);
  return csp_block(call, close_fd_work, close_over, work);
}

static CspStatus file_close_now(CspCall *call) {
  File *file = file_need(call);
  FileJob *work = file != NULL ? file_job(call, file, "close") : NULL;
  return work != NULL ? job_block(call, close_work, close_done, &work->job)
                      : CSP_PANIC;
}

static CspStatus file_truncate(CspCall *call) {
  int64_t size;
  if (!need_int_in(call, 1, 0, INT64_MAX, &size)) return CSP_PANIC;
  return run_simple(call, "truncate", size, truncate_work);
}

static CspStatus file_name(CspCall *call) {
  File *file = file_need(call);
  if (file == NULL) return CSP_PANIC;
  return csp_ok_string(call, file->name, strlen(file->name));
}

// --- Opening ----------------------------------------------------------------
// The flags of a mode, or -1.
static int open_flags(Str mode) {
  static const struct {
    const char *mode;
    int flags;
  } modes[] = {
      {"r", O_RDONLY},
      {"w", O_WRONLY | O_CREAT | O_TRUNC},
      {"a", O_WRONLY | O_CREAT | O_APPEND},
      {"x", O_WRONLY | O_CREAT | O_EXCL},
      {"r+", O_RDWR},
      {"w+", O_RDWR | O_CREAT | O_TRUNC},
      {"a+", O_RDWR | O_CREAT | O_APPEND},
  };
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (str_is(mode, modes[i].mode)) return modes[i].flags;
  }
  return -1;
}

// `number` is the flags, and `len` the permissions.
static void open_work(void *data) {
  Job *job = data;
  job->fd = job_open(job, job->path, (int)job->number, (int64_t)job->len);
}

static CspValue file_new(CspCall *call, int fd, char *name) {
  void *data;
  CspValue v = csp_host_new(call, &os_file_class, &data);
  if (csp_is_undef(v)) return v;
  File *file = data;
  file->csp = file->in.csp = csp_of(call);
  os_files_add(call, &file->link);
  file->fd = fd;
  file->open = true;
  file->room.write = true;
  file->name = name;
  return v;
}

CspStatus os_open_done(CspCall *call, void *data) {
  Job *job = data;
  if (job->error) return job_fail(call, job);
  CspValue v = file_new(call, job->fd, job->path);
  if (csp_is_undef(v)) close(job->fd);
  if (!csp_is_undef(v)) job->path = NULL;  // it is the file's name now
  job_free(job);
  return csp_ok_value(call, v);
}

// (file, nil) or (nil, error).
CspStatus os_open(CspCall *call) {
  Str mode;
  int64_t permissions;
  if (!opt_str(call, 1, "r", &mode) || !job_mode(call, 2, 0666, &permissions)) {
    return CSP_PANIC;
  }
  int flags = open_flags(mode);
  if (flags < 0) {
    return bad_string(call, "os.open: mode",
                      "\"r\", \"w\", \"a\", \"x\", \"r+\", \"w+\" or \"a+\"",
                      mode);
  }
  Job *job = job_new(call, "open", 0);
  if (job == NULL) return CSP_PANIC;
  job->number = flags;
  job->len = (size_t)permissions;
  return job_run(call, job, open_work, os_open_done);
}

void os_file_init(CspCall *call, CspValue module) {
  char *name = alloc_text(csp_of(call), "standard input");
  CspValue v = file_new(call, STDIN_FILENO, name);
  File *file = csp_host_data(v, &os_file_class);
  if (file == NULL) csp_alloc_free(name);
  if (file == NULL || name == NULL) {
    csp_panic_memory(call);
    return;
  }
  file->keep = true;
  csp_module_set(call, module, "stdin", v);
}

// --- Tables -----------------------------------------------------------------
const CspFunction os_file_methods[] = {
    CSP_NEEDS(CSP_FILES),
    {"read", "file, n = nil", file_read},
    {"read_bytes", "file, n = nil", file_read_bytes},
    {"read_line", "file", file_read_line},
    {"read_all", "file", file_read_all},
    {"lines", "file", file_lines},
    {"write", "file, pieces...", file_write_pieces},
    {"seek", "file, offset = 0, from = \"start\"", file_seek},
    {"tell", "file", file_tell},
    {"written", "file", file_written},
    {"truncate", "file, size", file_truncate},
    {"flush", "file", file_flush_now},
    {"sync", "file", file_sync},
    {"close", "file", file_close_now},
    {"name", "file", file_name},
    {"_read_some", "file", file_read_some},
    {"_turn", "file", file_turn},
    {"_leave_with_reader", "file", file_leave_with_reader},
    {NULL, NULL, NULL},
};
