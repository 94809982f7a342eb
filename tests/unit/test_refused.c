// SPDX-License-Identifier: MIT
// A system that refuses: filters of system calls, as containers have them, and
// limits that are reached. Each child refuses one call with one error. Its
// script ends by itself: it does all, or says what it cannot do.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "embed_fixture.h"

// --- What a child runs ------------------------------------------------------
// Timers, goroutines, threads, a pipe whose reader waits in netpoll. In the end
// it looks whether somebody has polled in vain, again and again.
static const char script[] =
    "import \"sched\"\n"
    "lines := chan(1)\n"
    "go { lines <- waits() }\n"
    "go {\n  sleep(20ms)\n  feeds()\n}\n"
    "said := \"nothing\"\n"
    "select {\ncase said = <-lines:\ncase <-after(10s):\n}\n"
    "ticks := 0\n"
    "for i in 10 {\n  sleep(5ms)\n  ticks++\n}\n"
    "blocks()\n"
    "polls := sched.stats().polls\n"
    "assert(polls < 2000, \"polled ${polls} times\")\n"
    "println(ticks, said)\n";

// A program that has closed its output goes on until the script, which runs
// meanwhile, makes a file. One that never ends is killed with its goroutine.
static const char program_script[] =
    "import \"os\"\n"
    "dir := os.temp_dir()?\n"
    "defer os.remove_all(dir)\n"
    "const SILENT = \"exec >&- 2>&-; : > silent; \"\n"
    "func run(code) => os.run(\"sh\", [\"-c\", SILENT + code], dir: dir)\n"
    "func becomes_silent() {\n"
    "  for !os.exists(dir + \"/silent\") { sleep(1ms) }\n"
    "  os.remove(dir + \"/silent\")\n}\n"
    "t := go run(\"while [ ! -e go ]; do sleep 0.01; done; exit 7\")\n"
    "becomes_silent()\n"
    "os.write_file(dir + \"/go\", \"\")\n"
    "result, err := <-t\n"
    "group g {\n"
    "  go run(\"sleep 1000\")\n"
    "  becomes_silent()\n"
    "  g.cancel()\n}\n"
    "println(result.status, err)\n";

static int ends[2];  // of a pipe

static void nothing(void *data) { (void)data; }

static CspStatus waited(CspCall *call, void *data, bool made) {
  (void)data;
  char byte;
  if (!made) return csp_ok_string(call, "refused", 7);
  return csp_ok_string(call, &byte, read(ends[0], &byte, 1) == 1);
}

static CspWait wait_of_pipe;
static CspStatus waits(CspCall *call) {
  wait_of_pipe.fd = ends[0];
  return csp_block_fd(call, &wait_of_pipe, nothing, waited, NULL);
}

static CspStatus feeds(CspCall *call) {
  return csp_ok_bool(call, write(ends[1], "x", 1) == 1);
}

static CspStatus blocked(CspCall *call, void *data, bool made) {
  (void)data;
  return csp_ok_bool(call, made);
}
static CspStatus blocks(CspCall *call) {
  return csp_block(call, nothing, blocked, NULL);
}

static const CspFunction natives[] = {{"waits", "", waits},
                                      {"feeds", "", feeds},
                                      {"blocks", "", blocks},
                                      {NULL, NULL, NULL}};

// --- Refusing ---------------------------------------------------------------
typedef struct Refusal {
  const char *name;
  int number, error;
  bool works;                // all the same
  const char *script, *out;  // NULL: those above
} Refusal;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

