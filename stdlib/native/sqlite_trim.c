// SPDX-License-Identifier: MIT
// The module sqlite: the SQL functions trim, ltrim and rtrim in place of the
// library's. The work's thread calls them, within a step.
//
// The library's compare each character that they take off with all of the
// characters that are to go, and nothing can interrupt them. These find one in
// a table, and look around now and then. They give the same results.
//
// As in the library, a character is a byte below 0xc0, or one from there on
// with all bytes 0x80 to 0xbf that follow it, and of two that fit the text the
// one that is named first goes. (So the order matters, where bytes are no
// UTF-8.)
#include <string.h>

#include "stdlib/native/sqlite.h"

enum { LOOK_AFTER = 1 << 20, FIRST_SLOTS = 64, BYTES = 256 };

// A character of more than one byte. len 0: an empty slot.
typedef struct Letter {
  const char *data;
  size_t len, order;
} Letter;

// The characters that are to go. singles: the order of those of one byte, from
// 1 on, or 0. A table of `slots` has the others, at most half of which are
// used. work: since it was looked around.
typedef struct Letters {
  sqlite3_context *context;
  size_t singles[BYTES];
  Letter *table;
  size_t slots, used, longest, work;
} Letters;

// false: interrupted.
static bool count_work(Letters *letters, size_t work) {
  letters->work += work;
  if (letters->work < LOOK_AFTER) return true;
  letters->work = 0;
  if (!sql_look_around(sqlite3_user_data(letters->context))) return true;
  sqlite3_result_error_code(letters->context, SQLITE_INTERRUPT);
  return false;
}

static bool is_inner(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

static bool is_first(char c) { return (unsigned char)c >= 0xc0; }

static size_t hash_of(const char *data, size_t len) {
  uint64_t hash = len;
  for (size_t i = 0; i < len; i++)
    hash = (hash ^ (unsigned char)data[i]) * 0x9e3779b97f4a7c15u;
  return (size_t)(hash >> 20);
}

// Where it is in the table, or is to be.
static Letter *find_slot(Letters *letters, const char *data, size_t len) {
  size_t mask = letters->slots - 1, at = hash_of(data, len) & mask;
  letters->work += len;
  for (;; at = (at + 1) & mask) {
    Letter *slot = &letters->table[at];
    letters->work++;
    if (slot->len == 0 ||
        (slot->len == len && memcmp(slot->data, data, len) == 0))
      return slot;
  }
}

// false: the result is an error.
static bool grow(Letters *letters) {
  Letters old = *letters;
  sqlite3 *db = sqlite3_context_db_handle(letters->context);
  size_t slots = old.slots == 0 ? FIRST_SLOTS : 2 * old.slots;
  size_t most = (size_t)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1);
  if (slots > FIRST_SLOTS && slots * sizeof(Letter) / 2 > most) {
    sqlite3_result_error_toobig(letters->context);
    return false;
  }
  Letter *table = sqlite3_malloc64(slots * sizeof *table);
  if (table == NULL) {
    sqlite3_result_error_nomem(letters->context);
    return false;
  }
  memset(table, 0, slots * sizeof *table);
  letters->table = table;
  letters->slots = slots;
  bool well = true;
  for (size_t i = 0; i < old.slots && well; i++) {
    const Letter *letter = &old.table[i];
    if (letter->len > 0)
      *find_slot(letters, letter->data, letter->len) = *letter;
    well = count_work(letters, 1);
  }
  sqlite3_free(old.table);
  return well;
}

// false: the result is an error.
static bool add_letter(Letters *letters, Letter letter) {
  if (letter.len == 1) {
    size_t *single = &letters->singles[(unsigned char)letter.data[0]];
    if (*single == 0) *single = letter.order;
    return count_work(letters, 1);
  }
  if (2 * letters->used >= letters->slots && !grow(letters)) return false;
  Letter *slot = find_slot(letters, letter.data, letter.len);
  if (slot->len == 0) {
    *slot = letter;
    letters->used++;
  }
  if (letter.len > letters->longest) letters->longest = letter.len;
  return count_work(letters, 0);
}

