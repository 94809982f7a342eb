// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are a document in TOML, or refused with the place
// of what is wrong. A document that was read is written in inline tables, and
// that is read as the same values. With other ends of lines it has the same
// values, too. `tests/fuzz/run SECONDS` builds and runs it.
#include "tests/fuzz/checker.h"

// Gives true, or the error with which the bytes are refused.
static const char script[] =
    "import \"json\"\n"
    "import \"toml\"\n"
    "func quoted(s) {\n"
    "  text, err := json.text(s)\n"
    "  assert(err == nil, err)\n"
    "  return text.replace(\"\\x7f\", \"\\\\u007f\")\n"
    "}\n"
    "func pairs(m) {\n"
    "  out := []\n"
    "  for key, value in m { out.push(quoted(key) + \" = \" + written(value)) "
    "}\n"
    "  return out\n"
    "}\n"
    "func written(v) {\n"
    "  if v is string { return quoted(v) }\n"
    "  if v is list { return \"[\" + v.map(written).join(\", \") + \"]\" }\n"
    "  if v is map { return \"{\" + pairs(v).join(\", \") + \"}\" }\n"
    "  assert(v is int || v is float || v is bool, v)\n"
    "  return str(v)\n"
    "}\n"
    "func is_read_as(text, wanted) {\n"
    "  value, err := toml.parse(text)\n"
    "  assert(err == nil, err)\n"
    "  assert(pairs(value).join(\"\\n\") == wanted)\n"
    "}\n"
    "func check(data) {\n"
    "  value, err := toml.parse(data)\n"
    "  if err != nil { return err.message }\n"
    "  lines := pairs(value).join(\"\\n\")\n"
    "  is_read_as(lines, lines)\n"
    "  text := data.to_string()\n"
    "  if !text.contains(\"\\r\") {\n"
    "    is_read_as(text.replace(\"\\n\", \"\\r\\n\"), lines)\n"
    "  }\n"
    "  return true\n"
    "}\n";

// The error has a place in a text of that length.
static void must_have_place(const char *message, size_t size) {
  unsigned long line, column;
  if (sscanf(message, "toml: line %lu, column %lu: ", &line, &column) != 2 ||
      line < 1 || column < 1 || line + column > size + 2)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return checker_input(script, data, size, must_have_place);
}
