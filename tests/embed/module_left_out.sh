# Where a module's header is missing, make says so in one line and leaves the
# module out. An import of it names the package then.
# expect:   the module zlib is left out: there is no no_such.h (package zlib1g-dev, make deps)
# expect: zlib.package
# expect: -e:1:1: error: cannot load the module "zlib": it was not built, as the Debian package zlib1g-dev was missing; install that, and run make again
# once: it does not depend on the number of Ps
own=1 . tests/embed/lib/installed.sh
. tests/embed/lib/modules.sh
env -u MAKEFLAGS -u MAKELEVEL make -s HEADER_zlib=no_such.h BUILD="$TMPDIR/b" \
  without-zlib "$TMPDIR/b/modules/zlib.package" | grep -v '/zlib.package'
ls "$TMPDIR/b/modules"
rm "$modules"/* && cp "$TMPDIR/b/modules"/* "$modules"
run 'import "zlib"'
