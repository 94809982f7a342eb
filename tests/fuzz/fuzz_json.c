// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are a value in JSON, or refused with the place of
// what is wrong. A value that was read can be written, with lines and without.
// What that gives is read as the same value again, and written as the same
// text. json.stream gives the same as json.parse, and the same wherever the
// bytes are cut, which the last byte says for long ones. What it passes over is
// refused where json.parse refuses it. `tests/fuzz/run SECONDS` builds and runs
// it.
#include "tests/fuzz/checker.h"

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

// The error has a place in a text of that length.
static void must_have_place(const char *message, size_t size) {
  unsigned long line, column;
  if (sscanf(message, "json: line %lu, column %lu: ", &line, &column) != 2 ||
      line < 1 || column < 1 || line + column > size + 2)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return checker_input(script, data, size, must_have_place);
}
