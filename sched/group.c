// SPDX-License-Identifier: MIT
// Groups (row 28): which Gs belong to one, its end, and cancelling it.
//
// States of a group:
//   live       its owner and members run as they like
//   cancelled  (cancelled != 0) each of them that is not shielded is cancelled,
//              and so are the groups in it. The timer is for the time of grace
//   hard       (grace_over != 0) those that are shielded are cancelled, too
//   ended      it has no members. Only late cancellers and timers touch it, and
//              they see that it has ended
//
// `cancelled` and `grace_over` are set once, by CAS. The thread that did it
// walks through members, owner and inner groups, with the lock, and takes
// (cancel.c) those that are parked. So each G is found: it joined before the
// walk, or sees the flag at its first operation. The same holds for a group
// that is begun meanwhile. It is in the list before the walk, or inherits the
// flag, with the parent's lock.
//
// A canceller holds the lock of one group at a time. It puts inner groups on
// its own list of work. They cannot be freed before it is through, because
// memory is given back only while no P is between two safepoints.
//
// A member leaves when its work is done, and the last one readies an owner that
// waits. The owner's own wait is not cancelled, because cancelling its members
// ends it.
//
// An aide is a member that works for the others, and ends with them. Its group
// does not wait for its work: when only aides are left the owner cancels them.
// The group ends when they have ended, too. The collector takes aides that
// nothing can wake, and no other members of a group that can go on.
//
// A solo group is a way to cancel one G. What that G starts joins the group
// around. A G may get one while it runs or waits, if the world is stopped
// (group_begin_outer). So each G shows where it parks, also without a group.
//
// A cancelled G that only computes comes to no operation that tells it. The
// layer above asks at its safepoints whether the group's patience is over
// (group_is_late). That time begins with the cancellation, anew for those that
// are shielded when the time of grace is over, and anew for a G that was told.
//
// A G is shielded while it is in deferred calls, which the layer above counts.
// A group that it begins then remembers that (in_shield). Inside that group the
// G is not shielded, but the group is cancelled only when the shielded G would
// be.
#include "sched/group.h"
#include "sched/cancel.h"
#include "sched/workspan.h"

// --- Members and inner groups: lock held ------------------------------------
enum { MEMBERS_SEEN = 8 };  // by group_is_valid: there may be many

bool group_is_valid(const Group *group) {
  uint32_t seen = 0;
  const G *prev = NULL, *g = group->members;
  for (; g != NULL && seen < MEMBERS_SEEN; seen++) {
    if (g->member_prev != prev) return false;
    prev = g;
    g = g->member_next;
  }
  bool counted = g == NULL ? group->count == seen : group->count > seen;
  if (group->aides > group->count) return false;
  return counted && (!group->ended || group->count == 0);
}

static void link_member(Group *group, G *g) {
  g->member_prev = NULL;
  g->member_next = group->members;
  if (group->members != NULL) group->members->member_prev = g;
  group->members = g;
  group->count++;
  if (g->is_aide) group->aides++;
  RT_ASSERT(group_is_valid(group));
}

static void unlink_member(Group *group, G *g) {
  RT_ASSERT(group->count > 0 && !group->ended);
  G *prev = g->member_prev, *next = g->member_next;
  *(prev != NULL ? &prev->member_next : &group->members) = next;
  if (next != NULL) next->member_prev = prev;
  g->member_next = g->member_prev = NULL;
  group->count--;
  if (g->is_aide) group->aides--;
  g->is_aide = false;
  RT_ASSERT(group_is_valid(group));
}

// Members for which the owner waits now.
static bool has_awaited(const Group *group) {
  return group->count > (group->dismissed ? 0 : group->aides);
}

static void link_inner(Group *parent, Group *group) {
  group->inner_prev = NULL;
  group->inner_next = parent->inner;
  if (parent->inner != NULL) parent->inner->inner_prev = group;
  parent->inner = group;
}

