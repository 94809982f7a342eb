// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are a body in chunks, and a form of several parts
// (multipart/form-data), or refused with a status. A body is read alike in
// pieces of any size, whether chunks that are there are joined or read one by
// one. What was read and is written anew is read as the same. The part of
// http.csp that reads bodies is what the script begins with, and a text stands
// in for the connection. `tests/fuzz/run SECONDS` builds and runs it.
#include "stdlib/http.h"
#include "tests/fuzz/checker.h"

// Gives true, or the error with which the bytes are refused.
static const char script[] =
    "import \"http\"\n"
    "import \"json\"\n"
    "import \"sync\"\n"
    "struct Failure { status, text, headers = nil, code = nil }\n"
    "func (f Failure) error() => f.text\n"
    "func _failure(status, text, code) => Failure(status, text, nil, code)\n"
    "func _error(text, code) => error(text, code: code)\n"
    "func _need(what, v, kind) { assert(type(v) == kind, what) }\n"
    "func _mutex() => sync.mutex()\n"
    "func _unlock(m) { m.unlock() }\n"
    "func _read_size(line) => read_size(line)\n"
    "func _is_field(line) => is_field(line)\n"
    "func _take_chunks(f, most) {\n"
    "  if !f.joins { return nil, 0 }\n"
    "  joined, used, spare := join_chunks(f.text[f.at:], most)\n"
    "  f.at += used\n"
    "  return joined, spare\n"
    "}\n"
    "func _read_line(f) {\n"
    "  end := f.text.index(\"\\n\", f.at)\n"
    "  if (if end < 0 { len(f.text) } else { end + 1 }) - f.at > 4096 {\n"
    "    return nil, error(\"long\", code: \"too_long\")\n"
    "  }\n"
    "  if end < 0 { return nil, error(\"end\", code: \"closed\") }\n"
    "  line := f.text[f.at:end]\n"
    "  f.at = end + 1\n"
    "  if !line.has_suffix(\"\\r\") { return nil, error(\"\", code: "
    "\"syntax\") }\n"
    "  line = line[:len(line) - 1]\n"
    "  if \"\\r\" in line || \"\\x00\" in line {\n"
    "    return nil, error(\"\", code: \"syntax\")\n"
    "  }\n"
    "  return line, nil\n"
    "}\n"
    "struct _Fake { text, joins, at = 0 }\n"
    "func (f _Fake) read_bytes(most) {\n"
    "  if f.at == len(f.text) { return nil, nil }\n"
    "  from := f.at\n"
    "  f.at = min(len(f.text), from + most)\n"
    "  return bytes(f.text[from:f.at]), nil\n"
    "}\n"
    "func _read_chunks(text, most, joins) {\n"
    "  f, out := _Fake(text, joins), bytes(\"\")\n"
    "  body := _body_of(f, _CHUNKED, 0, 1 << 20)\n"
    "  for {\n"
    "    piece, err := body.read(most)\n"
    "    if err != nil { return (out, (err.status, err.code)) }\n"
    "    if piece == nil { return (out, f.at) }\n"
    "    assert(len(piece) > 0 && len(piece) <= most, text)\n"
    "    out.push(piece)\n"
    "  }\n"
    "}\n"
    "func _write_chunks(data) {\n"
    "  out := \"\"\n"
    "  for i := 0; i < len(data); i += 3 {\n"
    "    piece := str(data[i:min(i + 3, len(data))])\n"
    "    out += \"${len(piece):x}\\r\\n${piece}\\r\\n\"\n"
    "  }\n"
    "  return out + \"0\\r\\n\\r\\n\"\n"
    "}\n"
    "func _read_form(text) {\n"
    "  form, wrong := nil, nil\n"
    "  handler := func(r) {\n"
    "    form, wrong = r.form()\n"
    "    return \"\"\n"
    "  }\n"
    "  http.test(handler, \"POST\", \"/\", {\"content-type\":\n"
    "    \"multipart/form-data; boundary=b\"}, text)\n"
    "  return form, wrong\n"
    "}\n"
    "func _quoted(s) => s.replace(\"\\\\\", \"\\\\\\\\\").replace(\"\\\"\", "
    "\"\\\\\\\"\")\n"
    "func _write_form(form) {\n"
    "  out := \"--b\"\n"
    "  for name, values in form {\n"
    "    for v in values {\n"
    "      out += \"\\r\\nContent-Disposition: form-data; \"\n"
    "      out += \"name=\\\"${_quoted(name)}\\\"\"\n"
    "      if !(v is string) {\n"
    "        out += \"; filename=\\\"${_quoted(v.name)}\\\"\"\n"
    "        out += \"\\r\\nContent-Type: ${v.type}\"\n"
    "      }\n"
    "      out += \"\\r\\n\\r\\n${(if v is string { v } else { str(v.data) "
    "})}\\r\\n--b\"\n"
    "    }\n"
    "  }\n"
    "  return out + \"--\"\n"
    "}\n"
    "func check(data) {\n"
    "  text := str(data)\n"
    "  whole := _read_chunks(text, 65536, true)\n"
    "  for most in [1, 7, 65536] {\n"
    "    for joins in [false, true] {\n"
    "      again := _read_chunks(text, most, joins)\n"
    "      assert(again == whole, (again, whole))\n"
    "    }\n"
    "  }\n"
    "  is_body := whole[1] is int\n"
    "  if is_body {\n"
    "    again := _read_chunks(_write_chunks(whole[0]), 65536, true)\n"
    "    assert(again[0] == whole[0], (again, whole))\n"
    "  }\n"
    "  form, err := _read_form(if is_body { str(whole[0]) } else { text })\n"
    "  if err != nil {\n"
    "    assert(err.status == 400 && err.code == \"syntax\", err)\n"
    "  } else {\n"
    "    again, wrong := _read_form(_write_form(form))\n"
    "    assert(wrong == nil && str(again) == str(form), (again, form, "
    "wrong))\n"
    "  }\n"
    "  return (if is_body || err == nil { true } else { \"refused\" })\n"
    "}\n";

