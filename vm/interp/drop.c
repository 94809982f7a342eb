// SPDX-License-Identifier: MIT
// Errors that a call gives and nobody takes. By the P that runs the goroutine.
//
// The check sits where results are delivered: call_deliver for calls of
// functions, and the end of a native (call_native.c). A function that returns
// nothing does not come there. A call that is a statement wants 0 results. The
// call in `_ = f()` wants WANT_DROP.
//
// Deferred calls want 0, too. Theirs are the windows at the end of the frame's
// registers. If the frame is already left by a panic or by an error, that one
// goes on, and carries the new one along (`also`). The frame then goes on at
// PANICGO, or at the return that runs once more.
//
// Where the number of results is wrong, an error that is the last of them is
// what `a?` takes. Elsewhere it is the cause of the panic.
#include "vm/interp/drop.h"

#include <string.h>

#include "vm/code/operands.h"
#include "vm/heap/local.h"
#include "vm/interp/panic.h"
#include "vm/interp/stack.h"
#include "vm/object/compare.h"
#include "vm/object/error.h"
#include "vm/object/list.h"

enum { ALSO_MAX = 16 };  // errors that one carries; the others are lost

static size_t also_count(Value also) {
  return also != VALUE_NIL ? values_len(list_block((ObjList *)value_obj(also)))
                           : 0;
}

// The first `count` of those errors, and room for as many `more`. NULL: no
// memory.
static ObjList *also_begun(Local *local, Value also, size_t count,
                           size_t more) {
  ObjList *list = list_new(local, count + more);
  for (size_t n = 0; n < count && list != NULL; n++) {
    const ObjValues *errors = list_block((ObjList *)value_obj(also));
    if (!list_push(local, list, heap_load(&errors->slots[n]))) return NULL;
  }
  return list;
}

// *slot is a list of errors, or nil. Goroutines on other Ps may have the same
// error, so that the list never changes: a longer one takes its place. false:
// panicked.
static bool carry(Local *local, Goroutine *g, Value *slot, Value error) {
  for (;;) {
    Value old = heap_load(slot);
    size_t count = also_count(old);
    if (count >= ALSO_MAX) return true;
    ObjList *list = also_begun(local, old, count, 1);
    if (list == NULL || !list_push(local, list, error))
      return vm_panic_memory(local, g);
    if (heap_store_if(&local->heap, slot, old, value_from_obj(list)))
      return true;
  }
}

Value drop_list(Local *local, Value error) {
  ObjList *list = list_new(local, 1);
  bool made = list != NULL && list_push(local, list, error);
  return made ? value_from_obj(list) : VALUE_NIL;
}

Value drop_join(Local *local, Value also, Value more) {
  if (also == VALUE_NIL) return more;
  size_t count = also_count(also), room = ALSO_MAX - count;
  size_t added = also_count(more) < room ? also_count(more) : room;
  if (added == 0) return also;
  const ObjValues *errors = list_block((ObjList *)value_obj(more));
  ObjList *list = also_begun(local, also, count, added);
  for (size_t n = 0; n < added && list != NULL; n++)
    if (!list_push(local, list, heap_load(&errors->slots[n]))) list = NULL;
  return list != NULL ? value_from_obj(list) : also;
}

// An error that can carry others: of no struct, and none that is shared.
static bool can_carry(Value v) {
  return value_is_type(v, OBJ_ERROR) &&
         !error_is_shared((ObjError *)value_obj(v));
}

// list: of errors, or nil.
static bool has_error(Value list, Value error) {
  if (list == VALUE_NIL) return false;
  const ObjValues *errors = list_block((ObjList *)value_obj(list));
  for (size_t n = 0; n < values_len(errors); n++)
    if (heap_load(&errors->slots[n]) == error) return true;
  return false;
}

// Whether the error carries one that is not in the list, or nil.
static bool carries_more(Value error, Value list) {
  Value also = error_also(error);
  if (also == VALUE_NIL || also == list) return false;
  const ObjValues *errors = list_block((ObjList *)value_obj(also));
  for (size_t n = 0; n < values_len(errors); n++)
    if (!has_error(list, heap_load(&errors->slots[n]))) return true;
  return false;
}

// *slot is what `carrier` has with it. (An error that a deferred call gives
// again is there already. A copy of the same one may be of another failure.)
static bool carry_for(Local *local, Goroutine *g, Value carrier, Value *slot,
                      Value error) {
  if (value_equal(error, carrier) && !carries_more(error, heap_load(slot)))
    return true;
  return carry(local, g, slot, error);
}

