# Native modules in hosts, with the static and the shared library: where they
# are found, what is allowed, and one module in several runtimes at once.
# expect: --- 40 runtimes, 0 failed
# expect: --- no folder
# expect: main.csp:1:1: error: cannot find the module "counted"
# expect:     it is not built in, and there is no search path (CSPPATH of cspvm); a file beside this one is imported as "./counted"
# expect: --- a folder that is missing
# expect: main.csp:1:1: error: cannot find the module "counted"
# expect:     the folder of native modules, /nowhere/modules: No such file or directory
# expect: --- not allowed
# expect: main.csp:1:1: error: cannot load the module "counted": it is native, and the program that runs this script does not allow scripts to load native modules (CSP_NATIVE)
# expect: --- not allowed, and not there
# expect: main.csp:1:1: error: cannot find the module "absent"
# expect:     it is not built in, and there is no search path (CSPPATH of cspvm); a file beside this one is imported as "./absent"
# expect: --- allowed
# expect: native
# expect: --- registered
# expect: registered
# expect: --- with load
# expect: given by load
# expect: --- relative
# expect: native
# expect: --- with a root, twice
# expect: native
# expect: native
# expect: linked: 1
# expect: linked with zlib: abc
# timeout: 60
# once: they are compiled each time
. tests/embed/lib/installed.sh
. tests/embed/lib/modules.sh
mkdir "$TMPDIR/modules"
object "$TMPDIR/modules/counted.so" < tests/embed/data/counted.c

for kind in $kinds; do
  host $kind "$TMPDIR/host" gcc -std=gnu11 -pthread -rdynamic tests/embed/data/modules.c &&
    "$TMPDIR/host" "$TMPDIR/modules" | grep -vE '^    (import|\^)' > "$TMPDIR/$kind"
done
cat "$TMPDIR/static"
[ -n "$san" ] || diff "$TMPDIR/static" "$TMPDIR/shared"

# A host that has the library inside exports what the modules need.
host static "$TMPDIR/host" gcc -std=gnu11 -pthread '-Wl,--export-dynamic-symbol=csp_*' \
  tests/embed/data/modules.c && "$TMPDIR/host" "$TMPDIR/modules" |
  grep -vE '^    (import|\^)' | diff "$TMPDIR/static" -
# A host that is linked with a module needs no folder.
cat > "$TMPDIR/linked.c" << 'END'
#include <csp.h>
#include <string.h>
const CspNative *csp_module_counted(void);
int main(void) {
  const char *script = "import \"counted\"\nprintln(\"linked:\", counted.runtime())";
  CspConfig config;
  csp_config_init(&config);
  Csp *csp = csp_new(&config);
  if (csp == NULL) return 1;
  csp_install_language(csp);
  int status = 1;
  if (csp_install_library(csp) && csp_register(csp, csp_module_counted()->module))
    csp_run(csp, "main.csp", script, strlen(script), &status);
  csp_free(csp);
  return status;
}
END
host static "$TMPDIR/linked" gcc -std=gnu11 -pthread "$TMPDIR/linked.c" tests/embed/data/counted.c &&
  "$TMPDIR/linked"
# Nor does one that is linked with a module of the repository.
sed 's/csp_module_counted/csp_module_zlib/; s/"import .*";/"import \\"zlib\\"\\nprintln(\\"linked with zlib:\\", str(zlib.gunzip(zlib.gzip(\\"abc\\"))?))";/' \
  "$TMPDIR/linked.c" > "$TMPDIR/with_zlib.c"
libs=$(pkg-config --static --libs cspvm-zlib | sed 's/-lcspvm /-l:libcspvm.a /')
gcc -std=gnu11 $flags $(pkg-config --cflags cspvm-zlib) "$TMPDIR/with_zlib.c" -o "$TMPDIR/with_zlib" $libs $counters &&
  "$TMPDIR/with_zlib"
