# However small the main thread's stack is, text that nests deeply is refused,
# and calls without end panic.
# small: CSPDEBUG=
# once: one thread
# expect: nested too deeply 1
# expect: nested too deeply 1
# expect: nested too deeply 1
# expect: nested too deeply 1
# expect: stack overflow: too many calls inside each other
# expect: stack overflow: too many calls inside each other
# expect: stack overflow: too many calls inside each other
# expect: stack overflow: too many calls inside each other
{
  printf 'x := '
  printf '(%.0s' $(seq 3000)
  printf '1'
  printf ')%.0s' $(seq 3000)
} > "$TMPDIR/deep.csp"
cat > "$TMPDIR/down.csp" << 'END'
func down() => [1].map(func(x) => down())
_, err := try(down)
println(err)
END
for script in deep down; do
  for size in 160 512 8192 unlimited; do
    (ulimit -s $size && "$CSPVM" --procs 1 "$TMPDIR/$script.csp") > "$TMPDIR/out" 2>&1
    status=$?
    if [ $script = deep ]; then
      echo "$(grep -o 'nested too deeply' "$TMPDIR/out" | head -1) $((status == 2))"
    else
      cat "$TMPDIR/out"
    fi
  done
done
