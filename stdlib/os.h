// SPDX-License-Identifier: MIT
// What the files of the module os show each other: jobs, which are blocking
// operations with everything they need in C memory.
#ifndef CSP_STDLIB_OS_H
#define CSP_STDLIB_OS_H

#include <pthread.h>

#include "stdlib/stdlib.h"

// --- os_room.c --------------------------------------------------------------
// What is read. Zeroed: none yet.
typedef struct Room {
  CspHandle held;  // 0: none
  bool is_bytes;   // not a string
  char *data;
  size_t len, cap;
  size_t most, least;  // what the work needs, if not 0
} Room;
typedef CspStatus (*RoomThen)(CspCall *call, void *data, bool on);

// An empty one of `most` bytes, or of `least`. false: the call has panicked.
bool room_make(CspCall *call, Room *room, size_t most, size_t least);
// For csp_release. Any thread.
void room_free(Csp *csp, Room *room);
// For work: it is full. size: what is needed in all, if that is known. 0: not.
void room_need(Room *room, size_t size);
// Makes it as large as is needed, or no larger than its contents. Then calls
// then(call, data, true), at once or in a later piece. on is false where the
// call is given up or has panicked.
CspStatus room_grow(CspCall *call, Room *room, RoomThen then, void *data);
CspStatus room_fit(CspCall *call, Room *room, RoomThen then, void *data);
// Its contents as a value. undef: out of memory.
CspValue room_value(CspCall *call, const Room *room);

// What is written: arguments of the call.
typedef struct Feed {
  const char *data;  // its next part
  size_t len;
  int next, end;     // arguments that follow
  size_t at, until;  // of the bytes that are the next argument
  Room room;         // copies of bytes
} Feed;
// The arguments are strings or bytes. The first part is there then. false: the
// call has panicked.
bool feed_open(CspCall *call, Feed *feed, int from, int end);
void feed_next(CspCall *call, Feed *feed);  // nothing: len is 0
static inline bool feed_more(const Feed *feed) {
  return feed->next < feed->end;
}

// --- os_input.c -------------------------------------------------------------
// What was read of a file, but not used. Zeroed but for csp: nothing.
typedef struct Input {
  Csp *csp;
  char *data;  // the buffer; NULL until first needed
  size_t at, len;
  CspHandle held;    // a room that was given back, before the buffer's contents
  const char *back;  // its contents
  size_t back_at, back_len;
} Input;
enum { WANT_LINE = -1, WANT_REST = -2, WANT_SOME = -3 };

size_t input_left(const Input *input);
void input_drop(Input *input);  // the file's position is elsewhere
void input_free(Input *input);
// Nothing is left: reads more. 0 or an errno.
int input_fill(Input *input, int fd);
// Moves what is wanted to the room, as far as both go: so many bytes with what
// is there, or WANT_... The result is whether that was all.
bool input_take(Input *input, int64_t want, Room *room);
// The first line with its end, if the buffer has one and it is the first thing.
Str input_line(const Input *input);
void input_skip(Input *input, size_t count);  // of the buffer
// What the room has was taken last, and is unused again.
void input_give_back(Input *input, Room *room);

// --- os_job.c ---------------------------------------------------------------
// One blocking operation. The native fills it. A work function runs it, and
// does not touch the runtime. A done function makes the results, and frees it.
typedef struct Job {
  Csp *csp;          // whose paths they are
  const char *verb;  // for messages: "read" in "cannot read x: ..."
  char *path, *other;
  char *data;  // the result
  size_t len;
  size_t most;  // bytes of data that may be made: csp_room
  Room room;    // what is read
  Feed feed;    // what is written
  int64_t number;
  int error;    // errno
  int partial;  // job_done_list: an errno, of a job that has not failed
  bool flag;
  bool slow;                                     // known to take long
  void *extra;                                   // for csp_alloc_free
  CspStatus (*done)(CspCall *call, void *data);  // job_block's
  void (*work)(void *data);                      // likewise
  // Work in pieces says that there is another one, and leaves its descriptor
  // open; `at` is its own.
  bool more;
  int fd;      // more: open
  int to;      // more: likewise, if it is not 0
  bool made;   // os_data.c: the file that is written was not there before
  bool begun;  // some of the feed was written, or of the file copied
  size_t at;
  // Gives up what the work has open while there is more. NULL: closes fd and
  // to.
  void (*stop)(struct Job *job);
  // What the next piece waits for, in a runtime with threads.
  bool is_fifo;   // fd is one, open for reading alone
  bool waits;     // more, but nothing can be read (job_waits), or written
  bool later;     // tries again: job_open's FIFO has no reader, and the like
  int64_t pause;  // until the next try, in ns; begins with 0
  // For `fd`, or to write for `to`, if there is one. NULL: own_wait.
  CspWait own_wait, *wait;
  int collected;  // how often job_collects has
} Job;
enum { JOB_PIECE = 1 << 20 };  // bytes

