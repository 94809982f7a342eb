// SPDX-License-Identifier: MIT
// Reading messages of HTTP/1.1: their heads, and the sizes of chunks. Each is a
// read of the connection with a form of its own, so it waits, takes turns and
// ends as any other. A head is parsed once it is there as a whole. So it does
// not matter in which pieces it came.
#include <errno.h>

#include "stdlib/http.h"
#include "stdlib/net_read.h"

// What a read of a head gives first.
enum {
  READ_WHOLE = 0,
  READ_NOTHING = -1,  // nothing has come, as the connection ended (nil), or
                      // because of the error that is the second result
  READ_BROKEN = -2,   // the second result is the error
};

// Bits of the sixth result.
enum { FLAG_KEEPS = 1, FLAG_CONTINUES = 2, FLAG_OLD = 4 };

// --- The end of a head ------------------------------------------------------
// read->mark: where the last line begins. A line that does not end with CR LF
// ends the head, too, which the parser then refuses.
static NetFound find_head(CspCall *call, Str left, NetRead *read) {
  (void)call;
  const char *end;
  // An answer of another protocol may have no such end. as_bytes: a response
  if (read->as_bytes && read->mark == 0 && !http_may_begin(left))
    return (NetFound){true, left.len, left.len};
  while (read->scanned < left.len &&
         (end = memchr(left.data + read->scanned, '\n',
                       left.len - read->scanned)) != NULL) {
    size_t at = (size_t)(end - left.data), begin = read->mark;
    bool has_cr = at > begin && end[-1] == '\r';
    if (begin == 0 && at >= read->want) break;  // the first line is too long
    read->mark = read->scanned = at + 1;
    if (!has_cr || (at == begin + 1 && begin > 0))
      return (NetFound){true, at + 1, at + 1};
  }
  read->scanned = left.len;
  return (NetFound){false, left.len, 0};
}

// A request has seven results, and a response six.
enum { REQUEST_RESULTS = 7, RESPONSE_RESULTS = 6 };

// (status, what), and nil for all others.
static CspStatus give_two(CspCall *call, const NetRead *read, int status,
                          CspValue what) {
  int results = read->as_bytes ? RESPONSE_RESULTS : REQUEST_RESULTS;
  csp_return(call, csp_int(call, status));
  csp_return(call, what);
  for (int i = 3; i < results; i++) csp_return(call, csp_nil());
  return csp_ok(call, csp_nil());
}

static CspStatus give_status(CspCall *call, const NetRead *read, int status,
                             const char *why) {
  return give_two(call, read, status, csp_string(call, why, strlen(why)));
}

static CspStatus head_at_end(CspCall *call, NetRead *read, bool clean) {
  return clean ? give_two(call, read, READ_NOTHING, csp_nil())
               : give_two(call, read, READ_BROKEN,
                          net_call_error(call, "read from", read->connection,
                                         NET_ENDED, 0));
}

static CspStatus head_failed(CspCall *call, NetRead *read, int error) {
  bool has_none = read->mark == 0 && read->scanned == 0;
  if (error == NET_LATE && !has_none && !read->as_bytes)
    return give_status(call, read, 408, "the request took too long");
  CspValue failed =
      net_call_error(call, "read from", read->connection, error, read->stall);
  return give_two(call, read, has_none ? READ_NOTHING : READ_BROKEN, failed);
}

static CspStatus head_too_long(CspCall *call, NetRead *read) {
  return read->mark == 0
             ? give_status(call, read, 414, "the first line is too long")
             : give_status(call, read, 431, "the head is too long");
}

// --- Requests ---------------------------------------------------------------
static CspValue string_or_nil(CspCall *call, Str s) {
  return s.data == NULL ? csp_nil() : csp_string(call, s.data, s.len);
}

// (READ_WHOLE, method, path, query, fields, flags, length), or (status, why).
static CspStatus give_request(CspCall *call, NetRead *read, Str text) {
  HttpHead head = http_parse_request(text, net_layer(read->connection) != NULL);
  csp_charge(call, text.len / 16);
  if (head.status != 0) return give_status(call, read, head.status, head.why);
  int flags = (head.keeps ? FLAG_KEEPS : 0) |
              (head.continues ? FLAG_CONTINUES : 0) |
              (head.minor == 0 ? FLAG_OLD : 0);
  csp_return(call, csp_int(call, READ_WHOLE));
  csp_return(call, csp_string(call, head.method.data, head.method.len));
  csp_return(call, csp_string(call, head.path.data, head.path.len));
  csp_return(call, string_or_nil(call, head.query));
  csp_return(call, csp_string(call, head.fields.data, head.fields.len));
  csp_return(call, csp_int(call, flags));
  return csp_ok(call, csp_int(call, head.length));
}

