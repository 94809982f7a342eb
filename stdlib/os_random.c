// SPDX-License-Identifier: MIT
// Random bytes of the system's, which nobody can foretell: for keys, tokens and
// identifiers. The module rand has numbers that a seed repeats.
#include <errno.h>
#include <sys/random.h>

#include "stdlib/os.h"

enum {
  RANDOM_MOST = 1 << 20,  // bytes of one call
  RANDOM_PIECE = 1 << 12,
  RANDOM_BYTE_NS = 3
};

// A signal may end a long call early, with less than it was asked for.
bool system_random(void *to, size_t len) {
  char *next = to;
  while (len > 0) {
    ssize_t got = getrandom(next, len, 0);
    if (got < 0 && errno != EINTR) return false;
    if (got <= 0) continue;
    next += got;
    len -= (size_t)got;
  }
  return true;
}

CspStatus system_random_failed(CspCall *call) {
  return csp_panic(call, "%s: the system gives no random bytes: %s",
                   csp_name(call), system_error(errno));
}

// random(n): n bytes.
CspStatus os_random(CspCall *call) {
  int64_t n;
  char *to;
  if (!need_int_in(call, 0, 0, RANDOM_MOST, &n)) return CSP_PANIC;
  CspValue bytes = csp_bytes_room(call, (size_t)n, &to);
  if (csp_is_undef(bytes)) return csp_panic_memory(call);
  for (size_t at = 0, len; at < (size_t)n; at += len) {
    size_t left = (size_t)n - at;
    len = left < RANDOM_PIECE ? left : RANDOM_PIECE;
    if (!system_random(to + at, len)) return system_random_failed(call);
    if (!csp_work(call, len * RANDOM_BYTE_NS)) return CSP_PANIC;
  }
  return csp_ok(call, bytes);
}
