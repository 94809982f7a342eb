// SPDX-License-Identifier: MIT
// Watching single Gs. Here are the events that are kept (row 35b), the measure
// of how late readied Gs run (row 35), and the way to workspan.c.
//
// It costs no instruction on the hot paths. They branch on something anyway,
// and what is watched makes that branch go the long way, here.
//   ready, run    p->marks, beside the flag for urgent Gs
//   start         while events are kept, or spans measured, a P has no block of
//                 ids in reserve
//   leave         the G's status is RUNNING | G_MARK, set as it began to run,
//                 and not the RUNNING that g_leave expects
//   a sample      RUNNABLE | G_MARK, which proc_set_running does not expect. Of
//                 the Gs readied after every 16th search for work one is timed
//
// Each P has a ring of the last events, which its owner writes, and changes
// hands with it. What happens without a P (a call whose P was taken, a stop of
// the world) goes to the runtime's own ring, under sched.lock. All are read
// when no M has a P any more, and the stuck ones that may still come back write
// to the runtime's own.
//
// The file has a track for each P with the Gs it ran (begin and end) and marks
// for all else. It has one for each M with its blocking calls, and one for
// stops of the world. What began before the oldest event kept is left out. What
// has not ended ends with the last event.
#include "sched/trace.h"

#include <inttypes.h>

#include "sched/g.h"
#include "sched/plain.h"
#include "sched/workspan.h"

struct TraceEvent {
  uint64_t when;  // ticks
  uint64_t g;
  uint64_t arg;
  uint32_t track;
  uint8_t kind;    // TraceKind
  uint8_t state;   // of a LEAVE: GState
  uint8_t reason;  // ... and WaitReason
};

// Numbers of tracks in the file. PROCS_MAX is 1024.
enum { TRACK_WORLD = 1, TRACK_P = 10, TRACK_M = 10000 };

// --- Keeping events ---------------------------------------------------------
static uint64_t trace_moment(const Sched *sched) {
  return sched->watch.ticks ? rt_ticks() : (uint64_t)rt_now();
}

static bool trace_alloc(const Sched *sched, TraceRing *ring) {
  if (sched->watch.events == 0) return true;
  ring->events =
      mem_zeroed(sched->memory, sched->watch.events * sizeof(TraceEvent));
  return ring->events != NULL;
}

bool trace_init(Sched *sched, const SchedConfig *config) {
  sched->watch.line_ns = config->trace_line_ns;
  sched->watch.details = config->trace_details;
  sched->sysmon.line_at = sched->started_at + sched->watch.line_ns;
  workspan_init(sched, config->span_at);
  if (config->trace_events == 0) return true;
  sched->watch.events = 1;
  while (sched->watch.events < config->trace_events &&
         sched->watch.events < 1u << 30)
    sched->watch.events *= 2;
  sched->watch.ticks = rt_ticks_steady();
  sched->watch.begun = trace_moment(sched);
  return trace_alloc(sched, &sched->trace);
}

void trace_free(Sched *sched) { mem_free(sched->trace.events); }

bool trace_init_p(P *p) {
  if (p->sched->watch.events != 0) p->marks |= MARK_TRACE;
  if (sched_spans(p->sched)) p->marks |= MARK_SPAN;
  return trace_alloc(p->sched, &p->trace);
}

static TraceEvent *trace_add(Sched *sched, TraceRing *ring, TraceKind kind) {
  TraceEvent *event = &ring->events[ring->count++ & (sched->watch.events - 1)];
  event->when = trace_moment(sched);
  event->kind = (uint8_t)kind;
  return event;
}

void trace_event(P *p, TraceKind kind, uint64_t g, uint64_t arg) {
  TraceEvent *event = trace_add(p->sched, &p->trace, kind);
  event->g = g;
  event->arg = arg;
}

void trace_shared(Sched *sched, TraceKind kind, uint32_t track, uint64_t g,
                  uint64_t arg) {
  TraceEvent *event = trace_add(sched, &sched->trace, kind);
  event->track = track;
  event->g = g;
  event->arg = arg;
}

