// SPDX-License-Identifier: MIT
// The native module sqlite: connections to databases, over the library of that
// name. sqlite.csp makes databases of them: pools, transactions, streams.
//
// A link (SqlLink) is one connection. A value owns it, and its finalizer closes
// it. It has one run at a time (enter, leave), of these states:
//
//   FREE -- enter --> RUNNING -- leave --> FREE, or PAUSED with rows left
//   PAUSED -- enter --> RUNNING (_more goes on, _run drops what is left)
//   RUNNING -- _end --> ENDING -- leave, which closes it --> FREE
//
// A run is one call of a native. Its arguments are copied into the link
// (`params`), then csp_block's work prepares, binds and steps, and copies rows
// into `rows`. done makes values of them. What always holds:
//   - The library's handles are touched by the call that has entered, by its
//     work, or by the finalizer, when no call can have the value any more. So
//     nothing is used after a close: _close enters, too, and leaves db NULL.
//   - Work calls nothing of csp.h but csp_in_vain and csp_alloc. Every 1000
//     instructions of the library's machine it asks whether it is to end
//     (sql_look_around), and then the library interrupts the statement.
//   - While the database is locked no thread waits (csp_block_after).
//   - Bindings point into `params`, and each run binds all of them anew.
//   - At most CACHED statements are kept. Only texts of one statement are.
//
// The library's memory is not the runtime's. What a link holds after a run is
// the weight of its value (csp_host_weight). If there is no room for that, the
// link is heavy, and the next runs fail until there is, but for those that end
// a transaction. With a limit (csp_room) a value, a batch of rows, and what a
// statement takes while it runs are bounded by that, too.
#include "stdlib/native/sqlite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "stdlib/native/sqlite_csp.h"

// --- Errors -----------------------------------------------------------------
static const char *code_of_constraint(int code) {
  switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      return "exists";
    case SQLITE_CONSTRAINT_DATATYPE:
      return "type";
    default:
      return "invalid";
  }
}

static const char *code_of_run(int code) {
  switch (code) {
    case RUN_REFUSED:
      return "syntax";
    case RUN_DEEP:
      return "limit";
    case RUN_GONE:
      return "not_found";
    default:
      return "invalid";
  }
}

static const char *code_of(SqlLink *link, int code) {
  int error = link->db != NULL ? sqlite3_system_errno(link->db) : 0;
  if (code < 0) return code_of_run(code);
  switch (code & 0xff) {
    case SQLITE_CONSTRAINT:
      return code_of_constraint(code);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "busy";
    case SQLITE_READONLY:
      return "read_only";
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return "permission";
    case SQLITE_FULL:
      return "no_space";
    case SQLITE_NOMEM:
      return "memory";
    case SQLITE_TOOBIG:
      return "too_long";
    case SQLITE_MISMATCH:
      return "type";
    case SQLITE_RANGE:
      return "range";
    case SQLITE_IOERR:
      return "io";
    case SQLITE_CANTOPEN:
      return error != 0 ? csp_errno_code(error) : "io";
    case SQLITE_ERROR:
      return "syntax";
    default:
      return "invalid";
  }
}

// The call is over: (nil, error), with more nils before it for rows.
static CspStatus fail(CspCall *call, SqlLink *link, const char *code,
                      const char *message) {
  char text[MESSAGE_MOST];
  memcpy(text, message, strlen(message) + 1);  // the link is another call's
  bool rows = link->run.most > 0;
  sql_drop_run_stmt(link);
  sql_leave(link, false);
  if (rows) csp_return(call, csp_nil());
  return csp_ok_coded(call, code, "sqlite: %s", text);
}

static CspStatus fail_time(CspCall *call, SqlLink *link) {
  char text[MESSAGE_MOST];
  snprintf(text, sizeof text,
           "another connection has locked the database for longer than %lld ms",
           (long long)(link->timeout / 1000000));
  return fail(call, link, "timeout", text);
}

// --- Runs -------------------------------------------------------------------
static CspStatus run_done(CspCall *call, void *data, bool made);

// The time begins when the database is found to be locked.
static bool is_late(CspCall *call, SqlLink *link) {
  int64_t now = csp_monotonic(call);
  if (link->run.until == 0) link->run.until = now + link->timeout;
  return now >= link->run.until;
}

