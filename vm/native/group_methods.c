// SPDX-License-Identifier: MIT
// The methods of a group: cancel, timeout, grace, patience. And what time.limit
// asks of its own group.
#include "vm/heap/work.h"
#include "vm/interp/native_call.h"
#include "vm/native/builtins.h"

static CspStatus need_group(CspCall *call, ObjGroup **group) {
  Value v = csp_arg(call, 0).word;
  if (!value_is_type(v, OBJ_GROUP)) return csp_bad_arg(call, 0, "a group");
  *group = (ObjGroup *)value_obj(v);
  return CSP_OK;
}

static CspStatus group_cancel_(CspCall *call) {
  ObjGroup *group = NULL;
  if (need_group(call, &group) != CSP_OK) return CSP_PANIC;
  group_cancel(call->local->p, &group->group, CANCELLED);
  charge_woken(call->local);
  return csp_ok_nothing(call);
}

static CspStatus group_timeout_(CspCall *call) {
  ObjGroup *group = NULL;
  int64_t ns, when;
  if (need_group(call, &group) != CSP_OK || !csp_need_int(call, 1, &ns))
    return CSP_PANIC;
  P *p = call->local->p;
  if (ns <= 0) {
    group_cancel(p, &group->group, CANCEL_DEADLINE);
    charge_woken(call->local);
  } else {
    if (__builtin_add_overflow(rt_now(), ns, &when)) when = INT64_MAX;
    group_deadline(p, &group->group, when);
  }
  return csp_ok_nothing(call);
}

static CspStatus group_grace_(CspCall *call) {
  ObjGroup *group = NULL;
  int64_t ns;
  if (need_group(call, &group) != CSP_OK || !csp_need_int(call, 1, &ns))
    return CSP_PANIC;
  group_set_grace(call->local->p, &group->group, ns < 0 ? 0 : ns);
  return csp_ok_nothing(call);
}

static CspStatus group_patience_(CspCall *call) {
  ObjGroup *group = NULL;
  int64_t ns;
  if (need_group(call, &group) != CSP_OK || !csp_need_int(call, 1, &ns))
    return CSP_PANIC;
  group_set_patience(&group->group, ns < 0 ? 0 : ns);
  return csp_ok_nothing(call);
}

// _group_is_done(g), by its owner at the end of the block: nothing that was
// started in it is left, nothing failed, and nobody learned of a cancellation.
// So what the block has done is whole, though the deadline may come before it
// ends.
static CspStatus group_is_done_(CspCall *call) {
  ObjGroup *group = NULL;
  if (need_group(call, &group) != CSP_OK) return CSP_PANIC;
  bool done = group_is_done(&group->group);
  rt_lock(&group->group.lock);
  done = done && !group->failed;
  rt_unlock(&group->group.lock);
  // relaxed: its members took the lock after they had set it (group_leave)
  bool told = rt_load_relaxed(&group->told) != 0;
  return csp_ok_bool(call, done && !told);
}

const CspFunction group_functions[] = {{"_group_is_done", "g", group_is_done_},
                                       {NULL, NULL, NULL}};

const CspFunction group_methods[] = {{"cancel", "g", group_cancel_},
                                     {"timeout", "g, ns", group_timeout_},
                                     {"grace", "g, ns", group_grace_},
                                     {"patience", "g, ns", group_patience_},
                                     {NULL, NULL, NULL}};