// The characters up to the first NUL. false: the result is an error.
static bool add_letters(Letters *letters, const char *text) {
  for (size_t order = 1; *text != '\0'; order++) {
    size_t len = 1;
    if (is_first(*text))
      while (is_inner(text[len])) len++;
    if (!add_letter(letters, (Letter){text, len, order})) return false;
    text += len;
  }
  return true;
}

// --- The ends ---------------------------------------------------------------
// If this text is one of the characters, and named before `best`, that one is.
static void take_better(Letters *letters, const char *data, size_t len,
                        Letter *best) {
  size_t order = letters->singles[(unsigned char)data[0]];
  if (len > 1)
    order = letters->used > 0 ? find_slot(letters, data, len)->order : 0;
  if (order != 0 && (best->len == 0 || order < best->order))
    *best = (Letter){data, len, order};
}

// false: interrupted. A first byte may have several characters of different
// lengths, if they are no UTF-8.
static bool trim_left(Letters *letters, const char **text, size_t *len) {
  while (*len > 0) {
    Letter best = {NULL, 0, 0};
    take_better(letters, *text, 1, &best);
    for (size_t n = 2; is_first(**text) && n <= letters->longest && n <= *len &&
                       is_inner((*text)[n - 1]);
         n++) {
      take_better(letters, *text, n, &best);
      if (!count_work(letters, 0)) return false;
    }
    if (best.len == 0) break;
    *text += best.len;
    *len -= best.len;
    if (!count_work(letters, 1)) return false;
  }
  return true;
}

// false: interrupted. The last byte is one, or ends one.
static bool trim_right(Letters *letters, const char *text, size_t *len) {
  while (*len > 0) {
    Letter best = {NULL, 0, 0};
    const char *end = text + *len;
    size_t n = 1;
    while (n < letters->longest && n < *len && is_inner(*(end - n))) n++;
    take_better(letters, end - 1, 1, &best);
    if (n > 1 && is_first(*(end - n))) take_better(letters, end - n, n, &best);
    if (best.len == 0) break;
    *len -= best.len;
    if (!count_work(letters, n)) return false;
  }
  return true;
}

static void trim_ends(sqlite3_context *context, int argc, sqlite3_value **argv,
                      bool left, bool right) {
  Letters letters = {.context = context};
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL ||
      (argc > 1 && sqlite3_value_type(argv[1]) == SQLITE_NULL))
    return;
  const char *text = (const char *)sqlite3_value_text(argv[0]);
  const char *set = argc > 1 ? (const char *)sqlite3_value_text(argv[1]) : " ";
  size_t len = (size_t)sqlite3_value_bytes(argv[0]);
  if (text == NULL || set == NULL)
    sqlite3_result_error_nomem(context);
  else if (add_letters(&letters, set) &&
           (!left || trim_left(&letters, &text, &len)) &&
           (!right || trim_right(&letters, text, &len)))
    sqlite3_result_text64(context, text, len, SQLITE_TRANSIENT, SQLITE_UTF8);
  sqlite3_free(letters.table);
}

static void sql_trim(sqlite3_context *context, int argc, sqlite3_value **argv) {
  trim_ends(context, argc, argv, true, true);
}

static void sql_ltrim(sqlite3_context *context, int argc,
                      sqlite3_value **argv) {
  trim_ends(context, argc, argv, true, false);
}

static void sql_rtrim(sqlite3_context *context, int argc,
                      sqlite3_value **argv) {
  trim_ends(context, argc, argv, false, true);
}

void sql_add_trims(SqlLink *link) {
  static const struct {
    const char *name;
    void (*fn)(sqlite3_context *context, int argc, sqlite3_value **argv);
  } functions[] = {
      {"trim", sql_trim}, {"ltrim", sql_ltrim}, {"rtrim", sql_rtrim}};
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    for (int args = 1; args <= 2; args++)
      sqlite3_create_function_v2(link->db, functions[i].name, args, flags, link,
                                 functions[i].fn, NULL, NULL, NULL);
}
