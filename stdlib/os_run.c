// SPDX-License-Identifier: MIT
// Running other programs: posix_spawn, input and output through pipes. The
// goroutine waits in netpoll, for an epoll that watches the pipes and a pidfd,
// and does a little whenever one of them is ready, until the program has ended
// and closed its output. No thread waits for it.
//
// A program leads a process group of its own. When nobody waits for it any
// more, the group is killed, with the programs that it has started, unless they
// have left the group. So the program is not reaped before all is over. Until
// then its number, which is the group's, is not given to others.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stdlib/os.h"

enum { IN, OUT, ERR };
// What Linux takes at most of arguments and their pointers, whatever the
// limits.
enum { WORDS_MOST = 6 << 20 };

typedef struct Run {
  Job job;       // its path is the program, feed its input, room its output
  Buffer words;  // the program and its arguments, each with its zero byte
  size_t argc;   // how many these are
  char **argv;   // they, and NULL; made by start_work
  char **env;
  char *dir;  // NULL: ours
  Room err;
  int status;         // as shells count: 128 + the signal if one ended it
  pid_t pid;          // 0: none, or it is reaped
  int pid_fd, watch;  // watch: an epoll of all that follows
  int ends[3];        // ours of its pipes; -1 means closed
  size_t given;       // of its input
  bool ended, over;
  CspWait wait;
} Run;

static void close_end(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static void close_all(Run *run) {
  for (int i = 0; i < 3; i++) close_end(&run->ends[i]);
  close_end(&run->pid_fd);
  close_end(&run->watch);
}

// Not over: it would outlive the cancelled goroutine. (What runs as another
// user cannot be killed, and is not waited for.)
static void end_program(Run *run) {
  int status;
  if (run->pid <= 0) return;
  if (!run->over) kill(-run->pid, SIGKILL);
  if (!run->ended && kill(run->pid, SIGKILL) != 0) return;
  while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR) continue;
}

static void run_free(Run *run) {
  end_program(run);
  close_all(run);
  buffer_free(&run->words);
  csp_alloc_free(run->argv);
  os_env_free(run->env);
  csp_alloc_free(run->dir);
  room_free(run->job.csp, &run->err);
  job_free(&run->job);
}

// --- The work: no runtime ---------------------------------------------------
// What the child gets: the pipes' ends, no blocked signals, default SIGPIPE, a
// process group.
static int spawn(Run *run, int pipes[3][2], pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (error) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF |
                                            POSIX_SPAWN_SETPGROUP);
  for (int fd = 0; fd < 3 && !error; fd++) {
    int end = pipes[fd][fd == IN ? 0 : 1];
    error = posix_spawn_file_actions_adddup2(&actions, end, fd);
  }
  if (!error && run->dir != NULL) {
    error = posix_spawn_file_actions_addchdir_np(&actions, run->dir);
  }
  if (!error) {
    error = posix_spawnp(pid, run->job.path, &actions, &attributes, run->argv,
                         run->env);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Ends above 2, so that adddup2 overwrites none of them.
static int open_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  for (int i = 0; i < 2; i++) {
    ends[i] = csp_above_streams(ends[i]);
    if (ends[i] < 0) return errno;
  }
  return 0;
}

// Reads what is there; closes at the end.
static void take_output(int *fd, Room *out) {
  if (out->most > 0) return;  // it is full
  ssize_t n = read(*fd, out->data + out->len, out->cap - out->len);
  if (n > 0) {
    out->len += (size_t)n;
    if (out->len == out->cap) room_need(out, 0);
  } else if (n == 0 || errno != EINTR) {
    close_end(fd);
  }
}

// Writes what the pipe takes; closes when all is written, or nobody reads.
static void give_input(Run *run) {
  const Feed *feed = &run->job.feed;
  int *fd = &run->ends[IN];
  size_t left = feed->len - run->given;
  ssize_t n = write(*fd, feed->data + run->given, left);
  if (n > 0) run->given += (size_t)n;
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  bool all = run->given == feed->len && !feed_more(feed);
  if (n < 0 || all) close_end(fd);
}

