// SPDX-License-Identifier: MIT
// Paths as text. Only abs_path looks at the file system, because it needs the
// working directory. The rules are those of Go's path/filepath on Unix.
#include <errno.h>
#include <string.h>

#include "stdlib/os.h"
#include "stdlib/pieces_loop.h"
#include "vm/object/search.h"

// --- Cleaning ---------------------------------------------------------------
// The parts of a path are taken one after another, as if there were a slash
// between them. A component is copied as far as it is known, and taken back
// where it turns out to be "." or "..".
typedef struct Clean {
  CspValue out, here;  // kept: the result's room, and abs_path's first part
  char *to;            // out's text
  size_t room, len;    // bytes of it: in all, and written
  size_t root;         // 1 if it begins with a slash
  size_t before;       // len before the component that is being written
  Str s;               // what is left of the part
  int next, parts;     // arguments of the call: the next part, and their end
  bool begun, inside;  // of all the parts, of a component
  bool dropping;       // the last component of what is written
  bool paired;         // the result is (path, nil)
} Clean;

enum { CLEAN_BLOCK = 1 << 14, CLEAN_LOOK = 1 << 12, CLEAN_KEPT = 2 };

// Where the sign is in s for the last time, or -1.
static int64_t last_sign(Str s, const char *sign) {
  return search_last(s.data, s.len, sign, 1, (SearchWork){0});
}

// Some of the last component goes, or all of it. Each of these turns gives what
// it has taken.
static size_t drop_some(Clean *clean) {
  size_t have = clean->len - clean->root;
  size_t count = have < CLEAN_BLOCK ? have : CLEAN_BLOCK;
  size_t from = clean->len - count;
  int64_t slash = last_sign((Str){clean->to + from, count}, "/");
  clean->len = slash >= 0 ? from + (size_t)slash : from;
  clean->dropping = slash < 0 && clean->len > clean->root;
  return 4 + count / 4;
}

// Whether the component before the one that was written is "..". Only those
// at the beginning have stayed.
static bool is_above(const Clean *clean) {
  const char *to = clean->to;
  size_t end = clean->before, len = end - clean->root;
  return len >= 2 && memcmp(to + end - 2, "..", 2) == 0 &&
         (len == 2 || to[end - 3] == '/');
}

static void end_component(Clean *clean) {
  size_t from = clean->before + (clean->before > clean->root);
  size_t len = clean->len - from;
  bool any = clean->before > clean->root;
  if (!clean->inside) return;
  clean->inside = false;
  if (len > 2 || memcmp(clean->to + from, "..", len) != 0) return;
  if (len == 2 && (any ? is_above(clean) : clean->root == 0)) return;
  clean->len = clean->before;
  clean->dropping = len == 2 && any;
}

static size_t take_component(Clean *clean) {
  Str *text = &clean->s;
  size_t most = text->len < CLEAN_BLOCK ? text->len : CLEAN_BLOCK;
  const char *slash = memchr(text->data, '/', most);
  size_t count = slash != NULL ? (size_t)(slash - text->data) : most;
  if (count > 0 && !clean->inside) {
    clean->inside = true;
    clean->before = clean->len;
    if (clean->len > clean->root) clean->to[clean->len++] = '/';
  }
  memcpy(clean->to + clean->len, text->data, count);
  clean->len += count;
  count += slash != NULL;
  *text = (Str){text->data + count, text->len - count};
  if (slash != NULL || text->len == 0) end_component(clean);
  return 4 + count / 4;
}

static size_t clean_some(CspCall *call, Clean *clean) {
  if (clean->dropping) return drop_some(clean);
  if (clean->s.len == 0) {
    clean->s = str_of(csp_arg(call, clean->next++));
    return 4;
  }
  if (!clean->begun && clean->s.data[0] == '/') {
    clean->root = clean->len = 1;
    clean->to[0] = '/';
  }
  clean->begun = true;
  return take_component(clean);
}

static CspStatus paired_out(CspCall *call, Loop *loop) {
  return csp_ok_value(call, loop->out);
}

// A path that has become much shorter does not keep the room.
static CspStatus clean_done(CspCall *call, Clean *clean) {
  Loop loop = {.list = clean->out,
               .out = clean->out,
               .end = clean->len,
               .done = clean->paired ? paired_out : loop_out};
  if (clean->len == 0) clean->to[loop.end++] = '.';
  if (loop.end < clean->room / 2) return loop_copy(call, &loop);
  csp_cut_room(clean->out, loop.end);
  return loop.done(call, &loop);
}

static CspStatus clean_on(CspCall *call, void *data, bool on) {
  Clean *clean = data;
  size_t took = 0;
  if (!on) return CSP_PANIC;
  while (clean->dropping || clean->s.len > 0 || clean->next < clean->parts) {
    took += clean_some(call, clean);
    if (took < CLEAN_LOOK) continue;
    if (csp_spent(call, took))
      return csp_again(call, clean_on, clean, sizeof *clean, CLEAN_KEPT);
    took = 0;
  }
  csp_spent(call, took);
  return clean_done(call, clean);
}