// Tries again later and later, until the time is over.
static CspStatus wait_for_lock(CspCall *call, SqlLink *link,
                               void (*work)(void *data),
                               CspStatus (*done)(CspCall *call, void *data,
                                                 bool made)) {
  enum { FIRST = 200000, LONGEST = 20000000 };  // ns
  SqlRun *run = &link->run;
  run->pause = run->pause == 0 ? FIRST : 2 * run->pause;
  if (run->pause > LONGEST) run->pause = LONGEST;
  return csp_block_after(call, run->pause, work, done, link);
}

static CspStatus give_up(CspCall *call, SqlLink *link) {
  (void)call;
  sql_drop_run_stmt(link);
  sql_leave(link, false);
  return CSP_PANIC;
}

static CspStatus run_failed(CspCall *call, SqlLink *link) {
  SqlRun *run = &link->run;
  if (run->code != RUN_WRONG)
    return fail(call, link, code_of(link, run->code), run->message);
  CspStatus status = csp_panic(call, "%s: %s", db_name(call), run->message);
  give_up(call, link);
  return status;
}

// A read had too little memory, perhaps because of dead values. It is tried
// again once, when those are collected.
static bool reads_again(CspCall *call, SqlLink *link) {
  SqlRun *run = &link->run;
  bool may = run->limited && !run->tried && !link->heavy && run->most > 0 &&
             run->stmt != NULL && sqlite3_stmt_readonly(run->stmt) != 0;
  run->tried = true;
  if (!may || !csp_make_room(call)) return false;
  link->spare = csp_room(call);
  run->room = link->spare / 2;
  run->count = 0;
  link->rows.used = 0;
  return true;
}

static CspStatus run_done(CspCall *call, void *data, bool made) {
  SqlLink *link = data;
  SqlRun *run = &link->run;
  sql_weigh(call, link);
  if ((!made || run->vain) && !csp_work(call, LOOK_NS))
    return give_up(call, link);
  if (!made) return fail(call, link, "limit", csp_no_thread());
  if (run->vain)
    return fail(call, link, "cancelled", "the statement was interrupted");
  if (run->closed || (sql_is_busy(run->code) && sql_is_ending(link)))
    return fail(call, link, "closed", "the database is closed");
  if (sql_is_busy(run->code)) {
    if (is_late(call, link)) return fail_time(call, link);
    return wait_for_lock(call, link, sql_run_work, run_done);
  }
  if (run->code == RUN_WRITES) {
    give_up(call, link);
    csp_return(call, csp_bool(false));
    csp_return(call, csp_nil());
    return csp_ok(call, csp_nil());
  }
  if (reads_again(call, link))
    return csp_block(call, sql_run_work, run_done, link);
  bool well = run->code == SQLITE_ROW || run->code == SQLITE_DONE;
  if (run->limited || (!well && run->code != SQLITE_OK))
    return run_failed(call, link);
  if (run->most > 0)
    return sql_give_rows(call, link, csp_arg(call, csp_argc(call) - 2));
  int64_t changes = run->changes;
  sql_drop_run_stmt(link);
  sql_leave(link, false);
  return csp_ok_value(call, csp_int(call, changes));
}

// A run may take half of what is left of the memory (run->room). If that is
// little, dead values are collected first, as they may be all of the rest. If
// they are not, each run would collect for nothing. So half of what the last
// collection has left is used up before the next one. (A batch that goes on
// could not be tried again, and has many rows. So it collects each time.)
static void make_run_room(CspCall *call, SqlLink *link, bool goes_on) {
  enum { ENOUGH = 2 << 20, LEAST = 64 << 10 };  // (csp_room says no less)
  if (link->heavy) sql_weigh(call, link);
  size_t room = csp_room(call);
  bool spare = !goes_on && room > LEAST && room >= link->spare / 2;
  if (!link->heavy && (room >= ENOUGH || (link->spare != 0 && spare))) return;
  if (csp_make_room(call) && link->heavy) sql_weigh(call, link);
  link->spare = csp_room(call);
}

static void begin_run(CspCall *call, SqlLink *link, bool goes_on) {
  SqlRun *run = &link->run;
  make_run_room(call, link, goes_on);
  run->tried = goes_on;
  run->count = run->changes = run->pause = 0;
  run->vain = run->closed = run->limited = run->ends = false;
  run->room = csp_room(call) / 2;
  run->until = 0;
  run->watch = csp_watch(call);
  link->denied = NULL;
}

