// SPDX-License-Identifier: MIT
// How a native parks: it waits until a thread of the host delivers a value
// (csp_waker, csp_park, csp_wake). The host is told when nobody waits
// any more (cancelled).
//
// A native waits for a channel. csp_wake is a post of the scheduler, which
// makes the value and sends it there. With a notice the native waits in the
// prelude's _park_told, whose deferred call finds the waker, if it is still
// there, by a value of our own, the link.
//
// The host and the runtime share each waker. The host has it until
// csp_wake, which may come when the runtime is long gone. The runtime has it,
// in csp->wakers, until the value was sent, or csp_free. `state` says how far
// the host has come with it:
//
//   OPEN ---- cancelled begins ----> TELLING --- it has returned ---> TOLD
//     |                                 | csp_wake                     |
//     +-------- csp_wake ------------> WOKEN <------ csp_wake ---------+
//                                       | by the thread that delivers it
//                                     POSTED, or make was called
//
// csp_wake delivers. In TELLING it leaves that to the thread that tells, which
// delivers when cancelled has returned. So a waker that was woken is not told,
// and make is never called before cancelled has returned: cancelled may use
// what make frees. All changes of state but to POSTED are read-modify-writes.
// POSTED is stored inside the door, and csp_free reads it when it has closed
// that.
//
// The value is delivered to the runtime through its door. If the door is closed
// make is called at once, with a call that can make nothing, and what it
// returns is dropped.
#include "vm/runtime/park.h"
#include "vm/heap/local.h"
#include "vm/interp/interp.h"
#include "vm/interp/native_call.h"
#include "vm/object/channel_memory.h"
#include "vm/runtime/runtime.h"

typedef enum WakerState { OPEN, TELLING, TOLD, WOKEN, POSTED } WakerState;

struct CspWaker {
  SchedPost post;  // first: what sched_post hands back
  Csp *csp;        // used inside the door only
  Door *door;      // kept
  uint32_t state;  // atomic, WakerState
  uint32_t users;  // atomic: the host, the runtime, the teller
  ObjChan *chan;   // cap 1; pinned
  uint32_t pin, link_pin;
  CspWaker **link;  // the link's data, which names us; or NULL. host_lock
  void (*cancelled)(void *data);
  void *cancelled_data;
  CspValue (*make)(CspCall *call, void *data);
  void *data;
  CspWaker *next, *prev;  // guarded by host_lock
};

static const CspClass link_class = {"waker", NULL, sizeof(CspWaker *), NULL};

static void drop_users(CspWaker *waker, uint32_t users) {
  RT_ASSERT(rt_load_relaxed(&waker->users) >= users);
  // RMW: the last one in drop_users has seen what the others did
  if (rt_sub(&waker->users, users) != users) return;
  Door *door = waker->door;
  mem_free(waker);
  door_drop(door);  // which has the memory that the waker was of
}

// --- The list: host_lock is held --------------------------------------------
static void link_waker(CspWaker *waker) {
  Csp *csp = waker->csp;
  RT_ASSERT(waker->next == NULL && waker->prev == NULL && waker->state == OPEN);
  waker->next = csp->wakers;
  if (waker->next != NULL) waker->next->prev = waker;
  csp->wakers = waker;
}

// From now on nobody tells that it is cancelled.
static void unlink_waker(CspWaker *waker) {
  RT_ASSERT((waker->prev != NULL ? waker->prev->next : waker->csp->wakers) ==
            waker);
  RT_ASSERT(waker->next == NULL || waker->next->prev == waker);
  *(waker->prev != NULL ? &waker->prev->next : &waker->csp->wakers) =
      waker->next;
  if (waker->next != NULL) waker->next->prev = waker->prev;
  if (waker->link != NULL) *waker->link = NULL;
}

// --- Waking -----------------------------------------------------------------
// In the runtime: by csp_free, which has the only thread, or with a P.
static Value make_value(CspWaker *waker, Local *local) {
  CspCall call = {.local = local, .vm = &waker->csp->vm};
  return waker->make != NULL ? waker->make(&call, waker->data).word : VALUE_NIL;
}

static void wake(P *p, SchedPost *post) {
  CspWaker *waker = (CspWaker *)post;
  Csp *csp = waker->csp;
  RT_ASSERT(rt_load_relaxed(&waker->state) == POSTED);
  rt_lock(&csp->host_lock);
  unlink_waker(waker);
  rt_unlock(&csp->host_lock);
  Value v = make_value(waker, local_of(p));
  if (v == VALUE_UNDEF) v = vm_code(&csp->vm)->memory_error;
  chan_try_send(p, &waker->chan->chan, v);
  heap_unpin(csp->vm.heap, waker->pin);
  if (waker->link_pin != 0) heap_unpin(csp->vm.heap, waker->link_pin);
  drop_users(waker, 2);
  sched_unpin(csp->vm.sched);
}

// It is WOKEN. The waker may be gone when it has been posted.
static void deliver(CspWaker *waker) {
  Door *door = waker->door;
  RT_ASSERT(rt_load_relaxed(&waker->state) == WOKEN);
  if (door_enter(door)) {
    // relaxed: wakers_free reads it, after the door was closed. e3 and c2 of
    // door.c
    rt_store_relaxed(&waker->state, (uint32_t)POSTED);
    sched_post(waker->csp->vm.sched, &waker->post);
    door_leave(door);
    return;
  }
  CspCall nothing = {.local = NULL};
  if (waker->make != NULL) waker->make(&nothing, waker->data);
  drop_users(waker, 1);
}

