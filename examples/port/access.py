"""What compressed logs of a web server say.

    python3 access.py LOG.gz...
"""
import gzip
import re
import sys
from collections import Counter, defaultdict
from datetime import datetime

LINE = re.compile(r'(?P<host>\S+) \S+ \S+ \[(?P<time>[^\]]+)\] '
                  r'"(?P<method>[A-Z]+) (?P<path>\S+) [^"]*" (?P<status>\d{3}) (?P<size>\d+|-) (?P<ms>[\d.]+)')


def percentile(values, part):
    return sorted(values)[int(part * (len(values) - 1))]


def main():
    hours, statuses, times, hosts, bad = Counter(), Counter(), defaultdict(list), set(), 0
    for path in sys.argv[1:]:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                m = LINE.match(line)
                if not m:
                    bad += 1
                    continue
                when = datetime.strptime(m["time"], "%d/%b/%Y:%H:%M:%S %z")
                hours[when.astimezone(tz=None).strftime("%Y-%m-%d %H")] += 1
                statuses[m["status"][0] + "xx"] += 1
                times[m["path"].split("?")[0]].append(float(m["ms"]))
                hosts.add(m["host"])
    print(f"{hours.total():,} requests of {len(hosts)} hosts, {bad} bad lines")
    for status, n in sorted(statuses.items()):
        print(f"{status} {n:6d} {n / hours.total():6.1%}")
    for hour, n in hours.most_common(3):
        print(hour, n)
    slowest = sorted(times, key=lambda path: -percentile(times[path], 0.95))
    for path in slowest[:3]:
        ms = times[path]
        print(f"{path:<12} mean {sum(ms) / len(ms):8.2f} ms, 95% {percentile(ms, 0.95):8.2f} ms")


main()
