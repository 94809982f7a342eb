// SPDX-License-Identifier: MIT
// csp.h: natives that give a sequence, which a for loop walks without a list.
#include "vm/code/operands.h"
#include "vm/heap/work.h"
#include "vm/interp/native_call.h"

// Whether the call's result goes into a for loop and nowhere else.
static bool is_looped(const CspCall *call) {
  const Goroutine *g = call->g;
  if (g == NULL) return false;
  // relaxed: as in NEXT of interp.c
  Instr i = rt_load_relaxed(g->pc);
  return INSTR_OP(i) == OP_ITER && INSTR_C(i) != 0 &&
         operand_b(g->base, i) == call->args - FRAME_WORDS;
}

// The list of all elements, in pieces. What is made in one piece may have
// looked on its way: then there is less debt than before. An element may end a
// piece, too.
typedef struct EachList {
  CspValue list, of, with;  // kept
  CspValue element;         // kept, too: where *at is negative
  CspEach next;
  int64_t at;
} EachList;
enum { EACH_KEPT = 4, EACH_TURNS = 64 };  // elements between two questions

static CspStatus list_on(CspCall *call, void *data, bool on) {
  EachList *each = data;
  if (!on) return CSP_PANIC;
  int64_t debt = call->local->debt;
  for (int n = 1;
       each->next(call, each->of, each->with, &each->at, &each->element); n++) {
    if (call->panicked) return CSP_PANIC;
    if (__builtin_expect(each->at < 0, 0))
      return csp_again(call, list_on, each, sizeof *each, EACH_KEPT);
    if (!csp_list_push(call, each->list, each->element)) return CSP_PANIC;
    each->element = csp_wrap(VALUE_UNDEF);
    bool looked = call->local->debt < debt;
    debt = call->local->debt;
    if (!looked && n % EACH_TURNS != 0) continue;
    if (csp_spent(call, EACH_TURNS * WORK_TURN) || looked)
      return csp_again(call, list_on, each, sizeof *each, EACH_KEPT);
  }
  if (call->panicked) return CSP_PANIC;
  csp_charge(call, csp_list_len(each->list) % EACH_TURNS);
  return csp_ok(call, each->list);
}

static CspStatus ok_list(CspCall *call, CspEach next, CspValue of,
                         CspValue with, size_t count) {
  EachList each = {csp_list(call, count), of,   with,
                   csp_wrap(VALUE_UNDEF), next, 0};
  if (csp_is_undef(each.list)) return csp_panic_memory(call);
  return list_on(call, &each, true);
}

CspStatus csp_ok_each(CspCall *call, CspEach next, CspValue of, CspValue with,
                      size_t (*about)(CspValue of, CspValue with)) {
  if (!is_looped(call)) {
    return ok_list(call, next, of, with, about != NULL ? about(of, with) : 0);
  }
  LocalHeap *heap = &call->local->heap;
  ObjEach *each = (ObjEach *)heap_alloc(heap, sizeof *each, OBJ_EACH);
  if (each == NULL) return csp_panic_memory(call);
  each->next = next;
  each->of = of.word;
  each->with = with.word;
  each->obj.flags = call->def->host ? EACH_HOST : 0;
  return csp_ok(call, csp_wrap(value_from_obj(each)));
}
