# check warns about methods that groups and tasks do not have.
# expect: a.csp:2:5: warning: a group has no method `timout`
# expect:       g.timout(1s)
# expect:         ^~~~~~
# expect:     did you mean `timeout`?
# expect: a.csp:3:10: warning: a group has no method `stop`
# expect:       go { g.stop() }
# expect:              ^~~~
# expect: a.csp:9:3: warning: a task has no method `wait`
# expect:     t.wait()
# expect:       ^~~~
# expect:     write `<-t`
# expect: a.csp:10:18: warning: a group has no method `wait`
# expect:     x := group h { h.wait() }
# expect:                      ^~~~
cd "$TMPDIR" || exit
cat > a.csp <<'EOF'
group g {
  g.timout(1s)
  go { g.stop() }
  g.grace(1s)
  cancel := g.cancel
  cancel()
}
t := go sleep(1)
t.wait()
x := group h { h.wait() }
func of_others(g, t) { return g.stop(), t.wait() }
println(x, of_others, t == t)
EOF
"$CSPVM" check a.csp 2>&1
