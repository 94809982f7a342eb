// SPDX-License-Identifier: MIT
// Maps against a simple model, walks during changes, racing writers.
#include <math.h>

#include "tests/unit/vm_fixture.h"
#include "vm/heap/local.h"
#include "vm/object/box.h"
#include "vm/object/bytes.h"
#include "vm/object/map.h"
#include "vm/object/string.h"

enum { KEYS = 700 };

// Keys are ints, floats, strings, big ints; each made anew at each use.
static Value key_of(Fixture *fixture, int k, uint64_t *seed) {
  bool other = fixture_random(seed) % 2;
  switch (k % 4) {
    case 0:
      return other ? value_from_small(k) : value_from_float(fixture->locals, k);
    case 1:
      return value_from_float(fixture->locals, k + 0.5);
    case 2: {
      char text[32];
      int len = snprintf(text, sizeof text, "key %d", k);
      return value_from_obj(string_new(fixture->locals, text, (size_t)len));
    }
    default:
      return value_from_int(fixture->locals, INT64_MAX - k);
  }
}

typedef struct Model {
  int64_t value[KEYS];
  uint64_t born[KEYS];  // order of insertion, 0: not there
  uint64_t time;
  size_t count;
} Model;

static void check_order(Fixture *fixture, ObjMap *map, Model *model) {
  uint64_t at = 0, last = 0, count = 0;
  const ObjTable *table = map->table;
  Value key, v;
  while (map_next(&fixture->vm, map, table, &at, &key, &v)) {
    int k = (int)(value_int(v) / 1000000);
    assert_true(model->born[k] > last);
    assert_int_equal(model->value[k], value_int(v));
    last = model->born[k];
    count++;
  }
  assert_int_equal(count, model->count);
}

static void one_step(Fixture *fixture, ObjMap *map, Model *model,
                     uint64_t *seed, bool shrinking) {
  int k = (int)(fixture_random(seed) % KEYS);
  Value key = key_of(fixture, k, seed), v;
  uint64_t what = fixture_random(seed) % 10;
  if (what < (shrinking ? 7u : 3u)) {
    bool found;
    assert_int_equal(map_delete(fixture->locals, map, key, &found), MAP_OK);
    assert_int_equal(found, model->born[k] != 0);
    model->count -= found;
    model->born[k] = 0;
  } else if (what < 8) {
    int64_t value = (int64_t)k * 1000000 + (int64_t)(*seed % 1000000);
    assert_int_equal(
        map_set(fixture->locals, map, key, value_from_small(value)), MAP_OK);
    if (!model->born[k]) {
      model->born[k] = ++model->time;
      model->count++;
    }
    model->value[k] = value;
  } else {
    bool found = map_get(&fixture->vm, map, key, &v);
    assert_int_equal(found, model->born[k] != 0);
    if (found) assert_int_equal(value_int(v), model->value[k]);
  }
  assert_int_equal(map_len(map), model->count);
}

static void random_operations(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjMap *map = map_new(fixture->locals, 0);
  static Model model;
  uint64_t seed = 99;
  for (int i = 0; i < 100000; i++) {
    one_step(fixture, map, &model, &seed, i / 5000 % 2);
    if (i % 997 == 0) check_order(fixture, map, &model);
  }
  check_order(fixture, map, &model);
  fixture_free(fixture);
}

static void walks_survive_changes(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjMap *map = map_new(fixture->locals, 0);
  for (int i = 0; i < 100; i++)
    map_set(fixture->locals, map, value_from_small(i), value_from_small(i));
  uint64_t at = 0;
  const ObjTable *table = map->table;
  Value key, v;
  int seen = 0;
  bool found;
  while (map_next(&fixture->vm, map, table, &at, &key, &v)) {
    int k = (int)value_small(key);
    assert_true(k < 100);     // what is added is not walked
    assert_true(k % 2 == 0);  // what is deleted ahead is skipped
    assert_int_equal(value_small(v), k < 2 ? k : -k);  // values are current
    seen++;
    map_delete(fixture->locals, map, value_from_small(k + 1), &found);
    assert_true(found);
    map_set(fixture->locals, map, value_from_small(k + 2),
            value_from_small(-(k + 2)));
    for (int i = 0; i < 10; i++)
      map_set(fixture->locals, map, value_from_small(1000 + k * 10 + i), key);
    if (k == 98) break;
  }
  assert_int_equal(seen, 50);
  fixture_free(fixture);
}

