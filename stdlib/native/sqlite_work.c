// SPDX-License-Identifier: MIT
// The module sqlite: what runs in csp_block. It prepares, binds and steps, and
// calls nothing of csp.h but csp_in_vain and csp_alloc. The thread in the call
// has the link.
#include "stdlib/native/sqlite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Work: the end of it ----------------------------------------------------
bool sql_ends_early(SqlLink *link, int64_t taken) {
  SqlRun *run = &link->run;
  if (run->watch.runtime == NULL) return false;
  if (csp_in_vain(&run->watch)) run->vain = true;
  if (sql_is_ending(link) && !run->ends) run->closed = true;
  if (link->limited && !run->ends && taken > (int64_t)run->room)
    run->limited = true;
  return run->vain || run->limited || run->closed;
}

// The library asks this now and then. Not 0: the statement is interrupted.
int sql_look_around(void *data) {
  SqlLink *link = data;
  int64_t taken = link->limited ? sqlite3_memory_used() - link->run.memory : 0;
  return sql_ends_early(link, taken);
}

// --- Work: binding ----------------------------------------------------------
static void refuse(SqlRun *run, int code, const char *text, const char *more) {
  run->code = code;
  snprintf(run->message, sizeof run->message, "%s%s", text, more);
}

static int bind_cell(sqlite3_stmt *stmt, int i, const SqlCell *cell,
                     const char *data) {
  switch (cell->type) {
    case SQLITE_INTEGER:
      return sqlite3_bind_int64(stmt, i, cell->number);
    case SQLITE_FLOAT:
      return sqlite3_bind_double(stmt, i, cell->real);
    case SQLITE_TEXT:
      return sqlite3_bind_text64(stmt, i, data, cell->len, SQLITE_STATIC,
                                 SQLITE_UTF8);
    case SQLITE_BLOB:
      return sqlite3_bind_blob64(stmt, i, data, cell->len, SQLITE_STATIC);
    case SQLITE_NULL:
      return sqlite3_bind_null(stmt, i);
    default:
      return SQLITE_MISUSE;
  }
}

// A name of the arguments, and where its value is in `params`.
typedef struct SqlName {
  const char *text;
  size_t len, at;
} SqlName;

static int compare_names(const void *x, const void *y) {
  const SqlName *a = x, *b = y;
  if (a->len != b->len) return a->len < b->len ? -1 : 1;
  return memcmp(a->text, b->text, a->len);
}

// The names of the map, in order. NULL: out of memory.
static SqlName *sorted_names(SqlLink *link, size_t *count) {
  size_t at = 0, room = (size_t)link->run.given;
  SqlName *names = csp_alloc(link->csp, NULL, (room + 1) * sizeof *names);
  for (*count = 0; names != NULL && at < link->params.used; ++*count) {
    SqlCell cell;
    SqlName *name = &names[*count];
    name->text = sql_next_cell(&link->params, &at, &cell);
    name->len = cell.len;
    name->at = at;
    sql_next_cell(&link->params, &at, &cell);
  }
  if (names != NULL) qsort(names, *count, sizeof *names, compare_names);
  return names;
}

static bool bind_name(SqlLink *link, int i, const SqlName *names,
                      size_t count) {
  SqlRun *run = &link->run;
  const char *text = sqlite3_bind_parameter_name(run->stmt, i);
  const SqlName *found = NULL;
  if (text != NULL) {
    SqlName wanted = {text + 1, strlen(text + 1), 0};
    found = bsearch(&wanted, names, count, sizeof *names, compare_names);
  }
  if (found == NULL) {
    refuse(run, RUN_WRONG, "the map has no value for the parameter ",
           text != NULL ? text : "?");
    return false;
  }
  SqlCell cell;
  size_t at = found->at;
  const char *data = sql_next_cell(&link->params, &at, &cell);
  run->code = bind_cell(run->stmt, i, &cell, data);
  return run->code == SQLITE_OK;
}

