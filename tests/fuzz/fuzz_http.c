// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are the head of a request and of a response of
// HTTP/1.1, or are refused with the reason. What was read and is written anew
// is read as the same. Each line is tried as one of a body, too: the size of a
// chunk, or a field. `tests/fuzz/run SECONDS` builds and runs it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/http.h"
#include "tests/fuzz/gate.h"

static void must(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "not so: %s\n", what);
  abort();
}

static bool same(Str a, Str b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

// The fields written with one blank each, and an empty line.
static size_t rewrite_fields(Str fields, char *to) {
  HttpField field;
  size_t len = 0;
  while (http_next_field(&fields, &field)) {
    must(http_is_token(field.name), "a name is a word");
    must(http_is_text(field.value), "a value has no control characters");
    memcpy(to + len, field.name.data, field.name.len);
    len += field.name.len;
    memcpy(to + len, ": ", 2);
    len += 2;
    memcpy(to + len, field.value.data, field.value.len);
    len += field.value.len;
    memcpy(to + len, "\r\n", 2);
    len += 2;
  }
  must(fields.len == 0, "each field that was accepted is given");
  memcpy(to + len, "\r\n", 2);
  return len + 2;
}

static void must_be_alike(const HttpHead *a, const HttpHead *b) {
  must(a->status == b->status && b->why == NULL, "it is accepted again");
  must(same(a->method, b->method), "the methods");
  must(same(a->path, b->path), "the paths");
  must(same(a->query, b->query), "the queries");
  must(same(a->host, b->host), "the hosts");
  must(a->length == b->length && a->minor == b->minor, "the lengths");
  must(a->keeps == b->keeps && a->continues == b->continues, "the flags");
}

static void is_sound(const HttpHead *head) {
  must(head->length >= HTTP_TO_END, "the length");
  must(!head->has_coding || head->length == HTTP_CHUNKED, "the coding");
  must(!(head->has_coding && head->has_length), "one length");
}

static bool try_request(Str text) {
  HttpHead head = http_parse_request(text, false);
  if (head.status != 0) {
    must(head.status >= 400 && head.status < 600 && head.why != NULL,
         "a request is refused with a status and why");
    return false;
  }
  is_sound(&head);
  must(http_is_token(head.method), "the method is a word");
  must(head.path.len > 0, "there is a path");
  must(head.path.data[0] == '/' || head.path.len == 1, "the path");
  must(head.minor == 0 || head.has_host, "there is a host");
  size_t size = text.len * 3 + 200, len;
  char *again = malloc(size);
  if (again == NULL) abort();
  len = (size_t)snprintf(
      again, size, "%.*s %.*s%s%.*s HTTP/1.%d\r\n", (int)head.method.len,
      head.method.data, (int)head.path.len, head.path.data,
      head.query.data != NULL ? "?" : "", (int)head.query.len,
      head.query.data != NULL ? head.query.data : "", head.minor);
  len += rewrite_fields(head.fields, again + len);
  HttpHead other = http_parse_request((Str){again, len}, false);
  must_be_alike(&head, &other);
  free(again);
  return true;
}

static bool try_response(Str text) {
  HttpHead head = http_parse_response(text);
  if (head.why != NULL) {
    must(head.status == 0, "a response that is refused has no status");
    return false;
  }
  is_sound(&head);
  must(head.status >= 100 && head.status <= 999, "the status");
  size_t size = text.len * 3 + 200, len;
  char *again = malloc(size);
  if (again == NULL) abort();
  len = (size_t)snprintf(again, size, "HTTP/1.%d %d %.*s\r\n", head.minor,
                         head.status, (int)head.reason.len,
                         head.reason.data != NULL ? head.reason.data : "");
  len += rewrite_fields(head.fields, again + len);
  HttpHead other = http_parse_response((Str){again, len});
  must_be_alike(&head, &other);
  free(again);
  return true;
}

static void try_line(Str line) {
  int64_t size = http_chunk_size(line);
  must(size >= -1, "the size of a chunk");
  if (size >= 0) {
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llx", (unsigned long long)size);
    must(http_chunk_size((Str){digits, (size_t)len}) == size, "the size again");
  }
  if (http_is_field(line)) must(http_is_text(line), "a field is a text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);  // its end is where a sanitizer sees it
  if (text == NULL) abort();
  if (size > 0) memcpy(text, data, size);
  text[size] = '\n';  // as a head that is given to the parser ends
  size_t len = size > 0 && text[size - 1] == '\n' ? size : size + 1;
  bool request = try_request((Str){text, len});
  bool response = try_response((Str){text, len});
  for (size_t at = 0; at < len;) {
    const char *end = memchr(text + at, '\n', len - at);
    size_t line = (size_t)(end - text) - at;
    try_line((Str){text + at, line - (line > 0 && end[-1] == '\r' ? 1 : 0)});
    at += line + 1;
  }
  free(text);
  gate(size, request || response);
  return 0;
}
