// SPDX-License-Identifier: MIT
// The compiler and the formatter on threads with small C stacks: every
// construct that nests, as deep as it is accepted there. Below each stack lies
// a page that nobody may touch.
#include <sys/mman.h>
#include <unistd.h>

#include "embed_fixture.h"
#include "lang/format/formatter.h"
#include "lang/source.h"

typedef struct Form {
  const char *name, *before, *open, *core, *close, *after;
} Form;

static const Form forms[] = {
    {"list", "x := ", "[", "1", "]", "\n"},
    {"tuple", "x := ", "(1, ", "1", ")", "\n"},
    {"map", "x := ", "{a: ", "1", "}", "\n"},
    {"mapkey", "x := ", "{[", "1", "]: 1}", "\n"},
    {"interp", "x := ", "\"a${", "1", "}b\"", "\n"},
    {"index", "a := [0]\nx := ", "a[", "0", "]", "\n"},
    {"slice", "a := [0]\nx := ", "a[0:len(", "a", ")]", "\n"},
    {"slice2", "a := [0]\nx := ", "a[0:", "1", "]", "\n"},
    {"call", "f := func(x, y...) => x\nx := ", "f(", "1", ")", "\n"},
    {"callnative", "x := ", "len(", "1", ")", "\n"},
    {"callspread", "f := func(x...) => x\nx := ", "f([", "1", "]...)", "\n"},
    {"named", "func f(a = 1) => a\nx := ", "f(a: ", "1", ")", "\n"},
    {"method", "x := \"a\"\ny := ", "x.index(", "x", ")", "\n"},
    {"neg", "x := 1\ny := ", "-(", "x", ")", "\n"},
    {"not", "x := 1\ny := ", "!", "x", "", "\n"},
    {"recv", "x := chan()\ny := ", "<-", "x", "", "\n"},
    {"addleft", "x := 1\ny := x", "", "", "+ x", "\n"},
    {"addparen", "x := 1\ny := ", "x + (", "x", ")", "\n"},
    {"mulparen", "x := 1\ny := ", "x * (", "x", ")", "\n"},
    {"muladd", "x := 1\ny := ", "x * (x + ", "x", ")", "\n"},
    {"muladd2", "x := 1\ny := ", "x * x + (", "x", ")", "\n"},
    {"muladdw", "x := 1\ny := ", "x +% x *% (", "x", ")", "\n"},
    {"cat", "x := \"1\"\ny := x", "", "", "+ \"a\" + x", "\n"},
    {"eqparen", "x := 1\ny := ", "x == (", "x", ")", "\n"},
    {"ltparen", "x := 1\ny := ", "1 < (", "x", ")", "\n"},
    {"ifcond", "x := 1\nif ", "x == 1 && (", "x == 1", ")", " {}\n"},
    {"ifcond2", "x := 1\nif ", "!(x == 1 || ", "x == 1", ")", " {}\n"},
    {"ifcond3", "x := 1\nfor ", "!(x == 1 || x > 2 && ", "x == 1", ")",
     " {}\n"},
    {"andleft", "x := true\nif x", "", "", " && x", " {}\n"},
    {"orand", "x := true\nif x", "", "", " && x || x", " {}\n"},
    {"coalesce", "x := true\ny := x", "", "", " ?? x", "\n"},
    {"coalesceP", "x := true\ny := ", "x ?? (", "x", ")", "\n"},
    {"range", "x := ", "1..(", "1", ")", "\n"},
    {"in", "y := ", "1 in (", "[1]", ")", "\n"},
    {"is", "y := ", "(", "1", " is int)", "\n"},
    {"chain", "y := nil\ny", "", "", ".x", "\n"},
    {"callchain", "y := nil\ny", "", "", ".x()", "\n"},
    {"callchain2", "y := nil\ny", "", "", "()", "\n"},
    {"idxchain", "y := nil\ny", "", "", "[0]", "\n"},
    {"assignchain", "y := nil\ny", "", "", "[0]", " = 1\n"},
    {"assignchainf", "y := nil\ny", "", "", ".x", " += 1\n"},
    {"try", "func f() {\n x := ", "len(", "f()", ")?", " }\n"},
    {"func", "x := ", "func() { return ", "1", " }", "\n"},
    {"funcdefault", "x := ", "func(a = ", "1", ") { }", "\n"},
    {"arrow", "x := ", "func(x) => ", "1", "", "\n"},
    {"funccall", "", "func() { ", "", "}()", "\n"},
    {"go", "x := ", "go len(", "1", ")", "\n"},
    {"goblock", "", "go { ", "", "}", "\n"},
    {"goexpr", "", "x := go { ", "x := 1", " }", "\n"},
    {"deferblock", "", "defer { ", "", "}", "\n"},
    {"block", "", "{ ", "", "}", "\n"},
    {"if", "", "if true { ", "", "}", "\n"},
    {"ifinit", "", "if x := 1; x == 1 { ", "", "}", "\n"},
    {"ifelse", "", "if true { } else { ", "", "}", "\n"},
    {"elseif", "x := 1\n", "if x == 1 { } else ", "if x == 2 {}", "", "\n"},
    {"forc", "", "for i := 0; i < 3; i++ { ", "", "}", "\n"},
    {"for", "", "for { ", "", "}", "\n"},
    {"forin", "", "for x in 3 { ", "", "}", "\n"},
    {"forin2", "x := [0]\n", "for k, v in x { ", "", "}", "\n"},
    {"switch", "x := 1\n", "switch x { case 1: ", "", "}", "\n"},
    {"switchdef", "x := 1\n", "switch x { default: ", "", "}", "\n"},
    {"switchis", "x := 1\n", "switch { case x == 1: ", "", "}", "\n"},
    {"select", "c := chan()\n", "select { case v := <-c: ", "", "}", "\n"},
    {"selectdef", "c := chan()\n", "select { default: ", "", "}", "\n"},
    {"group", "", "group g { ", "", "}", "\n"},
    {"ifvalue", "x := ", "if true { ", "1", " } else { 2 }", "\n"},
    {"elsevalue", "x := ", "if false { 1 } else { ", "1", " }", "\n"},
    {"elseifvalue", "x := ", "if false { 1 } else ", "if true { 2 } else { 3 }",
     "", "\n"},
    {"switchvalue", "x := ", "switch { case true: ", "1", "; default: 2 }",
     "\n"},
    {"parenvalue", "x := ", "(if true { ", "1", " } else { 2 })", "\n"},
    {"arrowvalue", "x := ", "func() => if true { ", "1", " } else { 2 }", "\n"},
    {"groupvalue", "", "e := group g { ", "", "}", "\n"},
    {"groupparen", "e := ", "[(group g { e := ", "1", "})]", "\n"},
    {"funcdecl", "", "func f() { ", "", "}", "\n"},
    {"closures", "x := 1\nx = 2\n", "f := func() { x += 1\n", "print(x)", "}",
     "\n"},
    {"assertp", "x := 1\nassert(", "len(", "x", ")", "== 1)\n"},
    {"assertn", "x := 1\nassert(x", "", "", "+ x", "== 1)\n"},
    {"multi", "a := 1\nb := 1\na, b = ", "[a, ", "1", "]", ", b\n"},
    {"send", "c := chan()\nc <- ", "[", "1", "]", "\n"},
    {"mixed", "", "x := func() { if true { for i in 2 { switch i { case 1: ",
     "x := 1", " } } } }", "\n"},
    {"mixed2", "x := ", "[func() { return {a: \"${len([", "1", "])}\"} }]",
     "\n"},
};

