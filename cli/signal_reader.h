// SPDX-License-Identifier: MIT
// A thread that reads signals from a descriptor, so that nothing runs in a
// signal handler. Source: signalfd(2).
#ifndef CSP_CLI_SIGNAL_READER_H
#define CSP_CLI_SIGNAL_READER_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

typedef struct SignalReader {
  pthread_t thread;
  int signals, done;  // signalfd, and the eventfd that ends the thread
  bool started;
} SignalReader;

// Blocks the signals of the set in the calling thread, and so in those that it
// starts later, and starts a thread that runs that. false: it is not started,
// for want of descriptors or threads, and the signals are not blocked.
bool signal_reader_begin(SignalReader *reader, const sigset_t *set,
                         void *(*run)(void *arg), void *arg);
// The next signal. The thread blocks for up to ms milliseconds, and without end
// for -1. 0: the time has passed, or signal_reader_end was called.
int signal_reader_next(const SignalReader *reader, int ms);
// Whether signal_reader_end was called. By the thread.
bool signal_reader_has_ended(const SignalReader *reader);
// Ends the thread and waits for it. The signals stay blocked.
void signal_reader_end(SignalReader *reader);

#endif
