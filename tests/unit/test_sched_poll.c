// SPDX-License-Identifier: MIT
// Netpoll and posts on the real system: pipes and sockets, many at once,
// deadlines, close, a waiter beside a goroutine that computes, and threads of
// the host that post.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sched/poll.h"
#include "sched_fixture.h"

static const int64_t MS = 1000000;
enum { PAIRS = 200, TURNS = 20 };

static PollDesc *descs[2 * PAIRS];
static int fds[2 * PAIRS];
static int64_t read_count;

static void make_pair(int at) {
  assert_int_equal(
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds + at), 0);
}

static void open_pair(Sched *sched, int at) {
  make_pair(at);
  for (int i = at; i < at + 2; i++) {
    descs[i] = poll_open(sched, fds[i]);
    assert_non_null(descs[i]);
  }
}

static void shut_pair(P *p, int at) {
  for (int i = at; i < at + 2; i++) {
    poll_close(p, descs[i]);
    poll_free(descs[i]);
    close(fds[i]);
  }
}

static void all_once(Shared *shared) {
  for (int i = 0; i < shared->task_count; i++)
    shared->tasks[i].g.resume = task_resume_once;
}

// --- Echo -------------------------------------------------------------------
// Task 2k + 1 sends a byte and waits for its echo, 2k + 2 echoes.
static void echo(P *p, Task *task) {
  int at = task->id - 1;
  CO_BEGIN;
  for (task->i = 0; task->i < TURNS; task->i++) {
    if (at % 2 == 0) assert_int_equal(write(fds[at], "x", 1), 1);
    while (read(fds[at], &task->word, 1) < 0) {
      assert_int_equal(errno, EAGAIN);
      CO_POLL(descs[at], POLL_READ);
      assert_int_equal(task->chosen, POLL_READY);
    }
    rt_add(&task->shared->counts[0], (uint64_t)1);
    if (at % 2 == 1) assert_int_equal(write(fds[at], "x", 1), 1);
  }
  CO_END;
}

static void echo_main(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < PAIRS; task->i++)
    open_pair(task->shared->sched, 2 * (int)task->i);
  for (task->i = 1; task->i <= 2 * PAIRS; task->i++) {
    task->shared->tasks[task->i].body = echo;
    task_go(p, &task->shared->tasks[task->i]);
  }
  while (count_of(task->shared, 0) < (uint64_t)2 * PAIRS * TURNS) CO_SLEEP(MS);
  for (task->i = 0; task->i < PAIRS; task->i++) shut_pair(p, 2 * (int)task->i);
  CO_END;
}

static void sockets_echo(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 2 * PAIRS + 1);
    all_once(&shared);
    assert_int_equal(shared_run(&shared, echo_main), SCHED_EXITED);
    shared_free(&shared);
  }
}

// --- Full pipes -------------------------------------------------------------
enum { BULK = 1 << 20 };

static void bulk_writer(P *p, Task *task) {
  static const char block[4096];
  CO_BEGIN;
  while (task->n < BULK) {
    ssize_t n = write(fds[0], block, sizeof block);
    if (n > 0) {
      task->n += n;
      continue;
    }
    assert_int_equal(errno, EAGAIN);
    CO_POLL(descs[0], POLL_WRITE);
    assert_int_equal(task->chosen, POLL_READY);
  }
  rt_store_seq(&task->shared->counts[1], (uint64_t)1);
  CO_END;
}

static void bulk_reader(P *p, Task *task) {
  char block[1000];
  CO_BEGIN;
  read_count = 0;
  open_pair(task->shared->sched, 0);
  task->shared->tasks[1].body = bulk_writer;
  task_go(p, &task->shared->tasks[1]);
  while (read_count < BULK) {
    ssize_t n = read(fds[1], block, sizeof block);
    if (n > 0) {
      read_count += n;
      continue;
    }
    CO_POLL(descs[1], POLL_READ);
    assert_int_equal(task->chosen, POLL_READY);
  }
  while (count_of(task->shared, 1) == 0) CO_SLEEP(MS);
  shut_pair(p, 0);
  CO_END;
}

