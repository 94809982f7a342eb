// SPDX-License-Identifier: MIT
// Addresses of the network as text, and back. Numbers only: names are looked up
// by net_open.c.
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "stdlib/net.h"

enum { ADDRESS_MOST = 300 };  // bytes: a name has up to 253
static const char too_long[] = "an address has at most 300 bytes";

static bool split_text(Str text, Str *host, Str *port) {
  const char *colon = text.len > 0 ? memrchr(text.data, ':', text.len) : NULL;
  if (colon == NULL || memchr(text.data, '\0', text.len) != NULL) return false;
  size_t len = (size_t)(colon - text.data);
  *host = (Str){text.data, len};
  *port = (Str){colon + 1, text.len - len - 1};
  if (len >= 2 && host->data[0] == '[' && host->data[len - 1] == ']') {
    *host = (Str){host->data + 1, len - 2};
    return host->len > 0;
  }
  return len == 0 || memchr(host->data, ':', len) == NULL;
}

static bool parse_port(Str text, uint16_t *port) {
  uint32_t n = 0;
  if (text.len == 0 || text.len > 5) return false;
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] < '0' || text.data[i] > '9') return false;
    n = n * 10 + (uint32_t)(text.data[i] - '0');
  }
  *port = (uint16_t)n;
  return n <= UINT16_MAX;
}

static bool parse_v4(const char *host, uint16_t port, NetAddress *address) {
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
  if (inet_pton(AF_INET, host, &v4.sin_addr) != 1) return false;
  memcpy(&address->name, &v4, address->len = sizeof v4);
  return true;
}

// With a zone, as in fe80::1%eth0.
static bool parse_v6(char *host, uint16_t port, NetAddress *address) {
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  char *zone = strchr(host, '%');
  if (zone != NULL) {
    *zone = '\0';
    v6.sin6_scope_id = if_nametoindex(zone + 1);
    if (v6.sin6_scope_id == 0) return false;
  }
  if (inet_pton(AF_INET6, host, &v6.sin6_addr) != 1) return false;
  memcpy(&address->name, &v6, address->len = sizeof v6);
  return true;
}

static const char *parse_unix(Str path, NetAddress *address) {
  struct sockaddr_un local = {.sun_family = AF_UNIX};
  if (path.len == 0) return "the path of a Unix socket is empty";
  if (path.len >= sizeof local.sun_path)
    return "the path of a Unix socket has at most 107 bytes";
  if (memchr(path.data, '\0', path.len) != NULL) return "a path has no \\0";
  memcpy(local.sun_path, path.data, path.len);
  address->len =
      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path.len + 1);
  memcpy(&address->name, &local, sizeof local);
  return NULL;
}

const char *net_parse(Str text, NetAddress *address) {
  static const char prefix[] = "unix:";
  enum { PREFIX = sizeof prefix - 1, HOST = 64 };
  Str host, port;
  uint16_t number;
  char copy[HOST];
  *address = (NetAddress){.len = 0};
  if (text.len > ADDRESS_MOST) return too_long;
  if (text.len >= PREFIX && memcmp(text.data, prefix, PREFIX) == 0)
    return parse_unix((Str){text.data + PREFIX, text.len - PREFIX}, address);
  if (text.len > 0 && memchr(text.data, '\0', text.len) != NULL)
    return "an address has no \\0";
  if (!split_text(text, &host, &port))
    return "write \"HOST:PORT\", \"[IPv6]:PORT\" or \"unix:PATH\"";
  if (!parse_port(port, &number)) return "the port is a number up to 65535";
  if (host.len == 0) {
    struct sockaddr_in6 any = {.sin6_family = AF_INET6,
                               .sin6_port = htons(number)};
    memcpy(&address->name, &any, address->len = sizeof any);
    return NULL;
  }
  if (host.len >= HOST) return "the host is no IP address";
  memcpy(copy, host.data, host.len);
  copy[host.len] = '\0';
  bool fits =
      parse_v4(copy, number, address) || parse_v6(copy, number, address);
  return fits ? NULL : "the host is no IP address";
}

