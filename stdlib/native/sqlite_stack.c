// SPDX-License-Identifier: MIT
// The module sqlite: the library gets no more than a part of the thread's
// stack.
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

static void *bounded_malloc(int size) {
  return sql_stack_is_over() ? NULL : former.xMalloc(size);
}

static void *bounded_realloc(void *data, int size) {
  return sql_stack_is_over() ? NULL : former.xRealloc(data, size);
}

static void replace_allocator(void) {
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &former) != SQLITE_OK) return;
  sqlite3_mem_methods bounded = former;
  bounded.xMalloc = bounded_malloc;
  bounded.xRealloc = bounded_realloc;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &bounded);
}

void sql_bound_stack(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, replace_allocator);
}

void sql_stack_begin(void) {
  was_too_deep = false;
  const char *here = __builtin_frame_address(0);
  if (limit == NULL) limit = find_limit();
  bool is_short = limit == NULL || here < limit || here - limit < STACK_MOST;
  deepest = is_short ? limit : here - STACK_MOST;
}

void sql_stack_end(void) { deepest = NULL; }

bool sql_stack_was_over(void) { return was_too_deep; }