static const NetForm request_form = {find_head, give_request, head_at_end,
                                     head_too_long, head_failed};

// (connection, most, idle, whole): the head's bytes at most, and the ns until
// its first byte, and from there to its last.
static CspStatus begin_head(CspCall *call, const NetForm *form,
                            bool is_response) {
  int64_t most, idle, whole;
  if (!csp_need_int(call, 1, &most) || !csp_need_int(call, 2, &idle) ||
      !csp_need_int(call, 3, &whole))
    return CSP_PANIC;
  return net_begin_read(call, (NetRead){.form = form,
                                        .as_bytes = is_response,
                                        .want = (size_t)most,
                                        .is_head = true,
                                        .stall = idle,
                                        .until = net_until(call, idle),
                                        .whole = whole});
}

CspStatus http_read_request(CspCall *call) {
  return begin_head(call, &request_form, false);
}

// --- Responses --------------------------------------------------------------
// (READ_WHOLE, status, reason, fields, flags, length), or (-status, why).
static CspStatus give_response(CspCall *call, NetRead *read, Str text) {
  HttpHead head = http_parse_response(text);
  csp_charge(call, text.len / 16);
  if (head.why != NULL) return give_status(call, read, 502, head.why);
  int flags = (head.keeps ? FLAG_KEEPS : 0) | (head.minor == 0 ? FLAG_OLD : 0);
  csp_return(call, csp_int(call, READ_WHOLE));
  csp_return(call, csp_int(call, head.status));
  csp_return(call, csp_string(call, head.reason.data, head.reason.len));
  csp_return(call, csp_string(call, head.fields.data, head.fields.len));
  csp_return(call, csp_int(call, flags));
  return csp_ok(call, csp_int(call, head.length));
}

static const NetForm response_form = {find_head, give_response, head_at_end,
                                      head_too_long, head_failed};

CspStatus http_read_response(CspCall *call) {
  return begin_head(call, &response_form, true);
}

// --- Lines of a body --------------------------------------------------------
// Sizes of chunks, and trailers. A line ends with CR LF, and has no other CR.
static NetFound find_strict_line(CspCall *call, Str left, NetRead *read) {
  (void)call;
  const char *end =
      memchr(left.data + read->scanned, '\n', left.len - read->scanned);
  if (end == NULL) {
    read->scanned = left.len;
    return (NetFound){false, left.len, 0};
  }
  size_t len = (size_t)(end - left.data) + 1;
  return (NetFound){true, len, len};
}

static CspStatus line_wrong(CspCall *call, const char *what) {
  return csp_ok_coded(call, "syntax", "http: %s", what);
}

// (text, nil) or (nil, error).
static CspStatus give_strict_line(CspCall *call, NetRead *read, Str text) {
  (void)read;
  bool has_end = text.len >= 2 && text.data[text.len - 2] == '\r';
  if (!has_end) return line_wrong(call, "a line of a body has no CR");
  Str line = {text.data, text.len - 2};
  if (memchr(line.data, '\r', line.len) || memchr(line.data, '\0', line.len))
    return line_wrong(call, "a line of a body has a CR or NUL");
  return csp_ok_value(call, csp_string(call, line.data, line.len));
}

static CspStatus body_failed(CspCall *call, NetRead *read, int error) {
  csp_return(call, csp_nil());
  return csp_ok(call, net_call_error(call, "read from", read->connection, error,
                                     read->stall));
}

static CspStatus body_at_end(CspCall *call, NetRead *read, bool clean) {
  (void)clean;
  return body_failed(call, read, NET_ENDED);
}

static CspStatus strict_line_too_long(CspCall *call, NetRead *read) {
  (void)read;
  return csp_ok_coded(call, "too_long", "http: a line of a body is too long");
}

CspStatus http_read_line(CspCall *call) {
  enum { LINE_MOST = 4096 };  // bytes
  static const NetForm form = {find_strict_line, give_strict_line, body_at_end,
                               strict_line_too_long, body_failed};
  return net_begin_read(call, (NetRead){.form = &form, .want = LINE_MOST});
}

// (line): the size of the chunk that the line begins, or nil.
CspStatus http_read_size(CspCall *call) {
  Str line;
  if (!need_str(call, 0, &line)) return CSP_PANIC;
  int64_t size = http_chunk_size(line);
  return size < 0 ? csp_ok(call, csp_nil()) : csp_ok_int(call, size);
}

