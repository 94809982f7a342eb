// SPDX-License-Identifier: MIT
// libFuzzer target: whatever compiles runs, and ends by itself or by an
// interrupt after a moment, within its limits, without harm to the process. It
// may use neither files nor programs. `tests/fuzz/run SECONDS` builds and runs
// it.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/fuzz/gate.h"
#include "tests/fuzz/mutator.h"
#include "vm/csp.h"

enum { RUN_NS = 20000000, HEAP_BYTES = 64 << 20 };

typedef struct Watch {
  Csp *csp;
  pthread_mutex_t lock;
  pthread_cond_t ended;
  bool over;
} Watch;

// Interrupts the run when its time is up.
static void *watch_main(void *arg) {
  Watch *watch = arg;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += RUN_NS;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&watch->lock);
  int error = 0;
  while (!watch->over && error != ETIMEDOUT)
    error = pthread_cond_timedwait(&watch->ended, &watch->lock, &until);
  if (!watch->over) csp_interrupt(watch->csp);
  pthread_mutex_unlock(&watch->lock);
  return NULL;
}

static void discard(void *arg, const char *data, size_t len) {
  (void)arg;
  (void)data;
  (void)len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  CspConfig config;
  csp_config_init(&config);
  config.procs = 1 + (int)(size % 3);
  config.max_frames = 10000;
  config.max_stack = 1 << 20;
  config.max_memory = HEAP_BYTES;
  config.max_goroutines = 10000;
  config.write_out = config.write_err = discard;
  Csp *csp = csp_new(&config);
  if (csp == NULL) abort();
  csp_install_language(csp);
  if (!csp_install_library(csp)) abort();
  Watch watch = {csp, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                 false};
  pthread_t thread;
  if (pthread_create(&thread, NULL, watch_main, &watch) != 0) abort();
  int status = -1;
  gate(size, csp_run(csp, "fuzz.csp", (const char *)data, size, &status) !=
                 CSP_NOT_COMPILED);
  pthread_mutex_lock(&watch.lock);
  watch.over = true;
  pthread_cond_signal(&watch.ended);
  pthread_mutex_unlock(&watch.lock);
  pthread_join(thread, NULL);
  csp_free(csp);
  return 0;
}
