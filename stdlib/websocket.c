// SPDX-License-Identifier: MIT
// The natives of the module websocket, and the state that they have of one end
// of a connection. The natives read and write frames. websocket.csp has the
// handshakes, and decides what is answered.
#include "stdlib/websocket.h"

enum { MESSAGE_MOST = 1 << 30 };

static void end_finalize(void *data) {
  csp_alloc_free(((WsEnd *)data)->reader.data);
}

static const CspClass ws_end_class = {"websocket", end_finalize, sizeof(WsEnd),
                                      NULL};

WsEnd *ws_end(CspCall *call) {
  const Connection *connection = net_connection(call);
  WsEnd *end = csp_host_data(csp_arg(call, 1), &ws_end_class);
  if (connection == NULL) return NULL;
  if (end != NULL && end->connection == connection) return end;
  csp_bad_arg(call, 1, "an end of that connection");
  return NULL;
}

// _ws_new(connection, is_client, most, compresses)
static CspStatus ws_new(CspCall *call) {
  Connection *connection = net_connection(call);
  bool is_client, compresses;
  int64_t most;
  WsEnd *end;
  if (connection == NULL || !opt_bool(call, 1, false, &is_client) ||
      !need_int_in(call, 2, 1, MESSAGE_MOST, &most) ||
      !opt_bool(call, 3, false, &compresses))
    return CSP_PANIC;
  CspValue v = csp_host_new(call, &ws_end_class, (void **)&end);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  end->connection = connection;
  end->reader.csp = csp_of(call);
  end->reader.masked = !is_client;
  end->reader.most = (size_t)most;
  end->reader.compresses = compresses;
  end->writer.masks = is_client;
  return csp_ok(call, v);
}

// _ws_over(connection, end): true, and false each time after that.
static CspStatus ws_over(CspCall *call) {
  WsEnd *end = ws_end(call);
  if (end == NULL) return CSP_PANIC;
  // RMW: one call of ws_over finds it false. What that call writes then is
  // shown to others by the channel `done` (websocket.csp)
  bool was_over = __atomic_exchange_n(&end->over, true, __ATOMIC_RELAXED);
  return csp_ok_bool(call, !was_over);
}

// _ws_sha1(text): bytes
static CspStatus ws_digest(CspCall *call) {
  Str s;
  uint8_t digest[WS_DIGEST];
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  ws_sha1(s.data, s.len, digest);
  csp_charge(call, s.len / 8);
  return csp_ok(call, csp_bytes(call, digest, sizeof digest));
}

// _ws_text(data): a string of it, or nil if it is not UTF-8.
static CspStatus ws_text(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  Str s;
  if (csp_type(v) == CSP_BYTES) {
    char *room;
    size_t len = csp_bytes_len(v);
    v = csp_string_room(call, len, &room);
    if (csp_is_undef(v)) return csp_panic_memory(call);
    // Others may have made them shorter.
    size_t got = csp_bytes_read(csp_arg(call, 0), 0, room, len);
    memset(room + got, 0, len - got);
    s = (Str){room, len};
    csp_charge(call, len / 128);
  } else if (!need_str(call, 0, &s)) {
    return CSP_PANIC;
  }
  int good = ws_is_text(call, s);
  if (good < 0) return CSP_PANIC;
  return csp_ok(call, good ? v : csp_nil());
}

static const CspFunction ws_hidden[] = {
    {"_ws_write", "connection, end, kind, data, code = nil", ws_write},
    {"_ws_over", "connection, end", ws_over},
    CSP_REPEATABLE,
    {"_ws_new", "connection, is_client, most, compresses", ws_new},
    {"_ws_text", "data", ws_text},
    {"_ws_read", "connection, end", ws_read},
    {"_ws_sha1", "text", ws_digest},
    {NULL, NULL, NULL},
};

static const CspFunction ws_functions[] = {{NULL, NULL, NULL}};

const CspModule websocket_module = {"websocket", ws_functions, NULL, NULL, 0};

bool websocket_install(Csp *csp) {
  return csp_register_builtins(csp, ws_hidden) &&
         csp_register_class(csp, &ws_end_class, NULL);
}
