// SPDX-License-Identifier: MIT
// What values of a host's own types do where scripts write == < + [] len for
// print on them: CspOperations, which their class may have.
//
// Called by the slow paths of those operations (compare.c, map.c, value_text.c,
// access.c, iter.c), when everything built in has been ruled out. Those that
// get a CspCall are in host_call.c.
#include "vm/object/host_type.h"

#include <stdlib.h>

#include "vm/object/value_text.h"

static const CspOperations none;

static const CspOperations *operations_of(const ObjHost *host) {
  const CspOperations *own = host->klass->operations;
  return own != NULL ? own : &none;
}

const CspOperations *host_operations(Value v) {
  return value_is_type(v, OBJ_HOST) ? operations_of((ObjHost *)value_obj(v))
                                    : &none;
}

// --- Comparing --------------------------------------------------------------
bool host_equal(const ObjHost *a, const ObjHost *b) {
  bool (*equal)(const void *, const void *) = operations_of(a)->equal;
  return a->klass == b->klass && equal != NULL && equal(a->data, b->data);
}

int host_compare(const ObjHost *a, const ObjHost *b) {
  int (*compare)(const void *, const void *) = operations_of(a)->compare;
  if (a->klass != b->klass || compare == NULL) return 3;
  int order = compare(a->data, b->data);
  return order == 2 ? 2 : (order > 0) - (order < 0);
}

bool host_is_key(const ObjHost *host) {
  const CspOperations *own = operations_of(host);
  return own->equal == NULL || own->hash != NULL;
}

bool host_hash(const ObjHost *host, uint64_t *hash) {
  const CspOperations *own = operations_of(host);
  if (own->equal == NULL || own->hash == NULL) return false;
  *hash = own->hash(host->data);
  return true;
}

// --- Text, length -----------------------------------------------------------
bool host_text(Text *text, const ObjHost *host) {
  char *(*string)(const void *, size_t *) = operations_of(host)->string;
  if (string == NULL) return false;
  size_t len = 0;
  char *own = string(host->data, &len);
  if (own == NULL) {
    text->failed = true;
  } else {
    text_add(text, own, len);
  }
  libc_free(own);
  return true;
}

bool host_len(Value v, int64_t *len) {
  int64_t (*own)(const void *) = host_operations(v)->len;
  if (own != NULL) *len = own(((ObjHost *)value_obj(v))->data);
  return own != NULL;
}

bool host_has_elements(Value v) { return host_operations(v)->get != NULL; }
bool host_takes_elements(Value v) { return host_operations(v)->set != NULL; }

CspEach host_iterate(Value v) { return host_operations(v)->iterate; }
