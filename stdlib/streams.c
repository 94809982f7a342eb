// SPDX-License-Identifier: MIT
// The module streams: its table. All of it is in streams.csp.
#include "stdlib/stdlib.h"

static const CspFunction streams_functions[] = {{NULL, NULL, NULL}};

const CspModule streams_module = {"streams", streams_functions, NULL, NULL, 0};
