// SPDX-License-Identifier: MIT
// The module postgres: arrays as the server writes them, from and to lists.
//
//   [0:1]={1,NULL,"a \"b\""}     {{1,2},{3,4}}
//
// The bounds before '=' are dropped, as lists begin at 0. A server may send any
// text, so everything is checked. One pass reads the text.
#include <stdio.h>
#include <string.h>

#include "stdlib/native/postgres.h"

// Types of arrays that do not hold strings only, and of the common ones that
// do, by their numbers.
Oid pg_element_of(Oid array) {
  enum { TEXT = 25 };
  static const Oid table[][2] = {
      {1000, 16},   {1001, 17},   {1016, 20},   {1005, 21},   {1007, 23},
      {1028, 26},   {1021, 700},  {1022, 701},  {1009, TEXT}, {1015, TEXT},
      {1014, TEXT}, {1003, TEXT}, {1002, TEXT}, {1231, TEXT}, {2951, TEXT},
      {199, TEXT},  {3807, TEXT}, {1115, TEXT}, {1185, TEXT}, {1182, TEXT},
      {1183, TEXT}, {1270, TEXT}, {1187, TEXT}, {1041, TEXT}, {651, TEXT}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i][0] == array) return table[i][1];
  return 0;
}

// --- Reading ----------------------------------------------------------------
typedef struct PgArray {
  CspCall *call;
  Oid element;
  const char *text;
  size_t at, len;
  char *plain;  // an element without its quotes and backslashes
  CspValue open[PG_DEEP];
  int depth;
} PgArray;

static char pg_array_char(const PgArray *array) {
  return array->at < array->len ? array->text[array->at] : '\0';
}

// "[1:2][0:3]=", if there is one.
static bool pg_skip_bounds(PgArray *array) {
  if (pg_array_char(array) != '[') return true;
  size_t count = strspn(array->text, "[]:-+0123456789");
  array->at = count + 1;
  return count < array->len && array->text[count] == '=';
}

static bool pg_array_string(PgArray *array, size_t *len) {
  *len = 0;
  for (array->at++; array->at < array->len; array->at++) {
    char c = array->text[array->at];
    if (c == '"') {
      array->at++;
      return true;
    }
    if (c == '\\' && ++array->at == array->len) return false;
    array->plain[(*len)++] = array->text[array->at];
  }
  return false;
}

static bool pg_array_plain(PgArray *array, size_t *len, bool *null) {
  *len = 0;
  for (; array->at < array->len; array->at++) {
    char c = array->text[array->at];
    if (c == ',' || c == '}') break;
    if (c == '"' || c == '{') return false;
    if (c == '\\' && ++array->at == array->len) return false;
    array->plain[(*len)++] = array->text[array->at];
  }
  *null = *len == 4 && memcmp(array->plain, "NULL", 4) == 0;
  return *len > 0;
}

static bool pg_array_element(PgArray *array, bool *malformed) {
  CspValue v = csp_nil();
  size_t len;
  bool null = false, quoted = pg_array_char(array) == '"';
  *malformed = !(quoted ? pg_array_string(array, &len)
                        : pg_array_plain(array, &len, &null));
  if (*malformed) return false;
  array->plain[len] = '\0';
  if (!null && !pg_make_value(array->call, array->element, array->plain, len,
                              &v, malformed))
    return false;
  return csp_list_push(array->call, array->open[array->depth - 1], v);
}

static bool pg_array_begin(PgArray *array, bool *malformed) {
  CspValue list = csp_list(array->call, 0);
  array->at++;
  *malformed = array->depth == PG_DEEP;
  if (*malformed) return false;
  if (csp_is_undef(list)) {
    csp_panic_memory(array->call);
    return false;
  }
  if (array->depth > 0 &&
      !csp_list_push(array->call, array->open[array->depth - 1], list))
    return false;
  array->open[array->depth++] = list;
  return true;
}

// From where an element or a list begins to the end of all.
static bool pg_array_items(PgArray *array, bool *malformed) {
  for (;;) {
    char c = pg_array_char(array);
    if (c == '{') {
      if (!pg_array_begin(array, malformed)) return false;
      if (pg_array_char(array) != '}') continue;
    } else if (!pg_array_element(array, malformed)) {
      return false;
    }
    while (pg_array_char(array) == '}') {
      array->at++;
      if (--array->depth == 0) return true;
    }
    *malformed = pg_array_char(array) != ',';
    if (*malformed) return false;
    array->at++;
  }
}

bool pg_make_array(CspCall *call, Oid element, const char *text, size_t len,
                   CspValue *v, bool *malformed) {
  PgArray array = {.call = call, .element = element, .text = text, .len = len};
  *v = csp_nil();
  *malformed = !pg_skip_bounds(&array) || pg_array_char(&array) != '{';
  if (*malformed) return false;
  array.plain = csp_alloc(csp_of(call), NULL, len + 1);
  if (array.plain == NULL) {
    csp_panic_memory(call);
    return false;
  }
  bool well = pg_array_items(&array, malformed);
  csp_alloc_free(array.plain);
  *v = array.open[0];
  if (well && array.at != len) *malformed = true;
  return well && !*malformed;
}

