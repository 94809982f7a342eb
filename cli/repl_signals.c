// SPDX-License-Identifier: MIT
// The signals of a terminal. A thread of our own reads them from a descriptor,
// as in quit.c. Ctrl-C goes to the evaluation, or drops the line that is
// edited. A new size, and coming back from a stop, draw that line again. Before
// the process is ended, the terminal gets its old settings back.
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/repl_internal.h"

static sigset_t watched(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGWINCH);
  sigaddset(&set, SIGCONT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  return set;
}

static void end_by(Repl *r, int number) {
  editor_restore_terminal(r->editor);
  signal(number, SIG_DFL);
  signals_unblock();
  raise(number);
}

static void handle(Repl *r, int number) {
  switch (number) {
    case SIGINT:
      repl_interrupt(r);
      break;
    case SIGWINCH:
      editor_poke(r->editor, POKE_RESIZE);
      break;
    case SIGCONT:
      editor_poke(r->editor, POKE_REDRAW);
      break;
    default:
      end_by(r, number);
  }
}

static void *watch(void *arg) {
  SignalWatch *w = arg;
  struct pollfd fds[2] = {{w->signals, POLLIN, 0}, {w->done, POLLIN, 0}};
  struct signalfd_siginfo info;
  for (;;) {
    if (poll(fds, 2, -1) < 0) continue;  // EINTR
    if (fds[1].revents != 0) return NULL;
    if (read(w->signals, &info, sizeof info) == (ssize_t)sizeof info)
      handle(w->repl, (int)info.ssi_signo);
  }
}

void signals_block(void) {
  sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void signals_unblock(void) {
  sigset_t set = watched();
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void signals_begin(SignalWatch *w, Repl *r) {
  *w = (SignalWatch){.repl = r};
  sigset_t set = watched();
  w->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  w->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (w->signals >= 0 && w->done >= 0)
    w->started = pthread_create(&w->thread, NULL, watch, w) == 0;
  if (!w->started) signals_unblock();
}

void signals_end(SignalWatch *w) {
  if (w->started) {
    eventfd_write(w->done, 1);
    pthread_join(w->thread, NULL);
  }
  if (w->signals >= 0) close(w->signals);
  if (w->done >= 0) close(w->done);
}
