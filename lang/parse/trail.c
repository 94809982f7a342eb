// SPDX-License-Identifier: MIT
// The trail is what the front end saw, in order, for the formatter: each token
// that the parser was given, and each comment.
//
// Only kept when Parse.trail is set; a compilation's is NULL. The text of an
// item is source text, so the items and what lies between them are the file.
#include "lang/parse/trail.h"
#include "lang/parse/parse_internal.h"

static TrailItem *trail_add(Trail *trail) {
  if (trail->count == trail->cap) {
    size_t cap = trail->cap ? trail->cap * 2 : 256;
    TrailItem *items = trail->failed ? NULL
                                     : mem_resize(&mem_libc, trail->items,
                                                  cap * sizeof *items);
    if (items == NULL) {
      trail->failed = true;
      return NULL;
    }
    trail->items = items;
    trail->cap = cap;
  }
  RT_ASSERT(trail->count < trail->cap);
  return &trail->items[trail->count++];
}

void trail_token(Parse *parse, const Token *token) {
  TrailItem *item = trail_add(parse->trail);
  if (item == NULL) return;
  *item = (TrailItem){.kind = token->kind,
                      .pos = token->pos,
                      .len = token->len,
                      .end_line = parse->line};
}

void trail_comment(Parse *parse, Pos begin, uint32_t end) {
  RT_ASSERT(begin.offset <= end && end <= parse->source->len);
  TrailItem *item = trail_add(parse->trail);
  if (item == NULL) return;
  *item = (TrailItem){.kind = TRAIL_COMMENT,
                      .pos = begin,
                      .len = end - begin.offset,
                      .end_line = parse->line};
}

void trail_free(Trail *trail) {
  mem_free(trail->items);
  *trail = (Trail){0};
}
