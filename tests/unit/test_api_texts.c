// SPDX-License-Identifier: MIT
// csp.h's functions for texts, lists and folders that natives of the library
// call, by what csp.h promises a host's own natives.
#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stepped_fixture.h"

static CspHandle script;

static const char text[] =
    "struct Plain { x }\n"
    "struct Shown { x }\n"
    "func (s Shown) string() => \"shown\"\n"
    "func values() { m := {a: 1}; return [1, \"two\", 3.5, nil], [], m,"
    " [[Plain(1)]], [[Shown(1)]], \"x\\n\" }\n";

static CspValue few, none, map, plain, shown, quoted;

static int open_it(void **state) {
  CspResult result;
  open_stepped(state);
  script = load(&host, text);
  csp_call(call, member(&host, script, "values"), 0, NULL, &result);
  assert_int_equal(result.end, CSP_DONE);
  assert_int_equal(result.count, 6);
  for (int i = 0; i < 6; i++) csp_hold(call, result.values[i]);
  few = result.values[0];
  none = result.values[1];
  map = result.values[2];
  plain = result.values[3];
  shown = result.values[4];
  quoted = result.values[5];
  return 0;
}

// --- Texts ------------------------------------------------------------------
static int64_t first_of(const char *s, const char *part) {
  return csp_find(call, s, strlen(s), part, strlen(part));
}

static int64_t last_of(const char *s, const char *part) {
  return csp_find_last(call, s, strlen(s), part, strlen(part));
}

static void a_text_is_found_from_both_ends(void **state) {
  (void)state;
  assert_int_equal(first_of("abcabc", "bc"), 1);
  assert_int_equal(last_of("abcabc", "bc"), 4);
  assert_int_equal(first_of("aaaa", "aa"), 0);
  assert_int_equal(last_of("aaaa", "aa"), 2);
  assert_int_equal(first_of("abc", "abc"), 0);
  assert_int_equal(last_of("abc", "abc"), 0);
  assert_int_equal(first_of("abc", "abcd"), CSP_NOWHERE);
  assert_int_equal(last_of("abc", "abcd"), CSP_NOWHERE);
  assert_int_equal(first_of("abc", "x"), CSP_NOWHERE);
  assert_int_equal(last_of("", "x"), CSP_NOWHERE);
  assert_int_equal(first_of("abc", ""), 0);
  assert_int_equal(last_of("abc", ""), 3);
  assert_int_equal(csp_find(call, "a\0b\0c", 5, "\0", 1), 1);
  assert_int_equal(csp_find_last(call, "a\0b\0c", 5, "\0", 1), 3);
}

static void a_float_is_a_whole_number_or_refused(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int error;
    double value;
  } cases[] = {
      {"-2.5", 0, -2.5},
      {"1e3", 0, 1000},
      {"+.5", 0, 0.5},
      {"5.", 0, 5},
      {"", EINVAL, 0},
      {"-", EINVAL, 0},
      {".", EINVAL, 0},
      {"1.2.3", EINVAL, 0},
      {" 1", EINVAL, 0},
      {"1 ", EINVAL, 0},
      {"1e", EINVAL, 0},
      {"0x10", EINVAL, 0},
      {"1,5", EINVAL, 0},
      {"nan", EINVAL, 0},
      {"inf", EINVAL, 0},
      {"1e-400", 0, 0},
      {"1e400", ERANGE, INFINITY},
      {"-1e400", ERANGE, -INFINITY},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double d = 77;
    int error = csp_parse_float(call, cases[i].text, strlen(cases[i].text), &d);
    if (error != cases[i].error) print_error("%s\n", cases[i].text);
    assert_int_equal(error, cases[i].error);
    if (error != EINVAL) assert_true(d == cases[i].value);
  }
}

