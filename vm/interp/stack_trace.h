// SPDX-License-Identifier: MIT
// Traces as text.
#ifndef CSP_VM_INTERP_STACK_TRACE_H
#define CSP_VM_INTERP_STACK_TRACE_H

#include "vm/heap/local.h"
#include "vm/object/value_text.h"

void trace_print(Text *out, const Vm *vm, const Trace *trace,
                 const char *state);
// The same without the first line.
void trace_print_frames(Text *out, const Vm *vm, const Trace *trace);
// Frames of any origin, at most TRACE_MAX.
void trace_print_places(Text *out, const TraceFrame *frames, uint32_t count);

#endif
