// SPDX-License-Identifier: MIT
// The engines of regular expressions give the same, whatever their tables hold:
// the automaton with all its room, with so little that it is emptied or gives
// up all the time, and the list. Patterns are random, and hostile ones are
// among them.
#include "regexp_listed.h"

#include "embed_fixture.h"
#include "stdlib/text_job.h"

enum { PATTERN_MOST = 400, TEXT_MOST = 60 };

static uint64_t seed = 5;

static size_t draw(size_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(seed >> 33) % n;
}

// --- Random patterns and texts ----------------------------------------------
typedef struct Text {
  char data[PATTERN_MOST];
  size_t len;
} Text;

static void put(Text *text, const char *s) {
  size_t len = strlen(s);
  if (text->len + len >= PATTERN_MOST) return;
  memcpy(text->data + text->len, s, len + 1);
  text->len += len;
}

static const char *const atoms[] = {"a",      "b",      "\xc3\xa9",
                                    ".",      "[ab]",   "[^a]",
                                    "\\w",    "\\s",    "\\W",
                                    "^",      "$",      "\\b",
                                    "\\B",    "\\A",    "\\z",
                                    "(?m:^)", "(?m:$)", "(?i:B)",
                                    "\\pL",   "(?:)",   "[^\\x00-\\x{10ffff}]"};
static const char *const operators[] = {"*",  "+",   "?",     "*?",   "+?",
                                        "??", "{2}", "{0,3}", "{2,}", "{1,2}?"};

static void put_pattern(Text *text, int deep) {
  static const char *const heads[] = {"(", "(?:", "(?s:", "(?i:"};
  for (size_t parts = draw(4); parts > 0; parts--) {
    bool group = deep > 0 && draw(3) == 0;
    if (group) {
      put(text, heads[draw(4)]);
      put_pattern(text, deep - 1);
      put(text, ")");
    } else {
      put(text, atoms[draw(sizeof atoms / sizeof *atoms)]);
    }
    if (draw(3) == 0) put(text, operators[draw(10)]);
    if (draw(5) == 0) put(text, "|");
  }
}

static void make_text(Text *text) {
  static const char *const parts[] = {
      "a", "b", "B", "\xc3\xa9", " ", "\n", "\xff", "\xe4\xb8", "aa", "ab"};
  size_t letters = 2 + draw(9);
  text->len = 0;
  text->data[0] = '\0';
  for (size_t count = draw(TEXT_MOST); count > 0; count--)
    put(text, parts[draw(letters)]);
}

// --- Searches ---------------------------------------------------------------
typedef struct Tried {
  RegexpFound found;
  size_t begin, end, slots[64];
} Tried;

static Tried try_search(RegexpSearch *search, size_t from, bool listed) {
  Tried tried = {.found = REGEXP_MORE};
  regexp_search_from(search, from);
  while (tried.found == REGEXP_MORE)
    tried.found = listed ? regexp_search_listed(search)
                         : regexp_search_on(search->machine->call, search);
  search->units = 0;
  assert_true(tried.found == REGEXP_FOUND || tried.found == REGEXP_NOWHERE);
  if (tried.found == REGEXP_NOWHERE) return tried;
  tried.begin = search->begin;
  tried.end = search->end;
  if (search->want == WANT_GROUPS)
    memcpy(tried.slots, search->machine->slots,
           search->program->group_count * 2 * sizeof(size_t));
  return tried;
}

static void must_be_same(const char *pattern, const Text *text, size_t from,
                         const Tried *a, const Tried *b) {
  if (memcmp(a, b, sizeof *a) == 0) return;
  fail_msg("%s in \"%s\" from %zu: %d %zu-%zu, or %d %zu-%zu", pattern,
           text->data, from, a->found, a->begin, a->end, b->found, b->begin,
           b->end);
}