static bool carry_in(Local *local, Goroutine *g, Value carrier, Value error) {
  return carry_for(local, g, carrier, &((ObjError *)value_obj(carrier))->also,
                   error);
}

// The record that panics without memory share carries nothing.
static bool is_shared(const Local *local, const Panic *panic) {
  return panic == &vm_code(local->vm)->reserve.last;
}

static bool carry_in_panic(Local *local, Goroutine *g, Panic *panic,
                           Value error) {
  if (is_shared(local, panic)) return true;
  return can_carry(panic->value)
             ? carry_in(local, g, panic->value, error)
             : carry_for(local, g, panic->value, &panic->also, error);
}

void drop_take_apart(Local *local, Panic *panic) {
  if (!value_is_type(panic->value, OBJ_ERROR) || is_shared(local, panic))
    return;
  const ObjError *copy = (ObjError *)value_obj(panic->value);
  if (error_origin(copy) == copy) return;
  heap_store(&local->heap, &panic->also, heap_load(&copy->also));
  panic->value = value_from_obj(error_origin(copy));
}

void drop_carry_more(Local *local, Goroutine *g, Panic *panic, Value also) {
  if (also == VALUE_NIL) return;
  const ObjValues *errors = list_block((ObjList *)value_obj(also));
  for (size_t n = 0; n < values_len(errors); n++)
    if (!carry_in_panic(local, g, panic, heap_load(&errors->slots[n]))) break;
}

bool drop_carry_all(Local *local, Goroutine *g, Value also) {
  if (g->panic->also == VALUE_NIL) drop_carry_more(local, g, g->panic, also);
  return false;
}

bool drop_carry_in(Local *local, Goroutine *g, Value *carrier, Value also) {
  if (also == VALUE_NIL) return true;
  Value own = error_with(local, *carrier, VALUE_NIL);
  if (own == VALUE_UNDEF) return vm_panic_memory(local, g);
  *carrier = own;
  const ObjValues *errors = list_block((ObjList *)value_obj(also));
  if (!can_carry(own)) {
    vm_panic_value(local, g, heap_load(&errors->slots[0]));
    drop_carry_more(local, g, g->panic, also);
    carry_in_panic(local, g, g->panic, own);
    return false;
  }
  for (size_t n = 0; n < values_len(errors); n++)
    if (!carry_in(local, g, own, heap_load(&errors->slots[n]))) return false;
  return true;
}

// Of the list that PACK has made. NULL: it is empty.
static Value *last_packed(Value packed) {
  ObjValues *list = (ObjValues *)value_obj(packed);
  return list->len > 0 ? &list->slots[list->len - 1] : NULL;
}

// The last value with which the frame is left by the return at g->pc, or NULL.
static Value *returned_last(const Goroutine *g) {
  Instr i = *g->pc;
  if (INSTR_OP(i) == OP_RETD)
    return INSTR_B(i) > 0
               ? operand_range(g->base, i, INSTR_A(i) + INSTR_B(i) - 1)
               : NULL;
  RT_ASSERT(INSTR_OP(i) == OP_RETDL);
  return last_packed(*operand_a(g->base, i));
}

// The panic comes from the return.
static void past_return(Goroutine *g) {
  g->pc++;
  g->returns_at = 0;
}

// What is returned gets the place of an error that is shared: its copy.
static bool drop_returning(Local *local, Goroutine *g, Value error) {
  Value *last = returned_last(g), returned = last != NULL ? *last : VALUE_NIL;
  if (error == returned && value_is_type(error, OBJ_ERROR)) return true;
  returned = error_with(local, returned, VALUE_NIL);
  if (returned == VALUE_UNDEF) return vm_panic_memory(local, g);
  if (last != NULL) heap_store(&local->heap, last, returned);
  if (can_carry(returned)) return carry_in(local, g, returned, error);
  past_return(g);
  vm_panic_value(local, g, error);
  if (value_is_error(returned)) carry_in_panic(local, g, g->panic, returned);
  return false;
}

Value drop_returned(const Goroutine *g) {
  Instr i = g->pc[-1];
  if (INSTR_OP(i) != OP_GROUPRET) return VALUE_NIL;
  const Value *to = operand_a(g->base, i);
  const Value *last = INSTR_B(i) != 0 ? last_packed(*to) : to;
  return last != NULL ? *last : VALUE_NIL;
}

void drop_carry(Local *local, Goroutine *g, Value error) {
  carry_in_panic(local, g, g->panic, error);
}

