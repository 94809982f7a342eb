// SPDX-License-Identifier: MIT
// Goroutines' stacks: growing, and the two limits on depth.
//
// A stack is a block of values in the heap that only its goroutine points to.
// Growing copies it into one of twice the size. The limit in bytes is exact.
// Frames are counted by stack_reserve, and not at calls. It sets g->limit so
// that it is called again before there are more frames than the other limit
// allows, as each frame takes FRAME_WORDS at least.
#include "vm/interp/stack.h"
#include "vm/heap/local.h"
#include "vm/heap/span.h"
#include "vm/heap/work.h"
#include "vm/interp/interp.h"
#include "vm/interp/panic.h"
#include "vm/object/list.h"

bool stack_init(Local *local, Goroutine *g, size_t words) {
  ObjValues *block = values_new(local, words + STACK_MARGIN);
  if (block == NULL) return false;
  g->block = block;
  g->stack = block->slots;
  g->limit = g->stack + words;
  return true;
}

void stack_cover(Goroutine *g, const Value *end) {
  RT_ASSERT(end <= g->block->slots + g->block->cap);
  ptrdiff_t above = end - (g->base + frame_closure(g->base)->proto->nregs);
  g->multi = above > 0 ? (uint32_t)above : 0;
}

// --- Validity ---------------------------------------------------------------
static bool is_code_of(const Proto *proto, const Instr *pc) {
  return pc >= proto->code && pc <= proto->code + proto->ncode;
}

// Where a frame with that closure may go on: its own code, or what runs its
// deferred calls.
static bool goes_on_at(const Goroutine *g, const Value *base, const Instr *pc) {
  if (is_code_of(frame_closure(base)->proto, pc)) return true;
  const VmCode *code = vm_code(heap_vm_of(g));
  return code != NULL &&
         ((pc >= code->panic_go && pc <= code->panic_go + 1) ||
          (pc >= code->return_nils && pc <= code->return_nils + 256));
}

static bool caller_is_valid(const Goroutine *g, const Value *base) {
  if (!value_is_small(base[-3]) || !value_is_small(base[-2])) return false;
  const Value *first = g->stack + FRAME_WORDS;
  uint64_t offset = base[-2] >> 10;
  if (offset < FRAME_WORDS || offset > (uint64_t)(base - first)) return false;
  return value_is_type((base - offset)[-1], OBJ_CLOSURE) &&
         goes_on_at(g, base - offset, (const Instr *)(uintptr_t)base[-3]);
}

bool frame_is_valid(const Goroutine *g, const Value *base) {
  const Value *first = g->stack + FRAME_WORDS;
  if (base < first || base > g->limit) return false;
  if (!value_is_type(base[-1], OBJ_CLOSURE)) return false;
  const Proto *proto = frame_closure(base)->proto;
  if (proto->nregs > REGISTERS_MAX ||
      base + proto->nregs > g->limit + STACK_MARGIN)
    return false;
  return base == first || caller_is_valid(g, base);
}

static bool stack_is_valid(const Goroutine *g) {
  const ObjValues *block = g->block;
  return values_is_valid(block) && g->stack == block->slots &&
         g->limit > g->stack && block->cap >= STACK_MARGIN &&
         g->limit <= block->slots + block->cap - STACK_MARGIN;
}

// The newest deferred call is of the top frame or one below.
static bool defers_are_valid(const Goroutine *g) {
  if (g->defers == VALUE_NIL) return true;
  if (!value_is_type(g->defers, OBJ_VALUES)) return false;
  const ObjValues *record = (ObjValues *)value_obj(g->defers);
  return values_is_valid(record) && record->len >= FRAME_WORDS &&
         value_is_small(record->slots[1]) &&
         value_small(record->slots[1]) <= g->base - g->stack;
}

