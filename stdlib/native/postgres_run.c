// SPDX-License-Identifier: MIT
// The module postgres: statements. The native that has the link calls these
// functions.
//
// A statement that has arguments, or whose rows are wanted, is prepared when it
// is first used, and kept. It takes up to three turns with the server:
//
//   forget the statement that was unused for longest -> prepare -> execute
//
// Any other statement is sent as it is, so its text may have several
// statements. Rows come one by one (PQsetSingleRowMode), so that libpq has one
// of them at a time.
#include <stdio.h>
#include <string.h>

#include "stdlib/native/postgres.h"

static bool pg_take_row(CspCall *call, PgStep *step, PGresult *result,
                        CspStatus *status);

// What PQsend... said. true: it is under way.
static bool pg_sent(PgLink *link, int said) {
  link->unsent = said == 1;
  if (said == 1) link->phase = PG_BUSY;
  return said == 1;
}

// --- COPY where none belongs -------------------------------------------------
// libpq gives such a result again and again, as it waits for the data.
bool pg_is_copy(const PGresult *result) {
  ExecStatusType kind = PQresultStatus(result);
  return kind == PGRES_COPY_IN || kind == PGRES_COPY_OUT ||
         kind == PGRES_COPY_BOTH;
}

bool pg_refuse_copy(CspCall *call, PgStep *step, PGresult *result,
                    CspStatus *status) {
  PQclear(result);
  pg_break(step->link, "invalid",
           "copy_in and copy_out are for a COPY from stdin and to stdout");
  *status = pg_fail(call, step);
  return false;
}

// --- Prepared statements ----------------------------------------------------
static PgStmt *pg_find_stmt(PgLink *link, const char *text, size_t len) {
  for (PgStmt **at = &link->newest; *at != NULL; at = &(*at)->next) {
    PgStmt *stmt = *at;
    if (stmt->len != len || memcmp(stmt->text, text, len) != 0) continue;
    *at = stmt->next;
    stmt->next = link->newest;
    link->newest = stmt;
    return stmt;
  }
  return NULL;
}

static void pg_forget_stmt(PgLink *link, PgStmt *stmt) {
  PgStmt **at = &link->newest;
  while (*at != NULL && *at != stmt) at = &(*at)->next;
  if (*at == NULL) return;
  *at = stmt->next;
  link->cached--;
  link->stmt = NULL;
  csp_alloc_free(stmt);
}

static PgStmt *pg_oldest_stmt(PgLink *link) {
  PgStmt *stmt = link->newest;
  while (stmt->next != NULL) stmt = stmt->next;
  return stmt;
}

static bool pg_add_stmt(PgLink *link, const char *text, size_t len) {
  PgStmt *stmt = csp_alloc(link->csp, NULL, sizeof *stmt + len + 1);
  if (stmt == NULL) return false;
  stmt->next = link->newest;
  stmt->number = ++link->stmts;
  stmt->len = len;
  memcpy(stmt->text, text, len + 1);
  link->newest = link->stmt = stmt;
  link->cached++;
  return true;
}

static void pg_stmt_name(const PgStmt *stmt, char name[32]) {
  snprintf(name, 32, "csp%u", stmt->number);
}

static bool pg_send_execute(PgLink *link) {
  enum { FEW = 16 };
  const char *few[FEW], **values = few;
  int few_lens[FEW], *lens = few_lens, few_kinds[FEW], *kinds = few_kinds;
  PgParams *params = &link->params;
  int count = params->count;
  if (count > FEW) {
    size_t each = sizeof *values + sizeof *lens + sizeof *kinds;
    values = csp_alloc(link->csp, NULL, (size_t)count * each);
    if (values == NULL) return false;
    lens = (int *)(values + count);
    kinds = lens + count;
  }
  for (int i = 0; i < count; i++) {
    PgParam one = params->list[i];
    values[i] = one.at < 0 ? NULL : params->data + one.at;
    lens[i] = one.len;
    kinds[i] = one.binary;
  }
  char name[32];
  pg_stmt_name(link->stmt, name);
  int said =
      PQsendQueryPrepared(link->conn, name, count, values, lens, kinds, 0);
  if (values != few) csp_alloc_free(values);
  return pg_sent(link, said) && PQsetSingleRowMode(link->conn) == 1;
}

