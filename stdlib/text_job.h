// SPDX-License-Identifier: MIT
// Natives that make a text of unknown length, in pieces.
//
// A TextJob is the state between two pieces. `turns` adds some text: short ones
// at once, long ones (text_job_add) are copied some KB at a time after it has
// returned. What was added is kept in parts of C memory; when there is no more
// they go into the result, a string that nobody else sees before it is written.
// A short text has no parts, and ends in its first piece.
//
// A TextJob belongs to one native call. The driver frees the parts, the buffer
// and `own`. A native must not hold other memory between two turns.
#ifndef CSP_STDLIB_TEXT_JOB_H
#define CSP_STDLIB_TEXT_JOB_H

#include "stdlib/stdlib.h"

typedef struct TextPart TextPart;
typedef struct TextJob TextJob;
struct TextJob {
  CspValue list, item, out;  // kept: the native's own two, and the result
  CspCall *call;             // of this piece
  // Adds some. false: that was all, or it has panicked, or text.failed.
  bool (*turns)(TextJob *job);
  // Gives the result. NULL: the text.
  CspStatus (*done)(CspCall *call, TextJob *job, CspValue text);
  Buffer text;              // what was added last
  TextPart *parts;          // what was added before it, the last part first
  size_t before;            // bytes of the parts
  char *to;                 // out's text
  Str adding[2];            // long texts that are being added, of values kept
  uint64_t took, asked;     // units in this piece; those that were charged
  bool all;                 // turns has said false
  void *own;                // of csp_alloc, or NULL
  void (*drop)(void *own);  // gives back what own has, or NULL
  // The native's own: what it goes through, how far it is, ...
  Str s, old, new;
  size_t at, seen;
  int64_t n;
  bool flag, apart;
};

enum {
  TEXT_JOB_PIECE = 1 << 15,  // units, half of a piece: others charge, too
  TEXT_JOB_PART = 1 << 16,   // bytes, about
  TEXT_JOB_SHORT = 1 << 12   // bytes that are added at once
};

static inline TextJob text_job_of(CspCall *call, bool (*turns)(TextJob *job)) {
  return (TextJob){.call = call, .turns = turns, .text = buffer_of(call)};
}
CspStatus text_job_run(TextJob *job);

// For turns: whether they are to end. More text may be added afterwards.
static inline bool text_job_full(const TextJob *job) {
  return job->took >= TEXT_JOB_PIECE || job->text.len >= TEXT_JOB_PART ||
         job->adding[0].len > 0 || job->text.failed;
}
void text_job_add_long(TextJob *job, Str s);
// For natives whose flag says that `item` is the error which the native gives.
// `text` has the place, ": ", why and more follow it. Gives false.
bool text_job_refuse(TextJob *job, Buffer *text, const char *why,
                     const char *more);
// At most two long ones in one turn. s is part of an argument or of `item`.
static inline void text_job_add(TextJob *job, Str s) {
  if (s.len > TEXT_JOB_SHORT || job->adding[0].len > 0) {
    text_job_add_long(job, s);
  } else {
    buffer_add(&job->text, s.data, s.len);
    job->took += 4 + s.len / 8;
  }
}
// The next place at or after `seen` where `old`, which is not empty, is in `s`.
// CSP_NOWHERE: there is none, or with *more none before `seen`, which moved on.
int64_t text_job_find(TextJob *job, bool *more);
// Some KB of `s`, which then begins after them. A piece ends with a whole code
// point. false: there are none.
bool text_job_take(TextJob *job, Str *piece);

#endif