static bool bind_named(SqlLink *link, int wanted) {
  size_t count = 0;
  SqlName *names = sorted_names(link, &count);
  bool well = names != NULL;
  if (names == NULL) link->run.code = SQLITE_NOMEM;
  // (The library looks through its names for each.)
  for (int i = 1; well && i <= wanted; i++) {
    if (i % 64 == 0 && sql_look_around(link)) link->run.code = SQLITE_INTERRUPT;
    well = link->run.code == SQLITE_OK && bind_name(link, i, names, count);
  }
  csp_alloc_free(names);
  return well;
}

// false: run.code tells.
static bool bind_all(SqlLink *link) {
  SqlRun *run = &link->run;
  int wanted = sqlite3_bind_parameter_count(run->stmt);
  run->bound = true;
  if (run->named) return bind_named(link, wanted);
  if (wanted != run->given) {
    char numbers[80];
    snprintf(numbers, sizeof numbers, "%d argument%s, and %lld %s given",
             wanted, wanted == 1 ? "" : "s", (long long)run->given,
             run->given == 1 ? "is" : "are");
    refuse(run, RUN_WRONG, "the statement wants ", numbers);
    return false;
  }
  size_t at = 0;
  for (int i = 1; i <= wanted && run->code == SQLITE_OK; i++) {
    SqlCell cell;
    const char *data = sql_next_cell(&link->params, &at, &cell);
    run->code = bind_cell(run->stmt, i, &cell, data);
  }
  return run->code == SQLITE_OK;
}

// --- Work: preparing --------------------------------------------------------
SqlStmt *sql_find_stmt(SqlLink *link, const char *text, size_t len) {
  for (SqlStmt **at = &link->newest; *at != NULL; at = &(*at)->next) {
    SqlStmt *kept = *at;
    if (kept->len != len || kept->control != link->control ||
        memcmp(kept->text, text, len) != 0)
      continue;
    *at = kept->next;
    kept->next = link->newest;
    return link->newest = kept;
  }
  return NULL;
}

// The statement is the link's now, if it is kept.
static void keep_stmt(SqlLink *link, sqlite3_stmt *stmt) {
  SqlRun *run = &link->run;
  SqlStmt *kept = csp_alloc(link->csp, NULL, sizeof *kept + run->len);
  if (kept == NULL) return;
  *kept = (SqlStmt){stmt, link->newest, link->control, false, 0, run->len};
  memcpy(kept->text, run->text, run->len);
  link->newest = run->kept = kept;
  if (++link->cached <= CACHED) return;
  SqlStmt **last = &link->newest;
  while ((*last)->next != NULL) last = &(*last)->next;
  sql_drop_stmt(*last);
  *last = NULL;
  link->cached--;
}

void sql_drop_run_stmt(SqlLink *link) {
  SqlRun *run = &link->run;
  if (run->stmt != NULL && run->kept != NULL) sqlite3_reset(run->stmt);
  if (run->stmt != NULL && run->kept == NULL) sqlite3_finalize(run->stmt);
  run->stmt = NULL;
  run->kept = NULL;
}

// The next statement of *text, which moves on. NULL with SQLITE_OK: there is
// none. Nothing of the text is copied, so many statements take linear time.
static sqlite3_stmt *prepare_some(SqlLink *link, const char **text,
                                  const char *end) {
  sqlite3_stmt *stmt = NULL;
  link->run.code = SQLITE_OK;
  while (stmt == NULL && *text < end && link->run.code == SQLITE_OK) {
    link->run.code =
        sql_look_around(link)
            ? SQLITE_INTERRUPT
            : sqlite3_prepare_v3(link->db, *text, -1, SQLITE_PREPARE_PERSISTENT,
                                 &stmt, text);
  }
  return stmt;
}

// Whether nothing but blanks and comments follows.
static bool is_blank(SqlLink *link, const char *text, const char *end) {
  sqlite3_stmt *stmt = prepare_some(link, &text, end);
  bool blank = stmt == NULL && link->run.code == SQLITE_OK;
  sqlite3_finalize(stmt);
  link->run.code = SQLITE_OK;
  return blank;
}

