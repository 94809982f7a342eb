// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes after the first are a value as a server of
// PostgreSQL sends it. The first says of which type. It is refused, or read. A
// list that was read is written as an argument is, and read again as the same.
// The sources of the module postgres are linked in. `tests/fuzz/run SECONDS`
// builds and runs it.
#include "stdlib/native/postgres.h"
#include "tests/fuzz/checker.h"

static const Oid types[] = {16,   17,   20,   21,   23,   26,   700,
                            701,  25,   1700, 1000, 1001, 1005, 1007,
                            1016, 1021, 1022, 1009, 1231, 3807};
enum { TYPES = sizeof types / sizeof types[0] };

// read_value(which, text): (value, nil), or (nil, error).
static CspStatus read_value(CspCall *call) {
  size_t len;
  CspValue v;
  bool malformed = false;
  const char *text = csp_to_string(csp_arg(call, 1), &len);
  Oid type = types[(size_t)csp_to_int(csp_arg(call, 0)) % TYPES];
  if (pg_make_value(call, type, text, len, &v, &malformed))
    return csp_ok_value(call, v);
  return malformed ? csp_ok_error(call, "malformed") : CSP_PANIC;
}

// write_list(list): its text as an argument.
static CspStatus write_list(CspCall *call) {
  PgLink link = {0};  // what is put goes there, and why it was refused
  CspStatus status = CSP_PANIC;
  if (pg_put_list(call, &link, csp_arg(call, 0)))
    status = csp_ok_string(call, link.params.data, link.params.used);
  else if (link.code[0] != '\0')
    status = csp_ok_error(call, "%s", link.message);
  csp_alloc_free(link.params.data);
  return status;
}

static const char script[] =
    "func check(input) {\n"
    "  [which, text] := [input[0], input[1:].to_string()]\n"
    "  value, err := read_value(which, text)\n"
    "  if err != nil { return err.message }\n"
    "  if !(value is list) { return true }\n"
    "  again, refused := read_value(which, write_list(value))\n"
    "  assert(refused == nil && str(again) == str(value))\n"
    "  return true\n"
    "}\n";

static const CspFunction natives[] = {{"read_value", "which, text", read_value},
                                      {"write_list", "list", write_list},
                                      {NULL, NULL, NULL}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // libpq's texts have no NUL inside
  if (size == 0 || memchr(data + 1, '\0', size - 1) != NULL) return 0;
  if (checker == NULL) checker_open(script, natives);
  return checker_input(script, data, size, NULL);
}
