// SPDX-License-Identifier: MIT
// How many descriptors the process has, for tests that none is left open.
#ifndef CSP_TESTS_UNIT_DESCRIPTORS_H
#define CSP_TESTS_UNIT_DESCRIPTORS_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h wants those before it
#include <cmocka.h>

static inline int open_descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  assert_non_null(folder);
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

#endif
