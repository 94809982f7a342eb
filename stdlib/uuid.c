// SPDX-License-Identifier: MIT
// The module uuid: identifiers of 128 bits (RFC 9562), as text.
//
// Those of version 7 grow within a runtime. Each has the time in milliseconds,
// then a counter of 26 bits (the RFC's method 1), then 48 random bits. A new
// millisecond begins with a random counter whose highest bit is 0. In the same
// one, or where the clock went back, the counter goes on. Where it is full, the
// time goes on instead.
#include <errno.h>
#include <pthread.h>

#include "stdlib/stdlib.h"

enum {
  UUID_BYTES = 16,
  UUID_TEXT = 36,
#ifdef CSP_DEBUG
  COUNTER_MOST = 255  // so that tests fill it
#else
  COUNTER_MOST = (1 << 26) - 1
#endif
};

// The last one of version 7.
typedef struct UuidClock {
  pthread_mutex_t lock;  // zeroed: ready for use
  uint64_t ms;           // guarded by lock, as the next one
  uint32_t counter;
} UuidClock;

static const CspClass uuid_clock_class = {"uuid_clock", NULL, sizeof(UuidClock),
                                          NULL};

// Where the digits are cut.
static bool hyphen_at(size_t at) {
  return at == 8 || at == 13 || at == 18 || at == 23;
}

static CspStatus uuid_ok(CspCall *call, const uint8_t *id) {
  static const char digits[] = "0123456789abcdef";
  char text[UUID_TEXT];
  for (size_t at = 0, n = 0; at < UUID_TEXT; at++) {
    if (hyphen_at(at)) {
      text[at] = '-';
      continue;
    }
    text[at] = digits[n % 2 == 0 ? id[n / 2] >> 4 : id[n / 2] & 15];
    n++;
  }
  return csp_ok_string(call, text, UUID_TEXT);
}

static void set_version(uint8_t *id, unsigned version) {
  id[6] = (uint8_t)((id[6] & 0x0f) | version << 4);
  id[8] = (uint8_t)((id[8] & 0x3f) | 0x80);
}

// v4(): random.
static CspStatus uuid_v4(CspCall *call) {
  uint8_t id[UUID_BYTES];
  if (!system_random(id, sizeof id)) return system_random_failed(call);
  set_version(id, 4);
  return uuid_ok(call, id);
}

// The next time and counter. fresh: what a new millisecond begins with.
static void uuid_clock_next(UuidClock *clock, uint64_t *ms, uint32_t *counter,
                            uint32_t fresh) {
  pthread_mutex_lock(&clock->lock);
  bool full = clock->counter == COUNTER_MOST;
  if (*ms > clock->ms || full) {
    clock->ms = *ms > clock->ms ? *ms : clock->ms + 1;
    clock->counter = fresh;
  } else {
    clock->counter++;
  }
  *ms = clock->ms;
  *counter = clock->counter;
  pthread_mutex_unlock(&clock->lock);
}

// v7(): grows with time.
static CspStatus uuid_v7(CspCall *call) {
  uint8_t id[UUID_BYTES];
  uint32_t counter;
  UuidClock *clock = csp_state(csp_of(call), &uuid_clock_class);
  if (clock == NULL) return csp_panic_memory(call);
  if (!system_random(id, sizeof id)) return system_random_failed(call);
  memcpy(&counter, id, sizeof counter);
  int64_t now = csp_wall_clock(call);
  uint64_t ms = now > 0 ? (uint64_t)now / 1000000 : 0;
  uuid_clock_next(clock, &ms, &counter, counter & COUNTER_MOST >> 1);
  for (int n = 0; n < 6; n++) id[n] = (uint8_t)(ms >> (40 - 8 * n));
  id[6] = (uint8_t)(counter >> 22);  // 4 bits, 8, 6 and 8
  id[7] = (uint8_t)(counter >> 14);
  id[8] = (uint8_t)(counter >> 8 & 0x3f);
  id[9] = (uint8_t)counter;
  set_version(id, 7);
  return uuid_ok(call, id);
}

// parse(text): (its 16 bytes, nil) or (nil, error).
static CspStatus uuid_parse(CspCall *call) {
  Str s;
  uint8_t id[UUID_BYTES] = {0};
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  for (size_t at = 0, n = 0; at < UUID_TEXT && at < s.len; at++) {
    int digit = hyphen_at(at) ? -1 : hex_digit(s.data[at]);
    if (hyphen_at(at) ? s.data[at] != '-' : digit < 0)
      return csp_ok_coded(call, "syntax", "uuid: no %s at %zu",
                          hyphen_at(at) ? "hyphen" : "hexadecimal digit", at);
    if (digit < 0) continue;
    id[n / 2] = (uint8_t)(id[n / 2] << 4 | digit);
    n++;
  }
  if (s.len != UUID_TEXT)
    return csp_ok_coded(call, "syntax",
                        "uuid: the text has %zu bytes and should have %d",
                        s.len, (int)UUID_TEXT);
  return csp_ok_value(call, csp_bytes(call, id, sizeof id));
}

// text(id): the text of 16 bytes.
static CspStatus uuid_text(CspCall *call) {
  CspValue bytes;
  uint8_t id[UUID_BYTES];
  if (!csp_need_type(call, 0, CSP_BYTES, &bytes)) return CSP_PANIC;
  if (csp_bytes_len(bytes) != UUID_BYTES ||
      csp_bytes_read(bytes, 0, id, sizeof id) != UUID_BYTES)
    return csp_panic(call, "uuid.text: id must have 16 bytes, not %zu",
                     csp_bytes_len(bytes));
  return uuid_ok(call, id);
}

static const CspFunction uuid_functions[] = {
    CSP_REPEATABLE,
    {"v4", "", uuid_v4},
    {"v7", "", uuid_v7},
    {"parse", "text", uuid_parse},
    {"text", "id", uuid_text},
    {NULL, NULL, NULL},
};

const CspModule uuid_module = {"uuid", uuid_functions, NULL, NULL, 0};

bool uuid_install(Csp *csp) {
  return csp_register_class(csp, &uuid_clock_class, NULL);
}
