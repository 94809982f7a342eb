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
// Of keys: a long string has been charged as one, and is compared to its end.
bool value_equal_keys(Local *local, Value a, Value b);
uint32_t value_hash(Vm *vm, Value key);  // for keys that may be in a map
uint32_t value_mix_hash(const Vm *vm, uint64_t x);
// Deep, and cycles are handled. *failed is NULL, or why it ended: nested deeper
// than 10,000, or memory. It charges, and may be given up.
bool value_deep_equal(Local *local, Value a, Value b, const char **failed);

#endif
