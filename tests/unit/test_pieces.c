// SPDX-License-Identifier: MIT
// What a native does between two looks, where the library's own steps do not
// tell: the memory that it takes from the system and gives back, which the
// system does in one step, and the values that it touches far from each other.
// So does a collection, whose markers need little memory for what is long.
#include <unistd.h>

#include "embed_fixture.h"
#include "vm/heap/work.h"
#include "vm/interp/native_call.h"
#include "vm/object/list.h"
#include "vm/runtime/runtime.h"

// --- A host's memory that counts --------------------------------------------
enum { BLOCK_MOST = 256 << 10, BETWEEN_MOST = 2 << 20 };

typedef struct Counts {
  size_t largest, all;   // bytes, of one block and of all that were given back
  size_t between, most;  // given back since the last look; the most
  int looks;
} Counts;

static Counts counts;

static void *count_alloc(void *arg, void *block, size_t old_size, size_t size) {
  (void)arg;
  if (size > counts.largest) counts.largest = size;
  if (size != 0) return realloc(block, size);
  counts.all += old_size;
  counts.between += old_size;
  if (counts.between > counts.most) counts.most = counts.between;
  free(block);
  return NULL;
}

static void open_counting(Host *host) {
  memset(host, 0, sizeof *host);
  pthread_mutex_init(&host->lock, NULL);
  CspConfig config;
  test_config(&config);
  config.stepped = true;
  config.debug = NULL;
  config.alloc = count_alloc;
  config.allowed = CSP_FILES | CSP_PROCESSES;
  config.write_out = take_out;
  config.write_err = take_err;
  config.write_arg = host;
  host->csp = csp_new(&config);
  assert_non_null(host->csp);
  csp_install_language(host->csp);
  assert_true(csp_install_library(host->csp));
}

#ifdef CSP_DEBUG
static void on_look(void) {
  counts.looks++;
  counts.between = 0;
}
static void watch_looks(bool on) { work_on_look = on ? on_look : NULL; }
#else
static void watch_looks(bool on) { (void)on; }
#endif

// What the call of `name` does is in counts.
static void count_call(Host *host, CspHandle module, const char *name,
                       int64_t expected) {
  counts = (Counts){0};
  watch_looks(true);
  assert_int_equal(call_int(host, module, name, 0), expected);
  watch_looks(false);
}

static void expect_looks(int least) {
#ifdef CSP_DEBUG
  assert_true(counts.looks >= least);
#else
  (void)least;
#endif
}

// --- Tests ------------------------------------------------------------------
// The texts share 7 bytes or more after what all begin with, so that a sort has
// to read them where their keys are equal.
static const char script[] =
    "import \"rand\"\n"
    "ints := []\ntexts := []\n"
    "for i in 200000 {\n"
    "  n := i * 7919 % 200003\n"
    "  ints.push(n)\n  texts.push(\"${n % 3}, the number ${n}\")\n}\n"
    "func in_order(list) {\n"
    "  for i in 1..len(list) { assert(list[i - 1] <= list[i]) }\n"
    "  return len(list)\n}\n"
    "func sort_ints(n) { ints.sort()\n  return 1 }\n"
    "func sort_texts(n) { texts.sort()\n  return 2 }\n"
    "func check(n) => in_order(ints) + in_order(texts)\n"
    "func shuffle(n) { rand.shuffle(ints)\n  return 3 }\n";

// 9.6 MB of memory, in blocks, some at a time.
static void expect_blocks(Host *host, CspHandle module, const char *name,
                          int64_t expected) {
  count_call(host, module, name, expected);
  assert_true(counts.largest <= BLOCK_MOST);
  assert_true(counts.all > 9 << 20);
#ifdef CSP_DEBUG
  assert_true(counts.most <= BETWEEN_MOST);
#endif
}

static void a_sort_gives_its_memory_back_in_pieces(void **state) {
  (void)state;
  Host host;
  open_counting(&host);
  CspHandle module = load(&host, script);
  expect_blocks(&host, module, "sort_ints", 1);
  expect_blocks(&host, module, "sort_texts", 2);
  assert_int_equal(call_int(&host, module, "check", 0), 400000);
  close_host(&host);
}

static void what_misses_the_caches_looks_more_often(void **state) {
  (void)state;
  Host host;
  open_counting(&host);
  CspHandle module = load(&host, script);
  count_call(&host, module, "shuffle", 3);
  expect_looks(300);
  count_call(&host, module, "sort_texts", 2);
  expect_looks(2000);
  close_host(&host);
}

