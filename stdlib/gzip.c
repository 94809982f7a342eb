// SPDX-License-Identifier: MIT
// The module gzip: its table. All of it is in gzip.csp.
#include "stdlib/stdlib.h"

static const CspFunction gzip_functions[] = {{NULL, NULL, NULL}};

const CspModule gzip_module = {"gzip", gzip_functions, NULL, NULL, 0};
