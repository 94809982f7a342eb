// SPDX-License-Identifier: MIT
// Argument checks that several modules need.
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "stdlib/stdlib.h"

Str str_of(CspValue string) {
  Str s;
  s.data = csp_to_string(string, &s.len);
  return s;
}

bool is_nil(CspCall *call, int i) {
  return csp_same(csp_arg(call, i), csp_nil());
}

Str view_of(CspValue string) {
  Str s = {0};
  csp_view(string, &s.data, &s.len);
  return s;
}

bool need_str(CspCall *call, int i, Str *out) {
  return csp_need_string(call, i, &out->data, &out->len);
}

bool is_no_string(CspCall *call, int i) {
  csp_bad_arg(call, i, "a string");
  return false;
}

bool opt_int(CspCall *call, int i, int64_t otherwise, int64_t *out) {
  *out = otherwise;
  return is_nil(call, i) || csp_need_int(call, i, out);
}

bool opt_str(CspCall *call, int i, const char *otherwise, Str *out) {
  if (!is_nil(call, i)) return need_str(call, i, out);
  size_t len = 0;
  while (otherwise[len]) len++;
  *out = (Str){otherwise, len};
  return true;
}

bool opt_bool(CspCall *call, int i, bool otherwise, bool *out) {
  CspValue v;
  *out = otherwise;
  if (is_nil(call, i)) return true;
  if (!csp_need_type(call, i, CSP_BOOL, &v)) return false;
  *out = csp_to_bool(v);
  return true;
}

bool need_int_in(CspCall *call, int i, int64_t low, int64_t high,
                 int64_t *out) {
  if (!csp_need_int(call, i, out)) return false;
  if (*out >= low && *out <= high) return true;
  char wanted[80];
  snprintf(wanted, sizeof wanted, "an int from %lld to %lld", (long long)low,
           (long long)high);
  csp_bad_arg(call, i, wanted);
  return false;
}

CspStatus bad_string(CspCall *call, const char *what, const char *wanted,
                     Str text) {
  enum { SHOWN = 60 };
  Buffer quoted = buffer_of(call);
  size_t shown = text.len < SHOWN ? text.len : SHOWN;
  quote_string(&quoted, (Str){text.data, shown});
  if (quoted.failed) {
    buffer_free(&quoted);
    return csp_panic_memory(call);
  }
  csp_panic(call, "%s must be %s, not %s%s", what, wanted, quoted.data,
            shown < text.len ? "..." : "");
  buffer_free(&quoted);
  return CSP_PANIC;
}

const char *system_error(int error) {
  locale_t plain = newlocale(LC_MESSAGES_MASK, "C", (locale_t)0);
  if (plain == NULL) return "out of memory";
  const char *text = strerror_l(error, plain);
  freelocale(plain);
  return text;
}

bool args_need_call(CspCall *call) {
  for (int i = 0; i < csp_argc(call); i++) {
    if (csp_needs_call_on(call, csp_arg(call, i))) return true;
    if (!csp_work(call, 2)) break;
  }
  return false;
}

CspStatus again_with(CspCall *call, const char *maker, const char *name) {
  int count = csp_argc(call);
  CspValue args = csp_list(call, (size_t)count);
  if (csp_is_undef(args)) return csp_panic_memory(call);
  for (int i = 0; i < count; i++) {
    if (!csp_list_push(call, args, csp_arg(call, i)) || !csp_work(call, 8))
      return CSP_PANIC;
  }
  CspValue argv[2] = {csp_builtin(call, name), args};
  return csp_tail_named(call, maker, 2, argv);
}
