// SPDX-License-Identifier: MIT
// Writing heads of messages of HTTP/1.1. A name or value that would end its
// line, and so begin another field or message, is refused here.
#include <stdio.h>

#include "stdlib/http.h"

// Bits of `flags`.
enum { HEAD_CLOSES = 1, HEAD_KEEPS_OLD = 2 };

// --- Status codes -----------------------------------------------------------
typedef struct StatusText {
  int status;
  const char *text;
} StatusText;

// RFC 9110, 15, and RFC 6585.
static const StatusText status_texts[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
};

// "": a status without a name.
static const char *text_of_status(int64_t status) {
  size_t low = 0, high = sizeof status_texts / sizeof *status_texts;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (status_texts[middle].status < status) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  bool found = low < sizeof status_texts / sizeof *status_texts &&
               status_texts[low].status == status;
  return found ? status_texts[low].text : "";
}

// (status): its name, or "".
CspStatus http_status_text(CspCall *call) {
  int64_t status;
  if (!csp_need_int(call, 0, &status)) return CSP_PANIC;
  const char *text = text_of_status(status);
  return csp_ok_string(call, text, strlen(text));
}

// --- Dates ------------------------------------------------------------------
enum { DATE_LEN = 29 };

static void two_digits(char *to, int n) {
  to[0] = (char)('0' + n / 10);
  to[1] = (char)('0' + n % 10);
}

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7). The date is Hinnant's
// "days from civil", turned around.
static void write_date(char *to, int64_t seconds) {
  static const char days[] = "ThuFriSatSunMonTueWed";
  static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  int64_t day = seconds / 86400, rest = seconds % 86400;
  int64_t shifted = day + 719468, era = shifted / 146097;
  int64_t of_era = shifted - era * 146097;
  int64_t year =
      (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  int64_t month = (5 * of_year + 2) / 153;
  int date = (int)(of_year - (153 * month + 2) / 5 + 1);
  int real_month = (int)(month < 10 ? month + 3 : month - 9);
  int real_year = (int)(year + era * 400 + (real_month <= 2 ? 1 : 0));
  memcpy(to, "Thu, 01 Jan 1970 00:00:00 GMT", DATE_LEN);
  memcpy(to, days + 3 * (day % 7), 3);
  two_digits(to + 5, date);
  memcpy(to + 8, months + 3 * (real_month - 1), 3);
  two_digits(to + 12, real_year / 100);
  two_digits(to + 14, real_year % 100);
  two_digits(to + 17, (int)(rest / 3600));
  two_digits(to + 20, (int)(rest / 60 % 60));
  two_digits(to + 23, (int)(rest % 60));
}

// (seconds since 1970): a date as HTTP has it.
CspStatus http_date(CspCall *call) {
  int64_t seconds;
  char text[DATE_LEN];
  if (!need_int_in(call, 0, 0, 253402300799, &seconds)) return CSP_PANIC;
  write_date(text, seconds);
  return csp_ok_string(call, text, DATE_LEN);
}

// --- Fields -----------------------------------------------------------------
// What http writes itself, or where a wrong value would end the message
// elsewhere than the other side thinks.
static bool is_of_http(Str name) {
  static const char *const names[] = {"content-length", "transfer-encoding",
                                      "connection"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (http_same_name(name, (Str){names[i], strlen(names[i])})) return true;
  return false;
}

static void head_text(Buffer *out, const char *text) {
  buffer_add(out, text, strlen(text));
}

static void add_field(Buffer *out, Str name, Str value) {
  buffer_add(out, name.data, name.len);
  buffer_add(out, ": ", 2);
  buffer_add(out, value.data, value.len);
  buffer_add(out, "\r\n", 2);
}

static void add_named(Buffer *out, const char *name, const char *value) {
  add_field(out, (Str){name, strlen(name)}, (Str){value, strlen(value)});
}

// false: panicked.
static bool check_field(CspCall *call, CspValue name, CspValue value) {
  if (csp_type(name) != CSP_STRING || csp_type(value) != CSP_STRING) {
    csp_panic(call, "http: names and values of header fields must be strings");
    return false;
  }
  Str n = str_of(name), v = str_of(value);
  if (!http_is_token(n)) {
    bad_string(call, "http: the name of a header field", "a word", n);
    return false;
  }
  if (is_of_http(n)) {
    csp_panic(call, "http: the header field %.*s is written by http itself",
              (int)n.len, n.data);
    return false;
  }
  if (http_is_text(v)) return true;
  csp_panic(call,
            "http: the value of the header field %.*s must be one line without "
            "control characters",
            (int)n.len, n.data);
  return false;
}

// What http would write, unless the headers have it, be it nil.
typedef struct HeadGiven {
  bool type, date;
} HeadGiven;

static void note_given(HeadGiven *given, CspValue name) {
  if (csp_type(name) != CSP_STRING) return;
  if (http_same_name(str_of(name), (Str){"content-type", 12}))
    given->type = true;
  if (http_same_name(str_of(name), (Str){"date", 4})) given->date = true;
}

// One field for each value of a list.
static bool add_values(CspCall *call, Buffer *out, CspValue name,
                       CspValue value) {
  bool is_list = csp_type(value) == CSP_LIST;
  size_t count = is_list ? csp_list_len(value) : 1;
  for (size_t i = 0; i < count; i++) {
    CspValue one = is_list ? csp_list_get(value, i) : value;
    if (!check_field(call, name, one)) return false;
    add_field(out, str_of(name), str_of(one));
  }
  return true;
}

// The map's fields, whose values are strings or lists of them.
static bool add_map(CspCall *call, Buffer *out, CspValue map,
                    HeadGiven *given) {
  CspIter iter = {{0}};
  CspValue name, value;
  if (csp_type(map) != CSP_MAP) return true;
  while (csp_map_next(call, map, &iter, &name, &value)) {
    note_given(given, name);
    if (csp_type(value) == CSP_NIL) continue;
    if (!add_values(call, out, name, value)) return false;
  }
  return true;
}

// --- Heads ------------------------------------------------------------------
static void add_number(Buffer *out, int64_t n) {
  char digits[24];
  int len = snprintf(digits, sizeof digits, "%lld", (long long)n);
  buffer_add(out, digits, (size_t)len);
}

// length: HTTP_CHUNKED, or HTTP_TO_END for none.
static void head_length(Buffer *out, int64_t length) {
  if (length == HTTP_CHUNKED) add_named(out, "Transfer-Encoding", "chunked");
  if (length < 0) return;
  head_text(out, "Content-Length: ");
  add_number(out, length);
  head_text(out, "\r\n");
}

static void add_now(CspCall *call, Buffer *out) {
  char date[DATE_LEN];
  write_date(date, csp_wall_clock(call) / 1000000000);
  add_field(out, (Str){"Date", 4}, (Str){date, DATE_LEN});
}

static CspStatus head_done(CspCall *call, Buffer *out) {
  buffer_add(out, "\r\n", 2);
  return buffer_ok(call, out);
}

// (status, type, headers, length, flags): the head as a string. type: that of
// the content, unless the headers have one, or nil.
CspStatus http_response_head(CspCall *call) {
  int64_t status, length, flags;
  Buffer out = buffer_of(call);
  HeadGiven given = {0};
  if (!need_int_in(call, 0, 100, 999, &status) ||
      !csp_need_int(call, 3, &length) || !csp_need_int(call, 4, &flags))
    return CSP_PANIC;
  buffer_reserve(&out, 256);
  head_text(&out, "HTTP/1.1 ");
  add_number(&out, status);
  head_text(&out, " ");
  head_text(&out, text_of_status(status));
  head_text(&out, "\r\n");
  if (!add_map(call, &out, csp_arg(call, 2), &given)) {
    buffer_free(&out);
    return CSP_PANIC;
  }
  if (!given.type && csp_type(csp_arg(call, 1)) == CSP_STRING)
    add_field(&out, (Str){"Content-Type", 12}, str_of(csp_arg(call, 1)));
  if (!given.date) add_now(call, &out);
  head_length(&out, length);
  if (flags & HEAD_CLOSES) add_named(&out, "Connection", "close");
  if (flags & HEAD_KEEPS_OLD) add_named(&out, "Connection", "keep-alive");
  return head_done(call, &out);
}

// Printable ASCII without spaces: what cannot end a part of a line.
static bool is_part(Str s) {
  for (size_t i = 0; i < s.len; i++)
    if (s.data[i] <= ' ' || s.data[i] >= 0x7f) return false;
  return s.len > 0;
}

// (text): whether it may stand in the first line of a request.
CspStatus http_is_target(CspCall *call) {
  Str text;
  if (!need_str(call, 0, &text)) return CSP_PANIC;
  csp_charge(call, text.len / 4);
  return csp_ok_bool(call, is_part(text));
}

// (method, target, host, headers, length, flags): the head as a string.
CspStatus http_request_head(CspCall *call) {
  Str method, target, host;
  int64_t length, flags;
  Buffer out = buffer_of(call);
  HeadGiven given = {0};
  if (!need_str(call, 0, &method) || !need_str(call, 1, &target) ||
      !need_str(call, 2, &host) || !csp_need_int(call, 4, &length) ||
      !csp_need_int(call, 5, &flags))
    return CSP_PANIC;
  if (!http_is_token(method))
    return bad_string(call, "http: method", "a word", method);
  if (!is_part(target) || !is_part(host))
    return csp_panic(call,
                     "http: the target and Host must be ASCII without spaces");
  buffer_add(&out, method.data, method.len);
  head_text(&out, " ");
  buffer_add(&out, target.data, target.len);
  head_text(&out, " HTTP/1.1\r\n");
  add_field(&out, (Str){"Host", 4}, host);
  if (!add_map(call, &out, csp_arg(call, 3), &given)) {
    buffer_free(&out);
    return CSP_PANIC;
  }
  head_length(&out, length);
  if (flags & HEAD_CLOSES) add_named(&out, "Connection", "close");
  return head_done(call, &out);
}

// (headers): panics if they cannot be written, where they are set.
CspStatus http_check_headers(CspCall *call) {
  Buffer out = buffer_of(call);
  HeadGiven given = {0};
  CspValue headers;
  if (!csp_need_type(call, 0, CSP_MAP, &headers)) return CSP_PANIC;
  bool good = add_map(call, &out, headers, &given);
  buffer_free(&out);
  return good ? csp_ok_nothing(call) : CSP_PANIC;
}

// --- Logs -------------------------------------------------------------------
// (text): what may stand within quotes in a line of a log. Quotes, backslashes,
// controls and bytes that are not ASCII become \xHH, as nginx writes them.
CspStatus http_log_text(CspCall *call) {
  static const char digits[] = "0123456789ABCDEF";
  Str text;
  Buffer out = buffer_of(call);
  if (!need_str(call, 0, &text)) return CSP_PANIC;
  buffer_reserve(&out, text.len);
  for (size_t i = 0; i < text.len; i++) {
    uint8_t c = (uint8_t)text.data[i];
    char escaped[] = {'\\', 'x', digits[c >> 4], digits[c & 15]};
    bool plain = c >= ' ' && c < 127 && c != '"' && c != '\\';
    buffer_add(&out, plain ? text.data + i : escaped, plain ? 1 : 4);
  }
  csp_charge(call, text.len / 8);
  return buffer_ok(call, &out);
}
