// SPDX-License-Identifier: MIT
// What the module dns reads of a message that some server sent. It is memory
// alone, so that tests/fuzz can do without c-ares.
#ifndef CSP_STDLIB_NATIVE_DNS_ANSWER_H
#define CSP_STDLIB_NATIVE_DNS_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of a name as text whose bytes are all escaped, with the NUL.
enum { DNS_TEXT = 1024 };

// Any bytes are read, and none twice but in names.
typedef struct DnsReader {
  const unsigned char *data;
  size_t len, at;
  unsigned left;        // answers that follow
  int type;             // which are wanted
  char name[DNS_TEXT];  // what they belong to: the question, or its alias
} DnsReader;

typedef struct DnsRow {
  uint32_t ttl;
  unsigned priority, weight, port;  // of MX (its preference) and SRV
  size_t len;
  char
      *value;  // room for DNS_TEXT bytes and the message's length: the caller's
} DnsRow;

typedef enum DnsNext {
  DNS_ROW,
  DNS_NOT_WANTED,  // another answer
  DNS_END,
  DNS_WRONG,  // the message is not well-formed
} DnsNext;

// false: it is not well-formed.
bool dns_open(DnsReader *reader, const void *data, size_t len, int type);
DnsNext dns_next(DnsReader *reader, DnsRow *row);

#endif
