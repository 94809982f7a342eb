// SPDX-License-Identifier: MIT
// Jobs: how the functions of os run what may block (csp_block) and tell how it
// went.
#include "stdlib/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void job_free(Job *job) {
  free(job->path);
  free(job->other);
  free(job->data);
  free(job->extra);
  free(job);
}

// A copy of a path; a zero byte in it would cut it.
static char *copy_path(Job *job, Str s) {
  if (memchr(s.data, '\0', s.len)) job->error = EINVAL;
  return strndup(s.data, s.len);
}

Job *job_new_for(CspCall *call, const char *verb, Str path) {
  Job *job = calloc(1, sizeof *job);
  if (job) job->path = copy_path(job, path);
  if (!job || !job->path) {
    free(job);
    csp_panic_memory(call);
    return NULL;
  }
  job->verb = verb;
  job->most = csp_room(call);
  return job;
}

Job *job_new(CspCall *call, const char *verb, int i) {
  Str path;
  return need_str(call, i, &path) ? job_new_for(call, verb, path) : NULL;
}

bool job_other(CspCall *call, Job *job, int i) {
  Str other;
  if (!need_str(call, i, &other)) return false;
  job->other = copy_path(job, other);
  if (!job->other) csp_panic_memory(call);
  return job->other != NULL;
}

bool job_data(CspCall *call, Job *job, int i) {
  CspValue v = csp_arg(call, i);
  bool is_string = csp_type(v) == CSP_STRING;
  if (!is_string && csp_type(v) != CSP_BYTES) {
    csp_bad_arg(call, i, "a string or bytes");
    return false;
  }
  size_t len = is_string ? str_of(v).len : csp_bytes_len(v);
  job->data = malloc(len + 1);
  if (!job->data) {
    csp_panic_memory(call);
    return false;
  }
  if (is_string) memcpy(job->data, str_of(v).data, len);
  job->len = is_string ? len : csp_bytes_read(v, 0, job->data, len);
  csp_charge(call, len / 256);
  return true;
}

static CspStatus job_end(CspCall *call, void *data, bool made) {
  Job *job = data;
  if (!made) job->error = JOB_NO_THREAD;
  return job->done(call, job);
}

CspStatus job_block(CspCall *call, void (*work)(void *data),
                    CspStatus (*done)(CspCall *call, void *data), Job *job) {
  job->done = done;
  return csp_block(call, work, job_end, job);
}

CspStatus job_run(CspCall *call, Job *job, void (*work)(void *data),
                  CspStatus (*done)(CspCall *call, void *data)) {
  return job->error ? done(call, job) : job_block(call, work, done, job);
}

// --- Results ----------------------------------------------------------------
CspValue job_error(CspCall *call, const Job *job) {
  char room[128];
  Buffer text = {0};
  const char *what =
      job->error == EBADF           ? "the file is closed, or not open for that"
      : job->error == JOB_NO_THREAD ? csp_no_thread()
                                    : strerror_r(job->error, room, sizeof room);
  const char *pieces[] = {"cannot ",
                          job->verb,
                          " ",
                          job->path,
                          job->other ? " to " : "",
                          job->other ? job->other : "",
                          ": ",
                          what};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    buffer_add(&text, pieces[i], strlen(pieces[i]));
  }
  CspValue message = buffer_string(call, &text);
  return csp_is_undef(message) ? message : csp_error(call, message, csp_nil());
}

CspStatus job_fail(CspCall *call, Job *job) {
  CspValue error = job_error(call, job);
  job_free(job);
  csp_return(call, csp_nil());
  return csp_ok(call, error);
}

CspStatus job_done_err(CspCall *call, void *data) {
  Job *job = data;
  CspValue error = job->error ? job_error(call, job) : csp_nil();
  job_free(job);
  return csp_ok(call, error);
}

CspStatus job_done_string(CspCall *call, void *data) {
  Job *job = data;
  if (job->error) return job_fail(call, job);
  CspValue v = csp_string(call, job->data ? job->data : "", job->len);
  csp_charge(call, job->len / 256);
  job_free(job);
  return csp_ok_value(call, v);
}

CspStatus job_done_bytes(CspCall *call, void *data) {
  Job *job = data;
  if (job->error) return job_fail(call, job);
  CspValue v = csp_bytes(call, job->data, job->len);
  csp_charge(call, job->len / 256);
  job_free(job);
  return csp_ok_value(call, v);
}

CspStatus job_done_flag(CspCall *call, void *data) {
  Job *job = data;
  bool flag = job->flag;
  if (job->error == JOB_NO_THREAD)
    csp_panic(call, "cannot %s %s: %s", job->verb, job->path, csp_no_thread());
  bool made = job->error != JOB_NO_THREAD;
  job_free(job);
  return made ? csp_ok_bool(call, flag) : CSP_PANIC;
}

CspStatus job_done_list(CspCall *call, void *data) {
  Job *job = data;
  if (job->error) return job_fail(call, job);
  CspValue list = csp_list(call, 8);
  bool ok = !csp_is_undef(list);
  for (size_t at = 0; ok && at < job->len;) {
    size_t len = strlen(job->data + at);
    ok = csp_list_push(call, list, csp_string(call, job->data + at, len));
    at += len + 1;
  }
  csp_charge(call, job->len / 16);
  job_free(job);
  return ok ? csp_ok_value(call, list) : csp_panic_memory(call);
}
