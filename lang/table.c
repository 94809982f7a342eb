// SPDX-License-Identifier: MIT
// A small hash table from words to words: open addressing, linear probing, at
// most half full, nothing is ever removed. Single-threaded.
#include <stdlib.h>

#include "compiler.h"

enum { FIRST_CAP = 16 };

static uint32_t slot_of(const Table *table, uint64_t key) {
  uint64_t hash = key * 0x9e3779b97f4a7c15u;
  uint32_t mask = table->cap - 1;
  uint32_t at = (uint32_t)(hash >> 32) & mask;
  while (table->taken[at] && table->slots[2 * at] != key) at = (at + 1) & mask;
  return at;
}

static bool grow(Table *table) {
  Table bigger = {.cap = table->cap == 0 ? FIRST_CAP : table->cap * 2};
  bigger.slots = malloc(bigger.cap * 2 * sizeof *bigger.slots);
  bigger.taken = calloc(bigger.cap, 1);
  if (bigger.slots == NULL || bigger.taken == NULL) {
    table_free(&bigger);
    return false;
  }
  for (uint32_t i = 0; i < table->cap; i++) {
    if (table->taken[i])
      table_set(&bigger, table->slots[2 * i], table->slots[2 * i + 1]);
  }
  table_free(table);
  *table = bigger;
  return true;
}

bool table_get(const Table *table, uint64_t key, uint64_t *value) {
  if (table->cap == 0) return false;
  uint32_t at = slot_of(table, key);
  if (!table->taken[at]) return false;
  *value = table->slots[2 * at + 1];
  return true;
}

bool table_set(Table *table, uint64_t key, uint64_t value) {
  if (table->count * 2 >= table->cap && !grow(table)) return false;
  uint32_t at = slot_of(table, key);
  if (!table->taken[at]) table->count++;
  table->taken[at] = 1;
  table->slots[2 * at] = key;
  table->slots[2 * at + 1] = value;
  return true;
}

void table_free(Table *table) {
  free(table->slots);
  free(table->taken);
  *table = (Table){0};
}
