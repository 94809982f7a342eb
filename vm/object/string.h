// SPDX-License-Identifier: MIT
// Strings, and the permanent strings of names in code. A string does not change
// after others have seen it. Any thread may ask for its hash.
#ifndef CSP_VM_OBJECT_STRING_H
#define CSP_VM_OBJECT_STRING_H

#include "vm/heap/local.h"

#define STRING_LEN_MAX ((uint64_t)1 << 31)
// Whether its length fits into its memory, and a NUL follows. Any thread.
bool string_is_valid(const ObjString *string);
// Owner P. NULL: out of memory, or longer than STRING_LEN_MAX.
ObjString *string_new(Local *local, const char *data, size_t len);
ObjString *string_alloc(Local *local, size_t len);  // fill data[] before use
// Nobody else has seen it.
void string_cut(ObjString *string, size_t len);
ObjString *string_format(Local *local, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
ObjString *string_concat(Local *local, ObjString *a, ObjString *b);
uint32_t string_hash(Vm *vm, ObjString *string);
bool string_equal(const ObjString *a, const ObjString *b);
// Without looking at the bytes. 1: equal. 0: not. -1: that is not known.
static inline int string_equal_known(const ObjString *a, const ObjString *b) {
  if (a == b) return 1;
  if (a->len != b->len) return 0;
  if (a->obj.flags & b->obj.flags & STRING_INTERNED) return 0;
  // relaxed, both: string_hash stores them, on any thread, and always the same
  uint32_t ha = rt_load_relaxed(&a->obj.hash);
  uint32_t hb = rt_load_relaxed(&b->obj.hash);
  return ha && hb && ha != hb ? 0 : -1;
}
enum { STRING_WORD = 8 };  // bytes that an object has after its head at least
// Of two that have as many bytes, up to STRING_WORD, and so their own.
static inline bool string_equal_short(const ObjString *a, const ObjString *b) {
  uint64_t x, y;
  memcpy(&x, a->own, sizeof x);
  memcpy(&y, b->own, sizeof y);
  // What follows them goes. (A shift by 64 is none.)
  unsigned half = 4 * (unsigned)(STRING_WORD - a->len);
  return (x ^ y) << half << half == 0;
}
// The same hash as string_hash, with looks. false: given up.
bool string_hash_on(Local *local, ObjString *string);
// A keyed hash (SipHash-1-3): without the seed nobody can make texts that
// collide.
uint64_t vm_hash_bytes(uint64_t seed, const char *data, size_t len);
// The permanent string of a name in code. Only while compiling or booting: one
// thread does that at a time (CompileInput).
ObjString *vm_intern(Vm *vm, const char *text, size_t len);

#endif