static Value first_key(Fixture *fixture, const ObjMap *map) {
  uint64_t at = 0;
  Value key, v;
  bool any = map_next(&fixture->vm, map, map->table, &at, &key, &v);
  return any ? key : VALUE_NIL;
}

// A walk begins after the deleted entries, whichever of them went first.
static void walks_begin_at_the_first_key(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjMap *map = map_new(fixture->locals, 0);
  for (int k = 0; k < KEYS; k++)
    map_set(fixture->locals, map, value_from_small(k), VALUE_NIL);
  bool found;
  for (int k = 1; k < KEYS; k += 3)
    map_delete(fixture->locals, map, value_from_small(k), &found);
  const ObjTable *table = map->table;
  int taken = 0;
  for (int k = 0; k < KEYS / 2; k++) {
    if (k % 3 == 1) continue;
    assert_int_equal(first_key(fixture, map), value_from_small(k));
    map_delete(fixture->locals, map, value_from_small(k), &found);
    assert_true(found);
    taken++;
    assert_ptr_equal(map->table, table);
    assert_int_equal(table->first, k % 3 == 0 ? k + 2 : k + 1);
  }
  assert_true(taken > KEYS / 4);
  while (first_key(fixture, map) != VALUE_NIL)
    map_delete(fixture->locals, map, first_key(fixture, map), &found);
  assert_int_equal(map_len(map), 0);
  map_set(fixture->locals, map, VALUE_TRUE, VALUE_NIL);
  assert_int_equal(first_key(fixture, map), VALUE_TRUE);
  fixture_free(fixture);
}

// Words of the index that are looked at when one of their keys is searched for.
static size_t index_words(const ObjTable *table) {
  const uint32_t *index = (const void *)&table->entries[table->cap];
  size_t count = 0;
  for (size_t n = 0; n < (size_t)1 << table->index_bits; n++)
    count += index[n] != 0;
  return count;
}

// So that searching for it does not become slow.
static void a_key_set_again_and_again_has_one_word(void **state) {
  (void)state;
  enum { COUNT = 1000 };
  Fixture *fixture = fixture_new(1);
  ObjMap *map = map_new(fixture->locals, 0);
  for (int i = 0; i < COUNT; i++) {
    Value key = value_from_small(i);
    assert_int_equal(map_set(fixture->locals, map, key, key), MAP_OK);
  }
  const ObjTable *table = map->table;
  size_t room = table->cap - table->used;
  assert_true(room > 100);
  Value key = value_from_small(5);
  for (size_t i = 0; i < room; i++) {
    bool found;
    assert_int_equal(map_delete(fixture->locals, map, key, &found), MAP_OK);
    assert_true(found);
    assert_int_equal(map_set(fixture->locals, map, key, key), MAP_OK);
  }
  assert_ptr_equal(map->table, table);
  assert_int_equal(table->live, COUNT);
  assert_int_equal(index_words(table), COUNT);
  for (int i = 0; i < COUNT; i++) {
    Value v;
    assert_true(map_get(&fixture->vm, map, value_from_small(i), &v));
    assert_int_equal(v, value_from_small(i));
  }
  fixture_free(fixture);
}

static void bad_keys(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjMap *map = map_new(fixture->locals, 0);
  Value nan = value_from_float(fixture->locals, NAN), v;
  Value bytes = value_from_obj(bytes_new(fixture->locals, 3));
  assert_int_equal(map_set(fixture->locals, map, nan, nan), MAP_BAD_KEY);
  assert_int_equal(map_set(fixture->locals, map, bytes, nan), MAP_BAD_KEY);
  assert_false(map_get(&fixture->vm, map, nan, &v));
  map->writer = 1;
  assert_int_equal(map_set(fixture->locals, map, VALUE_NIL, nan),
                   MAP_CONCURRENT);
  fixture_free(fixture);
}

// --- Growing in parts -------------------------------------------------------
enum { LONG_KEYS = 20000 };

static size_t set_in_parts(Fixture *fixture, ObjMap *map, int k, int v) {
  size_t parts = 0;
  for (;; parts++) {
    MapResult result = map_set_part(fixture->locals, map, value_from_small(k),
                                    value_from_small(v));
    if (result == MAP_OK) return parts;
    assert_int_equal(result, MAP_GROWS);
    assert_true(map_is_valid(map));
  }
}

