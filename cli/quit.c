// SPDX-License-Identifier: MIT
// How signals end the program. They are blocked in all threads, and a thread of
// our own reads them (signal_reader.h).
//
// On SIGQUIT that thread asks the runtime for the dump first, which works
// whatever the goroutines do. Then, and on every other signal, it asks the
// runtime to end. csp_run returns as after csp_interrupt: output is written,
// what CSPDEBUG asked for, too, and programs that were started are ended. These
// have process groups of their own, which a terminal's Ctrl-C does not reach. A
// program that has not ended a second later, or gets another signal, is ended
// at once. A second signal that comes with the first is the same request:
// timeout(1), say, sends one to the process and one to its group.
#include "cli/quit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_QUIT = 2, END_MS = 1000, SAME_MS = 100 };

static bool is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static sigset_t watched_set(bool ends) {
  static const int others[] = {SIGINT, SIGTERM, SIGHUP};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGQUIT);
  for (int n = 0; ends && n < 3; n++)
    if (!is_ignored(others[n])) sigaddset(&set, others[n]);
  return set;
}

// A dump that never comes can be ended by the signal: as before, with a core.
static void show_goroutines(Csp *csp) {
  sigset_t set = watched_set(false);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  char *text = csp_dump_goroutines(csp);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  fputs("SIGQUIT: quit\n", stderr);
  fputs(text != NULL ? text : "\nno goroutine runs\n", stderr);
  free(text);
}

void quit_die(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  signal(number, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  raise(number);
}

static _Noreturn void end_now(int number) {
  if (number != SIGQUIT) quit_die(number);
  _exit(STATUS_QUIT);
}

static void *run_watch(void *arg) {
  QuitWatch *watch = arg;
  watch->asked = signal_reader_next(&watch->reader, -1);
  if (watch->asked == 0) return NULL;
  if (watch->asked == SIGQUIT) show_goroutines(watch->csp);
  csp_interrupt(watch->csp);
  signal_reader_next(&watch->reader, SAME_MS);
  int again = signal_reader_has_ended(&watch->reader)
                  ? 0
                  : signal_reader_next(&watch->reader, END_MS);
  if (again != 0 || !signal_reader_has_ended(&watch->reader))
    end_now(again != 0 ? again : watch->asked);
  return NULL;
}

void quit_begin(QuitWatch *watch, Csp *csp, bool ends) {
  memset(watch, 0, sizeof *watch);
  watch->csp = csp;
  sigset_t set = watched_set(ends);
  signal_reader_begin(&watch->reader, &set, run_watch, watch);
}

int quit_end(QuitWatch *watch) {
  signal_reader_end(&watch->reader);
  return watch->asked;
}
