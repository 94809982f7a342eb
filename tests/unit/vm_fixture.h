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

static inline void fixture_local(Fixture *f, int i) {
  heap_local_init(&f->locals[i].heap, f->vm.heap);
  f->locals[i].vm = &f->vm;
}

static inline Fixture *fixture_new(int locals) {
  Fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->vm.hash_seed = 0x1234567890abcdef;
  f->vm.memory = &mem_libc;
  f->vm.heap = heap_new(&f->vm);
  assert_non_null(f->vm.heap);
  for (int i = 0; i < locals; i++) fixture_local(f, i);
  f->vm.boot = &f->locals[0];
  return f;
}

static inline void fixture_free(Fixture *f) {
  for (int i = 0; i < FIXTURE_LOCALS; i++)
    if (f->locals[i].vm) heap_local_flush(&f->locals[i].heap);
  heap_free(f->vm.heap);
  mem_free(f->vm.names);
  free(f);
}

static inline Value fixture_string(Fixture *f, const char *text) {
  ObjString *s = string_new(&f->locals[0], text, strlen(text));
  assert_non_null(s);
  return value_from_obj(s);
}

// xorshift64: the same numbers in every run.
static inline uint64_t fixture_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

#endif
