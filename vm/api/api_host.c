// SPDX-License-Identifier: MIT
// Values with C data behind them: host classes, their methods, and the state a
// module keeps for each runtime.
//
// Classes are registered before the runtime runs, or when their module is made.
// An entry of the list does not change after that but for its state. CspClass
// and HostClass have one layout.
#include "vm/api/api_host.h"

#include <stdlib.h>

#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/method_tables.h"
#include "vm/interp/native_call.h"

_Static_assert(offsetof(CspClass, name) == offsetof(HostClass, name) &&
                   offsetof(CspClass, finalize) ==
                       offsetof(HostClass, finalize) &&
                   offsetof(CspClass, size) == offsetof(HostClass, size) &&
                   offsetof(CspClass, operations) ==
                       offsetof(HostClass, operations) &&
                   sizeof(CspClass) == sizeof(HostClass),
               "one layout");

void host_methods_free(Vm *vm) {
  HostMethods *entry = vm->host_methods;
  while (entry != NULL) {
    HostMethods *next = entry->next;
    if (entry->state != NULL) {
      if (entry->klass->finalize != NULL) entry->klass->finalize(entry->state);
      mem_free(entry->state);
    }
    entry = next;  // lasting_alloc's
  }
  vm->host_methods = NULL;
}

// --- Use --------------------------------------------------------------------
void *csp_state(Csp *csp, const CspClass *klass) {
  HostMethods *entry = host_methods_of(csp_vm(csp), klass);
  if (entry == NULL) return NULL;
  // acquire: the state is zeroed. Pairs with the CAS below
  void *state = rt_load_acquire(&entry->state);
  if (state != NULL) return state;
  void *made = mem_zeroed(csp_vm(csp)->memory, klass->size);
  if (made == NULL) return NULL;
  // release: publishes the zeroes. Pairs with the load above. Where it fails it
  // acquires, and pairs with the CAS of the thread that was first in here
  if (rt_cas(&entry->state, &state, made)) return made;
  mem_free(made);
  return state;
}

// Operations that run on whichever P wants them, and cannot end its being alone
// (sched/alone.c).
static bool has_bare_operations(const CspClass *klass) {
  const CspOperations *own = klass->operations;
  return own != NULL &&
         (own->string != NULL || own->equal != NULL || own->hash != NULL ||
          own->compare != NULL || own->len != NULL);
}

CspValue csp_host_new(CspCall *call, const CspClass *klass, void **data) {
  if (call->local == NULL) return csp_wrap(VALUE_UNDEF);  // as in api_values.c
  RT_ASSERT(klass->name != NULL && klass->size < SIZE_MAX / 2);
  size_t size = sizeof(ObjHost) + klass->size;
  ObjHost *host = (ObjHost *)heap_alloc(&call->local->heap, size, OBJ_HOST);
  if (host == NULL) return csp_wrap(VALUE_UNDEF);
  if (has_bare_operations(klass)) sched_never_alone(call->local->p);
  host->klass = (const HostClass *)(const void *)klass;
  memset(host->data, 0, klass->size);
  if (data != NULL) *data = host->data;
  return csp_wrap(value_from_obj(host));
}

bool csp_host_weight(CspCall *call, CspValue v, size_t bytes) {
  if (call->local == NULL || !value_is_type(v.word, OBJ_HOST)) return false;
  LocalHeap *heap = &call->local->heap;
  if (!heap_weigh(heap, (ObjHost *)value_obj(v.word), bytes)) return false;
  // Some values may weigh as much as there is, so the next safepoint collects.
  if (heap_gc_wanted(heap->heap)) charge_look(call->local);
  return true;
}

void *csp_host_data(CspValue v, const CspClass *klass) {
  if (!value_is_type(v.word, OBJ_HOST)) return NULL;
  ObjHost *host = (ObjHost *)value_obj(v.word);
  return (const void *)host->klass == (const void *)klass ? host->data : NULL;
}