enum { FORMS = sizeof forms / sizeof *forms, MOST = 1100 };

static char *nested(const Form *form, int count, size_t *len) {
  char *text;
  FILE *to = open_memstream(&text, len);
  fputs(form->before, to);
  for (int n = 0; n < count; n++) fputs(form->open, to);
  fputs(form->core, to);
  for (int n = 0; n < count; n++) fputs(form->close, to);
  fputs(form->after, to);
  fclose(to);
  return text;
}

// --- Ways to compile --------------------------------------------------------
typedef struct Compiling {
  Csp *csp;
  const char *given;  // the text of what is imported, NULL: it imports the next
  int names;          // that were given
} Compiling;

// A way gives the messages, malloced, or NULL.
typedef char *Way(Compiling *in, const char *text, size_t len);

static char *format(Compiling *in, const char *text, size_t len) {
  (void)in;
  Source source = {.path = "s.csp", .text = text, .len = len};
  char *message;
  free(lang_format(&source, &len, &message));
  return message;
}

static char *check(Compiling *in, const char *text, size_t len) {
  char *message;
  csp_check(in->csp, "s.csp", text, len, &message);
  return message;
}

// (What it does might take for ever, so nobody calls it.)
static char *in_function(const char *text) {
  char *whole;
  assert_true(asprintf(&whole, "func never() {\n%s}\n", text) > 0);
  return whole;
}

