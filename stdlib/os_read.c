// SPDX-License-Identifier: MIT
// Reading open files. os_file.c has the states of a job, and what guards a
// file.
#include "stdlib/os_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

// Reads more where nothing is left. Returns 0 or an errno, which is EAGAIN when
// nothing is there yet. *end is set at the file's end. Inherited descriptors
// must keep their flags, so poll is asked before the read.
static int file_fill(File *file, bool *end) {
  int error = file_flush(file);
  if (error) return error;
  if (job_is_empty(file->fd)) return EAGAIN;
  error = input_fill(&file->in, file->fd);
  *end = !error && input_left(&file->in) == 0;
  return error;
}

// What the room needs that is full, if that is known: what is left of the file,
// or what is wanted.
static size_t read_size(const FileJob *work) {
  const File *file = work->file;
  struct stat info;
  if (work->want == WANT_LINE || fstat(file->fd, &info) != 0) return 0;
  off_t at = S_ISREG(info.st_mode) ? lseek(file->fd, 0, SEEK_CUR) : -1;
  if (at < 0 || at > info.st_size) return 0;
  size_t size = work->job.room.len + input_left(&file->in) +
                (size_t)(info.st_size - at) + 1;
  bool less = work->want >= 0 && (size_t)work->want < size;
  return less ? (size_t)work->want : size;
}

// As file_enter, but the result is also false when it is another reader's turn.
static bool may_read(FileJob *work) {
  bool enters = file_enter(work);
  work->queues = enters && !os_turn_take(&work->file->turn, work);
  return enters && !work->queues;
}

// The lock is held. *end is set at the file's end.
static void read_some(FileJob *work, bool *end) {
  Job *job = &work->job;
  Room *room = &job->room;
  size_t most = room->len + FILE_PIECE;
  for (;;) {
    job->more = !input_take(&work->file->in, work->want, room) && !*end;
    bool full = room->len == room->cap;
    if (job->more && full) room_need(room, read_size(work));
    if (!job->more || full || room->len >= most) break;
    int error = file_fill(work->file, end);
    job->waits = error == EAGAIN;
    job->fd = work->file->fd;
    if (error && !job->waits) job->error = error;
    if (error) break;
  }
}

static void file_read_work(void *data) {
  FileJob *work = data;
  Job *job = &work->job;
  bool end = false;
  job->waits = false;
  if (may_read(work)) read_some(work, &end);
  file_leave(work);
  if (job->waits && isatty(job->fd) == 1) csp_flush_out(job->csp);
  // `flag` says that nothing came because the file is at its end.
  job->flag = end && job->room.len == 0 && work->want != WANT_REST;
}

// The job has read nothing, because it was not its turn. The native is called
// again when the turn has come.
static CspStatus read_in_turn(CspCall *call, FileJob *work) {
  CspValue argv[] = {csp_arg(call, 0), csp_nil(), csp_arg(call, 1)};
  bool found = csp_method(call, argv[0], work->method, &argv[1]);
  int argc = csp_argc(call) > 1 ? 3 : 2;
  job_free(&work->job);
  return found ? csp_tail_named(call, "_read_in_turn", argc, argv)
               : csp_panic_memory(call);
}

// A line without its end.
static size_t line_len(const char *data, size_t len) {
  if (len == 0 || data[len - 1] != '\n') return len;
  len--;
  if (len > 0 && data[len - 1] == '\r') len--;
  return len;
}

// Ends the job. `given` says that the script gets what was read.
static void file_read_end(FileJob *work, bool given) {
  File *file = work->file;
  if (given || work->job.room.len == 0) {
    os_turn_end(&file->turn, work);
  } else {
    pthread_mutex_lock(&file->lock);
    file_give_back(work);
    pthread_mutex_unlock(&file->lock);
  }
}

// The room has what was wanted, and no more.
static CspStatus read_give(CspCall *call, void *data, bool on) {
  FileJob *work = data;
  Room *room = &work->job.room;
  size_t len = room->len;
  bool gives = on && csp_work(call, 1);  // not a call that is given up
  CspValue v = csp_nil();
  if (gives) {
    if (work->want == WANT_LINE) room->len = line_len(room->data, len);
    v = room_value(call, room);
    room->len = len;
  }
  file_read_end(work, gives && !csp_is_undef(v));
  job_free(&work->job);
  return gives ? csp_ok_value(call, v) : CSP_PANIC;
}

