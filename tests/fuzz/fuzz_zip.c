// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are a zip archive, or refused. Entries that are
// read have their length and checksum, share no bytes with others, and are read
// alike when they are written anew. The module zlib is linked in.
// `tests/fuzz/run SECONDS` builds and runs it.
#define CHECKER_MODULE csp_module_zlib
#include "tests/fuzz/checker.h"

// Gives true, or the error with which the bytes are refused.
static const char script[] =
    "import \"zip\"\n"
    "import \"zlib\"\n"
    "func read(a) {\n"
    "  out, first := [], nil\n"
    "  for entry in a.entries() {\n"
    "    if entry.kind != \"file\" { continue }\n"
    "    text, err := entry.read_all(1 << 20)\n"
    "    first = first ?? err\n"
    "    if err != nil { continue }\n"
    "    assert(len(text) == entry.size && zlib.crc32(text) == entry.crc)\n"
    "    out.push((entry.name, text, entry.mode))\n"
    "  }\n"
    "  return out, first\n"
    "}\n"
    "func is_apart(a, size) {\n"
    "  from := 0\n"
    "  for entry in copy(a.entries()).sort_by(func(e) => e.offset) {\n"
    "    assert(entry.offset >= from)\n"
    "    from = entry.offset + 30 + len(entry.name) + entry.packed\n"
    "  }\n"
    "  assert(from <= size)\n"
    "}\n"
    "func check(data) {\n"
    "  a, err := zip.reader(data)\n"
    "  if err != nil { return err.message }\n"
    "  is_apart(a, len(data))\n"
    "  all, failed := read(a)\n"
    "  out := bytes()\n"
    "  w := zip.writer(func(piece) {\n"
    "    out.push(piece)\n"
    "    return nil\n"
    "  })\n"
    "  kept := all.filter(func(e) => w.add(e[0], e[1], e[2], 0) == nil)\n"
    "  w.close()\n"
    "  b, wrong := zip.reader(out)\n"
    "  assert(wrong == nil, wrong)\n"
    "  again, bad := read(b)\n"
    "  assert(bad == nil, bad)\n"
    "  kept = kept.filter(func(e) => !e[0].has_suffix(\"/\"))\n"
    "  for i, e in kept { assert(e[:2] == again[i][:2]) }\n"
    "  return if failed == nil { len(all) > 0 || \"at byte 0: nothing\" } "
    "else { failed.message }\n"
    "}\n";

// A reader that was left is freed when it is collected. Until then the memory
// of its inflater is found through the runtime's own alone, where the sanitizer
// does not look for pointers.
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }

static void must_tell(const char *message, size_t size) {
  (void)size;
  if (strstr(message, "at byte ") == NULL &&
      strstr(message, "more than 1048576 bytes") == NULL)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return checker_input(script, data, size, must_tell);
}
