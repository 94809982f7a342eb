// SPDX-License-Identifier: MIT
// csp.h: natives that give a sequence, which a for loop walks without a list.
#include "vm/code/operands.h"
#include "vm/interp/native_call.h"

// Whether the call's result goes into a for loop and nowhere else.
static bool is_looped(const CspCall *call) {
  const Goroutine *g = call->g;
  if (g == NULL) return false;
  Instr i = rt_load_relaxed(g->pc);  // relaxed: as the interpreter reads code
  return INSTR_OP(i) == OP_ITER && INSTR_C(i) != 0 &&
         operand_b(g->base, i) == call->args - FRAME_WORDS;
}

static CspStatus ok_list(CspCall *call, CspEach next, CspValue of,
                         CspValue with, size_t count) {
  CspValue list = csp_list(call, count), element = {VALUE_UNDEF};
  if (csp_is_undef(list)) return csp_panic_memory(call);
  int64_t at = 0;
  while (next(call, of, with, &at, &element) && !call->panicked) {
    if (!csp_list_push(call, list, element)) break;
  }
  if (call->panicked) return CSP_PANIC;
  csp_charge(call, csp_list_len(list));
  return csp_ok(call, list);
}

CspStatus csp_ok_each(CspCall *call, CspEach next, CspValue of, CspValue with,
                      size_t (*about)(CspValue of, CspValue with)) {
  if (!is_looped(call)) {
    return ok_list(call, next, of, with, about ? about(of, with) : 0);
  }
  LocalHeap *heap = &call->local->heap;
  ObjEach *each = (ObjEach *)heap_alloc(heap, sizeof *each, OBJ_EACH);
  if (each == NULL) return csp_panic_memory(call);
  each->next = next;
  each->of = of.word;
  each->with = with.word;
  return csp_ok(call, csp_wrap(value_from_obj(each)));
}
