// SPDX-License-Identifier: MIT
// Readiness of descriptors from the system (rt.h): epoll, edge-triggered, and
// an eventfd that breaks a wait. Linux only: epoll(7), eventfd(2).
//
// A thread that breaks a wait sets `broken` and, if it was clear, makes the
// eventfd readable. The wait that blocks reads it and clears `broken`. A wait
// that does not block leaves both alone, because it would take the break from
// the wait that it is for.
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "rt.h"

static const uint64_t BREAK_TAG = UINT64_MAX, ALARM_TAG = UINT64_MAX - 1;

// epoll_pwait2 is of Linux 5.11, and filters of system calls that are older
// refuse it with any error: else milliseconds, rounded up. -1: errno.
static int wait_ns(int fd, struct epoll_event *events, int room, int64_t ns) {
#ifdef SYS_epoll_pwait2
  struct timespec t = {ns / 1000000000, ns % 1000000000};
  long n =
      syscall(SYS_epoll_pwait2, fd, events, room, ns < 0 ? NULL : &t, NULL, 0);
  if (n >= 0 || errno == EINTR) return (int)n;
#endif
  int64_t ms = ns < 0 ? -1 : (ns + 999999) / 1000000;
  return epoll_wait(fd, events, room, ms > 1000000 ? 1000000 : (int)ms);
}

int rt_poll_open(RtPoll *poll) {
  poll->broken = 0;
  poll->alarm_fd = -1;
  poll->fd = rt_fd_above_streams(epoll_create1(EPOLL_CLOEXEC));
  if (poll->fd < 0) return errno;
  poll->break_fd = rt_fd_above_streams(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = BREAK_TAG};
  int error = 0;
  // It waits once, as where that is refused nothing can be watched.
  if (poll->break_fd < 0 ||
      epoll_ctl(poll->fd, EPOLL_CTL_ADD, poll->break_fd, &event) != 0 ||
      (wait_ns(poll->fd, &event, 1, 0) < 0 && errno != EINTR)) {
    error = errno;
    rt_poll_close(poll);
  }
  return error;
}

void rt_poll_close(RtPoll *poll) {
  if (poll->break_fd >= 0) close(poll->break_fd);
  if (poll->alarm_fd >= 0) close(poll->alarm_fd);
  close(poll->fd);
}

int rt_poll_add(RtPoll *poll, int fd, uint64_t tag) {
  struct epoll_event event = {
      .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.u64 = tag};
  return epoll_ctl(poll->fd, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

void rt_poll_remove(RtPoll *poll, int fd) {
  struct epoll_event none = {0};
  epoll_ctl(poll->fd, EPOLL_CTL_DEL, fd, &none);  // closed already: no matter
}

void rt_poll_break(RtPoll *poll) {
  // seq: what was set before it is seen after the wait that it ends. Pairs with
  // end_break
  if (rt_exchange(&poll->broken, 1u) != 0) return;
  uint64_t one = 1;
  ssize_t n;
  do n = write(poll->break_fd, &one, sizeof one);
  while (n < 0 && errno == EINTR);
  // EAGAIN: it is readable. Else the wait would last for ever
  RT_CHECK(n >= 0 || errno == EAGAIN, "write to an eventfd: error %d", errno);
}

static void end_break(RtPoll *poll) {
  uint64_t count;
  ssize_t n;
  do n = read(poll->break_fd, &count, sizeof count);
  while (n < 0 && errno == EINTR);
  // EAGAIN: others have read it. Else all waits from now on would end at once
  RT_CHECK(n >= 0 || errno == EAGAIN, "read of an eventfd: error %d", errno);
  // seq: what was set before the break is seen after the wait. Pairs with
  // rt_poll_break
  rt_store_seq(&poll->broken, 0u);
}

// Whatever `broken` says: a thread that breaks may be about to write.
void rt_poll_end_break(RtPoll *poll) { end_break(poll); }

int rt_poll_descriptor(RtPoll *poll) {
  if (poll->alarm_fd >= 0) return poll->fd;
  int fd = rt_fd_above_streams(
      timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (fd < 0) return -1;
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = ALARM_TAG};
  // Set to nothing, to see whether it can be set: rt_poll_alarm cannot fail.
  struct itimerspec none = {0};
  if (timerfd_settime(fd, 0, &none, NULL) != 0 ||
      epoll_ctl(poll->fd, EPOLL_CTL_ADD, fd, &event) != 0) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  poll->alarm_fd = fd;
  return poll->fd;
}

// (rt_now() is CLOCK_MONOTONIC, and never 0.)
void rt_poll_alarm(RtPoll *poll, int64_t when) {
  if (when == RT_FOREVER) when = 0;
  struct itimerspec spec = {.it_value = {when / 1000000000, when % 1000000000}};
  timerfd_settime(poll->alarm_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

int rt_poll_wait(RtPoll *poll, RtPollEvent *out, int room, int64_t deadline) {
  struct epoll_event events[RT_POLL_EVENTS];
  if (room > RT_POLL_EVENTS) room = RT_POLL_EVENTS;
  bool blocks = deadline != 0;
  int64_t ns = -1;
  if (deadline != RT_FOREVER) {
    ns = blocks ? deadline - rt_now() : 0;
    if (ns < 0) ns = 0;
  }
  int n = wait_ns(poll->fd, events, room, ns), count = 0;
  // Going on without events would spin for ever.
  RT_CHECK(n >= 0 || errno == EINTR, "epoll_wait: error %d", errno);
  for (int i = 0; i < n; i++) {
    uint32_t what = events[i].events;
    if (events[i].data.u64 == BREAK_TAG) {
      if (blocks) end_break(poll);
      continue;
    }
    if (events[i].data.u64 == ALARM_TAG) continue;  // until it is set anew
    bool ended = (what & (EPOLLHUP | EPOLLERR)) != 0;
    out[count++] = (RtPollEvent){
        .tag = events[i].data.u64,
        .readable = ended || (what & (EPOLLIN | EPOLLRDHUP)) != 0,
        .writable = ended || (what & EPOLLOUT) != 0,
    };
  }
  return count;
}
