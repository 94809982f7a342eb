# Values are whole while output waits for a slow reader.
# expect: 0
"$CSPVM" --procs 4 -e 'import "strings"
  import "sched"
  import "os"
  line := strings.repeat("x", 1000)
  for i in 2 { go { for { println(line) } } }
  done := chan()
  for i in 4 {
    go {
      for k in '${SIZE:-3000}' {
        s := strings.join(["abc", str(k), "def"], "-")
        if s != "abc-${k}-def" || s.split("-") [1] != str(k) { os.exit(3) }
      }
      done <- true
    }
  }
  go { for { sched.gc() } }
  for i in 4 { <-done }' | {
  while IFS= read -r -n 60000 _; do :; done
}
echo "${PIPESTATUS[0]}"
# timeout: 60
# small: SIZE=20
