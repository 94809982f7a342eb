// SPDX-License-Identifier: MIT
// What signals do to a program. They are blocked in all threads, and a thread
// of our own reads them (signal_reader.h). One that the script has taken over
// goes to its channels (os_signals.h). Of the others
//
//   SIGQUIT   asks the runtime for the dump, which works whatever the
//             goroutines do, and interrupts the run
//   SIGINT, SIGTERM, SIGHUP
//             cancel the main goroutine (cancel_main.h), or in the REPL the
//             input that runs. The program then ends by its own deferred calls,
//             for which it has the time of grace. A run that has not ended
//             GRACE_MS later is interrupted
//   the rest  does what it does to any process
//
// A run that is interrupted returns as after csp_interrupt: output is written,
// what CSPDEBUG asked for, too, and programs that were started are ended. These
// have process groups of their own, which a terminal's Ctrl-C does not reach. A
// run that has not ended END_MS after the interrupt is ended with the process.
//
// A second signal that ends programs interrupts the run at once, whether or not
// the script has taken it over. SIGQUIT shows the goroutines then, too. A third
// one ends the process. But timeout(1), say, sends one signal to the process
// and one to its group, and these are one request. So the thread waits for
// SAME_MS before it does anything, and takes what comes meanwhile as the same.
// What comes after the program has noticed the first one is always a second
// one.
//
// A signal that the process was started to ignore does nothing, unless the
// script takes it over. What ends while main is cancelled, but for another
// reason (it returns, exits or panics), keeps its status.
#include "cli/quit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "vm/runtime/cancel_main.h"

enum {
  STATUS_QUIT = 2,
  STATUS_SIGNAL = 128,
  SAME_MS = 50,
  GRACE_MS = 6000,  // a second more than main's deferred calls have
  END_MS = 1000
};

static bool is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static bool asks_for_end(int number) {
  return number == SIGINT || number == SIGTERM || number == SIGHUP;
}

static sigset_t quit_set(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGQUIT);
  return set;
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

int quit_status(int number) { return STATUS_SIGNAL + number; }

void quit_die(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  signal(number, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  raise(number);
}

static _Noreturn void end_now(int number) {
  if (number == SIGQUIT) _exit(STATUS_QUIT);
  quit_die(number);
  _exit(quit_status(number));  // the first process of a container ignores it
}

// --- The thread -------------------------------------------------------------
// What a signal does that nobody has taken over, and that asks for no end.
static void as_ever(int number) {
  if (number == SIGCONT || number == SIGWINCH || is_ignored(number)) return;
  end_now(number);
}

// Is it a signal that is to end the program? Others are dealt with.
static bool is_to_end(const QuitWatch *watch, int number) {
  if (number == SIGQUIT) return true;
  if (asks_for_end(number) && watch->asked != 0) return !is_ignored(number);
  if (watch->scripts != NULL && os_signals_give(watch->scripts, number))
    return false;
  if (asks_for_end(number) && watch->ask != NULL) return !is_ignored(number);
  as_ever(number);
  return false;
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// The next signal that is to end the program. The thread waits for up to ms
// milliseconds, and without end for -1. 0: none came, or the run has ended.
static int next_to_end(const QuitWatch *watch, int ms) {
  int64_t until = now_ms() + ms;
  for (int left = ms; left >= 0 || ms < 0; left = (int)(until - now_ms())) {
    int number = signal_reader_next(&watch->reader, ms < 0 ? -1 : left);
    if (number == 0 || is_to_end(watch, number)) return number;
  }
  return 0;
}

// Whatever comes at the same moment as the first signal is one with it. But
// SIGQUIT asks for more.
static void take_the_same(QuitWatch *watch) {
  int64_t until = now_ms() + SAME_MS;
  int number = watch->asked;
  while (number != 0 && watch->asked != SIGQUIT) {
    int64_t left = until - now_ms();
    number = left > 0 ? next_to_end(watch, (int)left) : 0;
    if (number == SIGQUIT) watch->asked = SIGQUIT;
  }
}

static QuitAnswer cancel_main(void *csp, int status) {
  return vm_cancel_main(csp, status) ? QUIT_ENDS : QUIT_AGAIN;
}

// true: the run has ended. Otherwise there is nothing to wait for, or the time
// is over, or the signal `asked` is a second one.
static bool ask_to_end(QuitWatch *watch) {
  enum { AGAIN_MS = 2 };
  int64_t until = now_ms() + GRACE_MS;
  int again = 0;
  QuitAnswer answer = QUIT_AGAIN;
  while (again == 0 && now_ms() < until &&
         !signal_reader_has_ended(&watch->reader)) {
    answer = watch->ask(watch->arg, quit_status(watch->asked));
    if (answer != QUIT_AGAIN) break;
    again = next_to_end(watch, AGAIN_MS);
  }
  if (answer == QUIT_INTERRUPT) return false;
  int64_t left = until - now_ms();
  if (again == 0 && left > 0) again = next_to_end(watch, (int)left);
  if (again != 0) watch->asked = again;
  return again == 0 && signal_reader_has_ended(&watch->reader);
}

static void interrupt(QuitWatch *watch) {
  watch->interrupted = true;
  csp_interrupt(watch->csp);
  int again = next_to_end(watch, END_MS);
  if (again != 0) end_now(again);
  if (!signal_reader_has_ended(&watch->reader)) end_now(watch->asked);
}

static void *run_watch(void *arg) {
  QuitWatch *watch = arg;
  watch->asked = next_to_end(watch, -1);
  if (watch->asked == 0) return NULL;
  take_the_same(watch);
  if (watch->asked != SIGQUIT && ask_to_end(watch)) return NULL;
  if (watch->asked == SIGQUIT) show_goroutines(watch->csp);
  interrupt(watch);
  return NULL;
}

// --- The beginning and the end ----------------------------------------------
void quit_begin(QuitWatch *watch, Csp *csp, QuitMode mode) {
  *watch = (QuitWatch){.csp = csp, .arg = csp};
  sigset_t set = quit_set();
  if (mode == QUIT_CANCELS) vm_may_cancel_main(csp);
  if (mode == QUIT_CANCELS) watch->ask = cancel_main;
  watch->scripts = os_signals_open(csp);
  os_signals_add(&set);
  bool begun = signal_reader_begin(&watch->reader, &set, run_watch, watch);
  if (!begun && watch->scripts != NULL) os_signals_refuse(watch->scripts);
}

bool quit_begin_host(QuitWatch *watch, Csp *csp, const sigset_t *set,
                     QuitAsk ask, void *arg) {
  *watch = (QuitWatch){.csp = csp, .ask = ask, .arg = arg};
  sigset_t all = *set;
  sigaddset(&all, SIGQUIT);
  return signal_reader_begin(&watch->reader, &all, run_watch, watch);
}

int quit_end(QuitWatch *watch, int status) {
  signal_reader_end(&watch->reader);
  int asked = watch->asked;
  bool by_it =
      watch->interrupted || (asked != 0 && status == quit_status(asked));
  return by_it ? asked : 0;
}
