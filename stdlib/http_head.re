// SPDX-License-Identifier: MIT
// Heads of messages of HTTP/1.1 (RFC 9112), strictly. Edit here; re2c makes
// http_head.c of it in build/.
//
// A text that two programs could read differently is refused, because what a
// proxy has passed would be another message here (request smuggling). So a line
// ends with CR LF alone, no other CR, LF or NUL stands anywhere, no line goes
// on in the next, no blank precedes a colon, and a body has one length.
//
// Each rule reads one line. None passes a LF but at its end, and the text ends
// with one. So none reads beyond the text.
#include <string.h>
#include <strings.h>

#include "stdlib/http.h"

typedef const unsigned char *HttpCursor;

static Str between(HttpCursor from, HttpCursor to) {
  return (Str){(const char *)from, (size_t)(to - from)};
}

static bool is_field_blank(char c) { return c == ' ' || c == '\t'; }

static Str without_blanks(Str s) {
  while (s.len > 0 && is_field_blank(s.data[s.len - 1])) s.len--;
  while (s.len > 0 && is_field_blank(s.data[0])) s = (Str){s.data + 1, s.len - 1};
  return s;
}

/*!re2c
  re2c:define:YYCTYPE = "unsigned char";
  re2c:define:YYCURSOR = at;
  re2c:define:YYMARKER = marker;
  re2c:yyfill:enable = 0;
  re2c:flags:tags = 1;

  end    = "\r\n";
  token  = [!#$%&'*+\-.^_`|~0-9A-Za-z]+;
  target = [\x21-\x7e]+;
  text   = [\t\x20-\x7e\x80-\xff]*;
  digit  = [0-9];
*/

// --- Lines ------------------------------------------------------------------
// What follows the line. NULL: it is no such line.
static HttpCursor request_line(HttpCursor at, Str *target, HttpHead *head) {
  HttpCursor marker, a, b, c, d, e;
  /*!stags:re2c format = "HttpCursor @@;\n"; */
  /*!re2c
    @a token @b " " @c target @d " HTTP/" @e digit "." digit end {
      head->method = between(a, b);
      *target = between(c, d);
      head->minor = (e[0] - '1') * 10 + (e[2] - '0');
      return at;
    }
    * { return NULL; }
  */
}

static HttpCursor status_line(HttpCursor at, HttpHead *head) {
  HttpCursor marker, a, b, e;
  /*!stags:re2c format = "HttpCursor @@;\n"; */
  /*!re2c
    "HTTP/" @e digit "." digit " " @a digit{3} (" " @b text)? end {
      head->minor = (e[0] - '1') * 10 + (e[2] - '0');
      head->status = (a[0] - '0') * 100 + (a[1] - '0') * 10 + (a[2] - '0');
      if (b != NULL) head->reason = between(b, at - 2);
      return at;
    }
    * { return NULL; }
  */
}

// Without the blanks around the value. NULL: *why tells what is wrong.
static HttpCursor field_line(HttpCursor at, HttpField *field,
                             const char **why) {
  HttpCursor marker, a, b, c;
  /*!stags:re2c format = "HttpCursor @@;\n"; */
  /*!re2c
    @a token @b ":" @c text end {
      field->name = between(a, b);
      field->value = without_blanks(between(c, at - 2));
      return at;
    }
    [ \t] {
      *why = "a field's line begins with a blank";
      return NULL;
    }
    token [ \t]+ ":" {
      *why = "a blank stands before a field's colon";
      return NULL;
    }
    * {
      *why = "a field's line is not of the form Name: value, with CR LF";
      return NULL;
    }
  */
}

// --- Names and values -------------------------------------------------------
bool http_same_name(Str a, Str b) {
  return a.len == b.len && strncasecmp(a.data, b.data, a.len) == 0;
}

static bool is_name(Str s, const char *name) {
  return http_same_name(s, (Str){name, strlen(name)});
}

bool http_is_token(Str s) {
  for (size_t i = 0; i < s.len; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if (c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c) != NULL)
      return false;
  }
  return s.len > 0;
}

bool http_is_text(Str s) {
  for (size_t i = 0; i < s.len; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if ((c < ' ' && c != '\t') || c == 0x7f) return false;
  }
  return true;
}

bool http_is_field(Str line) {
  const char *colon = memchr(line.data, ':', line.len);
  return colon != NULL &&
         http_is_token((Str){line.data, (size_t)(colon - line.data)}) &&
         http_is_text(line);
}

