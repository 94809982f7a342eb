// SPDX-License-Identifier: MIT
// How deep a tree may be.
#ifndef CSP_LANG_DEPTH_H
#define CSP_LANG_DEPTH_H

#include <stdbool.h>
#include <stdint.h>

// Nesting deeper than this is a clean error ("nested too deeply").
enum { LANG_MAX_NESTING = 200 };
// So is a tree deeper than this (chains of operators, calls or `else if`), or
// than lang_max_depth where the thread's stack is small: what walks the tree
// may recurse.
enum { LANG_MAX_DEPTH = 1000 };
// So is a text for which the parser's stack gets higher: what a level of a tree
// that is allowed takes, generously. (A row of prefix operators becomes a tree
// at its end.)
enum { LANG_MAX_HEIGHT = 16 * LANG_MAX_DEPTH };

// How deep a tree may be that the calling thread walks, from here on. It is at
// most LANG_MAX_DEPTH, and less where less than some 400 KB of its C stack are
// left.
uint32_t lang_max_depth(void);
// Whether enough of the stack is left for a file that this one imports.
bool lang_may_import(void);

#endif
