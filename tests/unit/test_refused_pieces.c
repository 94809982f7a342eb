// SPDX-License-Identifier: MIT
// Natives in pieces, where the host's allocator refuses: what is begun anew has
// changed nothing before, and no panic is lost.
#include "embed_fixture.h"

// The allocation with that number from now on, and so many after it.
static int64_t refuse_at, refuse_more, refused;

static void *alloc(void *arg, void *block, size_t old_size, size_t size) {
  (void)arg, (void)old_size;
  if (size == 0) {
    free(block);
    return NULL;
  }
  if (refuse_at >= 0 && refuse_at-- == 0 && refuse_more >= 0) {
    refused++;
    if (refuse_more-- > 0) refuse_at = 0;
    return NULL;
  }
  return realloc(block, size);
}

static CspStatus arm(CspCall *call) {
  refused = 0;
  if (!csp_need_int(call, 0, &refuse_at)) return CSP_PANIC;
  if (!csp_need_int(call, 1, &refuse_more)) return CSP_PANIC;
  return csp_ok_nothing(call);
}

static CspStatus disarm(CspCall *call) {
  refuse_at = -1;
  return csp_ok_int(call, refused);
}

static const CspFunction natives[] = {
    {"arm", "at, more", arm}, {"disarm", "", disarm}, {NULL, NULL, NULL}};

static void expect(const char *script, const char *out) {
  Host host;
  CspConfig config;
  test_config(&config);
  config.procs = 1;
  config.debug = NULL;
  config.alloc = alloc;
  refuse_at = -1;
  open_configured(&host, &config);
  assert_true(csp_register_builtins(host.csp, natives));
  assert_int_equal(run(&host, script), 0);
  refuse_at = -1;
  assert_string_equal(host.out, out);
  close_host(&host);
}

static void what_is_begun_anew_has_changed_nothing(void **state) {
  (void)state;
  char script[400];
  for (int at = 0; at < 4; at++) {
    snprintf(script, sizeof script,
             "a, more := [], list(60000)\narm(%d, 0)\na.extend(more)\n"
             "disarm()\nprintln(len(a))\n"
             "b := list(60000)\narm(%d, 0)\nb.reverse()\ndisarm()\n"
             "println(b[0], b[59999], b[30000])\n"
             "c := bytes(list(200).repeat(1000))\narm(%d, 0)\nc.reverse()\n"
             "disarm()\nprintln(c[0], c[199_999], c[100_000])\n",
             at, at, at);
    expect(script, "60000\n59999 0 29999\n199 0 199\n");
  }
}

static void the_panic_under_way_stays(void **state) {
  (void)state;
  char script[400];
  for (int at = 0; at < 3; at++) {
    for (int more = 0; more < 5; more++) {
      snprintf(script, sizeof script,
               "n := 0\n"
               "func f() {\n  defer func() {\n    arm(%d, %d)\n"
               "    x := list(100000)\n    n = disarm()\n  }()\n"
               "  panic(\"the first\")\n}\n"
               "v, e := try(f)\ndisarm()\nprintln(e != nil)\n",
               at, more);
      expect(script, "true\n");
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_begun_anew_has_changed_nothing),
      cmocka_unit_test(the_panic_under_way_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