// Other databases' placeholders are `?`, which here is a part of operators.
static void pg_explain_marks(PgLink *link) {
  const PgStmt *stmt = link->stmt;
  bool syntax = strcmp(link->code, "42601") == 0;
  if (!syntax || stmt == NULL || link->params.count == 0 ||
      memchr(stmt->text, '?', stmt->len) == NULL)
    return;
  for (size_t i = 0; i + 1 < stmt->len; i++)
    if (stmt->text[i] == '$' && stmt->text[i + 1] >= '0' &&
        stmt->text[i + 1] <= '9')
      return;
  size_t len = strlen(link->message);
  snprintf(link->message + len, sizeof link->message - len,
           ": arguments stand for $1, $2 and so on, not for ?");
}

static bool pg_take_prepared(CspCall *call, PgStep *step, PGresult *result,
                             CspStatus *status) {
  PgLink *link = step->link;
  if (pg_is_copy(result)) return pg_refuse_copy(call, step, result, status);
  if (result != NULL) {
    if (PQresultStatus(result) != PGRES_COMMAND_OK) {
      pg_note_error(link, result);
      pg_explain_marks(link);
    }
    PQclear(result);
    return true;
  }
  step->take = pg_take_row;
  if (link->code[0] == '\0' && pg_send_execute(link)) return true;
  if (link->code[0] == '\0') pg_note_lost(link);
  pg_forget_stmt(link, link->stmt);
  *status = pg_fail(call, step);
  return false;
}

static bool pg_send_prepare(CspCall *call, PgStep *step) {
  PgLink *link = step->link;
  char name[32];
  size_t len;
  const char *text = csp_to_string(csp_arg(call, 1), &len);
  if (text == NULL || !pg_add_stmt(link, text, len)) {
    pg_break(link, "memory", "no memory for the statement");
    return false;
  }
  pg_stmt_name(link->stmt, name);
  step->take = pg_take_prepared;
  if (pg_sent(link, PQsendPrepare(link->conn, name, text, 0, NULL)))
    return true;
  pg_note_lost(link);
  return false;
}

static bool pg_take_forgotten(CspCall *call, PgStep *step, PGresult *result,
                              CspStatus *status) {
  if (pg_is_copy(result)) return pg_refuse_copy(call, step, result, status);
  PQclear(result);  // of one that the script has deallocated, an error
  if (result != NULL || pg_send_prepare(call, step)) return true;
  *status = pg_fail(call, step);
  return false;
}

// --- What a statement gives -------------------------------------------------
static void pg_count_changes(PgLink *link, PGresult *result) {
  static const char *const kinds[] = {"INSERT", "UPDATE", "DELETE", "MERGE",
                                      "COPY"};
  const char *tag = PQcmdStatus(result);
  long long count = 0;
  for (int i = 0; i < 5; i++)
    if (strncmp(tag, kinds[i], strlen(kinds[i])) == 0)
      sscanf(PQcmdTuples(result), "%lld", &count);
  if (link->changes <= INT64_MAX - count && count > 0) link->changes += count;
  link->rolled_back = strcmp(tag, "ROLLBACK") == 0;
  pg_note_tag(link, result);
}

// The plan does not fit the tables any more, or the statement is gone. Outside
// of a transaction it is prepared anew, once.
static bool pg_runs_again(CspCall *call, PgStep *step) {
  PgLink *link = step->link;
  bool stale = link->stmt != NULL && csp_list_len(step->rows) == 0 &&
               (strcmp(link->code, "26000") == 0 ||
                (strcmp(link->code, "0A000") == 0 &&
                 strstr(link->message, "cached plan") != NULL));
  if (!stale) return false;
  pg_forget_stmt(link, link->stmt);
  if (link->retried || PQtransactionStatus(link->conn) != PQTRANS_IDLE)
    return false;
  link->retried = true;
  link->code[0] = '\0';
  return pg_send_prepare(call, step);
}

