# Files of certificates belong to what a host allows (CSP_FILES), and stay
# within its root. Texts need neither.
# expect: none: tls.config: certificate /server.pem: Operation not permitted
# expect: none: a text is well
# expect: root: it is well
# expect: root: tls.config: certificate /../outside.pem: No such file or directory
# once: it is compiled each time
. tests/embed/lib/installed.sh
top=$PWD
. tests/stdlib/tls/lib/certs.sh
mkdir inside
cp server.pem server.key inside
cp server.pem outside.pem
cat > host.c << 'END'
#include <csp.h>
#include <string.h>
int main(int argc, char **argv) {
  CspConfig config;
  int status = 1;
  csp_config_init(&config);
  config.modules = argv[1];
  config.root = argc > 3 ? argv[3] : NULL;
  config.allowed = CSP_NET | CSP_NATIVE | (argc > 3 ? CSP_FILES : 0);
  Csp *csp = csp_new(&config);
  if (csp == NULL) return 1;
  csp_install_language(csp);
  if (csp_install_library(csp))
    csp_run(csp, "main.csp", argv[2], strlen(argv[2]), &status);
  csp_free(csp);
  return status;
}
END
cd "$top" || exit
host static "$TMPDIR/host" gcc -std=gnu11 -pthread '-Wl,--export-dynamic-symbol=csp_*' "$TMPDIR/host.c"
modules=$(echo "$lib"/cspvm/*)
both=$(sed 's/$/\\n/' "$TMPDIR/server.pem" "$TMPDIR/server.key" | tr -d '\n')
"$TMPDIR/host" "$modules" "import \"tls\"
_, err := tls.config(\"/server.pem\", \"/server.key\")
println(\"none:\", err)
config, _ := tls.config(\"$both\")
println(\"none: a text is\", (if config == nil { \"refused\" } else { \"well\" }))"
"$TMPDIR/host" "$modules" "import \"tls\"
config, err := tls.config(\"/server.pem\", \"/server.key\")
println(\"root:\", err ?? \"it is well\")
_, err = tls.config(\"/../outside.pem\", \"/server.key\")
println(\"root:\", err)" "$TMPDIR/inside"
