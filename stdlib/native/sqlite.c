// SPDX-License-Identifier: MIT
// The native module sqlite: connections to databases, over the library of that
// name. sqlite.csp makes databases of them: pools, transactions, streams.
//
// A Link is one connection. A script's value owns it, and its finalizer closes
// it. It has one run at a time (enter, leave), of these states:
//
//   FREE -- enter --> RUNNING -- leave --> FREE, or PAUSED with rows left
//   PAUSED -- enter --> RUNNING (_more goes on, _run drops what is left)
//
// A run is one call of a native. Its arguments are copied into the link
// (`params`), then csp_block's work prepares, binds and steps, and copies rows
// into `rows`. done makes values of them. What always holds:
//   - The library's handles are touched by the call that has entered, by its
//     work, or by the finalizer, when no call can have the value any more. So
//     nothing is used after a close: _close enters, too, and leaves db NULL.
//   - Work calls nothing of csp.h but csp_in_vain and csp_alloc. Every 1000
//     instructions of the library's machine it asks whether it is to end
//     (look_around), and then the library interrupts the statement.
//   - While the database is locked no thread waits (csp_block_after).
//   - Bindings point into `params`, and each run binds all of them anew.
//   - At most CACHED statements are kept. Only texts of one statement are.
//
// The library's memory is not the runtime's. With a limit (csp_room) a value, a
// batch of rows, what a statement takes while it runs, and what all links of
// the runtime keep are bounded by that.
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "stdlib/native/sqlite_csp.h"
#include "vm/csp.h"

enum {
  CACHED = 64,        // statements of a link
  LOOK_EVERY = 1000,  // instructions of the library's machine
  LOOK_NS = 1 << 17,  // units with which csp_work asks in any case
  BATCH_BYTES = 1 << 18,
  KEPT_BYTES = 1 << 16,  // a link's buffers between runs
  FIELDS_MOST = 64,      // columns of a row that becomes a struct
  VALUE_LEAST = 1 << 16,
  MESSAGE_MOST = 512
};

// Kinds of links, as sqlite.csp has them.
typedef enum LinkKind { LINK_WRITER, LINK_READER, LINK_READ_ONLY } LinkKind;

// What _run wants, as sqlite.csp has it: rows from 1 on, or one of these.
enum { WANT_CONTROL = -1, WANT_CHANGES = 0 };

// Codes of a run besides the library's.
enum {
  RUN_WRITES = -1,  // the statement writes, and the link only reads
  RUN_WRONG = -2,   // the arguments do not fit: panics with `message`
  RUN_REFUSED = -3  // of the text: an error with `message`
};

typedef struct Buffer {
  char *data;
  size_t used, cap;
} Buffer;

// A value in a buffer, with its bytes after it, up to a multiple of 8. type is
// SQLITE_INTEGER and so on, or CELL_NAME for what names the next one.
enum { CELL_NAME = 64 };
typedef struct Cell {
  int type;
  size_t len;
  int64_t number;
  double real;
} Cell;

// A prepared statement.
typedef struct Stmt {
  sqlite3_stmt *stmt;
  struct Stmt *next;  // one that was used before it
  bool control;
  size_t len;
  char text[];
} Stmt;

typedef struct Run {
  Stmt *kept;          // in the cache, or NULL
  sqlite3_stmt *stmt;  // the one that runs, or NULL
  const char *text;    // what is left, of the native's argument
  size_t len;
  int64_t most;  // rows, or WANT_...
  int code;
  bool begun;  // a statement of the text was prepared
  bool bound, named, vain, limited;
  size_t room;
  int64_t memory;          // the library's, when it began
  int64_t given;           // arguments
  int64_t changes, count;  // of rows in `rows`
  int64_t until, pause;    // while the database is locked
  CspWatch watch;
  char message[MESSAGE_MOST];
} Run;

// Of a runtime and its links. All are atomic.
typedef struct Shared {
  int64_t held;  // bytes of the library's that the links keep
  int64_t users;
} Shared;

typedef struct Link {
  Csp *csp;
  Shared *shared;
  sqlite3 *db;
  LinkKind kind;
  char state;  // atomic: FREE, PAUSED or RUNNING
  bool files, limited, control;
  bool in_transaction;  // by the last statement of the module's own
  const char *denied;  // by the authorizer
  int cached;
  Stmt *newest;
  int64_t held;      // of Shared.held
  size_t most_held;  // what that may be
  int64_t timeout;
  Buffer params, rows;
  Run run;
  char path[];
} Link;

enum { FREE, PAUSED, RUNNING };

static void drop_shared(Shared *shared) {
  if (__atomic_sub_fetch(&shared->users, 1, __ATOMIC_SEQ_CST) == 0)
    csp_alloc_free(shared);
}

static void finalize_shared(void *data) {
  Shared **shared = data;
  if (*shared != NULL) drop_shared(*shared);
}

static const CspClass shared_class = {"sqlite state", finalize_shared,
                                      sizeof(Shared *), NULL};

// --- Links ------------------------------------------------------------------
static void drop_stmt(Stmt *kept) {
  sqlite3_finalize(kept->stmt);
  csp_alloc_free(kept);
}

static void count_held(Link *link, int64_t held) {
  __atomic_fetch_add(&link->shared->held, held - link->held, __ATOMIC_SEQ_CST);
  link->held = held;
}

