// SPDX-License-Identifier: MIT
// The operations of a host's own types that get a CspCall: + [] and []=
// (host_type.c has the others). They run as the element function of csp_ok_each
// does: on the goroutine that wants them, with neither arguments nor results of
// their own.
#include "vm/interp/host_call.h"
#include "vm/heap/local.h"
#include "vm/interp/call_native.h"
#include "vm/interp/native_call.h"
#include "vm/object/host_type.h"

static CspCall call_for(Local *local, Goroutine *g) {
  sched_enter_host(local->p);
  return (CspCall){.local = local, .vm = local->vm, .g = g};
}

// What the operation gave. NO: it has none for such values.
static HostDone done(CspCall *call, bool did, CspValue made, Value *out) {
  if (!did && !call->panicked) return HOST_NO;
  if (!call->panicked && made.word == VALUE_UNDEF) call_out_of_memory(call);
  if (call->panicked) return HOST_PANICKED;
  *out = made.word;
  return HOST_DID;
}

HostDone host_add(Local *local, Goroutine *g, Value b, Value c, Value *out) {
  const CspOperations *own = host_operations(b);
  if (own->add == NULL) own = host_operations(c);
  if (own->add == NULL) return HOST_NO;
  CspCall call = call_for(local, g);
  CspValue sum = csp_wrap(VALUE_NIL);
  bool did = own->add(&call, csp_wrap(b), csp_wrap(c), &sum);
  return done(&call, did, sum, out);
}

HostDone host_get(Local *local, Goroutine *g, Value v, Value index,
                  Value *out) {
  const CspOperations *own = host_operations(v);
  if (own->get == NULL) return HOST_NO;
  CspCall call = call_for(local, g);
  CspValue element = csp_wrap(VALUE_NIL);
  bool did = own->get(&call, csp_wrap(v), csp_wrap(index), &element);
  return done(&call, did, element, out);
}

HostDone host_set(Local *local, Goroutine *g, Value v, Value index, Value to) {
  const CspOperations *own = host_operations(v);
  if (own->set == NULL) return HOST_NO;
  CspCall call = call_for(local, g);
  Value ignored;
  bool did = own->set(&call, csp_wrap(v), csp_wrap(index), csp_wrap(to));
  return done(&call, did, csp_wrap(VALUE_NIL), &ignored);
}
