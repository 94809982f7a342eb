// SPDX-License-Identifier: MIT
// What the natives of the module http show each other: heads of messages, and
// the routes of a server. http.csp has the rest of the module.
#ifndef CSP_STDLIB_HTTP_H
#define CSP_STDLIB_HTTP_H

#include "stdlib/stdlib.h"

// --- http_head.re -----------------------------------------------------------
enum {
  HTTP_FIELDS_MOST = 100,
  HTTP_CHUNKED = -1,  // lengths of bodies
  HTTP_TO_END = -2,
};

// The head of a message. What is not there has no data. Texts stand in what was
// parsed.
typedef struct HttpHead {
  int status;  // of a response. Of a request: 0, or why it is refused
  const char *why;
  Str method, path, query;
  Str authority, host;  // of the target, and of Host
  Str reason;           // of a response
  int minor;            // of HTTP/1.x
  Str fields;           // all lines of fields, each with its end
  int64_t length;
  bool keeps;      // the connection serves another message after this one
  bool closes;     // it says that it does not
  bool continues;  // Expect: 100-continue
  bool has_host, has_length, has_coding;
} HttpHead;

// The text ends with a line's end, or http_may_begin is false. is_secure: it
// came over TLS. A request that is refused has a status from 400 on. A response
// that is refused has the status 0.
HttpHead http_parse_request(Str text, bool is_secure);
HttpHead http_parse_response(Str text);
// Whether the first bytes of a response may begin as these do.
bool http_may_begin(Str text);

typedef struct HttpField {
  Str name, value;
} HttpField;
// The next of some fields that were parsed before. false: there is none.
bool http_next_field(Str *fields, HttpField *field);
bool http_same_name(Str a, Str b);  // whatever the case of ASCII letters is
bool http_is_token(Str s);
bool http_is_text(Str s);      // without control characters but tabs
bool http_is_field(Str line);  // without its end
// The size that begins a chunk, of a line without its end. < 0: there is none.
int64_t http_chunk_size(Str line);

// --- http_read.c ------------------------------------------------------------
CspStatus http_read_request(CspCall *call);
CspStatus http_read_response(CspCall *call);
CspStatus http_read_line(CspCall *call);
CspStatus http_await_end(CspCall *call);
CspStatus http_read_size(CspCall *call);
CspStatus http_take_chunks(CspCall *call);
// The data of the chunks that follow another one in the text, `most` bytes at
// most, goes to `to`, unless that is NULL. Gives its length. `left` is what
// follows, and `spare` by how many bytes the chunks' lines are shorter than
// HTTP_USUAL_LINE, which none exceeds.
enum { HTTP_USUAL_LINE = 16 };
size_t http_join_chunks(Str *left, size_t most, char *to, int64_t *spare);
CspStatus http_is_field_line(CspCall *call);
CspStatus http_end_if_idle(CspCall *call);
CspStatus http_claim(CspCall *call);
CspStatus http_is_quiet(CspCall *call);
CspStatus http_field(CspCall *call);
CspStatus http_fields(CspCall *call);

// --- http_write.c -----------------------------------------------------------
CspStatus http_date(CspCall *call);
CspStatus http_check_headers(CspCall *call);
CspStatus http_is_target(CspCall *call);
CspStatus http_response_head(CspCall *call);
CspStatus http_request_head(CspCall *call);
CspStatus http_status_text(CspCall *call);
CspStatus http_log_text(CspCall *call);

// --- http_routes.c ----------------------------------------------------------
extern const CspClass http_routes_class;
CspStatus http_new_routes(CspCall *call);
CspStatus http_add_route(CspCall *call);
CspStatus http_find_route(CspCall *call);
CspStatus http_unescape(CspCall *call);

#endif