static void close_link(Link *link) {
  link->run.stmt = NULL;
  while (link->newest != NULL) {
    Stmt *kept = link->newest;
    link->newest = kept->next;
    drop_stmt(kept);
  }
  count_held(link, 0);
  link->cached = 0;
  sqlite3_close_v2(link->db);
  link->db = NULL;
}

static void free_link(Link *link) {
  if (link->db != NULL) close_link(link);
  drop_shared(link->shared);
  csp_alloc_free(link->params.data);
  csp_alloc_free(link->rows.data);
  csp_alloc_free(link);
}

static void finalize_link(void *data) {
  Link *link = *(Link **)data;
  if (link == NULL) return;
  // a checkpoint would wait for the disk
  if (link->db != NULL)
    sqlite3_db_config(link->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  free_link(link);
}

static const CspClass link_class = {"sqlite connection", finalize_link,
                                    sizeof(Link *), NULL};

// What a native does once it has its link. Constants.
typedef struct Begin {
  CspStatus (*fn)(CspCall *call, Link *link);
} Begin;

// Argument 0 as a link that this call has now. NULL: panicked, or *busy.
static Link *enter(CspCall *call, bool *busy) {
  Link **data = csp_host_data(csp_arg(call, 0), &link_class);
  *busy = false;
  if (data == NULL || *data == NULL) {
    csp_bad_arg(call, 0, "a connection");
    return NULL;
  }
  char was = __atomic_load_n(&(*data)->state, __ATOMIC_SEQ_CST);
  *busy = was == RUNNING || !__atomic_compare_exchange_n(
                                &(*data)->state, &was, RUNNING, false,
                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return *busy ? NULL : *data;
}

// Waits until the link is free, and calls begin then. A single read has it only
// for moments.
static CspStatus await_link(CspCall *call, Begin *begin);

static void no_work(void *data) { (void)data; }

static CspStatus await_done(CspCall *call, void *data, bool made) {
  Begin *begin = data;
  if (made || csp_work(call, 1)) return await_link(call, begin);
  return CSP_PANIC;
}

static CspStatus await_link(CspCall *call, Begin *begin) {
  enum { PAUSE = 20000 };  // ns
  bool busy;
  Link *link = enter(call, &busy);
  if (link != NULL) return begin->fn(call, link);
  if (!busy) return CSP_PANIC;
  return csp_block_after(call, PAUSE, no_work, await_done, begin);
}

static void trim(Buffer *buffer) {
  buffer->used = 0;
  if (buffer->cap <= KEPT_BYTES) return;
  csp_alloc_free(buffer->data);
  *buffer = (Buffer){NULL, 0, 0};
}

static void leave(Link *link, bool paused) {
  trim(&link->rows);
  if (!paused) trim(&link->params);
  __atomic_store_n(&link->state, paused ? PAUSED : FREE, __ATOMIC_SEQ_CST);
}

// --- Buffers ----------------------------------------------------------------
// Room for a cell and its bytes. NULL: out of memory.
static char *put_cell(Link *link, Buffer *buffer, Cell cell) {
  size_t size = sizeof cell + ((cell.len + 8) & ~(size_t)7);
  if (size > link->run.room || buffer->used > link->run.room - size)
    return NULL;
  if (buffer->cap - buffer->used < size) {
    size_t cap = buffer->cap < 512 ? 512 : buffer->cap;
    while (cap - buffer->used < size) cap *= 2;
    char *data = csp_alloc(link->csp, buffer->data, cap);
    if (data == NULL) return NULL;
    buffer->data = data;
    buffer->cap = cap;
  }
  char *at = buffer->data + buffer->used;
  memcpy(at, &cell, sizeof cell);
  at[sizeof cell + cell.len] = '\0';
  buffer->used += size;
  return at + sizeof cell;
}

static const char *next_cell(const Buffer *buffer, size_t *at, Cell *cell) {
  const char *data = buffer->data + *at;
  memcpy(cell, data, sizeof *cell);
  *at += sizeof *cell + ((cell->len + 8) & ~(size_t)7);
  return data + sizeof *cell;
}

// --- Arguments --------------------------------------------------------------
static bool put_param(CspCall *call, Link *link, CspValue v) {
  Cell cell = {SQLITE_NULL, 0, 0, 0};
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
                "sqlite: an argument must be nil, a bool, an int, a float, a "
                "string or bytes, not %s",
                csp_type_name(v));
      return false;
  }
  char *to = put_cell(link, &link->params, cell);
  if (to == NULL) csp_panic_memory(call);
  if (to != NULL && text != NULL) memcpy(to, text, cell.len);
  if (to != NULL && type == CSP_BYTES && cell.len > 0) {
    size_t there = csp_bytes_read(v, 0, to, cell.len);
    memset(to + there, 0, cell.len - there);  // others cut them
  }
  return to != NULL && csp_work(call, 16 + cell.len / 8);
}

