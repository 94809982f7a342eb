// SPDX-License-Identifier: MIT
// Strings that grow by appending, and share their bytes: string_tail.c.
#ifndef CSP_VM_OBJECT_STRING_TAIL_H
#define CSP_VM_OBJECT_STRING_TAIL_H

#include "vm/heap/local.h"

enum { TAIL_LEAST = 256 };  // bytes of a string that is in a block
// Whether the two are joined so that a third may follow without copying.
static inline bool string_is_growing(const ObjString *a, const ObjString *b) {
  return (a->obj.flags & (STRING_JOINED | STRING_TAIL)) &&
         (size_t)a->len + b->len >= TAIL_LEAST;
}
// NULL: no memory, or given up. Owner P.
ObjString *string_tail_join(Local *local, const ObjString *a,
                            const ObjString *b);
// After that a NUL follows the string's bytes, and they stay where they are.
// false: no memory. Any thread that may use the string. It holds a P where
// others run.
bool string_tail_settle(ObjString *string);
static inline bool string_settle(ObjString *string) {
  return __builtin_expect(!(string->obj.flags & STRING_TAIL), 1) ||
         string_tail_settle(string);
}
bool string_tail_is_valid(const ObjString *string);

#endif
