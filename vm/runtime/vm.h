// SPDX-License-Identifier: MIT
// Running scripts, and what a runtime tells its compiler.
#ifndef CSP_VM_RUNTIME_VM_H
#define CSP_VM_RUNTIME_VM_H

#include "vm/csp.h"
#include "vm/heap/local.h"

// Asks CspConfig.load. false: there is none, or it has no such module.
bool vm_load(Vm *vm, struct CspLoad *load);
// Where files that are imported are looked for (CspConfig.path), or NULL.
const char *vm_search_path(Vm *vm);

// Bytes that compiling a script and its imports may take now. SIZE_MAX: any
// number.
size_t vm_compile_room(Vm *vm);
// Is it to be given up, as the host's call is interrupted or its time is over?
// By the thread that compiles.
bool vm_compile_is_over(Vm *vm);

// A script, with that module's members as its top-level names (NULL: a module
// of its own). NULL: *messages tells.
struct ObjClosure *vm_compile(Vm *vm, const char *path, const char *text,
                              size_t len, ObjModule *module, char **messages);
// Runs the function as the main goroutine; as csp_run.
CspOutcome vm_run(Csp *csp, struct ObjClosure *script, int *status);
// Has the goroutine, which runs this task, panic with `interrupted` at its next
// safepoint; `try` does not stop that. One at a time: a later call takes an
// earlier one's place. While it waits, or is in a blocking call, nothing comes.
// Owner P.
void vm_interrupt(Vm *vm, const Goroutine *g, const ObjTask *task);
int64_t vm_goroutine_count(Vm *vm);  // about

#endif
