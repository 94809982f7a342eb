// SPDX-License-Identifier: MIT
// The life of a runtime. It is made, run, ended and freed here. The thread in
// sched_run starts the first M and the monitor, waits for the end, and joins
// them all.
#include "sched/lifecycle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cpu_count.h"
#include "sched/idle.h"
#include "sched/poll.h"
#include "sched/proc.h"
#include "sched/runq.h"
#include "sched/steal_order.h"
#include "sched/stepped.h"
#include "sched/stop_world.h"
#include "sched/syscall.h"
#include "sched/sysmon.h"
#include "sched/timer.h"
#include "sched/trace.h"

// --- Ps ---------------------------------------------------------------------
static void init_p(Sched *s, P *p, int id) {
  memset(p, 0, sizeof *p);
  p->sched = s;
  p->id = id;
  p->random = s->seed + (uint64_t)id * 0xD1342543DE82EF95u;
  p->status = P_DEAD;
  p->next_limit = NEXT_PICKS_MAX;
  timers_init(p);
}

static void free_p(P *p) {
  timers_free(p);
  mem_free(p->trace.events);
  mem_free_lines(p);
}

P *lifecycle_make_p(Sched *s, int id) {
  P *p = p_at(s, id);
  if (p == NULL) {
    p = mem_lines(s->memory, sizeof *p);
    if (p == NULL) return NULL;
    init_p(s, p, id);
    if (!trace_init_p(p)) {
      mem_free_lines(p);
      return NULL;
    }
    // release, both: pairs with acquire in p_at. The count comes after the P
    rt_store_release(&s->all_ps[id], p);
    rt_store_release(&s->ps_made, id + 1);
  }
  SchedHooks *hooks = &s->hooks;
  if (hooks->p_init != NULL && !hooks->p_init(hooks->host, p)) return NULL;
  // seq: lifecycle_begin_exit sets the flag, then goes over the Ps made
  rt_store_seq(&p->look, rt_load_seq(&s->exiting) ? LOOK_EXIT : 0u);
  rt_store_relaxed(&p->status, P_STOPPED);  // relaxed: world stopped
  return p;
}

void lifecycle_drop_p(P *p) {
  SchedHooks *hooks = &p->sched->hooks;
  if (hooks->p_free != NULL) hooks->p_free(hooks->host, p);
  rt_store_relaxed(&p->status, P_DEAD);  // relaxed: world stopped
}

// --- New and free -----------------------------------------------------------
void sched_free(Sched *s) {
  if (s == NULL || s->end.leaked) return;
  for (int i = 0; i < s->ps_made; i++) {
    P *p = s->all_ps[i];
    if (p->status != P_DEAD) lifecycle_drop_p(p);
    free_p(p);
  }
  for (M *m = s->ms.all, *next; m != NULL; m = next) {
    next = m->all_next;
    mem_free_lines(m);
  }
  trace_free(s);
  poll_free_all(s);
  steal_order_free(s);
  mem_free_lines(s);
}

int sched_leave(Sched *s, void (*last)(void *arg), void *arg) {
  rt_lock(&s->lock);
  int stuck = s->end.leaked ? (int)s->ms.live : 0;
  s->end.leaked = stuck > 0;
  s->end.last = last;
  s->end.last_arg = arg;
  rt_unlock(&s->lock);
  return stuck;
}

int lifecycle_clamp_procs(const Sched *s, int procs) {
  int most = s->m_limit > PROCS_MAX ? PROCS_MAX : (int)s->m_limit - 1;
  if (procs > most) procs = most;
  return procs < 1 ? 1 : procs;
}

uint32_t lifecycle_calls_allowed(const Sched *s, int of_procs) {
  uint32_t procs = (uint32_t)of_procs;
  if (s->m_limit <= procs) return SYSCALLS_MAX_DEFAULT;
  uint32_t left = s->m_limit - procs;
  return left < SYSCALLS_MAX_DEFAULT ? left : SYSCALLS_MAX_DEFAULT;
}

