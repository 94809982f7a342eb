// SPDX-License-Identifier: MIT
// The names of a compilation.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/arena.c"
#include "lang/ast.h"

// --- Names that one known hash takes for each other -------------------------
// Pairs of words that lead from one state of FNV-1a to the same next one: all
// sequences of them collide.
enum { PAIRS = 12, NAMES = 1 << PAIRS, WORD = 8, SEEN = 1 << 19 };

typedef struct Pair {
  char words[2][WORD + 1];
} Pair;

static uint32_t fnv(uint32_t hash, const char *word) {
  for (; *word != '\0'; word++)
    hash = (hash ^ (unsigned char)*word) * 16777619u;
  return hash;
}

static void write_word(char *word, uint32_t number) {
  uint64_t letters = (uint64_t)number * 0x9e3779b97f4a7c15u >> 20;
  for (int i = 0; i < WORD; i++, letters /= 26)
    word[i] = (char)('a' + letters % 26);
  word[WORD] = '\0';
}

// Words from `*number` on; the hash after either.
static uint32_t find_pair(uint32_t hash, uint32_t *number, Pair *pair) {
  uint32_t *numbers = calloc(SEEN, sizeof *numbers);
  assert_non_null(numbers);
  for (;; ++*number) {
    write_word(pair->words[1], *number + 1);
    uint32_t found = fnv(hash, pair->words[1]);
    uint32_t *before = &numbers[found & (SEEN - 1)];
    if (*before != 0) {
      write_word(pair->words[0], *before);
      if (fnv(hash, pair->words[0]) == found &&
          strcmp(pair->words[0], pair->words[1]) != 0) {
        free(numbers);
        return found;
      }
    }
    *before = *number + 1;
  }
}

static void make_name(const Pair *pairs, int n, char *name) {
  *name = '\0';
  for (int i = 0; i < PAIRS; i++) strcat(name, pairs[i].words[n >> i & 1]);
}

// How many slots are looked at to find each name of the table once.
static size_t steps_to_names(const Arena *arena) {
  size_t steps = 0;
  for (size_t i = 0; i < arena->name_cap; i++) {
    const NameSlot *slot = &arena->names[i];
    if (slot->name != NULL)
      steps += 1 + ((i - slot->hash) & (arena->name_cap - 1));
  }
  return steps;
}

static void names_cannot_be_made_to_collide(void **state) {
  (void)state;
  static Pair pairs[PAIRS];
  uint32_t hash = 2166136261u, number = 0;
  for (int i = 0; i < PAIRS; i++) hash = find_pair(hash, &number, &pairs[i]);
  for (uint64_t seed = 1; seed <= 3; seed++) {
    Arena *arena = arena_new(&mem_libc, seed);
    assert_non_null(arena);
    for (int n = 0; n < NAMES; n++) {
      char name[PAIRS * WORD + 1];
      make_name(pairs, n, name);
      assert_int_equal(fnv(2166136261u, name), hash);
      const AstStr *str = arena_intern(arena, name, strlen(name));
      assert_string_equal(str->text, name);
    }
    assert_int_equal(arena->name_count, NAMES);
    assert_true(steps_to_names(arena) < 4 * NAMES);
    arena_free(arena);
  }
}

// --- Uses -------------------------------------------------------------------
static void uses_are_counted(void **state) {
  (void)state;
  Arena *arena = arena_new(&mem_libc, 1);
  const AstStr *string = arena_intern(arena, "a", 1);
  assert_int_equal(arena_uses(string), 1);
  assert_ptr_equal(arena_intern(arena, "a", 1), string);
  assert_int_equal(arena_uses(string), 2);
  assert_ptr_not_equal(arena_intern(arena, "ab", 2), string);
  assert_int_equal(arena_uses(string), 2);
  arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_cannot_be_made_to_collide),
      cmocka_unit_test(uses_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
