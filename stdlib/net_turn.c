// SPDX-License-Identifier: MIT
// The steps of a native that tries an operation of a descriptor until it
// succeeds. net_turn.h says how such a native works.
#include "stdlib/net_turn.h"

void net_leave(CspCall *call, NetTurn *turn) {
  if (turn->is_held) csp_fd_leave(call, turn->fd, turn->way->side);
  turn->is_held = false;
}

CspStatus net_failed(CspCall *call, NetTurn *turn, int error) {
  net_leave(call, turn);
  return turn->way->fail(call, turn, error);
}

// The next piece.
static CspStatus turn_step(CspCall *call, void *data, bool on) {
  NetTurn *turn = data;
  if (on) return turn->way->try(call, turn);
  if (turn->way->give_up != NULL) turn->way->give_up(call, turn);
  net_leave(call, turn);
  return CSP_PANIC;
}

// After a wait for the descriptor.
static CspStatus ready_step(CspCall *call, void *data, bool on) {
  CspReady ready = on ? csp_ready(call) : CSP_FD_READY;
  if (ready == CSP_FD_READY) return turn_step(call, data, on);
  NetTurn *turn = data;
  bool late = ready == CSP_FD_LATE && turn->way->goes_on != NULL;
  if (late && turn->way->goes_on(call, turn)) return turn_step(call, data, on);
  return net_failed(call, data, ready == CSP_FD_LATE ? NET_LATE : NET_CLOSED);
}

// After a wait for the turn.
static CspStatus entered_step(CspCall *call, void *data, bool on) {
  NetTurn *turn = data;
  turn->is_held = on && csp_ready(call) == CSP_FD_READY;
  if (turn->is_held) return turn->way->try(call, turn);
  return on ? net_failed(call, turn, NET_CLOSED) : CSP_PANIC;
}

CspStatus net_begin(CspCall *call, NetTurn *turn) {
  turn->is_held = csp_fd_enter(turn->fd, turn->way->side) >= 0;
  if (turn->is_held) return turn->way->try(call, turn);
  csp_when_entered(call, turn->fd, turn->way->side);
  return csp_again(call, entered_step, turn, turn->way->size, 1);
}

CspStatus net_wait(CspCall *call, NetTurn *turn, int64_t until) {
  csp_when_ready(call, turn->fd, turn->way->side, until);
  return csp_again(call, ready_step, turn, turn->way->size, 1);
}

CspStatus net_pause(CspCall *call, NetTurn *turn, CspSide side, int64_t until) {
  csp_when_ready(call, turn->fd, side, until);
  return csp_again(call, turn_step, turn, turn->way->size, 1);
}

CspStatus net_later(CspCall *call, NetTurn *turn) {
  return csp_again(call, turn_step, turn, turn->way->size, 1);
}
