// SPDX-License-Identifier: MIT
// Writing WebSockets. A frame is written in one turn of the connection, so the
// frames of many goroutines are never mixed. One that is given up or fails
// after its beginning leaves in_frame set, and then nothing can follow. Nor
// does a layer say then that all was sent.
#include <errno.h>
#include <string.h>

#include "stdlib/os.h"
#include "stdlib/websocket.h"

enum { WRITE_ROOM = 16384 };

typedef struct WsWrite {
  NetSending sending;
  WsEnd *end;
  bool begun;
  uint8_t kind;
  // The head, and the code of a close frame.
  uint8_t head[WS_HEAD_MOST + 2];
  uint8_t head_len, code_len;
  uint8_t mask[WS_MASK];
  int code;    // 0: none
  size_t len;  // of argument 3 when the write began
  size_t at;   // of the head and that, written
} WsWrite;

// --- Frames -----------------------------------------------------------------
static void add_length(WsWrite *write, uint8_t masked) {
  size_t len = write->len + write->code_len, bytes = 0;
  uint8_t *second = &write->head[1];
  if (len >= 126) bytes = len < 1 << 16 ? 2 : 8;
  *second = masked | (uint8_t)(bytes == 0 ? len : bytes == 2 ? 126 : 127);
  write->head_len = (uint8_t)(2 + bytes);
  for (size_t i = 0; i < bytes; i++)
    write->head[2 + i] = (uint8_t)((uint64_t)len >> 8 * (bytes - 1 - i));
}

// A mask that nobody can foretell (RFC 6455, 5.3). false: the system gives no
// random bytes.
static bool take_mask(WsWriter *writer, uint8_t mask[WS_MASK]) {
  if (writer->spares < WS_MASK) {
    if (!system_random(writer->spare, sizeof writer->spare)) return false;
    writer->spares = sizeof writer->spare;
  }
  writer->spares -= WS_MASK;
  memcpy(mask, writer->spare + writer->spares, WS_MASK);
  return true;
}

static bool make_frame_head(WsWrite *write) {
  WsWriter *writer = &write->end->writer;
  write->head[0] = 0x80 | write->kind;  // WS_PACKED is RSV1
  add_length(write, writer->masks ? 0x80 : 0);
  if (writer->masks) {
    if (!take_mask(writer, write->mask)) return false;
    memcpy(write->head + write->head_len, write->mask, WS_MASK);
    write->head_len += WS_MASK;
  }
  if (write->code_len > 0) {
    write->head[write->head_len++] =
        (uint8_t)(write->code >> 8) ^ write->mask[0];
    write->head[write->head_len++] = (uint8_t)write->code ^ write->mask[1];
  }
  return true;
}

// Bytes of the value from `at` on. Bytes that have become shorter meanwhile are
// followed by zeros, as the frame's length was written.
static void copy_payload(CspValue data, size_t at, char *to, size_t len) {
  size_t got = 0;
  if (csp_type(data) == CSP_BYTES)
    got = csp_bytes_read(data, at, to, len);
  else if (len > 0)
    memcpy(to, str_of(data).data + at, got = len);
  memset(to + got, 0, len - got);
}

// What is sent next: how many bytes.
static size_t next_of_frame(CspCall *call, const WsWrite *write, char *room) {
  size_t head = 0, at = 0;
  if (write->at < write->head_len) {
    head = write->head_len - write->at;
    memcpy(room, write->head + write->at, head);
  } else {
    at = write->at - write->head_len;
  }
  size_t len = write->len - at;
  if (len > WRITE_ROOM - head) len = WRITE_ROOM - head;
  copy_payload(csp_arg(call, 3), at, room + head, len);
  if (write->end->writer.masks)
    ws_mask(room + head, room + head, len, write->mask, at + write->code_len);
  return head + len;
}

// --- Sending ----------------------------------------------------------------
static CspStatus fail_frame(CspCall *call, NetTurn *turn, int error) {
  const WsWrite *write = (WsWrite *)turn;
  return csp_ok(
      call, net_call_error(call, "write to", write->sending.connection, error,
                           write->sending.stall));
}

