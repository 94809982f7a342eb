// SPDX-License-Identifier: MIT
// Reading WebSockets: a form of a connection's reads. What is given up loses
// nothing, as the reader belongs to the end and not to the call.
#include "stdlib/websocket.h"

#include <stdio.h>

enum { WS_ABNORMAL = 1006 };  // the code where there was no close frame

static WsReader *reader_of(CspCall *call) { return &ws_end(call)->reader; }

// A message that a read waits with is in the weight of the end. false: there is
// no room for it.
static bool weigh_message(CspCall *call, const WsReader *reader) {
  CspValue end = csp_arg(call, 1);
  return csp_host_weight(call, end, reader->data_cap) ||
         (csp_make_room(call) && csp_host_weight(call, end, reader->data_cap));
}

static NetFound find_event(CspCall *call, Str left, NetRead *read) {
  WsReader *reader = reader_of(call);
  size_t had = reader->taken < left.len ? reader->taken : left.len;
  Str fresh = {left.data + had, left.len - had};
  reader->taken = had + ws_take(reader, fresh, csp_room(call));
  if (reader->event != WS_NOTHING || !weigh_message(call, reader))
    return (NetFound){true, 0, reader->taken};
  read->taken = reader->taken;
  reader->taken = 0;
  return (NetFound){false, 0, 0};
}

// --- Results: (kind, data, code) --------------------------------------------
// kind nil: data is an error, and code the one to close with.
static CspStatus add_error(CspCall *call, CspValue error, int code) {
  csp_return(call, csp_nil());
  csp_return(call, error);
  return csp_ok(call, csp_int(call, code));
}

static CspStatus give_wrong(CspCall *call, const NetRead *read) {
  const WsReader *reader = reader_of(call);
  char place[NET_ADDRESS_TEXT], text[2 * NET_ADDRESS_TEXT + 96];
  const char *code = reader->code == WS_BIG ? "too_long" : "syntax";
  net_address_text(&read->connection->remote, place);
  int len =
      reader->code == WS_BIG
          ? snprintf(text, sizeof text,
                     "cannot read from %s: a message of more than %zu bytes",
                     place, reader->most)
          : snprintf(text, sizeof text, "cannot read from %s: it sent %s",
                     place, reader->wrong);
  CspValue error =
      csp_error_coded(call, csp_string(call, text, (size_t)len), csp_nil(),
                      csp_string(call, code, strlen(code)));
  return add_error(call, error, reader->code);
}

static CspStatus give_control(CspCall *call, const WsReader *reader) {
  bool closes = reader->control_kind == WS_CLOSE;
  size_t from = closes && reader->control_len > 0 ? 2 : 0;
  csp_return(call, csp_int(call, reader->control_kind));
  csp_return(call, csp_string(call, reader->control + from,
                              reader->control_len - from));
  return csp_ok(call, closes ? csp_int(call, reader->code) : csp_nil());
}

static CspStatus give_message(CspCall *call, const WsReader *reader) {
  const char *data = reader->data_len > 0 ? reader->data : "";
  csp_charge(call, reader->data_len / 128);
  int packed = reader->packed ? WS_PACKED : 0;
  csp_return(call, csp_int(call, reader->kind | packed));
  csp_return(call, reader->kind == WS_TEXT && !packed
                       ? csp_string(call, data, reader->data_len)
                       : csp_bytes(call, data, reader->data_len));
  return csp_ok(call, csp_nil());
}

static CspStatus give_event(CspCall *call, NetRead *read, Str found) {
  (void)found;
  WsReader *reader = reader_of(call);
  CspStatus status = CSP_PANIC;
  switch (reader->event) {
    case WS_HAS_MESSAGE:
      status = give_message(call, reader);
      break;
    case WS_HAS_CONTROL:
      status = give_control(call, reader);
      break;
    case WS_IS_WRONG:
      status = give_wrong(call, read);
      break;
    case WS_NOTHING:
    case WS_LACKS_MEMORY:
      return csp_panic_memory(call);
  }
  if (status != CSP_OK) return status;
  ws_taken(reader);
  reader->taken = 0;
  csp_host_weight(call, csp_arg(call, 1), reader->data_cap);
  return CSP_OK;
}

static CspStatus read_event_fails(CspCall *call, NetRead *read, int error) {
  csp_return(call, csp_nil());
  csp_return(call, net_call_error(call, "read from", read->connection, error,
                                  read->stall));
  return csp_ok(call, csp_int(call, WS_ABNORMAL));
}

// There was no close frame, so this is never a clean end.
static CspStatus end_without_close(CspCall *call, NetRead *read, bool clean) {
  (void)clean;
  return read_event_fails(call, read, NET_ENDED);
}

static const NetForm events = {find_event, give_event, end_without_close, NULL,
                               read_event_fails};

// _ws_read(connection, end)
CspStatus ws_read(CspCall *call) {
  if (ws_end(call) == NULL) return CSP_PANIC;
  return net_begin_read(call, (NetRead){.form = &events});
}
