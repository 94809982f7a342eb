# The load generator of examples/ and hey ask the same nginx, and tell the same.
# What both say of statuses is what stands in the log of nginx, too.
# needs: nginx curl hey
# small: CSPDEBUG=
# timeout: 60
# expect: hey: 2000 answers, as in the log: yes, half are quick: yes, 1 % are slow: yes
# expect: load: 2000 answers, as in the log: yes, half are quick: yes, 1 % are slow: yes
# expect: load: percentiles rise, and the rate is that of the seconds: yes
. tests/programs/lib/nginx.sh
trap nginx_stop EXIT
nginx_start << 'END' || exit
    # The more requests a connection has had, the less it gets.
    location / {
      if ($connection_requests ~ '[258]0$') { limit_rate 1000; }
      if ($connection_requests ~ '7$') { return 404; }
      if ($connection_requests ~ '9$') { return 503; }
      rewrite ^ /page break;
    }
END
head -c 1500 /dev/zero > "$TMPDIR/root/page"
at=http://127.0.0.1:$port
export http_proxy=
hey -n 2000 -c 20 "$at/hey" > "$TMPDIR/hey"
"$CSPVM" examples/load.csp "$at/load" 20 2000 > "$TMPDIR/load"
nginx_log > "$TMPDIR/asked"
cat > "$TMPDIR/compare.py" << 'END'
import collections, os, re
folder = os.environ["TMPDIR"]

def text(name):
    with open(folder + "/" + name, encoding="utf-8") as file:
        return file.read()

def say(condition):
    return "yes" if condition else "no"

forms = {"hey": (r"\[(\d+)\]\s+(\d+) responses", r"(\d+)% in ([\d.]+) secs", 1),
         "load": (r"status (\d+): (\d+)", r"(\d+) % within ([\d.]+) ms", 1000)}
for name, (statuses, percentiles, unit) in forms.items():
    said = {status: int(n) for status, n in re.findall(statuses, text(name))}
    logged = collections.Counter(re.findall(r" /%s (\d+)" % name, text("asked")))
    within = {int(share): float(t) / unit for share, t in re.findall(percentiles, text(name))}
    print("%s: %d answers, as in the log: %s, half are quick: %s, 1 %% are slow: %s" % (
        name, sum(said.values()), say(said == logged and len(said) == 3), say(within[50] < within[99]),
        say(within[99] > 0.2)))
rises = [within[share] for share in (50, 90, 99, 100)]
count, seconds, rate = map(float, re.search(r"(\d+) answers in ([\d.]+) s, (\d+) a second", text("load")).groups())
print("load: percentiles rise, and the rate is that of the seconds:",
      say(rises == sorted(rises) and rises[-1] <= seconds + 0.01 and abs(count / seconds - rate) <= rate / 20))
END
python3 "$TMPDIR/compare.py"
