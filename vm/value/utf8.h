// SPDX-License-Identifier: MIT
// UTF-8: for strings of programs, and for their sources. It knows nothing of
// the VM, so stdlib/ may use it, too.
#ifndef CSP_VM_UTF8_H
#define CSP_VM_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether the byte goes on with a sequence that another one began.
static inline bool utf8_continues(char byte) {
  return ((unsigned char)byte & 0xc0) == 0x80;
}
// Whether the byte is a control of ASCII, which would upset a terminal.
static inline bool utf8_is_control(char byte) {
  return (unsigned char)byte < ' ' || byte == 0x7f;
}
// Decodes one code point at data[at] (at < len): its length. Invalid bytes give
// 0xFFFD and length 1.
int utf8_decode(const char *data, size_t len, size_t at, uint32_t *rune);
// The length of the sequence that data begins with. 0: it is invalid, or there
// is nothing.
size_t utf8_sequence(const char *data, size_t len);
bool utf8_is_valid(const char *data, size_t len);
// How many bytes of ASCII stand at data[at].
size_t utf8_ascii(const char *data, size_t len, size_t at);
int utf8_encode(uint32_t rune, char out[4]);  // length; 0 for no code point
// As much of the text as `most` bytes hold, for a message: whole characters,
// and escapes for controls. `out` has room for UTF8_SHOWN(most) bytes.
#define UTF8_SHOWN(most) ((most)*4 + 1)
void utf8_show(const char *text, size_t len, size_t most, char *out);

#endif