static void unlink_inner(Group *parent, Group *group) {
  Group *prev = group->inner_prev, *next = group->inner_next;
  *(prev != NULL ? &prev->inner_next : &parent->inner) = next;
  if (next != NULL) next->inner_prev = prev;
  RT_ASSERT(prev == NULL || prev->inner_next == next);
  group->inner_next = group->inner_prev = NULL;
}

// The flag of the parent that this group follows.
static uint32_t inherited(const Group *group) {
  const Group *parent = group->parent;
  // seq, both: a flag that was set before this group was linked is seen. Pairs
  // with set_flag, after whose CAS the canceller takes the lock
  return group->in_shield ? rt_load_seq(&parent->grace_over)
                          : rt_load_seq(&parent->cancelled);
}

// --- Cancelling -------------------------------------------------------------
typedef struct Walk {
  P *p;
  Group *work;  // their `cancelled` was set by this walk
  GList woken;
} Walk;

// Sets the flag. false: it was set already.
static bool set_flag(uint32_t *flag, uint32_t reason) {
  uint32_t none = 0;
  return rt_cas(flag, &none, reason);  // seq: before parked_on is read
}

static void take_g(Walk *walk, G *g) {
  if (cancel_take(walk->p, g)) glist_push(&walk->woken, g);
}

// Lock held.
static void take_all(Walk *walk, Group *group, bool hard, uint32_t reason) {
  walk->p->woken += group->count + 1;
  for (G *g = group->members; g != NULL; g = g->member_next) take_g(walk, g);
  take_g(walk, group->owner);
  for (Group *in = group->inner; in != NULL; in = in->inner_next) {
    if (in->in_shield != hard || !set_flag(&in->cancelled, reason)) continue;
    in->work = walk->work;
    walk->work = in;
  }
}

// Lock held: its time of grace begins.
static void start_grace(P *p, Group *group) {
  int64_t now = rt_now(), grace = group->grace;
  group->harden = grace > INT64_MAX - now ? INT64_MAX : now + grace;
  if (group->since == 0) group->since = now;
  timer_start(p, &group->timer, group->harden, 0);
}

static void finish(Walk *walk, uint32_t reason) {
  while (walk->work != NULL) {
    Group *group = walk->work;
    walk->work = group->work;
    rt_lock(&group->lock);
    if (!group->ended) {
      take_all(walk, group, false, reason);
      start_grace(walk->p, group);
    }
    rt_unlock(&group->lock);
  }
  if (walk->woken.count > 0)
    sched_ready_list(walk->p, walk->woken.first, (int)walk->woken.count);
}

bool group_cancel(P *p, Group *group, CancelReason reason) {
  if (!set_flag(&group->cancelled, reason)) return false;
  Walk walk = {.p = p, .work = group};
  group->work = NULL;
  finish(&walk, reason);
  return true;
}

static void harden(P *p, Group *group) {
  Walk walk = {.p = p};
  // seq: set_flag has set it, as its time of grace runs
  uint32_t reason = rt_load_seq(&group->cancelled);
  rt_lock(&group->lock);
  // with the lock: a G that sees the flag waits for the new time
  // (group_is_late)
  bool first = set_flag(&group->grace_over, reason);
  if (first) group->since = rt_now();
  if (first && !group->ended) take_all(&walk, group, true, reason);
  rt_unlock(&group->lock);
  finish(&walk, reason);
}

static Group *timer_group(const Timer *timer) {
  return (Group *)((char *)(uintptr_t)timer - offsetof(Group, timer));
}

static void group_fire(P *p, Timer *timer, int64_t now) {
  Group *group = timer_group(timer);
  rt_lock(&group->lock);
  bool ended = group->ended;
  // (An old deadline may fire after the timer was set for the time of grace.)
  bool over = group->harden != 0 && now >= group->harden;
  rt_unlock(&group->lock);
  if (ended) return;
  if (over) {
    harden(p, group);
  } else {
    group_cancel(p, group, CANCEL_DEADLINE);
  }
}

Group *group_of_timer(const Timer *timer) {
  return timer->fire == group_fire ? timer_group(timer) : NULL;
}

