// SPDX-License-Identifier: MIT
// The module sqlite: the SQL function json_patch, with a bound. The work's
// thread calls it, within a step.
//
// The library's compares each key of the patch with each key of the object, and
// nothing can interrupt it: objects of 1 MB took minutes, and of 10 MB hours.
// So the keys are counted before. If they are few enough, the library does the
// work on a connection of its own, as this function hides it on the link's.
#include <string.h>

#include "stdlib/native/sqlite.h"

enum { LOOK_AFTER = 1 << 20, JSON_SUBTYPE = 'J' };
static const size_t PAIRS_MOST = (size_t)1 << 28;  // about a second

// How many members the objects in the text have: the colons outside of strings.
// false: interrupted.
static bool count_keys(sqlite3_context *context, const char *text, size_t len,
                       size_t *count) {
  bool inside = false;
  *count = 0;
  for (size_t i = 0; i < len; i++) {
    if (text[i] == '"')
      inside = !inside;
    else if (inside && text[i] == '\\')
      i++;
    else if (!inside && text[i] == ':')
      ++*count;
    if (i % LOOK_AFTER == 0 && sql_look_around(sqlite3_user_data(context))) {
      sqlite3_result_error_code(context, SQLITE_INTERRUPT);
      return false;
    }
  }
  return true;
}

// The statement on a connection of its own. NULL: the result is an error.
static sqlite3_stmt *patch_of(SqlLink *link, sqlite3_context *context) {
  if (link->patch != NULL) return link->patch;
  sqlite3 *db = NULL, *own = sqlite3_context_db_handle(context);
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
  int code = sqlite3_open_v2(":memory:", &db, flags, NULL);
  if (code == SQLITE_OK) {
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH,
                  sqlite3_limit(own, SQLITE_LIMIT_LENGTH, -1));
    code = sqlite3_prepare_v2(db, "select json_patch(?1, ?2)", -1, &link->patch,
                              NULL);
  }
  if (code == SQLITE_OK) return link->patch;
  if (code == SQLITE_NOMEM)
    sqlite3_result_error_nomem(context);
  else
    sqlite3_result_error(context, sqlite3_errmsg(db), -1);
  sqlite3_close(db);
  return NULL;
}

void sql_drop_patch(SqlLink *link) {
  if (link->patch == NULL) return;
  sqlite3 *db = sqlite3_db_handle(link->patch);
  sqlite3_finalize(link->patch);
  sqlite3_close(db);
  link->patch = NULL;
}

static void give_result(sqlite3_context *context, sqlite3_stmt *stmt) {
  int code = sqlite3_step(stmt);
  if (code == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL) {
    const char *text = (const char *)sqlite3_column_text(stmt, 0);
    sqlite3_result_text64(context, text, (size_t)sqlite3_column_bytes(stmt, 0),
                          SQLITE_TRANSIENT, SQLITE_UTF8);
    sqlite3_result_subtype(context, JSON_SUBTYPE);
  } else if (code != SQLITE_ROW) {
    sqlite3_result_error(context, sqlite3_errmsg(sqlite3_db_handle(stmt)), -1);
    if (code != SQLITE_ERROR) sqlite3_result_error_code(context, code);
  }
  sqlite3_reset(stmt);
  sqlite3_clear_bindings(stmt);
}

static void sql_json_patch(sqlite3_context *context, int argc,
                           sqlite3_value **argv) {
  const char *texts[2] = {NULL, NULL};  // NULL: so is the argument
  size_t lens[2] = {0, 0}, keys[2] = {0, 0};
  for (int i = 0; i < argc; i++) {
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL) continue;
    texts[i] = (const char *)sqlite3_value_text(argv[i]);
    lens[i] = (size_t)sqlite3_value_bytes(argv[i]);
    if (texts[i] == NULL) {
      sqlite3_result_error_nomem(context);
      return;
    }
    if (!count_keys(context, texts[i], lens[i], &keys[i])) return;
  }
  if (keys[1] != 0 && keys[0] > PAIRS_MOST / keys[1]) {
    sqlite3_result_error(context, "json_patch: the objects have too many keys",
                         -1);
    sqlite3_result_error_code(context, SQLITE_TOOBIG);
    return;
  }
  sqlite3_stmt *stmt = patch_of(sqlite3_user_data(context), context);
  if (stmt == NULL) return;
  for (int i = 0; i < argc; i++)
    sqlite3_bind_text64(stmt, i + 1, texts[i], lens[i], SQLITE_STATIC,
                        SQLITE_UTF8);
  give_result(context, stmt);
}

void sql_add_patch(SqlLink *link) {
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  sqlite3_create_function_v2(link->db, "json_patch", 2, flags, link,
                             sql_json_patch, NULL, NULL, NULL);
}
