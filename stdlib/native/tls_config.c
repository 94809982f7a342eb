// SPDX-License-Identifier: MIT
// Configs: the certificates and keys of one side, as OpenSSL has them.
//
// An SSL_CTX is made in csp_block's work, because files are read there. A
// reload makes another one, and connections keep theirs.
#include "stdlib/native/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PEM_MOST = 1 << 20 };  // bytes of a text or file

// --- Of the process ----------------------------------------------------------
static struct TlsProcess {
  pthread_once_t once;
  BIO_METHOD *bio;       // NULL: out of memory
  int alpn_index;        // of SSL_CTX_get_ex_data: an TlsAlpn
  pthread_mutex_t lock;  // guards what follows
  X509_STORE *roots;     // of the system, once they are loaded
} process = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static void alpn_free(void *parent, void *alpn, CRYPTO_EX_DATA *data, int index,
                      long number, void *arg) {
  (void)parent, (void)data, (void)index, (void)number, (void)arg;
  OPENSSL_free(alpn);
}

// OpenSSL frees nothing at exit, where other threads may still use it. So this
// is the first call of it: ERR_clear_error, too, would have it install that.
static void process_begin(void) {
  if (OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, NULL) != 1) return;
  process.alpn_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, alpn_free);
  if (process.alpn_index >= 0) process.bio = tls_bio_method();
}

