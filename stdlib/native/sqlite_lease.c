// SPDX-License-Identifier: MIT
// The module sqlite: files on which another process has a lease (fcntl(2),
// F_SETLEASE). To open one waits until the lease is given back, for ever
// perhaps, and nothing can end that wait.
//
// So the function by which the library opens files is replaced, once for the
// process. In a run the new one does not wait, and the run says that the file
// is busy. Then the call tries again later, as with a locked database. To ask
// beforehand, with a descriptor of one's own, is no way, because closing that
// gives all locks up that the process has on the file (fcntl(2)).
//
// A thread that is not in a run, because a host uses the library, too, waits as
// before.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

#include "stdlib/native/sqlite.h"

typedef int (*OpenFile)(const char *path, int flags, int mode);

// Written once, before a run begins.
static OpenFile former;

// Of this thread's run.
static _Thread_local bool runs, leased;

// After the first such file all opens of the run fail, or the library would
// open it anew, to read only.
static int open_or_fail(const char *path, int flags, int mode) {
  if (!runs) return former(path, flags, mode);
  if (leased) {
    errno = EAGAIN;
    return -1;
  }
  // Reads and writes of files do not mind the flag.
  int fd = former(path, flags | O_NONBLOCK, mode);
  leased = fd < 0 && errno == EAGAIN;
  return fd;
}

static void replace_open(void) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
  if (vfs == NULL || vfs->iVersion < 3 || vfs->xGetSystemCall == NULL) return;
  former = (OpenFile)vfs->xGetSystemCall(vfs, "open");
  if (former != NULL)
    vfs->xSetSystemCall(vfs, "open", (sqlite3_syscall_ptr)open_or_fail);
}

void sql_open_unleased(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, replace_open);
}

void sql_lease_begin(void) {
  runs = true;
  leased = false;
}

void sql_lease_end(SqlRun *run) {
  runs = false;
  bool well = run->code == SQLITE_OK || run->code == SQLITE_ROW ||
              run->code == SQLITE_DONE;
  if (leased && !well) run->code = SQLITE_BUSY;
}