void csp_wake(CspWaker *waker, CspValue (*make)(CspCall *call, void *data),
              void *data) {
  waker->post.fn = wake;
  waker->make = make;
  waker->data = data;
  // release: make and data, for the thread whose CAS cannot end TELLING.
  // acquire: after that CAS, what `cancelled` did. Pairs with tell_cancelled
  uint32_t was = rt_exchange(&waker->state, (uint32_t)WOKEN);
  RT_ASSERT(was < WOKEN);  // once
  if (was != TELLING) deliver(waker);
}

// --- Telling that it is cancelled -------------------------------------------
// By a thread that has a use of the waker.
static void tell_cancelled(CspWaker *waker) {
  uint32_t seen = OPEN;
  // RMW: this or csp_wake is first
  if (waker->cancelled == NULL ||
      !rt_cas(&waker->state, &seen, (uint32_t)TELLING))
    return;
  waker->cancelled(waker->cancelled_data);
  seen = TELLING;
  // release: what `cancelled` did. acquire where it fails: make and data. Pairs
  // with the exchange in csp_wake
  if (rt_cas(&waker->state, &seen, (uint32_t)TOLD)) return;
  RT_ASSERT(seen == WOKEN);
  deliver(waker);
}

static void tell_link(Csp *csp, CspValue link) {
  CspWaker **at = csp_host_data(link, &link_class);
  if (at == NULL) return;
  rt_lock(&csp->host_lock);
  CspWaker *waker = *at;
  // RMW: host_lock is held, and the runtime's use of the waker keeps it
  if (waker != NULL) rt_add(&waker->users, 1u);
  rt_unlock(&csp->host_lock);
  if (waker == NULL) return;
  tell_cancelled(waker);
  drop_users(waker, 1);
}

// _park_over(link): whether it was woken or not.
static CspStatus park_over(CspCall *call) {
  tell_link(csp_of(call), csp_arg(call, 0));
  return csp_ok_nothing(call);
}

const CspFunction waker_functions[] = {{"_park_over", "link", park_over},
                                       {NULL, NULL, NULL}};

// --- Waiting ----------------------------------------------------------------
// Pinned, because it is only in C. false: out of memory.
static bool make_link(CspCall *call, CspWaker *waker, CspValue *link) {
  *link = csp_nil();
  if (waker->cancelled == NULL) return true;
  void *data;
  *link = csp_host_new(call, &link_class, &data);
  if (csp_is_undef(*link)) return false;
  waker->link_pin = heap_pin(call->vm->heap, link->word);
  if (waker->link_pin == 0) return false;
  waker->link = data;
  *waker->link = waker;
  return true;
}

static bool make_waker(CspCall *call, CspWaker *waker, CspValue *link) {
  waker->chan = channel_new(call->local, 1);
  if (waker->chan != NULL)
    waker->pin = heap_pin(call->vm->heap, value_from_obj(waker->chan));
  if (waker->pin == 0) return false;
  if (make_link(call, waker, link)) return true;
  heap_unpin(call->vm->heap, waker->pin);
  return false;
}

CspWaker *csp_waker_told(CspCall *call, void (*cancelled)(void *data),
                         void *data) {
  if (!native_goes_on(call)) return NULL;
  Csp *csp = csp_of(call);
  CspWaker *waker = mem_zeroed(csp->vm.memory, sizeof *waker);
  if (waker == NULL) return NULL;
  waker->csp = csp;
  waker->users = 2;
  waker->cancelled = cancelled;
  waker->cancelled_data = data;
  CspValue link;
  if (!make_waker(call, waker, &link)) {
    mem_free(waker);
    return NULL;
  }
  waker->door = csp->door;
  door_keep(waker->door);
  // For csp_park, when the waker may be gone.
  call->later.kind = LATER_PARK;
  call->later.value = value_from_obj(waker->chan);
  call->later.value2 = link.word;
  sched_pin(csp->vm.sched);
  rt_lock(&csp->host_lock);
  link_waker(waker);
  rt_unlock(&csp->host_lock);
  return waker;
}

CspWaker *csp_waker(CspCall *call) { return csp_waker_told(call, NULL, NULL); }

CspStatus csp_park(CspCall *call) {
  if (call->later.kind != LATER_PARK)
    return csp_panic(call,
                     "%s: csp_park without a waker: csp_waker makes one, and "
                     "no csp_call may come between the two",
                     native_name(call));
  CspValue link = csp_wrap(call->later.value2);
  CspValue args[] = {csp_wrap(call->later.value), link};
  if (csp_type(link) == CSP_NIL) return csp_tail_named(call, "_park", 1, args);
  CspStatus status = csp_tail_named(call, "_park_told", 2, args);
  if (status == CSP_PANIC) tell_link(csp_of(call), link);
  return status;
}

// --- The end ----------------------------------------------------------------
// Nothing runs any more, so the list is only the caller's.
void wakers_end(Csp *csp) {
  for (CspWaker *waker = csp->wakers, *next; waker != NULL; waker = next) {
    next = waker->next;
    tell_cancelled(waker);
  }
}

// The door is closed. A waker that was not posted stays the host's.
void wakers_free(Csp *csp) {
  wakers_end(csp);
  for (CspWaker *waker; (waker = csp->wakers) != NULL;) {
    unlink_waker(waker);
    // relaxed: deliver stored it inside the door, if ever
    bool posted = rt_load_relaxed(&waker->state) == POSTED;
    if (posted) make_value(waker, csp->vm.boot);
    drop_users(waker, posted ? 2 : 1);
  }
}
