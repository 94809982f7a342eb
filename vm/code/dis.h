// SPDX-License-Identifier: MIT
// Readable bytecode.
#ifndef CSP_VM_CODE_DIS_H
#define CSP_VM_CODE_DIS_H

#include "vm/heap/local.h"
#include "vm/object/value_text.h"

// Of a proto, and of the functions in it. For a module's top level these are
// all functions of its file.
void dis_proto(Text *out, Vm *vm, const Proto *proto);

#endif
