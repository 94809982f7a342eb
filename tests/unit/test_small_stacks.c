// SPDX-License-Identifier: MIT
// Hosts whose threads have small C stacks. Scripts and natives that call each
// other without end panic, however little there is. Functions of the library
// that walk deep values, and functions that they call back, need no more.
// (Below each stack lies a page that nobody may touch. Deep source text:
// test_compile_stack.c.)
// small: CSPDEBUG=gcstress=31
#include <limits.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "embed_fixture.h"
#include "sanitized.h"
#include "sched/rt.h"

static CspStatus call_again(CspCall *call) {
  CspResult result;
  if (csp_call(call, csp_arg(call, 0), 0, NULL, &result) != CSP_DONE)
    return csp_rethrow(call, &result);
  return csp_ok(call, result.values[0]);
}

static CspStatus show(CspCall *call) {
  size_t len;
  bool cut;
  char *text =
      csp_format_most(call, csp_arg(call, 0), true, 1 << 20, &len, &cut);
  if (text == NULL) return csp_panic_memory(call);
  free(text);
  return csp_ok_bool(call, len > 0);
}

// As CBOR and back; an error is as good where it is too deep.
static CspStatus pack(CspCall *call) {
  size_t len, used;
  char *error = NULL;
  void *data = csp_to_cbor(call, csp_arg(call, 0), 1 << 24, &len, &error);
  CspValue v;
  bool packed = data != NULL;
  if (packed) csp_from_cbor(call, data, len, &used, &v, &error);
  free(data);
  free(error);
  return csp_ok_bool(call, packed);
}

// Blocks, and then has a piece, so many times.
static void no_work(void *data) { (void)data; }

static CspStatus piece_over(CspCall *call, void *data, bool on);

static CspStatus block_over(CspCall *call, void *data, bool made) {
  int64_t left = (int64_t)(intptr_t)data;
  (void)made;
  if (left == 0) return csp_ok_bool(call, true);
  return csp_again(call, piece_over, &left, sizeof left, 0);
}

static CspStatus piece_over(CspCall *call, void *data, bool on) {
  int64_t left = *(int64_t *)data;
  if (!on) return CSP_PANIC;
  return csp_block(call, no_work, block_over, (void *)(intptr_t)(left - 1));
}

static CspStatus alternate(CspCall *call) {
  int64_t n;
  if (!csp_need_int(call, 0, &n)) return CSP_PANIC;
  return csp_block(call, no_work, block_over, (void *)(intptr_t)n);
}

static const CspFunction natives[] = {{"again", "f", call_again},
                                      {"show", "x", show},
                                      {"pack", "x", pack},
                                      {"alternate", "n", alternate},
                                      {NULL, NULL, NULL}};

typedef struct Loaded {
  Host host;
  const char *text;
} Loaded;

static void *load_script(void *arg) {
  Loaded *loaded = arg;
  Host *host = &loaded->host;
  CspResult result;
  open_host(host, STEPPED);
  csp_register_builtins(host->csp, natives);
  csp_load(csp_host(host->csp), "s.csp", loaded->text, strlen(loaded->text),
           &result);
  if (result.message != NULL)
    append(host->out, result.message, strlen(result.message));
  csp_result_free(&result);
  csp_free(host->csp);
  return NULL;
}

static void expect_on(size_t stack, const char *text, const char *out) {
  Loaded loaded = {.text = text};
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  assert_int_equal(pthread_attr_setstacksize(&attr, stack), 0);
  assert_int_equal(pthread_create(&thread, &attr, load_script, &loaded), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attr);
  if (strcmp(loaded.host.out, out) != 0)
    fail_msg("%zu KB: %s\nprints %s", stack >> 10, text, loaded.host.out);
}

static const size_t sizes[] = {64 << 10, 96 << 10, 256 << 10, 8 << 20,
                               64 << 10};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const char endless[] =
    "depth := 0\n"
    "func down() {\n"
    "  depth++\n"
    "  return again(down)\n"
    "}\n"
    "_, err := try(down)\n"
    "println(err, depth < 100000)\n";

static void calls_end_in_time(void **state) {
  (void)state;
  for (size_t n = 0; n < SIZES; n++)
    expect_on(sizes[n], endless, "calls by natives are nested too deep true\n");
}

static void blocking_and_pieces_take_turns_without_a_stack(void **state) {
  (void)state;
  expect_on(256 << 10, "println(alternate(50000))\n", "true\n");
}

// A coroutine's stack is not the one that the thread tells of.
static Loaded on_coroutine;

static void run_coroutine(void) { load_script(&on_coroutine); }

