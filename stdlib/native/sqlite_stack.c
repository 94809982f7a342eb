// SPDX-License-Identifier: MIT
// The module sqlite: the library gets no more than a part of the thread's
// stack, and its compiler ends when it is to end.
//
// The library compiles by recursion. A view may select from a view, a trigger
// may fire another, and foreign keys may form a chain. The library bounds none
// of these, and expects 8 MB of stack. A database of somebody else may have
// thousands of them.
//
// So the depth of the stack is bounded. It may not be deeper than STACK_MOST,
// and KEPT must be left. (A thread of a host may have a small stack.) At each
// level of the recursion the library either asks the authorizer or allocates
// memory. The authorizer refuses a level that is too deep. For the other levels
// the library's allocator is replaced, once for the process. The new one calls
// the former one, but in a run it gives no memory at such a depth. The library
// can cope with that, and the run says why it failed. A thread that is not in a
// run, because a host uses the library, too, gets memory as before.
//
// To compile may take long, too, and much memory: each use of a view is
// compiled anew, so views that name others twice double the work. The library
// asks nobody meanwhile, but it allocates. So the allocator looks around now
// and then, and gives no memory to a run that is to end. It cannot ask the
// library how much that has taken, as a lock is held, and counts by itself.
//
// If a host has used the library before, its allocator cannot be replaced.
#include <pthread.h>

#include "stdlib/native/sqlite.h"

enum {
  STACK_MOST = 384 << 10,  // three quarters of what threads of a runtime have
  KEPT = 64 << 10          // for what is between two questions
};

// Written once, before the library allocates anything.
static sqlite3_mem_methods former;

// Of this thread's run. deepest is NULL between runs, and where the thread's
// stack is not known.
static _Thread_local const char *deepest;
static _Thread_local bool was_too_deep;

// The link of this thread's run, if that may end early.
static _Thread_local SqlLink *running;
static _Thread_local unsigned allocations;
static _Thread_local int64_t taken;  // bytes, where memory is limited

// Of this thread, once it was asked for: where KEPT begins. (TLS may take much
// of a stack, so its size alone does not tell.)
static _Thread_local const char *limit;

static const char *find_limit(void) {
  pthread_attr_t attr;
  void *low = NULL;
  size_t size = 0, guard = 0;
  if (pthread_getattr_np(pthread_self(), &attr) != 0) return NULL;
  pthread_attr_getstack(&attr, &low, &size);
  pthread_attr_getguardsize(&attr, &guard);
  pthread_attr_destroy(&attr);
  size_t kept = size / 4 < KEPT ? size / 4 : KEPT;
  return (const char *)low + guard + kept;
}

bool sql_stack_is_over(void) {
  const char *here = __builtin_frame_address(0);
  if (deepest == NULL || here > deepest) return false;
  was_too_deep = true;
  return true;
}

static bool is_refused(void) {
  enum { LOOK_AFTER = 1024 };
  if (sql_stack_is_over()) return true;
  return running != NULL && ++allocations % LOOK_AFTER == 0 &&
         sql_ends_early(running, taken);
}

static int64_t size_of(void *data) {
  bool counts = data != NULL && running != NULL && running->limited;
  return counts ? former.xSize(data) : 0;
}

static void *bounded_malloc(int size) {
  if (is_refused()) return NULL;
  void *data = former.xMalloc(size);
  taken += size_of(data);
  return data;
}

static void *bounded_realloc(void *data, int size) {
  if (is_refused()) return NULL;
  int64_t before = size_of(data);
  void *moved = former.xRealloc(data, size);
  if (moved != NULL) taken += size_of(moved) - before;
  return moved;
}

static void counted_free(void *data) {
  taken -= size_of(data);
  former.xFree(data);
}

static void replace_allocator(void) {
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &former) != SQLITE_OK) return;
  sqlite3_mem_methods bounded = former;
  bounded.xMalloc = bounded_malloc;
  bounded.xRealloc = bounded_realloc;
  bounded.xFree = counted_free;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &bounded);
}

void sql_bound_stack(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, replace_allocator);
}

void sql_stack_begin(SqlLink *link) {
  was_too_deep = false;
  running = link;
  taken = 0;
  const char *here = __builtin_frame_address(0);
  if (limit == NULL) limit = find_limit();
  bool is_short = limit == NULL || here < limit || here - limit < STACK_MOST;
  deepest = is_short ? limit : here - STACK_MOST;
}

void sql_stack_end(void) {
  deepest = NULL;
  running = NULL;
}

bool sql_stack_was_over(void) { return was_too_deep; }
