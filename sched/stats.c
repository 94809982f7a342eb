// SPDX-License-Identifier: MIT
// Watching (rows 34, 35): sums of the Ps' counters, Go's schedtrace line, and
// its details. Any thread.
//
// The line's numbers are of slightly different moments: nobody waits for it.
// The details are of one: plain fields of Ps and Gs may be read only while the
// world is stopped, so it is, by the thread that prints (sched_while_stopped).
// What Ps and Ms were doing when they were told to stop was noted then
// (P.stopped_from, M.stopped_spinning).
#include "sched/stats.h"

#include <inttypes.h>
#include <string.h>

#include "sched/runq.h"
#include "sched/timer.h"

// relaxed: a counter, which P_COUNT raises
#define STAT_READ(p, field) rt_load_relaxed(&(p)->stats.field)

// --- Counters ---------------------------------------------------------------
static void add_p(SchedStats *out, P *p) {
  out->schedules += STAT_READ(p, schedules);
  // relaxed: a counter, which proc_make_runnable raises
  out->spawns += rt_load_relaxed(&p->spawns);
  out->steal_tries += STAT_READ(p, steal_tries);
  out->steals += STAT_READ(p, steals);
  out->stolen += STAT_READ(p, stolen);
  out->runnext_hits += STAT_READ(p, runnext_hits);
  out->overflows += STAT_READ(p, overflows);
  out->global_gets += STAT_READ(p, global_gets);
  out->preemptions += STAT_READ(p, preemptions);
  out->timers_run += STAT_READ(p, timers_run);
  out->polls += STAT_READ(p, polls);
  out->host_calls += STAT_READ(p, host_calls);
  out->alone += STAT_READ(p, alone);
  // relaxed: a counter, which enter_quick raises
  out->syscalls += rt_load_relaxed(&p->calls);
  for (int i = 0; i < LATE_BUCKETS; i++) out->late[i] += STAT_READ(p, late[i]);
}

void sched_stats(Sched *sched, SchedStats *out) {
  memset(out, 0, sizeof *out);
  int made =
      rt_load_acquire(&sched->ps.made);  // acquire: pairs with lifecycle_make_p
  for (int i = 0; i < made; i++) add_p(out, p_at(sched, i));
  rt_lock(&sched->lock);
  out->parks = sched->stats.parks;
  out->wakes = sched->stats.wakes;
  out->syscalls += sched->stats.calls;
  out->retakes = sched->stats.retakes;
  out->procs = procs_now(sched);
  // relaxed, three: written under sched.lock, or hints
  out->idle_procs = (int)rt_load_relaxed(&sched->idle_count);
  out->spinning = (int)rt_load_relaxed(&sched->spinning);
  out->threads =
      (int)sched->ms.live + (rt_load_relaxed(&sched->sysmon.started) ? 1 : 0);
  out->idle_threads = (int)sched->ms.idle;
  out->runqueue = (int)sched->global.count;
  rt_unlock(&sched->lock);
}

// --- The line ---------------------------------------------------------------
void sched_trace_line(Sched *sched, FILE *out) {
  SchedStats stats;
  sched_stats(sched, &stats);
  bool need = stats.spinning == 0 && stats.runqueue > 0 && stats.idle_procs > 0;
  fprintf(out,
          "SCHED %lldms: gomaxprocs=%d idleprocs=%d threads=%d "
          "spinningthreads=%d needspinning=%d idlethreads=%d runqueue=%d [",
          (long long)((rt_now() - sched->started_at) / NS_PER_MS), stats.procs,
          stats.idle_procs, stats.threads, stats.spinning, need,
          stats.idle_threads, stats.runqueue);
  for (int i = 0; i < stats.procs; i++) {
    fprintf(out, i == 0 ? "%u" : " %u", runq_length(p_at(sched, i)));
  }
  fputs("]\n", out);
}

// --- Details: world stopped -------------------------------------------------
typedef struct StatsDetails {
  Sched *sched;
  FILE *out;
  int64_t now;
} StatsDetails;

// "name=5", or "name=-"
static void put_id(FILE *out, const char *name, bool is, uint64_t id) {
  if (is) {
    fprintf(out, " %s=%" PRIu64, name, id);
  } else {
    fprintf(out, " %s=-", name);
  }
}

static void put_g(FILE *out, const char *name, const G *g) {
  put_id(out, name, g != NULL, g != NULL ? g->id : 0);
}

static const char *p_status_name(uint32_t status) {
  static const char *const names[] = {[P_IDLE] = "idle",
                                      [P_RUNNING] = "running",
                                      [P_STOPPED] = "stopped",
                                      [P_DEAD] = "dead",
                                      [P_SYSCALL] = "syscall"};
  return names[status];
}

