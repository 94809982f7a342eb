// SPDX-License-Identifier: MIT
// UTF-8 (RFC 3629): the shortest form alone, no surrogates, up to U+10FFFF.
// Pure functions.
#include "vm/value/utf8.h"

#include <stdio.h>
#include <string.h>

#include "sched/rt.h"

// The length a first byte promises, and its bits. 0: not a first byte.
static int utf8_first(uint8_t byte, uint32_t *bits) {
  if (byte < 0xc2 || byte > 0xf4) return 0;
  int len = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  *bits = byte & (0x7fu >> len);
  return len;
}

int utf8_decode(const char *data, size_t len, size_t at, uint32_t *rune) {
  RT_ASSERT(at < len);
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  uint8_t first = (uint8_t)data[at];
  *rune = first;
  if (first < 0x80) return 1;
  uint32_t bits = 0;
  int count = utf8_first(first, &bits);
  *rune = 0xfffd;
  if (count == 0 || len - at < (size_t)count) return 1;
  for (int i = 1; i < count; i++) {
    uint8_t byte = (uint8_t)data[at + (size_t)i];
    if (!utf8_continues((char)byte)) return 1;
    bits = bits << 6 | (byte & 0x3f);
  }
  bool surrogate = bits >= 0xd800 && bits < 0xe000;
  if (bits < least[count] || bits > 0x10ffff || surrogate) return 1;
  *rune = bits;
  return count;
}

size_t utf8_ascii(const char *data, size_t len, size_t at) {
  size_t start = at;
  for (uint64_t word; at + sizeof word <= len; at += sizeof word) {
    memcpy(&word, data + at, sizeof word);
    if (word & 0x8080808080808080) break;
  }
  while (at < len && (uint8_t)data[at] < 0x80) at++;
  return at - start;
}

bool utf8_is_valid(const char *data, size_t len) {
  size_t at = utf8_ascii(data, len, 0);
  while (at < len) {
    uint32_t rune;
    int count = utf8_decode(data, len, at, &rune);
    if (count == 1) return false;
    at += (size_t)count;
    at += utf8_ascii(data, len, at);
  }
  return true;
}

int utf8_encode(uint32_t rune, char out[4]) {
  if (rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000)) return 0;
  if (rune < 0x80) {
    out[0] = (char)rune;
    return 1;
  }
  int len = rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;
  for (int i = len - 1; i > 0; i--, rune >>= 6)
    out[i] = (char)(0x80 | (rune & 0x3f));
  out[0] = (char)((0xf00 >> len & 0xf0) | rune);
  return len;
}

size_t utf8_sequence(const char *data, size_t len) {
  if (len == 0) return 0;
  uint32_t rune;
  int count = utf8_decode(data, len, 0, &rune);
  return count == 1 && (uint8_t)data[0] >= 0x80 ? 0 : (size_t)count;
}

void utf8_show(const char *text, size_t len, size_t most, char *out) {
  size_t shown = len < most ? len : most;
  while (shown > 0 && shown < len && utf8_continues(text[shown])) shown--;
  for (size_t at = 0; at < shown; at++) {
    bool control = utf8_is_control(text[at]);
    out +=
        snprintf(out, 5, control ? "\\x%02x" : "%c", (unsigned char)text[at]);
  }
  *out = '\0';
}
