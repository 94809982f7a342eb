// SPDX-License-Identifier: MIT
// Paths as text. Only abs_path looks at the file system, because it needs the
// working directory. The rules are those of Go's path/filepath on Unix.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/os.h"

// The position of the next slash, or the end. The end is also the result when
// the call has given up, which *given_up says.
static size_t component_end(CspCall *call, Str s, size_t at, bool *given_up) {
  int64_t slash = csp_find(call, s.data + at, s.len - at, "/", 1);
  *given_up |= slash == CSP_GIVEN_UP;
  return slash >= 0 ? at + (size_t)slash : s.len;
}

// Where the last component begins. The result is 0 when the call has given up,
// which *given_up says.
static size_t last_component(CspCall *call, Str s, bool *given_up) {
  int64_t slash = csp_find_last(call, s.data, s.len, "/", 1);
  *given_up |= slash == CSP_GIVEN_UP;
  return slash >= 0 ? (size_t)slash + 1 : 0;
}

// --- Cleaning ---------------------------------------------------------------
// Drops the last component of the cleaned text, but not a leading "..".
static bool drop_component(Buffer *out, size_t root) {
  Str rest = {out->data + root, out->len - root};
  size_t at = root + last_component(out->call, rest, &out->failed);
  if (out->len - at == 2 && memcmp(out->data + at, "..", 2) == 0) return false;
  if (out->len == root) return false;
  out->len = at > root ? at - 1 : root;
  out->data[out->len] = '\0';
  return true;
}

static void add_component(Buffer *out, size_t root, const char *data,
                          size_t len) {
  if (len == 0 || (len == 1 && data[0] == '.')) return;
  if (len == 2 && memcmp(data, "..", 2) == 0) {
    if (drop_component(out, root) || root > 0) return;
  }
  if (out->len > root) buffer_add_char(out, '/');
  buffer_add(out, data, len);
}

// Writes the shortest path that means the same, as far as its text tells: one
// without ".", "//" and "x/..". The empty path becomes ".".
static void clean(Buffer *out, Str s) {
  size_t root = s.len > 0 && s.data[0] == '/';
  buffer_reserve(out, s.len + 1);
  if (out->failed) return;
  out->data[0] = '\0';
  if (root) buffer_add_char(out, '/');
  for (size_t at = 0; at < s.len && !out->failed;) {
    size_t end = component_end(out->call, s, at, &out->failed);
    add_component(out, root, s.data + at, end - at);
    at = end + 1;
  }
  if (out->len == 0) buffer_add_char(out, '.');
}

CspStatus os_clean_path(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Buffer out = buffer_of(call);
  clean(&out, s);
  return buffer_ok(call, &out);
}

// Empty parts do not count. The result is a clean path.
CspStatus os_join_path(CspCall *call) {
  Buffer joined = buffer_of(call), out = buffer_of(call);
  for (int i = 0; i < csp_argc(call) && !joined.failed; i++) {
    Str part;
    if (!need_str(call, i, &part)) {
      buffer_free(&joined);
      return CSP_PANIC;
    }
    joined.failed |= !csp_work(call, 16);
    if (part.len == 0) continue;
    if (joined.len > 0) buffer_add_char(&joined, '/');
    buffer_add(&joined, part.data, part.len);
  }
  if (!joined.failed && joined.len > 0)
    clean(&out, (Str){joined.data, joined.len});
  out.failed = out.failed || joined.failed;
  buffer_free(&joined);
  return buffer_ok(call, &out);
}

// Takes off the slashes at the end. The result is false when the call has given
// up.
static bool take_slashes(CspCall *call, Str *text) {
  enum { TURNS = 4096 };
  for (; text->len > 1 && text->data[text->len - 1] == '/'; text->len--)
    if (text->len % TURNS == 0 && !csp_work(call, TURNS)) return false;
  return true;
}

CspStatus os_base(CspCall *call) {
  Str s;
  bool given_up = false;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  if (s.len == 0) return csp_ok_string(call, ".", 1);
  if (!take_slashes(call, &s)) return CSP_PANIC;
  if (s.len == 1 && s.data[0] == '/') return csp_ok_string(call, "/", 1);
  size_t at = last_component(call, s, &given_up);
  if (given_up) return CSP_PANIC;
  return csp_ok_string(call, s.data + at, s.len - at);
}

CspStatus os_dir(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Buffer out = buffer_of(call);
  s.len = last_component(call, s, &out.failed);
  clean(&out, s);
  return buffer_ok(call, &out);
}

// The ending has its point, and is empty when there is none. A name that begins
// with its only point, such as ".profile", has no ending.
CspStatus os_ext(CspCall *call) {
  Str s;
  bool given_up = false;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  size_t start = last_component(call, s, &given_up);
  if (given_up) return CSP_PANIC;
  s = (Str){s.data + start, s.len - start};
  int64_t point = csp_find_last(call, s.data, s.len, ".", 1);
  if (point <= 0) return csp_ok_string(call, "", 0);
  return csp_ok_string(call, s.data + point, s.len - (size_t)point);
}

CspStatus os_is_abs(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  return csp_ok_bool(call, s.len > 0 && s.data[0] == '/');
}

// (path, nil), or (nil, error) when the working directory has gone.
CspStatus os_abs_path(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Buffer joined = buffer_of(call), out = buffer_of(call);
  if (s.len == 0 || s.data[0] != '/') {
    char *here = csp_alloc_folder(csp_of(call));
    if (here == NULL) return csp_ok_errno(call, errno, "the working directory");
    buffer_add(&joined, here, strlen(here));
    buffer_add_char(&joined, '/');
    csp_alloc_free(here);
  }
  buffer_add(&joined, s.data, s.len);
  if (!joined.failed) clean(&out, (Str){joined.data, joined.len});
  out.failed = out.failed || joined.failed;
  buffer_free(&joined);
  return csp_ok_value(call, buffer_string(call, &out));
}
