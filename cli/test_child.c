// SPDX-License-Identifier: MIT
// A test's process, from the outside.
//
// The process runs this same program, in a process group of its own, with an
// empty folder as TMPDIR. When it has ended, the folder is removed, and what is
// left of the group is killed. That closes the pipes, unless some process has
// left the group, and nobody waits for such a process. Output and errors have a
// pipe each, so a flood of the one does not hide the other.
//
// The clock begins when the script does, so that a loaded machine does not use
// up a short limit before. (A TEST_FUNCTION says that through the pipe
// BEGAN_FD.) When the time is up, the process gets SIGQUIT, which makes it show
// what its goroutines do. If it has not ended GRACE later, it gets SIGKILL.
// SIGQUIT is blocked in it from the beginning, and answered as soon as the
// program can.
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/test.h"
#include "sched/rt.h"

extern char **environ;

static const int64_t SECOND = 1000000000, GRACE = 3 * SECOND,
                     START_LIMIT = 60 * SECOND;
enum { CHUNK = 64 * 1024, LOW_FD = 10, DRAIN_READS = 64 };

int64_t child_clock(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return ts.tv_sec * SECOND + ts.tv_nsec;
}

static void close_fd(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

// --- What it gets -----------------------------------------------------------
typedef struct Words {
  char **at;
  size_t count;
} Words;

// Owns word. NULL ends the list.
static void add_word(Words *words, char *word) {
  words->at = test_realloc(words->at, (words->count + 1) * sizeof(char *));
  words->at[words->count++] = word;
}

static void free_words(Words *words) {
  for (size_t n = 0; n < words->count; n++) free(words->at[n]);
  free(words->at);
}

static Words make_command(const Test *test) {
  Words words = {0};
  add_word(&words, test_format("cspvm"));
  if (test->kind == TEST_FUNCTION) {
    add_word(&words, test_format("test"));
    add_word(&words, test_format("--child"));
    add_word(&words, test_format("--one=%s", test->name));
  }
  if (test->procs > 0) add_word(&words, test_format("--procs=%d", test->procs));
  add_word(&words, test_format("%s", test->file->path));
  const Expect *expect = &test->file->expect;
  for (size_t n = 0; n < expect->arg_count; n++)
    add_word(&words, test_format("%s", expect->args[n]));
  add_word(&words, NULL);
  return words;
}

static bool sets(Slice setting, const char *variable) {
  size_t len = strcspn(variable, "=") + 1;
  return setting.len >= len && memcmp(setting.text, variable, len) == 0;
}

static Words make_environment(const Child *child) {
  Words words = {0};
  const Slices *given = &child->test->file->expect.env;
  for (char **at = environ; *at != NULL; at++) {
    bool given_anew = sets((Slice){"TMPDIR=", 7}, *at);
    for (size_t n = 0; n < given->count; n++)
      given_anew |= sets(given->at[n], *at);
    if (!given_anew) add_word(&words, test_format("%s", *at));
  }
  add_word(&words, test_format("TMPDIR=%s", child->folder));
  for (size_t n = 0; n < given->count; n++)
    add_word(&words,
             test_format("%.*s", (int)given->at[n].len, given->at[n].text));
  add_word(&words, NULL);
  return words;
}

// A descriptor that is none of those which the child gets.
static int move_up(int fd) {
  if (fd < 0 || fd >= LOW_FD) return fd;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, LOW_FD);
  int error = errno;
  close(fd);
  errno = error;
  return moved;
}

static int make_input(const Expect *expect) {
  int fd = move_up(memfd_create("stdin", MFD_CLOEXEC));
  for (size_t n = 0; n < expect->input.count && fd >= 0; n++) {
    Slice line = expect->input.at[n];
    if (rt_write_all(fd, line.text, line.len) != 0 ||
        rt_write_all(fd, "\n", 1) != 0)
      close_fd(&fd);
  }
  if (fd >= 0) lseek(fd, 0, SEEK_SET);
  return fd;
}

// Gives the end of the child, or -1. *ours is the other one, which does not
// block.
static int make_pipe(int *ours) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  *ours = move_up(ends[0]);
  int theirs = move_up(ends[1]);
  if (*ours < 0 || theirs < 0) {
    close_fd(ours);
    close_fd(&theirs);
    return -1;
  }
  fcntl(*ours, F_SETFL, O_NONBLOCK);
  return theirs;
}

static bool make_folder(Child *child) {
  const char *parent = getenv("TMPDIR");
  if (parent == NULL || *parent == '\0') parent = "/tmp";
  int len = snprintf(child->folder, sizeof child->folder,
                     "%s/cspvm-test-XXXXXX", parent);
  if (len >= (int)sizeof child->folder) errno = ENAMETOOLONG;
  if (len < (int)sizeof child->folder && mkdtemp(child->folder) != NULL)
    return true;
  child->folder[0] = '\0';
  return false;
}

static int remove_one(const char *path, const struct stat *status, int kind,
                      struct FTW *where) {
  (void)status;
  (void)kind;
  (void)where;
  remove(path);
  return 0;
}

// --- Starting ---------------------------------------------------------------
static int spawn_words(int *pid, const int ends[4], char **argv, char **env) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t mask, defaults;
  sigemptyset(&mask);
  sigaddset(&mask, SIGQUIT);
  sigfillset(&defaults);
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                            POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  for (int fd = 0; fd < 4 && error == 0; fd++) {
    if (ends[fd] >= 0)
      error = posix_spawn_file_actions_adddup2(&actions, ends[fd], fd);
  }
  if (error == 0)
    error =
        posix_spawn(pid, "/proc/self/exe", &actions, &attributes, argv, env);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static int spawn(Child *child, const int ends[4]) {
  Words command = make_command(child->test);
  Words environment = make_environment(child);
  int error = spawn_words(&child->pid, ends, command.at, environment.at);
  free_words(&command);
  free_words(&environment);
  return error;
}

