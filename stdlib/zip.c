// SPDX-License-Identifier: MIT
// The module zip: its table. All of it is in zip.csp.
#include "stdlib/stdlib.h"

static const CspFunction zip_functions[] = {{NULL, NULL, NULL}};

const CspModule zip_module = {"zip", zip_functions, NULL, NULL, 0};
