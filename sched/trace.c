// SPDX-License-Identifier: MIT
// Watching single Gs. Here are the events that are kept (row 35b), and the
// measure of how late readied Gs run (row 35).
//
// It costs no instruction on the hot paths. They branch on something anyway,
// and what is watched makes that branch go the long way, here.
//   ready, run    p->marks, beside the flag for urgent Gs
//   start         while events are kept a P has no block of ids in reserve
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
static uint64_t trace_moment(const Sched *s) {
  return s->watch.ticks ? rt_ticks() : (uint64_t)rt_now();
}

static bool trace_alloc(const Sched *s, TraceRing *ring) {
  if (s->watch.events == 0) return true;
  ring->events = mem_zeroed(s->memory, s->watch.events * sizeof(TraceEvent));
  return ring->events != NULL;
}

bool trace_init(Sched *s, const SchedConfig *config) {
  s->watch.line_ns = config->trace_line_ns;
  s->watch.details = config->trace_details;
  s->sysmon.line_at = s->started_at + s->watch.line_ns;
  if (config->trace_events == 0) return true;
  s->watch.events = 1;
  while (s->watch.events < config->trace_events && s->watch.events < 1u << 30)
    s->watch.events *= 2;
  s->watch.ticks = rt_ticks_steady();
  s->watch.begun = trace_moment(s);
  return trace_alloc(s, &s->trace);
}

void trace_free(Sched *s) { mem_free(s->trace.events); }

bool trace_init_p(P *p) {
  if (p->sched->watch.events != 0) p->marks |= MARK_TRACE;
  return trace_alloc(p->sched, &p->trace);
}

static TraceEvent *trace_add(Sched *s, TraceRing *ring, TraceKind kind) {
  TraceEvent *e = &ring->events[ring->count++ & (s->watch.events - 1)];
  e->when = trace_moment(s);
  e->kind = (uint8_t)kind;
  return e;
}

void trace_event(P *p, TraceKind kind, uint64_t g, uint64_t arg) {
  TraceEvent *e = trace_add(p->sched, &p->trace, kind);
  e->g = g;
  e->arg = arg;
}

void trace_shared(Sched *s, TraceKind kind, uint32_t track, uint64_t g,
                  uint64_t arg) {
  TraceEvent *e = trace_add(s, &s->trace, kind);
  e->track = track;
  e->g = g;
  e->arg = arg;
}

void trace_run(P *p, G *g) {
  const SchedHooks *hooks = &p->sched->hooks;
  const char *label =
      hooks->g_label != NULL ? hooks->g_label(hooks->host, g) : NULL;
  trace_event(p, TRACE_RUN, g->id, (uint64_t)(uintptr_t)label);
  // relaxed: as g_change
  rt_store_relaxed(&g->status, (uint32_t)(G_RUNNING | G_MARK));
}

void trace_left(P *p, G *g, GState to) {
  // relaxed, both: as g_change
  if (rt_load_relaxed(&g->status) != (G_RUNNING | G_MARK))
    g_bad_state(g, G_RUNNING, to);
  TraceEvent *e = trace_add(p->sched, &p->trace, TRACE_LEAVE);
  e->g = g->id;
  e->state = (uint8_t)to;
  e->reason = g->reason;
  rt_store_relaxed(&g->status, (uint32_t)to);
}

void trace_preempted(P *p) {
  uint32_t last = (uint32_t)(p->trace.count - 1) & (p->sched->watch.events - 1);
  p->trace.events[last].kind = TRACE_PREEMPT;
}

void trace_call_begins(M *m) { m->call_ticks = trace_moment(m->sched); }

void trace_call_ended(M *m, P *p, G *g) {
  TraceEvent *e = trace_add(p->sched, &p->trace, TRACE_CALL);
  e->track = m->id;
  e->g = g->id;
  e->arg = m->call_ticks;
  trace_run(p, g);
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
  if (p->marks & MARK_TRACE) trace_run(p, g);
  P_COUNT(p, schedules, 1);
  return g;
}

// --- The file ---------------------------------------------------------------
typedef struct TraceFile {
  Sched *s;
  FILE *out;
  double ns_per_tick;
  uint64_t end;   // of what has not ended
  uint64_t lost;  // events overwritten
  bool comma;
} TraceFile;