static char *load_text(Compiling *in, const char *text) {
  CspResult result;
  csp_load(csp_host(in->csp), "s.csp", text, strlen(text), &result);
  return result.message;
}

static char *load_function(Compiling *in, const char *text, size_t len) {
  (void)len;
  char *whole = in_function(text), *message = load_text(in, whole);
  free(whole);
  return message;
}

static char *import_it(Compiling *in, const char *text, size_t len) {
  (void)len;
  char *whole = in_function(text);
  in->given = whole;
  char *message = load_text(in, "import \"it\"\n");
  free(whole);
  return message;
}

static const struct {
  const char *name;
  Way *way;
} ways[] = {{"format", format},
            {"check", check},
            {"load", load_function},
            {"import", import_it}};

// --- Threads ----------------------------------------------------------------
typedef struct Job {
  Way *way;
  int deepest[FORMS];
} Job;

static bool is_accepted(Job *job, Compiling *in, const Form *form, int count) {
  size_t len;
  char *text = nested(form, count, &len);
  char *message = job->way(in, text, len);
  bool deep = message != NULL && strstr(message, "nested too deeply") != NULL;
  // Nothing is wrong with any of them.
  if (message != NULL && strstr(message, "unexpected") != NULL)
    fail_msg("%s: %s", form->name, message);
  free(message);
  free(text);
  return !deep;
}