// 4 MB each, some of it twice.
static void what_is_copied_looks(void **state) {
  (void)state;
  static const char *const copies[] = {
      "\"${text}!\"",         "\"${text}${1.5}\"",
      "str([text])",          "str(raw)",
      "os.clean_path(text)",  "os.base(text)",
      "os.dir(text + \"/\")", "[text, text].join(\"\")",
  };
  for (size_t n = 0; n < sizeof copies / sizeof *copies; n++) {
    char text[400];
    snprintf(text, sizeof text,
             "import \"os\"\ntext := \"x\".repeat(4 << 20)\n"
             "raw := bytes(text)\nfunc copied(n) {\n  x := %s\n"
             "  assert(len(x) >= 4 << 20)\n  return 4\n}\n",
             copies[n]);
    Host host;
    open_counting(&host);
    CspHandle module = load(&host, text);
    count_call(&host, module, "copied", 4);
    expect_looks(8);
    close_host(&host);
  }
}

// 24 MB, in pieces of 1.
static const char files_script[] =
    "import \"os\"\n"
    "path := os.join_path(os.temp_dir()?, \"file\")\n"
    "text := \"x\".repeat(24 << 20)\nraw := bytes(text)\n"
    "turns := 0\nduring := -1\n"
    "func read() { assert(os.read_file(path)? == text) }\n"
    "func read_bytes() { assert(os.read_bytes(path)? == raw) }\n"
    "func write() { assert(os.write_file(path, text) == nil) }\n"
    "func append() { assert(os.append_file(path, raw) == nil) }\n"
    "func copied() { assert(os.copy_file(path, \"/dev/null\") == nil) }\n"
    "func opened(f) {\n  file := os.open(path, \"r+\")?\n  f(file)\n"
    "  file.close()\n}\n"
    "func read_all(file) { assert(file.read_all()? == text) }\n"
    "func read_some(file) { assert(file.read_bytes(len(text))? == raw) }\n"
    "func read_line(file) { assert(file.read_line()? == text) }\n"
    "func write_all(file) { assert(file.write(text) == nil) }\n"
    "func write_raw(file) { assert(file.write(raw, \"\", \"\") == nil) }\n"
    "func run(input) {\n  r := os.run(\"cat\", stdin: input)?\n"
    "  assert(r.out == text)\n}\n"
    "func count(f) {\n  before := turns\n  f()\n"
    "  during = turns - before\n}\n"
    "func begin(n) {\n  during = -1\n"
    "  go count([write, read, read_bytes, func() => opened(read_all),\n"
    "    func() => opened(read_some), func() => opened(read_line),\n"
    "    func() => opened(write_all), append, copied,\n"
    "    func() => opened(write_raw), func() => run(text),\n"
    "    func() => run(raw)][n])\n  return n\n}\n"
    "func turns_of(n) => during\n"
    "func remove(n) {\n  assert(os.remove_all(os.dir(path)) == nil)\n"
    "  return n\n}\n"
    "go { for {\n  turns++\n  sleep(0)\n} }\n";

// Each step of the host lasts no longer than one piece of each of its
// calls: begin(n) starts one, and turns_of(0) says how many turns others had.
// What is long is in values, which max_memory counts, and not in a block.
static void others_run_between(const char *source, int calls, int turns,
                               size_t block, int looks) {
  Host host;
  open_counting(&host);
  CspHandle module = load(&host, source);
  watch_looks(true);
  for (int n = 0; n < calls; n++) {
    counts = (Counts){0};
    assert_int_equal(call_int(&host, module, "begin", n), n);
    int most_looks = 0, steps = 0;
    while (call_int(&host, module, "turns_of", 0) < 0) {
      counts.looks = 0;
      assert_true(++steps < 1 << 22);  // else it has panicked
      assert_int_equal(csp_step(host.csp, 1000), CSP_MORE);
      if (counts.looks > most_looks) most_looks = counts.looks;
    }
    int64_t took = call_int(&host, module, "turns_of", 0);
    if (most_looks > looks)
      fail_msg("call %d: %d looks in one step", n, most_looks);
    if (took < turns) fail_msg("call %d: %d turns of others", n, (int)took);
    if (counts.largest > block)
      fail_msg("call %d: a block of %zu bytes", n, counts.largest);
  }
  watch_looks(false);
  assert_int_equal(call_int(&host, module, "remove", 0), 0);
  close_host(&host);
}

static void others_run_between_pieces_of_a_file(void **state) {
  (void)state;
  others_run_between(files_script, 12, 20, BLOCK_MOST, 1 << 20);
}