static bool put_named(CspCall *call, Link *link, CspValue map) {
  CspIter iter = {{0, 0, 0}};
  CspValue key, value;
  while (csp_map_next(call, map, &iter, &key, &value)) {
    Cell cell = {CELL_NAME, 0, 0, 0};
    const char *text =
        csp_type(key) == CSP_STRING ? csp_to_string(key, &cell.len) : NULL;
    if (text == NULL) {
      csp_panic(call, "sqlite: a parameter's name must be a string, not %s",
                csp_type_name(key));
      return false;
    }
    char *to = put_cell(link, &link->params, cell);
    if (to == NULL) {
      csp_panic_memory(call);
      return false;
    }
    memcpy(to, text, cell.len);
    if (!put_param(call, link, value)) return false;
  }
  return csp_work(call, 16);
}

// The arguments are a list, or a list of one map.
static bool put_params(CspCall *call, Link *link, CspValue list) {
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

// --- Work: binding ----------------------------------------------------------
static void refuse(Run *run, int code, const char *text, const char *more) {
  run->code = code;
  snprintf(run->message, sizeof run->message, "%s%s", text, more);
}

static int bind_cell(sqlite3_stmt *stmt, int i, const Cell *cell,
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
    default:
      return sqlite3_bind_null(stmt, i);
  }
}

static bool bind_name(Link *link, int i, const char *name) {
  Run *run = &link->run;
  Cell key, cell;
  for (size_t at = 0; name != NULL && at < link->params.used;) {
    const char *text = next_cell(&link->params, &at, &key);
    const char *data = next_cell(&link->params, &at, &cell);
    if (key.len != strlen(name + 1) || memcmp(text, name + 1, key.len) != 0)
      continue;
    run->code = bind_cell(run->stmt, i, &cell, data);
    return run->code == SQLITE_OK;
  }
  refuse(run, RUN_WRONG, "sqlite: the map has no value for the parameter ",
         name != NULL ? name : "?");
  return false;
}

// false: run.code tells.
static bool bind_all(Link *link) {
  Run *run = &link->run;
  int wanted = sqlite3_bind_parameter_count(run->stmt);
  run->bound = true;
  if (run->named) {
    for (int i = 1; i <= wanted; i++)
      if (!bind_name(link, i, sqlite3_bind_parameter_name(run->stmt, i)))
        return false;
    return true;
  }
  if (wanted != run->given) {
    char numbers[64];
    snprintf(numbers, sizeof numbers, "%d, and %lld are given", wanted,
             (long long)run->given);
    refuse(run, RUN_WRONG, "sqlite: the statement's parameters are ", numbers);
    return false;
  }
  size_t at = 0;
  for (int i = 1; i <= wanted && run->code == SQLITE_OK; i++) {
    Cell cell;
    const char *data = next_cell(&link->params, &at, &cell);
    run->code = bind_cell(run->stmt, i, &cell, data);
  }
  return run->code == SQLITE_OK;
}

// --- Work: the end of it ----------------------------------------------------
// The library asks this now and then. Not 0: the statement is interrupted.
static int look_around(void *data) {
  Link *link = data;
  Run *run = &link->run;
  if (run->watch.runtime == NULL) return 0;
  if (csp_in_vain(&run->watch)) run->vain = true;
  if (link->limited && sqlite3_memory_used() - run->memory > (int64_t)run->room)
    run->limited = true;
  return run->vain || run->limited;
}

