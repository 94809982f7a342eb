// SPDX-License-Identifier: MIT
// Comparing ints with floats.
#ifndef CSP_VM_VALUE_NUMBER_H
#define CSP_VM_VALUE_NUMBER_H

#include "vm/value/object.h"

// Exact comparison of an int with a float: -1, 0, 1, or 2 when d is NaN.
int number_compare(int64_t i, double d);

#endif
