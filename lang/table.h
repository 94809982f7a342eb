// SPDX-License-Identifier: MIT
// A hash table from words to words.
#ifndef CSP_LANG_TABLE_H
#define CSP_LANG_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/memory.h"

typedef struct Table {
  uint64_t *slots;  // pairs
  uint8_t *taken;
  uint32_t count, cap;
} Table;
bool table_get(const Table *table, uint64_t key, uint64_t *value);
// false: no memory.
bool table_set(const Memory *memory, Table *table, uint64_t key,
               uint64_t value);
void table_free(Table *table);
// At most half full, and each key is where it is looked for.
bool lang_table_is_valid(const Table *table);

#endif