static bool need_sql(CspCall *call, const char **text, size_t *len) {
  CspValue v = csp_arg(call, 1);
  if (csp_type(v) != CSP_STRING) {
    csp_panic(call, "%s: sql must be a string, not %s", db_name(call),
              csp_type_name(v));
    return false;
  }
  bool found;
  *text = csp_to_string(v, len);
  if (!db_find_nul(call, *text, *len, &found)) return false;
  if (!found) return true;
  csp_panic(call, "%s: the SQL text has a NUL byte", db_name(call));
  return false;
}

// An error, or an interruption, may take a transaction back. What follows in it
// would be committed by itself. (BEGIN and ROLLBACK follow no more.)
static bool is_taken_back(SqlLink *link, const char *text, int64_t most) {
  bool ends = most == WANT_CONTROL &&
              (strcmp(text, "ROLLBACK") == 0 || strncmp(text, "BEGIN", 5) == 0);
  return link->in_transaction && !ends && sqlite3_get_autocommit(link->db) != 0;
}

// These take little memory, or free some. What they end must not stay.
static bool ends_part(const char *text, int64_t most) {
  return most == WANT_CONTROL &&
         (strcmp(text, "COMMIT") == 0 || strncmp(text, "ROLLBACK", 8) == 0 ||
          strncmp(text, "RELEASE", 7) == 0);
}

static CspStatus run_begin(CspCall *call, SqlLink *link) {
  SqlRun *run = &link->run;
  CspValue args;
  const char *text = "";
  size_t len = 0;
  int64_t most = 0;
  sql_drop_run_stmt(link);
  if (!need_sql(call, &text, &len) ||
      !csp_need_type(call, 2, CSP_LIST, &args) || !csp_need_int(call, 3, &most))
    return give_up(call, link);
  run->most = most;
  begin_run(call, link, false);
  if (link->db == NULL)
    return fail(call, link, "closed", "the database is closed");
  if (is_taken_back(link, text, most))
    return fail(call, link, "invalid",
                "an error before has rolled the transaction back");
  if (!sql_put_params(call, link, args)) return give_up(call, link);
  run->begun = run->bound = false;
  run->text = text;
  run->len = len;
  link->control = most == WANT_CONTROL;
  run->ends = ends_part(text, most);
  run->kept = sql_find_stmt(link, text, len);
  if (run->kept != NULL) {
    run->begun = true;
    run->stmt = run->kept->stmt;
    run->len = 0;
  }
  return csp_block(call, sql_run_work, run_done, link);
}

// _run(link, sql, args, most, type, name): (changes, nil), or as sql_give_rows,
// or (false, nil, nil) where a link that only reads is to write.
static CspStatus sqlite_run(CspCall *call) {
  static SqlBegin begin = {run_begin};
  return sql_await_link(call, &begin);
}

// _try(link, sql, args, most, type, name): the same, for rows. (true, nil,
// nil): the link is in use, also by a call that is between two batches of rows,
// or in a transaction.
static CspStatus sqlite_try(CspCall *call) {
  bool busy;
  SqlLink *link = sql_enter(call, false, &busy);
  if (link != NULL && !link->in_transaction) return run_begin(call, link);
  if (link != NULL) sql_leave(link, false);
  if (link == NULL && !busy) return CSP_PANIC;
  csp_return(call, csp_bool(true));
  csp_return(call, csp_nil());
  return csp_ok(call, csp_nil());
}

// _more(link, type, name): the next rows, as give_rows.
static CspStatus more_begin(CspCall *call, SqlLink *link) {
  begin_run(call, link, true);
  if (link->db == NULL || link->run.stmt == NULL)
    return fail(call, link, "closed", "the database is closed");
  return csp_block(call, sql_run_work, run_done, link);
}

static CspStatus sqlite_more(CspCall *call) {
  static SqlBegin begin = {more_begin};
  return sql_await_link(call, &begin);
}

// --- Opening and closing ----------------------------------------------------
static bool is_one_of(const char *name, const char *const *names) {
  while (*names != NULL && sqlite3_stricmp(name, *names) != 0) names++;
  return *names != NULL;
}

