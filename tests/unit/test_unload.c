// SPDX-License-Identifier: MIT
// Code that a host has loaded goes when nothing holds it any more
// (vm/heap/unit.c): any number of loads takes bounded memory. What is held in
// any way stays.
#include <stdatomic.h>

#include "embed_fixture.h"
#include "vm/heap/local.h"
#include "vm/interp/native_call.h"
#include "vm/runtime/runtime.h"

static void collect(Host *host) {
  for (int n = 0; n < 2; n++) csp_collect(csp_host(host->csp));
}

typedef struct Kept {
  int units;
  uint32_t names;
} Kept;

static Kept kept(Host *host) {
  collect(host);
  const Vm *vm = csp_vm(host->csp);
  Kept k = {0, vm->names_count};
  for (const CodeUnit *u = vm->units; u != NULL; u = u->next) k.units++;
  return k;
}

static void open_poisoned(Host *host) {
  open_host(host, STEPPED);
  heap_set_stress(csp_vm(host->csp)->heap, false, true);
}

// --- What goes --------------------------------------------------------------
static const char some_code[] =
    "import \"strings\"\n"
    "struct Point%d { x = 0, y%d = 0 }\n"
    "func (p Point%d) sum() => p.x + p.y%d\n"
    "limit%d := 3\n"
    "func join%d(a, parts%d...) { return strings.join(parts%d, a) }\n"
    "func counter%d() {\n  n := limit%d\n  return func() { n++; return n }\n}\n"
    "p := Point%d(1, y%d: 2)\n"
    "assert(p.sum() == 3 && counter%d()() == 4)\n"
    "assert(join%d(\",\", \"a\", \"b\") == \"a,b\")\n";

static void load_one(Host *host, int n) {
  char text[2048];
  snprintf(text, sizeof text, some_code, n, n, n, n, n, n, n, n, n, n, n, n, n,
           n);
  csp_release(host->csp, load(host, text));
}

static void what_nothing_holds_is_freed(void **state) {
  (void)state;
  Host host;
  open_poisoned(&host);
  load_one(&host, 0);
  Kept before = kept(&host);
  for (int n = 1; n < 500; n++) load_one(&host, n);
  Kept after = kept(&host);
  assert_int_equal(after.units, before.units);
  assert_int_equal(after.names, before.names);
  close_host(&host);
}

static void what_does_not_compile_is_freed(void **state) {
  (void)state;
  Host host;
  open_poisoned(&host);
  Kept before = kept(&host);
  for (int n = 0; n < 200; n++) {
    char text[128];
    snprintf(text, sizeof text, "func f%d() { return g%d }\nx := (1 +\n", n, n);
    CspResult result;
    CspCall *call = csp_host(host.csp);
    csp_load(call, "bad.csp", text, strlen(text), &result);
    assert_int_equal(result.end, CSP_BAD_SCRIPT);
    csp_result_free(&result);
    char *messages;
    assert_true(csp_check(host.csp, "x.csp", "func f() { }\n", 13, &messages));
    free(messages);
  }
  Kept after = kept(&host);
  assert_int_equal(after.units, before.units);
  assert_int_equal(after.names, before.names);
  close_host(&host);
}

// --- What stays -------------------------------------------------------------
// The value of `keep` is all that is held of the script.
static CspHandle keep_only(Host *host, const char *text) {
  CspHandle module = load(host, text);
  CspCall *call = csp_host(host->csp);
  CspHandle kept_value = csp_hold(call, member(host, module, "keep"));
  csp_release(host->csp, module);
  for (int n = 0; n < 20; n++) load_one(host, n);
  collect(host);
  return kept_value;
}

// Calls it, and gives what that gives as an int.
static int64_t call_kept(Host *host, CspHandle value) {
  CspCall *call = csp_host(host->csp);
  CspResult result;
  csp_call(call, csp_held(call, value), 0, NULL, &result);
  if (result.message != NULL) print_error("%s", result.message);
  assert_int_equal(result.end, CSP_DONE);
  return csp_to_int(result.values[0]);
}

static void what_is_held_stays(void **state) {
  (void)state;
  static const char *const scripts[] = {
      // a function that nothing else names
      "func other() => 40\nfunc keep() => other() + 2\n",
      "n := 41\nkeep := func() { n++; return n }\n",
      // one in data
      "keep := [func() => 42][0]\n",
      // of a struct, by an instance in a closure
      "struct P { x = 1 }\nfunc (p P) get() => p.x + 41\n"
      "func make() { p := P()\n  return func() => p.get() }\nkeep := make()\n",
      "struct P { x = 1 }\nfunc (p P) get() => p.x + 41\nkeep := P().get\n",
      // a constructor
      "struct P { x = 42 }\n"
      "func make() { type := P\n  return func() => type().x }\nkeep := "
      "make()\n",
      // a goroutine that waits in it
      "c := chan()\nt := go func() { return <-c + 2 }()\n"
      "func make(c, t) => func() { c <- 40\n  return <-t }\n"
      "keep := make(c, t)\n",
      // a panic that nobody has seen yet, with its trace
      "func bad() { panic(\"late\") }\n"
      "func make() { t := go bad()\n  return func() {\n"
      "    _, err := try(func() => <-t)\n"
      "    if str(err) != \"late\" { return 0 }\n    return 42\n  }\n}\nkeep "
      ":= make()\n",
  };
  for (size_t n = 0; n < sizeof scripts / sizeof *scripts; n++) {
    Host host;
    open_poisoned(&host);
    CspHandle keep = keep_only(&host, scripts[n]);
    while (csp_step(host.csp, -1) == CSP_MORE) {
    }
    collect(&host);
    assert_int_equal(call_kept(&host, keep), 42);
    csp_release(host.csp, keep);
    collect(&host);
    close_host(&host);
  }
}

