// SPDX-License-Identifier: MIT
// Values with C data behind them: host classes, their methods, and the state a
// module keeps for each runtime.
//
// Classes are registered before the runtime runs; after that the list and the
// method tables are read by all threads. CspClass and HostClass have one
// layout.
#include <stdlib.h>

#include "vm/native/native.h"

_Static_assert(offsetof(CspClass, name) == offsetof(HostClass, name) &&
                   offsetof(CspClass, finalize) ==
                       offsetof(HostClass, finalize) &&
                   offsetof(CspClass, size) == offsetof(HostClass, size) &&
                   offsetof(CspClass, operations) ==
                       offsetof(HostClass, operations) &&
                   sizeof(CspClass) == sizeof(HostClass),
               "one layout");

// One registered class. The functions are pinned in the heap.
typedef struct HostMethods {
  struct HostMethods *next;
  const HostClass *klass;
  void *state;  // atomic; csp_state
  uint32_t count;
  Method methods[];
} HostMethods;

static HostMethods *find_class(Vm *vm, const void *klass) {
  HostMethods *entry = vm->host_methods;
  while (entry && (const void *)entry->klass != klass) entry = entry->next;
  return entry;
}

// --- Registration (boot) ----------------------------------------------------
static uint32_t count_functions(const CspFunction *functions) {
  uint32_t count = 0;
  while (functions && functions[count].name) count++;
  return count;
}

static bool add_method(Vm *vm, HostMethods *entry, const CspFunction *f,
                       const NativeRules *rules) {
  Value native = native_new(vm, entry->klass->name, f, rules);
  ObjString *name = vm_intern(vm, f->name, strlen(f->name));
  if (native == VALUE_UNDEF || !name) return false;
  if (heap_pin(vm->heap, native) == 0) return false;
  entry->methods[entry->count++] = (Method){name, native};
  return true;
}

bool csp_register_class(Csp *csp, const CspClass *klass,
                        const CspFunction *functions) {
  Vm *vm = csp_vm(csp);
  uint32_t count = count_functions(functions);
  HostMethods *entry =
      mem_zeroed(vm->memory, sizeof *entry + count * sizeof(Method));
  if (!entry) return false;
  entry->klass = (const HostClass *)(const void *)klass;
  entry->next = vm->host_methods;
  vm->host_methods = entry;
  NativeRules rules = {0};
  const CspFunction *f = functions;
  for (; (f = native_row(f, &rules)) != NULL; f++) {
    if (!add_method(vm, entry, f, &rules)) return false;
  }
  return true;
}

void host_methods_free(Vm *vm) {
  HostMethods *entry = vm->host_methods;
  while (entry) {
    HostMethods *next = entry->next;
    if (entry->state) {
      if (entry->klass->finalize) entry->klass->finalize(entry->state);
      mem_free(entry->state);
    }
    mem_free(entry);
    entry = next;
  }
  vm->host_methods = NULL;
}

// --- Use --------------------------------------------------------------------
Value host_method(Vm *vm, const HostClass *klass, const ObjString *name) {
  HostMethods *entry = find_class(vm, klass);
  if (!entry) return VALUE_UNDEF;
  for (uint32_t i = 0; i < entry->count; i++) {
    const ObjString *own = entry->methods[i].name;
    if (own == name || string_equal(own, name)) {
      return entry->methods[i].function;
    }
  }
  return VALUE_UNDEF;
}

void host_each_method(Vm *vm, const HostClass *klass,
                      void (*fn)(void *arg, const char *name), void *arg) {
  HostMethods *entry = find_class(vm, klass);
  for (uint32_t i = 0; entry && i < entry->count; i++) {
    fn(arg, entry->methods[i].name->data);
  }
}

void *csp_state(Csp *csp, const CspClass *klass) {
  HostMethods *entry = find_class(csp_vm(csp), klass);
  if (!entry) return NULL;
  void *state = rt_load_acquire(&entry->state);  // pairs with the cas below
  if (state) return state;
  void *made = mem_zeroed(csp_vm(csp)->memory, klass->size);
  if (!made) return NULL;
  if (rt_cas(&entry->state, &state, made)) return made;
  mem_free(made);
  return state;
}

CspValue csp_host_new(CspCall *call, const CspClass *klass, void **data) {
  if (call->local == NULL) return csp_wrap(VALUE_UNDEF);  // as in api_values.c
  size_t size = sizeof(ObjHost) + klass->size;
  ObjHost *host = (ObjHost *)heap_alloc(&call->local->heap, size, OBJ_HOST);
  if (!host) return csp_wrap(VALUE_UNDEF);
  host->klass = (const HostClass *)(const void *)klass;
  memset(host->data, 0, klass->size);
  if (data) *data = host->data;
  return csp_wrap(value_from_obj(host));
}

void *csp_host_data(CspValue v, const CspClass *klass) {
  if (!value_is_type(v.word, OBJ_HOST)) return NULL;
  ObjHost *host = (ObjHost *)value_obj(v.word);
  return (const void *)host->klass == (const void *)klass ? host->data : NULL;
}
