# A process that waits makes no wake-ups: not one of its threads is switched to
# in 5 seconds, whatever it waits for.
# expect: sleep: 0
# expect: input: 0
# expect: program: 0
# expect: after work: 0
# timeout: 60
# small: SIZE=100
mkfifo "$TMPDIR/input"
exec 3<>"$TMPDIR/input"
"$CSPVM" --procs 2 -e 'sleep(1h)' &
sleeper=$!
"$CSPVM" --procs 2 -e 'import "os"
os.stdin.read_line()' <&3 &
reader=$!
"$CSPVM" --procs 2 -e 'import "os"
os.run("sleep", ["1000"])' &
waiter=$!
"$CSPVM" --procs 2 -e 'import "os"
tasks := []
for i in 0..8 { t := go { n := 0
  for j in 0..'${SIZE:-200000}' { n += j }
  os.exists("/")
  sleep(10ms) }
  tasks.push(t) }
for t in tasks { <-t }
go { for { sleep(1h) } }
<-after(1h)' &
worker=$!

# The first thread and those of the runtime (a sanitizer may have its own).
switches() {
  cat /proc/$1/status $(grep -l "csp thread" /proc/$1/task/*/status) |
    awk '/ctxt_switches/ { n += $2 } END { print n }'
}

sleep 3
for pid in $sleeper $reader $waiter $worker; do before+=("$(switches $pid)"); done
sleep 5
names=(sleep input program "after work")
i=0
for pid in $sleeper $reader $waiter $worker; do
  echo "${names[$i]}: $(($(switches $pid) - ${before[$i]}))"
  i=$((i + 1))
done
pkill -P $waiter
kill $sleeper $reader $waiter $worker 2>/dev/null
wait