static CspStatus read_over(CspCall *call, void *data) {
  FileJob *work = data;
  Job *job = &work->job;
  if (work->queues) return read_in_turn(call, work);
  if (!job->error && !job->flag)
    return room_fit(call, &job->room, read_give, work);
  file_read_end(work, false);
  if (job->error) return job_fail(call, job);
  job_free(job);
  return csp_ok_value(call, csp_nil());
}

// Gives a line that is in the buffer as a whole, unless another reader is on
// its way to the end of its own. The result is false when there is none.
static bool quick_line(CspCall *call, File *file) {
  if (pthread_mutex_trylock(&file->lock) != 0) return false;
  Str line = input_line(&file->in);
  bool found = line.data != NULL && file->busy == NULL;
  if (found) {
    CspValue v = csp_string(call, line.data, line_len(line.data, line.len));
    csp_return(call, v);
    csp_charge(call, line.len / 64);
    if (!csp_is_undef(v)) input_skip(&file->in, line.len);
  }
  pthread_mutex_unlock(&file->lock);
  return found;
}

// A native that waits until nobody has the turn to read.
CspStatus file_turn(CspCall *call) {
  File *file = file_need(call);
  return file != NULL ? os_turn_wait(call, &file->turn) : CSP_PANIC;
}

CspStatus file_leave_with_reader(CspCall *call) {
  File *file = file_need(call);
  if (file == NULL) return CSP_PANIC;
  pthread_mutex_lock(&file->lock);
  file->ends = true;
  pthread_mutex_unlock(&file->lock);
  return csp_ok_nothing(call);
}

static CspStatus run_read(CspCall *call, const char *method, int64_t want,
                          bool as_bytes) {
  enum { FIRST = 4096 - 64, MOST = 1 << 16 };
  File *file = file_need(call);
  FileJob *work = file != NULL ? file_job(call, file, "read") : NULL;
  if (work == NULL) return CSP_PANIC;
  work->method = method;
  work->want = want;
  work->job.room.is_bytes = as_bytes;
  size_t first = want == WANT_SOME ? MOST
                 : want < 0        ? FIRST
                 : want < MOST     ? (size_t)want
                                   : MOST;
  if (!room_make(call, &work->job.room, first, first)) {
    job_free(&work->job);
    return CSP_PANIC;
  }
  return job_block(call, file_read_work, read_over, &work->job);
}

// (line, nil), (nil, nil) at the end, or (nil, error).
CspStatus file_read_line(CspCall *call) {
  File *file = file_need(call);
  if (file == NULL) return CSP_PANIC;
  if (quick_line(call, file)) return csp_ok(call, csp_nil());
  return run_read(call, "read_line", WANT_LINE, false);
}

CspStatus file_read_all(CspCall *call) {
  return run_read(call, "read_all", WANT_REST, false);
}

// Gives n bytes, or fewer before the end, and (nil, nil) at the end, unless n
// is 0. Without n it gives all.
CspStatus file_read(CspCall *call) {
  int64_t n = WANT_REST;
  if (!is_nil(call, 1) && !need_int_in(call, 1, 0, (int64_t)1 << 31, &n)) {
    return CSP_PANIC;
  }
  return run_read(call, "read", n, false);
}

CspStatus file_read_bytes(CspCall *call) {
  int64_t n = WANT_REST;
  if (!is_nil(call, 1) && !need_int_in(call, 1, 0, (int64_t)1 << 31, &n)) {
    return CSP_PANIC;
  }
  return run_read(call, "read_bytes", n, true);
}

// Gives bytes as they come, 64 KB at most, and (nil, nil) at the end.
CspStatus file_read_some(CspCall *call) {
  return run_read(call, "_read_some", WANT_SOME, true);
}

// Gives a function that gives the next line, and nil at the end.
CspStatus file_lines(CspCall *call) {
  if (!file_need(call)) return CSP_PANIC;
  CspValue argv[2] = {csp_arg(call, 0), csp_bool(false)};
  return csp_tail_named(call, "_line_reader", 2, argv);
}
