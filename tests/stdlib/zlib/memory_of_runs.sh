# What inflaters and deflaters take counts: those that nobody has are collected,
# those that are ended have no state, and too many are an error.
# expect: 20000 dropped
# expect: 3000 ended, again
# expect: deflaters: out of memory: the limit is 32 MB
# expect: inflaters: out of memory: the limit is 32 MB
# expect: kept pieces: out of memory: the limit is 32 MB
# expect: as small as it should be
# once: one thread
# small: CSPDEBUG=
cat > "$TMPDIR/a.csp" << 'END'
import "zlib"
for i in 20_000 { zlib.deflater() }
println("20000 dropped")
kept := []
for i in 3000 {
  d := zlib.deflater()
  d.push("text")
  d.end()
  kept.push(d)
}
again := kept[0]
again.reset()
packed := again.push("again").push(again.end())
println(len(kept), "ended,", zlib.decompress(packed)?.to_string())
kept.clear()

func fails(what, f) {
  _, err := try(func() {
    all := []
    for i in 100_000 { all.push(f()) }
  })
  println("${what}: ${err}")
}
fails("deflaters", func() => zlib.deflater())
fails("inflaters", func() => zlib.inflater())
text := "a".repeat(4_000_000)
fails("kept pieces", func() {
  i := zlib.inflater("raw", window: 8)
  _ = i.push(zlib.deflate("a"))
  _ = i.push(text)
  return i
})
END
"$CSPVM" --max-memory 32 "$TMPDIR/a.csp" &
pid=$!
most=0
while kill -0 $pid 2> "$TMPDIR/null"; do
  now=$(awk '/VmHWM/ { print $2 }' "/proc/$pid/status" 2> "$TMPDIR/null")
  [ "${now:-0}" -le "$most" ] || most=$now
  sleep 0.01
done
case $CSPVM in *build/cspvm) limit=80000 ;; *) limit=800000 ;; esac
if [ "$most" -lt $limit ]; then echo as small as it should be; else echo "$most KB"; fi
