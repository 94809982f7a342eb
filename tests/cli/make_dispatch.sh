# make takes the dispatch that the compiler can compile with the sanitizer, and
# refuses the other with words of its own.
# expect: none clang-19 -DCSP_DISPATCH_TAIL=1
# expect: undefined clang-19 -DCSP_DISPATCH_TAIL=1
# expect: thread clang-19 -DCSP_DISPATCH_TAIL=1
# expect: address gcc -DCSP_DISPATCH_TAIL=0
# expect: all gcc -DCSP_DISPATCH_TAIL=0
# expect: address DISPATCH=tail: refused
# expect: all DISPATCH=tail: refused
# expect: without ASan's checks of the C stack: clang-19 -DCSP_DISPATCH_TAIL=1
unset MAKEFLAGS MAKELEVEL SAN DISPATCH CC CFLAGS DEBUG WERROR

# compiler SETTING...: what compiles the interpreter, and to what.
compiler() {
  make -n V=1 "$@" BUILD="$TMPDIR/build" "$TMPDIR/build/vm/interp/interp.o" \
    2>"$TMPDIR/errors" | sed -nE 's/^ *(\S+) .*(-DCSP_DISPATCH_TAIL=.) .*/\1 \2/p'
}

echo "none $(compiler)"
for san in undefined thread address all; do
  echo "$san $(compiler SAN=$san)"
done
for san in address all; do
  said=$(compiler SAN=$san DISPATCH=tail)
  grep -q "DISPATCH=tail cannot be compiled with SAN=$san: take DISPATCH=goto" \
    "$TMPDIR/errors" && echo "$san DISPATCH=tail: refused$said"
done
# as tests/fuzz/run
echo "without ASan's checks of the C stack: $(compiler SAN=all DISPATCH=tail \
  CC=clang-19 CFLAGS="-O1 -g -mllvm -asan-stack=0")"
