// SPDX-License-Identifier: MIT
// Names of hosts, by the system's resolver (getaddrinfo), which blocks a
// thread. net.lookup.csp bounds how many do at once.
//
// A stepped runtime has no thread for that, and its host waits for nobody. So
// it looks up only what the system tells without asking: numbers, localhost.
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <strings.h>

#include "stdlib/given.h"
#include "stdlib/net.h"

enum { NAME_MOST = 253 };  // bytes: RFC 1035, as text

// Owned by the call, and while it blocks by its thread.
typedef struct Lookup {
  char name[NAME_MOST + 1];
  struct addrinfo *found;
  int error;         // of getaddrinfo
  int system_error;  // errno after that
} Lookup;

static void lookup_work(void *data) {
  Lookup *lookup = data;
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  errno = 0;
  lookup->error = getaddrinfo(lookup->name, NULL, &hints, &lookup->found);
  lookup->system_error = errno;
}

// Asks nobody, not even a file. Names are EAI_NONAME. Without a name
// getaddrinfo gives this machine itself, as RFC 6761 wants it for localhost.
static void lookup_at_once(Lookup *lookup) {
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                           .ai_socktype = SOCK_STREAM};
  bool here = strcasecmp(lookup->name, "localhost") == 0;
  errno = 0;
  lookup->error = getaddrinfo(here ? NULL : lookup->name, here ? "0" : NULL,
                              &hints, &lookup->found);
  lookup->system_error = errno;
}

static void lookup_free(Lookup *lookup) {
  if (lookup->found != NULL) freeaddrinfo(lookup->found);
  csp_alloc_free(lookup);
}

static CspValue text_of(CspCall *call, const struct addrinfo *info) {
  char text[NI_MAXHOST] = "";
  getnameinfo(info->ai_addr, info->ai_addrlen, text, sizeof text, NULL, 0,
              NI_NUMERICHOST);
  return csp_string(call, text, strlen(text));
}

// (list of IP addresses, nil), in the order in which they are to be tried.
static CspStatus lookup_list(CspCall *call, const Lookup *lookup) {
  CspValue list = csp_list(call, 0);
  if (csp_is_undef(list)) return csp_panic_memory(call);
  for (const struct addrinfo *at = lookup->found; at != NULL;
       at = at->ai_next) {
    if (at->ai_family != AF_INET && at->ai_family != AF_INET6) continue;
    if (!csp_list_push(call, list, text_of(call, at))) return CSP_PANIC;
  }
  return csp_ok_value(call, list);
}

// Without a descriptor getaddrinfo reads and asks nothing, and says that there
// is no such name.
static bool lacks_descriptor(const Lookup *lookup) {
  return lookup->system_error == EMFILE || lookup->system_error == ENFILE;
}

static CspStatus lookup_failed(CspCall *call, const Lookup *lookup) {
  // (libc's words would follow the locale.)
  const char *text = "the system's resolver fails", *code = "other";
  if (lookup->error == EAI_SYSTEM || lacks_descriptor(lookup)) {
    text = system_error(lookup->system_error);
    code = csp_errno_code(lookup->system_error);
  } else if (lookup->error == EAI_NONAME) {
    text = "there is no such name";
    code = "not_found";
  } else if (lookup->error == EAI_NODATA || lookup->error == EAI_ADDRFAMILY) {
    text = "the name has no address";
    code = "not_found";
  } else if (lookup->error == EAI_AGAIN || lookup->error == EAI_FAIL) {
    text = "the name servers do not answer";
    code = "unreachable";
  } else if (lookup->error == EAI_MEMORY) {
    text = "memory is out";
    code = "memory";
  }
  return csp_ok_coded(call, code, "cannot look up \"%s\": %s", lookup->name,
                      text);
}

static CspStatus lookup_done(CspCall *call, void *data, bool made) {
  Lookup *lookup = data;
  CspStatus status;
  if (!made) {
    status = csp_ok_coded(call, "limit", "cannot look up \"%s\": %s",
                          lookup->name, csp_no_thread());
  } else if (lookup->error != 0) {
    status = lookup_failed(call, lookup);
  } else {
    status = lookup_list(call, lookup);
  }
  lookup_free(lookup);
  return status;
}

static CspStatus lookup_stepped(CspCall *call, Lookup *lookup) {
  lookup_at_once(lookup);
  if (lookup->error != EAI_NONAME) return lookup_done(call, lookup, true);
  CspStatus status = csp_ok_coded(
      call, "unsupported",
      "cannot look up \"%s\": a stepped runtime does not wait for the system's "
      "resolver: import \"dns\", which looks up names without waiting, or give "
      "an IP address",
      lookup->name);
  lookup_free(lookup);
  return status;
}

CspStatus net_lookup(CspCall *call) {
  Str name;
  if (!need_view(call, 0, &name)) return CSP_PANIC;
  bool fits = name.len > 0 && name.len <= NAME_MOST &&
              memchr(name.data, '\0', name.len) == NULL;
  if (!fits)
    return csp_ok_coded(call, "syntax",
                        "cannot look up a name of %zu bytes: it has 1 to %d, "
                        "and no \\0",
                        name.len, NAME_MOST);
  Lookup *lookup = alloc_zeroed(csp_of(call), sizeof *lookup);
  if (lookup == NULL) return csp_panic_memory(call);
  memcpy(lookup->name, name.data, name.len);
  if (csp_is_stepped(csp_of(call))) return lookup_stepped(call, lookup);
  return csp_block_slow(call, lookup_work, lookup_done, lookup);
}

// --- The module dns ---------------------------------------------------------
const CspClass net_given_class = {"net's modules", NULL, sizeof(GivenValue),
                                  NULL};

CspStatus net_give_dns(CspCall *call) {
  return given_set(call, &net_given_class, csp_arg(call, 0));
}

CspStatus net_given_dns(CspCall *call) {
  return given_get(call, &net_given_class);
}
