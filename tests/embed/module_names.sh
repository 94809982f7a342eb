# cspvm exports each function of csp.h to native modules: one of them asks dlsym
# for all. It exports nothing else. A module that comes with cspvm exports its
# entry alone, and no copy of the library is in it. What is wrong is printed.
# expect: all found
# once: it is compiled each time
own=1 . tests/embed/lib/installed.sh
. tests/embed/lib/modules.sh
grep -v '^#define' vm/csp.h | grep -oE '\bcsp_[a-z0-9_]+\(' | tr -d '(' | sort -u > "$TMPDIR/declared"
{
  echo '#include <csp.h>
#include <dlfcn.h>
static const char *const names[] = {'
  sed 's/.*/"&",/' "$TMPDIR/declared"
  echo '};
static CspStatus missing(CspCall *call) {
  CspValue list = csp_list(call, 0);
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    if (dlsym(RTLD_DEFAULT, names[n]) == NULL)
      csp_list_push(call, list, csp_string(call, names[n], __builtin_strlen(names[n])));
  csp_return(call, list);
  return csp_ok_int(call, sizeof names / sizeof *names);
}
static const CspFunction functions[] = {{"missing", "", missing}, {NULL, NULL, NULL}};
static const CspModule module = {"names", functions, NULL, NULL, 0};
static const CspNative native = {CSP_API, &module};
CSP_MODULE(names) { return &native; }'
} | object "$modules/names.so"
run 'import "names"
missing, count := names.missing()
if count > 150 && len(missing) == 0 { println("all found") } else { println(missing) }'

# Variables of the C library are the program's own by copy relocations.
exported() { nm -D --defined-only "$1" | awk '{ print $3 }' | grep -v '@GLIBC' | sort; }
[ -n "$san$counters" ] || exported "$program" | diff "$TMPDIR/declared" -
exported "$program" | grep '^csp_' | diff "$TMPDIR/declared" -
for module in "$modules"/*.so; do
  name=$(basename "$module" .so)
  exported "$module" | grep -vE '^(__)?(asan|tsan|ubsan|gcov|llvm)' | diff <(echo "csp_module_$name") -
done
