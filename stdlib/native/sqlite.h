// SPDX-License-Identifier: MIT
// What the parts of the native module sqlite share: its links to databases. The
// head of sqlite.c has their states and rules.
//   sqlite.c         opening, closing, and the module's functions
//   sqlite_link.c    which call has a link, what that owns, buffers
//   sqlite_values.c  arguments and rows, from and to values of the language
//   sqlite_work.c    what runs in csp_block: preparing, binding, stepping
//   sqlite_search.c  the SQL functions instr and replace, in linear time
//   sqlite_trim.c    trim, ltrim and rtrim, likewise
//   sqlite_patch.c   json_patch, with a bound
//   sqlite_stack.c   the library's allocator: bounds the stack, ends compiling
//   sqlite_lease.c   files on which another process has a lease
#ifndef CSP_STDLIB_NATIVE_SQLITE_H
#define CSP_STDLIB_NATIVE_SQLITE_H

#include <sqlite3.h>

#include "stdlib/native/database_rows.h"
#include "vm/csp.h"

enum {
  CACHED = 64,        // statements of a link
  LOOK_EVERY = 1000,  // instructions of the library's machine
  LOOK_NS = 1 << 17,  // units with which csp_work asks in any case
  BATCH_BYTES = 1 << 18,
  KEPT_BYTES = 1 << 16,  // a link's buffers between runs
  VALUE_LEAST = 1 << 16,
  PARAMS_MOST = 32766,  // the library takes time for each pair of names
  PATTERN_MOST = 2000,  // bytes of LIKE and GLOB, which recurse, too
  MESSAGE_MOST = 512
};

// Kinds of links, as sqlite.csp has them.
typedef enum SqlKind { LINK_WRITER, LINK_READER, LINK_READ_ONLY } SqlKind;

// What _run wants, as sqlite.csp has it: rows from 1 on, or one of these.
enum { WANT_CONTROL = -1, WANT_CHANGES = 0 };

// Codes of a run besides the library's.
enum {
  RUN_WRITES = -1,   // the statement writes, and the link only reads
  RUN_WRONG = -2,    // the arguments do not fit: panics with `message`
  RUN_REFUSED = -3,  // of the text: an error with `message`
  RUN_DEEP = -4,   // it needs too much stack, or triggers have no end: likewise
  RUN_GONE = -5,   // the savepoint is not there any more: likewise
  RUN_FAILED = -6  // SQLITE_ERROR of what was prepared well: likewise
};

typedef struct SqlBuffer {
  char *data;
  size_t used, cap;
} SqlBuffer;

// A value in a buffer, with its bytes after it, up to a multiple of 8. type is
// SQLITE_INTEGER and so on, CELL_BOOL for 0 and 1 of a column of bools, or
// CELL_NAME for what names the next one.
enum { CELL_NAME = 64, CELL_BOOL };
typedef struct SqlCell {
  int type;
  size_t len;
  int64_t number;
  double real;
} SqlCell;

// A prepared statement.
typedef struct SqlStmt {
  sqlite3_stmt *stmt;
  struct SqlStmt *next;  // one that was used before it
  bool control;
  bool differ;  // the names of its columns, as was found
  int times;    // that the library had prepared it anew then
  size_t len;
  char text[];
} SqlStmt;

typedef struct SqlRun {
  SqlStmt *kept;       // in the cache, or NULL
  sqlite3_stmt *stmt;  // the one that runs, or NULL
  const char *text;    // what is left, of the native's argument
  size_t len;
  int64_t most;  // rows, or WANT_...
  int code;
  bool begun;  // a statement of the text was prepared
  bool bound, named, vain, limited;
  bool closed;  // it was interrupted, as the database is closed
  bool tried;   // it does not begin anew
  bool ends;    // a transaction, which no lack of memory may prevent
  size_t room;
  int64_t memory;          // the library's, when it began
  int64_t given;           // arguments, or entries of their map
  int64_t changes, count;  // of rows in `rows`
  int64_t until, pause;    // while the database is locked
  CspWatch watch;
  char message[MESSAGE_MOST];
} SqlRun;

