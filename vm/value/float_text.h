// SPDX-License-Identifier: MIT
// The functions of float_text.c that other files call.
#ifndef CSP_VM_VALUE_FLOAT_TEXT_H
#define CSP_VM_VALUE_FLOAT_TEXT_H

#include "vm/value/object.h"

// The shortest decimal that reads back, in a buffer of 32 bytes. Gives its
// length.
int format_float(double d, char *out);

#endif
