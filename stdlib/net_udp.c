// SPDX-License-Identifier: MIT
// Sockets of UDP. One call at a time receives and one sends, as with a
// connection: it has the turn of that side from its first try to its end.
//
// A datagram comes whole or not at all. One that is longer than it may be is an
// error, and is lost. So is one for which there is no memory.
//
// The system tells a socket that a datagram was refused only if the socket has
// a peer. Without that a server would get errors because its clients go away.
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "stdlib/net.h"

enum {
  DATAGRAM_MOST = 65536,  // no datagram is longer
  ROOM_LEAST = 2048,      // bytes that a socket receives into, at least
  COPIED_HERE = 4096,     // bytes that are sent from the stack
};

typedef struct UdpSocket {
  CspFd *fd;      // NULL: the socket was not made
  int64_t stall;  // atomic: ns that a wait takes at most, or 0
  NetAddress local, peer;
  char *room;  // what is received comes there. The turn to read guards it
  size_t cap;
} UdpSocket;

static void udp_finalize(void *data) {
  UdpSocket *udp = data;
  csp_fd_free(udp->fd);
  csp_alloc_free(udp->room);
}

const CspClass net_udp_class = {"socket", udp_finalize, sizeof(UdpSocket),
                                NULL};

static UdpSocket *udp_of(CspCall *call) {
  return csp_host_data(csp_arg(call, 0), &net_udp_class);
}

static UdpSocket *need_udp(CspCall *call) {
  UdpSocket *udp = udp_of(call);
  if (udp == NULL) csp_bad_arg(call, 0, "a socket");
  return udp;
}

// --- Addresses --------------------------------------------------------------
// Argument i. false: csp_ok with *error ends the call, also after a panic.
static bool need_ip(CspCall *call, int i, const char *verb, NetAddress *address,
                    CspValue *error) {
  Str text;
  *error = csp_nil();
  if (!need_str(call, i, &text)) return false;
  const char *wrong = net_parse(text, address);
  if (wrong == NULL && net_is_unix(address))
    wrong = "UDP has no Unix sockets, write \"IP:PORT\"";
  if (wrong == NULL) return true;
  *error = net_bad_address(call, verb, text, wrong);
  return false;
}

// A socket of IPv6 reaches IPv4 by addresses of its own (RFC 4291, 2.5.5.2).
static NetAddress as_family(const NetAddress *address, int family) {
  NetAddress to = *address;
  if (family != AF_INET6 || address->name.ss_family != AF_INET) return to;
  struct sockaddr_in v4;
  memcpy(&v4, &address->name, sizeof v4);
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = v4.sin_port};
  v6.sin6_addr.s6_addr[10] = v6.sin6_addr.s6_addr[11] = 0xff;
  memcpy(&v6.sin6_addr.s6_addr[12], &v4.sin_addr, sizeof v4.sin_addr);
  memcpy(&to.name, &v6, to.len = sizeof v6);
  return to;
}

// --- Opening ----------------------------------------------------------------
static int udp_bind(int fd, const NetAddress *local) {
  int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof on);
  return bind(fd, (const struct sockaddr *)&local->name, local->len);
}

static int udp_connect(int fd, UdpSocket *udp) {
  if (udp->peer.len == 0) return 0;
  NetAddress to = as_family(&udp->peer, udp->local.name.ss_family);
  return connect(fd, (const struct sockaddr *)&to.name, to.len);
}

static CspStatus udp_open(CspCall *call, UdpSocket *udp, CspValue v) {
  int fd = net_make_bound(&udp->local, SOCK_DGRAM);
  bool bound = fd >= 0 && udp_bind(fd, &udp->local) == 0;
  bool connected = bound && udp_connect(fd, udp) == 0;
  if (connected) {
    net_own_address(fd, &udp->local);
    udp->fd = csp_fd_open(call, fd);
  }
  if (udp->fd != NULL) return csp_ok_value(call, v);
  int error = errno;
  if (fd >= 0) close(fd);
  return bound && !connected
             ? net_fail(call, "connect to", &udp->peer, error, 0)
             : net_fail(call, "open UDP at", &udp->local, error, 0);
}

