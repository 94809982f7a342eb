// SPDX-License-Identifier: MIT
// The module postgres: a gate between libpq and the socket, where there is a
// limit of memory. By the native that has the link.
//
// libpq reads a socket until nothing is in it. From a server that is faster
// than it that is a whole message, and its head may say 1 GB. So the descriptor
// that libpq has becomes one end of a pair of sockets, and what comes passes
// through in pieces: libpq sees no more than one of them at a time. What it
// sends passes through at once.
//
//   server == real ==> [a piece] ==> outer == pair == libpq's descriptor
//
// A piece is looked at, handed on, and then taken, as far as it was handed on.
// So the gate keeps no bytes of its own.
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
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
  bool put = dup3(pair[1], number, O_CLOEXEC) == number;
  close(pair[1]);
  link->gated = true;
  link->gate_real = real;
  link->gate_outer = pair[0];
  return put;
}

// The bytes that can be read from it at once.
static int gate_waiting(int number) {
  int waiting = 0;
  return ioctl(number, FIONREAD, &waiting) == 0 ? waiting : 0;
}

// Moves a piece. Returns its length, 0 if there is none or no room for it, or
// -1 at the end of `from` or of `to`.
static ssize_t gate_move(int from, int to) {
  char piece[GATE_PIECE];
  ssize_t came = recv(from, piece, sizeof piece, MSG_PEEK | MSG_DONTWAIT);
  if (came <= 0)
    return came < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
  ssize_t went = send(to, piece, (size_t)came, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (went < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
  return recv(from, piece, (size_t)went, MSG_DONTWAIT);
}

void pg_gate_in(PgLink *link) {
  if (!link->gated || gate_waiting(PQsocket(link->conn)) >= GATE_PIECE) return;
  if (gate_move(link->gate_real, link->gate_outer) < 0)
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
