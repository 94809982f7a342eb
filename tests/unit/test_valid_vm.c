// SPDX-License-Identifier: MIT
// What says whether the heap's spans and the objects in them are valid, and the
// assertions that ask it.
#include "tests/unit/vm_fixture.h"
#include "vm/heap/sweep.h"
#include "vm/object/bytes.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/object/string_tail.h"
#include "vm/object/tuple.h"

#include "tests/unit/broken_fixture.h"
#include "vm/heap/heap_internal.h"

static Fixture *fixture;  // of the test that runs

// --- Spans ------------------------------------------------------------------
static bool span_valid(const void *span) { return span_is_valid(span); }

static void push_span(void *span) {
  SpanList list = {NULL, NULL};
  span_push(&list, span);
}

static void sweep_span(void *span) { span_sweep(fixture->vm.heap, span); }

static void free_span(void *span) { span_free(fixture->vm.heap, span); }

static void spans(void **state) {
  (void)state;
  fixture = fixture_new(1);
  Span *span = span_new(fixture->vm.heap, heap_class_of[3]);
  assert_non_null(span);
  Subject pushed = {span_valid, span, push_span, span};
  Subject swept = {span_valid, span, sweep_span, span};
  BREAK(&pushed, span->base, span->base + 48);
  BREAK(&swept, span->size, span->size + 16);
  BREAK(&pushed, span->count, span->count + 1);
  BREAK(&swept, span->count, 0);
  BREAK(&pushed, span->words, span->words - 1);
  BREAK(&swept, span->klass, span->klass + 1);
  BREAK(&pushed, span->klass, CLASS_LARGE + 1);
  BREAK(&swept, span->own_chunk, true);
  BREAK(&swept, span->alloc[span->words - 1], ~(uint64_t)0);
  uint8_t *row = chunk_klass(chunk_of(span));
  BREAK(&pushed, row[unit_of(span->base)], span->klass + 1);
  span_free(fixture->vm.heap, span);
  fixture_free(fixture);
}

static void large_spans(void **state) {
  (void)state;
  fixture = fixture_new(1);
  for (size_t size = 100 << 10; size <= 8 << 20; size *= 80) {
    Span *span = span_new_large(fixture->vm.heap, size);
    assert_non_null(span);
    span->alloc[0] = 0;
    Subject freed = {span_valid, span, free_span, span};
    BREAK(&freed, span->size, span->size + 1);
    BREAK(&freed, span->size, 0);
    BREAK(&freed, span->size, (uint64_t)1 << 40);
    BREAK(&freed, span->count, 2);
    BREAK(&freed, span->base, span->base + UNIT_SIZE);
    span_free(fixture->vm.heap, span);
  }
  fixture_free(fixture);
}

// No other span's place in the chunk is one.
static void a_header_is_no_span(void **state) {
  (void)state;
  fixture = fixture_new(1);
  Span *span = span_new(fixture->vm.heap, 0);
  assert_true(span_is_valid(span));
  Span *first = chunk_of(span)->spans;
  assert_false(span_is_valid(&first[0]));
  assert_false(span_is_valid(&first[UNITS_HEADER - 1]));
  assert_false(span_is_valid(&first[UNITS - 1]));  // not in use
  fixture_free(fixture);
}

// What is marked, but not allocated, was freed too early.
static bool is_unmarked(const void *span) {
  const Span *swept = span;
  return (swept->mark[0] & ~swept->alloc[0]) == 0;
}

static void free_objects_are_not_marked(void **state) {
  (void)state;
  fixture = fixture_new(1);
  Span *span = span_new(fixture->vm.heap, 2);
  Subject marked = {is_unmarked, span, sweep_span, span};
  BREAK(&marked, span->mark[0], 4);
  fixture_free(fixture);
}

// --- Lists, bytes, strings --------------------------------------------------
static bool list_valid(const void *list) { return list_is_valid(list); }
static bool block_valid(const void *block) { return values_is_valid(block); }
static void push(void *list) { list_push(fixture->locals, list, VALUE_NIL); }
static void insert(void *list) {
  list_insert(fixture->locals, list, 0, VALUE_TRUE);
}
static void remove_first(void *list) {
  list_remove(fixture->locals, list, 0, 1);
}

