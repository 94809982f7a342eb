// SPDX-License-Identifier: MIT
// What the parts of the native module postgres share: its links to servers. The
// head of postgres.c has their states and rules. Where nothing else is said, a
// function that takes a link is called by the native that has it, on any thread
// of the runtime.
//   postgres.c          the module's functions
//   postgres_link.c     which call has a link, what that owns, how it waits
//   postgres_gate.c     bounds what libpq reads at once
//   postgres_connect.c  addresses and connecting
//   postgres_asked.c    what a server may ask of a client that connects
//   postgres_streams.c  keeps libpq off descriptors 0 to 2
//   postgres_run.c      statements
//   postgres_text.c     texts that begin or end a transaction
//   postgres_values.c   arguments and rows, from and to values of the language
//   postgres_array.c    arrays as text, from and to lists
//   postgres_copy.c     COPY, notifications
#ifndef CSP_STDLIB_NATIVE_POSTGRES_H
#define CSP_STDLIB_NATIVE_POSTGRES_H

#include <locale.h>
#include <postgresql/libpq-fe.h>
#include <sys/types.h>

#include "stdlib/native/database_rows.h"
#include "vm/csp.h"

enum {
  PG_CACHED = 64,  // prepared statements of a link
  PG_BATCH_BYTES = 1 << 18,
  PG_KEPT_BYTES = 1 << 18,  // more in one statement, and the link is not kept
  PG_MESSAGE = 1024,
  PG_CODE = 16,
  PG_DEEP = 16,         // lists in one another
  PG_SETTING = 64,      // of a setting's name
  PG_ASKED = 2000,      // bytes of a message that asks for a password
  PG_ROUNDS = 1000000,  // of hashing a password
};

// What _run wants, as postgres.csp has it: rows from 1 on, or one of these.
enum { PG_CONTROL = -1, PG_CHANGES = 0 };

// What is under way on a link. The head of postgres.c has the transitions.
typedef enum PgPhase {
  PG_IDLE,
  PG_BUSY,
  PG_ROWS,
  PG_COPY_IN,
  PG_COPY_OUT,
  PG_BROKEN
} PgPhase;

// A prepared statement, whose name is "csp" and the number.
typedef struct PgStmt {
  struct PgStmt *next;  // one that was used before it
  unsigned number;
  size_t len;
  char text[];
} PgStmt;

// Arguments. `data` has the bytes of all of them, and `at` says where each
// begins. -1 is NULL.
typedef struct PgParam {
  int64_t at;
  int len;
  bool binary;
} PgParam;

typedef struct PgParams {
  char *data;
  size_t used, cap;
  PgParam *list;
  int count, room;
} PgParams;

// What the gate knows of the messages that have passed it.
typedef struct PgFrames {
  bool off;        // they are encrypted, or libpq will refuse what follows
  bool foul;       // one of them was not let through
  bool described;  // rows were, and have not ended
  int settings;    // that libpq had not known
  unsigned char kind;
  uint8_t filled;  // bytes of the head that were seen, 5 of a whole one
  uint8_t named;   // bytes of the setting's name
  uint32_t left;   // the length as far as it was seen, then of the body
  char name[PG_SETTING];
} PgFrames;

// What a server that is connected to has asked, as far as it was seen.
typedef struct PgAsked {
  bool foul;            // it wants too much
  uint8_t kind;         // of the message
  uint8_t filled;       // bytes of its head, as of PgFrames
  uint8_t record_head;  // the same of TLS
  uint32_t left;        // of the message's body
  uint32_t record;      // of the record's body
  size_t used;
  char body[PG_ASKED + 1];
} PgAsked;

