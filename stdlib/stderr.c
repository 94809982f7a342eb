// SPDX-License-Identifier: MIT
// Text for standard error, which is not buffered. It is written by a blocking
// call: where nobody reads the pipe, the goroutine waits, and not its P.
#include "stdlib/stdlib.h"
#include "vm/value/utf8.h"

typedef struct StderrText {
  Csp *csp;
  CspHandle held;
  Str text;
} StderrText;

static void stderr_work(void *data) {
  const StderrText *error = data;
  csp_flush_err(error->csp, error->text.data, error->text.len);
}

// Without a thread for it this one writes, with its P: it is not lost.
static CspStatus stderr_done(CspCall *call, void *data, bool made) {
  StderrText *error = data;
  if (!made) stderr_work(data);
  csp_release(error->csp, error->held);
  csp_alloc_free(error);
  return csp_ok_nothing(call);
}

CspStatus stderr_write(CspCall *call, CspValue text) {
  if (csp_is_undef(text)) return csp_panic_memory(call);
  Str s = str_of(text);
  if (s.len == 0) return csp_ok_nothing(call);
  StderrText *error = csp_alloc(csp_of(call), NULL, sizeof *error);
  CspHandle held = error == NULL ? 0 : csp_hold(call, text);
  if (held == 0) {
    csp_alloc_free(error);
    return csp_panic_memory(call);
  }
  *error = (StderrText){csp_of(call), held, s};
  return csp_block(call, stderr_work, stderr_done, error);
}

// --- Lines -------------------------------------------------------------------
// How many bytes at the text's beginning, which is not empty, are one plain
// character. 0: a control, also one of those after ASCII, or no UTF-8.
static size_t plain_len(Str s) {
  uint32_t rune;
  int len = utf8_decode(s.data, s.len, 0, &rune);
  bool is_bad = len == 1 && (uint8_t)s.data[0] >= 0x80;
  bool is_control = utf8_is_control(s.data[0]) || (rune >= 0x80 && rune < 0xa0);
  return is_bad || is_control ? 0 : (size_t)len;
}

static size_t plain_prefix(Str s) {
  size_t at = 0, len = 1;
  for (; at < s.len && len > 0; at += len)
    len = plain_len((Str){s.data + at, s.len - at});
  return at;
}

CspStatus stderr_write_line(CspCall *call, CspValue line) {
  static const char digits[] = "0123456789abcdef";
  Str s = str_of(line);
  size_t end = s.len > 0 ? s.len - 1 : 0, at = plain_prefix((Str){s.data, end});
  if (at == end) return stderr_write(call, line);
  Buffer out = buffer_of(call);
  buffer_add(&out, s.data, at);
  while (at < end) {
    uint8_t byte = (uint8_t)s.data[at];
    size_t len = plain_len((Str){s.data + at, end - at});
    char escape[] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    buffer_add(&out, len > 0 ? s.data + at : escape, len > 0 ? len : 4);
    at += len > 0 ? len : 1;
  }
  csp_charge(call, s.len / 8);
  buffer_add_char(&out, '\n');
  return stderr_write(call, buffer_string(call, &out));
}