// --- Work: preparing --------------------------------------------------------
static Stmt *find_stmt(Link *link, const char *text, size_t len) {
  for (Stmt **at = &link->newest; *at != NULL; at = &(*at)->next) {
    Stmt *kept = *at;
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
static void keep_stmt(Link *link, sqlite3_stmt *stmt) {
  Run *run = &link->run;
  Stmt *kept = csp_alloc(link->csp, NULL, sizeof *kept + run->len);
  if (kept == NULL) return;
  *kept = (Stmt){stmt, link->newest, link->control, run->len};
  memcpy(kept->text, run->text, run->len);
  link->newest = run->kept = kept;
  if (++link->cached <= CACHED) return;
  Stmt **last = &link->newest;
  while ((*last)->next != NULL) last = &(*last)->next;
  drop_stmt(*last);
  *last = NULL;
  link->cached--;
}

static void drop_run_stmt(Link *link) {
  Run *run = &link->run;
  if (run->stmt != NULL && run->kept != NULL) sqlite3_reset(run->stmt);
  if (run->stmt != NULL && run->kept == NULL) sqlite3_finalize(run->stmt);
  run->stmt = NULL;
  run->kept = NULL;
}

// The next statement of *text, which moves on. NULL with SQLITE_OK: there is
// none. Nothing of the text is copied, so many statements take linear time.
static sqlite3_stmt *prepare_some(Link *link, const char **text,
                                  const char *end) {
  sqlite3_stmt *stmt = NULL;
  link->run.code = SQLITE_OK;
  while (stmt == NULL && *text < end && link->run.code == SQLITE_OK) {
    link->run.code =
        look_around(link)
            ? SQLITE_INTERRUPT
            : sqlite3_prepare_v3(link->db, *text, -1, SQLITE_PREPARE_PERSISTENT,
                                 &stmt, text);
  }
  return stmt;
}

// Whether nothing but blanks and comments follows.
static bool is_blank(Link *link, const char *text, const char *end) {
  sqlite3_stmt *stmt = prepare_some(link, &text, end);
  bool blank = stmt == NULL && link->run.code == SQLITE_OK;
  sqlite3_finalize(stmt);
  link->run.code = SQLITE_OK;
  return blank;
}

// Whether a text of more statements may be run like this.
static bool takes_more(Run *run) {
  if (run->most > 0)
    refuse(run, RUN_REFUSED, "the text has more than one statement",
           ", which exec alone takes");
  else if (run->named || run->given > 0)
    refuse(run, RUN_WRONG, "sqlite: arguments need a text of one statement",
           "");
  return run->code == SQLITE_OK;
}

// Makes the next statement of the text the run's. false: run.code tells, and
// SQLITE_DONE means that there is none.
static bool prepare_next(Link *link) {
  Run *run = &link->run;
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
  bool single = first && (tail == end || is_blank(link, tail, end));
  if (single) keep_stmt(link, run->stmt);
  run->text = tail;
  run->len = single ? 0 : (size_t)(end - tail);
  return single || takes_more(run);
}

// --- Work: running ----------------------------------------------------------
static bool put_row(Link *link) {
  sqlite3_stmt *stmt = link->run.stmt;
  int columns = sqlite3_column_count(stmt);
  for (int i = 0; i < columns; i++) {
    Cell cell = {sqlite3_column_type(stmt, i), 0, 0, 0};
    const void *data = NULL;
    if (cell.type == SQLITE_INTEGER) {
      cell.number = sqlite3_column_int64(stmt, i);
    } else if (cell.type == SQLITE_FLOAT) {
      cell.real = sqlite3_column_double(stmt, i);
    } else if (cell.type != SQLITE_NULL) {
      data = cell.type == SQLITE_TEXT
                 ? (const void *)sqlite3_column_text(stmt, i)
                 : sqlite3_column_blob(stmt, i);
      cell.len = (size_t)sqlite3_column_bytes(stmt, i);
      if (data == NULL && cell.len > 0) return false;
    }
    char *to = put_cell(link, &link->rows, cell);
    if (to == NULL) return false;
    if (cell.len > 0) memcpy(to, data, cell.len);
  }
  link->run.count++;
  return true;
}

// Steps until there are enough rows (SQLITE_ROW), to the end, or an error. What
// writes is stepped to its end, so that it has been done.
static void step_rows(Link *link) {
  Run *run = &link->run;
  bool writes = !sqlite3_stmt_readonly(run->stmt);
  for (;;) {
    run->code = sqlite3_step(run->stmt);
    if (run->code != SQLITE_ROW) return;
    bool wanted = run->most > 0 && !(run->most == 1 && run->count == 1);
    if (wanted && !put_row(link)) {
      run->limited = true;
      return;
    }
    if (writes || run->most <= 0) continue;
    if (run->count >= run->most || link->rows.used > BATCH_BYTES) return;
  }
}

static void tell_error(Link *link) {
  Run *run = &link->run;
  const char *text = sqlite3_errmsg(link->db);
  if (run->limited) {
    run->code = SQLITE_NOMEM;
    text = "the statement takes more memory than the limit leaves";
  } else if (run->code == SQLITE_AUTH && link->denied != NULL) {
    text = link->denied;
  }
  snprintf(run->message, sizeof run->message, "%s", text);
}

static bool is_busy(int code) {
  return code > 0 && (code & 0xff) == SQLITE_BUSY &&
         code != SQLITE_BUSY_SNAPSHOT;
}

// One statement, from its beginning or, with rows left, from where it is.
// true: it has ended well, and the next one follows.
static bool run_stmt(Link *link) {
  Run *run = &link->run;
  if (link->kind == LINK_READER && !sqlite3_stmt_readonly(run->stmt)) {
    run->code = RUN_WRITES;
    return false;
  }
  int64_t before = sqlite3_total_changes64(link->db);
  step_rows(link);
  bool row = run->code == SQLITE_ROW && !run->limited;
  if (row && run->most > 1) return false;
  if (!row && (run->limited || run->code != SQLITE_DONE)) tell_error(link);
  bool well = row || run->code == SQLITE_DONE;
  if (well) run->code = SQLITE_DONE;
  sqlite3_reset(run->stmt);
  if (sqlite3_total_changes64(link->db) != before)
    run->changes += sqlite3_changes64(link->db);
  if (!well || run->most > 0) return false;  // the columns have names yet
  drop_run_stmt(link);
  return true;
}

static void measure_held(Link *link) {
  int now, most;
  int64_t held = 0;
  static const int kinds[] = {SQLITE_DBSTATUS_CACHE_USED,
                              SQLITE_DBSTATUS_SCHEMA_USED,
                              SQLITE_DBSTATUS_STMT_USED};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (sqlite3_db_status(link->db, kinds[i], &now, &most, 0) == SQLITE_OK)
      held += now;
  count_held(link, held);
}

static bool is_over(const Link *link) {
  return __atomic_load_n(&link->shared->held, __ATOMIC_SEQ_CST) >
         (int64_t)link->most_held;
}

static void run_work(void *data) {
  Link *link = data;
  Run *run = &link->run;
  run->code = SQLITE_OK;
  if (link->limited) run->memory = sqlite3_memory_used();
  run->limited = link->limited && is_over(link);
  if (run->limited) tell_error(link);
  while (!run->limited && (run->stmt != NULL || run->len > 0)) {
    bool there = run->stmt != NULL || prepare_next(link);
    if (there && !run->bound) there = bind_all(link);
    if (!there && run->code > 0 && run->code != SQLITE_DONE) tell_error(link);
    if (!there || !run_stmt(link)) break;
  }
  if (link->control) link->in_transaction = !sqlite3_get_autocommit(link->db);
  if (link->limited) measure_held(link);
}

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

static const char *code_of(Link *link, int code) {
  int error = link->db != NULL ? sqlite3_system_errno(link->db) : 0;
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
static CspStatus fail(CspCall *call, Link *link, const char *code,
                      const char *message) {
  char text[MESSAGE_MOST];
  memcpy(text, message, strlen(message) + 1);  // the link is another call's
  bool rows = link->run.most > 0;
  drop_run_stmt(link);
  leave(link, false);
  if (rows) csp_return(call, csp_nil());
  return csp_ok_coded(call, code, "sqlite: %s", text);
}

static CspStatus fail_time(CspCall *call, Link *link) {
  char text[MESSAGE_MOST];
  snprintf(text, sizeof text,
           "another connection has locked the database for longer than %lld ms",
           (long long)(link->timeout / 1000000));
  return fail(call, link, "timeout", text);
}

// --- Rows as values ---------------------------------------------------------
// false: it has panicked. undef is noticed by whom the value is given to.
static bool make_cell(CspCall *call, const Buffer *rows, size_t *at,
                      CspValue *v) {
  Cell cell;
  const char *data = next_cell(rows, at, &cell);
  switch (cell.type) {
    case SQLITE_INTEGER:
      *v = csp_int(call, cell.number);
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
    default:
      *v = csp_nil();
  }
  return csp_work(call, 64 + cell.len / 4);
}

// The names of the columns, as strings. false: panicked.
static bool column_names(CspCall *call, const Run *run, CspValue *names) {
  int columns = sqlite3_column_count(run->stmt);
  *names = csp_list(call, (size_t)columns);
  for (int i = 0; i < columns; i++) {
    const char *name = sqlite3_column_name(run->stmt, i);
    CspValue v = csp_string(call, name, name != NULL ? strlen(name) : 0);
    if (!csp_list_push(call, *names, v)) return false;
  }
  return true;
}

static bool make_map(CspCall *call, Link *link, size_t *at, CspValue names,
                     CspValue *row) {
  size_t columns = csp_list_len(names);
  *row = csp_map(call, columns);
  for (size_t i = 0; i < columns; i++) {
    CspValue v;
    if (!make_cell(call, &link->rows, at, &v) ||
        !csp_map_set(call, *row, csp_list_get(names, i), v))
      return false;
  }
  return true;
}

// A field of each column's name. The defaults of the others may call the
// script. false: *status is the call's.
static bool make_struct(CspCall *call, Link *link, size_t *at, CspValue type,
                        CspValue *row, CspStatus *status) {
  const char *names[FIELDS_MOST];
  CspValue values[FIELDS_MOST];
  CspResult result;
  int columns = sqlite3_column_count(link->run.stmt);
  *status = CSP_PANIC;
  if (columns > FIELDS_MOST) {
    csp_panic(call,
              "sqlite: a row that becomes a struct has at most %d columns",
              FIELDS_MOST);
    return false;
  }
  for (int i = 0; i < columns; i++) {
    names[i] = sqlite3_column_name(link->run.stmt, i);
    if (!make_cell(call, &link->rows, at, &values[i])) return false;
    if (csp_is_undef(values[i])) {
      csp_panic_memory(call);
      return false;
    }
  }
  CspEnd end = csp_new_struct(call, type, columns, values, names, &result);
  *row = result.values[0];
  if (end == CSP_DONE) csp_result_free(&result);
  if (end != CSP_DONE) *status = csp_rethrow(call, &result);
  return end == CSP_DONE;
}

// The rows of the buffer. false: *status is the call's.
static bool make_rows(CspCall *call, Link *link, CspValue type, CspValue list,
                      CspStatus *status) {
  CspValue names = csp_nil(), row;
  bool maps = csp_type(type) == CSP_NIL;
  *status = CSP_PANIC;
  if (maps && !column_names(call, &link->run, &names)) return false;
  size_t at = 0;
  for (int64_t i = 0; i < link->run.count; i++) {
    if (maps ? !make_map(call, link, &at, names, &row)
             : !make_struct(call, link, &at, type, &row, status))
      return false;
    if (!csp_list_push(call, list, row)) return false;
  }
  return true;
}

// (row, nil, nil), or (rows, whether there may be more, nil).
static CspStatus give_rows(CspCall *call, Link *link, CspValue type) {
  Run *run = &link->run;
  CspStatus status = CSP_PANIC;
  bool more = run->code == SQLITE_ROW, one = run->most == 1;
  if (link->limited && csp_room(call) / 8 < link->rows.used)
    csp_make_room(call);
  CspValue list = csp_list(call, (size_t)run->count);
  CspHandle held = 0;
  bool there = !csp_is_undef(list), maps = csp_type(type) == CSP_NIL;
  if (there && !maps) held = csp_hold(call, list);  // for csp_call
  there = there && (maps || held != 0);
  bool made = there && make_rows(call, link, type, list, &status);
  if (!there) csp_panic_memory(call);
  if (held != 0) csp_release(csp_of(call), held);
  if (!made || !more) drop_run_stmt(link);
  leave(link, made && more);
  if (!made) return status;
  csp_return(call, one ? csp_list_get(list, 0) : list);
  csp_return(call, csp_bool(more));
  return csp_ok(call, csp_nil());
}

// --- Runs -------------------------------------------------------------------
static CspStatus run_done(CspCall *call, void *data, bool made);

// The time begins when the database is found to be locked.
static bool is_late(CspCall *call, Link *link) {
  int64_t now = csp_monotonic(call);
  if (link->run.until == 0) link->run.until = now + link->timeout;
  return now >= link->run.until;
}

// Tries again later and later, until the time is over.
static CspStatus wait_for_lock(CspCall *call, Link *link,
                               void (*work)(void *data),
                               CspStatus (*done)(CspCall *call, void *data,
                                                 bool made)) {
  enum { FIRST = 200000, LONGEST = 20000000 };  // ns
  Run *run = &link->run;
  run->pause = run->pause == 0 ? FIRST : 2 * run->pause;
  if (run->pause > LONGEST) run->pause = LONGEST;
  return csp_block_after(call, run->pause, work, done, link);
}

static CspStatus give_up(CspCall *call, Link *link) {
  (void)call;
  drop_run_stmt(link);
  leave(link, false);
  return CSP_PANIC;
}

static CspStatus run_failed(CspCall *call, Link *link) {
  Run *run = &link->run;
  if (run->code == RUN_REFUSED) return fail(call, link, "syntax", run->message);
  if (run->code != RUN_WRONG)
    return fail(call, link, code_of(link, run->code), run->message);
  CspStatus status = csp_panic(call, "%s", run->message);
  give_up(call, link);
  return status;
}

static CspStatus run_done(CspCall *call, void *data, bool made) {
  Link *link = data;
  Run *run = &link->run;
  if ((!made || run->vain) && !csp_work(call, LOOK_NS))
    return give_up(call, link);
  if (!made) return fail(call, link, "limit", csp_no_thread());
  if (run->vain)
    return fail(call, link, "cancelled", "the statement was interrupted");
  if (is_busy(run->code)) {
    if (is_late(call, link)) return fail_time(call, link);
    return wait_for_lock(call, link, run_work, run_done);
  }
  if (run->code == RUN_WRITES) {
    give_up(call, link);
    csp_return(call, csp_bool(false));
    csp_return(call, csp_nil());
    return csp_ok(call, csp_nil());
  }
  bool well = run->code == SQLITE_ROW || run->code == SQLITE_DONE;
  if (run->limited || (!well && run->code != SQLITE_OK))
    return run_failed(call, link);
  if (run->most > 0)
    return give_rows(call, link, csp_arg(call, csp_argc(call) - 1));
  int64_t changes = run->changes;
  drop_run_stmt(link);
  leave(link, false);
  return csp_ok_value(call, csp_int(call, changes));
}

static void begin_run(CspCall *call, Link *link) {
  Run *run = &link->run;
  run->count = run->changes = run->pause = 0;
  run->vain = run->limited = false;
  run->room = csp_room(call) / 2;
  run->until = 0;
  run->watch = csp_watch(call);
  link->denied = NULL;
}

static bool need_sql(CspCall *call, const char **text, size_t *len) {
  if (!csp_need_string(call, 1, text, len)) return false;
  if (memchr(*text, '\0', *len) == NULL) return csp_work(call, *len / 16);
  csp_panic(call, "sqlite: the SQL text has a NUL byte");
  return false;
}

static CspStatus run_begin(CspCall *call, Link *link) {
  Run *run = &link->run;
  CspValue args;
  const char *text = "";
  size_t len = 0;
  int64_t most = 0;
  drop_run_stmt(link);
  if (!need_sql(call, &text, &len) ||
      !csp_need_type(call, 2, CSP_LIST, &args) || !csp_need_int(call, 3, &most))
    return give_up(call, link);
  begin_run(call, link);
  run->most = most;
  if (link->db == NULL)
    return fail(call, link, "closed", "the database is closed");
  if (link->in_transaction && most >= 0 && sqlite3_get_autocommit(link->db))
    return fail(call, link, "invalid",
                "an error before has rolled the transaction back");
  if (!put_params(call, link, args)) return give_up(call, link);
  run->begun = run->bound = false;
  run->text = text;
  run->len = len;
  link->control = most == WANT_CONTROL;
  run->kept = find_stmt(link, text, len);
  if (run->kept != NULL) {
    run->stmt = run->kept->stmt;
    run->len = 0;
  }
  return csp_block(call, run_work, run_done, link);
}

// _run(link, sql, args, most, type): (changes, nil), or as give_rows, or
// (false, nil, nil) where a link that only reads is to write.
static CspStatus sqlite_run(CspCall *call) {
  static Begin begin = {run_begin};
  return await_link(call, &begin);
}

// _try(link, sql, args, most, type): the same, for rows. (true, nil, nil): the
// link is in use, or in a transaction.
static CspStatus sqlite_try(CspCall *call) {
  bool busy;
  Link *link = enter(call, &busy);
  if (link != NULL && !link->in_transaction) return run_begin(call, link);
  if (link != NULL) leave(link, false);
  if (link == NULL && !busy) return CSP_PANIC;
  csp_return(call, csp_bool(true));
  csp_return(call, csp_nil());
  return csp_ok(call, csp_nil());
}

// _more(link, type): the next rows, as give_rows.
static CspStatus more_begin(CspCall *call, Link *link) {
  begin_run(call, link);
  if (link->db == NULL || link->run.stmt == NULL)
    return fail(call, link, "closed", "the database is closed");
  return csp_block(call, run_work, run_done, link);
}

static CspStatus sqlite_more(CspCall *call) {
  static Begin begin = {more_begin};
  return await_link(call, &begin);
}

// --- Opening and closing ----------------------------------------------------
static bool is_one_of(const char *name, const char *const *names) {
  while (*names != NULL && sqlite3_stricmp(name, *names) != 0) names++;
  return *names != NULL;
}

// What statements may do, asked when they are prepared. Transactions are made
// by the module alone. A pragma may touch neither the process's settings nor,
// with a limit or without files, what bounds the memory.
static int authorize(void *data, int action, const char *a, const char *b,
                     const char *schema, const char *trigger) {
  static const char *const never[] = {
      "hard_heap_limit",      "soft_heap_limit", "temp_store_directory",
      "data_store_directory", "query_only",      NULL};
  static const char *const bounds[] = {
      "max_page_count", "page_size", "cache_size",         "cache_spill",
      "temp_store",     "mmap_size", "default_cache_size", NULL};
  Link *link = data;
  (void)b, (void)schema, (void)trigger;
  if (link->control) return SQLITE_OK;
  if (action == SQLITE_TRANSACTION || action == SQLITE_SAVEPOINT) {
    link->denied = "a transaction is begun and ended by db.transaction";
    return SQLITE_DENY;
  }
  // (The statement VACUUM attaches "".)
  if (action == SQLITE_ATTACH && (a == NULL || *a != '\0')) {
    link->denied = "a database has one file, and attaches no other";
    return SQLITE_DENY;
  }
  bool bounded = link->limited || !link->files;
  if (action == SQLITE_PRAGMA &&
      (is_one_of(a, never) || (bounded && is_one_of(a, bounds)))) {
    link->denied = "this pragma is not allowed here";
    return SQLITE_DENY;
  }
  return SQLITE_OK;
}

static void set_up(Link *link) {
  sqlite3 *db = link->db;
  enum { SQL_MOST = 1 << 22 };
  sqlite3_extended_result_codes(db, 1);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SQL_MOST);
  if (link->limited) {
    size_t most = link->most_held / 4;
    if (most < VALUE_LEAST) most = VALUE_LEAST;
    if (most < INT32_MAX) sqlite3_limit(db, SQLITE_LIMIT_LENGTH, (int)most);
    if (most < SQL_MOST) sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, (int)most);
  }
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_progress_handler(db, LOOK_EVERY, look_around, link);
  sqlite3_set_authorizer(db, authorize, link);
}

// The settings of a new link.
static void first_words(const Link *link, char *text, size_t size) {
  unsigned pages = (unsigned)(link->most_held / 4096);
  bool memory = strcmp(link->path, ":memory:") == 0;
  int at = snprintf(text, size, "PRAGMA schema_version;");
  if (!link->files)
    at += snprintf(text + at, size - (size_t)at, "PRAGMA temp_store=MEMORY;");
  if (link->limited)
    at += snprintf(text + at, size - (size_t)at, "PRAGMA cache_size=-512;");
  if (link->limited && memory)
    at += snprintf(text + at, size - (size_t)at, "PRAGMA max_page_count=%u;",
                   pages < 16 ? 16 : pages);
  snprintf(text + at, size - (size_t)at, "%s",
           link->kind == LINK_READER   ? "PRAGMA query_only=1"
           : link->kind == LINK_WRITER ? "PRAGMA journal_mode=WAL;"
                                         "PRAGMA synchronous=NORMAL"
                                       : "");
}

static void open_work(void *data) {
  Link *link = data;
  Run *run = &link->run;
  char words[256];
  static const int kinds[] = {SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                              SQLITE_OPEN_READWRITE, SQLITE_OPEN_READONLY};
  run->code = SQLITE_OK;
  if (link->db == NULL) {
    run->code = sqlite3_open_v2(link->path, &link->db,
                                kinds[link->kind] | SQLITE_OPEN_NOMUTEX, NULL);
    if (run->code == SQLITE_OK) set_up(link);
  }
  first_words(link, words, sizeof words);
  link->control = true;
  if (run->code == SQLITE_OK)
    run->code = sqlite3_exec(link->db, words, NULL, NULL, NULL);
  if (run->code != SQLITE_OK) tell_error(link);
}

static CspStatus open_failed(CspCall *call, Link *link, const char *code,
                             const char *message) {
  CspStatus status = csp_ok_coded(call, code, "sqlite: cannot open %s: %s",
                                  link->path, message);
  free_link(link);
  return status;
}

static CspStatus open_done(CspCall *call, void *data, bool made) {
  Link *link = data, **own;
  Run *run = &link->run;
  if ((!made || run->vain) && !csp_work(call, LOOK_NS)) {
    free_link(link);
    return CSP_PANIC;
  }
  if (!made) return open_failed(call, link, "limit", csp_no_thread());
  if (is_busy(run->code)) {
    if (!is_late(call, link))
      return wait_for_lock(call, link, open_work, open_done);
    return open_failed(call, link, "timeout", "the database is locked");
  }
  if (run->code != SQLITE_OK)
    return open_failed(call, link, code_of(link, run->code), run->message);
  CspValue v = csp_host_new(call, &link_class, (void **)&own);
  if (csp_is_undef(v)) {
    free_link(link);
    return csp_panic_memory(call);
  }
  *own = link;
  return csp_ok_value(call, v);
}

// The runtime's, made by whichever call is first. NULL: no memory.
static Shared *get_shared(Csp *csp) {
  Shared **state = csp_state(csp, &shared_class), *none = NULL;
  if (state == NULL) return NULL;
  Shared *shared = __atomic_load_n(state, __ATOMIC_SEQ_CST);
  if (shared == NULL) {
    Shared *made = csp_alloc(csp, NULL, sizeof *made);
    if (made == NULL) return NULL;
    *made = (Shared){0, 1};
    bool won = __atomic_compare_exchange_n(state, &none, made, false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (!won) csp_alloc_free(made);
    shared = won ? made : none;
  }
  __atomic_fetch_add(&shared->users, 1, __ATOMIC_SEQ_CST);
  return shared;
}

// A name that begins with "file:" would be a URI.
static Link *new_link(CspCall *call, const char *path, size_t len) {
  const char *before = strncmp(path, "file:", 5) == 0 ? "./" : "";
  size_t size = sizeof(Link) + strlen(before) + len + 1;
  Link *link = csp_alloc(csp_of(call), NULL, size);
  Shared *shared = link != NULL ? get_shared(csp_of(call)) : NULL;
  if (shared == NULL) {
    csp_alloc_free(link);
    return NULL;
  }
  memset(link, 0, size);
  snprintf(link->path, size - sizeof *link, "%s%s", before, path);
  link->csp = csp_of(call);
  link->shared = shared;
  link->most_held = csp_room(call);
  link->limited = link->most_held != SIZE_MAX;
  link->files = csp_allows(link->csp, CSP_FILES) && !csp_has_root(link->csp);
  return link;
}

// _open(path, kind, timeout): (link, nil) or (nil, error).
static CspStatus sqlite_open(CspCall *call) {
  const char *path;
  size_t len;
  int64_t kind, timeout;
  if (!csp_need_string(call, 0, &path, &len) || !csp_need_int(call, 1, &kind) ||
      !csp_need_int(call, 2, &timeout))
    return CSP_PANIC;
  if (len == 0 || memchr(path, '\0', len) != NULL || kind < 0 || kind > 2)
    return csp_bad_arg(call, 0, "the name of a file, or \":memory:\"");
  Link *link = new_link(call, path, len);
  if (link == NULL) return csp_panic_memory(call);
  link->kind = (LinkKind)kind;
  link->timeout = timeout;
  begin_run(call, link);
  if (!link->files && strcmp(path, ":memory:") != 0)
    return open_failed(call, link, "permission",
                       "the host allows only the database \":memory:\"");
  return csp_block(call, open_work, open_done, link);
}

static void close_work(void *data) { close_link(data); }

static CspStatus close_done(CspCall *call, void *data, bool made) {
  if (!made) close_link(data);
  leave(data, false);
  return csp_ok_nothing(call);
}

// _close(link)
static CspStatus close_begin(CspCall *call, Link *link) {
  drop_run_stmt(link);
  link->run.watch.runtime = NULL;
  if (link->db == NULL) return close_done(call, link, true);
  return csp_block(call, close_work, close_done, link);
}

static CspStatus sqlite_close(CspCall *call) {
  static Begin begin = {close_begin};
  return await_link(call, &begin);
}

// _path(link): the whole name of its file.
static CspStatus path_begin(CspCall *call, Link *link) {
  const char *path =
      link->db != NULL ? sqlite3_db_filename(link->db, "main") : NULL;
  if (path == NULL) path = "";
  CspStatus status = csp_ok_string(call, path, strlen(path));
  leave(link, false);
  return status;
}

static CspStatus sqlite_path(CspCall *call) {
  static Begin begin = {path_begin};
  return await_link(call, &begin);
}

// --- The module -------------------------------------------------------------
static const CspFunction sqlite_functions[] = {
    {"_open", "path, kind, timeout", sqlite_open},
    {"_run", "link, sql, args, most, type", sqlite_run},
    {"_try", "link, sql, args, most, type", sqlite_try},
    {"_more", "link, type", sqlite_more},
    {"_close", "link", sqlite_close},
    {"_path", "link", sqlite_path},
    {NULL, NULL, NULL}};

static void add_classes(CspCall *call, CspValue module) {
  (void)module;
  if (!csp_register_class(csp_of(call), &link_class, NULL) ||
      !csp_register_class(csp_of(call), &shared_class, NULL))
    csp_panic_memory(call);
}

static const CspModule sqlite_module = {"sqlite", sqlite_functions, add_classes,
                                        (const char *)text_sqlite,
                                        sizeof text_sqlite - 1};
static const CspNative sqlite_native = {CSP_API, &sqlite_module};

CSP_MODULE(sqlite) { return &sqlite_native; }
