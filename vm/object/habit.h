// SPDX-License-Identifier: MIT
// Names that methods have in other languages.
#ifndef CSP_VM_OBJECT_HABIT_H
#define CSP_VM_OBJECT_HABIT_H

#include "vm/value/object.h"

// What is written here for that method or field of a type ("xs.push(v)"), or
// NULL.
const char *habit_find(ObjType type, const char *name);

#endif
