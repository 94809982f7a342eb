// SPDX-License-Identifier: MIT
// The module postgres: the standard streams of a process that has closed them.
//
// libpq makes its sockets itself. One could become the process's standard
// output, and then the server would get what the host prints. So descriptors 0
// to 2 are taken while a thread is where libpq makes sockets, and free
// afterwards. They are /dev/null in the wrong direction, so that using them
// fails as before. Several threads may be there at once: the first takes them,
// the last gives them back.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "stdlib/native/postgres.h"

// The process's, as its descriptors are. The lock guards the others.
static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;
static int streams_users;
static bool streams_taken[STDERR_FILENO + 1];

// The result is false where fd has become another's meanwhile.
static bool take_stream(int fd) {
  int flags = (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC;
  if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) return false;
  int got = open("/dev/null", flags);  // fd is the lowest free one
  if (got == fd) return true;
  if (got >= 0) close(got);
  return false;
}

// Whether it is still ours. The host may have put its own there meanwhile,
// which exec would not close.
static bool is_ours(int fd) {
  struct stat info;
  int flags = fcntl(fd, F_GETFD);
  return flags >= 0 && (flags & FD_CLOEXEC) != 0 && fstat(fd, &info) == 0 &&
         S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3);
}

void pg_streams_take(void) {
  pthread_mutex_lock(&streams_lock);
  for (int fd = 0; streams_users == 0 && fd <= STDERR_FILENO; fd++)
    streams_taken[fd] = take_stream(fd);
  streams_users++;
  pthread_mutex_unlock(&streams_lock);
}

void pg_streams_give(void) {
  pthread_mutex_lock(&streams_lock);
  streams_users--;
  for (int fd = 0; streams_users == 0 && fd <= STDERR_FILENO; fd++)
    if (streams_taken[fd] && is_ours(fd)) close(fd);
  pthread_mutex_unlock(&streams_lock);
}
