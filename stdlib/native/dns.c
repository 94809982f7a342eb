// SPDX-License-Identifier: MIT
// The native module dns: names of hosts and other records, with c-ares. No
// thread waits for an answer. Importing the module makes net look up its names
// here.
//
// A lookup has a channel of c-ares (DnsQuery), and goes from step to step on
// the goroutine that asked for it:
//
//   STARTS   in csp_block: makes the channel, reads files, sends. -> RUNS, OVER
//   WAITS    for the sockets, or until c-ares or the deadline wants it. -> RUNS
//   RUNS     in csp_block: receives, sends again. -> WAITS, RUNS, OVER
//   OVER     has c-ares's status. The result is made, and the query freed
//
// From STARTS on the call owns the query, and a step that is given up frees it.
// From the first WAITS on the call has the turn of the query's descriptor,
// which no other call knows.
#include "stdlib/native/dns.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/native/dns_csp.h"

// --- Errors -----------------------------------------------------------------
// A status of c-ares, in our words and with a code. The last row is for all
// that have none.
static const struct DnsWrong {
  int status;
  const char *code, *text;
} wrongs[] = {
    {ARES_ENOTFOUND, "not_found", "there is no such name"},
    {ARES_ENODATA, "not_found", "the name has no such record"},
    {ARES_ETIMEOUT, "timeout", "the name servers do not answer"},
    {ARES_ECONNREFUSED, "unreachable", "no name server has an answer"},
    {ARES_ESERVFAIL, "unreachable", "no name server has an answer"},
    {ARES_EREFUSED, "unreachable", "no name server has an answer"},
    {ARES_ENOTIMP, "unreachable", "no name server has an answer"},
    {ARES_EBADNAME, "syntax", "that is no name of a host"},
    {ARES_EBADSTR, "syntax", "the server is no address and port"},
    {ARES_EBADRESP, "syntax", "the answer is not well-formed"},
    {ARES_EFORMERR, "syntax", "the server calls the question malformed"},
    {ARES_ENOMEM, "memory", "memory is out"},
    {0, "other", NULL},
};

// (nil, error). The query is freed.
static CspStatus query_failed(CspCall *call, DnsQuery *query) {
  const struct DnsWrong *wrong = wrongs;
  char what[DNS_TEXT + 32];
  CspStatus status;
  while (wrong->status != query->status && wrong->text != NULL) wrong++;
  snprintf(what, sizeof what, "cannot look up \"%s\"", query->name);
  if (query->error != 0)
    status = csp_ok_errno(call, query->error, what);
  else
    status = csp_ok_coded(
        call, wrong->code, "%s: %s", what,
        wrong->text != NULL ? wrong->text : ares_strerror(query->status));
  dns_free(call, query);
  return status;
}

static CspStatus query_late(CspCall *call, DnsQuery *query) {
  char seconds[32];
  csp_format_seconds(query->timeout, seconds);
  CspStatus status =
      csp_ok_coded(call, "timeout", "cannot look up \"%s\": no answer for %s",
                   query->name, seconds);
  dns_free(call, query);
  return status;
}

// The call is to end, and has panicked.
static CspStatus query_given_up(CspCall *call, DnsQuery *query) {
  dns_free(call, query);
  return CSP_PANIC;
}

// --- Results ----------------------------------------------------------------
enum { ADDRESS_NS = 300, ROW_NS = 500 };  // what one costs

// The addresses as c-ares has sorted them (RFC 6724). false: panicked.
static bool add_addresses(CspCall *call, const DnsQuery *query, CspValue list) {
  const struct ares_addrinfo_node *at =
      query->found == NULL ? NULL : query->found->nodes;
  for (; at != NULL; at = at->ai_next) {
    char text[INET6_ADDRSTRLEN];
    bool is_v6 = at->ai_family == AF_INET6;
    if (!csp_work(call, ADDRESS_NS)) return false;
    if (!is_v6 && at->ai_family != AF_INET) continue;
    const struct sockaddr *name = at->ai_addr;
    const void *bytes =
        is_v6 ? (const void *)&((const struct sockaddr_in6 *)(const void *)name)
                    ->sin6_addr
              : &((const struct sockaddr_in *)(const void *)name)->sin_addr;
    inet_ntop(at->ai_family, bytes, text, sizeof text);
    if (!csp_list_push(call, list, csp_string(call, text, strlen(text))))
      return false;
  }
  return true;
}

