# CSPDEBUG=trace=FILE: events in Chrome's trace format. It is JSON, each begin
# has its end on the same track, and times go up on each.
# expect: ok
# expect: ok, some lost
check() {
  python3 - "$TMPDIR/$1" << 'END'
import collections, json, sys
trace = json.load(open(sys.argv[1]))
events = trace["traceEvents"]
tracks = {e["tid"]: e["args"]["name"] for e in events
          if e["ph"] == "M" and e["name"] == "thread_name"}
assert {"P 0", "P 1", "stops of the world"} <= set(tracks.values()), tracks
open_ones, last = collections.defaultdict(list), collections.Counter()
for e in events:
    assert e["tid"] in tracks and e["ts"] >= 0, e
    if e["ph"] in "MX" or e["name" if "name" in e else "ph"] == "retake":
        continue  # of other rings, in their own order
    assert e["ts"] >= last[e["tid"]], e
    last[e["tid"]] = e["ts"]
    if e["ph"] == "B":
        open_ones[e["tid"]].append(e)
    elif e["ph"] == "E":
        open_ones[e["tid"]].pop()
    else:
        assert e["ph"] == "i" and e["s"] == "t", e
assert not any(open_ones.values())
names = {e.get("name") for e in events}
left = {e.get("args", {}).get("left") for e in events if e["ph"] == "E"}
lost = int(trace["otherData"]["events_lost"])
if lost == 0:
    assert {"main", "worker", "create", "ready", "timers", "call",
            "stop the world", "stopped"} <= names, names
    assert {"chan receive", "ended", "sleep", "blocking call"} <= left, left
    ran = {e["args"]["goroutine"] for e in events if e["ph"] == "B"
           and e["name"] in ("main", "worker")}
    assert len(ran) == 5 and 1 in ran, ran
print("ok" if lost == 0 else "ok, some lost")
END
}
code='import "os"
import "sched"
c := chan()
func worker(n) { for v in c { if v == n { os.exists("Makefile") } } }
tasks := []
for i in 4 { tasks.push(go worker(i)) }
for i in 1000 { c <- i % 10 }
close(c)
for t in tasks { <-t }
sleep(1ms)
sched.gc()'
CSPDEBUG=trace="$TMPDIR/a.json" "$CSPVM" --procs 2 -e "$code" || echo "status $?"
check a.json
CSPDEBUG=trace="$TMPDIR/b.json",traceevents=50 "$CSPVM" --procs 2 -e "$code"
check b.json
