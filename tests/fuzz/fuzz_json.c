// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are a value in JSON, or refused with the place of
// what is wrong. A value that was read can be written, with lines and without.
// What that gives is read as the same value again, and written as the same
// text. json.stream gives the same as json.parse, and the same wherever the
// bytes are cut, which the last byte says for long ones. What it passes over is
// refused where json.parse refuses it. `tests/fuzz/run SECONDS` builds and runs
// it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/gate.h"
#include "vm/csp.h"

enum { MEMORY = 64 << 20 };

// Gives true, or the error with which the bytes are refused.
static const char script[] =
    "import \"json\"\n"
    "func streamed(parts, path) {\n"
    "  next, out := 0, []\n"
    "  read := func() {\n"
    "    next++\n"
    "    return (if next > len(parts) { nil } else { parts[next - 1] }), nil\n"
    "  }\n"
    "  for (value, err) in json.stream(read, path: path) {\n"
    "    out.push((if err == nil { (value, nil) } else { (nil, err.message) "
    "}))\n"
    "  }\n"
    "  return out\n"
    "}\n"
    // The place that an error begins with.
    "func place(message) => message.split(\":\")[:2]\n"
    "func stream_is_same(data, value, err) {\n"
    "  size := len(data)\n"
    "  for path in [nil, \"\", \"a.b\", [\"none\\x01\"]] {\n"
    "    whole := streamed([data], path)\n"
    "    at := (if size > 0 { data[size - 1] % size } else { 0 })\n"
    "    cuts := (if size <= 32 { 0..=size } else { at..=at })\n"
    "    for n in cuts { assert(equal(streamed([data[:n], \"\", data[n:]], "
    "path), whole), n) }\n"
    "    if size <= 256 {\n"
    "      assert(equal(streamed(list(data).map(func(b) => bytes([b])), path), "
    "whole))\n"
    "    }\n"
    "    last := if len(whole) > 0 { whole[len(whole) - 1][1] } else { nil }\n"
    "    if path == nil && err == nil { assert(equal(whole, [(value, nil)])) "
    "}\n"
    "    if path == \"\" && err == nil && value is list {\n"
    "      assert(equal(whole, value.map(func(x) => (x, nil))))\n"
    "    }\n"
    "    if path == \"\" && err != nil {\n"
    "      assert(last != nil)\n"
    "      if size > 0 && data[0] == 0x5b { assert(equal(place(last), "
    "place(err.message)), last) }\n"
    "    }\n"
    "    if path is list {\n"
    "      assert(last.contains(\"there is no such value\") == (err == nil), "
    "last)\n"
    "    }\n"
    "  }\n"
    "}\n"
    "func check(data) {\n"
    "  value, err := json.parse(data)\n"
    "  stream_is_same(data, value, err)\n"
    "  if err != nil { return err.message }\n"
    "  for indent in [nil, 1] {\n"
    "    text, failed := json.text(value, indent)\n"
    "    assert(failed == nil, failed)\n"
    "    again, wrong := json.parse(text)\n"
    "    assert(wrong == nil, wrong)\n"
    "    assert(equal(again, value))\n"
    "    twice, _ := json.text(again, indent)\n"
    "    assert(twice == text)\n"
    "  }\n"
    "  return true\n"
    "}\n";

static Csp *csp;
static CspHandle check;

static void fail(const CspResult *result) {
  fprintf(stderr, "%s\n", result->message != NULL ? result->message : "?");
  abort();
}

static void open_runtime(void) {
  CspConfig config;
  CspResult result;
  CspValue function;
  csp_config_init(&config);
  config.stepped = true;
  config.max_memory = MEMORY;
  csp = csp_new(&config);
  if (csp == NULL) abort();
  csp_install_language(csp);
  if (!csp_install_library(csp)) abort();
  CspCall *call = csp_host(csp);
  if (csp_load(call, "fuzz", script, strlen(script), &result) != CSP_DONE)
    fail(&result);
  if (!csp_member(call, result.values[0], "check", &function)) abort();
  check = csp_hold(call, function);
}

// The error has a place in a text of that length.
static void must_be_error(CspValue message, size_t size) {
  size_t len;
  unsigned long line, column;
  const char *text = csp_to_string(message, &len);
  if (sscanf(text, "json: line %lu, column %lu: ", &line, &column) != 2 ||
      line < 1 || column < 1 || line + column > size + 2)
    abort();
}

// false: out of memory.
static bool try_input(CspCall *call, const uint8_t *data, size_t size,
                      bool *read) {
  CspResult result;
  CspValue bytes = csp_bytes(call, data, size);
  if (csp_is_undef(bytes)) return false;
  CspEnd end = csp_call(call, csp_held(call, check), 1, &bytes, &result);
  if (end != CSP_DONE) {
    if (strstr(result.message, "out of memory") == NULL) fail(&result);
    csp_result_free(&result);
    return false;
  }
  *read = csp_type(result.values[0]) != CSP_STRING;
  if (!*read) must_be_error(result.values[0], size);
  csp_result_free(&result);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
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
