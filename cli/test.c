// SPDX-License-Identifier: MIT
// `cspvm test`: options, the report's lines, the exit status.
#include "cli/test.h"

#include <errno.h>
#include <regex.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/new_runtime.h"
#include "sched/rt.h"

enum { STATUS_FAILED = 1, STATUS_USAGE = 2, JOBS_MAX = 200 };

static const char help[] =
    "usage: cspvm test [options] [files or folders...]\n"
    "\n"
    "Runs the functions `test_...` that take no parameters, each in a process "
    "of its\n"
    "own, and the files that hold `// expect:` lines. Of a folder (default: "
    "this one,\n"
    "with all below) it takes *_test.csp and the files that expect "
    "something.\n"
    "\n"
    "options:\n"
    "  --run REGEX    only those whose name or path this is found in\n"
    "  --timeout D    for each test, as 300ms, 10s, 2m (default 30s)\n"
    "  --jobs N       how many run at once (default: the CPUs)\n"
    "  --procs 1,2,8  run each test once with each of these --procs\n"
    "  --repeat N     run each test so often\n"
    "  -v             show all tests, with their time and output\n"
    "  --one=NAME FILE [arguments...]  run this one function in this process,\n"
    "                 without a time limit (for a debugger)\n"
    "\n"
    "Exit status: 0 all passed; 1 some failed; 2 wrong usage, no tests, or "
    "a file\n"
    "that cannot be read or compiled.\n";

// --- Memory -----------------------------------------------------------------
_Noreturn void test_no_memory(void) {
  fprintf(stderr, "cspvm test: out of memory\n");
  exit(STATUS_USAGE);
}

void *test_realloc(void *old, size_t size) {
  void *block = realloc(old, size);
  if (block == NULL) test_no_memory();
  return block;
}

char *test_format(const char *format, ...) {
  char *text;
  va_list args;
  va_start(args, format);
  if (vasprintf(&text, format, args) < 0) test_no_memory();
  va_end(args);
  return text;
}

// --- Options ----------------------------------------------------------------
static _Noreturn __attribute__((format(printf, 1, 2))) void usage_error(
    const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "cspvm test: ");
  vfprintf(stderr, format, args);
  va_end(args);
  fprintf(stderr, "\nTry `cspvm test --help`.\n");
  exit(STATUS_USAGE);
}

static long parse_number(const char *name, const char *text, long most) {
  char *end;
  errno = 0;
  long n = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || errno != 0 || n < 1 || n > most)
    usage_error("%s needs a number from 1 to %ld, not `%s`", name, most, text);
  return n;
}

static int64_t parse_duration(const char *name, const char *text) {
  static const struct {
    const char *unit;
    double ns;
  } units[] = {{"ns", 1},  {"us", 1e3}, {"ms", 1e6},
               {"s", 1e9}, {"m", 6e10}, {"h", 3.6e12}};
  char *end;
  double n = strtod(text, &end);
  for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++) {
    if (strcmp(end, units[i].unit) != 0) continue;
    double ns = n * units[i].ns;
    if (ns >= 1 && ns <= 1e15) return (int64_t)ns;
  }
  usage_error("%s needs a duration such as 300ms, 10s or 2m, not `%s`", name,
              text);
}

static void parse_procs(TestOptions *options, const char *text) {
  char *copy = test_format("%s", text), *rest = copy;
  options->procs_count = 0;
  for (char *word; (word = strsep(&rest, ",")) != NULL;) {
    if (options->procs_count == PROCS_RUNS)
      usage_error("--procs takes up to %d numbers", PROCS_RUNS);
    options->procs[options->procs_count++] =
        (int)parse_number("--procs", word, 1024);
  }
  free(copy);
}

static void parse_run(TestOptions *options, const char *text) {
  regex_t pattern;
  char why[256];
  int error = regcomp(&pattern, text, REG_EXTENDED | REG_NOSUB);
  if (error != 0) {
    regerror(error, &pattern, why, sizeof why);
    usage_error("--run needs a regular expression, not `%s`: %s", text, why);
  }
  regfree(&pattern);
  options->run = text;
}

// What the words ask for. `one`: a function to be run here.
typedef struct Command {
  TestOptions options;
  const char *one;
  bool child;
} Command;

static const struct {
  const char *name;
  char what;
} valued[] = {{"--run", 'r'}, {"--timeout", 't'}, {"--jobs", 'j'},
              {"-j", 'j'},    {"--procs", 'p'},   {"--repeat", 'n'},
              {"--one", 'o'}};

static void take_value(Command *command, char what, const char *value) {
  TestOptions *options = &command->options;
  switch (what) {
    case 'r':
      parse_run(options, value);
      break;
    case 't':
      options->timeout = parse_duration("--timeout", value);
      break;
    case 'j':
      options->jobs = (int)parse_number("--jobs", value, JOBS_MAX);
      break;
    case 'p':
      parse_procs(options, value);
      break;
    case 'n':
      options->repeat = parse_number("--repeat", value, 1000000);
      break;
    case 'o':
      command->one = value;
      break;
    default:
      rt_throw("take_value: an option of kind %c", what);
  }
}

