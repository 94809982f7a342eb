// SPDX-License-Identifier: MIT
// What tests have started and left behind. os.run gives programs process groups
// of their own, so killing a test's group does not reach them. cspvm test is
// their next parent instead (a child subreaper), and ends all that it has when
// no test runs any more.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/test.h"

// An orphan's own children become ours when it ends.
enum { ROUNDS = 1000 };

void orphans_adopt(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

// Kills all children, and waits for them: how many. (The
// program has one thread. A kernel that does not list them: none.)
static int end_children(void) {
  char path[64];
  long pid;
  int count = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  FILE *file = fopen(path, "re");
  if (file == NULL) return 0;
  while (fscanf(file, "%ld", &pid) == 1) {
    // One that runs as another user stays.
    if (kill((pid_t)pid, SIGKILL) != 0) continue;
    count++;
    while (waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR) continue;
  }
  fclose(file);
  return count;
}

void orphans_end(void) {
  for (int n = 0; n < ROUNDS && end_children() > 0; n++) continue;
}
