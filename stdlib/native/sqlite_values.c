// SPDX-License-Identifier: MIT
// The module sqlite: arguments and rows, from and to values of the language.
// The native that has the link calls these functions.
#include "stdlib/native/sqlite.h"

#include <string.h>

// --- Arguments --------------------------------------------------------------
static bool put_param(CspCall *call, SqlLink *link, CspValue v) {
  SqlCell cell = {SQLITE_NULL, 0, 0, 0};
  const char *text = NULL;
  CspType type = csp_type(v);
  switch (type) {
    case CSP_NIL:
      break;
    case CSP_BOOL:
    case CSP_INT:
      cell.type = SQLITE_INTEGER;
      cell.number = type == CSP_INT ? csp_to_int(v) : csp_to_bool(v);
      break;
    case CSP_FLOAT:
      cell.type = SQLITE_FLOAT;
      cell.real = csp_to_float(v);
      break;
    case CSP_STRING:
      cell.type = SQLITE_TEXT;
      text = csp_to_string(v, &cell.len);
      break;
    case CSP_BYTES:
      cell.type = SQLITE_BLOB;
      cell.len = csp_bytes_len(v);
      break;
    case CSP_NO_MEMORY:
      csp_panic_memory(call);
      return false;
    default:
      csp_panic(call,
                "%s: an argument must be nil, a bool, an int, a float, a "
                "string or bytes, not %s%s",
                db_name(call), csp_type_name(v),
                type == CSP_LIST || type == CSP_TUPLE
                    ? " (`...` after it gives its elements)"
                    : "");
      return false;
  }
  char *to = sql_put_cell(link, &link->params, cell);
  if (to == NULL) {
    csp_panic_memory(call);
    return false;
  }
  if (text != NULL && !db_copy(call, to, text, cell.len)) return false;
  if (type == CSP_BYTES && !db_read(call, to, v, cell.len)) return false;
  return csp_work(call, 16);
}

static bool put_named(CspCall *call, SqlLink *link, CspValue map) {
  CspIter iter = {{0, 0, 0}};
  CspValue key, value;
  link->run.given = 0;
  while (csp_map_next(call, map, &iter, &key, &value)) {
    SqlCell cell = {CELL_NAME, 0, 0, 0};
    const char *text =
        csp_type(key) == CSP_STRING ? csp_to_string(key, &cell.len) : NULL;
    if (text == NULL) {
      csp_panic(call, "%s: a parameter's name must be a string, not %s",
                db_name(call), csp_type_name(key));
      return false;
    }
    char *to = sql_put_cell(link, &link->params, cell);
    if (to == NULL) {
      csp_panic_memory(call);
      return false;
    }
    if (!db_copy(call, to, text, cell.len)) return false;
    if (!put_param(call, link, value)) return false;
    link->run.given++;
  }
  return csp_work(call, 16);
}

// The arguments are a list, or a list of one map.
bool sql_put_params(CspCall *call, SqlLink *link, CspValue list) {
  size_t count = csp_list_len(list);
  link->params.used = 0;
  CspValue first = csp_list_get(list, 0);
  link->run.named = count == 1 && csp_type(first) == CSP_MAP;
  if (link->run.named) return put_named(call, link, first);
  link->run.given = (int64_t)count;
  for (size_t i = 0; i < count; i++)
    if (!put_param(call, link, csp_list_get(list, i))) return false;
  return true;
}

// --- Rows as values ---------------------------------------------------------
typedef struct SqlRow {
  DbRow row;
  SqlLink *link;
  size_t at;  // of the next cell, in link->rows
} SqlRow;

static const char *column_name(const DbRow *row, int column) {
  return sqlite3_column_name(((const SqlRow *)row)->link->run.stmt, column);
}

static bool make_cell(CspCall *call, DbRow *row, int column, CspValue *v) {
  (void)column;  // they come in their order
  SqlCell cell;
  SqlRow *from = (SqlRow *)row;
  const char *data = sql_next_cell(&from->link->rows, &from->at, &cell);
  switch (cell.type) {
    case SQLITE_INTEGER:
      *v = csp_int(call, cell.number);
      break;
    case CELL_BOOL:
      *v = csp_bool(cell.number != 0);
      break;
    case SQLITE_FLOAT:
      *v = csp_float(call, cell.real);
      break;
    case SQLITE_TEXT:
      *v = csp_string(call, data, cell.len);
      break;
    case SQLITE_BLOB:
      *v = csp_bytes(call, data, cell.len);
      break;
    case SQLITE_NULL:
      *v = csp_nil();
      break;
    default:
      csp_panic(call, "%s: a cell of the unknown type %d", db_name(call),
                cell.type);
      return false;
  }
  return csp_work(call, 64 + cell.len / 4);
}

// The rows of the buffer. false: *status is the call's.
static bool make_rows(CspCall *call, SqlLink *link, CspValue type,
                      CspValue list, CspStatus *status) {
  CspValue names = csp_nil(), row;
  bool maps = csp_type(type) == CSP_NIL;
  *status = CSP_PANIC;
  int columns = sqlite3_column_count(link->run.stmt);
  SqlRow from = {{columns, column_name, make_cell}, link, 0};
  if (maps && !db_make_names(call, &from.row, &names)) return false;
  for (int64_t i = 0; i < link->run.count; i++) {
    if (maps ? !db_make_map(call, &from.row, names, &row)
             : !db_make_struct(call, &from.row, type, &row, status))
      return false;
    if (!csp_list_push(call, list, row)) return false;
  }
  return true;
}

// (row, nil, nil), or (rows, whether there may be more, nil).
CspStatus sql_give_rows(CspCall *call, SqlLink *link, CspValue type) {
  SqlRun *run = &link->run;
  CspStatus status = CSP_PANIC;
  bool more = run->code == SQLITE_ROW, one = run->most == 1;
  enum { LEAST = 64 << 10 };  // csp_room says no less
  size_t room = csp_room(call);
  if (link->limited && (room <= LEAST || room / 8 < link->rows.used))
    csp_make_room(call);
  CspValue list = csp_list(call, (size_t)run->count);
  CspHandle held = 0;
  bool there = !csp_is_undef(list), maps = csp_type(type) == CSP_NIL;
  if (there && !maps) held = csp_hold(call, list);  // for csp_call
  there = there && (maps || held != 0);
  bool made = there && make_rows(call, link, type, list, &status);
  if (!there) csp_panic_memory(call);
  if (held != 0) csp_release(csp_of(call), held);
  if (!made || !more) sql_drop_run_stmt(link);
  sql_leave(link, made && more);
  if (!made) return status;
  csp_return(call, one ? csp_list_get(list, 0) : list);
  csp_return(call, csp_bool(more));
  return csp_ok(call, csp_nil());
}