static void full_pipes_wait_for_room(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 2);
    all_once(&shared);
    assert_int_equal(shared_run(&shared, bulk_reader), SCHED_EXITED);
    assert_int_equal(read_count, BULK);
    shared_free(&shared);
  }
}

// --- Deadlines, close, busy -------------------------------------------------
static bool first_task_reads(const Task *task) {
  uintptr_t waiter = rt_load_acquire(&descs[0]->waiter[POLL_READ]);
  return waiter == (uintptr_t)&task->shared->tasks[0].g;
}

static void closer(P *p, Task *task) {
  CO_BEGIN;
  while (!first_task_reads(task)) CO_SLEEP(MS);
  CO_POLL(descs[0], POLL_READ);  // another waits already
  assert_int_equal(task->chosen, POLL_BUSY);
  poll_close(p, descs[0]);
  rt_store_seq(&task->shared->counts[1], (uint64_t)1);
  CO_END;
}

static void ends_main(P *p, Task *task) {
  CO_BEGIN;
  open_pair(task->shared->sched, 0);
  task->a = rt_now();
  poll_deadline(p, descs[0], POLL_READ, task->a + 3 * MS);
  CO_POLL(descs[0], POLL_READ);
  assert_int_equal(task->chosen, POLL_DEADLINE);
  assert_true(rt_now() - task->a >= 3 * MS);
  CO_POLL(descs[0], POLL_READ);  // it stays past
  assert_int_equal(task->chosen, POLL_DEADLINE);
  CO_POLL(descs[0], POLL_WRITE);  // the other side has none
  assert_int_equal(task->chosen, POLL_READY);
  poll_deadline(p, descs[0], POLL_READ, rt_now() - 1);
  CO_POLL(descs[0], POLL_READ);
  assert_int_equal(task->chosen, POLL_DEADLINE);
  poll_deadline(p, descs[0], POLL_READ, 0);
  task->shared->tasks[1].body = closer;
  task_go(p, &task->shared->tasks[1]);
  CO_POLL(descs[0], POLL_READ);
  assert_int_equal(task->chosen, POLL_CLOSED);
  CO_POLL(descs[0], POLL_WRITE);
  assert_int_equal(task->chosen, POLL_CLOSED);
  while (count_of(task->shared, 1) == 0) CO_SLEEP(MS);
  poll_free(descs[0]);
  poll_close(p, descs[1]);
  poll_free(descs[1]);
  close(fds[0]);
  close(fds[1]);
  CO_END;
}

static void waits_end(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 2);
    all_once(&shared);
    assert_int_equal(shared_run(&shared, ends_main), SCHED_EXITED);
    shared_free(&shared);
  }
}

static void files_are_always_ready(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 1);
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  assert_null(poll_open(shared.sched, fd));
  assert_int_equal(errno, EPERM);
  close(fd);
  assert_null(poll_open(shared.sched, -1));
  assert_int_equal(errno, EBADF);
  shared_free(&shared);
}

// --- Beside one that computes -----------------------------------------------
static void hog(P *p, Task *task) {
  CO_BEGIN;
  while (!rt_load_seq(&task->shared->flag)) {
    spin_ns(10000);
    CO_LOOK;
  }
  CO_END;
}

static void *write_later(void *arg) {
  (void)arg;
  struct timespec t = {0, 5 * MS};
  nanosleep(&t, NULL);
  assert_int_equal(write(fds[1], "x", 1), 1);
  return NULL;
}

static pthread_t thread;

