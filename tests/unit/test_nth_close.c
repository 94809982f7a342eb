// SPDX-License-Identifier: MIT
// Stores, pools and databases are closed where memory is out: each allocation
// of close() fails, alone, with the one that follows, and with all that follow.
// close() may panic then. But once there is memory it ends all connections, if
// it is called again. The servers are goroutines of the script, and tell that
// each connection has ended.
#include <setjmp.h>

#include "failing.h"
#include "vm/interp/native_call.h"

#include <cmocka.h>

#include "vm/csp.h"

// NULL: not built.
const CspNative *csp_module_sqlite(void) __attribute__((weak));
const CspNative *csp_module_postgres(void) __attribute__((weak));

// --- A host -----------------------------------------------------------------
typedef enum Which { ONE, TWO, ALL_FROM } Which;

static long at;  // the allocation that fails
static Which which;

static CspStatus fails_from_now(CspCall *call) {
  fail_empty_caches(&call->local->heap);
  fail_begin(at, which == ALL_FROM);
  failing.twice = which == TWO;
  return csp_ok_nothing(call);
}

static CspStatus works_again(CspCall *call) {
  fail_end();
  return csp_ok_nothing(call);
}

static const CspFunction functions[] = {{"fails", "", fails_from_now},
                                        {"works", "", works_again},
                                        {NULL, NULL, NULL}};
static const CspModule host = {"host", functions, NULL, NULL, 0};

static char printed[1 << 12];

static void take_text(void *arg, const char *data, size_t len) {
  (void)arg;
  size_t used = strlen(printed);
  snprintf(printed + used, sizeof printed - used, "%.*s", (int)len, data);
}

static Csp *open_runtime(void) {
  CspConfig config = {.size = sizeof config,
                      .procs = 1,
                      .allowed = CSP_ALL,
                      .seed = 1,
                      .write_out = take_text,
                      .write_err = take_text};
  Csp *csp = csp_new(&config);
  assert_non_null(csp);
  csp_install_language(csp);
  assert_true(csp_install_library(csp) && csp_register(csp, &host));
  return csp;
}

// --- Attempts ---------------------------------------------------------------
// The script's own part comes first, and `what` is what it closes. `open` are
// the connections that end then. (The time is for a test that fails.)
#define CLOSED                                        \
  "closes := what.close\n"                            \
  "host.fails()\n"                                    \
  "_, err := try(closes)\n"                           \
  "host.works()\n"                                    \
  "if err != nil {\n"                                 \
  "  assert(err.message.contains(\"memory\"), err)\n" \
  "  what.close()\n"                                  \
  "}\n"                                               \
  "what.close()\n"                                    \
  "for _ in open {\n"                                 \
  "  select {\n"                                      \
  "  case <-ended:\n"                                 \
  "  case <-after(20s): panic(\"one stays open\")\n"  \
  "  }\n"                                             \
  "}\n"                                               \
  "println(\"all\")\n"

// Are there further ones to fail?
static bool attempt(const char *script, const CspNative *native) {
  int status = -1;
  Csp *csp = open_runtime();
  printed[0] = '\0';
  if (native != NULL) assert_true(csp_register(csp, native->module));
  failing.failed = 0;
  csp_run(csp, "close.csp", script, strlen(script), &status);
  fail_end();
  csp_free(csp);
  if (status != 0 || strcmp(printed, "all\n") != 0)
    fail_msg("allocation %ld%s, of the code at %p: status %d\n%s", at,
             which == ONE   ? ""
             : which == TWO ? " and the next"
                            : " and all others",
             failing.caller, status, printed);
  return failing.failed > 0;
}

static void try_all(const char *script, const CspNative *native) {
  for (which = ONE; which <= ALL_FROM; which++)
    for (at = 1; attempt(script, native); at++) continue;
}

