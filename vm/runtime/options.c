// SPDX-License-Identifier: MIT
// The settings of CSPDEBUG (CspConfig.debug): "name=value" with commas in
// between. One table; what is not in it, or has no such value, is told of on
// standard error and otherwise passed over.
#include "vm/runtime/options.h"

#include <errno.h>
#include <stdlib.h>

#include "vm/object/value_text.h"
#include "vm/runtime/output.h"
#include "vm/runtime/runtime.h"

static bool same(const char *text, size_t len, const char *name) {
  return len == strlen(name) && memcmp(text, name, len) == 0;
}

static void complain(Csp *csp, const char *format, const char *setting,
                     size_t len, const char *more) {
  Text text = {.memory = csp->vm.memory};
  text_addf(&text, format, (int)len, setting, more);
  if (text.data != NULL) output_error(csp, text.data, text.len);
  text_free(&text);
}

static void complain_unknown(Csp *csp, const char *setting, size_t len) {
  Text names = {.memory = csp->vm.memory};
#define X(name, field, least, most) \
  text_addf(&names, "%s%s", names.len > 0 ? ", " : "", name);
  DEBUG_NUMBERS(X)
#undef X
  text_addf(&names, ", trace");
  complain(csp, "cspvm: CSPDEBUG: no setting `%.*s` (there are: %s)\n", setting,
           len, names.data != NULL ? names.data : "");
  text_free(&names);
}

// The number after `=`, 1 without one. false: it is none, or out of range.
static bool option_number(const char *text, size_t len, long least, long most,
                          long *out) {
  char digits[24] = "1";
  if (text != NULL) snprintf(digits, sizeof digits, "%.*s", (int)len, text);
  char *end;
  errno = 0;
  long n = strtol(digits, &end, 10);
  bool fine = end != digits && *end == '\0' && errno == 0 && len < 20 &&
              n >= least && n <= most;
  if (fine) *out = n;
  return fine;
}

// One setting: its text, its name's length.
static void take_setting(Csp *csp, const char *text, size_t len, size_t name) {
  const char *value = name < len ? text + name + 1 : NULL;
  size_t value_len = name < len ? len - name - 1 : 0;
#define X(name_, field, least, most)                                         \
  if (same(text, name, name_)) {                                             \
    if (!option_number(value, value_len, least, most, &csp->debug.field))    \
      complain(csp, "cspvm: CSPDEBUG: `%.*s`: not a number from %s\n", text, \
               len, #least " to " #most);                                    \
    return;                                                                  \
  }
  DEBUG_NUMBERS(X)
#undef X
  if (!same(text, name, "trace")) {
    complain_unknown(csp, text, name);
  } else if (value_len == 0) {
    complain(csp, "cspvm: CSPDEBUG: `%.*s` needs a file: %s\n", text, len,
             "trace=FILE");
  } else {
    mem_free(csp->debug.trace);
    csp->debug.trace = mem_copy_part(csp->vm.memory, value, value_len);
  }
}

void options_read(Csp *csp, const char *text) {
  csp->debug.traceevents = TRACE_EVENTS_DEFAULT;
  csp->debug.panicwait = PANICWAIT_DEFAULT;
  for (const char *s = text != NULL ? text : ""; *s;) {
    size_t len = strcspn(s, ",");
    size_t name = strcspn(s, "=,");
    if (len > 0) take_setting(csp, s, len, name);
    s += len + (s[len] == ',');
  }
}

void options_free(Csp *csp) { mem_free(csp->debug.trace); }