static void beside_main(P *p, Task *task) {
  CO_BEGIN;
  open_pair(task->shared->sched, 0);
  for (task->i = 1; task->i < task->shared->task_count; task->i++) {
    task->shared->tasks[task->i].body = hog;
    task_go(p, &task->shared->tasks[task->i]);
  }
  pthread_create(&thread, NULL, write_later, NULL);
  CO_POLL(descs[0], POLL_READ);
  assert_int_equal(task->chosen, POLL_READY);
  rt_store_seq(&task->shared->flag, 1u);
  pthread_join(thread, NULL);
  shut_pair(p, 0);
  CO_END;
}

static void hogs_do_not_stop_the_network(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    Shared shared;
    shared_init(&shared, procs, procs + 1);
    all_once(&shared);
    assert_int_equal(shared_run(&shared, beside_main), SCHED_EXITED);
    SchedStats stats;
    sched_stats(shared.sched, &stats);
    shared_free(&shared);
  }
}

// --- Threads of the host ----------------------------------------------------
enum { HOST_THREADS = 3, HOST_POSTS = 2000 };

typedef struct Note {
  SchedPost post;
  Shared *shared;
} Note;

static G *main_g;

static void note_ran(P *p, SchedPost *post) {
  Note *note = (Note *)(void *)post;
  Shared *shared = note->shared;
  free(note);
  if (rt_add(&shared->counts[0], (uint64_t)1) ==
      HOST_THREADS * HOST_POSTS - 1) {
    sched_ready(p, main_g);
    sched_unpin(shared->sched);
  }
}

static void *post_many(void *arg) {
  for (int i = 0; i < HOST_POSTS; i++) {
    Note *note = calloc(1, sizeof *note);
    note->post.fn = note_ran;
    note->shared = arg;
    sched_post(note->shared->sched, &note->post);
    if (i % 100 == 0) usleep(100);
  }
  return NULL;
}

static pthread_t host_threads[HOST_THREADS];

static bool start_threads(G *g, void *arg) {
  main_g = g;
  for (int i = 0; i < HOST_THREADS; i++)
    pthread_create(&host_threads[i], NULL, post_many, arg);
  return true;
}

static void posts_main(P *p, Task *task) {
  CO_BEGIN;
  CO_LEAVE(sched_park(p, &task->g, WAIT_OTHER, start_threads, task->shared));
  CO_END;
}

static void posts_from_threads_arrive(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 1);
    all_once(&shared);
    sched_pin(shared.sched);
    assert_int_equal(shared_run(&shared, posts_main), SCHED_EXITED);
    assert_int_equal(shared.counts[0], HOST_THREADS * HOST_POSTS);
    for (int i = 0; i < HOST_THREADS; i++) pthread_join(host_threads[i], NULL);
    shared_free(&shared);
  }
}

// A bug once: it made a thread, which sched_run did not expect.
static void first_ran(P *p, SchedPost *post) {
  Note *note = (Note *)(void *)post;
  (void)p;
  rt_add(&note->shared->counts[0], (uint64_t)1);
}

static void first_main(P *p, Task *task) {
  CO_BEGIN;
  while (count_of(task->shared, 0) < 2) CO_YIELD;
  CO_END;
}

static void posts_before_the_start_wait(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 1);
    all_once(&shared);
    Note notes[2] = {{{NULL, first_ran}, &shared},
                     {{NULL, first_ran}, &shared}};
    sched_post(shared.sched, &notes[0].post);
    sched_post(shared.sched, &notes[1].post);
    assert_int_equal(shared_run(&shared, first_main), SCHED_EXITED);
    assert_int_equal(count_of(&shared, 0), 2);
    shared_free(&shared);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sockets_echo),
      cmocka_unit_test(full_pipes_wait_for_room),
      cmocka_unit_test(waits_end),
      cmocka_unit_test(files_are_always_ready),
      cmocka_unit_test(hogs_do_not_stop_the_network),
      cmocka_unit_test(posts_from_threads_arrive),
      cmocka_unit_test(posts_before_the_start_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
