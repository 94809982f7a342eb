// SPDX-License-Identifier: MIT
// Each system call of sched/rt.c and sched/rt_poll.c, and those by which CPUs
// and memory are asked for, gives each error that it can. What is interrupted
// is done again. What is refused is done in another way, or is an error that
// the caller gets, or ends the process with a message where nothing could go
// on. Nothing tries for ever.
#include "embed_fixture.h"
#include "injected.h"
// the fixture first: cmocka wants its headers before
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "descriptors.h"
#include "sched/cpu_count.h"
#include "sched/rt.h"

typedef struct Failure {
  const char *call;
  int error;
} Failure;
#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

static const int64_t MS = 1000000;

static void setup_poll(RtPoll *poll) {
  inject_none();
  assert_int_equal(rt_poll_open(poll), 0);
}

// --- Opening a poller -------------------------------------------------------
static void a_poller_is_refused(void **state) {
  (void)state;
  static const Failure all[] = {
      {"epoll_create1", EMFILE}, {"epoll_create1", ENFILE},
      {"epoll_create1", ENOMEM}, {"epoll_create1", EPERM},
      {"epoll_create1", ENOSYS}, {"eventfd", EMFILE},
      {"eventfd", ENFILE},       {"eventfd", ENODEV},
      {"eventfd", ENOMEM},       {"eventfd", EPERM},
      {"eventfd", ENOSYS},       {"epoll_ctl", ENOMEM},
      {"epoll_ctl", ENOSPC},     {"epoll_ctl", EPERM},
      {"epoll_ctl", ENOSYS},
  };
  int before = open_descriptors();
  for (int i = 0; i < COUNT(all); i++) {
    RtPoll poll;
    inject(all[i].call, all[i].error, 1);
    assert_int_equal(rt_poll_open(&poll), all[i].error);
    assert_int_equal(open_descriptors(), before);
  }
}

// Found when a poller is opened, and not by the first that waits.
static void waits_are_refused(void **state) {
  (void)state;
  static const int errors[] = {EPERM, ENOSYS, EACCES, EINVAL};
  int before = open_descriptors();
  for (int i = 0; i < COUNT(errors); i++) {
    RtPoll poll;
    inject("epoll_pwait2", errors[i], ALWAYS);
    inject_too("epoll_wait", errors[i], ALWAYS, 1);
    assert_int_equal(rt_poll_open(&poll), errors[i]);
    assert_int_equal(open_descriptors(), before);
  }
}

// --- Waiting ----------------------------------------------------------------
// A descriptor that can be read, and its event.
static int readable(RtPoll *poll, int ends[2]) {
  assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
  int error = rt_poll_add(poll, ends[0], 7);
  assert_int_equal(write(ends[1], "x", 1), 1);
  return error;
}

static void close_pair(const int ends[2]) {
  close(ends[0]);
  close(ends[1]);
}

static void expect_event(RtPoll *poll) {
  RtPollEvent event = {0};
  assert_int_equal(rt_poll_wait(poll, &event, 1, rt_now() + 10000 * MS), 1);
  assert_int_equal(event.tag, 7);
  assert_true(event.readable);
}

static void waits_have_another_way(void **state) {
  (void)state;
  static const int errors[] = {EPERM, ENOSYS, EACCES, EINVAL, EFAULT};
  for (int i = 0; i < COUNT(errors); i++) {
    RtPoll poll;
    RtPollEvent event;
    int ends[2];
    setup_poll(&poll);
    const Injection *refused = inject("epoll_pwait2", errors[i], ALWAYS);
    int64_t until = rt_now() + 3 * MS;
    assert_int_equal(rt_poll_wait(&poll, &event, 1, until), 0);
    assert_true(rt_now() >= until);
    assert_true(refused->calls <= 1);
    assert_int_equal(readable(&poll, ends), 0);
    expect_event(&poll);
    close_pair(ends);
    rt_poll_close(&poll);
  }
}

