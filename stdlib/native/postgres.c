// SPDX-License-Identifier: MIT
// The native module postgres: connections to PostgreSQL servers, over libpq.
// postgres.csp makes pools of them: transactions, streams, COPY, listeners.
//
// A link (PgLink) is one connection. A value owns it, and its finalizer ends
// it. One call has it at a time (pg_enter, pg_leave), and a second one gets an
// error ("busy"). Between calls it is in one of these phases:
//
//   PG_IDLE --_run--> PG_BUSY --> PG_IDLE, or PG_ROWS --_more--> PG_BUSY
//   PG_IDLE --_copy--> PG_COPY_IN --_end--> PG_IDLE
//   PG_IDLE --_copy--> PG_COPY_OUT --_get--> PG_IDLE
//   any --> PG_BROKEN   lost, closed, given up in the middle, or out of step
//
// In PG_BUSY a call waits for the server. In PG_ROWS there are rows left.
//
// What always holds:
//   - libpq is asked without waiting (PQsetnonblocking, PQisBusy before
//     PQgetResult). A call waits for the duplicate of its descriptor (CspFd),
//     which is edge-triggered. So before a wait it reads until poll says that
//     there is nothing.
//   - A link that is not PG_IDLE when its owner is done with it is dropped, not
//     kept: the server is told to stop (PQcancel, in csp_block), and the
//     connection ends. With it ends what was half done. PQcancel connects and
//     waits for the server. So a stepped runtime only ends the connection.
//   - _close and _drop may be called while another call has the link. They
//     close the duplicate alone then, which ends the other's waits. The
//     connection itself ends with a later _drop or the finalizer.
//   - Nothing is printed. Notices are dropped.
//
// A native runs on whichever thread of the runtime has its goroutine. Only the
// call that has entered a link touches it, or that call's work in csp_block, on
// another thread, while the call waits. Any thread may read and change `state`
// and `closed`.
//
// libpq's memory is not the runtime's. Data that has come and is no value yet
// is counted for all links of the runtime (`held`). If the runtime has a limit
// of memory, the count is bounded. For that libpq does not get the server's
// socket itself, but one end of a gate (postgres_gate.c). Each link has a gate
// while it connects (postgres_asked.c).
#include "stdlib/native/postgres.h"

#include <string.h>

#include "stdlib/native/postgres_csp.h"

// --- States of links --------------------------------------------------------
// Whether it may serve the next call. This one has it.
static bool can_serve(CspCall *call, PgLink *link) {
  enum { LOOKS = 4 };
  bool idle = link->phase == PG_IDLE && !link->lost && link->conn != NULL &&
              PQstatus(link->conn) == CONNECTION_OK &&
              PQtransactionStatus(link->conn) == PQTRANS_IDLE &&
              !(link->fat && link->most_held != SIZE_MAX);
  // The server says nothing to an idle connection but that it ends, or
  // notices. The end itself may come later than these words.
  for (int i = 0; idle && !link->lost && i < LOOKS && pg_is_readable(link); i++)
    if (!pg_consume(link)) link->lost = true;
  if (idle) PQisBusy(link->conn);  // reads what has come
  if (idle) pg_drop_notices(link);
  if (link->lost || link->told) idle = false;
  if (idle) pg_took(link, (size_t)link->held);
  pg_leave(call, link);
  return idle;
}

// _is_idle(link): whether it may serve the next call.
static CspStatus pg_is_idle(CspCall *call) {
  CspStatus status = CSP_PANIC;
  PgLink *link = pg_enter(call, false, &status);
  if (link == NULL) return status;
  csp_return(call, csp_bool(can_serve(call, link)));
  return csp_ok(call, csp_nil());
}

// --- Places of pools --------------------------------------------------------
// A place has to come back in deferred calls, also when the time of grace is
// over. Then a goroutine may neither wait nor run the script any more. So these
// do neither, and take no memory.

