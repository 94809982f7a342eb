// SPDX-License-Identifier: MIT
// The module sqlite: no more than a part of the thread's stack for the library.
//
// The library compiles by recursion: a view that selects from a view, a trigger
// that fires another, foreign keys in a row. It bounds none of these, and
// expects 8 MB of stack. A database of somebody else's may have thousands of
// them.
//
// Each level allocates memory, or asks the authorizer, which refuses it when
// the stack has got deeper than STACK_MOST, or has only KEPT left. (A host's
// own thread may have less.) For the others the library's allocator is
// replaced, once and for the process, by one that asks the same of the former
// one. But in a run it gives no memory at that depth. The library can cope with
// that, and the run says why it failed. Threads that are not in a run (a host
// may use the library, too) get memory as ever.
//
// Where a host has begun to use the library before, nothing can be replaced.
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