CspStatus net_udp(CspCall *call) {
  NetAddress local, peer = {.len = 0};
  CspValue error;
  UdpSocket *udp;
  bool fits =
      need_ip(call, 0, "open UDP at", &local, &error) &&
      (is_nil(call, 1) || need_ip(call, 1, "connect to", &peer, &error));
  if (!fits) {
    csp_return(call, csp_nil());
    return csp_ok(call, error);
  }
  CspValue v = csp_host_new(call, &net_udp_class, (void **)&udp);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  udp->local = local;
  udp->peer = peer;
  return udp_open(call, udp, v);
}

// --- Receiving --------------------------------------------------------------
typedef struct UdpReceive {
  bool has_turn;
  size_t want;
  int64_t stall;
} UdpReceive;

static CspStatus received_step(CspCall *call, void *data, bool on);

static void leave_reads(CspCall *call, UdpSocket *udp, UdpReceive *receive) {
  if (receive->has_turn) csp_fd_leave(call, udp->fd, CSP_READS);
  receive->has_turn = false;
}

static CspStatus receive_failed(CspCall *call, UdpSocket *udp,
                                UdpReceive *receive, int error) {
  bool has_peer = udp->peer.len > 0;
  leave_reads(call, udp, receive);
  csp_return(call, csp_nil());
  return net_fail(call, has_peer ? "receive from" : "receive at",
                  has_peer ? &udp->peer : &udp->local, error, receive->stall);
}

// (data, from, nil), or the error that it is too long.
static CspStatus received(CspCall *call, UdpSocket *udp, UdpReceive *receive,
                          const NetAddress *from, size_t len) {
  char sender[NET_ADDRESS_TEXT];
  net_address_text(from, sender);
  bool fits = len <= receive->want;
  csp_charge(call, len / 128);
  csp_return(call, fits ? csp_string(call, udp->room, len) : csp_nil());
  leave_reads(call, udp, receive);
  if (!fits)
    return csp_ok_coded(call, "too_long",
                        "cannot receive from %s: a datagram of %zu bytes is "
                        "longer than %zu",
                        sender, len, receive->want);
  csp_return(call, csp_string(call, sender, strlen(sender)));
  return csp_ok(call, csp_nil());
}

static bool make_udp_room(CspCall *call, UdpSocket *udp, size_t want) {
  size_t cap = want < ROOM_LEAST ? ROOM_LEAST : want;
  if (cap <= udp->cap) return true;
  char *room = csp_alloc(csp_of(call), udp->room, cap);
  if (room == NULL) return false;
  udp->room = room;
  udp->cap = cap;
  return true;
}

static CspStatus wait_for_datagram(CspCall *call, UdpSocket *udp,
                                   UdpReceive *receive) {
  receive->stall = __atomic_load_n(&udp->stall, __ATOMIC_RELAXED);
  csp_when_ready(call, udp->fd, CSP_READS, net_until(call, receive->stall));
  return csp_again(call, received_step, receive, sizeof *receive, 0);
}

// The call has the turn. MSG_TRUNC tells the length of all of the datagram.
static CspStatus receive_on(CspCall *call, UdpSocket *udp,
                            UdpReceive *receive) {
  for (;;) {
    NetAddress from = {.len = sizeof from.name};
    int fd = csp_fd_number(udp->fd);
    if (fd < 0) return receive_failed(call, udp, receive, NET_CLOSED);
    if (!make_udp_room(call, udp, receive->want))
      return receive_failed(call, udp, receive, ENOMEM);
    ssize_t n = recvfrom(fd, udp->room, receive->want, MSG_TRUNC,
                         (struct sockaddr *)&from.name, &from.len);
    if (n >= 0) return received(call, udp, receive, &from, (size_t)n);
    if (errno == EAGAIN) return wait_for_datagram(call, udp, receive);
    if (errno != EINTR) return receive_failed(call, udp, receive, errno);
  }
}

