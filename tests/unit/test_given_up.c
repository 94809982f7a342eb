// SPDX-License-Identifier: MIT
// Natives whose calls are given up, as their goroutine is cancelled or csp_free
// ends it: they may call all of csp.h that natives may. Nothing runs by that,
// nothing is left, and what they are told is that they end.
#include "embed_fixture.h"

// --- What they call ---------------------------------------------------------
static _Atomic int steps, dones, cancels, in_calls;

static CspStatus last_step(CspCall *call, void *data, bool on) {
  (void)call;
  assert_false(on);
  free(*(void **)data);
  steps++;
  return CSP_PANIC;
}

static void no_work(void *data) {
  (void)data;
  fail_msg("work of a call that is given up");
}

static CspStatus last_done(CspCall *call, void *data, bool made) {
  (void)call;
  assert_false(made);
  free(data);
  dones++;
  return CSP_OK;
}

static void is_cancelled(void *data) {
  (void)data;
  cancels++;
}

static bool no_element(CspCall *call, CspValue of, CspValue with, int64_t *at,
                       CspValue *element) {
  (void)call, (void)of, (void)with, (void)at, (void)element;
  return false;
}

static void make_texts(CspCall *call) {
  char *room;
  double number;
  csp_string_room(call, 100000, &room);
  csp_cut_room(csp_bytes_room(call, 100, &room), 50);
  csp_string_take(call, strdup("taken"), 5);
  csp_alloc_take(call, csp_alloc(csp_of(call), NULL, 6), 5);
  csp_find(call, "text", 4, "x", 1);
  csp_find_last(call, "text", 4, "x", 1);
  csp_parse_float(call, "1.5", 3, &number);
}

static void make_values(CspCall *call) {
  CspValue list = csp_list(call, 4), map = csp_map(call, 4), v;
  CspValue text = csp_string(call, "text", 4), bytes = csp_bytes(call, "b", 1);
  char *error;
  size_t len, at = 0;
  bool cut, found;
  CspIter iter = {{0}};
  csp_error(call, text, csp_nil());
  csp_error_coded(call, text, csp_nil(), text);
  csp_range(call, 1, 1000);
  csp_int(call, INT64_MIN);
  csp_float(call, 1e300);
  csp_list_push(call, list, text);
  csp_list_append(call, list, &text, 1);
  csp_list_insert(call, list, 0, map);
  csp_list_set(call, list, 0, bytes);
  csp_list_find(call, list, text, &at, 3);
  csp_list_remove(call, list, 0, 1);
  csp_list_swap(call, list, csp_list(call, 0));
  csp_map_set(call, map, text, list);
  csp_map_set_name(call, map, "name", bytes);
  csp_map_get(call, map, text, &v);
  csp_map_get_name(call, map, "name", &v);
  csp_map_next(call, map, &iter, &v, &v);
  csp_map_delete(call, map, text, &found);
  csp_map_clear(call, map);
  csp_bytes_append(call, bytes, "more", 4);
  csp_set_field(call, text, "field", text);
  csp_method(call, text, "upper", &v);
  csp_equal_on(call, text, bytes);
  csp_compare_on(call, text, text);
  csp_needs_call_on(call, list);
  free(csp_format(call, map, true, &len));
  free(csp_format_most(call, map, true, 100, &len, &cut));
  free(csp_to_cbor(call, map, 1000, &len, &error));
  csp_from_cbor(call, "\x63one", 4, NULL, &v, &error);
  csp_release(csp_of(call), csp_hold(call, list));
}

static void give_results(CspCall *call) {
  csp_return(call, csp_nil());
  assert_int_equal(csp_ok(call, csp_nil()), CSP_PANIC);
  assert_int_equal(csp_ok_nothing(call), CSP_PANIC);
  csp_ok_int(call, 1);
  csp_ok_float(call, 1);
  csp_ok_bool(call, true);
  csp_ok_string(call, "s", 1);
  csp_ok_value(call, csp_nil());
  csp_ok_error(call, "error %d", 1);
  csp_ok_errno(call, 1, "what");
  csp_ok_coded(call, "code", "error %d", 1);
  csp_ok_each(call, no_element, csp_nil(), csp_nil(), NULL);
  csp_ok_to_cbor(call, csp_string(call, "s", 1));
  csp_ok_from_cbor(call, csp_bytes(call, "\x61s", 2));
  csp_panic(call, "panic %d", 1);
  csp_panic_memory(call);
  csp_bad_arg(call, 0, "something");
  int64_t i;
  double d;
  const char *s;
  size_t len;
  CspValue v;
  csp_need_int(call, 0, &i);
  csp_need_number(call, 9, &d);
  csp_need_string(call, 9, &s, &len);
  csp_need_type(call, 0, CSP_MAP, &v);
  assert_true(csp_room(call) > 0);
  assert_false(csp_make_room(call));
}

