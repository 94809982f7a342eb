// SPDX-License-Identifier: MIT
// The module postgres: COPY, and notifications. The native that has the link
// calls these functions. Data that is copied passes through in pieces, and
// libpq has one of them at a time.
#include <stdio.h>
#include <string.h>

#include "stdlib/native/postgres.h"

enum { PG_PIECE = 1 << 16 };

// Argument 0 as a link in that phase. NULL: *status is the native's.
static PgLink *pg_enter_in(CspCall *call, PgPhase phase, CspStatus *status) {
  PgLink *link = pg_enter(call, false, status);
  if (link == NULL) return NULL;
  link->most = PG_CHANGES;
  if (link->phase == phase) return link;
  pg_break(link, "closed", "the connection is not usable any more");
  PgStep step = {.link = link};
  *status = pg_fail(call, &step);
  return NULL;
}

// Collects in `rows` what the server sends, with the link in that phase.
static CspStatus pg_collect(CspCall *call, PgPhase phase, CspValue rows,
                            CspStatus (*on)(CspCall *call, PgStep *step)) {
  CspStatus status = CSP_PANIC;
  PgStep step = {.link = pg_enter_in(call, phase, &status)};
  if (step.link == NULL) return status;
  step.names = csp_nil();
  step.rows = rows;
  if (!csp_is_undef(rows)) return on(call, &step);
  csp_panic_memory(call);
  return pg_give_up(call, &step);
}

// --- Beginning --------------------------------------------------------------
static bool pg_take_begin(CspCall *call, PgStep *step, PGresult *result,
                          CspStatus *status) {
  PgLink *link = step->link;
  if (result == NULL && link->code[0] == '\0')
    pg_break(link, "invalid", "it is no COPY from stdin or to stdout");
  if (result == NULL) {
    *status = pg_fail(call, step);
    return false;
  }
  ExecStatusType kind = PQresultStatus(result);
  PgPhase wanted = csp_truthy(csp_arg(call, 2)) ? PG_COPY_IN : PG_COPY_OUT;
  PgPhase phase = kind == PGRES_COPY_IN    ? PG_COPY_IN
                  : kind == PGRES_COPY_OUT ? PG_COPY_OUT
                  : pg_is_copy(result)     ? PG_BROKEN
                                           : PG_BUSY;
  if (kind == PGRES_FATAL_ERROR) pg_note_error(link, result);
  pg_note_tag(link, result);
  PQclear(result);
  if (phase == PG_BUSY) return true;
  if (phase != wanted) {
    pg_break(link, "invalid",
             "copy_in is for COPY from stdin, and copy_out "
             "for COPY to stdout");
    *status = pg_fail(call, step);
    return false;
  }
  link->phase = phase;
  pg_leave(call, link);
  *status = csp_ok_value(call, csp_bool(true));
  return false;
}

// _copy(link, sql, inwards, name): (true, nil) or (nil, error).
CspStatus pg_copy(CspCall *call) {
  CspStatus status = CSP_PANIC;
  const char *text;
  size_t len;
  if (!csp_need_string(call, 1, &text, &len)) return CSP_PANIC;
  if (memchr(text, '\0', len) != NULL)
    return csp_panic(call, "%s: the SQL text has a NUL byte", db_name(call));
  PgStep step = {.link = pg_enter_in(call, PG_IDLE, &status)};
  if (step.link == NULL) return status;
  step.take = pg_take_begin;
  step.rows = step.names = csp_nil();
  PgLink *link = step.link;
  link->stmt = NULL;
  link->changes = 0;
  if (!pg_may_send(call, link, text, len))
    return link->code[0] != '\0' ? pg_fail(call, &step)
                                 : pg_give_up(call, &step);
  link->unsent = PQsendQuery(link->conn, text) == 1;
  link->phase = PG_BUSY;
  if (link->unsent) return pg_drive(call, &step);
  pg_note_lost(link);
  return pg_fail(call, &step);
}

// --- In ---------------------------------------------------------------------
static bool pg_is_flushed(PgLink *link) { return !link->unsent; }

static CspStatus pg_put_step(CspCall *call, void *data, bool on);

