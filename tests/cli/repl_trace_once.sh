# The report of a panic has each place once. All of it is compared.
# expect: panic: division by zero
# expect:   f at repl[1]:1:15
# expect:   g at repl[2]:1:14
# expect:   main at repl[3]:1:2
# expect:     g()
# expect:      ^
# expect: panic: assertion failed: 1 == 2
# expect:   h at repl[4]:1:18
# expect:   main at repl[5]:1:2
# expect:     h()
# expect:      ^
# expect: panic: division by zero
# expect:   f at repl[1]:1:15
# expect:   main at repl[6]:1:10
# expect:     group { f() }
# expect:              ^
# expect: panic: division by zero
# expect:   bad at loaded.csp:1:17
# expect:   main at loaded.csp:2:4
# expect: panic: text
# expect:   t at repl[8]:1:17
# expect:   main at repl[9]:1:2
# expect:     t()
# expect:      ^
# expect: panic: division by zero
# expect:   f at repl[1]:1:15
# expect:   g at repl[2]:1:14
# expect:   func@1 at repl[10]:1:29
# expect:   main at repl[11]:1:1
# expect:     <-task
# expect:     ^
# expect: <task>
# expect exit: 1
cd "$TMPDIR" || exit
printf 'func bad() => 1 / 0\nbad()\n' > loaded.csp
"$CSPVM" 2>&1 << 'END'
func f() => 1 / 0
func g() => f() + 1
g()
func h() { assert(1 == 2) }
h()
group { f() }
:load loaded.csp
func t() { panic("text") }
t()
task := go func() { return g() }()
<-task
task
END