// 24 MB in one part, and a part after it. The texts are made before.
static const char parts_script[] =
    "import \"strings\"\n"
    "x := \"x\".repeat(24 << 20)\nlong := \"-\".repeat(300)\n"
    "comma, colons, far := x + \",y\", x + \"::y\", x + long + \"y\"\n"
    "space, line := x + \" y\", x + \"\\ny\"\n"
    "turns := 0\nduring := -1\nparts := []\n"
    "func loop() {\n"
    "  list := []\n  for part in comma.split(\",\") { list.push(part) }\n"
    "  return list\n}\n"
    "func count(f) {\n  before := turns\n  parts = f()\n"
    "  during = turns - before\n}\n"
    "func begin(n) {\n  during = -1\n  go count(calls[n])\n  return n\n}\n"
    "func turns_of(n) {\n"
    "  assert(during < 0 || len(parts[0]) == len(x) && parts[1] == \"y\")\n"
    "  return during\n}\n"
    "func remove(n) => 0\n"
    "go { for {\n  turns++\n  sleep(0)\n} }\n"
    "calls := [func() => comma.split(\",\"), func() => colons.split(\"::\"),\n"
    "  func() => far.split(long), func() => strings.split_n(comma, \",\", 3),\n"
    "  func() => strings.split_n(comma, \",\", 2), func() => space.fields(),\n"
    "  func() => line.lines(), func() => strings.words(space), loop]\n";

static void others_run_between_pieces_of_a_part(void **state) {
  (void)state;
  others_run_between(parts_script, 9, 20, SIZE_MAX, 16);
}

// Long texts that are read. Each of them is one cell, one row's names, one
// string or one key.
static const char texts_script[] =
    "import \"csv\"\nimport \"json\"\nimport \"text\"\n"
    "x := \"x\".repeat(4 << 20)\nlines := \"abcdefg\\n\".repeat(400000)\n"
    "cell, open := \"\\\"${lines}\\\"\", \"\\\"${lines}\\\"!\"\n"
    "quotes := \"\\\"\" + \"\\\"\\\"\".repeat(1 << 20) + \"\\\"\"\n"
    "names := list(0..100000).map(func(i) => \"n${i}\").join(\",\")\n"
    "plain := bytes(\"\\\"${x}\\\"\")\n"
    "escapes := bytes(\"[\\\"\" + \"\\\\u00e9\".repeat(700000) + \"\\\"]\")\n"
    "key := bytes(\"{\\\"\" + \"\\\\n\".repeat(1 << 19) + \"\\\": 1}\")\n"
    "word, half := \"x\".repeat(900000), \"x\".repeat(400000)\n"
    "blanks := \" \".repeat(900000) + \"x\"\n"
    "turns := 0\nduring := -1\n"
    "func count(f) {\n  before := turns\n  f()\n  during = turns - before\n}\n"
    "func begin(n) {\n  during = -1\n  go count(calls[n])\n  return n\n}\n"
    "func turns_of(n) => during\n"
    "func remove(n) => 0\n"
    "go { for {\n  turns++\n  sleep(0)\n} }\n"
    "func size(rows) => len(rows[0][0])\n"
    "calls := [func() { assert(size(csv.parse(x)?) == 4 << 20) },\n"
    "  func() { assert(size(csv.parse(quotes)?) == 1 << 20) },\n"
    "  func() { assert(size(csv.parse(cell)?) == 3200000) },\n"
    "  func() {\n    _, err := csv.parse(open)\n    assert(err != nil)\n  },\n"
    "  func() { assert(len(csv.parse(names, header: true)?) == 0) "
    "},\n"
    "  func() { assert(len(json.parse(plain)?) == 4 << 20) },\n"
    "  func() { assert(len(json.parse(escapes)?[0]) == 1400000) },\n"
    "  func() { assert(len(json.parse(key)?) == 1) },\n"
    "  func() { assert(text.wrap(word, 400000).has_prefix(half)) },\n"
    "  func() { assert(text.dedent(blanks) == \"x\") }]\n";

static void others_run_between_pieces_of_a_text(void **state) {
  (void)state;
  others_run_between(texts_script, 10, 10, SIZE_MAX, 16);
}

