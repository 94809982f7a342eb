// SPDX-License-Identifier: MIT
// The signals that scripts have taken over by os.signals. See os_signals.c.
#ifndef CSP_CLI_OS_SIGNALS_H
#define CSP_CLI_OS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "vm/csp.h"

typedef struct OsSignals OsSignals;

// Before csp_run: os.signals works in this runtime, which has threads. NULL: no
// memory.
OsSignals *os_signals_open(Csp *csp);
// No thread reads signals: os.signals gives an error. Before csp_run.
void os_signals_refuse(OsSignals *signals);
// Adds all signals that a script may ask for.
void os_signals_add(sigset_t *set);
// By the one thread that reads signals, until csp_free. true: channels get it.
bool os_signals_give(OsSignals *signals, int number);

#endif