static void configure(Sched *s, const SchedConfig *config) {
  s->hooks = config->hooks;
  s->empty_word = config->empty_word;
  s->child_first = config->child_first;
  s->stepped = config->stepped;
  s->host.until = s->host.limit = s->host.alarm = RT_FOREVER;
  s->host.slice_ns = SLICE_NS;
  s->seed = config->seed != 0 ? config->seed : rt_entropy() | 1;
  s->m_limit = M_LIMIT_DEFAULT;
  if (config->max_threads > 0) s->m_limit = (uint32_t)config->max_threads;
  s->futile_max = FUTILE_MAX;
  s->cpus = cpu_count_in_affinity(s->memory);
  s->topology = config->topology;
  s->procs = 1;
  if (!s->stepped) {
    int procs =
        config->procs > 0 ? config->procs : sched_default_procs(s->memory);
    s->procs = lifecycle_clamp_procs(s, procs);
  }
  s->syscalls_given = config->max_syscalls > 0;
  s->syscalls_max = s->syscalls_given ? (uint32_t)config->max_syscalls
                                      : lifecycle_calls_allowed(s, s->procs);
  s->lock.rank = &rank_sched;
  s->started_at = s->sysmon.collected_at = rt_now();
}

Sched *sched_new(const SchedConfig *config) {
  const Memory *memory = config->memory != NULL ? config->memory : &mem_libc;
  Sched *s = mem_lines(memory, sizeof *s);
  if (s == NULL) return NULL;
  memset(s, 0, sizeof *s);
  s->memory = memory;
  configure(s, config);
  bool fine = trace_init(s, config);
  steal_order_of_procs(s);
  if (s->topology != NULL) steal_order_open(s);
  for (int i = 0; i < s->procs; i++) {
    P *p = fine ? lifecycle_make_p(s, i) : NULL;
    if (p == NULL) {
      sched_free(s);
      errno = ENOMEM;
      return NULL;
    }
    p->single = s->procs == 1;
  }
  rt_lock(&s->lock);
  for (int i = s->procs - 1; i >= 0; i--) idle_put_p(s, s->all_ps[i]);
  rt_unlock(&s->lock);
  return s;
}

// --- Run and end ------------------------------------------------------------
void lifecycle_count_again(Sched *s) {
  // release: pairs with the acquire in wait_for_ms
  rt_add(&s->end_seq, 1u);
  rt_futex_wake(&s->end_seq, 1);
}

void lifecycle_begin_exit(Sched *s, SchedEnd end) {
  // relaxed: written with the lock held
  if (rt_load_relaxed(&s->exiting)) return;
  s->end.how = end;
  s->end.at = rt_now();
  rt_store_seq(&s->exiting, 1u);  // seq: before the Ps are gone over
  // seq: after the flag. lifecycle_make_p reads the flag after it has made one
  int made = rt_load_seq(&s->ps_made);
  for (int i = 0; i < made; i++) {
    P *p = p_at(s, i);
    rt_or(&p->look, LOOK_EXIT);  // seq: before the status, see syscall.c
    if (syscall_retake(s, p)) stop_world_p_left(s, p);
  }
  for (M *m = s->ms.all; m != NULL; m = m->all_next) idle_wake_m(m);
  rt_note_set(&s->sysmon.note);
  lifecycle_count_again(s);
}

void sched_exit(Sched *s) {
  rt_lock(&s->lock);
  lifecycle_begin_exit(s, SCHED_EXITED);
  rt_unlock(&s->lock);
}

// acquire: what the end was begun for. Pairs with lifecycle_begin_exit
bool sched_is_over(const Sched *s) { return rt_load_acquire(&s->exiting); }

void sched_exit_soon(Sched *s) {
  rt_store_seq(&s->exit_wanted, 1u);  // seq: before it is looked for
  lifecycle_count_again(s);
  sched_interrupt(s);
}

// Makes the first M, with a P that main_g is queued on. That M will take
// main_g, so no other M is woken. NULL: out of memory, or ended before it
// began.
static M *first_m(Sched *s, G *main_g) {
  rt_lock(&s->lock);
  RT_CHECK(!s->running && s->ms.made == 0, "sched_run was called twice");
  M *m = proc_m_new(s);
  P *p = m == NULL ? NULL : idle_get_p(s, s->all_ps[0]);
  if (p != NULL) {
    p->m = m;
    m->next_p = p;
  }
  rt_store_seq(&s->begun, 1u);  // seq: see inbox.c
  s->running = true;
  rt_unlock(&s->lock);
  if (p == NULL) return NULL;
  proc_make_runnable(p, main_g);
  runq_put_next(p, main_g, false);
  return m;
}

