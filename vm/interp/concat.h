// SPDX-License-Identifier: MIT
// Interpolation, which makes one string of several values.
#ifndef CSP_VM_INTERP_CONCAT_H
#define CSP_VM_INTERP_CONCAT_H

#include "vm/heap/local.h"
#include "vm/interp/interp.h"

// R[a] = the text of the values in R[a] .. R[a + count - 1]. It may be a call,
// whose result comes to R[a].
Next concat_pieces(Local *local, Goroutine *g, Instr a, Instr count);

#endif
