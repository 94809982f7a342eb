// SPDX-License-Identifier: MIT
// A goroutine: a scheduler's G and a growable array of values in the heap.
//
// Frames lie in that array one after the other. A frame's registers begin at
// `base`; the three words below are
//   base[-3]  pc to return to, as a small int (code is 4-byte aligned)
//   base[-2]  (callee base - caller base) << 8 | results wanted, a small int
//   base[-1]  the closure that runs
// so that all words of the stack are values to the collector. Nobody outside
// the goroutine points into the array, so it can move. Words above the top
// frame's last register may be stale: the collector sets them to nil.
//
// What is "of Vm.memory" is freed by mem_free. The collector does not see it.
//
// pc, base are saved here whenever the goroutine is not inside the
// interpreter's loop (parked, in a look, in a native).
#ifndef CSP_VM_GOROUTINE_H
#define CSP_VM_GOROUTINE_H

#include "vm/value/proto_layout.h"

enum {
  FRAME_WORDS = 3,
  STACK_INITIAL = 20,  // values: with the goroutine itself 480 bytes
  STACK_MARGIN = 8,    // values above the top frame's registers, always
};

typedef struct Panic Panic;
typedef struct SelectBlock SelectBlock;

struct Goroutine {
  Obj obj;
  G g;
  Value *stack;  // first slot of block
  Value *limit;  // at most stack + cap - STACK_MARGIN (stack_reserve)
  ObjValues *block;
  Value *base;      // of the top frame, when saved
  const Instr *pc;  // next instruction of the top frame, when saved
  ObjTask *task;    // or NULL: started by a go statement
  // Deferred calls, newest first, or nil: VALUES blocks [next, frame's offset
  // in the stack, function, arguments...] (call.c).
  Value defers;
  Panic *panic;             // innermost panic under way, of Vm.memory
  const Instr *created_pc;  // the go instruction
  Proto *created_in;
  Goroutine *all_next;  // this P's list of goroutines; collector unlinks
  SelectBlock *select;  // of a pending select, or NULL
  uint32_t multi;       // how many values a varying count left, from R[A] up
  uint32_t shield_at;   // a deferred call's offset, or 0 (group_block.c)
  uint8_t on_resume;    // what to do first (RESUME_..., interp.h)
  bool gave_up;         // what it does is not to be finished (work.c)
  bool describing;      // _describe makes a panic's text (panic_describe)
  uint8_t repeats;      // so many collections at `retried` in a row
  uint32_t retried;     // low bits of pc: where memory_again collected last
  void *pending;  // a native's record while it waits or is left, of Vm.memory
  ObjRaw *sleep_block;  // holds a Timer; NULL until the first sleep
  // The offset of a deferred call's window while the frame before it is at its
  // return; else 0, or that of a frame that is gone (drop_raised).
  uint32_t returns_at;
  // What it is about to return as a task is nil, or an error, after as many
  // nils as whoever waits for it wants (call.c).
  bool fills;
};
// While spans are measured two words follow (SchedConfig.span_at).
enum {
  GOROUTINE_SPAN = 2 * sizeof(int64_t),
  GOROUTINE_SPAN_AT = sizeof(Goroutine) - offsetof(Goroutine, g),
};

// One captured stack, of Vm.memory.
typedef struct TraceFrame {
  const Proto *proto;
  const Instr *pc;
} TraceFrame;
typedef struct Trace {
  // Where the panic was raised that has gone on from a task, or NULL. That
  // trace has frames alone, or where its goroutine was created if there are
  // none.
  struct Trace *raised;
  uint64_t goroutine;
  const Proto *created_in;
  const Instr *created_pc;
  Heap *heap;       // whose limit it counts against, or NULL
  uint64_t elided;  // frames left out after the first half
  uint32_t count;
  bool error;  // not of a panic, but of an error that `?` found no taker for
  uint32_t text_size;   // of the value's text, after the frames; 0 means none
  TraceFrame frames[];  // count, and room for those alone
} Trace;
enum { DESCRIBE_NOT_YET, DESCRIBE_NOW, DESCRIBE_DONE };

struct Panic {
  Value value;
  Value also;           // a list of errors of deferred calls, or nil (drop.c)
  Panic *link;          // older, interrupted by this one
  ptrdiff_t frame;      // offset of the frame whose deferred call runs; -1
  const Instr *at;      // where that frame was left
  struct Panic *outer;  // the newest older one whose frame is further out
  bool recovered;
  bool cancels;       // the goroutine is cancelled: `try` lets it pass
  int64_t told_at;    // with `cancels`: when it was raised (group_stops)
  uint8_t described;  // DESCRIBE_...: its value's string() methods
  size_t newer;       // with DESCRIBE_NOW: panics that were newer when it began
  char *error_at;  // of Vm.memory: no panic, but an error that ends the program
  int64_t report_at;  // at the latest, though groups do not end (group_block.c)
  Trace *trace;
  struct PanicReserve *reserve;  // it is one of it, or (NULL) of Vm.memory
};

// Records for when memory is out: one to a goroutine at most. With all in use
// a goroutine gets `last`, which ends the run.
typedef struct PanicReserve {
  uint64_t used;  // atomic: bits
  Panic records[64];
  Panic last;
} PanicReserve;

// The cases of a select under way. Type RAW: the collector scans it by way of
// its goroutine. The order words (2 * count uint16_t) follow the cases.
struct SelectBlock {
  Obj obj;
  uint32_t count;
  SelCase cases[];
};

static inline size_t select_block_size(uint32_t count) {
  return sizeof(SelectBlock) + count * sizeof(SelCase) +
         2 * count * sizeof(uint16_t);
}
static inline uint16_t *select_order(SelectBlock *block) {
  return (uint16_t *)&block->cases[block->count];
}

static inline Goroutine *goroutine_of(G *g) {
  return (Goroutine *)((char *)g - offsetof(Goroutine, g));
}
static inline ObjClosure *frame_closure(const Value *base) {
  return (ObjClosure *)value_obj(base[-1]);
}

#endif
