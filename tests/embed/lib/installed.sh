# SPDX-License-Identifier: MIT
# Sourced by tests: installs the build that is tested below $stage$prefix, as
# a packager would, and tells how hosts are built with that. All tests of one
# tests/run share $INSTALLED, where the first of them installs. A test that
# changes what is installed says own=1 before, and has a folder of its own.
build=$(dirname "$CSPVM")
symbols=$(nm "$CSPVM") counters=
case $symbols in
*__asan_init*__ubsan_handle*) san=all ;;
*__asan_init*) san=address ;;
*__tsan_init*) san=thread ;;
*__ubsan_handle*) san=undefined ;;
*) san= ;;
esac
# A library with gcc's counters (tests/coverage) needs what writes them.
case $symbols in
*__gcov_init*) counters=$(gcc -print-file-name=libgcov.a) ;;
esac
flags="-Wall -Wextra -Wpedantic -Werror ${san:+-fsanitize=${san/all/address,undefined}}"
[ -z "${own-}" ] || unset INSTALLED
stage=${INSTALLED-$TMPDIR/stage} prefix=/opt/cspvm
lib=$stage$prefix/lib

# What was built is installed (-o all): nothing is compiled here.
make_() {
  env -u MAKEFLAGS -u MAKELEVEL make -s -o all "$@" SAN="$san" \
    BUILD="$build" DESTDIR="$stage" PREFIX="$prefix" > "$TMPDIR/log" 2>&1 ||
    { cat "$TMPDIR/log"; exit 1; }
}
# It is whole when it has its name.
if [ -z "${INSTALLED-}" ]; then
  make_ install
elif [ ! -e "$INSTALLED" ]; then
  (
    flock 9
    [ ! -e "$INSTALLED" ] || exit 0
    stage=$INSTALLED.begun
    make_ install && mv "$stage" "$INSTALLED"
  ) 9> "$INSTALLED.lock" || exit
fi

export PKG_CONFIG_LIBDIR=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage
export LD_LIBRARY_PATH=$lib

# host KIND OUT COMPILER ARGUMENT... builds a host with the static or the
# shared library, with nothing but what pkg-config says.
host() {
  local kind=$1 out=$2 libs
  shift 2
  if [ "$kind" = static ]; then
    libs=$(pkg-config --static --libs cspvm | sed 's/-lcspvm/-l:libcspvm.a/')
  else
    libs=$(pkg-config --libs cspvm)
  fi
  "$@" $flags $(pkg-config --cflags cspvm) -o "$out" $libs $counters
}

# Which libraries there are. With a sanitizer none is shared: its runtime must
# come with the program.
kinds=static
[ -n "$san" ] || kinds='static shared'

# module_host NAME: builds $TMPDIR/host, the program data/module_host.c with the
# native module NAME.
module_host() {
  local libs
  libs=$(pkg-config --static --libs "cspvm-$1" | sed 's/-lcspvm /-l:libcspvm.a /')
  gcc -std=gnu11 $flags $(pkg-config --cflags "cspvm-$1") -D"MODULE=csp_module_$1" \
    tests/embed/data/module_host.c -o "$TMPDIR/host" $libs $counters
}
