// SPDX-License-Identifier: MIT
// Hosts whose threads have small C stacks: scripts and natives that call each
// other without end panic, however little there is.
#include <limits.h>

#include "embed_fixture.h"

static CspStatus call_again(CspCall *call) {
  CspResult result;
  if (csp_call(call, csp_arg(call, 0), 0, NULL, &result) != CSP_DONE)
    return csp_rethrow(call, &result);
  return csp_ok(call, result.values[0]);
}

static const CspFunction natives[] = {{"again", "f", call_again},
                                      {NULL, NULL, NULL}};

static const char script[] =
    "depth := 0\n"
    "func down() {\n"
    "  depth++\n"
    "  return again(down)\n"
    "}\n"
    "_, err := try(down)\n"
    "println(err, depth < 100000)\n";

static void *load_script(void *arg) {
  Host *host = arg;
  CspResult result;
  open_host(host, STEPPED);
  csp_register_builtins(host->csp, natives);
  csp_load(csp_host(host->csp), "s.csp", script, strlen(script), &result);
  if (result.message != NULL) append(host->out, result.message, 200);
  csp_result_free(&result);
  csp_free(host->csp);
  return NULL;
}

static void calls_end_in_time(void **state) {
  (void)state;
  static const size_t sizes[] = {64 << 10, 96 << 10, 256 << 10, 8 << 20,
                                 64 << 10};
  for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
    Host host;
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    assert_int_equal(pthread_attr_setstacksize(&attr, sizes[n]), 0);
    assert_int_equal(pthread_create(&thread, &attr, load_script, &host), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    assert_string_equal(host.out,
                        "calls by natives are nested too deep true\n");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(calls_end_in_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