// As Job.error, or where an errno is meant:
enum {
  JOB_NO_THREAD = -1,  // the work was never begun
  // A pipe is full or empty, or a FIFO has no reader, and the descriptor is one
  // that never waits: of a stepped runtime (csp_open_path), or a FIFO's.
  JOB_WOULD_WAIT = -2,
  JOB_LEASED =
      -3,  // job_open in a stepped runtime: another process has a lease
  JOB_NO_PROC = -4,  // os_by_proc
};
extern const char os_no_proc[];  // its text

// The string argument i is the path. One with a zero byte makes the job fail
// with EINVAL before any work. NULL: the call has panicked.
Job *job_new(CspCall *call, const char *verb, int i);
Job *job_new_for(CspCall *call, const char *verb, Str path);
// A zeroed struct of that size, which begins with the job.
void *job_new_sized(CspCall *call, size_t size, const char *verb, Str path);
bool job_other(CspCall *call, Job *job, int i);
void job_free(Job *job);
// How long to wait until the next try: job->pause, which grows.
int64_t job_pause(Job *job);
// As csp_block, for jobs. Work that cannot be begun makes the job fail.
CspStatus job_block(CspCall *call, void (*work)(void *data),
                    CspStatus (*done)(CspCall *call, void *data), Job *job);
// Whether no descriptor was left for the work, and it is to be done again, from
// its beginning, after a collection. job_block's jobs see to that themselves.
bool job_collects(CspCall *call, Job *job);
// For work functions. Opens a path as csp_open_path does, but waits for no
// FIFO. The result is -1 when job->error says why not. Where nobody reads the
// FIFO (later) the work returns at once, and is called again later.
int job_open(Job *job, const char *path, int flags, int64_t mode);
// Whether there is nothing to be read of fd yet: reading would wait, or, of a
// FIFO that nobody has written, take that for its end.
bool job_is_empty(int fd);
// Whether writing to fd would wait.
bool job_is_full(int fd);
// Whether job->fd is a FIFO and has nothing to be read yet. Then the work
// returns, and is called again when there is.
bool job_waits(Job *job);
// Whether what finds no room waits for it. In a stepped runtime it is an error,
// unless it has begun, because its caller could not know what to write again.
bool job_may_wait(const Job *job);
// Has written so much of the feed's part.
void job_wrote(Job *job, size_t count);
// Acts on the last name of a path, in its folder. The act must not follow a
// link, and gives -1 when it fails with errno.
typedef int (*JobAct)(Job *job, const CspPlace *at);
void job_act(Job *job, const char *path, JobAct act);
// Permissions: an int argument from 0 to 0o7777, or `otherwise` for nil.
bool job_mode(CspCall *call, int i, int64_t otherwise, int64_t *mode);
// job_block, unless the job has failed already.
CspStatus job_run(CspCall *call, Job *job, void (*work)(void *data),
                  CspStatus (*done)(CspCall *call, void *data));
// A job with two paths, arguments 0 and 1, whose result is nil or an error.
// `stop` is Job.stop, or NULL.
CspStatus job_run_two(CspCall *call, const char *verb, void (*work)(void *data),
                      void (*stop)(Job *job));

// Done functions. The only result of the first is nil or an error. The others
// give (value, nil) or (nil, error).
CspStatus job_done_err(CspCall *call, void *data);
CspStatus job_done_text(CspCall *call, void *data);  // of data
CspStatus job_done_room(CspCall *call, void *data);
CspStatus job_done_flag(CspCall *call, void *data);  // flag alone, or panics
// data is a sequence of NUL-terminated strings, which are sorted. If it is not
// all of them, `partial` tells why, and the result is (list, error).
CspStatus job_done_list(CspCall *call, void *data);
// An errno of what was done by a name in /proc/self/fd, as system calls want
// one, of what is open. Or that there is no such name, because /proc is
// missing.
int os_by_proc(int error);
// The error of a failed job, undef without memory.
CspValue job_error(CspCall *call, const Job *job, int error);
CspStatus job_fail(CspCall *call, Job *job);  // (nil, error); frees it

// --- os_turn.c --------------------------------------------------------------
// Zeroed: ready for use, and nobody's.
typedef struct TurnWaiter TurnWaiter;
typedef struct Turn {
  pthread_mutex_t lock;  // guards the rest
  const void *holder;    // the reader that has it; NULL means nobody
  TurnWaiter *waiting;
} Turn;
// Takes the turn, unless another reader has it. The one that has it may take it
// again.
// Any thread.
bool os_turn_take(Turn *turn, const void *reader);
// The reader gives the turn back, if it has it, and all that wait go on. With
// NULL the file is closed, and whoever has the turn loses it. Any thread.
void os_turn_end(Turn *turn, const void *reader);
bool os_turn_is_taken(Turn *turn);  // any thread
// What a native returns that waits until nobody has it. Owner P.
CspStatus os_turn_wait(CspCall *call, Turn *turn);

// --- os_files.c: all open files ---------------------------------------------
typedef struct OpenFiles OpenFiles;  // of a runtime
typedef struct FileLink {
  OpenFiles *files;  // NULL: in no list
  struct FileLink *next, **back;
} FileLink;

