// SPDX-License-Identifier: MIT
// The module sqlite: which call has a link, what a link owns, and buffers of
// values. A call that has a link may use these functions on any thread of the
// runtime (the head of sqlite.c).
#include "stdlib/native/sqlite.h"

#include <string.h>

// --- Links ------------------------------------------------------------------
void sql_drop_stmt(SqlStmt *kept) {
  sqlite3_finalize(kept->stmt);
  csp_alloc_free(kept);
}

void sql_weigh_value(CspCall *call, SqlLink *link, CspValue v) {
  if (!link->heavy && link->weight == link->held) return;
  link->heavy = !csp_host_weight(call, v, link->held);
  if (!link->heavy) link->weight = link->held;
}

void sql_weigh(CspCall *call, SqlLink *link) {
  sql_weigh_value(call, link, csp_arg(call, 0));
}

void sql_close_link(SqlLink *link) {
  link->run.stmt = NULL;
  while (link->newest != NULL) {
    SqlStmt *kept = link->newest;
    link->newest = kept->next;
    sql_drop_stmt(kept);
  }
  link->cached = 0;
  sql_drop_patch(link);
  sqlite3_close_v2(link->db);
  link->db = NULL;
  sql_measure(link);
}

void sql_free_link(SqlLink *link) {
  if (link->db != NULL) sql_close_link(link);
  csp_alloc_free(link->params.data);
  csp_alloc_free(link->rows.data);
  csp_alloc_free(link);
}

// (A checkpoint would wait for the disk.)
static void close_quickly(SqlLink *link) {
  if (link->db == NULL) return;
  sqlite3_db_config(link->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  sql_close_link(link);
}

static void finalize_link(void *data) {
  SqlLink *link = *(SqlLink **)data;
  if (link == NULL) return;
  close_quickly(link);
  sql_free_link(link);
}

const CspClass sql_link_class = {"sqlite connection", finalize_link,
                                 sizeof(SqlLink *), NULL};

SqlLink *sql_enter_value(CspCall *call, CspValue v, bool paused, bool *busy) {
  SqlLink **data = csp_host_data(v, &sql_link_class);
  *busy = false;
  if (data == NULL || *data == NULL) {
    csp_bad_arg(call, 0, "a connection");
    return NULL;
  }
  // relaxed: the compare_exchange decides
  char was = __atomic_load_n(&(*data)->state, __ATOMIC_RELAXED);
  // acquire: what the call before has left. Pairs with sql_leave
  *busy = was == RUNNING || was == ENDING || (was == PAUSED && !paused) ||
          !__atomic_compare_exchange_n(&(*data)->state, &was, RUNNING, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  return *busy ? NULL : *data;
}

SqlLink *sql_enter(CspCall *call, bool paused, bool *busy) {
  return sql_enter_value(call, csp_arg(call, 0), paused, busy);
}

bool sql_mark_end(CspCall *call) {
  SqlLink **data = csp_host_data(csp_arg(call, 0), &sql_link_class);
  char was = RUNNING;
  // relaxed: the mark hands nothing over
  return __atomic_compare_exchange_n(&(*data)->state, &was, ENDING, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
         was == ENDING;
}

bool sql_is_ending(const SqlLink *link) {
  // relaxed: sql_leave looks again
  return __atomic_load_n(&link->state, __ATOMIC_RELAXED) == ENDING;
}

static void no_work(void *data) { (void)data; }

static CspStatus await_done(CspCall *call, void *data, bool made) {
  SqlBegin *begin = data;
  if (made || csp_work(call, 1)) return sql_await_link(call, begin);
  return CSP_PANIC;
}

CspStatus sql_await_link(CspCall *call, SqlBegin *begin) {
  enum { PAUSE = 20000 };  // ns
  bool busy;
  SqlLink *link = sql_enter(call, true, &busy);
  if (link != NULL) return begin->fn(call, link);
  if (!busy) return CSP_PANIC;
  return csp_block_after(call, PAUSE, no_work, await_done, begin);
}

static void trim(SqlBuffer *buffer) {
  buffer->used = 0;
  if (buffer->cap <= KEPT_BYTES) return;
  csp_alloc_free(buffer->data);
  *buffer = (SqlBuffer){NULL, 0, 0};
}

void sql_leave(SqlLink *link, bool paused) {
  char was = RUNNING;
  trim(&link->rows);
  if (!paused) trim(&link->params);
  // release: what this call has left. Pairs with sql_enter_value
  if (__atomic_compare_exchange_n(&link->state, &was, paused ? PAUSED : FREE,
                                  false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    return;
  sql_drop_run_stmt(link);
  trim(&link->params);
  close_quickly(link);
  // release: as above. Nobody else changes ENDING
  __atomic_store_n(&link->state, FREE, __ATOMIC_RELEASE);
}

// --- Buffers ----------------------------------------------------------------
char *sql_put_cell(SqlLink *link, SqlBuffer *buffer, SqlCell cell) {
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

const char *sql_next_cell(const SqlBuffer *buffer, size_t *at, SqlCell *cell) {
  const char *data = buffer->data + *at;
  memcpy(cell, data, sizeof *cell);
  *at += sizeof *cell + ((cell->len + 8) & ~(size_t)7);
  return data + sizeof *cell;
}
