// SPDX-License-Identifier: MIT
// What the C library writes the same way whatever locale the host has set:
// numbers with a point, the system's errors in English. "C" is always there,
// and using it is the calling thread's alone.
#ifndef CSP_SCHED_PLAIN_H
#define CSP_SCHED_PLAIN_H

#include <locale.h>
#include <string.h>

typedef struct Plain {
  locale_t own, before;
} Plain;

// From here to plain_end printf and its like know no locale. Any thread.
static inline Plain plain_begin(void) {
  Plain plain;
  plain.own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  plain.before = uselocale(plain.own);  // 0 (no memory) changes nothing
  return plain;
}
static inline void plain_end(Plain plain) {
  uselocale(plain.before);
  if (plain.own != (locale_t)0) freelocale(plain.own);
}

// strerror; what it gives lasts until the thread's next call. Any thread.
static inline const char *plain_error(int error) {
  locale_t own = newlocale(LC_MESSAGES_MASK, "C", (locale_t)0);
  if (own == (locale_t)0) return "out of memory";
  const char *text = strerror_l(error, own);
  freelocale(own);
  return text;
}

#endif