// After a wait for a datagram.
static CspStatus received_step(CspCall *call, void *data, bool on) {
  UdpSocket *udp = udp_of(call);
  UdpReceive *receive = data;
  if (!on) {
    leave_reads(call, udp, receive);
    return CSP_PANIC;
  }
  CspReady ready = csp_ready(call);
  if (ready == CSP_FD_READY) return receive_on(call, udp, receive);
  return receive_failed(call, udp, receive,
                        ready == CSP_FD_LATE ? NET_LATE : NET_CLOSED);
}

// After a wait for the turn.
static CspStatus receive_turn_step(CspCall *call, void *data, bool on) {
  UdpSocket *udp = udp_of(call);
  UdpReceive *receive = data;
  receive->has_turn = on && csp_ready(call) == CSP_FD_READY;
  if (receive->has_turn) return receive_on(call, udp, receive);
  return on ? receive_failed(call, udp, receive, NET_CLOSED) : CSP_PANIC;
}

static CspStatus udp_receive(CspCall *call) {
  UdpSocket *udp = need_udp(call);
  int64_t most = DATAGRAM_MOST;
  if (udp == NULL) return CSP_PANIC;
  if (!is_nil(call, 1) && !need_int_in(call, 1, 0, DATAGRAM_MOST, &most))
    return CSP_PANIC;
  UdpReceive receive = {.want = (size_t)most};
  receive.has_turn = csp_fd_enter(udp->fd, CSP_READS) >= 0;
  if (receive.has_turn) return receive_on(call, udp, &receive);
  csp_when_entered(call, udp->fd, CSP_READS);
  return csp_again(call, receive_turn_step, &receive, sizeof receive, 0);
}

// --- Sending ----------------------------------------------------------------
// The last argument is the data. A socket with a peer may send without `to`.
typedef struct UdpSend {
  bool has_turn;
  int64_t stall;
  NetAddress to;
} UdpSend;

static CspStatus sent_step(CspCall *call, void *data, bool on);

static void leave_writes(CspCall *call, UdpSocket *udp, UdpSend *send) {
  if (send->has_turn) csp_fd_leave(call, udp->fd, CSP_WRITES);
  send->has_turn = false;
}

static CspStatus send_failed(CspCall *call, UdpSocket *udp, UdpSend *send,
                             int error) {
  leave_writes(call, udp, send);
  return net_fail_alone(call, "send to",
                        send->to.len > 0 ? &send->to : &udp->peer, error,
                        send->stall);
}

static CspStatus wait_to_send_udp(CspCall *call, UdpSocket *udp,
                                  UdpSend *send) {
  send->stall = __atomic_load_n(&udp->stall, __ATOMIC_RELAXED);
  csp_when_ready(call, udp->fd, CSP_WRITES, net_until(call, send->stall));
  return csp_again(call, sent_step, send, sizeof *send, 0);
}

// 0 or an errno.
static int send_bytes(int fd, const UdpSocket *udp, const NetAddress *address,
                      Str data) {
  NetAddress to = as_family(address, udp->local.name.ss_family);
  const struct sockaddr *name = (const struct sockaddr *)&to.name;
  for (;;) {
    if (sendto(fd, data.data, data.len, MSG_NOSIGNAL, to.len > 0 ? name : NULL,
               to.len) >= 0)
      return 0;
    if (errno != EINTR) return errno;
  }
}

// Other goroutines may change bytes meanwhile, so they are copied first.
static int send_value(CspCall *call, int fd, const UdpSocket *udp,
                      const NetAddress *to) {
  char here[COPIED_HERE], *copy = here;
  CspValue data = csp_arg(call, csp_argc(call) - 1);
  if (csp_type(data) == CSP_STRING)
    return send_bytes(fd, udp, to, str_of(data));
  size_t len = csp_bytes_len(data);
  if (len > DATAGRAM_MOST) return EMSGSIZE;
  if (len > COPIED_HERE) copy = csp_alloc(csp_of(call), NULL, len);
  if (copy == NULL) return ENOMEM;
  len = csp_bytes_read(data, 0, copy, len);
  int error = send_bytes(fd, udp, to, (Str){copy, len});
  if (copy != here) csp_alloc_free(copy);
  return error;
}

