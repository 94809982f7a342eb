// SPDX-License-Identifier: MIT
// Descriptors of the simulation, for sched/rt_poll.c: one epoll, eventfds, and
// sources that a virtual thread makes ready (sim_fd_signal), as a network card
// would. An edge is an entry in the list of events. A thread that waits sleeps
// on a futex. A call that does not sleep costs what such a futex call does.
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "sim.h"

enum { FIRST_FD = 100, FDS = 8192 };

typedef struct SimFd {
  uint64_t tag;
  uint32_t value;  // written and not read yet
  bool polled;     // epoll has it
  bool level;      // it stays in the list while there is a value
  bool pending;    // an edge of it is in the list
} SimFd;

static SimFd fds[FDS];
static int fd_count;
static int pending[FDS];  // fds with an edge, first come, first served
static int pending_first, pending_count;
static uint32_t *bell;  // in the arena: rung for each edge

void sim_net_reset(void) {
  for (int i = 0; i < FDS; i++) fds[i] = (SimFd){0};
  fd_count = pending_first = pending_count = 0;
  bell = NULL;
}

static SimFd *fd_at(int fd) {
  if (fd < FIRST_FD || fd >= FIRST_FD + fd_count) sim_fail("descriptor %d", fd);
  return &fds[fd - FIRST_FD];
}

int sim_fd_new(void) {
  if (fd_count == FDS) sim_fail("too many descriptors");
  fds[fd_count] = (SimFd){0};
  return FIRST_FD + fd_count++;
}

int sim_epoll_create(void) {
  bell = sim_alloc(RT_LINE, RT_LINE);
  return sim_fd_new();
}

static void add_edge(int fd) {
  SimFd *of = fd_at(fd);
  if (!of->polled || of->pending) return;
  of->pending = true;
  pending[(pending_first + pending_count++) % FDS] = fd;
}

int sim_epoll_ctl(int op, int fd, const struct epoll_event *event) {
  sim_charge(sim.costs.futex_none, TIME_SYSTEM);
  sim_catch_up();
  SimFd *of = fd_at(fd);
  of->polled = op == EPOLL_CTL_ADD;
  of->tag = event->data.u64;
  of->level = (event->events & EPOLLET) == 0;
  if (of->polled && of->value > 0) add_edge(fd);
  return 0;
}

// A write, by any thread: ready from now on.
void sim_fd_signal(int fd) {
  sim_catch_up();
  fd_at(fd)->value++;
  add_edge(fd);
  if (bell == NULL || pending_count == 0) return;
  *bell = 1;
  sim_futex_wake(bell, 1);
}

// How much was written since. It is all taken.
uint32_t sim_fd_take(int fd) {
  sim_charge(sim.costs.futex_none, TIME_SYSTEM);
  sim_catch_up();
  uint32_t value = fd_at(fd)->value;
  fd_at(fd)->value = 0;
  return value;
}

static int take_edges(struct epoll_event *events, int room) {
  int count = 0;
  for (int left = pending_count; count < room && left > 0; left--) {
    int fd = pending[pending_first];
    pending_first = (pending_first + 1) % FDS;
    pending_count--;
    SimFd *of = fd_at(fd);
    of->pending = false;
    if (of->level && of->value == 0) continue;
    events[count++] =
        (struct epoll_event){.events = EPOLLIN, .data.u64 = of->tag};
    if (of->level) add_edge(fd);
  }
  return count;
}

// ns < 0: for ever.
int sim_epoll_wait(struct epoll_event *events, int room, int64_t ns) {
  sim_charge(sim.costs.futex_none, TIME_SYSTEM);
  sim_catch_up();
  int64_t deadline = ns < 0 ? INT64_MAX : sim.current->clock + ns * 1000;
  bool timed_out = ns == 0;
  int count;
  while ((count = take_edges(events, room)) == 0 && !timed_out) {
    *bell = 0;
    sim_futex_wait(bell, 0, deadline, &timed_out);
  }
  return count;
}

// --- What rt_poll.c calls of libc -------------------------------------------
ssize_t sim_read(int fd, void *to, size_t size);
ssize_t sim_write(int fd, const void *from, size_t size);
int sim_close(int fd);

// Of an eventfd.
ssize_t sim_read(int fd, void *to, size_t size) {
  uint64_t value = sim_fd_take(fd);
  if (size != sizeof value) sim_fail("a read of %zu bytes", size);
  memcpy(to, &value, size);
  return (ssize_t)size;
}

// An eventfd, or what the scheduler has to say.
ssize_t sim_write(int fd, const void *from, size_t size) {
  if (fd <= STDERR_FILENO) return write(fd, from, size);
  sim_fd_signal(fd);
  return (ssize_t)size;
}

int sim_close(int fd) { return fd < 0; }
