# The number of Ps follows the CPUs that the process may use, while it runs. One
# that the program or the command line has set stays.
# needs: taskset
# timeout: 60
# expect: begins with 1
# expect: follows
# expect: back to 1
# expect: set: 3, and later 3
# expect: given: 3, and later 3
unset CSPPROCS
cat > "$TMPDIR/a.csp" << 'END'
import "os"
import "sched"
import "time"
all := int(os.args[0])
pid := os.pid()

// It computes, because only goroutines that run need Ps.
func until(n, most = 30s) {
  end := time.monotonic() + most
  for sched.procs() != n && time.monotonic() < end { }
  return sched.procs()
}

func may_use(cpus) { os.run("taskset", ["-a", "-p", "-c", cpus, "${pid}"])? }

first := os.args[1]
println("begins with", sched.procs())
may_use(os.args[2])
println((if until(all) == all { "follows" } else { sched.procs() }))
may_use(first)
println("back to", until(1))
sched.set_procs(3)
may_use(os.args[2])
println("set: 3, and later", until(all + 3, 1500ms))
END
cat > "$TMPDIR/b.csp" << 'END'
import "sched"
import "time"
end := time.monotonic() + 1500ms
for time.monotonic() < end { }
println("given: 3, and later", sched.procs())
END
mask=$(taskset -c -p $$ | sed 's/.*: //')
first=$(echo "$mask" | sed 's/[,-].*//')
all=$(nproc)
taskset -c "$first" "$CSPVM" "$TMPDIR/a.csp" "$all" "$first" "$mask"
taskset -c "$first" "$CSPVM" --procs 3 "$TMPDIR/b.csp"