// Whether a text of more statements may be run like this.
static bool takes_more(SqlRun *run) {
  if (run->most > 0)
    refuse(run, RUN_REFUSED, "the text has more than one statement",
           ", which exec alone takes");
  else if (run->named || run->given > 0)
    refuse(run, RUN_WRONG, "arguments need a text of one statement", "");
  return run->code == SQLITE_OK;
}

// Each inner transaction has a name of its own, so these texts come once.
static bool comes_again(const SqlLink *link) {
  return !link->control || (strncmp(link->run.text, "SAVEPOINT", 9) != 0 &&
                            strncmp(link->run.text, "RELEASE", 7) != 0);
}

// Makes the next statement of the text the run's. false: run.code tells, and
// SQLITE_DONE means that there is none.
static bool prepare_next(SqlLink *link) {
  SqlRun *run = &link->run;
  const char *tail = run->text, *end = run->text + run->len;
  bool first = !run->begun;
  run->stmt = prepare_some(link, &tail, end);
  run->begun = true;
  run->bound = false;
  if (run->code != SQLITE_OK) return false;
  if (run->stmt == NULL) {
    run->code = SQLITE_DONE;
    if (first && run->most > 0)
      refuse(run, RUN_REFUSED, "there is no statement in the text", "");
    return false;
  }
  if (link->kind == LINK_READER && link->denied != NULL &&
      sqlite3_stmt_readonly(run->stmt)) {
    run->code = SQLITE_AUTH;
    return false;
  }
  bool single = first && (tail == end || is_blank(link, tail, end));
  if (single && comes_again(link)) keep_stmt(link, run->stmt);
  run->text = tail;
  run->len = single ? 0 : (size_t)(end - tail);
  return single || takes_more(run);
}

// --- Work: running ----------------------------------------------------------
// Whether the column was declared for bools. SQLite has none, and keeps 0
// and 1.
static bool is_for_bools(sqlite3_stmt *stmt, int i) {
  const char *type = sqlite3_column_decltype(stmt, i);
  return type != NULL && (sqlite3_stricmp(type, "boolean") == 0 ||
                          sqlite3_stricmp(type, "bool") == 0);
}

// The columns of a statement, for what asks for their names.
typedef struct SqlColumns {
  DbRow row;
  sqlite3_stmt *stmt;
} SqlColumns;

static const char *name_of(const DbRow *row, int column) {
  return sqlite3_column_name(((const SqlColumns *)row)->stmt, column);
}

// Whether a row has room for all columns. Else run.code tells.
static bool names_differ(SqlLink *link) {
  SqlRun *run = &link->run;
  const char *twice = NULL;
  SqlColumns columns = {{sqlite3_column_count(run->stmt), name_of, NULL},
                        run->stmt};
  if (run->most <= 0 || (run->kept != NULL && run->kept->differ)) return true;
  if (!db_find_twice(link->csp, &columns.row, &twice)) {
    refuse(run, SQLITE_NOMEM, "out of memory", "");
    return false;
  }
  if (twice == NULL && run->kept != NULL) run->kept->differ = true;
  if (twice == NULL) return true;
  run->code = RUN_REFUSED;
  db_tell_twice(run->message, sizeof run->message, twice);
  return false;
}

// The library has prepared the statement anew, as the schema is another one.
static bool is_another(SqlRun *run) {
  int times = sqlite3_stmt_status(run->stmt, SQLITE_STMTSTATUS_REPREPARE, 0);
  SqlStmt *kept = run->kept;
  if (kept == NULL) return times > 0;
  bool again = times != kept->times;
  if (again) kept->differ = false;
  kept->times = times;
  return again;
}