CspValue net_bad_address(CspCall *call, const char *verb, Str text,
                         const char *wrong, const char *code) {
  enum { SHOWN = 100 };
  char room[SHOWN + 200];  // VERB and WRONG are ours, and short
  int shown = text.len < SHOWN ? (int)text.len : SHOWN;
  int len = snprintf(room, sizeof room, "cannot %s \"%.*s\": %s", verb, shown,
                     text.data, wrong);
  return csp_error_coded(call, csp_string(call, room, (size_t)len), csp_nil(),
                         csp_string(call, code, strlen(code)));
}

CspStatus net_split_name(CspCall *call) {
  Str text, host, port;
  NetAddress address;
  if (!need_view(call, 0, &text)) return CSP_PANIC;
  bool is_name = text.len <= ADDRESS_MOST && split_text(text, &host, &port) &&
                 host.len > 0 && host.data == text.data &&
                 net_parse(text, &address) != NULL &&
                 parse_port(port, &(uint16_t){0});
  if (!is_name) {
    csp_return(call, csp_nil());
    return csp_ok(call, csp_nil());
  }
  csp_return(call, csp_string(call, host.data, host.len));
  return csp_ok(call, csp_string(call, port.data, port.len));
}

// (address): (host, port, nil), or (nil, nil, error).
CspStatus net_split(CspCall *call) {
  Str text, host, port;
  uint16_t number;
  if (!need_view(call, 0, &text)) return CSP_PANIC;
  const char *wrong = NULL;
  if (text.len > ADDRESS_MOST) {
    wrong = too_long;
  } else if (!split_text(text, &host, &port)) {
    wrong = "write \"HOST:PORT\" or \"[IPv6]:PORT\"";
  } else if (!parse_port(port, &number)) {
    wrong = "the port is a number up to 65535";
  }
  if (wrong != NULL) {
    csp_return(call, csp_nil());
    csp_return(call, csp_nil());
    return csp_ok(call, net_bad_address(call, "split", text, wrong, "syntax"));
  }
  csp_return(call, csp_string(call, host.data, host.len));
  csp_return(call, csp_int(call, number));
  return csp_ok(call, csp_nil());
}

static void unix_text(const NetAddress *address, char *text) {
  struct sockaddr_un local;
  memcpy(&local, &address->name, sizeof local);
  size_t head = offsetof(struct sockaddr_un, sun_path);
  size_t room = address->len > head ? address->len - head : 0;
  size_t len = strnlen(local.sun_path, room);
  snprintf(text, NET_ADDRESS_TEXT, "unix:%.*s", (int)len, local.sun_path);
}

// An IPv4 address that came by an IPv6 socket is shown as what it is.
void net_address_text(const NetAddress *address, char text[NET_ADDRESS_TEXT]) {
  char host[INET6_ADDRSTRLEN] = "", zone[IF_NAMESIZE + 1] = "";
  if (net_is_unix(address)) {
    unix_text(address, text);
  } else if (address->name.ss_family == AF_INET) {
    struct sockaddr_in v4;
    memcpy(&v4, &address->name, sizeof v4);
    inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
    snprintf(text, NET_ADDRESS_TEXT, "%s:%u", host, ntohs(v4.sin_port));
  } else {
    struct sockaddr_in6 v6;
    memcpy(&v6, &address->name, sizeof v6);
    bool mapped = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr);
    if (mapped) {
      inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], host, sizeof host);
    } else {
      inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
      zone[0] = '%';
      if (v6.sin6_scope_id == 0 ||
          if_indextoname(v6.sin6_scope_id, zone + 1) == NULL)
        zone[0] = '\0';
    }
    snprintf(text, NET_ADDRESS_TEXT, mapped ? "%s%s:%u" : "[%s%s]:%u", host,
             zone, ntohs(v6.sin6_port));
  }
}
