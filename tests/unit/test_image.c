// SPDX-License-Identifier: MIT
// vm/runtime/image_write.c: a prelude's functions are the same from an image as
// from the compiler. What no image can hold is refused, and so are another
// version's and damaged ones.
#include "embed_fixture.h"
#include "vm/code/dis.h"
#include "vm/code/opcodes.h"
#include "vm/code/verify.h"
#include "vm/interp/native_call.h"
#include "vm/object/value_text.h"

// All kinds of constants and parameters, and functions that refer to each
// other, forwards and backwards.
static const char source[] =
    "func counter(from = 0, step = 2.5) {\n"
    "  return func() {\n"
    "    from += step\n"
    "    return from\n"
    "  }\n"
    "}\n"
    "func is_even(n) => n == 0 || is_odd(n - 1)\n"
    "func is_odd(n) => n != 0 && is_even(n - 1)\n"
    "func describe(first, rest...) =>\n"
    "  \"${first}|${len(rest)}|${rest.join(\"-\")}|\" + \"h\\u{e9}\"\n"
    "func big() => 2305843009213693951\n"
    "func small() => -1\n"
    "func nothing() { return nil, true, false }\n"
    "func adders() => [func(x) => x + 1, func(x) => x - 1]\n"
    "func guarded(f) {\n"
    "  defer func() { recover() }()\n"
    "  return f()\n"
    "}\n"
    "func fails() {\n"
    "  return nil +\n"
    "    1\n"
    "}\n"
    "func (xs list) second() => xs[1]\n"
    "func (m map) size() => len(m)\n";

static const char script[] =
    "c := counter(step: 1.5)\n"
    "c()\n"
    "println(c(), is_even(10), is_odd(10), describe(1, 2, 3))\n"
    "a, b, d := nothing()\n"
    "println(big(), small(), a, b, d, adders()[0](1), adders()[1](1))\n"
    "println([1, 2].second(), {1: 2}.size())\n"
    "println(guarded(func() { return 5 }), counter(3)())\n"
    "fails()\n";

// The functions that the prelude is made of, as text, the newest first.
static char *code_since(Csp *csp, const Proto *before) {
  Text text = {0};
  for (const Proto *proto = csp_vm(csp)->protos; proto != before;
       proto = proto->next) {
    uint32_t at;
    if (proto->flags & PROTO_MAIN) continue;
    assert_null(proto_verify(&mem_libc, proto, &at));
    text_addf(&text, "flags %x, %d results\n",
              proto->flags & (unsigned)PROTO_COMPILED, proto->nresults);
    dis_proto(&text, csp_vm(csp), proto);
  }
  text_add(&text, "", 1);
  assert_false(text.failed);
  return text.data;
}

static uint32_t *compile(Host *host, const char *text, size_t *count) {
  return csp_compile_prelude(host->csp, text, strlen(text), count);
}

// --- Tests ------------------------------------------------------------------
static void an_image_holds_what_was_compiled(void **state) {
  (void)state;
  Host made, taken;
  open_host(&made, 1);
  const Proto *before = csp_vm(made.csp)->protos;
  size_t count;
  uint32_t *image = compile(&made, source, &count);
  if (image == NULL) fail_msg("%s", made.err);
  char *compiled = code_since(made.csp, before);
  assert_non_null(strstr(compiled, "CLOSURE"));
  close_host(&made);

  open_host(&taken, 1);
  before = csp_vm(taken.csp)->protos;
  assert_true(csp_register_prelude(taken.csp, image, count));
  free(image);  // it is not needed any more
  char *loaded = code_since(taken.csp, before);
  assert_string_equal(loaded, compiled);
  free(loaded);
  free(compiled);
  csp_vm(taken.csp)->library_frames = true;
  assert_int_equal(run(&taken, script), 1);
  assert_string_equal(taken.out,
                      "3.0 true false 1|2|2-3|hé\n"
                      "2305843009213693951 -1 nil true false 2 0\n"
                      "2 1\n"
                      "5 5.5\n");
  assert_non_null(strstr(taken.err, "fails at prelude.csp:20:"));
  close_host(&taken);
}

