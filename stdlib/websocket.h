// SPDX-License-Identifier: MIT
// What the files of the module websocket show each other: the frames of RFC
// 6455 as they are read and written, and one end of a connection.
//
// The call that has the connection's turn to read owns `reader`, and the one
// that has the turn to write owns `writer`.
#ifndef CSP_STDLIB_WEBSOCKET_H
#define CSP_STDLIB_WEBSOCKET_H

#include "stdlib/net_read.h"

enum {
  WS_CONTINUED = 0,
  WS_TEXT = 1,
  WS_BINARY = 2,
  WS_CLOSE = 8,
  WS_PING = 9,
  WS_PONG = 10,
  WS_PACKED = 64,  // with one of the others: a message that is compressed
};
enum {
  WS_CONTROL_MOST = 125,  // bytes of a control frame
  WS_HEAD_MOST = 14,
  WS_MASK = 4,
  WS_DIGEST = 20,  // of SHA-1
};
// Codes of a close frame.
enum { WS_NO_CODE = 1005, WS_BROKEN = 1002, WS_BAD_TEXT = 1007, WS_BIG = 1009 };

// --- websocket_text.c -------------------------------------------------------
// UTF-8 that comes in pieces, which may end within a character.
typedef struct WsText {
  uint8_t more;       // bytes that the character lacks
  uint8_t low, high;  // what the next one of them may be
} WsText;
// false: it is none, whatever follows.
bool ws_text_goes_on(WsText *text, const char *data, size_t len);
static inline bool ws_text_ends(const WsText *text) { return text->more == 0; }
// Copies, and takes the mask off or puts it on. `at` is how many bytes of the
// frame come before these.
void ws_mask(char *to, const char *from, size_t len, const uint8_t mask[4],
             size_t at);
void ws_sha1(const char *data, size_t len, uint8_t digest[WS_DIGEST]);

// --- websocket_frames.c -----------------------------------------------------
typedef enum WsEvent {
  WS_NOTHING,
  WS_HAS_MESSAGE,
  WS_HAS_CONTROL,
  WS_IS_WRONG,
  WS_LACKS_MEMORY  // nothing is lost: ws_take may be tried again
} WsEvent;

typedef struct WsReader {
  Csp *csp;
  bool masked;      // its frames have to be
  bool compresses;  // permessage-deflate was agreed on (RFC 7692)
  size_t most;      // bytes of a message
  WsEvent event;
  size_t taken;  // bytes that it has, and that the connection still has, too
  // A frame.
  uint8_t head[WS_HEAD_MOST];
  uint8_t head_len;  // bytes of it that have come
  bool in_payload;
  uint8_t mask[WS_MASK];
  uint64_t at, len;  // of its payload
  // The message: kind is WS_TEXT, WS_BINARY, or 0 for none. One that is packed
  // is given as it has come.
  uint8_t kind;
  bool packed;
  char *data;
  size_t data_len, data_cap;
  WsText text;
  char control[WS_CONTROL_MOST];
  uint8_t control_len, control_kind;
  int code;  // with which it is to be closed
  const char *wrong;
} WsReader;

// Takes bytes up to the end of a message or control frame, or up to what is
// wrong: how many. `event` says what there is. It grows up to `room` bytes.
size_t ws_take(WsReader *reader, Str bytes, size_t room);
// There was a close frame, or something wrong. Nothing is taken after that, and
// the event stays, so that each reader learns of it.
bool ws_is_over(const WsReader *reader);
// The event is dealt with. The next one may come.
void ws_taken(WsReader *reader);

// --- websocket.c ------------------------------------------------------------
typedef struct WsWriter {
  bool in_frame;  // a beginning was written, and nobody writes the rest
  bool closed;    // a close frame was written, and nothing may follow it
  bool masks;
  uint8_t spare[64];  // random bytes for masks
  uint8_t spares;     // how many of them are left
} WsWriter;

typedef struct WsEnd {
  Connection *connection;  // does not change
  WsReader reader;
  WsWriter writer;
  bool over;  // atomic: the call that ends the connection has begun
} WsEnd;

// Argument 1, which belongs to the connection that is argument 0. NULL: the
// call has panicked.
WsEnd *ws_end(CspCall *call);

// --- websocket_read.c, websocket_write.c ------------------------------------
CspStatus ws_read(CspCall *call);
CspStatus ws_write(CspCall *call);
// 1: it is UTF-8. 0: it is not. -1: the call has panicked.
int ws_is_text(CspCall *call, Str s);

#endif
