// SPDX-License-Identifier: MIT
// Put in front of each file of sched/ by the compiler's -include: memory,
// threads, clocks and system calls are the simulation's. Nothing else of these
// files differs from the ordinary build, but for the instrumentation.
#ifndef CSP_BENCH_SIM_LIBC_H
#define CSP_BENCH_SIM_LIBC_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void *sim_aligned_alloc(size_t align, size_t size);
void *sim_realloc(void *at, size_t size);
void sim_free(void *at);
long sim_syscall(long number, ...);
int sim_getcpu(void);
int sim_clock_gettime(struct timespec *to);
int sim_pthread_create(pthread_t *thread, void *(*run)(void *arg), void *arg);
int sim_pthread_join(pthread_t thread);
uint64_t sim_getrandom(void);
void sim_yield_cpu(void);
void sim_pause(void);
int sim_prctl(int option, ...);
int sim_fd_new(void);
int sim_epoll_create(void);
int sim_epoll_ctl(int op, int fd, const struct epoll_event *event);
ssize_t sim_read(int fd, void *to, size_t size);
ssize_t sim_write(int fd, const void *from, size_t size);
int sim_close(int fd);

#define malloc(size) sim_aligned_alloc(16, (size))
#define calloc(count, size) sim_aligned_alloc(16, (count) * (size))
#define aligned_alloc(align, size) sim_aligned_alloc((align), (size))
#define realloc(at, size) sim_realloc((at), (size))
#define free(at) sim_free(at)
#define syscall(...) sim_syscall(__VA_ARGS__)
#define sched_getcpu() sim_getcpu()
#define clock_gettime(clock, t) sim_clock_gettime(((void)(clock), (t)))
#define pthread_create(thread, attr, run, arg) \
  sim_pthread_create((thread), (run), (arg))
#define pthread_join(thread, result) sim_pthread_join(thread)
#define pthread_detach(thread) ((void)(thread))
#define pthread_sigmask(how, set, old) ((void)(set), (void)(old))
#define prctl(...) sim_prctl(__VA_ARGS__)
#define getrandom(at, size, flags) \
  (*(uint64_t *)(at) = sim_getrandom(), (ssize_t)(size))
#define epoll_create1(flags) sim_epoll_create()
#define epoll_ctl(epoll, op, fd, event) \
  ((void)(epoll), sim_epoll_ctl((op), (fd), (event)))
#define eventfd(value, flags) sim_fd_new()
#define read sim_read
#define write sim_write
#define close sim_close
#define sched_yield() sim_yield_cpu()
#define __builtin_ia32_pause() sim_pause()

#endif
