// SPDX-License-Identifier: MIT
// The module html: text as a part of a page.
#include "stdlib/text_job.h"

// What stands for the character in a page; or none.
static Str reference_of(char c) {
  switch (c) {
    case '&':
      return (Str){"&amp;", 5};
    case '<':
      return (Str){"&lt;", 4};
    case '>':
      return (Str){"&gt;", 4};
    case '"':
      return (Str){"&quot;", 6};
    case '\'':
      return (Str){"&#39;", 5};
    default:
      return (Str){NULL, 0};
  }
}

static bool html_turns(TextJob *job) {
  while (job->at < job->s.len && !text_job_full(job)) {
    size_t from = job->at, most = from + TEXT_JOB_SHORT;
    if (most > job->s.len) most = job->s.len;
    Str reference = {NULL, 0};
    while (job->at < most &&
           (reference = reference_of(job->s.data[job->at])).len == 0)
      job->at++;
    text_job_add(job, (Str){job->s.data + from, job->at - from});
    job->took += job->at - from;
    if (job->at == most) continue;
    text_job_add(job, reference);
    job->at++;
  }
  return job->at < job->s.len;
}

// escape(s)
static CspStatus html_escape(CspCall *call) {
  TextJob job = text_job_of(call, html_turns);
  if (!need_str(call, 0, &job.s)) return CSP_PANIC;
  return text_job_run(&job);
}

static const CspFunction html_functions[] = {
    CSP_REPEATABLE,
    {"escape", "s", html_escape},
    {NULL, NULL, NULL},
};

const CspModule html_module = {"html", html_functions, NULL, NULL, 0};
