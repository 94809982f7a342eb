// SPDX-License-Identifier: MIT
// Reading connections.
//
// A read has the turn of the reading side from its first try to its end. It
// takes what the connection's buffer has. If that is not enough it receives,
// and if nothing has come it waits, as a native in pieces. A read that is given
// up loses nothing, because it puts what it has received into the buffer. If
// there is no memory for that, the stream has a gap (`has_gap`), and all later
// reads fail. Where nothing is left over there is no buffer, so an idle
// connection takes no memory for one. A buffer that a read waits with, or
// leaves at its end, is in the weight of the connection, and so is one of more
// than LEAST bytes. A short one that comes and goes within a read is not.
//
// A NetForm says what a read wants. The module http has forms of its own.
#include "stdlib/net_read.h"

#include <errno.h>
#include <string.h>

enum {
  SCRATCH = 16384,  // bytes received at once
  LEAST = 4096,     // of a buffer
  READ_MOST = 1 << 30,
  SOME_MOST = 1 << 16,
  LINE_MOST = 64000,
};

// --- The buffer -------------------------------------------------------------
static Str in_left(const NetInput *in) {
  return (Str){in->len > in->at ? in->data + in->at : "", in->len - in->at};
}

// The buffer of argument 0 is to hold so much. false: there is no room for it.
static bool in_weigh(CspCall *call, NetInput *in, size_t bytes) {
  if (bytes == in->told) return true;
  int64_t more = (int64_t)bytes - (int64_t)in->told;
  CspValue connection = csp_arg(call, 0);
  if (!net_weigh(call, connection, more)) {
    net_weigh(call, connection, -more);
    if (!csp_make_room(call)) return false;
    if (!net_weigh(call, connection, more))
      return net_weigh(call, connection, -more), false;
  }
  in->told = bytes;
  return true;
}

// What is weighed at the end of a read, which has its results already, so
// there is no collection. Where a layer takes the room meanwhile, less may not
// be told, but then that tells the sum when it finds none.
static void in_tell(CspCall *call, NetInput *in) {
  int64_t more = (int64_t)in->cap - (int64_t)in->told;
  if (more == 0) return;
  bool fits = net_weigh(call, csp_arg(call, 0), more);
  if (!fits && more > 0)
    net_weigh(call, csp_arg(call, 0), -more);
  else
    in->told = in->cap;
}

static void in_drop(CspCall *call, NetInput *in) {
  csp_alloc_free(in->data);
  *in = (NetInput){.told = in->told};
  in_tell(call, in);
}

void net_use(CspCall *call, NetInput *in, size_t count) {
  in->at += count;
  if (in->at < in->len)
    in_tell(call, in);
  else if (in->data != NULL)
    in_drop(call, in);
}

static bool in_grow(CspCall *call, NetInput *in, size_t cap) {
  char *more = NULL;
  if (cap > csp_room(call)) return false;
  if (cap <= LEAST || in_weigh(call, in, cap))
    more = csp_alloc(csp_of(call), in->data, cap);
  if (more == NULL) return false;
  in->data = more;
  in->cap = cap;
  return true;
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
    size_t cap = in->len + len < LEAST ? LEAST : 2 * (in->len + len);
    if (!in_grow(call, in, cap)) return false;
  }
  memcpy(in->data + in->len, data, len);
  in->len += len;
  return true;
}

// --- Forms ------------------------------------------------------------------
static CspValue value_of(CspCall *call, const NetRead *read, Str found) {
  csp_charge(call, found.len / 128);
  return read->as_bytes ? csp_bytes(call, found.data, found.len)
                        : csp_string(call, found.data, found.len);
}

static CspStatus give_read_value(CspCall *call, NetRead *read, Str found) {
  return csp_ok_value(call, value_of(call, read, found));
}

static CspStatus fail_read(CspCall *call, NetRead *read, int error) {
  csp_return(call, csp_nil());
  return csp_ok(call, net_call_error(call, "read from", read->connection, error,
                                     read->stall));
}

// The other side has ended. What it has sent before is left for other reads.
static CspStatus nothing_more(CspCall *call, NetRead *read, bool clean) {
  return clean ? csp_ok_value(call, csp_nil())
               : fail_read(call, read, NET_ENDED);
}

static CspStatus some_at_end(CspCall *call, NetRead *read, bool clean) {
  (void)clean;
  return nothing_more(call, read, true);
}

static CspStatus exact_at_end(CspCall *call, NetRead *read, bool clean) {
  (void)clean;
  return nothing_more(call, read, false);
}

static CspStatus has_no_end(CspCall *call, const NetRead *read,
                            const char *what) {
  char where[NET_ADDRESS_TEXT];
  net_address_text(&read->connection->remote, where);
  return csp_ok_coded(call, "too_long",
                      "cannot read from %s: more than %zu bytes came without "
                      "the end of a %s",
                      where, read->want, what);
}