// The shortest path that means the same, as far as its text tells: one without
// ".", "//" and "x/..". The empty path becomes ".". `room` is set: the bytes of
// all the parts, with slashes between them.
static CspStatus clean_run(CspCall *call, Clean *clean) {
  clean->room += clean->room == 0;
  clean->out = csp_string_room(call, clean->room, &clean->to);
  if (csp_is_undef(clean->out)) return csp_panic_memory(call);
  return clean_on(call, clean, true);
}

CspStatus os_clean_path(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  return clean_run(call, &(Clean){.here = csp_nil(), .room = s.len, .s = s});
}

// Empty parts do not count. The result is a clean path.
CspStatus os_join_path(CspCall *call) {
  Clean clean = {.here = csp_nil(), .parts = csp_argc(call)};
  size_t len = 0;
  for (int i = 0; i < clean.parts; i++) {
    Str part;
    if (!need_str(call, i, &part) || !csp_work(call, 16)) return CSP_PANIC;
    len += part.len;
    clean.room += part.len + 1;
  }
  return len == 0 ? csp_ok_string(call, "", 0) : clean_run(call, &clean);
}

// (path, nil), or (nil, error) when the working directory has gone.
CspStatus os_abs_path(CspCall *call) {
  Clean clean = {.here = csp_nil(), .paired = true};
  if (!need_str(call, 0, &clean.s)) return CSP_PANIC;
  clean.room = clean.s.len;
  if (clean.s.len > 0 && clean.s.data[0] == '/') return clean_run(call, &clean);
  char *here = csp_alloc_folder(csp_of(call));
  if (here == NULL) return csp_ok_errno(call, errno, "the working directory");
  clean.here = csp_alloc_take(call, here, strlen(here));
  if (csp_is_undef(clean.here)) return csp_panic_memory(call);
  clean.s = str_of(clean.here);
  clean.room += clean.s.len + 1;
  clean.parts = 1;
  return clean_run(call, &clean);
}

// --- Parts of a path --------------------------------------------------------
// These are looked for from the end: `at` is how many bytes were looked at. n
// is where the answer begins.

// What comes after the last slash begins at n.
static bool component_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  Str s = str_of(loop->list);
  size_t from = s.len - stop;
  int64_t slash = last_sign((Str){s.data + from, stop - loop->at}, "/");
  if (slash >= 0) loop->n = (int64_t)from + slash + 1;
  if (slash >= 0) loop->end = stop;
  loop->at = stop;
  return true;
}

// Passes over the slashes at the end. `part` is where they begin, and 0 where
// all but the first byte are slashes.
static bool slashes_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  Str s = str_of(loop->list);
  while (loop->at < stop && s.data[s.len - 1 - loop->at] == '/') loop->at++;
  if (loop->at == stop) return true;
  loop->part = s.len - loop->at;
  loop->end = s.len;
  loop->turns = component_turns;
  return true;
}

// The last point of the last component is at n, which is -1 for none.
static bool ext_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  Str s = str_of(loop->list);
  size_t from = s.len - stop;
  int64_t slash = last_sign((Str){s.data + from, stop - loop->at}, "/");
  size_t after = slash >= 0 ? from + (size_t)slash + 1 : from;
  int64_t point =
      last_sign((Str){s.data + after, s.len - loop->at - after}, ".");
  if (point >= 0) loop->n = (int64_t)after + point;
  if (point >= 0 || slash >= 0) loop->end = stop;
  loop->at = stop;
  return true;
}

// The result: the argument's bytes [from, to).
static CspStatus ok_part_of_path(CspCall *call, size_t from, size_t to) {
  return loop_copy(call, &(Loop){.list = csp_arg(call, 0),
                                 .part = from,
                                 .end = to - from,
                                 .done = loop_out});
}

static CspStatus base_done(CspCall *call, Loop *loop) {
  if (loop->part == 0) return ok_part_of_path(call, 0, 1);
  return ok_part_of_path(call, (size_t)loop->n, loop->part);
}

CspStatus os_base(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  if (s.len == 0) return csp_ok_string(call, ".", 1);
  return loop_bytes(call, &(Loop){.list = csp_arg(call, 0),
                                  .end = s.len - 1,
                                  .turns = slashes_turns,
                                  .done = base_done,
                                  .units = 1});
}

static CspStatus dir_done(CspCall *call, Loop *loop) {
  Str s = {str_of(loop->list).data, (size_t)loop->n};
  return clean_run(call, &(Clean){.here = csp_nil(), .room = s.len, .s = s});
}

CspStatus os_dir(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  return loop_bytes(call, &(Loop){.list = csp_arg(call, 0),
                                  .end = s.len,
                                  .turns = component_turns,
                                  .done = dir_done,
                                  .units = 1});
}

// A name that begins with its only point, such as ".profile", has no ending.
static CspStatus ext_done(CspCall *call, Loop *loop) {
  Str s = str_of(loop->list);
  size_t at = (size_t)loop->n;
  if (loop->n <= 0 || s.data[at - 1] == '/') at = s.len;
  return ok_part_of_path(call, at, s.len);
}

// The ending has its point, and is empty when there is none.
CspStatus os_ext(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  return loop_bytes(call, &(Loop){.list = csp_arg(call, 0),
                                  .end = s.len,
                                  .n = -1,
                                  .turns = ext_turns,
                                  .done = ext_done,
                                  .units = 1});
}

CspStatus os_is_abs(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  return csp_ok_bool(call, s.len > 0 && s.data[0] == '/');
}
