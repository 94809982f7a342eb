// SPDX-License-Identifier: MIT
// Work of csp_block that asks whether it is in vain: it ends when its group is
// cancelled or late, when the time of a host is over, and when the run ends.
// Otherwise it comes to its own end.
#include <time.h>

#include "embed_fixture.h"

typedef struct Work {
  CspWatch watch;
  int turns;
  bool vain;
} Work;

static void nap_in_vain(void *data) {
  Work *work = data;
  struct timespec time = {0, 100000};
  for (; work->turns > 0 && !work->vain; work->turns--) {
    nanosleep(&time, NULL);
    work->vain = csp_in_vain(&work->watch);
  }
}

static CspStatus nap_over(CspCall *call, void *data, bool made) {
  Work work = *(Work *)data;
  free(data);
  if (!made) return csp_ok_error(call, "%s", csp_no_thread());
  if (work.vain && !csp_work(call, 1 << 17)) return CSP_PANIC;
  return csp_ok_bool(call, work.vain);
}

// nap(turns): whether it was in vain, and nobody told so.
static CspStatus nap(CspCall *call) {
  int64_t turns;
  if (!csp_need_int(call, 0, &turns)) return CSP_PANIC;
  Work *work = malloc(sizeof *work);
  if (work == NULL) return csp_panic_memory(call);
  *work = (Work){csp_watch(call), (int)turns, false};
  return csp_block(call, nap_in_vain, nap_over, work);
}

static const CspFunction natives[] = {{"nap", "turns", nap},
                                      {NULL, NULL, NULL}};

static void open_with_nap(Host *host, bool stepped, int procs) {
  CspConfig config;
  test_config(&config);
  config.stepped = stepped;
  config.procs = procs;
  open_configured(host, &config);
  assert_true(csp_register_builtins(host->csp, natives));
}

static const char long_nap[] = "nap(1 << 30)\n";

static void a_stepped_host_ends_it_by_its_time(void **state) {
  (void)state;
  Host host;
  CspResult result;
  open_with_nap(&host, true, 1);
  csp_limit_time(host.csp, 5 * (int64_t)1000000);
  CspEnd how = csp_load(csp_host(host.csp), "a.csp", long_nap,
                        sizeof long_nap - 1, &result);
  assert_int_equal(how, CSP_INTERRUPTED);
  csp_result_free(&result);
  close_host(&host);
}

// Timers of a stepped host do not run meanwhile.
static const char late[] =
    "_, err := try(func() {\n"
    "  group g {\n"
    "    g.timeout(5ms)\n"
    "    nap(1 << 30)\n"
    "  }\n"
    "})\n"
    "assert(err.message == \"deadline exceeded\")\n"
    "assert(nap(3) == false)\n";

static void a_stepped_hosts_group_ends_it(void **state) {
  (void)state;
  Host host;
  CspResult result;
  open_with_nap(&host, true, 1);
  CspEnd how =
      csp_load(csp_host(host.csp), "a.csp", late, sizeof late - 1, &result);
  assert_int_equal(how, CSP_DONE);
  csp_result_free(&result);
  close_host(&host);
}

static const char cancelled[] =
    "group g {\n"
    "  for i in 3 { go { nap(1 << 30) } }\n"
    "  sleep(3ms)\n"
    "  g.cancel()\n"
    "}\n"
    "assert(nap(3) == false)\n";
static const char ends[] =
    "go { nap(1 << 30) }\n"
    "sleep(3ms)\n";

static void threads_end_it(void **state) {
  (void)state;
  static const char *const texts[] = {late, cancelled, ends};
  for (int procs = 1; procs <= 4; procs *= 2) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
      Host host;
      int status = -1;
      open_with_nap(&host, false, procs);
      assert_int_equal(
          csp_run(host.csp, "a.csp", texts[i], strlen(texts[i]), &status),
          CSP_RAN);
      assert_int_equal(status, 0);
      close_host(&host);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stepped_host_ends_it_by_its_time),
      cmocka_unit_test(a_stepped_hosts_group_ends_it),
      cmocka_unit_test(threads_end_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