// (text, most): the data of the chunks that it begins with, or nil, their
// length, and what their lines spare.
static CspStatus join_chunks(CspCall *call) {
  Str text;
  int64_t most, spare;
  char *data;
  if (!need_str(call, 0, &text) || !csp_need_int(call, 1, &most))
    return CSP_PANIC;
  Str left = text;
  size_t len = http_join_chunks(&left, (size_t)most, NULL, &spare);
  CspValue joined = csp_nil();
  if (len > 0) joined = csp_bytes_room(call, len, &data);
  if (csp_is_undef(joined)) return csp_panic_memory(call);
  if (len > 0 && http_join_chunks(&text, (size_t)most, data, &spare) != len)
    abort();
  csp_return(call, joined);
  csp_return(call, csp_int(call, left.data - str_of(csp_arg(call, 0)).data));
  return csp_ok_int(call, spare);
}

static const CspFunction natives[] = {
    {"join_chunks", "text, most", join_chunks},
    {"read_size", "line", http_read_size},
    {"is_field", "line", http_is_field_line},
    {NULL, NULL, NULL},
};

// What stands from one line of http.csp to another goes to `to`. (The runner
// stands in a folder of build/fuzz.)
static size_t cut(const char *from, const char *end, char *to) {
  static char source[1 << 16];
  FILE *file = fopen("../../../stdlib/http.csp", "r");
  if (file == NULL) abort();
  source[fread(source, 1, sizeof source - 1, file)] = '\0';
  if (!feof(file)) abort();
  fclose(file);
  const char *begin = strstr(source, from);
  const char *stop = begin != NULL ? strstr(begin, end) : NULL;
  if (stop == NULL) abort();
  memcpy(to, begin, (size_t)(stop - begin));
  return (size_t)(stop - begin);
}

static const char *whole_text(void) {
  static char text[1 << 17];
  memcpy(text, script, sizeof script - 1);
  size_t len = sizeof script - 1;
  len += cut("const _WHOLE", "// --- Errors ---", text + len);
  cut("// --- Bodies ---", "// --- Bodies that are sent ---", text + len);
  return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (checker == NULL) checker_open(whole_text(), natives);
  return checker_input(NULL, data, size, NULL);
}