// `--name value` or `--name=value`: how many words that took. 0: it is none.
static int parse_valued(Command *command, const char *word, const char *next) {
  size_t len = strcspn(word, "=");
  for (size_t n = 0; n < sizeof valued / sizeof *valued; n++) {
    if (strlen(valued[n].name) != len || memcmp(valued[n].name, word, len) != 0)
      continue;
    const char *value = word[len] == '=' ? word + len + 1 : next;
    if (value == NULL) usage_error("%s needs a value after it", word);
    take_value(command, valued[n].what, value);
    return word[len] == '=' ? 1 : 2;
  }
  return 0;
}

// Leaves the words that are no options, in front.
static int parse_words(Command *command, int argc, char **argv) {
  int left = 0, words;
  bool options = true;
  for (int at = 0; at < argc; at += words) {
    char *word = argv[at];
    words = 1;
    if (!options || word[0] != '-') {
      argv[left++] = word;
      // What follows the file belongs to the script.
      if (command->one != NULL) options = false;
    } else if (strcmp(word, "--") == 0) {
      options = false;
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      fputs(help, stdout);
      exit(output_end(0));
    } else if (strcmp(word, "-v") == 0) {
      command->options.verbose = true;
    } else if (strcmp(word, "--child") == 0) {
      command->child = true;
    } else {
      words = parse_valued(command, word, at + 1 < argc ? argv[at + 1] : NULL);
      if (words == 0) usage_error("unknown option `%s`", word);
    }
  }
  return left;
}

static int cpu_count(void) {
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count < JOBS_MAX ? count : JOBS_MAX;
}

// --- The report -------------------------------------------------------------
typedef struct Report {
  bool verbose;
  size_t passed, failed, skipped, broken;
  int cannot_write;  // errno of standard output, or 0
} Report;

static void show_title(const char *verdict, const Test *test) {
  printf("%s %s", verdict, test->file->path);
  if (test->name != NULL) printf(":%u: %s", test->line, test->name);
  if (test->procs > 0) printf(" --procs %d", test->procs);
}

static void show_passed(const Test *test) {
  show_title("ok  ", test);
  printf(" (%.3f s)\n", (double)test->took / 1e9);
  if (test->message != NULL) fputs(test->message, stdout);
}

static void show_broken(const Test *test) {
  show_title("FAIL", test);
  putchar('\n');
  for (const char *line = test->message; *line != '\0';) {
    size_t len = strcspn(line, "\n");
    printf("    %.*s\n", (int)len, line);
    line += len + (line[len] == '\n');
  }
}

static void tell(void *arg, const Test *test) {
  Report *report = arg;
  if (test->kind == TEST_BROKEN) {
    report->broken++;
    show_broken(test);
  } else if (test->kind == TEST_SKIPPED) {
    report->skipped++;
    printf("SKIP %s: %s\n", test->file->path, test->message);
  } else if (test->passed) {
    report->passed++;
    if (report->verbose) show_passed(test);
  } else {
    report->failed++;
    show_title("FAIL", test);
    printf("\n%s", test->message != NULL ? test->message : "");
  }
  if (fflush(stdout) != 0 && report->cannot_write == 0)
    report->cannot_write = errno;
}

static int summary(const Report *report, const TestOptions *options) {
  if (report->passed + report->failed + report->skipped + report->broken == 0) {
    fprintf(stderr, "cspvm test: no tests found");
    if (options->run != NULL) fprintf(stderr, " for `%s`", options->run);
    fprintf(stderr, "\nTry `cspvm test --help`.\n");
    return STATUS_USAGE;
  }
  printf("%zu passed, %zu failed", report->passed, report->failed);
  if (report->skipped > 0) printf(", %zu skipped", report->skipped);
  if (report->broken > 0) printf(", %zu not tested", report->broken);
  putchar('\n');
  if (report->broken > 0) return STATUS_USAGE;
  return report->failed > 0 ? STATUS_FAILED : 0;
}

// --- The command ------------------------------------------------------------
static int run_one(const Command *command, int count, char **words) {
  if (count == 0) usage_error("--one needs a file");
  const TestOptions *options = &command->options;
  int procs = options->procs_count > 0 ? options->procs[0] : 0;
  return test_one(words[0], command->one, procs, command->child, count - 1,
                  words + 1);
}

// As if the signal had ended this program: what started it sees that.
static void end_by(int signal_number) {
  fflush(stdout);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

int test_command(int argc, char **argv) {
  Command command = {.options = {.timeout = 30 * (int64_t)1000000000,
                                 .jobs = cpu_count(),
                                 .repeat = 1}};
  int count = parse_words(&command, argc, argv);
  if (command.one != NULL) return run_one(&command, count, argv);
  Tests tests = {0};
  if (count == 0) tests_find(&tests, &command.options, ".");
  for (int n = 0; n < count; n++) tests_find(&tests, &command.options, argv[n]);
  Report report = {.verbose = command.options.verbose};
  int ended_by = tests_run(&tests, &command.options, tell, &report);
  tests_free(&tests);
  if (report.cannot_write != 0 && report.cannot_write != EPIPE) {
    errno = report.cannot_write;
    return output_end(0);
  }
  if (ended_by != 0) end_by(ended_by);
  return summary(&report, &command.options);
}
