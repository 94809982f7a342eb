// SPDX-License-Identifier: MIT
// The module postgres: addresses and connecting.
//
// What libpq would take from the environment and from files is given to it here
// in full, so that it looks at neither. Hosts have their addresses already.
//
// PQconnectPoll may take long, as it derives keys from passwords as often as
// the server says, within bounds (postgres_asked.c). So it is called in
// csp_block. Between its calls no thread waits. Its socket may be another one
// each time, and then has perhaps the same number. So each wait watches a
// duplicate of its own.
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stdlib/native/postgres.h"

// --- Addresses --------------------------------------------------------------
// _parse(url): (a list of names and values in turn, nil) or (nil, error).
CspStatus pg_parse(CspCall *call) {
  const char *text;
  size_t len;
  char *wrong = NULL;
  if (!csp_need_string(call, 0, &text, &len)) return CSP_PANIC;
  if (memchr(text, '\0', len) != NULL || len > 65536)
    return csp_bad_arg(call, 0, "an address without NUL of at most 64 KB");
  PgPlain plain = pg_plain_begin();
  PQconninfoOption *all = PQconninfoParse(text, &wrong);
  pg_plain_end(plain);
  if (all == NULL) {
    int end = wrong != NULL ? (int)strcspn(wrong, "\n") : 0;
    CspStatus status = csp_ok_coded(call, "invalid", "postgres.open: %.*s", end,
                                    wrong != NULL ? wrong : "");
    PQfreemem(wrong);
    return status;
  }
  CspValue list = csp_list(call, 0);
  bool well = !csp_is_undef(list);
  for (const PQconninfoOption *one = all; well && one->keyword != NULL; one++)
    if (one->val != NULL)
      well =
          csp_list_push(call, list,
                        csp_string(call, one->keyword, strlen(one->keyword))) &&
          csp_list_push(call, list,
                        csp_string(call, one->val, strlen(one->val)));
  PQconninfoFree(all);
  return well ? csp_ok_value(call, list) : csp_panic_memory(call);
}

