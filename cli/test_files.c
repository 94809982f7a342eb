// SPDX-License-Identifier: MIT
// Which files `cspvm test` takes, and which tests they hold.
//
// A file that is named is taken. A folder stands for files in it and below it,
// in order of their paths. These are the files whose name ends in _test.csp,
// and those .csp files that expect something (test_expect.c). Names that begin
// with a dot are left out, and symbolic links are not followed. A file's
// functions that are tests follow the test of the whole file, if there is one,
// in their order.
#include <dirent.h>
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/new_runtime.h"
#include "cli/read_source.h"
#include "cli/test.h"
#include "lang/compile/outline.h"
#include "lang/source.h"

typedef struct Finder {
  Tests *tests;
  const TestOptions *options;
  TestFile *file;
  regex_t pattern;  // if options->run
} Finder;

static bool ends_with(const char *text, const char *end) {
  size_t len = strlen(text), size = strlen(end);
  return len >= size && strcmp(text + len - size, end) == 0;
}

// --- The tests of a file ----------------------------------------------------
static bool wanted(const Finder *finder, const char *name) {
  if (finder->options->run == NULL) return true;
  return regexec(&finder->pattern, finder->file->path, 0, NULL, 0) == 0 ||
         (name != NULL && regexec(&finder->pattern, name, 0, NULL, 0) == 0);
}

static Test *add_test(Finder *finder, TestKind kind) {
  Tests *tests = finder->tests;
  tests->at = test_realloc(tests->at, (tests->count + 1) * sizeof(Test));
  Test *test = &tests->at[tests->count++];
  *test = (Test){.kind = kind, .file = finder->file};
  return test;
}

// One for each run that is asked for.
static void add_runs(Finder *finder, TestKind kind, const char *name,
                     unsigned line) {
  if (!wanted(finder, name)) return;
  const TestOptions *options = finder->options;
  const Expect *expect = &finder->file->expect;
  bool own = options->procs_count == 0;
  const int *procs = own ? expect->procs : options->procs;
  size_t count = own ? expect->procs_count : options->procs_count;
  for (long again = expect->repeat * options->repeat; again > 0; again--) {
    for (size_t n = 0; n < count; n++) {
      Test *test = add_test(finder, kind);
      test->name = name != NULL ? test_format("%s", name) : NULL;
      test->line = line;
      test->procs = procs[n];
    }
  }
}

// Owns message.
static void add_broken(Finder *finder, char *message) {
  add_test(finder, TEST_BROKEN)->message = message;
}

typedef struct Functions {
  Finder *finder;  // NULL: only count them
  size_t count;
} Functions;

static void take_function(void *arg, const AstStr *name, Pos pos, bool takes) {
  Functions *functions = arg;
  if (takes || strncmp(name->text, "test_", 5) != 0) return;
  functions->count++;
  if (functions->finder != NULL)
    add_runs(functions->finder, TEST_FUNCTION, name->text, pos.line);
}

// NULL if it does, else malloced messages.
static char *compile(const TestFile *file) {
  CspConfig config;
  runtime_config(&config);
  config.procs = 1;
  config.debug = NULL;
  Csp *csp = runtime_new(&config);
  if (csp == NULL) return test_format("cannot be compiled\n");
  char *messages = NULL;
  bool fine = csp_check(csp, file->path, file->text, file->len, &messages);
  csp_free(csp);
  if (!fine)
    return messages != NULL ? messages : test_format("does not compile\n");
  free(messages);
  return NULL;
}

