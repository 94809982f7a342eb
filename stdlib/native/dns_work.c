// SPDX-License-Identifier: MIT
// The module dns: what c-ares does, in csp_block. It reads the system's files
// there, and sends, receives and reads messages. None of it waits.
//
// c-ares makes its sockets by the functions here, and tells which it waits for.
// They are in an epoll descriptor of the query, for which the goroutine waits.
// The runtime is told only once that this descriptor got ready. So a piece of
// work goes on until no socket has anything left.
#include <arpa/nameser.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "stdlib/native/dns.h"

// --- Sockets ----------------------------------------------------------------
static bool lacks_room(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS ||
         error == ENOMEM;
}

static ares_socket_t open_socket(int family, int type, int protocol,
                                 void *data) {
  DnsQuery *query = data;
  int flags = SOCK_NONBLOCK | SOCK_CLOEXEC;
  int fd = csp_above_streams(socket(family, type | flags, protocol));
  if (fd < 0 && lacks_room(errno)) query->error = errno;
  return fd;
}

static int close_socket(ares_socket_t fd, void *data) {
  (void)data;
  return close(fd);
}

static int connect_socket(ares_socket_t fd, const struct sockaddr *address,
                          ares_socklen_t len, void *data) {
  (void)data;
  return connect(fd, address, len);
}

// What c-ares hands to its function for recvfrom.
#define RECEIVE_PARAMETERS                                                   \
  ares_socket_t fd, void *to, size_t room, int flags, struct sockaddr *from, \
      ares_socklen_t *len, void *data

// c-ares receives until nothing is there. A server that never stops is left
// after some, so that the query's time is looked at.
static ares_ssize_t receive(RECEIVE_PARAMETERS) {
  enum { MOST = 64 };
  DnsQuery *query = data;
  if (query->received++ < MOST) return recvfrom(fd, to, room, flags, from, len);
  query->more = true;
  errno = EAGAIN;
  return -1;
}

static ares_ssize_t send_all(ares_socket_t fd, const struct iovec *pieces,
                             int count, void *data) {
  (void)data;
  struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)pieces,
                           .msg_iovlen = (size_t)count};
  return sendmsg(fd, &message, MSG_NOSIGNAL);
}

static const struct ares_socket_functions socket_functions = {
    open_socket, close_socket, connect_socket, receive, send_all};

// What c-ares waits for at a socket, or nothing: it is about to be closed.
static void watch_socket(void *data, ares_socket_t fd, int read, int write) {
  DnsQuery *query = data;
  struct epoll_event event = {
      .events = (read ? EPOLLIN : 0u) | (write ? EPOLLOUT : 0u), .data.fd = fd};
  if (event.events == 0) {
    epoll_ctl(query->sockets, EPOLL_CTL_DEL, fd, NULL);
    return;
  }
  int done = epoll_ctl(query->sockets, EPOLL_CTL_MOD, fd, &event);
  if (done != 0 && errno == ENOENT)
    done = epoll_ctl(query->sockets, EPOLL_CTL_ADD, fd, &event);
  if (done != 0) query->error = errno;
}

// --- Results ----------------------------------------------------------------
static void end_query(DnsQuery *query, int status) {
  query->over = true;
  query->status = status;
}

static void got_addresses(void *data, int status, int timeouts,
                          struct ares_addrinfo *found) {
  (void)timeouts;
  DnsQuery *query = data;
  if (query->over) {
    ares_freeaddrinfo(found);
    return;
  }
  query->found = found;
  end_query(query, status);
}

static void got_records(void *data, int status, int timeouts,
                        unsigned char *answer, int len) {
  (void)timeouts;
  DnsQuery *query = data;
  if (query->over) return;
  if (status == ARES_SUCCESS) {
    query->answer = csp_alloc(query->csp, NULL, (size_t)len);
    if (query->answer == NULL) status = ARES_ENOMEM;
  }
  if (status == ARES_SUCCESS)
    memcpy(query->answer, answer, (size_t)(query->len = len));
  end_query(query, status);
}