// A transaction is begun and ended by the module alone.
static bool pg_is_out_of_step(PgLink *link) {
  if (link->lost || PQstatus(link->conn) != CONNECTION_OK) return false;
  bool within = PQtransactionStatus(link->conn) != PQTRANS_IDLE;
  if (link->most == PG_CONTROL) {
    link->in_transaction = within;
    return false;
  }
  if (within == link->in_transaction) return false;
  pg_break(link, "invalid",
           "a transaction is begun and ended by pool.transaction alone");
  return true;
}

static CspStatus pg_give(CspCall *call, PgStep *step, bool more) {
  PgLink *link = step->link;
  if (more) link->phase = PG_ROWS;
  CspValue first = link->most == 1 ? csp_list_get(step->rows, 0) : step->rows;
  int64_t changes = link->changes;
  bool rows = link->most > 0;
  if (step->held != 0) csp_release(csp_of(call), step->held);
  if (!more) link->phase = PG_IDLE;
  pg_leave(call, link);
  if (!rows) return csp_ok_value(call, csp_int(call, changes));
  csp_return(call, first);
  csp_return(call, csp_bool(more));
  return csp_ok(call, csp_nil());
}

// A COMMIT after an error, which the program has passed over.
static bool pg_is_taken_back(CspCall *call, const PgLink *link) {
  size_t len;
  return link->most == PG_CONTROL && link->rolled_back &&
         strcmp(csp_to_string(csp_arg(call, 1), &len), "commit") == 0;
}

// true: it goes on. Else *status is the native's.
static bool pg_take_end(CspCall *call, PgStep *step, CspStatus *status) {
  PgLink *link = step->link;
  if (link->code[0] != '\0' && pg_runs_again(call, step)) return true;
  bool failed = link->code[0] != '\0';
  if (pg_is_out_of_step(link)) failed = true;
  if (!failed && pg_is_taken_back(call, link)) {
    failed = true;
    snprintf(link->code, sizeof link->code, "25P02");
    snprintf(link->message, sizeof link->message,
             "an error before has rolled the transaction back");
  }
  *status = failed ? pg_fail(call, step) : pg_give(call, step, false);
  return false;
}

static bool pg_is_full(const PgStep *step) {
  const PgLink *link = step->link;
  return link->most > 1 && (step->bytes >= PG_BATCH_BYTES ||
                            (int64_t)csp_list_len(step->rows) >= link->most);
}

static bool pg_take_row(CspCall *call, PgStep *step, PGresult *result,
                        CspStatus *status) {
  PgLink *link = step->link;
  bool wanted =
      link->most > 1 || (link->most == 1 && csp_list_len(step->rows) == 0);
  if (result == NULL) return pg_take_end(call, step, status);
  ExecStatusType kind = PQresultStatus(result);
  bool well = true;
  if (kind == PGRES_SINGLE_TUPLE || kind == PGRES_TUPLES_OK)
    pg_check_names(step, result);
  if (kind == PGRES_SINGLE_TUPLE) {
    if (wanted && link->code[0] == '\0')
      well = pg_add_row(call, step, result, status);
    else
      pg_took(link, 8);
  } else if (kind == PGRES_COMMAND_OK || kind == PGRES_TUPLES_OK) {
    pg_count_changes(link, result);
  } else if (pg_is_copy(result)) {
    return pg_refuse_copy(call, step, result, status);
  } else if (kind != PGRES_EMPTY_QUERY) {
    pg_note_error(link, result);
  }
  PQclear(result);
  if (!well && link->code[0] != '\0')
    *status = pg_fail(call, step);
  else if (!well)
    pg_give_up(call, step);
  if (!well) return false;
  if (kind != PGRES_SINGLE_TUPLE || !pg_is_full(step)) return true;
  *status = pg_give(call, step, true);
  return false;
}

