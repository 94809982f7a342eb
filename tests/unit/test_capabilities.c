// SPDX-License-Identifier: MIT
// What a host must allow before a script may do it, and modules that it gives.
#include "host_fixture.h"

#include <unistd.h>

// --- Capabilities -----------------------------------------------------------
// Each: an expression, and what it needs.
static const struct {
  const char *code;
  uint32_t needs;
  const char *message;
} uses[] = {
    {"os.read_file(\"/dev/null\")", CSP_FILES,
     "os.read_file: the program that runs this script does not allow scripts "
     "to use files (CSP_FILES)"},
    {"os.list_dir(\"/dev/fd\")", CSP_FILES, "os.list_dir: "},
    {"os.walk(\"/dev/fd\")", CSP_FILES, "os.list_dir: "},
    {"os.lines(\"/dev/null\")", CSP_FILES, "os.open: "},
    {"os.open(\"/dev/null\")", CSP_FILES, "os.open: "},
    {"os.exists(\"/dev/null\")", CSP_FILES, "os.exists: "},
    {"os.glob(\"/dev/nu*\")", CSP_FILES, "os.glob: "},
    {"os.remove(\"/dev/fd/nothing\")", CSP_FILES, "os.remove: "},
    {"os.temp_dir(\"x\", \"/dev/null\")", CSP_FILES, "os.temp_dir: "},
    {"os.temp_file(folder: \"/dev/null\")", CSP_FILES, "os.temp_file: "},
    {"os.getwd()", CSP_FILES, "os.getwd: "},
    {"os.abs_path(\".\")", CSP_FILES, "os.abs_path: "},
    {"os.chdir(\"/dev/null\")", CSP_FILES, "os.chdir: "},
    {"os.is_terminal(1)", CSP_FILES, "os.is_terminal: "},
    {"os.stdin.name()", CSP_FILES, "file.name: "},
    {"os.read_line()", CSP_FILES, "file.read_line: "},
    {"os.read_all_stdin()", CSP_FILES, "file.read_all: "},
    {"os.run(\"true\")", CSP_PROCESSES,
     "os.run: the program that runs this script does not allow scripts to run "
     "other programs (CSP_PROCESSES)"},
    {"os.env(\"HOME\")", CSP_ENVIRONMENT,
     "os.env: the program that runs this script does not allow scripts to see "
     "the environment (CSP_ENVIRONMENT)"},
    {"os.environ()", CSP_ENVIRONMENT, "os.environ: "},
    {"os.set_env(\"A\", \"1\")", CSP_ENVIRONMENT, "os.set_env: "},
    {"os.unset_env(\"A\")", CSP_ENVIRONMENT, "os.unset_env: "},
    {"os.pid()", CSP_ENVIRONMENT, "os.pid: "},
    {"os.hostname()", CSP_ENVIRONMENT, "os.hostname: "},
    {"sched.set_procs(1)", CSP_PROCS,
     "sched.set_procs: the program that runs this script does not allow "
     "scripts to change the number of Ps (CSP_PROCS)"},
};

static void what_is_not_allowed_panics(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof uses / sizeof *uses; n++) {
    char text[256], expected[256];
    snprintf(text, sizeof text,
             "import \"os\"\nimport \"sched\"\n"
             "_, err := try(func() => %s)\nprint(str(err)[0:%zu])\n",
             uses[n].code, strlen(uses[n].message));
    snprintf(expected, sizeof expected, "%s", uses[n].message);
    CspConfig others = {.procs = 1, .allowed = CSP_ALL & ~uses[n].needs};
    expect_output(others, text, expected);
    expect_output((CspConfig){.procs = 1}, text, expected);
  }
}

// (Standard input is the test's own: nothing of it is read.)
static void what_is_allowed_works(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof uses / sizeof *uses; n++) {
    if (strstr(uses[n].code, "stdin()") != NULL ||
        strstr(uses[n].code, "read_line") != NULL)
      continue;
    char text[256];
    snprintf(text, sizeof text,
             "import \"os\"\nimport \"sched\"\n"
             "_, err := try(func() { _ = %s })\nprintln(err)\n",
             uses[n].code);
    CspConfig config = {.procs = 1, .allowed = uses[n].needs};
    expect_output(config, text, "nil\n");
  }
}

static void a_host_allows_nothing_unless_it_says_so(void **state) {
  (void)state;
  CspConfig config;
  memset(&config, 0xff, sizeof config);
  csp_config_init(&config);
  assert_int_equal(config.allowed, 0);
}