static CspStatus line_too_long(CspCall *call, NetRead *read) {
  return has_no_end(call, read, "line");
}

static CspStatus piece_too_long(CspCall *call, NetRead *read) {
  return has_no_end(call, read, "piece");
}

static NetFound find_some(CspCall *call, Str left, NetRead *read) {
  (void)call;
  size_t some = left.len < read->want ? left.len : read->want;
  return (NetFound){some > 0 || read->want == 0, some, some};
}

static NetFound find_exact(CspCall *call, Str left, NetRead *read) {
  (void)call;
  return (NetFound){left.len >= read->want, read->want, read->want};
}

// No more bytes are searched than a piece of the wanted length has, and its
// end.
static Str searched(Str left, const NetRead *read, size_t end_len) {
  size_t most = read->want + end_len;
  return (Str){left.data, left.len < most ? left.len : most};
}

static bool ends_in_cr(Str line) {
  return line.len > 0 && line.data[line.len - 1] == '\r';
}

static NetFound find_line(CspCall *call, Str left, NetRead *read) {
  (void)call;
  Str line = searched(left, read, 2);
  const char *from = line.data + read->scanned;
  const char *end = memchr(from, '\n', line.len - read->scanned);
  if (end == NULL) {
    read->scanned = line.len;
    return (NetFound){false, line.len - (ends_in_cr(line) ? 1 : 0), 0};
  }
  line.len = (size_t)(end - line.data);
  return (NetFound){true, line.len - (ends_in_cr(line) ? 1 : 0), line.len + 1};
}

static NetFound find_text_end(CspCall *call, Str left, NetRead *read) {
  Str end = str_of(csp_arg(call, 1)), text = searched(left, read, end.len);
  int64_t at = csp_find(call, text.data + read->scanned,
                        text.len - read->scanned, end.data, end.len);
  if (at < 0) {
    read->scanned = text.len < end.len ? 0 : text.len - end.len + 1;
    return (NetFound){false, read->scanned, 0};
  }
  size_t len = read->scanned + (size_t)at;
  return (NetFound){true, len, len + end.len};
}

static const NetForm some_form = {find_some, give_read_value, some_at_end, NULL,
                                  fail_read};
static const NetForm exact_form = {find_exact, give_read_value, exact_at_end,
                                   NULL, fail_read};
static const NetForm line_form = {find_line, give_read_value, nothing_more,
                                  line_too_long, fail_read};
static const NetForm piece_form = {find_text_end, give_read_value, nothing_more,
                                   piece_too_long, fail_read};

// --- Reading ----------------------------------------------------------------
// Gives what the buffer has, if that is all. Else false.
static bool take(CspCall *call, NetRead *read, CspStatus *status) {
  NetInput *in = &read->connection->in;
  Str left = in_left(in);
  NetFound found = read->form->find(call, left, read);
  if (read->form->too_long != NULL && found.give > read->want) {
    net_leave(call, &read->turn);
    *status = read->form->too_long(call, read);
    return true;
  }
  if (!found.all) {
    net_use(call, in, read->taken);
    read->taken = 0;
    return false;
  }
  *status = read->form->give(call, read, (Str){left.data, found.give});
  if (*status == CSP_OK) net_use(call, in, found.use);
  net_leave(call, &read->turn);
  return true;
}

// When the wait that begins now ends, or 0.
static int64_t until_of(CspCall *call, NetRead *read) {
  Connection *connection = read->connection;
  if (read->is_watch) return 0;
  if (!read->is_head)
    return net_pace_until(call, connection, CSP_READS, &read->stall);
  if (read->whole > 0 && in_left(&connection->in).len > 0) {
    read->until = net_until(call, read->whole);
    read->stall = read->whole;
    read->whole = 0;
  }
  return read->until;
}

static CspStatus end_of_connection(CspCall *call, NetRead *read) {
  bool clean = in_left(&read->connection->in).len == 0;
  net_leave(call, &read->turn);
  return read->form->at_end(call, read, clean);
}

