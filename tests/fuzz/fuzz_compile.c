// SPDX-License-Identifier: MIT
// libFuzzer target: any text compiles, or gives error messages. Whatever was
// compiled is valid bytecode. `tests/fuzz/run SECONDS` builds and runs it, with
// the scripts of tests/ and examples/ as its first corpus.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/gate.h"
#include "tests/fuzz/mutator.h"
#include "vm/code/verify.h"
#include "vm/csp.h"
#include "vm/heap/local.h"
#include "vm/interp/native_call.h"

static void check_protos(const Vm *vm) {
  for (const Proto *proto = vm->protos; proto; proto = proto->next) {
    uint32_t at = 0;
    // the interpreter's own protos have no source
    if (strcmp(proto->path->own, "(runtime)") == 0) continue;
    const char *wrong = proto_verify(vm->memory, proto, &at);
    if (wrong == NULL) continue;
    fprintf(stderr, "%s: instruction %u: %s\n", proto->name->own, at, wrong);
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  CspConfig config;
  csp_config_init(&config);
  config.procs = 1;
  Csp *csp = csp_new(&config);
  if (csp == NULL) abort();
  csp_install_language(csp);
  if (!csp_install_library(csp)) abort();
  char *text = malloc(size + 1);
  memcpy(text, data, size);
  text[size] = '\0';
  char *messages = NULL;
  bool fine = csp_check(csp, "fuzz.csp", text, size, &messages);
  if (!fine && (messages == NULL || *messages == '\0')) abort();
  gate(size, fine);
  if (fine) check_protos(csp_vm(csp));
  free(messages);
  free(text);
  csp_free(csp);
  return 0;
}
