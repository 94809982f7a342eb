// SPDX-License-Identifier: MIT
// The module sqlite: the SQL functions instr and replace in place of the
// library's. The work's thread calls them, within a step.
//
// The library's take the product of the two lengths, and nothing can interrupt
// them, as it looks between instructions alone. With long values of somebody
// else a statement took hours. These give the same results, search in linear
// time (memmem), and look around after each piece.
//
// They are as trusted as the library's, so views and triggers may use them, and
// indexes, which keep their results (SQLITE_INNOCUOUS, SQLITE_DETERMINISTIC).
#include <string.h>

#include "stdlib/native/sqlite.h"

enum {
  PIECE = 1 << 20,
  SHORT = 64  // what is found faster by its first byte, as memmem prepares
};

typedef struct Span {
  const char *data;
  size_t len;
} Span;

// What is looked for in what, and from where on. `look` is where to look around
// next.
typedef struct Search {
  sqlite3_context *context;
  Span text, wanted;
  size_t at, look;
} Search;

static bool is_interrupted(sqlite3_context *context) {
  if (!sql_look_around(sqlite3_user_data(context))) return false;
  sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  return true;
}

static const char *find_in(Span text, Span wanted) {
  if (wanted.len > SHORT)
    return memmem(text.data, text.len, wanted.data, wanted.len);
  const char *at = text.data, *end = text.data + text.len;
  while ((size_t)(end - at) >= wanted.len) {
    at = memchr(at, wanted.data[0], (size_t)(end - at) - wanted.len + 1);
    if (at == NULL || memcmp(at, wanted.data, wanted.len) == 0) return at;
    at++;
  }
  return NULL;
}

// The next place, or the text's length without one. false: interrupted. A piece
// is longer than what is wanted, so all pieces together take linear time.
static bool find_next(Search *search, size_t *found) {
  Span text = search->text, wanted = search->wanted;
  size_t step = wanted.len < PIECE ? PIECE : wanted.len;
  *found = text.len;
  for (size_t at = search->at; at < text.len; at += step) {
    if (at >= search->look && is_interrupted(search->context)) return false;
    if (at >= search->look) search->look = at + PIECE;
    size_t left = text.len - at, most = step + wanted.len - 1;
    const char *place =
        find_in((Span){text.data + at, left < most ? left : most}, wanted);
    if (place == NULL) continue;
    *found = (size_t)(place - text.data);
    return true;
  }
  return true;
}

static Span text_of(sqlite3_value *value) {
  const char *data = (const char *)sqlite3_value_text(value);
  return (Span){data, (size_t)sqlite3_value_bytes(value)};
}

// --- instr ------------------------------------------------------------------
static Span blob_of(sqlite3_value *value) {
  const char *data = sqlite3_value_blob(value);
  return (Span){data, (size_t)sqlite3_value_bytes(value)};
}

static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

// The number of the character at `found`, from 1 on. false: interrupted.
static bool number_at(const Search *search, size_t found, int64_t *number) {
  *number = 1;
  for (size_t i = 1; i <= found; i++) {
    *number += !continues(search->text.data[i]);
    if (i % PIECE == 0 && is_interrupted(search->context)) return false;
  }
  return true;
}

static void tell_place(Search *search, bool blobs) {
  int64_t number = 0;
  Span text = search->text, wanted = search->wanted;
  // A blob that is no UTF-16 text has become an empty one. The library finds
  // that where the first NUL is, or the one after the text.
  if (wanted.len == 0) {
    wanted.len = search->wanted.len = 1;
    text.len = ++search->text.len;
  }
  bool here = wanted.len <= text.len;
  size_t found = text.len;
  // What begins in the middle of a character is found at the beginning alone.
  if (here && !blobs && continues(wanted.data[0]))
    found = memcmp(text.data, wanted.data, wanted.len) == 0 ? 0 : text.len;
  else if (here && !find_next(search, &found))
    return;
  if (found < text.len && blobs)
    number = (int64_t)found + 1;
  else if (found < text.len && !number_at(search, found, &number))
    return;
  sqlite3_result_int64(search->context, number);
}

