// SPDX-License-Identifier: MIT
// Watching (rows 34, 35): sums of the Ps' counters, and Go's schedtrace line.
// Any thread; the numbers are of slightly different moments.
#include <string.h>

#include "internal.h"

#define STAT_READ(p, field) rt_load_relaxed(&(p)->stats.field)  // a counter

static void add_p(SchedStats *out, P *p) {
  out->schedules += STAT_READ(p, schedules);
  out->spawns += rt_load_relaxed(&p->spawns);  // relaxed: a counter
  out->steal_tries += STAT_READ(p, steal_tries);
  out->steals += STAT_READ(p, steals);
  out->stolen += STAT_READ(p, stolen);
  out->runnext_hits += STAT_READ(p, runnext_hits);
  out->overflows += STAT_READ(p, overflows);
  out->global_gets += STAT_READ(p, global_gets);
  out->preemptions += STAT_READ(p, preemptions);
  out->timers_run += STAT_READ(p, timers_run);
}

void sched_stats(Sched *s, SchedStats *out) {
  memset(out, 0, sizeof *out);
  int made = rt_load_acquire(&s->ps_made);  // acquire: pairs with run_make_p
  for (int i = 0; i < made; i++) add_p(out, p_at(s, i));
  rt_lock(&s->lock);
  out->parks = s->parks;
  out->wakes = s->wakes;
  out->syscalls = s->calls;
  out->procs = procs_now(s);
  // relaxed, both: written under sched.lock, or a hint
  out->idle_procs = (int)rt_load_relaxed(&s->idle_count);
  out->spinning = (int)rt_load_relaxed(&s->spinning);
  out->threads = (int)s->ms_live + (s->sysmon_started ? 1 : 0);
  out->idle_threads = (int)s->ms_idle;
  out->runqueue = (int)s->global.count;
  rt_unlock(&s->lock);
}

void sched_trace_line(Sched *s, FILE *out) {
  SchedStats stats;
  sched_stats(s, &stats);
  bool need = stats.spinning == 0 && stats.runqueue > 0 && stats.idle_procs > 0;
  fprintf(out,
          "SCHED %lldms: gomaxprocs=%d idleprocs=%d threads=%d "
          "spinningthreads=%d needspinning=%d idlethreads=%d runqueue=%d [",
          (long long)((rt_now() - s->started_at) / NS_PER_MS), stats.procs,
          stats.idle_procs, stats.threads, stats.spinning, need,
          stats.idle_threads, stats.runqueue);
  for (int i = 0; i < stats.procs; i++) {
    fprintf(out, i == 0 ? "%u" : " %u", runq_length(p_at(s, i)));
  }
  fputs("]\n", out);
}
