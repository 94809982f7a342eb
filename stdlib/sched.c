// SPDX-License-Identifier: MIT
// The native part of the module sched; the rest is sched.csp.
#include "stdlib/stdlib.h"

// Lets the others run first.
static CspStatus sched_yield_now(CspCall *call) { return csp_yield(call); }

static const CspFunction functions[] = {
    {"yield", "", sched_yield_now},
    {NULL, NULL, NULL},
};

const CspModule sched_module = {"sched", functions, NULL, NULL, 0};
