// SPDX-License-Identifier: MIT
// A config for the runtimes of tests.
#ifndef CSP_TESTS_CONFIG_FIXTURE_H
#define CSP_TESTS_CONFIG_FIXTURE_H

#include <stdlib.h>

#include "vm/csp.h"

// The defaults, and the settings that the tests are run with (CSPDEBUG): the
// library itself reads no environment.
static inline void test_config(CspConfig *config) {
  csp_config_init(config);
  config->debug = getenv("CSPDEBUG");
}

#endif