// (value, ttl, priority, weight, port), with nil for what the type has not.
static CspValue row_tuple(CspCall *call, int type, const DnsRow *row) {
  CspValue values[] = {csp_string(call, row->value, row->len),
                       csp_int(call, row->ttl), csp_nil(), csp_nil(),
                       csp_nil()};
  if (csp_is_undef(values[0]) || csp_is_undef(values[1])) return values[0];
  if (type == ns_t_mx || type == ns_t_srv)
    values[2] = csp_int(call, row->priority);
  if (type == ns_t_srv) values[3] = csp_int(call, row->weight);
  if (type == ns_t_srv) values[4] = csp_int(call, row->port);
  return csp_tuple(call, values, sizeof values / sizeof *values);
}

// false: panicked, or the status says what is wrong with the answer.
static bool add_rows(CspCall *call, DnsQuery *query, char *room,
                     CspValue list) {
  DnsReader reader;
  DnsRow row = {.value = room};
  DnsNext next = DNS_NOT_WANTED;
  if (!dns_open(&reader, query->answer, (size_t)query->len, query->type))
    next = DNS_WRONG;
  while (next != DNS_END && next != DNS_WRONG) {
    if (!csp_work(call, ROW_NS)) return false;
    next = dns_next(&reader, &row);
    if (next == DNS_ROW &&
        !csp_list_push(call, list, row_tuple(call, query->type, &row)))
      return false;
  }
  if (next == DNS_WRONG) query->status = ARES_EBADRESP;
  return next == DNS_END;
}

static bool add_records(CspCall *call, DnsQuery *query, CspValue list) {
  char *room = csp_alloc(query->csp, NULL, (size_t)query->len + DNS_TEXT);
  if (room == NULL) {
    csp_panic_memory(call);
    return false;
  }
  bool done = add_rows(call, query, room, list);
  csp_alloc_free(room);
  return done;
}

static CspStatus query_over(CspCall *call, DnsQuery *query) {
  if (query->status != ARES_SUCCESS) return query_failed(call, query);
  CspValue list = csp_list(call, 0);
  if (csp_is_undef(list)) {
    csp_panic_memory(call);
    return query_given_up(call, query);
  }
  bool done = query->type == 0 ? add_addresses(call, query, list)
                               : add_records(call, query, list);
  query->error = 0;
  if (!done && query->status == ARES_SUCCESS)
    return query_given_up(call, query);
  if (done && csp_list_len(list) == 0) query->status = ARES_ENODATA;
  if (query->status != ARES_SUCCESS) return query_failed(call, query);
  dns_free(call, query);
  return csp_ok_value(call, list);
}

// --- Steps ------------------------------------------------------------------
static CspStatus query_ran(CspCall *call, void *data, bool made);

static bool query_is_late(CspCall *call, const DnsQuery *query) {
  return query->until != 0 && csp_monotonic(call) >= query->until;
}

// After a wait, or at once.
static CspStatus query_step(CspCall *call, void *data, bool on) {
  DnsQuery *query = *(DnsQuery **)data;
  if (!on) return query_given_up(call, query);
  if (query_is_late(call, query)) return query_late(call, query);
  return csp_block(call, dns_go_on, query_ran, query);
}

static CspStatus query_wait(CspCall *call, DnsQuery *query) {
  enum { LEAST_PAUSE = 1000000 };
  int64_t until = query->until, now = csp_monotonic(call);
  if (query->pause >= 0) {
    int64_t wanted =
        now + (query->pause < LEAST_PAUSE ? LEAST_PAUSE : query->pause);
    if (until == 0 || wanted < until) until = wanted;
  }
  csp_when_ready(call, query->fd, CSP_READS, until);
  return csp_again(call, query_step, &query, sizeof query, 0);
}

static CspStatus no_thread(CspCall *call, DnsQuery *query) {
  CspStatus status = csp_ok_coded(call, "limit", "cannot look up \"%s\": %s",
                                  query->name, csp_no_thread());
  dns_free(call, query);
  return status;
}

static CspStatus query_ran(CspCall *call, void *data, bool made) {
  DnsQuery *query = data;
  if (!csp_work(call, 1)) return query_given_up(call, query);
  if (!made) return no_thread(call, query);
  if (query->over) return query_over(call, query);
  if (query->error != 0) return query_failed(call, query);
  if (query->more) return csp_again(call, query_step, &query, sizeof query, 0);
  return query_wait(call, query);
}

