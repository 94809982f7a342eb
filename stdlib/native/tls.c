// SPDX-License-Identifier: MIT
// The native module tls: TLS on connections of the module net, over OpenSSL.
// tls.csp has the part in the language.
//
// A Tls is a connection's layer (CspLayer) from the beginning of the handshake
// on. What always holds:
//   - OpenSSL reads and writes the socket through a BIO of ours, which never
//     blocks. What the socket does not take is kept, and goes out before
//     anything else does. So a read never has to wait for room to write, and a
//     write has no state of its own in OpenSSL.
//   - Two threads may read and write at once, but an SSL serves one: `lock`.
//   - Closing frees the SSL under that lock. After that each call gives EAGAIN,
//     and the wait that follows finds that the connection is closed.
//   - A failed send does not stop reads, as the other side may have said why.
//   - A connection whose handshake did not succeed is of no use any more. So
//     nobody sends in the clear what was meant for TLS.
#include "stdlib/native/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "stdlib/native/tls_csp.h"
#include "vm/csp.h"

// --- The handshake -----------------------------------------------------------
typedef enum ShakeNext {
  SHAKE_OVER,
  SHAKE_READS,
  SHAKE_WRITES,
  SHAKE_AGAIN,  // others run first
  SHAKE_FAILED,
} ShakeNext;

// It has the turns of both sides, or of those that it has got so far.
typedef struct Shake {
  CspFd *fd;
  Tls *tls;
  bool held[2];
  bool is_laid;  // tls is the connection's
} Shake;

static ShakeNext shake_once(Tls *tls, int number) {
  ShakeNext next = SHAKE_FAILED;
  if (!tls_lock(tls, number)) {
    bool closed = tls->ssl == NULL;
    tls_unlock(tls);
    return closed ? SHAKE_READS : SHAKE_FAILED;
  }
  int result = SSL_do_handshake(tls->ssl);
  int kind = SSL_get_error(tls->ssl, result);
  if (result == 1)
    next = SHAKE_OVER;
  else if (kind == SSL_ERROR_WANT_READ)
    next = tls->paused ? SHAKE_AGAIN : SHAKE_READS;
  else if (kind == SSL_ERROR_WANT_WRITE)
    next = SHAKE_WRITES;
  else
    tls_problem(tls);
  tls_flush(tls);
  if (next != SHAKE_FAILED && tls->at < tls->len) next = SHAKE_WRITES;
  if (next == SHAKE_OVER) tls->ready = true;
  tls_unlock(tls);
  return next;
}

static void shake_end(CspCall *call, Shake *shake) {
  Tls *tls = shake->tls;
  if (shake->is_laid && !tls->ready) {
    pthread_mutex_lock(&tls->lock);
    if (!tls->failed && tls->wrong[0] == '\0')
      tls_say(tls, "the handshake was not completed");
    tls->failed = true;
    pthread_mutex_unlock(&tls->lock);
  }
  if (!shake->is_laid) tls_layer.finalize(tls);
  if (shake->held[CSP_WRITES]) csp_fd_leave(call, shake->fd, CSP_WRITES);
  if (shake->held[CSP_READS]) csp_fd_leave(call, shake->fd, CSP_READS);
}

static CspStatus shake_fails(CspCall *call, Shake *shake, const char *code,
                             const char *why) {
  CspValue text = csp_string(call, why, strlen(why));
  shake_end(call, shake);
  return csp_ok(call, csp_error_coded(call, text, csp_nil(),
                                      csp_string(call, code, strlen(code))));
}

static CspStatus shake_closed(CspCall *call, Shake *shake) {
  return shake_fails(call, shake, "closed", "it was closed here");
}

static CspStatus shake_failed(CspCall *call, Shake *shake) {
  char why[TLS_WRONG];
  int error = shake->tls->recv_error;
  tls_layer.wrong(shake->tls, why, sizeof why);
  if (error == 0) return shake_fails(call, shake, "tls", why);
  return shake_fails(call, shake, csp_errno_code(error),
                     strerrordesc_np(error));
}

