# What dns does in hosts: nothing without the network, the same when stepped as
# with threads, and a host may end while lookups wait. Nothing leaks then.
# expect: --- without the network
# expect: panic: dns.lookup: the program that runs this script does not allow scripts to use the network (CSP_NET)
# expect: --- with threads
# expect: ["192.0.2.5"] timeout
# expect: --- stepped
# expect: ["192.0.2.5"] timeout
# expect: --- ends
# expect: the same descriptors
# timeout: 60
# once: it is compiled each time
. tests/embed/lib/installed.sh
cat > "$TMPDIR/host.c" << 'END'
#include <csp.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
const CspNative *csp_module_dns(void);
static const char asks[] =
    "import \"dns\"\n"
    "_, err := try(func() => dns.lookup(\"a\", timeout: 1ms, "
    "server: \"127.0.0.1:1\"))\n"
    "println(\"panic:\", err)\n";
static const char waits[] =
    "import \"dns\"\n"
    "import \"net\"\n"
    "silent := net.udp(\"127.0.0.1:0\")?\n"
    "ips, _ := dns.addresses(\"192.0.2.5\")\n"
    "_, err := dns.lookup(\"a\", \"MX\", 20ms, silent.address())\n"
    "println(ips, err.code)\n";
static const char ends[] =
    "import \"dns\"\n"
    "import \"net\"\n"
    "silent := net.udp(\"127.0.0.1:0\")?\n"
    "for i in 20 { go dns.lookup(\"a${i}\", timeout: nil, "
    "server: silent.address()) }\n"
    "for i in 20 { go dns.addresses(\"a${i}\", 0, silent.address()) }\n"
    "silent.receive()?\n";

static Csp *open_host(CspConfig *config) {
  Csp *csp = csp_new(config);
  if (csp == NULL) return NULL;
  csp_install_language(csp);
  if (csp_install_library(csp) && csp_register(csp, csp_module_dns()->module))
    return csp;
  csp_free(csp);
  return NULL;
}

static void run_threads(uint32_t allowed, const char *script) {
  CspConfig config;
  int status = 1;
  csp_config_init(&config);
  config.allowed = allowed;
  Csp *csp = open_host(&config);
  if (csp == NULL) return;
  csp_run(csp, "main.csp", script, strlen(script), &status);
  csp_free(csp);
}

static void run_stepped(const char *script, int steps) {
  CspConfig config;
  CspResult result;
  csp_config_init(&config);
  config.stepped = true;
  config.allowed = CSP_NET;
  Csp *csp = open_host(&config);
  if (csp == NULL) return;
  csp_limit_time(csp, steps < 0 ? 0 : 100000LL * steps + 1);
  csp_load(csp_host(csp), "main.csp", script, strlen(script), &result);
  if (steps < 0 && result.end != CSP_DONE)
    puts(result.message != NULL ? result.message : "?");
  csp_result_free(&result);
  csp_free(csp);
}

static int descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder != NULL && readdir(folder) != NULL) count++;
  if (folder != NULL) closedir(folder);
  return count;
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  puts("--- without the network");
  run_threads(CSP_ALL & ~CSP_NET, asks);
  puts("--- with threads");
  run_threads(CSP_NET, waits);
  puts("--- stepped");
  run_stepped(waits, -1);
  puts("--- ends");
  int before = descriptors();
  for (int i = 0; i < 10; i++) run_threads(CSP_NET, ends);
  for (int i = 0; i < 10; i++) run_stepped(ends, i);
  puts(descriptors() == before ? "the same descriptors" : "others");
  return 0;
}
END
libs=$(pkg-config --static --libs cspvm-dns | sed 's/-lcspvm /-l:libcspvm.a /')
gcc -std=gnu11 $flags $(pkg-config --cflags cspvm-dns) "$TMPDIR/host.c" -o "$TMPDIR/host" $libs $counters &&
  "$TMPDIR/host"
