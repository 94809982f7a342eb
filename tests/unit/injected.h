// SPDX-License-Identifier: MIT
// System calls that fail. The linker puts what is here in front of them
// (injected.opt), so that a test chooses which of them give which error, and
// when. A call that fails does nothing, but for close.
#ifndef CSP_TESTS_UNIT_INJECTED_H
#define CSP_TESTS_UNIT_INJECTED_H

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { ALWAYS = 1 << 30, INJECTED_AT_ONCE = 2 };

// The first `times` calls fail, of those that are counted: each `every`th.
typedef struct Injection {
  const char *call;
  int error, times, every;
  _Atomic int calls, failed;
} Injection;

static Injection injections[INJECTED_AT_ONCE];

static void inject_none(void) {
  for (int i = 0; i < INJECTED_AT_ONCE; i++) injections[i].call = NULL;
}

// In addition to what is injected. No other threads run.
static Injection *inject_too(const char *call, int error, int times,
                             int every) {
  Injection *free = &injections[injections[0].call != NULL];
  free->error = error;
  free->times = times;
  free->every = every;
  free->calls = free->failed = 0;
  free->call = call;
  return free;
}

static Injection *inject(const char *call, int error, int times) {
  inject_none();
  return inject_too(call, error, times, 1);
}

// The error that this call gives, 0: none.
static int injected(const char *call) {
  for (int i = 0; i < INJECTED_AT_ONCE; i++) {
    Injection *one = &injections[i];
    if (one->call == NULL || strcmp(one->call, call) != 0) continue;
    if (atomic_fetch_add(&one->calls, 1) % one->every != 0) continue;
    if (atomic_load(&one->failed) >= one->times) continue;
    atomic_fetch_add(&one->failed, 1);
    return errno = one->error;
  }
  return 0;
}

// --- In front of the system -------------------------------------------------
#define INJECT(type, failure, name, params, args)   \
  type __real_##name params;                        \
  type __wrap_##name params;                        \
  type __wrap_##name params {                       \
    if (injected(#name) != 0) return (type)failure; \
    return __real_##name args;                      \
  }
// Those of pthread give the error itself.
#define INJECT_PTHREAD(name, params, args)     \
  int __real_##name params;                    \
  int __wrap_##name params;                    \
  int __wrap_##name params {                   \
    int error = injected(#name);               \
    return error ? error : __real_##name args; \
  }

INJECT(int, -1, epoll_create1, (int flags), (flags))
INJECT(int, -1, epoll_ctl,
       (int poll, int what, int fd, struct epoll_event *event),
       (poll, what, fd, event))
INJECT(int, -1, epoll_wait,
       (int poll, struct epoll_event *events, int room, int ms),
       (poll, events, room, ms))
INJECT(int, -1, eventfd, (unsigned count, int flags), (count, flags))
INJECT(int, -1, timerfd_create, (clockid_t clock, int flags), (clock, flags))
INJECT(int, -1, timerfd_settime,
       (int fd, int flags, const struct itimerspec *to,
        struct itimerspec *before),
       (fd, flags, to, before))
INJECT(ssize_t, -1, read, (int fd, void *to, size_t room), (fd, to, room))
INJECT(ssize_t, -1, write, (int fd, const void *from, size_t len),
       (fd, from, len))
INJECT(int, -1, poll, (struct pollfd * fds, nfds_t count, int ms),
       (fds, count, ms))
INJECT(ssize_t, -1, getrandom, (void *to, size_t room, unsigned flags),
       (to, room, flags))
INJECT(int, -1, getrlimit, (__rlimit_resource_t what, struct rlimit *limit),
       (what, limit))
INJECT(int, -1, clock_gettime, (clockid_t clock, struct timespec *time),
       (clock, time))
INJECT(int, -1, sched_getcpu, (void), ())
INJECT(int, -1, sched_getaffinity, (pid_t pid, size_t size, cpu_set_t *set),
       (pid, size, set))
INJECT(void *, MAP_FAILED, mmap,
       (void *at, size_t size, int prot, int flags, int fd, off_t offset),
       (at, size, prot, flags, fd, offset))
INJECT(int, -1, munmap, (void *at, size_t size), (at, size))
INJECT(int, -1, madvise, (void *at, size_t size, int advice),
       (at, size, advice))
INJECT_PTHREAD(pthread_create,
               (pthread_t * thread, const pthread_attr_t *attr,
                void *(*start)(void *), void *arg),
               (thread, attr, start, arg))
INJECT_PTHREAD(pthread_attr_init, (pthread_attr_t * attr), (attr))
INJECT_PTHREAD(pthread_attr_setstacksize, (pthread_attr_t * attr, size_t size),
               (attr, size))
INJECT_PTHREAD(pthread_getattr_np, (pthread_t thread, pthread_attr_t *attr),
               (thread, attr))

// The descriptor is closed all the same, as Linux does.
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
  int result = __real_close(fd);
  return injected("close") != 0 ? -1 : result;
}

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...) {
  va_list args;
  va_start(args, command);
  long arg = va_arg(args, long);
  va_end(args);
  return injected("fcntl") != 0 ? -1 : __real_fcntl(fd, command, arg);
}

int __real_prctl(int what, ...);
int __wrap_prctl(int what, ...);
int __wrap_prctl(int what, ...) {
  unsigned long arg[4];
  va_list args;
  va_start(args, what);
  for (int i = 0; i < 4; i++) arg[i] = va_arg(args, unsigned long);
  va_end(args);
  if (injected("prctl") != 0) return -1;
  return __real_prctl(what, arg[0], arg[1], arg[2], arg[3]);
}

static const char *syscall_name(long number, long what) {
  switch (number) {
    case SYS_futex:
      return (what & FUTEX_CMD_MASK) == FUTEX_WAKE ? "futex_wake" : "futex";
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
      return "epoll_pwait2";
#endif
    default:
      return "others";
  }
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
  long arg[6];
  va_list args;
  va_start(args, number);
  for (int i = 0; i < 6; i++) arg[i] = va_arg(args, long);
  va_end(args);
  if (injected(syscall_name(number, arg[1])) != 0) return -1;
  return __real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

#endif
