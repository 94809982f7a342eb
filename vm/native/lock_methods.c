// SPDX-License-Identifier: MIT
// Mutexes and semaphores: the builtins that make them for the module sync, and
// their methods that never wait. A lock that is not free waits in
// vm/interp/lock_wait.c. What is made of them is in stdlib/sync.csp, and
// `with` in prelude.csp.
#include "vm/heap/local.h"
#include "vm/interp/lock_wait.h"
#include "vm/native/builtins.h"
#include "vm/object/channel_memory.h"

// --- Making -----------------------------------------------------------------
// part: of what it is one, or 0.
static CspStatus part_made(CspCall *call, ObjChan *channel, uint8_t part) {
  if (channel == NULL) return csp_panic_memory(call);
  channel->obj.flags = part;
  return csp_ok(call, csp_wrap(value_from_obj(channel)));
}

static CspStatus lock_made(CspCall *call, ObjType type, uint32_t places,
                           uint8_t part) {
  return part_made(call, channel_new_lock(call->local, type, places), part);
}

static CspStatus mutex_(CspCall *call) {
  return lock_made(call, OBJ_MUTEX, 1, 0);
}

static CspStatus rwmutex_gate(CspCall *call) {
  return lock_made(call, OBJ_MUTEX, 1, PART_OF_RWMUTEX);
}

static CspStatus rwmutex_room(CspCall *call) {
  return lock_made(call, OBJ_SEMAPHORE, 1, PART_OF_RWMUTEX);
}

static CspStatus once_mutex(CspCall *call) {
  return lock_made(call, OBJ_MUTEX, 1, PART_OF_ONCE);
}

static CspStatus latch_channel(CspCall *call) {
  return part_made(call, channel_new(call->local, 0), PART_OF_LATCH);
}

static CspStatus semaphore_(CspCall *call) {
  int64_t n;
  if (!csp_need_int(call, 0, &n)) return CSP_PANIC;
  if (n < 1 || n > CHAN_MOST)
    return csp_panic(call, "sync.semaphore: n must be from 1 to %d, not %lld",
                     CHAN_MOST, (long long)n);
  return lock_made(call, OBJ_SEMAPHORE, (uint32_t)n, 0);
}

// --- Methods ----------------------------------------------------------------
// The message names what the program called: a lock may be a part of something.
static CspStatus lock_failed(CspCall *call, const ObjChan *lock,
                             const char *method, const char *why) {
  const char *type = lock->obj.flags == PART_OF_RWMUTEX ? "rwmutex"
                     : lock->obj.type == OBJ_MUTEX      ? "mutex"
                                                        : "semaphore";
  if (lock->obj.flags == PART_OF_ONCE)
    return csp_panic(call,
                     "once.do: this goroutine is in the call that it would "
                     "wait for");
  return csp_panic(call, "%s.%s: %s", type, method, why);
}

static bool need_lock(CspCall *call, CspType type, ObjChan **lock) {
  CspValue v;
  if (!csp_need_type(call, 0, type, &v)) return false;
  *lock = (ObjChan *)value_obj(v.word);
  RT_ASSERT((*lock)->chan.flags & CHAN_GATE);
  return true;
}

static bool try_enter(CspCall *call, ObjChan *lock) {
  if (!gate_try_enter(&lock->chan, &call->g->g)) return false;
  RT_ASSERT(lock->obj.type != OBJ_MUTEX ||
            gate_holder(&lock->chan) == call->g->g.id);
  Local *local = call->local;
  if (local->vm->spans) sched_span_entered(local->p, &call->g->g, &lock->chan);
  return true;
}

// A goroutine that is cancelled does not go in. It learns it as if it waited.
static bool enter_now(CspCall *call, ObjChan *lock) {
  return g_cancelled(&call->g->g) == NOT_CANCELLED && try_enter(call, lock);
}

// number: LOCK_TO_READ, or 0.
static CspStatus enter_or_wait(CspCall *call, ObjChan *lock, int64_t number) {
  call->later.kind = LATER_ENTER;
  call->later.number = number;
  call->later.value = value_from_obj(lock);
  return CSP_LATER;
}

static CspStatus lock_as(CspCall *call, int64_t number) {
  ObjChan *lock = NULL;
  RT_ASSERT(number == 0 || number == LOCK_TO_READ);
  if (!need_lock(call, CSP_MUTEX, &lock)) return CSP_PANIC;
  if (enter_now(call, lock)) return csp_ok_nothing(call);
  if (g_cancelled(&call->g->g) == NOT_CANCELLED &&
      gate_holder(&lock->chan) == call->g->g.id)
    return lock_failed(call, lock,
                       number == LOCK_TO_READ ? "read_lock" : "lock",
                       "this goroutine holds the mutex already, and would wait "
                       "for itself");
  return enter_or_wait(call, lock, number);
}

CspStatus builtin_lock(CspCall *call) { return lock_as(call, 0); }

CspStatus builtin_unlock(CspCall *call) {
  ObjChan *lock = NULL;
  if (!need_lock(call, CSP_MUTEX, &lock)) return CSP_PANIC;
  GateLeft how = gate_leave(call->local->p, &lock->chan, &call->g->g);
  if (how == GATE_LEFT) return csp_ok_nothing(call);
  return lock_failed(call, lock, "unlock",
                     how == GATE_EMPTY ? "the mutex is not locked"
                                       : "another goroutine holds the mutex");
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
                               : enter_or_wait(call, lock, 0);
}

static CspStatus semaphore_try_acquire(CspCall *call) {
  return try_lock_of(call, CSP_SEMAPHORE);
}

static CspStatus semaphore_release(CspCall *call) {
  ObjChan *lock = NULL;
  if (!need_lock(call, CSP_SEMAPHORE, &lock)) return CSP_PANIC;
  if (gate_leave(call->local->p, &lock->chan, &call->g->g) == GATE_LEFT)
    return csp_ok_nothing(call);
  return lock_failed(call, lock, "release",
                     "no place of the semaphore is taken");
}

// --- For read-write mutexes -------------------------------------------------
// As lock. Dumps tell that it is to read.
static CspStatus lock_to_read(CspCall *call) {
  return lock_as(call, LOCK_TO_READ);
}

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
    {"_lock_to_read", "gate", lock_to_read},
    CSP_REPEATABLE,
    {"_mutex", "", mutex_},
    {"_rwmutex_gate", "", rwmutex_gate},
    {"_rwmutex_room", "", rwmutex_room},
    {"_once_mutex", "", once_mutex},
    {"_latch_channel", "", latch_channel},
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
