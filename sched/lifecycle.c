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
static void init_p(Sched *sched, P *p, int id) {
  memset(p, 0, sizeof *p);
  p->sched = sched;
  p->id = id;
  p->random = sched->config.seed + (uint64_t)id * 0xD1342543DE82EF95u;
  p->status = P_DEAD;
  p->next_limit = NEXT_PICKS_MAX;
  timers_init(p);
}

static void free_p(P *p) {
  timers_free(p);
  mem_free(p->trace.events);
  mem_free_lines(p);
}

P *lifecycle_make_p(Sched *sched, int id) {
  P *p = p_at(sched, id);
  if (p == NULL) {
    p = mem_lines(sched->memory, sizeof *p);
    if (p == NULL) return NULL;
    init_p(sched, p, id);
    if (!trace_init_p(p)) {
      mem_free_lines(p);
      return NULL;
    }
    RT_ASSERT(sched->ps.made == id);
    // release, both: pairs with acquire in p_at. The count comes after the P
    rt_store_release(&sched->ps.all[id], p);
    rt_store_release(&sched->ps.made, id + 1);
  }
  SchedHooks *hooks = &sched->hooks;
  if (hooks->p_init != NULL && !hooks->p_init(hooks->host, p)) return NULL;
  // seq: lifecycle_begin_exit sets the flag, then goes over the Ps made
  rt_store_seq(&p->look, rt_load_seq(&sched->exiting) ? LOOK_EXIT : 0u);
  rt_store_relaxed(&p->status, P_STOPPED);  // relaxed: world stopped
  return p;
}

void lifecycle_drop_p(P *p) {
  SchedHooks *hooks = &p->sched->hooks;
  if (hooks->p_free != NULL) hooks->p_free(hooks->host, p);
  rt_store_relaxed(&p->status, P_DEAD);  // relaxed: world stopped
}

// --- New and free -----------------------------------------------------------
void sched_free(Sched *sched) {
  if (sched == NULL || sched->end.leaked) return;
  for (int i = 0; i < sched->ps.made; i++) {
    P *p = sched->ps.all[i];
    if (p->status != P_DEAD) lifecycle_drop_p(p);
    free_p(p);
  }
  for (M *m = sched->ms.all, *next; m != NULL; m = next) {
    next = m->all_next;
    mem_free_lines(m);
  }
  trace_free(sched);
  poll_free_all(sched);
  steal_order_free(sched);
  mem_free_lines(sched);
}

int sched_leave(Sched *sched, void (*last)(void *arg), void *arg) {
  rt_lock(&sched->lock);
  int stuck = sched->end.leaked ? (int)sched->ms.live : 0;
  sched->end.leaked = stuck > 0;
  sched->end.last = last;
  sched->end.last_arg = arg;
  rt_unlock(&sched->lock);
  return stuck;
}

int lifecycle_clamp_procs(const Sched *sched, int procs) {
  int most = sched->config.m_limit > PROCS_MAX ? PROCS_MAX
                                               : (int)sched->config.m_limit - 1;
  if (procs > most) procs = most;
  return procs < 1 ? 1 : procs;
}

uint32_t lifecycle_calls_allowed(const Sched *sched, int of_procs) {
  uint32_t procs = (uint32_t)of_procs;
  if (sched->config.m_limit <= procs) return SYSCALLS_MAX_DEFAULT;
  uint32_t left = sched->config.m_limit - procs;
  return left < SYSCALLS_MAX_DEFAULT ? left : SYSCALLS_MAX_DEFAULT;
}

static void configure(Sched *sched, const SchedConfig *config) {
  sched->hooks = config->hooks;
  sched->config.empty_word = config->empty_word;
  sched->config.child_first = config->child_first;
  sched->config.stepped = config->stepped;
  sched->host.until = sched->host.limit = sched->host.alarm = RT_FOREVER;
  sched->host.slice_ns = SLICE_NS;
  sched->config.seed = config->seed != 0 ? config->seed : rt_entropy() | 1;
  sched->config.m_limit = M_LIMIT_DEFAULT;
  if (config->max_threads > 0)
    sched->config.m_limit = (uint32_t)config->max_threads;
  sched->config.futile_max = FUTILE_MAX;
  sched->config.cpus = cpu_count_in_affinity();
  sched->steal.topology = config->topology;
  sched->ps.count = 1;
  if (!sched->config.stepped) {
    int procs = config->procs > 0 ? config->procs : sched_default_procs();
    sched->ps.count = lifecycle_clamp_procs(sched, procs);
    sched->cpus.follows = config->procs <= 0;
  }
  sched->config.syscalls_given = config->max_syscalls > 0;
  sched->config.syscalls_max =
      sched->config.syscalls_given
          ? (uint32_t)config->max_syscalls
          : lifecycle_calls_allowed(sched, sched->ps.count);
  sched->lock.rank = &rank_sched;
  sched->started_at = sched->sysmon.collected_at = rt_now();
  sched->sysmon.counted_at = sched->started_at;
}

