// SPDX-License-Identifier: MIT
// What == and < mean, hashes of map keys, and deep equality.
#ifndef CSP_VM_OBJECT_COMPARE_H
#define CSP_VM_OBJECT_COMPARE_H

#include "vm/heap/local.h"

bool value_equal(Value a, Value b);  // ==

// <: -1, 0, 1 for two numbers, strings, bytes or tuples. 2: unordered (NaN).
// 3: types that have no order.
int value_compare(Value a, Value b);
// The same. They charge what long strings and bytes take (work_on). Where that
// is given up, they answer that the values are equal, and the caller goes on
// until it fails.
bool value_equal_on(Local *local, Value a, Value b);
int value_compare_on(Local *local, Value a, Value b);
// Of two values that are unordered, with a place for NaN, also inside tuples:
// before all other numbers (nan -1), or after them (1). Two NaN are equal. 2: a
// host's values without an order, or no memory.
int value_place_nan(Local *local, Value a, Value b, int nan);
// Of keys: a long string has been charged as one, and is compared to its end.
bool value_equal_keys(Local *local, Value a, Value b);
uint32_t value_hash(Vm *vm, Value key);  // for keys that may be in a map
uint32_t value_mix_hash(const Vm *vm, uint64_t x);
// --- Deep equality ----------------------------------------------------------
// A walk through two values that may contain others. It can be left in the
// middle, and handles cycles. Others may change the values meanwhile.

// Two containers that are being compared, from element `at` on.
typedef struct DeepPair {
  Obj *a, *b;
  const void *x, *y;  // their blocks, or x is a's table. Or NULL
  uint64_t at;
} DeepPair;

enum { DEEP_FEW = 8 };

// It may be copied, and then only the copy is used.
typedef struct Deep {
  const Memory *memory;
  Local *local;    // NULL: nothing is charged
  size_t count;    // of values
  DeepPair *more;  // the stack, or NULL where `few` is the stack
  size_t depth, cap;
  size_t low;  // pairs of the stack that have stayed since this was `depth`
  Obj *(*seen)[2];
  size_t seen_count, seen_cap;
  // Why it ended before it was done: nested deeper than 10,000, no memory, or
  // given up. Or NULL.
  const char *failed;
  bool same;  // so far
  DeepPair few[DEEP_FEW];
} Deep;

void deep_begin(Deep *deep, Local *local, Value a, Value b);
// Compares at most so many values, and charges them. false: it has ended, and
// `same` and `failed` tell how.
bool deep_some(Deep *deep, Local *local, size_t values);
// The objects that stay until deep_some is called again: those of the pair
// number `at`, from 0 to `depth`.
DeepPair deep_pair(const Deep *deep, size_t at);
void deep_free(Deep *deep);

#endif
