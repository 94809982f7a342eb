// SPDX-License-Identifier: MIT
// What the library asks of libc, made to fail on demand, for programs that are
// linked with failing.opt (ld's --wrap). Calls from our own objects come here.
// libc's own calls do not, so those of its functions that allocate are here
// themselves. Descriptors and threads count as allocations, too, and so does
// each object of the language's heap: the heap's caches are kept empty while
// failures are on, so that every one comes to heap_alloc_slow.
//
// What malloc and the like gave, and what was mapped, is kept in a table, with
// the number of the allocation: what is still there at the end is a leak.
#ifndef CSP_TESTS_UNIT_FAILING_H
#define CSP_TESTS_UNIT_FAILING_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vm/csp.h"
#include "vm/heap/heap_internal.h"
#include "vm/heap/local.h"

enum { FAIL_TABLE = 1 << 17 };  // a power of two; live allocations at most

static struct Failing {
  _Atomic bool on;      // allocations are counted, and may fail
  _Atomic long at;      // the number of the one that fails, 0: none
  _Atomic bool always;  // and all that follow
  bool twice;           // and the next, when it is tried again
  bool objects;         // only goroutines' objects count
  _Atomic long count;   // so far
  _Atomic long failed;
  const void *caller;    // of the one that failed first
  long no_thread;        // pthread_create fails from that call on, 0: none
  _Atomic long threads;  // calls so far
  pthread_mutex_t lock;
  _Atomic long live;
  _Atomic long mapped;    // bytes, by mmap
  struct {                // guarded by lock
    const void *address;  // NULL is free, 1 was in use
    long number;
    const void *caller;
  } table[FAIL_TABLE];
} failing = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char FAIL_GONE;  // marks a slot that was in use

// Is this allocation to fail?
static bool fails_for(const void *caller, bool object) {
  if (!failing.on || (failing.objects && !object)) return false;
  long n = atomic_fetch_add(&failing.count, 1) + 1;
  bool now = failing.at != 0 && n >= failing.at &&
             (failing.always || n <= failing.at + failing.twice);
  if (now && atomic_fetch_add(&failing.failed, 1) == 0) failing.caller = caller;
  if (now) errno = ENOMEM;
  return now;
}

#define CALLER __builtin_return_address(0)
#define fails() fails_for(CALLER, false)

static size_t fail_slot(const void *address) {
  return (size_t)((uintptr_t)address / 16 * 0x9E3779B97F4A7C15u >> 20);
}

static void *fail_keep(void *address, const void *caller) {
  if (address == NULL) return NULL;
  pthread_mutex_lock(&failing.lock);
  for (size_t i = fail_slot(address);; i++) {
    size_t at = i % FAIL_TABLE;
    if (failing.table[at].address != NULL &&
        failing.table[at].address != &FAIL_GONE)
      continue;
    failing.table[at].address = address;
    failing.table[at].number = failing.count;
    failing.table[at].caller = caller;
    failing.live++;
    break;
  }
  pthread_mutex_unlock(&failing.lock);
  return address;
}

static bool fail_forget(const void *address) {
  bool found = false;
  if (address == NULL) return false;
  pthread_mutex_lock(&failing.lock);
  for (size_t i = fail_slot(address);; i++) {
    size_t at = i % FAIL_TABLE;
    if (failing.table[at].address == NULL) break;
    if (failing.table[at].address != address) continue;
    failing.table[at].address = &FAIL_GONE;
    // At the end of a run of slots none needs the mark.
    if (failing.table[(at + 1) % FAIL_TABLE].address == NULL)
      for (; failing.table[at].address == &FAIL_GONE;
           at = (at + FAIL_TABLE - 1) % FAIL_TABLE)
        failing.table[at].address = NULL;
    failing.live--;
    found = true;
    break;
  }
  pthread_mutex_unlock(&failing.lock);
  return found;
}

// Failures from now on, of the n-th allocation (0: of none).
static inline void fail_begin(long n, bool always) {
  failing.at = n;
  failing.always = always;
  failing.objects = failing.twice = false;
  failing.count = failing.failed = 0;
  failing.on = true;
}

static inline void fail_end(void) { failing.on = false; }

// The system gives n - 1 more threads, and no others (0: all).
static inline void fail_threads_from(long n) {
  failing.no_thread = n;
  failing.threads = 0;
}

