# A program that is not waited for any more is ended with those that it started.
# expect: cancelled: all ended
# expect: cancelled after the first has ended: all ended
# expect: timed out: all ended
# expect: exit: all ended
# expect: waited for: one lives
# expect: SIGINT: all ended, status 130
# expect: SIGTERM: all ended, status 143
# expect: SIGHUP: all ended, status 129
# timeout: 60
cd "$TMPDIR" || exit 1

# Whether the process in the file is there; one that nobody has reaped is not.
lives() {
  [ -e "/proc/$(cat "$1")" ] && ! grep -q '^State:.*Z' "/proc/$(cat "$1")/status" 2> /dev/null
}
say() {
  for _ in $(seq 200); do
    lives inner || break
    [ "$1" = "waited for" ] && break
    sleep 0.02
  done
  if lives inner; then echo "$1: one lives"; else echo "$1: all ended$2"; fi
  rm -f inner
}

cat > run.csp << 'END'
import "os"
how := os.args[0]
func begun() {
  for !os.exists("inner") { sleep(1ms) }
}
script := "sleep 1000 & echo $! > new; mv new inner; "
if how == "cancelled" {
  group g {
    go { os.run("sh", ["-c", script + "wait"]) }
    begun()
    g.cancel()
  }
} else if how == "cancelled after" {
  group g {
    go { os.run("sh", ["-c", script]) }
    begun()
    sleep(50ms)
    g.cancel()
  }
} else if how == "timed out" {
  _ = try(func() {
    group g {
      go { begun(); g.timeout(1ms) }  // however long the shell takes to begin
      os.run("sh", ["-c", script + "wait"])
    }
  })
} else if how == "exit" {
  go { os.run("sh", ["-c", script + "wait"]) }
  begun()
  os.exit(0)
} else if how == "waited for" {
  os.run("sh", ["-c", "sleep 1000 > /dev/null 2>&1 & echo $! > inner"])
} else {
  os.run("sh", ["-c", script + "wait"])
}
END
"$CSPVM" run.csp cancelled
say cancelled
"$CSPVM" run.csp "cancelled after"
say "cancelled after the first has ended"
"$CSPVM" run.csp "timed out"
say "timed out"
"$CSPVM" run.csp exit
say exit
"$CSPVM" run.csp "waited for"
cp inner kept
say "waited for"
kill "$(cat kept)"
for signal in INT TERM HUP; do
  # (A shell has its children in the background ignore SIGINT, nohup SIGHUP.)
  python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$CSPVM" run.csp signal &
  until [ -e inner ]; do sleep 0.01; done
  kill -$signal $!
  wait $! 2> /dev/null
  say "SIG$signal" ", status $?"
done