// Whether a list with commas has the word.
static bool has_list_word(Str list, const char *word) {
  while (list.len > 0) {
    const char *comma = memchr(list.data, ',', list.len);
    size_t len = comma != NULL ? (size_t)(comma - list.data) : list.len;
    Str one = {list.data, len};
    if (is_name(without_blanks(one), word)) return true;
    len += comma != NULL;
    list = (Str){list.data + len, list.len - len};
  }
  return false;
}

// RFC 3986's characters of a host and a port.
static bool is_host(Str s) {
  for (size_t i = 0; i < s.len; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if (c <= ' ' || c >= 0x7f || strchr("\"#/<>?@\\^`{|}", c) != NULL)
      return false;
  }
  return true;
}

static int64_t decimal_of(Str s) {
  int64_t n = 0;
  if (s.len == 0 || s.len > 18) return -1;
  for (size_t i = 0; i < s.len; i++) {
    if (s.data[i] < '0' || s.data[i] > '9') return -1;
    n = n * 10 + (s.data[i] - '0');
  }
  return n;
}

int64_t http_chunk_size(Str line) {
  int64_t n = 0;
  size_t at = 0;
  for (; at < line.len && hex_digit(line.data[at]) >= 0; at++) {
    if (at == 15) return -1;
    n = n * 16 + hex_digit(line.data[at]);
  }
  if (at == 0) return -1;
  // An extension is passed over, but it may not hide a line's end.
  if (at < line.len && line.data[at] != ';') return -1;
  return http_is_text((Str){line.data + at, line.len - at}) ? n : -1;
}

// --- Fields -----------------------------------------------------------------
static void refuse_head(HttpHead *head, int status, const char *why) {
  if (head->why == NULL) {
    head->status = status;
    head->why = why;
  }
}

static void read_length(HttpHead *head, Str value) {
  if (head->has_length) refuse_head(head, 400, "there are two Content-Lengths");
  head->has_length = true;
  head->length = decimal_of(value);
  if (head->length < 0) refuse_head(head, 400, "Content-Length is no number");
}

static void read_coding(HttpHead *head, Str value) {
  bool once = !head->has_coding && is_name(value, "chunked");
  head->has_coding = true;
  if (!once) refuse_head(head, 400, "Transfer-Encoding is not just chunked");
  if (head->minor == 0)
    refuse_head(head, 400, "HTTP/1.0 has no Transfer-Encoding");
}

static void read_host(HttpHead *head, Str value) {
  if (head->has_host) refuse_head(head, 400, "there are two Hosts");
  head->has_host = true;
  head->host = value;
  if (!is_host(value)) refuse_head(head, 400, "Host is no name of a host");
}

static void read_field(HttpHead *head, HttpField field, bool is_request) {
  if (is_name(field.name, "content-length")) read_length(head, field.value);
  if (is_name(field.name, "transfer-encoding")) read_coding(head, field.value);
  if (is_name(field.name, "connection")) {
    if (has_list_word(field.value, "close")) head->closes = true;
    if (has_list_word(field.value, "keep-alive")) head->keeps = true;
  }
  if (!is_request) return;
  if (is_name(field.name, "host")) read_host(head, field.value);
  if (!is_name(field.name, "expect")) return;
  if (!is_name(field.value, "100-continue"))
    refuse_head(head, 417, "Expect is not 100-continue");
  head->continues = head->minor > 0;  // HTTP/1.0 knows no such answer
}

static void read_fields(HttpHead *head, HttpCursor at, HttpCursor last,
                        bool is_request) {
  HttpCursor from = at;
  for (int count = 0; head->why == NULL && last - at > 2; count++) {
    HttpField field;
    const char *why = NULL;
    at = field_line(at, &field, &why);
    if (why != NULL) refuse_head(head, 400, why);
    if (count == HTTP_FIELDS_MOST) refuse_head(head, 431, "too many fields");
    if (head->why == NULL) read_field(head, field, is_request);
  }
  if (head->why != NULL) return;
  if (last - at != 2 || at[0] != '\r') refuse_head(head, 400, "a line has no CR");
  head->fields = between(from, at);
  if (head->has_coding && head->has_length)
    refuse_head(head, 400, "there are Content-Length and Transfer-Encoding");
  if (head->has_coding) head->length = HTTP_CHUNKED;
  if (head->closes) head->keeps = false;
}

