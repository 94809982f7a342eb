// SPDX-License-Identifier: MIT
// The signals of the REPL. Two threads of our own read them (signal_reader.h).
//
// The one of quit.c has those that end it. They cancel the input that runs, so
// that its deferred calls run, and drop the line that is edited. The other is
// there on a terminal. Ctrl-C goes to the evaluation, or drops the line that is
// edited. A new size, and coming back from a stop, draw that line again.
// Without a terminal SIGINT is one of those that end.
#include <signal.h>

#include "cli/repl_internal.h"

static sigset_t of_terminal(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGWINCH);
  sigaddset(&set, SIGCONT);
  return set;
}

static sigset_t of_end(bool terminal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  if (!terminal) sigaddset(&set, SIGINT);
  return set;
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
      rt_throw("the REPL waits for no signal %d", number);
  }
}

static void *run_watch(void *arg) {
  SignalWatch *watch = arg;
  for (int number; (number = signal_reader_next(&watch->reader, -1)) != 0;)
    handle(watch->repl, number);
  return NULL;
}

static void mask(int how, sigset_t set) { pthread_sigmask(how, &set, NULL); }

void signals_block(void) {
  mask(SIG_BLOCK, of_terminal());
  mask(SIG_BLOCK, of_end(true));
}

void signals_unblock(void) {
  mask(SIG_UNBLOCK, of_terminal());
  mask(SIG_UNBLOCK, of_end(true));
}

void signals_begin(SignalWatch *watch, Repl *repl) {
  *watch = (SignalWatch){.repl = repl};
  bool terminal = repl->editor != NULL;
  sigset_t end = of_end(terminal), drawn = of_terminal();
  bool begun =
      quit_begin_host(&watch->quit, repl->csp, &end, repl_ask_to_end, repl);
  if (!begun && terminal) mask(SIG_UNBLOCK, end);
  if (!terminal) return;
  if (!signal_reader_begin(&watch->reader, &drawn, run_watch, watch))
    mask(SIG_UNBLOCK, drawn);
}

int signals_end(SignalWatch *watch, int status) {
  if (watch->repl->editor != NULL) signal_reader_end(&watch->reader);
  return quit_end(&watch->quit, status);
}