// The next bytes of the argument, which others may have cut. 0: it is over.
static size_t pg_next_piece(CspCall *call, size_t at, char *buffer,
                            size_t most) {
  CspValue v = csp_arg(call, 1);
  if (csp_type(v) == CSP_BYTES) return csp_bytes_read(v, at, buffer, most);
  size_t len;
  const char *text = csp_to_string(v, &len);
  if (at >= len) return 0;
  len = len - at < most ? len - at : most;
  memcpy(buffer, text + at, len);
  return len;
}

static CspStatus pg_put_on(CspCall *call, PgStep *step) {
  char buffer[16384];
  PgLink *link = step->link;
  for (;;) {
    PgNext next = pg_pump(call, link, pg_is_flushed);
    if (next == PG_NEXT_OVER) return pg_fail(call, step);
    if (next != PG_NEXT_READY) return pg_wait(call, step, next, pg_put_step);
    size_t len = pg_next_piece(call, step->at, buffer, sizeof buffer);
    if (len == 0) {
      pg_leave(call, link);
      return csp_ok_value(call, csp_bool(true));
    }
    step->at += len;
    if (PQputCopyData(link->conn, buffer, (int)len) != 1) {
      pg_note_lost(link);
      return pg_fail(call, step);
    }
    link->unsent = true;
    if (csp_spent(call, 4000))
      return csp_again(call, pg_put_step, step, sizeof *step, 2);
  }
}

static CspStatus pg_put_step(CspCall *call, void *data, bool on) {
  return on ? pg_put_on(call, data) : pg_give_up(call, data);
}

// _put(link, piece, name): (true, nil) or (nil, error).
CspStatus pg_copy_put(CspCall *call) {
  CspStatus status = CSP_PANIC;
  CspType type = csp_type(csp_arg(call, 1));
  if (type != CSP_STRING && type != CSP_BYTES)
    return csp_panic(call,
                     "%s: what is copied must be strings or bytes, not %s",
                     db_name(call), csp_type_name(csp_arg(call, 1)));
  PgStep step = {.link = pg_enter_in(call, PG_COPY_IN, &status)};
  step.rows = step.names = csp_nil();
  return step.link != NULL ? pg_put_on(call, &step) : status;
}

// There is nobody for its data.
static bool pg_refuse_second(CspCall *call, PgStep *step, PGresult *result,
                             CspStatus *status) {
  pg_break(step->link, "invalid", "the text has more than one COPY");
  return pg_refuse_copy(call, step, result, status);
}

static bool pg_take_copied(CspCall *call, PgStep *step, PGresult *result,
                           CspStatus *status) {
  PgLink *link = step->link;
  long long count = 0;
  if (result == NULL) {
    if (link->code[0] != '\0') {
      *status = pg_fail(call, step);
      return false;
    }
    int64_t changes = link->changes;
    link->phase = PG_IDLE;
    pg_leave(call, link);
    *status = csp_ok_value(call, csp_int(call, changes));
    return false;
  }
  if (pg_is_copy(result)) return pg_refuse_second(call, step, result, status);
  ExecStatusType kind = PQresultStatus(result);
  if (strncmp(PQcmdStatus(result), "COPY", 4) == 0)
    sscanf(PQcmdTuples(result), "%lld", &count);
  if (kind == PGRES_FATAL_ERROR || kind == PGRES_BAD_RESPONSE)
    pg_note_error(link, result);
  pg_note_tag(link, result);
  if (count > 0) link->changes = count;
  PQclear(result);
  return true;
}

// _end(link, failed): (how many rows, nil) or (nil, error). If it has failed,
// the server is told to take nothing.
CspStatus pg_copy_end(CspCall *call) {
  CspStatus status = CSP_PANIC;
  PgStep step = {.link = pg_enter_in(call, PG_COPY_IN, &status)};
  if (step.link == NULL) return status;
  step.rows = step.names = csp_nil();
  step.take = pg_take_copied;
  PgLink *link = step.link;
  const char *why =
      csp_truthy(csp_arg(call, 1)) ? "the program has ended it" : NULL;
  if (PQputCopyEnd(link->conn, why) != 1) {
    pg_note_lost(link);
    return pg_fail(call, &step);
  }
  link->unsent = true;
  link->phase = PG_BUSY;
  return pg_drive(call, &step);
}

