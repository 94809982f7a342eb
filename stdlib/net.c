// SPDX-License-Identifier: MIT
// The module net: connections and listeners as values, and what its natives
// share. net.csp has the part in the language.
#include "stdlib/net.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "stdlib/os.h"

// --- Values -----------------------------------------------------------------
static void connection_finalize(void *data) {
  Connection *connection = data;
  const CspLayer *layer = net_layer(connection);
  csp_fd_free(connection->fd);
  csp_alloc_free(connection->in.data);
  if (layer != NULL) layer->finalize(connection->layer_state);
}

static void listener_finalize(void *data) {
  csp_fd_free(((Listener *)data)->fd);
}

const CspClass net_connection_class = {"connection", connection_finalize,
                                       sizeof(Connection), NULL};
const CspClass net_listener_class = {"listener", listener_finalize,
                                     sizeof(Listener), NULL};

Connection *net_connection(CspCall *call) {
  Connection *connection =
      csp_host_data(csp_arg(call, 0), &net_connection_class);
  if (connection == NULL) csp_bad_arg(call, 0, "a connection");
  return connection;
}

Listener *net_listener(CspCall *call) {
  Listener *listener = csp_host_data(csp_arg(call, 0), &net_listener_class);
  if (listener == NULL) csp_bad_arg(call, 0, "a listener");
  return listener;
}

int net_own_address(int fd, NetAddress *address) {
  address->len = sizeof address->name;
  return getsockname(fd, (struct sockaddr *)&address->name, &address->len);
}

CspValue net_new_connection(CspCall *call) {
  Connection *connection;
  CspValue v = csp_host_new(call, &net_connection_class, (void **)&connection);
  if (csp_is_undef(v)) csp_panic_memory(call);
  return v;
}

int net_connected(CspCall *call, CspValue v, int fd, const NetAddress *remote) {
  Connection *connection = csp_host_data(v, &net_connection_class);
  int on = 1;
  connection->remote = *remote;
  // What is written goes out at once: a program that writes much writes it in
  // one call.
  if (!net_is_unix(remote))
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  net_own_address(fd, &connection->local);
  connection->fd = csp_fd_open(call, fd);
  if (connection->fd != NULL) return 0;
  int error = errno;
  close(fd);
  return error;
}

// --- What has broken it off --------------------------------------------------
// Errors that end a connection, and that the system tells once.
static bool breaks_off(int error) {
  return error == ECONNRESET || error == ECONNABORTED || error == ETIMEDOUT ||
         error == EHOSTUNREACH || error == ENETUNREACH;
}

