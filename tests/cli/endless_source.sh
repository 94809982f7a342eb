# Of a script or module that is too long, or never ends, no more is read than
# scripts may have. The first ones do end: a reader without that limit fails
# there, and does not fill the machine's memory.
# once: one thread
# expect: script standard input check dis fmt load test import
# expect: endless: script check test
cd "$TMPDIR" || exit 1
truncate -s 65M long.csp
head -c 64M /dev/zero | tr '\0' ' ' > longest.csp
cp long.csp long_test.csp
echo 'import "./long"' > imports.csp
ln -s /dev/zero endless.csp
mkfifo fifo.csp

# says NAME TEXT COMMAND...: it ends with an error that has this text.
says() {
  local name="$1" text="$2"
  shift 2
  "$@" > out 2>&1 && echo "$name ended well"
  if ! grep -qF "$text longer than 64 MB; split it into modules" out; then
    head -c 500 out
    exit 1
  fi
  printf '%s' "${sep}$name"
  sep=' '
}

sep=''
cannot='cspvm: cannot read long.csp: it is'
"$CSPVM" longest.csp || exit 1
says script "$cannot" "$CSPVM" long.csp
says 'standard input' 'cspvm: cannot read -: it is' "$CSPVM" - < long.csp
says check "$cannot" "$CSPVM" check long.csp
says dis "$cannot" "$CSPVM" dis long.csp
says fmt "$cannot" "$CSPVM" fmt --check long.csp
echo ':load long.csp' > load
says load "$cannot" "$CSPVM" < load
says test 'cannot read it: it is' "$CSPVM" test long_test.csp
says import 'cannot read the module "./long": long.csp: it is' \
  "$CSPVM" imports.csp
echo

sep='endless: '
says script 'cspvm: cannot read endless.csp: it is' "$CSPVM" endless.csp
cat /dev/zero > fifo.csp 2> /dev/null &
says check 'cspvm: cannot read fifo.csp: it is' "$CSPVM" check fifo.csp
wait
says test 'cannot read it: it is' "$CSPVM" test endless.csp
echo
