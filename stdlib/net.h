// SPDX-License-Identifier: MIT
// What the files of the module net show each other: addresses, connections,
// listeners, sockets of UDP.
//
// A connection's two sides are independent (CspFd). The call that has the turn
// to read owns `in` and `has_gap`, and each side's turn guards its `pace`. Any
// call may change what is atomic: the limits of waits, the life, the requests
// that were claimed, and the layer that a native module puts on it (CspLayer).
// All else does not change once a script has the connection.
#ifndef CSP_STDLIB_NET_H
#define CSP_STDLIB_NET_H

#include <sys/socket.h>
#include <sys/stat.h>

#include "stdlib/net_turn.h"
#include "stdlib/stdlib.h"
#include "vm/native/whose.h"

// --- net_address.c ----------------------------------------------------------
typedef struct NetAddress {
  struct sockaddr_storage name;
  socklen_t len;  // 0: none
} NetAddress;
enum { NET_ADDRESS_TEXT = 160 };  // bytes that hold any address as text

// "1.2.3.4:80", "[::1]:80", ":80" (any address of this machine) or "unix:PATH".
// NULL: done. Else what is wrong.
const char *net_parse(Str text, NetAddress *address);
// The error for what net_parse says is wrong: "cannot VERB "TEXT": WRONG".
CspValue net_bad_address(CspCall *call, const char *verb, Str text,
                         const char *wrong, const char *code);
// (name, port) of "NAME:PORT", where the name has to be looked up. (nil, nil)
// of all else.
CspStatus net_split_name(CspCall *call);
CspStatus net_split(CspCall *call);
void net_address_text(const NetAddress *address, char text[NET_ADDRESS_TEXT]);
static inline bool net_is_unix(const NetAddress *address) {
  return address->name.ss_family == AF_UNIX;
}

// --- net.c ------------------------------------------------------------------
// What was read and not used: data[at..len).
typedef struct NetInput {
  char *data;  // NULL: none
  size_t at, len, cap;
  size_t told;  // what of it is in the connection's weight
} NetInput;

// How a side keeps to the rate. Waits add to `spent`, and bytes take away from
// it. At `stall` the time is over. Bytes that are written count when the other
// side has taken them: the system's buffer may be full for minutes though the
// other side reads all the while.
typedef struct NetPace {
  int64_t spent;  // ns
  int64_t since;  // of a wait that is not in it yet, or 0
} NetPace;

typedef struct NetSent {
  int64_t given;  // bytes that the system has
  int64_t
      arrived;    // of them, as far as was seen: the other side has taken them
  int64_t begun;  // writes that are not over, or were cut
} NetSent;

typedef struct Connection {
  CspFd *fd;  // NULL: the connection was not made
  NetInput in;
  bool has_gap;     // what follows `in` was received and lost
  int64_t stall;    // atomic: ns without progress that end a wait, or 0
  int64_t rate;     // atomic: bytes a second that are progress, or 0 for any
  NetPace pace[2];  // of each side
  NetSent sent;     // of the writing side's turn
  uint32_t life;    // atomic: NetLife
  int64_t claimed;  // atomic: requests whose owner is settled (http_claim)
  NetAddress local, remote;
  const CspLayer *layer;  // atomic, set once by a call that has both turns
  void *layer_state;      // set before that
  int broken;             // atomic: the errno that has broken it off, or 0
  bool sends;             // atomic: a call of the system sends or ends
  int64_t unsent;         // atomic: those, and writes that have not begun
  int64_t weight;         // atomic: in.told and the layer's (net_weigh)
  int64_t layer_weight;   // atomic
} Connection;

// Of a connection that serves one request after the other. It is idle while
// nothing of the next one has come. Whoever ends idle connections does not hit
// one whose request has been taken.
//   BUSY <-> IDLE    by the call that has the turn to read
//   BUSY -> LAST     the next request is not taken
//   IDLE -> OVER     it was closed
typedef enum NetLife { LIFE_BUSY, LIFE_IDLE, LIFE_LAST, LIFE_OVER } NetLife;

