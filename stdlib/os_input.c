// SPDX-License-Identifier: MIT
// What was read of an open file, but not used yet. Its owner holds the file's
// lock.
//
// A reader may be stopped before it has all that it wants, or when it has that
// and can give it to nobody. Then it gives its room back, which comes before
// everything else (`back`). The buffer may hold what follows. There is at most
// one such room:
//  - The next reader that stops has used only a part of it. Then that part is
//    unused again.
//  - Or it has used all of it, and the room is gone. Then the reader's own
//    takes its place.
// A reader that takes from `back` has the turn to read (os_turn.c). The buffer
// gives whole lines to others, too.
#include <errno.h>
#include <unistd.h>

#include "stdlib/os.h"

enum { BUFFER = 65536 };

size_t input_left(const Input *input) {
  return input->back_len - input->back_at + input->len - input->at;
}

// The first part of what is left.
static Str first_part(const Input *input) {
  size_t back = input->back_len - input->back_at;
  if (back > 0) return (Str){input->back + input->back_at, back};
  size_t left = input->len - input->at;
  return (Str){left > 0 ? input->data + input->at : "", left};
}

static void drop_back(Input *input) {
  csp_release(input->csp, input->held);
  input->held = 0;
  input->back_at = input->back_len = 0;
}

// Uses so much of the first part.
static void use(Input *input, size_t count) {
  if (input->held == 0) {
    input->at += count;
    return;
  }
  input->back_at += count;
  if (input->back_at == input->back_len) drop_back(input);
}

void input_drop(Input *input) {
  if (input->held != 0) drop_back(input);
  input->at = input->len = 0;
}

void input_free(Input *input) {
  input_drop(input);
  csp_alloc_free(input->data);
  input->data = NULL;
}

int input_fill(Input *input, int fd) {
  if (input->data == NULL) input->data = csp_alloc(input->csp, NULL, BUFFER);
  if (input->data == NULL) return ENOMEM;
  input->at = input->len = 0;
  ssize_t n;
  do {
    n = read(fd, input->data, BUFFER);
  } while (n < 0 && errno == EINTR);
  if (n < 0) return errno;
  input->len = (size_t)n;
  return 0;
}

// How much of the part is wanted beside the room's contents. *whole: it ends
// with that.
static size_t count_wanted(Str part, int64_t want, size_t have, bool *whole) {
  if (want == WANT_LINE) {
    const char *end = memchr(part.data, '\n', part.len);
    *whole = end != NULL;
    return end != NULL ? (size_t)(end - part.data) + 1 : part.len;
  }
  *whole = want >= 0 && part.len >= (size_t)want - have;
  return *whole ? (size_t)want - have : part.len;
}

bool input_take(Input *input, int64_t want, Room *room) {
  bool whole = want == (int64_t)room->len;
  while (!whole && room->len < room->cap) {
    Str part = first_part(input);
    if (part.len == 0) break;
    size_t left = room->cap - room->len;
    size_t count = count_wanted(part, want, room->len, &whole);
    if (count > left) whole = false;
    if (count > left) count = left;
    memcpy(room->data + room->len, part.data, count);
    room->len += count;
    use(input, count);
  }
  return whole || (want == WANT_SOME && room->len > 0);
}

Str input_line(const Input *input) {
  if (input->held != 0 || input->at == input->len) return (Str){NULL, 0};
  const char *from = input->data + input->at;
  const char *end = memchr(from, '\n', input->len - input->at);
  if (end == NULL) return (Str){NULL, 0};
  return (Str){from, (size_t)(end - from) + 1};
}

void input_skip(Input *input, size_t count) { input->at += count; }

void input_give_back(Input *input, Room *room) {
  if (input->held != 0) {
    input->back_at -= room->len;
    return;
  }
  if (room->len == 0) return;
  input->held = room->held;
  input->back = room->data;
  input->back_len = room->len;
  *room = (Room){.is_bytes = room->is_bytes};
}
