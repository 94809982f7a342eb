// SPDX-License-Identifier: MIT
// Bytes as text: strings, hexadecimal, base64. Other goroutines may change the
// bytes meanwhile, as the head of bytes_methods.c tells.
#include "stdlib/bytes_methods.h"

#include <string.h>

// --- Strings ----------------------------------------------------------------
static bool text_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  char *to = loop->to + loop->at;
  size_t count = stop - loop->at;
  size_t have = csp_bytes_read(loop->list, loop->at, to, count);
  memset(to + have, 0, count - have);  // somebody may have cut them
  loop->at = stop;
  return true;
}

CspStatus bytes_to_string(CspCall *call) {
  CspValue bytes;
  if (!csp_need_type(call, 0, CSP_BYTES, &bytes)) return CSP_PANIC;
  size_t len = csp_bytes_len(bytes);
  return loop_text(call,
                   &(Loop){.list = bytes,
                           .end = len,
                           .turns = text_turns,
                           .done = loop_out,
                           .units = 1},
                   len);
}

// --- Hexadecimal ------------------------------------------------------------
static bool hex_turns(CspCall *call, Loop *loop, size_t stop) {
  static const char digits[] = "0123456789abcdef";
  (void)call;
  uint8_t block[BYTES_BLOCK];
  while (loop->at < stop) {
    size_t left = stop - loop->at,
           count = left < BYTES_BLOCK ? left : BYTES_BLOCK;
    const uint8_t *from = source_at(loop->list, loop->at, block, count);
    for (size_t i = 0; i < count; i++) {
      *loop->to++ = digits[from[i] >> 4];
      *loop->to++ = digits[from[i] & 15];
    }
    loop->at += count;
  }
  return true;
}

CspStatus bytes_hex(CspCall *call) {
  CspValue v;
  size_t len;
  if (!need_source(call, 0, &v, &len)) return CSP_PANIC;
  return loop_text(call,
                   &(Loop){.list = v,
                           .end = len,
                           .turns = hex_turns,
                           .done = loop_out,
                           .units = 4},
                   len * 2);
}

// `n` is -1, or the position of a character that is no digit.
static bool from_hex_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  uint8_t block[BYTES_BLOCK];
  Str s = str_of(loop->list);
  while (loop->at < stop && loop->n < 0) {
    size_t from = loop->at, count = 0;
    for (; loop->at < stop && count < BYTES_BLOCK; loop->at += 2) {
      int high = hex_digit(s.data[loop->at]);
      int low = hex_digit(s.data[loop->at + 1]);
      if (high < 0 || low < 0) {
        loop->n = (int64_t)loop->at + (high >= 0);
        loop->end = loop->at;
        return true;
      }
      block[count++] = (uint8_t)(high << 4 | low);
    }
    csp_bytes_write(loop->out, from / 2, block, count);
  }
  return true;
}

static CspStatus from_hex_done(CspCall *call, Loop *loop) {
  if (loop->n < 0) return csp_ok_value(call, loop->out);
  return csp_ok_coded(call, "syntax", "no hexadecimal digit at %lld",
                      (long long)loop->n);
}

// (bytes, nil) or (nil, error)
CspStatus bytes_from_hex(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  if (s.len % 2 != 0)
    return csp_ok_coded(call, "syntax", "hexadecimal text of odd length %zu",
                        s.len);
  CspValue bytes = csp_bytes(call, NULL, s.len / 2);
  if (csp_is_undef(bytes)) return csp_panic_memory(call);
  return loop_bytes(call, &(Loop){.list = csp_arg(call, 0),
                                  .out = bytes,
                                  .end = s.len,
                                  .n = -1,
                                  .turns = from_hex_turns,
                                  .done = from_hex_done,
                                  .units = 8});
}

// --- Base64 -----------------------------------------------------------------
// The alphabet, and with it whether there is padding. Text that is read may be
// of either, and then may have any padding, or none.
typedef enum Base64Form { FORM_STANDARD, FORM_URL, FORM_EITHER } Base64Form;

static const char base64_digits[2][65] = {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"};

// Of argument 1.
static bool need_form(CspCall *call, Base64Form otherwise, Base64Form *form) {
  bool url;
  if (!opt_bool(call, 1, false, &url)) return false;
  *form = is_nil(call, 1) ? otherwise : url ? FORM_URL : FORM_STANDARD;
  return true;
}

static void encode_base64(char *to, const uint8_t *data, size_t len,
                          Base64Form form) {
  const char *digits = base64_digits[form];
  bool pads = form == FORM_STANDARD;
  for (size_t i = 0; i < len; i += 3) {
    size_t left = len - i;
    uint32_t n = (uint32_t)data[i] << 16;
    if (left > 1) n |= (uint32_t)data[i + 1] << 8;
    if (left > 2) n |= data[i + 2];
    *to++ = digits[n >> 18];
    *to++ = digits[n >> 12 & 63];
    if (left > 1 || pads) *to++ = left > 1 ? digits[n >> 6 & 63] : '=';
    if (left > 2 || pads) *to++ = left > 2 ? digits[n & 63] : '=';
  }
}

// Each turn begins with a whole triple. n: the form.
static bool base64_turns(CspCall *call, Loop *loop, size_t stop) {
  enum { TRIPLES = 3 << 9 };
  (void)call;
  uint8_t block[TRIPLES];
  while (loop->at < stop) {
    size_t left = stop - loop->at, count = left < TRIPLES ? left : TRIPLES;
    const uint8_t *from = source_at(loop->list, loop->at, block, count);
    encode_base64(loop->to + loop->at / 3 * 4, from, count,
                  (Base64Form)loop->n);
    loop->at += count;
  }
  return true;
}

// base64(bytes, url = false)
CspStatus bytes_base64(CspCall *call) {
  enum { STEP = 3 << 12 };
  CspValue v;
  size_t len;
  Base64Form form;
  if (!need_source(call, 0, &v, &len) || !need_form(call, FORM_STANDARD, &form))
    return CSP_PANIC;
  size_t odd = len % 3, last = odd == 0 ? 0 : form == FORM_URL ? odd + 1 : 4;
  return loop_text(call,
                   &(Loop){.list = v,
                           .end = len,
                           .n = (int64_t)form,
                           .step = STEP,
                           .turns = base64_turns,
                           .done = loop_out,
                           .units = 4},
                   len / 3 * 4 + last);
}

static int base64_value(char c, Base64Form form) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if ((c == '+' || c == '/') && form != FORM_URL) return c == '+' ? 62 : 63;
  if ((c == '-' || c == '_') && form != FORM_STANDARD)
    return c == '-' ? 62 : 63;
  return -1;
}