extern const CspClass os_files_class;
bool os_files_install(Csp *csp);
void os_files_add(CspCall *call, FileLink *link);
void os_files_remove(FileLink *link);
// An error that nobody else is told. Any thread.
void os_files_report(OpenFiles *files, const char *name, int error);
// Writes the data and closes fd, without waiting: what would have to wait is
// written at the end of the run. Takes the data and the name.
void os_files_leave(OpenFiles *files, int fd, char *data, size_t len,
                    char *name);

// --- os_file.c --------------------------------------------------------------
// Writes what the file has buffered, if nobody is busy with it.
void os_file_last_flush(FileLink *link);

// --- os_data.c --------------------------------------------------------------
CspStatus os_read_file(CspCall *call);
CspStatus os_read_bytes(CspCall *call);
CspStatus os_write_file(CspCall *call);
CspStatus os_append_file(CspCall *call);
CspStatus os_copy_file(CspCall *call);

// --- os_fs.c ----------------------------------------------------------------
CspStatus os_rename(CspCall *call);
CspStatus os_symlink(CspCall *call);
CspStatus os_stat(CspCall *call);
CspStatus os_file_state(CspCall *call);  // hidden, for the module http
CspStatus os_exists(CspCall *call);
CspStatus os_is_dir(CspCall *call);
CspStatus os_is_file(CspCall *call);
CspStatus os_list_dir(CspCall *call);
CspStatus os_is_folder(CspCall *call);
CspStatus os_read_link(CspCall *call);
CspStatus os_real_path(CspCall *call);
CspStatus os_mkdir(CspCall *call);
CspStatus os_mkdir_all(CspCall *call);
CspStatus os_chmod(CspCall *call);
CspStatus os_set_times(CspCall *call);
CspStatus os_remove(CspCall *call);
CspStatus os_chdir(CspCall *call);

// --- os_glob.c --------------------------------------------------------------
CspStatus os_glob(CspCall *call);

// --- os_remove.c ------------------------------------------------------------
CspStatus os_remove_all(CspCall *call);
CspStatus os_remove_some(CspCall *call);
CspStatus os_remove_end(CspCall *call);

// --- os_temp.c --------------------------------------------------------------
CspStatus os_temp_file(CspCall *call);
CspStatus os_temp_dir(CspCall *call);

// --- os_file.c --------------------------------------------------------------
CspStatus os_open(CspCall *call);
// The done function of a job that has opened `fd`: (file, nil) or (nil, error).
CspStatus os_open_done(CspCall *call, void *data);

// --- os_below.c: names below a folder, without links ------------------------
// Where a name's last part is.
typedef struct BelowPlace {
  int folder;  // to be closed
  const char *name;
} BelowPlace;
// Opens a folder in another one. Returns -1 with errno.
int below_enter(int above, const char *name, bool makes);
// path is taken apart, and must stay. Returns 0, or an errno.
int below_find(int root, char *path, bool makes, BelowPlace *place);
CspStatus os_open_real(CspCall *call);  // hidden, for the module http

// --- os_unpack.c ------------------------------------------------------------
bool os_unpack_install(Csp *csp);

// --- os_path.c --------------------------------------------------------------
CspStatus os_clean_path(CspCall *call);
CspStatus os_join_path(CspCall *call);
CspStatus os_base(CspCall *call);
CspStatus os_dir(CspCall *call);
CspStatus os_ext(CspCall *call);
CspStatus os_is_abs(CspCall *call);
CspStatus os_abs_path(CspCall *call);

// --- os_run.c ---------------------------------------------------------------
CspStatus os_run(CspCall *call);
// Calls work(data). Writing to what nobody reads raises SIGPIPE in this thread,
// which may be one of the host's: it is blocked, and taken if it came.
void os_quietly(void (*work)(void *data), void *data);

// --- os_env.c ---------------------------------------------------------------
CspStatus os_env(CspCall *call);
CspStatus os_set_env(CspCall *call);
CspStatus os_unset_env(CspCall *call);
CspStatus os_environ(CspCall *call);
// The variable TMPDIR or /tmp, for csp_alloc_free. NULL: the call has panicked.
char *os_env_temp(CspCall *call);

// --- os_random.c ------------------------------------------------------------
CspStatus os_random(CspCall *call);

extern const CspClass os_file_class, os_env_class, os_removal_class;
extern const CspFunction os_file_methods[];

// --- os_data.c --------------------------------------------------------------
// 0, an errno or JOB_WOULD_WAIT. *done: how many bytes were written.
// (rt_write_all would hold the thread until the other side reads.)
int os_write_some(int fd, const char *data, size_t len, size_t *done);

// --- os_env.c ---------------------------------------------------------------
// The runtime's own environment as a NULL-terminated array of
// "NAME=value" strings, all of csp_alloc, with changes (NULL or a map) on top.
char **os_env_copy(CspCall *call, const CspValue *changes);
void os_env_free(char **env);

// --- os_file.c --------------------------------------------------------------
// Adds os.stdin.
void os_file_init(CspCall *call, CspValue module);

#endif