static void a_wait_is_interrupted(void **state) {
  (void)state;
  for (int old = 0; old < 2; old++) {
    RtPoll poll;
    RtPollEvent event;
    int ends[2];
    setup_poll(&poll);
    assert_int_equal(readable(&poll, ends), 0);
    inject("epoll_pwait2", old ? ENOSYS : EINTR, old ? ALWAYS : 1);
    if (old) inject_too("epoll_wait", EINTR, 1, 1);
    // Nothing came, and its caller looks for other work.
    int64_t until = rt_now() + 10000 * MS;
    assert_int_equal(rt_poll_wait(&poll, &event, 1, until), 0);
    expect_event(&poll);
    inject_none();
    close_pair(ends);
    rt_poll_close(&poll);
  }
}

static void adding_is_refused(void **state) {
  (void)state;
  static const int errors[] = {EBADF,  EEXIST, EINVAL, ELOOP,
                               ENOMEM, ENOSPC, EPERM};
  for (int i = 0; i < COUNT(errors); i++) {
    RtPoll poll;
    int ends[2];
    setup_poll(&poll);
    inject("epoll_ctl", errors[i], 1);
    assert_int_equal(readable(&poll, ends), errors[i]);
    assert_int_equal(rt_poll_add(&poll, ends[0], 7), 0);
    expect_event(&poll);
    inject("epoll_ctl", i % 2 == 0 ? ENOENT : EBADF, 1);
    rt_poll_remove(&poll, ends[0]);
    close_pair(ends);
    rt_poll_close(&poll);
  }
}

static void a_close_fails(void **state) {
  (void)state;
  static const int errors[] = {EINTR, EIO};
  for (int i = 0; i < COUNT(errors); i++) {
    int before = open_descriptors();
    RtPoll poll;
    setup_poll(&poll);
    assert_true(rt_poll_descriptor(&poll) >= 0);
    const Injection *all = inject("close", errors[i], ALWAYS);
    rt_poll_close(&poll);
    assert_int_equal(all->calls, 3);  // none of them twice
    inject_none();
    assert_int_equal(open_descriptors(), before);
  }
}

// --- Breaks -----------------------------------------------------------------
static void a_break_is_interrupted(void **state) {
  (void)state;
  static const Failure all[] = {
      {"write", EINTR}, {"read", EINTR}, {"read", EAGAIN}};
  for (int i = 0; i < COUNT(all); i++) {
    RtPoll poll;
    RtPollEvent event;
    setup_poll(&poll);
    int times = all[i].error == EAGAIN ? 1 : 3;
    const Injection *one = inject(all[i].call, all[i].error, times);
    rt_poll_break(&poll);
    assert_int_equal(rt_poll_wait(&poll, &event, 1, RT_FOREVER), 0);
    assert_int_equal(one->failed, times);
    assert_int_equal(poll.broken, 0);
    rt_poll_break(&poll);
    assert_int_equal(rt_poll_wait(&poll, &event, 1, RT_FOREVER), 0);
    rt_poll_close(&poll);
  }
}

// Its count is full, so that it is readable.
static void a_full_break_breaks(void **state) {
  (void)state;
  RtPoll poll;
  RtPollEvent event;
  uint64_t most = UINT64_MAX - 1;
  setup_poll(&poll);
  assert_int_equal(write(poll.break_fd, &most, sizeof most), sizeof most);
  rt_poll_break(&poll);
  assert_int_equal(rt_poll_wait(&poll, &event, 1, RT_FOREVER), 0);
  assert_int_equal(poll.broken, 0);
  rt_poll_close(&poll);
}

// --- The host's descriptor --------------------------------------------------
static bool is_readable(int fd, int ms) {
  struct pollfd one = {fd, POLLIN, 0};
  return poll(&one, 1, ms) == 1;
}