void group_deadline(P *p, Group *group, int64_t when) {
  rt_lock(&group->lock);
  // Lock held: a thread that sets the flag later stops this timer in its walk.
  // seq: pairs with set_flag
  if (!group->ended && rt_load_seq(&group->cancelled) == 0) {
    rt_store_relaxed(&group->deadline, when);  // relaxed: see group_look
    timer_start(p, &group->timer, when, 0);
  }
  rt_unlock(&group->lock);
}

void group_look(P *p, const G *g) {
  int64_t now = 0;
  for (Group *group = g->group; group != NULL; group = group->parent) {
    // relaxed: nothing but the time is handed over by group_deadline
    int64_t deadline = rt_load_relaxed(&group->deadline);
    if (deadline == 0) continue;
    if (now == 0) now = rt_now();
    if (now >= deadline) group_cancel(p, group, CANCEL_DEADLINE);
  }
}

bool group_deadline_over(const G *g) {
  int64_t now = 0;
  for (const Group *group = g->group; group != NULL; group = group->parent) {
    // relaxed: nothing but the time is handed over by group_deadline
    int64_t deadline = rt_load_relaxed(&group->deadline);
    if (deadline == 0) continue;
    if (now == 0) now = rt_now();
    if (now >= deadline) return true;
  }
  return false;
}

void group_set_grace(P *p, Group *group, int64_t ns) {
  rt_lock(&group->lock);
  group->grace = ns;
  if (!group->ended && group->harden != 0) start_grace(p, group);
  rt_unlock(&group->lock);
}

void group_set_patience(Group *group, int64_t ns) {
  rt_lock(&group->lock);
  group->patience = ns;
  rt_unlock(&group->lock);
}

bool group_is_late(const G *g, int64_t told) {
  if (g_cancelled(g) == NOT_CANCELLED) return false;
  Group *group = g->group;
  rt_lock(&group->lock);
  // 0: its canceller has set the flag, and will take the lock
  int64_t since = group->since, patience = group->patience;
  rt_unlock(&group->lock);
  if (since == 0) return false;
  return rt_now() - (told > since ? told : since) >= patience;
}

// --- Begin, join, leave, end ------------------------------------------------
void group_begin(P *p, G *g, Group *group) {
  Group *parent = g->group;
  *group = (Group){.owner = g,
                   .parent = parent,
                   .grace = GROUP_GRACE_NS,
                   .patience = GROUP_PATIENCE_NS};
  group->lock.rank = &rank_group;
  group->in_shield = g->shielded;
  group->timer.fire = group_fire;
  if (parent != NULL) {
    rt_lock(&parent->lock);
    link_inner(parent, group);
    uint32_t reason = inherited(group);
    bool mine = reason != 0 && set_flag(&group->cancelled, reason);
    rt_unlock(&parent->lock);
    if (mine) {
      rt_lock(&group->lock);
      start_grace(p, group);
      rt_unlock(&group->lock);
    }
  }
  // release: others that look at g see the group whole. Pairs with g_cancelled
  rt_store_release(&g->group, group);
  rt_store_relaxed(&g->shielded, (uint8_t)0);  // relaxed: g's own
}

void group_begin_solo(P *p, G *g, Group *group) {
  group_begin(p, g, group);
  group->solo = true;
}

void group_begin_outer(G *g, Group *group) {
  Group *inner = g->group;
  *group = (Group){.owner = g,
                   .solo = true,
                   .grace = GROUP_GRACE_NS,
                   .patience = GROUP_PATIENCE_NS};
  group->lock.rank = &rank_group;
  group->timer.fire = group_fire;
  if (inner == NULL) {
    rt_store_release(&g->group, group);  // release: as in group_begin
    return;
  }
  while (inner->parent != NULL) inner = inner->parent;
  RT_ASSERT(inner->owner == g);  // it is no member
  link_inner(group, inner);
  inner->parent = group;
}

