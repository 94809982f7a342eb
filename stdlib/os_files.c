// SPDX-License-Identifier: MIT
// All open files of a runtime. At its end, what they have buffered is written,
// and what cannot be written is reported. The list is a runtime's state
// (csp_state) and outlives the files, which link themselves into it (FileLink).
//
// A collected file writes what its descriptor takes at once. The rest (of a
// pipe that nobody reads) is kept here until the end, with the descriptor,
// because the thread that collects must not wait.
//
// `lock` guards all. A thread that holds it only tries to get a file's lock. A
// thread that holds a file's lock does not take it.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stdlib/os.h"

// What a collected file has left. We own all of it.
typedef struct Left {
  struct Left *next;
  int fd;
  char *data, *name;
  size_t at, len;
  bool waits;  // writes at the end may wait
} Left;

struct OpenFiles {
  pthread_mutex_t lock;  // zeroed: ready for use
  Csp *csp;
  FileLink *first;
  Left *left;
};

// --- The list ---------------------------------------------------------------
void os_files_add(CspCall *call, FileLink *link) {
  OpenFiles *files = csp_state(csp_of(call), &os_files_class);
  if (files == NULL) return;  // cannot happen: os_files_install made it
  link->files = files;
  pthread_mutex_lock(&files->lock);
  link->next = files->first;
  link->back = &files->first;
  if (link->next != NULL) link->next->back = &link->next;
  files->first = link;
  pthread_mutex_unlock(&files->lock);
}

void os_files_remove(FileLink *link) {
  if (link->files == NULL) return;
  pthread_mutex_lock(&link->files->lock);
  *link->back = link->next;
  if (link->next != NULL) link->next->back = link->back;
  pthread_mutex_unlock(&link->files->lock);
}

void os_files_report(OpenFiles *files, const char *name, int error) {
  const char *why = error == JOB_WOULD_WAIT
                        ? "nobody reads it, and a stepped runtime never waits"
                        : system_error(error);
  char *text =
      alloc_format(files->csp, "cspvm: cannot write %s: %s\n", name, why);
  if (text == NULL) return;
  csp_report(files->csp, text, strlen(text));
  csp_alloc_free(text);
}

// --- What is left -----------------------------------------------------------
// Returns whether it was blocking before.
static bool set_blocking(int fd, bool blocking) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return false;
  fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
  return (flags & O_NONBLOCK) == 0;
}

// Keeps it until the end. The result is false when there is no memory.
static bool keep_left(OpenFiles *files, const Left *left) {
  Left *kept = csp_alloc(files->csp, NULL, sizeof *kept);
  if (kept == NULL) return false;
  *kept = *left;
  pthread_mutex_lock(&files->lock);
  kept->next = files->left;
  files->left = kept;
  pthread_mutex_unlock(&files->lock);
  return true;
}

static void end_left(OpenFiles *files, Left *left, int error) {
  if (close(left->fd) != 0 && !error && errno != EINTR) error = errno;
  if (error) os_files_report(files, left->name, error);
  csp_alloc_free(left->data);
  csp_alloc_free(left->name);
}

void os_files_leave(OpenFiles *files, int fd, char *data, size_t len,
                    char *name) {
  Left left = {.fd = fd, .data = data, .name = name, .len = len};
  left.waits = set_blocking(fd, false) || !csp_is_stepped(files->csp);
  int error = os_write_some(fd, data, len, &left.at);
  if (error == JOB_WOULD_WAIT && keep_left(files, &left)) return;
  end_left(files, &left, error == JOB_WOULD_WAIT ? EAGAIN : error);
}

// The lock is not held, because this may wait.
static void write_left(OpenFiles *files, Left *left) {
  while (left != NULL) {
    Left *next = left->next;
    if (left->waits) set_blocking(left->fd, true);
    size_t done;
    int error = os_write_some(left->fd, left->data + left->at,
                              left->len - left->at, &done);
    end_left(files, left, error);
    csp_alloc_free(left);
    left = next;
  }
}

// --- The end ----------------------------------------------------------------
static void end_run(Csp *csp) {
  OpenFiles *files = csp_state(csp, &os_files_class);
  if (files == NULL) return;
  pthread_mutex_lock(&files->lock);
  for (FileLink *link = files->first; link != NULL; link = link->next)
    os_file_last_flush(link);
  Left *left = files->left;
  files->left = NULL;
  pthread_mutex_unlock(&files->lock);
  write_left(files, left);
}

static void files_finalize(void *data) {
  OpenFiles *files = data;
  write_left(files, files->left);
}

const CspClass os_files_class = {"open files", files_finalize,
                                 sizeof(OpenFiles), NULL};

bool os_files_install(Csp *csp) {
  if (!csp_register_class(csp, &os_files_class, NULL)) return false;
  OpenFiles *files = csp_state(csp, &os_files_class);
  if (files == NULL) return false;
  files->csp = csp;
  return csp_at_end(csp, end_run);
}
