// SPDX-License-Identifier: MIT
// Indexing, slicing, fields, methods, `in` and `is` on any value. A function
// that can fail gets the goroutine, and gives false after it has raised a panic
// there.
#ifndef CSP_VM_INTERP_ACCESS_H
#define CSP_VM_INTERP_ACCESS_H

#include "vm/heap/local.h"
#include "vm/object/suggest.h"

bool access_get(Local *local, Goroutine *g, Value x, Value index, Value *out,
                bool *found);
bool access_set(Local *local, Goroutine *g, Value x, Value index, Value v);
bool access_slice(Local *local, Goroutine *g, Value x, Value from, Value to,
                  Value *out);
// The same of a string, list or bytes, with bounds that are moved to where its
// ends are. NULL: no memory.
Obj *access_part(Local *local, Value x, int64_t from, int64_t to);
bool access_in(Local *local, Goroutine *g, Value a, Value x, bool *out);
bool access_is(Vm *vm, Value v, Value type);
// A cache word: 24 bits name a struct type, or a built-in one by this. 8 bits
// are the place of the field or method.
#define BUILTIN_ID(type) (0xffffffu - (uint32_t)(type))
// x.name as a value. `word` is the cache word, may be rewritten.
bool access_field(Local *local, Goroutine *g, Value x, ObjString *name,
                  uint32_t *word, Value *out);
// Whether x.message is what its method `error` gives, so that it takes a call.
bool access_calls_error(Value x, const ObjString *name);
bool access_set_field(Local *local, Goroutine *g, Value x, ObjString *name,
                      uint32_t *word, Value v);
// What x.name(...) calls.
typedef struct Callee {
  Value function;
  bool method;  // x goes along as the first argument
} Callee;
bool access_method(Local *local, Goroutine *g, Value x, ObjString *name,
                   uint32_t *word, Callee *out);

// The method of x, or of struct type x, with that name, which need not be
// interned; or VALUE_UNDEF.
Value access_find_method(Vm *vm, Value x, const ObjString *name);
// Calls fn with the names of x's fields and methods.
void access_each_name(Vm *vm, Value x, void (*fn)(void *arg, const char *name),
                      void *arg);
// Panics with that message about suggest->wanted, and what was fed into it
// that comes near ("(did you mean `x`?)"). Returns false.
bool access_unknown(Local *local, Goroutine *g, const Suggest *suggest,
                    const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