// Where systems have their roots, after what the environment says.
static bool load_system_roots(X509_STORE *roots) {
  const char *const files[] = {"/etc/ssl/certs/ca-certificates.crt",
                               "/etc/pki/tls/certs/ca-bundle.crt",
                               "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};
  bool is_set = getenv(X509_get_default_cert_file_env()) != NULL ||
                getenv(X509_get_default_cert_dir_env()) != NULL;
  for (size_t i = 0; !is_set && i < sizeof files / sizeof *files; i++)
    if (X509_STORE_load_file(roots, files[i]) == 1) return true;
  return X509_STORE_set_default_paths(roots) == 1;
}

// Without any, each certificate is of an unknown authority. NULL: no memory.
static X509_STORE *system_roots(void) {
  pthread_mutex_lock(&process.lock);
  if (process.roots == NULL) {
    process.roots = X509_STORE_new();
    if (process.roots != NULL) load_system_roots(process.roots);
  }
  pthread_mutex_unlock(&process.lock);
  return process.roots;
}

// --- Certificates and keys ---------------------------------------------------
enum { PEM_CERTIFICATE, PEM_KEY, PEM_ROOTS, PEMS };

// The arguments that a TlsConfig is made of: paths, or texts in PEM.
typedef struct Pems {
  char *text[PEMS];  // with a NUL after them, or NULL
  size_t len[PEMS];
} Pems;

struct TlsConfig {
  pthread_mutex_t lock;  // guards what follows, as a reload changes it
  SSL_CTX *context;
  Pems pems;
  // They never change.
  bool is_server;
  TlsAlpn alpn;  // of a server
};

// What csp_block's work makes of the arguments.
typedef struct Build {
  Csp *csp;
  TlsConfig *config;  // an argument; or NULL for a new one
  bool is_server, files;
  Pems pems;
  TlsAlpn alpn;
  SSL_CTX *context;  // or NULL
  int error;         // an errno. `wrong` tells of EPROTO
  char wrong[TLS_WRONG];
} Build;

static const char *const pem_names[] = {"certificate", "key", "roots"};

static bool is_pem(const char *text) {
  return strstr(text, "-----BEGIN ") != NULL;
}

static void pems_drop(Pems *pems) {
  for (int i = 0; i < PEMS; i++) {
    if (i == PEM_KEY && pems->text[i] != NULL)
      OPENSSL_cleanse(pems->text[i], pems->len[i]);
    csp_alloc_free(pems->text[i]);
    pems->text[i] = NULL;
  }
}

static bool pem_copy(Csp *csp, Pems *to, int i, const char *text, size_t len) {
  to->text[i] = csp_alloc(csp, NULL, len + 1);
  if (to->text[i] == NULL) return false;
  memcpy(to->text[i], text, len);
  to->text[i][len] = '\0';
  to->len[i] = len;
  return true;
}

static void build_says(Build *build, int i, const char *what) {
  const char *text = build->pems.text[i];
  build->error = EPROTO;
  snprintf(build->wrong, sizeof build->wrong, "%s%s%.200s: %s", pem_names[i],
           is_pem(text) ? "" : " ", is_pem(text) ? "" : text, what);
}

static void build_fails(Build *build, int i, int error) {
  build_says(build, i, strerrordesc_np(error));
  build->error = error;
}

// A regular file's bytes, at most PEM_MOST. NULL: `build` says why.
static char *read_pem(Build *build, int i, size_t *len) {
  struct stat info;
  int fd = csp_open_path(build->csp, build->pems.text[i],
                         O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
  if (fd < 0) return build_fails(build, i, errno), NULL;
  bool fits = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
              info.st_size <= PEM_MOST;
  char *text = fits ? csp_alloc(build->csp, NULL, PEM_MOST) : NULL;
  ssize_t n = 1;
  for (*len = 0; text != NULL && n > 0 && *len < PEM_MOST; *len += (size_t)n)
    if ((n = read(fd, text + *len, PEM_MOST - *len)) < 0) break;
  if (!fits)
    build_says(build, i, "no file of at most 1,048,576 bytes");
  else if (text == NULL || n < 0)
    build_fails(build, i, text == NULL ? ENOMEM : errno);
  close(fd);
  if (n >= 0) return text;
  csp_alloc_free(text);
  return NULL;
}

// A BIO of the PEM, and what it reads. NULL: `build` says why.
static BIO *open_pem(Build *build, int i, char **own, size_t *len) {
  char *text = build->pems.text[i];
  *own = NULL;
  *len = build->pems.len[i];
  if (!is_pem(text)) {
    if (!build->files) return build_fails(build, i, EPERM), NULL;
    text = *own = read_pem(build, i, len);
    if (text == NULL) return NULL;
  }
  return BIO_new_mem_buf(text, (int)*len);
}

static void close_pem(BIO *bio, char *own, size_t len) {
  BIO_free(bio);
  if (own != NULL) OPENSSL_cleanse(own, len);
  csp_alloc_free(own);
}

// No key is asked for at the terminal.
static int no_password(char *to, int room, int writes, void *data) {
  (void)to, (void)room, (void)writes, (void)data;
  return -1;
}

// --- Contexts ----------------------------------------------------------------
static bool use_certificate(SSL_CTX *context, X509 *x509, int at) {
  if (at == 0) return SSL_CTX_use_certificate(context, x509) == 1;
  return SSL_CTX_add1_chain_cert(context, x509) == 1;
}

// Roots of a server are those of its clients, which it names to them.
static bool use_root(SSL_CTX *context, X509 *x509, bool is_server) {
  return X509_STORE_add_cert(SSL_CTX_get_cert_store(context), x509) == 1 &&
         (!is_server || SSL_CTX_add_client_CA(context, x509) == 1);
}

static void use_certificates(Build *build, int i) {
  char *own;
  size_t len;
  BIO *bio = open_pem(build, i, &own, &len);
  int count = 0;
  bool ok = bio != NULL;
  X509 *x509;
  while (ok && (x509 = PEM_read_bio_X509(bio, NULL, no_password, NULL))) {
    ok = i == PEM_ROOTS ? use_root(build->context, x509, build->is_server)
                        : use_certificate(build->context, x509, count);
    X509_free(x509);
    count++;
  }
  bool over = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const char *why = ERR_reason_error_string(ERR_peek_last_error());
  if (bio != NULL && ok && count == 0 && over)
    build_says(build, i, "there is no certificate in PEM");
  else if (bio != NULL && !(ok && over))
    build_says(build, i, why != NULL ? why : "no certificate");
  ERR_clear_error();
  close_pem(bio, own, len);
}

static void use_key(Build *build) {
  int i = build->pems.text[PEM_KEY] != NULL ? PEM_KEY : PEM_CERTIFICATE;
  char *own;
  size_t len;
  BIO *bio = open_pem(build, i, &own, &len);
  if (bio == NULL) return;
  EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
  int reason = ERR_GET_REASON(ERR_peek_last_error());
  if (key == NULL)
    build_says(build, i,
               reason == PEM_R_BAD_PASSWORD_READ
                   ? "the key is encrypted, which is not supported"
                   : "there is no key in PEM");
  else if (SSL_CTX_use_PrivateKey(build->context, key) != 1)
    build_says(build, i, "the key is not the certificate's");
  EVP_PKEY_free(key);
  ERR_clear_error();
  close_pem(bio, own, len);
}

// The server's first protocol that the client has, too.
static int choose_protocol(SSL *ssl, const unsigned char **out,
                           unsigned char *len, const unsigned char *theirs,
                           unsigned their_len, void *arg) {
  unsigned char *found;
  (void)arg;
  const TlsAlpn *alpn =
      SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), process.alpn_index);
  if (SSL_select_next_proto(&found, len, alpn->names, (unsigned)alpn->len,
                            theirs, their_len) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = found;
  return SSL_TLSEXT_ERR_OK;
}

static bool set_protocols(Build *build) {
  if (build->alpn.len == 0) return true;
  TlsAlpn *alpn = OPENSSL_memdup(&build->alpn, sizeof build->alpn);
  if (alpn == NULL) return false;
  SSL_CTX_set_alpn_select_cb(build->context, choose_protocol, NULL);
  return SSL_CTX_set_ex_data(build->context, process.alpn_index, alpn) == 1;
}

static SSL_CTX *new_context(bool is_server) {
  static const unsigned char name[] = "cspvm";
  if (process.bio == NULL) return NULL;
  SSL_CTX *context =
      SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
  if (context == NULL) return NULL;
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 1);
  SSL_CTX_set_session_id_context(context, name, sizeof name - 1);
  X509_VERIFY_PARAM *rules = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_hostflags(rules,
                                  X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
                                      X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return context;
}

static void build_work(void *data) {
  Build *build = data;
  bool has_roots = build->pems.text[PEM_ROOTS] != NULL;
  bool has_own = build->pems.text[PEM_CERTIFICATE] != NULL;
  bool verifies = has_roots || !build->is_server;
  X509_STORE *roots = NULL;
  pthread_once(&process.once, process_begin);
  ERR_clear_error();
  build->error = ENOMEM;
  build->context = new_context(build->is_server);
  if (build->context == NULL || !set_protocols(build)) return;
  if (verifies && !has_roots && (roots = system_roots()) == NULL) return;
  if (roots != NULL) SSL_CTX_set1_cert_store(build->context, roots);
  SSL_CTX_set_verify(build->context,
                     verifies
                         ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
                         : SSL_VERIFY_NONE,
                     tls_verify_step);
  build->error = 0;
  if (has_own) use_certificates(build, PEM_CERTIFICATE);
  if (has_own && !build->error) use_key(build);
  if (has_roots && !build->error) use_certificates(build, PEM_ROOTS);
}

// --- Configs -----------------------------------------------------------------
static void config_finalize(void *data) {
  TlsConfig *config = data;
  if (config->context == NULL) return;
  SSL_CTX_free(config->context);
  pems_drop(&config->pems);
  pthread_mutex_destroy(&config->lock);
}

static const CspClass config_class = {"tls_config", config_finalize,
                                      sizeof(TlsConfig), NULL};

static void build_free(Build *build) {
  SSL_CTX_free(build->context);
  pems_drop(&build->pems);
  csp_alloc_free(build);
}

// What was built becomes the config's.
static void config_take(TlsConfig *config, Build *build) {
  SSL_CTX *old = config->context;
  Pems pems = config->pems;
  config->context = build->context;
  config->pems = build->pems;
  build->context = old;
  build->pems = pems;
}

static CspStatus new_config(CspCall *call, Build *build) {
  TlsConfig *config;
  CspValue v = csp_host_new(call, &config_class, (void **)&config);
  if (!csp_is_undef(v)) {
    pthread_mutex_init(&config->lock, NULL);
    config->is_server = build->is_server;
    config->alpn = build->alpn;
    config_take(config, build);
  }
  build_free(build);
  return csp_ok_value(call, v);
}

static CspStatus build_done(CspCall *call, void *data, bool made) {
  Build *build = data;
  TlsConfig *config = build->config;
  if (made && build->error == 0 && config == NULL)
    return new_config(call, build);
  if (made && build->error == 0) {
    pthread_mutex_lock(&config->lock);
    config_take(config, build);
    pthread_mutex_unlock(&config->lock);
    build_free(build);
    return csp_ok(call, csp_nil());
  }
  const char *code = "tls";
  if (build->error != EPROTO) code = csp_errno_code(build->error);
  char text[TLS_WRONG + 64];
  const char *why = made ? build->wrong : csp_no_thread();
  // A client's configuration is made by functions that put their names before.
  bool names = build->is_server || config != NULL;
  snprintf(text, sizeof text, "%s%s%s", names ? csp_name(call) : "",
           names ? ": " : "", why);
  bool no_memory = made && build->error == ENOMEM;
  build_free(build);
  if (no_memory) return csp_panic_memory(call);
  CspValue error = csp_error_coded(
      call, csp_string(call, text, strlen(text)), csp_nil(),
      csp_string(call, made ? code : "limit", strlen(made ? code : "limit")));
  if (config == NULL) csp_return(call, csp_nil());
  return csp_ok(call, error);
}

// --- Arguments ---------------------------------------------------------------
// Argument i, a path or a text in PEM, or nil. false: panicked.
static bool need_pem(CspCall *call, int i, Csp *csp, Pems *pems, int which) {
  const char *text;
  size_t len;
  if (csp_type(csp_arg(call, i)) == CSP_NIL) return true;
  if (!csp_need_string(call, i, &text, &len)) return false;
  if (len == 0 || len > PEM_MOST || memchr(text, '\0', len) != NULL) {
    csp_bad_arg(call, i, "a path or a text in PEM of at most 1,048,576 bytes");
    return false;
  }
  if (pem_copy(csp, pems, which, text, len)) return true;
  csp_panic_memory(call);
  return false;
}

// Argument i, a list of names, or nil for none.
bool tls_need_alpn(CspCall *call, int i, TlsAlpn *alpn) {
  CspValue list = csp_arg(call, i);
  bool is_list = csp_type(list) == CSP_LIST, ok = true;
  alpn->len = 0;
  for (size_t at = 0; ok && is_list && at < csp_list_len(list); at++) {
    CspValue name = csp_list_get(list, at);
    size_t len = 0;
    const char *text =
        csp_type(name) == CSP_STRING ? csp_to_string(name, &len) : NULL;
    ok = text != NULL && len > 0 && len < 256 && alpn->len + len < TLS_ALPN;
    if (!ok) break;
    alpn->names[alpn->len] = (unsigned char)len;
    memcpy(alpn->names + alpn->len + 1, text, len);
    alpn->len += len + 1;
  }
  if (csp_type(list) == CSP_NIL || (is_list && ok)) return true;
  csp_bad_arg(call, i, "a list of protocols, some 1,000 bytes at most");
  return false;
}

static Build *build_new(CspCall *call) {
  Build *build = csp_alloc(csp_of(call), NULL, sizeof *build);
  if (build == NULL) {
    csp_panic_memory(call);
    return NULL;
  }
  memset(build, 0, sizeof *build);
  build->csp = csp_of(call);
  build->files = csp_allows(csp_of(call), CSP_FILES);
  return build;
}

static CspStatus build_config(CspCall *call, bool is_server) {
  Build *build = build_new(call);
  if (build == NULL) return CSP_PANIC;
  build->is_server = is_server;
  bool ok = need_pem(call, 0, build->csp, &build->pems, PEM_CERTIFICATE) &&
            need_pem(call, 1, build->csp, &build->pems, PEM_KEY) &&
            need_pem(call, 2, build->csp, &build->pems, PEM_ROOTS) &&
            (!is_server || tls_need_alpn(call, 3, &build->alpn));
  if (ok) return csp_block(call, build_work, build_done, build);
  build_free(build);
  return CSP_PANIC;
}

CspStatus tls_client_config(CspCall *call) { return build_config(call, false); }

CspStatus tls_server_config(CspCall *call) {
  if (csp_type(csp_arg(call, 0)) == CSP_NIL)
    return csp_bad_arg(call, 0, "a string");
  return build_config(call, true);
}

TlsConfig *tls_need_config(CspCall *call, int i) {
  TlsConfig *config = csp_host_data(csp_arg(call, i), &config_class);
  if (config == NULL) csp_bad_arg(call, i, "a config of tls");
  return config;
}

// config.reload(certificate, key): what is not given stays.
static CspStatus config_reload(CspCall *call) {
  TlsConfig *config = tls_need_config(call, 0);
  Build *build = config == NULL ? NULL : build_new(call);
  if (build == NULL) return CSP_PANIC;
  build->config = config;
  build->is_server = config->is_server;
  build->alpn = config->alpn;
  bool ok = need_pem(call, 1, build->csp, &build->pems, PEM_CERTIFICATE) &&
            need_pem(call, 2, build->csp, &build->pems, PEM_KEY);
  pthread_mutex_lock(&config->lock);
  bool memory = true;
  for (int i = 0; ok && memory && i < PEMS; i++)
    if (build->pems.text[i] == NULL && config->pems.text[i] != NULL)
      memory = pem_copy(build->csp, &build->pems, i, config->pems.text[i],
                        config->pems.len[i]);
  pthread_mutex_unlock(&config->lock);
  if (ok && memory) return csp_block(call, build_work, build_done, build);
  build_free(build);
  return ok ? csp_panic_memory(call) : CSP_PANIC;
}

static const CspFunction config_methods[] = {
    {"reload", "config, certificate = nil, key = nil", config_reload},
    {NULL, NULL, NULL}};

bool tls_register(Csp *csp) {
  return csp_register_class(csp, &config_class, config_methods);
}

// --- For connections ---------------------------------------------------------
bool tls_is_server(const TlsConfig *config) { return config->is_server; }

SSL *tls_new_ssl(TlsConfig *config, Tls *tls) {
  BIO *bio = BIO_new(process.bio);
  pthread_mutex_lock(&config->lock);
  SSL *ssl = bio == NULL ? NULL : SSL_new(config->context);
  pthread_mutex_unlock(&config->lock);
  if (ssl == NULL) {
    BIO_free(bio);
    return NULL;
  }
  BIO_set_data(bio, tls);
  SSL_set_bio(ssl, bio, bio);
  SSL_set_app_data(ssl, tls);
  return ssl;
}
