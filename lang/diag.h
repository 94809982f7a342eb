// SPDX-License-Identifier: MIT
// Compile errors: collected, and printed in order of place.
#ifndef CSP_LANG_DIAG_H
#define CSP_LANG_DIAG_H

#include "lang/source.h"
#include "sched/memory.h"

typedef struct Diags Diags;
Diags *diags_new(const Memory *memory, const Source *source);
void diags_free(Diags *diags);
// Adds an error (printf form). The same place is reported once. After 20
// errors the rest is counted only. `len` is how many bytes the caret spans.
// false: it is not printed, so no hint is worth being looked for.
bool diag_error(Diags *diags, Pos pos, uint32_t len, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// A line under the error added last ("did you mean `x`?").
void diag_hint(Diags *diags, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Warnings (cspvm check): do not count as errors.
void diag_warn(Diags *diags, Pos pos, uint32_t len, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int diags_errors(const Diags *diags);
// Where the first error is that was kept. UINT32_MAX: there is none.
uint32_t diags_first_error(const Diags *diags);
int diags_warnings(const Diags *diags);
// As many are kept as there is room for, and no more than were counted.
bool diags_are_valid(const Diags *diags);
// All of them sorted by place, as text of the Memory that diags_new got:
//   path:line:col: error: message
//       the source line
//       ^~~~
//       did you mean `x`?
char *diags_text(const Diags *diags);

#endif