// --- Chunks that are there --------------------------------------------------
// Takes the end of the chunk before, and one that follows whole, without an
// extension. false: the script reads what follows, and finds what is wrong.
static bool next_whole_chunk(Str *left, Str *chunk) {
  enum { END = 2, LINE_MOST = 18 };  // of CR LF, and of 16 digits with it
  if (left->len < END || memcmp(left->data, "\r\n", END) != 0) return false;
  const char *line = left->data + END, *stop = left->data + left->len;
  size_t most = (size_t)(stop - line);
  if (most > LINE_MOST) most = LINE_MOST;
  const char *end = memchr(line, '\n', most);
  if (end == NULL || end == line || end[-1] != '\r') return false;
  Str text = {line, (size_t)(end - 1 - line)};
  int64_t size = http_chunk_size(text);
  if (size <= 0 || memchr(text.data, ';', text.len) != NULL ||
      size > stop - (end + 1))
    return false;
  *chunk = (Str){end + 1, (size_t)size};
  *left = (Str){chunk->data + size, (size_t)(stop - chunk->data) - chunk->len};
  return true;
}

size_t http_join_chunks(Str *left, size_t most, char *to, int64_t *spare) {
  enum { ENDS = 4 };  // bytes of the two ends of lines before the data
  size_t len = 0;
  Str rest = *left, chunk;
  *spare = 0;
  while (next_whole_chunk(&rest, &chunk) && chunk.len <= most - len) {
    if (to != NULL) memcpy(to + len, chunk.data, chunk.len);
    len += chunk.len;
    *spare += HTTP_USUAL_LINE - (chunk.data - left->data - ENDS);
    *left = rest;
  }
  return len;
}

// (connection, most): the data of as many whole chunks as were received, or
// nil, and by how much their lines are shorter than usual. It does not wait.
// Short chunks would cost a few calls of the script each.
CspStatus http_take_chunks(CspCall *call) {
  Connection *connection = net_connection(call);
  int64_t most, spare = 0;
  char *data;
  if (connection == NULL || !csp_need_int(call, 1, &most)) return CSP_PANIC;
  if (csp_fd_enter(connection->fd, CSP_READS) < 0) {
    csp_return(call, csp_nil());
    return csp_ok_int(call, 0);
  }
  NetInput *in = &connection->in;
  const Str all = {in->data + in->at, in->len - in->at};
  Str left = all;
  CspValue joined = csp_nil();
  size_t len = 0;
  if (all.len > 0) len = http_join_chunks(&left, (size_t)most, NULL, &spare);
  if (len > 0) joined = csp_bytes_room(call, len, &data);
  if (len > 0 && !csp_is_undef(joined)) {
    left = all;
    http_join_chunks(&left, (size_t)most, data, &spare);
    csp_charge(call, (all.len - left.len) / 4);
    net_use(call, in, all.len - left.len);
  }
  csp_fd_leave(call, connection->fd, CSP_READS);
  if (csp_is_undef(joined)) return csp_panic_memory(call);
  csp_return(call, joined);
  return csp_ok_int(call, spare);
}

// (line): whether it is a field, as trailers are.
CspStatus http_is_field_line(CspCall *call) {
  Str line;
  if (!need_str(call, 0, &line)) return CSP_PANIC;
  return csp_ok_bool(call, http_is_field(line));
}

// --- Fields -----------------------------------------------------------------
static bool is_cookie(Str name) {
  return http_same_name(name, (Str){"cookie", 6});
}

// (fields, name): the value, or nil. Those of several such fields have commas
// in between, as RFC 9110, 5.3 says.
CspStatus http_field(CspCall *call) {
  Str fields, name;
  HttpField field;
  CspValue found = csp_nil();
  Buffer more = buffer_of(call);
  if (!need_str(call, 0, &fields) || !need_str(call, 1, &name))
    return CSP_PANIC;
  csp_charge(call, fields.len / 16);
  while (http_next_field(&fields, &field)) {
    if (!http_same_name(field.name, name)) continue;
    if (csp_type(found) == CSP_NIL) {
      found = csp_string(call, field.value.data, field.value.len);
      continue;
    }
    if (more.len == 0) buffer_add(&more, str_of(found).data, str_of(found).len);
    buffer_add(&more, is_cookie(name) ? "; " : ", ", 2);
    buffer_add(&more, field.value.data, field.value.len);
  }
  return more.data == NULL ? csp_ok(call, found) : buffer_ok(call, &more);
}