#define REFUSAL(name, error, works) \
  { #name " " #error, SYS_##name, error, works, NULL, NULL }
#define REFUSAL_OF_PROGRAMS(name, error) \
  { #name " " #error, SYS_##name, error, true, program_script, "7 nil\n" }
static const Refusal refusals[] = {
#ifdef SYS_epoll_pwait2
    REFUSAL(epoll_pwait2, EPERM, true),
    REFUSAL(epoll_pwait2, ENOSYS, true),
    REFUSAL(epoll_pwait2, EACCES, true),
    REFUSAL(epoll_pwait2, EINVAL, true),
#endif
    REFUSAL(epoll_create1, EMFILE, false),
    REFUSAL(epoll_create1, ENOMEM, false),
    REFUSAL(eventfd2, EMFILE, false),
    REFUSAL(eventfd2, EPERM, false),
    REFUSAL(epoll_ctl, ENOMEM, false),
    REFUSAL(epoll_ctl, ENOSPC, false),
    REFUSAL(timerfd_create, EMFILE, true),
    REFUSAL(timerfd_create, EPERM, true),
    REFUSAL(timerfd_settime, EPERM, true),
#ifndef SANITIZED  // they use these themselves, and die without
    REFUSAL(sched_getaffinity, EPERM, true),
    REFUSAL(sched_getaffinity, ENOSYS, true),
    REFUSAL(madvise, EPERM, true),
#endif
    REFUSAL(getrandom, ENOSYS, true),
    REFUSAL(getrandom, EPERM, true),
    REFUSAL(membarrier, EPERM, true),
    REFUSAL_OF_PROGRAMS(pidfd_open, ENOSYS),
    REFUSAL_OF_PROGRAMS(pidfd_open, EPERM),
};

static bool refuse(const Refusal *refusal) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refusal->number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)refusal->error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// --- Children ---------------------------------------------------------------
enum { DID_ALL, SAID_WHY, WRONG_OUTPUT, NO_RUNTIME, NO_FILTER, HANGS = 60 };

static int child(int procs, const Refusal *refusal) {
  alarm(HANGS);
  if (pipe(ends) != 0) return WRONG_OUTPUT;
  if (!refuse(refusal)) return NO_FILTER;
  Host host = {0};
  pthread_mutex_init(&host.lock, NULL);
  CspConfig config;
  test_config(&config);
  config.procs = procs == STEPPED ? 0 : procs;
  config.stepped = procs == STEPPED;
  config.allowed = CSP_ALL;
  config.write_out = take_out;
  config.write_err = take_err;
  config.write_arg = &host;
  host.csp = csp_new(&config);
  if (host.csp == NULL) return errno == refusal->error ? SAID_WHY : NO_RUNTIME;
  csp_install_language(host.csp);
  if (!csp_install_library(host.csp) ||
      !csp_register_builtins(host.csp, natives))
    return WRONG_OUTPUT;
  int status = run(&host, refusal->script != NULL ? refusal->script : script);
  csp_free(host.csp);
  const char *wanted = refusal->out != NULL ? refusal->out : "10 x\n";
  if (status == 0 && strcmp(host.out, wanted) == 0) return DID_ALL;
  // Stepped, nothing may wait for the pipe but the system.
  if (status == 0 && strcmp(host.out, "10 refused\n") == 0) return SAID_WHY;
  if (strstr(host.err, strerror(refusal->error)) != NULL) return SAID_WHY;
  print_error("status %d\n%s%s", status, host.out, host.err);
  return WRONG_OUTPUT;
}

static void every_refusal_is_survived(void **state) {
  (void)state;
  static const int procs[] = {STEPPED, 1, 4};
  for (size_t n = 0; n < sizeof refusals / sizeof *refusals; n++) {
    for (size_t p = 0; p < sizeof procs / sizeof *procs; p++) {
      const Refusal *refusal = &refusals[n];
      pid_t pid = fork();
      assert_true(pid >= 0);
      if (pid == 0) _exit(child(procs[p], refusal));
      int how = 0;
      assert_int_equal(waitpid(pid, &how, 0), pid);
      int end = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
      if (end == NO_FILTER) skip();
      if (end != DID_ALL && (refusal->works || end != SAID_WHY))
        fail_msg("%s, procs %d: %s %d", refusal->name, procs[p],
                 WIFEXITED(how) ? "status" : "signal",
                 WIFEXITED(how) ? end : WTERMSIG(how));
    }
  }
}

// --- Roots ------------------------------------------------------------------
// openat2 gives EAGAIN when a folder on the way is renamed, and is tried again;
// not for ever. Refused, there is no root.
static int rooted_child(const Refusal *refusal) {
  alarm(HANGS);
  CspConfig config;
  test_config(&config);
  config.stepped = true;
  config.allowed = CSP_FILES;
  config.root = "/tmp";
  Host host = {0};
  pthread_mutex_init(&host.lock, NULL);
  config.write_out = take_out;
  config.write_err = take_err;
  config.write_arg = &host;
  if (refusal->error != EAGAIN && !refuse(refusal)) return NO_FILTER;
  host.csp = csp_new(&config);
  if (host.csp == NULL) return errno == refusal->error ? SAID_WHY : NO_RUNTIME;
  csp_install_language(host.csp);
  if (!csp_install_library(host.csp)) return WRONG_OUTPUT;
  if (!refuse(refusal)) return NO_FILTER;
  int status = run(&host,
                   "import \"os\"\n"
                   "_, err := os.read_file(\"/x\")\n"
                   "println(err)\n");
  csp_free(host.csp);
  bool said = status == 0 && strstr(host.out, strerror(refusal->error)) != NULL;
  if (!said) print_error("status %d\n%s%s", status, host.out, host.err);
  return said ? SAID_WHY : WRONG_OUTPUT;
}

static void a_root_that_is_refused_is_told_of(void **state) {
  (void)state;
  static const Refusal roots[] = {REFUSAL(openat2, EAGAIN, false),
                                  REFUSAL(openat2, ENOSYS, false),
                                  REFUSAL(openat2, EPERM, false)};
  for (size_t n = 0; n < sizeof roots / sizeof *roots; n++) {
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) _exit(rooted_child(&roots[n]));
    int how = 0;
    assert_int_equal(waitpid(pid, &how, 0), pid);
    if (WIFEXITED(how) && WEXITSTATUS(how) == NO_FILTER) skip();
    if (!WIFEXITED(how) || WEXITSTATUS(how) != SAID_WHY)
      fail_msg("%s: %d", roots[n].name, how);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_root_that_is_refused_is_told_of),
      cmocka_unit_test(every_refusal_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