static void wait_for_something(CspCall *call, CspValue function) {
  static CspWait wait;
  CspResult result;
  assert_int_equal(csp_call(call, function, 0, NULL, &result), CSP_ENDED);
  csp_rethrow(call, &result);
  csp_load(call, "a.csp", "", 0, &result);
  csp_result_free(&result);
  csp_new_struct(call, function, 0, NULL, NULL, &result);
  csp_result_free(&result);
  csp_collect(call);
  assert_null(csp_waker(call));
  assert_null(csp_waker_told(call, is_cancelled, NULL));
  assert_int_equal(csp_park(call), CSP_PANIC);
  csp_wait_end(call, &wait);
  csp_tail(call, function, 0, NULL);
  csp_tail_named(call, "println", 0, NULL);
  csp_send(call, csp_chan(call, 1), csp_nil());
  csp_recv(call, csp_chan(call, 1));
  csp_sleep(call, 1);
  csp_yield(call);
}

static void ask_for_the_rest(CspCall *call) {
  char **argv;
  csp_charge(call, 1000000);
  assert_false(csp_work(call, 1000000));
  assert_true(csp_spent(call, 1));
  csp_builtin(call, "println");
  csp_args(call, &argv);
  csp_name(call);
  csp_argc(call);
  csp_wall_clock(call);
  csp_monotonic(call);
  csp_random(call);
  csp_write_out(call, "out", 3);
  csp_write_err(call, "err", 3);
  csp_exit(call, 3);
}

// The arguments are a channel that a goroutine waits for, and a function.
static void call_all(CspCall *call) {
  CspValue chan = csp_arg(call, 0), function = csp_arg(call, 1), v;
  assert_int_equal(csp_type(chan), CSP_CHAN);
  make_texts(call);
  make_values(call);
  give_results(call);
  ask_for_the_rest(call);
  csp_try_send(call, chan, csp_bool(true));
  csp_try_recv(call, chan, &v);
  csp_close(call, chan);
  csp_go(call, function, 0, NULL, NULL, NULL);
  wait_for_something(call, function);
}

// --- The natives ------------------------------------------------------------
static CspStatus ends_by_again(CspCall *call) {
  void *kept = malloc(10);
  return csp_again(call, last_step, &kept, sizeof kept, 0);
}
static CspStatus ends_by_block(CspCall *call) {
  return csp_block(call, no_work, last_done, malloc(10));
}
static CspStatus ends_by_block_slow(CspCall *call) {
  return csp_block_slow(call, no_work, last_done, malloc(10));
}
static CspStatus ends_by_block_after(CspCall *call) {
  return csp_block_after(call, 1, no_work, last_done, malloc(10));
}
static CspStatus ends_by_block_fd(CspCall *call) {
  static CspWait wait;
  return csp_block_fd(call, &wait, no_work, last_done, malloc(10));
}

static int ends;  // the next way

static CspStatus end_job(CspCall *call) {
  static CspStatus (*const all[])(CspCall * call) = {
      ends_by_again, ends_by_block, ends_by_block_slow, ends_by_block_after,
      ends_by_block_fd};
  enum { ALL = sizeof all / sizeof all[0] };
  return all[ends++ % ALL](call);
}

static void nap(void *data) {
  (void)data;
  in_calls++;
  struct timespec time = {0, 2000000};
  nanosleep(&time, NULL);
}

// The run has not ended yet: once more.
static CspStatus over(CspCall *call, void *data, bool made) {
  if (made && csp_work(call, 1)) return csp_block_slow(call, nap, over, data);
  free(data);
  call_all(call);
  return end_job(call);
}

// At work when the run ends.
static CspStatus works(CspCall *call) {
  return csp_block_slow(call, nap, over, malloc(1));
}

// Waits to begin.
static CspStatus waits(CspCall *call) {
  in_calls++;
  return csp_block_after(call, (int64_t)1 << 50, no_work, over, malloc(1));
}

static CspStatus piece_over(CspCall *call, void *data, bool on) {
  int *done = data;
  if (on && ++*done < 1000000000) {
    in_calls = 1;
    while (!csp_spent(call, 1000)) continue;
    return csp_again(call, piece_over, done, sizeof *done, 0);
  }
  call_all(call);
  return CSP_PANIC;
}

// Between two pieces when the run ends.
static CspStatus pieces(CspCall *call) {
  int n = 0;
  return csp_again(call, piece_over, &n, sizeof n, 0);
}

// Is told to end, and goes on.
static CspStatus deaf(CspCall *call) {
  while (csp_work(call, 1000)) in_calls = 1;
  CspResult result;
  assert_null(csp_waker(call));
  assert_int_equal(csp_call(call, csp_arg(call, 0), 0, NULL, &result),
                   CSP_ENDED);
  dones++;
  return CSP_PANIC;
}

// Is told to end, and asks for more.
static CspStatus asks_for_more(CspCall *call) {
  csp_interrupt(csp_of(call));
  while (csp_work(call, 1000)) continue;
  return end_job(call);
}