typedef void (*TraceWrite)(TraceFile *f, uint32_t track, const TraceEvent *e,
                           int *depth);

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
static void json_event(TraceFile *f, const char *phase, uint32_t track,
                       uint64_t when, const char *name) {
  double ns = (double)(int64_t)(when - f->s->watch.begun) * f->ns_per_tick;
  fprintf(f->out, "%s\n{\"ph\":\"%s\",\"pid\":1,\"tid\":%u,\"ts\":%.3f",
          f->comma ? "," : "", phase, track, ns < 0 ? 0 : ns / 1000);
  f->comma = true;
  if (name == NULL) return;
  fputs(",\"name\":", f->out);
  json_text(f->out, name);
}

static void json_track(TraceFile *f, uint32_t track, const char *what,
                       uint32_t number) {
  json_event(f, "M", track, f->s->watch.begun, "thread_name");
  fprintf(f->out, ",\"args\":{\"name\":\"%s", what);
  if (track != TRACK_WORLD) fprintf(f->out, " %u", number);
  fputs("\"}}", f->out);
  json_event(f, "M", track, f->s->watch.begun, "thread_sort_index");
  fprintf(f->out, ",\"args\":{\"sort_index\":%u}}", track);
}

static void json_begin(TraceFile *f, uint32_t track, uint64_t when,
                       const char *name, int *depth) {
  json_event(f, "B", track, when, name);
  ++*depth;
}

// Ends what was begun. false: its begin is lost.
static bool json_end(TraceFile *f, uint32_t track, uint64_t when, int *depth) {
  if (*depth == 0) return false;
  --*depth;
  json_event(f, "E", track, when, NULL);
  return true;
}

static void json_mark(TraceFile *f, uint32_t track, uint64_t when,
                      const char *name) {
  json_event(f, "i", track, when, name);
  fputs(",\"s\":\"t\"", f->out);
}

// Writes a call as a whole, on its M's track. The clocks of CPUs differ by a
// hair, so one may begin before the call before it ended there. That does not
// matter, because each has its own times.
static void json_call(TraceFile *f, uint32_t m, uint64_t g, uint64_t from,
                      uint64_t to) {
  json_event(f, "X", TRACK_M + m, from, "call");
  double us = (double)(int64_t)(to - from) * f->ns_per_tick / 1000;
  fprintf(f->out, ",\"dur\":%.3f,\"args\":{\"goroutine\":%" PRIu64 "}}",
          us < 0 ? 0 : us, g);
}

static const char *left_because(const TraceEvent *e) {
  if (e->kind == TRACE_PREEMPT) return "preempted";
  switch ((GState)e->state) {
    case G_WAITING:
      return g_wait_name((WaitReason)e->reason);
    case G_SYSCALL:
      return "blocking call";
    case G_DEAD:
      return "ended";
    case G_RUNNABLE:
      return "yielded";
    default:
      rt_throw("trace: a goroutine has left as %d", (int)e->state);
  }
}

static void write_run(TraceFile *f, uint32_t track, const TraceEvent *e,
                      int *depth) {
  const char *label = (const char *)(uintptr_t)e->arg;
  while (json_end(f, track, e->when, depth)) fputs("}", f->out);
  json_begin(f, track, e->when, label == NULL ? "goroutine" : label, depth);
  fprintf(f->out, ",\"args\":{\"goroutine\":%" PRIu64 "}}", e->g);
}

static void write_of_g(TraceFile *f, uint32_t track, const TraceEvent *e,
                       const char *name, const char *what) {
  json_mark(f, track, e->when, name);
  fprintf(f->out, ",\"args\":{\"%s\":%" PRIu64 "}}", what,
          e->g != 0 ? e->g : e->arg);
}

