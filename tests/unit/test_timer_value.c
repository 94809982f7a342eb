// SPDX-License-Identifier: MIT
// timer(d): one that is on its way to fire, out of the P's heap, while it is
// stopped or reset gives nothing. (tests/timers/ has all else.)
#include "vm/heap/local.h"
#include "vm/interp/native_call.h"
// its `call` would hide theirs
#include "stepped_fixture.h"

static CspHandle script;
static CspResult result;

static const char text[] =
    "func stopped() { t := timer(0); t.stop(); return t }\n"
    "func reset() { t := timer(0); t.reset(1h); return t }\n"
    "func due() => timer(0)\n"
    "func tick(t) {\n"
    "  select {\n  case v := <-t: return v\n  default: return nil\n  }\n}\n"
    "func stop(t) => t.stop()\n";

static int open_it(void **state) {
  open_stepped(state);
  script = load(&host, text);
  return 0;
}

static CspValue call_it(const char *name, int argc, CspValue *args) {
  csp_call(call, member(&host, script, name), argc, args, &result);
  if (result.message != NULL) print_error("%s", result.message);
  assert_int_equal(result.end, CSP_DONE);
  return result.values[0];
}

// What the thread does that has taken it out of the heap.
static void fire(CspValue v) {
  ObjTimer *timer = (ObjTimer *)value_obj(v.word);
  timer->timer.fire(call->local->p, &timer->timer, rt_now());
}

static void a_stopped_one_gives_nothing(void **state) {
  (void)state;
  CspValue t = call_it("stopped", 0, NULL);
  fire(t);
  assert_int_equal(csp_type(call_it("tick", 1, &t)), CSP_NIL);
  assert_false(csp_truthy(call_it("stop", 1, &t)));
}

static void one_that_was_reset_waits_for_its_new_time(void **state) {
  (void)state;
  CspValue t = call_it("reset", 0, NULL);
  fire(t);
  assert_int_equal(csp_type(call_it("tick", 1, &t)), CSP_NIL);
  assert_true(csp_truthy(call_it("stop", 1, &t)));
}

static void one_that_is_due_fires_once(void **state) {
  (void)state;
  CspValue t = call_it("due", 0, NULL);
  fire(t);
  fire(t);
  assert_int_equal(csp_type(call_it("tick", 1, &t)), CSP_INT);
  assert_int_equal(csp_type(call_it("tick", 1, &t)), CSP_NIL);
  assert_false(csp_truthy(call_it("stop", 1, &t)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stopped_one_gives_nothing),
      cmocka_unit_test(one_that_was_reset_waits_for_its_new_time),
      cmocka_unit_test(one_that_is_due_fires_once),
  };
  return cmocka_run_group_tests(tests, open_it, close_stepped);
}
