// SPDX-License-Identifier: MIT
// Reading connections.
//
// A read has the turn of the reading side from its first try to its end. It
// takes what the connection's buffer has. If that is not enough it receives,
// and if nothing has come it waits, as a native in pieces. A read that is given
// up loses nothing: what was received is in the buffer. Where there was no
// memory for that, no read goes on after the gap. While a read waits and
// nothing is left over, there is no buffer, so an idle connection costs none.
//
// A read's state is its NetRead, a copy of which goes from piece to piece.
#include <errno.h>
#include <string.h>

#include "stdlib/net.h"

enum {
  SCRATCH = 16384,  // bytes received at once
  KEPT = 4096,      // a buffer that is kept when it is empty
  READ_MOST = 1 << 30,
  SOME_MOST = 1 << 16,
  LINE_MOST = 64000,
};

typedef enum ReadKind { READ_SOME, READ_EXACT, READ_LINE, READ_UNTIL } ReadKind;

typedef struct NetRead {
  ReadKind kind;
  bool as_bytes;
  bool has_turn;
  size_t want;     // bytes at most, or exactly
  size_t scanned;  // of what is left: no end begins before that
  int64_t stall;
} NetRead;

// --- The buffer -------------------------------------------------------------
static Str in_left(const NetInput *in) {
  return (Str){in->len > in->at ? in->data + in->at : "", in->len - in->at};
}

static void in_drop(NetInput *in) {
  csp_alloc_free(in->data);
  *in = (NetInput){.data = NULL};
}

static void in_use(NetInput *in, size_t count) {
  in->at += count;
  if (in->at < in->len) return;
  in->at = in->len = 0;
  if (in->cap > KEPT) in_drop(in);
}

// false: no memory, or more than one result may take.
static bool in_add(CspCall *call, NetInput *in, const char *data, size_t len) {
  size_t left = in->len - in->at;
  if (in->at > 0 && in->len + len > in->cap) {
    memmove(in->data, in->data + in->at, left);
    in->len = left;
    in->at = 0;
  }
  if (in->len + len > in->cap) {
    size_t cap = in->len + len < KEPT ? KEPT : 2 * (in->len + len);
    char *more =
        cap > csp_room(call) ? NULL : csp_alloc(csp_of(call), in->data, cap);
    if (more == NULL) return false;
    in->data = more;
    in->cap = cap;
  }
  memcpy(in->data + in->len, data, len);
  in->len += len;
  return true;
}

// --- What is wanted ---------------------------------------------------------
typedef struct ReadFound {
  bool all;     // the read has what it wants
  size_t give;  // bytes that it gives, or as far as is known will give at least
  size_t use;   // bytes that are used: with the end
} ReadFound;

// No more bytes are searched than a piece of the wanted length has, and its
// end.
static Str searched(Str left, const NetRead *read, size_t end_len) {
  size_t most = read->want + end_len;
  return (Str){left.data, left.len < most ? left.len : most};
}

static bool ends_in_cr(Str line) {
  return line.len > 0 && line.data[line.len - 1] == '\r';
}

static ReadFound find_line(Str left, NetRead *read) {
  Str line = searched(left, read, 2);
  const char *from = line.data + read->scanned;
  const char *end = memchr(from, '\n', line.len - read->scanned);
  if (end == NULL) {
    read->scanned = line.len;
    return (ReadFound){false, line.len - (ends_in_cr(line) ? 1 : 0), 0};
  }
  line.len = (size_t)(end - line.data);
  return (ReadFound){true, line.len - (ends_in_cr(line) ? 1 : 0), line.len + 1};
}

static ReadFound find_text_end(CspCall *call, Str left, NetRead *read) {
  Str end = str_of(csp_arg(call, 1)), text = searched(left, read, end.len);
  int64_t at = csp_find(call, text.data + read->scanned,
                        text.len - read->scanned, end.data, end.len);
  if (at < 0) {
    read->scanned = text.len < end.len ? 0 : text.len - end.len + 1;
    return (ReadFound){false, read->scanned, 0};
  }
  size_t len = read->scanned + (size_t)at;
  return (ReadFound){true, len, len + end.len};
}

