// SPDX-License-Identifier: MIT
// What builtins.c lists of builtins_convert.c.
#ifndef CSP_VM_BUILTINS_H
#define CSP_VM_BUILTINS_H

#include "vm/native.h"

CspStatus builtin_int(CspCall *call);
CspStatus builtin_float(CspCall *call);
CspStatus builtin_bool(CspCall *call);
CspStatus builtin_bytes(CspCall *call);
CspStatus builtin_list(CspCall *call);
CspStatus builtin_map(CspCall *call);
CspStatus builtin_copy(CspCall *call);

#endif
