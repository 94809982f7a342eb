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

static void end_by(Repl *repl, int number) {
  editor_restore_terminal(repl->editor);
  signal(number, SIG_DFL);
  signals_unblock();
  raise(number);
}

static void handle(Repl *repl, int number) {
  switch (number) {
    case SIGINT:
      repl_interrupt(repl);
      break;
    case SIGWINCH:
      editor_poke(repl->editor, POKE_RESIZE);
      break;
    case SIGCONT:
      editor_poke(repl->editor, POKE_REDRAW);
      break;
    default:
      end_by(repl, number);
  }
}

static void *run_watch(void *arg) {
  SignalWatch *watch = arg;
  struct pollfd fds[2] = {{watch->signals, POLLIN, 0},
                          {watch->done, POLLIN, 0}};
  struct signalfd_siginfo info;
  for (;;) {
    if (poll(fds, 2, -1) < 0) continue;  // EINTR
    if (fds[1].revents != 0) return NULL;
    if (read(watch->signals, &info, sizeof info) == (ssize_t)sizeof info)
      handle(watch->repl, (int)info.ssi_signo);
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

void signals_begin(SignalWatch *watch, Repl *repl) {
  *watch = (SignalWatch){.repl = repl};
  sigset_t set = watched();
  watch->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  watch->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (watch->signals >= 0 && watch->done >= 0)
    watch->started =
        pthread_create(&watch->thread, NULL, run_watch, watch) == 0;
  if (!watch->started) signals_unblock();
}

void signals_end(SignalWatch *watch) {
  if (watch->started) {
    eventfd_write(watch->done, 1);
    pthread_join(watch->thread, NULL);
  }
  if (watch->signals >= 0) close(watch->signals);
  if (watch->done >= 0) close(watch->done);
}
