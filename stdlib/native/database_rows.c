// SPDX-License-Identifier: MIT
// What the native modules of databases share. They count how much memory all
// connections of a runtime hold, and make values of the language from rows. Any
// thread of the runtime may change that count. A row belongs to the native that
// makes its values.
#include "stdlib/native/database_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- The runtime's ----------------------------------------------------------
void db_drop_shared(DbShared *shared) {
  // acq_rel: the last user frees it after all that the others did with it.
  // Pairs with itself
  if (__atomic_sub_fetch(&shared->users, 1, __ATOMIC_ACQ_REL) == 0)
    csp_alloc_free(shared);
}

// The runtime is freed, and no native runs.
void db_finalize_shared(void *data) {
  DbShared **shared = data;
  if (*shared != NULL) db_drop_shared(*shared);
}

DbShared *db_get_shared(Csp *csp, const CspClass *state_class) {
  DbShared **state = csp_state(csp, state_class), *none = NULL;
  if (state == NULL) return NULL;
  // acquire: what it points to. Pairs with the compare_exchange below
  DbShared *shared = __atomic_load_n(state, __ATOMIC_ACQUIRE);
  if (shared == NULL) {
    DbShared *made = csp_alloc(csp, NULL, sizeof *made);
    if (made == NULL) return NULL;
    *made = (DbShared){0, 1};
    // acq_rel: the release shows *made. The acquire, where another thread was
    // first, shows what that has made. Pairs with itself and the load above
    bool won = __atomic_compare_exchange_n(state, &none, made, false,
                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (!won) csp_alloc_free(made);
    shared = won ? made : none;
  }
  // RMW: a count, as in db_drop_shared. The runtime's state keeps it above 0
  __atomic_fetch_add(&shared->users, 1, __ATOMIC_RELAXED);
  return shared;
}

void db_set_held(DbShared *shared, int64_t *held, int64_t now) {
  // RMW: a sum of all calls of db_set_held, which shows nothing else
  __atomic_fetch_add(&shared->held, now - *held, __ATOMIC_RELAXED);
  *held = now;
}

// --- Rows -------------------------------------------------------------------
const char *db_name(CspCall *call) {
  size_t len;
  CspValue name = csp_arg(call, csp_argc(call) - 1);
  const char *text =
      csp_type(name) == CSP_STRING ? csp_to_string(name, &len) : NULL;
  return text != NULL ? text : csp_name(call);
}

// --- Long data --------------------------------------------------------------
static size_t db_piece(size_t left) {
  return left < DB_PIECE ? left : DB_PIECE;
}

bool db_find_nul(CspCall *call, const char *text, size_t len, bool *found) {
  size_t count = 0;
  *found = false;
  for (size_t at = 0; at < len && !*found; at += count) {
    count = db_piece(len - at);
    *found = memchr(text + at, '\0', count) != NULL;
    if (!csp_work(call, count / 16)) return false;
  }
  return true;
}

bool db_copy(CspCall *call, char *to, const char *from, size_t len) {
  size_t count = 0;
  for (size_t at = 0; at < len; at += count) {
    count = db_piece(len - at);
    memcpy(to + at, from + at, count);
    if (!csp_work(call, count / 4)) return false;
  }
  return true;
}

bool db_read(CspCall *call, char *to, CspValue bytes, size_t len) {
  size_t count = 0;
  for (size_t at = 0; at < len; at += count) {
    count = db_piece(len - at);
    size_t there = csp_bytes_read(bytes, at, to + at, count);
    memset(to + at + there, 0, count - there);
    if (!csp_work(call, count / 4)) return false;
  }
  return true;
}

// --- Names that come twice --------------------------------------------------
enum { FEW_NAMES = 16 };

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *find_twice(const char **names, int count) {
  if (count > FEW_NAMES) {
    qsort(names, (size_t)count, sizeof *names, compare_texts);
    for (int i = 1; i < count; i++)
      if (strcmp(names[i - 1], names[i]) == 0) return names[i];
    return NULL;
  }
  for (int i = 1; i < count; i++)
    for (int at = 0; at < i; at++)
      if (strcmp(names[at], names[i]) == 0) return names[i];
  return NULL;
}

bool db_find_twice(Csp *csp, const DbRow *row, const char **name) {
  const char *few[FEW_NAMES], **names = few;
  size_t size = (size_t)row->columns * sizeof *names;
  if (row->columns > FEW_NAMES) names = csp_alloc(csp, NULL, size);
  if (names == NULL) return false;
  for (int i = 0; i < row->columns; i++) {
    const char *text = row->name(row, i);
    names[i] = text != NULL ? text : "";
  }
  *name = find_twice(names, row->columns);
  if (names != few) csp_alloc_free(names);
  return true;
}

void db_tell_twice(char *text, size_t size, const char *name) {
  enum { SHOWN = 100 };
  size_t len = strnlen(name, SHOWN + 1);
  bool cut = len > SHOWN;
  if (cut) len = SHOWN;
  while (cut && len > 0 && ((unsigned char)name[len] & 0xc0) == 0x80) len--;
  snprintf(text, size,
           "two columns have the name \"%.*s%s\", and a row has room for one: "
           "give one another name, as in \"b.id as b_id\"",
           (int)len, name, cut ? "..." : "");
}

// --- Values -----------------------------------------------------------------
bool db_make_names(CspCall *call, const DbRow *row, CspValue *names) {
  *names = csp_list(call, (size_t)row->columns);
  for (int i = 0; i < row->columns; i++) {
    const char *name = row->name(row, i);
    CspValue v = csp_string(call, name, name != NULL ? strlen(name) : 0);
    if (!csp_list_push(call, *names, v)) return false;
  }
  return csp_work(call, 64 * (uint64_t)row->columns);
}

bool db_make_map(CspCall *call, DbRow *row, CspValue names, CspValue *v) {
  *v = csp_map(call, (size_t)row->columns);
  for (int i = 0; i < row->columns; i++) {
    CspValue cell;
    if (!row->cell(call, row, i, &cell) ||
        !csp_map_set(call, *v, csp_list_get(names, (size_t)i), cell))
      return false;
  }
  return true;
}

// The name of the first column that is none of the type's fields, or NULL.
static const char *column_without_field(const DbRow *row, CspValue type) {
  CspValue value;
  for (int i = 0; i < row->columns; i++) {
    const char *name = row->name(row, i), *field = NULL;
    for (int at = 0; (field = csp_field_at(type, at, &value)) != NULL; at++)
      if (name == NULL || strcmp(field, name) == 0) break;
    if (field == NULL) return name;
  }
  return NULL;
}

// No instance was made of the row. A struct's field may not be there because
// of `select *`, so the column is named.
static CspStatus no_struct(CspCall *call, const DbRow *row, CspValue type,
                           CspResult *made) {
  const char *column =
      made->end == CSP_THREW ? column_without_field(row, type) : NULL;
  if (column == NULL) return csp_rethrow(call, made);
  csp_result_free(made);
  return csp_panic(call, "%s: the struct has no field for the column `%s`",
                   db_name(call), column);
}

bool db_make_struct(CspCall *call, DbRow *row, CspValue type, CspValue *v,
                    CspStatus *status) {
  const char *names[DB_FIELDS_MOST];
  CspValue values[DB_FIELDS_MOST];
  CspResult made;
  *status = CSP_PANIC;
  if (row->columns > DB_FIELDS_MOST) {
    csp_panic(call, "%s: a row that becomes a struct has at most %d columns",
              db_name(call), DB_FIELDS_MOST);
    return false;
  }
  for (int i = 0; i < row->columns; i++) {
    names[i] = row->name(row, i);
    if (!row->cell(call, row, i, &values[i])) return false;
    if (csp_is_undef(values[i])) {
      csp_panic_memory(call);
      return false;
    }
  }
  CspEnd end = csp_new_struct(call, type, row->columns, values, names, &made);
  *v = made.values[0];
  if (end == CSP_DONE) csp_result_free(&made);
  if (end != CSP_DONE) *status = no_struct(call, row, type, &made);
  return end == CSP_DONE;
}