void drop_threw(Local *local, Goroutine *g, const Value *window) {
  Op next = INSTR_OP(*g->pc);
  if (g->gave_up || (next != OP_RETD && next != OP_RETDL) ||
      window - g->base != frame_closure(g->base)->proto->nregs)
    return;
  const Value *last = returned_last(g);
  past_return(g);
  if (last != NULL && value_is_error(*last))
    carry_in_panic(local, g, g->panic, *last);
}

void drop_raised(Local *local, Goroutine *g) {
  const Value *window = g->stack + g->returns_at;
  bool returns = g->returns_at != 0 && window > g->base;
  g->returns_at = 0;
  if (returns) drop_threw(local, g, window);
}

static bool drop_deferred(Local *local, Goroutine *g, Value error) {
  if (g->pc != vm_code(local->vm)->panic_go)
    return drop_returning(local, g, error);
  if (!g->panic->recovered) return carry_in_panic(local, g, g->panic, error);
  return vm_panic_value(local, g, error);
}

bool drop_error(Local *local, Goroutine *g, const Value *to, Value error) {
  RT_ASSERT(value_is_error(error) && frame_is_valid(g, g->base));
  if (to - g->base == frame_closure(g->base)->proto->nregs)
    return drop_deferred(local, g, error);
  return vm_panic_value(local, g, error);
}

// Whether `a?` comes next, for the last of so many results.
static bool question_follows(const Goroutine *g, const Value *to, int want) {
  const Instr *next = g->pc;
  return INSTR_OP(next[0]) == OP_NILJ &&
         INSTR_A(next[0]) == (uint32_t)(to - g->base + want - 1) &&
         INSTR_OP(next[2]) == OP_NEEDERR && INSTR_B(next[2]) == 0;
}

static bool is_for_error(Value last) {
  return last == VALUE_NIL || value_is_error(last);
}

static bool is_named(const Proto *proto, const char *name) {
  return (proto->flags & PROTO_LIBRARY) && strcmp(proto->name->own, name) == 0;
}

// What may have been meant by the call, or "". The caller may be a function of
// the library that was given the function, as xs.map(f) is.
static const char *count_hint(const Proto *caller, const char *name, int n,
                              int want, Value last) {
  bool apart = value_is_type(last, OBJ_TUPLE) || value_is_type(last, OBJ_LIST);
  if (want == 2 && is_named(caller, "list.try_map"))
    return ": the second is nil or an error (one value: `xs.map(f)`)";
  if (n == 2 && want == 1 && is_for_error(last)) {
    if (is_named(caller, "list.map"))
      return ": the last is for an error, which `xs.try_map(f)` takes";
    if (caller->flags & PROTO_LIBRARY)
      return ": the last is for an error, which is not taken here";
    if (strcmp(name, "the task") == 0)
      return ": the last is for an error, write `(<-t)?` or `v, err := <-t`";
    return ": the last is for an error, write `f()?` or `v, err := f()`";
  }
  if (n == 1 && want > 1 && apart)
    return ": a list or a tuple is taken apart by `[a, b] := x`";
  return "";
}

bool drop_wrong_count(Local *local, Goroutine *g, Value *to, Results results,
                      int want, const char *name) {
  int n = results.count;
  Value last = n > 0 ? results.first[n - 1] : VALUE_NIL;
  if (value_is_error(last) && question_follows(g, to, want)) {
    for (int r = 0; r < want; r++) to[r] = VALUE_NIL;
    to[want - 1] = last;
    return true;
  }
  const Proto *caller = frame_closure(g->base)->proto;
  bool asked = question_follows(g, to, want);
  bool library = (caller->flags & PROTO_LIBRARY) != 0;
  if (n == 0 && asked && !library)
    return vm_panic(local, g,
                    "`?` after a call that returned no value: the function "
                    "must end with `return v, nil` if nothing went wrong, or "
                    "with `return nil` where `f()?` stands alone");
  if (n > 0 && !is_for_error(last) && !library && asked)
    return panic_no_error(local, g, last, false);
  const char *hint =
      n == 1 && last == VALUE_NIL && asked && !library
          ? ": nil for no error, without a value (write `f()?` alone)"
          : count_hint(caller, name, n, want, last);
  if (name[0] == '_') name = "the call";  // of a part of the library
  return vm_panic_because(local, g, last, "%s returned %d value%s, %d wanted%s",
                          name, n, n == 1 ? "" : "s", want, hint);
}
