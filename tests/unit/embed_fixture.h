// SPDX-License-Identifier: MIT
// A host program's runtime, whose output is kept.
#ifndef CSP_TESTS_UNIT_EMBED_FIXTURE_H
#define CSP_TESTS_UNIT_EMBED_FIXTURE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config_fixture.h"
#include "vm/csp.h"

typedef struct Host {
  Csp *csp;
  pthread_mutex_t lock;
  char out[8192], err[8192];
} Host;

static inline void append(char *to, const char *data, size_t len) {
  size_t have = strlen(to);
  if (have + len >= 8192) len = 8191 - have;
  memcpy(to + have, data, len);
  to[have + len] = '\0';
}

static inline void take_out(void *arg, const char *data, size_t len) {
  Host *host = arg;
  pthread_mutex_lock(&host->lock);
  append(host->out, data, len);
  pthread_mutex_unlock(&host->lock);
}

static inline void take_err(void *arg, const char *data, size_t len) {
  Host *host = arg;
  pthread_mutex_lock(&host->lock);
  append(host->err, data, len);
  pthread_mutex_unlock(&host->lock);
}

enum { STEPPED = -1 };  // for procs

// config: all but what is written.
static inline void open_configured(Host *host, CspConfig *config) {
  memset(host, 0, sizeof *host);
  pthread_mutex_init(&host->lock, NULL);
  config->allowed = CSP_ALL;
  config->write_out = take_out;
  config->write_err = take_err;
  config->write_arg = host;
  host->csp = csp_new(config);
  assert_non_null(host->csp);
  csp_install_language(host->csp);
  assert_true(csp_install_library(host->csp));
}

static inline void open_limited(Host *host, int procs, uint64_t max_memory,
                                uint64_t max_goroutines) {
  CspConfig config;
  test_config(&config);
  config.procs = procs > 0 ? procs : 0;
  config.stepped = procs == STEPPED;
  config.max_memory = max_memory;
  // With a collection at each safepoint filling the memory takes for ever.
  if (max_memory > 0) config.debug = NULL;
  config.max_goroutines = max_goroutines;
  open_configured(host, &config);
}

static inline void open_host(Host *host, int procs) {
  open_limited(host, procs, 0, 0);
}

static inline int run(Host *host, const char *text) {
  int status = -1;
  csp_run(host->csp, "host.csp", text, strlen(text), &status);
  return status;
}

static inline void close_host(Host *host) {
  csp_free(host->csp);
  pthread_mutex_destroy(&host->lock);
}

// The members of a script that the host has loaded.
static inline CspValue member(Host *host, CspHandle module, const char *name) {
  CspCall *call = csp_host(host->csp);
  CspValue v;
  assert_non_null(call);
  assert_true(csp_member(call, csp_held(call, module), name, &v));
  return v;
}

static inline CspHandle load(Host *host, const char *text) {
  CspCall *call = csp_host(host->csp);
  CspResult result;
  csp_load(call, "host.csp", text, strlen(text), &result);
  if (result.message != NULL) print_error("%s", result.message);
  assert_int_equal(result.end, CSP_DONE);
  return csp_hold(call, result.values[0]);
}

// name(n), which gives one int, or an int and no error.
static inline int64_t call_int(Host *host, CspHandle module, const char *name,
                               int64_t n) {
  CspCall *call = csp_host(host->csp);
  CspValue arg = csp_int(call, n);
  CspResult result;
  csp_call(call, member(host, module, name), 1, &arg, &result);
  if (result.message != NULL) print_error("%s", result.message);
  assert_int_equal(result.end, CSP_DONE);
  assert_in_range(result.count, 1, 2);
  if (result.count == 2) assert_int_equal(csp_type(result.values[1]), CSP_NIL);
  assert_int_equal(csp_type(result.values[0]), CSP_INT);
  return csp_to_int(result.values[0]);
}

// name() fails like that, with a message that holds the text.
static inline void call_fails(Host *host, CspHandle module, const char *name,
                              CspEnd end, const char *text) {
  CspResult result;
  csp_call(csp_host(host->csp), member(host, module, name), 0, NULL, &result);
  assert_int_equal(result.end, end);
  assert_non_null(result.message);
  if (strstr(result.message, text) == NULL) print_error("%s", result.message);
  assert_non_null(strstr(result.message, text));
  csp_result_free(&result);
}

#endif
