// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are a table in CSV, or refused with the place of
// what is wrong. The first byte chooses the options. csv.rows gives the same as
// csv.parse, and the same wherever the bytes are cut, which the last byte says
// for long ones. Rows that were read are written, and read again they are the
// same, also in a table of maps. `tests/fuzz/run SECONDS` builds and runs it.
#include "tests/fuzz/checker.h"

// Gives true, or the error with which the bytes are refused.
static const char script[] =
    "import \"csv\"\n"
    "struct Options { header, separator, comment, ragged, most }\n"
    "func streamed(parts, o) {\n"
    "  next, out := 0, []\n"
    "  read := func() {\n"
    "    next++\n"
    "    return (if next > len(parts) { nil } else { parts[next - 1] }), nil\n"
    "  }\n"
    "  for (row, err) in csv.rows(read, o.header, o.separator, o.comment, "
    "o.ragged, o.most) {\n"
    "    out.push((if err == nil { row } else { err.message }))\n"
    "  }\n"
    "  return out\n"
    "}\n"
    "func rows_are_same(data, o) {\n"
    "  whole, size := streamed([data], o), len(data)\n"
    "  at := (if size > 0 { data[size - 1] % size } else { 0 })\n"
    "  cuts := (if size <= 32 { 0..=size } else { at..=at })\n"
    "  for n in cuts { assert(equal(streamed([data[:n], \"\", data[n:]], o), "
    "whole), n) }\n"
    "  if size <= 256 {\n"
    "    assert(equal(streamed(list(data).map(func(b) => bytes([b])), o), "
    "whole))\n"
    "  }\n"
    "  return whole\n"
    "}\n"
    // The table has these rows, whose cells are strings.
    "func is_read_again(rows, o, crlf) {\n"
    "  text, failed := csv.text(rows, nil, o.separator, crlf)\n"
    "  assert(failed == nil, failed)\n"
    "  again, wrong := csv.parse(text, false, o.separator, \"#\", true)\n"
    "  assert(wrong == nil, wrong)\n"
    "  assert(equal(again, rows))\n"
    "}\n"
    "func maps_are_read_again(rows, o, crlf) {\n"
    "  if len(rows) == 0 { return nil }\n"
    "  names := []\n"
    "  for name, _ in rows[0] { names.push(name) }\n"
    "  text, failed := csv.text(rows, names, o.separator, crlf)\n"
    "  assert(failed == nil, failed)\n"
    "  again, wrong := csv.parse(text, true, o.separator)\n"
    "  assert(wrong == nil, wrong)\n"
    "  for row in rows {\n"
    "    for name in names { row[name] = row[name] ?? \"\" }\n"
    "  }\n"
    "  assert(equal(again, rows))\n"
    "}\n"
    "func check(data) {\n"
    "  n := (if len(data) > 0 { data[0] } else { 0 })\n"
    "  data = data[min(1, len(data)):]\n"
    "  o := Options(n & 1 > 0, [\",\", \";\", \"\\t\", \" \"][n >> 1 & 3], (if "
    "n & 8 > 0 { \"#\" } else { nil }), n & 16 > 0, 1 << 20)\n"
    "  rows, err := csv.parse(data, o.header, o.separator, o.comment, "
    "o.ragged)\n"
    "  got := rows_are_same(data, o)\n"
    "  if err == nil {\n"
    "    assert(equal(got, rows))\n"
    "  } else {\n"
    "    assert(got[len(got) - 1] == err.message)\n"
    "  }\n"
    "  o.most = n >> 5 << 1 | 1\n"
    "  rows_are_same(data, o)\n"
    "  if err != nil { return err.message }\n"
    "  if o.header {\n"
    "    maps_are_read_again(rows, o, n & 32 > 0)\n"
    "  } else {\n"
    "    is_read_again(rows, o, n & 32 > 0)\n"
    "  }\n"
    "  return true\n"
    "}\n";

// The error has a place in a text of that length.
static void must_have_place(const char *message, size_t size) {
  unsigned long line, column;
  if (sscanf(message, "csv: line %lu, column %lu: ", &line, &column) != 2 ||
      line < 1 || column < 1 || line + column > size + 2)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return checker_input(script, data, size, must_have_place);
}
