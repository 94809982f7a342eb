// SPDX-License-Identifier: MIT
// The module postgres: which call has a link, what a link owns, and how it
// waits. A call that has a link may use these functions on any thread of the
// runtime (the head of postgres.c).
#include "stdlib/native/postgres.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

// --- The runtime's ----------------------------------------------------------
const CspClass pg_shared_class = {"postgres state", db_finalize_shared,
                                  sizeof(DbShared *), NULL};

// --- Locale -----------------------------------------------------------------
PgPlain pg_plain_begin(void) {
  PgPlain plain = {.own = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  plain.before = uselocale(plain.own);  // 0 (no memory) changes nothing
  return plain;
}

void pg_plain_end(PgPlain plain) {
  uselocale(plain.before);
  if (plain.own != (locale_t)0) freelocale(plain.own);
}

// --- Links ------------------------------------------------------------------
PgLink *pg_new_link(CspCall *call) {
  Csp *csp = csp_of(call);
  PgLink *link = csp_alloc(csp, NULL, sizeof *link);
  DbShared *shared = link != NULL ? db_get_shared(csp, &pg_shared_class) : NULL;
  if (shared == NULL) {
    csp_alloc_free(link);
    return NULL;
  }
  memset(link, 0, sizeof *link);
  link->csp = csp;
  link->shared = shared;
  size_t room = csp_room(call);
  link->most_held = room == SIZE_MAX ? SIZE_MAX : room / 2;
  return link;
}

static void pg_set_held(PgLink *link, int64_t held) {
  db_set_held(link->shared, &link->held, held);
}

static void pg_drop_stmts(PgLink *link) {
  while (link->newest != NULL) {
    PgStmt *stmt = link->newest;
    link->newest = stmt->next;
    csp_alloc_free(stmt);
  }
  link->stmt = NULL;
  link->cached = 0;
}

void pg_close_conn(PgLink *link) {
  pg_drop_stmts(link);
  if (link->cancel != NULL) PQfreeCancel(link->cancel);
  if (link->conn != NULL) PQfinish(link->conn);
  pg_gate_end(link);
  link->cancel = NULL;
  link->conn = NULL;
  link->phase = PG_BROKEN;
  pg_set_held(link, 0);
}

static void pg_trim_params(PgLink *link) {
  csp_alloc_free(link->params.data);
  csp_alloc_free(link->params.list);
  link->params = (PgParams){0};
}

void pg_free_link(PgLink *link) {
  if (link == NULL) return;
  pg_close_conn(link);
  csp_fd_free(link->fd);
  pg_trim_params(link);
  csp_alloc_free(link->info);
  db_drop_shared(link->shared);
  csp_alloc_free(link);
}

static void pg_finalize_link(void *data) { pg_free_link(*(PgLink **)data); }

const CspClass pg_link_class = {"postgres connection", pg_finalize_link,
                                sizeof(PgLink *), NULL};

// --- Taking it --------------------------------------------------------------
bool pg_take(PgLink *link) {
  char was = PG_FREE;
  // acquire: what the call before has left. Pairs with pg_let_go
  return __atomic_compare_exchange_n(&link->state, &was, PG_TAKEN, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void pg_let_go(PgLink *link) {
  // release: what this call has left. Pairs with pg_take
  __atomic_store_n(&link->state, PG_FREE, __ATOMIC_RELEASE);
}

void pg_tell_closed(PgLink *link) {
  // relaxed: as in pg_try_enter
  __atomic_store_n(&link->closed, true, __ATOMIC_RELAXED);
}

const char *pg_try_enter(CspCall *call, PgLink *link) {
  // relaxed: a call that misses it runs at the same time as pg_tell_closed, and
  // may as well come before it
  if (__atomic_load_n(&link->closed, __ATOMIC_RELAXED)) return "closed";
  if (!pg_take(link)) return "busy";
  link->code[0] = '\0';
  // both turns are free, as they are taken here alone
  bool open = link->fd != NULL && csp_fd_enter(link->fd, CSP_READS) >= 0;
  if (open && csp_fd_enter(link->fd, CSP_WRITES) < 0) {
    csp_fd_leave(call, link->fd, CSP_READS);
    open = false;
  }
  if (open) return NULL;
  pg_let_go(link);
  return "closed";
}

PgLink *pg_enter(CspCall *call, bool rows, CspStatus *status) {
  PgLink **data = csp_host_data(csp_arg(call, 0), &pg_link_class);
  if (data == NULL || *data == NULL) {
    *status = csp_bad_arg(call, 0, "a connection");
    return NULL;
  }
  const char *why = pg_try_enter(call, *data);
  if (why == NULL) return *data;
  bool busy = strcmp(why, "busy") == 0;
  if (rows) csp_return(call, csp_nil());
  *status = csp_ok_coded(call, why, "postgres: the connection %s",
                         busy ? "is in use" : "was closed here");
  return NULL;
}

void pg_leave(CspCall *call, PgLink *link) {
  csp_fd_leave(call, link->fd, CSP_WRITES);
  csp_fd_leave(call, link->fd, CSP_READS);
  pg_trim_params(link);
  link->until = 0;
  pg_let_go(link);
}

// --- What goes wrong --------------------------------------------------------
void pg_break(PgLink *link, const char *code, const char *message) {
  link->phase = PG_BROKEN;
  if (link->code[0] != '\0') return;
  snprintf(link->code, sizeof link->code, "%s", code);
  snprintf(link->message, sizeof link->message, "%s", message);
}

static const char *pg_diagnosis(const PGresult *result, int field) {
  const char *text = PQresultErrorField(result, field);
  return text != NULL ? text : "";
}

void pg_note_error(PgLink *link, const PGresult *result) {
  const char *code = pg_diagnosis(result, PG_DIAG_SQLSTATE);
  if (link->code[0] != '\0') return;
  if (*code == '\0') {
    pg_note_lost(link);
    return;
  }
  const char *detail = pg_diagnosis(result, PG_DIAG_MESSAGE_DETAIL);
  const char *place = pg_diagnosis(result, PG_DIAG_STATEMENT_POSITION);
  snprintf(link->code, sizeof link->code, "%.5s", code);
  snprintf(link->message, sizeof link->message, "%s%s%s%s%s%s",
           pg_diagnosis(result, PG_DIAG_MESSAGE_PRIMARY),
           *place != '\0' ? " at character " : "", place,
           *detail != '\0' ? " (" : "", detail, *detail != '\0' ? ")" : "");
}

// The first line of what libpq says.
void pg_note_lost(PgLink *link) {
  char text[PG_MESSAGE];
  const char *said = link->conn != NULL ? PQerrorMessage(link->conn) : "";
  size_t len = strcspn(said, "\n");
  if (len >= sizeof text) len = sizeof text - 1;
  memcpy(text, said, len);
  text[len] = '\0';
  link->lost = true;
  pg_break(link, "closed", len > 0 ? text : "the connection was lost");
}

static void pg_step_over(CspCall *call, PgStep *step) {
  if (step->held != 0) csp_release(csp_of(call), step->held);
  step->held = 0;
  PgLink *link = step->link;
  if (link->phase == PG_BUSY) link->phase = PG_IDLE;
  pg_leave(call, link);
}

CspStatus pg_fail(CspCall *call, PgStep *step) {
  PgLink *link = step->link;
  char code[PG_CODE], message[PG_MESSAGE];
  memcpy(code, link->code, sizeof code);  // the link is another call's then
  memcpy(message, link->message, sizeof message);
  bool rows = link->most > 0;
  pg_step_over(call, step);
  if (rows) csp_return(call, csp_nil());
  return csp_ok_coded(call, code, "postgres: %s", message);
}

CspStatus pg_give_up(CspCall *call, PgStep *step) {
  if (step->link->phase != PG_IDLE)
    pg_break(step->link, "closed", "a statement before was given up");
  pg_step_over(call, step);
  return CSP_PANIC;
}

// --- Sending and reading ----------------------------------------------------
bool pg_is_readable(PgLink *link) {
  struct pollfd both[2] = {
      {.fd = PQsocket(link->conn), .events = POLLIN},
      {.fd = link->gated ? link->gate_real : -1, .events = POLLIN}};
  return both[0].fd >= 0 && poll(both, 2, 0) > 0;
}

bool pg_consume(PgLink *link) {
  int waiting = 0;
  pg_gate_in(link);
  if (ioctl(PQsocket(link->conn), FIONREAD, &waiting) != 0) waiting = 0;
  pg_set_held(link, link->held + waiting);
  if (link->held > PG_KEPT_BYTES) link->fat = true;
  link->heard = true;
  if (link->frames.foul) {
    pg_break(link, "invalid",
             "the server sent a message that does not belong there");
    return false;
  }
  return PQconsumeInput(link->conn) == 1;
}

// Frames and TLS take some more. What waits in the socket may be counted more
// than once, as libpq may read a part of it. But its buffer is at most twice as
// large as what was in it.
void pg_took(PgLink *link, size_t bytes) {
  enum { FIRST = 1 << 17 };  // of libpq's buffers
  int64_t size = (int64_t)(bytes + bytes / 8 + 64);
  if (size > link->largest) link->largest = size;
  int64_t held = link->held > size ? link->held - size : 0;
  if (held > 2 * link->largest + FIRST) held = 2 * link->largest + FIRST;
  pg_set_held(link, held);
}

static bool pg_takes_too_much(const PgLink *link) {
  // relaxed: a sum that the other links change meanwhile (db_set_held)
  int64_t held = __atomic_load_n(&link->shared->held, __ATOMIC_RELAXED);
  return held > 0 && (size_t)held > link->most_held &&
         (size_t)link->held > link->most_held / 16;
}

// OpenSSL may have the rest of a record, which no poll tells of.
static bool pg_read_rest(PgLink *link, bool (*is_ready)(PgLink *link)) {
  if (!PQsslInUse(link->conn)) return false;
  for (int i = 0; i < 2; i++) {
    if (!pg_consume(link)) link->lost = true;
    if (link->lost || is_ready(link)) return true;
  }
  return pg_is_readable(link);
}

static void pg_send(PgLink *link) {
  int left;
  do left = PQflush(link->conn);
  while (pg_gate_out(link) && left > 0);
  // a failure shows where it is read
  link->unsent = left > 0 || pg_gate_holds(link);
}

static bool pg_has_result(PgLink *link) { return PQisBusy(link->conn) == 0; }

// Notifications that nobody listens for. (libpq keeps each until it is asked.)
void pg_drop_notices(PgLink *link) {
  for (PGnotify *one; (one = PQnotifies(link->conn)) != NULL;) PQfreemem(one);
}

static PgNext pg_pump_over(PgLink *link) {
  pg_note_lost(link);
  return PG_NEXT_OVER;
}

static PgNext pump_all(CspCall *call, PgLink *link,
                       bool (*is_ready)(PgLink *link)) {
  if (csp_fd_number(link->fd) < 0) {
    pg_break(link, "closed", "the connection was closed here");
    return PG_NEXT_OVER;
  }
  if (link->unsent) pg_send(link);
  for (;;) {
    pg_gate_out(link);  // libpq may answer by itself
    if (is_ready(link)) return PG_NEXT_READY;
    if (link->lost) return pg_pump_over(link);
    if (!pg_is_readable(link) && !pg_read_rest(link, is_ready))
      return link->unsent ? PG_NEXT_WRITE : PG_NEXT_READ;
    int64_t begun = csp_monotonic(call);
    if (!link->lost && !pg_consume(link)) link->lost = true;
    if (is_ready == pg_has_result) pg_drop_notices(link);
    if (pg_takes_too_much(link)) {
      pg_break(link, "memory", "the server sends more than memory is left for");
      return PG_NEXT_OVER;
    }
    uint64_t spent = (uint64_t)(csp_monotonic(call) - begun);
    if (csp_spent(call, spent + 200)) return PG_NEXT_AGAIN;
  }
}

PgNext pg_pump(CspCall *call, PgLink *link, bool (*is_ready)(PgLink *link)) {
  PgPlain plain = pg_plain_begin();
  PgNext next = pump_all(call, link, is_ready);
  pg_plain_end(plain);
  return next;
}

// While something is to be sent, the server may itself wait until it is read.
// So a wait for that side looks at the other one now and then.
CspStatus pg_wait(CspCall *call, PgStep *step, PgNext next,
                  CspStatus (*go)(CspCall *call, void *data, bool on)) {
  enum { LOOK = 50000000 };  // ns
  PgLink *link = step->link;
  int64_t until = link->until;
  if (next == PG_NEXT_WRITE) {
    int64_t look = csp_monotonic(call) + LOOK;
    if (until == 0 || look < until) until = look;
  }
  if (next != PG_NEXT_AGAIN)
    csp_when_ready(call, link->fd,
                   next == PG_NEXT_WRITE ? CSP_WRITES : CSP_READS, until);
  return csp_again(call, go, step, sizeof *step, 2);
}

static CspStatus pg_drive_on(CspCall *call, void *data, bool on) {
  PgStep *step = data;
  return on ? pg_drive(call, step) : pg_give_up(call, step);
}

// What came may need memory that garbage has now.
static bool pg_wants_room(CspCall *call, PgStep *step) {
  if (step->collected || step->link->most_held == SIZE_MAX ||
      csp_room(call) / 4 > (size_t)step->link->held)
    return false;
  csp_collect(call);
  step->collected = true;
  return true;
}

CspStatus pg_drive(CspCall *call, PgStep *step) {
  PgLink *link = step->link;
  CspStatus status = CSP_PANIC;
  for (;;) {
    PgNext next = pg_pump(call, link, pg_has_result);
    if (next == PG_NEXT_OVER) return pg_fail(call, step);
    if (next != PG_NEXT_READY) {
      if (link->until == 0 || csp_monotonic(call) < link->until)
        return pg_wait(call, step, next, pg_drive_on);
      pg_break(link, "timeout", "the server does not answer");
      return pg_fail(call, step);
    }
    if (pg_wants_room(call, step))
      return csp_again(call, pg_drive_on, step, sizeof *step, 2);
    PGresult *result = PQgetResult(link->conn);
    if (result == NULL) {
      pg_set_held(link, 0);
      link->largest = 0;
      pg_drop_notices(link);
    }
    if (!step->take(call, step, result, &status)) return status;
    if (csp_spent(call, 300))
      return csp_again(call, pg_drive_on, step, sizeof *step, 2);
  }
}
