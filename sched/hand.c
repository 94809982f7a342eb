// SPDX-License-Identifier: MIT
// Handing on. A P that got many Gs at once, from a list made ready or from a
// steal, gives equal parts of them to some idle Ps and wakes their Ms. Each of
// these does the same with its part. So the Ms wake as a tree does, each with
// work in hand, and n of them are awake after some log n wakes. (One that wakes
// alone looks for work first, and only then wakes the next one.)
//
// States of an M that is woken so:
//   in the pool   m->idle. sched.lock guards it
//   claimed       m->claimed, out of the pool, m->given is NULL. Its P is not
//                 idle any more, and belongs to the giver, which alone touches
//                 the P's queues. The M may wake, but only waits again
//   given         m->given is set. P and M belong to the woken M, which goes on
//                 without sched.lock. That lock is what would be fought for
//
// What always holds: a claimed M is given its P soon, as the giver takes no
// other lock than those of urgent Gs and sched.lock in between, and does not
// stop for the world. So a stop of the world, or the end of the runtime, waits
// for a claimed M as for any other that has been woken with a P. A claim takes
// neither the M that watches the timers of idle Ps, nor one that rests or has a
// job.
//
// What is given lies in the ring, or the urgent queue, of a P that is not idle,
// before its M is woken. So thieves find it there if that M is late, and no
// other wake-up depends on it. The giver's own wake-ups stay as they are: this
// only comes beside them.
//
// A P that is alone ends that before it claims others (alone.c).
//
// Nothing is handed on while one P alone is idle (idle_wakep is enough then),
// by child first (a deque has no half to give), and, but for urgent Gs, in
// quiet times (crowd.c).
#include "sched/hand.h"

#include "sched/crowd.h"
#include "sched/idle.h"
#include "sched/runq.h"
#include "sched/urgent.h"

// Of the one queue of p that it would give of.
static uint32_t can_give(P *p, bool *urgent) {
  // relaxed: a hint
  uint32_t count = rt_load_relaxed(&p->urgent.list.count);
  *urgent = count >= 2 * HAND_GROUP;
  return *urgent ? count : runq_ring_length(p);
}

// How many Ps get a part of n Gs: none of them less than HAND_GROUP.
static uint32_t ps_for(uint32_t n, uint32_t idle) {
  uint32_t ps = n / HAND_GROUP - 1;
  if (ps > HAND_FAN) ps = HAND_FAN;
  return ps < idle ? ps : idle;
}

// Gives a part of what `from` has to one that is claimed, and lets its M go.
static void give(P *from, const IdlePair *to, bool urgent, uint32_t count) {
  P *p = to->p;
  GList part = {0};
  if (urgent) {
    urgent_take_some(from, count, &part);
    urgent_put(p, &part);
  } else {
    for (G *g; part.count < count && (g = runq_pop(from)) != NULL;)
      glist_push(&part, g);
    if (part.count > 0) runq_put_list(p, &part);
  }
  // relaxed: nobody else owns p. A new slice begins, as in idle_get_p
  rt_store_relaxed(&p->schedtick, p->schedtick + 1);
  to->m->spinning = false;
  // release: p's queues, and what is above. Pairs with was_given (idle.c)
  rt_store_release(&to->m->given, p);
  rt_note_set(&to->m->note);
}

void hand_on(P *p) {
  Sched *sched = p->sched;
  if (p->single || sched->config.child_first) return;
  for (;;) {
    bool urgent;
    uint32_t n = can_give(p, &urgent);
    // relaxed: a hint
    uint32_t idle = rt_load_relaxed(&sched->idle_count);
    if (idle < 2 || n < 2 * HAND_GROUP) return;
    if (!urgent && crowd_is_quiet(sched)) return;
    sched_not_alone(p);
    IdlePair pairs[HAND_FAN];
    uint32_t count = idle_claim(sched, pairs, ps_for(n, idle));
    if (count == 0) return;
    for (uint32_t i = 0; i < count; i++)
      give(p, &pairs[i], urgent, n / (count + 1));
  }
}
