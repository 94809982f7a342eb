// SPDX-License-Identifier: MIT
// measure FD COMMAND... runs the command and writes to the descriptor FD
// "wall cpu peak status", which are seconds, seconds, KiB, the exit status (128
// + signal if one ended it). A process of its own, as small as it is, because
// the peak memory that Linux counts for a program begins with that of the
// program which started it. A Python script would show up in every figure.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t) {
  return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: measure FD COMMAND...\n");
    return 2;
  }
  int fd = atoi(argv[1]);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  double start = now();
  pid_t pid = fork();
  if (pid < 0) {
    perror("fork");
    return 1;
  }
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a runner that gives up takes us along
    execvp(argv[2], argv + 2);
    fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
    _exit(127);
  }
  int status;
  struct rusage use;
  while (wait4(pid, &status, 0, &use) < 0) {
    if (errno != EINTR) {
      perror("wait4");
      return 1;
    }
  }
  double wall = now() - start;
  if (dprintf(fd, "%.6f %.6f %ld %d\n", wall,
              seconds(use.ru_utime) + seconds(use.ru_stime), use.ru_maxrss,
              WIFEXITED(status) ? WEXITSTATUS(status)
                                : 128 + WTERMSIG(status)) < 0) {
    perror("measure");
    return 1;
  }
  return 0;
}