static int deepest(Job *job, Compiling *in, const Form *form) {
  int low = 0, high = MOST;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (is_accepted(job, in, form, middle)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool give(void *arg, CspLoad *wanted) {
  Compiling *in = arg;
  // A name that has not failed yet.
  if (asprintf(&wanted->name, "m%d", in->names++) < 0) return false;
  if (in->given != NULL) {
    wanted->text = strdup(in->given);
  } else if (asprintf(&wanted->text, "import \"m%d\"\n", in->names) < 0) {
    return false;
  }
  wanted->len = strlen(wanted->text);
  return true;
}

static void open_compiling(Compiling *in) {
  CspConfig config;
  csp_config_init(&config);
  *in = (Compiling){.given = NULL};
  config.stepped = true;
  config.load = give;
  config.load_arg = in;
  in->csp = csp_new(&config);
  csp_install_language(in->csp);
  csp_install_library(in->csp);
}

static void *compile_all(void *arg) {
  Job *job = arg;
  Compiling in;
  open_compiling(&in);
  for (int n = 0; n < FORMS; n++)
    job->deepest[n] = deepest(job, &in, &forms[n]);
  csp_free(in.csp);
  return NULL;
}

static void run_on_stack(size_t size, void *(*work)(void *), void *arg) {
  enum { PAGE = 64 << 10 };
#if defined(__SANITIZE_THREAD__)
  size += 1 << 20;  // the sanitizer's own, in each thread's stack
#endif
  char *memory = mmap(NULL, size + PAGE, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert_true(memory != MAP_FAILED);
  assert_int_equal(mprotect(memory + PAGE, size, PROT_READ | PROT_WRITE), 0);
  pthread_t thread;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  assert_int_equal(pthread_attr_setstack(&attr, memory + PAGE, size), 0);
  assert_int_equal(pthread_create(&thread, &attr, work, arg), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attr);
  munmap(memory, size + PAGE);
}

// --- Tests ------------------------------------------------------------------
static void nested_code_on_small_stacks(void **state) {
  (void)state;
  static const size_t sizes[] = {64 << 10, 128 << 10, 256 << 10, 8 << 20};
  enum { SIZES = sizeof sizes / sizeof *sizes, FEWEST = 1 };
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    Job jobs[SIZES];
    for (int s = 0; s < SIZES; s++) {
      jobs[s].way = ways[w].way;
      run_on_stack(sizes[s], compile_all, &jobs[s]);
    }
    for (int n = 0; n < FORMS; n++) {
      bool fits = jobs[0].deepest[n] >= FEWEST;
      for (int s = 1; s < SIZES; s++)
        fits &= jobs[s].deepest[n] >= jobs[s - 1].deepest[n];
      if (!fits || getenv("SHOW_DEEPEST") != NULL)
        print_message("%s %s: %d %d %d %d\n", ways[w].name, forms[n].name,
                      jobs[0].deepest[n], jobs[1].deepest[n],
                      jobs[2].deepest[n], jobs[3].deepest[n]);
      assert_true(fits);
    }
  }
}

// --- Imports ----------------------------------------------------------------
static void *import_without_end(void *arg) {
  Compiling in;
  CspResult result;
  static const char importing[] = "import \"m0\"\n";
  open_compiling(&in);
  csp_load(csp_host(in.csp), "s.csp", importing, strlen(importing), &result);
  assert_int_equal(result.end, CSP_BAD_SCRIPT);
  assert_non_null(strstr(result.message, "imports are nested too deeply"));
  csp_result_free(&result);
  *(int *)arg = in.names;
  // It compiles what does not.
  csp_load(csp_host(in.csp), "t.csp", "x := [1]\n", 9, &result);
  assert_int_equal(result.end, CSP_DONE);
  csp_free(in.csp);
  return NULL;
}

static void imports_on_small_stacks(void **state) {
  (void)state;
  enum { CHAIN = 200 };
  int small, middle, large;
  run_on_stack(96 << 10, import_without_end, &small);
  run_on_stack(256 << 10, import_without_end, &middle);
  run_on_stack(8 << 20, import_without_end, &large);
  assert_true(small >= 1);
  assert_true(middle >= small);
  assert_true(large >= CHAIN);
}

// A chain of files that import each other.
static void *import_files(void *arg) {
  char *name = NULL;
  Host host;
  CspResult result;
  static const char importing[] = "import \"./m0\"\n";
  open_host(&host, STEPPED);
  assert_true(asprintf(&name, "%s/s.csp", (const char *)arg) > 0);
  csp_load(csp_host(host.csp), name, importing, strlen(importing), &result);
  free(name);
  assert_int_equal(result.end, CSP_BAD_SCRIPT);
  assert_non_null(strstr(result.message, "imports are nested too deeply"));
  csp_result_free(&result);
  close_host(&host);
  return NULL;
}

static void for_each_file(const char *folder, bool make) {
  for (int n = 0; n < 300; n++) {
    char name[64];
    snprintf(name, sizeof name, "%s/m%d.csp", folder, n);
    if (!make) {
      unlink(name);
      continue;
    }
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fprintf(file, "import \"./m%d\"\n", n + 1);
    fclose(file);
  }
}

static void imported_files_on_small_stacks(void **state) {
  (void)state;
  char folder[] = "/tmp/csp_stack_XXXXXX";
  assert_non_null(mkdtemp(folder));
  for_each_file(folder, true);
  run_on_stack(96 << 10, import_files, folder);
  run_on_stack(256 << 10, import_files, folder);
  run_on_stack(8 << 20, import_files, folder);
  for_each_file(folder, false);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nested_code_on_small_stacks),
      cmocka_unit_test(imports_on_small_stacks),
      cmocka_unit_test(imported_files_on_small_stacks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
