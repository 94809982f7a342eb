// SPDX-License-Identifier: MIT
// Natives of fuzz_api.c that make a string or bytes and fill it afterwards, at
// once or on another thread, and then cut it. Where memory is out they ask for
// a collection once.
#ifndef CSP_FUZZ_API_ROOMS_H
#define CSP_FUZZ_API_ROOMS_H

#include "tests/fuzz/api_host.h"

enum { ROOM_BYTES = 1 << 20 };

// What is filled, and how much of it is left in the end.
typedef struct Filling {
  CspHandle held;
  char *data;
  size_t len, left;
} Filling;

static CspValue room_new(CspCall *call, bool is_bytes, Filling *filling) {
  return is_bytes ? csp_bytes_room(call, filling->len, &filling->data)
                  : csp_string_room(call, filling->len, &filling->data);
}

// The len bytes are one letter each, which is checked after the cut.
static void room_fill(void *data) {
  Filling *filling = data;
  memset(filling->data, 'r', filling->len);
}

static void room_check(CspValue v, size_t len) {
  char last = 'r';
  size_t is = len;
  if (csp_type(v) == CSP_BYTES) {
    if (csp_bytes_len(v) != len) abort();
    if (len > 0 && csp_bytes_read(v, len - 1, &last, 1) != 1) abort();
  } else {
    const char *data = csp_to_string(v, &is);
    if (is != len || data[len] != 0) abort();
    if (len > 0) last = data[len - 1];
  }
  if (last != 'r') abort();
}

static CspValue room_end(CspValue v, const Filling *filling) {
  csp_cut_room(v, filling->left);
  room_check(v, filling->left);
  return v;
}

// By the arguments: how long, how much of it is left, whether it is bytes.
static bool room_wanted(CspCall *call, Filling *filling, bool *is_bytes) {
  int64_t len, left;
  if (!csp_need_int(call, 0, &len) || !csp_need_int(call, 1, &left))
    return false;
  filling->len = (size_t)len % (ROOM_BYTES + 1);
  filling->left = (size_t)left % (filling->len + 1);
  *is_bytes = len & 1;
  return true;
}

// room(len, left): filled at once.
static CspStatus native_room(CspCall *call) {
  Filling filling;
  bool is_bytes;
  if (!room_wanted(call, &filling, &is_bytes)) return CSP_PANIC;
  CspValue v = room_new(call, is_bytes, &filling);
  if (csp_is_undef(v) && csp_make_room(call))
    v = room_new(call, is_bytes, &filling);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  room_fill(&filling);
  return csp_ok(call, room_end(v, &filling));
}

static CspStatus room_filled(CspCall *call, void *data, bool made) {
  Filling filling = *(Filling *)data;
  free(data);
  CspValue v = csp_held(call, filling.held);
  csp_release(csp_of(call), filling.held);
  if (!made) return csp_ok_error(call, "%s", csp_no_thread());
  return csp_ok(call, room_end(v, &filling));
}

// room_later(len, left): filled by csp_block's work.
static CspStatus native_room_later(CspCall *call) {
  Filling *filling = malloc(sizeof *filling);
  bool is_bytes;
  if (filling == NULL) abort();
  if (!room_wanted(call, filling, &is_bytes)) {
    free(filling);
    return CSP_PANIC;
  }
  CspValue v = room_new(call, is_bytes, filling);
  filling->held = csp_is_undef(v) ? 0 : csp_hold(call, v);
  if (filling->held != 0)
    return csp_block(call, room_fill, room_filled, filling);
  free(filling);
  return csp_panic_memory(call);
}

// The host's own, which no collection makes room for.
static CspValue room_of_host(Host *host, CspCall *call) {
  bool is_bytes = byte(host) & 1;
  Filling filling = {.len = (size_t)byte(host) * byte(host) * 10};
  filling.left = (size_t)byte(host) * filling.len / 255;
  CspValue v = room_new(call, is_bytes, &filling);
  if (csp_make_room(call)) abort();
  if (csp_is_undef(v)) return v;
  room_fill(&filling);
  return room_end(v, &filling);
}
#endif
