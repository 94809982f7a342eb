// SPDX-License-Identifier: MIT
// The module postgres: arguments and rows, from and to values of the language.
// The native that has the link calls these functions.
//
// Values go both ways in the server's text form, but for bytes, which are sent
// as they are. Each type has a text form, also the types of extensions, and it
// does not depend on the server's version.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "stdlib/native/postgres.h"

// Types by their numbers, which the server never changes.
enum {
  PG_BOOL = 16,
  PG_BYTEA = 17,
  PG_INT8 = 20,
  PG_INT2 = 21,
  PG_INT4 = 23,
  PG_OID = 26,
  PG_FLOAT4 = 700,
  PG_FLOAT8 = 701
};

// --- Arguments --------------------------------------------------------------
bool pg_put(CspCall *call, PgParams *params, const char *data, size_t len) {
  if (len > csp_room(call) / 2 || params->used > csp_room(call) / 2) {
    csp_panic_memory(call);
    return false;
  }
  if (params->cap - params->used < len) {
    size_t cap = params->cap < 256 ? 256 : params->cap;
    while (cap - params->used < len) cap *= 2;
    char *made = csp_alloc(csp_of(call), params->data, cap);
    if (made == NULL) {
      csp_panic_memory(call);
      return false;
    }
    params->data = made;
    params->cap = cap;
  }
  size_t at = params->used;
  params->used += len;
  if (data != NULL && !db_copy(call, params->data + at, data, len))
    return false;
  return csp_work(call, 8);
}

int pg_format_float(double real, char text[32]) {
  if (real != real) return snprintf(text, 32, "NaN");
  if (real - real == 0) return csp_format_float(real, text);
  return snprintf(text, 32, real < 0 ? "-Infinity" : "Infinity");
}

// No pg_break, as nothing was sent.
void pg_refuse_nul(PgLink *link, const char *where) {
  snprintf(link->code, sizeof link->code, "invalid");
  snprintf(link->message, sizeof link->message,
           "a text cannot have a NUL byte, which $%d%s has", link->params.count,
           where);
}

static bool pg_put_string(CspCall *call, PgLink *link, CspValue v) {
  size_t len;
  bool found;
  const char *text = csp_to_string(v, &len);
  if (!db_find_nul(call, text, len, &found)) return false;
  if (!found) return pg_put(call, &link->params, text, len);
  pg_refuse_nul(link, "");
  return false;
}

static bool pg_put_number(CspCall *call, PgLink *link, CspValue v) {
  char text[32];
  int len = 0;
  if (csp_type(v) == CSP_BOOL)
    len = snprintf(text, sizeof text, "%s", csp_to_bool(v) ? "t" : "f");
  else if (csp_type(v) == CSP_INT)
    len = snprintf(text, sizeof text, "%lld", (long long)csp_to_int(v));
  else
    len = pg_format_float(csp_to_float(v), text);
  return pg_put(call, &link->params, text, (size_t)len);
}

static bool pg_put_bytes(CspCall *call, PgLink *link, CspValue v) {
  PgParams *params = &link->params;
  size_t len = csp_bytes_len(v), at = params->used;
  if (!pg_put(call, params, NULL, len)) return false;
  return len == 0 || db_read(call, params->data + at, v, len);
}

static bool pg_put_param(CspCall *call, PgLink *link, CspValue v) {
  PgParams *params = &link->params;
  PgParam one = {(int64_t)params->used, 0, csp_type(v) == CSP_BYTES};
  bool well = true;
  switch (csp_type(v)) {
    case CSP_NIL:
      one.at = -1;
      break;
    case CSP_BOOL:
    case CSP_INT:
    case CSP_FLOAT:
      well = pg_put_number(call, link, v);
      break;
    case CSP_STRING:
      well = pg_put_string(call, link, v);
      break;
    case CSP_BYTES:
      well = pg_put_bytes(call, link, v);
      break;
    case CSP_LIST:
      well = pg_put_list(call, link, v);
      break;
    case CSP_NO_MEMORY:
      csp_panic_memory(call);
      return false;
    default:
      csp_panic(call,
                "%s: an argument must be nil, a bool, an int, a float, a "
                "string, bytes or a list of these, not %s",
                db_name(call), csp_type_name(v));
      return false;
  }
  size_t len = one.at < 0 ? 0 : params->used - (size_t)one.at;
  if (!well || !pg_put(call, params, "", 1)) return false;
  if (len > INT_MAX / 2) {
    csp_panic(call, "%s: an argument has more than 1 GB", db_name(call));
    return false;
  }
  one.len = (int)len;
  params->list[params->count - 1] = one;
  return true;
}

