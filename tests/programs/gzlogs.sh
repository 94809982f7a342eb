# The statistics of compressed logs in examples/, of files that Python's gzip
# and tarfile have written. Python counts, too.
# expect: as Python counts: True, lines that are none: True
# expect: a file that is cut off: True
# small: SIZE=30
python3 - << 'END'
import collections, gzip, io, os, random, subprocess, tarfile
folder, size = os.environ["TMPDIR"], int(os.environ.get("SIZE", 5000))
random.seed(size)
days, statuses, paths = collections.Counter(), collections.Counter(), collections.Counter()
wrong = requests = 0

def line():
    """A line of a log, which is counted."""
    global wrong, requests
    if random.random() < 0.05:
        wrong += 1
        return random.choice(["", "restarted", '1.2.3.4 - - [x] "GET / HTTP/1.1" 200 5', "ä\0 \xa0 -"])
    day = "%02d/Feb/2026" % random.randrange(1, 29)
    path = "/%d/é%s" % (random.randrange(20), random.choice(["", ".png", "/"]))
    status, sent = random.choice([("200", random.randrange(10**6)), ("304", "-"), ("404", 153), ("500", 0)])
    requests += 1
    days[day] += 1
    statuses[status] += 1
    paths[path] += 0 if sent == "-" else sent
    return '2001:db8::%x - %s [%s:%02d:00:00 +0100] "%s %s%s HTTP/1.1" %s %s "-" "agent ] \\"x\\""' % (
        random.randrange(99), random.choice(["-", "ann"]), day, random.randrange(24), random.choice(["GET", "POST"]),
        path, random.choice(["", "?q=a+b"]), status, sent)

def text():
    return "".join(line() + random.choice(["\n", "\n", "\r\n"]) for _ in range(size)).encode()

with gzip.open(folder + "/one.gz", "wb") as file:
    file.write(text())
with open(folder + "/two.gz", "wb") as file:  # of several members, as logs are that are appended to
    for _ in range(3):
        file.write(gzip.compress(text()))
with tarfile.open(folder + "/old.tar.gz", "w:gz") as archive:
    for name in "a.log", "x" * 150 + ".log":
        data = text()
        entry = tarfile.TarInfo("old/" + name)
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))

wanted = ["%d requests, %d bytes, %d lines that are none" % (requests, sum(paths.values()), wrong)]
wanted += ["%s %6d" % (day, days[day]) for day in sorted(days)]
wanted += ["%s %6d  %4.1f %%" % (s, statuses[s], 100.0 * statuses[s] / requests) for s in sorted(statuses)]
wanted += ["most bytes"]
wanted += ["%10d  %s" % (paths[p], p) for p in sorted(paths, key=lambda p: (-paths[p], p.encode()))[:3]]

def stats(*names):
    return subprocess.run([os.environ["CSPVM"], "examples/gzlogs.csp"] + [folder + "/" + name for name in names],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

got = stats("one.gz", "two.gz", "old.tar.gz").stdout.decode().splitlines()
print("as Python counts: %s, lines that are none: %s" % (got == wanted, wrong > 0))
with open(folder + "/one.gz", "rb") as file:
    data = file.read()
with open(folder + "/cut.gz", "wb") as file:
    file.write(data[:len(data) // 2])
done = stats("cut.gz")
print("a file that is cut off:", done.returncode == 1 and b"cut.gz: the data ends too early" in done.stderr)
END