static void an_alarm_is_refused(void **state) {
  (void)state;
  static const Failure all[] = {
      {"timerfd_create", EMFILE},  {"timerfd_create", ENFILE},
      {"timerfd_create", ENODEV},  {"timerfd_create", ENOMEM},
      {"timerfd_create", EPERM},   {"timerfd_create", ENOSYS},
      {"timerfd_settime", EPERM},  {"timerfd_settime", ENOSYS},
      {"timerfd_settime", EINVAL}, {"epoll_ctl", ENOMEM},
      {"epoll_ctl", ENOSPC},
  };
  RtPoll poll;
  setup_poll(&poll);
  int before = open_descriptors();
  for (int i = 0; i < COUNT(all); i++) {
    inject(all[i].call, all[i].error, 1);
    errno = 0;
    assert_int_equal(rt_poll_descriptor(&poll), -1);
    assert_int_equal(errno, all[i].error);
    assert_int_equal(open_descriptors(), before);
  }
  int fd = rt_poll_descriptor(&poll);
  assert_true(fd >= 0);
  assert_false(is_readable(fd, 0));
  rt_poll_alarm(&poll, rt_now() + MS);
  assert_true(is_readable(fd, 10000));
  rt_poll_close(&poll);
}

// --- Futexes ----------------------------------------------------------------
static void a_futex_wait_ends(void **state) {
  (void)state;
  uint32_t word = 1;
  inject("futex", EINTR, 1);
  assert_true(rt_futex_wait(&word, 1, RT_FOREVER));
  inject("futex", EAGAIN, 1);
  assert_true(rt_futex_wait(&word, 1, RT_FOREVER));
  inject("futex", ETIMEDOUT, 1);
  assert_false(rt_futex_wait(&word, 1, RT_FOREVER));
}

static void a_note_waits_on(void **state) {
  (void)state;
  RtNote note = {0};
  const Injection *interrupted = inject("futex", EINTR, 5);
  int64_t until = rt_now() + 2 * MS;
  assert_false(rt_note_wait(&note, until));
  assert_true(rt_now() >= until);
  assert_int_equal(interrupted->failed, 5);
}

// The thread that slept may have freed the word.
static void a_wake_fails(void **state) {
  (void)state;
  static const int errors[] = {EFAULT, EINVAL, EPERM};
  for (int i = 0; i < COUNT(errors); i++) {
    uint32_t word = 0;
    const Injection *one = inject("futex_wake", errors[i], ALWAYS);
    rt_futex_wake(&word, 1);
    assert_int_equal(one->calls, 1);
  }
}

// --- What ends the process --------------------------------------------------
static void wait_futex(void) {
  RtNote note = {0};
  rt_note_wait(&note, RT_FOREVER);
}

static void wait_poll(void) {
  RtPoll poll;
  RtPollEvent event;
  Injection saved = {.error = injections[0].error};
  const char *call = injections[0].call;
  setup_poll(&poll);
  inject(call, saved.error, ALWAYS);
  if (strcmp(call, "epoll_wait") == 0)
    inject_too("epoll_pwait2", saved.error, ALWAYS, 1);
  for (;;) {
    rt_poll_break(&poll);
    rt_poll_wait(&poll, &event, 1, RT_FOREVER);
  }
}

static void expect_end(const Failure *failure, void (*fn)(void),
                       const char *text) {
  int ends[2], how = 0;
  char said[256];
  inject_none();
  assert_int_equal(pipe(ends), 0);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    dup2(ends[1], STDERR_FILENO);
    alarm(60);  // where it spins
    inject(failure->call, failure->error, ALWAYS);
    fn();
    _exit(0);
  }
  close(ends[1]);
  size_t len = 0;
  for (ssize_t n; len < sizeof said - 1; len += (size_t)n)
    if ((n = read(ends[0], said + len, sizeof said - 1 - len)) <= 0) break;
  said[len] = '\0';
  close(ends[0]);
  assert_int_equal(waitpid(pid, &how, 0), pid);
  if (!WIFSIGNALED(how) || WTERMSIG(how) != SIGABRT || !strstr(said, text))
    fail_msg("%s, error %d: %x\n%s", failure->call, failure->error, how, said);
}