static const char folder_script[] =
    "import \"os\"\n"
    "dir := os.temp_dir()?\n"
    "for i in 6000 { os.write_file(\"${dir}/${i}\" + \"a\".repeat(99), \"\") "
    "}\n"
    "turns := 0\nduring := -1\n"
    "func list() { assert(len(os.list_dir(dir)?) == 6000) }\n"
    "func match() { assert(len(os.glob(dir + \"/*a*a*\")?) == 6000) }\n"
    "func match_none() { assert(len(os.glob(dir + \"/*a*[b]\")?) == 0) }\n"
    "func walk() { assert(len(os.walk(dir)?) == 6001) }\n"
    "func count(f) {\n  before := turns\n  f()\n"
    "  during = turns - before\n}\n"
    "func begin(n) {\n  during = -1\n"
    "  go count([list, match, match_none, walk][n])\n  return n\n}\n"
    "func turns_of(n) => during\n"
    "func remove(n) {\n  assert(os.remove_all(dir) == nil)\n  return n\n}\n"
    "go { for {\n  turns++\n  sleep(0)\n} }\n";

static void others_run_between_pieces_of_a_folder(void **state) {
  (void)state;
  others_run_between(folder_script, 4, 4, SIZE_MAX, 1 << 20);
}

static const char dump_script[] =
    "import \"sched\"\n"
    "c := chan()\n"
    "turns := 0\nduring := -1\n"
    "for i in 20000 { go { <-c } }\n"
    "func begin(n) {\n  during = -1\n"
    "  go {\n    before := turns\n    text := sched.dump()\n"
    "    during = turns - before\n"
    "    assert(text.contains(\"\\n20000 goroutines [chan receive]: \"))\n"
    "  }\n  return n\n}\n"
    "func turns_of(n) => during\n"
    "func remove(n) {\n  close(c)\n  return n\n}\n"
    "go { for {\n  turns++\n  sleep(0)\n} }\n";

static void others_run_between_pieces_of_a_dump(void **state) {
  (void)state;
  others_run_between(dump_script, 1, 4, SIZE_MAX, 1 << 20);
}

// Markers note what is left of a list or a channel, not all its values (some
// MB here).
static void what_is_long_is_marked_in_pieces(void **state) {
  (void)state;
  static const char *const longs[] = {
      "for i in 400000 { values.push([i]) }",
      "c := chan(grow: 1000000)\nfor i in 400000 { c <- [i] }\n"
      "values.push(c)",
  };
  for (size_t n = 0; n < sizeof longs / sizeof *longs; n++) {
    char text[400];
    snprintf(text, sizeof text,
             "import \"sched\"\nvalues := []\n%s\n"
             "func collect(n) {\n  sched.gc()\n  return 5\n}\n",
             longs[n]);
    Host host;
    open_counting(&host);
    CspHandle module = load(&host, text);
    count_call(&host, module, "collect", 5);
    assert_true(counts.all < 1 << 20);
    close_host(&host);
  }
}

// Whether the mapping with that address has the flag, of /proc/self/smaps.
static bool mapping_has(const void *address, const char *flag) {
  FILE *maps = fopen("/proc/self/smaps", "r");
  char line[512], *flags = NULL;
  assert_non_null(maps);
  bool inside = false;
  while (flags == NULL && fgets(line, sizeof line, maps) != NULL) {
    unsigned long from, to, at = (unsigned long)(uintptr_t)address;
    if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
      inside = from <= at && at < to;
    else if (inside && strncmp(line, "VmFlags:", 8) == 0)
      flags = line;
  }
  fclose(maps);
  return flags != NULL && strstr(flags, flag) != NULL;
}

// The system clears a big page in one step.
static void a_stepped_heap_has_small_pages(void **state) {
  (void)state;
  if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0) skip();
  Host host;
  open_counting(&host);
  CspCall *call = csp_host(host.csp);
  CspValue large = csp_list(call, 1 << 20);
  assert_true(mapping_has(list_block((ObjList *)value_obj(large.word)), " nh"));
  CspValue small = csp_list(call, 1);
  assert_true(mapping_has((void *)value_obj(small.word), " nh"));
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sort_gives_its_memory_back_in_pieces),
      cmocka_unit_test(what_misses_the_caches_looks_more_often),
      cmocka_unit_test(what_is_copied_looks),
      cmocka_unit_test(others_run_between_pieces_of_a_file),
      cmocka_unit_test(others_run_between_pieces_of_a_part),
      cmocka_unit_test(others_run_between_pieces_of_a_text),
      cmocka_unit_test(others_run_between_pieces_of_a_folder),
      cmocka_unit_test(others_run_between_pieces_of_a_dump),
      cmocka_unit_test(what_is_long_is_marked_in_pieces),
      cmocka_unit_test(a_stepped_heap_has_small_pages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
