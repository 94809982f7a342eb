// SPDX-License-Identifier: MIT
// Temporary files and folders, with names that nobody can foresee.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stdlib/os.h"

enum { RANDOM_LETTERS = 10, TEMP_TRIES = 100 };

// Overwrites the letters at the end of the name. false: errno says why not.
static bool draw_letters(char *letters) {
  static const char all[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  unsigned char random[RANDOM_LETTERS];
  if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
    return false;
  for (int i = 0; i < RANDOM_LETTERS; i++)
    letters[i] = all[random[i] % (sizeof all - 1)];
  return true;
}

// `flag` asks for a folder. A name that is there already is never taken, not
// even a link.
static int make_act(Job *job, const CspPlace *at) {
  if (job->flag) return mkdirat(at->folder, at->name, 0700);
  int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int fd = csp_above_streams(openat(at->folder, at->name, flags, 0600));
  return fd < 0 ? -1 : close(fd);
}

// `path` is the beginning of the name and `other` its folder. The result is in
// `data`.
static void temp_work(void *data) {
  Job *job = data;
  csp_alloc_free(job->data);
  job->data = alloc_format(job->csp, "%s/%s%*s", job->other, job->path,
                           RANDOM_LETTERS, "");
  if (job->data == NULL) {
    job->error = ENOMEM;
    return;
  }
  job->len = strlen(job->data);
  for (int n = 0; n < TEMP_TRIES; n++) {
    job->error = 0;
    if (!draw_letters(job->data + job->len - RANDOM_LETTERS)) {
      job->error = errno;
    } else {
      job_act(job, job->data, make_act);
    }
    if (job->error != EEXIST && job->error != EINTR) return;
  }
}

// The folder of temporary files. NULL: the call has panicked.
static char *usual_folder(CspCall *call) {
  if (!csp_has_root(csp_of(call))) return os_env_temp(call);
  char *folder = alloc_text(csp_of(call), "/tmp");
  if (folder == NULL) csp_panic_memory(call);
  return folder;
}

static CspStatus make_temp(CspCall *call, bool folder) {
  Str prefix;
  if (!opt_str(call, 0, "csp-", &prefix)) return CSP_PANIC;
  Job *job = job_new_for(call, "make temporary", prefix);
  if (job == NULL) return CSP_PANIC;
  job->flag = folder;
  bool own = is_nil(call, 1);
  if (own) job->other = usual_folder(call);
  if (own ? job->other == NULL : !job_other(call, job, 1)) {
    job_free(job);
    return CSP_PANIC;
  }
  return job_run(call, job, temp_work, job_done_text);
}

// A new, empty file: (path, nil) or (nil, error).
CspStatus os_temp_file(CspCall *call) { return make_temp(call, false); }

// A new, empty directory: (path, nil) or (nil, error).
CspStatus os_temp_dir(CspCall *call) { return make_temp(call, true); }
