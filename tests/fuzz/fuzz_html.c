// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are a text. Escaped, it has nothing that a page
// would take for more than text, and comes back as it was. Unescaped, it is the
// same as its parts, and not much longer. `tests/fuzz/run SECONDS` builds and
// runs it.
#include "tests/fuzz/checker.h"

// Gives true, or that there was no reference.
static const char script[] =
    "import \"html\"\n"
    "const REFERENCES = [\"amp;\", \"lt;\", \"gt;\", \"quot;\", \"#39;\"]\n"
    "func check(data) {\n"
    "  text := data.to_string()\n"
    "  escaped := html.escape(text)\n"
    "  for c in \"<>\\\"'\" { assert(!escaped.contains(c), escaped) }\n"
    "  for i, part in escaped.split(\"&\") {\n"
    "    fine := i == 0 || REFERENCES.any(func(r) => part.has_prefix(r))\n"
    "    assert(fine, escaped)\n"
    "  }\n"
    "  assert(html.unescape(escaped) == text, escaped)\n"
    "  plain := html.unescape(text)\n"
    "  assert(len(plain) <= 2 * len(text), plain)\n"
    "  for blank in \" \\n<\" {\n"
    "    parts := text.split(blank).map(html.unescape)\n"
    "    assert(parts.join(blank) == plain, plain)\n"
    "  }\n"
    "  return if plain == text { \"no reference\" } else { true }\n"
    "}\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return checker_input(script, data, size, NULL);
}
