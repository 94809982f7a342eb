# m.with(f) and s.with(f) find no memory for the call that unlocks. The lock was
# closed to all for ever.
# timeout: 60
# small: CSPDEBUG=
# expect: refused true, 0 are closed
cd "$TMPDIR" || exit 1
cat > script.csp << 'END_OF_SCRIPT'
import "sync"
const COUNT = 2000
locks, places := [], []
for _ in COUNT {
  locks.push(sync.mutex())
  places.push(sync.semaphore(1))
}
func grow_stack(n) { if n > 0 { grow_stack(n - 1) } }
func down(i) {
  if i < COUNT { locks[i].with(func() { places[i].with(func() { down(i + 1) }) }) }
}
ballast := nil
func fill_with(size) { for { ballast = (ballast, bytes(size)) } }
grow_stack(30_000)
closed, refused := 0, 0
for round in 50 {
  spare := nil
  for _ in round { spare = (spare, bytes(1000)) }
  for size in [50_000, 5000, 500, 50, 1] { _ = try(fill_with, size) }
  spare = nil
  _, err := try(down, 0)
  ballast = nil
  if err != nil { refused++ }
  for i in COUNT {
    if locks[i].try_lock() { locks[i].unlock() } else { closed++; locks[i] = sync.mutex() }
    if places[i].try_acquire() { places[i].release() } else { closed++; places[i] = sync.semaphore(1) }
  }
}
println("refused ${refused > 0}, ${closed} are closed")
END_OF_SCRIPT
"$CSPVM" --max-memory 8 script.csp
