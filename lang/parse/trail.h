// SPDX-License-Identifier: MIT
// The tokens and comments that the parser saw.
#ifndef CSP_LANG_PARSE_TRAIL_H
#define CSP_LANG_PARSE_TRAIL_H

#include "lang/ast.h"

// What trail.c keeps.
enum { TRAIL_COMMENT = -1 };
typedef struct TrailItem {
  int kind;  // TOK_, or TRAIL_COMMENT
  Pos pos;
  uint32_t len;
  uint32_t end_line;  // where the item ends
} TrailItem;

typedef struct Trail {
  TrailItem *items;
  size_t count;
  size_t cap;
  bool failed;  // out of memory: some are missing
} Trail;

struct Parse;
struct Token;

// Both only when parse->trail is set.
void trail_token(struct Parse *parse, const struct Token *token);
void trail_comment(struct Parse *parse, Pos begin,
                   uint32_t end);  // up to that offset
void trail_free(Trail *trail);

#endif