static void floats_are_text_that_reads_back(void **state) {
  (void)state;
  char digits[32];
  double d;
  assert_int_equal(csp_format_float(-0.1, digits), 4);
  assert_string_equal(digits, "-0.1");
  int len = csp_format_float(-2.2250738585072014e-308, digits);
  assert_int_equal(csp_parse_float(call, digits, (size_t)len, &d), 0);
  assert_true(d == -2.2250738585072014e-308);
}

static void a_duration_is_a_number_of_seconds(void **state) {
  (void)state;
  char seconds[32];
  assert_int_equal(csp_format_seconds(1500000000, seconds), 4);
  assert_string_equal(seconds, "1.5s");
  csp_format_seconds(60000000000, seconds);
  assert_string_equal(seconds, "60s");
  csp_format_seconds(1, seconds);
  assert_string_equal(seconds, "1e-09s");
}

static void string_methods_are_found_inside(void **state) {
  (void)state;
  assert_false(csp_needs_call(few));
  assert_false(csp_needs_call(plain));
  assert_true(csp_needs_call(shown));
  assert_false(csp_needs_call_on(call, plain));
  assert_true(csp_needs_call_on(call, shown));
}

static void formatted(CspValue v, bool in_quotes, const char *wanted) {
  size_t len;
  char *s = csp_alloc_format(call, v, in_quotes, &len);
  assert_non_null(s);
  assert_int_equal(len, strlen(wanted));
  assert_memory_equal(s, wanted, len);
  csp_alloc_free(s);
}

static void a_value_is_formatted_in_the_runtimes_memory(void **state) {
  (void)state;
  formatted(few, false, "[1, \"two\", 3.5, nil]");
  formatted(none, false, "[]");
  formatted(quoted, false, "x\n");
  formatted(quoted, true, "\"x\\n\"");
}

// --- A call that is to end --------------------------------------------------
// Each native goes on until the function that it calls has given up.
enum { LONG = 1 << 20 };
static char many[LONG];

static CspStatus finds(CspCall *inner) {
  while (csp_find(inner, many, LONG, "ab", 2) != CSP_GIVEN_UP) {
  }
  return CSP_PANIC;
}

static CspStatus finds_last(CspCall *inner) {
  while (csp_find_last(inner, many, LONG, "ba", 2) != CSP_GIVEN_UP) {
  }
  return CSP_PANIC;
}

static CspStatus parses(CspCall *inner) {
  double d;
  memset(many, '1', LONG);
  while (csp_parse_float(inner, many, LONG, &d) != ECANCELED) {
  }
  return CSP_PANIC;
}

static void what_is_to_end_is_given_up(void **state) {
  (void)state;
  static const CspFunction functions[] = {{"finds", "", finds},
                                          {"finds_last", "", finds_last},
                                          {"parses", "", parses},
                                          {NULL, NULL, NULL}};
  Host own;
  memset(many, 'a', LONG);
  open_host(&own, STEPPED);
  assert_true(csp_register_builtins(own.csp, functions));
  for (int i = 0; i < 3; i++) {
    CspCall *now = csp_host(own.csp);
    CspResult result;
    csp_limit_time(own.csp, 5 * 1000 * 1000);
    csp_call(now, csp_builtin(now, functions[i].name), 0, NULL, &result);
    assert_int_equal(result.end, CSP_INTERRUPTED);
    assert_non_null(strstr(result.message, "interrupted"));
    csp_result_free(&result);
    csp_limit_time(own.csp, 0);
  }
  close_host(&own);
}

// --- Lists and maps ---------------------------------------------------------
static void lists_exchange_all_they_have(void **state) {
  (void)state;
  csp_list_swap(call, few, none);
  assert_int_equal(csp_list_len(few), 0);
  assert_int_equal(csp_list_len(none), 4);
  assert_int_equal(csp_to_int(csp_list_get(none, 0)), 1);
  csp_list_swap(call, none, none);
  assert_int_equal(csp_list_len(none), 4);
  assert_int_equal(csp_to_int(csp_list_get(none, 0)), 1);
}

