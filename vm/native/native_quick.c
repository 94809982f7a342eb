// SPDX-License-Identifier: MIT
// The usual cases of small natives, and of C functions of one number
// (CSP_REAL), without the record of the call (CspCall) that costs more than
// they do.
//
// A quick form gets the arguments and answers with the one result (if the
// native has one), or with false: then it has changed nothing, and the native
// itself is called, which does the same in all cases. It may allocate, and
// neither panics nor blocks.
#include "vm/native/native_quick.h"
#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/lock_wait.h"
#include "vm/interp/native_call.h"
#include "vm/native/builtins.h"
#include "vm/object/bytes.h"
#include "vm/object/channel_memory.h"
#include "vm/object/list.h"
#include "vm/object/map.h"

static bool quick_len(Local *local, const NativeDef *def, const Value *args,
                      int argc, Value *out) {
  (void)local, (void)def;
  if (argc != 1 || !value_is_obj(args[0])) return false;
  const Obj *obj = value_obj(args[0]);
  switch (obj->type) {
    case OBJ_LIST:
      *out = value_from_small(
          (int64_t)values_len(list_block((const ObjList *)obj)));
      return true;
    case OBJ_TUPLE:
      *out = value_from_small((int64_t)((const ObjTuple *)obj)->values.len);
      return true;
    case OBJ_STRING:
      *out = value_from_small((int64_t)((const ObjString *)obj)->len);
      return true;
    case OBJ_MAP:
      *out = value_from_small((int64_t)map_len((const ObjMap *)obj));
      return true;
    case OBJ_BYTES:
      *out = value_from_small(
          (int64_t)raw_len(bytes_block((const ObjBytes *)obj)));
      return true;
    default:
      return false;
  }
}

static bool quick_push(Local *local, const NativeDef *def, const Value *args,
                       int argc, Value *out) {
  (void)def;
  if (argc != 2 || !value_is_type(args[0], OBJ_LIST)) return false;
  // (If others push at once, Local.raced tells so to the native, which is
  // called next.)
  if (!list_push(local, (ObjList *)value_obj(args[0]), args[1])) return false;
  *out = args[0];
  return true;
}

static bool quick_min(Local *local, const NativeDef *def, const Value *args,
                      int argc, Value *out) {
  (void)local, (void)def;
  if (argc != 2 || !value_both_small(args[0], args[1])) return false;
  *out = (int64_t)args[1] < (int64_t)args[0] ? args[1] : args[0];
  return true;
}

static bool quick_max(Local *local, const NativeDef *def, const Value *args,
                      int argc, Value *out) {
  (void)local, (void)def;
  if (argc != 2 || !value_both_small(args[0], args[1])) return false;
  *out = (int64_t)args[1] > (int64_t)args[0] ? args[1] : args[0];
  return true;
}

static bool quick_float(Local *local, const NativeDef *def, const Value *args,
                        int argc, Value *out) {
  (void)local, (void)def;
  return argc == 1 && value_is_small(args[0]) &&
         value_try_from_small_float((double)value_small(args[0]), out);
}

static bool quick_real(Local *local, const NativeDef *def, const Value *args,
                       int argc, Value *out) {
  (void)local;
  if (argc != 1) return false;
  if (value_is_small_float(args[0]))
    return value_try_from_small_float(def->real(value_small_float(args[0])),
                                      out);
  return value_is_small(args[0]) &&
         value_try_from_small_float(def->real((double)value_small(args[0])),
                                    out);
}

static bool quick_chan(Local *local, const NativeDef *def, const Value *args,
                       int argc, Value *out) {
  enum { CAP_MAX = 16 };
  (void)def;
  Value cap = argc == 0 ? value_from_small(0) : args[0];
  if (argc > 1 || !value_is_small(cap) || cap > value_from_small(CAP_MAX))
    return false;
  ObjChan *channel = channel_new(local, (uint32_t)value_small(cap));
  *out = value_from_obj(channel);
  return channel != NULL;
}

static bool quick_close(Local *local, const NativeDef *def, const Value *args,
                        int argc, Value *out) {
  (void)def, (void)out;
  bool closes = argc == 1 && value_is_type(args[0], OBJ_CHAN) &&
                chan_close(local->p, &((ObjChan *)value_obj(args[0]))->chan);
  charge_woken(local);
  return closes;
}

static bool quick_lock(Local *local, const NativeDef *def, const Value *args,
                       int argc, Value *out) {
  (void)def, (void)out;
  if (argc != 1 || !value_is_type(args[0], OBJ_MUTEX)) return false;
  ObjChan *lock = (ObjChan *)value_obj(args[0]);
  const Goroutine *g = goroutine_of(local->p->current);
  return g_cancelled(&g->g) == NOT_CANCELLED &&
         gate_enter_quick(local->p, &lock->chan, &g->g);
}

static bool quick_unlock(Local *local, const NativeDef *def, const Value *args,
                         int argc, Value *out) {
  (void)def, (void)out;
  if (argc != 1 || !value_is_type(args[0], OBJ_MUTEX)) return false;
  ObjChan *lock = (ObjChan *)value_obj(args[0]);
  const Goroutine *g = goroutine_of(local->p->current);
  return gate_leave_quick(local->p, &lock->chan, &g->g);
}

void quick_choose(NativeDef *def, bool spans) {
  static const struct {
    CspFn fn;
    QuickFn quick;
    uint8_t results;
    bool unseen;  // by sched/workspan.c
  } forms[] = {{builtin_len, quick_len, 1, false},
               {builtin_push, quick_push, 1, false},
               {builtin_min, quick_min, 1, false},
               {builtin_max, quick_max, 1, false},
               {builtin_float, quick_float, 1, false},
               {builtin_chan, quick_chan, 1, true},
               {builtin_close, quick_close, 0, false},
               {builtin_lock, quick_lock, 0, true},
               {builtin_unlock, quick_unlock, 0, true}};
  RT_ASSERT(def->fn != NULL);
  def->quick = def->real != NULL ? quick_real : NULL;
  def->quick_results = def->quick != NULL ? 1 : -1;
  for (size_t n = 0; n < sizeof forms / sizeof *forms; n++) {
    if (forms[n].fn != def->fn) continue;
    def->quick = spans && forms[n].unseen ? NULL : forms[n].quick;
    def->quick_results = def->quick != NULL ? forms[n].results : -1;
  }
  RT_ASSERT((def->quick == NULL) == (def->quick_results < 0));
}
