// SPDX-License-Identifier: MIT
// Invented /proc and /sys: a folder below /tmp for each test. After cmocka.h.
#ifndef CSP_TESTS_TREE_FIXTURE_H
#define CSP_TESTS_TREE_FIXTURE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static inline void put(const char *path, const char *text) {
  char full[512];
  snprintf(full, sizeof full, "%s/%s", root, path);
  for (char *at = full + 1; (at = strchr(at, '/')) != NULL; at++) {
    *at = '\0';
    if (mkdir(full, 0777) != 0) assert_int_equal(errno, EEXIST);
    *at = '/';
  }
  FILE *file = fopen(full, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static inline int make_root(void **state) {
  (void)state;
  strcpy(root, "/tmp/csp_tree_XXXXXX");
  return mkdtemp(root) == NULL;
}

static inline int drop_root(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", root);
  return system(command);
}

#endif
