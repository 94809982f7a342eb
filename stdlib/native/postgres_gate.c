// SPDX-License-Identifier: MIT
// The module postgres: a gate between libpq and the socket, while a link
// connects (postgres_asked.c), and later in runtimes with a limit of memory.
// The native that has the link, or its work, calls these functions.
//
// libpq reads a socket until it is empty. If the server is faster than libpq,
// it reads a whole message, which may have 1 GB. So libpq gets one end of a
// pair of sockets instead. What the server sends passes through that pair in
// pieces, and libpq sees no more than one piece at a time. What libpq sends
// passes through at once.
//
//   server == real ==> [a piece] ==> outer == pair == libpq's descriptor
//
// A piece is looked at, handed on, and then taken, as far as it was handed on.
// So the gate keeps no bytes of its own.
//
// The gate also stops a message that makes libpq leak memory (pg_is_foul). It
// cannot see messages under TLS.
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stdlib/native/postgres.h"

enum { GATE_PIECE = 1 << 14 };

bool pg_gate(PgLink *link) {
  int pair[2], number = PQsocket(link->conn);
  int real = fcntl(number, F_DUPFD_CLOEXEC, 3);
  if (real < 0) return false;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                 pair) != 0) {
    close(real);
    return false;
  }
  struct stat info;
  bool put =
      dup3(pair[1], number, O_CLOEXEC) == number && fstat(pair[1], &info) == 0;
  if (put) link->gate_inode = info.st_ino;
  close(pair[1]);
  link->gated = true;
  link->gate_real = real;
  link->gate_outer = csp_above_streams(pair[0]);
  return put && link->gate_outer >= 0;
}

bool pg_gate_is_there(const PgLink *link) {
  struct stat info;
  int number = PQsocket(link->conn);
  return number >= 0 && fstat(number, &info) == 0 &&
         info.st_ino == link->gate_inode;
}

// The bytes that can be read from it at once.
static int gate_waiting(int number) {
  int waiting = 0;
  return ioctl(number, FIONREAD, &waiting) == 0 ? waiting : 0;
}

// --- Messages ---------------------------------------------------------------
// Whether a message of that kind is one that libpq 15 cannot bear.
//
//   t        parameters of a statement, which the module never asks for
//   G, H, W  a COPY begins, where rows were described
//
// With both libpq forgets a result that it has, and 2 KB with it, each time.
static bool pg_is_foul(const PgFrames *frames) {
  switch (frames->kind) {
    case 't':
      return true;
    case 'G':
    case 'H':
    case 'W':
      return frames->described;
    default:
      return false;
  }
}

static void note_kind(PgFrames *frames, unsigned char kind) {
  frames->kind = kind;
  frames->left = frames->named = 0;
  frames->foul = pg_is_foul(frames);
  if (kind == 'T')
    frames->described = true;
  else if (kind == 'C' || kind == 'E' || kind == 'I' || kind == 'Z')
    frames->described = false;
}

static void note_length(PgFrames *frames) {
  frames->off = frames->left < 4 || frames->left > INT32_MAX;
  frames->left -= 4;  // it counts itself
}

// Settings stay in a list of libpq's for ever, and it looks through that for
// each. So there may not be many names.
static void note_setting(PgFrames *frames, const PGconn *conn) {
  enum { SETTINGS = 2000 };  // more than a piece has
  frames->name[frames->named] = '\0';
  if (PQparameterStatus(conn, frames->name) == NULL)
    frames->foul = ++frames->settings > SETTINGS;
}

// A part of the body. Returns its length.
static size_t note_body(PgFrames *frames, const PGconn *conn, const char *data,
                        size_t len) {
  if (len > frames->left) len = frames->left;
  frames->left -= (uint32_t)len;
  for (size_t i = 0; frames->kind == 'S' && i < len; i++)
    if (frames->named < PG_SETTING - 1) frames->name[frames->named++] = data[i];
  if (frames->kind == 'S' && frames->left == 0) note_setting(frames, conn);
  return len;
}

// How many of the bytes may pass: those before a message that is foul.
static size_t frames_pass(PgFrames *frames, const PGconn *conn,
                          const char *data, size_t len) {
  enum { HEAD = 5 };
  size_t at = 0;
  while (at < len && !frames->off && !frames->foul) {
    if (frames->filled == 0) {
      note_kind(frames, (unsigned char)data[at]);
      if (frames->foul) return at;
      frames->filled = 1;
      at++;
    } else if (frames->filled < HEAD) {
      frames->left = frames->left << 8 | (unsigned char)data[at++];
      if (++frames->filled == HEAD) note_length(frames);
    } else {
      at += note_body(frames, conn, data + at, len - at);
    }
    if (frames->filled == HEAD && frames->left == 0) frames->filled = 0;
  }
  return frames->foul ? at : len;
}

// --- Moving -----------------------------------------------------------------
static bool is_later(ssize_t moved) {
  return moved < 0 && (errno == EAGAIN || errno == EINTR);
}

// Moves a piece. Returns its length, 0 if there is none or no room for it, or
// -1 at the end of `from` or of `to`.
static ssize_t gate_move(int from, int to) {
  char piece[GATE_PIECE];
  ssize_t came = recv(from, piece, sizeof piece, MSG_PEEK | MSG_DONTWAIT);
  if (came <= 0) return is_later(came) ? 0 : -1;
  ssize_t went = send(to, piece, (size_t)came, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (went < 0) return is_later(went) ? 0 : -1;
  return recv(from, piece, (size_t)went, MSG_DONTWAIT);
}

// The same inwards, for what may pass. What follows it is the end.
static ssize_t gate_let_in(PgLink *link) {
  char piece[GATE_PIECE];
  PgFrames seen = link->frames;
  int from = link->gate_real, to = link->gate_outer;
  ssize_t came = recv(from, piece, sizeof piece, MSG_PEEK | MSG_DONTWAIT);
  if (came <= 0) return is_later(came) ? 0 : -1;
  size_t may = frames_pass(&seen, link->conn, piece, (size_t)came);
  if (may == 0) {
    link->frames = seen;
    return -1;
  }
  ssize_t went = send(to, piece, may, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (went < 0) return is_later(went) ? 0 : -1;
  if ((size_t)went == may)
    link->frames = seen;
  else
    frames_pass(&link->frames, link->conn, piece, (size_t)went);
  return recv(from, piece, (size_t)went, MSG_DONTWAIT);
}

void pg_gate_in(PgLink *link) {
  if (!link->gated || gate_waiting(PQsocket(link->conn)) >= GATE_PIECE) return;
  if (gate_let_in(link) < 0)
    shutdown(link->gate_outer, SHUT_WR);  // libpq sees the end after the rest
}

bool pg_gate_out(PgLink *link) {
  bool any = false;
  while (pg_gate_holds(link)) {
    ssize_t moved = gate_move(link->gate_outer, link->gate_real);
    if (moved == 0) return false;
    if (moved < 0) {
      link->gate_shut = true;
      shutdown(link->gate_outer, SHUT_RD);  // libpq sends no more
      return false;
    }
    any = true;
  }
  return any;
}

bool pg_gate_waits(PgLink *link) {
  return link->gated && gate_waiting(PQsocket(link->conn)) > 0;
}

bool pg_gate_holds(PgLink *link) {
  return link->gated && !link->gate_shut && gate_waiting(link->gate_outer) > 0;
}

// After PQfinish, whose last words are still in the gate.
void pg_gate_end(PgLink *link) {
  if (!link->gated) return;
  pg_gate_out(link);
  close(link->gate_real);
  close(link->gate_outer);
  link->gated = false;
}
