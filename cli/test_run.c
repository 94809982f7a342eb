// SPDX-License-Identifier: MIT
// Runs tests, several at a time, and says in their order how each ended.
//
// One thread, one loop: it sleeps until a process has written something or has
// ended, a time is up, or a signal asks for the end. The tests are started in
// their order; `next` is the first that has not been, `reported` the first that
// has not been told of.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/test.h"

enum { FDS_EACH = 4 };

typedef struct Runner {
  Tests *tests;
  const TestOptions *options;
  Child *children;  // options->jobs
  struct pollfd *fds;
  size_t next, reported;
  int running;
  int signals;  // a signalfd
} Runner;

// --- How a test ended -------------------------------------------------------
// The lines of the report. There are none if a file did what was expected.
static void describe(FILE *out, const Child *child, int status) {
  const Test *test = child->test;
  if (test->message != NULL) {
    fputs(test->message, out);
  } else if (test->kind == TEST_EXPECT) {
    compare_run(out, &test->file->expect, status, &child->output,
                &child->errors);
    return;
  } else if (status != 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 1 ||
                             child->errors.len == 0)) {
    // A panic, with status 1, has said so itself.
    fputs("    ", out);
    show_status(out, status);
    putc('\n', out);
  }
  show_capture(out, &child->output);
  show_capture(out, &child->errors);
}

static void judge(const Child *child, int status) {
  Test *test = child->test;
  char *text = NULL;
  size_t len = 0;
  bool timed_out = test->message != NULL;
  FILE *out = open_memstream(&text, &len);
  if (out == NULL) test_no_memory();
  describe(out, child, status);
  if (fclose(out) != 0) test_no_memory();
  test->passed =
      !timed_out && (test->kind == TEST_EXPECT ? len == 0 : status == 0);
  test->over = true;
  free(test->message);
  test->message = text;
}

// --- The loop ---------------------------------------------------------------
static bool runs(const Test *test) {
  return test->kind == TEST_FUNCTION || test->kind == TEST_EXPECT ||
         test->kind == TEST_SCRIPT;
}

static void start_some(Runner *runner) {
  for (int n = 0; n < runner->options->jobs; n++) {
    Child *child = &runner->children[n];
    while (child->test == NULL && runner->next < runner->tests->count) {
      Test *test = &runner->tests->at[runner->next++];
      if (!runs(test)) {
        test->over = true;
      } else if (child_start(child, test, runner->options)) {
        runner->running++;
      }
    }
  }
}

static int milliseconds_left(const Runner *runner) {
  int64_t now = child_clock(), least = INT64_MAX;
  for (int n = 0; n < runner->options->jobs; n++) {
    const Child *child = &runner->children[n];
    if (child->test == NULL || child->phase == CHILD_KILLED) continue;
    if (child->deadline - now < least) least = child->deadline - now;
  }
  if (least == INT64_MAX) return -1;
  if (least < 0) return 0;
  int64_t ms = least / 1000000 + 1;
  return ms < 3600000 ? (int)ms : 3600000;
}

static void wait_for_something(Runner *runner) {
  runner->fds[0] = (struct pollfd){runner->signals, POLLIN, 0};
  for (int n = 0; n < runner->options->jobs; n++) {
    const Child *child = &runner->children[n];
    bool runs_now = child->test != NULL;
    int fds[FDS_EACH] = {child->pid_fd, child->out, child->err, child->began};
    for (int i = 0; i < FDS_EACH; i++)
      runner->fds[1 + n * FDS_EACH + i] =
          (struct pollfd){runs_now ? fds[i] : -1, POLLIN, 0};
  }
  nfds_t count = 1 + (nfds_t)runner->options->jobs * FDS_EACH;
  if (poll(runner->fds, count, milliseconds_left(runner)) >= 0) return;
  for (nfds_t n = 0; n < count; n++) runner->fds[n].revents = 0;  // EINTR
}

static void look_at_children(Runner *runner) {
  for (int n = 0; n < runner->options->jobs; n++) {
    Child *child = &runner->children[n];
    if (child->test == NULL) continue;
    bool ended = runner->fds[1 + n * FDS_EACH].revents != 0;
    if (!ended) {
      child_look(child);
      continue;
    }
    int status = child_end(child);
    judge(child, status);
    child_free(child);
    runner->running--;
  }
}

static void end_all(Runner *runner) {
  for (int n = 0; n < runner->options->jobs; n++) {
    Child *child = &runner->children[n];
    if (child->test == NULL) continue;
    child_end(child);
    child_free(child);
  }
}

static int asked_to_end(const Runner *runner) {
  struct signalfd_siginfo info;
  if (runner->fds[0].revents == 0) return 0;
  if (read(runner->signals, &info, sizeof info) != (ssize_t)sizeof info)
    return 0;
  return (int)info.ssi_signo;
}

static int loop(Runner *runner, void (*done)(void *arg, const Test *test),
                void *arg) {
  for (;;) {
    start_some(runner);
    const Tests *tests = runner->tests;
    while (runner->reported < tests->count && tests->at[runner->reported].over)
      done(arg, &tests->at[runner->reported++]);
    // Nobody reads the report any more.
    int number = ferror(stdout) ? SIGPIPE : 0;
    if (number == 0 && runner->running == 0) return 0;
    if (number == 0) {
      wait_for_something(runner);
      number = asked_to_end(runner);
    }
    if (number != 0) {
      end_all(runner);
      return number;
    }
    look_at_children(runner);
  }
}

int tests_run(Tests *tests, const TestOptions *options,
              void (*done)(void *arg, const Test *test), void *arg) {
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  sigset_t set, before;
  sigemptyset(&set);
  for (size_t n = 0; n < sizeof ends / sizeof *ends; n++) {
    struct sigaction action;  // nohup wants SIGHUP to be ignored
    if (sigaction(ends[n], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&set, ends[n]);
  }
  sigprocmask(SIG_BLOCK, &set, &before);
  signal(SIGCHLD, SIG_DFL);  // ignored ones leave no status
  signal(SIGPIPE, SIG_IGN);
  size_t jobs = (size_t)options->jobs;
  Runner r = {.tests = tests,
              .options = options,
              .children = test_realloc(NULL, jobs * sizeof(Child)),
              .fds = test_realloc(NULL, (1 + jobs * FDS_EACH) * sizeof *r.fds),
              .signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
  for (size_t n = 0; n < jobs; n++) r.children[n].test = NULL;
  orphans_adopt();
  int ended_by = loop(&r, done, arg);
  orphans_end();
  if (r.signals >= 0) close(r.signals);
  free(r.children);
  free(r.fds);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return ended_by;
}
