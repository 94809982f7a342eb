// SPDX-License-Identifier: MIT
// What threads without a P leave for the Ps (row 23b): calls from the host's
// threads (sched_post), and Gs that the network made ready (poll.c). Two
// lock-free stacks: any thread pushes by CAS, whoever holds a P takes all by
// one exchange and turns the order round. An M drains them in find_runnable,
// and in its looks when LOOK_INBOX asks for it.
//
// Nothing stays there: a thread that pushes wakes an M for an idle P, under the
// protocol of idle.c (the push is S1, a read-modify-write; work_anywhere looks
// here); if no P is idle, it flags one that runs. A P that is flagged does not
// go into a call, nor idle, before it has drained (sched_syscall_enter,
// release_p).
#include "internal.h"

bool inbox_pending(Sched *s) {
  // seq: read by the idle protocol after `spinning` was dropped (idle.c)
  return rt_load_seq(&s->inbox.posts) != NULL ||
         rt_load_seq(&s->inbox.woken) != NULL;
}

// --- Any thread -------------------------------------------------------------
void inbox_flag(Sched *s) {
  int procs = procs_now(s);
  for (int i = 0; i < procs; i++) {
    P *p = p_at(s, i);
    if (p_status(p) != P_RUNNING) continue;
    // seq: the flag, then the status, as in syscall.c; pairs with T1
    rt_or(&p->look, LOOK_INBOX);
    // seq: the flag, then the status, as in syscall.c; going idle, p looks here
    if ((rt_load_seq(&p->status) & P_STATUS_MASK) == P_RUNNING) return;
  }
  // all in calls, or on their way to or from one: sysmon takes one
  rt_note_set(&s->sysmon_note);
}

static void ring(Sched *s) {
  // seq: before the start the first M drains, which looks after it was set
  if (!rt_load_seq(&s->begun)) return;
  if (s->stepped) {
    stepped_ring(s);
    return;
  }
  // seq: S2 of idle.c; a spinner looks here before it sleeps
  if (rt_load_seq(&s->spinning) != 0) return;
  // seq: as the load above
  if (rt_load_seq(&s->idle_count) == 0) {
    inbox_flag(s);
  } else {
    idle_wakep(s);
  }
}

void inbox_push(Sched *s, SchedPost *post) {
  SchedPost *first = rt_load_relaxed(&s->inbox.posts);  // relaxed: CAS decides
  do {
    post->next = first;
    // seq: S1 of idle.c; the post is whole for the exchange in inbox_drain
  } while (!rt_cas(&s->inbox.posts, &first, post));
}

void sched_post(Sched *s, SchedPost *post) {
  inbox_push(s, post);
  ring(s);
}

void sched_post_put(Sched *s, SchedPost *post) { inbox_push(s, post); }

void sched_post_tell(Sched *s) { ring(s); }

void inbox_put_gs(Sched *s, GList *list) {
  if (list->count == 0) return;
  G *first = rt_load_relaxed(&s->inbox.woken);  // relaxed: the CAS decides
  do {
    list->last->link = first;
    // seq: as in inbox_push
  } while (!rt_cas(&s->inbox.woken, &first, list->first));
  ring(s);
}

// --- Owner P ----------------------------------------------------------------
static void run_posts(P *p, SchedPost *post) {
  SchedPost *oldest = NULL;
  while (post != NULL) {
    SchedPost *next = post->next;
    post->next = oldest;
    oldest = post;
    post = next;
  }
  while (oldest != NULL) {
    SchedPost *next = oldest->next;  // fn may free it
    oldest->fn(p, oldest);
    oldest = next;
  }
}

void inbox_drain(P *p) {
  Sched *s = p->sched;
  // relaxed: asked for again when something comes later
  if (rt_load_relaxed(&p->look) & LOOK_INBOX)
    // RMW: the bits that others set stay
    rt_and(&p->look, ~(uint32_t)LOOK_INBOX);
  if (!inbox_pending(s)) return;
  // acquire, both: what was posted is whole; pairs with the CAS of those that
  // put it
  SchedPost *posts = rt_exchange(&s->inbox.posts, (SchedPost *)NULL);
  G *g = rt_exchange(&s->inbox.woken, (G *)NULL);
  GList list = {0};
  while (g != NULL) {  // the oldest first
    G *next = g->link;
    g->link = list.first;
    list.first = g;
    if (list.last == NULL) list.last = g;
    list.count++;
    g = next;
  }
  poll_ready(p, &list);
  run_posts(p, posts);
}