// Before a wait with nothing left over. false: the next message is not taken.
static bool becomes_idle(Connection *connection) {
  uint32_t busy = LIFE_BUSY;
  // RMW: this or http_end_if_idle is first. The word shows nothing else
  return __atomic_compare_exchange_n(&connection->life, &busy, LIFE_IDLE, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
         busy == LIFE_IDLE;
}

// After something has come. false: whoever ends idle connections was faster.
static bool becomes_busy(Connection *connection) {
  uint32_t idle = LIFE_IDLE;
  // RMW: as in becomes_idle
  return __atomic_compare_exchange_n(&connection->life, &idle, LIFE_BUSY, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
         idle != LIFE_OVER;
}

static CspStatus wait_to_receive(CspCall *call, NetRead *read) {
  NetInput *in = &read->connection->in;
  bool is_empty = in_left(in).len == 0;
  if (read->is_head && is_empty && !becomes_idle(read->connection))
    return end_of_connection(call, read);
  int64_t until = until_of(call, read);
  if (is_empty)
    in_drop(call, in);
  else if (!in_weigh(call, in, in->cap))
    return net_failed(call, &read->turn, ENOMEM);
  return net_wait(call, &read->turn, until);
}

// What was received goes to the script at once, if it is all that is wanted.
static bool give_at_once(CspCall *call, NetRead *read, Str got,
                         CspStatus *status) {
  bool fits = in_left(&read->connection->in).len == 0 &&
              read->form == &some_form && got.len <= read->want;
  if (!fits) return false;
  CspValue v = value_of(call, read, got);
  if (csp_is_undef(v)) return false;  // it goes to the buffer
  net_leave(call, &read->turn);
  *status = csp_ok_value(call, v);
  return true;
}

static CspStatus try_to_read(CspCall *call, NetTurn *turn) {
  enum { CALL_COST = 1000 };  // ns of a system call
  NetRead *read = (NetRead *)turn;
  Connection *connection = read->connection;
  char scratch[SCRATCH];
  CspStatus status;
  for (;;) {
    if (take(call, read, &status)) return status;
    int fd = csp_fd_number(turn->fd);
    if (fd < 0) return net_failed(call, turn, NET_CLOSED);
    if (connection->has_gap) return net_failed(call, turn, ENOMEM);
    ssize_t n = net_receive(call, connection, fd, scratch, sizeof scratch);
    if (n == 0) return end_of_connection(call, read);
    if (n < 0 && errno == EAGAIN) return wait_to_receive(call, read);
    if (n < 0 && errno != EINTR) return net_failed(call, turn, errno);
    if (n > 0 && read->is_head && !becomes_busy(connection))
      return end_of_connection(call, read);
    Str got = {scratch, n < 0 ? 0 : (size_t)n};
    net_was_read(call, connection, got.len);
    if (n > 0 && give_at_once(call, read, got, &status)) return status;
    connection->has_gap =
        n > 0 && !in_add(call, &connection->in, got.data, got.len);
    if (connection->has_gap) continue;
    if (csp_spent(call, CALL_COST + got.len / 8)) return net_later(call, turn);
  }
}

static CspStatus read_failed(CspCall *call, NetTurn *turn, int error) {
  NetRead *read = (NetRead *)turn;
  return read->form->fail(call, read, error);
}

// The wait ends here. What follows until the next one does not count.
static void read_given_up(CspCall *call, NetTurn *turn) {
  net_was_read(call, ((NetRead *)turn)->connection, 0);
}

static const NetWay reading = {CSP_READS,   sizeof(NetRead), try_to_read,
                               read_failed, read_given_up,   NULL};

CspStatus net_begin_read(CspCall *call, NetRead read) {
  read.connection = net_connection(call);
  if (read.connection == NULL) return CSP_PANIC;
  read.turn = (NetTurn){csp_nil(), &reading, read.connection->fd, false};
  return net_begin(call, &read.turn);
}

// --- Methods ----------------------------------------------------------------
// Argument i is how many bytes are wanted, or nil where there is a default.
static CspStatus begin_with(CspCall *call, int i, int64_t least, NetRead read) {
  int64_t want;
  if (read.want > 0 && is_nil(call, i)) return net_begin_read(call, read);
  if (!need_int_in(call, i, least, READ_MOST, &want)) return CSP_PANIC;
  read.want = (size_t)want;
  return net_begin_read(call, read);
}

CspStatus net_read(CspCall *call) {
  return begin_with(call, 1, 1,
                    (NetRead){.form = &some_form, .want = SOME_MOST});
}

CspStatus net_read_bytes(CspCall *call) {
  NetRead read = {.form = &some_form, .as_bytes = true, .want = SOME_MOST};
  return begin_with(call, 1, 1, read);
}

CspStatus net_read_exact(CspCall *call) {
  return begin_with(call, 1, 0, (NetRead){.form = &exact_form});
}

CspStatus net_read_line(CspCall *call) {
  return begin_with(call, 1, 0,
                    (NetRead){.form = &line_form, .want = LINE_MOST});
}

CspStatus net_read_until(CspCall *call) {
  NetRead read = {.form = &piece_form, .want = LINE_MOST};
  Str end;
  if (!need_str(call, 1, &end)) return CSP_PANIC;
  if (end.len == 0) return csp_bad_arg(call, 1, "a string that is not empty");
  return begin_with(call, 2, 0, read);
}
