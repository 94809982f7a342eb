// SPDX-License-Identifier: MIT
// What values of a host's own types do where scripts write == < + [] len for
// print on them: CspOperations, which their class may have.
//
// Called by the slow paths of those operations (compare.c, map.c, format.c,
// arith.c, access.c, iter.c), when everything built in has been ruled out. What
// gets a CspCall runs as the element function of csp_ok_each does: on the
// goroutine that wants it, with neither arguments nor results of its own.
#include <stdlib.h>

#include "vm/interp/interp.h"

static const CspOperations none;

static const CspOperations *operations_of(const ObjHost *host) {
  const CspOperations *own = host->klass->operations;
  return own != NULL ? own : &none;
}

static const CspOperations *operations(Value v) {
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
  int64_t (*own)(const void *) = operations(v)->len;
  if (own != NULL) *len = own(((ObjHost *)value_obj(v))->data);
  return own != NULL;
}

// --- With a call ------------------------------------------------------------
static CspCall call_for(Local *l, Goroutine *g) {
  return (CspCall){.local = l, .vm = l->vm, .g = g};
}

// What the operation gave. NO: it has none for such values.
static HostDone done(CspCall *call, bool did, CspValue made, Value *out) {
  if (!did && !call->panicked) return HOST_NO;
  if (!call->panicked && csp_is_undef(made)) csp_panic_memory(call);
  if (call->panicked) return HOST_PANICKED;
  *out = made.word;
  return HOST_DID;
}

HostDone host_add(Local *l, Goroutine *g, Value b, Value c, Value *out) {
  const CspOperations *own = operations(b);
  if (own->add == NULL) own = operations(c);
  if (own->add == NULL) return HOST_NO;
  CspCall call = call_for(l, g);
  CspValue sum = csp_nil();
  bool did = own->add(&call, csp_wrap(b), csp_wrap(c), &sum);
  return done(&call, did, sum, out);
}

HostDone host_get(Local *l, Goroutine *g, Value v, Value index, Value *out) {
  const CspOperations *own = operations(v);
  if (own->get == NULL) return HOST_NO;
  CspCall call = call_for(l, g);
  CspValue element = csp_nil();
  bool did = own->get(&call, csp_wrap(v), csp_wrap(index), &element);
  return done(&call, did, element, out);
}

HostDone host_set(Local *l, Goroutine *g, Value v, Value index, Value to) {
  const CspOperations *own = operations(v);
  if (own->set == NULL) return HOST_NO;
  CspCall call = call_for(l, g);
  Value ignored;
  bool did = own->set(&call, csp_wrap(v), csp_wrap(index), csp_wrap(to));
  return done(&call, did, csp_nil(), &ignored);
}

bool host_has_elements(Value v) { return operations(v)->get != NULL; }
bool host_takes_elements(Value v) { return operations(v)->set != NULL; }

CspEach host_iterate(Value v) { return operations(v)->iterate; }
