// SPDX-License-Identifier: MIT
// Descriptors of natives: pairs of sockets as values, which goroutines use,
// wait for, close and forget in any order. A call checks that the number it has
// the turn of is its own.
#ifndef CSP_FUZZ_API_FDS_H
#define CSP_FUZZ_API_FDS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vm/csp.h"

typedef struct Link {
  CspFd *fd;
  int number;
  int inside[2];  // calls that have the turn of a side
} Link;

static void link_finalize(void *data) { csp_fd_free(((Link *)data)->fd); }

static const CspClass link_class = {"link", link_finalize, sizeof(Link), NULL};

typedef struct LinkUse {
  CspSide side;
  bool has_turn;
  int left;  // tries
} LinkUse;

static Link *link_of(CspCall *call) {
  return csp_host_data(csp_arg(call, 0), &link_class);
}

static void link_enter(Link *link, LinkUse *use) {
  use->has_turn = true;
  if (__atomic_fetch_add(&link->inside[use->side], 1, __ATOMIC_SEQ_CST) != 0)
    abort();  // two have the turn
}

static CspStatus link_end(CspCall *call, Link *link, LinkUse *use) {
  if (use->has_turn) {
    __atomic_fetch_sub(&link->inside[use->side], 1, __ATOMIC_SEQ_CST);
    csp_fd_leave(call, link->fd, use->side);
  }
  use->has_turn = false;
  return csp_ok_int(call, use->left);
}

static CspStatus link_step(CspCall *call, void *data, bool on);

static CspStatus link_go_on(CspCall *call, Link *link, LinkUse *use) {
  char byte = 'x';
  int number = csp_fd_number(link->fd);
  if (number < 0 || use->left-- == 0) return link_end(call, link, use);
  if (number != link->number) abort();
  ssize_t n = use->side == CSP_READS ? recv(number, &byte, 1, 0)
                                     : send(number, &byte, 1, MSG_NOSIGNAL);
  if (n < 0 && errno == EAGAIN)
    csp_when_ready(call, link->fd, use->side, csp_monotonic(call) + 300000);
  return csp_again(call, link_step, use, sizeof *use, 0);
}

static CspStatus link_step(CspCall *call, void *data, bool on) {
  LinkUse *use = data;
  Link *link = link_of(call);
  if (!on) {
    link_end(call, link, use);
    return CSP_PANIC;
  }
  if (!use->has_turn) {
    if (csp_ready(call) == CSP_FD_CLOSED) return csp_ok_nothing(call);
    link_enter(link, use);
  }
  return link_go_on(call, link, use);
}

static CspStatus link_use(CspCall *call, CspSide side) {
  Link *link = link_of(call);
  LinkUse use = {.side = side, .left = 4};
  if (link == NULL) return csp_bad_arg(call, 0, "a link");
  if (csp_fd_enter(link->fd, side) >= 0) {
    link_enter(link, &use);
    return link_go_on(call, link, &use);
  }
  csp_when_entered(call, link->fd, side);
  return csp_again(call, link_step, &use, sizeof use, 0);
}

static CspStatus native_link_read(CspCall *call) {
  return link_use(call, CSP_READS);
}
static CspStatus native_link_write(CspCall *call) {
  return link_use(call, CSP_WRITES);
}

static CspStatus native_link_close(CspCall *call) {
  Link *link = link_of(call);
  if (link == NULL) return csp_bad_arg(call, 0, "a link");
  bool resets = link->number % 2 != 0;
  return csp_ok_bool(call, resets ? csp_fd_reset(call, link->fd)
                                  : csp_fd_close(call, link->fd));
}

static CspValue link_new(CspCall *call, int number) {
  Link *link;
  CspValue v = csp_host_new(call, &link_class, (void **)&link);
  if (!csp_is_undef(v)) {
    link->number = number;
    number = csp_above_streams(number);
    link->fd = csp_fd_open(call, number);
    if (link->fd != NULL) return v;
  }
  close(number);
  return csp_nil();
}

// link(): the two ends, as far as there is memory for them.
static CspStatus native_link(CspCall *call) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends))
    return csp_ok_error(call, "no sockets");
  csp_return(call, link_new(call, ends[0]));
  csp_return(call, link_new(call, ends[1]));
  return csp_ok_bool(call, csp_allows(csp_of(call), CSP_NET));
}

// --- Layers on connections of net -------------------------------------------
static int64_t layer_read(void *state, int number, void *to, size_t room) {
  __atomic_fetch_add((int *)state, 1, __ATOMIC_RELAXED);
  return recv(number, to, room < 7 ? room : 7, 0);
}

// Each second one takes nothing.
static int64_t layer_write(void *state, int number, const void *from,
                           size_t len) {
  if (__atomic_fetch_add((int *)state, 1, __ATOMIC_RELAXED) % 2 == 0) {
    errno = len % 3 == 0 ? EINTR : EPROTO;
    return -1;
  }
  return len == 0 ? 0 : send(number, from, 1, MSG_NOSIGNAL);
}

static int layer_end(void *state, int number) {
  __atomic_fetch_add((int *)state, 1, __ATOMIC_RELAXED);
  return shutdown(number, SHUT_WR);
}

static void layer_wrong(void *state, char *to, size_t room) {
  (void)state;
  snprintf(to, room, "the layer says no");
}

static void layer_close(void *state) {
  __atomic_fetch_add((int *)state, 1, __ATOMIC_RELAXED);
}

static void layer_finalize(void *state) { csp_alloc_free(state); }

static const CspLayer counting_layer = {"other",       layer_read,  layer_write,
                                        layer_end,     layer_wrong, layer_close,
                                        layer_finalize};

// layer(v): true if it puts one on.
static CspStatus native_layer(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  CspFd *fd = csp_connection_fd(v);
  int *calls = csp_layer_state(v, &counting_layer);
  bool on = false;
  if (calls != NULL)
    return csp_ok_int(call, __atomic_load_n(calls, __ATOMIC_RELAXED));
  if (fd == NULL) return csp_ok_nothing(call);
  bool reads = csp_fd_enter(fd, CSP_READS) >= 0;
  bool writes = csp_fd_enter(fd, CSP_WRITES) >= 0;
  int *state = csp_alloc(csp_of(call), NULL, sizeof *state);
  if (state != NULL) *state = 0;
  if (reads && writes && state != NULL)
    on = csp_layer_on(v, &counting_layer, state) == 0;
  if (on) csp_layer_weight(call, v, 1 << 12);
  if (!on) csp_alloc_free(state);
  if (reads) csp_fd_leave(call, fd, CSP_READS);
  if (writes) csp_fd_leave(call, fd, CSP_WRITES);
  return csp_ok_bool(call, on);
}
#endif