static bool put_row(SqlLink *link) {
  sqlite3_stmt *stmt = link->run.stmt;
  int columns = sqlite3_column_count(stmt);
  for (int i = 0; i < columns; i++) {
    SqlCell cell = {sqlite3_column_type(stmt, i), 0, 0, 0};
    const void *data = NULL;
    if (cell.type == SQLITE_INTEGER) {
      cell.number = sqlite3_column_int64(stmt, i);
      if ((cell.number == 0 || cell.number == 1) && is_for_bools(stmt, i))
        cell.type = CELL_BOOL;
    } else if (cell.type == SQLITE_FLOAT) {
      cell.real = sqlite3_column_double(stmt, i);
    } else if (cell.type != SQLITE_NULL) {
      data = cell.type == SQLITE_TEXT
                 ? (const void *)sqlite3_column_text(stmt, i)
                 : sqlite3_column_blob(stmt, i);
      cell.len = (size_t)sqlite3_column_bytes(stmt, i);
      if (data == NULL && cell.len > 0) return false;
    }
    char *to = sql_put_cell(link, &link->rows, cell);
    if (to == NULL) return false;
    if (cell.len > 0) memcpy(to, data, cell.len);
  }
  link->run.count++;
  return true;
}

// Steps until there are enough rows (SQLITE_ROW), to the end, or an error. What
// writes is stepped to its end, so that it has been done.
static void step_rows(SqlLink *link) {
  SqlRun *run = &link->run;
  bool writes = !sqlite3_stmt_readonly(run->stmt);
  for (;;) {
    link->stepping = true;
    run->code = sqlite3_step(run->stmt);
    link->stepping = false;
    if (run->code != SQLITE_ROW) return;
    if (run->count == 0 && is_another(run) && !names_differ(link)) return;
    bool wanted = run->most > 0 && !(run->most == 1 && run->count == 1);
    if (wanted && !put_row(link)) {
      run->limited = true;
      return;
    }
    if (writes || run->most <= 0) continue;
    if (run->count >= run->most || link->rows.used > BATCH_BYTES) return;
  }
}

// The library says so for files of data, but not for the log's index.
static bool is_out_of_space(SqlLink *link) {
  int error = link->db != NULL ? sqlite3_system_errno(link->db) : 0;
  return link->run.code > 0 && (link->run.code & 0xff) == SQLITE_IOERR &&
         (error == ENOSPC || error == EDQUOT);
}

void sql_tell_error(SqlLink *link) {
  SqlRun *run = &link->run;
  if (is_out_of_space(link)) run->code = SQLITE_FULL;
  const char *text = run->code == SQLITE_FULL ? sqlite3_errstr(SQLITE_FULL)
                                              : sqlite3_errmsg(link->db);
  if (sql_stack_was_over()) {
    run->code = RUN_DEEP;
    text = "the statement, or what it uses of the schema, is nested too deeply";
  } else if (run->limited) {
    run->code = SQLITE_NOMEM;
    text = "the statement takes more memory than the limit leaves";
  } else if (run->code == SQLITE_AUTH && link->denied != NULL) {
    text = link->denied;
  }
  snprintf(run->message, sizeof run->message, "%s", text);
}

// Whether the statement could not be prepared now, as its step does where the
// schema is not the same any more.
static bool fits_no_more(SqlLink *link) {
  sqlite3_stmt *again = NULL;
  int code = sqlite3_prepare_v2(link->db, sqlite3_sql(link->run.stmt), -1,
                                &again, NULL);
  sqlite3_finalize(again);
  return (code & 0xff) == SQLITE_ERROR;
}

// The library has one code, SQLITE_ERROR, for a text that is no SQL and for
// most that goes wrong while a statement runs. Its messages tell the rest.
static void tell_step_error(SqlLink *link) {
  SqlRun *run = &link->run;
  // it was prepared anew, and has come to use what is the writer's
  if (link->kind == LINK_READER && link->denied != NULL)
    run->code = SQLITE_AUTH;
  sql_tell_error(link);
  const char *text = run->message;
  if (run->code <= 0 || (run->code & 0xff) != SQLITE_ERROR) return;
  if (strcmp(text, "too many levels of trigger recursion") == 0)
    run->code = RUN_DEEP;
  else if (strcmp(text, "LIKE or GLOB pattern too complex") == 0)
    run->code = RUN_REFUSED;
  else if (strncmp(text, "no such savepoint", 17) == 0)
    run->code = RUN_GONE;
  else if (!fits_no_more(link))
    run->code = RUN_FAILED;
}

