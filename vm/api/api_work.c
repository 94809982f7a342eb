// SPDX-License-Identifier: MIT
// csp.h: what natives say of their work (vm/heap/work.c).
#include "vm/heap/work.h"
#include "vm/interp/native_call.h"

// Units of csp_charge are turns of a script's loop.
void csp_charge(CspCall *call, uint64_t units) {
  if (call->local != NULL) work_charge(call->local, units * WORK_TURN);
}

bool csp_work(CspCall *call, uint64_t units) {
  if (call->local == NULL || call->panicked) return false;
  if (work_on(call->local, units)) return true;
  call->panicked = true;
  return false;
}

bool csp_spent(CspCall *call, uint64_t units) {
  if (call->local == NULL || call->panicked) return true;
  work_charge(call->local, units);
  return call->local->debt >= WORK_PIECE;
}
