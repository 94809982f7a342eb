// SPDX-License-Identifier: MIT
// Tuples. Their elements never change, and they are compared by content. Any
// thread may call these of a tuple that tuple_close has looked at.
#ifndef CSP_VM_OBJECT_TUPLE_H
#define CSP_VM_OBJECT_TUPLE_H

#include "vm/heap/local.h"

// Levels of tuples in tuples at most, as `equal` looks into.
enum { TUPLE_DEPTH_MAX = 10000 };

// At any time, by any thread.
bool tuple_is_valid(const ObjTuple *tuple);

// Looks at what was written. false: it is given up, or *failed says what is
// wrong with it.
bool tuple_close(Local *local, ObjTuple *tuple, const char **failed);
// All of that. NULL: the same, or there is no memory.
ObjTuple *tuple_new(Local *local, const Value *from, size_t count,
                    const char **failed);
// Of elements of a list or tuple, from `at` on.
ObjTuple *tuple_part(Local *local, const ObjValues *block, size_t at,
                     size_t count, const char **failed);
ObjTuple *tuple_joined(Local *local, const ObjTuple *a, const ObjTuple *b,
                       const char **failed);

uint32_t tuple_hash(Vm *vm, const ObjTuple *tuple);
// Makes the hash beforehand, and charges for it. false: given up.
bool tuple_hash_ready(Local *local, const ObjTuple *tuple);

#endif