bool sql_is_busy(int code) {
  return code > 0 && (code & 0xff) == SQLITE_BUSY &&
         code != SQLITE_BUSY_SNAPSHOT;
}

// One statement, from its beginning or, with rows left, from where it is.
// true: it has ended well, and the next one follows.
static bool run_stmt(SqlLink *link) {
  SqlRun *run = &link->run;
  if (link->kind == LINK_READER && !sqlite3_stmt_readonly(run->stmt)) {
    run->code = RUN_WRITES;
    return false;
  }
  if (!names_differ(link)) return false;
  int64_t before = sqlite3_total_changes64(link->db);
  step_rows(link);
  bool row = run->code == SQLITE_ROW && !run->limited;
  if (row && run->most > 1) return false;
  bool known = row || run->code < 0 || run->code == SQLITE_DONE;
  if (run->limited || !known) tell_step_error(link);
  bool well = row || run->code == SQLITE_DONE;
  if (well) run->code = SQLITE_DONE;
  sqlite3_reset(run->stmt);
  if (sqlite3_total_changes64(link->db) != before)
    run->changes += sqlite3_changes64(link->db);
  if (!well || run->most > 0) return false;  // the columns have names yet
  sql_drop_run_stmt(link);
  return true;
}

// What the library tells of a connection is less than it takes. The rest was
// measured once, by sqlite3_memory_used: 9 KB where there is no file, and 92 KB
// with one in WAL mode. Without a limit only what is told at once is asked for.
void sql_measure(SqlLink *link) {
  enum { REST = 9 << 10, REST_OF_FILE = 92 << 10 };
  static const int kinds[] = {SQLITE_DBSTATUS_CACHE_USED,
                              SQLITE_DBSTATUS_SCHEMA_USED,
                              SQLITE_DBSTATUS_STMT_USED};
  size_t count = link->limited ? sizeof kinds / sizeof *kinds : 1;
  int now, most;
  size_t rows = link->rows.cap < KEPT_BYTES ? link->rows.cap : KEPT_BYTES;
  link->held = sizeof *link + link->params.cap + rows;
  if (link->db == NULL) return;
  const char *file = sqlite3_db_filename(link->db, "main");
  link->held += file != NULL && *file != '\0' ? REST_OF_FILE : REST;
  if (link->patch != NULL) link->held += REST;
  for (size_t i = 0; i < count; i++)
    if (sqlite3_db_status(link->db, kinds[i], &now, &most, 0) == SQLITE_OK)
      link->held += (size_t)now;
  for (const SqlStmt *kept = link->newest; kept != NULL; kept = kept->next)
    link->held += sizeof *kept + kept->len;
}

// A read of one row adds at most to the cache, which is bounded. Without a
// limit of memory every 32nd of them tells that early enough.
static bool is_measured_later(SqlLink *link) {
  enum { TIMES = 32 };
  const SqlRun *run = &link->run;
  bool small = run->most == 1 && run->stmt != NULL && !link->limited &&
               sqlite3_stmt_readonly(run->stmt) != 0;
  link->unmeasured = small ? (link->unmeasured + 1) % TIMES : 0;
  return link->unmeasured != 0;
}

void sql_run_work(void *data) {
  SqlLink *link = data;
  SqlRun *run = &link->run;
  run->code = SQLITE_OK;
  sql_stack_begin(run->ends ? NULL : link);
  sql_lease_begin();
  if (link->limited) run->memory = sqlite3_memory_used();
  run->limited = link->heavy && !run->ends;
  if (run->limited) sql_tell_error(link);
  while (!run->limited && (!run->begun || run->stmt != NULL || run->len > 0)) {
    bool there = run->stmt != NULL || prepare_next(link);
    if (there && !run->bound) there = bind_all(link);
    if (!there && run->code > 0 && run->code != SQLITE_DONE)
      sql_tell_error(link);
    if (!there || !run_stmt(link)) break;
  }
  if (link->control) link->in_transaction = !sqlite3_get_autocommit(link->db);
  if (!is_measured_later(link)) sql_measure(link);
  sql_lease_end(run);
  sql_stack_end();
}
