// SPDX-License-Identifier: MIT
// A search by the list alone, for tests that compare the engines.
#ifndef CSP_TESTS_UNIT_REGEXP_LISTED_H
#define CSP_TESTS_UNIT_REGEXP_LISTED_H

#include "stdlib/regexp_search.c"

// As regexp_search_on.
static RegexpFound regexp_search_listed(RegexpSearch *search) {
  if (search->step == search_begin_on) search->step = begin_list;
  return run_steps(search);
}

#endif
