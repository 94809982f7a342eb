# The part in the language of a module of cspvm's own becomes a header, which
# the module's source includes. It is made anew when the part has changed.
# expect: 42
# expect: 43
# once: it is compiled each time
own=1 . tests/embed/lib/installed.sh
. tests/embed/lib/modules.sh
# A tree of its own, as the module is no part of the project.
mkdir "$TMPDIR/tree"
cp -r Makefile cli lang sched stdlib vm "$TMPDIR/tree"
cd "$TMPDIR/tree" || exit
rm stdlib/native/*.c stdlib/native/*.csp
cat > stdlib/native/tiny.c << 'END'
#include "stdlib/native/tiny_csp.h"
#include "vm/csp.h"
static CspStatus half(CspCall *call) { return csp_ok_int(call, 21); }
static const CspFunction functions[] = {{"half", "", half}, {NULL, NULL, NULL}};
static const CspModule module = {"tiny", functions, NULL, (const char *)text_tiny,
                                 sizeof text_tiny - 1};
static const CspNative native = {CSP_API, &module};
CSP_MODULE(tiny) { return &native; }
END
build() {
  env -u MAKEFLAGS -u MAKELEVEL make -s HEADER_tiny=string.h BUILD="$TMPDIR/b" \
    "$TMPDIR/b/modules/tiny.so" > /dev/null &&
    cp "$TMPDIR/b/modules/tiny.so" "$modules"
}
echo 'func whole() => half() * 2' > stdlib/native/tiny.csp
build && run 'import "tiny"
println(tiny.whole())'
sleep 0.01
echo 'func whole() => half() * 2 + 1' > stdlib/native/tiny.csp
build && run 'import "tiny"
println(tiny.whole())'