static void what_cannot_go_on_says_so(void **state) {
  (void)state;
  static const Failure futexes[] = {
      {"futex", EPERM}, {"futex", ENOSYS}, {"futex", EINVAL}};
  static const Failure polls[] = {
      {"epoll_wait", EPERM}, {"epoll_wait", EBADF}, {"epoll_wait", EINVAL}};
  static const Failure breaks[] = {
      {"write", EPERM}, {"write", EIO}, {"read", EPERM}, {"read", EIO}};
  for (int i = 0; i < COUNT(futexes); i++)
    expect_end(&futexes[i], wait_futex, "fatal error: futex: error ");
  for (int i = 0; i < COUNT(polls); i++)
    expect_end(&polls[i], wait_poll, "fatal error: epoll_wait: error ");
  for (int i = 0; i < COUNT(breaks); i++)
    expect_end(&breaks[i], wait_poll, "an eventfd: error ");
}

// --- Threads ----------------------------------------------------------------
static void count_run(void *arg) { rt_add((uint32_t *)arg, 1u); }

static void a_thread_is_refused(void **state) {
  (void)state;
  static const Failure all[] = {
      {"pthread_attr_init", ENOMEM}, {"pthread_attr_setstacksize", EINVAL},
      {"pthread_create", EAGAIN},    {"pthread_create", EPERM},
      {"pthread_create", EINVAL},    {"pthread_create", ENOMEM},
  };
  for (int i = 0; i < COUNT(all); i++) {
    RtThread thread = {0};
    uint32_t runs = 0;
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    inject(all[i].call, all[i].error, 1);
    assert_int_equal(rt_thread_start(&thread, count_run, &runs), all[i].error);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
    assert_int_equal(rt_thread_start(&thread, count_run, &runs), 0);
    rt_thread_join(&thread);
    assert_int_equal(runs, 1);
  }
}

// It has no name and no exact timers.
static void a_thread_runs_without_prctl(void **state) {
  (void)state;
  static const int errors[] = {EPERM, ENOSYS, EINVAL};
  for (int i = 0; i < COUNT(errors); i++) {
    RtThread thread = {0};
    uint32_t runs = 0;
    inject("prctl", errors[i], ALWAYS);
    assert_int_equal(rt_thread_start(&thread, count_run, &runs), 0);
    rt_thread_join(&thread);
    assert_int_equal(runs, 1);
  }
}

// What the slack was the system did not say. Put back, that made all sleeps of
// the thread later than any clock.
static void an_unknown_slack_is_not_put_back(void **state) {
  (void)state;
  inject_none();
  int64_t first = rt_timer_slack(1);
  inject("prctl", EPERM, 1);
  int64_t unknown = rt_timer_slack(1);
  assert_int_equal(unknown, -1);
  rt_timer_slack(unknown);
  assert_int_equal(rt_timer_slack(first), 1);
}

static void *ask_stack(void *arg) {
  size_t *left = arg;
  inject("pthread_getattr_np", ENOMEM, 1);
  left[0] = rt_stack_left();
  left[1] = rt_stack_left();
  return NULL;
}

static void a_stack_is_not_known(void **state) {
  (void)state;
  inject("getrlimit", EPERM, ALWAYS);
  assert_true(rt_stack_left() < SIZE_MAX);  // the main thread's, another way
  size_t left[2];
  pthread_t thread;
  inject_none();
  assert_int_equal(pthread_create(&thread, NULL, ask_stack, left), 0);
  pthread_join(thread, NULL);
  assert_true(left[0] == SIZE_MAX);
  assert_true(left[1] < SIZE_MAX);  // it asks again
}

// --- Descriptors, clocks, numbers -------------------------------------------
static void a_low_descriptor_stays_low(void **state) {
  (void)state;
  static const int errors[] = {EMFILE, EINVAL};
  for (int i = 0; i < COUNT(errors); i++) {
    inject_none();
    int saved = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    int before = open_descriptors();
    assert_int_equal(open("/dev/null", O_RDONLY), STDIN_FILENO);
    inject("fcntl", errors[i], 1);
    int moved = rt_fd_above_streams(STDIN_FILENO), error = errno;
    inject_none();
    int after = open_descriptors();
    if (saved >= 0) {
      dup2(saved, STDIN_FILENO);
      close(saved);
    }
    assert_int_equal(moved, -1);
    assert_int_equal(error, errors[i]);
    assert_int_equal(after, before);
  }
}

