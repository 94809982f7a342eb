// SPDX-License-Identifier: MIT
// Goroutines' stacks: growing, and the two limits on depth.
//
// A stack is a block of values in the heap that only its goroutine points to.
// Growing copies it into one of twice the size. The limit in bytes is exact;
// frames are not counted at calls: only when the stack must grow, and then the
// room given is such that the next check comes before the limit on frames can
// be passed (each frame takes FRAME_WORDS at the least).
#include "vm/interp/interp.h"

bool stack_init(Local *l, Goroutine *g, size_t words) {
  ObjValues *block = values_new(l, words + STACK_MARGIN);
  if (block == NULL) return false;
  g->block = block;
  g->stack = block->slots;
  g->limit = g->stack + words;
  return true;
}

// How many there are; or, where the stack is too short for the limit to be near
// (each takes FRAME_WORDS), the most there can be.
static uint64_t count_frames(Local *l, const Goroutine *g) {
  uint64_t frames = (uint64_t)(g->base - g->stack) / FRAME_WORDS;
  if (frames < l->vm->frame_limit) return frames;
  frames = 0;
  for (const Value *base = g->base; base > g->stack + FRAME_WORDS;
       base -= base[-2] >> 10)
    frames++;
  charge_steps(l, frames);
  return frames;
}

static bool panic_overflow(Local *l, Goroutine *g, const char *what) {
  return vm_panic(l, g, "stack overflow: %s", what);
}

// Copies the stack into a block of `words` (and margin).
static bool move_stack(Local *l, Goroutine *g, size_t words) {
  ObjValues *block = values_new_room(l, words + STACK_MARGIN);
  if (block == NULL) return vm_panic_memory(l, g);
  size_t used = (size_t)(g->limit + STACK_MARGIN - g->stack);
  size_t old = g->block->cap < used ? g->block->cap : used;
  memcpy(block->slots, g->stack, old * sizeof(Value));
  charge_bytes(l, old * sizeof(Value));
  g->base = block->slots + (g->base - g->stack);
  g->stack = block->slots;
  g->block = block;
  return true;
}

bool stack_reserve(Local *l, Goroutine *g, const Value *top) {
  size_t need = (size_t)(top - g->stack);
  size_t cap = g->block->cap - STACK_MARGIN;
  size_t limit = l->vm->stack_limit_bytes / sizeof(Value);
  uint64_t frames = count_frames(l, g);
  if (frames >= l->vm->frame_limit)
    return panic_overflow(l, g, "too many calls inside each other");
  if (need > limit) return panic_overflow(l, g, "the stack's limit is reached");
  if (need > cap) {
    size_t words = cap * 2 > need ? cap * 2 : need + need / 2;
    if (words > limit) words = limit;
    if (!move_stack(l, g, words)) return false;
    cap = words;
  }
  // Frames that may still come take FRAME_WORDS each or more.
  size_t allowed = need + (l->vm->frame_limit - frames) * FRAME_WORDS;
  g->limit = g->stack + (allowed < cap ? allowed : cap);
  return true;
}
