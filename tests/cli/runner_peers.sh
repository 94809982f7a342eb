# A test whose peer is missing is named as not run by tests/run, and fails in
# .ci/run. Here is a copy of both, with a `make` that runs the tests alone.
# expect: SKIP tests/one/a.sh: not run: no-such-peer is not installed
# expect: 1 passed, 0 failed, 2 skipped
# expect: 0
# expect: FAIL tests/one/a.sh: not run: no-such-peer is not installed
# expect: 1 passed, 1 failed, 1 skipped
# expect: 1
# expect: FAIL tests/one/a.sh: not run: no-such-peer is not installed
# expect: 2 passed, 1 failed
# expect: .ci/run: 1
top=$TMPDIR/top
mkdir -p "$top/tests/one" "$top/tools" "$top/docs"
cp -r tests/run tests/docs "$top/tests/"
cp -r .ci "$top/"
rm -f "$top"/tests/docs/*.sh
cd "$top" || exit
printf '@ needs: true no-such-peer\nexit 1\n' | sed 's/@/#/' > tests/one/a.sh
echo true > tests/one/b.sh
printf '@ skip: for a reason\n' | sed 's/@/#/' > tests/one/c.sh
for flag in '' --peers; do
  tests/run --bin "$CSPVM" --filter tests/one $flag
  echo $?
done | grep -v 'for a reason'
cat > tools/make << 'END'
#!/usr/bin/env bash
[ "$1" = test ] || exit 0
for word; do case $word in RUNFLAGS=*) flags=${word#RUNFLAGS=} ;; esac; done
# shellcheck disable=SC2086
exec tests/run --bin "$CSPVM" --filter tests/one $flags
END
chmod +x tools/make
PATH=$PWD/tools:$PATH .ci/run > out 2>&1
status=$?
grep -m 1 '^FAIL' out
tail -n 1 out
echo ".ci/run: $status"
