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

// The same search in pieces, for needles that are not empty, and not longer
// than the text. `last` looks for the last place. search_on asks `work`. After
// SEARCH_GIVEN_UP the same search may go on, by another call. A SearchRun may
// be copied between two calls. After an answer it is over.
typedef struct SearchText {
  const char *data;
  size_t len;
} SearchText;

// A text in its direction.
typedef struct SearchLine {
  const uint8_t *data;
  size_t len;
  bool back;
} SearchLine;

// How far the greatest suffix is known.
typedef struct Suffix {
  size_t best, with, at, period;
} Suffix;

typedef struct SearchRun {
  SearchLine text, needle;
  SearchWork work;
  size_t left;  // until the next question
  bool over;    // the answer was no
  enum {
    SEARCH_BEGUN,
    SEARCH_SECOND_ORDER,
    SEARCH_CUT,
    SEARCH_PERIOD_KNOWN,
    SEARCH_PREPARED
  } stage;
  enum { SEARCH_NO_HALF, SEARCH_SECOND_HALF, SEARCH_FIRST_HALF } comparing;
  Suffix suffix;
  size_t split;      // where the second half begins
  size_t shift;      // after a difference in the first half
  size_t keeps;      // bytes known to fit after such a shift
  size_t at, known;  // the place, and how much of it is known to fit
  size_t done;       // of a comparison
  size_t skip[256];  // by the window's last byte
} SearchRun;

void search_begin(SearchRun *search, SearchText text, SearchText needle,
                  bool last);
// Both are elsewhere since the last call.
void search_move(SearchRun *search, const char *text, const char *needle);
int64_t search_on(SearchRun *search, SearchWork work);

#endif
