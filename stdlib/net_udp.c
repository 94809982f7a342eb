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

// The turn to read guards `room` and `cap`. The rest does not change once a
// script has the socket, but for `stall`.
typedef struct UdpSocket {
  CspFd *fd;      // NULL: the socket was not made
  int64_t stall;  // atomic: ns that a wait takes at most, or 0
  NetAddress local, peer;
  char *room;  // what is received comes there
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
  if (!need_view(call, i, &text)) return false;
  const char *wrong = net_parse(text, address);
  if (wrong == NULL && net_is_unix(address))
    wrong = "UDP has no Unix sockets, write \"IP:PORT\"";
  if (wrong == NULL) return true;
  *error = net_bad_address(call, verb, text, wrong, "syntax");
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
  NetTurn turn;
  UdpSocket *udp;
  size_t want;
  int64_t stall;
} UdpReceive;

static CspStatus receive_failed(CspCall *call, NetTurn *turn, int error) {
  const UdpReceive *receive = (UdpReceive *)turn;
  const UdpSocket *udp = receive->udp;
  bool has_peer = udp->peer.len > 0;
  csp_return(call, csp_nil());
  return net_fail(call, has_peer ? "receive from" : "receive at",
                  has_peer ? &udp->peer : &udp->local, error, receive->stall);
}

// (data, from, nil), or the error that it is too long.
static CspStatus received(CspCall *call, UdpReceive *receive,
                          const NetAddress *from, size_t len) {
  char sender[NET_ADDRESS_TEXT];
  net_address_text(from, sender);
  bool fits = len <= receive->want;
  csp_charge(call, len / 128);
  csp_return(call,
             fits ? csp_string(call, receive->udp->room, len) : csp_nil());
  net_leave(call, &receive->turn);
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

static CspStatus wait_for_datagram(CspCall *call, UdpReceive *receive) {
  // relaxed: as in udp_stall
  receive->stall = __atomic_load_n(&receive->udp->stall, __ATOMIC_RELAXED);
  return net_wait(call, &receive->turn, net_until(call, receive->stall));
}

// MSG_TRUNC tells the length of all of the datagram.
static CspStatus try_to_receive(CspCall *call, NetTurn *turn) {
  UdpReceive *receive = (UdpReceive *)turn;
  UdpSocket *udp = receive->udp;
  for (;;) {
    NetAddress from = {.len = sizeof from.name};
    int fd = csp_fd_number(udp->fd);
    if (fd < 0) return net_failed(call, turn, NET_CLOSED);
    if (!make_udp_room(call, udp, receive->want))
      return net_failed(call, turn, ENOMEM);
    ssize_t n = recvfrom(fd, udp->room, receive->want, MSG_TRUNC,
                         (struct sockaddr *)&from.name, &from.len);
    if (n >= 0) return received(call, receive, &from, (size_t)n);
    if (errno == EAGAIN) return wait_for_datagram(call, receive);
    if (errno != EINTR) return net_failed(call, turn, errno);
  }
}

static const NetWay receiving = {
    CSP_READS, sizeof(UdpReceive), try_to_receive, receive_failed, NULL, NULL};

static CspStatus udp_receive(CspCall *call) {
  UdpSocket *udp = need_udp(call);
  int64_t most = DATAGRAM_MOST;
  if (udp == NULL) return CSP_PANIC;
  if (!is_nil(call, 1) && !need_int_in(call, 1, 0, DATAGRAM_MOST, &most))
    return CSP_PANIC;
  UdpReceive receive = {.turn = {csp_nil(), &receiving, udp->fd, false},
                        .udp = udp,
                        .want = (size_t)most};
  return net_begin(call, &receive.turn);
}

// --- Sending ----------------------------------------------------------------
// The last argument is the data. A socket with a peer may send without `to`.
typedef struct UdpSend {
  NetTurn turn;
  UdpSocket *udp;
  int64_t stall;
  NetAddress to;
} UdpSend;

static CspStatus send_failed(CspCall *call, NetTurn *turn, int error) {
  const UdpSend *send = (UdpSend *)turn;
  return net_fail_alone(call, "send to",
                        send->to.len > 0 ? &send->to : &send->udp->peer, error,
                        send->stall);
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

static CspStatus try_to_send(CspCall *call, NetTurn *turn) {
  UdpSend *send = (UdpSend *)turn;
  int fd = csp_fd_number(turn->fd);
  int error = fd < 0 ? NET_CLOSED : send_value(call, fd, send->udp, &send->to);
  if (error && error != EAGAIN) return net_failed(call, turn, error);
  if (error) {
    // relaxed: as in udp_stall
    send->stall = __atomic_load_n(&send->udp->stall, __ATOMIC_RELAXED);
    return net_wait(call, turn, net_until(call, send->stall));
  }
  net_leave(call, turn);
  return csp_ok(call, csp_nil());
}

static const NetWay sending = {
    CSP_WRITES, sizeof(UdpSend), try_to_send, send_failed, NULL, NULL};

static CspStatus begin_send(CspCall *call, UdpSocket *udp,
                            const NetAddress *to) {
  int i = csp_argc(call) - 1;
  Str text;
  bool is_bytes = csp_type(csp_arg(call, i)) == CSP_BYTES;
  if (!is_bytes && csp_type(csp_arg(call, i)) != CSP_STRING)
    return csp_bad_arg(call, i, "a string or bytes");
  if (!is_bytes && !need_str(call, i, &text)) return CSP_PANIC;
  UdpSend send = {
      .turn = {csp_nil(), &sending, udp->fd, false}, .udp = udp, .to = *to};
  return net_begin(call, &send.turn);
}

static CspStatus udp_send(CspCall *call) {
  UdpSocket *udp = need_udp(call);
  if (udp == NULL) return CSP_PANIC;
  if (udp->peer.len == 0)
    return csp_panic(call, "%s: the socket has no peer, use send_to",
                     csp_name(call));
  return begin_send(call, udp, &(NetAddress){.len = 0});
}

static CspStatus udp_send_to(CspCall *call) {
  UdpSocket *udp = need_udp(call);
  NetAddress to;
  CspValue error;
  if (udp == NULL) return CSP_PANIC;
  if (!need_ip(call, 1, "send to", &to, &error)) return csp_ok(call, error);
  return begin_send(call, udp, &to);
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
  // relaxed: the next waits (wait_for_datagram) take so long, and it shows
  // nothing else
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