static void event_run(P *p, const G *g) {
  const SchedHooks *hooks = &p->sched->hooks;
  const char *label =
      hooks->g_label != NULL ? hooks->g_label(hooks->host, g) : NULL;
  trace_event(p, TRACE_RUN, g->id, (uint64_t)(uintptr_t)label);
}

void trace_run(P *p, G *g) {
  if (p->marks & MARK_TRACE) event_run(p, g);
  if (p->marks & MARK_SPAN) workspan_runs(p, g);
  // relaxed: as g_change
  rt_store_relaxed(&g->status, (uint32_t)(G_RUNNING | G_MARK));
}

static void event_left(P *p, const G *g, GState to) {
  TraceEvent *event = trace_add(p->sched, &p->trace, TRACE_LEAVE);
  event->g = g->id;
  event->state = (uint8_t)to;
  event->reason = g->reason;
}

void trace_left(P *p, G *g, GState to) {
  // relaxed, both: as g_change
  if (rt_load_relaxed(&g->status) != (G_RUNNING | G_MARK))
    g_bad_state(g, G_RUNNING, to);
  if (p->marks & MARK_TRACE) event_left(p, g, to);
  if (p->marks & MARK_SPAN) workspan_left(p, g);
  rt_store_relaxed(&g->status, (uint32_t)to);
}

void trace_preempted(P *p) {
  uint32_t last = (uint32_t)(p->trace.count - 1) & (p->sched->watch.events - 1);
  p->trace.events[last].kind = TRACE_PREEMPT;
}

void trace_call_begins(M *m) {
  m->call_ticks = trace_moment(m->sched);
  if (sched_spans(m->sched)) workspan_call_begins(m);
}

static void event_call_ended(const M *m, P *p, const G *g) {
  TraceEvent *event = trace_add(p->sched, &p->trace, TRACE_CALL);
  event->track = m->id;
  event->g = g->id;
  event->arg = m->call_ticks;
}

void trace_call_ended(M *m, P *p, G *g) {
  if (p->marks & MARK_TRACE) event_call_ended(m, p, g);
  if (p->marks & MARK_SPAN) workspan_call_ended(m, p, g);
  trace_run(p, g);
}

void trace_call_ended_alone(M *m, G *g) {
  TRACE_SHARED(m->sched, CALL, m->id, g->id, m->call_ticks);
  if (sched_spans(m->sched)) workspan_call_ended_alone(m, g);
}

// --- To run, the long way ---------------------------------------------------
static void count_late(P *p, int64_t ns) {
  int bucket = ns < 2 ? 0 : 63 - __builtin_clzll((uint64_t)ns);
  if (bucket >= LATE_BUCKETS) bucket = LATE_BUCKETS - 1;
  P_COUNT(p, late[bucket], 1);
}

G *trace_set_running(P *p, G *g) {
  // relaxed, all: as g_change
  if (rt_load_relaxed(&g->status) == (G_RUNNABLE | G_MARK)) {
    count_late(p, rt_now() - g->since);
    rt_store_relaxed(&g->status, (uint32_t)G_RUNNABLE);
  }
  g_change(g, G_RUNNABLE, G_RUNNING);
  g->p = p;
  p->current = g;
  if (p->marks & MARKS_EACH) trace_run(p, g);
  P_COUNT(p, schedules, 1);
  return g;
}

// --- The file ---------------------------------------------------------------
typedef struct TraceFile {
  Sched *sched;
  FILE *out;
  double ns_per_tick;
  uint64_t end;   // of what has not ended
  uint64_t lost;  // events overwritten
  bool comma;
} TraceFile;

typedef void (*TraceWrite)(TraceFile *file, uint32_t track,
                           const TraceEvent *event, int *depth);

static void json_text(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text != '\0'; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      fprintf(out, "\\%c", c);
    } else if (c < ' ') {
      fprintf(out, "\\u%04x", c);
    } else {
      fputc(c, out);
    }
  }
  fputc('"', out);
}

