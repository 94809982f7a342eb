// SPDX-License-Identifier: MIT
// What the files of the native module dns show each other.
#ifndef CSP_STDLIB_NATIVE_DNS_H
#define CSP_STDLIB_NATIVE_DNS_H

#include <ares.h>

#include "stdlib/native/dns_answer.h"
#include "vm/csp.h"

enum {
  DNS_NAME_MOST = 253,  // bytes of a name as text (RFC 1035)
  DNS_SERVER = 64,      // of a server's address
};

// One lookup. It belongs to the call, and while that blocks to its thread. The
// channel is its own, as c-ares lets one thread at a time use one.
typedef struct DnsQuery {
  Csp *csp;
  ares_channel channel;  // or NULL
  int sockets;           // an epoll descriptor that has the channel's, or -1
  CspFd *fd;             // has `sockets`. The call has its turn to read
  int64_t timeout, until;
  int64_t pause;  // ns until c-ares wants to be called, or -1
  int received;   // calls of recvfrom in this piece
  int error;      // errno of a socket that could not be had, or 0
  bool any;       // whatever nsswitch.conf says
  bool foreign;   // that names what c-ares does not know
  bool more;      // the next piece follows without a wait
  bool over;      // `status` is c-ares's
  int status;
  int type;                     // of records, or 0 for addresses
  struct ares_addrinfo *found;  // addresses
  unsigned char *answer;        // a message with records
  int len;
  char name[DNS_TEXT], server[DNS_SERVER];
} DnsQuery;

// --- dns_work.c: what runs in csp_block -------------------------------------
void dns_start(void *query);
void dns_go_on(void *query);
void dns_free(CspCall *call, DnsQuery *query);

#endif
