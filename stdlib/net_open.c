// SPDX-License-Identifier: MIT
// Connecting, listening, accepting; names.
//
// A socket that connects waits on its writing side, whose turn it has: nobody
// else knows the connection yet. An acceptor has the turn to read its listener.
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "stdlib/net.h"

// Argument 0 as an address. false: *status is the call's.
static bool need_address(CspCall *call, const char *verb, NetAddress *address,
                         CspStatus *status) {
  Str text;
  *status = CSP_PANIC;
  if (!need_str(call, 0, &text)) return false;
  const char *wrong = net_parse(text, address);
  if (wrong == NULL && net_is_unix(address) &&
      !csp_allows(csp_of(call), CSP_FILES))
    wrong = "a Unix socket is a file, and the host allows none (CSP_FILES)";
  if (wrong == NULL) return true;
  csp_return(call, csp_nil());
  *status = csp_ok(call, net_bad_address(call, verb, text, wrong));
  return false;
}

static int make_socket(const NetAddress *address, int type) {
  return socket(address->name.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC,
                0);
}

// --- Unix sockets -----------------------------------------------------------
// A path as the kernel is to take it: within the root, by its folder's
// descriptor. 0, and csp_place_end has to follow; or an errno.
static int place_socket(Csp *csp, NetAddress *address, CspPlace *place) {
  struct sockaddr_un local;
  memcpy(&local, &address->name, sizeof local);
  if (csp_find_path(csp, local.sun_path, place) != 0) return errno;
  if (place->folder < 0) return 0;
  struct sockaddr_un by = {.sun_family = AF_UNIX};
  int len = snprintf(by.sun_path, sizeof by.sun_path, "/proc/self/fd/%d/%s",
                     place->folder, place->name);
  if (len >= (int)sizeof by.sun_path) {
    csp_place_end(place);
    return ENAMETOOLONG;
  }
  memcpy(&address->name, &by, sizeof by);
  address->len =
      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)len + 1);
  return 0;
}

typedef int (*SocketAct)(int fd, const struct sockaddr *name, socklen_t len);

// connect or bind. 0 or an errno.
static int act_on(Csp *csp, int fd, const NetAddress *address, SocketAct act) {
  NetAddress at = *address;
  CspPlace place;
  bool is_unix = net_is_unix(address);
  int error = is_unix ? place_socket(csp, &at, &place) : 0;
  if (error) return error;
  error = act(fd, (const struct sockaddr *)&at.name, at.len) == 0 ? 0 : errno;
  if (is_unix) csp_place_end(&place);
  return error;
}

// --- Connecting -------------------------------------------------------------
// What a dial keeps between its pieces. It has the turn to write.
typedef struct Dial {
  CspValue connection;
  int64_t timeout, until;
  int64_t pause;  // a Unix socket's queue was full: tries again after that
} Dial;

static Connection *dialled(const Dial *dial) {
  return csp_host_data(dial->connection, &net_connection_class);
}

// The turn and the socket end.
static void dial_drop(CspCall *call, const Dial *dial) {
  CspFd *fd = dialled(dial)->fd;
  csp_fd_close(call, fd);
  csp_fd_leave(call, fd, CSP_WRITES);
}

static CspStatus dial_failed(CspCall *call, const Dial *dial, int error) {
  dial_drop(call, dial);
  return net_fail(call, "connect to", &dialled(dial)->remote, error,
                  dial->timeout);
}

static CspStatus dial_over(CspCall *call, const Dial *dial) {
  Connection *connection = dialled(dial);
  net_own_address(csp_fd_number(connection->fd), &connection->local);
  csp_fd_leave(call, connection->fd, CSP_WRITES);
  return csp_ok_value(call, dial->connection);
}

static CspStatus dial_step(CspCall *call, void *data, bool on);

static CspStatus dial_wait(CspCall *call, Dial *dial) {
  int64_t until = dial->until;
  if (dial->pause > 0) {
    int64_t next = net_until(call, dial->pause);
    if (until == 0 || next < until) until = next;
  }
  csp_when_ready(call, dialled(dial)->fd, CSP_WRITES, until);
  return csp_again(call, dial_step, dial, sizeof *dial, 1);
}

// Asks the system once. 0: connected.
static int dial_try(CspCall *call, const Dial *dial) {
  const Connection *connection = dialled(dial);
  int fd = csp_fd_number(connection->fd);
  return act_on(csp_of(call), fd, &connection->remote, connect);
}

