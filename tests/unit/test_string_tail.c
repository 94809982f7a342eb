// SPDX-License-Identifier: MIT
// Strings that grow by appending: which of them share bytes, how much memory
// one keeps alive, where a NUL is, what happens without memory, and two threads
// at once.
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include "host_fixture.h"
#include "tests/unit/vm_fixture.h"
#include "vm/heap/span.h"
#include "vm/object/string_tail.h"

static ObjString *append(Fixture *fixture, ObjString *string,
                         const char *piece) {
  string = string_concat(&fixture->locals[0], string,
                         string_new(&fixture->locals[0], piece, strlen(piece)));
  assert_true(string_is_valid(string));
  return string;
}

// Of so many bytes, by pieces of two.
static ObjString *grown(Fixture *fixture, size_t len) {
  ObjString *string = string_new(&fixture->locals[0], "ab", 2);
  while (string->len < len) string = append(fixture, string, "ab");
  return string;
}

static void expect_text(const ObjString *string, size_t len, const char *end) {
  size_t rest = strlen(end);
  const char *data = string_data(string);
  assert_int_equal(string->len, len + rest);
  for (size_t n = 0; n < len; n++) assert_int_equal(data[n], "ab"[n % 2]);
  assert_memory_equal(data + len, end, rest);
}

static bool shares(const ObjString *a, const ObjString *b) {
  return (a->obj.flags & b->obj.flags & STRING_TAIL) &&
         string_data(a) == string_data(b);
}

// --- Which share bytes ------------------------------------------------------
static void the_longest_takes_the_room(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjString *string = grown(fixture, 1000);
  ObjString *next = append(fixture, string, "x"),
            *other = append(fixture, string, "y");
  assert_true(shares(string, next));
  assert_false(shares(string, other));
  ObjString *third = append(fixture, other, "z");
  assert_true(shares(other, third));
  expect_text(string, 1000, "");
  expect_text(next, 1000, "x");
  expect_text(other, 1000, "y");
  expect_text(third, 1000, "yz");
  ObjString *twice = string_concat(&fixture->locals[0], next, next);
  assert_int_equal(twice->len, 2002);
  assert_memory_equal(string_data(twice) + 1001, string_data(next), 1001);
  fixture_free(fixture);
}

// What is joined once, and what is short, has its bytes and no room.
static void others_have_their_own(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  char text[4000];
  memset(text, 'a', sizeof text);
  ObjString *plain = string_new(&fixture->locals[0], text, sizeof text);
  ObjString *once = append(fixture, plain, "b");
  assert_int_equal(once->at, STRING_OWN);
  assert_true(append(fixture, once, "c")->obj.flags & STRING_TAIL);
  assert_int_equal(grown(fixture, TAIL_LEAST - 2)->at, STRING_OWN);
  fixture_free(fixture);
}

// Than if it were alone, however long it is.
static void one_keeps_less_than_twice(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  char piece[200];
  memset(piece, 'p', sizeof piece - 1);
  piece[sizeof piece - 1] = '\0';
  for (size_t by = 1; by < sizeof piece; by += 66) {
    ObjString *string = grown(fixture, 2);
    while (string->len < 400000) {
      string = append(fixture, string, piece + sizeof piece - 1 - by);
      if (!(string->obj.flags & STRING_TAIL)) continue;
      size_t alone = heap_size_for(sizeof(ObjRaw) + string->len + 1);
      size_t kept = heap_size_of(string_block(string)) + heap_size_of(string);
      if (kept >= 2 * alone)
        fail_msg("%zu bytes keep %zu, not %zu", (size_t)string->len, kept,
                 alone);
    }
  }
  fixture_free(fixture);
}