// All matches one after the other, and whether there is one.
static void compare_text(CspCall *call, Regexp *regexp, const Text *text,
                         const char *pattern, size_t room) {
  RegexpSearch search;
  size_t before = REGEXP_NO_PLACE;
  Str s = {text->data, text->len};
  assert_true(regexp_search_begin(call, &search, regexp, s, WANT_GROUPS));
  for (int i = 0; i < 2; i++)
    if (room > 0) search.machine->dfas[i].most = room;
  while (search.from <= text->len) {
    size_t from = search.from;
    Tried wanted = try_search(&search, from, true);
    Tried got = try_search(&search, from, false);
    must_be_same(pattern, text, from, &wanted, &got);
    search.want = WANT_MATCH;
    assert_int_equal(try_search(&search, from, false).found, wanted.found);
    search.want = WANT_PLACE;
    got = try_search(&search, from, false);
    assert_int_equal(got.found, wanted.found);
    assert_int_equal(got.begin, wanted.begin);
    assert_int_equal(got.end, wanted.end);
    search.want = WANT_GROUPS;
    if (got.found == REGEXP_NOWHERE) break;
    regexp_search_next(&search, &before);
  }
  regexp_search_end(&search);
}

static bool open_regexp(CspCall *call, Regexp *regexp, const char *pattern) {
  RegexpParse parse = {.call = call, .pattern = {pattern, strlen(pattern)}};
  memset(regexp, 0, sizeof *regexp);
  regexp->csp = csp_of(call);
  if (regexp_parse(&parse)) regexp->program = regexp_program(&parse);
  assert_true(parse.fail != REGEXP_NO_MEMORY);
  regexp_parse_free(&parse);
  return regexp->program != NULL;
}

static void close_regexp(Regexp *regexp) {
  regexp_free_idle(regexp);
  regexp_program_free(regexp->program);
}

static Csp *open_stepped(void) {
  CspConfig config;
  csp_config_init(&config);
  config.stepped = true;
  Csp *csp = csp_new(&config);
  assert_non_null(csp);
  csp_install_language(csp);
  assert_true(csp_install_library(csp));
  return csp;
}

static void engines_give_the_same(void **state) {
  (void)state;
  static const size_t rooms[] = {0, 0, 1 << 12, 200, 1};
  Csp *csp = open_stepped();
  CspCall *call = csp_host(csp);
  int compiled = 0;
  for (int i = 0; i < 6000; i++) {
    Text pattern = {.len = 0}, text;
    Regexp regexp;
    put_pattern(&pattern, 3);
    if (!open_regexp(call, &regexp, pattern.data)) continue;
    compiled++;
    for (int n = 0; n < 4 && regexp.program->group_count <= 32; n++) {
      make_text(&text);
      compare_text(call, &regexp, &text, pattern.data,
                   rooms[draw(sizeof rooms / sizeof *rooms)]);
    }
    close_regexp(&regexp);
  }
  assert_true(compiled > 3000);
  csp_free(csp);
}

// --- Work -------------------------------------------------------------------
// What a search of n blanks costs, in units.
static uint64_t cost_of(CspCall *call, const char *pattern, size_t n,
                        bool listed) {
  Regexp regexp;
  RegexpSearch search;
  uint64_t units = 0;
  char *text = malloc(n);
  memset(text, ' ', n - 1);
  text[n - 1] = 'x';
  assert_true(open_regexp(call, &regexp, pattern));
  assert_true(
      regexp_search_begin(call, &search, &regexp, (Str){text, n}, WANT_GROUPS));
  RegexpFound found = REGEXP_MORE;
  while (found == REGEXP_MORE) {
    found = listed ? regexp_search_listed(&search)
                   : regexp_search_on(call, &search);
    // a piece is left in time
    assert_true(search.units < (uint64_t)REGEXP_PIECE * 2);
    units += search.units;
    search.units = 0;
  }
  regexp_search_end(&search);
  close_regexp(&regexp);
  free(text);
  return units;
}

static void searches_are_linear_and_in_pieces(void **state) {
  (void)state;
  static const char *const patterns[] = {"\\s+$",
                                         "( *)*y",
                                         "( |  )+$",
                                         "( ?){50} {50}y",
                                         "(( *)*)*y",
                                         " .* .* .*y",
                                         "( |x)*?( |x)*?( |x)*?y"};
  Csp *csp = open_stepped();
  CspCall *call = csp_host(csp);
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    for (int listed = 0; listed < 2; listed++) {
      uint64_t one = cost_of(call, patterns[i], 20000, listed);
      uint64_t four = cost_of(call, patterns[i], 80000, listed);
      assert_true(four < one * 5);
    }
  }
  csp_free(csp);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(engines_give_the_same),
      cmocka_unit_test(searches_are_linear_and_in_pieces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
