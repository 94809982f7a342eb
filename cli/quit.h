// SPDX-License-Identifier: MIT
// The signals that end the program. Ctrl-\ (SIGQUIT) shows what all goroutines
// do first. Ctrl-C (SIGINT), SIGTERM and SIGHUP end the run as csp_interrupt
// does, so that programs it has started are ended, too, and then the process as
// they would have.
#ifndef CSP_CLI_QUIT_H
#define CSP_CLI_QUIT_H

#include <stdbool.h>

#include "cli/signal_reader.h"
#include "vm/csp.h"

typedef struct QuitWatch {
  Csp *csp;
  SignalReader reader;
  int asked;  // the signal; written by the thread, read when it has ended
} QuitWatch;

// From now on; by the thread that no other was made by yet. ends: all of them,
// else SIGQUIT alone. Without a thread or descriptors for it they do what they
// did before, and so do those that the process was started to ignore.
void quit_begin(QuitWatch *watch, Csp *csp, bool ends);
// The script has ended. The signal that asked for it, or 0.
int quit_end(QuitWatch *watch);
// Ends the process by the signal. Returns if that is ignored.
void quit_die(int number);

#endif