typedef struct Listener {
  CspFd *fd;
  NetAddress local;
  dev_t device;  // of a Unix socket's file
  ino_t inode;
} Listener;

extern const CspClass net_connection_class, net_listener_class;

// Argument 0. NULL: the call has panicked.
Connection *net_connection(CspCall *call);
Listener *net_listener(CspCall *call);
int net_own_address(int fd, NetAddress *address);  // 0, or -1 and errno
// A connection that is not made yet. undef: the call has panicked. It comes
// first, so that no socket is lost where there is no memory.
CspValue net_new_connection(CspCall *call);
// It takes the socket over whatever comes. 0 or an errno.
int net_connected(CspCall *call, CspValue v, int fd, const NetAddress *remote);
// (nil, error): "cannot VERB WHERE: ...", with the errno's code. NET_LATE: the
// time is over, after `ns`.
CspStatus net_fail(CspCall *call, const char *verb, const NetAddress *where,
                   int error, int64_t ns);
// The same, for functions that have no other result.
CspStatus net_fail_alone(CspCall *call, const char *verb,
                         const NetAddress *where, int error, int64_t ns);
// The error of a call of the connection: "cannot VERB REMOTE: ...". A layer
// tells what EPROTO is.
CspValue net_call_error(CspCall *call, const char *verb,
                        const Connection *connection, int error, int64_t ns);
// When a wait that begins now ends: rt-like ns of csp_monotonic, or 0.
int64_t net_until(CspCall *call, int64_t ns);
// When a wait of that side ends that begins now, as `stall` and `rate` say, or
// 0. *stall is for the error.
int64_t net_pace_until(CspCall *call, Connection *connection, CspSide side,
                       int64_t *stall);
// Tells how much was read.
void net_was_read(CspCall *call, Connection *connection, size_t bytes);
// The connection v holds so much more or less outside of the heap. false: there
// is no room for that, and the caller takes it back. Less always fits.
bool net_weigh(CspCall *call, CspValue v, int64_t more);
// What the state of a call that sends begins with.
typedef struct NetSending {
  NetTurn turn;
  Connection *connection;
  int64_t stall;  // for the error
} NetSending;
// Tells how much the system has taken.
void net_was_sent(CspCall *call, Connection *connection, size_t bytes);
// After EAGAIN.
CspStatus net_wait_to_send(CspCall *call, NetSending *sending);
// For NetWay. A wait to send looks now and then at what the other side has
// taken, and goes on if that is enough.
bool net_sending_goes_on(CspCall *call, NetTurn *turn);
void net_sending_given_up(CspCall *call, NetTurn *turn);
// Argument i, ns > 0, or nil or 0 for none. false: panicked.
bool net_need_time(CspCall *call, int i, int64_t *ns);

// Receiving, sending and ending as the system or the layer does. For calls that
// have the turn of that side. -1 and errno.
//
// The system tells one call that the connection was broken off. Later reads get
// a clean end from it, and later writes EPIPE. So `broken` keeps the error for
// them. Between the call that was told and its store of `broken`, a read of
// another thread may find that end already:
//   sender: 1. sends = true   2. send -> ECONNRESET   3. broken = ECONNRESET
//           4. sends = false
//   reader: 1. recv -> 0      2. reads sends          3. reads broken
// The system's lock of the socket orders the sender's 2 before the reader's 1.
// So the reader sees `sends`, and tries again, or it sees the store of 4 or a
// later one, and `broken` with it. What goes through a layer is the layer's to
// remember.
static inline const CspLayer *net_layer(const Connection *connection) {
  // acquire: layer_state. Pairs with csp_layer_on
  return __atomic_load_n(&connection->layer, __ATOMIC_ACQUIRE);
}

// After a call of the system that has failed: what errno is to the script.
void net_remember(Connection *connection);
// The same of a shutdown. The system tells that only that there is nothing to
// end: what has broken it off is asked for.
void net_remember_end(Connection *connection, int fd);
// After a recv that gave 0: 0, or -1 and errno.
ssize_t net_received_end(const Connection *connection);

