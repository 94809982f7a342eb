// SPDX-License-Identifier: MIT
// What the native modules of databases share: how much memory all connections
// of a runtime hold (postgres), and rows as values of the language.
#ifndef CSP_STDLIB_NATIVE_DATABASE_ROWS_H
#define CSP_STDLIB_NATIVE_DATABASE_ROWS_H

#include "vm/csp.h"

enum { DB_FIELDS_MOST = 64 };  // columns of a row that becomes a struct

// Of a runtime and its connections. Any thread changes it.
typedef struct DbShared {
  int64_t held;   // atomic: bytes of the library's that the connections keep
  int64_t users;  // atomic: the runtime's state and the connections
} DbShared;

// The runtime's state of that class, whose data is a DbShared *. The first call
// makes it. Any thread. NULL: no memory.
DbShared *db_get_shared(Csp *csp, const CspClass *state_class);
void db_drop_shared(DbShared *shared);
void db_finalize_shared(void *data);  // of the class
// A connection that counts *held, which is its own, holds `now` bytes.
void db_set_held(DbShared *shared, int64_t *held, int64_t now);

// The name of what the script has called, for messages: the last argument.
const char *db_name(CspCall *call);

// Data of a script's size, a piece at a time. false: given up (csp_work).
enum { DB_PIECE = 1 << 16 };
bool db_find_nul(CspCall *call, const char *text, size_t len, bool *found);
bool db_copy(CspCall *call, char *to, const char *from, size_t len);
// Zeros are for what others cut from the bytes.
bool db_read(CspCall *call, char *to, CspValue bytes, size_t len);

// A row of a result. Each module has a struct that begins with this one.
typedef struct DbRow {
  int columns;
  const char *(*name)(const struct DbRow *row, int column);  // may be NULL
  // The cells are made in their order. false: it has panicked, or the module
  // knows why. The value may be undef, for want of memory.
  bool (*cell)(CspCall *call, struct DbRow *row, int column, CspValue *v);
} DbRow;

// *name is one that two columns have, or NULL. The rest of a row's functions
// would lose one of them. Calls nothing but csp_alloc. false: no memory.
bool db_find_twice(Csp *csp, const DbRow *row, const char **name);
// What to say of it.
void db_tell_twice(char *text, size_t size, const char *name);
// The names of the columns, as strings. false: panicked.
bool db_make_names(CspCall *call, const DbRow *row, CspValue *names);
// A map of these names. false: as `cell` says.
bool db_make_map(CspCall *call, DbRow *row, CspValue names, CspValue *v);
// A struct with a field of each column's name. The defaults of the others may
// call the script. false: *status is the call's, or as `cell` says.
bool db_make_struct(CspCall *call, DbRow *row, CspValue type, CspValue *v,
                    CspStatus *status);

#endif