// A pragma may touch neither the process's settings nor, with a limit or
// without files, what bounds the memory. Nor may it let threads wait for locks,
// keep a lock of the file, for which the other connections of the database
// would wait for ever, or map a file, which kills the process where others cut
// it.
static bool may_set(const SqlLink *link, const char *pragma) {
  static const char *const never[] = {
      "hard_heap_limit",      "soft_heap_limit", "temp_store_directory",
      "query_only",           "busy_timeout",    "locking_mode",
      "data_store_directory", "mmap_size",       NULL};
  static const char *const bounds[] = {
      "max_page_count", "page_size",          "cache_size", "cache_spill",
      "temp_store",     "default_cache_size", NULL};
  bool bounded = link->limited || !link->files;
  return !is_one_of(pragma, never) && !(bounded && is_one_of(pragma, bounds));
}

// What only the connection that writes knows: one that reads has its own, which
// are always empty.
static bool is_of_writer(int action, const char *a, const char *b,
                         const char *schema) {
  static const char *const functions[] = {"last_insert_rowid", "changes",
                                          "total_changes", NULL};
  static const char *const tables[] = {"sqlite_temp_master",
                                       "sqlite_temp_schema", NULL};
  if (action == SQLITE_FUNCTION) return is_one_of(b, functions);
  return action == SQLITE_READ &&
         (is_one_of(a, tables) ||
          (schema != NULL && sqlite3_stricmp(schema, "temp") == 0));
}

static int deny(SqlLink *link, const char *why) {
  link->denied = why;
  return SQLITE_DENY;
}

// What statements may do, asked when they are prepared. Transactions are made
// by the module alone. The function fts3_tokenizer gives and takes addresses of
// code. A link that only reads prepares what writes, too, so of what is the
// writer's it is noted alone, and sql_run_work refuses what reads.
static int authorize(void *data, int action, const char *a, const char *b,
                     const char *schema, const char *trigger) {
  SqlLink *link = data;
  (void)trigger;
  if (sql_stack_is_over()) return SQLITE_DENY;
  bool attaches = action == SQLITE_ATTACH && (a == NULL || *a != '\0');
  if (attaches && !link->files)
    return deny(link, "the host allows only the database \":memory:\"");
  if (link->control) return SQLITE_OK;
  // (The statement VACUUM begins one, and attaches "", while it runs.)
  bool makes = action == SQLITE_TRANSACTION || action == SQLITE_SAVEPOINT;
  if (makes && !link->stepping)
    return deny(link, "a transaction is begun and ended by db.transaction");
  if (attaches)
    return deny(link, "a database has one file, and attaches no other");
  if (action == SQLITE_PRAGMA && !may_set(link, a))
    return deny(link, "this pragma is not allowed here");
  if (action == SQLITE_FUNCTION && sqlite3_stricmp(b, "fts3_tokenizer") == 0)
    return deny(link, "the function fts3_tokenizer is not allowed");
  if (link->kind == LINK_READER && is_of_writer(action, a, b, schema)) {
    link->denied =
        "last_insert_rowid, changes, total_changes and the schema temp are of "
        "the connection that writes: use \"returning\", the result of exec, or "
        "db.transaction";
    if (link->stepping) return SQLITE_DENY;  // it is prepared anew
  }
  return SQLITE_OK;
}

// Whether views, triggers and the like may use functions that are not marked as
// harmless. Before 3.41 the library marks none of JSON as that, and databases
// that use them there could not be read. Of the others, fts3_tokenizer is
// refused by the authorizer, and load_extension by the library.
static bool trusts_schema(void) {
  enum { MARKS_JSON = 3041000 };
  return sqlite3_libversion_number() < MARKS_JSON;
}

static void set_up(SqlLink *link) {
  sqlite3 *db = link->db;
  enum { SQL_MOST = 1 << 22 };
  sqlite3_extended_result_codes(db, 1);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SQL_MOST);
  sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_MOST);
  sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, PARAMS_MOST);
  if (link->limited) {
    size_t most = link->room / 4;
    if (most < VALUE_LEAST) most = VALUE_LEAST;
    if (most < INT32_MAX) sqlite3_limit(db, SQLITE_LIMIT_LENGTH, (int)most);
    if (most < SQL_MOST) sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, (int)most);
  }
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, trusts_schema(), NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
  sqlite3_progress_handler(db, LOOK_EVERY, sql_look_around, link);
  sqlite3_set_authorizer(db, authorize, link);
  sql_add_functions(link);
  sql_add_trims(link);
  sql_add_patch(link);
}