// --- Writing ----------------------------------------------------------------
static bool pg_is_escaped(char c) { return c == '"' || c == '\\'; }

// How many bytes are put as they are, in a piece.
static size_t pg_count_plain(const char *text, size_t len) {
  size_t plain = 0;
  while (plain < len && plain < DB_PIECE && !pg_is_escaped(text[plain]))
    plain++;
  return plain;
}

// A list that is put. at: the index in each of the lists that are open.
typedef struct PgPutList {
  CspCall *call;
  PgLink *link;
  int depth;
  size_t at[PG_DEEP];
} PgPutList;

static bool pg_put_more(PgPutList *put, const char *data, size_t len) {
  return pg_put(put->call, &put->link->params, data, len);
}

static void pg_refuse_nul_at(const PgPutList *put) {
  enum { INDEX = 24 };  // "[" a number "]"
  char where[PG_DEEP * INDEX];
  int len = 0;
  for (int i = 0; i < put->depth; i++)
    len += snprintf(where + len, INDEX, "[%zu]", put->at[i]);
  pg_refuse_nul(put->link, where);
}

// In quotes, with a backslash before each quote and backslash.
static bool pg_put_quoted(PgPutList *put, const char *text, size_t len) {
  bool found;
  if (!db_find_nul(put->call, text, len, &found)) return false;
  if (found) {
    pg_refuse_nul_at(put);
    return false;
  }
  if (!pg_put_more(put, "\"", 1)) return false;
  for (size_t at = 0; at < len;) {
    size_t plain = pg_count_plain(text + at, len - at);
    if (!pg_put_more(put, text + at, plain)) return false;
    at += plain;
    if (at == len || !pg_is_escaped(text[at])) continue;
    char both[2] = {'\\', text[at++]};
    if (!pg_put_more(put, both, 2)) return false;
  }
  return pg_put_more(put, "\"", 1);
}

static bool pg_put_hex(PgPutList *put, CspValue bytes) {
  size_t len = csp_bytes_len(bytes);
  if (!pg_put_more(put, "\"\\\\x", 4)) return false;
  for (size_t at = 0; at < len; at++) {
    unsigned char byte = 0;
    char hex[3];
    csp_bytes_read(bytes, at, &byte, 1);
    snprintf(hex, sizeof hex, "%02x", byte);
    if (!pg_put_more(put, hex, 2)) return false;
  }
  return pg_put_more(put, "\"", 1);
}

static bool pg_put_items(PgPutList *put, CspValue list);

static bool pg_put_element(PgPutList *put, CspValue v) {
  char text[32];
  size_t len = 0;
  const char *data = text;
  switch (csp_type(v)) {
    case CSP_NIL:
      return pg_put_more(put, "NULL", 4);
    case CSP_BOOL:
      return pg_put_more(put, csp_to_bool(v) ? "t" : "f", 1);
    case CSP_INT:
      len =
          (size_t)snprintf(text, sizeof text, "%lld", (long long)csp_to_int(v));
      return pg_put_more(put, text, len);
    case CSP_FLOAT:
      len = (size_t)pg_format_float(csp_to_float(v), text);
      return pg_put_more(put, text, len);
    case CSP_STRING:
      data = csp_to_string(v, &len);
      return pg_put_quoted(put, data, len);
    case CSP_BYTES:
      return pg_put_hex(put, v);
    case CSP_LIST:
      return pg_put_items(put, v);
    case CSP_NO_MEMORY:
      csp_panic_memory(put->call);
      return false;
    default:
      csp_panic(put->call, "%s: a list that is an argument cannot have a %s",
                db_name(put->call), csp_type_name(v));
      return false;
  }
}

static bool pg_put_items(PgPutList *put, CspValue list) {
  int depth = put->depth;
  if (depth >= PG_DEEP) {
    csp_panic(put->call, "%s: an argument has lists in lists %d deep",
              db_name(put->call), PG_DEEP);
    return false;
  }
  if (!pg_put_more(put, "{", 1)) return false;
  put->depth++;
  for (size_t i = 0; i < csp_list_len(list); i++) {
    put->at[depth] = i;
    if (i > 0 && !pg_put_more(put, ",", 1)) return false;
    if (!pg_put_element(put, csp_list_get(list, i))) return false;
  }
  put->depth--;
  return pg_put_more(put, "}", 1);
}

bool pg_put_list(CspCall *call, PgLink *link, CspValue list) {
  PgPutList put = {.call = call, .link = link};
  return pg_put_items(&put, list);
}
