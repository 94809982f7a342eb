// SPDX-License-Identifier: MIT
// Natives of the library over large texts, bytes and lists: others run between
// their pieces, what they give is what short ones give, and one that is left in
// the middle leaks nothing.
#include "embed_fixture.h"
#include "vm/heap/work.h"

// --- A host's memory that counts --------------------------------------------
static size_t blocks;

static void *count_alloc(void *arg, void *block, size_t old_size, size_t size) {
  (void)arg, (void)old_size;
  if (size == 0) {
    blocks -= block != NULL;
    free(block);
    return NULL;
  }
  void *made = realloc(block, size);
  blocks += block == NULL && made != NULL;
  return made;
}

static void open_stepped(Host *host) {
  CspConfig config;
  test_config(&config);
  config.stepped = true;
  config.debug = NULL;
  config.alloc = count_alloc;
  blocks = 0;
  open_configured(host, &config);
}

static void close_stepped(Host *host) {
  close_host(host);
  assert_int_equal(blocks, 0);
}

// --- Calls ------------------------------------------------------------------
// Each is done in so many pieces at least; after each of them another goroutine
// has a turn.
enum { LEAST = 8 };

static const char *const calls[] = {
    "x = \"x\".repeat(8_000_000)",
    "x = \"word \".repeat(1_600_000)",
    "x = parts.join(\", \")",
    "x = [text, text].join(\",\")",
    "x = ints.join(\",\")",
    "x = text.replace(\"e\", \"ee\")",
    "x = text.replace(\"#\", \"\")",
    "x = text.replace(\"word\", long, 40)",
    "x = wide.replace(\"\", \"-\")",
    "x = text.split(\" \")",
    "x = text.fields()",
    "x = text.lines()",
    "x = text.words()",
    "x = wide.split(\"\")",
    "x = wide.chars()",
    "x = wide.runes()",
    "x = text.to_upper()",
    "x = wide.to_upper()",
    "x = text.to_lower()",
    "x = wide.title()",
    "x = wide.reverse()",
    "x = \"x\".pad_left(4_000_000)",
    "x = \"x\".pad_right(1_000_000, \"ä\")",
    "x = text.quote()",
    "x, e = quoted.unquote()",
    "x = strings.from_runes(ints)",
    "x = text.count(\"e\")",
    "x = text.index(\"#\")",
    "x = text.last_index(\"#\")",
    "x = text.contains(\"#\")",
    "x = wide.rune_count()",
    "x = wide.is_valid()",
    "x = text.equal_fold(text)",
    "x = text.bytes()",
    "x = raw.fill(120)",
    "x = raw.reverse()",
    "x = raw.index(\"#\")",
    "x = raw.contains(bytes(\"##\"))",
    "x = raw.has_prefix(raw)",
    "x = raw.to_string()",
    "x = raw.hex()",
    "x, e = raws.from_hex(hexed)",
    "x = raw.base64()",
    "x, e = raws.from_base64(based)",
    "x = ints.repeat(2)",
    "x = ints.reverse()",
    "x = [].extend(ints)",
    "ints.sort()",
    "x = list(wide)",
    "x = list(wide_bytes)",
    "x = list(1_000_000)",
    "x = bytes(text)",
    "x = bytes(raw)",
    "x = bytes(small_ints)",
    "x = list(ints)",
    "x = text.split(\"#\")",
    "x = text.split(\"##\")",
    "x = text.split_n(\"##\", 3)",
    "for part in text.split(\"#\") { x = part }",
    "for part in text.split(\"##\") { x = part }",
    "x = run.lines()",
    "for line in run.lines() { x = line }",
    "x = run.fields()",
    "for field in run.fields() { x = field }",
    "x = blanks.fields()",
    "for word in run.words() { x = word }",
    "for word in blanks.words() { x = word }",
    "x = blanks.trim()",
    "x = run.trim_left(\"äy\")",
    "x = \"-\".trim(wide + wide)",
    "x = text.trim_right(\"\\n\")",
    "x = text.trim_prefix(\"w\")",
    "x = text.trim_suffix(text)",
    "x = text.has_prefix(text)",
    "x = blanks.has_suffix(blanks.part(1))",
    "x, e, _ = text.cut(\"#\")",
    "x, _, e = text.cut(\"word \")",
    "x = fmt.sprint(1, text)",
    "x = raw.has_suffix(raw)",
};

