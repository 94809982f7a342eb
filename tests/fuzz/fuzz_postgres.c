// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes after the first are a value as a server of
// PostgreSQL sends it. The first says of which type. It is refused, or read. A
// list that was read is written as an argument is, and read again as the same.
// The sources of the module postgres are linked in. `tests/fuzz/run SECONDS`
// builds and runs it.
#include "stdlib/native/postgres.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/gate.h"

enum { MEMORY = 64 << 20 };

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
  PgParams params = {0};
  if (!pg_put_list(call, &params, csp_arg(call, 0), 0)) {
    csp_alloc_free(params.data);
    return CSP_PANIC;
  }
  CspStatus status = csp_ok_string(call, params.data, params.used);
  csp_alloc_free(params.data);
  return status;
}

static const char script[] =
    "func check(which, text) {\n"
    "  value, err := read_value(which, text)\n"
    "  if err != nil { return false }\n"
    "  if !(value is list) { return true }\n"
    "  again, refused := read_value(which, write_list(value))\n"
    "  assert(refused == nil && str(again) == str(value))\n"
    "  return true\n"
    "}\n";

static Csp *csp;
static CspHandle check;

static void fail(const CspResult *result) {
  fprintf(stderr, "%s\n", result->message != NULL ? result->message : "?");
  abort();
}

static void open_runtime(void) {
  static const CspFunction builtins[] = {
      {"read_value", "which, text", read_value},
      {"write_list", "list", write_list},
      {NULL, NULL, NULL}};
  CspConfig config;
  CspResult result;
  CspValue function;
  csp_config_init(&config);
  config.stepped = true;
  config.max_memory = MEMORY;
  csp = csp_new(&config);
  if (csp == NULL) abort();
  csp_install_language(csp);
  if (!csp_install_library(csp) || !csp_register_builtins(csp, builtins))
    abort();
  CspCall *call = csp_host(csp);
  if (csp_load(call, "fuzz", script, strlen(script), &result) != CSP_DONE)
    fail(&result);
  if (!csp_member(call, result.values[0], "check", &function)) abort();
  check = csp_hold(call, function);
}

// false: out of memory.
static bool try_input(CspCall *call, const uint8_t *data, size_t size,
                      bool *read) {
  CspResult result;
  CspValue args[2] = {csp_int(call, data[0]),
                      csp_string(call, (const char *)data + 1, size - 1)};
  if (csp_is_undef(args[1])) return false;
  CspEnd end = csp_call(call, csp_held(call, check), 2, args, &result);
  if (end != CSP_DONE) {
    if (strstr(result.message, "out of memory") == NULL) fail(&result);
    csp_result_free(&result);
    return false;
  }
  *read = csp_truthy(result.values[0]);
  csp_result_free(&result);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // libpq's texts have no NUL inside
  if (size == 0 || memchr(data + 1, '\0', size - 1) != NULL) return 0;
  if (csp == NULL) open_runtime();
  CspCall *call = csp_host(csp);
  bool read;
  if (!try_input(call, data, size, &read)) {
    csp_collect(call);  // what the inputs before have left
    if (!try_input(call, data, size, &read)) abort();
  }
  gate(size, read);
  return 0;
}
