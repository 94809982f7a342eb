// SPDX-License-Identifier: MIT
// Methods of built-in types and of host classes; predeclared functions.
#ifndef CSP_VM_INTERP_METHOD_TABLES_H
#define CSP_VM_INTERP_METHOD_TABLES_H

#include "vm/heap/local.h"

// Adds a method to a built-in type (boot and compile time only). false: out
// of memory.
bool vm_add_method(Vm *vm, ObjType type, ObjString *name, Value function);
// The method, or VALUE_UNDEF.
Value vm_method(Vm *vm, ObjType type, const ObjString *name);

// The place of a field. -1: there is none.
int struct_field(const ObjStruct *type, const char *name);

// One registered class. The functions are pinned in the heap.
typedef struct HostMethods {
  struct HostMethods *next;
  const HostClass *klass;
  void *state;  // atomic; csp_state
  uint32_t count;
  Method methods[];
} HostMethods;

HostMethods *host_methods_of(const Vm *vm, const void *klass);  // or NULL
// The method of a host class, or VALUE_UNDEF. Any thread with a P.
Value host_method(Vm *vm, const HostClass *klass, const ObjString *name);
// Feeds the names of its methods (for "did you mean").
void host_each_method(Vm *vm, const HostClass *klass,
                      void (*fn)(void *arg, const char *name), void *arg);

// A predeclared (or prelude) name's value, or VALUE_UNDEF.
Value vm_builtin(Local *local, const char *name);

#endif
