// SPDX-License-Identifier: MIT
// What jobs read, and what they write.
//
// A Room is a string or bytes that a job reads into, and that becomes its
// result, as a rule without another copy. So it counts as values do, from the
// beginning. It is held while the job has it. The work, which has no P, says
// what more it needs (room_need). The rest of the native makes a larger one,
// and copies in pieces.
//
// A Feed goes through arguments that are written. A string is written from
// its own memory, as the call keeps its arguments alive and no string changes.
// Bytes change and move, so parts of them are copied, each when its turn comes.
#include "stdlib/os.h"

enum { COPY_PIECE = 1 << 16, SHORT = 1 << 16 };

// --- Rooms ------------------------------------------------------------------
static bool try_room(CspCall *call, Room *room, size_t cap) {
  Room made = {.is_bytes = room->is_bytes, .cap = cap};
  CspValue v = room->is_bytes ? csp_bytes_room(call, cap, &made.data)
                              : csp_string_room(call, cap, &made.data);
  if (!csp_is_undef(v)) made.held = csp_hold(call, v);
  if (made.held != 0) *room = made;
  return made.held != 0;
}

static bool try_either(CspCall *call, Room *room, size_t most, size_t least) {
  return try_room(call, room, most) ||
         (least < most && try_room(call, room, least));
}

bool room_make(CspCall *call, Room *room, size_t most, size_t least) {
  if (try_either(call, room, most, least)) return true;
  if (csp_make_room(call) && try_either(call, room, most, least)) return true;
  csp_panic_memory(call);
  return false;
}

void room_free(Csp *csp, Room *room) {
  if (room->held != 0) csp_release(csp, room->held);
  *room = (Room){.is_bytes = room->is_bytes};
}

// Where memory is short a step is an eighth, which still bounds what is copied.
void room_need(Room *room, size_t size) {
  size_t more = room->cap < SHORT ? 3 * room->cap + 1 : room->cap / 2;
  bool known = size > room->cap;
  room->most = known ? size : room->cap + more;
  room->least =
      known || room->cap < SHORT ? room->most : room->cap + room->cap / 8;
}

// --- Moving into another room -----------------------------------------------
typedef struct Move {
  Room to, *room;
  RoomThen then;
  void *data;
} Move;

static CspStatus move_on(CspCall *call, void *data, bool on) {
  Move *move = data;
  Room *to = &move->to, *room = move->room;
  while (on && to->len < room->len) {
    size_t left = room->len - to->len;
    size_t count = left < COPY_PIECE ? left : COPY_PIECE;
    memcpy(to->data + to->len, room->data + to->len, count);
    to->len += count;
    if (csp_spent(call, count / 4) && count < left)
      return csp_again(call, move_on, move, sizeof *move, 0);
  }
  room_free(csp_of(call), on ? room : to);
  if (on) *room = *to;
  return move->then(call, move->data, on);
}

CspStatus room_grow(CspCall *call, Room *room, RoomThen then, void *data) {
  Move move = {{.is_bytes = room->is_bytes}, room, then, data};
  if (room_make(call, &move.to, room->most, room->least))
    return move_on(call, &move, true);
  return then(call, data, false);
}

CspStatus room_fit(CspCall *call, Room *room, RoomThen then, void *data) {
  Move move = {{.is_bytes = room->is_bytes}, room, then, data};
  bool much = room->len > SHORT && room->cap - room->len > room->len / 8;
  if (much && try_room(call, &move.to, room->len))
    return move_on(call, &move, true);
  return then(call, data, true);
}

static CspValue copy_short(CspCall *call, const Room *room) {
  return room->is_bytes ? csp_bytes(call, room->data, room->len)
                        : csp_string(call, room->data, room->len);
}

CspValue room_value(CspCall *call, const Room *room) {
  if (room->len > SHORT || room->len == room->cap) {
    CspValue v = csp_held(call, room->held);
    csp_cut_room(v, room->len);
    return v;
  }
  CspValue v = copy_short(call, room);
  if (csp_is_undef(v) && csp_make_room(call)) v = copy_short(call, room);
  csp_charge(call, room->len / 128);
  return v;
}

// --- Feeds ------------------------------------------------------------------
enum { COPIED = 1 << 18 };  // bytes at a time

static size_t len_of(CspValue v) {
  return csp_type(v) == CSP_STRING ? str_of(v).len : csp_bytes_len(v);
}

// The arguments have the right types. *all: bytes of all of them. *most: of the
// longest that is to be copied.
static bool measure(CspCall *call, const Feed *feed, size_t *all,
                    size_t *most) {
  for (int i = feed->next; i < feed->end; i++) {
    CspValue v = csp_arg(call, i);
    if (csp_type(v) != CSP_STRING && csp_type(v) != CSP_BYTES) {
      csp_bad_arg(call, i, "a string or bytes");
      return false;
    }
    size_t len = len_of(v);
    *all += len;
    if (csp_type(v) == CSP_BYTES && len > *most) *most = len;
    if (!csp_work(call, 8)) return false;
  }
  return true;
}

// What somebody adds to the bytes meanwhile is not written. The result is false
// when there was nothing.
static bool next_of_bytes(Feed *feed, CspValue bytes) {
  Room *room = &feed->room;
  if (feed->at == 0) feed->until = csp_bytes_len(bytes);
  size_t left = feed->until - feed->at, free = room->cap - room->len;
  size_t want = left < free ? left : free;
  char *to = room->data + room->len;
  size_t count = csp_bytes_read(bytes, feed->at, to, want);
  feed->at += count;
  feed->data = to;
  feed->len = count;
  if (count == want && want < left) return true;
  feed->at = 0;
  feed->next++;
  return count > 0;
}

void feed_next(CspCall *call, Feed *feed) {
  feed->data = "";
  feed->len = 0;
  while (feed->next < feed->end && feed->len == 0) {
    CspValue v = csp_arg(call, feed->next);
    if (csp_type(v) == CSP_BYTES) {
      next_of_bytes(feed, v);
      csp_charge(call, feed->len / 256);
    } else {
      Str s = str_of(v);
      feed->next++;
      feed->data = s.data;
      feed->len = s.len;
    }
  }
}

// Several short ones are written at once. Somebody may cut bytes meanwhile.
static bool join_short(CspCall *call, Feed *feed) {
  Room *room = &feed->room;
  while (feed->next < feed->end) {
    feed_next(call, feed);
    if (feed->len > room->cap - room->len) break;  // cannot be
    memmove(room->data + room->len, feed->data, feed->len);
    room->len += feed->len;
    if (!csp_work(call, 8 + feed->len / 8)) return false;
  }
  feed->data = room->data;
  feed->len = room->len;
  return true;
}

bool feed_open(CspCall *call, Feed *feed, int from, int end) {
  size_t all = 0, most = 0;
  *feed = (Feed){.next = from, .end = end, .data = ""};
  if (!measure(call, feed, &all, &most)) return false;
  bool joined = end - from > 1 && all <= COPIED;
  size_t room = joined ? all : most < COPIED ? most : COPIED;
  if (room > 0 && !room_make(call, &feed->room, room, room)) return false;
  if (joined && room > 0) return join_short(call, feed);
  feed_next(call, feed);
  return true;
}