static void an_empty_prelude_has_an_image(void **state) {
  (void)state;
  Host host;
  size_t count;
  open_host(&host, 1);
  uint32_t *image = compile(&host, "println(1)\n", &count);
  assert_non_null(image);
  assert_true(csp_register_prelude(host.csp, image, count));
  assert_string_equal(host.out, "");
  free(image);
  close_host(&host);
}

static void only_functions_are_held(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"x := 1\n", "prelude: `x` is no function"},
      {"const x = 1\n", "prelude: `x` is no function"},
      {"struct P { x }\n", "prelude: `P` is no function"},
      {"func f(a) => a\nfunc g() => f(a: 1)\n",
       "prelude: `g` holds a constant of type list"},
      {"func f( {\n", "prelude.csp:1:9: error:"},
      {"func f() => g()\n", "`g` is not declared"},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    Host host;
    size_t count;
    open_host(&host, 1);
    assert_null(compile(&host, cases[n].text, &count));
    if (strstr(host.err, cases[n].message) == NULL)
      fail_msg("%sgives %s", cases[n].text, host.err);
    close_host(&host);
  }
}

// The collector takes an aide that nothing can wake. But one that is in a group
// of its own stays, as that group hangs on the one around.
static void an_aide_inside_a_group_stays(void **state) {
  (void)state;
  Host host;
  size_t count;
  open_host(&host, 1);
  uint32_t *image = compile(&host, "func aide(f) { _sched_aide(f) }\n", &count);
  assert_non_null(image);
  assert_true(csp_register_prelude(host.csp, image, count));
  assert_int_equal(run(&host,
                       "import \"sched\"\n"
                       "group {\n"
                       "  aide(func() {\n"
                       "    defer println(\"ends\")\n"
                       "    group { <-chan() }\n"
                       "  })\n"
                       "  aide(func() { <-chan() })\n"
                       "  sleep(1ms)\n"
                       "  for _ in 3 { sched.gc() }\n"
                       "  junk := []\n"
                       "  for i in 1000 { junk.push([i, \"${i}\"]) }\n"
                       "  println(\"runs\")\n"
                       "}\n"
                       "println(\"done\")\n"),
                   0);
  assert_string_equal(host.out, "runs\nends\ndone\n");
  free(image);
  close_host(&host);
}

static CspStatus nothing(CspCall *call) { return csp_ok_nothing(call); }
static const CspFunction extra[] = {{"extra", "", nothing}, {NULL, NULL, NULL}};

static void natives_that_are_missing_are_named(void **state) {
  (void)state;
  Host made, taken;
  size_t count;
  open_host(&made, 1);
  assert_true(csp_register_builtins(made.csp, extra));
  uint32_t *image = compile(&made, "func f() => extra()\n", &count);
  assert_non_null(image);
  close_host(&made);
  open_host(&taken, 1);
  assert_false(csp_register_prelude(taken.csp, image, count));
  assert_string_equal(taken.err,
                      "the prelude needs `extra`, which is not registered\n");
  free(image);
  close_host(&taken);
}

static void another_versions_image_is_refused(void **state) {
  (void)state;
  Host host;
  size_t count;
  open_host(&host, 1);
  uint32_t *image = compile(&host, "func f() => 1\n", &count);
  assert_non_null(image);
  assert_false(csp_register_prelude(host.csp, image, count - 1));
  assert_false(csp_register_prelude(host.csp, image, 0));
  image[0]++;
  assert_false(csp_register_prelude(host.csp, image, count));
  assert_non_null(strstr(host.err, "another version: build it again"));
  assert_int_equal(run(&host, "f()\n"), 2);
  free(image);
  close_host(&host);
}

// --- Damage -----------------------------------------------------------------
// All kinds of parts that an image has.
static const char parts[] =
    "func adder(x, more...) => func(y = 2.5) => x + y + len(more)\n"
    "func twice(f) => adder(f)(\"two\") + twice(1)\n"
    "func (xs list) second() => xs[1]\n";

static uint32_t *parts_image(size_t *count) {
  Host host;
  open_host(&host, 1);
  uint32_t *image = compile(&host, parts, count);
  if (image == NULL) fail_msg("%s", host.err);
  close_host(&host);
  return image;
}

