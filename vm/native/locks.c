// SPDX-License-Identifier: MIT
// Mutexes and semaphores: the builtins that make them for the module sync, and
// their methods that never wait. A lock that is not free waits in
// vm/interp/locks.c. What is made of them is in stdlib/sync.csp, and `with` in
// prelude.csp.
#include "vm/interp/locks.h"
#include "vm/heap/local.h"
#include "vm/native/builtins.h"
#include "vm/object/channel_memory.h"

// --- Making -----------------------------------------------------------------
static CspStatus lock_made(CspCall *call, ObjType type, uint32_t places) {
  ObjChan *lock = channel_new_lock(call->local, type, places);
  if (lock == NULL) return csp_panic_memory(call);
  return csp_ok(call, csp_wrap(value_from_obj(lock)));
}

static CspStatus mutex_(CspCall *call) { return lock_made(call, OBJ_MUTEX, 1); }

static CspStatus semaphore_(CspCall *call) {
  int64_t n;
  if (!csp_need_int(call, 0, &n)) return CSP_PANIC;
  if (n < 1 || n > CHAN_MOST)
    return csp_panic(call, "sync.semaphore: n must be from 1 to %d, not %lld",
                     CHAN_MOST, (long long)n);
  return lock_made(call, OBJ_SEMAPHORE, (uint32_t)n);
}

// --- Methods ----------------------------------------------------------------
static bool need_lock(CspCall *call, CspType type, ObjChan **lock) {
  CspValue v;
  if (!csp_need_type(call, 0, type, &v)) return false;
  *lock = (ObjChan *)value_obj(v.word);
  return true;
}

static bool try_enter(CspCall *call, ObjChan *lock) {
  return gate_try_enter(&lock->chan, &call->g->g);
}

// A goroutine that is cancelled does not go in. It learns it as if it waited.
static bool enter_now(CspCall *call, ObjChan *lock) {
  return g_cancelled(&call->g->g) == NOT_CANCELLED && try_enter(call, lock);
}

static CspStatus enter_or_wait(CspCall *call, ObjChan *lock) {
  call->later.kind = LATER_ENTER;
  call->later.value = value_from_obj(lock);
  return CSP_LATER;
}

CspStatus builtin_lock(CspCall *call) {
  ObjChan *lock = NULL;
  if (!need_lock(call, CSP_MUTEX, &lock)) return CSP_PANIC;
  if (enter_now(call, lock)) return csp_ok_nothing(call);
  if (g_cancelled(&call->g->g) == NOT_CANCELLED &&
      gate_holder(&lock->chan) == call->g->g.id)
    return csp_panic(call,
                     "lock: this goroutine holds the mutex already, and would "
                     "wait for itself");
  return enter_or_wait(call, lock);
}

CspStatus builtin_unlock(CspCall *call) {
  ObjChan *lock = NULL;
  if (!need_lock(call, CSP_MUTEX, &lock)) return CSP_PANIC;
  GateLeft how = gate_leave(call->local->p, &lock->chan, &call->g->g);
  if (how == GATE_LEFT) return csp_ok_nothing(call);
  return csp_panic(call, how == GATE_EMPTY
                             ? "unlock: the mutex is not locked"
                             : "unlock: another goroutine holds the mutex");
}

static CspStatus try_lock_of(CspCall *call, CspType type) {
  ObjChan *lock = NULL;
  if (!need_lock(call, type, &lock)) return CSP_PANIC;
  return csp_ok_bool(call, try_enter(call, lock));
}

static CspStatus mutex_try_lock(CspCall *call) {
  return try_lock_of(call, CSP_MUTEX);
}

static CspStatus semaphore_acquire(CspCall *call) {
  ObjChan *lock = NULL;
  if (!need_lock(call, CSP_SEMAPHORE, &lock)) return CSP_PANIC;
  return enter_now(call, lock) ? csp_ok_nothing(call)
                               : enter_or_wait(call, lock);
}

static CspStatus semaphore_try_acquire(CspCall *call) {
  return try_lock_of(call, CSP_SEMAPHORE);
}

static CspStatus semaphore_release(CspCall *call) {
  ObjChan *lock = NULL;
  if (!need_lock(call, CSP_SEMAPHORE, &lock)) return CSP_PANIC;
  if (gate_leave(call->local->p, &lock->chan, &call->g->g) == GATE_LEFT)
    return csp_ok_nothing(call);
  return csp_panic(call, "release: no place of the semaphore is taken");
}

// --- For read-write mutexes -------------------------------------------------
// The gate is first, as it knows its owner. Whoever is next waits for the room.
static CspStatus write_unlock(CspCall *call) {
  CspValue room;
  if (!csp_need_type(call, 1, CSP_SEMAPHORE, &room)) return CSP_PANIC;
  CspStatus status = builtin_unlock(call);
  ObjChan *lock = (ObjChan *)value_obj(room.word);
  if (status == CSP_OK) gate_leave(call->local->p, &lock->chan, &call->g->g);
  return status;
}

const CspFunction builtin_lock_functions[] = {
    {"_release", "semaphore", semaphore_release},
    {"_write_unlock", "gate, room", write_unlock},
    {"_unlock", "mutex", builtin_unlock},
    CSP_REPEATABLE,
    {"_mutex", "", mutex_},
    {"_semaphore", "n", semaphore_},
    {NULL, NULL, NULL}};

const CspFunction mutex_methods[] = {{"lock", "m", builtin_lock},
                                     {"unlock", "m", builtin_unlock},
                                     {"try_lock", "m", mutex_try_lock},
                                     {NULL, NULL, NULL}};
const CspFunction semaphore_methods[] = {
    {"acquire", "s", semaphore_acquire},
    {"release", "s", semaphore_release},
    {"try_acquire", "s", semaphore_try_acquire},
    {NULL, NULL, NULL}};