// Writes an event up to the time stamp. The caller writes the rest, and closes
// the brace.
static void json_event(TraceFile *file, const char *phase, uint32_t track,
                       uint64_t when, const char *name) {
  double ns =
      (double)(int64_t)(when - file->sched->watch.begun) * file->ns_per_tick;
  fprintf(file->out, "%s\n{\"ph\":\"%s\",\"pid\":1,\"tid\":%u,\"ts\":%.3f",
          file->comma ? "," : "", phase, track, ns < 0 ? 0 : ns / 1000);
  file->comma = true;
  if (name == NULL) return;
  fputs(",\"name\":", file->out);
  json_text(file->out, name);
}

static void json_track(TraceFile *file, uint32_t track, const char *what,
                       uint32_t number) {
  json_event(file, "M", track, file->sched->watch.begun, "thread_name");
  fprintf(file->out, ",\"args\":{\"name\":\"%s", what);
  if (track != TRACK_WORLD) fprintf(file->out, " %u", number);
  fputs("\"}}", file->out);
  json_event(file, "M", track, file->sched->watch.begun, "thread_sort_index");
  fprintf(file->out, ",\"args\":{\"sort_index\":%u}}", track);
}

static void json_begin(TraceFile *file, uint32_t track, uint64_t when,
                       const char *name, int *depth) {
  json_event(file, "B", track, when, name);
  ++*depth;
}

// Ends what was begun. false: its begin is lost.
static bool json_end(TraceFile *file, uint32_t track, uint64_t when,
                     int *depth) {
  if (*depth == 0) return false;
  --*depth;
  json_event(file, "E", track, when, NULL);
  return true;
}

static void json_mark(TraceFile *file, uint32_t track, uint64_t when,
                      const char *name) {
  json_event(file, "i", track, when, name);
  fputs(",\"s\":\"t\"", file->out);
}

// Writes a call as a whole, on its M's track. The clocks of CPUs differ by a
// hair, so one may begin before the call before it ended there. That does not
// matter, because each has its own times.
static void json_call(TraceFile *file, uint32_t m, uint64_t g, uint64_t from,
                      uint64_t to) {
  json_event(file, "X", TRACK_M + m, from, "call");
  double us = (double)(int64_t)(to - from) * file->ns_per_tick / 1000;
  fprintf(file->out, ",\"dur\":%.3f,\"args\":{\"goroutine\":%" PRIu64 "}}",
          us < 0 ? 0 : us, g);
}

static const char *left_because(const TraceEvent *event) {
  if (event->kind == TRACE_PREEMPT) return "preempted";
  switch ((GState)event->state) {
    case G_WAITING:
      return g_wait_name((WaitReason)event->reason);
    case G_SYSCALL:
      return "blocking call";
    case G_DEAD:
      return "ended";
    case G_RUNNABLE:
      return "yielded";
    default:
      rt_throw("trace: a goroutine has left as %d", (int)event->state);
  }
}

static void write_run(TraceFile *file, uint32_t track, const TraceEvent *event,
                      int *depth) {
  const char *label = (const char *)(uintptr_t)event->arg;
  while (json_end(file, track, event->when, depth)) fputs("}", file->out);
  json_begin(file, track, event->when, label == NULL ? "goroutine" : label,
             depth);
  fprintf(file->out, ",\"args\":{\"goroutine\":%" PRIu64 "}}", event->g);
}

static void write_of_g(TraceFile *file, uint32_t track, const TraceEvent *event,
                       const char *name, const char *what) {
  json_mark(file, track, event->when, name);
  fprintf(file->out, ",\"args\":{\"%s\":%" PRIu64 "}}", what,
          event->g != 0 ? event->g : event->arg);
}

