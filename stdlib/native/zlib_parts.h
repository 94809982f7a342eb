// SPDX-License-Identifier: MIT
// What the two files of the module zlib show each other.
#ifndef CSP_STDLIB_NATIVE_ZLIB_PARTS_H
#define CSP_STDLIB_NATIVE_ZLIB_PARTS_H

#define ZLIB_CONST  // next_in points to what is not changed
#include <zlib.h>

#include "stdlib/native/given_data.h"
#include "vm/csp.h"

enum {
  ZIP_IN = 1 << 12,      // bytes that the library is fed at once, at most
  ZIP_MEMORY_LEVEL = 8,  // as the library recommends
  ZIP_NEW_NS = 1 << 14   // what making the library's state costs
};

// --- zlib.c -----------------------------------------------------------------
// The library's memory, which is the runtime's. `csp` is stream.opaque.
void *zip_alloc(void *csp, unsigned count, unsigned size);
void zip_release(void *csp, void *block);

// Of each level: the bytes of a step, such that the worst data takes less than
// a millisecond, and what one of them costs.
typedef struct LevelRule {
  unsigned feed, cost;  // ns a byte, or 0 to measure
} LevelRule;
extern const LevelRule level_rules[];

// Argument i, an int in that range, or `*number` as it is without one.
bool zip_number(CspCall *call, int i, int64_t least, int64_t most,
                const char *wanted, int64_t *number);

// --- zlib_run.c -------------------------------------------------------------
CspStatus zlib_inflater(CspCall *call);
CspStatus zlib_deflater(CspCall *call);
void zlib_add_classes(CspCall *call, CspValue module);

#endif
