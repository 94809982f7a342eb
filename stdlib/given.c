// SPDX-License-Identifier: MIT
// What a native module gives to a module of the library. The library never
// loads a native module. When a program imports one, that module says here what
// it can do, once in each runtime, and the library's module finds it here.
#include "stdlib/given.h"

CspStatus given_set(CspCall *call, const CspClass *klass, CspValue v) {
  GivenValue *given = csp_state(csp_of(call), klass);
  CspHandle handle = csp_hold(call, v), none = 0;
  if (given == NULL || handle == 0) return csp_panic_memory(call);
  // release: shows what the handle holds. Pairs with given_get
  if (!__atomic_compare_exchange_n(&given->handle, &none, handle, false,
                                   __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    csp_release(csp_of(call), handle);
  return csp_ok_nothing(call);
}

CspStatus given_get(CspCall *call, const CspClass *klass) {
  GivenValue *given = csp_state(csp_of(call), klass);
  if (given == NULL) return csp_panic_memory(call);
  // acquire: what it holds. Pairs with given_set
  CspHandle handle = __atomic_load_n(&given->handle, __ATOMIC_ACQUIRE);
  return csp_ok(call, handle == 0 ? csp_nil() : csp_held(call, handle));
}