static CspStatus query_started(CspCall *call, void *data, bool made) {
  DnsQuery *query = data;
  if (!csp_work(call, 1)) return query_given_up(call, query);
  if (!made) return no_thread(call, query);
  if (query->foreign) {
    dns_free(call, query);
    csp_return(call, csp_nil());
    return csp_ok(call, csp_nil());
  }
  if (query->over || query->error != 0)
    return query->over ? query_over(call, query) : query_failed(call, query);
  query->fd = csp_fd_open(call, query->sockets);
  if (query->fd == NULL) {
    query->error = errno;
    return query_failed(call, query);
  }
  csp_fd_enter(query->fd, CSP_READS);
  return query->more ? csp_again(call, query_step, &query, sizeof query, 0)
                     : query_wait(call, query);
}

// --- Natives ----------------------------------------------------------------
// Whether a string argument is some text of at most so many bytes. It is then
// in `to`, and nil is "".
static bool copy_argument(CspCall *call, int i, char *to, size_t most) {
  size_t len;
  const char *data = csp_to_string(csp_arg(call, i), &len);
  if (data == NULL || len == 0 || len > most || memchr(data, '\0', len) != NULL)
    return false;
  memcpy(to, data, len);
  return true;
}

// The name of an address's PTR record.
static void reverse_name(char name[DNS_TEXT]) {
  unsigned char bytes[16];
  char *to = name;
  bool is_v6 = inet_pton(AF_INET6, name, bytes) == 1;
  if (!is_v6 && inet_pton(AF_INET, name, bytes) != 1) return;
  for (int i = is_v6 ? 15 : 3; i >= 0; i--)
    to += is_v6 ? sprintf(to, "%x.%x.", bytes[i] & 15u, bytes[i] >> 4)
                : sprintf(to, "%u.", (unsigned)bytes[i]);
  strcpy(to, is_v6 ? "ip6.arpa" : "in-addr.arpa");
}

static CspStatus bad_name(CspCall *call, DnsQuery *query) {
  size_t len;
  csp_to_string(csp_arg(call, 0), &len);
  dns_free(call, query);
  return csp_ok_coded(call, "syntax",
                      "cannot look up a name of %zu bytes: it has 1 to %d, and "
                      "no \\0",
                      len, DNS_NAME_MOST);
}

// dns.csp has checked the types of name, timeout and server.
static CspStatus query_begin(CspCall *call, int type, bool any) {
  int64_t timeout, now = csp_monotonic(call);
  const char *text;
  size_t len;
  bool server = csp_type(csp_arg(call, 2)) != CSP_NIL;
  if (!csp_need_string(call, 0, &text, &len) ||
      (server && !csp_need_string(call, 2, &text, &len)) ||
      !csp_need_int(call, 1, &timeout))
    return CSP_PANIC;
  DnsQuery *query = csp_alloc(csp_of(call), NULL, sizeof *query);
  if (query == NULL) return csp_panic_memory(call);
  *query = (DnsQuery){.csp = csp_of(call),
                      .sockets = -1,
                      .timeout = timeout,
                      .pause = -1,
                      .any = any,
                      .type = type};
  if (!copy_argument(call, 0, query->name, DNS_NAME_MOST))
    return bad_name(call, query);
  if (server && !copy_argument(call, 2, query->server, DNS_SERVER - 1)) {
    query->status = ARES_EBADSTR;
    return query_failed(call, query);
  }
  if (type == ns_t_ptr) reverse_name(query->name);
  if (timeout > 0)
    query->until = timeout > INT64_MAX - now ? INT64_MAX : now + timeout;
  return csp_block(call, dns_start, query_started, query);
}

// (list of addresses, nil) or (nil, error). (nil, nil): nsswitch.conf names
// others, and `any` is false. A stepped host cannot ask them, as it would wait.
static CspStatus dns_addresses(CspCall *call) {
  bool any = csp_truthy(csp_arg(call, 3)) || csp_is_stepped(csp_of(call));
  return query_begin(call, 0, any);
}

// (list of tuples, nil) or (nil, error).
static CspStatus dns_records(CspCall *call) {
  int64_t type;
  if (!csp_need_int(call, 3, &type)) return CSP_PANIC;
  return query_begin(call, (int)type, true);
}

static const CspFunction dns_functions[] = {
    CSP_NEEDS(CSP_NET),
    {"_addresses", "name, timeout, server, any", dns_addresses},
    {"_lookup", "name, timeout, server, type", dns_records},
    {NULL, NULL, NULL},
};

static const CspModule dns_module = {
    "dns", dns_functions, NULL, (const char *)text_dns, sizeof text_dns - 1};
static const CspNative dns_native = {CSP_API, &dns_module};

CSP_MODULE(dns) { return &dns_native; }
