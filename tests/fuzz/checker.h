// SPDX-License-Identifier: MIT
// For targets that check a module of the library: a script's function `check`
// gets each input as bytes. It asserts what must hold, and gives true for one
// that the module reads, or the message of the error with which it refuses it.
// The runtime is stepped and has little memory. Where that is out, what the
// inputs before have left is collected, and the input is tried again.
// libFuzzer's thread alone calls this.
#ifndef CSP_FUZZ_CHECKER_H
#define CSP_FUZZ_CHECKER_H

#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/gate.h"
#include "vm/csp.h"

// A native module that the target is linked with.
#ifdef CHECKER_MODULE
const CspNative *CHECKER_MODULE(void);
#endif

static Csp *checker;
static CspHandle checker_function;

static void checker_fail(const CspResult *result) {
  fprintf(stderr, "%s\n", result->message != NULL ? result->message : "?");
  abort();
}

// natives are those that the script calls, or NULL. Nobody frees the runtime,
// and what the types of the script have is found through its own memory alone,
// where the sanitizer does not look for pointers.
static void checker_open(const char *script, const CspFunction *natives) {
  enum { MEMORY = 64 << 20 };
  CspConfig config;
  CspResult result;
  CspValue function;
  __lsan_disable();
  csp_config_init(&config);
  config.stepped = true;
  config.max_memory = MEMORY;
  checker = csp_new(&config);
  if (checker == NULL) abort();
  csp_install_language(checker);
  if (!csp_install_library(checker)) abort();
#ifdef CHECKER_MODULE
  if (!csp_register(checker, CHECKER_MODULE()->module)) abort();
#endif
  if (natives != NULL && !csp_register_builtins(checker, natives)) abort();
  CspCall *call = csp_host(checker);
  if (csp_load(call, "fuzz", script, strlen(script), &result) != CSP_DONE)
    checker_fail(&result);
  if (!csp_member(call, result.values[0], "check", &function)) abort();
  checker_function = csp_hold(call, function);
  __lsan_enable();
}

// false: out of memory.
static bool checker_try(const uint8_t *data, size_t size, bool *read,
                        void (*refused)(const char *message, size_t size)) {
  CspResult result;
  CspCall *call = csp_host(checker);
  CspValue bytes = csp_bytes(call, data, size);
  if (csp_is_undef(bytes)) return false;
  CspValue function = csp_held(call, checker_function);
  if (csp_call(call, function, 1, &bytes, &result) != CSP_DONE) {
    if (strstr(result.message, "out of memory") == NULL) checker_fail(&result);
    csp_result_free(&result);
    return false;
  }
  *read = csp_type(result.values[0]) != CSP_STRING;
  if (!*read && refused != NULL)
    refused(csp_to_string(result.values[0], &(size_t){0}), size);
  csp_result_free(&result);
  return true;
}

// Of the target's LLVMFuzzerTestOneInput. refused looks at the message, or is
// NULL.
static inline int checker_input(const char *script, const uint8_t *data,
                                size_t size,
                                void (*refused)(const char *message,
                                                size_t size)) {
  bool read;
  if (checker == NULL) checker_open(script, NULL);
  if (!checker_try(data, size, &read, refused)) {
    csp_collect(csp_host(checker));
    if (!checker_try(data, size, &read, refused)) abort();
  }
  gate(size, read);
  return 0;
}
#endif
