# Methods that are added while a goroutine calls those of the same type: it goes
# on, and has the new ones. (Their table is made larger six times.)
# expect: 199 true
{
  cat <<'END'
struct Point { x }
func (p Point) m0() => p.x
stop, began := false, chan()
t := go func() {
  p, calls, names := Point(1), 0, 0
  close(began)
  for !stop {
    calls += p.m0()
    bound := p.m0
    calls += bound()
    _, err := try(func() => p.none())
    if err != nil { names++ }
  }
  return [p, calls > 0 && names > 0]
}()
<-began
END
  for n in $(seq 199); do echo "func (p Point) m$n() => $n"; done
  echo 'stop = true'
  echo 'r := <-t'
  echo 'println(r[0].m199(), r[1])'
} | "$CSPVM" --procs 2 2>&1 | grep -a true
