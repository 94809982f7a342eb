// SPDX-License-Identifier: MIT
// Floats as text, whatever the locale is.
#ifndef CSP_VM_VALUE_FLOAT_TEXT_H
#define CSP_VM_VALUE_FLOAT_TEXT_H

#include "vm/value/object.h"

// The shortest decimal that reads back, in a buffer of 32 bytes. Gives its
// length.
int format_float(double d, char *out);

#endif
