// SPDX-License-Identifier: MIT
// The types of expressions, where they are certain.
#ifndef CSP_LANG_CHECK_KINDS_H
#define CSP_LANG_CHECK_KINDS_H

#include "lang/compiler.h"

typedef enum Kind {
  KIND_UNKNOWN,
  KIND_NIL,
  KIND_BOOL,
  KIND_INT,
  KIND_FLOAT,
  KIND_STRING,
  KIND_BYTES,
  KIND_LIST,
  KIND_MAP,
  KIND_RANGE,
  KIND_FUNC,
  KIND_CHAN,
  KIND_TUPLE,
  KIND_TASK,
  KIND_GROUP,
} Kind;

Kind kinds_of(const Node *node);
const char *kinds_name(Kind kind);  // "an int"
// The type of such values if all that they have is methods, or OBJ_TYPE_COUNT.
ObjType kinds_type(Kind kind);
// Whether values of that type have a method of that name.
bool kinds_has_method(Compiler *compiler, Kind kind, const AstStr *name);
// What a variable stands for that is set once, to a name or a member; other
// nodes themselves.
const Node *kinds_origin(const Node *node);
// "list", "map" or "struct", if the node makes one each time, else NULL. Such a
// value is equal to no other, by identity.
const char *kinds_made(const Node *node);

#endif
