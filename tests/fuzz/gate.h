// SPDX-License-Identifier: MIT
// How many inputs of a run got past the target's first gate: a script compiled,
// bytes were read as a value. Each target says of each input whether it did,
// and the process tells the numbers when it ends. The runner wants some of the
// kept inputs to get past it. If none does, they are of a language or of a
// format that is gone, and test nothing but the gate. The CPU time is told,
// too. libFuzzer's thread alone calls this.
#ifndef CSP_FUZZ_GATE_H
#define CSP_FUZZ_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static size_t gate_inputs, gate_passed;

static void gate_tell(void) {
  fprintf(stderr, "gate: %zu of %zu inputs\n", gate_passed, gate_inputs);
  fprintf(stderr, "cpu: %.0f\n", (double)clock() / CLOCKS_PER_SEC);
}

// Once for each input. libFuzzer begins with an empty one, which nobody keeps.
static void gate(size_t size, bool passed) {
  if (size == 0) return;
  if (gate_inputs == 0) atexit(gate_tell);
  gate_inputs++;
  gate_passed += passed;
}
#endif
