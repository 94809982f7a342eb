// SPDX-License-Identifier: MIT
// Text for standard error, which is not buffered. It is written by a blocking
// call: where nobody reads the pipe, the goroutine waits, and not its P.
#include "stdlib/stdlib.h"

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