// The settings of a new link.
static void first_words(const SqlLink *link, char *text, size_t size) {
  enum { CACHE_LEAST = 64, CACHE_MOST = 512 };  // KB
  unsigned pages = (unsigned)(link->room / 4096);
  size_t cache = link->room >> 14;  // a sixteenth
  if (cache < CACHE_LEAST) cache = CACHE_LEAST;
  if (cache > CACHE_MOST) cache = CACHE_MOST;
  bool memory = strcmp(link->path, ":memory:") == 0;
  int at = snprintf(text, size, "PRAGMA schema_version;");
  if (!link->files)
    at += snprintf(text + at, size - (size_t)at, "PRAGMA temp_store=MEMORY;");
  if (link->limited)
    at += snprintf(text + at, size - (size_t)at, "PRAGMA cache_size=-%zu;",
                   cache);
  if (link->limited && memory)
    at += snprintf(text + at, size - (size_t)at, "PRAGMA max_page_count=%u;",
                   pages < 16 ? 16 : pages);
  snprintf(text + at, size - (size_t)at, "%s",
           link->kind == LINK_READER   ? "PRAGMA query_only=1"
           : link->kind == LINK_WRITER ? "PRAGMA journal_mode=WAL;"
                                         "PRAGMA synchronous=NORMAL"
                                       : "");
}

// To open one to read waits for a process that writes it, for ever perhaps.
static bool is_fifo(const SqlLink *link) {
  struct stat info;
  return link->files && strcmp(link->path, ":memory:") != 0 &&
         stat(link->path, &info) == 0 && S_ISFIFO(info.st_mode);
}

static bool open_link(SqlLink *link) {
  static const int kinds[] = {SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                              SQLITE_OPEN_READWRITE, SQLITE_OPEN_READONLY};
  SqlRun *run = &link->run;
  if (is_fifo(link)) {
    run->code = SQLITE_NOTADB;
    snprintf(run->message, sizeof run->message, "it is a FIFO");
    return false;
  }
  sql_lease_begin();
  run->code = sqlite3_open_v2(link->path, &link->db,
                              kinds[link->kind] | SQLITE_OPEN_NOMUTEX, NULL);
  sql_lease_end(run);
  if (run->code == SQLITE_OK) set_up(link);
  bool leased = sql_is_busy(run->code);  // what there is was not opened
  if (leased) sql_close_link(link);
  return !leased;
}

static void open_work(void *data) {
  SqlLink *link = data;
  SqlRun *run = &link->run;
  char words[256];
  run->code = SQLITE_OK;
  if (link->db == NULL && !open_link(link)) return;
  first_words(link, words, sizeof words);
  link->control = true;
  if (link->limited) run->memory = sqlite3_memory_used();
  sql_stack_begin(link);
  sql_lease_begin();
  if (run->code == SQLITE_OK)
    run->code = sqlite3_exec(link->db, words, NULL, NULL, NULL);
  sql_lease_end(run);
  sql_stack_end();
  sql_measure(link);
  if (run->code != SQLITE_OK) sql_tell_error(link);
}

static CspStatus open_failed(CspCall *call, SqlLink *link, const char *code,
                             const char *message) {
  CspStatus status = csp_ok_coded(call, code, "sqlite: cannot open %s: %s",
                                  link->path, message);
  sql_free_link(link);
  return status;
}

// false: out of memory.
static bool make_link_value(CspCall *call, SqlLink *link, CspValue *v) {
  SqlLink **own;
  *v = csp_host_new(call, &sql_link_class, (void **)&own);
  if (csp_is_undef(*v) || !csp_host_weight(call, *v, link->held)) return false;
  *own = link;
  link->weight = link->held;
  return true;
}

