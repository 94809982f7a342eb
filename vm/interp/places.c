// SPDX-License-Identifier: MIT
// Where an error was made, and each `?` at which a function was left with it.
//
// The places lie in an ObjRaw of TraceFrames, the oldest first, at most
// PLACES_MAX. It is immutable: a new place makes a new block, so that readers
// and the collector need no lock. If two goroutines add one at the same time,
// one of them is lost. Without memory a place is lost, too.
//
// An error that is made at a file's top level has none. Most of these are
// constants that many functions return, and their places would be mixed. The
// runtime's own errors have none either (ERROR_PLAIN).
//
// The P that runs the goroutine calls these functions. Any thread that has the
// error may print the places.
#include "vm/interp/places.h"

#include <string.h>

#include "vm/code/proto.h"
#include "vm/interp/rows.h"
#include "vm/interp/stack.h"
#include "vm/object/error.h"
#include "vm/object/list.h"
#include "vm/object/string.h"

enum { PLACES_MAX = 32 };

static bool proto_is_hidden(const Proto *proto) {
  return proto->flags & (PROTO_TRY | PROTO_LIBRARY);
}

// The innermost frame that traces show. proto NULL: there is none.
static TraceFrame shown_frame(const Goroutine *g) {
  const Instr *pc = g->pc;
  for (const Value *base = g->base; base > g->stack + FRAME_WORDS;
       base -= base[-2] >> 10) {
    const Proto *proto = frame_closure(base)->proto;
    if (!proto_is_hidden(proto)) return (TraceFrame){proto, pc - 1};
    pc = (const Instr *)(uintptr_t)base[-3];
  }
  return (TraceFrame){NULL, NULL};
}

static size_t places_count(const ObjRaw *block) {
  return block != NULL ? block->len / sizeof(TraceFrame) : 0;
}

static const TraceFrame *places_of(const ObjRaw *block) {
  return (const TraceFrame *)(const void *)block->data;
}

// NULL: out of memory.
static ObjRaw *places_alloc(Local *local, size_t count) {
  size_t size = count * sizeof(TraceFrame);
  RT_ASSERT(count > 0 && count <= PLACES_MAX);
  ObjRaw *block =
      (ObjRaw *)heap_alloc(&local->heap, sizeof *block + size, OBJ_RAW);
  if (block != NULL) block->cap = block->len = size;
  return block;
}

static void places_set(Local *local, ObjError *error, ObjRaw *block) {
  if (block != NULL) heap_store_ptr(&local->heap, &error->places, block);
}

void places_begin(Local *local, const Goroutine *g, ObjError *error) {
  RT_ASSERT(error->places == NULL);
  if (local->vm->rows != NULL) rows_note(local, g, false);
  TraceFrame frame = shown_frame(g);
  if (frame.proto == NULL) return;
  if (frame.proto->flags & PROTO_MAIN) {
    error->obj.flags |= ERROR_PLAIN;
    return;
  }
  ObjRaw *block = places_alloc(local, 1);
  if (block != NULL) *(TraceFrame *)(void *)block->data = frame;
  places_set(local, error, block);
}

// A `?` after the call that made the error tells nothing new. Only CALL, NILJ
// and NEEDERR lie between them.
static bool is_its_call(const TraceFrame *made, const TraceFrame *passed) {
  enum { MOST_BETWEEN = 4 };
  return made->proto == passed->proto && passed->pc > made->pc &&
         passed->pc - made->pc <= MOST_BETWEEN;
}

static bool same_line(const TraceFrame *a, const TraceFrame *b) {
  return a->proto == b->proto &&
         proto_line(a->proto, a->pc).line == proto_line(b->proto, b->pc).line;
}