static ReadFound find_wanted(CspCall *call, Str left, NetRead *read) {
  size_t some = left.len < read->want ? left.len : read->want;
  switch (read->kind) {
    case READ_SOME:
      return (ReadFound){some > 0 || read->want == 0, some, some};
    case READ_EXACT:
      return (ReadFound){left.len >= read->want, read->want, read->want};
    case READ_LINE:
      return find_line(left, read);
    default:
      return find_text_end(call, left, read);
  }
}

static CspValue value_of(CspCall *call, const NetRead *read, const char *data,
                         size_t len) {
  csp_charge(call, len / 128);
  return read->as_bytes ? csp_bytes(call, data, len)
                        : csp_string(call, data, len);
}

// --- The end of a read ------------------------------------------------------
static void leave_read(CspCall *call, Connection *connection, NetRead *read) {
  if (read->has_turn) csp_fd_leave(call, connection->fd, CSP_READS);
  read->has_turn = false;
}

static CspStatus fail(CspCall *call, Connection *connection, NetRead *read,
                      int error) {
  leave_read(call, connection, read);
  return net_fail(call, "read from", &connection->remote, error, read->stall);
}

static CspStatus too_long(CspCall *call, Connection *connection,
                          NetRead *read) {
  char where[NET_ADDRESS_TEXT];
  leave_read(call, connection, read);
  net_address_text(&connection->remote, where);
  return csp_ok_coded(call, "too_long",
                      "cannot read from %s: more than %zu bytes came without "
                      "the end of a %s",
                      where, read->want,
                      read->kind == READ_LINE ? "line" : "piece");
}

// The other side has ended. What it has sent before is left for other reads.
static CspStatus at_end(CspCall *call, Connection *connection, NetRead *read) {
  bool clean = read->kind == READ_SOME || in_left(&connection->in).len == 0;
  if (!clean || read->kind == READ_EXACT)
    return fail(call, connection, read, NET_ENDED);
  leave_read(call, connection, read);
  return csp_ok_value(call, csp_nil());
}

// Gives what the buffer has, if that is all. Else false.
static bool take(CspCall *call, Connection *connection, NetRead *read,
                 CspStatus *status) {
  NetInput *in = &connection->in;
  Str left = in_left(in);
  ReadFound found = find_wanted(call, left, read);
  if (read->kind >= READ_LINE && found.give > read->want) {
    *status = too_long(call, connection, read);
    return true;
  }
  if (!found.all) return false;
  CspValue v = value_of(call, read, left.data, found.give);
  if (!csp_is_undef(v)) in_use(in, found.use);
  leave_read(call, connection, read);
  *status = csp_ok_value(call, v);
  return true;
}

// --- Receiving --------------------------------------------------------------
static CspStatus read_step(CspCall *call, void *data, bool on);
static CspStatus more_step(CspCall *call, void *data, bool on);

static CspStatus wait_to_receive(CspCall *call, Connection *connection,
                                 NetRead *read) {
  read->stall = __atomic_load_n(&connection->stall, __ATOMIC_RELAXED);
  if (in_left(&connection->in).len == 0) in_drop(&connection->in);
  csp_when_ready(call, connection->fd, CSP_READS, net_until(call, read->stall));
  return csp_again(call, more_step, read, sizeof *read, 0);
}

// What was received goes to the script at once, if it is all that is wanted.
static bool give_at_once(CspCall *call, Connection *connection, NetRead *read,
                         Str got, CspStatus *status) {
  bool fits = in_left(&connection->in).len == 0 && read->kind == READ_SOME &&
              got.len <= read->want;
  if (!fits) return false;
  CspValue v = value_of(call, read, got.data, got.len);
  if (csp_is_undef(v)) return false;  // it goes to the buffer
  leave_read(call, connection, read);
  *status = csp_ok_value(call, v);
  return true;
}

