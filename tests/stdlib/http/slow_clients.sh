# slowhttptest holds connections with heads, bodies and reads that take for
# ever. The server ends them, answers others meanwhile, and keeps nothing.
# needs: slowhttptest
# expect: slow heads: ended, each 408: True, others are served: True
# expect: slow bodies: ended, each 408: True, others are served: True
# expect: slow reads: ended, others are served: True
# expect: goroutines and descriptors as before: True, memory: True
# timeout: 120
# small: CSPDEBUG=
cat > "$TMPDIR/server.csp" << 'END_OF_SCRIPT'
import "http"
import "net"
import "os"
import "sched"
listener := net.listen("127.0.0.1:0")?
println(listener.address())
os.flush()
page := "x".repeat(8_000_000)
ended, ends := chan(1000), {}
app := http.routes({
  "GET /": func(r) => "text",
  "GET /page": func(r) => page,
  "POST /": func(r) => r.text(),
  "GET /state": func(r) {
    for more := true; more; {
      select {
      case status := <-ended: ends[str(status)] = (ends[str(status)] ?? 0) + 1
      default: more = false
      }
    }
    sched.gc()
    fds, _ := os.list_dir("/proc/self/fd")
    return {goroutines: sched.goroutines(), descriptors: len(fds), ends: ends}
  },
})
log := func(r, status, ns) {
  if r == nil || r.path == "/page" || r.method == "POST" { ended <- status }
}
http.serve(listener, app, head_time: 2s, idle: 2s, stall: 2s, log: log)?
END_OF_SCRIPT
python3 - << 'END_OF_SCRIPT'
import http.client, json, os, re, subprocess, time
CSPVM, TMPDIR = os.environ["CSPVM"], os.environ["TMPDIR"]
SLOW = 60  # connections

server = subprocess.Popen([CSPVM, TMPDIR + "/server.csp"], stdout=subprocess.PIPE, text=True)
address = server.stdout.readline().strip()

def get(path):
    connection = http.client.HTTPConnection(address, timeout=60)
    connection.request("GET", path)
    body = connection.getresponse().read()
    connection.close()
    return body

def state():
    return json.loads(get("/state"))

def resident():
    """In KB, or 0 where a sanitizer keeps what was freed."""
    with open(CSPVM, "rb") as file:
        program = file.read()
    if b"__asan_init" in program or b"__tsan_init" in program:
        return 0
    with open("/proc/%d/status" % server.pid, encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s*(\d+)", file.read()).group(1))

def attack(mode, path):
    """How many of each status the server has ended, and whether others were served meanwhile."""
    before = state()["ends"]
    command = ["slowhttptest", mode, "-c", str(SLOW), "-r", "1000", "-i", "1", "-l", "100", "-p", "60",
               "-u", "http://" + address + path]
    attacker = subprocess.Popen(command, cwd=TMPDIR, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    served, ends, until = True, {}, time.monotonic() + 60
    while sum(ends.values()) < SLOW and time.monotonic() < until:
        served = served and get("/") == b"text"
        ends = {status: count - before.get(status, 0) for status, count in state()["ends"].items()}
        ends = {status: count for status, count in ends.items() if count > 0}
        time.sleep(0.1)
    attacker.kill()
    attacker.wait()
    return ends, served

def is_over(ends):
    return "ended" if sum(ends.values()) >= SLOW else "has ended %r of %d" % (ends, SLOW)

def returns(before):
    """Whether the server comes to hold no more than it did."""
    for _ in range(300):
        now = state()
        if now["goroutines"] <= before["goroutines"] and now["descriptors"] <= before["descriptors"]:
            return True
        time.sleep(0.1)
    return False

try:
    get("/page")
    before = state()
    for name, mode, path in [("heads", "-H", "/"), ("bodies", "-B", "/")]:
        ends, served = attack(mode, path)
        print("slow %s: %s, each 408: %s, others are served: %s" % (name, is_over(ends), set(ends) == {"408"}, served))
    ends, served = attack("-X", "/page")
    print("slow reads: %s, others are served: %s" % (is_over(ends), served))
    settled, first = returns(before), resident()
    for mode, path in [("-H", "/"), ("-B", "/"), ("-X", "/page")]:
        attack(mode, path)
    settled = settled and returns(before)
    print("goroutines and descriptors as before: %s, memory: %s" % (settled, resident() < first + 4000))
finally:
    server.terminate()
    server.wait(20)
END_OF_SCRIPT
