// SPDX-License-Identifier: MIT
// A host that runs one script at a time and keeps what it writes, for tests of
// what a host can decide.
#ifndef CSP_TESTS_UNIT_HOST_FIXTURE_H
#define CSP_TESTS_UNIT_HOST_FIXTURE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h wants those before it
#include <cmocka.h>

#include "config_fixture.h"
#include "vm/csp.h"

typedef struct Host {
  Csp *csp;
  pthread_mutex_t lock;
  char out[8192], err[8192];
} Host;

static inline void host_keep(Host *host, char *to, const char *data,
                             size_t len) {
  pthread_mutex_lock(&host->lock);
  size_t have = strlen(to);
  if (have + len >= sizeof host->out) len = sizeof host->out - 1 - have;
  memcpy(to + have, data, len);
  to[have + len] = '\0';
  pthread_mutex_unlock(&host->lock);
}

static inline void host_out(void *arg, const char *data, size_t len) {
  host_keep(arg, ((Host *)arg)->out, data, len);
}

static inline void host_err(void *arg, const char *data, size_t len) {
  host_keep(arg, ((Host *)arg)->err, data, len);
}

// config: what differs from the defaults.
static inline void host_open(Host *host, CspConfig config) {
  memset(host, 0, sizeof *host);
  pthread_mutex_init(&host->lock, NULL);
  CspConfig defaults;
  test_config(&defaults);
  config.size = defaults.size;
  config.debug = defaults.debug;
  config.write_out = host_out;
  config.write_err = host_err;
  config.write_arg = host;
  host->csp = csp_new(&config);
  assert_non_null(host->csp);
  csp_install_language(host->csp);
  assert_true(csp_install_library(host->csp));
}

static inline int host_run(Host *host, const char *text) {
  int status = -1;
  csp_run(host->csp, "host.csp", text, strlen(text), &status);
  return status;
}

static inline void host_close(Host *host) {
  csp_free(host->csp);
  pthread_mutex_destroy(&host->lock);
}

// What a script prints; it ends well.
static inline void expect_output(CspConfig config, const char *text,
                                 const char *out) {
  Host host;
  host_open(&host, config);
  int status = host_run(&host, text);
  if (status != 0 || strcmp(host.out, out) != 0)
    fail_msg("%s\nends with %d, prints\n%s%s", text, status, host.out,
             host.err);
  host_close(&host);
}

// How a script ends, with that on standard error.
static inline void expect_end(CspConfig config, const char *text, int status,
                              const char *err) {
  Host host;
  host_open(&host, config);
  int ended = host_run(&host, text);
  if (ended != status || strstr(host.err, err) == NULL)
    fail_msg("%s\nends with %d, prints\n%s%s", text, ended, host.out, host.err);
  host_close(&host);
}

#endif
