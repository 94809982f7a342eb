// SPDX-License-Identifier: MIT
// What is pending in a runtime, one less than there is room for, as much, one
// more: functions that are posted (128 may be ahead of a script's goroutines),
// wakers, and handles, whose tables begin with 64 places and grow by 128, 256.
// All are called, woken or held; or dropped once by csp_free. Then what was too
// much has gone, and all works as before.
#include "embed_fixture.h"

enum { MOST = 600 };

static int calls[MOST], drops[MOST];

static CspStatus count_call(CspCall *call, void *data) {
  calls[(int *)data - calls]++;
  return csp_ok_nothing(call);
}

static void count_drop(void *data) { drops[(int *)data - calls]++; }

static void post_many(Host *host, int count) {
  memset(calls, 0, sizeof calls);
  memset(drops, 0, sizeof drops);
  for (int n = 0; n < count; n++)
    assert_true(csp_post(host->csp, count_call, &calls[n], count_drop));
}

static void expect_each(int count, int call, int drop) {
  for (int n = 0; n < count; n++) {
    assert_int_equal(calls[n], call);
    assert_int_equal(drops[n], drop);
  }
}

static const int post_counts[] = {127, 128, 129, 255, 256, 257};
enum { POST_COUNTS = sizeof post_counts / sizeof *post_counts };

static void posts_are_called_or_dropped(void **state) {
  (void)state;
  for (int i = 0; i < POST_COUNTS; i++) {
    int count = post_counts[i];
    Host host;
    open_host(&host, STEPPED);
    for (int round = 0; round < 2; round++) {
      post_many(&host, count);
      csp_step(host.csp, -1);
      expect_each(count, 1, 0);
    }
    post_many(&host, count);
    close_host(&host);
    expect_each(count, 0, 1);
  }
}

// --- Wakers -----------------------------------------------------------------
static CspWaker *wakers[MOST];
static int waker_count, made;

static CspStatus wait_here(CspCall *call) {
  CspWaker *waker = csp_waker(call);
  if (waker == NULL) return csp_panic_memory(call);
  wakers[waker_count++] = waker;
  return csp_park(call);
}
static const CspFunction waits[] = {{"wait", "", wait_here},
                                    {NULL, NULL, NULL}};

static CspValue make(CspCall *call, void *data) {
  (void)data;
  made++;
  return csp_int(call, 1);
}

static const int place_counts[] = {63, 64, 65, 191, 192, 193, 447, 448, 449};
enum { PLACE_COUNTS = sizeof place_counts / sizeof *place_counts };

static void wait_many(Host *host, int count) {
  char text[64];
  waker_count = made = 0;
  snprintf(text, sizeof text, "for _ in %d { go wait() }", count);
  load(host, text);
  csp_step(host->csp, -1);
  assert_int_equal(waker_count, count);
}

static void wakers_are_woken(void **state) {
  (void)state;
  for (int i = 0; i < PLACE_COUNTS; i++) {
    int count = place_counts[i];
    Host host;
    open_host(&host, STEPPED);
    assert_true(csp_register_builtins(host.csp, waits));
    for (int round = 0; round < 3; round++) {
      wait_many(&host, count);
      for (int n = 0; n < count; n++) csp_wake(wakers[n], make, NULL);
      if (round < 2) csp_step(host.csp, -1);
      assert_int_equal(made, round < 2 ? count : 0);
    }
    close_host(&host);  // makes what was woken last
    assert_int_equal(made, count);
  }
}

// --- Handles ----------------------------------------------------------------
static void handles_hold(void **state) {
  (void)state;
  Host host;
  CspHandle held[MOST];
  open_host(&host, STEPPED);
  CspCall *call = csp_host(host.csp);
  for (int i = 0; i < 2 * PLACE_COUNTS; i++) {
    int count = place_counts[i % PLACE_COUNTS];
    for (int n = 0; n < count; n++) {
      char text[16];
      int len = snprintf(text, sizeof text, "held %d", n);
      held[n] = csp_hold(call, csp_string(call, text, (size_t)len));
      assert_int_not_equal(held[n], 0);
    }
    csp_collect(call);
    for (int n = 0; n < count; n++) {
      char text[16];
      snprintf(text, sizeof text, "held %d", n);
      assert_string_equal(csp_to_string(csp_held(call, held[n]), NULL), text);
    }
    for (int n = 0; n < count; n++) csp_release(host.csp, held[n]);
  }
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(posts_are_called_or_dropped),
      cmocka_unit_test(wakers_are_woken),
      cmocka_unit_test(handles_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
