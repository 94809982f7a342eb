// SPDX-License-Identifier: MIT
// The module tar: its table. All of it is in tar.csp.
#include "stdlib/stdlib.h"

static const CspFunction tar_functions[] = {{NULL, NULL, NULL}};

const CspModule tar_module = {"tar", tar_functions, NULL, NULL, 0};