static const char start[] =
    "import \"fmt\"\nimport \"strings\"\nimport raws \"bytes\"\n"
    "text := \"word one two\\n\".repeat(400_000)\n"
    "wide := \"wörd €ne 𝄞\".repeat(100_000)\n"
    "long := \"y\".repeat(200_000)\nquoted := text.quote()\n"
    "run := long.repeat(30)\nblanks := \" \\t\".repeat(3_000_000)\n"
    "parts := []\nints := []\n"
    "for i in 300_000 {\n  ints.push(i * 7919 % 50_000 + 1)\n"
    "  parts.push(\"part ${i}\")\n}\n"
    "wide_bytes := bytes(wide)\nsmall_ints := list(wide_bytes)\n"
    "raw := bytes(4_000_000)\nhexed := raw.hex()\nbased := raw.base64()\n"
    "x := nil\ne := nil\nturns := 0\nduring := -1\nto_do := nil\n"
    "func count(f) {\n  before := turns\n  f()\n"
    "  during = turns - before\n}\n"
    "func begin(n) {\n  during = -1\n  go count(to_do[n])\n  return n\n}\n"
    "func turns_of(n) => during\nfunc so_far(n) => turns\n"
    "func for_ever() { for { for f in to_do { f() } } }\n"
    "go { for {\n  turns++\n  sleep(0)\n} }\nto_do = [\n";
enum { CALLS = sizeof calls / sizeof *calls };
// ThreadSanitizer finds nothing here, as there is one thread, and takes long.
#ifdef CSP_TSAN
enum { EACH_NTH = 4 };
#else
enum { EACH_NTH = 1 };
#endif

static CspHandle load_calls(Host *host) {
  size_t room = sizeof start + CALLS * 100, len = 0;
  char *script = malloc(room);
  assert_non_null(script);
  len += (size_t)snprintf(script, room, "%s", start);
  for (size_t n = 0; n < CALLS; n++)
    len += (size_t)snprintf(script + len, room - len, "  func() { %s },\n",
                            calls[n]);
  snprintf(script + len, room - len, "]\n");
  CspHandle module = load(host, script);
  free(script);
  return module;
}

// --- Tests ------------------------------------------------------------------
// A step that is over when a piece is, however fast the machine does one, so
// that the turns of others tell how many pieces there are.
enum { SHORT_STEP = 1000 };  // ns

// So many basic blocks are run between two looks at most (in debug builds).
enum { MOST_STEPS = 1000000 };

static void expect_looks(const char *text) {
#ifdef CSP_DEBUG
  if (work_most > MOST_STEPS)
    fail_msg("%s\n%llu between two looks", text, (unsigned long long)work_most);
  work_most = 0;
#else
  (void)text;
#endif
}

static void others_run_between_pieces(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle module = load_calls(&host);
  for (int n = 0; n < CALLS; n += EACH_NTH) {
    assert_int_equal(call_int(&host, module, "begin", n), n);
#ifdef CSP_DEBUG
    work_steps = work_most = 0;
#endif
    while (call_int(&host, module, "turns_of", 0) < 0)
      assert_int_equal(csp_step(host.csp, SHORT_STEP), CSP_MORE);
    expect_looks(calls[n]);
    int64_t turns = call_int(&host, module, "turns_of", 0);
    if (turns < LEAST)
      fail_msg("%s\nlets others run %d times", calls[n], (int)turns);
  }
  close_stepped(&host);
}

static void one_that_is_left_in_the_middle_frees_all(void **state) {
  (void)state;
  for (int n = 0; n < CALLS; n += 11) {
    Host host;
    open_stepped(&host);
    CspHandle module = load_calls(&host);
    assert_int_equal(call_int(&host, module, "begin", n), n);
    int64_t before = call_int(&host, module, "so_far", 0);
    while (call_int(&host, module, "so_far", 0) < before + 3)
      csp_step(host.csp, SHORT_STEP);
    close_stepped(&host);
  }
}

