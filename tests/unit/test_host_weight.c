// SPDX-License-Identifier: MIT
// What a host's values hold outside of the heap (csp_host_weight). It counts
// against the limit of memory, makes collections due, and is given back.
#include "host_fixture.h"
#include "sanitized.h"

enum { MB = 1 << 20, MEMORY = 8 * MB };

// A value that weighs what it has. All that there are have `held`.
typedef struct Load {
  size_t bytes;
} Load;

static size_t held, held_most, dead;  // atomic

static void load_set(Load *load, size_t bytes) {
  size_t now = __atomic_add_fetch(&held, bytes - load->bytes, __ATOMIC_SEQ_CST);
  if (now > held_most) held_most = now;  // (one P, where it is looked at)
  load->bytes = bytes;
}

static void load_end(void *data) {
  load_set(data, 0);
  __atomic_add_fetch(&dead, 1, __ATOMIC_SEQ_CST);
}

static const CspClass load_class = {"load", load_end, sizeof(Load), NULL};

static bool weigh(CspCall *call, CspValue v, size_t bytes) {
  if (!csp_host_weight(call, v, bytes)) return false;
  load_set(csp_host_data(v, &load_class), bytes);
  return true;
}

// load(bytes)
static CspStatus load_new(CspCall *call) {
  int64_t bytes;
  if (!csp_need_int(call, 0, &bytes)) return CSP_PANIC;
  CspValue v = csp_host_new(call, &load_class, NULL);
  if (csp_is_undef(v) || !weigh(call, v, (size_t)bytes))
    return csp_panic_memory(call);
  return csp_ok(call, v);
}

// set(load, bytes): whether there was room, without a collection.
static CspStatus load_weigh(CspCall *call) {
  int64_t bytes;
  if (!csp_need_int(call, 1, &bytes)) return CSP_PANIC;
  return csp_ok_bool(call, weigh(call, csp_arg(call, 0), (size_t)bytes));
}

// toggle(load, n): weighs it so often, whatever others do.
static CspStatus load_toggle(CspCall *call) {
  int64_t n;
  if (!csp_need_int(call, 1, &n)) return CSP_PANIC;
  for (int64_t i = 0; i < n; i++)
    csp_host_weight(call, csp_arg(call, 0), (size_t)(i % 3) << 10);
  return csp_ok_nothing(call);
}

// MB that are left.
static CspStatus room_left(CspCall *call) {
  return csp_ok_int(call, (int64_t)(csp_room(call) / MB));
}

// Whether a value of another type can weigh something.
static CspStatus weigh_int(CspCall *call) {
  return csp_ok_bool(call, csp_host_weight(call, csp_int(call, 1), 1));
}

// layer(connection, bytes): as a layer tells what it holds.
static CspStatus layer_weigh(CspCall *call) {
  int64_t bytes;
  if (!csp_need_int(call, 1, &bytes)) return CSP_PANIC;
  return csp_ok_bool(call,
                     csp_layer_weight(call, csp_arg(call, 0), (size_t)bytes));
}

static const CspFunction functions[] = {CSP_REPEATABLE,
                                        {"load", "bytes", load_new},
                                        {"set", "load, bytes", load_weigh},
                                        {"layer", "v, bytes", layer_weigh},
                                        {"toggle", "load, n", load_toggle},
                                        {"room", "", room_left},
                                        {"weigh_int", "", weigh_int},
                                        {NULL, NULL, NULL}};
static const CspModule module = {.path = "own", .functions = functions};

static void runs(uint64_t memory, int procs, const char *text,
                 const char *out) {
  Host host;
  held = held_most = dead = 0;
  host_open(&host, (CspConfig){.size = sizeof(CspConfig),
                               .procs = procs,
                               .max_memory = memory,
                               .allowed = CSP_NET});
  assert_true(csp_register(host.csp, &module));
  assert_true(csp_register_class(host.csp, &load_class, NULL));
  int status = host_run(&host, text);
  if (status != 0 || strcmp(host.out, out) != 0)
    fail_msg("%s\nends with %d, prints\n%s%s", text, status, host.out,
             host.err);
  host_close(&host);
  assert_int_equal(held, 0);  // all were finalized
}

static void weights_that_nobody_has_are_given_back(void **state) {
  (void)state;
  runs(MEMORY, 1,
       "import \"own\"\n"
       "for i in 2000 { own.load(1048576) }\n"
       "println(own.load(1048576) != nil)\n",
       "true\n");
  assert_true(dead >= 2001 && held_most <= MEMORY);
}

