# At the prompt a deadlock names the goroutine that holds the mutex.
# expect: deadlock: all goroutines are asleep
# expect: goroutine N [mutex, held by goroutine N]:
# expect:   main at repl[4]:1:7
printf 'import "sync"\nm := sync.mutex()\nm.lock()\nm.lock()\n' |
  "$CSPVM" 2>&1 | sed 's/goroutine [0-9]*/goroutine N/g'