// The system has been asked, or said how it went.
static CspStatus dial_go_on(CspCall *call, Dial *dial, int error) {
  enum { FIRST_PAUSE = 1000000, LONGEST_PAUSE = 50000000 };  // ns
  if (error == 0 || error == EISCONN) return dial_over(call, dial);
  bool is_full = error == EAGAIN && net_is_unix(&dialled(dial)->remote);
  bool waits = error == EINPROGRESS || error == EALREADY || error == EINTR;
  if (!is_full && !waits) return dial_failed(call, dial, error);
  if (is_full) dial->pause = dial->pause == 0 ? FIRST_PAUSE : 2 * dial->pause;
  if (dial->pause > LONGEST_PAUSE) dial->pause = LONGEST_PAUSE;
  return dial_wait(call, dial);
}

static int socket_error(int fd) {
  int error = 0;
  socklen_t len = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 ? error
                                                                 : errno;
}

static CspStatus dial_step(CspCall *call, void *data, bool on) {
  Dial *dial = data;
  if (!on) {
    dial_drop(call, dial);
    return CSP_PANIC;
  }
  bool late = dial->until != 0 && csp_monotonic(call) >= dial->until;
  int error = socket_error(csp_fd_number(dialled(dial)->fd));
  // Asked again, a socket that has connected says so (EISCONN).
  if (!error) error = dial_try(call, dial);
  if (late && error != 0 && error != EISCONN)
    return dial_failed(call, dial, NET_LATE);
  return dial_go_on(call, dial, error);
}

CspStatus net_dial(CspCall *call) {
  Dial dial = {.pause = 0};
  NetAddress address;
  CspStatus status;
  int error;
  if (!net_need_time(call, 1, &dial.timeout)) return CSP_PANIC;
  if (!need_address(call, "connect to", &address, &status)) return status;
  int fd = make_socket(&address, SOCK_STREAM);
  if (fd < 0) return net_fail(call, "connect to", &address, errno, 0);
  dial.connection = net_connected(call, fd, &address, &error);
  if (csp_is_undef(dial.connection)) return CSP_PANIC;
  if (error) return net_fail(call, "connect to", &address, error, 0);
  if (csp_fd_enter(dialled(&dial)->fd, CSP_WRITES) < 0)
    return csp_panic(call, "%s: the socket is in use", csp_name(call));
  dial.until = net_until(call, dial.timeout);
  return dial_go_on(call, &dial, dial_try(call, &dial));
}

// --- Listening --------------------------------------------------------------
int net_make_bound(NetAddress *address, int type) {
  int on = 1, off = 0, fd = make_socket(address, type);
  struct sockaddr_in6 v6;
  memcpy(&v6, &address->name, sizeof v6);
  bool is_v6 = address->name.ss_family == AF_INET6;
  bool is_any = is_v6 && IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr);
  if (fd < 0 && errno == EAFNOSUPPORT && is_any) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = v6.sin6_port};
    memcpy(&address->name, &v4, address->len = sizeof v4);
    fd = make_socket(address, type);
  }
  if (fd < 0 || net_is_unix(address)) return fd;
  if (type == SOCK_STREAM)
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (is_any && address->name.ss_family == AF_INET6)
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  return fd;
}

CspStatus net_listen(CspCall *call) {
  enum { BACKLOG = 4096 };
  NetAddress address;
  CspStatus status;
  Listener *listener;
  if (!need_address(call, "listen at", &address, &status)) return status;
  CspValue v = csp_host_new(call, &net_listener_class, (void **)&listener);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  int fd = net_make_bound(&address, SOCK_STREAM);
  int error = fd < 0 ? errno : act_on(csp_of(call), fd, &address, bind);
  if (!error && listen(fd, BACKLOG) != 0) error = errno;
  listener->local = address;
  if (!error && !net_is_unix(&address)) net_own_address(fd, &listener->local);
  if (!error) listener->fd = csp_fd_open(call, fd);
  if (!error && listener->fd == NULL) error = errno;
  if (!error) return csp_ok_value(call, v);
  if (fd >= 0) close(fd);
  return net_fail(call, "listen at", &address, error, 0);
}

// The file of a Unix socket goes with its listener.
static int remove_socket(Csp *csp, const NetAddress *address) {
  struct sockaddr_un local;
  CspPlace place;
  memcpy(&local, &address->name, sizeof local);
  if (csp_find_path(csp, local.sun_path, &place) != 0) return errno;
  int error = unlinkat(place.folder, place.name, 0) == 0 ? 0 : errno;
  csp_place_end(&place);
  return error;
}

CspStatus net_stop_listening(CspCall *call) {
  Listener *listener = net_listener(call);
  if (listener == NULL) return CSP_PANIC;
  bool first = csp_fd_close(call, listener->fd);
  if (first && net_is_unix(&listener->local))
    remove_socket(csp_of(call), &listener->local);  // or it is gone already
  return csp_ok_nothing(call);
}

