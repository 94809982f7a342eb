// SPDX-License-Identifier: MIT
// One stepped runtime for all tests of a program, which call csp.h's functions
// as its host.
#ifndef CSP_TESTS_UNIT_STEPPED_FIXTURE_H
#define CSP_TESTS_UNIT_STEPPED_FIXTURE_H

#include "embed_fixture.h"

static Host host;
static CspCall *call;

static inline int open_stepped(void **state) {
  (void)state;
  open_host(&host, STEPPED);
  call = csp_host(host.csp);
  return 0;
}

static inline int close_stepped(void **state) {
  (void)state;
  close_host(&host);
  return 0;
}

#endif