static void a_limit_ends_them(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle module = load_calls(&host);
  for (int ms = 1; ms <= 64; ms *= 4) {
    csp_limit_time(host.csp, ms * 1000000);
    call_fails(&host, module, "for_ever", CSP_INTERRUPTED, "interrupted");
  }
  close_stepped(&host);
}

// Characters lie across the ends of pieces, wherever those are.
static const char checks[] =
    "import \"strings\"\nimport raws \"bytes\"\n"
    "long := \"y\".repeat(200_001)\n"
    "func check(shift) {\n  checks(shift)\n  return shift\n}\n"
    "func checks(shift) {\n"
    "  unit := \"äß \\xffe€𝄞\\tö\"\n"
    "  s := \"-\".repeat(shift) + unit.repeat(12_000)\n"
    "  chars := s.chars()\n"
    "  assert(chars.join(\"\") == s)\n"
    "  upper := chars.map(func(c) => c.to_upper()).join(\"\")\n"
    "  assert(s.to_upper() == upper && upper.equal_fold(s))\n"
    "  assert(!upper.equal_fold(s + \"x\") && !s.equal_fold(long))\n"
    "  words := s.split(\" \")\n"
    "  title := words.map(func(c) => c.title()).join(\" \")\n"
    "  assert(s.title() == title)\n"
    "  assert(s.reverse().reverse() == s)\n"
    "  assert(s.reverse() == chars.reverse().join(\"\"))\n"
    "  chars.reverse()\n"
    "  assert(s.replace(\"𝄞\", \"#\") == s.split(\"𝄞\").join(\"#\"))\n"
    "  assert(s.replace(\"\", \"|\") == \"|${chars.join(\"|\")}|\")\n"
    "  assert(s.replace(\"#\", \"|\") == s)\n"
    "  some := s.split_n(\"ö\", 21)\n"
    "  assert(s.replace(\"ö\", long, 20) == some.join(long))\n"
    "  assert(s.quote().unquote()? == s)\n"
    "  inside := func(c) {\n    q := c.quote()\n"
    "    return q[1:len(q) - 1]\n  }\n"
    "  quoted := chars.map(inside).join(\"\")\n"
    "  assert(s.quote() == \"\\\"\" + quoted + \"\\\"\")\n"
    "  assert([s, 1, long].join(\",\") == s + \",1,\" + long)\n"
    "  assert([s, long, s].join(long) == s + long + long + long + s)\n"
    "  raw := s.bytes()\n"
    "  assert(raw == bytes(s) && raw.to_string() == s)\n"
    "  assert(raws.from_hex(raw.hex())? == raw)\n"
    "  assert(raws.from_base64(raw.base64())? == raw)\n"
    "  assert(raws.base64(s) == raw.base64() && raws.hex(s) == raw.hex())\n"
    "  assert(raw.has_prefix(s) && raw.has_suffix(raw))\n"
    "  at := len(s)\n"
    "  assert((s + \"#€\" + s).index(\"#€\") == at)\n"
    "  assert((s + \"#€\" + s).last_index(\"#€\") == at)\n"
    "  assert((s + \"#€\").contains(\"#€\") && s.count(\"ö\") == 12_000)\n"
    "  assert(bytes(s + \"#€\" + s).index(\"#€\") == at)\n"
    "  assert(bytes(s + \"#€\").contains(bytes(\"#€\")))\n"
    "  assert(s.count(\"\") == s.rune_count() + 1)\n"
    "  assert(s.rune_count() == len(chars) && !s.is_valid())\n"
    "  assert(len(s.pad_left(300_000, \"ä\").chars()) == 300_000)\n"
    "  assert(s.pad_right(300_000).has_prefix(s))\n"
    "  t := s.replace(\"\\xff\", \"\")\n"
    "  assert(strings.from_runes(t.runes()) == t && t.is_valid())\n"
    "}\n";

