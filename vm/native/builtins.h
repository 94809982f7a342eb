// SPDX-License-Identifier: MIT
// What builtins.c and its neighbours show each other; and methods.
#ifndef CSP_VM_BUILTINS_H
#define CSP_VM_BUILTINS_H

#include "vm/interp/native.h"

static inline bool is_obj(CspValue v, ObjType type) {
  return value_is_type(v.word, type);
}

CspStatus builtin_len(CspCall *call);
CspStatus builtin_push(CspCall *call);
CspStatus builtin_min(CspCall *call);
CspStatus builtin_max(CspCall *call);
CspStatus builtin_int(CspCall *call);
CspStatus builtin_float(CspCall *call);
CspStatus builtin_bool(CspCall *call);
CspStatus builtin_bytes(CspCall *call);
CspStatus builtin_list(CspCall *call);
CspStatus builtin_map(CspCall *call);
CspStatus builtin_copy(CspCall *call);
CspStatus builtin_chan(CspCall *call);
CspStatus builtin_close(CspCall *call);

extern const CspFunction list_core_methods[];  // builtins.c
extern const CspFunction group_methods[];      // group_methods.c

#endif
