// SPDX-License-Identifier: MIT
// All goroutines as text; see dump.c, and csp_dump_goroutines.
#include "vm/heap/local.h"
#include "vm/object/format.h"

#ifndef CSP_VM_DUMP_H
#define CSP_VM_DUMP_H

struct Csp;

typedef struct Dump Dump;

// No goroutine runs. NULL: out of memory.
Dump *dump_take(Vm *vm);
// csp_dump_goroutines in that memory. NULL: malloced.
char *dump_text(struct Csp *csp, const Memory *memory);
// At most so many entries, by the smallest id of each.
void dump_print(Text *text, Dump *dump, size_t most);
void dump_free(Dump *dump);

#endif
