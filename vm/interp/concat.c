// SPDX-License-Identifier: MIT
// Interpolation: the pieces of "${a} and ${b}" become one string (CONCAT).
//
// Strings and ints are copied into the result. With other values among them a
// buffer is filled first. If one of them has a method `string`, the prelude's
// function makes the text, as that may call and wait.
#include "vm/interp/concat.h"
#include "vm/heap/work.h"
#include "vm/interp/call.h"
#include "vm/interp/limits.h"
#include "vm/interp/panic.h"
#include "vm/object/string.h"
#include "vm/object/value_text.h"

enum { CONCAT_INTS = 8, LONG_PIECE = 1 << 12 };

// false: given up. A long piece is charged here, and taken off *uncharged.
static inline bool concat_copy(Local *local, char *to, const char *from,
                               size_t size, size_t *uncharged) {
  if (__builtin_expect(size > LONG_PIECE, 0)) {
    if (!work_copy(local, to, from, size)) return false;
    *uncharged -= size;
  } else {
    memcpy(to, from, size);
  }
  return true;
}

// Strings and ints alone, in one string without a buffer between. NULL: not so,
// no memory, or given up.
static ObjString *concat_plain(Local *local, const Value *pieces, Instr count) {
  char digits[CONCAT_INTS][INT_DIGITS];
  uint8_t digits_len[CONCAT_INTS];
  size_t len = 0;
  int ints = 0;
  for (Instr n = 0; n < count; n++) {
    if (value_is_type(pieces[n], OBJ_STRING)) {
      len += ((ObjString *)value_obj(pieces[n]))->len;
    } else if (value_is_small(pieces[n]) && ints < CONCAT_INTS) {
      digits_len[ints] = (uint8_t)format_int(value_small(pieces[n]),
                                             digits[ints] + INT_DIGITS);
      len += digits_len[ints++];
    } else {
      return NULL;
    }
  }
  ObjString *string = string_alloc(local, len);
  if (string == NULL) return NULL;
  char *to = string->own;
  ints = 0;
  for (Instr n = 0; n < count; n++) {
    const char *from;
    size_t size;
    if (value_is_small(pieces[n])) {
      size = digits_len[ints];
      from = digits[ints++] + INT_DIGITS - size;
    } else {
      from = string_data((ObjString *)value_obj(pieces[n]));
      size = ((ObjString *)value_obj(pieces[n]))->len;
    }
    if (!concat_copy(local, to, from, size, &len)) return NULL;
    to += size;
  }
  RT_ASSERT(to == string->own + string->len && string_is_valid(string));
  charge_bytes(local, len);  // of the others
  return string;
}

// NULL: no memory.
static ObjString *concat_any(Local *local, const Value *pieces, Instr count) {
  Text text = {.memory = local->vm->memory,
               .most = heap_room(local->vm->heap),
               .local = local};
  for (Instr n = 0; n < count; n++)
    format_value(&text, local->vm, pieces[n], false);
  charge_bytes(local, text.len);
  ObjString *string =
      text.failed ? NULL : string_new(local, text.data, text.len);
  text_free(&text);
  return string;
}

Next concat_pieces(Local *local, Goroutine *g, Instr a, Instr count) {
  Value *pieces = g->base + a;
  bool calls = false;
  ObjString *plain = concat_plain(local, pieces, count);
  if (plain != NULL) {
    pieces[0] = value_from_obj(plain);
    return GO_ON;
  }
  if (g->gave_up) return THROW;
  for (Instr n = 0; n < count; n++)
    calls |= value_needs_call(local, pieces[n], false);
  if (calls) {
    if (!call_reserve(local, g, pieces + FRAME_WORDS + count, pieces + count))
      return THROW;
    pieces = g->base + a;
    memmove(pieces + FRAME_WORDS, pieces, count * sizeof(Value));
    pieces[2] = vm_code(local->vm)->concat;
    return call_value(local, g, pieces, (int)count, 1, g->pc);
  }
  ObjString *string = concat_any(local, pieces, count);
  if (string == NULL && memory_again(local, g))
    string = concat_any(local, pieces, count);
  if (string == NULL) {
    vm_panic_memory(local, g);
    return THROW;
  }
  pieces[0] = value_from_obj(string);
  return GO_ON;
}