Sched *sched_new(const SchedConfig *config) {
  const Memory *memory = config->memory != NULL ? config->memory : &mem_libc;
  Sched *sched = mem_lines(memory, sizeof *sched);
  if (sched == NULL) return NULL;
  memset(sched, 0, sizeof *sched);
  sched->memory = memory;
  configure(sched, config);
  bool fine = trace_init(sched, config);
  steal_order_of_procs(sched);
  if (sched->steal.topology != NULL) steal_order_open(sched);
  for (int i = 0; i < sched->ps.count; i++) {
    P *p = fine ? lifecycle_make_p(sched, i) : NULL;
    if (p == NULL) {
      sched_free(sched);
      errno = ENOMEM;
      return NULL;
    }
    p->single = p->alone = sched->ps.count == 1;
  }
  rt_lock(&sched->lock);
  for (int i = sched->ps.count - 1; i >= 0; i--)
    idle_put_p(sched, sched->ps.all[i]);
  rt_unlock(&sched->lock);
  return sched;
}

// --- Run and end ------------------------------------------------------------
void lifecycle_count_again(Sched *sched) {
  // release: pairs with the acquire in wait_for_ms
  rt_add(&sched->end_seq, 1u);
  rt_futex_wake(&sched->end_seq, 1);
}

void lifecycle_begin_exit(Sched *sched, SchedEnd end) {
  // relaxed: written with the lock held
  if (rt_load_relaxed(&sched->exiting)) return;
  sched->end.how = end;
  sched->end.at = rt_now();
  // seq: before the Ps are gone over. Pairs with the load in lifecycle_make_p
  rt_store_seq(&sched->exiting, 1u);
  // seq: after the flag. lifecycle_make_p reads the flag after it has made one
  int made = rt_load_seq(&sched->ps.made);
  for (int i = 0; i < made; i++) {
    P *p = p_at(sched, i);
    rt_or(&p->look, LOOK_EXIT);  // seq: before the status, see syscall.c
    if (syscall_retake(sched, p)) stop_world_p_left(sched, p);
  }
  for (M *m = sched->ms.all; m != NULL; m = m->all_next) idle_wake_m(m);
  rt_note_set(&sched->sysmon.note);
  lifecycle_count_again(sched);
}

void sched_exit(Sched *sched) {
  rt_lock(&sched->lock);
  lifecycle_begin_exit(sched, SCHED_EXITED);
  rt_unlock(&sched->lock);
}

// acquire: what the end was begun for. Pairs with lifecycle_begin_exit
bool sched_is_over(const Sched *sched) {
  return rt_load_acquire(&sched->exiting);
}

void sched_exit_soon(Sched *sched) {
  // seq: before it is looked for, in wait_for_ms and attend
  rt_store_seq(&sched->exit_wanted, 1u);
  lifecycle_count_again(sched);
  sched_interrupt(sched);
}

// Makes the first M, with a P that main_g is queued on. That M will take
// main_g, so no other M is woken. NULL: out of memory, or ended before it
// began.
static M *first_m(Sched *sched, G *main_g) {
  rt_lock(&sched->lock);
  RT_CHECK(!sched->running && sched->ms.made == 0,
           "sched_run was called twice");
  M *m = proc_m_new(sched);
  P *p = m == NULL ? NULL : idle_get_p(sched, sched->ps.all[0]);
  if (p != NULL) {
    p->m = m;
    m->next_p = p;
  }
  rt_store_seq(&sched->begun, 1u);  // seq: see inbox.c
  sched->running = true;
  rt_unlock(&sched->lock);
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
  Sched *sched = m->sched;
  rt_lock(&sched->lock);
  m->done = false;
  sched->ms.live++;
  rt_unlock(&sched->lock);
  int64_t slack = rt_timer_slack(1);
  proc_m_thread(m);
  rt_timer_slack(slack);
}