static void the_rest_of_the_library_needs_nothing(void **state) {
  (void)state;
  static const char text[] =
      "import \"os\"\nimport \"strings\"\nimport \"time\"\nimport \"rand\"\n"
      "import \"fmt\"\nimport \"math\"\nimport \"maps\"\nimport \"bytes\"\n"
      "import \"sched\"\n"
      "time.now()\nrand.int(5)\nsched.stats()\nsched.procs()\n"
      "println(os.args, os.join_path(\"a\", \"b\"), os.dir(\"a/b\"))\n";
  expect_output((CspConfig){.procs = 1}, text, "[] a/b a\n");
  CspConfig none = {.procs = 1};
  expect_end(none, "import \"os\"\nos.exit(3)", 3, "");
}

// --- Signals ----------------------------------------------------------------
static const char takes[] =
    "import \"os\"\nc, err := os.signals(\"INT\", \"HUP\")\n"
    "println(c == nil, err)\nif c != nil { println(<-c, len(c)) }\n";

static void signals_are_an_error_unless_the_host_gives_them(void **state) {
  (void)state;
  static const char none[] = "true os.signals: the host gives no signals\n";
  expect_output((CspConfig){.procs = 1}, takes, none);
  expect_output((CspConfig){.procs = 1, .allowed = CSP_ALL}, takes, none);
}

// The channel has all names that were asked for already.
static CspStatus give_signals(CspCall *call) {
  CspValue list = csp_arg(call, 0), channel = csp_chan(call, 4);
  for (size_t n = 0; n < csp_list_len(list); n++)
    assert_int_equal(csp_try_send(call, channel, csp_list_get(list, n)),
                     CSP_SENT);
  return csp_ok_value(call, channel);
}

static const CspFunction giver[] = {{"_signals", "names", give_signals},
                                    {NULL, NULL, NULL}};

static void a_host_gives_signals(void **state) {
  (void)state;
  Host host;
  host_open(&host, (CspConfig){.procs = 1});
  assert_true(csp_register_builtins(host.csp, giver));
  assert_int_equal(host_run(&host, takes), 0);
  assert_string_equal(host.out, "false nil\nINT 1\n");
  host_close(&host);
}

// --- A host's own functions -------------------------------------------------
static CspStatus answer(CspCall *call) { return csp_ok_int(call, 42); }

static double half(double x) { return x / 2; }

static const CspFunction functions[] = {
    {"free", "", answer},      CSP_REAL("half", half), CSP_NEEDS(CSP_FILES),
    {"files", "", answer},     CSP_REAL("file", half), CSP_NEEDS(CSP_PROCESSES),
    {"processes", "", answer}, {NULL, NULL, NULL}};
static const CspModule module = {.path = "own", .functions = functions};

static void a_hosts_functions_can_need_the_same(void **state) {
  (void)state;
  Host host;
  host_open(&host, (CspConfig){.procs = 1, .allowed = CSP_PROCESSES});
  assert_true(csp_register(host.csp, &module));
  assert_int_equal(host_run(&host,
                            "import \"own\"\n"
                            "println(own.free(), own.processes())\n"
                            "_, err := try(own.files)\nprintln(err)\n"),
                   0);
  assert_string_equal(host.out,
                      "42 42\nown.files: the program that runs this script "
                      "does not allow scripts to use files (CSP_FILES)\n");
  host_close(&host);
}

// What fits into a word, what does not, and what is no number.
static void functions_of_c_are_called_as_they_are(void **state) {
  (void)state;
  Host host;
  host_open(&host, (CspConfig){.procs = 1});
  assert_true(csp_register(host.csp, &module));
  assert_int_equal(
      host_run(&host,
               "import \"own\"\n"
               "println(own.half(5), own.half(-0.5), own.half(0))\n"
               "println(own.half(1e-320), own.half(x: 1 << 62))\n"
               "h := own.half\nprintln([1, 2].map(h))\n"
               "for f in [func() => h(\"5\"), func() => h(),\n"
               "  func() => h(1, 2), func() => own.file(1)] {\n"
               "  _, err := try(f)\n  println(err)\n}\n"),
      0);
  assert_string_equal(
      host.out,
      "2.5 -0.25 0.0\n5e-321 2305843009213694000.0\n[0.5, 1.0]\n"
      "own.half: x must be a number, not string\n"
      "own.half: too few arguments: 0 given, 1 needed\n"
      "own.half: too many arguments: 2 given, 1 taken\n"
      "own.file: the program that runs this script does not allow scripts to "
      "use files (CSP_FILES)\n");
  host_close(&host);
}

// --- Modules from the host --------------------------------------------------
typedef struct Module {
  const char *path, *name, *text, *error;
} Module;

