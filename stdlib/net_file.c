// SPDX-License-Identifier: MIT
// Sending a part of an open file by a connection, without a copy in between
// (sendfile). Reading the file may have to wait for a disk, so each piece is a
// blocking call. The call has the turn of the writing side all the while, and
// waits for room in the socket without a thread.
//
// It gives (sent, err). If it has sent less than all without an error, the
// caller reads and writes the rest. That is so where the connection has a layer
// such as TLS, where no thread is left, where the system cannot send this kind
// of file, or where the file ended too early.
//
//   try -> blocking call -> [waits, or lets others run] -> try
//
// The state is a NetFile. It is copied to the C memory of a SendJob for the
// blocking call, and back.
#include <errno.h>
#include <sys/sendfile.h>

#include "stdlib/net.h"
#include "stdlib/os_file.h"

typedef struct NetFile {
  NetSending sending;
  File *file;
  int64_t at, end, sent;
} NetFile;

typedef struct SendJob {
  NetFile send;
  int number;  // of the connection
  ssize_t taken;
  int error;  // errno
} SendJob;

// --- The blocking call ------------------------------------------------------
static void send_piece(void *data) {
  SendJob *job = data;
  File *file = job->send.file;
  Connection *connection = job->send.sending.connection;
  int64_t left = job->send.end - job->send.at;
  off_t at = job->send.at;
  pthread_mutex_lock(&file->lock);
  job->error = file->open ? 0 : EBADF;
  if (file->open) {
    size_t len = left < FILE_PIECE ? (size_t)left : FILE_PIECE;
    net_sends(connection, true);
    job->taken = sendfile(job->number, file->fd, &at, len);
    if (job->taken < 0) {
      net_remember(connection);
      job->error = errno;
    }
    net_sends(connection, false);
  }
  pthread_mutex_unlock(&file->lock);
}

static void send_work(void *data) { os_quietly(send_piece, data); }

// --- Between two of them ----------------------------------------------------
static CspStatus give_sent(CspCall *call, NetFile *send) {
  net_leave(call, &send->sending.turn);
  csp_return(call, csp_int(call, send->sent));
  return csp_ok(call, csp_nil());
}

static CspStatus fail_send(CspCall *call, NetTurn *turn, int error) {
  const NetFile *send = (NetFile *)turn;
  csp_return(call, csp_int(call, send->sent));
  return csp_ok(call, net_call_error(call, "write to", send->sending.connection,
                                     error, send->sending.stall));
}

static CspStatus try_to_send_file(CspCall *call, NetTurn *turn);

static CspStatus piece_sent(CspCall *call, void *data, bool made) {
  enum { CALL_COST = 3000 };  // ns
  SendJob *job = data;
  NetFile send = job->send;
  int error = job->error;
  size_t taken = made && !error ? (size_t)job->taken : 0;
  csp_alloc_free(job);
  if (made && error == EAGAIN) return net_wait_to_send(call, &send.sending);
  if (made && error == EINTR) return net_later(call, &send.sending.turn);
  bool is_other_kind = error == EINVAL || error == ENOSYS;
  if (made && error && !is_other_kind)
    return net_failed(call, &send.sending.turn, error);
  if (taken == 0) return give_sent(call, &send);
  net_was_sent(call, send.sending.connection, taken);
  send.at += (int64_t)taken;
  send.sent += (int64_t)taken;
  if (send.at == send.end) return give_sent(call, &send);
  if (csp_spent(call, CALL_COST + taken / 8))
    return net_later(call, &send.sending.turn);
  return try_to_send_file(call, &send.sending.turn);
}

static CspStatus try_to_send_file(CspCall *call, NetTurn *turn) {
  NetFile *send = (NetFile *)turn;
  int number = csp_fd_number(turn->fd);
  if (number < 0) return net_failed(call, turn, NET_CLOSED);
  if (net_layer(send->sending.connection) != NULL) return give_sent(call, send);
  SendJob *job = alloc_zeroed(csp_of(call), sizeof *job);
  if (job == NULL) {
    net_leave(call, turn);
    return csp_panic_memory(call);
  }
  job->send = *send;
  job->number = number;
  return csp_block(call, send_work, piece_sent, job);
}

static const NetWay sending_file = {CSP_WRITES,           sizeof(NetFile),
                                    try_to_send_file,     fail_send,
                                    net_sending_given_up, net_sending_goes_on};

CspStatus net_send_file(CspCall *call) {
  Connection *connection = net_connection(call);
  if (connection == NULL) return CSP_PANIC;
  File *file = csp_host_data(csp_arg(call, 1), &os_file_class);
  if (file == NULL) return csp_bad_arg(call, 1, "an open file");
  int64_t from, count;
  if (!need_int_in(call, 2, 0, INT64_MAX / 2, &from) ||
      !need_int_in(call, 3, 0, INT64_MAX / 2, &count))
    return CSP_PANIC;
  NetTurn turn = {csp_nil(), &sending_file, connection->fd, false};
  NetFile send = {.sending = {turn, connection, 0},
                  .file = file,
                  .at = from,
                  .end = from + count};
  return net_begin(call, &send.sending.turn);
}