// What an option is that the address does not name, besides libpq's defaults.
static const char *pg_default(const PQconninfoOption *option) {
  static const char none[] = "/dev/null/none";  // which no file can be
  static const char *const table[][2] = {
      {"passfile", none},
      {"sslcert", none},
      {"sslkey", none},
      {"sslrootcert", none},
      {"sslcrl", none},
      {"gssencmode", "disable"},
      {"keepalives", "1"},
      {"keepalives_idle", "60"},
      {"keepalives_interval", "10"},
      {"keepalives_count", "6"},
      {"tcp_user_timeout", "0"},
      {"client_encoding", "UTF8"},
      {"fallback_application_name", "cspvm"}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (strcmp(table[i][0], option->keyword) == 0) return table[i][1];
  return option->compiled != NULL ? option->compiled : "";
}

static const char *pg_given(CspValue list, const char *keyword) {
  size_t len;
  for (size_t i = 0; i + 1 < csp_list_len(list); i += 2)
    if (strcmp(csp_to_string(csp_list_get(list, i), &len), keyword) == 0)
      return csp_to_string(csp_list_get(list, i + 1), &len);
  return NULL;
}

// keyword='value', with a backslash before quotes and backslashes.
static bool pg_put_option(CspCall *call, PgParams *text, const char *keyword,
                          const char *value) {
  bool well = pg_put(call, text, keyword, strlen(keyword)) &&
              pg_put(call, text, "='", 2);
  for (; well && *value != '\0'; value++) {
    if (*value == '\'' || *value == '\\') well = pg_put(call, text, "\\", 1);
    well = well && pg_put(call, text, value, 1);
  }
  return well && pg_put(call, text, "' ", 2);
}

// All options, so that libpq has none to look for. NULL: panicked.
static char *pg_all_options(CspCall *call, CspValue list) {
  PgParams text = {0};
  PQconninfoOption *all = PQconninfoParse("", NULL);
  bool well = all != NULL;
  if (!well) csp_panic_memory(call);
  for (const PQconninfoOption *one = all; well && one->keyword != NULL; one++) {
    if (strcmp(one->keyword, "service") == 0) continue;
    const char *value = pg_given(list, one->keyword);
    well = pg_put_option(call, &text, one->keyword,
                         value != NULL ? value : pg_default(one));
  }
  if (all != NULL) PQconninfoFree(all);
  well = well && pg_put(call, &text, "", 1);
  if (well) return text.data;
  csp_alloc_free(text.data);
  return NULL;
}

// --- Failures ---------------------------------------------------------------
// The code of what the system said, by its text, as libpq tells no number.
static const char *pg_code_of_text(const char *message) {
  static const int errors[] = {ECONNREFUSED, ENOENT,       EACCES, ENETUNREACH,
                               EHOSTUNREACH, ECONNRESET,   EMFILE, ENFILE,
                               ETIMEDOUT,    ENAMETOOLONG, EAGAIN};
  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
    if (strstr(message, strerrordesc_np(errors[i])) != NULL)
      return csp_errno_code(errors[i]);
  if (strstr(message, "SSL") != NULL || strstr(message, "certificate") != NULL)
    return "tls";
  return "closed";
}

// "... FATAL:  28P01: why\nLOCATION: ...", of the last host that was tried.
static void pg_connect_error(PgLink *link) {
  const char *said = link->conn == NULL ? "" : PQerrorMessage(link->conn);
  const char *at = said, *next, *code = NULL;
  while ((next = strstr(at, ":  ")) != NULL) {
    at = next + 3;
    if (strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == 5 && at[5] == ':')
      code = at;
  }
  if (code != NULL)
    snprintf(link->code, sizeof link->code, "%.5s", code);
  else
    snprintf(link->code, sizeof link->code, "%s", pg_code_of_text(said));
  const char *why = code != NULL ? code + 6 : said;
  why += strspn(why, " ");
  const char *colon = code == NULL ? strstr(why, "failed: ") : NULL;
  if (colon != NULL) why = colon + 8;
  snprintf(link->message, sizeof link->message, "%.*s", (int)strcspn(why, "\n"),
           why);
}

static CspStatus pg_connect_fails(CspCall *call, PgLink *link) {
  CspStatus status =
      csp_ok_coded(call, link->code, "%s",
                   link->message[0] != '\0' ? link->message : "cannot connect");
  pg_free_link(link);
  return status;
}

static CspStatus pg_connect_fails_with(CspCall *call, PgLink *link,
                                       const char *code, const char *message) {
  pg_break(link, code, message);
  return pg_connect_fails(call, link);
}

// --- Connecting -------------------------------------------------------------
static void pg_no_notice(void *data, const PGresult *result) {
  PgLink *link = data;
  const char *severity =
      PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity != NULL &&
      (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0))
    link->told = true;
}

// libpq uses OpenSSL, which is told first to free nothing at exit, where other
// threads may still use it.
static void pg_connect_on(PgLink *link) {
  if (link->conn == NULL) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    link->conn = PQconnectStart(link->info);
    link->step = PGRES_POLLING_WRITING;
    if (link->conn == NULL || PQstatus(link->conn) == CONNECTION_BAD)
      link->step = PGRES_POLLING_FAILED;
    if (link->conn == NULL) return;
    PQsetNoticeReceiver(link->conn, pg_no_notice, link);
    PQsetErrorVerbosity(link->conn, PQERRORS_VERBOSE);
    return;
  }
  pg_connect_step(link);
  if (link->step == PGRES_POLLING_OK && link->most_held == SIZE_MAX &&
      !pg_connect_ungate(link))
    link->step = PGRES_POLLING_FAILED;
}

// In csp_block.
static void pg_connect_work(void *data) {
  PgPlain plain = pg_plain_begin();
  pg_streams_take();
  pg_connect_on(data);
  pg_streams_give();
  pg_plain_end(plain);
}

static CspStatus pg_connect_done(CspCall *call, void *data, bool made);

