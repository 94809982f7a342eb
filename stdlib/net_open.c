// SPDX-License-Identifier: MIT
// Connecting, listening, accepting, and looking up names.
//
// A native that connects has the turn of the socket's writing side and waits
// there. No other call knows the connection yet. A native that accepts has the
// turn to read its listener.
#include <errno.h>
#include <fcntl.h>
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
#include "stdlib/os.h"

// Argument 0 as an address. false: *status is the call's.
static bool need_address(CspCall *call, const char *verb, NetAddress *address,
                         CspStatus *status) {
  Str text;
  *status = CSP_PANIC;
  if (!need_view(call, 0, &text)) return false;
  const char *wrong = net_parse(text, address), *code = "syntax";
  if (wrong == NULL && net_is_unix(address) &&
      !csp_allows(csp_of(call), CSP_FILES)) {
    wrong = "a Unix socket is a file, and the host allows none (CSP_FILES)";
    code = "permission";
  }
  if (wrong == NULL) return true;
  csp_return(call, csp_nil());
  *status = csp_ok(call, net_bad_address(call, verb, text, wrong, code));
  return false;
}

static int make_socket(const NetAddress *address, int type) {
  int flags = SOCK_NONBLOCK | SOCK_CLOEXEC;
  return csp_above_streams(socket(address->name.ss_family, type | flags, 0));
}

// --- Unix sockets -----------------------------------------------------------
static struct sockaddr_un unix_name(const NetAddress *address) {
  struct sockaddr_un name;
  memcpy(&name, &address->name, sizeof name);
  return name;
}

typedef int (*SocketAct)(int fd, const struct sockaddr *name, socklen_t len);

static int act_at(int fd, const NetAddress *address, SocketAct act) {
  const struct sockaddr *name = (const struct sockaddr *)&address->name;
  return act(fd, name, address->len) == 0 ? 0 : errno;
}

// A file of a root, as the kernel finds it: a descriptor, and perhaps a name in
// that folder.
static int act_by(int fd, int by, const char *file, SocketAct act) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  NetAddress address;
  int len =
      snprintf(name.sun_path, sizeof name.sun_path, "/proc/self/fd/%d%s%s", by,
               *file == '\0' ? "" : "/", file);
  if (len >= (int)sizeof name.sun_path) return ENAMETOOLONG;
  memcpy(&address.name, &name, sizeof name);
  address.len =
      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)len + 1);
  int error = os_by_proc(act_at(fd, &address, act));
  return error == JOB_NO_PROC ? NET_NO_PROC : error;
}

// connect and bind give 0 or an errno. connect would follow a link that leads
// out of the root, so there the file is found first.
static int connect_to(Csp *csp, int fd, const NetAddress *address) {
  if (!net_is_unix(address) || !csp_has_root(csp))
    return act_at(fd, address, connect);
  struct sockaddr_un local = unix_name(address);
  int file = csp_open_path(csp, local.sun_path, O_PATH | O_CLOEXEC, 0);
  if (file < 0) return errno;
  int error = act_by(fd, file, "", connect);
  close(file);
  return error;
}

static int bind_to(Csp *csp, int fd, const NetAddress *address) {
  if (!net_is_unix(address) || !csp_has_root(csp))
    return act_at(fd, address, bind);
  struct sockaddr_un local = unix_name(address);
  CspPlace place;
  if (csp_find_path(csp, local.sun_path, &place) != 0) return errno;
  int error = act_by(fd, place.folder, place.name, bind);
  csp_place_end(&place);
  return error;
}