static void lists(void **state) {
  (void)state;
  fixture = fixture_new(1);
  ObjList *list = list_new(fixture->locals, 5);
  for (int n = 0; n < 3; n++) push(list);
  ObjValues *block = list->block;
  Subject pushed = {list_valid, list, push, list};
  Subject inserted = {list_valid, list, insert, list};
  Subject removed = {list_valid, list, remove_first, list};
  BREAK(&pushed, block->len, block->cap + 1);
  BREAK(&removed, block->len, UINT64_MAX);
  BREAK(&inserted, block->cap, 100);
  BREAK(&pushed, block->cap, 2);
  BREAK(&removed, block->obj.type, OBJ_RAW);
  BREAK(&inserted, list->obj.type, OBJ_BYTES);
  Subject of_block = {block_valid, block, push, list};
  BREAK(&of_block, block->len, block->cap + 1);
  assert_false(list_is_valid(NULL) || values_is_valid(NULL));
  fixture_free(fixture);
}

static void rings(void **state) {
  (void)state;
  fixture = fixture_new(1);
  ObjList *list = list_new(fixture->locals, 0);
  for (int n = 0; n < VALUE_RING_LEAST; n++) push(list);
  for (int n = 0; n < 9; n++) insert(list);
  assert_true(values_is_ring(list->block));
  ObjRing *ring = (ObjRing *)(void *)list->block;
  Subject pushed = {list_valid, list, push, list};
  Subject inserted = {list_valid, list, insert, list};
  Subject removed = {list_valid, list, remove_first, list};
  BREAK(&pushed, ring->no_cap, 1);
  BREAK(&inserted, ring->no_len, 1);
  BREAK(&removed, ring->mask, ring->mask - 1);
  BREAK(&inserted, ring->mask, ring->mask * 2 + 1);
  BREAK(&pushed, ring->mask, VALUE_RING_LEAST / 2 - 1);
  BREAK(&removed, ring->count, ring->mask + 2);
  assert_false(value_ring_is_valid(NULL));
  fixture_free(fixture);
}

static bool tuple_valid(const void *tuple) { return tuple_is_valid(tuple); }
static void close_tuple(void *tuple) {
  const char *failed;
  tuple_close(fixture->locals, tuple, &failed);
}

static void tuples(void **state) {
  (void)state;
  fixture = fixture_new(1);
  const Value from[3] = {VALUE_NIL, VALUE_TRUE, VALUE_FALSE};
  const char *failed;
  ObjTuple *tuple = tuple_new(fixture->locals, from, 3, &failed);
  ObjValues *values = &tuple->values;
  Subject closed = {tuple_valid, tuple, close_tuple, tuple};
  BREAK(&closed, values->len, 2);
  BREAK(&closed, values->cap, 4096);
  BREAK(&closed, values->obj.type, OBJ_LIST);
  values->len = values->cap = 4096;
  assert_false(tuple_is_valid(tuple));
  values->len = values->cap = 3;
  values->obj.aux = TUPLE_DEPTH_MAX + 1;
  assert_false(tuple_is_valid(tuple) || tuple_is_valid(NULL));
  fixture_free(fixture);
}

static bool bytes_valid(const void *bytes) { return bytes_is_valid(bytes); }
static void append(void *bytes) {
  bytes_append(fixture->locals, bytes, "abc", 3);
}

static void bytes(void **state) {
  (void)state;
  fixture = fixture_new(1);
  ObjBytes *bytes = bytes_new(fixture->locals, 5);
  Subject appended = {bytes_valid, bytes, append, bytes};
  BREAK(&appended, bytes->block->len, bytes->block->cap + 1);
  BREAK(&appended, bytes->block->cap, 4096);
  BREAK(&appended, bytes->block->obj.type, OBJ_VALUES);
  BREAK(&appended, bytes->obj.type, OBJ_LIST);
  fixture_free(fixture);
}

static bool string_valid(const void *string) { return string_is_valid(string); }
static void concat(void *string) {
  string_concat(fixture->locals, string, string);
}

