// SPDX-License-Identifier: MIT
// The reader of WebSocket frames (RFC 6455, 5): messages and control frames
// out of bytes that come in pieces of any length.
//
//   head -> payload -> head -> ...
//
// What is wrong is found as early as it can be, at the first bad byte. A frame
// gets memory for what has come of it, whatever length it names. A reserved bit
// is wrong, but for the first one (0x40, WS_PACKED) where permessage-deflate
// was agreed on: it says of a message's first frame that the message is
// compressed. websocket.deflate.csp expands it.
#include <string.h>

#include "stdlib/websocket.h"

// --- What is wrong ----------------------------------------------------------
static void is_wrong(WsReader *reader, int code, const char *wrong) {
  reader->event = WS_IS_WRONG;
  reader->code = code;
  reader->wrong = wrong;
}

static bool is_control(const WsReader *reader) {
  return (reader->head[0] & 8) != 0;
}

static const char *bad_opcode(const WsReader *reader, int opcode) {
  if (opcode > WS_PONG || (opcode > WS_BINARY && opcode < WS_CLOSE))
    return "a frame of an unknown kind";
  if (opcode == WS_CONTINUED && reader->kind == 0)
    return "a part of a message that was not begun";
  if (opcode != WS_CONTINUED && opcode < WS_CLOSE && reader->kind != 0)
    return "a new message within another one";
  return NULL;
}

// A part that follows another, and a control frame, have no reserved bit.
static uint8_t reserved_bits(const WsReader *reader) {
  int opcode = reader->head[0] & 15;
  bool may_pack =
      reader->compresses && (opcode == WS_TEXT || opcode == WS_BINARY);
  return may_pack ? 0x70 & ~WS_PACKED : 0x70;
}

// What is wrong with the first two bytes of a frame, or NULL.
static const char *bad_start(const WsReader *reader) {
  uint8_t first = reader->head[0], second = reader->head[1];
  const char *wrong = bad_opcode(reader, first & 15);
  if (first & reserved_bits(reader))
    return "a reserved bit that nobody has asked for";
  if (wrong != NULL) return wrong;
  if (is_control(reader) && !(first & 0x80)) return "a part of a control frame";
  if (is_control(reader) && (second & 127) > WS_CONTROL_MOST)
    return "a control frame of more than 125 bytes";
  if (reader->masked != ((second & 0x80) != 0))
    return reader->masked ? "a frame without a mask" : "a frame with a mask";
  return NULL;
}

// --- Heads ------------------------------------------------------------------
static size_t length_bytes(const WsReader *reader) {
  int len = reader->head[1] & 127;
  return len < 126 ? 0 : len == 126 ? 2 : 8;
}

static size_t head_size(const WsReader *reader) {
  if (reader->head_len < 2) return 2;
  return 2 + length_bytes(reader) + (reader->masked ? WS_MASK : 0);
}

static uint64_t frame_length(const WsReader *reader) {
  size_t bytes = length_bytes(reader);
  uint64_t len = 0;
  if (bytes == 0) return reader->head[1] & 127;
  for (size_t i = 0; i < bytes; i++) len = len << 8 | reader->head[2 + i];
  return len;
}

// Data that cannot be made shorter becomes a little longer.
static size_t most_data(const WsReader *reader) {
  return reader->packed ? reader->most + reader->most / 256 + 64 : reader->most;
}

static void check_length(WsReader *reader) {
  uint64_t len = reader->len, least = length_bytes(reader) == 8   ? 1 << 16
                                      : length_bytes(reader) == 2 ? 126
                                                                  : 0;
  if (len >> 63)
    is_wrong(reader, WS_BROKEN, "a length of more than 63 bits");
  else if (len < least)
    is_wrong(reader, WS_BROKEN, "a length in more bytes than it needs");
  else if (!is_control(reader) && len > most_data(reader) - reader->data_len)
    is_wrong(reader, WS_BIG, NULL);
}

static void begin_payload(WsReader *reader) {
  int opcode = reader->head[0] & 15;
  reader->in_payload = true;
  reader->at = 0;
  if (reader->masked)
    memcpy(reader->mask, reader->head + head_size(reader) - WS_MASK, WS_MASK);
  if (opcode == WS_TEXT || opcode == WS_BINARY) reader->kind = (uint8_t)opcode;
}

// Whose bytes are text as they are.
static bool is_plain_text(const WsReader *reader) {
  return reader->kind == WS_TEXT && !reader->packed;
}

static size_t take_head(WsReader *reader, Str bytes) {
  size_t at = 0;
  while (at < bytes.len && !reader->in_payload && !reader->event) {
    reader->head[reader->head_len++] = (uint8_t)bytes.data[at++];
    size_t len = reader->head_len;
    const char *wrong = len == 2 ? bad_start(reader) : NULL;
    if (wrong != NULL) is_wrong(reader, WS_BROKEN, wrong);
    if (wrong != NULL || len < 2) continue;
    if (reader->kind == 0) reader->packed = (reader->head[0] & WS_PACKED) != 0;
    if (len == 2 + length_bytes(reader)) {
      reader->len = frame_length(reader);
      check_length(reader);
    }
    if (len == head_size(reader) && !reader->event) begin_payload(reader);
  }
  return at;
}