static void an_element_is_found_up_to_the_end(void **state) {
  (void)state;
  size_t at = 0;
  assert_true(csp_list_find(call, few, csp_string(call, "two", 3), &at, 4));
  assert_int_equal(at, 1);
  at = 2;
  assert_false(csp_list_find(call, few, csp_string(call, "two", 3), &at, 4));
  assert_int_equal(at, 4);
  at = 0;
  assert_false(csp_list_find(call, few, csp_float(call, 3.5), &at, 2));
  assert_int_equal(at, 2);
  at = 0;
  assert_true(csp_list_find(call, few, csp_float(call, 1), &at, 4));  // by ==
  assert_int_equal(at, 0);
  at = 0;
  assert_false(csp_list_find(call, none, csp_nil(), &at, 0));
  assert_int_equal(at, 0);
}

static void elements_are_removed_from_any_place(void **state) {
  (void)state;
  csp_list_remove(call, few, 1, 2);
  assert_int_equal(csp_list_len(few), 2);
  assert_int_equal(csp_to_int(csp_list_get(few, 0)), 1);
  assert_int_equal(csp_type(csp_list_get(few, 1)), CSP_NIL);
  csp_list_remove(call, few, 1, 0);
  assert_int_equal(csp_list_len(few), 2);
  csp_list_remove(call, few, 0, 2);
  assert_int_equal(csp_list_len(few), 0);
}

static void a_map_is_cleared_and_used_again(void **state) {
  (void)state;
  CspValue v;
  assert_true(csp_map_clear(call, map));
  assert_int_equal(csp_map_len(map), 0);
  assert_false(csp_map_get_name(call, map, "a", &v));
  assert_true(csp_map_set_name(call, map, "a", csp_int(call, 2)));
  assert_true(csp_map_get_name(call, map, "a", &v));
  assert_int_equal(csp_to_int(v), 2);
}

// --- Folders ----------------------------------------------------------------
static void without_a_root_the_folder_is_the_process_s(void **state) {
  (void)state;
  char *before = csp_working_folder(host.csp);
  assert_non_null(before);
  assert_false(csp_has_root(host.csp));
  assert_int_equal(csp_change_folder(host.csp, "/usr/.."), 0);
  char here[8], *path = csp_alloc_real_path(host.csp, "usr/./bin/..");
  assert_string_equal(getcwd(here, sizeof here), "/");
  assert_string_equal(path, "/usr");
  csp_alloc_free(path);
  assert_int_equal(csp_change_folder(host.csp, "/no/such/folder"), -1);
  assert_int_equal(errno, ENOENT);
  assert_null(csp_alloc_real_path(host.csp, "no-such-name"));
  assert_int_equal(errno, ENOENT);
  assert_int_equal(csp_change_folder(host.csp, before), 0);
  free(before);
}

static void with_a_root_it_is_the_runtimes(void **state) {
  (void)state;
  CspConfig config;
  char root[] = "/tmp/csp-folder-XXXXXX", before[4096], after[4096];
  char *start = csp_working_folder(host.csp);
  assert_non_null(mkdtemp(root));
  assert_int_equal(chdir(root), 0);
  assert_int_equal(mkdir("a", 0755), 0);
  assert_int_equal(mkdir("a/b", 0755), 0);
  assert_int_equal(symlink("/a", "link"), 0);
  assert_int_equal(symlink("/usr", "out"), 0);
  assert_non_null(getcwd(before, sizeof before));
  test_config(&config);
  config.allowed = CSP_FILES;
  config.root = root;
  Csp *own = csp_new(&config);
  assert_non_null(own);
  assert_true(csp_has_root(own));
  assert_int_equal(csp_change_folder(own, "link/b/.."), 0);
  char *folder = csp_alloc_folder(own);
  assert_string_equal(folder, "/a");
  csp_alloc_free(folder);
  char *path = csp_alloc_real_path(own, "../../../link/./b");
  assert_string_equal(path, "/a/b");
  csp_alloc_free(path);
  assert_int_equal(csp_change_folder(own, "/out"), -1);
  assert_int_equal(errno, ENOENT);
  assert_null(csp_alloc_real_path(own, "/out/bin"));
  assert_int_equal(errno, ENOENT);
  assert_string_equal(getcwd(after, sizeof after), before);
  csp_free(own);
  assert_true(unlink("out") == 0 && unlink("link") == 0);
  assert_true(rmdir("a/b") == 0 && rmdir("a") == 0 && rmdir(root) == 0);
  assert_int_equal(chdir(start), 0);
  free(start);
}

