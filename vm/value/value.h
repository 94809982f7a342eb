// SPDX-License-Identifier: MIT
// A value: one 64-bit word.
//
//   low bits 00      int of 62 bits, shifted left by two
//   low bits 01, 10  float: its bits rotated left by three, which covers every
//                    magnitude in [2^-511, 2^513)
//   low bits 0011    pointer to an object (16-byte aligned), plus three
//   0111, 1011, 1111 constants: nil, true, false, and two the program never
//                    sees
//
// Ints and floats outside those ranges are boxed (OBJ_INT, OBJ_FLOAT; 0.0,
// infinities and NaN among them), and no program can tell. A number that fits
// is never boxed, so equal ints have equal words or both are boxes.
//
// Functions of numbers have one scheme of names. A name is "value_", one of
// these prefixes, and what it is about:
//   is_        is the value such a one?
//   both_      are both values?
//   mixed_     is one of two an int and the other a float?
//   (nothing)  what it is, of a value that is one
//   to_        is_ and that at once: false where it is none
//   from_      the value; a box needs memory, and UNDEF says that there is none
//   box_       the same of what mostly needs a box
//   try_       as to_, for handlers: false where the slow path must do it
//   try_from_  as from_, for handlers: likewise
// It is about a "small" (an int in the word), a "small float" (in the word), an
// "int" or a "float" (in the word or boxed), or a "number" (one of these two,
// as a double). `int_fits_small` is about a C int, and no value.
#ifndef CSP_VM_VALUE_H
#define CSP_VM_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sched/rt.h"

typedef uint64_t Value;

typedef struct Obj Obj;

enum {
  TAG_MASK = 3,
  OBJ_MASK = 15,
  TAG_OBJ = 3,
};

#define VALUE_NIL ((Value)0x07)
#define VALUE_FALSE ((Value)0x0f)
#define VALUE_TRUE ((Value)0x0b)
#define VALUE_UNDEF ((Value)0x17)  // unset global, missing argument
#define VALUE_TOMB ((Value)0x1b)   // deleted map entry

#define INT_SMALL_MAX (((int64_t)1 << 61) - 1)
#define INT_SMALL_MIN (-((int64_t)1 << 61))

static inline bool value_is_small(Value v) { return (v & TAG_MASK) == 0; }
static inline bool value_both_small(Value a, Value b) {
  return ((a | b) & TAG_MASK) == 0;
}
static inline int64_t value_small(Value v) { return (int64_t)v >> 2; }
static inline Value value_from_small(int64_t i) { return (Value)i << 2; }
static inline bool int_fits_small(int64_t i) {
  return i >= INT_SMALL_MIN && i <= INT_SMALL_MAX;
}

// An unboxed float.
static inline bool value_is_small_float(Value v) { return ((v + 1) & 2) != 0; }
static inline bool value_both_small_float(Value a, Value b) {
  return ((a + 1) & (b + 1) & 2) != 0;
}
static inline double value_small_float(Value v) {
  uint64_t bits = v >> 3 | v << 61;
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}
// The word of d, or false when d must be boxed.
static inline bool value_try_from_small_float(double d, Value *out) {
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  *out = bits << 3 | bits >> 61;
  return value_is_small_float(*out);
}

// A small float and a small int, in any order.
static inline bool value_mixed_small(Value a, Value b) {
  return value_is_small_float(a) ? value_is_small(b)
                                 : value_is_small_float(b) && value_is_small(a);
}
static inline double value_small_number(Value v) {  // of a float or a small int
  return value_is_small_float(v) ? value_small_float(v)
                                 : (double)value_small(v);
}

static inline bool value_is_obj(Value v) { return (v & OBJ_MASK) == TAG_OBJ; }
static inline Obj *value_obj(Value v) {
  RT_ASSERT(value_is_obj(v));
  return (Obj *)(v - TAG_OBJ);
}
static inline Value value_from_obj(const void *obj) {
  RT_ASSERT(((uintptr_t)obj & OBJ_MASK) == 0);
  return (Value)(uintptr_t)obj + TAG_OBJ;
}
static inline bool value_truthy(Value v) {
  return (v & ~(Value)8) != VALUE_NIL;
}
static inline Value value_from_bool(bool b) {
  return b ? VALUE_TRUE : VALUE_FALSE;
}

#endif
