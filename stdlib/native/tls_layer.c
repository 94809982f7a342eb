// SPDX-License-Identifier: MIT
// The layer of a connection. Through it OpenSSL decrypts what the socket
// receives and encrypts what scripts write.
#include "stdlib/native/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>
#include <sys/socket.h>

enum {
  KEPT_MOST = 1 << 16,  // bytes
  RECVS = 8,            // of one call: others run then
};

// --- What is sent ------------------------------------------------------------
static void drop_kept(Tls *tls) {
  csp_alloc_free(tls->kept);
  tls->kept = NULL;
  tls->at = tls->len = tls->cap = 0;
}

// How many bytes the socket has taken. After an error it takes all, for nobody.
static size_t send_now(Tls *tls, const unsigned char *from, size_t len) {
  ssize_t n = -1;
  if (tls->send_error != 0) return len;
  do n = send(tls->number, from, len, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  if (n >= 0) return (size_t)n;
  if (errno == EAGAIN) return 0;
  // After a read that was told, a send only gets EPIPE.
  bool is_told = errno == EPIPE && tls->recv_error != 0;
  tls->send_error = is_told ? tls->recv_error : errno;
  return len;
}

int tls_flush(Tls *tls) {
  while (tls->at < tls->len) {
    size_t n = send_now(tls, tls->kept + tls->at, tls->len - tls->at);
    if (n == 0) break;
    tls->at += n;
  }
  errno = tls->send_error != 0 ? tls->send_error : EAGAIN;
  if (tls->at < tls->len) return -1;
  if (tls->kept != NULL) drop_kept(tls);
  return tls->send_error != 0 ? -1 : 0;
}

static bool keep(Tls *tls, const unsigned char *from, size_t len) {
  size_t left = tls->len - tls->at;
  if (left + len > KEPT_MOST) return false;
  if (tls->at > 0) memmove(tls->kept, tls->kept + tls->at, left);
  tls->at = 0;
  tls->len = left;
  if (left + len > tls->cap) {
    unsigned char *more = csp_alloc(tls->csp, tls->kept, left + len);
    if (more == NULL) return false;
    tls->kept = more;
    tls->cap = left + len;
  }
  memcpy(tls->kept + left, from, len);
  tls->len += len;
  return true;
}

// --- The BIO -----------------------------------------------------------------
static int bio_write(BIO *bio, const char *from, int len) {
  Tls *tls = BIO_get_data(bio);
  const unsigned char *bytes = (const unsigned char *)from;
  size_t all = (size_t)len, sent = 0;
  BIO_clear_retry_flags(bio);
  tls_flush(tls);
  if (tls->at == tls->len) sent = send_now(tls, bytes, all);
  if (sent == all || keep(tls, bytes + sent, all - sent)) return len;
  if (sent > 0) return (int)sent;
  BIO_set_retry_write(bio);
  return -1;
}

static int bio_read(BIO *bio, char *to, int room) {
  Tls *tls = BIO_get_data(bio);
  ssize_t n = -1;
  BIO_clear_retry_flags(bio);
  errno = EAGAIN;
  tls->paused = tls->recvs == 0;
  if (!tls->paused) {
    tls->recvs--;
    do n = recv(tls->number, to, (size_t)room, 0);
    while (n < 0 && errno == EINTR);
    // The system has told a send what has broken it off, and tells it once.
    if (n == 0 && tls->send_error != 0 && tls->send_error != EPIPE) {
      n = -1;
      errno = tls->send_error;
    }
  }
  if (n < 0 && errno == EAGAIN)
    BIO_set_retry_read(bio);
  else if (n < 0)
    tls->recv_error = errno;
  if (n == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return (int)n;
}

static long bio_control(BIO *bio, int command, long number, void *data) {
  (void)number;
  (void)data;
  if (command == BIO_CTRL_EOF)
    return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
  return command == BIO_CTRL_FLUSH;
}

static int bio_create(BIO *bio) {
  BIO_set_init(bio, 1);
  return 1;
}

BIO_METHOD *tls_bio_method(void) {
  int type = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK;
  BIO_METHOD *bio = BIO_meth_new(type, "connection");
  if (bio == NULL) return NULL;
  BIO_meth_set_write(bio, bio_write);
  BIO_meth_set_read(bio, bio_read);
  BIO_meth_set_ctrl(bio, bio_control);
  BIO_meth_set_create(bio, bio_create);
  return bio;
}

// --- The layer ---------------------------------------------------------------
bool tls_lock(Tls *tls, int number) {
  pthread_mutex_lock(&tls->lock);
  tls->number = number;
  tls->recvs = RECVS;
  ERR_clear_error();
  errno = tls->ssl == NULL ? EAGAIN : EPROTO;
  return tls->ssl != NULL && !tls->failed;
}

void tls_unlock(Tls *tls) {
  int error = errno;
  pthread_mutex_unlock(&tls->lock);
  errno = error;
}

int tls_problem(Tls *tls) {
  int kind = SSL_get_error(tls->ssl, 0);
  if (kind == SSL_ERROR_ZERO_RETURN) return 0;
  if (kind == SSL_ERROR_WANT_READ) {
    errno = tls->paused ? EINTR : EAGAIN;
    return -1;
  }
  if (tls->recv_error != 0) {
    errno = tls->recv_error;
    return -1;
  }
  tls->failed = true;
  if (kind == SSL_ERROR_WANT_WRITE)
    tls_say(tls, "the other side takes nothing of what TLS has to answer");
  else if (tls->wrong[0] == '\0')
    tls_say_reason(tls);
  errno = EPROTO;
  return -1;
}

static int64_t layer_over(Tls *tls, int64_t result) {
  tls_unlock(tls);
  return result;
}

static int64_t layer_read(void *state, int number, void *to, size_t room) {
  Tls *tls = state;
  size_t count = 0;
  if (!tls_lock(tls, number)) return layer_over(tls, -1);
  tls_flush(tls);
  if (tls->recv_error != 0) {
    errno = tls->recv_error;
    return layer_over(tls, -1);
  }
  bool done = SSL_read_ex(tls->ssl, to, room, &count) == 1;
  return layer_over(tls, done ? (int64_t)count : tls_problem(tls));
}

static int64_t layer_write(void *state, int number, const void *from,
                           size_t len) {
  Tls *tls = state;
  size_t count = 0;
  if (!tls_lock(tls, number) || tls_flush(tls) != 0) return layer_over(tls, -1);
  // A write after close_write fails as without TLS, and the reads go on.
  if (len > 0 && (SSL_get_shutdown(tls->ssl) & SSL_SENT_SHUTDOWN) != 0) {
    errno = EPIPE;
    return layer_over(tls, -1);
  }
  // Nothing is sent that would tell what a read was told.
  if (len == 0 && tls->recv_error != 0) {
    errno = tls->recv_error;
    return layer_over(tls, -1);
  }
  if (len > 0 && SSL_write_ex(tls->ssl, from, len, &count) != 1)
    return layer_over(tls, tls_problem(tls));
  errno = tls->send_error;
  return layer_over(tls, tls->send_error != 0 ? -1 : (int64_t)count);
}

// The socket stays open for what the other side still sends, and answers to it.
static int layer_end(void *state, int number) {
  Tls *tls = state;
  if (!tls_lock(tls, number)) return (int)layer_over(tls, -1);
  if ((SSL_get_shutdown(tls->ssl) & SSL_SENT_SHUTDOWN) == 0)
    SSL_shutdown(tls->ssl);
  return (int)layer_over(tls, tls_flush(tls));
}

static void layer_wrong(void *state, char *to, size_t room) {
  Tls *tls = state;
  pthread_mutex_lock(&tls->lock);
  snprintf(to, room, "%s", tls->wrong);
  pthread_mutex_unlock(&tls->lock);
}

// An SSL does not wait for a collection, as its memory may be wanted now.
static void layer_close(void *state) {
  Tls *tls = state;
  pthread_mutex_lock(&tls->lock);
  SSL_free(tls->ssl);
  tls->ssl = NULL;
  drop_kept(tls);
  pthread_mutex_unlock(&tls->lock);
}

static void layer_finalize(void *state) {
  Tls *tls = state;
  layer_close(tls);
  pthread_mutex_destroy(&tls->lock);
  csp_alloc_free(tls);
}

const CspLayer tls_layer = {"tls",       layer_read,  layer_write,   layer_end,
                            layer_wrong, layer_close, layer_finalize};
