// SPDX-License-Identifier: MIT
// The table of the module csv. csv.csp has the functions that scripts call.
// They use the natives here.
#include "stdlib/csv.h"

bool csv_need_sign(CspCall *call, int i, const char *what, char *sign) {
  Str text;
  if (!need_str(call, i, &text)) return false;
  *sign = text.len == 1 ? text.data[0] : '\0';
  bool ascii = *sign != '\0' && (unsigned char)*sign < 0x80;
  if (ascii && strchr("\"\r\n", *sign) == NULL) return true;
  bad_string(call, what, "one ASCII character, but no quote or line end", text);
  return false;
}

static const CspFunction csv_functions[] = {
    CSP_REPEATABLE,
    {"_text", "rows, columns, separator, crlf", csv_write},
    {"_reader", "name, most, separator, comment, ragged", csv_reader},
    {NULL, NULL, NULL}};

static void add_csv_reader(CspCall *call, CspValue module) {
  (void)module;
  Csp *csp = csp_of(call);
  if (!csp_register_class(csp, &csv_reader_class, csv_reader_methods))
    csp_panic_memory(call);
}

const CspModule csv_module = {"csv", csv_functions, add_csv_reader, NULL, 0};