static void join_group(Group *group, G *g, bool is_aide) {
  while (group != NULL && group->solo) group = group->parent;
  // relaxed, both: g has not started. A canceller finds it with the group's
  // lock held, which is taken below
  rt_store_relaxed(&g->shielded, (uint8_t)0);
  rt_store_relaxed(&g->parked_on, (uintptr_t)0);
  // release: as in group_begin. A thread that has parked the G that g was
  // before may look at it still (cancel_self)
  rt_store_release(&g->group, group);
  if (group == NULL) return;
  rt_lock(&group->lock);
  RT_CHECK(!group->ended, "a goroutine joins a group that has ended");
  g->is_aide = is_aide;
  link_member(group, g);
  rt_unlock(&group->lock);
}

void group_join(P *p, Group *group, G *g) {
  (void)p;
  join_group(group, g, false);
}

void group_join_aide(P *p, Group *group, G *g) {
  (void)p;
  join_group(group, g, true);
}

void group_lose_aide(G *g) {
  Group *group = g->group;
  rt_lock(&group->lock);
  unlink_member(group, g);
  rt_unlock(&group->lock);
  rt_store_relaxed(&g->group, (Group *)NULL);  // relaxed: the world is stopped
}

bool group_is_done(Group *group) {
  rt_lock(&group->lock);
  bool done = group->count == group->aides;
  rt_unlock(&group->lock);
  return done;
}

// Lock held.
static void note_span(P *p, Group *group) {
  int64_t span = workspan_now(p);
  if (span > group->span) group->span = span;
}

void group_leave(P *p, G *g) {
  if (g->group != NULL && g->group->solo) group_end(p, g);  // does not park
  Group *group = g->group;
  if (group == NULL) return;
  rt_lock(&group->lock);
  unlink_member(group, g);
  if (p->marks & MARK_SPAN) note_span(p, group);
  G *owner = group->waiting && !has_awaited(group) ? group->owner : NULL;
  if (owner != NULL) group->waiting = false;
  rt_unlock(&group->lock);
  rt_store_relaxed(&g->group, (Group *)NULL);  // relaxed: g's own
  if (owner != NULL) sched_ready(p, owner);
}

void group_wake_owner(P *p, Group *group) {
  rt_lock(&group->lock);
  bool waits = group->waiting;
  group->waiting = false;
  rt_unlock(&group->lock);
  if (waits) sched_ready(p, group->owner);
}

static bool still_has_members(G *g, void *arg) {
  (void)g;
  Group *group = arg;
  rt_lock(&group->lock);
  bool some = has_awaited(group);
  group->waiting = some;
  rt_unlock(&group->lock);
  return some;
}

// Whether g has to wait for members. It cancels those that are left when none
// but aides are.
static bool dismiss_aides(P *p, Group *group) {
  if (group->solo) return false;  // it has no members
  rt_lock(&group->lock);
  bool some = group->count > 0;
  bool now = some && !has_awaited(group);
  if (now) group->dismissed = true;
  rt_unlock(&group->lock);
  if (now) group_cancel(p, group, CANCELLED);
  return some;
}

bool group_end(P *p, G *g) {
  Group *group = g->group;
  RT_CHECK(group != NULL && group->owner == g, "it ends a group of others");
  // Only g and its members can start others. g does not park where only aides
  // are left meanwhile.
  while (dismiss_aides(p, group))
    if (sched_park(p, g, WAIT_GROUP, still_has_members, group)) return false;
  Group *parent = group->parent;
  if (parent != NULL) {
    rt_lock(&parent->lock);
    unlink_inner(parent, group);
    rt_unlock(&parent->lock);
  }
  if (p->marks & MARK_SPAN) workspan_join(p, group->span);
  rt_lock(&group->lock);
  RT_ASSERT(!group->ended && group->count == 0 && group->inner == NULL);
  group->ended = true;
  timer_stop(p, &group->timer);
  rt_unlock(&group->lock);
  rt_store_release(&g->group, parent);  // release: as in group_begin
  // relaxed: g's own
  rt_store_relaxed(&g->shielded, (uint8_t)group->in_shield);
  return true;
}