// --- A wait that is ended ---------------------------------------------------
static int ends[2];  // of a pipe into which nobody writes
static CspWait wait;
static int tries;

static void try_to_read(void *data) {
  (void)data;
  tries++;
}

static CspStatus over(CspCall *inner, void *data, bool made) {
  (void)data;
  return csp_ok_bool(inner, made);
}

static CspStatus waits(CspCall *inner) {
  wait.fd = ends[0];
  return csp_block_fd(inner, &wait, try_to_read, over, NULL);
}

static CspStatus ends_it(CspCall *inner) {
  csp_wait_end(inner, &wait);
  return csp_ok_nothing(inner);
}

static void run_waits(const CspFunction *functions, const char *source) {
  for (int procs = STEPPED; procs <= 2; procs++) {
    if (procs == 0) continue;
    Host own;
    assert_int_equal(pipe(ends), 0);
    tries = 0;
    wait = (CspWait){0};
    open_host(&own, procs);
    assert_true(csp_register_builtins(own.csp, functions));
    assert_int_equal(run(&own, source), 0);
    assert_string_equal(own.out, "true\n");
    assert_int_equal(tries, 1);
    close_host(&own);
    close(ends[0]);
    close(ends[1]);
  }
}

static void a_wait_that_is_ended_goes_on_to_work(void **state) {
  (void)state;
  static const CspFunction functions[] = {
      {"waits", "", waits}, {"ends_it", "", ends_it}, {NULL, NULL, NULL}};
  static const char ended[] =
      "done := chan(1)\n"
      "func end() {\n"
      "  for {\n"
      "    ends_it()\n"
      "    select {\n"
      "    case made := <-done:\n      return made\n"
      "    case <-after(1ms):\n"
      "    }\n"
      "  }\n"
      "}\n"
      "go { done <- waits() }\n"
      "println(end())\n";
  run_waits(functions, ended);
}

static void a_wait_that_is_ended_before_it_begins_goes_on_to_work(
    void **state) {
  (void)state;
  static const CspFunction functions[] = {
      {"waits", "", waits}, {"ends_it", "", ends_it}, {NULL, NULL, NULL}};
  run_waits(functions, "ends_it()\nends_it()\nprintln(waits())\n");
}

#define WITH_HOST(test) \
  cmocka_unit_test_setup_teardown(test, open_it, close_stepped)

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH_HOST(a_text_is_found_from_both_ends),
      WITH_HOST(a_float_is_a_whole_number_or_refused),
      WITH_HOST(floats_are_text_that_reads_back),
      WITH_HOST(a_duration_is_a_number_of_seconds),
      WITH_HOST(string_methods_are_found_inside),
      WITH_HOST(a_value_is_formatted_in_the_runtimes_memory),
      cmocka_unit_test(what_is_to_end_is_given_up),
      WITH_HOST(lists_exchange_all_they_have),
      WITH_HOST(an_element_is_found_up_to_the_end),
      WITH_HOST(elements_are_removed_from_any_place),
      WITH_HOST(a_map_is_cleared_and_used_again),
      WITH_HOST(without_a_root_the_folder_is_the_process_s),
      WITH_HOST(with_a_root_it_is_the_runtimes),
      cmocka_unit_test(a_wait_that_is_ended_goes_on_to_work),
      cmocka_unit_test(a_wait_that_is_ended_before_it_begins_goes_on_to_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
