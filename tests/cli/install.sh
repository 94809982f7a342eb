# `make install` puts everything in its place below DESTDIR/PREFIX, and `make
# uninstall` removes all of it. Nothing that is installed names DESTDIR. The
# installed program runs. Each option and command of --help stands in the manual
# page. What is wrong is printed.
# expect: bin/cspvm
# expect: include/csp.h
# expect: lib/cspvm/1/dns.package
# expect: lib/cspvm/1/dns.so
# expect: lib/cspvm/1/hash.package
# expect: lib/cspvm/1/hash.so
# expect: lib/cspvm/1/postgres.package
# expect: lib/cspvm/1/postgres.so
# expect: lib/cspvm/1/sqlite.package
# expect: lib/cspvm/1/sqlite.so
# expect: lib/cspvm/1/tls.package
# expect: lib/cspvm/1/tls.so
# expect: lib/cspvm/1/zlib.package
# expect: lib/cspvm/1/zlib.so
# expect: lib/libcspvm-dns.a
# expect: lib/libcspvm-hash.a
# expect: lib/libcspvm-postgres.a
# expect: lib/libcspvm-sqlite.a
# expect: lib/libcspvm-tls.a
# expect: lib/libcspvm-zlib.a
# expect: lib/libcspvm.a
# expect: lib/pkgconfig/cspvm-dns.pc
# expect: lib/pkgconfig/cspvm-hash.pc
# expect: lib/pkgconfig/cspvm-postgres.pc
# expect: lib/pkgconfig/cspvm-sqlite.pc
# expect: lib/pkgconfig/cspvm-tls.pc
# expect: lib/pkgconfig/cspvm-zlib.pc
# expect: lib/pkgconfig/cspvm.pc
# expect: share/doc/cspvm/LICENSE
# expect: share/man/man1/cspvm.1
# expect: 42
own=1 . tests/embed/lib/installed.sh
cd "$stage$prefix" || exit
version=$(bin/cspvm --version | cut -d' ' -f2)

shared="lib/libcspvm.so
lib/libcspvm.so.${version%%.*}
lib/libcspvm.so.$version"
[ -z "$san" ] || shared=  # none with a sanitizer
find . ! -type d | sed 's|^\./||' | sort > "$TMPDIR/files"
grep -v '^lib/libcspvm\.so' "$TMPDIR/files"
[ "$(grep '^lib/libcspvm\.so' "$TMPDIR/files")" = "$shared" ] || cat "$TMPDIR/files"

bin/cspvm -e 'println(6 * 7)'
[ "$(pkg-config --modversion cspvm)" = "$version" ] || echo 'cspvm.pc: version'
grep -qx "prefix=$prefix" lib/pkgconfig/cspvm.pc || echo 'cspvm.pc: prefix'
grep -q "cspvm $version" share/man/man1/cspvm.1 || echo 'cspvm.1: version'
grep -l -e "$stage" -e '@[A-Z]*@' -r include lib/pkgconfig share

# Options, and commands (the words after `cspvm`), of a text.
words() {
  grep -oE -e '(^|[ [(,])--?[a-z][a-z-]*' -e '\bcspvm [a-z]+' | tr -d ' [(,' |
    sort -u
}
bin/cspvm --help | words > "$TMPDIR/help"
sed 's/\\-/-/g' share/man/man1/cspvm.1 | words > "$TMPDIR/page"
comm -23 "$TMPDIR/help" "$TMPDIR/page" | sed 's/^/not in cspvm.1: /'

cd "$OLDPWD" && make_ uninstall
find "$stage" ! -type d