// What a listener has made, so that it removes nothing else at its end.
static void remember_socket(Csp *csp, Listener *listener) {
  struct sockaddr_un local = unix_name(&listener->local);
  CspPlace place;
  struct stat info;
  if (csp_find_path(csp, local.sun_path, &place) != 0) return;
  if (fstatat(place.folder, place.name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
    listener->device = info.st_dev;
    listener->inode = info.st_ino;
  }
  csp_place_end(&place);
}

static void remove_socket(Csp *csp, const Listener *listener) {
  struct sockaddr_un local = unix_name(&listener->local);
  CspPlace place;
  struct stat info;
  if (csp_find_path(csp, local.sun_path, &place) != 0) return;
  bool same =
      fstatat(place.folder, place.name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
      info.st_dev == listener->device && info.st_ino == listener->inode;
  if (same) unlinkat(place.folder, place.name, 0);
  csp_place_end(&place);
}

// --- What is lacking --------------------------------------------------------
// Connections that nothing holds are closed when they are collected. Other
// threads may not have closed all of them after the first collection.
enum { COLLECTIONS = 2 };

static bool is_lack(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS ||
         error == ENOMEM;
}

// Whether the system may have more after a collection, which comes before the
// next piece.
static bool collects(CspCall *call, int *collected, int error) {
  if (!is_lack(error) || *collected == COLLECTIONS) return false;
  ++*collected;
  csp_collect(call);
  return true;
}

// --- Connecting -------------------------------------------------------------
// What a dial keeps between its pieces. It has the turn to write.
typedef struct Dial {
  CspValue connection;
  int64_t timeout, until;
  int64_t pause;  // a Unix socket's queue was full: tries again after that
  int collected;
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
  return connect_to(csp_of(call), fd, &connection->remote);
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

static CspStatus dial_open(CspCall *call, void *data, bool on) {
  Dial *dial = data;
  if (!on) return CSP_PANIC;
  NetAddress remote = dialled(dial)->remote;
  int fd = make_socket(&remote, SOCK_STREAM);
  if (fd < 0 && collects(call, &dial->collected, errno))
    return csp_again(call, dial_open, dial, sizeof *dial, 1);
  if (fd < 0) return net_fail(call, "connect to", &remote, errno, 0);
  int error = net_connected(call, dial->connection, fd, &remote);
  if (error) return net_fail(call, "connect to", &remote, error, 0);
  if (csp_fd_enter(dialled(dial)->fd, CSP_WRITES) < 0)
    return csp_panic(call, "%s: the socket is in use", csp_name(call));
  dial->until = net_until(call, dial->timeout);
  return dial_go_on(call, dial, dial_try(call, dial));
}

// The socket is opened in a piece of its own, which has its record already. So
// there is memory for the wait before the other side sees a connection. Without
// that the call would begin anew, and leave a first connection open.
CspStatus net_dial(CspCall *call) {
  Dial dial = {.pause = 0};
  NetAddress address;
  CspStatus status;
  if (!net_need_time(call, 1, &dial.timeout)) return CSP_PANIC;
  if (!need_address(call, "connect to", &address, &status)) return status;
  dial.connection = net_new_connection(call);
  if (csp_is_undef(dial.connection)) return CSP_PANIC;
  dialled(&dial)->remote = address;
  return csp_again(call, dial_open, &dial, sizeof dial, 1);
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

// A listener of the socket. 0 or an errno, and then the socket is the caller's.
static int listen_on(CspCall *call, Listener *listener, int fd) {
  enum { BACKLOG = 4096 };
  int error = bind_to(csp_of(call), fd, &listener->local);
  if (error) return error;
  bool is_unix = net_is_unix(&listener->local);
  if (is_unix) remember_socket(csp_of(call), listener);
  if (listen(fd, BACKLOG) != 0) error = errno;
  if (!error && !is_unix) net_own_address(fd, &listener->local);
  if (!error) listener->fd = csp_fd_open(call, fd);
  if (!error && listener->fd == NULL) error = errno;
  if (error && is_unix) remove_socket(csp_of(call), listener);
  return error;
}

static CspStatus listen_begin(CspCall *call, int collected);

static CspStatus listen_anew(CspCall *call, void *data, bool on) {
  return on ? listen_begin(call, *(int *)data) : CSP_PANIC;
}

static CspStatus listen_begin(CspCall *call, int collected) {
  NetAddress address;
  CspStatus status;
  Listener *listener;
  if (!need_address(call, "listen at", &address, &status)) return status;
  CspValue v = csp_host_new(call, &net_listener_class, (void **)&listener);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  int fd = net_make_bound(&address, SOCK_STREAM);
  if (fd < 0 && collects(call, &collected, errno))
    return csp_again(call, listen_anew, &collected, sizeof collected, 0);
  listener->local = address;
  int error = fd < 0 ? errno : listen_on(call, listener, fd);
  if (!error) return csp_ok_value(call, v);
  if (fd >= 0) close(fd);
  return net_fail(call, "listen at", &address, error, 0);
}

CspStatus net_listen(CspCall *call) { return listen_begin(call, 0); }

CspStatus net_stop_listening(CspCall *call) {
  Listener *listener = net_listener(call);
  if (listener == NULL) return CSP_PANIC;
  bool first = csp_fd_close(call, listener->fd);
  if (first && net_is_unix(&listener->local))
    remove_socket(csp_of(call), listener);
  return csp_ok_nothing(call);
}

// --- Accepting --------------------------------------------------------------
// The turn keeps the next connection.
typedef struct Accept {
  NetTurn turn;
  Listener *listener;
  int collected;
  int64_t pause;
} Accept;

static CspStatus accept_failed(CspCall *call, NetTurn *turn, int error) {
  const Accept *accept = (Accept *)turn;
  return net_fail(call, "accept at", &accept->listener->local, error, 0);
}

// Where the system lacks something, connections that nothing holds are
// collected first, and then it tries again, less and less often.
static CspStatus accept_later(CspCall *call, Accept *accept, int error) {
  enum { FIRST_PAUSE = 5000000 };  // ns
  const int64_t longest = 1000000000;
  if (collects(call, &accept->collected, error))
    return net_later(call, &accept->turn);
  if (!is_lack(error)) {
    accept->pause = 0;
    return net_wait(call, &accept->turn, 0);
  }
  accept->pause = accept->pause == 0 ? FIRST_PAUSE : 2 * accept->pause;
  if (accept->pause > longest) accept->pause = longest;
  // The listener is ready all the time, and its other side never is.
  return net_pause(call, &accept->turn, CSP_WRITES,
                   net_until(call, accept->pause));
}

// These are of a connection that has ended already (accept(2)).
static bool is_of_connection(int error) {
  return error == EINTR || error == ECONNABORTED || error == EPROTO ||
         error == ENETDOWN || error == ENOPROTOOPT || error == EHOSTDOWN ||
         error == ENONET || error == EHOSTUNREACH || error == EOPNOTSUPP ||
         error == ENETUNREACH;
}

static CspStatus accepted(CspCall *call, Accept *accept, int fd,
                          const NetAddress *remote) {
  CspValue made = accept->turn.kept;
  int error = net_connected(call, made, fd, remote);
  if (error) return net_failed(call, &accept->turn, error);
  net_leave(call, &accept->turn);
  // (The system's name of a Unix socket may be one that a root was left for.)
  Connection *connection = csp_host_data(made, &net_connection_class);
  if (net_is_unix(remote)) connection->local = accept->listener->local;
  return csp_ok_value(call, made);
}

static CspStatus try_to_accept(CspCall *call, NetTurn *turn) {
  enum { CALL_COST = 3000 };  // ns of a system call
  Accept *accept = (Accept *)turn;
  for (;;) {
    NetAddress remote = {.len = sizeof remote.name};
    int number = csp_fd_number(turn->fd);
    if (number < 0) return net_failed(call, turn, NET_CLOSED);
    int fd =
        csp_above_streams(accept4(number, (struct sockaddr *)&remote.name,
                                  &remote.len, SOCK_NONBLOCK | SOCK_CLOEXEC));
    int error = fd < 0 ? errno : 0;
    bool again = csp_spent(call, CALL_COST);
    if (fd >= 0) return accepted(call, accept, fd, &remote);
    if (error == EAGAIN || is_lack(error))
      return accept_later(call, accept, error);
    if (!is_of_connection(error)) return net_failed(call, turn, error);
    if (again) return net_later(call, turn);
  }
}

static const NetWay accepting = {CSP_READS,     sizeof(Accept), try_to_accept,
                                 accept_failed, NULL,           NULL};

CspStatus net_accept(CspCall *call) {
  Listener *listener = net_listener(call);
  if (listener == NULL) return CSP_PANIC;
  CspValue connection = net_new_connection(call);
  if (csp_is_undef(connection)) return CSP_PANIC;
  Accept accept = {.turn = {connection, &accepting, listener->fd, false},
                   .listener = listener};
  return net_begin(call, &accept.turn);
}
