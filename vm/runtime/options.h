// SPDX-License-Identifier: MIT
// The settings of CSPDEBUG.
#ifndef CSP_VM_RUNTIME_OPTIONS_H
#define CSP_VM_RUNTIME_OPTIONS_H

#include "vm/csp.h"

// X(name, field, least, most)
#define DEBUG_NUMBERS(X)                     \
  X("gcstress", gcstress, 0, 1000000000)     \
  X("leaks", leaks, 0, 1)                    \
  X("libraryframes", libraryframes, 0, 1)    \
  X("poison", poison, 0, 1)                  \
  X("panicwait", panicwait, 1, 1000000)      \
  X("schedstats", schedstats, 0, 1)          \
  X("schedtrace", schedtrace, 0, 1000000000) \
  X("scheddetail", scheddetail, 0, 1)        \
  X("traceevents", traceevents, 1, 1 << 24)  \
  X("workspan", workspan, 0, 1)

enum { TRACE_EVENTS_DEFAULT = 1 << 16, PANICWAIT_DEFAULT = 5000 };

typedef struct DebugOptions {
#define X(name, field, least, most) long field;
  DEBUG_NUMBERS(X)
#undef X
  char *trace;  // the file for events, or NULL
} DebugOptions;

void options_read(Csp *csp, const char *text);  // may be NULL
void options_free(Csp *csp);

#endif
