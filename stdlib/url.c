// SPDX-License-Identifier: MIT
// The module url: taking URLs apart (RFC 3986), and escapes. url.csp makes the
// struct of the parts, and puts them together.
//
// A text that two programs could read differently is refused, because what one
// of them checks the other might not fetch. So nothing is corrected or guessed.
// Parts stay as they stand in the text, with their escapes. Only the scheme and
// the host are made lower case, and the port is a number.
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "stdlib/text_job.h"

enum {
  URL_MOST = 1 << 16,  // bytes
  URL_PIECE = 1 << 12,
  URL_BYTE_NS = 4
};

// What may stand in a part besides escapes.
enum {
  PLAIN = 1,   // letters, digits, - . _ ~
  DELIMS = 2,  // ! $ & ' ( ) * + , ; =
  COLON = 4,
  AT = 8,
  SLASH = 16,
  QUESTION = 32,
  ESCAPES = 64,
  PATH = PLAIN | DELIMS | COLON | AT | SLASH | ESCAPES
};

// What is not there has no data.
typedef struct UrlParts {
  Str scheme, user, host, port, path, query, fragment;
} UrlParts;

typedef struct UrlText {
  CspCall *call;
  const char *begin;
  bool panicked;  // else `wrong` and `why` say why it is refused
  size_t wrong;
  char why[200];
} UrlText;

// --- Characters -------------------------------------------------------------
static bool is_letter(char c) {
  char low = (char)(c | 32);
  return low >= 'a' && low <= 'z';
}