// (fields): a map from the names, in lower case, to lists of their values.
CspStatus http_fields(CspCall *call) {
  Str fields;
  HttpField field;
  CspValue map = csp_map(call, 8);
  if (!need_str(call, 0, &fields)) return CSP_PANIC;
  csp_charge(call, fields.len / 4);
  while (!csp_is_undef(map) && http_next_field(&fields, &field)) {
    CspValue values = csp_nil(), name;
    char *low;
    name = csp_string_room(call, field.name.len, &low);
    if (csp_is_undef(name)) return csp_panic_memory(call);
    for (size_t i = 0; i < field.name.len; i++) {
      char c = field.name.data[i];
      low[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    if (!csp_map_get(call, map, name, &values)) {
      values = csp_list(call, 1);
      if (!csp_map_set(call, map, name, values)) return CSP_PANIC;
    }
    CspValue value = csp_string(call, field.value.data, field.value.len);
    if (!csp_list_push(call, values, value)) return CSP_PANIC;
  }
  return csp_ok(call, map);
}

// --- Ends -------------------------------------------------------------------
// (connection): ends it if it is idle, and else before its next request.
CspStatus http_end_if_idle(CspCall *call) {
  Connection *connection = net_connection(call);
  if (connection == NULL) return CSP_PANIC;
  // relaxed: the compare_exchange decides
  uint32_t life = __atomic_load_n(&connection->life, __ATOMIC_RELAXED), next;
  do {
    if (life == LIFE_LAST || life == LIFE_OVER) return csp_ok_nothing(call);
    next = life == LIFE_IDLE ? LIFE_OVER : LIFE_LAST;
    // RMW: this or becomes_idle or becomes_busy is first (net_read.c)
  } while (!__atomic_compare_exchange_n(&connection->life, &life, next, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  if (next == LIFE_OVER) csp_fd_close(call, connection->fd);
  return csp_ok_nothing(call);
}

// (connection, number): whether the caller is the first to claim the connection
// for the request of that number. That is the server, when the handler has
// returned, or who takes the connection in the handler. A request that is over
// has been claimed, so nobody takes the next one's connection by it.
CspStatus http_claim(CspCall *call) {
  Connection *connection = net_connection(call);
  int64_t number;
  if (connection == NULL || !csp_need_int(call, 1, &number)) return CSP_PANIC;
  // acq_rel: one of the callers is first. The others see what it has written
  // before, such as that the handler has returned. Pairs with itself
  bool first =
      __atomic_compare_exchange_n(&connection->claimed, &number, number + 1,
                                  false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return csp_ok_bool(call, first);
}

// (connection): whether it is open, and nothing has come that nobody has read.
// Nobody reads it meanwhile.
CspStatus http_is_quiet(CspCall *call) {
  enum { TRIES = 4 };
  Connection *connection = net_connection(call);
  bool quiet = false;
  char byte;
  if (connection == NULL) return CSP_PANIC;
  int fd = csp_fd_enter(connection->fd, CSP_READS);
  if (fd < 0) return csp_ok_bool(call, false);
  if (connection->in.len == connection->in.at && !connection->has_gap) {
    ssize_t n = -1;
    // A layer may have something to read that is none of its data, but not
    // without end.
    errno = EINTR;
    for (int i = 0; i < TRIES && n < 0 && errno == EINTR; i++)
      n = net_receive(call, connection, fd, &byte, 1);
    quiet = n < 0 && errno == EAGAIN;
  }
  csp_fd_leave(call, connection->fd, CSP_READS);
  return csp_ok_bool(call, quiet);
}

static NetFound find_anything(CspCall *call, Str left, NetRead *read) {
  (void)call, (void)read;
  return (NetFound){left.len > 0, 0, 0};
}

static CspStatus give_not_ended(CspCall *call, NetRead *read, Str text) {
  (void)read, (void)text;
  return csp_ok_bool(call, false);
}

static CspStatus give_ended(CspCall *call, NetRead *read, bool clean) {
  (void)read, (void)clean;
  return csp_ok_bool(call, true);
}

static CspStatus watch_failed(CspCall *call, NetRead *read, int error) {
  (void)read, (void)error;
  return csp_ok_bool(call, true);
}

// (connection): waits until the connection ends, and gives true. If something
// else comes first, it gives false, and leaves that to the next read.
CspStatus http_await_end(CspCall *call) {
  static const NetForm form = {find_anything, give_not_ended, give_ended, NULL,
                               watch_failed};
  return net_begin_read(call, (NetRead){.form = &form, .is_watch = true});
}
