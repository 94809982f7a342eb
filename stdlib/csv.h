// SPDX-License-Identifier: MIT
// CSV (RFC 4180): what the files of the module csv share.
#ifndef CSP_STDLIB_CSV_H
#define CSP_STDLIB_CSV_H

#include "stdlib/stdlib.h"

enum {
  CSV_CELLS = 1 << 20,  // of a row that is read
  CSV_PART = 1 << 16    // bytes of a long cell or row, done at once
};

// --- csv_read.c -------------------------------------------------------------
extern const CspClass csv_reader_class;
extern const CspFunction csv_reader_methods[];
CspStatus csv_reader(CspCall *call);

// --- csv_write.c ------------------------------------------------------------
CspStatus csv_write(CspCall *call);

// --- csv.c ------------------------------------------------------------------
// An argument that is one ASCII character, and none of those with a meaning of
// their own. false: it has panicked.
bool csv_need_sign(CspCall *call, int i, const char *what, char *sign);

#endif
