// SPDX-License-Identifier: MIT
// The cspvm program: runs, checks and disassembles scripts.
//
// Its exit status is what the script chose, or:
//   0  success
//   1  an uncaught error, a panic or a deadlock
//   2  a compile or usage error, or SIGQUIT has ended it
// A program that another signal has ended ends by that signal (quit.c).
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/doc.h"
#include "cli/fmt_files.h"
#include "cli/new_runtime.h"
#include "cli/quit.h"
#include "cli/read_source.h"
#include "cli/repl.h"
#include "cli/test.h"

enum { STATUS_USAGE = 2, STATUS_QUIT = 2 };

typedef enum Mode { MODE_RUN, MODE_REPL, MODE_CHECK, MODE_DIS } Mode;

typedef struct Options {
  Mode mode;
  const char *code;  // -e
  const char *path;  // "-" means standard input, NULL the REPL alone
  Editor *editor;    // of the REPL, on a terminal
  CspConfig config;
} Options;

static const char help[] =
    "usage: cspvm [options]                           read and run inputs one "
    "by one\n"
    "       cspvm [options] file.csp [arguments...]   run a script\n"
    "       cspvm [options] -e code [arguments...]    run code\n"
    "       cspvm [options] - [arguments...]          run standard input\n"
    "       cspvm check file.csp                      compile only, with "
    "warnings\n"
    "       cspvm dis file.csp                        print its bytecode\n"
    "       cspvm test [files or folders...]          run tests (`cspvm test "
    "--help`)\n"
    "       cspvm fmt [--check] file.csp or folder... write in the one style\n"
    "       cspvm doc [name]                          what the library says "
    "of a function\n"
    "\n"
    "options:\n"
    "  -i          after the script go on reading inputs, with its names\n"
    "  --procs N   how many goroutines run at once (default: CSPPROCS, else "
    "the\n"
    "              CPUs this process may use)\n"
    "  --spawn=parent|child  what runs on after `go`: the one that starts (as "
    "in Go,\n"
    "              the default), or the one that is started (as in Cilk)\n"
    "  --max-threads N  how many threads may run and block in calls "
    "(default 10000)\n"
    "  --max-frames N   how deep calls may nest (default 1000000)\n"
    "  --max-stack MB   how large a goroutine's stack may grow (default 256)\n"
    "  --max-memory MB  how much the script's values may take (default: no "
    "limit)\n"
    "  --max-goroutines N  how many goroutines there may be (default: no "
    "limit)\n"
    "  --version   print the version\n"
    "  --help      print this\n";

static _Noreturn void usage_error(const char *what, const char *which) {
  fprintf(stderr, "cspvm: %s%s%s%s\nTry `cspvm --help`.\n", what,
          which != NULL ? " `" : "", which != NULL ? which : "",
          which != NULL ? "`" : "");
  exit(STATUS_USAGE);
}

// Options that take a number: X(name, least, most, field, unit)
#define NUMBER_OPTIONS(X)                                            \
  X("--procs", 1, PROCS_MOST, options->config.procs, 1)              \
  X("--max-threads", 2, 1000000, options->config.max_threads, 1)     \
  X("--max-frames", 1, 1000000000, options->config.max_frames, 1)    \
  X("--max-stack", 1, 65536, options->config.max_stack, 1 << 20)     \
  X("--max-memory", 1, 1 << 30, options->config.max_memory, 1 << 20) \
  X("--max-goroutines", 1, 1000000000, options->config.max_goroutines, 1)

// `--name N` or `--name=N`: how many words that took. 0: it is none of them.
static int parse_number_option(Options *options, const char *word,
                               const char *next) {
  size_t len = strcspn(word, "=");
  const char *text = word[len] == '=' ? word + len + 1 : next;
#define X(name, least, most, field, unit)                                     \
  if (len == strlen(name) && memcmp(word, name, len) == 0) {                  \
    field =                                                                   \
        (__typeof__(field))(config_number(name, text, least, most) * (unit)); \
    return word[len] == '=' ? 1 : 2;                                          \
  }
  NUMBER_OPTIONS(X)
#undef X
  return 0;
}