// --- Payloads ---------------------------------------------------------------
// Room for more bytes of the message. false: no memory.
static bool data_grows(WsReader *reader, size_t more, size_t room) {
  size_t need = reader->data_len + more, cap = 2 * reader->data_cap;
  if (need <= reader->data_cap) return true;
  if (cap < need) cap = need;
  if (cap > most_data(reader)) cap = most_data(reader);
  char *data = cap > room ? NULL : csp_alloc(reader->csp, reader->data, cap);
  if (data == NULL) return false;
  reader->data = data;
  reader->data_cap = cap;
  return true;
}

static void unmask(const WsReader *reader, char *to, Str bytes) {
  if (reader->masked)
    ws_mask(to, bytes.data, bytes.len, reader->mask, (size_t)(reader->at % 4));
  else
    memcpy(to, bytes.data, bytes.len);
}

static size_t take_payload(WsReader *reader, Str bytes, size_t room) {
  uint64_t left = reader->len - reader->at;
  bool control = is_control(reader);
  if (bytes.len > left) bytes.len = (size_t)left;
  if (bytes.len == 0) return 0;
  if (!control && !data_grows(reader, bytes.len, room)) {
    reader->event = WS_LACKS_MEMORY;
    return 0;
  }
  char *to =
      control ? reader->control + reader->at : reader->data + reader->data_len;
  unmask(reader, to, bytes);
  reader->at += bytes.len;
  if (control) return bytes.len;
  reader->data_len += bytes.len;
  if (is_plain_text(reader) && !ws_text_goes_on(&reader->text, to, bytes.len))
    is_wrong(reader, WS_BAD_TEXT, "a text that is not UTF-8");
  return bytes.len;
}

// --- Ends of frames ---------------------------------------------------------
// Whether a close frame may have that code (RFC 6455, 7.4, and IANA's list).
static bool is_close_code(int code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
         (code >= 3000 && code <= 4999);
}

static void check_close(WsReader *reader) {
  const uint8_t *data = (const uint8_t *)reader->control;
  WsText reason = {0};
  reader->code = WS_NO_CODE;
  if (reader->control_len == 0) return;
  if (reader->control_len == 1) {
    is_wrong(reader, WS_BROKEN, "a close frame of one byte");
    return;
  }
  reader->code = data[0] << 8 | data[1];
  if (!is_close_code(reader->code))
    is_wrong(reader, WS_BROKEN, "a close frame with a code that may not be");
  else if (!ws_text_goes_on(&reason, reader->control + 2,
                            reader->control_len - 2u) ||
           !ws_text_ends(&reason))
    is_wrong(reader, WS_BAD_TEXT, "a reason for closing that is not UTF-8");
}

static void end_control(WsReader *reader) {
  reader->control_len = (uint8_t)reader->len;
  reader->control_kind = reader->head[0] & 15;
  reader->event = WS_HAS_CONTROL;
  if (reader->control_kind == WS_CLOSE) check_close(reader);
}

static void end_message(WsReader *reader) {
  reader->event = WS_HAS_MESSAGE;
  if (is_plain_text(reader) && !ws_text_ends(&reader->text))
    is_wrong(reader, WS_BAD_TEXT, "a text that ends within a character");
}

static void end_frame(WsReader *reader) {
  reader->in_payload = false;
  reader->head_len = 0;
  if (is_control(reader))
    end_control(reader);
  else if (reader->head[0] & 0x80)
    end_message(reader);
}

size_t ws_take(WsReader *reader, Str bytes, size_t room) {
  size_t at = 0;
  if (reader->event == WS_LACKS_MEMORY) reader->event = WS_NOTHING;
  while (reader->event == WS_NOTHING) {
    Str left = {bytes.data + at, bytes.len - at};
    if (!reader->in_payload)
      at += take_head(reader, left);
    else
      at += take_payload(reader, left, room);
    bool ends = reader->in_payload && reader->at == reader->len;
    if (ends && reader->event == WS_NOTHING) end_frame(reader);
    if (at == bytes.len && (!reader->in_payload || reader->at < reader->len))
      break;
  }
  return at;
}

bool ws_is_over(const WsReader *reader) {
  bool closed =
      reader->event == WS_HAS_CONTROL && reader->control_kind == WS_CLOSE;
  return closed || reader->event == WS_IS_WRONG;
}

void ws_taken(WsReader *reader) {
  if (reader->event == WS_HAS_MESSAGE) {
    csp_alloc_free(reader->data);
    reader->data = NULL;
    reader->data_len = reader->data_cap = 0;
    reader->kind = 0;
    reader->packed = false;
  }
  if (!ws_is_over(reader)) reader->event = WS_NOTHING;
}
