# What sqlite may do in hosts: without files, and with a root, only databases in
# memory, and no statement reaches a file. A stepped host's time ends a query.
# expect: --- without files
# expect: permission sqlite: cannot open a.db: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: this pragma is not allowed here
# expect: {"n": 100000}
# expect: --- with a root
# expect: permission sqlite: cannot open a.db: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: the host allows only the database ":memory:"
# expect: permission sqlite: this pragma is not allowed here
# expect: {"n": 100000}
# expect: --- stepped
# expect: interrupted
# timeout: 60
# once: it is compiled each time
. tests/embed/lib/installed.sh
mkdir "$TMPDIR/root"
cat > "$TMPDIR/host.c" << 'END'
#include <csp.h>
#include <stdio.h>
#include <string.h>
const CspNative *csp_module_sqlite(void);
static const char script[] =
    "import \"sqlite\"\n"
    "func show(f) {\n"
    "  _, err := f()\n"
    "  println(err.code, err)\n"
    "}\n"
    "show(func() => sqlite.open(\"a.db\"))\n"
    "db := sqlite.open(\":memory:\")?\n"
    "show(func() => db.exec(\"attach 'a.db' as a\"))\n"
    "show(func() => db.exec(\"vacuum into 'a.db'\"))\n"
    "show(func() => db.exec(\"attach ? as a\", \"a.db\"))\n"
    "show(func() => db.exec(\"pragma temp_store = 1\"))\n"
    "println(db.one(\"with recursive r(n) as (select 1 union all select n + 1 \"\n"
    "  + \"from r limit 100000) select n from r order by -n\")?)\n";
static const char endless[] =
    "import \"sqlite\"\n"
    "db := sqlite.open(\":memory:\")?\n"
    "db.one(\"with recursive r(n) as (select 1 union all select n + 1 from r) \"\n"
    "  + \"select sum(n) from r\")\n";

static Csp *open_host(CspConfig *config) {
  Csp *csp = csp_new(config);
  if (csp == NULL) return NULL;
  csp_install_language(csp);
  if (csp_install_library(csp) &&
      csp_register(csp, csp_module_sqlite()->module))
    return csp;
  csp_free(csp);
  return NULL;
}

static int run_script(CspConfig *config) {
  int status = 1;
  Csp *csp = open_host(config);
  if (csp == NULL) return 1;
  csp_run(csp, "main.csp", script, strlen(script), &status);
  csp_free(csp);
  return status;
}

static int run_stepped(void) {
  CspConfig config;
  CspResult result;
  csp_config_init(&config);
  config.stepped = true;
  Csp *csp = open_host(&config);
  if (csp == NULL) return 1;
  csp_limit_time(csp, 20000000);
  CspEnd end =
      csp_load(csp_host(csp), "main.csp", endless, strlen(endless), &result);
  puts(end == CSP_INTERRUPTED ? "interrupted" : "not interrupted");
  csp_result_free(&result);
  csp_free(csp);
  return 0;
}

int main(int argc, char **argv) {
  (void)argc;
  CspConfig config;
  setvbuf(stdout, NULL, _IONBF, 0);
  puts("--- without files");
  csp_config_init(&config);
  if (run_script(&config) != 0) return 1;
  puts("--- with a root");
  config.allowed = CSP_FILES;
  config.root = argv[1];
  if (run_script(&config) != 0) return 1;
  puts("--- stepped");
  return run_stepped();
}
END
libs=$(pkg-config --static --libs cspvm-sqlite | sed 's/-lcspvm /-l:libcspvm.a /')
gcc -std=gnu11 $flags $(pkg-config --cflags cspvm-sqlite) "$TMPDIR/host.c" -o "$TMPDIR/host" $libs $counters &&
  "$TMPDIR/host" "$TMPDIR/root"
ls "$TMPDIR/root"