// --- Out --------------------------------------------------------------------
// Something was read, and may be what is waited for. (Otherwise it would go on
// reading, and libpq would keep it all.)
static bool pg_has_heard(PgLink *link) { return link->heard; }

static CspStatus pg_get_step(CspCall *call, void *data, bool on);

// What has come, as bytes.
static CspStatus pg_give_piece(CspCall *call, PgStep *step) {
  pg_leave(call, step->link);
  return csp_ok_value(call, step->rows);
}

// Takes what libpq has. false: *status is the native's.
static bool pg_get_copied(CspCall *call, PgStep *step, CspStatus *status) {
  PgLink *link = step->link;
  char *row = NULL;
  int len = 0;
  while (step->bytes < PG_PIECE &&
         (len = PQgetCopyData(link->conn, &row, 1)) > 0) {
    bool well = csp_bytes_append(call, step->rows, row, (size_t)len);
    PQfreemem(row);
    pg_took(link, (size_t)len);
    step->bytes += (size_t)len;
    if (!well) *status = pg_give_up(call, step);
    if (!well) return false;
    if (csp_spent(call, 100 + (uint64_t)len / 8)) break;
  }
  if (len >= 0 && step->bytes == 0) return true;
  if (step->bytes > 0) {
    *status = pg_give_piece(call, step);
    return false;
  }
  link->phase = PG_BUSY;  // it is over, well or not
  step->take = pg_take_copied;
  *status = pg_drive(call, step);
  return false;
}

static CspStatus pg_get_on(CspCall *call, PgStep *step) {
  PgLink *link = step->link;
  CspStatus status = CSP_PANIC;
  for (;;) {
    if (!pg_get_copied(call, step, &status)) return status;
    link->heard = false;
    PgNext next = pg_pump(call, link, pg_has_heard);
    if (next == PG_NEXT_OVER) return pg_fail(call, step);
    if (next != PG_NEXT_READY) return pg_wait(call, step, next, pg_get_step);
  }
}

static CspStatus pg_get_step(CspCall *call, void *data, bool on) {
  return on ? pg_get_on(call, data) : pg_give_up(call, data);
}

// _get(link): (bytes, nil), (a number of rows, nil) at the end, or (nil,
// error).
CspStatus pg_copy_get(CspCall *call) {
  return pg_collect(call, PG_COPY_OUT, csp_bytes(call, "", 0), pg_get_on);
}

// --- Notifications ----------------------------------------------------------
static CspStatus pg_notices_step(CspCall *call, void *data, bool on);

static bool pg_add_notice(CspCall *call, CspValue list, const PGnotify *one) {
  CspValue parts[3] = {
      csp_string(call, one->relname, strlen(one->relname)),
      csp_string(call, one->extra, strlen(one->extra)),
      csp_int(call, one->be_pid),
  };
  for (int i = 0; i < 3; i++)
    if (csp_is_undef(parts[i])) {
      csp_panic_memory(call);
      return false;
    }
  return csp_list_push(call, list, csp_tuple(call, parts, 3));
}

static CspStatus pg_notices_on(CspCall *call, PgStep *step) {
  enum { MOST = 256 };
  PgLink *link = step->link;
  for (;;) {
    PGnotify *one;
    while (csp_list_len(step->rows) < MOST &&
           (one = PQnotifies(link->conn)) != NULL) {
      bool well = pg_add_notice(call, step->rows, one);
      pg_took(link, strlen(one->extra));
      PQfreemem(one);
      if (!well) return pg_give_up(call, step);
      csp_spent(call, 300);
    }
    if (csp_list_len(step->rows) > 0) {
      pg_leave(call, link);
      return csp_ok_value(call, step->rows);
    }
    link->heard = false;
    PgNext next = pg_pump(call, link, pg_has_heard);
    if (next == PG_NEXT_OVER) return pg_fail(call, step);
    if (next != PG_NEXT_READY)
      return pg_wait(call, step, next, pg_notices_step);
  }
}

static CspStatus pg_notices_step(CspCall *call, void *data, bool on) {
  return on ? pg_notices_on(call, data) : pg_give_up(call, data);
}

// _notices(link): (a list of tuples, nil) or (nil, error).
CspStatus pg_notices(CspCall *call) {
  return pg_collect(call, PG_IDLE, csp_list(call, 0), pg_notices_on);
}