static void put_p(FILE *out, P *p) {
  fprintf(out, "  P%d: status=%s schedtick=%u runqsize=%u timers=%d", p->id,
          p_status_name(p->stopped_from), p->schedtick, runq_length(p),
          p->timers.count);
  put_g(out, "runnext", p->runnext);
  put_g(out, "curg", p->current);
  put_id(out, "m", p->m != NULL, p->m != NULL ? p->m->id : 0);
  fputc('\n', out);
}

// sched.lock held: Ms that are in calls may come back.
static void put_m(FILE *out, const M *m, const P *p) {
  fprintf(out, "  M%u:", m->id);
  put_id(out, "p", p != NULL, p != NULL ? (uint64_t)p->id : 0);
  put_g(out, "curg", p != NULL ? p->current : m->call_g);
  put_g(out, "locked", m->locked_g);
  bool spinning = p != NULL && m->stop_waiting && m->stopped_spinning;
  fprintf(out, " spinning=%s idle=%s call=%s\n", spinning ? "yes" : "no",
          m->idle ? "yes" : "no", m->call_g != NULL ? "yes" : "no");
}

static const P *p_of_m(Sched *sched, const M *m) {
  for (int i = 0; i < procs_now(sched); i++) {
    if (p_at(sched, i)->m == m) return p_at(sched, i);
  }
  return NULL;
}

// sched.lock held
static const M *m_in_call(Sched *sched, const G *g) {
  const M *m = sched->ms.all;
  while (m != NULL && m->call_g != g) m = m->all_next;
  return m;
}

static void put_g_line(void *arg, G *g) {
  StatsDetails *details = arg;
  GState state = g_state(g);
  const P *p = g->p;
  const M *m = p != NULL ? p->m : NULL;
  if (state == G_SYSCALL) {
    rt_lock(&details->sched->lock);
    m = m_in_call(details->sched, g);
    rt_unlock(&details->sched->lock);
  }
  fprintf(details->out, "  G%" PRIu64 ": status=%s", g->id,
          g_state_name(state));
  if (state == G_WAITING) {
    fprintf(details->out, " (%s)", g_wait_name((WaitReason)g->reason));
  }
  put_id(details->out, "m", m != NULL, m != NULL ? m->id : 0);
  bool since = g->since != 0 && (state == G_WAITING || state == G_SYSCALL);
  if (since) {
    int64_t ms = (details->now - g->since) / NS_PER_MS;
    fprintf(details->out, " since=%lldms", (long long)(ms < 0 ? 0 : ms));
  }
  fputc('\n', details->out);
}

static void put_details(void *arg) {
  StatsDetails *details = arg;
  Sched *sched = details->sched;
  details->now = rt_now();
  for (int i = 0; i < procs_now(sched); i++)
    put_p(details->out, p_at(sched, i));
  rt_lock(&sched->lock);
  for (const M *m = sched->ms.all; m != NULL; m = m->all_next) {
    if (!m->done) put_m(details->out, m, p_of_m(sched, m));
  }
  rt_unlock(&sched->lock);
  if (sched->hooks.each_g != NULL) {
    sched->hooks.each_g(sched->hooks.host, put_g_line, details);
  } else {
    sched_each_root(sched, put_g_line, details);
  }
}

bool sched_trace_details(Sched *sched, FILE *out) {
  StatsDetails details = {.sched = sched, .out = out};
  sched_trace_line(sched, out);  // while Ps are idle that are
  return sched_while_stopped(sched, RT_FOREVER, put_details, &details);
}

// --- Every now and then -----------------------------------------------------
static void print(Sched *sched, const char *text, size_t len) {
  if (sched->hooks.print != NULL) {
    sched->hooks.print(sched->hooks.host, text, len);
  } else {
    fwrite(text, 1, len, stderr);
  }
}

// The text is made first: nobody waits, stopped, for its reader.
static void print_line(Sched *sched) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  if (out == NULL) return;
  if (sched->watch.details) {
    sched_trace_details(sched, out);
  } else {
    sched_trace_line(sched, out);
  }
  bool whole = fclose(out) == 0;
  if (whole) print(sched, text, len);
  libc_free(text);  // open_memstream's
}

int64_t stats_lines(Sched *sched, int64_t now) {
  if (sched->watch.line_ns == 0) return RT_FOREVER;
  if (now < sched->sysmon.line_at) return sched->sysmon.line_at;
  print_line(sched);
  // in step with the start, without those that were missed
  int64_t missed = (rt_now() - sched->sysmon.line_at) / sched->watch.line_ns;
  sched->sysmon.line_at += (missed + 1) * sched->watch.line_ns;
  return sched->sysmon.line_at;
}