// The child's descriptors 0 to 3.
static bool make_ends(Child *child, int ends[4]) {
  bool function = child->test->kind == TEST_FUNCTION;
  ends[0] = make_input(&child->test->file->expect);
  ends[1] = make_pipe(&child->out);
  ends[2] = make_pipe(&child->err);
  ends[BEGAN_FD] = function ? make_pipe(&child->began) : -1;
  return ends[0] >= 0 && ends[1] >= 0 && ends[2] >= 0 &&
         (ends[BEGAN_FD] >= 0 || !function);
}

static int try_start(Child *child) {
  int ends[4];
  if (!make_folder(child)) return errno;
  int error = make_ends(child, ends) ? spawn(child, ends) : errno;
  for (int fd = 0; fd < 4; fd++) close_fd(&ends[fd]);
  if (error != 0) return error;
  child->pid_fd = (int)syscall(SYS_pidfd_open, child->pid, 0);
  if (child->pid_fd >= 0) return 0;
  error = errno;
  child_end(child);
  return error;
}

bool child_start(Child *child, Test *test, const TestOptions *options) {
  *child = (Child){
      .test = test, .pid = -1, .pid_fd = -1, .out = -1, .err = -1, .began = -1};
  int64_t own = test->file->expect.timeout;
  child->limit = own > 0 ? own : options->timeout;
  child->started = child_clock();
  child->deadline = child->started + child->limit;
  child->phase = CHILD_RUNNING;
  if (test->kind == TEST_FUNCTION) {
    child->phase = CHILD_STARTING;
    child->deadline = child->started + START_LIMIT;
  }
  int error = try_start(child);
  if (error == 0) return true;
  test->over = true;
  test->message =
      test_format("    cannot start a process for it: %s\n", strerror(error));
  child_free(child);
  return false;
}

// --- While it runs ----------------------------------------------------------
// What is too much goes from the middle.
static void shrink(Capture *capture) {
  if (capture->len < 4 * (size_t)CAPTURE_KEEP) return;
  size_t drop = capture->len - 2 * (size_t)CAPTURE_KEEP;
  memmove(capture->data + CAPTURE_KEEP,
          capture->data + capture->len - CAPTURE_KEEP, CAPTURE_KEEP);
  capture->len -= drop;
  capture->dropped += drop;
}

// false: there is nothing more for now, or for ever (then *fd is closed).
static bool take_output(int *fd, Capture *capture) {
  if (*fd < 0) return false;
  if (capture->cap - capture->len < CHUNK) {
    capture->cap = capture->cap * 2 + CHUNK;
    capture->data = test_realloc(capture->data, capture->cap);
  }
  ssize_t n = read(*fd, capture->data + capture->len, CHUNK);
  if (n > 0) {
    capture->len += (size_t)n;
    shrink(capture);
    return true;
  }
  if (n == 0 || (errno != EAGAIN && errno != EINTR)) close_fd(fd);
  return false;
}

static void look_at_beginning(Child *child) {
  char byte;
  if (child->began < 0) return;
  ssize_t n = read(child->began, &byte, 1);
  if (n < 0) return;
  close_fd(&child->began);
  if (n == 0 || child->phase != CHILD_STARTING) return;
  child->phase = CHILD_RUNNING;
  child->deadline = child_clock() + child->limit;
}

static void look_at_clock(Child *child) {
  if (child->phase == CHILD_KILLED || child_clock() < child->deadline) return;
  bool first = child->phase != CHILD_ASKED;
  if (first) {
    child->test->message = child->phase == CHILD_STARTING
                               ? test_format("    did not begin within %g s\n",
                                             (double)START_LIMIT / 1e9)
                               : test_format("    timed out after %g s\n",
                                             (double)child->limit / 1e9);
    kill(child->pid, SIGQUIT);
  } else {
    kill(-child->pid, SIGKILL);
  }
  child->phase = first ? CHILD_ASKED : CHILD_KILLED;
  child->deadline = child_clock() + GRACE;
}

void child_look(Child *child) {
  look_at_beginning(child);
  take_output(&child->out, &child->output);
  take_output(&child->err, &child->errors);
  look_at_clock(child);
}

// --- Its end ----------------------------------------------------------------
int child_end(Child *child) {
  siginfo_t info;
  int status = 0;
  // Its pid, and so the group's, is its own until it is reaped.
  kill(-child->pid, SIGKILL);
  while (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR)
    continue;
  while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) continue;
  // A process that left the group may go on writing for ever.
  for (int n = 0; n < DRAIN_READS && take_output(&child->out, &child->output);)
    n++;
  for (int n = 0; n < DRAIN_READS && take_output(&child->err, &child->errors);)
    n++;
  if (child->test != NULL) child->test->took = child_clock() - child->started;
  return status;
}

void child_free(Child *child) {
  close_fd(&child->out);
  close_fd(&child->err);
  close_fd(&child->began);
  close_fd(&child->pid_fd);
  free(child->output.data);
  free(child->errors.data);
  if (child->folder[0] != '\0')
    nftw(child->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  child->test = NULL;
}