// What `n` is while all characters are digits. Else it is where one is not.
enum { SEEN_NEITHER = -1, SEEN_STANDARD = -2, SEEN_URL = -3 };

// The alphabet that is read: the first digit of one alone decides.
static Base64Form form_so_far(const Loop *loop, Base64Form form) {
  if (form != FORM_EITHER || loop->n == SEEN_NEITHER) return form;
  return loop->n == SEEN_URL ? FORM_URL : FORM_STANDARD;
}

// The padding is off already. Each turn begins with a whole group of four.
static bool from_base64_turns(CspCall *call, Loop *loop, size_t stop) {
  uint8_t block[BYTES_BLOCK];
  Base64Form form;
  Str s = str_of(loop->list);
  if (!need_form(call, FORM_EITHER, &form)) return false;
  form = form_so_far(loop, form);
  while (loop->at < stop) {
    size_t to = loop->at / 4 * 3, len = 0, left = stop - loop->at;
    size_t end = loop->at + (left < BYTES_BLOCK ? left : BYTES_BLOCK);
    uint32_t n = 0;
    for (; loop->at < end; loop->at++) {
      char c = s.data[loop->at];
      int digit = base64_value(c, form);
      if (digit >= 62 && form == FORM_EITHER) {
        loop->n = c == '+' || c == '/' ? SEEN_STANDARD : SEEN_URL;
        form = form_so_far(loop, form);
      }
      if (digit < 0) {
        loop->n = (int64_t)loop->at;
        loop->end = loop->at;
        return true;
      }
      n = n << 6 | (uint32_t)digit;
      size_t i = loop->at % 4;
      if (i != 0) block[len++] = (uint8_t)(n >> (6 - i * 2));
    }
    csp_bytes_write(loop->out, to, block, len);
  }
  return true;
}

// part: how many signs of padding there are.
static CspStatus from_base64_done(CspCall *call, Loop *loop) {
  Base64Form form;
  size_t len = loop->end, odd = len % 4;
  if (!need_form(call, FORM_EITHER, &form)) return CSP_PANIC;
  if (loop->n >= 0)
    return csp_ok_coded(call, "syntax", "no digit of base64 at %lld",
                        (long long)loop->n);
  if (odd == 1)
    return csp_ok_coded(call, "syntax",
                        "one digit of base64 is too few for a byte, at %zu",
                        len - 1);
  size_t wanted = form != FORM_URL && odd > 0 ? 4 - odd : 0;
  if (loop->part != wanted && (form != FORM_EITHER || loop->part > 0))
    return csp_ok_coded(call, "syntax",
                        "base64 wants %zu of `=` at %zu, not %zu", wanted, len,
                        loop->part);
  // Where bits of the last digit are of no byte, other texts mean the same.
  char last = odd > 0 ? str_of(loop->list).data[len - 1] : 'A';
  if (base64_value(last, form) & (odd == 2 ? 15 : 3))
    return csp_ok_coded(call, "syntax",
                        "the last digit of base64, at %zu, has bits that are "
                        "of no byte",
                        len - 1);
  return csp_ok_value(call, loop->out);
}

// Takes the padding off, which is any number of = at the end. The result is
// false when the call has given up.
static bool take_padding(CspCall *call, Str *text) {
  while (text->len > 0 && text->data[text->len - 1] == '=') {
    text->len--;
    if (text->len % 4096 == 0 && !csp_work(call, 4096)) return false;
  }
  return true;
}

// from_base64(text, url = nil): (bytes, nil) or (nil, error)
CspStatus bytes_from_base64(CspCall *call) {
  Str s;
  Base64Form form;
  if (!need_str(call, 0, &s) || !need_form(call, FORM_EITHER, &form))
    return CSP_PANIC;
  size_t whole = s.len;
  if (!take_padding(call, &s)) return CSP_PANIC;
  size_t odd = s.len % 4, pads = whole - s.len;
  CspValue bytes =
      csp_bytes(call, NULL, s.len / 4 * 3 + (odd > 1 ? odd - 1 : 0));
  if (csp_is_undef(bytes)) return csp_panic_memory(call);
  return loop_bytes(call, &(Loop){.list = csp_arg(call, 0),
                                  .out = bytes,
                                  .end = s.len,
                                  .n = SEEN_NEITHER,
                                  .part = pads,
                                  .turns = from_base64_turns,
                                  .done = from_base64_done,
                                  .units = 8});
}