static void start_sysmon(Sched *sched) {
  // Without it Gs are still preempted by their own looks.
  bool started =
      rt_thread_start(&sched->sysmon.thread, sysmon_main, sched) == 0;
  rt_store_relaxed(&sched->sysmon.started, started);  // relaxed: see syscall.c
}

// Waits until all Ms have left, or until, after the end has begun, the rest is
// in system calls and time is up. Returns how many are. It also waits while Ms
// are being started, because join_ms must see whether they were.
static uint32_t wait_for_ms(Sched *sched, int64_t linger_ns) {
  for (;;) {
    // acquire: before counting. Pairs with lifecycle_count_again
    uint32_t seen = rt_load_acquire(&sched->end_seq);
    // seq: pairs with the store in sched_exit_soon, before
    // lifecycle_count_again
    bool wanted = rt_load_seq(&sched->exit_wanted);
    rt_lock(&sched->lock);
    if (wanted) lifecycle_begin_exit(sched, SCHED_EXITED);
    uint32_t live = sched->ms.live, starting = sched->ms.starting;
    bool only_calls = sched->end.at != 0 && live <= sched->calls.count;
    int64_t until = RT_FOREVER;
    if (only_calls && linger_ns < RT_FOREVER - sched->end.at) {
      until = sched->end.at + linger_ns;
    }
    rt_unlock(&sched->lock);
    if (starting == 0) {
      if (live == 0) return 0;
      if (only_calls && rt_now() >= until) return live;
    }
    rt_futex_wait(&sched->end_seq, seen, until);
  }
}

static void join_ms(Sched *sched) {
  rt_lock(&sched->lock);
  M *first = sched->ms.all;
  rt_unlock(&sched->lock);
  for (M *m = first; m != NULL; m = m->all_next) {
    rt_lock(&sched->lock);
    bool started = m->started, done = m->done;
    rt_unlock(&sched->lock);
    if (!started) continue;
    if (done) {
      rt_thread_join(&m->thread);
    } else {
      rt_thread_detach(&m->thread);  // stuck: ends by itself, some day
    }
  }
}

SchedEnd sched_run(Sched *sched, G *main_g, int64_t linger_ns, int *stuck) {
  if (stuck != NULL) *stuck = 0;
  M *m = first_m(sched, main_g);
  // relaxed: written with the lock held, which first_m has taken
  if (m == NULL)
    return rt_load_relaxed(&sched->exiting) ? SCHED_EXITED : SCHED_NO_MEMORY;
  start_sysmon(sched);
  run_first_m(m);
  uint32_t left = wait_for_ms(sched, linger_ns);
  if (sched->sysmon.started) rt_thread_join(&sched->sysmon.thread);
  sched->end.leaked = left > 0;
  if (stuck != NULL) *stuck = (int)left;
  join_ms(sched);
  rt_lock(&sched->lock);
  sched->running = false;
  SchedEnd end = sched->end.how;
  rt_unlock(&sched->lock);
  if (end == SCHED_DEADLOCK && sched->hooks.deadlock != NULL) {
    sched->hooks.deadlock(sched->hooks.host);
  }
  return end;
}

// --- Small ones -------------------------------------------------------------
int sched_procs(const Sched *sched) { return procs_now(sched); }

// RMW: a count, which idle_check_deadlock reads
void sched_pin(Sched *sched) { rt_add(&sched->pins, (int64_t)1); }

void sched_unpin(Sched *sched) {
  // seq: before idle_check_deadlock reads it
  int64_t before = rt_sub(&sched->pins, (int64_t)1);
  RT_CHECK(before > 0, "sched_unpin without sched_pin");
  if (before > 1) return;
  if (sched->config.stepped) {
    // seq: after the rt_sub, as in ring (inbox.c). stepped_begin has stored
    // sched->host.m before
    if (rt_load_seq(&sched->begun)) stepped_ring(sched);
    return;
  }
  rt_lock(&sched->lock);
  idle_check_deadlock(sched);  // it may have been all that kept us waiting
  rt_unlock(&sched->lock);
}