// --- The NUL ----------------------------------------------------------------
static void settled_strings_end_with_nul(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjString *older = grown(fixture, 1000), *last = append(fixture, older, "x");
  const char *data = string_data(last);
  assert_true(string_settle(last) && string_settle(last));
  assert_ptr_equal(string_data(last), data);
  assert_int_equal(data[1001], 0);
  expect_text(append(fixture, last, "y"), 1000, "xy");
  assert_int_equal(data[1001], 0);

  assert_true(string_settle(older) && string_settle(older));
  const char *moved = string_data(older);
  assert_ptr_not_equal(moved, data);
  assert_int_equal(moved[1000], 0);
  expect_text(append(fixture, older, "z"), 1000, "z");
  assert_int_equal(moved[1000], 0);
  assert_ptr_equal(string_data(older), moved);
  expect_text(older, 1000, "");
  expect_text(last, 1000, "x");
  assert_true(string_is_valid(older) && string_is_valid(last));
  fixture_free(fixture);
}

static void without_memory_it_stays(void **state) {
  (void)state;
  enum { LEN = 1 << 20 };
  Fixture *fixture = fixture_new(1);
  heap_set_limit(fixture->vm.heap, 8 << 20);
  ObjString *string = grown(fixture, 1 << 10);
  while (string->len < LEN)
    string = string_concat(&fixture->locals[0], string, string);
  ObjString *last = append(fixture, string, "x");
  while (string_alloc(&fixture->locals[0], LEN / 16) != NULL) continue;
  assert_false(string_settle(string));
  expect_text(string, LEN, "");
  assert_true(string_settle(last));
  assert_int_equal(string_data(last)[LEN + 1], 0);
  fixture_free(fixture);
}

// --- The longest -------------------------------------------------------------
// A block may have room for more bytes than a string can have.
static void none_grows_beyond_the_limit(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjString *string = grown(fixture, 1000);
  ObjRaw *block = (ObjRaw *)heap_alloc(
      &fixture->locals[0].heap, sizeof *block + STRING_LEN_MAX + 100, OBJ_RAW);
  assert_non_null(block);
  block->cap = STRING_LEN_MAX + 100;
  block->len = STRING_LEN_MAX - 1;
  string->at = (int32_t)(((intptr_t)block->data - (intptr_t)string) / 8);
  string->len = (uint32_t)block->len;
  ObjString *longest = append(fixture, string, "x");
  assert_true(shares(string, longest));
  assert_int_equal(longest->len, STRING_LEN_MAX);
  ObjString *more = string_new(&fixture->locals[0], "y", 1);
  assert_null(string_concat(&fixture->locals[0], longest, more));
  assert_int_equal(block->len, STRING_LEN_MAX);
  fixture_free(fixture);
}

// --- Memory far apart -------------------------------------------------------
// Each block lies 64 GB from the one before.
static void *map_far(void *arg, size_t bytes, size_t align) {
  char **next = arg;
  char *at = *next;
  *next += (size_t)64 << 30;
  assert_int_equal((uintptr_t)at % align, 0);
  void *block = mmap(at, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == at) return block;
  if (block != MAP_FAILED) munmap(block, bytes);
  return NULL;
}

static void unmap_far(void *arg, void *block, size_t bytes) {
  (void)arg;
  munmap(block, bytes);
}

// Where the bytes would be too far away they are copied instead.
static void memory_far_apart(void **state) {
  (void)state;
  enum { LEN = 7 << 20 };  // for which a block of memory is mapped
  char *next = (char *)((uintptr_t)1 << 44);
  Fixture *fixture = fixture_new(1);
  heap_set_memory(
      fixture->vm.heap,
      &(HeapMemory){.map = map_far, .unmap = unmap_far, .arg = &next});
  char *text = malloc(LEN);
  memset(text, 'a', LEN);
  ObjString *string = string_new(&fixture->locals[0], text, LEN);
  if (string == NULL) {  // (a sanitizer has these addresses)
    free(text);
    fixture_free(fixture);
    skip();
  }
  for (int n = 0; n < 3; n++) {
    string = append(fixture, string, "b");
    assert_int_equal(string->at, STRING_OWN);
  }
  assert_int_equal(string->len, LEN + 3);
  assert_memory_equal(string_data(string), text, LEN);
  assert_memory_equal(string_data(string) + LEN, "bbb", 3);
  free(text);
  fixture_free(fixture);
}

// --- Two threads ------------------------------------------------------------
enum { ROUNDS = 20000 };

