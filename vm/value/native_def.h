// SPDX-License-Identifier: MIT
// A native function as registered (native.c).
#ifndef CSP_VM_VALUE_NATIVE_DEF_H
#define CSP_VM_VALUE_NATIVE_DEF_H

#include "vm/csp.h"
#include "vm/value/object.h"

// Owner P.
typedef bool (*QuickFn)(Local *local, const NativeDef *def, const Value *args,
                        int argc, Value *out);

// A native function as registered, with its parameters taken apart once.
struct NativeDef {
  const char *name;  // "strings.split", for messages; after param_names
  CspFn fn;
  double (*real)(double);  // CSP_REAL; or NULL
  QuickFn quick;           // the usual case of it, or NULL
  uint8_t nparams;         // rest excluded
  uint8_t nrequired;
  bool rest;
  bool method;           // the first parameter is the receiver
  bool repeatable;       // CSP_REPEATABLE
  bool stored;           // CSP_STORED
  bool host;             // may go on for long without a look
  uint8_t missing;       // the capability that is not given, or 0
  int8_t quick_results;  // that quick gives: a call may want so many. -1: no
                         // quick form
  ObjString *param_names[];  // nparams, interned
};

#endif