static const Module modules[] = {
    {"lib/shapes", NULL, "import \"./area\"\nfunc twice(x) => 2 * area.of(x)\n",
     NULL},
    {"./area", "lib/area", "println(\"made\")\nfunc of(x) => x * x\n", NULL},
    {"lib/area", NULL, "not looked at: it is there", NULL},
    {"a", NULL, "import \"b\"\n", NULL},
    {"b", NULL, "import \"a\"\n", NULL},
    {"broken", "lib/broken", "func f( {\n", NULL},
    {"panics", "lib/panics", "func f() {\n  panic(\"inside\")\n}\n", NULL},
    {"refused", NULL, NULL, "only on Sundays"},
    {"empty", NULL, "", NULL},
    {"nothing", NULL, NULL, NULL},
    {"strings", NULL, "this is built in", NULL},
};

typedef struct Asked {
  char log[1024];
} Asked;

static char *copy_of(const char *text) {
  return text != NULL ? strdup(text) : NULL;
}

static bool load(void *arg, CspLoad *load) {
  Asked *asked = arg;
  size_t have = strlen(asked->log);
  snprintf(asked->log + have, sizeof asked->log - have, "%s<%s ", load->path,
           load->from);
  for (size_t n = 0; n < sizeof modules / sizeof *modules; n++) {
    if (strcmp(modules[n].path, load->path) != 0) continue;
    load->name = copy_of(modules[n].name);
    load->text = copy_of(modules[n].text);
    load->len = load->text != NULL ? strlen(load->text) : 0;
    load->error = copy_of(modules[n].error);
    return true;
  }
  return false;
}

static CspConfig loading(Asked *asked) {
  *asked = (Asked){{0}};
  return (CspConfig){.procs = 1, .load = load, .load_arg = asked};
}

static void modules_come_from_the_host(void **state) {
  (void)state;
  Asked asked;
  CspConfig config = loading(&asked);
  expect_output(
      config,
      "import \"lib/shapes\"\nimport \"lib/area\"\nimport \"empty\"\n"
      "import \"strings\"\n"
      "println(shapes.twice(3), area.of(4), strings.repeat(\"x\", 2))",
      "made\n18 16 xx\n");
  assert_string_equal(asked.log,
                      "lib/shapes<host.csp ./area<lib/shapes "
                      "lib/area<host.csp empty<host.csp ");
}

static void what_the_host_does_not_give_is_said(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"import \"./missing\"",
       "host.csp:1:1: error: cannot find the module \"./missing\""},
      {"import \"missing\"",
       "it is not built in, nor given by the program that runs this script, "
       "which does not allow scripts to use files (CSP_FILES)"},
      {"import \"refused\"",
       "cannot load the module \"refused\": only on Sundays"},
      {"import \"nothing\"",
       "cannot load the module \"nothing\": it has no text"},
      {"import \"a\"", "import cycle: a -> b -> a"},
      {"import \"broken\"", "lib/broken:1:"},
      {"import \"broken\"\nimport \"broken\"", "lib/broken:1:"},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    Asked asked;
    expect_end(loading(&asked), cases[n].text, 2, cases[n].message);
  }
  Asked asked;
  expect_end(loading(&asked), "import \"panics\"\npanics.f()", 1,
             "f at lib/panics:2:");
}

// Files come after the host, and only where they are allowed.
static void files_are_imported_if_allowed(void **state) {
  (void)state;
  char folder[] = "/tmp/csp-modules-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char path[64];
  snprintf(path, sizeof path, "%s/own.csp", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("func f() => 1\n", file);
  fclose(file);
  Asked asked;
  CspConfig config = loading(&asked);
  config.path = folder;
  expect_end(config, "import \"own\"", 2, "cannot find the module \"own\"");
  config.allowed = CSP_ALL & ~CSP_FILES;
  expect_end(config, "import \"own\"", 2, "CSP_FILES");
  config.allowed = CSP_FILES;
  expect_output(config, "import \"own\"\nprintln(own.f())", "1\n");
  unlink(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_allowed_panics),
      cmocka_unit_test(what_is_allowed_works),
      cmocka_unit_test(a_host_allows_nothing_unless_it_says_so),
      cmocka_unit_test(signals_are_an_error_unless_the_host_gives_them),
      cmocka_unit_test(a_host_gives_signals),
      cmocka_unit_test(the_rest_of_the_library_needs_nothing),
      cmocka_unit_test(a_hosts_functions_can_need_the_same),
      cmocka_unit_test(functions_of_c_are_called_as_they_are),
      cmocka_unit_test(modules_come_from_the_host),
      cmocka_unit_test(what_the_host_does_not_give_is_said),
      cmocka_unit_test(files_are_imported_if_allowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
