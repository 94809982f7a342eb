// SPDX-License-Identifier: MIT
// One test in this process: the script's top level, then one of its functions.
//
// The script may end in many ways that look like success (os.exit(0), a return
// at the top level): only when the function's results have arrived here has
// the test passed.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "cli/new_runtime.h"
#include "cli/quit.h"
#include "cli/read_source.h"
#include "cli/test.h"
#include "sched/rt.h"

typedef struct OneTest {
  bool child;
  bool passed;
} OneTest;

static const CspClass one_test = {"test", NULL, sizeof(OneTest), NULL};

static OneTest *state_of(CspCall *call) {
  return csp_state(csp_of(call), &one_test);
}

static CspStatus began(CspCall *call) {
  // Where nobody reads it any more nobody waits for it.
  if (state_of(call)->child) rt_write_all(BEGAN_FD, "b", 1);
  return csp_ok_nothing(call);
}

// The function's results are the arguments.
static CspStatus ended(CspCall *call) {
  int count = csp_argc(call);
  CspValue last = count > 0 ? csp_arg(call, count - 1) : csp_nil();
  if (csp_is_error(last)) return csp_ok(call, last);
  state_of(call)->passed = true;
  return csp_ok(call, csp_nil());
}

static const CspFunction functions[] = {{"_test_began", "", began},
                                        {"_test_ended", "results...", ended},
                                        {NULL, NULL, NULL}};

static int run(Csp *csp, const char *path, const char *text, size_t len,
               const char *function, bool child) {
  OneTest *test = NULL;
  if (csp_register_class(csp, &one_test, NULL) &&
      csp_register_builtins(csp, functions))
    test = csp_state(csp, &one_test);
  if (test == NULL) {
    fprintf(stderr, "cspvm: out of memory\n");
    return 1;
  }
  test->child = child;
  int status;
  QuitWatch quit;
  quit_begin(&quit, csp, QUIT_AT_ONCE);
  csp_run_test(csp, path, text, len, function, &status);
  if (quit_end(&quit, status) != 0) return 2;
  if (status != 0 || test->passed) return status;
  fprintf(stderr,
          "%s has not returned: the program ended before (by os.exit, or a "
          "return at the top level)\n",
          function);
  return 1;
}

int test_one(const char *path, const char *function, int procs, bool child,
             int argc, char **argv) {
  if (child) {
    fcntl(BEGAN_FD, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  }
  char *text;
  size_t len;
  if (!source_read(path, &text, &len)) return 2;
  CspConfig config;
  runtime_config(&config);
  if (procs > 0) config.procs = procs;
  config.argc = argc;
  config.argv = argv;
  Csp *csp = runtime_new(&config);
  int status = 1;
  if (csp != NULL) {
    status = run(csp, path, text, len, function, child);
    csp_free(csp);
  }
  free(text);
  return status;
}
