// SPDX-License-Identifier: MIT
// What threads without a P leave for the Ps (row 23b). That is calls from the
// host's threads (sched_post), Gs that the network made ready (poll.c), and Gs
// whose call has returned while all Ps were busy (syscall.c). There are three
// lock-free stacks. Any thread pushes by CAS. A thread that holds a P takes all
// by one exchange and turns the order round. An M drains them in
// find_work_next, and in its looks when LOOK_INBOX asks for it.
//
// Nothing stays there. A thread that pushes wakes an M for an idle P, under the
// protocol of idle.c (the push is S1, a read-modify-write, and work_anywhere
// looks here). If no P is idle, it flags one that runs. A P that is flagged
// does not go into a call, nor idle, before it has drained
// (sched_syscall_enter, release_p). A thread that pushes and then looks here
// itself, as an idle M does before it sleeps, tells nobody.
#include "sched/inbox.h"
#include "sched/g.h"
#include "sched/idle.h"
#include "sched/poll.h"
#include "sched/stepped.h"
#include "sched/urgent.h"

bool inbox_pending(Sched *sched) {
  // seq: read by the idle protocol after `spinning` was dropped (idle.c)
  return rt_load_seq(&sched->inbox.posts) != NULL ||
         rt_load_seq(&sched->inbox.woken) != NULL ||
         rt_load_seq(&sched->inbox.returned) != NULL;
}

// --- Any thread -------------------------------------------------------------
void inbox_flag(Sched *sched) {
  int procs = procs_now(sched);
  // RMW: a count of calls of inbox_flag. Each P has its turn, so that none has
  // all the work
  uint32_t turn = rt_add(&sched->inbox.turn, 1u);
  for (int i = 0; i < procs; i++) {
    P *p = p_at(sched, (int)((turn + (uint32_t)i) % (uint32_t)procs));
    if (p_status(p) != P_RUNNING) continue;
    // seq: the flag, then the status, as in syscall.c. Pairs with T1
    rt_or(&p->look, LOOK_INBOX);
    // seq: the flag, then the status, as in syscall.c. A P that goes idle looks
    // here
    if ((rt_load_seq(&p->status) & P_STATUS_MASK) == P_RUNNING) return;
  }
  // All Ps are in calls, or on their way to or from one. Sysmon takes one.
  rt_note_set(&sched->sysmon.note);
}

static void ring(Sched *sched) {
  // seq: after inbox_push. Before the start the first M drains, which looks
  // after it was set (sched_run, stepped_begin)
  if (!rt_load_seq(&sched->begun)) return;
  if (sched->config.stepped) {
    stepped_ring(sched);
    return;
  }
  // seq: S2 of idle.c. A spinner looks here before it sleeps
  if (rt_load_seq(&sched->spinning) != 0) return;
  // seq: as the load above
  if (rt_load_seq(&sched->idle_count) == 0) {
    inbox_flag(sched);
  } else {
    idle_wakep(sched);
  }
}

void inbox_push(Sched *sched, SchedPost *post) {
  // relaxed: the CAS below decides
  SchedPost *first = rt_load_relaxed(&sched->inbox.posts);
  do {
    post->next = first;
    // seq: S1 of idle.c. The post is whole for the exchange in inbox_drain
  } while (!rt_cas(&sched->inbox.posts, &first, post));
}

void sched_post(Sched *sched, SchedPost *post) {
  inbox_push(sched, post);
  ring(sched);
}

void sched_post_put(Sched *sched, SchedPost *post) { inbox_push(sched, post); }

void sched_post_tell(Sched *sched) { ring(sched); }

static void push_list(G **stack, const GList *list) {
  G *first = rt_load_relaxed(stack);  // relaxed: the CAS below decides
  do {
    list->last->link = first;
    // seq: as in inbox_push
  } while (!rt_cas(stack, &first, list->first));
}

void inbox_put_gs(Sched *sched, GList *list, bool tell) {
  if (list->count == 0) return;
  push_list(&sched->inbox.woken, list);
  if (tell) ring(sched);
}

void inbox_put_returned(Sched *sched, G *g) {
  GList one = {g, g, 1};
  RT_ASSERT(g_is(g, G_RUNNABLE));
  push_list(&sched->inbox.returned, &one);
}

// --- Owner P ----------------------------------------------------------------
static void run_posts(P *p, SchedPost *post) {
  SchedPost *oldest = NULL;
  if (post != NULL) sched_not_alone(p);  // a host's function may take long
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

// All of a stack, the oldest first.
static GList take_stack(G **stack) {
  // acquire: the Gs are whole. Pairs with the CAS in push_list
  G *g = rt_exchange(stack, (G *)NULL);
  GList list = {0};
  while (g != NULL) {
    G *next = g->link;
    g->link = list.first;
    list.first = g;
    if (list.last == NULL) list.last = g;
    list.count++;
    g = next;
  }
  return list;
}

static void run_returned(P *p) {
  // relaxed: a hint. inbox_flag follows inbox_put_returned, and asks again
  if (rt_load_relaxed(&p->sched->inbox.returned) == NULL) return;
  GList list = take_stack(&p->sched->inbox.returned);
  int64_t now = p->clock = rt_now();
  for (G *g = list.first; g != NULL; g = g->link) g->since = now;
  bool wake = !p->single && (list.count > 1 || p->current != NULL);
  urgent_put(p, &list);
  if (wake) idle_wakep(p->sched);
}

void inbox_drain(P *p) {
  Sched *sched = p->sched;
  // relaxed: see P.look
  if (rt_load_relaxed(&p->look) & LOOK_INBOX)
    // RMW: see P.look
    rt_and(&p->look, ~(uint32_t)LOOK_INBOX);
  if (!inbox_pending(sched)) return;
  // acquire: what was posted is whole. Pairs with the CAS in inbox_push
  SchedPost *posts = rt_exchange(&sched->inbox.posts, (SchedPost *)NULL);
  GList woken = take_stack(&sched->inbox.woken);
  poll_ready(p, &woken);
  run_returned(p);
  p->marks |= MARK_POSTS;
  run_posts(p, posts);
  p->marks &= (uint8_t)~MARK_POSTS;
}
