// SPDX-License-Identifier: MIT
// SIGQUIT is blocked in all threads and read from a descriptor by one of our
// own, so nothing runs in a signal handler. That thread asks the runtime for
// the dump, which works whatever the goroutines do, and then to end: csp_run
// returns as after csp_interrupt, so that output and what CSPDEBUG asked for
// is written. A program that has not ended a second later, or gets the signal
// again, is ended at once.
#include "cli/quit.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { STATUS_QUIT = 2, END_MS = 1000 };

static sigset_t quit_set(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGQUIT);
  return set;
}

// true: the signal came; false: the script has ended, or the time has passed.
static bool wait_for_signal(const QuitWatch *q, int ms) {
  struct pollfd fds[2] = {{q->signals, POLLIN, 0}, {q->done, POLLIN, 0}};
  struct signalfd_siginfo info;
  int ready;
  do {
    ready = poll(fds, 2, ms);
  } while (ready < 0);  // EINTR
  if (ready == 0 || fds[1].revents != 0) return false;
  return read(q->signals, &info, sizeof info) == (ssize_t)sizeof info;
}

static bool has_ended(const QuitWatch *q) {
  struct pollfd done = {q->done, POLLIN, 0};
  return poll(&done, 1, 0) > 0;
}

// A dump that never comes can be ended by the signal: as before, with a core.
static void show_goroutines(Csp *csp) {
  sigset_t set = quit_set();
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  char *text = csp_dump_goroutines(csp);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  fputs("SIGQUIT: quit\n", stderr);
  fputs(text != NULL ? text : "\nno goroutine runs\n", stderr);
  free(text);
}

static void *watch(void *arg) {
  QuitWatch *q = arg;
  if (!wait_for_signal(q, -1)) return NULL;
  q->asked = true;
  show_goroutines(q->csp);
  csp_interrupt(q->csp);
  if (wait_for_signal(q, END_MS) || !has_ended(q)) _exit(STATUS_QUIT);
  return NULL;
}

void quit_begin(QuitWatch *q, Csp *csp) {
  memset(q, 0, sizeof *q);
  q->csp = csp;
  sigset_t set = quit_set();
  q->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  q->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (q->signals >= 0 && q->done >= 0) {
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    q->started = pthread_create(&q->thread, NULL, watch, q) == 0;
    if (!q->started) pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  }
}

bool quit_end(QuitWatch *q) {
  if (q->started) {
    eventfd_write(q->done, 1);
    pthread_join(q->thread, NULL);
  }
  if (q->signals >= 0) close(q->signals);
  if (q->done >= 0) close(q->done);
  return q->asked;
}
