// SPDX-License-Identifier: MIT
// Running other programs: posix_spawn, input and output through pipes, without
// a P until the program has ended and closed its output.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stdlib/os.h"

enum { IN, OUT, ERR };

typedef struct Run {
  Job job;  // path: the program; data: its input
  char **argv, **env;
  char *dir;  // NULL: the same
  Buffer out, err;
  int status;
} Run;

static void free_words(char **words) {
  for (char **at = words; at && *at; at++) free(*at);
  free(words);
}

static void run_free(Run *run) {
  free_words(run->argv);
  os_env_free(run->env);
  free(run->dir);
  buffer_free(&run->out);
  buffer_free(&run->err);
  job_free(&run->job);
}

// --- The work: no runtime ---------------------------------------------------
// What the child gets: the pipes' ends, no blocked signals, default SIGPIPE.
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
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  for (int fd = 0; fd < 3 && !error; fd++) {
    int end = pipes[fd][fd == IN ? 0 : 1];
    error = posix_spawn_file_actions_adddup2(&actions, end, fd);
  }
  if (!error && run->dir) {
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

static void close_end(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

// Ends above 2, so that adddup2 overwrites none of them.
static int open_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  for (int i = 0; i < 2; i++) {
    if (ends[i] > 2) continue;
    int moved = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
    int error = errno;
    close(ends[i]);
    ends[i] = moved;
    if (moved < 0) return error;
  }
  return 0;
}

// Reads what is there; closes at the end.
static void take_output(int *fd, Buffer *out) {
  if (!buffer_reserve(out, 65536)) {
    close_end(fd);
    return;
  }
  ssize_t n = read(*fd, out->data + out->len, 65536);
  if (n > 0) {
    out->len += (size_t)n;
    out->data[out->len] = '\0';
  } else if (n == 0 || errno != EINTR) {
    close_end(fd);
  }
}

// Writes what the pipe takes; closes when all is written, or nobody reads.
static void give_input(int *fd, const Job *job, size_t *given) {
  ssize_t n = write(*fd, job->data + *given, job->len - *given);
  if (n > 0) *given += (size_t)n;
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n < 0 || *given == job->len) close_end(fd);
}