static void a_write_goes_on(void **state) {
  (void)state;
  static const int goes_on[] = {EINTR, EAGAIN};
  static const int ends[] = {EPIPE, EIO, ENOSPC, EBADF, EFBIG, EPERM, EDQUOT};
  int fds[2];
  assert_int_equal(pipe(fds), 0);
  for (int i = 0; i < COUNT(goes_on); i++) {
    inject("write", goes_on[i], 3);
    if (goes_on[i] == EAGAIN) inject_too("poll", EINTR, ALWAYS, 2);
    assert_int_equal(rt_write_all(fds[1], "abc", 3), 0);
    inject_none();
    char got[4] = "";
    assert_int_equal(read(fds[0], got, 3), 3);
    assert_string_equal(got, "abc");
  }
  for (int i = 0; i < COUNT(ends); i++) {
    inject("write", ends[i], 1);
    assert_int_equal(rt_write_all(fds[1], "abc", 3), ends[i]);
  }
  inject("write", EAGAIN, ALWAYS);
  inject_too("poll", ENOMEM, ALWAYS, 1);
  assert_int_equal(rt_write_all(fds[1], "abc", 3), ENOMEM);
  inject_none();
  close_pair(fds);
}

static void a_clock_is_refused(void **state) {
  (void)state;
  static const int errors[] = {EPERM, ENOSYS, EINVAL};
  for (int i = 0; i < COUNT(errors); i++) {
    inject("clock_gettime", errors[i], 1);
    assert_true(rt_cpu_time() == 0);
  }
}

static void randomness_is_refused(void **state) {
  (void)state;
  static const int errors[] = {ENOSYS, EPERM, EAGAIN, EINTR, EFAULT};
  for (int i = 0; i < COUNT(errors); i++) {
    const Injection *one = inject("getrandom", errors[i], ALWAYS);
    uint64_t first = rt_entropy(), second = rt_entropy();
    assert_true(first != second);
    assert_int_equal(one->calls, 2);
  }
}

static void cpus_are_not_known(void **state) {
  (void)state;
  static const int errors[] = {EPERM, ENOSYS, EINVAL, EFAULT, ESRCH};
  Memory memory = mem_libc;
  for (int i = 0; i < COUNT(errors); i++) {
    uint32_t cpus;
    inject("sched_getaffinity", errors[i], ALWAYS);
    assert_int_equal(cpu_count_in_affinity(), 1);
    assert_null(cpu_count_affinity(&memory, &cpus));
    assert_int_equal(sched_default_procs(), 1);
  }
  inject("sched_getcpu", ENOSYS, ALWAYS);
  assert_true(rt_cpu() < 0);
}

// --- A whole runtime --------------------------------------------------------
// Timers, goroutines, a wait for a descriptor, a blocking call, collections.
static const char script[] =
    "import \"net\"\n"
    "listener := net.listen(\"127.0.0.1:0\")?\n"
    "client := net.dial(listener.address())?\n"
    "server := listener.accept()?\n"
    "lines := chan(1)\n"
    "go { lines <- client.read()? }\n"
    "ticks := 0\n"
    "for i in 10 {\n  sleep(1ms)\n  ticks++\n}\n"
    "server.write(\"x\")?\n"
    "said := <-lines\n"
    "words := []\n"
    "for i in 20000 { words.push(\"word ${i}\") }\n"
    "sum := chan(4)\n"
    "for i in 4 {\n"
    "  go {\n"
    "    n := 0\n"
    "    for k in 20000 { n += k % 3 }\n"
    "    sum <- n\n"
    "  }\n"
    "}\n"
    "all := 0\n"
    "for i in 4 { all += <-sum }\n"
    "println(ticks, said, all, len(words))\n";

static const int some_procs[] = {STEPPED, 1, 4};

static void expect_all(const char *what, int error) {
  for (int p = 0; p < COUNT(some_procs); p++) {
    Host host;
    open_limited(&host, some_procs[p], (uint64_t)1 << 30, 0);
    int status = run(&host, script);
    if (status != 0 || strcmp(host.out, "10 x 79996 20000\n") != 0)
      fail_msg("%s, error %d, procs %d: status %d\n%s%s", what, error,
               some_procs[p], status, host.out, host.err);
    close_host(&host);
  }
  inject_none();
}

