// SPDX-License-Identifier: MIT
// A thread that reads signals from a descriptor; see signal_reader.h.
#include "cli/signal_reader.h"

#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

bool signal_reader_begin(SignalReader *reader, const sigset_t *set,
                         void *(*run)(void *arg), void *arg) {
  memset(reader, 0, sizeof *reader);
  reader->signals = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
  reader->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (reader->signals < 0 || reader->done < 0) return false;
  pthread_sigmask(SIG_BLOCK, set, NULL);
  reader->started = pthread_create(&reader->thread, NULL, run, arg) == 0;
  if (!reader->started) pthread_sigmask(SIG_UNBLOCK, set, NULL);
  return reader->started;
}

int signal_reader_next(const SignalReader *reader, int ms) {
  struct pollfd fds[2] = {{reader->signals, POLLIN, 0},
                          {reader->done, POLLIN, 0}};
  struct signalfd_siginfo info;
  for (;;) {
    int ready = poll(fds, 2, ms);
    if (ready < 0) continue;  // EINTR
    if (ready == 0 || fds[1].revents != 0) return 0;
    // else another thread has taken the signal
    if (read(reader->signals, &info, sizeof info) == (ssize_t)sizeof info)
      return (int)info.ssi_signo;
  }
}

bool signal_reader_has_ended(const SignalReader *reader) {
  struct pollfd done = {reader->done, POLLIN, 0};
  return poll(&done, 1, 0) > 0;
}

void signal_reader_end(SignalReader *reader) {
  if (reader->started) {
    eventfd_write(reader->done, 1);
    pthread_join(reader->thread, NULL);
  }
  if (reader->signals >= 0) close(reader->signals);
  if (reader->done >= 0) close(reader->done);
}