typedef struct Worker {
  Fixture *fixture;
  int index;
  uint32_t *arrived;  // how often one of the two has begun a round
  ObjString *const *strings;
  ObjString *made[ROUNDS];
  const char *seen[ROUNDS];  // the bytes of each string that it settled
  int wrong;  // strings that it settled, and that have no NUL there
} Worker;

// Both append to the string of each round at once. One settles it, too, in
// some of them.
static void *work(void *arg) {
  Worker *worker = arg;
  Local *local = &worker->fixture->locals[worker->index];
  char mark[] = {(char)('A' + worker->index), '\0'};
  for (uint32_t n = 0; n < ROUNDS; n++) {
    ObjString *string = worker->strings[n];
    __atomic_fetch_add(worker->arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(worker->arrived, __ATOMIC_SEQ_CST) < 2 * (n + 1))
      sched_yield();
    if (worker->index == 2 && n % 4 == 0) {
      bool settled = string_settle(string);
      worker->wrong += !settled || strlen(string_data(string)) != string->len;
    }
    for (int i = 0; i < 3; i++)
      string = string_concat(local, string, string_new(local, mark, 1));
    worker->made[n] = string;
  }
  return NULL;
}

static void threads_append_at_once(void **state) {
  (void)state;
  static ObjString *strings[ROUNDS];
  static Worker workers[2];
  Fixture *fixture = fixture_new(3);
  ObjString *base = grown(fixture, TAIL_LEAST - 2);  // has no block
  for (size_t n = 0; n < ROUNDS; n++) {
    strings[n] = append(fixture, append(fixture, base, "ab"), "ab");
    if (n % 3 == 0) append(fixture, strings[n], "longer");
  }
  uint32_t arrived = 0;
  pthread_t threads[2];
  for (int t = 0; t < 2; t++) {
    workers[t] = (Worker){.fixture = fixture,
                          .index = t + 1,
                          .arrived = &arrived,
                          .strings = strings};
    pthread_create(&threads[t], NULL, work, &workers[t]);
  }
  for (int t = 0; t < 2; t++) pthread_join(threads[t], NULL);
  assert_int_equal(workers[1].wrong, 0);
  for (size_t n = 0; n < ROUNDS; n++) {
    expect_text(strings[n], strings[n]->len, "");
    expect_text(workers[0].made[n], strings[n]->len, "BBB");
    expect_text(workers[1].made[n], strings[n]->len, "CCC");
  }
  fixture_free(fixture);
}

// Settles the string of each round at once with another thread.
static void *settle_all(void *arg) {
  Worker *worker = arg;
  for (uint32_t n = 0; n < ROUNDS; n++) {
    __atomic_fetch_add(worker->arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(worker->arrived, __ATOMIC_SEQ_CST) < 2 * (n + 1))
      sched_yield();
    bool settled = string_settle(worker->strings[n]);
    worker->seen[n] = settled ? string_data(worker->strings[n]) : NULL;
  }
  return NULL;
}

// Where the bytes are when one thread has settled them, they stay.
static void threads_settle_at_once(void **state) {
  (void)state;
  static ObjString *strings[ROUNDS];
  static Worker workers[2];
  Fixture *fixture = fixture_new(1);
  ObjString *base = grown(fixture, TAIL_LEAST);
  for (size_t n = 0; n < ROUNDS; n++) {
    strings[n] = append(fixture, base, "ab");
    append(fixture, strings[n], "longer");
  }
  uint32_t arrived = 0;
  pthread_t threads[2];
  for (int t = 0; t < 2; t++) {
    workers[t] =
        (Worker){.fixture = fixture, .arrived = &arrived, .strings = strings};
    pthread_create(&threads[t], NULL, settle_all, &workers[t]);
  }
  for (int t = 0; t < 2; t++) pthread_join(threads[t], NULL);
  for (size_t n = 0; n < ROUNDS; n++) {
    assert_ptr_equal(workers[0].seen[n], string_data(strings[n]));
    assert_ptr_equal(workers[1].seen[n], string_data(strings[n]));
  }
  fixture_free(fixture);
}

