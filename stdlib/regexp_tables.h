// SPDX-License-Identifier: MIT
// What regular expressions know of Unicode: regexp_tables.c, which a script
// writes (regexp_tables.py).
#ifndef CSP_STDLIB_REGEXP_TABLES_H
#define CSP_STDLIB_REGEXP_TABLES_H

#include <stddef.h>
#include <stdint.h>

// Each `step`-th code point from low to high: the next of its fold is `delta`
// away.
typedef struct RegexpFold {
  uint32_t low, high, step;
  int32_t delta;
} RegexpFold;

// The names end with NULL. Run by run: length << 8 | place among the names.
extern const char *const regexp_category_names[];
extern const char *const regexp_script_names[];
extern const uint32_t regexp_categories[], regexp_scripts[];
extern const size_t regexp_categories_count, regexp_scripts_count;
extern const RegexpFold regexp_folds[];
extern const size_t regexp_folds_count;

#endif