static inline bool fail_nothing_left(void) {
  pthread_mutex_lock(&failing.lock);
  bool nothing = failing.live == 0 && failing.mapped == 0;
  pthread_mutex_unlock(&failing.lock);
  return nothing;
}

// csp_free, and if it leaves threads in calls that take longer than it waits,
// as on a busy machine they may, until the last of them has freed everything.
static inline void fail_free_all(Csp *csp) {
  if (csp_free(csp) == 0) return;
  while (!fail_nothing_left()) sched_yield();
}

// Prints what is still there; how many.
static inline long fail_leaks(void) {
  pthread_mutex_lock(&failing.lock);
  for (size_t i = 0; i < FAIL_TABLE && failing.live > 0; i++) {
    const void *address = failing.table[i].address;
    if (address == NULL || address == &FAIL_GONE) continue;
    fprintf(stderr, "  leaked: allocation %ld, %p, of the code at %p\n",
            failing.table[i].number, address, failing.table[i].caller);
  }
  pthread_mutex_unlock(&failing.lock);
  if (failing.mapped != 0)
    fprintf(stderr, "  leaked: %ld mapped bytes\n", failing.mapped);
  return failing.live + (failing.mapped != 0);
}

// --- The wrappers -----------------------------------------------------------
// WRAP(type, name, (parameters)) { body }
#define WRAP(type, name, params) \
  type __real_##name params;     \
  type __wrap_##name params;     \
  type __wrap_##name params