bool pg_put_params(CspCall *call, PgLink *link, CspValue list) {
  enum { MOST = 65535 };
  size_t count = csp_list_len(list);
  PgParams *params = &link->params;
  if (count == 0) return true;
  if (count > MOST) {
    csp_panic(call, "%s: a statement takes at most %d arguments", db_name(call),
              MOST);
    return false;
  }
  params->list = csp_alloc(link->csp, NULL, count * sizeof *params->list);
  if (params->list == NULL) {
    csp_panic_memory(call);
    return false;
  }
  while (params->count < (int)count) {
    CspValue v = csp_list_get(list, (size_t)params->count++);
    if (!pg_put_param(call, link, v)) return false;
  }
  return true;
}

// --- Values -----------------------------------------------------------------
static bool pg_make_int(CspCall *call, const char *text, size_t len,
                        CspValue *v) {
  bool minus = len > 0 && text[0] == '-';
  int64_t number = 0;
  size_t at = minus;
  for (; at < len && text[at] >= '0' && text[at] <= '9'; at++)
    if (__builtin_mul_overflow(number, 10, &number) ||
        __builtin_sub_overflow(number, text[at] - '0', &number))
      return false;
  if (at < len || at == minus || (!minus && number == INT64_MIN)) return false;
  *v = csp_int(call, minus ? number : -number);
  return true;
}

static bool pg_make_float(CspCall *call, const char *text, size_t len,
                          CspValue *v) {
  double real = 0;
  bool minus = len > 0 && text[0] == '-';
  if (strcmp(text + minus, "Infinity") == 0)
    real = minus ? -__builtin_inf() : __builtin_inf();
  else if (strcmp(text, "NaN") == 0)
    real = __builtin_nan("");
  else if (csp_parse_float(call, text, len, &real) != 0)
    return false;
  *v = csp_float(call, real);
  return true;
}

static int pg_hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// "\x" and hexadecimal digits. false: malformed.
static bool pg_from_hex(const char *text, size_t len, char *to) {
  if (len % 2 != 0) return false;
  for (size_t at = 2; at < len; at += 2) {
    int high = pg_hex(text[at]), low = pg_hex(text[at + 1]);
    if (high < 0 || low < 0) return false;
    *to++ = (char)(high << 4 | low);
  }
  return true;
}

static bool pg_is_octal(const char *text) {
  return text[0] >= '0' && text[0] <= '3' && text[1] >= '0' && text[1] <= '7' &&
         text[2] >= '0' && text[2] <= '7';
}

// The form of `bytea_output = escape`: a byte as it is, a backslash twice, or a
// backslash and three octal digits. Returns the count, or -1: malformed. to:
// NULL, or where they go.
static int64_t pg_from_escape(const char *text, size_t len, char *to) {
  int64_t count = 0;
  for (size_t at = 0; at < len; at++, count++) {
    int byte = (unsigned char)text[at];
    if (byte == '\\' && len - at > 3 && pg_is_octal(text + at + 1)) {
      byte = (text[at + 1] - '0') << 6 | (text[at + 2] - '0') << 3 |
             (text[at + 3] - '0');
      at += 3;
    } else if (byte == '\\' && (++at == len || text[at] != '\\')) {
      return -1;
    }
    if (to != NULL) to[count] = (char)byte;
  }
  return count;
}

// A session may have either form. A backslash that is a byte begins no "\x".
static bool pg_make_bytes(CspCall *call, const char *text, size_t len,
                          CspValue *v) {
  bool hex = len >= 2 && text[0] == '\\' && text[1] == 'x';
  int64_t count =
      hex ? (int64_t)(len / 2 - 1) : pg_from_escape(text, len, NULL);
  char *to;
  if (count < 0) return false;
  *v = csp_bytes_room(call, (size_t)count, &to);
  if (csp_is_undef(*v)) return true;
  if (!hex) return pg_from_escape(text, len, to) == count;
  if (pg_from_hex(text, len, to)) return true;
  memset(to, 0, (size_t)count);
  return false;
}