static void interrupted_calls_go_on(void **state) {
  (void)state;
  static const char *const calls[] = {"epoll_pwait2", "epoll_wait", "futex",
                                      "getrandom"};
  for (int i = 0; i < COUNT(calls); i++) {
    inject_none();
    inject_too(calls[i], EINTR, ALWAYS, 2);
    if (strcmp(calls[i], "epoll_wait") == 0)
      inject_too("epoll_pwait2", ENOSYS, ALWAYS, 1);
    expect_all(calls[i], EINTR);
  }
}

static void refused_calls_are_done_without(void **state) {
  (void)state;
  static const Failure all[] = {
      {"epoll_pwait2", EPERM},
      {"prctl", EPERM},
      {"getrandom", EPERM},
      {"sched_getcpu", ENOSYS},
      {"sched_getaffinity", EPERM},
      {"munmap", EINVAL},
      {"munmap", ENOMEM},
      {"madvise", EINVAL},
      {"madvise", ENOMEM},
      {"madvise", EAGAIN},
      {"getrlimit", EPERM},
      {"pthread_getattr_np", ENOMEM},
      {"close", EINTR},
  };
  for (int i = 0; i < COUNT(all); i++) {
    inject(all[i].call, all[i].error, ALWAYS);
    expect_all(all[i].call, all[i].error);
  }
}

static void no_memory_is_an_error(void **state) {
  (void)state;
  static const int errors[] = {ENOMEM, EAGAIN, EPERM};
  for (int i = 0; i < COUNT(errors); i++) {
    CspConfig config;
    test_config(&config);
    inject("mmap", errors[i], ALWAYS);
    assert_null(csp_new(&config));
    inject_none();
  }
}

static void no_threads_are_an_error(void **state) {
  (void)state;
  static const int errors[] = {EAGAIN, EPERM};
  for (int i = 0; i < COUNT(errors); i++) {
    for (int procs = 1; procs <= 4; procs += 3) {
      Host host;
      open_limited(&host, procs, (uint64_t)1 << 30, 0);
      inject("pthread_create", errors[i], ALWAYS);
      int status = run(&host,
                       "sum := chan(1)\n"
                       "go { sum <- 1 }\n"
                       "sleep(1ms)\n"
                       "println(<-sum)\n");
      bool said = strstr(host.err, strerror(errors[i])) != NULL;
      if (!said && (status != 0 || strcmp(host.out, "1\n") != 0))
        fail_msg("error %d, procs %d: status %d\n%s%s", errors[i], procs,
                 status, host.out, host.err);
      inject_none();
      close_host(&host);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stack_is_not_known),  // first: what it asks is kept
      cmocka_unit_test(a_poller_is_refused),
      cmocka_unit_test(waits_are_refused),
      cmocka_unit_test(waits_have_another_way),
      cmocka_unit_test(a_wait_is_interrupted),
      cmocka_unit_test(adding_is_refused),
      cmocka_unit_test(a_close_fails),
      cmocka_unit_test(a_break_is_interrupted),
      cmocka_unit_test(a_full_break_breaks),
      cmocka_unit_test(an_alarm_is_refused),
      cmocka_unit_test(a_futex_wait_ends),
      cmocka_unit_test(a_note_waits_on),
      cmocka_unit_test(a_wake_fails),
      cmocka_unit_test(what_cannot_go_on_says_so),
      cmocka_unit_test(a_thread_is_refused),
      cmocka_unit_test(a_thread_runs_without_prctl),
      cmocka_unit_test(an_unknown_slack_is_not_put_back),
      cmocka_unit_test(a_low_descriptor_stays_low),
      cmocka_unit_test(a_write_goes_on),
      cmocka_unit_test(a_clock_is_refused),
      cmocka_unit_test(randomness_is_refused),
      cmocka_unit_test(cpus_are_not_known),
      cmocka_unit_test(interrupted_calls_go_on),
      cmocka_unit_test(refused_calls_are_done_without),
      cmocka_unit_test(no_memory_is_an_error),
      cmocka_unit_test(no_threads_are_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
