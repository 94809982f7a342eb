// SPDX-License-Identifier: MIT
// Texts that are made in pieces. See text_job.h.
//
// The parts are copied from the last to the first, and freed in that order, so
// that what a heap of C memory gives back at its end is a part each time.
#include "stdlib/text_job.h"

#include "stdlib/pieces_find.h"

struct TextPart {
  TextPart *before;
  size_t len;
  char data[];
};

enum { TEXT_JOB_KEPT = 3, TEXT_JOB_WINDOW = 1 << 14 };

bool text_job_refuse(TextJob *job, Buffer *text, const char *why,
                     const char *more) {
  buffer_add(text, ": ", 2);
  buffer_add(text, why, strlen(why));
  buffer_add(text, more, strlen(more));
  CspValue message = buffer_string(job->call, text);
  job->item = csp_error_coded(job->call, message, csp_nil(),
                              csp_string(job->call, "invalid", 7));
  job->flag = true;
  if (csp_is_undef(job->item)) job->text.failed = true;
  return false;
}

// --- Parts ------------------------------------------------------------------
static void free_part(TextJob *job) {
  TextPart *part = job->parts;
  job->parts = part->before;
  csp_alloc_free(part);
}

static void free_own(TextJob *job) {
  if (job->own != NULL && job->drop != NULL) job->drop(job->own);
  csp_alloc_free(job->own);
}

static void text_job_free(TextJob *job) {
  while (job->parts != NULL) free_part(job);
  buffer_free(&job->text);
  free_own(job);
}

// What is in the buffer becomes a part.
static void end_part(TextJob *job) {
  Buffer *text = &job->text;
  TextPart *part = csp_alloc(text->csp, NULL, sizeof *part + text->len);
  text->failed |= part == NULL || text->len >= text->most;
  if (part != NULL) {
    *part = (TextPart){.before = job->parts, .len = text->len};
    memcpy(part->data, text->data, text->len);
    job->parts = part;
    job->before += text->len;
    job->took += text->len / 4;
    text->most -= text->len;
  }
  text->len = text->asked = 0;
}

// --- Adding -----------------------------------------------------------------
void text_job_add_long(TextJob *job, Str s) {
  job->adding[job->adding[0].len > 0] = s;
}

static void add_some(TextJob *job) {
  Str *part = &job->adding[0];
  size_t len = part->len < TEXT_JOB_PART ? part->len : TEXT_JOB_PART;
  buffer_add(&job->text, part->data, len);
  job->took += len / 8;
  *part = (Str){part->data + len, part->len - len};
  if (part->len > 0) return;
  *part = job->adding[1];
  job->adding[1] = (Str){0};
}

// --- For turns --------------------------------------------------------------
static bool turns_go_on(void *data, size_t units) {
  TextJob *job = data;
  job->took += units;
  return job->took < TEXT_JOB_PIECE;
}

// A long needle's search is the job's own, until it has an answer.
static int64_t find_long(TextJob *job, bool *more) {
  Str left = {job->s.data + job->seen, job->s.len - job->seen};
  *more = false;
  if (job->old.len > left.len) return CSP_NOWHERE;
  SearchRun *search = job->own;
  if (search == NULL) {
    job->own = search = csp_alloc(csp_of(job->call), NULL, sizeof *search);
    job->text.failed |= search == NULL;
    if (search == NULL) return CSP_GIVEN_UP;
    search_begin(search, (SearchText){left.data, left.len},
                 (SearchText){job->old.data, job->old.len}, false);
  }
  int64_t at = search_on(search, (SearchWork){turns_go_on, job});
  *more = at == SEARCH_GIVEN_UP;
  if (*more) return CSP_NOWHERE;
  job->took += SEARCH_PIECE - search->left;
  csp_alloc_free(search);
  job->own = NULL;
  return at < 0 ? CSP_NOWHERE : at + (int64_t)job->seen;
}

int64_t text_job_find(TextJob *job, bool *more) {
  if (job->old.len > LONG_NEEDLE) return find_long(job, more);
  size_t left = job->s.len - job->seen;
  size_t most = TEXT_JOB_WINDOW + job->old.len * 16;
  size_t len = left < most ? left : most;
  int64_t at = csp_find(job->call, job->s.data + job->seen, len, job->old.data,
                        job->old.len);
  uint64_t units = 8 + (at < 0 ? len : (size_t)at) / 4;
  job->took += units;
  job->asked += units;
  *more = at == CSP_NOWHERE && len < left;
  if (*more) job->seen += len - job->old.len + 1;
  if (at == CSP_GIVEN_UP) job->text.failed = true;
  return at < 0 ? at : at + (int64_t)job->seen;
}

bool text_job_take(TextJob *job, Str *piece) {
  *piece = pieces_front(job->s);
  job->s = (Str){job->s.data + piece->len, job->s.len - piece->len};
  return piece->len > 0;
}

// --- Pieces -----------------------------------------------------------------
static CspStatus text_job_on(CspCall *call, void *data, bool on);

static void text_job_charge(TextJob *job) {
  csp_spent(job->call, job->took - job->asked);
  job->took = job->asked = 0;
}

static CspStatus end_piece(TextJob *job) {
  text_job_charge(job);
  return csp_again(job->call, text_job_on, job, sizeof *job, TEXT_JOB_KEPT);
}

static CspStatus text_job_fail(TextJob *job) {
  text_job_free(job);
  return csp_panic_memory(job->call);
}

static CspStatus text_job_done(TextJob *job, CspValue text) {
  free_own(job);
  if (job->done != NULL) return job->done(job->call, job, text);
  return csp_ok(job->call, text);
}

static CspStatus copy_parts(TextJob *job) {
  while (job->parts != NULL) {
    TextPart *part = job->parts;
    job->before -= part->len;
    memcpy(job->to + job->before, part->data, part->len);
    job->took += part->len / 4;
    free_part(job);
    if (job->took >= TEXT_JOB_PIECE && job->parts != NULL)
      return end_piece(job);
  }
  return text_job_done(job, job->out);
}

static CspStatus text_job_end(TextJob *job) {
  if (job->parts == NULL) {
    text_job_charge(job);
    return text_job_done(job, buffer_string(job->call, &job->text));
  }
  if (job->text.len > 0) end_part(job);
  if (job->text.failed) return text_job_fail(job);
  buffer_free(&job->text);
  job->out = csp_string_room(job->call, job->before, &job->to);
  return csp_is_undef(job->out) ? text_job_fail(job) : copy_parts(job);
}

static CspStatus text_job_on(CspCall *call, void *data, bool on) {
  TextJob *job = data;
  job->call = job->text.call = call;
  if (!on) {
    text_job_free(job);
    return CSP_PANIC;
  }
  if (job->to != NULL) return copy_parts(job);
  while (!job->all || job->adding[0].len > 0) {
    if (job->adding[0].len > 0)
      add_some(job);
    else
      job->all = !job->turns(job);
    if (job->text.failed) return text_job_fail(job);
    if (job->text.len >= TEXT_JOB_PART) end_part(job);
    if (job->took >= TEXT_JOB_PIECE) return end_piece(job);
  }
  return text_job_end(job);
}

CspStatus text_job_run(TextJob *job) {
  return text_job_on(job->call, job, true);
}
