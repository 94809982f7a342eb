// SPDX-License-Identifier: MIT
// What csp.h offers natives that work on text: numbers in it, and places in it.
// Each is linear in its text, and looks on its way whether it is to go on.
#include <errno.h>
#include <string.h>

#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/native_call.h"
#include "vm/object/search.h"
#include "vm/value/float_read.h"
#include "vm/value/float_text.h"

enum { TEXT_PIECE = 1 << 16 };

// --- Numbers ----------------------------------------------------------------
int csp_parse_float(CspCall *call, const char *text, size_t len, double *out) {
  DecimalText x;
  decimal_begin(&x);
  for (; len > TEXT_PIECE; text += TEXT_PIECE, len -= TEXT_PIECE) {
    if (!decimal_add(&x, text, TEXT_PIECE)) return EINVAL;
    if (!csp_work(call, TEXT_PIECE * 2)) return ECANCELED;
  }
  return decimal_add(&x, text, len) ? decimal_end(&x, out) : EINVAL;
}

int csp_format_float(double d, char text[32]) { return format_float(d, text); }

int csp_format_seconds(int64_t ns, char text[32]) {
  int len = format_float((double)ns / 1e9, text);
  if (len > 2 && memcmp(text + len - 2, ".0", 2) == 0) len -= 2;
  memcpy(text + len, "s", 2);
  return len + 1;
}

// --- Places -----------------------------------------------------------------
static bool text_goes_on(void *call, size_t units) {
  return csp_work(call, units);
}

// The search has charged whole pieces; what it looked at after the last is
// charged here, so that many short searches look, too.
static int64_t charge_search(CspCall *call, int64_t at, size_t looked) {
  bool ok =
      at != SEARCH_GIVEN_UP && csp_work(call, 8 + looked % SEARCH_PIECE / 4);
  return ok ? at : CSP_GIVEN_UP;
}

// Most searches: short, and long after the last look. false: it is not so.
static inline bool find_short(CspCall *call, const char *text, size_t len,
                              const char *needle, size_t needle_len,
                              int64_t *at) {
  Local *local = call->local;
  if (len > 4 * WORK_SHORT || needle_len > WORK_SHORT || local == NULL ||
      local->debt >= WORK_PIECE)
    return false;
  const char *found = memmem(text, len, needle, needle_len);
  *at = found != NULL ? found - text : SEARCH_NONE;
  work_charge(local, 8 + (found != NULL ? (size_t)(found - text) : len) / 4);
  return !call->panicked;
}

int64_t csp_find(CspCall *call, const char *text, size_t len,
                 const char *needle, size_t needle_len) {
  int64_t found;
  if (find_short(call, text, len, needle, needle_len, &found)) return found;
  int64_t at = search_first(text, len, needle, needle_len,
                            (SearchWork){text_goes_on, call});
  return charge_search(call, at, at < 0 ? len : (size_t)at);
}

int64_t csp_find_last(CspCall *call, const char *text, size_t len,
                      const char *needle, size_t needle_len) {
  int64_t at = search_last(text, len, needle, needle_len,
                           (SearchWork){text_goes_on, call});
  return charge_search(call, at, at < 0 ? len : len - (size_t)at);
}
