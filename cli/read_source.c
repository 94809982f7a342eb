// SPDX-License-Identifier: MIT
// Reading a script whole (read_source.h).
#include "cli/read_source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lang/source.h"

typedef struct Reading {
  int fd;
  const SourceStop *stop;  // or NULL: reads may wait
  char *text;
  size_t len, cap;
} Reading;

// A FIFO that nobody has written yet is not at its end: it can be read when
// somebody has. 0, or an errno.
static int wait_for_more(const Reading *reading) {
  enum { LOOK = 20 };  // ms
  while (reading->stop != NULL) {
    struct pollfd now = {reading->fd, POLLIN, 0};
    if (reading->stop->is_wanted(reading->stop->arg)) return ECANCELED;
    int ready = poll(&now, 1, LOOK);
    if (ready > 0 || (ready < 0 && errno != EINTR)) break;
  }
  return 0;
}

// A zero byte after the text has room.
static int make_room(Reading *reading) {
  if (reading->cap - reading->len >= 2) return 0;
  size_t cap = reading->cap > 0 ? reading->cap * 2 : 64 * 1024;
  char *more = realloc(reading->text, cap);
  if (more == NULL) return ENOMEM;
  reading->text = more;
  reading->cap = cap;
  return 0;
}

// Another reader of the FIFO may have been faster, or standard input is one
// that never waits, as some parents make it.
static bool is_retried(const Reading *reading) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;
  struct pollfd now = {reading->fd, POLLIN, 0};
  if (reading->stop == NULL) poll(&now, 1, -1);
  return true;
}

// 0, or an errno. It stops after the piece that is over SOURCE_MAX.
static int read_all(Reading *reading) {
  ssize_t n = 1;
  while (n != 0 && reading->len <= SOURCE_MAX) {
    int error = make_room(reading);
    if (!error) error = wait_for_more(reading);
    if (error) return error;
    size_t room = reading->cap - reading->len - 1;
    n = read(reading->fd, reading->text + reading->len, room);
    if (n < 0 && !is_retried(reading)) return errno;
    if (n > 0) reading->len += (size_t)n;
  }
  reading->text[reading->len] = '\0';
  return reading->len > SOURCE_MAX ? EFBIG : 0;
}

int source_load(const char *path, const SourceStop *stop, char **text,
                size_t *len) {
  bool standard = strcmp(path, "-") == 0;
  int flags = O_RDONLY | O_CLOEXEC | (stop != NULL ? O_NONBLOCK : 0);
  Reading reading = {.fd = standard ? STDIN_FILENO : open(path, flags),
                     .stop = stop};
  *text = NULL;
  *len = 0;
  if (reading.fd < 0) return errno;
  int error = read_all(&reading);
  if (!standard) close(reading.fd);
  if (error) {
    free(reading.text);
    return error;
  }
  *text = reading.text;
  *len = reading.len;
  return 0;
}

const char *source_error(int error) {
  return error == EFBIG ? source_too_long : strerror(error);
}

bool source_read(const char *path, char **text, size_t *len) {
  int error = source_load(path, NULL, text, len);
  if (error == 0) return true;
  fprintf(stderr, "cspvm: cannot read %s: %s\n", path, source_error(error));
  return false;
}