static void too_much_weight_is_out_of_memory(void **state) {
  (void)state;
  runs(MEMORY, 1,
       "import \"own\"\n"
       "kept := []\n"
       "_, err := try(func() { for { kept.push(own.load(1048576)) } })\n"
       "println(err)\n"
       "n := len(kept)\n"
       "kept.clear()\n"
       "for i in n { kept.push(own.load(1048576)) }\n"
       "println(n >= 4 && n < 8, len(kept) == n)\n",
       "out of memory: the limit is 8 MB\ntrue true\n");
  assert_true(held_most <= MEMORY);
}

static void a_weight_grows_and_shrinks(void **state) {
  (void)state;
  runs(MEMORY, 1,
       "import \"own\"\n"
       "x := own.load(0)\n"
       "before := own.room()\n"
       "println(own.set(x, 2 << 20), before - own.room())\n"
       "println(own.set(x, 4 << 20), before - own.room())\n"
       "println(own.set(x, 100 << 20), before - own.room())\n"
       "println(own.set(x, 1 << 20), before - own.room())\n"
       "println(own.set(x, 0), before - own.room(), own.weigh_int())\n",
       "true 2\ntrue 4\nfalse 4\ntrue 1\ntrue 0 false\n");
}

// Without a limit, too.
static void weights_make_collections_due(void **state) {
  (void)state;
  runs(0, 1,
       "import \"own\"\n"
       "kept := own.load(4 << 20)\n"
       "for i in 4000 { own.load(1048576) }\n"
       "println(kept != nil)\n",
       "true\n");
  assert_true(held_most <= 16 * (size_t)MB);
}

static void all_ps_may_weigh_one_value(void **state) {
  (void)state;
  enum { OFTEN = SANITIZED ? 2000 : 20000 };
  char text[512];
  snprintf(text, sizeof text,
           "import \"own\"\n"
           "x := own.load(0)\n"
           "before := own.room()\n"
           "group { for i in 8 { go own.toggle(x, %d) } }\n"
           "println(own.set(x, 0), own.room() >= before - 1)\n",
           (int)OFTEN);
  runs(64 * MB, 4, text, "true true\n");
}

// --- Layers of connections ---------------------------------------------------
static const char connected[] =
    "import \"net\"\nimport \"own\"\n"
    "listener := net.listen(\"127.0.0.1:0\")?\n"
    "c := net.dial(listener.address())?\n"
    "other, _ := listener.accept()\n"
    // It holds what was received, too.
    "c.write(\"x\".repeat(100000))?\n"
    "_, _ = other.read_line(90000)\n"
    "before := own.room()\n";

static void layers(const char *text, const char *out) {
  char all[2048];
  snprintf(all, sizeof all, "%s%s", connected, text);
  runs(MEMORY, 1, all, out);
}

// As a number with a sign the weight of one that is received was less.
static void a_layer_weighs_no_odd_number(void **state) {
  (void)state;
  layers(
      "for n in [-1, -100, -70000, -9_223_372_036_854_775_808, 1 << 62] {\n"
      "  println(own.layer(other, n), before - own.room())\n"
      "}\n"
      "println(own.layer(other, 2 << 20), before - own.room())\n"
      "println(own.layer(other, 64 << 20), before - own.room())\n"
      "println(own.layer(5, 1), own.layer(listener, 1))\n",
      "false 0\nfalse 0\nfalse 0\nfalse 0\nfalse 0\n"
      "true 2\nfalse 0\nfalse false\n");
}

static void a_closed_connection_has_no_layers_weight(void **state) {
  (void)state;
  layers(
      "for (x, end) in [(c, c.close), (other, other.reset)] {\n"
      "  println(own.layer(x, 2 << 20), before - own.room())\n"
      "  end()\n"
      "  println(before - own.room())\n"
      "  println(own.layer(x, 3 << 20), before - own.room())\n"
      "}\n",
      "true 2\n0\ntrue 0\ntrue 2\n0\ntrue 0\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_that_nobody_has_are_given_back),
      cmocka_unit_test(too_much_weight_is_out_of_memory),
      cmocka_unit_test(a_weight_grows_and_shrinks),
      cmocka_unit_test(weights_make_collections_due),
      cmocka_unit_test(all_ps_may_weigh_one_value),
      cmocka_unit_test(a_layer_weighs_no_odd_number),
      cmocka_unit_test(a_closed_connection_has_no_layers_weight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
