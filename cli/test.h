// SPDX-License-Identifier: MIT
// What the parts of `cspvm test` show each other.
//
//   test.c       the command: options, the report's lines, the exit status
//   test_files.c which files are taken, and which tests they hold
//   test_expect.c, test_compare.c  what a file's `// expect:` lines ask for,
//                and whether a run did it
//   test_run.c   runs tests, several at a time, each in a process of its own
//   test_child.c one such process: how it starts, its output and its end
//   test_one.c   the other side, which runs one test in this process
#ifndef CSP_CLI_TEST_H
#define CSP_CLI_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Bytes of a text that lives elsewhere.
typedef struct Slice {
  const char *text;
  size_t len;
} Slice;

typedef struct Slices {
  Slice *at;
  size_t count;
} Slices;

enum { PROCS_RUNS = 16 };

// --- test_expect.c ----------------------------------------------------------
typedef struct ExpectedError {
  long line;  // 0: anywhere
  Slice text;
} ExpectedError;

// The directives of one file. Slices point into its text.
typedef struct Expect {
  bool any;  // something is expected of the whole file
  Slices lines, unordered, errors_out, input, env;
  ExpectedError *errors;
  size_t error_count;
  char **args;  // malloced words
  size_t arg_count;
  int status;
  bool status_given;
  int procs[PROCS_RUNS];  // one run each; 0 means as many as there are CPUs
  size_t procs_count;     // at least 1
  long repeat;
  int64_t timeout;  // ns; 0 means not given
  Slice skip;       // .text NULL: no
  char *whole;      // the file NAME.expected, malloced; or NULL
  size_t whole_len;
  char *wrong;  // what is wrong with a directive, malloced; or NULL
} Expect;

void expect_read(Expect *expect, const char *path, Slice text);
void expect_free(Expect *expect);

// --- test_files.c -----------------------------------------------------------
typedef struct TestFile {
  char *path;
  char *text;
  size_t len;
  Expect expect;
} TestFile;

typedef enum TestKind {
  TEST_FUNCTION,  // the top level, then one function
  TEST_EXPECT,    // the whole file; its output is compared
  TEST_SCRIPT,    // the whole file: its exit status is to be 0
  TEST_SKIPPED,   // message: why
  TEST_BROKEN,    // message: why it cannot be tested
} TestKind;

typedef struct Test {
  TestKind kind;
  const TestFile *file;
  char *name;  // FUNCTION: malloced
  unsigned line;
  int procs;
  bool over, passed;  // test_run.c
  int64_t took;       // ns
  char *message;      // malloced: lines for the report, or NULL
} Test;

typedef struct Tests {
  TestFile **files;
  size_t file_count;
  Test *at;
  size_t count;
} Tests;

typedef struct TestOptions {
  const char *run;  // an extended regular expression, or NULL
  int64_t timeout;  // ns
  int jobs;
  int procs[PROCS_RUNS];
  size_t procs_count;  // 0: as the files say
  long repeat;
  bool verbose;
} TestOptions;

// Adds the tests of a file, or of a folder and all below it.
void tests_find(Tests *tests, const TestOptions *options, const char *path);
void tests_free(Tests *tests);

// --- test_child.c, test_run.c -----------------------------------------------
// The output of a process: all of it, or where it was too long its beginning
// and its end.
typedef struct Capture {
  char *data;
  size_t len, cap;
  uint64_t dropped;  // bytes, after the first CAPTURE_KEEP
} Capture;
enum { CAPTURE_KEEP = 1 << 20 };

typedef enum ChildPhase {
  CHILD_STARTING,  // a FUNCTION whose script has not begun
  CHILD_RUNNING,
  CHILD_ASKED,   // its time was up: it got SIGQUIT
  CHILD_KILLED,  // it did not end then: it got SIGKILL
} ChildPhase;

typedef struct Child {
  Test *test;  // NULL: this place is free
  int pid, pid_fd;
  int out, err, began;  // our ends of its pipes; -1 means none, or closed
  ChildPhase phase;
  int64_t limit;     // ns that it may run
  int64_t started;   // when
  int64_t deadline;  // of this phase
  Capture output, errors;
  char folder[4096];  // its TMPDIR
} Child;

// In ns; what started and deadline are read from.
int64_t child_clock(void);
// Starts test in child. false: it could not, and the test is over.
bool child_start(Child *child, Test *test, const TestOptions *options);
// Reads what is there, and looks at the clock.
void child_look(Child *child);
// Its process has ended, or is to end now: whatever it has started ends, too,
// and it is reaped. The status as from waitpid.
int child_end(Child *child);
// After that: frees what it has.
void child_free(Child *child);

// --- test_orphans.c ---------------------------------------------------------
// From now on, what tests leave behind is this process's.
void orphans_adopt(void);
// Kills all children, and theirs, and waits for them; when no test runs.
void orphans_end(void);

// --- test_run.c -------------------------------------------------------------
// Runs them; as soon as a test and all before it are over, done is called.
// 0, or the signal that asked for an end: some have not run then.
int tests_run(Tests *tests, const TestOptions *options,
              void (*done)(void *arg, const Test *test), void *arg);

// --- test_compare.c ---------------------------------------------------------
// Writes what is wrong with a run, and nothing if it did what was expected.
void compare_run(FILE *out, const Expect *expect, int status,
                 const Capture *output, const Capture *errors);
// What a process wrote, indented, without its middle if it is long.
void show_capture(FILE *out, const Capture *capture);
// `exit status 1`, or `ended by signal 11 (Segmentation fault)`.
void show_status(FILE *out, int status);

// --- test_one.c -------------------------------------------------------------
// Runs the top level of a file, then its function. `child`: tells descriptor
// BEGAN_FD when the script begins, and ends with the process that started it.
int test_one(const char *path, const char *function, int procs, bool child,
             int argc, char **argv);
enum { BEGAN_FD = 3 };

// --- test.c -----------------------------------------------------------------
_Noreturn void test_no_memory(void);
// Never NULL: without memory the program ends.
void *test_realloc(void *old, size_t size);
char *test_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
// `cspvm test ...`: the exit status.
int test_command(int argc, char **argv);

#endif
