// SPDX-License-Identifier: MIT
// The signals of a program: which end it, and how. Ctrl-\ (SIGQUIT) shows what
// all goroutines do, and ends it. See quit.c for the others.
#ifndef CSP_CLI_QUIT_H
#define CSP_CLI_QUIT_H

#include <stdbool.h>

#include "cli/os_signals.h"
#include "cli/signal_reader.h"
#include "vm/csp.h"

typedef enum QuitMode {
  QUIT_AT_ONCE,  // but for SIGQUIT they do what they do to any process
  QUIT_CANCELS,  // SIGINT, SIGTERM and SIGHUP cancel the main goroutine
} QuitMode;

// What the run does when a signal asks for its end.
typedef enum QuitAnswer {
  QUIT_ENDS,       // it ends by itself, with the status of the signal
  QUIT_AGAIN,      // ask again
  QUIT_INTERRUPT,  // it has nothing to clean up
} QuitAnswer;
typedef QuitAnswer (*QuitAsk)(void *arg, int status);

typedef struct QuitWatch {
  Csp *csp;
  QuitAsk ask;  // NULL: QUIT_AT_ONCE
  void *arg;
  OsSignals *scripts;  // NULL: scripts take none over
  SignalReader reader;
  int asked;  // the signal; written by the thread, read when it has ended
  bool interrupted;  // the run was; as asked
} QuitWatch;

// From now on; before csp_run, by the thread that no other was made by yet.
// Scripts can take signals over by os.signals. Without a thread or descriptors
// for it they do what they did before.
void quit_begin(QuitWatch *watch, Csp *csp, QuitMode mode);
// The same for a host whose scripts take none over. Those of the set (of
// SIGINT, SIGTERM and SIGHUP) ask it to end, by the thread that reads them.
// false: there is no such thread.
bool quit_begin_host(QuitWatch *watch, Csp *csp, const sigset_t *set,
                     QuitAsk ask, void *arg);
// The script has ended with that status. The signal that has ended it, or 0.
int quit_end(QuitWatch *watch, int status);
// Ends the process by the signal. Returns if that is ignored.
void quit_die(int number);
// The exit status that shells show for it.
int quit_status(int number);

#endif