static void write_of_p(TraceFile *f, uint32_t track, const TraceEvent *e,
                       int *depth) {
  switch ((TraceKind)e->kind) {
    case TRACE_RUN:
      write_run(f, track, e, depth);
      break;
    case TRACE_LEAVE:
    case TRACE_PREEMPT:
      if (!json_end(f, track, e->when, depth)) break;
      fprintf(f->out, ",\"args\":{\"left\":\"%s\"}}", left_because(e));
      break;
    case TRACE_CREATE:
      write_of_g(f, track, e, "create", "goroutine");
      break;
    case TRACE_READY:
      write_of_g(f, track, e, "ready", "goroutine");
      break;
    case TRACE_STEAL:
      json_mark(f, track, e->when, "steal");
      fprintf(f->out,
              ",\"args\":{\"goroutines\":%" PRIu64 ",\"from\":%" PRIu64 "}}",
              e->arg, e->g);
      break;
    case TRACE_TIMERS:
      write_of_g(f, track, e, "timers", "run");
      break;
    case TRACE_POLL:
      write_of_g(f, track, e, "poll", "goroutines");
      break;
    case TRACE_CALL:
      json_call(f, e->track, e->g, e->arg, e->when);
      break;
    default:
      rt_throw("trace: an event of kind %d on a P", (int)e->kind);
  }
}

// Writes what has no P. A stop of the world is two spans that end together, the
// outer from when it was asked for, the inner from when all had stopped.
static void write_of_none(TraceFile *f, uint32_t track, const TraceEvent *e,
                          int *depth) {
  switch ((TraceKind)e->kind) {
    case TRACE_STOP:
      json_begin(f, track, e->when, "stop the world", depth);
      fputs("}", f->out);
      break;
    case TRACE_STOPPED:
      if (*depth == 0) break;
      json_begin(f, track, e->when, "stopped", depth);
      fputs("}", f->out);
      break;
    case TRACE_START:
      while (json_end(f, track, e->when, depth)) fputs("}", f->out);
      break;
    case TRACE_RETAKE:
      json_mark(f, TRACK_P + e->track, e->when, "retake");
      fputs("}", f->out);
      break;
    case TRACE_CALL:
      json_call(f, e->track, e->g, e->arg, e->when);
      break;
    default:
      rt_throw("trace: an event of kind %d on no P", (int)e->kind);
  }
}

static void write_ring(TraceFile *f, uint32_t track, const TraceRing *ring,
                       TraceWrite write) {
  uint64_t size = f->s->watch.events, lost = 0;
  if (ring->count > size) lost = ring->count - size;
  f->lost += lost;
  int depth = 0;
  for (uint64_t i = lost; i < ring->count; i++) {
    write(f, track, &ring->events[i & (size - 1)], &depth);
  }
  while (json_end(f, track, f->end, &depth)) fputs("}", f->out);
}

static void write_tracks(TraceFile *f) {
  Sched *s = f->s;
  json_track(f, TRACK_WORLD, "stops of the world", 0);
  for (M *m = s->ms.all; m != NULL; m = m->all_next) {
    json_track(f, TRACK_M + m->id, "blocking calls of M", m->id);
    // a call that has not come back
    if (m->call_g != NULL) {
      json_call(f, m->id, m->call_g->id, m->call_ticks, f->end);
    }
  }
  write_ring(f, TRACK_WORLD, &s->trace, write_of_none);
  for (int i = 0; i < s->ps_made; i++) {
    P *p = p_at(s, i);
    json_track(f, TRACK_P + (uint32_t)i, "P", (uint32_t)i);
    write_ring(f, TRACK_P + (uint32_t)i, &p->trace, write_of_p);
  }
}

void sched_trace_write(Sched *s, FILE *out) {
  if (s->trace.events == NULL) return;
  TraceFile f = {.s = s, .out = out, .ns_per_tick = 1, .end = trace_moment(s)};
  int64_t ns = rt_now() - s->started_at;
  if (s->watch.ticks && f.end > s->watch.begun)
    f.ns_per_tick = (double)ns / (double)(f.end - s->watch.begun);
  fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
  Plain plain = plain_begin();  // JSON has points
  rt_lock(&s->lock);            // stuck Ms may come back
  write_tracks(&f);
  rt_unlock(&s->lock);
  plain_end(plain);
  fprintf(out,
          "\n],\"otherData\":{\"events_lost\":\"%" PRIu64
          "\",\"events_kept_of_each_P\":\"%u\"}}\n",
          f.lost, s->watch.events);
}