// What can be done now, without waiting: input, output, the end.
static void talk(void *data) {
  Run *run = data;
  struct pollfd fds[3] = {{run->ends[IN], POLLOUT, 0},
                          {run->ends[OUT], POLLIN, 0},
                          {run->ends[ERR], POLLIN, 0}};
  if (poll(fds, 3, 0) < 0) return;  // EINTR: again, at once
  if (fds[IN].revents) give_input(run);
  if (fds[OUT].revents) take_output(&run->ends[OUT], &run->job.room);
  if (fds[ERR].revents) take_output(&run->ends[ERR], &run->err);
}

void os_quietly(void (*work)(void *data), void *data) {
  sigset_t pipe_set, before, pending;
  sigemptyset(&pipe_set);
  sigaddset(&pipe_set, SIGPIPE);
  sigpending(&pending);
  bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe_set, &before);
  work(data);
  if (!was_pending) {
    struct timespec now = {0, 0};
    while (sigtimedwait(&pipe_set, NULL, &now) < 0 && errno == EINTR) continue;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Watches an end for the goroutine, which waits for all of them at once.
static void watch_end(Run *run, int fd, uint32_t events) {
  struct epoll_event event = {.events = events, .data.fd = fd};
  if (fd >= 0 && epoll_ctl(run->watch, EPOLL_CTL_ADD, fd, &event) != 0)
    run->job.error = errno;
}

// 0, or an errno.
static int make_argv(Run *run) {
  csp_alloc_free(run->argv);
  run->argv = csp_alloc(run->job.csp, NULL, (run->argc + 1) * sizeof(char *));
  if (run->argv == NULL) return ENOMEM;
  char *word = run->words.data;
  for (size_t i = 0; i < run->argc; i++, word += strlen(word) + 1)
    run->argv[i] = word;
  run->argv[run->argc] = NULL;
  return 0;
}

// Where the folder is what is wrong, the message names it after the program.
static void blame_dir(Run *run) {
  struct stat info;
  Job *job = &run->job;
  int error = stat(run->dir, &info) != 0 ? errno : 0;
  if (!error && !S_ISDIR(info.st_mode)) error = ENOTDIR;
  if (!error && access(run->dir, X_OK) != 0) error = errno;
  if (!error) return;
  char *both = alloc_format(job->csp, "%s in %s", job->path, run->dir);
  job->error = both != NULL ? error : ENOMEM;
  if (both == NULL) return;
  csp_alloc_free(job->path);
  job->path = both;
}

static void start_work(void *data) {
  Run *run = data;
  if (run->job.error) return;
  int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  int error = make_argv(run);
  if (!error) run->watch = csp_above_streams(epoll_create1(EPOLL_CLOEXEC));
  if (!error && run->watch < 0) error = errno;
  for (int i = 0; i < 3 && !error; i++) error = open_pipe(pipes[i]);
  if (!error) error = spawn(run, pipes, &run->pid);
  close_end(&pipes[IN][0]);
  close_end(&pipes[OUT][1]);
  close_end(&pipes[ERR][1]);
  run->ends[IN] = pipes[IN][1];
  run->ends[OUT] = pipes[OUT][0];
  run->ends[ERR] = pipes[ERR][0];
  run->job.error = error;
  if (error) close_all(run);
  if (error && run->dir != NULL) blame_dir(run);
  if (error) return;
  run->pid_fd = csp_above_streams((int)syscall(SYS_pidfd_open, run->pid, 0));
  fcntl(run->ends[IN], F_SETFL, O_NONBLOCK);
  if (run->job.feed.len == 0) close_end(&run->ends[IN]);
  watch_end(run, run->ends[IN], EPOLLOUT);
  watch_end(run, run->ends[OUT], EPOLLIN);
  watch_end(run, run->ends[ERR], EPOLLIN);
  watch_end(run, run->pid_fd, EPOLLIN);
}

// Looks whether the program has ended, and how.
static void look_at_program(Run *run) {
  siginfo_t info = {0};
  int result;
  do {
    result = waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOWAIT | WNOHANG);
  } while (result != 0 && errno == EINTR);
  if (result != 0) {
    run->job.error = errno;
    run->pid = 0;  // somebody else has reaped it
  }
  if (result == 0 && info.si_pid == 0) return;
  run->ended = true;
  run->status =
      info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  close_end(&run->pid_fd);
}