static void write_of_p(TraceFile *file, uint32_t track, const TraceEvent *event,
                       int *depth) {
  switch ((TraceKind)event->kind) {
    case TRACE_RUN:
      write_run(file, track, event, depth);
      break;
    case TRACE_LEAVE:
    case TRACE_PREEMPT:
      if (!json_end(file, track, event->when, depth)) break;
      fprintf(file->out, ",\"args\":{\"left\":\"%s\"}}", left_because(event));
      break;
    case TRACE_CREATE:
      write_of_g(file, track, event, "create", "goroutine");
      break;
    case TRACE_READY:
      write_of_g(file, track, event, "ready", "goroutine");
      break;
    case TRACE_STEAL:
      json_mark(file, track, event->when, "steal");
      fprintf(file->out,
              ",\"args\":{\"goroutines\":%" PRIu64 ",\"from\":%" PRIu64 "}}",
              event->arg, event->g);
      break;
    case TRACE_TIMERS:
      write_of_g(file, track, event, "timers", "run");
      break;
    case TRACE_POLL:
      write_of_g(file, track, event, "poll", "goroutines");
      break;
    case TRACE_CALL:
      json_call(file, event->track, event->g, event->arg, event->when);
      break;
    default:
      rt_throw("trace: an event of kind %d on a P", (int)event->kind);
  }
}

// Writes what has no P. A stop of the world is two spans that end together, the
// outer from when it was asked for, the inner from when all had stopped.
static void write_of_none(TraceFile *file, uint32_t track,
                          const TraceEvent *event, int *depth) {
  switch ((TraceKind)event->kind) {
    case TRACE_STOP:
      json_begin(file, track, event->when, "stop the world", depth);
      fputs("}", file->out);
      break;
    case TRACE_STOPPED:
      if (*depth == 0) break;
      json_begin(file, track, event->when, "stopped", depth);
      fputs("}", file->out);
      break;
    case TRACE_START:
      while (json_end(file, track, event->when, depth)) fputs("}", file->out);
      break;
    case TRACE_RETAKE:
      json_mark(file, TRACK_P + event->track, event->when, "retake");
      fputs("}", file->out);
      break;
    case TRACE_CALL:
      json_call(file, event->track, event->g, event->arg, event->when);
      break;
    default:
      rt_throw("trace: an event of kind %d on no P", (int)event->kind);
  }
}

static void write_ring(TraceFile *file, uint32_t track, const TraceRing *ring,
                       TraceWrite write) {
  uint64_t size = file->sched->watch.events, lost = 0;
  if (ring->count > size) lost = ring->count - size;
  file->lost += lost;
  int depth = 0;
  for (uint64_t i = lost; i < ring->count; i++) {
    write(file, track, &ring->events[i & (size - 1)], &depth);
  }
  while (json_end(file, track, file->end, &depth)) fputs("}", file->out);
}

static void write_tracks(TraceFile *file) {
  Sched *sched = file->sched;
  json_track(file, TRACK_WORLD, "stops of the world", 0);
  for (M *m = sched->ms.all; m != NULL; m = m->all_next) {
    json_track(file, TRACK_M + m->id, "blocking calls of M", m->id);
    // a call that has not come back
    if (m->call_g != NULL) {
      json_call(file, m->id, m->call_g->id, m->call_ticks, file->end);
    }
  }
  write_ring(file, TRACK_WORLD, &sched->trace, write_of_none);
  for (int i = 0; i < sched->ps.made; i++) {
    P *p = p_at(sched, i);
    json_track(file, TRACK_P + (uint32_t)i, "P", (uint32_t)i);
    write_ring(file, TRACK_P + (uint32_t)i, &p->trace, write_of_p);
  }
}

void sched_trace_write(Sched *sched, FILE *out) {
  if (sched->trace.events == NULL) return;
  TraceFile file = {
      .sched = sched, .out = out, .ns_per_tick = 1, .end = trace_moment(sched)};
  int64_t ns = rt_now() - sched->started_at;
  if (sched->watch.ticks && file.end > sched->watch.begun)
    file.ns_per_tick = (double)ns / (double)(file.end - sched->watch.begun);
  fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
  Plain plain = plain_begin();  // JSON has points
  rt_lock(&sched->lock);        // stuck Ms may come back
  write_tracks(&file);
  rt_unlock(&sched->lock);
  plain_end(plain);
  fprintf(out,
          "\n],\"otherData\":{\"events_lost\":\"%" PRIu64
          "\",\"events_kept_of_each_P\":\"%u\"}}\n",
          file.lost, sched->watch.events);
}
