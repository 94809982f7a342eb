// SPDX-License-Identifier: MIT
// The native part of the module sched; the rest is sched.csp.
#include "stdlib/stdlib.h"

// Lets the others run first.
static CspStatus sched_yield_now(CspCall *call) { return csp_yield(call); }

static const CspFunction sched_functions[] = {
    {"yield", "", sched_yield_now},
    {NULL, NULL, NULL},
};

const CspModule sched_module = {"sched", sched_functions, NULL, NULL, 0};