// --- Requests ---------------------------------------------------------------
// http://HOST/PATH is the form that proxies get, and https:// over TLS. Its host
// must be Host's, so that nobody is misled by one of the two.
static Str without_host(HttpHead *head, Str target, bool is_secure) {
  const char *scheme = is_secure ? "https://" : "http://";
  size_t len = strlen(scheme);
  if (target.len < len || strncasecmp(target.data, scheme, len) != 0)
    return target;
  const char *begin = target.data + len, *end = target.data + target.len;
  const char *at = begin;
  while (at < end && *at != '/' && *at != '?') at++;
  head->authority = (Str){begin, (size_t)(at - begin)};
  if (at == begin) refuse_head(head, 400, "the target has no host");
  return (Str){at, (size_t)(end - at)};
}

// Methods in small letters are others.
static bool has_method(const HttpHead *head, const char *name) {
  return head->method.len == strlen(name) &&
         memcmp(head->method.data, name, head->method.len) == 0;
}

static void read_target(HttpHead *head, Str target, bool is_secure) {
  // The client of a 200 would take what follows it for a tunnel.
  if (has_method(head, "CONNECT"))
    refuse_head(head, 501, "there are no tunnels (CONNECT) here");
  target = without_host(head, target, is_secure);
  bool is_star = target.len == 1 && target.data[0] == '*' &&
                 has_method(head, "OPTIONS");
  const char *mark =
      target.len > 0 ? memchr(target.data, '?', target.len) : NULL;
  head->path = target;
  if (mark != NULL) {
    head->path.len = (size_t)(mark - target.data);
    head->query = (Str){mark + 1, target.len - head->path.len - 1};
  }
  if (head->path.len == 0 && head->authority.len > 0)
    head->path = (Str){"/", 1};
  if (head->path.len == 0 || (head->path.data[0] != '/' && !is_star))
    refuse_head(head, 400, "the target is no path");
  else if (memchr(target.data, '#', target.len) != NULL)
    refuse_head(head, 400, "the target has a #");
}

HttpHead http_parse_request(Str text, bool is_secure) {
  HttpHead head = {.keeps = true};
  HttpCursor at = (HttpCursor)text.data, last = at + text.len;
  Str target;
  if (text.len > 2 && at[0] == '\r' && at[1] == '\n') at += 2;
  at = request_line(at, &target, &head);
  if (at == NULL) {
    refuse_head(&head, 400, "the first line is not METHOD PATH HTTP/1.1, with CR LF");
    return head;
  }
  if (head.minor < 0 || head.minor > 9) {
    refuse_head(&head, 505, "the version is not HTTP/1.1 or HTTP/1.0");
    return head;
  }
  head.keeps = head.minor > 0;
  read_target(&head, target, is_secure);
  read_fields(&head, at, last, true);
  if (!head.has_host && head.minor > 0) refuse_head(&head, 400, "there is no Host");
  if (head.authority.len > 0 && !http_same_name(head.authority, head.host))
    refuse_head(&head, 400, "the target has another host than Host");
  return head;
}

// --- Responses --------------------------------------------------------------
bool http_may_begin(Str text) {
  static const char begin[] = "HTTP/";
  size_t len = text.len < strlen(begin) ? text.len : strlen(begin);
  return len == 0 || memcmp(text.data, begin, len) == 0;
}

HttpHead http_parse_response(Str text) {
  HttpHead head = {.length = HTTP_TO_END};
  if (!http_may_begin(text)) {
    head.why = "it does not begin with HTTP/, so it is no HTTP";
    return head;
  }
  HttpCursor at = (HttpCursor)text.data, last = at + text.len;
  at = status_line(at, &head);
  if (at == NULL || head.minor < 0 || head.minor > 9 || head.status < 100) {
    head.why = "the first line is not HTTP/1.1 and a status, with CR LF";
  } else {
    head.keeps = head.minor > 0;
    read_fields(&head, at, last, false);
  }
  if (head.why != NULL) head.status = 0;
  return head;
}

bool http_next_field(Str *fields, HttpField *field) {
  const char *why = NULL;
  if (fields->len == 0) return false;
  HttpCursor at = (HttpCursor)fields->data;
  at = field_line(at, field, &why);
  if (at == NULL) return false;
  size_t len = (size_t)((const char *)at - fields->data);
  *fields = (Str){(const char *)at, fields->len - len};
  return true;
}
