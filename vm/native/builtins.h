// SPDX-License-Identifier: MIT
// The predeclared functions that natives and tables of several files name: one
// header for builtins.c, builtins_convert.c, builtins_sched.c, timers.c,
// lock_methods.c and group_methods.c.
#ifndef CSP_VM_BUILTINS_H
#define CSP_VM_BUILTINS_H

#include "vm/interp/native_call.h"

static inline bool is_obj(CspValue v, ObjType type) {
  return value_is_type(v.word, type);
}

// --- builtins.c -------------------------------------------------------------
CspStatus builtin_len(CspCall *call);
CspStatus builtin_push(CspCall *call);
CspStatus builtin_min(CspCall *call);
CspStatus builtin_max(CspCall *call);

// --- builtins_convert.c -----------------------------------------------------
CspStatus builtin_int(CspCall *call);
CspStatus builtin_float(CspCall *call);
CspStatus builtin_bool(CspCall *call);
CspStatus builtin_bytes(CspCall *call);
CspStatus builtin_list(CspCall *call);
CspStatus builtin_tuple(CspCall *call);
CspStatus builtin_map(CspCall *call);
CspStatus builtin_copy(CspCall *call);

// --- builtins_sched.c -------------------------------------------------------
CspStatus builtin_chan(CspCall *call);
CspStatus builtin_close(CspCall *call);

// --- timers.c ---------------------------------------------------------------
CspStatus builtin_after(CspCall *call);
CspStatus builtin_tick(CspCall *call);
CspStatus builtin_timer(CspCall *call);

// --- lock_methods.c ---------------------------------------------------------
CspStatus builtin_lock(CspCall *call);
CspStatus builtin_unlock(CspCall *call);

extern const CspFunction list_core_methods[];  // builtins.c
extern const CspFunction range_methods[];      // builtins.c
extern const CspFunction group_functions[];    // group_methods.c
extern const CspFunction group_methods[];      // group_methods.c
extern const CspFunction timer_methods[];      // timers.c
extern const CspFunction mutex_methods[];      // lock_methods.c
extern const CspFunction semaphore_methods[];  // lock_methods.c

extern const CspFunction builtin_functions[];        // builtins.c
extern const CspFunction builtin_sched_functions[];  // builtins_sched.c
extern const CspFunction builtin_lock_functions[];   // lock_methods.c

#endif
