// SPDX-License-Identifier: MIT
// The opcodes that make tuples, and take tuples and lists apart. Each panics
// where a value does not fit, or memory is out.
#include "vm/interp/tuples.h"

#include "vm/interp/explain.h"
#include "vm/interp/panic.h"
#include "vm/object/list.h"
#include "vm/object/tuple.h"
#include "vm/object/value_text.h"

// *out = the tuple, if there is one.
static bool give_tuple(Local *local, Goroutine *g, const ObjTuple *made,
                       const char *failed, Value *out) {
  if (made == NULL && failed != NULL) return vm_panic(local, g, "%s", failed);
  if (made == NULL) return vm_panic_memory(local, g);
  *out = value_from_obj(made);
  return true;
}

bool tuples_make(Local *local, Goroutine *g, const Value *from, size_t count,
                 Value *out) {
  const char *failed;
  ObjTuple *made = tuple_new(local, from, count, &failed);
  return give_tuple(local, g, made, failed, out);
}

bool tuples_from(Local *local, Goroutine *g, Value x, Value *out) {
  const char *failed;
  const ObjValues *block = sequence_block(x);
  RT_ASSERT(block != NULL);
  ObjTuple *made = tuple_part(local, block, 0, values_len(block), &failed);
  return give_tuple(local, g, made, failed, out);
}

bool tuples_join(Local *local, Goroutine *g, Value a, Value b, Value *out) {
  const char *failed;
  ObjTuple *made = tuple_joined(local, (ObjTuple *)value_obj(a),
                                (ObjTuple *)value_obj(b), &failed);
  return give_tuple(local, g, made, failed, out);
}

// --- Taking apart -----------------------------------------------------------
static bool wrong_count(Local *local, Goroutine *g, Value x, size_t len,
                        size_t count, bool rest) {
  return vm_panic(local, g, "the %s has %zu value%s, %s%zu %s wanted",
                  value_type_name(x), len, len == 1 ? "" : "s",
                  rest ? "at least " : "", count, count == 1 ? "is" : "are");
}

static bool not_apart(Local *local, Goroutine *g, Value x, bool two) {
  return explain_panic(
      local, g, "only a list or tuple is taken apart, not %s%s",
      value_type_name(x), two ? explain_loop_apart(local, g) : "");
}

static ObjList *rest_of(Local *local, const ObjValues *block, size_t at,
                        size_t len) {
  ObjList *list = list_new(local, len - at);
  bool made =
      list != NULL && list_append_part(local, list, block, at, len - at);
  return made ? list : NULL;
}

bool tuples_take_apart(Local *local, Goroutine *g, Value x, Value *to,
                       size_t count, bool rest) {
  const ObjValues *block = sequence_block(x);
  if (block == NULL) return not_apart(local, g, x, count == 2 && !rest);
  size_t len = values_len(block), single = count - rest;
  if (rest ? len < single : len != single)
    return wrong_count(local, g, x, len, single, rest);
  ObjList *list = rest ? rest_of(local, block, single, len) : NULL;
  if (rest && list == NULL) return vm_panic_memory(local, g);
  for (size_t i = 0; i < single; i++) {
    const Value *slot = values_at(block, i);  // NULL: another took it
    to[i] = slot != NULL ? heap_load(slot) : VALUE_NIL;
  }
  if (rest) to[single] = value_from_obj(list);
  return true;
}