static CspStatus shake_step(CspCall *call, void *data, bool on);

static CspStatus shake_go(CspCall *call, Shake *shake) {
  int64_t begun = csp_monotonic(call);
  int number = csp_fd_number(shake->fd);
  if (number < 0) return shake_closed(call, shake);
  ShakeNext next = shake_once(shake->tls, number);
  csp_spent(call, (uint64_t)(csp_monotonic(call) - begun));
  if (next == SHAKE_FAILED) return shake_failed(call, shake);
  if (next == SHAKE_OVER) {
    shake_end(call, shake);
    return csp_ok(call, csp_nil());
  }
  if (next != SHAKE_AGAIN)
    csp_when_ready(call, shake->fd,
                   next == SHAKE_READS ? CSP_READS : CSP_WRITES, 0);
  return csp_again(call, shake_step, shake, sizeof *shake, 0);
}

static CspStatus shake_step(CspCall *call, void *data, bool on) {
  if (on) return shake_go(call, data);
  shake_end(call, data);
  return CSP_PANIC;
}

// Argument 0 has a layer until it is closed. false: there is no room for it.
static bool tls_weigh(CspCall *call) {
  CspValue connection = csp_arg(call, 0);
  return csp_layer_weight(call, connection, TLS_WEIGHT) ||
         (csp_make_room(call) &&
          csp_layer_weight(call, connection, TLS_WEIGHT));
}

static CspStatus shake_enter(CspCall *call, Shake *shake);

static CspStatus shake_entered(CspCall *call, void *data, bool on) {
  Shake *shake = data;
  bool *held = &shake->held[shake->held[CSP_READS] ? CSP_WRITES : CSP_READS];
  *held = on && csp_ready(call) == CSP_FD_READY;
  if (*held) return shake_enter(call, shake);
  if (on) return shake_closed(call, shake);
  shake_end(call, shake);
  return CSP_PANIC;
}

static CspStatus shake_enter(CspCall *call, Shake *shake) {
  for (CspSide side = CSP_READS; side <= CSP_WRITES; side++) {
    if (shake->held[side]) continue;
    if (csp_fd_enter(shake->fd, side) < 0) {
      csp_when_entered(call, shake->fd, side);
      return csp_again(call, shake_entered, shake, sizeof *shake, 0);
    }
    shake->held[side] = true;
  }
  int error = csp_layer_on(csp_arg(call, 0), &tls_layer, shake->tls);
  shake->is_laid = error == 0;
  if (error == EISCONN)
    return shake_fails(call, shake, "exists", "it has TLS already");
  if (error != 0)
    return shake_fails(call, shake, "tls",
                       "something was received before TLS, and not read");
  if (tls_weigh(call)) return shake_go(call, shake);
  shake_end(call, shake);
  return csp_panic_memory(call);
}

// --- Beginning it ------------------------------------------------------------
// The name that is sent (SNI), and that the certificate has to be for.
static bool set_host(Tls *tls) {
  unsigned char ip[16];
  if (tls->host[0] == '\0') return true;
  X509_VERIFY_PARAM *rules = SSL_get0_param(tls->ssl);
  if (inet_pton(AF_INET, tls->host, ip) == 1 ||
      inet_pton(AF_INET6, tls->host, ip) == 1)
    return X509_VERIFY_PARAM_set1_ip_asc(rules, tls->host) == 1;
  return SSL_set1_host(tls->ssl, tls->host) == 1 &&
         SSL_set_tlsext_host_name(tls->ssl, tls->host) == 1;
}

