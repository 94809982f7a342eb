# The time of grace is over while a panic or a deadline leaves the body of a
# group. The report told the panic twice, and the deadline, too.
# expect: body
# expect: panic: boom
# expect: two
# expect: panic: old
# expect: panic: newer
# expect: nested
# expect: panic: boom
# expect: late
# expect: panic: deadline exceeded
# expect: left
# expect: panic: boom
# expect: panic: second
# timeout: 60
cd "$TMPDIR" || exit
shows() {
  echo "$1"
  cat > script.csp << END
func two() {
  defer panic("newer")
  panic("old")
}
group around {
  group g {
    g.grace(1ms)
    func() {
      defer {
        $2
        <-chan()
      }
      $3
    }()
  }
}
END
  "$CSPVM" script.csp 2>&1 | grep '^panic'
}
shows body 'g.cancel()' 'panic("boom")'
shows two 'g.cancel()' 'two()'
shows nested 'around.cancel()' 'panic("boom")'
shows late '' 'g.timeout(1ms); <-chan()'
shows left 'g.cancel(); defer panic("second")' 'panic("boom")'