// The call has the turn.
static CspStatus send_on(CspCall *call, UdpSocket *udp, UdpSend *send) {
  int fd = csp_fd_number(udp->fd);
  int error = fd < 0 ? NET_CLOSED : send_value(call, fd, udp, &send->to);
  if (error == EAGAIN) return wait_to_send_udp(call, udp, send);
  if (error) return send_failed(call, udp, send, error);
  leave_writes(call, udp, send);
  return csp_ok(call, csp_nil());
}

// After a wait for room.
static CspStatus sent_step(CspCall *call, void *data, bool on) {
  UdpSocket *udp = udp_of(call);
  UdpSend *send = data;
  if (!on) {
    leave_writes(call, udp, send);
    return CSP_PANIC;
  }
  CspReady ready = csp_ready(call);
  if (ready == CSP_FD_READY) return send_on(call, udp, send);
  return send_failed(call, udp, send,
                     ready == CSP_FD_LATE ? NET_LATE : NET_CLOSED);
}

// After a wait for the turn.
static CspStatus send_turn_step(CspCall *call, void *data, bool on) {
  UdpSocket *udp = udp_of(call);
  UdpSend *send = data;
  send->has_turn = on && csp_ready(call) == CSP_FD_READY;
  if (send->has_turn) return send_on(call, udp, send);
  return on ? send_failed(call, udp, send, NET_CLOSED) : CSP_PANIC;
}

static CspStatus begin_send(CspCall *call, UdpSocket *udp, UdpSend send) {
  int i = csp_argc(call) - 1;
  Str text;
  bool is_bytes = csp_type(csp_arg(call, i)) == CSP_BYTES;
  if (!is_bytes && csp_type(csp_arg(call, i)) != CSP_STRING)
    return csp_bad_arg(call, i, "a string or bytes");
  if (!is_bytes && !need_str(call, i, &text)) return CSP_PANIC;
  send.has_turn = csp_fd_enter(udp->fd, CSP_WRITES) >= 0;
  if (send.has_turn) return send_on(call, udp, &send);
  csp_when_entered(call, udp->fd, CSP_WRITES);
  return csp_again(call, send_turn_step, &send, sizeof send, 0);
}

static CspStatus udp_send(CspCall *call) {
  UdpSocket *udp = need_udp(call);
  if (udp == NULL) return CSP_PANIC;
  if (udp->peer.len == 0)
    return csp_panic(call, "%s: the socket has no peer, use send_to",
                     csp_name(call));
  return begin_send(call, udp, (UdpSend){.has_turn = false});
}

static CspStatus udp_send_to(CspCall *call) {
  UdpSocket *udp = need_udp(call);
  UdpSend send = {.has_turn = false};
  CspValue error;
  if (udp == NULL) return CSP_PANIC;
  if (!need_ip(call, 1, "send to", &send.to, &error))
    return csp_ok(call, error);
  return begin_send(call, udp, send);
}

// --- Methods ----------------------------------------------------------------
static CspStatus udp_address(CspCall *call) {
  char text[NET_ADDRESS_TEXT];
  const UdpSocket *udp = need_udp(call);
  if (udp == NULL) return CSP_PANIC;
  net_address_text(&udp->local, text);
  return csp_ok_string(call, text, strlen(text));
}

static CspStatus udp_stall(CspCall *call) {
  UdpSocket *udp = need_udp(call);
  int64_t ns;
  if (udp == NULL || !net_need_time(call, 1, &ns)) return CSP_PANIC;
  __atomic_store_n(&udp->stall, ns, __ATOMIC_RELAXED);
  return csp_ok_nothing(call);
}

static CspStatus udp_close(CspCall *call) {
  UdpSocket *udp = need_udp(call);
  if (udp == NULL) return CSP_PANIC;
  csp_fd_close(call, udp->fd);
  return csp_ok_nothing(call);
}

const CspFunction net_udp_methods[] = {
    {"send_to", "socket, address, data", udp_send_to},
    {"send", "socket, data", udp_send},
    {"receive", "socket, most = 65_536", udp_receive},
    CSP_REPEATABLE,
    {"address", "socket", udp_address},
    {"stall", "socket, limit", udp_stall},
    {"close", "socket", udp_close},
    {NULL, NULL, NULL},
};