static bool tls_begin(Tls *tls, TlsConfig *config, const TlsAlpn *alpn,
                      bool insecure) {
  tls->ssl = tls_new_ssl(config, tls);
  if (tls->ssl == NULL) return false;
  if (tls->is_server) {
    SSL_set_accept_state(tls->ssl);
    return true;
  }
  SSL_set_connect_state(tls->ssl);
  if (insecure) SSL_set_verify(tls->ssl, SSL_VERIFY_NONE, NULL);
  if (alpn->len > 0 &&
      SSL_set_alpn_protos(tls->ssl, alpn->names, (unsigned)alpn->len) != 0)
    return false;
  return set_host(tls);
}

// Argument 2: a name without the dot that may end it, or nil.
static bool need_host(CspCall *call, char host[TLS_HOST]) {
  const char *text = "";
  size_t len = 0;
  CspValue v = csp_arg(call, 2);
  if (csp_type(v) != CSP_NIL && !csp_need_string(call, 2, &text, &len))
    return false;
  if (len > 1 && text[len - 1] == '.') len--;
  bool ok = len < TLS_HOST && memchr(text, '\0', len) == NULL;
  if (csp_type(v) != CSP_NIL && len == 0) ok = false;
  if (!ok) {
    csp_bad_arg(call, 2, "the name of a host");
    return false;
  }
  memcpy(host, text, len);
  host[len] = '\0';
  return true;
}

// _handshake(connection, config, server_name, alpn, insecure): nil or an error.
// insecure has to be a bool, so that "false" is none.
static CspStatus tls_handshake(CspCall *call) {
  TlsConfig *config = tls_need_config(call, 1);
  Shake shake = {.fd = csp_connection_fd(csp_arg(call, 0))};
  char host[TLS_HOST];
  TlsAlpn alpn;
  if (shake.fd == NULL) return csp_bad_arg(call, 0, "a connection");
  if (config == NULL || !need_host(call, host) ||
      !tls_need_alpn(call, 3, &alpn))
    return CSP_PANIC;
  CspValue insecure = csp_arg(call, 4);
  if (csp_type(insecure) != CSP_NIL &&
      !csp_need_type(call, 4, CSP_BOOL, &insecure))
    return CSP_PANIC;
  Tls *tls = csp_alloc(csp_of(call), NULL, sizeof *tls);
  if (tls == NULL) return csp_panic_memory(call);
  memset(tls, 0, sizeof *tls);
  tls->csp = csp_of(call);
  tls->is_server = tls_is_server(config);
  memcpy(tls->host, host, sizeof host);
  pthread_mutex_init(&tls->lock, NULL);
  shake.tls = tls;
  if (tls_begin(tls, config, &alpn, csp_truthy(insecure)))
    return shake_enter(call, &shake);
  tls_layer.finalize(tls);
  return csp_panic_memory(call);
}

// --- What a connection has ---------------------------------------------------
static CspValue text_value(CspCall *call, const char *text) {
  return text == NULL ? csp_nil() : csp_string(call, text, strlen(text));
}

static CspValue ns_of(CspCall *call, const ASN1_TIME *at) {
  struct tm parts;
  if (ASN1_TIME_to_tm(at, &parts) != 1) return csp_nil();
  int64_t seconds = timegm(&parts), ns;
  if (__builtin_mul_overflow(seconds, (int64_t)1000000000, &ns))
    ns = seconds < 0 ? INT64_MIN : INT64_MAX;
  return csp_int(call, ns);
}

static CspValue names_of(CspCall *call, X509 *x509) {
  GENERAL_NAMES *names =
      X509_get_ext_d2i(x509, NID_subject_alt_name, NULL, NULL);
  CspValue list = csp_list(call, 0);
  for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
    char one[TLS_HOST];
    if (!tls_host_name(sk_GENERAL_NAME_value(names, i), one)) continue;
    if (!csp_list_push(call, list, text_value(call, one))) break;
  }
  GENERAL_NAMES_free(names);
  return list;
}

