// SPDX-License-Identifier: MIT
// The module dns: reads the answers of a message that some server sent (RFC
// 1035, 2782, 3596). c-ares has looked whether it answers the question.
//
// An answer is wanted if it has the type that was asked for, and belongs to the
// name of the question or to what that is an alias of. A name's pointers lead
// backwards, and a name has 255 bytes at most, so reading one ends soon.
#include "stdlib/native/dns_answer.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// --- Bytes ------------------------------------------------------------------
static unsigned read_16(const unsigned char *at) {
  return (unsigned)at[0] << 8 | at[1];
}

// A label's byte as text. What has a meaning there or cannot be seen is escaped
// (RFC 4343).
static size_t put_byte(char *to, unsigned char byte) {
  if (byte == '.' || byte == '\\')
    return (size_t)sprintf(to, "\\%c", (char)byte);
  if (byte > ' ' && byte < 0x7f) {
    *to = (char)byte;
    return 1;
  }
  return (size_t)sprintf(to, "\\%03u", (unsigned)byte);
}

// The length of the label at *at, which moves on to its bytes, or to the end. 0
// at the name's end. -1: it is no name. *low: where the part of the name that
// is being read begins. A pointer leads before it. *end gets where the name
// ends, unless that is known.
static int next_label(const DnsReader *reader, size_t *at, size_t *low,
                      size_t *end) {
  while (*at < reader->len && reader->data[*at] >= 0xc0) {
    if (*at + 2 > reader->len) return -1;
    size_t to = read_16(reader->data + *at) & 0x3fff;
    if (*end == 0) *end = *at + 2;
    if (to >= *low) return -1;
    *at = *low = to;
  }
  if (*at >= reader->len || reader->data[*at] >= 0x40) return -1;
  int len = reader->data[(*at)++];
  if (*at + (size_t)len > reader->len) return -1;
  if (len == 0 && *end == 0) *end = *at;
  return len;
}

// The name at *at, which moves on to what follows. Its length, or -1.
static int read_name(const DnsReader *reader, size_t *at, char to[DNS_TEXT]) {
  enum { WIRE_MOST = 255 };
  size_t low = *at, from = *at, end = 0, out = 0, wire = 1;
  int len = 0;
  to[0] = '\0';
  while ((len = next_label(reader, &from, &low, &end)) > 0) {
    wire += (size_t)len + 1;
    if (wire > WIRE_MOST) return -1;
    if (out > 0) to[out++] = '.';
    for (int i = 0; i < len; i++)
      out += put_byte(to + out, reader->data[from++]);
    to[out] = '\0';
  }
  *at = end;
  return len < 0 ? -1 : (int)out;
}

// --- The message ------------------------------------------------------------
bool dns_open(DnsReader *reader, const void *data, size_t len, int type) {
  enum { HEAD = 12, QUESTION_TAIL = 4 };
  *reader = (DnsReader){.data = data, .len = len, .at = HEAD, .type = type};
  if (len < HEAD || read_16(reader->data + 4) != 1) return false;
  reader->left = read_16(reader->data + 6);
  if (read_name(reader, &reader->at, reader->name) < 0) return false;
  reader->at += QUESTION_TAIL;
  return reader->at <= len;
}

// The strings of a TXT record are one text.
static bool read_texts(const unsigned char *at, size_t size, DnsRow *row) {
  for (size_t len; size > 0; at += 1 + len, size -= 1 + len) {
    len = at[0];
    if (1 + len > size) return false;
    memcpy(row->value + row->len, at + 1, len);
    row->len += len;
  }
  return true;
}

static bool read_address(int family, const unsigned char *at, size_t size,
                         DnsRow *row) {
  if (size != (family == AF_INET ? 4 : 16)) return false;
  inet_ntop(family, at, row->value, DNS_TEXT);
  row->len = strlen(row->value);
  return true;
}

// A name at the end of the `size` bytes at `at`, after `skip` of them.
static bool read_host(const DnsReader *reader, size_t at, size_t size,
                      size_t skip, DnsRow *row) {
  size_t from = at + skip;
  if (size <= skip) return false;
  int len = read_name(reader, &from, row->value);
  row->len = len < 0 ? 0 : (size_t)len;
  return len >= 0 && from == at + size;
}

static bool read_data(const DnsReader *reader, size_t at, size_t size,
                      DnsRow *row) {
  enum { MX_HEAD = 2, SRV_HEAD = 6 };
  const unsigned char *data = reader->data + at;
  switch (reader->type) {
    case ns_t_a:
      return read_address(AF_INET, data, size, row);
    case ns_t_aaaa:
      return read_address(AF_INET6, data, size, row);
    case ns_t_txt:
      return read_texts(data, size, row);
    case ns_t_mx:
      if (!read_host(reader, at, size, MX_HEAD, row)) return false;
      row->priority = read_16(data);
      return true;
    case ns_t_srv:
      if (!read_host(reader, at, size, SRV_HEAD, row)) return false;
      row->priority = read_16(data);
      row->weight = read_16(data + 2);
      row->port = read_16(data + 4);
      return true;
    default:
      return read_host(reader, at, size, 0, row);
  }
}

DnsNext dns_next(DnsReader *reader, DnsRow *row) {
  enum { FIELDS = 10 };
  char owner[DNS_TEXT];
  if (reader->left == 0) return DNS_END;
  reader->left--;
  if (read_name(reader, &reader->at, owner) < 0 ||
      reader->len - reader->at < FIELDS)
    return DNS_WRONG;
  const unsigned char *fields = reader->data + reader->at;
  int type = (int)read_16(fields);
  size_t size = read_16(fields + 8), at = reader->at + FIELDS;
  if (reader->len - at < size) return DNS_WRONG;
  reader->at = at + size;
  if (read_16(fields + 2) != ns_c_in || strcasecmp(owner, reader->name) != 0)
    return DNS_NOT_WANTED;
  *row = (DnsRow){
      .value = row->value,
      .ttl = (uint32_t)read_16(fields + 4) << 16 | read_16(fields + 6)};
  if (type == reader->type)
    return read_data(reader, at, size, row) ? DNS_ROW : DNS_WRONG;
  if (type != ns_t_cname) return DNS_NOT_WANTED;
  if (!read_host(reader, at, size, 0, row)) return DNS_WRONG;
  memcpy(reader->name, row->value, row->len + 1);
  return DNS_NOT_WANTED;
}