static void a_coroutine_needs_what_the_document_says(void **state) {
  (void)state;
  enum { STACK = 512 << 10, GUARD = 64 << 10 };
  if (SANITIZED) skip();  // they would have to be told of the other stack
  static ucontext_t thread, coroutine;
  char *low = mmap(NULL, STACK + GUARD, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(low, MAP_FAILED);
  assert_int_equal(mprotect(low, GUARD, PROT_NONE), 0);
  on_coroutine = (Loaded){.text = endless};
  assert_int_equal(getcontext(&coroutine), 0);
  coroutine.uc_stack.ss_sp = low + GUARD;
  coroutine.uc_stack.ss_size = STACK;
  coroutine.uc_link = &thread;
  makecontext(&coroutine, run_coroutine, 0);
  assert_int_equal(swapcontext(&thread, &coroutine), 0);
  assert_string_equal(on_coroutine.host.out,
                      "calls by natives are nested too deep true\n");
  munmap(low, STACK + GUARD);
}

// What a native of the host's, or one of the library, is called by, at any
// depth that is left.
static const char library[] =
    "import \"fmt\"\nimport \"maps\"\nimport \"strings\"\n"
    // the prelude makes the texts of what is deeper
    "nested := []\nfor i in 1400 { nested = [nested] }\n"
    "deep := []\nfor i in 9000 { deep = [deep] }\n"
    "other := []\nfor i in 9000 { other = [other] }\n"
    "cause := error(\"end\")\n"
    "for i in 9000 { cause = error(\"e${i}\", cause: cause) }\n"
    "func library() {\n"
    "  assert(len(str(nested)) > 0 && len(\"${nested}\") > 0)\n"
    "  assert(show(deep) && show(cause))\n"
    "  pack(deep)\n"
    "  assert(equal(deep, other))\n"
    "  assert(len(deep.flatten(1000)) == 1)\n"
    "  assert(len(str(cause)) > 0)\n"
    "  assert(len(fmt.sprintf(\"%v %10v\", nested, cause)) > 0)\n"
    "  _ = try(func() { panic(cause) })\n"
    "  _ = try(func() { panic(deep) })\n"
    "  xs := [3, 1, 2]\n"
    "  xs.sort(func(a, b) => a < b)\n"
    "  assert(equal(xs, [1, 2, 3]))\n"
    "  maps.equal({a: deep}, {a: other})\n"
    "  copy(deep)\n"
    "  m := {[\"a\"]: strings.join([\"a\"], \",\")}\n"
    "  assert(\"${1.5} ${1e300} ${m}\" != \"\")\n"
    "}\n"
    "func down(n, f) {\n"
    "  if n > 0 { return again(func() => down(n - 1, f)) }\n"
    "  f()\n  return true\n"
    "}\n"
    "most := 0\n"
    "for {\n"
    "  _, err := try(down, most + 1, func() {})\n"
    "  if err != nil { break }\n"
    "  most++\n"
    "}\n"
    "down(0, library)\ndown(most, library)\n"
    "_, err := try(down, most + 1, library)\n"
    "println(most > 0, err)\n";

static void natives_call_the_library_at_the_end_of_the_stack(void **state) {
  (void)state;
  for (int n = 0; n < 3; n++)
    expect_on(sizes[n], library, "true calls by natives are nested too deep\n");
}

// Functions that the library calls back, inside each other: these calls nest
// on the heap.
static void callbacks_of_the_library_nest_without_a_stack(void **state) {
  (void)state;
  static const char *const forms[] = {
      ("c := 0; [2, 1].sort(func(a, b) { c++; if c == 1 { f(n + 1) }; "
       "return a < b })"),
      "[1].map(func(x) => f(n + 1))",
      "[1].reduce(func(a, x) => f(n + 1), 0)",
      "[1].filter(func(x) => f(n + 1))",
      "_, err := try(f, n + 1)\nif err != nil { panic(err) }",
      "defer f(n + 1)",
      "[n + 1].each(f)",
      "group g { f(n + 1) }",
      "<-(go f(n + 1))",
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    for (int n = 0; n < 3; n++) {
      char script[512];
      snprintf(script, sizeof script,
               "func f(n) {\n  if n == 5000 { return n }\n  %s\n  return 0\n}\n"
               "_, err := try(f, 0)\nprintln(err)\n",
               forms[i]);
      expect_on(sizes[n], script, "nil\n");
    }
  }
}

// What the C library says of the calling thread's stack.
static size_t left_by_library(void) {
  pthread_attr_t attr;
  void *low;
  size_t size;
  assert_int_equal(pthread_getattr_np(pthread_self(), &attr), 0);
  pthread_attr_getstack(&attr, &low, &size);
  pthread_attr_destroy(&attr);
  return (size_t)((char *)__builtin_frame_address(0) - (char *)low);
}

// The child of a fork in a thread is its process's main thread, on that stack.
static void *fork_here(void *arg) {
  (void)arg;
  pid_t child = fork();
  if (child == 0) _exit(rt_stack_left() < 256 << 10 ? 0 : 1);
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  return NULL;
}

static void the_main_thread_knows_its_stack(void **state) {
  (void)state;
  enum { APART = 32 << 10, MOST = 8 << 20 };
  size_t told = left_by_library(), ours = rt_stack_left();
  if (told > MOST) told = MOST;
  assert_true(ours <= told && ours + APART >= told);
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  assert_int_equal(pthread_attr_setstacksize(&attr, 256 << 10), 0);
  assert_int_equal(pthread_create(&thread, &attr, fork_here, NULL), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attr);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_end_in_time),
      cmocka_unit_test(blocking_and_pieces_take_turns_without_a_stack),
      cmocka_unit_test(a_coroutine_needs_what_the_document_says),
      cmocka_unit_test(natives_call_the_library_at_the_end_of_the_stack),
      cmocka_unit_test(callbacks_of_the_library_nest_without_a_stack),
      cmocka_unit_test(the_main_thread_knows_its_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
