// SPDX-License-Identifier: MIT
// What == < + len for and print do with values of a host's own types, as the
// CspOperations of their class say. Callers have ruled out the built-in types.
// vm/interp/host_call.h has the operations that get a CspCall.
#ifndef CSP_VM_OBJECT_HOST_TYPE_H
#define CSP_VM_OBJECT_HOST_TYPE_H

#include "vm/csp.h"
#include "vm/object/value_text.h"

// Of two of one type, whose operations decide.
bool host_equal(const ObjHost *a, const ObjHost *b);
int host_compare(const ObjHost *a, const ObjHost *b);  // as value_compare
bool host_is_key(const ObjHost *host);
bool host_hash(const ObjHost *host, uint64_t *hash);  // false: by identity

// Adds the text of its own that a host's value has. false: none.
bool host_text(Text *text, const ObjHost *host);

const CspOperations *host_operations(Value v);  // none: all NULL
bool host_has_elements(Value v);
bool host_takes_elements(Value v);
CspEach host_iterate(Value v);         // NULL: it cannot
bool host_len(Value v, int64_t *len);  // false: it has none

#endif