// What ends a part lies across the end of a span (stdlib/strings.h), and so
// does white space.
static const char far_parts[] =
    "func check(shift) {\n"
    "  run := \"y\".repeat(16_384 * 12 - shift)\n"
    "  parts, wide := [run, \"\", run, run], \"\\xe2\\x80\\x83\"\n"
    "  for sep in [\"\\n\", \"€\\n\", wide, \"\\r\\n\"] {\n"
    "    far := parts.join(sep)\n"
    "    last := far.part(len(run) + len(sep))\n"
    "    assert(equal(far.split(sep), parts))\n"
    "    assert(equal(far.split_n(sep, 2), [run, last]))\n"
    "    assert(equal(far.words(), [run, run, run]))\n"
    "    at := 0\n"
    "    for part in far.split(sep) {\n"
    "      assert(part == parts[at])\n      at++\n    }\n"
    "    before, after, found := far.cut(sep)\n"
    "    assert(before == run && after == last && found && at == 4)\n"
    "    assert(far.has_prefix(run + sep) && far.has_suffix(sep + run))\n"
    "    assert(!far.has_prefix(run + run) && !far.has_suffix(far + \"y\"))\n"
    "    assert(far.trim_prefix(run + sep) == last)\n"
    "    assert(far.trim_suffix(sep + run) + sep + run == far)\n"
    "    if sep.trim(\"\\r\") == \"\\n\" { assert(equal(far.lines(), parts)) "
    "}\n"
    "    if sep.trim() != \"\" { continue }\n"
    "    assert(equal(far.fields(), [run, run, run]))\n"
    "    blanks := sep.repeat(16_384 + shift)\n"
    "    assert((blanks + run + blanks).trim() == run)\n"
    "    assert((blanks + far).trim_left(sep) == far)\n"
    "    assert(equal((blanks + far).fields(), [run, run, run]))\n"
    "    for word in (blanks + far + blanks).words() { assert(word == run) }\n"
    "    assert(equal(blanks.fields(), []) && equal(blanks.words(), []))\n"
    "  }\n"
    "  return shift\n"
    "}\n";

static void long_texts_are_as_short_ones(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle module = load(&host, checks);
  for (int shift = 0; shift < 5; shift += 2)
    assert_int_equal(call_int(&host, module, "check", shift), shift);
  close_stepped(&host);
}

static void parts_that_are_far_away(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle module = load(&host, far_parts);
  for (int shift = 0; shift < 5; shift++)
    assert_int_equal(call_int(&host, module, "check", shift), shift);
  close_stepped(&host);
}

// Of a list that others change meanwhile what is there is joined and sorted.
static void a_list_may_change_meanwhile(void **state) {
  (void)state;
  Host host;
  open_stepped(&host);
  CspHandle module = load(
      &host,
      "parts := []\nends := 0\ntext := \"\"\n"
      "func begin(n) {\n  parts = list(0..300_000).map(str)\n"
      "  ends = 0\n  go {\n    text = parts.join(\", \")\n    ends++\n  }\n"
      "  go {\n    if n == 0 { parts.clear() }\n"
      "    if n == 1 { for i in 300_000 { parts[i] = \"longer than ${i}\" } }\n"
      "    if n == 2 { for i in 300_000 { parts[i] = i } }\n"
      "    if n == 3 { parts.extend(parts) }\n    ends++\n  }\n"
      "  return n\n}\n"
      "func ended(n) => ends\n"
      "func check(n) {\n  assert(text == \"\" || text.has_prefix(\"0\") ||\n"
      "    text.has_prefix(\"longer\"))\n  return len(text)\n}\n");
  for (int n = 0; n < 4; n++) {
    assert_int_equal(call_int(&host, module, "begin", n), n);
    while (call_int(&host, module, "ended", 0) < 2)
      csp_step(host.csp, SHORT_STEP);
    assert_true(call_int(&host, module, "check", 0) >= 0);
  }
  close_stepped(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(others_run_between_pieces),
      cmocka_unit_test(one_that_is_left_in_the_middle_frees_all),
      cmocka_unit_test(a_limit_ends_them),
      cmocka_unit_test(long_texts_are_as_short_ones),
      cmocka_unit_test(parts_that_are_far_away),
      cmocka_unit_test(a_list_may_change_meanwhile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
