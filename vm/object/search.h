// SPDX-License-Identifier: MIT
// Finding bytes in bytes, in time linear in both: search.c.
#ifndef CSP_VM_SEARCH_H
#define CSP_VM_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Asked after each piece of work, of about so many nanoseconds. false: give up.
// fn NULL: never.
typedef struct SearchWork {
  bool (*fn)(void *arg, size_t units);
  void *arg;
} SearchWork;

enum { SEARCH_PIECE = 1 << 16 };  // bytes looked at between two questions
enum { SEARCH_NONE = -1, SEARCH_GIVEN_UP = -2 };

// Where the first (last) place is in text that holds needle, or SEARCH_NONE, or
// SEARCH_GIVEN_UP. An empty needle is at the beginning (the end). Any thread.
// Others may change the text meanwhile: then the answer is any place or none.
int64_t search_first(const char *text, size_t len, const char *needle,
                     size_t needle_len, SearchWork work);
int64_t search_last(const char *text, size_t len, const char *needle,
                    size_t needle_len, SearchWork work);

#endif