static void add_file_tests(Finder *finder) {
  TestFile *file = finder->file;
  const Expect *expect = &file->expect;
  Source source = {.path = file->path, .text = file->text, .len = file->len};
  Functions functions = {0};
  if (expect->error_count == 0)
    lang_functions(&source, take_function, &functions);
  bool tested = expect->any || functions.count > 0;
  char *messages = NULL;
  if (expect->wrong != NULL) {
    add_broken(finder, test_format("%s", expect->wrong));
  } else if (expect->skip.text != NULL) {
    if (!wanted(finder, NULL)) return;
    add_test(finder, TEST_SKIPPED)->message =
        test_format("%.*s", (int)expect->skip.len, expect->skip.text);
  } else if ((!tested || functions.count > 0) &&
             (messages = compile(file)) != NULL) {
    add_broken(finder, messages);
  } else {
    if (expect->any || !tested)
      add_runs(finder, expect->any ? TEST_EXPECT : TEST_SCRIPT, NULL, 0);
    functions.finder = finder;
    if (functions.count > 0) lang_functions(&source, take_function, &functions);
  }
}

// --- Files and folders ------------------------------------------------------
static bool is_known(const Tests *tests, const char *path) {
  for (size_t n = 0; n < tests->file_count; n++)
    if (strcmp(tests->files[n]->path, path) == 0) return true;
  return false;
}

static TestFile *new_file(Tests *tests, const char *path) {
  TestFile *file = test_realloc(NULL, sizeof *file);
  *file = (TestFile){.path = test_format("%s", path)};
  tests->files =
      test_realloc(tests->files, (tests->file_count + 1) * sizeof(TestFile *));
  tests->files[tests->file_count++] = file;
  return file;
}

static void free_file(TestFile *file) {
  expect_free(&file->expect);
  free(file->text);
  free(file->path);
  free(file);
}

static void take_file(Finder *finder, const char *path, bool named) {
  if (is_known(finder->tests, path)) return;
  finder->file = new_file(finder->tests, path);
  int error = source_load(path, NULL, &finder->file->text, &finder->file->len);
  if (error != 0) {
    add_broken(finder,
               test_format("cannot read it: %s\n", source_error(error)));
    return;
  }
  expect_read(&finder->file->expect, path,
              (Slice){finder->file->text, finder->file->len});
  if (named || ends_with(path, "_test.csp") || finder->file->expect.any) {
    add_file_tests(finder);
  } else {
    finder->tests->file_count--;
    free_file(finder->file);
  }
}

static int visible(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void take_folder(Finder *finder, const char *path);

static void take_entry(Finder *finder, const char *path) {
  struct stat status;
  if (lstat(path, &status) != 0) return;
  if (S_ISDIR(status.st_mode)) {
    take_folder(finder, path);
  } else if (S_ISREG(status.st_mode) && ends_with(path, ".csp")) {
    take_file(finder, path, false);
  }
}

static void take_folder(Finder *finder, const char *path) {
  struct dirent **entries;
  int count = scandir(path, &entries, visible, by_name);
  if (count < 0) {
    finder->file = new_file(finder->tests, path);
    add_broken(finder, test_format("cannot read it: %s\n", strerror(errno)));
    return;
  }
  bool here = strcmp(path, ".") == 0;
  for (int n = 0; n < count; n++) {
    const char *name = entries[n]->d_name;
    // A name that begins with - would be an option.
    char *full = here && *name != '-'
                     ? test_format("%s", name)
                     : test_format("%s%s%s", path,
                                   ends_with(path, "/") ? "" : "/", name);
    take_entry(finder, full);
    free(full);
    free(entries[n]);
  }
  free(entries);
}

void tests_find(Tests *tests, const TestOptions *options, const char *path) {
  Finder f = {.tests = tests, .options = options};
  struct stat status;
  if (options->run != NULL)
    regcomp(&f.pattern, options->run, REG_EXTENDED | REG_NOSUB);
  if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
    take_folder(&f, path);
  } else {
    take_file(&f, path, true);
  }
  if (options->run != NULL) regfree(&f.pattern);
}

void tests_free(Tests *tests) {
  for (size_t n = 0; n < tests->count; n++) {
    free(tests->at[n].name);
    free(tests->at[n].message);
  }
  for (size_t n = 0; n < tests->file_count; n++) free_file(tests->files[n]);
  free(tests->at);
  free(tests->files);
}
