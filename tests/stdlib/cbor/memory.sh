# Hostile texts in little memory: an error or a panic that tells, no more.
# expect: lists out of memory: the limit is 32 MB
# expect: maps out of memory: the limit is 32 MB
# expect: small maps out of memory: the limit is 32 MB
# expect: said cbor: at byte 0: 1099511627775 elements, for which 1000 bytes are there
# expect: said text cbor: at byte 0: a string of 1099511627775 bytes, of which 3 are there
# expect: open lists cbor: at byte 1000: nested more than 1000 deep
# expect: open maps cbor: at byte 2000: nested more than 1000 deep
# expect: tags fine
# expect: texts fine
# expect: pieces fine
# expect: ints out of memory: the limit is 32 MB
# expect: shared fine
# expect: kept out of memory: the limit is 32 MB
# expect: a long list true 1000000
# expect: long lists in one another cbor: at byte 301000: the data ends where a value should begin
# small: CSPDEBUG=
# once: one thread, and the same each time
# timeout: 90
cat > "$TMPDIR/main.csp" <<'P'
import "cbor"
import "sched"
func tried(name, f) {
  sched.gc()
  _, err := try(f)
  println(name, err ?? "fine")
}
func read(text) => func() => cbor.decode(text)
tried("lists", read("\x9a\x00\x20\x00\x00" + "\x80".repeat(1 << 21)))
tried("maps", read("\x9f" + "\xa0".repeat(1 << 21) + "\xff"))
tried("small maps", read("\x9f" + "\xa1\x00\xa1\x01\x02".repeat(1 << 18) + "\xff"))
tried("said", read("\x9b\x00\x00\x00\xff\xff\xff\xff\xff" + "\x80".repeat(1000)))
tried("said text", read("\x7b\x00\x00\x00\xff\xff\xff\xff\xff" + "abc"))
tried("open lists", read("\x81".repeat(1 << 21)))
tried("open maps", read("\xbf\x00".repeat(1 << 20)))
tried("tags", read("\xc1".repeat(1 << 22) + "\x00"))
tried("texts", read("\x9f" + "\x62ab".repeat(1 << 20) + "\xff"))
tried("pieces", read("\x7f" + "\x61a".repeat(1 << 21) + "\xff"))
tried("ints", read("\x9f" + "\x00".repeat(1 << 22) + "\xff"))
shared := [1, 2]
for i in 22 { shared = [shared, shared] }
tried("shared", func() => cbor.encode(shared))
tried("kept", func() => cbor.encode(["a".repeat(1 << 20)].repeat(100)))
P
# Fault: what a long list had grown out of waited for a collection, and was
# twice as much as the list.
cat > "$TMPDIR/long.csp" <<'P'
import "cbor"
import "sched"
func collected() {
  sched.gc()
  sched.gc()  // what the first has left to sweep
  return sched.stats()
}
data := "\x9a\x00\x0f\x42\x40" + "\x00".repeat(1_000_000)
before := collected()
value := cbor.decode(data)?
given := sched.stats().heap_allocated - before.heap_allocated
kept := collected().heap_live - before.heap_live
println("a long list", given - kept < kept / 10, len(value))
P
# Not all of them can be so long, and what they take is for what is there.
cat > "$TMPDIR/claims.csp" <<'P'
import "cbor"
_, err := cbor.decode("\x9a\x00\x02\x00\x00".repeat(200) + "\x00".repeat(300_000))
println("long lists in one another", err)
P
"$CSPVM" --max-memory 32 "$TMPDIR/main.csp"
"$CSPVM" --max-memory 32 "$TMPDIR/long.csp"
"$CSPVM" --max-memory 12 "$TMPDIR/claims.csp"