// --- Natives ----------------------------------------------------------------
// look(s): what a host sees that knows strings by their NUL.
static CspStatus look(CspCall *call) {
  const char *data;
  size_t len;
  if (!csp_need_string(call, 0, &data, &len)) return CSP_PANIC;
  assert_int_equal(strlen(data), len);
  return csp_ok_int(call, (int64_t)len);
}

// look_in(list): the same of a list's elements.
static CspStatus look_in(CspCall *call) {
  CspValue list = csp_arg(call, 0);
  int64_t sum = 0;
  for (size_t i = 0; i < csp_list_len(list); i++) {
    CspValue s = csp_list_get(list, i);
    if (csp_type(s) == CSP_NO_MEMORY) return csp_panic_memory(call);
    assert_int_equal(csp_type(s), CSP_STRING);
    size_t len;
    const char *data = csp_to_string(s, &len);
    assert_int_equal(strlen(data), len);
    sum += (int64_t)len;
  }
  return csp_ok_int(call, sum);
}

static const CspFunction host_functions[] = {{"look_in", "list", look_in},
                                             CSP_REPEATABLE,
                                             {"look", "s", look},
                                             {NULL, NULL, NULL}};
static const CspModule host_module = {"host", host_functions, NULL, NULL, 0};

static void natives_see_a_nul(void **state) {
  (void)state;
  static const char script[] =
      "import \"host\"\n"
      "s, kept := \"\", []\n"
      "for i in 1000 {\n"
      "  s += \"ab\"\n"
      "  kept.push(s)\n"
      "  if i % 100 == 0 { assert(host.look(s) == len(s)) }\n"
      "}\n"
      "assert(host.look_in(kept) == 1001000)\n"
      "for i, old in kept { assert(old + \"c\" == \"ab\".repeat(i + 1) + "
      "\"c\") }\n"
      "assert(host.look_in(kept) == 1001000)\n"
      "println(host.look(s))\n";
  Host host;
  host_open(&host, (CspConfig){.procs = 2});
  csp_register(host.csp, &host_module);
  int status = host_run(&host, script);
  assert_string_equal(host.err, "");
  assert_int_equal(status, 0);
  assert_string_equal(host.out, "2000\n");
  host_close(&host);
}

// A copy that there is no memory for is a panic, and no other text.
static void natives_without_memory(void **state) {
  (void)state;
  static const char script[] =
      "import \"host\"\n"
      "s := \"\"\n"
      "for i in 1000 { s += \"ab\" }\n"
      "for len(s) < 2000000 { s += s }\n"
      "older := s\n"
      "s += \"x\"\n"
      "full := []\n"
      "_, err := try(func() { for { full.push(\"y\".repeat(60000)) } })\n"
      "println(err)\n"
      "_, err = try(host.look, older)\n"
      "println(err)\n"
      "_, err = try(host.look_in, [older])\n"
      "println(err)\n"
      "full = nil\n"
      "assert(host.look(older) == len(s) - 1 && host.look(s) == len(s))\n"
      "assert(older + \"x\" == s)\n";
  Host host;
  host_open(&host, (CspConfig){.procs = 1, .max_memory = 8 << 20});
  csp_register(host.csp, &host_module);
  int status = host_run(&host, script);
  assert_string_equal(host.err, "");
  assert_int_equal(status, 0);
  assert_string_equal(host.out,
                      "out of memory: the limit is 8 MB\n"
                      "out of memory: the limit is 8 MB\n"
                      "out of memory: the limit is 8 MB\n");
  host_close(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_longest_takes_the_room),
      cmocka_unit_test(others_have_their_own),
      cmocka_unit_test(one_keeps_less_than_twice),
      cmocka_unit_test(settled_strings_end_with_nul),
      cmocka_unit_test(without_memory_it_stays),
      cmocka_unit_test(none_grows_beyond_the_limit),
      cmocka_unit_test(memory_far_apart),
      cmocka_unit_test(threads_append_at_once),
      cmocka_unit_test(threads_settle_at_once),
      cmocka_unit_test(natives_see_a_nul),
      cmocka_unit_test(natives_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
