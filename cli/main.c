// SPDX-License-Identifier: MIT
// The cspvm program: runs, checks and disassembles scripts.
//
// Exit status: 0; 1 uncaught error, panic or deadlock; 2 compile or usage
// error; else what the script chose.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/source.h"
#include "stdlib/stdlib.h"
#include "vm/csp.h"

enum { STATUS_USAGE = 2 };

typedef enum Mode { MODE_RUN, MODE_CHECK, MODE_DIS } Mode;

typedef struct Options {
  Mode mode;
  const char *code;  // -e
  const char *path;  // "-": standard input
  CspConfig config;
} Options;

static const char help[] =
    "usage: cspvm [options] file.csp [arguments...]   run a script\n"
    "       cspvm [options] -e code [arguments...]    run code\n"
    "       cspvm [options] - [arguments...]          run standard input\n"
    "       cspvm check file.csp                      compile only, with "
    "warnings\n"
    "       cspvm dis file.csp                        print its bytecode\n"
    "\n"
    "options:\n"
    "  --procs N   how many goroutines run at once (default: CSPPROCS, else "
    "the\n"
    "              CPUs this process may use)\n"
    "  --max-threads N  how many threads may run and block in calls "
    "(default 10000)\n"
    "  --max-frames N   how deep calls may nest (default 1000000)\n"
    "  --max-stack MB   how large a goroutine's stack may grow (default 256)\n"
    "  --version   print the version\n"
    "  --help      print this\n";

static _Noreturn void usage_error(const char *what, const char *which) {
  fprintf(stderr, "cspvm: %s%s%s%s\nTry `cspvm --help`.\n", what,
          which ? " `" : "", which ? which : "", which ? "`" : "");
  exit(STATUS_USAGE);
}

// Options that take a number: X(name, least, most, field, unit)
#define NUMBER_OPTIONS(X)                                   \
  X("--procs", 1, 1024, o->config.procs, 1)                 \
  X("--max-threads", 1, 1000000, o->config.max_threads, 1)  \
  X("--max-frames", 1, 1000000000, o->config.max_frames, 1) \
  X("--max-stack", 1, 65536, o->config.max_stack, 1 << 20)

static long parse_number(const char *name, const char *text, long least,
                         long most) {
  char *end = NULL;
  errno = 0;
  long n = text ? strtol(text, &end, 10) : 0;
  if (text != NULL && *text != '\0' && *end == '\0' && errno == 0 &&
      n >= least && n <= most)
    return n;
  fprintf(stderr, "cspvm: %s needs a number from %ld to %ld, not `%s`\n", name,
          least, most, text ? text : "");
  exit(STATUS_USAGE);
}

// `--name N` or `--name=N`: how many words that took; 0: it is none of them.
static int parse_number_option(Options *o, const char *word, const char *next) {
  size_t len = strcspn(word, "=");
  const char *text = word[len] == '=' ? word + len + 1 : next;
#define X(name, least, most, field, unit)                                    \
  if (len == strlen(name) && memcmp(word, name, len) == 0) {                 \
    field =                                                                  \
        (__typeof__(field))(parse_number(name, text, least, most) * (unit)); \
    return word[len] == '=' ? 1 : 2;                                         \
  }
  NUMBER_OPTIONS(X)
#undef X
  return 0;
}

// One option at argv[at]; how many words it took, 0: it is none.
static int parse_option(Options *o, int argc, char **argv, int at) {
  const char *word = argv[at];
  const char *next = at + 1 < argc ? argv[at + 1] : NULL;
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    fputs(help, stdout);
    exit(0);
  }
  if (strcmp(word, "--version") == 0) {
    printf("cspvm %s\n", CSP_VERSION);
    exit(0);
  }
  int words = parse_number_option(o, word, next);
  if (words > 0) return words;
  if (strcmp(word, "-e") == 0) {
    if (next == NULL) usage_error("-e needs code after it", NULL);
    o->code = next;
    o->path = "-e";
    return 2;
  }
  if (word[0] == '-' && word[1] != '\0') usage_error("unknown option", word);
  return 0;
}

static Options parse_arguments(int argc, char **argv) {
  Options o = {0};
  csp_config_init(&o.config);
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
  if (o.path == NULL) {
    if (argc == 1) {
      fputs(help, stderr);
      exit(STATUS_USAGE);
    }
    usage_error("no script given", NULL);
  }
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

static int perform(Csp *csp, const Options *o, const char *text, size_t len) {
  char *messages = NULL;
  int status = 0;
  if (o->mode == MODE_CHECK) {
    bool fine = csp_check(csp, o->path, text, len, &messages);
    return show(NULL, messages, fine);
  }
  if (o->mode == MODE_DIS) {
    char *listing = csp_disassemble(csp, o->path, text, len, &messages);
    return show(listing, messages, listing != NULL);
  }
  csp_run(csp, o->path, text, len, &status);
  return status;
}

int main(int argc, char **argv) {
  Options o = parse_arguments(argc, argv);
  char *text = (char *)(uintptr_t)o.code;
  size_t len = text ? strlen(text) : 0;
  if (text == NULL && !source_read(o.path, &text, &len)) return STATUS_USAGE;
  Csp *csp = csp_new(&o.config);
  if (csp == NULL) {
    fprintf(stderr, "cspvm: cannot start: %s\n", strerror(errno));
    return 1;
  }
  csp_install_language(csp);
  if (!stdlib_install(csp)) {
    fprintf(stderr, "cspvm: cannot load the standard library\n");
    return 1;
  }
  int status = perform(csp, &o, text, len);
  csp_free(csp);
  if (o.code == NULL) free(text);
  if (fflush(stdout) != 0 && status == 0) status = 1;
  return status;
}
