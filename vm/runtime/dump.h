// SPDX-License-Identifier: MIT
// All goroutines as text; see dump.c, and csp_dump_goroutines.
#include "vm/heap/local.h"
#include "vm/heap/walk.h"
#include "vm/object/value_text.h"

#ifndef CSP_VM_DUMP_H
#define CSP_VM_DUMP_H

struct Csp;

typedef struct Dump Dump;

// No goroutine runs. NULL: out of memory.
Dump *dump_take(Vm *vm);
// At most so many entries, by the smallest id of each.
void dump_print(Text *text, Dump *dump, size_t most);
void dump_free(Dump *dump);

// --- In pieces --------------------------------------------------------------
// At any time, by a thread without a P or a native of a stepped runtime. The
// rest of more entries is counted.
enum { DUMP_ENTRIES = 1000 };
typedef struct DumpPieces {
  struct Csp *csp;
  Dump *dump;  // NULL: not begun, or no memory
  HeapWalk walk;
  bool more, stopped;  // of the last piece
  int64_t stopped_ns;  // how long it took
} DumpPieces;
// One piece, for which the world stops. false: it was the last.
bool dump_piece(DumpPieces *pieces);
void dump_pieces(DumpPieces *pieces);  // all, while others run in between
// The text in that memory (NULL: malloced), and frees the rest. NULL: no script
// runs, or memory is out.
char *dump_finish(DumpPieces *pieces, const Memory *memory);
void dump_drop(DumpPieces *pieces);  // without a text

#endif
