// SPDX-License-Identifier: MIT
// What the files of the native module tls show each other.
#ifndef CSP_STDLIB_NATIVE_TLS_H
#define CSP_STDLIB_NATIVE_TLS_H

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>

#include "vm/csp.h"

enum {
  TLS_WRONG = 400,  // bytes of a message
  TLS_HOST = 256,   // of a host's name, with the NUL
  TLS_ALPN = 1024,  // of all protocols
  // What a connection holds, about: an idle one has 14 KB, and 17 KB more for
  // each record that was received or sent in part.
  TLS_WEIGHT = 40 << 10,
};

// A connection's layer, from the beginning of the handshake on.
typedef struct Tls {
  Csp *csp;
  pthread_mutex_t lock;  // guards what follows
  SSL *ssl;              // NULL: closed here
  bool is_server;
  bool ready;           // the handshake is over
  bool failed;          // `wrong` tells why
  int number;           // the socket, during a call
  int recvs;            // that the call may make yet
  bool paused;          // it may make none, though there may be more
  int recv_error;       // errno, or 0
  int send_error;       // what is to be sent since then is dropped
  unsigned char *kept;  // what the socket did not take: kept[at..len)
  size_t at, len, cap;
  char host[TLS_HOST];  // of the certificate. "": any
  char wrong[TLS_WRONG];
} Tls;

// Protocols, as TLS writes them.
typedef struct TlsAlpn {
  size_t len;
  unsigned char names[TLS_ALPN];
} TlsAlpn;

typedef struct TlsConfig TlsConfig;

// --- tls_layer.c ------------------------------------------------------------
extern const CspLayer tls_layer;
// How a BIO of ours works. NULL: out of memory.
BIO_METHOD *tls_bio_method(void);
// What each use of the SSL stands between. false: the layer has failed, and
// errno is EPROTO, or it is closed, and errno is EAGAIN. tls_unlock keeps
// errno.
bool tls_lock(Tls *tls, int number);
void tls_unlock(Tls *tls);
// Sends what is kept. 0, or -1 and errno: EAGAIN where something is left.
int tls_flush(Tls *tls);
// After a call of OpenSSL that has failed: 0 at the end of what is read, else
// -1 and errno.
int tls_problem(Tls *tls);

// --- tls_wrong.c ------------------------------------------------------------
void tls_say(Tls *tls, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// For the error that OpenSSL has queued.
void tls_say_reason(Tls *tls);
// OpenSSL calls it for each certificate that is looked at.
int tls_verify_step(int ok, X509_STORE_CTX *store);
void tls_name_text(const X509_NAME *name, unsigned long flags, char *to,
                   size_t room);
// One of a certificate's names, for hosts. false: it is of another kind.
bool tls_host_name(const GENERAL_NAME *name, char to[TLS_HOST]);

// --- tls_config.c -----------------------------------------------------------
bool tls_register(Csp *csp);  // the class of configs. false: no memory
// Argument i. NULL, false: the call has panicked.
TlsConfig *tls_need_config(CspCall *call, int i);
bool tls_need_alpn(CspCall *call, int i, TlsAlpn *alpn);
bool tls_is_server(const TlsConfig *config);
// An SSL whose BIO has `tls`. NULL: out of memory.
SSL *tls_new_ssl(TlsConfig *config, Tls *tls);
CspStatus tls_client_config(CspCall *call);
CspStatus tls_server_config(CspCall *call);

#endif