static void check_value(Fixture *fixture, const ObjMap *map, int k, int64_t v) {
  Value found;
  assert_true(map_get(&fixture->vm, map, value_from_small(k), &found));
  assert_int_equal(value_small(found), v);
}

static void a_large_map_grows_in_parts(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjMap *map = map_new(fixture->locals, 0);
  size_t parts = 0, most = 0;
  for (int k = 0; k < LONG_KEYS; k++) {
    size_t took = set_in_parts(fixture, map, k, -k);
    parts += took;
    if (took > most) most = took;
  }
  // from 5,120 to 10,240 entries, and from there to 20,480: a call that makes
  // the table, and one for each 1,024 entries
  assert_int_equal(parts, 1 + 5 + 1 + 10);
  assert_int_equal(most, 11);
  for (int k = 0; k < LONG_KEYS; k++) check_value(fixture, map, k, -k);
  uint64_t at = 0;
  Value key, v;
  for (int k = 0; k < LONG_KEYS; k++) {
    assert_true(map_next(&fixture->vm, map, map->table, &at, &key, &v));
    assert_int_equal(value_small(key), k);
  }
  fixture_free(fixture);
}

// A full map of which a part has moved to the larger table.
static ObjMap *half_grown(Fixture *fixture, int *full) {
  ObjMap *map = map_new(fixture->locals, 5000);
  *full = (int)map->table->cap;
  for (int k = 0; k < *full; k++)
    map_set(fixture->locals, map, value_from_small(k), value_from_small(k));
  for (int part = 0; part < 3; part++)
    assert_int_equal(
        map_set_part(fixture->locals, map, value_from_small(-1), VALUE_NIL),
        MAP_GROWS);
  assert_non_null(map->growing);
  assert_in_range(map->growing->first, 1, *full - 1);
  return map;
}

// What others change while a map grows is not lost, moved already or not.
static void others_end_a_growth(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  enum { CHANGED, ADDED, DELETED, CLEARED, WAYS };
  for (int way = 0; way < WAYS; way++) {
    int full;
    ObjMap *map = half_grown(fixture, &full);
    bool found;
    check_value(fixture, map, 1, 1);
    check_value(fixture, map, full - 1, full - 1);
    Local *local = fixture->locals;
    if (way == CHANGED) {
      map_set(local, map, value_from_small(1), value_from_small(-7));
      map_set(local, map, value_from_small(full - 1), value_from_small(-8));
      check_value(fixture, map, 1, -7);
      check_value(fixture, map, full - 1, -8);
    } else if (way == ADDED) {
      map_set(local, map, value_from_small(full), value_from_small(9));
      check_value(fixture, map, full, 9);
    } else if (way == DELETED) {
      map_delete(local, map, value_from_small(1), &found);
      assert_true(found);
      map_delete(local, map, value_from_small(full - 1), &found);
      assert_true(found);
    } else {
      assert_int_equal(map_clear(local, map), MAP_OK);
    }
    assert_null(map->growing);
    set_in_parts(fixture, map, -1, -1);
    check_value(fixture, map, -1, -1);
    int less = way == CHANGED ? 0 : way == ADDED ? -1 : 2;
    assert_int_equal(map_len(map), way == CLEARED ? 1 : full + 1 - less);
  }
  fixture_free(fixture);
}

// Where half of it was deleted the next table is as large.
static void deleted_entries_do_not_move(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjMap *map = map_new(fixture->locals, 5000);
  int full = (int)map->table->cap;
  bool found;
  for (int k = 0; k < full; k++)
    map_set(fixture->locals, map, value_from_small(k), value_from_small(k));
  for (int k = 0; k < full; k += 2)
    map_delete(fixture->locals, map, value_from_small(k), &found);
  assert_true(set_in_parts(fixture, map, full, full) > 0);
  assert_int_equal(map->table->cap, full);
  assert_int_equal(map_len(map), full / 2 + 1);
  for (int k = 1; k < full; k += 2) check_value(fixture, map, k, k);
  check_value(fixture, map, full, full);
  fixture_free(fixture);
}