// The call that has entered the link, its work in csp_block, or the finalizer
// owns all but `state`.
typedef struct SqlLink {
  Csp *csp;
  sqlite3 *db;
  SqlKind kind;
  char state;  // atomic: FREE, PAUSED, RUNNING or ENDING
  bool files, limited, control;
  bool stepping;        // in the library's machine
  bool in_transaction;  // by the last statement of the module's own
  const char *denied;   // by the authorizer, or noted by it
  int cached;
  SqlStmt *newest;
  sqlite3_stmt *patch;  // of sqlite_patch.c, or NULL
  size_t held;          // bytes that it holds, as its value is to weigh
  int unmeasured;       // runs since `held` was measured
  size_t weight;        // of its value
  bool heavy;    // there was no room for that weight, so runs are refused
  size_t room;   // csp_room, when it was opened
  size_t spare;  // csp_room, when a run had collected dead values, or 0
  int64_t timeout;
  SqlBuffer params, rows;
  SqlRun run;
  char path[];
} SqlLink;

enum { FREE, PAUSED, RUNNING, ENDING };

// --- sqlite_link.c ----------------------------------------------------------
extern const CspClass sql_link_class;

// Argument 0, which owns the link, weighs what that holds.
void sql_weigh(CspCall *call, SqlLink *link);
void sql_weigh_value(CspCall *call, SqlLink *link, CspValue v);  // v owns it
void sql_drop_stmt(SqlStmt *kept);
void sql_close_link(SqlLink *link);  // may wait for the disk
void sql_free_link(SqlLink *link);   // likewise

// What a native does once it has its link. Constants.
typedef struct SqlBegin {
  CspStatus (*fn)(CspCall *call, SqlLink *link);
} SqlBegin;

// Argument 0 as a link that this call has now. NULL: panicked, or *busy.
// paused: one with rows left counts as free, because the caller has it from the
// pool.
SqlLink *sql_enter(CspCall *call, bool paused, bool *busy);
SqlLink *sql_enter_value(CspCall *call, CspValue v, bool paused, bool *busy);
// The call that has argument 0 is to end soon, and closes it. false: none has.
bool sql_mark_end(CspCall *call);
bool sql_is_ending(const SqlLink *link);
// Waits until the link is free, and begins then. A single read has it only for
// moments.
CspStatus sql_await_link(CspCall *call, SqlBegin *begin);
void sql_leave(SqlLink *link, bool paused);

// Room for a cell and its bytes. NULL: out of memory.
char *sql_put_cell(SqlLink *link, SqlBuffer *buffer, SqlCell cell);
// The cell at *at, which moves on. Returns its bytes.
const char *sql_next_cell(const SqlBuffer *buffer, size_t *at, SqlCell *cell);

// --- sqlite_values.c --------------------------------------------------------
// Copies a list, or a list of one map, into `params`. false: panicked.
bool sql_put_params(CspCall *call, SqlLink *link, CspValue list);
// (row, nil, nil), or (rows, whether there may be more, nil). Leaves the link.
CspStatus sql_give_rows(CspCall *call, SqlLink *link, CspValue type);

// --- sqlite_work.c ----------------------------------------------------------
// By the call that has the link. (The last one is csp_block's work.)
SqlStmt *sql_find_stmt(SqlLink *link, const char *text, size_t len);
void sql_drop_run_stmt(SqlLink *link);
int sql_look_around(void *data);
bool sql_ends_early(SqlLink *link, int64_t taken);  // bytes; calls no library
void sql_tell_error(SqlLink *link);
bool sql_is_busy(int code);
void sql_run_work(void *data);
void sql_measure(SqlLink *link);  // sets `held`

// --- sqlite_search.c --------------------------------------------------------
// Replaces functions of SQL that took long, and could not be interrupted. (If
// there is no memory for that, the library's stay.) By who opens the link.
void sql_add_functions(SqlLink *link);

// --- sqlite_trim.c ----------------------------------------------------------
void sql_add_trims(SqlLink *link);  // likewise

// --- sqlite_patch.c ---------------------------------------------------------
void sql_add_patch(SqlLink *link);  // likewise
void sql_drop_patch(SqlLink *link);

// --- sqlite_stack.c ---------------------------------------------------------
void sql_bound_stack(void);  // before the library is used, any thread
// The thread that works, before and after what may recurse. NULL: nothing ends
// it early.
void sql_stack_begin(SqlLink *link);
void sql_stack_end(void);
// Whether it is too deep now, and whether it was in the last of these.
bool sql_stack_is_over(void);
bool sql_stack_was_over(void);

// --- sqlite_lease.c ---------------------------------------------------------
void sql_open_unleased(void);  // before the library opens files, any thread
// The thread that works, before and after what may open files. A run that fails
// because another process has a lease on one of them has found it busy.
void sql_lease_begin(void);
void sql_lease_end(SqlRun *run);

#endif
