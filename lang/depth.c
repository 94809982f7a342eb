// SPDX-License-Identifier: MIT
// How deep a tree may be: the passes that walk it recurse on the C stack of the
// thread that compiles, which may be a host's and small.
//
// A pass never recurses deeper than the tree is high, so it is enough to bound
// the tree where it is built. The bytes that a level takes are those of the
// worst pass and construct; tests/unit/test_compile_stack.c nests every
// construct on small stacks and fails where they are too few.
#include "lang/depth.h"
#include "sched/rt.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DEPTH_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DEPTH_SANITIZED 1
#endif

enum {
#if defined(DEPTH_SANITIZED)
  DEPTH_BYTES = 1536,
  DEPTH_RESERVE = 24 << 10,
#elif !defined(__OPTIMIZE__)
  DEPTH_BYTES = 768,
  DEPTH_RESERVE = 20 << 10,
#else
  DEPTH_BYTES = 384,
  DEPTH_RESERVE = 16 << 10,  // what a pass takes beside its recursion
#endif
  DEPTH_IMPORT = 16,  // that an imported file may have at least
};

uint32_t lang_max_depth(void) {
  size_t left = rt_stack_left();
  size_t levels =
      left > DEPTH_RESERVE ? (left - DEPTH_RESERVE) / DEPTH_BYTES : 0;
  return levels < LANG_MAX_DEPTH ? (uint32_t)levels : LANG_MAX_DEPTH;
}

bool lang_may_import(void) { return lang_max_depth() >= DEPTH_IMPORT; }
