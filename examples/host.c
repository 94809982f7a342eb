// SPDX-License-Identifier: MIT
// A C program that runs scripts, with a function of its own for them:
//
//   cc -I. examples/host.c build/libcspvm.a -lpthread -lm -o host && ./host
#include <stdio.h>
#include <string.h>

#include "stdlib/stdlib.h"
#include "vm/csp.h"

// shop.price(name): an int, or (nil, error).
static CspStatus price(CspCall *call) {
  const char *name;
  size_t len;
  if (!csp_need_string(call, 0, &name, &len)) return CSP_PANIC;
  if (strcmp(name, "tea") == 0) return csp_ok_value(call, csp_int(call, 3));
  return csp_ok_error(call, "we have no %s", name);
}

static const CspFunction functions[] = {{"price", "name", price},
                                        {NULL, NULL, NULL}};
static const CspModule shop = {.path = "shop", .functions = functions};

static const char script[] =
    "import \"shop\"\n"
    "for name in [\"tea\", \"coffee\"] {\n"
    "    price, err := shop.price(name)\n"
    "    println(name, price ?? err)\n"
    "}\n"
    "tasks := []\n"
    "for i in 3 { tasks.push(go func() { return i * i }()) }\n"
    "for t in tasks { println(<-t) }\n";

int main(void) {
  CspConfig config;
  csp_config_init(&config);
  Csp *csp = csp_new(&config);
  if (csp == NULL) return 1;
  csp_install_language(csp);
  int status = 1;
  if (stdlib_install(csp) && csp_register(csp, &shop))
    csp_run(csp, "script.csp", script, strlen(script), &status);
  csp_free(csp);
  return status;
}