// What a parked goroutine waits with is there.
static bool resume_is_valid(const Goroutine *g) {
  switch (g->on_resume) {
    case RESUME_CALL:
    case RESUME_NATIVE:
    case RESUME_AGAIN:
      return g->pending != NULL;
    case RESUME_ENTER:
    case RESUME_SELECT:
      return g->select != NULL && g->select->count <= g->select->obj.aux;
    case RESUME_GROUP:
      return g->g.group != NULL;
    case RESUME_UNWIND:
      return g->panic != NULL;
    default:
      return g->on_resume <= RESUME_GAVE_UP;
  }
}

bool goroutine_is_valid(const Goroutine *g) {
  if (g == NULL || g->obj.type != OBJ_GOROUTINE || !stack_is_valid(g) ||
      !frame_is_valid(g, g->base) || !goes_on_at(g, g->base, g->pc))
    return false;
  const Value *top = g->base + frame_closure(g->base)->proto->nregs;
  const Value *end = g->block->slots + g->block->cap;
  ptrdiff_t unwound = g->panic == NULL ? -1 : g->panic->frame;
  return top + g->multi <= end && defers_are_valid(g) && unwound >= -1 &&
         unwound < end - g->stack && resume_is_valid(g);
}

// --- Growing ----------------------------------------------------------------

// How many there are; or, where the stack is too short for the limit to be near
// (each takes FRAME_WORDS), the most there can be.
static uint64_t count_frames(Local *local, const Goroutine *g) {
  uint64_t frames = (uint64_t)(g->base - g->stack) / FRAME_WORDS;
  if (frames < local->vm->frame_limit) return frames;
  frames = 0;
  for (const Value *base = g->base; base > g->stack + FRAME_WORDS;
       base -= base[-2] >> 10)
    frames++;
  charge_steps(local, frames);
  return frames;
}

static bool panic_overflow(Local *local, Goroutine *g, const char *what) {
  return vm_panic(local, g, "stack overflow: %s", what);
}

// Copies the stack into a block of `words` (and margin).
static bool move_stack(Local *local, Goroutine *g, size_t words) {
  RT_ASSERT(stack_is_valid(g) && words + STACK_MARGIN >= g->block->cap);
  ObjValues *block = values_new_room(local, words + STACK_MARGIN);
  if (block == NULL) return vm_panic_memory(local, g);
  size_t used = (size_t)(g->limit + STACK_MARGIN - g->stack);
  size_t old = g->block->cap < used ? g->block->cap : used;
  memcpy(block->slots, g->stack, old * sizeof(Value));
  charge_bytes(local, old * sizeof(Value));
  g->base = block->slots + (g->base - g->stack);
  g->stack = block->slots;
  g->block = block;
  return true;
}

bool stack_reserve(Local *local, Goroutine *g, const Value *top) {
  RT_ASSERT(stack_is_valid(g) && frame_is_valid(g, g->base));
  RT_ASSERT(top > g->limit);
  size_t need = (size_t)(top - g->stack);
  size_t cap = g->block->cap - STACK_MARGIN;
  size_t limit = local->vm->stack_limit_bytes / sizeof(Value);
  uint64_t frames = count_frames(local, g);
  if (frames >= local->vm->frame_limit)
    return panic_overflow(local, g, "too many calls inside each other");
  if (need > limit)
    return panic_overflow(local, g, "the stack's limit is reached");
  if (need > cap) {
    size_t words = cap * 2 > need ? cap * 2 : need + need / 2;
    if (words > limit) words = limit;
    if (!move_stack(local, g, words)) return false;
    cap = words;
  }
  // Frames that may still come take FRAME_WORDS each or more.
  size_t allowed = need + (local->vm->frame_limit - frames) * FRAME_WORDS;
  g->limit = g->stack + (allowed < cap ? allowed : cap);
  RT_ASSERT(stack_is_valid(g) && frame_is_valid(g, g->base));
  RT_ASSERT(g->limit >= g->stack + need);
  return true;
}
