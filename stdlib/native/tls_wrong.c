// SPDX-License-Identifier: MIT
// Texts about what is wrong: what a certificate says, and why a handshake or a
// call has failed.
#include "stdlib/native/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_TEXT = 120 };  // bytes of a name in messages

// --- Certificates as text ----------------------------------------------------
// What is not printable ASCII becomes '?'.
static void tls_show(char *text) {
  for (; *text != '\0'; text++)
    if (*text < ' ' || *text > '~') *text = '?';
}

static void bio_text(BIO *bio, char *to, size_t room) {
  int n = bio == NULL ? 0 : BIO_read(bio, to, (int)room - 1);
  to[n > 0 ? n : 0] = '\0';
  BIO_free(bio);
}

void tls_name_text(const X509_NAME *name, unsigned long flags, char *to,
                   size_t room) {
  BIO *bio = BIO_new(BIO_s_mem());
  if (bio != NULL) X509_NAME_print_ex(bio, name, 0, flags);
  bio_text(bio, to, room);
}

static void time_as_text(const ASN1_TIME *at, char *to, size_t room) {
  BIO *bio = BIO_new(BIO_s_mem());
  if (bio != NULL) ASN1_TIME_print_ex(bio, at, ASN1_DTFLGS_ISO8601);
  bio_text(bio, to, room);
}

bool tls_host_name(const GENERAL_NAME *name, char to[TLS_HOST]) {
  int type;
  const ASN1_STRING *value = GENERAL_NAME_get0_value(name, &type);
  if (type != GEN_DNS && type != GEN_IPADD) return false;
  const unsigned char *data = ASN1_STRING_get0_data(value);
  int len = ASN1_STRING_length(value);
  if (type == GEN_DNS)
    snprintf(to, TLS_HOST, "%.*s", len, (const char *)data);
  else if (len == 4 || len == 16)
    inet_ntop(len == 4 ? AF_INET : AF_INET6, data, to, TLS_HOST);
  else
    return false;
  tls_show(to);
  return true;
}

static void host_names(X509 *x509, char *to, size_t room) {
  GENERAL_NAMES *names =
      X509_get_ext_d2i(x509, NID_subject_alt_name, NULL, NULL);
  size_t len = 0;
  snprintf(to, room, "no name");
  for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
    char one[TLS_HOST];
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
    if (!tls_host_name(name, one) || len >= room) continue;
    len += (size_t)snprintf(to + len, room - len, "%s%s", len > 0 ? ", " : "",
                            one);
  }
  GENERAL_NAMES_free(names);
}

// --- What is wrong -----------------------------------------------------------
void tls_say(Tls *tls, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(tls->wrong, sizeof tls->wrong, format, list);
  va_end(list);
}

static void say_times(Tls *tls, const char *whose, X509 *x509, int error) {
  char at[NAME_TEXT];
  bool late = error == X509_V_ERR_CERT_HAS_EXPIRED;
  time_as_text(late ? X509_get0_notAfter(x509) : X509_get0_notBefore(x509), at,
               sizeof at);
  tls_say(tls, "%s %s %s", whose, late ? "expired at" : "is not valid before",
          at);
}

static void say_names(Tls *tls, const char *whose, X509 *x509) {
  char names[NAME_TEXT];
  host_names(x509, names, sizeof names);
  tls_say(tls, "%s is for another host: for %s, not for %.100s", whose, names,
          tls->host);
}

static void say_refused(Tls *tls, const char *whose, X509 *x509, int error) {
  char issuer[NAME_TEXT];
  tls_name_text(X509_get_issuer_name(x509), XN_FLAG_RFC2253, issuer,
                sizeof issuer);
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
      say_times(tls, whose, x509, error);
      break;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      say_names(tls, whose, x509);
      break;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      tls_say(tls, "%s is self-signed, and not among the roots", whose);
      break;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      tls_say(tls, "%s is of an unknown authority, %s", whose, issuer);
      break;
    default:
      tls_say(tls, "%s is refused: %s", whose,
              X509_verify_cert_error_string(error));
  }
}

// Tells of the first one that is refused, and ends the handshake.
int tls_verify_step(int ok, X509_STORE_CTX *store) {
  int index = SSL_get_ex_data_X509_STORE_CTX_idx();
  SSL *ssl = X509_STORE_CTX_get_ex_data(store, index);
  Tls *tls = SSL_get_app_data(ssl);
  X509 *x509 = X509_STORE_CTX_get_current_cert(store);
  char whose[NAME_TEXT + 64], name[NAME_TEXT];
  if (ok || x509 == NULL) return ok;
  tls_name_text(X509_get_subject_name(x509), XN_FLAG_RFC2253, name,
                sizeof name);
  snprintf(whose, sizeof whose, "the %s's certificate%s (%s)",
           tls->is_server ? "client" : "server",
           X509_STORE_CTX_get_error_depth(store) > 0 ? "'s authority" : "",
           name);
  say_refused(tls, whose, x509, X509_STORE_CTX_get_error(store));
  return 0;
}

static const struct Reason {
  int reason;
  const char *text;
} reasons[] = {
    {SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, "the client sent no certificate"},
    {SSL_R_HTTP_REQUEST, "the other side sent a request of HTTP without TLS"},
    {SSL_R_WRONG_VERSION_NUMBER, "what the other side sent is no TLS"},
    {SSL_R_PACKET_LENGTH_TOO_LONG, "what the other side sent is no TLS"},
    {SSL_R_UNSUPPORTED_PROTOCOL,
     "the other side has no version of TLS from 1.2 on"},
    {SSL_R_NO_SHARED_CIPHER, "both sides have no cipher in common"},
    {SSL_R_NO_APPLICATION_PROTOCOL,
     "both sides have no protocol in common (ALPN)"},
};

void tls_say_reason(Tls *tls) {
  unsigned long code = ERR_peek_last_error();
  int reason = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0;
  const char *text = ERR_reason_error_string(code);
  if (reason == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    tls_say(tls, tls->ready
                     ? "the other side ended the connection without saying "
                       "so in TLS (close_notify), so data may be missing"
                     : "the other side ended the connection during the "
                       "handshake");
    return;
  }
  if (reason >= SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256) {
    const char *alert = text == NULL ? NULL : strstr(text, "alert ");
    tls_say(tls, "the other side refused: %s",
            alert != NULL ? alert + strlen("alert ") : "an alert");
    return;
  }
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (reasons[i].reason == reason) {
      tls_say(tls, "%s", reasons[i].text);
      return;
    }
  tls_say(tls, "%s", text != NULL ? text : "TLS has failed");
}
