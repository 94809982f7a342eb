// SPDX-License-Identifier: MIT
// Finding bytes in bytes: the same as trying every place, in linear work, and
// given up when the work says so.
#include "vm/object/search.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/vm_fixture.h"

static uint64_t seed = 7;

static size_t pick(size_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(seed >> 33) % n;
}

static int64_t every_place(const char *text, size_t len, const char *needle,
                           size_t n, bool last) {
  int64_t found = SEARCH_NONE;
  for (size_t at = 0; at + n <= len; at++) {
    if (memcmp(text + at, needle, n) != 0) continue;
    found = (int64_t)at;
    if (!last) break;
  }
  return found;
}

static void fill(char *to, size_t len, size_t letters) {
  for (size_t i = 0; i < len; i++) to[i] = (char)('a' + pick(letters));
}

// A needle that often repeats itself, in a text that often has most of it.
static void make(char *text, size_t len, char *needle, size_t n) {
  size_t letters = 1 + pick(3);
  fill(text, len, letters);
  fill(needle, n, letters);
  size_t period = 1 + pick(n);
  for (size_t i = period; pick(3) != 0 && i < n; i++)
    needle[i] = needle[i - period];
  for (int copies = 0; copies < 3 && len >= n; copies++) {
    size_t at = pick(len - n + 1);
    memcpy(text + at, needle, n);
    if (pick(2)) text[at + pick(n)] = (char)('a' + pick(letters));
  }
}

static void as_every_place(size_t least, size_t most, size_t text_most,
                           int rounds) {
  static char text[4000], needle[2000];
  for (int i = 0; i < rounds; i++) {
    size_t n = least + pick(most - least + 1), len = pick(text_most);
    make(text, len, needle, n);
    SearchWork none = {NULL, NULL};
    assert_int_equal(search_first(text, len, needle, n, none),
                     every_place(text, len, needle, n, false));
    assert_int_equal(search_last(text, len, needle, n, none),
                     every_place(text, len, needle, n, true));
  }
}

// Needles for memmem and for the comparison of few places, those for the
// two-way search, and that with the least that can be cut in two.
static void finds_what_is_there(void **state) {
  (void)state;
  as_every_place(1, 12, 60, 200000);
  as_every_place(257, 600, 2500, 4000);
  as_every_place(2, 9, 4000, 4000);
}

static void empty_needles_are_at_the_ends(void **state) {
  (void)state;
  SearchWork none = {NULL, NULL};
  assert_int_equal(search_first("abc", 3, "", 0, none), 0);
  assert_int_equal(search_last("abc", 3, "", 0, none), 3);
  assert_int_equal(search_first("", 0, "", 0, none), 0);
  assert_int_equal(search_last("", 0, "a", 1, none), SEARCH_NONE);
}

// --- Work -------------------------------------------------------------------
static bool count_work(void *arg, size_t units) {
  *(uint64_t *)arg += units;
  return true;
}

static uint64_t work_of(const char *text, size_t len, const char *needle,
                        size_t n, bool last) {
  uint64_t work = 0;
  SearchWork counted = {count_work, &work};
  int64_t at =
      (last ? search_last : search_first)(text, len, needle, n, counted);
  assert_int_equal(at, SEARCH_NONE);
  return work;
}

// Texts of one letter, or of two in turn; needles that differ from that at one
// place, wherever it is.
static void work_is_linear_for_hostile_texts(void **state) {
  (void)state;
  enum { LEN = 1 << 20, N = LEN / 2 };
  char *text = malloc(LEN), *needle = malloc(N);
  for (int two = 0; two < 2; two++) {
    for (size_t i = 0; i < LEN; i++) text[i] = (char)('a' + (two & i));
    for (int place = 0; place <= 8; place++) {
      memcpy(needle, text, N);
      needle[(size_t)(N - 1) * (size_t)place / 8] = 'c';
      assert_true(work_of(text, LEN, needle, N, false) <= 8 * (LEN + N));
      assert_true(work_of(text, LEN, needle, N, true) <= 8 * (LEN + N));
      // (two-way reports what it compared, not where it was)
      assert_true(work_of(text, LEN, needle, N, place % 2) > 0);
    }
  }
  free(text);
  free(needle);
}

static bool no_more(void *arg, size_t units) {
  (void)units;
  return ++*(int *)arg < 3;
}

static void gives_up_when_told(void **state) {
  (void)state;
  enum { LEN = 4 * SEARCH_PIECE };
  char *text = calloc(LEN, 1);
  for (size_t n = 1; n <= LEN / 2; n *= 4) {
    for (int last = 0; last < 2; last++) {
      int asked = 0;
      char *needle = calloc(n, 1);
      needle[n / 2] = 'x';
      SearchWork work = {no_more, &asked};
      assert_int_equal(
          (last ? search_last : search_first)(text, LEN, needle, n, work),
          SEARCH_GIVEN_UP);
      assert_int_equal(asked, 3);
      free(needle);
    }
  }
  free(text);
}

// --- Pieces -----------------------------------------------------------------
// Says no each time, or each second time.
static bool stop(void *arg, size_t units) {
  (void)units;
  int *asked = arg;
  return ++*asked % 2 == 0;
}

static int64_t in_pieces(SearchText text, SearchText needle, bool last,
                         int *pieces) {
  SearchRun x, copy;
  int asked = 0;
  int64_t at = SEARCH_GIVEN_UP;
  search_begin(&x, text, needle, last);
  for (*pieces = 0; at == SEARCH_GIVEN_UP; ++*pieces) {
    at = search_on(&x, (SearchWork){stop, &asked});
    copy = x;  // as csp_again copies it
    memset(&x, 0xff, sizeof x);
    x = copy;
  }
  return at;
}

// Texts that have the needle nowhere, and at their end (their beginning).
// Needles that differ at one place from what stands everywhere in the text.
static void stops_and_goes_on(void **state) {
  (void)state;
  enum { LEN = 1 << 20, N = LEN / 4 };
  SearchWork none = {NULL, NULL};
  char *text = malloc(LEN), *needle = malloc(N);
  for (int period = 1; period <= 3; period++) {
    for (int i = 0; i < 4 * 9; i++) {
      bool there = i & 1, last = i & 2;
      for (size_t n = 0; n < LEN; n++) text[n] = (char)('a' + n % period);
      memcpy(needle, text, N);
      needle[(size_t)(N - 1) * (size_t)(i / 4) / 8] = 'x';
      if (there) memcpy(text + (last ? 5 : LEN - N - 5), needle, N);
      int pieces;
      int64_t at = in_pieces((SearchText){text, LEN}, (SearchText){needle, N},
                             last, &pieces);
      assert_int_equal(at, !there ? SEARCH_NONE : last ? 5 : LEN - N - 5);
      assert_int_equal(
          at, (last ? search_last : search_first)(text, LEN, needle, N, none));
      assert_true(pieces > 4);
    }
  }
  free(text);
  free(needle);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_what_is_there),
      cmocka_unit_test(empty_needles_are_at_the_ends),
      cmocka_unit_test(work_is_linear_for_hostile_texts),
      cmocka_unit_test(gives_up_when_told),
      cmocka_unit_test(stops_and_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
