// SPDX-License-Identifier: MIT
// The signals of a terminal. A thread of our own reads them
// (signal_reader.h). Ctrl-C goes to the evaluation, or drops the line that is
// edited. A new size, and coming back from a stop, draw that line again. Before
// the process is ended, the terminal gets its old settings back.
#include <signal.h>

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
  for (int number; (number = signal_reader_next(&watch->reader, -1)) != 0;)
    handle(watch->repl, number);
  return NULL;
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
  if (!signal_reader_begin(&watch->reader, &set, run_watch, watch))
    signals_unblock();
}

void signals_end(SignalWatch *watch) { signal_reader_end(&watch->reader); }