// One option at argv[at]: how many words it took, and 0 if it is none.
static int parse_option(Options *options, int argc, char **argv, int at) {
  const char *word = argv[at];
  const char *next = at + 1 < argc ? argv[at + 1] : NULL;
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    fputs(help, stdout);
    exit(output_end(0));
  }
  if (strcmp(word, "--version") == 0) {
    printf("cspvm %s\n", csp_version());
    exit(output_end(0));
  }
  if (strncmp(word, "--spawn=", 8) == 0) {
    options->config.child_first = strcmp(word + 8, "child") == 0;
    if (options->config.child_first || strcmp(word + 8, "parent") == 0)
      return 1;
    usage_error("--spawn is parent or child, not", word + 8);
  }
  int words = parse_number_option(options, word, next);
  if (words > 0) return words;
  if (strcmp(word, "-i") == 0) {
    options->mode = MODE_REPL;
    return 1;
  }
  if (strcmp(word, "-e") == 0) {
    if (next == NULL) usage_error("-e needs code after it", NULL);
    options->code = next;
    options->path = "-e";
    return 2;
  }
  if (word[0] == '-' && word[1] != '\0') usage_error("unknown option", word);
  return 0;
}

static Options parse_arguments(int argc, char **argv) {
  Options o = {0};
  runtime_config(&o.config);
  int at = 1;
  if (argc > 1 && strcmp(argv[1], "check") == 0) {
    o.mode = MODE_CHECK;
    at++;
  } else if (argc > 1 && strcmp(argv[1], "dis") == 0) {
    o.mode = MODE_DIS;
    at++;
  }
  for (int words; at < argc && o.path == NULL; at += words) {
    words = parse_option(&o, argc, argv, at);
    if (words == 0) break;
  }
  if (o.path == NULL && at < argc) o.path = argv[at++];
  if (o.path == NULL && o.mode == MODE_RUN) o.mode = MODE_REPL;
  if (o.path == NULL && o.mode != MODE_REPL)
    usage_error("no script given", NULL);
  if (o.mode == MODE_REPL && o.path != NULL && strcmp(o.path, "-") == 0)
    usage_error("-i needs a file: inputs come from standard input", NULL);
  o.config.argc = argc - at;
  o.config.argv = argv + at;
  return o;
}

static int show(char *text, char *messages, bool fine) {
  if (text != NULL) fputs(text, stdout);
  if (messages != NULL) fputs(messages, stderr);
  free(text);
  free(messages);
  return fine ? 0 : STATUS_USAGE;
}

// *signal: the one that has ended it, or 0.
static int perform(Csp *csp, const Options *options, const char *text,
                   size_t len, int *signal) {
  char *messages = NULL;
  int status = 0;
  if (options->mode == MODE_CHECK) {
    bool fine = csp_check(csp, options->path, text, len, &messages);
    return show(NULL, messages, fine);
  }
  if (options->mode == MODE_DIS) {
    char *listing = csp_disassemble(csp, options->path, text, len, &messages);
    return show(listing, messages, listing != NULL);
  }
  if (options->mode == MODE_REPL) {
    status = repl_run(csp, options->editor, options->path, text, len, signal);
  } else {
    QuitWatch quit;
    quit_begin(&quit, csp, QUIT_CANCELS);
    csp_run(csp, options->path, text, len, &status);
    *signal = quit_end(&quit, status);
  }
  return *signal == SIGQUIT ? STATUS_QUIT : status;
}

// Commands that read their own words.
static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} commands[] = {{"doc", doc_main}, {"fmt", fmt_main}, {"test", test_command}};

// Descriptors 0 to 2 that are closed stay as good as closed, but taken: the
// first file that is opened would be standard error otherwise, and get what is
// printed there.
static void take_closed_streams(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // fd is the lowest free one. It gets the wrong direction, so that its use
    // fails with EBADF as before.
    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int main(int argc, char **argv) {
  take_closed_streams();
  for (size_t n = 0; n < sizeof commands / sizeof *commands; n++) {
    if (argc > 1 && strcmp(argv[1], commands[n].name) == 0)
      return output_end(commands[n].run(argc - 2, argv + 2));
  }
  Options o = parse_arguments(argc, argv);
  char *text = (char *)(uintptr_t)o.code;
  size_t len = text != NULL ? strlen(text) : 0;
  if (text == NULL && o.path != NULL && !source_read(o.path, &text, &len))
    return STATUS_USAGE;
  if (o.mode == MODE_REPL) o.editor = repl_prepare(&o.config);
  Csp *csp = runtime_new(&o.config);
  if (csp == NULL) return 1;
  int signal = 0;
  int status = perform(csp, &o, text, len, &signal);
  bool stuck = csp_free(csp) > 0;
  if (o.code == NULL) free(text);
  if (signal != 0 && signal != SIGQUIT) {
    fflush(stdout);
    quit_die(signal);
    return quit_status(signal);  // the first process of a container ignores it
  }
  status = output_end(status);
  if (stuck)
    _exit(status);  // what exit takes down, their threads may still use
  return status;
}