// `csp`, `shared` and `fd` do not change once a value owns the link, and any
// thread may use them. The call that has taken it, its work in csp_block, or
// the finalizer owns all else that is not atomic.
typedef struct PgLink {
  Csp *csp;
  DbShared *shared;
  PGconn *conn;  // NULL: closed
  PGcancel *cancel;
  CspFd *fd;                  // of a duplicate of the connection's descriptor
  bool gated, gate_shut;      // gate_shut: nothing can be sent any more
  int gate_real, gate_outer;  // descriptors, if gated
  ino_t gate_inode;           // of libpq's end
  PgFrames frames;            // that have passed it
  char state;                 // atomic: PG_FREE and so on
  bool closed;                // atomic: by _close or _drop
  PgPhase phase;
  bool unsent;          // libpq has something to send
  bool heard;           // something was read
  bool lost;            // nothing can be read any more
  bool told;            // the server has said that it ends the connection
  bool tells;           // it ends, and its server is told to stop
  size_t most_held;     // what `held` may be, SIZE_MAX without a limit
  bool fat;             // libpq's buffer has grown
  bool in_transaction;  // by the last statement of the module's own
  int64_t held;     // of shared->held: bytes that came and are no values yet
  int64_t largest;  // row or piece of this statement
  int64_t until;    // of the first statement, or 0
  unsigned stmts;   // that were ever prepared
  int cached;
  PgStmt *newest, *stmt;  // stmt: the one that runs, or NULL
  PgParams params;
  int64_t most;     // rows, or PG_...
  int64_t changes;  // rows that the statements changed
  bool retried, rolled_back;
  char code[PG_CODE];  // of the first error, or ""
  char message[PG_MESSAGE];
  // while it connects
  char *info;
  int step;  // what PQconnectPoll said
  PgAsked asked;
} PgLink;

enum { PG_FREE, PG_TAKEN, PG_DROPPED };  // PG_DROPPED: by _drop, for good

// A native in pieces that has its link. The values come first.
typedef struct PgStep {
  CspValue rows, names;
  PgLink *link;
  CspHandle held;  // rows, where making one may call the script, or 0
  size_t bytes;    // of rows so far
  size_t at;       // of what is sent
  bool collected;
  bool differ;  // the names of the columns were looked at
  // Takes a result, or NULL at the end of what was sent. false: *status is the
  // native's, which has left the link.
  bool (*take)(CspCall *call, struct PgStep *step, PGresult *result,
               CspStatus *status);
} PgStep;

// --- postgres_link.c --------------------------------------------------------
extern const CspClass pg_link_class, pg_shared_class;

PgLink *pg_new_link(CspCall *call);  // NULL: no memory
// By the call that made it and gives up, or the finalizer. No call has it.
void pg_free_link(PgLink *link);
// Takes it for this call. NULL, or the code that says why not.
const char *pg_try_enter(CspCall *call, PgLink *link);
// Argument 0 as a link that this call has now. NULL: *status is the native's,
// whose error comes after one more value, if it gives rows.
PgLink *pg_enter(CspCall *call, bool rows, CspStatus *status);
// Takes it for this call, unless another one has it. Any thread.
bool pg_take(PgLink *link);
void pg_let_go(PgLink *link);  // ends what pg_take began
void pg_leave(CspCall *call, PgLink *link);
// Later calls get "closed". Any thread.
void pg_tell_closed(PgLink *link);
void pg_close_conn(PgLink *link);
// The link is of no use any more. Keeps the first reason.
void pg_break(PgLink *link, const char *code, const char *message);
// What libpq or the server says. The link is broken if that is its end.
void pg_note_error(PgLink *link, const PGresult *result);
void pg_note_lost(PgLink *link);
// (nil, error), with more nils before it for rows. Leaves the link.
CspStatus pg_fail(CspCall *call, PgStep *step);
// The same for a native that ends with a panic or is given up.
CspStatus pg_give_up(CspCall *call, PgStep *step);
// Sends, waits, and hands results to step->take, until that says it is over.
CspStatus pg_drive(CspCall *call, PgStep *step);

typedef enum PgNext {
  PG_NEXT_READY,
  PG_NEXT_READ,   // waits until it can be read
  PG_NEXT_WRITE,  // or written
  PG_NEXT_AGAIN,  // others run first
  PG_NEXT_OVER    // lost or closed: the link is broken
} PgNext;
// Sends and reads without waiting, until is_ready says that it is enough.
PgNext pg_pump(CspCall *call, PgLink *link, bool (*is_ready)(PgLink *link));
// `return pg_wait(...)`: goes on with `next` when it is time.
CspStatus pg_wait(CspCall *call, PgStep *step, PgNext next,
                  CspStatus (*go)(CspCall *call, void *data, bool on));
bool pg_is_readable(PgLink *link);
bool pg_consume(PgLink *link);  // false: lost
// Bytes that were taken from libpq.
void pg_took(PgLink *link, size_t bytes);
void pg_drop_notices(PgLink *link);