// A duplicate of the socket, watched, both of whose turns this call has. NULL:
// errno tells why.
static CspFd *pg_watch(CspCall *call, PgLink *link) {
  int copy = fcntl(link->gated ? link->gate_real : PQsocket(link->conn),
                   F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return NULL;
  CspFd *fd = csp_fd_open(call, copy);  // libpq's sockets have O_NONBLOCK
  if (fd == NULL) {
    int error = errno;
    close(copy);
    errno = error;
    return NULL;
  }
  csp_fd_enter(fd, CSP_READS);
  csp_fd_enter(fd, CSP_WRITES);
  return fd;
}

static void pg_unwatch(CspCall *call, PgLink *link) {
  if (link->fd == NULL) return;
  csp_fd_leave(call, link->fd, CSP_WRITES);
  csp_fd_leave(call, link->fd, CSP_READS);
  csp_fd_free(link->fd);
  link->fd = NULL;
}

static CspStatus pg_connect_ready(CspCall *call, void *data, bool on) {
  PgLink *link = *(PgLink **)data;
  bool late = on && csp_ready(call) == CSP_FD_LATE;
  pg_unwatch(call, link);
  if (late)
    return pg_connect_fails_with(call, link, "timeout",
                                 "the server does not answer");
  if (on) return csp_block(call, pg_connect_work, pg_connect_done, link);
  pg_free_link(link);
  return CSP_PANIC;
}

static CspStatus pg_connected(CspCall *call, PgLink *link) {
  PgLink **own;
  link->fd = pg_watch(call, link);
  link->cancel = PQgetCancel(link->conn);
  if (link->fd == NULL || link->cancel == NULL ||
      PQsetnonblocking(link->conn, 1) != 0) {
    pg_unwatch(call, link);
    return pg_connect_fails_with(call, link, "limit",
                                 "no descriptor or memory is left");
  }
  PQsetErrorVerbosity(link->conn, PQERRORS_DEFAULT);
  link->frames = (PgFrames){.off = PQsslInUse(link->conn) == 1};
  csp_alloc_free(link->info);  // it has the password
  link->info = NULL;
  CspValue v = csp_host_new(call, &pg_link_class, (void **)&own);
  if (csp_is_undef(v)) {
    pg_unwatch(call, link);
    pg_free_link(link);
    return csp_panic_memory(call);
  }
  *own = link;
  link->phase = PG_IDLE;
  csp_fd_leave(call, link->fd, CSP_WRITES);
  csp_fd_leave(call, link->fd, CSP_READS);
  return csp_ok_value(call, v);
}

static CspStatus pg_connect_done(CspCall *call, void *data, bool made) {
  PgLink *link = data;
  if (!csp_work(call, 1000)) {
    pg_free_link(link);
    return CSP_PANIC;
  }
  if (!made) return pg_connect_fails_with(call, link, "limit", csp_no_thread());
  if (link->asked.foul)
    return pg_connect_fails_with(
        call, link, "limit",
        "the server wants a password to be hashed more than 1,000,000 times");
  if (link->step == PGRES_POLLING_FAILED) {
    pg_connect_error(link);
    return pg_connect_fails(call, link);
  }
  if (link->step == PGRES_POLLING_OK) return pg_connected(call, link);
  if (link->until != 0 && csp_monotonic(call) >= link->until)
    return pg_connect_fails_with(call, link, "timeout",
                                 "the server does not answer");
  link->fd = pg_watch(call, link);
  if (link->fd == NULL)
    return pg_connect_fails_with(call, link, csp_errno_code(errno),
                                 strerrordesc_np(errno));
  bool reads = link->step == PGRES_POLLING_READING && !pg_gate_holds(link);
  CspSide side = reads ? CSP_READS : CSP_WRITES;
  csp_when_ready(call, link->fd, side, link->until);
  return csp_again(call, pg_connect_ready, &link, sizeof link, 0);
}

// _connect(options, until): (link, nil) or (nil, error). The first statement
// has to be over by that time, too.
CspStatus pg_connect(CspCall *call) {
  CspValue list;
  int64_t until;
  if (!csp_need_type(call, 0, CSP_LIST, &list) ||
      !csp_need_int(call, 1, &until))
    return CSP_PANIC;
  for (size_t i = 0; i < csp_list_len(list); i++)
    if (csp_type(csp_list_get(list, i)) != CSP_STRING)
      return csp_bad_arg(call, 0, "a list of strings");
  char *info = pg_all_options(call, list);
  if (info == NULL) return CSP_PANIC;
  PgLink *link = pg_new_link(call);
  if (link == NULL) {
    csp_alloc_free(info);
    return csp_panic_memory(call);
  }
  link->info = info;
  link->until = until;
  return csp_block(call, pg_connect_work, pg_connect_done, link);
}