// --- Accepting --------------------------------------------------------------
// Between its pieces. `lacks` is how often no descriptor was left.
typedef struct Accept {
  bool has_turn;
  int lacks;
  int64_t pause;
} Accept;

static CspStatus accept_failed(CspCall *call, Listener *listener,
                               Accept *accept, int error) {
  if (accept->has_turn) csp_fd_leave(call, listener->fd, CSP_READS);
  return net_fail(call, "accept at", &listener->local, error, 0);
}

static CspStatus accept_step(CspCall *call, void *data, bool on);

// Where the system lacks something, connections that nothing holds are
// collected first, and then it tries again, less and less often.
static CspStatus accept_later(CspCall *call, Listener *listener, Accept *accept,
                              bool lacks) {
  enum { COLLECTIONS = 2, FIRST_PAUSE = 5000000 };  // ns
  const int64_t longest = 1000000000;
  if (lacks && accept->lacks++ < COLLECTIONS) {
    csp_collect(call);
    return csp_again(call, accept_step, accept, sizeof *accept, 0);
  }
  accept->pause = !lacks               ? 0
                  : accept->pause == 0 ? FIRST_PAUSE
                                       : 2 * accept->pause;
  if (accept->pause > longest) accept->pause = longest;
  if (lacks) {  // the listener is ready all the time: its other side never is
    csp_when_ready(call, listener->fd, CSP_WRITES,
                   net_until(call, accept->pause));
  } else {
    csp_when_ready(call, listener->fd, CSP_READS, 0);
  }
  return csp_again(call, accept_step, accept, sizeof *accept, 0);
}

static bool is_lack(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS ||
         error == ENOMEM;
}

// These are of a connection that has ended already (accept(2)).
static bool is_of_connection(int error) {
  return error == EINTR || error == ECONNABORTED || error == EPROTO ||
         error == ENETDOWN || error == ENOPROTOOPT || error == EHOSTDOWN ||
         error == ENONET || error == EHOSTUNREACH || error == EOPNOTSUPP ||
         error == ENETUNREACH;
}

static CspStatus accepted(CspCall *call, Listener *listener, Accept *accept,
                          int fd, const NetAddress *remote) {
  int error;
  CspValue v = net_connected(call, fd, remote, &error);
  if (!csp_is_undef(v) && error)
    return accept_failed(call, listener, accept, error);
  csp_fd_leave(call, listener->fd, CSP_READS);
  return csp_is_undef(v) ? CSP_PANIC : csp_ok_value(call, v);
}

// The call has the turn.
static CspStatus accept_on(CspCall *call, Listener *listener, Accept *accept) {
  enum { CALL_COST = 3000 };  // ns of a system call
  for (;;) {
    NetAddress remote = {.len = sizeof remote.name};
    int number = csp_fd_number(listener->fd);
    if (number < 0) return accept_failed(call, listener, accept, NET_CLOSED);
    int fd = accept4(number, (struct sockaddr *)&remote.name, &remote.len,
                     SOCK_NONBLOCK | SOCK_CLOEXEC);
    bool again = csp_spent(call, CALL_COST);
    if (fd >= 0) return accepted(call, listener, accept, fd, &remote);
    if (errno == EAGAIN || is_lack(errno))
      return accept_later(call, listener, accept, errno != EAGAIN);
    if (!is_of_connection(errno))
      return accept_failed(call, listener, accept, errno);
    if (again) return csp_again(call, accept_step, accept, sizeof *accept, 0);
  }
}

static CspStatus accept_step(CspCall *call, void *data, bool on) {
  Accept *accept = data;
  Listener *listener = csp_host_data(csp_arg(call, 0), &net_listener_class);
  if (on) return accept_on(call, listener, accept);
  csp_fd_leave(call, listener->fd, CSP_READS);
  return CSP_PANIC;
}

static CspStatus accept_turn_step(CspCall *call, void *data, bool on) {
  Accept *accept = data;
  Listener *listener = csp_host_data(csp_arg(call, 0), &net_listener_class);
  accept->has_turn = on && csp_ready(call) == CSP_FD_READY;
  if (accept->has_turn) return accept_on(call, listener, accept);
  return on ? accept_failed(call, listener, accept, NET_CLOSED) : CSP_PANIC;
}

CspStatus net_accept(CspCall *call) {
  Listener *listener = net_listener(call);
  if (listener == NULL) return CSP_PANIC;
  Accept accept = {.has_turn = csp_fd_enter(listener->fd, CSP_READS) >= 0};
  if (accept.has_turn) return accept_on(call, listener, &accept);
  csp_when_entered(call, listener->fd, CSP_READS);
  return csp_again(call, accept_turn_step, &accept, sizeof accept, 0);
}
