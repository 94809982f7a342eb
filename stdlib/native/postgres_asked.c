// SPDX-License-Identifier: MIT
// The module postgres: what a server may ask of a client that connects.
//
// With SCRAM the server says how often a hash is made of the password, up to
// 2^31 times. libpq does all of that in one call, for an hour, which nothing
// ends. So while a link connects, what the server sends comes through the gate,
// and is looked at before libpq sees it. A number beyond PG_ROUNDS is refused.
//
//   plain   a piece of messages at a time
//   TLS     a record at a time. Once libpq's OpenSSL has it, SSL_peek shows
//           what is in it, and the next one waits until libpq has read that
//   before  the answer to the question for TLS is a byte, and libpq gets no
//           more than that
//
// libpq closes the gate's end where it goes on to another host. These functions
// run in the link's work (csp_block).
#include <errno.h>
#include <fcntl.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stdlib/native/postgres.h"

enum { HEAD = 5, RECORD_HEAD = 5, SASL_CONTINUE = 11 };

// --- Messages ---------------------------------------------------------------
// The body of an answer to a client's first message: 11, and then
// "r=NONCE,s=SALT,i=ROUNDS".
static bool wants_too_much(PgAsked *asked) {
  static const char code[4] = {0, 0, 0, SASL_CONTINUE};
  if (asked->used < sizeof code || memcmp(asked->body, code, sizeof code) != 0)
    return false;
  asked->body[asked->used] = '\0';
  const char *rounds = strstr(asked->body + sizeof code, ",i=");
  if (rounds == NULL) return false;
  long count = strtol(rounds + 3, NULL, 10);
  return count < 0 || count > PG_ROUNDS;  // libpq takes the lower half of it
}

static void note_head(PgAsked *asked, unsigned char c) {
  if (asked->filled++ == 0) {
    asked->kind = c;
    asked->left = 0;
    asked->used = 0;
    return;
  }
  asked->left = asked->left << 8 | c;
  if (asked->filled == HEAD) asked->left -= 4;  // it counts itself
}

// (libpq refuses a message of this kind that is longer than PG_ASKED, and any
// length of less than 4.)
static void note_asked(PgAsked *asked, const char *data, size_t len) {
  for (size_t i = 0; i < len && !asked->foul; i++) {
    if (asked->filled < HEAD) {
      note_head(asked, (unsigned char)data[i]);
    } else {
      if (asked->used < PG_ASKED) asked->body[asked->used++] = data[i];
      asked->left--;
    }
    if (asked->filled < HEAD || asked->left > 0) continue;
    asked->foul = asked->kind == 'R' && wants_too_much(asked);
    asked->filled = 0;
  }
}

// --- TLS --------------------------------------------------------------------
// What a record has that libpq's OpenSSL has got.
static void note_record(PgLink *link, SSL *tls) {
  char piece[SSL3_RT_MAX_PLAIN_LENGTH];
  int count = SSL_peek(tls, piece, sizeof piece);
  if (count > 0) note_asked(&link->asked, piece, (size_t)count);
}

// So many of the bytes belong to the record that has begun, or to the next one.
static size_t record_part(PgAsked *asked, const unsigned char *data,
                          size_t len) {
  size_t at = 0;
  while (asked->record_head < RECORD_HEAD && at < len) {
    asked->record = (asked->record << 8 | data[at++]) & 0xffff;
    asked->record_head++;
  }
  if (asked->record_head < RECORD_HEAD) return at;
  size_t body = len - at < asked->record ? len - at : asked->record;
  asked->record -= (uint32_t)body;
  if (asked->record == 0) asked->record_head = 0;
  return at + body;
}

// --- The gate ---------------------------------------------------------------
// So many of the bytes may come in. Looks at them, if they are messages.
static size_t may_come(PgLink *link, const char *data, size_t len) {
  ConnStatusType status = PQstatus(link->conn);
  if (PQsslInUse(link->conn) != 0)
    return record_part(&link->asked, (const unsigned char *)data, len);
  if (status == CONNECTION_SSL_STARTUP || status == CONNECTION_GSS_STARTUP)
    return 1;
  note_asked(&link->asked, data, len);
  return len;
}

// Lets some in, as libpq has read what came before. false: there is none.
static bool let_some_in(PgLink *link) {
  char piece[1 << 14];
  ssize_t came =
      recv(link->gate_real, piece, sizeof piece, MSG_PEEK | MSG_DONTWAIT);
  if (came < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  size_t may = came > 0 ? may_come(link, piece, (size_t)came) : 0;
  if (link->asked.foul) return false;
  // (There is room for all of it, as nothing else is there.)
  if (came <= 0 || send(link->gate_outer, piece, may,
                        MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)may) {
    shutdown(link->gate_outer, SHUT_WR);  // libpq sees the end
    return false;
  }
  recv(link->gate_real, piece, may, MSG_DONTWAIT);
  return true;
}

// Whether libpq has something to read. Lets it in, and looks at it.
static bool has_something(PgLink *link) {
  SSL *tls = PQsslStruct(link->conn, "OpenSSL");
  bool is_open = tls != NULL && SSL_is_init_finished(tls) == 1;
  if (is_open && SSL_pending(tls) > 0) return true;
  bool any = pg_gate_waits(link) || let_some_in(link);
  if (any && is_open) note_record(link, tls);
  return any;
}

// The gate stands before the socket as long as libpq has that one. It begins
// where the connection is made, and before anything is read.
static bool keep_gate(PgLink *link) {
  ConnStatusType status = PQstatus(link->conn);
  if (link->gated && !pg_gate_is_there(link)) pg_gate_end(link);
  bool reads = status == CONNECTION_SSL_STARTUP ||
               status == CONNECTION_GSS_STARTUP ||
               status == CONNECTION_AWAITING_RESPONSE;
  if (link->gated || !reads) return true;
  link->asked = (PgAsked){0};
  return pg_gate(link);
}

void pg_connect_step(PgLink *link) {
  enum { ROUNDS = 64 };  // before others have a turn
  pg_gate_out(link);
  for (int i = 0; i < ROUNDS; i++) {
    bool any = link->gated && has_something(link);
    if (!link->asked.foul) link->step = PQconnectPoll(link->conn);
    if (link->asked.foul || !keep_gate(link)) link->step = PGRES_POLLING_FAILED;
    pg_gate_out(link);
    if (!any || link->step != PGRES_POLLING_READING) return;
  }
}

bool pg_connect_ungate(PgLink *link) {
  if (!link->gated) return true;
  pg_gate_out(link);
  if (pg_gate_waits(link)) PQconsumeInput(link->conn);
  if (pg_gate_waits(link) || pg_gate_holds(link) ||
      dup3(link->gate_real, PQsocket(link->conn), O_CLOEXEC) < 0)
    return false;
  pg_gate_end(link);
  return true;
}