void net_remember(Connection *connection) {
  int none = 0, error = errno;
  // RMW: the first one stays. The store of `sends` shows it to the other side
  // (net.h), and the turn to later calls of the same one
  if (breaks_off(error))
    __atomic_compare_exchange_n(&connection->broken, &none, error, false,
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  // What a call fails with once another one was told.
  if (error != EPIPE && error != ENOTCONN) return;
  // relaxed: as the RMW above. It chooses between two errors
  int broken = __atomic_load_n(&connection->broken, __ATOMIC_RELAXED);
  if (broken != 0) errno = broken;
}

void net_remember_end(Connection *connection, int fd) {
  int error = 0, failed = errno;
  socklen_t len = sizeof error;
  if (failed == ENOTCONN) getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
  errno = error != 0 ? error : failed;
  net_remember(connection);
}

ssize_t net_received_end(const Connection *connection) {
  // acquire: shows `broken`. Pairs with the release in net_sends
  bool sends = __atomic_load_n(&connection->sends, __ATOMIC_ACQUIRE);
  // relaxed: the acquire above shows it
  int broken = __atomic_load_n(&connection->broken, __ATOMIC_RELAXED);
  if (broken == 0 && !sends) return 0;
  errno = broken != 0 ? broken : EINTR;
  return -1;
}

// --- Layers -----------------------------------------------------------------
CspFd *csp_connection_fd(CspValue v) {
  const Connection *connection = csp_host_data(v, &net_connection_class);
  return connection == NULL ? NULL : connection->fd;
}

int csp_layer_on(CspValue v, const CspLayer *layer, void *state) {
  Connection *connection = csp_host_data(v, &net_connection_class);
  if (connection == NULL) return EINVAL;
  if (net_layer(connection) != NULL) return EISCONN;
  if (connection->in.len > connection->in.at || connection->has_gap)
    return EBUSY;
  connection->layer_state = state;
  // release: shows layer_state. Pairs with net_layer
  __atomic_store_n(&connection->layer, layer, __ATOMIC_RELEASE);
  return 0;
}

void *csp_layer_state(CspValue v, const CspLayer *layer) {
  const Connection *connection = csp_host_data(v, &net_connection_class);
  bool has = connection != NULL && net_layer(connection) == layer;
  return has ? connection->layer_state : NULL;
}

// --- Weight -----------------------------------------------------------------
// A connection's weight is what it holds outside of the heap: its buffer, of
// which the call with the turn to read tells, and its layer, of which any may.
// So two calls may tell the runtime of the sum at once:
//   1. add to `weight`   2. tell the runtime   3. look at `weight` by adding 0
// A call whose 3 finds another sum tells that, too. Of two calls, let the 3 of
// A be before the 1 of B. It releases and that acquires, so the runtime was
// told by A first. Else the 3 of A finds what B has added.
static int64_t add_weight(Connection *connection, int64_t more) {
  // acq_rel: pairs with itself, as above
  return __atomic_add_fetch(&connection->weight, more, __ATOMIC_ACQ_REL);
}

bool net_weigh(CspCall *call, CspValue v, int64_t more) {
  Connection *connection = csp_host_data(v, &net_connection_class);
  int64_t told, sum = add_weight(connection, more);
  do {
    told = sum;
    if (!csp_host_weight(call, v, (size_t)told)) return false;
    sum = add_weight(connection, 0);
  } while (sum != told);
  return true;
}

static int64_t set_layer_weight(Connection *connection, int64_t bytes) {
  // RMW: of two such calls each gives by how much it has changed this one, and
  // so they add up. acq_rel: pairs with itself, as in csp_layer_weight
  return bytes - __atomic_exchange_n(&connection->layer_weight, bytes,
                                     __ATOMIC_ACQ_REL);
}

// For a connection that is closed, or a layer for which there is no room.
static void weigh_no_layer(CspCall *call, CspValue v) {
  Connection *connection = csp_host_data(v, &net_connection_class);
  int64_t change = set_layer_weight(connection, 0);
  if (change != 0) net_weigh(call, v, change);
}

// Another thread may close the connection meanwhile, and then no weight stays:
//   this:  1. sets layer_weight   2. looks whether it is closed
//   close: 1. closes it           2. sets layer_weight to 0
// If the 1 of this comes after the 2 of close, it acquires what that released,
// and its 2 finds the end. Else the 2 of close has the last word.
bool csp_layer_weight(CspCall *call, CspValue v, size_t bytes) {
  const uint64_t most = (uint64_t)64 << 30;  // as of csp_host_weight
  Connection *connection = csp_host_data(v, &net_connection_class);
  if (connection == NULL) return false;
  int64_t now = (int64_t)(bytes < most ? bytes : most);
  bool fits = net_weigh(call, v, set_layer_weight(connection, now));
  if (!fits || csp_fd_number(connection->fd) < 0) weigh_no_layer(call, v);
  return fits;
}

// --- Errors, times ----------------------------------------------------------
static const char *error_text(int error, char *room, size_t size, int64_t ns) {
  char seconds[32];
  switch (error) {
    case NET_LATE:
      csp_format_seconds(ns, seconds);
      snprintf(room, size, "nothing happened for %s", seconds);
      return room;
    case NET_CLOSED:
      return "it was closed here";
    case NET_ENDED:
      return "the other side ended the connection before that was complete";
    case NET_NO_PROC:
      return os_no_proc;
    case NET_CUT:
      return "a write was not sent whole, and TLS must not tell the other side "
             "that all was: close the connection";
    case NET_QUEUED:
      return "another write has not begun, and TLS must not tell the other "
             "side before it that all was sent: call close_write after it, or "
             "close the connection";
    default:
      return system_error(error);
  }
}

static const char *error_code(int error) {
  if (error == NET_LATE) return "timeout";
  if (error == NET_NO_PROC) return "unsupported";
  if (error == NET_CLOSED || error == NET_ENDED) return "closed";
  if (error == NET_CUT || error == NET_QUEUED) return "closed";
  return csp_errno_code(error);
}

enum { WHY_TEXT = 512 };

static CspValue make_error(CspCall *call, const char *verb,
                           const NetAddress *where, const char *why,
                           const char *code) {
  char place[NET_ADDRESS_TEXT], text[NET_ADDRESS_TEXT + WHY_TEXT + 64];
  net_address_text(where, place);
  int len = snprintf(text, sizeof text, "cannot %s %s: %s", verb, place, why);
  return csp_error_coded(call, csp_string(call, text, (size_t)len), csp_nil(),
                         csp_string(call, code, strlen(code)));
}

CspStatus net_fail_alone(CspCall *call, const char *verb,
                         const NetAddress *where, int error, int64_t ns) {
  char room[64];
  const char *why = error_text(error, room, sizeof room, ns);
  return csp_ok(call, make_error(call, verb, where, why, error_code(error)));
}

CspStatus net_fail(CspCall *call, const char *verb, const NetAddress *where,
                   int error, int64_t ns) {
  csp_return(call, csp_nil());
  return net_fail_alone(call, verb, where, error, ns);
}

CspValue net_call_error(CspCall *call, const char *verb,
                        const Connection *connection, int error, int64_t ns) {
  const CspLayer *layer = error == EPROTO ? net_layer(connection) : NULL;
  char room[WHY_TEXT];
  const char *why = room,
             *code = layer != NULL ? layer->code : error_code(error);
  if (layer != NULL) {
    native_calls_host(call);
    layer->wrong(connection->layer_state, room, sizeof room);
  } else {
    why = error_text(error, room, sizeof room, ns);
  }
  return make_error(call, verb, &connection->remote, why, code);
}

int64_t net_until(CspCall *call, int64_t ns) {
  int64_t now = csp_monotonic(call);
  if (ns == 0) return 0;
  return ns > INT64_MAX - now ? INT64_MAX : now + ns;
}

static bool is_paced(const NetPace *pace) {
  return pace->since > 0 || pace->spent > 0;
}

// Bytes that the other side has taken since this was asked last. Where the
// system does not tell it is 0.
static int64_t newly_arrived(Connection *connection) {
  int fd = csp_fd_number(connection->fd), queued;
  if (fd < 0 || ioctl(fd, SIOCOUTQ, &queued) != 0) return 0;
  // (A layer and Unix sockets queue more than was given, for a while.)
  NetSent *sent = &connection->sent;
  int64_t newly = sent->given - queued - sent->arrived;
  if (newly <= 0) return 0;
  sent->arrived += newly;
  return newly;
}

int64_t net_pace_until(CspCall *call, Connection *connection, CspSide side,
                       int64_t *stall) {
  enum { LOOKS = 8 };  // at what the other side has taken
  NetPace *pace = &connection->pace[side];
  // relaxed, both: as in connection_stall
  *stall = __atomic_load_n(&connection->stall, __ATOMIC_RELAXED);
  if (*stall == 0) return 0;
  int64_t rate = __atomic_load_n(&connection->rate, __ATOMIC_RELAXED);
  if (side == CSP_READS && rate == 0) return net_until(call, *stall);
  if (side == CSP_WRITES && !is_paced(pace)) newly_arrived(connection);
  int64_t now = csp_monotonic(call);
  if (pace->since > 0) pace->spent += now - pace->since;
  pace->since = now;
  int64_t left = *stall - pace->spent;
  if (left <= 0) return now;
  if (side == CSP_WRITES && left > *stall / LOOKS) left = *stall / LOOKS + 1;
  return net_until(call, left);
}

// What of its side's time the bytes earn.
static void earn(CspCall *call, Connection *connection, NetPace *pace,
                 int64_t bytes) {
  // relaxed: as in connection_stall
  int64_t rate = __atomic_load_n(&connection->rate, __ATOMIC_RELAXED);
  if (pace->since > 0) pace->spent += csp_monotonic(call) - pace->since;
  pace->since = 0;
  double earned = rate == 0 ? 0 : (double)bytes * 1e9 / (double)rate;
  bool all = rate == 0 ? bytes > 0 : earned >= (double)pace->spent;
  pace->spent = all ? 0 : pace->spent - (int64_t)earned;
}

void net_was_read(CspCall *call, Connection *connection, size_t bytes) {
  NetPace *pace = &connection->pace[CSP_READS];
  if (is_paced(pace)) earn(call, connection, pace, (int64_t)bytes);
}

void net_was_sent(CspCall *call, Connection *connection, size_t bytes) {
  NetPace *pace = &connection->pace[CSP_WRITES];
  connection->sent.given += (int64_t)bytes;
  if (is_paced(pace)) earn(call, connection, pace, newly_arrived(connection));
}

CspStatus net_wait_to_send(CspCall *call, NetSending *sending) {
  int64_t until =
      net_pace_until(call, sending->connection, CSP_WRITES, &sending->stall);
  return net_wait(call, &sending->turn, until);
}

bool net_sending_goes_on(CspCall *call, NetTurn *turn) {
  Connection *connection = ((NetSending *)turn)->connection;
  NetPace *pace = &connection->pace[CSP_WRITES];
  earn(call, connection, pace, newly_arrived(connection));
  // relaxed: as in connection_stall
  int64_t stall = __atomic_load_n(&connection->stall, __ATOMIC_RELAXED);
  return stall == 0 || pace->spent < stall;
}

void net_sending_given_up(CspCall *call, NetTurn *turn) {
  net_was_sent(call, ((NetSending *)turn)->connection, 0);
}

bool net_need_time(CspCall *call, int i, int64_t *ns) {
  *ns = 0;
  return is_nil(call, i) || need_int_in(call, i, 0, INT64_MAX, ns);
}

// --- Methods ----------------------------------------------------------------
static void close_layer(CspCall *call, const Connection *connection) {
  const CspLayer *layer = net_layer(connection);
  if (layer != NULL) {
    native_calls_host(call);
    layer->close(connection->layer_state);
  }
  weigh_no_layer(call, csp_arg(call, 0));
}

// They are nothing that fails, so that `defer c.close()` needs no answer.
static CspStatus connection_close(CspCall *call) {
  Connection *connection = net_connection(call);
  if (connection == NULL) return CSP_PANIC;
  // A layer says good-bye, if that can be sent at once. But it must not say so
  // after a part of a text, which the other side would take for the whole.
  const CspLayer *layer = net_layer(connection);
  int fd = layer != NULL ? csp_fd_enter(connection->fd, CSP_WRITES) : -1;
  if (fd >= 0 && !net_is_cut(connection)) net_end(call, connection, fd);
  csp_fd_close(call, connection->fd);
  if (fd >= 0) csp_fd_leave(call, connection->fd, CSP_WRITES);
  close_layer(call, connection);
  return csp_ok_nothing(call);
}

static CspStatus connection_reset(CspCall *call) {
  Connection *connection = net_connection(call);
  if (connection == NULL) return CSP_PANIC;
  csp_fd_reset(call, connection->fd);
  close_layer(call, connection);
  return csp_ok_nothing(call);
}

static CspStatus give_address(CspCall *call, const NetAddress *address) {
  char text[NET_ADDRESS_TEXT];
  net_address_text(address, text);
  return csp_ok_string(call, text, strlen(text));
}

static CspStatus connection_local(CspCall *call) {
  const Connection *connection = net_connection(call);
  return connection == NULL ? CSP_PANIC
                            : give_address(call, &connection->local);
}

static CspStatus connection_remote(CspCall *call) {
  const Connection *connection = net_connection(call);
  return connection == NULL ? CSP_PANIC
                            : give_address(call, &connection->remote);
}

static CspStatus listener_address(CspCall *call) {
  const Listener *listener = net_listener(call);
  return listener == NULL ? CSP_PANIC : give_address(call, &listener->local);
}

static CspStatus connection_stall(CspCall *call) {
  Connection *connection = net_connection(call);
  int64_t ns, rate = 0;
  if (connection == NULL || !net_need_time(call, 1, &ns)) return CSP_PANIC;
  if (!is_nil(call, 2) && !need_int_in(call, 2, 0, 1 << 30, &rate))
    return CSP_PANIC;
  // relaxed, both: they bound how long waits take (net_pace_until), and show
  // nothing else. A wait that begins meanwhile may see one of them new and one
  // old
  __atomic_store_n(&connection->rate, rate, __ATOMIC_RELAXED);
  __atomic_store_n(&connection->stall, ns, __ATOMIC_RELAXED);
  return csp_ok_nothing(call);
}

static CspStatus connection_incoming(CspCall *call) {
  const Connection *connection = net_connection(call);
  int64_t n = 0;
  if (connection == NULL) return CSP_PANIC;
  if (!is_nil(call, 1) && !need_int_in(call, 1, 0, 1 << 20, &n))
    return CSP_PANIC;
  CspValue argv[] = {csp_arg(call, 0), csp_int(call, n)};
  return csp_tail_named(call, "_incoming", 2, argv);
}

static CspStatus listener_serve(CspCall *call) {
  int64_t most = 10000;
  if (net_listener(call) == NULL) return CSP_PANIC;
  if (!is_nil(call, 2) && !need_int_in(call, 2, 1, 1 << 27, &most))
    return CSP_PANIC;
  if (csp_type(csp_arg(call, 1)) != CSP_FUNC)
    return csp_bad_arg(call, 1, "a function");
  CspValue argv[] = {csp_arg(call, 0), csp_arg(call, 1), csp_int(call, most)};
  return csp_tail_named(call, "_serve", 3, argv);
}

static const CspFunction connection_methods[] = {
    {"write", "connection, pieces...", net_write},
    CSP_REPEATABLE,
    {"close", "connection", connection_close},
    {"reset", "connection", connection_reset},
    {"local", "connection", connection_local},
    {"remote", "connection", connection_remote},
    {"stall", "connection, limit, rate = 0", connection_stall},
    {"read", "connection, most = 65_536", net_read},
    {"read_bytes", "connection, most = 65_536", net_read_bytes},
    {"read_exact", "connection, n", net_read_exact},
    {"read_line", "connection, most = 64_000", net_read_line},
    {"read_until", "connection, end, most = 64_000", net_read_until},
    {"close_write", "connection", net_close_write},
    {"incoming", "connection, n = 0", connection_incoming},
    {NULL, NULL, NULL},
};

// Needs no memory.
static CspStatus listener_is_closed(CspCall *call) {
  Listener *listener = net_listener(call);
  if (listener == NULL) return CSP_PANIC;
  return csp_ok_bool(call, csp_fd_number(listener->fd) < 0);
}

static const CspFunction listener_methods[] = {
    CSP_REPEATABLE,
    {"accept", "listener", net_accept},
    {"close", "listener", net_stop_listening},
    {"address", "listener", listener_address},
    {"serve", "listener, handler, most = 10_000", listener_serve},
    {"_is_closed", "listener", listener_is_closed},
    {NULL, NULL, NULL},
};

static const CspFunction net_functions[] = {
    CSP_REPEATABLE,
    {"split", "address", net_split},
    CSP_NEEDS(CSP_NET),
    {"_dial", "address, timeout", net_dial},
    {"listen", "address", net_listen},
    {"udp", "address, peer = nil", net_udp},
    {"_lookup", "name", net_lookup},
    {"_given_dns", "", net_given_dns},
    {"_split_name", "address", net_split_name},
    {NULL, NULL, NULL},
};

static CspStatus net_complain(CspCall *call) {
  Str line;
  if (!need_str(call, 0, &line)) return CSP_PANIC;
  return stderr_write_line(call, csp_arg(call, 0));
}

static const CspFunction net_hidden[] = {
    {"_complain", "line", net_complain},
    {"_file_state", "file", os_file_state},
    {"_give_dns", "addresses", net_give_dns},
    {"_send_file", "connection, file, from, count", net_send_file},
    CSP_NEEDS(CSP_FILES),
    {"_open_real", "path", os_open_real},
    {NULL, NULL, NULL},
};

static void add_net_classes(CspCall *call, CspValue module) {
  (void)module;
  Csp *csp = csp_of(call);
  if (!csp_register_class(csp, &net_connection_class, connection_methods) ||
      !csp_register_class(csp, &net_listener_class, listener_methods) ||
      !csp_register_class(csp, &net_udp_class, net_udp_methods))
    csp_panic_memory(call);
}

const CspModule net_module = {"net", net_functions, add_net_classes, NULL, 0};

bool net_install(Csp *csp) {
  return csp_register_builtins(csp, net_hidden) &&
         csp_register_class(csp, &net_given_class, NULL);
}