static CspValue fingerprint_of(CspCall *call, const X509 *x509) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  char hex[2 * EVP_MAX_MD_SIZE + 1];
  unsigned len = 0;
  if (X509_digest(x509, EVP_sha256(), digest, &len) != 1) return csp_nil();
  for (unsigned i = 0; i < len; i++)
    snprintf(hex + 2 * i, 3, "%02x", digest[i]);
  return csp_string(call, hex, 2 * len);
}

static CspValue certificate_of(CspCall *call, X509 *x509) {
  char subject[1024], issuer[1024];
  unsigned long flags = XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB;
  CspValue map = csp_map(call, 6);
  if (x509 == NULL) return csp_nil();
  tls_name_text(X509_get_subject_name(x509), flags, subject, sizeof subject);
  tls_name_text(X509_get_issuer_name(x509), flags, issuer, sizeof issuer);
  bool ok =
      csp_map_set_name(call, map, "subject", text_value(call, subject)) &&
      csp_map_set_name(call, map, "issuer", text_value(call, issuer)) &&
      csp_map_set_name(call, map, "names", names_of(call, x509)) &&
      csp_map_set_name(call, map, "not_before",
                       ns_of(call, X509_get0_notBefore(x509))) &&
      csp_map_set_name(call, map, "not_after",
                       ns_of(call, X509_get0_notAfter(x509))) &&
      csp_map_set_name(call, map, "fingerprint", fingerprint_of(call, x509));
  return ok ? map : csp_nil();
}

static bool add_info(CspCall *call, CspValue map, const SSL *ssl) {
  const unsigned char *protocol;
  unsigned len;
  SSL_get0_alpn_selected(ssl, &protocol, &len);
  CspValue alpn =
      len == 0 ? csp_nil() : csp_string(call, (const char *)protocol, len);
  const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  return csp_map_set_name(call, map, "version",
                          text_value(call, SSL_get_version(ssl))) &&
         csp_map_set_name(call, map, "cipher",
                          text_value(call, SSL_get_cipher_name(ssl))) &&
         csp_map_set_name(call, map, "alpn", alpn) &&
         csp_map_set_name(call, map, "server_name", text_value(call, name)) &&
         csp_map_set_name(call, map, "resumed",
                          csp_bool(SSL_session_reused(ssl) == 1)) &&
         csp_map_set_name(call, map, "certificate",
                          certificate_of(call, SSL_get0_peer_certificate(ssl)));
}

// info(connection): a map, or nil without TLS.
static CspStatus tls_info(CspCall *call) {
  CspValue v = csp_arg(call, 0);
  if (csp_connection_fd(v) == NULL) return csp_bad_arg(call, 0, "a connection");
  Tls *tls = csp_layer_state(v, &tls_layer);
  if (tls == NULL) return csp_ok(call, csp_nil());
  CspValue map = csp_map(call, 6);
  pthread_mutex_lock(&tls->lock);
  bool ready = tls->ready && tls->ssl != NULL,
       ok = !ready || add_info(call, map, tls->ssl);
  pthread_mutex_unlock(&tls->lock);
  if (!ok) return CSP_PANIC;
  return csp_ok(call, ready ? map : csp_nil());
}

// --- The module --------------------------------------------------------------
static const CspFunction tls_functions[] = {
    CSP_REPEATABLE,
    CSP_NEEDS(CSP_NET),
    {"config", "certificate, key = nil, client_roots = nil, alpn = nil",
     tls_server_config},
    {"info", "connection", tls_info},
    {"_client_config", "certificate, key, roots", tls_client_config},
    {"_handshake", "connection, config, server_name, alpn, insecure",
     tls_handshake},
    {NULL, NULL, NULL}};

static void tls_init(CspCall *call, CspValue module) {
  (void)module;
  if (!tls_register(csp_of(call))) csp_panic_memory(call);
}

static const CspModule tls_module = {"tls", tls_functions, tls_init,
                                     (const char *)text_tls,
                                     sizeof text_tls - 1};
static const CspNative tls_native = {CSP_API, &tls_module};

CSP_MODULE(tls) { return &tls_native; }
