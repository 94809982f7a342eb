# The job queue of examples/ as several programs: what workers do, what becomes
# of jobs whose worker is killed, tries, dead jobs and progress.
# small: CSPDEBUG=gcstress=31
# needs: redis-server redis-cli
# timeout: 120
# expect: 1
# expect: 2
# expect: 3
# expect: 1 sum done 6
# expect: 2 fetch dead no route to mars
# expect: dead: 2 fetch ["mars"] no route to mars
# expect: progress: 1 of 3,2 of 3,3 of 3
# expect: again: 1
# expect: 2 fetch dead no route to mars
# expect: tries of 2: 6
# expect: the job of a killed worker: sleep done slept
# expect: INT has come: the workers finish their jobs
# expect: status 0
# expect: left: 0 0 0
. tests/stdlib/redis/lib/server.sh
start || exit
redis() { redis-cli -s "$TMPDIR/socket" "$@"; }
jobs() { "$CSPVM" examples/jobs.csp "unix:$TMPDIR/socket" "$@"; }
# A worker program, whose number is $worker.
work() { "$CSPVM" examples/jobs.csp "unix:$TMPDIR/socket" work 2 1s 2>> "$TMPDIR/errors" & worker=$!; }
# Waits for so many such lines of progress, and prints the last one.
await() {
  until [ "$(grep -c "$1" "$TMPDIR/progress")" -ge "${2:-1}" ]; do sleep 0.02; done
  grep "$1" "$TMPDIR/progress" | tail -n 1
}
"$CSPVM" examples/jobs.csp "unix:$TMPDIR/socket" watch > "$TMPDIR/progress" &
watcher=$!
end() { { kill -9 $worker $watcher; wait $worker $watcher; } 2> "$TMPDIR/none"; stop; }
trap end EXIT
until [ "$(redis pubsub numsub jobs:progress | tail -n 1)" = 1 ]; do sleep 0.02; done

jobs add sum 1 2 3
jobs add fetch mars
jobs add sleep 3
work
await '^1 .*done'
await '^2 .*dead'
echo "dead: $(jobs dead)"
await '^3 .*done' > "$TMPDIR/none"
echo "progress: $(sed -n 's/^3 sleep runs //p' "$TMPDIR/progress" | paste -s -d ,)"
echo "again: $(jobs again)"
await '^2 .*dead' 2
echo "tries of 2: $(grep -c '^2 .*begun' "$TMPDIR/progress")"

# A job may be over before its worker is killed. Then another one is tried.
job=3
while
  job=$((job + 1))
  jobs add sleep 20 > "$TMPDIR/none"
  await "^$job .*runs" > "$TMPDIR/none"
  { kill -9 $worker; wait $worker; } 2> "$TMPDIR/none"
  is_left=$(redis hexists jobs:tries $job)
  work
  [ "$is_left" = 0 ]
do :; done
echo "the job of a killed worker: $(await "^$job .*done" | cut -d' ' -f2-)"
until grep -q 'taken back of worker [0-9a-f-]*: 1' "$TMPDIR/errors"; do sleep 0.02; done
kill -INT $worker
{ wait $worker; status=$?; } 2> "$TMPDIR/none"
grep INT "$TMPDIR/errors"
echo "status $status"
echo "left: $(redis llen jobs:waiting) $(redis zcard jobs:delayed) $(redis hlen jobs:tries)"
