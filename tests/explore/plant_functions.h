// SPDX-License-Identifier: MIT
// Planted bugs, second part: functions of sched/ that do not all they must.
// After the sources that define them, before those that call them. The first
// part, plant_atomics.h, has given the right ones other names.
#ifndef CSP_TESTS_PLANT_FUNCTIONS_H
#define CSP_TESTS_PLANT_FUNCTIONS_H

#if defined(PLANT_NO_RECHECK)
// The M that stops spinning sleeps without a second look.
#define idle_look_again(m) ((void)(m))

#elif defined(PLANT_FORGOTTEN_WAKE)
// Spawn wakes nobody.
#define idle_wake_for_queue(s) \
  (PLANT_IN("sched_spawn") ? (void)(s) : idle_wake_for_queue(s))

#elif defined(PLANT_LAST_SPINNER)
// The last spinner that finds work wakes no other.
#define idle_stop_spinning(m) \
  ((m)->spinning = false, (void)rt_sub(&(m)->sched->spinning, 1u))

#elif defined(PLANT_DOUBLE_PUT)
// The G in runnext goes to the ring's tail, and stays where it is.
#undef runq_displace_next
static void runq_displace_next(P *p) {
  G *g = rt_load_relaxed(&p->runnext);
  if (g != NULL) runq_put(p, g);
}

#elif defined(PLANT_PARKER_WRITES)
// The parker writes to its G when others may have it already.
#undef chan_recv
static ChanResult chan_recv(P *p, G *g, Chan *chan, uint64_t *word,
                            WaitReason reason) {
  ChanResult result = right_chan_recv(p, g, chan, word, reason);
  if (result == CHAN_PARKED) g->wait.success = false;
  return result;
}

#elif defined(PLANT_STOP_NO_RECHECK)
// Stop does not look again, under the lock, whose the timer is.
#undef timer_stop
static bool timer_stop(P *p, Timer *timer) {
  P *owner = rt_load_acquire(&timer->owner);
  if (owner == NULL) return false;
  heap_lock(p, &owner->timers);
  if (timer->at != -1) heap_remove(owner, timer);
  first_changed(owner);
  heap_unlock(p, &owner->timers);
  return true;
}

#elif defined(PLANT_EARLY_DEADLOCK)
// Gs in blocking calls do not count.
#undef idle_check_deadlock
static void idle_check_deadlock(Sched *sched) {
  uint32_t calls = sched->calls.count;
  sched->calls.count = 0;
  right_check_deadlock(sched);
  sched->calls.count = calls;
}

#elif defined(PLANT_STARTED_TWICE)
// The M that has started the world and sees it stopped starts it again.
#undef sched_start_world
static void sched_start_world(P *p) {
  right_start_world(p);
  if (rt_load_seq(&p->sched->stopping)) stop_world_end(p->sched);
}
#endif

#endif
