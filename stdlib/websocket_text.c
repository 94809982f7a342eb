// SPDX-License-Identifier: MIT
// Work on the bytes of WebSocket frames: checking UTF-8 in pieces, masks, and
// the digest of the handshake. That digest is SHA-1, which is not fit for
// passwords or signatures.
#include <string.h>

#include "stdlib/websocket.h"
#include "vm/value/utf8.h"

// --- UTF-8 ------------------------------------------------------------------
// The first byte of a character that is not ASCII. false: it is none.
static bool text_begins(WsText *text, uint8_t first) {
  if (first < 0xc2 || first > 0xf4) return false;
  text->more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  // No character in more bytes than it needs, no surrogate, none beyond
  // U+10FFFF. The second byte tells.
  text->low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  text->high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  return true;
}

bool ws_text_goes_on(WsText *text, const char *data, size_t len) {
  for (size_t at = 0; at < len; at++) {
    uint8_t byte = (uint8_t)data[at];
    if (text->more == 0) {
      at += utf8_ascii(data, len, at);
      if (at == len) return true;
      if (!text_begins(text, (uint8_t)data[at])) return false;
      continue;
    }
    if (byte < text->low || byte > text->high) return false;
    text->more--;
    text->low = 0x80;
    text->high = 0xbf;
  }
  return true;
}

// --- Masks ------------------------------------------------------------------
void ws_mask(char *to, const char *from, size_t len, const uint8_t mask[4],
             size_t at) {
  uint8_t turned[8];
  uint64_t key, word;
  for (size_t i = 0; i < sizeof turned; i++) turned[i] = mask[(at + i) % 4];
  memcpy(&key, turned, sizeof key);
  size_t i = 0;
  for (; len - i >= sizeof word; i += sizeof word) {
    memcpy(&word, from + i, sizeof word);
    word ^= key;
    memcpy(to + i, &word, sizeof word);
  }
  for (; i < len; i++) to[i] = (char)(from[i] ^ (char)turned[i % 4]);
}

// --- SHA-1 ------------------------------------------------------------------
enum { SHA1_BLOCK = 64, SHA1_ROUNDS = 80 };

static uint32_t turned_left(uint32_t x, int n) {
  return x << n | x >> (32 - n);
}

static uint32_t sha1_mixed(int round, uint32_t b, uint32_t c, uint32_t d) {
  static const uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc,
                                       0xca62c1d6};
  uint32_t mixed = b ^ c ^ d;
  if (round < 20) mixed = (b & c) | (~b & d);
  if (round >= 40 && round < 60) mixed = (b & c) | (b & d) | (c & d);
  return mixed + constants[round / 20];
}

static void sha1_block(uint32_t state[5], const uint8_t *block) {
  uint32_t words[SHA1_ROUNDS];
  for (int i = 0; i < 16; i++)
    words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  for (int i = 16; i < SHA1_ROUNDS; i++)
    words[i] = turned_left(
        words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  for (int i = 0; i < SHA1_ROUNDS; i++) {
    uint32_t next = turned_left(a, 5) + sha1_mixed(i, b, c, d) + e + words[i];
    e = d;
    d = c;
    c = turned_left(b, 30);
    b = a;
    a = next;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

void ws_sha1(const char *data, size_t len, uint8_t digest[WS_DIGEST]) {
  uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
                       0xc3d2e1f0};
  uint8_t last[2 * SHA1_BLOCK] = {0};
  size_t whole = len / SHA1_BLOCK * SHA1_BLOCK, rest = len - whole;
  for (size_t at = 0; at < whole; at += SHA1_BLOCK)
    sha1_block(state, (const uint8_t *)data + at);
  if (rest > 0) memcpy(last, data + whole, rest);
  last[rest] = 0x80;
  size_t size = rest + 9 > SHA1_BLOCK ? 2 * SHA1_BLOCK : SHA1_BLOCK;
  for (size_t i = 0; i < 8; i++)
    last[size - 1 - i] = (uint8_t)((uint64_t)len * 8 >> 8 * i);
  for (size_t at = 0; at < size; at += SHA1_BLOCK) sha1_block(state, last + at);
  for (size_t i = 0; i < WS_DIGEST; i++)
    digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}
