// SPDX-License-Identifier: MIT
// csp.h: channels.
#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/native_call.h"
#include "vm/object/channel_memory.h"

static Chan *chan_in(CspValue v) {
  RT_ASSERT(value_is_type(v.word, OBJ_CHAN));
  return &((ObjChan *)value_obj(v.word))->chan;
}

// The host has done something outside its calls: csp_fd is to tell of it.
static void touched(const CspCall *call) {
  if (call->g == NULL) stepped_touched(call->vm->sched);
}

CspValue csp_chan(CspCall *call, uint32_t capacity) {
  bool can = call->local != NULL && capacity <= CHAN_MOST;
  ObjChan *channel = !can ? NULL : channel_new_plain(call->local, capacity);
  return csp_wrap(channel == NULL ? VALUE_UNDEF : value_from_obj(channel));
}

CspSent csp_try_send(CspCall *call, CspValue chan, CspValue value) {
  if (native_is_over(call)) return CSP_FULL;
  Local *local = call->local;
  Chan *to = chan_in(chan);
  ChanResult r;
  do r = chan_try_send(local->p, to, value.word);
  while (r == CHAN_WANTS_ROOM && channel_grow(local, to));
  touched(call);
  if (r == CHAN_DONE) return CSP_SENT;
  // (without memory for more room it is full)
  return r == CHAN_CLOSED ? CSP_CHAN_CLOSED : CSP_FULL;
}

bool csp_try_recv(CspCall *call, CspValue chan, CspValue *value) {
  *value = csp_nil();
  if (native_is_over(call)) return false;
  ChanResult r = chan_try_recv(call->local->p, chan_in(chan), &value->word);
  touched(call);
  if (r != CHAN_DONE) *value = csp_nil();
  return r == CHAN_DONE;
}

bool csp_close(CspCall *call, CspValue chan) {
  if (native_is_over(call)) return false;
  bool was_open = chan_close(call->local->p, chan_in(chan));
  charge_woken(call->local);
  touched(call);
  return was_open;
}

CspStatus csp_send(CspCall *call, CspValue chan, CspValue value) {
  CspValue args[] = {chan, value};
  if (csp_is_undef(value)) return csp_panic_memory(call);
  return csp_tail_named(call, "_send", 2, args);
}

CspStatus csp_recv(CspCall *call, CspValue chan) {
  return csp_tail_named(call, "_recv", 1, &chan);
}
