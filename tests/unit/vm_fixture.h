// SPDX-License-Identifier: MIT
// A Vm without programs for tests of vm/: heap, Locals, hash seed. Either
// with several Locals that the test's own threads use (no collections), or
// with a scheduler whose Ps have them.
#ifndef CSP_TESTS_UNIT_VM_FIXTURE_H
#define CSP_TESTS_UNIT_VM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "vm/heap/local.h"
#include "vm/object/string.h"

enum { FIXTURE_LOCALS = 16 };

typedef struct Fixture {
  Vm vm;
  Local locals[FIXTURE_LOCALS];
} Fixture;

static inline void fixture_local(Fixture *fixture, int i) {
  heap_local_init(&fixture->locals[i].heap, fixture->vm.heap);
  fixture->locals[i].vm = &fixture->vm;
}

static inline Fixture *fixture_new(int locals) {
  Fixture *fixture = calloc(1, sizeof *fixture);
  assert_non_null(fixture);
  fixture->vm.hash_seed = 0x1234567890abcdef;
  fixture->vm.memory = &mem_libc;
  fixture->vm.heap = heap_new(&fixture->vm);
  assert_non_null(fixture->vm.heap);
  for (int i = 0; i < locals; i++) fixture_local(fixture, i);
  fixture->vm.boot = &fixture->locals[0];
  return fixture;
}

static inline void fixture_free(Fixture *fixture) {
  for (int i = 0; i < FIXTURE_LOCALS; i++)
    if (fixture->locals[i].vm != NULL)
      heap_local_flush(&fixture->locals[i].heap);
  heap_free(fixture->vm.heap);
  mem_free(fixture->vm.names);
  free(fixture);
}

static inline Value fixture_string(Fixture *fixture, const char *text) {
  ObjString *string = string_new(&fixture->locals[0], text, strlen(text));
  assert_non_null(string);
  return value_from_obj(string);
}

// xorshift64: the same numbers in every run.
static inline uint64_t fixture_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

#endif
