// SPDX-License-Identifier: MIT
// Collections for which the host's allocator has no memory: marking has one
// segment a marker, and finds all the same what a root leads to. What is
// collected by mistake is overwritten by strings of X.
#include "stepped_fixture.h"

static bool refused;

static void *allocate(void *arg, void *block, size_t old, size_t size) {
  (void)arg, (void)old;
  if (size == 0) {
    free(block);
    return NULL;
  }
  return refused ? NULL : realloc(block, size);
}

static int open_it(void **state) {
  (void)state;
  CspConfig config;
  test_config(&config);
  config.stepped = true;
  config.alloc = allocate;
  config.debug = NULL;  // it collects when this test says so
  open_configured(&host, &config);
  call = csp_host(host.csp);
  return 0;
}

static void collect_without_memory(void) {
  csp_collect(call);
  refused = true;
  csp_collect(call);
  refused = false;
  for (int i = 0; i < 50000; i++)
    csp_string(call, "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", 30);
}

static void what_the_host_holds_stays(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  static CspHandle handles[COUNT];
  char text[40];
  for (int i = 0; i < COUNT; i++) {
    int len = snprintf(text, sizeof text, "held value number %d", i);
    handles[i] = csp_hold(call, csp_string(call, text, (size_t)len));
    assert_int_not_equal(handles[i], 0);
  }
  collect_without_memory();
  for (int i = 0; i < COUNT; i++) {
    snprintf(text, sizeof text, "held value number %d", i);
    assert_string_equal(csp_to_string(csp_held(call, handles[i]), NULL), text);
    csp_release(host.csp, handles[i]);
  }
}

// Wide and deep: lists of lists, maps, closures, goroutines that wait.
static void what_a_script_reaches_stays(void **state) {
  (void)state;
  CspHandle module = load(
      &host,
      "import \"strings\"\n"
      "wide := list(0..3000).map(func(i) => ['a', [\"wide ${i}\"]])\n"
      "func nest(n, of) { l := []\n"
      "  for i in 6 { l.push(if_deep(n, i, of)) }\n  return l }\n"
      "func if_deep(n, i, of) {\n"
      "  if n > 0 { return nest(n - 1, \"${of}.${i}\") }\n"
      "  return \"${of}.${i}\" }\n"
      "tree := nest(5, \"t\")\n"
      "table := map()\n"
      "for i in 5000 { table[\"key ${i}\"] = func() => \"made ${i}\" }\n"
      "ask := chan()\n"
      "for i in 2000 { go { mine := \"own ${i}\"\n"
      "  <-ask\n  assert(mine == \"own ${i}\") } }\n"
      "func leaves(l, of) {\n  n := 0\n"
      "  for i, x in l {\n"
      "    if x is string { assert(x == \"${of}.${i}\")\n n++\n"
      "    } else { n += leaves(x, \"${of}.${i}\") }\n  }\n  return n\n}\n"
      "func count(n) {\n"
      "  for i, x in wide { assert(x[1][0] == \"wide ${i}\") }\n"
      "  for i in 5000 { assert(table[\"key ${i}\"]() == \"made ${i}\") }\n"
      "  close(ask)\n"
      "  return n + leaves(tree, \"t\")\n}\n");
  csp_step(host.csp, -1);
  collect_without_memory();
  assert_int_equal(call_int(&host, module, "count", 1),
                   1 + 6 * 6 * 6 * 6 * 6 * 6);
  csp_step(host.csp, -1);
  assert_string_equal(host.err, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_the_host_holds_stays),
      cmocka_unit_test(what_a_script_reaches_stays),
  };
  return cmocka_run_group_tests(tests, open_it, close_stepped);
}
