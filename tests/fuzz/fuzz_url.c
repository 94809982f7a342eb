// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are a URL, or refused with the place of what is
// wrong. The text of a URL is read as the same URL again, and so is what it
// leads to from others, and what others lead to from it. As escaped text or as
// a query they are refused, or the same when escaped and read again.
// `tests/fuzz/run SECONDS` builds and runs it.
#include "tests/fuzz/checker.h"

// Gives true, or the error with which the bytes are refused.
static const char script[] =
    "import \"url\"\n"
    "func escapes(text) {\n"
    "  for form in [false, true] {\n"
    "    back, err := url.decode(url.encode(text, form), form)\n"
    "    assert(err == nil && back == text, err)\n"
    "    plain, wrong := url.decode(text, form)\n"
    "    if wrong != nil { continue }\n"
    "    again, failed := url.decode(url.encode(plain, form), form)\n"
    "    assert(failed == nil && again == plain, failed)\n"
    "  }\n"
    "  m, err := url.parse_query(text)\n"
    "  if err == nil {\n"
    "    again, failed := url.parse_query(url.build_query(m))\n"
    "    assert(failed == nil && equal(again, m), failed)\n"
    "  }\n"
    "}\n"
    "func is_same(u) {\n"
    "  again, err := url.parse(str(u))\n"
    "  assert(err == nil && equal(again, u), err)\n"
    "  text, wrong := url.text(u)\n"
    "  assert(wrong == nil && text == str(u), wrong)\n"
    "}\n"
    "func joins(base, ref) {\n"
    "  u, err := url.join(base, ref)\n"
    "  if err != nil { return }\n"
    "  is_same(u)\n"
    "  if ref.path == \"\" && ref.scheme == nil { return }\n"
    "  for part in u.path.split(\"/\")[1:] { assert(part != \"..\", u) }\n"
    "}\n"
    "func check(data) {\n"
    "  text := data.to_string()\n"
    "  escapes(text)\n"
    "  u, err := url.parse(text)\n"
    "  if err != nil { return err.message }\n"
    "  is_same(u)\n"
    "  for base in [\"http:/"
    "/u@a:1/b/c/d;p?q\", \"http:/"
    "/a\", \"x:/a\", \"x:a\"] { joins(base, u) }\n"
    "  for ref in [\"../x?y\", \"\", \"?\", \"/..//h\", \"..//h/.\", "
    "\"//h:1\"] "
    "{\n"
    "    parsed, _ := url.parse(ref)\n"
    "    joins(u, parsed)\n"
    "  }\n"
    "  return true\n"
    "}\n";

static void must_have_place(const char *message, size_t size) {
  unsigned long at;
  if (sscanf(message, "url: at %lu: ", &at) != 1 || at > size) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return checker_input(script, data, size, must_have_place);
}
