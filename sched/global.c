// SPDX-License-Identifier: MIT
// The global queue (row 7): an intrusive list under sched.lock, for what the
// rings cannot hold, for Gs without a P, and for Gs that yielded. Its count
// may be read by anybody as a hint.
#include "sched/global.h"
#include "sched/g.h"
#include "sched/runq.h"

static void global_set(Sched *sched, const GList *list) {
  sched->global.first = list->first;
  sched->global.last = list->last;
  // seq: ordered before the load of `spinning` in idle_wakep
  rt_store_seq(&sched->global.count, list->count);
}

bool global_is_valid(const Sched *sched) {
  const GList *list = &sched->global;
  if (list->first == NULL || list->last == NULL)
    return list->first == list->last && list->count == 0;
  return list->count > 0 && list->last->link == NULL &&
         (list->count == 1) == (list->first == list->last) &&
         g_is(list->first, G_RUNNABLE) && g_is(list->last, G_RUNNABLE);
}

void global_put_list(Sched *sched, GList *list) {
  if (list->count == 0) return;
  RT_ASSERT(list->first != NULL && list->last != NULL);
  GList all = sched->global;
  glist_append(&all, list);
  global_set(sched, &all);
  RT_ASSERT(global_is_valid(sched));
}

void global_put(Sched *sched, G *g) {
  GList one = {g, g, 1};
  global_put_list(sched, &one);
}

G *global_pop(Sched *sched) {
  RT_CHECK((sched->global.first == NULL) == (sched->global.count == 0),
           "global queue: count is %u, but the list is %s", sched->global.count,
           sched->global.first == NULL ? "empty" : "not empty");
  if (sched->global.first == NULL) return NULL;
  RT_ASSERT(global_is_valid(sched));
  GList rest = sched->global;
  G *g = glist_pop(&rest);
  global_set(sched, &rest);
  return g;
}

// How many a P may take at once: its share, within the ring's room.
static uint32_t fair_share(const Sched *sched, uint32_t max) {
  uint32_t length = sched->global.count;
  uint32_t share = length / (uint32_t)procs_now(sched) + 1;
  if (share > length) share = length;
  if (share > GLOBAL_BATCH_MAX) share = GLOBAL_BATCH_MAX;
  if (share > RUNQ_SIZE / 2) share = RUNQ_SIZE / 2;
  if (max != 0 && share > max) share = max;
  return share;
}

G *global_get(P *p, uint32_t max) {
  Sched *sched = p->sched;
  if (global_count(sched) == 0) return NULL;
  GList rest = {0};
  rt_lock(&sched->lock);
  uint32_t count = fair_share(sched, max);
  G *g = count == 0 ? NULL : global_pop(sched);
  for (uint32_t i = 1; i < count; i++) glist_push(&rest, global_pop(sched));
  rt_unlock(&sched->lock);
  if (g == NULL) return NULL;
  if (rest.count > 0) runq_put_list(p, &rest);
  P_COUNT(p, global_gets, 1);
  return g;
}
