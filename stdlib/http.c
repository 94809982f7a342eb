// SPDX-License-Identifier: MIT
// The module http: its table. http.csp has the server and the client.
#include "stdlib/http.h"

#include "stdlib/given.h"

// (text, code): an error. In http.csp `error` is the module's own function.
static CspStatus http_error(CspCall *call) {
  return csp_ok(call, csp_error_coded(call, csp_arg(call, 0), csp_nil(),
                                      csp_arg(call, 1)));
}

// --- What other modules give ------------------------------------------------
// The modules tls and zlib tell what they can do when they are imported. So a
// program that does without them does not load them.
static const CspClass given_tls_class = {"http's tls", NULL, sizeof(GivenValue),
                                         NULL};
static const CspClass given_zlib_class = {"http's zlib", NULL,
                                          sizeof(GivenValue), NULL};

// (client, server): what makes a connection secure. It is called once.
static CspStatus http_give_tls(CspCall *call) {
  CspValue both[] = {csp_arg(call, 0), csp_arg(call, 1)};
  return given_set(call, &given_tls_class, csp_tuple(call, both, 2));
}

static CspStatus http_tls(CspCall *call) {
  return given_get(call, &given_tls_class);
}

// (functions): a tuple, whose order zlib.csp tells. It is called once.
static CspStatus http_give_zlib(CspCall *call) {
  return given_set(call, &given_zlib_class, csp_arg(call, 0));
}

static CspStatus http_zlib(CspCall *call) {
  return given_get(call, &given_zlib_class);
}

static const CspFunction http_hidden[] = {
    {"_give_tls", "client, server", http_give_tls},
    {"_given_tls", "", http_tls},
    {"_give_zlib", "functions", http_give_zlib},
    {"_given_zlib", "", http_zlib},
    {NULL, NULL, NULL},
};

static const CspFunction http_functions[] = {
    {"_read_request", "connection, most, idle, whole", http_read_request},
    {"_read_response", "connection, most, idle, whole", http_read_response},
    {"_read_line", "connection", http_read_line},
    {"_await_end", "connection", http_await_end},
    {"_end_if_idle", "connection", http_end_if_idle},
    {"_claim", "connection, number", http_claim},
    {"_is_quiet", "connection", http_is_quiet},
    {"_add_route", "routes, pattern, number", http_add_route},
    CSP_REPEATABLE,
    {"_error", "text, code", http_error},
    {"_take_chunks", "connection, most", http_take_chunks},
    {"_read_size", "line", http_read_size},
    {"_is_field", "line", http_is_field_line},
    {"_field", "fields, name", http_field},
    {"_fields", "fields", http_fields},
    {"_response_head", "status, type, headers, length, flags",
     http_response_head},
    {"_request_head", "method, target, host, headers, length, flags",
     http_request_head},
    {"_check_headers", "headers", http_check_headers},
    {"_is_target", "text", http_is_target},
    {"status_text", "status", http_status_text},
    {"_log_text", "text", http_log_text},
    {"date", "seconds", http_date},
    {"_new_routes", "", http_new_routes},
    {"_find_route", "routes, method, path", http_find_route},
    {"_unescape", "path", http_unescape},
    {NULL, NULL, NULL},
};

const CspModule http_module = {"http", http_functions, NULL, NULL, 0};

bool http_install(Csp *csp) {
  return csp_register_builtins(csp, http_hidden) &&
         csp_register_class(csp, &given_tls_class, NULL) &&
         csp_register_class(csp, &given_zlib_class, NULL) &&
         csp_register_class(csp, &http_routes_class, NULL);
}
