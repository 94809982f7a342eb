# What deferred calls of a cancelled function give is not lost: the group's
# value or panic carries it, whether its body or a member is cancelled, and
# whether the cancellation is overtaken by that of the grace or by a panic.
# expect: panic: first
# expect:   also: close
# expect: panic: first
# expect:   also: close
# expect: panic: first
# expect:   also: close
# expect: panic: first
# expect:   also: close
# expect: panic: boom
# expect:   also: close
# timeout: 60
cd "$TMPDIR" || exit
cat > begin.csp << 'END'
ready := chan(1)
func close() => error("close")
func waits() {
  defer close()
  ready <- true
  <-chan()
}
func overstays() {
  defer func() { <-chan() }()
  defer close()
  ready <- true
  <-chan()
}
func panics() {
  defer panic("boom")
  defer close()
  ready <- true
  <-chan()
}
func fails() {
  <-ready
  return error("first")
}
END
shows() {
  cat begin.csp - > script.csp
  "$CSPVM" script.csp 2>&1 | grep -E '^panic|also'
}
shows << 'END'
err := group {
  go fails()
  waits()
}
panic(err)
END
group='group g {
  g.grace(10ms)
  go fails()
  overstays()
}'
shows << END
err := $group
panic(err)
END
shows << END
_, err := try(func() { $group })
panic(err)
END
shows << 'END'
group g {
  g.grace(10ms)
  go fails()
  go overstays()
}
END
shows << 'END'
_, err := try(func() {
  group g {
    go panics()
    <-ready
    g.cancel()
  }
})
panic(err)
END
