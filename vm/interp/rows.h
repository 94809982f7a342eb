// SPDX-License-Identifier: MIT
// Which row of its table a test was at, when it failed.
#ifndef CSP_VM_INTERP_ROWS_H
#define CSP_VM_INTERP_ROWS_H

#include "vm/heap/local.h"
#include "vm/object/value_text.h"

// From now on rows of that function (a host's string, which stays) are noted.
// Before the run; without memory none are.
void rows_of(Vm *vm, const char *function);
void rows_free(Vm *vm);
// A panic begins, or an error is made or passed on. Owner P of g.
void rows_note(Local *local, const Goroutine *g, bool panics);
// "  with c = [9, "small"]\n", if the newest of those was in a loop of the
// test. Any thread.
void rows_print(Text *out, Vm *vm);

#endif