// The call has the turn.
static CspStatus read_on(CspCall *call, Connection *connection, NetRead *read) {
  enum { CALL_COST = 1000 };  // ns of a system call
  char scratch[SCRATCH];
  CspStatus status;
  for (;;) {
    if (take(call, connection, read, &status)) return status;
    int fd = csp_fd_number(connection->fd);
    if (fd < 0) return fail(call, connection, read, NET_CLOSED);
    if (connection->has_gap) return fail(call, connection, read, ENOMEM);
    ssize_t n = recv(fd, scratch, sizeof scratch, 0);
    if (n == 0) return at_end(call, connection, read);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN)
      return wait_to_receive(call, connection, read);
    if (n < 0) return fail(call, connection, read, errno);
    Str got = {scratch, (size_t)n};
    if (give_at_once(call, connection, read, got, &status)) return status;
    connection->has_gap = !in_add(call, &connection->in, got.data, got.len);
    if (connection->has_gap) continue;
    if (csp_spent(call, CALL_COST + got.len / 8))
      return csp_again(call, read_step, read, sizeof *read, 0);
  }
}

// --- Steps ------------------------------------------------------------------
static Connection *connection_of(CspCall *call) {
  return csp_host_data(csp_arg(call, 0), &net_connection_class);
}

// The next piece.
static CspStatus read_step(CspCall *call, void *data, bool on) {
  NetRead *read = data;
  Connection *connection = connection_of(call);
  if (on) return read_on(call, connection, read);
  leave_read(call, connection, read);
  return CSP_PANIC;
}

// After a wait for more.
static CspStatus more_step(CspCall *call, void *data, bool on) {
  CspReady ready = on ? csp_ready(call) : CSP_FD_READY;
  if (ready == CSP_FD_READY) return read_step(call, data, on);
  int error = ready == CSP_FD_LATE ? NET_LATE : NET_CLOSED;
  return fail(call, connection_of(call), data, error);
}

// After a wait for the turn.
static CspStatus turn_step(CspCall *call, void *data, bool on) {
  NetRead *read = data;
  read->has_turn = on && csp_ready(call) == CSP_FD_READY;
  if (read->has_turn) return read_on(call, connection_of(call), read);
  return on ? fail(call, connection_of(call), read, NET_CLOSED) : CSP_PANIC;
}

static CspStatus begin_read(CspCall *call, NetRead read) {
  Connection *connection = net_connection(call);
  if (connection == NULL) return CSP_PANIC;
  read.has_turn = csp_fd_enter(connection->fd, CSP_READS) >= 0;
  if (read.has_turn) return read_on(call, connection, &read);
  csp_when_entered(call, connection->fd, CSP_READS);
  return csp_again(call, turn_step, &read, sizeof read, 0);
}

static CspStatus begin_with(CspCall *call, int i, int64_t least, NetRead read) {
  int64_t want;
  if (!need_int_in(call, i, least, READ_MOST, &want)) return CSP_PANIC;
  read.want = (size_t)want;
  return begin_read(call, read);
}

static CspStatus begin_some(CspCall *call, bool as_bytes) {
  NetRead read = {.kind = READ_SOME, .as_bytes = as_bytes, .want = SOME_MOST};
  return is_nil(call, 1) ? begin_read(call, read)
                         : begin_with(call, 1, 1, read);
}

CspStatus net_read(CspCall *call) { return begin_some(call, false); }
CspStatus net_read_bytes(CspCall *call) { return begin_some(call, true); }

CspStatus net_read_exact(CspCall *call) {
  return begin_with(call, 1, 0, (NetRead){.kind = READ_EXACT});
}

CspStatus net_read_line(CspCall *call) {
  NetRead read = {.kind = READ_LINE, .want = LINE_MOST};
  return is_nil(call, 1) ? begin_read(call, read)
                         : begin_with(call, 1, 0, read);
}

CspStatus net_read_until(CspCall *call) {
  NetRead read = {.kind = READ_UNTIL, .want = LINE_MOST};
  Str end;
  if (!need_str(call, 1, &end)) return CSP_PANIC;
  if (end.len == 0) return csp_bad_arg(call, 1, "a string that is not empty");
  return is_nil(call, 2) ? begin_read(call, read)
                         : begin_with(call, 2, 0, read);
}