// --- Racing -----------------------------------------------------------------
typedef struct Racer {
  Fixture *fixture;
  ObjMap *map;
  int number;
  uint64_t seen, concurrent;
} Racer;

// Writers that go on with each other's growths. None touches the keys that were
// there before.
enum { BEFORE = 5120 };
static void race_to_grow(void *arg) {
  Racer *racer = arg;
  Local *local = &racer->fixture->locals[racer->number];
  uint64_t seed = (uint64_t)racer->number * 99 + 1;
  for (int i = 0; i < 8000; i++) {
    int k = BEFORE + (int)(fixture_random(&seed) % LONG_KEYS);
    Value key = value_from_small(k), v;
    bool found;
    MapResult result = i % 16 == 0  ? map_delete(local, racer->map, key, &found)
                       : i % 5 == 0 ? map_set(local, racer->map, key, key)
                                    : map_set_part(local, racer->map, key, key);
    racer->concurrent += result == MAP_CONCURRENT;
    if (map_get(&racer->fixture->vm, racer->map, key, &v) && v != VALUE_NIL)
      racer->seen += v == key;
  }
}

static void race(void *arg) {
  Racer *racer = arg;
  Local *local = &racer->fixture->locals[racer->number];
  uint64_t seed = (uint64_t)racer->number * 77 + 1;
  for (int i = 0; i < 30000; i++) {
    char text[24];
    int len =
        snprintf(text, sizeof text, "k%d", (int)(fixture_random(&seed) % 200));
    Value key = value_from_obj(string_new(local, text, (size_t)len)), v;
    bool found;
    MapResult result = MAP_OK;
    if (i % 3 == 0)
      result = map_set(local, racer->map, key, key);
    else if (i % 3 == 1 && i % 4 == 0)
      result = map_delete(local, racer->map, key, &found);
    else if (map_get(&racer->fixture->vm, racer->map, key, &v) &&
             v != VALUE_NIL)
      racer->seen += ((ObjString *)value_obj(v))->len;
    racer->concurrent += result == MAP_CONCURRENT;
    uint64_t at = 0;
    const ObjTable *table = heap_load(&racer->map->table);
    for (int n = 0; n < 5; n++)
      if (!map_next(&racer->fixture->vm, racer->map, table, &at, &key, &v))
        break;
  }
}

// Each key that no racer touched is there, once.
static void check_before(Fixture *fixture, const ObjMap *map, int before) {
  Value key, v;
  uint64_t at = 0;
  int seen = 0;
  for (int k = 0; k < before; k++) check_value(fixture, map, k, k);
  while (map_next(&fixture->vm, map, map->table, &at, &key, &v))
    seen += value_is_small(key) && value_small(key) < before;
  assert_int_equal(seen, before);
}

static void race_on_a_map(void (*run)(void *arg), int before) {
  Fixture *fixture = fixture_new(4);
  ObjMap *map = map_new(fixture->locals, (size_t)before);
  for (int k = 0; k < before; k++)
    map_set(fixture->locals, map, value_from_small(k), value_from_small(k));
  RtThread threads[4];
  Racer racers[4];
  for (int i = 0; i < 4; i++) {
    racers[i] = (Racer){fixture, map, i, 0, 0};
    assert_int_equal(rt_thread_start(&threads[i], run, &racers[i]), 0);
  }
  for (int i = 0; i < 4; i++) rt_thread_join(&threads[i]);
  assert_true(map_is_valid(map));
  check_before(fixture, map, before);
  fixture_free(fixture);
}

static void racing_writers_keep_memory_whole(void **state) {
  (void)state;
  race_on_a_map(race, 0);
}

static void racing_growths_keep_other_keys(void **state) {
  (void)state;
  // each begins with a full map
  for (int n = 0; n < 20; n++) race_on_a_map(race_to_grow, BEFORE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_operations),
      cmocka_unit_test(walks_survive_changes),
      cmocka_unit_test(walks_begin_at_the_first_key),
      cmocka_unit_test(a_key_set_again_and_again_has_one_word),
      cmocka_unit_test(bad_keys),
      cmocka_unit_test(a_large_map_grows_in_parts),
      cmocka_unit_test(others_end_a_growth),
      cmocka_unit_test(deleted_entries_do_not_move),
      cmocka_unit_test(racing_writers_keep_memory_whole),
      cmocka_unit_test(racing_growths_keep_other_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
