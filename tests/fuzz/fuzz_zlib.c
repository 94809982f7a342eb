// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes after the first are compressed data, or refused.
// The first says of which form. What is read is no longer than its bound, and
// one byte less is too little for it. The same bytes are compressed, read again
// as they were, as a string too, and refused where they are cut. An inflater
// gives the same in pieces. The module zlib is linked in. `tests/fuzz/run
// SECONDS` builds and runs it.
#define CHECKER_MODULE csp_module_zlib
#include "tests/fuzz/checker.h"

// Gives true, or the error with which the bytes are refused.
static const char script[] =
    "import \"zlib\"\n"
    "const most = 65_536\n"
    "const forms = [(zlib.compress, zlib.decompress), (zlib.gzip, zlib.gunzip),"
    " (zlib.deflate, zlib.inflate)]\n"
    "func is_bound(read, data, value) {\n"
    "  exact, err := read(data, len(value))\n"
    "  assert(err == nil && exact == value)\n"
    "  if len(value) == 0 { return }\n"
    "  less, refused := read(data, len(value) - 1)\n"
    "  assert(less == nil && refused.message.contains(\"larger than\"))\n"
    "}\n"
    "func comes_back(write, read, data, level) {\n"
    "  packed := write(data, level)\n"
    "  value, err := read(packed)\n"
    "  assert(err == nil && value == data)\n"
    "  assert(write(data.to_string(), level) == packed)\n"
    "  again, failed := read(packed.to_string())\n"
    "  assert(failed == nil && again == data)\n"
    "  is_bound(read, packed, data)\n"
    "  if len(packed) > 100 { return }\n"
    "  for n in len(packed) {\n"
    "    cut, refused := read(packed[:n])\n"
    "    assert(cut == nil && refused.message.contains(\"too early\"), n)\n"
    "  }\n"
    "}\n"
    "func in_pieces(form, data) {\n"
    "  i := zlib.inflater([\"zlib\", \"gzip\", \"raw\"][form % 3], members: "
    "true)\n"
    "  defer func() { _ = i.end() }()\n"
    "  out := bytes()\n"
    "  for at in (0..len(data)).by(7) {\n"
    "    piece := data.part(at, at + 7)\n"
    "    for {\n"
    "      part, err := i.push(piece, 100)\n"
    "      if err != nil { return nil }\n"
    "      assert(len(part) <= 100)\n"
    "      if len(part) == 0 { break }\n"
    "      out.push(part)\n"
    "      piece = \"\"\n"
    "      if len(out) > most { return nil }\n"
    "    }\n"
    "  }\n"
    "  return if i.end() == nil { out } else { nil }\n"
    "}\n"
    "func check(input) {\n"
    "  [form, data] := [input[0], input[1:]]\n"
    "  [write, read] := forms[form % 3]\n"
    "  comes_back(write, read, data, form / 3 % 10)\n"
    "  value, err := read(data, most)\n"
    "  pieces := in_pieces(form, data)\n"
    "  assert(err != nil || pieces == value)\n"
    "  if err != nil { return err.message }\n"
    "  assert(len(value) <= most)\n"
    "  is_bound(read, data, value)\n"
    "  for at in (0..=len(data)).by(1 + len(data) / 16) {\n"
    "    assert(zlib.crc32(data[at:], zlib.crc32(data[:at])) == "
    "zlib.crc32(data))\n"
    "  }\n"
    "  return true\n"
    "}\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  return checker_input(script, data, size, NULL);
}