#define WRAP_MEMORY(name, params, args)           \
  WRAP(void *, name, params) {                    \
    if (fails()) return NULL;                     \
    return fail_keep(__real_##name args, CALLER); \
  }
#define WRAP_TEXT(name, params, args)             \
  WRAP(char *, name, params) {                    \
    if (fails()) return NULL;                     \
    return fail_keep(__real_##name args, CALLER); \
  }

WRAP_MEMORY(malloc, (size_t size), (size))
WRAP_MEMORY(calloc, (size_t count, size_t size), (count, size))
WRAP_MEMORY(aligned_alloc, (size_t align, size_t size), (align, size))
WRAP_TEXT(strdup, (const char *text), (text))
WRAP_TEXT(strndup, (const char *text, size_t len), (text, len))

WRAP(void *, realloc, (void *old, size_t size)) {
  if (fails()) return NULL;
  fail_forget(old);
  return fail_keep(__real_realloc(old, size), CALLER);
}

WRAP(void, free, (void *address)) {
  fail_forget(address);
  __real_free(address);
}

WRAP(char *, realpath, (const char *path, char *room)) {
  if (room == NULL && fails()) return NULL;
  char *text = __real_realpath(path, room);
  return room == NULL ? fail_keep(text, CALLER) : text;
}

WRAP(char *, getcwd, (char *room, size_t size)) {
  if (room == NULL && fails()) return NULL;
  char *text = __real_getcwd(room, size);
  return room == NULL ? fail_keep(text, CALLER) : text;
}

WRAP(int, vasprintf, (char **out, const char *format, va_list args)) {
  *out = NULL;
  if (fails()) return -1;
  int len = __real_vasprintf(out, format, args);
  if (len >= 0) fail_keep(*out, CALLER);
  return len;
}

WRAP(int, asprintf, (char **out, const char *format, ...)) {
  va_list args;
  va_start(args, format);
  int len = __wrap_vasprintf(out, format, args);
  va_end(args);
  return len;
}

WRAP(FILE *, fopen, (const char *path, const char *mode)) {
  return fails() ? NULL : fail_keep(__real_fopen(path, mode), CALLER);
}

// Its text is the caller's when it is closed. One at a time.
static char **memstream_text;
static FILE *memstream;
WRAP(FILE *, open_memstream, (char **text, size_t *len)) {
  if (fails()) return NULL;
  memstream_text = text;
  return memstream = fail_keep(__real_open_memstream(text, len), CALLER);
}

WRAP(int, fclose, (FILE * file)) {
  fail_forget(file);
  if (file != memstream) return __real_fclose(file);
  memstream = NULL;
  bool now = fails();
  int result = __real_fclose(file);
  if (!now) {
    fail_keep(*memstream_text, CALLER);
    return result;
  }
  __real_free(*memstream_text);
  *memstream_text = NULL;
  return EOF;
}

WRAP(locale_t, newlocale, (int mask, const char *name, locale_t base)) {
  return fails() ? (locale_t)0 : __real_newlocale(mask, name, base);
}

WRAP(DIR *, opendir, (const char *path)) {
  return fails() ? NULL : __real_opendir(path);
}

WRAP(void *, mmap,
     (void *at, size_t size, int prot, int flags, int fd, off_t offset)) {
  if (fails()) return MAP_FAILED;
  void *got = __real_mmap(at, size, prot, flags, fd, offset);
  if (got != MAP_FAILED) failing.mapped += (long)size;
  return got;
}

WRAP(int, munmap, (void *at, size_t size)) {
  failing.mapped -= (long)size;
  return __real_munmap(at, size);
}

// --- Descriptors and threads ------------------------------------------------
static int fail_fd(void) {
  errno = EMFILE;
  return -1;
}

WRAP(int, open, (const char *path, int flags, ...)) {
  va_list args;
  va_start(args, flags);
  mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
  va_end(args);
  return fails() ? fail_fd() : __real_open(path, flags, mode);
}

WRAP(int, fcntl, (int fd, int command, ...)) {
  va_list args;
  va_start(args, command);
  long arg = va_arg(args, long);
  va_end(args);
  if (command == F_DUPFD_CLOEXEC && fails()) return fail_fd();
  return __real_fcntl(fd, command, arg);
}

WRAP(int, pipe2, (int fds[2], int flags)) {
  return fails() ? fail_fd() : __real_pipe2(fds, flags);
}

WRAP(int, eventfd, (unsigned count, int flags)) {
  return fails() ? fail_fd() : __real_eventfd(count, flags);
}

WRAP(int, epoll_create1, (int flags)) {
  return fails() ? fail_fd() : __real_epoll_create1(flags);
}

WRAP(int, posix_spawnp,
     (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const argv[],
      char *const env[])) {
  if (fails()) return ENOMEM;
  return __real_posix_spawnp(pid, file, actions, attributes, argv, env);
}

WRAP(int, posix_spawn_file_actions_adddup2,
     (posix_spawn_file_actions_t * actions, int from, int to)) {
  if (fails()) return ENOMEM;
  return __real_posix_spawn_file_actions_adddup2(actions, from, to);
}

WRAP(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attr, void *(*start)(void *),
      void *arg)) {
  long n = atomic_fetch_add(&failing.threads, 1) + 1;
  bool refused = failing.no_thread != 0 && n >= failing.no_thread;
  if (refused || fails()) return EAGAIN;
  return __real_pthread_create(thread, attr, start, arg);
}

// --- Objects ----------------------------------------------------------------
// Takes one object and gives the rest of the window back, as a flush does.
static void fail_empty(LocalHeap *local, AllocCache *cache, uint8_t klass) {
  Span *span = local->spans[klass];
  if (cache->bits == 0) return;
  span->alloc[cache->next - 1] &= ~cache->bits;
  local->allocated -= (int64_t)span->size * __builtin_popcountll(cache->bits);
  for (uint64_t bits = cache->bits; bits != 0; bits &= bits - 1)
    heap_hide(cache->window + (size_t)__builtin_ctzll(bits) * cache->size,
              cache->size);
  cache->bits = 0;
  cache->next--;
}

WRAP(Obj *, heap_alloc_shared, (Heap * heap, size_t size, ObjType type)) {
  return fails() ? NULL : __real_heap_alloc_shared(heap, size, type);
}

static bool fails_object(LocalHeap *heap, const void *caller) {
  const Local *local = (Local *)((char *)heap - offsetof(Local, heap));
  return fails_for(caller, local->p->current != NULL);
}

WRAP(Obj *, heap_alloc_slow, (LocalHeap * local, size_t size, ObjType type)) {
  if (fails_object(local, CALLER)) return NULL;
  Obj *obj = __real_heap_alloc_slow(local, size, type);
  if (failing.on && obj != NULL && size <= HEAP_SMALL_MAX) {
    uint8_t klass = heap_class_of[(size + 15) / 16];
    fail_empty(local, &local->caches[klass], klass);
  }
  return obj;
}

// So that objects of all sizes come to heap_alloc_slow from now on.
static inline void fail_empty_caches(LocalHeap *local) {
  for (int klass = 0; klass < CLASS_LARGE; klass++)
    if (local->spans[klass] != NULL)
      fail_empty(local, &local->caches[klass], (uint8_t)klass);
}

#endif