void places_add(Local *local, const Goroutine *g, Value v) {
  if (local->vm->rows != NULL) rows_note(local, g, false);
  if (!value_is_type(v, OBJ_ERROR)) return;
  ObjError *error = (ObjError *)value_obj(v);
  TraceFrame frame = shown_frame(g);
  // What leaves a file's top level ends the program, and that place is told.
  if ((error->obj.flags & ERROR_PLAIN) || frame.proto == NULL ||
      (frame.proto->flags & PROTO_MAIN))
    return;
  const ObjRaw *old = heap_load(&error->places);
  size_t count = places_count(old), drop = count == PLACES_MAX;
  if (count == 1 && is_its_call(places_of(old), &frame)) return;
  ObjRaw *block = places_alloc(local, count - drop + 1);
  if (block == NULL) return;
  TraceFrame *to = (TraceFrame *)(void *)block->data;
  for (size_t n = drop; n < count; n++) *to++ = places_of(old)[n];
  *to = frame;
  places_set(local, error, block);
}

bool places_are_known(Value v) {
  return value_is_type(v, OBJ_ERROR) &&
         error_places((ObjError *)value_obj(v)) != NULL;
}

// The innermost frames that traces show, at most PLACES_MAX: how many.
static size_t trace_places(const Trace *trace, TraceFrame *frames) {
  if (trace->raised != NULL) trace = trace->raised;
  size_t count = 0;
  uint32_t inner = trace->elided > 0 ? trace->count / 2 : trace->count;
  for (uint32_t n = 0; n < inner && count < PLACES_MAX; n++)
    if (!proto_is_hidden(trace->frames[n].proto))
      frames[count++] = trace->frames[n];
  return count;
}

void places_from_trace(Local *local, const Trace *trace, Value v) {
  if (!value_is_type(v, OBJ_ERROR) || trace == NULL) return;
  ObjError *error = (ObjError *)value_obj(v);
  if ((error->obj.flags & ERROR_PLAIN) || heap_load(&error->places) != NULL)
    return;
  TraceFrame frames[PLACES_MAX];
  size_t count = trace_places(trace, frames);
  if (count == 0 || (frames[0].proto->flags & PROTO_MAIN)) return;
  ObjRaw *block = places_alloc(local, count);
  if (block == NULL) return;
  memcpy(block->data, frames, count * sizeof *frames);
  places_set(local, error, block);
}

static ObjString *place_text(Local *local, const TraceFrame *place) {
  LineInfo at = proto_line(place->proto, place->pc);
  return string_format(local, "%s at %s:%u:%u", place->proto->name->own,
                       place->proto->path->own, at.line, at.col);
}

Value places_list(Local *local, const ObjError *error) {
  const ObjRaw *block = error_places(error);
  size_t count = places_count(block);
  ObjList *list = list_new(local, count);
  if (list == NULL) return VALUE_UNDEF;
  for (size_t n = 0; n < count; n++) {
    ObjString *text = place_text(local, &places_of(block)[n]);
    if (text == NULL || !list_push(local, list, value_from_obj(text)))
      return VALUE_UNDEF;
  }
  return value_from_obj(list);
}

// Whether the trace, which is printed below the places, begins with them. So it
// is where they were taken from it (places_from_trace).
static bool trace_tells(const Trace *trace, const TraceFrame *places,
                        size_t count) {
  if (trace->count > 0 && count == 1 && same_line(places, &trace->frames[0]))
    return true;
  TraceFrame frames[PLACES_MAX];
  if (trace_places(trace, frames) < count) return false;
  for (size_t n = 0; n < count; n++)
    if (frames[n].proto != places[n].proto || frames[n].pc != places[n].pc)
      return false;
  return true;
}

void places_print(Text *out, const ObjError *error, const Trace *trace) {
  const ObjRaw *block = error_places(error);
  size_t count = places_count(block);
  if (count == 0) return;
  const TraceFrame *places = places_of(block);
  if (trace != NULL && trace_tells(trace, places, count)) return;
  text_addf(out, "\n");
  trace_print_places(out, places, (uint32_t)count);
  if (!out->failed && out->len > 0) out->len--;  // its last newline
}
