// SPDX-License-Identifier: MIT
// The module redis. All of it is written in the language, in redis.csp.
#include "stdlib/stdlib.h"

const CspModule redis_module = {"redis", NULL, NULL, NULL, 0};