static CspValue chan_of(CspValue places, const char *name) {
  CspValue chan;
  csp_field(places, name, &chan);
  return chan;
}

// There is room for all places.
static void put_place(CspCall *call, CspValue places, CspValue link) {
  if (csp_type(link) == CSP_NIL)
    csp_try_send(call, chan_of(places, "empty"), link);
  else if (csp_try_send(call, chan_of(places, "last"), link) != CSP_SENT)
    csp_try_send(call, chan_of(places, "rest"), link);
}

// _put_back(places, link): a place that holds that link or nil.
static CspStatus pg_put_back(CspCall *call) {
  put_place(call, csp_arg(call, 0), csp_arg(call, 1));
  return csp_ok_nothing(call);
}

// _give(places, link, forget, extra): the link that a call had goes back, if it
// can serve the next one. Else it is closed for other calls, its place comes
// back as nil, and forget(places, link) is called. extra: it has no place, and
// takes an empty one.
static CspStatus pg_give(CspCall *call) {
  CspValue args[] = {csp_arg(call, 0), csp_arg(call, 1)}, none;
  PgLink **data = csp_host_data(args[1], &pg_link_class);
  if (data == NULL || *data == NULL)
    return csp_bad_arg(call, 1, "a connection");
  bool extra = csp_truthy(csp_arg(call, 3));
  bool kept = pg_try_enter(call, *data) == NULL && can_serve(call, *data);
  if (kept && extra)
    kept = csp_try_recv(call, chan_of(args[0], "empty"), &none);
  if (kept || !extra) put_place(call, args[0], kept ? args[1] : csp_nil());
  if (kept) return csp_ok_nothing(call);
  pg_tell_closed(*data);
  return csp_tail(call, csp_arg(call, 2), 2, args);
}

// --- Ends of links ----------------------------------------------------------
// _is_closed(link): whether it is of no use to any call.
static CspStatus pg_is_closed(CspCall *call) {
  PgLink **data = csp_host_data(csp_arg(call, 0), &pg_link_class);
  if (data == NULL || *data == NULL)
    return csp_bad_arg(call, 0, "a connection");
  // relaxed: what pg_tell_closed stores is seen at the next dial, if not now
  return csp_ok_bool(call, __atomic_load_n(&(*data)->closed, __ATOMIC_RELAXED));
}

// _close(link): ends the waits of whichever call has it.
static CspStatus pg_close(CspCall *call) {
  PgLink **data = csp_host_data(csp_arg(call, 0), &pg_link_class);
  if (data == NULL || *data == NULL)
    return csp_bad_arg(call, 0, "a connection");
  pg_tell_closed(*data);
  csp_fd_close(call, (*data)->fd);
  return csp_ok_nothing(call);
}

// Whether its server does something that it can be told to stop. The link is
// taken.
static bool pg_runs(const PgLink *link) {
  return link->conn != NULL && link->cancel != NULL && !link->lost &&
         PQtransactionStatus(link->conn) == PQTRANS_ACTIVE;
}

static void pg_drop_work(void *data) {
  PgLink *link = data;
  char text[256];
  bool runs = link->tells && !csp_is_stepped(link->csp) && pg_runs(link);
  pg_streams_take();
  if (runs) PQcancel(link->cancel, text, sizeof text);
  pg_streams_give();
  pg_close_conn(link);
}

static CspStatus pg_drop_done(CspCall *call, void *data, bool made) {
  PgLink *link = data;
  if (!made) pg_close_conn(link);
  csp_fd_close(call, link->fd);
  return csp_ok_bool(call, true);
}

