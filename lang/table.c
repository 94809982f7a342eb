// SPDX-License-Identifier: MIT
// A small hash table from words to words: open addressing, linear probing, at
// most half full, nothing is ever removed. Single-threaded.
#include "lang/table.h"
#include "lang/compiler.h"

enum { FIRST_CAP = 16 };

static uint32_t slot_of(const Table *table, uint64_t key) {
  uint64_t hash = key * 0x9e3779b97f4a7c15u;
  uint32_t mask = table->cap - 1;
  uint32_t at = (uint32_t)(hash >> 32) & mask;
  while (table->taken[at] && table->slots[2 * at] != key) at = (at + 1) & mask;
  return at;
}

bool lang_table_is_valid(const Table *table) {
  uint32_t taken = 0;
  if (table->cap == 0) return table->count == 0;
  if ((table->cap & (table->cap - 1)) != 0) return false;
  if (table->count > table->cap / 2) return false;
  for (uint32_t at = 0; at < table->cap; at++) {
    if (!table->taken[at]) continue;
    if (slot_of(table, table->slots[2 * at]) != at) return false;
    taken++;
  }
  return taken == table->count;
}

static bool table_grow(const Memory *memory, Table *table) {
  RT_ASSERT(lang_table_is_valid(table));
  Table bigger = {.cap = table->cap == 0 ? FIRST_CAP : table->cap * 2};
  bigger.slots = mem_alloc(memory, bigger.cap * 2 * sizeof *bigger.slots);
  bigger.taken = mem_zeroed(memory, bigger.cap);
  if (bigger.slots == NULL || bigger.taken == NULL) {
    table_free(&bigger);
    return false;
  }
  for (uint32_t i = 0; i < table->cap; i++) {
    if (table->taken[i])
      table_set(memory, &bigger, table->slots[2 * i], table->slots[2 * i + 1]);
  }
  table_free(table);
  *table = bigger;
  RT_ASSERT(lang_table_is_valid(table));
  return true;
}

bool table_get(const Table *table, uint64_t key, uint64_t *value) {
  if (table->cap == 0) return false;
  uint32_t at = slot_of(table, key);
  if (!table->taken[at]) return false;
  *value = table->slots[2 * at + 1];
  return true;
}

bool table_set(const Memory *memory, Table *table, uint64_t key,
               uint64_t value) {
  uint32_t at = table->cap > 0 ? slot_of(table, key) : 0;
  bool there = table->cap > 0 && table->taken[at];
  if (!there && table->count * 2 >= table->cap) {
    if (!table_grow(memory, table)) return false;
    at = slot_of(table, key);
  }
  if (!there) table->count++;
  table->taken[at] = 1;
  table->slots[2 * at] = key;
  table->slots[2 * at + 1] = value;
  RT_ASSERT(table->count <= table->cap / 2);
  return true;
}

void table_free(Table *table) {
  mem_free(table->slots);
  mem_free(table->taken);
  *table = (Table){0};
}