// 0: the frame may be written. Else what the write fails with.
static int may_begin_frame(CspCall *call, WsWrite *write) {
  WsWriter *writer = &write->end->writer;
  if (writer->in_frame) csp_fd_close(call, write->sending.turn.fd);
  if (writer->in_frame || writer->closed) return NET_CLOSED;
  write->begun = make_frame_head(write);
  if (!write->begun) return errno;
  writer->closed = write->kind == WS_CLOSE;
  return 0;
}

// Of the frame n more bytes were sent.
static void frame_was_sent(CspCall *call, WsWrite *write, size_t n) {
  Connection *connection = write->sending.connection;
  bool *in_frame = &write->end->writer.in_frame, was = *in_frame;
  net_was_sent(call, connection, n);
  write->at += n;
  *in_frame = write->at < write->head_len + write->len;
  if (*in_frame == was) return;
  connection->sent.begun += was ? -1 : 1;
  net_count_unsent(connection, was ? -1 : 1);
}

static CspStatus try_frame(CspCall *call, NetTurn *turn) {
  enum { CALL_COST = 2000 };  // ns of a system call
  WsWrite *write = (WsWrite *)turn;
  char room[WRITE_ROOM];
  int error = write->begun ? 0 : may_begin_frame(call, write);
  if (error) return net_failed(call, turn, error);
  for (;;) {
    int fd = csp_fd_number(turn->fd);
    if (fd < 0) return net_failed(call, turn, NET_CLOSED);
    size_t len = next_of_frame(call, write, room);
    ssize_t n = net_send(call, write->sending.connection, fd, room, len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN)
      return net_wait_to_send(call, &write->sending);
    if (n < 0) return net_failed(call, turn, errno);
    frame_was_sent(call, write, (size_t)n);
    if (len == 0) break;  // a layer has sent what it kept, too
    if (csp_spent(call, CALL_COST + len / 4)) return net_later(call, turn);
  }
  net_leave(call, turn);
  return csp_ok(call, csp_nil());
}

static const NetWay frame_sending = {
    CSP_WRITES, sizeof(WsWrite),      try_frame,
    fail_frame, net_sending_given_up, net_sending_goes_on};

// --- _ws_write --------------------------------------------------------------
int ws_is_text(CspCall *call, Str s) {
  enum { PIECE = 1 << 16 };
  WsText text = {0};
  for (size_t at = 0, len; at < s.len; at += len) {
    len = s.len - at < PIECE ? s.len - at : PIECE;
    if (!ws_text_goes_on(&text, s.data + at, len)) return 0;
    if (!csp_work(call, len / 8)) return -1;
  }
  return ws_text_ends(&text);
}

static CspStatus refuse_text(CspCall *call) {
  const char message[] =
      "cannot write that text to a WebSocket: it is not UTF-8 (bytes may have "
      "anything)";
  return csp_ok(
      call, csp_error_coded(call, csp_string(call, message, sizeof message - 1),
                            csp_nil(), csp_string(call, "invalid", 7)));
}

// _ws_write(connection, end, kind, data, code = nil): err. The kind of a
// message that is compressed has WS_PACKED in it.
CspStatus ws_write(CspCall *call) {
  WsEnd *end = ws_end(call);
  int64_t kind, code = 0;
  Str s = {"", 0};
  bool is_bytes = csp_type(csp_arg(call, 3)) == CSP_BYTES;
  if (end == NULL ||
      !need_int_in(call, 2, WS_TEXT, WS_PACKED | WS_BINARY, &kind) ||
      (!is_bytes && !need_str(call, 3, &s)) ||
      (!is_nil(call, 4) && !need_int_in(call, 4, 1000, 4999, &code)))
    return CSP_PANIC;
  int good = kind == WS_TEXT && !is_bytes ? ws_is_text(call, s) : 1;
  if (good <= 0) return good < 0 ? CSP_PANIC : refuse_text(call);
  NetTurn turn = {csp_nil(), &frame_sending, end->connection->fd, false};
  WsWrite write = {.sending = {turn, end->connection, 0},
                   .end = end,
                   .kind = (uint8_t)kind,
                   .code = (int)code,
                   .code_len = code > 0 ? 2 : 0,
                   .len = is_bytes ? csp_bytes_len(csp_arg(call, 3)) : s.len};
  return net_begin(call, &write.sending.turn);
}
