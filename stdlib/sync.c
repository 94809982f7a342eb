// SPDX-License-Identifier: MIT
// The native part of the module sync: its counters, and what nothing may
// stop in the middle. Mutexes and semaphores are the runtime's own
// (vm/native/lock_methods.c), and all else is in sync.csp.
//
// A counter is one atomic word. All its operations are seq_cst, because of
// programs in which a goroutine writes one counter and reads another: all see
// the changes of counters in one order, as with Go's atomics.
#include "stdlib/stdlib.h"

typedef struct SyncCounter {
  int64_t word;  // atomic
} SyncCounter;

static const CspClass counter_class = {"counter", NULL, sizeof(SyncCounter),
                                       NULL};

static int64_t counter_load(const SyncCounter *counter) {
  // seq: see the head
  return __atomic_load_n(&counter->word, __ATOMIC_SEQ_CST);
}

static void counter_store(SyncCounter *counter, int64_t n) {
  // seq: see the head
  __atomic_store_n(&counter->word, n, __ATOMIC_SEQ_CST);
}

// false: *from is what it is instead.
static bool counter_change(SyncCounter *counter, int64_t *from, int64_t to) {
  // seq: see the head
  return __atomic_compare_exchange_n(&counter->word, from, to, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static CspStatus counter_new(CspCall *call) {
  int64_t n;
  SyncCounter *counter;
  if (!csp_need_int(call, 0, &n)) return CSP_PANIC;
  CspValue value = csp_host_new(call, &counter_class, (void **)&counter);
  if (csp_is_undef(value)) return csp_panic_memory(call);
  counter_store(counter, n);
  return csp_ok(call, value);
}

// The counter, and the int of a method that has one. false: panicked.
static bool counter_and(CspCall *call, SyncCounter **counter, int64_t *arg) {
  *counter = csp_host_data(csp_arg(call, 0), &counter_class);
  if (*counter == NULL) {
    csp_bad_arg(call, 0, "a counter");
    return false;
  }
  return arg == NULL || csp_need_int(call, 1, arg);
}

// Gives the new count. A large one takes memory, which must be there before
// the counter changes.
static CspStatus counter_add(CspCall *call) {
  SyncCounter *counter;
  int64_t n, sum;
  CspValue made;
  if (!counter_and(call, &counter, &n)) return CSP_PANIC;
  int64_t old = counter_load(counter);
  do {
    if (__builtin_add_overflow(old, n, &sum))
      return csp_panic(call, "counter.add: integer overflow: %lld + %lld",
                       (long long)old, (long long)n);
    made = csp_int(call, sum);
    if (csp_is_undef(made)) return csp_panic_memory(call);
  } while (!counter_change(counter, &old, sum));
  return csp_ok(call, made);
}

static CspStatus counter_get(CspCall *call) {
  SyncCounter *counter;
  if (!counter_and(call, &counter, NULL)) return CSP_PANIC;
  return csp_ok_int(call, counter_load(counter));
}

static CspStatus counter_set(CspCall *call) {
  SyncCounter *counter;
  int64_t n;
  if (!counter_and(call, &counter, &n)) return CSP_PANIC;
  counter_store(counter, n);
  return csp_ok_nothing(call);
}

// true: it was `from`, and is `to` now.
static CspStatus counter_swap(CspCall *call) {
  SyncCounter *counter;
  int64_t from, to;
  if (!counter_and(call, &counter, &from) || !csp_need_int(call, 2, &to))
    return CSP_PANIC;
  return csp_ok_bool(call, counter_change(counter, &from, to));
}

static const CspFunction counter_methods[] = {
    {"set", "counter, n", counter_set},
    {"swap", "counter, from, to", counter_swap},
    CSP_REPEATABLE,
    {"add", "counter, n", counter_add},
    {"get", "counter", counter_get},
    {NULL, NULL, NULL},
};

// --- Read-write mutexes -----------------------------------------------------
// Ends the wait of one that writes. It is in if `readers` is -1, else it gives
// up, and unlocks the gate.
static CspStatus unlock_unless_in(CspCall *call) {
  SyncCounter *readers;
  int64_t in = -1;
  if (!counter_and(call, &readers, NULL)) return CSP_PANIC;
  CspValue gate = csp_arg(call, 1);
  if (counter_change(readers, &in, 0)) return csp_ok_nothing(call);
  return csp_tail_named(call, "_unlock", 1, &gate);
}

// A goroutine leaves that read. The last one gives the room back.
static CspStatus read_unlock(CspCall *call) {
  SyncCounter *readers;
  if (!counter_and(call, &readers, NULL)) return CSP_PANIC;
  int64_t old = counter_load(readers);
  do {
    if (old <= 0)
      return csp_panic(call, "rwmutex.read_unlock: no goroutine reads");
  } while (!counter_change(readers, &old, old - 1));
  CspValue room = csp_arg(call, 1);
  return old == 1 ? csp_tail_named(call, "_release", 1, &room)
                  : csp_ok_nothing(call);
}

// --- Once -------------------------------------------------------------------
// The elements of a list as the results of this call.
static CspStatus once_results(CspCall *call) {
  CspValue list;
  if (!csp_need_type(call, 0, CSP_LIST, &list)) return CSP_PANIC;
  for (size_t i = 0; i < csp_list_len(list); i++)
    csp_return(call, csp_list_get(list, i));
  return CSP_OK;
}

static const CspFunction hidden[] = {
    {"_read_unlock", "readers, room", read_unlock},
    {"_unlock_unless_in", "readers, gate", unlock_unless_in},
    CSP_REPEATABLE,
    {"_counter", "n", counter_new},
    {"_results", "list", once_results},
    {NULL, NULL, NULL}};

const CspModule sync_module = {"sync", NULL, NULL, NULL, 0};

bool sync_install(Csp *csp) {
  return csp_register_class(csp, &counter_class, counter_methods) &&
         csp_register_builtins(csp, hidden);
}
