// SPDX-License-Identifier: MIT
// Writing connections. A write has the turn of the writing side until all of
// its pieces are written, so two writes are never mixed. A write that fails, or
// is given up, has written a beginning: the connection is of no use after that.
//
// Its state is its NetWrite, a copy of which goes from piece to piece.
#include <errno.h>
#include <string.h>

#include "stdlib/net.h"

enum {
  GATHERED = 16384,   // bytes of short pieces that are sent at once
  LONG_WRITE = 4096,  // a string of that length is sent from where it is
  SENT_MOST = 1 << 18,
  PART_PIECES = 64,
};

typedef struct NetWrite {
  NetSending sending;
  bool ends;   // close_write
  bool begun;  // it has had the turn
  int next;    // the argument that is written
  size_t at;   // of its bytes
} NetWrite;

// --- Pieces -----------------------------------------------------------------
static size_t piece_len(CspValue piece) {
  return csp_type(piece) == CSP_BYTES ? csp_bytes_len(piece)
                                      : str_of(piece).len;
}

// The bytes of the piece from `at` on, as far as there is room.
static size_t copy_written(CspValue piece, size_t at, char *to, size_t room) {
  if (csp_type(piece) == CSP_BYTES) return csp_bytes_read(piece, at, to, room);
  Str s = str_of(piece);
  size_t len = s.len - at < room ? s.len - at : room;
  if (len > 0) memcpy(to, s.data + at, len);
  return len;
}

// Bytes of one piece or more, and how many are of each: bytes may have another
// length when these are sent.
typedef struct SentPart {
  Str bytes;
  int pieces;
  size_t taken[PART_PIECES];
} SentPart;

// What is sent next: a long string as it is, else what pieces hold together.
static void next_sent(CspCall *call, const NetWrite *write, char *room,
                      SentPart *part) {
  size_t len = 0, at = write->at;
  part->bytes = (Str){room, 0};
  part->pieces = 0;
  for (int i = write->next; i < csp_argc(call); i++, at = 0) {
    if (part->pieces == PART_PIECES || len == GATHERED) break;
    CspValue piece = csp_arg(call, i);
    size_t left = piece_len(piece), *taken = &part->taken[part->pieces];
    left = left > at ? left - at : 0;  // bytes may have become shorter
    bool is_long = left >= LONG_WRITE && csp_type(piece) == CSP_STRING;
    if (is_long && len > 0) break;
    part->pieces++;
    if (is_long) {
      *taken = left < SENT_MOST ? left : SENT_MOST;
      part->bytes = (Str){str_of(piece).data + at, *taken};
      return;
    }
    *taken = 0;
    if (left > 0) *taken = copy_written(piece, at, room + len, GATHERED - len);
    len += *taken;
  }
  part->bytes.len = len;
}

static void use_sent(CspCall *call, NetWrite *write, const SentPart *part,
                     size_t sent) {
  for (int i = 0; i < part->pieces; i++) {
    size_t taken = part->taken[i];
    write->at += sent < taken ? sent : taken;
    if (sent < taken) return;
    sent -= taken;
    // Only the last one may have more. One before it has grown meanwhile.
    bool is_last = i + 1 == part->pieces;
    if (is_last && write->at < piece_len(csp_arg(call, write->next))) return;
    write->next++;
    write->at = 0;
  }
}

// --- Sending ----------------------------------------------------------------
static CspStatus fail_write(CspCall *call, NetTurn *turn, int error) {
  const NetWrite *write = (NetWrite *)turn;
  // After EPIPE nothing can be sent, or the end was sent before.
  if (!write->ends && error == EPIPE)
    net_count_unsent(write->sending.connection, -1);
  return csp_ok(
      call, net_call_error(call, "write to", write->sending.connection, error,
                           write->sending.stall));
}

// A layer may have kept the last bytes. Sending none sends those.
static CspStatus all_written(CspCall *call, NetWrite *write, int fd) {
  Connection *connection = write->sending.connection;
  int error = net_send(call, connection, fd, "", 0) < 0 ? errno : 0;
  if (!error && write->ends && net_is_cut(connection))
    error = connection->sent.begun > 0 ? NET_CUT : NET_QUEUED;
  else if (!error && write->ends && net_end(call, connection, fd) != 0)
    error = errno;
  if (error == EAGAIN) return net_wait_to_send(call, &write->sending);
  if (error == EINTR) return net_later(call, &write->sending.turn);
  if (error) return net_failed(call, &write->sending.turn, error);
  if (!write->ends) {
    net_count_unsent(connection, -1);
    connection->sent.begun--;
  }
  net_leave(call, &write->sending.turn);
  return csp_ok(call, csp_nil());
}

static CspStatus try_to_write(CspCall *call, NetTurn *turn) {
  enum { CALL_COST = 2000 };  // ns of a system call
  NetWrite *write = (NetWrite *)turn;
  char room[GATHERED];
  SentPart part;
  if (!write->ends && !write->begun) write->sending.connection->sent.begun++;
  write->begun = true;
  for (;;) {
    int fd = csp_fd_number(turn->fd);
    if (fd < 0) return net_failed(call, turn, NET_CLOSED);
    next_sent(call, write, room, &part);
    ssize_t n = net_send(call, write->sending.connection, fd, part.bytes.data,
                         part.bytes.len);
    if (n < 0 && errno == EAGAIN)
      return net_wait_to_send(call, &write->sending);
    if (n < 0 && errno != EINTR) return net_failed(call, turn, errno);
    size_t sent = n < 0 ? 0 : (size_t)n;
    net_was_sent(call, write->sending.connection, sent);
    use_sent(call, write, &part, sent);
    bool over = write->next == csp_argc(call);
    if (over) return all_written(call, write, fd);
    if (csp_spent(call, CALL_COST + sent / 4)) return net_later(call, turn);
  }
}

static const NetWay writing = {CSP_WRITES,           sizeof(NetWrite),
                               try_to_write,         fail_write,
                               net_sending_given_up, net_sending_goes_on};

static CspStatus begin_write(CspCall *call, bool ends) {
  Connection *connection = net_connection(call);
  if (connection == NULL) return CSP_PANIC;
  if (!ends) net_count_unsent(connection, 1);
  NetTurn turn = {csp_nil(), &writing, connection->fd, false};
  NetWrite write = {.sending = {turn, connection, 0}, .ends = ends, .next = 1};
  return net_begin(call, &write.sending.turn);
}

CspStatus net_write(CspCall *call) {
  for (int i = 1; i < csp_argc(call); i++) {
    Str s;
    bool is_bytes = csp_type(csp_arg(call, i)) == CSP_BYTES;
    if (!is_bytes && csp_type(csp_arg(call, i)) != CSP_STRING)
      return csp_bad_arg(call, i, "a string or bytes");
    if (!is_bytes && !need_str(call, i, &s)) return CSP_PANIC;
  }
  return begin_write(call, false);
}

CspStatus net_close_write(CspCall *call) { return begin_write(call, true); }