static CspStatus open_done(CspCall *call, void *data, bool made) {
  SqlLink *link = data;
  CspValue v;
  SqlRun *run = &link->run;
  if ((!made || run->vain) && !csp_work(call, LOOK_NS)) {
    sql_free_link(link);
    return CSP_PANIC;
  }
  if (!made) return open_failed(call, link, "limit", csp_no_thread());
  if (sql_is_busy(run->code)) {
    if (!is_late(call, link))
      return wait_for_lock(call, link, open_work, open_done);
    return open_failed(call, link, "timeout", "the database is locked");
  }
  if (run->code != SQLITE_OK)
    return open_failed(call, link, code_of(link, run->code), run->message);
  if (make_link_value(call, link, &v) ||
      (csp_make_room(call) && make_link_value(call, link, &v)))
    return csp_ok_value(call, v);
  sql_free_link(link);
  return csp_panic_memory(call);
}

// A name that begins with "file:" would be a URI.
static SqlLink *new_link(CspCall *call, const char *path, size_t len) {
  const char *before = strncmp(path, "file:", 5) == 0 ? "./" : "";
  size_t size = sizeof(SqlLink) + strlen(before) + len + 1;
  SqlLink *link = csp_alloc(csp_of(call), NULL, size);
  if (link == NULL) return NULL;
  memset(link, 0, size);
  snprintf(link->path, size - sizeof *link, "%s%s", before, path);
  link->csp = csp_of(call);
  link->room = csp_room(call);
  link->limited = link->room != SIZE_MAX;
  link->files = csp_allows(link->csp, CSP_FILES) && !csp_has_root(link->csp);
  return link;
}

// _open(path, kind, timeout): (link, nil) or (nil, error).
static CspStatus sqlite_open(CspCall *call) {
  enum { OPEN_ROOM = 16 << 20 };
  const char *path;
  size_t len;
  int64_t kind, timeout;
  if (!csp_need_string(call, 0, &path, &len) || !csp_need_int(call, 1, &kind) ||
      !csp_need_int(call, 2, &timeout))
    return CSP_PANIC;
  if (len == 0 || memchr(path, '\0', len) != NULL || kind < 0 || kind > 2)
    return csp_bad_arg(call, 0, "the name of a file, or \":memory:\"");
  // What is left bounds the link for good, so dead values are not to count.
  if (csp_room(call) < OPEN_ROOM) csp_make_room(call);
  SqlLink *link = new_link(call, path, len);
  if (link == NULL) return csp_panic_memory(call);
  link->kind = (SqlKind)kind;
  link->timeout = timeout;
  begin_run(call, link, false);
  if (!link->files && strcmp(path, ":memory:") != 0)
    return open_failed(call, link, "permission",
                       "the host allows only the database \":memory:\"");
  return csp_block(call, open_work, open_done, link);
}

static void close_work(void *data) { sql_close_link(data); }

static CspStatus close_done(CspCall *call, void *data, bool made) {
  if (!made) sql_close_link(data);
  sql_weigh(call, data);
  sql_leave(data, false);
  return csp_ok_bool(call, true);
}

// _close(link): true.
static CspStatus close_begin(CspCall *call, SqlLink *link) {
  sql_drop_run_stmt(link);
  link->run.watch.runtime = NULL;
  if (link->db == NULL) return close_done(call, link, true);
  return csp_block(call, close_work, close_done, link);
}

static CspStatus sqlite_close(CspCall *call) {
  static SqlBegin begin = {close_begin};
  return sql_await_link(call, &begin);
}

// _end(link, now): closes it, unless a call has it. It does not wait for that.
// With `now` the call is to end soon, and to close it. false: neither.
static CspStatus sqlite_end(CspCall *call) {
  bool busy, now = csp_truthy(csp_arg(call, 1));
  if (csp_type(csp_arg(call, 0)) == CSP_NIL) return csp_ok_bool(call, true);
  SqlLink *link = sql_enter(call, true, &busy);
  if (link != NULL) return close_begin(call, link);
  return busy ? csp_ok_bool(call, now && sql_mark_end(call)) : CSP_PANIC;
}