// All Ms are threads of their own, so that sched_run can return while any of
// them is stuck in the kernel. Only if the system refuses the thread, the
// caller's takes its place.
static void run_first_m(M *m) {
  if (proc_m_start(m)) return;
  Sched *s = m->sched;
  rt_lock(&s->lock);
  m->done = false;
  s->ms.live++;
  rt_unlock(&s->lock);
  int64_t slack = rt_timer_slack(1);
  proc_m_thread(m);
  rt_timer_slack(slack);
}

static void start_sysmon(Sched *s) {
  // Without it Gs are still preempted by their own looks.
  bool started = rt_thread_start(&s->sysmon.thread, sysmon_main, s) == 0;
  rt_store_relaxed(&s->sysmon.started, started);  // relaxed: see syscall.c
}

// Waits until all Ms have left, or until, after the end has begun, the rest is
// in system calls and time is up. Returns how many are. It also waits while Ms
// are being started, because join_ms must see whether they were.
static uint32_t wait_for_ms(Sched *s, int64_t linger_ns) {
  for (;;) {
    uint32_t seen = rt_load_acquire(&s->end_seq);  // acquire: before counting
    // seq: pairs with the store in sched_exit_soon, before
    // lifecycle_count_again
    bool wanted = rt_load_seq(&s->exit_wanted);
    rt_lock(&s->lock);
    if (wanted) lifecycle_begin_exit(s, SCHED_EXITED);
    uint32_t live = s->ms.live, starting = s->ms.starting;
    bool only_calls = s->end.at != 0 && live <= s->calls.count;
    int64_t until = RT_FOREVER;
    if (only_calls && linger_ns < RT_FOREVER - s->end.at) {
      until = s->end.at + linger_ns;
    }
    rt_unlock(&s->lock);
    if (starting == 0) {
      if (live == 0) return 0;
      if (only_calls && rt_now() >= until) return live;
    }
    rt_futex_wait(&s->end_seq, seen, until);
  }
}

static void join_ms(Sched *s) {
  rt_lock(&s->lock);
  M *first = s->ms.all;
  rt_unlock(&s->lock);
  for (M *m = first; m != NULL; m = m->all_next) {
    rt_lock(&s->lock);
    bool started = m->started, done = m->done;
    rt_unlock(&s->lock);
    if (!started) continue;
    if (done) {
      rt_thread_join(&m->thread);
    } else {
      rt_thread_detach(&m->thread);  // stuck: ends by itself, some day
    }
  }
}

SchedEnd sched_run(Sched *s, G *main_g, int64_t linger_ns, int *stuck) {
  if (stuck != NULL) *stuck = 0;
  M *m = first_m(s, main_g);
  // relaxed: written with the lock held, which first_m has taken
  if (m == NULL)
    return rt_load_relaxed(&s->exiting) ? SCHED_EXITED : SCHED_NO_MEMORY;
  start_sysmon(s);
  run_first_m(m);
  uint32_t left = wait_for_ms(s, linger_ns);
  if (s->sysmon.started) rt_thread_join(&s->sysmon.thread);
  s->end.leaked = left > 0;
  if (stuck != NULL) *stuck = (int)left;
  join_ms(s);
  rt_lock(&s->lock);
  s->running = false;
  SchedEnd end = s->end.how;
  rt_unlock(&s->lock);
  if (end == SCHED_DEADLOCK && s->hooks.deadlock != NULL) {
    s->hooks.deadlock(s->hooks.host);
  }
  return end;
}

// --- Small ones -------------------------------------------------------------
int sched_procs(const Sched *s) { return procs_now(s); }

uint64_t sched_seed(const Sched *s) { return s->seed; }

// RMW: a count, which idle_check_deadlock reads
void sched_pin(Sched *s) { rt_add(&s->pins, (int64_t)1); }

void sched_unpin(Sched *s) {
  // seq: before idle_check_deadlock reads it
  int64_t before = rt_sub(&s->pins, (int64_t)1);
  RT_CHECK(before > 0, "sched_unpin without sched_pin");
  if (before > 1) return;
  if (s->stepped) {
    if (rt_load_seq(&s->begun)) stepped_ring(s);  // seq: after s->host.m
    return;
  }
  rt_lock(&s->lock);
  idle_check_deadlock(s);  // it may have been all that kept us waiting
  rt_unlock(&s->lock);
}