// --- nsswitch.conf ----------------------------------------------------------
// Whether the line has other words than `files` and `dns`. What stands in
// brackets is one.
static bool names_others(char *line) {
  char *state;
  line[strcspn(line, "#\n")] = '\0';
  for (char *word = strtok_r(line, " \t", &state); word != NULL;
       word = strtok_r(NULL, " \t", &state))
    if (strcmp(word, "files") != 0 && strcmp(word, "dns") != 0) return true;
  return false;
}

// Whether getaddrinfo asks others about names of hosts. Without that file it
// does not.
static bool is_foreign(void) {
  static const char hosts[] = "hosts:";
  char line[1024];
  bool foreign = false;
  FILE *file = fopen("/etc/nsswitch.conf", "re");
  if (file == NULL) return false;
  while (fgets(line, sizeof line, file) != NULL) {
    char *text = line + strspn(line, " \t");
    if (strncmp(text, hosts, sizeof hosts - 1) == 0)
      foreign = names_others(text + sizeof hosts - 1);
  }
  fclose(file);
  return foreign;
}

// --- Work -------------------------------------------------------------------
static void note_pause(DnsQuery *query) {
  struct timeval left, *least = ares_timeout(query->channel, NULL, &left);
  query->pause = least == NULL ? -1
                               : (int64_t)least->tv_sec * 1000000000 +
                                     (int64_t)least->tv_usec * 1000;
}

// ARES_SUCCESS, and the channel is there.
static int make_channel(DnsQuery *query) {
  struct ares_options options = {.sock_state_cb = watch_socket,
                                 .sock_state_cb_data = query};
  query->sockets = csp_above_streams(epoll_create1(EPOLL_CLOEXEC));
  if (query->sockets < 0) {
    query->error = errno;
    return ARES_ENOMEM;
  }
  int status =
      ares_init_options(&query->channel, &options, ARES_OPT_SOCK_STATE_CB);
  if (status != ARES_SUCCESS) {
    query->channel = NULL;
    return status;
  }
  ares_set_socket_functions(query->channel, &socket_functions, query);
  if (query->server[0] == '\0') return ARES_SUCCESS;
  return ares_set_servers_ports_csv(query->channel, query->server);
}

void dns_start(void *data) {
  DnsQuery *query = data;
  query->foreign = !query->any && is_foreign();
  if (query->foreign) return;
  int status = make_channel(query);
  if (status != ARES_SUCCESS) {
    end_query(query, status);
    return;
  }
  struct ares_addrinfo_hints hints = {.ai_family = AF_UNSPEC,
                                      .ai_socktype = SOCK_STREAM};
  if (query->type == 0)
    ares_getaddrinfo(query->channel, query->name, NULL, &hints, got_addresses,
                     query);
  else
    ares_query(query->channel, query->name, ns_c_in, query->type, got_records,
               query);
  note_pause(query);
}

// The sockets that are ready. How many.
static int process_ready(DnsQuery *query) {
  enum { EVENTS = 16 };
  struct epoll_event events[EVENTS];
  int count = epoll_wait(query->sockets, events, EVENTS, 0);
  for (int i = 0; i < count; i++) {
    int fd = events[i].data.fd;
    bool writes = (events[i].events & EPOLLOUT) != 0;
    bool reads = (events[i].events & ~(uint32_t)EPOLLOUT) != 0;
    ares_process_fd(query->channel, reads ? fd : ARES_SOCKET_BAD,
                    writes ? fd : ARES_SOCKET_BAD);
  }
  return count;
}

void dns_go_on(void *data) {
  enum { ROUNDS = 16 };
  DnsQuery *query = data;
  query->more = false;
  query->received = 0;
  ares_process_fd(query->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
  for (int i = 0; !query->over && !query->more; i++) {
    if (i == ROUNDS) query->more = true;
    if (process_ready(query) <= 0) break;
  }
  note_pause(query);
}

void dns_free(CspCall *call, DnsQuery *query) {
  // What c-ares says about its end is for nobody.
  query->over = true;
  if (query->channel != NULL) ares_destroy(query->channel);
  if (query->fd != NULL) csp_fd_leave(call, query->fd, CSP_READS);
  if (query->fd != NULL)
    csp_fd_free(query->fd);
  else if (query->sockets >= 0)
    close(query->sockets);
  ares_freeaddrinfo(query->found);
  csp_alloc_free(query->answer);
  csp_alloc_free(query);
}