// _drop(link, tells, rests): stops what its server does for it, if it is to be
// told, and ends the connection, unless that has begun. false: another call has
// it, whose wait ends. Or it was to be at rest, and its server does something.
static CspStatus pg_drop(CspCall *call) {
  PgLink **data = csp_host_data(csp_arg(call, 0), &pg_link_class);
  if (data == NULL || *data == NULL)
    return csp_bad_arg(call, 0, "a connection");
  PgLink *link = *data;
  pg_tell_closed(link);
  if (!pg_take(link)) {
    csp_fd_close(call, link->fd);
    // relaxed: another pg_drop has begun, or has not
    char state = __atomic_load_n(&link->state, __ATOMIC_RELAXED);
    return csp_ok_bool(call, state == PG_DROPPED);
  }
  if (csp_truthy(csp_arg(call, 2)) && pg_runs(link)) {
    pg_let_go(link);
    return csp_ok_bool(call, false);
  }
  // relaxed: as above. It stays taken, as nobody takes what is not PG_FREE
  __atomic_store_n(&link->state, PG_DROPPED, __ATOMIC_RELAXED);
  link->tells = csp_truthy(csp_arg(call, 1));
  return csp_block(call, pg_drop_work, pg_drop_done, link);
}

// --- Texts ------------------------------------------------------------------
// quote(name): as a name in SQL.
static CspStatus pg_quote(CspCall *call) {
  const char *text;
  size_t len, count = 2;
  bool nul;
  if (!csp_need_string(call, 0, &text, &len) ||
      !db_find_nul(call, text, len, &nul))
    return CSP_PANIC;
  if (len == 0 || nul) return csp_bad_arg(call, 0, "a name without NUL");
  for (size_t i = 0; i < len; i++) {
    count += text[i] == '"' ? 2 : 1;
    if (i % 4096 == 4095 && !csp_work(call, 4096)) return CSP_PANIC;
  }
  char *to;
  CspValue v = csp_string_room(call, count, &to);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  *to++ = '"';
  for (size_t i = 0; i < len; i++) {
    if (text[i] == '"') *to++ = '"';
    *to++ = text[i];
    if (i % 4096 == 4095 && !csp_work(call, 4096)) return CSP_PANIC;
  }
  *to = '"';
  return csp_ok(call, v);
}

// _may(what): whether the host allows files (and no root), or the network.
static CspStatus pg_may(CspCall *call) {
  Csp *csp = csp_of(call);
  bool files = csp_truthy(csp_arg(call, 0));
  if (files)
    return csp_ok_bool(call, csp_allows(csp, CSP_FILES) && !csp_has_root(csp));
  return csp_ok_bool(call, csp_allows(csp, CSP_NET));
}

// --- The module -------------------------------------------------------------
static const CspFunction pg_functions[] = {
    {"quote", "name", pg_quote},
    {"_may", "files", pg_may},
    {"_parse", "url", pg_parse},
    {"_is_idle", "link", pg_is_idle},
    {"_put_back", "places, link", pg_put_back},
    {"_give", "places, link, forget, extra = nil", pg_give},
    {"_run", "link, sql, args, most, type, name", pg_run},
    {"_more", "link, sql, args, most, type, name", pg_more},
    {"_copy", "link, sql, inwards, name", pg_copy},
    {"_put", "link, piece, name", pg_copy_put},
    {"_end", "link, failed", pg_copy_end},
    {"_get", "link", pg_copy_get},
    {"_notices", "link", pg_notices},
    {"_is_closed", "link", pg_is_closed},
    {"_close", "link", pg_close},
    {"_drop", "link, tells, rests", pg_drop},
    CSP_NEEDS(CSP_NET),
    {"_connect", "options, until", pg_connect},
    {NULL, NULL, NULL}};

static void add_pg_classes(CspCall *call, CspValue module) {
  (void)module;
  if (!csp_register_class(csp_of(call), &pg_link_class, NULL) ||
      !csp_register_class(csp_of(call), &pg_shared_class, NULL))
    csp_panic_memory(call);
}

static const CspModule pg_module = {"postgres", pg_functions, add_pg_classes,
                                    (const char *)text_postgres,
                                    sizeof text_postgres - 1};
static const CspNative pg_native = {CSP_API, &pg_module};

CSP_MODULE(postgres) { return &pg_native; }
