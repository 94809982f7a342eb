// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are an archive of tar, or refused with the byte.
// Headers get the right checksum first. Read in small pieces, the archive is
// the same, and so is what is written of it. `tests/fuzz/run SECONDS` builds
// and runs it.
#include "tests/fuzz/checker.h"

// Gives true, or the error with which the bytes are refused.
static const char script[] =
    "import \"tar\"\n"
    "func repaired(data) {\n"
    "  data = copy(data)\n"
    "  for at in (0..=len(data) - 512).by(512) {\n"
    "    if str(data[at + 257:at + 262]) != \"ustar\" { continue }\n"
    "    data.set(at + 148, \"        \")\n"
    "    data.set(at + 148, \"${list(data[at:at + 512]).sum():06o}\\x00 \")\n"
    "  }\n"
    "  return data\n"
    "}\n"
    "func source(data, size) {\n"
    "  at := 0\n"
    "  return func() {\n"
    "    if at >= len(data) { return nil, nil }\n"
    "    at += size\n"
    "    return data[at - size:min(at, len(data))], nil\n"
    "  }\n"
    "}\n"
    "func entries(data, size) {\n"
    "  a, out := tar.reader(source(data, size)), []\n"
    "  for {\n"
    "    entry, err := a.next()\n"
    "    if err != nil { return out, err }\n"
    "    if entry == nil { return out, nil }\n"
    "    text := \"\"\n"
    "    if entry.kind == \"file\" {\n"
    "      text, err = entry.read_all(1 << 20)\n"
    "      if err != nil { return out, err }\n"
    "    }\n"
    "    out.push((entry.name, entry.kind, entry.mode, text, entry.target ?? "
    "\"\"))\n"
    "  }\n"
    "}\n"
    "func written(all) {\n"
    "  out, kept := bytes(), []\n"
    "  w := tar.writer(func(data) {\n"
    "    out.push(data)\n"
    "    return nil\n"
    "  })\n"
    "  for e in all {\n"
    "    name := e[0]\n"
    "    for name.has_suffix(\"/\") { name = name.trim_suffix(\"/\") }\n"
    "    err := switch e[1] {\n"
    "    case \"file\": w.add(name, e[3], e[2], 0)\n"
    "    case \"folder\": w.add_folder(name, e[2], 0)\n"
    "    default: w.add_link(name, e[4], 0)\n"
    "    }\n"
    "    if err != nil { continue }\n"
    "    if e[1] == \"folder\" { name += \"/\" }\n"
    "    kind := if e[1] in [\"file\", \"folder\"] { e[1] } else { \"symlink\" "
    "}\n"
    "    mode := if kind == \"symlink\" { 0o777 } else { e[2] }\n"
    "    kept.push((name, kind, mode, e[3], e[4]))\n"
    "  }\n"
    "  w.close()\n"
    "  again, err := entries(out, 700)\n"
    "  assert(err == nil, err)\n"
    "  same := kept.filter(func(e) => e[1] != \"file\" || "
    "!e[0].has_suffix(\"/\"))\n"
    "  if len(same) == len(kept) { assert(again == kept || equal(again, kept)) "
    "}\n"
    "}\n"
    "func check(data) {\n"
    "  data = repaired(data)\n"
    "  all, err := entries(data, 1 << 20)\n"
    "  parts, failed := entries(data, 100)\n"
    "  assert(equal(all, parts) && str(err) == str(failed))\n"
    "  written(all)\n"
    "  if err == nil { return len(all) > 0 || \"at byte 0: nothing\" }\n"
    "  return err.message\n"
    "}\n";

// The error has a place in the archive.
static void must_have_place(const char *message, size_t size) {
  const char *place = strstr(message, "at byte ");
  unsigned long at;
  if (strstr(message, "more than 1048576 bytes") != NULL) return;
  if (place == NULL || sscanf(place, "at byte %lu", &at) != 1 || at > size)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return checker_input(script, data, size, must_have_place);
}