bool pg_make_value(CspCall *call, Oid type, const char *text, size_t len,
                   CspValue *v, bool *malformed) {
  Oid element = pg_element_of(type);
  bool well = true;
  if (element != 0)
    return pg_make_array(call, element, text, len, v, malformed);
  switch (type) {
    case PG_BOOL:
      well = len == 1 && (text[0] == 't' || text[0] == 'f');
      *v = csp_bool(text[0] == 't');
      break;
    case PG_INT2:
    case PG_INT4:
    case PG_INT8:
    case PG_OID:
      well = pg_make_int(call, text, len, v);
      break;
    case PG_FLOAT4:
    case PG_FLOAT8:
      well = pg_make_float(call, text, len, v);
      break;
    case PG_BYTEA:
      well = pg_make_bytes(call, text, len, v);
      break;
    default:
      *v = csp_string(call, text, len);
  }
  *malformed = !well;
  return csp_work(call, 64 + len / 4) && well;
}

// --- Rows -------------------------------------------------------------------
typedef struct PgRow {
  DbRow row;
  PgStep *step;
  const PGresult *result;
} PgRow;

static const char *pg_column_name(const DbRow *row, int column) {
  return PQfname(((const PgRow *)row)->result, column);
}

static bool pg_cell(CspCall *call, DbRow *row, int column, CspValue *v) {
  const PGresult *result = ((PgRow *)row)->result;
  PgStep *step = ((PgRow *)row)->step;
  *v = csp_nil();
  if (PQgetisnull(result, 0, column)) return true;
  size_t len = (size_t)PQgetlength(result, 0, column);
  bool malformed = false;
  step->bytes += len + 16;
  if (pg_make_value(call, PQftype(result, column),
                    PQgetvalue(result, 0, column), len, v, &malformed))
    return true;
  if (malformed)
    pg_break(step->link, "invalid", "the server sent a malformed value");
  return false;
}

static bool pg_make_map(CspCall *call, PgStep *step, PgRow *from,
                        CspValue *row) {
  bool changed = csp_type(step->names) == CSP_LIST &&
                 csp_list_len(step->names) != (size_t)from->row.columns;
  if ((csp_type(step->names) == CSP_NIL || changed) &&
      !db_make_names(call, &from->row, &step->names))
    return false;
  return db_make_map(call, &from->row, step->names, row);
}

// A large row, which may have come at once, so that nobody has refused it yet.
static bool pg_row_fits(CspCall *call, const PGresult *result) {
  enum { SMALL = 1 << 16 };
  size_t bytes = 0;
  for (int i = 0; i < PQnfields(result); i++)
    bytes += (size_t)PQgetlength(result, 0, i);
  return bytes < SMALL || bytes <= csp_room(call);
}

void pg_check_names(PgStep *step, const PGresult *result) {
  PgLink *link = step->link;
  const char *twice = NULL;
  PgRow row = {{PQnfields(result), pg_column_name, pg_cell}, step, result};
  if (step->differ || link->most <= 0 || link->code[0] != '\0') return;
  step->differ = true;
  bool found = db_find_twice(link->csp, &row.row, &twice);
  if (found && twice == NULL) return;
  snprintf(link->code, sizeof link->code, "%s", found ? "syntax" : "memory");
  snprintf(link->message, sizeof link->message, "no memory for a row's names");
  if (found) db_tell_twice(link->message, sizeof link->message, twice);
}

bool pg_add_row(CspCall *call, PgStep *step, const PGresult *result,
                CspStatus *status) {
  CspValue row;
  size_t before = step->bytes;
  *status = CSP_PANIC;
  if (!pg_row_fits(call, result)) {
    pg_break(step->link, "memory", "a row takes more than memory is left for");
    return false;
  }
  PgRow from = {{PQnfields(result), pg_column_name, pg_cell}, step, result};
  CspValue type = csp_arg(call, csp_argc(call) - 2);
  bool well = step->held == 0
                  ? pg_make_map(call, step, &from, &row)
                  : db_make_struct(call, &from.row, type, &row, status);
  pg_took(step->link, step->bytes - before);
  return well && csp_list_push(call, step->rows, row);
}