// Between these two libpq and the system speak English, whatever locale the
// host has set: codes are found by their texts. Any thread, for itself.
typedef struct PgPlain {
  locale_t own, before;
} PgPlain;
PgPlain pg_plain_begin(void);
void pg_plain_end(PgPlain plain);

// --- postgres_streams.c -----------------------------------------------------
// Between these two libpq may make sockets. Any thread.
void pg_streams_take(void);
void pg_streams_give(void);

// --- postgres_gate.c --------------------------------------------------------
// Puts the gate before the socket of a link. false: no descriptors.
bool pg_gate(PgLink *link);
// Whether libpq still has the gate's end, and has closed no socket since.
bool pg_gate_is_there(const PgLink *link);
// Without a gate these do nothing.
void pg_gate_in(PgLink *link);  // lets a piece in, if libpq has read the last
// What libpq has sent goes on. Returns whether there was some, and all has
// gone.
bool pg_gate_out(PgLink *link);
bool pg_gate_holds(PgLink *link);  // whether some has not
bool pg_gate_waits(PgLink *link);  // whether libpq has something to read
void pg_gate_end(PgLink *link);

// --- postgres_connect.c -----------------------------------------------------
CspStatus pg_parse(CspCall *call);
CspStatus pg_connect(CspCall *call);

// --- postgres_asked.c -------------------------------------------------------
// Both in the link's work, in csp_block.
// PQconnectPoll, with what has come. link->step is what that says, or that it
// failed, as the server wants too much (link->asked.foul) or without a gate.
void pg_connect_step(PgLink *link);
// Takes the gate away, where there is one. false: something is in it.
bool pg_connect_ungate(PgLink *link);

// --- postgres_run.c ---------------------------------------------------------
CspStatus pg_run(CspCall *call);
CspStatus pg_more(CspCall *call);
// Whether a COPY begins. Only pg_copy takes such a result. Others refuse it,
// which breaks the link. The result is false, as that of `take`.
bool pg_is_copy(const PGresult *result);
bool pg_refuse_copy(CspCall *call, PgStep *step, PGresult *result,
                    CspStatus *status);

// --- postgres_text.c --------------------------------------------------------
// false: a statement of the text begins or ends a transaction (link->code), or
// given up.
bool pg_may_send(CspCall *call, PgLink *link, const char *text, size_t len);
// Breaks the link, if a statement that is not the module's own has done so.
void pg_note_tag(PgLink *link, const PGresult *result);

// --- postgres_values.c ------------------------------------------------------
// Copies the arguments. false: panicked, or link->code is set.
bool pg_put_params(CspCall *call, PgLink *link, CspValue list);
bool pg_put(CspCall *call, PgParams *params, const char *data, size_t len);
// Sets link->code. where: "[2][0]" of an element, or "".
void pg_refuse_nul(PgLink *link, const char *where);
// As the server has it. Returns the length.
int pg_format_float(double real, char text[32]);
// Two columns of one name are an error of the link's, which stays usable.
void pg_check_names(PgStep *step, const PGresult *result);
// Adds the result's first row to step->rows. false: *status is what follows,
// or the link is broken.
bool pg_add_row(CspCall *call, PgStep *step, const PGresult *result,
                CspStatus *status);
// A value of that type, from the server's text. false: panicked, or not well
// formed (then *malformed).
bool pg_make_value(CspCall *call, Oid type, const char *text, size_t len,
                   CspValue *v, bool *malformed);

// --- postgres_array.c -------------------------------------------------------
Oid pg_element_of(Oid array);  // 0: it is none
bool pg_make_array(CspCall *call, Oid element, const char *text, size_t len,
                   CspValue *v, bool *malformed);
// Adds '{...}' to the arguments. false: panicked, or link->code is set.
bool pg_put_list(CspCall *call, PgLink *link, CspValue list);

// --- postgres_copy.c --------------------------------------------------------
CspStatus pg_copy(CspCall *call);
CspStatus pg_copy_put(CspCall *call);
CspStatus pg_copy_end(CspCall *call);
CspStatus pg_copy_get(CspCall *call);
CspStatus pg_notices(CspCall *call);

#endif