// Registers the first count words of an image, from memory of just that size;
// what it says where it refuses them, in *said.
static bool takes(const uint32_t *image, size_t count, char *said) {
  Host host;
  uint32_t *copy = malloc(count * sizeof *copy);
  memcpy(copy, image, count * sizeof *copy);
  copy[1] = (uint32_t)count;
  open_host(&host, 1);
  bool taken = csp_register_prelude(host.csp, copy, count);
  free(copy);
  strcpy(said, host.err);
  if (!taken) assert_int_equal(run(&host, "adder(1)\n"), 2);
  close_host(&host);
  return taken;
}

static void an_image_that_is_cut_short_is_refused(void **state) {
  (void)state;
  size_t count;
  char said[8192];
  uint32_t *image = parts_image(&count);
  assert_true(takes(image, count, said));
  for (size_t n = 3; n < count; n++) {
    assert_false(takes(image, n, said));
    assert_string_equal(said,
                        "the prelude's image is damaged: build it again\n");
  }
  free(image);
}

// What cannot be seen to be wrong (another number, another register) is taken.
static void a_word_that_points_out_of_an_image_is_refused(void **state) {
  (void)state;
  size_t count, refused = 0;
  char said[8192];
  uint32_t *image = parts_image(&count);
  for (size_t n = 2; n < count; n++) {
    uint32_t was = image[n];
    image[n] = 0xfffffff3u;  // as an object's pointer ends
    if (!takes(image, count, said)) {
      refused++;
      assert_memory_equal(said, "the prelude", 11);
    }
    image[n] = was;
  }
  if (refused < count / 3)
    fail_msg("%zu of %zu words are refused", refused, count);
  free(image);
}

// Memory is what was left in it: here, what looks like objects that are none.
static void *leavings(void *arg, void *block, size_t old_size,
                      size_t new_size) {
  (void)arg;
  if (new_size == 0) {
    free(block);
    return NULL;
  }
  char *made = realloc(block, new_size);
  Value no_object = value_from_obj((void *)(uintptr_t)0x41fff8000);
  for (size_t at = old_size; made != NULL && at + sizeof no_object <= new_size;
       at += sizeof no_object)
    memcpy(made + at, &no_object, sizeof no_object);
  return made;
}

static void what_is_refused_lives_through_a_collection(void **state) {
  (void)state;
  size_t count;
  uint32_t *image = parts_image(&count);
  for (size_t n = 2; n < count; n++) {
    uint32_t was = image[n];
    Host host;
    CspConfig config;
    test_config(&config);
    config.stepped = true;
    config.alloc = leavings;
    image[n] = 0xfffffff3u;
    open_configured(&host, &config);
    csp_register_prelude(host.csp, image, count);
    csp_collect(csp_host(host.csp));
    close_host(&host);
    image[n] = was;
  }
  free(image);
}

static void code_that_does_not_verify_is_refused(void **state) {
  (void)state;
  Host host;
  size_t count, at = 0;
  char said[8192];
  open_host(&host, 1);
  uint32_t *image = compile(&host, "func f(x) => x\n", &count);
  close_host(&host);
  assert_non_null(image);
  while (at < count && image[at] != OP_RET1) at++;
  assert_true(at < count);
  image[at] |= 0xff00;  // of the last register
  assert_false(takes(image, count, said));
  assert_string_equal(said,
                      "the prelude's image: `f`, instruction 0: no such "
                      "register\n");
  image[at] = 0xff;
  assert_false(takes(image, count, said));
  assert_string_equal(said,
                      "the prelude's image: `f`, instruction 0: no such "
                      "opcode\n");
  free(image);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_image_holds_what_was_compiled),
      cmocka_unit_test(an_empty_prelude_has_an_image),
      cmocka_unit_test(an_aide_inside_a_group_stays),
      cmocka_unit_test(only_functions_are_held),
      cmocka_unit_test(natives_that_are_missing_are_named),
      cmocka_unit_test(another_versions_image_is_refused),
      cmocka_unit_test(an_image_that_is_cut_short_is_refused),
      cmocka_unit_test(a_word_that_points_out_of_an_image_is_refused),
      cmocka_unit_test(what_is_refused_lives_through_a_collection),
      cmocka_unit_test(code_that_does_not_verify_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
