// SPDX-License-Identifier: MIT
// Traces as text: a line for each frame.
//
// Frames of the library are left out, unless that is all there is, or all are
// wanted (Vm.library_frames). Frames that come again and again, as a function
// that calls itself leaves them, are printed once, with a count. Pure
// functions: any thread that has the trace.
#include "vm/interp/stack_trace.h"

#include "vm/code/proto.h"
#include "vm/interp/panic.h"

enum { PERIOD_MAX = 8 };  // frames of a group that is looked for

// Those that are printed.
typedef struct ShownFrame {
  const Proto *proto;
  LineInfo at;
} ShownFrame;

typedef struct Frames {
  ShownFrame all[TRACE_MAX];
  uint32_t count;
} Frames;

static bool frame_is_shown(const TraceFrame *frame, bool library) {
  uint16_t flags = frame->proto->flags;
  return !(flags & PROTO_TRY) && (library || !(flags & PROTO_LIBRARY));
}

// Whether there are frames of the library only.
static bool frames_are_library(const Trace *trace) {
  for (uint32_t n = 0; n < trace->count; n++)
    if (frame_is_shown(&trace->frames[n], false)) return false;
  return true;
}

static void print_frame(Text *out, const ShownFrame *frame) {
  text_addf(out, "  %s at %s:%u:%u\n", frame->proto->name->own,
            frame->proto->path->own, frame->at.line, frame->at.col);
}

// --- Folding ----------------------------------------------------------------
static bool same_frame(const ShownFrame *a, const ShownFrame *b) {
  return a->proto == b->proto && a->at.line == b->at.line &&
         a->at.col == b->at.col;
}

// How often the group of `period` frames at `from` comes, one after the other.
static uint32_t count_groups(const Frames *frames, uint32_t from,
                             uint32_t period) {
  uint32_t at = from + period;
  while (at < frames->count &&
         same_frame(&frames->all[at], &frames->all[at - period]))
    at++;
  return (at - from) / period;
}

// The group at `from` that saves the most lines, and how often it comes. 1: the
// frame alone, as no fold saves any.
static uint32_t find_group(const Frames *frames, uint32_t from,
                           uint32_t *times) {
  uint32_t best = 1, saves = 1;  // (the line with the count is one)
  *times = 1;
  for (uint32_t period = 1; period <= PERIOD_MAX; period++) {
    if (from + 2 * period > frames->count) break;
    uint32_t count = count_groups(frames, from, period);
    if ((count - 1) * period <= saves) continue;
    saves = (count - 1) * period;
    best = period;
    *times = count;
  }
  return best;
}

static void print_folded(Text *out, const Frames *frames) {
  for (uint32_t n = 0; n < frames->count;) {
    uint32_t times, period = find_group(frames, n, &times);
    for (uint32_t i = 0; i < period; i++) print_frame(out, &frames->all[n + i]);
    if (times > 1 && period == 1)
      text_addf(out, "  ... the same %u times more ...\n", times - 1);
    else if (times > 1)
      text_addf(out, "  ... these %u frames %u times more ...\n", period,
                times - 1);
    n += times * period;
  }
}

// --- All of it --------------------------------------------------------------
static void print_part(Text *out, const TraceFrame *from, uint32_t count,
                       bool library) {
  Frames frames;
  frames.count = 0;
  RT_ASSERT(count <= TRACE_MAX);
  for (uint32_t n = 0; n < count; n++) {
    const TraceFrame *frame = &from[n];
    if (frame_is_shown(frame, library))
      frames.all[frames.count++] =
          (ShownFrame){frame->proto, proto_line(frame->proto, frame->pc)};
  }
  print_folded(out, &frames);
}

void trace_print_places(Text *out, const TraceFrame *frames, uint32_t count) {
  print_part(out, frames, count, false);
}

void trace_print_frames(Text *out, const Vm *vm, const Trace *trace) {
  bool library = vm->library_frames || frames_are_library(trace);
  uint32_t middle = trace->elided > 0 ? trace->count / 2 : trace->count;
  print_part(out, trace->frames, middle, library);
  if (trace->elided > 0)
    text_addf(out, "  ... %llu more frames ...\n",
              (unsigned long long)trace->elided);
  print_part(out, trace->frames + middle, trace->count - middle, library);
  if (trace->created_in != NULL) {
    LineInfo at = proto_line(trace->created_in, trace->created_pc);
    text_addf(out, "  created at %s:%u:%u\n", trace->created_in->path->own,
              at.line, at.col);
  }
}

void trace_print(Text *out, const Vm *vm, const Trace *trace,
                 const char *state) {
  text_addf(out, "goroutine %llu [%s]:\n", (unsigned long long)trace->goroutine,
            state);
  trace_print_frames(out, vm, trace);
}
