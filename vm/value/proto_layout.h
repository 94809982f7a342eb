// SPDX-License-Identifier: MIT
// A Proto is a compiled function: its code, its constants, and what traces
// need.
//
// The compiler (lang/) makes it, and all Ms share it. A Vm frees its protos
// when it closes, and those of a unit earlier (unit.c). After it is compiled a
// Proto does not change, but for two kinds of words of 32 or 64 bits, which are
// stored relaxed. These are opcodes that specialise themselves, and inline
// caches.
#ifndef CSP_VM_PROTO_LAYOUT_H
#define CSP_VM_PROTO_LAYOUT_H

#include "vm/value/object.h"

typedef uint32_t Instr;

// Where the code from instruction `at` on came from.
typedef struct LineInfo {
  uint32_t at;
  uint32_t line;
  uint32_t col : 31;
  uint32_t turned : 1;  // a op b became b op' a: messages turn it back
} LineInfo;

enum {
  PROTO_REST = 1,       // last parameter takes the rest as a list
  PROTO_DEFER = 2,      // contains defer: returns are RETD, frames may unwind
  PROTO_TRY = 4,        // the frame of `try`: panics stop here
  PROTO_DEFAULTS = 8,   // some parameters have defaults
  PROTO_MAIN = 16,      // a module's top level
  PROTO_TOP = 32,       // captures nothing: `self` is the one closure of it
  PROTO_LIBRARY = 64,   // of the library: traces leave its frames out
  PROTO_STORED = 128,   // hands out what was stored, as natives of CSP_STORED
  PROTO_METHOD = 256,   // the first parameter is the receiver
  PROTO_LASTING = 512,  // of a prelude: its memory is lasting_alloc's
  // what functions of a prelude may have
  PROTO_COMPILED = PROTO_REST | PROTO_DEFER | PROTO_DEFAULTS | PROTO_TOP |
                   PROTO_LIBRARY | PROTO_STORED | PROTO_METHOD,
};

// Where a closure's upvalue comes from when CLOSURE is executed.
typedef struct UpvalueFrom {
  bool local;  // the cell in register `index`, not upvalue `index`
  uint8_t index;
} UpvalueFrom;

// Values of Proto.nresults for a function that returns what another call gives.
// VARY: it returns as many results as its caller wants. PASSED: the same, and
// it returns nothing else, and has a `?`.
enum { NRESULTS_PASSED = 254, NRESULTS_VARY = 255 };

struct Proto {
  Instr *code;
  Value *constants;
  ObjClosure *self;  // PROTO_TOP: its closure, else NULL
  uint16_t nregs;    // registers used, parameters included (<= 250)
  uint16_t flags;
  uint8_t nparams;  // rest included
  uint8_t nrequired;
  uint8_t nresults;  // that ? and recover return, or NRESULTS_...
  uint8_t nupvalues;
  uint32_t ncode, nconstants, nlines;
  uint32_t nvariables;  // bytes
  const LineInfo *lines;
  uint8_t *variables;  // their names (code/variables.h), or NULL
  UpvalueFrom *upvalues;
  ObjString *name;          // interned; "main" for a file's top level
  ObjString **param_names;  // nparams, interned
  ObjString *path;          // of the source
  CodeUnit *unit;           // or NULL: it stays as long as the Vm
  Proto *next;              // of the unit, or of the Vm
};

// What one csp_load has compiled (unit.c).
struct CodeUnit {
  Proto *protos;
  CodeUnit *next;
  uint32_t marked;  // atomic: the collection under way has found it
  size_t bytes;     // that are accounted for
};

#endif