static void find_it(sqlite3_context *context, sqlite3_value *where,
                    sqlite3_value *what, bool blobs) {
  Search search = {.context = context,
                   .text = blobs ? blob_of(where) : text_of(where),
                   .wanted = blobs ? blob_of(what) : text_of(what)};
  bool none = blobs && search.text.len == 0;
  if ((search.text.data == NULL && !none) || search.wanted.data == NULL)
    sqlite3_result_error_nomem(context);
  else
    tell_place(&search, blobs);
}

// Two blobs are compared as bytes, and all else as text. A blob is copied
// before it becomes text, as the statement may use it again.
static void sql_instr(sqlite3_context *context, int argc,
                      sqlite3_value **argv) {
  (void)argc;
  int where = sqlite3_value_type(argv[0]), what = sqlite3_value_type(argv[1]);
  if (where == SQLITE_NULL || what == SQLITE_NULL) return;
  if (sqlite3_value_bytes(argv[1]) == 0) {
    sqlite3_result_int(context, 1);
    return;
  }
  bool blobs = where == SQLITE_BLOB && what == SQLITE_BLOB;
  if (blobs || (where != SQLITE_BLOB && what != SQLITE_BLOB)) {
    find_it(context, argv[0], argv[1], blobs);
    return;
  }
  sqlite3_value *own[2] = {sqlite3_value_dup(argv[0]),
                           sqlite3_value_dup(argv[1])};
  if (own[0] != NULL && own[1] != NULL)
    find_it(context, own[0], own[1], false);
  else
    sqlite3_result_error_nomem(context);
  sqlite3_value_free(own[0]);
  sqlite3_value_free(own[1]);
}

// --- replace ----------------------------------------------------------------
// How often it is there. false: interrupted.
static bool count_places(Search *search, size_t *count) {
  *count = 0;
  for (size_t found;; ++*count) {
    if (!find_next(search, &found)) return false;
    if (found == search->text.len) break;
    search->at = found + search->wanted.len;
  }
  search->at = search->look = 0;
  return true;
}

static bool write_all(Search *search, Span with, char *to) {
  Span text = search->text;
  for (size_t found, from = 0;; from = search->at) {
    if (!find_next(search, &found)) return false;
    memcpy(to, text.data + from, found - from);
    to += found - from;
    if (found == text.len) return true;
    if (with.len > 0) memcpy(to, with.data, with.len);
    to += with.len;
    search->at = found + search->wanted.len;
  }
}

static void replace_all(Search *search, Span with) {
  sqlite3_context *context = search->context;
  size_t count, len = search->text.len;
  if (!count_places(search, &count)) return;
  sqlite3 *db = sqlite3_context_db_handle(context);
  size_t most = (size_t)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1);
  size_t rest = len - count * search->wanted.len;
  if (rest > most || (with.len > 0 && count > (most - rest) / with.len)) {
    sqlite3_result_error_toobig(context);
    return;
  }
  len = rest + count * with.len;
  char *made = sqlite3_malloc64(len + 1);
  if (made == NULL) {
    sqlite3_result_error_nomem(context);
  } else if (write_all(search, with, made)) {
    made[len] = '\0';
    sqlite3_result_text64(context, made, len, sqlite3_free, SQLITE_UTF8);
  } else {
    sqlite3_free(made);
  }
}

static void sql_replace(sqlite3_context *context, int argc,
                        sqlite3_value **argv) {
  (void)argc;
  Search search = {.context = context};
  for (int i = 0; i < 2; i++)
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL) return;
  search.text = text_of(argv[0]);
  search.wanted = text_of(argv[1]);
  if (search.text.data == NULL || search.wanted.data == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  if (search.wanted.data[0] == '\0') {  // also where it is empty
    sqlite3_result_value(context, argv[0]);
    return;
  }
  if (sqlite3_value_type(argv[2]) == SQLITE_NULL) return;
  Span with = text_of(argv[2]);
  if (with.data == NULL)
    sqlite3_result_error_nomem(context);
  else
    replace_all(&search, with);
}

// --- Both -------------------------------------------------------------------
void sql_add_functions(SqlLink *link) {
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  sqlite3_create_function_v2(link->db, "instr", 2, flags, link, sql_instr, NULL,
                             NULL, NULL);
  sqlite3_create_function_v2(link->db, "replace", 3, flags, link, sql_replace,
                             NULL, NULL, NULL);
}