// --- Tests ------------------------------------------------------------------
static void a_store_of_redis_is_closed(void **state) {
  (void)state;
  try_all(
      "import \"host\"\nimport \"net\"\nimport \"redis\"\n"
      "ended := chan(9)\n"
      "func serve(c) {\n"
      "  for {\n"
      "    line, _ := c.read_until(\"\\r\\n\", 99)\n"
      "    if line == nil { break }\n"
      "    if line == \"HELLO\" { c.write(\"%0\\r\\n\") }\n"
      "    if line == \"PING\" { c.write(\"+PONG\\r\\n\") }\n"
      "  }\n"
      "  ended <- true\n"
      "}\n"
      "listener := net.listen(\"127.0.0.1:0\")?\n"
      "go { listener.serve(func(c) { _ = try(serve, c) }) }\n"
      "what := redis.open(listener.address())?\n"
      "what.alone(func(own) => own.call(\"PING\"))?\n"  // an idle one
      "lent := chan()\n"
      "go { _ = try(what.alone, func(own) {\n"
      "  what.alone(func(more) => nil)\n"  // so another one is idle
      "  lent <- true\n"
      "  return own.call(\"GET\", \"x\")\n"
      "}) }\n"
      "<-lent\n"
      "what.subscribe(\"news\")?\nwhat.subscribe(\"jobs\")?\n"
      "open := 5\n" CLOSED,
      NULL);
}

static void a_pool_of_postgres_is_closed(void **state) {
  (void)state;
  if (csp_module_postgres == NULL) skip();
  try_all(
      "import \"host\"\nimport \"net\"\nimport \"postgres\"\n"
      "func message(kind, body = \"\") => kind + bytes(4).set_int(0, 4, "
      "len(body) + 4, \"big\").to_string() + body\n"
      "ended := chan(9)\n"
      "func serve(c) {\n"
      "  size := c.read_exact(4)?.bytes().get_uint(0, 4, \"big\")\n"
      "  c.read_exact(size - 4)?\n"
      "  c.write(message(\"R\", \"\\x00\".repeat(4)) + message(\"Z\", "
      "\"I\"))?\n"
      "  for {\n"
      "    size = c.read_exact(5)?.bytes().get_uint(1, 4, \"big\")\n"
      "    state := if c.read_exact(size - 4)? == \"begin\\x00\" { \"T\" } "
      "else { \"I\" }\n"
      "    c.write(message(\"C\", \"SET\\x00\") + message(\"Z\", state))?\n"
      "  }\n"
      "}\n"
      "func serves(c) {\n  _ = try(serve, c)\n  ended <- true\n}\n"
      "listener := net.listen(\"127.0.0.1:0\")?\n"
      "go { listener.serve(serves) }\n"
      "port := listener.address().split(\":\")[1]\n"
      "what := postgres.open(\"postgresql://ada@127.0.0.1:${port}/x?sslmode="
      "disable\")?\n"
      "inside, goes, never := chan(), chan(), chan()\n"
      "go { _ = try(what.transaction, func(work) {\n"
      "  inside <- true\n"
      "  <-never\n"
      "}) }\n"
      "<-inside\n"
      "other := go what.transaction(func(work) { <-goes })\n"
      "goes <- true\n"
      "_, lost := <-other\n"
      "assert(lost == nil, lost)\n"  // an idle one
      "open := 2\n" CLOSED,
      csp_module_postgres());
}

static void a_database_of_sqlite_is_closed(void **state) {
  (void)state;
  if (csp_module_sqlite == NULL) skip();
  try_all(
      "import \"host\"\nimport \"os\"\nimport \"sqlite\"\n"
      "path := os.join_path(os.env(\"TMPDIR\") ?? \"/tmp\", \"close.db\")\n"
      "ended := chan(9)\n"
      "what := sqlite.open(path, timeout: 1ms)?\n"
      "what.exec(\"create table if not exists t(a)\")?\n"
      "what.all(\"select * from t\")?\n"
      "inside, open := chan(), 0\n"
      "task := go what.transaction(func(tx) {\n"
      "  inside <- true\n"
      "  <-chan()\n"
      "})\n"
      "<-inside\n" CLOSED
      "for fd in os.list_dir(\"/proc/self/fd\")? {\n"
      "  target, _ := os.read_link(\"/proc/self/fd/\" + fd)\n"
      "  assert(target == nil || !target.has_prefix(path), target)\n"
      "}\n"
      "os.remove(path)?\n",
      csp_module_sqlite());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_store_of_redis_is_closed),
      cmocka_unit_test(a_pool_of_postgres_is_closed),
      cmocka_unit_test(a_database_of_sqlite_is_closed),
  };
  cmocka_set_test_filter(getenv("NTH_TEST"));
  return cmocka_run_group_tests(tests, NULL, NULL);
}
