// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are what a server of Redis sends, or refused with
// a code. What was read and is written anew is read as the same. The module is
// written in the language, so its own text is what the script begins with, and
// a text stands in for the connection. `tests/fuzz/run SECONDS` builds and runs
// it.
#include "tests/fuzz/checker.h"

// Gives true, or the error with which the bytes are refused.
static const char script[] =
    "func _need(what, v, kind) { assert(type(v) == kind, what) }\n"
    "struct _Fake { text, at = 0 }\n"
    "func (f _Fake) read_until(end, most) {\n"
    "  line, _, found := f.text[f.at:].cut(end)\n"
    "  if len(line) > most { return nil, error(\"long\", code: \"too_long\") "
    "}\n"
    "  if !found && line == \"\" { return nil, nil }\n"
    "  f.at += len(line) + len(end)\n"
    "  if found { return line, nil }\n"
    "  return nil, error(\"end\", code: \"closed\")\n"
    "}\n"
    "func (f _Fake) read_exact(n) {\n"
    "  if n > len(f.text) - f.at { return nil, error(\"\", code: \"closed\") "
    "}\n"
    "  f.at += n\n"
    "  return f.text[f.at - n:f.at], nil\n"
    "}\n"
    "func _values(text) {\n"
    "  out, fake := [], _Fake(text)\n"
    "  link := _Link(fake, 0, 100_000)\n"
    "  for fake.at < len(text) {\n"
    "    link.left = link.most\n"
    "    line, err := link.line()\n"
    "    if err != nil { return out, err }\n"
    "    value, wrong := link.value_of(line, 0)\n"
    "    assert(link.left <= link.most, text)\n"
    "    if wrong != nil { return out, wrong }\n"
    "    out.push(value)\n"
    "  }\n"
    "  return out, nil\n"
    "}\n"
    "func _put(v) {\n"
    "  if v == nil { return \"_\\r\\n\" }\n"
    "  if v is int { return \":${v}\\r\\n\" }\n"
    "  if v is float { return \",${v}\\r\\n\" }\n"
    "  if v is bool { return (if v { \"#t\\r\\n\" } else { \"#f\\r\\n\" }) }\n"
    "  if v is string { return \"$${len(v)}\\r\\n${v}\\r\\n\" }\n"
    "  if v is list { return \"*${len(v)}\\r\\n\" + v.map(_put).join() }\n"
    "  if v is error {\n"
    "    return \"!${len(v.message)}\\r\\n${v.message}\\r\\n\"\n"
    "  }\n"
    "  out := \"%${len(v)}\\r\\n\"\n"
    "  for key, value in v { out += _put(key) + _put(value) }\n"
    "  return out\n"
    "}\n"
    "const _CODES = [\"closed\", \"syntax\", \"limit\", \"too_long\"]\n"
    "func check(data) {\n"
    "  values, err := _values(data.to_string())\n"
    "  assert(err == nil || err.code in _CODES, err)\n"
    "  again, wrong := _values(values.map(_put).join())\n"
    "  assert(wrong == nil || wrong.code == \"limit\", wrong)\n"
    "  if wrong == nil { assert(str(again) == str(values), values) }\n"
    "  return (if len(values) > 0 { true } else { \"refused\" })\n"
    "}\n";

// The parts of the module, then the script. (The runner stands in a folder of
// build/fuzz.)
static const char *whole_text(void) {
  static char text[1 << 17];
  static const char *const parts[] = {"../../../stdlib/redis.csp",
                                      "../../../stdlib/redis.messages.csp"};
  size_t len = 0;
  for (int n = 0; n < 2; n++) {
    FILE *file = fopen(parts[n], "r");
    if (file == NULL) abort();
    len += fread(text + len, 1, sizeof text - sizeof script - len, file);
    if (!feof(file)) abort();
    fclose(file);
  }
  memcpy(text + len, script, sizeof script);
  return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *text;
  if (text == NULL) text = whole_text();
  return checker_input(text, data, size, NULL);
}
