// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are a template, or refused with the place of what
// is wrong. A template is compiled as a page and as plain text, and what is a
// page is text, too. With words for all of its data a page is the text, but for
// quotes and blanks. With signs of pages in the data it has no more of them.
// `tests/fuzz/run SECONDS` builds and runs it.
#include "tests/fuzz/checker.h"

// Gives true, or the error with which the bytes are refused.
static const char script[] =
    "import \"text\"\n"
    "const FILES = {a: \"<p>{{ x }}</p>\", b: \"{{ x }}\", c: \"{% include 'c' "
    "%}\", base: \"<title>{% block t %}{% endblock %}</title>{% block b %}{% "
    "endblock %}\"}\n"
    "func data(x) => {x: x, y: x, l: [x, x], m: {a: x, b: x}, t: true, n: 3}\n"
    "func rendered(t, x) {\n"
    "  out, err := t.render(data(x))\n"
    "  if err != nil { assert(err.message.has_prefix(\"text: \"), err) }\n"
    "  return out\n"
    "}\n"
    "func plain(s) => strip(s.replace(\"\\x00\", \"\"))\n"
    "func strip(s) {\n"
    "  for c in [\" \", \"\\\"\", \"&quot;\", \"&#32;\"] { s = s.replace(c, "
    "\"\") }\n"
    "  return s\n"
    "}\n"
    "func has_names(source) => source.split(\"{{\")[1:].all(func(piece) {\n"
    "  inside, _, found := piece.cut(\"}}\")\n"
    "  return found && inside.trim(\" -\").is_alpha()\n"
    "})\n"
    "func check(data) {\n"
    "  source := data.to_string()\n"
    "  page, err := text.template(source, load: FILES)\n"
    "  t, wrong := text.template(source, load: FILES, html: false)\n"
    "  if err != nil { return err.message }\n"
    "  assert(wrong == nil, wrong)\n"
    "  a, b := rendered(page, \"w\"), rendered(t, \"w\")\n"
    "  if a == nil || b == nil { return true }\n"
    "  if source.contains(\"if\") || !has_names(source) { return true }\n"
    "  assert(plain(a) == plain(b))\n"
    "  evil := rendered(page, \"<i a='x' b=\\\"y\\\">&\")\n"
    "  assert(evil == nil || evil.count(\"<\") <= a.count(\"<\"))\n"
    "  return true\n"
    "}\n";

// The error has a place in a text of that length, or in one that is included.
static void must_have_place(const char *message, size_t size) {
  unsigned long line, column;
  const char *place = strstr(message, "line ");
  if (strncmp(message, "text: ", 6) != 0 || place == NULL ||
      sscanf(place, "line %lu, column %lu: ", &line, &column) != 2 ||
      line < 1 || column < 1 || line + column > size + 200)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return checker_input(script, data, size, must_have_place);
}