// Code that nothing holds but what runs and waits in it.
static void what_runs_stays(void **state) {
  (void)state;
  Host host;
  open_poisoned(&host);
  CspHandle m = load(&host,
                     "func deep(n) {\n  defer println(\"left\", n)\n"
                     "  if n > 0 { return deep(n - 1) }\n  sleep(1ms)\n"
                     "  return [1][n + 7]\n}\n"
                     "go { deep(2) }\n");
  csp_release(host.csp, m);
  csp_step(host.csp, -1);
  for (int n = 0; n < 20; n++) load_one(&host, n);
  collect(&host);
  char *dump = csp_dump_goroutines(host.csp);
  assert_non_null(dump);
  assert_non_null(strstr(dump, "deep at host.csp:4"));
  free(dump);
  while (csp_next(host.csp) >= 0) csp_step(host.csp, 1000000);
  assert_string_equal(host.out, "left 0\nleft 1\nleft 2\n");
  assert_non_null(strstr(host.err, "deep at host.csp:5"));
  close_host(&host);
}

// An error names functions that nothing else holds.
static void what_an_error_names_stays(void **state) {
  (void)state;
  Host host;
  open_poisoned(&host);
  CspHandle keep =
      keep_only(&host,
                "func made() { return error(\"e\") }\n"
                "func passed() {\n  v := made()?\n  return v, nil\n}\n"
                "func last(v, err) => err\nkeep := last(passed())\n");
  CspCall *call = csp_host(host.csp);
  CspValue trace = csp_error_trace(call, csp_held(call, keep));
  assert_int_equal(csp_list_len(trace), 2);
  assert_string_equal(csp_to_string(csp_list_get(trace, 0), NULL),
                      "made at host.csp:1:27");
  assert_string_equal(csp_to_string(csp_list_get(trace, 1), NULL),
                      "passed at host.csp:3:14");
  Kept before = kept(&host);
  csp_release(host.csp, keep);
  assert_int_equal(kept(&host).units, before.units - 1);
  close_host(&host);
}

// --- The limit on memory ----------------------------------------------------
// What the host's allocator holds.
static void *count_held(void *arg, void *block, size_t old_size,
                        size_t new_size) {
  atomic_llong *held = arg;
  void *got = NULL;
  if (new_size == 0) {
    free(block);
  } else {
    got = realloc(block, new_size);
    if (got == NULL) return NULL;
  }
  atomic_fetch_add(held, (long long)new_size - (long long)old_size);
  return got;
}

static void loaded_code_counts_as_memory(void **state) {
  (void)state;
  enum { MOST = 20000, MEMORY = 4 << 20 };
  Host host;
  CspConfig config;
  atomic_llong held = 0;
  test_config(&config);
  config.debug = NULL;
  config.stepped = true;
  config.max_memory = MEMORY;
  config.alloc = count_held;
  config.alloc_arg = &held;
  open_configured(&host, &config);
  long long before = held;
  CspHandle *modules = calloc(MOST, sizeof *modules);
  int count = 0;
  for (int round = 0; round < 2; round++) {
    CspResult result = {.end = CSP_DONE};
    for (count = 0; count < MOST && result.end == CSP_DONE; count++) {
      char text[2048];
      snprintf(text, sizeof text, some_code, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
               1, 1);
      CspCall *call = csp_host(host.csp);
      csp_load(call, "x.csp", text, strlen(text), &result);
      if (result.end == CSP_DONE)
        modules[count] = csp_hold(call, result.values[0]);
    }
    assert_true(count > 100 && count < MOST);
    // The host's handles and the table of names are not counted.
    assert_in_range(held - before, 0, MEMORY + MEMORY / 4);
    assert_non_null(strstr(result.message, "out of memory"));
    csp_result_free(&result);
    for (int n = 0; n < count; n++) csp_release(host.csp, modules[n]);
  }
  free(modules);
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_nothing_holds_is_freed),
      cmocka_unit_test(what_does_not_compile_is_freed),
      cmocka_unit_test(what_is_held_stays),
      cmocka_unit_test(what_runs_stays),
      cmocka_unit_test(what_an_error_names_stays),
      cmocka_unit_test(loaded_code_counts_as_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