// --- Beginning it -----------------------------------------------------------
static bool pg_need_sql(CspCall *call, const char **text, size_t *len) {
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

// The lists of rows and of names. Structs may have defaults, which call the
// script, and then what is in C variables is not kept.
static bool pg_begin_rows(CspCall *call, PgStep *step, CspValue type) {
  step->rows = csp_list(call, 0);
  step->names = csp_nil();
  bool there = !csp_is_undef(step->rows);
  if (there && csp_type(type) != CSP_NIL) {
    step->held = csp_hold(call, step->rows);
    there = step->held != 0;
  }
  if (!there) csp_panic_memory(call);
  return there;
}

// false: step->link->code is set.
static bool pg_send(CspCall *call, PgStep *step, const char *text, size_t len) {
  PgLink *link = step->link;
  step->take = pg_take_row;
  link->stmt = NULL;
  if (link->most <= 0 && link->params.count == 0) {
    if (pg_sent(link, PQsendQuery(link->conn, text)) &&
        PQsetSingleRowMode(link->conn) == 1)
      return true;
    pg_note_lost(link);
    return false;
  }
  link->stmt = pg_find_stmt(link, text, len);
  if (link->stmt != NULL) {
    if (pg_send_execute(link)) return true;
    pg_note_lost(link);
    return false;
  }
  if (link->cached < PG_CACHED) return pg_send_prepare(call, step);
  PgStmt *oldest = pg_oldest_stmt(link);
  char name[48] = "deallocate ";
  pg_stmt_name(oldest, name + strlen(name));
  pg_forget_stmt(link, oldest);
  step->take = pg_take_forgotten;
  if (pg_sent(link, PQsendQuery(link->conn, name))) return true;
  pg_note_lost(link);
  return false;
}

static bool pg_is_usable(PgLink *link, PgPhase phase) {
  if (link->conn == NULL || link->phase == PG_BROKEN)
    pg_break(link, "closed", "the connection is not usable any more");
  else if (link->phase != phase)
    pg_break(link, "busy", "the connection is in the middle of something else");
  return link->code[0] == '\0';
}

// Argument 0, for a call whose argument 3 says whether it gives rows.
static PgLink *pg_enter_run(CspCall *call, CspStatus *status) {
  CspValue most = csp_arg(call, 3);
  bool rows = csp_type(most) == CSP_INT && csp_to_int(most) > 0;
  return pg_enter(call, rows, status);
}

// _run(link, sql, args, most, type, name): (changes, nil), or (rows, whether
// there may be more, nil), and for one row (row, false, nil).
CspStatus pg_run(CspCall *call) {
  CspStatus status = CSP_PANIC;
  PgStep step = {.link = pg_enter_run(call, &status)};
  const char *text = "";
  size_t len = 0;
  CspValue args;
  if (step.link == NULL) return status;
  PgLink *link = step.link;
  link->most = link->changes = 0;
  link->retried = link->rolled_back = false;
  if (!pg_need_sql(call, &text, &len) ||
      !csp_need_type(call, 2, CSP_LIST, &args) ||
      !csp_need_int(call, 3, &link->most) ||
      !pg_begin_rows(call, &step, csp_arg(call, 4)))
    return pg_give_up(call, &step);
  if (!pg_is_usable(link, PG_IDLE)) return pg_fail(call, &step);
  if ((link->most != PG_CONTROL && !pg_may_send(call, link, text, len)) ||
      !pg_put_params(call, link, args)) {
    if (link->code[0] != '\0') return pg_fail(call, &step);
    return pg_give_up(call, &step);
  }
  if (!pg_send(call, &step, text, len)) return pg_fail(call, &step);
  status = pg_drive(call, &step);
  return status;
}

// _more(link, sql, args, most, type, name): the next rows.
CspStatus pg_more(CspCall *call) {
  CspStatus status = CSP_PANIC;
  PgStep step = {.link = pg_enter_run(call, &status)};
  if (step.link == NULL) return status;
  step.take = pg_take_row;
  if (!csp_need_int(call, 3, &step.link->most) ||
      !pg_begin_rows(call, &step, csp_arg(call, 4)))
    return pg_give_up(call, &step);
  if (!pg_is_usable(step.link, PG_ROWS)) return pg_fail(call, &step);
  step.link->phase = PG_BUSY;
  return pg_drive(call, &step);
}
