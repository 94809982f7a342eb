// SPDX-License-Identifier: MIT
// What calls between a host and a script cost: `name: ns` for each, the median
// of ROUNDS. The same as lua.c.
#include "vm/csp.h"

#include "bench/embed/embed.h"

static int64_t calls;

static CspStatus native(CspCall *call) {
  calls++;
  return csp_ok_int(call, csp_to_int(csp_arg(call, 0)) + 1);
}

static CspStatus nothing(CspCall *call) {
  (void)call;
  return CSP_OK;
}

// repeat(f, n): calls f(i) n times.
static CspStatus repeat(CspCall *call) {
  int64_t n = csp_to_int(csp_arg(call, 1));
  CspResult result;
  for (int64_t i = 0; i < n; i++) {
    CspValue arg = csp_int(call, i);
    csp_call(call, csp_arg(call, 0), 1, &arg, &result);
  }
  return csp_ok_int(call, csp_to_int(result.values[0]));
}

static const CspFunction natives[] = {{"native", "n", native},
                                      {"nothing", "", nothing},
                                      {"repeat", "f, n", repeat},
                                      {NULL, NULL, NULL}};

static const char script[] =
    "func empty(n) => n\n"
    "func there_and_back(n) => native(n)\n"
    "func loop(n) {\n"
    "  sum := 0\n"
    "  for i in n { sum += native(i) }\n"
    "  return sum\n"
    "}\n"
    "func idle(n) { for i in n { nothing() } }\n"
    "func back(n) => repeat(empty, n)\n";

typedef struct Host {
  Csp *csp;
  CspHandle f;
} Host;

static void call_once(void *arg, int64_t n) {
  Host *host = arg;
  CspCall *call = csp_host(host->csp);
  CspValue x = csp_int(call, n);
  CspResult result;
  csp_call(call, csp_held(call, host->f), 1, &x, &result);
  if (result.end != CSP_DONE) die(result.message);
}

static void call_each(void *arg, int64_t n) {
  for (int64_t i = 0; i < n; i++) call_once(arg, i);
}

static void measure(Csp *csp, CspHandle module, const char *function,
                    const char *name, void (*work)(void *arg, int64_t n)) {
  CspCall *call = csp_host(csp);
  CspValue f;
  if (!csp_member(call, csp_held(call, module), function, &f)) die(function);
  Host host = {csp, csp_hold(call, f)};
  print_median(name, work, &host);
}

int main(void) {
  CspConfig config;
  csp_config_init(&config);
  config.stepped = true;
  Csp *csp = csp_new(&config);
  if (csp == NULL) die("no runtime");
  csp_install_language(csp);
  if (!csp_register_builtins(csp, natives)) die("no natives");
  CspCall *call = csp_host(csp);
  CspResult result;
  if (csp_load(call, "bench.csp", script, strlen(script), &result) != CSP_DONE)
    die(result.message);
  CspHandle module = csp_hold(call, result.values[0]);
  measure(csp, module, "empty", "host -> script", call_each);
  measure(csp, module, "there_and_back", "host -> script -> native", call_each);
  measure(csp, module, "loop", "script -> native", call_once);
  measure(csp, module, "idle", "script -> native that does nothing", call_once);
  measure(csp, module, "back", "native -> script", call_once);
  csp_limit_time(csp, 1000000000);
  measure(csp, module, "empty", "host -> script, time limit", call_each);
  csp_free(csp);
  return 0;
}
