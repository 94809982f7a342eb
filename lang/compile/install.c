// SPDX-License-Identifier: MIT
// Gives a runtime the compiler: the one call from vm/ up into lang/ goes
// through the hook that this installs.
#include "lang/compile/compile.h"
#include "vm/interp/native_call.h"

void csp_install_language(Csp *csp) { lang_install(csp_vm(csp)); }