static CspStatus calls_function(CspCall *call) {
  csp_interrupt(csp_of(call));
  while (csp_work(call, 1000)) continue;
  return csp_tail(call, csp_arg(call, 0), 0, NULL);
}

// Likewise, after blocking work.
static CspStatus asks_once_more(CspCall *call, void *data, bool made) {
  assert_true(made);
  free(data);
  return asks_for_more(call);
}
static void no_time(void *data) { (void)data; }
static CspStatus blocks_first(CspCall *call) {
  return csp_block(call, no_time, asks_once_more, malloc(1));
}

static CspStatus calls(CspCall *call) { return csp_ok_int(call, in_calls); }

static const CspFunction functions[] = {
    {"works", "chan, function", works},
    {"waits", "chan, function", waits},
    {"pieces", "chan, function", pieces},
    {"deaf", "function", deaf},
    {"asks", "", asks_for_more},
    {"asks_later", "", blocks_first},
    {"calls_on", "function", calls_function},
    {"calls", "", calls},
    {NULL, NULL, NULL}};
static const CspModule module = {"host", functions, NULL, NULL, 0};

// --- Tests ------------------------------------------------------------------
enum { REPEAT = 5 };  // each way to end

static void run_and_close(const char *format, const char *native, int procs) {
  char text[512];
  int steps_before = steps, dones_before = dones;
  snprintf(text, sizeof text, format, native);
  for (int n = 0; n < REPEAT; n++) {
    Host host;
    in_calls = 0;
    open_host(&host, procs);
    assert_true(csp_register(host.csp, &module));
    int status = run(&host, text);
    if (status != 0) fail_msg("%s\n%s", text, host.err);
    assert_int_equal(csp_free(host.csp), 0);
    assert_non_null(strstr(host.err, "err"));  // call_all was there
    pthread_mutex_destroy(&host.lock);
  }
  if (strcmp(native, "pieces") == 0) return;
  assert_int_equal(steps - steps_before, 1);
  assert_int_equal(dones - dones_before, REPEAT - 1);
}

static const char *const natives[] = {"works", "waits", "pieces"};

static void calls_that_csp_free_gives_up(void **state) {
  (void)state;
  for (int n = 0; n < 3 * 3; n++)
    run_and_close(
        "import \"host\"\nc := chan()\ngo { <-c }\n"
        "go host.%s(c, func() { println(\"ran\") })\n"
        "for host.calls() == 0 { sleep(100us) }\n",
        natives[n % 3], 1 + n / 3);
}

static void calls_that_are_cancelled(void **state) {
  (void)state;
  for (int n = 0; n < 2 * 3; n++)
    run_and_close(
        "import \"host\"\nc := chan()\ngo { for x in c { } }\ngroup g {\n"
        "go host.%s(c, func() { })\n"
        "for host.calls() == 0 { sleep(100us) }\ng.cancel()\n}\n",
        natives[1 + n % 2], 1 + n / 2);
  assert_int_equal(cancels, 0);
}

// What csp_work has told to end calls nothing any more, although it is not
// given up yet.
static void what_must_end_calls_nothing(void **state) {
  (void)state;
  for (int procs = 1; procs <= 3; procs++) {
    Host host;
    open_host(&host, procs);
    assert_true(csp_register(host.csp, &module));
    int dones_before = dones;
    int status = run(&host,
                     "import \"host\"\n_, err := try(func() {\n"
                     "  group g {\n    g.timeout(2ms)\n"
                     "    host.deaf(func() { println(\"ran\") })\n  }\n"
                     "})\nprintln(err)\n");
    assert_int_equal(status, 0);
    assert_string_equal(host.out, "deadline exceeded\n");
    assert_int_equal(dones - dones_before, 1);
    close_host(&host);
  }
}

// The run is interrupted, in which no goroutine is cancelled: what csp_work has
// told to end has no work done any more either.
static void run_interrupted(const char *expression, int procs) {
  char text[200];
  Host host;
  snprintf(text, sizeof text,
           "import \"host\"\nhost.%s\nprintln(\"went on\")\n", expression);
  open_host(&host, procs);
  assert_true(csp_register(host.csp, &module));
  assert_int_equal(run(&host, text), 130);
  assert_string_equal(host.out, "");
  close_host(&host);
}

static void what_must_end_does_no_work(void **state) {
  (void)state;
  for (int n = 0; n < 3 * 2 * 5; n++) {  // each of end_job's, both ways
    int steps_before = steps, dones_before = dones;
    ends = n / 6;
    run_interrupted(n % 2 == 0 ? "asks()" : "asks_later()", 1 + n / 2 % 3);
    assert_int_equal(steps - steps_before + dones - dones_before, 1);
  }
  for (int procs = 1; procs <= 3; procs++)
    run_interrupted("calls_on(func() { println(\"ran\") })", procs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_that_csp_free_gives_up),
      cmocka_unit_test(calls_that_are_cancelled),
      cmocka_unit_test(what_must_end_calls_nothing),
      cmocka_unit_test(what_must_end_does_no_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