static bool is_url_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_unreserved(char c) {
  return is_letter(c) || is_url_digit(c) || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

static bool is_one_of(char c, const char *some) {
  return c != '\0' && strchr(some, c) != NULL;
}

static unsigned kind_of(char c) {
  if (is_unreserved(c)) return PLAIN;
  switch (c) {
    case ':':
      return COLON;
    case '@':
      return AT;
    case '/':
      return SLASH;
    case '?':
      return QUESTION;
    default:
      return is_one_of(c, "!$&'()*+,;=") ? DELIMS : 0;
  }
}

// --- What is wrong ----------------------------------------------------------
__attribute__((format(printf, 3, 4))) static bool url_refuse(UrlText *text,
                                                             const char *where,
                                                             const char *format,
                                                             ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(text->why, sizeof text->why, format, args);
  va_end(args);
  text->wrong = (size_t)(where - text->begin);
  return false;
}

// kinds: of what may stand there.
static bool refuse_byte(UrlText *text, const char *where, unsigned kinds,
                        const char *part) {
  unsigned char c = (unsigned char)*where;
  bool shown = c > ' ' && c < 0x7f;
  if (!shown && (kinds & ESCAPES))
    return url_refuse(text, where,
                      "the byte 0x%02x must be written as %%%02X in %s", c, c,
                      part);
  if (!shown)
    return url_refuse(text, where, "the byte 0x%02x cannot stand in %s", c,
                      part);
  return url_refuse(text, where, "`%c` cannot stand in %s", c, part);
}

// All of the part is what may stand there.
static bool check_part(UrlText *text, Str s, unsigned kinds, const char *part) {
  for (size_t at = 0; at < s.len; at++) {
    if (at % URL_PIECE == URL_PIECE - 1 &&
        !csp_work(text->call, URL_PIECE * URL_BYTE_NS)) {
      text->panicked = true;
      return false;
    }
    char c = s.data[at];
    if (kind_of(c) & kinds) continue;
    if (c != '%' || !(kinds & ESCAPES))
      return refuse_byte(text, s.data + at, kinds, part);
    if (s.len - at < 3 || hex_digit(s.data[at + 1]) < 0 ||
        hex_digit(s.data[at + 2]) < 0)
      return url_refuse(text, s.data + at,
                        "two hexadecimal digits should follow the `%%`");
    at += 2;
  }
  return true;
}

// --- Hosts and ports --------------------------------------------------------
// Whether other programs take the host for an IPv4 address, which they write in
// many ways: its last part is a number.
static bool ends_in_number(Str host) {
  if (host.len > 0 && host.data[host.len - 1] == '.') host.len--;
  size_t from = host.len;
  while (from > 0 && host.data[from - 1] != '.') from--;
  Str last = {host.data + from, host.len - from};
  bool hex = last.len >= 2 && last.data[0] == '0' && (last.data[1] | 32) == 'x';
  for (size_t n = hex ? 2 : 0; n < last.len; n++)
    if (hex ? hex_digit(last.data[n]) < 0 : !is_url_digit(last.data[n]))
      return false;
  return last.len > 0;
}

// Four numbers, none of which begins with a 0 that is not all of it.
static bool is_ipv4(Str s) {
  size_t at = 0;
  for (int n = 0; n < 4; n++) {
    if (n > 0 && (at == s.len || s.data[at++] != '.')) return false;
    size_t from = at;
    int number = 0;
    for (; at < s.len && at - from < 3 && is_url_digit(s.data[at]); at++)
      number = number * 10 + s.data[at] - '0';
    if (at == from || number > 255 || (s.data[from] == '0' && at - from > 1))
      return false;
  }
  return at == s.len;
}

// Eight groups of up to four digits, of which `::` stands for one or more once,
// and an IPv4 address for the last two.
static bool is_ipv6(Str s) {
  bool gap = s.len >= 2 && s.data[0] == ':' && s.data[1] == ':';
  size_t at = gap ? 2 : 0;
  int groups = 0;
  while (at < s.len && groups < 8) {
    size_t from = at;
    while (at < s.len && at - from < 5 && hex_digit(s.data[at]) >= 0) at++;
    if (at < s.len && s.data[at] == '.') {
      if (!is_ipv4((Str){s.data + from, s.len - from})) return false;
      return gap ? groups < 6 : groups == 6;
    }
    if (at == from || at - from > 4) return false;
    groups++;
    if (at == s.len) break;
    if (s.data[at++] != ':' || at == s.len) return false;
    if (s.data[at] != ':') continue;
    if (gap) return false;
    gap = true;
    at++;
  }
  return at == s.len && (gap ? groups < 8 : groups == 8);
}

static bool check_name(UrlText *text, Str host) {
  const char *escape = memchr(host.data, '%', host.len);
  if (escape != NULL) return url_refuse(text, escape, "a host has no escapes");
  if (!check_part(text, host, PLAIN | DELIMS, "a host")) return false;
  return !ends_in_number(host) || is_ipv4(host) ||
         url_refuse(text, host.data,
                    "a host that ends in a number must be an IPv4 address of "
                    "four decimal numbers");
}

// The host is in brackets, and the rest follows them.
static bool take_ipv6(UrlText *text, Str s, Str *host, Str *rest) {
  const char *end = memchr(s.data, ']', s.len);
  if (end == NULL)
    return url_refuse(text, s.data, "the `[` of a host has no `]`");
  *host = (Str){s.data + 1, (size_t)(end - s.data) - 1};
  *rest = (Str){end + 1, (size_t)(s.data + s.len - end) - 1};
  if (!is_ipv6(*host))
    return url_refuse(text, host->data, "that is no IPv6 address");
  return rest->len == 0 || *rest->data == ':' ||
         url_refuse(text, rest->data, "a colon and the port should follow `]`");
}

// One that begins with 0 could be meant to be octal.
static bool check_port(UrlText *text, Str port) {
  unsigned n = 0;
  for (size_t at = 0; at < port.len; at++) {
    if (!is_url_digit(port.data[at]))
      return url_refuse(text, port.data + at,
                        "a port has no other characters than digits");
    n = n * 10 + (unsigned)(port.data[at] - '0');
    if (n > 65535)
      return url_refuse(text, port.data, "a port is at most 65535");
  }
  return port.len < 2 || *port.data != '0' ||
         url_refuse(text, port.data, "a port does not begin with 0");
}

// As in file:///etc. Browsers read http:///a and ///a as the host a.
static bool host_may_be_empty(Str scheme) {
  static const char *const hosted[] = {"http", "https", "ws", "wss", "ftp"};
  for (size_t n = 0; n < sizeof hosted / sizeof *hosted; n++)
    if (strlen(hosted[n]) == scheme.len &&
        strncasecmp(hosted[n], scheme.data, scheme.len) == 0)
      return false;
  return scheme.len > 0;
}

static bool take_authority(UrlText *text, Str s, UrlParts *parts) {
  Str host = s, rest = {NULL, 0};
  const char *end = memchr(s.data, '@', s.len);
  if (end != NULL) {
    parts->user = (Str){s.data, (size_t)(end - s.data)};
    host = (Str){end + 1, s.len - parts->user.len - 1};
    if (!check_part(text, parts->user, PLAIN | DELIMS | COLON | ESCAPES,
                    "the name of a user"))
      return false;
    if ((end = memchr(host.data, '@', host.len)) != NULL)
      return url_refuse(text, end, "there is a second `@`");
  }
  if (host.len > 0 && *host.data == '[') {
    if (!take_ipv6(text, host, &parts->host, &rest)) return false;
  } else {
    end = memchr(host.data, ':', host.len);
    size_t len = end != NULL ? (size_t)(end - host.data) : host.len;
    parts->host = (Str){host.data, len};
    rest = (Str){host.data + len, host.len - len};
    if (!check_name(text, parts->host)) return false;
  }
  if (parts->host.len == 0 && (s.len > 0 || !host_may_be_empty(parts->scheme)))
    return url_refuse(text, host.data, "there is no host");
  if (rest.len > 1) parts->port = (Str){rest.data + 1, rest.len - 1};
  return check_port(text, parts->port);
}

// --- All parts --------------------------------------------------------------
// The bytes before the first that is one of `ends`, which *left then begins
// with.
static Str take_until(Str *left, const char *ends) {
  Str taken = {left->data, 0};
  while (taken.len < left->len && !is_one_of(left->data[taken.len], ends))
    taken.len++;
  *left = (Str){left->data + taken.len, left->len - taken.len};
  return taken;
}

static bool take_scheme(UrlText *text, Str *left, UrlParts *parts) {
  Str rest = *left, name = take_until(&rest, ":/?#");
  if (rest.len == 0 || *rest.data != ':') return true;
  for (size_t n = 0; n < name.len; n++) {
    char c = name.data[n];
    bool fine =
        is_letter(c) ||
        (n > 0 && (is_url_digit(c) || c == '+' || c == '-' || c == '.'));
    if (!fine) return refuse_byte(text, name.data + n, PLAIN, "a scheme");
  }
  if (name.len == 0)
    return url_refuse(text, left->data, "there is no scheme before the colon");
  parts->scheme = name;
  *left = (Str){rest.data + 1, rest.len - 1};
  return true;
}

static bool take_parts(UrlText *text, Str s, UrlParts *parts) {
  if (!take_scheme(text, &s, parts)) return false;
  if (s.len >= 2 && s.data[0] == '/' && s.data[1] == '/') {
    s = (Str){s.data + 2, s.len - 2};
    if (!take_authority(text, take_until(&s, "/?#"), parts)) return false;
  }
  parts->path = take_until(&s, "?#");
  if (!check_part(text, parts->path, PATH, "a path")) return false;
  if (s.len > 0 && *s.data == '?') {
    s = (Str){s.data + 1, s.len - 1};
    parts->query = take_until(&s, "#");
    if (!check_part(text, parts->query, PATH | QUESTION, "a query"))
      return false;
  }
  if (s.len == 0) return true;
  parts->fragment = (Str){s.data + 1, s.len - 1};
  return check_part(text, parts->fragment, PATH | QUESTION, "a fragment");
}

static CspValue part_value(CspCall *call, Str part) {
  return part.data != NULL ? csp_string(call, part.data, part.len) : csp_nil();
}

// In lower case. Names of hosts may be long.
static CspValue part_low(CspCall *call, Str part) {
  char *to;
  if (part.data == NULL) return csp_nil();
  CspValue v = csp_string_room(call, part.len, &to);
  for (size_t n = 0; n < part.len && !csp_is_undef(v); n++) {
    char c = part.data[n];
    to[n] = (char)(c >= 'A' && c <= 'Z' ? c | 32 : c);
  }
  return v;
}

static CspValue port_value(CspCall *call, Str port) {
  int64_t n = 0;
  if (port.data == NULL) return csp_nil();
  for (size_t at = 0; at < port.len; at++) n = n * 10 + port.data[at] - '0';
  return csp_int(call, n);
}

// _split(text): ([scheme, user, host, port, path, query, fragment], nil) or
// (nil, error).
static CspStatus url_split(CspCall *call) {
  Str s;
  UrlParts parts = {0};
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  if (s.len > URL_MOST)
    return csp_ok_coded(call, "limit", "url: the text has more than %d bytes",
                        (int)URL_MOST);
  UrlText text = {.call = call, .begin = s.data};
  if (!take_parts(&text, s, &parts))
    return text.panicked ? CSP_PANIC
                         : csp_ok_coded(call, "syntax", "url: at %zu: %s",
                                        text.wrong, text.why);
  CspValue values[] = {
      part_low(call, parts.scheme),    part_value(call, parts.user),
      part_low(call, parts.host),      port_value(call, parts.port),
      part_value(call, parts.path),    part_value(call, parts.query),
      part_value(call, parts.fragment)};
  enum { COUNT = sizeof values / sizeof *values };
  CspValue list = csp_list(call, COUNT);
  for (int n = 0; n < COUNT; n++)
    if (!csp_list_push(call, list, values[n])) return CSP_PANIC;
  if (!csp_work(call, s.len)) return CSP_PANIC;
  return csp_ok_value(call, list);
}

// --- Dots in paths ----------------------------------------------------------
// Where the last segment of what was written begins: at its slash.
static size_t last_segment(const char *to, size_t len) {
  while (len > 0 && to[len - 1] != '/') len--;
  return len > 0 ? len - 1 : 0;
}

// RFC 3986, 5.2.4: the path without its segments `.` and `..`. Each turn takes
// one segment with the slash before it. Returns the bytes written.
static size_t remove_dots(Str s, char *to) {
  size_t at = 0, len = 0;
  while (at < s.len && s.data[at] == '.') {  // "./" and "../" at its beginning
    size_t dots = at + 1 < s.len && s.data[at + 1] == '.' ? 2 : 1;
    if (at + dots < s.len && s.data[at + dots] != '/') break;
    at += at + dots < s.len ? dots + 1 : dots;
  }
  while (at < s.len) {
    size_t end = at + 1;
    while (end < s.len && s.data[end] != '/') end++;
    Str name = {s.data + at, end - at};
    bool one = name.len == 2 && memcmp(name.data, "/.", 2) == 0;
    bool two = name.len == 3 && memcmp(name.data, "/..", 3) == 0;
    if (two) len = last_segment(to, len);
    if ((one || two) && end == s.len) to[len++] = '/';
    if (!one && !two) memcpy(to + len, name.data, name.len);
    if (!one && !two) len += name.len;
    at = end;
  }
  return len;
}

// _clean(path)
static CspStatus url_clean(CspCall *call) {
  Str s;
  char *to;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  if (s.len > 2 * URL_MOST) return csp_bad_arg(call, 0, "shorter");
  CspValue v = csp_string_room(call, s.len, &to);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  csp_cut_room(v, remove_dots(s, to));
  if (!csp_work(call, s.len * URL_BYTE_NS)) return CSP_PANIC;
  return csp_ok(call, v);
}

// --- Escapes ----------------------------------------------------------------
static void add_url_escape(TextJob *job, unsigned char c) {
  static const char digits[] = "0123456789ABCDEF";
  char escape[] = {'%', digits[c >> 4], digits[c & 15]};
  buffer_add(&job->text, escape, sizeof escape);
}

// `flag` is whether the text is of a form, in which a space is a plus sign.
static bool encode_turns(TextJob *job) {
  while (job->at < job->s.len && !text_job_full(job)) {
    size_t from = job->at, most = from + TEXT_JOB_SHORT;
    if (most > job->s.len) most = job->s.len;
    while (job->at < most && is_unreserved(job->s.data[job->at])) job->at++;
    text_job_add(job, (Str){job->s.data + from, job->at - from});
    job->took += (job->at - from) * 2;
    if (job->at == most) continue;
    unsigned char c = (unsigned char)job->s.data[job->at++];
    if (c == ' ' && job->flag)
      buffer_add_char(&job->text, '+');
    else
      add_url_escape(job, c);
    job->took += 8;
  }
  return job->at < job->s.len;
}

// encode(text, form = false)
static CspStatus url_encode(CspCall *call) {
  TextJob job = text_job_of(call, encode_turns);
  if (!need_str(call, 0, &job.s) || !opt_bool(call, 1, false, &job.flag))
    return CSP_PANIC;
  return text_job_run(&job);
}

enum { IN_SCHEME, IN_HOST, IN_PATH };

// `seen` moves on to the first of `ends`, or to the end. false: the piece is
// full before.
static bool seen_until(TextJob *job, const char *ends) {
  while (job->seen < job->s.len && !is_one_of(job->s.data[job->seen], ends)) {
    if (text_job_full(job)) return false;
    job->seen++;
    job->took++;
  }
  return true;
}

// Moves `seen` to where the path begins, what is before which has no escapes,
// and `n` to IN_PATH. false: the piece is full before.
static bool find_path(TextJob *job) {
  Str s = job->s;
  if (job->n == IN_SCHEME) {
    if (!seen_until(job, ":/?#")) return false;
    size_t at =
        job->seen < s.len && s.data[job->seen] == ':' ? job->seen + 1 : 0;
    bool hosted = s.len - at >= 2 && s.data[at] == '/' && s.data[at + 1] == '/';
    job->seen = hosted ? at + 2 : 0;
    job->n = hosted ? IN_HOST : IN_PATH;
  }
  if (job->n == IN_HOST && !seen_until(job, "/?#")) return false;
  job->n = IN_PATH;
  return true;
}

static bool is_escape(Str s, size_t at) {
  return s.len - at > 2 && s.data[at] == '%' &&
         hex_digit(s.data[at + 1]) >= 0 && hex_digit(s.data[at + 2]) >= 0;
}

// `seen` is where the path begins, and `flag` whether the fragment has begun.
static bool url_escape_turns(TextJob *job) {
  if (!find_path(job)) return true;
  while (job->at < job->s.len && !text_job_full(job)) {
    char c = job->s.data[job->at];
    bool stays = job->at < job->seen || kind_of(c) != 0 ||
                 is_escape(job->s, job->at) || (c == '#' && !job->flag);
    if (c == '#') job->flag = true;
    if (stays)
      buffer_add_char(&job->text, c);
    else
      add_url_escape(job, (unsigned char)c);
    job->at++;
    job->took += 8;
  }
  return job->at < job->s.len;
}

// escape(text)
static CspStatus url_escape(CspCall *call) {
  TextJob job = text_job_of(call, url_escape_turns);
  if (!need_str(call, 0, &job.s)) return CSP_PANIC;
  return text_job_run(&job);
}

// The byte that begins at `at`, which moves on. -1: that is none.
static int decode_byte(TextJob *job) {
  Str s = job->s;
  unsigned char c = (unsigned char)s.data[job->at];
  if (c == '+' && job->flag) c = ' ';
  if (c != '%') {
    job->at++;
    return c;
  }
  int high = s.len - job->at > 2 ? hex_digit(s.data[job->at + 1]) : -1;
  int low = high < 0 ? -1 : hex_digit(s.data[job->at + 2]);
  if (low < 0) return -1;
  job->at += 3;
  return high << 4 | low;
}

// Where `n` is not negative, what stands there is wrong.
static bool decode_turns(TextJob *job) {
  while (job->at < job->s.len && !text_job_full(job)) {
    unsigned char c = (unsigned char)job->s.data[job->at];
    int byte = c <= ' ' || c == 0x7f ? -1 : decode_byte(job);
    if (byte < 0) {
      job->n = (int64_t)job->at;
      return false;
    }
    buffer_add_char(&job->text, (char)byte);
    job->took += 8;
  }
  return job->at < job->s.len;
}

static CspStatus decode_done(CspCall *call, TextJob *job, CspValue text) {
  if (job->n < 0) return csp_ok_value(call, text);
  UrlText wrong = {.call = call, .begin = job->s.data};
  const char *where = job->s.data + job->n;
  if (*where == '%')
    url_refuse(&wrong, where, "two hexadecimal digits should follow the `%%`");
  else
    refuse_byte(&wrong, where, PATH, "escaped text");
  return csp_ok_coded(call, "syntax", "url: at %zu: %s", wrong.wrong,
                      wrong.why);
}

// decode(text, form = false): (string, nil) or (nil, error)
static CspStatus url_decode(CspCall *call) {
  TextJob job = text_job_of(call, decode_turns);
  if (!need_str(call, 0, &job.s) || !opt_bool(call, 1, false, &job.flag))
    return CSP_PANIC;
  job.n = -1;
  job.done = decode_done;
  return text_job_run(&job);
}

// --- The module -------------------------------------------------------------
static const CspFunction url_functions[] = {
    CSP_REPEATABLE,
    {"encode", "text, form = false", url_encode},
    {"decode", "text, form = false", url_decode},
    {"escape", "text", url_escape},
    {"_split", "text", url_split},
    {"_clean", "path", url_clean},
    {NULL, NULL, NULL},
};

const CspModule url_module = {"url", url_functions, NULL, NULL, 0};
