// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes after the first are a name server's message, or
// refused. The first says which kind of records is wanted. There are no more of
// them than the message says, each is within its room, and names are text that
// can be seen. The same bytes at another place in memory give the same. c-ares
// is not used. `tests/fuzz/run SECONDS` builds and runs it.
#include <arpa/nameser.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/native/dns_answer.h"
#include "tests/fuzz/gate.h"

static const int types[] = {ns_t_a,   ns_t_aaaa, ns_t_ns,  ns_t_cname,
                            ns_t_ptr, ns_t_mx,   ns_t_txt, ns_t_srv};
enum { TYPES = sizeof types / sizeof *types };

static void need(bool fine) {
  if (!fine) abort();
}

static void check_row(int type, const DnsRow *row, size_t size) {
  if (type == ns_t_txt) {
    need(row->len <= size);
    return;
  }
  need(row->len < DNS_TEXT && row->value[row->len] == '\0');
  for (size_t i = 0; i < row->len; i++)
    need(row->value[i] > ' ' && row->value[i] < 0x7f);
  need(type == ns_t_srv || (row->weight == 0 && row->port == 0));
}

// A sum of what is read. -1: refused.
static int64_t read_all(int type, const uint8_t *data, size_t size) {
  // Of exact size, so that ASan sees what lies beyond.
  uint8_t *copy = malloc(size);
  char *room = malloc(size + DNS_TEXT);
  if (copy == NULL || room == NULL) abort();
  if (size > 0) memcpy(copy, data, size);
  DnsReader reader;
  DnsRow row = {.value = room};
  int64_t sum = 0;
  unsigned count = 0;
  DnsNext next = DNS_WRONG;
  if (dns_open(&reader, copy, size, type)) {
    unsigned said = reader.left;
    while ((next = dns_next(&reader, &row)) < DNS_END) {
      need(++count <= said);
      if (next != DNS_ROW) continue;
      check_row(type, &row, size);
      for (size_t i = 0; i < row.len; i++)
        sum = (sum * 31 + (uint8_t)row.value[i]) & 0xffffffff;
      sum += row.ttl + row.priority + row.weight + row.port;
    }
  }
  free(room);
  free(copy);
  return next == DNS_END ? sum : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  int type = types[data[0] % TYPES];
  int64_t sum = read_all(type, data + 1, size - 1);
  need(read_all(type, data + 1, size - 1) == sum);
  gate(size, sum >= 0);
  return 0;
}