static bool is_silent(const Run *run) {
  return run->ends[OUT] < 0 && run->ends[ERR] < 0;
}

// It is over when the program has ended and its output is closed, which others
// may hold open longer.
static void talk_work(void *data) {
  Run *run = data;
  size_t given = run->given;
  os_quietly(talk, run);
  if (run->given != given) run->job.pause = 0;
  if (!run->ended && (run->pid_fd >= 0 || is_silent(run))) look_at_program(run);
  run->over = run->ended && is_silent(run);
}

// --- Results ----------------------------------------------------------------
// Making a text may collect memory, so the map is made last. The texts stay
// held until then.
static CspStatus run_result(CspCall *call, Run *run) {
  if (run->job.error) {
    CspValue error = job_error(call, &run->job, run->job.error);
    run_free(run);
    csp_return(call, csp_nil());
    return csp_ok(call, error);
  }
  CspValue err = room_value(call, &run->err);
  CspHandle held = csp_is_undef(err) ? 0 : csp_hold(call, err);
  CspValue out = room_value(call, &run->job.room);
  if (held != 0) err = csp_held(call, held);
  CspValue map = csp_map(call, 4);
  bool ok = held != 0 && !csp_is_undef(map) &&
            csp_map_set_name(call, map, "status", csp_int(call, run->status)) &&
            csp_map_set_name(call, map, "out", out) &&
            csp_map_set_name(call, map, "err", err);
  csp_release(csp_of(call), held);
  run_free(run);
  return ok ? csp_ok_value(call, map) : csp_panic_memory(call);
}

static CspStatus run_fitted(CspCall *call, void *data, bool on) {
  Run *run = data;
  if (on) return run_result(call, run);
  run_free(run);
  return CSP_PANIC;
}

static CspStatus run_fit_err(CspCall *call, void *data, bool on) {
  Run *run = data;
  if (on) return room_fit(call, &run->err, run_fitted, run);
  return run_fitted(call, run, false);
}

static CspStatus run_more(CspCall *call, void *data, bool made);

static CspStatus run_start(CspCall *call, void *data, bool on) {
  Run *run = *(Run **)data;
  if (on) return csp_block(call, start_work, run_more, run);
  return run_fitted(call, run, false);
}

static CspStatus run_grown(CspCall *call, void *data, bool on) {
  return on ? run_more(call, data, true) : run_fitted(call, data, false);
}

// Until it is over, whenever there is something to do for it. Without a pidfd
// (before Linux 5.3, or refused) nothing tells of the end of a program that has
// closed its output, so it is looked at again and again. Without a thread that
// the others could go on with, it is not waited for any more.
static CspStatus run_more(CspCall *call, void *data, bool made) {
  Run *run = data;
  if (!made) run->job.error = JOB_NO_THREAD;
  if (run->pid == 0 && job_collects(call, &run->job))
    return csp_again(call, run_start, &run, sizeof run, 0);
  if (run->job.error) return run_result(call, run);
  if (run->over) return room_fit(call, &run->job.room, run_fit_err, run);
  for (int i = 0; i < 2; i++) {
    Room *room = i == 0 ? &run->job.room : &run->err;
    if (room->most > 0) return room_grow(call, room, run_grown, run);
  }
  if (run->given == run->job.feed.len && feed_more(&run->job.feed)) {
    feed_next(call, &run->job.feed);
    run->given = 0;
  }
  if (!run->ended && run->pid_fd < 0 && is_silent(run))
    return csp_block_after(call, job_pause(&run->job), talk_work, run_more,
                           run);
  run->wait.fd = run->watch;
  return csp_block_fd(call, &run->wait, talk_work, run_more, run);
}

// --- Arguments --------------------------------------------------------------
// What is longer is refused for its length.
static bool has_no_zero(Str s) {
  return s.len > WORDS_MOST || memchr(s.data, '\0', s.len) == NULL;
}