static void strings(void **state) {
  (void)state;
  fixture = fixture_new(1);
  ObjString *string = string_alloc(fixture->locals, 20);
  memset(string->own, 'x', 20);
  Subject joined = {string_valid, string, concat, string};
  BREAK(&joined, string->own[string->len], 'x');
  BREAK(&joined, string->len, 19);
  BREAK(&joined, string->len, 4096);
  BREAK(&joined, string->len, UINT64_MAX);
  BREAK(&joined, string->obj.type, OBJ_BYTES);
  fixture_free(fixture);
}

static bool tail_valid(const void *string) {
  return string_tail_is_valid(string);
}
static void settle(void *string) { string_settle(string); }

// A string whose bytes are in a block, with room after them.
static void string_tails(void **state) {
  (void)state;
  fixture = fixture_new(1);
  ObjString *string = string_alloc(fixture->locals, TAIL_LEAST);
  memset(string->own, 'x', TAIL_LEAST);
  for (int n = 0; n < 2; n++)
    string = string_concat(fixture->locals, string, string);
  assert_true(string->obj.flags & STRING_TAIL);
  ObjRaw *block = string_block(string);
  Subject joined = {tail_valid, string, concat, string};
  Subject settled = {tail_valid, string, settle, string};
  BREAK(&joined, string->len, string->len + 1);
  BREAK(&settled, block->len, string->len - 1);
  BREAK(&joined, block->len, block->cap);
  BREAK(&settled, block->cap, block->cap + 4096);
  BREAK(&joined, block->cap, string->len);
  BREAK(&settled, block->obj.type, OBJ_VALUES);
  fixture_free(fixture);
}

// --- Maps -------------------------------------------------------------------
static bool map_valid(const void *map) { return map_is_valid(map); }
static bool table_valid(const void *table) { return table_is_valid(table); }
static void set(void *map) {
  map_set(fixture->locals, map, VALUE_TRUE, VALUE_NIL);
}
static void get(void *map) {
  Value v;
  map_get(&fixture->vm, map, VALUE_TRUE, &v);
}
static void delete (void *map) {
  bool found;
  map_delete(fixture->locals, map, VALUE_TRUE, &found);
}

static void check_maps(size_t entries) {
  ObjMap *map = map_new(fixture->locals, entries);
  for (size_t n = 0; n < entries; n++)
    map_set(fixture->locals, map, value_from_small((int64_t)n), VALUE_NIL);
  ObjTable *table = map->table;
  Subject is_set = {map_valid, map, set, map};
  Subject of_table = {table_valid, table, set, map};
  Subject is_got = {map_valid, map, get, map};
  Subject is_deleted = {map_valid, map, delete, map};
  BREAK(&is_set, table->used, table->cap + 1);
  BREAK(&of_table, table->used, table->cap + 1);
  BREAK(&is_got, table->cap, table->cap + 1);
  BREAK(&is_deleted, table->cap, table->cap * 16);
  BREAK(&is_set, table->first, table->cap + 1);
  BREAK(&is_set, table->index_bits, 3);
  BREAK(&is_got, table->index_bits, 32);
  BREAK(&is_deleted, table->obj.type, OBJ_VALUES);
  BREAK(&is_set, map->writer, 2);
  BREAK(&is_got, map->obj.type, OBJ_LIST);
}

static void maps(void **state) {
  (void)state;
  fixture = fixture_new(1);
  check_maps(3);
  check_maps(8);
  check_maps(100);
  fixture_free(fixture);
}

// Writers that race may count a key twice: `live` above `used`.
static void a_map_that_was_raced_for_is_valid(void **state) {
  (void)state;
  fixture = fixture_new(1);
  ObjMap *map = map_new(fixture->locals, 4);
  map_set(fixture->locals, map, VALUE_TRUE, VALUE_NIL);
  map->table->live = 3;
  map->writer = 1;
  assert_true(map_is_valid(map));
  fixture_free(fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spans),
      cmocka_unit_test(large_spans),
      cmocka_unit_test(a_header_is_no_span),
      cmocka_unit_test(free_objects_are_not_marked),
      cmocka_unit_test(lists),
      cmocka_unit_test(rings),
      cmocka_unit_test(tuples),
      cmocka_unit_test(bytes),
      cmocka_unit_test(strings),
      cmocka_unit_test(string_tails),
      cmocka_unit_test(maps),
      cmocka_unit_test(a_map_that_was_raced_for_is_valid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
