// SPDX-License-Identifier: MIT
// Ctrl-\ (SIGQUIT) shows what all goroutines do, and ends the program.
#ifndef CSP_CLI_QUIT_H
#define CSP_CLI_QUIT_H

#include <pthread.h>
#include <stdbool.h>

#include "vm/csp.h"

typedef struct QuitWatch {
  Csp *csp;
  pthread_t thread;
  int signals, done;  // signalfd, and the eventfd that quit_end writes to
  bool started;
  bool asked;  // written by the thread, read when it has ended
} QuitWatch;

// From now on; by the thread that no other was made by yet. Without a thread
// or descriptors for it SIGQUIT does what it did before.
void quit_begin(QuitWatch *q, Csp *csp);
// The script has ended. true: since somebody asked for it.
bool quit_end(QuitWatch *q);

#endif