// Until the program has closed its output and its error output.
static void talk(Run *run, int in, int out, int err) {
  size_t given = 0;
  fcntl(in, F_SETFL, O_NONBLOCK);
  if (run->job.len == 0) close_end(&in);
  while (out >= 0 || err >= 0) {
    struct pollfd fds[3] = {
        {in, POLLOUT, 0}, {out, POLLIN, 0}, {err, POLLIN, 0}};
    if (poll(fds, 3, -1) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    if (fds[IN].revents) give_input(&in, &run->job, &given);
    if (fds[OUT].revents) take_output(&out, &run->out);
    if (fds[ERR].revents) take_output(&err, &run->err);
  }
  close_end(&in);
  close_end(&out);
  close_end(&err);
}

// Writing to a program that has ended raises SIGPIPE in this thread, which may
// be one of the host's: blocked, and taken if it came.
static void talk_quietly(Run *run, int in, int out, int err) {
  sigset_t pipe_set, before, pending;
  sigemptyset(&pipe_set);
  sigaddset(&pipe_set, SIGPIPE);
  sigpending(&pending);
  bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe_set, &before);
  talk(run, in, out, err);
  if (!was_pending) {
    struct timespec now = {0, 0};
    while (sigtimedwait(&pipe_set, NULL, &now) < 0 && errno == EINTR) continue;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void run_work(void *data) {
  Run *run = data;
  int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  pid_t pid = 0;
  int error = 0;
  for (int i = 0; i < 3 && !error; i++) error = open_pipe(pipes[i]);
  if (!error) error = spawn(run, pipes, &pid);
  close_end(&pipes[IN][0]);
  close_end(&pipes[OUT][1]);
  close_end(&pipes[ERR][1]);
  run->job.error = error;
  if (error) {
    close_end(&pipes[IN][1]);
    close_end(&pipes[OUT][0]);
    close_end(&pipes[ERR][0]);
    return;
  }
  talk_quietly(run, pipes[IN][1], pipes[OUT][0], pipes[ERR][0]);
  while (waitpid(pid, &run->status, 0) < 0) {
    if (errno == EINTR) continue;
    run->job.error = errno;
    return;
  }
  if (run->out.failed || run->err.failed) run->job.error = ENOMEM;
}

// --- Results ----------------------------------------------------------------
// As shells count: 128 + the signal for a program that one ended.
static int exit_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool set_text(CspCall *call, CspValue map, const char *name,
                     const Buffer *text) {
  return csp_map_set_name(
      call, map, name,
      csp_string(call, text->data ? text->data : "", text->len));
}

static CspStatus run_done(CspCall *call, void *data) {
  Run *run = data;
  CspValue map = csp_map(call, 4);
  if (run->job.error) {
    csp_return(call, csp_nil());
    map = job_error(call, &run->job);
    run_free(run);
    return csp_ok(call, map);
  }
  bool ok = !csp_is_undef(map) &&
            csp_map_set_name(call, map, "status",
                             csp_int(call, exit_status(run->status))) &&
            set_text(call, map, "out", &run->out) &&
            set_text(call, map, "err", &run->err);
  csp_charge(call, (run->out.len + run->err.len) / 256);
  run_free(run);
  return ok ? csp_ok_value(call, map) : csp_panic_memory(call);
}

// --- Arguments --------------------------------------------------------------
static char *copy_word(Str s) {
  return memchr(s.data, '\0', s.len) ? NULL : strndup(s.data, s.len);
}

// argv: the program, then the strings of the list (nil: none).
static bool set_argv(CspCall *call, Run *run) {
  CspValue list = csp_nil();
  if (!is_nil(call, 1) && !csp_need_type(call, 1, CSP_LIST, &list)) {
    return false;
  }
  size_t count = is_nil(call, 1) ? 0 : csp_list_len(list);
  run->argv = calloc(count + 2, sizeof *run->argv);
  if (run->argv) run->argv[0] = strdup(run->job.path);
  if (!run->argv || !run->argv[0]) {
    csp_panic_memory(call);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    CspValue v = csp_list_get(list, i);
    if (csp_type(v) == CSP_STRING) run->argv[i + 1] = copy_word(str_of(v));
    if (run->argv[i + 1]) continue;
    csp_panic(call,
              "os.run: argument %zu must be a string without zero bytes, "
              "not a %s",
              i + 1, csp_type_name(v));
    return false;
  }
  return true;
}

static bool set_options(CspCall *call, Run *run) {
  Str dir;
  CspValue changes;
  if (!is_nil(call, 2) && !job_data(call, &run->job, 2)) return false;
  if (!is_nil(call, 3)) {
    if (!need_str(call, 3, &dir)) return false;
    run->dir = copy_word(dir);
    if (!run->dir) {
      csp_bad_arg(call, 3, "a path without zero bytes");
      return false;
    }
  }
  if (is_nil(call, 4)) {
    run->env = os_env_copy(call, NULL);
  } else if (csp_need_type(call, 4, CSP_MAP, &changes)) {
    run->env = os_env_copy(call, &changes);
  }
  return run->env != NULL;
}

// (map with status, out, err; nil) or (nil, error) when it cannot be started.
CspStatus os_run(CspCall *call) {
  Str program;
  if (!need_str(call, 0, &program)) return CSP_PANIC;
  Run *run = calloc(1, sizeof *run);
  if (!run) return csp_panic_memory(call);
  run->job.verb = "run";
  run->job.path = copy_word(program);
  if (!run->job.path) {
    run_free(run);
    return csp_bad_arg(call, 0, "a name without zero bytes");
  }
  if (!set_argv(call, run) || !set_options(call, run)) {
    run_free(run);
    return CSP_PANIC;
  }
  return job_block(call, run_work, run_done, &run->job);
}
