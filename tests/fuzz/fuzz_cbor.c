// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are a value in CBOR, or refused with the offset
// of what is wrong. A value that was read can be written; what that gives is
// read as the same value again, written as the same bytes, and refused if it
// ends sooner. `tests/fuzz/run SECONDS` builds and runs it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/gate.h"
#include "vm/csp.h"

enum { MEMORY = 64 << 20 };

static Csp *open_runtime(void) {
  CspConfig config;
  csp_config_init(&config);
  config.stepped = true;
  config.max_memory = MEMORY;
  Csp *csp = csp_new(&config);
  if (csp == NULL) abort();
  csp_install_language(csp);
  return csp;
}

// In memory of just that length, where the sanitizer sees the end.
static bool read_exactly(CspCall *call, const void *data, size_t size,
                         CspValue *v, char **error) {
  char *exact = malloc(size > 0 ? size : 1);
  if (size > 0) memcpy(exact, data, size);
  bool fine = csp_from_cbor(call, exact, size, NULL, v, error);
  free(exact);
  return fine;
}

// An error that tells what is wrong. NULL: out of memory.
static void must_be_memory(char *error) {
  if (error == NULL) return;
  fprintf(stderr, "%s\n", error);
  abort();
}

// What was written is read again, written the same, and refused when cut.
// false: out of memory.
static bool is_same_again(CspCall *call, const char *once, size_t len) {
  CspValue v;
  char *error;
  size_t again_len;
  if (!read_exactly(call, once, len, &v, &error)) {
    must_be_memory(error);
    return false;
  }
  char *again = csp_to_cbor(call, v, len, &again_len, &error);
  if (again == NULL) {
    must_be_memory(error);
    return false;
  }
  if (again_len != len || memcmp(once, again, len) != 0) abort();
  free(again);
  if (read_exactly(call, once, len - 1, &v, &error)) abort();
  free(error);
  return true;
}

// false: out of memory.
static bool is_refused(char *error, size_t size) {
  if (error == NULL) return false;
  if (strncmp(error, "at byte ", 8) != 0) abort();
  if (strtoull(error + 8, NULL, 10) > size) abort();
  free(error);
  return true;
}

// *read: it is a value.
static bool try_input(CspCall *call, const uint8_t *data, size_t size,
                      bool *read) {
  CspValue v;
  char *error;
  size_t len;
  *read = read_exactly(call, data, size, &v, &error);
  if (!*read) return is_refused(error, size);
  char *once = csp_to_cbor(call, v, SIZE_MAX, &len, &error);
  if (once == NULL) {
    must_be_memory(error);
    return false;
  }
  bool same = is_same_again(call, once, len);
  free(once);
  return same;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Csp *csp;
  if (csp == NULL) csp = open_runtime();
  CspCall *call = csp_host(csp);
  bool read;
  if (!try_input(call, data, size, &read)) {
    csp_collect(call);  // what the inputs before have left
    if (!try_input(call, data, size, &read)) abort();
  }
  gate(size, read);
  return 0;
}