// NULL: the call has panicked.
static char *copy_word(CspCall *call, Str s) {
  char *copy = alloc_str(csp_of(call), s);
  if (copy == NULL) csp_panic_memory(call);
  return copy;
}

// What is too much for any program is not copied, but an error. The result is
// false when the call has panicked.
static bool run_add_word(CspCall *call, Run *run, Str s) {
  size_t size = run->words.len + s.len + 1 + ++run->argc * sizeof(char *);
  if (size > WORDS_MOST) {
    run->job.error = E2BIG;
    return true;
  }
  buffer_add(&run->words, s.data, s.len);
  buffer_add_char(&run->words, '\0');
  if (!run->words.failed) return csp_work(call, 50 + s.len / 8);
  csp_panic_memory(call);
  return false;
}

// The result is false when the call has panicked.
static bool run_takes_word(CspCall *call, size_t i, CspValue v) {
  enum { LONGEST = 64 };
  static const char wanted[] = "a string without zero bytes";
  char what[LONGEST];
  snprintf(what, sizeof what, "os.run: argument %zu", i + 1);
  if (csp_type(v) != CSP_STRING)
    csp_panic(call, "%s must be %s, not %s", what, wanted, csp_type_name(v));
  else if (has_no_zero(str_of(v)))
    return true;
  else
    bad_string(call, what, wanted, str_of(v));
  return false;
}

// The program, then the strings of the list (nil: none). Somebody may change
// the list meanwhile.
static bool set_words(CspCall *call, Run *run, Str program) {
  CspValue list = csp_nil();
  if (!is_nil(call, 1) && !csp_need_type(call, 1, CSP_LIST, &list)) {
    return false;
  }
  size_t count = is_nil(call, 1) ? 0 : csp_list_len(list);
  if (!run->job.error && !run_add_word(call, run, program)) return false;
  for (size_t i = 0; i < count && !run->job.error; i++) {
    CspValue v = csp_list_get(list, i);
    if (!run_takes_word(call, i, v)) return false;
    if (!run_add_word(call, run, str_of(v))) return false;
  }
  return true;
}

static bool set_dir(CspCall *call, Run *run) {
  Str dir;
  if (is_nil(call, 3)) return true;
  if (!need_str(call, 3, &dir)) return false;
  if (dir.len >= PATH_MAX) {
    run->job.error = ENAMETOOLONG;
    return true;
  }
  if (!has_no_zero(dir))
    bad_string(call, "os.run: dir", "a path without zero bytes", dir);
  run->dir = has_no_zero(dir) ? copy_word(call, dir) : NULL;
  return run->dir != NULL;
}

static bool set_options(CspCall *call, Run *run) {
  CspValue changes;
  if (!is_nil(call, 2) && !feed_open(call, &run->job.feed, 2, 3)) return false;
  if (!set_dir(call, run)) return false;
  if (is_nil(call, 4)) {
    run->env = os_env_copy(call, NULL);
  } else if (csp_need_type(call, 4, CSP_MAP, &changes)) {
    run->env = os_env_copy(call, &changes);
  }
  return run->env != NULL;
}

// (map with status, out, err; nil) or (nil, error) when it cannot be started.
CspStatus os_run(CspCall *call) {
  enum { FIRST = 4096 - 64 };  // bytes of output
  Str program;
  if (!need_str(call, 0, &program)) return CSP_PANIC;
  if (program.len < PATH_MAX && !has_no_zero(program)) {
    return bad_string(call, "os.run: program", "a name without zero bytes",
                      program);
  }
  Run *run = job_new_sized(call, sizeof *run, "run", program);
  if (run == NULL) return CSP_PANIC;
  run->words.csp = csp_of(call);
  run->pid_fd = run->watch = run->ends[IN] = run->ends[OUT] = run->ends[ERR] =
      -1;
  if (!set_words(call, run, program) || !set_options(call, run) ||
      !room_make(call, &run->job.room, FIRST, FIRST) ||
      !room_make(call, &run->err, FIRST, FIRST)) {
    run_free(run);
    return CSP_PANIC;
  }
  return csp_block(call, start_work, run_more, run);
}