static inline void net_sends(Connection *connection, bool sends) {
  // release: shows `broken`. Pairs with the acquire in net_received_end
  __atomic_store_n(&connection->sends, sends, __ATOMIC_RELEASE);
}

static inline ssize_t net_receive(CspCall *call, Connection *connection, int fd,
                                  char *to, size_t room) {
  const CspLayer *layer = net_layer(connection);
  if (layer == NULL) {
    ssize_t n = recv(fd, to, room, 0);
    if (n < 0) net_remember(connection);
    return n == 0 ? net_received_end(connection) : n;
  }
  native_calls_host(call);
  return (ssize_t)layer->read(connection->layer_state, fd, to, room);
}

static inline ssize_t net_send(CspCall *call, Connection *connection, int fd,
                               const char *from, size_t len) {
  const CspLayer *layer = net_layer(connection);
  if (layer == NULL) {
    if (len == 0) return 0;
    net_sends(connection, true);
    ssize_t n = send(fd, from, len, MSG_NOSIGNAL);
    if (n < 0) net_remember(connection);
    net_sends(connection, false);
    return n;
  }
  native_calls_host(call);
  return (ssize_t)layer->write(connection->layer_state, fd, from, len);
}

// A write that may be cut begins (1), or has left no part for the other side
// (-1).
static inline void net_count_unsent(Connection *connection, int64_t change) {
  // RMW: a sum. Who has to see it is told in net_is_cut
  __atomic_fetch_add(&connection->unsent, change, __ATOMIC_RELAXED);
}

// Whether a layer may not say that all was sent. For calls that have the turn
// to write, so no write goes on.
static inline bool net_is_cut(const Connection *connection) {
  // relaxed: a write that has failed before (net_count_unsent) is seen, as its
  // caller or the turn says that. One that fails just now may be, or not
  return net_layer(connection) != NULL &&
         __atomic_load_n(&connection->unsent, __ATOMIC_RELAXED) > 0;
}

static inline int net_end(CspCall *call, Connection *connection, int fd) {
  const CspLayer *layer = net_layer(connection);
  if (layer == NULL) {
    net_sends(connection, true);  // it may be the one that is told
    int result = shutdown(fd, SHUT_WR);
    if (result < 0) net_remember_end(connection, fd);
    net_sends(connection, false);
    return result;
  }
  native_calls_host(call);
  return layer->end(connection->layer_state, fd);
}

// --- net_open.c -------------------------------------------------------------
// A socket (SOCK_STREAM, SOCK_DGRAM) that is to be bound at the address. ":80"
// takes IPv4, too. Where there is no IPv6 it takes that alone, and *address
// says so. -1 and errno.
int net_make_bound(NetAddress *address, int type);
CspStatus net_dial(CspCall *call);
CspStatus net_listen(CspCall *call);
CspStatus net_accept(CspCall *call);
CspStatus net_stop_listening(CspCall *call);  // listener.close()

// --- net_lookup.c -----------------------------------------------------------
CspStatus net_lookup(CspCall *call);
// The module dns gives its function for that, which net.lookup.csp prefers.
extern const CspClass net_given_class;
CspStatus net_give_dns(CspCall *call);
CspStatus net_given_dns(CspCall *call);

// --- net_read.c, net_write.c ------------------------------------------------
CspStatus net_read(CspCall *call);
CspStatus net_read_bytes(CspCall *call);
CspStatus net_read_exact(CspCall *call);
CspStatus net_read_line(CspCall *call);
CspStatus net_read_until(CspCall *call);
CspStatus net_write(CspCall *call);
CspStatus net_close_write(CspCall *call);

// --- net_file.c -------------------------------------------------------------
// (connection, file, from, count): (sent, err). Fewer bytes and no error: the
// rest has to be read and written.
CspStatus net_send_file(CspCall *call);

// --- net_udp.c --------------------------------------------------------------
CspStatus net_udp(CspCall *call);
extern const CspClass net_udp_class;
extern const CspFunction net_udp_methods[];

#endif