// --- Giving back ------------------------------------------------------------
// A transaction that is still open has not been taken back, because memory or a
// thread was missing, or the time for that was over. The next one must not find
// it. Closing does that, but where there is no file all data would be lost.
// Neither writes much. false: the link is of no more use.
static bool end_transaction(SqlLink *link) {
  bool memory = strcmp(link->path, ":memory:") == 0;
  sql_drop_run_stmt(link);
  link->in_transaction = false;
  if (link->db == NULL) return memory;
  if (sqlite3_get_autocommit(link->db) != 0) return true;
  link->run.watch.runtime = NULL;
  link->control = true;
  sql_stack_begin(NULL);
  if (memory) sqlite3_exec(link->db, "ROLLBACK", NULL, NULL, NULL);
  sql_stack_end();
  if (sqlite3_get_autocommit(link->db) != 0) return true;
  // a checkpoint would wait for the disk
  sqlite3_db_config(link->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  sql_close_link(link);
  return memory;  // a new one would be empty, and this one says why
}

static CspStatus put_in(CspCall *call, CspValue last, CspValue rest,
                        CspValue v) {
  if (csp_try_send(call, last, v) == CSP_FULL) csp_try_send(call, rest, v);
  return csp_ok_nothing(call);
}

// _put(place, last, rest, part, later, kept): gives a place back to its pool,
// unless there is something in the list `kept`. It never waits, so it does its
// work in a deferred call for which all time is over, too. After a transaction,
// `part` is marked as over. If a goroutine that was left behind has the link,
// `later` is started. (place may be nil: a turn.)
static CspStatus sqlite_put(CspCall *call) {
  CspValue place = csp_arg(call, 0), part = csp_arg(call, 3),
           later = csp_arg(call, 4), kept = csp_arg(call, 5), last, rest, v;
  bool busy;
  if (csp_type(kept) == CSP_LIST && csp_list_len(kept) > 0)
    return csp_ok_nothing(call);
  if (!csp_need_type(call, 1, CSP_CHAN, &last) ||
      !csp_need_type(call, 2, CSP_CHAN, &rest))
    return CSP_PANIC;
  if (csp_type(part) != CSP_NIL &&
      !csp_set_field(call, part, "is_open", csp_bool(false)))
    return CSP_PANIC;
  csp_field(place, "link", &v);
  if (csp_type(v) == CSP_NIL) return put_in(call, last, rest, place);
  SqlLink *link = sql_enter_value(call, v, true, &busy);
  if (link == NULL && !busy) return CSP_PANIC;
  if (link == NULL && csp_type(later) != CSP_NIL)
    return csp_tail_named(call, "_sched_background", 1, &later);
  if (link == NULL) return put_in(call, last, rest, place);
  bool stays = end_transaction(link);
  sql_weigh_value(call, link, v);
  sql_leave(link, false);
  if (!stays && !csp_set_field(call, place, "link", csp_nil()))
    return CSP_PANIC;
  return put_in(call, last, rest, place);
}

// _path(link): the whole name of its file.
static CspStatus path_begin(CspCall *call, SqlLink *link) {
  const char *path =
      link->db != NULL ? sqlite3_db_filename(link->db, "main") : NULL;
  if (path == NULL) path = "";
  CspStatus status = csp_ok_string(call, path, strlen(path));
  sql_leave(link, false);
  return status;
}

static CspStatus sqlite_path(CspCall *call) {
  static SqlBegin begin = {path_begin};
  return sql_await_link(call, &begin);
}

// --- The module -------------------------------------------------------------
static const CspFunction sqlite_functions[] = {
    {"_open", "path, kind, timeout", sqlite_open},
    {"_run", "link, sql, args, most, type, name", sqlite_run},
    {"_try", "link, sql, args, most, type, name", sqlite_try},
    {"_more", "link, type, name", sqlite_more},
    {"_close", "link", sqlite_close},
    {"_end", "link, now", sqlite_end},
    {"_put", "place, last, rest, part = nil, later = nil, kept = nil",
     sqlite_put},
    {"_path", "link", sqlite_path},
    {NULL, NULL, NULL}};

static void add_classes(CspCall *call, CspValue module) {
  (void)module;
  if (!csp_register_class(csp_of(call), &sql_link_class, NULL))
    csp_panic_memory(call);
}

static const CspModule sqlite_module = {"sqlite", sqlite_functions, add_classes,
                                        (const char *)text_sqlite,
                                        sizeof text_sqlite - 1};
static const CspNative sqlite_native = {CSP_API, &sqlite_module};

CSP_MODULE(sqlite) {
  sql_bound_stack();
  sql_open_unleased();
  return &sqlite_native;
}
