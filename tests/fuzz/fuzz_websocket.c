// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes after the first two are frames of a WebSocket, or
// wrong from some byte on. The first says whose frames they are, whether they
// may be compressed, and the limit of a message, the second how the bytes are
// cut. However they are cut, they
// are read alike. A text that is read is UTF-8, no message is beyond the limit,
// and no more memory is taken than was sent. `tests/fuzz/run SECONDS` builds
// and runs it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/websocket.h"
#include "tests/fuzz/gate.h"

static Csp *csp;

static void open_runtime(void) {
  CspConfig config;
  csp_config_init(&config);
  config.stepped = true;
  csp = csp_new(&config);
  if (csp == NULL) abort();
}

static void must(bool fine, const char *what) {
  if (fine) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

// All that is read: a digest, and how many events there were.
typedef struct Heard {
  uint64_t digest;
  size_t events;
} Heard;

static void hear(Heard *heard, const void *data, size_t len) {
  const uint8_t *bytes = data;
  for (size_t i = 0; i < len; i++)
    heard->digest = (heard->digest ^ bytes[i]) * 0x100000001b3u;
}

static void hear_message(const WsReader *reader, Heard *heard) {
  const char *data = reader->data_len > 0 ? reader->data : "";
  size_t more = reader->packed ? reader->most / 256 + 64 : 0;
  must(reader->data_len <= reader->most + more, "a message beyond the limit");
  must(reader->compresses || !reader->packed, "compressed without asking");
  must(reader->kind != WS_TEXT || reader->packed ||
           utf8_is_valid(data, reader->data_len),
       "a text that is not UTF-8");
  hear(heard, &reader->kind, 1);
  hear(heard, &reader->packed, 1);
  hear(heard, data, reader->data_len);
}

static void hear_control(const WsReader *reader, Heard *heard) {
  must(reader->control_len <= WS_CONTROL_MOST, "a long control frame");
  hear(heard, &reader->control_kind, 1);
  hear(heard, reader->control, reader->control_len);
}

static void hear_event(const WsReader *reader, Heard *heard) {
  heard->events++;
  hear(heard, &reader->event, sizeof reader->event);
  if (reader->event == WS_HAS_MESSAGE) hear_message(reader, heard);
  if (reader->event == WS_HAS_CONTROL) hear_control(reader, heard);
  if (reader->event == WS_IS_WRONG)
    hear(heard, &reader->code, sizeof reader->code);
}

// false: it was wrong, or closed, and nothing follows.
static bool take_piece(WsReader *reader, const uint8_t *data, size_t len,
                       Heard *heard) {
  char *piece = malloc(len);
  memcpy(piece, data, len);
  for (size_t at = 0; at <= len;) {
    at += ws_take(reader, (Str){piece + at, len - at}, SIZE_MAX);
    if (reader->event == WS_NOTHING) {
      must(at == len, "bytes that were not taken");
      break;
    }
    must(reader->event != WS_LACKS_MEMORY, "memory is there");
    hear_event(reader, heard);
    ws_taken(reader);
    if (ws_is_over(reader)) break;
  }
  free(piece);
  return !ws_is_over(reader);
}

static Heard read_in_pieces(const uint8_t *data, size_t size, uint8_t first,
                            size_t step) {
  WsReader reader = {.csp = csp,
                     .masked = first & 1,
                     .compresses = (first & 8) != 0,
                     .most = first & 2   ? 100
                             : first & 4 ? 1 << 20
                                         : 1 << 30};
  Heard heard = {0};
  for (size_t at = 0, len; at < size; at += len) {
    len = size - at < step ? size - at : step;
    if (!take_piece(&reader, data + at, len, &heard)) break;
    must(reader.data_cap <= 2 * size, "memory for what did not come");
  }
  csp_alloc_free(reader.data);
  return heard;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3) return 0;
  if (csp == NULL) open_runtime();
  size_t steps[] = {1, 1 + data[1] % 32, size};
  Heard first = read_in_pieces(data + 2, size - 2, data[0], steps[0]);
  for (size_t i = 1; i < sizeof steps / sizeof *steps; i++) {
    Heard next = read_in_pieces(data + 2, size - 2, data[0], steps[i]);
    must(next.digest == first.digest && next.events == first.events,
         "cut elsewhere they are read otherwise");
  }
  gate(size, first.events > 1);
  return 0;
}
